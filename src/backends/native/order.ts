/**
 * Puts the operations between two branches, loops or ends in an order that keeps few values alive at once. Python makes
 * a list before its sum, and NumPy whole arrays at a time, so that every element waits for the last: native code has no
 * registers for these, and works on fewer vectors at a time. Checks and stores keep their order, and loads of local
 * arrays their place among stores: the first check that fires is the same one.
 *
 * Two ways. *Sums*: the order that the program has, but what ends two values or more comes at once. *Trees*: an
 * operation comes when it is first needed, of its operands the one that takes most registers first (Sethi and Ullman),
 * and at once where it ends as many values as it makes. Trees are not for calls on results of calls: those of one term
 * would wait for each other, where other terms' could go on beside them. Either way is taken only where it saves
 * enough: what stands side by side in the program can run side by side.
 */
import { isMathOp } from '../../ir/ops.js';
import type { Instruction, IrFunction, IrNode, Region, ValueId } from '../../ir/types.js';
import { regionsOf, resultsOf, usesOf, walk } from '../../ir/walk.js';

/** The same program, numbered as before. Cost: O(nodes), but for values with many uses between two branches. */
export function orderNodes(fn: IrFunction): IrFunction {
  return new Orderer(fn).run();
}

/** What a call takes for itself: as good as all registers. */
const REGISTERS_OF_CALL = 16;
/** Segments with as few values alive have room for four vectors of each everywhere. */
const ROOM = 4;
/** Another order is taken if it keeps at most this share of the values alive. Above it no fixture gained (measured). */
const WORTH_IT = 0.75;
/** Operands where they lie: no register holds them from one use to the next. */
const LIES_IN_MEMORY = new Set(['const', 'bconst', 'x', 'load', 'ordinal']);

const isStructure = (node: IrNode): boolean => node.kind !== 'op';
const isEffect = ({ op }: Instruction): boolean => op === 'check' || op === 'store';

class Orderer implements Facts {
  /** By value: uses that are still to come, those by yields included. */
  readonly uses: Int32Array;
  /** By value: the region whose values end in it; 0 for operands that take no register. */
  readonly home: Int32Array;
  readonly isMask: Uint8Array;
  readonly isMade: Uint8Array;
  readonly need: Int32Array;
  private regions = 0;
  /** By value, within a segment: what makes it, and who reads it there. */
  readonly maker: (Instruction | undefined)[];
  readonly readers: (Instruction[] | undefined)[];

  constructor(private readonly fn: IrFunction) {
    const values = fn.types.length;
    this.uses = new Int32Array(values);
    this.home = new Int32Array(values);
    this.isMask = Uint8Array.from(fn.types, (type) => (type === 'bool' ? 1 : 0));
    this.isMade = new Uint8Array(values);
    this.need = new Int32Array(values);
    this.maker = new Array<Instruction | undefined>(values).fill(undefined);
    this.readers = new Array<Instruction[] | undefined>(values).fill(undefined);
    const use = (ids: readonly ValueId[]): void => ids.forEach((id) => this.uses[id]++);
    use(fn.body.yields);
    walk(fn.body, (node) => {
      use(usesOf(node));
      for (const { yields } of regionsOf(node)) use(yields);
    });
  }

  run(): IrFunction {
    return { ...this.fn, body: this.region(this.fn.body, []) };
  }

  private region({ body, yields }: Region, params: readonly ValueId[]): Region {
    const region = ++this.regions;
    for (const id of params) this.home[id] = region;
    const ordered: IrNode[] = [];
    for (let start = 0; start < body.length; ) {
      let end = start;
      while (end < body.length && !isStructure(body[end])) end++;
      for (const node of this.segment(body.slice(start, end) as Instruction[], region)) ordered.push(node);
      if (end < body.length) ordered.push(this.structure(body[end], region));
      start = end + 1;
    }
    for (const id of yields) this.uses[id]--;
    return { body: ordered, yields };
  }

  private structure(node: IrNode, region: number): IrNode {
    for (const id of usesOf(node)) this.uses[id]--;
    for (const id of resultsOf(node)) this.home[id] = region;
    if (node.kind === 'op') return node;
    if (node.kind === 'if') return { ...node, then: this.region(node.then, []), otherwise: this.region(node.otherwise, []) };
    return { ...node, body: this.region(node.body, node.params) };
  }

  private segment(nodes: Instruction[], region: number): readonly Instruction[] {
    for (const node of nodes) {
      if (node.result < 0) continue;
      this.home[node.result] = LIES_IN_MEMORY.has(node.op) ? 0 : region;
      this.maker[node.result] = node;
    }
    let [chosen, least] = [nodes, this.peakOf(nodes, region)];
    if (least > ROOM) {
      for (const node of nodes)
        node.args.forEach((id, k) => {
          if (node.args.indexOf(id) === k) (this.readers[id] ??= []).push(node);
        });
      for (const way of ['sums', 'trees'] as const) {
        if (way === 'trees' && (least <= ROOM || this.hasCallsOnCalls(nodes))) continue;
        const other = new Scheduler(nodes, region, way, this).run();
        const peak = this.peakOf(other, region);
        if (peak <= least * WORTH_IT) [chosen, least] = [other, peak];
      }
      for (const node of nodes) for (const id of node.args) this.readers[id] = undefined;
    }
    for (const node of nodes) {
      if (node.result >= 0) this.maker[node.result] = undefined;
      for (const id of node.args) this.uses[id]--;
    }
    return chosen;
  }

