/**
 * NumPy on complex numbers and arrays. What only moves elements is done to the real and the imaginary part; what
 * computes is built from pairs (`complex.ts`). Products of arrays are fused on some processors: there NumPy itself is a
 * last bit off what is compiled.
 */
import { LaneStatus } from '../../ir/types.js';
import { COMPLEX_WIDTH } from '../arrays/shapes.js';
import { ONE, hasComplex, isComplex, isNumber, type Pair } from '../arrays/complex.js';
import type { LibraryMachine } from './library-machine.js';
import {
  NONE,
  Unsupported,
  bool,
  known,
  tuple,
  type Call,
  type ComplexArray,
  type ComplexValue,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
import { axisOf, builtin, exactly, flag, named, required } from './arguments.js';
import { COMPLEX_FORMULAS } from '../arrays/complex-formulas.js';
import { DETERMINANT_ULP, LAPACK_ULP, MAX_SOLVE_SIZE } from './numpy-linalg.js';
import type { Implementation } from './numpy-row.js';
import { python } from './python-row.js';
import { table, type Table } from '../values/table.js';

/** Functions that treat each part as an array of its own, by the positions of the arrays among their arguments. */
const BY_PARTS: Table<readonly number[]> = table(
  Object.fromEntries(
    [
      ...['reshape', 'ravel', 'transpose', 'squeeze', 'expand_dims', 'atleast_1d', 'atleast_2d', 'flip', 'fliplr'],
      ...['flipud', 'roll', 'rot90', 'repeat', 'tile', 'diag', 'diagonal', 'tril', 'triu', 'swapaxes', 'moveaxis'],
      ...['broadcast_to', 'take', 'delete', 'concatenate', 'hstack', 'vstack', 'row_stack', 'column_stack', 'stack'],
      ...['dstack', 'block', 'cumsum', 'diff', 'copy', 'ascontiguousarray'],
    ].map((name) => [name, [0]]),
  ),
  { append: [0, 1], where: [1, 2] },
);

/** Whether a call of NumPy has to do with complex numbers. */
export function isComplexCall(call: Call): boolean {
  if (call.args.some(hasComplex)) return true;
  for (const [name, value] of call.keywords)
    if (name === 'dtype' ? isComplexType(value) : hasComplex(value)) return true;
  // The dtype of np.zeros(n, complex) and the like.
  return call.args.length > 1 && isComplexType(call.args[1]);
}

export function isComplexType(value: Value | undefined): boolean {
  if (value?.tag === 'type') return value.name === 'complex128';
  if (value?.tag === 'builtin') return value.name === 'complex';
  return value?.tag === 'string' && ['complex', 'complex128', 'c16', 'D', 'cdouble'].includes(value.value);
}

/** A `dtype` that changes nothing for complex numbers. */
function complexType(dtype: Value | undefined, call: Call): void {
  if (dtype !== undefined && dtype.tag !== 'none' && !isComplexType(dtype))
    throw new Unsupported('another type for complex numbers', call.position);
}

export function numpyComplex(ev: LibraryMachine, name: string, call: Call): Value {
  const places = BY_PARTS[name];
  if (places !== undefined) return byParts(ev, name, places, call);
  const implementation = FUNCTIONS[name];
  if (implementation === undefined)
    throw new Unsupported(`numpy.${name}() of complex numbers is not translated`, call.position);
  return implementation(ev, call);
}

/** The part of a value; of lists, of what is inside. */
function partIn(ev: LibraryMachine, value: Value, part: 're' | 'im', call: Call): Value {
  if (value.tag === 'list' || value.tag === 'tuple')
    return ev.cells.list(ev.sequences.iterate(value, call.position).map((item) => partIn(ev, item, part, call)));
  return ev.complex.partOf(value, part);
}

function byParts(ev: LibraryMachine, name: string, places: readonly number[], call: Call): Value {
  const of = (part: 're' | 'im'): Value => {
    const args = call.args.map((value, k) => (places.includes(k) ? partIn(ev, value, part, call) : value));
    return ev.calls.numpy(name, { ...call, args });
  };
  if (
    call.args.some((value, k) => !places.includes(k) && hasComplex(value)) ||
    [...call.keywords.values()].some(hasComplex)
  )
    throw new Unsupported(`numpy.${name}() called so with complex numbers`, call.position);
  return ev.complex.combine(of('re'), of('im'));
}

/** The argument as a number or array. */
function operand(ev: LibraryMachine, name: string, value: Value | undefined, call: Call): Value {
  return ev.complex.operand(required(`numpy.${name}`, value, call), call.position);
}

/** Element-wise on one argument, with a complex result. */
const unary =
  (name: string, fn: (ev: LibraryMachine, z: Pair, call: Call) => Pair): Implementation =>
  (ev, call) => {
    const { x } = named(`numpy.${name}`, call, ['x']);
    return ev.complex.map(
      ev.complex.parts(operand(ev, name, x, call)),
      (re, im) => fn(ev, { re, im }, call),
      call.position,
    );
  };

/** The same with a real result, or a truth value. */
const toReal =
  (name: string, fn: (ev: LibraryMachine, z: Pair) => Scalar, kind: 'npfloat' | 'npbool' = 'npfloat'): Implementation =>
  (ev, call) => {
    const { x } = named(`numpy.${name}`, call, ['x']);
    const parts = ev.complex.parts(operand(ev, name, x, call));
    return ev.arrays.map(parts, (re, im) => fn(ev, { re, im }), call.position, kind);
  };

const operator =
  (name: string, symbol: '+' | '-' | '*' | '/' | '**'): Implementation =>
  (ev, call) => {
    const { x1, x2 } = named(`numpy.${name}`, call, ['x1', 'x2']);
    const [a, b] = [operand(ev, name, x1, call), operand(ev, name, x2, call)];
    if (!isNumber(a) || !isNumber(b)) return ev.operators.binary(symbol, a, b, call.position);
    // The result is NumPy's, whatever the numbers are.
    const asNumPy = (v: Scalar | ComplexValue): Value => ev.complex.make(ev.complex.pair(v), true);
    return ev.operators.binary(
      symbol,
      asNumPy(a),
      symbol === '**' && b.tag === 'scalar' ? b : asNumPy(b),
      call.position,
    );
  };

const comparison =
  (name: string, symbol: '==' | '!='): Implementation =>
  (ev, call) => {
    const { x1, x2 } = named(`numpy.${name}`, call, ['x1', 'x2']);
    return ev.operators.compare(symbol, operand(ev, name, x1, call), operand(ev, name, x2, call), call.position);
  };

function sumOf(ev: LibraryMachine, value: Value, axis: number | null, keepDims: boolean, call: Call): Value {
  const part = (array: NdArray): Value => {
    const isWhole = !keepDims && array.shape.length === 1 && (axis === null || axis === 0 || axis === -1);
    const rolled = isWhole ? ev.bulkArrays.sumOfPart(array, call.position) : null;
    if (rolled !== null) return rolled;
    const line = (items: readonly Scalar[], inner: boolean): Scalar =>
      ev.arrays.sumLine(items, inner, call.position, COMPLEX_WIDTH);
    return ev.arrays.reduce(array, axis, keepDims, line, call.position);
  };
  const { re, im } = ev.complex.toArray(value, call.position);
  return ev.complex.combine(part(re), part(im));
}

function sum(ev: LibraryMachine, call: Call): Value {
  const { a, axis, dtype, keepdims } = named('numpy.sum', call, ['a', 'axis', 'dtype', 'out', 'keepdims']);
  complexType(dtype, call);
  return sumOf(ev, operand(ev, 'sum', a, call), axisOf(ev, axis, call), flag(keepdims, false, call), call);
}

function mean(ev: LibraryMachine, call: Call): Value {
  const { a, axis, dtype, keepdims } = named('numpy.mean', call, ['a', 'axis', 'dtype', 'out', 'keepdims']);
  complexType(dtype, call);
  const array = ev.complex.toArray(operand(ev, 'mean', a, call), call.position);
  const along = axisOf(ev, axis, call);
  const total = sumOf(ev, array, along, flag(keepdims, false, call), call);
  const { shape } = array.re;
  const count = along === null ? shape.reduce((p, q) => p * q, 1) : shape[along < 0 ? along + shape.length : along];
  return ev.operators.binary('/', total, known('npfloat', count), call.position);
}

/** Product of all elements, from left to right. */
function prod(ev: LibraryMachine, call: Call): Value {
  const { a, axis } = named('numpy.prod', call, ['a', 'axis']);
  const array = ev.complex.toArray(operand(ev, 'prod', a, call), call.position);
  if (axisOf(ev, axis, call) !== null)
    throw new Unsupported('numpy.prod() of complex numbers along an axis', call.position);
  const flat = byParts(ev, 'ravel', [0], { ...call, args: [array], keywords: new Map() });
  const product = ev.sequences
    .iterate(flat, call.position)
    .reduce<Pair>((p, z) => ev.complex.product(p, ev.complex.pair(z as ComplexValue)), ONE);
  return ev.complex.make(product, true);
}

function norm(ev: LibraryMachine, call: Call): Value {
  const { x, ord } = named('numpy.linalg.norm', call, ['x', 'ord', 'axis']);
  if ((ord !== undefined && ord.tag !== 'none') || call.keywords.has('axis') || call.args.length > 2)
    throw new Unsupported('numpy.linalg.norm() of complex numbers with an order or axis', call.position);
  const { re, im } = ev.complex.toArray(operand(ev, 'linalg.norm', x, call), call.position);
  const square = (part: NdArray): Value => {
    const flat = ev.arrays.ravel(part);
    return ev.arrays.dot(flat, flat, call.position);
  };
  const total = ev.operators.binary('+', square(re), square(im), call.position);
  return ev.ops.sqrt(total as Scalar, 'npfloat');
}

/**
 * LU decomposition of a small square matrix applied to right-hand sides: as for real numbers, the pivots by LAPACK's
 * measure of size, the sum of both parts.
 */
function eliminate(
  ev: LibraryMachine,
  matrix: ComplexArray,
  sides: readonly (readonly Pair[])[],
  call: Call,
): { readonly determinant: Pair; readonly solutions: Pair[][] } {
  const { complex, ops } = ev;
  const { shape } = matrix.re;
  const [n, m] = shape;
  if (shape.length !== 2 || n !== m) ops.raise(LaneStatus.Raised, 'numpy.linalg.LinAlgError');
  if (n > MAX_SOLVE_SIZE)
    throw new Unsupported(`linear algebra beyond ${MAX_SOLVE_SIZE} x ${MAX_SOLVE_SIZE}`, call.position);
  const width = n + sides.length;
  ev.work.step(call.position, 4 * n * n * width);
  const items = pairsOf(ev, matrix);
  const rows = Array.from({ length: n }, (_, r) => [...items.slice(r * n, (r + 1) * n), ...sides.map((b) => b[r])]);
  const size = ({ re, im }: Pair): Scalar => complex.add(ops.abs(re), ops.abs(im));
  let determinant = ONE;
  for (let k = 0; k < n; k++) {
    for (let r = k + 1; r < n; r++) {
      // The largest pivot wanders up; the first of equals stays.
      const isLarger = ops.compare('>', size(rows[r][k]), size(rows[k][k]));
      if (isLarger.known === 0) continue;
      for (let c = k; c < width; c++) {
        const [p, q] = [rows[k][c], rows[r][c]];
        rows[k][c] = complex.select(isLarger, q, p);
        rows[r][c] = complex.select(isLarger, p, q);
      }
      determinant = complex.select(isLarger, complex.negated(determinant), determinant);
    }
    determinant = complex.product(determinant, rows[k][k]);
    for (let r = k + 1; r < n; r++) {
      const factor = complex.quotient(rows[r][k], rows[k][k], true);
      for (let c = k + 1; c < width; c++)
        rows[r][c] = complex.difference(rows[r][c], complex.product(factor, rows[k][c]));
    }
  }
  // LinAlgError: Singular matrix.
  if (sides.length > 0)
    for (let k = 0; k < n; k++) ops.check(complex.isZero(rows[k][k]), LaneStatus.Raised, 'numpy.linalg.LinAlgError');
  const solutions = sides.map((_, j) => {
    const x: Pair[] = new Array<Pair>(n);
    for (let r = n - 1; r >= 0; r--) {
      let rest = rows[r][n + j];
      for (let c = r + 1; c < n; c++) rest = complex.difference(rest, complex.product(rows[r][c], x[c]));
      x[r] = complex.quotient(rest, rows[r][r], true);
    }
    return x;
  });
  // What is not finite depends on the steps.
  for (const z of sides.length > 0 ? solutions.flat() : [determinant])
    ops.check(ops.not(complex.isFinite(z)), LaneStatus.Untranslated);
  return { determinant, solutions };
}

function pairsOf(ev: LibraryMachine, { re, im }: ComplexArray): Pair[] {
  const imaginary = ev.arrays.items(im);
  return ev.arrays.items(re).map((s, k) => ({ re: s, im: imaginary[k] }));
}

function arrayOfPairs(ev: LibraryMachine, shape: readonly number[], pairs: readonly Pair[]): ComplexArray {
  const part = (name: 're' | 'im'): NdArray =>
    ev.arrays.make(
      shape,
      'npfloat',
      pairs.map((z) => z[name]),
    );
  return ev.complex.array(part('re'), part('im'));
}

function solve(ev: LibraryMachine, call: Call): Value {
  const { a, b } = named('numpy.linalg.solve', call, ['a', 'b']);
  const matrix = converted(ev, required('numpy.linalg.solve', a, call), call);
  const right = converted(ev, required('numpy.linalg.solve', b, call), call);
  const { shape } = right.re;
  if (shape[0] !== matrix.re.shape[0] || shape.length > 2) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const columns = shape[1] ?? 1;
  const items = pairsOf(ev, right);
  const sides = Array.from({ length: columns }, (_, j) => items.filter((_, k) => k % columns === j));
  const { solutions } = ev.ops.loosely(LAPACK_ULP, () => eliminate(ev, matrix, sides, call));
  return arrayOfPairs(
    ev,
    shape,
    items.map((_, k) => solutions[k % columns][Math.floor(k / columns)]),
  );
}

function inverse(ev: LibraryMachine, call: Call): Value {
  const matrix = converted(ev, required('numpy.linalg.inv', call.args[0], call), call);
  const n = matrix.re.shape[0] ?? 0;
  const zero: Pair = { re: known('npfloat', 0), im: known('npfloat', 0) };
  const sides = Array.from({ length: n }, (_, j) => Array.from({ length: n }, (_, k) => (k === j ? ONE : zero)));
  const { solutions } = ev.ops.loosely(LAPACK_ULP, () => eliminate(ev, matrix, sides, call));
  return arrayOfPairs(
    ev,
    [n, n],
    Array.from({ length: n * n }, (_, k) => solutions[k % n][Math.floor(k / n)]),
  );
}

/** A vector or matrix with conjugated elements. */
const conjugate = (ev: LibraryMachine, value: Value, call: Call): Value =>
  isComplex(value) ? numpyComplex(ev, 'conj', { ...call, args: [value], keywords: new Map() }) : value;

const bilinear =
  (name: string): Implementation =>
  (ev, call) => {
    const [a, b] = exactly(`numpy.${name}`, call, 2).map((v) => operand(ev, name, v, call));
    const part = (p: Value, q: Value): Value => ev.calls.numpy(name, { ...call, args: [p, q] });
    return ev.complex.bilinear(part, a, b, call.position);
  };

/** Element-wise products of each element with each: exact, as `*` is. */
const everyPair =
  (name: 'kron' | 'outer'): Implementation =>
  (ev, call) => {
    const [a, b] = exactly(`numpy.${name}`, call, 2).map((v) => operand(ev, name, v, call));
    const { complex } = ev;
    const part = (j: 're' | 'im', k: 're' | 'im'): Value =>
      ev.calls.numpy(name, { ...call, args: [complex.partOf(a, j), complex.partOf(b, k)] });
    return complex.combine(
      ev.operators.binary('-', part('re', 're'), part('im', 'im'), call.position),
      ev.operators.binary('+', part('re', 'im'), part('im', 're'), call.position),
    );
  };

/** The array of complex numbers that a value is made to. */
function converted(ev: LibraryMachine, value: Value, call: Call): ComplexArray {
  const source = ev.complex.operand(value, call.position);
  return ev.complex.toArray(source, call.position);
}

function makeArray(copies: boolean): Implementation {
  return (ev, call) => {
    const args = named('numpy.array', call, ['object', 'dtype', 'copy']);
    if (args.dtype !== undefined && args.dtype.tag !== 'none' && !isComplexType(args.dtype))
      throw new Unsupported('an array of real numbers made of complex ones', call.position);
    const value = required('numpy.array', args.object, call);
    const { re, im } = converted(ev, value, call);
    if (value.tag === 'complexarray' && !copies) return value;
    return ev.complex.array(ev.arrays.copy(re), ev.arrays.copy(im));
  };
}

/** `zeros` and the like with dtype=complex: the real part as NumPy makes it, an imaginary part of zeros. */
const withoutType =
  (name: string): Implementation =>
  (ev, call) => {
    const keywords = new Map([...call.keywords].filter(([key]) => key !== 'dtype'));
    const args = call.args.length > 1 && isComplexType(call.args[1]) ? call.args.slice(0, 1) : call.args;
    const values = args.map((value) => (value.tag === 'complexarray' ? value.re : value));
    const re = ev.arrays.toArray(ev.calls.numpy(name, { ...call, args: values, keywords }), call.position);
    const zeros = ev.arrays.filled(re.shape, 'npfloat', known('npfloat', 0), call.position);
    return ev.complex.array(re, zeros);
  };

function full(ev: LibraryMachine, call: Call): Value {
  const { shape, fill_value: fill, dtype } = named('numpy.full', call, ['shape', 'fill_value', 'dtype']);
  complexType(dtype, call);
  const value = required('numpy.full', fill, call);
  const part = (name: 're' | 'im'): NdArray => {
    const args = [required('numpy.full', shape, call), ev.complex.partOf(value, name)];
    return ev.arrays.toArray(ev.calls.numpy('full', { ...call, args, keywords: new Map() }), call.position);
  };
  return ev.complex.array(part('re'), part('im'));
}

/** Horner's rule, from zero on as NumPy does it. */
function polyval(ev: LibraryMachine, call: Call): Value {
  const { p, x } = named('numpy.polyval', call, ['p', 'x']);
  const value = operand(ev, 'polyval', x, call);
  const coefficients = operand(ev, 'polyval', p, call);
  const zero = ev.complex.make({ re: known('npfloat', 0), im: known('npfloat', 0) }, true);
  let result: Value = isNumber(value)
    ? isComplex(value)
      ? zero
      : known('npint', 0)
    : withoutType('zeros_like')(ev, {
        ...call,
        args: [isComplex(value) ? value : ev.arrays.toArray(value, call.position)],
        keywords: new Map(),
      });
  for (const coefficient of ev.sequences.iterate(coefficients, call.position)) {
    result = ev.operators.binary(
      '+',
      ev.operators.binary('*', result, value, call.position),
      coefficient,
      call.position,
    );
  }
  return result;
}

const formula = (name: string): Implementation =>
  unary(name, (ev, z) => (COMPLEX_FORMULAS[name] as (ev: LibraryMachine, z: Pair) => Pair)(ev, z));

const FUNCTIONS: Table<Implementation> = table({
  ...Object.fromEntries(Object.keys(COMPLEX_FORMULAS).map((name) => [name, formula(name)])),
  abs: toReal('abs', (ev, z) => ev.complex.magnitude(z, true)),
  real: (ev, call) => ev.complex.partOf(operand(ev, 'real', call.args[0], call), 're'),
  imag: (ev, call) => ev.complex.partOf(operand(ev, 'imag', call.args[0], call), 'im'),
  conj: unary('conj', (ev, z) => ev.complex.conjugate(z)),
  angle: (ev, call) => {
    const { z, deg } = named('numpy.angle', call, ['z', 'deg']);
    const parts = ev.complex.parts(operand(ev, 'angle', z, call));
    const phases = ev.arrays.map(parts, (re, im) => ev.complex.phase({ re, im }), call.position, 'npfloat');
    if (!flag(deg, false, call)) return phases;
    return ev.operators.binary('*', phases, known('npfloat', 180 / Math.PI), call.position);
  },
  square: unary('square', (ev, z) => ev.complex.product(z, z)),
  reciprocal: unary('reciprocal', (ev, z) => ev.complex.reciprocal(z)),
  negative: unary('negative', (ev, z) => ev.complex.negated(z)),
  positive: unary('positive', (_ev, z) => z),
  isnan: toReal('isnan', (ev, z) => ev.complex.isNaN(z), 'npbool'),
  isinf: toReal('isinf', (ev, z) => ev.ops.or(ev.ops.isInf(z.re), ev.ops.isInf(z.im)), 'npbool'),
  isfinite: toReal('isfinite', (ev, z) => ev.complex.isFinite(z), 'npbool'),
  iscomplexobj: () => bool(true),
  add: operator('add', '+'),
  subtract: operator('subtract', '-'),
  multiply: operator('multiply', '*'),
  divide: operator('divide', '/'),
  true_divide: operator('true_divide', '/'),
  power: operator('power', '**'),
  equal: comparison('equal', '=='),
  not_equal: comparison('not_equal', '!='),
  sum,
  mean,
  prod,
  dot: (ev, call) => {
    const [a, b] = exactly('numpy.dot', call, 2).map((v) => operand(ev, 'dot', v, call));
    if (isNumber(a) || isNumber(b)) return numpyComplex(ev, 'multiply', { ...call, args: [a, b] });
    return ev.complex.dot(a, b, call.position);
  },
  matmul: (ev, call) => {
    const [a, b] = exactly('numpy.matmul', call, 2).map((v) => operand(ev, 'matmul', v, call));
    return ev.complex.matmul(a, b, call.position);
  },
  inner: bilinear('inner'),
  vdot: (ev, call) => {
    const [a, b] = exactly('numpy.vdot', call, 2).map((v) => operand(ev, 'vdot', v, call));
    return bilinear('vdot')(ev, { ...call, args: [conjugate(ev, a, call), b] });
  },
  kron: everyPair('kron'),
  outer: everyPair('outer'),
  array: makeArray(true),
  asarray: makeArray(false),
  zeros: withoutType('zeros'),
  ones: withoutType('ones'),
  empty: withoutType('empty'),
  zeros_like: withoutType('zeros_like'),
  ones_like: withoutType('ones_like'),
  empty_like: withoutType('empty_like'),
  eye: withoutType('eye'),
  identity: withoutType('identity'),
  full,
  polyval,
  trace: (ev, call) => {
    const diagonal = byParts(ev, 'diagonal', [0], call);
    return sumOf(ev, diagonal, null, false, call);
  },
  ndim: (ev, call) => ev.calls.numpy('ndim', { ...call, args: [partIn(ev, call.args[0], 're', call)] }),
  size: (ev, call) => ev.calls.numpy('size', { ...call, args: [partIn(ev, call.args[0], 're', call)] }),
  shape: (ev, call) => ev.calls.numpy('shape', { ...call, args: [partIn(ev, call.args[0], 're', call)] }),
  isscalar: (_ev, call) => bool(call.args[0].tag === 'complex'),
  'linalg.norm': norm,
  'linalg.solve': solve,
  'linalg.inv': inverse,
  'linalg.det': (ev, call) => {
    const matrix = converted(ev, required('numpy.linalg.det', call.args[0], call), call);
    const { re, im } = ev.ops.loosely(LAPACK_ULP, () => eliminate(ev, matrix, [], call)).determinant;
    const size = ev.ops.binary('+', ev.ops.abs(re), ev.ops.abs(im), call.position);
    const part = (s: Scalar): Scalar => ev.ops.anyOrderOf(s, size, DETERMINANT_ULP);
    return ev.complex.make({ re: part(re), im: part(im) }, true);
  },
});

/** Attributes and methods of a complex array. */
export function complexArrayAttribute(ev: LibraryMachine, array: ComplexArray, name: string): Value | undefined {
  const method = (call: (call: Call) => Value): Value => builtin(`ndarray.${name}`, call);
  const both = (part: (a: NdArray) => Value): Value => ev.complex.combine(part(array.re), part(array.im));
  switch (name) {
    case 'real':
      return array.re;
    case 'imag':
      return array.im;
    case 'T':
      return both((a) => ev.arrays.transpose(a));
    case 'flat':
      return both((a) => ev.arrays.flat(a));
    case 'copy':
    case 'flatten':
      return method((call) => {
        if (call.args.length > 0 || call.keywords.size > 0)
          throw new Unsupported(`${name}() with an order`, call.position);
        return both((a) => ev.arrays.copyRowMajor(name === 'flatten' ? ev.arrays.flat(a) : a));
      });
    case 'reshape':
      return method((call) => {
        const shape = call.args.length === 1 ? call.args[0] : tuple(call.args);
        return byParts(ev, 'reshape', [0], { ...call, args: [array, shape] });
      });
    case 'transpose':
      return method((call) => {
        const axes = call.args.length > 1 ? [tuple(call.args)] : call.args;
        return byParts(ev, 'transpose', [0], { ...call, args: [array, ...axes] });
      });
    case 'astype':
      return method((call) => {
        if (!isComplexType(call.args[0])) throw new Unsupported('astype() to this type', call.position);
        return both((a) => ev.arrays.copy(a));
      });
    case 'fill':
      return method((call) => {
        const [value] = exactly('ndarray.fill', call, 1);
        if (!isNumber(value)) throw new Unsupported('fill() with anything but a number', call.position);
        ev.complex.assignInPlace(array, value, call.position);
        return NONE;
      });
    case 'conjugate':
      return method((call) => conjugate(ev, array, call));
    case 'sum':
    case 'mean':
    case 'prod':
    case 'dot':
    case 'conj':
    case 'ravel':
    case 'squeeze':
    case 'cumsum':
    case 'diagonal':
    case 'trace':
    case 'repeat':
    case 'swapaxes':
    case 'take':
      return method((call) => ev.calls.numpy(name, { ...call, args: [array, ...call.args] }));
    default:
      return undefined;
  }
}

/** Attribute of a complex number; undefined: it has none that is translated. */
export function complexAttribute(ev: LibraryMachine, value: ComplexValue, name: string): Value | undefined {
  switch (name) {
    case 'real':
      return value.re;
    case 'imag':
      return value.im;
    case 'conjugate':
      return python('', () => ev.complex.make(ev.complex.conjugate(ev.complex.pair(value)), value.isNumPy))(
        ev,
        'complex.conjugate',
      );
  }
  if (!value.isNumPy) return undefined;
  switch (name) {
    case 'conj':
      return complexAttribute(ev, value, 'conjugate');
    case 'item':
      return builtin('item', () => ev.complex.make(ev.complex.pair(value), false));
    case 'shape':
      return tuple([]);
    case 'ndim':
      return known('int', 0);
    case 'size':
      return known('int', 1);
    default:
      return undefined;
  }
}
