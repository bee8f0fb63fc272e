/** Whole objectives against CPython: the fixtures at every dimension, and programs with control flow. */
import { describe, expect, test } from 'vitest';
import { compareWithCPython, type Program } from '../support/compare-objectives.js';
import { compiledPrograms } from '../support/objective-fixtures.js';
import { findPython } from '../support/python.js';

/** Control flow that depends on x: exits, loops, state, in the ways people write them. */
const CONTROL_FLOW: readonly (readonly [string, number, string])[] = [
  [
    'early returns in a chain',
    2,
    'def f(x):\n    if x[0] > 1:\n        return x[0] * 2\n    y = x[0] + x[1]\n    if y < 0:\n        return -y\n    elif y > 3:\n        y = y - 1\n    return y + 0.5\n',
  ],
  [
    'newton iteration until convergence',
    2,
    'def f(x):\n    a = abs(x[0]) + 1.0\n    y = a\n    n = 0\n    while abs(y * y - a) > 1e-12 and n < 100:\n        y = 0.5 * (y + a / y)\n        n += 1\n    return y + n * 0.001 + x[1]\n',
  ],
  [
    'while True with break and continue',
    2,
    'def f(x):\n    total = 0\n    k = 0\n    while True:\n        k += 1\n        if k % 2 == 0:\n            continue\n        total += x[0] * k\n        if total > 5 or k > 20:\n            break\n    return total + x[1] * k\n',
  ],
  [
    'break in a static loop',
    3,
    'def f(x):\n    s = 0.0\n    for i, v in enumerate(x):\n        if v < 0:\n            break\n        s += v * (i + 1)\n    else:\n        s += 100\n    return s\n',
  ],
  [
    'return from inside nested loops',
    3,
    'def f(x):\n    for i in range(3):\n        for j in range(i + 1, 3):\n            if x[i] > x[j]:\n                return i * 10 + j\n    return -1\n',
  ],
  [
    'bisection with swapped bounds',
    2,
    'def f(x):\n    lo, hi = 0.0, 4.0\n    for _ in range(40):\n        mid = (lo + hi) / 2\n        if mid ** 3 - mid - abs(x[0]) > 0:\n            hi = mid\n        else:\n            lo = mid\n    return lo + x[1]\n',
  ],
  [
    'sequences changed in branches',
    3,
    'def f(x):\n    y = [v for v in x]\n    if x[0] > 0:\n        y[1] = y[0] * 2\n    else:\n        y[2] += 1\n    y.append(sum(y))\n    return max(y) - min(y) + y[-1]\n',
  ],
  [
    'array stores under masks and views',
    4,
    'import numpy as np\ndef f(x):\n    y = x.copy()\n    v = y[1:3]\n    v[0] = 7.0\n    y[y > 2] = 2.0\n    z = np.zeros(4)\n    for i in range(4):\n        z[i] = y[i] * i if y[i] > 0 else -y[i]\n    return z.sum() + x[1]\n',
  ],
  [
    'helpers, closures, defaults and recursion of static depth',
    2,
    'SCALE = 3.0\ndef power(b, n=2):\n    return 1.0 if n == 0 else b * power(b, n - 1)\ndef make(k):\n    def inner(v, *, offset=1.0):\n        return k * v + offset\n    return inner\ndef f(x):\n    g = make(SCALE)\n    return power(x[0], 3) + g(x[1], offset=2.0) + g(x[0])\n',
  ],
  [
    'assertions and raise on guard paths',
    2,
    'def f(x):\n    assert x[0] > -2, "too small"\n    if x[1] > 4:\n        raise ValueError("too large")\n    return x[0] ** 2 + x[1]\n',
  ],
  [
    'a while loop with a tuple of state',
    1,
    'def f(x):\n    a, b = 0.0, 1.0\n    c = abs(x[0]) % 7\n    while b < c * 10:\n        a, b = b, a + b\n    return a / b + c\n',
  ],
  [
    'nested while loops',
    2,
    'def f(x):\n    i = 0\n    t = 0.0\n    while i < abs(x[0]):\n        j = 0.0\n        while j < abs(x[1]) and j < 40:\n            t += i * j\n            j += 1.5\n        i += 1\n        if i > 12:\n            return -t\n    return t\n',
  ],
  [
    'integer arithmetic that depends on x',
    2,
    'import math\ndef f(x):\n    k = int(x[0])\n    n = math.floor(x[1])\n    return k // 3 + n % 4 + k * n - (k > n) + round(x[0]) / 7\n',
  ],
  [
    'an index that depends on x',
    2,
    'TABLE = [3.0, 1.0, 4.0, 1.5, 9.0]\ndef f(x):\n    return TABLE[int(abs(x[0])) % 5] + TABLE[-1 - int(abs(x[1])) % 5]\n',
  ],
  ['a lone expression', 2, '(x[0] - 1)**2 + abs(x[1])'],
  ['a lone lambda', 2, 'lambda v: v[0]*v[1] if v[0] > v[1] else v[0] - v[1]'],
  [
    'any and all stop early',
    2,
    'def f(x):\n    if any(v != 0 and 1 / v > 2 for v in x):\n        return 1.0\n    return 2.0 if all(v < 3 for v in x) else 3.0\n',
  ],
  ['a variable bound on one side only', 1, 'def f(x):\n    if x[0] > 0:\n        y = 2.0\n    return y * x[0]\n'],
  [
    'try around arithmetic',
    2,
    'import math\ndef f(x):\n    y = 5.0\n    try:\n        y = math.log(x[0]) + 1 / x[1]\n        z = y * 2\n    except ZeroDivisionError:\n        return 1e6\n    except (ValueError, OverflowError):\n        z = -y\n    else:\n        z += 100\n    finally:\n        y += 1\n    return y + z\n',
  ],
  [
    'try in a loop with raise, continue and a helper',
    3,
    'def g(v):\n    if v < 0:\n        raise ValueError("negative")\n    return v ** 0.5\ndef f(x):\n    total = 0.0\n    for v in x:\n        try:\n            r = g(v)\n            if r > 1.5:\n                continue\n            total += r\n        except ValueError:\n            total -= v\n    return total\n',
  ],
  [
    'nested try with a handler further out',
    2,
    'def f(x):\n    try:\n        try:\n            a = 1 / x[0]\n            b = [1.0, 2.0][int(x[1])]\n        except IndexError:\n            b = 7.0\n        return a + b\n    except ArithmeticError:\n        return -1.0\n',
  ],
  [
    'try in a while loop',
    1,
    'import math\ndef f(x):\n    v = x[0]\n    n = 0\n    while n < 10:\n        n += 1\n        try:\n            v = math.sqrt(v) - 0.5\n        except ValueError:\n            break\n    return v + n\n',
  ],
  [
    'a class with constants, methods and a call',
    2,
    'class Base:\n    offset = 1.5\n    def shift(self, v):\n        return v + self.offset\nclass Problem(Base):\n    def __init__(self, scale, center=(1.0, 2.0)):\n        self.scale = scale\n        self.center = list(center)\n    @property\n    def double(self):\n        return self.scale * 2\n    @staticmethod\n    def square(v):\n        return v * v\n    def __call__(self, x):\n        return sum(self.square(a - c) for a, c in zip(x, self.center)) * self.double + self.shift(x[0])\nobjective = Problem(3.0)\n',
  ],
  [
    'a bound method as the objective',
    2,
    'class Model:\n    def __init__(self):\n        self.w = [1.0, -2.0]\n    def cost(self, x):\n        self.last = 0\n        return self.w[0] * x[0] + self.w[1] * x[1] ** 2\nobjective = Model().cost\n'.replace(
      '        self.last = 0\n',
      '',
    ),
  ],
  [
    'an object made during the call',
    2,
    'class Point:\n    def __init__(self, a, b):\n        self.a = a\n        self.b = b\n    def move(self, d):\n        if d > 0:\n            self.a += d\n        else:\n            self.b -= d\ndef f(x):\n    p = Point(x[0], x[1])\n    p.move(x[0] - x[1])\n    return p.a * 2 + p.b\n',
  ],
  [
    'filters that depend on x',
    4,
    'def f(x):\n    s = sum(v for v in x if v > 0)\n    n = len([v for v in x if abs(v) > 1])\n    t = 0.0\n    for v in [1 / w for w in x if w != 0]:\n        t += v\n    return s + 10 * n + t\n',
  ],
  [
    'a range that depends on x',
    2,
    'def f(x):\n    t = 0\n    for i in range(int(min(abs(x[0]), 9)), int(min(abs(x[1]), 9)) * 3, 2):\n        if i == 4:\n            continue\n        t += i * x[0]\n        if t > 20:\n            break\n    else:\n        t += 1000\n    return t\n',
  ],
  [
    'a range that counts down',
    1,
    'def f(x):\n    n = round(min(abs(x[0]), 30))\n    s = 0\n    for k in range(n, -1, -1):\n        s = s * 2 + k\n    return s\n',
  ],
  [
    'linear algebra of small size',
    4,
    'import numpy as np\ndef f(x):\n    A = np.array([[4.0 + x[0] ** 2, 1.0, x[1]], [1.0, 9.0, 0.5], [x[1], 0.5, 20.0]])\n    b = np.array([x[2], 1.0, x[3]])\n    y = np.linalg.solve(A, b)\n    return y @ y + np.linalg.det(A) / 100 + np.trace(np.linalg.inv(A))\n',
  ],
  [
    'select and interp',
    2,
    'import numpy as np\nXP = [-4.0, -1.0, 0.5, 3.0]\nFP = np.array([1.0, 2.0, -1.0, 5.0])\ndef f(x):\n    a = np.select([x > 2, x > 0], [x * 2, x + 10], default=-1.0)\n    return a.sum() + np.interp(x[0], XP, FP) + np.interp(x, XP, FP).sum()\n',
  ],
  [
    'list methods',
    3,
    'import math\ndef f(x):\n    a = list(x)\n    a.sort()\n    b = sorted(x, reverse=True)\n    a.insert(1, 5.0)\n    c = [1, 2, 3].index(3)\n    d = math.dist([x[0], x[1]], [1.0, 2.0]) + math.hypot(x[0], x[1], x[2])\n    e = math.fsum(x)\n    return a[0] + b[0] * 2 + c + d + a[-1] + e\n',
  ],
  [
    'with errstate and del',
    2,
    'import numpy as np\ndef f(x):\n    with np.errstate(divide="ignore", invalid="ignore"):\n        y = 1 / x\n    z = y + 1\n    del y\n    return z.sum()\n',
  ],
  [
    'sums of generators with compensation where the language has it',
    9,
    'def f(x):\n    return sum(v * 0.1 for v in x) + sum([1, 2, 3]) + sum((v for v in x), 10)\n',
  ],
];

const controlFlow: readonly Program[] = CONTROL_FLOW.map(([name, dimension, code]) => ({
  name,
  code,
  dimension,
  bounds: Array.from({ length: dimension }, () => [-5, 5] as const),
}));

const python = findPython('numpy');

describe(
  `compiled objectives agree with CPython${python.command === null ? ` (${python.reason})` : ''}`,
  { timeout: 60_000 },
  () => {
    test.skipIf(python.command === null)('with control flow that depends on x', async () => {
      const { wrong, inside, flagged } = await compareWithCPython(python.command ?? '', controlFlow, 16);
      expect(wrong).toEqual([]);
      expect(flagged / inside).toBeLessThan(0.03);
    });

    test.skipIf(python.command === null)('the fixtures, in values, flags and exceptions', async () => {
      const { wrong, inside, flagged } = await compareWithCPython(python.command ?? '', compiledPrograms(), 4);
      expect(wrong).toEqual([]);
      // Inside the bounds hardly any lane may need CPython.
      expect(flagged / inside).toBeLessThan(0.01);
    });
  },
);
