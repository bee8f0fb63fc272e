/**
 * A program as one graph of operations, without loops or memory: counted loops are followed turn by turn, elements of
 * local arrays are the values that were stored. What was computed in a loop that goes on as long as a condition holds
 * is `opaque`.
 *
 * Nodes are numbered in the order of computation, so that arguments have smaller numbers than results. Each node knows
 * which value of the program it is and where (`Frame`), so that what is found in the graph can be read out of a run.
 */
import { evaluateForm } from '../ir/index-form.js';
import { evaluateOp } from '../ir/interpreter.js';
import { opInfo, type OpName } from '../ir/ops.js';
import type { ForNode, IfNode, IndexForm, Instruction, IrFunction, LoopNode, Region, ValueId } from '../ir/types.js';
import { resultsOf, usesOf, walk } from '../ir/walk.js';
import { NumberSets } from './variable-sets.js';
import { TooMuchWork, Work } from './work.js';

export type NodeId = number;

/** One passage through a region. */
export interface Frame {
  readonly parent: Frame | null;
  readonly region: Region;
  /** The loops around it, outermost first, with the turn that each is in. */
  readonly loops: readonly ForNode[];
  readonly turns: readonly number[];
  /** Whether every run of the program comes here. */
  readonly isCertain: boolean;
}

/** `phi` is the value of the branch that was taken, [condition, then, otherwise]. */
export type TraceOp = Exclude<OpName, 'load' | 'store' | 'check' | 'ordinal' | 'bconst'> | 'phi' | 'opaque';

/** The two branches of a `phi`. */
interface Branches {
  readonly then: Frame;
  readonly otherwise: Frame;
  /** Nodes from this one on were made inside. */
  readonly first: NodeId;
}

export const Flags = {
  /** Rounding of what depends on the candidate. */
  Rounding: 1,
  /** Branches, absolute values and the like; whether they matter depends on where the values lie. */
  Choice: 2,
  /** Not all of it was looked at. */
  Opaque: 4,
  Wave: 8,
} as const;

/** More nodes are not followed: some ten milliseconds. */
const MAX_TRACE = 60_000;

/** Elements of arrays that branches copy, and arguments of operations that are not followed. */
const MAX_COPIES = 1_000_000;
/** Cost of copying one element, in units of work. */
const COPY = 0.02;

export class Trace {
  readonly ops: TraceOp[] = [];
  readonly args: (readonly NodeId[])[] = [];
  /** `const`: the number (truth values are 0 and 1); `x`: the coordinate. */
  readonly imm: number[] = [];
  /** By node: the set of variables that it depends on. */
  readonly deps: number[] = [];
  /** Whether it is an affine function of the candidate. */
  readonly isAffine: boolean[] = [];
  /** By node: `Flags` of itself and of the nodes that it is computed from. */
  readonly flags: number[] = [];
  /** The value that a node is, in its frame; -1: an element of an array, or a constant. */
  readonly values: ValueId[] = [];
  /** The operation that makes it; null: none does. */
  readonly instructions: (Instruction | null)[] = [];
  readonly frames: Frame[] = [];
  readonly lines: number[] = [];
  readonly branches = new Map<NodeId, Branches>();
  readonly sets = new NumberSets();
  /** Where a value of the last turn of a loop is handed out: its value there. */
  readonly handedOut = new Map<NodeId, { readonly value: ValueId; readonly frame: Frame }>();
  /** Variables that a check depends on. */
  checked = 0;
  readonly root: NodeId;
  readonly rootFrame: Frame;

  private readonly here: NodeId[];
  private readonly indices: number[] = [];
  private readonly elements: NodeId[][];
  private readonly constants = new Map<number, NodeId>();
  private readonly coordinates: (NodeId | undefined)[] = [];
  private frame: Frame;
  private copies = 0;

  constructor(
    readonly fn: IrFunction,
    readonly work = new Work(),
  ) {
    this.here = new Array<NodeId>(fn.types.length).fill(-1);
    this.elements = fn.arrays.map(() => []);
    this.rootFrame = this.frame = { parent: null, region: fn.body, loops: [], turns: [], isCertain: true };
    this.region(fn.body);
    this.root = this.here[fn.body.yields[0]];
  }

  get length(): number {
    return this.ops.length;
  }

