/**
 * Sources that are made to keep the compiler busy or to exhaust its memory: each gets an answer, in a thread that may
 * use 300 MiB. One that took forever would run into the time limit.
 */
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { distEntry } from '../../src/common/dist-entry.js';

const nest = (open: string, inner: string, close: string, n: number): string =>
  open.repeat(n) + inner + close.repeat(n);
const lines = (n: number, line: (k: number) => string): string => Array.from({ length: n }, (_, k) => line(k)).join('');
const body = (code: string): string => `def f(x):\n${code.replace(/^/gm, '    ').trimEnd()}\n`;
const expression = (code: string): string => `def f(x):\n    return ${code}\n`;
const NUMPY = 'import numpy as np\n';
const AFTER = 'def f(x):\n    return x[0]\n';
const TOO_LARGE = /too large to unroll/;
const BIG = /integers beyond 2\*\*53/;

/** Name, source, and what the reason says; null where it compiles all the same. */
const HOSTILE: readonly (readonly [name: string, code: string, reason: RegExp | null])[] = [
  ['100,000 parentheses', expression(nest('(', 'x[0]', ')', 100_000)), /nested more than/],
  ['200,000 minus signs', expression(`${'-'.repeat(200_000)}x[0]`), /nested more than/],
  ['30,000 lambdas', expression(`${'lambda: '.repeat(30_000)}x[0]`), /nested more than/],
  ['120,000 attributes', expression(`x${'.a'.repeat(120_000)}`), /nested more than/],
  ['80,000 indices', expression(`x${'[0]'.repeat(80_000)}`), /nested more than/],
  ['30,000 powers', expression(`${'x[0] ** '.repeat(30_000)}2`), /nested more than/],
  ['12,000 conditional expressions', expression(`${'1 if x[0] > 0 else '.repeat(12_000)}2`), /nested more than/],
  ['18,000 operands of and', expression(`${'x[0] > 0 and '.repeat(18_000)}1`), /too many branches|nested too deeply/],
  ['30,000 chained comparisons', expression(`0 ${'< x[0] '.repeat(30_000)}`), /too many branches|nested too deeply/],
  ['5,000 nested f-strings', expression(nest("f'{", 'x[0]', "}'", 5_000)), /nested more than/],
  ['7,000 elif', body(`if x[0] > 0:\n    y = 1\n${'elif x[0] > 1:\n    y = 2\n'.repeat(7_000)}return 2`), /elif/],
  ['3,500 branches', body(`t = 0\n${'if x[0] > t:\n    t += x[1]\n'.repeat(3_500)}return t`), null],
  ['256 KiB of junk', lines(256 * 1024, (k) => String.fromCharCode(33 + ((k * 7919) % 90))), /./],
  ['controls, directions and emoji', '\u202e\ud83d\ude00\u0001ß'.repeat(25_000), /./],
  ['130,000 continued lines', '\\\n'.repeat(130_000), /unexpected EOF/],
  ['700 indentations', lines(700, (k) => `${' '.repeat(k)}if 1:\n`), /too many levels/],
  ['an int of 100,000 digits', expression(`${'9'.repeat(100_000)} + x[0]`), /4300 digits/],
  ['an int of 200,000 hexadecimal digits', `N = 0x${'f'.repeat(200_000)}\n${expression('N * x[0]')}`, BIG],
  ['a float of 100,000 digits', expression(`${'9'.repeat(100_000)}.5e-99999 + x[0]`), null],
  ['2**10**9 in the module', `N = 2**10**9\n${expression('x[0] + N')}`, BIG],
  ['a tower of powers', `N = 3**3**3**3**3\n${expression('x[0] + N')}`, BIG],
  ['a shift by 10**9', `N = 1 << 10**9\n${expression('x[0] + N')}`, BIG],
  ['a factorial', `import math\nN = math.factorial(10**7)\n${expression('x[0] + N')}`, BIG],
  ['ways to choose', `import math\nN = math.comb(10**6, 5 * 10**5)\n${expression('x[0] + N')}`, BIG],
  ['a common multiple', `import math\nN = math.lcm(*range(1, 100000))\n${expression('x[0] + N')}`, BIG],
  ['a product of a range', `import math\nN = math.prod(range(1, 10**6))\n${expression('x[0] + N')}`, TOO_LARGE],
  ['a text times 10**10', `S = 'a' * 10**10\n${expression('x[0] + len(S)')}`, TOO_LARGE],
  ['a text that doubles', body("a = 'ab'\nfor k in range(100):\n    a = a + a\nreturn len(a) + x[0]"), TOO_LARGE],
  ['a list that doubles', body('a = [x[0]]\nfor k in range(100):\n    a += a\nreturn len(a)'), TOO_LARGE],
  ['a list times two in place', body('a = [x[0]]\nfor k in range(100):\n    a *= 2\nreturn len(a)'), TOO_LARGE],
  ['a list extended by itself', body('a = [x[0]]\nfor k in range(100):\n    a.extend(a)\nreturn len(a)'), TOO_LARGE],
  [
    'lists of the same list, compared',
    body('a, b = [x[0]], [x[0]]\nfor k in range(60):\n    a, b = [a, a], [b, b]\nreturn 1.0 if a == b else 2.0'),
    TOO_LARGE,
  ],
  [
    'lists of the same list, merged',
    body(
      'a, b = [x[0]], [x[1]]\nfor k in range(60):\n    a, b = [a, a], [b, b]\nc = a if x[0] > 0 else b\nreturn len(c)',
    ),
    null,
  ],
  [
    'tuples of the same tuple, merged',
    body(
      'a, b = (x[0],), (x[1],)\nfor k in range(60):\n    a, b = (a, a), (b, b)\nc = a if x[0] > 0 else b\nreturn len(c)',
    ),
    TOO_LARGE,
  ],
  [
    'tuples of the same tuple, carried by a loop',
    body(
      'a = (x[0],)\nfor k in range(60):\n    a = (a, a)\nv = x[0]\nwhile v > 1:\n    v /= 2\n    a = (a[0], a[1])\nreturn v',
    ),
    TOO_LARGE,
  ],
  [
    'an array of lists of the same list',
    NUMPY + body('a = [x[0]]\nfor k in range(60):\n    a = [a, a]\nreturn np.array(a).sum()'),
    TOO_LARGE,
  ],
  ['an array of a list of itself', NUMPY + body('a = [x[0]]\na[0] = a\nreturn np.array(a).sum()'), /nested too deeply/],
  [
    'one list of itself or another',
    body('a, b = [x[0]], [x[1]]\na[0], b[0] = a, b\nc = a if x[0] > 0 else b\nreturn len(c)'),
    /nested too deeply/,
  ],
  [
    'Fibonacci numbers by recursion',
    `def g(n):\n    return n if n < 2 else g(n - 1) + g(n - 2)\n${expression('g(30) + x[0]')}`,
    TOO_LARGE,
  ],
  [
    'recursion that depends on x, twice',
    `def g(n):\n    return n if n < 2 else g(n - 1) + g(n - 2)\n${expression('g(x[0])')}`,
    /recursion/,
  ],
  ['recursion without end', `def g(n):\n    return g(n + 1)\n${expression('g(0)')}`, /recursion/],
  ['a function that calls itself by its argument', body('w = lambda g: g(g)\nreturn w(w)'), /recursion/],
  [
    'helpers that call the one before twice',
    `def g0(v):\n    return v + 1\n${lines(35, (k) => `def g${k + 1}(v):\n    return g${k}(g${k}(v))\n`)}${expression('g35(x[0])')}`,
    TOO_LARGE,
  ],
  [
    'a comprehension over 10**12 triples',
    expression('sum([a * x[0] for a in range(10**4) for b in range(10**4) for c in range(10**4)])'),
    /run for too long/,
  ],
  ['a dict of 10**7 keys', `D = {k: k for k in range(10**7)}\n${expression('D[1] + x[0]')}`, TOO_LARGE],
  ['an endless loop in the module', `while True:\n    pass\n${AFTER}`, TOO_LARGE],
  ['an endless loop that appends', body('a = []\nwhile True:\n    a.append(a)'), TOO_LARGE],
  ['a loop of 10**10 steps', body('t = 0.0\nwhile t < 1e9:\n    t += 0.1\nreturn t + x[0]'), TOO_LARGE],
  ['18 loops that depend on x in one another', body(nestedLoops(18)), TOO_LARGE],
  ['18 tries in one another', body(nestedTries(18)), null],
  ['an array of 10**18', NUMPY + `A = np.zeros((10**9, 10**9))\n${expression('A[0, 0] + x[0]')}`, TOO_LARGE],
  ['3,000 new axes', NUMPY + body('for k in range(3000):\n    x = x[None]\nreturn x.sum()'), /33 dimensions/],
  ['3,000 new axes at once', NUMPY + expression(`x[${'None, '.repeat(3_000)}].sum()`), /dimensions/],
  ['a table of 100,000', NUMPY + `A = np.arange(100000.0)\n${expression('np.interp(x[0], A, A)')}`, TOO_LARGE],
  ['a sum of 100,000 without rounding', `import math\n${expression('math.fsum([x[0]] * 100000)')}`, TOO_LARGE],
  ['sorting 6,000 numbers', NUMPY + expression('np.sort(np.tile(x, 3000))[0]'), TOO_LARGE],
  [
    'names for one array or another, 200 times',
    NUMPY +
      body(
        'y = np.tile(x, 100)\nz = y * 2\nfor k in range(200):\n    if x[0] > k:\n        z = y\n    else:\n        y = z\nz[:] = 1\nreturn z.sum()',
      ),
    null,
  ],
  [
    'a chain of 3,000 classes',
    `class A0:\n    pass\n${lines(3_000, (k) => `class A${k + 1}(A${k}):\n    pass\n`)}${expression('A3000().a + x[0]')}`,
    TOO_LARGE,
  ],
  [
    'a lattice of classes',
    `class A0:\n    pass\nclass B0(A0):\n    pass\n${lines(60, (k) => `class A${k + 1}(B${k}, A${k}):\n    pass\nclass B${k + 1}(A${k + 1}):\n    pass\n`)}${expression('B60().a + x[0]')}`,
    /every evaluation raises/,
  ],
  ['7,000 cases', body(`match x[0]:\n${'    case 1:\n        pass\n'.repeat(7_000)}return 1`), null],
  ['40,000 arguments', expression(`max(${'x[0], '.repeat(40_000)}1)`), null],
  ['9,000 functions', lines(9_000, (k) => `def g${k}(x):\n  return x[0]\n`), null],
];

