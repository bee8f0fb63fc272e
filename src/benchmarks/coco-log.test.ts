import { describe, expect, test } from 'vitest';
import { CocoLog, evaluationTriggers, exponential, signedExponential } from './coco-log.js';

describe('numbers', () => {
  test.each([
    [0, '+0.000000000e+00'],
    [-0, '-0.000000000e+00'],
    [79.48, '+7.948000000e+01'],
    [-1.5e-7, '-1.500000000e-07'],
    [1e100, '+1.000000000e+100'],
    [9.9999999999, '+1.000000000e+01'],
    [Infinity, '+inf'],
    [-Infinity, '-inf'],
    [NaN, 'nan'],
  ])('%d is written as C does', (value, text) => {
    expect(signedExponential(value, 9)).toBe(text);
  });

  test('without a sign where none is asked for', () => {
    expect([exponential(6, 1), exponential(-209.2, 1)]).toEqual(['6.0e+00', '-2.1e+02']);
  });
});

test('evaluation triggers are floor(10^(e/20)) and n {1, 2, 5} 10^e', () => {
  const triggers = evaluationTriggers(7);
  const first = Array.from({ length: 38 }, () => triggers.next().value);
  const expected = new Set<number>();
  for (let e = 0; e <= 40; e++) expected.add(Math.floor(10 ** (e / 20) + 1e-9));
  for (const n of [7, 14, 35, 70]) expected.add(n);
  expect(first.filter((n) => n <= 100)).toEqual([...expected].sort((a, b) => a - b).filter((n) => n <= 100));
  expect(first).toContain(140);
});

describe('rows of a run', () => {
  /** A 2-D run with fopt 10. */
  function logOf(deltas: readonly number[]): CocoLog {
    const log = new CocoLog(2);
    const points = new Float64Array(deltas.length * 2);
    deltas.forEach((delta, k) => {
      points.set([k, -k / 8], 2 * k);
      log.add(delta, 10 + delta, points, 2 * k);
    });
    log.finish();
    return log;
  }

  test('.dat has the first evaluation, each new level, and the last evaluation', () => {
    const { dat } = logOf([50, 60, 40, 39, 1, 1e-9, 5, 6]);
    expect(dat).toEqual([
      '1 0 +5.000000000e+01 +6.000000000e+01 +6.000000000e+01 +0.0000e+00 -0.0000e+00',
      // 40 lies in the level of 50: 10^(8/5) = 39.8 is the border.
      '4 0 +3.900000000e+01 +4.900000000e+01 +4.900000000e+01 +3.0000e+00 -3.7500e-01',
      '5 0 +1.000000000e+00 +1.100000000e+01 +1.100000000e+01 +4.0000e+00 -5.0000e-01',
      '6 0 +1.000000000e-09 +1.000000000e+01 +1.000000000e+01 +5.0000e+00 -6.2500e-01',
      '8 0 +1.000000000e-09 +1.600000000e+01 +1.000000000e+01 +7.0000e+00 -8.7500e-01',
    ]);
  });

  test('.tdat has the triggers and the last evaluation', () => {
    const { tdat } = logOf(Array.from({ length: 23 }, (_, k) => 100 - k));
    const counts = tdat.map((row) => Number(row.split(' ')[0]));
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 14, 15, 17, 19, 20, 22, 23]);
  });

  test('x is left out above six dimensions', () => {
    const log = new CocoLog(7);
    log.add(1, 2, new Float64Array(7), 0);
    expect(log.dat[0]).toBe('1 0 +1.000000000e+00 +2.000000000e+00 +2.000000000e+00');
  });

  test('a first value without a number has a row too', () => {
    expect(logOf([Infinity, 1]).dat.map((row) => row.split(' ').slice(0, 3))).toEqual([
      ['1', '0', '+inf'],
      ['2', '0', '+1.000000000e+00'],
    ]);
  });
});
