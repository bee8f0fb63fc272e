/**
 * Has CPython confirm values of compiled code while the search goes on (docs/adr/0031-cpython-has-the-last-word.md).
 * The engine notes what was valued; the sampler chooses points; they go to a process in few requests, one at a time;
 * the judge says what its answers mean. Knows neither the search nor where the process lives.
 *
 * Which points are chosen does not depend on time, nor does which misreading is reported: the one of the earliest
 * point.
 */
import { createOutput, type EvaluationOutput, type Kernel } from '../backends/backend.js';
import { ExtremumError } from '../common/errors.js';
import { decodeFloats, encodeFloats } from '../common/float64-codec.js';
import type { Checks, SearchEnd } from './checks.js';
import type { IrFunction } from '../ir/types.js';
import { candidateOf, type CandidateBatch } from '../model/candidate-batch.js';
import { lackedPackage } from '../model/interpreter-facts.js';
import type { Direction, EvaluationFailure } from '../model/objective.js';
import {
  DOUBTFUL_ARGUMENT,
  unverified,
  type CheckState,
  type Misreading,
  type OpenPoint,
  type VerificationGap,
  type Verified,
} from '../model/verification.js';
import { judgePoint, type PythonAnswer } from './judge.js';
import { denseEvaluations, PointSampler } from './sampler.js';

/** Rows whose patterns are asked for together. */
const ASKED_TOGETHER = 128;
const ASKED_BYTES = 1_000_000;
/** Points of a request, until it is known how long one takes; then as many as take so long. */
const FIRST_REQUEST = 32;
const FIRST_REQUEST_MS = 100;
const LARGEST_REQUEST = 64;
const REQUEST_MS = 100;
/** Time that checks may take of a process: so long, and this share of the run's time. */
const PATIENCE_MS = 1_000;
const SHARE = 0.1;
/** The search is over: nobody waits longer than that. */
const LONGEST_WAIT_MS = 10_000;
/** For a process to come, and to load the source, once. */
const OPENING_MS = 2_000;
/** Whoever cancels waits for the answer. */
const CANCELLED_WAIT_MS = 250;

const DOUBT =
  'with a list and with a NumPy array the objective gives other values, and its text does not say which it takes';

interface CheckerParts {
  readonly ir: IrFunction;
  /** The program in its form for judging (`judgePoint`). */
  judged(): IrFunction;
  /** Values of a point. */
  readonly width: number;
  readonly seed: number;
  readonly direction: Direction;
  /** A kernel of the program: where it stops a candidate, CPython has valued it. */
  readonly primary: Kernel;
  /** The kernel for the pattern of branch outcomes; null: the program has no branches, or they are not asked for. */
  readonly outcomes: Kernel | null;
  /** Opened at the first request; the caller closes it. */
  readonly python: Kernel;
  /**
   * The kernel whose values the points of a run with fast mathematics or in single precision are compared by. Absent:
   * by their own values.
   */
  readonly exact?: Kernel;
  /** Milliseconds, monotonic. */
  now(): number;
}

interface Point {
  /** Number of the candidate; points at the end come after all. */
  readonly order: number;
  readonly x: Float64Array;
  values: readonly number[];
}

/** Why a candidate is looked at. */
interface Wanted {
  readonly byChance: boolean;
  readonly isAsked: boolean;
}

export class Checker implements Checks {
  private readonly parts: CheckerParts;
  private sampler: PointSampler;
  private readonly startedAt: number;
  /** To be sent, in their order. */
  private open: Point[] = [];
  private sent: Point[] = [];
  /** Answered, and yet to be judged. */
  private answers: { readonly point: Point; readonly answer: PythonAnswer }[] = [];
  confirmed = 0;
  private undecided = 0;
  private gap: VerificationGap | null = null;
  /** With a list and with an array the objective gives other values. */
  private takesEither = false;
  /** CPython's message about a missing module. */
  private message: string | undefined;
  /**
   * The confirmed point that contradicts a certified bound if any does: where the worse one of the two values is best.
   */
  private lowest: { readonly point: Point; readonly cpython: number } | null = null;
  private found: Misreading | null = null;
  private abort = new AbortController();
  private request: Promise<void> | null = null;
  private isOpened = false;
  /** The search is over: who waits for the end judges. */
  private isEnding = false;
  private spentMs = 0;
  private msPerPoint = 0;
  private answered = 0;
  /** Rows whose patterns are yet to be asked for. */
  private rows = new Float64Array(0);
  private rowValues = new Float64Array(0);
  private rowNumbers: number[] = [];
  private patterns: EvaluationOutput = createOutput(0);
  private readonly askedTogether: number;
  private defective: Error | null = null;

