/** Expected returns and covariance: as given, or estimated from series. */
import { log, exp } from '../../../common/float.js';
import type { Remark } from '../../../model/problem.js';
import { correlationAt, semidefinite, symmetric } from '../covariance.js';
import { assetOf, idsOf, type Config } from './config.js';

export interface Moments {
  readonly ids: readonly string[];
  /** Null: unknown, and the objective does not ask. */
  readonly means: Float64Array | null;
  /** [n, n] row-major, positive semidefinite. */
  readonly covariance: Float64Array;
  /** Returns of the periods, one row each. Null: no data. */
  readonly scenarios: readonly Float64Array[] | null;
  readonly assumptions: readonly Remark[];
  readonly warnings: readonly Remark[];
}

/** Spans of exponential weights, in periods, as PyPortfolioOpt has them. */
const RETURN_SPAN = 500;
const RISK_SPAN = 180;

const known = new WeakMap<Config, Moments>();

/** Estimated once for each config: solver, check and pictures ask. */
export function momentsOf(config: Config): Moments {
  let moments = known.get(config);
  if (moments === undefined) {
    moments = estimate(config);
    known.set(config, moments);
  }
  return moments;
}

function estimate(config: Config): Moments {
  const ids = idsOf(config);
  const scenarios = scenariosOf(config, ids);
  const assumptions: Remark[] = [];
  const warnings: Remark[] = [];
  let covariance: Float64Array;
  let means: Float64Array | null;
  if (scenarios === null) {
    covariance = givenCovariance(config, ids.length, warnings);
    means = givenMeans(config, ids);
  } else {
    const estimator = riskEstimator(config, scenarios, ids.length);
    if (config.risk_estimator === undefined) {
      const why = `${scenarios.length} periods for ${ids.length} assets`;
      const message = `The covariance is estimated with ${estimator} (${why}).`;
      assumptions.push({ code: 'risk_estimator', field: 'config.risk_estimator', message });
    }
    covariance = estimatedCovariance(config, scenarios, ids.length, estimator);
    means = estimatedMeans(config, scenarios, ids);
    const message = `Returns and covariance are those of a year of ${config.periods_per_year} periods.`;
    assumptions.push({ code: 'periods_per_year', field: 'config.periods_per_year', message });
  }
  return { ids, means, covariance: semidefinite(covariance, ids.length, warnings), scenarios, assumptions, warnings };
}

function scenariosOf({ prices, returns }: Config, ids: readonly string[]): Float64Array[] | null {
  const given = prices ?? returns;
  if (given === undefined) return null;
  const table = Array.isArray(given)
    ? (given as readonly (readonly number[])[])
    : transposed(ids.map((name) => (given as Readonly<Record<string, readonly number[]>>)[name] ?? []));
  const rows = table.map((row) => Float64Array.from(row));
  if (prices === undefined) return rows;
  return rows.slice(1).map((row, t) => row.map((price, j) => price / (rows[t]?.[j] ?? Number.NaN) - 1));
}

const transposed = (series: readonly (readonly number[])[]): number[][] =>
  (series[0] ?? []).map((_, t) => series.map((one) => one[t] ?? 0));

function givenMeans(config: Config, ids: readonly string[]): Float64Array | null {
  const { assets, expected_returns } = config;
  const means = ids.map((_, i) => expected_returns?.[i] ?? assets?.[i]?.expected_return);
  return means.every((mean) => mean !== undefined) ? Float64Array.from(means) : null;
}

function givenCovariance(config: Config, n: number, warnings: Remark[]): Float64Array {
  const { assets, correlation, covariance: given } = config;
  if (given === undefined && correlation === undefined && n > 1) {
    const message = 'No correlation was given: the assets are taken as uncorrelated.';
    warnings.push({ code: 'no_correlation', field: 'config.correlation', message });
  }
  const own = (k: number): number => assets?.[k]?.volatility ?? 0;
  return symmetric(n, (i, j) =>
    given === undefined ? correlationAt(correlation, i, j) * own(i) * own(j) : (given[i]?.[j] ?? 0),
  );
}

