import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../test/support/random-ir.js';
import { hingeStep, type HingeProblem } from './hinge-step.js';

function valueAt({ gradient, hessian, hinges }: HingeProblem, d: Float64Array): number {
  const n = d.length;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    sum += gradient[i] * d[i];
    for (let k = 0; k < n; k++) sum += 0.5 * d[i] * hessian[i * n + k] * d[k];
  }
  for (const { weight, z, slope } of hinges) {
    sum +=
      weight *
      Math.max(
        0,
        slope.reduce((at, value, i) => at + value * d[i], z),
      );
  }
  return sum;
}

function randomProblem(seed: number): HingeProblem {
  const random = seededRandom(seed);
  const spread = (): number => 2 * random() - 1;
  const n = 1 + Math.floor(5 * random());
  const factor = Float64Array.from({ length: n * n }, spread);
  const hessian = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < n; k++) {
      for (let at = 0; at < n; at++) hessian[i * n + k] += factor[i * n + at] * factor[k * n + at];
      if (i === k) hessian[i * n + k] += 0.01;
    }
  }
  const hinges = Array.from({ length: Math.floor(8 * random()) }, () => ({
    weight: 10 ** (6 * random() - 2),
    z: 0.3 * spread(),
    slope: Float64Array.from({ length: n }, spread),
  }));
  return {
    gradient: Float64Array.from({ length: n }, spread),
    hessian,
    hinges,
    lower: Float64Array.from({ length: n }, () => (random() < 0.2 ? 0 : -0.2)),
    upper: Float64Array.from({ length: n }, () => 0.2),
  };
}

describe('a step with hinges', () => {
  it('ends where a penalty begins', () => {
    const problem: HingeProblem = {
      gradient: Float64Array.of(-1, -1),
      hessian: Float64Array.of(0.1, 0, 0, 0.1),
      hinges: [{ weight: 100, z: -0.1, slope: Float64Array.of(1, 2) }],
      lower: Float64Array.of(-0.05, -1),
      upper: Float64Array.of(0.05, 1),
    };
    const { step, multipliers } = hingeStep(problem)!;
    // x[0] to its bound, and x[1] as far as the hinge.
    expect(step[0]).toBeCloseTo(0.05, 10);
    expect(step[1]).toBeCloseTo(0.025, 10);
    // What it takes to hold x[1]: (1 - 0.1 * 0.025) / 2.
    expect(multipliers[0]).toBeCloseTo(0.49875, 8);
  });

  it('is lower than every other one, in the box', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), (seed) => {
        const problem = randomProblem(seed);
        const found = hingeStep(problem);
        expect(found).not.toBeNull();
        const { step, multipliers } = found!;
        step.forEach((value, i) => expect(value >= problem.lower[i] && value <= problem.upper[i]).toBe(true));
        problem.hinges.forEach(({ weight }, j) => {
          expect(multipliers[j]).toBeGreaterThanOrEqual(0);
          expect(multipliers[j]).toBeLessThanOrEqual(weight * (1 + 1e-9));
        });
        const best = valueAt(problem, step);
        const random = seededRandom(seed + 1);
        const scale = 1e-7 * problem.hinges.reduce((most, { weight }) => Math.max(most, weight), 1);
        for (let k = 0; k < 200; k++) {
          const reach = 10 ** (-4 * random());
          const other = step.map((value, i) =>
            Math.min(problem.upper[i], Math.max(problem.lower[i], value + reach * (2 * random() - 1) * 0.4)),
          );
          expect(valueAt(problem, other)).toBeGreaterThanOrEqual(best - scale * reach);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('is none where slopes are no numbers', () => {
    const hessian = Float64Array.of(1);
    const box = { lower: Float64Array.of(-1), upper: Float64Array.of(1) };
    expect(hingeStep({ gradient: Float64Array.of(Infinity), hessian, hinges: [], ...box })).toBeNull();
  });
});
