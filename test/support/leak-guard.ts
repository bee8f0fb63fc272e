/**
 * Runs around every test file (vitest `setupFiles`): fails it when a listening server, a child process or a worker
 * thread survives its tests. What is still closing gets a moment.
 */
import { afterAll, beforeAll } from 'vitest';

const GRACE_MS = 1_500;
const KINDS = new Set(['TCPServerWrap', 'PipeServerWrap', 'ProcessWrap', 'UDPWrap', 'FSEventWrap']);

let liveWorkers = 0;
process.on('worker', (worker) => {
  liveWorkers += 1;
  worker.once('exit', () => (liveWorkers -= 1));
});

function count(): Map<string, number> {
  const counts = new Map<string, number>([['worker thread', liveWorkers]]);
  for (const kind of process.getActiveResourcesInfo()) {
    if (KINDS.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

let before = new Map<string, number>();

function leaks(): string[] {
  return [...count()]
    .map(([kind, now]) => ({ kind, more: now - (before.get(kind) ?? 0) }))
    .filter(({ more }) => more > 0)
    .map(({ kind, more }) => `${more} ${kind}`);
}

beforeAll(() => {
  before = count();
});

afterAll(async () => {
  const deadline = performance.now() + GRACE_MS;
  while (leaks().length > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 25));
  const left = leaks();
  if (left.length > 0) throw new Error(`still alive after the tests of this file: ${left.join(', ')}`);
});