  isConstant(node: NodeId): boolean {
    return this.ops[node] === 'const';
  }

  /** Whether the value that `node` is can be used at the end of `frame`. */
  isVisible(node: NodeId, frame: Frame): boolean {
    if (this.isConstant(node)) return true;
    if (this.values[node] < 0) return false;
    for (let at: Frame | null = frame; at !== null; at = at.parent) if (at === this.frames[node]) return true;
    return false;
  }

  private add(
    op: TraceOp,
    args: readonly NodeId[],
    imm: number,
    instruction: Instruction | null,
    value: ValueId,
    line: number,
  ): NodeId {
    const id = this.ops.length;
    if (id >= MAX_TRACE) throw new TooMuchWork();
    this.work.spend();
    this.ops.push(op);
    this.args.push(args);
    this.imm.push(imm);
    this.instructions.push(instruction);
    this.values.push(value);
    this.frames.push(this.frame);
    this.lines.push(line);
    let deps = op === 'x' ? this.sets.of([imm]) : 0;
    let flags = 0;
    for (const arg of args) {
      deps = this.sets.union(deps, this.deps[arg]);
      flags |= this.flags[arg];
    }
    if (deps !== 0) flags |= ownFlags(op);
    this.deps.push(deps);
    this.flags.push(flags);
    this.isAffine.push(this.keepsAffine(op, args));
    return id;
  }

  private keepsAffine(op: TraceOp, args: readonly NodeId[]): boolean {
    const [a, b] = args;
    switch (op) {
      case 'const':
      case 'x':
        return true;
      case 'add':
      case 'sub':
        return this.isAffine[a] && this.isAffine[b];
      case 'neg':
        return this.isAffine[a];
      case 'mul':
        return this.isAffine[a] && this.isAffine[b] && (this.isConstant(a) || this.isConstant(b));
      case 'div':
        return this.isAffine[a] && this.isConstant(b);
      default:
        return false;
    }
  }

  private constant(value: number): NodeId {
    // A map takes 0 and -0 for one.
    const isNegativeZero = Object.is(value, -0);
    const known = isNegativeZero ? undefined : this.constants.get(value);
    if (known !== undefined) return known;
    const id = this.add('const', [], value, null, -1, 0);
    if (!isNegativeZero) this.constants.set(value, id);
    return id;
  }

  private coordinate(k: number, value: ValueId): NodeId {
    const id = (this.coordinates[k] ??= this.add('x', [], k, null, value, 0));
    if (this.values[id] < 0 && value >= 0) {
      this.values[id] = value;
      this.frames[id] = this.frame;
    }
    return id;
  }

  // --- following the program

  private region(region: Region): void {
    for (const node of region.body) {
      if (node.kind === 'op') this.instruction(node);
      else if (node.kind === 'if') this.ifNode(node);
      else if (node.kind === 'for') this.counted(node);
      else this.loop(node);
    }
  }

  private within(region: Region, loops: readonly ForNode[], turns: readonly number[], isCertain: boolean): Frame {
    const outer = this.frame;
    const frame = (this.frame = { parent: outer, region, loops, turns, isCertain });
    this.region(region);
    this.frame = outer;
    return frame;
  }

  private instruction(node: Instruction): void {
    const { here, fn } = this;
    switch (node.op) {
      case 'const':
      case 'bconst':
        here[node.result] = this.constant(node.imm);
        return;
      case 'x':
        here[node.result] = this.coordinate(node.imm, node.result);
        return;
      case 'ordinal':
        here[node.result] = this.constant(this.form(node.at!));
        return;
      case 'check':
        this.checked = this.sets.union(this.checked, this.deps[here[node.args[0]]]);
        return;
      case 'store':
        this.elements[node.imm][this.form(node.at!)] = here[node.args[0]];
        return;
      case 'load': {
        const array = fn.arrays[node.imm];
        const at = this.form(node.at!);
        if (array.kind === 'table') here[node.result] = this.constant(array.values[at]);
        else if (array.kind === 'candidate') here[node.result] = this.coordinateInLoop(at, node);
        else here[node.result] = this.loaded(this.elements[node.imm][at] ?? this.constant(0), node);
        return;
      }
      default:
        here[node.result] = this.operation(node.op, node);
    }
  }

