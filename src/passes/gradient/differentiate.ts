/**
 * Reverse-mode differentiation: from a function, one that has the same value and delivers the gradient, as its output
 * array [n]. The result is IR like any other and runs on every backend.
 *
 * The new function is the old one, followed by the same nodes backwards. Each node, run backwards, turns the adjoint of
 * its results (how much the function's value grows with them) into those of its arguments. What a slope needs of the
 * way forward is at hand where it was computed outside of all loops and branches; a branch hands it out as one more
 * result; a loop stores it, turn by turn, in a local array (a tape) that the same loop backwards reads, unless one or
 * two quick operations give it again. Local arrays have twins that hold the adjoints of their elements (`sites.ts`:
 * which of them need neither be cleared first nor added to). Cost: a few times that of the value, whatever n.
 *
 * Slopes where there is none: `derivatives.ts`. A lane that is flagged has no gradient.
 */
import { IrBuilder, type ArrayId } from '../../ir/builder.js';
import { addForms, constantForm, formOf, placeOf, scaleForm, turnsOf } from '../../ir/index-form.js';
import { opInfo, type OpName } from '../../ir/ops.js';
import type { ForNode, IfNode, IndexForm, Instruction, IrFunction, IrNode, Region, ValueId } from '../../ir/types.js';
import { regionsOf, resultsOf, usesOf, walk } from '../../ir/walk.js';
import { findActivity, type Activity } from './activity.js';
import { boundLoops } from './bound-loops.js';
import { Copier } from '../copier.js';
import { contribution, differentiableArgs, type Occasion } from './derivatives.js';
import { Multiples, type Multiple } from './multiples.js';
import { findSites, type ArraySites } from './sites.js';

/** Turns of loops without a fixed count that can be taken back: the most whose tapes have room. */
const MOST_TURNS = [4096, 512, 64];
/** Numbers that are kept for the way back, per lane: what the native backend has room for. */
const MAX_TAPE = 2 ** 15;
/**
 * Quick operations that are rather carried out again than their result kept: one instruction of the virtual machine.
 */
const MOST_MADE_ANEW = 2;
const QUICK: ReadonlySet<OpName> = new Set(['add', 'sub', 'mul']);

/** The way back would need more memory than there is for it. */
export class GradientTooLarge extends Error {}

/**
 * Cost: O(nodes).
 *
 * @throws {GradientTooLarge} when the loops would keep more than 2^15 numbers of a candidate.
 */
export function differentiate(fn: IrFunction): IrFunction {
  for (const turns of MOST_TURNS) {
    const differentiator = new Differentiator(boundLoops(fn, turns));
    if (differentiator.fits()) return differentiator.run();
  }
  throw new GradientTooLarge('The gradient would need too much memory.');
}

/** Where a value is defined. */
interface Origin {
  /** Null: a param, an index, or a result of an `if` or a loop. */
  readonly instruction: Instruction | null;
  /** Definitions are counted in program order. */
  readonly order: number;
  /** Inside a loop or a branch: not at hand on the way back. */
  readonly isNested: boolean;
}

/** The definitions inside a node: from `first` on, before `end`. */
interface Extent {
  readonly first: number;
  readonly end: number;
}

/** Values that a loop keeps for the way back, each in an array of its own. */
interface Tape {
  readonly value: ValueId;
  readonly array: ArrayId;
}

class Differentiator extends Copier {
  private readonly activity: Activity;
  private readonly origins: Origin[] = [];
  private readonly extents = new Map<IrNode, Extent>();
  /** Values of the way forward that the way back asks for. */
  private readonly needed = new Set<ValueId>();
  private readonly tapes = new Map<ForNode, readonly Tape[]>();
  /** The loops around the current place of the way forward, outermost first, in the old numbering. */
  private readonly around: ForNode[] = [];
  /** On the way back: the turn of the way forward, by old index. */
  private readonly turns = new Map<ValueId, IndexForm>();
  /** By array: its twin. */
  private readonly twins = new Map<number, ArrayId>();
  /** Adjoints of values, by region under construction that they must be handed out of, innermost last. */
  private readonly adjoints: Map<ValueId, Multiple>[] = [new Map()];
  private readonly multiples: Multiples;
  /** By array; of the candidate also where it is no array of `fn`. */
  private readonly sites: readonly ArraySites[];
  private readonly sitesOfCandidate: ArraySites;
  /** An adjoint of 0 may meet a slope that is not finite: that of a branch of a `select` that was not taken. */
  private readonly hasSelect: boolean;
  private readonly gradient: ArrayId;

