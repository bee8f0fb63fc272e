/** Who is asking, and the keys of the account. Only `admin` sees or changes keys. */
import { ExtremumError } from '../../common/errors.js';
import { invalid } from '../../common/validation.js';
import { noQuery } from '../fields.js';
import { pageAnswer, pageBody, pageOnlyQuery } from '../pagination.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, route } from '../route.js';
import { identityAnswer, issuedKeyAnswer, keyAnswer, represent, representIdentity, representIssued } from './answer.js';
import { keyRequest, rollRequest } from './request.js';

const noSuchKey = (): ExtremumError => new ExtremumError('not_found', 'There is no such key.');

export function identityRoutes({ identity, clock }: Pick<ApiParts, 'identity' | 'clock'>): AnyRoute[] {
  /** @throws where the time has passed. */
  const expiry = (text: string | null | undefined): number | null => {
    if (text === undefined || text === null) return null;
    const time = Date.parse(text);
    if (time > clock()) return time;
    throw invalid('expires_at', `\`expires_at\` must lie in the future, not at ${text}.`);
  };
  const issued = { description: 'The key; `key` is shown only here', schema: issuedKeyAnswer };

  return [
    route({
      method: 'get',
      path: '/v1/identity',
      operationId: 'getIdentity',
      summary: 'The account and the key that ask',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: { 200: { description: 'Account and key', schema: identityAnswer } },
      errors: [],
      handle: async ({ caller }) => ({ status: 200, body: representIdentity(caller) }),
    }),
    route({
      method: 'get',
      path: '/v1/identity/keys',
      operationId: 'listKeys',
      summary: 'List the keys of the account, newest first, without revoked ones',
      scope: 'admin',
      query: pageOnlyQuery,
      body: null,
      answers: { 200: { description: 'A page of keys', schema: pageAnswer(keyAnswer) } },
      errors: [],
      async handle({ caller, query }) {
        const page = await identity.listKeys(caller.account.id, query);
        return { status: 200, body: pageBody(page, query, represent) };
      },
    }),
    route({
      method: 'post',
      path: '/v1/identity/keys',
      operationId: 'createKey',
      summary: 'Make a key for the account',
      scope: 'admin',
      query: noQuery,
      body: keyRequest,
      bodyExamples: { notebook: { summary: 'Reads and runs', value: { name: 'notebook', scopes: ['read', 'run'] } } },
      answers: { 201: issued },
      errors: [],
      async handle({ caller, body, ids }) {
        const wish = { name: body.name, scopes: body.scopes, expiresAt: expiry(body.expires_at) };
        return { status: 201, body: representIssued(await identity.issueKey(caller, wish, ids)) };
      },
    }),
    route({
      method: 'delete',
      path: '/v1/identity/keys/{id}',
      operationId: 'revokeKey',
      summary: 'Revoke a key for good, also the one that asks',
      scope: 'admin',
      query: noQuery,
      body: null,
      answers: { 204: { description: 'Revoked' } },
      errors: [404],
      async handle({ caller, params }) {
        if (!(await identity.revokeKey(caller.account.id, params['id'] ?? ''))) throw noSuchKey();
        return { status: 204 };
      },
    }),
    route({
      method: 'post',
      path: '/v1/identity/keys/{id}/roll',
      operationId: 'rollKey',
      summary: 'Make a successor of a key, which itself lives on for a while',
      scope: 'admin',
      query: noQuery,
      body: rollRequest,
      bodyExamples: { hour: { summary: 'The old key works for another hour', value: { overlap_seconds: 3600 } } },
      answers: { 201: { ...issued, description: `${issued.description}; same name, scopes and expiry` } },
      errors: [404, 409],
      async handle({ caller, params, body, ids }) {
        const successor = await identity.rollKey(caller, params['id'] ?? '', body.overlap_seconds, ids);
        if (successor === null) throw noSuchKey();
        return { status: 201, body: representIssued(successor) };
      },
    }),
  ];
}
