/**
 * For objectives whose program is a sum of terms of one coordinate each, of x or of z = A x, under an increasing
 * function: n global searches of functions of one variable at the same time. Every coordinate moves to where its own
 * search wants to look, one run gives all terms, and each coordinate's terms, added up, are a sample of its function.
 *
 * First each coordinate is sampled at a few jittered points, in another order for each; then parabolic steps around the
 * best samples and bisections of promising intervals take turns (`axis.ts`). In z the search begins in a box around the
 * centre all of whose points are candidates, and then goes everywhere: what would lead out of the bounds stays where it
 * is.
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import type { Terms } from '../../model/program-structure.js';
import { bestPoint, randomPoint } from '../search/points.js';
import type { Points, Search, SearchContext, SearchSnapshot, Step } from '../search/search.js';
import type { ProgramView, StrategyStop } from '../strategy.js';
import { bestOf, bisection, nearest, NO_SAMPLES, parabolicStep, withSample, type Axis, type Range } from './axis.js';
import { Coordinates } from './coordinates.js';

const FIRST_SAMPLES = 9;
/** Share of the distance between first samples by which they are jittered. */
const JITTER = 0.6;
/** Rounds without a better sample of any coordinate after which the search in z leaves its inner box. */
const PATIENCE = 30;
/** Samples of a coordinate: more take longer to choose from than to evaluate. */
const MAX_ROUNDS = 2000;
/** The same, after which the search ends, as a multiple of its rounds by then. */
const STALLED_AFTER = 100;

interface State {
  readonly axes: readonly Axis[];
  /** The point with the smallest sum of terms, and that sum; +Infinity before the first. */
  readonly anchor: Float64Array;
  readonly sum: number;
  /** By coordinate: the order of its first samples. */
  readonly orders: readonly (readonly number[])[];
  readonly round: number;
  /** The round that found a better sample last. */
  readonly improvedAt: number;
  /** The value of `improvedAt` when all best samples were put together last; -1: never. */
  readonly assembledFor: number;
  /** In z: no longer in the inner box. */
  readonly isEverywhere: boolean;
  /** Moves that failed together and are tried one by one: coordinate and place. */
  readonly retries: readonly (readonly [number, number])[];
  readonly end: StrategyStop | null;
}

/** Whether the program is a sum of terms that can be searched one by one, and worth it. */
export function hasSearchableTerms(n: number, program: ProgramView | undefined): boolean {
  const structure = program?.structure ?? null;
  const terms = structure?.terms ?? null;
  if (structure?.dimension !== n || terms === null || program?.resultLength('terms') !== terms.count) return false;
  if (terms.form === 'coordinates') return true;
  // A box in z is not one in x: where slopes lead, to squares or to a convex minimum, they need fewer runs.
  return terms.form === 'affine' && structure.residuals === null && terms.traits.some(({ isConvex }) => !isConvex);
}

export class TermSearch implements Search {
  private readonly coordinates: Coordinates;
  /** By coordinate: its terms. */
  private readonly terms: readonly (readonly number[])[];
  /** Coordinates whose function has one local minimum. */
  private readonly isConvex: readonly boolean[];
  private readonly isInZ: boolean;
  private state: State;

  constructor(
    private readonly context: SearchContext,
    snapshot?: SearchSnapshot,
  ) {
    const { n, widths } = context;
    const facts = termsOf(context);
    this.coordinates = new Coordinates(n, facts, widths);
    this.isInZ = facts.form === 'affine';
    const terms = Array.from({ length: n }, (): number[] => []);
    facts.dependsOn.forEach((on, term) => on.forEach((k) => terms[k].push(term)));
    this.terms = terms;
    this.isConvex = this.terms.map((list) => list.every((term) => facts.traits[term].isConvex));
    this.state =
      snapshot === undefined
        ? {
            axes: this.terms.map(() => NO_SAMPLES),
            anchor: bestPoint(context),
            sum: Infinity,
            orders: [],
            round: 0,
            improvedAt: 0,
            assembledFor: -1,
            isEverywhere: facts.form === 'coordinates',
            retries: [],
            end: null,
          }
        : decode(snapshot, n);
  }

  end(): StrategyStop | null {
    return this.state.end;
  }

  /** One run of the program. */
  *step(): Step {
    const s = this.state;
    if (!this.coordinates.areKnown) yield* this.giveUp(s);
    else if (s.retries.length > 0) yield* this.retry(s);
    else if (s.round === 0) yield* this.begin(s);
    else if (s.round <= FIRST_SAMPLES) yield* this.sample(s);
    else yield* this.improve(s);
  }

