import { expect, it } from 'vitest';
import { createIdSource } from '../common/ids.js';
import { silentLogger } from '../common/logger.js';
import type { Statelessness } from '../model/objective.js';
import { openMemoryStore } from '../storage/memory/memory-store.js';
import { FunctionService } from './function-service.js';
import type { RunMetrics } from './metrics.js';
import type { PythonHost } from './python-host.js';
import type { WorkerPools } from './worker-pools.js';

it('has few processes look at the texts of many uploads, and loses none of the uploads', async () => {
  let [now, most] = [0, 0];
  const judge = async (): Promise<Statelessness> => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 1));
    now--;
    return { value: true, reason: 'looked at' };
  };
  const analysis = { errors: [], source: { code: 'x', entry: 'f', argument: 'list' }, compiled: false, reasons: [] };
  const service = new FunctionService({
    store: openMemoryStore(),
    pools: { analyze: async () => ({ kind: 'analysed', analysis }) } as unknown as WorkerPools,
    python: { pythonMinor: 11, facts: async () => null, judge } as unknown as PythonHost,
    ids: createIdSource(),
    metrics: { measured: () => undefined } as unknown as RunMetrics,
    logger: silentLogger,
    verify: true,
  });
  // 256 of one account may wait: the last are told that nobody has looked.
  const uploads = Array.from({ length: 300 }, (_, i) =>
    service.upload('a', { name: `f${i}`, code: 'x', language: 'python' }),
  );
  const found = (await Promise.all(uploads)).map(({ compilation }) => compilation.stateless?.value);
  expect(most).toBeLessThanOrEqual(3);
  expect(found.filter((value) => value === true).length).toBeGreaterThanOrEqual(256);
  expect(found.filter((value) => value === null).length).toBe(found.filter((value) => value !== true).length);
  expect(found).toHaveLength(300);
});
