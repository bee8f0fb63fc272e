/** Programs held against CPython: what is wrong with what the front end makes of them. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ModuleFactsOfInterpreter } from '../../../src/backends/cpython/module-facts.js';
import type { ModuleAnswer } from '../../../src/backends/cpython/protocol.js';
import { Rng } from '../../../src/common/rng.js';
import { fromHex, toHex } from '../cpython-oracle.js';
import { LineChild, isLost } from './children.js';

export type Argument = 'list' | 'ndarray';

/** One way to call a program: points of one dimension, as a list or an array. */
export interface Call {
  readonly argument: Argument;
  readonly dimension: number;
  readonly points: readonly (readonly number[])[];
  /** Also compiled for this box, in which the points are. */
  readonly bounds?: readonly (readonly [number, number])[];
  readonly rolled?: boolean;
}

export interface Job {
  readonly code: string;
  readonly calls: readonly Call[];
  /** What x is meant to be; null: either will do. */
  readonly argument: Argument | null;
  readonly isExact: boolean;
}

/**
 * `value`: compiled code values a lane otherwise. `zero`: only the sign of a zero differs. `claim`: it is said that
 * every evaluation raises, or gives no number, and that is not so. `argument`: x is the wrong kind. `refused`: CPython
 * takes it.
 */
export type FindingKind = 'value' | 'zero' | 'claim' | 'argument' | 'refused' | 'crash' | 'timeout' | 'ir';

export interface Finding {
  readonly kind: FindingKind;
  readonly code: string;
  readonly argument: Argument | null;
  readonly dimension: number | null;
  readonly point: readonly number[] | null;
  readonly got: string;
  readonly cpython: string;
  /** How CPython ends there: `value`, or the exception's class. */
  readonly ending: string;
  /** With these alone it shows again. */
  readonly job: Job;
}

interface Reason {
  readonly kind: string;
  readonly message: string;
  readonly line: number;
}

type Lane = readonly [string] | readonly [null, number, number];

interface Form {
  readonly reasons?: readonly Reason[];
  readonly lanes?: readonly Lane[];
  readonly problems?: readonly string[];
}

interface Reading {
  readonly crash?: string;
  readonly errors?: readonly Reason[];
  readonly entry: string | null;
  readonly argument: Argument;
  readonly compiled: boolean;
  readonly reasons: readonly Reason[];
  readonly forms: readonly Form[];
  readonly milliseconds: number;
}

interface OracleFacts {
  readonly raises: string | null;
  readonly names: readonly string[];
  readonly closed: boolean;
  readonly parts: readonly string[];
}

type OracleEntry = readonly string[] | null;

interface OracleAnswer {
  readonly load: readonly string[] | null;
  readonly results: readonly (readonly OracleEntry[])[];
}

export interface Counts {
  programs: number;
  compiled: number;
  lanes: number;
  flagged: number;
  raised: number;
  readerMs: number;
  /** Why programs are not compiled, by message. */
  readonly reasons: Map<string, number>;
}

const emptyCounts = (): Counts => ({
  ...{ programs: 0, compiled: 0, lanes: 0, flagged: 0, raised: 0, readerMs: 0 },
  reasons: new Map(),
});

const folder = fileURLToPath(new URL('.', import.meta.url));
/** Of one program, in the oracle and in the front end. */
const ORACLE_SECONDS = 3;
const FACTS_SECONDS = 60;
const READER_MS = 180_000;
const ORACLE_MS = 700_000;

export class Comparer {
  readonly counts = emptyCounts();
  private readonly oracle: LineChild;
  private readonly reader: LineChild;
  readonly reducer: LineChild;
  readonly rewriter: LineChild;
  private pythonMinor = 11;
  private readonly facts = new ModuleFactsOfInterpreter(async (wanted) => {
    const questions = [...wanted].map(([name, { members, parts }]) => [name, [members, parts]]);
    const asked = { id: 0, ask: Object.fromEntries(questions), seconds: FACTS_SECONDS };
    const { facts = {} } = (await this.oracle.ask(asked)) as { facts?: Record<string, OracleFacts> };
    return new Map(
      Object.entries(facts).map(([name, { raises, names, closed, parts }]): [string, ModuleAnswer] => [
        name,
        raises === null ? { raises, names, isClosed: closed, parts } : { raises },
      ]),
    );
  });

