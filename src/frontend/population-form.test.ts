import { describe, expect, test } from 'vitest';
import { interpret } from '../ir/interpreter.js';
import { analyzeUpload, compileObjective } from './compile.js';

const NUMPY = 'import numpy as np\n';

const declared = (code: string, dimension: number) => {
  const { source } = analyzeUpload(NUMPY + code, 'f', { vectorized: true });
  return compileObjective(source!, { dimension, pythonMinor: 11, vectorized: true });
};

const ROWS_APART: readonly (readonly [string, number, string])[] = [
  ['a reduction along rows', 5, 'def f(X):\n    return np.sum(X ** 2 - 10 * np.cos(2 * np.pi * X), axis=1)\n'],
  ['a method along rows', -2, 'def f(X):\n    return X.sum(axis=1) - X.prod(1)\n'],
  ['columns', 11, 'def f(X):\n    return (X[:, 0] - 1) ** 2 + 5 * X[:, 1] * X[:, 2]\n'],
  ['slices of columns', 7, 'def f(X):\n    return np.sum(100 * (X[:, 1:] - X[:, :-1] ** 2) ** 2, axis=1)\n'],
  ['a column kept as a matrix', 3, 'def f(X):\n    n = X.shape[0]\n    return (X[:, :1] * 2).reshape(n)\n'],
  [
    'a loop over rows',
    1,
    'def g(v):\n    return v[0] if v[1] > 0 else 1 / v[2]\ndef f(X):\n    return np.array([g(v) for v in X])\n',
  ],
  [
    'a result that is filled row by row',
    1,
    'def f(X):\n    out = np.zeros(len(X))\n    for i in range(X.shape[0]):\n        a = abs(X[i, 0])\n        while a > 1:\n            a = a / 2\n        out[i] = a\n    return out\n',
  ],
  [
    'a product with a matrix',
    4,
    'A = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])\ndef f(X):\n    return np.sum((X @ A) ** 2, axis=1)\n',
  ],
  ['penalties', 4, 'def f(X):\n    return np.where(X[:, 0] > 0, X[:, 1], 1e3) + np.maximum(0, X[:, 2])\n'],
];

describe('a row of a population is a candidate', () => {
  test.each(ROWS_APART)('%s', (_, __, code) => {
    const { ir, reasons } = declared(code, 3);
    expect(reasons).toEqual([]);
    expect(ir?.dimension).toBe(3);
  });
  test('and gets the number that the function gives for it', () => {
    const [, , code] = ROWS_APART[2];
    expect(interpret(declared(code, 3).ir!, [3, 2, 0.5])).toMatchObject({ status: 0, value: 9 });
    expect(interpret(declared(ROWS_APART[6][2], 2).ir!, [-6, 0]).value).toBe(0.75);
  });
  test.each([
    ['a sum over everything', 'def f(X):\n    return X[:, 0] + X.sum()\n'],
    ['a mean of columns', 'def f(X):\n    return np.sum((X - X.mean(axis=0)) ** 2, axis=1)\n'],
    ['the number of rows', 'def f(X):\n    return X[:, 0] / X.shape[0]\n'],
    ['its length', 'def f(X):\n    return X[:, 0] / len(X)\n'],
    ['the best row', 'def f(X):\n    return X[:, 0] - np.min(X[:, 0])\n'],
    ['rows in reverse', 'def f(X):\n    return X[::-1, 0]\n'],
    ['rows moved on', 'def f(X):\n    return np.roll(X[:, 0], 1)\n'],
    ['a branch on the first row', 'def f(X):\n    if X[0, 0] > 0:\n        return X[:, 0]\n    return X[:, 1]\n'],
    [
      'a check of all rows',
      'def f(X):\n    if np.any(X[:, 0] > 5):\n        raise ValueError("outside")\n    return X[:, 1]\n',
    ],
    ['as many rows as columns', 'def f(X):\n    return np.sum(X - np.mean(X, axis=1), axis=1)\n'],
    ['a number of the first row alone', 'def f(X):\n    return [X[0, 0]] * len(X)\n'],
    [
      'an iteration for all rows',
      'def f(X):\n    a = X[:, 0]\n    while a.max() > 1:\n        a = a / 2\n    return a\n',
    ],
  ])('%s is not for compiled code', (_, code) => {
    const { ir, reasons } = declared(code, 2);
    expect(ir).toBeNull();
    expect(reasons[0]).toMatchObject({ kind: 'unsupported', line: 2 });
    expect(reasons[0].message).toMatch(/depends on other rows/);
  });
  test('fewer numbers than rows', () => {
    expect(declared('def f(X):\n    return X.sum()\n', 2).reasons[0].message).toMatch(/does not return n numbers/);
  });
});

describe('population form is recognised where a single candidate can only raise', () => {
  const analysis = (code: string) => analyzeUpload(NUMPY + code, 'f');
  test.each(ROWS_APART.filter(([name]) => !/loop|filled|product/.test(name)))('%s', (_, __, code) => {
    expect(analysis(code)).toMatchObject({ vectorized: true, compiled: true, source: { argument: 'ndarray' } });
  });
  test.each([
    ['a function of a vector', 'def f(x):\n    return np.sum(x ** 2)\n'],
    ['one for both', 'def f(x):\n    x = np.atleast_2d(x)\n    return np.sum(x[:, 1:] ** 2, axis=1)\n'],
    ['distances to points', 'P = np.ones((4, 3))\ndef f(x):\n    return np.min(np.sum((x - P) ** 2, axis=1))\n'],
    [
      'another number of dimensions',
      'P = np.ones((4, 7))\ndef f(x):\n    return np.min(np.sum((x - P) ** 2, axis=1))\n',
    ],
  ])('%s is none', (_, code) => {
    expect(analysis(code)).toMatchObject({ vectorized: false });
  });
  test('where it is in doubt, the reason says how to declare it', () => {
    const { vectorized, compiled, reasons } = analysis('def f(X):\n    return X[:, 0] - X[:, 0].mean()\n');
    expect([vectorized, compiled]).toEqual([false, false]);
    expect(reasons[0].message).toMatch(/declare "vectorized": true/);
  });
});
