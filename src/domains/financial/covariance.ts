/**
 * Correlations and covariances as configs give them: their fields, their checks, and repairs of what is no covariance.
 */
import { handChecked } from '../../common/hand-checked.js';
import { choleskyFactor } from '../../linalg/cholesky.js';
import { SymmetricEigen } from '../../linalg/symmetric-eigen.js';
import type { Remark } from '../../model/problem.js';
import { matrix, type Complain } from '../fields.js';

/** A covariance is positive semidefinite up to rounding of the numbers that were sent. */
const ROUNDING = 1e-9;
/** Entries that mirror each other, and a diagonal of 1, differ by no more. */
const SAME = 1e-9;

/** A matrix, or one number for all pairs. */
export const correlationField = (most: number) => {
  const table = matrix('Correlations', { most }, { most, minimum: -1, maximum: 1 });
  return handChecked<number | readonly (readonly number[])[]>(
    {
      anyOf: [
        { type: 'number', minimum: -1, maximum: 1 },
        { type: 'array', items: { type: 'array', items: { type: 'number', minimum: -1, maximum: 1 } } },
      ],
      description: 'Matrix, or one number for all pairs. Absent: 0',
    },
    (value, complain) => {
      if (typeof value === 'number') {
        if (!(value >= -1 && value <= 1)) complain([], `\`{field}\` must be from -1 to 1, not ${value}.`);
        return;
      }
      const [issue] = table.safeParse(value).error?.issues ?? [];
      if (issue !== undefined) complain(issue.path, issue.message);
    },
  );
};

/** Square, symmetric, with a diagonal that such a table has; true where all holds. */
export function checkSymmetric(
  table: readonly (readonly number[])[],
  n: number,
  { name, complain }: { readonly name: 'correlation' | 'covariance'; readonly complain: Complain },
): boolean {
  if (table.length !== n || table[0]?.length !== n) {
    complain([name], `\`{field}\` must have ${n} rows and columns, not ${table.length} by ${table[0]?.length}.`);
    return false;
  }
  for (const [i, row] of table.entries()) {
    const diagonal = row[i] ?? 0;
    if (name === 'correlation' && Math.abs(diagonal - 1) > SAME) {
      complain([name, i, i], `\`{field}\` must be 1, not ${diagonal}.`);
      return false;
    }
    if (diagonal < 0) {
      complain([name, i, i], `\`{field}\` is a variance: it must be at least 0, not ${diagonal}.`);
      return false;
    }
    for (let j = 0; j < i; j++) {
      const [a = 0, b = 0] = [row[j], table[j]?.[i]];
      if (Math.abs(a - b) > SAME * Math.max(Math.abs(a), Math.abs(b))) {
        complain([name, i, j], `\`{field}\` must be ${b}, as \`config.${name}[${j}][${i}]\` is, not ${a}.`);
        return false;
      }
    }
  }
  return true;
}

/** [n, n] row-major, exactly symmetric; `entry` is asked for the lower triangle. */
export function symmetric(n: number, entry: (i: number, j: number) => number): Float64Array {
  const table = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const value = entry(i, j);
      table[i * n + j] = value;
      table[j * n + i] = value;
    }
  }
  return table;
}

/** Correlation of i and j. `given`: one number for all pairs, or a matrix; absent: 0. */
export function correlationAt(
  given: number | readonly (readonly number[])[] | undefined,
  i: number,
  j: number,
): number {
  if (i === j) return 1;
  return typeof given === 'number' ? given : (given?.[i]?.[j] ?? 0);
}

/** Negative eigenvalues become 0, with a warning. */
export function semidefinite(covariance: Float64Array, n: number, warnings: Remark[]): Float64Array {
  if (choleskyFactor(covariance, new Float64Array(n * n), n)) return covariance;
  const values = new Float64Array(n);
  const vectors = new Float64Array(n * n);
  if (!new SymmetricEigen(n).decompose(covariance, values, vectors)) return covariance;
  const largest = Math.max(0, ...values);
  if (!((values[0] ?? 0) < -ROUNDING * largest)) return covariance;
  const repaired = new Float64Array(n * n);
  for (let k = 0; k < n; k++) {
    const value = values[k] ?? 0;
    if (value <= 0) continue;
    for (let i = 0; i < n; i++) {
      const left = value * (vectors[k * n + i] ?? 0);
      for (let j = 0; j <= i; j++) repaired[i * n + j] = (repaired[i * n + j] ?? 0) + left * (vectors[k * n + j] ?? 0);
    }
  }
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) repaired[j * n + i] = repaired[i * n + j] ?? 0;
  const message =
    `The covariance was not positive semidefinite (smallest eigenvalue ${(values[0] ?? 0).toPrecision(3)}): ` +
    'its negative eigenvalues were set to 0.';
  warnings.push({ code: 'covariance_repaired', message });
  return repaired;
}
