import { describe, expect, it } from 'vitest';
import { Rng } from '../../common/rng.js';
import { Archive } from './archive.js';
import { findLattice } from './find-lattice.js';
import { cellOf, keyOf, moveToMiddle, type Lattice } from './lattice.js';
import { SeenCells } from './seen-cells.js';

type Box = readonly (readonly [number, number])[];
type Program = (x: readonly number[]) => number;

/** What is found around the centre of the box, and by how many evaluations after the gradient's. */
function found(
  box: Box,
  program: Program,
  budget = 1000,
): { readonly lattice: Lattice | null; readonly asked: number } {
  const n = box.length;
  const lower = Float64Array.from(box, ([low]) => low);
  const widths = Float64Array.from(box, ([low, high]) => high - low);
  const value = (u: Float64Array): number => program(Array.from(u, (share, i) => lower[i] + share * widths[i]));
  const x = new Float64Array(n).fill(0.5);
  const fitness = value(x);
  const g = x.map((_, i) => (value(x.map((u, k) => (k === i ? u + 1e-7 : u))) - fitness) / 1e-7);
  const context = { n, rng: Rng.create(1), archive: new Archive(n), budget, lower, widths };
  const questions = findLattice(context, x, fitness, g);
  let asked = 0;
  let question = questions.next();
  while (question.done !== true) {
    const { points, count } = question.value;
    asked += count;
    question = questions.next(
      Float64Array.from({ length: count }, (_, row) => value(points.slice(row * n, (row + 1) * n))),
    );
  }
  return { lattice: question.value, asked };
}

/** In the units of the box. */
const widthsOf = (box: Box, lattice: Lattice | null): number[] | null =>
  lattice && Array.from(lattice.width, (w, i) => Number((w * (box[i][1] - box[i][0])).toPrecision(9)));

describe('findLattice', () => {
  const box: Box = [
    [-3.4, 9.2],
    [0.5, 20.4],
    [-7, 4],
  ];
  const bowl: Program = ([a, b, c]) => (a - 2) ** 2 + (b - 7 + 0.3 * a) ** 2 + 2 * (c + 1) ** 2 + b * c;

  it('finds the cells of a program that rounds all its variables by a few evaluations', () => {
    const { lattice, asked } = found(box, (x) => bowl(x.map(Math.round)));
    expect(widthsOf(box, lattice)).toEqual([1, 1, 1]);
    expect(asked).toBeLessThan(13);
    // The ends of the cells are halves.
    for (const [i, [low, high]] of box.entries()) {
      const [before, after] = [1.499, 1.501].map((at) => cellOf(lattice!, i, (at - low) / (high - low)));
      expect(after - before).toBe(1);
    }
  });

  it('finds which variables are rounded, by what width, and how', () => {
    expect(widthsOf(box, found(box, ([a, b, c]) => bowl([Math.floor(a), b, Math.round(c)])).lattice)).toEqual([
      1, 0, 1,
    ]);
    const tenths = found(box, ([a, b, c]) => bowl([Math.round(10 * a) / 10, 2 * Math.round(b / 2), c])).lattice;
    expect(widthsOf(box, tenths)).toEqual([0.1, 2, 0]);
  });

  it('finds switches that turn where x is', () => {
    const unit: Box = [
      [0, 1],
      [0, 1],
    ];
    const program: Program = ([a, b]) => (a > 0.5 ? 3 : 5) + (b > 0.5 ? 1 : 0) * (a > 0.5 ? -2 : 1);
    const { lattice } = found(unit, program, 20);
    expect(lattice).not.toBeNull();
    expect(keyOf(lattice!, Float64Array.of(0.1, 0.9))).toBe(keyOf(lattice!, Float64Array.of(0.4, 0.6)));
    expect(keyOf(lattice!, Float64Array.of(0.1, 0.9))).not.toBe(keyOf(lattice!, Float64Array.of(0.1, 0.4)));
  });

  it('asks nothing where all differences tell something', () => {
    expect(found(box, bowl)).toEqual({ lattice: null, asked: 0 });
  });

  it('takes no steps along other directions, and no order of the variables, for cells', () => {
    const cube: Box = [
      [-5, 5],
      [-5, 5],
      [-5, 5],
    ];
    const turned: Program = ([a, b, c]) => {
      const z = [0.6 * a + 0.8 * b, 0.8 * a - 0.6 * b + 0.3 * c, c - 0.2 * a].map((v) => Math.floor(v + 0.5));
      return z[0] ** 2 + 3 * z[1] ** 2 + 7 * z[2] ** 2;
    };
    expect(found(cube, turned).lattice).toBeNull();
    const order: Program = (x) => {
      const places = x.map((_, i) => i).sort((i, k) => x[i] - x[k] || i - k);
      return places.reduce((sum, i, place) => sum + Math.sin(1.3 * i * (place + 1)), 0);
    };
    expect(found(cube, order).lattice).toBeNull();
  });

  it('takes no flat part for a cell that ends in ramps, wherever its ends are', () => {
    const square: Box = [[-3, 3], [-3, 3], [-3, 3]]; // prettier-ignore
    const dead: Program = (x) => x.reduce((sum, v) => sum + (Math.max(0, Math.abs(v) - 0.5) - 0.2) ** 2, 0);
    expect(found(square, dead).lattice).toBeNull();
    expect(found(square, (x) => dead(x.map(Math.round))).lattice).not.toBeNull();
    const hinge: Program = ([v]) => (Math.max(0, v) - 0.3) ** 2;
    expect(found([[-1, 0.8]], hinge).lattice).toBeNull();
    expect(found([[-3, 1]], ([v]) => Math.min(1, Math.max(0, v))).lattice).toBeNull();
  });

  it('takes no plateau for a cell', () => {
    expect(found(box, ([a, b, c]) => Math.max(3, bowl([a, b, c])) && 3).lattice).toBeNull();
    expect(found(box, ([a]) => Math.max(0, Math.abs(a - 2.9) - 2.5) ** 2).lattice).toBeNull();
  });
});

describe('SeenCells', () => {
  it('knows the least value of each cell, and counts distances in cells', () => {
    const archive = new Archive(2);
    const lattice: Lattice = { width: Float64Array.of(0.1, 0.2), edge: Float64Array.of(0, 0) };
    for (const [a, b, value] of [
      [0.11, 0.3, 5],
      [0.19, 0.21, 4],
      [0.55, 0.9, 1],
    ]) {
      archive.add(Float64Array.of(a, b), 0, value, false);
    }
    const seen = new SeenCells(archive, lattice).sync();
    expect(seen.value(keyOf(lattice, Float64Array.of(0.15, 0.35)))).toBe(4);
    expect(seen.value(keyOf(lattice, Float64Array.of(0.95, 0.35)))).toBeUndefined();
    archive.add(Float64Array.of(0.5, 0.85), 0, 0.5, false);
    const middle = Float64Array.of(0.56, 0.99);
    moveToMiddle(lattice, middle);
    expect(seen.sync().nearest(middle, 1)).toEqual([{ point: middle, value: 0.5, distance: 0 }]);
  });
});