function nestedLoops(depth: number): string {
  const heads = lines(depth, (k) => `${' '.repeat(k)}while v > ${k}:\n`);
  return `v = x[0]\n${heads}${' '.repeat(depth)}v -= 1\nreturn v`;
}

function nestedTries(depth: number): string {
  const heads = lines(depth, (k) => `${' '.repeat(k)}try:\n`);
  const handlers = lines(depth, (k) => {
    const indent = ' '.repeat(depth - 1 - k);
    return `${indent}except ZeroDivisionError:\n${indent} v = 1 / (v - ${k})\n`;
  });
  return `v = x[0]\n${heads}${' '.repeat(depth)}v = 1 / v\n${handlers}return v`;
}

const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
import(workerData).then(({ analyzeUpload }) => {
  parentPort.on('message', (code) => {
    const { errors, reasons, compiled } = analyzeUpload(code, 'f');
    parentPort.postMessage(compiled ? null : [...errors, ...reasons][0]);
  });
});
`;

describe('hostile sources', () => {
  let thread: Worker;
  beforeAll(() => {
    thread = new Worker(THREAD, {
      eval: true,
      workerData: pathToFileURL(distEntry('frontend/compile')).href,
      resourceLimits: { maxOldGenerationSizeMb: 300 },
    });
  });
  afterAll(async () => {
    await thread.terminate();
  });

  test.each(HOSTILE)(
    '%s',
    async (_, code, reason) => {
      expect(Buffer.byteLength(code)).toBeLessThanOrEqual(256 * 1024);
      thread.postMessage(code);
      // Rejects when the thread dies.
      const [answer] = (await once(thread, 'message')) as [{ message: string; line: number } | null];
      if (reason === null) expect(answer).toBeNull();
      else {
        expect(answer?.message).toMatch(reason);
        expect(answer?.line).toBeGreaterThan(0);
      }
    },
    60_000,
  );
});
