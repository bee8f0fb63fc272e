/**
 * Sequences that are iterated over: items that are there at once, and streams that are consumed one by one.
 */
import { addForms, constantForm, scaleForm } from '../../ir/index-form.js';
import { LaneStatus, type IndexForm } from '../../ir/types.js';
import type { Elements } from '../values/large.js';
import { impure } from '../machine/lasting-state.js';
import { isLibraryName } from '../machine/merging.js';
import { COPIES_PER_STEP } from '../machine/work.js';
import type { Expression, Position } from '../syntax/ast.js';
import type { Stream } from '../values/streams.js';
import { isPlain } from '../values/structure.js';
import {
  int,
  string,
  tuple,
  typeName,
  Unsupported,
  type AnyValue,
  type Cell,
  type DictEntry,
  type DictValue,
  type Held,
  type IteratorValue,
  type Scalar,
  type Scope,
  type TupleValue,
  type Value,
} from '../values/values.js';
import { classMember } from '../values/classes.js';
import type { Evaluator } from './evaluator.js';

/** With items that are made when they are asked for. */
export function lazyStream<T extends Omit<Stream, 'items'>>(
  make: () => AnyValue[],
  rest: T,
): T & { readonly items: AnyValue[] } {
  let items: AnyValue[] | undefined;
  return Object.defineProperty(rest, 'items', { get: () => (items ??= make()), enumerable: false }) as T & {
    readonly items: AnyValue[];
  };
}

export class Sequences {
  /** The container that is growing by a stream while its `isCurrent` is asked. */
  private growing: Value | null = null;

  constructor(private readonly ev: Evaluator) {}

  /** Items that are consumed one by one while the program goes on. */
  stream(value: Value, position: Position): Stream {
    if (value.tag === 'iterator') {
      if (value.used)
        throw new Unsupported(`${value.name === 'iterator' ? 'an' : 'a'} ${value.name} that is used twice`, position);
      if (value.frozen && !this.ev.loading) throw impure(position);
      this.ev.cells.useUp(value);
      return value;
    }
    if (value.tag === 'instance') {
      const method = classMember(value.cls, '__iter__');
      if (method === undefined) throw new Unsupported(`iterating over ${typeName(value)}`, position);
      const made = this.ev.calls.called(method, { args: [value], keywords: new Map(), position });
      if (made.tag !== 'iterator') throw new Unsupported(`iterating over ${typeName(value)}`, position);
      return this.stream(made, position);
    }
    const elements = this.ev.roll === 'never' ? undefined : (this.ev.bulk.elementsOf(value, position) ?? undefined);
    if (elements !== undefined && (value.tag === 'tuple' ? value.range !== undefined : 'bulk' in value)) {
      const areSame = this.ev.cells.watchElements();
      const isCurrent = (): boolean => value.tag === 'tuple' || (this.growing !== value && areSame());
      return lazyStream(() => this.iterateAny(value, position), { isCurrent, hasEffects: false, elements });
    }
    const items = this.iterateAny(value, position);
    if (value.tag === 'tuple' && value.isCurrent !== undefined) {
      return { items, isCurrent: value.isCurrent, hasEffects: false, elements };
    }
    if (value.tag === 'dict') {
      const { isCurrent } = this.viewOf(value, (e) => e.key, position);
      const isSameSize = (): boolean => isCurrent?.(items.length) !== false;
      return { items, isCurrent: isSameSize, hasEffects: false, elements };
    }
    if (value.tag !== 'list' && (value.tag !== 'ndarray' || value.shape.length !== 1)) {
      return { items, isCurrent: () => true, hasEffects: false, elements };
    }
    const before = value.cells.map((cell) => cell.value);
    const isCurrent = (k: number): boolean =>
      this.growing !== value &&
      value.cells.length === before.length &&
      (k === before.length || value.cells[k].value === before[k]);
    return { items, isCurrent, hasEffects: false, elements };
  }

  inTurns(source: Value | Stream, position: Position): void {
    if ('hasEffects' in source && source.hasEffects && !('isLazy' in source && source.isLazy === true))
      throw new Unsupported('an iterator with effects of its own that is not used up at once', position);
  }

  addedTo(container: Value, source: Value, position: Position): AnyValue[] {
    const isStream = source.tag === 'iterator' || (source.tag === 'instance' && source !== container);
    if (!isStream) {
      if (source.tag === 'filtered' && source.isGenerator)
        throw new Unsupported('a container that grows by a generator whose filter depends on x', position);
      return this.iterateAny(source, position);
    }
    const stream = this.stream(source, position);
    const items = [...stream.items];
    const isCurrent = (): boolean => items.every((_, k) => stream.isCurrent(k)) && stream.isCurrent(items.length);
    if (!isCurrent()) throw new Unsupported(`${typeName(source)} whose source has changed`, position);
    this.growing = container;
    try {
      if (!isCurrent()) throw new Unsupported('a container that grows by an iterator which may read it', position);
    } finally {
      this.growing = null;
    }
    return items;
  }

