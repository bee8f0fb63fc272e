/**
 * Instruction selection: verified IR to machine instructions over virtual registers, in order of execution. Drops what
 * nobody uses, fuses pairs of operations, and turns the results of `if` and `loop` into moves and blends. Knows nothing
 * of real registers (`allocation.ts`) and of the encoding (`encode.ts`).
 *
 * Elements of arrays are operands where they lie: nothing is copied. An element of a local array that is stored to
 * before its last use goes to a register first (`settleArrays`). What a `for` carries from round to round stays in one
 * register where its next value can be computed into it (`preferredRegister`) and where the value that it starts from
 * ends there (`takesOver`).
 */
import { libraryName } from '../../ir/math/index.js';
import { isMathOp, OPS } from '../../ir/ops.js';
import { constantForm } from '../../ir/index-form.js';
import type {
  ForNode,
  IfNode,
  IndexForm,
  Instruction,
  IrFunction,
  IrNode,
  LoopNode,
  Region,
  ValueId,
} from '../../ir/types.js';
import { regionsOf } from '../../ir/walk.js';
import type { Opcode, Space } from './opcodes.js';

/** Number of a virtual register; whether it holds f64 or masks is in `Selection.isMask`. */
export type VirtualRegister = number;

export type MachineOperand =
  | { readonly kind: 'register'; readonly register: VirtualRegister }
  | { readonly kind: 'coordinate'; readonly index: number }
  | { readonly kind: 'constant'; readonly value: number }
  | MachineElement
  /** A plain integer word. */
  | { readonly kind: 'integer'; readonly value: number };

/** Element at `offset + sum of scale * index` of a space; indices by number of their `for`, 0 the outermost. */
export interface MachineElement {
  readonly kind: 'element';
  readonly space: Space;
  /** `local` and `constant`: the array of the function. */
  readonly array: number;
  readonly offset: number;
  /** By ascending level. */
  readonly terms: readonly { readonly level: number; readonly scale: number }[];
}

/** Operands in the order of the opcode's signature; what is written comes first. */
export interface MachineInstruction {
  readonly opcode: Opcode;
  readonly operands: readonly MachineOperand[];
}

export interface Selection {
  readonly instructions: readonly MachineInstruction[];
  readonly isMask: readonly boolean[];
}

export function selectInstructions(fn: IrFunction): Selection {
  return new Selector(fn).run();
}

/** Operations that can be the inner, and also the outer, part of a fused instruction. */
const FUSIBLE = new Set(['add', 'sub', 'mul']);
const COMPARISONS = new Set(['lt', 'le', 'eq', 'ne']);
const MAX_INT32 = 2 ** 31 - 1;

/** The same on all lanes: what instructions take as a constant. */
const isUniform = (operand: MachineOperand) =>
  operand.kind === 'constant' ||
  (operand.kind === 'element' && (operand.space === 'constant' || operand.space === 'number'));

/** An operation that waits for its only user, which may take it in. */
interface Deferred {
  readonly opcode: Opcode;
  readonly operands: readonly MachineOperand[];
}

class Selector {
  private readonly instructions: MachineInstruction[] = [];
  private readonly isMask: boolean[] = [];
  // By value. Of full length from the start: arrays that grow from the far end are slow.
  private readonly needed: boolean[];
  /** The node that uses the value, if all uses are in one operation of one region; null with several. */
  private readonly user: (Instruction | null | undefined)[];
  private readonly userRegion: (Region | undefined)[];
  private readonly operandOf: (MachineOperand | undefined)[];
  private readonly deferred = new Map<ValueId, Deferred & { readonly depth: number }>();
  /** A register that the value should be computed into: that of the `if` result, or of the param, which it becomes. */
  private readonly preferred: (VirtualRegister | undefined)[];
  /** By next value: the param whose register that is; it may be needed longer. */
  private readonly paramOfNext = new Map<ValueId, ValueId>();
  /** By result of a `for`: the value whose register it has. */
  private readonly tookFrom = new Map<ValueId, ValueId>();
  /** Moments grow in the order of execution; what is used in a loop is so at the moments of its body. */
  private moment = 0;
  private readonly momentOf = new Map<IrNode, number>();
  /** Moments at which results of operations and `if`s are defined. */
  private readonly definedAt: (number | undefined)[];
  private readonly definedIn: (Region | undefined)[];
  private readonly lastUse: (number | undefined)[];
  /** Loops around the current place, outermost first; and by value, the innermost one around its definition. */
  private readonly loops: (LoopNode | ForNode)[] = [];
  private readonly loopOf: (LoopNode | ForNode | undefined)[];
  /** By index of a `for`. */
  private readonly levelOf = new Map<ValueId, number>();
  private level = 0;
  /** Sides of `if` and bodies of `loop` around the current place: where lanes may have parted. */
  private depth = 0;
  /** By array: loaded values that are used where they lie. */
  private readonly inPlace = new Map<number, ValueId[]>();
  private readonly storesOf = new Map<IrNode, ReadonlySet<number>>();
  private readonly hasEffect = new Map<ForNode, boolean>();
  private readonly locals: number;

