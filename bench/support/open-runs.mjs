/** Runs of the engine on Python text whose program it can read, in this thread. */
import { BACKENDS } from '../../dist/backends/registry.js';
import { runOptimization } from '../../dist/engine/run-optimization.js';
import { compileObjective } from '../../dist/frontend/compile.js';
import { optimizeIr } from '../../dist/passes/pipeline.js';
import { strategies } from '../../dist/planner/all-strategies.js';
import { openProgram } from '../../dist/evaluation/derived-programs.js';
import { readingAllowance } from '../../dist/evaluation/reading-allowance.js';

const boxOf = (bounds) => ({
  lower: Float64Array.from(bounds, ([low]) => low),
  upper: Float64Array.from(bounds, ([, high]) => high),
});

/** Makes kernels on the fastest backend that works here; close it in the end. */
export async function openBackend() {
  for (const { name, input, create } of BACKENDS) {
    if (input !== 'ir') continue;
    const backend = create({ threads: 1 });
    const availability = await backend.probe();
    if (availability.available) return backend;
    console.log(`${name} is not available: ${availability.reason}`);
  }
  throw new Error('no backend works here');
}

/**
 * @param code an objective `f`
 * @param task see `RunTask`; `mode`, `direction` and `seed` have defaults
 * @param fallback evaluates candidates that compiled code flags; null: they fail
 * @param wrap what stands between the run and the compiled objective
 */
export async function openRun(backend, { code, task, blackBox = false, fallback = null, wrap = (kernel) => kernel }) {
  const { bounds } = task;
  const argument = /import numpy/.test(code) ? 'ndarray' : 'list';
  const box = boxOf(bounds);
  const compiled = compileObjective(
    { code, entry: 'f', argument },
    { dimension: bounds.length, pythonMinor: 11, bounds: box },
  );
  if (compiled.ir === null) throw new Error(`not compiled: ${compiled.reasons[0].message}`);
  const ir = optimizeIr(compiled.ir);
  const open = (program) =>
    backend.open({ source: { code, entry: 'f', argument }, dimension: program.dimension, ir: program });
  const primary = await open(ir);
  try {
    return await runOptimization(
      { seed: 1, mode: 'balanced', direction: 'minimize', ...task },
      {
        strategies,
        primary: wrap(primary),
        fallback,
        program: blackBox ? null : openProgram(ir, task.direction ?? 'minimize', box, open, readingAllowance(ir, task)),
        now: () => performance.now(),
        isCancelled: () => false,
        backendReason: 'a benchmark',
      },
    );
  } finally {
    await primary.close();
  }
}
