/** Several processes on one batch: only for objectives that keep no state, and without any effect on the results. */
import { execFileSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { createOutput } from '../../src/backends/backend.js';
import { pythonFile } from '../../src/backends/cpython/interpreter.js';
import { interpreter, makeBackend, objective, skipWithoutSandbox } from './support.js';

const STATELESS: readonly string[] = [
  'def f(x): return sum(x)',
  'lambda x: x[0]',
  'import numpy as np\nA = np.array([1, 2, 3.0])\ndef f(x):\n    t = 0.0\n    for i in range(3):\n        t += A[i] * x[i]\n    return t',
  'import numpy as np\ndef f(x):\n    y = np.zeros(4)\n    y[1:] = x\n    y += 1\n    return y.sum()',
  'from scipy.integrate import odeint\nT = [0, 1, 2]\ndef g(y, t, a): return -a * y\ndef f(x):\n    out = []\n    for v in odeint(g, 1.0, T, args=(x[0],)):\n        out.append(v)\n    return out[-1]',
  'class P:\n    def __init__(self, n):\n        self.n = n\n    def __call__(self, x):\n        return sum(x) * self.n\nf = P(3)',
  'def f(x):\n    x[0] = 3\n    grid = [[0] * 3 for _ in range(3)]\n    grid[1][2] = 4\n    return x[0] + grid[1][2]',
];

const counter = 'c = [0]\ndef f(x):\n';
const nested = 'c = [[0]]\ndef f(x):\n';
const array = 'import numpy as np\nc = np.zeros(1)\ndef f(x):\n';
const STATEFUL: readonly string[] = [
  'n = 0\ndef f(x):\n    global n\n    n += 1\n    return n',
  'def make():\n    n = 0\n    def f(x):\n        nonlocal n\n        n += 1\n        return n\n    return f\nf = make()',
  'def make():\n    n = [0]\n    def f(x):\n        n[0] += 1\n        return n[0]\n    return f\nf = make()',
  'def f(x):\n    f.n = getattr(f, "n", 0) + 1\n    return f.n',
  'def f(x, c=[]):\n    c.append(1)\n    return len(c)',
  'class P:\n    def __init__(self): self.n = 0\n    def f(self, x):\n        self.n += 1\n        return self.n\nf = P().f',
  'class A:\n    n = 0\ndef f(x):\n    A.n = A.n + 1\n    return A.n',
  'import random\nrandom.seed(1)\ndef f(x): return random.random()',
  'import numpy as np\ndef f(x): return np.random.rand()',
  'from numpy.random import default_rng\nr = default_rng(0)\ndef f(x): return r.normal()',
  'import time\ndef f(x): return time.time()',
  'it = iter([1, 2])\ndef f(x): return next(it)',
  'g = (i for i in range(100))\ndef f(x):\n    for v in g: return v',
  'import itertools\nc = itertools.count()\ndef f(x):\n    for i in c: return i',
  'def g(c):\n    c[0] += 1\n    return c[0]\nC = [0]\ndef f(x): return g(C)',
  'import heapq\nC = []\ndef f(x):\n    heapq.heappush(C, 1)\n    return len(C)',
  'C = []\ng = C.append\ndef f(x):\n    g(1)\n    return len(C)',
  'C = []\ndef f(x):\n    list(map(C.append, [1]))\n    return len(C)',
  `${counter}    c[0] += 1\n    return c[0]`,
  `${counter}    c.append(1)\n    return len(c)`,
  `${counter}    d = c\n    d[0] += 1\n    return d[0]`,
  `${counter}    d = x and c\n    d += [1]\n    return len(d)`,
  `${nested}    for d in c: d[0] += 1\n    return c[0][0]`,
  `${nested}    d = list(c)\n    d[0][0] += 1\n    return d[0][0]`,
  `${nested}    d = [c[0]]\n    d[0][0] += 1\n    return d[0][0]`,
  `${nested}    d = c + []\n    d[0][0] += 1\n    return d[0][0]`,
  `${nested}    d = [e for e in c]\n    d[0][0] += 1\n    return d[0][0]`,
  `${array}    np.add(c, 1, out=c)\n    return c[0]`,
  `${array}    np.copyto(c, c + 1)\n    return c[0]`,
  `${array}    d = np.asarray(c)\n    d[0] += 1\n    return d[0]`,
  'import numpy as np\nc = np.zeros(1)\ndef g(c):\n    c += 1\n    return c[0]\ndef f(x): return g(c)',
];

describe('that calls are free of each other', () => {
  skipWithoutSandbox();
  const judge = (sources: readonly string[]): readonly boolean[] => {
    const script = `import ast, json, sys\nexec(open(sys.argv[1]).read())\nprint(json.dumps([keeps_no_state(ast.parse(s), 'f') for s in json.load(sys.stdin)]))`;
    const executable = interpreter.available ? interpreter.executable : '';
    const output = execFileSync(executable, ['-c', script, pythonFile('stateless.py')], {
      input: JSON.stringify(sources),
    });
    return JSON.parse(output.toString()) as boolean[];
  };

  it('is seen where nothing outlives a call', () => {
    expect(judge(STATELESS)).toEqual(STATELESS.map(() => true));
  });

  it('is never claimed of a source that keeps something', () => {
    const verdicts = judge(STATEFUL);
    expect(STATEFUL.filter((_source, index) => verdicts[index])).toEqual([]);
  });
});

describe('several processes', () => {
  skipWithoutSandbox();
  const single = makeBackend({ processesPerRun: 1, spares: 0, evaluationTimeoutMs: 1_500 });
  const several = makeBackend({ processesPerRun: 3, spares: 0, evaluationTimeoutMs: 1_500 });
  afterAll(() => Promise.all([single.close(), several.close()]));

  const COUNT = 48;
  const SLOW = 'def f(x):\n    t = 0.0\n    for i in range(20000): t += i * x[0]\n    return t / 1e6';
  const rows = (from: number): Float64Array => Float64Array.from({ length: COUNT }, (_, row) => from + row);

  /**
   * Answers and failures of some batches, after others until `wanted` processes are there; how many were there in the
   * end.
   */
  async function batches(backend: typeof single, code: string, froms: readonly number[], wanted = 1) {
    const kernel = await backend.open(objective(code));
    while (backend.counts().busy < wanted) {
      await kernel.evaluate({ candidates: rows(0), count: COUNT, dimension: 1 }, createOutput(COUNT));
    }
    const found = [];
    for (const from of froms) {
      const output = createOutput(COUNT);
      await kernel.evaluate({ candidates: rows(from), count: COUNT, dimension: 1 }, output);
      found.push({ values: Array.from(output.values), failures: output.failures.map((failure) => ({ ...failure })) });
    }
    const { busy } = backend.counts();
    await kernel.close();
    return { found, busy };
  }

  it('share the batches of a slow objective once that pays, with the same answers', { timeout: 60_000 }, async () => {
    const froms = Array.from({ length: 12 }, (_, round) => round * 100);
    const [one, more] = [await batches(single, SLOW, froms), await batches(several, SLOW, froms, 3)];
    expect([one.busy, more.busy]).toEqual([1, 3]);
    expect(more.found).toEqual(one.found);
    expect(more.found[1].values[3]).toBe((199990000 * 103) / 1e6);
  });

  it('leave an objective alone that counts its calls', async () => {
    const { found, busy } = await batches(
      several,
      `calls = [0]\n${SLOW.replace('    return', '    calls[0] += 1\n    return calls[0] +')}`,
      Array.from({ length: 12 }, () => 0),
    );
    expect(busy).toBe(1);
    expect(found.at(-1)!.values[5]).toBe(11 * COUNT + 6 + (199990000 * 5) / 1e6);
  });

  it('that are lost on the way cost the same candidates as one process that is lost', { timeout: 60_000 }, async () => {
    const code = SLOW.replace(
      '    t = 0.0',
      '    import math\n    if x[0] in (1003, 1029): math.factorial(10**8)\n    if x[0] == 1017: raise ValueError("no")\n    t = 0.0',
    );
    const froms = [...Array.from({ length: 12 }, (_, round) => round * 50), 1000];
    const [one, more] = [await batches(single, code, froms), await batches(several, code, froms, 3)];
    expect(more.found).toEqual(one.found);
    expect(more.found.at(-1)!.failures.map(({ index, type }) => [index, type])).toEqual([
      [3, 'TimeLimit'],
      [17, 'ValueError'],
      [29, 'TimeLimit'],
    ]);
  });

  it(
    'give up a batch like one process, after three losses without a success in between',
    { timeout: 60_000 },
    async () => {
      const code = SLOW.replace('    t = 0.0', '    while 1010 <= x[0] <= 1012: pass\n    t = 0.0');
      const froms = [...Array.from({ length: 12 }, (_, round) => round * 50), 1000];
      const [one, more] = [await batches(single, code, froms), await batches(several, code, froms, 3)];
      expect(more.found).toEqual(one.found);
      expect(more.found.at(-1)!.failures).toHaveLength(COUNT - 10);
    },
  );
});
