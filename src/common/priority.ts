import { setPriority } from 'node:os';

/** Enough for the main thread to be let in at once, not so much that other processes of the host starve the rest. */
const NICENESS = 5;

/**
 * Lets this thread, and those that it starts, give way to the main thread where all cores are busy: answers are short, runs
 * are long. Linux has priorities of single threads; elsewhere this does nothing.
 */
export function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, NICENESS);
  } catch {
    // Not allowed here: answers come a little later.
  }
}
