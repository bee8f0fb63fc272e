/** Operations of programs in enclosures: what a place runs one after the other, and what it writes into a kernel. */
import type { Instruction } from '../../ir/types.js';
import type { Enclosure, Enclosures, Truth } from './enclosures.js';

/** What a number or a truth value of the program is here. */
export type Value<V> = Enclosure<V> | Truth<V>;

/** Of a program that takes the bits of a double apart among others. */
const noForm = (op: Instruction['op']): RangeError => new RangeError(`single precision has no form of \`${op}\``);

/** Operations that read no constant, candidate, index or array. */
export class Operations<V> {
  constructor(private readonly on: Enclosures<V>) {}

  /**
   * Of `eq` and `ne` the second operand is absent where it is the first one again.
   * @throws {RangeError} for an operation that single precision has not.
   */
  truth(op: Instruction['op'], args: readonly Value<V>[]): Truth<V> {
    const { on } = this;
    const [a, b, c] = args as readonly Truth<V>[];
    const [x, y] = args as readonly Enclosure<V>[];
    switch (op) {
      case 'lt':
        return on.less(x, y);
      case 'le':
        return on.lessOrEqual(x, y);
      case 'eq':
        return this.equal(x, y);
      case 'ne':
        return on.not(this.equal(x, y));
      case 'signbit':
        return on.signbit(x);
      case 'and':
        return on.and(a, b);
      case 'or':
        return on.or(a, b);
      case 'xor':
        return on.or(on.and(a, on.not(b)), on.and(on.not(a), b));
      case 'not':
        return on.not(a);
      case 'bselect':
        return this.chosen(a, b, c);
      default:
        throw noForm(op);
    }
  }

  /** `b`: absent where it is `a` itself, by which programs ask for NaN. */
  private equal(a: Enclosure<V>, b?: Enclosure<V>): Truth<V> {
    return b === undefined || a === b ? this.on.isNumber(a) : this.on.equal(a, b);
  }

  chosen(condition: Truth<V>, b: Truth<V>, c: Truth<V>): Truth<V> {
    const { on } = this;
    return on.or(on.and(condition, b), on.and(on.not(condition), c));
  }

  /** @throws {RangeError} for an operation that single precision has not. */
  number(op: Instruction['op'], args: readonly Value<V>[]): Enclosure<V> {
    const { on } = this;
    const [a, b, c] = args as readonly Enclosure<V>[];
    switch (op) {
      case 'select':
        return on.select(args[0] as Truth<V>, b, c);
      case 'add':
      case 'sub':
      case 'mul':
      case 'div':
        return on[op](a, b);
      case 'neg':
      case 'abs':
      case 'sqrt':
      case 'floor':
      case 'ceil':
      case 'trunc':
      case 'rint':
      case 'exp':
      case 'log':
      case 'erf':
        return on[op](a);
      case 'sin':
      case 'cos':
        return on.wave(op, a);
      case 'tanh':
      case 'atan':
        return on.gentle(op, a);
      case 'asin':
      case 'acos':
        return on.arc(op, a);
      case 'atan2':
        return on.atan2(a, b);
      default:
        return this.composed(op, a, b);
    }
  }

  /** Functions by others: less exact than they could be, and their bounds say so. */
  private composed(op: Instruction['op'], a: Enclosure<V>, b: Enclosure<V>): Enclosure<V> {
    const { on } = this;
    const number = (value: number) => on.constant(value);
    const one = number(1);
    const half = (c: Enclosure<V>) => on.mul(number(0.5), c);
    const signed = (c: Enclosure<V>) => on.select(on.less(a, number(0)), on.neg(c), c);
    switch (op) {
      case 'tan':
        return on.div(on.wave('sin', a), on.wave('cos', a));
      case 'sinh':
        return half(on.sub(on.exp(a), on.exp(on.neg(a))));
      case 'cosh':
        return half(on.add(on.exp(a), on.exp(on.neg(a))));
      case 'asinh':
        return signed(on.log(on.add(on.abs(a), on.sqrt(on.add(on.mul(a, a), one)))));
      case 'acosh':
        return on.log(on.add(a, on.sqrt(on.sub(on.mul(a, a), one))));
      case 'atanh':
        return half(on.log(on.div(on.add(one, a), on.sub(one, a))));
      case 'exp2':
        return on.exp(on.mul(a, number(Math.LN2)));
      case 'expm1':
        return on.sub(on.exp(a), one);
      case 'log2':
        return on.mul(on.log(a), number(Math.LOG2E));
      case 'log10':
        return on.mul(on.log(a), number(Math.LOG10E));
      case 'log1p':
        return on.log(on.add(one, a));
      case 'cbrt':
        return signed(on.exp(on.div(on.log(on.abs(a)), number(3))));
      case 'hypot':
        return on.sqrt(on.add(on.mul(a, a), on.mul(b, b)));
      case 'fmod':
        return on.sub(a, on.mul(on.trunc(on.div(a, b)), b));
      case 'erfc':
        return on.sub(one, on.erf(a));
      case 'pow':
        return this.power(a, b);
      default:
        throw noForm(op);
    }
  }

  private power(a: Enclosure<V>, b: Enclosure<V>): Enclosure<V> {
    const { on } = this;
    const exponent = b.error === 0 ? b.value : null;
    if (exponent === 0.5) return on.sqrt(a);
    if (typeof exponent !== 'number' || !Number.isInteger(exponent) || Math.abs(exponent) > 64) {
      return on.exp(on.mul(b, on.log(a)));
    }
    let result = on.constant(1);
    let square = a;
    for (let rest = Math.abs(exponent); rest > 0; rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) result = on.mul(result, square);
      if (rest > 1) square = on.mul(square, square);
    }
    return exponent < 0 ? on.div(on.constant(1), result) : result;
  }
}
