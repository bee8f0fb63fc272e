/**
 * Spends over the periods of a cycle that repeats, with carry-over. What is in effect in a period, y, is the mean of
 * the spends x before it, weighted with (1 - d) d^k for k periods ago; constant spends are in effect as they are. The
 * response of a period is its weight times the curve at y.
 *
 * Without the limits on x the periods are channels of their own, and `allocate` solves them; what is in effect is a
 * mean of spends, so that its limits hold for y too and its value bounds every plan. Where the plan behind those y
 * keeps the limits it is the best. Otherwise money moves between pairs of spends, along the steepest difference of
 * their marginal returns; for concave curves the tangent at the end gives a second bound.
 */
import { allocate, type Part } from './allocate.js';
import { isConcave, scaled } from './curves.js';

const MOVES = 20_000;
/** Relative difference from the bound that counts as none. */
const GAP = 1e-7;

export interface Channel extends Part {
  readonly decay: number;
  /** `high` without what the budget leaves: Infinity where nothing else limits the channel. */
  readonly most: number;
  /** Where `low` and `high` are shares of the budget: which; otherwise 0. */
  readonly lowShare: number;
  readonly highShare: number;
}

interface Flight {
  /** By channel, then period. */
  readonly spend: readonly (readonly number[])[];
  readonly value: number;
  readonly bound: number;
  readonly isProven: boolean;
  readonly moves: number;
  readonly nodes: number;
  /** Gain from one more unit of money. */
  readonly multiplier: number;
  /** Marginal returns by channel, then period. */
  readonly marginal: readonly (readonly number[])[];
}

/** y from x. */
export function inEffect(spend: readonly number[], decay: number): number[] {
  if (decay === 0) return [...spend];
  const periods = spend.length;
  // What the whole past left behind at the beginning of the cycle, as the cycle repeats.
  let carried = 0;
  for (const x of spend) carried = decay * carried + (1 - decay) * x;
  carried /= 1 - decay ** periods;
  return spend.map((x) => (carried = decay * carried + (1 - decay) * x));
}

/** x from y. */
const spendBehind = (effect: readonly number[], decay: number): number[] =>
  effect.map((y, t) => (y - decay * effect[(t + effect.length - 1) % effect.length]) / (1 - decay));

export function responseOf({ curve, decay }: Channel, spend: readonly number[], weights: readonly number[]): number {
  return inEffect(spend, decay).reduce((sum, y, t) => sum + weights[t] * curve.value(y), 0);
}

/** Derivatives of a channel's response by its spends. */
function gradientOf({ curve, decay }: Channel, spend: readonly number[], weights: readonly number[]): number[] {
  const slopes = inEffect(spend, decay).map((y, t) => Math.min(1e150, weights[t] * curve.slope(y)));
  if (decay === 0) return slopes;
  // The transposed mean: of what is to come, from the last period back.
  return inEffect(slopes.reverse(), decay).reverse();
}

export function fly(
  channels: readonly Channel[],
  weights: readonly number[],
  total: number,
  known: readonly (readonly number[])[] | null,
  isOver: () => boolean,
): Flight {
  const periods = weights.length;
  const parts = channels.flatMap(({ curve, low, high }) =>
    weights.map((weight) => ({ curve: scaled(curve, weight), low, high })),
  );
  const relaxed = allocate(parts, total, { isOver });
  const effect = channels.map((_, i) => Array.from(relaxed.x.subarray(i * periods, (i + 1) * periods)));
  const behind = effect.map((row, i) => spendBehind(row, channels[i].decay));
  const sizeOf = (i: number): number => 1e-9 * (1 + channels[i].high);
  const isKept = behind.every((row, i) =>
    row.every((x) => x >= channels[i].low - sizeOf(i) && x <= channels[i].high + sizeOf(i)),
  );
  const clipped = behind.map((row, i) => row.map((x) => Math.min(Math.max(x, channels[i].low), channels[i].high)));
  const valueOf = (plan: readonly (readonly number[])[]): number =>
    channels.reduce((sum, channel, i) => sum + responseOf(channel, plan[i], weights), 0);
  const finish = (plan: readonly (readonly number[])[], bound: number, moves: number): Flight => {
    const value = valueOf(plan);
    const marginals = channels.map((channel, i) => gradientOf(channel, plan[i], weights));
    const free = plan.flatMap((row, i) =>
      row.flatMap((x, t) => (x < channels[i].most * (1 - 1e-9) ? [marginals[i][t]] : [])),
    );
    return {
      spend: plan,
      value,
      bound: Math.max(bound, value),
      isProven: bound - value <= GAP * Math.abs(value),
      moves,
      nodes: relaxed.nodes,
      multiplier: free.reduce((a, b) => Math.max(a, b), 0),
      marginal: marginals,
    };
  };
  if (isKept) return finish(clipped, relaxed.bound, 0);

  const even = allocate(channels, total / periods, { isOver });
  const starts = [
    settled(channels, clipped, total),
    channels.map((_, i) => weights.map(() => even.x[i])),
    ...(known === null ? [] : [known]),
  ];
  let best = starts[0];
  let least = relaxed.bound;
  let moves = 0;
  const areConcave = channels.every(({ curve }) => isConcave(curve));
  for (const start of areConcave ? starts.slice(0, 1) : starts) {
    const moved = improve(channels, weights, start, areConcave ? MOVES : MOVES / starts.length, isOver);
    moves += moved.moves;
    if (valueOf(moved.plan) > valueOf(best)) best = moved.plan;
    if (areConcave) least = Math.min(least, moved.bound);
  }
  for (const start of starts) if (valueOf(start) > valueOf(best)) best = start;
  return finish(best, least, moves);
}

