/**
 * Builds an IrFunction. Values come back as ids; regions nest through callbacks. Identical pure operations of one
 * region chain are built once (value numbering), which keeps unrolled loops small.
 */
import { formKey, formRange, mapForm, type CountedIndex } from './index-form.js';
import type { LeafOpName, OpName } from './ops.js';
import { isAngleOp, OP_NAMES, OPS, TRIG_QUICK_ARGUMENT } from './ops.js';
import type { IndexForm, IrArray, IrFunction, IrNode, LaneStatus, Region, ValueId } from './types.js';
import type { IrType } from './ops.js';

interface Scope {
  readonly body: IrNode[];
  readonly numbering: Map<string | number, ValueId>;
  /** Index of the loop, where this is the body of a `for`. */
  readonly loop?: CountedIndex;
  /** The scope that its nodes were moved to. */
  movedTo?: Scope;
}

/** The number of an array in `IrFunction.arrays`. */
export type ArrayId = number;

/**
 * Facts about values beyond their definition, for example where they lie when every coordinate is inside its bounds
 * (`box-facts.ts`). The builder asks before it builds and tells what it has built.
 */
export interface ValueFacts {
  /** The truth value that a comparison or connective always has; undefined: it depends. */
  settled(op: OpName, args: readonly ValueId[]): boolean | undefined;
  /** Whether the magnitude of a value, where it is a number, is at most `limit`. */
  isWithin(value: ValueId, limit: number): boolean;
  learn(op: OpName, args: readonly ValueId[], imm: number, result: ValueId): void;
  /** `result` is one of the elements `min` to `max` of `array`. */
  learnElement(array: IrArray, min: number, max: number, result: ValueId): void;
  /** `min <= result <= max`. */
  learnRange(min: number, max: number, result: ValueId): void;
  /** `result` is one of two values. */
  join(result: ValueId, a: ValueId, b: ValueId): void;
}

/** A region under construction; opaque outside the builder but for its nodes. */
export interface OpenRegion {
  readonly body: readonly IrNode[];
}

/** The body of a `for` under construction. */
export interface OpenFor extends OpenRegion {
  readonly loop: CountedIndex;
}

const bits = new DataView(new ArrayBuffer(8));
function constantKey(value: number): string {
  bits.setFloat64(0, Number.isNaN(value) ? NaN : value);
  return `k${bits.getUint32(0)}:${bits.getUint32(4)}`;
}

const OP_INDEX = new Map(OP_NAMES.map((name, k) => [name, k]));

/** Ids below 2^23 and the operation's index make one number; a third operand makes it text. */
function numberingKey(op: OpName, args: readonly ValueId[]): string | number {
  const [a, b = 0, c] = args;
  const pair = (OP_INDEX.get(op) ?? 0) * 2 ** 46 + a * 2 ** 23 + b;
  return c === undefined && a < 2 ** 23 && b < 2 ** 23 ? pair : `${op}:${args.join(',')}`;
}

function renumber(
  { name, dimension, arrays }: Pick<IrFunction, 'name' | 'dimension' | 'arrays'>,
  body: Region,
  oldTypes: readonly IrType[],
): IrFunction {
  const ids = new Int32Array(oldTypes.length).fill(-1);
  const types: IrType[] = [];
  const define = (old: ValueId): ValueId => {
    ids[old] = types.push(oldTypes[old]) - 1;
    return ids[old];
  };
  const use = (old: ValueId): ValueId => ids[old];
  const region = (r: Region): Region => ({ body: r.body.map(node), yields: r.yields.map(use) });
  const node = (n: IrNode): IrNode => {
    if (n.kind === 'op') {
      const args = n.args.map(use);
      const at = n.at === undefined ? {} : { at: mapForm(n.at, use) };
      return { ...n, ...at, args, result: n.result < 0 ? -1 : define(n.result) };
    }
    if (n.kind === 'if') {
      const condition = use(n.condition);
      const then = region(n.then);
      const otherwise = region(n.otherwise);
      return { ...n, condition, then, otherwise, results: n.results.map(define) };
    }
    const initial = n.initial.map(use);
    const head = n.kind === 'for' ? { count: mapForm(n.count, use), index: define(n.index) } : {};
    const params = n.params.map(define);
    const loopBody = region(n.body);
    return { ...n, ...head, initial, params, body: loopBody, results: n.results.map(define) };
  };
  return { name, dimension, body: region(body), types, arrays };
}

