/**
 * A study as a state machine over its log (docs/adr/0026-studies.md). `proposeAsk` and `proposeTell` say which entry a
 * request would add, and change nothing; `apply` carries out an entry that has been stored. The state follows from the
 * record and the entries alone, so whoever applies the same entries holds the same study.
 *
 * The strategy's generation is handed out row by row. It is told when every row has its result; what else is handed out
 * meanwhile (`extra-points.ts`), or told late, or told without having been asked for, is learned from where the
 * strategy can.
 */
import { ExtremumError } from '../common/errors.js';
import { decodeFloats, encodeFloats } from '../common/float64-codec.js';
import { requireSuitable, strategyProblem } from '../engine/chosen-strategy.js';
import { FrontArchive, type ArchivedFront, type FrontArchiveSnapshot } from '../pareto/front-archive.js';
import { BestSoFar } from '../model/best-so-far.js';
import { candidateOf, type CandidateBatch } from '../model/candidate-batch.js';
import type { Page, PageRequest } from '../model/page.js';
import type { StudyRecord, StudySummary } from '../model/study.js';
import type { Strategy, StrategyFactory, StrategyProblem, StrategySnapshot } from '../strategies/strategy.js';
import { extraPoint, extraRng } from '../strategies/extra-points.js';
import { isOverdue, StudyPoints, type PointsSnapshot } from './points.js';

/** Numbers in one answer: about 4 MB of JSON. */
const MAX_ANSWER_NUMBERS = 200_000;
/** Numbers in all points that are open: they are kept in memory. */
const MAX_OPEN_NUMBERS = 4_000_000;
/** Results that a study takes at most. */
const MAX_RESULTS = 200_000;
/** Share of a generation that bears gaps: once so much has been told, whoever asks for more closes it. */
const ENOUGH_TOLD = 0.75;
/** Candidates of an answer that the strategy makes beyond its own: each may take some milliseconds. */
const MOST_MODELLED = 64;
/** A point is overdue when so many times as many results came in as points were under way when it was handed out. */
const PATIENCE = 2;
const IN_NO_GENERATION = -1;
/** Stands for a row that another point has filled: nothing more is to be learned from it. */
const FILLED_BY_ANOTHER = -2;
const SNAPSHOT_VERSION = 1;

export type StudyOperation =
  | {
      readonly kind: 'ask';
      /** Serial of the first point. */
      readonly first: number;
      /** Row of each point in the generation; negative: none. */
      readonly rows: readonly number[];
      /** [count, n] */
      readonly solutions: string;
    }
  | {
      readonly kind: 'tell';
      /** 0: it was not asked for. */
      readonly serials: readonly number[];
      /** [count, m] in the objectives' own directions; NaN: failed. */
      readonly values: string;
      /** Points that were not asked for, in their order. */
      readonly solutions: string;
    }
  /** The rows of the generation that were not told count as failed. */
  | { readonly kind: 'close' }
  /** The strategy begins anew at the best point: its state was made by another version of it. */
  | { readonly kind: 'begin' };

export interface StudyCandidate {
  readonly serial: number;
  readonly solution: Float64Array;
}

/** A result as it comes: of a point by its serial, or by its solution. */
export interface StudyResult {
  readonly point: number | readonly number[];
  /** Null: the evaluation failed. */
  readonly values: readonly number[] | null;
}

interface StudyPoint {
  readonly solution: Float64Array;
  /** In the objectives' own directions. */
  readonly values: readonly number[];
}

/** The best point of one objective; null before there is one. Of several the front. */
export type StudyBest =
  | { readonly point: StudyPoint | null }
  | {
      readonly front: readonly StudyPoint[];
      readonly hypervolume: number;
      readonly reference: readonly number[] | null;
    };

export interface StudyStateSnapshot {
  readonly version: number;
  readonly strategy: { readonly name: string; readonly state: StrategySnapshot } | null;
  readonly generation: {
    readonly number: number;
    readonly handed: number;
    readonly fitness: string;
    readonly count: number;
  };
  readonly evaluations: number;
  readonly failedEvaluations: number;
  /** [value, ...solution] */
  readonly best: string | null;
  /** Null: there is one objective. */
  readonly front: FrontArchiveSnapshot | null;
  readonly points: PointsSnapshot;
}

/** The open batch of the strategy. */
interface Generation {
  readonly number: number;
  readonly batch: CandidateBatch;
  /** Rows that were handed out. */
  handed: number;
  /** [count, objectives], minimised; NaN: not told. */
  readonly fitness: Float64Array;
  /** Rows. */
  told: number;
  /** Serials of the points that have the row, where more than one has. */
  readonly twins: Map<number, number[]>;
}

