/**
 * f = outer(constant + sum of terms): peels increasing functions off a value and takes apart the sum inside, also
 * through branches (what both have in common comes out; the rest counts where its branch is taken), and products of
 * positive factors, as sums of their logarithms.
 */
import { opInfo, type OpName } from '../ir/ops.js';
import type { OuterStep } from '../model/program-structure.js';
import type { Behaviour } from './behaviour.js';
import type { Frame, NodeId, Trace, TraceOp } from './trace.js';
import { slopeOver } from './slopes.js';
import { WorkQueue } from './work-queue.js';
import { TooMuchWork } from './work.js';

export interface Part {
  /** -1: the number 1. */
  readonly node: NodeId;
  readonly weight: number;
}

/** `weight * node`, or `weight * log(node)`, wherever it is computed. */
interface PlainTerm {
  readonly kind: 'plain' | 'log';
  readonly node: NodeId;
  readonly weight: number;
}

/** `weight * node` where `frame` is entered, which the conditions decide; else 0. */
interface BranchTerm {
  readonly kind: 'branch';
  /** -1: the number 1. */
  readonly node: NodeId;
  readonly weight: number;
  readonly frame: Frame;
  readonly conditions: readonly NodeId[];
}

/** The sum of some parts where the condition of a `select` holds, of others elsewhere. */
interface ChoiceTerm {
  readonly kind: 'choice';
  readonly select: NodeId;
  readonly then: readonly Part[];
  readonly otherwise: readonly Part[];
  readonly conditions: readonly NodeId[];
}

export type Term = PlainTerm | BranchTerm | ChoiceTerm;

/** The nodes that a term is made of, and those that decide whether it counts. */
export function nodesOf(term: Term): readonly NodeId[] {
  switch (term.kind) {
    case 'plain':
    case 'log':
      return [term.node];
    case 'branch':
      return term.node < 0 ? term.conditions : [term.node, ...term.conditions];
    case 'choice': {
      const parts = [...term.then, ...term.otherwise].map(({ node }) => node);
      return [...parts.filter((node) => node >= 0), ...term.conditions];
    }
  }
}

export interface SumForm {
  /** Steps of the outer function, from the outside to the inside. */
  readonly outer: readonly OuterStep[];
  readonly terms: readonly Term[];
}

/** Expressions that are taken apart although all their parts depend on the same variables. */
interface SumOptions {
  readonly splitsBranches?: boolean;
  readonly splitsProducts?: boolean;
}

type Conditional = BranchTerm | ChoiceTerm;

interface Sum {
  readonly constant: number;
  readonly leaves: ReadonlyMap<NodeId, number>;
  readonly conditionals: readonly Conditional[];
  /** Leaves whose logarithm counts. */
  readonly logarithms?: ReadonlySet<NodeId>;
}

/** How a choice is taken apart. */
interface Split {
  readonly constant: number;
  readonly common: readonly Part[];
  readonly conditionals: readonly Conditional[];
}

/** One function less around a sum. */
interface Peeled {
  readonly factor: number;
  readonly step: OuterStep | null;
  readonly direction: number;
  readonly sum: Sum;
}

const isChoice = (op: TraceOp): boolean => op === 'phi' || op === 'select';

const MAX_STEPS = 1_000_000;

export class Sums {
  private readonly splits = new Map<NodeId, Split | null>();
  private steps = 0;

  constructor(
    private readonly trace: Trace,
    private readonly behaviour: Behaviour,
    private readonly options: SumOptions = {},
  ) {}

  /** Form of `root`, the value of the program. */
  formOf(root: NodeId): SumForm {
    const outer: OuterStep[] = [];
    let sum = this.expand([{ node: root, weight: 1 }]);
    /** Whether f increases with the value under consideration. */
    let direction = 1;
    for (;;) {
      const inner = this.peel(sum, direction) ?? this.peelScalar(sum, direction);
      if (inner === null) break;
      if (sum.constant !== 0 || inner.factor !== 1) outer.push(affineStep(sum.constant, inner.factor));
      if (inner.step !== null) outer.push(inner.step);
      direction = inner.direction;
      sum = inner.sum;
    }
    if (sum.constant !== 0 || direction < 0) outer.push(affineStep(sum.constant, direction));
    return { outer, terms: this.termsOf(sum, direction) };
  }

