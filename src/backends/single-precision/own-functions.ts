/**
 * Functions in arithmetic alone, for places whose own are too coarse, or whose bits nobody can know beforehand. Ranges
 * are reduced without the bits of a number, to which not every place has access. `self-test.ts` says whether they are
 * near enough. Special arguments follow C11 Annex F as far as `enclosures.ts` asks.
 */
import type { BinaryName, LaneFunction, Lanes, Num } from './lanes.js';

const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));
const POWERS = [64, 32, 16, 8, 4, 2, 1];

/**
 * `number` in parts of `bits` bits, so that products of the first ones with small whole numbers are exact; the last is
 * the rest.
 */
function parts(number: number, bits: readonly number[]): number[] {
  let rest = number;
  const found = bits.map((bit) => {
    const part = Math.round(rest * 2 ** bit) / 2 ** bit;
    rest -= part;
    return part;
  });
  return [...found, Math.fround(rest)];
}

const [LN2_HIGH, LN2_LOW] = parts(Math.LN2, [12]);
const [HALF_PI_HIGH, HALF_PI_MIDDLE, HALF_PI_LOW] = parts(Math.PI / 2, [12, 25]);
/** Taylor's: exp to r^7, sine to r^9, cosine to r^10, for |r| up to half of ln 2 and of pi / 2. */
const EXP = Array.from({ length: 8 }, (_, n) => 1 / factorial(n));
const SINE = Array.from({ length: 5 }, (_, n) => (-1) ** n / factorial(2 * n + 1));
const COSINE = Array.from({ length: 6 }, (_, n) => (-1) ** n / factorial(2 * n));
/** 2 artanh t = log((1 + t) / (1 - t)), |t| up to 0.172. */
const ARTANH = Array.from({ length: 6 }, (_, n) => 2 / (2 * n + 1));
/** |t| up to tan(pi / 8). */
const ARCTANGENT = Array.from({ length: 10 }, (_, n) => (-1) ** n / (2 * n + 1));
/** |t| up to 0.35. */
const HYPERBOLIC_TANGENT = [1, -1 / 3, 2 / 15, -17 / 315, 62 / 2835, -1382 / 155925, 21844 / 6081075];
/** Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 7.1.26: absolute error 1.5e-7. */
const ERROR_FUNCTION = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429];

export const ownFunction = <V>(lanes: Lanes<V>, name: LaneFunction, a: V): V => new OwnFunctions(lanes)[name](a);

class OwnFunctions<V> implements Record<LaneFunction, (a: V) => V> {
  constructor(private readonly lanes: Lanes<V>) {}

  exp(a: V): V {
    const { lanes } = this;
    const k = this.nearest(this.times(a, Math.LOG2E));
    const r = this.minus(this.minus(a, this.times(k, LN2_HIGH)), this.times(k, LN2_LOW));
    const isLarge = lanes.compare('gt', k, 0);
    let p = this.polynomial(r, EXP);
    let n = lanes.unary('abs', k);
    for (const power of [64, ...POWERS]) {
      const isReached = lanes.compare('ge', n, power);
      p = lanes.select(isReached, lanes.binary('mul', p, lanes.select(isLarge, 2 ** power, 2 ** -power)), p);
      n = lanes.select(isReached, this.minus(n, power), n);
    }
    p = lanes.select(lanes.compare('gt', a, Math.fround(88.7)), Infinity, p);
    return lanes.select(lanes.compare('gt', Math.fround(-87.3), a), 0, p);
  }

  log(a: V): V {
    const { lanes } = this;
    let m = a;
    let e: Num<V> = 0;
    const scale = (condition: V, power: number): void => {
      m = lanes.select(condition, this.times(m, 2 ** -power), m);
      e = lanes.select(condition, this.plus(e, power), e);
    };
    for (const power of POWERS) {
      scale(lanes.compare('ge', m, 2 ** power), power);
      scale(lanes.compare('gt', 2 ** (1 - power), m), -power);
    }
    scale(lanes.compare('gt', m, Math.fround(Math.SQRT2)), 1);
    const t = lanes.binary('div', this.minus(m, 1), this.plus(m, 1));
    const l = lanes.binary('mul', t, this.polynomial(this.square(t), ARTANH));
    const low = lanes.binary('add', l, this.times(e, LN2_LOW));
    return lanes.binary('add', low, this.times(e, LN2_HIGH));
  }

  sin(a: V): V {
    const { q, sine, cosine } = this.quadrant(a);
    const { lanes } = this;
    const after = (from: number, w: V, w0: V): V => lanes.select(lanes.compare('gt', q, from), w, w0);
    return after(2.5, this.negative(cosine), after(1.5, this.negative(sine), after(0.5, cosine, sine)));
  }

  cos(a: V): V {
    const { q, sine, cosine } = this.quadrant(a);
    const { lanes } = this;
    const after = (from: number, w: V, w0: V): V => lanes.select(lanes.compare('gt', q, from), w, w0);
    return after(2.5, sine, after(1.5, this.negative(cosine), after(0.5, this.negative(sine), cosine)));
  }

