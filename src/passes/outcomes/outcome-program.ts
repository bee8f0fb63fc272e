/**
 * The ways that a candidate takes through a program, as one number: candidates of equal numbers take the same branches
 * (ADR 31).
 *
 * A branch of the source is an `if`, a `select` or the end of a loop, in all its copies. The copies that unrolling made
 * of one line count as one, so that a condition over thirty coordinates has three outcomes (always, never, for some)
 * instead of 2^30.
 */
import { IrBuilder } from '../../ir/builder.js';
import type { ForNode, IfNode, Instruction, IrFunction, IrNode, LoopNode, Region, ValueId } from '../../ir/types.js';
import { Copier } from '../copier.js';
import { eliminateDeadCode } from '../eliminate-dead-code.js';

/** Branches of the source that are told apart; what comes after them in the program is not looked at. */
const MOST_BRANCHES = 4096;
/** Copies of them. */
const MOST_SITES = 8192;
/** Two outcomes for each branch: the sum of all weights stays below 2^53. */
const WEIGHT_BITS = 53 - 13;
/** How far operands are followed to tell conditions of one line apart. */
const SIGNATURE_DEPTH = 4;

/**
 * A program whose value is a whole number from 0 below 2^53 for the branches that `fn` takes; lanes that `fn` flags are
 * flagged.
 * Null: it has no branch.
 *
 * Cost: O(nodes). The result leaves out what only the value depends on, and takes about as long as `fn` at most.
 */
export function outcomeProgram(fn: IrFunction): IrFunction | null {
  const branches = findBranches(fn);
  if (branches.count === 0) return null;
  const b = new IrBuilder(fn.name, fn.dimension);
  return eliminateDeadCode(b.finish(new Outcomes(b, fn, branches).run()));
}

interface Branches {
  readonly count: number;
  /** The branch that a node is a copy of. */
  readonly of: ReadonlyMap<IrNode, number>;
  /** Branches inside a region, nested ones, too. */
  readonly inside: ReadonlyMap<Region, readonly number[]>;
}

function findBranches(fn: IrFunction): Branches {
  const definitions: (Instruction | undefined)[] = [];
  const numbers = new Map<string, number>();
  const of = new Map<IrNode, number>();
  const inside = new Map<Region, readonly number[]>();

  /** The operations that a condition is made of, but not what they are applied to. */
  const signature = (id: ValueId, depth: number): string => {
    const node = definitions[id];
    if (node === undefined) return '?';
    if (depth === 0 || node.args.length === 0) return node.op;
    return `${node.op}(${node.args.map((arg) => signature(arg, depth - 1)).join()})`;
  };
  const lineOf = (id: ValueId): number => definitions[id]?.line ?? 0;
  const note = (node: IrNode, key: string, here: Set<number>): void => {
    let number = numbers.get(key);
    if (number === undefined) {
      if (numbers.size >= MOST_BRANCHES) return;
      numbers.set(key, (number = numbers.size));
    }
    of.set(node, number);
    here.add(number);
  };
  let selects = 0;
  const scan = (region: Region): readonly number[] => {
    const here = new Set<number>();
    const nested = (inner: Region): void => scan(inner).forEach((number) => here.add(number));
    for (const node of region.body) {
      if (node.kind === 'op') {
        if (node.result >= 0) definitions[node.result] = node;
        if ((node.op !== 'select' && node.op !== 'bselect') || ++selects > MOST_SITES) continue;
        note(node, `${node.op} ${lineOf(node.args[0])} ${signature(node.args[0], SIGNATURE_DEPTH)}`, here);
      } else if (node.kind === 'if') {
        note(node, `if ${lineOf(node.condition)} ${signature(node.condition, SIGNATURE_DEPTH)}`, here);
        nested(node.then);
        nested(node.otherwise);
      } else {
        if (node.kind === 'loop') note(node, `loop ${node.line}`, here);
        nested(node.body);
      }
    }
    const all = [...here];
    inside.set(region, all);
    return all;
  };
  scan(fn.body);
  return { count: numbers.size, of, inside };
}

