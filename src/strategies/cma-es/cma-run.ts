/**
 * One CMA-ES run between two restarts: sample a generation, learn from its fitness, say when nothing is left to gain.
 *
 * Coordinates: the mean lives in the objective's own coordinates (full floating-point resolution wherever the optimum
 * lies); steps are in units of the box width per coordinate, so the initial distribution is isotropic in the unit box:
 * x = mean + width * sigma * y, y = A z, z ~ N(0, I).
 *
 * Symbols: sigma step size; ps [n] evolution path of the step size, whitened; pc [n] evolution path of the covariance;
 * z, y [lambda, n] row-major and x: normals, steps, candidates. Source: Hansen, arXiv:1604.00772, equation numbers
 * below.
 */
import { exp } from '../../common/float.js';
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import type { Rng } from '../../common/rng.js';
import { alignedFloats } from '../../common/aligned.js';
import type { Bounds } from '../../model/bounds.js';
import { candidateStart, candidateStride, inRows, type Placed } from '../../model/candidate-batch.js';
import { padTile, TILE_LANES, tiledLength, toTiles } from '../../model/tiles.js';
import type { StrategyStop } from '../strategy.js';
import { confineCandidate, confineMean, placeCandidates, TOGETHER, type Population } from './boundary.js';
import {
  type Covariance,
  type CovarianceSnapshot,
  FullCovariance,
  LimitedMemoryCovariance,
  MAX_CONDITION,
} from './covariance.js';
import { type CmaParameters, type ScaleRates, cmaParameters } from './parameters.js';
import { rankByFitness } from './rank.js';
import { type Geometry, StopCriteria, type StoppingSnapshot } from './stopping.js';

/** A step size of one box width samples the box almost evenly; beyond that only rejections grow. */
const MAX_SIGMA = 1;
const NO_RATES: ScaleRates = { path: 0, steps: 0 };

export interface CmaStart {
  readonly lambda: number;
  readonly sigma: number;
  /** [n], inside the bounds; kept and changed by the run. */
  readonly mean: Float64Array;
  /** Whether the mean itself is the first candidate. */
  readonly evaluateMean: boolean;
  /** How often a candidate outside the box is drawn again before it is clipped; default 3. */
  readonly redraws?: number;
  /** Whether the scales of the coordinates learn by themselves; default true. */
  readonly learnsScales?: boolean;
  /** Whether candidates of at least a tile lie in tiles; default false. */
  readonly inTiles?: boolean;
}

export interface CmaRunSnapshot {
  readonly lambda: number;
  readonly mean: string;
  readonly sigma: number;
  readonly ps: string;
  readonly pc: string;
  readonly pathDecay: number;
  readonly generation: number;
  readonly evaluateMean: boolean;
  readonly redraws: number;
  readonly learnsScales: boolean;
  readonly covariance: CovarianceSnapshot;
  readonly stopping: StoppingSnapshot;
  /** Only when a generation was asked and not yet wholly told. */
  readonly population?: { readonly z: string; readonly y: string; readonly x: string };
}

export class CmaRun implements Geometry, Population {
  readonly parameters: CmaParameters;
  /** The candidates of the current generation. */
  readonly x: Placed;
  readonly z: Float64Array;
  /** One row more than z: the rank-one update treats pc as a further step. */
  readonly y: Float64Array;
  readonly mean: Float64Array;
  private sigma: number;
  private readonly ps: Float64Array;
  private readonly pc: Float64Array;
  /** (1 - cs)^(2 generations), for the normalisation of |ps| while the path is young. */
  private pathDecay = 1;
  private generation = 0;
  private evaluateMean: boolean;
  private readonly redraws: number;
  private readonly learnsScales: boolean;
  private readonly covariance: Covariance;
  private readonly stopping: StopCriteria;
  readonly conditionInterval: number;

  /** [n]: upper - lower, capped where that overflows. */
  private readonly width: Float64Array;
  readonly stepScale: Float64Array;
  private readonly meanStep: Float64Array;
  private readonly order: Int32Array;
  private readonly orderScratch: Int32Array;
  private readonly coefficients: Float64Array;
  private readonly scratch: Float64Array;
  private readonly difference: Float64Array;

