/** Sources that give several numbers, in every backend, in the bits of their parts. */
import { afterAll, describe, expect, it } from 'vitest';
import { createOutput } from '../../src/backends/backend.js';
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import { interpret } from '../../src/ir/interpreter.js';
import { resultsOf, type IrFunction } from '../../src/ir/types.js';
import { verifyIr } from '../../src/ir/verifier.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
import { compiledBackends } from '../support/compiled-backends.js';

interface Program {
  readonly name: string;
  readonly code: string;
  readonly dimension: number;
  /** Bodies of functions of `x` that give one number each. */
  readonly parts: readonly string[];
}

const sources = (body: string): string =>
  `import math\nimport numpy as np\ndef f(x):\n${body.replaceAll(/^/gm, '    ')}\n`;

const PROGRAMS: readonly Program[] = [
  {
    name: 'a tuple',
    code: 'return x[0] + x[1], x[0] * x[1]',
    dimension: 2,
    parts: ['return x[0] + x[1]', 'return x[0] * x[1]'],
  },
  {
    name: 'a list in a branch, with whole numbers',
    code: 'if x[0] > 0:\n    return [math.exp(x[0]), 3, x[1]]\nreturn [0, x[0], -1.5]',
    dimension: 2,
    parts: [
      'if x[0] > 0:\n    return math.exp(x[0])\nreturn 0',
      'if x[0] > 0:\n    return 3\nreturn x[0]',
      'if x[0] > 0:\n    return x[1]\nreturn -1.5',
    ],
  },
  {
    name: 'an array over a long loop',
    code: 'a = np.sum(x ** 2)\nb = 0.0\nfor i in range(len(x)):\n    b += abs(x[i] - 1)\nreturn np.array([a, b])',
    dimension: 300,
    parts: ['return np.sum(x ** 2)', 'b = 0.0\nfor i in range(len(x)):\n    b += abs(x[i] - 1)\nreturn b'],
  },
  {
    name: 'four, two of them equal, one constant',
    code: 's = math.sin(x[0])\nreturn s, s, 2.0, x[0]',
    dimension: 1,
    parts: ['return math.sin(x[0])', 'return math.sin(x[0])', 'return 2.0', 'return x[0]'],
  },
];

function compiled(body: string, dimension: number, results: number): IrFunction {
  const source = { code: sources(body), entry: 'f', argument: 'ndarray', results } as const;
  const { ir, reasons } = compileObjective(source, { dimension, pythonMinor: 12 });
  if (ir === null) throw new Error(JSON.stringify(reasons));
  return optimizeIr(ir);
}

const pointsOf = (dimension: number): number[][] =>
  Array.from({ length: 37 }, (_, k) => Array.from({ length: dimension }, (_v, i) => Math.sin(7.3 * k + 1.7 * i) * 3));

describe('a source of several results', () => {
  const contenders = compiledBackends();
  afterAll(async () => {
    for (const { backend } of await contenders) await backend.close();
  });

  it.each(PROGRAMS)('gives all of them: $name', async ({ code, dimension, parts }) => {
    const ir = compiled(code, dimension, parts.length);
    expect(verifyIr(ir)).toEqual([]);
    expect(resultsOf(ir)).toBe(parts.length);
    const points = pointsOf(dimension);
    const single = parts.map((part) => compiled(part, dimension, 1));
    const expected = points.flatMap((point) => single.map((program) => interpret(program, point).value));
    for (const { name, backend } of await contenders) {
      const kernel = await backend.open({ source: { code: '', entry: 'f', argument: 'ndarray' }, dimension, ir });
      const output = createOutput(points.length, parts.length);
      await kernel.evaluate({ candidates: Float64Array.from(points.flat()), count: points.length, dimension }, output);
      await kernel.close();
      const differing = expected.findIndex((value, k) => !Object.is(value, output.values[k]));
      expect(differing, name).toBe(-1);
    }
  });

  it('says what it gives instead', () => {
    const reason = (body: string, results: number): string => {
      const source = { code: sources(body), entry: 'f', argument: 'ndarray', results } as const;
      return compileObjective(source, { dimension: 2, pythonMinor: 12 }).reasons[0]?.message ?? '';
    };
    expect(reason('return x[0], x[1]', 3)).toBe(
      'the objective returns a tuple of 2 elements instead of 3 numbers, one per objective',
    );
    expect(reason('return x[0]', 2)).toMatch(/instead of 2 numbers, one per objective$/);
    expect(reason('return np.zeros((2, 1))', 2)).toContain('an array of shape (2, 1) instead of 2 numbers');
    expect(reason('return x[0], "b"', 2)).toContain('instead of a number');
    expect(reason('return x[0], x[1]', 1)).toBe(
      'the objective returns a tuple of 2 elements instead of a number; ' +
        'a run with "objectives": 2 (--objectives 2) takes them as 2 objectives',
    );
  });

  it('is accepted at upload, which counts them', () => {
    const upload = (body: string): unknown[] => {
      const { compiled: isCompiled, results, errors } = analyzeUpload(sources(body), 'f');
      return [isCompiled, results, errors.length];
    };
    expect(upload('return x[0], x[1]')).toEqual([true, 2, 0]);
    expect(upload('return np.array([x[0], x[1], x[0], 1])')).toEqual([true, 4, 0]);
    expect(upload('return (x[0],)')).toEqual([true, 1, 0]);
    expect(upload('return x[0], 1, 2, 3, 4')).toEqual([false, 1, 0]);
  });
});
