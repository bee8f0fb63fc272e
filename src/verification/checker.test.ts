import { describe, expect, it } from 'vitest';
import { EVALUATION_FAILED, type EvaluationOutput, type Kernel } from '../backends/backend.js';
import { ExtremumError } from '../common/errors.js';
import { compileObjective } from '../frontend/compile.js';
import type { IrFunction } from '../ir/types.js';
import type { CandidateBatch } from '../model/candidate-batch.js';
import type { EvaluationFailure } from '../model/objective.js';
import { DOUBTFUL_ARGUMENT, type CheckState } from '../model/verification.js';
import { Checker } from './checker.js';

const source = { code: 'def f(x):\n    return x[0] * x[0]\n', entry: 'f', argument: 'list' as const };
const { ir } = compileObjective(source, { dimension: 1, pythonMinor: 11 });
if (ir === null) throw new Error('it compiles');
const square = (x: number): number => x * x;

type Answer = number | EvaluationFailure;

/** A kernel of one variable that keeps what it was asked. */
class FakeKernel implements Kernel {
  readonly backend = 'fake';
  readonly device = 'fake';
  readonly asked: number[][] = [];

  constructor(
    private readonly answer: (x: number) => Answer,
    private readonly before: (signal?: AbortSignal) => Promise<void> = async () => {},
  ) {}

  async evaluate({ candidates, count }: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void> {
    this.asked.push(Array.from(candidates.subarray(0, count)));
    await this.before(signal);
    for (let i = 0; i < count; i++) {
      const answer = this.answer(candidates[i]);
      const isNumber = typeof answer === 'number';
      output.status[i] = isNumber ? 0 : EVALUATION_FAILED;
      output.values[i] = isNumber ? answer : NaN;
      if (!isNumber) output.failures.push({ ...answer, index: i });
    }
  }

  async close(): Promise<void> {}
}

interface Setting {
  readonly python?: Kernel;
  readonly seed?: number;
  readonly patternOf?: (x: number) => number;
  readonly now?: () => number;
  readonly judged?: IrFunction;
}

/** Requests go out from the first candidate on. */
function later(): () => number {
  let calls = 0;
  return () => (calls++ === 0 ? 0 : 100);
}

const checkerOf = ({ python, seed = 1, patternOf, now = later(), judged = ir }: Setting): Checker =>
  new Checker({
    ir,
    judged: () => judged,
    width: 1,
    seed,
    direction: 'minimize',
    primary: new FakeKernel(square),
    outcomes: patternOf === undefined ? null : new FakeKernel(patternOf),
    python: python ?? new FakeKernel(square),
    now,
  });

/** Candidate e lies at e. */
async function noteAll(checker: Checker, from: number, to: number, value = square): Promise<void> {
  const candidates = Float64Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const batch = { candidates, count: candidates.length, dimension: 1 };
  await checker.note(batch, from, candidates.map(value), () => true);
}

const end = { points: [], bound: null, elapsedMs: 0, isCancelled: false };
const best = (x: number, value = square(x)): typeof end & { points: object[] } => ({
  ...end,
  points: [{ order: x, x: Float64Array.of(x), values: [value] }] as never,
});
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

describe('checks that find nothing', () => {
  it('ask for points by chance, one of each pattern, and the best, each once', async () => {
    const python = new FakeKernel(square);
    const checker = checkerOf({ python, patternOf: (x) => (x > 700 ? 1 : 0) });
    await noteAll(checker, 1, 1_000);
    const verified = await checker.finish(best(950));
    const asked = python.asked.flat();
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked).toEqual(expect.arrayContaining([1, 2, 701, 950]));
    expect(verified).toEqual({ by: 'cpython', points: asked.length });
    expect(checker.misreading).toBeNull();
  });

  it('leave out what compiled code has not valued, and say so where that is everything', async () => {
    const checker = checkerOf({});
    const candidates = Float64Array.of(1, 2);
    await checker.note({ candidates, count: 2, dimension: 1 }, 1, candidates, () => false);
    expect(await checker.finish(end)).toEqual({ by: null, points: 0, reason: 'nothing_valued' });
  });

  it('look at the centres of the boxes that a proof rests on', async () => {
    const python = new FakeKernel(square);
    const checker = checkerOf({ python });
    const candidates = Float64Array.of(-1, 3, 8, 10);
    await checker.noteBoxes({ candidates, count: 2, dimension: 2 }, 1);
    expect(await checker.finish(end)).toEqual({ by: 'cpython', points: 2 });
    expect(python.asked.flat()).toEqual([1, 9]);
  });

  it('go on from their state with the same points, those that nobody has answered too', async () => {
    const whole = new FakeKernel(square);
    const one = checkerOf({ python: whole, patternOf: (x) => Math.floor(x / 90) });
    await noteAll(one, 1, 1_000);
    const expected = await one.finish(best(3));

    const never = new FakeKernel(square, () => new Promise(() => {}));
    const interrupted = checkerOf({ python: never, patternOf: (x) => Math.floor(x / 90) });
    await noteAll(interrupted, 1, 400);
    await interrupted.settle();
    const state = JSON.parse(JSON.stringify(interrupted.state())) as CheckState;
    const rest = new FakeKernel(square);
    const resumed = checkerOf({ python: rest, patternOf: (x) => Math.floor(x / 90) });
    resumed.restore(state);
    await noteAll(resumed, 401, 1_000);
    expect(await resumed.finish(best(3))).toEqual(expected);
    const sorted = (kernel: FakeKernel): number[] => kernel.asked.flat().sort((a, b) => a - b);
    expect(sorted(rest)).toEqual(sorted(whole));
  });
});

