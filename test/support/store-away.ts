/** A service whose MongoDB is away for a while: what it says meanwhile, and what becomes of its runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { newDatabaseUrl, startOwnMongod, withClient } from './mongodb.js';
import {
  ASYNC,
  KEY,
  endAll,
  hasProgress,
  historyOf,
  isDone,
  resultOf,
  startProcess,
  task,
  undisturbedRun,
  until,
  upload,
  type ServiceProcess,
} from './service-process.js';
import { SPHERE } from './service.js';

/** No request is left without an answer for longer, whatever it needs of the store. */
const ANSWER_MS = 10_000;
const READINESS_MS = 5_000;
const BACK_MS = 30_000;

interface Timed {
  readonly status: number;
  readonly code: unknown;
  readonly milliseconds: number;
}

async function timed(service: ServiceProcess, method: string, path: string, body?: object): Promise<Timed> {
  const startedAt = performance.now();
  const response = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${KEY}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(2 * ANSWER_MS),
  });
  const answer = await response.json();
  return { status: response.status, code: answer.error?.code, milliseconds: performance.now() - startedAt };
}

/** `paused`: it keeps its connections and says nothing; `killed`: it is gone. */
export async function storeAway(how: 'paused' | 'killed', seconds: number, leaseSeconds: number): Promise<void> {
  const server = await startOwnMongod('replica set');
  try {
    const url = newDatabaseUrl(server.url);
    const service = await startProcess('--mongodb-url', url, '--lease-seconds', String(leaseSeconds), '--workers', '3');
    const functionId = await upload(service);
    const undisturbed = await undisturbedRun(service, functionId, 2);
    const submit = async (): Promise<string> =>
      (await service.call('POST', '/v1/optimize', task(functionId, undisturbed.evaluations as number), ASYNC))
        .id as string;
    // One that is carried out, one that waits.
    const ids = [await submit(), await submit()];
    await until(service, ids[0] ?? '', hasProgress);
    if (how === 'paused') server.pause();
    else await server.kill();

    const away = sleep(seconds * 1_000);
    const asked = Promise.all([
      timed(service, 'GET', `/v1/optimize/${ids[0]}`),
      timed(service, 'GET', '/v1/functions'),
      timed(service, 'POST', '/v1/functions', { name: 'g', code: SPHERE, language: 'python' }),
      timed(service, 'POST', '/v1/optimize', task(functionId, 100)),
      timed(service, 'POST', `/v1/optimize/${ids[1]}/cancel`),
    ]);
    for (const ready of [await timed(service, 'GET', '/readyz'), await timed(service, 'GET', '/readyz')]) {
      expect(ready).toMatchObject({ status: 503, code: 'unavailable' });
      expect(ready.milliseconds).toBeLessThan(READINESS_MS);
    }
    const alive = await timed(service, 'GET', '/livez');
    expect(alive.status).toBe(200);
    expect(alive.milliseconds).toBeLessThan(READINESS_MS);
    await away;
    if (how === 'paused') server.resume();
    else await server.restart();

    const isLong = seconds * 1_000 >= ANSWER_MS;
    const answers = await asked;
    for (const answer of answers) {
      expect(answer.milliseconds).toBeLessThan(ANSWER_MS + (isLong ? 0 : seconds * 1_000));
      // Of a short absence a request may hear nothing at all.
      if (isLong || answer.status >= 500) expect(answer).toMatchObject({ status: 503, code: 'unavailable' });
    }
    const backAt = performance.now();
    while ((await timed(service, 'GET', '/readyz')).status !== 200) await sleep(100);
    expect(performance.now() - backAt).toBeLessThan(BACK_MS);
    expect(service.child.exitCode).toBeNull();
    for (const id of ids) {
      const done = await until(service, id, isDone);
      if (done.termination_reason === 'cancelled') continue;
      expect(resultOf(done)).toEqual(resultOf(undisturbed));
      expect(await historyOf(service, id)).toEqual(await historyOf(service, undisturbed.id as string));
    }
    // Nobody died: who carried it out had it all the time.
    const stored = await withClient(url, (client) =>
      client
        .db()
        .collection<{ _id: string }>('runs')
        .findOne({ _id: ids[0] ?? '' }),
    );
    expect(stored).toMatchObject({ attempt: 1, losses: 0 });
    expect(await service.end('SIGTERM')).toBe(0);
  } finally {
    server.resume();
    await endAll();
    await server.remove();
  }
}