  constructor(parts: CheckerParts) {
    this.parts = parts;
    const { ir, seed } = parts;
    this.sampler = new PointSampler(seed, denseEvaluations(ir.types.length));
    this.startedAt = parts.now();
    this.askedTogether = Math.max(1, Math.min(ASKED_TOGETHER, Math.floor(ASKED_BYTES / (8 * ir.dimension))));
  }

  /** Goes on from `state`. Before anything is noted. */
  restore(state: CheckState): void {
    const { ir, seed } = this.parts;
    this.sampler = new PointSampler(seed, denseEvaluations(ir.types.length), state.sampler);
    this.confirmed = state.confirmed;
    this.undecided = state.undecided;
    this.gap = state.gap;
    this.message = state.message;
    this.takesEither = state.isDoubtful === true;
    this.open = state.open.map((point) => this.decoded(point));
    this.answers = [];
    this.isEnding = false;
    this.abort = new AbortController();
    const { lowest } = state;
    if (lowest !== null) this.lowest = { point: this.decoded(lowest), cpython: decodeFloats(lowest.cpython, 1)[0] };
  }

  /** State of the checks. Candidates whose patterns were not asked for yet are missing: `settle` first. */
  state(): CheckState {
    const { lowest } = this;
    return {
      sampler: this.sampler.state(),
      confirmed: this.confirmed,
      undecided: this.undecided,
      open: [...this.answers.map(({ point }) => point), ...this.sent, ...this.open].map(encoded),
      lowest:
        lowest === null ? null : { ...encoded(lowest.point), cpython: encodeFloats(Float64Array.of(lowest.cpython)) },
      gap: this.gap,
      isDoubtful: this.takesEither ? true : undefined,
      message: this.message,
    };
  }

  get isDoubtful(): boolean {
    const { takesEither, confirmed, undecided, gap } = this;
    return takesEither || (confirmed === 0 && (undecided > 0 || gap === 'undecided'));
  }

  /** The earliest so far. */
  get misreading(): Misreading | null {
    return this.found;
  }

  /**
   * Rows that were valued: `first` is the number of the first one's evaluation, `values` [count, width] are in the
   * objective's own direction. Copies what it keeps. Returns what is to be waited for, if anything is.
   */
  note(
    batch: CandidateBatch,
    first: number,
    values: Float64Array,
    isCompiled: (row: number) => boolean,
  ): Promise<void> | null {
    for (let row = 0; row < batch.count; row++) this.noteRow(batch, row, first + row, values, isCompiled);
    return this.askIfMany();
  }

  /** Those of the evaluations from `first` on that are looked at, from 0. */
  looksAt(first: number, count: number): readonly number[] {
    const rows: number[] = [];
    for (let row = 0; row < count; row++) if (this.wants(first + row) !== null) rows.push(row);
    return rows;
  }

  /** As `note`, of rows with these numbers. */
  noteSome(
    batch: CandidateBatch,
    numbers: readonly number[],
    values: Float64Array,
    isCompiled: (row: number) => boolean,
  ): Promise<void> | null {
    numbers.forEach((number, row) => this.noteRow(batch, row, number, values, isCompiled));
    return this.askIfMany();
  }

  private noteRow(
    batch: CandidateBatch,
    row: number,
    number: number,
    values: Float64Array,
    isCompiled: (row: number) => boolean,
  ): void {
    const { width } = this.parts;
    const wanted = this.wants(number);
    if (wanted === null || !isCompiled(row)) return;
    this.keep(number, candidateOf(batch, row), values.subarray(row * width, (row + 1) * width), wanted);
  }