  /** Whether code that has these values may get at another one. */
  reaches(roots: readonly (Held | undefined)[], target: Value): boolean {
    const seen = new Set<unknown>();
    const stack: (Held | undefined)[] = [...roots];
    const add = (cells: Iterable<Cell>): void => {
      for (const cell of cells) stack.push(cell.value);
    };
    while (stack.length > 0) {
      const value = stack.pop();
      if (value === target) return true;
      if (value === undefined || seen.has(value)) continue;
      seen.add(value);
      this.ev.work.step(this.ev.ops.here, 1 / COPIES_PER_STEP);
      switch (value.tag) {
        case 'list':
          // A bulk list holds numbers.
          if (value.bulk === undefined) add(value.cells);
          break;
        case 'dict':
          stack.push(value.factory);
          for (const { key, cell } of value.entries.values()) stack.push(key, cell.value);
          break;
        case 'tuple':
          if (value.isCurrent !== undefined) return true;
          if (value.range === undefined) stack.push(...value.items);
          break;
        case 'choice':
          stack.push(...value.alternatives.map((a) => a.value));
          break;
        case 'maybe':
          stack.push(value.value);
          break;
        case 'filtered':
          stack.push(...value.items.map((item) => item.value));
          break;
        case 'instance':
          stack.push(value.cls);
          add(value.attributes.values());
          break;
        case 'super':
          stack.push(value.cls, value.self);
          break;
        case 'class':
          stack.push(...value.bases);
          add(value.members.values());
          break;
        case 'function':
          stack.push(...value.defaults.values());
          add(value.attributes.values());
          for (const name of namesIn(value.body)) stack.push(this.ev.names.find(name, value.closure)?.value);
          break;
        case 'builtin':
          // What an object's method or a partial function holds is not seen here.
          if (!isLibraryName(value.name)) return true;
          break;
        case 'iterator':
        case 'opaque':
          return true;
        default:
      }
    }
    return false;
  }

  iterator(
    name: string,
    items: readonly AnyValue[],
    isCurrent: (k: number) => boolean,
    hasEffects: boolean,
  ): IteratorValue {
    this.ev.work.step(this.ev.ops.here, items.length);
    return { tag: 'iterator', name, items, isCurrent, hasEffects, frozen: this.ev.loading, used: false };
  }

  /** Iterator over items that are made of the items of other streams. */
  combine(
    name: string,
    streams: readonly Stream[],
    count: (lengths: readonly number[]) => number,
    make: (items: readonly AnyValue[], position: Scalar) => AnyValue,
    source?: (k: number, count: number) => number,
  ): IteratorValue {
    const sourceOf = source ?? ((k: number): number => k);
    const isCurrent = (k: number): boolean =>
      streams.every((s) => {
        if (source === undefined) return s.isCurrent(k);
        const n = s.items.length;
        return s.isCurrent(k < n ? source(k, n) : n);
      });
    const hasEffects = streams.some((s) => s.hasEffects);
    const isLazy = streams.every((s) => !s.hasEffects || s.isLazy === true);
    const items = (): AnyValue[] => {
      const lengths = streams.map((s) => s.items.length);
      const n = count(lengths);
      this.inStep(streams, lengths);
      this.ev.work.step({ line: this.ev.ops.line, column: 1 }, n);
      return Array.from({ length: n }, (_, k) =>
        make(
          streams.map((s) => s.items[sourceOf(k, n)]),
          int(k),
        ),
      );
    };
    const all = streams.map((s) => s.elements);
    const common = { tag: 'iterator' as const, name, frozen: this.ev.loading, used: false };
    const isSized = all.every((e): e is Elements => e !== undefined && e.count.terms.length === 0);
    // Of a longer one one more is asked for, or not.
    if (all.length === 0 || !isSized || (hasEffects && all.some((e) => e.count.offset !== all[0].count.offset))) {
      return { ...common, items: items(), isCurrent, hasEffects, isLazy: false };
    }
    const n = count(all.map((e) => e.count.offset));
    const scale = sourceOf(1, n) - sourceOf(0, n);
    const at = (form: IndexForm): Value => {
      const from = addForms(scaleForm(form, scale), constantForm(sourceOf(0, n)));
      const item = make(
        all.map((e) => e.at(from)),
        this.ev.ops.formScalar('int', form),
      );
      return this.ev.choices.plain(item, this.ev.ops.here);
    };
    return Object.assign(
      lazyStream(items, { isCurrent, hasEffects, isLazy, elements: { count: constantForm(n), at } }),
      common,
    );
  }

