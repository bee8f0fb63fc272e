/**
 * Lanes as the text of functions that gpu.js translates: a value of `Lanes` is the name of a variable, which is one
 * lane's. Truth values are the numbers 0 and 1, because gpu.js's languages do not agree on others.
 */
import type { BinaryName, LaneFunction, Lanes, Num, UnaryName } from '../single-precision/lanes.js';
import { INFINITY, ownName } from './own-functions.js';

/** Functions of a mode: those that it lacks, also ours, and those of which ours are taken. */
export interface ModeFunctions {
  readonly missing: ReadonlySet<string>;
  readonly own: ReadonlySet<string>;
}

export const ALL_THERE: ModeFunctions = { missing: new Set(), own: new Set(['erf']) };

const BINARY: Readonly<Record<BinaryName, string>> = { add: '+', sub: '-', mul: '*', div: '/' };

interface Statement {
  readonly name: string;
  readonly expression: string;
  readonly uses: readonly string[];
}

export class TextLanes implements Lanes<string> {
  private readonly statements: Statement[] = [];

  constructor(private readonly functions: ModeFunctions) {}

  unary(op: UnaryName, a: string): string {
    const { missing, own } = this.functions;
    if (missing.has(op)) throw new RangeError(`this mode of gpu.js has no \`${op}\` that is near enough`);
    if (op === 'neg') return this.define(`-${a}`, a);
    return this.define(own.has(op) ? `${ownName(op as LaneFunction)}(${a}, ${INFINITY})` : `Math.${op}(${a})`, a);
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
