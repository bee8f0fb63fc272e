/**
 * Programs against CPython and all backends: `test/semantics/programs/*.py` hold many small ones, each under a line
 *
 *     #: name | n = 1 2 3 | raises = ValueError IndexError | ulp = 2 | cpython
 *
 * `n`: dimensions to run at (default 2). `raises`: classes of exceptions that CPython must raise at some of the points
 * (default: whatever). `ulp`: how far a value may be from CPython's (default 0: equal bits). `list`, `array`: what `x`
 * has to be. `cpython`: must not be compiled. `compiled`: must be. `row = 5`: rows of the semantics table that it pins.
 * `at = 1 -0; 2 nan`: more points, for the first dimension. `zero`: NumPy's sign of a zero depends on its version here.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EvaluationOutput } from '../../src/backends/backend.js';
import { Rng } from '../../src/common/rng.js';
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import type { IrFunction } from '../../src/ir/types.js';
import { verifyIr } from '../../src/ir/verifier.js';
import type { ObjectiveSource } from '../../src/model/objective.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
import { askOracle, ulpDistance, type OracleResult } from './cpython-oracle.js';
import { REFUSED, compareBackend, compiledBackends, interpretAll, show } from './compiled-backends.js';

export interface SmallProgram {
  readonly name: string;
  readonly code: string;
  readonly dimensions: readonly number[];
  readonly rows: readonly number[];
  readonly raises: readonly string[];
  readonly ulp: number;
  readonly zerosAreOne: boolean;
  readonly argument: 'list' | 'ndarray' | null;
  /** Null: either will do. */
  readonly isCompiled: boolean | null;
  readonly extraPoints: readonly (readonly number[])[];
}

export const programFolder = fileURLToPath(new URL('../semantics/programs/', import.meta.url));

export function loadPrograms(): readonly SmallProgram[] {
  const files = readdirSync(programFolder).filter((file) => file.endsWith('.py'));
  return files.sort().flatMap((file) => parsePrograms(readFileSync(programFolder + file, 'utf8'), file));
}

