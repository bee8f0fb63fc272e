/**
 * Verified IR to JavaScript text. Nothing of the user's source reaches the text: only value numbers, operations of the
 * op table and numbers.
 *
 * Generated functions call what `library.ts` provides. A lane function is `(X, o, F) => number`: the candidate is
 * `X[o]` and what follows, one number every `stride`; a check that fires writes status and line to `F[0]`, `F[1]` and
 * returns at once. Its property `outputs` is the program's output array.
 */
import type { PrimitiveOpName } from '../../ir/ops.js';
import { libraryName } from '../../ir/math/index.js';
import type { IndexForm, Instruction, IrArray, IrFunction, ValueId } from '../../ir/types.js';
import { outputArrayOf, type LaneStatus } from '../../ir/types.js';
import { lines, StatementWriter, type MathInstruction, type PrimitiveInstruction } from '../statement-writer.js';

/**
 * Nodes per generated function. V8 does not optimise functions beyond 60 KB of bytecode, some 5,000 statements, and is
 * slow well before; longer programs become several functions that hand values on in an array.
 */
const NODES_PER_FUNCTION = 1200;

/** Statements that define `lane`, for candidates whose numbers lie `stride` apart. */
export const generateLane = (fn: IrFunction, stride: number): string =>
  new LaneWriter(fn, NODES_PER_FUNCTION, stride).lane();

/**
 * Statements that define `name`, a function of the mathematics library: arguments in `T[0]`, `T[1]`, result in `T[0]`.
 */
export const generateMathFunction = (name: string, fn: IrFunction): string =>
  new MathFunctionWriter(fn, Infinity).function(name);

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

class LaneWriter extends StatementWriter {
  constructor(
    fn: IrFunction,
    nodesPerFunction: number,
    private readonly stride = 1,
  ) {
    super(fn, nodesPerFunction);
  }

  lane(): string {
    const { fn } = this;
    const { pieces } = this.split;
    const output = outputArrayOf(fn);
    return lines(
      ...arrayDefinitions(fn),
      ...(pieces.length === 0 ? [] : [`const R = new Float64Array(${this.slots.size});`]),
      ...this.pieces().map((statements, k) =>
        lines(`function part${k + 1}(X, o, F) {`, ...statements, 'return false;', '}'),
      ),
      'function lane(X, o, F) {',
      ...this.main(),
      `return ${this.value(fn.body.yields[0])};`,
      '}',
      ...(output === null ? [] : [`lane.outputs = A${output.array};`]),
    );
  }

  protected override constant(): string {
    return 'const';
  }

  protected override variable(): string {
    return 'let';
  }

  protected override counter(): string {
    return 'let';
  }

  protected override literal(value: number): string {
    return literal(value);
  }

  protected override coordinate(index: number): string {
    return `X[o + ${this.stride * index}]`;
  }

  protected override form(at: IndexForm): string {
    return form(at, (index) => this.value(index));
  }

  protected override ordinal(at: IndexForm): string {
    return this.form(at);
  }

  protected override element({ imm, at }: Instruction): string {
    if (this.fn.arrays[imm].kind !== 'candidate') return `A${imm}[${this.form(at!)}]`;
    return `X[o + ${this.form(scaled(at!, this.stride))}]`;
  }

  protected override primitive(node: PrimitiveInstruction, [a, b, c]: readonly string[]): string {
    return this.signFlip(node) ?? EXPRESSIONS[node.op](a, b, c);
  }

  protected override math(node: MathInstruction, args: readonly string[]): { before: string[]; result: string } {
    return { before: [...args.map((arg, k) => `T[${k}] = ${arg};`), `${libraryName(node)}();`], result: 'T[0]' };
  }

  protected override flag(status: LaneStatus, line: number): string {
    return `{ F[0] = ${status}; F[1] = ${line}; return ${this.isMain ? 'NaN' : 'true'}; }`;
  }

  protected override callPiece(piece: number): string {
    return `if (part${piece}(X, o, F)) return NaN;`;
  }

  protected override kept(id: ValueId): string {
    const slot = `R[${this.slots.get(id)}]`;
    return this.fn.types[id] === 'bool' ? `(${slot} !== 0)` : slot;
  }

  protected override keep(id: ValueId, value: string): string {
    return `R[${this.slots.get(id)}] = ${this.fn.types[id] === 'bool' ? `${value} ? 1 : 0` : value};`;
  }

  /**
   * `c ? -a : a` by a product. The sign of a sine or cosine is a coin toss that no branch prediction gets right:
   * Rastrigin runs 1.2 to 1.5 times as fast.
   */
  private signFlip({ op, args }: Instruction): string | undefined {
    if (op !== 'select') return undefined;
    const [condition, then, otherwise] = args;
    const negated = (id: ValueId) => (this.producers[id]?.op === 'neg' ? this.producers[id].args[0] : undefined);
    const sign = `2 * (${this.value(condition)} | 0)`;
    if (negated(then) === otherwise) return `${this.value(otherwise)} * (1 - ${sign})`;
    if (negated(otherwise) === then) return `${this.value(then)} * (${sign} - 1)`;
    return undefined;
  }
}

class MathFunctionWriter extends LaneWriter {
  function(name: string): string {
    return lines(`function ${name}() {`, ...this.main(), `T[0] = ${this.value(this.fn.body.yields[0])};`, '}');
  }

  protected override coordinate(index: number): string {
    return `T[${index}]`;
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

function form({ offset, terms }: IndexForm, name: (index: ValueId) => string): string {
  const parts = terms.map(({ index, scale }) => (scale === 1 ? name(index) : `${scale} * ${name(index)}`));
  // -1 * 0 is -0, which is no whole number; adding 0 makes it one.
  const isPlain = offset === 0 && terms.length > 0 && terms.every(({ scale }) => scale > 0);
  return [...parts, ...(isPlain ? [] : [String(offset)])].join(' + ');
}

const scaled = ({ offset, terms }: IndexForm, factor: number): IndexForm => ({
  offset: factor * offset,
  terms: terms.map(({ index, scale }) => ({ index, scale: factor * scale })),
});

/** A number as an operand of any operator. */
function literal(value: number): string {
  if (Object.is(value, -0)) return '(-0)';
  return value < 0 ? `(${value})` : String(value);
}
