/**
 * What branch and bound proves, on random programs whose minimum is known. `npm run bench -- strategies/certificates`
 * runs 10,000.
 */
import { describe, expect, it } from 'vitest';
import { plantedObjective } from '../../src/benchmarks/planted.js';
import type { RunSnapshot } from '../../src/engine/snapshot.js';
import { interpret } from '../../src/ir/interpreter.js';
import { compilePython, openRun } from '../support/open-runs.js';

const strategy = 'branch-and-bound';

describe('a certificate', () => {
  it('is never contradicted by the planted minimum', async () => {
    let proven = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const planted = plantedObjective(seed);
      const { bounds, minimizer } = planted;
      const isMirrored = seed % 3 === 0;
      const sign = isMirrored ? -1 : 1;
      const code = isMirrored ? planted.code.replace(/ {4}return (.*)\n$/, '    return -($1)\n') : planted.code;
      const least = sign * interpret(compilePython(code, bounds.length, bounds), minimizer).value;
      const direction = isMirrored ? 'maximize' : 'minimize';
      const outcome = await openRun({ code, task: { bounds, seed, direction, strategy, maxEvaluations: 150 } });
      const { optimality, terminationReason, bestFitness } = outcome;
      expect(terminationReason === 'optimal', code).toBe(optimality?.status === 'optimal');
      if (optimality === undefined) continue;
      expect(sign * optimality.bound!, code).toBeLessThanOrEqual(least);
      expect(optimality.gap).toBe(Math.abs(bestFitness! - optimality.bound!));
      if (terminationReason !== 'optimal') continue;
      proven++;
      expect(sign * bestFitness!, code).toBeLessThanOrEqual(least + 1e-8);
    }
    expect(proven).toBeGreaterThan(20);
  });

  const RASTRIGIN = `import math

def f(x):
    total = 0.0
    for i in range(2):
        z = x[i] - 0.7 * (i + 1)
        total += z * z + 10 - 10 * math.cos(2 * math.pi * z)
    return total - 3
`;
  const bounds = [
    [-5, 5],
    [-4, 6],
  ] as const;
  const run = (maxEvaluations: number, resumeFrom?: RunSnapshot, onSnapshot?: (snapshot: RunSnapshot) => void) =>
    openRun({
      code: RASTRIGIN,
      task: { bounds, maxEvaluations, strategy },
      ...(resumeFrom && { resumeFrom }),
      ...(onSnapshot && { onSnapshot }),
    });

  it('ends the run that has it', async () => {
    const { terminationReason, bestFitness, optimality, backend } = await run(1000);
    expect(terminationReason).toBe('optimal');
    expect(bestFitness).toBeCloseTo(-3, 8);
    expect(optimality!.status).toBe('optimal');
    expect(optimality!.gap).toBeLessThanOrEqual(1e-8);
    expect(backend.readings!['bounds']).toBeGreaterThan(10);
  });

  it('is a bound before there is a proof', async () => {
    const { terminationReason, bestFitness, optimality } = await run(40);
    expect(terminationReason).toBe('budget');
    expect(optimality!.status).toBe('feasible');
    expect(optimality!.bound).toBeLessThanOrEqual(-3);
    expect(optimality!.gap).toBe(bestFitness! - optimality!.bound!);
  });

  const planned = (expression: string, mode: 'fast' | 'balanced') =>
    openRun({ code: `def f(x):\n    return ${expression}\n`, task: { bounds, maxEvaluations: 500, mode } });

  it('needs one reading of the whole box where that is exact', async () => {
    for (const mode of ['fast', 'balanced'] as const) {
      const { terminationReason, optimality, backend } = await planned(
        '4 + (x[0] - 1.3) ** 2 + (x[1] - x[0] / 2) ** 2',
        mode,
      );
      expect(terminationReason).toBe('optimal');
      expect(optimality).toMatchObject({ status: 'optimal', bound: 4 });
      expect(backend.readings!['bounds']).toBe(1);
    }
  });

  it('does not end a search that still gains', async () => {
    // Within the gap wherever one looks.
    const { terminationReason, bestSolution, bestFitness } = await planned(
      '1e-11 * ((x[0] - 1.3) ** 2 + (x[1] - x[0] - 0.2) ** 2)',
      'balanced',
    );
    expect(terminationReason).toBe('optimal');
    expect(bestFitness!).toBeLessThan(1e-20);
    expect(bestSolution![0]).toBeCloseTo(1.3, 4);
  });

  it('has the same bits when the run is resumed anywhere', async () => {
    const snapshots: string[] = [];
    const whole = await run(400, undefined, (snapshot) => snapshots.push(JSON.stringify(snapshot)));
    for (let k = 0; k < snapshots.length; k += 17) {
      const again = await run(400, JSON.parse(snapshots[k]) as RunSnapshot);
      expect(again.optimality).toEqual(whole.optimality);
      expect(again.bestSolution).toEqual(whole.bestSolution);
      expect(again.evaluations).toBe(whole.evaluations);
    }
  });
});
