/**
 * Products that NumPy leaves to the host's BLAS library: compiled code and CPython differ by no more than rounding
 * explains.
 */
import { describe, expect, test } from 'vitest';
import { Rng } from '../../src/common/rng.js';
import { analyzeUpload } from '../../src/frontend/compile.js';
import { interpret } from '../../src/ir/interpreter.js';
import { BLAS_EXPRESSIONS, blasVariants } from '../support/blas.js';
import { askOracle } from '../support/cpython-oracle.js';
import { toExact } from '../support/exact-arithmetic.js';
import { judgeAll, judgedForms, type JudgedProgram } from '../support/verdicts.js';

const variants = blasVariants();

const rng = Rng.create(23);
const points = (dimension: number, count: number): number[][] =>
  Array.from({ length: count }, () => Array.from({ length: dimension }, () => -3 + 6 * rng.uniform()));

const programs: readonly JudgedProgram[] = [3, 8].flatMap((dimension) =>
  BLAS_EXPRESSIONS.map((expression) => ({
    name: `${expression}, n = ${dimension}`,
    code: `import numpy as np\ndef f(x):\n    return ${expression}\n`,
    dimension,
    points: points(dimension, 12),
  })),
);

/** As whole multiples of 2^-2148, the least product of two doubles. */
function product(a: number, b: number): bigint {
  const [p, q] = [toExact(a), toExact(b)];
  return BigInt(p.sign * q.sign) * ((p.significand * q.significand) << BigInt(p.exponent + q.exponent + 2148));
}

const magnitude = (v: bigint): bigint => (v < 0n ? -v : v);

/**
 * Whether `value` is within n u sum |a_i b_i| of the sum of a_i b_i, u = 2^-53: the bound of a sum in any order, fused
 * or not.
 */
function isWithinBound(value: number, a: readonly number[], b: readonly number[]): boolean {
  const terms = a.map((v, i) => product(v, b[i]));
  const off = product(value, 1) - terms.reduce((sum, v) => sum + v, 0n);
  const sizes = terms.reduce((sum, v) => sum + magnitude(v), 0n);
  return magnitude(off) << 53n <= BigInt(a.length) * sizes;
}

test('the bound tells a value that has lost a term, or a last bit too many', () => {
  const [a, b] = [
    [1, 2 ** -60, 3],
    [1, 1, -1],
  ];
  expect(isWithinBound(-2, a, b)).toBe(true);
  expect(isWithinBound(-2 + 2 ** -51, a, b)).toBe(true);
  expect(isWithinBound(-2 + 2 ** -49, a, b)).toBe(false);
  expect(isWithinBound(-3, a, b)).toBe(false);
});

describe(
  `where NumPy is here${variants.length === 0 ? ' (skipped: needs NumPy and SciPy)' : ''}`,
  { timeout: 120_000 },
  () => {
    test.skipIf(variants.length === 0).each(variants)('no value is called misread with $title', ({ python, core }) => {
      const env = core === null ? process.env : { ...process.env, OPENBLAS_CORETYPE: core };
      const { counts, misread, notJudged } = judgeAll(python, programs, env);
      if (process.env['EXTREMUM_VERDICTS'] !== undefined) console.log(`${core}: ${JSON.stringify(counts)}`);
      expect(misread).toEqual([]);
      expect(notJudged).toEqual([]);
      expect(counts.open).toBeLessThan(counts.equal + counts.within);
    });

    test.skipIf(variants.length === 0).each(variants)('both sides keep the bound with $title', ({ python, core }) => {
      const env = core === null ? process.env : { ...process.env, OPENBLAS_CORETYPE: core };
      // Terms that cancel, so that the last bits of the products show.
      const jobs = [2, 3, 8, 33, 100].flatMap((n) =>
        [
          'x[:n].dot(x[n:])',
          'x[:n] @ x[n:]',
          'np.inner(x[:n], x[n:])',
          '(x[:n].reshape(1, n) @ x[n:].reshape(n, 1))[0, 0]',
        ].map((expression) => {
          const code = `import numpy as np\nn = ${n}\ndef f(x):\n    return ${expression}\n`;
          return { n, expression, source: analyzeUpload(code, 'f').source!, points: points(2 * n, 25) };
        }),
      );
      const { pythonMinor, results } = askOracle(python, jobs, env);
      let differences = 0;
      jobs.forEach(({ n, expression, source, points: rows }, j) => {
        const { run } = judgedForms(source, 2 * n, pythonMinor)!;
        rows.forEach((x, k) => {
          const answer = results[j][k];
          const cpython = answer.kind === 'value' ? answer.value : NaN;
          const { value: compiled } = interpret(run, x);
          const [a, b] = [x.slice(0, n), x.slice(n)];
          expect(isWithinBound(compiled, a, b), `compiled: ${expression} at ${x.join(', ')}: ${compiled}`).toBe(true);
          expect(isWithinBound(cpython, a, b), `CPython: ${expression} at ${x.join(', ')}: ${cpython}`).toBe(true);
          if (compiled !== cpython) differences++;
        });
      });
      if (process.env['EXTREMUM_VERDICTS'] !== undefined)
        console.log(`${core}: ${differences} of ${jobs.length * 25} differ`);
    });
  },
);
