/** The OpenAPI document, from the same routes that are served. */
import { z } from 'zod';
import { PUBLIC_CODES } from './errors.js';
import { clientSchema } from './client-schema.js';
import type { RouteGroup } from './resources.js';
import type { AnyRoute, RouteAnswer } from './route.js';
import { errorAnswer } from './fields.js';
import type { OpenApi } from './service/answer.js';

type Json = Record<string, unknown>;

const RATE_HEADERS: Readonly<Record<string, string>> = {
  'X-RateLimit-Limit': 'Requests a minute',
  'X-RateLimit-Remaining': 'Requests left in this minute',
  'X-RateLimit-Reset': 'When the minute ends, UTC epoch seconds',
};

/** Components, told once and not at every operation: generated clients stay small. */
const ERRORS: Readonly<Record<number, readonly [name: string, description: string]>> = {
  400: ['InvalidRequest', 'A field breaks a rule; `field` names it'],
  401: ['Unauthorized', 'The API key is missing or invalid'],
  403: ['Forbidden', 'The API key lacks the scope'],
  404: ['NotFound', 'No such resource in this account'],
  409: [
    'Conflict',
    'The state of the resource forbids the action, or the `Idempotency-Key` is taken (see Retry-After)',
  ],
  413: ['TooLarge', 'The body is too large'],
  415: ['UnsupportedMediaType', 'The body is not JSON'],
  429: ['TooManyRequests', 'Too many requests; see Retry-After'],
  500: ['InternalError', 'A defect of the service'],
  503: ['Unavailable', 'A needed part of the service is not there; see Retry-After'],
};

/** Schemas with an id become components, and so do failures; all others stay in place. */
class Components {
  readonly schemas: Json = {};
  readonly responses: Json = {};

  refer(schema: z.ZodType, io: 'input' | 'output'): Json {
    const json = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      reused: 'inline',
      target: 'draft-2020-12',
      override: ({ zodSchema, jsonSchema }) => {
        // Open, so that clients of this version read the answers of later ones. Strict objects stay closed.
        if (zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined) {
          delete jsonSchema.additionalProperties;
        }
      },
    }) as Json;
    return this.hoist(clientSchema(json));
  }

  private hoist(json: Json): Json {
    const { $schema: _dialect, $defs, ...rest } = json;
    for (const [id, definition] of Object.entries(($defs ?? {}) as Json)) {
      const { id: _id, $schema: _nested, ...body } = definition as Json;
      this.schemas[id] = relocate(body);
    }
    const moved = relocate(rest) as Json;
    const { id, ...body } = moved;
    if (typeof id !== 'string') return moved;
    this.schemas[id] = body;
    return { $ref: `#/components/schemas/${id}` };
  }
}

/** `#/$defs/X` as `#/components/schemas/X`, all the way down. */
function relocate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocate);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string'
        ? member.replace('#/$defs/', '#/components/schemas/')
        : relocate(member),
    ]),
  );
}

const INTEGER = clientSchema({ type: 'integer' });

const headers = (texts: Readonly<Record<string, string>>): Json =>
  Object.fromEntries(
    Object.entries(texts).map(([name, description]) => [
      name,
      { description, schema: name.startsWith('X-RateLimit') ? INTEGER : { type: 'string' } },
    ]),
  );

const IDEMPOTENCY_PARAMETER: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Sent again within 24 hours with the same key and body, the request is not done again: the first answer of success ' +
    'comes back, with `Idempotent-Replayed: true`. 409 where the key was used for another request, or (with ' +
    '`Retry-After`) while the first is at work',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
};

/** Links from a new resource to the routes that take its identifier. */
function links({ method, path }: AnyRoute, routes: readonly AnyRoute[]): Json {
  if (method !== 'post' || path.includes('{')) return {};
  const taking = routes.filter((route) => route.path.startsWith(`${path}/{id}`));
  const parameters = { id: '$response.body#/id' };
  const entries = taking.map(({ operationId }) => [operationId, { operationId, parameters }] as const);
  return entries.length === 0 ? {} : { links: Object.fromEntries(entries) };
}

