/** Cells of equal width along single coordinates, within which a program that rounds has one value. */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';

/** In the unit box; both [n]. */
export interface Lattice {
  /** Width of the cells; 0: values do not come in steps along this coordinate. */
  readonly width: Float64Array;
  /** An end of a cell. */
  readonly edge: Float64Array;
}

export interface LatticeSnapshot {
  readonly width: string;
  readonly edge: string;
}

/** Number of the cell, counted from the one above `edge`. */
export const cellOf = ({ width, edge }: Lattice, i: number, u: number): number => Math.floor((u - edge[i]) / width[i]);

/** Where the cell is asked for: its middle, or the bound nearest to that. */
export const middleOf = ({ width, edge }: Lattice, i: number, cell: number): number =>
  Math.min(1, Math.max(0, edge[i] + (cell + 0.5) * width[i]));

/** Moves `points[start .. start+n]` to the middle of its cell. */
export function moveToMiddle(lattice: Lattice, points: Float64Array, start = 0): void {
  const { width } = lattice;
  for (let i = 0; i < width.length; i++) {
    if (width[i] > 0) points[start + i] = middleOf(lattice, i, cellOf(lattice, i, points[start + i]));
  }
}

/** Which cell of all coordinates that have cells. */
export function keyOf(lattice: Lattice, points: Float64Array, start = 0): string {
  let key = '';
  for (let i = 0; i < lattice.width.length; i++) {
    if (lattice.width[i] > 0) key += `${cellOf(lattice, i, points[start + i])} `;
  }
  return key;
}

/** Whether all coordinates have cells, so that a cell has one value. */
export const isWhole = ({ width }: Lattice): boolean => width.every((w) => w > 0);

export const encodeLattice = ({ width, edge }: Lattice): LatticeSnapshot => ({
  width: encodeFloats(width),
  edge: encodeFloats(edge),
});

export const decodeLattice = ({ width, edge }: LatticeSnapshot, n: number): Lattice => ({
  width: decodeFloats(width, n),
  edge: decodeFloats(edge, n),
});
