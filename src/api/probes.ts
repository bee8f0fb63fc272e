import express, { type Router } from 'express';
import type { HealthService } from '../runs/health-service.js';
import { ExtremumError } from '../common/errors.js';

/** For whoever supervises the process: no key, no limit. `livez` asks nobody; `readyz` asks the parts. */
export function probes(health: HealthService): Router {
  const router = express.Router({ caseSensitive: true });
  router.get('/livez', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const reason = await health.notReady();
    if (reason !== null) throw new ExtremumError('unavailable', `Not ready: ${reason}.`);
    res.json({ status: 'ok' });
  });
  for (const path of ['/livez', '/readyz']) {
    router.all(path, (req, res) => {
      res.setHeader('Allow', 'GET, HEAD, OPTIONS');
      if (req.method === 'OPTIONS') res.status(204).end();
      else throw new ExtremumError('method_not_allowed', `${req.method} is not allowed here.`);
    });
  }
  return router;
}