function success(route: AnyRoute, answer: RouteAnswer, components: Components, routes: readonly AnyRoute[]): Json {
  return {
    description: answer.description,
    headers: headers({
      'X-Request-Id': 'Names the request in the log',
      ...RATE_HEADERS,
      ...(route.method === 'post' ? { 'Idempotent-Replayed': '`true` where this answer was given before' } : {}),
      ...answer.headers,
    }),
    ...links(route, routes),
    ...(answer.schema === undefined
      ? {}
      : {
          content: {
            [answer.mediaType ?? 'application/json']: {
              schema: components.refer(answer.schema, 'output'),
              ...(answer.example === undefined ? {} : { example: answer.example }),
            },
            // The content of a download has no schema (OpenAPI 3.1, "Considerations for File Uploads").
            ...Object.fromEntries((answer.downloads ?? []).map((type) => [type, {}])),
          },
        }),
  };
}

/** A reference to the component, which is made when it is first needed. */
function failure(status: number, components: Components): Json {
  const error = ERRORS[status];
  if (error === undefined) throw new Error(`no failure is described for status ${status}`);
  const [name, description] = error;
  const extra: Json = status === 409 || status === 429 || status === 503 ? { 'Retry-After': { schema: INTEGER } } : {};
  components.responses[name] ??= {
    description,
    headers: { ...headers({ 'X-Request-Id': 'Names the request in the log', ...RATE_HEADERS }), ...extra },
    content: { 'application/json': { schema: components.refer(errorAnswer, 'output') } },
  };
  return { $ref: `#/components/responses/${name}` };
}

function parameters(route: AnyRoute, components: Components): Json[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const query = components.refer(route.query, 'input');
  const required = (query['required'] ?? []) as string[];
  const inQuery = Object.entries((query['properties'] ?? {}) as Json).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
    ...(route.queryExample?.[name] === undefined ? {} : { example: route.queryExample[name] }),
  }));
  const inHeader = Object.entries(route.requestHeaders ?? {}).map(([name, { description, pattern }]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', ...(pattern === undefined ? {} : { pattern }) },
  }));
  return [...inPath, ...inQuery, ...inHeader, ...(route.method === 'post' ? [IDEMPOTENCY_PARAMETER] : [])];
}

function operation(route: AnyRoute, tag: string, components: Components, routes: readonly AnyRoute[]): Json {
  const always = [400, ...(route.scope === null ? [] : [401, 403]), 429, 500, 503];
  const ofBody = route.body === null ? [] : [413, 415];
  const ofKey = route.method === 'post' ? [409] : [];
  const errors = [...new Set([...always, ...ofBody, ...ofKey, ...route.errors])].sort((a, b) => a - b);
  const answers = Object.entries<RouteAnswer>(route.answers);
  return {
    tags: [tag],
    operationId: route.operationId,
    summary: route.summary,
    ...(route.scope === null
      ? { description: 'Needs no key.', security: [] }
      : { description: `Needs the scope \`${route.scope}\` (or \`admin\`).` }),
    parameters: parameters(route, components),
    ...route.extensions?.(),
    ...(route.body === null
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: components.refer(route.body, 'input'),
                ...(route.bodyExamples === undefined ? {} : { examples: route.bodyExamples }),
              },
            },
          },
        }),
    responses: Object.fromEntries([
      ...answers.map(([status, answer]) => [status, success(route, answer, components, routes)]),
      ...errors.map((status) => [String(status), failure(status, components)]),
    ]),
  };
}

/** `server`: address of the service. */
export function describeApi(groups: readonly RouteGroup[], version: string, server = '/'): OpenApi {
  const components = new Components();
  const paths: Record<string, Json> = {};
  const all = groups.flatMap(({ routes }) => routes);
  for (const { name, routes } of groups) {
    for (const route of routes) {
      paths[route.path] = { ...paths[route.path], [route.method]: operation(route, name, components, all) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Extremum',
      version,
      description:
        'Optimization of uploaded Python objectives. Every error has the shape of the schema `ErrorResponse`; its codes are ' +
        `${Object.keys(PUBLIC_CODES).join(', ')}. Unknown fields and query parameters are refused. A path that exists ` +
        'answers 405 with `Allow` to other methods; HEAD works wherever GET does.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server }],
    security: [{ apiKey: [] }],
    tags: groups.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      // Where there is a `bearerFormat`, code for Python is made for the format JWT and no other.
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `sk_<12>_<38>`' } },
      responses: components.responses,
      schemas: components.schemas,
    },
  };
}
