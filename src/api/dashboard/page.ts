/** `/dashboard`: the page for people, as `npm run build` made it of dashboard/. Everything comes from this service. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type Response, type Router } from 'express';
import { ExtremumError } from '../../common/errors.js';
import { onRoute } from '../http-context.js';

/** The same place from src/ and from dist/. */
const FOLDER = fileURLToPath(new URL('../../../dist/dashboard/', import.meta.url));

export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const PATH = '/dashboard';

function guard(res: Response): void {
  res.setHeader('Content-Security-Policy', POLICY);
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
}

export function dashboardPage(folder = FOLDER): Router {
  const router = express.Router({ caseSensitive: true });
  router.all(['/', PATH, `${PATH}/assets/{*rest}`], (req, res, next) => {
    if (['GET', 'HEAD'].includes(req.method)) return next();
    res.setHeader('Allow', 'GET, HEAD, OPTIONS');
    if (req.method !== 'OPTIONS') throw new ExtremumError('method_not_allowed', `${req.method} is not allowed here.`);
    res.status(204).end();
  });
  router.get('/', onRoute('/'), (_req, res) => {
    res.redirect(302, PATH);
  });
  router.get(PATH, onRoute(PATH), (_req, res) => {
    if (!existsSync(join(folder, 'index.html'))) {
      throw new ExtremumError('unavailable', 'The dashboard is not built: run `npm run build`.');
    }
    guard(res);
    res.sendFile('index.html', { root: folder, cacheControl: false });
  });
  const assets = express.static(join(folder, 'assets'), {
    cacheControl: false,
    etag: false,
    index: false,
    redirect: false,
    setHeaders(res: Response) {
      guard(res);
      // Their names change with their content.
      res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    },
  });
  router.use(`${PATH}/assets`, onRoute(`${PATH}/assets`), assets);
  return router;
}
