/**
 * One-dimensional bin packing: heuristics, lower bounds, and a search that fills one bin after the other.
 * Sources: Martello and Toth, Discrete Applied Mathematics 28 (1990), bounds L2 and L3; Korf, AAAI 2002 and Schreiber
 * and Korf, IJCAI 2013, bin completion.
 */

export interface Sizes {
  /** Descending. */
  readonly sizes: readonly number[];
  /** Capacity of a bin, with room for rounding where sizes are not whole numbers. */
  readonly room: number;
}

/** Bin of each item, from 0. */
export type Packing = readonly number[];

export const binsOf = (packing: Packing): number => packing.reduce((most, bin) => Math.max(most, bin + 1), 0);

/** Items go, largest first, to the first bin that has room; or to the one that they fill best. */
export function fitDecreasing({ sizes, room }: Sizes, rule: 'first' | 'best'): number[] {
  const free: number[] = [];
  return sizes.map((size) => {
    let at = -1;
    for (let bin = 0; bin < free.length; bin++) {
      if (size > free[bin] || (at >= 0 && free[bin] >= free[at])) continue;
      at = bin;
      if (rule === 'first') break;
    }
    if (at < 0) at = free.push(room) - 1;
    free[at] -= size;
    return at;
  });
}

/** Bins that a volume needs: rounding must not add one. */
const binsFor = (volume: number, room: number): number => Math.max(0, Math.ceil(volume / room - 1e-9));

/**
 * Bound L2: items above half a bin have one each; what lies between a limit and half goes beside them or into further
 * bins.
 */
