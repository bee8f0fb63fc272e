/**
 * Statements of which most raise: every function and method that is translated called in ways that it may not like,
 * operators between all types, and what else Python refuses. Each is run in a `try` with a clause for every class of
 * exception.
 */
export interface Statement {
  readonly text: string;
  /** The source imports NumPy, so that `x` is an array; else it is a list. */
  readonly hasNumPy: boolean;
}

/** Classes before those that they are below. */
const CLAUSES = [
  ...['StopIteration', 'AssertionError', 'ModuleNotFoundError', 'ImportError', 'UnboundLocalError', 'NameError'],
  ...['FloatingPointError', 'OverflowError', 'ZeroDivisionError', 'ArithmeticError', 'KeyError'],
  ...['np.linalg.LinAlgError', 'statistics.StatisticsError', 'dataclasses.FrozenInstanceError', 'AttributeError'],
  ...['RecursionError', 'NotImplementedError', 'RuntimeError', 'UnicodeError', 'TypeError', 'EOFError', 'MemoryError'],
  ...['BufferError', 'FileNotFoundError', 'OSError', 'ReferenceError', 'SystemError', 'SyntaxError', 'AxisError'],
  ...['IndexError', 'LookupError', 'ValueError', 'Warning', 'Exception'],
];

/** `numpy.AxisError` is both: it takes the first of these. */
const clauses = (hasNumPy: boolean): string =>
  CLAUSES.filter((name) => name !== 'AxisError' && (hasNumPy || !name.startsWith('np.')))
    .map((name, k) => `    except ${name}:\n        return ${k + 1}.0\n`)
    .join('');

const PROGRAM = `import math
import dataclasses
import functools
import itertools
import operator
import statistics
from collections import namedtuple
class P:
    size = 2
    def __init__(self, a=1.0):
        self.a = a
    @property
    def twice(self):
        return self.a * 2
    def scaled(self, by):
        return self.a * by
    @staticmethod
    def plain(v):
        return v
@dataclasses.dataclass(frozen=True)
class Q:
    a: float
    b: float = 2.0
@dataclasses.dataclass
class R:
    a: float
T = namedtuple("T", "a b")
def g(a, b=2.0, *, c=3.0):
    return a + b + c
def h(a, /, b):
    return a * b
def k(*args, **named):
    return len(args)
def gen(n):
    for i in range(n):
        yield i
`;

export function programOf({ text, hasNumPy }: Statement): string {
  const body = text.replaceAll('\n', '\n        ');
  return (
    `${hasNumPy ? 'import numpy as np\n' : ''}${PROGRAM}def f(x):\n    try:\n        ${body}\n` +
    `${clauses(hasNumPy)}    return -1.0\n`
  );
}

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');
const lines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Values of every type, without NumPy and with it. */
const VALUES = lines(`
  1
  x[0]
  True
  'a'
  None
  [1.0]
  (1, 2)
  {}
  {'a': 1.0}
  {1}
  x
  1j
  len
  (lambda v: v)
  math
  range(3)
  P()
  P
  T(1, 2)
  (v for v in x)
  int(x[0])
  (x[0] > 1)
`);
const NUMPY_VALUES = lines(`
  x
  x[0]
  1
  1.5
  'a'
  None
  [1.0]
  [1.0, 2.0]
  (1, 2)
  {}
  np.int64(2)
  np.ones((2, 3))
  np.ones((2, 2))
  np.ones(3)
  (x > 1)
  (x[0] > 1)
  np.sin
  np
  np.array(1.0)
  np.array([])
  np.arange(2)
  x[x > 1]
  1j
  (x * 1j)
  P()
`);
const OPERATORS = words('+ - * / // % ** @ < <= == != & | ^ << >> in is');
const UNARY = ['-', '+', '~', 'not ', '*'];

const BUILTINS = words(`
  abs max min sum range len round sorted isinstance any all float int bool list tuple str repr format dict set super
  getattr hasattr type filter pow divmod enumerate zip map reversed callable frozenset complex object iter next slice id
  hash ord chr print vars dir setattr delattr issubclass bytes bin hex oct ascii
`);
const LIBRARY = words(`
  math.sin math.cos math.tan math.asin math.acos math.atan math.sinh math.cosh math.tanh math.asinh math.acosh math.atanh
  math.exp math.expm1 math.log math.log2 math.log10 math.log1p math.sqrt math.fabs math.pow math.atan2 math.hypot
  math.dist math.fsum math.fmod math.copysign math.floor math.ceil math.trunc math.isnan math.isinf math.isfinite
  math.degrees math.radians math.prod math.isclose math.factorial math.comb math.perm math.gcd math.lcm math.isqrt
  math.modf math.frexp math.nextafter math.ulp math.ldexp math.remainder math.erf math.erfc math.gamma math.lgamma
  functools.reduce functools.partial itertools.product itertools.combinations itertools.permutations itertools.chain
  itertools.accumulate itertools.repeat itertools.islice itertools.starmap itertools.pairwise itertools.zip_longest
  operator.add operator.mul operator.neg operator.getitem operator.itemgetter operator.attrgetter operator.pow
  statistics.mean statistics.fmean statistics.median statistics.stdev statistics.variance statistics.pstdev
  dataclasses.replace dataclasses.asdict dataclasses.astuple g h k gen P Q R T P.plain P.scaled P().scaled
`);
const METHODS = words(`
  [1.0].append [1.0].extend [1.0].insert [1.0].pop [1.0].remove [1.0].clear [1.0].sort [1.0].index [1.0].copy [1.0].reverse
  [1.0].count [1.0].nosuch (1,2).index (1,2).count (1,2).append {'a':1}.keys {'a':1}.values {'a':1}.items {'a':1}.get
  {'a':1}.copy {'a':1}.update {'a':1}.setdefault {'a':1}.pop {'a':1}.popitem {'a':1}.clear {'a':1}.nosuch {1}.union
  {1}.intersection {1}.difference {1}.add {1}.discard {1}.remove {1}.copy {1}.pop {1}.nosuch 'a'.upper 'a'.lower 'a'.strip
  'a'.split 'a'.join 'a'.startswith 'a'.endswith 'a'.replace 'a'.find 'a'.index 'a'.count 'a'.format 'a'.nosuch 'a'.isdigit
  (1).real (1).conjugate (1).bit_length (1.5).is_integer (1.5).conjugate (1.5).nosuch (1.5).hex x[0].is_integer
  x[0].conjugate (1j).conjugate x.append x.pop x.index x.count x.copy x.sum x.shape range(3).index range(3).count
  T(1,2)._replace T(1,2)._asdict T(1,2).nosuch P().nosuch P.nosuch len.nosuch math.nosuch
`);
const NUMPY = words(`
  sin cos arctan arctan2 exp log log1p sqrt square abs fabs negative floor ceil trunc rint fix round around sign deg2rad
  add subtract multiply divide floor_divide power mod fmod maximum minimum fmax hypot copysign heaviside isnan isfinite
  equal less logical_and logical_not where select interp clip sum prod mean var std any all count_nonzero ptp max min amax
  argmax argmin dot vdot inner matmul outer array asarray zeros ones empty zeros_like ones_like full full_like eye identity
  arange linspace concatenate hstack vstack column_stack stack atleast_1d atleast_2d ravel reshape squeeze expand_dims tril
  triu trace polyval ndim size shape array_equal copyto put isscalar cumsum cumprod diff ediff1d sort argsort median
  quantile percentile partition argpartition average gradient convolve cross einsum tensordot nonzero flatnonzero
  argwhere searchsorted digitize unique bincount isin vectorize apply_along_axis piecewise isclose allclose logaddexp sinc
  nextafter modf divmod nansum nanmax nanmin nanmean nanstd nan_to_num logical_xor bitwise_and isneginf real imag angle
  conj polyder polyint cov logspace ndenumerate ndindex finfo polyfit histogram roots take insert delete split
  array_split vsplit hsplit swapaxes moveaxis transpose roll flip flipud fliplr rot90 repeat tile diag diagonal
  fill_diagonal triu_indices tril_indices tri indices ix_ meshgrid broadcast_to kron block choose compress extract
  row_stack dstack fromiter append float64 int64 bool_ linalg.norm linalg.solve linalg.inv linalg.det
  linalg.matrix_power linalg.cholesky linalg.eigvalsh linalg.matrix_rank nosuch
  add.reduce multiply.accumulate maximum.reduce add.outer add.at subtract.reduce
`);
const ARRAY_METHODS = words(`
  sum prod mean std var max min argmax argmin any all dot ravel cumsum cumprod clip round squeeze repeat ptp trace take
  argsort nonzero diagonal searchsorted swapaxes compress conj argpartition copy flatten reshape transpose view sort
  partition astype tolist item fill nosuch append
`);
const NUMPY_RECEIVERS = ['x', 'np.ones((2, 3))', 'x[0]', '(x > 1)', 'x[x > 1]', '(x * 1j)'];

