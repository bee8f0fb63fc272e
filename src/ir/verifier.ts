/**
 * Checks every rule of `types.ts` and the op table. Backends take verified IR only; passes are verified in tests after
 * each step.
 */
import type { OpInfo } from './ops.js';
import { isAngleOp, OPS } from './ops.js';
import { formRange, type CountedIndex } from './index-form.js';
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
} from './types.js';
import type { IrType } from './ops.js';
import { LaneStatus } from './types.js';

const STATUS_CODES = new Set<number>(Object.values(LaneStatus));

/** One sentence per broken rule; empty when `fn` is valid. Never throws, whatever `fn` holds. Cost: O(nodes). */
export function verifyIr(fn: IrFunction): string[] {
  return new Verifier(fn).run();
}

class Verifier {
  private readonly problems: string[] = [];
  /** By value id: defined anywhere; and visible at the current place. */
  private readonly defined: boolean[] = [];
  private readonly visible: boolean[] = [];
  /** The `for`s around the current place, outermost first. */
  private readonly loops: CountedIndex[] = [];

  constructor(private readonly fn: IrFunction) {}

  run(): string[] {
    const { fn } = this;
    if (!isCount(fn.dimension)) this.report(`dimension ${fn.dimension} is not a whole number from 0`);
    fn.arrays.forEach((array, k) => {
      if (array.kind === 'local' && !isCount(array.length)) this.report(`array ${k} has the length ${array.length}`);
    });
    const outputs = fn.arrays.filter((array) => array.kind === 'local' && array.isOutput === true);
    if (outputs.length > 1) this.report(`there are ${outputs.length} output arrays`);
    this.region(fn.body, ['f64'], 'the function', []);
    fn.types.forEach((type, id) => {
      if (type !== 'f64' && type !== 'bool' && type !== 'index')
        this.report(`v${id} has the unknown type ${String(type)}`);
      if (!this.defined[id]) this.report(`v${id} is never defined`);
    });
    return this.problems;
  }

  /** `parameters` are defined at the region's start and vanish with it, as everything defined inside. */
  private region(
    region: Region,
    yields: readonly (IrType | undefined)[],
    owner: string,
    parameters: readonly ValueId[],
  ) {
    const here: ValueId[] = [];
    for (const id of parameters) this.define(id, owner, here);
    for (const node of region.body) this.node(node, here);
    if (region.yields.length !== yields.length) {
      this.report(`${owner} must yield ${yields.length} values, yields ${region.yields.length}`);
    }
    region.yields.forEach((id, k) => this.use(id, yields[k], `yield ${k} of ${owner}`));
    for (const id of here) this.visible[id] = false;
  }

  private node(node: IrNode, here: ValueId[]): void {
    switch (node.kind) {
      case 'op':
        return this.instruction(node, here);
      case 'if':
        return this.ifNode(node, here);
      case 'loop':
        return this.loopNode(node, here);
      case 'for':
        return this.forNode(node, here);
      default:
        this.report(`unknown node kind ${String((node as { kind: unknown }).kind)}`);
    }
  }

  private instruction(node: Instruction, here: ValueId[]): void {
    if (!Object.hasOwn(OPS, node.op)) {
      this.report(`unknown operation ${String(node.op)}`);
      if (node.result !== -1) this.define(node.result, String(node.op), here);
      return;
    }
    const info: OpInfo = OPS[node.op];
    if (node.args.length !== info.args.length) {
      this.report(`${node.op} takes ${info.args.length} arguments, has ${node.args.length}`);
    }
    node.args.forEach((id, k) => this.use(id, info.args[k], `argument ${k} of ${node.op}`));
    this.immediate(node);
    if (info.kind === 'memory' && node.at === undefined) this.report(`${node.op} has no index form`);
    if (node.at !== undefined) {
      if (info.kind === 'memory') this.form(node.at, `the index form of ${node.op}`);
      else this.report(`${node.op} takes no index form`);
    }
    if (!isCount(node.line)) this.report(`${node.op} has the line ${node.line}`);
    if (info.result === 'none') {
      if (node.result !== -1) this.report(`${node.op} has no result but defines v${node.result}`);
      return;
    }
    this.define(node.result, node.op, here);
    this.expectType(node.result, info.result, `the result of ${node.op}`);
  }

  private immediate(node: Instruction): void {
    const { op, imm } = node;
    if (typeof imm !== 'number') this.report(`${op} has an immediate that is no number`);
    else if (op === 'x') {
      if (!isCount(imm) || imm >= this.fn.dimension) {
        this.report(`x ${imm} lies outside the dimension ${this.fn.dimension}`);
      }
    } else if (op === 'bconst') {
      if (imm !== 0 && imm !== 1) this.report(`bconst must be 0 or 1, is ${imm}`);
    } else if (op === 'check') {
      if (!STATUS_CODES.has(imm) || imm === LaneStatus.Ok) this.report(`check has the unknown status ${imm}`);
    } else if (op === 'load' || op === 'store') this.element(node);
    else if (isAngleOp(op) || op === 'select') {
      if (imm !== 0 && imm !== 1) this.report(`${op} must have 0 or 1, has ${imm}`);
    } else if (op !== 'const' && imm !== 0) this.report(`${op} takes no immediate, has ${imm}`);
  }

