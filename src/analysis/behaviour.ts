/** How the nodes of a trace behave over the box: where they lie, which way they bend, whether they have kinks. */
import {
  ANY,
  compareIntervals,
  EITHER,
  intervalOf,
  point,
  truth,
  union,
  unionTruth,
  type Interval,
  type Truth,
} from '../ir/intervals.js';
import type { Box } from '../ir/box-facts.js';
import { isNumberOp, opInfo, type OpName } from '../ir/ops.js';
import type { ProgramTraits } from '../model/program-structure.js';
import { Flags, type NodeId, type Trace } from './trace.js';

/** `constant` and `affine` are both convex and concave. */
type Curvature = 'constant' | 'affine' | 'convex' | 'concave' | 'unknown';

const TWO_PI = 2 * Math.PI;

export class Behaviour {
  private readonly intervals: (Interval | undefined)[] = [];
  private readonly truths: (Truth | undefined)[] = [];
  private readonly curvatures: (Curvature | undefined)[] = [];
  /**
   * 1: has a kink, jump or plateau; 2: runs through a period; 4: rounds; 8: not all was looked at. Of itself and its
   * arguments.
   */
  private readonly marks: (number | undefined)[] = [];

  constructor(
    private readonly trace: Trace,
    private readonly box: Box | null,
  ) {}

  interval(node: NodeId): Interval {
    this.fill(node, this.intervals, (id) => this.computeInterval(id));
    return this.intervals[node]!;
  }

  curvature(node: NodeId): Curvature {
    this.interval(node);
    this.fill(node, this.curvatures, (id) => this.computeCurvature(id));
    return this.curvatures[node]!;
  }

  isConvex(node: NodeId, weight: number): boolean {
    const curvature = this.curvature(node);
    return curvature === 'affine' || curvature === 'constant' || curvature === (weight > 0 ? 'convex' : 'concave');
  }

  /** Traits of `node`, without `isConvex`. */
  traits(node: NodeId): Omit<ProgramTraits, 'isConvex'> {
    this.interval(node);
    this.fill(node, this.marks, (id) => this.computeMarks(id));
    const marks = this.marks[node]!;
    return { isSmooth: (marks & (1 | 4 | 8)) === 0, isPeriodic: (marks & 2) !== 0, hasRounding: (marks & 4) !== 0 };
  }

  /** Lines of the operations that have the mark, for findings. */
  linesOf(mark: 'kink' | 'period' | 'rounding', root: NodeId): number[] {
    this.traits(root);
    const bit = mark === 'kink' ? 1 : mark === 'period' ? 2 : 4;
    const lines = new Set<number>();
    for (let id = 0; id <= root; id++) {
      const marks = this.marks[id];
      if (marks === undefined || (marks & bit) === 0) continue;
      if ((this.ownMarks(id) & bit) !== 0) lines.add(this.trace.lines[id]);
    }
    lines.delete(0);
    return [...lines].sort((a, b) => a - b);
  }

  /** Computes what `node` needs, arguments first; without recursion, for sums may be long. */
  private fill<T>(node: NodeId, known: (T | undefined)[], compute: (id: NodeId) => T): void {
    if (known[node] !== undefined) return;
    const { args } = this.trace;
    const stack = [node];
    while (stack.length > 0) {
      const id = stack[stack.length - 1];
      if (known[id] !== undefined) {
        stack.pop();
        continue;
      }
      const missing = args[id].filter((arg) => known[arg] === undefined);
      if (missing.length > 0) stack.push(...missing);
      else {
        stack.pop();
        this.trace.work.spend();
        known[id] = compute(id);
      }
    }
  }

  private number(id: NodeId): Interval {
    return this.intervals[id] ?? ANY;
  }

  private truth(id: NodeId): Truth {
    return this.truths[id] ?? EITHER;
  }