  constructor(private readonly fn: IrFunction) {
    const values = fn.types.length;
    this.needed = new Array<boolean>(values).fill(false);
    this.user = new Array<Instruction | null | undefined>(values).fill(undefined);
    this.userRegion = new Array<Region | undefined>(values).fill(undefined);
    this.operandOf = new Array<MachineOperand | undefined>(values).fill(undefined);
    this.preferred = new Array<VirtualRegister | undefined>(values).fill(undefined);
    this.definedAt = new Array<number | undefined>(values).fill(undefined);
    this.definedIn = new Array<Region | undefined>(values).fill(undefined);
    this.lastUse = new Array<number | undefined>(values).fill(undefined);
    this.loopOf = new Array<LoopNode | ForNode | undefined>(values).fill(undefined);
    this.locals = fn.arrays.filter((array) => array.kind === 'local').length;
  }

  run(): Selection {
    const { body } = this.fn;
    for (const id of body.yields) this.need(id);
    this.markRegion(body);
    this.region(body);
    this.emit('return', this.value(body.yields[0]));
    return { instructions: this.instructions, isMask: this.isMask };
  }

  // What is needed, and by whom. Regions are walked backward, so users come before definitions.

  private need(id: ValueId): void {
    this.needed[id] = true;
    this.user[id] = null;
    this.lastUse[id] ??= this.moment;
  }

  private needBy(id: ValueId, user: Instruction, region: Region): void {
    this.needed[id] = true;
    this.lastUse[id] ??= this.moment;
    if (this.user[id] === undefined) {
      this.user[id] = user;
      this.userRegion[id] = region;
    } else if (this.user[id] !== user) {
      this.user[id] = null;
    }
  }

  /** Whether anything in the region must be kept for its effect. */
  private markRegion(region: Region): boolean {
    let effect = false;
    for (let i = region.body.length - 1; i >= 0; i--) {
      if (this.markNode(region.body[i], region)) effect = true;
    }
    return effect;
  }

  private markNode(node: IrNode, region: Region): boolean {
    this.moment--;
    switch (node.kind) {
      case 'op': {
        const effect = node.op === 'check' || node.op === 'store';
        if (!effect && !this.needed[node.result]) return false;
        this.enter(node, effect ? [] : [node.result], region);
        for (const id of node.args) this.needBy(id, node, region);
        return effect;
      }
      case 'if': {
        let effect = false;
        for (const side of [node.otherwise, node.then]) {
          this.moment--;
          side.yields.forEach((id, k) => {
            if (this.needed[node.results[k]]) this.need(id);
          });
          if (this.markRegion(side)) effect = true;
        }
        this.enter(node, node.results, region);
        if (this.keepsIf(node, effect)) this.need(node.condition);
        return effect;
      }
      case 'loop':
        // May run out of fuel, so it is never dropped.
        this.markCarried(node);
        return true;
      case 'for': {
        const effect = this.effectOf(node);
        if (!effect && !node.results.some((id) => this.needed[id])) return false;
        this.kept.add(node);
        this.markCarried(node);
        return effect;
      }
    }
  }

  private markCarried(node: LoopNode | ForNode): void {
    for (const id of node.body.yields) this.need(id);
    this.markRegion(node.body);
    this.enter(node, [], node.body);
    for (const id of node.initial) this.need(id);
  }

  /** The moment at which a node starts, after those of the regions that it holds have been given out. */
  private enter(node: IrNode, results: readonly ValueId[], region: Region): void {
    this.moment--;
    this.momentOf.set(node, this.moment);
    for (const id of results) {
      this.definedAt[id] = this.moment;
      this.definedIn[id] = region;
    }
  }

