/**
 * The derivative of every operation: what one unit of its result's adjoint adds to the adjoints of its arguments. The
 * table is total: the compiler asks for the rule of a new operation, and one whose slope is 0 says so.
 *
 * At a point where an operation has no derivative one is chosen, so that a gradient always exists: |a| has slope 1 at
 * 0; the square root, and hypot at the origin, 0 (the gradient of a norm at its minimum is then 0, a subgradient);
 * rounding functions are flat; a comparison decides as it does for the value, and the branch it takes is the one
 * differentiated.
 */
import type { IrBuilder } from '../../ir/builder.js';
import { OP_NAMES, opInfo, type NumberOpName, type OpName } from '../../ir/ops.js';
import type { ValueId } from '../../ir/types.js';

/** The operands of an operation under differentiation. */
interface Operands {
  readonly b: IrBuilder;
  /** The value of an argument, of the result. */
  arg(k: number): ValueId;
  result(): ValueId;
}

/** An operation under differentiation; `A`: what its adjoint is. */
export interface Occasion<A> extends Operands {
  /** The adjoint of the result. */
  readonly adjoint: A;
  /** Adjoint times slope; 0 where the adjoint is 0, however steep the slope. */
  times(slope: ValueId): A;
  product(amount: A, by: ValueId): A;
  negated(amount: A): A;
  /** An amount as a value, and back. */
  number(amount: A): ValueId;
  amount(value: ValueId): A;
}

/** Contribution to the adjoint of argument `k`. */
type Rule = <A>(o: Occasion<A>, k: number) => A;

/** `flat`: the slope is 0 wherever there is one. */
type Slope = Rule | 'flat';

const LN_2 = 0.6931471805599453;
const LN_10 = 2.302585092994046;
const TWO_OVER_SQRT_PI = 1.1283791670955126;

const sum = ({ b }: Operands, x: ValueId, y: ValueId): ValueId => b.op('add', x, y);
const difference = ({ b }: Operands, x: ValueId, y: ValueId): ValueId => b.op('sub', x, y);
const product = ({ b }: Operands, x: ValueId, y: ValueId): ValueId => b.op('mul', x, y);
const quotient = ({ b }: Operands, x: ValueId, y: ValueId): ValueId => b.op('div', x, y);
const negated = ({ b }: Operands, x: ValueId): ValueId => b.op('neg', x);
const square = (o: Operands, x: ValueId): ValueId => product(o, x, x);
function inverse(o: Operands, x: ValueId): ValueId {
  const number = o.b.constantOf(x);
  return number === undefined ? quotient(o, o.b.const(1), x) : o.b.const(1 / number);
}
/** `value` where it is not 0/0 or x/0 because of `guard`, else 0. */
const unlessZero = ({ b }: Operands, guard: ValueId, value: ValueId): ValueId =>
  b.op('select', b.op('eq', guard, b.const(0)), b.const(0), value);

/** (1 - a)(1 + a): 1 - a^2 without cancellation near 1. */
const oneMinusSquare = (o: Operands): ValueId =>
  product(o, difference(o, o.b.const(1), o.arg(0)), sum(o, o.b.const(1), o.arg(0)));

function unchanged<A>(o: Occasion<A>): A {
  return o.adjoint;
}
function turned<A>(o: Occasion<A>): A {
  return o.negated(o.adjoint);
}

const slope =
  (of: (o: Operands) => ValueId): Rule =>
  (o) =>
    o.times(of(o));
const negativeSlope =
  (of: (o: Operands) => ValueId): Rule =>
  (o) =>
    o.negated(o.times(of(o)));

const chosen =
  (of: (o: Operands, adjoint: ValueId, zero: ValueId) => ValueId): Rule =>
  (o) => {
    const zero = o.b.const(0);
    return o.amount(of(o, o.number(o.adjoint), zero));
  };

