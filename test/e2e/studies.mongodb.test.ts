/** A study that two services on one MongoDB serve at the same time. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey } from '../../src/cli/keys.js';
import { parseConfig } from '../../src/config.js';
import { describeWithMongodb, dropDatabase, mongodbUrl, newDatabaseUrl } from '../support/mongodb.js';
import { startTestService, type Json, type TestService } from '../support/service.js';

describeWithMongodb('a study of two services', () => {
  let url: string;
  const services: TestService[] = [];
  beforeAll(async () => {
    url = newDatabaseUrl(mongodbUrl());
    const flags = ['--python', 'off', '--rate-limit-per-minute', '0', '--mongodb-url', url];
    const first = await startTestService({ flags });
    services.push(first, await startTestService({ flags, key: first.key }));
  }, 120_000);
  afterAll(async () => {
    for (const service of services) await service.cleanUp();
    await dropDatabase(url);
  }, 60_000);

  it('hands out every point once, and has one state', async () => {
    const [one] = services as [TestService];
    const request = { bounds: [[-5, 5]], strategy: 'differential-evolution', seed: 4, max_evaluations: 200 };
    const made = await one.call('POST', '/v1/studies', { body: request });
    expect(made.status).toBe(201);
    const path = `/v1/studies/${made.body.id}`;
    const seen: string[] = [];
    const client = async (service: TestService): Promise<void> => {
      for (let k = 0; k < 10; k++) {
        const { candidates } = (await service.call('POST', `${path}/ask`, { body: { count: 2 } })).body;
        seen.push(...candidates.map(({ id }: Json) => id as string));
        const results = candidates.map(({ id, solution }: Json) => ({ id, values: [(solution[0] - 1) ** 2] }));
        const told = await service.call('POST', `${path}/tell`, { body: { results } });
        expect(told.body).toMatchObject({ accepted: 2 });
      }
    };
    await Promise.all([...services, ...services].map(client));
    expect(new Set(seen).size).toBe(80);
    const bests = await Promise.all(services.map((service) => service.call('GET', `${path}/best`)));
    expect(bests[0].body).toEqual(bests[1].body);
    expect(bests[0].body.best_fitness).toBeLessThan(0.1);
    for (const service of services) {
      expect((await service.call('GET', path)).body).toMatchObject({ evaluations: 80, open: 0 });
    }
    const stranger = await createKey(['--account', 'other', '--scopes', 'read', '--mongodb-url', url], parseConfig);
    expect((await services[1].call('GET', path, { key: stranger })).status).toBe(404);
  }, 120_000);
});
