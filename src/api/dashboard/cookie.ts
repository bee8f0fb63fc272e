/** The cookie of a session, and what a request must show beside it. */
import { timingSafeEqual } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { Request, Response } from 'express';

const COOKIE = 'extremum_session';
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function sessionTokenOf(req: Request): string | null {
  for (const part of (req.get('cookie') ?? '').split(';')) {
    const [name, value] = part.trim().split('=');
    if (name === COOKIE && value !== undefined && TOKEN.test(value)) return value;
  }
  return null;
}

/**
 * Whether the browser itself came by TLS. Behind a proxy only headers tell; a client that invents them does no more
 * than make its own browser stricter.
 */
const isByTls = (req: Request): boolean =>
  (req.socket as Partial<TLSSocket>).encrypted === true ||
  req.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https' ||
  (req.get('origin') ?? '').startsWith('https://');

/**
 * Null takes it away. It has no end of its own: the service knows when a session ends.
 *
 * `prefix`: of the public address. What else is served at that name gets no cookie.
 */
export function setSessionCookie(req: Request, res: Response, token: string | null, prefix: string): void {
  const attributes = [
    `Path=${prefix === '' ? '/' : prefix}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isByTls(req) ? ['Secure'] : []),
  ];
  if (token === null) attributes.push('Max-Age=0');
  res.setHeader('Set-Cookie', [`${COOKIE}=${token ?? ''}`, ...attributes].join('; '));
}

/**
 * Whether another site, or another port of this host, made the browser send it: `SameSite` holds back only the former.
 * What browsers say themselves; a program that says nothing has no cookie that was not given to it.
 */
export function isFromElsewhere(req: Request): boolean {
  const site = req.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const origin = req.get('origin');
  if (origin === undefined) return false;
  // A proxy may ask under a name of its own.
  const hosts = [req.get('host'), req.app.locals['publicHost'] as string | undefined];
  return !URL.canParse(origin) || !hosts.includes(new URL(origin).host);
}

export function isRightCsrfToken(req: Request, csrfToken: string): boolean {
  const given = Buffer.from(req.get('x-csrf-token') ?? '');
  const wanted = Buffer.from(csrfToken);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
