/**
 * A descent over boxes instead of points. What is minimised is the envelope of the program: nearly the lowest value
 * that it can have in a box around a point. Waves shorter than the box do not show in it, so a descent goes where the
 * program goes at large. Boxes shrink from one descent to the next, each of which begins where the last one ended, and
 * the last descent is one of the program itself. Where that one has taken some steps, still narrower boxes are tried
 * from the best point: it may be between waves that are shorter the closer they are to the minimum.
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
import { QuasiNewton, type QuasiNewtonStart } from '../quasi-newton/quasi-newton.js';
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
/**
 * Width below which a descent of the first search begins with the matrix of the one before. What wider boxes have
 * learned leads elsewhere; later searches, which look for other basins, begin with it on narrower boxes only.
 */
const LEARNED_WIDTH = 0.06;
/** Length of the first step, as a share of the width. */
const FIRST_STEP = 0.5;
/** A step shorter than this share of the width ends a descent: the next one sees more. */
const SHORT_STEP = 0.3;
const MAX_STEPS = 30;
/** Boxes that a step may ask for: one that asks for more only gets shorter. */
const MAX_ASKED = 12;
/** Length of the first step of the descent on points, and steps of it before narrower boxes are tried. */
const FIRST_STEP_OF_POINTS = 0.02;
const STEPS_OF_POINTS = 10;
/** Narrower boxes end below this width, or after so many widths in a row that found nothing better. */
const LEAST_WIDTH = 1e-12;
const MAX_BARREN = 3;
/** Gain, relative to the fitness, up to which a width has found nothing: points find the last digits. */
const NEGLIGIBLE_GAIN = 1e-12;

/** What is known of the envelope at a centre: its value, then its slopes [n]. */
interface Known {
  readonly x: Float64Array;
  readonly row: Float64Array;
}

/** What narrower boxes have found: the best point so far, and the widths in a row that found nothing better. */
interface Narrow {
  readonly x: Float64Array;
  readonly fitness: number;
  readonly barren: number;
  /** Whether a box has found it, and not a descent on points. */
  readonly isNew: boolean;
  readonly isOver: boolean;
}

