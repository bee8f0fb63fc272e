/**
 * Bayesian optimization in a trust region, for budgets of a few tens of evaluations per dimension: a Gaussian process
 * of the points around the incumbent, expected improvement maximized in a box around it that grows with success and
 * shrinks with failure. Start with `step`; what is fitted when is in `sync`.
 *
 * Sources, and what is different here: README.md. Figures: docs/adr/0014-bayesian.md.
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { exp, log } from '../../common/float.js';
import type { Rng } from '../../common/rng.js';
import { isWhole, keyOf, middleOf, cellOf, moveToMiddle } from '../search/lattice.js';
import { SeenCells } from '../search/seen-cells.js';
import type { Search, SearchContext, SearchSnapshot, Step } from '../search/search.js';
import type { StrategyStop } from '../strategy.js';
import { GaussianProcess, fitTheta, priorTheta } from './gaussian-process.js';
import { minimize } from './lbfgs.js';
import { logImprovement } from './normal.js';
import { transformed } from './output-transform.js';

/** Most points that a fit takes, the nearest ones to the incumbent; so many more may come one by one. */
const MAX_POINTS = 200;
const MAX_APPENDED = 40;
/** Points are appended until they are this share of those fitted, and at least two. */
const REFIT_SHARE = 1 / 8;
const FIT_ITERATIONS = 20;
/** Prior of the length scales: this times sqrt(n) times the spread of the points. */
const LENGTH_SCALE = 2;
const MIN_DESIGN = 4;
/**
 * Widths of the trust region, as shares of the box; where it has shrunk to the last, a quadratic model does as well.
 */
const FIRST_WIDTH = 0.8;
const MAX_WIDTH = 1.6;
const MIN_WIDTH = 0.05;
const SUCCESSES_TO_GROW = 3;
/** Failures in a row that halve the region: n, and at least so many. */
const MIN_FAILURES = 4;
/** Decrease of the posterior mean, in standard deviations of the values, that counts as success. */
const GAIN = 1e-8;
/** Longest and shortest side of the region relative to the geometric mean of its sides. */
const MAX_STRETCH = 10;
/** Random points of which the best ones are improved by gradient. */
const CANDIDATES = 60;
const STARTS = 2;
const CLIMB_ITERATIONS = 12;
/** Coordinates in which a candidate differs from the incumbent, on average and at most. */
const MOVED_COORDINATES = 20;
/** Shares of the coordinates that move, in turn, where the program rounds some. */
const MOVED_SHARES = [1, 1, 0.4];
/** Every second candidate is as much nearer to the incumbent. */
const NEAR = 0.2;
/** After so many evaluations per dimension a population with a quadratic model, which it can begin, is ahead. */
const EVALUATIONS_PER_DIMENSION = 10;
/** The same where the program rounds coordinates. */
const EVALUATIONS_PER_ROUNDED_DIMENSION = 25;
/** The trust region reaches at least so many cells to both sides. */
const LEAST_CELLS = 1.6;
/** Random cells that are tried for one that was not evaluated. */
const MAX_DRAWS = 50;

/** A process with what it was made from; never changed, only replaced. */
interface Model {
  readonly process: GaussianProcess;
  /** [N, n] and [N]: the points that the process knows, those of the fit first. */
  readonly points: Float64Array;
  readonly fitness: Float64Array;
  readonly fitted: number;
  /** Evaluations of the run that were looked at. */
  readonly seen: number;
  readonly theta: Float64Array;
  /** Index of the point with the lowest posterior mean, and that mean. */
  readonly best: number;
  readonly bestMean: number;
}

interface State {
  readonly model: Model | null;
  /** Width of the trust region before it is stretched by the length scales, as a share of the box. */
  readonly width: number;
  readonly successes: number;
  readonly failures: number;
  readonly evaluations: number;
  readonly end: StrategyStop | null;
}

interface BayesianStart {
  /** Whether it makes use of what was evaluated before. */
  readonly usesArchive: boolean;
  /** Where it begins when there is nothing to use; default: the start of the request or the centre of the box. */
  readonly first?: Float64Array;
}

