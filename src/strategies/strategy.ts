/**
 * The contract of a search strategy: a pure, seeded ask/tell state machine. It reads no clock, does no I/O, draws only
 * from the generator it was given, and never proposes a candidate outside the bounds.
 *
 * Order of calls: `ask()` -> caller evaluates -> `tell()` with the fitness of exactly the candidates asked, in their
 * order -> `ask()` ... until `stop()` names a reason or the caller has had enough. A caller that runs out of budget may
 * tell only the first `k` rows of the last ask (`fitness.length` = k): the strategy keeps its incumbent up to date, and
 * the next ask returns the rows not yet told, so that a run cut by its budget can be extended to the same bits.
 * With `initialSolution` the first row of the first ask is that solution. Asking again without a tell in between
 * (an evaluation was interrupted) returns the same candidates.
 * A batch of another reading than `value` (`model/reading.ts`; only where `program` allows it) is told row by row all
 * results, [count, 1 + resultLength], NaN where there are none.
 * Fitness is always minimized; a failed evaluation is told as +Infinity; NaN and -Infinity are a caller's bug and
 * throw.
 *
 * With several objectives (`StrategyProblem.objectives` above 1, where `capabilities.objectives` allows it) `tell`
 * takes all values of each row, row-major [count, objectives], each minimized; a prefix of k rows has k * objectives
 * numbers. A failed or missing evaluation is a row with +Infinity in it: nothing is learned from the rest of that row.
 * `incumbent()` is null then: who drives the strategy keeps the front (`pareto/front-archive.ts`).
 *
 * Ownership: `ask()` returns a matrix that the strategy owns and overwrites at the next `ask`. `tell` keeps no
 * reference to `fitness`.
 *
 * `snapshot()` may be called between any two calls, returns plain JSON-safe data (numbers that JSON cannot
 * hold are encoded), and `restore(snapshot)` continues with the same bits.
 */
import type { Rng } from '../common/rng.js';
import type { Incumbent } from '../model/best-so-far.js';
import type { Bounds } from '../model/bounds.js';
import type { CandidateBatch } from '../model/candidate-batch.js';
import type { Certificate } from '../model/certificate.js';
import type { ProgramStructure } from '../model/program-structure.js';
import type { DerivedReading } from '../model/reading.js';
import type {
  EndOfGeneration,
  GenerationPlace,
  PopulationProgram,
  PopulationState,
} from '../model/resident-population.js';
import type { Mode, PlanningRecord, StrategyChange, StrategySpan } from '../model/run-task.js';

/** The objective's program as far as a strategy may know it. */
export interface ProgramView {
  /** Null: nobody has looked. */
  readonly structure: ProgramStructure | null;
  /** Results besides the first; null where the program cannot be read so. */
  resultLength(reading: DerivedReading): number | null;
}

/** Whether there is a program that can be read so. */
export const isReadable = (program: ProgramView | undefined, reading: DerivedReading): boolean =>
  (program?.resultLength(reading) ?? null) !== null;

export interface StrategyProblem {
  readonly bounds: Bounds;
  readonly seed: number;
  /** Evaluations the strategy may plan with; it is never asked for more. */
  readonly budgetEvaluations: number;
  /** Values of a candidate, 1 .. 4; absent: 1. */
  readonly objectives?: number;
  /** How much trouble to take; default `balanced`. */
  readonly mode?: Mode;
  /** Lessons of earlier runs (`Knowledge.table`, model/learning.ts); absent: none. */
  readonly knowledge?: Float64Array;
  /**
   * [count, n] inside the bounds: what earlier runs of the same program, with other data, found best; absent: nothing.
   */
  readonly starts?: Float64Array;
  /** Start here where the strategy has a start; inside the bounds. */
  readonly initialSolution?: readonly number[];
  /** Candidates that are valued side by side: it is best to ask for a multiple of them. Absent: 1. */
  readonly sideBySide?: number;
  /** Numbers of one vector of a whole population, at most; absent: as many as a snapshot has room for. */
  readonly largestVector?: number;
  /** Absent: the objective can only be called. */
  readonly program?: ProgramView;
}

export type StrategyStop = 'tolX' | 'tolFun' | 'condition' | 'stalled';

export type StrategySnapshot = { readonly version: number; readonly [field: string]: unknown };