  constructor(fn: IrFunction) {
    super(new IrBuilder(fn.name, fn.dimension), fn);
    this.activity = findActivity(fn);
    this.multiples = new Multiples(this.b);
    const { candidate, arrays } = findSites(fn, this.activity);
    this.sites = arrays;
    this.sitesOfCandidate = candidate;
    this.locate(fn.body, { next: 0 }, false);
    this.hasSelect = this.findNeeds(fn.body);
    this.gradient = this.b.outputArray(fn.dimension);
  }

  run(): IrFunction {
    const { b, fn } = this;
    this.nodes(fn.body);
    const [result] = fn.body.yields;
    if (this.sitesOfCandidate.needsClear) this.clear(this.gradient, fn.dimension);
    fn.arrays.forEach((array, k) => {
      if (array.kind === 'candidate') this.twins.set(k, this.gradient);
      if (array.kind !== 'local' || !this.activity.isArrayActive[k]) return;
      const twin = b.localArray(array.length);
      this.twins.set(k, twin);
      if (this.sites[k].needsClear) this.clear(twin, array.length);
    });
    this.add(result, this.multiples.of(b.const(1)));
    this.back(fn.body);
    return b.finish(this.of(result));
  }

  private clear(array: ArrayId, length: number): void {
    this.b.for(constantForm(length), [], (index) => {
      this.b.store(array, formOf(index), this.b.const(0));
      return [];
    });
  }

  // --- before: where values come from, and which of them the way back asks for

  private locate(region: Region, count: { next: number }, isNested: boolean): void {
    const define = (id: ValueId, instruction: Instruction | null, isInside = isNested): void => {
      this.origins[id] = { instruction, order: count.next++, isNested: isInside };
    };
    for (const node of region.body) {
      if (node.kind === 'op') {
        if (node.result >= 0) define(node.result, node);
        continue;
      }
      const first = count.next;
      if (node.kind === 'if') {
        this.locate(node.then, count, true);
        this.locate(node.otherwise, count, true);
      } else {
        if (node.kind === 'for') define(node.index, null, true);
        for (const id of node.params) define(id, null, true);
        this.locate(node.body, count, true);
      }
      this.extents.set(node, { first, end: count.next });
      for (const id of node.results) define(id, null);
    }
  }

  private isInside(id: ValueId, node: IrNode): boolean {
    const { first, end } = this.extents.get(node)!;
    const { order } = this.origins[id];
    return order >= first && order < end;
  }

  /** Whether there is an active `select`. */
  private findNeeds(region: Region): boolean {
    let hasSelect = false;
    for (const node of region.body) {
      if (node.kind === 'op') {
        if (node.result < 0 || !this.activity.isActive[node.result]) continue;
        hasSelect ||= node.op === 'select';
        this.findNeedsOf(node);
      } else if (node.kind === 'if') {
        if (!this.hasWayBack(node)) continue;
        this.need(node.condition);
        for (const part of [node.then, node.otherwise]) hasSelect = this.findNeeds(part) || hasSelect;
      } else hasSelect = this.findNeeds(node.body) || hasSelect;
    }
    return hasSelect;
  }

  private findNeedsOf(node: Instruction): void {
    const trial = new IrBuilder('trial', 4);
    for (const k of this.activeArgs(node)) {
      const isTruth = node.op === 'select';
      contribution<ValueId>(
        node.op,
        {
          b: trial,
          adjoint: trial.x(3),
          product: (amount) => amount,
          negated: (amount) => amount,
          number: (amount) => amount,
          amount: (value) => value,
          arg: (at) => {
            this.need(node.args[at]);
            return isTruth && at === 0 ? trial.bool(true) : trial.x(at);
          },
          result: () => {
            this.need(node.result);
            return trial.x(2);
          },
          times: (slope) => slope,
        },
        k,
      );
    }
  }

  private need(id: ValueId): void {
    if (!this.isMadeAnew(id)) this.needed.add(id);
  }

  /** Whether the value is computed again rather than kept. */
  private isMadeAnew(id: ValueId): boolean {
    return this.operationsAnew(id) <= MOST_MADE_ANEW;
  }

