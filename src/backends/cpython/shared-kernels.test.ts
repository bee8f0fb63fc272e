import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createOutput, type EvaluationOutput, type Kernel } from '../backend.js';
import { SharedKernels } from './shared-kernels.js';

/** Kernels that note what became of them; each adds its own number to what it is asked for. */
function factory() {
  const kernels: { key: string; calls: number; atOnce: number; most: number; isClosed: boolean }[] = [];
  let failure: { readonly error?: Error; readonly type?: string } = {};
  const open = (key: string) => (): Promise<Kernel> => {
    const state = { key, calls: 0, atOnce: 0, most: 0, isClosed: false };
    const number = kernels.push(state);
    return Promise.resolve({
      backend: 'cpython',
      device: 'test',
      async evaluate({ candidates, count }, output: EvaluationOutput) {
        state.calls++;
        state.most = Math.max(state.most, ++state.atOnce);
        await sleep(1);
        state.atOnce--;
        output.failures.length = 0;
        const { error, type } = failure;
        if (error !== undefined) throw error;
        if (type !== undefined) output.failures.push({ index: 0, type, message: 'lost', line: 0 });
        for (let k = 0; k < count; k++) output.values[k] = candidates[k] + number;
      },
      close: () => {
        state.isClosed = true;
        return Promise.resolve();
      },
    });
  };
  return { kernels, open, failWith: (how: typeof failure) => (failure = how) };
}

async function value(kernel: Kernel, x: number): Promise<number> {
  const output = createOutput(1);
  await kernel.evaluate({ candidates: Float64Array.of(x), count: 1, dimension: 1 }, output);
  return output.values[0];
}

describe('kernels that stay', () => {
  test('serve one key, one call after the other, whoever leases it', async () => {
    const shared = new SharedKernels();
    const { kernels, open } = factory();
    const leases = [shared.lease('a', open('a')), shared.lease('a', open('a')), shared.lease('b', open('b'))];
    expect(kernels).toHaveLength(0);
    const values = await Promise.all(leases.flatMap((lease) => [value(lease, 10), value(lease, 20)]));
    expect(values).toEqual([11, 21, 11, 21, 12, 22]);
    expect(kernels.map(({ key, calls, most }) => [key, calls, most])).toEqual([
      ['a', 4, 1],
      ['b', 2, 1],
    ]);
    expect(leases[0].seconds).toBeGreaterThan(0);
    await leases[0].close();
    expect(kernels[0].isClosed).toBe(false);
    expect(await value(shared.lease('a', open('a')), 0)).toBe(1);
    await shared.close();
    expect(kernels.every(({ isClosed }) => isClosed)).toBe(true);
    await expect(value(leases[0], 0)).rejects.toThrow('closed');
  });

  test.each([{ error: new Error('away') }, { type: 'TimeLimit' }, { type: 'ProcessLost' }, { type: 'MemoryLimit' }])(
    'end where a call failed: %o',
    async (how) => {
      const shared = new SharedKernels();
      const { kernels, open, failWith } = factory();
      const lease = shared.lease('a', open('a'));
      failWith(how);
      const first = value(lease, 0);
      // Called before the first one failed: it gets another kernel, not the one that failed.
      const second = value(lease, 0).catch(() => null);
      if (how.error === undefined) await first;
      else await expect(first).rejects.toThrow('away');
      failWith({});
      await second;
      expect(kernels[0].isClosed).toBe(true);
      expect(kernels[0].calls).toBe(1);
      expect(await value(lease, 5)).toBeGreaterThan(6);
      await shared.close();
    },
  );

  test('stay where a candidate raised an error of its own', async () => {
    const shared = new SharedKernels();
    const { kernels, open, failWith } = factory();
    failWith({ type: 'ZeroDivisionError' });
    await value(shared.lease('a', open('a')), 0);
    expect(kernels[0].isClosed).toBe(false);
    expect(shared.size).toBe(1);
    await shared.close();
  });

  test('end where there are many, the least recently used first', async () => {
    const shared = new SharedKernels({ mostIdle: 2 });
    const { kernels, open } = factory();
    for (const key of ['a', 'b', 'a', 'c']) await value(shared.lease(key, open(key)), 0);
    await sleep(0);
    expect(kernels.map(({ key, isClosed }) => [key, isClosed])).toEqual([
      ['a', false],
      ['b', true],
      ['c', false],
    ]);
    expect(shared.size).toBe(2);
    await shared.close();
  });

  test('end after nobody has called for a while', async () => {
    const shared = new SharedKernels({ idleMs: 5 });
    const { kernels, open } = factory();
    await value(shared.lease('a', open('a')), 0);
    while (!kernels[0].isClosed) await sleep(5);
    expect(shared.size).toBe(0);
    await shared.close();
  });

  test('do not begin a call that was cancelled while it waited', async () => {
    const shared = new SharedKernels();
    const { kernels, open } = factory();
    const lease = shared.lease('a', open('a'));
    const first = value(lease, 0);
    const cancel = new AbortController();
    const batch = { candidates: Float64Array.of(1), count: 1, dimension: 1 };
    const second = lease.evaluate(batch, createOutput(1), cancel.signal);
    cancel.abort();
    await first;
    await expect(second).rejects.toMatchObject({ code: 'cancelled' });
    expect(kernels[0].calls).toBe(1);
    await shared.close();
  });
});
