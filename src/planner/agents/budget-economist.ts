/**
 * Shares of the budget: equal ones of what finds nothing, in turns that are long enough to get somewhere and go on
 * while they find better values; and what a member's own computing may cost. That is counted in operations, never in
 * seconds: the choice is the same on every host.
 */
import type { Mode } from '../../model/run-task.js';
import { because, type Agent, type Opinion } from '../panel.js';

/** Evaluations per dimension without a better value that a lead of one point is worth. */
const SHARE_PER_DIMENSION = 150;
/** Share of the budget that a turn goes on without a better value. */
const TURN = 0.05;
/**
 * Operations for each evaluation that a member may need, beside a few passes over an n x n matrix: some ten
 * microseconds, some tenths of a second, seconds.
 */
const MAX_OPERATIONS: Readonly<Record<Mode, number>> = { fast: 1e5, balanced: 1e9, accurate: 1e10 };
const MATRIX_PASSES = 30;

export const budgetEconomist: Agent = {
  name: 'budget economist',
  vote: ({ n, mode, budget, members, turn }) => {
    const opinions: Opinion[] = [];
    for (const { name, evaluations, fruitless, operations, isOpen } of members) {
      if (!isOpen) continue;
      if (operations > MAX_OPERATIONS[mode] + MATRIX_PASSES * n * n) {
        const why = because(
          `needs about {operations:operation|operations} for each evaluation: too much in mode ${mode}`,
          {
            operations,
          },
        );
        opinions.push({ member: name, points: null, ...why });
        continue;
      }
      const isInTurn = turn !== null && turn.member === name && turn.sinceGain < TURN * budget;
      const counted = isInTurn ? turn.fruitlessBefore : fruitless;
      opinions.push({
        member: name,
        points: 0 - counted / (SHARE_PER_DIMENSION * n),
        ...(isInTurn
          ? because('its turn goes on until {turn:evaluation finds|evaluations find} nothing better', {
              turn: Math.ceil(TURN * budget),
            })
          : evaluations === 0
            ? because('no turn yet', {})
            : fruitless === 0
              ? { reason: 'all of its turns found something better' }
              : because('found nothing better in {fruitless:evaluation|evaluations}', { fruitless })),
      });
    }
    return opinions;
  },
};