export class Study {
  private readonly n: number;
  private readonly m: number;
  private readonly problem: StrategyProblem;
  /** For each objective. */
  private readonly signs: readonly (1 | -1)[];
  private readonly points: StudyPoints;
  /** Null: the log says that it has handed out other points than it would now. */
  private strategy: Strategy | null;
  private generation: Generation | null = null;
  private generationNumber = 0;
  private evaluations = 0;
  private failedEvaluations = 0;
  /** Of one objective. */
  private readonly bestPoint: BestSoFar;
  /** Null: there is one objective. */
  private readonly front: FrontArchive | null;

  /** @throws {RangeError} if the snapshot was made by another version. */
  constructor(
    private readonly record: StudyRecord,
    private readonly factory: StrategyFactory,
    snapshot?: StudyStateSnapshot,
  ) {
    this.n = record.bounds.length;
    this.m = record.directions.length;
    this.signs = record.directions.map((direction) => (direction === 'maximize' ? -1 : 1));
    requireSuitable(factory, { dimension: this.n, objectives: this.m, program: null });
    const task = {
      bounds: record.bounds,
      maxEvaluations: record.maxEvaluations,
      seed: record.seed,
      // Values are turned here, each by its own direction.
      direction: 'minimize',
      objectives: this.m,
      mode: 'balanced',
      strategy: factory.name,
    } as const;
    this.problem = strategyProblem(task, record.maxEvaluations, {});
    if (snapshot !== undefined && snapshot.version !== SNAPSHOT_VERSION) {
      throw new RangeError(`study: snapshot version ${snapshot.version}, expected ${SNAPSHOT_VERSION}`);
    }
    this.bestPoint = new BestSoFar(this.n);
    this.points = new StudyPoints(this.n, this.m, snapshot?.points);
    this.front = this.m === 1 ? null : new FrontArchive(this.n, this.m, null, snapshot?.front ?? undefined);
    if (snapshot === undefined) {
      this.strategy = factory.create(this.problem);
      this.openGeneration();
      return;
    }
    const { generation } = snapshot;
    this.strategy = snapshot.strategy === null ? null : factory.restore(this.problem, snapshot.strategy.state);
    this.evaluations = snapshot.evaluations;
    this.failedEvaluations = snapshot.failedEvaluations;
    if (snapshot.best !== null) {
      const [value, ...solution] = decodeFloats(snapshot.best, 1 + this.n);
      this.bestPoint.offer(this.signs[0] * value, solution);
    }
    this.generationNumber = generation.number - 1;
    this.openGeneration();
    this.generation?.fitness.set(decodeFloats(generation.fitness, generation.count));
    this.restoreGeneration(generation.handed);
  }

  private restoreGeneration(handed: number): void {
    const { generation } = this;
    if (generation === null) return;
    generation.handed = handed;
    const { fitness } = generation;
    generation.told = fitness.reduce((told, value, k) => told + Number(k % this.m === 0 && value === value), 0);
    for (let serial = 1; serial <= this.points.count; serial++) {
      const point = this.points.open(serial);
      if (point?.generation === generation.number && point.row >= 0) this.noteHolder(generation, point.row, serial);
    }
  }

  /** The problem with what is left of the budget, and the best point to begin with. */
  private beginAnew(): Strategy {
    const budgetEvaluations = Math.max(1, this.record.maxEvaluations - this.evaluations);
    const [best] = this.goodSolutions();
    const start = best === undefined ? {} : { initialSolution: Array.from(best) };
    return this.factory.create({ ...this.problem, budgetEvaluations, ...start });
  }

  private openGeneration(): void {
    this.generationNumber++;
    if (this.strategy === null) {
      this.generation = null;
      return;
    }
    const batch = this.strategy.ask();
    const fitness = new Float64Array(batch.count * this.m).fill(NaN);
    this.generation = { number: this.generationNumber, batch, handed: 0, fitness, told: 0, twins: new Map() };
  }

  // --- proposals