  private computeInterval(id: NodeId): Interval {
    const { ops, args, imm } = this.trace;
    const op = ops[id];
    const [a, b, c] = args[id];
    switch (op) {
      case 'const':
        this.truths[id] = truth(imm[id] !== 0);
        return point(imm[id]);
      case 'x':
        return this.box === null ? { lo: -Infinity, hi: Infinity, nan: false } : this.coordinate(imm[id], this.box);
      case 'opaque':
        return ANY;
      case 'phi':
      case 'select':
      case 'bselect':
        return this.joined(id, a, b, c);
      case 'lt':
      case 'le':
      case 'eq':
      case 'ne':
        this.truths[id] = compareIntervals(op, this.number(a), this.number(b), a === b);
        return ANY;
      case 'and': {
        const [p, q] = [this.truth(a), this.truth(b)];
        this.truths[id] = { canBeTrue: p.canBeTrue && q.canBeTrue, canBeFalse: p.canBeFalse || q.canBeFalse };
        return ANY;
      }
      case 'or': {
        const [p, q] = [this.truth(a), this.truth(b)];
        this.truths[id] = { canBeTrue: p.canBeTrue || q.canBeTrue, canBeFalse: p.canBeFalse && q.canBeFalse };
        return ANY;
      }
      case 'not':
        this.truths[id] = { canBeTrue: this.truth(a).canBeFalse, canBeFalse: this.truth(a).canBeTrue };
        return ANY;
      default:
        return this.arithmetic(op, args[id]);
    }
  }

  /** Rounding may carry a coordinate of the unit box to the bound, not beyond. */
  private coordinate(k: number, { lower, upper }: Box): Interval {
    return { lo: lower[k], hi: upper[k], nan: false };
  }

  private arithmetic(op: OpName, args: readonly NodeId[]): Interval {
    if (!isNumberOp(op)) return ANY;
    const result = intervalOf(
      op,
      args.map((arg) => this.number(arg)),
      args[0] === args[1],
    );
    // An even power.
    if (op === 'pow' && this.trace.isConstant(args[1]) && this.trace.imm[args[1]] % 2 === 0) {
      return { lo: Math.max(result.lo, 0), hi: Math.max(result.hi, 0), nan: result.nan };
    }
    // Intervals of functions are widened, but the sign is known.
    const { zero } = opInfo(op);
    if (zero !== undefined && this.number(args[0]).lo >= zero) return { ...result, lo: Math.max(result.lo, 0) };
    return result;
  }

  private joined(id: NodeId, condition: NodeId, a: NodeId, b: NodeId): Interval {
    const { canBeTrue, canBeFalse } = this.truth(condition);
    this.truths[id] = unionTruth(this.truth(a), this.truth(b));
    if (!canBeFalse) return this.number(a);
    if (!canBeTrue) return this.number(b);
    return union(this.clipped(condition, a, true), this.clipped(condition, b, false));
  }

  /** Where `value` lies when `condition` has the given truth, for min(a, b), max(a, b) and clipping. */
  private clipped(condition: NodeId, value: NodeId, holds: boolean): Interval {
    const { ops, args } = this.trace;
    const whole = this.number(value);
    let compare = condition;
    let isTrue = holds;
    // `a <= b or a is NaN`
    const mayBeNaN = ops[compare] === 'or' && isTrue;
    if (ops[compare] === 'or') {
      const [first, second] = args[compare];
      if (isTrue && !(ops[second] === 'ne' && args[second][0] === args[second][1])) return whole;
      compare = first;
    }
    if (ops[compare] === 'not') [compare, isTrue] = [args[compare][0], !isTrue];
    if (ops[compare] !== 'lt' && ops[compare] !== 'le') return whole;
    const [p, q] = args[compare];
    // With NaN a comparison is false: nothing follows from that.
    if (!isTrue && (this.number(p).nan || this.number(q).nan)) return whole;
    const [low, high] = isTrue ? [p, q] : [q, p];
    let { lo, hi } = whole;
    if (value === low) hi = Math.min(hi, this.number(high).hi);
    if (value === high) lo = Math.max(lo, this.number(low).lo);
    return lo <= hi ? { lo, hi, nan: isTrue && !mayBeNaN ? false : whole.nan } : whole;
  }

  // --- kinks, periods, rounding

  private computeMarks(id: NodeId): number {
    const { args, deps } = this.trace;
    if (deps[id] === 0) return 0;
    let marks = this.ownMarks(id);
    const settled = this.settledBranch(id);
    if (settled !== undefined) return this.marks[settled]!;
    for (const arg of args[id]) marks |= this.marks[arg]!;
    return marks;
  }

  /** The argument that a choice always takes. */
  private settledBranch(id: NodeId): NodeId | undefined {
    const { ops, args } = this.trace;
    if (ops[id] !== 'phi' && ops[id] !== 'select') return undefined;
    const [condition, a, b] = args[id];
    const { canBeTrue, canBeFalse } = this.truth(condition);
    return !canBeFalse ? a : !canBeTrue ? b : undefined;
  }

