/**
 * Robust tabu search for quadratic assignment: always the best exchange of two facilities that is not tabu; a place
 * that a facility left is tabu to it for a random number of moves, and one that it has not had for long is forced on
 * it.
 * Source: Taillard, Parallel Computing 17 (1991); random tabu durations as in his later programme (cubes of uniforms).
 *
 * This file and native/assignment/tabu_search.cpp compute equal bits: what changes in one changes in the other. All of
 * a search is in `TabuState`, so that either can go on where the other stopped.
 */
import { nativeAddon } from '../../../common/native-addon.js';
import { nextUint32, type Rng } from '../../../common/rng.js';
import { costOf, type QuadraticAssignment } from './quadratic-assignment.js';

interface TabuState {
  readonly n: number;
  /** [n, n] each: flow[i, j] and its transpose, distance[p[i], p[j]] and its transpose, linear[i, k]. */
  readonly flow: Float64Array;
  readonly flowT: Float64Array;
  readonly placed: Float64Array;
  readonly placedT: Float64Array;
  readonly linear: Float64Array;
  /** [n, n], i < j: what an exchange of i and j adds. */
  readonly delta: Float64Array;
  /** [n, n]: the move from which on facility i may have location k again. */
  readonly tabu: Float64Array;
  /** [n]: location of each facility, now and in the best assignment. */
  readonly places: Int32Array;
  readonly best: Int32Array;
  /** Current cost, best cost, moves so far. */
  readonly numbers: Float64Array;
  /** xoshiro128**. */
  readonly random: Int32Array;
}

/** Moves after which an old place is forced on a facility, times n^2. */
const ASPIRATION = 5;
/** Longest tabu, times n. */
const LONGEST_TABU = 8;

const transposed = (matrix: Float64Array, n: number): Float64Array =>
  Float64Array.from(matrix, (_, at) => matrix[(at % n) * n + Math.floor(at / n)]);

/** A search from `start`. Absent: from a random assignment. */
export function openTabuSearch(problem: QuadraticAssignment, rng: Rng, start?: Int32Array): TabuState {
  const { n, flow, distance, linear } = problem;
  const places = Int32Array.from(start ?? Array.from({ length: n }, (_, i) => i));
  for (let i = n - 1; i > 0 && start === undefined; i--) {
    const j = rng.below(i + 1);
    [places[i], places[j]] = [places[j], places[i]];
  }
  const placed = Float64Array.from(distance, (_, at) => {
    return distance[places[Math.floor(at / n)] * n + places[at % n]];
  });
  const cost = costOf(problem, places);
  const state: TabuState = {
    n,
    flow,
    flowT: transposed(flow, n),
    placed,
    placedT: transposed(placed, n),
    linear,
    delta: new Float64Array(n * n),
    tabu: new Float64Array(n * n),
    places,
    best: Int32Array.from(places),
    numbers: Float64Array.of(cost, cost, 0),
    random: Int32Array.from(rng.snapshot().slice(0, 4), (word) => word | 0),
  };
  // Facilities begin as if they had been everywhere, at different times: otherwise all would be forced at once.
  for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) state.tabu[i * n + k] = -(n * i + k);
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) state.delta[i * n + j] = exchangeCost(state, i, j);
  return state;
}

/** Cost that an exchange of i and j adds, computed anew. O(n). */
function exchangeCost({ n, flow, flowT, placed, placedT, linear, places }: TabuState, i: number, j: number): number {
  const ri = i * n;
  const rj = j * n;
  const pi = places[i];
  const pj = places[j];
  let sum = linear[ri + pj] + linear[rj + pi] - linear[ri + pi] - linear[rj + pj];
  sum += (flow[ri + i] - flow[rj + j]) * (placed[rj + j] - placed[ri + i]);
  sum += (flow[ri + j] - flow[rj + i]) * (placed[rj + i] - placed[ri + j]);
  for (let k = 0; k < n; k++) {
    if (k === i || k === j) continue;
    sum += (flow[ri + k] - flow[rj + k]) * (placed[rj + k] - placed[ri + k]);
    sum += (flowT[ri + k] - flowT[rj + k]) * (placedT[rj + k] - placedT[ri + k]);
  }
  return sum;
}