/** For all arguments, or one by one. */
const SLOPES: Readonly<Record<NumberOpName | 'select', Slope | readonly Slope[]>> = {
  add: unchanged,
  sub: [unchanged, turned],
  mul: (o, k) => o.times(o.arg(1 - k)),
  div: (o, k) => {
    const inverted = o.times(inverse(o, o.arg(1)));
    return k === 0 ? inverted : o.negated(o.product(inverted, o.result()));
  },
  sqrt: slope((o) => unlessZero(o, o.result(), quotient(o, o.b.const(0.5), o.result()))),
  neg: turned,
  abs: (o) => {
    const adjoint = o.number(o.adjoint);
    const isNegative = o.b.op('lt', o.arg(0), o.b.const(0));
    return o.amount(o.b.op('select', isNegative, negated(o, adjoint), adjoint));
  },
  floor: 'flat',
  ceil: 'flat',
  trunc: 'flat',
  rint: 'flat',
  select: [
    'flat',
    chosen((o, adjoint, zero) => o.b.op('select', o.arg(0), adjoint, zero)),
    chosen((o, adjoint, zero) => o.b.op('select', o.arg(0), zero, adjoint)),
  ],
  exponent: 'flat',
  // The second argument is a whole number.
  scale: [(o) => o.amount(o.b.op('scale', o.number(o.adjoint), o.arg(1))), 'flat'],
  mantissa: (o) => {
    const scaled = o.b.op('scale', o.number(o.adjoint), negated(o, o.b.op('exponent', o.arg(0))));
    return o.amount(o.b.op('select', o.b.op('lt', o.arg(0), o.b.const(0)), negated(o, scaled), scaled));
  },
  // All but the last bits of its argument.
  high: unchanged,

  sin: slope((o) => o.b.op('cos', o.arg(0))),
  cos: negativeSlope((o) => o.b.op('sin', o.arg(0))),
  tan: slope((o) => sum(o, o.b.const(1), square(o, o.result()))),
  asin: slope((o) => inverse(o, o.b.op('sqrt', oneMinusSquare(o)))),
  acos: negativeSlope((o) => inverse(o, o.b.op('sqrt', oneMinusSquare(o)))),
  atan: slope((o) => inverse(o, sum(o, o.b.const(1), square(o, o.arg(0))))),
  atan2: (o, k) => {
    const [y, x] = [o.arg(0), o.arg(1)];
    const h = o.b.op('hypot', x, y);
    const unit = unlessZero(o, h, quotient(o, quotient(o, k === 0 ? x : negated(o, y), h), h));
    return o.times(unit);
  },
  sinh: slope((o) => o.b.op('cosh', o.arg(0))),
  cosh: slope((o) => o.b.op('sinh', o.arg(0))),
  tanh: slope((o) => inverse(o, square(o, o.b.op('cosh', o.arg(0))))),
  asinh: slope((o) => inverse(o, o.b.op('hypot', o.b.const(1), o.arg(0)))),
  acosh: slope((o) =>
    inverse(
      o,
      product(o, o.b.op('sqrt', difference(o, o.arg(0), o.b.const(1))), o.b.op('sqrt', sum(o, o.arg(0), o.b.const(1)))),
    ),
  ),
  atanh: slope((o) => inverse(o, oneMinusSquare(o))),
  exp: slope((o) => o.result()),
  exp2: slope((o) => product(o, o.result(), o.b.const(LN_2))),
  expm1: slope((o) => o.b.op('exp', o.arg(0))),
  log: slope((o) => inverse(o, o.arg(0))),
  log2: slope((o) => inverse(o, product(o, o.arg(0), o.b.const(LN_2)))),
  log10: slope((o) => inverse(o, product(o, o.arg(0), o.b.const(LN_10)))),
  log1p: slope((o) => inverse(o, sum(o, o.b.const(1), o.arg(0)))),
  pow: (o, k) => {
    const [base, exponent] = [o.arg(0), o.arg(1)];
    if (k === 0) {
      const lower = o.b.op('pow', base, difference(o, exponent, o.b.const(1)));
      return o.times(unlessZero(o, exponent, product(o, exponent, lower)));
    }
    const isPositive = o.b.op('lt', o.b.const(0), base);
    const steepness = product(o, o.result(), o.b.op('log', base));
    return o.times(o.b.op('select', isPositive, steepness, o.b.const(0)));
  },
  cbrt: slope((o) => quotient(o, o.b.const(1 / 3), square(o, o.result()))),
  hypot: (o, k) => o.times(unlessZero(o, o.result(), quotient(o, o.arg(k), o.result()))),
  fmod: [unchanged, slope((o) => negated(o, o.b.op('trunc', quotient(o, o.arg(0), o.arg(1)))))],
  erf: slope(bell),
  erfc: negativeSlope(bell),
  gamma: slope((o) => product(o, o.result(), digamma(o, o.arg(0)))),
  lgamma: slope((o) => digamma(o, o.arg(0))),
};