const ARGUMENTS = lines(`

  1
  x[0]
  'a'
  None
  x
  []
  [1.0]
  [1.0, 'a']
  1, 2
  x, 1
  x, None
  1, 'a'
  x, x
  x, [1.0]
  -5
  P
  len
  len, x
  1j
  {}
  x, 1, 2
  1, 2, 3
  1, 2, 3, 4
  1, 2, 3, 4, 5
  bogus=1
  x, bogus=1
  1, bogus=1
  key=1
  *x
  **{'a': 1}
  *[1, 2]
  *1
  **1
  a=1
  1, a=1
`);
const NUMPY_ARGUMENTS = lines(`

  x
  x[0]
  1
  'a'
  None
  []
  [x, x]
  [x, 1]
  [[1.0, 2.0], [3.0]]
  np.ones((2, 3))
  np.ones((2, 2))
  np.array([])
  x, x
  x, 1
  x, 5
  x, -5
  x, None
  x, 'a'
  x, 1.5
  x, np.ones(3)
  x, np.ones((2, 3))
  x, []
  x, axis=0
  x, axis=1
  x, axis=-2
  x, axis=None
  x, axis='a'
  x, axis=1.5
  x[0], axis=0
  x[0], axis=-1
  np.ones((2, 3)), axis=2
  np.ones((2, 3)), axis=1
  [x, x], axis=1
  [x, x], axis=3
  x, keepdims=True
  x, dtype=float
  x, dtype='bogus'
  x, out=1
  x, bogus=1
  x, where=True
  x, initial=1.0
  x, x, x
  x, x, 1, 2
  1, 2, 3
  1, 2, 3, 4, 5
  (2, 3), x
  x, (2, 3)
  x, (3, 1)
  x * 1j
  x[x > 1]
  len, x
  (lambda v: v), x
  *x
  **{'a': x}
  bogus=1
`);

