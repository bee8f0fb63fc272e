/**
 * A search as a strategy: maps the unit box to the bounds, feeds the archive, and makes snapshots of searches that are
 * in the middle of a step.
 */
import { Rng, type RngSnapshot } from '../../common/rng.js';
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { BestSoFar, type Incumbent } from '../../model/best-so-far.js';
import { candidateStride, partOf, type CandidateBatch } from '../../model/candidate-batch.js';
import type { Certificate } from '../../model/certificate.js';
import { padTile, TILE_LANES, tiledLength, tiledStart } from '../../model/tiles.js';
import { alignedFloats } from '../../common/aligned.js';
import { isOfBox, isValued, rowLength, type Reading } from '../../model/reading.js';
import type { PlanningRecord, StrategyChange, StrategySpan } from '../../model/run-task.js';
import type { Strategy, StrategyFactory, StrategyProblem, StrategySnapshot, StrategyStop } from '../strategy.js';
import { Archive, type ArchiveSnapshot } from './archive.js';
import { modelPoint } from './model-point.js';
import type { Points, Search, SearchContext, SearchFactory, SearchSnapshot, Step } from './search.js';

/** Evaluations that candidates beyond those of the search are made from, beside the best. */
const MOST_MODELLED = 1_000;
/** A search that takes so many steps without asking for anything does not work. */
const MAX_SILENT_STEPS = 10_000;

interface Snapshot extends StrategySnapshot {
  /** Archive, generator and search at the beginning of the current step. */
  readonly archive: ArchiveSnapshot;
  readonly rng: RngSnapshot;
  readonly search: SearchSnapshot;
  /** [fitness, ...solution] of the best candidate by then. */
  readonly best: string;
  /** The fitness values told since. */
  readonly replies: string;
  /** `SearchContext.starts`; absent: none. Kept, because what was learned may be forgotten before the run goes on. */
  readonly starts?: { readonly rows: string; readonly count: number };
  /** Points learned since from elsewhere: [fitness, ...solution] each. Absent: none. */
  readonly learned?: { readonly rows: string; readonly count: number; readonly isWithinStep: boolean };
}

class SearchStrategy implements Strategy {
  private readonly n: number;
  private readonly width: Float64Array;
  private readonly rng: Rng;
  private readonly archive: Archive;
  private readonly search: Search;
  private readonly starts: Float64Array | null;

  /** The step under way, with what it asked last. */
  private step: Step | null = null;
  private asked: Points | null = null;
  private answer = new Float64Array(0);
  private answered = 0;
  private candidates = new Float64Array(0);
  /** Of `candidates`. */
  private layout: 'tiles' | undefined;
  /** Whether `candidates` holds what is asked. */
  private isMapped = false;
  private readonly best: BestSoFar;

  /** How things were when the step began, and what was told since: a snapshot within a step. */
  private before!: {
    readonly rng: RngSnapshot;
    readonly size: number;
    readonly evaluations: number;
    readonly best: BestSoFar;
  };
  private replies: number[] = [];
  /** [fitness, ...solution] of results from elsewhere, which the archive gets before the next step. */
  private learned: Float64Array[] = [];

