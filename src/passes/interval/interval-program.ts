/**
 * Interval arithmetic: from a function, one that bounds it over a box. The result is IR like any other and runs on
 * every backend in equal bits.
 *
 * The bounds are about the program as it is run: they enclose the floating-point numbers that the interpreter and every
 * backend compute, not the real function behind them. They hold for the points of the box at which the program has a
 * value: a point that raises or gives NaN never becomes a run's best. Where another interpreter has to say what the
 * value is (a big integer, a complex number), nothing is known. A NaN is never a bound.
 *
 * Every value that depends on the candidate becomes two (`arithmetic.ts`). A branch runs both of its sides where its
 * condition is not decided over the box, and what it leaves is joined; inside, values are those of the points that come
 * by: a comparison that holds narrows what it compares. A loop goes on while any point may, and joins what the points
 * leave it with; a store that only some points make keeps the old element as a possibility.
 */
import { IrBuilder, ProgramTooLarge, type ArrayId } from '../../ir/builder.js';
import { addForms, constantForm, formOf, mapForm } from '../../ir/index-form.js';
import { isNumberOp } from '../../ir/ops.js';
import type { ForNode, IfNode, IndexForm, Instruction, IrFunction, LoopNode, Region, ValueId } from '../../ir/types.js';
import { LaneStatus } from '../../ir/types.js';
import { contains } from '../../ir/walk.js';
import { Arithmetic, type Enclosure, type Truth } from './arithmetic.js';
import { analyzeFlow, type Flow } from './flow.js';

/** Turns of a loop that may be the last one for some points and not for others, after which nothing is said. */
const MOST_OPEN_TURNS = 100;
const MAX_NODES = 250_000;

/** How far up from the lower bound an envelope lies: where that is flat, the upper one decides. */
const SHARE_OF_UPPER_BOUND = 0.02;

/** The bounds would need too large a program. */
export class IntervalsTooLarge extends Error {}

/**
 * The bounds of `fn`: a function of dimension 2 n, of the lower ends of the box and then of the upper ones (lower <=
 * upper, finite), whose value is a lower bound and whose output array [1] is an upper bound. +infinity and -infinity:
 * the program has no value anywhere in the box. A flagged lane: nothing is known.
 *
 * Cost: O(nodes); the result takes some 5 to 20 times as long as `fn`.
 *
 * @throws {IntervalsTooLarge} for a result of more than 250,000 nodes.
 */
export function intervalProgram(fn: IrFunction): IrFunction {
  return within(() => new Intervals(fn).bounds());
}

/**
 * A number between the bounds, a fiftieth of the way up, or the lower bound where there is no upper one, as the value
 * of a function of the same parameters. As the box moves, it changes as `fn` does without its ripples. Where there is
 * no lower bound, it is -infinity or NaN.
 *
 * @throws {IntervalsTooLarge} for a result of more than 250,000 nodes.
 */
export function envelopeProgram(fn: IrFunction): IrFunction {
  return within(() => new Intervals(fn).envelope());
}

function within(make: () => IrFunction): IrFunction {
  try {
    return make();
  } catch (error) {
    if (error instanceof ProgramTooLarge) throw new IntervalsTooLarge('The bounds would need too large a program.');
    throw error;
  }
}

/** Statuses of lanes whose value, if they have one, only another interpreter knows; the others are exceptions. */
const OPEN_STATUSES: ReadonlySet<LaneStatus> = new Set<LaneStatus>([
  LaneStatus.ComplexResult,
  LaneStatus.IntegerRange,
  LaneStatus.FuelExhausted,
  LaneStatus.ReductionRange,
  LaneStatus.Untranslated,
]);

/** A number that a branch gives, and what it is on either side. */
interface Sides {
  readonly id: ValueId;
  readonly then: Enclosure;
  readonly otherwise: Enclosure;
}

