/**
 * Random Python programs of the compiled subset, for comparison with CPython.
 *
 * `exact` programs use only operations whose result both sides round correctly, so that values must be equal in every
 * bit, also behind comparisons, loops and exceptions. `smooth` programs add mathematical functions and powers, and leave
 * out what would turn a last-bit difference into a jump.
 */
import { Rng } from '../../src/common/rng.js';

export type ProgramStyle = 'exact' | 'smooth';

export interface RandomProgram {
  readonly code: string;
  readonly dimension: number;
}

export function randomProgram(seed: number, style: ProgramStyle): RandomProgram {
  return new Generator(Rng.create(seed), style).program();
}

const CONSTANTS = ['0', '1', '2', '3', '-1', '0.5', '1.5', '-2.25', '10', '7', '0.1', '1e-3', '100.0'];

class Generator {
  private readonly dimension: number;
  private readonly numpy: boolean;
  private readonly lines: string[] = [];
  private readonly variables: string[] = [];
  private readonly helpers: string[] = [];
  private fresh = 0;
  private depth = 1;
  private loops = 0;

  constructor(
    private readonly rng: Rng,
    private readonly style: ProgramStyle,
  ) {
    this.dimension = 1 + rng.below(4);
    this.numpy = rng.uniform() < 0.4;
  }

  program(): RandomProgram {
    const head = this.numpy ? 'import math\nimport numpy as np\n' : 'import math\n';
    if (this.chance(0.5)) this.helper();
    const helpers = this.lines.splice(0);
    this.variables.length = 0;
    this.line('a = x[0]');
    this.variables.push('a');
    const count = 2 + this.rng.below(6);
    for (let k = 0; k < count; k++) this.statement(3);
    this.line(`return ${this.number(3)}`);
    return { code: `${head}${helpers.join('')}def f(x):\n${this.lines.join('')}`, dimension: this.dimension };
  }

  private helper(): void {
    this.lines.push('def g(p, q=2.0):\n');
    this.variables.push('p', 'q');
    if (this.chance(0.5)) {
      this.line(`if ${this.condition(1)}:`);
      this.nested(() => this.line(`return ${this.number(2)}`));
    }
    this.line(`return ${this.number(2)}`);
    this.helpers.push('g');
  }

  private statement(budget: number): void {
    const kinds = budget <= 0 || this.depth > 5 ? 4 : this.style === 'exact' ? 12 : 7;
    const kind = this.rng.below(kinds);
    switch (kind) {
      case 0:
      case 1:
      case 2: {
        const name = this.chance(0.5) || this.variables.length === 0 ? `v${this.fresh++}` : this.pick(this.variables);
        this.line(`${name} = ${this.number(budget)}`);
        if (!this.variables.includes(name) && this.depth === 1) this.variables.push(name);
        return;
      }
      case 3:
        this.line(`${this.pick(this.variables)} ${this.pick(['+=', '-=', '*='])} ${this.number(budget - 1)}`);
        return;
      case 4:
        this.staticLoop(budget);
        return;
      case 5:
        this.sequence(budget);
        return;
      case 6:
        this.line(`a = sum(${this.number(1, 'v')} for v in x) + a`);
        return;
      case 7:
      case 8:
        this.branch(budget);
        return;
      case 9:
        this.whileLoop(budget);
        return;
      case 10:
        this.tryStatement(budget);
        return;
      case 11:
        if (this.loops > 0 && this.chance(0.7)) {
          this.line(`if ${this.condition(1)}:`);
          this.nested(() => this.line(this.pick(['break', 'continue'])));
        } else {
          this.line(`if ${this.condition(1)}:`);
          this.nested(() => this.line(this.pick([`return ${this.number(1)}`, 'raise ValueError("no")'])));
        }
        return;
    }
  }

  private block(budget: number): void {
    this.nested(() => {
      const count = 1 + this.rng.below(2);
      for (let k = 0; k < count; k++) this.statement(budget - 1);
    });
  }

  private branch(budget: number): void {
    this.line(`if ${this.condition(budget)}:`);
    this.block(budget);
    if (this.chance(0.3)) {
      this.line(`elif ${this.condition(1)}:`);
      this.block(budget - 1);
    }
    if (this.chance(0.5)) {
      this.line('else:');
      this.block(budget);
    }
  }

  private staticLoop(budget: number): void {
    const name = `i${this.fresh++}`;
    const [over, isNumber] = this.pick([
      [`range(${1 + this.rng.below(4)})`, true],
      ['range(len(x))', true],
      ['x', true],
      ['enumerate(x)', false],
    ] as const);
    const target = isNumber ? name : `${name}, w${this.fresh}`;
    this.line(`for ${target} in ${over}:`);
    this.loops++;
    this.variables.push(name);
    this.block(Math.min(budget, 2));
    this.variables.pop();
    this.loops--;
  }

  private whileLoop(budget: number): void {
    const counter = `n${this.fresh++}`;
    this.line(`${counter} = 0`);
    this.line(`while ${counter} < ${2 + this.rng.below(6)} and ${this.condition(1)}:`);
    this.loops++;
    this.nested(() => {
      this.line(`${counter} += 1`);
      this.statement(Math.min(budget - 1, 1));
      this.statement(Math.min(budget - 1, 1));
    });
    this.loops--;
  }

