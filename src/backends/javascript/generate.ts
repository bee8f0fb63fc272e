/**
 * Verified IR to JavaScript text. Nothing of the user's source reaches the text: only value numbers, operations of the
 * op table and numbers.
 *
 * Generated functions call what `library.ts` provides. A lane function is `(X, o, F) => number`: the candidate is `X[o
 * ...]`; a check that fires writes status and line to `F[0]`, `F[1]` and returns at once. Its property `outputs` is the
 * program's output array.
 */
import type { OpName, PrimitiveOpName } from '../../ir/ops.js';
import { isMathOp } from '../../ir/ops.js';
import { libraryName } from '../../ir/math/index.js';
import type {
  ForNode,
  IfNode,
  IndexForm,
  Instruction,
  IrArray,
  IrFunction,
  IrNode,
  LoopNode,
  Region,
  ValueId,
} from '../../ir/types.js';
import { LaneStatus, outputArrayOf } from '../../ir/types.js';
import { regionsOf, usesOf } from '../../ir/walk.js';

/**
 * Nodes per generated function. V8 does not optimise functions beyond 60 KB of bytecode, some 5,000 statements, and is
 * slow well before; longer programs become several functions that hand values on in an array.
 */
const NODES_PER_FUNCTION = 1200;

/** Statements that define `lane`. */
export function generateLane(fn: IrFunction): string {
  const parts = splitBody(fn.body.body);
  const emitter = new Emitter(fn);
  if (parts.length === 1) {
    const result = fn.body.yields[0];
    return lines(
      ...arrayDefinitions(fn),
      'function lane(X, o, F) {',
      ...emitter.statements(fn.body.body, 'NaN'),
      `return ${emitter.value(result)};`,
      '}',
      ...outputs(fn),
    );
  }
  return lines(...arrayDefinitions(fn), emitter.inParts(parts, fn.body.yields[0]), ...outputs(fn));
}

function outputs(fn: IrFunction): string[] {
  const output = outputArrayOf(fn);
  return output === null ? [] : [`lane.outputs = A${output.array};`];
}

/**
 * Statements that define `name`, a function of the mathematics library: arguments in `T[0]`, `T[1]`, result in `T[0]`.
 */
export function generateMathFunction(name: string, fn: IrFunction): string {
  const emitter = new Emitter(fn, (index) => `T[${index}]`);
  return lines(
    `function ${name}() {`,
    ...emitter.statements(fn.body.body, ''),
    `T[0] = ${emitter.value(fn.body.yields[0])};`,
    '}',
  );
}

const EXPRESSIONS: Readonly<Record<PrimitiveOpName, (a: string, b: string, c: string) => string>> = {
  add: (a, b) => `${a} + ${b}`,
  sub: (a, b) => `${a} - ${b}`,
  mul: (a, b) => `${a} * ${b}`,
  div: (a, b) => `${a} / ${b}`,
  sqrt: (a) => `Math.sqrt(${a})`,
  neg: (a) => `-${a}`,
  abs: (a) => `Math.abs(${a})`,
  floor: (a) => `Math.floor(${a})`,
  ceil: (a) => `Math.ceil(${a})`,
  trunc: (a) => `Math.trunc(${a})`,
  rint: (a) => `rint(${a})`,
  lt: (a, b) => `${a} < ${b}`,
  le: (a, b) => `${a} <= ${b}`,
  eq: (a, b) => `${a} === ${b}`,
  ne: (a, b) => `${a} !== ${b}`,
  and: (a, b) => `${a} && ${b}`,
  or: (a, b) => `${a} || ${b}`,
  xor: (a, b) => `${a} !== ${b}`,
  not: (a) => `!${a}`,
  select: (a, b, c) => `${a} ? ${b} : ${c}`,
  bselect: (a, b, c) => `${a} ? ${b} : ${c}`,
  signbit: (a) => `${a} < 0 || (${a} === 0 && 1 / ${a} < 0)`,
  exponent: (a) => `exponent(${a})`,
  mantissa: (a) => `mantissa(${a})`,
  scale: (a, b) => `scale(${a}, ${b})`,
  high: (a) => `high(${a})`,
};

class Emitter {
  /** Text that stands for a value; by default its variable. */
  private readonly text = new Map<ValueId, string>();
  /** The value that a value is the negation of. */
  private readonly negationOf = new Map<ValueId, ValueId>();
  private onFlag = '';

  constructor(
    private readonly fn: IrFunction,
    private readonly coordinate: (index: number) => string = (index) => `X[o + ${index}]`,
  ) {}

  value(id: ValueId): string {
    return this.text.get(id) ?? `v${id}`;
  }

