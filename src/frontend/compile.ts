/**
 * Entry of the front end: Python source in, what the service and the engine need out. Pure functions of their
 * arguments; safe to call in any thread.
 */
import { BoxFacts } from '../ir/box-facts.js';
import { IrBuilder } from '../ir/builder.js';
import type { IrFunction } from '../ir/types.js';
import { LaneStatus } from '../ir/types.js';
import type { Bounds } from '../model/bounds.js';
import type { ObjectiveSource } from '../model/objective.js';
import { assignedNames } from './assigned-names.js';
import type { Expression, Module, Statement } from './ast.js';
import type { Diagnostic } from './diagnostic.js';
import { Evaluator } from './evaluator.js';
import { argumentKind, findObjective } from './objective.js';
import { parsePython } from './parser.js';
import {
  PathRaises,
  Unsupported,
  dynamic,
  known,
  type BuiltinValue,
  type FunctionValue,
  type InstanceValue,
  type Scalar,
  type Scope,
  type Value,
} from './values.js';

export interface UploadAnalysis {
  /** Findings that refuse the upload (`syntax`, `objective`, `limit`); empty when it can be stored. */
  readonly errors: readonly Diagnostic[];
  /** How to call it; null when `errors` is not empty. */
  readonly source: ObjectiveSource | null;
  /** Whether it compiles for one of the dimensions that were tried. */
  readonly compiled: boolean;
  /** Why it needs CPython, in plain words; empty when it compiles. */
  readonly reasons: readonly Diagnostic[];
}

export interface CompileOptions {
  readonly dimension: number;
  /** Where every candidate will lie; absent: anywhere. The result is right only inside. */
  readonly bounds?: Bounds;
  /** Minor version of the Python 3 whose semantics are kept (`sum` changed in 3.12). */
  readonly pythonMinor: number;
}

export type CompileResult =
  | { readonly ir: IrFunction; readonly reasons: readonly [] }
  | { readonly ir: null; readonly reasons: readonly Diagnostic[] };

/** Dimensions that are tried at upload, after those that the source itself suggests. */
const TRIED_DIMENSIONS = [2, 3, 5, 10];
const MAX_SUGGESTED_DIMENSION = 200;

/** Checks an upload; `name` helps to find the objective among several functions. */
export function analyzeUpload(code: string, name: string): UploadAnalysis {
  const refused = (errors: readonly Diagnostic[]): UploadAnalysis => ({
    errors,
    source: null,
    compiled: false,
    reasons: [],
  });
  const { module, errors } = parsePython(code);
  if (module === null || errors.length > 0) return refused(errors);
  const found = findObjective(module, name);
  if ('error' in found) return refused([found.error]);
  const { objective } = found;
  const source: ObjectiveSource = { code, entry: objective.entry, argument: argumentKind(module, objective) };
  let reasons: readonly Diagnostic[] = [];
  for (const dimension of suggestedDimensions(module)) {
    const result = compileModule(module, source, { dimension, pythonMinor: 11 });
    if (result.ir !== null) return { errors: [], source, compiled: true, reasons: [] };
    if (reasons.length === 0 || reasons[0].kind === 'objective') reasons = result.reasons;
    // Too large already: more dimensions will not help.
    if (result.reasons[0].kind === 'limit') break;
  }
  return { errors: [], source, compiled: false, reasons };
}

/** Compiles an accepted upload for one dimension. */
export function compileObjective(source: ObjectiveSource, options: CompileOptions): CompileResult {
  const { module, errors } = parsePython(source.code);
  if (module === null || errors.length > 0) return { ir: null, reasons: errors };
  return compileModule(module, source, options);
}

function compileModule(module: Module, source: ObjectiveSource, options: CompileOptions): CompileResult {
  const facts = options.bounds === undefined ? null : new BoxFacts(options.bounds);
  const builder = new IrBuilder(source.entry ?? 'objective', options.dimension, facts);
  const ev = new Evaluator(builder, options.pythonMinor);
  try {
    const result = evaluateObjective(ev, module, source, options.dimension);
    return { ir: builder.finish(ev.ops.f64(numberOf(ev, result))), reasons: [] };
  } catch (error) {
    return { ir: null, reasons: [reasonOf(error, ev)] };
  }
}

function reasonOf(error: unknown, ev: Evaluator): Diagnostic {
  if (error instanceof Unsupported) {
    return { kind: error.kind, message: error.message, line: error.position.line, column: error.position.column };
  }
  if (error instanceof PathRaises) {
    const message = 'every evaluation raises an exception here; is it meant for another number of dimensions?';
    return { kind: 'objective', message, line: ev.ops.line, column: 1 };
  }
  // Deeply nested source can exhaust the stack of the evaluator.
  if (error instanceof RangeError) {
    return { kind: 'limit', message: 'the function is nested too deeply', line: ev.ops.line, column: 1 };
  }
  throw error;
}

