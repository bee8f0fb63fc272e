/**
 * One run of success-history adaptive differential evolution with a shrinking population (README.md has the sources and
 * what differs from them). A generation is one batch: every parent gets one trial,
 *
 *     v = x + w F (pbest - x) + F (r1 - r2)      current-to-pbest-w/1 (jSO, eq. 6)
 *
 * with r1 from the population, better ones more often, and r2 from the population and the parents that were replaced;
 * the trial takes each coordinate of v with probability CR, along the problem's axes or the population's
 * (`CrossoverFrame`).
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import type { Rng } from '../../common/rng.js';
import { decodeStart, encodeStart, firstPopulation, type PopulationStart } from '../search/first-population.js';
import type { Search, SearchContext, SearchSnapshot, Step } from '../search/search.js';
import type { StrategyStop } from '../strategy.js';
import { CrossoverFrame, type FrameSnapshot } from './crossover-frame.js';
import {
  EARLY,
  EARLY_LIMIT,
  ENTRIES,
  FIRST_CROSSOVER_RATE,
  FIRST_DIFFERENTIAL_WEIGHT,
  SCATTER,
  eliteSize,
  eliteWeight,
  firstPopulationSize,
  populationSize,
} from './parameters.js';
import { SuccessMemory, TERMINAL, type MemorySnapshot } from './success-memory.js';

const TOL_FUN = 1e-12;
/** Generations with equal fitness, or without a success, after which it is over. */
const FLAT_GENERATIONS = 10;
const SILENT_GENERATIONS = 30;
const TWO_POW_32 = 4294967296;

interface Snapshot {
  readonly firstEvaluation: number;
  readonly evaluations: number;
  readonly firstSize: number;
  readonly size: number;
  readonly replacedSize: number;
  /** [...fitness, ...population, ...replaced] */
  readonly candidates: string;
  readonly memory: MemorySnapshot;
  readonly frame: FrameSnapshot;
  readonly flat: number;
  readonly silent: number;
  readonly tolerance: number;
  readonly reason: StrategyStop | null;
  /** Until the first generation is there. */
  readonly start: string | null;
}

export class DifferentialEvolution implements Search {
  private readonly firstEvaluation: number;
  /** That the reduction of the population is spread over. */
  private readonly evaluations: number;
  private readonly firstSize: number;
  private size: number;
  /** [size, n] and [size]; allocated for the first generation, as all below. */
  private readonly population: Float64Array;
  private readonly fitness: Float64Array;
  /** Rows of the population from the best on. */
  private readonly order: Int32Array;
  /** Parents that were replaced: [replacedSize, n]. */
  private readonly replaced: Float64Array;
  private replacedSize: number;
  private readonly memory: SuccessMemory;
  private readonly frame: CrossoverFrame;
  private flat: number;
  private silent: number;
  private tolerance: number;
  private reason: StrategyStop | null;

  /** Arrays of the step under way: this one and those below. */
  private readonly trials: Float64Array;
  private readonly differentialWeights: Float64Array;
  private readonly crossoverRates: Float64Array;
  private readonly gains: Float64Array;
  private readonly isAlongAxes: Uint8Array;
  private readonly move: Float64Array;

  constructor(
    private readonly context: SearchContext,
    private readonly start: PopulationStart | null,
    snapshot?: SearchSnapshot,
  ) {
    const { n, archive, budget } = context;
    const s = snapshot as unknown as Snapshot | undefined;
    this.firstEvaluation = s?.firstEvaluation ?? archive.evaluations;
    this.evaluations = s?.evaluations ?? Math.max(1, budget - archive.evaluations);
    const capacity = (this.firstSize = s?.firstSize ?? firstPopulationSize(n, this.evaluations));
    this.size = s?.size ?? 0;
    this.population = new Float64Array(capacity * n);
    this.fitness = new Float64Array(capacity);
    this.order = Int32Array.from({ length: capacity }, (_, k) => k);
    this.replaced = new Float64Array(capacity * n);
    this.replacedSize = s?.replacedSize ?? 0;
    const first = { differentialWeight: FIRST_DIFFERENTIAL_WEIGHT, crossoverRate: FIRST_CROSSOVER_RATE };
    this.memory = new SuccessMemory(ENTRIES, first, s?.memory);
    this.frame = new CrossoverFrame(n, s?.frame);
    this.flat = s?.flat ?? 0;
    this.silent = s?.silent ?? 0;
    this.tolerance = s?.tolerance ?? TOL_FUN;
    this.reason = s?.reason ?? null;
    this.trials = new Float64Array(capacity * n);
    this.differentialWeights = new Float64Array(capacity);
    this.crossoverRates = new Float64Array(capacity);
    this.gains = new Float64Array(capacity);
    this.isAlongAxes = new Uint8Array(capacity);
    this.move = new Float64Array(n);
    if (s === undefined) return;
    const { size, replacedSize } = s;
    const values = decodeFloats(s.candidates, size + (size + replacedSize) * n);
    this.fitness.set(values.subarray(0, size));
    this.population.set(values.subarray(size, size + size * n));
    this.replaced.set(values.subarray(size + size * n));
    this.rank();
  }

