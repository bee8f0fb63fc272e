/**
 * A descent over boxes instead of points. What is minimised is the envelope of the program: nearly the lowest value
 * that it can have in a box around a point. Waves shorter than the box do not show in it, so a descent goes where the
 * program goes at large. Boxes shrink from one descent to the next, each of which begins where the last one ended, and
 * the last descent is one of the program itself.
 *
 * The slopes of the envelope come with it, so that a step takes about two evaluations, whatever n.
 *
 * Symbols: x [n] the centre of the box, w its width as a share of the unit box, the same for all sides; where it leaves
 * the unit box it is cut off.
 *
 * Sources: Moore, Kearfott and Cloud, Introduction to Interval Analysis, 2009 (bounds of a program over a box); Blake
 * and Zisserman, Visual Reconstruction, 1987 (graduated non-convexity: descents on smoother objectives first).
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { QuasiNewton } from '../quasi-newton/quasi-newton.js';
import { Archive } from '../search/archive.js';
import { MARGIN, bestPoint, randomPoint } from '../search/points.js';
import {
  evaluatePoint,
  type Points,
  type Search,
  type SearchContext,
  type SearchSnapshot,
  type Step,
} from '../search/search.js';
import type { ProgramView, StrategyStop } from '../strategy.js';

/** Widths of the boxes: of the first, from one descent to the next, and the one below which points take over. */
const FIRST_WIDTH = 0.25;
const SHRINKAGE = 0.5;
const LAST_WIDTH = 5e-4;
/** Length of the first step, as a share of the width. */
const FIRST_STEP = 0.5;
/** A step shorter than this share of the width ends a descent: the next one sees more. */
const SHORT_STEP = 0.3;
const MAX_STEPS = 30;
/** Boxes that a step may ask for: one that asks for more only gets shorter. */
const MAX_ASKED = 12;
/** Length of the first step of the descent on points. */
const FIRST_STEP_OF_POINTS = 0.02;

/** What is known of the envelope at a centre: its value, then its slopes [n]. */
interface Known {
  readonly x: Float64Array;
  readonly row: Float64Array;
}

interface State {
  readonly x: Float64Array;
  /** Whether a descent has ended at x, whose value nobody has asked for yet. */
  readonly isDue: boolean;
  readonly width: number;
  /** The descent on boxes of that width, steps of it so far, and the envelope where it stands; null between two. */
  readonly descent: QuasiNewton | null;
  readonly steps: number;
  readonly known: Known | null;
  /** The descent on points. */
  readonly last: QuasiNewton | null;
}

export class EnvelopeSearch implements Search {
  private state: State;

  /** @param run the first begins at the request's start, or the centre; then at the best point, then anywhere */
  constructor(
    private readonly context: SearchContext,
    run: number,
    snapshot?: SearchSnapshot,
  ) {
    this.state = snapshot === undefined ? begin(context, run) : decode(context, snapshot);
  }

  end(): StrategyStop | null {
    return this.state.last?.end() ?? null;
  }

  *step(): Step {
    const { isDue, last, width, x } = this.state;
    if (isDue) {
      const fitness = yield* evaluatePoint(x);
      this.state = { ...this.state, isDue: false, last: width < LAST_WIDTH ? this.onPoints(x, fitness) : null };
    } else if (last !== null) yield* last.step();
    else yield* this.descend();
  }

  private *descend(): Step {
    const { state } = this;
    const descent = state.descent ?? onBoxes(this.context, { x: state.x, firstStep: FIRST_STEP * state.width });
    const before = descent.point;
    const { told, isOver } = yield* this.overBoxes(descent.step(), state);
    const steps = state.steps + 1;
    const x = isOver ? descent.point : lowest(told).x;
    const moved = x.reduce((most, value, i) => Math.max(most, Math.abs(value - before[i])), 0);
    const isShort = moved < SHORT_STEP * state.width && (steps > 1 || moved === 0);
    this.state =
      !isOver || descent.end() !== null || isShort || steps === MAX_STEPS
        ? { ...state, x, isDue: true, width: SHRINKAGE * state.width, descent: null, steps: 0, known: null }
        : { ...state, descent, steps, known: told.find((one) => isSame(one.x, x)) ?? null };
  }

