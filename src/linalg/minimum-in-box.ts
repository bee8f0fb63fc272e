/** Minimum of a convex quadratic in a box, in coordinates other than those in which its Hessian is known. */
import { choleskyFactor, solveLower, solveUpper } from './cholesky.js';
import { dot } from './dot.js';

interface BoxedQuadratic {
  /** Of z [n, n], lower triangle, positive definite. */
  readonly hessian: Float64Array;
  /** A [n, n] row-major, regular: u = A z. */
  readonly factor: Float64Array;
  /** The minimum without the box [n], in u. */
  readonly unbounded: Float64Array;
  /** Of u [n], lower <= upper. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** How small, of its diagonal, a pivot may be. */
const PIVOT = 1e-14;

/**
 * By active sets: the bound passed most is held, and what pulls the wrong way is let go. What is held lies on its
 * bound exactly. Meant for tens of variables.
 *
 * @returns u [n]; null where the equations cannot be solved, or 3 n rounds are not enough
 */
export function minimumInBox({ hessian, factor, unbounded, lower, upper }: BoxedQuadratic): Float64Array | null {
  const n = unbounded.length;
  const root = new Float64Array(n * n);
  if (!choleskyFactor(hessian, root, n, PIVOT)) return null;
  // The inverse Hessian of u, A H^-1 A', has the products of these rows.
  const rows = Array.from({ length: n }, (_, i) => {
    const row = factor.slice(i * n, (i + 1) * n);
    solveLower(root, row, row, n);
    return row;
  });
  const held: number[] = [];
  const bound = new Float64Array(n);
  for (let round = 0; round < 3 * n; round++) {
    const pull = multipliers(rows, held, unbounded, bound);
    if (pull === null) return null;
    const wrong = indexOfLargest(held, (i, k) => (bound[i] === upper[i] ? -pull[k] : pull[k]));
    if (wrong >= 0) {
      held.splice(wrong, 1);
      continue;
    }
    const u = unbounded.map((value, j) => held.reduce((left, i, k) => left - dot(rows[j], rows[i]) * pull[k], value));
    for (const i of held) u[i] = bound[i];
    const passed = indexOfLargest(u, (value, i) => Math.max(lower[i] - value, value - upper[i]));
    if (passed < 0) return u;
    bound[passed] = u[passed] > upper[passed] ? upper[passed] : lower[passed];
    held.push(passed);
  }
  return null;
}

/** What keeps the coordinates in `held` on their bounds; null where they depend on each other. */
function multipliers(
  rows: readonly Float64Array[],
  held: readonly number[],
  unbounded: Float64Array,
  bound: Float64Array,
): Float64Array | null {
  const m = held.length;
  const pull = Float64Array.from(held, (i) => unbounded[i] - bound[i]);
  if (m === 0) return pull;
  const matrix = new Float64Array(m * m);
  for (let a = 0; a < m; a++) for (let b = 0; b <= a; b++) matrix[a * m + b] = dot(rows[held[a]], rows[held[b]]);
  const root = new Float64Array(m * m);
  if (!choleskyFactor(matrix, root, m, PIVOT)) return null;
  solveLower(root, pull, pull, m);
  solveUpper(root, pull, pull, m);
  return pull;
}

/** Of positive numbers only; -1 where there are none. */
function indexOfLargest(items: ArrayLike<number>, sizeOf: (item: number, index: number) => number): number {
  let largest = 0;
  let index = -1;
  for (let k = 0; k < items.length; k++) {
    const size = sizeOf(items[k], k);
    if (size > largest) [index, largest] = [k, size];
  }
  return index;
}