/** Weights for the two outcomes of a branch: SplitMix-like, the same in every process. */
function weightOf(outcome: number): number {
  let z = (BigInt(outcome + 1) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & 0xffffffffffffffffn;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & 0xffffffffffffffffn;
  return Number((z ^ (z >> 31n)) >> BigInt(64 - WEIGHT_BITS));
}

/** Whether a branch has gone one way, and the other: in the end on some of its turns and copies. */
class Outcomes extends Copier {
  /** By branch: two truth values as they are at this place. */
  private taken: ValueId[] = [];
  private left: ValueId[] = [];

  constructor(
    b: IrBuilder,
    fn: IrFunction,
    private readonly found: Branches,
  ) {
    super(b, fn);
    const none = b.bool(false);
    this.taken = new Array<ValueId>(found.count).fill(none);
    this.left = new Array<ValueId>(found.count).fill(none);
  }

  run(): ValueId {
    const { b } = this;
    this.nodes(this.fn.body);
    const zero = b.const(0);
    let sum = zero;
    [...this.taken, ...this.left].forEach((happened, outcome) => {
      if (b.constantOf(happened) === 0) return;
      sum = b.op('add', sum, b.op('select', happened, b.const(weightOf(outcome)), zero));
    });
    return sum;
  }

  private note(node: IrNode, condition: ValueId): void {
    const branch = this.found.of.get(node);
    if (branch === undefined) return;
    this.taken[branch] = this.either(this.taken[branch], condition);
    this.left[branch] = this.either(this.left[branch], this.b.op('not', condition));
  }

  private either(p: ValueId, q: ValueId): ValueId {
    if (p === q || this.b.constantOf(p) === 0) return q;
    return this.b.op('or', p, q);
  }

  protected override instruction(node: Instruction): void {
    super.instruction(node);
    if (node.op === 'select' || node.op === 'bselect') this.note(node, this.of(node.args[0]));
  }

  private stateOf(branches: readonly number[]): ValueId[] {
    return branches.flatMap((k) => [this.taken[k], this.left[k]]);
  }

  private setState(branches: readonly number[], values: readonly ValueId[], offset: number): void {
    branches.forEach((branch, k) => {
      this.taken[branch] = values[offset + 2 * k];
      this.left[branch] = values[offset + 2 * k + 1];
    });
  }

  private insideOf(...regions: readonly Region[]): readonly number[] {
    return [...new Set(regions.flatMap((region) => this.found.inside.get(region) ?? []))];
  }

  protected override branches(node: IfNode): void {
    const inner = this.insideOf(node.then, node.otherwise);
    const before = this.stateOf(inner);
    const region = (part: Region) => (): readonly ValueId[] => {
      this.setState(inner, before, 0);
      this.nodes(part);
      return [...part.yields.map((id) => this.of(id)), ...this.stateOf(inner)];
    };
    const condition = this.of(node.condition);
    const results = this.b.if(condition, region(node.then), region(node.otherwise));
    this.define(node.results, results);
    this.setState(inner, results, node.results.length);
    this.note(node, condition);
  }

  protected override counted(node: ForNode): void {
    const inner = this.insideOf(node.body);
    const initial = [...node.initial.map((id) => this.of(id)), ...this.stateOf(inner)];
    const results = this.b.for(this.form(node.count), initial, (index, params) => {
      this.define([node.index, ...node.params], [index, ...params]);
      this.setState(inner, params, node.params.length);
      this.nodes(node.body);
      return [...node.body.yields.map((id) => this.of(id)), ...this.stateOf(inner)];
    });
    this.define(node.results, results);
    this.setState(inner, results, node.results.length);
  }

  protected override loop(node: LoopNode): void {
    const own = this.found.of.get(node);
    const inner = [...new Set([...this.insideOf(node.body), ...(own === undefined ? [] : [own])])];
    const initial = [...node.initial.map((id) => this.of(id)), ...this.stateOf(inner)];
    const results = this.b.loop(initial, node.fuel, node.line, (params) => {
      this.define(node.params, params);
      this.setState(inner, params, node.params.length);
      this.nodes(node.body);
      const [again, ...next] = node.body.yields.map((id) => this.of(id));
      this.note(node, again);
      return [again, ...next, ...this.stateOf(inner)];
    });
    this.define(node.results, results);
    this.setState(inner, results, node.results.length);
  }
}
