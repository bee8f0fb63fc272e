/**
 * Device functions of kernels in single precision, with error bounds (`single-precision/`). A number is an `Enclosure`,
 * a truth value a `Truth`. Mathematics is ours, in arithmetic alone: with products that are never fused with sums every
 * compiler and device gives the same bits, those of a processor among them.
 */
import type { OpName } from '../../ir/ops.js';
import {
  Enclosures,
  SLACK,
  SMALLEST_NORMAL,
  TINY,
  type Enclosure,
  type Truth,
} from '../single-precision/enclosures.js';
import {
  LANE_FUNCTIONS,
  type BinaryName,
  type LaneFunction,
  type Num,
  type UnaryName,
} from '../single-precision/lanes.js';
import { Operations, type Value } from '../single-precision/operations.js';
import { ownFunction } from '../single-precision/own-functions.js';
import { TextLanes, type Dialect } from '../single-precision/text-lanes.js';
import { lines } from '../statement-writer.js';
import { floatLiteral, literal } from './literals.js';

/** What is known of an operand before the program runs. */
export type Operand = NumberOperand | 'truth';

export interface NumberOperand {
  /** A whole number in both precisions. */
  readonly whole: boolean;
  /** Its bound is 0. */
  readonly exact: boolean;
  /** The number itself, where the operation is written for it. */
  readonly number?: number;
}

/** An operation on operands of one form. */
interface Operation {
  readonly name: string;
  readonly text: string;
  /** What is known of its result, where that is a number. */
  readonly result: NumberOperand;
}

const inline = (head: string, ...body: readonly string[]): string =>
  `static __device__ __forceinline__ ${head} { ${body.join(' ')} }`;

export const SINGLE_TYPES: readonly string[] = [
  'struct Enclosure { float value; float error; };',
  'struct Truth { bool yes; bool no; };',
];

/** On a GPU, divisions and square roots are sequences of fused operations: see `device-functions.ts`. */
const ARITHMETIC: readonly string[] = [
  inline('float divide(float a, float b)', 'return a / b;'),
  inline('float square_root(float a)', 'return sqrtf(a);'),
];

/** As `singleOf` and `distanceOf` have them, up to a rounding of the bound. */
const ENCLOSE = inline(
  'Enclosure enclose(double a)',
  'const float single = (float)a;',
  `const float value = fabsf(single) < ${floatLiteral(SMALLEST_NORMAL)} ? ${floatLiteral(0)} : single;`,
  'const double distance = fabs(a - (double)value);',
  'const float bound = (float)distance;',
  `const float least = bound < ${floatLiteral(TINY)} ? ${floatLiteral(TINY)} : bound;`,
  `return Enclosure{value, distance == ${literal(0)} ? ${floatLiteral(0)} : least * ${floatLiteral(SLACK)}};`,
);

const BINARY: Readonly<Record<Exclude<BinaryName, 'div'>, string>> = { add: '+', sub: '-', mul: '*' };

/** CUDA C++. `missing`: functions that a device has not passed. */
class CudaDialect implements Dialect {
  readonly constant = 'const auto';

  constructor(private readonly missing: ReadonlySet<LaneFunction>) {}

  literal(number: number): string {
    return floatLiteral(number);
  }

  isOperand(): boolean {
    return true;
  }

  unary(op: UnaryName, a: string): string {
    switch (op) {
      case 'neg':
        return `-${a}`;
      case 'abs':
        return `fabsf(${a})`;
      case 'floor':
        return `floorf(${a})`;
      case 'sqrt':
        return `square_root(${a})`;
      default:
        if (this.missing.has(op)) throw new RangeError(`this GPU has no \`${op}\` that is near enough`);
        return `${ownName(op)}(${a})`;
    }
  }

  binary(op: BinaryName, a: string, b: string): string {
    return op === 'div' ? `divide(${a}, ${b})` : `${a} ${BINARY[op]} ${b}`;
  }

  compare(op: 'gt' | 'ge', a: string, b: string): string {
    return `${a} ${op === 'gt' ? '>' : '>='} ${b}`;
  }

  and(a: string, b: string): string {
    return `${a} && ${b}`;
  }

  not(a: string): string {
    return `!${a}`;
  }

  select(condition: string, a: string, b: string): string {
    return `${condition} ? ${a} : ${b}`;
  }
}

const ownName = (name: LaneFunction): string => `own_${name}`;

export const ALL_THERE: ReadonlySet<LaneFunction> = new Set();

