/**
 * A search in the unit box as a sequence of steps: what the planner's members are made of, and, through
 * `SearchStrategy`, strategies of their own.
 *
 * A step is a generator. It yields points, gets their fitness (of all of them, in their order; of another reading all
 * results, row by row, in units of the unit box, NaN where there are none), and may go on asking; all
 * evaluations also enter the shared archive as they are told. **A step changes the search's state only after its last
 * yield**: a run that is interrupted within a step is continued by running the step again from its beginning on the
 * answers that were already given, which gives the same bits. Random numbers may be drawn anywhere in a step: the
 * generator is put back, too.
 */
import type { Rng } from '../../common/rng.js';
import type { Certificate } from '../../model/certificate.js';
import type { Reading } from '../../model/reading.js';
import type { Mode, PlanningRecord, StrategyChange, StrategySpan } from '../../model/run-task.js';
import type { ProgramView, StrategyStop } from '../strategy.js';
import type { Archive } from './archive.js';

export interface Points {
  /** [count, n] row-major, in [0, 1]. Not changed by the search until the answer is there. */
  readonly points: Float64Array;
  readonly count: number;
  /** Points of a finite difference: too close to another for fits to profit. */
  readonly isDifference?: boolean;
  /** The reading wanted of each; absent: `value`. Rows in units of the unit box (`model/reading.ts`). */
  readonly reading?: Reading;
  /** See `CandidateBatch.bearsGaps`. */
  readonly bearsGaps?: boolean;
}

export type Step = Generator<Points, void, Float64Array>;

/** Context that the searches of one run share. */
export interface SearchContext {
  readonly n: number;
  readonly rng: Rng;
  readonly archive: Archive;
  /** Evaluations of the whole run. */
  readonly budget: number;
  /** Widths of the box in the units of the request; absent: all the same. */
  readonly widths?: Float64Array;
  /** Lower bounds in these units; absent: 0. */
  readonly lower?: Float64Array;
  /** How much trouble to take; absent: `balanced`. */
  readonly mode?: Mode;
  /** Lessons of earlier runs (`Knowledge.table`); absent: none. */
  readonly knowledge?: Float64Array;
  /**
   * [count, n] in the unit box: what earlier runs of the same program found best (`StrategyProblem.starts`); absent:
   * nothing.
   */
  readonly starts?: Float64Array;
  /** Where the request wants the search to begin, in the unit box. */
  readonly start?: Float64Array;
  /** Absent: the objective can only be called. */
  readonly program?: ProgramView;
}

export type SearchSnapshot = { readonly [field: string]: unknown };

export interface Search {
  step(): Step;
  /**
   * Why it has nothing left to gain; null while it has. Only a search that begins anew by itself is stepped after that.
   */
  end(): StrategyStop | null;
  /**
   * A whole gradient was exactly zero, or values come in steps, so that slopes lead nowhere from here; absent: it does
   * not look at gradients.
   */
  readonly isFlat?: boolean;
  /** What it has met, or where it has ended, is not what it is for: others do as well. Absent: it is for anything. */
  readonly isMisplaced?: boolean;
  /** See `Strategy.phases`. */
  phases?(): readonly StrategySpan[];
  /** See `Strategy.change` and `Strategy.planning`. */
  change?(): StrategyChange | null;
  planning?(): PlanningRecord | null;
  /** See `Strategy.certificate`; it may be asked for in the middle of a step. */
  certificate?(): Certificate | null;
  /** JSON-safe; called between steps, or within one, when the state is still that of its beginning. */
  snapshot(): SearchSnapshot;
}

export interface SearchFactory {
  create(context: SearchContext): Search;
  restore(context: SearchContext, snapshot: SearchSnapshot): Search;
}

/** Asks for one point and gives its fitness. */
export function* evaluatePoint(point: Float64Array): Generator<Points, number, Float64Array> {
  const fitness = yield { points: point, count: 1 };
  return fitness[0];
}