  constructor(
    readonly name: string,
    private readonly version: number,
    private readonly restarts: boolean,
    factory: SearchFactory,
    private readonly problem: StrategyProblem,
    snapshot?: Snapshot,
  ) {
    const { lower, upper } = problem.bounds;
    this.n = lower.length;
    this.width = lower.map((low, i) => Math.min(upper[i] - low, Number.MAX_VALUE));
    this.rng = snapshot === undefined ? Rng.create(problem.seed).split(name) : Rng.restore(snapshot.rng);
    this.archive = new Archive(this.n, snapshot?.archive);
    this.best = new BestSoFar(this.n, snapshot?.best);
    const start = problem.initialSolution;
    this.starts = this.startsOf(problem, snapshot);
    const context: SearchContext = {
      n: this.n,
      rng: this.rng,
      archive: this.archive,
      budget: problem.budgetEvaluations,
      widths: this.width,
      lower,
      mode: problem.mode,
      knowledge: problem.knowledge,
      starts: this.starts ?? undefined,
      start: start === undefined ? undefined : this.toUnit(start),
      program: problem.program,
    };
    this.search = snapshot === undefined ? factory.create(context) : factory.restore(context, snapshot.search);
    if (snapshot === undefined) return;
    const count = Buffer.from(snapshot.replies, 'base64').byteLength / 8;
    const replies = decodeFloats(snapshot.replies, count);
    for (let told = 0; told < count;) {
      const asked = this.ask().count * this.resultsOf(this.asked!);
      const batch = replies.subarray(told, Math.min(count, told + asked));
      this.tell(batch);
      told += batch.length;
    }
    const { learned } = snapshot;
    if (learned === undefined) return;
    // What came within a step waits for its end.
    if (learned.isWithinStep) this.open();
    const length = this.n + 1;
    const rows = decodeFloats(learned.rows, learned.count * length);
    for (let at = 0; at < rows.length; at += length) this.learn(rows.subarray(at + 1, at + length), rows[at]);
  }

  ask(): CandidateBatch {
    const asked = this.open();
    const { count, reading = 'value' } = asked;
    const length = this.rowLengthOf(asked);
    if (!this.isMapped) {
      // Of less than a tile, most would be written and copied for nothing.
      this.layout = count < TILE_LANES ? undefined : 'tiles';
      const size = this.layout === 'tiles' ? tiledLength(count, length) : count * length;
      if (this.candidates.length < size) this.candidates = alignedFloats(size);
      this.toBox(asked, reading, length);
      // The way to the unit box and back rounds.
      const { initialSolution } = this.problem;
      if (initialSolution !== undefined && this.archive.evaluations === 0) this.place(initialSolution);
      this.isMapped = true;
    }
    const { layout, answered } = this;
    const all: CandidateBatch = {
      candidates: this.candidates.subarray(0, layout === 'tiles' ? tiledLength(count, length) : count * length),
      layout,
      count,
      dimension: length,
      reading: reading === 'value' ? undefined : reading,
      bearsGaps: asked.bearsGaps,
      isPrecise: asked.isDifference,
    };
    return answered === 0 ? all : partOf(all, answered);
  }

  learn(solution: Float64Array, fitness: number): void {
    this.learned.push(Float64Array.of(fitness, ...solution));
    this.best.offer(fitness, solution);
  }

  another(rng: Rng): Float64Array | null {
    const { lower, upper } = this.problem.bounds;
    const known = this.archive.latest(MOST_MODELLED);
    // They enter the archive at the next step only.
    for (const row of this.learned) known.add(this.toUnit(row.subarray(1)), 0, row[0], false);
    const point = modelPoint(known, rng);
    return point === null ? null : point.map((u, i) => inBox(u, lower[i], upper[i], this.width[i]));
  }

  tell(results: Float64Array): void {
    const { asked } = this;
    const width = asked === null ? 1 : this.resultsOf(asked);
    const told = results.length / width;
    const expected = asked === null ? 0 : asked.count - this.answered;
    if (asked === null || !Number.isInteger(told) || told === 0 || told > expected) {
      throw new RangeError(`tell: ${told} rows of results for ${expected} open candidates`);
    }
    if (isValued(asked.reading ?? 'value')) this.learnValues(asked, results, told, width);
    else this.archive.count(told);
    const { reading } = asked;
    const hasSlopes = reading === 'gradient' || reading === 'envelope';
    const scaled = reading === 'switches' ? this.n : hasSlopes ? width - 1 : 0;
    for (let k = 0, at = this.answered * width; k < told * width; k++) {
      const result = results[k];
      this.replies.push(result);
      const column = k % width;
      const isSlope = column > 0 && column <= scaled;
      this.answer[at + k] = isSlope ? result * this.width[(column - 1) % this.n] : result;
    }
    this.answered += told;
    if (this.answered === asked.count) this.resume(this.answer);
  }

