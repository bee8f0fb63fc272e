/**
 * Three deployments on loopback that tell each other what they learned; the third has never seen what the second knows.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { Rng } from '../../src/common/rng.js';
import { CLIP } from '../../src/model/federation.js';
import { startTestService, type Json, type TestService } from '../support/service.js';
import { STRATEGIES } from '../../src/planner/leaders.js';
import { PROBLEM_CLASSES } from '../../src/planner/problem-classes.js';

/** So little noise that chance decides nothing here; what noise costs is measured in bench/strategies/federated.mjs. */
const EPSILON = 100;
const FLAGS = { flags: ['--python', 'off', '--rate-limit-per-minute', '0', '--federated-epsilon-limit', '100'] };
const services = await Promise.all([startTestService(FLAGS), startTestService(FLAGS), startTestService(FLAGS)]);
const [first, second] = services;
let third = services[2];
afterAll(() => Promise.all([first, second, third].map((service) => service.cleanUp())));

const N = 3;
const BOUNDS = Array.from({ length: N }, () => [-5, 5]);

/**
 * An ellipsoid with axes of 1 to 1000, turned and moved; its names are its own, so that no run begins where another
 * ended.
 */
function ellipsoid(seed: number): string {
  const rng = Rng.create(seed);
  const axes: number[][] = [];
  while (axes.length < N) {
    const own = Array.from({ length: N }, () => rng.normal());
    for (const axis of axes) {
      const along = axis.reduce((sum, a, i) => sum + a * own[i], 0);
      axis.forEach((a, i) => (own[i] -= along * a));
    }
    const length = Math.hypot(...own);
    axes.push(own.map((v) => v / length));
  }
  const centre = Array.from({ length: N }, () => 8 * rng.uniform() - 4);
  const terms = axes.map(
    (axis, k) =>
      `${10 ** ((6 * k) / (N - 1))} * (${axis.map((a, i) => `(${a}) * (x[${i}] - (${centre[i]}))`).join(' + ')}) ** 2`,
  );
  return `def ellipsoid_${seed}(x):\n    return ${terms.join(' + ')}\n`;
}
/** The same, of many waves. */
const waves = (seed: number): string =>
  `import math\ndef waves_${seed}(x):\n    return sum((v - 0.${seed}) ** 2 - 9 * math.cos(7 * (v - 0.${seed})) + 9 for v in x) + x[0] * x[1]\n`;

async function run(service: TestService, code: string, more: object = {}): Promise<Json> {
  const body = {
    objective_function_id: await service.upload(code),
    bounds: BOUNDS,
    max_evaluations: 1_500,
    target_fitness: 1e-3,
    black_box: true,
    seed: 1,
    ...more,
  };
  const answer = await service.call('POST', '/v1/optimize', { body });
  expect(answer.status).toBe(200);
  return answer.body;
}
const exported = async (service: TestService): Promise<Json> =>
  (await service.call('POST', '/v1/federated/export', { body: { epsilon: EPSILON } })).body;
const merge = async (body: Json): Promise<Json> => (await third.call('POST', '/v1/federated/updates', { body })).body;
const bits = ({ best_solution, best_fitness, evaluations, learned }: Json): object => {
  return { best_solution, best_fitness, evaluations, learned };
};

describe('three deployments', () => {
  it('exchange what they learned, and one is led by it where it has seen nothing', { timeout: 600_000 }, async () => {
    const runs: Json[] = [];
    for (let k = 0; k < 30; k++) runs.push(await run(first, ellipsoid(100 + k), { seed: k }));
    for (let k = 0; k < 4; k++) await run(second, waves(k + 1), { seed: k, max_evaluations: 300 });
    const updates = [await exported(first), await exported(second)];

    // Nothing in an update identifies a run.
    for (const { format, base_version, epsilon, clip, statistics, ...rest } of updates) {
      expect({ format, base_version, epsilon, clip, rest }).toEqual({
        format: 'extremum-federated-update',
        base_version: 1,
        epsilon: EPSILON,
        clip: CLIP,
        rest: {},
      });
      for (const { problem_class, strategy, runs: count, mean_gain, ...more } of statistics as Json[]) {
        expect(more).toEqual({});
        expect(PROBLEM_CLASSES).toContain(problem_class);
        expect(STRATEGIES).toContain(strategy);
        expect(Number.isInteger(count)).toBe(true);
        expect(Math.abs(mean_gain as number)).toBeLessThanOrEqual(CLIP);
      }
    }
    const text = JSON.stringify(updates);
    for (const { id, objective_function_id, created_at, best_fitness, best_solution } of runs) {
      for (const secret of [id, objective_function_id, created_at, best_fitness, ...best_solution] as unknown[]) {
        expect(text).not.toContain(String(secret));
      }
    }
    expect(text).not.toMatch(/ellipsoid|waves|def /);

    const before = await run(third, ellipsoid(899), { learned_version: 0 });
    const merged: Json[] = [];
    for (const update of updates) merged.push(await merge(update));
    const { version } = merged[1];
    let alone = 0;
    let led = 0;
    let told = 0;
    for (let k = 0; k < 8; k++) {
      const code = ellipsoid(900 + k);
      alone += (await run(third, code, { learned_version: 0 })).evaluations as number;
      const record = await run(third, code, { learned_version: version });
      led += record.evaluations as number;
      expect(record.learned).toMatchObject({ version, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
      if (JSON.stringify(record.strategies).includes('at other deployments')) told++;
    }
    expect(told).toBeGreaterThan(4);
    expect(led).toBeLessThan(0.9 * alone);

    // Revoked, restarted, pinned: the same bits as ever.
    const pinned = await run(third, ellipsoid(901), { learned_version: version });
    const model = async (): Promise<Json> => (await third.call('GET', '/v1/federated/model')).body;
    const { version: _, ...whole } = await model();
    const extra = { ...updates[0], epsilon: 1, statistics: updates[0].statistics.slice(0, 1) };
    const { id } = await merge(extra);
    expect((await model()).problem_classes).not.toEqual(whole.problem_classes);
    expect((await third.call('DELETE', `/v1/federated/updates/${id}`)).status).toBe(204);
    const { version: __, ...restored } = await model();
    expect(restored).toEqual(whole);
    for (const one of merged) await third.call('DELETE', `/v1/federated/updates/${one.id}`);
    expect((await model()).problem_classes).toEqual([]);
    await third.stop();
    third = await startTestService({ ...FLAGS, dataDir: third.dataDir, key: third.key });
    expect(bits(await run(third, ellipsoid(901), { learned_version: version }))).toEqual(bits(pinned));
    expect(bits(await run(third, ellipsoid(899), { learned_version: 0 }))).toEqual(bits(before));
  });
});
