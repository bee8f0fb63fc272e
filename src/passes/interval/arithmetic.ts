/**
 * Enclosures: two values of a program under construction between which a value of another program lies.
 *
 * The enclosed values are results of floating-point operations, not of exact ones. Operations that are correctly
 * rounded are monotone where the exact ones are, so their ends are what the operation itself gives; functions of the
 * mathematics library, which may err by some units in the last place, are widened by more than twice that error.
 *
 * An end that is NaN says that nothing is known on that side. Where a NaN matters (`heedsNaN`) a value that may be NaN
 * has no finite end on either side; elsewhere an enclosure is about those of its values that are numbers.
 */
import type { IrBuilder } from '../../ir/builder.js';
import { opInfo, TRIG_QUICK_ARGUMENT, type MonotoneOpName, type NumberOpName, type OpName } from '../../ir/ops.js';
import type { ValueId } from '../../ir/types.js';

/** One number where both are the same value. */
export interface Enclosure {
  readonly lo: ValueId;
  readonly hi: ValueId;
}

/** Truth values that are possible. */
export interface Truth {
  readonly canBeTrue: ValueId;
  readonly canBeFalse: ValueId;
}

const EPSILON = 2 ** -52;
/** Largest magnitude of a computed sine or cosine: their error is at most one unit in the last place. */
const MOST = 1 + EPSILON;
/** Turns by which the place of an extremum is in doubt: some 1e-11 for arguments up to 2^18 quadrants. */
const DOUBT = 1e-9;
/**
 * The smallest values of gamma and log gamma above zero are 0.88560319441 at the first number and -0.12148629053585.
 */
const GAMMA_LOWEST_AT = 1.46163214496836;

export class Arithmetic {
  constructor(readonly b: IrBuilder) {}

  // --- truth values and single numbers, with constants folded

  and(p: ValueId, q: ValueId): ValueId {
    const { b } = this;
    const [cp, cq] = [b.constantOf(p), b.constantOf(q)];
    if (cp === 0 || cq === 1 || p === q) return p;
    if (cq === 0 || cp === 1) return q;
    return b.op('and', p, q);
  }

  or(p: ValueId, q: ValueId): ValueId {
    return this.not(this.and(this.not(p), this.not(q)));
  }

  private readonly negations = new Map<ValueId, ValueId>();

  not(p: ValueId): ValueId {
    const { b } = this;
    const known = b.constantOf(p);
    if (known !== undefined) return b.bool(known === 0);
    const before = this.negations.get(p);
    if (before !== undefined) return before;
    const q = b.op('not', p);
    this.negations.set(q, p);
    return q;
  }

  pick(condition: ValueId, p: ValueId, q: ValueId): ValueId {
    const known = this.b.constantOf(condition);
    if (p === q || known === 1) return p;
    if (known === 0) return q;
    return this.b.op(this.b.typeOf(p) === 'bool' ? 'bselect' : 'select', condition, p, q);
  }

  get infinity(): ValueId {
    return this.b.const(Infinity);
  }

  get minusInfinity(): ValueId {
    return this.b.const(-Infinity);
  }

  /** NaN where either is. */
  min(p: ValueId, q: ValueId): ValueId {
    if (p === q) return p;
    const { b } = this;
    return b.op('select', b.op('lt', p, q), p, b.op('select', b.op('eq', p, p), q, p));
  }

  max(p: ValueId, q: ValueId): ValueId {
    if (p === q) return p;
    const { b } = this;
    return b.op('select', b.op('lt', q, p), p, b.op('select', b.op('eq', p, p), q, p));
  }

  /** The larger; the first where either is NaN. */
  raise(p: ValueId, q: ValueId): ValueId {
    return this.b.op('select', this.b.op('lt', p, q), q, p);
  }

  /** The smaller; the first where either is NaN. */
  reduce(p: ValueId, q: ValueId): ValueId {
    return this.b.op('select', this.b.op('lt', q, p), q, p);
  }

  join(a: Enclosure, c: Enclosure): Enclosure {
    return { lo: this.min(a.lo, c.lo), hi: this.max(a.hi, c.hi) };
  }

