/** What only a server that fails shows: lost connections and answers, write concern, limits, kill -9. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Binary, type Document } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../src/storage/mongodb/database.js';
import { RUN_SORT_KEYS } from '../../src/model/run-summary.js';
import { MIGRATIONS } from '../../src/storage/mongodb/migrations.js';
import { openMongodbStore } from '../../src/storage/mongodb/mongodb-store.js';
import type { Claim } from '../../src/storage/contract/runs.js';
import type { Store } from '../../src/storage/store.js';
import { startLossyProxy, type LossyProxy } from '../support/lossy-proxy.js';
import {
  describeWithOwnMongod,
  dropDatabase,
  failCommands,
  newDatabaseUrl,
  startOwnMongod,
  withClient,
  type OwnMongod,
} from '../support/mongodb.js';
import { ending, newRun } from './store-samples.js';

const ACCOUNT = 'acct_1';
const FINISH = { status: 'completed', ending: ending(), completedAt: 9 } as const;
const CLAIM: Claim = { owner: 'me', now: 1_000, leaseUntil: 2_000 };
const progressOf = (evaluations: number) => ({ evaluations, bestFitness: 1, bestSolution: [1], elapsedSeconds: 1 });
/** Text that no compressor makes much smaller. */
const noise = (bytes: number): string => randomBytes(bytes).toString('base64');
const noisyBytes = (length: number): Uint8Array => new Uint8Array(randomBytes(length));

