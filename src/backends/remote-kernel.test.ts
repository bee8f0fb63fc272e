import { pathToFileURL } from 'node:url';
import { MessageChannel, Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { distEntry } from '../common/dist-entry.js';
import { ExtremumError } from '../common/errors.js';
import { createOutput, EVALUATION_FAILED, type Kernel } from './backend.js';
import { connectKernel, serveKernel } from './remote-kernel.js';

/** Doubles the first coordinate; fails on negative ones; waits for its signal on infinity. */
function doubling(): Kernel & { closes: number } {
  return {
    closes: 0,
    backend: 'doubling',
    device: 'test',
    async evaluate({ candidates, count, dimension }, output, signal) {
      output.failures.length = 0;
      for (let row = 0; row < count; row++) {
        const x = candidates[row * dimension];
        if (x === Infinity) {
          await new Promise((resolve) => signal!.addEventListener('abort', resolve, { once: true }));
          throw new ExtremumError('cancelled', 'stopped');
        }
        output.values[row] = x < 0 ? NaN : 2 * x;
        output.status[row] = x < 0 ? EVALUATION_FAILED : 0;
        if (x < 0) output.failures.push({ index: row, type: 'ValueError', message: 'negative', line: 3 });
      }
    },
    async close() {
      this.closes++;
    },
  };
}

function connected(open?: () => Promise<Kernel>) {
  const { port1, port2 } = new MessageChannel();
  const kernel = doubling();
  let opens = 0;
  const server = serveKernel(
    port1,
    open ??
      (async () => {
        opens++;
        return kernel;
      }),
  );
  return { server, kernel, remote: connectKernel(port2), opens: () => opens };
}
const batch = (...first: number[]) => ({ candidates: Float64Array.from(first), count: first.length, dimension: 1 });

describe('a remote kernel', () => {
  it('gives the values, status and failures of the kernel it stands for', async () => {
    const { remote, server, opens } = connected();
    const output = createOutput(3);
    output.failures.push({ index: 0, type: 'Old', message: 'from before', line: 0 });
    const rows = batch(1, -1, 4);
    await remote.evaluate(rows, output);
    await remote.evaluate(rows, output);
    expect(Array.from(output.values)).toEqual([2, NaN, 8]);
    expect(Array.from(output.status)).toEqual([0, EVALUATION_FAILED, 0]);
    expect(output.failures).toEqual([{ index: 1, type: 'ValueError', message: 'negative', line: 3 }]);
    expect(Array.from(rows.candidates)).toEqual([1, -1, 4]);
    expect([remote.backend, remote.device, opens()]).toEqual(['doubling', 'test', 1]);
    await server.close();
  });

  it('opens nothing that is never needed', async () => {
    const { remote, server, kernel, opens } = connected();
    await remote.close();
    await server.closed;
    expect([opens(), kernel.closes]).toEqual([0, 0]);
  });

  it('reports why the kernel cannot be opened', async () => {
    const cause = new TypeError('y is unknown');
    const details = { field: 'code', facts: { line: 2 }, cause };
    const rejected = new ExtremumError('objective_rejected', 'NameError: y (line 2)', details);
    const { remote, server } = connected(() => Promise.reject(rejected));
    await expect(remote.evaluate(batch(1), createOutput(1))).rejects.toMatchObject({
      name: 'ExtremumError',
      code: 'objective_rejected',
      message: 'NameError: y (line 2)',
      field: 'code',
      facts: { line: 2 },
      stack: rejected.stack,
      cause: { name: 'TypeError', message: 'y is unknown', stack: cause.stack },
    });
    await server.close();
  });

  it('reports a defect as internal_error', async () => {
    const { remote, server } = connected(() => Promise.reject(new TypeError('oops')));
    await expect(remote.evaluate(batch(1), createOutput(1))).rejects.toMatchObject({
      code: 'internal_error',
      message: 'oops',
    });
    await server.close();
  });

  it('carries cancellation over, and goes on afterwards', async () => {
    const { remote, server } = connected();
    const controller = new AbortController();
    const stuck = remote.evaluate(batch(Infinity), createOutput(1), controller.signal);
    setTimeout(() => controller.abort(), 20);
    await expect(stuck).rejects.toMatchObject({ code: 'cancelled' });
    await expect(remote.evaluate(batch(1), createOutput(1), controller.signal)).rejects.toMatchObject({
      code: 'cancelled',
    });
    const output = createOutput(1);
    await remote.evaluate(batch(3), output);
    expect(output.values[0]).toBe(6);
    await server.close();
  });

  it('closes the kernel once, from either side', async () => {
    for (const side of ['remote', 'server'] as const) {
      const parts = connected();
      await parts.remote.evaluate(batch(1), createOutput(1));
      await parts[side].close();
      await parts.remote.close();
      await parts.server.close();
      expect(parts.kernel.closes).toBe(1);
      await expect(parts.remote.evaluate(batch(1), createOutput(1))).rejects.toMatchObject({ code: 'backend_lost' });
    }
  });

  it('rejects what is under way when the other side closes', async () => {
    const { remote, server } = connected();
    const stuck = remote.evaluate(batch(Infinity), createOutput(1));
    const outcome = expect(stuck).rejects.toMatchObject({ name: 'ExtremumError' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await server.close();
    await outcome;
  });

  it('works from a worker thread, and is closed when that thread is ended', async () => {
    const { port1, port2 } = new MessageChannel();
    const kernel = doubling();
    const server = serveKernel(port1, async () => kernel);
    const module = pathToFileURL(distEntry('backends/remote-kernel')).href;
    const program = `
      const { parentPort, workerData } = require('node:worker_threads');
      import(${JSON.stringify(module)}).then(async ({ connectKernel }) => {
        const kernel = connectKernel(workerData.port);
        const output = { values: new Float64Array(2), status: new Uint8Array(2), failures: [] };
        await kernel.evaluate({ candidates: Float64Array.of(5, -5), count: 2, dimension: 1 }, output);
        parentPort.postMessage([kernel.device, ...output.values]);
        await kernel.evaluate({ candidates: Float64Array.of(Infinity), count: 1, dimension: 1 }, output);
      });`;
    const worker = new Worker(program, { eval: true, workerData: { port: port2 }, transferList: [port2] });
    const answer = await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    expect(answer).toEqual(['test', 10, NaN]);
    expect(kernel.closes).toBe(0);
    await worker.terminate();
    await server.closed;
    expect(kernel.closes).toBe(1);
  });
});