  private *giveUp(s: State): Step {
    yield { points: randomPoint(this.context), count: 1 };
    this.state = { ...s, end: 'stalled' };
  }

  private *begin(s: State): Step {
    const orders = this.terms.map(() => this.shuffled(FIRST_SAMPLES));
    yield* this.evaluate({ ...s, orders }, s.anchor, [], false);
  }

  /** The next of the first samples of every coordinate. */
  private *sample(s: State): Step {
    const { rng } = this.context;
    const ranges = this.rangesOf(s);
    const targets = this.terms.map((_, k): number => {
      const { low, high } = ranges[k];
      const place = s.orders[k][s.round - 1];
      const isEnd = place === 0 || place === FIRST_SAMPLES - 1;
      const jitter = isEnd ? 0 : JITTER * (rng.uniform() - 0.5);
      return low + ((place + jitter) / (FIRST_SAMPLES - 1)) * (high - low);
    });
    yield* this.go(s, s.anchor, targets, false);
  }

  /** Parabolic steps and bisections by turns; convex functions need only the former. */
  private *improve(s: State): Step {
    const isParabolic = s.round % 2 === 0;
    // A bisection is about the terms, not about f: from the centre of the box a coordinate can go farther.
    const isCentral = this.isInZ && !isParabolic && s.round % 4 === 1;
    const base = isCentral ? new Float64Array(this.context.n).fill(0.5) : this.assembled(s);
    const z = this.coordinates.of(base);
    const targets = s.axes.map((axis, k): number | null => {
      if (this.terms[k].length === 0 || axis.t.length === 0) return null;
      const range = s.isEverywhere ? this.coordinates.reach(base, k, z[k]) : this.coordinates.inner[k];
      return isParabolic || this.isConvex[k] ? parabolicStep(axis, range, nearest(axis, z[k])) : bisection(axis, range);
    });
    if (targets.some((target) => target !== null)) yield* this.go(s, base, targets, isParabolic);
    // Where the best samples of all coordinates have not been together yet, they are now.
    else if (s.assembledFor < s.improvedAt && base.some((value, i) => value !== s.anchor[i]))
      yield* this.go({ ...s, assembledFor: s.improvedAt }, base, targets, isParabolic);
    else this.state = this.advance(s, s.round, true);
  }

  /** The point with the smallest sum, every coordinate moved to its best sample that it can be moved to. */
  private assembled(s: State): Float64Array {
    const { n } = this.context;
    const point = s.anchor.slice();
    const z = this.coordinates.of(point);
    for (let k = 0; k < n; k++) {
      const axis = (k + s.round) % n;
      const { t, value } = s.axes[axis];
      if (t.length === 0 || this.terms[axis].length === 0) continue;
      const here = nearest(s.axes[axis], z[axis]);
      const { low, high } = this.coordinates.reach(point, axis, z[axis]);
      let best = here;
      t.forEach((place, at) => {
        if (value[at] < value[best] && place >= low && place <= high) best = at;
      });
      if (best !== here && this.coordinates.move(point, axis, t[best] - z[axis])) z[axis] = t[best]!;
    }
    return point;
  }

  /** Moves each coordinate of `base` to its target, as far as the box allows; another one comes first each time. */
  private *go(s: State, base: Float64Array, targets: readonly (number | null)[], isParabolic: boolean): Step {
    const { n } = this.context;
    const point = base.slice();
    const z = this.coordinates.of(point);
    const moved: [number, number][] = [];
    for (let k = 0; k < n; k++) {
      const axis = (k + (s.round >> 1)) % n;
      const target = targets[axis] ?? null;
      if (target === null || this.terms[axis].length === 0) continue;
      if (this.coordinates.move(point, axis, target - z[axis])) moved.push([axis, target]);
    }
    yield* this.evaluate(s, point, moved, isParabolic);
  }

  /** One of the moves that failed together, by itself. */
  private *retry(s: State): Step {
    const [[axis, target], ...rest] = s.retries as [readonly [number, number], ...(readonly [number, number])[]];
    const point = s.anchor.slice();
    const z = this.coordinates.of(point);
    const next = { ...s, retries: rest };
    if (this.coordinates.move(point, axis, target - z[axis]))
      yield* this.evaluate(next, point, [[axis, target]], false);
    else this.state = next;
  }