/** The program under construction has more nodes than it may have. */
export class ProgramTooLarge extends Error {}

export class IrBuilder {
  private readonly types: IrType[] = [];
  /** By value id: where it is defined. */
  private readonly homes: Scope[] = [];
  private readonly scopes: Scope[] = [{ body: [], numbering: new Map() }];
  private readonly offMinusZero = new Set<ValueId>();
  private readonly constants = new Map<ValueId, number>();
  private readonly coordinates = new Map<ValueId, number>();
  private readonly quickAngles = new Set<ValueId>();
  private readonly arrays: IrArray[] = [];
  private candidateArray: ArrayId | undefined;
  private size = 0;
  /** Source line of the nodes built from now on; 0: unknown. */
  line = 0;

  /**
   * With `facts` the function is right only where they hold: checks that cannot fire there are left out. More than
   * `maxNodes` nodes throw `ProgramTooLarge`.
   */
  constructor(
    private readonly name: string,
    private readonly dimension: number,
    private readonly facts: ValueFacts | null = null,
    private readonly maxNodes = Infinity,
  ) {}

  private grow(nodes: number): void {
    this.size += nodes;
    if (this.size > this.maxNodes) throw new ProgramTooLarge();
  }

  /** Nodes built so far: what limits on program size are measured in. */
  get nodeCount(): number {
    return this.size;
  }

  /** Whether nothing at all has been built. */
  get isEmpty(): boolean {
    return this.types.length === 0 && this.arrays.length === 0 && this.size === 0;
  }

  typeOf(value: ValueId): IrType {
    return this.types[value];
  }

  /** The number or 0/1 that `value` is known to be, or undefined. */
  constantOf(value: ValueId): number | undefined {
    return this.constants.get(value);
  }

  /** Number of the candidate's coordinate that `value` is, if it is one. */
  coordinateOf(value: ValueId): number | undefined {
    return this.coordinates.get(value);
  }

  const(value: number): ValueId {
    return this.emit('const', [], value, constantKey(value));
  }

  bool(value: boolean): ValueId {
    return this.emit('bconst', [], value ? 1 : 0, `b${value ? 1 : 0}`);
  }

  x(index: number): ValueId {
    return this.emit('x', [], index, `x${index}`);
  }

  /** The candidate as an array. */
  candidate(): ArrayId {
    return (this.candidateArray ??= this.arrays.push({ kind: 'candidate' }) - 1);
  }

  table(values: Float64Array): ArrayId {
    return this.arrays.push({ kind: 'table', values }) - 1;
  }

  localArray(length: number): ArrayId {
    return this.arrays.push({ kind: 'local', length }) - 1;
  }

  outputArray(length: number): ArrayId {
    return this.arrays.push({ kind: 'local', length, isOutput: true }) - 1;
  }

  load(array: ArrayId, at: IndexForm): ValueId {
    const info = this.arrays[array];
    if (at.terms.length === 0 && info.kind === 'candidate') return this.x(at.offset);
    if (at.terms.length === 0 && info.kind === 'table') return this.const(info.values[at.offset]);
    const key = info.kind === 'local' ? null : `load${array}:${formKey(at)}`;
    const known = key === null ? undefined : this.find(key);
    if (known !== undefined) return known;
    const { min, max } = this.rangeOf(at);
    if (max - min === Infinity) throw new Error('an index is used outside of its loop');
    const result = this.place('load', array, at, key);
    this.facts?.learnElement(info, min, max, result);
    return result;
  }

  store(array: ArrayId, at: IndexForm, value: ValueId): void {
    this.grow(1);
    this.current().body.push({ kind: 'op', op: 'store', args: [value], result: -1, imm: array, at, line: 0 });
  }

  /** The index form as an f64. */
  ordinal(at: IndexForm): ValueId {
    if (at.terms.length === 0) return this.const(at.offset);
    const key = `ordinal${formKey(at)}`;
    const known = this.find(key);
    if (known !== undefined) return known;
    const result = this.place('ordinal', 0, at, key);
    const { min, max } = this.rangeOf(at);
    this.facts?.learnRange(min, max, result);
    return result;
  }