  /** The array of a `load` or `store` exists, and the element lies in it. */
  private element({ op, imm, at }: Instruction): void {
    const array = this.fn.arrays.at(imm);
    if (!isCount(imm) || array === undefined) return this.report(`${op} has the unknown array ${imm}`);
    if (op === 'store' && array.kind !== 'local') this.report(`store writes to the read-only array ${imm}`);
    if (at === undefined) return;
    const length =
      array.kind === 'candidate' ? this.fn.dimension : array.kind === 'table' ? array.values.length : array.length;
    const { min, max } = formRange(at, this.loops);
    if (min < 0 || max >= length)
      this.report(`${op} reaches ${min} to ${max} of the ${length} elements of array ${imm}`);
  }

  private form({ offset, terms }: IndexForm, place: string): void {
    if (!Number.isSafeInteger(offset)) this.report(`${place} has the offset ${offset}`);
    const seen = new Set<ValueId>();
    for (const { index, scale } of terms) {
      if (!Number.isSafeInteger(scale) || scale === 0) this.report(`${place} has the scale ${scale}`);
      if (seen.has(index)) this.report(`${place} has two terms of v${index}`);
      seen.add(index);
      this.use(index, 'index', place);
    }
  }

  private ifNode(node: IfNode, here: ValueId[]): void {
    this.use(node.condition, 'bool', 'the condition of if');
    const types = node.results.map((id) => this.fn.types[id]);
    this.region(node.then, types, 'the then region', []);
    this.region(node.otherwise, types, 'the else region', []);
    for (const id of node.results) this.define(id, 'if', here);
  }

  private loopNode(node: LoopNode, here: ValueId[]): void {
    if (!isCount(node.fuel) || node.fuel < 1) this.report(`loop has the fuel ${node.fuel}, must be at least 1`);
    if (!isCount(node.line)) this.report(`loop has the line ${node.line}`);
    const types = this.carried(node, 'loop');
    this.region(node.body, ['bool', ...types], 'the loop body', node.params);
    for (const id of node.results) this.define(id, 'loop', here);
    node.results.forEach((id, k) => this.expectType(id, types[k], `result ${k} of loop`));
  }

  private forNode(node: ForNode, here: ValueId[]): void {
    this.form(node.count, 'the count of for');
    const types = this.carried(node, 'for');
    this.loops.push({ index: node.index, count: node.count });
    this.region(node.body, types, 'the body of for', [node.index, ...node.params]);
    this.loops.pop();
    this.expectType(node.index, 'index', 'the index of for');
    for (const id of node.results) this.define(id, 'for', here);
    node.results.forEach((id, k) => this.expectType(id, types[k], `result ${k} of for`));
  }

  /** Types of the params. */
  private carried(node: LoopNode | ForNode, kind: string): (IrType | undefined)[] {
    const count = node.params.length;
    if (node.initial.length !== count)
      this.report(`${kind} has ${count} params but ${node.initial.length} initial values`);
    if (node.results.length !== count) this.report(`${kind} has ${count} params but ${node.results.length} results`);
    const types = node.params.map((id) => this.fn.types[id] as IrType | undefined);
    if (types.includes('index')) this.report(`${kind} carries an index`);
    node.initial.forEach((id, k) => this.use(id, types[k], `initial value ${k} of ${kind}`));
    return types;
  }

  private define(id: ValueId, owner: string, here: ValueId[]): void {
    if (!isCount(id) || id >= this.fn.types.length) return this.report(`${owner} defines v${id}, which has no type`);
    if (this.defined[id]) return this.report(`v${id} is defined twice`);
    this.defined[id] = true;
    this.visible[id] = true;
    here.push(id);
  }

  private use(id: ValueId, type: IrType | undefined, place: string): void {
    if (!this.visible[id]) {
      this.report(`${place} uses v${id}, which is ${this.defined[id] ? 'not visible' : 'not defined'} there`);
    } else if (type !== undefined) this.expectType(id, type, place);
  }

  private expectType(id: ValueId, type: IrType | undefined, place: string): void {
    const found = this.fn.types[id];
    if (type !== undefined && found !== undefined && found !== type) {
      this.report(`${place} must be ${type}, v${id} is ${found}`);
    }
  }

  private report(problem: string): void {
    this.problems.push(problem);
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
