/**
 * Drives a generation program as a strategy: asks for whole generations, takes their fitness, restarts from random
 * points when a population has nothing left to gain.
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { BestSoFar, type Incumbent } from '../../model/best-so-far.js';
import { partOf, type CandidateBatch } from '../../model/candidate-batch.js';
import type {
  EndOfGeneration,
  GenerationPlace,
  GenerationStatistics,
  PopulationProgram,
  PopulationState,
} from '../../model/resident-population.js';
import { padTile, TILE_LANES, tiledLength, tiledStart } from '../../model/tiles.js';
import { LARGEST_DIMENSION } from '../search/limits.js';
import { wide } from '../side-by-side.js';
import {
  isReadable,
  type DeviceGenerations,
  type Strategy,
  type StrategyFactory,
  type StrategyProblem,
  type StrategySnapshot,
  type StrategyStop,
} from '../strategy.js';
import { Population, type GenerationProgram } from './generation-program.js';

/** Generations that the budget is meant for, where the program does not say it. */
const GENERATIONS = 400;
const MIN_SIZE = 24;
/** Products of a random word and the size are exact up to this one (`indexBelow`). */
const MAX_SIZE = 2 ** 20;
/** Of one vector of the whole population: 80 MB, and 107 million characters of a snapshot. */
const MAX_NUMBERS = 1e7;
/** All vectors have as many as so many of the largest together. */
const VECTORS = 3;
/** Of the whole state: 533 million characters, of the 537 million that a text may have. */
const MAX_STORED = 5e7;
const TOL_FUN = 1e-12;
/** Generations with equal fitness, or without success, after which a population is over. */
const FLAT_GENERATIONS = 10;
const SILENT_GENERATIONS = 50;

interface Outline extends StrategySnapshot {
  readonly size: number;
  readonly run: number;
  readonly generation: number;
  /** Fitness told of the open generation, and rows of gradients behind the last of it; null: none is open. */
  readonly told: { readonly count: number; readonly fitness: string; readonly gradients?: string } | null;
  readonly flat: number;
  readonly silent: number;
  readonly tolerance: number;
  readonly reason: StrategyStop | null;
  readonly best: string;
}

interface Snapshot extends Outline {
  readonly vectors: readonly string[];
  readonly scalars: readonly string[];
  /** Only where there are rules for the whole population. */
  readonly shared?: string;
}

type Outcome = Pick<GenerationStatistics, 'lowest' | 'highest' | 'successes'>;

/**
 * `places`: candidates that are valued side by side; where there is room, the size is a multiple of it. `largest`:
 * numbers of one vector, at most.
 */
export function populationSize(
  n: number,
  budget: number,
  places = 1,
  program?: GenerationProgram,
  largest = MAX_NUMBERS,
): number {
  const { generations = GENERATIONS, readsGradients, vectors = 1 } = program ?? {};
  const evaluations = readsGradients === true ? 2 : 1;
  const numbers = Math.min(largest, (VECTORS * largest) / vectors);
  const wanted = Math.min(Math.floor(budget / (generations * evaluations)), MAX_SIZE, Math.floor(numbers / n));
  const size = Math.max(MIN_SIZE, wanted);
  const filled = wide(size, places);
  return filled > MAX_SIZE ? size : filled;
}

class GenerationStrategy implements Strategy, DeviceGenerations {
  readonly name: string;
  readonly generations: DeviceGenerations = this;
  private readonly n: number;
  private readonly population: Population;
  private readonly widths: Float64Array;
  /** In tiles. */
  private readonly candidates: Float64Array;
  private readonly fitness: Float64Array;
  /** Values told of the open generation, then rows of gradients; null: none is open. */
  private told: number | null = null;
  private flat = 0;
  private silent = 0;
  private readonly patience: number;
  private tolerance = TOL_FUN;
  private reason: StrategyStop | null = null;
  private readonly best: BestSoFar;

