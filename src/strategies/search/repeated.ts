/** A kind of search as a strategy of its own: when one search ends, the next begins. */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { higher, type Certificate } from '../../model/certificate.js';
import type { StrategyFactory, StrategyStop } from '../strategy.js';
import { searchStrategy } from './search-strategy.js';
import type { NamedKind, SearchKind } from './search-kind.js';
import type { Search, SearchContext, SearchSnapshot, Step } from './search.js';

interface Saved {
  readonly search: SearchSnapshot | null;
  readonly runs: number;
  readonly reason: StrategyStop | null;
  readonly proven?: { readonly bound: string; readonly proof: string };
}

class Repeated implements Search {
  private search: Search | null;
  private runs: number;
  /** Why the last search ended, until the next begins. */
  private reason: StrategyStop | null;
  /** The highest that any search that has ended could prove. */
  private proven: Certificate | null;

  constructor(
    private readonly context: SearchContext,
    private readonly kind: SearchKind,
    snapshot?: SearchSnapshot,
  ) {
    const saved = snapshot as Saved | undefined;
    this.search = saved === undefined || saved.search === null ? null : kind.restore(context, saved.search);
    this.runs = saved?.runs ?? 0;
    this.reason = saved?.reason ?? null;
    const proven = saved?.proven ?? null;
    this.proven = proven === null ? null : { bound: decodeFloats(proven.bound, 1)[0], proof: proven.proof };
  }

  *step(): Step {
    const search = this.search ?? this.kind.start(this.context, this.runs);
    yield* search.step();
    this.reason = search.end();
    if (this.reason !== null) this.proven = higher(this.proven, search.certificate?.() ?? null);
    if (this.search === null) this.runs++;
    this.search = this.reason === null ? search : null;
  }

  end(): StrategyStop | null {
    return this.reason;
  }

  certificate(): Certificate | null {
    return higher(this.proven, this.search?.certificate?.() ?? null);
  }

  snapshot(): SearchSnapshot {
    const { search, runs, reason, proven } = this;
    return {
      search: search?.snapshot() ?? null,
      runs,
      reason,
      proven: proven === null ? undefined : { ...proven, bound: encodeFloats(Float64Array.of(proven.bound)) },
    };
  }
}

export function repeated(kind: NamedKind): StrategyFactory {
  const { name, maxDimension, isPossible, asStrategy } = kind;
  const { snapshotVersion, ...promises } = asStrategy;
  return searchStrategy(
    name,
    snapshotVersion,
    {
      minDimension: 1,
      maxDimension,
      rankBased: false,
      dependsOnBudget: true,
      restarts: true,
      ...promises,
      isPossible,
    },
    {
      create: (context) => new Repeated(context, kind),
      restore: (context, snapshot) => new Repeated(context, kind, snapshot),
    },
  );
}
