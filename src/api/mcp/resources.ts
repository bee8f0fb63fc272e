/** Runs, their explanations and pictures, functions and domains as resources: long things by reference. */
import { ExtremumError } from '../../common/errors.js';
import type { Caller } from '../../identity/identity-service.js';
import type { RouteReply } from '../route.js';
import type { RouteCalls } from './calls.js';
import { uriOf } from './views.js';

const LISTED = 20;
const JSON_TYPE = 'application/json';

interface Template {
  readonly uriTemplate: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
  readonly operation: string;
  /** Its request, from what the groups of `pattern` found. */
  readonly pattern: RegExp;
  request(...found: string[]): Parameters<RouteCalls['call']>[2];
}

const TEMPLATES: readonly Template[] = [
  {
    uriTemplate: 'extremum://runs/{id}',
    name: 'Run',
    description: 'The whole record of a run',
    mimeType: JSON_TYPE,
    operation: 'getOptimization',
    pattern: /^extremum:\/\/runs\/(\w+)$/,
    request: (id) => ({ params: { id } }),
  },
  {
    uriTemplate: 'extremum://runs/{id}/explanation/{level}',
    name: 'Explanation',
    description: 'Why a run went as it did, at a level from 0 to 5, with the numbers that each statement rests on',
    mimeType: JSON_TYPE,
    operation: 'explainOptimization',
    pattern: /^extremum:\/\/runs\/(\w+)\/explanation\/(\w+)$/,
    request: (id, level) => ({ params: { id }, query: { level } }),
  },
  {
    uriTemplate: 'extremum://runs/{id}/history',
    name: 'History',
    description: 'Every improvement of a run',
    mimeType: JSON_TYPE,
    operation: 'getHistory',
    pattern: /^extremum:\/\/runs\/(\w+)\/history$/,
    request: (id) => ({ params: { id } }),
  },
  {
    uriTemplate: 'extremum://runs/{id}/monitoring',
    name: 'Monitoring',
    description: 'What a run of the preset enterprise used, second by second: evaluations, processor, memory, waiting',
    mimeType: JSON_TYPE,
    operation: 'getMonitoring',
    pattern: /^extremum:\/\/runs\/(\w+)\/monitoring$/,
    request: (id) => ({ params: { id } }),
  },
  {
    uriTemplate: 'extremum://runs/{id}/pictures/{kind}',
    name: 'Picture',
    description:
      'A picture of a run: convergence, strategies, importance, slice, contour, parallel, pareto, or one of a domain problem',
    mimeType: 'image/png',
    operation: 'drawOptimization',
    pattern: /^extremum:\/\/runs\/(\w+)\/pictures\/([\w-]+)$/,
    request: (id, kind) => ({ params: { id, kind }, headers: { accept: 'image/png' } }),
  },
  {
    uriTemplate: 'extremum://functions/{id}',
    name: 'Function',
    description: 'An uploaded function with its code',
    mimeType: JSON_TYPE,
    operation: 'getFunction',
    pattern: /^extremum:\/\/functions\/(\w+)$/,
    request: (id) => ({ params: { id } }),
  },
  {
    uriTemplate: 'extremum://domains/{domain}',
    name: 'Domain',
    description: 'Problem types of a domain, with the JSON Schema of each config',
    mimeType: JSON_TYPE,
    operation: 'getDomain',
    pattern: /^extremum:\/\/domains\/(\w+)$/,
    request: (domain) => ({ params: { domain } }),
  },
];

export const resourceTemplates = () =>
  TEMPLATES.map(({ uriTemplate, name, description, mimeType }) => ({ uriTemplate, name, description, mimeType }));

/** The newest runs. */
export async function listResources(calls: RouteCalls, caller: Caller) {
  const query = { view: 'summary', limit: String(LISTED) };
  const { body } = await calls.call(caller, 'listOptimizations', { query });
  const { data } = body as { data: readonly { readonly id: string; readonly status: string }[] };
  return data.map(({ id, status }) => ({ uri: uriOf.run(id), name: `${id} (${status})`, mimeType: JSON_TYPE }));
}

/** @throws {ExtremumError} `not_found`; as the API refuses */
export async function readResource(calls: RouteCalls, caller: Caller, uri: string) {
  for (const { pattern, operation, request, mimeType } of TEMPLATES) {
    const found = pattern.exec(uri);
    if (found === null) continue;
    return { uri, ...content(await calls.call(caller, operation, request(...found.slice(1))), mimeType) };
  }
  const known = TEMPLATES.map(({ uriTemplate }) => uriTemplate).join(', ');
  throw new ExtremumError('not_found', `There is no such resource; there are ${known}.`);
}

function content({ body, picture }: RouteReply, mimeType: string) {
  if (picture !== undefined) return { mimeType, blob: Buffer.from(picture.content as Uint8Array).toString('base64') };
  return { mimeType, text: JSON.stringify(body) };
}
