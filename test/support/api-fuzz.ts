/**
 * Random requests on every route, made from the OpenAPI document, against the real service. What is looked at, for
 * every answer: its status is documented and no 5xx, its body is JSON of the documented schema and never HTML, the
 * headers are there. Beyond that it depends on the kind of request:
 *
 * - `valid`: a body that the schema allows, given a meaning (below) where a schema cannot: accepted, never 400.
 * - `mutated`: such a body, changed in one place: where the document's schema forbids it, 400.
 * - `stranger`: a valid request of another account for what this one has made: 404.
 * - `anonymous`: without a key, or with a wrong one: 401, but where none is needed.
 * - `method`: one that the document does not have: 405 with `Allow`.
 * - `noise`: broken JSON, other types, odd headers, queries and identifiers.
 */
import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import fc from 'fast-check';
import type { z } from 'zod';
import { type ApiContract, checkerOf, type Operation } from './api-contract.js';
import { anything, arbitraryOf, mutations, text } from './schema-arbitrary.js';
import { SPHERE, type Answer, type Json, type TestService } from './service.js';

export const FUZZ_FLAGS = [
  ...['--python', 'off', '--rate-limit-per-minute', '1000000000', '--max-dimensions', '8'],
  ...[
    '--federated-epsilon-limit',
    '1e9',
    '--run-timeout-seconds',
    '2',
    '--max-evaluations',
    '100000',
    '--webhook-allow-networks',
    '127.0.0.0/8',
  ],
];
/** Nobody listens there; any other address might be somebody's. */
const NOBODY = 'https://127.0.0.1:65535/hook';

const KINDS = ['valid', 'valid', 'valid', 'mutated', 'mutated', 'stranger', 'anonymous', 'method', 'noise'] as const;
type Kind = (typeof KINDS)[number];

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];
const AT_ONCE = 8;
/** A stream is not listened to for longer. */
const LISTEN_MS = 150;
const MAX_POOL = 50;

interface Draw {
  readonly kind: Kind;
  readonly body: unknown;
  readonly changed: unknown;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly id: string;
  readonly useMade: boolean;
  readonly method: string;
  readonly noise: { readonly body: string; readonly type: string; readonly query: string };
  readonly key: string;
  readonly pick: number;
}

export interface FuzzParts {
  readonly service: TestService;
  readonly contract: ApiContract;
  readonly document: Json;
  /** Of two accounts other than the service's own; the first is the one that makes things. */
  readonly keys: readonly [string, string];
}

/** Answers by their status. */
type Counts = ReadonlyMap<number, number>;

export interface FuzzCounts {
  readonly statuses: Counts;
  /** Those to valid requests for what there is. */
  readonly meant: Counts;
}

/** Whose examples are sent. */
const DRAWN_DOMAIN = 'supply_chain';
const CONVERSATIONAL = '/v1/domains/conversational';
const READY =
  'We sell 1,300 parts a year. An order costs $8, keeping a part for a year 22.5 cents. How many per order?';

export class ApiFuzz {
  private readonly parts: FuzzParts;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  /** Identifiers that the first account was given, by collection. */
  private readonly made = new Map<string, string[]>();
  private function = '';
  private budget = 200;
  private updates = 0;
  private address = 0;

  constructor(parts: FuzzParts) {
    this.parts = parts;
  }

  /** Makes what requests refer to. */
  async prepare(): Promise<void> {
    const body = JSON.stringify({ name: 'f', code: SPHERE, language: 'python' });
    const headers = { 'content-type': 'application/json' };
    const made = await this.send('POST', '/v1/functions', this.parts.keys[0], headers, body);
    this.function = String(made.body.id);
  }

  close(): void {
    this.agent.destroy();
  }