  private effectOf(node: ForNode): boolean {
    let effect = this.hasEffect.get(node);
    if (effect === undefined) {
      const search = (region: Region): boolean =>
        region.body.some((inner) => {
          if (inner.kind === 'op') return inner.op === 'check' || inner.op === 'store';
          if (inner.kind === 'if') return search(inner.then) || search(inner.otherwise);
          return inner.kind === 'loop' || this.effectOf(inner);
        });
      effect = search(node.body);
      this.hasEffect.set(node, effect);
    }
    return effect;
  }

  private readonly kept = new Set<IfNode | ForNode>();
  private keepsIf(node: IfNode, effect: boolean): boolean {
    const keeps = effect || node.results.some((id) => this.needed[id]);
    if (keeps) this.kept.add(node);
    return keeps;
  }

  // Selection, forward.

  private region(region: Region): void {
    for (const node of region.body) {
      switch (node.kind) {
        case 'op':
          if (node.op === 'check') this.check(node);
          else if (node.op === 'store') this.store(node);
          else if (this.needed[node.result]) this.operation(node, region);
          break;
        case 'if':
          if (this.kept.has(node)) this.ifNode(node);
          break;
        case 'loop':
          this.loopNode(node);
          break;
        case 'for':
          if (this.kept.has(node)) this.forNode(node);
          break;
      }
    }
  }

  private operation(node: Instruction, region: Region): void {
    const { op, result, args } = node;
    switch (op) {
      case 'const':
        this.operandOf[result] = { kind: 'constant', value: node.imm };
        return;
      case 'x':
        this.operandOf[result] = { kind: 'coordinate', index: node.imm };
        return;
      case 'bconst':
        // Filled at each use: a fill is cheap, a mask that lives long is not.
        this.operandOf[result] = { kind: 'constant', value: node.imm };
        return;
      case 'check':
      case 'store':
        throw new Error(`${op} has no result`);
      case 'load':
      case 'ordinal': {
        const operand = this.element(node);
        this.operandOf[result] = operand;
        if (operand.kind === 'element' && operand.space === 'local') this.watch(operand.array, result);
        return;
      }
      default:
    }
    const fused = FUSIBLE.has(op) ? this.fuse(node) : null;
    if (fused) {
      if (this.user[result]?.op === 'store' && this.canDefer(node, region)) this.defer(result, fused);
      else this.emit(fused.opcode, this.define(result), ...fused.operands);
      return;
    }
    const operands = this.operands(node);
    const square = op === 'mul' && args[0] === args[1];
    const opcode = isMathOp(op) ? libraryName({ op, imm: node.imm }) : op;
    const instruction: Deferred = square ? { opcode: 'sq', operands: [operands[0]] } : { opcode, operands };
    if (this.canDefer(node, region)) this.defer(result, instruction);
    else this.emit(instruction.opcode, this.define(result), ...instruction.operands);
  }

  /** Operands of `node` as its instruction takes them: constants only where there is a form for them. */
  private operands(node: Instruction): MachineOperand[] {
    const operands = node.args.map((id) => this.value(id));
    const takesConstants = !isMathOp(node.op) && operands.length > 1;
    const f64 = operands.filter((_, k) => OPS[node.op].args[k] === 'f64');
    // `select` alone takes constants only.
    const allConstant = node.op !== 'select' && f64.every(isUniform);
    let spared = false;
    return operands.map((operand, k) => {
      if (!isUniform(operand)) return operand;
      if (operand.kind === 'constant' && OPS[node.op].args[k] === 'bool') return this.fill(operand.value);
      if (takesConstants && !(allConstant && !spared)) return operand;
      spared = true;
      return this.splat(operand);
    });
  }

  private defer(id: ValueId, { opcode, operands }: Deferred): void {
    this.deferred.set(id, { opcode, operands, depth: this.depth });
  }

  private canDefer(node: Instruction, region: Region): boolean {
    const user = this.user[node.result];
    if (!user || this.userRegion[node.result] !== region) return false;
    // Computed into the array, unless only some lanes are to be stored.
    if (user.op === 'store') return this.depth === 0 && this.fn.types[node.result] === 'f64';
    if (COMPARISONS.has(node.op)) return user.op === 'check';
    return FUSIBLE.has(node.op) && FUSIBLE.has(user.op);
  }