  /**
   * Boxes over which the objective was bounded (rows of `bounds`, model/reading.ts): their centres are points like any
   * candidate, for a proof rests on them as a search does on its candidates.
   */
  async noteBoxes(batch: CandidateBatch, first: number): Promise<void> {
    const { ir, width } = this.parts;
    const n = ir.dimension;
    const rows = Array.from({ length: batch.count }, (_, row) => row).filter((row) => this.wants(first + row) !== null);
    if (rows.length === 0) return;
    const centres = new Float64Array(rows.length * n);
    rows.forEach((row, k) => {
      const box = candidateOf(batch, row);
      for (let i = 0; i < n; i++) {
        const lower = box[i];
        centres[k * n + i] = lower + 0.5 * (box[n + i] - lower);
      }
    });
    const output = await this.valued(centres, rows.length);
    if (output === null) return;
    rows.forEach((row, k) => {
      if (output.status[k] !== 0) return;
      const own = output.values.subarray(k * width, (k + 1) * width);
      this.keep(first + row, centres.subarray(k * n, (k + 1) * n), own, this.wants(first + row)!);
    });
    await this.askIfMany();
  }

  /** Everything that was noted is chosen or not. */
  async settle(): Promise<void> {
    if (this.rowNumbers.length > 0) await this.ask();
  }

  /** The misreading of the earliest point that was chosen, after one was found. */
  async earliest(): Promise<Misreading | null> {
    const until = this.parts.now() + PATIENCE_MS;
    await this.settle();
    this.isEnding = true;
    this.judgeAnswers(until);
    while (this.found !== null && this.hasOpenBefore(this.found.evaluation) && this.gap === null) {
      this.open = this.open.filter(({ order }) => order < this.found!.evaluation);
      this.send(true);
      if (this.request === null || !(await this.within(this.request, until))) break;
      this.judgeAnswers(until);
    }
    return this.found;
  }

  /**
   * The last points are chosen, and answers waited for as long as that is reasonable. Then `misreading` says how it
   * went.
   */
  async finish(end: SearchEnd): Promise<Verified> {
    const { now } = this.parts;
    await this.settle();
    await this.addEnd(end);
    this.isEnding = true;
    const patience = end.isCancelled
      ? CANCELLED_WAIT_MS
      : Math.min(LONGEST_WAIT_MS, Math.max(PATIENCE_MS, SHARE * end.elapsedMs));
    const until = now() + patience;
    for (;;) {
      this.judgeAnswers(this.isOpened ? until : until + OPENING_MS);
      if (this.open.length + this.sent.length + this.answers.length === 0 || this.gap !== null) break;
      if (this.found !== null && !this.hasOpenBefore(this.found.evaluation)) break;
      this.send(true);
      const { request } = this;
      const isInTime =
        request !== null && ((await this.within(request, until)) || (await this.opens(request, end, until)));
      if (isInTime) continue;
      this.gap = 'time';
      this.abort.abort();
    }
    this.contradict(end);
    return this.verdict();
  }

  /** A defect of ours on the way, for the log. */
  get defect(): string | null {
    return this.defective?.stack ?? null;
  }

  /** Whether a process that was not there yet answers in the time that is granted once for that. */
  private async opens(request: Promise<void>, { isCancelled }: SearchEnd, until: number): Promise<boolean> {
    return !this.isOpened && !isCancelled && this.within(request, until + OPENING_MS);
  }

  private verdict(): Verified {
    const { confirmed: points, undecided, gap } = this;
    if (this.takesEither) return { ...unverified('undecided'), message: DOUBT };
    if (gap !== null) return { by: points > 0 ? 'cpython' : null, points, reason: gap, message: this.message };
    if (points > 0) return { by: 'cpython', points, reason: undecided > 0 ? 'undecided' : undefined };
    return unverified(undecided > 0 ? 'undecided' : 'nothing_valued');
  }

