import { describe, expect, test } from 'vitest';
import { analyzeUpload, compileObjective } from '../frontend/compile.js';
import { interpret } from '../ir/interpreter.js';
import type { IrFunction } from '../ir/types.js';
import { judgePoint, type PythonAnswer, type Verdict } from './judge.js';

function programOf(code: string, dimension: number): IrFunction {
  const { source } = analyzeUpload(code, 'f');
  const { ir, reasons } = compileObjective(source!, { dimension, pythonMinor: 11, judging: true });
  if (ir === null) throw new Error(reasons[0].message);
  return ir;
}

/** The verdict on `python` where the program gives what it does at `x`. */
function verdict(code: string, x: readonly number[], python: (value: number) => PythonAnswer): Verdict {
  const program = programOf(code, x.length);
  const { value } = interpret(program, x);
  return judgePoint(program, Float64Array.from(x), [value], python(value));
}

const view = new DataView(new ArrayBuffer(8));
/** The number `units` further from zero. */
function moved(value: number, units: number): number {
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(units));
  return view.getFloat64(0);
}
const offBy = (units: number) => (value: number) => ({ values: [moved(value, units)] });
const failure = (type: string) => () => ({ failure: { type, message: 'said so', line: 2 } });

describe('plain arithmetic', () => {
  const POLYNOMIAL = 'def f(x):\n    return x[0] * x[1] + 3.5 * x[0] - x[1] / 7\n';

  test('equal bits are equal', () => {
    expect(verdict(POLYNOMIAL, [0.3, 0.7], offBy(0))).toEqual({ kind: 'equal' });
  });

  test('one unit in the last place is a misreading', () => {
    expect(verdict(POLYNOMIAL, [0.3, 0.7], offBy(1)).kind).toBe('misread');
    expect(verdict(POLYNOMIAL, [0.3, 0.7], offBy(-1)).kind).toBe('misread');
  });

  test('the sign of a zero is one', () => {
    const code = 'def f(x):\n    return x[0] * x[1]\n';
    expect(verdict(code, [0, 3], () => ({ values: [-0] })).kind).toBe('misread');
  });

  test('roots, rounding and remainders are exact', () => {
    const code = 'import math\ndef f(x):\n    return math.sqrt(x[0]) + math.floor(x[1]) + x[0] % 0.7\n';
    expect(verdict(code, [5.3, 1.7], offBy(1)).kind).toBe('misread');
  });

  test('an array squares as a product, whose bits count; a number by its power, which may round otherwise', () => {
    const array = 'import numpy as np\ndef f(x):\n    return np.sum(x**2)\n';
    expect(verdict(array, [0.3, 0.7], offBy(1)).kind).toBe('misread');
    const scalar = 'def f(x):\n    return x[0] ** 2 + x[1] ** 2\n';
    expect(verdict(scalar, [0.3, 0.7], offBy(1)).kind).toBe('within');
    expect(verdict(scalar, [0.3, 0.7], offBy(20)).kind).toBe('misread');
  });
});

describe('functions of the library', () => {
  test('explain a few units in the last place, not more', () => {
    const code = 'import math\ndef f(x):\n    return math.sin(x[0]) * math.exp(x[1])\n';
    expect(verdict(code, [0.3, 0.7], offBy(4)).kind).toBe('within');
    expect(verdict(code, [0.3, 0.7], offBy(100)).kind).toBe('misread');
  });

  test('keep their error where they are known before the run', () => {
    const code =
      'import math\nK = math.exp(1.25)\nT = [math.cos(k) for k in range(4)]\ndef f(x):\n    return K * x[0] + T[2]\n';
    expect(verdict(code, [0.3], offBy(2)).kind).toBe('within');
    expect(verdict(code, [0.3], offBy(200)).kind).toBe('misread');
  });

  test('have none where every library is exact', () => {
    const code =
      'import math\nK = 10.0 ** 2 + math.cos(0) + 2.0 ** 0.5 * 0\ndef f(x):\n    return (10.0 ** 2 + math.cos(0)) * x[0]\n';
    expect(verdict(code, [0.3], offBy(1)).kind).toBe('misread');
  });

  test('amplified errors are measured', () => {
    const code = 'import math\ndef f(x):\n    return (math.exp(x[0]) - 1) * 1e12\n';
    expect(verdict(code, [1e-12], (value) => ({ values: [value + 1e-4] })).kind).toBe('within');
    expect(verdict(code, [1e-12], (value) => ({ values: [value + 1] })).kind).toBe('misread');
  });
});

