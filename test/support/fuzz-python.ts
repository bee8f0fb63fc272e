/** One round of differential fuzzing: random programs, CPython against the interpreter of the IR. */
import { Rng } from '../../src/common/rng.js';
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import { interpret } from '../../src/ir/interpreter.js';
import { verifyIr } from '../../src/ir/verifier.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
import { askOracle, type OracleJob } from './cpython-oracle.js';
import { randomProgram, type ProgramStyle } from './random-python.js';

export interface FuzzFindings {
  readonly programs: number;
  readonly compiled: number;
  readonly compared: number;
  readonly flagged: number;
  /** Each with its seed, the program and what differs. */
  readonly wrong: readonly string[];
}

const SPECIAL = [0, -0, 1, -1, 2, 0.5, -3, 1e-8, 1e17, Infinity, -Infinity, NaN, 4, 2.5];

export function fuzzRound(python: string, style: ProgramStyle, firstSeed: number, count: number): FuzzFindings {
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
  cases.forEach(({ seed, code, job }, c) => {
    const { ir } = compileObjective(job.source, { dimension: job.points[0].length, pythonMinor });
    if (ir === null) return;
    compiled++;
    const optimized = optimizeIr(ir);
    const broken = verifyIr(optimized);
    if (broken.length > 0) wrong.push(`seed ${seed}: ${broken[0]}\n${code}`);
    let bad = false;
    job.points.forEach((point, k) => {
      const mine = interpret(optimized, point);
      const theirs = results[c][k];
      compared++;
      if (mine.status !== 0) {
        flagged++;
        return;
      }
      if (bad || (theirs.kind === 'value' && agrees(mine.value, theirs.value, style))) return;
      bad = true;
      const expected = theirs.kind === 'value' ? String(theirs.value) : `${theirs.type}: ${theirs.message}`;
      wrong.push(`seed ${seed} at [${point.join(', ')}]: ${mine.value}, CPython ${expected}\n${code}`);
    });
  });
  return { programs: count, compiled, compared, flagged, wrong };
}

function agrees(mine: number, theirs: number, style: ProgramStyle): boolean {
  if (Object.is(mine, theirs)) return true;
  // An int has no negative zero, and a variable that is an int or a float depending on x is compiled as a float.
  if (mine === theirs) return true;
  if (style === 'exact') return false;
  if (!Number.isFinite(mine) || !Number.isFinite(theirs)) return mine === theirs;
  return Math.abs(mine - theirs) <= 1e-9 * Math.max(1, Math.abs(theirs));
}
