/** Agents as users: the SDK's own client over both transports. */
import { request } from 'node:http';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/common/dist-entry.js';
import { findPython } from '../support/python.js';
import { SPHERE, startTestService, type Json, type TestService } from '../support/service.js';

const python = findPython();
const PROGRAM = join(packageRoot(), 'dist/cli/main.js');
const BOUNDS = [[-5, 5], [-5, 4]]; // prettier-ignore

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ flags: ['--python', python.command ?? 'off'] });
});
afterAll(() => service.cleanUp());

const overHttp = (key = service.key) =>
  new StreamableHTTPClientTransport(new URL('/mcp', service.url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
const overStdio = (args: readonly string[] = ['--url', service.url], key = service.key) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...args],
    env: { ...(process.env as Record<string, string>), EXTREMUM_API_KEY: key },
    stderr: 'pipe',
  });

async function connect(transport: StreamableHTTPClientTransport | StdioClientTransport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return client;
}

/** A call that must succeed: its typed result, and the text for a model. */
async function use(client: Client, name: string, args: object, options = {}): Promise<{ found: Json; text: string }> {
  const result = await client.callTool({ name, arguments: args as Record<string, unknown> }, undefined, options);
  const [first] = result.content as { text?: string }[];
  expect(result.isError, first?.text).not.toBe(true);
  return { found: result.structuredContent, text: first?.text ?? '' };
}

async function refusal(client: Client, name: string, args: object): Promise<string> {
  const result = await client.callTool({ name, arguments: args as Record<string, unknown> });
  expect(result.isError).toBe(true);
  return (result.content as { text: string }[])[0].text;
}

const keyWith = async (...scopes: string[]): Promise<string> => {
  const { body } = await service.call('POST', '/v1/identity/keys', { body: { name: scopes.join(), scopes } });
  return body.key;
};

