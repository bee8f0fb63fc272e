/**
 * Shares of the budget: equal ones, in turns that are long enough to get somewhere; and what a member's own computing
 * may cost. The cost is counted in operations, never in seconds: the choice is the same on every host.
 */
import type { Mode } from '../../model/run-task.js';
import { because, type Agent, type Opinion } from '../panel.js';

/** Evaluations per dimension that a lead of one point is worth. */
const SHARE_PER_DIMENSION = 150;
/** Share of the budget that one turn lasts. */
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
    for (const { name, evaluations, operations, isOpen } of members) {
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
      const isInTurn = turn !== null && turn.member === name && evaluations - turn.evaluationsBefore < TURN * budget;
      const counted = isInTurn ? turn.evaluationsBefore : evaluations;
      opinions.push({
        member: name,
        points: 0 - counted / (SHARE_PER_DIMENSION * n),
        ...(isInTurn
          ? because('its turn of {turn:evaluation|evaluations} goes on', { turn: Math.ceil(TURN * budget) })
          : evaluations === 0
            ? because('no turn yet', {})
            : because('has used {used:evaluation|evaluations}', { used: evaluations })),
      });
    }
    return opinions;
  },
};
