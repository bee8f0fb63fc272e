/**
 * Sessions of the dashboard: a browser shows a key once and holds a cookie from then on (ADR 47). A session can do what
 * its key can, and never outlives it: the key is looked up for every request. Knows nothing of HTTP.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../common/ids.js';
import type { Logger } from '../common/logger.js';
import { SESSION_IDLE_MS } from '../model/dashboard-session.js';
import type { SessionStore } from '../storage/contract/sessions.js';
import type { Caller, IdentityService } from './identity-service.js';

const TICKET_MS = 15 * 60_000;
/** A use is written at most this often: the idle end may come so much early. */
const TOUCH_INTERVAL_MS = 60_000;
/** Sessions that this process has closed, as far as requests may still be under way. */
const CLOSED_KEPT = 1_000;

export interface OpenedSession {
  /** The secret that the browser holds. Only its hash is kept. */
  readonly token: string;
  readonly csrfToken: string;
  readonly caller: Caller;
}

interface SessionParts {
  readonly store: SessionStore;
  readonly identity: Pick<IdentityService, 'authenticate' | 'holderOf'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class SessionService {
  private readonly closed = new Set<string>();
  /** By the hash of the ticket. In this process alone: a link is used where it was printed, and soon. */
  private readonly tickets = new Map<string, { readonly key: string; readonly endsAt: number }>();

  constructor(private readonly parts: SessionParts) {}

  /** Null: the key is not valid. */
  async open(key: string): Promise<OpenedSession | null> {
    const { identity, store, clock } = this.parts;
    const caller = await identity.authenticate(key);
    if (caller === null) return null;
    const token = randomText();
    await store.saveSession({ tokenHash: hashOf(token), publicId: caller.key.publicId, usedAt: clock() });
    return { token, csrfToken: csrfTokenOf(token), caller };
  }

  /** A word that opens one session for the key, within a quarter of an hour. */
  issueTicket(key: string): string {
    const now = this.parts.clock();
    for (const [hash, { endsAt }] of this.tickets) if (endsAt <= now) this.tickets.delete(hash);
    const ticket = randomText();
    this.tickets.set(hashOf(ticket), { key, endsAt: now + TICKET_MS });
    return ticket;
  }

  /** Null: there is no such ticket, or it was used, or its time is over. */
  async redeem(ticket: string): Promise<OpenedSession | null> {
    const hash = hashOf(ticket);
    const found = this.tickets.get(hash);
    // Before anything is waited for: of two who come at once one gets in.
    this.tickets.delete(hash);
    return found === undefined || found.endsAt <= this.parts.clock() ? null : this.open(found.key);
  }

  /**
   * Who holds the session, as the key is now. Null: it has ended, or its key has. `isUse`: which puts off its idle end.
   */
  async find(token: string, isUse = true): Promise<Omit<OpenedSession, 'token'> | null> {
    const { store, identity, clock } = this.parts;
    const hash = hashOf(token);
    const session = await store.findSession(hash);
    if (session === null) return null;
    const now = clock();
    // A clock that was ahead has left times that are to come.
    const isIdle = Math.abs(now - session.usedAt) >= SESSION_IDLE_MS;
    const caller = isIdle ? null : await identity.holderOf(session.publicId);
    if (caller === null) {
      await this.end(hash);
      return null;
    }
    if (isUse && now - session.usedAt >= TOUCH_INTERVAL_MS) await this.touch(hash, now);
    // Whoever logged out meanwhile is not let in by a request that was already under way.
    return this.closed.has(hash) ? null : { csrfToken: csrfTokenOf(token), caller };
  }

  async close(token: string): Promise<void> {
    await this.end(hashOf(token));
  }

  private async end(hash: string): Promise<void> {
    this.closed.add(hash);
    if (this.closed.size > CLOSED_KEPT) for (const oldest of [...this.closed].slice(0, 1)) this.closed.delete(oldest);
    await this.parts.store.endSession(hash);
  }

  /** A use that cannot be written is one all the same. */
  private async touch(hash: string, now: number): Promise<void> {
    try {
      await this.parts.store.touchSession(hash, now);
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'use of a session not stored');
    }
  }
}

const randomText = (): string => randomBytes(32).toString('base64url');

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Follows from the token, and says nothing of it: it need not be stored. */
const csrfTokenOf = (token: string): string => createHash('sha256').update(`csrf ${token}`).digest('base64url');
