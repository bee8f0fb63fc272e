import { describe, expect, test } from 'vitest';
import { interpret } from '../../ir/interpreter.js';
import { printIr } from '../../ir/printer.js';
import { LaneStatus } from '../../ir/types.js';
import { analyzeUpload, compileObjective, type CompileResult } from '../compile.js';

const compile = (expression: string, dimension: number, pythonMinor = 11): CompileResult => {
  const head = expression.includes('np.') ? 'import cmath\nimport numpy as np\n' : 'import cmath\n';
  const { source } = analyzeUpload(`${head}def f(x):\n    return ${expression}\n`, 'f');
  return compileObjective(source!, { dimension, pythonMinor });
};

const run = (expression: string, x: readonly number[]): { readonly value: number; readonly status: number } =>
  interpret(compile(expression, x.length).ir!, [...x]);

/** From CPython 3.11.2 and NumPy 1.24.2. */
const VALUES: readonly (readonly [expression: string, x: readonly number[], value: number])[] = [
  ['(complex(x[0], x[1]) / (2 - 3j)).real', [1.3, 0.7], 0.038461538461538484],
  ['(np.complex128(x[0] + 1j * x[1]) / (2 - 3j)).real', [1.3, 0.7], 0.03846153846153848],
  ['(complex(x[0], x[1]) ** 7).real', [0.1, 0.7], -0.07405359999999997],
  ['(complex(x[0], x[1]) ** -2).imag', [1.3, -0.7], 0.3829643969362848],
  ['(1j * x[0] / 3).real', [-2], -0],
  ['((x + 1j * x[::-1]) ** -1)[0].imag + 0 * np.pi', [0.1, 0.7], -1.4000000000000001],
  ['sum(z.imag for z in [1j * x[0], x[0], 2j]) + (x[0] == x[0] + 0j)', [0.3], 3.3],
];

describe('complex numbers', () => {
  test.each(VALUES)('%s at %j is %d', (expression, x, value) => {
    expect(run(expression, x)).toMatchObject({ status: LaneStatus.Ok, value });
  });

  test.each([
    ['1 / complex(x[0], x[1])', [0, -0], LaneStatus.ZeroDivision],
    ['complex(x[0], x[1]) ** -1', [0, 0], LaneStatus.ZeroDivision],
    ['complex(x[0], x[1]) ** 3', [1e200, 1], LaneStatus.Overflow],
    ['cmath.log(complex(x[0], x[1]))', [0, 0], LaneStatus.MathDomain],
    ['cmath.exp(complex(x[0], x[1]))', [NaN, 0], LaneStatus.Untranslated],
    ['1j * (complex(x[0], x[1]) < 2)', [1, 1], LaneStatus.Raised],
  ] as const)('%s at %j is flagged', (expression, x, status) => {
    expect(run(`x[0] if x[0] == 7 else (${expression}).real`, x).status).toBe(status);
  });

  test('Python divides, NumPy multiplies by the reciprocal: no check', () => {
    expect(run('(1 / np.complex128(x[0] * 1j)).imag', [0])).toMatchObject({ status: LaneStatus.Ok, value: NaN });
  });

  test('what is zero or NaN is not computed with', () => {
    const { ir } = compile('cmath.exp(1j * x[0]).real + abs(2j * x[0])', 1);
    const text = printIr(ir!);
    expect(text).toContain(' = cos ');
    expect(text).not.toContain(' = exp ');
    expect(text).not.toContain(' = hypot ');
  });

  test('later Pythons have other rules', () => {
    const { ir, reasons } = compile('abs(x[0] + 2j)', 1, 14);
    expect(ir).toBeNull();
    expect(reasons.map((r) => r.message)).toEqual([
      'complex numbers, whose arithmetic is another one from Python 3.14 on',
    ]);
    expect(compile('abs(x[0] + 2j)', 1, 13).ir).not.toBeNull();
  });
});
