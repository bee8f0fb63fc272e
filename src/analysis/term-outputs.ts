/** Where the terms of a sum, or the roots of its squares, can be read out of a run of the program. */
import type { ForNode, Region, ValueId } from '../ir/types.js';
import { largestCount, turnsOf } from '../ir/index-form.js';
import type { OutputPlan, OutputSite, Piece, WeightedValue } from '../passes/outputs/with-outputs.js';
import type { Behaviour } from './behaviour.js';
import { isWithin, type Part, type Term } from './sums.js';
import type { Frame, NodeId, Trace } from './trace.js';

/** More numbers are not read. */
const MAX_SLOTS = 100_000;

export interface TermOutputs {
  readonly plan: OutputPlan;
  /** By slot of the plan: the terms whose sum it holds; none: it is 0. */
  readonly terms: readonly (readonly Term[])[];
}

/** One value that is stored for a term: its place and its piece of the term. */
interface Spot {
  readonly place: ValueId | Region;
  readonly frame: Frame;
  /** Names the values in question, besides the place: the same in all turns of a loop. */
  readonly key: string;
  readonly piece: Piece;
  /** Not wherever the program runs. */
  readonly isConditional: boolean;
}

/** The same in several turns of a loop. */
interface Instances {
  readonly spot: Spot;
  readonly turns: number[];
  readonly pieces: Piece[];
  readonly terms: Term[];
}

/**
 * The terms as outputs. Those that are computed outside of loops and branches are added up where `groupOf` gives the
 * same number. Null: some term is not a value of the program, or there are too many.
 */
export function placeTerms(trace: Trace, terms: readonly Term[], groupOf: (term: Term) => number): TermOutputs | null {
  return place(trace, terms, (term) => spotOf(trace, term), groupOf);
}

/** f = outer(sum of squares): what is squared, as outputs. Null: not all terms are squares with positive weights. */
export function placeRoots(trace: Trace, behaviour: Behaviour, terms: readonly Term[]): TermOutputs | null {
  return place(trace, terms, (term) => rootSpotOf(trace, behaviour, term), null);
}

function place(
  trace: Trace,
  terms: readonly Term[],
  toSpot: (term: Term) => Spot | null,
  groupOf: ((term: Term) => number) | null,
): TermOutputs | null {
  const groups = new Map<number, { pieces: Piece[]; terms: Term[] }>();
  const places = new Map<ValueId | Region, Map<string, Instances>>();
  for (const term of terms) {
    const spot = toSpot(term);
    if (spot === null) return null;
    if (groupOf !== null && spot.frame === trace.rootFrame) {
      const group = groups.get(groupOf(term));
      if (group === undefined) groups.set(groupOf(term), { pieces: [spot.piece], terms: [term] });
      else {
        group.pieces.push(spot.piece);
        group.terms.push(term);
      }
      continue;
    }
    const turn = turnOf(spot.frame.loops, spot.frame.turns);
    const here = places.get(spot.place) ?? new Map<string, Instances>();
    places.set(spot.place, here);
    const known = here.get(spot.key);
    if (known === undefined) here.set(spot.key, { spot, turns: [turn], pieces: [spot.piece], terms: [term] });
    else {
      known.turns.push(turn);
      known.pieces.push(spot.piece);
      known.terms.push(term);
    }
  }
  const sites: OutputSite[] = [];
  const bySlot: Term[][] = [];
  for (const group of groups.values()) {
    sites.push({ place: trace.fn.body, loops: [], slot: bySlot.length, pieces: group.pieces });
    bySlot.push(group.terms);
  }
  let isPartial = false;
  for (const { spot, turns, pieces, terms: placed } of [...places.values()].flatMap((here) => [...here.values()])) {
    const { loops } = spot.frame;
    const count = turnsOf(loops);
    if (new Set(turns).size !== turns.length) return null;
    if (bySlot.length + count > MAX_SLOTS) return null;
    sites.push({ place: spot.place, loops, slot: bySlot.length, pieces: [joined(pieces, turns, count)] });
    const first = bySlot.length;
    for (let k = 0; k < count; k++) bySlot.push([]);
    placed.forEach((term, k) => bySlot[first + turns[k]].push(term));
    isPartial ||= spot.isConditional || turns.length < count;
  }
  return bySlot.length > MAX_SLOTS ? null : { plan: { length: bySlot.length, sites, isPartial }, terms: bySlot };
}

