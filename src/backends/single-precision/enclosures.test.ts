/**
 * On lanes that are numbers: what bounds say where single precision cannot tell. The suite of backends has all else.
 */
import { describe, expect, it } from 'vitest';
import { evaluateOp } from '../../ir/interpreter.js';
import { distanceOf, Enclosures, singleOf, type Enclosure } from './enclosures.js';
import type { Lanes, Num } from './lanes.js';

/** One lane. */
interface Box {
  readonly is: number;
}

const of = (value: Num<Box>): number => (typeof value === 'number' ? value : value.is);
const boxed = (value: number | boolean): Box => ({ is: Math.fround(Number(value)) });

/** A place that takes small numbers for 0, as some do. */
const lanes: Lanes<Box> = {
  unary: (op, a) => boxed(singleOf(evaluateOp(op, [a.is]))),
  binary: (op, a, b) => boxed(singleOf(evaluateOp(op, [of(a), of(b)]))),
  compare: (op, a, b) => boxed(op === 'gt' ? of(a) > of(b) : of(a) >= of(b)),
  and: (a, b) => boxed(a.is === 1 && b.is === 1),
  not: (a) => boxed(a.is === 0),
  isAnywhere: (a) => a.is === 1,
  select: (condition, a, b) => boxed(of(condition.is === 1 ? a : b)),
  coordinate: () => ({ value: boxed(0), error: boxed(0) }),
  scope: (body) => body(),
};
const on = new Enclosures(lanes);
const numberOf = (number: number): Enclosure<Box> => ({
  value: boxed(singleOf(number)),
  error: boxed(distanceOf(number)),
  whole: false,
});
const errorOf = ({ error }: Enclosure<Box>): number => of(error);

