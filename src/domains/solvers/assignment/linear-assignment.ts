/**
 * Linear assignment: each row gets a column of its own at the least total cost.
 * Source: Jonker and Volgenant, Computing 38 (1987); shortest augmenting paths with potentials.
 */

export interface Assignment {
  /** Column of each row. */
  readonly columnOf: Int32Array;
  readonly cost: number;
  /** Sum of the potentials: no assignment costs less, but for rounding. */
  readonly bound: number;
}

/** `cost` [rows, columns] row-major; rows <= columns. O(rows^2 columns). Every entry finite. */
export function linearAssignment(cost: Float64Array, rows: number, columns: number): Assignment {
  if (rows > columns) throw new RangeError(`${rows} rows have only ${columns} columns`);
  const rowPotential = new Float64Array(rows);
  const columnPotential = new Float64Array(columns);
  /** Row of each column, -1: free. */
  const rowOf = new Int32Array(columns).fill(-1);
  const distance = new Float64Array(columns);
  const before = new Int32Array(columns);
  const isDone = new Uint8Array(columns);
  for (let start = 0; start < rows; start++) {
    distance.fill(Infinity);
    isDone.fill(0);
    before.fill(-1);
    let row = start;
    let last = -1;
    for (;;) {
      let next = -1;
      let least = Infinity;
      const base = last < 0 ? 0 : distance[last];
      for (let c = 0; c < columns; c++) {
        if (isDone[c] === 1) continue;
        const through = base + cost[row * columns + c] - rowPotential[row] - columnPotential[c];
        if (through < distance[c]) {
          distance[c] = through;
          before[c] = last;
        }
        if (distance[c] < least) {
          least = distance[c]!;
          next = c;
        }
      }
      isDone[next] = 1;
      last = next;
      if (rowOf[next] < 0) break;
      row = rowOf[next]!;
    }
    const length = distance[last];
    rowPotential[start] += length;
    for (let c = 0; c < columns; c++) {
      if (isDone[c] === 0 || c === last) continue;
      rowPotential[rowOf[c]] += length - distance[c];
      columnPotential[c] -= length - distance[c];
    }
    for (let c = last; c >= 0; c = before[c]!) rowOf[c] = before[c] < 0 ? start : rowOf[before[c]];
  }
  const columnOf = new Int32Array(rows);
  let total = 0;
  let bound = 0;
  for (let c = 0; c < columns; c++) {
    if (rowOf[c] < 0) continue;
    columnOf[rowOf[c]] = c;
    bound += columnPotential[c];
  }
  for (let r = 0; r < rows; r++) {
    total += cost[r * columns + columnOf[r]];
    bound += rowPotential[r];
  }
  return { columnOf, cost: total, bound };
}