  end(): StrategyStop | null {
    return this.reason;
  }

  /** One generation. */
  *step(): Step {
    if (this.size === 0) {
      yield* this.begin();
      return;
    }
    this.makeTrials();
    const answer = yield { points: this.trials, count: this.size, bearsGaps: true };
    this.select(answer);
    this.rank();
    this.judge();
    this.shrink();
    this.frame.update(this.population, this.order, this.size, answer.length);
  }

  private *begin(): Step {
    const { population, order, fitness, firstSize } = this;
    yield* firstPopulation(this.context, this.start, firstSize, population, fitness);
    this.size = firstSize;
    this.rank();
    // An objective with tiny values is not cut off.
    const spread = fitness[order[firstSize >> 1]] - fitness[order[0]];
    if (spread > 0 && spread < 1) this.tolerance = TOL_FUN * spread;
    this.frame.update(population, order, firstSize, firstSize);
  }

  private makeTrials(): void {
    const { rng } = this.context;
    const { size, memory, order, frame, differentialWeights, crossoverRates, isAlongAxes } = this;
    const progress = this.progress();
    const elite = eliteSize(size, progress);
    const weight = eliteWeight(progress);
    const limit = progress < EARLY ? EARLY_LIMIT : 1;
    const others = size + this.replacedSize;
    for (let k = 0; k < size; k++) {
      const entry = rng.below(memory.size);
      const f = (differentialWeights[k] = drawWeight(memory.differentialWeights[entry], limit, rng));
      const cr = (crossoverRates[k] = drawRate(memory.crossoverRates[entry], rng));
      const best = order[rng.below(elite)];
      // The better of two: linear in the rank, as in LSHADE-RSP (Stanovov, Akhmedova and Semenkin, CEC 2018).
      let r1: number;
      do r1 = order[Math.min(rng.below(size), rng.below(size))]!;
      while (r1 === k);
      let r2: number;
      do r2 = rng.below(others);
      while (r2 === k || r2 === r1);
      const isAlong = frame.axes !== null && rng.uniform() < frame.share;
      isAlongAxes[k] = isAlong ? 1 : 0;
      if (isAlong) this.crossAlongAxes(frame.axes!, k, best, r1, r2, f, f * weight, cr);
      else this.crossAlongCoordinates(k, best, r1, r2, f, f * weight, cr);
    }
  }

  private crossAlongCoordinates(
    k: number,
    best: number,
    r1: number,
    r2: number,
    f: number,
    eliteF: number,
    cr: number,
  ): void {
    const { n, rng } = this.context;
    const { population, trials, size } = this;
    const from = r2 < size ? population : this.replaced;
    const second = (r2 < size ? r2 : r2 - size) * n;
    const x = k * n;
    const pbest = best * n;
    const first = r1 * n;
    const sure = rng.below(n);
    const limit = cr * TWO_POW_32;
    for (let i = 0; i < n; i++) {
      const parent = population[x + i];
      let value = parent;
      if (rng.nextUint32() < limit || i === sure) {
        value += eliteF * (population[pbest + i] - parent) + f * (population[first + i] - from[second + i]);
        value = inBox(value, parent);
      }
      trials[x + i] = value;
    }
  }

  private crossAlongAxes(
    axes: Float64Array,
    k: number,
    best: number,
    r1: number,
    r2: number,
    f: number,
    eliteF: number,
    cr: number,
  ): void {
    const { n, rng } = this.context;
    const { population, trials, size, move } = this;
    const from = r2 < size ? population : this.replaced;
    const second = (r2 < size ? r2 : r2 - size) * n;
    const x = k * n;
    const pbest = best * n;
    const first = r1 * n;
    for (let i = 0; i < n; i++) {
      const parent = population[x + i];
      move[i] = eliteF * (population[pbest + i] - parent) + f * (population[first + i] - from[second + i]);
      trials[x + i] = parent + move[i];
    }
    // What is not crossed over is taken off again: rates are mostly high.
    const sure = rng.below(n);
    const limit = cr * TWO_POW_32;
    for (let j = 0; j < n; j++) {
      if (rng.nextUint32() < limit || j === sure) continue;
      const axis = j * n;
      let length = 0;
      for (let i = 0; i < n; i++) length += axes[axis + i] * move[i];
      for (let i = 0; i < n; i++) trials[x + i] -= length * axes[axis + i];
    }
    for (let i = 0; i < n; i++) trials[x + i] = inBox(trials[x + i], population[x + i]);
  }

