/** Who is asking, and how often: the key of every request under `/v1`, and the limits that hang on it. */
import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { ExtremumError } from '../common/errors.js';
import type { Caller, IdentityService } from '../identity/identity-service.js';

const WINDOW_MS = 60_000;
const FAILURES_PER_MINUTE = 60;

export const callerOf = (res: Response): Caller => res.locals['caller'] as Caller;

function limiter(limit: number, keyOf: (req: Request, res: Response) => string): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    limit,
    keyGenerator: keyOf,
    legacyHeaders: true,
    standardHeaders: false,
    // Proxy headers are not trusted (`trust proxy` is off), so they need no warning either.
    validate: { xForwardedForHeader: false, forwardedHeader: false, keyGeneratorIpFallback: false },
    handler: (_req, _res, next) => {
      next(new ExtremumError('rate_limited', `More than ${limit} requests a minute; Retry-After says when to go on.`));
    },
  });
}

/**
 * With a live key: sets the caller and counts against the key. Without: counts against the client's address, then 401.
 * `OPTIONS` without a key passes: browsers ask so before they send one.
 */
export function authentication(identity: IdentityService, ratePerMinute: number): RequestHandler {
  const perKey = ratePerMinute === 0 ? null : limiter(ratePerMinute, (_req, res) => callerOf(res).key.id);
  const perAddress = limiter(FAILURES_PER_MINUTE, (req) => ipKeyGenerator(req.ip ?? 'unknown'));

  return async (req, res, next) => {
    const header = req.get('authorization');
    if (header === undefined && req.method === 'OPTIONS') return next();
    const key = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
    const caller = key === undefined ? null : await identity.authenticate(key);
    if (caller !== null) {
      res.locals['caller'] = caller;
      if (perKey === null) return next();
      return perKey(req, res, next);
    }
    return perAddress(req, res, (error?: unknown) => {
      if (error !== undefined) return next(error);
      res.setHeader('WWW-Authenticate', 'Bearer');
      const message =
        key === undefined
          ? 'An API key is needed: send `Authorization: Bearer <API key>`.'
          : 'The API key is not valid.';
      return next(new ExtremumError('unauthorized', message));
    });
  };
}
