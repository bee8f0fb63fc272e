/** A kind of search as a strategy of its own: when one search ends, the next begins. */
import type { StrategyFactory, StrategyStop } from '../strategy.js';
import { searchStrategy } from './search-strategy.js';
import type { Search, SearchContext, SearchKind, SearchSnapshot, Step } from './search.js';

class Repeated implements Search {
  private search: Search | null;
  private runs: number;
  /** Of the last search, until the next begins. */
  private reason: StrategyStop | null;

  constructor(
    private readonly context: SearchContext,
    private readonly kind: SearchKind,
    snapshot?: SearchSnapshot,
  ) {
    const saved = snapshot as { search: SearchSnapshot | null; runs: number; reason: StrategyStop | null } | undefined;
    this.search = saved === undefined || saved.search === null ? null : kind.restore(context, saved.search);
    this.runs = saved?.runs ?? 0;
    this.reason = saved?.reason ?? null;
  }

  *step(): Step {
    const search = this.search ?? this.kind.start(this.context, this.runs);
    yield* search.step();
    this.reason = search.end();
    if (this.search === null) this.runs++;
    this.search = this.reason === null ? search : null;
  }

  end(): StrategyStop | null {
    return this.reason;
  }

  snapshot(): SearchSnapshot {
    return { search: this.search?.snapshot() ?? null, runs: this.runs, reason: this.reason };
  }
}

/**
 * @param version of the snapshots; raised when what the searches keep changes
 * @param dependsOnSeed see `StrategyFactory.capabilities`
 */
export function repeated(kind: SearchKind, version: number, dependsOnSeed: boolean): StrategyFactory {
  const { name, maxDimension, isPossible } = kind;
  return searchStrategy(
    name,
    version,
    {
      minDimension: 1,
      maxDimension,
      rankBased: false,
      dependsOnSeed,
      dependsOnBudget: true,
      restarts: true,
      ...(isPossible === undefined ? {} : { isPossible }),
    },
    {
      create: (context) => new Repeated(context, kind),
      restore: (context, snapshot) => new Repeated(context, kind, snapshot),
    },
  );
}