  /** In a loop the same coordinate is another value in every turn. */
  private coordinateInLoop(k: number, node: Instruction): NodeId {
    return this.add('x', [], k, node, node.result, node.line);
  }

  /** A value stored where two branches meet becomes a value of the program only once it is loaded. */
  private loaded(element: NodeId, node: Instruction): NodeId {
    return this.values[element] >= 0 || this.isConstant(element)
      ? element
      : this.add('add', [element, this.constant(0)], 0, null, node.result, node.line);
  }

  private operation(
    op: Exclude<OpName, 'load' | 'store' | 'check' | 'ordinal' | 'bconst' | 'const' | 'x'>,
    node: Instruction,
  ): NodeId {
    const args = node.args.map((id) => this.here[id]);
    if (args.every((arg) => this.isConstant(arg))) {
      const value = evaluateOp(
        op,
        args.map((arg) => this.imm[arg]),
      ) as number | boolean;
      return this.constant(Number(value));
    }
    if (op === 'select' || op === 'bselect') {
      const [condition, a, b] = args;
      if (this.isConstant(condition)) return this.imm[condition] !== 0 ? a : b;
      if (a === b) return a;
      if (this.isCompensated(a, b)) return b;
      if (this.isCompensated(b, a)) return a;
    }
    // Of what is finite, whatever the candidate is.
    if (op === 'mul' && args.some((arg) => this.isConstant(arg) && this.imm[arg] === 0)) {
      if (args.every((arg) => this.isAffine[arg])) return this.constant(0);
    }
    return this.add(op, args, 0, node, node.result, node.line);
  }

  /**
   * Whether `sum` is the sum `total` with what its rounding has lost (Neumaier), which is how Python adds floats from
   * 3.12 on. Up to rounding the two are the same, so that the program is read as if it added plainly.
   */
  private isCompensated(sum: NodeId, total: NodeId): boolean {
    const { ops, args } = this;
    if (ops[sum] !== 'add' || args[sum][0] !== total) return false;
    let lost = args[sum][1];
    for (let t = total; !this.isNegligible(lost, t); t = args[t][0]) {
      if (ops[lost] !== 'add' || ops[t] !== 'add' || !this.isLost(args[lost][1], t)) return false;
      lost = args[lost][0];
    }
    return true;
  }

  private isNegligible(lost: NodeId, total: NodeId): boolean {
    if (!this.isConstant(lost)) return false;
    return this.imm[lost] === 0 || (this.isConstant(total) && Math.abs(this.imm[lost] / this.imm[total]) < 2 ** -50);
  }

  /** Whether a node is (big - t) + small for t = s + x, with s and x in the order of their size. */
  private isLost(node: NodeId, t: NodeId): boolean {
    const { ops, args } = this;
    if (ops[node] !== 'add') return false;
    const [difference, small] = args[node];
    if (ops[difference] !== 'sub' || args[difference][1] !== t) return false;
    const big = args[difference][0];
    const [s, x] = args[t];
    if ((big === s && small === x) || (big === x && small === s)) return true;
    if (ops[big] !== 'select' || ops[small] !== 'select' || args[big][0] !== args[small][0]) return false;
    return args[big][1] === s && args[big][2] === x && args[small][1] === x && args[small][2] === s;
  }

  private form(at: IndexForm): number {
    return evaluateForm(at, this.indices);
  }

  private ifNode(node: IfNode): void {
    const { here } = this;
    const condition = here[node.condition];
    const { loops, turns } = this.frame;
    if (this.isConstant(condition)) {
      const part = this.imm[condition] !== 0 ? node.then : node.otherwise;
      this.within(part, loops, turns, this.frame.isCertain);
      node.results.forEach((id, k) => (here[id] = here[part.yields[k]]));
      return;
    }
    this.spend(this.elements.reduce((sum, { length }) => sum + length, 0));
    const before = this.elements.map((array) => array.slice());
    const first = this.length;
    const then = this.within(node.then, loops, turns, false);
    const thenYields = node.then.yields.map((id) => here[id]);
    const afterThen = this.elements.map((array) => array.slice());
    this.restore(before);
    const otherwise = this.within(node.otherwise, loops, turns, false);
    const branches = { then, otherwise, first };
    const join = (a: NodeId, b: NodeId, value: ValueId): NodeId => {
      if (a === b) return a;
      const id = this.add('phi', [condition, a, b], 0, null, value, this.lines[condition]);
      this.branches.set(id, branches);
      return id;
    };
    node.results.forEach((id, k) => (here[id] = join(thenYields[k], here[node.otherwise.yields[k]], id)));
    this.elements.forEach((array, k) => {
      const length = Math.max(array.length, afterThen[k].length);
      for (let at = 0; at < length; at++) {
        const a = afterThen[k][at] ?? array[at];
        const b = array[at] ?? a;
        if (a !== undefined) array[at] = join(a, b, -1);
      }
    });
  }