function exchange(state: TabuState, r: number, s: number): void {
  const { n, placed, placedT, places } = state;
  [places[r], places[s]] = [places[s], places[r]];
  for (const matrix of [placed, placedT]) {
    for (let k = 0; k < n; k++) {
      const at = matrix[r * n + k];
      matrix[r * n + k] = matrix[s * n + k]!;
      matrix[s * n + k] = at;
    }
    for (let k = 0; k < n; k++) {
      const at = matrix[k * n + r];
      matrix[k * n + r] = matrix[k * n + s]!;
      matrix[k * n + s] = at;
    }
  }
}

/** A tabu's length: short ones often, long ones now and then. */
function duration(state: TabuState): number {
  const uniform = nextUint32(state.random) * 2 ** -32;
  return Math.floor(uniform * uniform * uniform * LONGEST_TABU * state.n);
}

/** Makes `moves` moves, fewer once `stop[0]` is set. */
export function advanceInJs(state: TabuState, moves: number, stop: Int32Array): void {
  const { n, flow, flowT, placed, placedT, delta, tabu, places, best, numbers } = state;
  const aspiration = ASPIRATION * n * n;
  for (let move = 0; move < moves; move++) {
    if (move % 64 === 0 && Atomics.load(stop, 0) !== 0) return;
    const now = numbers[2] + 1;
    numbers[2] = now;
    const toBeat = numbers[1] - numbers[0];
    let r = -1;
    let s = -1;
    let least = Infinity;
    let isForced = false;
    for (let i = 0; i < n; i++) {
      for (let j = i + 1; j < n; j++) {
        const added = delta[i * n + j];
        const first = tabu[i * n + places[j]];
        const second = tabu[j * n + places[i]];
        const forced = first < now - aspiration || second < now - aspiration || added < toBeat;
        if (isForced ? forced && added < least : forced || (added < least && (first < now || second < now))) {
          r = i;
          s = j;
          least = added;
          isForced = forced;
        }
      }
    }
    if (r < 0) continue;
    tabu[r * n + places[r]] = now + duration(state);
    tabu[s * n + places[s]] = now + duration(state);
    numbers[0] += least;
    exchange(state, r, s);
    if (numbers[0] < numbers[1]) {
      numbers[1] = numbers[0]!;
      best.set(places);
    }
    // Exchanges without r and s change by what lies between the two pairs (Taillard 1991, eq. 3).
    const rr = r * n;
    const rs = s * n;
    for (let i = 0; i < n; i++) {
      if (i === r || i === s) continue;
      const flowIn = flow[rr + i] - flow[rs + i];
      const flowOut = flowT[rr + i] - flowT[rs + i];
      const placedIn = placed[rs + i] - placed[rr + i];
      const placedOut = placedT[rs + i] - placedT[rr + i];
      for (let j = i + 1; j < n; j++) {
        const across = (flowIn - (flow[rr + j] - flow[rs + j])) * (placedIn - (placed[rs + j] - placed[rr + j]));
        const along = (flowOut - (flowT[rr + j] - flowT[rs + j])) * (placedOut - (placedT[rs + j] - placedT[rr + j]));
        delta[i * n + j] += across + along;
      }
    }
    for (let k = 0; k < n; k++) {
      if (k < r) delta[k * n + r] = exchangeCost(state, k, r);
      if (k > r) delta[rr + k] = exchangeCost(state, r, k);
      if (k < s && k !== r) delta[k * n + s] = exchangeCost(state, k, s);
      if (k > s) delta[rs + k] = exchangeCost(state, s, k);
    }
  }
}

export type Advance = (state: TabuState, moves: number, stop: Int32Array) => void;

/**
 * Null where the addon is not built or from other sources; why is reported where evaluations need it
 * (src/backends/native). Never throws.
 */
export const nativeAdvance = (): Advance | null =>
  (nativeAddon().exports as { readonly advanceTabuSearch?: Advance } | null)?.advanceTabuSearch ?? null;

/** As `advanceInJs`, by the addon where there is one. */
export const advance: Advance = (state, moves, stop) => (nativeAdvance() ?? advanceInJs)(state, moves, stop);
