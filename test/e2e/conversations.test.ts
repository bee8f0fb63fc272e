/** Conversations through the real service: they are stored, go on after a restart, and end in a run. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type Answer, type Json, type TestService } from '../support/service.js';

const PATH = '/v1/domains/conversational';
/** The demand comes with the next message. */
const OPENING =
  'Inventory, how many to order at a time: every order costs us $8 and holding one part for a year costs 22.5 cents.';
const DEMAND = '1,300 parts a year';

const create = (service: TestService, description: string, headers = {}): Promise<Answer> =>
  service.call('POST', `${PATH}/create`, { body: { description }, headers });
const reply = (service: TestService, id: string, response: string, headers = {}): Promise<Answer> =>
  service.call('POST', `${PATH}/continue/${id}`, { body: { response }, headers });
const complete = (service: TestService, id: string, body = {}, headers = {}): Promise<Answer> =>
  service.call('POST', `${PATH}/complete/${id}`, { body, headers });
const look = async (service: TestService, id: string): Promise<Json> =>
  (await service.call('GET', `${PATH}/status/${id}`)).body;

describe('a conversation', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.cleanUp());

  it('asks for what is missing, then solves the problem', async () => {
    const begun = await create(service, OPENING);
    expect(begun.status).toBe(201);
    const { conversation_id: id, ...state } = begun.body;
    expect(id).toMatch(/^conv_\d{29}$/);
    expect(state).toMatchObject({
      status: 'waiting_for_input',
      domain: 'supply_chain',
      problem_type: 'inventory',
      missing: ['demand_rate'],
      question: { slot: 'demand_rate', required: true },
      optimization_id: null,
    });
    expect(state.messages.map((one: Json) => [one.role, one.read_by])).toEqual([
      ['user', 'rules'],
      ['agent', undefined],
    ]);
    expect(Date.parse(state.expires_at) - Date.parse(state.updated_at)).toBe(86_400_000);
    const early = await complete(service, id);
    expect([early.status, early.body.error.code]).toEqual([409, 'conflict']);
    expect(early.body.error.message).toContain('demand_rate');
    const ready = await reply(service, id, DEMAND);
    expect(ready.body).toMatchObject({ status: 'ready_to_optimize', question: null, missing: [] });
    const solved = await complete(service, id, { max_evaluations: 100, mode: 'accurate' });
    expect(solved.status).toBe(200);
    expect(solved.body).toMatchObject({
      conversation_id: id,
      status: 'completed',
      mode: 'accurate',
      max_evaluations: 100,
      problem_type: 'inventory',
    });
    expect(solved.body.best_fitness).toBeCloseTo(68.41052551, 7);
    expect(await look(service, id)).toMatchObject({
      status: 'completed',
      optimization_id: solved.body.id,
      expires_at: null,
    });
    const later = await reply(service, id, '1,400 parts a year');
    expect([later.status, later.body.error.code]).toEqual([409, 'conflict']);
    const again = await complete(service, id);
    expect([again.status, again.body.error.message]).toEqual([409, expect.stringContaining(solved.body.id)]);
    expect((await service.call('GET', `/v1/optimize/${solved.body.id}`)).body.conversation_id).toBe(id);
  });

  it('is corrected while it is ready', async () => {
    const { body } = await create(service, `${OPENING} We need ${DEMAND}.`);
    expect(body.status).toBe('ready_to_optimize');
    const corrected = await reply(service, body.conversation_id, 'sorry, the demand is 2,600 parts a year');
    expect(corrected.body.config.demand_rate).toBe(2600);
    const solved = await complete(service, body.conversation_id);
    expect(solved.body.best_solution[0]).toBeCloseTo(Math.sqrt((2 * 8 * 2600) / 0.225), 9);
  });

  it('says so where the problem has no solution', async () => {
    const { body } = await create(service, 'hello');
    const config = {
      objective: 'min_volatility',
      assets: [
        { id: 'a', expected_return: 0.1, volatility: 0.2, max_weight: 0.3 },
        { id: 'b', expected_return: 0.05, volatility: 0.1, max_weight: 0.3 },
      ],
    };
    await reply(service, body.conversation_id, 'a portfolio');
    await reply(service, body.conversation_id, JSON.stringify(config));
    const ready = await reply(service, body.conversation_id, "I don't know");
    expect(ready.body.status).toBe('ready_to_optimize');
    const solved = await complete(service, body.conversation_id);
    expect(solved.body).toMatchObject({ status: 'failed', conversation_id: body.conversation_id });
    expect((await look(service, body.conversation_id)).status).toBe('failed');
  });

  it('belongs to its account alone', async () => {
    const { body } = await create(service, OPENING);
    for (const answer of [
      await service.call('GET', `${PATH}/status/conv_1`),
      await reply(service, 'conv_1', DEMAND),
      await complete(service, `${body.conversation_id}1`),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
    }
  });

  it('is begun, answered and completed once by requests that are sent again', async () => {
    const twice = async (send: (headers: object) => Promise<Answer>, key: string): Promise<Json> => {
      const first = await send({ 'idempotency-key': key });
      const second = await send({ 'idempotency-key': key });
      expect([second.status, second.body]).toEqual([first.status, first.body]);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      return first.body;
    };
    const { conversation_id: id } = await twice((headers) => create(service, OPENING, headers), 'a');
    const said = await twice((headers) => reply(service, id, DEMAND, headers), 'b');
    expect(said.messages.filter((one: Json) => one.role === 'user')).toHaveLength(2);
    const solved = await twice((headers) => complete(service, id, {}, headers), 'c');
    expect((await look(service, id)).optimization_id).toBe(solved.id);
  });

  it('refuses what is no message', async () => {
    const { body } = await create(service, OPENING);
    for (const response of ['', '   ', 5, null, 'x'.repeat(20_001)]) {
      const answer = await reply(service, body.conversation_id, response as string);
      expect([answer.status, answer.body.error.field]).toEqual([400, 'response']);
    }
    expect((await create(service, '')).body.error.field).toBe('description');
    expect(await look(service, body.conversation_id)).toEqual(body);
  });

  it('is built and solved in one request', async () => {
    const solve = (config: object): Promise<Answer> =>
      service.call('POST', `${PATH}/optimize`, { body: { problem_type: 'auto', config, seed: 3 } });
    const solved = await solve({ description: OPENING, answers: { demand_rate: DEMAND } });
    expect(solved.body).toMatchObject({ status: 'completed', domain: 'supply_chain', conversation_id: null });
    expect(solved.body.best_fitness).toBeCloseTo(68.41052551, 7);
    const missing = await solve({ description: OPENING });
    expect([missing.status, missing.body.error.field]).toEqual([400, 'config.answers.demand_rate']);
    const general = {
      domain: 'conversational',
      problem_type: 'auto',
      config: { description: `${OPENING} We need ${DEMAND}.` },
    };
    expect((await service.call('POST', '/v1/optimize', { body: general })).body.best_fitness).toBeCloseTo(68.41, 2);
  });
});

