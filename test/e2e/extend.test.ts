/** A run that goes on from the end of another one. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../src/cli/keys.js';
import { parseConfig } from '../../src/config.js';
import { strategies } from '../../src/planner/all-strategies.js';
import { suits } from '../../src/strategies/suitability.js';
import { dataFolder } from '../support/data-folder.js';
import { SPHERE, startTestService, type Answer, type Json, type TestService } from '../support/service.js';
import {
  ASYNC,
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
} from '../support/service-process.js';

const RASTRIGIN = 'import math\ndef f(x):\n    return sum(v * v - 10 * math.cos(6.28 * v) for v in x)\n';

describe('extend', () => {
  let service: TestService;
  let rastrigin: string;
  beforeAll(async () => {
    service = await startTestService({ flags: ['--rate-limit-per-minute', '0', '--python', 'off'] });
    rastrigin = await service.upload(RASTRIGIN);
  });
  afterAll(() => service.cleanUp());

  const run = async (more: object): Promise<Json> => {
    const bounds = Array.from({ length: 4 }, () => [-5, 6]);
    // What is read may be solved, and then it was not the budget that ended the run.
    const body = { objective_function_id: rastrigin, bounds, seed: 3, black_box: true, ...more };
    const answer = await service.call('POST', '/v1/optimize', { body });
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const extend = (id: string, maxEvaluations: number, headers = {}): Promise<Answer> =>
    service.call('POST', `/v1/optimize/${id}/extend`, { body: { max_evaluations: maxEvaluations }, headers });
  /** Without what tells the time. */
  const history = async (id: string): Promise<Json> =>
    (await service.call('GET', `/v1/optimize/${id}/history`)).body.data.map((point: Json) => [
      point.evaluations,
      point.best_fitness,
    ]);

  it.each([{ strategy: 'cma-es' }, { intelligence_config: { use_agentic_intelligence: false } }])(
    'equals one longer run in every bit where the budget does not matter: %o',
    async (choice) => {
      const more = { ...choice, stagnation_evaluations: 5_000, metadata: { a: 1 } };
      const long = await run({ ...more, max_evaluations: 1_500 });
      const first = await run({ ...more, max_evaluations: 333 });
      const second = (await extend(first.id as string, 700)).body;
      const third = (await extend(second.id as string, 1_500)).body;
      expect(third).toMatchObject({ extension_of: second.id as string, max_evaluations: 1_500, metadata: { a: 1 } });
      expect(third.extension).toEqual({ from_evaluation: 700, equals_one_run: true });
      expect(third.id).not.toBe(second.id);
      for (const field of [
        'best_solution',
        'best_fitness',
        'evaluations',
        'strategies',
        'seed',
        'termination_reason',
      ]) {
        expect(third[field], field).toEqual(long[field]);
      }
      expect(await history(third.id as string)).toEqual(await history(long.id as string));
      // The one that was extended stays as it was.
      expect((await service.call('GET', `/v1/optimize/${first.id}`)).body).toEqual(first);
      expect(first).toMatchObject({ extension_of: null, extension: null });
    },
  );

  const forOne = strategies.filter(({ capabilities }) => suits(capabilities, { objectives: 1 }));
  it.each(forOne.filter(({ capabilities }) => capabilities.dependsOnBudget).map(({ name }) => name))(
    'goes on where the strategy looks at the budget, and says that it may differ: %s',
    async (strategy) => {
      const first = await run({ strategy, max_evaluations: 150 });
      if (first.termination_reason !== 'budget') return;
      const { status, body } = await extend(first.id as string, 300);
      expect(status).toBe(200);
      expect(body.extension).toEqual({ from_evaluation: 150, equals_one_run: false });
      expect(body.explanation.notes.join()).toContain('need not equal one run');
      expect(body.best_fitness).toBeLessThanOrEqual(first.best_fitness as number);
      expect(body.evaluations).toBeGreaterThan(150);
      expect(body.duration_seconds).toBeGreaterThanOrEqual(first.duration_seconds as number);
      const began = (await history(first.id as string)).slice(0, 3);
      expect((await history(body.id as string)).slice(0, began.length)).toEqual(began);
    },
  );

  it('outlives the function', async () => {
    const id = await service.upload(SPHERE);
    const first = await run({ objective_function_id: id, max_evaluations: 40 });
    expect((await service.call('DELETE', `/v1/functions/${id}`)).status).toBe(204);
    expect((await extend(first.id as string, 80)).body).toMatchObject({ status: 'completed', evaluations: 80 });
  });

  it('refuses runs that ended otherwise or have not, budgets that are no larger, and those of others', async () => {
    const target = await run({ target_fitness: 1e9 });
    const refused = await extend(target.id as string, 10_000);
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining('(target)')]);
    const failing = await service.upload('def f(x): return 1 / (x[0] - x[0])\n');
    const failed = await run({ objective_function_id: failing });
    expect((await extend(failed.id as string, 10_000)).status).toBe(409);
    const body = { objective_function_id: rastrigin, bounds: [[0, 1]], max_evaluations: 1e9, mode: 'accurate' };
    const running = (await service.call('POST', '/v1/optimize', { body, headers: ASYNC })).body;
    expect((await extend(running.id as string, 1e9)).body.error.message).toMatch(/not ended yet/);
    await service.call('POST', `/v1/optimize/${running.id}/cancel`);
    expect((await extend(running.id as string, 1e9)).status).toBe(409);

    const done = await run({ max_evaluations: 50 });
    for (const small of [50, 49, 2]) {
      const answer = await extend(done.id as string, small);
      expect([answer.status, answer.body.error.field]).toEqual([400, 'max_evaluations']);
    }
    expect((await extend('opt_404', 100)).status).toBe(404);
    const key = await createKey(
      ['--account', 'stranger', '--scopes', 'admin', '--data-dir', service.dataDir],
      parseConfig,
    );
    const path = `/v1/optimize/${done.id}/extend`;
    expect((await service.call('POST', path, { body: { max_evaluations: 100 }, key })).status).toBe(404);
  });

  it('sent again is done once', async () => {
    const done = await run({ max_evaluations: 50 });
    const before = (await service.call('GET', '/v1/optimize?limit=1')).body.total as number;
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await extend(done.id as string, 90, { 'idempotency-key': 'extend' }));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect((await extend(done.id as string, 91, { 'idempotency-key': 'extend' })).status).toBe(409);
    expect((await service.call('GET', '/v1/optimize?limit=1')).body.total).toBe(before + 1);
  });
});