  constructor(
    private readonly bounds: Bounds,
    start: CmaStart,
    snapshot?: CmaRunSnapshot,
  ) {
    const n = start.mean.length;
    const p = cmaParameters(n, start.lambda);
    this.parameters = p;
    this.mean = start.mean;
    this.sigma = start.sigma;
    this.evaluateMean = start.evaluateMean;
    // With so many coordinates hardly any draw is inside.
    this.redraws = p.isLimited ? 0 : (start.redraws ?? 3);
    this.learnsScales = start.learnsScales ?? true;
    this.conditionInterval = Math.max(10, n);
    const layout = start.inTiles === true && p.lambda >= TILE_LANES ? 'tiles' : undefined;
    const length = layout === 'tiles' ? tiledLength(p.lambda, n) : p.lambda * n;
    this.x = { candidates: alignedFloats(length), layout, dimension: n };
    this.z = new Float64Array(p.lambda * n);
    this.y = new Float64Array((p.lambda + 1) * n);
    this.width = Float64Array.from({ length: n }, (_, i) =>
      Math.min(bounds.upper[i] - bounds.lower[i], Number.MAX_VALUE),
    );
    this.stepScale = this.width.map((width) => width * start.sigma);
    this.meanStep = new Float64Array(n);
    this.scratch = new Float64Array(n);
    this.difference = new Float64Array(n);
    this.order = new Int32Array(p.lambda);
    this.orderScratch = new Int32Array(p.lambda);
    this.coefficients = new Float64Array(p.lambda + 1);
    this.ps = snapshot ? decodeFloats(snapshot.ps, n) : new Float64Array(n);
    this.pc = snapshot ? decodeFloats(snapshot.pc, n) : new Float64Array(n);
    this.covariance = p.isLimited
      ? new LimitedMemoryCovariance(p, snapshot?.covariance)
      : new FullCovariance(n, this.learnsScales ? p.scaleRates : NO_RATES, snapshot?.covariance);
    this.stopping = new StopCriteria(p, snapshot?.stopping);
    if (snapshot === undefined) return;
    this.pathDecay = snapshot.pathDecay;
    this.generation = snapshot.generation;
    if (snapshot.population === undefined) return;
    const x = decodeFloats(snapshot.population.x, p.lambda * n);
    this.x.candidates.set(layout === 'tiles' ? toTiles(x, p.lambda, n) : x);
    this.z.set(decodeFloats(snapshot.population.z, p.lambda * n));
    this.y.set(decodeFloats(snapshot.population.y, p.lambda * n));
  }

  static restore(bounds: Bounds, s: CmaRunSnapshot, inTiles = false): CmaRun {
    const mean = decodeFloats(s.mean, bounds.lower.length);
    const { lambda, sigma, evaluateMean, redraws, learnsScales } = s;
    return new CmaRun(bounds, { lambda, sigma, mean, evaluateMean, redraws, learnsScales, inTiles }, s);
  }

  /** Fills `x` with a new generation, eq. 38-40. */
  sample(rng: Rng): void {
    const { n, lambda } = this.parameters;
    const { y, z, stepScale, width, sigma, bounds } = this;
    rng.fillNormals(z, 0, lambda * n);
    if (this.evaluateMean) z.fill(0, 0, n);
    this.evaluateMean = false;
    this.covariance.transform(z, y, 0, lambda);
    for (let i = 0; i < n; i++) stepScale[i] = width[i] * sigma;
    for (let first = 0; first < lambda; first += TOGETHER) {
      const outside = placeCandidates(this, first, Math.min(TOGETHER, lambda - first), bounds);
      for (let k = first, rest = outside; rest !== 0; k++, rest >>= 1) {
        if ((rest & 1) === 1) confineCandidate(this, k, bounds, this.covariance, rng, this.redraws);
      }
    }
    if (this.x.layout === 'tiles') padTile(this.x.candidates, lambda, n);
  }