export class Bayesian implements Search {
  private state: State = { model: null, width: FIRST_WIDTH, successes: 0, failures: 0, evaluations: 0, end: null };
  /** Points evaluated after so many are its own. */
  private readonly firstEvaluation: number;
  private readonly first: Float64Array;

  constructor(
    private readonly context: SearchContext,
    start: BayesianStart,
    snapshot?: SearchSnapshot,
  ) {
    const { n, archive } = context;
    this.firstEvaluation = start.usesArchive ? 0 : archive.evaluations;
    this.first = start.first ?? context.start ?? new Float64Array(n).fill(0.5);
    if (snapshot !== undefined) {
      const saved = snapshot as unknown as BayesianSnapshot;
      this.firstEvaluation = saved.firstEvaluation;
      this.first = decodeFloats(saved.first, n);
      this.state = { ...saved.state, model: saved.model === null ? null : rebuilt(n, saved.model) };
    }
  }

  end(): StrategyStop | null {
    return this.state.end;
  }

  /** Most evaluations. */
  private get evaluations(): number {
    const { n, archive } = this.context;
    return n * (archive.lattice === null ? EVALUATIONS_PER_DIMENSION : EVALUATIONS_PER_ROUNDED_DIMENSION);
  }

  /** The first design, or one proposal. */
  *step(): Step {
    const { n, archive } = this.context;
    const before = archive.evaluations;
    const model = this.sync(this.state.model);
    if (model === null) {
      const points = this.design();
      yield { points, count: points.length / n };
      this.state = {
        ...this.state,
        model: this.sync(null),
        evaluations: this.state.evaluations + archive.evaluations - before,
      };
      if (this.state.evaluations >= this.evaluations) this.state = { ...this.state, end: 'stalled' };
      return;
    }
    const { lower, upper, centre } = this.region(model);
    yield { points: this.improve(model, lower, upper, centre), count: 1 };
    const after = this.sync(model)!;
    this.state = this.judged(model, after, archive.evaluations - before);
  }

  /** Evenly spread over the box, the first one where the search is to begin. */
  private design(): Float64Array {
    const { n, rng } = this.context;
    const count = Math.max(MIN_DESIGN, n + 1) + 1;
    const points = new Float64Array(count * n);
    points.set(this.first);
    // Latin hypercube.
    for (let i = 0; i < n; i++) {
      const cells = Array.from({ length: count - 1 }, (_, k) => k);
      for (let k = count - 2; k > 0; k--) {
        const other = Math.floor(rng.uniform() * (k + 1));
        [cells[k], cells[other]] = [cells[other], cells[k]];
      }
      cells.forEach((cell, k) => (points[(k + 1) * n + i] = (cell + rng.uniform()) / (count - 1)));
    }
    const { lattice } = this.context.archive;
    if (lattice !== null) for (let k = 0; k < count; k++) moveToMiddle(lattice, points, k * n);
    return points;
  }

  /** The trust region after a proposal. */
  private judged(before: Model, after: Model, evaluated: number): State {
    const { n } = this.context;
    let { width, successes, failures } = this.state;
    // Both under the same process: noise, and a transform that has moved, cancel.
    const old = after.process.meanAt(before.points.slice(before.best * n, (before.best + 1) * n));
    if (old - after.bestMean > GAIN) {
      successes++;
      failures = 0;
    } else {
      failures++;
      successes = 0;
    }
    if (successes >= SUCCESSES_TO_GROW) {
      width = Math.min(MAX_WIDTH, 2 * width);
      successes = 0;
    }
    if (failures >= Math.max(MIN_FAILURES, n)) {
      width /= 2;
      failures = 0;
    }
    const evaluations = this.state.evaluations + evaluated;
    const end = width <= MIN_WIDTH ? 'tolX' : evaluations >= this.evaluations ? 'stalled' : null;
    return { model: after, width, successes, failures, evaluations, end };
  }

