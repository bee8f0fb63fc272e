import express, { type Router } from 'express';
import type { HealthService } from '../runs/health-service.js';
import { ExtremumError } from '../common/errors.js';
import { onRoute } from './http-context.js';
import type { Metrics } from './prometheus.js';

/**
 * For whoever supervises the process: no key, no limit. `livez` asks nobody; `readyz` asks the parts; `metrics` has
 * counts, and nothing of any account.
 */
export function probes(health: HealthService, metrics: Metrics): Router {
  const router = express.Router({ caseSensitive: true });
  const paths = ['/livez', '/readyz', '/metrics'];
  for (const path of paths) router.all(path, onRoute(path));
  router.get('/livez', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const reason = await health.notReady();
    if (reason !== null) throw new ExtremumError('unavailable', `Not ready: ${reason}.`);
    res.json({ status: 'ok' });
  });
  router.get('/metrics', async (_req, res) => {
    const text = await metrics.text();
    res.setHeader('Content-Type', metrics.contentType);
    res.end(text);
  });
  for (const path of paths) {
    router.all(path, (req, res) => {
      res.setHeader('Allow', 'GET, HEAD, OPTIONS');
      if (req.method === 'OPTIONS') res.status(204).end();
      else throw new ExtremumError('method_not_allowed', `${req.method} is not allowed here.`);
    });
  }
  return router;
}
