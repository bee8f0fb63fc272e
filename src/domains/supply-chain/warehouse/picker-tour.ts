/**
 * The shortest tour through parallel aisles: a dynamic programme that goes along the aisles and keeps, for each cross
 * aisle, whether the part of the tour so far ends there an odd or even number of times, and which of these ends hang
 * together. Exact for any number of cross aisles; with two it is the programme of Ratliff and Rosenthal.
 * Sources: Ratliff and Rosenthal, Operations Research 31 (1983); Roodbergen and de Koster, EJOR 133 (2001); Cambazard
 * and Catusse, EJOR 270 (2018).
 */
import { pathLength, POLICIES, policyPath, type Aisles, type Place } from './aisles.js';

interface Tour {
  readonly distance: number;
  /** From the depot and back, by every stop; each leg runs along an aisle or a cross aisle. */
  readonly path: readonly Place[];
  /** States that were valued. */
  readonly states: number;
}

/** How a crossing stands: not touched, or touched by an odd or even number of legs. */
const UNTOUCHED = 0;
const ODD = 1;
const EVEN = 2;

/** Legs that a step adds: from place to place, walked `times`. */
interface Legs {
  readonly places: readonly Place[];
  readonly times: 1 | 2;
}

interface State {
  readonly touch: readonly number[];
  /** Part that each touched crossing belongs to, from 1; 0: untouched. */
  readonly part: readonly number[];
  readonly cost: number;
  readonly before: State | null;
  readonly legs: readonly Legs[];
}

/** Parts numbered in the order of their first crossing. */
function canonical(touch: readonly number[], part: readonly number[]): number[] {
  const names = new Map<number, number>();
  return part.map((name, i) => {
    if (touch[i] === UNTOUCHED) return 0;
    if (!names.has(name)) names.set(name, names.size + 1);
    return names.get(name)!;
  });
}

class Layer {
  readonly states = new Map<number, State>();

  /** States that cost more lead to no tour that is worth it. */
  constructor(public most: number) {}

  add(before: State, touch: readonly number[], part: readonly number[], cost: number, legs: readonly Legs[]): void {
    const total = before.cost + cost;
    if (total > this.most) return;
    const names = canonical(touch, part);
    const base = 3 * (touch.length + 1);
    let key = 0;
    for (let i = 0; i < touch.length; i++) key = key * base + touch[i] + 3 * names[i];
    const known = this.states.get(key);
    if (known === undefined || total < known.cost)
      this.states.set(key, { touch, part: names, cost: total, before, legs });
  }
}

interface Aisle {
  readonly number: number;
  /** Whether something lies at the crossing. */
  readonly isStop: readonly boolean[];
  /** Places of stops strictly between neighbouring crossings, ascending. */
  readonly between: readonly (readonly number[])[];
}

const touched = (touch: number[], part: number[], i: number): void => {
  if (touch[i] !== UNTOUCHED) return;
  touch[i] = EVEN;
  part[i] = Math.max(...part) + 1;
};

const joined = (part: number[], i: number, j: number): void => {
  const [kept, gone] = [part[i], part[j]];
  for (let k = 0; k < part.length; k++) if (part[k] === gone) part[k] = kept;
};

const flipped = (touch: number[], i: number): void => {
  touch[i] = touch[i] === ODD ? EVEN : ODD;
};

/** Ways through the stretch of an aisle between crossings `k` and `k + 1`. */
function alongAisle(layer: Layer, { number: aisle, between }: Aisle, k: number, levels: readonly number[]): Layer {
  const next = new Layer(layer.most);
  const [low, high] = [levels[k], levels[k + 1]];
  const stops = between[k];
  const at = (positions: readonly number[]): Place[] => positions.map((position) => ({ aisle, position }));
  const through = at([low, ...stops, high]);
  /** Stops served from below; those beyond are served from above. */
  const splits = new Set([0, stops.length]);
  let widest = 0;
  for (let i = 1; i < stops.length; i++) {
    const gap = stops[i] - stops[i - 1];
    if (gap <= widest) continue;
    widest = gap;
    splits.delete([...splits].find((split) => split !== 0 && split !== stops.length) ?? -1);
    splits.add(i);
  }
  for (const state of layer.states.values()) {
    for (const times of [1, 2] as const) {
      const [touch, part] = [[...state.touch], [...state.part]];
      for (const i of [k, k + 1]) touched(touch, part, i);
      if (times === 1) for (const i of [k, k + 1]) flipped(touch, i);
      joined(part, k, k + 1);
      next.add(state, touch, part, times * (high - low), [{ places: through, times }]);
    }
    if (stops.length === 0) {
      next.add(state, state.touch, state.part, 0, []);
      continue;
    }
    for (const split of splits) {
      const [touch, part] = [[...state.touch], [...state.part]];
      const legs: Legs[] = [];
      let cost = 0;
      if (split > 0) {
        touched(touch, part, k);
        cost += 2 * (stops[split - 1] - low);
        legs.push({ places: at([low, ...stops.slice(0, split)]), times: 2 });
      }
      if (split < stops.length) {
        touched(touch, part, k + 1);
        cost += 2 * (high - stops[split]);
        legs.push({ places: at([...stops.slice(split), high]), times: 2 });
      }
      next.add(state, touch, part, cost, legs);
    }
  }
  return next;
}

/**
 * Ways from crossing `i` of an aisle to the next aisle. The crossing is left for good: an even number of legs meets
 * there.
 */