  /** Takes a waiting operand of `node` into one instruction with it, if there is one. */
  private fuse(node: Instruction): Deferred | null {
    const [left, right] = node.args;
    const inner = this.deferred.get(right) ?? this.deferred.get(left);
    if (!inner) return null;
    const innerId = this.deferred.has(right) ? right : left;
    this.deferred.delete(innerId);
    if (left === right) {
      if (node.op === 'mul' && inner.opcode !== 'sq') return this.fusedForm(inner, 'sq', []);
      // (a * a) * (a * a) and t + t, t - t: the inner part by itself.
      this.emit(inner.opcode, this.define(innerId), ...inner.operands);
      return null;
    }
    const other = this.value(innerId === right ? left : right);
    const outer = node.op === 'sub' && innerId === right ? 'rsub' : node.op;
    return this.fusedForm(inner, outer, [other]);
  }

  private fusedForm(inner: Deferred, outer: string, rest: readonly MachineOperand[]): Deferred {
    return { opcode: `${inner.opcode}_${outer}` as Opcode, operands: [...inner.operands, ...rest] };
  }

  private check(node: Instruction): void {
    const flag = [integer(node.imm), integer(node.line)];
    const comparison = this.deferred.get(node.args[0]);
    if (comparison) {
      this.deferred.delete(node.args[0]);
      this.emit(`check_${comparison.opcode}` as Opcode, ...comparison.operands, ...flag);
    } else {
      this.emit('check', this.mask(node.args[0]), ...flag);
    }
  }

  private store(node: Instruction): void {
    const target = this.element(node);
    const [id] = node.args;
    this.settleArrays(node);
    const waiting = this.deferred.get(id);
    if (waiting) {
      this.deferred.delete(id);
      this.emit(waiting.opcode, target, ...waiting.operands);
    } else {
      this.emit(this.depth === 0 ? 'move' : 'blend', target, this.value(id));
    }
  }

  /** Where the element of a `load` or `store` lies, or the number of an `ordinal`. */
  private element({ op, imm, at }: Instruction): MachineOperand {
    const { offset, terms } = at ?? constantForm(0);
    const array = op === 'ordinal' ? undefined : this.fn.arrays[imm];
    if (terms.length === 0) {
      if (array === undefined) return { kind: 'constant', value: offset };
      if (array.kind === 'candidate') return { kind: 'coordinate', index: offset };
      if (array.kind === 'table') return { kind: 'constant', value: array.values[offset] };
    }
    const spaces = { candidate: 'coordinate', table: 'constant', local: 'local' } as const;
    return this.place(array === undefined ? 'number' : spaces[array.kind], imm, { offset, terms });
  }

  private place(space: Space, array: number, { offset, terms }: IndexForm): MachineElement {
    const levels = terms.map(({ index, scale }) => ({ level: this.levelOf.get(index)!, scale }));
    return { kind: 'element', space, array, offset, terms: levels.sort((a, b) => a.level - b.level) };
  }

  // Local arrays change: what is read from them later than the change goes to a register before it.

  private watch(array: number, id: ValueId): void {
    const watched = this.inPlace.get(array);
    if (watched === undefined) this.inPlace.set(array, [id]);
    else watched.push(id);
  }

  /** To be called before a node that stores, or holds stores. */
  private settleArrays(node: IrNode): void {
    const now = this.momentOf.get(node)!;
    for (const array of this.storesIn(node)) {
      for (const id of this.inPlace.get(array) ?? []) {
        const source = this.operandOf[id]!;
        if (this.lastUse[id]! > now) this.emit('move', this.define(id), source);
      }
      this.inPlace.delete(array);
      this.carryOut((operand) => operand.kind === 'element' && operand.space === 'local' && operand.array === array, node);
    }
  }

  private storesIn(node: IrNode): ReadonlySet<number> {
    if (node.kind === 'op') return node.op === 'store' ? new Set([node.imm]) : NO_ARRAYS;
    if (this.locals === 0) return NO_ARRAYS;
    let stores = this.storesOf.get(node);
    if (stores === undefined) {
      stores = new Set(regionsOf(node).flatMap(({ body }) => body.flatMap((inner) => [...this.storesIn(inner)])));
      this.storesOf.set(node, stores);
    }
    return stores;
  }