const OTHERS = lines(String.raw`
  a, b = 1
  a, b = x[0]
  a, b, c = x
  a, = x
  (a, b), c = x
  [a, b] = None
  a, *b, c = [1.0]
  a, b = {1.0}
  a, b = 'abc'
  a, b = gen(3)
  for v in 1: pass
  for v in x[0]: pass
  for v in None: pass
  for v in P(): pass
  for v in len: pass
  for a, b in x: pass
  for a, b in [(1, 2), 3]: pass
  for a, b in [(1, 2), (1, 2, 3)]: pass
  for a, b in enumerate(x, 'a'): pass
  [v for v in 1]
  [v for v in x[0]]
  [a for a, b in x]
  {v for v in [[]]}
  {[]: 1}
  {{}: 1}
  {x: 1}
  {(1, []): 1}
  {P(): 1}
  {'a': 1}[[]]
  {'a': 1}['b']
  {'a': 1}[x]
  {1: 1.0}[x[0]]
  {1: 1.0}[True]
  [1.0][1]
  [1.0][-2]
  [1.0]['a']
  [1.0][1.0]
  [1.0][x[0]]
  [1.0][None]
  [1.0][(0,)]
  [1.0][[0]]
  [1.0]['a':]
  [1.0][1.5:]
  [1.0][::0]
  (1, 2)[5]
  (1, 2)['a']
  (1, 2)[x[0]]
  'ab'[5]
  'ab'[x[0]]
  'ab'[None]
  x[5]
  x[-3]
  x['a']
  x[None]
  x[1.0]
  x[x]
  x[[]]
  x[0][0]
  x[0]['a']
  x[0].a
  x[::0]
  x['a':]
  x[int(x[0])]
  x[0, 0]
  x[...]
  range(3)[5]
  range(3)['a']
  range(3)[x[0]]
  None[0]
  None.a
  None()
  len[0]
  math[0]
  P[0]
  P()[0]
  P()()
  1()
  x()
  x[0]()
  'a'()
  [1.0]()
  [1.0][0] = 1
  [1.0][5] = 1
  [1.0]['a'] = 1
  [1.0][x[0]] = 1
  [1.0][0:1] = 1
  [1.0, 2.0][::2] = [1.0, 2.0]
  (1, 2)[0] = 1
  'a'[0] = 'b'
  x[5] = 1
  x['a'] = 1
  x[0] = 'a'
  x[0] = None
  x[0] = [1.0, 2.0]
  x[0:1] = 1
  x[0:1] = [1.0, 2.0, 3.0]
  x[0][0] = 1
  x[0].a = 1
  x.a = 1
  None.a = 1
  None[0] = 1
  {}[[]] = 1
  {}[x] = 1
  len.a = 1
  'a'.b = 1
  (1).a = 1
  [1.0].a = 1
  P().twice = 1
  P().size = 1
  P().b = 1
  P.b = 1
  Q(1.0).a = 1
  Q(1.0).c = 1
  R(1.0).c = 1
  T(1, 2).a = 1
  Q()
  Q(1, 2, 3)
  Q(1, a=2)
  Q(c=1)
  R()
  R(1, 2)
  T(1)
  T(1, 2, 3)
  T(1, b=2)
  T(a=1, c=2)
  P(1, 2)
  P(b=1)
  P().scaled()
  P().scaled(1, 2)
  P.scaled(1)
  P.plain()
  P().plain(1, 2)
  P().twice()
  P().__nosuch__
  del x[5]
  del x['a']
  del x[0]
  del [1.0][0]
  del [1.0][1]
  del (1, 2)[0]
  del {}['a']
  del {'a': 1}['a']
  del nosuch
  del P().a
  del P().nosuch
  del P().size
  del P().twice
  del x.a
  nosuch
  nosuch()
  nosuch.a
  nosuch += 1
  x[0] += 'a'
  x[0] += None
  x += 1
  x += 'a'
  x += None
  x += [1.0]
  x += [1.0, 2.0, 3.0]
  x *= 'a'
  x *= 1.5
  x -= 1
  x @= 2
  s = 'a'; s += 1
  s = 'a'; s *= 2.5
  s = 'a'; s -= 'a'
  t = (1, 2); t += [3]
  t = (1, 2); t += (3,)
  t = (1, 2); t[0] += 1
  t = [1.0]; t += 1
  t = [1.0]; t += 'ab'
  t = [1.0]; t += (1, 2)
  t = [1.0]; t *= 1.5
  t = [1.0]; t -= [1.0]
  t = {1}; t += {2}
  t = {1}; t |= [2]
  t = {}; t |= {'a': 1}
  t = {}; t |= 1
  t = {}; t += {}
  t = None; t += 1
  raise
  raise 1
  raise 'a'
  raise None
  raise x
  raise P
  raise P()
  raise ValueError
  raise ValueError()
  raise ValueError('a', 1)
  raise ValueError from None
  raise ValueError from 1
  raise ValueError from KeyError
  raise ValueError from KeyError()
  raise ValueError(x[0])
  raise ValueError(nosuch)
  raise nosuch
  raise ValueError from nosuch
  raise KeyError(x)
  raise (ValueError, KeyError)
  raise [ValueError]
  raise OSError(2, 'a')
  raise OSError(1, 'a')
  raise OSError
  raise UnicodeDecodeError
  raise UnicodeDecodeError('a')
  raise NotImplemented
  raise NotImplementedError
  raise StopIteration
  raise StopIteration(1)
  raise AssertionError
  raise RecursionError
  raise OverflowError('a')
  raise FloatingPointError
  raise ZeroDivisionError
  raise Warning
  raise UserWarning('a')
  raise ImportError('a', name='b')
  raise ValueError(a=1)
  assert False
  assert 0, 'a'
  assert x[0] > 100, 'a'
  assert x[0] > 100, nosuch
  assert (False, 'a')
  assert []
  assert None
  assert P()
  assert x
  assert x[0] > -100
  import nosuch
  import math.nosuch
  from math import nosuch
  from nosuch import a
  import os.nosuch
  from math import pi
  1 / 0
  1 // 0
  1 % 0
  1.0 / 0.0
  0 ** -1
  0.0 ** -1.5
  (-8) ** 0.5
  1 / (x[0] - x[0])
  1 // (x[0] - x[0])
  1 % (x[0] - x[0])
  (x[0] - x[0]) ** -1
  10.0 ** 400
  10.0 ** (400 + x[0])
  (1e200 * 10.0) * 1e200
  2 ** 5000 * 1.0
  1 << -1
  1 << 2.0
  1 >> -1
  1.5 << 1
  x[0] << 1
  int('a')
  int('1.5')
  int('')
  int('10', 2)
  int('10', 1)
  int(10, 2)
  int(1.5, 2)
  int([1])
  int(None)
  int(1j)
  int(float('nan'))
  int(float('inf'))
  int(math.nan * x[0])
  int(x[0] * math.inf)
  float('a')
  float('')
  float('1,5')
  float(None)
  float([1.0])
  float(1j)
  float('1', 2)
  complex('a')
  complex('1', 1)
  complex(1, 'a')
  complex(None)
  bool(1, 2)
  str(1, 2)
  str(1, 2, 3, 4)
  round('a')
  round(1.5, 1.5)
  round(1.5, 'a')
  round(x[0], x[0])
  round(math.nan)
  round(math.inf)
  round(None)
  round(x)
  len(1)
  len(x[0])
  len(None)
  len(gen(3))
  len(v for v in x)
  sum(1)
  sum('ab')
  sum(['a'])
  sum([[1.0]])
  sum([[1.0]], [])
  sum(x, 'a')
  sum(x, [])
  sum(x, None)
  sum(['a'], '')
  sum(x, start='a')
  max()
  max(1)
  max([])
  max(x[0])
  max(None)
  max([], default=1)
  max(1, 2, default=1)
  max(1, 'a')
  max([1, 'a'])
  max(x, key=1)
  max(x, key=len)
  max(x, 1)
  max(1j, 2j)
  max([None, None])
  max({})
  min([], key=len)
  min(x, foo=1)
  sorted(1)
  sorted([1, 'a'])
  sorted([None, None])
  sorted([1j, 2j])
  sorted(x, 1)
  sorted(x, key=1)
  sorted(x, key=len)
  sorted(x, cmp=1)
  sorted([{}, {}])
  sorted([1, x[0], 'a'])
  [1, 'a'].sort()
  [1.0].sort(len)
  [2.0, 1.0].sort(key=len)
  range()
  range('a')
  range(1.5)
  range(x[0])
  range(None)
  range(1, 2, 0)
  range(1, 2, 3, 4)
  range(stop=3)
  enumerate()
  enumerate(1)
  enumerate(x, 1.5)
  zip(1)
  zip(x, 1)
  zip(x, strict=True)
  list(zip(x, [1.0], strict=True))
  zip(x, foo=1)
  map()
  map(len)
  map(1, x)
  map(len, 1)
  list(map(len, x))
  list(map(1, x))
  filter(len)
  filter(1, x)
  filter(len, 1)
  list(filter(len, x))
  list(filter(1, x))
  reversed(1)
  reversed({1})
  reversed(gen(2))
  reversed(zip(x))
  any(1)
  any()
  any(x, x)
  any(x[0])
  all(1)
  all(None)
  all(v for v in 1)
  any(nosuch for v in x)
  abs('a')
  abs(None)
  abs([1.0])
  abs({})
  abs()
  abs(1, 2)
  divmod(1, 0)
  divmod(1, 'a')
  divmod(1)
  divmod(x[0], x[0] - x[0])
  pow(1)
  pow(0, -1)
  pow(2, 3, 5)
  pow(2, 3, 0)
  pow(2.0, 3, 5)
  pow('a', 2)
  pow(x[0], x[1], None)
  isinstance(1)
  isinstance(1, 1)
  isinstance(1, 'a')
  isinstance(1, [int])
  isinstance(1, (int, 1))
  isinstance(1, (float, 1))
  isinstance(1, int, 1)
  isinstance(x, x)
  issubclass(1, int)
  issubclass(P, 1)
  getattr(1)
  getattr(1, 'a')
  getattr(1, 1)
  getattr(P(), 'b')
  getattr(P(), 'a', 1)
  getattr(P(), 'b', 1)
  getattr(P(), 1, 1)
  hasattr(1)
  hasattr(1, 1)
  hasattr(P(), 'b')
  hasattr(P(), 'b', 1)
  callable()
  callable(1, 2)
  next(1)
  next(x)
  next(iter([]))
  next(iter([]), 1)
  next(iter(x))
  next(iter(x), 1, 2)
  next(gen(0))
  next(v for v in x)
  next(v for v in [])
  iter(1)
  iter(None)
  tuple(1)
  list(1)
  list(1.5)
  list(None)
  list(x, x)
  list(x[0])
  set(1)
  set([[]])
  set([{}])
  set(x, x)
  frozenset(1)
  dict(1)
  dict([1])
  dict([(1,)])
  dict([(1, 2, 3)])
  dict(['ab'])
  dict(x)
  dict(x, x)
  dict(a=1)
  dict({}, **{'a': 1})
  dict(**{1: 2})
  k(**{1: 2})
  k(*1)
  k(**x)
  k(**None)
  k(*None)
  k(a=1, **{'a': 2})
  g()
  g(1, 2, 3)
  g(1, d=1)
  g(1, a=1)
  g(c=1)
  g('a')
  g(None)
  g(*x, *x)
  h(a=1, b=2)
  h(1)
  h(1, 2, 3)
  h(1, b='a')
  h(None, b=None)
  (lambda: 1)(1)
  (lambda a: a)()
  (lambda a, *, b: a)(1)
  (lambda a, *, b: a)(1, 2)
  'a' + 1
  'a' % 1
  '%d' % 'a'
  '%d' % x[0]
  '%d %d' % (1,)
  '%s' % (1, 2)
  '%q' % 1
  '%(a)s' % 1
  '%(a)s' % {}
  f'{1:q}'
  f'{x[0]:q}'
  f'{x[0]:d}'
  f'{x[0]:.2f}'
  f'{"a":.2f}'
  f'{nosuch}'
  f'{None:.2f}'
  f'{[1.0]:.2f}'
  '{}'.format()
  '{} {}'.format(1)
  '{a}'.format(b=1)
  '{0}'.format(x)
  '{:d}'.format(x[0])
  '{:.2f}'.format('a')
  '{0.a}'.format(1)
  ','.join(x)
  ','.join([1])
  ','.join(1)
  'a'.split('')
  'a'.index('b')
  'a'.split(1)
  'a'.replace('a')
  'a' in 1
  1 in 'a'
  1 in 1
  1 in x[0]
  1 in None
  [] in {1}
  [] in {}
  x in {}
  1 < 'a'
  1 < None
  x[0] < 'a'
  x[0] < None
  None < None
  [1] < 1
  [1] < ['a']
  (1, 'a') < (1, 2)
  (1, 'a') < (2, 2)
  {} < {}
  1j < 2j
  P() < P()
  P() == P()
  P() + 1
  1 + P()
  -P()
  -'a'
  -None
  -[1.0]
  ~1.5
  ~x[0]
  ~'a'
  not P()
  +'a'
  +{}
  x + 1
  x + None
  x * 1.5
  x * x
  x / 2
  x - x
  x ** 2
  x + (1, 2)
  x @ x
  1 @ 2
  x[0] @ 1
  x @ 2
  {} + {}
  {} | {}
  {1} + {1}
  {1} | [1]
  None + 1
  None is 1
  ... + 1
  math + 1
  len + 1
  len < len
  len == len
  with 1: pass
  with x: pass
  with P(): pass
  with nosuch: pass
  global_name
  math.nosuch
  math.nosuch()
  math.sqrt(-1)
  math.sqrt(-1 - abs(x[0]))
  math.log(0)
  math.log(-1)
  math.log(0 * x[0])
  math.log(2, 1)
  math.log(2, 0)
  math.log(1, x[0] - x[0])
  math.exp(1000)
  math.exp(1000 + x[0])
  math.acos(2)
  math.acos(5 + abs(x[0]))
  math.sin(math.inf)
  math.sin(x[0] * math.inf)
  math.pow(0, -1)
  math.pow(-8, 0.5)
  math.pow(10, 400)
  math.pow(x[0] - x[0], -1)
  math.fmod(1, 0)
  math.fmod(x[0], 0)
  math.factorial(-1)
  math.factorial(1.5)
  math.factorial(x[0])
  math.comb(1)
  math.comb(-1, 2)
  math.comb(1.5, 2)
  math.perm(-1)
  math.gcd(1.5)
  math.gcd('a')
  math.gcd(x[0], 2)
  math.isqrt(-1)
  math.isqrt(1.5)
  math.floor('a')
  math.floor(math.nan)
  math.floor(math.inf)
  math.floor(x[0] * math.inf)
  math.floor(None)
  math.floor(1j)
  math.trunc('a')
  math.hypot('a')
  math.hypot(x)
  math.dist(x, 1)
  math.dist(x, [1.0])
  math.dist(1, 2)
  math.fsum(1)
  math.fsum(['a'])
  math.fsum(x[0])
  math.prod(1)
  math.prod(['a', 'b'])
  math.prod(x, start='a')
  math.isclose(1)
  math.isclose(1, 2, rel_tol=-1)
  math.isclose(1, 2, 3)
  math.ldexp(1.0, 1.5)
  math.ldexp(1.0, 5000)
  math.gamma(0)
  math.gamma(-1)
  math.gamma(500)
  math.lgamma(0)
  math.atanh(1)
  math.atanh(x[0] - x[0] + 1)
  math.acosh(0)
  math.cosh(1000)
  math.tan(math.inf)
  math.remainder(1, 0)
  math.pi()
  saved = math.pi; math.pi = 3; math.pi = saved
  saved = math.sqrt; math.sqrt = 3; math.sqrt = saved
  math.nosuch = 3; del math.nosuch
  math.sqrt(x)
  math.sqrt('4')
  math.sqrt(None)
  math.sqrt([4.0])
  math.sqrt(1j)
  math.sqrt(4, 2)
  math.sqrt(x=4)
  try:\n    1 / 0\nexcept nosuch:\n    pass
  try:\n    1 / 0\nexcept 1:\n    pass
  try:\n    1 / 0\nexcept (ValueError, 1):\n    pass
  try:\n    1 / 0\nexcept 'ZeroDivisionError':\n    pass
  try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise
  try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError from e
  try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise e
  try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    pass\ne
  try:\n    1 / 0\nfinally:\n    [][0]
  try:\n    1 / 0\nfinally:\n    x[0] + 1
  try:\n    1 / 0\nexcept ValueError:\n    pass\nfinally:\n    {}['a']
  try:\n    x[0]\nelse:\n    pass
  try:\n    x[0]\nexcept ValueError:\n    pass\nelse:\n    [].pop()
  for v in x:\n    try:\n        1 / 0\n    finally:\n        break
  for v in x:\n    try:\n        1 / 0\n    finally:\n        continue
  while True:\n    try:\n        [][0]\n    finally:\n        break
  if x[0] > 0:\n    y = 1.0\ny
  if x[0] > 0:\n    del math
  for v in []:\n    pass\nv
  match 1:\n    case 2:\n        pass\nnosuch
  match x:\n    case [a, b, c]:\n        pass\na
  match P():\n    case P(1):\n        pass
  match 1:\n    case int(1, 2):\n        pass
  def inner():\n    return y\ninner()\ny = 1.0
  def inner(v):\n    return v.nosuch\ninner(x)
  def inner():\n    yield 1 / 0\nlist(inner())
  def inner():\n    yield 1 / 0\nnext(inner())
  def inner():\n    yield 1 / 0\ninner()
  def inner():\n    raise StopIteration\n    yield 1\nlist(inner())
  def inner(n):\n    return inner(n + 1)\ninner(0)
  def inner(n=nosuch):\n    return n
  class A(1): pass
  class A(nosuch): pass
  class A(P, P): pass
  class A:\n    y = 1 / 0
  class A:\n    y = nosuch
  class A:\n    def __new__(cls):\n        raise KeyError\nA()
  class A:\n    def __getattr__(self, name):\n        raise KeyError(name)\nA().a
  class A:\n    def __getattr__(self, name):\n        return 1.0\nA().a
  class A:\n    def __setattr__(self, name, value):\n        raise KeyError(name)\nA().a = 1
  class A:\n    def __getattribute__(self, name):\n        raise KeyError(name)\nA().a
  class A:\n    def __bool__(self):\n        return 1\nbool(A())
  class A:\n    def __bool__(self):\n        raise KeyError\nif A(): pass
  class A:\n    def __len__(self):\n        return -1\nlen(A())
  class A:\n    def __len__(self):\n        return 'a'\nlen(A())
  class A:\n    def __len__(self):\n        return 1.5\nbool(A())
  class A:\n    def __eq__(self, other):\n        raise KeyError\nA() == 1
  class A:\n    def __eq__(self, other):\n        raise KeyError\nA() in [1, 2]
  class A:\n    def __add__(self, other):\n        return NotImplemented\nA() + 1
  class A:\n    def __call__(self):\n        return 1\nA()(1)
  class A:\n    def __init__(self):\n        return 1\nA()
  class A:\n    def __init__(self, a):\n        self.a = a\nA()
  class A:\n    def __iter__(self):\n        return 1\nlist(A())
  class A:\n    def __getitem__(self, k):\n        raise KeyError\nA()[0]
  class A:\n    def __getitem__(self, k):\n        raise IndexError\nlist(A())
  class A:\n    def __contains__(self, k):\n        raise KeyError\n1 in A()
  class A:\n    def __float__(self):\n        return 'a'\nfloat(A())
  class A:\n    def __index__(self):\n        return 'a'\n[1.0][A()]
  class A:\n    def __enter__(self):\n        raise KeyError\n    def __exit__(self, *a):\n        return True\nwith A(): pass
  class A:\n    def __enter__(self):\n        return self\n    def __exit__(self, *a):\n        return True\nwith A():\n    1 / 0
  class A:\n    def __enter__(self):\n        return self\n    def __exit__(self, *a):\n        return False\nwith A():\n    1 / 0
  class A:\n    __slots__ = ('a',)\nA().b = 1
  class A:\n    @property\n    def a(self):\n        raise KeyError\nA().a
  class A:\n    @property\n    def a(self):\n        raise AttributeError\ngetattr(A(), 'a', 1)
  class A:\n    @property\n    def a(self):\n        return 1\nA().a = 2
  class A:\n    @property\n    def a(self):\n        return 1\nA().a += 2
  class A(ValueError): pass\nraise A
  class A(ValueError): pass\nraise A(1, 2)
  class A(ValueError):\n    def __init__(self, a):\n        pass\nraise A
  class A(KeyError, ValueError): pass\nraise A()
  class A(P):\n    def __init__(self):\n        super().__init__(1, 2)\nA()
  class A(P):\n    def __init__(self):\n        pass\nA().a
  class A(P):\n    def m(self):\n        return super().nosuch\nA().m()
  import builtins\nsaved = abs\nbuiltins.abs = len\ntry:\n    abs(1)\nfinally:\n    builtins.abs = saved
  import operator as o\no.add(1, 'a')
  functools.reduce(operator.add, [])
  functools.reduce(operator.add, [1, 'a'])
  functools.reduce(1, [1, 2])
  functools.reduce(1, [1])
  functools.partial(1)
  functools.partial(g, 1, 2)(3)
  functools.partial(g, a=1)(1)
  list(itertools.islice(x, -1))
  list(itertools.islice(x, 1.5))
  list(itertools.combinations(x, -1))
  list(itertools.combinations(x, 'a'))
  list(itertools.product(1))
  list(itertools.repeat(1, 'a'))
  statistics.mean([])
  statistics.stdev([1.0])
  statistics.mean(1)
  statistics.median([])
  statistics.median([1, 'a'])
  statistics.mean(['a'])
  statistics.mode([])
  filter(len, x)
  itertools.chain(1)
  itertools.chain(-5)
  itertools.islice(1, 'a')
  itertools.starmap(x, x)
  itertools.starmap(len, x)
  operator.itemgetter()
  operator.attrgetter()
  [1.0].append()
  [1.0].insert(1)
  [1.0].insert(-5)
  [1.0].remove(x, 1)
  [1.0].remove(1, 2, 3)
  [1.0].remove(1, 2, 3, 4, 5)
  [1.0].remove(*[1, 2])
  [1.0].index(1, 2, 3, 4)
  (1,2).index(1, 2, 3, 4)
  x.index(1, 2, 3, 4, 5)
  range(3).index(x, 1)
  range(3).index(x, 1, 2)
  range(3).index(1, 2, 3, 4, 5)
  range(3).index(*[1, 2])
  1 @ 1j
  1 * range(3)
  True @ 1j
  True * range(3)
  x | range(3)
  x >> range(3)
  1j @ 1j
  1j @ int(x[0])
  range(3) & x
  range(3) << x
  range(3) + range(3)
  range(3) + T(1, 2)
  int(x[0]) @ 1j
  try:\n    1 / 0\nexcept (IndexError, (TypeError, ZeroDivisionError)):\n    pass
  try:\n    1 / 0\nexcept (ZeroDivisionError, (TypeError, 1)):\n    pass
`);

