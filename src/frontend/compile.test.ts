import { describe, expect, test } from 'vitest';
import { interpret } from '../ir/interpreter.js';
import { printIr } from '../ir/printer.js';
import { LaneStatus } from '../ir/types.js';
import { analyzeUpload, compileObjective } from './compile.js';

const compile = (code: string, dimension = 2, name = 'f') => {
  const { source, errors } = analyzeUpload(code, name);
  if (source === null) throw new Error(JSON.stringify(errors));
  return compileObjective(source, { dimension, pythonMinor: 11 });
};

const refusal = (code: string, name = 'f') => {
  const { errors } = analyzeUpload(code, name);
  return errors.map((e) => `${e.kind} ${e.line}:${e.column} ${e.message}`);
};

const reasons = (code: string, dimension = 2) =>
  compile(code, dimension).reasons.map((r) => `${r.kind} ${r.line}:${r.column} ${r.message}`);

const run = (code: string, x: number[], minor = 11) => {
  const { source } = analyzeUpload(code, 'f');
  const { ir } = compileObjective(source!, { dimension: x.length, pythonMinor: minor });
  return interpret(ir!, x);
};

describe('which function is the objective', () => {
  const two = (a: string, b: string): string => `def ${a}(x):\n    return 1\ndef ${b}(x):\n    return 2\n`;
  const value = (code: string, name: string): number => {
    const { ir } = compile(code, 1, name);
    return interpret(ir!, [0]).value;
  };
  test('the one that is named like the upload, also in snake case', () => {
    expect(value(two('sphere', 'other'), 'sphere')).toBe(1);
    expect(value(two('my_cost', 'other'), 'My Cost')).toBe(1);
    expect(value(two('my_cost', 'other'), 'myCost')).toBe(1);
  });
  test('else f, else objective, else the last one', () => {
    expect(value(two('f', 'other'), 'upload')).toBe(1);
    expect(value(two('objective', 'other'), 'upload')).toBe(1);
    expect(value(two('first', 'second'), 'upload')).toBe(2);
  });
  test('a helper with more arguments behind the objective is passed over', () => {
    expect(value('def cost(x):\n    return 3\ndef plot(a, b):\n    return 4\n', 'upload')).toBe(3);
  });
  test('a lambda with a name counts', () => {
    expect(value('g = lambda x: 5\n', 'upload')).toBe(5);
  });
});

describe('refused uploads', () => {
  test('no function', () => {
    expect(refusal('a = 1\n')).toEqual([
      'objective 1:1 the source defines no function; write f(x) and return a number',
    ]);
    expect(refusal('')).toEqual(['objective 1:1 the source defines no function; write f(x) and return a number']);
    expect(refusal('1 + 2')).toEqual([
      'objective 1:1 the source defines no function, and as an expression it does not mention x',
    ]);
  });
  test('wrong arity', () => {
    expect(refusal('import math\n\ndef f():\n    return 1\n')).toEqual([
      'objective 3:1 the objective f() takes no argument; it is called with one argument, x',
    ]);
    expect(refusal('def f(x, y):\n    return x\n')).toEqual([
      'objective 1:1 the objective f() needs 2 arguments; it is called with one argument, x',
    ]);
    expect(refusal('def f(x, *, scale):\n    return x\n')).toEqual([
      "objective 1:1 the objective f() needs the keyword argument 'scale'; it is called with one argument, x",
    ]);
  });
  test('syntax errors, with their place', () => {
    expect(refusal('def f(x)\n    return x\n')).toEqual(["syntax 1:9 expected ':'"]);
  });
});

describe('what x is', () => {
  const argument = (code: string) => analyzeUpload(code, 'f').source?.argument;
  test('an array where NumPy is imported, also inside the function', () => {
    expect(argument('import numpy as np\ndef f(x):\n    return x[0]\n')).toBe('ndarray');
    expect(argument('def f(x):\n    from numpy import sin\n    return sin(x[0])\n')).toBe('ndarray');
  });
  test('an array where it is used like one', () => {
    expect(argument('def f(x):\n    return (x ** 2).sum()\n')).toBe('ndarray');
    expect(argument('def f(v):\n    return v.sum()\n')).toBe('ndarray');
    expect(argument('(x - 1) @ (x - 1)')).toBe('ndarray');
  });
  test('else a list', () => {
    expect(argument('def f(x):\n    return sum(v * v for v in x)\n')).toBe('list');
    expect(argument('def f(x):\n    y = x * 2\n    return y[0]\n')).toBe('list');
  });
});

