/**
 * Functions of the program: made, and inlined where they are called.
 */
import { LaneStatus } from '../../ir/types.js';
import type { Frame } from '../machine/exits.js';
import type { Expression, Parameters, Position, Statement, StatementOf } from '../syntax/ast.js';
import { enclosing, namesOfFunction } from '../values/scopes.js';
import { alternativesOf, choiceOf } from '../values/structure.js';
import {
  NONE,
  PathRaises,
  string,
  tuple,
  Unsupported,
  type AnyCall,
  type AnyValue,
  type Cell,
  type FunctionValue,
  type Held,
  type Scalar,
  type Scope,
  type Value,
} from '../values/values.js';
import { ownerOf } from '../values/classes.js';
import type { Evaluator } from './evaluator.js';

const MAX_CALL_DEPTH = 40;

export class Functions {
  callDepth = 0;

  constructor(private readonly ev: Evaluator) {}

  makeFunction(
    name: string,
    parameters: Parameters,
    body: readonly Statement[] | Expression,
    scope: Scope,
    position: Position,
  ): FunctionValue {
    const defaults = new Map<string, AnyValue>();
    for (const p of [...parameters.positionalOnly, ...parameters.positional, ...parameters.keywordOnly]) {
      if (p.default !== null) defaults.set(p.name, this.ev.expressions.evaluateAny(p.default, scope));
    }
    const isBlock = Array.isArray(body);
    const names = namesOfFunction(parameters, body);
    const isGenerator = isBlock && hasYield(body as readonly Statement[]);
    const closure = enclosing(scope);
    const common = { born: this.ev.cells.clock, attributes: new Map<string, Cell>() };
    return { tag: 'function', name, parameters, defaults, body, closure, names, isGenerator, position, ...common };
  }

  /** Decorators are called with the function, the innermost first. */
  defineFunction(node: StatementOf<'FunctionDef'>, scope: Scope): Value {
    const decorators = node.decorators.map((d) => ({ position: d, value: this.ev.expressions.evaluate(d, scope) }));
    const made: Value = this.makeFunction(node.name, node.parameters, node.body, scope, node);
    return decorators.reduceRight<Value>(
      (fn, { value, position }) =>
        this.ev.choices.plain(this.ev.calls.call(value, { args: [fn], keywords: new Map(), position }), position),
      made,
    );
  }

  /** `super()` in a method. */
  superOf(position: Position): Value {
    const { method, self } = this.ev.exits.frame;
    const cls = method === null ? undefined : ownerOf(method);
    if (cls === undefined || self === undefined) throw new Unsupported('super() outside a method', position);
    return { tag: 'super', cls, self };
  }

  callFunction(fn: FunctionValue, call: AnyCall): AnyValue {
    if (this.callDepth >= MAX_CALL_DEPTH)
      throw new Unsupported(
        `more than ${MAX_CALL_DEPTH} calls inside one another: recursion must end after a known number of steps`,
        call.position,
      );
    this.ev.work.step(call.position);
    if (fn.position.line === 0) requireFit(fn, call);
    const { names } = fn;
    const scope: Scope = { kind: 'function', parent: fn.closure, cells: new Map(), names, function: fn };
    this.bindArguments(fn, call, scope);
    for (const name of names.locals) if (!scope.cells.has(name)) scope.cells.set(name, this.ev.cells.cell(undefined));
    this.ev.names.adoptGlobals(fn);
    const caller = this.ev.exits.frame;
    this.ev.exits.frame = this.ev.exits.newFrame();
    this.ev.exits.frame.method = fn;
    const [self] = call.args;
    this.ev.exits.frame.self = self === undefined || self.tag === 'choice' || self.tag === 'opaque' ? undefined : self;
    this.callDepth++;
    try {
      if (!Array.isArray(fn.body)) return this.ev.expressions.evaluateAny(fn.body as Expression, scope);
      const body = fn.body as readonly Statement[];
      if (fn.isGenerator) return this.generate(fn, body, call, scope);
      this.ev.statements.executeBlock(body, scope);
      return this.resultOf(this.ev.exits.frame);
    } catch (error) {
      if (fn.position.line > 0 || !(error instanceof Unsupported)) throw error;
      throw new Unsupported(error.message, call.position, error.kind);
    } finally {
      this.ev.exits.frame = caller;
      this.callDepth--;
      this.ev.ops.locate(call.position);
    }
  }

