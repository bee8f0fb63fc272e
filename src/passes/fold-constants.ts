/**
 * Folds what is known at compile time: operations on constants (with the interpreter's own arithmetic, so that bits
 * stay equal), identities that hold for NaN, infinities and signed zeros alike, regions whose condition is known, and
 * conditions that an enclosing `if` or an earlier `check` has settled. Constants are gathered, each once, at the start
 * of the function. What it leaves unused is for `eliminateDeadCode`.
 *
 * NaN: payload and sign are unspecified in the IR, so `a * 1 -> a` is exact also there.
 */
import { evaluateOp } from '../ir/interpreter.js';
import type { OpName } from '../ir/ops.js';
import { OPS } from '../ir/ops.js';
import { evaluateForm, mapForm } from '../ir/index-form.js';
import type { ForNode, IfNode, Instruction, IrFunction, IrNode, LoopNode, Region, ValueId } from '../ir/types.js';
import type { IrType } from '../ir/ops.js';

/** Cost: O(nodes). */
export function foldConstants(fn: IrFunction): IrFunction {
  return new Folder(fn).run();
}

class Folder {
  private readonly types: IrType[] = [];
  /** Old id to new id. */
  private readonly renamed: Int32Array;
  /** By new id: the defining operation, and the constant (a bool as 0 or 1). */
  private readonly definitions: (Instruction | undefined)[] = [];
  private readonly known: (number | undefined)[] = [];
  private readonly constantNodes: Instruction[] = [];
  private readonly numbers = new Map<number, ValueId>();
  private negativeZero: ValueId | undefined;
  private readonly truths: [ValueId | undefined, ValueId | undefined] = [undefined, undefined];
  /** New ids of conditions that are settled at the current place. */
  private readonly facts = new Map<ValueId, boolean>();
  private factOrder: ValueId[] = [];

  constructor(private readonly fn: IrFunction) {
    this.renamed = new Int32Array(fn.types.length);
  }

  run(): IrFunction {
    const { name, dimension, arrays } = this.fn;
    const body = this.region(this.fn.body);
    return {
      name,
      dimension,
      body: { body: [...this.constantNodes, ...body.body], yields: body.yields },
      types: this.types,
      arrays,
    };
  }

  private region(region: Region, fact?: { condition: ValueId; holds: boolean }): Region {
    const depth = this.factOrder.length;
    if (fact !== undefined) this.learn(fact.condition, fact.holds);
    const body: IrNode[] = [];
    for (const node of region.body) this.node(node, body);
    const yields = region.yields.map((id) => this.use(id));
    while (this.factOrder.length > depth) this.facts.delete(this.factOrder.pop() as ValueId);
    return { body, yields };
  }

  private node(node: IrNode, out: IrNode[]): void {
    if (node.kind === 'op') this.instruction(node, out);
    else if (node.kind === 'if') this.ifNode(node, out);
    else if (node.kind === 'for') this.forNode(node, out);
    else this.loopNode(node, out);
  }

  private instruction(node: Instruction, out: IrNode[]): void {
    const { op } = node;
    if (op === 'const') {
      this.renamed[node.result] = this.number(node.imm);
      return;
    }
    if (op === 'bconst') {
      this.renamed[node.result] = this.truth(node.imm !== 0);
      return;
    }
    const args = node.args.map((id) => this.use(id));
    if (op === 'check') {
      if (this.known[args[0]] === 0) return;
      out.push({ ...node, args });
      this.learn(args[0], false);
      return;
    }
    if (op === 'store') {
      out.push({ ...node, args, at: mapForm(node.at!, this.rename) });
      return;
    }
    const isLeaf = op === 'x' || op === 'load' || op === 'ordinal';
    this.renamed[node.result] = isLeaf ? this.emit(op, args, node, out) : this.operation(op, args, node, out);
  }

  private operation(op: ComputingOp, args: ValueId[], node: Instruction, out: IrNode[]): ValueId {
    const folded = this.fold(op, args);
    if (folded !== undefined) return folded;
    const [a, b, c] = args;
    const other = this.identity(op, a, b, c);
    if (other === undefined) return this.emit(op, args, node, out);
    if (typeof other === 'number') return other;
    const rewritten = other.args.map((id) => this.settled(id));
    return this.operation(other.op, rewritten, node, out);
  }

  private emit(op: OpName, args: readonly ValueId[], node: Instruction, out: IrNode[]): ValueId {
    const result = this.value(OPS[op].result === 'bool' ? 'bool' : 'f64');
    const at = node.at === undefined ? {} : { at: mapForm(node.at, this.rename) };
    const instruction: Instruction = { kind: 'op', op, args, result, imm: node.imm, ...at, line: node.line };
    this.definitions[result] = instruction;
    out.push(instruction);
    return result;
  }

