/**
 * A look at the outside from within long work: what computes in one call, for seconds perhaps, ticks as it goes, and
 * whoever called it may end it. A thread does one such thing at a time, so that the watch is the thread's and not an
 * argument of everything. Without one a tick does nothing; a watch can only end the work, never change what it gives.
 */

/** Ticks between two looks: less than a millisecond of work, mostly. */
const TICKS = 500;

let watch: (() => void) | null = null;
let rest = TICKS;

/** Does `work`, which looks at `look` now and then. What `look` throws ends it. */
export function watched<T>(look: () => void, work: () => T): T {
  const outer = watch;
  watch = look;
  rest = TICKS;
  try {
    return work();
  } finally {
    watch = outer;
  }
}

/** `units` of work, of about a microsecond each, are done. @throws what the watch throws */
export function tick(units = 1): void {
  rest -= units;
  if (rest > 0) return;
  rest = TICKS;
  watch?.();
}
