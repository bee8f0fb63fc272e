/**
 * The best division of a sum among rising curves, each within limits of its own: maximize the sum of curve(x) - price
 * x, where the x add up to at most `total`.
 *
 * Concave curves: a common marginal return (the multiplier) decides all spends, and bisection finds it. Others: branch
 * and bound. In a node every curve has limits; its concave envelope over them (a chord up to where it touches the
 * curve, then the curve itself) makes the node a concave problem, whose dual value no division in the node can beat. A
 * node is split where envelope and curve differ most. Only the chord matters, so that few nodes suffice.
 * Source: Falk and Soland 1969, An algorithm for separable nonconvex programming problems.
 */
import type { Curve } from './curves.js';

/** Relative difference between the best division and the bound at which the search ends. */
const GAP = 1e-9;
const MOST_NODES = 50_000;

export interface Part {
  readonly curve: Curve;
  readonly low: number;
  readonly high: number;
}

export interface Division {
  readonly x: Float64Array;
  /** Sum of curve(x) - price x. */
  readonly value: number;
  /** No division is better. */
  readonly bound: number;
  /** Gain from one more unit of `total`; 0 where not all of it is used. */
  readonly multiplier: number;
  readonly nodes: number;
  /** Whether `bound` is `value`, within the gap. */
  readonly isProven: boolean;
  /** No division of any total S is better than slope S + start. */
  readonly line: { readonly slope: number; readonly start: number };
}

/** The least concave function above a curve between limits. */
interface Envelope {
  readonly low: number;
  readonly high: number;
  /** Where it is largest above a line of this slope: the largest such x. */
  at(slope: number): number;
  value(x: number): number;
  /** Straight stretch below which x lies, where envelope and curve differ; null: none. */
  gap(x: number): { readonly from: number; readonly to: number } | null;
}

function smoothEnvelope({ curve, low, high }: Part, inflection: number): Envelope {
  let touch = low;
  if (low < inflection) {
    // The chord from `low` touches the curve where it has its slope.
    const base = curve.value(low);
    const excess = (x: number): number => curve.value(x) - base - curve.slope(x) * (x - low);
    if (high <= inflection || excess(high) <= 0) touch = high;
    else {
      let [a, b] = [inflection, high];
      for (let step = 0; step < 200; step++) {
        const middle = (a + b) / 2;
        if (middle <= a || middle >= b) break;
        if (excess(middle) <= 0) a = middle;
        else b = middle;
      }
      touch = b;
    }
  }
  const base = curve.value(low);
  const chord = touch > low ? (curve.value(touch) - base) / (touch - low) : Infinity;
  return {
    low,
    high,
    at: (slope) => {
      if (slope > chord) return low;
      return Math.min(high, Math.max(touch, curve.reach(slope)));
    },
    value: (x) => (x < touch ? base + chord * (x - low) : curve.value(x)),
    gap: (x) => (x > low && x < touch ? { from: low, to: touch } : null),
  };
}

function jointEnvelope({ curve, low, high }: Part): Envelope {
  const inside = curve.corners.filter(([x]) => x > low && x < high);
  const ends = high > low ? [[high, curve.value(high)] as const] : [];
  const hull: (readonly [number, number])[] = [];
  for (const point of [[low, curve.value(low)] as const, ...inside, ...ends]) {
    while (hull.length >= 2) {
      const [a, b] = [hull[hull.length - 2], hull[hull.length - 1]];
      if ((b[1] - a[1]) * (point[0] - a[0]) > (point[1] - a[1]) * (b[0] - a[0])) break;
      hull.pop();
    }
    hull.push(point);
  }
  const place = (x: number): number =>
    Math.max(
      1,
      hull.findIndex(([at]) => at >= x),
    );
  const value = (x: number): number => {
    if (hull.length === 1) return hull[0][1];
    const i = place(x);
    const [[a, y], [b, z]] = [hull[i - 1], hull[i]];
    return y + ((z - y) * (x - a)) / (b - a);
  };
  return {
    low,
    high,
    at: (slope) => {
      let i = 0;
      while (i + 1 < hull.length && hull[i + 1][1] - hull[i][1] >= slope * (hull[i + 1][0] - hull[i][0])) i++;
      return hull[i][0];
    },
    value,
    gap: (x) => {
      if (hull.length === 1) return null;
      const i = place(x);
      const [from, to] = [hull[i - 1][0], hull[i][0]];
      return x > from && x < to && inside.some(([at]) => at > from && at < to) ? { from, to } : null;
    },
  };
}

const envelopeOf = (part: Part): Envelope =>
  part.curve.inflection === null ? jointEnvelope(part) : smoothEnvelope(part, part.curve.inflection);

interface Relaxed {
  readonly x: Float64Array;
  readonly bound: number;
  readonly multiplier: number;
  readonly start: number;
}

