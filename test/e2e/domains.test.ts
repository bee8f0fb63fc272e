/** Domain problems through the real service: they are runs like any other. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBLEM_TYPES } from '../../src/domains/registry.js';
import { BOWL, startTestService, type Json, type TestService } from '../support/service.js';

let service: TestService;

beforeAll(async () => {
  // A slow machine asks more often how its runs are.
  service = await startTestService({ flags: ['--rate-limit-per-minute', '100000'] });
});
afterAll(() => service.cleanUp());

const EOQ = { model: 'eoq', demand_rate: 1300, fixed_cost: 8, holding_cost: 0.225 };

const solve = (body: object, domain = 'supply_chain'): Promise<Json> =>
  service.call('POST', `/v1/domains/${domain}/optimize`, { body });

describe('a domain run', () => {
  it('answers with the record of a run and the fields of its problem', async () => {
    const { status, body } = await solve({ problem_type: 'inventory', config: EOQ, seed: 5 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      status: 'completed',
      termination_reason: 'optimal',
      strategy_used: 'closed_form',
      domain: 'supply_chain',
      problem_type: 'inventory',
      model: 'eoq',
      sense: 'minimize',
      direction: 'minimize',
      decision_variables: ['order_quantity'],
      objective_function_id: null,
      bounds: null,
      backend: null,
      seed: 5,
      max_evaluations: 1000,
      evaluations: 1,
      optimality: { status: 'optimal', gap: 0, proof: 'closed_form' },
      verified: { by: null, points: 0, reason: 'no_function' },
      features_active: { domain_extension: true, cross_problem_learning: false },
    });
    expect(body.best_fitness).toBeCloseTo(68.41052551, 7);
    expect(body.best_solution[0]).toBeCloseTo(304.04678, 4);
    expect(body.intelligence_config.use_domain_extension).toBe(true);
    expect(body.result.cost).toBe(body.best_fitness);
    expect(body.warnings).toEqual([]);
  });

  it('is reached by the general request too, and by an alias', async () => {
    const request = { domain: 'supply_chain', problem_type: 'inventory_optimization', config: EOQ };
    const { status, body } = await service.call('POST', '/v1/optimize', { body: request });
    expect([status, body.problem_type, body.termination_reason]).toEqual([200, 'inventory', 'optimal']);
  });

  it('is found, listed without its long fields, and has a history and events', async () => {
    const { body } = await solve({ problem_type: 'inventory', config: EOQ });
    const found = await service.call('GET', `/v1/optimize/${body.id}`);
    expect(found.body).toEqual(body);
    const [listed] = (await service.call('GET', '/v1/optimize?limit=1')).body.data;
    expect(listed).toMatchObject({ id: body.id, domain: 'supply_chain', result: null, decision_variables: null });
    const history = await service.call('GET', `/v1/optimize/${body.id}/history`);
    expect(history.body.data).toMatchObject([{ evaluations: 1, best_fitness: body.best_fitness }]);
    const events = await service.call('GET', `/v1/optimize/${body.id}/events`, { isText: true });
    expect(events.body).toMatch(/event: started[^]*event: completed/);
  });

  it('is explained at every level, up to the one that was asked for', async () => {
    const config = { use_interpretable_intelligence: true, explanation_level: 4 };
    const { body } = await solve({ problem_type: 'inventory', config: EOQ, intelligence_config: config });
    expect(body.explanation.level).toBe(4);
    expect(body.explanation.statements.map((one: Json) => one.level)).toEqual([1, 2, 3, 4]);
    const { body: least } = await service.call('GET', `/v1/optimize/${body.id}/explanation?level=1`);
    expect(least.statements[0].text).toMatch(/^Order 304 units/);
    expect(least.statements).toHaveLength(1);
  });

  it('has pictures of its own, as SVG and PNG', async () => {
    const { body } = await solve({ problem_type: 'inventory', config: EOQ, preset: 'research' });
    expect(body.features_active.visual_intelligence).toBe(true);
    const [{ kind, url }] = body.visuals;
    expect(kind).toBe('cost_curve');
    const svg = await service.call('GET', url, { isText: true });
    expect(svg.headers.get('content-type')).toMatch(/svg/);
    expect(svg.body).toMatch(/^<svg /);
    const png = await service.call('GET', url, { headers: { accept: 'image/png' }, isText: true });
    expect(png.headers.get('content-type')).toBe('image/png');
    const none = await service.call('GET', url.replace('cost_curve', 'pareto'));
    expect([none.status, none.body.error.message]).toEqual([404, expect.stringMatching(/there is cost_curve/)]);
  });

  it('has those that go by the name of a picture of a search, too', async () => {
    const space = {
      k: { type: 'int', low: 1, high: 9 },
      weights: { type: 'categorical', choices: ['uniform', 'distance'] },
    };
    const evaluator = { type: 'builtin', model: 'knn', dataset: { name: 'iris' }, metric: 'accuracy' };
    const config = { evaluator, search_space: space };
    const request = { problem_type: 'hyperparameter_tuning', config, preset: 'research', max_evaluations: 40 };
    const { body } = await solve(request, 'ai_ml');
    expect(body.visuals.map(({ kind }: Json) => kind)).toContain('importance');
    for (const { url } of body.visuals) {
      const svg = await service.call('GET', url, { isText: true });
      expect([svg.status, svg.body]).toEqual([200, expect.stringMatching(/^<svg /)]);
    }
  });

  it('is repeated by its own method to the same bits, and by no other', async () => {
    const { body } = await solve({ problem_type: 'inventory', config: EOQ });
    const replay = (strategy: string): Promise<Json> =>
      service.call('POST', `/v1/optimize/${body.id}/replay`, { body: { strategy } });
    const again = await replay('closed_form');
    expect(again.body).toMatchObject({
      replay_of: body.id,
      best_solution: body.best_solution,
      best_fitness: body.best_fitness,
      comparison: { best_fitness_difference: 0, better: false },
    });
    expect((await replay('cma-es')).body.error).toMatchObject({ code: 'invalid_request', field: 'strategy' });
    const extended = await service.call('POST', `/v1/optimize/${body.id}/extend`, { body: { max_evaluations: 5000 } });
    expect([extended.status, extended.body.error.code]).toEqual([409, 'conflict']);
  });

  it('goes into a batch beside a search over a function', async () => {
    const functionId = await service.upload(BOWL);
    const requests = [
      { domain: 'supply_chain', problem_type: 'inventory', config: EOQ },
      { objective_function_id: functionId, bounds: [[-1, 1]], max_evaluations: 20 },
    ];
    const { status, body } = await service.call('POST', '/v1/batch', { body: { requests } });
    expect(status).toBe(201);
    const runs = await Promise.all(
      body.optimization_ids.map(async (id: string) => {
        for (;;) {
          const { body: run } = await service.call('GET', `/v1/optimize/${id}`);
          if (run.status === 'completed' || run.status === 'failed') return run;
        }
      }),
    );
    expect(runs.map((run: Json) => [run.domain, run.status])).toEqual([
      ['supply_chain', 'completed'],
      [null, 'completed'],
    ]);
    const wrong = { requests: [requests[1], { ...requests[0], config: { ...EOQ, fixed_cots: 3 } }] };
    const refused = await service.call('POST', '/v1/batch', { body: wrong });
    expect(refused.body.error.field).toBe('requests[1].config.fixed_cots');
  });

  it('is submitted once for one idempotency key', async () => {
    const headers = { 'idempotency-key': 'one-order' };
    const send = (): Promise<Json> =>
      service.call('POST', '/v1/domains/supply_chain/optimize', {
        body: { problem_type: 'inventory', config: EOQ },
        headers,
      });
    const [first, second] = [await send(), await send()];
    expect(second.body.id).toBe(first.body.id);
  });
});

describe('a domain request', () => {
  const refusals: readonly [title: string, body: object, field: string, message: RegExp][] = [
    ['has a type that there is', { problem_type: 'invetory', config: {} }, 'problem_type', /Did you mean `inventory`/],
    ['has a config', { problem_type: 'inventory' }, 'config', /required/],
    ['has a config that is an object', { problem_type: 'inventory', config: 3 }, 'config', /must be an object/],
    [
      'names the nearest known field',
      { problem_type: 'inventory', config: { ...EOQ, demand_rat: 2 } },
      'config.demand_rat',
      /Did you mean `demand_rate`/,
    ],
    ['has a known model', { problem_type: 'inventory', config: { model: 'eoqq' } }, 'config.model', /one of "eoq"/],
    [
      'names the path of a number that is none',
      { problem_type: 'inventory', config: { ...EOQ, fixed_cost: 'eight' } },
      'config.fixed_cost',
      /finite number/,
    ],
    [
      'has its extension on',
      { problem_type: 'inventory', config: EOQ, tetrad_config: { use_domain_extension: false } },
      'tetrad_config.use_domain_extension',
      /must not be false/,
    ],
    ['has no unknown field', { problem_type: 'inventory', config: EOQ, bounds: [] }, 'bounds', /Unknown field/],
  ];
  it.each(refusals)('%s', async (_title, body, field, message) => {
    const answer = await solve(body);
    expect([answer.status, answer.body.error.field]).toEqual([400, field]);
    expect(answer.body.error.message).toMatch(message);
  });

  it('has a domain that there is', async () => {
    const answer = await solve({ problem_type: 'x', config: {} }, 'finance');
    expect([answer.status, answer.body.error.message]).toEqual([404, expect.stringMatching(/financial/)]);
  });

  it.each([
    [{ domain: 'supply_chain', config: EOQ }, 'problem_type'],
    [{ problem_type: 'inventory', config: EOQ }, 'domain'],
    [{ domain: 'supply_chain', problem_type: 'inventory', config: EOQ, bounds: [[0, 1]] }, 'bounds'],
    [{ domain: 'supply_chain', problem_type: 'inventory', config: EOQ, direction: 'minimize' }, 'direction'],
    [{ domain: 'supply_chain', problem_type: 'inventory', config: EOQ, math: 'fast' }, 'math'],
    [{ max_evaluations: 5 }, 'objective_function_id'],
    [{ objective_function_id: 'fn_1' }, 'bounds'],
  ])('on the general path says what belongs together: %j', async (body, field) => {
    const answer = await service.call('POST', '/v1/optimize', { body });
    expect([answer.status, answer.body.error.field]).toEqual([400, field]);
  });
});

describe('the list of domains', () => {
  it('has every type with the schema, an example and the limits', async () => {
    const { body } = await service.call('GET', '/v1/domains');
    const types = body.data.flatMap((domain: Json) => domain.problem_types.map((type: Json) => type.problem_type));
    expect(types).toEqual([...PROBLEM_TYPES.map((type) => type.name), 'auto']);
    const { body: one } = await service.call('GET', '/v1/domains/supply_chain');
    expect(body.data).toContainEqual(one);
    const orders = one.problem_types.find((type: Json) => type.problem_type === 'inventory');
    expect(orders.models[0].config_schema.properties).toHaveProperty('demand_rate');
    expect((await service.call('GET', '/v1/domains/magic')).status).toBe(404);
  });

  it('gives examples that are solved as they are', async () => {
    const { body } = await service.call('GET', '/v1/domains');
    for (const { domain, problem_types } of body.data) {
      for (const { problem_type, models } of problem_types) {
        for (const { example } of models) {
          const answer = await solve({ problem_type, config: example, seed: 1 }, domain);
          expect([problem_type, answer.body.status, answer.body.error]).toEqual([problem_type, 'completed', undefined]);
        }
      }
    }
  });
});
