/**
 * A run in a process of its own, for tests that kill it: `node durable-run.mjs OPTIONS`, OPTIONS as JSON
 * {strategy, functionId, budget, seed, checkpoint, pauseMs}. Writes every checkpoint to the file `checkpoint`, goes on
 * from the one that is there, and prints the outcome as JSON. `pauseMs` after every checkpoint gives the killer time.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { ObjectiveKernel } from '../../dist/benchmarks/objective-kernel.js';
import { SUITES } from '../../dist/benchmarks/suites.js';
import { runOptimization } from '../../dist/engine/run-optimization.js';
import { strategies } from '../../dist/planner/all-strategies.js';

const { strategy, functionId, budget, seed, checkpoint, pauseMs = 0 } = JSON.parse(process.argv[2]);
const problem = SUITES.bbob.create(functionId, 4, 1);
const { lower, upper } = problem.bounds;
const outcome = await runOptimization(
  {
    bounds: Array.from(lower, (low, i) => [low, upper[i]]),
    maxEvaluations: budget,
    seed,
    direction: 'minimize',
    mode: 'balanced',
    strategy,
  },
  {
    strategies,
    primary: new ObjectiveKernel(problem, { level: 0, seed: 1 }),
    fallback: null,
    now: () => 0,
    isCancelled: () => false,
    backendReason: 'test',
    checkpointIntervalMs: 0,
    checkpoint(snapshot) {
      writeFileSync(`${checkpoint}.new`, JSON.stringify(snapshot));
      renameSync(`${checkpoint}.new`, checkpoint);
      if (pauseMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    },
  },
  existsSync(checkpoint) ? JSON.parse(readFileSync(checkpoint, 'utf8')) : undefined,
);
process.stdout.write(JSON.stringify({ ...outcome, backend: null }));
