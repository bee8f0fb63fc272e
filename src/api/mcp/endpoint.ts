/**
 * `/mcp`: the Model Context Protocol over streamable HTTP. A session belongs to the key that began it and to this
 * process. Every request is authenticated and counted as any other.
 */
import { randomUUID } from 'node:crypto';
import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { ExtremumError } from '../../common/errors.js';
import type { Logger } from '../../common/logger.js';
import type { Caller } from '../../identity/identity-service.js';
import { callerOf, whileAllowed } from '../authentication.js';
import { onRoute } from '../http-context.js';
import { jsonBody } from '../json-body.js';
import { StreamLimit } from '../stream-limit.js';
import type { RouteCalls } from './calls.js';
import type { Tool } from './tools.js';

export const MCP_PATH = '/mcp';
/** Of a key; the one that was used least recently makes room. */
const MOST_SESSIONS = 50;
const IDLE_MS = 3_600_000;

interface Session {
  readonly keyId: string;
  readonly transport: StreamableHTTPServerTransport;
  /** As it was at the latest request: scopes may have changed. */
  caller: Caller;
  usedAt: number;
  openRequests: number;
}

interface EndpointParts {
  readonly calls: RouteCalls;
  readonly tools: readonly Tool[];
  readonly version: string;
  readonly maxBodyBytes: number;
  readonly streamsPerKey: number;
  readonly logger: Logger;
}

export function mcpEndpoint(parts: EndpointParts): Router {
  const sessions = new Map<string, Session>();
  const streams = new StreamLimit(parts.streamsPerKey);

  const begin = async (caller: Caller): Promise<Session> => {
    if (!makeRoom(sessions, caller.key.id)) {
      const message = `This key has ${MOST_SESSIONS} sessions with open requests: end one, or wait.`;
      throw new ExtremumError('rate_limited', message, { retryable: true });
    }
    // Most services never have one, and it takes 20 MB.
    const [sdk, { createSession }] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
      import('./session.js'),
    ]);
    const transport = new sdk.StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, session),
    });
    const session: Session = { keyId: caller.key.id, transport, caller, usedAt: performance.now(), openRequests: 0 };
    let isClosed = false;
    transport.onclose = () => {
      isClosed = true;
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    };
    const server = createSession({ ...parts, caller: () => session.caller, isClosed: () => isClosed });
    await server.connect(transport);
    return session;
  };

  const serve: RequestHandler = async (req, res) => {
    const caller = callerOf(res);
    // Several in one body would be counted as one.
    if (Array.isArray(req.body)) throw new ExtremumError('invalid_request', 'Send one message at a time.');
    const session = sessionOf(req, caller, sessions) ?? (await begin(caller));
    // Left while the session was made.
    if (res.destroyed) return;
    session.caller = caller;
    const leave = req.method === 'GET' ? streams.enter(caller.key.id) : (): void => {};
    session.openRequests++;
    whileAllowed(res, () => res.destroy());
    res.once('close', () => {
      session.openRequests--;
      session.usedAt = performance.now();
      leave();
    });
    await session.transport.handleRequest(req, res, req.body);
  };

  const router = express.Router({ caseSensitive: true });
  const served = router.route(MCP_PATH).all(onRoute(MCP_PATH));
  served.post(jsonBody(parts.maxBodyBytes), serve).get(serve).delete(serve);
  served.all((req: Request, res: Response) => {
    res.setHeader('Allow', 'GET, POST, DELETE');
    throw new ExtremumError('method_not_allowed', `${req.method} is not allowed here; GET, POST, DELETE are.`);
  });
  return router;
}

/**
 * The session that the request names; null where it names none, and so begins one.
 * @throws {ExtremumError} `not_found`: it is over, of another process, or of another key: the client begins anew.
 */
function sessionOf(req: Request, caller: Caller, sessions: ReadonlyMap<string, Session>): Session | null {
  const id = req.get('mcp-session-id');
  if (id !== undefined) {
    const session = sessions.get(id);
    if (session?.keyId === caller.key.id) return session;
    throw new ExtremumError('not_found', 'There is no such session: begin another with `initialize`.');
  }
  const { method } = (req.body ?? {}) as { method?: unknown };
  if (req.method === 'POST' && method === 'initialize') return null;
  throw new ExtremumError('invalid_request', '`Mcp-Session-Id` is required: `initialize` begins a session.');
}

/** Ends sessions that nobody uses. False: the key has as many as it may, all of them in use. */
function makeRoom(sessions: ReadonlyMap<string, Session>, keyId: string): boolean {
  const idle = [...sessions.values()].filter(({ openRequests }) => openRequests === 0);
  const now = performance.now();
  const own = idle.filter((session) => session.keyId === keyId).sort((a, b) => a.usedAt - b.usedAt);
  const ofKey = [...sessions.values()].filter((session) => session.keyId === keyId).length;
  const tooMany = own.slice(0, Math.max(0, ofKey - MOST_SESSIONS + 1));
  for (const session of new Set([...idle.filter(({ usedAt }) => now - usedAt > IDLE_MS), ...tooMany])) {
    void session.transport.close();
  }
  return ofKey - tooMany.length < MOST_SESSIONS;
}
