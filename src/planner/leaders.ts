/**
 * Who may lead a run by the advice of the historian. Lessons, knowledge tables and federated updates refer to leaders
 * and members by their places in these lists, so the lists are stored data: nothing in them is ever reordered or
 * renamed. `leaders.test.ts` compares the names with those of the portfolio.
 */
import type { SearchSettings } from '../strategies/search/search-kind.js';

/** A member of the portfolio, and how it searches while it leads. */
export interface Leader extends SearchSettings {
  readonly member: string;
  /** Another member, which leads in turns with it. */
  readonly and?: string;
  /** How often its population is doubled. */
  readonly doublings: number;
  /** As federated updates name it. */
  readonly words: string;
}

/** The one at 0 is none. */
export const LEADERS: readonly (Leader | null)[] = [
  null,
  { member: 'lq-cma-es', doublings: 0, words: 'lq-cma-es' },
  { member: 'lq-cma-es', doublings: 2, words: 'lq-cma-es, population x4' },
  { member: 'lq-cma-es', doublings: 4, words: 'lq-cma-es, population x16' },
  { member: 'distant-restarts', doublings: 0, words: 'distant-restarts' },
  { member: 'nearby-restarts', doublings: 0, words: 'nearby-restarts' },
  { member: 'nelder-mead', doublings: 0, words: 'nelder-mead' },
  { member: 'lq-cma-es', doublings: 0, usesArchive: true, words: 'lq-cma-es, model of the probes' },
  { member: 'quasi-newton', doublings: 0, startSize: 0.1, words: 'quasi-newton, first matrix 0.1' },
  { member: 'quasi-newton', doublings: 0, startSize: 1e-5, words: 'quasi-newton, first matrix 0.00001' },
  {
    member: 'distant-restarts',
    doublings: 0,
    and: 'nearby-restarts',
    words: 'distant-restarts and nearby-restarts',
  },
];

/** Leaders that lessons from before efforts were noted know of. */
export const FIRST_LEADERS = 7;

/** Leaders that updates of version 1 (`BASE_VERSION`, model/federation.ts) can name. */
const FEDERATED_LEADERS = 11;
/** Names of the leaders in such updates, by their place in `LEADERS`. */
export const STRATEGIES: readonly string[] = LEADERS.slice(0, FEDERATED_LEADERS).map(
  (leader) => leader?.words ?? 'nobody leads',
);

/** Members whose efforts are compared, in the order of their columns. */
export const COMPARED = ['lq-cma-es', 'distant-restarts', 'nearby-restarts', 'nelder-mead', 'quasi-newton'] as const;
