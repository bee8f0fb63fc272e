/**
 * Carries out a whole run of the engine in a process of its own: `node run-on-device.mjs JOB`, JOB as JSON {code,
 * dimension, task, sideBySide, gpu, precision, processor, slowMs, isMeasured, isCounted, checkpointIntervalMs,
 * hasFallback, cancelAt, isRead, settings}. Prints one line of JSON: what the run came to, a digest of all that must
 * not depend on where candidates were valued (outcome and every checkpoint), and where they were. Of a list of jobs the
 * runs come one after the other, and the line is a list.
 *
 * `processor`: name of the backend for the processor. `slowMs`: the device takes so much longer for each batch.
 * `isMeasured`: the device is measured before the run begins. `isCounted`: for the placement a batch takes the
 * processor a second and the device a millisecond, whatever they take, and it hears at once of what the device has
 * done.
 * `hasFallback`: candidates that are stopped are valued by somebody else, and some values are looked at. `cancelAt`:
 * after so many evaluations the run is cancelled, and goes on from its last checkpoint. `isRead`: the strategy may read
 * the program. `settings`: of the stand-ins.
 */
import { createHash } from 'node:crypto';
import { BACKENDS } from '../../../dist/backends/registry.js';
import { encode } from '../../../dist/common/codec.js';
import { candidateOf } from '../../../dist/model/candidate-batch.js';
import { runOptimization } from '../../../dist/engine/run-optimization.js';
import { openProgram } from '../../../dist/evaluation/derived-programs.js';
import { listDevices } from '../../../dist/evaluation/devices.js';
import { place } from '../../../dist/evaluation/placement.js';
import { analyzeUpload, compileObjective } from '../../../dist/frontend/compile.js';
import { optimizeIr } from '../../../dist/passes/pipeline.js';
import { strategies } from '../../../dist/planner/all-strategies.js';
import { CountedPlaces } from './counted-places.mjs';

const USUAL = Object.fromEntries(['STAND_IN_FAULTS', 'STAND_IN_FREE'].map((name) => [name, process.env[name] ?? '']));

async function carryOut(job) {
  const {
    code,
    dimension,
    sideBySide,
    gpu,
    precision,
    processor,
    slowMs = 0,
    isMeasured = false,
    checkpointIntervalMs = 0,
    isCounted = false,
    hasFallback = false,
    cancelAt = Infinity,
    isRead = false,
    settings = {},
    ...given
  } = job;
  Object.assign(process.env, USUAL, settings);
  const task = { direction: 'minimize', mode: 'balanced', seed: 7, ...given.task };

  const { source } = analyzeUpload(code, '');
  const ir = optimizeIr(compileObjective(source, { dimension, pythonMinor: 12 }).ir);

  const places = new CountedPlaces({ slowMs, isMeasured, isCounted });

  if (isMeasured) await listDevices(true);
  const backends = BACKENDS.filter(({ name, isDevice }) => isDevice || name === processor).map((one) =>
    one.isDevice ? places.device(one) : places.patient(one),
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
    isCounted ? places.clock : undefined,
  );

  const digest = createHash('sha256');
  const untimed = (history) => history.map(({ evaluations, bestFitness }) => [evaluations, bestFitness]);
  function note({ elapsedSeconds: _, evaluator, history, ...state }) {
    const { use, ...rest } = evaluator;
    digest.update(encode({ ...state, history: untimed(history), evaluator: { ...rest, flagged: use.flagged } }));
  }

  /** Values stopped candidates with x[1] < 0, and badly; the others fail with it, too. */
  const fallback = {
    backend: 'other',
    device: 'other',
    async evaluate(batch, { values, status, failures }) {
      failures.length = 0;
      for (let row = 0; row < batch.count; row++) {
        const [first, second] = candidateOf(batch, row);
        status[row] = second < 0 ? 0 : 255;
        values[row] = second < 0 ? 125 * dimension + first : NaN;
        if (status[row] !== 0) failures.push({ index: row, type: 'ValueError', message: 'math domain error', line: 4 });
      }
    },
    close: async () => {},
  };

  const looks = (number) => number % 7 === 0;
  const see = (number, batch, row, value, isCompiled) => {
    if (looks(number))
      digest.update(encode({ number, isCompiled, seen: isCompiled && [...candidateOf(batch, row), value] }));
  };
  const checks = {
    restore: () => {},
    looksAt: (first, count) => Array.from({ length: count }, (_, row) => row).filter((row) => looks(first + row)),
    async note(batch, first, values, isCompiled) {
      for (let row = 0; row < batch.count; row++) see(first + row, batch, row, values[row], isCompiled(row));
    },
    async noteSome(batch, numbers, values, isCompiled) {
      numbers.forEach((number, row) => see(number, batch, row, values[row], isCompiled(row)));
    },
    settle: async () => {},
    state: () => ({}),
    confirmed: 0,
    misreading: null,
    isDoubtful: false,
    finish: async () => ({ by: null, points: 0 }),
  };

  const boundsOf = (side) => Float64Array.from(task.bounds, (pair) => pair[side]);
  const bounds = { lower: boundsOf(0), upper: boundsOf(1) };

  let done = 0;
  let last;
  const ports = {
    strategies,
    sideBySide,
    primary: placement.kernel,
    fallback: hasFallback ? fallback : null,
    checks: hasFallback ? checks : undefined,
    program: isRead ? openProgram(ir, task.direction, bounds, placement.openOther) : null,
    backendReason: placement.reason,
    now: () => performance.now(),
    isCancelled: () => done >= cancelAt,
    onProgress: (progress) => (done = progress.evaluations),
    progressIntervalMs: 0,
    checkpoint(snapshot) {
      last = snapshot;
      note(snapshot);
    },
    checkpointIntervalMs,
  };
  let outcome = await runOptimization(task, ports);
  if (outcome.terminationReason === 'cancelled') {
    outcome = await runOptimization(task, { ...ports, isCancelled: () => false }, JSON.parse(JSON.stringify(last)));
  }
  const { backend, history, bestSolution, bestFitness, evaluations, failedEvaluations, failures } = outcome;
  const end = encode({
    bestSolution,
    bestFitness,
    evaluations,
    failedEvaluations,
    failures,
    history: untimed(history),
  });
  digest.update(end);

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
    digestOfEnd: createHash('sha256').update(end).digest('hex'),
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
  return result;
}

const wanted = JSON.parse(process.argv[2]);
if (Array.isArray(wanted)) {
  const outcomes = [];
  for (const job of wanted) outcomes.push(await carryOut(job));
  console.log(JSON.stringify(outcomes));
} else console.log(JSON.stringify(await carryOut(wanted)));
