/** The parts of SciPy that objectives use as mathematics: functions of `scipy.special`, the normal distribution. */
import type { MathOpName } from '../../ir/ops.js';
import { LaneStatus } from '../../ir/types.js';
import type { LibraryMachine } from './library-machine.js';
import { Unsupported, known, type Call, type Scalar, type Value } from '../values/values.js';
import { builtin, flag, named, required } from './arguments.js';
import { binomial } from './math-module.js';
import { isOfTruth, numpyCall } from './numpy-module.js';
import type { Implementation } from './numpy-row.js';
import { table, type Table } from '../values/table.js';

/** Element-wise on one argument: floats of NumPy's kind in and out. */
function unary(name: string, fn: (ev: LibraryMachine, x: Scalar, call: Call) => Scalar): Implementation {
  return (ev, call) => {
    const { x } = named(`scipy.special.${name}`, call, ['x']);
    return ev.arrays.map(
      [required(`scipy.special.${name}`, x, call)],
      (s) => fn(ev, ev.ops.retag(s, 'npfloat'), call),
      call.position,
      'npfloat',
    );
  };
}

/** SciPy's error in the tail of erfc grows with the square of the argument: to some hundred units in the last place. */
const TAIL_ULP = 4096;
/** SciPy's formulas take other steps. */
const FORMULA_ULP = 8;

const mathematics = (op: MathOpName): Implementation =>
  unary(op, (ev, x) => {
    const result = ev.ops.math(op, 'npfloat', x);
    return op === 'erfc' ? ev.ops.loose(result, TAIL_ULP) : result;
  });

const zero = known('npfloat', 0);
const one = known('npfloat', 1);

/** Below zero and for denormals SciPy has results of its own. */
function positive(op: 'gamma' | 'lgamma', name: string): Implementation {
  return unary(name, (ev, x) => {
    ev.ops.check(ev.ops.compare('<', x, known('npfloat', 2 ** -1022)), LaneStatus.ReductionRange);
    return ev.ops.math(op, 'npfloat', x);
  });
}

const expit = (ev: LibraryMachine, x: Scalar, { position }: Call): Scalar => {
  const { ops } = ev;
  const power = ops.math('exp', 'npfloat', ops.negate(x));
  return ops.binary('/', one, ops.binary('+', one, power, position), position);
};

/** Distribution function of the standard normal distribution, by erf near 0 and by erfc elsewhere (Cephes). */
function ndtr(ev: LibraryMachine, x: Scalar, { position }: Call): Scalar {
  const { ops } = ev;
  const half = (s: Scalar): Scalar => ops.binary('*', known('npfloat', 0.5), s, position);
  const scaled = ops.binary('*', x, known('npfloat', Math.SQRT1_2), position);
  const magnitude = ops.abs(scaled);
  const near = ops.binary('+', known('npfloat', 0.5), half(ops.math('erf', 'npfloat', scaled)), position);
  const tail = half(ops.loose(ops.math('erfc', 'npfloat', magnitude), TAIL_ULP));
  const far = ops.select(ops.compare('>', scaled, zero), ops.binary('-', one, tail, position), tail);
  return ops.select(ops.compare('<', magnitude, known('npfloat', Math.SQRT1_2)), near, far);
}

/** gamma(n + 1), 0 below zero; with `exact` an int. */
function factorial(ev: LibraryMachine, call: Call): Value {
  const { n, exact } = named('scipy.special.factorial', call, ['n', 'exact']);
  if (exact !== undefined && flag(exact, false, call))
    throw new Unsupported('scipy.special.factorial() with exact=True (math.factorial() is compiled)', call.position);
  const { ops } = ev;
  return ev.arrays.map(
    [required('scipy.special.factorial', n, call)],
    (s) => {
      const x = ops.binary('+', ops.retag(s, 'npfloat'), one, call.position);
      const isNegative = ops.compare('<', s, zero);
      const value = ops.math('gamma', 'npfloat', ops.select(isNegative, one, x));
      return ops.retag(ops.select(isNegative, zero, value), 'npfloat');
    },
    call.position,
    'npfloat',
  );
}

/** Binomial coefficient of known whole numbers; SciPy's own formula for others is not held. */
function comb(ev: LibraryMachine, call: Call): Value {
  const { N, k, exact } = named('scipy.special.comb', call, ['N', 'k', 'exact']);
  const numbers = [N, k].map((v) => {
    const s = required('scipy.special.comb', v, call);
    if (s.tag === 'scalar' && s.known !== undefined && Number.isInteger(s.known)) return s.known;
    throw new Unsupported('scipy.special.comb() of what is no known whole number', call.position);
  });
  const [n, m] = numbers;
  const ways = n < 0 || m < 0 ? known('int', 0) : (binomial(n, m, call) as Scalar);
  return ev.ops.retag(ways, flag(exact, false, call) ? 'int' : 'npfloat');
}

const SPECIAL: Table<Implementation> = table({
  erf: mathematics('erf'),
  erfc: mathematics('erfc'),
  gamma: positive('gamma', 'gamma'),
  gammaln: positive('lgamma', 'gammaln'),
  loggamma: positive('lgamma', 'loggamma'),
  expit: unary('expit', expit),
  ndtr: unary('ndtr', ndtr),
  cbrt: mathematics('cbrt'),
  exp2: mathematics('exp2'),
  expm1: mathematics('expm1'),
  log1p: mathematics('log1p'),
  factorial,
  comb,
});

