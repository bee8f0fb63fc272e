/** Sessions of the dashboard in memory. */
import { type DashboardSession, SESSION_IDLE_MS, SESSIONS_PER_KEY } from '../../model/dashboard-session.js';
import type { SessionStore } from '../contract/sessions.js';
import { copy } from './lists.js';

export class MemorySessions implements SessionStore {
  private readonly sessions = new Map<string, DashboardSession>();

  async saveSession(session: DashboardSession): Promise<void> {
    const { tokenHash, publicId } = session;
    if (this.sessions.has(tokenHash)) return;
    const others = [...this.sessions.values()].filter((one) => one.publicId === publicId);
    others.sort((a, b) => b.usedAt - a.usedAt || (a.tokenHash < b.tokenHash ? -1 : 1));
    for (const { tokenHash: old } of others.slice(SESSIONS_PER_KEY - 1)) this.sessions.delete(old);
    this.sessions.set(tokenHash, copy(session));
  }

  async findSession(tokenHash: string): Promise<DashboardSession | null> {
    return copy(this.sessions.get(tokenHash) ?? null);
  }

  async touchSession(tokenHash: string, usedAt: number): Promise<void> {
    const found = this.sessions.get(tokenHash);
    if (found !== undefined && found.usedAt < usedAt) this.sessions.set(tokenHash, { ...found, usedAt });
  }

  async endSession(tokenHash: string): Promise<void> {
    this.sessions.delete(tokenHash);
  }

  removeExpired(now: number): void {
    for (const [hash, { usedAt }] of this.sessions) if (usedAt <= now - SESSION_IDLE_MS) this.sessions.delete(hash);
  }
}
