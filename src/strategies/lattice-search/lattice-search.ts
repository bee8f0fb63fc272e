/**
 * A descent where the program rounds some variables (`search/lattice.ts`), from cell to cell. The other variables are
 * searched by quasi-Newton within a cell. Around the best cell those are tried that differ in one coordinate, then in
 * two; where there are other variables, the most promising ones get a short descent of their own.
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { Archive } from '../search/archive.js';
import { cellOf, isWhole, keyOf, middleOf, moveToMiddle, type Lattice } from '../search/lattice.js';
import { SeenCells } from '../search/seen-cells.js';
import { bestPoint, reflect } from '../search/points.js';
import { evaluatePoint, type Search, type SearchContext, type SearchSnapshot, type Step } from '../search/search.js';
import { modelKind, pointsToChooseFrom, pointsToFit, QuadraticModel } from '../search/quadratic-model.js';
import type { StrategyStop } from '../strategy.js';
import { QuasiNewton } from '../quasi-newton/quasi-newton.js';

/** Evaluations per other variable, and one more, that the descent within the best cell and within another gets. */
const BEST_CELL = 40;
const OTHER_CELL = 8;
/** Cells of one round that get such a descent. */
const PROMISING = 4;
/** Pairs of coordinates of which both move, the most promising ones, per coordinate. */
const PAIRS = 12;
/** Cells by which a disturbed start differs, and how far it lies along the other coordinates, as a share of the box. */
const LEAST_JUMP = 2;
const JUMP_SHARE = 0.15;
const SPREAD = 0.1;
const MAX_DRAWS = 20;
/** Proposals of the quadratic model in vain after which the cells of a round are tried one by one. */
const MAX_MISPROPOSED = 2;
/** Moves on the model. */
const MAX_MODEL_MOVES = 100;

export interface LatticeStart {
  readonly x: Float64Array;
  /** Fitness of x, where it is known. */
  readonly fitness?: number;
}

interface Neighbour {
  readonly x: Float64Array;
  readonly f: number;
}

interface State {
  readonly x: Float64Array;
  /** NaN before x was evaluated. */
  readonly f: number;
  /** The descent within a cell that is under way. */
  readonly inner: { readonly search: QuasiNewton; readonly evaluations: number; readonly isBestCell: boolean } | null;
  /** Nothing is left to gain within the cell of x. */
  readonly isPolished: boolean;
  /** Coordinates that differ in this round: 1 or 2. */
  readonly ring: number;
  /** Cells of this round that were tried, by `Move`, with their values. */
  readonly tried: readonly (Neighbour & { readonly move: string })[];
  /** Those of them that had a descent. */
  readonly descents: number;
  /** The last move that was a success: the next one is twice as far. */
  readonly stride: readonly (readonly [number, number])[] | null;
  /** Cells that the quadratic model proposed in vain since the last success or round. */
  readonly misproposed: number;
  readonly end: StrategyStop | null;
}

/** By how many cells, along which coordinates. */
type Move = readonly (readonly [number, number])[];

export class LatticeDescent implements Search {
  private state: State;
  private readonly lattice: Lattice;
  private readonly stepped: readonly number[];
  private readonly smooth: readonly number[];
  private readonly seen: SeenCells;

  constructor(
    private readonly context: SearchContext,
    { x, fitness = NaN }: LatticeStart,
    snapshot?: SearchSnapshot,
  ) {
    const { n, archive } = context;
    this.lattice = archive.lattice ?? { width: new Float64Array(n), edge: new Float64Array(n) };
    const all = Array.from({ length: n }, (_, i) => i);
    this.stepped = all.filter((i) => this.lattice.width[i] > 0);
    this.smooth = all.filter((i) => !(this.lattice.width[i] > 0));
    this.seen = new SeenCells(archive, this.lattice);
    const start = x.slice();
    moveToMiddle(this.lattice, start);
    this.state =
      snapshot === undefined
        ? {
            x: start,
            f: fitness,
            inner: null,
            isPolished: this.smooth.length === 0,
            ring: 1,
            tried: [],
            descents: 0,
            stride: null,
            misproposed: 0,
            end: null,
          }
        : this.decode(snapshot);
  }

