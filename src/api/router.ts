/** Serves routes with Express: methods, bodies, validation, answers. */
import express, { type NextFunction, type Request, type RequestHandler, type Response, type Router } from 'express';
import { ExtremumError } from '../common/errors.js';
import type { IdSource } from '../common/ids.js';
import type { Logger } from '../common/logger.js';
import { allows } from '../identity/identity-service.js';
import { callerOf, whileAllowed } from './authentication.js';
import { answerTo } from './errors.js';
import { onRoute, requestIdOf } from './http-context.js';
import { fingerprintOf, IDEMPOTENCY_KEY, type Idempotency, type WrittenReply } from './idempotency.js';
import { hasBody, jsonBody } from './json-body.js';
import { jsonText } from './json-text.js';
import type { AnyRoute, Download, RouteReply } from './route.js';
import { noQuery } from './fields.js';
import { StreamLimit } from './stream-limit.js';
import { nearMatch } from '../common/near-match.js';
import { invalid, shown, validate } from '../common/validation.js';

/** A reader of a stream that has taken nothing for so long is gone. */
const STALLED_MS = 60_000;

/** Told of answers about a run: what the bodies of the request and of the answer took. */
export type NoteTraffic = (runId: string, bytesIn: number, bytesOut: number) => void;

function serve(
  route: AnyRoute,
  idempotency: Idempotency,
  noteTraffic: NoteTraffic,
  streams: StreamLimit,
  prefix: string,
): RequestHandler {
  return async (req, res) => {
    const caller = callerOf(res);
    if (route.scope !== null && !allows(caller.key, route.scope)) {
      throw new ExtremumError('forbidden', `The API key lacks the scope \`${route.scope}\`.`);
    }
    const query = validate(route.query, req.query, 'query');
    const body = readBody(route, req);
    const params = req.params as Record<string, string>;
    const header = (name: string): string | undefined => req.get(name);
    let runId: string | undefined;
    const handle = async (ids: IdSource): Promise<RouteReply> => {
      const reply = await route.handle({ caller, params, query, body, ids, header });
      runId = runOf(route, params, reply);
      return reply;
    };
    const answer = (reply: WrittenReply): void => {
      const bytesIn = (res.locals['bodyBytes'] as number | undefined) ?? 0;
      if (runId !== undefined) noteTraffic(runId, bytesIn, Buffer.byteLength(reply.text ?? ''));
      send(res, reply, prefix);
    };
    const key = route.method === 'post' ? idempotencyKey(req) : undefined;
    if (key === undefined) {
      const reply = await handle(idempotency.ids);
      if (reply.picture !== undefined) return sendPicture(res, reply, reply.picture);
      if (reply.download !== undefined) return sendDownload(req, res, reply.download);
      if (reply.stream === undefined) return answer(await written(reply));
      const leave = streams.enter(caller.key.id);
      return sendStream(req, res, reply.stream).finally(leave);
    }
    const work = async (ids: IdSource): Promise<WrittenReply> => {
      const reply = await handle(ids);
      const made = madeBy(reply);
      return { ...(await written(reply)), ...(made === undefined ? {} : { runId: made }) };
    };
    const bodyHash = res.locals['bodyHash'] as string | undefined;
    const fingerprint = fingerprintOf(req.method, req.path, bodyHash ?? '');
    const { reply, isReplay } = await idempotency.once({ accountId: caller.account.id, key, fingerprint }, work);
    if (isReplay) res.setHeader('Idempotent-Replayed', 'true');
    answer(reply);
  };
}

/** The run that it is about: the one that it made, or the one that the path names. */
function runOf({ path }: AnyRoute, params: Readonly<Record<string, string>>, { body }: RouteReply): string | undefined {
  if (!path.startsWith('/v1/optimize')) return undefined;
  const made = (body as { id?: unknown } | undefined)?.id;
  return typeof made === 'string' ? made : params['id'];
}

/** Identifier of the run whose record the answer is, whatever the path. */
function madeBy({ body }: RouteReply): string | undefined {
  const id = (body as { id?: unknown } | undefined)?.id;
  return typeof id === 'string' && id.startsWith('opt_') ? id : undefined;
}