  // --- choosing

  /** Null: candidate `number` is none of those that are taken, whatever its pattern. */
  private wants(number: number): Wanted | null {
    const byChance = this.sampler.isByChance(number);
    const isAsked = this.parts.outcomes !== null && this.sampler.asksForPattern(number);
    return byChance || isAsked ? { byChance, isAsked } : null;
  }

  private keep(number: number, x: Float64Array, values: Float64Array, { byChance, isAsked }: Wanted): void {
    if (byChance && this.sampler.take(number)) {
      this.open.push({ order: number, x: x.slice(), values: Array.from(values) });
    }
    if (isAsked) this.keepRow(number, x, values);
  }

  private askIfMany(): Promise<void> | null {
    if (this.rowNumbers.length >= this.askedTogether) return this.ask();
    this.send();
    return null;
  }

  private keepRow(number: number, x: Float64Array, values: Float64Array): void {
    const k = this.rowNumbers.push(number) - 1;
    const [n, width] = [x.length, values.length];
    if (this.rows.length < (k + 1) * n) {
      const room = Math.max(this.askedTogether, 2 * k);
      this.rows = grown(this.rows, room * n);
      this.rowValues = grown(this.rowValues, room * width);
    }
    this.rows.set(x, k * n);
    this.rowValues.set(values, k * width);
  }

  /** Asks for the patterns of the rows that wait for it. */
  private async ask(): Promise<void> {
    const { outcomes, width, ir } = this.parts;
    const n = ir.dimension;
    const numbers = this.rowNumbers;
    if (outcomes === null || numbers.length === 0) return;
    this.rowNumbers = [];
    if (this.patterns.status.length < numbers.length) this.patterns = createOutput(numbers.length);
    await outcomes.evaluate({ candidates: this.rows, count: numbers.length, dimension: n }, this.patterns);
    numbers.forEach((number, k) => {
      if (this.patterns.status[k] !== 0) return;
      if (!this.sampler.takesByPattern(number, this.patterns.values[k])) return;
      const x = this.rows.slice(k * n, (k + 1) * n);
      this.open.push({ order: number, x, values: Array.from(this.rowValues.subarray(k * width, (k + 1) * width)) });
    });
    this.send();
  }

  /** Adds those points at the end that compiled code values itself: CPython has valued the others. */
  private async addEnd({ points }: SearchEnd): Promise<void> {
    if (points.length === 0) return;
    const n = this.parts.ir.dimension;
    const output = await this.valued(candidatesOf(points, n), points.length);
    if (output === null) return;
    points.forEach(({ order, x, values }, k) => {
      if (output.status[k] === 0 && this.sampler.take(order)) this.open.push({ order, x: x.slice(), values });
    });
  }

  /** Values of compiled code there; null: it is lost, and CPython has taken over. */
  private async valued(candidates: Float64Array, count: number): Promise<EvaluationOutput | null> {
    const { primary, ir, width } = this.parts;
    const output = createOutput(count, width);
    try {
      await primary.evaluate({ candidates, count, dimension: ir.dimension }, output);
      return output;
    } catch (error) {
      if (error instanceof ExtremumError && error.code === 'backend_lost') return null;
      throw error;
    }
  }

  // --- asking CPython

  private hasOpenBefore(order: number): boolean {
    return [...this.open, ...this.sent, ...this.answers.map(({ point }) => point)].some((point) => point.order < order);
  }

  /** The next request, where none is under way and checks have not taken more than their share. */
  private send(isAtEnd = false): void {
    if (this.request !== null || this.open.length === 0 || this.gap !== null) return;
    if (!isAtEnd && (this.isOverdrawn() || this.isSoon())) return;
    const usual = this.answered === 0 ? FIRST_REQUEST : Math.floor(REQUEST_MS / this.msPerPoint);
    this.sent = this.open.splice(0, Math.max(1, Math.min(LARGEST_REQUEST, usual)));
    this.request = this.answer(this.sent)
      .catch((error: unknown) => this.lose(error))
      .then(() => {
        this.request = null;
        this.sent = [];
        if (!this.isEnding) this.judgeAnswers();
        if (!this.isEnding && this.found === null) this.send();
      });
  }