  constructor(
    private readonly rules: GenerationProgram,
    private readonly problem: StrategyProblem,
    snapshot?: Snapshot,
  ) {
    const { lower, upper } = problem.bounds;
    const n = (this.n = lower.length);
    this.name = rules.name;
    this.widths = lower.map((low, i) => Math.min(upper[i] - low, Number.MAX_VALUE));
    const { budgetEvaluations, sideBySide, largestVector } = problem;
    const size = snapshot?.size ?? populationSize(n, budgetEvaluations, sideBySide, rules, largestVector);
    const population = (this.population = new Population(n, size, problem.seed, rules));
    this.candidates = new Float64Array(tiledLength(size, n));
    this.fitness = new Float64Array(size);
    this.best = new BestSoFar(n, snapshot?.best);
    this.patience = rules.whole?.patience(n, size) ?? SILENT_GENERATIONS;
    if (snapshot === undefined) return;
    population.run = snapshot.run;
    population.generation = snapshot.generation;
    const { vectors, scalars, shared } = this.state;
    vectors.forEach((vector, j) => vector.set(decodeFloats(snapshot.vectors[j], vector.length)));
    scalars.forEach((scalar, j) => scalar.set(decodeFloats(snapshot.scalars[j], scalar.length)));
    if (rules.whole !== undefined) shared.set(decodeFloats(snapshot.shared, shared.length));
    ({ flat: this.flat, silent: this.silent, tolerance: this.tolerance, reason: this.reason } = snapshot);
    if (snapshot.told === null) return;
    const { count, fitness, gradients } = snapshot.told;
    this.told = count;
    this.fitness.set(decodeFloats(fitness, Math.min(count, size)));
    if (gradients !== undefined) population.gradients.set(decodeFloats(gradients, population.gradients.length));
    this.reopen();
  }

  ask(): CandidateBatch {
    if (this.told === null) {
      if (this.reason !== null) this.restart();
      this.move();
      this.told = 0;
    }
    const { told } = this;
    const { size } = this.population;
    const isGradient = told >= size;
    const all: CandidateBatch = isGradient ? { ...this.batch(), reading: 'gradient' } : this.batch();
    const done = isGradient ? told - size : told;
    return done === 0 ? all : partOf(all, done);
  }

  tell(results: Float64Array): void {
    if (this.isWithinGeneration) this.tellGradients(results, this.told!);
    else this.tellValues(results);
  }

  private tellValues(results: Float64Array): void {
    const { told, n, candidates } = this;
    const expected = told === null ? 0 : this.population.size - told;
    if (told === null || results.length === 0 || results.length > expected) {
      throw new RangeError(`tell: ${results.length} results for ${expected} open candidates`);
    }
    const wrong = results.findIndex((value) => !(value > -Infinity));
    if (wrong >= 0) {
      throw new RangeError(`tell: fitness[${wrong}] is ${results[wrong]}; a failed evaluation is +Infinity`);
    }
    const asked = { candidates, layout: 'tiles', dimension: n } as const;
    for (let k = 0; k < results.length; k++) this.best.offerOf(results[k], asked, told + k);
    this.fitness.set(results, told);
    this.told = told + results.length;
    if (this.told === this.asked) this.endGeneration(this.takeIn(this.fitness));
  }

  /** Rows of a value that counts no more, and the gradient. */
  private tellGradients(results: Float64Array, told: number): void {
    const rows = results.length / (this.n + 1);
    const expected = this.asked - told;
    if (!Number.isInteger(rows) || rows === 0 || rows > expected) {
      throw new RangeError(`tell: ${rows} rows of gradients for ${expected} open candidates`);
    }
    this.takeGradients(results, told - this.population.size);
    this.told = told + rows;
    if (this.told === this.asked) this.endGeneration(this.takeIn(this.fitness));
  }

  /** Evaluations of a generation. */
  private get asked(): number {
    return (this.rules.readsGradients === true ? 2 : 1) * this.population.size;
  }

  private takeGradients(results: Float64Array, first: number): void {
    const { n, widths, population } = this;
    for (let at = 0, k = first; at < results.length; at += n + 1, k++) {
      for (let i = 0, e = tiledStart(k, n); i < n; i++, e += TILE_LANES) {
        population.gradients[e] = widths[i] * results[at + 1 + i];
      }
    }
  }