/** The concave problem of a node. `total` is at least the sum of the lower limits. */
function relax(envelopes: readonly Envelope[], total: number, price: number): Relaxed {
  const n = envelopes.length;
  const spent = (x: Float64Array): number => x.reduce((a, b) => a + b, 0);
  const at = (slope: number): Float64Array => Float64Array.from(envelopes, (envelope) => envelope.at(slope));
  /** Dual value: of the whole problem, and its part that does not depend on the total. */
  const dual = (slope: number, x: Float64Array): { readonly start: number; readonly bound: number } => {
    let start = 0;
    for (let i = 0; i < n; i++) start += envelopes[i].value(x[i]) - slope * x[i];
    return { start, bound: start + (slope - price) * total };
  };
  const lows = Float64Array.from(envelopes, ({ low }) => low);
  // A slope of 0 wants everything; of a price, what pays for itself.
  const cheap = price > 0 ? at(price) : Float64Array.from(envelopes, ({ high }) => high);
  if (spent(cheap) <= total) {
    const { start, bound } = dual(price, cheap);
    return { x: cheap, bound, multiplier: price, start };
  }
  // From any slope, by factors of 2 to a bracket, then by bisection.
  let high = Math.max(
    price,
    1e-300,
    ...envelopes.map((e) => (e.value(e.high) - e.value(e.low)) / (e.high - e.low || 1)),
  );
  let xHigh = at(high);
  let low = high;
  let xLow = xHigh;
  while (spent(xHigh) > total && high < 1e290) xHigh = at((high *= 2));
  if (spent(xHigh) > total) xHigh = lows;
  while (spent(xLow) <= total && low > price && low > 1e-290) xLow = at((low = Math.max(price, low / 2)));
  if (spent(xLow) <= total) xLow = cheap;
  for (let step = 0; step < 200 && high - low > 1e-15 * high; step++) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    const x = at(middle);
    if (spent(x) > total) [low, xLow] = [middle, x];
    else [high, xHigh] = [middle, x];
  }
  // Between both multipliers only straight stretches differ: they take what is left, one after the other.
  const x = xHigh.slice();
  let left = total - spent(x);
  for (let i = 0; i < n && left > 0; i++) {
    const more = Math.min(left, Math.max(0, xLow[i] - x[i]));
    x[i] += more;
    left -= more;
  }
  const [upper, lower] = [dual(high, xHigh), dual(low, xLow)];
  const best = upper.bound <= lower.bound ? upper : lower;
  return { x, bound: best.bound, multiplier: best === upper ? high : low, start: best.start };
}

const valueOf = (parts: readonly Part[], x: Float64Array, price: number): number =>
  parts.reduce((sum, { curve }, i) => sum + curve.value(x[i]) - price * x[i], 0);

interface Node {
  readonly parts: readonly Part[];
  readonly envelopes: readonly Envelope[];
  readonly relaxed: Relaxed;
}

/** Best first; children of equal bounds in the order in which they were made. */
class Nodes {
  private readonly heap: Node[] = [];

  get best(): Node | undefined {
    return this.heap[0];
  }

  push(node: Node): void {
    const { heap } = this;
    let i = heap.push(node) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (heap[up].relaxed.bound >= node.relaxed.bound) break;
      heap[i] = heap[up];
      i = up;
    }
    heap[i] = node;
  }

  pop(): Node | undefined {
    const { heap } = this;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let down = 2 * i + 1;
      if (down >= heap.length) break;
      if (down + 1 < heap.length && heap[down + 1].relaxed.bound > heap[down].relaxed.bound) down++;
      if (heap[down].relaxed.bound <= last.relaxed.bound) break;
      heap[i] = heap[down];
      i = down;
    }
    heap[i] = last;
    return first;
  }
}

/**
 * `known`: a division that is allowed, to begin with; null: none. `isOver`: asked between nodes.
 * The sum of the lower limits must not exceed `total`.
 */
export function allocate(
  parts: readonly Part[],
  total: number,
  {
    price = 0,
    known = null,
    isOver,
  }: { readonly price?: number; readonly known?: Float64Array | null; isOver(): boolean },
): Division {
  const makeNode = (own: readonly Part[], envelopes: readonly Envelope[]): Node => ({
    parts: own,
    envelopes,
    relaxed: relax(envelopes, total, price),
  });
  const root = makeNode(parts, parts.map(envelopeOf));
  let x = root.relaxed.x;
  let best = valueOf(parts, x, price);
  const offer = (other: Float64Array): void => {
    const value = valueOf(parts, other, price);
    if (value > best) [x, best] = [other, value];
  };
  if (known !== null) offer(known);
  const tolerance = (): number => GAP * Math.abs(best);
  const nodes = new Nodes();
  nodes.push(root);
  let count = 1;
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.relaxed.bound <= best + tolerance() || count >= MOST_NODES || isOver()) {
      nodes.push(node);
      break;
    }
    const gaps = node.parts.map(({ curve }, i) => {
      const at = node.relaxed.x[i];
      return node.envelopes[i].gap(at) === null ? 0 : node.envelopes[i].value(at) - curve.value(at);
    });
    const split = gaps.reduce((most, gap, i) => (gap > gaps[most] ? i : most), 0);
    const stretch = node.envelopes[split].gap(node.relaxed.x[split]);
    if (stretch === null || gaps[split] <= 0) continue;
    for (const other of rounded(node, split, stretch, total, price)) offer(other);
    const at = splitPoint(node.parts[split], node.relaxed.x[split], stretch);
    const rest = total - node.parts.reduce((sum, { low }, i) => sum + (i === split ? 0 : low), 0);
    for (const [low, high] of [
      [node.parts[split].low, at],
      [at, node.parts[split].high],
    ]) {
      if (low > rest) continue;
      const part = { ...node.parts[split], low, high };
      const child = makeNode(node.parts.with(split, part), node.envelopes.with(split, envelopeOf(part)));
      count++;
      offer(child.relaxed.x);
      if (child.relaxed.bound > best + tolerance()) nodes.push(child);
    }
  }
  if (count > 1) {
    for (const other of polished(parts, x, total, price)) offer(other);
  }
  const bound = Math.max(best, nodes.best?.relaxed.bound ?? best);
  const spent = x.reduce((a, b) => a + b, 0);
  const isUsed = total - spent <= 1e-9 * total;
  return {
    x,
    value: best,
    bound,
    multiplier: isUsed ? marginal(parts, x, root.relaxed.multiplier) - price : 0,
    nodes: count,
    isProven: bound - best <= Math.max(tolerance(), 1e-300) * 1.0001,
    line: { slope: root.relaxed.multiplier - price, start: root.relaxed.start },
  };
}

