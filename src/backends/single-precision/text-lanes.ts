/**
 * Lanes as the text of a function in some language: a value of `Lanes` is the name of a variable, which is one lane's.
 */
import type { BinaryName, Lanes, Num, UnaryName } from './lanes.js';

/** How a language writes what `Lanes` can do. Operands are names, and numbers that may be operands. */
export interface Dialect {
  /** How the declaration of a variable begins that is set once. */
  readonly constant: string;
  /** A number as the whole of an expression. */
  literal(number: number): string;
  /** Whether its literal can be an operand of any operator. */
  isOperand(number: number): boolean;
  /** @throws {RangeError} for a function that the place has not. */
  unary(op: UnaryName, a: string): string;
  binary(op: BinaryName, a: string, b: string): string;
  compare(op: 'gt' | 'ge', a: string, b: string): string;
  and(a: string, b: string): string;
  not(a: string): string;
  select(condition: string, a: string, b: string): string;
}

interface Statement {
  readonly name: string;
  readonly expression: string;
  readonly uses: readonly string[];
}

export class TextLanes implements Lanes<string> {
  private readonly statements: Statement[] = [];

  constructor(private readonly dialect: Dialect) {}

  unary(op: UnaryName, a: string): string {
    return this.define(this.dialect.unary(op, a), a);
  }

  binary(op: BinaryName, a: Num<string>, b: Num<string>): string {
    const [x, y] = [this.operand(a), this.operand(b)];
    return this.define(this.dialect.binary(op, x, y), x, y);
  }

  compare(op: 'gt' | 'ge', a: Num<string>, b: Num<string>): string {
    const [x, y] = [this.operand(a), this.operand(b)];
    return this.define(this.dialect.compare(op, x, y), x, y);
  }

  and(a: string, b: string): string {
    return this.define(this.dialect.and(a, b), a, b);
  }

  not(a: string): string {
    return this.define(this.dialect.not(a), a);
  }

  isAnywhere(): boolean {
    throw new Error('text does not know its lanes');
  }

  select(condition: string, a: Num<string>, b: Num<string>): string {
    const [x, y] = [this.operand(a), this.operand(b)];
    return this.define(this.dialect.select(condition, x, y), condition, x, y);
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
      lines.push(`${this.dialect.constant} ${name} = ${expression};`);
      for (const each of uses) needed.add(each);
    }
    return lines.reverse();
  }

  private operand(a: Num<string>): string {
    if (typeof a === 'string') return a;
    const text = this.dialect.literal(a);
    return this.dialect.isOperand(a) ? text : this.define(text);
  }

  private define(expression: string, ...uses: readonly string[]): string {
    const name = `t${this.statements.length}`;
    this.statements.push({ name, expression, uses });
    return name;
  }
}