  private termsOf(sum: Sum, direction: number): Term[] {
    const terms: Term[] = [];
    for (const [node, weight] of sum.leaves) {
      const kind = sum.logarithms?.has(node) === true ? 'log' : 'plain';
      terms.push({ kind, node, weight: direction * weight });
    }
    for (const term of sum.conditionals) terms.push(rescaled(term, direction));
    return terms;
  }

  /**
   * The inside of a sum whose only term is a monotone function of something; null: there is no such.
   */
  private peel(sum: Sum, direction: number, floor = -1): Peeled | null {
    const { trace, behaviour } = this;
    if (sum.conditionals.length > 0 || sum.leaves.size !== 1 || sum.logarithms !== undefined) return null;
    const [[node, factor]] = sum.leaves;
    const op = trace.ops[node];
    const [a, b] = trace.args[node];
    const into = (step: OuterStep | null, inner: NodeId, sign: number) => ({
      factor,
      step,
      direction: direction * sign * Math.sign(factor),
      sum: this.expand([{ node: inner, weight: 1 }], floor),
    });
    if (node < floor) return null;
    if (!Number.isFinite(factor) || factor === 0) return null;
    switch (op) {
      case 'pow': {
        if (trace.isConstant(b)) {
          const exponent = trace.imm[b];
          const { lo, hi } = behaviour.interval(a);
          if (exponent > 0 && this.isAtLeast(a, 0)) return into({ op: 'power', factor: exponent }, a, 1);
          if (lo > 0 && exponent < 0) return into({ op: 'power', factor: exponent }, a, -1);
          if (hi <= 0 && exponent > 0 && exponent % 2 === 0) return into({ op: 'power', factor: exponent }, a, -1);
          return null;
        }
        if (!trace.isConstant(a) || !(trace.imm[a] > 0)) return null;
        return trace.imm[a] > 1 ? into({ op: 'exponential', factor: trace.imm[a] }, b, 1) : null;
      }
      case 'div':
        if (trace.isConstant(a) && trace.imm[a] > 0 && behaviour.interval(b).lo > 0) {
          return into({ op: 'reciprocal', factor: trace.imm[a] }, b, -1);
        }
        break;
      case 'mul': {
        const square = behaviour.squareOf(node);
        if (square === null || square.scales[0] !== square.scales[1]) break;
        const { lo, hi } = behaviour.interval(a);
        if (lo >= 0) return into({ op: 'power', factor: 2 }, a, 1);
        if (hi <= 0) return into({ op: 'power', factor: 2 }, a, -1);
        break;
      }
      case 'phi':
      case 'opaque':
        return null;
      default: {
        const sign = trace.args[node].length === 1 ? this.signOfSlope(op, a) : 0;
        return sign === 0 ? null : into({ op }, a, sign);
      }
    }
    const logarithm = this.logarithm(node);
    if (logarithm === null) return null;
    return {
      factor,
      step: { op: 'exp' },
      direction: direction * Math.sign(factor),
      sum: logarithm,
    };
  }

  /** Direction of a function of one value at its argument: 1 if it increases, -1 if it decreases, 0 if neither. */
  private signOfSlope(op: OpName, arg: NodeId): 1 | -1 | 0 {
    switch (opInfo(op).monotony) {
      case 'increases':
        return 1;
      case 'decreases':
        return -1;
      case 'mirrored': {
        const { lo, hi } = this.behaviour.interval(arg);
        return lo >= 0 ? 1 : hi <= 0 ? -1 : 0;
      }
      case undefined:
        return 0;
    }
  }