  /**
   * A step that asks for values and slopes at points is given those of the boxes around them. Returns all that it was
   * told, and whether it has come to its end.
   */
  private *overBoxes(
    step: Step,
    { width, known }: State,
  ): Generator<Points, { told: Known[]; isOver: boolean }, Float64Array> {
    const { n } = this.context;
    const told = known === null ? [] : [known];
    let next = step.next(NO_ANSWER);
    while (next.done !== true) {
      const { points, count, reading } = next.value;
      const centres = Array.from({ length: count }, (_, k) => points.slice(k * n, (k + 1) * n));
      const asked = centres.filter((x) => !told.some((one) => isSame(one.x, x)));
      if (told.length + asked.length > MAX_ASKED) return { told, isOver: false };
      if (asked.length > 0) {
        const results = yield { points: boxes(asked, width), count: asked.length, reading: 'envelope' };
        asked.forEach((x, k) => told.push({ x, row: rowOf(x, width, results.subarray(k * (1 + 2 * n))) }));
      }
      const rows = centres.map((x) => told.find((one) => isSame(one.x, x))!.row);
      const numbers = rows.map((row) => (reading === 'gradient' ? row : row.subarray(0, 1)));
      next = step.next(Float64Array.from(numbers.flatMap((row) => Array.from(row))));
    }
    return { told, isOver: true };
  }

  private onPoints(x: Float64Array, fitness: number): QuasiNewton {
    return new QuasiNewton(this.context, { x, fitness, firstStep: FIRST_STEP_OF_POINTS, canBeAbandoned: true });
  }

  snapshot(): SearchSnapshot {
    const { x, descent, known, last, ...rest } = this.state;
    return {
      ...rest,
      x: encodeFloats(x),
      descent: descent?.snapshot() ?? null,
      known: known === null ? null : encodeFloats(Float64Array.of(...known.x, ...known.row)),
      last: last?.snapshot() ?? null,
    };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): EnvelopeSearch {
    return new EnvelopeSearch(context, 0, snapshot);
  }
}

const NO_ANSWER = new Float64Array(0);

function begin(context: SearchContext, run: number): State {
  const { n, rng, start } = context;
  const centre = (): Float64Array => start?.slice() ?? new Float64Array(n).fill(0.5);
  const x = run === 0 ? centre() : run === 1 ? bestPoint(context) : randomPoint(context, MARGIN);
  const width = FIRST_WIDTH * (run === 0 ? 1 : SHRINKAGE + (1 - SHRINKAGE) * rng.uniform());
  return { x, isDue: false, width, descent: null, steps: 0, known: null, last: null };
}

/** What a descent on boxes takes for the program. Its evaluations are no points for the archive of the run. */
const viewOf = (n: number): ProgramView => ({
  structure: null,
  resultLength: (reading) => (reading === 'gradient' ? n : null),
});

const contextOfBoxes = ({ n, rng, budget }: SearchContext): SearchContext => ({
  n,
  rng,
  budget,
  archive: new Archive(n),
  program: viewOf(n),
});

const onBoxes = (context: SearchContext, start: { x: Float64Array; firstStep: number }): QuasiNewton =>
  new QuasiNewton(contextOfBoxes(context), { ...start, startSizes: [1] });

/** [count, 2 n]: the lower corner of each box, then the upper one. */
function boxes(centres: readonly Float64Array[], width: number): Float64Array {
  const corners = centres.flatMap((x) => [
    ...x.map((value) => Math.max(0, value - width / 2)),
    ...x.map((value) => Math.min(1, value + width / 2)),
  ]);
  return Float64Array.from(corners);
}

/** Value, where there is one, and slopes as the centre moves: an end at a bound stays where it is. */
function rowOf(x: Float64Array, width: number, [value, ...slopes]: Float64Array): Float64Array {
  const n = x.length;
  const row = new Float64Array(1 + n);
  row[0] = Number.isFinite(value) ? value : Infinity;
  for (let i = 0; i < n; i++) {
    const lower = x[i] - width / 2 < 0 ? 0 : slopes[i];
    const upper = x[i] + width / 2 > 1 ? 0 : slopes[n + i];
    row[1 + i] = lower + upper;
  }
  return row;
}

const lowest = (told: readonly Known[]): Known => told.reduce((a, b) => (b.row[0] < a.row[0] ? b : a));

const isSame = (a: Float64Array, b: Float64Array): boolean => a.every((value, i) => value === b[i]);

function decode(context: SearchContext, snapshot: SearchSnapshot): State {
  const { n } = context;
  const s = snapshot as unknown as Omit<State, 'x' | 'descent' | 'known' | 'last'> & {
    readonly x: string;
    readonly descent: SearchSnapshot | null;
    readonly known: string | null;
    readonly last: SearchSnapshot | null;
  };
  const known = s.known === null ? null : decodeFloats(s.known, 2 * n + 1);
  return {
    ...s,
    x: decodeFloats(s.x, n),
    descent: s.descent === null ? null : QuasiNewton.restore(contextOfBoxes(context), s.descent),
    known: known === null ? null : { x: known.slice(0, n), row: known.slice(n) },
    last: s.last === null ? null : QuasiNewton.restore(context, s.last),
  };
}
