import { describe, expect, test } from 'vitest';
import { interpret } from '../ir/interpreter.js';
import { printIr } from '../ir/printer.js';
import { LaneStatus } from '../ir/types.js';
import { interpreterFacts } from '../../test/support/interpreter-facts.js';
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
      'import scipy.special\ndef f(x):\n    return scipy.special.zeta(x[0])\n',
      'unsupported 3:12 scipy.special.zeta is not translated: it is none of the functions of scipy.special that are compiled',
    ],
    [
      'from scipy.special import zeta\ndef f(x):\n    return zeta(x[0])\n',
      'unsupported 3:12 scipy.special.zeta is not translated: it is none of the functions of scipy.special that are compiled',
    ],
    [
      'import numpy as np\ndef f(x):\n    return np.random.rand()\n',
      'unsupported 3:12 random numbers without a seed: the same x would give other results',
    ],
    [
      'calls = []\ndef f(x):\n    calls.append(1)\n    return calls[0]\n',
      'unsupported 4:12 this reads what earlier calls have put into it: what the objective returns would depend on earlier calls',
    ],
    [
      'def f(x, seen=[]):\n    seen.append(1)\n    return len(seen)\n',
      'unsupported 3:12 this reads what earlier calls have put into it: what the objective returns would depend on earlier calls',
    ],
    [
      'n = 0\ndef f(x):\n    global n\n    n += 1\n    return n\n',
      'unsupported 5:12 this reads what an earlier call has left: what the objective returns would depend on earlier calls',
    ],
    [
      'def f(x):\n    return [v for v in x if v > 0][1]\n',
      'unsupported 2:12 an item of a list filtered by x other than the first and the last',
    ],
    [
      'def f(x):\n    return 10 ** 20 * x[0]\n',
      'unsupported 2:12 integers beyond 2**53 need exact arithmetic (a float such as 1e20 is compiled)',
    ],
    [
      'def f(x):\n    return x[0] if x[0] > 0 else undefined_name\n',
      "unsupported 2:34 the name 'undefined_name' is not defined in this source",
    ],
    [
      'import numpy as np\nnp.seterr(all="raise")\ndef f(x):\n    return x[0]\n',
      'unsupported 2:1 numpy.seterr is not translated: warnings of NumPy that become exceptions are not followed; with np.errstate(...) is compiled',
    ],
    [
      'def f(x):\n    for i in range(10**9):\n        y = x[0] * i\n    return y\n',
      'limit 2:5 the loops of this function run for too long',
    ],
  ])('%j', (code, reason) => {
    expect(reasons(code)).toEqual([reason]);
  });
  test('a function for another number of dimensions says so', () => {
    expect(reasons('def f(x):\n    a, b, c = x\n    return a\n', 2)[0]).toMatch(/unpacks 3 values, but there are 2/);
    expect(reasons('def f(x):\n    return x[5]\n', 2)[0]).toMatch(/every evaluation raises/);
  });
  test('what may give a number where only CPython can tell is not said to raise', () => {
    for (const body of ['x // 0', 'x[0] % 0.0', 'max(x[0], 10) / 0.0', 'math.nan in (math.nan,)']) {
      const code = `import math\nimport numpy as np\ndef f(x):\n    y = ${body}\n    return 1.0\n`;
      expect(reasons(code)[0], body).toMatch(/^unsupported .*but for those that need CPython/);
    }
  });
  test('a name twice in one assignment is left to CPython, whose versions differ', () => {
    expect(reasons('def f(x):\n    a, a = x[0], 1.0\n    return a\n')[0]).toMatch(/^unsupported 2:5 a name twice/);
  });
  test('what is not translated matters only when the objective uses it', () => {
    const code =
      'import pandas as pd\nimport matplotlib.pyplot as plt\ntable = pd.DataFrame()\nplt.figure()\ndef f(x):\n    return x[0]\n';
    const installed = interpreterFacts({ pandas: ['DataFrame'], 'matplotlib.pyplot': ['figure'] });
    expect(analyzeUpload(code, 'f', { interpreter: installed }).compiled).toBe(true);
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
  test("a division by zero of NumPy's raises nothing that the program could catch: only CPython can tell", () => {
    const guarded = (line: string) =>
      `import numpy as np\ndef f(x):\n    try:\n        ${line}\n    except ArithmeticError:\n        y = 5\n    return y\n`;
    expect(run(guarded('y = 2.0 // np.floor(x[0])'), [0.1]).status).toBe(LaneStatus.Untranslated);
    const either = 'b = x[0] if x[0] < 1 else 0.0; y = (b + 1) * 2 / b';
    expect(run(guarded(either), [2]).status).toBe(LaneStatus.ZeroDivision);
    expect(run(guarded(either), [0.5])).toMatchObject({ status: 0, value: 6 });
  });
  test("truth values that are NumPy's on some lanes only are conditions and numbers, but not negated", () => {
    const code = (expression: string) => `import numpy as np\ndef f(x):\n    return ${expression}\n`;
    const mixed = '(x[0] < x[1] or 1e-3 > 0)';
    expect(run(code(`3.0 if ${mixed} else 2.0`), [1, 0]).value).toBe(3);
    expect(run(code(`${mixed} * 7.5`), [1, 0]).value).toBe(7.5);
    const late = '((x[0] if x[0] > 1 else 2) < 3)';
    expect(run(code(`${late} * 7.5`), [0, 0]).value).toBe(7.5);
    for (const expression of [`-${mixed}`, `${mixed} - (x[0] < 1)`, `round(${mixed})`, `-${late}`]) {
      expect(reasons(code(expression))).toEqual([expect.stringContaining("NumPy's truth value")]);
    }
    const loop = (result: string) =>
      `import numpy as np\ndef f(x):\n    b = 1.5\n    while b < x[0]:\n        b = b + x[1]\n    return ${result}\n`;
    expect(run(loop('(b > 2) * 7.5'), [3, 1]).value).toBe(7.5);
    expect(reasons(loop('-(b > 2)'))).toEqual([expect.stringContaining("NumPy's truth value")]);
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
  test("a sum that begins with NumPy's number or a truth value is compensated by no Python", () => {
    const code = (start: string) =>
      `import numpy as np\ndef f(x):\n    return sum([float(v) for v in x], ${start}) + 0.0\n`;
    for (const [start, first] of [
      ['np.float64(0)', 0],
      ['np.int64(1)', 1],
      ['True', 1],
    ] as const) {
      // The longer one runs in a rolled loop.
      for (const count of [10, 100]) {
        const tenths = new Array<number>(count).fill(0.1);
        const plain = tenths.reduce((total, v) => total + v, first);
        expect(run(code(start), tenths, 11).value).toBe(plain);
        expect(run(code(start), tenths, 12).value).toBe(plain);
      }
    }
    const { source } = analyzeUpload(code('True if x[0] > 1 else 2'), 'f');
    const { reasons: found } = compileObjective(source!, { dimension: 2, pythonMinor: 12 });
    expect(found.map(({ message }) => message)).toEqual([expect.stringContaining('a truth value on some lanes')]);
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

describe('iterators', () => {
  const body = (text: string): string => `def f(x):\n    ${text.replaceAll('\n', '\n    ')}\n`;
  // In Python each of these gives another result than with the items as they were at first.
  test.each([
    [
      'a list that grows in its loop',
      'a = [x[0]]\nfor v in a:\n    if len(a) < 5:\n        a.append(v + 1)\nreturn sum(a)',
    ],
    ['a list that shrinks in its loop', 'y = list(x)\nt = 0\nfor v in y:\n    t += v\n    y.pop()\nreturn t'],
    [
      'a later element changed',
      'y = list(x)\nfor i, v in enumerate(y):\n    if i + 1 < len(y):\n        y[i + 1] += v\nreturn y[-1]',
    ],
    [
      'through zip',
      'y = list(x)\nt = 0\nfor i, (a, b) in enumerate(zip(y, y)):\n    y[-1] += 1\n    t += a * b\nreturn t',
    ],
    ['in reverse', 'y = list(x)\nt = 0\nfor v in reversed(y):\n    y[0] += 1\n    t += v\nreturn t'],
    ['a later element of an array', 'import numpy as np\ny = np.array(x)\nfor v in y:\n    y[-1] += v\nreturn y[-1]'],
    ['a generator used twice', 'g = (v for v in x)\nreturn sum(g) + sum(g)'],
    ['a zip used twice', 'g = zip(x, x)\nt = sum(a * b for a, b in g)\nreturn t + len(list(g))'],
    ['a map used twice', 'g = map(abs, x)\nreturn sum(g) + sum(g)'],
    ['a filtered generator in a variable', 'g = (v for v in x if v > 0)\nreturn sum(g) + sum(g)'],
    ['a variable that a generator reads later', 'k = 2\ng = (v * k for v in x)\nk = 5\nreturn sum(g)'],
    ['a list that a generator reads later', 'y = list(x)\ng = (v for v in y)\ny[0] = 9\nreturn sum(g)'],
    ['a variable that a map reads later', 'k = 2\ng = map(lambda v: v * k, x)\nk = 5\nreturn sum(g)'],
  ])('%s goes to CPython', (_, text) => {
    expect(compile(body(text), 3).ir).toBeNull();
  });
  test('one of the module is used up by the first call', () => {
    expect(compile(`G = zip([1, 2], [3, 4])\n${body('return sum(a * b for a, b in G) + x[0]')}`).ir).toBeNull();
  });
  test.each([
    [
      'elements that have been passed may change',
      'y = list(x)\nfor i, v in enumerate(y):\n    y[i] = 2 * v\nreturn sum(y)',
      15,
    ],
    ['a generator kept in a variable', 't = (v * v for v in x)\nreturn sum(t)', 20.75],
    ['a generator in a loop', 't = 0\nfor v in (2 * u for u in x):\n    t += v\nreturn t', 15],
    ['a zip kept in a variable', 'p = zip(x, x[1:])\nt = 0\nfor a, b in p:\n    t += a * b\nreturn t', 12.5],
    [
      'a zip in every round of a loop',
      't = 0\nfor _ in range(2):\n    p = zip(x, x)\n    t += sum(a * b for a, b in p)\nreturn t',
      41.5,
    ],
    ['reversed, mapped, enumerated', 'return sum(i * v for i, v in enumerate(reversed(list(map(abs, x)))))', 5.5],
    ['nested generators', 'return sum(sum(a * b for b in x) for a in x)', 56.25],
  ])('%s', (_, text, value) => {
    expect(run(body(text), [1.5, 2.5, 3.5]).value).toBe(value);
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
    ['a text that doubles', `def f(x):\n    a = 'x'\n${'    a = a + a\n'.repeat(28)}    return len(a) + x[0]\n`],
    [
      'an outer product',
      'import numpy as np\nA = np.ones(200000)\nB = np.outer(A, A)\ndef f(x):\n    return B[0, 0]\n',
    ],
    ['broadcasting', 'import numpy as np\nA = np.ones(300000)\ndef f(x):\n    return (A[:, None] * A).sum() * x[0]\n'],
    [
      'many views',
      'import numpy as np\nA = np.ones(30000)\ndef f(x):\n    b = []\n    for i in range(90000):\n        b.append(A[::-1])\n    return x[0]\n',
    ],
    [
      'insertion at the front',
      'def f(x):\n    a = []\n    for i in range(300000):\n        a.insert(0, i)\n    return x[0]\n',
    ],
    [
      'a list that grows in a branch',
      'def f(x):\n    a = []\n    if x[0] > 0:\n        for i in range(300000):\n            a.append(i)\n    return len(a)\n',
    ],
    [
      'negative sizes do not pay for work',
      'import numpy as np\nA = np.linspace(0, 1, -10**9)\ndef f(x):\n    return sum(range(10**7)) + x[0]\n',
    ],
    [
      'thousands of early returns',
      `def f(x):\n${Array.from({ length: 3000 }, (_, k) => `    if x[0] > ${k}:\n        return ${k}\n`).join('')}    return 2\n`,
    ],
    ['a name of the prototype', 'def f(x):\n    return constructor(x[0]) + __proto__\n'],
    ['a member of the prototype', 'import math\ndef f(x):\n    return math.constructor(x[0])\n'],
  ])('%s', (_, code) => {
    const { errors, reasons: why, compiled } = analyzeUpload(code, 'f');
    expect(compiled).toBe(false);
    expect(errors.length + why.length).toBeGreaterThan(0);
  });
  test('negative sizes raise as in NumPy', () => {
    for (const made of ['np.eye(-3)', 'np.linspace(0, 1, -5)', 'np.zeros(-1)', 'np.repeat(x, -1)', 'np.tile(x, -2)']) {
      const [why] = reasons(`import numpy as np\ndef f(x):\n    return ${made}.sum() + x[0]\n`);
      expect(why, made).toMatch(/every evaluation raises an exception here/);
    }
  });
  test('choosing more than there are has no ways', () => {
    expect(run('import math\ndef f(x):\n    return math.comb(900, 10**12) + x[0]\n', [0.5]).value).toBe(0.5);
  });
  test('a long chain of additions compiles', () => {
    const code = `def f(x):\n    return ${new Array<string>(800).fill('x[0]').join(' + ')}\n`;
    expect(run(code, [0.5]).value).toBe(400);
  });
});

describe('one source for several dimensions', () => {
  test('a module that is loaded once gives the program of a fresh one', () => {
    const code =
      'import numpy as np\nfrom math import sin\nA = np.cos(np.arange(9.0)).reshape(3, 3)\nclass K:\n    def __init__(self): self.w = [1.0, 2.0]\n' +
      '    def __call__(self, v): return sum(w * sin(v) for w in self.w)\nk = K()\ndef f(x):\n    d = len(x)\n    return x @ A[:d, :d] @ x + k(x[0])\n';
    const text = (dimension: number, source: string): string => printIr(compile(source, dimension).ir!);
    const again = [1, 2, 3, 2].map((d) => text(d, code));
    const fresh = [1, 2, 3, 2].map((d, j) => text(d, `${code}#${j}`));
    expect(again).toEqual(fresh);
  });
  test('what a call may not change stays as the module made it', () => {
    const code = 'c = [1.0, 2.0]\ndef f(x):\n    if len(x) == 2:\n        c.append(x[0])\n    return sum(c) * x[0]\n';
    expect(compile(code, 1).ir).not.toBeNull();
    expect(compile(code, 2).ir).toBeNull();
    expect(run(code, [2]).value).toBe(6);
  });
});

describe('angles', () => {
  const code = 'import math\ndef f(x):\n    return math.sin(x[0]) + math.cos(x[0] * 2)\n';

  test('of any size have a value, and only an infinity raises', () => {
    // CPython 3.11.2: math.sin(1e22) + math.cos(2e22)
    expect(run(code, [1e22])).toMatchObject({
      status: LaneStatus.Ok,
      value: expect.closeTo(-1.3046934264550263, 14) as number,
    });
    expect(run(code, [Infinity]).status).toBe(LaneStatus.MathDomain);
  });

  test('of a Weierstrass function with 12 terms are compiled', () => {
    const series = 'sum(0.5 ** k * math.cos(2 * math.pi * 3 ** k * (v + 0.5)) for k in range(13))';
    const { status, value } = run(`import math\ndef f(x):\n    return sum(${series} for v in x)\n`, [0.25, -3.5]);
    expect(status).toBe(LaneStatus.Ok);
    // CPython 3.11.2
    expect(value).toBeCloseTo(1.9997558593749407, 9);
  });

  test('are known to be quick to reduce where the bounds say so', () => {
    const { source } = analyzeUpload(code, 'f');
    const within = (limit: number): string => {
      const bounds = { lower: new Float64Array(1).fill(-limit), upper: new Float64Array(1).fill(limit) };
      return printIr(compileObjective(source!, { dimension: 1, pythonMinor: 11, bounds }).ir!);
    };
    expect(within(10)).toMatch(/= sin v\d+ quick line 3[^]*= cos v\d+ quick line 3/);
    expect(within(3e5)).toMatch(/= sin v\d+ quick line 3[^]*= cos v\d+ line 3/);
    expect(within(1e6)).not.toContain('quick');
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

test.each([
  ['quotes of the literal in its fields', `f"{d["a"]}"`],
  ['a backslash in a field', String.raw`f"{'' + '\n'}"`],
  ['a line end in a field', 'f"{1 +\n 2}"'],
  ['a literal in a literal in a literal', `f"{f'{f"{1}"}'}"`],
])('%s: from Python 3.12 on', (_, literal) => {
  const { source } = analyzeUpload(`def f(x):\n    d = {"a": 1.0}\n    s = ${literal}\n    return x[0]\n`, 'f');
  const compiled = (pythonMinor: number) => compileObjective(source!, { dimension: 1, pythonMinor });
  expect(compiled(11).reasons[0]?.message).toMatch(/written for Python 3\.12/);
  expect(compiled(12).ir).not.toBeNull();
});

test('what older Pythons refuse is not compiled for them', () => {
  const compiled = (body: string, pythonMinor: number) =>
    compileObjective(analyzeUpload(body, 'f').source!, { dimension: 1, pythonMinor }).ir !== null;
  const matching = 'def f(x):\n    match x[0] > 0:\n        case True:\n            return 1.0\n    return 2.0\n';
  expect([9, 10].map((minor) => compiled(matching, minor))).toEqual([false, true]);
  const generic = 'def f(x):\n    def g[T](a: T) -> T:\n        return a\n    return g(x[0])\n';
  expect([11, 12].map((minor) => compiled(generic, minor))).toEqual([false, true]);
  expect(compiled('def f(x):\n    d = {"a": 1}\n    s = f"{d[\'a\']} {x[0]:{3}}"\n    return x[0]\n', 9)).toBe(true);
});

test('a class that decides over its attributes is refused by name', () => {
  const code = 'class C:\n    def __getattr__(self, name):\n        return 7.0\ndef f(x):\n    return C().k + x[0]\n';
  const { ir, reasons } = compileObjective(analyzeUpload(code, 'f').source!, { dimension: 1, pythonMinor: 11 });
  expect(ir).toBeNull();
  expect(reasons[0].message).toMatch(/a class with __getattr__/);
});
