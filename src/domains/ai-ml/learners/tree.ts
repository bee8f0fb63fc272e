/**
 * Growing one decision tree: each split is the best of all columns and places by Gini impurity or squared error. Of
 * equal splits the first column and lowest threshold count.
 * Source: Breiman, Friedman, Olshen and Stone, Classification and regression trees, 1984.
 *
 * Columns are sorted once; a split divides each column's rows and keeps their order.
 */
import type { Rng } from '../../../common/rng.js';
import type { TrainingData } from './learner.js';

/** Rows of each column by value, those of equal value ascending: [columns, rows]. */
export function sortedColumns({ rows, columns, features }: TrainingData): Int32Array {
  const order = new Int32Array(rows * columns);
  const keys = new Float64Array(rows);
  for (let j = 0; j < columns; j++) {
    for (let i = 0; i < rows; i++) keys[i] = features[i * columns + j];
    const sorted = Int32Array.from(keys.keys()).sort((a, b) => keys[a] - keys[b] || a - b);
    order.set(sorted, j * rows);
  }
  return order;
}

export interface TreeOptions {
  readonly maxDepth: number;
  readonly minSamplesLeaf: number;
  readonly minSamplesSplit: number;
  /** Columns that a split may choose among, drawn anew for each. Absent: all. */
  readonly drawn?: { readonly count: number; readonly rng: Rng };
  look(): void;
}

export interface Growth {
  readonly data: Pick<TrainingData, 'rows' | 'columns' | 'features' | 'classes'>;
  /** As `sortedColumns` gives it. */
  readonly order: Int32Array;
  /** [rows]: a number, or the index of a class. */
  readonly target: Float64Array;
  /** [rows]: how often a row counts; 0: not at all. Whole numbers. */
  readonly weights: Float64Array;
}

export interface Tree {
  /** Column of each node; -1: a leaf. */
  readonly column: Int32Array;
  /** Rows up to it go left. */
  readonly threshold: Float64Array;
  /** The left child; the right one follows it. */
  readonly child: Int32Array;
  /** [nodes, width]: shares of the classes, or the mean. */
  readonly values: Float64Array;
  readonly width: number;
  /** [rows]: the leaf that a row of weight above 0 ended in. */
  readonly leafOf: Int32Array;
}

interface Split {
  readonly column: number;
  readonly threshold: number;
}

class Grower {
  private readonly order: Int32Array;
  private readonly buffer: Int32Array;
  private readonly isLeft: Uint8Array;
  private readonly left: Float64Array;
  private readonly right: Float64Array;
  private readonly columns: Int32Array;
  readonly count: number;
  readonly width: number;

  constructor(
    private readonly growth: Growth,
    private readonly options: TreeOptions,
  ) {
    const { data, order, weights } = growth;
    const { rows, columns, classes } = data;
    this.count = weights.reduce((sum, weight) => sum + (weight > 0 ? 1 : 0), 0);
    this.order = new Int32Array(this.count * columns);
    for (let from = 0, at = 0; from < order.length; from++) {
      if (weights[order[from]] > 0) this.order[at++] = order[from];
    }
    this.buffer = new Int32Array(this.count);
    this.isLeft = new Uint8Array(rows);
    this.width = Math.max(1, classes);
    this.left = new Float64Array(this.width);
    this.right = new Float64Array(this.width);
    this.columns = Int32Array.from({ length: columns }, (_, j) => j);
  }

  /** Rows of a node by the first column. */
  rowsOf(from: number, to: number): Int32Array {
    return this.order.subarray(from, to);
  }

  /** Sums of a node: weight, and weights of classes or the sum of the target. */
  total(from: number, to: number): { weight: number; sums: Float64Array; isPure: boolean } {
    const { target, weights, data } = this.growth;
    const sums = new Float64Array(this.width);
    let weight = 0;
    let isPure = true;
    for (let k = from; k < to; k++) {
      const row = this.order[k];
      weight += weights[row];
      if (data.classes > 0) sums[target[row]] += weights[row];
      else sums[0] += weights[row] * target[row];
      isPure &&= target[row] === target[this.order[from]];
    }
    return { weight, sums, isPure };
  }

  /** Null: no place keeps enough rows on both sides. */
  best(from: number, to: number, weight: number, sums: Float64Array): Split | null {
    const { drawn } = this.options;
    const { columns } = this;
    let found: Split | null = null;
    let most = -Infinity;
    let looked = 0;
    for (let k = 0; k < columns.length; k++) {
      if (drawn !== undefined) {
        // So many columns, and further ones until one can be split.
        if (looked >= drawn.count && found !== null) break;
        const other = k + drawn.rng.below(columns.length - k);
        [columns[k], columns[other]] = [columns[other], columns[k]];
      }
      const column = columns[k];
      const place = this.bestOf(column, from, to, weight, sums);
      if (place === null) continue;
      looked++;
      if (place.gain > most) [found, most] = [{ column, threshold: place.threshold }, place.gain];
    }
    return found;
  }