describe('reasons for CPython', () => {
  test.each([
    [
      'import scipy.special\ndef f(x):\n    return scipy.special.gamma(x[0])\n',
      'unsupported 3:12 scipy.special is not translated',
    ],
    [
      'from scipy.special import gamma\ndef f(x):\n    return gamma(x[0])\n',
      'unsupported 3:12 scipy.special.gamma is not translated',
    ],
    ['import numpy as np\ndef f(x):\n    return np.random.rand()\n', 'unsupported 3:12 numpy.random is not translated'],
    [
      'calls = []\ndef f(x):\n    calls.append(1)\n    return x[0]\n',
      'unsupported 3:5 this changes an object that lasts from call to call',
    ],
    [
      'def f(x, seen=[]):\n    seen.append(1)\n    return x[0]\n',
      'unsupported 2:5 this changes an object that lasts from call to call',
    ],
    [
      'n = 0\ndef f(x):\n    global n\n    n += 1\n    return x[0]\n',
      "unsupported 3:5 'global' carries state from call to call",
    ],
    [
      'def f(x):\n    return [v for v in x if v > 0][0]\n',
      'unsupported 2:12 indexing list of a length that depends on x',
    ],
    ['def f(x):\n    return 10 ** 20 * x[0]\n', 'unsupported 2:12 integers beyond 2**53 need exact arithmetic'],
    [
      'def f(x):\n    return x[0] if x[0] > 0 else undefined_name\n',
      "unsupported 2:34 the name 'undefined_name' is not defined or not translated",
    ],
    [
      'import numpy as np\nnp.seterr(all="raise")\ndef f(x):\n    return x[0]\n',
      'unsupported 2:1 numpy.seterr is not translated',
    ],
    [
      'def f(x):\n    for i in range(10**7):\n        pass\n    return x[0]\n',
      'limit 2:14 the function is too large to unroll',
    ],
  ])('%j', (code, reason) => {
    expect(reasons(code)).toEqual([reason]);
  });
  test('a function for another number of dimensions says so', () => {
    expect(reasons('def f(x):\n    a, b, c = x\n    return a\n', 2)[0]).toMatch(/unpacks 3 values, but there are 2/);
    expect(reasons('def f(x):\n    return x[5]\n', 2)[0]).toMatch(/every evaluation raises/);
  });
  test('what is not translated matters only when the objective uses it', () => {
    const code =
      'import pandas as pd\nimport matplotlib.pyplot as plt\ntable = pd.DataFrame()\nplt.figure()\ndef f(x):\n    return x[0]\n';
    expect(analyzeUpload(code, 'f').compiled).toBe(true);
  });
  test('an upload is tried for the dimension that its source suggests', () => {
    expect(analyzeUpload('def f(x):\n    a, b, c, d = x\n    return a + d\n', 'f').compiled).toBe(true);
    expect(analyzeUpload('def f(x):\n    return x[0] + x[6]\n', 'f').compiled).toBe(true);
  });
});

describe('semantics', () => {
  test('division by zero flags floats and gives an infinity with NumPy', () => {
    expect(run('def f(x):\n    return 1 / x[0]\n', [0])).toMatchObject({ status: LaneStatus.ZeroDivision, line: 2 });
    expect(run('import numpy as np\ndef f(x):\n    return 1 / x[0]\n', [0])).toMatchObject({
      status: 0,
      value: Infinity,
    });
  });
  test('a side that is not taken raises nothing', () => {
    const code = 'def f(x):\n    return 1 / x[0] if x[0] != 0 else 7\n';
    expect(run(code, [0])).toMatchObject({ status: 0, value: 7 });
    expect(run('def f(x):\n    return (x[0] == 0 or 1 / x[0] > 1) + 0.5\n', [0])).toMatchObject({
      status: 0,
      value: 1.5,
    });
  });
  test('sums of floats are compensated from Python 3.12 on', () => {
    const code = 'def f(x):\n    return sum(x)\n';
    const tenths = new Array<number>(10).fill(0.1);
    expect(run(code, tenths, 11).value).toBe(0.9999999999999999);
    expect(run(code, tenths, 12).value).toBe(1);
  });
  test('a one-element list, tuple or array counts as its number', () => {
    expect(run('def f(x):\n    return x[0],\n', [3]).value).toBe(3);
    expect(run('def f(x):\n    return [x[0]]\n', [3]).value).toBe(3);
    expect(run('import numpy as np\ndef f(x):\n    return x[:1] * 2\n', [3]).value).toBe(6);
    expect(run('def f(x):\n    return x[0] > 2\n', [3]).value).toBe(1);
  });
  test('a path that returns nothing is flagged', () => {
    expect(run('def f(x):\n    if x[0] > 0:\n        return 1.0\n', [-1]).status).toBe(LaneStatus.Raised);
    expect(run('def f(x):\n    if x[0] > 0:\n        return 1.0\n', [1])).toMatchObject({ status: 0, value: 1 });
  });
  test('the candidate is not changed by the objective', () => {
    const x = [1, 2];
    expect(run('def f(x):\n    x[0] = 5\n    return x[0] + x[1]\n', x).value).toBe(7);
    expect(x).toEqual([1, 2]);
  });
  test('an endless loop runs out of fuel', () => {
    const code = 'def f(x):\n    t = 0\n    while x[0] > 0:\n        t += 1\n    return t\n';
    expect(run(code, [1]).status).toBe(LaneStatus.FuelExhausted);
    expect(run(code, [-1])).toMatchObject({ status: 0, value: 0 });
  });
});