  private async answer(sent: readonly Point[]): Promise<void> {
    const { python, width, ir, now } = this.parts;
    const n = ir.dimension;
    const points = await this.thatExactCodeValues(sent);
    if (points.length === 0) {
      this.sent = [];
      return;
    }
    const batch = { candidates: candidatesOf(points, n), count: points.length, dimension: n };
    const output = createOutput(points.length, width);
    const before = now();
    try {
      await python.evaluate(batch, output, this.abort.signal);
    } catch (error) {
      const failure = rejection(error);
      if (failure === null) throw error;
      this.sent = [];
      this.answers.push(...points.map((point) => ({ point, answer: { failure } })));
      return;
    } finally {
      this.spentMs += now() - before;
    }
    this.sent = [];
    this.isOpened = true;
    this.answered += points.length;
    // The first request also opens the process.
    this.msPerPoint = Math.max((now() - before) / points.length, 1e-3);
    points.forEach((point, k) => {
      const failure = output.status[k] === 0 ? undefined : failureAt(output, k);
      const values = Array.from(output.values.subarray(k * width, (k + 1) * width));
      this.answers.push({ point, answer: failure === undefined ? { values } : { failure } });
    });
  }

  /** With the values of exact code, where the search had others. What exact code stops has none to compare. */
  private async thatExactCodeValues(points: readonly Point[]): Promise<readonly Point[]> {
    const { exact, width, ir } = this.parts;
    if (exact === undefined) return points;
    const output = createOutput(points.length, width);
    const n = ir.dimension;
    await exact.evaluate({ candidates: candidatesOf(points, n), count: points.length, dimension: n }, output);
    points.forEach((point, k) => (point.values = Array.from(output.values.subarray(k * width, (k + 1) * width))));
    return points.filter((_, k) => output.status[k] === 0);
  }

  /** As far as the patience for checks goes, which is the search's time while it goes on. */
  private judgeAnswers(until = Infinity): void {
    const { now } = this.parts;
    while (this.answers.length > 0 && this.gap === null) {
      if (now() >= until || (until === Infinity && this.isOverdrawn())) return;
      const before = now();
      const { point, answer } = this.answers.shift()!;
      try {
        this.judge(point, answer);
      } catch (error) {
        // A defect: of the judge, or of what compiled code made of the source. Bits differ, and nothing explains it.
        this.noteDefect(error);
        this.report(point, answer, 'the difference from what CPython gives cannot be judged');
      }
      this.spentMs += now() - before;
    }
  }

  /** A request costs more than the points of a short run, which go together at its end. */
  private isSoon(): boolean {
    return this.parts.now() - this.startedAt < FIRST_REQUEST_MS;
  }

  private isOverdrawn(): boolean {
    return this.spentMs > PATIENCE_MS + SHARE * (this.parts.now() - this.startedAt);
  }

  private judge(point: Point, answer: PythonAnswer): void {
    if ('failure' in answer) {
      const gap = gapOf(answer.failure);
      if (gap !== null) {
        if (this.gap === null && gap === 'missing_module') this.message = answer.failure.message;
        this.gap ??= gap;
        return;
      }
      if (answer.failure.type === DOUBTFUL_ARGUMENT) {
        this.takesEither = true;
        this.undecided++;
        return;
      }
      // Which of several values is NaN nobody is told.
      if (answer.failure.type === 'NaNResult' && point.values.some(Number.isNaN)) {
        this.confirmed++;
        return;
      }
    }
    const verdict = judgePoint(this.parts.judged, point.x, point.values, answer);
    switch (verdict.kind) {
      case 'equal':
      case 'within':
        this.confirmed++;
        if ('values' in answer && answer.values.length === 1) this.keepLowest(point, answer.values[0]);
        return;
      case 'open':
        this.undecided++;
        return;
      case 'misread':
        this.report(point, answer, verdict.message);
        return;
    }
  }

