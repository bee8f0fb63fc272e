/**
 * A search for the front of 2 to 4 objectives: a population from which offspring are made by crossover and by
 * difference vectors, and which keeps what dominates the largest hypervolume. Sources, deviations and what was
 * measured: README.md.
 */
import { Rng, type RngSnapshot } from '../../common/rng.js';
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { alignedFloats } from '../../common/aligned.js';
import { candidateStride, partOf, type CandidateBatch } from '../../model/candidate-batch.js';
import { MAX_OBJECTIVES } from '../../model/front.js';
import { TILE_LANES, tiledLength, toTiles } from '../../model/tiles.js';
import { latinHypercube } from '../search/first-population.js';
import type { Strategy, StrategyProblem, StrategySnapshot } from '../strategy.js';
import { offspringSize, populationSize } from './parameters.js';
import { select } from './selection.js';
import { vary, type Parents } from './variation.js';

export const NAME = 'sms-emoa';
const SNAPSHOT_VERSION = 1;
/** Members that offspring are made from at least; before there are so many, the box is sampled. */
const LEAST_PARENTS = 4;

interface Snapshot extends StrategySnapshot {
  readonly rng: RngSnapshot;
  readonly capacity: number;
  /** [size, n], [size, k]. */
  readonly population: string;
  readonly values: string;
  readonly fronts: readonly number[];
  /** Up to `capacity` of them. */
  readonly replaced: string;
  /** [count, n] of the generation that is asked for, where one is open, with the values told so far. */
  readonly offspring: string | null;
  readonly told: string;
  /** Results that were not asked for and do not compete yet: [count, n], [count, k]. Absent: none. */
  readonly learned?: { readonly points: string; readonly values: string };
}

export class SmsEmoa implements Strategy {
  readonly name = NAME;
  private readonly n: number;
  private readonly k: number;
  private readonly rng: Rng;
  /** Members of a full population. */
  private readonly capacity: number;
  private size = 0;
  /** [size, n] in the unit box, [size, k], and the front of each member, of those that were selected together. */
  private population: Float64Array = new Float64Array(0);
  private values: Float64Array = new Float64Array(0);
  private fronts: Int32Array = new Int32Array(0);
  /** Points that lost their place, latest last: [replacedSize, n]. */
  private replaced: Float64Array = new Float64Array(0);
  /** The open generation: [count, n] in the unit box, the same in the bounds, [count, k] as far as it is told. */
  private offspring: Float64Array | null = null;
  private batch: CandidateBatch = { candidates: new Float64Array(0), count: 0, dimension: 0 };
  private told: Float64Array = new Float64Array(0);
  private toldRows = 0;
  /** Results that were not asked for and do not compete yet: in the unit box, and their values. */
  private learned: { readonly point: Float64Array; readonly values: Float64Array }[] = [];

  constructor(
    private readonly problem: StrategyProblem,
    snapshot?: Snapshot,
  ) {
    this.n = problem.bounds.lower.length;
    this.k = problem.objectives ?? 1;
    if (!(this.k >= 2 && this.k <= MAX_OBJECTIVES)) throw new RangeError(`${NAME}: ${this.k} objectives`);
    if (snapshot === undefined) {
      this.rng = Rng.create(problem.seed).split(NAME);
      this.capacity = populationSize(problem.budgetEvaluations, this.k);
      return;
    }
    const { n, k } = this;
    this.rng = Rng.restore(snapshot.rng);
    this.capacity = snapshot.capacity;
    this.size = snapshot.fronts.length;
    this.population = decodeFloats(snapshot.population, this.size * n);
    this.values = decodeFloats(snapshot.values, this.size * k);
    this.fronts = Int32Array.from(snapshot.fronts);
    this.replaced = decodeFloats(snapshot.replaced, countOf(snapshot.replaced));
    if (snapshot.learned !== undefined) {
      const values = decodeFloats(snapshot.learned.values, countOf(snapshot.learned.values));
      const points = decodeFloats(snapshot.learned.points, (values.length / k) * n);
      for (let row = 0; row < values.length / k; row++) {
        const point = points.slice(row * n, (row + 1) * n);
        this.learned.push({ point, values: values.slice(row * k, (row + 1) * k) });
      }
    }
    if (snapshot.offspring === null) return;
    this.open(decodeFloats(snapshot.offspring, countOf(snapshot.offspring)));
    this.toldRows = countOf(snapshot.told) / k;
    this.told.set(decodeFloats(snapshot.told, this.toldRows * k));
  }

