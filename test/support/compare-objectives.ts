/**
 * Whole objectives against CPython: each is compiled with and without its bounds, run by the interpreter and by the
 * native backend (both tiers), and compared at ordinary points, at the ends of the box, and where special values meet.
 */
import { Rng } from '../../src/common/rng.js';
import { NativeBackend } from '../../src/backends/native/native-backend.js';
import { loadAddon } from '../../src/backends/native/addon.js';
import { laneFailure } from '../../src/evaluation/lane-errors.js';
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import { interpret } from '../../src/ir/interpreter.js';
import { LaneStatus, type IrFunction } from '../../src/ir/types.js';
import { verifyIr } from '../../src/ir/verifier.js';
import type { ObjectiveSource } from '../../src/model/objective.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
import { askOracle, type OracleJob } from './cpython-oracle.js';
import { compareBackend, interpretAll } from './compiled-backends.js';
import { corners } from './objective-fixtures.js';

export interface Program {
  readonly name: string;
  readonly code: string;
  readonly dimension: number;
  readonly bounds: readonly (readonly [number, number])[];
  /** Relative difference from CPython that rounding may make; default 1e-11. */
  readonly tolerance?: number;
  /** It solves systems that are singular outside its bounds, where LAPACK's rounding decides: compared inside only. */
  readonly singular?: true;
}

export interface Comparison {
  /** Each with the program and what differs. */
  readonly wrong: readonly string[];
  /** Evaluations inside the bounds where CPython gives a value, and those of them that compiled code flagged. */
  readonly inside: number;
  readonly flagged: number;
}

const SPECIAL = [0, -0, 1, -1, 0.5, 1e300, -1e300, 1e-300, 5e-324, Infinity, -Infinity, NaN];
const SHOWN_PER_PROGRAM = 2;

/** Points of a program; the first `inside` of them lie within its bounds. */
function pointsOf(
  { bounds, dimension, singular }: Program,
  count: number,
  seed: number,
): { inside: number; rows: number[][] } {
  const rng = Rng.create(seed * 1000 + dimension);
  const random = Array.from({ length: count }, () => bounds.map(([lo, hi]) => lo + rng.uniform() * (hi - lo)));
  const special = Array.from({ length: count }, () => bounds.map(() => SPECIAL[rng.below(SPECIAL.length)]));
  const mixed = random.map((p) => p.map((v) => (rng.uniform() < 0.2 ? SPECIAL[rng.below(SPECIAL.length)] : v)));
  const within = [...random, ...corners(bounds)];
  if (singular === true) return { inside: within.length, rows: within };
  return { inside: within.length, rows: [...within, ...special, ...mixed] };
}

