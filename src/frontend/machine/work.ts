/**
 * Counts the work of one compilation, so that no source makes the compiler run long or use much memory.
 */
import { tick } from '../../common/watch.js';
import type { Core } from './core.js';
import type { Position } from '../syntax/ast.js';
import { Unsupported } from '../values/values.js';

/** Limits on what one compilation may build; larger programs run in CPython. */
export const MAX_NODES = 400_000;

const MAX_STEPS = 1_000_000;

/** Elements that are only copied cost less than those that are computed. */
export const COPIES_PER_STEP = 16;

/**
 * Characters that a text known at compile time may have. What is done with a text of that length takes milliseconds and
 * a few megabytes.
 */
export const MAX_TEXT = 1_000_000;

export const TOO_LARGE = 'the function is too large to unroll';

export const tooLarge = (position: Position): Unsupported => new Unsupported(TOO_LARGE, position, 'limit');

export class Work {
  steps = 0;
  /** Work that loading the module took. */
  loadingSteps = 0;

  constructor(private readonly ev: Core) {}

  /**
   * Counts work done at compile time, so that no source makes the compiler run long or use much memory. To be called
   * before `amount` elements are built: an array that is too large for the engine ends the process, not the thread.
   */
  step(position: Position, amount = 1): void {
    tick();
    if (amount > 0) this.steps += amount;
    if (this.steps > MAX_STEPS || this.ev.builder.nodeCount > MAX_NODES) {
      throw tooLarge(position);
    }
  }

  /** An array of `length` elements, counted before it is made. */
  array<T>(position: Position, length: number, element: (k: number) => T): T[] {
    this.step(position, length);
    return Array.from({ length }, (_, k) => element(k));
  }

  /** Work that this program has taken so far, without loading the module. */
  get spent(): number {
    return this.steps - this.loadingSteps + this.ev.builder.nodeCount;
  }
}
