/** The strategies that a request can ask for and the members that the planner chooses from, made from `kinds.ts`. */
import { kinds } from './kinds.js';
import { repeated } from './search/repeated.js';
import { isFactory, isMember, isNamed, type Member } from './search/search-kind.js';
import type { StrategyFactory } from './strategy.js';

/** Strategies that search by themselves, in the order of `kinds`. */
export const strategies: readonly StrategyFactory[] = kinds.flatMap((kind) =>
  isFactory(kind) ? [kind] : isNamed(kind) ? [repeated(kind)] : [],
);

/** The planner's portfolio, in the order that settles ties. */
export const portfolio: readonly Member[] = kinds.flatMap((kind) => (!isFactory(kind) && isMember(kind) ? [kind] : []));
