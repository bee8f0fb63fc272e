/**
 * What generators of clients cannot read must not come back into the OpenAPI document. `npm run check:clients`
 * generates and drives the clients themselves; this finds the same in seconds.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { SPHERE, startTestService, type Json } from '../support/service.js';

const service = await startTestService({ flags: ['--python', 'off', '--webhook-allow-networks', '127.0.0.0/8'] });
const document = (await service.call('GET', '/v1/openapi.json', { key: null })).body;
afterAll(() => service.cleanUp());

interface Place {
  readonly at: string;
  readonly schema: Json;
}

/** Everything that may be a schema, with its place. Names of fields, extensions and data are none. */
function* placesIn(value: Json, at: string, isSchema = true): Generator<Place> {
  if (typeof value !== 'object' || value === null) return;
  if (isSchema && !Array.isArray(value)) yield { at, schema: value };
  for (const [key, part] of Object.entries(value as Record<string, Json>)) {
    if (isSchema && (key.startsWith('x-') || ['examples', 'example', 'default', 'enum'].includes(key))) continue;
    yield* placesIn(part, `${at}/${key}`, !(isSchema && key === 'properties'));
  }
}

const all = [...placesIn(document, '')];
const requests = all.filter(({ at }) => at.includes('/requestBody/'));
const choices = ({ anyOf, oneOf }: Json): Json[] | undefined => (anyOf ?? oneOf) as Json[] | undefined;
const typesOf = ({ type }: Json): unknown[] => [type].flat();
const isNullable = (schema: Json): boolean => (choices(schema) ?? []).some(({ type }) => type === 'null');
const where = (places: readonly Place[], isWrong: (schema: Json) => boolean): string[] =>
  places.filter(({ schema }) => isWrong(schema)).map(({ at }) => at);

describe('the service', () => {
  it.each([[[]], [null]])('takes %j for an array that nobody gave', async (nothing) => {
    const id = await service.upload(SPHERE);
    const run = { objective_function_id: id, bounds: [[-1, 1]], max_evaluations: 20, seed: 2 ** 40 };
    const body = { ...run, initial_solution: nothing, reference_point: nothing };
    const made = await service.call('POST', '/v1/optimize', { body });
    expect([made.status, made.body.seed, made.body.status]).toEqual([200, 2 ** 40, 'completed']);
    expect((await service.call('POST', '/v1/batch', { body: { requests: [body] } })).status).toBe(201);

    const study = await service.call('POST', '/v1/studies', { body: { bounds: [[0, 1]], directions: nothing } });
    expect([study.status, study.body.directions]).toEqual([201, ['minimize']]);

    const hook = { url: 'https://198.41.0.4/hook', events: ['strategy.changed'], active: false };
    const { body: webhook } = await service.call('POST', '/v1/webhooks', { body: hook });
    const kept = await service.call('PATCH', `/v1/webhooks/${webhook.id}`, { body: { events: nothing } });
    expect([kept.status, kept.body.events]).toEqual([200, ['strategy.changed']]);
  });

  it('refuses a field that it does not know, however deep', async () => {
    const request = { objective_function_id: 'func_1', bounds: [[0, 1]], tetrad_config: { unknown: true } };
    const one = await service.call('POST', '/v1/optimize', { body: request });
    expect([one.status, one.body.error.field]).toEqual([400, 'tetrad_config.unknown']);
    const many = await service.call('POST', '/v1/batch', { body: { requests: [request] } });
    expect([many.status, many.body.error.field]).toEqual([400, 'requests[0].tetrad_config.unknown']);
  });
});

/** Each operation that takes a body, with the example bodies, in the order of the document. */
const bodies = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).flatMap(([method, { tags, requestBody }]) =>
    requestBody === undefined
      ? []
      : [{ path, method, tag: tags[0], examples: requestBody.content['application/json'].examples ?? {} }],
  ),
);

describe('the groups of the document', () => {
  const tags = (document.tags as Json[]).map(({ name }) => name as string);
  const operations = Object.values<Json>(document.paths).flatMap((methods) => Object.values<Json>(methods));

  it('have every operation once, in the order of use', () => {
    expect(tags).toEqual([
      'Functions',
      'Optimization',
      'Batch',
      'Domains',
      'Conversational',
      'Advanced',
      'Analytics',
      'Learning',
      'Federated Learning',
      'Configuration',
      'Webhooks',
      'Identity',
      'Health',
    ]);
    expect(operations.filter((operation) => operation.tags?.length !== 1)).toEqual([]);
    expect([...new Set(operations.map((operation) => operation.tags[0]))]).toEqual(tags);
  });
});