  /** A generator function: its items are computed when it is called, and hold while what it reads is unchanged. */
  private generate(fn: FunctionValue, body: readonly Statement[], call: AnyCall, scope: Scope): Value {
    if (this.ev.exits.handlers.length > 0)
      throw new Unsupported('a generator function in a try statement', call.position);
    const yields = { items: [] as AnyValue[], depth: this.ev.cells.journals.length };
    this.ev.exits.frame.yields = yields;
    const sources = [...call.args, ...call.keywords.values(), ...fn.defaults.values()];
    const { cells, isBulk } = cellsOf(sources);
    const { elementWrites } = this.ev.cells;
    const values = cells.map((cell) => cell.value);
    const made = this.ev.cells.withEffects(() => {
      try {
        this.ev.statements.executeBlock(body, scope);
      } catch (error) {
        // Python raises it where the item is asked for, if anybody asks.
        if (error instanceof PathRaises) this.ev.ops.leavesLanes = true;
        throw error;
      }
    });
    // Numbers tell nothing of what the function has changed of its own.
    const areNumbers = yields.items.every((item) => item.tag === 'scalar');
    const hasEffects = areNumbers ? made.hasOuterEffects : made.hasEffects;
    const isSame = this.ev.sequences.unseen([fn, ...sources], this.ev.sequences.watchFunction(fn, []));
    return this.ev.sequences.iterator(
      'generator',
      yields.items,
      () =>
        isSame() &&
        cells.every((cell, k) => cell.value === values[k]) &&
        (!isBulk || this.ev.cells.elementWrites === elementWrites) &&
        cellsOf(sources).cells.every((cell, k) => cell === cells[k]),
      hasEffects,
    );
  }

  addYield(values: readonly AnyValue[], position: Position): Value {
    const { yields } = this.ev.exits.frame;
    if (yields === null) throw new Unsupported('yield outside a generator function', position);
    if (yields.depth !== this.ev.cells.journals.length) {
      throw new Unsupported(
        'a generator function whose number of items depends on x, or one with a while loop',
        position,
      );
    }
    yields.items.push(...values);
    return NONE;
  }

  private resultOf(frame: Frame): AnyValue {
    const returned = frame.returned.value as Scalar;
    const result = frame.result.value;
    if (result === undefined || returned.known === 0) return NONE;
    const value = result.tag === 'maybe' ? result.value : result;
    if (returned.known !== undefined || value.tag === 'opaque') return value;
    // Lanes that fall off the end give None.
    const given = alternativesOf(value).map((a) => ({ when: this.ev.ops.and(returned, a.when), value: a.value }));
    const isNone = given.findIndex((a) => a.value.tag === 'none');
    const none = isNone < 0 ? [] : given.splice(isNone, 1);
    const without = none.reduce<Scalar>((when, a) => this.ev.ops.or(when, a.when), this.ev.ops.not(returned));
    return choiceOf([...given, { when: without, value: NONE }], this.ev.ops.here);
  }