interface State {
  readonly x: Float64Array;
  /** Whether a descent has ended at x, whose value nobody has asked for yet. */
  readonly isDue: boolean;
  readonly width: number;
  readonly isFirst: boolean;
  /** The descent on boxes of that width, steps of it so far, and the envelope where it stands; null between two. */
  readonly descent: QuasiNewton | null;
  readonly steps: number;
  readonly known: Known | null;
  /** What the latest descent on boxes has learned of the curvature. */
  readonly matrix: Float64Array | null;
  /** The descent on points, which waits while narrower boxes are tried, and its steps. */
  readonly last: QuasiNewton | null;
  readonly stepsOfPoints: number;
  /** Null before these. */
  readonly narrow: Narrow | null;
  /** Best value of the run when this search began. */
  readonly before: number;
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
    const { last, narrow } = this.state;
    return narrow?.isOver === false ? null : (last?.end() ?? null);
  }

  *step(): Step {
    const { isDue, last, width, x, narrow } = this.state;
    if (isDue) {
      const fitness = yield* evaluatePoint(x);
      if (narrow !== null) this.compare(narrow, fitness);
      else this.state = { ...this.state, isDue: false, last: width < LAST_WIDTH ? this.onPoints(x, fitness) : null };
    } else if (last === null || narrow?.isOver === false) yield* this.descend();
    else {
      yield* last.step();
      this.state = { ...this.state, stepsOfPoints: this.state.stepsOfPoints + 1 };
      this.tryNarrowBoxes(last);
    }
  }

  /** Once, where this search has found the best value of the run. */
  private tryNarrowBoxes(last: QuasiNewton): void {
    const { archive } = this.context;
    const { narrow, stepsOfPoints, before } = this.state;
    const isTime = last.end() !== null || stepsOfPoints >= STEPS_OF_POINTS;
    if (narrow !== null || !isTime || !(archive.bestFitness < before)) return;
    const x = bestPoint(this.context);
    const begun = { x, fitness: archive.bestFitness, barren: 0, isNew: false, isOver: false };
    this.state = { ...this.state, x, narrow: begun };
  }

  private compare(narrow: Narrow, fitness: number): void {
    const { x, width, last } = this.state;
    const isBetter = narrow.fitness - fitness > NEGLIGIBLE_GAIN * Math.abs(narrow.fitness);
    const found = isBetter ? { x, fitness, barren: 0, isNew: true } : { ...narrow, barren: narrow.barren + 1 };
    const isOver = found.barren === MAX_BARREN || width < LEAST_WIDTH;
    this.state = {
      ...this.state,
      x: found.x,
      isDue: false,
      narrow: { ...found, isOver },
      last: isOver && found.isNew ? this.onPoints(found.x, found.fitness) : last,
    };
  }

  private *descend(): Step {
    const { state } = this;
    const { width, matrix } = state;
    const isLearned = matrix !== null && (state.narrow !== null || (state.isFirst && width < LEARNED_WIDTH));
    const descent =
      state.descent ??
      onBoxes(this.context, { x: state.x, firstStep: FIRST_STEP * width, ...(isLearned ? { matrix } : {}) });
    const before = descent.point;
    const { told, isOver } = yield* this.overBoxes(descent.step(), state);
    const steps = state.steps + 1;
    const x = isOver ? descent.point : lowest(told).x;
    const moved = x.reduce((most, value, i) => Math.max(most, Math.abs(value - before[i])), 0);
    const isShort = moved < SHORT_STEP * width && (steps > 1 || moved === 0);
    this.state =
      !isOver || descent.end() !== null || isShort || steps === MAX_STEPS
        ? {
            ...state,
            x,
            isDue: true,
            width: SHRINKAGE * width,
            descent: null,
            steps: 0,
            known: null,
            matrix: descent.matrix ?? matrix,
          }
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
    const { x, descent, known, matrix, last, narrow, before, ...rest } = this.state;
    return {
      ...rest,
      x: encodeFloats(x),
      descent: descent?.snapshot() ?? null,
      known: known === null ? null : encodeFloats(Float64Array.of(...known.x, ...known.row)),
      matrix: matrix === null ? null : encodeFloats(matrix),
      last: last?.snapshot() ?? null,
      narrow:
        narrow === null
          ? null
          : { ...narrow, x: encodeFloats(narrow.x), fitness: encodeFloats(Float64Array.of(narrow.fitness)) },
      before: encodeFloats(Float64Array.of(before)),
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
  return {
    x,
    isDue: false,
    width,
    isFirst: run === 0,
    descent: null,
    steps: 0,
    known: null,
    matrix: null,
    last: null,
    stepsOfPoints: 0,
    narrow: null,
    before: context.archive.bestFitness,
  };
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

const onBoxes = (context: SearchContext, start: Pick<QuasiNewtonStart, 'x' | 'firstStep' | 'matrix'>): QuasiNewton =>
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

type Encoded = 'x' | 'descent' | 'known' | 'matrix' | 'last' | 'narrow' | 'before';

function decode(context: SearchContext, snapshot: SearchSnapshot): State {
  const { n } = context;
  const s = snapshot as unknown as Omit<State, Encoded> & {
    readonly x: string;
    readonly descent: SearchSnapshot | null;
    readonly known: string | null;
    readonly matrix: string | null;
    readonly last: SearchSnapshot | null;
    readonly narrow: (Omit<Narrow, 'x' | 'fitness'> & { readonly x: string; readonly fitness: string }) | null;
    readonly before: string;
  };
  const known = s.known === null ? null : decodeFloats(s.known, 2 * n + 1);
  return {
    ...s,
    x: decodeFloats(s.x, n),
    descent: s.descent === null ? null : QuasiNewton.restore(contextOfBoxes(context), s.descent),
    known: known === null ? null : { x: known.slice(0, n), row: known.slice(n) },
    matrix: s.matrix === null ? null : decodeFloats(s.matrix, n * n),
    last: s.last === null ? null : QuasiNewton.restore(context, s.last),
    narrow:
      s.narrow === null
        ? null
        : { ...s.narrow, x: decodeFloats(s.narrow.x, n), fitness: decodeFloats(s.narrow.fitness, 1)[0] },
    before: decodeFloats(s.before, 1)[0],
  };
}