  end(): StrategyStop | null {
    return this.state.end;
  }

  *step(): Step {
    const s = this.state;
    this.seen.sync();
    if (Number.isNaN(s.f)) {
      // Also where the cell is known: each search but the first evaluates something.
      const f = yield* evaluatePoint(s.x);
      this.state = { ...s, f };
    } else if (s.inner !== null) yield* this.within(s, s.inner);
    else if (!s.isPolished) this.state = { ...s, inner: this.descent(s.x, s.f, true) };
    else yield* this.around(s);
  }

  /** Along the other coordinates, in the cell of x. */
  private descent(x: Float64Array, f: number, isBestCell: boolean): NonNullable<State['inner']> {
    const start = this.smooth.map((i) => x[i]);
    const search = new QuasiNewton(this.inner(), { x: Float64Array.from(start), fitness: f < Infinity ? f : NaN });
    return { search, evaluations: 0, isBestCell };
  }

  /** Of the other coordinates alone. */
  private inner(): SearchContext {
    const { rng, budget, widths } = this.context;
    const n = this.smooth.length;
    return {
      n,
      rng,
      budget,
      archive: new Archive(n),
      widths: widths && Float64Array.from(this.smooth, (i) => widths[i]),
    };
  }

  /** One step of the descent within a cell. */
  private *within(s: State, inner: NonNullable<State['inner']>): Step {
    const { n } = this.context;
    const { search, isBestCell } = inner;
    const cell = isBestCell ? s.x : s.tried[s.descents - 1].x;
    let evaluations = inner.evaluations;
    const step = search.step();
    for (let asked = step.next(); asked.done !== true;) {
      const { points, count, isDifference } = asked.value;
      const all = new Float64Array(count * n);
      for (let row = 0; row < count; row++) {
        all.set(cell, row * n);
        this.smooth.forEach((i, k) => (all[row * n + i] = points[row * this.smooth.length + k]!));
      }
      evaluations += count;
      asked = step.next(yield { points: all, count, isDifference });
    }
    const x = cell.slice();
    this.smooth.forEach((i, k) => (x[i] = search.point[k]!));
    const f = Number.isNaN(search.fitness) ? Infinity : search.fitness;
    const most = (isBestCell ? BEST_CELL : OTHER_CELL) * (this.smooth.length + 1);
    const isOver = search.end() !== null || evaluations >= most;
    if (isBestCell) {
      this.state = {
        ...s,
        x,
        f: Math.min(s.f, f),
        inner: isOver ? null : { ...inner, evaluations },
        isPolished: isOver,
      };
    } else if (f < s.f) {
      // The descent goes on as that within the best cell.
      this.state = this.moved(s, x, f, null, isOver ? null : { search, evaluations, isBestCell: true });
    } else this.state = { ...s, inner: isOver ? null : { ...inner, evaluations } };
  }

  private moved(s: State, x: Float64Array, f: number, stride: Move | null, inner: State['inner'] = null): State {
    const isPolished = this.smooth.length === 0;
    return { ...s, x, f, stride, inner, isPolished, misproposed: 0, ring: 1, tried: [], descents: 0 };
  }

  /** The next cell around x. */
  private *around(s: State): Step {
    const proposed = s.stride === null && s.misproposed < MAX_MISPROPOSED ? this.proposal(s) : null;
    const move = proposed ?? this.nextMove(s);
    if (move === null) {
      this.state = this.afterRound(s);
      return;
    }
    const x = this.at(s.x, move);
    const f = this.known(x) ?? (yield* evaluatePoint(x));
    if (f < s.f) {
      this.state = this.moved(s, x, f, proposed === null ? move.map(([i, by]) => [i, 2 * by] as const) : null);
      return;
    }
    const misproposed = proposed === null ? s.misproposed : s.misproposed + 1;
    this.state = { ...s, stride: null, misproposed, tried: [...s.tried, { x, f, move: JSON.stringify(move) }] };
  }