  ask(): CandidateBatch {
    if (this.offspring === null) this.breed();
    const { batch, toldRows } = this;
    return toldRows === 0 ? batch : partOf(batch, toldRows);
  }

  tell(values: Float64Array): void {
    const { k } = this;
    const rows = values.length / k;
    const expected = this.offspring === null ? 0 : this.count - this.toldRows;
    if (!Number.isInteger(rows) || rows === 0 || rows > expected) {
      throw new RangeError(`tell: ${values.length} values for ${expected} open candidates of ${k} objectives`);
    }
    values.forEach((value, at) => {
      if (!(value > -Infinity))
        throw new RangeError(`tell: value ${at} is ${value}; a failed evaluation is a row with +Infinity`);
    });
    this.told.set(values, this.toldRows * k);
    this.toldRows += rows;
    if (this.toldRows === this.count) this.replace();
  }

  learnSeveral(solution: Float64Array, values: Float64Array): void {
    this.learned.push({ point: this.inUnitBox(solution), values: values.slice() });
    const isBreeding = this.size >= LEAST_PARENTS;
    if (isBreeding && this.learned.length >= offspringSize(this.capacity, this.k)) this.compete([], []);
  }

  another(rng: Rng): Float64Array | null {
    if (this.size < LEAST_PARENTS) return null;
    const point = new Float64Array(this.n);
    vary(this.parents(rng), this.n, rng, point, 0);
    return this.inBounds(point);
  }

  stop(): null {
    return null;
  }

  incumbent(): null {
    return null;
  }

  /** @throws {RangeError} the snapshot is of another version. */
  static restore(problem: StrategyProblem, snapshot: StrategySnapshot): SmsEmoa {
    if (snapshot.version !== SNAPSHOT_VERSION) {
      throw new RangeError(`${NAME}: snapshot version ${snapshot.version}, expected ${SNAPSHOT_VERSION}`);
    }
    return new SmsEmoa(problem, snapshot as Snapshot);
  }

  snapshot(): StrategySnapshot {
    const snapshot: Snapshot = {
      version: SNAPSHOT_VERSION,
      rng: this.rng.snapshot(),
      capacity: this.capacity,
      population: encodeFloats(this.population.subarray(0, this.size * this.n)),
      values: encodeFloats(this.values.subarray(0, this.size * this.k)),
      fronts: Array.from(this.fronts),
      replaced: encodeFloats(this.replaced),
      offspring: this.offspring === null ? null : encodeFloats(this.offspring),
      told: encodeFloats(this.told.subarray(0, this.toldRows * this.k)),
      learned:
        this.learned.length === 0
          ? undefined
          : {
              points: encodeFloats(Float64Array.from(this.learned.flatMap(({ point }) => Array.from(point)))),
              values: encodeFloats(Float64Array.from(this.learned.flatMap(({ values }) => Array.from(values)))),
            },
    };
    return snapshot;
  }

  /** Rows of the open generation. */
  private get count(): number {
    return (this.offspring?.length ?? 0) / this.n;
  }

  /** The next generation: a sample of the box as long as the population cannot be bred from. */
  private breed(): void {
    const { n, rng, capacity, size } = this;
    if (size < LEAST_PARENTS) {
      const points = new Float64Array(capacity * n);
      latinHypercube(points, capacity, n, rng);
      this.open(points);
      const { initialSolution } = this.problem;
      if (initialSolution !== undefined && size === 0) this.startAt(initialSolution);
      return;
    }
    const count = offspringSize(capacity, this.k);
    const points = new Float64Array(count * n);
    const parents = this.parents(rng);
    for (let c = 0; c < count; c++) vary(parents, n, rng, points, c * n);
    this.open(points);
  }

