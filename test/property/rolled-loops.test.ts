/**
 * Rolled and unrolled loops are one program in two forms: value, status and line of every lane are the same. Every
 * objective of the fixtures is compiled both ways.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import { interpret } from '../../src/ir/interpreter.js';
import type { IrFunction } from '../../src/ir/types.js';
import { verifyIr } from '../../src/ir/verifier.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
import { boundsFor, loadObjectiveFixtures, objectiveFolder } from '../support/objective-fixtures.js';

function compileWith(
  code: string,
  dimension: number,
  roll: 'always' | 'never',
  bounds: readonly (readonly [number, number])[] | null,
) {
  const { source, errors } = analyzeUpload(code, 'objective');
  if (source === null) throw new Error(errors[0].message);
  const box =
    bounds === null
      ? {}
      : { bounds: { lower: Float64Array.from(bounds, ([a]) => a), upper: Float64Array.from(bounds, ([, b]) => b) } };
  return compileObjective(source, { dimension, pythonMinor: 11, roll, ...box });
}

/** Points of the box, its corners and, where there are no bounds, numbers that make things fail. */
function candidates(bounds: readonly (readonly [number, number])[], isWild: boolean): number[][] {
  let state = 12345;
  const random = (): number => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  const inside = Array.from({ length: 4 }, () => bounds.map(([a, b]) => a + (b - a) * random()));
  const corners = [bounds.map(([a]) => a), bounds.map(([, b]) => b), bounds.map(([a, b], k) => (k % 2 === 0 ? a : b))];
  const wild = [0, -0, NaN, Infinity, -1e300, 1e-320];
  const outside = isWild
    ? Array.from({ length: 6 }, (_, j) => bounds.map(([a, b], k) => (k % 6 === j ? wild[j] : a + (b - a) * random())))
    : [];
  return [...inside, ...corners, ...outside];
}

export function expectSameLanes(
  rolled: IrFunction,
  unrolled: IrFunction,
  points: readonly (readonly number[])[],
): void {
  const optimized = optimizeIr(rolled);
  expect(verifyIr(optimized)).toEqual([]);
  for (const x of points) expect(interpret(optimized, x), `at [${x.join(', ')}]`).toEqual(interpret(unrolled, x));
}

describe('rolled loops', () => {
  for (const fixture of loadObjectiveFixtures()) {
    const code = readFileSync(`${objectiveFolder}${fixture.file}`, 'utf8');
    for (const dimension of fixture.dimensions.filter((n) => n <= 12).slice(-2)) {
      it(`${fixture.file} gives the same rolled and unrolled, dimension ${dimension}`, () => {
        const bounds = boundsFor(fixture, dimension);
        for (const box of [bounds, null]) {
          const rolled = compileWith(code, dimension, 'always', box);
          const unrolled = compileWith(code, dimension, 'never', box);
          if (unrolled.ir === null) {
            expect(rolled.reasons).toEqual(unrolled.reasons);
            continue;
          }
          expect(rolled.reasons).toEqual([]);
          expectSameLanes(rolled.ir as IrFunction, optimizeIr(unrolled.ir), candidates(bounds, box === null));
        }
      });
    }
  }
});