  /**
   * To be called after each item: refuses a container, or one under an iterator, that has changed while Python runs
   * over it.
   */
  watched(value: Value, position: Position): () => void {
    const changes = (): never => {
      throw new Unsupported('running over a container that changes meanwhile', position);
    };
    if (value.tag === 'iterator') {
      const started = this.ev.cells.elementWrites;
      let next = 0;
      return () => {
        next++;
        if (this.ev.cells.elementWrites !== started && !value.isCurrent(next)) changes();
      };
    }
    const isLarge = 'bulk' in value && value.bulk !== undefined;
    if (isLarge || (value.tag !== 'list' && value.tag !== 'dict' && value.tag !== 'ndarray')) return () => undefined;
    const now = (): readonly (Held | undefined)[] =>
      value.tag === 'dict' ? [...value.entries.values()].map((e) => e.key) : value.cells.map((cell) => cell.value);
    const before = now();
    let writes = this.ev.cells.elementWrites;
    return () => {
      if (this.ev.cells.elementWrites === writes) return;
      writes = this.ev.cells.elementWrites;
      this.ev.work.step(position, before.length / LOOKS_PER_STEP);
      const after = now();
      if (after.length !== before.length || before.some((v, k) => v !== after[k])) changes();
    };
  }

  /** Several streams that are asked for items in turns: of one with effects the others must not be aware. */
  inStep(streams: readonly Stream[], lengths: readonly number[]): void {
    const eager = streams.filter((s) => s.hasEffects && s.isLazy !== true);
    if (streams.length < 2 || eager.length === 0) return;
    if (eager.length > 1 || lengths.some((n) => n !== lengths[0])) this.inTurns(eager[0], this.ev.ops.here);
  }

  /** Tells whether what an expression has read is unchanged since this call. */
  watch(node: Expression, scope: Scope): () => boolean {
    const isSame = this.unchanged(node, scope);
    const roots = [...namesIn(node)].map((name) => this.ev.names.find(name, scope)?.value);
    return this.unseen(roots, isSame);
  }

  /** The same; while a container grows, whether it cannot be read through these values. */
  unseen(roots: readonly (Held | undefined)[], isSame: () => boolean): () => boolean {
    return () => (this.growing === null ? isSame() : !this.reaches(roots, this.growing));
  }

  private unchanged(node: Expression, scope: Scope): () => boolean {
    const { writes, elementWrites } = this.ev.cells;
    const read: { cell: Cell; value: Held | undefined }[] = [];
    for (const name of namesIn(node)) {
      const cell = this.ev.names.find(name, scope);
      if (cell !== undefined) read.push({ cell, value: cell.value });
    }
    // A function reads variables of its own.
    if (read.some(({ value }) => value?.tag === 'function' && value.closure !== this.ev.moduleScope)) {
      return () => this.ev.cells.writes === writes && this.ev.cells.elementWrites === elementWrites;
    }
    const readsElements = read.some(({ value }) => value !== undefined && !isPlain(value));
    // So does an object's method that has a name of its own, and a function of the module reads what is there.
    if (read.some(({ value }) => value?.tag === 'builtin' && !isLibraryName(value.name))) {
      return () => this.ev.cells.writes === writes && this.ev.cells.elementWrites === elementWrites;
    }
    const isSame = read.some(({ value }) => value?.tag === 'function') ? this.watchModule() : (): boolean => true;
    return () =>
      isSame() &&
      read.every(({ cell, value }) => cell.value === value) &&
      (!readsElements || this.ev.cells.elementWrites === elementWrites);
  }

  /**
   * Tells whether all that calls of a function depend on, besides what its arguments are, is unchanged since this call.
   */
  watchFunction(fn: Value, args: readonly AnyValue[]): () => boolean {
    return this.unseen([fn, ...args], this.functionUnchanged(fn, args));
  }

  private functionUnchanged(fn: Value, args: readonly AnyValue[]): () => boolean {
    const { writes, elementWrites } = this.ev.cells;
    const areElementsSame = (): boolean => this.ev.cells.elementWrites === elementWrites;
    const isOfModule = fn.tag === 'function' && fn.closure === this.ev.moduleScope;
    // What others have captured, such as the object of a method, is not seen here.
    if (!isOfModule && !(fn.tag === 'builtin' && isLibraryName(fn.name)))
      return () => this.ev.cells.writes === writes && areElementsSame();
    const given = fn.tag === 'function' ? [...args, ...fn.defaults.values()] : args;
    const readsElements = !given.every((value) => value.tag !== 'choice' && isPlain(value));
    const isSame = this.watchModule();
    return () => isSame() && (!readsElements || areElementsSame());
  }