describe.each([
  ['streamable HTTP', overHttp],
  ['standard input and output', overStdio],
] as const)('an agent, over %s', (_name, transport) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(transport());
    await client.listTools();
  }, 60_000);
  afterAll(() => client.close());

  it('checks a function: where it is wrong, what it is worth', async () => {
    const { found } = await use(client, 'check_function', { code: SPHERE, points: [[1, 2]] });
    expect(found.function.compilation.compiled).toBe(true);
    expect(found.evaluation.values).toEqual([5]);
    const wrong = await refusal(client, 'check_function', { code: 'def f(x):\n    return x[0' });
    expect(wrong).toMatch(/^invalid_request: Line 2/);
    expect(await refusal(client, 'check_function', { code: SPHERE, wat: 1 })).toContain('wat');
  });

  it('optimises, hears of the progress, and reads the explanation first', async () => {
    const heard: { progress: number; total?: number }[] = [];
    const args = { code: SPHERE, bounds: BOUNDS, max_evaluations: 1_000_000, seed: 1, strategy: 'random-search' };
    const options = { onprogress: (progress: (typeof heard)[number]) => heard.push(progress) };
    const { found, text } = await use(client, 'optimize_function', args, options);
    expect(found).toMatchObject({ status: 'completed', evaluations: 1_000_000, dimensions: 2, seed: 1 });
    expect(text.startsWith(found.explanation)).toBe(true);
    expect(text.length).toBeLessThan(12_000);
    expect(heard.length).toBeGreaterThan(0);
    expect(heard.every(({ total }) => total === 1_000_000)).toBe(true);
    const sorted = heard.map(({ progress }) => progress).sort((a, b) => a - b);
    expect(heard.map(({ progress }) => progress)).toEqual(sorted);

    const explained = await use(client, 'explain_run', { id: found.id, level: 5 });
    expect(explained.found.statements.length).toBeGreaterThan(3);
    const read = await client.readResource({ uri: explained.found.reference });
    const whole = JSON.parse((read.contents[0] as { text: string }).text);
    expect(whole.statements.map((each: Json) => each.text)).toEqual(
      expect.arrayContaining(explained.found.statements.map((each: Json) => each.text)),
    );
    const record = await client.readResource({ uri: found.references[0] });
    expect(JSON.parse((record.contents[0] as { text: string }).text).best_solution).toEqual(found.best_solution);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(found.references[0]);
  });

  it('draws a run and compares runs', async () => {
    const one = await use(client, 'optimize_function', { code: SPHERE, bounds: BOUNDS, max_evaluations: 50, seed: 3 });
    const [functionUri] = one.found.references.slice(-1);
    const args = { function_id: functionUri.split('/').at(-1), bounds: BOUNDS, max_evaluations: 400, seed: 3 };
    const two = await use(client, 'optimize_function', args);
    const { found } = await use(client, 'compare_runs', { ids: [one.found.id, two.found.id] });
    expect(found.runs.map(({ id }: Json) => id)).toEqual([one.found.id, two.found.id]);
    const values = found.runs.map((run: Json) => run.best_fitness);
    expect(found.best).toBe(values[1] < values[0] ? two.found.id : one.found.id);
    const drawn = await client.callTool({ name: 'draw_run', arguments: { id: two.found.id } });
    const [image, link] = drawn.content as Json[];
    expect(image.mimeType).toBe('image/png');
    expect(Buffer.from(image.data, 'base64').subarray(1, 4).toString()).toBe('PNG');
    const read = await client.readResource({ uri: link.uri });
    expect((read.contents[0] as Json).blob).toBe(image.data);
    expect(await refusal(client, 'draw_run', { id: two.found.id, kind: 'wat' })).toMatch(/^not_found: /);
  });

  it('cancels a long run by taking its request back', async () => {
    const stop = new AbortController();
    const args = {
      ...{ code: SPHERE, bounds: BOUNDS, max_evaluations: 1_000_000_000, strategy: 'random-search' },
      ...{ metadata: { mark: `cancel ${_name}` }, wait_seconds: 120 },
    };
    const options = { signal: stop.signal, onprogress: () => stop.abort('enough'), timeout: 1300_000 };
    await expect(use(client, 'optimize_function', args, options)).rejects.toThrow();
    const { found: listed } = await use(client, 'list_runs', { q: `cancel ${_name}` });
    // It would take hours.
    const { found } = await use(client, 'get_run', { id: listed.runs[0].id, wait_seconds: 50 });
    expect(found).toMatchObject({ status: 'failed', termination_reason: 'cancelled' });
    expect(found.best_fitness).toBeLessThan(10);
  });

  it('looks in on a run without cancelling it, and cancels it by name', async () => {
    const args = { code: SPHERE, bounds: BOUNDS, max_evaluations: 1_000_000_000, strategy: 'random-search' };
    const { found } = await use(client, 'optimize_function', { ...args, wait_seconds: 0 });
    expect(['pending', 'running']).toContain(found.status);
    const looked = await use(client, 'get_run', { id: found.id, wait_seconds: 1 });
    expect(looked.found.status).toBe('running');
    await use(client, 'cancel_run', { id: found.id });
    const ended = await use(client, 'get_run', { id: found.id, wait_seconds: 30 });
    expect(ended.found.termination_reason).toBe('cancelled');
    expect(await refusal(client, 'cancel_run', { id: found.id })).toMatch(/^conflict: /);
  });

  it('solves a business problem from its example', async () => {
    const { found: listed } = await use(client, 'list_problems', { domain: 'supply_chain' });
    expect(listed.problem_types.length).toBeGreaterThan(2);
    const type = { domain: 'supply_chain', problem_type: 'inventory' };
    const { found: described } = await use(client, 'describe_problem', type);
    const { found } = await use(client, 'solve_problem', { ...type, config: described.models[0].example, seed: 2 });
    expect(found.status).toBe('completed');
    expect(found.result).not.toBeNull();
    expect(await refusal(client, 'solve_problem', { ...type, config: { items: 3 } })).toMatch(/^invalid_request: /);
  });

  it('asks a study and tells it', async () => {
    const { found: study } = await use(client, 'begin_study', { bounds: BOUNDS, max_evaluations: 20, seed: 5 });
    const { found: asked } = await use(client, 'ask_study', { id: study.id, count: 3 });
    const results = asked.candidates.map(({ id, solution }: Json) => ({ id, values: [solution[0] ** 2] }));
    expect((await use(client, 'tell_study', { id: study.id, results })).found).toEqual({ accepted: 3, evaluations: 3 });
    const { found: best } = await use(client, 'get_study_best', { id: study.id });
    expect(best.best_fitness).toBe(Math.min(...results.map(({ values }: Json) => values[0])));
  });

  it.skipIf(python.command === null)('is not helped by hostile code', async () => {
    const code = "def f(x):\n    return float(len(open('/etc/passwd').read())) + x[0]";
    const { found } = await use(client, 'check_function', { code, points: [[1]] });
    expect(found.evaluation.values).toEqual([null]);
    expect(found.evaluation.errors[0].type).toBe('PermissionError');
    const { found: run } = await use(client, 'optimize_function', { code, bounds: [[0, 1]], max_evaluations: 60 });
    expect(run).toMatchObject({ status: 'failed', success: false });
    expect(run.error).toContain('PermissionError');
  });
});

