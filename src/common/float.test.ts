import { describe, expect, it } from 'vitest';
import { decodeFloats, encodeFloats } from './float64-codec.js';
import { binade, exp, log, power, powerOfTwo } from './float.js';
import { Rng } from './rng.js';

const relative = (value: number, reference: number): number => Math.abs(value - reference) / Math.abs(reference);

describe('deterministic exp and log', () => {
  it('agree with the engine to a few units in the last place', () => {
    const rng = Rng.create(1);
    for (let i = 0; i < 20_000; i++) {
      const x = (rng.uniform() - 0.5) * 1400;
      expect(relative(exp(x), Math.exp(x))).toBeLessThan(5e-16);
      const small = (rng.uniform() - 0.5) * 2;
      expect(relative(exp(small), Math.exp(small))).toBeLessThan(5e-16);
      const y = exp(x);
      expect(relative(log(y), Math.log(y))).toBeLessThan(5e-16);
      const near = 1 + small * 1e-3;
      expect(relative(log(near), Math.log(near))).toBeLessThan(5e-16);
    }
  });

  it('treat special values as IEEE functions do', () => {
    expect(exp(0)).toBe(1);
    expect(exp(Infinity)).toBe(Infinity);
    expect(exp(710)).toBe(Infinity);
    expect(exp(-Infinity)).toBe(0);
    expect(exp(-746)).toBe(0);
    expect(exp(NaN)).toBeNaN();
    expect(exp(-745)).toBe(Math.exp(-745));
    expect(exp(709.7)).toBeCloseTo(Math.exp(709.7), -295);
    expect(log(1)).toBe(0);
    expect(log(0)).toBe(-Infinity);
    expect(log(-1)).toBeNaN();
    expect(log(NaN)).toBeNaN();
    expect(log(Infinity)).toBe(Infinity);
    expect(relative(log(5e-324), Math.log(5e-324))).toBeLessThan(5e-16);
    expect(relative(power(2, 0.5), Math.SQRT2)).toBeLessThan(5e-16);
    for (const k of [-1074, -1023, -1022, -1, 0, 52, 1023]) expect(powerOfTwo(k)).toBe(2 ** k);
  });

  it('give the power of two below a number', () => {
    for (const x of [1, 1.999, 2, -3, 0.7, 1e300, -1e-300]) {
      expect(binade(x)).toBeLessThanOrEqual(Math.abs(x));
      expect(2 * binade(x)).toBeGreaterThan(Math.abs(x));
      expect(Number.isInteger(Math.log2(binade(x)))).toBe(true);
    }
    expect(binade(0)).toBe(0);
  });
});

describe('float codec', () => {
  it('keeps every bit, also what JSON numbers lose', () => {
    const values = Float64Array.of(0, -0, NaN, Infinity, -Infinity, 5e-324, 0.1, -1e300);
    const back = decodeFloats(JSON.parse(JSON.stringify(encodeFloats(values))), values.length);
    expect(back).toEqual(values);
    expect(Object.is(back[1], -0)).toBe(true);
    expect(encodeFloats(new Float64Array(0))).toBe('');
    expect(encodeFloats(Float64Array.of(1, 2, 3).subarray(1))).toBe(encodeFloats(Float64Array.of(2, 3)));
  });

  it('refuses text of another length', () => {
    expect(() => decodeFloats(encodeFloats(Float64Array.of(1, 2)), 3)).toThrow('expected 3 encoded numbers, found 2');
    expect(() => decodeFloats(undefined, 1)).toThrow(RangeError);
  });
});
