/**
 * Branch and bound over boxes, with bounds by interval arithmetic: finds the global minimum of a program and proves it.
 *
 * The boxes that are left cover all places where a better value than the best can be. In each turn the one with the
 * lowest bound is split, and both parts are bounded; what cannot hold a better value is dropped. The longest side is
 * split, at a random 40 to 60 %: exact halves would meet minima at round numbers by accident. Local searches give the
 * values that boxes are dropped by.
 *
 * Many boxes around a minimum have its value as their bound, because natural bounds are those of more than the box. So
 * boxes are ranked further by the bounds of smaller ones around their centres, each 0.3 times as wide, until one is
 * higher than that of the box, and at last by the value of the centre; by that alone where the budget is small. Bounds
 * that differ by less than a proof heeds count as equal. Local searches begin at the best point where it is new, else
 * at the centre of the first box.
 *
 * Boxes whose bound is minus infinity are split in the order of their age.
 *
 * Source: Moore, Kearfott and Cloud, Introduction to Interval Analysis, 2009, 11.4 (the Moore-Skelboe algorithm).
 */
import { binade } from '../../common/float.js';
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import type { Certificate } from '../../model/certificate.js';
import { isProven } from '../../model/certificate.js';
import { QuasiNewton, type QuasiNewtonStart } from '../quasi-newton/quasi-newton.js';
import { MARGIN, bestPoint, randomPoint } from '../search/points.js';
import {
  evaluatePoint,
  type Points,
  type Search,
  type SearchContext,
  type SearchSnapshot,
  type Step,
} from '../search/search.js';
import type { StrategyStop } from '../strategy.js';

/** Shares of its budget after which a local search sets out. */
const LOCAL_SEARCHES = [0.1, 0.3, 0.5, 0.9];
/** Largest share of the budget that one of them may take, unless it holds the best value. */
const LOCAL_SHARE = 0.2;
/** Widths of the boxes around a centre that it is ranked by. */
const INNER_WIDTHS = [0.3, 0.09, 0.027];
/** Budget per dimension for which inner boxes are worth it: with less, boxes stay so wide that these say little. */
const INNER_EVALUATIONS = 150;
/** A bound, then what else it is ranked by: the bounds of the inner boxes and the value of the centre. */
const RANKS = INNER_WIDTHS.length + 2;
/**
 * Bounds count as equal within it: a third of the gap that a proof allows (`model/certificate.ts`), as a power of two.
 */
const LEVEL = 2 ** -28;
const RELATIVE_LEVEL = 2 ** -41;
/** Numbers in the boxes that are kept: 2 MiB, so that a checkpoint stays small. */
const MAX_NUMBERS = 2 ** 18;

interface Box {
  /** [n] each, in the unit box. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** No value in it is lower. */
  readonly bound: number;
  /**
   * Bounds of smaller boxes around its centre, the last one higher than its own, or all of them and the value of the
   * centre.
   */
  readonly inner: readonly number[];
  readonly serial: number;
}

interface State {
  /** A heap: the next one to be split comes first. Null before the first turn. */
  readonly boxes: readonly Box[] | null;
  /** No value is lower in boxes that are neither open nor dropped: they were too many, or too small. */
  readonly floor: number;
  /** Boxes so far. */
  readonly serial: number;
  /** Evaluations of the run when it began. */
  readonly begun: number;
  readonly localSearches: number;
  readonly local: QuasiNewton | null;
  readonly localEnd: number;
  /** Best value after the last local search; before the first, when it began. */
  readonly polished: number;
}

export class BranchAndBound implements Search {
  private current!: State;
  private readonly looksInside: boolean;
  /** Lowest of the bounds of the boxes; null: not looked for since they changed. */
  private lowest: number | null = null;

