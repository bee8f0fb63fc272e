/**
 * The traps of Python's and NumPy's arithmetic that compiled code must not fall into, by number. For each there are
 * programs in `programs/*.py` (`row = N`); here: every row has some, a candidate's bits do not depend on its place or
 * company, and with CPython behind the compiled code every candidate ends with CPython's value or CPython's exception.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Backend } from '../../src/backends/backend.js';
import { createOutput } from '../../src/backends/backend.js';
import { InterpreterBackend } from '../../src/backends/interpreter/interpreter-backend.js';
import { Rng } from '../../src/common/rng.js';
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import { interpret } from '../../src/ir/interpreter.js';
import { BatchEvaluator } from '../../src/evaluation/batch-evaluator.js';
import { compiledBackends } from '../support/compiled-backends.js';
import { fromHex, type OracleResult } from '../support/cpython-oracle.js';
import { compareWithCPython, isWithin, loadPrograms, type Comparison } from '../support/differential.js';
import { findPython } from '../support/python.js';
import { makeBackend, missing } from '../sandbox/support.js';

const ROWS: Readonly<Record<number, string>> = {
  1: 'a list is no array: `*` repeats, `**` raises',
  2: 'division by zero raises for a float and is infinite for NumPy',
  3: 'so does the remainder, also by minus zero',
  4: 'so does zero to a negative power',
  5: 'a negative base with a fractional exponent: complex, NaN, or ValueError of math.pow',
  6: 'powers and math functions overflow with an exception, products and NumPy to infinity',
  7: 'math functions raise outside of their domain, NumPy gives NaN',
  8: 'math functions take NumPy numbers and give Python floats, which raise again',
  9: 'x**2 of a number is a power, of an array a product; x**0.5 likewise',
  10: 'np.sum adds pairwise along memory',
  11: 'sum() adds from left to right, from Python 3.12 on with compensation',
  12: 'np.prod goes from left to right; np.dot in an order of its own',
  13: "NumPy's and math's functions differ in the last bits",
  14: '// and % go towards minus infinity, fmod towards zero',
  15: '/ of ints is a float',
  16: "Python's ints are exact, NumPy's wrap; negative powers of NumPy's raise",
  17: 'round() goes to even and gives an int; np.round scales',
  18: 'int() goes towards zero and refuses NaN and infinity',
  19: 'max() and min() keep a NaN that comes first; NumPy passes it on, fmax drops it',
  20: 'negative indices wrap once, slices clamp, reductions of nothing',
  21: 'shapes that do not fit raise, a column and a row make a matrix',
  22: 'chained comparisons evaluate the middle once and stop early',
  23: 'and/or give operands and do not evaluate the other side',
  24: 'an array is neither true nor false',
  25: 'precedence',
  26: 'slices of arrays are views, of lists copies; in-place operations are seen under every name',
  27: 'integer arrays cut floats off, or refuse them',
  28: 'truth values are numbers; zeros keep their sign',
  29: 'argmin takes the first, and NaN before all',
  30: 'late binding, defaults that persist, and state that lasts from call to call',
  31: 'random numbers and the clock',
  32: 'what counts as a number when it is returned',
  33: 'variance in two passes, the median of an even count',
  34: 'warnings are no exceptions unless the program says so',
  35: 'denormals, infinities and NaN survive',
  36: 'huge arguments of sin and cos',
};

const python = findPython('numpy');
const title = python.command === null ? ` (${python.reason})` : '';
const programs = loadPrograms().filter((p) => p.rows.length > 0);

test('every row has programs', () => {
  for (const row of Object.keys(ROWS).map(Number)) {
    expect(programs.filter((p) => p.rows.includes(row)).length, `row ${row}: ${ROWS[row]}`).toBeGreaterThan(0);
  }
  expect(Object.keys(ROWS)).toHaveLength(36);
  for (const { rows, name } of programs) for (const row of rows) expect(ROWS[row], name).toBeDefined();
});

/** The first programs of each row that are compiled, and of each that are not. */
function samples(comparisons: readonly Comparison[]): Comparison[] {
  const chosen = new Map<string, Comparison>();
  for (const c of comparisons) {
    for (const row of c.program.rows) {
      const key = `${row} ${c.ir === null ? 'cpython' : 'compiled'}`;
      if (!chosen.has(key)) chosen.set(key, c);
    }
  }
  return [...new Set(chosen.values())];
}

