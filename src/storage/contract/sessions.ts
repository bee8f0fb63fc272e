/** The store's part for sessions of the dashboard. Whether their keys are live is not its business. */
import type { DashboardSession } from '../../model/dashboard-session.js';
import type { VerbsOf } from './verbs.js';

export interface SessionStore {
  /** Where the hash exists already nothing happens. Others of the same key end, beyond `SESSIONS_PER_KEY` in all. */
  saveSession(session: DashboardSession): Promise<void>;
  findSession(tokenHash: string): Promise<DashboardSession | null>;
  /** Nothing happens where it has ended, or was used later. */
  touchSession(tokenHash: string, usedAt: number): Promise<void>;
  /** Whether there is one or not. */
  endSession(tokenHash: string): Promise<void>;
}

export const SESSION_VERBS: VerbsOf<SessionStore> = {
  saveSession: 'writes',
  findSession: 'reads',
  touchSession: 'writes',
  endSession: 'writes',
};