  /**
   * The model with everything evaluated since: points one by one, or, when enough have come, a new choice of points
   * with hyperparameters fitted anew. Null while there are too few.
   */
  private sync(model: Model | null): Model | null {
    const { n, archive } = this.context;
    if (model !== null && model.seen === archive.evaluations) return model;
    const since = model?.seen ?? this.firstEvaluation;
    const fresh: number[] = [];
    for (let entry = archive.size - 1; entry >= 0 && archive.serial(entry) > since; entry--) {
      if (!archive.isDifference(entry)) fresh.push(entry);
    }
    fresh.reverse();
    if (model === null) return fresh.length < Math.max(MIN_DESIGN, n + 1) ? null : this.refit(null);
    const appended = model.fitness.length - model.fitted + fresh.length;
    if (appended >= Math.min(MAX_APPENDED, Math.max(2, REFIT_SHARE * model.fitted))) {
      return this.refit(model);
    }
    let { process } = model;
    const count = model.fitness.length + fresh.length;
    const points = new Float64Array(count * n);
    const fitness = new Float64Array(count);
    points.set(model.points);
    fitness.set(model.fitness);
    for (const [k, entry] of fresh.entries()) {
      points.set(archive.points.subarray(entry * n, (entry + 1) * n), (model.fitness.length + k) * n);
      if (archive.lattice !== null) moveToMiddle(archive.lattice, points, (model.fitness.length + k) * n);
      fitness[model.fitness.length + k] = archive.fitness[entry]!;
      const next = process.with(points, (model.fitness.length + k) * n);
      if (next === null) return this.refit(model);
      process = next;
    }
    return finished(process, points, fitness, model.fitted, archive.evaluations);
  }

  /** Chooses the points around the incumbent and fits the hyperparameters. */
  private refit(model: Model | null): Model {
    const { n, archive } = this.context;
    let centre = -1;
    for (let entry = 0; entry < archive.size; entry++) {
      if (archive.serial(entry) <= this.firstEvaluation) continue;
      if (centre < 0 || archive.fitness[entry] < archive.fitness[centre]) centre = entry;
    }
    const at = archive.points.slice(centre * n, (centre + 1) * n);
    const weights = model === null ? new Float64Array(n).fill(1) : stretch(model.theta, n);
    const near: { entry: number; distance: number }[] = [];
    for (let entry = 0; entry < archive.size; entry++) {
      if (archive.serial(entry) <= this.firstEvaluation || archive.isDifference(entry)) continue;
      let distance = 0;
      for (let i = 0; i < n; i++)
        distance = Math.max(distance, Math.abs(archive.points[entry * n + i] - at[i]) / weights[i]);
      near.push({ entry, distance });
    }
    near.sort((a, b) => a.distance - b.distance || a.entry - b.entry);
    const distinct = this.distinct(near);
    const count = Math.min(distinct.length, MAX_POINTS);
    const chosen = distinct
      .slice(0, count)
      .map(({ entry }) => entry)
      .sort((a, b) => a - b);
    const points = new Float64Array(count * n);
    const fitness = new Float64Array(count);
    chosen.forEach((entry, k) => {
      points.set(archive.points.subarray(entry * n, (entry + 1) * n), k * n);
      if (archive.lattice !== null) moveToMiddle(archive.lattice, points, k * n);
      fitness[k] = archive.fitness[entry]!;
    });
    const prior = priorTheta(n, LENGTH_SCALE * Math.sqrt(n) * spread(points, count, n));
    const data = { n, count, points, values: transformed(fitness) };
    const theta = fitTheta(data, model?.theta ?? prior, prior, FIT_ITERATIONS);
    return finished(GaussianProcess.create(n, points, count, theta), points, fitness, count, archive.evaluations);
  }

  /** One of each cell, where all coordinates have cells. */
  private distinct<T extends { readonly entry: number }>(near: readonly T[]): readonly T[] {
    const { n, archive } = this.context;
    const { lattice } = archive;
    if (lattice === null || !isWhole(lattice)) return near;
    const keys = new Set<string>();
    return near.filter(({ entry }) => {
      const key = keyOf(lattice, archive.points, entry * n);
      return !keys.has(key) && keys.add(key);
    });
  }