class Intervals {
  private readonly b: IrBuilder;
  private readonly math: Arithmetic;
  private readonly flow: Flow;
  /** By old value: one new value where it does not depend on the candidate, else its two. */
  private readonly parts: (readonly ValueId[])[] = [];
  /** By old value: how it is computed. */
  private readonly origins = new Map<ValueId, Instruction>();
  /** By old condition: numbers that branches on it have given, innermost region last. */
  private readonly sides: Map<ValueId, readonly Sides[]>[] = [new Map()];
  /** Enclosures that comparisons have taught, innermost region last. */
  private readonly narrowed: Map<ValueId, Enclosure>[] = [new Map()];
  /** By old array. */
  private readonly arrays = new Map<number, readonly ArrayId[]>();

  /** Every point of the box comes by this place, unless it has raised. */
  private isCertain: ValueId;
  /** Some point of those that entered this region may be left. */
  private isAlive: ValueId;
  /** Some point may have gone to another interpreter. */
  private isOpen: ValueId;

  constructor(private readonly fn: IrFunction) {
    this.b = new IrBuilder(fn.name, 2 * fn.dimension, null, MAX_NODES);
    this.math = new Arithmetic(this.b);
    this.flow = analyzeFlow(fn);
    this.isCertain = this.isAlive = this.b.bool(true);
    this.isOpen = this.b.bool(false);
  }

  bounds(): IrFunction {
    const { b } = this;
    const upper = b.outputArray(1);
    const { lo, hi } = this.run();
    b.store(upper, constantForm(0), hi);
    return b.finish(lo);
  }

  envelope(): IrFunction {
    const { b, math } = this;
    const { lo, hi } = this.run();
    const between = b.op('add', lo, b.op('mul', b.const(SHARE_OF_UPPER_BOUND), b.op('sub', hi, lo)));
    return b.finish(math.pick(b.op('lt', hi, math.infinity), between, lo));
  }

  private run(): Enclosure {
    const { b, math, fn } = this;
    fn.arrays.forEach((array, k) => {
      if (array.kind !== 'local' || !this.flow.isJoined[k]) return;
      const [lo, hi] = this.arrayOf(k);
      b.for(constantForm(array.length), [], (index) => {
        b.store(lo, formOf(index), math.infinity);
        b.store(hi, formOf(index), math.minusInfinity);
        return [];
      });
    });
    this.nodes(fn.body);
    const { lo, hi } = this.number(fn.body.yields[0]);
    const bound = (end: ValueId, none: ValueId, unknown: ValueId): ValueId => {
      const known = math.pick(b.op('eq', end, end), end, unknown);
      return math.pick(this.isOpen, unknown, math.pick(this.isAlive, known, none));
    };
    return { lo: bound(lo, math.infinity, math.minusInfinity), hi: bound(hi, math.minusInfinity, math.infinity) };
  }

  // --- values

  private number(id: ValueId): Enclosure {
    for (let k = this.narrowed.length - 1; k >= 0; k--) {
      const known = this.narrowed[k].get(id);
      if (known !== undefined) return known;
    }
    const parts = this.parts[id];
    return { lo: parts[0], hi: parts[parts.length - 1] };
  }

  private truth(id: ValueId): Truth {
    const [canBeTrue, canBeFalse = this.math.not(canBeTrue)] = this.parts[id];
    return { canBeTrue, canBeFalse };
  }

  private isNumber(id: ValueId): boolean {
    return this.fn.types[id] === 'f64';
  }

  /** The new values that stand for `id`: two where `isWide`. */
  private partsOf(id: ValueId, isWide: boolean): ValueId[] {
    if (!isWide) return [this.parts[id][0]];
    if (!this.isNumber(id)) {
      const { canBeTrue, canBeFalse } = this.truth(id);
      return [canBeTrue, canBeFalse];
    }
    const { lo, hi } = this.number(id);
    return [lo, hi];
  }

  /** Stands for the values of no point at all. */
  private nothing(id: ValueId): ValueId[] {
    if (!this.isNumber(id)) return [this.b.bool(false), this.b.bool(false)];
    return [this.math.infinity, this.math.minusInfinity];
  }

  private define(ids: readonly ValueId[], values: readonly ValueId[]): void {
    let at = 0;
    for (const id of ids) {
      const count = this.flow.varies[id] ? 2 : 1;
      this.parts[id] = values.slice(at, at + count);
      at += count;
    }
  }

