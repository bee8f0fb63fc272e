/**
 * Carries out a whole run of the engine in a process of its own: `node run-on-device.mjs JOB`, JOB as JSON {code,
 * dimension, task, sideBySide, gpu, precision, processor, slowMs, isMeasured}. Prints one line of JSON: what the run
 * came to, a digest of all that must not depend on where candidates were valued (outcome and every checkpoint), and
 * where they were.
 *
 * `processor`: name of the backend for the processor. `slowMs`: the device takes so much longer for each batch.
 * `isMeasured`: the device is measured before the run begins.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BACKENDS } from '../../../dist/backends/registry.js';
import { encode } from '../../../dist/common/codec.js';
import { runOptimization } from '../../../dist/engine/run-optimization.js';
import { listDevices } from '../../../dist/evaluation/devices.js';
import { place } from '../../../dist/evaluation/placement.js';
import { analyzeUpload, compileObjective } from '../../../dist/frontend/compile.js';
import { optimizeIr } from '../../../dist/passes/pipeline.js';
import { strategies } from '../../../dist/planner/all-strategies.js';

const {
  code,
  dimension,
  sideBySide,
  gpu,
  precision,
  processor,
  slowMs = 0,
  isMeasured = false,
  ...given
} = JSON.parse(process.argv[2]);
const task = { direction: 'minimize', mode: 'balanced', seed: 7, ...given.task };

const { source } = analyzeUpload(code, '');
const ir = optimizeIr(compileObjective(source, { dimension, pythonMinor: 12 }).ir);

/** Resolves when the device's kernel of this run is open, or cannot be; null: nobody has asked for it. */
let opening = null;

const device = (registration) => ({
  ...registration,
  create(options) {
    const backend = registration.create(options);
    const open = backend.open.bind(backend);
    const opened = async (objective) => {
      const kernel = await open(objective);
      const evaluate = kernel.evaluate.bind(kernel);
      kernel.evaluate = async (...call) => {
        if (slowMs > 0) await sleep(slowMs);
        await evaluate(...call);
      };
      return kernel;
    };
    backend.open = (objective) => {
      const kernel = opened(objective);
      opening = kernel.catch(() => {});
      return kernel;
    };
    return backend;
  },
});

/** Waits for the device, so that no clock decides whether there is work left for it. */
const patient = (registration) => ({
  ...registration,
  create(options) {
    const backend = registration.create(options);
    const open = backend.open.bind(backend);
    backend.open = async (objective) => {
      const kernel = await open(objective);
      const evaluate = kernel.evaluate.bind(kernel);
      kernel.evaluate = async (...call) => {
        // The device is looked for first.
        if (isMeasured) await sleep(1);
        await opening;
        await evaluate(...call);
      };
      return kernel;
    };
    return backend;
  },
});

if (isMeasured) await listDevices(true);
const backends = BACKENDS.filter(({ name, isDevice }) => isDevice || name === processor).map((one) =>
  one.isDevice ? device(one) : patient(one),
);
const stop = new Int32Array(new SharedArrayBuffer(4));
const placement = await place(
  { source, dimension, ir },
  {
    threads: 1,
    stop,
    plannedEvaluations: task.maxEvaluations,
    gpu,
    precision,
    direction: task.direction,
  },
  backends,
);

const digest = createHash('sha256');
const untimed = (history) => history.map(({ evaluations, bestFitness }) => [evaluations, bestFitness]);
function note({ elapsedSeconds: _, evaluator, history, ...state }) {
  const { use, ...rest } = evaluator;
  digest.update(encode({ ...state, history: untimed(history), evaluator: { ...rest, flagged: use.flagged } }));
}

const outcome = await runOptimization(task, {
  strategies,
  sideBySide,
  primary: placement.kernel,
  fallback: null,
  backendReason: placement.reason,
  now: () => performance.now(),
  isCancelled: () => false,
  onProgress: () => {},
  progressIntervalMs: 0,
  checkpoint: note,
  checkpointIntervalMs: 0,
});
const { backend, history, bestSolution, bestFitness, evaluations, failedEvaluations, failures } = outcome;
digest.update(
  encode({ bestSolution, bestFitness, evaluations, failedEvaluations, failures, history: untimed(history) }),
);

/** The objective in double precision, by itself. */
async function valueOf(x) {
  const output = { values: new Float64Array(1), status: new Uint8Array(1), failures: [] };
  const alone = await place({ source, dimension, ir }, { threads: 1, stop }, backends);
  await alone.kernel.evaluate({ candidates: Float64Array.from(x), count: 1, dimension }, output);
  await alone.close();
  return output.values[0];
}

const result = {
  digest: digest.digest('hex'),
  bestFitness,
  valueOfBest: await valueOf(bestSolution),
  evaluations,
  failedEvaluations,
  history: history.map((point) => point.bestFitness),
  name: backend.name,
  device: backend.device,
  reason: backend.reason,
  tiers: backend.use.tiers,
  gpu: placement.kernel.gpu ?? null,
};
await placement.close();
console.log(JSON.stringify(result));
