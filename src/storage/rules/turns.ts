/** Whose turn it is among runs that may be claimed. */
import type { ClaimableRun } from '../contract/runs.js';

/** The oldest of every account, then the second oldest of every account, and so on; those of a turn oldest first. */
export function inTurns(runs: readonly ClaimableRun[]): ClaimableRun[] {
  const turns = new Map<string, number>();
  const placed = [...runs]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((run) => {
      const turn = turns.get(run.accountId) ?? 0;
      turns.set(run.accountId, turn + 1);
      return { turn, run };
    });
  return placed.sort((a, b) => a.turn - b.turn).map(({ run }) => run);
}