function turnOf(loops: readonly ForNode[], turns: readonly number[]): number {
  return loops.reduce((at, loop, k) => at * largestCount(loop, loops.slice(0, k)) + turns[k], 0);
}

/** One piece for all turns, from those of single turns; where there is none the weight is 0. */
function joined(pieces: readonly Piece[], turns: readonly number[], count: number): Piece {
  const [first] = pieces;
  const weigh = (partOf: (piece: Piece) => WeightedValue): WeightedValue => {
    const { value, weight } = partOf(first);
    if (pieces.length === count && pieces.every((piece) => partOf(piece).weight === weight)) return { value, weight };
    const weights = new Float64Array(count);
    pieces.forEach((piece, k) => (weights[turns[k]] = partOf(piece).weight as number));
    return { value, weight: weights };
  };
  if (first.kind !== 'choice') return { kind: first.kind, ...weigh((piece) => piece as WeightedValue) };
  type Choice = Extract<Piece, { kind: 'choice' }>;
  return {
    kind: 'choice',
    condition: first.condition,
    then: first.then.map((_, k) => weigh((piece) => (piece as Choice).then[k])),
    otherwise: first.otherwise.map((_, k) => weigh((piece) => (piece as Choice).otherwise[k])),
  };
}

function spotOf(trace: Trace, term: Term): Spot | null {
  const frame = (node: NodeId): Frame => trace.frames[node];
  switch (term.kind) {
    case 'plain':
    case 'log': {
      const out = trace.handedOut.get(term.node);
      const value = out?.value ?? trace.values[term.node];
      if (value < 0) return null;
      const piece: Piece = { kind: term.kind, value, weight: term.weight };
      return {
        place: value,
        frame: out?.frame ?? frame(term.node),
        key: `${term.kind}${value}`,
        piece,
        isConditional: false,
      };
    }
    case 'branch': {
      const value = term.node < 0 ? null : trace.values[term.node];
      if (value !== null && value < 0) return null;
      return branchSpot(trace, term, { kind: 'plain', value, weight: term.weight });
    }
    case 'choice': {
      const parts = (list: readonly Part[]): WeightedValue[] =>
        list.map(({ node, weight }) => ({ value: node < 0 ? null : trace.values[node], weight }));
      return choiceSpot(trace, term, parts(term.then), parts(term.otherwise));
    }
  }
}

function branchSpot(trace: Trace, term: Extract<Term, { kind: 'branch' }>, piece: Piece & WeightedValue): Spot | null {
  const isInside = term.node >= 0 && isWithin(trace.frames[term.node], term.frame);
  const place = isInside ? trace.values[term.node] : term.frame.region;
  const frame = isInside ? trace.frames[term.node] : term.frame;
  if (isInside && trace.values[term.node] < 0) return null;
  return { place, frame, key: `branch${piece.value}`, piece, isConditional: true };
}

function choiceSpot(
  trace: Trace,
  { select }: Extract<Term, { kind: 'choice' }>,
  then: readonly WeightedValue[],
  otherwise: readonly WeightedValue[],
): Spot | null {
  const place = trace.values[select];
  const condition = trace.args[select][0];
  const conditionValue = trace.values[condition];
  if (place < 0 || conditionValue < 0 || [...then, ...otherwise].some(({ value }) => value !== null && value < 0))
    return null;
  const names = (list: readonly WeightedValue[]): string => list.map(({ value }) => value).join();
  return {
    place,
    frame: trace.frames[select],
    key: `choice${place}:${names(then)}:${names(otherwise)}`,
    piece: { kind: 'choice', condition: conditionValue, then, otherwise },
    isConditional: false,
  };
}