  tanh(a: V): V {
    const { lanes } = this;
    const x = lanes.unary('abs', a);
    const h = this.times(x, 0.5);
    const t = lanes.binary('mul', h, this.polynomial(this.square(h), HYPERBOLIC_TANGENT));
    const small = lanes.binary('div', this.times(t, 2), this.plus(this.square(t), 1));
    const large = this.minus(1, lanes.binary('div', 2, this.plus(this.exp(this.times(x, 2)), 1)));
    const w = lanes.select(lanes.compare('gt', x, Math.fround(0.7)), large, small);
    return this.signed(a, lanes.select(lanes.compare('gt', x, 12), 1, w));
  }

  /** The complement of the arc cosine. */
  asin(a: V): V {
    return this.signed(a, this.minus(Math.PI / 2, this.acos(this.lanes.unary('abs', a))));
  }

  /** acos a = 2 arctan sqrt((1 - a) / (1 + a)) */
  acos(a: V): V {
    const { lanes } = this;
    return this.times(this.atan(lanes.unary('sqrt', lanes.binary('div', this.minus(1, a), this.plus(a, 1)))), 2);
  }

  atan(a: V): V {
    const { lanes } = this;
    const x = lanes.unary('abs', a);
    const isMiddle = lanes.compare('gt', x, Math.fround(Math.tan(Math.PI / 8)));
    const isLarge = lanes.compare('gt', x, Math.fround(Math.tan((3 * Math.PI) / 8)));
    const middle = lanes.binary('div', this.minus(x, 1), this.plus(x, 1));
    const large = this.negative(lanes.binary('div', 1, x));
    const t = lanes.select(isLarge, large, lanes.select(isMiddle, middle, x));
    const turn = lanes.select(isLarge, Math.fround(Math.PI / 2), lanes.select(isMiddle, Math.fround(Math.PI / 4), 0));
    const rest = lanes.binary('mul', t, this.polynomial(this.square(t), ARCTANGENT));
    return this.signed(a, lanes.binary('add', turn, rest));
  }

  erf(a: V): V {
    const { lanes } = this;
    const x = lanes.unary('abs', a);
    const t = lanes.binary('div', 1, this.plus(this.times(x, 0.3275911), 1));
    const p = lanes.binary('mul', t, this.polynomial(t, ERROR_FUNCTION));
    const rest = lanes.binary('mul', p, this.exp(this.negative(this.square(x))));
    return this.signed(a, this.minus(1, rest));
  }

  /**
   * The quadrant of an angle, and sine and cosine of the rest: Cody and Waite, Software Manual for the Elementary
   * Functions (1980).
   */
  private quadrant(a: V): { readonly q: V; readonly sine: V; readonly cosine: V } {
    const { lanes } = this;
    const k = this.nearest(this.times(a, 2 / Math.PI));
    const r = [HALF_PI_HIGH, HALF_PI_MIDDLE, HALF_PI_LOW].reduce(
      (rest, part) => this.minus(rest, this.times(k, part)),
      a,
    );
    const q = this.minus(k, this.times(lanes.unary('floor', this.times(k, 0.25)), 4));
    const z = this.square(r);
    return { q, sine: lanes.binary('mul', r, this.polynomial(z, SINE)), cosine: this.polynomial(z, COSINE) };
  }

  /** Horner's scheme; the coefficient of the highest power comes last. */
  private polynomial(at: V, coefficients: readonly number[]): V {
    const [highest, ...others] = [...coefficients].reverse();
    return others.reduce<V>(
      (sum, coefficient, k) =>
        this.plus(k === 0 ? this.times(at, highest) : this.lanes.binary('mul', sum, at), coefficient),
      at,
    );
  }

  /** With the sign of `a`. */
  private signed(a: V, w: V): V {
    return this.lanes.select(this.lanes.compare('gt', 0, a), this.negative(w), w);
  }

  private nearest(a: V): V {
    return this.lanes.unary('floor', this.plus(a, 0.5));
  }

  private square(a: V): V {
    return this.lanes.binary('mul', a, a);
  }

  /** Not -0, which some languages do not know. */
  private negative(a: V): V {
    return this.minus(0, a);
  }

  private plus(a: Num<V>, b: number): V {
    return this.constant(b < 0 ? 'sub' : 'add', a, Math.abs(b));
  }

  private times(a: Num<V>, b: number): V {
    return this.constant('mul', a, b);
  }

  private minus(a: Num<V>, b: Num<V>): V {
    return this.constant('sub', a, b);
  }

  /** Of numbers as single precision has them. */
  private constant(op: BinaryName, a: Num<V>, b: Num<V>): V {
    const rounded = (number: Num<V>): Num<V> => (typeof number === 'number' ? Math.fround(number) : number);
    return this.lanes.binary(op, rounded(a), rounded(b));
  }
}