  /**
   * The next entry for somebody who asks for points: if it is none of kind `ask`, it is to be applied first.
   * @throws {ExtremumError} `conflict`: the budget is used up, or too many points are open.
   */
  proposeAsk(count: number): StudyOperation {
    const left = this.record.maxEvaluations - this.evaluations;
    if (left <= 0) {
      const message = `The study has all of its ${this.record.maxEvaluations} evaluations (\`max_evaluations\`).`;
      throw new ExtremumError('conflict', message);
    }
    const room = Math.floor(MAX_OPEN_NUMBERS / this.n) - this.points.openCount;
    if (room <= 0) {
      const message = `${this.points.openCount} points are open: tell their results (or \`failed\`) before asking for more.`;
      throw new ExtremumError('conflict', message);
    }
    const { generation } = this;
    if (generation === null) return { kind: 'begin' };
    const isHandedOut = generation.handed === generation.batch.count;
    const isEnoughTold = generation.told >= ENOUGH_TOLD * generation.batch.count;
    if (isHandedOut && isEnoughTold && generation.batch.bearsGaps === true) return { kind: 'close' };

    // What is under way may use up the rest; but it may also be lost, so there is always something to be had.
    const unclaimed = Math.max(1, left - this.points.underWay(this.evaluations).length);
    const wanted = Math.min(count, unclaimed, room, Math.max(1, Math.floor(MAX_ANSWER_NUMBERS / this.n)));
    const first = this.points.count + 1;
    const rows = this.rowsToHandOut(generation, wanted);
    const solutions = new Float64Array(wanted * this.n);
    const good = rows.some((row) => row < 0) ? this.goodSolutions() : [];
    const handedOut = new Set<string>();
    const isThere = (point: Float64Array): boolean =>
      handedOut.has(point.join()) || this.points.withSolution(point).length > 0;
    rows.forEach((row, k) => {
      const serial = first + k;
      let solution = row < 0 ? null : rowOf(generation.batch, row);
      if (row < 0 && k < MOST_MODELLED) solution = this.strategy?.another?.(extraRng(this.problem, serial)) ?? null;
      if (solution === null || (row < 0 && isThere(solution))) {
        solution = extraPoint(this.problem, serial, good[serial % Math.max(1, good.length)] ?? null);
      }
      // Later ones are not asked about.
      if (k < MOST_MODELLED) handedOut.add(solution.join());
      solutions.set(solution, k * this.n);
    });
    return { kind: 'ask', first, rows, solutions: encodeFloats(solutions) };
  }

  /** Rows that nobody has, then those that nobody counts on any more, then none. */
  private rowsToHandOut({ batch, handed, fitness, twins, number }: Generation, wanted: number): number[] {
    const rows: number[] = [];
    for (let row = handed; row < batch.count && rows.length < wanted; row++) rows.push(row);
    for (let row = 0; row < handed && rows.length < wanted; row++) {
      if (fitness[row * this.m] === fitness[row * this.m]) continue;
      const holders = (twins.get(row) ?? []).map((serial) => this.points.open(serial));
      const isLost = holders.every(
        (point) => point === undefined || point.generation !== number || isOverdue(point, this.evaluations),
      );
      if (isLost) rows.push(row);
    }
    while (rows.length < wanted) rows.push(IN_NO_GENERATION);
    return rows;
  }

  /**
   * The entry for results, without those that are known already; null: all of them are.
   * @throws {ExtremumError} `invalid_request` with the field: no such point; `conflict`: another value than before, or
   * no room.
   */
  proposeTell(results: readonly StudyResult[]): StudyOperation | null {
    const serials: number[] = [];
    const values: number[] = [];
    const foreign: number[] = [];
    /** Results that this request has told so far. */
    const told = new Map<string, Float64Array>();
    results.forEach((result, i) => {
      const own = result.values === null ? new Float64Array(this.m).fill(NaN) : Float64Array.from(result.values);
      const serial = this.resolve(result.point, own, i);
      if (serial === null) return;
      const name = serial > 0 ? String(serial) : JSON.stringify(result.point);
      const before = told.get(name);
      if (before !== undefined) {
        if (!isSame(before, own)) throw anotherValue(i, before);
        return;
      }
      told.set(name, own);
      serials.push(serial);
      values.push(...own);
      if (serial === 0) foreign.push(...(result.point as readonly number[]));
    });
    if (this.evaluations + serials.length > MAX_RESULTS) {
      throw new ExtremumError('conflict', `A study takes at most ${MAX_RESULTS} results.`);
    }
    if (serials.length === 0) return null;
    const floats = (numbers: number[]): string => encodeFloats(Float64Array.from(numbers));
    return { kind: 'tell', serials, values: floats(values), solutions: floats(foreign) };
  }

