/** Functions of math, NumPy and SciPy, one expression each, against CPython and on every backend. */
import { describe, expect, test } from 'vitest';
import { compareBackends, compareWithCPython, type SmallProgram } from '../support/differential.js';
import { findPython } from '../support/python.js';

/** An expression in a, b, c and x = (a, b, c), and by how many units in the last place values may differ. */
type Entry = readonly [expression: string, ulp?: number];

const program = (imports: string, [expression, ulp = 4]: Entry): SmallProgram => ({
  name: expression,
  code: `${imports}def f(x):\n    a, b, c = x[0], x[1], x[2]\n    return ${expression}\n`,
  dimensions: [3],
  rows: [],
  raises: [],
  ulp,
  zerosAreOne: false,
  argument: null,
  isCompiled: true,
  extraPoints: [],
});

const MATH: readonly Entry[] = [
  ['math.erf(a)'],
  ['math.erfc(a)'],
  ['math.erfc(abs(a) * 7)'],
  // CPython's own error is larger.
  ['math.gamma(a) if a > 0 else math.gamma(a * 5 - 0.25)', 12],
  ['math.gamma(abs(a) * 42 + 0.01)', 12],
  // Its relative error is large near the zeros at 1 and 2.
  ['2 + math.lgamma(abs(a) + 0.01)', 12],
  ['math.lgamma(abs(a) * 1e3 + 3)', 6],
  ['math.gamma(5) + a', 0],
  ['math.gamma(math.floor(abs(a)) + 1)'],
  ['math.modf(a)[0]', 0],
  ['math.modf(a)[1] * b', 0],
  ['math.frexp(a)[0] + math.frexp(b)[1]', 0],
  ['math.ldexp(a, 3) + math.ldexp(b, -1)', 0],
  ['math.ldexp(a, int(b))', 0],
  ['math.remainder(a, b)', 0],
  ['math.remainder(a, 0.75)', 0],
  ['math.isqrt(int(abs(a)) + 5) + math.isqrt(17)', 0],
  ['math.factorial(6) * a + math.comb(7, 3) + math.perm(5, 2) + math.perm(4)', 0],
  ['math.gcd(12, 18) * a + math.gcd() + math.lcm(4, 6, 10) + math.gcd(7)', 0],
  ['math.hypot(a) + math.hypot(a, b) + math.hypot(a, b, c)'],
  ['math.dist([a, b], (1.0, c))'],
  ['math.prod([a, b, c]) + math.prod((), start=a)', 0],
  ['math.log(abs(a) + 2, 3) + math.log(abs(b) + 1.5, abs(c) + 2)'],
  ['math.fsum([a, b, c])', 0],
  ['math.isclose(a, b, rel_tol=0.5) + math.isclose(a, b, abs_tol=1.0) + 2 * math.isclose(a, a)', 0],
  ['math.copysign(a, b) + math.trunc(c) + math.degrees(a) + math.radians(b)'],
  ['math.cbrt(a) + math.exp2(b)', 8],
];

const SCIPY: readonly Entry[] = [
  ['special.erf(a) + special.erfc(b)'],
  ['special.erf(abs(x)).sum()'],
  ['special.gamma(abs(a) * 8 + 0.01)', 12],
  ['2 + special.gammaln(abs(a) * 20 + 0.01)', 12],
  ['special.factorial(5) * a'],
  ['special.factorial(abs(a) * 5)', 12],
  ['special.comb(10, 3) * a + special.comb(6, 2, exact=True)'],
  ['special.expit(a)'],
  ['special.expit(x * 100).sum()'],
  // SciPy's own error grows in the tail, with the square of the argument.
  ['special.ndtr(a)', 64],
  ['stats.norm.pdf(a)'],
  ['stats.norm.pdf(a, 0.5, 2.0) + stats.norm.pdf(b, loc=1.0, scale=0.5)'],
  ['stats.norm.cdf(a)', 64],
  ['stats.norm.cdf(a, b, abs(c) + 2)', 64],
  ['stats.norm.logpdf(x, 1.0, 3.0).sum()', 8],
  ['stats.norm.sf(a)', 64],
];

function agreement(title: string, imports: string, entries: readonly Entry[], ...modules: 'scipy'[]): void {
  const python = findPython('numpy', ...modules);
  const name = `${title} agrees with CPython${python.command === null ? ` (${python.reason})` : ''}`;
  test.skipIf(python.command === null)(name, async () => {
    const programs = entries.map((entry) => program(imports, entry));
    const { comparisons, wrong } = compareWithCPython(python.command ?? '', programs);
    expect(wrong).toEqual([]);
    expect(await compareBackends(comparisons)).toEqual([]);
  });
}

describe('library functions', () => {
  agreement('math', 'import math\n', MATH);
  agreement('scipy', 'import numpy as np\nfrom scipy import special, stats\n', SCIPY, 'scipy');
});
