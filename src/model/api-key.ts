/** Accounts own every resource; keys act for an account. Times are epoch milliseconds. */
export const SCOPES = ['read', 'run', 'admin'] as const;
/** `read`: every GET. `run`: whatever makes, changes or deletes functions and runs. `admin`: all of it, and keys. */
export type Scope = (typeof SCOPES)[number];

export interface Account {
  readonly id: string;
  /** Unique. */
  readonly name: string;
  readonly createdAt: number;
}

export interface ApiKeyRecord {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The part of the key between `sk_` and the secret: not secret, what the key is looked up by. Unique. */
  readonly publicId: string;
  /** Keyed hash of the whole key, lowercase hex. */
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

/** So long after its end (revoked, expired, rolled) a key is kept: lists show expired ones that long. */
export const ENDED_KEY_KEPT_MS = 30 * 86_400_000;

/** Whether it ended that long ago. */
export function isForgotten({ expiresAt, revokedAt }: ApiKeyRecord, now: number): boolean {
  const endedAt = Math.min(expiresAt ?? Infinity, revokedAt ?? Infinity);
  return endedAt <= now - ENDED_KEY_KEPT_MS;
}