function evaluateObjective(ev: Evaluator, module: Module, source: ObjectiveSource, dimension: number): Value {
  let callee: Callable | Expression;
  if (source.entry === null) {
    callee = (module.body[0] as Extract<Statement, { kind: 'Expr' }>).value;
  } else {
    loadModule(ev, module);
    const value = ev.moduleScope.cells.get(source.entry)?.value;
    if (value?.tag === 'opaque') throw new Unsupported(value.reason, value.position);
    if (!isCallable(value))
      throw new Unsupported('the objective is nothing that can be called', { line: 1, column: 1 });
    callee = value;
  }
  const lambda =
    'kind' in callee && callee.kind === 'Lambda' ? (ev.evaluate(callee, ev.moduleScope) as FunctionValue) : null;
  ev.loading = false;
  const x = argument(ev, source, dimension);
  if ('tag' in callee)
    return ev.call(callee, {
      args: [x],
      keywords: new Map(),
      position: 'position' in callee ? callee.position : { line: 1, column: 1 },
    });
  if (lambda !== null) return ev.call(lambda, { args: [x], keywords: new Map(), position: callee });
  const scope: Scope = { parent: ev.moduleScope, cells: new Map() };
  ev.bind('x', x, scope);
  return ev.evaluate(callee, scope);
}

type Callable = FunctionValue | BuiltinValue | InstanceValue;

const isCallable = (value: Value | undefined): value is Callable =>
  value?.tag === 'function' || value?.tag === 'builtin' || value?.tag === 'instance';

function argument(ev: Evaluator, source: ObjectiveSource, dimension: number): Value {
  const isArray = source.argument === 'ndarray';
  const items = Array.from({ length: dimension }, (_, k) => dynamic(isArray ? 'npfloat' : 'float', ev.builder.x(k)));
  return isArray ? ev.arrays.make([dimension], 'npfloat', items) : ev.list(items);
}

/** The number that an objective's result counts as: itself, or the element of a one-element tuple, list or array. */
function numberOf(ev: Evaluator, value: Value): Scalar {
  if (value.tag === 'scalar') return value;
  const only =
    value.tag === 'tuple' && value.items.length === 1
      ? value.items[0]
      : (value.tag === 'list' || value.tag === 'ndarray') && value.cells.length === 1
        ? value.cells[0].value
        : undefined;
  if (only?.tag === 'scalar') return only;
  // None, a string, several numbers: no number on any lane. CPython says what it is.
  ev.ops.raise(LaneStatus.Raised);
  return known('float', NaN);
}

/**
 * Runs the module's statements. What is not translated poisons the names that it would bind, so that it matters only
 * when the objective uses them.
 */
function loadModule(ev: Evaluator, module: Module): void {
  for (const node of module.body) {
    try {
      ev.execute(node, ev.moduleScope);
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      if (node.kind === 'Expr' && !isHarmlessCall(ev, node.value)) throw error;
      for (const name of assignedNames([node])) {
        ev.bind(name, { tag: 'opaque', reason: error.message, position: error.position }, ev.moduleScope);
      }
    }
  }
}

/** Calls at module level that cannot change what the objective computes. */
const HARMLESS = ['matplotlib', 'random.seed', 'numpy.random.seed', 'numpy.set_printoptions', 'logging', 'time'];

function isHarmlessCall(ev: Evaluator, node: Expression): boolean {
  if (node.kind !== 'Call') return false;
  const path: string[] = [];
  let callee: Expression = node.callee;
  while (callee.kind === 'Attribute') {
    path.unshift(callee.name);
    callee = callee.value;
  }
  if (callee.kind !== 'Name') return false;
  const root = ev.moduleScope.cells.get(callee.name)?.value;
  if (root?.tag !== 'module') return false;
  const full = [root.path, ...path].join('.');
  return HARMLESS.some((h) => full === h || full.startsWith(`${h}.`));
}

/** Dimensions that the source hints at by unpacking its argument or by constant indices; then the usual ones. */
function suggestedDimensions(module: Module): number[] {
  const hints = new Set<number>();
  let largest = -1;
  const stack: unknown[] = [module.body];
  while (stack.length > 0) {
    const item = stack.pop();
    if (Array.isArray(item)) {
      for (const part of item) stack.push(part);
      continue;
    }
    if (typeof item !== 'object' || item === null) continue;
    const node = item as Statement | Expression;
    if (node.kind === 'Assign') {
      for (const target of node.targets) {
        if (target.kind === 'Tuple' && node.value.kind === 'Name') hints.add(target.elements.length);
      }
    }
    if (node.kind === 'Subscript' && node.index.kind === 'Int' && node.value.kind === 'Name') {
      largest = Math.max(largest, node.index.value ?? -1);
    }
    for (const part of Object.values(item)) if (typeof part === 'object' && part !== null) stack.push(part);
  }
  if (largest >= 0) hints.add(largest + 1);
  const usable = [...hints].filter((n) => n >= 1 && n <= MAX_SUGGESTED_DIMENSION);
  return [...new Set([...usable, ...TRIED_DIMENSIONS])];
}