function readBody(route: AnyRoute, req: Request): unknown {
  const body: unknown = hasBody(req) ? req.body : undefined;
  if (route.body !== null) {
    if (body === undefined) throw new ExtremumError('invalid_request', 'A JSON body is required.');
    return validate(route.body, body, 'body');
  }
  if (body !== undefined && route.method !== 'get' && route.method !== 'delete') validate(noQuery, body, 'body');
  return undefined;
}

function idempotencyKey(req: Request): string | undefined {
  const key = req.get('idempotency-key');
  if (key === undefined || IDEMPOTENCY_KEY.test(key)) return key;
  throw invalid('Idempotency-Key', '`Idempotency-Key` must be 1 to 255 printable characters of ASCII.');
}

const written = async ({ status, headers = {}, body }: RouteReply): Promise<WrittenReply> => ({
  status,
  headers,
  text: body === undefined ? null : await jsonText(body),
});

/** `prefix`: of the public address, before the path of a `Location`. */
function send(res: Response, { status, headers, text }: WrittenReply, prefix: string): void {
  res.status(status);
  for (const [name, value] of Object.entries(headers)) {
    res.setHeader(name, name === 'Location' ? prefix + value : value);
  }
  if (text === null) res.end();
  else res.setHeader('Content-Type', 'application/json; charset=utf-8').send(text);
}

/** Only GET routes have pictures, and what answers GET is never kept for a replay. */
function sendPicture(
  res: Response,
  { status, headers = {} }: RouteReply,
  { mediaType, content }: NonNullable<RouteReply['picture']>,
): void {
  res.status(status);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.setHeader('Content-Type', mediaType);
  // Opened as a document of its own, an SVG could run scripts and load what it names: ours do neither.
  res.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  res.send(Buffer.from(content));
}

async function sendStream(req: Request, res: Response, stream: NonNullable<RouteReply['stream']>): Promise<void> {
  res.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
  // Said to proxies that would wait for more.
  res.setHeader('X-Accel-Buffering', 'no');
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  res.flushHeaders();
  await pass(stream, res);
}

/**
 * A failure before the first piece is answered as any failure; later the connection is cut, so that nobody takes a part
 * for the whole.
 */
async function sendDownload(req: Request, res: Response, { mediaType, name, bytes }: Download): Promise<void> {
  const describe = (): void => {
    res.setHeader('Content-Type', mediaType);
    res.setHeader('Content-Disposition', `attachment; filename="${name}"`);
  };
  if (req.method !== 'HEAD') return pass(bytes, res, describe);
  describe();
  res.end();
}

/** Never holds more than one piece that the client has not taken; one that takes nothing for long is let go. */
async function pass(
  pieces: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>,
  res: Response,
  onFirst: () => void = () => {},
): Promise<void> {
  const gone = new AbortController();
  // Who left while the answer was made is not heard of again.
  if (res.destroyed) gone.abort();
  res.once('close', () => gone.abort());
  whileAllowed(res, () => res.destroy());
  let isFirst = true;
  for await (const piece of pieces(gone.signal)) {
    if (gone.signal.aborted) return;
    if (isFirst) onFirst();
    isFirst = false;
    if (!res.write(piece)) await drained(res, gone.signal);
  }
  res.end();
}

function drained(res: Response, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      res.off('drain', done);
      gone.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(() => res.destroy(), STALLED_MS);
    res.once('drain', done);
    gone.addEventListener('abort', done);
    if (gone.aborted) done();
  });
}

function allowOf(methods: readonly string[]): string {
  const all = methods.map((method) => method.toUpperCase());
  if (all.includes('GET')) all.push('HEAD');
  return [...all, 'OPTIONS'].join(', ');
}

function refuseMethod(allow: string): RequestHandler {
  return (req, res) => {
    res.setHeader('Allow', allow);
    if (req.method === 'OPTIONS') {
      res.status(204).end();
      return;
    }
    throw new ExtremumError('method_not_allowed', `${req.method} is not allowed here; ${allow} are.`);
  };
}

