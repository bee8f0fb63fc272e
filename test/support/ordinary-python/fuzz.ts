/** Rounds of random programs, and what is wrong made small: one finding of each shape. */
import { Comparer, pointsFor, type Argument, type Call, type Finding, type Job } from './compare.js';
import { feasibilityProgram } from './feasibility.js';
import { ordinaryProgram, type OrdinaryProgram } from './program.js';
import { prove } from './prove.js';
import { suitePrograms } from './suite.js';
import { shrink } from './shrink.js';

/**
 * `feasibility`: objectives with checks and penalties, each of them run as well, and what the run proves held against
 * CPython. `metamorphic`: other forms of programs that must give the same, see `rewrite.py`. `suite`: CPython's own
 * tests, see `suite.py`.
 */
export type FuzzMode = 'ordinary' | 'feasibility' | 'metamorphic' | 'suite';

export interface FuzzOptions {
  readonly mode: FuzzMode;
  readonly seconds: number;
  readonly seed: number;
  readonly count: number;
  readonly coverage?: string;
  /** Findings that are made small; of the others only the number is told. */
  readonly shrunk: number;
  /** Features that no program gets. */
  readonly without: readonly string[];
  /** One in so many programs is run too; 0: none. */
  readonly provesEvery: number;
  report(text: string): void;
  found(text: string): void;
}

const ROUND = 40;
const REPORT_MS = 20_000;

export function jobOf(program: OrdinaryProgram, seed: number): Job {
  const { code, dimensions, argument, isExact } = program;
  const calls: Call[] = dimensions.map((dimension): Call => ({
    argument: argument ?? 'list',
    dimension,
    points: pointsFor(seed, dimension),
  }));
  if (seed % 3 === 0) {
    const other: Argument = argument === 'ndarray' ? 'list' : 'ndarray';
    calls.push({ ...calls[0], argument: other });
  }
  if (seed % 5 === 0) calls.push({ ...calls[0], rolled: true });
  if (seed % 4 === 1) {
    const inside = calls[0].points.filter((p) => p.every((v) => Math.abs(v) <= 4));
    calls.push({ ...calls[0], points: inside, bounds: Array.from({ length: dimensions[0] }, () => [-4, 4] as const) });
  }
  return { code, calls, argument, isExact };
}

const BOXES = [
  [-4, 4],
  [-2, 3],
  [0, 5],
  [-5, 1],
  [0.5, 3],
  [-1, 1],
] as const;

