/**
 * Whether a device gives the processor's values: a few programs over batches of several sizes, in every bit of every
 * value, with the status and line of every candidate that a check stops. The device gets them in tiles, the processor
 * in rows. Of single precision, values are compared within the bounds that the device states of each.
 */
import {
  createOutputWithLines,
  isWithin,
  RELATIVE_ERROR,
  UNDECIDED,
  type Backend,
  type Device,
  type EvaluationOutput,
  type Kernel,
  type Objective,
} from '../backends/backend.js';
import { BACKENDS } from '../backends/registry.js';
import { ExtremumError } from '../common/errors.js';
import { Rng } from '../common/rng.js';
import { compileObjective } from '../frontend/compile.js';
import type { ObjectiveSource } from '../model/objective.js';
import { toTiles } from '../model/tiles.js';
import { optimizeIr } from '../passes/pipeline.js';
import { openOn } from './devices.js';
import { place } from './placement.js';

/** Arithmetic, mathematics, branches, a rolled loop, and checks that stop some candidates. */
const PROGRAMS: readonly (readonly [name: string, code: string])[] = [
  [
    'rosenbrock',
    `def rosenbrock(x):
    return sum(100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in range(len(x) - 1))
`,
  ],
  [
    'rastrigin',
    `import math

def rastrigin(x):
    return 10.0 * len(x) + sum(v * v - 10.0 * math.cos(2.0 * math.pi * v) for v in x)
`,
  ],
  [
    'ackley',
    `import math

def ackley(x):
    n = len(x)
    squares = sum(v * v for v in x) / n
    waves = sum(math.cos(2.0 * math.pi * v) for v in x) / n
    return -20.0 * math.exp(-0.2 * math.sqrt(squares)) - math.exp(waves) + 20.0 + math.e
`,
  ],
  [
    'series',
    `def series(x):
    a = x[0]
    for i in range(500):
        a = a * 0.99 + x[1] / (i + 1.0)
        if a > 5.0:
            a = a - x[2]
    return a
`,
  ],
  [
    'checks',
    `import math

def checks(x):
    if x[0] > 4.0:
        return 1.0 / (x[1] - x[1])
    return math.log(x[1] + 4.0) + math.sqrt(x[2] + 4.5) + math.pow(abs(x[3]), 1.5)
`,
  ],
];
const DIMENSION = 8;
const COUNTS = [1, 63, 64, 65, 5_000];
const SPECIAL = [0, -0, NaN, Infinity, -Infinity, 1e308, 5e-324];
const SPECIAL_SHARE = 0.01;

/** Candidates whose bounds are asked for at once. */
const BOUNDED = 1_000;

export interface DeviceCheck {
  readonly precision: 'f64' | 'f32';
  /** Batches that were compared. */
  readonly compared: number;
  /** The first differences, or why the device could not be compared; empty: there are none. */
  readonly problems: readonly string[];
}

const SHOWN = 5;

/** In each precision that the device has. `name`: its backend's. */
export async function checkDevice(name: string, { index }: Device): Promise<readonly DeviceCheck[]> {
  const registration = BACKENDS.find((each) => each.name === name);
  if (registration === undefined) throw new Error(`there is no backend ${name}`);
  const precisions = registration.isSingle === true ? (['f32'] as const) : (['f64', 'f32'] as const);
  const checks: DeviceCheck[] = [];
  for (const precision of precisions) {
    const backend = registration.create({ device: index, precision });
    try {
      checks.push({ precision, ...(await compareOn(backend)) });
    } finally {
      await backend.close();
    }
  }
  return checks;
}

async function compareOn(backend: Backend): Promise<Omit<DeviceCheck, 'precision'>> {
  const problems: string[] = [];
  let compared = 0;
  try {
    for (const [name, code] of PROGRAMS) {
      const objective = objectiveOf(name, code);
      const placed = await place(objective, { threads: 1, stop: new Int32Array(new SharedArrayBuffer(4)) });
      const kernel = await openOn(backend, objective);
      try {
        for (const count of COUNTS) {
          if (kernel === null) continue;
          const different = await differenceFor(kernel, placed.kernel, candidatesOf(count), count);
          compared++;
          if (different !== null) problems.push(`${name}, ${count} candidates: ${different}`);
        }
      } finally {
        await kernel?.close();
        await placed.close();
      }
    }
  } catch (error) {
    if (!(error instanceof ExtremumError)) throw error;
    problems.push(error.message);
  }
  return { compared, problems: problems.slice(0, SHOWN) };
}