  /**
   * To where a quadratic model of the cells around has its minimum among the cells, as moves along one and two
   * coordinates find it; null: nothing new.
   */
  private proposal({ x, f }: State): Move | null {
    const { n } = this.context;
    if (this.smooth.length > 0) return null;
    const { width } = this.lattice;
    const near = this.seen.nearest(x, pointsToChooseFrom(n));
    const kind = modelKind(n, near.length);
    if (kind === null) return null;
    const z = new Float64Array(near.length * n);
    let reach = 0;
    near.forEach(({ point }, row) => {
      for (let i = 0; i < n; i++) {
        z[row * n + i] = (point[i] - x[i]) / width[i];
        reach = Math.max(reach, Math.abs(z[row * n + i]));
      }
    });
    if (reach === 0) return null;
    for (let k = 0; k < z.length; k++) z[k] /= reach;
    const fitness = Float64Array.from(near, (one) => one.value);
    const ranked = Int32Array.from(near, (_, row) => row).sort((a, b) => fitness[a] - fitness[b] || a - b);
    const rows = ranked.subarray(0, pointsToFit(kind, n, near.length));
    const model = QuadraticModel.fit(kind, n, { count: rows.length, rows, z, fitness });
    if (model === null) return null;
    const cells = new Int32Array(n);
    const at = new Float64Array(n);
    let lowest = Math.min(f, model.value(at, 0));
    const moves = [...this.singles(), ...this.allPairs()];
    for (let k = 0; k < MAX_MODEL_MOVES; k++) {
      let best: Move | null = null;
      for (const move of moves) {
        for (const [i, by] of move) at[i] = (cells[i] + by) / reach;
        const isNear = move.every(([i]) => Math.abs(at[i]) <= 1);
        const value = isNear ? model.value(at, 0) : Infinity;
        for (const [i] of move) at[i] = cells[i] / reach;
        if (
          value < lowest &&
          this.isInside(
            x,
            move.map(([i, by]) => [i, cells[i] + by] as const),
          )
        ) {
          [best, lowest] = [move, value];
        }
      }
      if (best === null) break;
      for (const [i, by] of best) {
        cells[i] += by;
        at[i] = cells[i] / reach;
      }
    }
    const move = [...cells].flatMap((by, i) => (by === 0 ? [] : [[i, by] as const]));
    if (move.length === 0) return null;
    return this.seen.value(keyOf(this.lattice, this.at(x, move))) === undefined ? move : null;
  }

  private allPairs(): Move[] {
    const singles = this.singles();
    return singles.flatMap((a, k) => singles.slice(k + 1).flatMap((b) => (a[0][0] === b[0][0] ? [] : [[...a, ...b]])));
  }

  /** Null: all cells of the round were tried. */
  private nextMove(s: State): Move | null {
    if (s.stride !== null && this.isInside(s.x, s.stride)) return s.stride;
    const tried = new Set(s.tried.map(({ move }) => move));
    for (const move of s.ring === 1 ? this.singles() : this.pairs(s)) {
      if (tried.has(JSON.stringify(move)) || !this.isInside(s.x, move)) continue;
      if (!((this.known(this.at(s.x, move)) ?? -Infinity) >= s.f)) return move;
    }
    return null;
  }

  /** What a cell is worth that was evaluated, where all variables have cells. */
  private known(x: Float64Array): number | undefined {
    return this.smooth.length === 0 ? this.seen.value(keyOf(this.lattice, x)) : undefined;
  }

  private singles(): Move[] {
    return this.stepped.flatMap((i) => [[[i, 1] as const], [[i, -1] as const]]);
  }

  /** Both of which promised most by themselves. */
  private pairs(s: State): Move[] {
    const value = new Map(s.tried.map(({ move, f }) => [move, f]));
    const singles = this.singles().map((move) => {
      const f = value.get(JSON.stringify(move)) ?? this.known(this.at(s.x, move)) ?? Infinity;
      return { move, f };
    });
    const pairs: { move: Move; sum: number }[] = [];
    for (const [k, a] of singles.entries()) {
      for (const b of singles.slice(k + 1)) {
        if (a.move[0][0] !== b.move[0][0]) pairs.push({ move: [...a.move, ...b.move], sum: a.f + b.f });
      }
    }
    pairs.sort((a, b) => (a.sum < b.sum ? -1 : a.sum > b.sum ? 1 : 0));
    return pairs.slice(0, PAIRS * this.stepped.length).map(({ move }) => move);
  }

