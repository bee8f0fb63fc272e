/**
 * One run of CMA-ES with a quadratic model: in each generation only as many candidates are evaluated as it takes until
 * the model ranks the latest points right; the others get the model's values. Source: Hansen, "A global surrogate assisted
 * CMA-ES", GECCO 2019 (lq-CMA-ES). Here the model lives in the coordinates whitened by the search distribution, and of
 * the run's points the nearest in them are fitted, not the latest.
 */
import type { Bounds } from '../../model/bounds.js';
import { CmaRun, type CmaRunSnapshot, type RunStart } from '../cma-es/cma-run.js';
import { evaluatePoint, type Search, type SearchContext, type SearchSnapshot, type Step } from '../search/search.js';
import type { Archive } from '../search/archive.js';
import type { StrategyStop } from '../strategy.js';
import { QuadraticModel, coefficientCount, largestKind, modelKind, pointsToFit } from './quadratic-model.js';

/** Rank correlation of model and truth from which the model's ranking is taken. */
const GOOD_TAU = 0.85;
/** Latest points that it is measured on, at least. */
const TAU_POINTS = 15;
/** So often a candidate outside the box is drawn again: clipping makes runs collapse into the boundary. */
const REDRAWS = 20;
const MIN_SIGMA = 1e-10;

export interface LqStart {
  readonly mean: Float64Array;
  readonly lambda: number;
  /** Share of the box. */
  readonly sigma: number;
  /** Whether to model at all. */
  readonly isModelled?: boolean;
}

export class LqCmaEs implements Search {
  private readonly run: CmaRun;
  private reason: StrategyStop | null;
  /** The run's points are those evaluated after so many. */
  private readonly firstEvaluation: number;
  private bestFitness: number;
  private readonly isModelled: boolean;
  /** Best value of all earlier runs: one that only finds it again is over. */
  private readonly bestBefore: number;

  constructor(
    private readonly context: SearchContext,
    start: LqStart,
    snapshot?: SearchSnapshot,
  ) {
    const { n, archive } = context;
    const bounds: Bounds = { lower: new Float64Array(n), upper: new Float64Array(n).fill(1) };
    const s = snapshot as unknown as LqSnapshot | undefined;
    const runStart: RunStart = { ...start, evaluateMean: false, redraws: REDRAWS };
    this.run = s === undefined ? new CmaRun(bounds, runStart) : CmaRun.restore(bounds, s.run);
    this.reason = s?.reason ?? null;
    this.firstEvaluation = s?.firstEvaluation ?? archive.evaluations;
    this.bestFitness = s?.bestFitness ?? Infinity;
    this.bestBefore = s === undefined ? archive.bestFitness : (s.bestBefore ?? Infinity);
    this.isModelled = s?.isModelled ?? start.isModelled ?? true;
  }

  end(): StrategyStop | null {
    return this.reason;
  }

  get fitness(): number {
    return this.bestFitness;
  }

  /** One generation. */
  *step(): Step {
    const { run } = this;
    const { n, rng, archive } = this.context;
    const { lambda } = run.parameters;
    run.sample(rng);
    const fitness = new Float64Array(lambda).fill(NaN);
    let evaluated = 0;
    const seen = new SeenPoints(run, archive, this.firstEvaluation);
    let model = this.isModelled ? this.fit(seen) : null;
    if (model === null) {
      fitness.set(yield { points: run.x, count: lambda });
      evaluated = lambda;
    } else {
      const minimum = run.colour(model.minimum(Math.sqrt(n) + 1));
      run.inject(lambda - 1, minimum, 0);
    }
    const z = new Float64Array(lambda * n);
    for (let k = 0; k < lambda && model !== null; k++) run.whiten(run.x, k * n, z.subarray(k * n, (k + 1) * n));
    for (let wanted = 1; evaluated < lambda && model !== null; wanted = Math.ceil(1.5 * wanted)) {
      const current: QuadraticModel = model;
      const open = Array.from({ length: lambda }, (_, k) => k).filter((k) => Number.isNaN(fitness[k]!));
      const ranked = open
        .map((k) => ({ k, value: current.value(z, k * n) }))
        .sort((a, b) => a.value - b.value || a.k - b.k);
      for (const { k } of ranked.slice(0, wanted - evaluated)) {
        fitness[k] = yield* evaluatePoint(run.x.slice(k * n, (k + 1) * n));
        evaluated++;
      }
      model = this.fit(seen) ?? current;
      if (
        this.rankCorrelation(model, seen, Math.max(TAU_POINTS, Math.ceil(1.2 * evaluated), Math.ceil(0.75 * lambda))) >=
        GOOD_TAU
      )
        break;
    }
    this.fillIn(fitness, model, z);

    let best = this.bestFitness;
    for (let entry = 0; entry < archive.size; entry++) {
      if (archive.serial(entry) > this.firstEvaluation) best = Math.min(best, archive.fitness[entry]!);
    }
    this.bestFitness = best;
    this.reason = run.learn(fitness, archive.bestFitness);
    if (this.reason === null && run.isNarrow(MIN_SIGMA)) this.reason = 'tolX';
    // Close to an optimum that was known before.
    const isKnown = this.bestFitness >= this.bestBefore - 1e-9 * Math.abs(this.bestBefore);
    if (this.reason === null && isKnown && run.isNarrow(1e-4)) this.reason = 'stalled';
  }