  pickEnclosure(condition: ValueId, a: Enclosure, c: Enclosure): Enclosure {
    return { lo: this.pick(condition, a.lo, c.lo), hi: this.pick(condition, a.hi, c.hi) };
  }

  private get everything(): Enclosure {
    return { lo: this.minusInfinity, hi: this.infinity };
  }

  private point(value: number): Enclosure {
    const id = this.b.const(value);
    return { lo: id, hi: id };
  }

  /** Whether the value, which heeds NaN, is a number for certain. */
  isNumber(a: Enclosure): ValueId {
    const { b } = this;
    const known = a.lo === a.hi ? b.constantOf(a.lo) : undefined;
    if (known !== undefined) return b.bool(!Number.isNaN(known));
    const sum = b.op('add', a.lo, a.hi);
    return b.op('eq', sum, sum);
  }

  isFinite(a: Enclosure): ValueId {
    const { b } = this;
    return this.and(b.op('lt', this.minusInfinity, a.lo), b.op('lt', a.hi, this.infinity));
  }

  private isAbove(a: Enclosure, bound: number): ValueId {
    return this.b.op('lt', this.b.const(bound), a.lo);
  }

  private isBelow(a: Enclosure, bound: number): ValueId {
    return this.b.op('lt', a.hi, this.b.const(bound));
  }

  // --- operations

  /** The value of `op`; `same`: its first two arguments are one value. */
  value(op: NumberOpName, args: readonly Enclosure[], same: boolean, heedsNaN: boolean): Enclosure {
    const { b } = this;
    const [a, c] = args;
    switch (op) {
      case 'add':
        return { lo: b.op('add', a.lo, c.lo), hi: b.op('add', a.hi, c.hi) };
      case 'sub':
        if (same && !heedsNaN) return this.point(0);
        return { lo: b.op('sub', a.lo, c.hi), hi: b.op('sub', a.hi, c.lo) };
      case 'mul':
        if (!same) return this.product(a, c);
        return this.where(heedsNaN, () => this.isNumber(a), this.square(a));
      case 'div':
        return this.where(heedsNaN, () => this.isFinite(c), this.quotient(a, c));
      case 'neg':
        return { lo: b.op('neg', a.hi), hi: b.op('neg', a.lo) };
      case 'abs':
        return this.where(heedsNaN, () => this.isNumber(a), this.magnitude(a));
      case 'floor':
      case 'ceil':
      case 'trunc':
      case 'rint':
        return { lo: b.op(op, a.lo), hi: b.op(op, a.hi) };
      case 'high':
        return this.where(heedsNaN, () => this.isNumber(a), { lo: b.op(op, a.lo), hi: b.op(op, a.hi) });
      case 'exponent': {
        const m = this.magnitude(a);
        return this.where(true, () => this.isNumber(a), { lo: b.op(op, m.lo), hi: b.op(op, m.hi) });
      }
      case 'mantissa':
        return { lo: b.const(1), hi: b.const(2) };
      case 'scale':
        return c.lo === c.hi ? { lo: b.op(op, a.lo, c.lo), hi: b.op(op, a.hi, c.lo) } : this.everything;
      case 'sin':
        return this.wave(op, a, 0.25, heedsNaN);
      case 'cos':
        return this.wave(op, a, 0, heedsNaN);
      case 'tan': {
        const isSafe = this.and(this.not(this.hasMultiple(a, Math.PI, 0.5)), this.isReduced(a));
        return this.pickEnclosure(isSafe, this.between(op, a), this.everything);
      }
      case 'cosh': {
        const isSafe = (): ValueId => this.isNumber(a);
        return this.where(heedsNaN, isSafe, this.between(op, this.magnitude(a)));
      }
      case 'hypot': {
        const [p, q] = [this.magnitude(a), this.magnitude(c)];
        const ends = this.widen(op, { lo: b.op(op, p.lo, q.lo), hi: b.op(op, p.hi, q.hi) });
        const isSafe = (): ValueId => this.and(this.isNumber(a), this.isNumber(c));
        return this.where(heedsNaN, isSafe, { lo: this.raise(ends.lo, b.const(0)), hi: ends.hi });
      }
      case 'atan2':
        return this.angle(a, c, heedsNaN);
      case 'fmod':
        return this.remainder(a, c, heedsNaN);
      case 'pow':
        return this.where(heedsNaN, () => this.and(this.isNumber(a), this.isNumber(c)), this.power(a, c, heedsNaN));
      case 'gamma':
      case 'lgamma':
        return this.factorial(op, a);
      default:
        return this.monotone(op, a, heedsNaN);
    }
  }