describe('bounds', () => {
  it('are exact for numbers of single precision, and cover the rest of others', () => {
    expect([distanceOf(0.5), distanceOf(3)]).toEqual([0, 0]);
    for (const number of [0.1, 1e10 / 3, 1e-45, -1e-39]) {
      expect(distanceOf(number)).toBeGreaterThanOrEqual(Math.abs(number - singleOf(number)));
    }
    for (const number of [1e300, Infinity, NaN]) expect(distanceOf(number) < Infinity).toBe(false);
  });

  it('see both sides of a step that rounding hides', () => {
    for (const number of [1.999999999, 2.000000001, -1.999999999, 2.9999999999, 1e-60, -1e-60]) {
      const a = numberOf(number);
      for (const [step, exact] of [
        [on.floor(a), Math.floor(number)],
        [on.ceil(a), Math.ceil(number)],
        [on.trunc(a), Math.trunc(number)],
        [on.rint(a), Math.round(number)],
      ] as const) {
        expect(Math.abs(of(step.value) - exact)).toBeLessThanOrEqual(errorOf(step));
      }
    }
    for (const whole of [0, 2, -3, 4096]) {
      expect([errorOf(on.floor(numberOf(whole))), errorOf(on.ceil(numberOf(whole)))]).toEqual([0, 0]);
    }
  });

  it('say nothing about steps of a number of which nothing is known', () => {
    const lost = on.mul(on.exp(on.sub(numberOf(1e8 / 3), numberOf(1e8 / 3))), on.sub(numberOf(0.5), numberOf(0.5)));
    expect([of(lost.value), of(lost.error)]).toEqual([0, NaN]);
    for (const step of [on.floor(lost), on.ceil(lost), on.trunc(lost), on.rint(lost)]) {
      expect(errorOf(step) < Infinity).toBe(false);
    }
  });

  it('cover quotients that are lost, of divisors that may be far smaller', () => {
    const [above, below] = [2 ** -125, 2 ** -18];
    const divisor = { value: boxed(4), error: boxed(4 - below), whole: false };
    const quotient = on.div(numberOf(above), divisor);
    expect(of(quotient.value)).toBe(0);
    expect(errorOf(quotient)).toBeGreaterThanOrEqual(above / below);
    expect(errorOf(on.div(numberOf(1), { ...divisor, error: boxed(3.5) }))).toBeLessThan(2);
  });

  it('leave a comparison of numbers that are too near undecided', () => {
    const [a, b] = [numberOf(0.1), numberOf(0.1 + 1e-12)];
    for (const { yes, no } of [on.less(a, b), on.lessOrEqual(a, b), on.equal(a, b)]) {
      expect([yes, no]).toEqual([boxed(0), boxed(0)]);
    }
    expect(on.less(numberOf(0.1), numberOf(0.2)).yes).toEqual(boxed(1));
    expect(on.equal(numberOf(0.5), numberOf(0.5)).yes).toEqual(boxed(1));
  });

  it('say nothing about the side of an infinite number that is none in double precision', () => {
    const lost = on.div(numberOf(1), on.sub(numberOf(0.3), numberOf(0.3)));
    expect([of(lost.value), of(lost.error)]).toEqual([Infinity, Infinity]);
    for (const number of [lost, on.neg(lost)]) {
      for (const { yes, no } of [on.less(number, numberOf(5)), on.less(numberOf(5), number)]) {
        expect([yes, no]).toEqual([boxed(0), boxed(0)]);
      }
    }
  });

  it('say nothing about quotients that places may make of a reciprocal below all normal numbers', () => {
    expect(errorOf(on.div(numberOf(1e38), numberOf(2e38)))).toBe(Infinity);
    expect(errorOf(on.log(numberOf(1.1e38)))).toBe(Infinity);
    expect(errorOf(on.div(numberOf(1e38), numberOf(2e37)))).toBeLessThan(1e-5);
  });

  it('do not take numbers for equal whose difference is lost', () => {
    const [a, b] = [numberOf(2 ** -126), numberOf(2 ** -126 * 1.5)];
    expect(of(lanes.binary('sub', b.value, a.value))).toBe(0);
    expect([on.equal(a, b).yes, on.less(a, b).no]).toEqual([boxed(0), boxed(0)]);
  });

  it('know that a number with a finite bound is no NaN', () => {
    const sum = on.add(numberOf(0.1), numberOf(0.2));
    expect(on.isNumber(sum)).toEqual({ yes: boxed(1), no: false });
    for (const lost of [on.exp(numberOf(1e3)), on.div(numberOf(1), on.sub(numberOf(0.3), numberOf(0.3)))]) {
      expect(on.isNumber(lost)).toEqual({ yes: boxed(0), no: false });
    }
  });

  it('know no logarithm of a number below all normal ones', () => {
    for (const number of [2 ** -149, 2 ** -140, 2 ** -127, 2 ** -126 - 2 ** -149]) {
      expect(errorOf(on.log(on.constant(number))) < Infinity).toBe(false);
      expect(errorOf(on.log(numberOf(number))) < Infinity).toBe(false);
    }
    const [small, half] = [numberOf(2 ** -120), numberOf(0.5)];
    for (const lost of [on.mul(small, numberOf(2 ** -10)), on.mul(small, half), on.sub(small, numberOf(2 ** -121))]) {
      expect(errorOf(on.log(lost)) < Infinity).toBe(false);
    }
    expect(errorOf(on.log(numberOf(2 ** -126)))).toBeLessThan(1e-3);
  });

  it('reach to both sides of a branch that is undecided', () => {
    const unknown = on.less(numberOf(0.1), numberOf(0.1 + 1e-12));
    expect(errorOf(on.select(unknown, numberOf(1), numberOf(4)))).toBeGreaterThanOrEqual(3);
    // Whatever the side that is chosen is like.
    const lost = { ...numberOf(1), error: boxed(NaN) };
    expect(errorOf(on.select(unknown, lost, numberOf(1))) < Infinity).toBe(false);
  });

  it('are as large as a jump near it, and infinite where nothing is known', () => {
    expect(errorOf(on.floor(on.add(numberOf(2.7), numberOf(0.1))))).toBe(0);
    expect(errorOf(on.floor(on.sub(numberOf(1.1), numberOf(0.1))))).toBeGreaterThanOrEqual(1);
    expect(errorOf(on.rint(numberOf(2.5)))).toBeGreaterThanOrEqual(1);
    expect(errorOf(on.rint(numberOf(2 ** 22 + 0.5)))).toBe(Infinity);
    const zero = on.sub(numberOf(0.3), numberOf(0.3));
    for (const lost of [
      on.div(numberOf(1), zero),
      on.sqrt(on.neg(numberOf(0.1))),
      on.log(zero),
      on.exp(numberOf(1e3)),
    ]) {
      expect(errorOf(lost) < Infinity).toBe(false);
    }
    expect(errorOf(on.wave('sin', numberOf(1e5)))).toBe(Infinity);
  });

  it('do not know the side of a zero', () => {
    const angle = on.atan2(numberOf(-0), numberOf(-1));
    expect(errorOf(angle)).toBeGreaterThanOrEqual(Math.PI);
  });
});
