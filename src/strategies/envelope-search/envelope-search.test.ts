import { describe, expect, it } from 'vitest';
import type { RunSnapshot } from '../../engine/snapshot.js';
import { openRun, type OpenRun } from '../../../test/support/open-runs.js';

const strategy = 'envelope-search';

/**
 * A bowl with waves of five times its height, coupled by the last term: from the centre of the box a descent ends some
 * waves away from the minimum. `offset` is added to every value.
 */
const rippled = (offset = 0): string => `
import math

CENTRE = [1.7, -0.9, 0.4, -2.1]

def f(x):
    total = 0.0
    for i in range(4):
        z = 0.8 * (x[i] - CENTRE[i]) + 0.6 * (x[i - 1] - CENTRE[i - 1])
        total += z * z + 5 * (1 - math.cos(2 * math.pi * z))
    return total + 0.2 * (x[0] + x[1] - 0.8) ** 2 + ${offset}
`;
const box: OpenRun['task']['bounds'] = Array.from({ length: 4 }, () => [-5, 5] as const);
const run = (code: string, more: Partial<OpenRun['task']> = {}) =>
  openRun({ code, task: { bounds: box, maxEvaluations: 300, strategy, ...more } });

describe('envelope search', () => {
  it('finds the lowest of many basins, where descents do not', async () => {
    expect((await run(rippled())).bestFitness!).toBeLessThan(1e-8);
    expect((await run(rippled(), { strategy: 'quasi-newton' })).bestFitness!).toBeGreaterThan(0.1);
  });

  it('finds it where a constant shifts the values, and from a start of the request', async () => {
    const plain = await run(rippled(1000));
    const shifted = await run(rippled(1000 + 2 ** 9));
    expect(plain.bestFitness! - 1000).toBeLessThan(1e-8);
    expect(shifted.bestFitness! - 1512).toBeLessThan(1e-8);
    const started = await run(rippled(), { initialSolution: [4, 4, -4, -4] });
    expect(started.bestFitness!).toBeLessThan(1e-8);
  });

  it('goes on where boxes have no bounds, or points no values', async () => {
    const gap = `
def f(x):
    if abs(x[0] - 3) + abs(x[2] - 3) < 1:
        raise ValueError('no value')
    return sum((v - 1) ** 2 for v in x) + 0.001 / abs(x[1])
`;
    // The quotient has no bounds in boxes that contain the centre of the whole box, where the search begins.
    const { bestFitness } = await run(gap);
    expect(bestFitness!).toBeLessThan(0.001001);
  });

  it('goes on with narrower boxes among waves that are the shorter the closer to the minimum', async () => {
    const waves = `
import math

CENTRE = [1.7, -0.9, 0.4, -2.1]
SCALES = [1, 1.5, 2, 3]

def f(x):
    total = 0.0
    z = [SCALES[i] * (x[i] - CENTRE[i]) + 0.5 * (x[i - 1] - CENTRE[i - 1]) for i in range(4)]
    for i in range(4):
        s = z[i] ** 2 + z[i - 1] ** 2
        total += s ** 0.25 * (1 + math.sin(20 * s ** 0.1) ** 2)
    return total ** 2
`;
    const snapshots: RunSnapshot[] = [];
    const task = { bounds: box, maxEvaluations: 400, strategy };
    const whole = await openRun({ code: waves, task, onSnapshot: (one) => snapshots.push(one) });
    expect(whole.bestFitness!).toBeLessThan(1e-6);
    for (const evaluations of [100, 200, 300]) {
      const resumeFrom = snapshots.find((one) => one.evaluations >= evaluations)!;
      const resumed = await openRun({ code: waves, task, resumeFrom: structuredClone(resumeFrom) });
      expect(resumed).toEqual(whole);
    }
  });

  it('is not led out of the box', async () => {
    const { bestSolution } = await run('def f(x):\n    return sum(v + v * v / 100 for v in x)\n');
    expect(bestSolution).toEqual([-5, -5, -5, -5]);
  });
});
