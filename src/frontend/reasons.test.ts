/** Typical uploads that need CPython: what their owners read, with line and column. */
import { describe, expect, test } from 'vitest';
import { interpreterFacts } from '../../test/support/interpreter-facts.js';
import { analyzeUpload } from './compile.js';

const CASES: readonly (readonly [string, string])[] = [
  [
    // A str where it is compiled: that says nothing of what it is elsewhere.
    'def f(x):\n    try:\n        return (x[0] <= 2.5 and "zero" or float)[0]\n    except TypeError:\n        return 4\n',
    'unsupported 3:16 indexing builtin',
  ],
  [
    'import random\ndef f(x):\n    return x[0] + random.random()\n',
    'unsupported 3:19 random numbers without a seed: the same x would give other results',
  ],
  [
    'import numpy as np\ndef f(x):\n    noise = np.random.normal(0, 1)\n    return x[0] + noise\n',
    'unsupported 3:13 random numbers without a seed: the same x would give other results',
  ],
  [
    'import numpy as np\nrng = np.random.default_rng(1)\ndef f(x):\n    return x[0] + rng.normal()\n',
    'unsupported 4:19 numpy.random.default_rng is not translated: NumPy may change its numbers from version to version; RandomState with a seed is compiled (line 2)',
  ],
  [
    'import time\ndef f(x):\n    t = time.time()\n    return x[0] + t\n',
    'unsupported 3:9 time.time is not translated: it reads the clock',
  ],
  [
    'def f(x):\n    with open("out.txt") as h:\n        return float(h.read()) + x[0]\n',
    'unsupported 2:10 open() is not translated: it reaches outside of the function',
  ],
  [
    'import os\ndef f(x):\n    return x[0] * len(os.environ)\n',
    'unsupported 3:23 os.environ is not translated: it reaches outside of the function',
  ],
  [
    'import subprocess\ndef f(x):\n    return float(subprocess.check_output(["sim", str(x[0])]))\n',
    'unsupported 3:18 subprocess.check_output is not translated: it reaches outside of the function',
  ],
  [
    'import pandas as pd\ndata = pd.read_csv("a.csv")\ndef f(x):\n    return (data["y"] * x[0]).sum()\n',
    'unsupported 4:13 pandas.read_csv is not translated: its library is none that is compiled (line 2)',
  ],
  [
    'from sklearn.svm import SVC\ndef f(x):\n    return SVC(C=x[0]).fit([[0]], [0]).score([[0]], [0])\n',
    'unsupported 3:12 sklearn.svm.SVC is not translated: its library is none that is compiled',
  ],
  [
    'import torch\ndef f(x):\n    return torch.tensor(x).sum().item()\n',
    'unsupported 3:12 torch.tensor is not translated: its library is none that is compiled',
  ],
  [
    'from scipy.optimize import minimize\ndef f(x):\n    return minimize(lambda v: v ** 2, x[0]).fun\n',
    'unsupported 3:12 scipy.optimize.minimize is not translated: it iterates in its own code to its own tolerance',
  ],
  [
    'from scipy.integrate import quad\ndef f(x):\n    return quad(lambda t: t * x[0], 0, 1)[0]\n',
    'unsupported 3:12 scipy.integrate.quad is not translated: it iterates in its own code to its own tolerance',
  ],
  [
    'from scipy import stats\ndef f(x):\n    return stats.gamma.pdf(x[0], 2.0)\n',
    'unsupported 3:12 scipy.stats.gamma is not translated: of scipy.stats only norm.pdf, logpdf, cdf and sf, skew and kurtosis are compiled',
  ],
  [
    'from scipy.special import logit\ndef f(x):\n    return logit(x[0])\n',
    'unsupported 3:12 scipy.special.logit is not translated: its rounding near 1/2 differs between versions of SciPy; math.log(p / (1 - p)) is compiled',
  ],
  [
    'import numpy as np\ndef f(x):\n    return np.abs(np.fft.fft(x)).sum()\n',
    'unsupported 3:19 numpy.fft is not translated: it sums in its own order; a sum of x[n] * np.exp(-2j * np.pi * k * n / N) is compiled',
  ],
  [
    'import numpy as np\ndef f(x):\n    return np.linalg.eigvals(np.outer(x, x))[0]\n',
    'unsupported 3:12 numpy.linalg.eigvals is not translated: it iterates in its own code to its own tolerance',
  ],
  [
    'import numpy as np\ndef f(x):\n    return np.linalg.svd(np.outer(x, x))[1][0]\n',
    'unsupported 3:12 numpy.linalg.svd is not translated: it iterates in its own code to its own tolerance',
  ],
  [
    'import numpy as np\ndef f(x):\n    return abs(np.linalg.cholesky(x[0] * np.eye(2) * 1j)[0])\n',
    'unsupported 3:16 numpy.linalg.cholesky() of complex numbers is not translated',
  ],
  [
    'import numpy as np\ndef f(x):\n    z = [1.0, 2.0] if x[0] > 0 else 1j\n    return np.sum([z, z])\n',
    'unsupported 4:12 depending on x this is list or complex',
  ],
  [
    'count = 0\ndef f(x):\n    global count\n    count += 1\n    return x[0] + count\n',
    'unsupported 5:19 this reads what an earlier call has left: what the objective returns would depend on earlier calls',
  ],
  [
    'history = []\ndef f(x):\n    history.append(x[0])\n    return x[0] + len(history)\n',
    'unsupported 4:19 this reads what earlier calls have put into it: what the objective returns would depend on earlier calls',
  ],
  [
    'def f(x, cache={}):\n    cache["last"] = x[0]\n    return len(cache)\n',
    'unsupported 3:12 this reads what earlier calls have put into it: what the objective returns would depend on earlier calls',
  ],
  [
    'def f(x):\n    f.calls += 1\n    return f.calls\nf.calls = 0\n',
    'unsupported 3:12 this reads what an earlier call has left: what the objective returns would depend on earlier calls',
  ],
  [
    'class P:\n    def __init__(self):\n        self.n = 0\n    def __call__(self, x):\n        self.n += 1\n        return x[0] if self.n < 9 else 0\nf = P()\n',
    'unsupported 6:24 this reads what an earlier call has left: what the objective returns would depend on earlier calls',
  ],
  [
    'def f(x):\n    return 2 ** 70 + x[0]\n',
    'unsupported 2:12 integers beyond 2**53 need exact arithmetic (a float such as 1e20 is compiled)',
  ],
  [
    'def f(x):\n    return round(x[0], 2)\n',
    'unsupported 2:12 round() to decimal digits, which needs exact decimal arithmetic (np.round() is compiled)',
  ],
  [
    'def f(x):\n    kept = [v for v in x if v > 0]\n    return kept[1]\n',
    'unsupported 3:12 an item of a list filtered by x other than the first and the last',
  ],
  [
    'def f(x):\n    a = []\n    if x[0] > 0:\n        a.append(1.0)\n    return len(a)\n',
    'unsupported 3:5 a list whose length depends on x (x[x > 0] of an array, and filters in comprehensions, are compiled)',
  ],
  [
    'def f(x):\n    mode = f"{x[0]}"\n    return 1.0 if mode == "a" else 2.0\n',
    'unsupported 3:19 comparing text that depends on x',
  ],
  [
    'def f(x):\n    t = 0\n    for v in {1, 2, 3}:\n        t += v * x[0]\n    return t\n',
    "unsupported 3:14 iterating over a set, whose order is CPython's own (sorted(...) has an order)",
  ],
  ['def f(x):\n    it = iter(x)\n    return next(it) - next(it)\n', 'unsupported 3:23 an iterator that is used twice'],
  [
    'import math\ndef f(x):\n    return math.factorial(int(x[0]))\n',
    'unsupported 3:12 an argument of math.factorial() that depends on x',
  ],
  [
    'import statistics\ndef f(x):\n    return statistics.mean(x)\n',
    'unsupported 3:12 the statistics module adds exact fractions; sum(v) / len(v) or statistics.fmean(v) are compiled',
  ],
  [
    'import heapq\ndef f(x):\n    h = list(x)\n    heapq.heapify(h)\n    return h[0]\n',
    'unsupported 4:5 heapq.heapify is not translated: the order in a heap depends on x',
  ],
  [
    'from decimal import Decimal\ndef f(x):\n    return float(Decimal(x[0]) * 2)\n',
    'unsupported 3:18 decimal.Decimal is not translated: it computes in decimal',
  ],
  [
    'def f(x):\n    return eval("x[0] + 1")\n',
    'unsupported 2:12 eval() is not translated: what it does is known only when it runs',
  ],
  ['def f(x):\n    return x[0] + missing\n', "unsupported 2:19 the name 'missing' is not defined in this source"],
  ['def f(x):\n    return sum(x[k] for k in range(int(x[0])))\n', 'unsupported 2:30 a range bound that depends on x'],
  [
    'import numpy as np\ndef f(x):\n    return np.partition(x, 2)[0]\n',
    "unsupported 3:12 numpy.partition() leaves the other elements in an order of NumPy's own (numpy.sort() is compiled, and so are max, min and len of a whole part)",
  ],
  [
    'import numpy as np\nnp.seterr(all="raise")\ndef f(x):\n    return x[0]\n',
    'unsupported 2:1 numpy.seterr is not translated: warnings of NumPy that become exceptions are not followed; with np.errstate(...) is compiled',
  ],
  [
    'def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\ndef f(x):\n    return fib(int(x[0]))\n',
    'unsupported 2:28 more than 40 calls inside one another: recursion must end after a known number of steps',
  ],
  [
    'from numpy import *\ndef f(x):\n    return sin(x).sum()\n',
    'unsupported 3:12 from numpy import * hides which names are used; import them one by one (line 1)',
  ],
  [
    'def f(x):\n    for i in range(10 ** 9):\n        y = x[0] * i\n    return y\n',
    'limit 2:5 the loops of this function run for too long',
  ],
  [
    'def f(x):\n    async def g():\n        return 1\n    return x[0]\n',
    'unsupported 2:5 async functions, which need an event loop',
  ],
  [
    'class A(dict):\n    pass\ndef f(x):\n    return A()["a"] + x[0]\n',
    'unsupported 4:12 a class with a base class that is not of this source (line 1)',
  ],
  [
    'try:\n    import numba\nexcept ImportError:\n    numba = None\n@numba.njit\ndef f(x):\n    return x[0]\n',
    'unsupported 5:2 numba.njit is not translated: its library is none that is compiled (line 5)',
  ],
  [
    'import numpy as np\ndef f(x):\n    return np.sum(x[x > 0] * x)\n',
    'unsupported 3:19 an array beside one that is chosen by a mask',
  ],
  [
    'import logging\ndef f(x):\n    with logging.disable():\n        return x[0]\n',
    'unsupported 3:5 a with statement other than np.errstate(...) and warnings.catch_warnings()',
  ],
];

/** Where all of it is installed, and none of it translated. */
const INSTALLED = interpreterFacts({
  pandas: ['read_csv'],
  'sklearn.svm': ['SVC'],
  torch: ['tensor'],
  numba: ['njit'],
});

describe('reasons for CPython', () => {
  test.each(CASES)('%j', (code, reason) => {
    const isOther = /pandas|sklearn|torch|numba/.test(code);
    const { compiled, errors, reasons } = analyzeUpload(code, 'f', { interpreter: isOther ? INSTALLED : null });
    expect([compiled, errors]).toEqual([false, []]);
    expect(reasons.map((r) => `${r.kind} ${r.line}:${r.column} ${r.message}`)).toEqual([reason]);
  });
});