  private report({ order, x, values }: Point, answer: PythonAnswer, message: string, bound?: number): void {
    if (this.found !== null && this.found.evaluation <= order) return;
    this.found = {
      point: Array.from(x),
      compiled: [...values],
      cpython: 'values' in answer ? [...answer.values] : answer.failure,
      bound,
      message,
      evaluation: order,
    };
  }

  private lose(error: unknown): void {
    if (!(error instanceof ExtremumError)) {
      this.noteDefect(error);
      this.gap ??= 'undecided';
    } else if (error.code === 'cancelled') this.gap ??= 'time';
    else if (error.code === 'backend_unavailable') this.gap ??= 'no_interpreter';
    else this.gap ??= 'interpreter_lost';
  }

  private noteDefect(error: unknown): void {
    this.defective ??= error instanceof Error ? error : new Error(String(error));
  }

  private async within(work: Promise<void>, until: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    let isDone = false;
    const late = async (): Promise<boolean> => {
      while (!isDone) {
        const left = until - this.parts.now();
        if (left <= 0) return false;
        await new Promise((resolve) => (timer = setTimeout(resolve, left)));
      }
      return true;
    };
    return Promise.race([work.then(() => true), late()]).finally(() => {
      isDone = true;
      clearTimeout(timer);
    });
  }

  private keepLowest(point: Point, cpython: number): void {
    const height = (p: Point, value: number): number => Math.max(this.sign * p.values[0], this.sign * value);
    if (!(height(point, cpython) < Infinity)) return;
    const { lowest } = this;
    if (lowest !== null && height(lowest.point, lowest.cpython) <= height(point, cpython)) return;
    this.lowest = { point, cpython };
  }

  /** Whether both values of a confirmed point lie beyond the bound that is certified: then that is wrong. */
  private contradict({ bound }: SearchEnd): void {
    const { lowest, sign } = this;
    if (bound === null || lowest === null) return;
    const { point, cpython } = lowest;
    if (!(Math.max(sign * cpython, sign * point.values[0]) < sign * bound)) return;
    const message = `the value ${cpython} lies beyond the bound that was certified, ${bound}`;
    this.report(point, { values: [cpython] }, message, bound);
  }

  private get sign(): 1 | -1 {
    return this.parts.direction === 'maximize' ? -1 : 1;
  }

  private decoded({ order, solution, values }: OpenPoint): Point {
    const { ir, width } = this.parts;
    return { order, x: decodeFloats(solution, ir.dimension), values: Array.from(decodeFloats(values, width)) };
  }
}

const encoded = ({ order, x, values }: Point): OpenPoint => ({
  order,
  solution: encodeFloats(x),
  values: encodeFloats(Float64Array.from(values)),
});

function candidatesOf(points: readonly Point[], n: number): Float64Array {
  const candidates = new Float64Array(points.length * n);
  points.forEach(({ x }, k) => candidates.set(x, k * n));
  return candidates;
}

function grown(array: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(length);
  larger.set(array);
  return larger;
}

function failureAt({ failures, status }: EvaluationOutput, row: number): EvaluationFailure {
  const found = failures.find(({ index }) => index === row);
  if (found === undefined) throw new Error(`status ${status[row]} without a failure`);
  const { type, message, line } = found;
  return { type, message, line };
}

/** Exception that CPython raised when it loaded the source; null: the error is another one. */
function rejection(error: unknown): EvaluationFailure | null {
  if (!(error instanceof ExtremumError) || error.code !== 'objective_rejected') return null;
  const { type = 'RuntimeError', message = error.message, line = 0 } = error.facts as Partial<EvaluationFailure>;
  return { type, message, line };
}

/** Failures that say nothing of the value: CPython came to no end, or to none that the program decides. */
function gapOf({ type, message }: EvaluationFailure): VerificationGap | null {
  if (type === 'TimeLimit') return 'time';
  if (type === 'ProcessLost' || type === 'MemoryLimit') return 'interpreter_lost';
  return lackedPackage({ type, message }) === null ? null : 'missing_module';
}