  /** Candidates that were not evaluated get the model's values, none below the best true one. */
  private fillIn(fitness: Float64Array, model: QuadraticModel | null, z: Float64Array): void {
    const { n } = this.context;
    if (model === null) return;
    let lowest = Infinity;
    let lowestModelled = Infinity;
    const values = Array.from(fitness, (value, k) => {
      if (!Number.isNaN(value)) {
        lowest = Math.min(lowest, value);
        return value;
      }
      const modelled = model.value(z, k * n);
      lowestModelled = Math.min(lowestModelled, modelled);
      return modelled;
    });
    const shift = Math.max(0, lowest - lowestModelled);
    values.forEach((value, k) => {
      if (Number.isNaN(fitness[k]!)) fitness[k] = Number.isFinite(value + shift) ? value + shift : Infinity;
    });
  }

  /** A model of the run's points that are nearest to the mean, in whitened coordinates. */
  private fit(seen: SeenPoints): QuadraticModel | null {
    const { n, archive } = this.context;
    seen.update();
    const most = 2 * coefficientCount[largestKind(n)](n);
    const finite = seen.points.filter(({ entry }) => archive.fitness[entry] !== Infinity);
    const near =
      finite.length <= most
        ? finite
        : finite.sort((a, b) => a.distance - b.distance || a.entry - b.entry).slice(0, most);
    const kind = modelKind(n, near.length);
    if (kind === null) return null;
    const f = ({ entry }: SeenPoint): number => archive.fitness[entry]!;
    near.sort((a, b) => f(a) - f(b) || a.entry - b.entry);
    const count = pointsToFit(kind, n, near.length);
    const z = new Float64Array(count * n);
    const fitness = new Float64Array(count);
    for (let k = 0; k < count; k++) {
      z.set(near[k]!.z, k * n);
      fitness[k] = f(near[k]!);
    }
    return QuadraticModel.fit(kind, n, z, fitness, count);
  }

  /** Kendall's tau of model and truth over the latest points of the run. */
  private rankCorrelation(model: QuadraticModel, seen: SeenPoints, wanted: number): number {
    const { archive } = this.context;
    const latest = seen.points.slice(-wanted);
    const truth = latest.map(({ entry }) => archive.fitness[entry]!);
    const modelled = latest.map(({ z }) => model.value(z, 0));
    let concordance = 0;
    for (let i = 0; i < truth.length; i++) {
      for (let j = 0; j < i; j++) concordance += sign(truth[i]!, truth[j]!) * sign(modelled[i]!, modelled[j]!);
    }
    return truth.length < 2 ? 0 : (2 * concordance) / (truth.length * (truth.length - 1));
  }

  snapshot(): SearchSnapshot {
    const snapshot: LqSnapshot = {
      run: this.run.snapshot(false),
      reason: this.reason,
      firstEvaluation: this.firstEvaluation,
      bestFitness: this.bestFitness === Infinity ? null : this.bestFitness,
      bestBefore: this.bestBefore === Infinity ? null : this.bestBefore,
      isModelled: this.isModelled,
    };
    return { ...snapshot };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): LqCmaEs {
    return new LqCmaEs(context, { mean: new Float64Array(context.n), lambda: 4, sigma: 1 }, snapshot);
  }
}

/** An evaluation of the run in the coordinates of the current distribution. */
interface SeenPoint {
  readonly entry: number;
  readonly z: Float64Array;
  /** Squared length of z. */
  readonly distance: number;
}

/** The run's evaluations, in their order, whitened once a generation. */
class SeenPoints {
  readonly points: SeenPoint[] = [];
  private next = 0;

  constructor(
    private readonly run: CmaRun,
    private readonly archive: Archive,
    private readonly firstEvaluation: number,
  ) {}

  /** Takes in what was evaluated since. */
  update(): void {
    const { archive, run } = this;
    for (; this.next < archive.size; this.next++) {
      const entry = this.next;
      if (archive.serial(entry) <= this.firstEvaluation || archive.isDifference(entry)) continue;
      const z = new Float64Array(archive.n);
      run.whiten(archive.points, entry * archive.n, z);
      this.points.push({ entry, z, distance: z.reduce((sum, value) => sum + value * value, 0) });
    }
  }
}

const sign = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);

interface LqSnapshot {
  readonly run: CmaRunSnapshot;
  readonly reason: StrategyStop | null;
  readonly firstEvaluation: number;
  readonly bestFitness: number | null;
  readonly bestBefore: number | null;
  readonly isModelled: boolean;
}
