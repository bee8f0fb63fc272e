/**
 * The weights that are allowed, as rows and columns of a programme. Columns beyond the weights measure trades and
 * absolute weights.
 */
import type { Column, LinearProgram, Row } from '../../solvers/linear-program.js';
import { assetOf, currentWeights, idsOf, type Bound, type Config } from './config.js';

export interface Region {
  /** The first columns of a programme. */
  readonly assets: number;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Columns whose sum is the turnover, with the cost of each. Empty: trades are neither limited nor paid for. */
  readonly trades: readonly number[];
}

export type Terms = readonly (readonly [column: number, coefficient: number])[];

/** `isPaid`: trades cost something in this programme. */
export function regionOf(config: Config, bounds: readonly Bound[], isPaid: boolean): Region {
  const ids = idsOf(config);
  const n = ids.length;
  const columns: Column[] = ids.map((name, j) => ({ name: `weight of ${name}`, cost: 0, ...bounds[j] }));
  const rows: Row[] = [];
  const all = ids.map((_, j) => j);
  const sum = (of: readonly number[]): Terms => of.map((j) => [j, 1]);
  rows.push({ name: 'net_exposure', lower: config.net_exposure, upper: config.net_exposure, terms: sum(all) });
  for (const { name, terms, min, max } of linearLimits(config)) {
    rows.push({
      name,
      terms,
      lower: min,
      upper: max,
    });
  }
  const add = (name: string): number => columns.push({ name, cost: 0 }) - 1;
  const trades: number[] = [];
  if (config.max_turnover !== undefined || (isPaid && config.transaction_cost > 0)) {
    for (const [j, weight] of currentWeights(config).entries()) {
      const [bought, sold] = [add(`bought of ${ids[j]}`), add(`sold of ${ids[j]}`)];
      trades.push(bought, sold);
      const terms: Terms = [[j, 1], [bought, -1], [sold, 1]]; // prettier-ignore
      rows.push({ name: `trade of ${ids[j]}`, lower: weight, upper: weight, terms });
    }
    if (config.max_turnover !== undefined)
      rows.push({ name: 'max_turnover', upper: config.max_turnover, terms: sum(trades) });
  }
  if (config.gross_exposure !== undefined && bounds.some(({ lower }) => lower < 0)) {
    const sizes = all.map((j) => add(`size of ${ids[j]}`));
    for (const [j, size] of sizes.entries()) {
      rows.push({ name: `size of ${ids[j]}`, lower: 0, terms: [[size, 1], [j, -1]] }); // prettier-ignore
      rows.push({ name: `size of ${ids[j]}`, lower: 0, terms: [[size, 1], [j, 1]] }); // prettier-ignore
    }
    rows.push({ name: 'gross_exposure', upper: config.gross_exposure, terms: sum(sizes) });
  }
  return { assets: n, columns, rows, trades };
}

interface LinearLimit {
  readonly name: string;
  readonly terms: Terms;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** Groups and linear constraints. */
export function linearLimits(config: Config): LinearLimit[] {
  const ids = idsOf(config);
  const groups = (config.groups ?? []).map(({ group, min, max }) => ({
    name: `group ${group}`,
    terms: ids.flatMap((name, j) => (assetOf(config, name, j)?.group === group ? [[j, 1] as const] : [])),
    min,
    max,
  }));
  const place = new Map(ids.map((name, j) => [name, j]));
  const constraints = (config.constraints ?? []).map(({ id, weights, min, max }, i) => ({
    name: `constraint ${id ?? i + 1}`,
    terms: Object.entries(weights).map(([name, coefficient]) => [place.get(name) ?? 0, coefficient] as const),
    min,
    max,
  }));
  return [...groups, ...constraints];
}

/** Upper triangle of factor * (covariance + penalty I), over the weights. */
export function curvature(
  covariance: Float64Array,
  n: number,
  factor: number,
  penalty: number,
): LinearProgram['quadratic'] {
  const entries: { i: number; j: number; value: number }[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) {
      const value = factor * ((covariance[i * n + j] ?? 0) + (i === j ? penalty : 0));
      if (value !== 0) entries.push({ i, j, value });
    }
  }
  return entries;
}

/**
 * The region in multiples of an unknown scale, which is the last column: where every limit is linear in the weights,
 * the scaled weights y = scale * w satisfy limits without constants. Where the sum of the weights is all that the scale
 * is needed for, it is replaced by that sum, and the curvature stays definite.
 */
export function homogenized(region: Region, netExposure: number): Pick<LinearProgram, 'columns' | 'rows'> {
  const { assets, columns, rows } = region;
  const isPlain = columns.length === assets;
  const scale = columns.length;
  const names = isPlain ? [] : [{ name: 'scale', cost: 0 }];
  const scaled: Row[] = [];
  /** terms - limit * scale >= or <= 0 */
  const push = (name: string, terms: Terms, limit: number, side: 'lower' | 'upper'): void => {
    if (!isPlain) {
      scaled.push({ name, terms: limit === 0 ? terms : [...terms, [scale, -limit]], [side]: 0 });
      return;
    }
    const dense = new Float64Array(assets).fill(-limit / netExposure);
    for (const [j, coefficient] of terms) dense[j] = (dense[j] ?? 0) + coefficient;
    scaled.push({ name, terms: Array.from(dense, (value, j) => [j, value] as const), [side]: 0 });
  };
  const free = columns.map(({ name, cost, lower = 0, upper = Infinity }, j) => {
    if (lower !== 0 && Number.isFinite(lower)) push(name, [[j, 1]], lower, 'lower');
    // Weights of at least 0 that add up to the net exposure are no larger than it.
    const isImplied = isPlain && upper >= netExposure && columns.every((column) => (column.lower ?? 0) >= 0);
    if (upper !== 0 && Number.isFinite(upper) && !isImplied) push(name, [[j, 1]], upper, 'upper');
    return { name, cost, lower: lower === 0 ? 0 : -Infinity, upper: upper === 0 ? 0 : Infinity };
  });
  for (const { name, lower = -Infinity, upper = Infinity, terms } of rows) {
    if (isPlain && name === 'net_exposure') continue;
    if (lower === upper && !isPlain) {
      scaled.push({ name, lower: 0, upper: 0, terms: lower === 0 ? terms : [...terms, [scale, -lower]] });
      continue;
    }
    if (Number.isFinite(lower)) push(name, terms, lower, 'lower');
    if (Number.isFinite(upper)) push(name, terms, upper, 'upper');
  }
  if (isPlain) scaled.push({ name: 'net_exposure', lower: 0, terms: Array.from({ length: assets }, (_, j) => [j, 1]) });
  return { columns: [...free, ...names], rows: scaled };
}
