/** A database in which some records cannot be read: the service starts, works, and says which. */
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, expect, it } from 'vitest';
import { SPHERE, startTestService, type TestService } from '../support/service.js';

const flags = ['--python', 'off', '--workers', '1', '--webhook-allow-networks', '127.0.0.0/8'];
let service: TestService;
afterEach(() => service.cleanUp());

it('a service with damaged records works, names them, and ends the runs that nobody can carry out', async () => {
  service = await startTestService({ flags });
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push(await service.upload(`# ${i}\n${SPHERE}`));
  const run = { objective_function_id: ids[0], bounds: [[-1, 1]], max_evaluations: 50 };
  const done = await service.call('POST', '/v1/optimize', { body: run });
  const other = await service.call('POST', '/v1/optimize', { body: run });
  // More than one thread ends before the service is stopped.
  const long = { ...run, max_evaluations: 20_000_000, mode: 'accurate' };
  const requests = [long, long, long];
  const batch = await service.call('POST', '/v1/batch', { body: { requests } });
  const waiting = batch.body.optimization_ids as string[];
  const hook = { url: 'https://127.0.0.1:8443/', events: ['*'] };
  const webhooks = [];
  for (let i = 0; i < 2; i++) webhooks.push((await service.call('POST', '/v1/webhooks', { body: hook })).body.id);
  await service.stop();

  const db = new DatabaseSync(join(service.dataDir, 'extremum.db'));
  db.prepare(`UPDATE functions SET body = substr(body, 1, 40) WHERE id = ?`).run(ids[1]);
  db.prepare(`UPDATE webhooks SET body = '' WHERE id = ?`).run(webhooks[0]);
  db.prepare(`UPDATE runs SET ending = '{"terminationReason"' WHERE id = ?`).run(done.body.id);
  db.prepare(`UPDATE runs SET request = '?' WHERE id IN (?, ?)`).run(waiting[0], waiting[1]);
  db.close();

  service = await startTestService({ flags, dataDir: service.dataDir, key: service.key });
  const list = async (path: string): Promise<[number, string[], number]> => {
    const { status, body } = await service.call('GET', path);
    return [status, body.data.map(({ id }: { id: string }) => id) as string[], body.total as number];
  };
  expect(await list('/v1/functions')).toEqual([200, [ids[2], ids[0]], 3]);
  expect(await list('/v1/webhooks')).toEqual([200, [webhooks[1]], 2]);
  for (const path of [`/v1/functions/${ids[1]}`, `/v1/webhooks/${webhooks[0]}`, `/v1/optimize/${done.body.id}`]) {
    const id = path.split('/').at(-1);
    const answer = await service.call('GET', path);
    expect([answer.status, answer.body.error]).toEqual([
      500,
      { code: 'internal_error', message: `The record ${id} is damaged in the database: it cannot be read.` },
    ]);
  }
  expect((await service.call('DELETE', `/v1/functions/${ids[1]}`)).status).toBe(204);

  // The damaged ones of the batch end, the third one is carried out.
  for (;;) {
    const { body } = await service.call('GET', `/v1/batch/${batch.body.id}`);
    if (body.failed === 2) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const cancelled = await service.call('POST', `/v1/optimize/${waiting[2]}/cancel`);
  expect([cancelled.status, cancelled.body.termination_reason]).toEqual([200, 'cancelled']);
  expect(await list('/v1/optimize')).toEqual([200, [waiting[2], other.body.id], 5]);
  const again = await service.call('POST', '/v1/optimize', { body: run });
  expect([again.status, again.body.status]).toEqual([200, 'completed']);
  const metrics = await service.call('GET', '/metrics', { isText: true });
  expect(metrics.body).toContain('extremum_damaged_records_total 5');
});