async function differenceFor(
  kernel: Kernel,
  processor: Kernel,
  candidates: Float64Array,
  count: number,
): Promise<string | null> {
  const [found, wanted] = [createOutputWithLines(count), createOutputWithLines(count)];
  const tiles = { candidates: toTiles(candidates, count, DIMENSION), count, dimension: DIMENSION };
  await processor.evaluate({ candidates, count, dimension: DIMENSION }, wanted);
  await kernel.evaluate({ ...tiles, layout: 'tiles' }, found);
  if (kernel.approximate === undefined) return differenceOf(found, wanted);
  return distanceOf(found, wanted) ?? beyondBounds(kernel, candidates, wanted);
}

/** Also of candidates that do not count. */
async function beyondBounds(
  kernel: Kernel,
  rows: Float64Array,
  { values: wanted, status }: EvaluationOutput,
): Promise<string | null> {
  for (let first = 0; first < wanted.length; first += BOUNDED) {
    const count = Math.min(BOUNDED, wanted.length - first);
    const candidates = rows.subarray(first * DIMENSION, (first + count) * DIMENSION);
    const { values, errors } = await kernel.approximate!({ candidates, count, dimension: DIMENSION });
    for (let k = 0; k < count; k++) {
      const own = `${values[k]} within ${errors[k]}`;
      const exact = wanted[first + k];
      if (status[first + k] === 0 && !isWithin(values[k], errors[k], exact)) {
        return `value ${first + k} is ${own}, on the processor ${exact}`;
      }
    }
  }
  return null;
}

function objectiveOf(name: string, code: string): Objective {
  const source: ObjectiveSource = { code, entry: name, argument: 'list' };
  const { ir } = compileObjective(source, { dimension: DIMENSION, pythonMinor: 12 });
  if (ir === null) throw new Error(`${name} does not compile`);
  return { source, dimension: DIMENSION, ir: optimizeIr(ir) };
}

/** Ordinary numbers, and now and then one that makes trouble. */
function candidatesOf(count: number): Float64Array {
  const rng = Rng.create(count);
  return Float64Array.from({ length: count * DIMENSION }, () =>
    rng.uniform() < SPECIAL_SHARE ? SPECIAL[Math.floor(rng.uniform() * SPECIAL.length)] : 10 * rng.uniform() - 5,
  );
}

function differenceOf(found: EvaluationOutput, wanted: EvaluationOutput): string | null {
  const [mine, theirs] = [found, wanted].map(
    ({ values }) => new BigUint64Array(values.buffer, values.byteOffset, values.length),
  );
  for (let k = 0; k < mine.length; k++) {
    if (found.status[k] !== wanted.status[k] || found.lines![k] !== wanted.lines![k]) {
      return `candidate ${k} has status ${found.status[k]}, on the processor ${wanted.status[k]}`;
    }
    if (mine[k] !== theirs[k]) {
      return `value ${k} is ${found.values[k]}, on the processor ${wanted.values[k]}`;
    }
  }
  return null;
}

function distanceOf(found: EvaluationOutput, wanted: EvaluationOutput): string | null {
  let decided = 0;
  for (const [k, value] of found.values.entries()) {
    if (found.status[k] === UNDECIDED) continue;
    decided++;
    if (wanted.status[k] !== 0) return `candidate ${k} has a value, on the processor status ${wanted.status[k]}`;
    const isNear = Math.abs(value - wanted.values[k]) <= RELATIVE_ERROR * Math.abs(value);
    if (!isNear) return `value ${k} is ${value}, on the processor ${wanted.values[k]}`;
  }
  return decided * 2 < found.values.length ? `${decided} of ${found.values.length} candidates have a value` : null;
}