  /** Trials that are no worse take their parents' places; what succeeded is learned. */
  private select(answer: Float64Array): void {
    const { n, rng } = this.context;
    const { population, fitness, trials, replaced, gains, differentialWeights, crossoverRates, isAlongAxes } = this;
    const { size } = this;
    let successes = 0;
    let along = 0;
    let successesAlong = 0;
    for (let k = 0; k < size; k++) {
      const value = answer[k];
      along += isAlongAxes[k];
      if (value > fitness[k]) continue;
      const row = k * n;
      if (value < fitness[k]) {
        const place = this.replacedSize < size ? this.replacedSize++ : rng.below(this.replacedSize);
        for (let i = 0; i < n; i++) replaced[place * n + i] = population[row + i]!;
        gains[successes] = fitness[k] - value;
        differentialWeights[successes] = differentialWeights[k]!;
        crossoverRates[successes] = crossoverRates[k]!;
        successesAlong += isAlongAxes[k];
        successes++;
      }
      for (let i = 0; i < n; i++) population[row + i] = trials[row + i]!;
      fitness[k] = value;
    }
    this.memory.learn(differentialWeights, crossoverRates, gains, successes);
    this.frame.learn(along, successesAlong, size - along, successes - successesAlong);
    this.silent = successes > 0 ? 0 : this.silent + 1;
  }

  /** Sorts `order` by fitness, then by row: one result whatever the order before, which is nearly right mostly. */
  private rank(): void {
    const { order, fitness, size } = this;
    for (let r = 1; r < size; r++) {
      const row = order[r];
      const value = fitness[row];
      let to = r - 1;
      for (; to >= 0; to--) {
        const other = order[to];
        if (fitness[other] < value || (fitness[other] === value && other < row)) break;
        order[to + 1] = other;
      }
      order[to + 1] = row;
    }
  }

  private judge(): void {
    const { fitness, order, size } = this;
    const best = fitness[order[0]];
    const worst = fitness[order[size - 1]];
    const isFlat = worst - best <= Math.max(this.tolerance, 1e-15 * Math.abs(best));
    this.flat = isFlat ? this.flat + 1 : 0;
    if (this.flat >= FLAT_GENERATIONS) this.reason = 'tolFun';
    else if (this.silent >= SILENT_GENERATIONS) this.reason = 'stalled';
  }

  /** The worst leave, and as many at random of those that were replaced. */
  private shrink(): void {
    const { n, rng } = this.context;
    const { population, fitness, order, replaced, size } = this;
    const wanted = populationSize(this.firstSize, this.progress());
    if (wanted >= size) return;
    // The rows of those who stay move up, in their order.
    const stays = this.isAlongAxes.fill(0, 0, size);
    for (let r = 0; r < wanted; r++) stays[order[r]] = 1;
    let to = 0;
    for (let k = 0; k < size; k++) {
      if (stays[k] === 0) continue;
      population.copyWithin(to * n, k * n, (k + 1) * n);
      fitness[to] = fitness[k]!;
      to++;
    }
    this.size = wanted;
    for (let r = 0; r < wanted; r++) order[r] = r;
    this.rank();
    for (; this.replacedSize > wanted; this.replacedSize--) {
      const last = this.replacedSize - 1;
      replaced.copyWithin(rng.below(this.replacedSize) * n, last * n, this.replacedSize * n);
    }
  }

  /** Share of its evaluations that are spent, by whomever. */
  private progress(): number {
    return Math.min(1, (this.context.archive.evaluations - this.firstEvaluation) / this.evaluations);
  }

  snapshot(): SearchSnapshot {
    const { n } = this.context;
    const { size, replacedSize } = this;
    const candidates = new Float64Array(size + (size + replacedSize) * n);
    candidates.set(this.fitness.subarray(0, size));
    candidates.set(this.population.subarray(0, size * n), size);
    candidates.set(this.replaced.subarray(0, replacedSize * n), size + size * n);
    const snapshot: Snapshot = {
      firstEvaluation: this.firstEvaluation,
      evaluations: this.evaluations,
      firstSize: this.firstSize,
      size,
      replacedSize,
      candidates: encodeFloats(candidates),
      memory: this.memory.snapshot(),
      frame: this.frame.snapshot(),
      flat: this.flat,
      silent: this.silent,
      tolerance: this.tolerance,
      reason: this.reason,
      start: size === 0 ? encodeStart(this.start) : null,
    };
    return { ...snapshot };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): DifferentialEvolution {
    const { start } = snapshot as unknown as Snapshot;
    return new DifferentialEvolution(context, decodeStart(start, context.n), snapshot);
  }
}

/** A Cauchy variate around `centre`, drawn again while it is not positive, and cut at `limit`. */
function drawWeight(centre: number, limit: number, rng: Rng): number {
  for (;;) {
    const weight = centre + (SCATTER * rng.normal()) / rng.normal();
    if (weight > 0) return Math.min(weight, limit);
  }
}

function drawRate(centre: number, rng: Rng): number {
  return centre === TERMINAL ? 0 : Math.min(1, Math.max(0, centre + SCATTER * rng.normal()));
}

/** A coordinate that left the box comes back to the middle between its parent's and the bound (L-SHADE). */
function inBox(value: number, parent: number): number {
  return value < 0 ? 0.5 * parent : value > 1 ? 0.5 * (1 + parent) : value;
}