  constructor(
    private readonly context: SearchContext,
    snapshot?: SearchSnapshot,
  ) {
    this.looksInside = context.budget >= INNER_EVALUATIONS * context.n;
    this.state =
      snapshot === undefined
        ? {
            boxes: null,
            floor: Infinity,
            serial: 0,
            begun: context.archive.evaluations,
            localSearches: 0,
            local: null,
            localEnd: 0,
            polished: Infinity,
          }
        : decode(context, snapshot);
  }

  private get state(): State {
    return this.current;
  }

  private set state(next: State) {
    if (next.boxes !== this.current?.boxes) this.lowest = null;
    this.current = next;
  }

  end(): StrategyStop | null {
    const { boxes } = this.state;
    if (boxes === null) return null;
    if (isProven(this.context.archive.bestFitness, this.bound)) return 'tolFun';
    return boxes.length === 0 ? 'tolX' : null;
  }

  certificate(): Certificate | null {
    const { bound } = this;
    if (!Number.isFinite(bound)) return null;
    return { bound, proof: `interval arithmetic over ${this.state.serial} boxes that cover the bounds` };
  }

  private get bound(): number {
    const { boxes, floor } = this.state;
    if (boxes === null) return -Infinity;
    // The first one has the lowest level, but not always the lowest bound.
    this.lowest ??= boxes.reduce((least, box) => Math.min(least, box.bound), Infinity);
    return Math.min(this.context.archive.bestFitness, floor, this.lowest);
  }

  *step(): Step {
    if (this.state.boxes === null) yield* this.open();
    else if (this.state.local !== null || this.isLocalSearchDue()) yield* this.descend(this.state.boxes);
    else yield* this.split(this.state.boxes);
  }

  private *open(): Step {
    const { context } = this;
    const { n, archive } = context;
    if (archive.bestPoint() === null) yield* evaluatePoint(context.start?.slice() ?? randomPoint(context, MARGIN));
    const lower = new Float64Array(n);
    const upper = new Float64Array(n).fill(1);
    const [bound] = yield* this.bounds([[lower, upper]]);
    const box = { lower, upper, bound, inner: [], serial: 0 };
    this.state = { ...this.state, boxes: [box], serial: 1, polished: archive.bestFitness };
  }

  private isLocalSearchDue(): boolean {
    const { archive, budget } = this.context;
    const { begun, localSearches, polished, boxes } = this.state;
    const share = LOCAL_SEARCHES[localSearches];
    if (share === undefined || archive.evaluations - begun < share * (budget - begun)) return false;
    const [first] = boxes!;
    const isNew = archive.bestFitness < polished;
    return isNew || (this.looksInside && first.bound > -Infinity && !holds(first, bestPoint(this.context)));
  }

  /** A step of the local search. */
  private *descend(boxes: readonly Box[]): Step {
    const { context, state } = this;
    const { archive, budget } = context;
    const isNew = state.local === null;
    const local = state.local ?? new QuasiNewton(context, yield* this.whereToDescend(boxes[0]));
    const localEnd = isNew ? archive.evaluations + Math.ceil(LOCAL_SHARE * (budget - state.begun)) : state.localEnd;
    yield* local.step();
    // Boxes find no last digits.
    const isOver = local.end() !== null || (archive.evaluations >= localEnd && local.fitness > archive.bestFitness);
    this.state = {
      ...state,
      local: isOver ? null : local,
      localEnd,
      localSearches: state.localSearches + (isNew ? 1 : 0),
      polished: isOver ? archive.bestFitness : state.polished,
    };
  }

  /** The best point where it is new, else the centre of the box that comes first. */
  private *whereToDescend(first: Box): Generator<Points, QuasiNewtonStart, Float64Array> {
    const { context } = this;
    const best = { x: bestPoint(context), fitness: context.archive.bestFitness };
    if (best.fitness < this.state.polished) return best;
    const x = centreOf([first.lower, first.upper]);
    return { x, fitness: yield* evaluatePoint(x), canBeAbandoned: true };
  }

