import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../model/run-event.js';
import type { RunRecord } from '../../model/run-record.js';
import type { Seen, Watch } from '../../runs/run-waiting.js';
import { runStream } from './stream.js';

const event = (n: number): RunEvent => ({ id: `evt_${n}`, type: 'context.updated', createdAt: 1, body: `{"n":${n}}` });

/** A run whose life the test directs. */
class FakeRuns {
  isStopping = false;
  events_: (RunEvent | null)[] = [];
  status = 'running';
  evaluations = 0;
  asked = 0;
  private readonly waiting = new Set<() => void>();

  changed(_id: string, ms: number): Watch {
    let stop = (): void => {};
    const happened = new Promise<void>((resolve) => {
      stop = () => {
        clearTimeout(timer);
        this.waiting.delete(stop);
        resolve();
      };
      const timer = setTimeout(stop, ms);
      this.waiting.add(stop);
    });
    return { happened, stop };
  }
  change(): void {
    for (const wake of [...this.waiting]) wake();
  }
  async look(_account: string, _id: string, after: number, limit: number): Promise<Seen> {
    this.asked++;
    const progress = { evaluations: this.evaluations, bestFitness: 1, bestSolution: [1], elapsedSeconds: 1 };
    const run = {
      id: 'opt_1',
      status: this.status,
      progress: this.evaluations === 0 ? null : progress,
    } as unknown as RunRecord;
    return { run, events: this.events_.slice(after, after + limit) };
  }
}

describe('the stream of a run', () => {
  let runs: FakeRuns;
  let gone: AbortController;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    runs = new FakeRuns();
    gone = new AbortController();
  });
  afterEach(() => {
    gone.abort();
    vi.useRealTimers();
  });
  const open = (after = 0): AsyncGenerator<string> => runStream(runs, 'acct_1', 'opt_1', after, gone.signal);
  /** Messages of the stream until the clock has gone on so far. */
  async function listen(stream: AsyncGenerator<string>, ms: number): Promise<string[]> {
    const heard: string[] = [];
    let isOver = false;
    const reading = (async () => {
      for (;;) {
        const { value, done } = await stream.next();
        if (isOver || done === true) return;
        heard.push(value);
      }
    })();
    await vi.advanceTimersByTimeAsync(ms);
    isOver = true;
    void reading;
    return heard;
  }

  it('says every 15 seconds that it lives, and nothing else where nothing happens', async () => {
    expect(await listen(open(), 14_999)).toEqual([]);
    expect(await listen(open(), 61_000)).toEqual(Array(4).fill(': heartbeat\n\n'));
  });

  it('keeps its heartbeat where much happens', async () => {
    const stream = open();
    const heard = listen(stream, 31_000);
    for (let i = 1; i <= 31; i++) {
      runs.evaluations = i;
      runs.change();
      await vi.advanceTimersByTimeAsync(0);
    }
    expect((await heard).filter((piece) => piece.startsWith(':'))).toHaveLength(2);
  });

  it('goes on after the event that was seen last, without a gap and without one twice', async () => {
    runs.events_ = Array.from({ length: 120 }, (_, n) => event(n));
    runs.status = 'completed';
    for (const after of [0, 1, 49, 50, 51, 119]) {
      const heard = await listen(open(after), 10);
      expect(heard.map((piece) => /^id: (\d+)\n/.exec(piece)?.[1])).toEqual(
        Array.from({ length: 120 - after }, (_, i) => String(after + 1 + i)),
      );
      expect(heard[0]).toBe(`id: ${after + 1}\nevent: context.updated\ndata: {"n":${after}}\n\n`);
    }
  });

  it('leaves out what is damaged, which keeps its place', async () => {
    runs.events_ = [event(0), null, event(2)];
    runs.status = 'completed';
    const heard = await listen(open(), 10);
    expect(heard.map((piece) => /^id: (\d+)\n/.exec(piece)?.[1])).toEqual(['1', '3']);
  });

  it('asks for no more than is read', async () => {
    runs.events_ = Array.from({ length: 10_000 }, (_, n) => event(n));
    const stream = open();
    for (let i = 0; i < 10; i++) await stream.next();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(runs.asked).toBe(1);
  });
});
