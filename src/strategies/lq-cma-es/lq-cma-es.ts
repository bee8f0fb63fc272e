/**
 * One run of CMA-ES with a quadratic model: in each generation only as many candidates are evaluated as it takes until
 * the model ranks the latest points right; the others get the model's values. Source: Hansen, "A global surrogate
 * assisted CMA-ES", GECCO 2019 (lq-CMA-ES). Here the model lives in the coordinates whitened by the search
 * distribution, and of the run's points the nearest in them are fitted, not the latest.
 */
import type { Bounds } from '../../model/bounds.js';
import { CmaRun, type CmaRunSnapshot, type CmaStart } from '../cma-es/cma-run.js';
import { rankByFitness } from '../cma-es/rank.js';
import type { Search, SearchContext, SearchSnapshot, Step } from '../search/search.js';
import type { StrategyStop } from '../strategy.js';
import { QuadraticModel, modelKind, pointsToChooseFrom, pointsToFit } from '../search/quadratic-model.js';
import { SeenPoints } from './seen-points.js';

/** Rank correlation of model and truth from which the model's ranking is taken. */
const GOOD_TAU = 0.85;
/** Latest points that it is measured on, at least. */
const TAU_POINTS = 15;
/** So often a candidate outside the box is drawn again: clipping makes runs collapse into the boundary. */
const REDRAWS = 20;
const MIN_SIGMA = 1e-10;
/** Latest evaluations that fits choose from, as a multiple of those they choose. */
const WINDOW = 1.5;

interface LqStart {
  readonly mean: Float64Array;
  readonly lambda: number;
  /** Share of the box. */
  readonly sigma: number;
  /** Whether to model at all. */
  readonly isModelled?: boolean;
  /** Whether the model learns from what was evaluated before this run, too. */
  readonly usesArchive?: boolean;
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
  /** Evaluations that `bestFitness` knows of. */
  private lookedAt: number;
  private readonly seen: SeenPoints;

  /** The current generation: whitened candidates [lambda, n], squared lengths, rows, the model's values, ranks. */
  private readonly candidates: Float64Array;
  private readonly candidateLengths: Float64Array;
  private readonly candidateRows: Int32Array;
  private readonly modelled: Float64Array;
  private readonly order: Int32Array;
  private readonly orderScratch: Int32Array;

  constructor(
    private readonly context: SearchContext,
    start: LqStart,
    snapshot?: SearchSnapshot,
  ) {
    const { n, archive } = context;
    const bounds: Bounds = { lower: new Float64Array(n), upper: new Float64Array(n).fill(1) };
    const s = snapshot as unknown as LqSnapshot | undefined;
    const isModelled = s?.isModelled ?? start.isModelled ?? true;
    // A model sees the scales sooner than they could be learnt.
    const runStart: CmaStart = { ...start, evaluateMean: false, redraws: REDRAWS, learnsScales: !isModelled };
    this.run = s === undefined ? new CmaRun(bounds, runStart) : CmaRun.restore(bounds, s.run);
    this.reason = s?.reason ?? null;
    this.firstEvaluation = s?.firstEvaluation ?? (start.usesArchive === true ? 0 : archive.evaluations);
    this.bestFitness = s?.bestFitness ?? Infinity;
    this.bestBefore = s === undefined ? archive.bestFitness : (s.bestBefore ?? Infinity);
    this.isModelled = isModelled;
    this.lookedAt = this.firstEvaluation;
    this.seen = new SeenPoints(archive, this.firstEvaluation, WINDOW * pointsToChooseFrom(n));
    const { lambda } = this.run.parameters;
    const rows = this.isModelled ? lambda : 0;
    this.candidates = new Float64Array(rows * n);
    this.candidateLengths = new Float64Array(rows);
    this.candidateRows = Int32Array.from({ length: rows }, (_, k) => k);
    this.modelled = new Float64Array(rows);
    this.order = new Int32Array(rows);
    this.orderScratch = new Int32Array(rows);
  }

  end(): StrategyStop | null {
    return this.reason;
  }

  get fitness(): number {
    return this.bestFitness;
  }