  /** @throws on the first answer that breaks a rule, with the request that caused it. */
  async run(operation: Operation, cases: number, seed: number): Promise<FuzzCounts> {
    const draws = fc.sample(this.draw(operation), { numRuns: cases, seed });
    const statuses = new Map<number, number>();
    const meant = new Map<number, number>();
    const next = draws.values();
    const work = async (): Promise<void> => {
      for (const draw of next) {
        const status = await this.try(operation, draw);
        count(statuses, status);
        const isMeant = draw.kind === 'valid' && (draw.useMade || !operation.path.includes('{'));
        if (isMeant) count(meant, status);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return { statuses, meant };
  }

  private draw({ method, path }: Operation): fc.Arbitrary<Draw> {
    const { document } = this.parts;
    const operation = document.paths[path][method.toLowerCase()];
    const schema = operation.requestBody?.content['application/json'].schema;
    const body = schema === undefined ? fc.constant(undefined) : arbitraryOf(schema, document);
    const parameters = (operation.parameters ?? []) as Json[];
    const of = (place: string): [string, fc.Arbitrary<unknown>][] =>
      parameters
        .filter((one) => one.in === place)
        .map((one) => [one.name as string, arbitraryOf(one.schema, document)]);
    const needed = parameters.filter((one) => one.in === 'query' && one.required === true);
    const query = fc.record(Object.fromEntries(of('query')), {
      requiredKeys: needed.map((one) => one.name as string),
    });
    // What a header line can carry.
    const headers = fc
      .record(Object.fromEntries(of('header')), { requiredKeys: [] })
      .map((drawn) =>
        Object.fromEntries(Object.entries(drawn).map(([name, value]) => [name, printable(String(value))])),
      );
    return body.chain((drawn) =>
      fc.record({
        kind: fc.constantFrom(...KINDS),
        body: fc.constant(drawn),
        changed: schema === undefined ? anything : mutations(drawn),
        query,
        headers,
        id: fc.oneof(
          fc.constantFrom('opt_1', 'func_1', 'x', '%2e%2e', 'a%2Fb', '%00', '{id}', '%', "'", 'é', '1?x=1'),
          text,
        ),
        useMade: fc.boolean(),
        method: fc.constantFrom(...METHODS),
        noise: fc.record({
          body: fc.oneof(
            fc.constantFrom('{', '[', '"', 'nul', '{"a":1e999}', `${'['.repeat(5000)}`, '\u0000'),
            fc.json(),
          ),
          type: fc.constantFrom(
            'application/json',
            'text/plain',
            'application/xml',
            '',
            'application/json; charset=latin1',
          ),
          query: fc.oneof(
            fc.constantFrom('?', '?limit=', '?limit=1&limit=2', '?a[b]=1', '?%', '?__proto__=1'),
            fc.constant(''),
          ),
        }),
        key: fc.constantFrom('', 'x', `sk_${'a'.repeat(12)}_${'b'.repeat(38)}`, 'sk_', 'ü'.normalize('NFD')),
        pick: fc.nat(),
      }),
    );
  }

  private async try(operation: Operation, draw: Draw): Promise<number> {
    const { keys } = this.parts;
    const { kind } = draw;
    const isMade = draw.useMade || kind === 'stranger';
    const fresh = kind === 'valid' && isMade ? await this.fresh(operation, draw.pick) : undefined;
    const made = fresh ?? (isMade ? this.pick(operation.path, draw.pick) : undefined);
    const id = kind === 'noise' ? rawId(draw.id) : cleanId(draw.id);
    const path = operation.path.replace('{kind}', 'convergence').replace(/\{\w+\}/, () => made ?? id);
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(draw.query)) query.set(name, String(value));
    const meant = this.meant(operation, draw.body);
    const valid = meant === undefined ? undefined : JSON.stringify(meant.body);
    const url = query.size === 0 ? path : `${path}?${query.toString()}`;
    const json = { ...draw.headers, 'content-type': 'application/json' };
    const method = operation.method;
    const fails = (answer: Answer, why: string): never => {
      const changed = JSON.stringify(draw.changed)?.slice(0, 1500);
      const shown = JSON.stringify({ method, url, valid, changed, draw: { ...draw, changed: undefined } }).slice(
        0,
        6000,
      );
      throw new Error(
        `${method} ${operation.path} (${kind}): ${why}\n${answer.status} ${JSON.stringify(answer.body)?.slice(0, 1000)}\n${shown}`,
      );
    };
    /** Sends, and checks what holds for every answer. */
    const ask = async (
      key: string | null,
      headers: Record<string, string>,
      body?: string,
      address = url,
    ): Promise<Answer> => {
      const answer = await this.send(method, address, key, headers, body);
      if (answer.status >= 500) fails(answer, 'a failure of the service');
      this.checkHeaders(answer, key, (why) => fails(answer, why));
      const template = operation.path;
      // An identifier may have made another path of it, or none.
      const isThere = !template.includes('{') || made !== undefined || !/[/?#]/.test(id);
      if (isThere) this.parts.contract.check(method, template, answer);
      return answer;
    };
    switch (kind) {
      case 'valid': {
        const answer = await ask(keys[0], withoutReplay(json), valid);
        if (answer.status < 300) await this.remember(operation, answer);
        if (answer.status === 400 && meant?.isSure === true) fails(answer, 'a valid request is refused');
        return answer.status;
      }
      case 'mutated': {
        if (valid === undefined) return (await ask(keys[0], json)).status;
        const body = JSON.stringify(draw.changed) ?? 'null';
        const answer = await ask(keys[0], withoutReplay(json), body);
        if (answer.status < 300) await this.remember(operation, answer);
        const isAllowed = this.validator(operation).safeParse(JSON.parse(body)).success;
        if (!isAllowed && ![400, 413].includes(answer.status))
          fails(answer, `a body that the document forbids: ${body.slice(0, 500)}`);
        return answer.status;
      }
      case 'stranger':
        return this.tryStranger(operation, made, (body) => ask(keys[1], withoutReplay(json), body), valid, fails);
      case 'anonymous': {
        const answer = await ask(draw.key === '' ? null : draw.key, json, valid);
        if ((answer.status === 401) !== (operation.scope !== '')) fails(answer, 'without a key');
        return answer.status;
      }
      case 'method':
        return this.tryMethod(operation, draw, path, fails);
      case 'noise': {
        const body = valid === undefined ? undefined : draw.noise.body;
        const type: Record<string, string> = draw.noise.type === '' ? {} : { 'content-type': draw.noise.type };
        return (await ask(keys[0], { ...withoutReplay(draw.headers), ...type }, body, path + draw.noise.query)).status;
      }
    }
  }

  private async tryStranger(
    { method, path }: Operation,
    made: string | undefined,
    ask: (body?: string) => Promise<Answer>,
    valid: string | undefined,
    fails: (answer: Answer, why: string) => never,
  ): Promise<number> {
    const ofOne = path.includes('{');
    const refersToOthers = method === 'POST' && ['/v1/optimize', '/v1/batch'].includes(path);
    // What it makes for itself is of no interest.
    // Everybody sees the same domains.
    if (path.startsWith('/v1/domains')) return 0;
    if (ofOne ? made === undefined : method !== 'GET' && !refersToOthers) return 0;
    const answer = await ask(valid);
    if (ofOne && answer.status !== 404) fails(answer, "another account's resource");
    if (method !== 'GET' && !ofOne && answer.status !== 400) fails(answer, "a run of another account's function");
    const all = JSON.stringify(answer.body ?? '');
    const seen = [...this.made.values()].flat().find((id) => id !== made && all.includes(id));
    if (seen !== undefined) fails(answer, `it sees ${seen}`);
    return answer.status;
  }

  private async tryMethod(
    { path }: Operation,
    draw: Draw,
    url: string,
    fails: (answer: Answer, why: string) => never,
  ): Promise<number> {
    const documented = Object.keys(this.parts.document.paths[path] as object).map((name) => name.toUpperCase());
    const allowed = [...documented, ...(documented.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
    if (allowed.includes(draw.method) && draw.method !== 'OPTIONS') return 0;
    const answer = await this.send(draw.method, url, this.parts.keys[0], {});
    const isOther = path.includes('{') && answer.status === 404;
    if (isOther) return 404;
    if (answer.status !== (draw.method === 'OPTIONS' ? 204 : 405)) fails(answer, draw.method);
    const said = (answer.headers.get('allow') ?? '').split(', ').sort();
    if (said.join() !== allowed.sort().join()) fails(answer, `Allow: ${said.join()}`);
    return answer.status;
  }

  private checkHeaders(answer: Answer, key: string | null, fails: (why: string) => never): void {
    const { headers, body } = answer;
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(headers.get('x-request-id') ?? '')) fails('no X-Request-Id');
    const type = headers.get('content-type') ?? '';
    if (body !== null && !/^(application\/json|text\/event-stream); charset=utf-8$/.test(type)) fails(`type ${type}`);
    if (body !== null && /^\s*</.test(String(body))) fails('markup');
    if (key === null || !this.parts.keys.includes(key)) return;
    for (const name of ['limit', 'remaining', 'reset']) {
      if (!/^\d+$/.test(headers.get(`x-ratelimit-${name}`) ?? '')) fails(`no X-RateLimit-${name}`);
    }
  }

  private validators = new Map<string, z.ZodType>();
  /** By the document, not by the schema that it was made from. */
  private validator({ method, path }: Operation): z.ZodType {
    const name = `${method} ${path}`;
    let validator = this.validators.get(name);
    if (validator === undefined) {
      const { document } = this.parts;
      const { schema } = document.paths[path][method.toLowerCase()].requestBody.content['application/json'];
      validator = checkerOf(schema, document);
      this.validators.set(name, validator);
    }
    return validator;
  }

  /**
   * What a request can be accepted for once only, or of few, made for it; undefined where any that was made will do.
   */
  private async fresh({ method, path }: Operation, pick: number): Promise<string | undefined> {
    if (path.startsWith(`${CONVERSATIONAL}/`) && path.includes('{')) return this.conversation();
    const optimization = { objective_function_id: this.function, bounds: [[-1, 1]] };
    // Ends when it is cancelled, or with the service's limit of time.
    const long = { ...optimization, mode: 'accurate', max_evaluations: 100_000, black_box: true };
    const bodies: Readonly<Record<string, unknown>> = {
      'POST /v1/optimize/{id}/cancel': long,
      'POST /v1/optimize/{id}/extend': { ...optimization, mode: 'accurate', max_evaluations: 9, black_box: true },
      'POST /v1/batch/{id}/cancel': { requests: [long, long] },
      // Runs of other presets have none.
      'GET /v1/optimize/{id}/monitoring': { ...optimization, max_evaluations: 20, preset: 'enterprise' },
      'DELETE /v1/optimize/{id}': { ...optimization, max_evaluations: 20 },
      'DELETE /v1/functions/{id}': { name: 'f', code: SPHERE, language: 'python' },
      'DELETE /v1/identity/keys/{id}': { name: 'k', scopes: ['read'] },
      'DELETE /v1/webhooks/{id}': { url: NOBODY, events: ['*'] },
      // Of a run that is read, and ends with a proof, little is learned.
      'DELETE /v1/learning': { ...optimization, max_evaluations: 100, black_box: true },
      'DELETE /v1/federated/updates/{id}': updateOf({ epsilon: 1, statistics: [] }, ++this.updates),
      'DELETE /v1/studies/{id}': { bounds: [[-1, 1]] },
      'POST /v1/studies/{id}/tell': { bounds: [[-1, 1]] },
    };
    const body = bodies[`${method} ${path}`];
    // Extensions of extensions too.
    if (body === undefined || (path.endsWith('/extend') && pick % 2 === 0)) return undefined;
    const headers = {
      'content-type': 'application/json',
      ...(body === long ? { prefer: 'respond-async' } : {}),
    };
    const made = await this.send('POST', this.collection(path), this.parts.keys[0], headers, JSON.stringify(body));
    if (made.status >= 300) throw new Error(`POST ${path}: ${made.status} ${JSON.stringify(made.body)}`);
    return String(made.body.id);
  }

  /** One that can be answered, looked at and completed. */
  private async conversation(): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ description: READY });
    const made = await this.send('POST', `${CONVERSATIONAL}/create`, this.parts.keys[0], headers, body);
    if (made.body.status !== 'ready_to_optimize') throw new Error(`not ready: ${JSON.stringify(made.body)}`);
    return String(made.body.conversation_id);
  }

