/** Whether a sum of functions of one value goes one way with it: by intervals of its derivative. */
import type { Interval } from '../ir/intervals.js';
import { opInfo } from '../ir/ops.js';
import type { Behaviour } from './behaviour.js';
import type { NodeId, Trace } from './trace.js';

/** Nodes between a sum and the value that are looked at. */
const MAX_BETWEEN = 64;
/** The slope must be clear of what rounding of the ends of intervals could hide. */
const CLEARANCE = 1e-6;

interface Range {
  readonly lo: number;
  readonly hi: number;
}

const ZERO: Range = { lo: 0, hi: 0 };

const sum = (a: Range, b: Range): Range => ({ lo: a.lo + b.lo, hi: a.hi + b.hi });

function product(a: Range, b: Range): Range {
  const ends = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
  return { lo: Math.min(...ends), hi: Math.max(...ends) };
}

const times = (a: Range, factor: number): Range => product(a, { lo: factor, hi: factor });

/**
 * The one value that all `leaves` (with weights) depend on, and the sign of the derivative of their sum by it; null
 * where there is none or it changes sign. Nodes before `floor` are not looked into.
 */
export function slopeOver(
  trace: Trace,
  behaviour: Behaviour,
  leaves: ReadonlyMap<NodeId, number>,
  floor: number,
): { readonly of: NodeId; readonly sign: 1 | -1 } | null {
  const between: NodeId[] = [];
  const frontier = new Set([...leaves.keys()].filter((id) => !trace.isConstant(id)));
  while (frontier.size > 1) {
    const last = Math.max(...frontier);
    if (between.length >= MAX_BETWEEN || last < floor || trace.ops[last] === 'x') return null;
    frontier.delete(last);
    between.push(last);
    for (const arg of trace.args[last]) if (!trace.isConstant(arg)) frontier.add(arg);
  }
  const [of] = frontier;
  if (of === undefined || between.length === 0) return null;
  const slopes = new Map<NodeId, Range>([[of, { lo: 1, hi: 1 }]]);
  for (const id of between.sort((p, q) => p - q)) {
    const slope = slopeOf(trace, behaviour, slopes, id);
    if (slope === null) return null;
    slopes.set(id, slope);
  }
  const whole = [...leaves].reduce((all, [id, weight]) => sum(all, times(slopes.get(id) ?? ZERO, weight)), ZERO);
  const clear = CLEARANCE * Math.max(Math.abs(whole.lo), Math.abs(whole.hi));
  if (!Number.isFinite(clear)) return null;
  return whole.lo > clear ? { of, sign: 1 } : whole.hi < -clear ? { of, sign: -1 } : null;
}

function slopeOf(trace: Trace, behaviour: Behaviour, slopes: ReadonlyMap<NodeId, Range>, id: NodeId): Range | null {
  const op = trace.ops[id];
  const [a, b] = trace.args[id];
  const slope = (arg: NodeId): Range => slopes.get(arg) ?? ZERO;
  const range = (arg: NodeId): Interval => behaviour.interval(arg);
  switch (op) {
    case 'add':
      return sum(slope(a), slope(b));
    case 'sub':
      return sum(slope(a), times(slope(b), -1));
    case 'neg':
      return times(slope(a), -1);
    case 'mul':
      if (trace.isConstant(b)) return times(slope(a), trace.imm[b]);
      if (trace.isConstant(a)) return times(slope(b), trace.imm[a]);
      return sum(product(slope(a), range(b)), product(slope(b), range(a)));
    case 'div':
      return trace.isConstant(b) && trace.imm[b] !== 0 ? times(slope(a), 1 / trace.imm[b]) : null;
    case 'phi':
    case 'opaque':
      return null;
    default: {
      const own = opInfo(op).slope;
      if (own === 'itself') return product(slope(a), range(id));
      return typeof own === 'object' ? product(slope(a), { lo: own[0], hi: own[1] }) : null;
    }
  }
}
