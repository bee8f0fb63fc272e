/**
 * One round of differential fuzzing: random programs, CPython against the interpreter of the IR, and the interpreter
 * against every backend for compiled objectives, in every bit.
 */
import type { Backend, EvaluationOutput } from '../../src/backends/backend.js';
import { createOutput } from '../../src/backends/backend.js';
import { JavaScriptBackend } from '../../src/backends/javascript/javascript-backend.js';
import { loadAddon } from '../../src/backends/native/addon.js';
import { NativeBackend } from '../../src/backends/native/native-backend.js';
import { WasmBackend } from '../../src/backends/wasm/wasm-backend.js';
import { ExtremumError } from '../../src/common/errors.js';
import { Rng } from '../../src/common/rng.js';
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import { interpret } from '../../src/ir/interpreter.js';
import type { IrFunction } from '../../src/ir/types.js';
import { verifyIr } from '../../src/ir/verifier.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
import { askOracle, type OracleJob } from './cpython-oracle.js';
import { randomProgram, type ProgramStyle } from './random-python.js';

export interface FuzzFindings {
  readonly programs: number;
  readonly compiled: number;
  readonly compared: number;
  readonly flagged: number;
  /** Backends that ran, by name; and programs that one of them refused as too large, once per backend. */
  readonly backends: readonly string[];
  readonly refused: number;
  /** Each with its seed, the program and what differs. */
  readonly wrong: readonly string[];
}

const SPECIAL = [0, -0, 1, -1, 2, 0.5, -3, 1e-8, 1e17, Infinity, -Infinity, NaN, 4, 2.5];

interface Contender {
  readonly name: string;
  readonly backend: Backend;
}

/** Every backend for compiled objectives that works here; the native one once per instruction set. */
export async function compiledBackends(): Promise<readonly Contender[]> {
  const targets = loadAddon().addon?.targets() ?? [];
  const all: Contender[] = [
    ...targets.map((target) => ({
      name: `native ${target}`,
      backend: new NativeBackend({ target, tier: 'vm', threads: 1, offload: false }),
    })),
    ...targets
      .filter((target) => target !== 'scalar')
      .map((target) => ({
        name: `native code ${target}`,
        backend: new NativeBackend({ target, tier: 'native-code', threads: 1, offload: false }),
      })),
    { name: 'wasm', backend: new WasmBackend() },
    // Cut into many functions, which random programs are too short for.
    { name: 'wasm in pieces', backend: new WasmBackend({ functionSize: 5 }) },
    { name: 'javascript', backend: new JavaScriptBackend() },
  ];
  const available = await Promise.all(all.map(({ backend }) => backend.probe()));
  return all.filter((_, k) => available[k].available);
}