  /** Whether the argument of a call depends on another call: one of them waits for the other. */
  private hasCallsOnCalls(nodes: readonly Instruction[]): boolean {
    const depends = new Set<ValueId>();
    for (const { op, args, result } of nodes) {
      const some = args.some((id) => depends.has(id));
      if (some && isMathOp(op)) return true;
      if (some || isMathOp(op)) depends.add(result);
    }
    return false;
  }

  /** Most values alive at once, beyond those that are so before. */
  private peakOf(nodes: readonly Instruction[], region: number): number {
    let [alive, peak] = [0, 0];
    for (const { args, result } of nodes) {
      for (const id of args) if (--this.uses[id] === 0 && this.home[id] === region) alive--;
      if (result >= 0 && this.home[result] === region && this.uses[result] > 0) alive++;
      peak = Math.max(peak, alive);
    }
    for (const { args } of nodes) for (const id of args) this.uses[id]++;
    return peak;
  }
}

/** What is known of values while a segment is put in order. */
interface Facts {
  readonly uses: Int32Array;
  readonly home: Int32Array;
  readonly isMask: Uint8Array;
  readonly maker: readonly (Instruction | undefined)[];
  readonly readers: readonly (readonly Instruction[] | undefined)[];
  /** By value of the segment: 1 once it is made; registers that it takes to make it. */
  readonly isMade: Uint8Array;
  readonly need: Int32Array;
}

/** Orders one segment. */
class Scheduler {
  private readonly ordered: Instruction[] = [];

  constructor(
    private readonly nodes: readonly Instruction[],
    private readonly region: number,
    private readonly way: 'sums' | 'trees',
    private readonly facts: Facts,
  ) {}

  run(): Instruction[] {
    const { uses, isMade } = this.facts;
    for (const { result } of this.nodes) if (result >= 0) isMade[result] = 0;
    if (this.way === 'sums') for (const node of this.nodes) this.emit(node);
    else this.makeTrees();
    for (const { args } of this.ordered) for (const id of args) uses[id]++;
    return this.ordered;
  }

  private makeTrees(): void {
    for (const node of this.nodes) if (node.result >= 0) this.facts.need[node.result] = this.needOf(node);
    /** Loads of local arrays that the next store to their array must not pass. */
    const loads = new Map<number, Instruction[]>();
    for (const node of this.nodes) {
      if (node.op === 'load') {
        const list = loads.get(node.imm);
        if (list) list.push(node);
        else loads.set(node.imm, [node]);
      } else if (isEffect(node)) {
        if (node.op === 'store') {
          for (const load of loads.get(node.imm) ?? []) this.make(load);
          loads.delete(node.imm);
        }
        this.make(node);
      }
    }
    const { readers } = this.facts;
    for (const node of this.nodes) if (!isEffect(node) && readers[node.result] === undefined) this.make(node);
  }

  private needOf({ op, args }: Instruction): number {
    const { maker, need } = this.facts;
    let most = LIES_IN_MEMORY.has(op) ? 0 : 1;
    const needs: number[] = [];
    args.forEach((id, k) => {
      if (maker[id] !== undefined && args.indexOf(id) === k) needs.push(need[id]);
    });
    if (needs.length > 1) needs.sort((a, b) => b - a);
    needs.forEach((each, k) => (most = Math.max(most, each + k)));
    return isMathOp(op) ? Math.max(most, REGISTERS_OF_CALL) : most;
  }

  /** Emits a node after what it needs. */
  private make(root: Instruction): void {
    const { maker, need, isMade } = this.facts;
    const stack = [root];
    const isReady = [false];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      const ready = isReady.pop();
      if (node.result >= 0 && isMade[node.result] === 1) continue;
      if (ready === true) {
        this.emit(node);
        continue;
      }
      stack.push(node);
      isReady.push(true);
      const waiting: Instruction[] = [];
      for (const id of node.args) {
        const made = maker[id];
        if (made !== undefined && isMade[id] === 0 && !waiting.includes(made)) waiting.push(made);
      }
      if (waiting.length > 1) waiting.sort((a, b) => need[b.result] - need[a.result]);
      // The last one pushed comes first.
      for (let k = waiting.length - 1; k >= 0; k--) {
        stack.push(waiting[k]);
        isReady.push(false);
      }
    }
  }

  /** Emits a node, then all that is ready and ends enough values. */
  private emit(first: Instruction): void {
    const { uses, home, readers, isMade } = this.facts;
    const stack = [first];
    const consider = (id: ValueId): void => {
      if (id < 0 || home[id] !== this.region || uses[id] === 0) return;
      const list = readers[id];
      // Of values with many uses, only the last one ends them.
      if (list === undefined || (list.length > 8 && uses[id] > 2)) return;
      for (const reader of list) if (this.endsEnough(reader)) stack.push(reader);
    };
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node.result >= 0) {
        if (isMade[node.result] === 1) continue;
        isMade[node.result] = 1;
      }
      this.ordered.push(node);
      for (const id of node.args) uses[id]--;
      for (const id of node.args) consider(id);
      consider(node.result);
    }
  }

  private endsEnough({ args, result }: Instruction): boolean {
    const { uses, home, isMask, maker, isMade } = this.facts;
    if (result < 0 || isMade[result] === 1) return false;
    let [numbers, masks] = [0, 0];
    for (let k = 0; k < args.length; k++) {
      const id = args[k];
      if (maker[id] !== undefined && isMade[id] === 0) return false;
      if (args.indexOf(id) !== k || home[id] !== this.region) continue;
      let own = 0;
      for (const each of args) if (each === id) own++;
      if (uses[id] > own) continue;
      if (isMask[id] === 1) masks++;
      else numbers++;
    }
    if (this.way === 'sums') return masks + numbers > 1;
    return isMask[result] === 1 ? masks > 0 || numbers > 1 : numbers > 0;
  }
}