  /** Keeping what arrays hold costs time, too. */
  private spend(elements: number): void {
    this.copies += elements;
    if (this.copies > MAX_COPIES) throw new TooMuchWork();
    this.work.spend(COPY * elements);
  }

  private restore(elements: readonly (readonly NodeId[])[]): void {
    elements.forEach((array, k) => (this.elements[k] = [...array]));
  }

  private counted(node: ForNode): void {
    const { here, indices } = this;
    const count = evaluateForm(node.count, indices);
    const { loops, turns, isCertain } = this.frame;
    let carried = node.initial.map((id) => here[id]);
    const inner = [...loops, node];
    const first = this.length;
    for (let turn = 0; turn < count; turn++) {
      indices[node.index] = turn;
      node.params.forEach((id, k) => (here[id] = carried[k]));
      this.within(node.body, inner, [...turns, turn], isCertain);
      carried = node.body.yields.map((id) => here[id]);
    }
    node.results.forEach((id, k) => {
      here[id] = carried[k];
      if (carried[k] >= first) this.handedOut.set(carried[k], { value: id, frame: this.frame });
    });
  }

  /** Results depend on everything that goes in. */
  private loop(node: LoopNode): void {
    const inputs = new Set<NodeId>(node.initial.map((id) => this.here[id]));
    const stored = new Set<number>();
    const inside = new Set<ValueId>(node.params);
    let flags: number = Flags.Choice | Flags.Opaque;
    let isWide = false;
    const use = (id: ValueId): void => {
      if (!inside.has(id)) inputs.add(this.here[id]);
    };
    walk(
      node.body,
      (inner) => {
        usesOf(inner).forEach(use);
        for (const id of resultsOf(inner)) inside.add(id);
        if (inner.kind === 'loop' || inner.kind === 'for') for (const id of inner.params) inside.add(id);
        if (inner.kind !== 'op') return;
        flags |= ownFlags(inner.op as TraceOp);
        if (inner.op === 'x') inputs.add(this.coordinate(inner.imm, -1));
        if (inner.op === 'load') {
          const array = this.fn.arrays[inner.imm];
          if (array.kind === 'candidate') isWide = true;
          if (array.kind === 'local')
            for (const element of this.elements[inner.imm]) if (element !== undefined) inputs.add(element);
        }
        if (inner.op === 'store') stored.add(inner.imm);
      },
      ({ yields }) => yields.forEach(use),
    );
    if (isWide) for (let k = 0; k < this.fn.dimension; k++) inputs.add(this.coordinate(k, -1));
    const args = [...inputs];
    this.spend(args.length);
    const opaque = (value: ValueId): NodeId => {
      const id = this.add('opaque', args, 0, null, value, node.line);
      if (this.deps[id] !== 0) this.flags[id] |= flags;
      return id;
    };
    for (const id of node.results) this.here[id] = opaque(id);
    for (const array of stored) {
      const info = this.fn.arrays[array];
      if (info.kind !== 'local') continue;
      const element = opaque(-1);
      this.elements[array] = new Array<NodeId>(info.length).fill(element);
    }
    this.checked = this.sets.union(
      this.checked,
      args.reduce((set, arg) => this.sets.union(set, this.deps[arg]), 0),
    );
  }
}

function ownFlags(op: TraceOp): number {
  if (op === 'opaque') return Flags.Opaque | Flags.Choice;
  if (op === 'phi' || op === 'select' || op === 'abs' || op === 'bselect') return Flags.Choice;
  const { smooth, period, result } = opInfo(op);
  if (result === 'f64' && (smooth === 'steps' || smooth === 'bits')) return Flags.Rounding;
  return period !== undefined ? Flags.Wave : 0;
}