  /** `onFlag`: what a lane function returns after a check fired. */
  statements(body: readonly IrNode[], onFlag: string): string[] {
    this.onFlag = onFlag;
    return this.body(body);
  }

  /** One function per part and `lane`, which calls them; values that later parts use go through the array `R`. */
  inParts(parts: readonly (readonly IrNode[])[], result: ValueId): string {
    const slots = handedOn(parts, result);
    const functions = parts.map((part, index) => {
      const defined = new Set(part.flatMap(definitions));
      const used = new Set(part.flatMap(uses));
      const fetch = [...slots].filter(([id]) => used.has(id) && !defined.has(id));
      const keep = [...slots].filter(([id]) => defined.has(id));
      return lines(
        `function part${index}(X, o, F) {`,
        ...fetch.map(([id, slot]) => `const v${id} = R[${slot}]${this.isBool(id) ? ' !== 0' : ''};`),
        ...this.statements(part, 'true'),
        ...keep.map(([id, slot]) => `R[${slot}] = ${this.isBool(id) ? `${this.value(id)} ? 1 : 0` : this.value(id)};`),
        'return false;',
        '}',
      );
    });
    const calls = parts.map((_, index) => `part${index}(X, o, F)`).join(' || ');
    const value = slots.has(result) ? `R[${slots.get(result)}]` : this.value(result);
    return lines(
      `const R = new Float64Array(${slots.size});`,
      ...functions,
      `function lane(X, o, F) { return ${calls} ? NaN : ${value}; }`,
    );
  }

  private isBool(id: ValueId): boolean {
    return this.fn.types[id] === 'bool';
  }

  private body(body: readonly IrNode[]): string[] {
    return body.flatMap((node) => {
      switch (node.kind) {
        case 'op':
          return this.instruction(node);
        case 'if':
          return this.ifNode(node);
        case 'loop':
          return this.loopNode(node);
        case 'for':
          return this.forNode(node);
      }
    });
  }

  private instruction(node: Instruction): string[] {
    const { op, result } = node;
    const args = node.args.map((id) => this.value(id));
    switch (op) {
      case 'const':
        this.text.set(result, literal(node.imm));
        return [];
      case 'bconst':
        this.text.set(result, node.imm === 0 ? 'false' : 'true');
        return [];
      case 'x':
        return [`const v${result} = ${this.coordinate(node.imm)};`];
      case 'load':
        return [`const v${result} = ${this.element(node)};`];
      case 'store':
        return [`${this.element(node)} = ${args[0]};`];
      case 'ordinal':
        return [`const v${result} = ${form(node.at!)};`];
      case 'check':
        return [`if (${args[0]}) ${this.flag(node.imm, node.line)}`];
      default:
        if (isMathOp(op)) {
          return [
            ...args.map((arg, k) => `T[${k}] = ${arg};`),
            `${libraryName({ op, imm: node.imm })}();`,
            `const v${result} = T[0];`,
          ];
        }
        if (op === 'neg') this.negationOf.set(result, node.args[0]);
        return [`const v${result} = ${this.signFlip(node) ?? EXPRESSIONS[op](args[0], args[1], args[2])};`];
    }
  }

  /**
   * `c ? -a : a` by a product. The sign of a sine or cosine is a coin toss that no branch prediction gets right:
   * Rastrigin runs 1.2 to 1.5 times as fast.
   */
  private signFlip({ op, args }: Instruction): string | undefined {
    if (op !== 'select') return undefined;
    const [condition, then, otherwise] = args;
    const sign = `2 * (${this.value(condition)} | 0)`;
    if (this.negationOf.get(then) === otherwise) return `${this.value(otherwise)} * (1 - ${sign})`;
    if (this.negationOf.get(otherwise) === then) return `${this.value(then)} * (${sign} - 1)`;
    return undefined;
  }

  private flag(status: number, line: number): string {
    return `{ F[0] = ${status}; F[1] = ${line}; return ${this.onFlag}; }`;
  }

  private ifNode(node: IfNode): string[] {
    const side = (region: Region) => [
      ...this.body(region.body),
      ...node.results.map((id, k) => `v${id} = ${this.value(region.yields[k])};`),
    ];
    const declared = node.results.length === 0 ? [] : [`let ${node.results.map((id) => `v${id}`).join(', ')};`];
    return [
      ...declared,
      `if (${this.value(node.condition)}) {`,
      ...side(node.then),
      '} else {',
      ...side(node.otherwise),
      '}',
    ];
  }

  private element({ imm, at }: Instruction): string {
    const isCandidate = this.fn.arrays[imm].kind === 'candidate';
    return isCandidate ? `X[o + ${form(at!)}]` : `A${imm}[${form(at!)}]`;
  }