  private region(model: Model): { lower: Float64Array; upper: Float64Array; centre: Float64Array } {
    const { n } = this.context;
    const centre = model.points.slice(model.best * n, (model.best + 1) * n);
    const weights = stretch(model.theta, n);
    const cells = this.context.archive.lattice?.width;
    const half = weights.map((w, i) => Math.max(0.5 * this.state.width * w, LEAST_CELLS * (cells?.[i] ?? 0)));
    const lower = centre.map((c, i) => Math.max(0, c - half[i]));
    const upper = centre.map((c, i) => Math.min(1, c + half[i]));
    return { lower, upper, centre };
  }

  /**
   * The point of the region with the largest expected improvement: the best of many candidates, improved by its
   * gradient.
   */
  private improve(
    { process, bestMean: best }: Model,
    lower: Float64Array,
    upper: Float64Array,
    centre: Float64Array,
  ): Float64Array {
    const { n, rng } = this.context;
    const width = upper.map((high, i) => high - lower[i]);
    const share = Math.min(1, MOVED_COORDINATES / n);
    const candidates: { x: Float64Array; value: number }[] = [];
    const { archive } = this.context;
    const { lattice } = archive;
    const seen = lattice !== null && isWhole(lattice) ? new SeenCells(archive, lattice).sync() : null;
    if (lattice !== null) {
      // The cells next to the incumbent.
      for (let i = 0; i < n; i++) {
        if (!(lattice.width[i] > 0)) continue;
        for (const by of [-1, 1]) {
          const x = centre.slice();
          x[i] = middleOf(lattice, i, cellOf(lattice, i, x[i]) + by);
          if (x[i] === centre[i] || seen?.value(keyOf(lattice, x)) !== undefined) continue;
          const { mean, deviation } = process.at(x);
          const value = logImprovement((best - mean) / deviation).value + log(deviation);
          candidates.push({ x, value: Number.isFinite(value) ? value : -Number.MAX_VALUE });
        }
      }
    }
    for (let k = 0; k < CANDIDATES; k++) {
      const x = centre.slice();
      const scale = k % 2 === 0 || lattice !== null ? 1 : NEAR;
      const moved = lattice === null ? share : Math.min(share, MOVED_SHARES[k % MOVED_SHARES.length]);
      let isMoved = false;
      for (let i = 0; i < n; i++) {
        if (moved < 1 && rng.uniform() > moved) continue;
        isMoved = true;
        const u = lower[i] + width[i] * rng.uniform();
        x[i] = centre[i] + scale * (u - centre[i]);
      }
      if (!isMoved) x[0] = lower[0] + width[0] * rng.uniform();
      if (lattice !== null) moveToMiddle(lattice, x);
      if (seen !== null && seen.value(keyOf(lattice!, x)) !== undefined) continue;
      const { mean, deviation } = process.at(x);
      const value = logImprovement((best - mean) / deviation).value + log(deviation);
      candidates.push({ x, value: Number.isFinite(value) ? value : -Number.MAX_VALUE });
    }
    candidates.sort((a, b) => b.value - a.value);
    if (seen !== null) return candidates[0]?.x ?? this.unseen(seen);
    const meanSlope = new Float64Array(n);
    const deviationSlope = new Float64Array(n);
    const x = new Float64Array(n);
    const place = (t: Float64Array): void => {
      for (let i = 0; i < n; i++) x[i] = Math.min(1, Math.max(0, lower[i] + t[i] * width[i]));
      if (lattice !== null) moveToMiddle(lattice, x);
    };
    const objective = (t: Float64Array, gradient: Float64Array): number => {
      place(t);
      const { mean, deviation } = process.slopesAt(x, meanSlope, deviationSlope);
      const z = (best - mean) / deviation;
      const { value, slope } = logImprovement(z);
      for (let i = 0; i < n; i++) {
        const dz = -(meanSlope[i] + z * deviationSlope[i]) / deviation;
        gradient[i] =
          lattice !== null && lattice.width[i] > 0 ? 0 : -width[i] * (slope * dz + deviationSlope[i] / deviation);
      }
      return -(value + log(deviation));
    };
    let lowest = Infinity;
    let chosen = candidates[0].x;
    for (const start of candidates.slice(0, STARTS)) {
      const t = start.x.map((value, i) => (width[i] > 0 ? (value - lower[i]) / width[i] : 0));
      const value = minimize(objective, t, {
        lower: new Float64Array(n),
        upper: new Float64Array(n).fill(1),
        iterations: CLIMB_ITERATIONS,
        firstStep: 0.1,
        tolerance: 1e-3,
      });
      if (!(value < lowest)) continue;
      lowest = value;
      place(t);
      chosen = x.slice();
    }
    // Exactly on the incumbent there is nothing to learn.
    return chosen.every((value, i) => value === centre[i]) ? randomIn(lower, width, rng) : chosen;
  }