/** How many findings there are. */
export async function fuzzOrdinary(python: string, options: FuzzOptions): Promise<number> {
  const { mode, seconds, seed, count, coverage, report, found, without, provesEvery } = options;
  let left = options.shrunk;
  const comparer = new Comparer(python, coverage);
  const end = Date.now() + seconds * 1000;
  const shapes = new Map<string, number>();
  const kinds = new Map<string, number>();
  const endings = new Map<string, number>();
  let proven = 0;
  const { counts } = comparer;
  const line = (): string => {
    const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
    const list = (map: ReadonlyMap<string, number>): string => [...map].map(([kind, n]) => `${n} ${kind}`).join(', ');
    const runs = endings.size === 0 ? '' : `; runs: ${list(endings)}; ${proven} with a bound`;
    return (
      `${counts.programs} programs, ${percent(counts.compiled, counts.programs)} compiled, ${counts.lanes} evaluations, ` +
      `${percent(counts.raised, counts.lanes)} raise, ${percent(counts.flagged, counts.lanes)} flagged; ` +
      `wrong: ${list(kinds) || 'none'}; ${shapes.size} shapes; ` +
      `front end ${(counts.readerMs / Math.max(1, counts.programs)).toFixed(0)} ms each${runs}`
    );
  };
  const count1 = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1);
  const suite = mode === 'suite' ? suitePrograms(python) : [];
  if (mode === 'suite') report(`${suite.length} programs are made of CPython's tests`);
  const programOf = (s: number): OrdinaryProgram =>
    mode === 'suite' ? suite[s - 1] : mode === 'feasibility' ? feasibilityProgram(s) : ordinaryProgram(s, without);
  const tell = async (s: number, finding: Finding): Promise<void> => {
    count1(kinds, finding.kind);
    // NumPy's sign of a zero depends on its version.
    if (finding.kind === 'zero' && finding.argument === 'ndarray') return;
    if (left-- <= 0) return;
    const small = await shrink(comparer, finding);
    const shape = `${finding.kind} ${small.shape}`;
    count1(shapes, shape);
    if (shapes.get(shape) === 1) found(textOf(s, small.finding));
  };
  const checkProof = async (s: number, { code, dimensions, isExact }: OrdinaryProgram): Promise<boolean> => {
    const bounds = Array.from({ length: dimensions[0] }, (_, k) => BOXES[(s + k) % BOXES.length]);
    const direction = s % 7 === 3 ? 'maximize' : 'minimize';
    const result = await prove(comparer, { code, seed: s, bounds, direction }, isExact);
    count1(endings, result.ending);
    if (result.isProven) proven++;
    if (result.wrong === null) return true;
    count1(kinds, 'proof');
    found(`--- proof, seed ${s}, ${direction} in ${JSON.stringify(bounds)}\n${result.wrong}\n${code}`);
    return false;
  };
  const unsaid: [number, Finding][] = [];
  /** Each form is held against CPython, which gives the same for all of them where the rewriting is right. */
  const checkForms = async (s: number, program: OrdinaryProgram): Promise<void> => {
    const job = jobOf(program, s);
    const { forms } = (await comparer.rewriter.ask({ code: program.code, seed: s })) as { forms: [string, string][] };
    const jobs = [job, ...forms.map(([, code]) => ({ ...job, code, argument: null }))];
    for (const findings of await Promise.all(jobs.map((each) => comparer.check(each))))
      for (const finding of findings) unsaid.push([s, finding]);
  };
  try {
    const last = Math.min(seed + count, mode === 'suite' ? suite.length + 1 : Infinity);
    let reported = Date.now();
    for (let from = seed; from < last && Date.now() < end; from += ROUND) {
      const seeds = Array.from({ length: Math.min(ROUND, last - from) }, (_, k) => from + k);
      const programs = seeds.map(programOf);
      if (mode === 'metamorphic') {
        await Promise.all(programs.map((program, k) => checkForms(seeds[k], program)));
        for (const [s, finding] of unsaid.splice(0)) await tell(s, finding);
        report(line());
        continue;
      }
      const all = await Promise.all(programs.map((program, k) => comparer.check(jobOf(program, seeds[k]))));
      for (const [k, findings] of all.entries()) for (const finding of findings) await tell(seeds[k], finding);
      const runs = seeds.flatMap((s, k) =>
        provesEvery > 0 && s % provesEvery === 0 ? [{ s, program: programs[k] }] : [],
      );
      await Promise.all(runs.map(({ s, program }) => checkProof(s, program)));
      if (Date.now() - reported < REPORT_MS) continue;
      report(line());
      reported = Date.now();
    }
    report(line());
    const reasons = [...counts.reasons].sort((a, b) => b[1] - a[1]).slice(0, 25);
    report(`not compiled: ${reasons.map(([m, n]) => `\n  ${n} ${m}`).join('')}`);
  } finally {
    await comparer.close();
  }
  return [...kinds].reduce((sum, [kind, n]) => sum + (kind === 'zero' ? 0 : n), 0);
}

export function textOf(seed: number, { kind, code, argument, dimension, point, got, cpython }: Finding): string {
  const shown = point === null ? '' : ` at [${point.map((v) => (Object.is(v, -0) ? '-0' : String(v))).join(', ')}]`;
  return `--- ${kind}, seed ${seed}, n = ${dimension}, x a ${argument}${shown}\ngot ${got}\nCPython ${cpython}\n${code}`;
}