export function createRouter(
  routes: readonly AnyRoute[],
  maxBodyBytes: number,
  idempotency: Idempotency,
  noteTraffic: NoteTraffic,
  streamsPerKey = 0,
  prefix = '',
): Router {
  const router = express.Router({ caseSensitive: true });
  const readJson = jsonBody(maxBodyBytes);
  const streams = new StreamLimit(streamsPerKey);
  for (const path of new Set(routes.map((route) => route.path))) {
    const onPath = routes.filter((route) => route.path === path);
    const served = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    served.all(onRoute(path));
    for (const route of onPath) {
      // Express serves HEAD through the GET handler.
      const takesBody = route.method !== 'get' && route.method !== 'delete';
      const answer = serve(route, idempotency, noteTraffic, streams, prefix);
      const read = route.maxBodyBytes === undefined ? readJson : jsonBody(Math.min(maxBodyBytes, route.maxBodyBytes));
      const handlers = takesBody ? [read, answer] : [answer];
      served[route.method](...handlers);
    }
    served.all(refuseMethod(allowOf(onPath.map((route) => route.method))));
  }
  return router;
}

/** For what no route of `routes` serves. */
export function notFound(routes: readonly AnyRoute[]): RequestHandler {
  const paths = routes.map((route) => route.path);
  return (req) => {
    const near = nearestPath(req.path, paths) ?? nearestPath(`/v1${req.path}`, paths);
    const hint = near === null ? '' : ` Did you mean ${shown(near)}?`;
    throw new ExtremumError('not_found', `There is nothing at ${shown(req.path)}.${hint}`);
  };
}

/** The path that was meant where at most one part of `path` was mistyped; `known` are templates. Null: none. */
export function nearestPath(path: string, known: readonly string[]): string | null {
  const asked = path.split('/');
  const templates = known.map((one) => one.split('/')).filter((parts) => parts.length === asked.length);
  const isParameter = (part: string | undefined): boolean => part?.startsWith('{') === true;
  for (const at of asked.keys()) {
    const others = templates.filter((parts) =>
      parts.every((part, i) => (i === at ? !isParameter(part) : isParameter(part) || part === asked[i])),
    );
    const near = nearMatch(
      asked[at] ?? '',
      others.map((parts) => parts[at] ?? ''),
    );
    if (near !== null) return asked.with(at, near).join('/');
  }
  return null;
}

/** Beside the error itself, of which the log has class, code and stack: of its causes it has no code. */
function causesOf(error: unknown): { type: string; code: unknown }[] {
  const causes: { type: string; code: unknown }[] = [];
  const seen = new Set<unknown>([error]);
  for (let cause = causeOf(error); cause !== undefined && !seen.has(cause); cause = causeOf(cause)) {
    seen.add(cause);
    if (!(cause instanceof Error)) break;
    causes.push({ type: cause.constructor.name, code: (cause as { code?: unknown }).code });
  }
  return causes;
}

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);

/**
 * The last stop of every failure: the documented shape, and a log line for what is not the client's fault. What is
 * refused as `unavailable` gets a short one: whoever overloads the service could else fill the log with stacks that say
 * nothing.
 */
export function errorHandler(maxBodyBytes: number, logger: Logger) {
  return (error: unknown, _req: Request, res: Response, next: NextFunction): void => {
    const requestId = requestIdOf(res);
    const { status, error: body } = answerTo(error, maxBodyBytes);
    if (error instanceof ExtremumError && error.code === 'unavailable') {
      logger.warn({ requestId, reason: error.message }, 'a request was refused');
    } else if (status >= 500) {
      logger.error({ err: error, status, causes: causesOf(error), requestId }, 'a request failed');
    }
    if (res.headersSent) return next(error);
    if (status === 503 && !res.hasHeader('Retry-After')) res.setHeader('Retry-After', '5');
    const after = error instanceof ExtremumError ? error.facts['retryAfterSeconds'] : undefined;
    if (typeof after === 'number') res.setHeader('Retry-After', String(after));
    // The rest of an unread body is not waited for.
    if (status === 413) res.setHeader('Connection', 'close');
    res.status(status).json({ error: body, request_id: requestId });
  };
}
