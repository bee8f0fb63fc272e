/** What counts as a result, how a source is entered and what it may import. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createOutput } from '../../src/backends/backend.js';
import type { ObjectiveSource } from '../../src/model/objective.js';
import { probePython } from '../../src/backends/cpython/interpreter.js';
import {
  evaluate,
  hasNumpy,
  hasScipy,
  interpreter,
  makeBackend,
  missing,
  objective,
  skipWithoutSandbox,
  withoutNumpy,
  withoutScipy,
  python,
} from './support.js';

const backend = makeBackend({ spares: 1 });
afterAll(() => backend.close());

const inf = Number.POSITIVE_INFINITY;
const NUMBERS: readonly { text: string; value: number; needsNumpy?: boolean }[] = [
  { text: '1.5', value: 1.5 },
  { text: '-0.0', value: -0 },
  { text: '3', value: 3 },
  { text: 'True', value: 1 },
  { text: 'False', value: 0 },
  { text: '2**1000', value: 2 ** 1000 },
  { text: "float('inf')", value: inf },
  { text: "-float('inf')", value: -inf },
  { text: '(7.0,)', value: 7 },
  { text: '[7]', value: 7 },
  { text: '((7.0,),)', value: 7 },
  { text: "__import__('fractions').Fraction(1, 4)", value: 0.25 },
  { text: "__import__('decimal').Decimal('0.5')", value: 0.5 },
  { text: 'np.float64(2.5)', value: 2.5, needsNumpy: true },
  { text: 'np.float32(2.5)', value: 2.5, needsNumpy: true },
  { text: 'np.int64(4)', value: 4, needsNumpy: true },
  { text: 'np.bool_(True)', value: 1, needsNumpy: true },
  { text: 'np.array(3.0)', value: 3, needsNumpy: true },
  { text: 'np.array([3.0])', value: 3, needsNumpy: true },
  { text: 'np.array([[3.0]])', value: 3, needsNumpy: true },
  { text: '(np.array([3.0]),)', value: 3, needsNumpy: true },
];

const NOT_NUMBERS: readonly { text: string; type: string; message: RegExp; needsNumpy?: boolean }[] = [
  { text: 'None', type: 'NonNumericResult', message: /returned None instead of a number \(is a return missing\?\)$/ },
  { text: '1j', type: 'NonNumericResult', message: /returned 1j of type complex instead of a number$/ },
  { text: '(-8.0) ** (1/3)', type: 'NonNumericResult', message: /of type complex/ },
  { text: "'1.5'", type: 'NonNumericResult', message: /returned '1\.5' of type str/ },
  {
    text: '[1.0, 2.0]',
    type: 'NonNumericResult',
    message: /returned a list of 2 elements, not one number; a run with "objectives": 2 /,
  },
  { text: '()', type: 'NonNumericResult', message: /returned a tuple of 0 elements/ },
  { text: '[None]', type: 'NonNumericResult', message: /returned None/ },
  { text: '{}', type: 'NonNumericResult', message: /of type dict/ },
  { text: "float('nan')", type: 'NaNResult', message: /^the objective returned NaN$/ },
  { text: '10**400', type: 'OverflowError', message: /int too large to convert to float/ },
  {
    text: 'np.array([1.0, 2.0])',
    type: 'NonNumericResult',
    message: /an array of shape \(2,\), not one number/,
    needsNumpy: true,
  },
  { text: 'np.zeros((1, 0))', type: 'NonNumericResult', message: /an array of shape \(1, 0\)/, needsNumpy: true },
  { text: 'np.complex64(1)', type: 'NonNumericResult', message: /of type complex/, needsNumpy: true },
  { text: "np.array(['1'])", type: 'NonNumericResult', message: /of type str/, needsNumpy: true },
  { text: 'np.float64("nan")', type: 'NaNResult', message: /NaN/, needsNumpy: true },
  { text: '1 / 0', type: 'ZeroDivisionError', message: /^division by zero$/ },
  { text: 'x[1]', type: 'IndexError', message: /^list index out of range$/ },
];

const kept = <T extends { needsNumpy?: boolean }>(rows: readonly T[]): readonly T[] =>
  rows.filter(({ needsNumpy }) => needsNumpy !== true || hasNumpy);

function dispatcher(texts: readonly string[]): string {
  const numpy = hasNumpy ? 'import numpy as np\n' : '';
  const lines = texts.map((text) => `    lambda x: ${text},`);
  return `${numpy}import fractions, decimal\nresults = [\n${lines.join('\n')}\n]\ndef f(x):\n    return results[int(x[0])](x)\n`;
}

describe('a returned', () => {
  skipWithoutSandbox();
  const numbers = kept(NUMBERS);
  it('number is the value, whatever its type', async () => {
    const output = await evaluate(
      backend,
      dispatcher(numbers.map(({ text }) => text)),
      numbers.map((_, row) => [row]),
    );
    expect(output.failures).toEqual([]);
    const found = numbers.map(({ text }, row) => ({ text, value: output.values[row] }));
    expect(found).toEqual(numbers.map(({ text, value }) => ({ text, value })));
  });

  it('anything else fails with its reason and line', async () => {
    const cases = kept(NOT_NUMBERS);
    const output = await evaluate(
      backend,
      dispatcher(cases.map(({ text }) => text)),
      cases.map((_, row) => [row]),
    );
    expect(Array.from(output.values)).toEqual(cases.map(() => NaN));
    cases.forEach(({ type, message }, index) =>
      expect(output.failures[index]).toMatchObject({ index, type, message: expect.stringMatching(message) as string }),
    );
    const line =
      dispatcher(cases.map(({ text }) => text))
        .split('\n')
        .findIndex((text) => text.includes('1 / 0')) + 1;
    expect(output.failures.find(({ type }) => type === 'ZeroDivisionError')!.line).toBe(line);
  });
});

const value = async (
  code: string,
  rest: Partial<ObjectiveSource> = {},
  row: readonly number[] = [2],
): Promise<number> => {
  const output = await evaluate(backend, code, [row], rest);
  expect(output.failures).toEqual([]);
  return output.values[0];
};
const failure = async (code: string, rest: Partial<ObjectiveSource> = {}) =>
  (await evaluate(backend, code, [[2]], rest)).failures[0];

describe('a source', () => {
  skipWithoutSandbox();
  it.each([
    { name: 'one function', code: 'def f(x): return x[0] * 10', entry: 'f' },
    { name: 'a lambda with a name', code: 'f = lambda x: x[0] * 10', entry: 'f' },
    {
      name: 'an instance with __call__',
      code: 'class C:\n    def __call__(self, x): return x[0] * 10\nf = C()',
      entry: 'f',
    },
    { name: 'a bound method', code: 'class C:\n    def m(self, x): return x[0] * 10\nf = C().m', entry: 'f' },
    { name: 'only a lambda', code: '\n  lambda x: x[0] * 10\n'.trimStart(), entry: null },
    { name: 'only an expression', code: 'x[0] * 10', entry: null },
    { name: 'an expression over several lines', code: '(\n x[0]\n * 10 # ten\n)', entry: null },
    { name: 'an expression with math', code: 'x[0] * 10 + math.sin(0)', entry: null },
    { name: 'an import before the expression', code: 'import math\nlambda x: x[0] * 10 + math.sin(0)', entry: null },
  ])('may be $name', async ({ code, entry }) => {
    expect(await value(code, { entry })).toBe(20);
  });

  it.each([
    { name: 'a syntax error', code: 'def f(x):\n  return )', message: /^SyntaxError: unmatched '\)' \(line 2\)$/ },
    {
      name: 'no such function',
      code: 'def g(x): return 1',
      message: /^NameError: name 'f' is not defined by the source$/,
    },
    { name: 'an entry that is no function', code: 'f = 3', message: /^TypeError: f is a int, not a function$/ },
    {
      name: 'an error of its module level',
      code: 'y = 1\n\nz = y / 0\ndef f(x): return 1',
      message: /^ZeroDivisionError: division by zero \(line 3\)$/,
    },
    {
      name: 'a missing module',
      code: 'import no_such_module_here\ndef f(x): return 1',
      message: /^ModuleNotFoundError: No module named 'no_such_module_here' \(line 1\)$/,
    },
    {
      name: 'a relative import',
      code: 'from . import x\ndef f(x): return 1',
      message: /^ImportError: attempted relative import.* \(line 1\)$/,
    },
    {
      name: 'ctypes',
      code: 'import ctypes\ndef f(x): return 1',
      message: /^ImportError: ctypes is not available to objectives \(line 1\)$/,
    },
  ])('with $name is rejected, and says where', async ({ code, message }) => {
    await expect(backend.open(objective(code))).rejects.toMatchObject({
      code: 'objective_rejected',
      message: expect.stringMatching(message) as string,
    });
  });

  it('names the deepest line of its own in a failure', async () => {
    const code = 'import statistics\ndef g(v):\n    return statistics.mean(v)\n\ndef f(x):\n    return g([])';
    expect(await failure(code)).toMatchObject({ type: 'StatisticsError', line: 3 });
  });

  it('gets a fresh list of floats for each call', async () => {
    const code =
      'seen = []\ndef f(x):\n    assert type(x) is list and all(type(v) is float for v in x)\n    fresh = all(x is not y for y in seen)\n    seen.append(x)\n    x[0] = 99.0\n    return fresh';
    const output = await evaluate(backend, code, [
      [1, 2],
      [3, 4],
    ]);
    expect(Array.from(output.values)).toEqual([1, 1]);
  });

  it('gets a fresh, writable, contiguous float64 array for each call', async ({ skip }) => {
    skip(!hasNumpy, withoutNumpy);
    const code =
      'import numpy as np\ndef f(x):\n    assert x.dtype == np.float64 and x.flags.writeable and x.flags.c_contiguous and x.flags.owndata\n    total = x.sum()\n    x[:] = 0\n    return total';
    const kernel = await backend.open(objective(code, { argument: 'ndarray', dimension: 2 }));
    const candidates = Float64Array.of(1, 2, 3, 4);
    const output = createOutput(2);
    for (let round = 0; round < 2; round++) {
      await kernel.evaluate({ candidates, count: 2, dimension: 2 }, output);
      expect([Array.from(output.values), output.failures, Array.from(candidates)]).toEqual([[3, 7], [], [1, 2, 3, 4]]);
    }
    await kernel.close();
  });

  it('keeps every bit of its argument and result', async () => {
    const special = [-0, 5e-324, Number.MAX_VALUE, -Number.MAX_VALUE, 0.1, inf, -inf, 1e-300];
    const output = await evaluate(
      backend,
      'def f(x): return x[0]',
      special.map((number) => [number]),
    );
    expect(Array.from(output.values)).toEqual(special);
  });

  it('may import inside its functions, and try modules that are missing', async () => {
    const code =
      'try:\n    import no_such_module_here.part\nexcept ImportError as error:\n    assert "No module named" in str(error), error\ndef f(x):\n    import wave, colorsys as c\n    from xml.dom import minidom\n    return len(c.__name__) + len(wave.__name__) + len(minidom.__name__)';
    expect(await value(code)).toBe(8 + 4 + 15);
  });

  it('does not run what is meant for a main program', async () => {
    expect(await value("def f(x): return 1\nif __name__ == '__main__':\n    raise SystemExit")).toBe(1);
  });

  it('may use data classes with annotations as text', async () => {
    expect(
      await value(
        'from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n    a: float = 4.0\ndef f(x): return P().a',
      ),
    ).toBe(4);
  });

  it('sees the same order of sets and the same seeded numbers in every process', async () => {
    const code =
      'import random\nrandom.seed(7)\nnumber = random.random()\ndef f(x): return hash("extremum") % 1000003 + number';
    expect(await value(code)).toBe(await value(code));
  });

  it('goes on after its memory limit was reached', async () => {
    const output = await evaluate(backend, 'def f(x):\n    return len(bytearray(10 ** int(x[0])))', [[11], [3]]);
    expect(output.failures).toMatchObject([{ index: 0, type: 'MemoryLimit', line: 2 }]);
    expect(output.values[1]).toBe(1000);
  });

  it('may let NumPy warn', async ({ skip }) => {
    skip(!hasNumpy, withoutNumpy);
    expect(await value('import numpy as np\ndef f(x): return np.float64(1) / np.float64(0)')).toBe(inf);
  });

  it.for([
    'from scipy import special\ndef f(x): return special.gamma(x[0] + 3)',
    'import scipy\ndef f(x): return scipy.special.gamma(x[0] + 3)',
    'from scipy.special import gamma\ndef f(x): return gamma(x[0] + 3)',
    'from scipy import integrate\nimport numpy as np\ndef f(x): return round(integrate.quad(lambda t: 12 * t, 0, x[0])[0])',
  ])('may use SciPy: %j', async (code, { skip }) => {
    skip(!hasScipy, withoutScipy);
    expect(await value(code)).toBe(24);
  });
});

describe('an objective in population form', () => {
  skipWithoutSandbox();
  beforeEach((context) => context.skip(!hasNumpy, withoutNumpy));
  const population = (code: string, rows: readonly (readonly number[])[]) =>
    evaluate(backend, `import numpy as np\n${code}`, rows, { argument: 'ndarray', vectorized: true });
  const rows = [
    [1, 2],
    [3, 4],
    [5, 6],
  ];

  it('is called once with all candidates, a fresh float64 array of one row each', async () => {
    const code =
      'calls = 0\ndef f(X):\n    global calls\n    calls += 1\n    assert X.dtype == np.float64 and X.flags.writeable and X.shape == (3, 2)\n    X[:] += 1\n    return X.sum(axis=1) * 10 + calls';
    const output = await population(code, rows);
    expect(output.failures).toEqual([]);
    expect(Array.from(output.values)).toEqual([51, 91, 131]);
  });

  it('may return a list, whole numbers or truth values', async () => {
    for (const [text, values] of [
      ['[row[0] for row in X]', [1, 3, 5]],
      ['np.arange(3)', [0, 1, 2]],
      ['X[:, 0] > 1', [0, 1, 1]],
      ['[2**70, True, 1.5]', [2 ** 70, 1, 1.5]],
    ] as const) {
      expect(Array.from((await population(`def f(X): return ${text}`, rows)).values)).toEqual(values);
    }
  });

  it.each([
    ['np.sum(X)', /^the objective returned shape \(\) for 3 rows; .* shape \(3,\) \(is axis=1 missing\?\)$/],
    ['X.sum(axis=0)', /returned shape \(2,\) for 3 rows/],
    ['X[:, :1]', /returned shape \(3, 1\) for 3 rows/],
    ['None', /None instead of one number per row/],
    ['X[:, 0] * 1j', /an array of complex128, not of numbers/],
    ["['a', 'b', 'c']", /not of numbers/],
  ])('that returns %s fails with what it should have been', async (text, message) => {
    const output = await population(`def f(X): return ${text}`, rows);
    expect(Array.from(output.values)).toEqual([NaN, NaN, NaN]);
    expect(output.failures.map(({ index }) => index)).toEqual([0, 1, 2]);
    for (const failure of output.failures) {
      expect(failure).toMatchObject({ type: 'NonNumericResult', message: expect.stringMatching(message) as string });
    }
  });

  it('that raises for one candidate loses that candidate only', async () => {
    const output = await population(
      'def f(X):\n    if (X[:, 0] == 3).any():\n        raise ValueError("three")\n    return X[:, 0] / np.where(X[:, 0] == 5, np.nan, 1)',
      rows,
    );
    expect(Array.from(output.values)).toEqual([1, NaN, NaN]);
    expect(output.failures).toMatchObject([
      { index: 1, type: 'ValueError', message: 'three', line: 4 },
      { index: 2, type: 'NaNResult' },
    ]);
  });

  it('that ends its process loses the whole call, and the next one works', async () => {
    const kernel = await backend.open(
      objective('import os\nimport numpy as np\ndef f(X):\n    if X[0, 0] < 0: os._exit(1)\n    return X[:, 0]', {
        argument: 'ndarray',
        vectorized: true,
      }),
    );
    const output = createOutput(2);
    await kernel.evaluate({ candidates: Float64Array.of(-1, 1), count: 2, dimension: 1 }, output);
    expect(output.failures.map(({ type }) => type)).toEqual(['ProcessLost', 'ProcessLost']);
    await kernel.evaluate({ candidates: Float64Array.of(2, 1), count: 2, dimension: 1 }, output);
    expect(output.failures).toEqual([]);
    expect(Array.from(output.values)).toEqual([2, 1]);
    await kernel.close();
  });
});

describe('the interpreter', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'extremum-python-'));
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  const script = (name: string, body: string): string => {
    const file = path.join(folder, name);
    fs.writeFileSync(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    return file;
  };
  const old = '{"executable":"/opt/python3.6","version":"3.6.15","implementation":"cpython"}';

  it.each([
    { name: 'switched off', command: () => 'off', reason: /switched off \(PYTHON=off\)/ },
    {
      name: 'missing',
      command: () => '/nowhere/python3',
      reason: /no Python interpreter '\/nowhere\/python3' was found/,
    },
    {
      name: 'no Python',
      command: () => script('not-python', 'echo hello'),
      reason: /is no Python interpreter: it printed 'hello'/,
    },
    {
      name: 'failing',
      command: () => script('failing', 'echo broken >&2; exit 1'),
      reason: /cannot be asked about itself: broken/,
    },
    {
      name: 'too old',
      command: () => script('old', `echo '${old}'`),
      reason: /is Python 3\.6\.15; 3\.8 or newer is needed/,
    },
  ])('that is $name makes the backend unavailable, with the reason', async ({ command, reason }) => {
    const off = makeBackend({ python: command() });
    expect(await off.probe()).toEqual({ available: false, reason: expect.stringMatching(reason) as string });
    await expect(off.open(objective('def f(x): return 1'))).rejects.toMatchObject({ code: 'backend_unavailable' });
    await off.close();
  });

  it('behind a shim script is found', async ({ skip }) => {
    skip(missing !== null, missing ?? '');
    const shim = await probePython(script('shim', `exec ${python} "$@"`));
    expect(shim).toEqual(interpreter);
    expect(shim).toMatchObject({ available: true, minor: Number(shim.available && shim.version.split('.')[1]) });
  });

  it('may be a virtual environment, and one without NumPy rejects what needs it', async ({ skip }) => {
    skip(missing !== null, missing ?? '');
    const environment = path.join(folder, 'venv');
    execFileSync(python, ['-m', 'venv', '--without-pip', environment]);
    const inside = makeBackend({ python: path.join(environment, 'bin/python3') });
    const output = await evaluate(inside, 'import sys\ndef f(x): return sys.prefix != sys.base_prefix');
    expect(output.values[0]).toBe(1);
    await expect(inside.open(objective('def f(x): return x.sum()', { argument: 'ndarray' }))).rejects.toMatchObject({
      code: 'objective_rejected',
      message: expect.stringMatching(
        /interpreter has no NumPy; to install it: .*venv\/bin\/python3 -m pip install numpy$/,
      ) as string,
    });
    await inside.close();
  });

  it('without its launcher or its sandbox is not used', async ({ skip }) => {
    skip(missing !== null, missing ?? '');
    const unbuilt = makeBackend({ launcher: '/nowhere/launcher' });
    expect(await unbuilt.probe()).toMatchObject({
      available: false,
      reason: expect.stringContaining('launcher is not built') as string,
    });
    const refusing = makeBackend({
      launcher: script('launcher', 'echo "seccomp filters are not available" >&2; exit 70'),
    });
    expect(await refusing.probe()).toEqual({
      available: false,
      reason: 'the Python worker cannot start: seccomp filters are not available',
    });
    await Promise.all([unbuilt.close(), refusing.close()]);
  });

  it('and the level of its sandbox are told', async ({ skip }) => {
    skip(missing !== null, missing ?? '');
    const probed = await backend.probe();
    expect(probed).toMatchObject({
      available: true,
      device: expect.stringMatching(/^CPython 3\.\d+\.\d+.*; sandbox landlock=\d+ seccomp=2 uid=\d+$/) as string,
    });
  });
});