  /** Runs the program at `point` and keeps a sample for every coordinate that was moved; for all in the first run. */
  private *evaluate(
    s: State,
    point: Float64Array,
    moved: readonly (readonly [number, number])[],
    isParabolic: boolean,
  ): Generator<Points, void, Float64Array> {
    const results = yield { points: point, count: 1, reading: 'terms' };
    const terms = results.subarray(1);
    const isFirst = s.round === 0;
    const hasFailed = !(results[0] < Infinity) || terms.some(Number.isNaN);
    const ranges = this.rangesOf(s);
    const samples = isFirst
      ? Array.from(this.coordinates.of(point), (t, k): readonly [number, number] => [k, t])
      : moved;
    if (hasFailed && samples.length > 1) {
      const retries = isFirst || !(s.sum < Infinity) ? [] : samples;
      const round = retries.length > 0 ? s.round : s.round + 1;
      this.state = this.advance({ ...s, retries }, round, false);
      return;
    }
    const axes = [...s.axes];
    let hasImproved = false;
    for (const [k, t] of samples) {
      const value = hasFailed ? Infinity : this.terms[k].reduce((sum, term) => sum + terms[term], 0);
      const before = axes[k];
      const least = before.t.length === 0 ? Infinity : before.value[bestOf(before)];
      axes[k] = withSample(before, ranges[k], t, value, isParabolic || this.isConvex[k]);
      if (value < least) hasImproved = true;
    }
    const sum = hasFailed ? Infinity : terms.reduce((total, term) => total + term, 0);
    const next = { ...s, axes, ...(sum < s.sum ? { anchor: point, sum } : {}) };
    const round = s.retries.length > 0 ? s.round : s.round + 1;
    this.state = this.advance({ ...next, improvedAt: hasImproved ? s.round : s.improvedAt }, round, false);
  }

  /** @param isIdle no coordinate had anywhere to go */
  private advance(s: State, round: number, isIdle: boolean): State {
    const quiet = s.round - s.improvedAt;
    if (!s.isEverywhere) {
      const leaves = s.round > FIRST_SAMPLES && (isIdle || quiet > PATIENCE);
      return leaves ? { ...s, round: round + 1, isEverywhere: true, improvedAt: s.round } : { ...s, round };
    }
    if (isIdle) {
      // Parabolic steps are over, bisections perhaps not.
      const hasBisections = s.round % 2 === 0 && this.isConvex.some((isConvex) => !isConvex);
      return hasBisections ? { ...s, round: round + 1 } : { ...s, end: 'tolX' };
    }
    const isOver = round > MAX_ROUNDS || (s.round > FIRST_SAMPLES && quiet > Math.max(STALLED_AFTER, 0.5 * s.round));
    return { ...s, round, end: isOver ? 'stalled' : null };
  }

  private rangesOf(s: State): readonly Range[] {
    return s.isEverywhere ? this.coordinates.ranges : this.coordinates.inner;
  }

  private shuffled(count: number): number[] {
    const { rng } = this.context;
    const order = Array.from({ length: count }, (_, k) => k);
    for (let k = count - 1; k > 0; k--) {
      const other = Math.min(k, Math.floor(rng.uniform() * (k + 1)));
      [order[k], order[other]] = [order[other], order[k]];
    }
    return order;
  }

  snapshot(): SearchSnapshot {
    const { axes, anchor, sum, ...rest } = this.state;
    return {
      ...rest,
      retries: rest.retries.map(([axis, t]) => [axis, encodeFloats(Float64Array.of(t))]),
      anchor: encodeFloats(anchor),
      sum: encodeFloats(Float64Array.of(sum)),
      axes: axes.map(({ t, value, last, beforeLast }) => ({
        samples: t.length,
        t: encodeFloats(Float64Array.from(t)),
        value: encodeFloats(Float64Array.from(value)),
        steps: encodeFloats(Float64Array.of(last, beforeLast)),
      })),
    };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): TermSearch {
    return new TermSearch(context, snapshot);
  }
}

function termsOf({ program }: SearchContext): Terms {
  const terms = program?.structure?.terms ?? null;
  if (terms === null) throw new Error('term-search: the program is no sum of terms');
  return terms;
}

function decode(snapshot: SearchSnapshot, n: number): State {
  const s = snapshot as unknown as Omit<State, 'axes' | 'anchor' | 'sum' | 'retries'> & {
    axes: { samples: number; t: string; value: string; steps: string }[];
    anchor: string;
    sum: string;
    retries: [number, string][];
  };
  return {
    ...s,
    retries: s.retries.map(([axis, t]) => [axis, decodeFloats(t, 1)[0]]),
    anchor: decodeFloats(s.anchor, n),
    sum: decodeFloats(s.sum, 1)[0],
    axes: s.axes.map(({ samples, t, value, steps }) => {
      const [last, beforeLast] = decodeFloats(steps, 2);
      return {
        t: Array.from(decodeFloats(t, samples)),
        value: Array.from(decodeFloats(value, samples)),
        last,
        beforeLast,
      };
    }),
  };
}
