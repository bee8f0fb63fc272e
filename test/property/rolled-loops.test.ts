/**
 * Rolled and unrolled loops are one program in two forms: value, status and line of every lane are the same. Every
 * objective of the fixtures is compiled both ways.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import { interpret } from '../../src/ir/interpreter.js';
import type { IrFunction, Region } from '../../src/ir/types.js';
import { walk } from '../../src/ir/walk.js';
import { verifyIr } from '../../src/ir/verifier.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
import { boundsFor, loadObjectiveFixtures, objectiveFolder } from '../support/objective-fixtures.js';

function compileWith(
  code: string,
  dimension: number,
  roll: 'always' | 'auto' | 'never',
  bounds: readonly (readonly [number, number])[] | null,
  pythonMinor = 11,
) {
  const { source, errors } = analyzeUpload(code, 'objective');
  if (source === null) throw new Error(errors[0].message);
  const box =
    bounds === null
      ? {}
      : { bounds: { lower: Float64Array.from(bounds, ([a]) => a), upper: Float64Array.from(bounds, ([, b]) => b) } };
  return compileObjective(source, { dimension, pythonMinor, roll, ...box });
}

/** Points of the box, its corners and, where there are no bounds, numbers that make things fail. */
function candidates(bounds: readonly (readonly [number, number])[], isWild: boolean): number[][] {
  let state = 12345;
  const random = (): number => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  const inside = Array.from({ length: 4 }, () => bounds.map(([a, b]) => a + (b - a) * random()));
  const corners = [bounds.map(([a]) => a), bounds.map(([, b]) => b), bounds.map(([a, b], k) => (k % 2 === 0 ? a : b))];
  const wild = [0, -0, NaN, Infinity, -1e300, 1e-320];
  const outside = isWild
    ? Array.from({ length: 6 }, (_, j) => bounds.map(([a, b], k) => (k % 6 === j ? wild[j] : a + (b - a) * random())))
    : [];
  return [...inside, ...corners, ...outside];
}

export function expectSameLanes(
  rolled: IrFunction,
  unrolled: IrFunction,
  points: readonly (readonly number[])[],
): void {
  const optimized = optimizeIr(rolled);
  expect(verifyIr(optimized)).toEqual([]);
  for (const x of points) expect(interpret(optimized, x), `at [${x.join(', ')}]`).toEqual(interpret(unrolled, x));
}