  /** `a`, where `isSafe` holds or NaN does not matter. */
  private where(heedsNaN: boolean, isSafe: () => ValueId, a: Enclosure): Enclosure {
    return heedsNaN ? this.pickEnclosure(isSafe(), a, this.everything) : a;
  }

  /** Nothing is known where the sum of all is NaN: one of them is, or infinities of both signs are among them. */
  private hull(values: readonly ValueId[]): Enclosure {
    const { b } = this;
    const all = values.reduce((p, q) => b.op('add', p, q));
    const lo = values.reduce((p, q) => this.reduce(p, q));
    const hi = values.reduce((p, q) => this.raise(p, q));
    const isKnown = b.op('eq', all, all);
    const nothing = b.const(NaN);
    return { lo: this.pick(isKnown, lo, nothing), hi: this.pick(isKnown, hi, nothing) };
  }

  private product(a: Enclosure, c: Enclosure): Enclosure {
    const { b } = this;
    if (a.lo === a.hi) [a, c] = [c, a];
    const times = (p: ValueId, q: ValueId): ValueId => b.op('mul', p, q);
    if (c.lo !== c.hi) return this.hull([a.lo, a.hi].flatMap((p) => [times(p, c.lo), times(p, c.hi)]));
    const [p, q] = [times(a.lo, c.lo), times(a.hi, c.lo)];
    const factor = b.constantOf(c.lo);
    if (factor !== undefined && factor > 0) return { lo: p, hi: q };
    return factor !== undefined && factor < 0 ? { lo: q, hi: p } : this.hull([p, q]);
  }

  private square(a: Enclosure): Enclosure {
    const { b } = this;
    const p = b.op('mul', a.lo, a.lo);
    const q = b.op('mul', a.hi, a.hi);
    const lo = this.pick(this.isAbove(a, 0), p, this.pick(this.isBelow(a, 0), q, b.const(0)));
    return { lo, hi: this.max(p, q) };
  }

  private magnitude(a: Enclosure): Enclosure {
    const { b } = this;
    const lo = this.pick(this.isAbove(a, 0), a.lo, this.pick(this.isBelow(a, 0), b.op('neg', a.hi), b.const(0)));
    return { lo, hi: this.max(b.op('abs', a.lo), b.op('abs', a.hi)) };
  }

  private quotient(a: Enclosure, c: Enclosure): Enclosure {
    const { b } = this;
    const over = (p: ValueId, q: ValueId): ValueId => b.op('div', p, q);
    const divisor = c.lo === c.hi ? b.constantOf(c.lo) : undefined;
    if (divisor !== undefined && divisor !== 0) {
      const [p, q] = [over(a.lo, c.lo), over(a.hi, c.lo)];
      return divisor > 0 ? { lo: p, hi: q } : divisor < 0 ? { lo: q, hi: p } : this.everything;
    }
    // Both signs turned where the divisor is below zero.
    const isNegative = this.isBelow(c, 0);
    const turn = ({ lo, hi }: Enclosure): Enclosure =>
      this.pickEnclosure(isNegative, { lo: b.op('neg', hi), hi: b.op('neg', lo) }, { lo, hi });
    const [n, d] = [turn(a), turn(c)];
    const zero = b.const(0);
    const lo = over(n.lo, this.pick(b.op('lt', n.lo, zero), d.lo, d.hi));
    const hi = over(n.hi, this.pick(b.op('lt', n.hi, zero), d.hi, d.lo));
    return this.pickEnclosure(this.isAbove(d, 0), { lo, hi }, this.everything);
  }

  // --- the mathematics library

  private widenedLow(op: OpName, value: ValueId): ValueId {
    return this.b.op('sub', value, this.slack(op, value));
  }

