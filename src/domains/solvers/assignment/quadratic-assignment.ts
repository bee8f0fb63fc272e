/**
 * Quadratic assignment: facility i goes to location p[i] so that the sum of flow[i, j] distance[p[i], p[j]] over all
 * ordered pairs, plus the sum of linear[i, p[i]], is least. Its cost, a lower bound, and the proof for small ones. The
 * search for large ones: tabu-search.ts.
 */
import { linearAssignment } from './linear-assignment.js';

export interface QuadraticAssignment {
  readonly n: number;
  /** All three [n, n] row-major. */
  readonly flow: Float64Array;
  readonly distance: Float64Array;
  readonly linear: Float64Array;
}

export function costOf({ n, flow, distance, linear }: QuadraticAssignment, places: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const place = places[i];
    sum += linear[i * n + place];
    for (let j = 0; j < n; j++) sum += flow[i * n + j] * distance[place * n + places[j]];
  }
  return sum;
}

/** Mean cost over all assignments. */
export function meanCost({ n, flow, distance, linear }: QuadraticAssignment): number {
  const sums = (matrix: Float64Array): [diagonal: number, rest: number] => {
    let diagonal = 0;
    let all = 0;
    for (let i = 0; i < n; i++) diagonal += matrix[i * n + i];
    for (const value of matrix) all += value;
    return [diagonal, all - diagonal];
  };
  const [flowOwn, flowRest] = sums(flow);
  const [distanceOwn, distanceRest] = sums(distance);
  const [linearOwn, linearRest] = sums(linear);
  const pairs = n > 1 ? (flowRest * distanceRest) / (n * (n - 1)) : 0;
  return (linearOwn + linearRest) / n + (flowOwn * distanceOwn) / n + pairs;
}

/** Whether every cost is a whole number that doubles hold exactly. */
export function isWhole({ flow, distance, linear }: QuadraticAssignment): boolean {
  const all = [flow, distance, linear];
  if (!all.every((matrix) => matrix.every((value) => Number.isInteger(value)))) return false;
  const most = (matrix: Float64Array): number =>
    matrix.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  return flow.length * (most(flow) * most(distance) + most(linear)) < 2 ** 52;
}

/** A bound that rounding cannot have lifted above the least cost; costs that are whole numbers round it up. */
const safeBound = (bound: number, scale: number, whole: boolean): number => {
  const lowered = bound - 1e-9 * Math.max(1, Math.abs(bound), scale);
  return whole ? Math.ceil(lowered) : lowered;
};

/**
 * Partial assignments and their Gilmore-Lawler bound: a free facility at a free location costs at least two parts. One
 * is its pairs with the placed facilities; the other is the least scalar product of its flows and that location's
 * distances among the free ones.
 * Sources: Gilmore, SIAM J. Appl. Math. 10 (1962); Lawler, Management Science 9 (1963).
 */
class PartialBound {
  private readonly table: Float64Array;
  /** Rows without their diagonal entry: flows of free facilities ascending, distances of free locations descending. */
  private readonly flows: Float64Array;
  private readonly distances: Float64Array;

  constructor(private readonly problem: QuadraticAssignment) {
    const size = problem.n * problem.n;
    this.table = new Float64Array(size);
    this.flows = new Float64Array(size);
    this.distances = new Float64Array(size);
  }

  /**
   * Bound of the cost that the free facilities add. `placed`: facilities with their `places`; `facilities`,
   * `locations`: the free ones, equally many, at least one.
   */
  of(placed: readonly number[], places: Int32Array, facilities: readonly number[], locations: readonly number[]) {
    const { n, flow, distance, linear } = this.problem;
    const m = facilities.length;
    this.sort(this.flows, flow, facilities, 1);
    this.sort(this.distances, distance, locations, -1);
    for (let a = 0; a < m; a++) {
      const i = facilities[a];
      for (let b = 0; b < m; b++) {
        const k = locations[b];
        let sum = linear[i * n + k] + flow[i * n + i] * distance[k * n + k];
        for (const j of placed) {
          const l = places[j];
          sum += flow[i * n + j] * distance[k * n + l] + flow[j * n + i] * distance[l * n + k];
        }
        for (let c = 0; c < m - 1; c++) sum += this.flows[a * n + c] * this.distances[b * n + c];
        this.table[a * m + b] = sum;
      }
    }
    return linearAssignment(this.table, m, m);
  }