describe('checks that find a misreading', () => {
  it('report the earliest point, whatever was answered first', async () => {
    // All from 2 on are misread: the first candidates are always taken.
    const python = new FakeKernel((x) => (x >= 2 ? x * x + 1 : x * x));
    const checker = checkerOf({ python, patternOf: (x) => x % 5 });
    await noteAll(checker, 1, 1_000);
    await checker.finish(best(950));
    expect(await checker.earliest()).toMatchObject({ point: [2], compiled: [4], cpython: [5], evaluation: 2 });
  });

  it('have it while the search goes on', async () => {
    const failure = { type: 'ValueError', message: 'no', line: 3 };
    const checker = checkerOf({ python: new FakeKernel(() => failure) });
    await noteAll(checker, 1, 20);
    await turn();
    expect(checker.misreading).toMatchObject({ point: [1], compiled: [1], cpython: failure });
  });

  it('take a value beyond a certified bound for one, where compiled code has it too', async () => {
    const within = checkerOf({});
    await noteAll(within, 1, 20);
    await within.finish({ ...end, bound: 1 });
    expect(within.misreading).toBeNull();
    const beyond = checkerOf({});
    await noteAll(beyond, 1, 20);
    await beyond.finish({ ...end, bound: 2 });
    expect(beyond.misreading).toMatchObject({ point: [1], compiled: [1], cpython: [1], bound: 2 });
  });
});

