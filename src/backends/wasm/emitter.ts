/**
 * Writes nodes of the IR into one WebAssembly function: operations, masked control flow, and which value is in which
 * local.
 */
import { libraryName, type LibraryName } from '../../ir/math/index.js';
import type { PrimitiveOpName } from '../../ir/ops.js';
import { isMathOp } from '../../ir/ops.js';
import type { ForNode, IfNode, IndexForm, Instruction, LoopNode, Region, ValueId } from '../../ir/types.js';
import { LaneStatus } from '../../ir/types.js';
import type { FunctionCode, PlainInstruction } from './encoder.js';
import { bitsOf, FLAGS, Locals, type CoordinateSource, type ModuleContext } from './module-context.js';
import type { Step } from '../split.js';
import { regionsOf, usesOf } from '../../ir/walk.js';

/** Sides of an `if` with at most this many operations run without a look at who takes them. */
const SPECULATED_SIZE = 8;
const ALL_ONES = (1n << 64n) - 1n;
const SIGN = 1n << 63n;
/** 2^52 + 1023: adding it leaves an integer, biased as an exponent, in the low bits. */
const EXPONENT_SHIFT = 2 ** 52 + 1023;

/** Instruction for an operation whose arguments are on the stack. */
const SIMPLE: Readonly<Partial<Record<PrimitiveOpName, PlainInstruction>>> = {
  add: 'f64x2.add',
  sub: 'f64x2.sub',
  mul: 'f64x2.mul',
  div: 'f64x2.div',
  sqrt: 'f64x2.sqrt',
  neg: 'f64x2.neg',
  abs: 'f64x2.abs',
  floor: 'f64x2.floor',
  ceil: 'f64x2.ceil',
  trunc: 'f64x2.trunc',
  rint: 'f64x2.nearest',
  lt: 'f64x2.lt',
  le: 'f64x2.le',
  eq: 'f64x2.eq',
  ne: 'f64x2.ne',
  and: 'v128.and',
  or: 'v128.or',
  xor: 'v128.xor',
  not: 'v128.not',
};

/**
 * Writes nodes of one IR function into one WebAssembly function. A value lives in a local from its definition to its
 * last use; constants and, in other functions than the first, coordinates are loaded where they are used.
 */
export class Emitter {
  private readonly localOf = new Map<ValueId, number>();
  private readonly uses = new Map<ValueId, number>();
  /** Loop depth at which the value was defined: what is used in a loop further in must last until that loop ends. */
  private readonly depthOf = new Map<ValueId, number>();
  /** By loop depth: locals to give back when that loop ends. */
  private readonly kept: number[][] = [];
  /** Index of a `for` -> local. */
  private readonly indexOf = new Map<ValueId, number>();

  private readonly locals: Locals;

  constructor(
    private readonly module: ModuleContext,
    private readonly code: FunctionCode,
    private readonly coordinates: CoordinateSource,
  ) {
    this.locals = new Locals(code);
  }

  /** To be called once, with everything that will be written. */
  useCounts(steps: readonly Step[], yields: readonly ValueId[] = []): void {
    const count = (ids: readonly ValueId[]) => {
      for (const id of ids) this.uses.set(id, (this.uses.get(id) ?? 0) + 1);
    };
    const visit = (body: readonly Step[]) => {
      for (const step of body) {
        if (step.kind === 'piece') continue;
        count(usesOf(step));
        for (const region of regionsOf(step)) {
          visit(this.module.steps(region));
          count(region.yields);
        }
      }
    };
    visit(steps);
    count(yields);
  }

  /** `mask`: local with the lanes that run, or null for all. */
  steps(steps: readonly Step[], mask: number | null): void {
    for (const step of steps) {
      switch (step.kind) {
        case 'piece':
          this.callPiece(step.fn, mask);
          break;
        case 'op':
          this.instruction(step, mask);
          break;
        case 'if':
          this.ifNode(step, mask);
          break;
        case 'loop':
          this.loopNode(step, mask);
          break;
        case 'for':
          this.forNode(step, mask);
          break;
      }
    }
  }