describe('the example bodies', () => {
  const HOOK = 'https://127.0.0.1:8443/hook';
  const REQUEST = { bounds: [[-1, 1]], max_evaluations: 20, seed: 1 };
  const post = async (path: string, body: object): Promise<Json> => {
    const answer = await service.call('POST', path, { body });
    expect([path, answer.status]).toEqual([path, expect.toSatisfy((status) => status === 200 || status === 201)]);
    return answer.body;
  };

  it('are there for all that take one, and are accepted', async () => {
    const functionId = await service.upload(SPHERE);
    const create = bodies.find(({ path }) => path.endsWith('/conversational/create'));
    const made: Record<string, Json> = {
      Functions: { id: functionId },
      Optimization: await post('/v1/optimize', { ...REQUEST, objective_function_id: functionId }),
      Advanced: await post('/v1/studies', { bounds: [[150, 250], [10, 60]] }), // prettier-ignore
      Conversational: await post('/v1/domains/conversational/create', create?.examples.inventory.value),
      Webhooks: await post('/v1/webhooks', { url: HOOK, events: ['strategy.changed'] }),
      Identity: await post('/v1/identity/keys', { name: 'k', scopes: ['read'] }),
    };
    const known = (value: object): object =>
      'objective_function_id' in value ? { ...value, objective_function_id: functionId } : value;
    // A name would have to be resolved.
    const reachable = (value: object): object => ('url' in value ? { ...value, url: HOOK } : value);
    const without: string[] = [];
    const refused: unknown[] = [];
    for (const { path, method, tag, examples } of bodies) {
      if (Object.keys(examples).length === 0) without.push(path);
      // Those of problems, an hour of work, are solved by `npm run check:domains`.
      if (path.includes('{domain}')) continue;
      for (const [name, { value }] of Object.entries<Json>(examples)) {
        const place = path.replace(/\{\w*id\}/, made[tag]?.id ?? made[tag]?.conversation_id);
        const answer = await service.call(method.toUpperCase(), place, { body: reachable(known(value)) });
        if (answer.status >= 300) refused.push([method, place, name, answer.body]);
      }
    }
    expect(without).toEqual([]);
    expect(refused).toEqual([]);
  });

  it('come first with one that needs nothing to be there', () => {
    const first = (document.tags as Json[]).map(({ name }) => bodies.find(({ tag }) => tag === name));
    const needing = first.filter((body) =>
      JSON.stringify(Object.values<Json>(body?.examples ?? {})[0])?.includes('_1"'),
    );
    expect(needing).toEqual([]);
  });
});

