/**
 * Verified IR to statements of a language with the syntax of C. What JavaScript and CUDA have in common is here: names
 * of values, control flow, cuts into several functions. A language says how it declares, names a number and computes.
 * Nothing of the user's source reaches the text: only value numbers, operations of the op table and numbers.
 *
 * Value `id` is the variable `v<id>` of the function that defines it. Constants stand for themselves everywhere. What
 * another function uses is kept, at every assignment, where `kept` says.
 */
import type { IrType, PrimitiveOpName } from '../ir/ops.js';
import { isMathOp, type MathOpName } from '../ir/ops.js';
import type { ForNode, IfNode, IndexForm, Instruction, IrFunction, LoopNode, Region, ValueId } from '../ir/types.js';
import { LaneStatus } from '../ir/types.js';
import { walk } from '../ir/walk.js';
import { splitProgram, type Split, type Step } from './split.js';

export type PrimitiveInstruction = Instruction & { readonly op: PrimitiveOpName };
export type MathInstruction = Instruction & { readonly op: MathOpName };

export abstract class StatementWriter {
  protected readonly split: Split;
  /** By value id. */
  protected readonly producers: (Instruction | undefined)[] = [];
  /** Values that other functions than their own read from memory, numbered from 0. */
  protected readonly slots: ReadonlyMap<ValueId, number>;
  private readonly constants = new Map<ValueId, string>();
  /** Number of the function that is written. */
  private current = 0;

  /** `functionSize`: nodes per function, roughly. */
  constructor(
    protected readonly fn: IrFunction,
    functionSize: number,
  ) {
    this.split = splitProgram(fn, functionSize);
    walk(fn.body, (node) => {
      if (node.kind === 'op' && node.result >= 0) this.producers[node.result] = node;
    });
    const kept = [...this.split.shared].filter((id) => !isLeaf(this.producers[id]));
    this.slots = new Map(kept.sort((a, b) => a - b).map((id, slot) => [id, slot]));
  }

  /** How the declaration of a value begins: one that is set once, and one that changes. */
  protected abstract constant(type: IrType): string;
  protected abstract variable(type: IrType): string;
  /** The declaration of what counts from 1 to `most`. */
  protected abstract counter(most: number): string;
  protected abstract literal(value: number): string;
  protected abstract coordinate(index: number): string;
  protected abstract form(form: IndexForm): string;
  /** An index form as a number. */
  protected abstract ordinal(form: IndexForm): string;
  protected abstract element(node: Instruction): string;
  protected abstract primitive(node: PrimitiveInstruction, args: readonly string[]): string;
  /** A call of the mathematics library: statements before it, and the expression that has its result. */
  protected abstract math(
    node: MathInstruction,
    args: readonly string[],
  ): { readonly before: readonly string[]; readonly result: string };
  /** What ends the lane. */
  protected abstract flag(status: LaneStatus, line: number): string;
  protected abstract callPiece(piece: number): string;
  /** The value where it is kept, to be read; and the statement that keeps it. */
  protected abstract kept(id: ValueId): string;
  protected abstract keep(id: ValueId, value: string): string;
  /** A truth value that is known. */
  protected truth(value: boolean): string {
    return String(value);
  }
  /** Whether an operand holds: statements that must come before, and the condition, an operand. */
  protected decision(truth: string): { readonly before: readonly string[]; readonly holds: string } {
    return { before: [], holds: truth };
  }
  /** Whether a check fires. */
  protected fires(truth: string): string {
    return truth;
  }
  /** Stands before each loop. */
  protected loopPrefix(): string[] {
    return [];
  }

  /** A value as an operand of any operator. */
  protected value(id: ValueId): string {
    const constant = this.constants.get(id);
    if (constant !== undefined) return constant;
    const producer = this.producers[id];
    if (producer?.op === 'const' || producer?.op === 'bconst') {
      const text = producer.op === 'const' ? this.literal(producer.imm) : this.truth(producer.imm !== 0);
      this.constants.set(id, text);
      return text;
    }
    if (this.split.homeOf(id) === this.current) return `v${id}`;
    return producer?.op === 'x' ? this.coordinate(producer.imm) : this.kept(id);
  }

  /** Statements of the main function. */
  protected main(): string[] {
    this.current = 0;
    return this.steps(this.split.steps(this.fn.body));
  }

  /** Statements of each piece, by its number less 1. */
  protected pieces(): string[][] {
    return this.split.pieces.map((piece) => {
      this.current = piece.fn;
      return this.steps(piece.body);
    });
  }