  push(id: ValueId): void {
    const producer = this.module.producers[id];
    const local = this.localOf.get(id);
    if (producer?.op === 'const') this.code.splat(bitsOf(producer.imm));
    else if (producer?.op === 'bconst') this.code.splat(producer.imm !== 0 ? ALL_ONES : 0n);
    else if (local !== undefined) this.code.get(local);
    else if (producer?.op === 'x') this.coordinates.push(producer.imm);
    else {
      const slot = this.module.slots.get(id);
      if (slot === undefined) throw new Error(`v${id} has no place`);
      this.code.i32(0);
      this.code.memory('v128.load', slot);
    }
  }

  pushFlags(): void {
    this.code.i32(0);
    this.code.memory('v128.load', FLAGS);
  }

  pushUnflagged(): void {
    this.pushFlags();
    this.code.splat(0n);
    this.code.op('i64x2.eq');
  }

  private callPiece(fn: number, mask: number | null): void {
    this.coordinates.pushAddress();
    if (mask === null) this.code.splat(ALL_ONES);
    else this.code.get(mask);
    this.code.call(fn);
  }

  private instruction(node: Instruction, mask: number | null): void {
    const { op, args, result } = node;
    switch (op) {
      case 'const':
      case 'bconst':
        return;
      case 'x':
        if (!this.uses.has(result)) return;
        this.coordinates.push(node.imm);
        break;
      case 'check':
        this.check(node, mask);
        this.consume(args);
        return;
      case 'store':
        this.store(node, mask);
        this.consume(args);
        return;
      case 'load':
      case 'ordinal':
        if (!this.uses.has(result) && !this.module.slots.has(result)) return;
        if (op === 'load') this.load(node);
        else this.ordinal(node.at!);
        break;
      default:
        if (!this.uses.has(result) && !this.module.slots.has(result)) return this.consume(args);
        if (isMathOp(op)) return this.mathOp(libraryName({ op, imm: node.imm }), args, result);
        this.primitive(op, args);
    }
    this.consume(args);
    this.define(result);
  }

  private load({ imm, at }: Instruction): void {
    const { code } = this;
    const array = this.module.array(imm);
    switch (array.kind) {
      case 'candidate':
        this.coordinates.load(
          this.pushElement(at!, this.coordinates.columnBytes, 0, () => this.coordinates.pushAddress()),
        );
        return;
      case 'table':
        code.memory('v128.load64_splat', this.pushElement(at!, 8, array.address));
        return;
      case 'local':
        code.memory('v128.load', this.pushElement(at!, 16, array.address));
        return;
    }
  }

  /** Lanes outside of the mask keep what they have. */
  private store({ imm, at, args }: Instruction, mask: number | null): void {
    const { code } = this;
    const array = this.module.array(imm);
    if (array.kind !== 'local') throw new Error(`array ${imm} is read only`);
    const offset = this.pushElement(at!, 16, array.address);
    this.push(args[0]);
    if (mask !== null) {
      code.memory('v128.load', this.pushElement(at!, 16, array.address));
      code.get(mask);
      code.op('v128.bitselect');
    }
    code.memory('v128.store', offset);
  }

  /** Pushes an address that, with the offset returned, is that of an element of `size` bytes. */
  private pushElement({ offset, terms }: IndexForm, size: number, start: number, pushBase?: () => void): number {
    const { code } = this;
    const constant = start + size * offset;
    pushBase?.();
    terms.forEach(({ index, scale }, k) => {
      this.pushIndex(index);
      code.i32((size * scale) | 0);
      code.op('i32.mul');
      if (k > 0 || pushBase !== undefined) code.op('i32.add');
    });
    if (terms.length === 0 && pushBase === undefined) code.i32(0);
    // Memory adds its offset without wrapping around.
    if (constant >= 0 && terms.every(({ scale }) => scale > 0)) return constant;
    code.i32(constant | 0);
    code.op('i32.add');
    return 0;
  }

  private ordinal({ offset, terms }: IndexForm): void {
    const { code } = this;
    code.i64(BigInt(offset));
    for (const { index, scale } of terms) {
      this.pushIndex(index);
      code.op('i64.extend_i32_s');
      code.i64(BigInt(scale));
      code.op('i64.mul');
      code.op('i64.add');
    }
    code.op('f64.convert_i64_s');
    code.op('f64x2.splat');
  }

