/** Serves routes with Express: methods, bodies, validation, answers. */
import express, { type NextFunction, type Request, type RequestHandler, type Response, type Router } from 'express';
import { ExtremumError } from '../common/errors.js';
import { allows } from '../identity/identity-service.js';
import { callerOf } from './authentication.js';
import { refuseCostlyShape } from './body-shape.js';
import { answerTo } from './errors.js';
import { onRoute, requestIdOf } from './http-context.js';
import type { AnyRoute, Reply } from './route.js';
import { noQuery } from './schemas.js';
import { shown, validate } from './validation.js';

const hasBody = (req: Request): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

/** Reads the body as JSON up to `maxBodyBytes`, counted uncompressed, so that a small bomb stays small. */
function jsonBody(maxBodyBytes: number): RequestHandler {
  const parse = express.json({
    limit: maxBodyBytes,
    strict: false,
    type: () => true,
    verify: (_req, _res, body) => refuseCostlyShape(body),
  });
  return (req, res, next) => {
    if (!hasBody(req)) return next();
    if (!isJsonType(req.get('content-type'))) {
      const message = 'The body must be JSON: send `Content-Type: application/json`.';
      return next(new ExtremumError('unsupported_media_type', message));
    }
    return parse(req, res, next);
  };
}

const isJsonType = (contentType: string | undefined): boolean =>
  /^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(contentType ?? '');

function serve(route: AnyRoute): RequestHandler {
  return async (req, res) => {
    const caller = callerOf(res);
    if (!allows(caller.key, route.scope)) {
      throw new ExtremumError('forbidden', `The API key lacks the scope \`${route.scope}\`.`);
    }
    const query = validate(route.query, req.query, 'query');
    const body = readBody(route, req);
    const params = req.params as Record<string, string>;
    send(res, await route.handle({ caller, params, query, body, header: (name) => req.get(name) }));
  };
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

function send(res: Response, reply: Reply): void {
  res.status(reply.status);
  for (const [name, value] of Object.entries(reply.headers ?? {})) res.setHeader(name, value);
  if (reply.body === undefined) res.end();
  else res.json(reply.body);
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

export function createRouter(routes: readonly AnyRoute[], maxBodyBytes: number): Router {
  const router = express.Router({ caseSensitive: true });
  const readJson = jsonBody(maxBodyBytes);
  for (const path of new Set(routes.map((route) => route.path))) {
    const onPath = routes.filter((route) => route.path === path);
    const served = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    served.all(onRoute(path));
    for (const route of onPath) {
      // Express serves HEAD through the GET handler.
      const handlers = route.method === 'get' || route.method === 'delete' ? [serve(route)] : [readJson, serve(route)];
      served[route.method](...handlers);
    }
    served.all(refuseMethod(allowOf(onPath.map((route) => route.method))));
  }
  return router;
}

export const notFound: RequestHandler = (req) => {
  throw new ExtremumError('not_found', `There is nothing at ${shown(req.path)}.`);
};

/** The last stop of every failure: the documented shape, and a log line for what is our own fault. */
export function errorHandler(maxBodyBytes: number, log: (error: unknown, requestId: string) => void) {
  return (error: unknown, _req: Request, res: Response, next: NextFunction): void => {
    const requestId = requestIdOf(res);
    const { status, error: body } = answerTo(error, maxBodyBytes);
    if (status >= 500) log(error, requestId);
    if (res.headersSent) return next(error);
    if (status === 503 && !res.hasHeader('Retry-After')) res.setHeader('Retry-After', '5');
    // The rest of an unread body is not waited for.
    if (status === 413) res.setHeader('Connection', 'close');
    res.status(status).json({ error: body, request_id: requestId });
  };
}
