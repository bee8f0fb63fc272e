/**
 * Who stays: whole fronts, the best first; of the front that does not fit wholly those that contribute most to its
 * hypervolume, found by taking away the least one by one (Beume, Naujoks and Emmerich, SMS-EMOA: multiobjective
 * selection based on dominated hypervolume, EJOR 181(3), 2007).
 */
import { frontsOf } from '../../pareto/dominance.js';
import { Contributions } from '../../pareto/hypervolume.js';
import { REFERENCE } from './parameters.js';

interface Selected {
  /** Rows that stay, rising. */
  readonly rows: number[];
  /** The front of each row. */
  readonly fronts: Int32Array;
}

/** `values`: [count, k]; `size` of them stay. */
export function select(values: Float64Array, count: number, k: number, size: number): Selected {
  const fronts = frontsOf(values, count, k);
  const sizes = new Int32Array(count + 1);
  for (const front of fronts) sizes[front]++;
  let whole = 0;
  let kept = 0;
  while (kept + sizes[whole] <= size && kept < count) kept += sizes[whole++];
  const rows: number[] = [];
  const split: number[] = [];
  fronts.forEach((front, row) => {
    if (front < whole) rows.push(row);
    else if (front === whole) split.push(row);
  });
  if (kept < size) rows.push(...mostContributing(values, split, k, size - kept));
  rows.sort((a, b) => a - b);
  return { rows, fronts };
}

function mostContributing(values: Float64Array, rows: readonly number[], k: number, size: number): number[] {
  const count = rows.length;
  const scaled = new Float64Array(count * k);
  const isEnd = new Uint8Array(count);
  for (let i = 0; i < k; i++) {
    let end = 0;
    let worst = -Infinity;
    for (let r = 0; r < count; r++) {
      const value = (scaled[r * k + i] = values[rows[r] * k + i] / 2);
      if (value < scaled[end * k + i]) end = r;
      worst = Math.max(worst, value);
    }
    const best = scaled[end * k + i];
    for (let r = 0; r < count; r++) scaled[r * k + i] = worst > best ? (scaled[r * k + i] - best) / (worst - best) : 0;
    isEnd[end] = 1;
  }
  const reference = new Float64Array(k).fill(REFERENCE);
  const contributions = new Contributions(scaled, count, k, reference);
  const isIn = new Uint8Array(count).fill(1);
  // Taking a point away only raises what others contribute: a value that was the least and is still, is.
  const known = Float64Array.from(rows, (_, r) => contributions.of(r, isIn));
  const isFresh = new Uint8Array(count).fill(1);
  for (let left = count; left > size;) {
    let least = -1;
    for (let r = 0; r < count; r++) {
      // As long as there is room, the ends stay.
      if (isIn[r] === 0 || (isEnd[r] === 1 && size >= k)) continue;
      if (least < 0 || known[r] < known[least]) least = r;
    }
    if (isFresh[least] === 0) {
      known[least] = contributions.of(least, isIn);
      isFresh[least] = 1;
      continue;
    }
    isIn[least] = 0;
    isFresh.fill(0);
    left--;
  }
  return rows.filter((_, r) => isIn[r] === 1);
}