  private learnValues(asked: Points, results: Float64Array, told: number, width: number): void {
    const { n } = this;
    const { candidates, layout } = this;
    const mapped = { candidates, layout, dimension: n };
    for (let k = 0; k < told; k++) {
      const value = results[k * width];
      if (!(value > -Infinity))
        throw new RangeError(`tell: fitness[${k}] is ${value}; a failed evaluation is +Infinity`);
    }
    for (let k = 0; k < told; k++) {
      const value = results[k * width];
      const row = this.answered + k;
      this.archive.add(asked.points, row * n, value, asked.isDifference === true);
      this.best.offerOf(value, mapped, row);
    }
  }

  private rowLengthOf(asked: Points): number {
    return rowLength(asked.reading ?? 'value', this.n, this.resultsOf(asked) - 1);
  }

  /** Numbers that a row of the answer has. */
  private resultsOf({ reading = 'value' }: Points): number {
    if (reading === 'value') return 1;
    const length = this.problem.program?.resultLength(reading) ?? null;
    if (length === null) throw new Error(`${this.name}: the program cannot be read for ${reading}`);
    return 1 + length;
  }

  stop(): StrategyStop | null {
    return this.step === null ? this.search.end() : null;
  }

  incumbent(): Incumbent | null {
    return this.best.incumbent();
  }

  phases(): readonly StrategySpan[] {
    return this.search.phases?.() ?? [];
  }

  change(): StrategyChange | null {
    return this.search.change?.() ?? null;
  }

  certificate(): Certificate | null {
    return this.search.certificate?.() ?? null;
  }

  planning(): PlanningRecord | null {
    return this.search.planning?.() ?? null;
  }

  snapshot(): StrategySnapshot {
    if (this.step === null) this.noteBeginning();
    const snapshot: Snapshot = {
      version: this.version,
      archive: this.archive.snapshot(this.before.size, this.before.evaluations),
      rng: this.before.rng,
      search: this.search.snapshot(),
      best: this.before.best.encode(),
      replies: encodeFloats(Float64Array.from(this.replies)),
      starts:
        this.starts === null ? undefined : { rows: encodeFloats(this.starts), count: this.starts.length / this.n },
      learned: this.learned.length === 0 ? undefined : this.learnedSnapshot(),
    };
    return snapshot;
  }

  /** Points that are asked for now; begins the next step where none is under way. */
  private open(): Points {
    for (let silent = 0; this.asked === null; silent++) {
      if (silent === MAX_SILENT_STEPS) throw new Error(`${this.name}: ${silent} steps without an evaluation`);
      if (!this.restarts && this.search.end() !== null) throw new Error(`${this.name}: asked although it has ended`);
      for (const row of this.learned) this.archive.add(this.toUnit(row.subarray(1)), 0, row[0], false);
      this.learned = [];
      this.archive.compact();
      this.noteBeginning();
      this.step = this.search.step();
      this.resume(undefined);
    }
    return this.asked;
  }

  private startsOf({ starts }: StrategyProblem, snapshot: Snapshot | undefined): Float64Array | null {
    const { n } = this;
    if (snapshot !== undefined) {
      const kept = snapshot.starts;
      return kept === undefined ? null : decodeFloats(kept.rows, kept.count * n);
    }
    if (starts === undefined) return null;
    const unit = new Float64Array(starts.length);
    for (let at = 0; at < starts.length; at += n) unit.set(this.toUnit(starts.subarray(at, at + n)), at);
    return unit;
  }