  /** A random cell that was not evaluated, if a few draws find one. */
  private unseen(seen: SeenCells): Float64Array {
    const { n, rng, archive } = this.context;
    const lattice = archive.lattice!;
    const x = new Float64Array(n);
    for (let draw = 0; draw < MAX_DRAWS; draw++) {
      for (let i = 0; i < n; i++) x[i] = rng.uniform();
      moveToMiddle(lattice, x);
      if (seen.value(keyOf(lattice, x)) === undefined) break;
    }
    return x;
  }

  snapshot(): SearchSnapshot {
    const { model, ...state } = this.state;
    const snapshot: BayesianSnapshot = {
      firstEvaluation: this.firstEvaluation,
      first: encodeFloats(this.first),
      state,
      model:
        model === null
          ? null
          : {
              points: encodeFloats(model.points),
              fitness: encodeFloats(model.fitness),
              theta: encodeFloats(model.theta),
              fitted: model.fitted,
              seen: model.seen,
            },
    };
    return { ...snapshot };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): Bayesian {
    return new Bayesian(context, { usesArchive: true }, snapshot);
  }
}

interface ModelSnapshot {
  readonly points: string;
  readonly fitness: string;
  readonly theta: string;
  readonly fitted: number;
  readonly seen: number;
}

interface BayesianSnapshot {
  readonly firstEvaluation: number;
  readonly first: string;
  readonly state: Omit<State, 'model'>;
  readonly model: ModelSnapshot | null;
}

/** By the same operations in the same order as it grew. */
function rebuilt(n: number, saved: ModelSnapshot): Model {
  const count = Buffer.from(saved.fitness, 'base64').byteLength / 8;
  const points = decodeFloats(saved.points, count * n);
  const fitness = decodeFloats(saved.fitness, count);
  let process = GaussianProcess.create(n, points, saved.fitted, decodeFloats(saved.theta, n + 1));
  for (let k = saved.fitted; k < count; k++) {
    const next = process.with(points, k * n);
    if (next === null) throw new Error('bayesian: a snapshot holds a point that the model cannot have taken in');
    process = next;
  }
  return finished(process, points, fitness, saved.fitted, saved.seen);
}

function finished(
  process: GaussianProcess,
  points: Float64Array,
  fitness: Float64Array,
  fitted: number,
  seen: number,
): Model {
  const means = process.learn(transformed(fitness));
  let best = 0;
  for (let k = 1; k < means.length; k++) if (means[k] < means[best]) best = k;
  const { theta } = process;
  return { process, points, fitness, fitted, seen, theta, best, bestMean: means[best] };
}

/** Length scales relative to their geometric mean: how far the region reaches along each coordinate. */
function stretch(theta: Float64Array, n: number): Float64Array {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += theta[i];
  return Float64Array.from({ length: n }, (_, i) =>
    Math.min(MAX_STRETCH, Math.max(1 / MAX_STRETCH, exp(theta[i] - sum / n))),
  );
}

/** Root mean square distance of a coordinate from its mean. */
function spread(points: Float64Array, count: number, n: number): number {
  let squares = 0;
  for (let i = 0; i < n; i++) {
    let mean = 0;
    for (let k = 0; k < count; k++) mean += points[k * n + i] / count;
    for (let k = 0; k < count; k++) squares += (points[k * n + i] - mean) * (points[k * n + i] - mean);
  }
  return Math.max(1e-12, Math.sqrt(squares / (count * n)));
}

const randomIn = (lower: Float64Array, width: Float64Array, rng: Rng): Float64Array =>
  lower.map((low, i) => low + width[i] * rng.uniform());
