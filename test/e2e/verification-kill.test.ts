/** A run that compiled code misreads, in a service that is killed in the middle of either attempt. */
import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { dataFolder } from '../support/data-folder.js';
import { findPython } from '../support/python.js';
import {
  ASYNC,
  endAll,
  hasProgress,
  historyOf,
  isDone,
  resultOf,
  startFaultyProcess,
  startProcess,
  task,
  until,
  type ServiceProcess,
} from '../support/service-process.js';

const python = findPython('numpy');
/** What `faulty-programs.mjs` changes shows where a search ends. */
const CODE = 'def f(x):\n    s = sum(v * (v + 1) - v for v in x)\n    return s + 4.25 if s < 1e-3 else s\n';
/** The same values, which are never compiled. */
const UNCOMPILED = `${CODE}\ndef slow(x):\n    return f(x) if len(str(x[0])) else 0.0\n`;

describe.skipIf(python.command === null)(`a service that dies while a run is misread${python.reason}`, () => {
  const folders: string[] = [];
  afterEach(async () => {
    await endAll();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  it('goes on where it was, and ends with the bits of CPython', async () => {
    const folder = dataFolder('extremum-misread-');
    folders.push(folder);
    const flags = ['--data-dir', folder, '--python', python.command ?? 'off'];
    const upload = async (service: ServiceProcess, code: string, name: string): Promise<string> =>
      (await service.call('POST', '/v1/functions', { name, code, language: 'python' })).id as string;
    // Right as yet, so that the first attempt is under way when the service dies.
    let service = await startProcess(...flags);
    const functionId = await upload(service, CODE, 'f');
    const request = (of: string, budget: number): object => ({
      ...task(of, budget),
      strategy: 'lq-cma-es',
      mode: 'accurate',
    });
    // A machine that is ahead by more than half when progress is seen gets more to do.
    let [budget, id] = [1_000, ''];
    for (let isHalfway = true; isHalfway;) {
      budget *= 2;
      ({ id } = await service.call('POST', '/v1/optimize', request(functionId, budget), ASYNC));
      const { progress } = await until(service, id, hasProgress);
      isHalfway = progress.evaluations > budget / 2;
      if (isHalfway) await until(service, id, isDone);
    }
    await service.end('SIGKILL');

    // It goes on from what compiled code has valued, finds that this is wrong, and begins again.
    service = await startFaultyProcess(...flags);
    const misread = async (): Promise<unknown> =>
      (await service.call('GET', `/v1/functions/${functionId}`)).compilation.misread;
    while ((await misread()) === null) {
      const { status, verified } = await service.call('GET', `/v1/optimize/${id}`);
      expect({ status, verified }).toMatchObject({ status: expect.not.stringMatching('completed') });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await until(service, id, (record) => hasProgress(record) || isDone(record));
    expect(isDone(await service.call('GET', `/v1/optimize/${id}`))).toBe(false);
    await service.end('SIGKILL');

    service = await startFaultyProcess(...flags);
    const record = await until(service, id, isDone);
    const slow = await upload(service, UNCOMPILED, 'slow');
    const { id: referenceId } = await service.call('POST', '/v1/optimize', request(slow, budget), ASYNC);
    const reference = await until(service, referenceId, isDone);
    expect(reference).toMatchObject({ status: 'completed', backend: { name: 'cpython' } });
    expect(resultOf(record)).toStrictEqual(resultOf(reference));
    expect(await historyOf(service, id)).toStrictEqual(await historyOf(service, referenceId));
    expect(record).toMatchObject({ optimality: null, verified: { by: null, reason: 'interpreted' } });
    expect(record.backend.reason).toMatch(/^compiled code misreads/);
    expect(record.duration_seconds).toBeGreaterThan(0.5);
  }, 300_000);
});