describeWithOwnMongod('a MongoDB that fails', () => {
  let server: OwnMongod;
  let url: string;
  let store: Store;
  beforeAll(async () => {
    server = await startOwnMongod('replica set');
  }, 60_000);
  afterAll(() => server.remove());
  beforeEach(async () => {
    url = newDatabaseUrl(server.url);
    store = await openMongodbStore(url);
  });
  afterEach(async () => {
    await store.close();
    await dropDatabase(url);
  });

  const admin = (command: Document): Promise<Document> =>
    withClient(server.url, (client) => client.db('admin').command(command));
  const failing = (times: number, data: Document): Promise<Document> => failCommands(server.url, times, data);
  const collection = <T>(name: string, body: (all: Document[]) => T): Promise<T> =>
    withClient(url, async (client) => body(await client.db().collection(name).find().toArray()));

  /** Verbs that decide, each on a run that is ready for it; the last member reads what it did. */
  const deciding: [string, string, (id: string) => Promise<unknown>, (id: string) => Promise<unknown>][] = [
    ['createRun', 'insert', async (id) => (await store.createRun(newRun(id), CLAIM)).attempt, async () => 1],
    ['claimRun', 'findAndModify', async (id) => (await store.claimRun(id, CLAIM))?.run.attempt, async () => 1],
    ['releaseRun', 'update', (id) => store.releaseRun(id, 1, 'returned'), async () => true],
    ['saveProgress', 'findAndModify', (id) => store.saveProgress(id, 1, { progress: progressOf(3) }), async () => true],
    [
      'finishRun',
      'findAndModify',
      async (id) => (await store.finishRun(id, 1, FINISH))?.status,
      async () => 'completed',
    ],
  ];
  it('gives no secret where keys are hashed with one that is lost, until another one is asked for', async () => {
    await store.ensureAccount({ id: ACCOUNT, name: 'one', createdAt: 1 });
    const first = await store.keySecret();
    await store.saveKey({
      ...{ id: 'key_1', accountId: ACCOUNT, name: 'k', publicId: 'p1', secretHash: 'ab', scopes: ['read'] },
      ...{ createdAt: 1, expiresAt: null, revokedAt: null, lastUsedAt: null },
    });
    const settings = (change: Document): Promise<unknown> =>
      withClient(url, (client) => client.db().collection<Document>('settings').updateOne({}, change));
    await withClient(url, (client) => client.db().collection('settings').deleteMany({}));
    const refusal = { code: 'store_unavailable', message: expect.stringMatching(/none of the 1 keys/) as unknown };
    await expect(store.keySecret()).rejects.toMatchObject(refusal);
    expect(await store.newKeySecret(7)).toBe(1);
    expect(await store.keySecret()).not.toEqual(first);
    expect((await store.findKey('p1'))?.key.revokedAt).toBe(7);
    await expect(store.newKeySecret(8)).rejects.toMatchObject({ code: 'conflict' });
    await settings({ $set: { secret: new Binary(Buffer.from('short')) } });
    await expect(store.keySecret()).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await store.newKeySecret(9)).toBe(0);
    expect(await store.keySecret()).toHaveLength(32);
  });

  const prepare = async (verb: string): Promise<void> => {
    if (verb === 'createRun') return;
    await store.createRun(newRun('opt_1'), verb === 'claimRun' ? undefined : CLAIM);
  };
  const find = () => store.findRun(ACCOUNT, 'opt_1');

  describe.each(deciding)('%s', (verb, command, act, answer) => {
    it('is applied once where the connection breaks once', async () => {
      await prepare(verb);
      await failing(1, { failCommands: [command], closeConnection: true });
      expect(await act('opt_1')).toBe(await answer('opt_1'));
      expect(await find()).toMatchObject({ attempt: 1, losses: 0 });
    });

    it('fails clearly where it breaks twice, changes nothing, and works afterwards', async () => {
      await prepare(verb);
      const before = await find();
      await failing(2, { failCommands: [command], closeConnection: true });
      await expect(act('opt_1')).rejects.toMatchObject({ code: 'store_unavailable', retryable: true });
      expect(await find()).toEqual(before);
      await store.ping();
      expect(await act('opt_1')).toBe(await answer('opt_1'));
    });

    it('is found where a majority did not confirm in time', async () => {
      await prepare(verb);
      const writeConcernError = {
        code: 64,
        codeName: 'WriteConcernFailed',
        errmsg: 'waiting for replication timed out',
      };
      await failing(1, { failCommands: [command], writeConcernError });
      expect(await act('opt_1')).toBe(await answer('opt_1'));
      expect(await find()).toMatchObject({ attempt: 1, losses: 0 });
    });

    it('is found where it happened and the answer was lost, each time', async () => {
      await prepare(verb);
      const proxy = await startLossyProxy(Number(new URL(server.url).port));
      const through = new URL(url);
      through.port = String(proxy.port);
      through.search = '?directConnection=true';
      const direct = store;
      store = await openMongodbStore(through.href);
      try {
        proxy.loseAnswers(command, 2);
        expect(await act('opt_1')).toBe(await answer('opt_1'));
        expect(proxy.lost()).toBe(2);
        expect(await find()).toMatchObject({ attempt: 1, losses: 0 });
      } finally {
        await store.close();
        store = direct;
        await proxy.close();
      }
    });
  });

  it('a read is repeated once, then fails clearly', async () => {
    await store.createRun(newRun('opt_1'));
    await failing(1, { failCommands: ['find'], closeConnection: true });
    expect(await find()).not.toBeNull();
    await failing(2, { failCommands: ['find'], closeConnection: true });
    await expect(find()).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('a read whose socket fails as the driver hands it on is repeated once, then fails clearly', async () => {
    const database = await Database.open(url, MIGRATIONS);
    try {
      let calls = 0;
      const failing = (times: number) => async (): Promise<number> => {
        calls += 1;
        if (calls <= times) throw Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET' });
        return calls;
      };
      expect(await database.read(failing(1))).toBe(2);
      calls = 0;
      const lost = { code: 'store_unavailable', retryable: true, cause: { code: 'ECONNRESET' } };
      await expect(database.read(failing(2))).rejects.toMatchObject(lost);
      // A defect of ours stays one.
      await expect(database.read(() => Promise.reject(new TypeError('not a function')))).rejects.toThrow(TypeError);
    } finally {
      await database.close();
    }
  });

  /** With a store whose connections go through a proxy. */
  const throughProxy = async (
    options: string,
    body: (store: Store, proxy: LossyProxy) => Promise<void>,
  ): Promise<void> => {
    const proxy = await startLossyProxy(Number(new URL(server.url).port));
    const through = new URL(url);
    through.port = String(proxy.port);
    through.search = `?directConnection=true${options}`;
    const proxied = await openMongodbStore(through.href);
    try {
      await body(proxied, proxy);
    } finally {
      await proxied.close();
      await proxy.close();
    }
  };

  it(
    'looks for a large write whose socket fails before all of it was taken',
    () =>
      throughProxy('', async (proxied, proxy) => {
        await store.createRun(newRun('opt_1'));
        proxy.stall('findAndModify', 1, 200);
        const metadata = { code: noise(6_000_000) };
        expect(await proxied.updateMetadata(ACCOUNT, 'opt_1', metadata)).toMatchObject({ metadata });
        expect(proxy.stalled()).toBe(1);
        proxy.stall('findAndModify', Infinity, 200);
        const lost = proxied.updateMetadata(ACCOUNT, 'opt_1', { code: 'other' + metadata.code });
        await expect(lost).rejects.toMatchObject({ code: 'store_unavailable', retryable: true });
        expect(await find()).toMatchObject({ metadata });
      }),
    90_000,
  );

  it(
    'gives up a large write whose connection ends before all of it was taken, and keeps no connection for it',
    () =>
      throughProxy('&socketTimeoutMS=1000&maxPoolSize=2', async (proxied, proxy) => {
        await store.createRun(newRun('opt_1'));
        proxy.stall('findAndModify', Infinity);
        // The server answers others, so nobody takes it for silent.
        let isOver = false;
        const look = () => proxied.findRun(ACCOUNT, 'opt_1').catch(() => null);
        const others = (async () => {
          while (!isOver) await Promise.all([look(), sleep(100)]);
        })();
        const large = noise(6_000_000);
        try {
          for (let i = 0; i < 2; i++) {
            const lost = proxied.updateMetadata(ACCOUNT, 'opt_1', { code: large });
            await expect(lost).rejects.toMatchObject({ code: 'store_unavailable', retryable: true });
          }
        } finally {
          isOver = true;
          await others;
        }
        expect(proxy.stalled()).toBeGreaterThanOrEqual(2);
        expect(await proxied.findRun(ACCOUNT, 'opt_1')).toMatchObject({ metadata: {} });
      }),
    90_000,
  );

  it('the ping tries to write after a write has failed', async () => {
    await failing(2, { failCommands: ['insert'], closeConnection: true });
    await expect(store.createRun(newRun('opt_1'))).rejects.toThrow();
    await failing(2, { failCommands: ['update'], errorCode: 14031 });
    await expect(store.ping()).rejects.toMatchObject({ code: 'store_unavailable' });
    await admin({ configureFailPoint: 'failCommand', mode: 'off' });
    await store.ping();
    await store.ping();
  });

  it('refuses what is too large for a record, also as it grows, and keeps what was there', async () => {
    const code = noise(8_000_000);
    const tooLarge = { code: 'payload_too_large' };
    await store.createRun(newRun('opt_1', { source: { code, entry: null, argument: 'list' } }));
    const record = await find();
    await expect(store.updateMetadata(ACCOUNT, 'opt_1', { code: code + 'x' })).resolves.not.toBeNull();
    await store.updateMetadata(ACCOUNT, 'opt_1', {});
    await expect(store.updateMetadata(ACCOUNT, 'opt_1', { a: noise(9_500_000) })).rejects.toMatchObject(tooLarge);
    await expect(store.updateMetadata(ACCOUNT, 'opt_1', { a: noise(20_000_000) })).rejects.toMatchObject(tooLarge);
    expect(await find()).toEqual(record);
    const source = { code: noise(20_000_000), entry: null, argument: 'list' } as const;
    await expect(store.createRun(newRun('opt_2', { source }))).rejects.toMatchObject(tooLarge);
    expect((await store.claimRun('opt_1', CLAIM))?.source).toMatchObject({ code });
  });

  it('keeps checkpoints and histories beyond the size of a document, and only those that count', async () => {
    await store.createRun(newRun('opt_1'), CLAIM);
    const history = Array.from({ length: 20_000 }, (_, i) => ({
      evaluations: i,
      bestFitness: Math.sin(i),
      elapsedSeconds: Math.cos(i),
    }));
    for (const [evaluations, size] of [18_000_000, 5_000_000].entries()) {
      const report = { progress: progressOf(evaluations), checkpoint: noisyBytes(size), history };
      expect(await store.saveProgress('opt_1', 1, report)).toBe(true);
    }
    const last = noisyBytes(17_000_000);
    await store.saveProgress('opt_1', 1, { progress: progressOf(3), checkpoint: last });
    const claimed = await store.claimRun('opt_1', { ...CLAIM, now: 3_000 });
    expect(Buffer.compare(claimed?.checkpoint ?? Buffer.of(), last)).toBe(0);
    // Refused: nothing of it stays.
    expect(await store.saveProgress('opt_1', 1, { progress: progressOf(4), checkpoint: noisyBytes(9_000_000) })).toBe(
      false,
    );
    const kinds = (parts: Document[]): Record<string, number> =>
      Object.fromEntries(
        ['checkpoint', 'history'].map((kind) => [kind, parts.filter((part) => part['kind'] === kind).length]),
      );
    const counted = await collection('run_parts', kinds);
    expect(counted['checkpoint']).toBeGreaterThan(3);
    expect(counted['checkpoint']).toBeLessThan(7);
    await store.finishRun('opt_1', 2, FINISH);
    expect(await collection('run_parts', kinds)).toEqual({ checkpoint: 0, history: counted['history'] });
    expect(await store.runHistory(ACCOUNT, 'opt_1')).toEqual(history);
  }, 60_000);

  it('sweeps at its start what a death left behind, and nothing else', async () => {
    const history = Array.from({ length: 5_000 }, (_, i) => ({
      evaluations: i,
      bestFitness: Math.sin(i),
      elapsedSeconds: i,
    }));
    for (const id of ['opt_1', 'opt_2']) {
      await store.createRun(newRun(id), CLAIM);
      await store.saveProgress(id, 1, { progress: progressOf(1), checkpoint: noisyBytes(50_000), history });
    }
    await store.finishRun('opt_1', 1, { ...FINISH, history });
    const before = await collection('run_parts', (all) => all.map(({ _id }) => String(_id)).sort());
    await withClient(url, async (client) => {
      const parts = client.db().collection<{ _id: string }>('run_parts');
      const left = { attempt: 1, serial: 99, data: Buffer.alloc(1) };
      await parts.insertMany([
        { _id: 'a', run: 'opt_1', kind: 'checkpoint', ...left },
        { _id: 'b', run: 'opt_1', kind: 'history', ...left },
        { _id: 'c', run: 'opt_2', kind: 'history', ...left },
      ] as never);
    });
    await (await openMongodbStore(url)).close();
    // What belongs to a run that goes on is not looked at.
    const after = await collection('run_parts', (all) => all.map(({ _id }) => String(_id)).sort());
    expect(after).toEqual([...before, 'c'].sort());
    expect(await store.runHistory(ACCOUNT, 'opt_1')).toEqual(history);
  });

  it('records its schema, also where several processes make it, and refuses a newer one', async () => {
    const fresh = newDatabaseUrl(server.url);
    const stores = await Promise.all(Array.from({ length: 4 }, () => openMongodbStore(fresh)));
    await Promise.all(stores.map((one) => one.close()));
    await withClient(fresh, async (client) => {
      const schema = client.db().collection<{ _id: string; version: number; steps: unknown[] }>('schema');
      const found = await schema.findOne({ _id: 'schema' });
      expect(found?.steps).toHaveLength(found?.version ?? -1);
      await schema.updateOne({ _id: 'schema' }, { $set: { version: 999 } });
    });
    await expect(openMongodbStore(fresh)).rejects.toThrow(
      /schema version 999; this program knows versions up to \d+\./,
    );
    await dropDatabase(fresh);
  });

  it('answers what is asked often from an index', async () => {
    for (let i = 0; i < 60; i++) {
      await store.createRun(newRun(`opt_${i}`), CLAIM);
      if (i >= 5) await store.finishRun(`opt_${i}`, 1, FINISH);
    }
    await store.createRun(newRun('opt_60'));
    const profile = (level: number): Promise<unknown> =>
      withClient(url, (client) => client.db().command({ profile: level }));
    await profile(2);
    expect(await store.claimableRuns(3_000, 3)).toHaveLength(3);
    expect(await store.runsAtWork(1_000)).toHaveLength(1);
    await store.runStates(['opt_1', 'opt_50']);
    await store.listRuns(ACCOUNT, { status: 'pending' }, { limit: 5, offset: 0 });
    await store.listRuns(ACCOUNT, { functionId: 'func_2' }, { limit: 5, offset: 0 });
    await store.listSummaries(ACCOUNT, { strategy: 'cma-es' }, { limit: 5, offset: 0 });
    await store.listFunctions(ACCOUNT, { limit: 5, offset: 0 });
    await store.findKey('p1');
    await profile(0);
    const seen = await withClient(url, (client) =>
      client.db().collection('system.profile').find({ appName: 'extremum' }).toArray(),
    );
    const asked = seen.filter(({ planSummary }) => planSummary !== undefined);
    expect(asked.length).toBeGreaterThanOrEqual(9);
    for (const { planSummary, ns, keysExamined } of asked) {
      expect(String(planSummary), String(ns)).toMatch(/IXSCAN|IDHACK|COUNT_SCAN|DISTINCT_SCAN/);
      expect(keysExamined, `${ns} ${planSummary}`).toBeLessThan(10);
    }
  });

  it('reads a page that is sorted from an index, without sorting', async () => {
    for (let i = 0; i < 40; i++) {
      await store.createRun(newRun(`opt_${i}`), CLAIM);
      if (i % 2 === 0) await store.finishRun(`opt_${i}`, 1, FINISH);
    }
    const profile = (level: number): Promise<unknown> =>
      withClient(url, (client) => client.db().command({ profile: level }));
    await profile(2);
    for (const key of RUN_SORT_KEYS) {
      for (const isDescending of [false, true]) {
        await store.listSummaries(ACCOUNT, {}, { limit: 5, offset: 0, order: { key, isDescending } });
      }
    }
    await profile(0);
    const seen = await withClient(url, (client) =>
      client.db().collection('system.profile').find({ appName: 'extremum', 'command.find': 'runs' }).toArray(),
    );
    expect(seen.length).toBeGreaterThanOrEqual(8);
    for (const { planSummary, hasSortStage, docsExamined } of seen) {
      expect([planSummary, hasSortStage ?? false]).toEqual([expect.stringMatching(/^IXSCAN/), false]);
      expect(docsExamined).toBeLessThanOrEqual(5);
    }
  });

  it('names a server that is not there, and not the password', async () => {
    const error = await openMongodbStore('mongodb://user:secret@127.0.0.1:9/x?serverSelectionTimeoutMS=300').catch(
      (cause: unknown) => cause as Error,
    );
    expect(error).toMatchObject({ code: 'store_unavailable' });
    expect((error as Error).message).toMatch(
      /^The database mongodb:\/\/\*\*\*@127\.0\.0\.1:9\/x cannot be reached: .*ECONNREFUSED/,
    );
    expect((error as Error).message).not.toContain('secret');
  });
});

describeWithOwnMongod('kill -9 of MongoDB while writing', () => {
  it.each(['replica set', 'standalone'] as const)(
    'loses no write of a %s that was acknowledged',
    async (kind) => {
      const server = await startOwnMongod(kind);
      const store = await openMongodbStore(newDatabaseUrl(server.url));
      try {
        /** What was acknowledged last, by run. */
        const acknowledged = new Map<string, number | 'finished'>();
        let serial = 0;
        let stopping = false;
        const life = async (id: string): Promise<void> => {
          await store.createRun(newRun(id), CLAIM);
          acknowledged.set(id, 0);
          for (let evaluations = 1; evaluations < 4; evaluations++) {
            const report = { progress: progressOf(evaluations), checkpoint: Uint8Array.of(evaluations) };
            if (await store.saveProgress(id, 1, report)) acknowledged.set(id, evaluations);
          }
          if ((await store.finishRun(id, 1, FINISH)) !== null) acknowledged.set(id, 'finished');
        };
        const lane = async (): Promise<void> => {
          while (!stopping) {
            await life(`opt_${serial++}`).catch((error: { code?: unknown }) => {
              if (error.code !== 'store_unavailable') throw error;
            });
          }
        };
        const lanes = Promise.all(Array.from({ length: 8 }, lane));
        for (let kill = 0; kill < 3; kill++) {
          await sleep(300 + 100 * kill);
          // On a busy machine, too, something was acknowledged by then.
          while (acknowledged.size <= 8 * (kill + 1)) await sleep(10);
          await server.kill();
          await server.restart();
        }
        await sleep(200);
        stopping = true;
        await lanes;
        expect(acknowledged.size).toBeGreaterThan(20);
        for (const [id, last] of acknowledged) {
          const run = await store.findRun(ACCOUNT, id);
          if (last === 'finished') expect(run, id).toMatchObject({ status: 'completed', ending: ending() });
          else if (run?.status === 'running') expect(run.progress?.evaluations ?? 0, id).toBeGreaterThanOrEqual(last);
          else expect(run?.status, id).toBe('completed');
        }
      } finally {
        await store.close();
        await server.remove();
      }
    },
    60_000,
  );
});