  protected get isMain(): boolean {
    return this.current === 0;
  }

  private steps(steps: readonly Step[]): string[] {
    return steps.flatMap((step) => {
      switch (step.kind) {
        case 'op':
          return this.instruction(step);
        case 'if':
          return this.ifNode(step);
        case 'loop':
          return this.loopNode(step);
        case 'for':
          return this.forNode(step);
        case 'piece':
          return [this.callPiece(step.fn)];
      }
    });
  }

  private region(region: Region): string[] {
    return this.steps(this.split.steps(region));
  }

  private instruction(node: Instruction): string[] {
    const { op } = node;
    const args = node.args.map((id) => this.value(id));
    switch (op) {
      case 'const':
      case 'bconst':
        return [];
      case 'x':
        return this.define(node.result, this.coordinate(node.imm));
      case 'load':
        return this.define(node.result, this.element(node));
      case 'store':
        return [`${this.element(node)} = ${args[0]};`];
      case 'ordinal':
        return this.define(node.result, this.ordinal(node.at!));
      case 'check':
        return [`if (${this.fires(args[0])}) ${this.flag(node.imm as LaneStatus, node.line)}`];
      default: {
        if (!isMathOp(op)) return this.define(node.result, this.primitive({ ...node, op }, args));
        const { before, result } = this.math({ ...node, op }, args);
        return [...before, ...this.define(node.result, result)];
      }
    }
  }

  private define(id: ValueId, expression: string): string[] {
    return [`${this.constant(this.fn.types[id])} v${id} = ${expression};`, ...this.keepAll([id])];
  }

  private declare(id: ValueId, initial?: string): string {
    return `${this.variable(this.fn.types[id])} v${id}${initial === undefined ? '' : ` = ${initial}`};`;
  }

  private keepAll(ids: readonly ValueId[]): string[] {
    return ids.filter((id) => this.slots.has(id)).map((id) => this.keep(id, `v${id}`));
  }

  private ifNode(node: IfNode): string[] {
    const side = (region: Region) => [
      ...this.region(region),
      ...node.results.map((id, k) => `v${id} = ${this.value(region.yields[k])};`),
    ];
    const { before, holds } = this.decision(this.value(node.condition));
    return [
      ...node.results.map((id) => this.declare(id)),
      ...before,
      `if (${holds}) {`,
      ...side(node.then),
      '} else {',
      ...side(node.otherwise),
      '}',
      ...this.keepAll(node.results),
    ];
  }

  private forNode(node: ForNode): string[] {
    const { index } = node;
    return [
      ...this.start(node),
      ...this.loopPrefix(),
      `for (${this.variable('index')} v${index} = 0, c${index} = ${this.form(node.count)}; v${index} < c${index}; v${index}++) {`,
      ...this.keepAll([index]),
      ...this.region(node.body),
      ...this.next(node, node.body.yields),
      '}',
      ...this.results(node),
    ];
  }

  private loopNode(node: LoopNode): string[] {
    const [again, ...next] = node.body.yields;
    const { before, holds } = this.decision('again');
    return [
      ...this.start(node),
      ...this.loopPrefix(),
      `for (${this.counter(node.fuel)} done = 1; ; done++) {`,
      ...this.region(node.body),
      // It may be one of the params, which change.
      `${this.constant('bool')} again = ${this.value(again)};`,
      ...this.next(node, next),
      ...before,
      `if (!${holds}) break;`,
      `if (done >= ${node.fuel}) ${this.flag(LaneStatus.FuelExhausted, node.line)}`,
      '}',
      ...this.results(node),
    ];
  }

  private start(node: ForNode | LoopNode): string[] {
    return [...node.params.map((id, k) => this.declare(id, this.value(node.initial[k]))), ...this.keepAll(node.params)];
  }

  /** A param may be another's next value: all are read before any changes. */
  private next({ params }: ForNode | LoopNode, next: readonly ValueId[]): string[] {
    return [
      ...params.map((id, k) => `${this.constant(this.fn.types[id])} n${id} = ${this.value(next[k])};`),
      ...params.map((id) => `v${id} = n${id};`),
      ...this.keepAll(params),
    ];
  }

  private results(node: ForNode | LoopNode): string[] {
    return node.results.flatMap((id, k) => this.define(id, `v${node.params[k]}`));
  }
}

/** Whether every function can have it without being told. */
const isLeaf = (producer: Instruction | undefined): boolean =>
  producer?.op === 'const' || producer?.op === 'bconst' || producer?.op === 'x';

export const lines = (...text: readonly string[]): string => text.join('\n');
