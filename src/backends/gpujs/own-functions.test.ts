import { expect, test } from 'vitest';
import { LANE_FUNCTIONS, type LaneFunction } from '../single-precision/lanes.js';
import { argumentsOf, isNear } from '../single-precision/self-test.js';
import { ownName } from './dialect.js';
import { ownFunctionsIn } from './own-functions.js';

/** The text as JavaScript, in double precision. `mode-test.ts` looks at it in single precision, in each mode. */
function evaluated(name: LaneFunction): (a: number) => number {
  const text = ownFunctionsIn(`${ownName(name)}(`).map(({ source }) => source);
  const made = new Function('a', 'infinity', [...text, `return ${ownName(name)}(a, infinity);`].join('\n')) as (
    a: number,
    infinity: number,
  ) => number;
  return (a) => made(a, Infinity);
}

test.each(LANE_FUNCTIONS)('our %s is near enough', (name) => {
  expect(isNear(name, Float32Array.from(argumentsOf(name), evaluated(name)))).toBe(true);
});

test('special arguments give special values', () => {
  const [exp, log, tanh, atan] = (['exp', 'log', 'tanh', 'atan'] as const).map(evaluated);
  expect([exp(1e3), exp(-1e3), exp(NaN)]).toEqual([Infinity, 0, NaN]);
  expect([tanh(50), tanh(-50), log(1)]).toEqual([1, -1, 0]);
  expect(atan(-1e30)).toBeCloseTo(-Math.PI / 2, 6);
});