describe('where intervals grow and errors do not', () => {
  // y and 1 - y are one number to the program, and two to intervals: they grow to all numbers.
  const LOGISTIC =
    'import math\ndef f(x):\n    y = math.sin(x[0])\n    for _ in range(900):\n        y = 2.5 * y * (1.0 - y)\n    return y + math.sin(x[0])\n';

  test('samples of errors say what these explain', () => {
    expect(verdict(LOGISTIC, [0.7], offBy(1)).kind).toBe('within');
  });

  test('what is far beyond them is a misreading', () => {
    expect(verdict(LOGISTIC, [0.7], (value) => ({ values: [value + 0.01] })).kind).toBe('misread');
  });

  test('what is neither is open', () => {
    expect(verdict(LOGISTIC, [0.7], (value) => ({ values: [value * (1 + 1e-13)] })).kind).toBe('open');
  });

  test('and no sample says that branches cannot be taken otherwise', () => {
    const code = LOGISTIC.replace(
      '    return y + math.sin(x[0])',
      '    return (5.0 if y > 0.7 else 6.0) + math.sin(x[0])',
    );
    expect(verdict(code, [0.7], (value) => ({ values: [value - 1] })).kind).not.toBe('misread');
  });
});

describe('products of matrices', () => {
  const DOT = 'import numpy as np\ndef f(x):\n    return np.dot(x, np.array([1.0, 3.0, -2.0]))\n';

  test('are within the rounding bound of any order', () => {
    expect(verdict(DOT, [0.3, 0.7, 0.11], offBy(2)).kind).toBe('within');
    expect(verdict(DOT, [0.3, 0.7, 0.11], offBy(64)).kind).toBe('misread');
  });

  test('cancel within it', () => {
    // 1e16 + 3 - 1e16: any of 0, 2, 3 and 4 is an order of it.
    expect(verdict(DOT, [1e16, 1, 5e15], () => ({ values: [2] })).kind).not.toBe('misread');
    expect(verdict(DOT, [1e16, 1, 5e15], () => ({ values: [1000] })).kind).toBe('misread');
  });
});

describe('branches', () => {
  const STEP = 'import math\ndef f(x):\n    if math.sin(x[0]) > 0.5:\n        return 10.0\n    return 20.0\n';

  test('that no rounding turns decide', () => {
    expect(verdict(STEP, [1.2], () => ({ values: [20] })).kind).toBe('misread');
  });

  test('that rounding turns leave both values', () => {
    expect(verdict(STEP, [Math.asin(0.5)], () => ({ values: [10] })).kind).toBe('within');
    expect(verdict(STEP, [Math.asin(0.5)], () => ({ values: [20] })).kind).not.toBe('misread');
    expect(verdict(STEP, [Math.asin(0.5)], () => ({ values: [21] })).kind).toBe('misread');
  });

  test('end a loop after as many turns as rounding allows', () => {
    const code =
      'import math\ndef f(x):\n    y = x[0]\n    n = 0\n    while math.exp(y) > 2.0 and n < 50:\n        y -= 0.25\n        n += 1\n    return n + 0.0\n';
    expect(verdict(code, [4], (value) => ({ values: [value] })).kind).toBe('equal');
    expect(verdict(code, [4], (value) => ({ values: [value + 1] })).kind).toBe('misread');
    expect(verdict(code, [Math.log(2) + 1], (value) => ({ values: [9 - value] })).kind).not.toBe('misread');
  });
});

describe('exceptions', () => {
  test('where compiled code has a value are misreadings', () => {
    const code = 'import math\ndef f(x):\n    return math.log(x[0])\n';
    const said = verdict(code, [2], failure('ValueError'));
    expect(said.kind).toBe('misread');
    expect(said).toHaveProperty('message', expect.stringContaining('ValueError: said so in line 2'));
  });

  test('are open where rounding decides whether they are raised', () => {
    const code = 'import math\ndef f(x):\n    return math.log(1.0 - math.sin(x[0]) ** 2)\n';
    expect(verdict(code, [Math.PI / 2 - 1e-8], failure('ValueError')).kind).toBe('open');
    expect(verdict(code, [1], failure('ValueError')).kind).toBe('misread');
  });

  test('that no objective raises say nothing', () => {
    expect(verdict('def f(x):\n    return x[0]\n', [2], failure('TimeLimit')).kind).toBe('open');
  });

  test('NaN and None are no numbers', () => {
    expect(verdict('def f(x):\n    return x[0]\n', [2], failure('NonNumericResult')).kind).toBe('misread');
    expect(verdict('def f(x):\n    return x[0]\n', [2], () => ({ values: [NaN] })).kind).toBe('misread');
  });
});

test('several objectives are judged alike', () => {
  const code = 'import math\ndef f(x):\n    return math.sin(x[0]), x[0] * 1.1, math.cos(x[0])\n';
  const { source } = analyzeUpload(code, 'f');
  const { ir } = compileObjective(source!, { dimension: 1, pythonMinor: 11, judging: true, anyResults: true });
  const x = Float64Array.of(0.7);
  const { value, outputs } = interpret(ir!, x);
  const compiled = [value, ...outputs!];
  const with_ = (k: number, units: number): PythonAnswer => ({
    values: compiled.map((v, j) => (j === k ? moved(v, units) : v)),
  });
  expect(judgePoint(ir!, x, compiled, with_(0, 0))).toEqual({ kind: 'equal' });
  expect(judgePoint(ir!, x, compiled, with_(2, 3)).kind).toBe('within');
  expect(judgePoint(ir!, x, compiled, with_(1, 1)).kind).toBe('misread');
  expect(judgePoint(ir!, x, compiled, { values: compiled.slice(0, 2) }).kind).toBe('misread');
});