  /** Picks the better of two, by front. */
  private parents(rng: Rng): Parents {
    const { population, replaced, n, size } = this;
    const pick = (): number => {
      const a = rng.below(size);
      const b = rng.below(size);
      return this.fronts[a] <= this.fronts[b] ? a : b;
    };
    return { population, replaced, replacedSize: replaced.length / n, pick };
  }

  private startAt(solution: readonly number[]): void {
    this.offspring!.set(this.inUnitBox(solution));
    const stride = candidateStride(this.batch);
    solution.forEach((value, i) => (this.batch.candidates[i * stride] = value));
  }

  private inUnitBox(solution: ArrayLike<number>): Float64Array {
    const { lower, upper } = this.problem.bounds;
    return Float64Array.from(solution, (value, i) => {
      const width = Math.min(upper[i] - lower[i], Number.MAX_VALUE);
      return Math.min(1, Math.max(0, (value - lower[i]) / width));
    });
  }

  private inBounds(points: Float64Array): Float64Array<ArrayBuffer> {
    const { n } = this;
    const { lower, upper } = this.problem.bounds;
    return points.map((u, at) => {
      const low = lower[at % n];
      const high = upper[at % n];
      if (u >= 1) return high;
      return Math.min(high, Math.max(low, low + u * Math.min(high - low, Number.MAX_VALUE)));
    });
  }

  private open(points: Float64Array): void {
    this.offspring = points;
    const { n, count } = this;
    this.told = new Float64Array(count * this.k);
    this.toldRows = 0;
    const rows = this.inBounds(points);
    const layout = count < TILE_LANES ? undefined : 'tiles';
    const candidates = layout === 'tiles' ? toTiles(rows, count, n, alignedFloats(tiledLength(count, n))) : rows;
    // Failed ones do not compete, and that is all.
    this.batch = { candidates, layout, count, dimension: n, bearsGaps: true };
  }

  /** The open generation is told. */
  private replace(): void {
    const { n, k } = this;
    const offspring = this.offspring!;
    const isFinite = (row: number): boolean => this.told.subarray(row * k, (row + 1) * k).every((v) => v < Infinity);
    const born = Array.from({ length: this.count }, (_, row) => row).filter(isFinite);
    this.compete(
      born.map((row) => offspring.subarray(row * n, (row + 1) * n)),
      born.map((row) => this.told.subarray(row * k, (row + 1) * k)),
    );
    this.offspring = null;
    this.toldRows = 0;
  }

  /** Members, `born` with their values, and what was learned compete for the places. */
  private compete(born: readonly Float64Array[], bornValues: readonly Float64Array[]): void {
    const { n, k, capacity } = this;
    const newcomers = [...born, ...this.learned.map(({ point }) => point)];
    const theirs = [...bornValues, ...this.learned.map(({ values: own }) => own)];
    this.learned = [];
    const count = this.size + newcomers.length;
    const points = new Float64Array(count * n);
    const values = new Float64Array(count * k);
    points.set(this.population.subarray(0, this.size * n));
    values.set(this.values.subarray(0, this.size * k));
    newcomers.forEach((point, at) => points.set(point, (this.size + at) * n));
    theirs.forEach((own, at) => values.set(own, (this.size + at) * k));
    const { rows, fronts } = select(values, count, k, Math.min(count, capacity));
    const stays = new Uint8Array(count);
    for (const row of rows) stays[row] = 1;
    const lost = Array.from(stays.keys()).filter((row) => stays[row] === 0);
    const replaced = new Float64Array(this.replaced.length + lost.length * n);
    replaced.set(this.replaced);
    lost.forEach((row, at) => replaced.set(points.subarray(row * n, (row + 1) * n), this.replaced.length + at * n));
    this.replaced = replaced.slice(-capacity * n);
    this.population = new Float64Array(rows.length * n);
    this.values = new Float64Array(rows.length * k);
    rows.forEach((row, to) => {
      this.population.set(points.subarray(row * n, (row + 1) * n), to * n);
      this.values.set(values.subarray(row * k, (row + 1) * k), to * k);
    });
    this.fronts = Int32Array.from(rows, (row) => fronts[row]);
    this.size = rows.length;
  }
}

const countOf = (text: string): number => Buffer.from(text, 'base64').byteLength / 8;