const NUMPY_OTHERS = lines(String.raw`
  x @ 2
  2 @ x
  x @ 2.0
  x @ x[0]
  np.float64(2) @ 3
  x @ np.ones(3)
  x @ np.ones((3, 2))
  np.ones((2, 3)) @ np.ones((2, 3))
  x @ None
  x @ 'a'
  np.array(2.0) @ x
  np.sum(x @ 2)
  np.matmul(x, 2)
  np.matmul(2, x)
  np.dot(x, np.ones(3))
  np.dot(x)
  np.dot(x, x, x, x)
  np.inner(x, np.ones(3))
  np.outer(x)
  np.outer()
  np.outer(x, x, x, x)
  np.cross(x, np.ones(4))
  np.cross(np.ones(4), np.ones(4))
  np.kron(x)
  x + np.ones(3)
  x + np.ones((3, 2))
  x < np.ones(3)
  x == np.ones(3)
  x += np.ones(3)
  x += 1j
  x -= np.ones((2, 2))
  x &= 1
  x | 1
  x & True
  ~x
  -(x > 1)
  (x > 1) - (x > 0)
  x << 1
  x % 0
  x // 0
  x / 0
  x[0] / 0
  x[0] // 0
  x[0] % 0
  x ** -1
  np.int64(2) ** -1
  np.arange(3) ** -1
  np.array([1, 2]) ** -1
  2 ** np.int64(-1)
  np.power(2, -1)
  np.power(np.array([2]), -1)
  if x: pass
  if x > 1: pass
  if x == x: pass
  if np.array([]): pass
  if np.ones(1): pass
  if not x: pass
  bool(x)
  x and 1
  x or 1
  assert x > 1
  1.0 if x else 2.0
  while x: break
  1 < x < 2
  x in [1.0]
  x in [x]
  [x].index(x)
  [x, x].index(x[0])
  [1.0, 2.0].index(x)
  x == None
  x in x
  max(x, x)
  max([x, x])
  min(x, 1)
  sorted([x, x])
  sorted(np.ones((2, 2)))
  max(np.ones((2, 2)))
  abs(x, x)
  round(x, 'a')
  round(x, 1.5)
  float(x)
  int(x)
  complex(x)
  float(np.ones((1, 1)))
  float(np.array([]))
  int(np.array([1.5]))
  int(x[0] * np.nan)
  int(np.inf)
  round(np.nan)
  round(x[0] * np.inf)
  math.sqrt(x)
  math.sqrt(np.array([4.0]))
  math.floor(x)
  math.floor(x[0] * np.nan)
  math.trunc(np.int64)
  math.sin(np)
  len(x[0])
  len(np.float64(1))
  len(np.array(1.0))
  len(np)
  list(x[0])
  list(np.array(1.0))
  sum(x[0])
  sum(np.array(1.0))
  sum(x, x, x)
  sum(np.ones((2, 2)), [])
  sum(x, np.ones(3))
  range(x[0])
  range(x)
  range(np.int64(3))
  range(np.float64(3))
  [1.0][np.int64(0)]
  [1.0][np.float64(0)]
  [1.0][np.bool_(0)]
  [1.0][np.bool]
  [1.0][x]
  [1.0][x > 1]
  [1.0][np.array(0)]
  [1.0][np.array([0])]
  (1, 2)[np.bool_(1)]
  (1, 2)[x > 1]
  (1, 2)[x[0] > 1]
  [1.0] * np.int64(2)
  [1.0] * np.float64(2)
  [1.0] * x
  [1.0] + x
  [1.0, 2.0, 3.0] + x
  (1, 2) + x
  'a' * np.int64(2)
  'a' + x
  {x[0]: 1}
  {x: 1}
  {x}
  {x[0]}[0]
  {1.5: 1}[x[0]]
  x[5]
  x[-3]
  x['a']
  x[1.0]
  x[x]
  x[x[0]]
  x[None]
  x[0, 0]
  x[0][0]
  x[..., 0]
  x[[0, 5]]
  x[[0.5]]
  x[[]]
  x[np.array([0, 5])]
  x[np.array([0.0])]
  x[np.array([True, False, True])]
  x[np.ones(3) > 0]
  x[(0, 1)]
  x[[[0]]]
  x[::0]
  x[1.5:]
  x[int(x[0])]
  x[True]
  x[np.int64(1)]
  x[np.int64(7)]
  x[np.float64(1)]
  np.ones((2, 3))[2]
  np.ones((2, 3))[0, 3]
  np.ones((2, 3))[0, 0, 0]
  np.ones((2, 3))[:, 3]
  np.ones((2, 3))[[0, 1], [0, 1, 2]]
  np.ones((2, 3))[np.ones((2, 2)) > 0]
  np.ones((2, 3))[None, 0, 5]
  np.array(1.0)[0]
  np.array(1.0)[()]
  np.array(1.0)[...]
  x[5] = 1
  x['a'] = 1
  x[0] = 'a'
  x[0] = None
  x[0] = [1.0]
  x[0] = [1.0, 2.0]
  x[0] = x
  x[0] = 1j
  x[0] = {}
  x[0] = '1.5'
  x[:] = 1
  x[:] = [1.0]
  x[:] = [1.0, 2.0, 3.0]
  x[:] = None
  x[:] = 'a'
  x[x > 0] = [1.0, 2.0, 3.0]
  x[[0, 5]] = 1
  x[0, 0] = 1
  x[1.0] = 1
  x[np.ones(3) > 0] = 1
  x[0][0] = 1
  x[0].a = 1
  x.a = 1
  x.shape = 3
  x.shape = (2, 1)
  x.shape = (3, 1)
  x.flat = 1
  x.T = 1
  x.size = 1
  x.real = 1
  np.arange(3)[0] = 1.5
  np.arange(3)[0] = np.nan
  np.arange(3)[0] = 'a'
  np.arange(3)[0] = None
  a = np.arange(3); a += 1.5
  a = np.arange(3); a /= 2
  a = np.arange(3); a *= 2
  a = np.arange(3); a **= -1
  a = np.ones(3) > 0; a += 1
  a = np.ones(3) > 0; a -= True
  a = np.ones((2, 3)); a += np.ones(2)
  a = np.ones((2, 3)); a += np.ones((2, 2, 3))
  a = np.ones((2, 3)); a[0] = np.ones(2)
  a = np.ones((2, 3)); a[2] = 1
  a = np.ones((2, 3)); a[0, 5] = 1
  a = np.ones((2, 3)); a[:, 0] = np.ones(3)
  a = np.ones((2, 3)); a @= np.ones((3, 3))
  del x[0]
  del x
  del np
  saved = np.pi; np.pi = 3; np.pi = saved
  saved = np.sqrt; np.sqrt = 3; np.sqrt = saved
  np.nosuch = 3; del np.nosuch
  saved = np.linalg.norm; np.linalg.norm = 3; np.linalg.norm = saved
  np.nosuch
  np.nosuch.a
  np.linalg.nosuch
  np.random.nosuch
  np.sin.nosuch
  np.pi()
  np()
  np.linalg()
  np.sin
  np.sin()
  np.sin(1, 2, 3)
  np.sin('a')
  np.sin(None)
  np.sin([None])
  np.sin({})
  np.sin(x, x)
  np.sin(x, out=1)
  np.sin(x, out=np.ones(3))
  np.sin(x, where=None)
  np.sin(x, bogus=1)
  np.sin(x, axis=0)
  np.sin(x, dtype=float)
  np.sin(x, dtype=int)
  np.sqrt(-1)
  np.sqrt(-1j)
  np.log(0)
  np.log('1')
  np.add(x)
  np.add(x, x, x, x)
  np.add(x, np.ones(3))
  np.add(x, 'a')
  np.add(x, None)
  np.maximum(x)
  np.maximum(x, np.ones(3))
  np.maximum(x, None)
  np.max([])
  np.max(np.array([]))
  np.min([])
  np.min([], initial=1.0)
  np.max([], axis=0)
  np.max(x, axis=1)
  np.max(x, 1)
  np.max(x[0], axis=0)
  np.max(x, initial='a')
  np.max('a')
  np.max(None)
  np.max([None, 1])
  np.max([[1.0, 2.0], [3.0]])
  np.max(np.array([1, 2]), initial=2.5)
  np.argmax([])
  np.argmax(x, axis=1)
  np.argmax(x[0])
  np.argmax(x[0], axis=0)
  np.argmin(np.array([]))
  np.sum()
  np.sum(x, x)
  np.sum(x, axis=1)
  np.sum(x, axis=(0, 1))
  np.sum(x, axis=(0, 0))
  np.sum(x, axis=1.0)
  np.sum(x, axis='a')
  np.sum(x, axis=x)
  np.sum(x[0], axis=0)
  np.sum(x[0], axis=1)
  np.sum(1.0, axis=0)
  np.sum(1.0, axis=-1)
  np.sum(1.0, axis=-2)
  np.sum('a')
  np.sum(['a'])
  np.sum(None)
  np.sum([None])
  np.sum({})
  np.sum({1.0})
  np.sum(v for v in x)
  np.sum(x, foo=1)
  np.sum(x, initial='a')
  np.sum(x, where=x)
  np.sum(x, where=x > 1)
  np.sum(x, keepdims='a')
  np.sum(x, dtype='foo')
  np.sum(x, out=1)
  np.sum(np.array([1, 2]), initial=2.5)
  np.prod(np.array([1, 2]), initial=2.5)
  np.prod(x, axis=1)
  np.mean([])
  np.mean(x, axis=1)
  np.mean('a')
  np.mean(None)
  np.mean(x, axis=None, dtype=None, out=None, keepdims=False)
  np.std(x, ddof='a')
  np.std(x, ddof=5)
  np.std(x, axis=2)
  np.var()
  np.median([])
  np.median('a')
  np.median(x, axis=1)
  np.percentile(x)
  np.percentile(x, 101)
  np.percentile(x, -1)
  np.percentile(x, 'a')
  np.percentile(x, 50, interpolation='foo')
  np.quantile(x, 2)
  np.quantile(x, 0.5, method='foo')
  np.quantile([], 0.5)
  np.any(x, axis=1)
  np.all(x, axis=-2)
  np.cumsum(x, axis=1)
  np.cumsum(x[0], axis=0)
  np.cumsum(x[0], axis=1)
  np.cumprod(x, axis=-2)
  np.diff(x, n=-1)
  np.diff(x, n=5)
  np.diff(x, axis=1)
  np.diff(1.0)
  np.diff(x, n='a')
  np.sort(x, axis=1)
  np.sort(1.0)
  np.sort(x, kind='foo')
  np.argsort(x, axis=1)
  np.argsort(1.0)
  np.argsort(x, kind=None)
  np.partition(x, 5)
  np.argpartition(x, 5)
  np.unique(x, axis=1)
  np.unique(None)
  np.clip(x)
  np.clip(x, 1)
  np.clip(x, None, None)
  np.clip(x, 0, 'a')
  np.clip(x, 0, np.ones(3))
  np.clip(x, a_min=0)
  np.clip(x, 0, 1, 2, 3)
  np.where(x)
  np.where(x > 1, x)
  np.where(x > 1, x, np.ones(3))
  np.where(x > 1, 'a', 1)
  np.where(x > 1, None, 1)
  np.where()
  np.where(x, x, x, x)
  np.select([x > 1], [x, x])
  np.select([], [])
  np.select(x > 1, x)
  np.select([x], [x])
  np.piecewise(x, [x > 1], [1, 2, 3])
  np.piecewise(x, [x > 1], [])
  np.interp(x, [1.0], [1.0, 2.0])
  np.interp(x, [], [])
  np.interp(x, 1.0, 1.0)
  np.interp(x)
  np.concatenate([])
  np.concatenate(())
  np.concatenate(x)
  np.concatenate(1)
  np.concatenate([1, 2])
  np.concatenate([x, 1])
  np.concatenate([x, np.ones((2, 2))])
  np.concatenate([x, x], axis=1)
  np.concatenate([x, x], axis=-2)
  np.concatenate([x, x], axis=None)
  np.concatenate([x, x], 1)
  np.concatenate([np.ones((2, 3)), np.ones((2, 2))])
  np.concatenate([np.ones((2, 3)), np.ones((2, 2))], axis=1)
  np.concatenate(x, x)
  np.concatenate((x, x), foo=1)
  np.hstack([])
  np.hstack(())
  np.hstack(1)
  np.hstack(x)
  np.hstack([x, np.ones((2, 2))])
  np.hstack((x, 1.0))
  np.hstack(x, x)
  np.vstack([])
  np.vstack([x, np.ones(3)])
  np.vstack(1)
  np.vstack(x)
  np.stack([])
  np.stack([x, np.ones(3)])
  np.stack([x, x], axis=2)
  np.stack([x, x], axis=1)
  np.stack([x, x], axis=-3)
  np.stack(1)
  np.stack(x, x)
  np.dstack([])
  np.column_stack([])
  np.column_stack([x, np.ones(3)])
  np.column_stack(1)
  np.block([])
  np.block([[x], x])
  np.append(x)
  np.append(x, 1, axis=0)
  np.append(x, x, axis=1)
  np.append(x, x, x, x)
  np.insert(x, 5, 1)
  np.insert(x, 'a', 1)
  np.insert(x)
  np.delete(x, 5)
  np.delete(x)
  np.delete(x, 'a')
  np.split(x, 3)
  np.split(x, 0)
  np.split(x, 'a')
  np.split(x, 2, axis=1)
  np.array_split(x, 0)
  np.reshape(x, 3)
  np.reshape(x, (3, 1))
  np.reshape(x, (-1, -1))
  np.reshape(x, (-1, 3))
  np.reshape(x, 'a')
  np.reshape(x, 1.5)
  np.reshape(x)
  np.reshape(x, None)
  x.reshape()
  x.reshape(3)
  x.reshape(2, 2)
  x.reshape(-1, -1)
  x.reshape((2, 1), 1)
  x.reshape('a')
  x.reshape(2, order='X')
  x.reshape(2, order='F')
  np.expand_dims(x, 5)
  np.expand_dims(x, -3)
  np.expand_dims(x, -2)
  np.expand_dims(x, 'a')
  np.expand_dims(x)
  np.expand_dims(x[0], 0)
  np.expand_dims(x[0], 1)
  np.squeeze(x, axis=0)
  np.squeeze(x, axis=3)
  np.squeeze(x, 0)
  np.squeeze(np.ones((1, 2)), 0)
  np.transpose(x, (0, 1))
  np.transpose(np.ones((2, 3)), (0, 0))
  np.transpose(np.ones((2, 3)), (0, 2))
  np.transpose(np.ones((2, 3)), (0,))
  np.swapaxes(x, 0, 1)
  np.moveaxis(x, 0, 1)
  np.moveaxis(x, 0, 0)
  np.rollaxis(x, 1)
  np.roll(x, 'a')
  np.roll(x, 1, axis=1)
  np.roll(x)
  np.roll(x, 1.5)
  np.flip(x, 1)
  np.flipud(x[0])
  np.fliplr(x)
  np.rot90(x)
  np.repeat(x)
  np.repeat(x, -1)
  np.repeat(x, [1, 2, 3])
  np.repeat(x, 1.5)
  np.repeat(x, 2, axis=1)
  np.tile(x)
  np.tile(x, -1)
  np.tile(x, 1.5)
  np.take(x, 5)
  np.take(x, [0, 5])
  np.take(x, 1.5)
  np.take(x, 0, axis=1)
  np.diag(np.ones((2, 2, 2)))
  np.diag(1.0)
  np.diag(x, 'a')
  np.diagonal(x)
  np.trace(x)
  np.trace(1.0)
  np.tril(1.0)
  np.tril(x)
  np.triu(1.0)
  np.eye('a')
  np.eye(-1)
  np.eye(1.5)
  np.eye(2, k='a')
  np.eye()
  np.identity('a')
  np.identity(2.5)
  np.zeros(-1)
  np.zeros('a')
  np.zeros(1.5)
  np.zeros(x)
  np.zeros(x[0])
  np.zeros((2, -1))
  np.zeros((2, 1.5))
  np.zeros(2, 3)
  np.zeros(2, 'foo')
  np.zeros(2, dtype=int)
  np.zeros(2, dtype='float')
  np.zeros()
  np.zeros(None)
  np.zeros([])
  np.zeros(np.int64(2))
  np.zeros(2, foo=1)
  np.ones(-1)
  np.ones(2.0)
  np.full(2)
  np.full(2, [1, 2, 3])
  np.full('a', 1)
  np.full(2, 'a')
  np.full(2, None)
  np.zeros_like()
  np.zeros_like(None)
  np.zeros_like('a')
  np.full_like(x)
  np.full_like(x, np.ones(3))
  np.arange()
  np.arange('a')
  np.arange(1, 2, 0)
  np.arange(None)
  np.arange(x)
  np.arange(1, 2, 3, 4, 5)
  np.arange(0, 1, 'a')
  np.arange(np.inf)
  np.linspace(0)
  np.linspace(0, 1, -1)
  np.linspace(0, 1, 1.5)
  np.linspace(0, 1, 'a')
  np.linspace('a', 1)
  np.linspace(0, 1, 3, foo=1)
  np.linspace(0, 1, 0)
  np.linspace(0, 1, num=3, endpoint=False)
  np.logspace(0, 1, -1)
  np.meshgrid(x, foo=1)
  np.meshgrid(x, x, indexing='foo')
  np.array()
  np.array(1, 2)
  np.array([1, [2]])
  np.array([[1, 2], [3]])
  np.array([x, 1])
  np.array([x, np.ones(3)])
  np.array(['a'])
  np.array([None])
  np.array(x, dtype='foo')
  np.array(x, foo=1)
  np.array([x[0], 'a'])
  np.array({})
  np.array(x, dtype=int)
  np.array(['a'], dtype=float)
  np.array(None, dtype=float)
  np.array([1j], dtype=float)
  np.array([np.nan], dtype=int)
  np.asarray('a', dtype=float)
  np.asarray([[1.0], 2.0])
  np.asarray(x, float)
  np.asarray([x, x])
  np.float64('a')
  np.float64('1.5')
  np.float64(None)
  np.float64([1.0, 2.0])
  np.float64(1j)
  np.float64(1, 2)
  np.float64()
  np.int64('a')
  np.int64(1.5)
  np.int64(np.nan)
  np.int64(None)
  np.int64(x)
  np.bool_()
  np.polyval(x)
  np.polyval([], 1)
  np.polyval('a', 1)
  np.polyfit(x, np.ones(3), 1)
  np.polyfit(x, x, -1)
  np.polyfit(x, x, 'a')
  np.polyfit([], [], 1)
  np.convolve(x, [])
  np.convolve([], x)
  np.convolve(x, x, 'foo')
  np.gradient(x[:1])
  np.gradient(x, axis=1)
  np.gradient(1.0)
  np.average(x, weights=np.ones(3))
  np.average(x, weights=np.zeros(2))
  np.average(x, weights=[1.0])
  np.average(x, axis=1)
  np.average(x, weights='a')
  np.cov(x, np.ones(3))
  np.searchsorted(x, 'a')
  np.searchsorted(x, 1, side='foo')
  np.digitize(x, [2.0, 1.0, 3.0])
  np.digitize(x, np.ones((2, 2)))
  np.bincount(x)
  np.bincount([-1])
  np.bincount(['a'])
  np.bincount([[1]])
  np.histogram(x, bins=0)
  np.histogram(x, bins='foo')
  np.histogram(x, bins=[2.0, 1.0])
  np.einsum('ij,j', x, x)
  np.einsum('i,i', x, np.ones(3))
  np.einsum('i,j->k', x, x)
  np.einsum('i,i', x)
  np.einsum(x)
  np.einsum('i->ii', x)
  np.tensordot(x, np.ones(3), 1)
  np.tensordot(x, x)
  np.tensordot(x, x, axes=0)
  np.broadcast_to(x, 3)
  np.broadcast_to(x, (2, 3))
  np.broadcast_to(x, -1)
  np.fill_diagonal(x, 1)
  np.fill_diagonal(np.ones((2, 2)), None)
  np.copyto(x, np.ones(3))
  np.copyto(1, x)
  np.copyto(x, 'a')
  np.put(x, 5, 1)
  np.put(x, 0, 'a')
  np.vectorize(1)
  np.vectorize(len)(x)
  np.vectorize(lambda v: v)()
  np.apply_along_axis(len, 1, x)
  np.apply_along_axis(np.sum, 0, x)
  np.apply_along_axis(1, 0, x)
  np.nonzero(x[0])
  np.nonzero()
  np.isnan('a')
  np.isnan(None)
  np.isnan([None])
  np.isnan(x, 1)
  np.isfinite({})
  np.isclose(x)
  np.isclose(x, np.ones(3))
  np.isclose(x, 'a')
  np.allclose(x, np.ones(3))
  np.allclose(x, None)
  np.array_equal(x)
  np.array_equal(x, np.ones(3))
  np.logical_and(x)
  np.logical_and(x, np.ones(3))
  np.logical_not(None)
  np.bitwise_and(x, 1)
  np.add.reduce()
  np.add.reduce(x, axis=1)
  np.add.reduce([])
  np.maximum.reduce([])
  np.maximum.reduce([x, np.ones(3)])
  np.maximum.reduce(1)
  np.add.accumulate(1.0)
  np.add.accumulate(x, axis=1)
  np.add.outer(x)
  np.add.at(x, 5, 1)
  np.add.at(x, 'a', 1)
  np.sin.reduce(x)
  np.linalg.norm()
  np.linalg.norm('a')
  np.linalg.norm(None)
  np.linalg.norm(x, axis=1)
  np.linalg.norm(x, ord='foo')
  np.linalg.norm(x, ord='fro')
  np.linalg.norm(x, 'nuc')
  np.linalg.norm(x[0])
  np.linalg.norm(x[0], axis=0)
  np.linalg.norm(1.0, axis=0)
  np.linalg.norm(np.ones((2, 3)), ord=3)
  np.linalg.norm(np.ones((2, 2, 2)), ord=2)
  np.linalg.norm(x, foo=1)
  np.linalg.norm([])
  np.linalg.norm(x, np.inf)
  np.linalg.norm([], np.inf)
  np.linalg.inv(x)
  np.linalg.inv(1.0)
  np.linalg.inv(np.ones((2, 3)))
  np.linalg.inv(np.ones((2, 2)))
  np.linalg.inv(np.zeros((2, 2)))
  np.linalg.inv('a')
  np.linalg.inv([[x[0], x[0]], [x[0], x[0]]])
  np.linalg.solve(np.ones((2, 2)), x)
  np.linalg.solve(np.zeros((2, 2)), x)
  np.linalg.solve(np.eye(2), np.ones(3))
  np.linalg.solve(np.eye(2))
  np.linalg.solve(x, x)
  np.linalg.solve(np.ones((2, 3)), x)
  np.linalg.det(x)
  np.linalg.det(np.ones((2, 3)))
  np.linalg.det(1.0)
  np.linalg.det([])
  np.linalg.cholesky(np.zeros((2, 2)))
  np.linalg.cholesky(-np.eye(2))
  np.linalg.cholesky(x)
  np.linalg.matrix_power(np.ones((2, 2)), 'a')
  np.linalg.matrix_power(np.ones((2, 2)), -1)
  np.linalg.matrix_power(np.ones((2, 3)), 2)
  np.linalg.matrix_power(x, 2)
  np.linalg.matrix_power(np.eye(2), 1.5)
  np.linalg.eigvalsh(x)
  np.finfo(1)
  np.finfo(int)
  np.finfo('a')
  np.finfo(float).eps
  np.finfo(float).foo
  np.finfo()
  np.iinfo(float)
  np.newaxis()
  np.ndarray()
  np.errstate(foo=1)
  np.seterr(foo=1)
  x.nosuch
  x.nosuch()
  x.append(1)
  x.sum(1)
  x.sum(axis=1)
  x.sum(0, 1, 2, 3, 4, 5, 6)
  x.sum(foo=1)
  x.sum('a')
  x.mean(axis=1)
  x.mean(1)
  x.std(axis=1)
  x.var(ddof='a')
  x.max(1)
  x.max(x)
  x.max(initial=None)
  x.min(axis=-2)
  x.argmax(1)
  x.argmax(axis=0, foo=1)
  x.any(1)
  x.all(axis=1)
  x.cumsum(1)
  x.cumsum(axis=1)
  x.dot()
  x.dot(np.ones(3))
  x.dot(x, x, x)
  x.dot('a')
  x.clip()
  x.clip('a')
  x.clip(0)
  x.clip(0, 1, 2, 3)
  x.clip(min=0, foo=1)
  x.round('a')
  x.round(1.5)
  x.round(foo=1)
  x.copy('X')
  x.copy(1, 2)
  x.copy(foo=1)
  x.flatten('X')
  x.flatten(1)
  x.ravel('X')
  x.ravel(1, 2)
  x.transpose(0, 1)
  x.transpose(1)
  x.transpose('a')
  x.T()
  x.shape()
  x.shape[1]
  x.shape.a
  x.size()
  x.astype()
  x.astype('foo')
  x.astype(1)
  x.astype(None)
  x.astype(int)
  x.astype(float, foo=1)
  x.astype(float, copy=False)
  x.tolist(1)
  x.item()
  x.item(5)
  x.item('a')
  x.item(0)
  x.item(0, 0)
  x.fill()
  x.fill('a')
  x.fill(None)
  x.fill(x)
  x.fill(1, 2)
  x.fill([1.0])
  x.sort(1)
  x.sort(axis=1)
  x.sort(foo=1)
  x.sort(kind='foo')
  x.argsort(1)
  x.partition(5)
  x.repeat()
  x.repeat('a')
  x.take()
  x.take(5)
  x.swapaxes(0, 1)
  x.swapaxes()
  x.squeeze(0)
  x.diagonal()
  x.trace()
  x.nonzero(1)
  x.searchsorted()
  x.compress()
  x.compress([True, True, True])
  x.ptp(1)
  x.prod(axis=1)
  x.view('foo')
  x.view(float)
  x.view(1, 2, 3)
  x.conj(1, 2)
  x.conjugate(1)
  x[0].sum(axis=0)
  x[0].sum(1)
  x[0].nosuch
  x[0].mean(axis=0)
  x[0].max(axis=-1)
  x[0].round('a')
  x[0].round(1, 2)
  x[0].item(0)
  x[0].item(1)
  x[0].item('a')
  x[0].copy(1)
  x[0].astype('foo')
  x[0].astype()
  x[0].reshape(2)
  x[0].reshape(1)
  x[0].dot()
  x[0].tolist(1)
  x[0].conjugate(1)
  x[0].is_integer(1)
  x[0].append
  x[0].shape[0]
  x[0].ndim()
  (x > 1).sum(axis=1)
  (x > 1).nosuch
  np.pi.sum()
  np.e.shape
  np.array([1, 2]).mean(axis=1)
  np.ones((2, 3)).sum(axis=2)
  np.ones((2, 3)).sum(axis=(0, 2))
  np.ones((2, 3)).sum(axis=(0, 0))
  np.ones((2, 3)).sum(axis=-3)
  np.ones((2, 3)).mean(axis=5)
  np.ones((2, 3)).dot(x)
  np.ones((2, 3)).reshape(5)
  np.ones((2, 3)).argmax(axis=2)
  np.ones((2, 3)).transpose(0)
  np.ones((2, 3)).diagonal(axis1=0, axis2=0)
  np.ones((2, 3)).trace(0, 5)
  np.ones((2, 3)) + np.ones((3, 2))
  np.ones((2, 3)) + np.ones(2)
  for v in x[0]: pass
  for a, b in x: pass
  for a, b in np.ones((2, 3)): pass
  for v in np.array(1.0): pass
  a, b = x[0]
  a, b, c = x
  a, b = np.ones((3, 2))
  a, b = np.array(1.0)
  [v for v in x[0]]
  [*x[0]]
  k(*x[0])
  k(**x)
  g(*x, *x)
  g(x, np.ones(3))
  functools.reduce(np.add, [])
  functools.reduce(np.add, [x, np.ones(3)])
  list(map(np.sin, x[0]))
  list(map(np.add, x))
  list(zip(x, x[0]))
  isinstance(x, np)
  isinstance(x, np.array)
  isinstance(x, 'np.ndarray')
  isinstance(x, (np.ndarray, list))
  getattr(x, 'nosuch')
  getattr(np, 'nosuch')
  getattr(x, 'sum')(1)
  f'{x:.2f}'
  f'{x[0]:d}'
  f'{x[0]:.2f}'
  '%d' % x
  '%f' % x
  '%f' % x[0]
  '%f' % x[:1]
  ','.join(x)
  statistics.mean(x[0])
  math.fsum(x[0])
  math.fsum(np.ones((2, 2)))
  math.prod(np.ones((2, 2)))
  math.hypot(*x)
  math.hypot(x)
  math.dist(x, np.ones(3))
  math.factorial(np.float64(3))
  math.factorial(np.int64(3))
  math.gcd(np.int64(4), 2)
  math.comb(np.float64(3), 1)
  raise np
  raise np.linalg.LinAlgError
  raise np.linalg.LinAlgError('a')
  with np.errstate(all='raise'):\n    1 / x[0]
  with np.errstate(divide='raise'):\n    np.log(0.0)
  with np.errstate(all='ignore'):\n    np.log(0.0)
  np.random.rand(-1)
  np.ptp(x, dtype=float)
  np.column_stack(x * 1j)
  np.put(x, x, x)
  np.argsort(1, 2, 3)
  np.partition(x, axis=-2)
  np.argpartition(x, axis=-2)
  np.vectorize(x, 5)
  np.vectorize(*x)
  np.bitwise_and(x, np.ones(3))
  np.polyder(x[0])
  np.polyder(np.ones((2, 2)))
  np.polyint(x[0])
  np.polyint([x, x])
  np.cov(x, 5)
  np.ndindex([])
  np.take(x, axis=-2)
  np.take([x, x], axis=3)
  np.insert(x, 5)
  np.split(x, axis=-2)
  np.array_split(x, 1.5)
  np.array_split(x, axis=1)
  np.array_split(np.ones((2, 3)), axis=2)
  np.vsplit(x)
  np.vsplit(1)
  np.swapaxes(x, 1)
  np.swapaxes(x, -5)
  np.moveaxis(x, 5)
  np.moveaxis(x, (3, 1))
  np.rot90(x, 1.5)
  np.indices(1)
  np.ix_(np.ones((2, 2)))
  np.ix_(x, 5)
  np.ix_(1, 2, 3)
  np.ix_(*x)
  np.linalg.solve(x, 5)
  np.linalg.solve(x, np.ones(3))
  np.linalg.solve(x, [])
  np.add.reduce(**{'a': x})
  np.add.at(x, x)
  np.add.at(x, -5)
  np.add.at(x, np.ones(3))
  x.repeat(np.array([]))
  x.swapaxes(1)
  x.compress(**{'a': x})
  x.argpartition(np.ones((2, 3)), axis=1)
  x.argpartition([x, x], axis=3)
  x.partition([x, x], axis=1)
  np.ones((2, 3)).clip(x, 'a')
  np.ones((2, 3)).sort(None)
  x[0].dot(x)
  x[0].dot(1)
  x[0].dot([])
  x[0].dot(np.ones((2, 3)))
  x[0].repeat(np.array([]))
  x[0].compress(1)
  (x > 1).round(1)
  (x > 1).repeat(np.array([]))
  (x > 1).compress(**{'a': x})
  (x > 1).argpartition(np.ones((2, 3)), axis=1)
  (x > 1).partition(np.ones((2, 3)), axis=2)
  (x > 1).partition([x, x], axis=1)
  (x * 1j).swapaxes(1)
  (x * 1j).fill(np.array([]))
  (x * 1j).fill(x * 1j)
  x[0] @ [1.0]
  x[0] @ [1.0, 2.0]
  x[0] @ (1, 2)
  1.5 @ 1j
  'a' % x[0]
  'a' % [1.0]
  'a' % [1.0, 2.0]
  'a' % {}
  'a' % np.int64(2)
  'a' @ np.array(1.0)
  [1.0] @ x[0]
  [1.0] ^ np.array([])
  [1.0] >> np.array([])
  [1.0, 2.0] | np.ones((2, 3))
  [1.0, 2.0] << np.ones((2, 3))
  [1.0, 2.0] & np.ones(3)
  [1.0, 2.0] << np.ones(3)
  [1.0, 2.0] & np.array([])
  [1.0, 2.0] ^ np.array([])
  (1, 2) & np.ones((2, 3))
  (1, 2) ^ np.ones((2, 3))
  (1, 2) >> np.ones((2, 3))
  (1, 2) & np.ones(3)
  (1, 2) ^ np.ones(3)
  (1, 2) >> np.ones(3)
  (1, 2) ^ np.array([])
  (1, 2) >> np.array([])
  np.int64(2) @ 1j
  np.ones((2, 3)) ^ [1.0, 2.0]
  np.ones((2, 3)) >> [1.0, 2.0]
  np.ones((2, 3)) ^ (1, 2)
  np.ones((2, 3)) >> (1, 2)
  np.ones(3) ^ [1.0, 2.0]
  np.ones(3) >> [1.0, 2.0]
  np.ones(3) ^ (1, 2)
  np.ones(3) >> (1, 2)
  np.array(1.0) @ 'a'
  np.array([]) | [1.0]
  np.array([]) << [1.0]
  np.array([]) & [1.0, 2.0]
  np.array([]) << [1.0, 2.0]
  np.array([]) & (1, 2)
  np.array([]) << (1, 2)
  np.array([]) // 1j
  np.array([]) ^ 1j
  np.array([]) >> 1j
  1j < x[0]
  1j @ 1
  1j @ 1.5
  1j @ np.int64(2)
  1j // np.array([])
  1j | np.array([])
  1j >> np.array([])
  np.ones((2, 3))[np.array([])]
  np.ones(3)[np.array([])]
  np.arange(2)[np.array([])]
  ~np.array([])
  np.any(x, dtype=float)
  np.bincount(np.array([]))
  np.polyder(1)
  np.cov(x, -5)
  np.ix_(1)
  np.ix_(x, 1)
  np.add.at(x, 1.5)
  np.add.at(x, [])
  x.sort(None)
  (x * 1j).fill([])
  x[0][(x[0] > 1)]
  np.int64(2)[(x[0] > 1)]
  (x[0] > 1)[(x[0] > 1)]
`);

