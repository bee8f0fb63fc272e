/**
 * Against DNS rebinding: a page that a browser has from elsewhere must not reach a service of this machine by giving
 * its own name another address. Such a page says its name in `Host` and `Origin`.
 */
import type { RequestHandler } from 'express';
import { ExtremumError } from '../../common/errors.js';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

interface Listening {
  readonly host: string;
  readonly corsOrigins: readonly string[];
  /** Names beside those of this machine by which clients may ask, as behind a proxy. */
  readonly mcpHosts: readonly string[];
  /** Its name may be asked by, too, and its pages may ask. */
  readonly publicUrl: { readonly hostname: string; readonly origin: string } | null;
}

/**
 * `Host` must be a name of this machine or of `mcpHosts` where the service listens to this machine alone, or where
 * `mcpHosts` has any; `Origin`, which only browsers send, one of `corsOrigins` or of this machine.
 */
export function refuseRebinding({ host, corsOrigins, mcpHosts, publicUrl }: Listening): RequestHandler {
  const isLocal = LOOPBACK.has(host) || host === '::1';
  const isChecked = isLocal || mcpHosts.length > 0;
  const publicHosts = publicUrl === null ? [] : [publicUrl.hostname];
  const allowed = new Set([...LOOPBACK, ...publicHosts, ...mcpHosts.map((name) => name.toLowerCase())]);
  return (req, _res, next) => {
    const name = nameIn(`http://${req.get('host') ?? ''}`);
    if (isChecked && (name === null || !allowed.has(name))) {
      throw new ExtremumError('forbidden', 'The `Host` of the request is none of this service: see MCP_HOSTS.');
    }
    const origin = req.get('origin');
    const isKnown = origin === publicUrl?.origin || corsOrigins.includes('*');
    if (origin !== undefined && !isKnown && !corsOrigins.includes(origin)) {
      const from = nameIn(origin);
      if (!isLocal || from === null || !LOOPBACK.has(from)) {
        throw new ExtremumError('forbidden', 'Pages of this `Origin` may not ask here: see CORS_ORIGINS.');
      }
    }
    next();
  };
}

const nameIn = (url: string): string | null => (URL.canParse(url) ? new URL(url).hostname : null);