  private *split(boxes: readonly Box[]): Step {
    const { archive } = this.context;
    const box = boxes[0];
    if (box === undefined) return;
    const parts = this.halves(box);
    if (parts === null) {
      const rest = boxes.slice();
      pop(rest);
      this.state = { ...this.state, boxes: rest, floor: Math.min(this.state.floor, box.bound) };
      return;
    }
    const bounds = yield* this.bounds(parts);
    const kept = parts
      .map((sides, k) => ({ sides, bound: Math.max(bounds[k], box.bound) }))
      .filter(({ bound }) => bound <= archive.bestFitness && bound < Infinity);
    const ranks = kept.length === 0 ? [] : yield* this.ranks(kept);
    const { serial } = this.state;
    const open = boxes.slice();
    pop(open);
    kept.forEach(({ sides: [lower, upper], bound }, k) =>
      push(open, { lower, upper, bound, inner: ranks[k], serial: serial + k }),
    );
    this.state = { ...this.state, ...this.withRoom(open), serial: serial + kept.length };
  }

  /** Null when there is no number between the ends. */
  private halves({ lower, upper }: Box): readonly [Sides, Sides] | null {
    const { rng } = this.context;
    let side = 0;
    for (let i = 1; i < lower.length; i++) if (upper[i] - lower[i] > upper[side] - lower[side]) side = i;
    const cut = lower[side] + (0.4 + 0.2 * rng.uniform()) * (upper[side] - lower[side]);
    if (!(cut > lower[side] && cut < upper[side])) return null;
    return [
      [lower, upper.with(side, cut)],
      [lower.with(side, cut), upper],
    ];
  }

  /** Lower bounds; minus infinity where nothing is known. */
  private *bounds(boxes: readonly Sides[]): Generator<Points, number[], Float64Array> {
    const { n } = this.context;
    const points = new Float64Array(boxes.length * 2 * n);
    boxes.forEach(([lower, upper], k) => {
      points.set(lower, 2 * k * n);
      points.set(upper, (2 * k + 1) * n);
    });
    const results = yield { points, count: boxes.length, reading: 'bounds' };
    const width = results.length / boxes.length;
    return boxes.map((_, k) => (Number.isNaN(results[k * width]) ? -Infinity : results[k * width]));
  }

  /** See `Box.inner`. Of a box without a bound only the centre is evaluated. */
  private *ranks(boxes: readonly Bounded[]): Generator<Points, number[][], Float64Array> {
    const found = boxes.map((): number[] => []);
    let equal = boxes.map((_, k) => k).filter((k) => boxes[k].bound > -Infinity);
    for (const width of this.looksInside ? INNER_WIDTHS : []) {
      if (equal.length === 0) break;
      const bounds = yield* this.bounds(equal.map((k) => shrunk(boxes[k].sides, width)));
      equal.forEach((k, at) => found[k].push(bounds[at]));
      equal = equal.filter((k) => levelOf(found[k].at(-1)!) <= levelOf(boxes[k].bound));
    }
    const rest = boxes.map((_, k) => k).filter((k) => equal.includes(k) || boxes[k].bound === -Infinity);
    if (rest.length === 0) return found;
    const points = Float64Array.from(rest.flatMap((k) => Array.from(centreOf(boxes[k].sides))));
    const values = yield { points, count: rest.length };
    rest.forEach((k, at) => found[k].push(values[at]));
    return found;
  }

  /** Puts the worst boxes away where there are too many: their bounds remain. */
  private withRoom(boxes: Box[]): Pick<State, 'boxes' | 'floor'> {
    const { floor } = this.state;
    const most = Math.max(4, Math.floor(MAX_NUMBERS / (2 * this.context.n + RANKS + 1)));
    if (boxes.length <= most) return { boxes, floor };
    boxes.sort((p, q) => (isBefore(p, q) ? -1 : 1));
    const away = boxes.splice(Math.ceil(0.75 * most));
    return { boxes, floor: away.reduce((least, { bound }) => Math.min(least, bound), floor) };
  }