  private tryStatement(budget: number): void {
    this.line('try:');
    this.block(budget);
    this.line(this.pick(['except ZeroDivisionError:', 'except (ArithmeticError, ValueError):', 'except Exception:']));
    this.block(1);
    if (this.chance(0.3)) {
      this.line('else:');
      this.block(1);
    }
  }

  private sequence(budget: number): void {
    const name = `s${this.fresh++}`;
    this.line(`${name} = [${this.number(1)}, ${this.number(1)}, ${this.number(1)}]`);
    if (this.style === 'exact' && this.chance(0.5)) {
      this.line(`if ${this.condition(1)}:`);
      this.nested(() => this.line(`${name}[${this.rng.below(3)}] = ${this.number(1)}`));
    }
    if (this.chance(0.3)) this.line(`${name}.append(${this.number(budget - 1)})`);
    this.line(`a = a + ${this.pick(['sum', ...(this.style === 'exact' ? ['max', 'min'] : [])])}(${name})`);
  }

  /** An expression that is a number; `extra` is one more variable that may appear. */
  private number(budget: number, extra?: string): string {
    if (budget <= 0 || this.chance(0.2)) return this.leaf(extra);
    const sub = (): string => this.number(budget - 1, extra);
    const kind = this.rng.below(this.style === 'exact' ? 11 : 10);
    switch (kind) {
      case 0:
      case 1:
      case 2:
      case 3:
        return `(${sub()} ${this.pick(['+', '-', '*'])} ${sub()})`;
      case 4:
        return `(${sub()} / ${this.chance(0.5) ? sub() : this.pick(['4', '2.5', '-8'])})`;
      case 5:
        return `abs(${sub()})`;
      case 6:
        return `(-${sub()})`;
      case 7:
        if (this.helpers.length > 0) return `g(${sub()}${this.chance(0.5) ? `, ${this.leaf(extra)}` : ''})`;
        return this.leaf(extra);
      case 8:
        return this.style === 'exact' ? this.jump(sub) : this.smooth(sub);
      case 9:
        return this.style === 'exact' ? `(${sub()} if ${this.condition(1, extra)} else ${sub()})` : this.smooth(sub);
      default:
        return `(${this.condition(budget - 1, extra)})`;
    }
  }

  private smooth(sub: () => string): string {
    const name = this.pick(['sin', 'cos', 'exp', 'tanh', 'atan', 'sqrt', 'power']);
    if (name === 'power') return `(${sub()}) ** ${this.pick(['2', '3', '4'])}`;
    const library = this.numpy && this.chance(0.5) ? 'np' : 'math';
    if (name === 'sqrt') return `${library}.sqrt(abs(${sub()}) + 1)`;
    if (name === 'exp') return `${library}.exp(-abs(${sub()}))`;
    if (name === 'atan') return `math.atan(${sub()})`;
    return `${library}.${name}(${sub()})`;
  }

  private jump(sub: () => string): string {
    const library = this.numpy && this.chance(0.5) ? 'np' : 'math';
    return this.pick([
      `math.sqrt(${sub()})`,
      `${library}.floor(${sub()})`,
      `int(${sub()})`,
      `round(${sub()})`,
      `(${sub()} // ${sub()})`,
      `(${sub()} % ${sub()})`,
      `max(${sub()}, ${sub()})`,
      `min(${sub()}, ${sub()}, 1.5)`,
      `(${sub()} and ${sub()})`,
      `(${sub()} or ${sub()})`,
    ]);
  }

  private condition(budget: number, extra?: string): string {
    const a = this.number(budget - 1, extra);
    const b = this.number(budget - 1, extra);
    const operator = this.pick(['<', '<=', '>', '>=', '==', '!=']);
    const kind = this.rng.below(6);
    if (kind === 0) return `not ${a} ${operator} ${b}`;
    if (kind === 1) return `${this.leaf(extra)} < ${a} <= ${b}`;
    if (kind === 2) return `(${a} < ${b} ${this.pick(['and', 'or'])} ${this.leaf(extra)} > 0)`;
    return `${a} ${operator} ${b}`;
  }

  private leaf(extra?: string): string {
    if (extra !== undefined && this.chance(0.5)) return extra;
    if (this.variables.length > 0 && this.chance(0.5)) return this.pick(this.variables);
    // Helpers do not see x.
    if (this.variables.includes('p')) return this.pick(['p', 'q', ...CONSTANTS]);
    if (this.chance(0.5)) return `x[${this.pick([this.rng.below(this.dimension), -1])}]`;
    return this.pick(CONSTANTS);
  }

  private nested(body: () => void): void {
    this.depth++;
    body();
    this.depth--;
  }

  private line(text: string): void {
    this.lines.push(`${'    '.repeat(this.depth)}${text}\n`);
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.rng.below(items.length)];
  }

  private chance(p: number): boolean {
    return this.rng.uniform() < p;
  }
}