  constructor(
    private readonly python: string,
    coverageFile?: string,
  ) {
    const env = { ...process.env, OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1', PYTHONHASHSEED: '0' };
    this.oracle = new LineChild(python, [path.join(folder, 'oracle.py')], ORACLE_MS, true, env);
    const coverage = coverageFile === undefined ? [] : ['--coverage', coverageFile];
    this.reader = new LineChild(process.execPath, [path.join(folder, 'reader.mjs'), ...coverage], READER_MS, true);
    this.reducer = new LineChild(python, [path.join(folder, 'reduce.py')], ORACLE_MS, false);
    this.rewriter = new LineChild(python, [path.join(folder, 'rewrite.py')], ORACLE_MS, false);
  }

  async close(): Promise<void> {
    const children = [this.oracle, this.reader, this.reducer, this.rewriter];
    await Promise.all(children.map((child) => child.close()));
  }

  /** A request to the front end's process, as it is. */
  async run(request: {
    readonly op: string;
    readonly code: string;
    readonly [key: string]: unknown;
  }): Promise<unknown> {
    const interpreter = await this.facts.of(request.code);
    return this.reader.ask({ ...request, pythonMinor: this.pythonMinor, interpreter, python: this.python });
  }

  /** A request to the oracle, as it is. */
  scan(request: object): Promise<unknown> {
    return this.oracle.ask(request);
  }

  /** What is wrong with a program, the first of each kind. */
  async check(job: Job, isCounted = true): Promise<Finding[]> {
    const { code, calls } = job;
    const oracleCalls = calls.map(({ argument, points }) => ({ argument, points: points.map((p) => p.map(toHex)) }));
    const oracle = this.oracle.ask({ id: 0, code, entry: 'f', calls: oracleCalls, seconds: ORACLE_SECONDS });
    const greeting = this.oracle.greeting().then((first) => {
      this.pythonMinor = (first as { version: number[] }).version[1];
    });
    await greeting;
    const show = (points: Call['points']): string[][] =>
      points.map((p) => p.map((v) => (Object.is(v, -0) ? '-0' : String(v))));
    const readerCalls = calls.map((call) => ({ ...call, points: show(call.points) }));
    const reading = await this.reader.ask({
      id: 0,
      code,
      name: 'f',
      calls: readerCalls,
      pythonMinor: this.pythonMinor,
      interpreter: await this.facts.of(code),
    });
    const theirs = (await oracle) as object;
    const found = this.compare(job, reading as object, theirs, isCounted ? this.counts : emptyCounts());
    const counts = await Promise.all(
      found.map(async (finding) => {
        if (finding.kind === 'argument') return this.makesDifference(finding);
        return job.isExact || (await this.isStable(finding));
      }),
    );
    return found.filter((_, k) => counts[k]);
  }

  /** Whether CPython gives other numbers for a list than for an array. */
  private async makesDifference({ code, job }: Finding): Promise<boolean> {
    const points = job.calls[0].points.map((p) => p.map(toHex));
    const calls = (['list', 'ndarray'] as const).map((argument) => ({ argument, points }));
    const answer = (await this.oracle.ask({ id: 0, code, entry: 'f', calls, seconds: ORACLE_SECONDS })) as object;
    if (isLost(answer)) return true;
    const [ofLists, ofArrays] = (answer as OracleAnswer).results;
    return ofLists.some((entry, k) => {
      if (entry?.[0] !== 'value') return false;
      const other = ofArrays[k];
      return other?.[0] !== 'value' || judge(fromHex(other[1]), entry, false) === 'value';
    });
  }

  /**
   * Whether CPython gives as good as the same nearby, and with another last digit of what libraries round differently.
   */
  private async isStable({ kind, code, argument, point }: Finding): Promise<boolean> {
    if (kind !== 'value' || point === null) return kind !== 'zero';
    const nearby = [1, 1 + 2 ** -50, 1 - 2 ** -50].map((factor) => point.map((v) => v * factor));
    const ask = async (points: readonly number[][], nudge?: 1 | -1): Promise<(number | string)[] | null> => {
      const calls = [{ argument, points: points.map((p) => p.map(toHex)) }];
      const answer = (await this.oracle.ask({ id: 0, code, entry: 'f', calls, seconds: ORACLE_SECONDS, nudge })) as object; // prettier-ignore
      if (isLost(answer) || (answer as OracleAnswer).load !== null) return null;
      const [results] = (answer as OracleAnswer).results;
      return results.map((entry) => (entry?.[0] === 'value' ? fromHex(entry[1]) : (entry?.[1] ?? '')));
    };
    const answers = await Promise.all([ask(nearby), ask([[...point]], 1), ask([[...point]], -1)]);
    const [here, ...others] = answers.flatMap((one) => one ?? []);
    if (answers[0] === null) return true;
    return others.every((other) =>
      typeof here === 'number' && typeof other === 'number'
        ? Object.is(here, other) || Math.abs(here - other) <= 1e-10 * Math.max(1, Math.abs(here))
        : here === other,
    );
  }

  private compare(job: Job, answered: object, oracle: object, counts: Counts): Finding[] {
    const { code, calls } = job;
    counts.programs++;
    const found = new Map<FindingKind, Finding>();
    const add = (
      kind: FindingKind,
      call: Call | null,
      point: readonly number[] | null,
      got: string,
      cpython: string,
    ): void => {
      const only = call === null ? job : { ...job, calls: [point === null ? call : { ...call, points: [point] }] };
      if (found.has(kind)) return;
      found.set(kind, {
        ...{ kind, code, argument: call?.argument ?? null, dimension: call?.dimension ?? null, point, got, cpython },
        ending: /^\w+(?=: )/.exec(cpython)?.[0] ?? 'value',
        job: only,
      });
    };
    if (isLost(answered)) {
      add(answered.lost === 'timeout' ? 'timeout' : 'crash', null, null, `${answered.lost}: ${answered.detail}`, '');
      return [...found.values()];
    }
    const reading = answered as Reading;
    if (reading.crash !== undefined) {
      add('crash', null, null, reading.crash, '');
      return [...found.values()];
    }
    counts.readerMs += reading.milliseconds;
    if (isLost(oracle)) return [];
    const { load, results } = oracle as OracleAnswer;
    if (reading.errors !== undefined) {
      const [first] = reading.errors;
      if (first.kind !== 'limit' && load?.[1] !== 'SyntaxError')
        add('refused', null, null, `refused: ${first.message} (line ${first.line})`, load?.[1] ?? 'accepted');
      return [...found.values()];
    }
    if (reading.compiled) counts.compiled++;
    else {
      const message = reading.reasons[0].message.replaceAll(/\d+/g, 'N').replaceAll(/'[^']*'/g, "'..'");
      counts.reasons.set(message, (counts.reasons.get(message) ?? 0) + 1);
    }
    if (load?.[1] === 'OutOfTime') return [];
    const gives = (k: number): boolean => load === null && results[k].some((entry) => entry?.[0] === 'value');
    calls.forEach((call, k) => {
      if (job.argument !== null && call.argument === job.argument && reading.argument !== job.argument && gives(k)) {
        add('argument', call, null, `x is a ${reading.argument}`, `gives values for a ${job.argument}`);
      }
      const { reasons, lanes, problems } = reading.forms[k];
      if (problems !== undefined) add('ir', call, null, problems[0], '');
      if (reasons !== undefined) {
        if (reasons[0].kind === 'objective' && gives(k)) {
          const at = results[k].findIndex((entry) => entry?.[0] === 'value');
          add(
            'claim',
            call,
            call.points[at],
            `says: ${reasons[0].message} (line ${reasons[0].line})`,
            String(fromHex(results[k][at]![1])),
          );
        }
        return;
      }
      lanes!.forEach((lane, i) => {
        const their = load ?? results[k]?.[i] ?? null;
        if (their === null || (their[0] === 'error' && their[1] === 'OutOfTime')) return;
        counts.lanes++;
        if (their[0] === 'error') counts.raised++;
        if (lane[0] === null) {
          counts.flagged++;
          return;
        }
        const again = their.indexOf('again');
        const answers = again < 0 ? [their] : [their.slice(0, again), their.slice(again + 1)];
        for (const answer of answers) {
          const verdict = judge(Number(lane[0]), answer, job.isExact);
          if (verdict !== null) add(verdict, call, call.points[i], lane[0], describe(answer));
        }
      });
    });
    return [...found.values()];
  }
}

const describe = (entry: readonly string[]): string =>
  entry[0] === 'value' ? show(fromHex(entry[1])) : `${entry[1]}: ${entry[2]} (line ${entry[3]})`;

const show = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

/** What is wrong with a value where CPython answers so; null: nothing. */
function judge(mine: number, their: readonly string[], isExact: boolean): 'value' | 'zero' | null {
  if (their[0] !== 'value') return 'value';
  const value = fromHex(their[1]);
  if (Object.is(mine, value)) return null;
  if (mine === value) return 'zero';
  if (isExact || Number.isNaN(mine) || Number.isNaN(value)) return 'value';
  if (!Number.isFinite(mine) || !Number.isFinite(value))
    return Math.abs(mine) > 1e300 && Math.abs(value) > 1e300 ? null : 'value';
  return Math.abs(mine - value) <= 1e-9 * Math.max(1, Math.abs(value)) ? null : 'value';
}

const SPECIAL = [
  0,
  -0,
  1,
  -1,
  2,
  0.5,
  -3,
  1e-8,
  1e17,
  4,
  2.5,
  1e200,
  -1e200,
  5e-324,
  3,
  -2,
  10,
  Infinity,
  -Infinity,
  NaN,
];

/** Ordinary points, whole numbers, equal elements, and what is special about doubles. */
export function pointsFor(seed: number, dimension: number, count = 14): number[][] {
  const rng = Rng.create(seed * 31 + dimension);
  const uniform = (): number => rng.uniform() * 8 - 4;
  const whole = (): number => rng.below(9) - 4;
  const quarter = (): number => rng.below(33) / 4 - 4;
  const special = (): number => SPECIAL[rng.below(SPECIAL.length)];
  const fill = (value: () => number): number[] => Array.from({ length: dimension }, value);
  const mixed = (): number => (rng.uniform() < 0.4 ? special() : quarter());
  const ways = [uniform, whole, quarter, uniform, whole, mixed, special];
  const points = Array.from({ length: count - 2 }, (_, k) => fill(ways[k % ways.length]));
  const one = whole();
  return [...points, fill(() => one), fill(() => 0)];
}