  /**
   * The number of an array that holds `values`, made where all of them are visible: as a table where they are
   * constants, as a local array, stored once, elsewhere.
   */
  arrayOf(values: readonly ValueId[]): ArrayId {
    const numbers = values.map((id) => this.constants.get(id));
    if (numbers.every((v) => v !== undefined)) return this.table(Float64Array.from(numbers));
    const key = `array${values.join(',')}`;
    const known = this.find(key);
    if (known !== undefined) return known;
    const array = this.localArray(values.length);
    const scope = this.outermost(values);
    values.forEach((id, k) => {
      const at = { offset: k, terms: [] };
      scope.body.push({ kind: 'op', op: 'store', args: [id], result: -1, imm: array, at, line: 0 });
    });
    this.grow(values.length);
    scope.numbering.set(key, array);
    return array;
  }

  /** Whether this place is inside any `for`. */
  get isInFor(): boolean {
    return this.scopes.some((scope) => scope.loop !== undefined);
  }

  /** Whether this place is inside the `for` of `index`. */
  isOpenIndex(index: ValueId): boolean {
    return this.scopes.some((scope) => scope.loop?.index === index);
  }

  /** The `for`s around this place whose indices `isWanted` names, outermost first. */
  loopsAround(isWanted: (index: ValueId) => boolean): readonly CountedIndex[] {
    return this.scopes.flatMap((scope) => (scope.loop !== undefined && isWanted(scope.loop.index) ? scope.loop : []));
  }

  /** Smallest and largest value of `at` where it is used now. */
  rangeOf(at: IndexForm): { readonly min: number; readonly max: number } {
    return formRange(
      at,
      this.scopes.flatMap((scope) => scope.loop ?? []),
    );
  }

  op(op: Exclude<OpName, LeafOpName | 'store' | 'check'>, ...args: ValueId[]): ValueId {
    const settled = this.facts?.settled(op, args);
    if (settled !== undefined) return this.bool(settled);
    return this.emit(op, args, isAngleOp(op) && this.isQuick(args[0]) ? 1 : 0, numberingKey(op, args));
  }

  /** Sine, cosine and tangent of `angle` need no reduction but the quick one: as `imm` of these operations says. */
  knowQuick(angle: ValueId): void {
    this.quickAngles.add(angle);
  }

  private isQuick(angle: ValueId): boolean {
    return this.quickAngles.has(angle) || this.facts?.isWithin(angle, TRIG_QUICK_ARGUMENT) === true;
  }

  /**
   * `value`, and the statement that CPython's may be off by `radius` (for `verification/`; anything else sees `value`).
   * Passes drop it.
   */
  about(value: ValueId, radius: ValueId): ValueId {
    return this.emit('select', [this.bool(true), value, radius], 1, `about:${value},${radius}`);
  }

  /** Flags the lane where `condition` holds. A condition known to be false builds nothing. */
  check(condition: ValueId, status: LaneStatus, line: number): void {
    if (this.constants.get(condition) === 0) return;
    this.grow(1);
    this.current().body.push({ kind: 'op', op: 'check', args: [condition], result: -1, imm: status, line });
  }

  /**
   * Opens a nested region that is placed later by `placeIf`, `splice` or not at all. Regions close in the reverse order
   * of opening; `reopen` continues a closed one.
   */
  openRegion(): OpenRegion {
    const scope: Scope = { body: [], numbering: new Map() };
    this.scopes.push(scope);
    return scope;
  }

  reopen(region: OpenRegion): void {
    this.scopes.push(region as Scope);
  }

  closeRegion(region: OpenRegion): void {
    if (this.scopes.pop() !== region) throw new Error('regions must close in the reverse order of opening');
  }

  /** Moves the nodes of a closed region to the end of the current one: they run unconditionally. */
  splice(region: OpenRegion): void {
    const { body, numbering } = region as Scope;
    const current = this.current();
    (region as Scope).movedTo = current;
    for (const node of body) current.body.push(node);
    for (const [key, value] of numbering) current.numbering.set(key, value);
  }