  /** Parts of the values `from` (after `offset`), which take the places of `to`. */
  private passed(from: readonly ValueId[], to: readonly ValueId[], offset = 0): ValueId[] {
    return to.flatMap((id, k) => this.partsOf(from[k + offset], this.flow.varies[id]));
  }

  /** Union of two possibilities: two parts for each of `ids`. */
  private joined(ids: readonly ValueId[], p: readonly ValueId[], q: readonly ValueId[]): ValueId[] {
    const { math } = this;
    return ids.flatMap((id, k) => {
      const [p0, p1, q0, q1] = [p[2 * k], p[2 * k + 1], q[2 * k], q[2 * k + 1]];
      if (!this.isNumber(id)) return [math.or(p0, q0), math.or(p1, q1)];
      const { lo, hi } = math.join({ lo: p0, hi: p1 }, { lo: q0, hi: q1 });
      return [lo, hi];
    });
  }

  private form(at: IndexForm): IndexForm {
    return mapForm(at, (index) => this.parts[index][0]);
  }

  /** One array where its elements do not depend on the candidate, else those of lower and of upper ends. */
  private arrayOf(old: number): readonly ArrayId[] {
    const known = this.arrays.get(old);
    if (known !== undefined) return known;
    const { b } = this;
    const array = this.fn.arrays[old];
    const made =
      array.kind === 'candidate'
        ? [b.candidate()]
        : array.kind === 'table'
          ? [b.table(array.values)]
          : Array.from({ length: this.flow.arrayVaries[old] ? 2 : 1 }, () => b.localArray(array.length));
    this.arrays.set(old, made);
    return made;
  }

  // --- nodes

  private nodes(region: Region): void {
    for (const node of region.body) {
      if (node.kind === 'op') this.instruction(node);
      else if (node.kind === 'for') this.counted(node);
      else if (node.kind === 'loop') this.loop(node);
      else if (this.flow.varies[node.condition]) this.branches(node);
      else this.decided(node);
    }
  }

  private instruction(node: Instruction): void {
    if (node.op === 'check') return this.check(node);
    if (node.op === 'store') return this.store(node);
    this.origins.set(node.result, node);
    this.parts[node.result] = this.flow.varies[node.result] ? this.wide(node) : [this.plain(node)];
  }

  private plain(node: Instruction): ValueId {
    const { b } = this;
    switch (node.op) {
      case 'const':
        return b.const(node.imm);
      case 'bconst':
        return b.bool(node.imm === 1);
      case 'ordinal':
        return b.ordinal(this.form(node.at!));
      case 'load':
        return b.load(this.arrayOf(node.imm)[0], this.form(node.at!));
      case 'x':
      case 'store':
      case 'check':
        throw new Error(`${node.op} does not give one number`);
      default:
        return b.op(node.op, ...node.args.map((id) => this.parts[id][0]));
    }
  }

  private wide(node: Instruction): ValueId[] {
    const { b, math, fn } = this;
    const { op, args } = node;
    const two = ({ lo, hi }: Enclosure): ValueId[] => [lo, hi];
    const may = ({ canBeTrue, canBeFalse }: Truth): ValueId[] => [canBeTrue, canBeFalse];
    switch (op) {
      case 'x':
        return [b.x(node.imm), b.x(fn.dimension + node.imm)];
      case 'load': {
        const at = this.form(node.at!);
        const array = this.arrayOf(node.imm);
        if (fn.arrays[node.imm].kind !== 'candidate') return [b.load(array[0], at), b.load(array[1], at)];
        return [b.load(array[0], at), b.load(array[0], addForms(at, constantForm(fn.dimension)))];
      }
      case 'select':
        return two(this.select(args));
      case 'lt':
      case 'le':
      case 'eq':
      case 'ne':
        return may(math.compare(op, this.number(args[0]), this.number(args[1]), args[0] === args[1]));
      case 'signbit':
        return may(math.sign(this.number(args[0])));
      case 'and':
      case 'or':
      case 'xor':
      case 'not':
      case 'bselect':
        return may(
          math.truth(
            op,
            args.map((id) => this.truth(id)),
          ),
        );
      default: {
        const special = op === 'add' ? this.roundingError(args) : op === 'mul' ? this.scaledSquare(args) : null;
        if (special !== null) return two(special);
        if (!isNumberOp(op)) throw new Error(`${op} does not depend on the candidate`);
        const numbers = args.map((id) => this.number(id));
        return two(math.value(op, numbers, args[0] === args[1], this.flow.heedsNaN[node.result]));
      }
    }
  }