  /** One generation. */
  *step(): Step {
    const { run, seen } = this;
    const { n, rng, archive } = this.context;
    const { lambda } = run.parameters;
    run.sample(rng);
    const fitness = new Float64Array(lambda).fill(NaN);
    let model: QuadraticModel | null = null;
    if (this.isModelled) {
      seen.begin(run);
      model = this.fit();
    }
    if (model === null) fitness.set(yield { points: run.x.candidates, count: lambda, bearsGaps: true });
    else {
      run.inject(lambda - 1, run.colour(model.minimum(Math.sqrt(n) + 1)), 0);
      run.whitenRows(run.x.candidates, this.candidateRows, 0, lambda, this.candidates, this.candidateLengths);
      let evaluated = 0;
      for (let wanted = 1; evaluated < lambda; wanted = Math.ceil(1.5 * wanted)) {
        const chosen = this.mostPromising(model, fitness, Math.min(lambda, wanted) - evaluated);
        const points = new Float64Array(chosen.length * n);
        chosen.forEach((k, r) => points.set(run.x.candidates.subarray(k * n, (k + 1) * n), r * n));
        const values = yield { points, count: chosen.length };
        chosen.forEach((k, r) => (fitness[k] = values[r]!));
        evaluated += chosen.length;
        seen.extend(run);
        const latest = Math.max(TAU_POINTS, Math.ceil(1.2 * evaluated), Math.ceil(0.75 * lambda));
        // What is right about points that it was not fitted to needs no new fit.
        if (this.rankCorrelation(model, latest) >= GOOD_TAU) break;
        model = this.fit() ?? model;
        if (this.rankCorrelation(model, latest) >= GOOD_TAU) break;
      }
      this.fillIn(fitness, model);
    }

    let best = this.bestFitness;
    for (let entry = archive.size - 1; entry >= 0 && archive.serial(entry) > this.lookedAt; entry--) {
      best = Math.min(best, archive.fitness[entry]);
    }
    this.lookedAt = archive.evaluations;
    this.bestFitness = best;
    this.reason = run.learn(fitness, archive.bestFitness);
    if (this.reason === null && run.isNarrow(MIN_SIGMA)) this.reason = 'tolX';
    // Close to an optimum that was known before.
    const isKnown = this.bestFitness >= this.bestBefore - 1e-9 * Math.abs(this.bestBefore);
    if (this.reason === null && isKnown && run.isNarrow(1e-4)) this.reason = 'stalled';
  }

  /** The `count` candidates not yet evaluated that the model finds best. */
  private mostPromising(model: QuadraticModel, fitness: Float64Array, count: number): number[] {
    const { lambda } = this.run.parameters;
    const { n } = this.context;
    const { modelled, order, orderScratch } = this;
    for (let k = 0; k < lambda; k++) {
      modelled[k] = Number.isNaN(fitness[k]) ? model.value(this.candidates, k * n) : Infinity;
      if (Number.isNaN(modelled[k])) modelled[k] = Infinity;
    }
    rankByFitness(modelled, order, orderScratch, lambda);
    const chosen: number[] = [];
    for (let r = 0; chosen.length < count; r++) if (Number.isNaN(fitness[order[r]])) chosen.push(order[r]);
    return chosen;
  }

  /** Candidates that were not evaluated get the model's values, none below the best true one. */
  private fillIn(fitness: Float64Array, model: QuadraticModel): void {
    const { n } = this.context;
    const { modelled } = this;
    let lowest = Infinity;
    let lowestModelled = Infinity;
    for (let k = 0; k < fitness.length; k++) {
      const value = fitness[k];
      if (value < lowest) lowest = value;
      if (!Number.isNaN(value)) continue;
      modelled[k] = model.value(this.candidates, k * n);
      if (modelled[k] < lowestModelled) lowestModelled = modelled[k]!;
    }
    const shift = Math.max(0, lowest - lowestModelled);
    for (let k = 0; k < fitness.length; k++) {
      if (!Number.isNaN(fitness[k])) continue;
      const value = modelled[k] + shift;
      fitness[k] = Number.isFinite(value) ? value : Infinity;
    }
  }

  /** A model of the run's points that are nearest to the mean, in whitened coordinates. */
  private fit(): QuadraticModel | null {
    const { n } = this.context;
    const { seen } = this;
    const near = Math.min(seen.finiteCount, pointsToChooseFrom(n));
    const kind = modelKind(n, near);
    return kind === null ? null : QuadraticModel.fit(kind, n, seen.nearest(near, pointsToFit(kind, n, near)));
  }

  /** Kendall's tau of model and truth over the latest points of the run. */
  private rankCorrelation(model: QuadraticModel, wanted: number): number {
    const { n } = this.context;
    const { z, fitness, count } = this.seen;
    const latest = Math.min(wanted, count);
    if (latest < 2) return 0;
    const first = count - latest;
    const modelled = new Float64Array(latest);
    let concordance = 0;
    for (let i = 0; i < latest; i++) {
      const value = (modelled[i] = model.value(z, (first + i) * n));
      const truth = fitness[first + i];
      for (let j = 0; j < i; j++) {
        const other = fitness[first + j];
        if (truth === other || value === modelled[j]) continue;
        concordance += truth > other === value > modelled[j] ? 1 : -1;
      }
    }
    return (2 * concordance) / (latest * (latest - 1));
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

interface LqSnapshot {
  readonly run: CmaRunSnapshot;
  readonly reason: StrategyStop | null;
  readonly firstEvaluation: number;
  readonly bestFitness: number | null;
  readonly bestBefore: number | null;
  readonly isModelled: boolean;
}