describe('a service that stops', () => {
  it('goes on with its conversations after the next start', async () => {
    const first = await startTestService();
    const { body } = await create(first, OPENING);
    await first.stop();
    const second = await startTestService({ dataDir: first.dataDir, key: first.key });
    try {
      expect(await look(second, body.conversation_id)).toEqual(body);
      expect((await reply(second, body.conversation_id, DEMAND)).body.status).toBe('ready_to_optimize');
    } finally {
      await second.cleanUp();
    }
  });
});

describe('with a language model', () => {
  type Handler = (body: Json, response: ServerResponse, request: IncomingMessage) => void;
  let handler: Handler;
  let model: Server;
  let service: TestService;
  const asked: Json[] = [];
  const content = (value: unknown): string =>
    JSON.stringify({ choices: [{ message: { role: 'assistant', content: JSON.stringify(value) } }] });
  const send =
    (text: string, status = 200): Handler =>
    (_, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);

  beforeAll(async () => {
    model = createServer((request, response) => {
      let text = '';
      request.on('data', (part: Buffer) => (text += part.toString()));
      request.on('end', () => {
        const body = JSON.parse(text);
        asked.push({ url: request.url, authorization: request.headers.authorization, ...body });
        handler(body, response, request);
      });
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    const { port } = model.address() as AddressInfo;
    service = await startTestService({
      flags: [
        ...['--language-model-url', `http://127.0.0.1:${port}/v1/`],
        ...['--language-model-name', 'stand-in', '--language-model-key', 'sk-1'],
      ],
    });
  });
  afterAll(async () => {
    await service.cleanUp();
    model.closeAllConnections();
    await new Promise((resolve) => model.close(resolve));
  });
  afterEach(() => asked.splice(0));

  const first = (body: Json): Json => body.messages[0];

  it('is asked once for each message, and says what it reads', async () => {
    handler = send(content({ problem_type: 'inventory', model: 'eoq', values: [] }));
    const { body } = await create(service, OPENING);
    expect(first(body)).toMatchObject({ role: 'user', read_by: 'language_model' });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      url: '/v1/chat/completions',
      authorization: 'Bearer sk-1',
      model: 'stand-in',
      temperature: 0,
      response_format: { type: 'json_schema' },
    });
    expect(asked[0].messages[1].content).toContain(OPENING);
    expect(body.problem_type).toBe('inventory');
  });

  it('holds up one of two answers to the same question no longer than to say that the other was taken', async () => {
    handler = send('');
    const { body } = await create(service, OPENING);
    const id = body.conversation_id as string;
    // Each has read the conversation before the other is stored.
    const held: ServerResponse[] = [];
    handler = (_, response) => {
      held.push(response);
      if (held.length === 2) for (const one of held) one.writeHead(500).end();
    };
    const answers = await Promise.all([reply(service, id, DEMAND), reply(service, id, '2,600 parts a year')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body.error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('meanwhile') as string,
    });
    const taken = answers.find(({ status }) => status === 200);
    expect(await look(service, id)).toEqual(taken?.body);
  });

  it('is not believed where it names a number that the message does not have', async () => {
    const values = [{ slot: 'demand_rate', value: 999, quote: 'about 999 a year' }];
    handler = send(content({ problem_type: 'inventory', model: 'eoq', values }));
    const { body } = await create(service, OPENING);
    expect(body.collected).not.toHaveProperty('demand_rate');
    expect(body.missing).toContain('demand_rate');
  });

  it.each<[string, string, Handler]>([
    ['answers no JSON', 'invalid_answer', send('Sure! Here you are:')],
    ['answers without a choice', 'invalid_answer', send('{"choices": []}')],
    ['answers another schema', 'invalid_answer', send(content({ problem_type: 7, orders: 'rm -rf /' }))],
    ['answers too much', 'invalid_answer', send(content({ problem_type: 'x'.repeat(300_000) }))],
    ['refuses', 'unavailable', send('{"error": "no"}', 401)],
    ['breaks off', 'unavailable', (_, response) => response.destroy()],
    [
      'sends elsewhere',
      'unavailable',
      (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
    ],
    ['never answers', 'timeout', () => undefined],
    [
      'answers drop by drop',
      'timeout',
      (_, response) => {
        response.writeHead(200);
        const drops = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(drops));
      },
    ],
  ])('that %s leaves the message to the rules (%s)', async (_, why, misbehave) => {
    handler = misbehave;
    const { status, body } = await create(service, OPENING);
    expect(status).toBe(201);
    expect(first(body)).toMatchObject({ read_by: 'rules', fallback: why });
    expect(body).toMatchObject({ problem_type: 'inventory', missing: ['demand_rate'] });
  });
});