  /** Operations that a value takes when it is computed again from unchanged values; infinite: it has to be kept. */
  private operationsAnew(id: ValueId): number {
    const { instruction, isNested } = this.origins[id];
    if (instruction === null) return Infinity;
    const { op, imm, args } = instruction;
    if (['const', 'bconst', 'x', 'ordinal'].includes(op)) return 0;
    if (op === 'load') return this.fn.arrays[imm].kind === 'local' ? Infinity : 0;
    if (!isNested || !QUICK.has(op)) return Infinity;
    let operations = 1;
    for (const arg of args) {
      if (this.isAtHand(arg)) continue;
      operations += this.operationsAnew(arg);
      if (operations > MOST_MADE_ANEW) return Infinity;
    }
    return operations;
  }

  /** Computed outside of all loops and branches. */
  private isAtHand(id: ValueId): boolean {
    return !this.origins[id].isNested;
  }

  private activeArgs(node: Instruction): readonly number[] {
    const candidates = differentiableArgs(node.op);
    return candidates.filter((k) => this.activity.isActive[node.args[k]]);
  }

  /** Whether anything active happens in a node. */
  private hasWayBack(node: IrNode): boolean {
    const { isActive, isArrayActive } = this.activity;
    if (node.kind === 'op') return node.op === 'store' ? isArrayActive[node.imm] : isActive[node.result];
    if (node.results.some((id) => isActive[id])) return true;
    return regionsOf(node).some((region) => region.body.some((inner) => this.hasWayBack(inner)));
  }

  // --- forward

  protected override branches(node: IfNode): void {
    const then = this.keptOf(node.then);
    const otherwise = this.keptOf(node.otherwise);
    const nothing = (ids: readonly ValueId[]): ValueId[] => ids.map((id) => this.nothingOf(id));
    const results = this.b.if(
      this.of(node.condition),
      () => {
        this.nodes(node.then);
        return [...[...node.then.yields, ...then].map((id) => this.of(id)), ...nothing(otherwise)];
      },
      () => {
        this.nodes(node.otherwise);
        const yields = node.otherwise.yields.map((id) => this.of(id));
        return [...yields, ...nothing(then), ...otherwise.map((id) => this.of(id))];
      },
    );
    this.define([...node.results, ...then, ...otherwise], results);
  }

  private nothingOf(id: ValueId): ValueId {
    return this.fn.types[id] === 'bool' ? this.b.bool(false) : this.b.const(0);
  }

  /** Needed values that are defined in the region, or handed out of branches inside it. */
  private keptOf(region: Region): ValueId[] {
    const kept: ValueId[] = [];
    for (const node of region.body) {
      kept.push(...resultsOf(node).filter((id) => this.needed.has(id)));
      if (node.kind === 'if') kept.push(...this.keptOf(node.then), ...this.keptOf(node.otherwise));
    }
    return kept;
  }

  protected override counted(node: ForNode): void {
    const { b } = this;
    this.around.push(node);
    const length = turnsOf(this.around);
    const tapes = this.keptByTurn(node).map((value): Tape => ({ value, array: b.localArray(length) }));
    this.tapes.set(node, tapes);
    const initial = node.initial.map((id) => this.of(id));
    const results = b.for(this.form(node.count), initial, (index, params) => {
      this.define([node.index, ...node.params], [index, ...params]);
      this.nodes(node.body);
      const at = this.form(placeOf(this.around));
      for (const { value, array } of tapes) b.store(array, at, this.asNumber(value));
      return node.body.yields.map((id) => this.of(id));
    });
    this.define(node.results, results);
    this.around.pop();
  }

  private keptByTurn(node: ForNode): ValueId[] {
    return [...node.params.filter((id) => this.needed.has(id)), ...this.keptOf(node.body)];
  }

  /** Whether there is room for its tapes. */
  fits(): boolean {
    return this.tapeLength(this.fn.body, []) <= MAX_TAPE;
  }

  private tapeLength(region: Region, loops: readonly ForNode[]): number {
    let length = 0;
    for (const node of region.body) {
      if (node.kind === 'if') length += this.tapeLength(node.then, loops) + this.tapeLength(node.otherwise, loops);
      if (node.kind !== 'for') continue;
      const inner = [...loops, node];
      length += this.keptByTurn(node).length * turnsOf(inner) + this.tapeLength(node.body, inner);
    }
    return length;
  }