/** Rules by argument; null: the slope is 0, or there is none. */
function rulesOf(op: OpName): readonly (Rule | null)[] {
  const slopes = op in SLOPES ? SLOPES[op as keyof typeof SLOPES] : 'flat';
  return opInfo(op).args.map((_, k) => {
    const own = typeof slopes === 'object' ? slopes[k] : slopes;
    return own === 'flat' ? null : own;
  });
}

const RULES: Readonly<Record<string, readonly (Rule | null)[]>> = Object.fromEntries(
  OP_NAMES.map((op) => [op, rulesOf(op)]),
);
const DIFFERENTIABLE: Readonly<Record<string, readonly number[]>> = Object.fromEntries(
  OP_NAMES.map((op) => [op, RULES[op].flatMap((rule, k) => (rule === null ? [] : [k]))]),
);

/** Arguments that a result has a slope in; of rounding functions, comparisons and connectives none. */
export const differentiableArgs = (op: OpName): readonly number[] => DIFFERENTIABLE[op];

/** Contribution of `op` to the adjoint of argument `k`, which is one of its differentiable arguments. */
export function contribution<A>(op: OpName, o: Occasion<A>, k: number): A {
  const rule = RULES[op][k];
  if (rule === null) throw new Error(`${op} has no slope in argument ${k}`);
  return rule(o, k);
}

function bell(o: Operands): ValueId {
  return product(o, o.b.const(TWO_OVER_SQRT_PI), o.b.op('exp', negated(o, square(o, o.arg(0)))));
}

/** B_2k / 2k: digamma(y) = log y - 1/2y - sum of these / y^2k (Abramowitz and Stegun 6.3.18). */
const DIGAMMA_SERIES = [1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12];
const DIGAMMA_SHIFT = 10;

/** Below 1/2 by reflection: digamma(a) = digamma(1 - a) - pi / tan(pi a); then from 10 further on, by recurrence. */
function digamma(o: Operands, a: ValueId): ValueId {
  const { b } = o;
  const isLow = b.op('lt', a, b.const(0.5));
  const start = b.op('select', isLow, difference(o, b.const(1), a), a);
  let shifted = b.const(0);
  for (let k = 0; k < DIGAMMA_SHIFT; k++) shifted = sum(o, shifted, inverse(o, sum(o, start, b.const(k))));
  const y = sum(o, start, b.const(DIGAMMA_SHIFT));
  const step = inverse(o, square(o, y));
  let series = b.const(0);
  for (const term of [...DIGAMMA_SERIES].reverse()) series = product(o, step, sum(o, series, b.const(term)));
  const far = difference(o, b.op('log', y), sum(o, quotient(o, b.const(0.5), y), series));
  const high = difference(o, far, shifted);
  const turn = quotient(
    o,
    b.const(Math.PI),
    b.op('tan', product(o, b.const(Math.PI), difference(o, a, b.op('rint', a)))),
  );
  return b.op('select', isLow, difference(o, high, turn), high);
}
