import { expect, test } from 'vitest';
import { evaluateOp } from '../../ir/interpreter.js';
import { LANE_FUNCTIONS } from '../single-precision/lanes.js';
import { singleTrial } from './single-trial.js';

const { judge, rows, count, dimension, results } = singleTrial();
const FIRST_FUNCTION = results - LANE_FUNCTIONS.length;

/** What a device gives that rounds to nearest. */
function sound(): Float64Array {
  const found = new Float64Array(count * results).fill(1);
  for (let row = 0; row < count; row++) {
    const inputs = rows.subarray(row * dimension, (row + 1) * dimension);
    const [a, b] = inputs.subarray(3);
    const exact = [a / b, Math.sqrt(b), ...LANE_FUNCTIONS.map((name, k) => evaluateOp(name, [inputs[5 + k]]))];
    found.set(exact.map(Math.fround), row * results + FIRST_FUNCTION - 2);
  }
  return found;
}

test('a device that rounds to nearest has all functions', () => {
  expect(judge(sound())).toEqual(new Set());
});

test.each(LANE_FUNCTIONS.map((name, k) => [name, k] as const))('one wrong %s in 2,048 is found', (name, k) => {
  const found = sound();
  found[1_000 * results + FIRST_FUNCTION + k] += 0.01;
  expect(judge(found)).toEqual(new Set([name]));
});

test('a device that rounds otherwise is not used', () => {
  for (let k = 0; k < FIRST_FUNCTION; k++) {
    const found = sound();
    found[7 * results + k] *= 1 + 2 ** -18;
    expect(() => judge(found)).toThrow('it does not round as the error bounds assume');
  }
});