  private asNumber(id: ValueId): ValueId {
    const { b } = this;
    const value = this.of(id);
    return this.fn.types[id] === 'bool' ? b.op('select', value, b.const(1), b.const(0)) : value;
  }

  // --- backward

  private back(region: Region): void {
    for (let k = region.body.length - 1; k >= 0; k--) {
      const node = region.body[k];
      if (!this.hasWayBack(node)) continue;
      if (node.kind === 'op') this.backInstruction(node);
      else if (node.kind === 'if') this.backBranches(node);
      else if (node.kind === 'for') this.backCounted(node);
      else throw new Error('a loop without a count');
    }
  }

  private get adjointsHere(): Map<ValueId, Multiple> {
    return this.adjoints[this.adjoints.length - 1];
  }

  private add(id: ValueId, amount: Multiple): void {
    if (!this.activity.isActive[id]) return;
    const known = this.adjointsHere.get(id);
    this.adjointsHere.set(id, known === undefined ? amount : this.multiples.sum(known, amount));
  }

  private addNumber(id: ValueId, amount: ValueId): void {
    this.add(id, this.multiples.of(amount));
  }

  /** The adjoint so far, as a value. */
  private numberOf(id: ValueId, adjoints: ReadonlyMap<ValueId, Multiple> = this.adjointsHere): ValueId {
    const adjoint = adjoints.get(id);
    return adjoint === undefined ? this.b.const(0) : this.multiples.number(adjoint);
  }

  /** The adjoint of a value whose every use has been run backwards; undefined: 0. */
  private take(id: ValueId): Multiple | undefined {
    const adjoint = this.adjointsHere.get(id);
    this.adjointsHere.delete(id);
    return adjoint;
  }

  private backInstruction(node: Instruction): void {
    const { b } = this;
    if (node.op === 'store') {
      const twin = this.twins.get(node.imm)!;
      const at = this.formBack(node.at!);
      this.addNumber(node.args[0], b.load(twin, at));
      if (!this.sites[node.imm].isStoredOnce) b.store(twin, at, b.const(0));
      return;
    }
    const adjoint = this.take(node.result);
    if (node.op === 'x') this.addToElement(this.gradient, this.sitesOfCandidate, constantForm(node.imm), adjoint);
    else if (node.op === 'load') {
      const sites = this.fn.arrays[node.imm].kind === 'candidate' ? this.sitesOfCandidate : this.sites[node.imm];
      this.addToElement(this.twins.get(node.imm)!, sites, this.formBack(node.at!), adjoint);
    } else if (adjoint !== undefined) {
      const occasion = this.occasion(node, adjoint);
      const amounts = new Map<ValueId, Multiple>();
      for (const k of this.activeArgs(node)) {
        const amount = contribution(node.op, occasion, k);
        const other = amounts.get(node.args[k]);
        amounts.set(node.args[k], other === undefined ? amount : this.multiples.sum(other, amount));
      }
      for (const [id, amount] of amounts) this.add(id, amount);
    }
  }

  private addToElement(array: ArrayId, sites: ArraySites, at: IndexForm, amount: Multiple | undefined): void {
    const { b, multiples } = this;
    if (amount === undefined) {
      if (!sites.needsClear) b.store(array, at, b.const(0));
      return;
    }
    const sum = sites.isUsedOnce ? amount : multiples.sum(multiples.of(b.load(array, at)), amount);
    b.store(array, at, multiples.number(sum));
  }

  private occasion(node: Instruction, adjoint: Multiple): Occasion<Multiple> {
    const { b, multiples } = this;
    const isGuarded = this.hasSelect || opInfo(node.op).slope === undefined;
    return {
      b,
      adjoint,
      arg: (k) => this.fetch(node.args[k]),
      result: () => this.fetch(node.result),
      times: (slope) => {
        const { factor, value } = adjoint;
        if (!isGuarded || value === null || b.constantOf(slope) !== undefined) return multiples.product(adjoint, slope);
        const grown = b.op('select', b.op('eq', value, b.const(0)), b.const(0), b.op('mul', value, slope));
        return { factor, value: grown };
      },
      product: (amount, by) => multiples.product(amount, by),
      negated: (amount) => multiples.negated(amount),
      number: (amount) => multiples.number(amount),
      amount: (value) => multiples.of(value),
    };
  }