describe('checks that come to no end', () => {
  it('end with the time, and keep what was confirmed', async () => {
    let now = -100;
    let requests = 0;
    const python = new FakeKernel(square, async (signal) => {
      if (requests++ === 0) return;
      now += 60_000;
      await new Promise<void>((_, reject) =>
        signal?.addEventListener('abort', () => reject(new ExtremumError('cancelled', 'x'))),
      );
    });
    const begun = performance.now();
    const checker = checkerOf({ python, now: () => now + performance.now() - begun });
    now = 0;
    await noteAll(checker, 1, 2);
    await turn();
    await noteAll(checker, 3, 500);
    expect(await checker.finish(best(7))).toEqual({ by: 'cpython', points: 2, reason: 'time' });
  });

  it.each([
    ['TimeLimit', 'time'],
    ['ProcessLost', 'interpreter_lost'],
    ['MemoryLimit', 'interpreter_lost'],
  ] as const)('are no misreading where CPython gives %s', async (type, reason) => {
    const checker = checkerOf({ python: new FakeKernel(() => ({ type, message: '', line: 0 })) });
    await noteAll(checker, 1, 20);
    expect(await checker.finish(end)).toEqual({ by: null, points: 0, reason });
    expect(checker.misreading).toBeNull();
  });

  it.each([
    [new ExtremumError('backend_lost', 'x'), 'interpreter_lost'],
    [new ExtremumError('backend_unavailable', 'x'), 'no_interpreter'],
  ] as const)('say what became of the process', async (error, reason) => {
    const checker = checkerOf({ python: new FakeKernel(square, () => Promise.reject(error)) });
    await noteAll(checker, 1, 20);
    expect(await checker.finish(end)).toEqual({ by: null, points: 0, reason });
  });

  it('tell a module that is missing from a source that does not load', async () => {
    const rejected = (type: string, message: string): Kernel =>
      new FakeKernel(square, () =>
        Promise.reject(new ExtremumError('objective_rejected', message, { facts: { type, message, line: 1 } })),
      );
    const lacking = checkerOf({ python: rejected('ModuleNotFoundError', "No module named 'numpy'") });
    await noteAll(lacking, 1, 20);
    const message = "No module named 'numpy'";
    expect(await lacking.finish(end)).toEqual({ by: null, points: 0, reason: 'missing_module', message });
    const resumed = checkerOf({ python: new FakeKernel(square) });
    resumed.restore(lacking.state());
    expect(await resumed.finish(end)).toMatchObject({ reason: 'missing_module', message });
    const broken = checkerOf({ python: rejected('NameError', "name 'y' is not defined") });
    await noteAll(broken, 1, 20);
    await broken.finish(end);
    expect(broken.misreading).toMatchObject({ cpython: { type: 'NameError' }, evaluation: 1 });
  });

  it('confirm nothing where another kind of argument gives another value, also after a resumption', async () => {
    const doubt = { type: DOUBTFUL_ARGUMENT, message: '', line: 0 };
    const python = new FakeKernel((x) => (x === 2 ? doubt : square(x)));
    const checker = checkerOf({ python, patternOf: (x) => x % 5 });
    await noteAll(checker, 1, 20);
    await turn();
    const state = JSON.parse(JSON.stringify(checker.state())) as CheckState;
    const undecided = { by: null, points: 0, reason: 'undecided', message: expect.stringContaining('with a list') };
    expect(await checker.finish(best(7))).toEqual(undecided);
    expect([checker.misreading, checker.isDoubtful]).toEqual([null, true]);
    const resumed = checkerOf({ python: new FakeKernel(square) });
    resumed.restore(state);
    expect(await resumed.finish(best(8))).toEqual(undecided);
    expect(resumed.isDoubtful).toBe(true);
  });

  it('still find a misreading where they doubt', async () => {
    const doubt = { type: DOUBTFUL_ARGUMENT, message: '', line: 0 };
    const checker = checkerOf({ python: new FakeKernel((x) => (x === 1 ? doubt : x * x + 1)) });
    await noteAll(checker, 1, 20);
    await checker.finish(best(7));
    expect(checker.misreading).toMatchObject({ point: [2], cpython: [5] });
  });

  it('do not lose a run by a defect of their own', async () => {
    const checker = checkerOf({ python: new FakeKernel(square, () => Promise.reject(new Error('a defect'))) });
    await noteAll(checker, 1, 20);
    expect(await checker.finish(end)).toEqual({ by: null, points: 0, reason: 'undecided' });
    expect(checker.defect).toContain('a defect');
    expect(checker.isDoubtful).toBe(true);
  });

  it('call what they cannot judge a misreading', async () => {
    const body = { body: [], yields: [7] };
    const checker = checkerOf({ python: new FakeKernel((x) => x * x + 1), judged: { ...ir, body } });
    await noteAll(checker, 1, 20);
    await checker.finish(best(7));
    expect(checker.misreading).toMatchObject({
      cpython: [expect.any(Number)],
      message: expect.stringContaining('cannot be judged'),
    });
    expect(checker.defect).not.toBeNull();
  });

  it('let no proof stand where no answer can be decided', async () => {
    const circumstance = { type: 'MemoryError', message: '', line: 0 };
    const checker = checkerOf({ python: new FakeKernel(() => circumstance) });
    await noteAll(checker, 1, 20);
    expect(await checker.finish(best(7))).toEqual({ by: null, points: 0, reason: 'undecided' });
    expect(checker.isDoubtful).toBe(true);
    const other = checkerOf({ python: new FakeKernel((x) => (x === 7 ? square(x) : circumstance)) });
    await noteAll(other, 1, 20);
    expect(await other.finish(best(7))).toMatchObject({ by: 'cpython', points: 1 });
    expect(other.isDoubtful).toBe(false);
  });
});
