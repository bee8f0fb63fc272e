/** Messages between a module's kernel and its worker threads: plain data. */
import type { RowFailure, Rows } from './calls.js';

/** `workerData` of a thread. */
export interface ModuleSetup {
  readonly href: string;
  readonly name: string;
  readonly isBatch: boolean;
}

/** Request to the thread, one at a time. `points` is moved. */
export type ModuleRequest = Rows;

export type ModuleReply =
  | { readonly kind: 'evaluated'; readonly values: Float64Array; readonly failures: readonly RowFailure[] }
  /** It is no use: the module does not load, or does not keep its contract. */
  | { readonly kind: 'refused'; readonly message: string };