  /** The inside of a monotone function of one value that is not one operation on it. */
  private peelScalar(sum: Sum, direction: number, floor = -1): Peeled | null {
    const { trace, behaviour } = this;
    if (sum.conditionals.length > 0 || sum.leaves.size === 0 || sum.logarithms !== undefined) return null;
    const into = (factor: number, inner: NodeId, sign: number): Peeled => ({
      factor,
      step: { op: 'monotone' },
      direction: direction * sign,
      sum: this.expand([{ node: inner, weight: 1 }], floor),
    });
    if (sum.leaves.size === 1) {
      const [[node, factor]] = sum.leaves;
      if (!isChoice(trace.ops[node]) || node < floor) return null;
      const [condition, branch, otherwise] = trace.args[node];
      const isSame = isChoice(trace.ops[branch]) && trace.args[branch][0] === condition;
      const then = isSame ? trace.args[branch][1] : branch;
      const [limit, value] = trace.args[condition];
      // Constant up to a limit, not lower and increasing above it.
      const isAbove = trace.ops[condition] === 'lt' && trace.isConstant(limit) && trace.isConstant(otherwise);
      if (!isAbove || value < floor || !this.isAtLeast(then, trace.imm[otherwise])) return null;
      return this.directionTo(then, value) === 1 ? into(factor, value, Math.sign(factor)) : null;
    }
    const slope = slopeOver(trace, behaviour, sum.leaves, floor);
    return slope === null ? null : into(1, slope.of, slope.sign);
  }

  /** Whether `node` is never below `limit`, where it has a value. */
  private isAtLeast(node: NodeId, limit: number): boolean {
    const { trace, behaviour } = this;
    if (behaviour.interval(node).lo >= limit) return true;
    const [a, b, c] = trace.args[node];
    if (isChoice(trace.ops[node])) return this.isAtLeast(b, limit) && this.isAtLeast(c, limit);
    return trace.ops[node] === 'pow' && limit <= 0 && this.isAtLeast(a, 0);
  }

  /** 1 or -1: `node` is an increasing or decreasing function of `value`; null: neither is known. */
  private directionTo(node: NodeId, value: NodeId): number | null {
    const floor = value + 1;
    let sum = this.expand([{ node, weight: 1 }], floor);
    let direction = 1;
    for (;;) {
      const [[leaf, factor] = [-1, 0]] = sum.leaves;
      if (sum.leaves.size === 1 && sum.conditionals.length === 0 && leaf === value)
        return direction * Math.sign(factor);
      const inner = this.peel(sum, direction, floor) ?? this.peelScalar(sum, direction, floor);
      if (inner === null) return null;
      ({ sum, direction } = inner);
    }
  }

  /** log(node) as a sum, where it is a product of positive factors that do not all depend on the same. */
  private logarithm(node: NodeId): Sum | null {
    const { trace, behaviour } = this;
    let constant = 0;
    const logarithms = new Map<NodeId, number>();
    const exponents: Part[] = [];
    const queue = new WorkQueue();
    queue.add(node, 1);
    for (let next = queue.take(); next !== null; next = queue.take()) {
      this.spend();
      const { node: id, weight } = next;
      if (weight === 0) continue;
      const [a, b] = trace.args[id];
      const op = trace.ops[id];
      if (op === 'const') {
        if (!(trace.imm[id] > 0) || !Number.isFinite(trace.imm[id])) return null;
        constant += weight * Math.log(trace.imm[id]);
        continue;
      }
      const isPositive = (arg: NodeId): boolean => behaviour.interval(arg).lo > 0;
      if ((op === 'mul' || op === 'div') && isPositive(a) && isPositive(b)) {
        queue.add(a, weight);
        queue.add(b, op === 'mul' ? weight : -weight);
      } else if (op === 'pow' && trace.isConstant(b) && isPositive(a)) queue.add(a, weight * trace.imm[b]);
      else if (op === 'sqrt' && isPositive(a)) queue.add(a, 0.5 * weight);
      else if (op === 'exp') exponents.push({ node: a, weight });
      else if (isPositive(id)) logarithms.set(id, (logarithms.get(id) ?? 0) + weight);
      else return null;
    }
    const whole = trace.deps[node];
    const inner = this.expand(exponents);
    const parts = [...logarithms.keys(), ...inner.leaves.keys()];
    const gains = this.options.splitsProducts === true || parts.some((id) => trace.deps[id] !== whole);
    if (parts.length < 2 || !gains) return null;
    // A node may be a factor and in an exponent, too.
    if ([...inner.leaves.keys()].some((id) => logarithms.has(id))) return null;
    return {
      constant: constant + inner.constant,
      leaves: new Map([...logarithms, ...inner.leaves]),
      conditionals: inner.conditionals,
      logarithms: new Set(logarithms.keys()),
    };
  }