  private forNode(node: ForNode): string[] {
    const next = node.params.map((id) => `n${id}`);
    return [
      ...node.params.map((id, k) => `let v${id} = ${this.value(node.initial[k])};`),
      `for (let v${node.index} = 0, c${node.index} = ${form(node.count)}; v${node.index} < c${node.index}; v${node.index}++) {`,
      ...this.body(node.body.body),
      // A param may be another's next value: read all before any changes.
      ...next.map((name, k) => `const ${name} = ${this.value(node.body.yields[k])};`),
      ...node.params.map((id, k) => `v${id} = ${next[k]};`),
      '}',
      ...node.results.map((id, k) => `const v${id} = v${node.params[k]};`),
    ];
  }

  private loopNode(node: LoopNode): string[] {
    const [again, ...next] = node.body.yields;
    const start = node.params.map((id, k) => `let v${id} = ${this.value(node.initial[k])};`);
    const body = this.body(node.body.body);
    // A param may be another's next value, or say whether to go on: read all before any changes.
    const round = `n${node.params[0] ?? again}`;
    const read = [
      `const ${round}again = ${this.value(again)};`,
      ...next.map((id, k) => `const ${round}_${k} = ${this.value(id)};`),
    ];
    const write = node.params.map((id, k) => `v${id} = ${round}_${k};`);
    return [
      ...start,
      'for (let done = 1; ; done++) {',
      ...body,
      ...read,
      ...write,
      `if (!${round}again) break;`,
      `if (done >= ${literal(node.fuel)}) ${this.flag(LaneStatus.FuelExhausted, node.line)}`,
      '}',
      ...node.results.map((id, k) => `const v${id} = v${node.params[k]};`),
    ];
  }
}

/** Tables and the local arrays of the one lane that is evaluated at a time. */
function arrayDefinitions(fn: IrFunction): string[] {
  return fn.arrays.flatMap((array: IrArray, k) => {
    if (array.kind === 'table')
      return [`const A${k} = Float64Array.of(${Array.from(array.values, literal).join(', ')});`];
    return array.kind === 'local' ? [`const A${k} = new Float64Array(${array.length});`] : [];
  });
}

function form({ offset, terms }: IndexForm): string {
  const parts = terms.map(({ index, scale }) => (scale === 1 ? `v${index}` : `${scale} * v${index}`));
  // -1 * 0 is -0, which is no whole number; adding 0 makes it one.
  const isPlain = offset === 0 && terms.length > 0 && terms.every(({ scale }) => scale > 0);
  return [...parts, ...(isPlain ? [] : [String(offset)])].join(' + ');
}

/** A number as an operand of any operator. */
function literal(value: number): string {
  if (Object.is(value, -0)) return '(-0)';
  return value < 0 ? `(${value})` : String(value);
}

/** The outermost region in pieces of limited size. A single nested region is never cut. */
function splitBody(body: readonly IrNode[]): (readonly IrNode[])[] {
  const parts: IrNode[][] = [[]];
  let size = 0;
  for (const node of body) {
    const nodes = nodeCount(node);
    if (size > 0 && size + nodes > NODES_PER_FUNCTION) {
      parts.push([]);
      size = 0;
    }
    parts[parts.length - 1].push(node);
    size += nodes;
  }
  return parts;
}

function nodeCount(node: IrNode): number {
  let count = 1;
  for (const region of regionsOf(node)) for (const inner of region.body) count += nodeCount(inner);
  return count;
}

/** Values that become visible after `node`; constants stand for themselves everywhere. */
function definitions(node: IrNode): readonly ValueId[] {
  if (node.kind !== 'op') return node.results;
  return hasVariable(node.op) ? [node.result] : [];
}

const hasVariable = (op: OpName) => op !== 'const' && op !== 'bconst' && op !== 'check' && op !== 'store';

/** Every value that `node` reads, also the ones of its own regions. */
function uses(node: IrNode): ValueId[] {
  return [...usesOf(node), ...regionsOf(node).flatMap((region) => [...region.body.flatMap(uses), ...region.yields])];
}

/** Values that a later part than their own uses, and where in `R` they are kept. */
function handedOn(parts: readonly (readonly IrNode[])[], result: ValueId): Map<ValueId, number> {
  const partOf = new Map<ValueId, number>();
  parts.forEach((part, index) => part.flatMap(definitions).forEach((id) => partOf.set(id, index)));
  const slots = new Map<ValueId, number>();
  const hand = (id: ValueId) => {
    if (!slots.has(id)) slots.set(id, slots.size);
  };
  parts.forEach((part, index) => {
    for (const id of part.flatMap(uses)) {
      const from = partOf.get(id);
      if (from !== undefined && from < index) hand(id);
    }
  });
  if (partOf.has(result)) hand(result);
  return slots;
}

const lines = (...text: string[]) => text.join('\n');