function estimatedMeans(config: Config, scenarios: readonly Float64Array[], ids: readonly string[]): Float64Array {
  const { periods_per_year: year, return_estimator: estimator, risk_free_rate: safe } = config;
  const n = ids.length;
  const average = (j: number): number => scenarios.reduce((sum, row) => sum + (row[j] ?? 0), 0) / scenarios.length;
  const estimates = Float64Array.from(ids, (_, j) => {
    if (estimator === 'arithmetic') return average(j) * year;
    if (estimator === 'ewma') {
      const shares = exponential(scenarios.length, RETURN_SPAN);
      return scenarios.reduce((sum, row, t) => sum + (shares[t] ?? 0) * (row[j] ?? 0), 0) * year;
    }
    const growth = scenarios.reduce((sum, row) => sum + log(Math.max(0, 1 + (row[j] ?? 0))), 0);
    return exp((growth * year) / scenarios.length) - 1;
  });
  if (estimator === 'capm') {
    // The market is the average of the assets.
    const market = scenarios.map((row) => row.reduce((sum, value) => sum + value, 0) / n);
    const mean = market.reduce((sum, value) => sum + value, 0) / market.length;
    const variance = market.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    for (let j = 0; j < n; j++) {
      const own = average(j);
      const shared = scenarios.reduce((sum, row, t) => sum + ((row[j] ?? 0) - own) * ((market[t] ?? 0) - mean), 0);
      estimates[j] = safe + (variance > 0 ? shared / variance : 1) * (mean * year - safe);
    }
  }
  // What the client knows better than the data.
  return estimates.map(
    (value, j) => config.expected_returns?.[j] ?? assetOf(config, ids[j] ?? '', j)?.expected_return ?? value,
  );
}

function exponential(length: number, span: number): Float64Array {
  const keep = 1 - 2 / (span + 1);
  const shares = new Float64Array(length);
  let share = 1;
  let sum = 0;
  for (let t = length - 1; t >= 0; t--) {
    shares[t] = share;
    sum += share;
    share *= keep;
  }
  return shares.map((value) => value / sum);
}

function riskEstimator(
  { risk_estimator }: Config,
  scenarios: readonly Float64Array[],
  n: number,
): NonNullable<Config['risk_estimator']> {
  return risk_estimator ?? (scenarios.length < 3 * n ? 'ledoit_wolf' : 'sample');
}

function estimatedCovariance(
  { periods_per_year: year, risk_free_rate }: Config,
  scenarios: readonly Float64Array[],
  n: number,
  estimator: NonNullable<Config['risk_estimator']>,
): Float64Array {
  const T = scenarios.length;
  if (estimator === 'semicovariance') {
    const benchmark = risk_free_rate / year;
    const drops = scenarios.map((row) => row.map((value) => Math.min(value - benchmark, 0)));
    return products(drops, new Float64Array(T).fill(year / T), n);
  }
  const shares = estimator === 'ewma' ? exponential(T, RISK_SPAN) : new Float64Array(T).fill(1 / T);
  const means = Float64Array.from({ length: n }, (_, j) =>
    scenarios.reduce((sum, row, t) => sum + (shares[t] ?? 0) * (row[j] ?? 0), 0),
  );
  const centred = scenarios.map((row) => row.map((value, j) => value - (means[j] ?? 0)));
  if (estimator === 'ewma')
    return products(
      centred,
      shares.map((share) => share * year),
      n,
    );
  if (estimator === 'sample') return products(centred, new Float64Array(T).fill(year / (T - 1)), n);
  return shrunk(centred, n).map((value) => value * year);
}

function products(rows: readonly Float64Array[], shares: Float64Array, n: number): Float64Array {
  const sum = new Float64Array(n * n);
  for (const [t, row] of rows.entries()) {
    const share = shares[t] ?? 0;
    for (let i = 0; i < n; i++) {
      const left = share * (row[i] ?? 0);
      for (let j = 0; j <= i; j++) sum[i * n + j] = (sum[i * n + j] ?? 0) + left * (row[j] ?? 0);
    }
  }
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) sum[j * n + i] = sum[i * n + j] ?? 0;
  return sum;
}

/**
 * Towards a multiple of the identity. Source: Ledoit and Wolf, J. Multivariate Analysis 88 (2004) 365-411, section 3.2.
 */
function shrunk(centred: readonly Float64Array[], n: number): Float64Array {
  const T = centred.length;
  const sample = products(centred, new Float64Array(T).fill(1 / T), n);
  let trace = 0;
  for (let i = 0; i < n; i++) trace += sample[i * n + i] ?? 0;
  const level = trace / n;
  const squares = sample.reduce((sum, value) => sum + value * value, 0);
  const spread = squares - n * level * level;
  // Sum over the periods of |x x' - S|^2 = |x|^4 - 2 x'Sx + |S|^2; the middle terms add up to 2 T |S|^2.
  const fourth = centred.reduce((sum, row) => sum + row.reduce((own, value) => own + value * value, 0) ** 2, 0);
  const error = Math.max(0, (fourth / T - squares) / T);
  const weight = spread > 0 ? Math.min(1, error / spread) : 1;
  return sample.map((value, at) => (1 - weight) * value + (at % (n + 1) === 0 ? weight * level : 0));
}