  placeIf(
    condition: ValueId,
    then: OpenRegion,
    thenYields: readonly ValueId[],
    otherwise: OpenRegion,
    otherwiseYields: readonly ValueId[],
  ): ValueId[] {
    const results = thenYields.map((id) => this.newValue(this.types[id]));
    results.forEach((result, k) => this.facts?.join(result, thenYields[k], otherwiseYields[k]));
    this.grow(1);
    this.current().body.push({
      kind: 'if',
      condition,
      then: { body: (then as Scope).body, yields: thenYields },
      otherwise: { body: (otherwise as Scope).body, yields: otherwiseYields },
      results,
    });
    return results;
  }

  /** New values that a loop body will see as its params; placed by `placeLoop`. */
  params(types: readonly IrType[]): ValueId[] {
    return types.map((type) => this.newValue(type));
  }

  placeLoop(
    initial: readonly ValueId[],
    params: readonly ValueId[],
    body: OpenRegion,
    yields: readonly ValueId[],
    fuel: number,
    line: number,
  ): ValueId[] {
    const results = params.map((id) => this.newValue(this.types[id]));
    this.grow(1);
    const region = { body: (body as Scope).body, yields };
    this.current().body.push({ kind: 'loop', initial, params, body: region, results, fuel, line });
    return results;
  }

  /**
   * Opens the body of a `for` that is placed later by `placeFor` or not at all; closed by `closeRegion`. `params` come
   * from `params()`.
   */
  openFor(count: IndexForm, params: readonly ValueId[]): OpenFor {
    const loop = { index: this.newValue('index'), count };
    const scope: Scope & OpenFor = { body: [], numbering: new Map<string | number, ValueId>(), loop };
    for (const id of [loop.index, ...params]) this.homes[id] = scope;
    this.scopes.push(scope);
    return scope;
  }

  placeFor(
    body: OpenFor,
    initial: readonly ValueId[],
    params: readonly ValueId[],
    yields: readonly ValueId[],
  ): ValueId[] {
    const results = params.map((id) => this.newValue(this.types[id]));
    this.grow(1);
    const region = { body: (body as OpenRegion as Scope).body, yields };
    this.current().body.push({ kind: 'for', ...body.loop, initial, params, body: region, results });
    return results;
  }

  /** Builds a `for`; the callback gets index and params and returns the next params. */
  for(
    count: IndexForm,
    initial: readonly ValueId[],
    build: (index: ValueId, params: readonly ValueId[]) => readonly ValueId[],
  ): ValueId[] {
    const params = initial.map((id) => this.newValue(this.types[id]));
    const body = this.openFor(count, params);
    let yields: readonly ValueId[];
    try {
      yields = [...build(body.loop.index, params)];
    } finally {
      this.closeRegion(body);
    }
    return this.placeFor(body, [...initial], params, yields);
  }

  /** Builds an `if`; each callback returns the values that its region yields. */
  if(condition: ValueId, then: () => readonly ValueId[], otherwise: () => readonly ValueId[]): ValueId[] {
    const thenRegion = this.region(then);
    const otherwiseRegion = this.region(otherwise);
    const results = thenRegion.yields.map((id) => this.newValue(this.types[id]));
    this.grow(1);
    this.current().body.push({ kind: 'if', condition, then: thenRegion, otherwise: otherwiseRegion, results });
    return results;
  }

  /** Builds a `loop`; the callback gets the params and returns `[again, ...next]`. */
  loop(
    initial: readonly ValueId[],
    fuel: number,
    line: number,
    body: (params: readonly ValueId[]) => readonly ValueId[],
  ): ValueId[] {
    const params = initial.map((id) => this.newValue(this.types[id]));
    const region = this.region(() => body(params));
    const results = params.map((id) => this.newValue(this.types[id]));
    this.grow(1);
    this.current().body.push({ kind: 'loop', initial: [...initial], params, body: region, results, fuel, line });
    return results;
  }

  /** Runs `build` in a fresh nested region and returns that region without placing it anywhere. */
  region(build: () => readonly ValueId[]): Region {
    this.scopes.push({ body: [], numbering: new Map() });
    try {
      const yields = [...build()];
      return { body: this.current().body, yields };
    } finally {
      this.scopes.pop();
    }
  }

