/**
 * The order of the passes. A pass takes IR and returns new IR with equal value bits and status for every candidate; the
 * line of the failing check stays as well.
 */
import type { IrFunction } from '../ir/types.js';
import { eliminateDeadCode } from './eliminate-dead-code.js';
import { foldConstants } from './fold-constants.js';

export interface Pass {
  readonly name: string;
  readonly run: (fn: IrFunction) => IrFunction;
}

export const PIPELINE: readonly Pass[] = [
  { name: 'fold-constants', run: foldConstants },
  { name: 'eliminate-dead-code', run: eliminateDeadCode },
];

/** Runs the passes that the front end's output goes through before a backend opens it. Cost: O(nodes). */
export function optimizeIr(fn: IrFunction): IrFunction {
  return PIPELINE.reduce((current, pass) => pass.run(current), fn);
}