  private pushIndex(id: ValueId): void {
    const local = this.indexOf.get(id);
    if (local !== undefined) return this.code.get(local);
    this.code.i32(0);
    this.code.memory('i32.load', this.module.slots.get(id)!);
  }

  private mathOp(name: LibraryName, args: readonly ValueId[], result: ValueId): void {
    args.forEach((id) => this.push(id));
    this.code.call(this.module.mathFunction(name));
    this.consume(args);
    this.define(result);
  }

  private primitive(op: PrimitiveOpName, args: readonly ValueId[]): void {
    const { code } = this;
    const [a, b, c] = args;
    const simple = SIMPLE[op];
    if (simple !== undefined) {
      args.forEach((id) => this.push(id));
      code.op(simple);
      return;
    }
    switch (op) {
      case 'select':
      case 'bselect':
        this.select(a, b, c);
        return;
      case 'signbit':
        this.push(a);
        code.splat(0n);
        code.op('i64x2.lt_s');
        this.push(a);
        this.push(a);
        code.op('f64x2.eq');
        code.op('v128.and');
        return;
      case 'exponent':
        // The biased exponent as the low bits of a number near 2^52.
        this.push(a);
        code.i32(52);
        code.op('i64x2.shr_u');
        code.splat(0x7ffn);
        code.op('v128.and');
        code.splat(0x4330_0000_0000_0000n);
        code.op('v128.or');
        code.splat(bitsOf(EXPONENT_SHIFT));
        code.op('f64x2.sub');
        return;
      case 'mantissa':
        this.push(a);
        code.splat(0x000f_ffff_ffff_ffffn);
        code.op('v128.and');
        code.splat(0x3ff0_0000_0000_0000n);
        code.op('v128.or');
        return;
      case 'high':
        this.push(a);
        code.splat(0xffff_ffff_f800_0000n);
        code.op('v128.and');
        return;
      case 'scale':
        this.scale(a, b);
        return;
      default:
        throw new Error(`no instructions for ${op}`);
    }
  }

  /** a * 2^h * 2^(b - h): each power made by moving an integer, held in the low bits of a sum, into the exponent. */
  private scale(a: ValueId, b: ValueId): void {
    const { code } = this;
    const half = this.locals.take();
    const power = () => {
      code.i32(52);
      code.op('i64x2.shl');
      code.op('f64x2.mul');
    };
    this.push(a);
    this.push(b);
    code.splat(bitsOf(0.5));
    code.op('f64x2.mul');
    code.splat(bitsOf(0.25));
    code.op('f64x2.sub');
    code.splat(bitsOf(EXPONENT_SHIFT));
    code.op('f64x2.add');
    code.set(half);
    code.get(half);
    power();
    this.push(b);
    code.get(half);
    code.splat(bitsOf(EXPONENT_SHIFT));
    code.op('f64x2.sub');
    code.op('f64x2.sub');
    code.splat(bitsOf(EXPONENT_SHIFT));
    code.op('f64x2.add');
    power();
    this.locals.give(half);
  }

  /** `bitselect` is three instructions on x86-64; the frequent cases need one or two. */
  private select(condition: ValueId, a: ValueId, b: ValueId): void {
    const { code } = this;
    const negationOf = (id: ValueId, of: ValueId) => {
      const producer = this.module.producers[id];
      return producer?.op === 'neg' && producer.args[0] === of;
    };
    const isConstant = (id: ValueId, value: number) => {
      const producer = this.module.producers[id];
      return producer?.op === 'const' && Object.is(producer.imm, value);
    };
    const combine = (x: ValueId, op: PlainInstruction) => {
      this.push(x);
      this.push(condition);
      code.op(op);
    };
    if (negationOf(a, b)) {
      this.push(b);
      code.splat(SIGN);
      this.push(condition);
      code.op('v128.and');
      code.op('v128.xor');
    } else if (negationOf(b, a)) {
      this.push(a);
      code.splat(SIGN);
      this.push(condition);
      code.op('v128.andnot');
      code.op('v128.xor');
    } else if (isConstant(b, 0)) combine(a, 'v128.and');
    else if (isConstant(a, 0)) combine(b, 'v128.andnot');
    else if (isConstant(a, NaN)) combine(b, 'v128.or');
    else {
      this.push(a);
      this.push(b);
      this.push(condition);
      code.op('v128.bitselect');
    }
  }

