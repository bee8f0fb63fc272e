/**
 * When one CMA-ES run has nothing left to gain. Four reasons, after Hansen, Benchmarking a BI-Population CMA-ES on the
 * BBOB-2009 Function Testbed, GECCO 2009, section 2, and pycma's defaults:
 *
 * - tolFun: the best values of the last `recentWindow` generations and the values of the current one lie within 1e-12
 *   (or 1e-12 of the spread of the first generation, when that is below 1, so that an objective with tiny values is not
 *   cut off; or four units in the last place; or 0.1 of the distance to the best value of earlier runs, which this run
 *   then cannot reach any more). The only criterion that looks at more than the order of fitness values.
 * - tolX: the distribution is narrower than 1e-15 of the box, or than the rounding of the mean, in every coordinate.
 * - condition: the covariance is too ill-conditioned to sample from.
 * - stalled: over `stallWindow` generations neither best nor median values get better (median of the last 30 % against
 *   median of the first 30 %), or ten generations in a row gave no finite value.
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import type { StrategyStop } from '../strategy.js';
import type { CmaParameters } from './parameters.js';

const TOL_FUN = 1e-12;
const TOL_X = 1e-15;
const ULPS = 1e-15;
const HOPELESS_SHARE = 0.1;
const HOPELESS_GENERATIONS = 10;

export interface StoppingSnapshot {
  readonly best: string;
  readonly median: string;
  readonly generations: number;
  readonly withoutFinite: number;
  /** [spread, runBest]; encoded because both may be infinite. */
  readonly levels: string;
}

/** Ring buffers of the best and median fitness per generation, and what the criteria read from them. */
export class StopCriteria {
  private readonly best: Float64Array;
  private readonly median: Float64Array;
  private generations = 0;
  private withoutFinite = 0;
  /** Median minus best of the first generation where both are finite and differ; 0 before. */
  private spread = 0;
  private runBest = Infinity;

  constructor(
    private readonly parameters: CmaParameters,
    snapshot?: StoppingSnapshot,
  ) {
    const window = Math.max(parameters.stallWindow, parameters.recentWindow);
    this.best = new Float64Array(window);
    this.median = new Float64Array(window);
    if (snapshot === undefined) return;
    const kept = Math.min(window, snapshot.generations);
    this.best.set(decodeFloats(snapshot.best, kept));
    this.median.set(decodeFloats(snapshot.median, kept));
    this.generations = snapshot.generations;
    this.withoutFinite = snapshot.withoutFinite;
    const levels = decodeFloats(snapshot.levels, 2);
    this.spread = levels[0]!;
    this.runBest = levels[1]!;
  }

  /** Notes one generation; `fitness` [lambda], `order` its ranking. */
  record(fitness: Float64Array, order: Int32Array): void {
    const { lambda } = this.parameters;
    const best = fitness[order[0]];
    const median = fitness[order[lambda >> 1]];
    const slot = this.generations % this.best.length;
    this.best[slot] = best;
    this.median[slot] = median;
    this.generations++;
    if (best < this.runBest) this.runBest = best;
    this.withoutFinite = best === Infinity ? this.withoutFinite + 1 : 0;
    if (this.spread === 0 && median < Infinity) this.spread = median - best;
  }

  reason(fitness: Float64Array, order: Int32Array, geometry: Geometry, bestKnown: number): StrategyStop | null {
    if (this.withoutFinite >= HOPELESS_GENERATIONS) return 'stalled';
    if (this.isFlat(fitness, order, bestKnown)) return 'tolFun';
    if (geometry.isNarrow(TOL_X)) return 'tolX';
    if (this.generations % geometry.conditionInterval === 0 && geometry.isIllConditioned()) return 'condition';
    if (this.hasStalled()) return 'stalled';
    return null;
  }

  private isFlat(fitness: Float64Array, order: Int32Array, bestKnown: number): boolean {
    const { lambda, recentWindow } = this.parameters;
    const best = fitness[order[0]];
    const worst = fitness[order[lambda - 1]];
    const scale = this.spread > 0 ? Math.min(1, this.spread) : 1;
    const tolerance = Math.max(TOL_FUN * scale, ULPS * Math.abs(best), HOPELESS_SHARE * (this.runBest - bestKnown));
    if (this.generations < recentWindow || !(worst - best <= tolerance)) return false;
    let lowest = Infinity;
    let highest = -Infinity;
    for (let k = 1; k <= recentWindow; k++) {
      const value = this.best[(this.generations - k) % this.best.length];
      if (value < lowest) lowest = value;
      if (value > highest) highest = value;
    }
    return highest - lowest <= tolerance;
  }

  private hasStalled(): boolean {
    const window = this.parameters.stallWindow;
    // Medians cost a sort, so only ten times per window.
    if (this.generations < window || this.generations % Math.ceil(window / 10) !== 0) return false;
    return !this.hasImproved(this.best) && !this.hasImproved(this.median);
  }

  private hasImproved(ring: Float64Array): boolean {
    const window = this.parameters.stallWindow;
    const part = Math.ceil(0.3 * window);
    const medianFrom = (oldest: number): number => {
      const values = new Float64Array(part);
      for (let k = 0; k < part; k++) values[k] = ring[(oldest + k) % ring.length]!;
      return values.sort()[part >> 1];
    };
    return medianFrom(this.generations - part) < medianFrom(this.generations - window);
  }

  snapshot(): StoppingSnapshot {
    const kept = Math.min(this.best.length, this.generations);
    return {
      best: encodeFloats(this.best.subarray(0, kept)),
      median: encodeFloats(this.median.subarray(0, kept)),
      generations: this.generations,
      withoutFinite: this.withoutFinite,
      levels: encodeFloats(Float64Array.of(this.spread, this.runBest)),
    };
  }
}

/** Facts about the search distribution that the criteria need. */
export interface Geometry {
  /** Whether every coordinate's step is below `share` of the box or too small to change the mean. */
  isNarrow(share: number): boolean;
  isIllConditioned(): boolean;
  /** Generations between two looks at the condition number, which costs O(n^3). */
  readonly conditionInterval: number;
}