/** The value that is squared: `weight * node` = value^2. */
function rootOf(trace: Trace, behaviour: Behaviour, { node, weight }: Part): WeightedValue | null {
  if (node < 0) return weight > 0 ? { value: null, weight: Math.sqrt(weight) } : null;
  const square = behaviour.squareOf(node);
  const instruction = trace.instructions[node];
  if (square === null || instruction === null || trace.values[node] < 0) return null;
  const [p, q] = square.scales;
  const scale = (weight * q) / p;
  return scale > 0 && Number.isFinite(scale) ? { value: instruction.args[0], weight: Math.sqrt(scale) } : null;
}

/** A power, of at least 2, of a value that is not negative: the root is taken of the whole power. */
function powerRootOf(trace: Trace, behaviour: Behaviour, { node, weight }: Part): WeightedValue | null {
  if (!(weight > 0) || trace.values[node] < 0) return null;
  const power = monomial(trace, node);
  const isRoot = power.base !== node && power.degree >= 2 && behaviour.interval(power.base).lo >= 0;
  return isRoot ? { value: trace.values[node], weight: Math.sqrt(weight) } : null;
}

/** Products within products, each of which may be needed twice. */
const MAX_FACTORING = 6;

/** `node` = base^degree. */
function monomial(trace: Trace, node: NodeId, depth = 0): { readonly base: NodeId; readonly degree: number } {
  const [a, b] = trace.args[node];
  if (trace.ops[node] === 'pow' && trace.isConstant(b)) return { base: a, degree: trace.imm[b] };
  if (trace.ops[node] !== 'mul' || depth === MAX_FACTORING) return { base: node, degree: 1 };
  const [p, q] = [monomial(trace, a, depth + 1), monomial(trace, b, depth + 1)];
  return p.base === q.base ? { base: p.base, degree: p.degree + q.degree } : { base: node, degree: 1 };
}

function rootSpotOf(trace: Trace, behaviour: Behaviour, term: Term): Spot | null {
  switch (term.kind) {
    case 'log':
      return null;
    case 'plain': {
      const place = trace.values[term.node];
      const frame = trace.frames[term.node];
      const spot = { place, frame, key: `root${place}`, isConditional: false };
      const root = rootOf(trace, behaviour, term);
      if (root !== null) return { ...spot, piece: { kind: 'plain', ...root } };
      const power = powerRootOf(trace, behaviour, term);
      return power === null ? null : { ...spot, piece: { kind: 'sqrt', ...power } };
    }
    case 'branch': {
      const root = rootOf(trace, behaviour, term);
      return root === null ? null : branchSpot(trace, term, { kind: 'plain', ...root });
    }
    case 'choice': {
      if (term.then.length > 1 || term.otherwise.length > 1) return null;
      const side = (parts: readonly Part[]): readonly WeightedValue[] | null => {
        const roots = parts.map((part) => rootOf(trace, behaviour, part));
        return roots.includes(null) ? null : (roots as WeightedValue[]);
      };
      const then = side(term.then);
      const otherwise = side(term.otherwise);
      return then === null || otherwise === null ? null : choiceSpot(trace, term, then, otherwise);
    }
  }
}

/** Nodes that are squared, of the terms of a placement of roots. */
export function rootNodes(behaviour: Behaviour, term: Term): readonly NodeId[] {
  const base = (node: NodeId): NodeId[] => {
    const square = node < 0 ? null : behaviour.squareOf(node);
    return square === null ? (node < 0 ? [] : [node]) : [square.base];
  };
  if (term.kind === 'choice') return [...term.then, ...term.otherwise].flatMap(({ node }) => base(node));
  return base(term.node);
}