describe('rolled loops', () => {
  for (const fixture of loadObjectiveFixtures()) {
    const code = readFileSync(`${objectiveFolder}${fixture.file}`, 'utf8');
    for (const dimension of fixture.dimensions.filter((n) => n <= 12).slice(-2)) {
      it(`${fixture.file} gives the same rolled and unrolled, dimension ${dimension}`, () => {
        const bounds = boundsFor(fixture, dimension);
        for (const box of [bounds, null]) {
          const rolled = compileWith(code, dimension, 'always', box);
          const unrolled = compileWith(code, dimension, 'never', box);
          if (unrolled.ir === null) {
            expect(rolled.reasons).toEqual(unrolled.reasons);
            continue;
          }
          expect(rolled.reasons).toEqual([]);
          expectSameLanes(rolled.ir as IrFunction, optimizeIr(unrolled.ir), candidates(bounds, box === null));
        }
      });
    }
  }

  test.each<[string, string]>([
    ['an index that wraps at the start', 's = 0\nfor i in range(n):\n    s += x[i - 1] * x[i]\nreturn s'],
    ['an index that wraps at the end', 's = 0\nfor i in range(n):\n    s += x[i] * x[(i + 1) % n]\nreturn s'],
    ['backwards and in steps', 's = 0\nfor i in range(n - 1, -1, -2):\n    s = s * 0.5 + x[-i - 1] + x[i]\nreturn s'],
    [
      'triangles',
      's = 0.0\nfor i in range(n):\n    for j in range(i):\n        s += (x[i] - x[j]) ** 2 / (i - j)\nreturn s',
    ],
    ['counters', 'k = 0\nm = 3\ns = 0\nfor v in x:\n    k += 1\n    m -= 2\n    s += v * k + m\nreturn s + k * m'],
    [
      'sums of integers',
      'k = 0\nfor i in range(n):\n    k += i * i\nfor v in x:\n    k += 1 if v > 0 else 2\nreturn k + x[0]',
    ],
    ['powers by index', 's = 0\nfor i in range(n):\n    s += abs(x[i]) ** (i + 1) + (-1) ** i * x[i] ** 2\nreturn s'],
    [
      'numbers by index',
      's = 0\nfor i in range(n):\n    s += x[i] * math.sqrt(i + 1) / 2 ** i - 10 ** (i / n)\nreturn s',
    ],
    ['tables', 'c = [1, 3, 2, 5, 4, 7]\ns = 0\nfor i in range(n):\n    s += c[i] * x[i] ** c[i]\nreturn s'],
    [
      'branches by index',
      's = 0\nfor i in range(n):\n    if i % 2 == 0:\n        s += x[i]\n    elif i < 3:\n        s -= x[i] ** 3\nreturn s',
    ],
    ['break and else', 's = 0\nfor v in x:\n    if v > 2:\n        break\n    s += v\nelse:\n    s = -1\nreturn s'],
    ['continue', 's = 0\nfor i, v in enumerate(x):\n    if v < 0:\n        continue\n    s += v * i\nreturn s'],
    ['early return', 'for i in range(n):\n    if x[i] > 2:\n        return i * x[i]\nreturn -1'],
    [
      'state of several types',
      'a, b = 0, 1\nlast = None\nfor v in x:\n    a, b = b, a + v\n    last = v\nreturn a * b + last',
    ],
    ['exceptions', 's = 0\nfor i in range(n):\n    s += 1 / x[i] + math.sqrt(x[i] + 4)\nreturn s'],
    [
      'exceptions that are caught',
      's = 0\nfor v in x:\n    try:\n        s += math.log(v)\n    except ValueError:\n        s += 5.0\nreturn s',
    ],
    ['generators', 'return sum(v * w for v, w in zip(x, x[1:])) + max(abs(v) for v in x) + sum(1 for v in x if v > 0)'],
    ['nested generators', 'return sum((x[i] - x[j]) ** 2 for i in range(n) for j in range(i + 1, n) if i + j > 1)'],
    ['any and all', 'return (1 if any(v > 2 for v in x) else 2) + (3 if all(1 / v < 9 for v in reversed(x)) else 4)'],
    ['lists', 'y = [math.sin(v) for v in x]\nz = [a + b for a, b in zip(y, x)]\nreturn sum(y) * min(z) + z[-1]'],
    [
      'rows',
      'A = [[1, 2], [3, 4], [5, 6], [7, 8], [9, 1], [2, 3]]\ns = 0\nfor i in range(n):\n    r = A[i]\n    s += r[0] * x[i] + r[1]\nreturn s',
    ],
    [
      'a step of Euler',
      'y = x[0]\nv = 0.0\nfor k in range(50):\n    t = k * 0.02\n    a = -y - 0.1 * v + x[1] * math.sin(t)\n    y = y + 0.02 * v\n    v = v + 0.02 * a\nreturn y',
    ],
    ['products of a generator', 'return math.prod(1 + v / (k + 3) for k, v in enumerate(x))'],
    [
      'a list that the loop fills',
      'y = [0.0] * n\nfor i in range(n):\n    y[i] = x[i] * 0.5 - i\nreturn sum(y) - y[-1]',
    ],
    [
      'a recursion in a list',
      'y = [1.0] + [v + 1 for v in x]\nfor i in range(1, n + 1):\n    if x[i - 1] < 1:\n        y[i] -= y[i - 1] / x[i - 1]\nreturn y[-1] + max(y)',
    ],
    [
      'two names of a list that the loop fills',
      'y = [0.0] * n\nz = y\nfor i in range(n):\n    y[i] = x[i] + z[i - 1]\nreturn z[2] * sum(y[1:])',
    ],
    [
      'a variable that the loop may leave unbound',
      's = 0\nfor i in range(n):\n    if x[i] > 0:\n        p = x[i]\n    s += p\nreturn s',
    ],
  ])('%s', (_, body) => {
    const text = body
      .split('\n')
      .map((line) => `    ${line}\n`)
      .join('');
    const code = `import math\ndef objective(x):\n    n = len(x)\n${text}`;
    const bounds = Array.from({ length: 6 }, () => [-3, 3] as const);
    for (const pythonMinor of [11, 12]) {
      const rolled = compileWith(code, 6, 'always', null, pythonMinor);
      const unrolled = compileWith(code, 6, 'never', null, pythonMinor);
      // What is not translated unrolled may still be rolled.
      if (unrolled.ir === null) continue;
      expect(rolled.reasons).toEqual([]);
      const points = [...candidates(bounds, true), [1, 2, -1, 0.5, -0.25, 2.5], [-1, -2, -1, -3, -1, -2]];
      expectSameLanes(rolled.ir as IrFunction, optimizeIr(unrolled.ir), points);
      expect(countLoops((rolled.ir as IrFunction).body)).toBeGreaterThan(0);
    }
  });

  test.each<[string, string]>([
    ['element-wise', 'return np.sum(x ** 2 - 10 * np.cos(2 * np.pi * x)) + np.sum(x[1:] * x[:-1]) + np.sum(x[::-2])'],
    ['broadcast', 'd = x[:, None] - x[None, :]\nreturn np.sum(np.abs(d)) + np.sum(d[0] ** 2) + np.sum(d, axis=1)[2]'],
    [
      'with an array of numbers',
      'c = np.arange(1, n + 1)\nreturn np.sum(x ** c) + np.sum((x - np.linspace(0, 1, n)) ** 2 / c)',
    ],
    [
      'reductions',
      'return x.mean() + x.std() + x.var(ddof=1) + x.min() * x.max() + np.prod(x) + np.linalg.norm(x) + np.linalg.norm(x, 1)',
    ],
    [
      'truth',
      'return (1.0 if np.any(x > 2) else 2.0) + (3.0 if np.all(x < 2) else 4.0) + np.where(x > 0, x, -x).sum()',
    ],
    ['products', 'A = np.arange(n * n).reshape(n, n) / 7.0\ny = A @ (x - 1)\nreturn np.dot(x, y) + y @ y + np.sum(y)'],
    ['a name for what costs', 'z = np.exp(-x) + np.sin(x)\nreturn np.sum(z) * np.max(z) + z[0] + z[-1]'],
    ['flags', 'z = np.sin(x * 1e6)\nif x[0] > 0:\n    return z[1]\nreturn np.sum(x)'],
    [
      'loops over arrays',
      's = 0\nz = x * 2\nfor i in range(1, n):\n    s += (z[i] - z[i - 1]) ** 2 / z[i]\nfor v in z:\n    s -= v\nreturn s',
    ],
    ['a copy that is changed', 'y = x.copy()\ny[0] = 5\nx[1] = 7\nreturn np.sum(x) + np.sum(y) * y[0]'],
    ['in place', 'x *= 2\nv = x[1:]\nv += 1\nreturn np.sum(x)'],
    [
      'a matrix product',
      'A = np.arange(n * n).reshape(n, n) / 7.0\nB = A @ np.outer(x, x)\nreturn x @ A.T @ x + np.sum(B[1])',
    ],
    [
      'elements by index',
      'y = np.zeros(n)\nfor i in range(n):\n    y[i] = x[i] + y[i - 1]\nreturn np.sum(y ** 2) + y.max()',
    ],
    [
      'a table of two loops',
      'D = np.zeros((n, n))\nfor i in range(1, n):\n    for j in range(1, n):\n        D[i, j] = abs(x[i] - x[j]) + min(D[i - 1, j], D[i][j - 1])\nreturn D[-1, -1] + D[2].sum()',
    ],
    [
      'views of what a loop stores into',
      'y = x.copy()\nv = y[1:]\nfor i in range(n - 1):\n    v[i] += y[i] * 0.5\ny[2:] = y[:-2] * 2\nreturn y[-1] + np.sum(v) + x[0]',
    ],
    [
      'a branch around stores',
      'y = np.ones(n)\nfor i in range(n):\n    if x[i] > 0:\n        y[i] = x[i]\n        continue\n    y[i - 1] *= 2\nif y[0] > 1:\n    y = y * 3\nreturn np.sum(y) + y[1]',
    ],
    [
      'rows by index',
      'A = np.arange(3.0 * n).reshape(n, 3)\ns = 0\nfor i in range(n):\n    s += np.sum(A[i]) * x[i] + A[i, 1] + A[i, :2] @ x[:2]\nreturn s',
    ],
  ])('arrays: %s', (_, body) => {
    const text = body
      .split('\n')
      .map((line) => `    ${line}\n`)
      .join('');
    const code = `import numpy as np\ndef objective(x):\n    n = len(x)\n${text}`;
    for (const dimension of [6, 19]) {
      const bounds = Array.from({ length: dimension }, () => [-3, 3] as const);
      const rolled = compileWith(code, dimension, 'always', null);
      const unrolled = compileWith(code, dimension, 'never', null);
      expect(unrolled.reasons).toEqual([]);
      expect(rolled.reasons).toEqual([]);
      expectSameLanes(rolled.ir as IrFunction, optimizeIr(unrolled.ir as IrFunction), candidates(bounds, true));
    }
  });

  test('sums of large arrays keep the order of NumPy', () => {
    const code = 'import numpy as np\ndef objective(x):\n    return np.sum(x) + np.sum(x[3:] * x[:-3])\n';
    for (const dimension of [64, 127, 129, 263, 1_001]) {
      const rolled = compileWith(code, dimension, 'auto', null);
      const unrolled = compileWith(code, dimension, 'never', null);
      const bounds = Array.from({ length: dimension }, () => [-3, 3] as const);
      expectSameLanes(rolled.ir as IrFunction, unrolled.ir as IrFunction, candidates(bounds, false));
      expect(countLoops((rolled.ir as IrFunction).body)).toBeGreaterThan(0);
    }
  });

  test('the size of a program does not depend on the dimension', () => {
    const code =
      'def objective(x):\n    s = 0\n    for i in range(len(x) - 1):\n        s += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2\n    return s\n';
    for (const dimension of [1_000, 10_000]) {
      const { ir } = compileWith(code, dimension, 'auto', null);
      expect(optimizeIr(ir as IrFunction).types.length).toBeLessThan(40);
    }
  });

  test('the inner loop of a triangle is counted, too', () => {
    const code =
      'def objective(x):\n    s = 0\n    for i in range(len(x)):\n        for j in range(i):\n            s += (x[i] - x[j]) ** 2\n    return s\n';
    const { ir } = compileWith(code, 100, 'auto', null);
    expect(countLoops((ir as IrFunction).body)).toBe(2);
    expect(optimizeIr(ir as IrFunction).types.length).toBeLessThan(20);
  });

  test('loops that would run for minutes are refused', () => {
    const code =
      'def objective(x):\n    s = 0\n    for i in range(10**6):\n        for j in range(10**6):\n            s += x[0] * j\n    return s\n';
    expect(compileWith(code, 2, 'auto', null).reasons[0]).toMatchObject({ kind: 'limit' });
  });
});

function countLoops(region: Region): number {
  let count = 0;
  walk(region, ({ kind }) => (count += kind === 'for' ? 1 : 0));
  return count;
}
