/** What tools and those who help them know of the request that they answer. */
import type { Caller } from '../../identity/identity-service.js';
import type { RouteCalls } from './calls.js';

export interface Progress {
  readonly evaluations: number;
  readonly total: number;
  readonly message: string;
}

/** What a tool has of the request that it answers. */
export interface ToolContext {
  readonly caller: Caller;
  readonly calls: RouteCalls;
  /** The client takes the request back, or is gone. */
  readonly signal: AbortSignal;
  /** Whether an aborted request was taken back: a client that is gone cancels nothing. */
  isTakenBack(): boolean;
  progress(progress: Progress): void;
}