export const cudaLanes = (missing: ReadonlySet<LaneFunction>): TextLanes => new TextLanes(new CudaDialect(missing));

/** The arithmetic that `text` calls, and our functions. */
export function arithmeticIn(text: readonly string[]): readonly string[] {
  const all = text.join('\n');
  const own = LANE_FUNCTIONS.filter((name) => all.includes(`${ownName(name)}(`)).map((name) => {
    const lanes = cudaLanes(ALL_THERE);
    const result = ownFunction(lanes, name, 'a');
    const head = `static __device__ float ${ownName(name)}(float a) {`;
    return lines(head, ...lanes.body(result), `return ${result};`, '}');
  });
  return [...ARITHMETIC, ...own];
}

export class SingleLibrary {
  private readonly operations = new Map<string, Operation>();
  private readonly called = new Set<Operation>();
  private readonly constants: Enclosures<string>;

  constructor(private readonly missing: ReadonlySet<LaneFunction>) {
    this.constants = new Enclosures(cudaLanes(missing));
  }

  constant(number: number): Enclosure<string> {
    return this.constants.constant(number);
  }

  /** The name of the device function. @throws {RangeError} for an operation that single precision has not. */
  call(op: OpName, operands: readonly Operand[], isTruth: boolean): string {
    const operation = this.operation(op, operands, isTruth);
    this.called.add(operation);
    return operation.name;
  }

  /** What is known of the result, a number. @throws {RangeError} for an operation that single precision has not. */
  resultOf(op: OpName, operands: readonly Operand[]): NumberOperand {
    return this.operation(op, operands, false).result;
  }

  text(): readonly string[] {
    const called = [...this.operations.values()].filter((each) => this.called.has(each)).map(({ text }) => text);
    return [...SINGLE_TYPES, ...arithmeticIn(called), ENCLOSE, ...called];
  }

  private operation(op: OpName, operands: readonly Operand[], isTruth: boolean): Operation {
    const key = `${op} ${operands.map(keyOf).join(' ')}`;
    let operation = this.operations.get(key);
    if (operation === undefined) {
      operation = this.written(`${op}_${this.operations.size}`, op, operands, isTruth);
      this.operations.set(key, operation);
    }
    return operation;
  }

  private written(name: string, op: OpName, operands: readonly Operand[], isTruth: boolean): Operation {
    const lanes = cudaLanes(this.missing);
    const operations = new Operations(new Enclosures(lanes));
    const symbols = operands.map(symbolOf);
    const found = isTruth ? operations.truth(op, symbols) : operations.number(op, symbols);
    const parts = partsOf(found);
    const type = isTruth ? 'Truth' : 'Enclosure';
    const parameters = operands.map((operand, k) => `${operand === 'truth' ? 'Truth' : 'Enclosure'} a${k}`);
    const text = lines(
      `static __device__ __forceinline__ ${type} ${name}(${parameters.join(', ')}) {`,
      ...lanes.body(...parts.filter((part) => typeof part === 'string')),
      `return ${type}{${parts.map(textOf).join(', ')}};`,
      '}',
    );
    return { name, text, result: 'yes' in found ? UNKNOWN : knownOf(found) };
  }
}

export const UNKNOWN: NumberOperand = { whole: false, exact: false };

export const knownOf = ({ error, whole }: Enclosure<string>): NumberOperand => ({ whole, exact: error === 0 });

/** A constant as the text of an `Enclosure`. */
export const enclosureText = (found: Enclosure<string>): string =>
  `Enclosure{${partsOf(found).map(textOf).join(', ')}}`;

type Part = Num<string> | boolean;

const partsOf = (found: Enclosure<string> | Truth<string>): readonly [Part, Part] =>
  'yes' in found ? [found.yes, found.no] : [found.value, found.error];

const textOf = (part: Part): string => (typeof part === 'number' ? floatLiteral(part) : String(part));

const keyOf = (operand: Operand): string =>
  operand === 'truth' ? 'truth' : `${operand.whole},${operand.exact},${operand.number ?? ''}`;

/** Operand `k` as a function of its operation sees it. */
function symbolOf(operand: Operand, k: number): Value<string> {
  if (operand === 'truth') return { yes: `a${k}.yes`, no: `a${k}.no` };
  const { whole, exact, number } = operand;
  return { value: number ?? `a${k}.value`, error: exact ? 0 : `a${k}.error`, whole };
}