  private collection(path: string): string {
    const collection = path.split('/{')[0] ?? path;
    return collection.startsWith('/v1/learning') ? '/v1/optimize' : collection;
  }

  private pick(path: string, n: number): string | undefined {
    if (path.startsWith('/v1/domains/{')) return DRAWN_DOMAIN;
    const pool = this.made.get(this.collection(path)) ?? [];
    return pool[n % pool.length];
  }

  private async remember({ method, path }: Operation, { body }: Answer): Promise<void> {
    // A run that was made by extending another one is a run as well; a key that was rolled, a key.
    if (method !== 'POST' || typeof body?.id !== 'string') return;
    const isDelivery = (body.id as string).startsWith('dlv_');
    const isProblem = path.startsWith('/v1/domains');
    const ofPath = isProblem ? '/v1/optimize' : this.collection(path);
    const collection = isDelivery ? '/v1/webhooks/deliveries' : ofPath;
    const pool = this.made.get(collection) ?? [];
    if (pool.includes(body.id as string)) return;
    const pooled = [...pool, body.id as string];
    this.made.set(collection, pooled.slice(-MAX_POOL));
    // An account may have a hundred webhooks, and 64 updates.
    if (collection !== '/v1/webhooks' && collection !== '/v1/federated/updates') return;
    for (const id of pooled.slice(0, -MAX_POOL)) {
      await this.send('DELETE', `${collection}/${id}`, this.parts.keys[0], {});
    }
  }