  private ownMarks(id: NodeId): number {
    const { ops, args, deps, flags } = this.trace;
    const [a, b] = args[id];
    const op = ops[id];
    switch (op) {
      case 'phi':
      case 'select':
      case 'bselect':
        return this.settledBranch(id) === undefined && deps[a] !== 0 ? 1 : 0;
      case 'pow': {
        if (this.number(a).lo > 0) return 0;
        if (!this.trace.isConstant(b)) return 1;
        const power = this.trace.imm[b];
        return Number.isInteger(power) && power >= 0 ? 0 : 1;
      }
      case 'div':
        return isOffZero(this.number(b)) ? 0 : 1;
      case 'opaque': {
        const own = flags[id];
        return 8 | 1 | ((own & Flags.Wave) !== 0 ? 2 : 0) | ((own & Flags.Rounding) !== 0 ? 4 : 0);
      }
      default: {
        const isPeriodic = opInfo(op).period !== undefined && this.widthOf(a) > TWO_PI;
        return this.kinksOf(op, id) | (isPeriodic ? 2 : 0);
      }
    }
  }

  private widthOf(id: NodeId): number {
    const { lo, hi } = this.number(id);
    return hi - lo;
  }

  private kinksOf(op: OpName, id: NodeId): number {
    const { args, deps } = this.trace;
    const [a] = args[id];
    const { smooth, period } = opInfo(op);
    switch (smooth) {
      case 'either side of zero': {
        const { lo, hi } = this.number(a);
        return lo >= 0 || hi <= 0 ? 0 : 1;
      }
      case 'off zero':
        return isOffZero(this.number(a)) ? 0 : 1;
      case 'above zero':
        return this.number(a).lo > 0 ? 0 : 1;
      case 'between poles':
        return this.widthOf(a) < period! ? 0 : 1;
      case 'elsewhere':
      case 'bits':
        return 1;
      case 'steps': {
        const { lo, hi } = this.number(id);
        return deps[a] === 0 || lo === hi ? 0 : 5;
      }
      case 'everywhere':
      case undefined:
        return 0;
    }
  }

  // --- convexity, by rules of composition (disciplined convex programming)

  private computeCurvature(id: NodeId): Curvature {
    const { ops, args, deps, isAffine } = this.trace;
    if (deps[id] === 0) return 'constant';
    if (isAffine[id]) return 'affine';
    const [a, b] = args[id];
    const of = (arg: NodeId): Curvature => this.curvatures[arg]!;
    const settled = this.settledBranch(id);
    if (settled !== undefined) return of(settled);
    const { lo, hi } = a === undefined ? ANY : this.number(a);
    switch (ops[id]) {
      case 'add':
        return sumOf(of(a), of(b));
      case 'sub':
        return sumOf(of(a), mirrored(of(b)));
      case 'neg':
        return mirrored(of(a));
      case 'mul':
        if (of(a) === 'constant') return scaled(of(b), this.number(a));
        if (of(b) === 'constant') return scaled(of(a), this.number(b));
        return this.product(id);
      case 'div':
        if (of(b) === 'constant') return scaled(of(a), this.number(b));
        if (of(a) !== 'constant') return 'unknown';
        // c / t for t > 0 is convex and decreasing.
        return this.number(b).lo > 0 ? scaled(decreasingConvex(of(b)), this.number(a)) : 'unknown';
      case 'abs':
        if (lo >= 0) return of(a);
        return hi <= 0 ? mirrored(of(a)) : this.composed('abs', id);
      case 'pow':
        return this.power(id);
      case 'select':
      case 'phi':
        return this.extremum(id);
      case 'opaque':
        return 'unknown';
      default:
        return this.composed(ops[id], id);
    }
  }

  /** A convex function of a straight one, or a rising one of one that is bent the same way. */
  private composed(op: OpName, id: NodeId): Curvature {
    const { curvature, monotony } = opInfo(op);
    const inner = this.trace.args[id].map((arg) => this.curvatures[arg]!);
    if (curvature === undefined) return 'unknown';
    if (inner.every(isStraight)) return curvature;
    const [a] = this.trace.args[id];
    const rises = monotony === 'increases' || (monotony === 'mirrored' && this.number(a).lo >= 0);
    return rises && inner.length === 1 && inner[0] === curvature ? curvature : 'unknown';
  }

  private product(id: NodeId): Curvature {
    const square = this.squareOf(id);
    if (square === null) return 'unknown';
    const inner = this.curvatures[square.base]!;
    const { lo, hi } = this.number(square.base);
    const isConvex = isStraight(inner) || (inner === 'convex' && lo >= 0) || (inner === 'concave' && hi <= 0);
    if (!isConvex) return 'unknown';
    return square.factor > 0 ? 'convex' : 'concave';
  }