  /** Descents in the most promising cells of the round, then the next round, or the end. */
  private afterRound(s: State): State {
    if (this.smooth.length > 0 && s.descents < Math.min(PROMISING * s.ring, s.tried.length)) {
      // Those that had one stay in front.
      const rest = s.tried.slice(s.descents).sort((a, b) => (a.f < b.f ? -1 : a.f > b.f ? 1 : 0));
      const [next] = rest;
      const tried = [...s.tried.slice(0, s.descents), ...rest];
      return { ...s, tried, descents: s.descents + 1, inner: this.descent(next.x, next.f, false) };
    }
    if (s.ring === 1 && this.stepped.length > 1) return { ...s, ring: 2, misproposed: 0 };
    return { ...s, end: 'stalled' };
  }

  private isInside(x: Float64Array, move: Move): boolean {
    return move.every(([i, by]) => {
      const cell = cellOf(this.lattice, i, x[i]) + by;
      return cell >= cellOf(this.lattice, i, 0) && cell <= cellOf(this.lattice, i, 1);
    });
  }

  private at(x: Float64Array, move: Move): Float64Array {
    const y = x.slice();
    for (const [i, by] of move) y[i] = middleOf(this.lattice, i, cellOf(this.lattice, i, x[i]) + by);
    return y;
  }

  snapshot(): SearchSnapshot {
    const { x, f, inner, tried, ...rest } = this.state;
    return {
      ...rest,
      x: encodeFloats(x),
      f: encodeFloats(Float64Array.of(f)),
      inner: inner === null ? null : { ...inner, search: inner.search.snapshot() },
      tried: tried.map((one) => ({ move: one.move, x: encodeFloats(one.x), f: encodeFloats(Float64Array.of(one.f)) })),
    };
  }

  private decode(snapshot: SearchSnapshot): State {
    const { n } = this.context;
    const s = snapshot as unknown as Omit<State, 'x' | 'f' | 'inner' | 'tried'> & {
      x: string;
      f: string;
      inner: { search: SearchSnapshot; evaluations: number; isBestCell: boolean } | null;
      tried: { move: string; x: string; f: string }[];
    };
    return {
      ...s,
      x: decodeFloats(s.x, n),
      f: decodeFloats(s.f, 1)[0],
      inner: s.inner === null ? null : { ...s.inner, search: QuasiNewton.restore(this.inner(), s.inner.search) },
      tried: s.tried.map((one) => ({ move: one.move, x: decodeFloats(one.x, n), f: decodeFloats(one.f, 1)[0] })),
    };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): LatticeDescent {
    return new LatticeDescent(context, { x: new Float64Array(context.n) }, snapshot);
  }
}

/**
 * The best point, with some of its cells exchanged for others not far away, and the other variables a little; where all
 * variables have cells, it is drawn again where it was evaluated before.
 */
export function disturbed(context: SearchContext): Float64Array {
  const { n, rng, archive } = context;
  const { lattice } = archive;
  if (lattice === null) return bestPoint(context);
  const seen = isWhole(lattice) ? new SeenCells(archive, lattice).sync() : null;
  const stepped = Array.from({ length: n }, (_, i) => i).filter((i) => lattice.width[i] > 0);
  for (let draw = 1; ; draw++) {
    const x = bestPoint(context);
    const count = Math.min(stepped.length, 2 + rng.below(Math.max(1, stepped.length >> 1)));
    for (let k = 0; k < count; k++) {
      const at = k + rng.below(stepped.length - k);
      [stepped[k], stepped[at]] = [stepped[at], stepped[k]];
      const i = stepped[k];
      const reach = Math.max(LEAST_JUMP, Math.floor(JUMP_SHARE / lattice.width[i]));
      const by = (1 + rng.below(reach)) * (rng.uniform() < 0.5 ? -1 : 1);
      x[i] = reflect(x[i] + by * lattice.width[i]);
    }
    for (let i = 0; i < n; i++) if (!(lattice.width[i] > 0)) x[i] = reflect(x[i] + SPREAD * rng.normal());
    if (seen === null || draw === MAX_DRAWS || seen.value(keyOf(lattice, x)) === undefined) return x;
  }
}
