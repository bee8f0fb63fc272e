/** Studies whose MongoDB fails, loses answers, says nothing or is gone while they are asked and told. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  describeWithOwnMongod,
  dropDatabase,
  failCommands,
  newDatabaseUrl,
  startOwnMongod,
  type OwnMongod,
} from '../support/mongodb.js';
import { startLossyProxy, type LossyProxy } from '../support/lossy-proxy.js';
import { startTestService, type Answer, type Json, type TestService } from '../support/service.js';

const ROUNDS = 8;
const COUNT = 3;
const PATIENCE_MS = 90_000;

interface Candidate {
  readonly id: string;
  readonly solution: readonly number[];
}

describeWithOwnMongod('a study whose MongoDB fails', () => {
  let server: OwnMongod;
  let proxy: LossyProxy;
  let url: string;
  let service: TestService;
  /** What is asked of a service that nothing happens to. */
  let calm: TestService;
  beforeAll(async () => {
    server = await startOwnMongod('replica set');
    proxy = await startLossyProxy(Number(new URL(server.url).port));
    url = newDatabaseUrl(server.url);
    const through = new URL(url);
    through.port = String(proxy.port);
    through.search = '?directConnection=true';
    const flags = ['--python', 'off', '--rate-limit-per-minute', '0'];
    service = await startTestService({ flags: [...flags, '--mongodb-url', through.href] });
    calm = await startTestService({ flags });
  }, 120_000);
  afterAll(async () => {
    for (const one of [service, calm]) await one.cleanUp();
    await dropDatabase(url);
    await proxy.close();
    await server.remove();
  }, 60_000);

  /** Sends it again and again, as the answers say, until it is done; returns what else was answered, too. */
  async function persist(path: string, body: object, key: string): Promise<{ done: Json; refused: Answer[] }> {
    const refused: Answer[] = [];
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const headers = { 'idempotency-key': key };
      const answer = await service.call('POST', path, { body, headers });
      if (answer.status === 200) return { done: answer.body, refused };
      refused.push(answer);
      if (Date.now() > until) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  const troubles: [string, (k: number) => Promise<() => Promise<void>>][] = [
    [
      'connections break, once or too often',
      async (k) => {
        const all = ['insert', 'find', 'update', 'findAndModify'];
        await failCommands(server.url, 1 + (k % 5), { failCommands: all, closeConnection: true });
        return async () => {};
      },
    ],
    [
      'entries are stored and the answers lost',
      async (k) => {
        const before = proxy.lost();
        proxy.loseAnswers('study_entries', 1 + (k % 3));
        return async () => expect(proxy.lost()).toBeGreaterThan(before);
      },
    ],
    [
      'the server says nothing for a while',
      async (k) => {
        if (k % 4 !== 1) return async () => {};
        server.pause();
        const timer = setTimeout(() => server.resume(), 1_500);
        return async () => {
          clearTimeout(timer);
          server.resume();
        };
      },
    ],
    [
      'the server is killed',
      async (k) => {
        if (k !== 2) return async () => {};
        await server.kill();
        const back = new Promise((resolve) => setTimeout(resolve, 1_000)).then(() => server.restart());
        return () => back;
      },
    ],
  ];

  it.each(troubles)(
    'loses nothing and hands out nothing twice: %s',
    async (_, trouble) => {
      const request = {
        bounds: [
          [-5, 5],
          [-2, 8],
        ],
        seed: 6,
        strategy: 'cma-es',
        max_evaluations: 200,
      };
      const made = [
        await service.call('POST', '/v1/studies', { body: request }),
        await calm.call('POST', '/v1/studies', { body: request }),
      ];
      expect(made.map(({ status }) => status)).toEqual([201, 201]);
      const [path, calmPath] = made.map(({ body }) => `/v1/studies/${body.id}`) as [string, string];
      const solutions = new Map<string, string>();
      const valued = ({ id, solution }: Candidate): object => ({
        id,
        values: [(solution[0] - 1) ** 2 + 10 * (solution[1] - 2) ** 2],
      });
      const refusals: Answer[] = [];
      for (let k = 0; k < ROUNDS; k++) {
        const settle = await trouble(k);
        const asked = await persist(`${path}/ask`, { count: COUNT }, `${path} ask ${k}`);
        const candidates = asked.done.candidates as Candidate[];
        for (const { id, solution } of candidates) {
          expect(solutions.has(id)).toBe(false);
          solutions.set(id, JSON.stringify(solution));
        }
        const again = await trouble(k + 1);
        const told = await persist(`${path}/tell`, { results: candidates.map(valued) }, `${path} tell ${k}`);
        expect(told.done).toEqual({ accepted: COUNT, evaluations: COUNT * (k + 1) });
        await settle();
        await again();
        refusals.push(...asked.refused, ...told.refused);

        const own = (await calm.call('POST', `${calmPath}/ask`, { body: { count: COUNT } })).body.candidates;
        expect(candidates.map(({ solution }) => solution)).toEqual(own.map(({ solution }: Candidate) => solution));
        await calm.call('POST', `${calmPath}/tell`, { body: { results: own.map(valued) } });
      }
      // Clear errors: the store is away, or the earlier attempt is still under way.
      for (const { status, body, headers } of refusals) {
        expect([status, body.error.code]).toEqual(status === 409 ? [409, 'conflict'] : [503, 'unavailable']);
        expect(body.error.message).toMatch(status === 409 ? /still at work/ : /cannot read or write its data/);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
      const shown = (await service.call('GET', path)).body;
      expect(shown).toMatchObject({ evaluations: COUNT * ROUNDS, open: 0 });
      const bests = [await service.call('GET', `${path}/best`), await calm.call('GET', `${calmPath}/best`)];
      expect(bests[0].body).toEqual(bests[1].body);
    },
    300_000,
  );
});