  /** Lanes in `mask` where the condition holds and nothing fired before get the status and the line. */
  private check(node: Instruction, mask: number | null): void {
    const { code } = this;
    const fired = () => {
      this.push(node.args[0]);
      if (mask === null) return;
      code.get(mask);
      code.op('v128.and');
    };
    fired();
    code.op('v128.any_true');
    code.open('if');
    this.flag(node.imm, node.line, fired);
    code.op('end');
  }

  private flag(status: number, line: number, pushLanes: () => void): void {
    const { code } = this;
    code.i32(0);
    code.splat((BigInt(line | 0) << 32n) | BigInt(status));
    this.pushFlags();
    pushLanes();
    this.pushUnflagged();
    code.op('v128.and');
    code.op('v128.bitselect');
    code.memory('v128.store', FLAGS);
  }

  private ifNode(node: IfNode, mask: number | null): void {
    const { code } = this;
    const results = node.results.map(() => this.locals.take());
    const thenMask = this.side(
      node.then,
      () => {
        this.push(node.condition);
        if (mask === null) return;
        code.get(mask);
        code.op('v128.and');
      },
      () => {
        node.then.yields.forEach((id) => this.push(id));
        [...results].reverse().forEach((local) => code.set(local));
        this.consume(node.then.yields);
      },
    );
    const otherwiseMask = this.side(
      node.otherwise,
      () => {
        if (mask === null) {
          this.push(node.condition);
          code.op('v128.not');
          return;
        }
        code.get(mask);
        this.push(node.condition);
        code.op('v128.andnot');
      },
      () => {
        node.otherwise.yields.forEach((id, k) => {
          code.get(results[k]);
          this.push(id);
          this.push(node.condition);
          code.op('v128.bitselect');
        });
        [...results].reverse().forEach((local) => code.set(local));
        this.consume(node.otherwise.yields);
      },
    );
    for (const local of [thenMask, otherwiseMask]) if (local !== null) this.locals.give(local);
    this.consume([node.condition]);
    node.results.forEach((id, k) => this.adopt(id, results[k]));
  }

  /** Runs one side; `settle` writes its results. The local that holds its mask, if there is one. */
  private side(region: Region, pushMask: () => void, settle: () => void): number | null {
    const { code } = this;
    const steps = this.module.steps(region);
    const plain = steps.every((step) => step.kind === 'op' && step.op !== 'check' && step.op !== 'store');
    if (plain && this.isCheap(steps)) {
      this.steps(steps, null);
      settle();
      return null;
    }
    pushMask();
    let mask: number | null = null;
    if (!plain) {
      mask = this.locals.take();
      code.set(mask);
      code.get(mask);
    }
    code.op('v128.any_true');
    code.open('if');
    this.steps(steps, mask);
    settle();
    code.op('end');
    return mask;
  }

  private isCheap(steps: readonly Step[]): boolean {
    return steps.length <= SPECULATED_SIZE && steps.every((step) => step.kind === 'op' && !isMathOp(step.op));
  }

  private loopNode(node: LoopNode, mask: number | null): void {
    const { code } = this;
    const params = node.params.map(() => this.locals.take());
    const live = this.locals.take();
    const done = code.local('i64');
    node.initial.forEach((id) => this.push(id));
    this.setParams(node, params);
    this.consume(node.initial);
    if (mask === null) code.splat(ALL_ONES);
    else code.get(mask);
    code.set(live);
    code.i64(1n);
    code.set(done);
    node.params.forEach((id, k) => this.localOf.set(id, params[k]));

    code.open('block');
    code.open('loop');
    this.kept.push([]);
    this.steps(this.module.steps(node.body), live);
    const [again, ...next] = node.body.yields;
    // All are read before any is written: a param may be the next value of another, or say whether to go on.
    next.forEach((id, k) => {
      this.push(id);
      code.get(params[k]);
      code.get(live);
      code.op('v128.bitselect');
    });
    this.push(again);
    code.get(live);
    code.op('v128.and');
    this.pushUnflagged();
    code.op('v128.and');
    code.set(live);
    this.setParams(node, params);
    this.consume(node.body.yields);
    code.get(live);
    code.op('v128.any_true');
    code.op('i32.eqz');
    code.branchIf(1);
    code.get(done);
    code.i64(BigInt(node.fuel));
    code.op('i64.ge_u');
    code.open('if');
    this.flag(LaneStatus.FuelExhausted, node.line, () => code.get(live));
    code.branch(2);
    code.op('end');
    code.get(done);
    code.i64(1n);
    code.op('i64.add');
    code.set(done);
    code.branch(0);
    code.op('end');
    code.op('end');
    for (const local of this.kept.pop()!) this.locals.give(local);
    this.locals.give(live);
    for (const id of node.params) this.localOf.delete(id);
    node.results.forEach((id, k) => this.adopt(id, params[k]));
  }