  /** What a schema cannot say. `isSure`: the service has no reason left to refuse it as invalid. */
  private meant(
    { method, path }: Operation,
    drawn: unknown,
  ): { readonly body: unknown; readonly isSure: boolean } | undefined {
    if (drawn === undefined) return undefined;
    const body = drawn as Json;
    switch (`${method} ${path}`) {
      case 'POST /v1/functions':
        return {
          body: {
            ...body,
            name: nameOf(body.name),
            code: SOURCES[hash(body.code) % SOURCES.length],
            vectorized: false,
          },
          isSure: true,
        };
      case 'POST /v1/functions/{id}/evaluate': {
        const n = (body.points as number[][])[0]?.length ?? 1;
        return {
          body: {
            ...body,
            points: (body.points as number[][]).map((point) =>
              Array.from({ length: n }, (_, i) => point[i % point.length]),
            ),
          },
          isSure: false,
        };
      }
      case 'POST /v1/optimize':
        return { body: this.optimization(body), isSure: true };
      case 'POST /v1/domains/{domain}/optimize':
        return { body: this.problem(body), isSure: false };
      case 'POST /v1/batch':
        return { body: { requests: (body.requests as Json[]).map((one) => this.optimization(one)) }, isSure: true };
      case 'POST /v1/optimize/{id}/replay':
        return { body: { ...body, strategy: 'cma-es' }, isSure: false };
      case 'POST /v1/optimize/{id}/extend':
        // More than any run before.
        return { body: { max_evaluations: ++this.budget }, isSure: true };
      case 'POST /v1/federated/updates':
        return { body: updateOf(body, ++this.updates), isSure: true };
      case 'POST /v1/federated/export':
      case 'POST /v1/studies/{id}/ask':
        return { body, isSure: true };
      case 'POST /v1/studies':
        return { body: studyOf(body), isSure: true };
      case 'POST /v1/studies/{id}/tell':
        return { body: { results: (body.results as Json[]).map(resultWithin) }, isSure: true };
      case 'POST /v1/identity/keys':
        return { body: { ...body, name: nameOf(body.name) }, isSure: true };
      case 'POST /v1/webhooks':
        return {
          // Switched off, it would be of no use to most of the other routes.
          body: { ...body, url: NOBODY, active: true, ...(body.secret ? { secret: wellFormed(body.secret) } : {}) },
          isSure: true,
        };
      case 'PATCH /v1/webhooks/{id}':
        return { body: { ...body, ...(body.url === undefined ? {} : { url: NOBODY }) }, isSure: true };
      case 'PATCH /v1/optimize/{id}':
      case 'PUT /v1/configuration':
      case 'POST /v1/identity/keys/{id}/roll':
      case 'POST /v1/webhooks/{id}/rotate-secret':
        return { body, isSure: true };
      default:
        return { body, isSure: false };
    }
  }