  /**
   * (s - t) + x with t = s + x, as compensated sums have it, is about the rounding error of t: with u = 2^-53 its
   * magnitude is below 4 u (|t| + |x|), for s - t is within u |t| of -x before it is rounded.
   */
  private roundingError([d, x]: readonly ValueId[]): Enclosure | null {
    const difference = this.origins.get(d);
    if (difference?.op !== 'sub') return null;
    const [s, t] = difference.args;
    const sum = this.origins.get(t);
    if (sum?.op !== 'add' || !this.areSame([s, x], sum.args)) return null;
    const { b, math } = this;
    const size = (id: ValueId): ValueId => math.value('abs', [this.number(id)], false, false).hi;
    const most = b.op('mul', b.const(2 ** -51), b.op('add', size(t), size(x)));
    const hi = b.op('add', most, b.const(Number.MIN_VALUE));
    return { lo: b.op('neg', hi), hi };
  }

  /** Whether two numbers are those of a sum in some order, perhaps one that depends on a condition. */
  private areSame([p, q]: readonly ValueId[], [u, v]: readonly ValueId[]): boolean {
    if ((p === u && q === v) || (p === v && q === u)) return true;
    const [first, second] = [this.origins.get(p), this.origins.get(q)];
    if (first?.op !== 'select' || second?.op !== 'select' || first.args[0] !== second.args[0]) return false;
    const [, a, c] = first.args;
    const [, e, f] = second.args;
    return a === f && c === e && this.areSame([a, c], [u, v]);
  }

  /** A product of two multiples of one value, as in c * z * z: all of one sign. */
  private scaledSquare([p, q]: readonly ValueId[]): Enclosure | null {
    const { b, math } = this;
    const [first, second] = [this.multiple(p), this.multiple(q)];
    if (p === q || first.of !== second.of) return null;
    const root = this.number(first.of);
    // The ends that belong to the lower and to the upper end of the root.
    const ends = (id: ValueId, isNegative: ValueId): readonly [ValueId, ValueId] => {
      const { lo, hi } = this.number(id);
      return [math.pick(isNegative, hi, lo), math.pick(isNegative, lo, hi)];
    };
    const [low1, high1] = ends(p, first.isNegative);
    const [low2, high2] = ends(q, second.isNegative);
    const [atLow, atHigh] = [b.op('mul', low1, low2), b.op('mul', high1, high2)];
    const zero = b.const(0);
    const isAbove = b.op('lt', zero, root.lo);
    const isBelow = b.op('lt', root.hi, zero);
    const nearest = math.pick(isAbove, atLow, math.pick(isBelow, atHigh, zero));
    const isNegative = this.differ(first.isNegative, second.isNegative);
    return {
      lo: math.pick(isNegative, math.min(atLow, atHigh), nearest),
      hi: math.pick(isNegative, nearest, math.max(atLow, atHigh)),
    };
  }

  private differ(p: ValueId, q: ValueId): ValueId {
    const { math } = this;
    return math.or(math.and(p, math.not(q)), math.and(math.not(p), q));
  }

  /** The value that `id` is a multiple of, by a factor that does not depend on the candidate. */
  private multiple(id: ValueId): { readonly of: ValueId; readonly isNegative: ValueId } {
    const { b, flow } = this;
    const origin = this.origins.get(id);
    const [p, q] = origin?.args ?? [];
    // A product may be NaN where the value is not.
    if (flow.heedsNaN[id]) return { of: id, isNegative: b.bool(false) };
    if (origin?.op === 'neg') {
      const inner = this.multiple(p);
      return { of: inner.of, isNegative: this.math.not(inner.isNegative) };
    }
    if (origin?.op !== 'mul' || flow.varies[p] === flow.varies[q]) return { of: id, isNegative: b.bool(false) };
    const [factor, rest] = flow.varies[p] ? [q, p] : [p, q];
    const inner = this.multiple(rest);
    const value = b.constantOf(this.parts[factor][0]);
    const isNegative = value === undefined ? b.op('lt', this.parts[factor][0], b.const(0)) : b.bool(value < 0);
    return { of: inner.of, isNegative: this.differ(inner.isNegative, isNegative) };
  }

