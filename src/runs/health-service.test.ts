import { expect, test } from 'vitest';
import { HealthService, type HealthParts } from './health-service.js';

function health(ping: () => Promise<void>, trouble: string | null): HealthService {
  const parts = {
    version: '1',
    store: { kind: 'fake', ping },
    runs: { status: () => ({ queued: 0, running: 0, threads: 1 }) },
    jobs: { trouble },
    python: { availability: { available: true, device: 'python' }, limits: null },
    backends: Promise.resolve([]),
  };
  return new HealthService(parts as unknown as HealthParts);
}

const works = async (): Promise<void> => {};

test.each([
  ['everything works', works, null, null, 'ok'],
  ['the store fails', () => Promise.reject(new Error('away')), null, 'the store cannot be read or written', 'degraded'],
  [
    'the scheduler is cut off',
    works,
    'the scheduler does not reach its store',
    'the scheduler does not reach its store',
    'degraded',
  ],
] as const)('readiness and status where %s', async (_what, ping, trouble, reason, status) => {
  expect(await health(ping, trouble).notReady()).toBe(reason);
  expect((await health(ping, trouble).report()).status).toBe(status);
});

test('one that stops is not ready', async () => {
  const one = health(works, null);
  one.beginShutdown();
  expect(await one.notReady()).toBe('the service is stopping');
});
