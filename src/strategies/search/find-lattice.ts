/**
 * Recognition of programs that round some of their variables: values stay the same, to the last bit, within cells of
 * equal width along single coordinates.
 *
 * It asks for both ends of a cell, for a point beyond one of them, and for one further on. So steps along other
 * directions than the coordinates, or of changing width, are no lattice, and neither are ramps. Widths and ends are
 * round numbers in the units of the request.
 */
import type { Rng } from '../../common/rng.js';
import { log } from '../../common/float.js';
import type { Lattice } from './lattice.js';
import { evaluatePoint, type Points, type SearchContext } from './search.js';

/** How close to the end of a cell is asked, as a share of its width. */
const INSIDE = 1e-3;
/** Ends of cells as shares of their width: a program that rounds, one that takes the floor. */
const PHASES = [0.5, 0] as const;
/** Round numbers: these, times powers of ten. */
const ROUND = [1, 0.5, 0.25, 0.2] as const;
/** Questions of one bisection, at most. */
const MAX_BISECTIONS = 16;
/** Where a coordinate is first asked for another value, as shares of the way to the farther bound. */
const AWAY = [0.25, 0.9] as const;
/** Coordinates without cells, before there is one with cells, after which nobody asks on. */
const MAX_MISSES = 1;

/** Moves that tell whether a coordinate changes nothing: of a difference, and one that rounding cannot hide. */
const CLOSE = 1e-7;
const NEAR = 1e-5;
/** Change of the value, relative to it, over the smaller one that only a step makes. */
const JUMP = 1e-3;
/** Evaluations per dimension of a run from which it is worth it to look for other cells than those of width 1. */
const LONG_ENOUGH = 30;

type Asking<T> = Generator<Points, T, Float64Array>;

/** Cells along one coordinate, in the units of the request. */
interface Cells {
  readonly width: number;
  readonly edge: number;
}

/**
 * The lattice, if there is one, of the coordinates along which differences from `x` are exactly zero.
 *
 * @param g the gradient at `x`, from differences or as the program gives it
 */
export function* findLattice(
  context: SearchContext,
  x: Float64Array,
  fitness: number,
  g: Float64Array,
): Asking<Lattice | null> {
  if (!(fitness < Infinity)) return null;
  const still = [...g.keys()].filter((i) => g[i] === 0);
  const jumps = [...g.keys()].filter((i) => Math.abs(g[i]) * CLOSE > JUMP * Math.abs(fitness) && x[i] < 0.9);
  if (still.length + jumps.length === 0) return null;
  const base = x.slice();
  let value = fitness;
  if (jumps.length > 0) {
    // x is on the end of a cell where two moves give one value.
    for (const i of jumps) base[i] += CLOSE;
    value = yield* evaluatePoint(base);
    still.push(...jumps);
    still.sort((a, b) => a - b);
  }
  const moved = (by: number): Float64Array => {
    const point = base.slice();
    for (const i of still) point[i] += point[i] > 0.9 ? -by : by;
    return point;
  };
  const isThorough = context.budget >= LONG_ENOUGH * context.n;
  const near = yield* evaluatePoint(moved(NEAR));
  if (near === value) return yield* recognizeLattice(context, base, value, still, isThorough);
  // The gradient of a program does not see that x is on the end of a cell.
  if ((yield* evaluatePoint(moved(2 * NEAR))) !== near) return null;
  return yield* recognizeLattice(context, moved(NEAR), near, still, isThorough);
}

/**
 * The lattice of the coordinates `still`, along which small steps from `x` change nothing; null: there is none. `x`
 * must not lie on the end of a cell.
 *
 * @param isThorough also cells of other widths than 1; about 20 evaluations for the first such coordinate
 */