  private widenedHigh(op: OpName, value: ValueId): ValueId {
    return this.b.op('add', value, this.slack(op, value));
  }

  /**
   * Two results may each err by `ulp` units and half a one; what is left over is for the rounding of the slack itself.
   */
  private slack(op: OpName, value: ValueId): ValueId {
    const { b } = this;
    const units = 2 * opInfo(op).ulp + 3;
    const relative = b.op('mul', b.op('abs', value), b.const(units * EPSILON));
    return b.op('add', relative, b.const(units * Number.MIN_VALUE));
  }

  private widen(op: OpName, a: Enclosure): Enclosure {
    return opInfo(op).kind === 'math' ? { lo: this.widenedLow(op, a.lo), hi: this.widenedHigh(op, a.hi) } : a;
  }

  /** Enclosure of a function of one argument whose values lie between those at the ends of `a`. */
  private between(op: NumberOpName, a: Enclosure): Enclosure {
    return this.widen(op, { lo: this.b.op(op, a.lo), hi: this.b.op(op, a.hi) });
  }

  private monotone(op: MonotoneOpName, a: Enclosure, heedsNaN: boolean): Enclosure {
    const { b } = this;
    const { domain: [from, to] = [-Infinity, Infinity], least = -Infinity, monotony } = opInfo(op);
    const low = from === -Infinity ? a.lo : this.pick(this.isAbove(a, from), a.lo, b.const(from));
    const high = to === Infinity ? a.hi : this.pick(this.isBelow(a, to), a.hi, b.const(to));
    const [p, q] = [b.op(op, low), b.op(op, high)];
    const wide = this.widen(op, monotony === 'decreases' ? { lo: q, hi: p } : { lo: p, hi: q });
    const lo = least === -Infinity ? wide.lo : this.raise(wide.lo, b.const(least));
    const isSafe = (): ValueId => {
      const isInside = this.and(
        from === -Infinity ? b.bool(true) : b.op('le', b.const(from), a.lo),
        to === Infinity ? b.bool(true) : b.op('le', a.hi, b.const(to)),
      );
      return this.and(isInside, this.isNumber(a));
    };
    return this.where(heedsNaN, isSafe, { lo, hi: wide.hi });
  }

  /** Whether (k + shift) period may lie between the ends for a whole k. True where an end is NaN. */
  private hasMultiple(a: Enclosure, period: number, shift: number): ValueId {
    const { b } = this;
    const turns = (end: ValueId, offset: number): ValueId =>
      b.op('add', b.op('mul', end, b.const(1 / period)), b.const(offset - shift));
    return this.not(b.op('lt', turns(a.hi, DOUBT), b.op('ceil', turns(a.lo, -DOUBT))));
  }

  /** Sine or cosine, which is largest at `top` of a turn. */
  private wave(op: 'sin' | 'cos', a: Enclosure, top: number, heedsNaN: boolean): Enclosure {
    const { b } = this;
    const [p, q] = [b.op(op, a.lo), b.op(op, a.hi)];
    const most = b.const(MOST);
    const least = b.const(-MOST);
    const high = this.reduce(this.widenedHigh(op, this.raise(p, q)), most);
    const low = this.raise(this.widenedLow(op, this.reduce(p, q)), least);
    const isReduced = this.isReduced(a);
    const isAnywhere = (top: number): ValueId => this.or(this.hasMultiple(a, 2 * Math.PI, top), this.not(isReduced));
    return this.where(heedsNaN, () => this.isFinite(a), {
      lo: this.pick(isAnywhere(top + 0.5), least, low),
      hi: this.pick(isAnywhere(top), most, high),
    });
  }

  /** Whether the quadrants of every angle in `a` can be counted without much of an error. */
  private isReduced(a: Enclosure): ValueId {
    const { b } = this;
    const limit = b.const(TRIG_QUICK_ARGUMENT);
    return this.and(b.op('le', b.op('neg', limit), a.lo), b.op('le', a.hi, limit));
  }