  private select([condition, then, otherwise]: readonly ValueId[]): Enclosure {
    const { math } = this;
    if (!this.flow.varies[condition]) {
      return math.pickEnclosure(this.parts[condition][0], this.number(then), this.number(otherwise));
    }
    const { canBeTrue, canBeFalse } = this.truth(condition);
    const p = this.within(condition, true, () => this.number(then));
    const q = this.within(condition, false, () => this.number(otherwise));
    return math.pickEnclosure(canBeTrue, math.pickEnclosure(canBeFalse, math.join(p, q), p), q);
  }

  private check(node: Instruction): void {
    const { math } = this;
    const [condition] = node.args;
    const { canBeTrue, canBeFalse } = this.truth(condition);
    if (OPEN_STATUSES.has(node.imm as LaneStatus)) {
      this.isOpen = math.or(this.isOpen, math.and(canBeTrue, this.isAlive));
    }
    this.isAlive = math.and(this.isAlive, canBeFalse);
    this.narrow(condition, false);
  }

  private store(node: Instruction): void {
    const { b, math } = this;
    const at = this.form(node.at!);
    const arrays = this.arrayOf(node.imm);
    const [value] = node.args;
    if (!this.flow.arrayVaries[node.imm]) return b.store(arrays[0], at, this.parts[value][0]);
    const next = this.number(value);
    const isKnown = b.constantOf(this.isCertain) === 1;
    const before = isKnown ? next : { lo: b.load(arrays[0], at), hi: b.load(arrays[1], at) };
    const { lo, hi } = isKnown ? next : math.pickEnclosure(this.isCertain, next, math.join(before, next));
    b.store(arrays[0], at, lo);
    b.store(arrays[1], at, hi);
  }

  // --- what comparisons teach

  /** Result of `read` where `condition` is `holds`. */
  private within<T>(condition: ValueId, holds: boolean, read: () => T): T {
    this.narrowed.push(new Map());
    this.narrow(condition, holds);
    try {
      return read();
    } finally {
      this.narrowed.pop();
    }
  }

  /** From here to the end of the region `condition` is `holds`. */
  private narrow(condition: ValueId, holds: boolean): void {
    for (const { id, then, otherwise } of this.sides.flatMap((sides) => sides.get(condition) ?? [])) {
      this.learn(id, this.common(holds ? then : otherwise, this.number(id)));
    }
    const origin = this.origins.get(condition);
    if (origin === undefined || !this.flow.varies[condition]) return;
    const [p, q] = origin.args;
    switch (origin.op) {
      case 'not':
        return this.narrow(p, !holds);
      case 'and':
      case 'or':
        if ((origin.op === 'and') !== holds) return;
        this.narrow(p, holds);
        return this.narrow(q, holds);
      case 'lt':
      case 'le':
        if (p === q) return;
        return holds ? this.order(p, q, origin.op === 'lt', true) : this.order(q, p, origin.op === 'le', false);
      case 'eq':
      case 'ne':
        if (p === q) return;
        return (origin.op === 'eq') === holds ? this.equate(p, q) : this.separate(p, q);
      default:
        return;
    }
  }

  /** p <= q, or p < q where `isStrict`; or, unless `areNumbers`, one of them is NaN. */
  private order(p: ValueId, q: ValueId, isStrict: boolean, areNumbers: boolean): void {
    const { b, math } = this;
    const [low, high] = [this.number(p), this.number(q)];
    // Nothing is between zero and the smallest number.
    const beyond = (end: ValueId, step: number): ValueId => (isStrict && b.constantOf(end) === 0 ? b.const(step) : end);
    const learn = (id: ValueId, before: Enclosure, after: Enclosure): void => {
      if (!this.flow.varies[id]) return;
      const isSafe = areNumbers || !this.flow.heedsNaN[id] ? b.bool(true) : math.isNumber(before);
      this.learn(id, math.pickEnclosure(isSafe, after, before));
    };
    learn(p, low, { lo: low.lo, hi: math.reduce(low.hi, beyond(high.hi, -Number.MIN_VALUE)) });
    learn(q, high, { lo: math.raise(high.lo, beyond(low.lo, Number.MIN_VALUE)), hi: high.hi });
  }