  private power(id: NodeId): Curvature {
    const [a, b] = this.trace.args[id];
    if (!this.trace.isConstant(b)) return 'unknown';
    const exponent = this.trace.imm[b];
    const inner = this.curvatures[a]!;
    const { lo } = this.number(a);
    if (exponent >= 2 && exponent % 2 === 0 && isStraight(inner)) return 'convex';
    if (lo >= 0 && exponent >= 1) return increasingConvex(inner);
    if (lo >= 0 && exponent > 0 && exponent < 1) return increasingConcave(inner);
    if (lo > 0 && exponent < 0) return decreasingConvex(inner);
    return 'unknown';
  }

  /** max(a, b) of convex functions, min(a, b) of concave ones, as a choice by comparison of the two. */
  private extremum(id: NodeId): Curvature {
    const { ops, args } = this.trace;
    const [condition, a, b] = args[id];
    let compare = condition;
    // `a >= b or a is NaN`
    if (ops[compare] === 'or') compare = args[compare][0];
    if (ops[compare] !== 'lt' && ops[compare] !== 'le') return 'unknown';
    const [p, q] = args[compare];
    const [u, v] = [this.curvatures[a]!, this.curvatures[b]!];
    if (p === b && q === a) return isConvexCurve(u) && isConvexCurve(v) ? 'convex' : 'unknown';
    if (p === a && q === b) return isConcaveCurve(u) && isConcaveCurve(v) ? 'concave' : 'unknown';
    return 'unknown';
  }

  /** `node` = factor * base^2; null: no square. */
  squareOf(
    node: NodeId,
  ): { readonly base: NodeId; readonly factor: number; readonly scales: readonly [number, number] } | null {
    const { ops, args, imm } = this.trace;
    const [a, b] = args[node];
    if (ops[node] === 'pow' && this.trace.isConstant(b) && imm[b] === 2) return { base: a, factor: 1, scales: [1, 1] };
    if (ops[node] !== 'mul') return null;
    const p = this.unscaled(a);
    const q = this.unscaled(b);
    if (p.base !== q.base || this.trace.deps[p.base] === 0) return null;
    return { base: p.base, factor: p.factor * q.factor, scales: [p.factor, q.factor] };
  }

  private unscaled(node: NodeId): { readonly base: NodeId; readonly factor: number } {
    const { ops, args, imm } = this.trace;
    let base = node;
    let factor = 1;
    for (;;) {
      const [a, b] = args[base];
      if (ops[base] === 'mul' && this.trace.isConstant(a)) [base, factor] = [b, factor * imm[a]];
      else if (ops[base] === 'mul' && this.trace.isConstant(b)) [base, factor] = [a, factor * imm[b]];
      else if (ops[base] === 'div' && this.trace.isConstant(b)) [base, factor] = [a, factor / imm[b]];
      else if (ops[base] === 'neg') [base, factor] = [a, -factor];
      else return { base, factor };
    }
  }
}

/** NaN is on neither side. */
const isOffZero = ({ lo, hi }: Interval): boolean => lo > 0 || hi < 0;

const isStraight = (c: Curvature): boolean => c === 'affine' || c === 'constant';
const isConvexCurve = (c: Curvature): boolean => isStraight(c) || c === 'convex';
const isConcaveCurve = (c: Curvature): boolean => isStraight(c) || c === 'concave';

function mirrored(c: Curvature): Curvature {
  return c === 'convex' ? 'concave' : c === 'concave' ? 'convex' : c;
}

function sumOf(a: Curvature, b: Curvature): Curvature {
  if (isConvexCurve(a) && isConvexCurve(b)) return isStraight(a) && isStraight(b) ? 'affine' : 'convex';
  return isConcaveCurve(a) && isConcaveCurve(b) ? 'concave' : 'unknown';
}

function scaled(c: Curvature, { lo, hi }: Interval): Curvature {
  return lo >= 0 ? c : hi <= 0 ? mirrored(c) : 'unknown';
}

const increasingConvex = (inner: Curvature): Curvature => (isConvexCurve(inner) ? 'convex' : 'unknown');
const increasingConcave = (inner: Curvature): Curvature => (isConcaveCurve(inner) ? 'concave' : 'unknown');
const decreasingConvex = (inner: Curvature): Curvature => (isConcaveCurve(inner) ? 'convex' : 'unknown');