  snapshot(): SearchSnapshot {
    const { boxes, local, floor, polished, ...counters } = this.state;
    const numbers = boxes?.flatMap(({ lower, upper, bound, inner, serial }) => [
      ...lower,
      ...upper,
      serial,
      bound,
      ...inner,
      ...new Array<number>(RANKS - 1 - inner.length).fill(NaN),
    ]);
    return {
      ...counters,
      boxes: numbers === undefined ? null : encodeFloats(Float64Array.from(numbers)),
      local: local?.snapshot() ?? null,
      values: encodeFloats(Float64Array.of(floor, polished)),
    };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): BranchAndBound {
    return new BranchAndBound(context, snapshot);
  }
}

/** Lower and upper ends. */
type Sides = readonly [Float64Array, Float64Array];

interface Bounded {
  readonly sides: Sides;
  readonly bound: number;
}

const centreOf = ([lower, upper]: Sides): Float64Array => lower.map((low, i) => 0.5 * (low + upper[i]));

const holds = ({ lower, upper }: Box, point: Float64Array): boolean =>
  point.every((value, i) => value >= lower[i] && value <= upper[i]);

/** The box with the same centre and `width` times the sides. */
function shrunk(sides: Sides, width: number): Sides {
  const centre = centreOf(sides);
  const toward = (ends: Float64Array): Float64Array => ends.map((end, i) => centre[i] + width * (end - centre[i]));
  return [toward(sides[0]), toward(sides[1])];
}

/**
 * The bound without what a proof does not heed. The grid of larger numbers is part of that of smaller ones, so the
 * order stays.
 */
function levelOf(bound: number): number {
  if (!Number.isFinite(bound)) return bound;
  const step = Math.max(LEVEL, RELATIVE_LEVEL * binade(bound));
  return Math.floor(bound / step) * step;
}

function decode(context: SearchContext, snapshot: SearchSnapshot): State {
  const { boxes, local, values, ...counters } = snapshot as unknown as Omit<State, 'boxes' | 'local'> & {
    readonly boxes: string | null;
    readonly local: SearchSnapshot | null;
    readonly values: string;
  };
  const [floor, polished] = decodeFloats(values, 2);
  return {
    ...counters,
    floor,
    polished,
    boxes: boxes === null ? null : decodeBoxes(boxes, context.n),
    local: local === null ? null : QuasiNewton.restore(context, local),
  };
}

function decodeBoxes(text: string, n: number): Box[] {
  const width = 2 * n + RANKS + 1;
  const count = Buffer.from(text, 'base64').byteLength / 8 / width;
  const numbers = decodeFloats(text, count * width);
  return Array.from({ length: count }, (_, k) => {
    const row = numbers.subarray(k * width, (k + 1) * width);
    const [serial, bound, ...inner] = row.subarray(2 * n);
    const ranks = inner.filter((rank) => !Number.isNaN(rank));
    return { lower: row.slice(0, n), upper: row.slice(n, 2 * n), bound, inner: ranks, serial };
  });
}

function isBefore(p: Box, q: Box): boolean {
  const [first, second] = [levelOf(p.bound), levelOf(q.bound)];
  if (first !== second) return first < second;
  if (first === -Infinity) return p.serial < q.serial;
  for (let k = 0; k < RANKS - 1; k++) {
    const [a, c] = [levelOf(p.inner[k] ?? -Infinity), levelOf(q.inner[k] ?? -Infinity)];
    if (a !== c) return a < c;
  }
  return p.serial > q.serial;
}

function push(heap: Box[], box: Box): void {
  let at = heap.push(box) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(box, heap[parent])) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = box;
}

/** Removes the first. */
function pop(heap: Box[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
    if (!isBefore(heap[child], last)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
}