export interface Strategy {
  readonly name: string;
  ask(): CandidateBatch;
  /** `fitness`: [rows], or [rows, objectives] row-major. */
  tell(fitness: Float64Array): void;
  /**
   * Takes a result that it did not ask for, from inside the bounds and finite; absent: it has no use for such. May come
   * between any two calls, and counts from the next batch on that is not open yet.
   */
  learn?(solution: Float64Array, fitness: number): void;
  /** As `learn`, with several objectives: `values` [objectives]. */
  learnSeveral?(solution: Float64Array, values: Float64Array): void;
  /**
   * One candidate more than the open batch has, made from what is known now and from `rng`; null: too little is known.
   * Changes nothing. Absent: such candidates are no matter of the strategy.
   */
  another?(rng: Rng): Float64Array | null;
  /**
   * Null while the search is worth going on. A strategy that restarts itself (`capabilities.restarts`) names the reason
   * between the tell that ended one search and the ask that begins the next, and returns null after that.
   */
  stop(): StrategyStop | null;
  /** Null before the first finite fitness, and with several objectives. */
  incumbent(): Incumbent | null;
  /**
   * Spans of its work, in order, where it has several ways of searching, else none; the latest ones, if there were
   * many. `bestFitness` is minimized as all fitness here.
   */
  phases?(): readonly StrategySpan[];
  /** The latest change from one way of searching to another; null before the first. */
  change?(): StrategyChange | null;
  /** Its decisions and the evidence for them, where it decides anything. */
  planning?(): PlanningRecord | null;
  /** Proof about the fitness inside the bounds; null: nothing is proven. */
  certificate?(): Certificate | null;
  /**
   * Values of a generation are told and its gradients are not: nothing about the run is decided before. Absent: it
   * never is.
   */
  readonly isWithinGeneration?: boolean;
  /** Its generations, as a device can carry them out. Absent: it cannot. */
  readonly generations?: DeviceGenerations;
  snapshot(): StrategySnapshot;
}

/**
 * A strategy whose generations a device can carry out (docs/adr/0050-generation-programs.md). In the place of `ask` and
 * `tell` come `begin`, the device's work on a copy of `state`, and `end`. Before anything else is asked of the strategy
 * the state comes back into its arrays, and in the middle of a generation `open` follows. Where the device has lost the
 * state, it is made again: `move` and `accept` for each generation since it was last here.
 */
export interface DeviceGenerations {
  readonly program: PopulationProgram;
  /** The strategy's own arrays. */
  readonly state: PopulationState;
  /** The generation that is to come, or is open; it may be set to carry out earlier ones again. */
  place: GenerationPlace;
  /**
   * Begins the next generation; nobody moves. Null: one is open, or it has something of its own, and is to be asked
   * for.
   */
  begin(): GenerationPlace | null;
  /** The generation that was begun is over. `candidate`: the best one, where it is better than all before. */
  end(end: EndOfGeneration): void;
  /** The generation that was begun is to be asked for: the individuals in `state` have moved. */
  open(): void;
  /** All individuals move, here. */
  move(): CandidateBatch;
  /** They take in their fitness, here; `gradients`: results of the reading, null where they read none. */
  accept(fitness: Float64Array, gradients: Float64Array | null): void;
  /** A snapshot as `snapshot` makes it, without the state; and the whole one of it and the state that it belongs to. */
  outline(): StrategySnapshot;
  completed(outline: StrategySnapshot): StrategySnapshot;
}

export interface StrategyFactory {
  readonly name: string;
  readonly capabilities: {
    readonly minDimension: number;
    readonly maxDimension: number;
    /**
     * Moves by the order of fitness values alone: invariant under increasing transforms until a stop criterion fires.
     */
    readonly rankBased: boolean;
    /** Whether its moves depend on the seed, also before its first restart. */
    readonly dependsOnSeed: boolean;
    /** Whether its moves depend on `budgetEvaluations`. */
    readonly dependsOnBudget: boolean;
    /** Whether `ask` after a stop reason begins a new search, so that there is always something left to try. */
    readonly restarts: boolean;
    /** False: a baseline that never closes in on a minimum, and so never names a reason to stop. Absent: true. */
    readonly converges?: boolean;
    /** How many objectives it takes, least and most; absent: one. */
    readonly objectives?: readonly [least: number, most: number];
    /** Whether it chooses among other strategies. */
    readonly plans?: boolean;
    /** Whether the program gives what it needs; absent: it needs nothing. */
    isPossible?(n: number, program: ProgramView | undefined): boolean;
  };
  create(problem: StrategyProblem): Strategy;
  restore(problem: StrategyProblem, snapshot: StrategySnapshot): Strategy;
}