  /** The open point that is meant; 0: one that nobody had asked for; null: it was told the same before. */
  private resolve(point: StudyResult['point'], values: Float64Array, i: number): number | null {
    if (typeof point === 'number') {
      const before = this.points.values(point);
      if (before === undefined) {
        const message = `\`results[${i}].id\` is no point of this study.`;
        throw new ExtremumError('invalid_request', message, { field: `results[${i}].id` });
      }
      if (before === null) return point;
      if (isSame(before, values)) return null;
      throw anotherValue(i, before);
    }
    const same = this.points.withSolution(Float64Array.from(point));
    const told = same.flatMap((serial) => this.points.values(serial) ?? []);
    if (told.some((before) => isSame(before, values))) return null;
    const open = same.find((serial) => this.points.values(serial) === null);
    if (open !== undefined) return open;
    if (told.length > 0) throw anotherValue(i, told[0]);
    return 0;
  }

  /** How the study will stand after the entry. */
  summaryAfter(operation: StudyOperation, at: number): StudySummary {
    let { evaluations, failedEvaluations } = this;
    let open = this.points.openCount;
    let { fitness } = this.bestPoint;
    if (operation.kind === 'ask') open += operation.rows.length;
    if (operation.kind === 'tell') {
      const { serials } = operation;
      const values = decodeFloats(operation.values, serials.length * this.m);
      serials.forEach((serial, k) => {
        const value = values[k * this.m];
        evaluations++;
        if (serial > 0) open--;
        if (value !== value) failedEvaluations++;
        else if (this.signs[0] * value < fitness) fitness = this.signs[0] * value;
      });
    }
    const bestFitness = this.m === 1 && fitness < Infinity ? this.signs[0] * fitness : null;
    return { evaluations, failedEvaluations, open, bestFitness, at };
  }

  /** Points of the generation that were not handed out yet, after an `ask`. */
  leftAfter(operation: StudyOperation): number {
    const { generation } = this;
    if (generation === null || operation.kind !== 'ask') return 0;
    const fresh = operation.rows.filter((row) => row >= generation.handed).length;
    return generation.batch.count - generation.handed - fresh;
  }

  get dimension(): number {
    return this.n;
  }

  best(): StudyBest {
    const { n, m, front, signs } = this;
    if (front === null) {
      const best = this.bestPoint.incumbent();
      return { point: best === null ? null : { solution: best.solution, values: [signs[0] * best.fitness] } };
    }
    const { solutions, values, size, hypervolume, reference } = this.frontNow(front);
    const own = (fitness: Float64Array): number[] => Array.from(fitness, (value, i) => signs[i] * value);
    const points = Array.from({ length: size }, (_, k) => ({
      solution: solutions.slice(k * n, (k + 1) * n),
      values: own(values.subarray(k * m, (k + 1) * m)),
    }));
    return { front: points, hypervolume, reference: reference === null ? null : own(reference) };
  }

  /** What was told of the points, the latest first; null: open. */
  values({ limit, offset }: PageRequest): Page<Float64Array | null> {
    const total = this.points.count;
    const last = total - offset;
    const count = Math.max(0, Math.min(limit, last));
    return { items: Array.from({ length: count }, (_, k) => this.points.values(last - k) ?? null), total };
  }

  /** The best point, or those of the front. */
  private goodSolutions(): Float64Array[] {
    const { n } = this;
    if (this.front === null) return this.bestPoint.isKnown ? [this.bestPoint.solution.slice()] : [];
    const { solutions, size } = this.frontNow(this.front);
    return Array.from({ length: size }, (_, row) => solutions.slice(row * n, (row + 1) * n));
  }

  /** Looking at a front may thin it, which must not depend on who looks when. */
  private frontNow(front: FrontArchive): ArchivedFront {
    return new FrontArchive(this.n, this.m, null, front.snapshot()).front();
  }

  // --- entries

  apply(operation: StudyOperation): void {
    switch (operation.kind) {
      case 'ask':
        return this.handOut(operation);
      case 'tell':
        return this.take(operation);
      case 'close':
        return this.endGeneration();
      case 'begin':
        this.strategy = this.beginAnew();
        return this.openGeneration();
    }
  }

  private handOut(operation: Extract<StudyOperation, { kind: 'ask' }>): void {
    const candidates = candidatesOf(operation, this.n);
    const isOurs = operation.rows.every((row, k) => row < 0 || this.isRow(row, candidates[k].solution));
    if (!isOurs) {
      this.strategy = null;
      this.generation = null;
    }
    const { generation } = this;
    const patience = PATIENCE * (this.points.underWay(this.evaluations).length + candidates.length);
    candidates.forEach(({ solution }, k) => {
      const row = generation === null ? IN_NO_GENERATION : operation.rows[k];
      const resultsBefore = this.evaluations;
      const serial = this.points.handOut({ solution, row, generation: this.generationNumber, resultsBefore, patience });
      if (generation === null || row < 0) return;
      generation.handed = Math.max(generation.handed, row + 1);
      this.noteHolder(generation, row, serial);
    });
  }