  private bindArguments(fn: FunctionValue, call: AnyCall, scope: Scope): void {
    const { parameters } = fn;
    const positional = [...parameters.positionalOnly, ...parameters.positional];
    const wrong = (): never => {
      this.ev.ops.locate(call.position);
      return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
    };
    const bound = new Map<string, AnyValue>();
    call.args.forEach((value, k) => {
      if (k < positional.length) bound.set(positional[k].name, value);
      else if (parameters.varArgs === null) wrong();
    });
    if (parameters.varArgs !== null) {
      bound.set(parameters.varArgs.name, tuple(call.args.slice(positional.length)));
    }
    const named = new Set([...parameters.positional, ...parameters.keywordOnly].map((p) => p.name));
    const extra = new Map<string, AnyValue>();
    for (const [name, value] of call.keywords) {
      if (named.has(name) && !bound.has(name)) bound.set(name, value);
      else if (parameters.keywordArgs !== null && !named.has(name)) extra.set(name, value);
      else wrong();
    }
    for (const p of [...positional, ...parameters.keywordOnly]) {
      if (bound.has(p.name)) continue;
      const value = fn.defaults.get(p.name);
      if (value === undefined) wrong();
      else bound.set(p.name, value);
    }
    if (parameters.keywordArgs !== null) {
      const entries = [...extra].map(([k, v]) => [string(k), v] as const);
      bound.set(parameters.keywordArgs.name, this.ev.cells.dict(entries, call.position));
    }
    for (const [name, value] of bound) scope.cells.set(name, this.ev.cells.cell(value));
  }
}

const YIELDS = new WeakMap<readonly Statement[], boolean>();

/** Whether a function body has a `yield` of its own. */
function hasYield(body: readonly Statement[]): boolean {
  const found = YIELDS.get(body);
  if (found !== undefined) return found;
  let result = false;
  const stack: unknown[] = [...body];
  while (stack.length > 0 && !result) {
    const item = stack.pop();
    if (typeof item !== 'object' || item === null) continue;
    const { kind } = item as { kind?: unknown };
    if (kind === 'FunctionDef' || kind === 'ClassDef' || kind === 'Lambda') continue;
    result = kind === 'Yield' || kind === 'YieldFrom';
    stack.push(...Object.values(item));
  }
  YIELDS.set(body, result);
  return result;
}

/** Functions of libraries have further parameters than are written here. */
function requireFit({ name, parameters, defaults }: FunctionValue, { args, keywords, position }: AnyCall): void {
  const { positionalOnly, positional, keywordOnly, varArgs } = parameters;
  const places = [...positionalOnly, ...positional];
  const given = new Set(places.slice(0, args.length).map((p) => p.name));
  const all = [...places, ...keywordOnly].map((p) => p.name);
  const isStrange = [...keywords.keys()].some((key) => given.has(key) || !all.includes(key));
  const isMissing = all.some((p) => !given.has(p) && !keywords.has(p) && !defaults.has(p));
  if (isStrange || isMissing || (args.length > places.length && varArgs === null))
    throw new Unsupported(`${name}() with these arguments`, position);
}

/** The cells that can be reached through values; large lists and arrays have none. */
function cellsOf(values: readonly AnyValue[]): { readonly cells: readonly Cell[]; readonly isBulk: boolean } {
  const cells = new Set<Cell>();
  let isBulk = false;
  const stack: Held[] = [...values];
  while (stack.length > 0) {
    const held = stack.pop() as Held;
    const value = held.tag === 'maybe' ? held.value : held;
    if (value.tag === 'choice') stack.push(...value.alternatives.map((alternative) => alternative.value));
    if ((value.tag === 'list' || value.tag === 'ndarray') && value.bulk !== undefined) {
      isBulk = true;
      continue;
    }
    const inside =
      value.tag === 'list' || value.tag === 'ndarray'
        ? value.cells
        : value.tag === 'dict'
          ? [...value.entries.values()].map((entry) => entry.cell)
          : value.tag === 'instance'
            ? [...value.attributes.values()]
            : [];
    if (value.tag === 'tuple') stack.push(...value.items);
    if (value.tag === 'complexarray') stack.push(value.re, value.im);
    for (const cell of inside) {
      if (cells.has(cell)) continue;
      cells.add(cell);
      if (cell.value !== undefined) stack.push(cell.value);
    }
  }
  return { cells: [...cells], isBulk };
}
