import type { RunEnding, RunRecord } from '../model/run-record.js';

/** A run that has ended. */
export type EndedRun = RunRecord & { readonly ending: RunEnding };

export const hasEnded = (run: RunRecord): run is EndedRun => run.ending !== null;