describe('extend, where the state at the end is not kept', () => {
  const dataDir = dataFolder('extremum-extend-');
  afterEach(endAll);
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  const inDatabase = <T>(work: (db: InstanceType<typeof DatabaseSync>) => T): T => {
    const db = new DatabaseSync(join(dataDir, 'extremum.db'));
    // The service writes, too.
    db.exec('PRAGMA busy_timeout = 30000');
    try {
      return work(db);
    } finally {
      db.close();
    }
  };
  const kept = (): Json[] => inDatabase((db) => db.prepare('SELECT run_id FROM run_checkpoints').all());

  it('carries the run before out again, to the same end', async () => {
    const first = await startProcess('--data-dir', dataDir);
    const id = await upload(first);
    const called = { black_box: true };
    const short = await first.call('POST', '/v1/optimize', { ...task(id, 100), ...called });
    const long = await undisturbedRun(first, id, 1.5, called);
    await first.end('SIGKILL');
    // What is soon made again takes no room.
    expect(kept()).not.toContainEqual({ run_id: short.id as string });
    expect(kept()).toContainEqual({ run_id: long.id as string });

    const more = { max_evaluations: 2 * long.evaluations };
    const path = `/v1/optimize/${long.id}/extend`;
    const second = await startProcess('--data-dir', dataDir);
    const fromState = await second.call('POST', path, more, { prefer: 'wait=300' });
    expect(fromState).toMatchObject({ status: 'completed', evaluations: more.max_evaluations });
    // As after a week.
    inDatabase((db) => db.exec('DELETE FROM run_checkpoints'));
    const repeated = await second.call('POST', path, more, ASYNC);
    // Dies on the way, twice.
    await second.end('SIGKILL');
    const third = await startProcess('--data-dir', dataDir);
    await until(third, repeated.id as string, (run) => run.status === 'running');
    await third.end('SIGKILL');
    const fourth = await startProcess('--data-dir', dataDir);
    const done = await until(fourth, repeated.id as string, isDone);
    expect(resultOf(done)).toEqual(resultOf(fromState));
    expect(await historyOf(fourth, done.id as string)).toEqual(await historyOf(fourth, fromState.id as string));
    expect(done.duration_seconds).toBeGreaterThan(long.duration_seconds as number);

    const asked = await fourth.call('POST', path, more, ASYNC);
    const cancelled = await fourth.call('POST', `/v1/optimize/${asked.id}/cancel`);
    expect(cancelled).toMatchObject({ status: 'failed', termination_reason: 'cancelled' });
    // Nothing of what the run before has found is lost.
    for (const field of ['best_solution', 'best_fitness', 'evaluations', 'duration_seconds']) {
      expect(cancelled[field], field).toEqual(long[field]);
    }
    expect(await historyOf(fourth, asked.id as string)).toEqual(await historyOf(fourth, long.id as string));
    await fourth.end('SIGTERM');

    // As if another version of the service had carried it out.
    inDatabase((db) =>
      db.exec(`UPDATE runs SET ending = json_set(ending, '$.bestFitness', 4711) WHERE id = '${short.id}'`),
    );
    const fifth = await startProcess('--data-dir', dataDir);
    const failed = await fifth.call('POST', `/v1/optimize/${short.id}/extend`, { max_evaluations: 200 });
    expect(failed).toMatchObject({ status: 'failed', termination_reason: 'error', evaluations: 100 });
    expect(failed.error.message).toContain('another version of the service');
  }, 120_000);
});

describe('extend, with a service that dies', () => {
  const dataDir = dataFolder('extremum-extend-');
  afterEach(endAll);
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('keeps its bits over kill -9 between both runs and within the second', async () => {
    const start = (): ReturnType<typeof startProcess> => startProcess('--data-dir', dataDir);
    const plain = { intelligence_config: { use_agentic_intelligence: false } };
    const first = await start();
    const id = await upload(first);
    const seconds = 1.5;
    // Which strategy it is does not matter to how long it takes.
    const long = await undisturbedRun(first, id, seconds, plain);
    const budget = long.evaluations as number;
    const short = await first.call('POST', '/v1/optimize', { ...task(id, Math.floor(budget / 3)), ...plain });
    await first.end('SIGKILL');

    const second = await start();
    const extended = await second.call('POST', `/v1/optimize/${short.id}/extend`, { max_evaluations: budget }, ASYNC);
    expect(extended).toMatchObject({ success: null, evaluations: short.evaluations as number });
    await until(second, extended.id as string, (run) => hasProgress(run) && run.evaluations > short.evaluations);
    await second.end('SIGKILL');

    const third = await start();
    const done = await until(third, extended.id as string, isDone);
    expect(resultOf(done)).toEqual(resultOf(long));
    expect(await historyOf(third, done.id as string)).toEqual(await historyOf(third, long.id as string));
  }, 60_000);
});