export function* recognizeLattice(
  context: SearchContext,
  x: Float64Array,
  fitness: number,
  still: readonly number[],
  isThorough: boolean,
): Asking<Lattice | null> {
  const { n } = context;
  const lower = context.lower ?? new Float64Array(n);
  const widths = context.widths ?? new Float64Array(n).fill(1);
  // Of its own, so that a run without cells goes on as if nobody had asked.
  const rng = context.rng.split('cells');
  const asker = new Asker(x, lower, widths);
  const cells: (Cells | null)[] = new Array<Cells | null>(n).fill(null);
  const together = yield* asker.together(fitness, still, rng);
  const known: Cells[] = PHASES.map((phase) => ({ width: 1, edge: phase }));
  let misses = 0;
  if (together === null && !isThorough) return null;
  for (const i of still) {
    let found: Cells | null = null;
    let isSure = false;
    for (const one of together === null ? known : [together]) {
      if (together === null && !(yield* asker.isConstant(fitness, i, one))) continue;
      const { changes, isBoth } = yield* asker.ends(fitness, i, one);
      isSure = isBoth;
      if (isBoth || (changes !== null && (yield* asker.lasts(i, changes, rng)))) found = one;
      break;
    }
    // Where a plateau is turned, this would cost most, and for nothing.
    const maySearch = still.length < n || cells.some((one) => one !== null);
    if (isThorough && maySearch && misses < MAX_MISSES && !isSure) {
      const wider = yield* asker.search(fitness, i);
      if (wider === null) misses++;
      else if (!known.includes(wider)) known.unshift(wider);
      found = wider ?? found;
    } else if (found === null) misses++;
    cells[i] = found;
    if (misses >= MAX_MISSES && cells.every((one) => one === null)) break;
    if (!isThorough && together !== null && found !== null) {
      still.forEach((k) => (cells[k] = together));
      break;
    }
  }
  if (cells.every((one) => one === null)) return null;
  return {
    width: Float64Array.from(cells, (one, i) => (one === null ? 0 : one.width / widths[i])),
    edge: Float64Array.from(cells, (one, i) => (one === null ? 0 : (one.edge - lower[i]) / widths[i])),
  };
}

/** Asks for values where single coordinates of `x` are others; all places are in the units of the request. */
class Asker {
  constructor(
    private readonly x: Float64Array,
    private readonly lower: Float64Array,
    private readonly widths: Float64Array,
  ) {}

  private place(i: number): number {
    return this.lower[i] + this.x[i] * this.widths[i];
  }

  private *value(i: number, at: number): Asking<number> {
    const points = this.x.slice();
    points[i] = Math.min(1, Math.max(0, (at - this.lower[i]) / this.widths[i]));
    const [value] = yield { points, count: 1, isDifference: true };
    return value;
  }

  /** Both ends of the cell that holds x, within the bounds, from a little inside of it. */
  private within(i: number, { width, edge }: Cells): readonly [number, number] {
    const low = edge + Math.floor((this.place(i) - edge) / width) * width;
    return [
      Math.max(this.lower[i], low + INSIDE * width),
      Math.min(this.lower[i] + this.widths[i], low + (1 - INSIDE) * width),
    ];
  }

  /** A little beyond both ends of that cell, as far as that is within the bounds. */
  private beyond(i: number, cells: Cells): number[] {
    const [low, high] = this.within(i, cells);
    const margin = 2 * INSIDE * cells.width;
    return [high + margin, low - margin].filter((at) => at >= this.lower[i] && at <= this.lower[i] + this.widths[i]);
  }

  /**
   * Cells of width 1 that all coordinates `still` have: two questions tell, when all move at once, each to an end of
   * its own, and then to the other.
   */
  *together(fitness: number, still: readonly number[], rng: Rng): Asking<Cells | null> {
    const n = this.x.length;
    const first = still.map(() => rng.below(2));
    for (const phase of PHASES) {
      const cells = { width: 1, edge: phase };
      const points = new Float64Array(2 * n);
      for (const row of [0, 1]) {
        points.set(this.x, row * n);
        for (const [k, i] of still.entries()) {
          const end = this.within(i, cells)[row === 0 ? first[k] : 1 - first[k]];
          points[row * n + i] = (end - this.lower[i]) / this.widths[i];
        }
      }
      const values = yield { points, count: 2, isDifference: true };
      if (values[0] === fitness && values[1] === fitness) return cells;
    }
    return null;
  }

  /** Whether nothing changes within the cell. */
  *isConstant(fitness: number, i: number, cells: Cells): Asking<boolean> {
    const [low, high] = this.within(i, cells);
    for (const at of [high, low]) if ((yield* this.value(i, at)) !== fitness) return false;
    return true;
  }