  private angle(y: Enclosure, x: Enclosure, heedsNaN: boolean): Enclosure {
    const { b } = this;
    // Where the box touches neither the origin nor the cut, its extremes are at corners.
    const isClear = this.or(this.isAbove(x, 0), this.or(this.isAbove(y, 0), this.isBelow(y, 0)));
    const corners = [y.lo, y.hi].flatMap((p) => [b.op('atan2', p, x.lo), b.op('atan2', p, x.hi)]);
    const half = b.const(Math.PI * (1 + 4 * EPSILON));
    const all = { lo: b.op('neg', half), hi: half };
    const isSafe = (): ValueId => this.and(this.isNumber(x), this.isNumber(y));
    return this.where(heedsNaN, isSafe, this.pickEnclosure(isClear, this.widen('atan2', this.hull(corners)), all));
  }

  /** `fmod` has the sign of `a`; it is less than `c` in magnitude, and not more than `a`. */
  private remainder(a: Enclosure, c: Enclosure, heedsNaN: boolean): Enclosure {
    const { b } = this;
    const zero = b.const(0);
    const size = this.magnitude(c).hi;
    const all = {
      lo: this.pick(b.op('le', zero, a.lo), zero, this.raise(b.op('neg', size), a.lo)),
      hi: this.pick(b.op('le', a.hi, zero), zero, this.reduce(size, a.hi)),
    };
    // Within one period of a fixed length it increases.
    const [p, q] = [b.op('fmod', a.lo, c.lo), b.op('fmod', a.hi, c.lo)];
    const hasOneSign = this.or(b.op('le', zero, a.lo), b.op('le', a.hi, zero));
    const isShort = b.op('lt', b.op('sub', a.hi, a.lo), b.op('abs', c.lo));
    const isOne = [b.op('eq', c.lo, c.hi), hasOneSign, isShort, b.op('le', p, q)].reduce((s, t) => this.and(s, t));
    const result = this.pickEnclosure(isOne, { lo: p, hi: q }, all);
    const isSafe = (): ValueId => {
      const isNonZero = this.or(this.isAbove(c, 0), this.isBelow(c, 0));
      const quotient = b.op('div', this.magnitude(a).hi, this.magnitude(c).lo);
      return this.and(isNonZero, b.op('lt', quotient, b.const(2 ** 52)));
    };
    return this.where(heedsNaN, isSafe, result);
  }

  private power(a: Enclosure, c: Enclosure, heedsNaN: boolean): Enclosure {
    const { b } = this;
    const exponent = c.lo === c.hi ? b.constantOf(c.lo) : undefined;
    const zero = b.const(0);
    const raised = (base: ValueId): ValueId => b.op('pow', base, c.lo);
    if (exponent === 0) return this.point(1);
    if (exponent !== undefined && Number.isInteger(exponent)) {
      const isEven = exponent % 2 === 0;
      const base = isEven ? this.magnitude(a) : a;
      const [p, q] = [raised(base.lo), raised(base.hi)];
      if (exponent > 0) {
        const { lo, hi } = this.widen('pow', { lo: p, hi: q });
        return isEven ? { lo: this.raise(lo, zero), hi } : { lo, hi };
      }
      const falling = this.widen('pow', { lo: q, hi: p });
      if (isEven) return { lo: this.raise(falling.lo, zero), hi: falling.hi };
      const isClear = this.or(this.isAbove(a, 0), this.isBelow(a, 0));
      return this.pickEnclosure(isClear, falling, this.everything);
    }
    if (exponent !== undefined && Number.isFinite(exponent)) {
      const isFalling = exponent < 0;
      // A NaN below zero.
      const base = { lo: this.pick(b.op('lt', zero, a.lo), a.lo, zero), hi: a.hi };
      const [p, q] = [raised(base.lo), raised(base.hi)];
      const { lo, hi } = this.widen('pow', isFalling ? { lo: q, hi: p } : { lo: p, hi: q });
      return this.where(heedsNaN, () => b.op('le', zero, a.lo), { lo: this.raise(lo, zero), hi });
    }
    const isFarFromZero = this.isAbove(a, 0);
    const isNotNegative = this.and(b.op('le', zero, a.lo), b.op('le', zero, c.lo));
    const corners = [a.lo, a.hi].flatMap((p) => [b.op('pow', p, c.lo), b.op('pow', p, c.hi)]);
    const { lo, hi } = this.widen('pow', this.hull(corners));
    const isSafe = this.or(isFarFromZero, isNotNegative);
    return this.pickEnclosure(isSafe, { lo: this.raise(lo, zero), hi }, this.everything);
  }