const unique = (statements: readonly Statement[]): readonly Statement[] => [
  ...new Map(statements.map((s) => [`${s.hasNumPy} ${s.text}`, s])).values(),
];

/** All of them: some 20,000. */
export function raisingStatements(): readonly Statement[] {
  const of = (hasNumPy: boolean, texts: readonly string[]): Statement[] => texts.map((text) => ({ text, hasNumPy }));
  const operations = (values: readonly string[]): string[] => [
    ...values.flatMap((a) => values.flatMap((b) => OPERATORS.map((o) => `${a} ${o} ${b}`))),
    ...values.flatMap((a) => values.map((b) => `${a}[${b}]`)),
    ...values.flatMap((a) => UNARY.map((o) => (o === '*' ? `k(*${a})` : `${o}${a}`))),
  ];
  const calls = (callees: readonly string[], given: readonly string[]): string[] => [
    ...callees.flatMap((callee) => ['', ...given].map((args) => `${callee}(${args})`)),
  ];
  const written = (texts: readonly string[]): string[] => texts.map((text) => text.replaceAll('\\n', '\n'));
  return unique([
    ...of(false, written(OTHERS)),
    ...of(true, written(NUMPY_OTHERS)),
    ...of(false, calls([...BUILTINS, ...LIBRARY, ...METHODS], ARGUMENTS)),
    ...of(true, calls(BUILTINS, NUMPY_ARGUMENTS)),
    ...of(true, calls([...NUMPY.map((name) => `np.${name}`)], NUMPY_ARGUMENTS)),
    ...of(
      true,
      calls(
        NUMPY_RECEIVERS.flatMap((receiver) => ARRAY_METHODS.map((name) => `${receiver}.${name}`)),
        NUMPY_ARGUMENTS,
      ),
    ),
    ...of(false, operations(VALUES)),
    ...of(true, operations(NUMPY_VALUES)),
  ]);
}

/** Those that are written by hand, and as many as wanted of the others, evenly spread. */
export function sampleOf(statements: readonly Statement[], count: number): readonly Statement[] {
  const written = unique([
    ...OTHERS.map((text) => ({ text: text.replaceAll('\\n', '\n'), hasNumPy: false })),
    ...NUMPY_OTHERS.map((text) => ({ text: text.replaceAll('\\n', '\n'), hasNumPy: true })),
  ]).length;
  const rest = statements.slice(written);
  const step = rest.length / count;
  return [
    ...statements.slice(0, written),
    ...rest.filter((_, k) => Math.floor(k / step) !== Math.floor((k - 1) / step)),
  ];
}