  /** Regions that were opened but never placed leave gaps in the numbering: the result is numbered densely. */
  finish(result: ValueId): IrFunction {
    return this.finishAll([result]).ir;
  }

  /**
   * The same where several values are of interest: the function yields the first, `results` are all in its numbering.
   */
  finishAll(values: readonly ValueId[]): { readonly ir: IrFunction; readonly results: readonly ValueId[] } {
    const body: Region = { body: this.scopes[0].body, yields: values };
    const { name, dimension, arrays } = this;
    const all = renumber({ name, dimension, arrays }, body, this.types);
    const results = all.body.yields;
    return { ir: { ...all, body: { body: all.body.body, yields: [results[0]] } }, results };
  }

  private emit(op: OpName, args: readonly ValueId[], imm: number, key: string | number): ValueId {
    const known = this.find(key);
    if (known !== undefined) return known;
    const type = OPS[op].result;
    if (type === 'none') throw new Error(`op ${op} has no result`);
    const result = this.newValue(type);
    this.facts?.learn(op, args, imm, result);
    if (this.keepsOffMinusZero(op, args, imm)) this.offMinusZero.add(result);
    // Constants live in the outermost region so that every region shares them.
    const scope = op === 'const' || op === 'bconst' || op === 'x' ? this.scopes[0] : this.outermost(args);
    this.homes[result] = scope;
    scope.body.push({ kind: 'op', op, args, result, imm, line: args.length === 0 ? 0 : this.line });
    scope.numbering.set(key, result);
    if (op === 'const' || op === 'bconst') this.constants.set(result, imm);
    if (op === 'x') this.coordinates.set(result, imm);
    this.grow(1);
    return result;
  }

  /** Whether `value` is known never to be -0. */
  isNeverMinusZero(value: ValueId): boolean {
    return this.offMinusZero.has(value);
  }

  private keepsOffMinusZero(op: OpName, args: readonly ValueId[], imm: number): boolean {
    const isOff = (k: number): boolean => this.offMinusZero.has(args[k]);
    switch (op) {
      case 'const':
        return !Object.is(imm, -0);
      // No number is so close to an odd multiple of pi/2 that its cosine is zero.
      case 'abs':
      case 'exp':
      case 'cos':
        return true;
      case 'mul':
        return args[0] === args[1];
      // -0 is -0 + -0 and -0 - 0 only.
      case 'add':
        return isOff(0) || isOff(1);
      case 'sub':
        return isOff(0) || (this.constants.get(args[1]) ?? 0) !== 0;
      case 'sqrt':
        return isOff(0);
      case 'select':
        return isOff(1) && (imm === 1 || isOff(2));
      default:
        return false;
    }
  }

  private find(key: string | number): ValueId | undefined {
    for (let s = this.scopes.length - 1; s >= 0; s--) {
      const known = this.scopes[s].numbering.get(key);
      if (known !== undefined) return known;
    }
    return undefined;
  }

  private place(op: 'load' | 'ordinal', imm: number, at: IndexForm, key: string | null): ValueId {
    const result = this.newValue('f64');
    // What a local array holds changes with every store.
    const scope = key === null ? this.current() : this.outermost(at.terms.map((t) => t.index));
    this.homes[result] = scope;
    scope.body.push({ kind: 'op', op, args: [], result, imm, at, line: 0 });
    if (key !== null) scope.numbering.set(key, result);
    this.grow(1);
    return result;
  }

  private newValue(type: IrType): ValueId {
    this.types.push(type);
    this.homes.push(this.current());
    return this.types.length - 1;
  }

  /** Where an operation on `args` is built: outside of every `for` around it that none of them depends on. */
  private outermost(args: readonly ValueId[]): Scope {
    let k = this.scopes.length - 1;
    while (this.scopes[k].loop !== undefined && !args.some((id) => this.homeOf(id) === this.scopes[k])) k--;
    return this.scopes[k];
  }

  private homeOf(id: ValueId): Scope {
    let home = this.homes[id];
    while (home.movedTo !== undefined) home = home.movedTo;
    return (this.homes[id] = home);
  }

  private current(): Scope {
    return this.scopes[this.scopes.length - 1];
  }
}
