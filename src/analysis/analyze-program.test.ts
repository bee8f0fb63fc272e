import { describe, expect, it } from 'vitest';
import { checkAnalysis } from '../../scripts/support/check-analysis.mjs';
import { compiledPrograms } from '../../test/support/objective-fixtures.js';
import { analyzeUpload, compileObjective } from '../frontend/compile.js';
import { interpret } from '../ir/interpreter.js';
import type { IrFunction } from '../ir/types.js';
import { verifyIr } from '../ir/verifier.js';
import { luFactor, luSolve } from '../linalg/lu.js';
import { optimizeIr } from '../passes/pipeline.js';
import { analyzeProgram, type ProgramAnalysis } from './analyze-program.js';
import { applyOuter } from './outer.js';

const POINTS = 8;
const tools = { interpret, applyOuter, luFactor, luSolve, optimizeIr };

function compile(code: string, bounds: readonly (readonly [number, number])[], pythonMinor = 11) {
  const { source, vectorized } = analyzeUpload(code, 'objective');
  if (source === null) throw new Error('refused');
  const box = { lower: Float64Array.from(bounds, ([a]) => a), upper: Float64Array.from(bounds, ([, b]) => b) };
  const options = { dimension: bounds.length, pythonMinor, bounds: box, vectorized };
  const { ir } = compileObjective(source, options);
  return { ir: ir === null ? null : optimizeIr(ir), box };
}

/** Analysed, and checked by evaluation. */
function analyzed(body: string, n = 3, bound: readonly [number, number] = [-5, 5], pythonMinor = 11) {
  const code = `import math\nimport numpy as np\n\ndef objective(x):\n    ${body.trim().replaceAll('\n', '\n    ')}\n`;
  const { ir, box } = compile(
    code,
    Array.from({ length: n }, () => bound),
    pythonMinor,
  );
  if (ir === null) throw new Error('not compiled');
  const analysis = analyzeProgram(ir, box);
  expect(check(ir, box, analysis, 100).failures).toEqual([]);
  return analysis.structure;
}