  /** Every lane makes every round: what lanes outside of the mask compute is read by nobody. */
  private forNode(node: ForNode, mask: number | null): void {
    const { code } = this;
    const params = node.params.map(() => this.locals.take());
    const [index, count] = [code.local('i32'), code.local('i32')];
    node.initial.forEach((id) => this.push(id));
    this.setParams(node, params);
    this.consume(node.initial);
    code.i32(node.count.offset);
    for (const { index: outer, scale } of node.count.terms) {
      this.pushIndex(outer);
      code.i32(scale | 0);
      code.op('i32.mul');
      code.op('i32.add');
    }
    code.set(count);
    code.i32(0);
    code.set(index);
    node.params.forEach((id, k) => this.localOf.set(id, params[k]));
    this.indexOf.set(node.index, index);
    const slot = this.module.slots.get(node.index);

    code.i32(0);
    code.get(count);
    code.op('i32.lt_s');
    code.open('if');
    code.open('loop');
    if (slot !== undefined) {
      code.i32(0);
      code.get(index);
      code.memory('i32.store', slot);
    }
    this.kept.push([]);
    this.steps(this.module.steps(node.body), mask);
    // All are read before any is written.
    node.body.yields.forEach((id) => this.push(id));
    this.setParams(node, params);
    this.consume(node.body.yields);
    code.get(index);
    code.i32(1);
    code.op('i32.add');
    code.set(index);
    code.get(index);
    code.get(count);
    code.op('i32.lt_s');
    code.branchIf(0);
    code.op('end');
    code.op('end');
    for (const local of this.kept.pop()!) this.locals.give(local);
    this.indexOf.delete(node.index);
    for (const id of node.params) this.localOf.delete(id);
    node.results.forEach((id, k) => this.adopt(id, params[k]));
  }

  /** Sets the parameters from the stack, the last one on top. */
  private setParams(node: LoopNode | ForNode, params: readonly number[]): void {
    for (let k = params.length - 1; k >= 0; k--) this.code.set(params[k]);
    node.params.forEach((id, k) => this.keepInSlot(id, params[k]));
  }

  /** The value on the stack becomes `id`. */
  private define(id: ValueId): void {
    const local = this.locals.take();
    this.code.set(local);
    this.adopt(id, local);
  }

  /** `local` holds `id` from here on. */
  private adopt(id: ValueId, local: number): void {
    this.keepInSlot(id, local);
    if (!this.uses.has(id)) {
      this.locals.give(local);
      return;
    }
    this.localOf.set(id, local);
    this.depthOf.set(id, this.kept.length);
  }

  private keepInSlot(id: ValueId, local: number): void {
    const slot = this.module.slots.get(id);
    if (slot === undefined) return;
    this.code.i32(0);
    this.code.get(local);
    this.code.memory('v128.store', slot);
  }

  /** One use less of each; after the last one the local is free for others. */
  private consume(ids: readonly ValueId[]): void {
    for (const id of ids) {
      const left = (this.uses.get(id) ?? 0) - 1;
      this.uses.set(id, left);
      const depth = this.depthOf.get(id);
      const local = this.localOf.get(id);
      // Params have no depth: they last as long as their loop.
      if (left > 0 || depth === undefined || local === undefined) continue;
      if (depth < this.kept.length) {
        this.kept[depth].push(local);
        this.depthOf.delete(id);
      } else {
        this.localOf.delete(id);
        this.locals.give(local);
      }
    }
  }
}