  /** Carries out waiting operations that read such an operand, but for those that `user` takes in. */
  private carryOut(reads: (operand: MachineOperand) => boolean, user?: IrNode): void {
    for (const [id, { operands }] of this.deferred) {
      if (operands.some(reads) && (user === undefined || this.user[id] !== user)) this.value(id);
    }
  }

  /** Whether a waiting operation from outside of this side of an `if`, which may be skipped, reads the register. */
  private isReadLater(register: VirtualRegister): boolean {
    return [...this.deferred.values()].some(
      ({ operands, depth }) => depth < this.depth && operands.some((operand) => isRegister(operand, register)),
    );
  }

  private ifNode(node: IfNode): void {
    this.settleArrays(node);
    const wanted = node.results.map((_, k) => k).filter((k) => this.needed[node.results[k]]);
    const condition = this.mask(node.condition);
    const targets = wanted.map((k) => this.define(node.results[k]));
    const thenYields = wanted.map((k) => node.then.yields[k]);
    thenYields.forEach((id, j) => {
      // Computed in place where the value is made in this region and becomes this one result only.
      if (thenYields.indexOf(id) === thenYields.lastIndexOf(id) && this.definedIn[id] === node.then) {
        this.preferred[id] = targets[j].register;
      }
    });
    this.emit('if', condition);
    this.depth++;
    this.region(node.then);
    thenYields.forEach((id, j) => this.copy('move', targets[j], id));
    this.emit('else');
    this.region(node.otherwise);
    wanted.forEach((k, j) => this.copy('blend', targets[j], node.otherwise.yields[k]));
    this.depth--;
    this.emit('endif');
  }

  private loopNode(node: LoopNode): void {
    this.settleArrays(node);
    const initial = node.initial.map((id) => this.value(id));
    this.loops.push(node);
    const params = node.params.map((id, k) => {
      const register = this.define(id);
      // Lanes that have left the loop keep their values there: nobody takes it over.
      this.loopOf[id] = undefined;
      this.transfer('move', register, initial[k], this.fn.types[id] === 'bool');
      return register;
    });
    this.emit('loop');
    this.depth++;
    this.region(node.body);
    const [again, ...next] = node.body.yields;
    // The blends below may change a param that `again` is.
    let condition = this.mask(again);
    if (params.some((param) => isRegister(condition, param.register))) {
      const saved = this.newRegister(true);
      this.emit('bmove', saved, condition);
      condition = saved;
    }
    this.nextRound('blend', params, next);
    this.depth--;
    this.loops.pop();
    this.emit('endloop', condition, integer(Math.min(Math.max(node.fuel, 1), MAX_INT32)), integer(node.line));
    node.results.forEach((id, k) => this.leave(id, params[k]));
  }

  private forNode(node: ForNode): void {
    this.settleArrays(node);
    const count = this.place('number', 0, node.count);
    const initial = node.initial.map((id) => this.value(id));
    const taken = node.initial.map((_, k) => this.takesOver(node, k, initial[k]));
    this.loops.push(node);
    const params = node.params.map((id, k) => {
      if (taken[k]) {
        const { register } = initial[k] as RegisterOperand;
        this.preferred[id] = register;
      }
      const param = this.define(id);
      this.transfer('move', param, initial[k], this.fn.types[id] === 'bool');
      return param;
    });
    this.emit('for', count);
    this.levelOf.set(node.index, this.level++);
    const { yields } = node.body;
    yields.forEach((id, k) => {
      if (this.definedIn[id] !== node.body || yields.indexOf(id) !== yields.lastIndexOf(id)) return;
      this.preferred[id] = params[k].register;
      this.paramOfNext.set(id, node.params[k]);
    });
    this.region(node.body);
    this.nextRound('move', params, yields);
    this.level--;
    this.loops.pop();
    this.emit('endfor');
    node.results.forEach((id, k) => {
      this.leave(id, params[k]);
      if (taken[k]) this.prolong(id, node.initial[k]);
    });
  }

  /** The register of `before` is that of `result` now: `before` and its like are needed as long. */
  private prolong(result: ValueId, before: ValueId): void {
    this.tookFrom.set(result, before);
    for (let id: ValueId | undefined = before; id !== undefined; id = this.tookFrom.get(id)) {
      this.lastUse[id] = Math.max(this.lastUse[id]!, this.lastUse[result] ?? -Infinity);
    }
  }