  /** Puts the point at `points[start ..]` in the place of candidate `k`. */
  inject(k: number, points: Float64Array, start: number): void {
    const { n } = this.parameters;
    const { candidates } = this.x;
    const stride = candidateStride(this.x);
    for (let i = 0, at = candidateStart(this.x, k); i < n; i++, at += stride) {
      const value = points[start + i];
      candidates[at] = value;
      this.y[k * n + i] = (value - this.mean[i]) / this.stepScale[i];
    }
    this.covariance.whiten(this.y, k * n, this.scratch);
    this.z.set(this.scratch, k * n);
  }

  /**
   * Points in coordinates in which the search distribution of the last `sample` is standard normal: rows `first .. end`
   * of `z` [., n] and of `squaredLengths` get the rows `entries[first .. end]` of `points`.
   */
  whitenRows(
    points: Float64Array,
    entries: Int32Array,
    first: number,
    end: number,
    z: Float64Array,
    squaredLengths: Float64Array,
  ): void {
    const { n } = this.parameters;
    const { mean, stepScale } = this;
    const task = { n, count: end - first, entries: entries.subarray(first, end), points, mean, scale: stepScale };
    this.covariance.whitenRows(task, z.subarray(first * n, end * n), squaredLengths.subarray(first, end));
  }

  /** The way back: a point of the box, clipped where `z` [n] lies outside. */
  colour(z: Float64Array): Float64Array {
    const { width, sigma, mean, bounds, difference } = this;
    this.covariance.transform(z, difference, 0, 1);
    return mean.map((value, i) =>
      Math.min(bounds.upper[i], Math.max(bounds.lower[i], value + width[i] * sigma * difference[i])),
    );
  }

  /** Learns from a whole generation; `fitness` [lambda] without NaN. Returns why the run is over, or null. */
  learn(fitness: Float64Array, bestKnown: number): StrategyStop | null {
    const p = this.parameters;
    rankByFitness(fitness, this.order, this.orderScratch, p.lambda);
    this.generation++;
    if (fitness[this.order[0]] !== Infinity) this.adapt(fitness);
    this.stopping.record(fitness, this.order);
    return this.stopping.reason(fitness, this.order, this, bestKnown);
  }

  private adapt(fitness: Float64Array): void {
    const p = this.parameters;
    const { n, lambda, mu, weights, cs, cc, c1, cmu } = p;
    const { order, y, z, mean, meanStep, ps, pc, stepScale, scratch, coefficients } = this;
    const { lower, upper } = this.bounds;

    // Eq. 41-42: the mean moves by the weighted best steps. Failed candidates carry no information on where to go, so
    // with fewer than mu finite ones the weights of those are scaled up to sum 1.
    let parents = 0;
    let parentWeight = 0;
    while (parents < mu && fitness[order[parents]] < Infinity) parentWeight += weights[parents++];
    meanStep.fill(0);
    for (let r = 0; r < parents; r++) {
      const w = weights[r] / parentWeight;
      const row = order[r] * n;
      for (let i = 0; i < n; i++) meanStep[i] += w * y[row + i];
    }
    for (let i = 0; i < n; i++) {
      const old = mean[i];
      const moved = old + stepScale[i] * meanStep[i];
      mean[i] = confineMean(moved, lower[i], upper[i], stepScale[i] * Math.sqrt(this.covariance.variance(i)));
      if (mean[i] === moved) continue;
      // The paths follow the step that was really taken; the second form is for boxes as wide as f64 itself. In a box
      // of a few denormal numbers steps may be 0.
      const taken = mean[i] - old;
      const step = stepScale[i];
      meanStep[i] = step === 0 ? 0 : Number.isFinite(taken) ? taken / step : mean[i] / step - old / step;
    }

    // Eq. 43: path of the step size, with A^-1 in the place of C^(-1/2).
    this.covariance.whiten(meanStep, 0, scratch);
    const psGain = Math.sqrt(cs * (2 - cs) * p.muEff);
    let psSquared = 0;
    for (let i = 0; i < n; i++) {
      const value = (1 - cs) * ps[i] + psGain * scratch[i];
      ps[i] = value;
      psSquared += value * value;
    }
    const psLength = Math.sqrt(psSquared);

    // Eq. 45 and the stall of pc while ps is long (h_sigma).
    this.pathDecay *= (1 - cs) * (1 - cs);
    const hSigma = psLength < (1.4 + 2 / (n + 1)) * p.chiN * Math.sqrt(1 - this.pathDecay) ? 1 : 0;
    const pcGain = hSigma * Math.sqrt(cc * (2 - cc) * p.muEff);
    for (let i = 0; i < n; i++) pc[i] = (1 - cc) * pc[i] + pcGain * meanStep[i];

    // Eq. 46-47. Negative weights are scaled by n / |A^-1 y|^2, so that no single step can make C indefinite.
    for (let r = 0; r < lambda; r++) {
      const index = order[r];
      let w = weights[r];
      if (w < 0) {
        const row = index * n;
        let squared = 0;
        for (let i = 0; i < n; i++) squared += z[row + i] * z[row + i];
        w = squared > 0 ? (w * n) / squared : 0;
      } else if (r >= parents) {
        w = 0;
      } else {
        w /= parentWeight;
      }
      coefficients[index] = cmu * w;
    }
    coefficients[lambda] = c1;
    y.set(pc, lambda * n);
    const decay = 1 + c1 * (1 - hSigma) * cc * (2 - cc) - c1 - cmu * p.weightSum;
    this.covariance.update(decay, y, coefficients, lambda + 1, scratch);

    // Eq. 44; the exponent is clamped to 1, so sigma grows at most e-fold per generation.
    let exponent = (cs / p.ds) * (psLength / p.chiN - 1);
    if (this.isPlateau(fitness)) exponent += 0.2 + cs / p.ds;
    this.sigma = Math.min(this.sigma * exp(Math.min(1, exponent)), MAX_SIGMA);

    if (this.generation % p.factorGap === 0) this.covariance.refresh();
  }

