/** Every request gets these before anything else: an id, harmless headers, a log line. */
import { randomBytes } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ExtremumError } from '../common/errors.js';
import type { Logger } from '../common/logger.js';
import type { Metrics } from './prometheus.js';

const REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;

export const requestIdOf = (res: Response): string => String(res.locals['requestId']);

/** Notes the template of the route that serves this request, for the metrics. */
export const onRoute =
  (template: string): RequestHandler =>
  (_req, res, next) => {
    res.locals['route'] = template;
    next();
  };

/**
 * Accepts the client's `X-Request-Id` where it is harmless, else makes one. Logs one line per answer, with no header of
 * the request but its user agent: credentials cannot leak from what is not read.
 */
export function httpContext(logger: Logger, metrics: Pick<Metrics, 'requestAnswered'>): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    const given = req.get('x-request-id');
    const requestId = given !== undefined && REQUEST_ID.test(given) ? given : `req_${randomBytes(12).toString('hex')}`;
    res.locals['requestId'] = requestId;
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Cache-Control', 'no-store');
    const startedAt = performance.now();
    res.once('close', () => {
      const milliseconds = performance.now() - startedAt;
      const route = res.locals['route'] as string | undefined;
      metrics.requestAnswered(req.method, route, res.statusCode, milliseconds / 1000);
      const facts = {
        requestId,
        method: req.method,
        path: req.path.slice(0, 200),
        status: res.writableFinished ? res.statusCode : 'closed by the client',
        milliseconds: Math.round(milliseconds),
      };
      logger.info(facts, 'request');
    });
    next();
  };
}

/** A proxy may hand the path prefix of the public address on, or take it away: either is served. */
export function withoutPrefix(prefix: string): RequestHandler {
  return (req, _res, next) => {
    const rest = req.url.startsWith(prefix) ? req.url.slice(prefix.length) : null;
    if (rest !== null && /^([/?]|$)/.test(rest)) req.url = rest.startsWith('/') ? rest : `/${rest}`;
    next();
  };
}

/** Refuses requests that HTTP wants refused whatever they ask for. */
export const refuseHeaders: RequestHandler = (req, _res, next) => {
  if (req.httpVersion === '1.1' && req.headers.host === undefined) {
    throw new ExtremumError('invalid_request', 'The request has no `Host` header.');
  }
  const { expect } = req.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new ExtremumError('invalid_request', '`Expect` must be `100-continue`, or absent.');
  }
  next();
};

/** Lets browsers of the listed origins call, and read the headers they need. */
export function cors(origins: readonly string[]): RequestHandler {
  return (req, res, next) => {
    const origin = req.get('origin');
    if (origins.length > 0) res.vary('Origin');
    if (origin !== undefined && (origins.includes(origin) || origins.includes('*'))) {
      res.setHeader('Access-Control-Allow-Origin', origin);
      res.setHeader(
        'Access-Control-Expose-Headers',
        'Content-Disposition, Idempotent-Replayed, Location, Preference-Applied, Retry-After, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset',
      );
      if (req.method === 'OPTIONS') {
        res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE');
        res.setHeader(
          'Access-Control-Allow-Headers',
          'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Prefer, X-Request-Id',
        );
        res.setHeader('Access-Control-Max-Age', '600');
      }
    }
    next();
  };
}
