/** What branch and bound proves, on random programs whose minimum is known. `npm run bench -- strategies/certificates` runs 10,000. */
import { describe, expect, it } from 'vitest';
import { JavaScriptBackend } from '../../src/backends/javascript/javascript-backend.js';
import { plantedObjective } from '../../src/benchmarks/planted.js';
import { runOptimization } from '../../src/engine/run-optimization.js';
import type { RunSnapshot } from '../../src/engine/snapshot.js';
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import { interpret } from '../../src/ir/interpreter.js';
import type { IrFunction } from '../../src/ir/types.js';
import type { Direction, RunOutcome, RunTask } from '../../src/model/run-task.js';
import { negate } from '../../src/passes/negate.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
import { strategies } from '../../src/planner/registry.js';
import { openProgram } from '../../src/runs/open-program.js';

const backend = new JavaScriptBackend();

type Bounds = readonly (readonly [number, number])[];

function compile(code: string, bounds: Bounds): IrFunction {
  const { source } = analyzeUpload(code, 'objective');
  const box = { lower: Float64Array.from(bounds, ([l]) => l), upper: Float64Array.from(bounds, ([, u]) => u) };
  const { ir, reasons } = compileObjective(source!, { dimension: bounds.length, pythonMinor: 12, bounds: box });
  expect(reasons, code).toEqual([]);
  return optimizeIr(ir!);
}

interface Run {
  readonly outcome: RunOutcome;
  readonly snapshots: readonly RunSnapshot[];
}

async function optimize(ir: IrFunction, task: Partial<RunTask> & Pick<RunTask, 'bounds'>, from?: RunSnapshot) {
  const full: RunTask = {
    maxEvaluations: 150,
    seed: 1,
    direction: 'minimize',
    mode: 'balanced',
    strategy: 'branch-and-bound',
    ...task,
  };
  const source = { code: '', entry: null, argument: 'list' } as const;
  const open = (program: IrFunction) => backend.open({ source, dimension: program.dimension, ir: program });
  const primary = await open(ir);
  const snapshots: RunSnapshot[] = [];
  const ports = {
    strategies,
    primary,
    fallback: null,
    program: openProgram(ir, full.direction, open),
    now: () => 0,
    isCancelled: () => false,
    backendReason: 'test',
    checkpoint: (snapshot: RunSnapshot) => void snapshots.push(JSON.parse(JSON.stringify(snapshot)) as RunSnapshot),
    checkpointIntervalMs: 0,
  };
  try {
    return { outcome: await runOptimization(full, ports, from), snapshots } satisfies Run;
  } finally {
    await primary.close();
  }
}

describe('a certificate', () => {
  it('is never contradicted by the planted minimum', async () => {
    let proven = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const { code, bounds, minimizer } = plantedObjective(seed);
      const direction: Direction = seed % 3 === 0 ? 'maximize' : 'minimize';
      const sign = direction === 'maximize' ? -1 : 1;
      const compiled = compile(code, bounds);
      const ir = sign < 0 ? optimizeIr(negate(compiled)) : compiled;
      const least = interpret(compiled, minimizer).value;
      const { outcome } = await optimize(ir, { bounds, seed, direction });
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

def objective(x):
    total = 0.0
    for i in range(2):
        z = x[i] - 0.7 * (i + 1)
        total += z * z + 10 - 10 * math.cos(2 * math.pi * z)
    return total - 3
`;
  const box: Bounds = [
    [-5, 5],
    [-4, 6],
  ];

  it('ends the run that has it, with the record of what was read', async () => {
    const { outcome } = await optimize(compile(RASTRIGIN, box), { bounds: box, maxEvaluations: 1000 });
    expect(outcome.terminationReason).toBe('optimal');
    expect(outcome.bestFitness).toBeCloseTo(-3, 8);
    expect(outcome.optimality).toMatchObject({ status: 'optimal', gap: expect.any(Number) as number });
    expect(outcome.optimality!.gap).toBeLessThanOrEqual(1e-8);
    expect(outcome.backend.readings!['bounds']).toBeGreaterThan(10);
  });

  it('is a bound before there is a proof', async () => {
    const { outcome } = await optimize(compile(RASTRIGIN, box), { bounds: box, maxEvaluations: 40 });
    expect(outcome.terminationReason).toBe('budget');
    const { status, bound, gap } = outcome.optimality!;
    expect(status).toBe('feasible');
    expect(bound).toBeLessThanOrEqual(-3);
    expect(gap).toBeCloseTo(outcome.bestFitness! - bound!, 12);
  });

  it('has the same bits when the run is resumed anywhere', async () => {
    const ir = compile(RASTRIGIN, box);
    const task = { bounds: box, maxEvaluations: 400 };
    const { outcome, snapshots } = await optimize(ir, task);
    for (let k = 0; k < snapshots.length; k += 17) {
      const again = await optimize(ir, task, snapshots[k]);
      expect(again.outcome.optimality).toEqual(outcome.optimality);
      expect(again.outcome.bestSolution).toEqual(outcome.bestSolution);
      expect(again.outcome.evaluations).toBe(outcome.evaluations);
    }
  });

  it('needs a program that may be read', async () => {
    const ir = compile(RASTRIGIN, box);
    const primary = await backend.open({ source: { code: '', entry: null, argument: 'list' }, dimension: 2, ir });
    const task: RunTask = {
      bounds: box,
      maxEvaluations: 300,
      seed: 1,
      direction: 'minimize',
      mode: 'balanced',
      strategy: 'branch-and-bound',
    };
    const outcome = await runOptimization(task, {
      strategies,
      primary,
      fallback: null,
      now: () => 0,
      isCancelled: () => false,
      backendReason: 'test',
    });
    await primary.close();
    expect(outcome.optimality).toBeUndefined();
    expect(outcome.terminationReason).toBe('budget');
  });
});