describe(`rows of the semantics table${title}`, () => {
  let chosen: Comparison[] = [];
  beforeAll(() => {
    if (python.command === null) return;
    const small = programs.map((p) => ({ ...p, dimensions: p.dimensions.slice(0, 1) }));
    chosen = samples(compareWithCPython(python.command, small).comparisons);
  });

  test.skipIf(python.command === null)('give the same bits in every place and company', async () => {
    const contenders = await compiledBackends();
    const wrong: string[] = [];
    for (const { program, source, ir, points, mine } of chosen) {
      if (ir === null || mine === null) continue;
      for (const { name, backend } of contenders) {
        const kernel = await backend.open({ source, dimension: ir.dimension, ir });
        for (const count of [1, 255, 256, 257]) {
          const rng = Rng.create(count);
          const picks = Array.from({ length: count }, () => rng.below(points.length));
          const output = createOutput(count);
          const candidates = Float64Array.from(picks.flatMap((k) => points[k]));
          await kernel.evaluate({ candidates, count, dimension: ir.dimension }, output);
          const differs = picks.findIndex(
            (k, lane) => !Object.is(output.values[lane], mine.values[k]) || output.status[lane] !== mine.status[k],
          );
          if (differs >= 0) wrong.push(`${program.name}, ${name}: lane ${differs} of ${count}`);
        }
        await kernel.close();
      }
    }
    for (const { backend } of contenders) await backend.close();
    expect(wrong).toEqual([]);
  });

  describe(`with CPython behind the compiled code${missing === null ? '' : ` (${missing})`}`, () => {
    let cpython: Backend;
    beforeAll(() => {
      cpython = makeBackend({ processesPerRun: 1 });
    });
    afterAll(() => cpython.close());

    test.skipIf(python.command === null || missing !== null)(
      "every candidate ends with CPython's value or exception",
      async () => {
        const wrong: string[] = [];
        for (const comparison of chosen) wrong.push(...(await endToEnd(cpython, comparison)));
        expect(wrong).toEqual([]);
      },
      60_000,
    );
  });
});

async function endToEnd(cpython: Backend, { program, source, ir, points, theirs }: Comparison): Promise<string[]> {
  const interpreter = new InterpreterBackend();
  const dimension = points[0].length;
  const fallback = await cpython.open({ source, dimension, ir: null });
  const primary = ir === null ? fallback : await interpreter.open({ source, dimension, ir });
  const wrong: string[] = [];
  try {
    const evaluator = new BatchEvaluator(primary, ir === null ? null : fallback);
    const batch = { candidates: Float64Array.from(points.flat()), count: points.length, dimension };
    const values = await evaluator.evaluate(batch, new AbortController().signal);
    points.forEach((point, k) => {
      const expected = outcomeOf(theirs[k]);
      const failure = evaluator.failure(k);
      const isRight =
        failure !== null || typeof expected === 'string'
          ? failure?.type === expected
          : isWithin(values[k], expected, program);
      if (!isRight)
        wrong.push(`${program.name} at [${point.join(', ')}]: ${failure?.type ?? values[k]}, CPython ${expected}`);
    });
  } finally {
    if (primary !== fallback) await primary.close();
    await fallback.close();
    await interpreter.close();
  }
  return wrong.slice(0, 2);
}

/** The number, or the type of the failure, as the service reports it. */
function outcomeOf(result: OracleResult): number | string {
  if (result.kind === 'value') return Number.isNaN(result.value) ? 'NaNResult' : result.value;
  return result.message.startsWith('no number: ') ? 'NonNumericResult' : result.type;
}

/** From CPython 3.11.7 and 3.12.1 (3.13.0 gives the latter, too): `float(sum(...)).hex()`. */
const SUMS: readonly (readonly [expression: string, x: readonly number[], in11: string, in12: string])[] = [
  ['sum([0.1] * 10)', [0], '0x1.fffffffffffffp-1', '0x1.0000000000000p+0'],
  ['sum(x * 5)', [0.1, 0.1], '0x1.fffffffffffffp-1', '0x1.0000000000000p+0'],
  ['sum(x)', [1e16, 1, -1e16], '0x0.0p+0', '0x1.0000000000000p+0'],
  ['sum([1, x[0], x[1], x[2]])', [0.1, 0.2, 0.3], '0x1.999999999999ap+0', '0x1.999999999999ap+0'],
  ['sum([x[0], 1, x[1], True, x[2]])', [0.1, 0.2, 0.3], '0x1.4ccccccccccccp+1', '0x1.4ccccccccccccp+1'],
  ['sum([x[0]] * 7, x[0])', [0.1], '0x1.9999999999999p-1', '0x1.999999999999ap-1'],
  ['sum(x)', [1e308, 1e308, -1e308], 'inf', 'inf'],
  ['sum(x, -0.0)', [-0, -0], '-0x0.0p+0', '-0x0.0p+0'],
  ['sum(x)', [-0, -0], '0x0.0p+0', '0x0.0p+0'],
  ['sum([x[0], 1, x[1], x[2]])', [1e100, -1e100, 1e-50], '0x1.dee7a4ad4b81fp-167', '0x1.dee7a4ad4b81fp-167'],
  ['sum([9007199254740991, x[0], x[0]])', [1], '0x1.0000000000000p+53', '0x1.0000000000000p+53'],
  ['sum([x[0], 9007199254740991, 1, 1])', [1], '0x1.0000000000000p+53', '0x1.0000000000000p+53'],
  ['sum(x)', [0.1, Infinity, -1e308], 'inf', 'inf'],
];

test.each(SUMS)('%s at %j is what each version of Python gives', (expression, x, in11, in12) => {
  for (const [pythonMinor, expected] of [
    [11, in11],
    [12, in12],
    [13, in12],
  ] as const) {
    const { source } = analyzeUpload(`def f(x):\n    return ${expression}\n`, 'f');
    const { ir } = compileObjective(source!, { dimension: x.length, pythonMinor });
    expect(interpret(ir!, x)).toMatchObject({ status: 0, value: fromHex(expected) });
  }
});
