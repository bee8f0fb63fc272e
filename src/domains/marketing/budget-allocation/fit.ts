/**
 * Response curves from a history of spend and outcome: outcome = base + sum of scale_i curve_i(spend in effect), base
 * and scales at least 0. For given curve parameters the scales are a least-squares problem with signs; the parameters,
 * one for each channel, are searched one after the other until no channel's changes.
 */
import { exp, log } from '../../../common/float.js';
import { curveOf, type Response } from './curves.js';

export const FITTED_CURVES = ['power', 'log', 'negexp', 'hill'] as const;
type FittedCurve = (typeof FITTED_CURVES)[number];

const GRID = 16;
const ROUNDS = 12;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
const GOLDEN_STEPS = 24;
const MAX_SWEEPS = 3_000;

interface FittedChannel {
  readonly spend: readonly number[];
  readonly decay: number;
}

export interface Fit {
  readonly responses: readonly Response[];
  readonly base: number;
  readonly rSquared: number;
  /** For each channel, whether the history shows an effect of it. */
  readonly hasEffect: readonly boolean[];
}

/** Amount in effect in each period: its spend and the rest of the earlier ones. */
function inEffect({ spend, decay }: FittedChannel): number[] {
  let before = 0;
  return spend.map((x) => (before = x + decay * before));
}

/** A curve of scale 1; `parameter` is an exponent, or a spend relative to `usual`. */
function unitResponse(type: FittedCurve, parameter: number, usual: number): Response {
  switch (type) {
    case 'power':
      return { type, scale: 1, exponent: parameter };
    case 'log':
      return { type, scale: 1, half: parameter * usual };
    case 'negexp':
      return { type, max: 1, scale: parameter * usual };
    case 'hill':
      return { type, max: 1, half_saturation: parameter * usual, shape: 1 };
  }
}

function withScale(response: Response, scale: number): Response {
  const least = Math.max(scale, 1e-9);
  switch (response.type) {
    case 'power':
    case 'log':
      return { ...response, scale: least };
    case 'negexp':
    case 'hill':
      return { ...response, max: least };
    case 'points':
      return response;
  }
}

/** Sums of products of the columns and the outcome; the last column is the base. */
class Regression {
  private readonly columns: Float64Array[];
  private readonly gram: Float64Array[];
  private readonly product: Float64Array;
  private readonly total: number;
  /** Scales, in the units of the columns as they are kept: each of length 1. */
  private readonly scales: Float64Array;
  private readonly lengths: Float64Array;

  constructor(
    private readonly outcome: readonly number[],
    count: number,
  ) {
    this.columns = Array.from({ length: count }, () => new Float64Array(outcome.length));
    this.gram = this.columns.map(() => new Float64Array(count));
    this.product = new Float64Array(count);
    this.scales = new Float64Array(count);
    this.lengths = new Float64Array(count).fill(1);
    this.total = outcome.reduce((sum, y) => sum + y * y, 0);
  }

  set(i: number, values: readonly number[]): void {
    const length = Math.sqrt(values.reduce((sum, v) => sum + v * v, 0)) || 1;
    this.lengths[i] = length;
    const column = this.columns[i];
    for (const [t, value] of values.entries()) column[t] = value / length;
    this.product[i] = column.reduce((sum, v, t) => sum + v * this.outcome[t], 0);
    for (const [j, other] of this.columns.entries()) {
      this.gram[i][j] = this.gram[j][i] = column.reduce((sum, v, t) => sum + v * other[t], 0);
    }
  }

  /** Sum of squared errors of the best scales, by cyclic coordinate descent from those of before. */
  solve(): number {
    const { gram, product, scales } = this;
    for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
      let change = 0;
      for (let i = 0; i < scales.length; i++) {
        if (gram[i][i] === 0) continue;
        let rest = product[i];
        for (let j = 0; j < scales.length; j++) if (j !== i) rest -= gram[i][j] * scales[j];
        const next = Math.max(0, rest / gram[i][i]);
        change = Math.max(change, Math.abs(next - scales[i]));
        scales[i] = next;
      }
      if (change * change <= 1e-22 * this.total) break;
    }
    let error = this.total;
    for (let i = 0; i < scales.length; i++) {
      let row = -2 * product[i];
      for (let j = 0; j < scales.length; j++) row += gram[i][j] * scales[j];
      error += scales[i] * row;
    }
    return Math.max(0, error);
  }

  scaleOf(i: number): number {
    return this.scales[i] / this.lengths[i];
  }
}

export function fitResponses(
  channels: readonly FittedChannel[],
  outcome: readonly number[],
  type: FittedCurve,
  look: () => void,
): Fit {
  const effects = channels.map(inEffect);
  const usual = effects.map((effect) => {
    const active = effect.filter((x) => x > 0);
    return active.length === 0 ? 1 : active.reduce((a, b) => a + b, 0) / active.length;
  });
  const [least, most] = type === 'power' ? [0.1, 1] : [0.05, 20];
  const n = channels.length;
  const regression = new Regression(outcome, n + 1);
  regression.set(
    n,
    outcome.map(() => 1),
  );
  const put = (i: number, parameter: number): void => {
    const curve = curveOf(unitResponse(type, parameter, usual[i]), 0);
    regression.set(
      i,
      effects[i].map((x) => curve.value(x)),
    );
  };
  const parameters = channels.map(() => Math.sqrt(least * most));
  for (const [i, parameter] of parameters.entries()) put(i, parameter);
  let error = regression.solve();
  for (let round = 0; round < ROUNDS; round++) {
    const before = error;
    for (let i = 0; i < n; i++) {
      const at = (share: number): number => {
        look();
        put(i, exp(log(least) + share * (log(most) - log(least))));
        return regression.solve();
      };
      // A grid first: errors may have several valleys.
      const grid = Array.from({ length: GRID + 1 }, (_, k) => at(k / GRID));
      const valley = grid.reduce((best, value, k) => (value < grid[best] ? k : best), 0);
      let [a, b] = [Math.max(0, (valley - 1) / GRID), Math.min(1, (valley + 1) / GRID)];
      let [c, d] = [b - GOLDEN * (b - a), a + GOLDEN * (b - a)];
      let [atC, atD] = [at(c), at(d)];
      for (let step = 0; step < GOLDEN_STEPS; step++) {
        if (atC <= atD) {
          [b, d, atD] = [d, c, atC];
          c = b - GOLDEN * (b - a);
          atC = at(c);
        } else {
          [a, c, atC] = [c, d, atD];
          d = a + GOLDEN * (b - a);
          atD = at(d);
        }
      }
      const found = atC <= atD ? c : d;
      const refined = at(found);
      const parameter = exp(log(least) + found * (log(most) - log(least)));
      // Never worse than before.
      if (refined <= error) parameters[i] = parameter;
      put(i, parameters[i]);
      error = regression.solve();
    }
    if (before - error <= 1e-9 * before) break;
  }
  const mean = outcome.reduce((a, b) => a + b, 0) / outcome.length;
  const spread = outcome.reduce((sum, y) => sum + (y - mean) ** 2, 0);
  return {
    responses: parameters.map((parameter, i) =>
      withScale(unitResponse(type, parameter, usual[i]), regression.scaleOf(i)),
    ),
    base: regression.scaleOf(n),
    rSquared: spread > 0 ? 1 - error / spread : 1,
    hasEffect: parameters.map((_, i) => regression.scaleOf(i) > 0),
  };
}
