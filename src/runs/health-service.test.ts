import { expect, test } from 'vitest';
import type { BackendProbe } from '../evaluation/placement.js';
import { HealthService, type HealthParts } from './health-service.js';

function health(
  ping: () => Promise<void>,
  trouble: string | null,
  looks: readonly (readonly BackendProbe[])[] = [],
  devices: HealthParts['devices'] = async () => [],
): HealthService {
  let asked = 0;
  const parts = {
    version: '1',
    store: { kind: 'fake', ping },
    runs: { status: () => ({ queued: 0, running: 0, threads: 1 }) },
    jobs: { trouble },
    python: { availability: { available: true, device: 'python' }, limits: null, notices: [] },
    probe: async () => looks[Math.min(asked++, looks.length - 1)] ?? [],
    devices,
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

test.each([
  ['an optional backend', true, 'ok'],
  ['a backend of every installation', false, 'degraded'],
] as const)('the status without %s', async (_what, isOptional, status) => {
  const missing = { name: 'abacus', isOptional, available: false, reason: 'it has no beads' } as const;
  const report = await health(works, null, [[missing]]).report();
  expect(report.status).toBe(status);
  expect(report.backends).toContainEqual(missing);
});

test('an addon that is built beside the service is found by the next report, and stays', async () => {
  const native = { name: 'native', isOptional: false } as const;
  const missing = { ...native, available: false, reason: 'the native addon is being built' } as const;
  const built = { ...native, available: true, device: 'x86-64' } as const;
  const one = health(works, null, [[missing], [built], [missing]]);
  const found = [];
  for (let i = 0; i < 3; i++) found.push((await one.report()).status);
  expect(found).toEqual(['degraded', 'ok', 'ok']);
});

test('one that stops is not ready', async () => {
  const one = health(works, null);
  one.beginShutdown();
  expect(await one.notReady()).toBe('the service is stopping');
});

test('devices are asked for anew each time, and nobody waits for them but the first', async () => {
  const cuda = { name: 'cuda', isOptional: true, available: true, device: 'a card' } as const;
  const device = { backend: 'cuda', index: 0, name: 'a card', state: 'ready', problem: null, speed: null } as const;
  const lost = { ...device, state: 'lost', problem: 'it was lost' } as const;
  const answers = [[device], [lost]];
  const one = health(works, null, [[cuda]], () => Promise.resolve(answers.shift() ?? []));
  const devices = async (): Promise<unknown> => (await one.report()).backends[0].devices;
  expect(await devices()).toEqual([device]);
  expect(await devices()).toEqual([device]);
  expect(await devices()).toEqual([lost]);
});

test('nobody is asked for devices where there are none', async () => {
  const native = { name: 'native', isOptional: false, available: true, device: 'here' } as const;
  const one = health(works, null, [[native]], () => Promise.reject(new Error('asked')));
  expect((await one.report()).backends[0]).not.toHaveProperty('devices');
});
