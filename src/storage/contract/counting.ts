/** The store's part for counts of requests, which limits are held against. */
import type { VerbsOf } from './verbs.js';

export interface RequestCount {
  /** This request included. */
  readonly count: number;
  /** When counting begins anew. */
  readonly resetAt: number;
}

export interface CountingStore {
  /**
   * Counts a request against `key`, in windows that begin with their first request. Shared by all processes on this
   * store; may be forgotten when they all end.
   */
  countRequest(key: string, now: number, windowMs: number): Promise<RequestCount>;
}

export const COUNTING_VERBS: VerbsOf<CountingStore> = {
  countRequest: 'writes',
};
