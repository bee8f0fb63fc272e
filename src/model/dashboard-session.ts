/** A browser that has shown a key. What it holds is stored as a hash, so that nobody who reads the store gets in. */
export interface DashboardSession {
  /** SHA-256 of the secret, lowercase hex. */
  readonly tokenHash: string;
  /** Of the key whose rights it has. */
  readonly publicId: string;
  /** Epoch milliseconds, to a minute. */
  readonly usedAt: number;
}

/** Without use it ends after so long. */
export const SESSION_IDLE_MS = 12 * 3_600_000;

/** Of one key; of more those end that were used the longest ago. */
export const SESSIONS_PER_KEY = 50;
