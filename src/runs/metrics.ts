/** What the life of runs and functions tells whoever counts. Plain numbers under names of closed lists, no text of users. */
import type { Diagnostic } from '../frontend/syntax/diagnostic.js';
import type { CompilationReason } from '../model/function-record.js';
import type { TerminationReason, EvaluationUse } from '../model/run-task.js';
import type { Verified } from '../model/verification.js';

/** What a worker thread measured since its last answer. */
export interface Measures {
  readonly compilations: readonly Compilation[];
  /** Of evaluations since the last report or answer. */
  readonly use: EvaluationUse;
}

export interface Compilation {
  readonly seconds: number;
  readonly outcome: 'compiled' | Diagnostic['kind'];
}

export interface RunMetrics {
  measured(measures: Partial<Measures>): void;
  runEnded(status: 'completed' | 'failed', reason: TerminationReason): void;
  /** A run or an evaluation whose source was not compiled. */
  fellBack(reason: NonNullable<CompilationReason['kind']>): void;
  /** What CPython confirmed of a run or an evaluation of points. */
  verified(verified: Verified): void;
  /** Compiled code was found to misread a source. */
  misread(by: 'run' | 'evaluation'): void;
}

const NOTHING: EvaluationUse = { tiers: {}, flagged: {}, reevaluated: 0 };

/** What `now` has more than `before`. */
export function difference(now: EvaluationUse = NOTHING, before: EvaluationUse = NOTHING): EvaluationUse {
  const of = (a: EvaluationUse['tiers'], b: EvaluationUse['tiers']): EvaluationUse['tiers'] =>
    Object.fromEntries(Object.entries(a).map(([name, count]) => [name, count - (b[name] ?? 0)]));
  return {
    tiers: of(now.tiers, before.tiers),
    flagged: of(now.flagged, before.flagged),
    reevaluated: now.reevaluated - before.reevaluated,
  };
}