  /** Gamma or its logarithm: convex above zero. */
  private factorial(op: 'gamma' | 'lgamma', a: Enclosure): Enclosure {
    const { b } = this;
    const turning = b.const(GAMMA_LOWEST_AT);
    const [p, q] = [b.op(op, a.lo), b.op(op, a.hi)];
    const least = b.const(op === 'gamma' ? 0.885603194 : -0.121486291);
    const low = this.pick(b.op('lt', turning, a.lo), p, this.pick(b.op('lt', a.hi, turning), q, least));
    const between = this.widen(op, { lo: low, hi: this.max(p, q) });
    return this.pickEnclosure(this.isAbove(a, 0), between, this.everything);
  }

  // --- comparisons and connectives

  compare(op: 'lt' | 'le' | 'eq' | 'ne', a: Enclosure, c: Enclosure, same: boolean): Truth {
    const { b } = this;
    switch (op) {
      case 'lt':
        if (same) return { canBeTrue: b.bool(false), canBeFalse: b.bool(true) };
        return { canBeTrue: this.not(b.op('le', c.hi, a.lo)), canBeFalse: this.not(b.op('lt', a.hi, c.lo)) };
      case 'le': {
        if (same) return { canBeTrue: b.bool(true), canBeFalse: this.not(this.isNumber(a)) };
        const isNumber = this.and(b.op('lt', a.hi, this.infinity), b.op('lt', this.minusInfinity, c.lo));
        const isTrue = this.and(b.op('le', a.hi, c.lo), isNumber);
        return { canBeTrue: this.not(b.op('lt', c.hi, a.lo)), canBeFalse: this.not(isTrue) };
      }
      case 'eq': {
        if (same) return { canBeTrue: b.bool(true), canBeFalse: this.not(this.isNumber(a)) };
        const isApart = this.or(b.op('lt', c.hi, a.lo), b.op('lt', a.hi, c.lo));
        const isEqual = this.and(b.op('eq', a.lo, c.hi), b.op('eq', a.hi, c.lo));
        return { canBeTrue: this.not(isApart), canBeFalse: this.not(isEqual) };
      }
      case 'ne':
        return this.opposite(this.compare('eq', a, c, same));
    }
  }

  opposite({ canBeTrue, canBeFalse }: Truth): Truth {
    return { canBeTrue: canBeFalse, canBeFalse: canBeTrue };
  }

  both(p: Truth, q: Truth): Truth {
    return {
      canBeTrue: this.and(p.canBeTrue, q.canBeTrue),
      canBeFalse: this.or(p.canBeFalse, q.canBeFalse),
    };
  }

  /** Either `p` where `condition` holds, or `q`. */
  pickTruth(condition: Truth, p: Truth, q: Truth): Truth {
    const of = (part: 'canBeTrue' | 'canBeFalse'): ValueId =>
      this.or(this.and(condition.canBeTrue, p[part]), this.and(condition.canBeFalse, q[part]));
    return { canBeTrue: of('canBeTrue'), canBeFalse: of('canBeFalse') };
  }

  truth(op: OpName, args: readonly Truth[]): Truth {
    const [p, q, r] = args;
    switch (op) {
      case 'and':
        return this.both(p, q);
      case 'or':
        return this.opposite(this.both(this.opposite(p), this.opposite(q)));
      case 'xor':
        return this.pickTruth(p, this.opposite(q), q);
      case 'not':
        return this.opposite(p);
      case 'bselect':
        return this.pickTruth(p, q, r);
      default:
        throw new Error(`${op} is no connective`);
    }
  }

  sign(a: Enclosure): Truth {
    return { canBeTrue: this.not(this.isAbove(a, 0)), canBeFalse: this.not(this.isBelow(a, 0)) };
  }
}
