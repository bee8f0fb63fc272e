/**
 * Text of a random Python program while it is being written: lines, indentation, and which names hold what kind of
 * value where. What is written is meant to be what people write; that it makes sense is not promised, CPython decides.
 */
import type { Rng } from '../../../src/common/rng.js';

/** `vector`: the argument itself, a list of floats or an array. `any`: may be None, text, a number, a list. */
export type Kind = 'num' | 'int' | 'bool' | 'text' | 'any' | 'list' | 'dict' | 'vector' | 'array' | 'matrix' | 'object';

export interface Variable {
  readonly name: string;
  readonly kind: Kind;
  /** Keys of a dictionary that are known, as Python writes them. */
  readonly keys?: readonly string[];
}

export interface Helper {
  readonly name: string;
  /** Of its parameters, all positional. */
  readonly takes: readonly Kind[];
  readonly gives: Kind;
}

export interface ClassInfo {
  readonly name: string;
  /** How an instance is made. */
  readonly make: string;
  readonly attributes: readonly string[];
  /** Methods with one number, and what they give. */
  readonly methods: readonly { readonly name: string; readonly gives: Kind }[];
}

/** What a program may use; each program draws its own set, so that few things meet often. */
export const FEATURES = [
  ...['any', 'text', 'dict', 'list', 'exceptions', 'classes', 'closures', 'match', 'scopes', 'loops', 'generators'],
  ...['integers', 'aliases', 'walrus', 'state', 'unpacking', 'sorting', 'imports', 'calls', 'formats', 'sets'],
  ...['library', 'complex'],
] as const;
export type Feature = (typeof FEATURES)[number];

const NAMES = {
  num: ['total', 'a', 'b', 's', 't', 'value', 'cost', 'penalty', 'r', 'd', 'best', 'z', 'tmp', 'result', 'c'],
  int: ['n', 'k', 'count', 'm', 'idx', 'steps'],
  bool: ['ok', 'flag', 'feasible', 'done', 'found'],
  text: ['name', 'mode', 'label', 'status', 'msg'],
  any: ['v', 'val', 'err', 'res', 'out', 'item', 'best', 'w', 'u'],
  list: ['xs', 'vals', 'parts', 'items', 'terms', 'w', 'buf', 'ys'],
  dict: ['cfg', 'table', 'params', 'memo', 'D', 'weights'],
  vector: ['x', 'p', 'y', 'v'],
  array: ['arr', 'y', 'z', 'q', 'w', 'g'],
  matrix: ['M', 'A', 'B', 'pts'],
  object: ['obj', 'prob', 'it', 'node'],
} as const satisfies Record<Kind, readonly string[]>;

export class Writer {
  readonly lines: string[] = [];
  /** Innermost last. */
  variables: Variable[] = [];
  readonly helpers: Helper[] = [];
  readonly classes: ClassInfo[] = [];
  readonly exceptions: string[] = [];
  /** Least dimension that the program is for: x[i] exists below it. */
  dimension = 1;
  usesNumPy = false;
  /** False once a result is only as good as a mathematics library. */
  isExact = true;
  indent = 0;
  /** Functions around, loops around. */
  inFunction = 0;
  inLoop = 0;
  /** Whether the function that is being written may only be left with a number. */
  returns: Kind = 'num';
  budget = 60;
  private serial = 0;

  constructor(
    readonly rng: Rng,
    readonly features: ReadonlySet<Feature>,
  ) {}

  chance(probability: number): boolean {
    return this.rng.uniform() < probability;
  }

  below(n: number): number {
    return this.rng.below(n);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.rng.below(items.length)];
  }

  has(feature: Feature): boolean {
    return this.features.has(feature);
  }

  /** One of several ways, by weight; a way that is off has weight 0. */
  choose<T>(ways: readonly (readonly [weight: number, way: () => T])[]): T {
    let left = this.rng.uniform() * ways.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, way] of ways) {
      left -= weight;
      if (left < 0) return way();
    }
    return ways[0][1]();
  }

  /** `feature`'s weight where the program uses it. */
  if(feature: Feature, weight: number): number {
    return this.features.has(feature) ? weight : 0;
  }

  line(text: string): void {
    this.budget--;
    this.lines.push(`${'    '.repeat(this.indent)}${text}`);
  }

  /** Names that are first bound inside stay known behind it now and then, although they may be unbound there. */
  block(header: string, body: () => void): void {
    this.line(header);
    this.indent++;
    const before = [...this.variables];
    const from = this.lines.length;
    body();
    if (this.lines.length === from) this.line('pass');
    this.indent--;
    if (!this.chance(0.06)) this.variables = before;
  }

  /** The body of a function or class: names bound inside are gone behind it. */
  scope(header: string, parameters: readonly Variable[], body: () => void, isFunction = true): void {
    const [before, loops] = [this.variables, this.inLoop];
    this.variables = [...before, ...parameters];
    this.line(header);
    this.indent++;
    this.inLoop = 0;
    if (isFunction) this.inFunction++;
    const from = this.lines.length;
    body();
    if (this.lines.length === from) this.line('pass');
    if (isFunction) this.inFunction--;
    this.inLoop = loops;
    this.indent--;
    this.variables = before;
  }

  known(...kinds: readonly Kind[]): readonly Variable[] {
    const last = new Map(this.variables.map((v) => [v.name, v]));
    return [...last.values()].filter((v) => kinds.includes(v.kind));
  }

  /** A known name of one of these kinds, or null. */
  find(...kinds: readonly Kind[]): Variable | null {
    const all = this.known(...kinds);
    return all.length === 0 ? null : this.pick(all);
  }

  bind(variable: Variable): void {
    this.variables = [...this.variables.filter((v) => v.name !== variable.name), variable];
  }

  /** A name as people give it; sometimes one that is taken already, for another kind of thing. */
  name(kind: Kind): string {
    const wanted: readonly string[] = NAMES[kind];
    const free = wanted.filter((n) => !this.variables.some((v) => v.name === n));
    if (free.length > 0 && this.chance(0.75)) return this.pick(free);
    return this.chance(0.5) ? this.pick(wanted) : `${this.pick(wanted)}${++this.serial}`;
  }

  fresh(prefix: string): string {
    return `${prefix}${++this.serial}`;
  }
}