/** Scaled towards the limits so that the sum is right. */
function settled(channels: readonly Channel[], plan: readonly (readonly number[])[], total: number): number[][] {
  const sum = plan.flat().reduce((a, b) => a + b, 0);
  const limits = channels.map(({ low, high }) => (sum > total ? low : high));
  const room = plan.reduce((all, row, i) => all + row.reduce((a, x) => a + Math.abs(limits[i] - x), 0), 0);
  const share = room > 0 ? Math.min(1, Math.abs(total - sum) / room) : 0;
  return plan.map((row, i) => row.map((x) => x + share * (limits[i] - x)));
}

interface Improved {
  readonly plan: readonly (readonly number[])[];
  /** Bound by the tangent, for concave curves. */
  readonly bound: number;
  readonly moves: number;
}

function improve(
  channels: readonly Channel[],
  weights: readonly number[],
  start: readonly (readonly number[])[],
  mostMoves: number,
  isOver: () => boolean,
): Improved {
  const plan = start.map((row) => [...row]);
  const values = channels.map((channel, i) => responseOf(channel, plan[i], weights));
  const gradients = channels.map((channel, i) => gradientOf(channel, plan[i], weights));
  const changed = (i: number, t: number, by: number): number[] => plan[i].with(t, plan[i][t] + by);
  let moves = 0;
  const room = (i: number, t: number): number => channels[i].high - plan[i][t];
  const stock = (i: number, t: number): number => plan[i][t] - channels[i].low;
  while (moves < mostMoves && !isOver()) {
    let up: readonly [number, number] | null = null;
    let down: readonly [number, number] | null = null;
    for (const [i, row] of gradients.entries()) {
      const least = 1e-12 * (1 + channels[i].high);
      for (const [t, slope] of row.entries()) {
        if (room(i, t) > least && (up === null || slope > gradients[up[0]][up[1]])) up = [i, t];
        if (stock(i, t) > least && (down === null || slope < gradients[down[0]][down[1]])) down = [i, t];
      }
    }
    if (up === null || down === null) break;
    const gain = gradients[up[0]][up[1]] - gradients[down[0]][down[1]];
    const most = Math.min(room(...up), stock(...down));
    const sum = values.reduce((a, b) => a + b, 0);
    if (!(gain * most > 1e-13 * Math.abs(sum))) break;
    moves++;
    const [[i, s], [j, t]] = [up, down];
    const valueAt = (by: number): number =>
      i === j
        ? responseOf(channels[i], changed(i, s, by).with(t, plan[i][t] - by), weights)
        : responseOf(channels[i], changed(i, s, by), weights) + responseOf(channels[j], changed(j, t, -by), weights);
    const before = i === j ? values[i] : values[i] + values[j];
    // The largest of the steps by halves, then the best between its neighbours.
    let [best, bestValue] = [0, before];
    for (let step = most, k = 0; k < 40; k++, step /= 2) {
      const value = valueAt(step);
      if (value > bestValue) [best, bestValue] = [step, value];
      else if (best > 0) break;
    }
    if (best === 0) break;
    let [a, b] = [best / 2, Math.min(most, best * 2)];
    for (let k = 0; k < 40; k++) {
      const [c, d] = [a + (b - a) / 3, b - (b - a) / 3];
      if (valueAt(c) < valueAt(d)) a = c;
      else b = d;
    }
    const by = valueAt((a + b) / 2) >= bestValue ? (a + b) / 2 : best;
    plan[i][s] += by;
    plan[j][t] -= by;
    for (const k of new Set([i, j])) {
      values[k] = responseOf(channels[k], plan[k], weights);
      gradients[k] = gradientOf(channels[k], plan[k], weights);
    }
  }
  return { plan, bound: values.reduce((a, b) => a + b, 0) + tangentGain(channels, plan, gradients), moves };
}

/** The most that moving money could gain at constant marginal returns. */
function tangentGain(
  channels: readonly Channel[],
  plan: readonly (readonly number[])[],
  gradients: readonly (readonly number[])[],
): number {
  const entries = plan.flatMap((row, i) => row.map((x, t) => ({ x, slope: gradients[i][t], ...channels[i] })));
  entries.sort((a, b) => b.slope - a.slope);
  let left = entries.reduce((sum, { x, low }) => sum + x - low, 0);
  let gain = 0;
  for (const { x, slope, low, high } of entries) {
    const more = Math.min(left, high - low);
    left -= more;
    gain += slope * (low + more - x);
  }
  return gain;
}
