/**
 * The agent that knows runs of similar problems. The leader that did best there goes first, for a number of evaluations
 * that is bounded by what similar problems took: where the advice is wrong, no more than that is lost. Where they took
 * long, others have a little time before, and a search of theirs that gets on is not interrupted: the problem may be
 * easier than those.
 */
import { DECISIVE, because, type Agent } from '../panel.js';
import { hasStagnated } from './critic.js';
import { LEADERS } from '../leaders.js';

/** More than the analyst's say for a gradient search, less than what is known of the program. */
const POINTS = 2.5 * DECISIVE;

export const historian: Agent = {
  name: 'historian',
  vote: ({ guide, members, evaluations: done, turn, n }) => {
    const leader = guide === null ? null : LEADERS[guide.leader];
    if (guide === null || leader === null || leader === undefined || done < guide.after) return [];
    const { evaluations, runs, isFromElsewhere } = guide;
    const whose = isFromElsewhere === true ? ' at other deployments' : '';
    const leading = members.filter(({ name }) => name === leader.member || name === leader.and);
    const isLeading = leading.some(({ name }) => name === turn?.member);
    const search = members.find(({ name }) => name === turn?.member)?.search ?? null;
    if (!isLeading && search !== null && !hasStagnated(search, n)) return [];
    if (leading.reduce((sum, member) => sum + member.evaluations, 0) >= evaluations) return [];
    return leading
      .filter(({ isOpen }) => isOpen)
      .map(({ name }) => ({
        member: name,
        points: POINTS,
        ...because(`leads for {evaluations:evaluation|evaluations}, by {runs:run|runs} of similar problems${whose}`, {
          evaluations,
          runs,
        }),
      }));
  },
};
