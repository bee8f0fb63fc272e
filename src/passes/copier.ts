/**
 * Builds the nodes of a function once more, in another builder; what is derived from it does some of them otherwise.
 */
import type { ArrayId, IrBuilder } from '../ir/builder.js';
import { mapForm } from '../ir/index-form.js';
import { isAngleOp } from '../ir/ops.js';
import type {
  ForNode,
  IfNode,
  IndexForm,
  Instruction,
  IrFunction,
  IrNode,
  LaneStatus,
  LoopNode,
  Region,
  ValueId,
} from '../ir/types.js';

export class Copier {
  /** By old number. */
  private readonly values: ValueId[] = [];
  private readonly arrays: ArrayId[] = [];

  constructor(
    protected readonly b: IrBuilder,
    protected readonly fn: IrFunction,
  ) {}

  /** The new value that stands for `old` at this place. */
  of(old: ValueId): ValueId {
    const value = this.values[old];
    if (value === undefined) throw new Error(`v${old} has not been built`);
    return value;
  }

  define(old: readonly ValueId[], values: readonly ValueId[]): void {
    old.forEach((id, k) => (this.values[id] = values[k]));
  }

  arrayOf(old: number): ArrayId {
    const array = this.fn.arrays[old];
    switch (array.kind) {
      case 'candidate':
        return this.b.candidate();
      case 'table':
        return (this.arrays[old] ??= this.b.table(array.values));
      case 'local':
        return (this.arrays[old] ??= this.b.localArray(array.length));
    }
  }

  form(at: IndexForm): IndexForm {
    return mapForm(at, (index) => this.of(index));
  }

  nodes(region: Region): void {
    for (const node of region.body) this.node(node);
  }

  protected node(node: IrNode): void {
    if (node.kind === 'op') this.instruction(node);
    else if (node.kind === 'if') this.branches(node);
    else if (node.kind === 'for') this.counted(node);
    else this.loop(node);
  }

  protected instruction(node: Instruction): void {
    const { b } = this;
    const args = node.args.map((id) => this.of(id));
    if (node.op === 'check') return b.check(args[0], node.imm as LaneStatus, node.line);
    if (node.op === 'store') return b.store(this.arrayOf(node.imm), this.form(node.at!), args[0]);
    this.values[node.result] = this.pure(node, args);
  }

  private pure(node: Instruction, args: readonly ValueId[]): ValueId {
    const { b } = this;
    switch (node.op) {
      case 'const':
        return b.const(node.imm);
      case 'bconst':
        return b.bool(node.imm === 1);
      case 'x':
        return b.x(node.imm);
      case 'load':
        return b.load(this.arrayOf(node.imm), this.form(node.at!));
      case 'ordinal':
        return b.ordinal(this.form(node.at!));
      case 'store':
      case 'check':
        throw new Error(`${node.op} has no result`);
      default:
        if (isAngleOp(node.op) && node.imm === 1) b.knowQuick(args[0]);
        return b.op(node.op, ...args);
    }
  }

  protected branches(node: IfNode): void {
    const region = (part: Region) => (): readonly ValueId[] => {
      this.nodes(part);
      return part.yields.map((id) => this.of(id));
    };
    this.define(node.results, this.b.if(this.of(node.condition), region(node.then), region(node.otherwise)));
  }

  protected counted(node: ForNode): void {
    const initial = node.initial.map((id) => this.of(id));
    const results = this.b.for(this.form(node.count), initial, (index, params) => {
      this.define([node.index, ...node.params], [index, ...params]);
      this.nodes(node.body);
      return node.body.yields.map((id) => this.of(id));
    });
    this.define(node.results, results);
  }

  protected loop(node: LoopNode): void {
    const initial = node.initial.map((id) => this.of(id));
    const results = this.b.loop(initial, node.fuel, node.line, (params) => {
      this.define(node.params, params);
      this.nodes(node.body);
      return node.body.yields.map((id) => this.of(id));
    });
    this.define(node.results, results);
  }
}