  get isWithinGeneration(): boolean {
    return this.told !== null && this.told >= this.population.size;
  }

  stop(): StrategyStop | null {
    return this.reason;
  }

  incumbent(): Incumbent | null {
    return this.best.incumbent();
  }

  snapshot(): StrategySnapshot {
    return this.completed(this.outline());
  }

  // --- on a device

  get program(): PopulationProgram {
    const { lower, upper } = this.problem.bounds;
    const { population } = this;
    const { n, size, constants } = population;
    const { name, vectors, scalars, whole, readsGradients = false } = this.rules;
    return {
      ...{ name, n, size, vectors, scalars, constants, readsGradients, seed: this.problem.seed },
      shared: population.shared.length,
      work: population.work.length,
      box: Float64Array.of(...lower, ...upper, ...this.widths),
      launches: (place) => whole?.launches(population, place) ?? { before: [], after: [] },
      operations: whole?.operations(population) ?? 0,
    };
  }

  get state(): PopulationState {
    const { vectors, scalars, shared } = this.population;
    return this.rules.whole === undefined ? { vectors, scalars, shared } : { vectors: [], scalars: [], shared };
  }

  get place(): GenerationPlace {
    const { run, generation } = this.population;
    return { run, generation };
  }

  set place({ run, generation }: GenerationPlace) {
    this.population.run = run;
    this.population.generation = generation;
  }

  begin(): GenerationPlace | null {
    if (this.told !== null) return null;
    if (this.reason !== null) this.restart();
    return this.start === null ? this.place : null;
  }

  end({ statistics, candidate }: EndOfGeneration): void {
    if (candidate !== null) this.best.offer(statistics.best, candidate);
    this.endGeneration(statistics);
  }

  open(): void {
    this.reopen();
    this.told = 0;
  }

  outline(): Outline {
    const { population, told } = this;
    const { size, gradients } = population;
    return {
      version: this.rules.version,
      size: population.size,
      run: population.run,
      generation: population.generation,
      told:
        told === null
          ? null
          : {
              count: told,
              fitness: encodeFloats(this.fitness.subarray(0, Math.min(told, size))),
              ...(told > size ? { gradients: encodeFloats(gradients) } : {}),
            },
      flat: this.flat,
      silent: this.silent,
      tolerance: this.tolerance,
      reason: this.reason,
      best: this.best.encode(),
    };
  }

  completed(outline: StrategySnapshot): StrategySnapshot {
    const { vectors, scalars, shared } = this.state;
    const numbers = [...vectors, ...scalars, shared].reduce((sum, { length }) => sum + length, 0);
    if (numbers > MAX_STORED) {
      const { n, size } = this.population;
      throw new RangeError(
        `${this.name}: ${size} individuals in ${n} dimensions are ${numbers} numbers; a snapshot holds ${MAX_STORED}`,
      );
    }
    const state = { vectors: vectors.map(encodeFloats), scalars: scalars.map(encodeFloats) };
    return this.rules.whole === undefined
      ? { ...outline, ...state }
      : { ...outline, ...state, shared: encodeFloats(shared) };
  }

  // --- here

  private restart(): void {
    this.population.run++;
    this.population.generation = 0;
    this.flat = this.silent = 0;
    this.tolerance = TOL_FUN;
    this.reason = null;
  }

  /** Where the run is to begin with a solution of the request; null: anywhere. */
  private get start(): readonly number[] | null {
    const { generation, run } = this.population;
    return generation === 0 && run === 0 ? (this.problem.initialSolution ?? null) : null;
  }

  move(): CandidateBatch {
    const { population, rules, start } = this;
    population.start = start === null ? null : this.toUnit(start);
    rules.whole?.before(population);
    for (let k = 0; k < population.size; k++) rules.move(population, k);
    const points = population.vectors[rules.asked];
    population.start?.forEach((value, i) => (points[i * TILE_LANES] = value));
    this.toBox();
    return this.batch();
  }

  /** The candidates of the open generation, in which the individuals have moved. */
  private reopen(): void {
    if (this.rules.whole === undefined) this.toBox();
    else this.move();
  }

