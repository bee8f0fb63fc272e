/**
 * Values of a kernel against the interpreter's, at a few candidates, before anybody relies on them: for places that
 * translate generated text by means of their own.
 */
import { Rng } from '../../common/rng.js';
import { interpret } from '../../ir/interpreter.js';
import { resultsOf, type IrFunction } from '../../ir/types.js';
import { walk } from '../../ir/walk.js';
import { TILE_LANES } from '../../model/tiles.js';
import { isWithin, type Approximation } from '../backend.js';

/** Operations of the interpreter that a trial may take. */
const WORK = 300_000;
const LEAST_CANDIDATES = 4;
const SCALES = [1, 0.1, 10, 1_000];

/**
 * Whether a trial takes no longer than a moment: neither loops that end on each candidate at another turn, nor many
 * operations.
 */
export function isQuickToTry(ir: IrFunction, work: number): boolean {
  let isQuick = LEAST_CANDIDATES * work <= WORK;
  walk(ir.body, ({ kind }) => (isQuick &&= kind !== 'loop'));
  return isQuick;
}

/** Rows [count, dimension]. Every fourth candidate has whole coordinates. */
export function trialCandidates(ir: IrFunction, work: number): { readonly rows: Float64Array; readonly count: number } {
  const { dimension } = ir;
  const count = Math.max(LEAST_CANDIDATES, Math.min(TILE_LANES, Math.floor(WORK / Math.max(1, work))));
  const rng = Rng.create(1);
  const rows = Float64Array.from({ length: count * dimension }, (_, at) => {
    const row = Math.floor(at / dimension);
    const number = SCALES[Math.floor(row / 4) % SCALES.length] * (2 * rng.uniform() - 1);
    return row % 4 === 3 ? Math.round(number) : number;
  });
  return { rows, count };
}

/** The first value that is not within its bound, in words; null: there is none. */
export function trialProblem(ir: IrFunction, rows: Float64Array, count: number, found: Approximation): string | null {
  const { dimension } = ir;
  const results = resultsOf(ir);
  for (let row = 0; row < count; row++) {
    const isSaid = found.errors.subarray(row * results, (row + 1) * results).some((error) => error < Infinity);
    // The interpreter may be long with candidates of which nothing is said.
    if (!isSaid) continue;
    const { value, status, outputs } = interpret(ir, rows.subarray(row * dimension, (row + 1) * dimension));
    for (let k = 0; k < results; k++) {
      const exact = status !== 0 ? NaN : k === 0 ? value : outputs![k - 1];
      const [single, error] = [found.values[row * results + k], found.errors[row * results + k]];
      if (!isWithin(single, error, exact)) return `${single} for ${exact}, which is not within ${error}`;
    }
  }
  return null;
}