interface Box {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

const check = (ir: IrFunction, box: Box, analysis: ProgramAnalysis, points = POINTS) =>
  checkAnalysis(tools, ir, box, analysis, points, 1);

describe('analyzeProgram', () => {
  it('takes sums apart, also where they are built with NumPy, in loops, by helpers and in branches', () => {
    const sources = [
      'return np.sum(x**2 - 10 * np.cos(2 * np.pi * x)) + 10 * len(x)',
      'total = 0\nfor v in x:\n    total += v * v - 10 * math.cos(2 * math.pi * v)\nreturn total',
      'def part(v):\n    return v**4 - 16 * v**2 + 5 * v\nreturn sum(part(v) for v in x) / len(x)',
      'total = 0\nfor v in x:\n    if v > 0:\n        total += v\n    else:\n        total -= 3 * v * v\nreturn total',
      'return math.sqrt(np.mean(np.abs(x)))',
      'return math.log1p(sum(abs(v) for v in x)) ** 2',
    ];
    for (const source of sources) {
      for (const n of [3, 100]) {
        const { terms } = analyzed(source, n);
        expect(terms?.form, `${source}, n = ${n}`).toBe('coordinates');
        expect(new Set(terms?.dependsOn.flat()).size).toBe(n);
      }
    }
  });

  it('takes products of positive factors for sums of logarithms', () => {
    const { terms, outer } = analyzed('p = 1\nfor v in x:\n    p *= 1 + abs(v)\nreturn 3 * p ** 0.5 - 3');
    expect(terms?.form).toBe('coordinates');
    expect(outer.some(({ op }) => op === 'exp')).toBe(true);
  });

  it('says nothing of products of factors whose sign it does not know', () => {
    expect(analyzed('return x[0] * x[1] * x[2]').terms).toBe(null);
  });

  it('finds that terms depend on single coordinates of z = A x, however that is computed', () => {
    const matrix = 'A = [[1, 2, 0], [0, 1, 1], [1, 0, 3]]\n';
    const sources = [
      `${matrix}z = np.array(A) @ x\nreturn np.sum(np.abs(z - 0.5) + np.sin(5 * z))`,
      `${matrix}total = 0\nfor row in A:\n    z = 0\n    for a, v in zip(row, x):\n        z += a * v\n    total += abs(z) + math.cos(z)\nreturn total`,
      'z = x.copy()\nfor i in range(1, len(x)):\n    z[i] = x[i] + 0.25 * (z[i - 1] - 2)\nreturn np.sum(np.abs(z))',
    ];
    for (const source of sources) {
      const { terms } = analyzed(source);
      expect(terms?.form, source).toBe('affine');
      expect(terms?.matrix).toHaveLength(3);
    }
    expect(analyzed(`A = [[1, 2, 0], [0, 1, 1], [1, 3, 1]]\nreturn np.sum(np.abs(np.array(A) @ x))`).terms?.form).toBe(
      'general',
    );
  });

  it('finds sums of squares, whatever their weights and what is around them', () => {
    const sources: readonly [string, number][] = [
      ['return sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in range(len(x) - 1))', 4],
      ['r = np.outer([1.0, 2.0, 0.5, -1.0], x).sum(axis=1) - 3\nreturn np.linalg.norm(r) ** 2', 4],
      [
        's = 0\nfor i in range(200):\n    s += (x[0] * math.exp(-0.01 * i * x[1]) - x[2]) ** 2\nreturn math.sqrt(s / 200)',
        200,
      ],
      ['s = 0\nfor v in x:\n    if v > 1:\n        s += 2 * (v - 1) ** 2\nreturn s', 3],
    ];
    for (const [source, count] of sources) expect(analyzed(source).residuals?.count, source).toBe(count);
    // Increasing, though no single operation is.
    const wavy = (waves: string): string =>
      `s = sum((v - 1) ** 2 for v in x)\nif s > 0:\n    t = math.log(s)\n    return math.exp(t + ${waves})\nreturn 0.0`;
    expect(analyzed(wavy('0.4 * math.sin(t) + 0.4 * math.cos(t)')).residuals?.count).toBe(3);
    expect(analyzed(wavy('0.6 * math.sin(t) + 0.6 * math.cos(t)')).residuals).toBe(null);
    expect(analyzed('return x[0] ** 2 - x[1] ** 2').residuals).toBe(null);
    expect(analyzed('return x[0] ** 2 + abs(x[1])').residuals).toBe(null);
  });

  it('reads the compensated sums of Python 3.12 like plain ones, and only those', () => {
    const sources = [
      'return sum((v - k) ** 2 for k, v in enumerate(x))',
      'return 10 * len(x) + sum(v * v - 10 * math.cos(2 * math.pi * v) for v in x)',
      'return sum([2, 1.0, 0.5, 0.25] + [abs(v) for v in x])',
      'm = sum(x) / len(x)\nreturn sum((v - m) ** 2 for v in x) + abs(sum(x[:2]) - 3)',
    ];
    for (const source of sources) {
      for (const n of [3, 100]) {
        const plain = analyzed(source, n, [-5, 5], 11);
        expect(analyzed(source, n, [-5, 5], 12), `${source}, n = ${n}`).toEqual(plain);
      }
    }
    // What is added here is no rounding error of the sum.
    const rest = (lost: string): string => `t = x[0] + x[1]\nc = ${lost}\nreturn t + c if c != 0 else t`;
    expect(analyzed(rest('(x[0] - t) + x[2]')).variables.map(({ used }) => used)).toEqual([true, true, true]);
    expect(analyzed(rest('(x[0] - t) * x[1]')).traits.isSmooth).toBe(false);
  });

  it('knows which variables matter, and which can interact', () => {
    const { variables, blocks, interactingPairs } = analyzed('return x[0] * x[1] + abs(x[2] - 1) + x[4]', 5);
    expect(variables.map(({ used }) => used)).toEqual([true, true, true, false, true]);
    expect(blocks).toEqual([[0, 1], [2], [4]]);
    expect(interactingPairs).toBe(1);
  });

  it('knows kinks, waves, rounding and convexity by composition', () => {
    expect(analyzed('return sum(v * v for v in x)').traits).toMatchObject({ isSmooth: true, isConvex: true });
    expect(analyzed('return max(abs(v) for v in x)').traits).toMatchObject({ isSmooth: false, isConvex: true });
    expect(analyzed('return np.sum(np.floor(x + 0.5) ** 2)').traits).toMatchObject({
      hasRounding: true,
      isConvex: false,
    });
    expect(analyzed('return np.sum(np.cos(3 * x))').traits).toMatchObject({ isPeriodic: true, isSmooth: true });
    expect(analyzed('return np.sum(np.cos(3 * x))', 3, [0, 1]).traits.isPeriodic).toBe(false);
    expect(analyzed('return np.sum(np.abs(x))', 3, [1, 2]).traits.isSmooth).toBe(true);
  });

  it('says of loops without a count, and of too large programs, only what is known', () => {
    const loop = analyzed('y = x[0]\nwhile abs(y) > 1:\n    y = y / 2\nreturn y * y + x[1] ** 2');
    expect(loop.variables.map(({ used }) => used)).toEqual([true, true, false]);
    expect(loop.traits.isSmooth).toBe(false);
    const code =
      'def objective(x):\n    s = 0\n    for i in range(300):\n        for j in range(300):\n            s += (x[0] - i * x[1] + j) ** 2\n    return s\n';
    const { ir } = compile(code, [
      [0, 1],
      [0, 1],
    ]);
    expect(analyzeProgram(ir!).structure.findings.map(({ topic }) => topic)).toEqual(['limits']);
  });

  it('is not led astray by powers of powers', () => {
    const power = 'p = abs(v)\n        for _ in range(40):\n            p = p * p * p\n        total += p';
    const { residuals } = analyzed(
      `total = 0\n    for v in x:\n        ${power}\n    return total`.replaceAll('\n    ', '\n'),
      2,
      [0, 1],
    );
    expect(residuals).not.toBeUndefined();
  });

  it('makes valid programs, and no false statement about the objective fixtures', { timeout: 120_000 }, () => {
    for (const { name, code, bounds } of compiledPrograms()) {
      if (bounds.length > 8) continue;
      const { ir, box } = compile(code, bounds);
      if (ir === null) continue;
      const analysis = analyzeProgram(ir, box);
      for (const program of [analysis.terms(), analysis.residuals()]) {
        if (program !== null) expect(verifyIr(program), name).toEqual([]);
      }
      if (ir.types.length < 2_000) expect(check(ir, box, analysis).failures, name).toEqual([]);
    }
  });

  it('is caught when it says something false', () => {
    const { ir, box } = compile('import math\ndef objective(x):\n    return x[0] * x[1] + math.sin(3 * x[0])\n', [
      [-5, 5],
      [-5, 5],
    ]);
    const analysis = analyzeProgram(ir!, box);
    expect(check(ir!, box, analysis).failures).toEqual([]);
    const { structure } = analysis;
    const claims: Partial<ProgramAnalysis['structure']>[] = [
      { variables: [{ used: false }, { used: false }] },
      { outer: [{ op: 'affine', offset: 1, factor: 1 }] },
      { outer: [{ op: 'affine', offset: 0, factor: -1 }] },
      { traits: { ...structure.traits, isConvex: true } },
      { terms: { ...structure.terms!, dependsOn: structure.terms!.dependsOn.map(() => []) } },
    ];
    for (const claim of claims) {
      const falsely = { ...analysis, structure: { ...structure, ...claim } };
      expect(check(ir!, box, falsely).failures.length, JSON.stringify(claim)).toBeGreaterThan(0);
    }
    const apart = { ...analysis, canInteract: () => false };
    expect(check(ir!, box, apart).failures.length).toBeGreaterThan(0);
  });
});
