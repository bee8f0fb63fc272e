/** Who is asking, and how often: the key of every request under `/v1`, and the limits that hang on it. */
import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit, type Store as LimitStore } from 'express-rate-limit';
import { ExtremumError } from '../common/errors.js';
import type { Clock } from '../common/ids.js';
import type { Caller, IdentityService } from '../identity/identity-service.js';
import type { SessionService } from '../identity/session-service.js';
import type { CountingStore } from '../storage/contract/counting.js';
import { isFromElsewhere, isRightCsrfToken, sessionTokenOf } from './dashboard/cookie.js';

const WINDOW_MS = 60_000;
const FAILURES_PER_MINUTE = 60;
/** How long an answer that is under way may outlive the right to it. */
const RECHECK_MS = 5_000;

export const callerOf = (res: Response): Caller => res.locals['caller'] as Caller;

/**
 * For answers that last: calls `end` once whoever asked may ask no more, because the key has ended or the session of
 * the dashboard is closed.
 */
export function whileAllowed(res: Response, end: () => void): void {
  const identify = res.locals['identify'] as () => Promise<Caller | null>;
  const check = async (): Promise<void> => {
    // A store that is away for a while ends nothing.
    const isAllowed = await identify().then(
      (caller) => caller !== null,
      () => true,
    );
    if (!isAllowed) end();
  };
  const timer = setInterval(() => void check(), RECHECK_MS);
  res.once('close', () => clearInterval(timer));
  if (res.destroyed) clearInterval(timer);
}

/** Counts in the store, which all processes of a deployment share. */
function sharedCounts(store: CountingStore, clock: Clock, prefix: string): LimitStore {
  return {
    localKeys: false,
    prefix,
    async increment(key) {
      const { count, resetAt } = await store.countRequest(`${prefix} ${key}`, clock(), WINDOW_MS);
      return { totalHits: count, resetTime: new Date(resetAt) };
    },
    // Nothing that was counted is taken back.
    decrement() {},
    resetKey() {},
  };
}

function limiter(limit: number, store: LimitStore, keyOf: (req: Request, res: Response) => string): RequestHandler {
  return rateLimit({
    store,
    windowMs: WINDOW_MS,
    limit,
    keyGenerator: keyOf,
    legacyHeaders: true,
    standardHeaders: false,
    // Headers of proxies that TRUST_PROXY does not name are not looked at, so they need no warning either.
    validate: { xForwardedForHeader: false, forwardedHeader: false, keyGeneratorIpFallback: false },
    handler: (_req, _res, next) => {
      next(new ExtremumError('rate_limited', `More than ${limit} requests a minute; Retry-After says when to go on.`));
    },
  });
}

/** Counts attempts without a valid key against the client's address. */
export const failureLimit = (store: CountingStore, clock: Clock): RequestHandler =>
  limiter(FAILURES_PER_MINUTE, sharedCounts(store, clock, 'address'), (req) => ipKeyGenerator(req.ip ?? 'unknown'));

/** Whoever holds the session that the cookie names. A browser sends a cookie by itself, so more is asked than that. */
async function callerBySession(sessions: SessionService, req: Request, isUse = true): Promise<Caller | null> {
  const token = sessionTokenOf(req);
  const session = token === null ? null : await sessions.find(token, isUse);
  if (session === null) return null;
  const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(req.method);
  if (isFromElsewhere(req) || (!isSafe && !isRightCsrfToken(req, session.csrfToken))) {
    const message =
      'With a session cookie, a request must come from the dashboard itself and carry its `X-CSRF-Token`.';
    throw new ExtremumError('forbidden', message);
  }
  return session.caller;
}

/**
 * With a live key, or a session of the dashboard: sets the caller and counts against the key. Without: counts against
 * the client's address, then 401.
 * `OPTIONS` without a key passes: browsers ask so before they send one. What is for everybody passes when it is
 * counted, with a wrong key too: a key that is not needed is no reason to refuse.
 */
export function authentication(
  identity: IdentityService,
  sessions: SessionService,
  ratePerMinute: number,
  store: CountingStore,
  clock: Clock,
  pathsForAll: ReadonlySet<string> = new Set(),
): RequestHandler {
  const perKey =
    ratePerMinute === 0
      ? null
      : limiter(ratePerMinute, sharedCounts(store, clock, 'key'), (_req, res) => callerOf(res).key.id);
  const perAddress = failureLimit(store, clock);

  return async (req, res, next) => {
    const header = req.get('authorization');
    if (header === undefined && req.method === 'OPTIONS') return next();
    const key = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
    const caller =
      key !== undefined
        ? await identity.authenticate(key)
        : header === undefined
          ? await callerBySession(sessions, req)
          : null;
    if (caller !== null) {
      res.locals['caller'] = caller;
      res.locals['identify'] = (): Promise<Caller | null> =>
        key === undefined ? callerBySession(sessions, req, false) : identity.holderOf(caller.key.publicId);
      if (perKey === null) return next();
      return perKey(req, res, next);
    }
    return perAddress(req, res, (error?: unknown) => {
      if (error !== undefined) return next(error);
      if (pathsForAll.has(req.baseUrl + req.path)) return next();
      res.setHeader('WWW-Authenticate', 'Bearer');
      const message =
        key === undefined
          ? 'An API key is needed: send `Authorization: Bearer <API key>`.'
          : 'The API key is not valid.';
      return next(new ExtremumError('unauthorized', message));
    });
  };
}