const LOG_ROOT_TWO_PI = 0.9189385332046727;
const ROOT_TWO_PI = 2.5066282746310002;

/** A function of (x - loc) / scale; NaN where the scale is not above zero. */
function normal(
  name: string,
  fn: (ev: LibraryMachine, z: Scalar, call: Call) => Scalar,
  finish?: (ev: LibraryMachine, value: Scalar, scale: Scalar, call: Call) => Scalar,
): Implementation {
  return (ev, call) => {
    const args = named(`scipy.stats.norm.${name}`, call, ['x', 'loc', 'scale']);
    const operands = [
      required(`scipy.stats.norm.${name}`, args.x, call),
      args.loc ?? known('int', 0),
      args.scale ?? known('int', 1),
    ];
    const { ops } = ev;
    return ev.arrays.map(
      operands,
      (x, loc, scale) => {
        const numbers = [x, loc, scale].map((s) => ops.retag(s, 'npfloat'));
        // Infinite candidates have rules of their own.
        for (const s of numbers) ops.check(ops.isInf(s), LaneStatus.Untranslated);
        const z = ops.binary('/', ops.binary('-', numbers[0], numbers[1], call.position), numbers[2], call.position);
        const value = fn(ev, z, call);
        const finished = finish === undefined ? value : finish(ev, value, numbers[2], call);
        return ops.retag(ops.select(ops.compare('>', numbers[2], zero), finished, known('npfloat', NaN)), 'npfloat');
      },
      call.position,
      'npfloat',
    );
  };
}

const halfSquare = (ev: LibraryMachine, z: Scalar, { position }: Call): Scalar =>
  ev.ops.binary('/', ev.ops.negate(ev.ops.binary('*', z, z, position)), known('npfloat', 2), position);

const NORMAL: Table<Implementation> = table({
  pdf: normal(
    'pdf',
    (ev, z, call) =>
      ev.ops.binary(
        '/',
        ev.ops.math('exp', 'npfloat', halfSquare(ev, z, call)),
        known('npfloat', ROOT_TWO_PI),
        call.position,
      ),
    (ev, value, scale, call) => ev.ops.binary('/', value, scale, call.position),
  ),
  logpdf: normal(
    'logpdf',
    (ev, z, call) => ev.ops.binary('-', halfSquare(ev, z, call), known('npfloat', LOG_ROOT_TWO_PI), call.position),
    (ev, value, scale, call) => ev.ops.binary('-', value, ev.ops.math('log', 'npfloat', scale), call.position),
  ),
  cdf: normal('cdf', ndtr),
  sf: normal('sf', (ev, z, call) => ndtr(ev, ev.ops.negate(z), call)),
});

const member =
  (path: string, members: Table<Implementation>) =>
  (ev: LibraryMachine, name: string): Value | undefined => {
    const implementation = members[name];
    if (implementation === undefined) return undefined;
    return builtin(`${path}.${name}`, (call) => {
      if (call.args.length > 0 && call.args.every((value) => isOfTruth(ev, value, call))) {
        throw new Unsupported(
          `${path}.${name}() of truth values, which SciPy computes in single precision`,
          call.position,
        );
      }
      return ev.ops.loosely(FORMULA_ULP, () => implementation(ev, call));
    });
  };

export const scipySpecialMember = member('scipy.special', SPECIAL);
export const scipyNormalMember = member('scipy.stats.norm', NORMAL);

/**
 * `np.sum(100.0 * (x[1:] - x[:-1]**2.0)**2.0 + (1 - x[:-1])**2.0, axis=0)`, where SciPy's squares of arrays are
 * products.
 */
function rosen(ev: LibraryMachine, call: Call): Value {
  const { x } = named('scipy.optimize.rosen', call, ['x']);
  const array = ev.arrays.toArray(required('scipy.optimize.rosen', x, call), call.position);
  if (array.shape.length !== 1 || array.kind !== 'npfloat')
    throw new Unsupported('scipy.optimize.rosen() of anything but a vector of floats', call.position);
  const [count] = array.shape;
  const items = ev.arrays.items(array);
  const part = (from: number, to: number): Value => {
    const some = items.slice(from, to);
    return ev.arrays.make([some.length], 'npfloat', some);
  };
  const minus = (a: Scalar, b: Scalar): Scalar => ev.ops.binary('-', a, b, call.position);
  const square = (a: Scalar): Scalar => ev.ops.binary('*', a, a, call.position);
  const terms = ev.arrays.map(
    [part(1, count), part(0, Math.max(0, count - 1))],
    (next, v) => {
      const valley = ev.ops.binary('*', known('npfloat', 100), square(minus(next, square(v))), call.position);
      return ev.ops.binary('+', valley, square(minus(known('npfloat', 1), v)), call.position);
    },
    call.position,
    'npfloat',
  );
  return numpyCall(ev, 'sum', { ...call, args: [terms], keywords: new Map() });
}

export const scipyOptimizeMember = (ev: LibraryMachine, name: string): Value | undefined =>
  name === 'rosen' ? builtin('scipy.optimize.rosen', (call) => rosen(ev, call)) : undefined;
