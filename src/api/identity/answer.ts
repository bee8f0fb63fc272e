/** Keys and accounts as clients see them. */
import { z } from 'zod';
import type { Caller, IssuedKey } from '../../identity/identity-service.js';
import type { ApiKeyRecord } from '../../model/api-key.js';
import { isoTime, nullable, time } from '../fields.js';
import type { Answer } from '../route.js';
import { SCOPE } from './request.js';

export const keyAnswer = z
  .object({
    id: z.string().meta({ pattern: '^key_[0-9]+$' }),
    name: z.string(),
    scopes: z.array(SCOPE),
    created_at: time,
    expires_at: nullable(time),
    last_used_at: nullable(time).describe('To the minute'),
  })
  .meta({ id: 'Key' });

export const issuedKeyAnswer = keyAnswer
  .extend({ key: z.string().meta({ pattern: '^sk_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$' }) })
  .meta({ id: 'IssuedKey' });

export const identityAnswer = z
  .object({ account_id: z.string(), name: z.string(), key: keyAnswer })
  .meta({ id: 'Identity' });

const timeOrNull = (epochMs: number | null): string | null => (epochMs === null ? null : isoTime(epochMs));

export const represent = (key: ApiKeyRecord): Answer<typeof keyAnswer> => ({
  id: key.id,
  name: key.name,
  scopes: key.scopes,
  created_at: isoTime(key.createdAt),
  expires_at: timeOrNull(key.expiresAt),
  last_used_at: timeOrNull(key.lastUsedAt),
});

export const representIssued = ({ record, key }: IssuedKey): Answer<typeof issuedKeyAnswer> => ({
  ...represent(record),
  key,
});

export const representIdentity = ({ account, key }: Caller): Answer<typeof identityAnswer> => ({
  account_id: account.id,
  name: account.name,
  key: represent(key),
});