  /** A param's register is the result's after the loop. */
  private leave(result: ValueId, param: RegisterOperand): void {
    this.operandOf[result] = param;
    this.loopOf[result] = this.loops.at(-1);
  }

  /** Whether param `k` may have the register of the value that it starts from: nobody reads that any more. */
  private takesOver(node: ForNode, k: number, operand: MachineOperand): boolean {
    const id = node.initial[k];
    return (
      operand.kind === 'register' &&
      this.lastUse[id] === this.momentOf.get(node) &&
      this.loopOf[id] === this.loops.at(-1) &&
      node.initial.indexOf(id) === node.initial.lastIndexOf(id)
    );
  }

  /** The params become their next values, all at once. */
  private nextRound(how: 'move' | 'blend', params: readonly RegisterOperand[], next: readonly ValueId[]): void {
    const isMask = params.map(({ register }) => this.isMask[register]);
    const sources = next.map((id, k) => {
      const source = this.value(id);
      // Written before this one is read.
      const isLost = params.some(({ register }, j) => j < k && isRegister(source, register));
      if (!isLost) return source;
      const saved = this.newRegister(isMask[k]);
      this.transfer('move', saved, source, isMask[k]);
      return saved;
    });
    sources.forEach((source, k) => this.transfer(how, params[k], source, isMask[k]));
  }

  private copy(how: 'move' | 'blend', target: RegisterOperand, id: ValueId): void {
    this.transfer(how, target, this.value(id), this.fn.types[id] === 'bool');
  }

  private transfer(
    how: 'move' | 'blend',
    target: RegisterOperand,
    source: MachineOperand,
    isMask: boolean,
  ): void {
    if (source.kind === 'register' && source.register === target.register) return;
    if (!isMask) this.emit(how, target, source);
    else if (source.kind !== 'constant') this.emit(how === 'move' ? 'bmove' : 'bblend', target, source);
    else if (how === 'move') this.emit('bfill', target, integer(source.value));
    else this.emit('bblend', target, this.fill(source.value));
  }

  /** Where a value is; a waiting operation is carried out now. */
  private value(id: ValueId): MachineOperand {
    const waiting = this.deferred.get(id);
    if (waiting) {
      this.deferred.delete(id);
      this.emit(waiting.opcode, this.define(id), ...waiting.operands);
    }
    const operand = this.operandOf[id];
    if (operand === undefined) throw new Error(`value ${id} is used before its definition`);
    return operand;
  }

  private mask(id: ValueId): MachineOperand {
    const operand = this.value(id);
    return operand.kind === 'constant' ? this.fill(operand.value) : operand;
  }

  private splat(value: MachineOperand): MachineOperand {
    const register = this.newRegister(false);
    this.emit('move', register, value);
    return register;
  }

  private fill(value: number): MachineOperand {
    const register = this.newRegister(true);
    this.emit('bfill', register, integer(value));
    return register;
  }

  private define(id: ValueId): RegisterOperand {
    const register = this.preferredRegister(id);
    let operand: RegisterOperand;
    if (register === undefined || this.isReadLater(register)) {
      operand = this.newRegister(this.fn.types[id] === 'bool');
    } else {
      this.carryOut((waiting) => isRegister(waiting, register));
      operand = { kind: 'register', register };
    }
    this.operandOf[id] = operand;
    this.loopOf[id] = this.loops.at(-1);
    return operand;
  }

  private preferredRegister(id: ValueId): VirtualRegister | undefined {
    const param = this.paramOfNext.get(id);
    if (param === undefined || (this.lastUse[param] ?? -Infinity) <= this.definedAt[id]!) return this.preferred[id];
    return undefined;
  }

  private newRegister(isMask: boolean): RegisterOperand {
    this.isMask.push(isMask);
    return { kind: 'register', register: this.isMask.length - 1 };
  }

  private emit(opcode: Opcode, ...operands: MachineOperand[]): void {
    this.instructions.push({ opcode, operands });
  }
}

type RegisterOperand = MachineOperand & { readonly kind: 'register' };
const NO_ARRAYS: ReadonlySet<number> = new Set();

const isRegister = (operand: MachineOperand, register: VirtualRegister) =>
  operand.kind === 'register' && operand.register === register;
const integer = (value: number): MachineOperand => ({ kind: 'integer', value });