  /**
   * Around which of the cell's ends that are within the bounds the value changes, as two places; null: none, or it does
   * not stay the same further on, as on a ramp. And whether it changes at all of them.
   */
  *ends(
    fitness: number,
    i: number,
    cells: Cells,
  ): Asking<{ changes: readonly [number, number] | null; isBoth: boolean }> {
    const [low, high] = this.within(i, cells);
    const beyond = this.beyond(i, cells);
    let changes: readonly [number, number] | null = null;
    let value = fitness;
    let count = 0;
    for (const at of beyond) {
      const other = yield* this.value(i, at);
      if (other === fitness) continue;
      count++;
      changes = [at > high ? high : low, at];
      value = other;
    }
    if (changes !== null && !(yield* this.stays(value, i, changes, cells))) return { changes: null, isBoth: false };
    return { changes, isBoth: count > 0 && count === beyond.length };
  }

  /** Whether the value beyond the end of a cell is also that of the next cell's middle, or of the bound before it. */
  private *stays(value: number, i: number, [end, beyond]: readonly [number, number], cells: Cells): Asking<boolean> {
    const middle = beyond + Math.sign(beyond - end) * 0.5 * cells.width;
    const at = Math.min(this.lower[i] + this.widths[i], Math.max(this.lower[i], middle));
    return (yield* this.value(i, at)) === value;
  }

  /** Whether the value also changes there where all other coordinates are others, so that the end is not theirs. */
  *lasts(i: number, places: readonly [number, number], rng: Rng): Asking<boolean> {
    const n = this.x.length;
    const points = new Float64Array(2 * n);
    for (let k = 0; k < n; k++) points[k] = points[n + k] = rng.uniform();
    places.forEach((at, row) => (points[row * n + i] = (at - this.lower[i]) / this.widths[i]));
    const [inside, beyond] = yield { points, count: 2, isDifference: true };
    return inside !== beyond;
  }

  /** Cells whose ends are round numbers, by bisection: the end of the one that holds x, and the next one. */
  *search(fitness: number, i: number): Asking<Cells | null> {
    const from = this.place(i);
    const [low, high] = [this.lower[i], this.lower[i] + this.widths[i]];
    const way = high - from >= from - low ? high - from : low - from;
    let away = NaN;
    for (const share of AWAY) {
      const at = from + share * way;
      if ((yield* this.value(i, at)) === fitness) continue;
      away = at;
      break;
    }
    if (Number.isNaN(away)) return null;
    const first = yield* this.roundEdge(fitness, i, from, away);
    if (first === null) return null;
    let reach = 2.5 * Math.max(Math.abs(first.at - from), first.margin);
    let next: Edge | null = null;
    for (; next === null; reach *= 2) {
      const at = first.at + Math.sign(way) * reach;
      if (at < low || at > high) return null;
      if ((yield* this.value(i, at)) === first.beyond) continue;
      next = yield* this.roundEdge(first.beyond, i, first.at + Math.sign(way) * first.margin, at);
      if (next === null) return null;
    }
    const cells = { width: Math.abs(next.at - first.at), edge: Math.min(next.at, first.at) };
    return (yield* this.isConstant(fitness, i, cells)) ? cells : null;
  }

  /** The round number between `same`, where the value is `fitness`, and `other`, where it is not, where it changes. */
  private *roundEdge(fitness: number, i: number, same: number, other: number): Asking<Edge | null> {
    const way = Math.sign(other - same);
    for (let asked = 0; asked < MAX_BISECTIONS; asked++) {
      const [at, grain] = roundBetween(Math.min(same, other), Math.max(same, other));
      const margin = INSIDE * grain;
      if (!(Math.abs(at - same) > margin && Math.abs(other - at) > margin)) return null;
      if ((yield* this.value(i, at - way * margin)) !== fitness) {
        other = at - way * margin;
        continue;
      }
      asked++;
      const beyond = yield* this.value(i, at + way * margin);
      if (beyond !== fitness) return { at, beyond, margin };
      same = at + way * margin;
    }
    return null;
  }
}

interface Edge {
  readonly at: number;
  /** The value beyond it. */
  readonly beyond: number;
  /** Distance from it that was asked. */
  readonly margin: number;
}

/** The roundest number between two, near their middle, and the largest round number that it is a multiple of. */
function roundBetween(low: number, high: number): readonly [number, number] {
  const middle = 0.5 * (low + high);
  for (let exponent = Math.ceil(log(high - low) / log(10)) + 1; ; exponent--) {
    for (const round of ROUND) {
      const grain = Number(`${round}e${exponent}`);
      const at = Math.round(middle / grain) * grain;
      if (at > low && at < high) return [at, grain];
    }
  }
}