  // --- sums

  /** Takes a weighted sum apart; nodes made before `floor` stay whole. */
  private expand(parts: readonly Part[], floor = -1): Sum {
    const { trace } = this;
    const { ops, args, imm } = trace;
    const queue = new WorkQueue();
    const leaves = new Map<NodeId, number>();
    const conditionals: Conditional[] = [];
    let constant = 0;
    for (const { node, weight } of parts) queue.add(node, weight);
    for (let next = queue.take(); next !== null; next = queue.take()) {
      this.spend();
      const { node, weight } = next;
      if (weight === 0) continue;
      if (trace.isConstant(node)) {
        constant += weight * imm[node];
        continue;
      }
      if (node < floor) {
        leaves.set(node, weight);
        continue;
      }
      const [a, b] = args[node];
      switch (ops[node]) {
        case 'add':
          // An element of an array that two branches have written: the place where it is loaded is the value.
          if (trace.values[a] < 0 && trace.ops[a] === 'phi' && this.split(a) === null) break;
          queue.add(a, weight);
          queue.add(b, weight);
          continue;
        case 'sub':
          queue.add(a, weight);
          queue.add(b, -weight);
          continue;
        case 'neg':
          queue.add(a, -weight);
          continue;
        case 'mul':
          if (trace.isConstant(a) && Number.isFinite(imm[a])) {
            queue.add(b, weight * imm[a]);
            continue;
          }
          if (trace.isConstant(b) && Number.isFinite(imm[b])) {
            queue.add(a, weight * imm[b]);
            continue;
          }
          break;
        case 'div':
          if (trace.isConstant(b) && imm[b] !== 0 && Number.isFinite(imm[b])) {
            queue.add(a, weight / imm[b]);
            continue;
          }
          break;
        case 'phi':
        case 'select': {
          const split = this.split(node);
          if (split === null) break;
          constant += weight * split.constant;
          for (const part of split.common) queue.add(part.node, weight * part.weight);
          for (const conditional of split.conditionals) conditionals.push(rescaled(conditional, weight));
          continue;
        }
        default:
      }
      leaves.set(node, weight);
    }
    return { constant, leaves, conditionals };
  }

  private split(node: NodeId): Split | null {
    let split = this.splits.get(node);
    if (split === undefined) {
      split = this.computeSplit(node);
      this.splits.set(node, split);
    }
    return split;
  }

  private computeSplit(node: NodeId): Split | null {
    const { trace } = this;
    const [condition, a, b] = trace.args[node];
    const branches = trace.branches.get(node);
    const floor = branches?.first ?? condition;
    const then = this.expand([{ node: a, weight: 1 }], floor);
    const otherwise = this.expand([{ node: b, weight: 1 }], floor);
    const common: Part[] = [];
    const isCommon = (id: NodeId): boolean => id < floor && then.leaves.get(id) === otherwise.leaves.get(id);
    for (const [id, weight] of then.leaves) if (isCommon(id)) common.push({ node: id, weight });
    const rest = (sum: Sum): Part[] =>
      [...sum.leaves].filter(([id]) => !isCommon(id)).map(([id, weight]) => ({ node: id, weight }));
    const conditionals =
      branches === undefined
        ? this.choice(node, [then, rest(then)], [otherwise, rest(otherwise)])
        : this.branchTerms([
            [branches.then, then, rest(then), condition],
            [branches.otherwise, otherwise, rest(otherwise), condition],
          ]);
    if (conditionals === null) return null;
    const gains =
      this.options.splitsBranches === true ||
      common.length > 0 ||
      conditionals.length === 0 ||
      (conditionals.length > 1 && conditionals.some((term) => this.depsOf(term) !== trace.deps[node]));
    if (!gains) return null;
    const difference = then.constant - otherwise.constant;
    if (difference === 0) return { constant: then.constant, common, conditionals };
    if (branches === undefined) {
      // A constant on one side is part of the choice.
      return {
        constant: otherwise.constant,
        common,
        conditionals: withConstant(conditionals, node, condition, difference),
      };
    }
    const jump: Conditional = {
      kind: 'branch',
      node: -1,
      weight: difference,
      frame: branches.then,
      conditions: [condition],
    };
    return { constant: otherwise.constant, common, conditionals: [...conditionals, jump] };
  }