function parsePrograms(text: string, file: string): SmallProgram[] {
  const parts = text.split(/^#: /m).slice(1);
  return parts.map((part) => {
    const end = part.indexOf('\n');
    const [name, ...fields] = part
      .slice(0, end)
      .split('|')
      .map((f) => f.trim());
    const options = new Map(
      fields.map((field): [string, string] => {
        const [key, value = ''] = field.split('=').map((f) => f.trim());
        if (!KNOWN.has(key)) throw new Error(`${file}, ${name}: what is '${key}'?`);
        return [key, value];
      }),
    );
    const words = (key: string): string[] => (options.get(key) ?? '').split(/\s+/).filter((w) => w !== '');
    const numbers = (key: string): number[] => words(key).map(Number);
    return {
      name: `${file}: ${name}`,
      code: `${part.slice(end + 1).trimEnd()}\n`,
      dimensions: options.has('n') ? numbers('n') : [2],
      rows: numbers('row'),
      raises: words('raises'),
      ulp: Number(options.get('ulp') ?? 0),
      zerosAreOne: options.has('zero'),
      argument: options.has('array') ? 'ndarray' : options.has('list') ? 'list' : null,
      isCompiled: options.has('cpython') ? false : options.has('compiled') ? true : null,
      extraPoints: (options.get('at') ?? '')
        .split(';')
        .filter((p) => p.trim() !== '')
        .map((p) => p.trim().split(/\s+/).map(toNumber)),
    };
  });
}

const KNOWN = new Set(['n', 'row', 'raises', 'ulp', 'array', 'list', 'cpython', 'compiled', 'at', 'zero']);
const toNumber = (text: string): number =>
  ({ inf: Infinity, '-inf': -Infinity, nan: NaN })[text as 'inf'] ?? Number(text);

const SPECIAL = [
  ...[0, -0, 1, -1, 2, -2, 3, 7, -8, 0.5, -0.5, 2.5, 1e300, -1e300, 1e-300, 5e-324, -5e-324],
  ...[Infinity, -Infinity, NaN, 2 ** 53, 1e17, -1e-8, 4],
];

/** Integers, halves, ordinary numbers, and what is special about doubles: one kind alone, and mixed. */
export function populationOf(dimension: number, size = 36): number[][] {
  const rng = Rng.create(dimension);
  const ordinary = (): number => rng.uniform() * 8 - 4;
  const special = (): number => SPECIAL[rng.below(SPECIAL.length)];
  const integer = (): number => rng.below(9) - 4;
  const mixed = (): number => (rng.uniform() < 0.15 ? special() : rng.uniform() < 0.4 ? integer() : ordinary());
  const kinds = [ordinary, integer, mixed, special];
  const points = Array.from({ length: size }, (_, k) => Array.from({ length: dimension }, kinds[k % kinds.length]));
  if (dimension === 1) points.push(...SPECIAL.map((v) => [v]));
  else for (const v of [0, -0, 1, NaN, Infinity]) points.push(new Array<number>(dimension).fill(v));
  return points;
}

export interface Comparison {
  readonly program: SmallProgram;
  readonly dimension: number;
  readonly source: ObjectiveSource;
  readonly points: readonly (readonly number[])[];
  readonly theirs: readonly OracleResult[];
  /** Null: goes to CPython. */
  readonly ir: IrFunction | null;
  readonly reason: string;
  /** The reason says that CPython gives no number either. */
  readonly isClaim: boolean;
  /** Of the interpreter; null where not compiled. */
  readonly mine: EvaluationOutput | null;
}

/** Compiles every program, asks CPython, and says what is wrong with each: values, missing flags, expectations. */
export function compareWithCPython(
  python: string,
  programs: readonly SmallProgram[],
): { readonly comparisons: readonly Comparison[]; readonly wrong: string[]; readonly pythonMinor: number } {
  const wrong: string[] = [];
  const jobs: { program: SmallProgram; dimension: number; source: ObjectiveSource; points: number[][] }[] = [];
  for (const program of programs) {
    const { source, errors } = analyzeUpload(program.code, 'f');
    if (source === null) {
      wrong.push(`${program.name}: refused: ${errors[0].message}`);
      continue;
    }
    if (program.argument !== null && source.argument !== program.argument) {
      wrong.push(`${program.name}: x is a ${source.argument}`);
    }
    for (const dimension of program.dimensions) {
      const points = populationOf(dimension, dimension > 100 ? 8 : 36);
      if (dimension === program.dimensions[0]) points.push(...program.extraPoints.map((p) => [...p]));
      jobs.push({ program, dimension, source, points });
    }
  }
  const { pythonMinor, results } = askOracle(python, jobs);
  const comparisons = jobs.map((job, k): Comparison => {
    const { ir, reasons } = compileObjective(job.source, { dimension: job.dimension, pythonMinor });
    const optimized = ir === null ? null : optimizeIr(ir);
    for (const problem of optimized === null ? [] : verifyIr(optimized)) wrong.push(`${job.program.name}: ${problem}`);
    const mine = optimized === null ? null : interpretAll(optimized, job.points);
    const reason = ir === null ? `${reasons[0].message} (line ${reasons[0].line})` : '';
    const isClaim = ir === null && reasons[0].kind === 'objective';
    return { ...job, theirs: results[k], ir: optimized, reason, isClaim, mine };
  });
  for (const comparison of comparisons) wrong.push(...differences(comparison));
  for (const comparison of comparisons) wrong.push(...rolledDifferences(comparison, pythonMinor));
  for (const program of programs) {
    const raised = new Set(
      comparisons
        .filter((c) => c.program === program)
        .flatMap((c) => c.theirs.flatMap((t) => (t.kind === 'error' ? [t.type] : []))),
    );
    for (const name of program.raises) {
      if (!raised.has(name)) wrong.push(`${program.name}: CPython never raises ${name}`);
    }
  }
  return { comparisons, wrong, pythonMinor };
}

/** The same program with every loop rolled that can be. It may leave more points to CPython. */
function rolledDifferences(comparison: Comparison, pythonMinor: number): string[] {
  const { program, dimension, source, points } = comparison;
  const { ir } = compileObjective(source, { dimension, pythonMinor, roll: 'always' });
  if (ir === null) return [];
  const optimized = optimizeIr(ir);
  const name = `${program.name}, rolled`;
  const mine = interpretAll(optimized, points);
  return [
    ...verifyIr(optimized).map((problem) => `${name}: ${problem}`),
    ...differences({ ...comparison, mine, program: { ...program, name, isCompiled: null } }),
  ];
}

function differences({ program, dimension, points, theirs, mine, reason, isClaim }: Comparison): string[] {
  const where = `${program.name}, n = ${dimension}`;
  if (mine === null) {
    if (isClaim && theirs.some((t) => t.kind === 'value')) return [`${where}: ${reason}, which is not so`];
    return program.isCompiled === true ? [`${where}: not compiled: ${reason}`] : [];
  }
  if (program.isCompiled === false) return [`${where}: is compiled`];
  const wrong: string[] = [];
  points.forEach((point, k) => {
    if (mine.status[k] !== 0 || wrong.length > 1) return;
    const their = theirs[k];
    const value = mine.values[k];
    if (their.kind === 'value' && isWithin(value, their.value, program)) return;
    if (their.kind === 'error' && isOfOlderVersions(their)) return;
    const expected = their.kind === 'value' ? show(their.value) : `${their.type}: ${their.message}`;
    wrong.push(`${where} at [${point.slice(0, 9).map(show).join(', ')}]: ${show(value)}, CPython ${expected}`);
  });
  // What is called compiled must not leave its ordinary points to CPython.
  if (program.isCompiled === true) {
    const fine = theirs.filter((t) => t.kind === 'value').length;
    const kept = theirs.filter((t, k) => t.kind === 'value' && mine.status[k] === 0).length;
    if (kept < fine * 0.6) wrong.push(`${where}: only ${kept} of ${fine} points are not flagged`);
  }
  return wrong;
}

/**
 * Nobody was asked here which names a module has, as the service asks the interpreter; newer versions of NumPy lack
 * some.
 */
const isOfOlderVersions = ({ type, message }: { readonly type: string; readonly message: string }): boolean =>
  type === 'AttributeError' && /^module 'numpy' has no attribute '(trapz|in1d)'/.test(message);

/** Equal bits, or not further apart than the program says; zeros keep their sign where it does not say otherwise. */
export function isWithin(mine: number, theirs: number, { ulp, zerosAreOne }: SmallProgram): boolean {
  if (Object.is(mine, theirs)) return true;
  if (mine === 0 || theirs === 0) return zerosAreOne && mine === theirs;
  return ulpDistance(mine, theirs) <= ulp;
}

/** Every backend against the interpreter, on every program that is compiled. */
export async function compareBackends(comparisons: readonly Comparison[]): Promise<string[]> {
  const wrong: string[] = [];
  const contenders = await compiledBackends();
  for (const { program, dimension, source, ir, points, mine } of comparisons) {
    if (ir === null || mine === null) continue;
    for (const { name, backend } of contenders) {
      const difference = await compareBackend(backend, ir, { source, points }, mine);
      if (difference !== null && difference !== REFUSED)
        wrong.push(`${program.name}, n = ${dimension}, ${name} ${difference}`);
    }
  }
  for (const { backend } of contenders) await backend.close();
  return wrong;
}