export function boundL2({ sizes, room }: Sizes): number {
  const total = sizes.reduce((a, b) => a + b, 0);
  const limits = [0, ...new Set(sizes.filter((size) => size <= room / 2))];
  let best = binsFor(total, room);
  // Sums over the items before each place, so that each limit costs O(log n).
  const before = [0];
  for (const size of sizes) before.push(before.at(-1)! + size);
  /** Number of items above `limit`, or at it too. */
  const above = (limit: number, orEqual: boolean): number => {
    let [low, high] = [0, sizes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sizes[middle] > limit || (orEqual && sizes[middle] === limit)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const large = above(room / 2, false);
  for (const limit of limits) {
    const alone = above(room - limit, false);
    const small = above(limit, true);
    const free = (large - alone) * room - (before[large] - before[alone]);
    best = Math.max(best, large + binsFor(before[Math.max(small, large)] - before[large] - free, room));
  }
  return best;
}

/** Bound L3: L2 after bins that may be filled at once, and again without the smallest items. O(n^2 log n). */
export function boundL3({ sizes, room }: Sizes): number {
  let rest = [...sizes];
  let filled = 0;
  let best = 0;
  while (rest.length > 0) {
    const left = [...rest];
    for (let at = 0; at < left.length;) {
      const free = room - left[at];
      const partner = left.findIndex((size, other) => other !== at && size <= free);
      // Of the other items the two smallest.
      const [last, second] = left
        .slice(-3)
        .filter((_, i, end) => left.length - end.length + i !== at)
        .reverse();
      const two = (last ?? Infinity) + (second ?? Infinity);
      // Nothing fits beside it, or only one item does: the largest such item is as good as any other.
      if (partner >= 0 && left[partner] !== free && two <= free) {
        at++;
        continue;
      }
      filled++;
      const gone = partner < 0 ? [at] : [at, partner].sort((p, q) => q - p);
      for (const place of gone) left.splice(place, 1);
      at = Math.max(0, at - gone.filter((place) => place < at).length);
    }
    best = Math.max(best, filled + boundL2({ sizes: left, room }));
    rest = left.slice(0, -1);
  }
  return best;
}

interface Completion {
  /** Null: none was found. */
  readonly packing: Packing | null;
  /** Whether all possibilities were looked into: no packing into so many bins exists. */
  readonly isExhausted: boolean;
  readonly nodes: number;
}

/** Ways of filling one bin that are looked at, and steps to find them. */
const MOST_FILLINGS = 400;
const MOST_STEPS = 20_000;
const MOST_FAILED = 300_000;

/** Packs all items into `bins` bins, or finds that they cannot be: each bin gets the largest item that is left. */
export function completeBins(
  { sizes, room }: Sizes,
  bins: number,
  maxNodes: number,
  isOver: () => boolean,
): Completion {
  const kinds = [...new Set(sizes)];
  const left = kinds.map((kind) => sizes.filter((size) => size === kind).length);
  const total = sizes.reduce((a, b) => a + b, 0);
  const slack = 1e-9 * room;
  /** Room that may stay empty in all bins together. */
  const waste = bins * room - total + slack;
  if (waste < 0) return { packing: null, isExhausted: true, nodes: 0 };
  const failed = new Set<string>();
  let nodes = 0;
  let isCut = false;

  /** Fillings of a bin that begin with a kind, fullest first. Those that another one is as good as are left out. */
  const fillings = (first: number, spare: number): { readonly taken: readonly number[]; readonly free: number }[] => {
    const found: { taken: number[]; free: number }[] = [];
    const taken: number[] = [first];
    let steps = 0;
    left[first]--;
    const after = new Float64Array(kinds.length + 1);
    for (let kind = kinds.length - 1; kind >= 0; kind--) after[kind] = after[kind + 1] + kinds[kind] * left[kind];
    const isBeaten = (free: number): boolean => {
      // A larger item that is left could take the place of one that was taken.
      for (let at = 1; at < taken.length; at++) {
        const kind = taken[at];
        for (let other = kind - 1; other >= first && kinds[other] <= kinds[kind] + free; other--)
          if (left[other] > 0) return true;
      }
      return false;
    };
    const extend = (from: number, free: number): void => {
      if (found.length >= MOST_FILLINGS || ++steps > MOST_STEPS) {
        isCut = true;
        return;
      }
      let next = from;
      if (kinds[next] > free) {
        // The first kind that fits, by bisection.
        let [low, high] = [next, kinds.length];
        while (low < high) {
          const middle = (low + high) >> 1;
          if (kinds[middle] > free) low = middle + 1;
          else high = middle;
        }
        next = low;
      }
      // The smallest item that is left does not fit any more.
      let smallest = kinds.length - 1;
      while (smallest > first && left[smallest] === 0) smallest--;
      const isMaximal = left[smallest] === 0 || kinds[smallest] > free;
      if (isMaximal && free <= spare && !isBeaten(free)) found.push({ taken: [...taken], free });
      for (let kind = next; kind < kinds.length; kind++) {
        if (free - after[kind] > spare) return;
        if (left[kind] === 0) continue;
        left[kind]--;
        after[kind] -= kinds[kind];
        taken.push(kind);
        extend(kind, free - kinds[kind]);
        taken.pop();
        after[kind] += kinds[kind];
        left[kind]++;
      }
    };
    extend(first, room - kinds[first]);
    left[first]++;
    return found.sort((a, b) => a.free - b.free || a.taken.length - b.taken.length);
  };

  const chosen: (readonly number[])[] = [];
  const fill = (spare: number): boolean => {
    const first = left.findIndex((count) => count > 0);
    if (first < 0) return true;
    if (nodes >= maxNodes || isOver()) {
      isCut = true;
      return false;
    }
    nodes++;
    if (chosen.length >= bins) return false;
    const key = `${chosen.length} ${left.join(',')}`;
    if (failed.has(key)) return false;
    for (const { taken, free } of fillings(first, spare)) {
      for (const kind of taken) left[kind]--;
      chosen.push(taken);
      if (fill(spare - free)) return true;
      chosen.pop();
      for (const kind of taken) left[kind]++;
      if (isCut && (nodes >= maxNodes || isOver())) return false;
    }
    // The same items in as many bins fail again.
    if (failed.size < MOST_FAILED) failed.add(key);
    return false;
  };
  if (!fill(waste)) return { packing: null, isExhausted: !isCut, nodes };
  const packing = packingOf(sizes, kinds, chosen);
  return { packing, isExhausted: false, nodes };
}

interface Pattern {
  /** Kinds with how many of each. */
  readonly parts: readonly (readonly [kind: number, count: number])[];
  readonly free: number;
}

/** Patterns of bins that are looked at. */
const MOST_PATTERNS = 30_000;

/** All ways of filling a bin up to `waste`; null: too many. */
function patternsOf(kinds: readonly number[], left: readonly number[], room: number, waste: number): Pattern[] | null {
  const found: Pattern[] = [];
  const parts: [number, number][] = [];
  let steps = 0;
  const after = new Float64Array(kinds.length + 1);
  for (let kind = kinds.length - 1; kind >= 0; kind--) after[kind] = after[kind + 1] + kinds[kind] * left[kind];
  const extend = (from: number, free: number): boolean => {
    if (++steps > 100 * MOST_PATTERNS) return false;
    if (free <= waste) found.push({ parts: parts.map(([kind, count]) => [kind, count]), free });
    if (found.length > MOST_PATTERNS) return false;
    for (let kind = from; kind < kinds.length && free - after[kind] <= waste; kind++) {
      let rest = free;
      for (let count = 1; count <= left[kind]; count++) {
        rest -= kinds[kind];
        if (rest < 0) break;
        parts.push([kind, count]);
        const isDone = extend(kind + 1, rest);
        parts.pop();
        if (!isDone) return false;
      }
    }
    return true;
  };
  return extend(0, room) ? found : null;
}

/**
 * As `completeBins`, for bins that must be nearly full: the next bin is one of the item that has the fewest patterns
 * left.
 * Null: there are too many patterns.
 */
export function coverBins(
  { sizes, room }: Sizes,
  bins: number,
  maxNodes: number,
  isOver: () => boolean,
): Completion | null {
  const kinds = [...new Set(sizes)];
  const left = kinds.map((kind) => sizes.filter((size) => size === kind).length);
  const waste = bins * room - sizes.reduce((a, b) => a + b, 0) + 1e-9 * room;
  if (waste < 0) return { packing: null, isExhausted: true, nodes: 0 };
  const all = patternsOf(kinds, left, room, waste);
  if (all === null) return null;
  const failed = new Set<string>();
  const chosen: Pattern[] = [];
  let nodes = 0;
  let isCut = false;
  const fill = (patterns: readonly Pattern[], spare: number): boolean => {
    if (left.every((count) => count === 0)) return true;
    if (chosen.length >= bins) return false;
    if (nodes >= maxNodes || isOver()) {
      isCut = true;
      return false;
    }
    nodes++;
    const key = `${chosen.length} ${left.join(',')}`;
    if (failed.has(key)) return false;
    const open = patterns.filter(
      ({ parts, free }) => free <= spare && parts.every(([kind, count]) => count <= left[kind]),
    );
    /** Items that the patterns of a kind could hold, for each item that is left of it. */
    const supply = new Float64Array(kinds.length);
    for (const { parts } of open) for (const [kind] of parts) supply[kind]++;
    let rarest = -1;
    for (let kind = 0; kind < kinds.length; kind++) {
      if (left[kind] > 0 && (rarest < 0 || supply[kind] < supply[rarest])) rarest = kind;
    }
    for (const pattern of open
      .filter(({ parts }) => parts.some(([kind]) => kind === rarest))
      .sort((a, b) => a.free - b.free)) {
      for (const [kind, count] of pattern.parts) left[kind] -= count;
      chosen.push(pattern);
      if (fill(open, spare - pattern.free)) return true;
      chosen.pop();
      for (const [kind, count] of pattern.parts) left[kind] += count;
      if (isCut) return false;
    }
    if (failed.size < MOST_FAILED) failed.add(key);
    return false;
  };
  if (!fill(all, waste)) return { packing: null, isExhausted: !isCut, nodes };
  return {
    packing: packingOf(
      sizes,
      kinds,
      chosen.map(({ parts }) => parts.flatMap(([kind, count]) => new Array<number>(count).fill(kind))),
    ),
    isExhausted: false,
    nodes,
  };
}

/** Items into bins that name their kinds. */
function packingOf(sizes: readonly number[], kinds: readonly number[], bins: readonly (readonly number[])[]): number[] {
  const places: number[][] = kinds.map(() => []);
  for (const [bin, taken] of bins.entries()) for (const kind of taken) places[kind].push(bin);
  const kindOf = new Map(kinds.map((size, kind) => [size, kind]));
  return sizes.map((size) => places[kindOf.get(size)!].shift()!);
}