describe('the tools', () => {
  it('are these', async () => {
    const client = await connect(overHttp());
    const { tools } = await client.listTools();
    await client.close();
    await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot('../golden/mcp/tools.json');
  });

  it('do nothing that the key may not', async () => {
    const reader = await connect(overHttp(await keyWith('read')));
    const { tools } = await reader.listTools();
    expect(tools.map(({ name }) => name)).toContain('get_run');
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
    for (const name of ['optimize_function', 'check_function']) {
      const given = { code: SPHERE, ...(name === 'check_function' ? {} : { bounds: BOUNDS }) };
      expect(await refusal(reader, name, given)).toBe('forbidden: The API key lacks the scope `run`.');
    }
    expect(await refusal(reader, 'cancel_run', { id: 'opt_1' })).toMatch(/^forbidden: /);
    await reader.close();
  });

  it('need a key that is valid, and a session of their own', async () => {
    await expect(connect(overHttp('sk_wrong'))).rejects.toThrow();
    const bodyOf = (method: string): Json => ({ jsonrpc: '2.0', id: 1, method, params: {} });
    const headers = { accept: 'application/json, text/event-stream' };
    const options = { headers, body: bodyOf('tools/list') };
    expect((await service.call('POST', '/mcp', { ...options, key: 'sk_wrong' })).status).toBe(401);
    expect((await service.call('POST', '/mcp', options)).status).toBe(400);
    expect((await service.call('POST', '/mcp', { ...options, body: [bodyOf('initialize')] })).status).toBe(400);
    const transport = overHttp();
    const client = await connect(transport);
    const session = { 'mcp-session-id': transport.sessionId ?? '' };
    const others = { ...options, headers: { ...headers, ...session }, key: await keyWith('read', 'run') };
    expect((await service.call('POST', '/mcp', others)).status).toBe(404);
    expect((await service.call('PUT', '/mcp', { body: {} })).status).toBe(405);
    await client.close();
  });
});

it('has at most 50 sessions of a key, of which those in use are never ended for another', async () => {
  const key = await keyWith('read');
  const clients: Client[] = [];
  // Each of them listens to the service all the time.
  for (let i = 0; i < 50; i++) clients.push(await connect(overHttp(key)));
  const isListening = async (client: Client): Promise<boolean> => (await client.listTools()).tools.length > 0;
  expect(await Promise.all(clients.map(isListening))).not.toContain(false);
  await expect(connect(overHttp(key))).rejects.toThrow('This key has 50 sessions with open requests');
  expect(await isListening(clients[0])).toBe(true);
  await clients.pop()?.close();
  await expect
    .poll(() =>
      connect(overHttp(key)).then(
        (client) => clients.push(client),
        () => 0,
      ),
    )
    .toBe(50);
  await Promise.all(clients.map((client) => client.close()));
});

describe('a page of another site', () => {
  const answer = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(service.url);
      const given = { authorization: `Bearer ${service.key}`, ...headers };
      const sent = request({ hostname, port, path: '/mcp', method: 'GET', headers: given }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end();
    });

  it('is refused whatever name and address it gives itself', async () => {
    expect(await answer({ host: 'rebound.example:80' })).toBe(403);
    expect(await answer({ origin: 'https://evil.example' })).toBe(403);
    expect(await answer({ host: 'rebound.example', origin: 'http://rebound.example' })).toBe(403);
    expect(await answer({ origin: 'null' })).toBe(403);
    // Those of this machine come to what is missing: a session.
    expect(await answer({})).toBe(400);
    expect(await answer({ host: 'localhost:1', origin: 'http://localhost:6274' })).toBe(400);
  });
});

it('a service of its own is started and removed with the agent', { timeout: 1300_000 }, async () => {
  const client = await connect(overStdio(['--python', 'off', '--workers', '1']));
  const { found } = await use(client, 'optimize_function', { code: SPHERE, bounds: BOUNDS, max_evaluations: 200 });
  expect(found.status).toBe('completed');
  await client.close();
});
