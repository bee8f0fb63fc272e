/**
 * Random Python programs of the compiled subset, for comparison with CPython.
 *
 * `exact` programs use only operations whose result both sides round correctly, so that values must be equal in every
 * bit, also behind comparisons, loops and exceptions. `smooth` programs add mathematical functions and powers, and
 * leave out what would turn a last-bit difference into a jump.
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
  private hasClass = false;
  /** Whether the program is mostly about lists and arrays. */
  private containers = false;
  /** Lists and arrays of three numbers that are bound everywhere in the function. */
  private readonly sequences: string[] = [];
  private readonly arrays: string[] = [];
  /** Complex numbers that are bound everywhere in the function; null: the program has none. */
  private complexes: string[] | null = null;

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
    if (this.style === 'exact' && this.chance(0.2)) this.classDefinition();
    const helpers = this.lines.splice(0);
    this.variables.length = 0;
    this.line('a = x[0]');
    this.variables.push('a');
    this.containers = this.style === 'exact' && this.chance(0.5);
    if (this.containers) for (let k = 0; k < 3; k++) this.containerStatement();
    if (this.chance(0.25)) {
      this.complexes = [];
      for (let k = 0; k < 2; k++) this.complexStatement(this.complexes);
    }
    const count = 2 + this.rng.below(this.containers ? 10 : 6);
    for (let k = 0; k < count; k++) this.statement(3);
    const rest = [...this.sequences, ...this.arrays].map((name, k) => ` + sum(${name}) * ${k + 2} + ${name}[0]`);
    this.line(`return ${this.number(2)}${rest.join('')}`);
    return { code: `${head}${helpers.join('')}def f(x):\n${this.lines.join('')}`, dimension: this.dimension };
  }

  private helper(): void {
    this.lines.push('def g(p, q=2.0):\n');
    this.variables.push('p', 'q');
    if (this.chance(0.5)) {
      this.line(`if ${this.condition(1)}:`);
      this.nested(() => this.line(`return ${this.number(2)}`));
    }
    if (this.style === 'exact' && this.chance(0.3)) {
      this.line('for i in range(3):');
      this.nested(() => {
        this.line(`q = ${this.number(1)}`);
        this.line(`if ${this.condition(1)}:`);
        this.nested(() => this.line(`return ${this.number(1)}`));
      });
    }
    this.line(`return ${this.number(2)}`);
    this.helpers.push('g');
  }

  /** An object that holds numbers and changes them; `K()` makes one. */
  private classDefinition(): void {
    this.variables.length = 0;
    this.variables.push('p', 'q');
    this.helpers.length = 0;
    this.lines.push('class K:\n', '    k = 2.0\n', '    def __init__(self, p):\n', '        self.p = p\n');
    this.lines.push('    def move(self, p, q=1.5):\n');
    this.depth = 2;
    this.line(`if ${this.condition(1)}:`);
    this.nested(() => this.line(`self.p = ${this.number(1)}`));
    this.line(`self.p += ${this.number(1)} * self.k`);
    this.line(`return ${this.pick(['self.p', 'self', 'p - self.p'])}`);
    this.depth = 1;
    this.lines.push('    def __call__(self, p):\n        return self.p * p + self.k\n');
    this.hasClass = true;
  }

  private statement(budget: number): void {
    const kinds = budget <= 0 || this.depth > 5 ? 4 : this.style === 'exact' ? 18 : 7;
    const kind = this.rng.below(kinds);
    if (this.containers && this.chance(0.45)) return this.containerStatement();
    if (this.complexes !== null && this.chance(0.35)) return this.complexStatement(this.complexes);
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
      case 12:
      case 13:
        this.containerStatement();
        return;
      case 14:
        this.dictionary();
        return;
      case 15:
        this.object();
        return;
      case 16:
        this.closure();
        return;
      case 17:
        this.line(this.pick(['a', ...this.variables]) + ` = ${this.reduction()}`);
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
    if (this.style === 'exact' && this.chance(0.3)) {
      this.line('finally:');
      this.nested(() => {
        this.line(`a = ${this.number(1)}`);
        this.line(`${this.pick(this.variables)} += 1`);
      });
    }
  }

  private containerStatement(): void {
    const places = [...this.sequences, ...this.arrays];
    if (places.length > 0 && this.chance(0.2)) this.storingLoop(this.pick(places));
    else if (this.chance(0.1)) this.tableLoop();
    else if (this.numpy && this.chance(0.6)) this.arrayStatement();
    else this.listStatement();
  }

  /** A loop that stores into a list or array of three numbers at its index. */
  private storingLoop(name: string): void {
    const index = `i${this.fresh++}`;
    this.line(`for ${index} in ${this.pick(['range(3)', 'range(2, -1, -1)', 'range(1, 3)', `range(len(${name}))`])}:`);
    this.loops++;
    this.nested(() => {
      if (this.chance(0.3)) this.line(`a = a * 0.5 + ${name}[${index}]`);
      if (this.chance(0.3)) this.line(`if ${name}[${index} - 1] > ${this.leaf()}: continue`);
      const value = this.pick([
        `${name}[${index} - 1] + ${this.number(1)}`,
        `${name}[${index}] * 0.5 - ${this.leaf()}`,
        `${this.leaf()} + ${index}`,
        `max(${name}[${index}], ${this.leaf()}) * 1.0`,
      ]);
      this.line(
        `${name}[${this.pick([index, `-${index} - 1`, `2 - ${index}`])}] ${this.pick(['=', '=', '+='])} ${value}`,
      );
    });
    this.loops--;
  }

  /** A table that is filled by two loops, as dynamic programming does. */
  private tableLoop(): void {
    const table = `t${this.fresh++}`;
    const [i, j] = [`i${this.fresh}`, `j${this.fresh++}`];
    const isArray = this.numpy && this.chance(0.5);
    this.line(`${table} = ${isArray ? 'np.zeros((4, 3))' : '[[0.0] * 3 for _ in range(4)]'}`);
    const at = (a: string, b: string): string => (isArray && this.chance(0.7) ? `[${a}, ${b}]` : `[${a}][${b}]`);
    this.line(`for ${i} in range(1, 4):`);
    this.loops++;
    this.nested(() => {
      this.line(`for ${j} in range(3):`);
      this.nested(() => {
        const above = `${table}${at(`${i} - 1`, j)}`;
        const left = `${table}${at(i, `${j} - 1`)}`;
        const value = this.pick([`min(${above}, ${left})`, `${above} + ${left}`, `${above} * 0.5`]);
        this.line(`${table}${at(i, j)} = ${value} + float(${this.leaf()}) * ${j}`);
      });
    });
    this.loops--;
    this.line(`a = a + ${table}${at('3', '2')} - ${table}${at('2', '0')}`);
  }

  /** Arithmetic of complex numbers, and what becomes of it as real ones. */
  private complexStatement(names: string[]): void {
    if (names.length < 2 || (this.depth === 1 && this.chance(0.2))) {
      const name = `c${this.fresh++}`;
      this.line(`${name} = ${names.length === 0 ? this.complexFromParts() : this.complexNumber(2, names)}`);
      if (this.depth === 1) names.push(name);
      return;
    }
    const [c, d] = [this.pick(names), this.pick(names)];
    const isExact = this.style === 'exact';
    this.line(
      this.pick([
        `${c} = ${this.complexNumber(2, names)}`,
        `${c} ${this.pick(['+=', '-=', '*='])} ${this.complexNumber(1, names)}`,
        `a = a + ${c}.real - ${d}.imag`,
        `a = (${c} * ${d}.conjugate()).real`,
        `a += sum(v.imag for v in [${c}, ${this.complexNumber(1, names)}, 1j])`,
        `${c} = sum([${c}, ${d}, ${this.leaf()}])`,
        `for v in (${c}, ${d}): a = a * 0.5 + v.real`,
        isExact ? `a = a + (${c} == ${this.pick([d, this.leaf(), '1j'])})` : `a = a + abs(${c})`,
        isExact ? `if ${c}.imag > ${this.leaf()}: ${d} = ${this.complexNumber(1, names)}` : `a = abs(${c} - ${d})`,
      ]),
    );
  }

  private complexFromParts(): string {
    return this.pick([
      `complex(${this.number(1)}, ${this.number(1)})`,
      `${this.leaf()} + ${this.leaf()} * 1j`,
      `2j * ${this.leaf()} - ${this.number(1)}`,
    ]);
  }

  private complexNumber(budget: number, names: readonly string[]): string {
    if (budget <= 0 || this.chance(0.2)) return this.pick(names);
    const sub = (): string => this.complexNumber(budget - 1, names);
    switch (this.rng.below(8)) {
      case 0:
      case 1:
        return `(${sub()} ${this.pick(['+', '-', '*'])} ${sub()})`;
      case 2:
        return `(${sub()} ${this.pick(['+', '-', '*', '/'])} ${this.number(1)})`;
      case 3:
        return `(${this.number(1)} ${this.pick(['+', '-', '*', '/'])} ${sub()})`;
      case 4:
        return `(${sub()} / ${this.chance(0.5) ? sub() : '(2 - 1j)'})`;
      case 5:
        return `((${sub()}) ** ${this.pick(['2', '3', '-1', '5'])})`;
      case 6:
        return this.pick([`(-${sub()})`, `(${sub()}).conjugate()`]);
      default:
        return `(${this.complexFromParts()})`;
    }
  }

  /** Lists: stores, methods, aliases, slices; of three elements at the end. */
  private listStatement(): void {
    if (this.sequences.length === 0 || (this.depth === 1 && this.chance(0.4))) {
      const name = `l${this.fresh++}`;
      const old = this.sequences.length > 0 && this.chance(0.3) ? this.pick(this.sequences) : null;
      if (old !== null) this.line(`${name} = ${this.pick([old, `${old}[:]`, `list(${old})`])}`);
      else this.line(`${name} = [${this.number(1)}, ${this.number(1)}, ${this.number(1)}]`);
      if (this.depth === 1) this.sequences.push(name);
      return;
    }
    const list = this.pick(this.sequences);
    const k = this.rng.below(3);
    this.line(
      this.pick([
        `${list}[${k}] = ${this.number(1)}`,
        `${list}[-1] ${this.pick(['+=', '*='])} ${this.number(1)}`,
        `${list}.append(${list}.pop(0))`,
        `${list}.reverse()`,
        `${list}.insert(1, ${list}.pop())`,
        `${list} = [v * 2 for v in ${list}]`,
        `${list} = ${list}[::-1]`,
        `${list}[0], ${list}[2] = ${list}[1], ${this.number(1)}`,
        `${list} = ${this.pick(this.sequences)} if ${this.condition(1)} else ${this.pick(this.sequences)}`,
        `a = a + sum(v for v in ${list} if v > ${this.leaf()})`,
        `for k, v in enumerate(${list}): a += k * v`,
      ]),
    );
  }

  /** NumPy arrays: views, masks, in-place operations, branches on elements. */
  private arrayStatement(): void {
    if (!this.numpy) return this.listStatement();
    if (this.arrays.length === 0 || (this.depth === 1 && this.chance(0.4))) {
      const name = `z${this.fresh++}`;
      const old = this.arrays.length > 0 && this.chance(0.4) ? this.pick(this.arrays) : null;
      const made = `np.array([${this.number(1)}, ${this.number(1)}, 0.5])`;
      if (old !== null) this.line(`${name} = ${this.pick([old, `${old}[::-1]`, `${old}.copy()`, `${old} * 1.5`])}`);
      else this.line(`${name} = ${this.pick([made, made, 'np.zeros(3)', 'np.ones(3)'])}`);
      if (this.depth === 1) this.arrays.push(name);
      return;
    }
    const z = this.pick(this.arrays);
    const other = this.pick([...this.arrays, this.leaf()]);
    const k = this.rng.below(3);
    this.line(
      this.pick([
        `${z}[${k}] = ${this.number(1)}`,
        `${z} ${this.pick(['+=', '-=', '*='])} ${other}`,
        `${z} = ${z} ${this.pick(['+', '-', '*', '/'])} ${other}`,
        `${z}[1:] = ${z}[:-1]`,
        `${z}[${z} > ${this.leaf()}] = ${this.leaf()}`,
        `${z} = np.where(${z} ${this.pick(['<', '>='])} ${other}, ${z}, ${this.leaf()})`,
        `${z} = np.maximum(${z}, ${other})`,
        `${z} = ${this.pick(this.arrays)} if ${this.condition(1)} else ${this.pick(this.arrays)}`,
        `a = a + ${z}[${k}] * (${z} > 0).sum()`,
        `a = np.max(${z}) - ${z}[int(${z}[0] > 1)]`,
        `${z}[0], ${z}[1] = ${z}[1], ${z}[0]`,
        `for v in ${z}: a += v`,
      ]),
    );
  }

  private dictionary(): void {
    const name = `d${this.fresh++}`;
    this.line(`${name} = {"p": ${this.number(1)}, "q": ${this.number(1)}}`);
    this.line(`if ${this.condition(1)}:`);
    this.nested(() => this.line(`${name}["p"] += ${this.number(1)}`));
    this.line(`a = ${name}["p"] + sum(${name}.values()) + ${name}.get("r", 1.5) + ("q" in ${name})`);
  }

  private object(): void {
    if (!this.hasClass) return this.dictionary();
    const name = `o${this.fresh++}`;
    this.line(`${name} = K(${this.number(1)})`);
    if (this.chance(0.5)) {
      this.line(`if ${this.condition(1)}:`);
      this.nested(() => this.line(`${name}.move(${this.number(1)})`));
    }
    this.line(`${name}.move(${this.number(1)}, ${this.leaf()})`);
    this.line(`a = ${this.pick([`${name}.p`, `${name}(${this.number(1)})`, `${name}.p + ${name}.k`])}`);
  }

  private closure(): void {
    const name = `h${this.fresh++}`;
    const variable = this.pick(this.variables);
    this.line(`${name} = lambda v, w=${variable}: v * w + ${variable}`);
    this.line(`${variable} = ${this.number(1)}`);
    this.line(`a = ${name}(${this.number(1)})`);
  }

  /** Numbers of the candidate or of a list, reduced in the ways people write. */
  private reduction(): string {
    const over = this.pick(['x', ...this.sequences, 'x[1:]', 'x[::-1]']);
    return this.pick([
      `sum(v * v for v in ${over})`,
      `sum([1 for v in ${over} if v > ${this.leaf()}])`,
      `sum(v if v > 0 else -v for v in ${over})`,
      `max([0.0, *${over}])`,
      `min(abs(v) for v in [1.5, *${over}])`,
      `sum(p * q for p, q in zip(${over}, ${over}))`,
      `len([v for v in ${over} if v == v])`,
      `any(v > ${this.leaf()} for v in ${over})`,
      `sorted([0.5, *${over}])[0]`,
    ]);
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
