import { describe, expect, it } from 'vitest';
import { shapeOf } from './shape.js';

const fit = (data: string, more = ''): string => `import numpy as np
Y = np.array(${data})

def f(x):${more}
    return np.sum((x[0] * np.arange(len(Y)) + x[1] - Y) ** 2)
`;

describe('the shape of a source', () => {
  it('is the same whatever the numbers are, and however many', () => {
    const shape = shapeOf(fit('[1, 2.5, -3e-4]'));
    expect(shape).toMatch(/^[0-9a-f]{64}$/);
    for (const data of ['[4.0]', '[-1, -2]', '[1.5,\n  2.5,  # measured\n  3.5,\n]', '[1, 2, 3, 4, 5, 6]']) {
      expect(shapeOf(fit(data))).toBe(shape);
    }
  });

  it('takes rows of numbers, and numbers in a text, as numbers', () => {
    expect(shapeOf('D = [(1, 2.0), (3, -4)]')).toBe(shapeOf('D = [(1, 2), (3, 4), (5, 6)]'));
    expect(shapeOf('D = "1.5,2\\n3,4"')).toBe(shapeOf('D = "9,2\\n-3,1e4"'));
    expect(shapeOf('D = {"a": 1, "b": -2}')).toBe(shapeOf('D = {"a": 7, "b": 0.5}'));
  });

  it('does not depend on comments and space', () => {
    expect(shapeOf(fit('[1]', '\n    # least squares'))).toBe(shapeOf(fit('[1]')));
    expect(shapeOf('x+1')).toBe(shapeOf('x  +  2'));
  });

  it('tells programs apart', () => {
    const sources = [
      'x - 1',
      '1 - x',
      'x + 1',
      'x * 1',
      'y - 1',
      'x[0] - 1',
      'x - y',
      '-x',
      'f(x, 1)',
      'if x: 1',
      '"a"',
      '"b"',
    ];
    expect(new Set(sources.map(shapeOf)).size).toBe(sources.length);
  });

  it('is found in time that grows with the length of the source', () => {
    const rows = Array.from({ length: 20_000 }, (_, k) => `[${k}, -${k}.5]`).join(', ');
    expect(shapeOf(`D = [${rows}]`)).toBe(shapeOf('D = [[1, 2]]'));
    expect(shapeOf(`"${'1 '.repeat(50_000)}${' '.repeat(50_000)}"`)).toBe(shapeOf(`"1 ${' '.repeat(50_000)}"`));
  });
});
