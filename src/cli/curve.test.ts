import { describe, expect, it } from 'vitest';
import { drawCurve, drawFront, shortNumber } from './curve.js';

const points = (...pairs: readonly (readonly [number, number])[]): { evaluations: number; bestFitness: number }[] =>
  pairs.map(([evaluations, bestFitness]) => ({ evaluations, bestFitness }));
const SIZE = { columns: 40, rows: 9, maxEvaluations: 100, unicode: true };
const ASCII = { ...SIZE, unicode: false };

describe('the curve of a run', () => {
  it('is a step for every improvement, labelled with its values', () => {
    expect(drawCurve(points([1, 10], [50, 8], [100, 2]), ASCII)).toEqual([
      '         10 |**************',
      '            |             *',
      '            |             **************',
      '          6 |                          *',
      '            |                          *',
      '            |                          *',
      '          2 |                          *',
      '            +---------------------------',
      '             0      best value       100',
    ]);
  });

  it.each([
    ['positive values that span much', points([1, 1000], [10, 1], [20, 0.001]), 'log scale', ['1000', '0.001']],
    ['values down to zero', points([1, 1000], [10, 1], [20, 0]), 'log scale', ['1000', '0']],
    ['negative values that span much', points([1, -0.01], [20, -100]), 'log scale', ['-0.01', '-100']],
    ['values that cross zero far', points([1, 2e6], [20, -3]), 'log scale at both ends', ['2.000e+6', '-3']],
    ['values that cross zero near', points([1, 5], [20, -3]), '', ['5', '-3']],
  ])('has the scale that suits %s', (_what, history, scale, [top, bottom]) => {
    const lines = drawCurve(history, { ...SIZE, columns: 90 });
    expect(lines[0].trim().split(' ')[0]).toBe(top);
    expect(lines[6].trim().split(' ')[0]).toBe(bottom);
    expect(lines.at(-1)).toContain(scale === '' ? 'best value over' : `best value, ${scale}, over`);
  });

  it('uses every dot of a character, and never more room than there is', () => {
    const many = Array.from({ length: 100 }, (_, i) => [i + 1, 100 - i] as const);
    const lines = drawCurve(points(...many), SIZE);
    expect(lines).toHaveLength(SIZE.rows);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(SIZE.columns);
    expect(new Set(lines.join('').match(/[\u2801-\u28ff]/g)).size).toBeGreaterThan(2);
  });

  it('is left out where nothing improved, or there is no room', () => {
    expect(drawCurve([], SIZE)).toEqual([]);
    expect(drawCurve(points([1, 3], [2, 3]), SIZE)).toEqual([]);
    expect(drawCurve(points([1, 3], [2, 1]), { ...SIZE, columns: 20 })).toEqual([]);
    expect(drawCurve(points([1, 3], [2, 1]), { ...SIZE, rows: 3 })).toEqual([]);
  });

  it('has values of the whole range of floats', () => {
    for (const pair of [points([1, Number.MAX_VALUE], [2, -Number.MAX_VALUE]), points([1, 1e300], [2, 5e-324])]) {
      expect(drawCurve(pair, SIZE).join('')).not.toMatch(/NaN|Infinity/);
    }
  });
});

it('numbers have four digits', () => {
  expect([0, 1.23456, -0.0001234567, 1234567, 99999].map(shortNumber)).toEqual([
    '0',
    '1.235',
    '-1.235e-4',
    '1.235e+6',
    '100000',
  ]);
});

describe('the front of two objectives', () => {
  const size = { columns: 43, rows: 12, unicode: false };
  it('has its ends in the corners, and the values of its ends at the axes', () => {
    const lines = drawFront(
      [
        [-1, 8],
        [0, 3],
        [1, 2.5],
        [3, -4],
      ],
      size,
    );
    expect(lines).toHaveLength(12);
    expect(lines[0]).toBe('          8 |*');
    expect(lines[9]).toBe(`         -4 |${' '.repeat(29)}*`);
    expect(lines.join('').match(/\*/g)).toHaveLength(4);
    expect(lines[11]).toMatch(/^ {13}-1 +the front: f2 over f1 +3$/);
    for (const line of drawFront(
      [
        [-1e308, 1e308],
        [0, 0],
        [1e308, -1e308],
      ],
      { ...size, unicode: true },
    )) {
      expect(line.length).toBeLessThanOrEqual(43);
      expect(line).not.toContain('NaN');
    }
  });

  it('is not drawn of two points, of one value, or without room', () => {
    expect(
      drawFront(
        [
          [0, 1],
          [1, 0],
        ],
        size,
      ),
    ).toEqual([]);
    expect(
      drawFront(
        [
          [0, 1],
          [0, 1],
          [0, 1],
        ],
        size,
      ),
    ).toEqual([]);
    expect(
      drawFront(
        [
          [0, 2],
          [1, 1],
          [2, 0],
        ],
        { ...size, columns: 20 },
      ),
    ).toEqual([]);
  });
});