  /** A request of the document's examples, with what was drawn beside it. */
  private problem(body: Json): Json {
    const { requestBody } = this.parts.document.paths['/v1/domains/{domain}/optimize'].post;
    const examples = Object.values(requestBody.content['application/json'].examples as Record<string, Json>).filter(
      ({ summary }) => String(summary).startsWith(DRAWN_DOMAIN),
    );
    const { value } = examples[hash(body) % examples.length];
    const { intelligence_config: _i, tetrad_config: _t, ...rest } = body;
    return { ...rest, ...value, max_evaluations: 1 + (hash(body) % 20), timeout_seconds: 1 };
  }

  private optimization({ domain: _domain, problem_type: _type, config: _config, ...body }: Json): Json {
    const bounds = boundsOf(body);
    const made: Json = {
      ...body,
      bounds,
      objective_function_id: this.function,
      max_evaluations: 1 + (hash(bounds) % 60),
    };
    // `null` and `[]` are left as they are.
    if (body.initial_solution?.length > 0) made.initial_solution = bounds.map(([low]) => low);
    // Others are kept or not.
    if (body.learned_version !== undefined) made.learned_version = 0;
    // The two objects may contradict each other, and so may two names of one switch.
    if (body.intelligence_config !== undefined) delete made.tetrad_config;
    for (const name of ['intelligence_config', 'tetrad_config']) {
      if (made[name] === undefined) continue;
      const { use_expository_intelligence: _e, use_autodidactic_intelligence: _a, ...rest } = made[name];
      made[name] = rest;
    }
    // Some take few dimensions only, and most one objective.
    const { objectives = 1 } = body as { objectives?: number };
    if (bounds.length > 2 || objectives > 1 || made.strategy === 'sms-emoa') delete made.strategy;
    if (objectives > 1) {
      delete made.target_fitness;
      delete made.precision;
    }
    const { length = 0 } = (body.reference_point ?? []) as { length?: number };
    if (length > 0 && (objectives === 1 || length !== objectives)) delete made.reference_point;
    return made;
  }