  private equate(p: ValueId, q: ValueId): void {
    const [a, c] = [this.number(p), this.number(q)];
    if (this.flow.varies[p]) this.learn(p, this.common(a, c));
    if (this.flow.varies[q]) this.learn(q, this.common(c, a));
  }

  /** Intersection of both; where an end of either is NaN, the end of the first. */
  private common(own: Enclosure, other: Enclosure): Enclosure {
    return { lo: this.math.raise(own.lo, other.lo), hi: this.math.reduce(own.hi, other.hi) };
  }

  /** p != q: of use where one is zero. */
  private separate(p: ValueId, q: ValueId): void {
    const { b, math } = this;
    const isZero = (id: ValueId): boolean => !this.flow.varies[id] && b.constantOf(this.parts[id][0]) === 0;
    const id = isZero(q) ? p : isZero(p) ? q : null;
    if (id === null || !this.flow.varies[id]) return;
    const { lo, hi } = this.number(id);
    const zero = b.const(0);
    this.learn(id, {
      lo: math.pick(b.op('eq', lo, zero), b.const(Number.MIN_VALUE), lo),
      hi: math.pick(b.op('eq', hi, zero), b.const(-Number.MIN_VALUE), hi),
    });
  }

  private learn(id: ValueId, enclosure: Enclosure): void {
    this.narrowed[this.narrowed.length - 1].set(id, enclosure);
  }

  // --- regions

  /**
   * Builds a region for the points that enter it, some of which may raise in it.
   *
   * @param finish what it yields, read while what was learned in it is known
   */
  private part(isCertain: ValueId, enter: () => void, region: Region, finish: () => ValueId[]): ValueId[] {
    const before = { isCertain: this.isCertain, isAlive: this.isAlive };
    this.isCertain = isCertain;
    this.isAlive = this.b.bool(true);
    this.narrowed.push(new Map());
    this.sides.push(new Map());
    try {
      enter();
      this.nodes(region);
      return finish();
    } finally {
      this.sides.pop();
      this.narrowed.pop();
      this.isCertain = before.isCertain;
      this.isAlive = before.isAlive;
    }
  }

  /** Both sides, each where it may be taken. */
  private branches(node: IfNode): void {
    const { b, math } = this;
    const { canBeTrue, canBeFalse } = this.truth(node.condition);
    const none = node.results.flatMap((id) => this.nothing(id));
    const side = (region: Region, mayRun: ValueId, mayNot: ValueId, holds: boolean): ValueId[] => {
      const isOpen = this.isOpen;
      const results = b.if(
        mayRun,
        () =>
          this.part(
            math.and(this.isCertain, math.not(mayNot)),
            () => this.narrow(node.condition, holds),
            region,
            () => {
              const values = region.yields.flatMap((id) => this.partsOf(id, true));
              return [this.isAlive, this.isOpen, ...values.map((v, k) => math.pick(this.isAlive, v, none[k]))];
            },
          ),
        () => [b.bool(false), isOpen, ...none],
      );
      this.isOpen = results[1];
      return results;
    };
    const [isThenAlive, , ...then] = side(node.then, canBeTrue, canBeFalse, true);
    const [isOtherwiseAlive, , ...otherwise] = side(node.otherwise, canBeFalse, canBeTrue, false);
    if (mayEnd(node.then) || mayEnd(node.otherwise)) {
      this.isAlive = math.and(this.isAlive, math.or(isThenAlive, isOtherwiseAlive));
    }
    this.define(node.results, this.joined(node.results, then, otherwise));
    const sides = node.results.flatMap((id, k) => {
      const of = (ends: readonly ValueId[]): Enclosure => ({ lo: ends[2 * k], hi: ends[2 * k + 1] });
      return this.isNumber(id) ? [{ id, then: of(then), otherwise: of(otherwise) }] : [];
    });
    const known = this.sides[this.sides.length - 1];
    known.set(node.condition, [...(known.get(node.condition) ?? []), ...sides]);
  }