  accept(fitness: Float64Array, gradients: Float64Array | null): void {
    if (gradients !== null) this.takeGradients(gradients, 0);
    this.takeIn(fitness);
  }

  /** The whole generation. */
  private batch(): CandidateBatch {
    const { candidates, n, population } = this;
    const { size: count } = population;
    return { candidates, layout: 'tiles', count, dimension: n, bearsGaps: true, isGeneration: true };
  }

  private takeIn(fitness: Float64Array): Outcome {
    const { population, rules } = this;
    const kept = population.scalars[0];
    let lowest = Infinity;
    let highest = -Infinity;
    let successes = 0;
    for (let k = 0; k < population.size; k++) {
      if (fitness[k] < kept[k]) successes++;
      rules.accept(population, k, fitness[k]);
      if (kept[k] < lowest) lowest = kept[k]!;
      if (kept[k] > highest) highest = kept[k]!;
    }
    rules.whole?.after(population);
    return { lowest, highest, successes };
  }

  private endGeneration({ lowest, highest, successes }: Outcome): void {
    const { population, patience } = this;
    const spread = highest - lowest;
    // An objective with tiny values is not cut off.
    if (population.generation === 0 && spread > 0 && spread < 1) this.tolerance = TOL_FUN * spread;
    // Of a whole population this is the generation's own fitness.
    const isHopeless = this.rules.whole !== undefined && lowest === Infinity;
    const isFlat = isHopeless || spread <= Math.max(this.tolerance, 1e-15 * Math.abs(lowest));
    this.flat = isFlat ? this.flat + 1 : 0;
    this.silent = successes > 0 ? 0 : this.silent + 1;
    if (this.flat >= FLAT_GENERATIONS) this.reason = isHopeless ? 'stalled' : 'tolFun';
    else if (this.silent >= patience) this.reason = 'stalled';
    population.generation++;
    this.told = null;
  }

  /** The asked vector in the units of the request. */
  private toBox(): void {
    const { n, widths, candidates, population, start } = this;
    const { lower, upper } = this.problem.bounds;
    const points = population.vectors[this.rules.asked];
    for (let k = 0; k < population.size; k++) {
      for (let i = 0, e = tiledStart(k, n); i < n; i++, e += TILE_LANES) {
        candidates[e] = inBox(points[e], lower[i], upper[i], widths[i]);
      }
    }
    // The way to the unit box and back rounds.
    start?.forEach((value, i) => (candidates[i * TILE_LANES] = value));
    padTile(candidates, population.size, n);
  }

  private toUnit(solution: readonly number[]): Float64Array {
    const { lower } = this.problem.bounds;
    return Float64Array.from(solution, (value, i) => clamp((value - lower[i]) / this.widths[i], 0, 1));
  }
}

const clamp = (value: number, low: number, high: number): number => (value < low ? low : value > high ? high : value);

const inBox = (u: number, low: number, high: number, width: number): number =>
  u <= 0 ? low : u >= 1 ? high : clamp(low + u * width, low, high);

/** `earlier`: programs whose snapshots are continued as they began. */
export function generationStrategy(
  program: GenerationProgram,
  earlier: readonly GenerationProgram[] = [],
): StrategyFactory {
  const { name, version, readsGradients = false } = program;
  return {
    name,
    capabilities: {
      minDimension: 1,
      maxDimension: LARGEST_DIMENSION,
      rankBased: !readsGradients,
      dependsOnSeed: true,
      dependsOnBudget: true,
      restarts: true,
      isPossible: readsGradients ? (_n, view) => isReadable(view, 'gradient') : undefined,
    },
    create: (problem) => new GenerationStrategy(program, problem),
    restore: (problem, snapshot) => {
      const own = [program, ...earlier].find((each) => each.version === snapshot.version);
      if (own === undefined) {
        throw new RangeError(`${name}: snapshot version ${snapshot.version}, expected ${version}`);
      }
      return new GenerationStrategy(own, problem, snapshot as Snapshot);
    },
  };
}