/** `count`: random points within the bounds per program; as many of each special sort. */
export async function compareWithCPython(
  python: string,
  programs: readonly Program[],
  count: number,
  seed = 0,
): Promise<Comparison> {
  const wrong: string[] = [];
  let inside = 0;
  let flagged = 0;
  const cases: { program: Program; source: ObjectiveSource; inside: number; job: OracleJob }[] = [];
  for (const program of programs) {
    const { source, errors } = analyzeUpload(program.code, 'objective');
    if (source === null) {
      wrong.push(`${program.name}: refused: ${errors[0].message}`);
      continue;
    }
    const points = pointsOf(program, count, seed);
    cases.push({ program, source, inside: points.inside, job: { source, points: points.rows } });
  }
  const { pythonMinor, results } = askOracle(
    python,
    cases.map(({ job }) => job),
  );
  const natives = nativeBackends();
  for (const [c, { program, source, inside: within, job }] of cases.entries()) {
    const { name, dimension, bounds, tolerance = 1e-11 } = program;
    const { ir, reasons } = compileObjective(source, { dimension, pythonMinor });
    const box = { lower: Float64Array.from(bounds, ([lo]) => lo), upper: Float64Array.from(bounds, ([, hi]) => hi) };
    const { ir: specialized } = compileObjective(source, { dimension, pythonMinor, bounds: box });
    if (ir === null || specialized === null) {
      wrong.push(`${name}: not compiled: ${reasons[0]?.message ?? 'with bounds'} (line ${reasons[0]?.line ?? 0})`);
      continue;
    }
    const broken = verifyIr(ir);
    if (broken.length > 0) wrong.push(`${name}: ${broken[0]}`);
    let shown = 0;
    const report = (point: readonly number[], what: string): void => {
      if (shown++ < SHOWN_PER_PROGRAM) wrong.push(`${name} at (${point.join(', ')}): ${what}`);
    };
    const expected = interpretAll(ir, job.points);
    job.points.forEach((point, k) => {
      const mine = { value: expected.values[k], status: expected.status[k] };
      const theirs = results[c][k];
      if (k < within) {
        if (theirs.kind === 'value') {
          inside++;
          if (mine.status !== 0) flagged++;
        }
        // Checks that cannot fire inside are left out there: the same bits all the same.
        const inBox = interpret(specialized, point);
        if (!Object.is(inBox.value, mine.value) || inBox.status !== mine.status) {
          report(point, `${inBox.value} with bounds, ${mine.value} without`);
        }
      }
      if (theirs.kind === 'error') {
        const difference = exceptionDifference(mine, theirs.type);
        if (difference !== null) report(point, `${difference}, CPython ${theirs.type}: ${theirs.message}`);
      } else if (
        mine.status === 0 &&
        !agrees(mine.value, theirs.value, tolerance) &&
        !isIllConditioned(ir, point, theirs.value)
      ) {
        report(point, `${mine.value}, CPython ${theirs.value}`);
      }
    });
    const optimized = optimizeIr(ir);
    for (const backend of natives) {
      const difference = await compareBackend(backend, optimized, job, expected);
      if (difference !== null && difference !== 'refused') wrong.push(`${name}, native code ${difference}`);
    }
  }
  return { wrong, inside, flagged };
}

function nativeBackends(): NativeBackend[] {
  const { addon } = loadAddon();
  if (addon === null) return [];
  const tiers = addon.defaultTarget() === 'scalar' ? (['vm'] as const) : (['vm', 'native-code'] as const);
  return tiers.map((tier) => new NativeBackend({ tier, threads: 1, offload: false }));
}

/** Statuses that only say that CPython is needed, or that it depends on the value which exception it is. */
const OPEN_STATUSES: readonly number[] = [
  LaneStatus.ComplexResult,
  LaneStatus.IntegerRange,
  LaneStatus.IntegerConversion,
  LaneStatus.Raised,
  LaneStatus.FuelExhausted,
  LaneStatus.ReductionRange,
  LaneStatus.Untranslated,
];

/** What is wrong with compiled code's answer where CPython raises `type`; null: nothing. */
function exceptionDifference(mine: { readonly value: number; readonly status: number }, type: string): string | null {
  if (mine.status === 0) return String(mine.value);
  if (OPEN_STATUSES.includes(mine.status)) return null;
  const said = laneFailure(mine.status).type;
  return said === type ? null : `flagged as ${said}`;
}

/** Rounding differs where the order of operations is NumPy's own or a library function is within its error bound. */
function agrees(mine: number, theirs: number, tolerance: number): boolean {
  if (Object.is(mine, theirs) || mine === theirs) return true;
  if (!Number.isFinite(mine) || !Number.isFinite(theirs)) return Number.isNaN(mine) && Number.isNaN(theirs);
  return Math.abs(mine - theirs) <= tolerance * Math.max(Math.abs(theirs), 1e-3);
}

/**
 * Whether changing x in its last digits, here up and there down, moves the value as far: no two libraries agree then.
 */
function isIllConditioned(ir: IrFunction, point: readonly number[], theirs: number): boolean {
  const { value } = interpret(ir, point);
  const moved = [1, 2, 3, 4].map((period) => {
    const nearby = point.map((v, k) => v * (1 + (Math.floor(k / period) % 2 === 0 ? 1 : -1) * 2 ** -50));
    return Math.abs(interpret(ir, nearby).value - value);
  });
  return moved.some((distance) => Math.abs(theirs - value) <= 16 * distance);
}
