import { expect, it } from 'vitest';
import { evaluateOp } from '../../ir/interpreter.js';
import { LANE_FUNCTIONS } from './lanes.js';
import { areQuotientsNear, argumentsOf, dividends, divisors, isNear } from './self-test.js';

it.each(LANE_FUNCTIONS)('%s passes where it is rounded to single precision, and not where one value is off', (name) => {
  const results = Float32Array.from(argumentsOf(name), (argument) => evaluateOp(name, [argument]));
  expect(isNear(name, results)).toBe(true);
  expect(isNear(name, results.fill(NaN, 7, 8))).toBe(false);
  const coarse = Float32Array.from(argumentsOf(name), (argument) => evaluateOp(name, [argument]) * (1 + 2e-6));
  expect(isNear(name, coarse)).toBe(false);
});

it('quotients and roots pass where they are rounded to single precision, and not where one is off', () => {
  const above = dividends();
  const quotients = divisors().map((b, k) => above[k] / b);
  const roots = divisors().map(Math.sqrt);
  expect(areQuotientsNear(quotients, roots)).toBe(true);
  expect(areQuotientsNear(quotients.with(5, quotients[5] * (1 + 2 ** -20)), roots)).toBe(false);
  expect(areQuotientsNear(quotients, roots.with(5, NaN))).toBe(false);
});