  /** Best split by one column; null where its values are equal, or too few rows would be on a side. */
  private bestOf(column: number, from: number, to: number, weight: number, sums: Float64Array) {
    const { target, weights, data } = this.growth;
    const { features, columns, classes } = data;
    const { minSamplesLeaf } = this.options;
    const { left, right, order } = this;
    const start = column * this.count;
    const valueAt = (k: number): number => features[order[start + k] * columns + column];
    if (valueAt(from) === valueAt(to - 1)) return null;
    left.fill(0);
    right.set(sums);
    let leftSquares = 0;
    let rightSquares = 0;
    for (const sum of sums) rightSquares += sum * sum;
    let leftWeight = 0;
    let most = -Infinity;
    let threshold = NaN;
    for (let k = from; k < to - 1; k++) {
      const row = order[start + k];
      const w = weights[row];
      leftWeight += w;
      if (classes > 0) {
        const c = target[row];
        leftSquares += w * (2 * left[c] + w);
        rightSquares += w * (w - 2 * right[c]);
        left[c] += w;
        right[c] -= w;
      } else {
        left[0] += w * target[row];
        leftSquares = left[0] * left[0];
        rightSquares = (sums[0] - left[0]) ** 2;
      }
      const rightWeight = weight - leftWeight;
      if (leftWeight < minSamplesLeaf) continue;
      if (rightWeight < minSamplesLeaf) break;
      const low = valueAt(k);
      const high = valueAt(k + 1);
      if (low === high) continue;
      // What is left of the impurity falls by as much as this rises.
      const gain = leftSquares / leftWeight + rightSquares / rightWeight;
      if (gain > most) {
        most = gain;
        const middle = low / 2 + high / 2;
        // Halves of the least numbers are rounded.
        threshold = middle >= low && middle < high ? middle : low;
      }
    }
    return most === -Infinity ? null : { gain: most, threshold };
  }

  /** Divides the rows of every column; returns where the right part begins. */
  divide(from: number, to: number, { column, threshold }: Split): number {
    const { features, columns } = this.growth.data;
    const { order, buffer, isLeft, count } = this;
    let middle = from;
    for (let k = from; k < to; k++) {
      const row = order[k];
      isLeft[row] = features[row * columns + column] <= threshold ? 1 : 0;
      middle += isLeft[row];
    }
    for (let j = 0; j < columns; j++) {
      const start = j * count;
      let leftAt = start + from;
      let rights = 0;
      for (let k = start + from; k < start + to; k++) {
        const row = order[k];
        if (isLeft[row] === 1) order[leftAt++] = row;
        else buffer[rights++] = row;
      }
      order.set(buffer.subarray(0, rights), leftAt);
    }
    return middle;
  }
}

export function growTree(growth: Growth, options: TreeOptions): Tree {
  const grower = new Grower(growth, options);
  const { width } = grower;
  const column: number[] = [-1];
  const threshold: number[] = [NaN];
  const child: number[] = [-1];
  const values: number[] = [];
  const leafOf = new Int32Array(growth.data.rows).fill(-1);
  const open = [{ node: 0, from: 0, to: grower.count, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    options.look();
    const { node, from, to, depth } = next;
    const { weight, sums, isPure } = grower.total(from, to);
    const mayBeSplit = !isPure && depth < options.maxDepth && weight >= options.minSamplesSplit;
    const split = mayBeSplit ? grower.best(from, to, weight, sums) : null;
    for (let c = 0; c < width; c++) values[node * width + c] = sums[c] / weight;
    if (split === null) {
      for (const row of grower.rowsOf(from, to)) leafOf[row] = node;
      continue;
    }
    const middle = grower.divide(from, to, split);
    const left = column.length;
    column[node] = split.column;
    threshold[node] = split.threshold;
    child[node] = left;
    column.push(-1, -1);
    threshold.push(NaN, NaN);
    child.push(-1, -1);
    open.push({ node: left + 1, from: middle, to, depth: depth + 1 });
    open.push({ node: left, from, to: middle, depth: depth + 1 });
  }
  return {
    column: Int32Array.from(column),
    threshold: Float64Array.from(threshold),
    child: Int32Array.from(child),
    values: Float64Array.from(values),
    width,
    leafOf,
  };
}

/** The leaf of row i of `features` [rows, columns]. */
export function leafAt({ column, threshold, child }: Tree, features: Float64Array, i: number, columns: number): number {
  let node = 0;
  while (column[node] >= 0) {
    node = child[node] + (features[i * columns + column[node]] <= threshold[node] ? 0 : 1);
  }
  return node;
}
