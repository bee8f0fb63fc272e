/**
 * Reads bodies as JSON. What many send at a time is parsed in different turns of the event loop, and of one account
 * only so many are held.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { ExtremumError } from '../common/errors.js';
import { LimitPerOwner } from '../common/limit.js';
import { SharedTurns } from '../common/loop-turns.js';
import { callerOf } from './authentication.js';
import { refuseCostlyShape } from './body-shape.js';
import { jsonFault } from './json-fault.js';

/** Bodies of more bytes take a place of their account while they are read and parsed. */
const SMALL_BYTES = 65_536;
const PLACES_PER_ACCOUNT = 32;

export const hasBody = (req: Request): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

/** Up to `maxBodyBytes`, counted uncompressed, so that a small bomb stays small. */
export function jsonBody(maxBodyBytes: number): RequestHandler {
  const read = express.raw({ limit: maxBodyBytes, type: () => true });
  const places = new LimitPerOwner(PLACES_PER_ACCOUNT);
  const turns = new SharedTurns();

  /** Resolves when the body is there, and whoever comes next has begun with it. */
  const take: (...given: Parameters<RequestHandler>) => Promise<void> = (req, res, next) =>
    new Promise((resolve, reject) => {
      read(req, res, (error?: unknown) => {
        if (error !== undefined) {
          next(error);
          return resolve();
        }
        const body = req.body as Uint8Array;
        const parseIt = (): readonly [undefined, number] => {
          req.body = parsed(body, req, res);
          next();
          return [undefined, body.length];
        };
        turns.run(parseIt).then(resolve, reject);
      });
    });

  return (req, res, next) => {
    if (!hasBody(req)) return next();
    refuseOtherTypes(req.get('content-type') ?? '');
    const { 'content-length': length = Infinity, 'content-encoding': encoding = 'identity' } = req.headers;
    const isSmall = Number(length) <= SMALL_BYTES && encoding === 'identity';
    const taken = isSmall ? take(req, res, next) : places.run(callerOf(res).account.id, () => take(req, res, next));
    taken.catch(next);
  };
}

function refuseOtherTypes(contentType: string): void {
  if (!/^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(contentType)) {
    const message = 'The body must be JSON: send `Content-Type: application/json`.';
    throw new ExtremumError('unsupported_media_type', message);
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset)) throw new ExtremumError('unsupported_media_type', 'The body must be UTF-8.');
}

function parsed(body: Uint8Array, req: Request, res: Response): unknown {
  refuseCostlyShape(body);
  res.locals['bodyBytes'] = body.length;
  if (req.headers['idempotency-key'] !== undefined) {
    res.locals['bodyHash'] = createHash('sha256').update(body).digest('hex');
  }
  // A body of chunks may turn out to be none.
  if (body.length === 0) return {};
  // Decoders put U+FFFD for what they cannot read: another text than the one that was sent.
  if (!isUtf8(body)) throw new ExtremumError('invalid_request', 'The body is not valid UTF-8.');
  const text = new TextDecoder().decode(body);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const fault = jsonFault(text);
    const place = fault === null ? '.' : `: line ${fault.line}, column ${fault.column}: ${fault.what}.`;
    throw new ExtremumError('invalid_request', `The body is not valid JSON${place}`, { cause });
  }
}
