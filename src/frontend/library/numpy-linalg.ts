/**
 * `numpy.linalg`: determinants, inverses, solutions and norms of small systems.
 */
import { LaneStatus } from '../../ir/types.js';
import {
  int,
  isIntKind,
  known,
  Unsupported,
  type Call,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
import { axisOf, flag, named, required, scalar } from './arguments.js';
import { astype } from './dtypes.js';
import type { LibraryMachine } from './library-machine.js';
import { NUMPY_LINALG_MORE } from './numpy-analysis.js';
import { RAISES, row, type NumPyFunction } from './numpy-row.js';
import { table, type Table } from '../values/table.js';
/**
 * `numpy.linalg`: determinants, inverses and solutions of small systems.
 */

/** LAPACK takes reciprocals, and products in another order: a few units in the last place for each step. */
export const LAPACK_ULP = 8;

/** NumPy adds logarithms of the pivots, up to 745, and takes the exponential of the sum. */
export const DETERMINANT_ULP = 8 * 745;

/** Larger systems are faster in NumPy itself. */
export const MAX_SOLVE_SIZE = 12;

function norm(ev: LibraryMachine, call: Call): Value {
  const { x, ord, axis, keepdims } = named('numpy.linalg.norm', call, ['x', 'ord', 'axis', 'keepdims']);
  const array = ev.arrays.toArray(required('numpy.linalg.norm', x, call), call.position);
  const { ops } = ev;
  const position = call.position;
  // It takes whole numbers of any type.
  if (axis?.tag === 'scalar' && !isIntKind(axis.kind)) throw new Unsupported('an axis that is no integer', position);
  const along = axisOf(ev, axis, call);
  const isMatrix = array.shape.length > 1 && along === null;
  const isFrobenius = isMatrix && ord?.tag === 'string' && (ord.value === 'fro' || ord.value === 'f');
  const isPlain = ord === undefined || ord.tag === 'none' || isFrobenius;
  if (array.shape.length === 0 && !isPlain) return ops.raise(LaneStatus.Raised, 'ValueError');
  const order = isPlain ? 2 : (scalar(ev, 'numpy.linalg.norm', ord, call).known ?? NaN);
  if (isMatrix && !isPlain) return matrixNorm(ev, array, order, call);
  const add = (items: readonly Scalar[], inner: boolean): Scalar => ev.arrays.sumLine(items, inner, position);
  const floats = astype(ev, array, 'npfloat', call);
  if (!isMatrix && along === null && keepdims === undefined && (order === 2 || order === 1)) {
    const rolled = ev.bulkArrays.reduce(order === 2 ? 'norm' : 'norm1', floats, 0, position);
    if (rolled !== null) return rolled;
  }
  return ev.arrays.reduce(
    floats,
    along,
    flag(keepdims, false, call),
    (items, inner) => {
      const magnitudes = (): Scalar[] => items.map((s) => ops.abs(s));
      switch (order) {
        case 2: {
          const squares = items.map((s) => ops.binary('*', s, s, position));
          return ops.sqrt(ops.anyOrder(add(squares, inner), squares), 'npfloat');
        }
        case 1:
          return add(magnitudes(), inner);
        case Infinity:
          return ev.arrays.extremum('max', magnitudes());
        case -Infinity:
          return ev.arrays.extremum('min', magnitudes());
        case 0:
          return add(
            items.map((s) => ops.retag(ops.compare('!=', s, int(0)), 'npfloat')),
            inner,
          );
        default: {
          if (!Number.isFinite(order))
            throw new Unsupported('an order of numpy.linalg.norm() that depends on x', position);
          const powers = magnitudes().map((s) => ops.binary('**', s, known('npfloat', order), position));
          return ops.binary('**', add(powers, inner), known('npfloat', 1 / order), position);
        }
      }
    },
    position,
  );
}

/** The largest sum of magnitudes of a column or row; others need singular values. */
function matrixNorm(ev: LibraryMachine, array: NdArray, order: number, call: Call): Value {
  const axis = { 1: 0, [-1]: 0, Infinity: 1, [-Infinity]: 1 }[order];
  if (axis === undefined) throw new Unsupported('a norm of a matrix by its singular values', call.position);
  const { position } = call;
  const magnitudes = ev.arrays.map([array], (s) => ev.ops.abs(ev.ops.retag(s, 'npfloat')), position, 'npfloat');
  const sums = ev.arrays.reduce(magnitudes, axis, false, (l, i) => ev.arrays.sumLine(l, i, position), position);
  return ev.arrays.reduce(sums, null, false, (l) => ev.arrays.extremum(order > 0 ? 'max' : 'min', l), position);
}

/**
 * LU decomposition with partial pivoting of a small square matrix, applied to right-hand sides: rows are exchanged by
 * selection, so that every lane pivots for itself. Returns the pivots and the solved columns.
 */
function eliminate(
  ev: LibraryMachine,
  matrix: NdArray,
  rightSides: readonly Scalar[][],
  call: Call,
): { readonly determinant: Scalar; readonly solutions: Scalar[][] } {
  const [n, m] = matrix.shape;
  if (matrix.shape.length !== 2 || n !== m) ev.ops.raise(LaneStatus.Raised, 'numpy.linalg.LinAlgError');
  if (n > MAX_SOLVE_SIZE)
    throw new Unsupported(`linear algebra beyond ${MAX_SOLVE_SIZE} x ${MAX_SOLVE_SIZE}`, call.position);
  const { ops } = ev;
  const position = call.position;
  const width = n + rightSides.length;
  const items = ev.arrays.items(astype(ev, matrix, 'npfloat', call));
  const rows = Array.from({ length: n }, (_, r) => [
    ...items.slice(r * n, (r + 1) * n),
    ...rightSides.map((b) => b[r]),
  ]);
  ev.work.step(position, n * n * width);
  let determinant: Scalar = known('npfloat', 1);
  for (let k = 0; k < n; k++) {
    for (let r = k + 1; r < n; r++) {
      // The largest pivot wanders up; the first of equals stays.
      const larger = ops.compare('>', ops.abs(rows[r][k]), ops.abs(rows[k][k]));
      if (larger.known === 0) continue;
      for (let c = k; c < width; c++) {
        const [p, q] = [rows[k][c], rows[r][c]];
        rows[k][c] = ops.select(larger, q, p);
        rows[r][c] = ops.select(larger, p, q);
      }
      determinant = ops.select(larger, ops.negate(determinant), determinant);
    }
    const pivot = rows[k][k];
    determinant = ops.binary('*', determinant, pivot, position);
    for (let r = k + 1; r < n; r++) {
      const factor = ops.binary('/', rows[r][k], pivot, position);
      for (let c = k + 1; c < width; c++) {
        rows[r][c] = ops.binary('-', rows[r][c], ops.binary('*', factor, rows[k][c], position), position);
      }
    }
  }
  const solutions = rightSides.map((_, j) => {
    const x: Scalar[] = new Array<Scalar>(n);
    for (let r = n - 1; r >= 0; r--) {
      let sum = rows[r][n + j];
      for (let c = r + 1; c < n; c++) sum = ops.binary('-', sum, ops.binary('*', rows[r][c], x[c], position), position);
      x[r] = ops.eitherZero(ops.binary('/', sum, rows[r][r], position));
    }
    return x;
  });
  if (rightSides.length > 0) {
    // LinAlgError: Singular matrix.
    for (let k = 0; k < n; k++) ops.check(ops.isZero(rows[k][k]), LaneStatus.Raised, 'numpy.linalg.LinAlgError');
  }
  return { determinant, solutions };
}

function solve(ev: LibraryMachine, call: Call): Value {
  const { a, b } = named('numpy.linalg.solve', call, ['a', 'b']);
  const matrix = ev.arrays.toArray(required('numpy.linalg.solve', a, call), call.position);
  const right = astype(ev, ev.arrays.toArray(required('numpy.linalg.solve', b, call), call.position), 'npfloat', call);
  if (matrix.shape.length !== 2 || matrix.shape[0] !== matrix.shape[1])
    return ev.ops.raise(LaneStatus.Raised, 'numpy.linalg.LinAlgError');
  if (right.shape[0] !== matrix.shape[0] || right.shape.length > 2)
    return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const columns = right.shape[1] ?? 1;
  const items = ev.arrays.items(right);
  const sides = Array.from({ length: columns }, (_, j) => items.filter((_, k) => k % columns === j));
  const { solutions } = ev.ops.loosely(LAPACK_ULP, () => eliminate(ev, matrix, sides, call));
  const flat = items.map((_, k) => solutions[k % columns][Math.floor(k / columns)]);
  return ev.arrays.make(right.shape, 'npfloat', flat);
}

function inverse(ev: LibraryMachine, call: Call): Value {
  const matrix = ev.arrays.toArray(required('numpy.linalg.inv', call.args[0], call), call.position);
  const n = matrix.shape[0] ?? 0;
  const unit = (j: number): Scalar[] => Array.from({ length: n }, (_, k) => known('npfloat', k === j ? 1 : 0));
  const sides = Array.from({ length: n }, (_, j) => unit(j));
  const { solutions } = ev.ops.loosely(LAPACK_ULP, () => eliminate(ev, matrix, sides, call));
  return ev.arrays.make(
    [n, n],
    'npfloat',
    Array.from({ length: n * n }, (_, k) => solutions[k % n][Math.floor(k / n)]),
  );
}

function determinant(ev: LibraryMachine, call: Call): Value {
  const matrix = ev.arrays.toArray(required('numpy.linalg.det', call.args[0], call), call.position);
  const eliminated = ev.ops.loosely(LAPACK_ULP, () => eliminate(ev, matrix, [], call));
  const result = ev.ops.loose(eliminated.determinant, DETERMINANT_ULP);
  // After a zero pivot nothing is sure: CPython decides.
  ev.ops.check(ev.ops.isNaN(result), LaneStatus.Untranslated);
  return result;
}

export const LINALG: Table<NumPyFunction> = table({
  ...NUMPY_LINALG_MORE,
  norm,
  solve: row(solve, RAISES),
  inv: row(inverse, RAISES),
  det: row(determinant, RAISES),
});
