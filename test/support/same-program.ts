import { expect } from 'vitest';
import { interpret } from '../../src/ir/interpreter.js';
import type { IrFunction } from '../../src/ir/types.js';
import { verifyIr } from '../../src/ir/verifier.js';
import { eliminateDeadCode } from '../../src/passes/eliminate-dead-code.js';
import { randomCandidates } from './random-ir.js';

const CANDIDATES = 12;

/** Expects that a pass has left a whole program, once its numbers have no gaps, with the results of the one before. */
export function expectSameProgram(before: IrFunction, after: IrFunction, seed: number): void {
  const whole = eliminateDeadCode(after);
  expect(verifyIr(whole)).toEqual([]);
  const rows = randomCandidates(seed, CANDIDATES, before.dimension);
  for (let i = 0; i < CANDIDATES; i++) {
    const x = rows.subarray(i * before.dimension, (i + 1) * before.dimension);
    expect(interpret(whole, x), `seed ${seed}, candidate [${[...x].join(', ')}]`).toEqual(interpret(before, x));
  }
}