describe('hostile sources end in a diagnostic', () => {
  const nest = (open: string, inner: string, close: string, n: number): string =>
    open.repeat(n) + inner + close.repeat(n);
  test.each([
    ['deep brackets', `def f(x):\n    return ${nest('(', 'x[0]', ')', 5000)}\n`],
    ['deep recursion', 'def g(n):\n    return g(n + 1)\ndef f(x):\n    return g(0)\n'],
    [
      'mutual recursion that depends on x',
      'def g(v):\n    return 0 if v > 9 else h(v)\ndef h(v):\n    return g(v + 1)\ndef f(x):\n    return g(x[0])\n',
    ],
    ['a huge range', 'def f(x):\n    return sum(range(10**15))\n'],
    ['a huge array', 'import numpy as np\nA = np.zeros((10**5, 10**5))\ndef f(x):\n    return A[0, 0]\n'],
    ['a huge repetition', 'def f(x):\n    return ([0] * 10**12)[0]\n'],
    ['a huge power', 'def f(x):\n    return 10**10**8\n'],
    ['an endless static loop', 'def f(x):\n    while True:\n        pass\n'],
    ['exponential doubling', `def f(x):\n    a = [1, 1]\n${'    a = a + a\n'.repeat(60)}    return a[0]\n`],
    ['a name of the prototype', 'def f(x):\n    return constructor(x[0]) + __proto__\n'],
    ['a member of the prototype', 'import math\ndef f(x):\n    return math.constructor(x[0])\n'],
  ])('%s', (_, code) => {
    const { errors, reasons: why, compiled } = analyzeUpload(code, 'f');
    expect(compiled).toBe(false);
    expect(errors.length + why.length).toBeGreaterThan(0);
  });
  test('a long chain of additions compiles', () => {
    const code = `def f(x):\n    return ${new Array<string>(800).fill('x[0]').join(' + ')}\n`;
    expect(run(code, [0.5]).value).toBe(400);
  });
});

describe('golden IR', () => {
  const sources: Record<string, [number, string]> = {
    rosenbrock: [3, 'def f(x):\n    return sum(100*(x[i+1]-x[i]**2)**2+(1-x[i])**2 for i in range(len(x)-1))\n'],
    rastrigin: [2, 'import numpy as np\ndef f(x):\n    return 10*len(x)+np.sum(x**2-10*np.cos(2*np.pi*x))\n'],
    'penalty-branch': [
      2,
      'def f(x):\n    p = 0.0\n    if x[0] + x[1] < 1:\n        p = 1 / x[0]\n    return x[0] + p\n',
    ],
    'while-loop': [
      1,
      'def f(x):\n    a = x[0]\n    n = 0\n    while a > 1:\n        a = a / 2\n        n += 1\n    return a + n\n',
    ],
    'early-return': [1, 'def f(x):\n    if x[0] < 0:\n        return 1e9\n    return x[0]\n'],
  };
  test.each(Object.entries(sources))('%s', async (name, [dimension, code]) => {
    const { ir } = compile(code, dimension);
    await expect(printIr(ir!)).toMatchFileSnapshot(`../../test/golden/ir/${name}.ir`);
  });
});