  /** One side, the same for all points. */
  private decided(node: IfNode): void {
    const { b, math } = this;
    const isOpen = this.isOpen;
    const side = (region: Region) => (): ValueId[] => {
      this.isOpen = isOpen;
      const finish = (): ValueId[] => [this.isAlive, this.isOpen, ...this.passed(region.yields, node.results)];
      return this.part(this.isCertain, () => undefined, region, finish);
    };
    const [isAlive, open, ...results] = b.if(this.parts[node.condition][0], side(node.then), side(node.otherwise));
    this.isAlive = math.and(this.isAlive, isAlive);
    this.isOpen = open;
    this.define(node.results, results);
  }

  private counted(node: ForNode): void {
    const { b, math } = this;
    const initial = [this.isAlive, this.isOpen, ...this.passed(node.initial, node.params)];
    const [isAlive, isOpen, ...results] = b.for(this.form(node.count), initial, (index, [alive, open, ...params]) => {
      this.isOpen = open;
      const enter = (): void => {
        this.parts[node.index] = [index];
        this.define(node.params, params);
      };
      return this.part(this.isCertain, enter, node.body, () => [
        math.and(alive, this.isAlive),
        this.isOpen,
        ...this.passed(node.body.yields, node.params),
      ]);
    });
    this.isAlive = isAlive;
    this.isOpen = isOpen;
    const wide = node.results.flatMap((id, k) => {
      const at = node.params.slice(0, k).reduce((sum, param) => sum + (this.flow.varies[param] ? 2 : 1), 0);
      const own = results.slice(at, at + (this.flow.varies[node.params[k]] ? 2 : 1));
      return this.flow.varies[id] && own.length === 1 ? this.doubled(id, own[0]) : own;
    });
    this.define(node.results, wide);
  }

  private doubled(id: ValueId, value: ValueId): ValueId[] {
    return [value, this.isNumber(id) ? value : this.math.not(value)];
  }

  /**
   * Turn after turn for the points that are still in it. `left` joins the values that the points had when they left.
   */
  private loop(node: LoopNode): void {
    const { b, math } = this;
    const [again, ...next] = node.body.yields;
    const none = node.results.flatMap((id) => this.nothing(id));
    const initial = [
      this.isOpen,
      this.isCertain,
      b.const(0),
      b.bool(false),
      ...none,
      ...this.passed(node.initial, node.params),
    ];
    const results = b.loop(initial, node.fuel, node.line, ([open, certain, openTurns, hasLeft, ...rest]) => {
      const left = rest.slice(0, none.length);
      this.isOpen = open;
      const enter = (): void => this.define(node.params, rest.slice(none.length));
      return this.part(certain, enter, node.body, () => {
        const { canBeTrue, canBeFalse } = this.truth(again);
        const goesOn = math.and(canBeTrue, this.isAlive);
        const leaves = math.and(canBeFalse, this.isAlive);
        const turns = b.op('add', openTurns, b.op('select', math.and(goesOn, leaves), b.const(1), b.const(0)));
        b.check(b.op('lt', b.const(MOST_OPEN_TURNS), turns), LaneStatus.Untranslated, node.line);
        const going = this.within(again, true, () => this.passed(next, node.params));
        const leaving = this.within(again, false, () => next.flatMap((id) => this.partsOf(id, true)));
        const leftWith = leaving.map((v, k) => math.pick(leaves, v, none[k]));
        return [
          goesOn,
          this.isOpen,
          math.and(certain, math.not(canBeFalse)),
          turns,
          math.or(hasLeft, leaves),
          ...this.joined(node.results, left, leftWith),
          ...going,
        ];
      });
    });
    const [open, , , hasLeft, ...rest] = results;
    this.isOpen = open;
    this.isAlive = math.and(this.isAlive, hasLeft);
    this.define(node.results, rest.slice(0, none.length));
  }
}

/** Whether a point may raise in it. */
function mayEnd(region: Region): boolean {
  return contains(region, (node) => node.kind === 'loop' || (node.kind === 'op' && node.op === 'check'));
}
