/**
 * Sessions of the dashboard: a browser shows a key once and holds a cookie from then on. They live in this process, so a
 * restart ends them all (ADR 47). A session can do what its key can, and never outlives it. Knows nothing of HTTP.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../common/ids.js';
import type { Caller, IdentityService } from './identity-service.js';

const IDLE_MS = 12 * 3_600_000;
const TICKET_MS = 15 * 60_000;
/** Of one key; the one that was used the longest ago makes room. */
const SESSIONS_PER_KEY = 50;

interface Session {
  readonly publicId: string;
  readonly csrfToken: string;
  usedAt: number;
}

export interface OpenedSession {
  /** The secret that the browser holds. Only its hash is kept. */
  readonly token: string;
  readonly csrfToken: string;
  readonly caller: Caller;
}

export class SessionService {
  /** By the hash of the token. */
  private readonly sessions = new Map<string, Session>();
  /** By the hash of the ticket. */
  private readonly tickets = new Map<string, { readonly key: string; readonly endsAt: number }>();

  constructor(
    private readonly identity: Pick<IdentityService, 'authenticate' | 'holderOf'>,
    private readonly clock: Clock,
  ) {}

  /** Null: the key is not valid. */
  async open(key: string): Promise<OpenedSession | null> {
    const caller = await this.identity.authenticate(key);
    if (caller === null) return null;
    this.makeRoom(caller.key.publicId);
    const token = randomText();
    const session = { publicId: caller.key.publicId, csrfToken: randomText(), usedAt: this.clock() };
    this.sessions.set(hashOf(token), session);
    return { token, csrfToken: session.csrfToken, caller };
  }

  /** A word that opens one session for the key, within a quarter of an hour. */
  issueTicket(key: string): string {
    for (const [hash, { endsAt }] of this.tickets) if (endsAt <= this.clock()) this.tickets.delete(hash);
    const ticket = randomText();
    this.tickets.set(hashOf(ticket), { key, endsAt: this.clock() + TICKET_MS });
    return ticket;
  }

  /** Null: there is no such ticket, or it was used, or its time is over. */
  async redeem(ticket: string): Promise<OpenedSession | null> {
    const hash = hashOf(ticket);
    const found = this.tickets.get(hash);
    // Before anything is waited for: of two who come at once one gets in.
    this.tickets.delete(hash);
    return found === undefined || found.endsAt <= this.clock() ? null : this.open(found.key);
  }

  /** Who holds the session, as the key is now. Null: it has ended, or its key has. */
  async find(token: string): Promise<Omit<OpenedSession, 'token'> | null> {
    const hash = hashOf(token);
    const session = this.sessions.get(hash);
    if (session === undefined) return null;
    const caller = this.isIdle(session) ? null : await this.identity.holderOf(session.publicId);
    if (caller === null) {
      this.sessions.delete(hash);
      return null;
    }
    // Whoever logged out meanwhile is not let in by a request that was already under way.
    if (!this.sessions.has(hash)) return null;
    session.usedAt = this.clock();
    return { csrfToken: session.csrfToken, caller };
  }

  close(token: string): void {
    this.sessions.delete(hashOf(token));
  }

  private isIdle({ usedAt }: Session): boolean {
    return this.clock() - usedAt >= IDLE_MS;
  }

  private makeRoom(publicId: string): void {
    for (const [hash, session] of this.sessions) if (this.isIdle(session)) this.sessions.delete(hash);
    const own = [...this.sessions].filter(([, session]) => session.publicId === publicId);
    own.sort(([, a], [, b]) => b.usedAt - a.usedAt);
    for (const [hash] of own.slice(SESSIONS_PER_KEY - 1)) this.sessions.delete(hash);
  }
}

const randomText = (): string => randomBytes(32).toString('base64url');

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64');