  private fold(op: ComputingOp, args: readonly ValueId[]): ValueId | undefined {
    const values: number[] = [];
    for (const id of args) {
      const value = this.known[id];
      if (value === undefined) return undefined;
      values.push(value);
    }
    // Unspecified results stay for run time, where a guard discards them.
    if (op === 'scale' && !(Number.isInteger(values[1]) && values[1] >= -2044 && values[1] <= 2046)) return undefined;
    if (Number.isNaN(values[0]) && (op === 'mantissa' || op === 'high')) return undefined;
    const result = evaluateOp(op, values);
    return OPS[op].result === 'bool' ? this.truth(result !== 0) : this.number(result);
  }

  /** An equal value, or an equal and cheaper operation. */
  private identity(op: ComputingOp, a: ValueId, b: ValueId, c: ValueId): ValueId | Rewrite | undefined {
    const knownA = this.known[a];
    const knownB = this.known[b];
    switch (op) {
      case 'add': // a + -0 = a; a + 0 is not a for a = -0
        if (Object.is(knownB, -0)) return a;
        if (Object.is(knownA, -0)) return b;
        if (this.argumentOf('neg', b) !== undefined) return { op: 'sub', args: [a, this.argumentOf('neg', b)!] };
        if (this.argumentOf('neg', a) !== undefined) return { op: 'sub', args: [b, this.argumentOf('neg', a)!] };
        return undefined;
      case 'sub':
        if (Object.is(knownB, 0)) return a;
        if (this.argumentOf('neg', b) !== undefined) return { op: 'add', args: [a, this.argumentOf('neg', b)!] };
        return undefined;
      case 'mul':
        if (knownB === 1) return a;
        if (knownA === 1) return b;
        if (knownB === -1) return { op: 'neg', args: [a] };
        if (knownA === -1) return { op: 'neg', args: [b] };
        return undefined;
      case 'div':
        if (knownB === 1) return a;
        if (knownB === -1) return { op: 'neg', args: [a] };
        // The reciprocal of a power of two is exact, and so both round the same number.
        if (knownB !== undefined && isPowerOfTwo(knownB)) return { op: 'mul', args: [a, this.number(1 / knownB)] };
        return undefined;
      case 'neg':
        return this.argumentOf('neg', a);
      case 'abs':
        if (this.definitions[a]?.op === 'abs') return a;
        if (this.argumentOf('neg', a) !== undefined) return { op: 'abs', args: [this.argumentOf('neg', a)!] };
        return undefined;
      case 'floor':
      case 'ceil':
      case 'trunc':
      case 'rint':
        return isIntegral(this.definitions[a]?.op) ? a : undefined;
      case 'lt':
        return a === b ? this.truth(false) : undefined;
      case 'and':
        if (a === b || knownB === 1) return a;
        if (knownA === 1) return b;
        return knownA === 0 || knownB === 0 ? this.truth(false) : undefined;
      case 'or':
        if (a === b || knownB === 0) return a;
        if (knownA === 0) return b;
        return knownA === 1 || knownB === 1 ? this.truth(true) : undefined;
      case 'xor':
        if (a === b) return this.truth(false);
        if (knownA === 0) return b;
        if (knownB === 0) return a;
        if (knownA === 1) return { op: 'not', args: [b] };
        return knownB === 1 ? { op: 'not', args: [a] } : undefined;
      case 'not':
        return this.argumentOf('not', a);
      case 'select':
      case 'bselect':
        return this.selection(op, a, b, c);
      default:
        return undefined;
    }
  }

  private selection(op: 'select' | 'bselect', a: ValueId, b: ValueId, c: ValueId): ValueId | Rewrite | undefined {
    const knownA = this.known[a];
    if (knownA !== undefined) return knownA !== 0 ? b : c;
    if (b === c) return b;
    const inverse = this.argumentOf('not', a);
    if (inverse !== undefined) return { op, args: [inverse, c, b] };
    if (op === 'bselect') {
      if (this.known[b] === 1 && this.known[c] === 0) return a;
      if (this.known[b] === 0 && this.known[c] === 1) return { op: 'not', args: [a] };
    }
    return undefined;
  }

  private ifNode(node: IfNode, out: IrNode[]): void {
    const condition = this.use(node.condition);
    const known = this.known[condition];
    if (known !== undefined) {
      // The region runs always: it becomes part of the surrounding one, and so do the facts it learns.
      const region = known !== 0 ? node.then : node.otherwise;
      for (const inner of region.body) this.node(inner, out);
      node.results.forEach((id, k) => (this.renamed[id] = this.use(region.yields[k])));
      return;
    }
    const then = this.region(node.then, { condition, holds: true });
    const otherwise = this.region(node.otherwise, { condition, holds: false });
    const kept = node.results.map((_, k) => k).filter((k) => then.yields[k] !== otherwise.yields[k]);
    node.results.forEach((id, k) => {
      this.renamed[id] = kept.includes(k) ? this.value(this.fn.types[id]) : then.yields[k];
    });
    const pick = (ids: readonly ValueId[]): ValueId[] => kept.map((k) => ids[k]);
    out.push({
      kind: 'if',
      condition,
      then: { body: then.body, yields: pick(then.yields) },
      otherwise: { body: otherwise.body, yields: pick(otherwise.yields) },
      results: kept.map((k) => this.renamed[node.results[k]]),
    });
  }

