/**
 * Summaries of runs that have ended, which never change again: lists show the same ones over and over. A list finds the
 * identifiers in the database, so a run that is deleted is in none, though its summary stays here for a while.
 */
import { isFinished } from '../../model/run-status.js';
import type { RunSummary } from '../../model/run-summary.js';

/** Each takes about 2 kB, with the text that it is sent as. */
const MOST = 4_096;

export class EndedSummaries {
  private readonly kept = new Map<string, RunSummary>();

  /** `found`: those at hand, by identifier. */
  lookUp(ids: readonly string[]): { readonly found: Map<string, RunSummary>; readonly missing: readonly string[] } {
    const found = new Map<string, RunSummary>();
    for (const id of ids) {
      const summary = this.kept.get(id);
      if (summary !== undefined) found.set(id, summary);
    }
    return { found, missing: ids.filter((id) => !found.has(id)) };
  }

  /** Keeps it if its run has ended. */
  keep(summary: RunSummary): void {
    if (!isFinished(summary.status)) return;
    this.kept.set(summary.id, summary);
    if (this.kept.size <= MOST) return;
    const [oldest = ''] = this.kept.keys();
    this.kept.delete(oldest);
  }
}
