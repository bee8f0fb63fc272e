/**
 * What runs of similar problems taught. The leader that did best there goes first, for a number of evaluations that is bounded
 * by what similar problems took: where the advice is wrong, no more than that is lost.
 */
import { LEADERS } from '../../model/learning.js';
import { DECISIVE, because, type Agent } from '../panel.js';

/** More than the analyst's say for a gradient search, less than what is known of the program. */
const POINTS = 2.5 * DECISIVE;

export const historian: Agent = {
  name: 'historian',
  vote: ({ guide, members }) => {
    const leader = guide === null ? null : LEADERS[guide.leader];
    if (guide === null || leader === null || leader === undefined) return [];
    const { evaluations, runs } = guide;
    return members
      .filter((member) => member.name === leader.member && member.isOpen && member.evaluations < evaluations)
      .map(({ name }) => ({
        member: name,
        points: POINTS,
        ...because('leads for {evaluations} evaluations, by {runs} runs of similar problems', { evaluations, runs }),
      }));
  },
};
