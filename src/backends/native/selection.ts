/**
 * Instruction selection: verified IR to machine instructions over virtual registers, in order of execution. Drops what
 * nobody uses, fuses pairs of operations, and turns the results of `if` and `loop` into moves and blends. Knows nothing
 * of real registers (`allocation.ts`) and of the encoding (`encode.ts`).
 */
import { isMathOp, OPS } from '../../ir/ops.js';
import type { IfNode, Instruction, IrFunction, IrNode, LoopNode, Region, ValueId } from '../../ir/types.js';
import type { Opcode } from './opcodes.js';

/** Number of a virtual register; whether it holds f64 or masks is in `Selection.isMask`. */
export type VirtualRegister = number;

export type MachineOperand =
  | { readonly kind: 'register'; readonly register: VirtualRegister }
  | { readonly kind: 'coordinate'; readonly index: number }
  | { readonly kind: 'constant'; readonly value: number }
  /** A plain integer word. */
  | { readonly kind: 'integer'; readonly value: number };

/** Operands in the order of the opcode's signature; a written register comes first. */
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
  private readonly deferred = new Map<ValueId, Deferred>();
  /** A register that the value should be computed into: that of the `if` result which it becomes. */
  private readonly preferred: (VirtualRegister | undefined)[];

  constructor(private readonly fn: IrFunction) {
    const values = fn.types.length;
    this.needed = new Array<boolean>(values).fill(false);
    this.user = new Array<Instruction | null | undefined>(values).fill(undefined);
    this.userRegion = new Array<Region | undefined>(values).fill(undefined);
    this.operandOf = new Array<MachineOperand | undefined>(values).fill(undefined);
    this.preferred = new Array<VirtualRegister | undefined>(values).fill(undefined);
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
  }

  private needBy(id: ValueId, user: Instruction, region: Region): void {
    this.needed[id] = true;
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
    switch (node.kind) {
      case 'op':
        if (node.op !== 'check' && !this.needed[node.result]) return false;
        for (const id of node.args) this.needBy(id, node, region);
        return node.op === 'check';
      case 'if': {
        for (const side of [node.then, node.otherwise]) {
          side.yields.forEach((id, k) => {
            if (this.needed[node.results[k]]) this.need(id);
          });
        }
        const effect = [node.then, node.otherwise].map((side) => this.markRegion(side)).includes(true);
        if (this.keepsIf(node, effect)) this.need(node.condition);
        return effect;
      }
      case 'loop':
        // May run out of fuel, so it is never dropped.
        for (const id of [...node.body.yields, ...node.initial]) this.need(id);
        this.markRegion(node.body);
        return true;
      case 'for':
        throw new Error('for has no instruction');
    }
  }

  private readonly kept = new Set<IfNode>();
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
          else if (this.needed[node.result]) this.operation(node, region);
          break;
        case 'if':
          if (this.kept.has(node)) this.ifNode(node);
          break;
        case 'loop':
          this.loopNode(node);
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
        throw new Error('a check has no result');
      case 'load':
      case 'store':
      case 'ordinal':
        throw new Error(`${op} has no instruction`);
      default:
    }
    const fused = FUSIBLE.has(op) ? this.fuse(node) : null;
    if (fused) {
      this.emit(fused.opcode, this.define(result), ...fused.operands);
      return;
    }
    const operands = this.operands(node);
    const square = op === 'mul' && args[0] === args[1];
    const instruction: Deferred = square ? { opcode: 'sq', operands: [operands[0]] } : { opcode: op, operands };
    if (this.canDefer(node, region)) this.deferred.set(result, instruction);
    else this.emit(instruction.opcode, this.define(result), ...instruction.operands);
  }

  /** Operands of `node` as its instruction takes them: constants only where there is a form for them. */
  private operands(node: Instruction): MachineOperand[] {
    const operands = node.args.map((id) => this.value(id));
    const takesConstants = !isMathOp(node.op) && operands.length > 1;
    const f64 = operands.filter((_, k) => OPS[node.op].args[k] === 'f64');
    // `select` alone takes constants only.
    const allConstant = node.op !== 'select' && f64.every((operand) => operand.kind === 'constant');
    let spared = false;
    return operands.map((operand, k) => {
      if (operand.kind !== 'constant') return operand;
      if (OPS[node.op].args[k] === 'bool') return this.fill(operand.value);
      if (takesConstants && !(allConstant && !spared)) return operand;
      spared = true;
      return this.splat(operand.value);
    });
  }

  private canDefer(node: Instruction, region: Region): boolean {
    const user = this.user[node.result];
    if (!user || this.userRegion[node.result] !== region) return false;
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

  private ifNode(node: IfNode): void {
    const wanted = node.results.map((_, k) => k).filter((k) => this.needed[node.results[k]]);
    const condition = this.mask(node.condition);
    const targets = wanted.map((k) => this.define(node.results[k]));
    const thenYields = wanted.map((k) => node.then.yields[k]);
    thenYields.forEach((id, j) => {
      // Computed in place where the value is made in this region and becomes this one result only.
      if (thenYields.indexOf(id) === thenYields.lastIndexOf(id) && definesHere(node.then, id)) {
        this.preferred[id] = targets[j].register;
      }
    });
    this.emit('if', condition);
    this.region(node.then);
    thenYields.forEach((id, j) => this.copy('move', targets[j], id));
    this.emit('else');
    this.region(node.otherwise);
    wanted.forEach((k, j) => this.copy('blend', targets[j], node.otherwise.yields[k]));
    this.emit('endif');
  }

  private loopNode(node: LoopNode): void {
    const initial = node.initial.map((id) => this.value(id));
    const params = node.params.map((id, k) => {
      const register = this.define(id);
      this.transfer('move', register, initial[k], this.fn.types[id] === 'bool');
      return register;
    });
    this.emit('loop');
    this.region(node.body);
    const [again, ...next] = node.body.yields;
    // All params change at once: one that becomes another's next value is saved first.
    const paramOf = new Map(node.params.map((id, k) => [id, k]));
    const sources = next.map((id, k) => {
      const source = this.value(id);
      const from = paramOf.get(id);
      if (from === undefined || from >= k) return source;
      const isMask = this.fn.types[id] === 'bool';
      const saved = this.newRegister(isMask);
      this.transfer('move', saved, source, isMask);
      return saved;
    });
    // The blends below may change a param that `again` is.
    let condition = this.mask(again);
    if (paramOf.has(again)) {
      const saved = this.newRegister(true);
      this.emit('bmove', saved, condition);
      condition = saved;
    }
    sources.forEach((source, k) => this.transfer('blend', params[k], source, this.fn.types[node.params[k]] === 'bool'));
    this.emit('endloop', condition, integer(Math.min(Math.max(node.fuel, 1), MAX_INT32)), integer(node.line));
    node.results.forEach((id, k) => (this.operandOf[id] = params[k]));
  }

  private copy(how: 'move' | 'blend', target: MachineOperand & { kind: 'register' }, id: ValueId): void {
    this.transfer(how, target, this.value(id), this.fn.types[id] === 'bool');
  }

  private transfer(
    how: 'move' | 'blend',
    target: MachineOperand & { kind: 'register' },
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

  private splat(value: number): MachineOperand {
    const register = this.newRegister(false);
    this.emit('move', register, { kind: 'constant', value });
    return register;
  }

  private fill(value: number): MachineOperand {
    const register = this.newRegister(true);
    this.emit('bfill', register, integer(value));
    return register;
  }

  private define(id: ValueId): MachineOperand & { kind: 'register' } {
    const preferred = this.preferred[id];
    const operand: MachineOperand & { kind: 'register' } =
      preferred === undefined
        ? this.newRegister(this.fn.types[id] === 'bool')
        : { kind: 'register', register: preferred };
    this.operandOf[id] = operand;
    return operand;
  }

  private newRegister(isMask: boolean): MachineOperand & { kind: 'register' } {
    this.isMask.push(isMask);
    return { kind: 'register', register: this.isMask.length - 1 };
  }

  private emit(opcode: Opcode, ...operands: MachineOperand[]): void {
    this.instructions.push({ opcode, operands });
  }
}

const integer = (value: number): MachineOperand => ({ kind: 'integer', value });

function definesHere(region: Region, id: ValueId): boolean {
  return region.body.some((node) =>
    node.kind === 'op' ? node.result === id : node.kind === 'if' && node.results.includes(id),
  );
}