  /** One term for what a `select` adds on either side. */
  private choice(
    select: NodeId,
    [then, thenParts]: readonly [Sum, readonly Part[]],
    [otherwise, otherwiseParts]: readonly [Sum, readonly Part[]],
  ): Conditional[] | null {
    const { trace } = this;
    if (then.conditionals.length > 0 || otherwise.conditionals.length > 0) return null;
    const parts = [...thenParts, ...otherwiseParts];
    if (parts.length === 0) return [];
    const frame = trace.frames[select];
    if (trace.values[select] < 0 || !parts.every(({ node }) => trace.isVisible(node, frame))) return null;
    if (!trace.isVisible(trace.args[select][0], frame)) return null;
    return [
      { kind: 'choice', select, then: thenParts, otherwise: otherwiseParts, conditions: [trace.args[select][0]] },
    ];
  }

  private branchTerms(sides: readonly (readonly [Frame, Sum, readonly Part[], number])[]): Conditional[] | null {
    const { trace } = this;
    const terms: Conditional[] = [];
    for (const [frame, sum, parts, condition] of sides) {
      const add = (node: NodeId, weight: number): boolean => {
        if (!isWithin(trace.frames[node], frame) && !trace.isVisible(node, frame)) return false;
        if (trace.values[node] < 0) return false;
        terms.push({ kind: 'branch', node, weight, frame, conditions: [condition] });
        return true;
      };
      for (const inner of sum.conditionals) {
        terms.push({ ...inner, conditions: [...inner.conditions, condition] });
      }
      for (const { node, weight } of parts) {
        const whole = isWithin(trace.frames[node], frame) ? null : this.expand([{ node, weight }]);
        const isSplit =
          whole !== null &&
          whole.conditionals.length === 0 &&
          [...whole.leaves.keys()].every((id) => trace.values[id] >= 0 && trace.isVisible(id, frame));
        if (!isSplit) {
          if (!add(node, weight)) return null;
          continue;
        }
        for (const [id, w] of whole.leaves) if (!add(id, w)) return null;
        if (whole.constant !== 0)
          terms.push({ kind: 'branch', node: -1, weight: whole.constant, frame, conditions: [condition] });
      }
    }
    return terms;
  }

  depsOf(term: Term): number {
    const { sets, deps } = this.trace;
    return nodesOf(term).reduce((set, node) => sets.union(set, deps[node]), 0);
  }

  private spend(): void {
    if (++this.steps > MAX_STEPS) throw new TooMuchWork();
    this.trace.work.spend();
  }
}

const affineStep = (offset: number, factor: number): OuterStep => ({ op: 'affine', offset, factor });

function rescaled<T extends Term>(term: T, factor: number): T {
  if (factor === 1) return term;
  if (term.kind !== 'choice') return { ...term, weight: factor * term.weight };
  const all = (parts: readonly Part[]): Part[] => parts.map(({ node, weight }) => ({ node, weight: factor * weight }));
  return { ...term, then: all(term.then), otherwise: all(term.otherwise) };
}

function withConstant(terms: readonly Conditional[], select: NodeId, condition: NodeId, amount: number): Conditional[] {
  const constant = { node: -1, weight: amount };
  const [first] = terms;
  if (first === undefined)
    return [{ kind: 'choice', select, then: [constant], otherwise: [], conditions: [condition] }];
  return first.kind === 'choice' ? [{ ...first, then: [...first.then, constant] }] : [...terms];
}

export function isWithin(inner: Frame | undefined, outer: Frame): boolean {
  for (let at = inner ?? null; at !== null; at = at.parent) if (at === outer) return true;
  return false;
}