/** Divisions near a node's: the split curve at either end of its straight stretch, the rest divided anew. */
function rounded(
  { parts, envelopes, relaxed }: Node,
  split: number,
  { from, to }: { readonly from: number; readonly to: number },
  total: number,
  price: number,
): Float64Array[] {
  const fixed = envelopes.map((envelope, i): Envelope => {
    const gap = i === split ? null : envelope.gap(relaxed.x[i]);
    return gap === null ? envelope : envelopeOf({ ...parts[i], low: gap.from, high: gap.from });
  });
  const lows = fixed.reduce((sum, { low }, i) => sum + (i === split ? 0 : low), 0);
  return [
    [from, from],
    [to, parts[split].high],
  ].flatMap(([low, high]) =>
    low + lows <= total ? [relax(fixed.with(split, envelopeOf({ ...parts[split], low, high })), total, price).x] : [],
  );
}

/**
 * Divisions near x that are better in more digits than the gap of the search: with every curve on its side of the
 * inflection the best one is known; Newton's method on equal slopes also moves one that is on the convex side.
 */
function polished(parts: readonly Part[], x: Float64Array, total: number, price: number): Float64Array[] {
  const found: Float64Array[] = [];
  const sided = parts.map((part, i): Part => {
    const inflection = part.curve.inflection ?? 0;
    if (x[i] >= inflection) return { ...part, low: Math.max(part.low, Math.min(inflection, part.high)) };
    return { ...part, high: part.low };
  });
  if (sided.reduce((sum, { low }) => sum + low, 0) <= total) {
    found.push(relax(sided.map(envelopeOf), total, price).x);
  }
  let at = x;
  for (let step = 0; step < 20; step++) {
    const free = parts.flatMap(({ curve, low, high }, i) => {
      const h = 1e-5 * at[i];
      if (curve.inflection === null || at[i] - h <= low || at[i] + h >= high) return [];
      const bend = (curve.slope(at[i] + h) - curve.slope(at[i] - h)) / (2 * h);
      return bend === 0 ? [] : [{ i, slope: curve.slope(at[i]), bend }];
    });
    const weight = free.reduce((sum, { bend }) => sum + 1 / bend, 0);
    const level = free.reduce((sum, { slope, bend }) => sum + slope / bend, 0) / weight;
    if (free.length < 2 || !Number.isFinite(level)) break;
    const next = at.slice();
    for (const { i, slope, bend } of free) next[i] += (level - slope) / bend;
    if (parts.some(({ low, high }, i) => !(next[i] >= low && next[i] <= high))) break;
    at = next;
    found.push(at);
  }
  return found.filter((other) => other.reduce((a, b) => a + b, 0) <= total * (1 + 1e-14));
}

/** Within the stretch, not too near its ends; at a corner where there are corners. */
function splitPoint({ curve }: Part, x: number, { from, to }: { readonly from: number; readonly to: number }): number {
  const corners = curve.corners.map(([at]) => at).filter((at) => at > from && at < to);
  if (corners.length > 0) return corners.reduce((a, b) => (Math.abs(b - x) < Math.abs(a - x) ? b : a));
  const margin = 0.05 * (to - from);
  return Math.min(Math.max(x, from + margin), to - margin);
}

/**
 * Gain from the next unit: the largest slope of the parts that lie between their limits; `otherwise` where none does.
 */
function marginal(parts: readonly Part[], x: Float64Array, otherwise: number): number {
  const isFree = ({ low, high }: Part, i: number): boolean => x[i] > low + 1e-9 * (1 + low) && x[i] < high * (1 - 1e-9);
  const slopes = parts.flatMap((part, i) => (isFree(part, i) ? [part.curve.slope(x[i])] : []));
  return slopes.length === 0 ? otherwise : slopes.reduce((a, b) => Math.max(a, b));
}