  private isRow(row: number, solution: Float64Array): boolean {
    const { generation } = this;
    if (generation === null || row >= generation.batch.count) return false;
    return rowOf(generation.batch, row).every((value, i) => Object.is(value, solution[i]));
  }

  private noteHolder({ twins }: Generation, row: number, serial: number): void {
    const others = twins.get(row);
    if (others === undefined) twins.set(row, [serial]);
    else others.push(serial);
  }

  private take(operation: Extract<StudyOperation, { kind: 'tell' }>): void {
    const { n, m } = this;
    const { serials } = operation;
    const values = decodeFloats(operation.values, serials.length * m);
    const foreign = decodeFloats(operation.solutions, serials.filter((serial) => serial === 0).length * n);
    let foreignCount = 0;
    serials.forEach((serial, k) => {
      const own = values.slice(k * m, (k + 1) * m);
      const point = serial > 0 ? this.points.tell(serial, own) : null;
      const solution = point?.solution ?? foreign.slice(foreignCount * n, ++foreignCount * n);
      if (point === null) this.points.add(solution, own);
      this.evaluations++;
      const hasFailed = own.some((value) => value !== value);
      const fitness = own.map((value, i) => (hasFailed ? Infinity : this.signs[i] * value));
      if (hasFailed) this.failedEvaluations++;
      else if (this.front !== null) this.front.add(solution, fitness);
      else this.bestPoint.offer(fitness[0], solution);
      if (!this.fillRow(point?.row ?? IN_NO_GENERATION, point?.generation ?? 0, fitness)) {
        const isNews = !hasFailed && point?.row !== FILLED_BY_ANOTHER;
        if (isNews && this.m === 1) this.strategy?.learn?.(solution, fitness[0]);
        else if (isNews) this.strategy?.learnSeveral?.(solution, fitness);
      }
    });
  }

  /** False: the generation does not wait for it. */
  private fillRow(row: number, number: number, fitness: Float64Array): boolean {
    const { generation } = this;
    if (generation?.number !== number || row < 0) return false;
    generation.fitness.set(fitness, row * this.m);
    generation.told++;
    for (const serial of generation.twins.get(row) ?? []) {
      const twin = this.points.open(serial);
      if (twin !== undefined) twin.row = FILLED_BY_ANOTHER;
    }
    if (generation.told === generation.batch.count) this.endGeneration();
    return true;
  }

  private endGeneration(): void {
    const { generation, strategy } = this;
    if (generation === null || strategy === null) return;
    strategy.tell(generation.fitness.map((fitness) => (fitness === fitness ? fitness : Infinity)));
    this.openGeneration();
  }

  snapshot(): StudyStateSnapshot {
    const { strategy, generation, bestPoint, signs } = this;
    return {
      version: SNAPSHOT_VERSION,
      strategy: strategy === null ? null : { name: strategy.name, state: strategy.snapshot() },
      generation: {
        number: this.generationNumber,
        handed: generation?.handed ?? 0,
        fitness: encodeFloats(generation?.fitness ?? new Float64Array(0)),
        count: generation?.fitness.length ?? 0,
      },
      evaluations: this.evaluations,
      failedEvaluations: this.failedEvaluations,
      front: this.front?.snapshot() ?? null,
      best: bestPoint.isKnown
        ? encodeFloats(Float64Array.of(signs[0] * bestPoint.fitness, ...bestPoint.solution))
        : null,
      points: this.points.snapshot(),
    };
  }
}

/** Points that the entry hands out. */
export function candidatesOf(operation: StudyOperation, n: number): StudyCandidate[] {
  if (operation.kind !== 'ask') return [];
  const { first, rows } = operation;
  const solutions = decodeFloats(operation.solutions, rows.length * n);
  return rows.map((_, k) => ({ serial: first + k, solution: solutions.slice(k * n, (k + 1) * n) }));
}

const rowOf = (batch: CandidateBatch, row: number): Float64Array => candidateOf(batch, row).slice();

const isSame = (a: Float64Array, b: Float64Array): boolean =>
  a.every((value, i) => value === b[i] || (value !== value && b[i] !== b[i]));

function anotherValue(i: number, before: Float64Array): ExtremumError {
  const was = before.some((value) => value !== value) ? 'failed' : `[${before.join(', ')}]`;
  const message = `\`results[${i}]\`: this point was told already, as ${was}.`;
  return new ExtremumError('conflict', message, { field: `results[${i}]` });
}