  private learnedSnapshot(): NonNullable<Snapshot['learned']> {
    const rows = new Float64Array(this.learned.length * (this.n + 1));
    this.learned.forEach((row, k) => rows.set(row, k * row.length));
    return { rows: encodeFloats(rows), count: this.learned.length, isWithinStep: this.step !== null };
  }

  private noteBeginning(): void {
    this.before = {
      rng: this.rng.snapshot(),
      size: this.archive.size,
      evaluations: this.archive.evaluations,
      best: this.best.copy(),
    };
    this.replies = [];
  }

  /** Goes on with the step until it asks again or is over. */
  private resume(answer: Float64Array | undefined): void {
    const step = this.step!;
    const next = answer === undefined ? step.next(NO_ANSWER) : step.next(answer);
    this.answered = 0;
    this.isMapped = false;
    if (next.done === true) {
      this.step = this.asked = null;
      return;
    }
    this.asked = next.value;
    this.answer = new Float64Array(next.value.count * this.resultsOf(next.value));
  }

  /** The first candidate. */
  private place(solution: readonly number[]): void {
    const stride = candidateStride({ layout: this.layout });
    solution.forEach((value, i) => (this.candidates[i * stride] = value));
  }

  private toUnit(solution: ArrayLike<number>): Float64Array {
    const { lower } = this.problem.bounds;
    return Float64Array.from(solution, (value, i) => clamp((value - lower[i]) / this.width[i], 0, 1));
  }

  /**
   * Points, corners of boxes and directions, from the units of the unit box to those of the request. Other numbers of
   * a row stay.
   */
  private toBox({ points, count }: Points, reading: Reading, length: number): void {
    const { n, width, candidates, layout } = this;
    const { lower, upper } = this.problem.bounds;
    const isBox = isOfBox(reading);
    const isDirection = reading === 'tangents';
    if (layout !== 'tiles') {
      for (let start = 0; start < count * length; start += length) {
        for (let k = 0; k < length; k++) {
          const u = points[start + k];
          const i = k < n ? k : k - n;
          if (k < n || isBox) candidates[start + k] = inBox(u, lower[i], upper[i], width[i]);
          else candidates[start + k] = isDirection ? u * width[i] : u;
        }
      }
      return;
    }
    // A line of the cache holds a number of so many candidates, and is written whole.
    for (let first = 0; first < count; first += LINE_LANES) {
      const lanes = Math.min(LINE_LANES, count - first);
      let at = tiledStart(first, length);
      for (let k = 0; k < length; k++, at += TILE_LANES) {
        const isPoint = k < n || isBox;
        const i = k < n ? k : k - n;
        const low = lower[i];
        const high = upper[i];
        const across = isPoint || isDirection ? width[i] : 1;
        for (let lane = 0, from = first * length + k; lane < lanes; lane++, from += length) {
          const u = points[from];
          candidates[at + lane] = isPoint ? inBox(u, low, high, across) : u * across;
        }
      }
    }
    padTile(candidates, count, length);
  }
}

const LINE_LANES = 8;
const NO_ANSWER = new Float64Array(0);

const inBox = (u: number, low: number, high: number, width: number): number =>
  u <= 0 ? low : u >= 1 ? high : clamp(low + u * width, low, high);

const clamp = (value: number, low: number, high: number): number => (value < low ? low : value > high ? high : value);

/** @param version of the snapshots; raised when what the search keeps changes */
export function searchStrategy(
  name: string,
  version: number,
  capabilities: StrategyFactory['capabilities'],
  factory: SearchFactory,
): StrategyFactory {
  return {
    name,
    capabilities,
    create: (problem) => new SearchStrategy(name, version, capabilities.restarts, factory, problem),
    restore: (problem, snapshot) => {
      if (snapshot.version !== version) {
        throw new RangeError(`${name}: snapshot version ${snapshot.version}, expected ${version}`);
      }
      return new SearchStrategy(name, version, capabilities.restarts, factory, problem, snapshot as Snapshot);
    },
  };
}