/** `onBackends`: how many of the programs run on the backends too, where opening kernels takes most of the time. */
export async function fuzzRound(
  python: string,
  style: ProgramStyle,
  firstSeed: number,
  count: number,
  onBackends = count,
): Promise<FuzzFindings> {
  const contenders = await compiledBackends();
  let refused = 0;
  const wrong: string[] = [];
  const cases: { readonly seed: number; readonly code: string; readonly job: OracleJob }[] = [];
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const { code, dimension } = randomProgram(seed, style);
    const rng = Rng.create(seed);
    const points = Array.from({ length: 12 }, (_, k) =>
      Array.from({ length: dimension }, () =>
        k < 8 || style === 'smooth' ? rng.uniform() * 8 - 4 : SPECIAL[rng.below(SPECIAL.length)],
      ),
    );
    const { source, errors } = analyzeUpload(code, 'f');
    if (source === null) wrong.push(`seed ${seed}: refused: ${errors[0].message}\n${code}`);
    else cases.push({ seed, code, job: { source, points } });
  }
  const { pythonMinor, results } = askOracle(
    python,
    cases.map((c) => c.job),
  );
  let compiled = 0;
  let compared = 0;
  let flagged = 0;
  for (const [c, { seed, code, job }] of cases.entries()) {
    const { ir } = compileObjective(job.source, { dimension: job.points[0].length, pythonMinor });
    if (ir === null) continue;
    compiled++;
    const optimized = optimizeIr(ir);
    const broken = verifyIr(optimized);
    if (broken.length > 0) wrong.push(`seed ${seed}: ${broken[0]}\n${code}`);
    const expected = interpretAll(optimized, job.points);
    for (const { name, backend } of seed < firstSeed + onBackends ? contenders : []) {
      const difference = await compareBackend(backend, optimized, job, expected);
      if (difference === 'refused') refused++;
      else if (difference !== null) wrong.push(`seed ${seed}, ${name} ${difference}\n${code}`);
    }
    let bad = false;
    job.points.forEach((point, k) => {
      const mine = expected.values[k];
      const theirs = results[c][k];
      compared++;
      if (expected.status[k] !== 0) {
        flagged++;
        return;
      }
      if (bad || (theirs.kind === 'value' && agrees(mine, theirs.value, style))) return;
      if (style === 'smooth' && theirs.kind === 'value' && !isWellConditioned(optimized, point)) return;
      bad = true;
      const answer = theirs.kind === 'value' ? String(theirs.value) : `${theirs.type}: ${theirs.message}`;
      wrong.push(`seed ${seed} at [${point.join(', ')}]: ${mine}, CPython ${answer}\n${code}`);
    });
  }
  return { programs: count, compiled, compared, flagged, backends: contenders.map(({ name }) => name), refused, wrong };
}

export function interpretAll(ir: IrFunction, points: OracleJob['points']): EvaluationOutput {
  const output = createOutput(points.length);
  points.forEach((point, k) => {
    const { value, status, line } = interpret(ir, point);
    output.values[k] = value;
    output.status[k] = status;
    output.lines![k] = line;
  });
  return output;
}

/** What differs first, or null, or that the backend does not take the program. */
export async function compareBackend(
  backend: Backend,
  ir: IrFunction,
  { source, points }: OracleJob,
  expected: EvaluationOutput,
): Promise<string | null> {
  const count = points.length;
  const output = createOutput(count);
  try {
    const kernel = await backend.open({ source, dimension: ir.dimension, ir });
    const candidates = Float64Array.from(points.flat());
    await kernel.evaluate({ candidates, count, dimension: ir.dimension }, output);
    // A faster tier that was wrong and dropped.
    if (kernel.device.includes('gave other bits')) return `is ${kernel.device}`;
    await kernel.close();
  } catch (error) {
    if (error instanceof ExtremumError && error.code === 'backend_unavailable') return 'refused';
    return `fails: ${String(error)}`;
  }
  const show = ({ values, status, lines }: EvaluationOutput, k: number) =>
    `${Object.is(values[k], -0) ? '-0' : values[k]} with status ${status[k]}, line ${lines![k]}`;
  for (let k = 0; k < count; k++) {
    const [mine, theirs] = [show(expected, k), show(output, k)];
    if (mine !== theirs) return `at [${points[k].join(', ')}]: ${theirs}, the interpreter ${mine}`;
  }
  return null;
}

/** Whether rounding errors stay small there: otherwise two good mathematics libraries may differ by anything. */
function isWellConditioned(ir: IrFunction, point: readonly number[]): boolean {
  const { value } = interpret(ir, point);
  const nearby = [1 + 2 ** -50, 1 - 2 ** -50].map(
    (factor) =>
      interpret(
        ir,
        point.map((x) => x * factor),
      ).value,
  );
  return nearby.every((other) => agrees(value, other, 'smooth'));
}

function agrees(mine: number, theirs: number, style: ProgramStyle): boolean {
  if (Object.is(mine, theirs)) return true;
  // An int has no negative zero, and a variable that is an int or a float depending on x is compiled as a float.
  if (mine === theirs) return true;
  if (style === 'exact') return false;
  if (!Number.isFinite(mine) || !Number.isFinite(theirs)) return mine === theirs;
  return Math.abs(mine - theirs) <= 1e-9 * Math.max(1, Math.abs(theirs));
}
