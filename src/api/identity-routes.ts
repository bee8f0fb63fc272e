/** Who is asking, and the keys of the account. Only `admin` sees or changes keys. */
import { ExtremumError } from '../common/errors.js';
import type { Clock } from '../common/ids.js';
import type { IdentityService, IssuedKey } from '../identity/identity-service.js';
import type { ApiKeyRecord } from '../model/api-key.js';
import { pageBody } from './pagination.js';
import { route, type AnyRoute } from './route.js';
import { isoTime } from './run-representation.js';
import {
  identityAnswer,
  issuedKeyAnswer,
  keyAnswer,
  keyRequest,
  noQuery,
  pageAnswer,
  pageOnlyQuery,
  rollRequest,
} from './schemas.js';
import { invalid } from '../common/validation.js';

const timeOrNull = (epochMs: number | null): string | null => (epochMs === null ? null : isoTime(epochMs));

const represent = (key: ApiKeyRecord): object => ({
  id: key.id,
  name: key.name,
  scopes: key.scopes,
  created_at: isoTime(key.createdAt),
  expires_at: timeOrNull(key.expiresAt),
  last_used_at: timeOrNull(key.lastUsedAt),
});

const representIssued = ({ record, key }: IssuedKey): object => ({ ...represent(record), key });

const noSuchKey = (): ExtremumError => new ExtremumError('not_found', 'There is no such key.');

export function identityRoutes(identity: IdentityService, clock: Clock): AnyRoute[] {
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
      async handle({ caller: { account, key } }) {
        return { status: 200, body: { account_id: account.id, name: account.name, key: represent(key) } };
      },
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