  /** A value of the way forward, on the way back. */
  private fetch(id: ValueId): ValueId {
    const { instruction } = this.origins[id];
    if (!this.isMadeAnew(id) || instruction === null) return this.of(id);
    const { op, imm, at, args } = instruction;
    if (op === 'load') return this.b.load(this.arrayOf(imm), this.formBack(at!));
    if (op === 'ordinal') return this.b.ordinal(this.formBack(at!));
    return QUICK.has(op) ? this.b.op(op as 'add', ...args.map((arg) => this.fetch(arg))) : this.of(id);
  }

  private formBack({ offset, terms }: IndexForm): IndexForm {
    return terms.reduce(
      (sum, { index, scale }) => addForms(sum, scaleForm(this.turns.get(index)!, scale)),
      constantForm(offset),
    );
  }

  private backBranches(node: IfNode): void {
    const { b } = this;
    const results = node.results.map((id) => this.take(id));
    const built = [node.then, node.otherwise].map((part) => {
      const region = b.openRegion();
      this.adjoints.push(new Map());
      part.yields.forEach((id, k) => {
        const adjoint = results[k];
        if (adjoint !== undefined) this.add(id, adjoint);
      });
      this.back(part);
      const outside = [...this.adjointsHere].filter(([id]) => !this.isInside(id, node));
      const adjoints = new Map(outside.map(([id, adjoint]) => [id, this.multiples.number(adjoint)]));
      b.closeRegion(region);
      this.adjoints.pop();
      return { region, adjoints };
    });
    const [then, otherwise] = built;
    const ids = [...new Set(built.flatMap(({ adjoints }) => [...adjoints.keys()]))].sort((p, q) => p - q);
    const zero = b.const(0);
    const sums = b.placeIf(
      this.fetch(node.condition),
      then.region,
      ids.map((id) => then.adjoints.get(id) ?? zero),
      otherwise.region,
      ids.map((id) => otherwise.adjoints.get(id) ?? zero),
    );
    ids.forEach((id, k) => this.addNumber(id, sums[k]));
  }

  private backCounted(node: ForNode): void {
    const { b } = this;
    const { isActive } = this.activity;
    const carried = node.params.map((_, k) => k).filter((k) => isActive[node.params[k]] || isActive[node.results[k]]);
    const outside = this.usedInside(node);
    const initial = [...carried.map((k) => node.results[k]), ...outside].map((id) => this.numberOf(id));
    carried.forEach((k) => this.take(node.results[k]));
    const count = this.formBack(node.count);
    const last = addForms(count, constantForm(-1));
    this.around.push(node);
    const sums = b.for(count, initial, (index, params) => {
      this.turns.set(node.index, addForms(last, scaleForm(formOf(index), -1)));
      this.adjoints.push(new Map());
      this.readTapes(node);
      carried.forEach((k, at) => this.addNumber(node.body.yields[k], params[at]));
      this.back(node.body);
      const here = this.adjoints.pop()!;
      const next = carried.map((k) => this.numberOf(node.params[k], here));
      const { multiples } = this;
      const sum = (id: ValueId, at: number): ValueId => {
        const amount = here.get(id);
        const known = params[carried.length + at];
        return amount === undefined ? known : multiples.number(multiples.sum(multiples.of(known), amount));
      };
      return [...next, ...outside.map(sum)];
    });
    this.around.pop();
    outside.forEach((id, at) => this.adjointsHere.set(id, this.multiples.of(sums[carried.length + at])));
    carried.forEach((k, at) => this.addNumber(node.initial[k], sums[at]));
  }

  private readTapes(node: ForNode): void {
    const { b } = this;
    const at = this.formBack(placeOf(this.around));
    for (const { value, array } of this.tapes.get(node)!) {
      const number = b.load(array, at);
      this.define([value], [this.fn.types[value] === 'bool' ? b.op('ne', number, b.const(0)) : number]);
    }
  }

  /** Active values from outside of a loop that its body uses, in their order. */
  private usedInside(node: ForNode): ValueId[] {
    const used = new Set<ValueId>();
    const use = (id: ValueId): void => {
      if (this.activity.isActive[id] && !this.isInside(id, node)) used.add(id);
    };
    walk(
      node.body,
      (inner) => usesOf(inner).forEach(use),
      ({ yields }) => yields.forEach(use),
    );
    return [...used].sort((p, q) => p - q);
  }
}
