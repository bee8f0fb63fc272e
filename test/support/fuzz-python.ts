/**
 * One round of differential fuzzing: random programs, CPython against the interpreter of the IR, and the interpreter
 * against every backend for compiled objectives, in every bit; so too what is derived of the programs and delivers more
 * than a value, their gradients and bounds.
 */
import { Rng } from '../../src/common/rng.js';
import type { EvaluationOutput } from '../../src/backends/backend.js';
import type { Roll } from '../../src/frontend/machine/machine.js';
import { analyzeUpload, compileObjective, type CompileResult } from '../../src/frontend/compile.js';
import { interpret } from '../../src/ir/interpreter.js';
import type { IrFunction } from '../../src/ir/types.js';
import { verifyIr } from '../../src/ir/verifier.js';
import { differentiate, GradientTooLarge } from '../../src/passes/gradient/differentiate.js';
import { IntervalsTooLarge, intervalProgram } from '../../src/passes/interval/interval-program.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
import { askOracle, type OracleJob } from './cpython-oracle.js';
import { REFUSED, compareBackend, compiledBackends, interpretAll } from './compiled-backends.js';
import { randomProgram, type ProgramStyle } from './random-python.js';

export interface FuzzFindings {
  readonly programs: number;
  readonly compiled: number;
  readonly compared: number;
  readonly flagged: number;
  /** Programs with outputs, derived of the others. */
  readonly derived: number;
  /** Backends that ran, by name; and programs that one of them refused as too large, once per backend. */
  readonly backends: readonly string[];
  readonly refused: number;
  /** Each with its seed, which loops stay rolled, the program and what differs. */
  readonly wrong: readonly string[];
}

const SPECIAL = [0, -0, 1, -1, 2, 0.5, -3, 1e-8, 1e17, Infinity, -Infinity, NaN, 4, 2.5];

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
  let derived = 0;
  let compiled = 0;
  let compared = 0;
  let flagged = 0;
  for (const [c, { seed, code, job }] of cases.entries()) {
    const compile = (roll: Roll): CompileResult =>
      compileObjective(job.source, { dimension: job.points[0].length, pythonMinor, roll });
    const plain = compile('auto');
    if (plain.ir === null) continue;
    compiled++;
    const rolled = compile('always');
    if (rolled.ir === null) {
      // Where every loop must stay rolled, a program may grow beyond the limits.
      if (rolled.reasons[0].kind === 'limit') continue;
      wrong.push(`seed ${seed}, rolled: not compiled: ${rolled.reasons[0].message}\n${code}`);
      continue;
    }
    for (const [ir, form] of [
      [plain.ir, ''],
      [rolled.ir, ', rolled'],
    ] as const) {
      const optimized = optimizeIr(ir);
      const broken = verifyIr(optimized);
      if (broken.length > 0) wrong.push(`seed ${seed}${form}: ${broken[0]}\n${code}`);
      const expected = interpretAll(optimized, job.points);
      const compare = async (fn: IrFunction, what: string, on: OracleJob, wanted: EvaluationOutput): Promise<void> => {
        for (const { name, backend } of contenders) {
          const difference = await compareBackend(backend, fn, on, wanted);
          if (difference === REFUSED) refused++;
          else if (difference !== null) wrong.push(`seed ${seed}${form}${what}, ${name} ${difference}\n${code}`);
        }
      };
      if (seed < firstSeed + onBackends) {
        await compare(optimized, '', job, expected);
        // Of each program one thing, of one of its forms.
        const isChosen = (seed % 2 === 0) === (form === '');
        const other = isChosen ? derivedFrom(optimized, job.points, seed % 4 < 2) : null;
        if (other !== null) {
          derived++;
          await compare(other.ir, other.what, { ...job, points: other.points }, interpretAll(other.ir, other.points));
        }
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
        wrong.push(`seed ${seed}${form} at [${point.join(', ')}]: ${mine}, CPython ${answer}\n${code}`);
      });
    }
  }
  const backends = contenders.map(({ name }) => name);
  return { programs: count, compiled, compared, flagged, derived, backends, refused, wrong };
}

interface Derived {
  readonly what: string;
  readonly ir: IrFunction;
  readonly points: readonly (readonly number[])[];
}

/** Bounds of longer programs take more time than the programs of a round. */
const LONGEST_DERIVED = 2_000;

/** The gradient at the points, or the bounds in boxes at them; null where that would be too large. */
function derivedFrom(fn: IrFunction, points: readonly (readonly number[])[], isGradient: boolean): Derived | null {
  if (fn.types.length > LONGEST_DERIVED) return null;
  try {
    if (isGradient) return { what: ', gradient', ir: optimizeIr(differentiate(fn)), points };
    const finite = points.map((point) => point.map((x) => (Number.isFinite(x) ? x : 0)));
    const boxes = finite.map((point, k) => [...point, ...point.map((x) => x + (k % 3) * 0.125)]);
    return { what: ', bounds', ir: optimizeIr(intervalProgram(fn)), points: boxes };
  } catch (error) {
    if (error instanceof GradientTooLarge || error instanceof IntervalsTooLarge) return null;
    throw error;
  }
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
