/** `/dashboard/session`: in with a key or a one-time token, out, and who is in. */
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { z } from 'zod';
import { ExtremumError } from '../../common/errors.js';
import { validate } from '../../common/validation.js';
import type { Caller } from '../../identity/identity-service.js';
import type { SessionService } from '../../identity/session-service.js';
import { onRoute } from '../http-context.js';
import { identityAnswer, representIdentity } from '../identity/answer.js';
import type { Answer } from '../route.js';
import { isFromElsewhere, isRightCsrfToken, sessionTokenOf, setSessionCookie } from './cookie.js';

const PATH = '/dashboard/session';
const MAX_BYTES = 4_096;

const request = z
  .strictObject({ key: z.string().optional(), token: z.string().optional() })
  .refine(({ key, token }) => (key === undefined) !== (token === undefined), {
    path: ['key'],
    message: 'Either `key` or `token` is required.',
  });

export const sessionAnswer = z.object({
  csrf_token: z.string().describe('To be sent as `X-CSRF-Token` with everything but GET'),
  identity: identityAnswer,
});

const represent = (csrfToken: string, caller: Caller): Answer<typeof sessionAnswer> => ({
  csrf_token: csrfToken,
  identity: representIdentity(caller),
});

/**
 * `countFailure`: against the client's address; refuses who has failed too often. `prefix`: of the public address, the
 * path that the cookie is for.
 */
export function sessionRoutes(sessions: SessionService, countFailure: RequestHandler, prefix = ''): Router {
  const router = express.Router({ caseSensitive: true });
  const path = router.route(PATH);
  const readJson = express.json({ limit: MAX_BYTES });

  /** @throws {ExtremumError} `unauthorized`, or `rate_limited`. */
  const fail = async (req: Request, res: Response, message: string): Promise<never> => {
    await new Promise<void>((resolve, reject) => {
      void countFailure(req, res, (error?: unknown) => (error instanceof Error ? reject(error) : resolve()));
    });
    throw new ExtremumError('unauthorized', message);
  };

  path.all(onRoute(PATH), (req, _res, next) => {
    if (req.method !== 'OPTIONS' && isFromElsewhere(req)) {
      throw new ExtremumError('forbidden', 'A session is the business of the dashboard alone, not of another site.');
    }
    next();
  });

  path.get(async (req, res) => {
    const token = sessionTokenOf(req);
    const session = token === null ? null : await sessions.find(token);
    if (session === null) throw new ExtremumError('unauthorized', 'There is no session, or it has ended.');
    res.json(represent(session.csrfToken, session.caller));
  });

  // Forms of other sites cannot send JSON.
  path.post(
    (req, _res, next) => {
      if (req.is('application/json') === 'application/json') return next();
      throw new ExtremumError(
        'unsupported_media_type',
        'The body must be JSON: send `Content-Type: application/json`.',
      );
    },
    readJson,
    async (req, res) => {
      const { key, token } = validate(request, req.body as unknown, 'body');
      const opened = key === undefined ? await sessions.redeem(token ?? '') : await sessions.open(key.trim());
      if (opened === null) {
        return fail(
          req,
          res,
          key === undefined
            ? 'The link was used before, or it is older than 15 minutes, or the service was started anew.'
            : 'The API key is not valid.',
        );
      }
      const former = sessionTokenOf(req);
      if (former !== null) await sessions.close(former);
      setSessionCookie(req, res, opened.token, prefix);
      res.status(201).json(represent(opened.csrfToken, opened.caller));
    },
  );

  path.delete(async (req, res) => {
    const token = sessionTokenOf(req);
    const session = token === null ? null : await sessions.find(token);
    if (token !== null && session !== null) {
      if (!isRightCsrfToken(req, session.csrfToken)) {
        throw new ExtremumError('forbidden', 'Logging out needs the `X-CSRF-Token` of the session.');
      }
      await sessions.close(token);
    }
    setSessionCookie(req, res, null, prefix);
    res.status(204).end();
  });

  path.all((req, res) => {
    res.setHeader('Allow', 'GET, HEAD, POST, DELETE, OPTIONS');
    if (req.method === 'OPTIONS') res.status(204).end();
    else throw new ExtremumError('method_not_allowed', `${req.method} is not allowed here.`);
  });
  return router;
}