  private loopNode(node: LoopNode, out: IrNode[]): void {
    // A param that its own body hands on unchanged is its initial value.
    const kept: number[] = [];
    node.params.forEach((id, k) => {
      if (node.body.yields[k + 1] === id) this.renamed[id] = this.renamed[node.results[k]] = this.use(node.initial[k]);
      else kept.push(k);
    });
    const initial = kept.map((k) => this.use(node.initial[k]));
    const params = kept.map((k) => (this.renamed[node.params[k]] = this.value(this.fn.types[node.params[k]])));
    const body = this.region(node.body);
    const results = kept.map((k) => (this.renamed[node.results[k]] = this.value(this.fn.types[node.results[k]])));
    const yields = [body.yields[0], ...kept.map((k) => body.yields[k + 1])];
    out.push({
      kind: 'loop',
      initial,
      params,
      body: { body: body.body, yields },
      results,
      fuel: node.fuel,
      line: node.line,
    });
  }

  private forNode(node: ForNode, out: IrNode[]): void {
    const kept: number[] = [];
    node.params.forEach((id, k) => {
      if (node.body.yields[k] === id) this.renamed[id] = this.renamed[node.results[k]] = this.use(node.initial[k]);
      else kept.push(k);
    });
    const initial = kept.map((k) => this.use(node.initial[k]));
    const count = mapForm(node.count, this.rename);
    if (count.terms.length === 0 && evaluateForm(count, []) < 1) {
      kept.forEach((k, j) => (this.renamed[node.results[k]] = initial[j]));
      return;
    }
    const index = (this.renamed[node.index] = this.value('index'));
    const params = kept.map((k) => (this.renamed[node.params[k]] = this.value(this.fn.types[node.params[k]])));
    const body = this.region(node.body);
    const results = kept.map((k) => (this.renamed[node.results[k]] = this.value(this.fn.types[node.results[k]])));
    out.push({
      kind: 'for',
      index,
      count,
      initial,
      params,
      body: { body: body.body, yields: kept.map((k) => body.yields[k]) },
      results,
    });
  }

  private readonly rename = (old: ValueId): ValueId => this.renamed[old];

  /** The new value for an old one, as a constant where its truth is settled. */
  private use(old: ValueId): ValueId {
    return this.settled(this.renamed[old]);
  }

  private settled(id: ValueId): ValueId {
    const fact = this.facts.get(id);
    return fact === undefined ? id : this.truth(fact);
  }

  /** `condition` has the truth `holds` from here to the end of the region. */
  private learn(condition: ValueId, holds: boolean): void {
    if (this.known[condition] !== undefined || this.facts.has(condition)) return;
    this.facts.set(condition, holds);
    this.factOrder.push(condition);
    const inverse = this.argumentOf('not', condition);
    if (inverse !== undefined) this.learn(inverse, !holds);
  }

  private argumentOf(op: 'neg' | 'not', id: ValueId): ValueId | undefined {
    const definition = this.definitions[id];
    return definition?.op === op ? definition.args[0] : undefined;
  }

  private number(value: number): ValueId {
    const existing = Object.is(value, -0) ? this.negativeZero : this.numbers.get(value);
    if (existing !== undefined) return existing;
    const id = this.constant('const', value, 'f64');
    if (Object.is(value, -0)) this.negativeZero = id;
    else this.numbers.set(value, id);
    return id;
  }

  private truth(value: boolean): ValueId {
    return (this.truths[value ? 1 : 0] ??= this.constant('bconst', value ? 1 : 0, 'bool'));
  }

  private constant(op: 'const' | 'bconst', imm: number, type: IrType): ValueId {
    const result = this.value(type);
    this.constantNodes.push({ kind: 'op', op, args: [], result, imm, line: 0 });
    this.known[result] = imm;
    return result;
  }

  private value(type: IrType): ValueId {
    this.types.push(type);
    return this.types.length - 1;
  }
}

/** Operations whose value depends on their arguments alone. */
type ComputingOp = Parameters<typeof evaluateOp>[0];

interface Rewrite {
  readonly op: ComputingOp;
  readonly args: ValueId[];
}

function isIntegral(op: OpName | undefined): boolean {
  return op === 'floor' || op === 'ceil' || op === 'trunc' || op === 'rint';
}

/** With a normal reciprocal. */
function isPowerOfTwo(value: number): boolean {
  const magnitude = Math.abs(value);
  return magnitude >= 2 ** -1022 && magnitude <= 2 ** 1022 && evaluateOp('mantissa', [magnitude]) === 1;
}