  /** Tells whether no variable of the module has got another value since this call. */
  private watchModule(): () => boolean {
    const { writes } = this.ev.cells;
    this.ev.work.step(this.ev.ops.here, this.ev.moduleScope.cells.size / COPIES_PER_STEP);
    const before = [...this.ev.moduleScope.cells.values()].map((cell) => ({ cell, value: cell.value }));
    return () => this.ev.cells.writes === writes || before.every(({ cell, value }) => cell.value === value);
  }

  /** What `keys()`, `values()`, `items()` and a loop over a dict see; valid while the dict is unchanged. */
  viewOf(dict: DictValue, item: (entry: DictEntry) => Value, position: Position): TupleValue {
    const entries = [...dict.entries.values()];
    this.ev.work.step(position, entries.length);
    const values = entries.map((e) => e.cell.value);
    let seen = this.ev.cells.effects;
    const isSameSize = (): boolean => {
      if (this.growing === dict) return false;
      // No key comes or goes without an effect.
      if (this.ev.cells.effects === seen) return true;
      this.ev.work.step(position, entries.length / LOOKS_PER_STEP);
      const now = [...dict.entries.values()];
      if (now.length !== entries.length || !entries.every((e, k) => e === now[k])) return false;
      seen = this.ev.cells.effects;
      return true;
    };
    const isCurrent = (k: number): boolean =>
      isSameSize() && (k === entries.length || entries[k].cell.value === values[k]);
    return { ...tuple(entries.map(item)), isCurrent };
  }

  /** The items of anything iterable whose length is static, to be looked into. */
  iterate(value: Value, position: Position): Value[] {
    return this.iterateAny(value, position).map((item) => this.ev.choices.plain(item, position));
  }

  /** The same, to be handed on. */
  iterateAny(value: Value, position: Position): AnyValue[] {
    switch (value.tag) {
      case 'instance':
      case 'iterator': {
        const { items, isCurrent } = this.stream(value, position);
        for (let k = 0; k <= items.length; k++) {
          if (!isCurrent(k)) throw new Unsupported(`${typeName(value)} whose source has changed`, position);
        }
        return [...items];
      }
      case 'list':
        this.ev.work.step(position, value.cells.length);
        return value.cells.map((cell) => this.ev.cells.readAny(cell, position));
      case 'tuple':
        this.ev.work.step(position, value.items.length);
        for (let k = 0; value.isCurrent !== undefined && k <= value.items.length; k++) {
          if (!value.isCurrent(k)) throw new Unsupported('a view of a dict that has changed since', position);
        }
        return [...value.items];
      case 'ndarray':
        return this.ev.arrays.rows(value, position);
      case 'complexarray': {
        const imaginary = this.ev.arrays.rows(value.im, position);
        return this.ev.arrays.rows(value.re, position).map((re, k) => this.ev.complex.combine(re, imaginary[k]));
      }
      case 'complex':
        this.ev.ops.locate(position);
        return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
      case 'dict':
        this.ev.work.step(position, value.entries.size);
        return [...value.entries.values()].map((e) => e.key);
      case 'string':
        this.ev.work.step(position, value.value.length);
        return this.ev.knownTexts.characters(value.value, position).map(string);
      case 'set':
        // Sorted numbers are the same in any order; nothing else is.
        throw new Unsupported(
          "iterating over a set, whose order is CPython's own (sorted(...) has an order)",
          position,
        );
      case 'scalar':
      case 'none':
      case 'function':
        // Not iterable.
        this.ev.ops.locate(position);
        return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
      default:
        throw new Unsupported(`iterating over ${typeName(value)}`, position);
    }
  }
}

/** Elements of which no more is asked than whether they are the same cost next to nothing. */
const LOOKS_PER_STEP = 256;

const NAMES = new WeakMap<object, ReadonlySet<string>>();

/** All names that an expression or a body mentions. */
function namesIn(node: object): ReadonlySet<string> {
  const found = NAMES.get(node);
  if (found !== undefined) return found;
  const names = new Set<string>();
  NAMES.set(node, names);
  const stack: unknown[] = [node];
  while (stack.length > 0) {
    const item = stack.pop();
    if (typeof item !== 'object' || item === null) continue;
    if ('kind' in item && item.kind === 'Name' && 'name' in item) names.add(item.name as string);
    stack.push(...Object.values(item));
  }
  return names;
}
