/** Objectives built by hand as IR, and candidates for them, for the benchmarks of backends. */
import { createOutput } from '../../dist/backends/backend.js';
import { InterpreterBackend } from '../../dist/backends/interpreter/interpreter-backend.js';
import { IrBuilder } from '../../dist/ir/builder.js';
import { alignedFloats } from '../../dist/common/aligned.js';
import { tiledLength, toTiles } from '../../dist/model/tiles.js';

export const DIMENSION = 30;
export const POPULATION = 4096;

export function rosenbrock() {
  const b = new IrBuilder('rosenbrock', DIMENSION);
  let sum = b.const(0);
  for (let i = 0; i + 1 < DIMENSION; i++) {
    const [x, y] = [b.x(i), b.x(i + 1)];
    const u = b.op('sub', y, b.op('mul', x, x));
    const v = b.op('sub', b.const(1), x);
    sum = b.op('add', sum, b.op('add', b.op('mul', b.const(100), b.op('mul', u, u)), b.op('mul', v, v)));
  }
  return b.finish(sum);
}

export function rastrigin() {
  const b = new IrBuilder('rastrigin', DIMENSION);
  let sum = b.const(10 * DIMENSION);
  for (let i = 0; i < DIMENSION; i++) {
    const x = b.x(i);
    const wave = b.op('mul', b.const(10), b.op('cos', b.op('mul', b.const(2 * Math.PI), x)));
    sum = b.op('add', sum, b.op('sub', b.op('mul', x, x), wave));
  }
  return b.finish(sum);
}

export function ackley() {
  const b = new IrBuilder('ackley', DIMENSION);
  let squares = b.const(0);
  let waves = b.const(0);
  for (let i = 0; i < DIMENSION; i++) {
    const x = b.x(i);
    squares = b.op('add', squares, b.op('mul', x, x));
    waves = b.op('add', waves, b.op('cos', b.op('mul', b.const(2 * Math.PI), x)));
  }
  const root = b.op('sqrt', b.op('div', squares, b.const(DIMENSION)));
  const first = b.op('mul', b.const(-20), b.op('exp', b.op('mul', b.const(-0.2), root)));
  const second = b.op('exp', b.op('div', waves, b.const(DIMENSION)));
  return b.finish(b.op('add', b.op('add', b.op('sub', first, second), b.const(20)), b.const(Math.E)));
}

/** In [-5, 5], the same every time. */
export function candidates(population = POPULATION) {
  let state = 1;
  return Float64Array.from({ length: population * DIMENSION }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32) * 10 - 5;
  });
}

/** A batch of these rows as strategies hand over populations: in tiles. */
/** Uniform in a box of [low, high] pairs, the same every time. */
export function candidatesIn(box, population = POPULATION) {
  let state = 1;
  const draw = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  return Float64Array.from({ length: population * box.length }, (_, k) => {
    const [low, high] = box[k % box.length];
    return low + draw() * (high - low);
  });
}

export const batchOf = (rows, dimension = DIMENSION) => {
  const count = rows.length / dimension;
  const tiles = alignedFloats(tiledLength(count, dimension));
  return { candidates: toTiles(rows, count, dimension, tiles), layout: 'tiles', count, dimension };
};

export const objectiveOf = (ir) => ({
  source: { code: '', entry: null, argument: 'list' },
  dimension: ir.dimension,
  ir,
});

/** The interpreter's values of the first rows. */
export async function reference(fn, all, rows) {
  const output = createOutput(rows);
  const kernel = await new InterpreterBackend().open(objectiveOf(fn));
  await kernel.evaluate({ candidates: all, count: rows, dimension: DIMENSION }, output);
  return output.values;
}