  private send(
    method: string,
    path: string,
    key: string | null,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Answer> {
    const { hostname, port } = new URL(this.parts.service.url);
    // Who fails to name a key is limited by address: on this machine, every address of 127/8 is a client.
    const isKnown = key !== null && this.parts.keys.includes(key);
    const n = ++this.address;
    const place = isKnown
      ? { agent: this.agent }
      : { localAddress: `127.${1 + ((n >> 14) & 127)}.${(n >> 7) & 127}.${1 + (n & 127)}` };
    return new Promise((resolve, reject) => {
      const sent = request({
        ...place,
        hostname,
        port,
        method,
        path: pathOf(path),
        headers: {
          ...headers,
          ...(key === null ? {} : { authorization: `Bearer ${printable(key)}` }),
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
      });
      sent.on('error', (error) => {
        // The service had let go of a connection that was idle for long just when it was used again.
        if (sent.reusedSocket) resolve(this.send(method, path, key, headers, body));
        else reject(error);
      });
      sent.on('response', (response) => {
        const type = String(response.headers['content-type']);
        const isStream = type.startsWith('text/event-stream');
        let said = '';
        const done = (): void => {
          const answer = new Headers();
          for (const [name, value] of Object.entries(response.headers)) answer.set(name, String(value));
          const status = response.statusCode ?? 0;
          try {
            resolve({
              status,
              headers: answer,
              body: said === '' || isStream || isPicture(type, said) || isDownload(answer) ? null : JSON.parse(said),
            });
          } catch {
            reject(new Error(`${method} ${path}: no JSON: ${status} ${said.slice(0, 300)}`));
          }
        };
        response.setEncoding('utf8');
        response.on('data', (piece: string) => (said += piece));
        response.on('end', done);
        response.on('error', reject);
        if (!isStream) return;
        setTimeout(() => {
          response.off('error', reject);
          response.on('error', () => {});
          response.destroy();
          done();
        }, LISTEN_MS);
      });
      sent.end(body);
    });
  }
}

const SOURCES = [SPHERE, 'lambda x: x[0]', 'abs(x[-1])', 'def f(x):\n    return 1.0 / (x[0] - x[0])\n'];
const count = (counts: Map<number, number>, status: number): void =>
  void counts.set(status, (counts.get(status) ?? 0) + 1);
const hash = (value: unknown): number => createHash('sha256').update(JSON.stringify(value)).digest().readUInt32LE();
const nameOf = (name: string): string => (name.trim() === '' ? 'f' : name);
const printable = (value: string): string => value.replaceAll(/[^ -~]/g, '?');
/** Replays are another test's. */
const withoutReplay = ({
  'Idempotency-Key': _key,
  ...headers
}: Readonly<Record<string, string>>): Record<string, string> => headers;
/** As one part of a path. */
const cleanId = (id: string): string => encodeURIComponent(wellFormed(id)).replace(/^\.+$/, 'x') || 'x';
/** As a careless client would write it: it may make another path. */
const rawId = (id: string): string => (/^[!-~]+$/.test(id) ? id : cleanId(id));
/** One that there is not yet, and that says nothing twice. */
const updateOf = ({ epsilon, statistics }: Json, serial: number): object => ({
  format: 'extremum-federated-update',
  base_version: 1,
  epsilon: Math.min(99, epsilon as number) + serial / 1e6,
  clip: 0.5,
  statistics: [...new Map((statistics as Json[]).map((one) => [`${one.problem_class}/${one.strategy}`, one])).values()],
});
/** As many directions as objectives, and a strategy that takes them. */
const studyOf = ({ strategy, directions, ...body }: Json): object => {
  const objectives = Math.max(1, (directions ?? []).length as number);
  return {
    ...body,
    bounds: boundsOf(body),
    objectives,
    ...(directions === undefined ? {} : { directions }),
    ...(strategy === undefined || (strategy === 'sms-emoa') !== objectives > 1 ? {} : { strategy }),
  };
};
const boundsOf = ({ bounds }: Json): number[][] =>
  ((bounds?.length > 0 ? bounds : [[-1, 1]]) as [number, number][]).map(([a, b]) =>
    a < b ? [a, b] : a > b ? [b, a] : rising(a),
  );
/** Of a study of one dimension from -1 to 1 and one objective. */
const resultWithin = ({ solution, values, failed }: Json, i: number): object => ({
  solution: [((((solution?.[0] as number | undefined) ?? 0) % 1) + i) / 1e4],
  ...(failed === true ? { failed } : { values: [values[0]] }),
});
/** A pair of equal numbers as two that rise. */
const rising = (a: number): number[] => (Math.abs(a) > 1 ? [a, a / 2].sort((x, y) => x - y) : [a - 1, a + 1]);
/** Lone surrogates have no UTF-8. */
const wellFormed = (value: string): string => Buffer.from(value).toString();
const pathOf = (path: string): string => wellFormed(path).replaceAll(/[^!-~]+/g, (part) => encodeURIComponent(part));

const isDownload = (headers: Headers): boolean =>
  /^attachment; filename="[A-Za-z0-9.-]+"$/.test(headers.get('content-disposition') ?? '');

const isPicture = (type: string, said: string): boolean =>
  type === 'image/svg+xml; charset=utf-8' && said.startsWith('<svg');
