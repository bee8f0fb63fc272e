/**
 * A thread's own account of its work, for whoever counts. Plain numbers under names of closed lists, no text of users.
 */
import type { Diagnostic } from '../frontend/syntax/diagnostic.js';
import type { EvaluationUse } from '../model/run-task.js';

/** Measured by a worker thread since its last answer. */
export interface Measures {
  readonly compilations: readonly Compilation[];
  /** Evaluations since the last report or answer. */
  readonly use: EvaluationUse;
}

interface Compilation {
  readonly seconds: number;
  readonly outcome: 'compiled' | Diagnostic['kind'];
}

/** Since the last answer of this thread, which does one job at a time. */
let compiled: Compilation[] = [];

/** `startedAt`: by `performance.now()`. */
export function noteCompilation(startedAt: number, outcome: Compilation['outcome']): void {
  compiled.push({ seconds: (performance.now() - startedAt) / 1000, outcome });
}

/** Takes what was noted since the last call. */
export function takeMeasures(use: EvaluationUse = difference()): Measures {
  const compilations = compiled;
  compiled = [];
  return { compilations, use };
}

const NOTHING: EvaluationUse = { tiers: {}, flagged: {}, reevaluated: 0 };

/** The part of `now` that `before` does not have. */
export function difference(now: EvaluationUse = NOTHING, before: EvaluationUse = NOTHING): EvaluationUse {
  const of = (a: EvaluationUse['tiers'], b: EvaluationUse['tiers']): EvaluationUse['tiers'] =>
    Object.fromEntries(Object.entries(a).map(([name, count]) => [name, count - (b[name] ?? 0)]));
  return {
    tiers: of(now.tiers, before.tiers),
    flagged: of(now.flagged, before.flagged),
    reevaluated: now.reevaluated - before.reevaluated,
  };
}