describe('the OpenAPI document', () => {
  it('is long enough for its rules to mean something', () => {
    expect(all.length).toBeGreaterThan(2_000);
    expect(requests.length).toBeGreaterThan(100);
    expect(where(all, ({ type }) => type === 'number').length).toBeGreaterThan(50);
  });

  it('closes no object so that those around it lose their types', () => {
    expect(where(all, ({ additionalProperties }) => additionalProperties === false)).toEqual([]);
  });

  it('says of every object in a request that it is closed, and of none in an answer', () => {
    const isObject = ({ type, properties }: Json): boolean => type === 'object' && properties !== undefined;
    expect(where(requests, (schema) => isObject(schema) && schema.unevaluatedProperties !== false)).toEqual([]);
    const shared = requests.flatMap(({ schema }) => (schema.$ref === undefined ? [] : [String(schema.$ref).slice(1)]));
    const isRequest = (at: string): boolean => at.includes('/requestBody/') || shared.some((ref) => at.startsWith(ref));
    const answers = all.filter(({ at }) => !isRequest(at));
    expect(where(answers, ({ unevaluatedProperties }) => unevaluatedProperties !== undefined)).toEqual([]);
  });

  it('gives every number a size', () => {
    expect(where(all, (schema) => typesOf(schema).includes('number') && schema.format !== 'double')).toEqual([]);
    expect(where(all, (schema) => typesOf(schema).includes('integer') && schema.format !== 'int64')).toEqual([]);
  });

  it('has no choice inside a choice, of an array and something else, or of objects that are no `oneOf`', () => {
    expect(where(all, (schema) => (choices(schema) ?? []).some((choice) => choices(choice) !== undefined))).toEqual([]);
    const mixes = (schema: Json): boolean => {
      const types = (choices(schema) ?? []).flatMap(typesOf).filter((type) => type !== 'null');
      return types.length > 1 && types.includes('array');
    };
    expect(where(all, mixes)).toEqual([]);
    expect(where(all, ({ anyOf = [] }) => anyOf.filter(({ type }: Json) => type === 'object').length > 1)).toEqual([]);
    const isList = (schema: Json): boolean => typesOf(schema).length > 1;
    expect(
      where(all, (schema) => isList(schema) && typesOf(schema).some((type) => type === 'object' || type === 'array')),
    ).toEqual([]);
  });

  it('has no number for the only value, no pattern of a time, and nothing that is forbidden by `not`', () => {
    expect(where(all, (schema) => typeof schema.const === 'number')).toEqual([]);
    expect(where(all, ({ format, pattern }) => format === 'date-time' && pattern !== undefined)).toEqual([]);
    expect(where(all, ({ not }) => not !== undefined)).toEqual([]);
  });

  it('lists no two values that have one name in a language', () => {
    const nameOf = (value: unknown): string =>
      String(value)
        .toLowerCase()
        .replaceAll(/\W+|_+/g, '_');
    const repeats = ({ enum: values = [] }: Json): boolean => new Set(values.map(nameOf)).size < values.length;
    expect(where(all, repeats)).toEqual([]);
  });

  it('gives no schema a name that clients have for something else, or that one of its fields has', () => {
    const schemas = Object.entries(document.components.schemas as Record<string, Json>);
    const taken = ['Configuration', 'Error', 'ApiClient', 'ApiException', 'ApiResponse', 'Client', 'JSON', 'Pair'];
    expect(schemas.map(([name]) => name).filter((name) => taken.includes(name))).toEqual([]);
    // Of a plain type the name may be: the code that is made has no type for it.
    const ofField = ([name, { properties = {} }]: [string, Json]): boolean => {
      const field = properties[name.toLowerCase()];
      return ['enum', 'properties', 'items', 'anyOf', '$ref'].some((keyword) => field?.[keyword] !== undefined);
    };
    expect(schemas.filter(ofField).map(([name]) => name)).toEqual([]);
  });

  it('describes what is no JSON as text', () => {
    const contents = all
      .filter(({ at }) => /\/content$/.test(at))
      .flatMap(({ schema }) => Object.entries<Json>(schema));
    const others = contents.filter(([type, { schema }]) => type !== 'application/json' && schema !== undefined);
    expect(others.map(([type]) => type)).toContain('text/event-stream');
    for (const [, { schema }] of others) {
      const { type } = document.components.schemas[String(schema.$ref).split('/').at(-1)!];
      expect(type).toBe('string');
    }
  });

  it('lets an array that may be left out be null, and whatever else clients send for it', () => {
    const objects = requests.filter(({ schema }) => schema.type === 'object' && schema.properties !== undefined);
    const optional = objects.flatMap(({ at, schema }) =>
      Object.entries(schema.properties as Record<string, Json>)
        .filter(([name]) => !((schema.required ?? []) as string[]).includes(name))
        .map(([name, field]): [string, Json] => [`${at}/${name}`, field]),
    );
    const isArray = (field: Json): boolean => [field, ...(choices(field) ?? [])].some(({ type }) => type === 'array');
    const arrays = optional.filter(([, field]) => isArray(field));
    expect(arrays.length).toBeGreaterThan(4);
    expect(arrays.filter(([, field]) => !isNullable(field)).map(([at]) => at)).toEqual([]);
    expect(JSON.stringify(arrays.map(([, field]) => field.anyOf[0].minItems))).not.toMatch(/\d/);
  });

  it('says nothing of the form of keys that is taken for the form of JSON web tokens', () => {
    expect(document.components.securitySchemes.apiKey).not.toHaveProperty('bearerFormat');
  });
});
