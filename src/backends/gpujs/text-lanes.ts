/**
 * Lanes as the text of functions that gpu.js translates: a value of `Lanes` is the name of a variable, which is one lane's.
 * Truth values are the numbers 0 and 1, because gpu.js's languages do not agree on others.
 */
import type { BinaryName, Lanes, Num, UnaryName } from '../single-precision/lanes.js';

/** The name of an infinite number, which no language of gpu.js has a literal for. Every function is given it. */
export const INFINITY = 'infinity';

/**
 * gpu.js has no `erf`: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 7.1.26, absolute error 1.5e-7.
 */
const ERF = `function erf(a) {
const x = Math.abs(a);
const t = 1 / (1 + 0.3275911 * x);
const p = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
const y = 1 - p * Math.exp(-(x * x));
return (a < 0 ? -y : y);
}`;

/** A function beside a kernel: numbers in, a number out. */
export interface TextFunction {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly source: string;
}

export const ERF_FUNCTION: TextFunction = { name: 'erf', parameters: ['a'], source: ERF };

const BINARY: Readonly<Record<BinaryName, string>> = { add: '+', sub: '-', mul: '*', div: '/' };

interface Statement {
  readonly name: string;
  readonly expression: string;
  readonly uses: readonly string[];
}

export class TextLanes implements Lanes<string> {
  private readonly statements: Statement[] = [];

  /** `missing`: functions that this place has not, or computes too coarsely. */
  constructor(private readonly missing: ReadonlySet<string>) {}

  unary(op: UnaryName, a: string): string {
    if (this.missing.has(op)) throw new RangeError(`this mode of gpu.js has no \`${op}\` that is near enough`);
    if (op === 'neg') return this.define(`-${a}`, a);
    return this.define(op === 'erf' ? `erf(${a})` : `Math.${op}(${a})`, a);
  }

  binary(op: BinaryName, a: Num<string>, b: Num<string>): string {
    const [x, y] = [this.operand(a), this.operand(b)];
    return this.define(`${x} ${BINARY[op]} ${y}`, x, y);
  }

  compare(op: 'gt' | 'ge', a: Num<string>, b: Num<string>): string {
    const [x, y] = [this.operand(a), this.operand(b)];
    return this.define(`(${x} ${op === 'gt' ? '>' : '>='} ${y} ? 1 : 0)`, x, y);
  }

  and(a: string, b: string): string {
    return this.define(`${a} * ${b}`, a, b);
  }

  not(a: string): string {
    return this.define(`1 - ${a}`, a);
  }

  isAnywhere(): boolean {
    throw new Error('text does not know its lanes');
  }

  select(condition: string, a: Num<string>, b: Num<string>): string {
    const [x, y] = [this.operand(a), this.operand(b)];
    return this.define(`(${condition} > 0.5 ? ${x} : ${y})`, condition, x, y);
  }

  coordinate(): never {
    throw new Error('text of one operation reads no candidate');
  }

  scope<T extends object>(body: () => T): T {
    return body();
  }

  /** Those of the statements so far that `results` need. */
  body(...results: readonly string[]): readonly string[] {
    const needed = new Set(results);
    const lines: string[] = [];
    for (const { name, expression, uses } of [...this.statements].reverse()) {
      if (!needed.has(name)) continue;
      lines.push(`const ${name} = ${expression};`);
      for (const each of uses) needed.add(each);
    }
    return lines.reverse();
  }

  /** As an operand of any operator: no sign before it, which some languages join with the operator. */
  private operand(a: Num<string>): string {
    if (typeof a === 'string') return a;
    const isPlain = a > 0 || Object.is(a, 0);
    return isPlain ? literal(a) : this.define(literal(a));
  }

  private define(expression: string, ...uses: readonly string[]): string {
    const name = `t${this.statements.length}`;
    this.statements.push({ name, expression, uses });
    return name;
  }
}

/** A number as the whole of an expression. */
export function literal(number: number): string {
  if (Number.isNaN(number)) return `${INFINITY} - ${INFINITY}`;
  if (Math.abs(number) === Infinity) return number > 0 ? INFINITY : `-${INFINITY}`;
  return Object.is(number, -0) ? '-0' : String(number);
}

/** The text of a function of `parameters` that returns `result`. */
export function textFunction(
  name: string,
  parameters: readonly string[],
  body: readonly string[],
  result: string,
): TextFunction {
  const source = [`function ${name}(${parameters.join(', ')}) {`, ...body, `return ${result};`, '}'].join('\n');
  return { name, parameters, source };
}