  /**
   * Whether the best quarter of the generation is all equal (B.4, flat fitness): steps are too small to see a slope.
   * Not when those candidates are the same point, as in a corner of the box.
   */
  private isPlateau(fitness: Float64Array): boolean {
    const { x, order } = this;
    const { candidates } = x;
    const { n, lambda } = this.parameters;
    const first = order[0];
    const other = order[Math.min(lambda - 1, 1 + (lambda >> 2))];
    if (fitness[first] !== fitness[other]) return false;
    const stride = candidateStride(x);
    const away = candidateStart(x, other) - candidateStart(x, first);
    for (let i = 0, at = candidateStart(x, first); i < n; i++, at += stride)
      if (candidates[at] !== candidates[at + away]) return true;
    return false;
  }

  isNarrow(share: number): boolean {
    const { n } = this.parameters;
    for (let i = 0; i < n; i++) {
      const deviation = Math.sqrt(this.covariance.variance(i));
      const step = this.sigma * Math.max(deviation, Math.abs(this.pc[i]));
      if (step < share) continue;
      const change = 0.2 * this.sigma * deviation * this.width[i];
      if (this.mean[i] + change !== this.mean[i] || this.mean[i] - change !== this.mean[i]) return false;
    }
    return true;
  }

  isIllConditioned(): boolean {
    return this.covariance.conditionNumber() > MAX_CONDITION;
  }

  snapshot(withPopulation: boolean): CmaRunSnapshot {
    return {
      lambda: this.parameters.lambda,
      mean: encodeFloats(this.mean),
      sigma: this.sigma,
      ps: encodeFloats(this.ps),
      pc: encodeFloats(this.pc),
      pathDecay: this.pathDecay,
      generation: this.generation,
      evaluateMean: this.evaluateMean,
      redraws: this.redraws,
      learnsScales: this.learnsScales,
      covariance: this.covariance.snapshot(),
      stopping: this.stopping.snapshot(),
      population: withPopulation
        ? {
            z: encodeFloats(this.z),
            y: encodeFloats(this.y.subarray(0, this.z.length)),
            x: encodeFloats(inRows({ ...this.x, count: this.parameters.lambda }).candidates),
          }
        : undefined,
    };
  }
}