function toNextAisle(layer: Layer, { number: aisle, isStop }: Aisle, i: number, level: number, spacing: number): Layer {
  const next = new Layer(layer.most);
  const places = [
    { aisle, position: level },
    { aisle: aisle + 1, position: level },
  ];
  for (const state of layer.states.values()) {
    const now = state.touch[i];
    if (now === ODD) {
      next.add(state, state.touch, state.part, spacing, [{ places, times: 1 }]);
      continue;
    }
    if (now === EVEN || isStop[i]) {
      const [touch, part] = [[...state.touch], [...state.part]];
      touched(touch, part, i);
      next.add(state, touch, part, 2 * spacing, [{ places, times: 2 }]);
    }
    // A part that ends here would never meet the others.
    const isLast = now === EVEN && state.part.every((name, k) => k === i || name !== state.part[i]);
    if (isLast || (now === UNTOUCHED && isStop[i])) continue;
    const [touch, part] = [[...state.touch], [...state.part]];
    touch[i] = UNTOUCHED;
    part[i] = 0;
    next.add(state, touch, part, 0, []);
  }
  return next;
}

const isTour = ({ touch, part }: State, { isStop }: Aisle): boolean =>
  touch.every((now, i) => now !== ODD && (now === EVEN || !isStop[i])) && Math.max(...part) === 1;

/** `stops`: at least one. `look` is called for each aisle. */
export function shortestTour(geometry: Aisles, stops: readonly Place[], look: () => void): Tour {
  const { depot, cross_aisles, aisle_length, aisle_spacing } = geometry;
  const levels = Array.from({ length: cross_aisles }, (_, i) => (aisle_length * i) / (cross_aisles - 1));
  const all = [depot, ...stops];
  // A tour within one aisle need not meet any cross aisle.
  if (all.every(({ aisle }) => aisle === depot.aisle)) {
    const positions = all.map(({ position }) => position);
    const [low, high] = [Math.min(...positions), Math.max(...positions)];
    const path = [depot.position, low, high, depot.position].map((position) => ({ aisle: depot.aisle, position }));
    return { distance: 2 * (high - low), path, states: 1 };
  }
  const first = Math.min(...all.map(({ aisle }) => aisle));
  const last = Math.max(...all.map(({ aisle }) => aisle));
  const aisles = Array.from({ length: last - first + 1 }, (_, i): Aisle => {
    const own = new Set(all.filter(({ aisle }) => aisle === first + i).map(({ position }) => position));
    const sorted = [...own].sort((a, b) => a - b);
    return {
      number: first + i,
      isStop: levels.map((level) => own.has(level)),
      between: levels.slice(1).map((high, k) => sorted.filter((position) => position > levels[k] && position < high)),
    };
  });
  const nothing = levels.map(() => 0);
  // No tour need be longer than a rule of thumb's; what is left to walk along the cross aisles is there and back at
  // least.
  const ruled = POLICIES.map((policy) => pathLength(geometry, policyPath(geometry, stops, policy)));
  const most = Math.min(...ruled) * (1 + 1e-9);
  const mostAt = (aisle: number): number => most - 2 * (last - aisle) * aisle_spacing;
  let layer = new Layer(mostAt(first));
  layer.states.set(0, { touch: nothing, part: nothing, cost: 0, before: null, legs: [] });
  let states = 1;
  for (const aisle of aisles) {
    look();
    for (let k = 0; k + 1 < cross_aisles; k++) {
      layer = alongAisle(layer, aisle, k, levels);
      states += layer.states.size;
    }
    if (aisle.number === last) break;
    layer.most = mostAt(aisle.number + 1);
    for (const [i, level] of levels.entries()) {
      layer = toNextAisle(layer, aisle, i, level, aisle_spacing);
      states += layer.states.size;
    }
  }
  let best: State | null = null;
  for (const state of layer.states.values()) {
    if (isTour(state, aisles.at(-1)!) && (best === null || state.cost < best.cost)) best = state;
  }
  if (best === null) throw new Error('the aisles have no tour');
  const legs: Legs[] = [];
  for (let state: State | null = best; state !== null; state = state.before) legs.push(...state.legs);
  return { distance: best.cost, path: roundTrip(depot, legs), states };
}

/** Walks every leg as often as it says (Hierholzer), from the depot. */
function roundTrip(depot: Place, legs: readonly Legs[]): Place[] {
  const keyOf = ({ aisle, position }: Place): string => `${aisle} ${position}`;
  const edges: { readonly to: Place; readonly number: number }[][] = [];
  const nodes = new Map<string, number>();
  const nodeOf = (place: Place): number => {
    const key = keyOf(place);
    const known = nodes.get(key);
    if (known !== undefined) return known;
    nodes.set(key, edges.length);
    edges.push([]);
    return edges.length - 1;
  };
  let number = 0;
  for (const { places, times } of legs) {
    for (let i = 1; i < places.length; i++) {
      const [from, to] = [places[i - 1], places[i]];
      for (let time = 0; time < times; time++) {
        edges[nodeOf(from)].push({ to, number });
        edges[nodeOf(to)].push({ to: from, number });
        number++;
      }
    }
  }
  const isWalked = new Uint8Array(number);
  const walk: Place[] = [depot];
  const path: Place[] = [];
  while (walk.length > 0) {
    const here = walk.at(-1)!;
    const own = edges[nodeOf(here)];
    while (own.length > 0 && isWalked[own.at(-1)!.number] === 1) own.pop();
    const edge = own.pop();
    if (edge === undefined) path.push(walk.pop()!);
    else {
      isWalked[edge.number] = 1;
      walk.push(edge.to);
    }
  }
  return path;
}