  private sort(into: Float64Array, matrix: Float64Array, free: readonly number[], sign: 1 | -1): void {
    const { n } = this.problem;
    for (const [a, i] of free.entries()) {
      const row = into.subarray(a * n, a * n + free.length - 1);
      let c = 0;
      for (const j of free) if (j !== i) row[c++] = sign * matrix[i * n + j];
      row.sort();
      if (sign < 0) for (let k = 0; k < c; k++) row[k] = -row[k];
    }
  }
}

/** No assignment costs less. O(n^3) but for sorting. */
export function gilmoreLawlerBound(problem: QuadraticAssignment): number {
  const all = Array.from({ length: problem.n }, (_, i) => i);
  const { bound, cost } = new PartialBound(problem).of([], new Int32Array(problem.n), all, all);
  return safeBound(bound, Math.abs(cost), isWhole(problem));
}

interface ProvenAssignment {
  readonly places: Int32Array;
  readonly cost: number;
  readonly nodes: number;
  /** False: the limit of nodes or the run's end came before the proof. */
  readonly isProven: boolean;
}

/**
 * Depth first over the facilities, those with much flow first, pruned by Gilmore-Lawler. `start`: an assignment to
 * beat. `isOver` is asked at every node.
 */
export function branchAndBound(
  problem: QuadraticAssignment,
  start: Int32Array,
  maxNodes: number,
  isOver: () => boolean,
): ProvenAssignment {
  const { n, flow, distance, linear } = problem;
  const whole = isWhole(problem);
  const bounds = new PartialBound(problem);
  const traffic = (i: number): number => {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += Math.abs(flow[i * n + j]) + Math.abs(flow[j * n + i]);
    return sum;
  };
  const all = Array.from({ length: n }, (_, i) => i);
  const order = [...all].sort((a, b) => traffic(b) - traffic(a) || a - b);
  let best = Int32Array.from(start);
  let bestCost = costOf(problem, start);
  let nodes = 0;
  let isCut = false;
  const places = new Int32Array(n);
  const descend = (depth: number, fixed: number, locations: readonly number[]): void => {
    nodes++;
    const placed = order.slice(0, depth);
    const free = order.slice(depth);
    const relaxed = bounds.of(placed, places, free, locations);
    const candidate = Int32Array.from(places);
    for (const [a, i] of free.entries()) candidate[i] = locations[relaxed.columnOf[a]]!;
    const cost = costOf(problem, candidate);
    if (cost < bestCost) {
      bestCost = cost;
      best = candidate;
    }
    if (free.length <= 1) return;
    // Without whole numbers a cost that rounding cannot tell from the best one is not looked for.
    if (safeBound(fixed + relaxed.bound, Math.abs(fixed), whole) >= bestCost - (whole ? 0 : 3e-9 * Math.abs(bestCost)))
      return;
    const [facility = 0] = free;
    const children = locations.map((location) => {
      let added = linear[facility * n + location] + flow[facility * n + facility] * distance[location * n + location];
      for (const j of placed) {
        const l = places[j];
        added +=
          flow[facility * n + j] * distance[location * n + l] + flow[j * n + facility] * distance[l * n + location];
      }
      return { location, added };
    });
    children.sort((a, b) => a.added - b.added || a.location - b.location);
    for (const { location, added } of children) {
      isCut ||= nodes >= maxNodes || isOver();
      if (isCut) return;
      places[facility] = location;
      const rest = locations.filter((other) => other !== location);
      descend(depth + 1, fixed + added, rest);
    }
  };
  descend(0, 0, all);
  return { places: best, cost: bestCost, nodes, isProven: !isCut };
}
