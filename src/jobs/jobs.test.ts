import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '../common/logger.js';
import { TimerJobs } from './timer-jobs.js';

const started: TimerJobs[] = [];
afterEach(() => Promise.all(started.splice(0).map((jobs) => jobs.stop())));

function make(): { jobs: TimerJobs; ran: [string, string][] } {
  const ran: [string, string][] = [];
  const metrics = { jobRan: (name: string, outcome: string) => void ran.push([name, outcome]) };
  const jobs = new TimerJobs({ clock: Date.now, logger: silentLogger, metrics });
  started.push(jobs);
  return { jobs, ran };
}

describe('jobs', () => {
  test('a handler runs at the start, and when it asked to be woken', async () => {
    const { jobs } = make();
    let runs = 0;
    jobs.define('expire', async () => (++runs < 3 ? Date.now() + 5 : null), { everyMs: 60_000 });
    await jobs.start();
    await vi.waitFor(() => expect(runs).toBe(3));
  });

  test('nudges during a run make one more run, never two at a time', async () => {
    const { jobs } = make();
    let runs = 0;
    let now = 0;
    let most = 0;
    const handler = async (): Promise<null> => {
      most = Math.max(most, ++now);
      runs++;
      await sleep(20);
      now--;
      return null;
    };
    jobs.define('relay-events', handler, { everyMs: 60_000 });
    await jobs.start();
    for (let i = 0; i < 10; i++) jobs.nudge('relay-events');
    await vi.waitFor(() => expect(runs).toBe(2));
    await sleep(50);
    expect({ runs, most }).toEqual({ runs: 2, most: 1 });
  });

  test('a handler that fails, also at once, is counted and run again', async () => {
    const { jobs, ran } = make();
    let runs = 0;
    const handler = (): Promise<null> => {
      if (++runs === 1) throw new Error('at once');
      return runs === 2 ? Promise.reject(new Error('later')) : Promise.resolve(null);
    };
    jobs.define('expire', handler, { everyMs: 10 });
    await jobs.start();
    await vi.waitFor(() => expect(ran.slice(0, 3).map(([, outcome]) => outcome)).toEqual(['failed', 'failed', 'ok']));
  });

  test('the end is told to who runs, and waited for', async () => {
    const { jobs } = make();
    let ended = false;
    const handler = async (signal: AbortSignal): Promise<null> => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await sleep(20);
      ended = true;
      return null;
    };
    jobs.define('expire', handler, { everyMs: 10 });
    await jobs.start();
    await jobs.stop();
    expect(ended).toBe(true);
  });
});
