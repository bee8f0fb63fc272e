import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * When garbage is collected, after a start. V8 makes its young generation smaller where little was allocated in
 * between.
 */
const AFTER_MS = [3_000, 11_000];

/**
 * Gives back what a start leaves behind: some 30 MB of the process, which V8 keeps for as long as little is allocated.
 * A collection holds the thread up for some 50 ms. Returns what calls it off.
 */
export function giveBackAfterStart(): () => void {
  const timers = AFTER_MS.map((ms) => setTimeout(collectGarbage, ms).unref());
  return () => timers.forEach(clearTimeout);
}

function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  v8.setFlagsFromString('--no-expose-gc');
  collect();
}
