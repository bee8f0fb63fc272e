/**
 * Entry of the front end: Python source in, what the service and the engine need out. Pure functions of their
 * arguments; safe to call in any thread.
 */
import { BoxFacts } from '../ir/box-facts.js';
import { IrBuilder, ProgramTooLarge } from '../ir/builder.js';
import { constantForm } from '../ir/index-form.js';
import { LaneStatus, resultsOf, type IrFunction, type ValueId } from '../ir/types.js';
import type { Bounds } from '../model/bounds.js';
import { MAX_OBJECTIVES } from '../model/front.js';
import type { InterpreterFacts } from '../model/interpreter-facts.js';
import { resultsIn, type ObjectiveSource } from '../model/objective.js';
import { argumentKind } from './argument-kind.js';
import { assignedNames, namesAssignedIn } from './syntax/assigned-names.js';
import type { Expression, Module, Position, Statement } from './syntax/ast.js';
import type { Diagnostic } from './syntax/diagnostic.js';
import type { Roll } from './machine/machine.js';
import { MAX_NODES, TOO_LARGE } from './machine/work.js';
import { Evaluator } from './run/evaluator.js';
import { NO_EXCEPTION } from './values/exceptions.js';
import { UnknownImport } from './library/modules.js';
import { findObjective } from './objective.js';
import { parsePython, type ParseResult } from './syntax/parser.js';
import { touchedBy } from './syntax/module-effects.js';
import { keepsRowsApart, usesMatrix } from './population-form.js';
import { NO_NAMES } from './values/scopes.js';
import {
  PathRaises,
  RollFailure,
  Unsupported,
  dynamic,
  float,
  int,
  tuple,
  typeName,
  type AnyValue,
  type BuiltinValue,
  type FilteredValue,
  type Held,
  type FunctionValue,
  type InstanceValue,
  type MaskedValue,
  type Scalar,
  type Scope,
  type Value,
} from './values/values.js';

export interface UploadAnalysis {
  /** Findings that refuse the upload (`syntax`, `objective`, `limit`); empty when it can be stored. */
  readonly errors: readonly Diagnostic[];
  /** How to call it; null when `errors` is not empty. */
  readonly source: ObjectiveSource | null;
  /** Population form: it takes an array of shape (n, d) and gives n numbers. Declared, or recognised with certainty. */
  readonly vectorized: boolean;
  /** Whether it compiles for one of the dimensions that were tried. */
  readonly compiled: boolean;
  /** Numbers that it gives there: more than 1 is for runs of so many objectives. 1 where it does not compile. */
  readonly results: number;
  /** The first of them, in their order, for which it does; null: none. */
  readonly dimension: number | null;
  /** Why it needs CPython, in plain words; where it compiles for some dimensions only, why it does not for others. */
  readonly reasons: readonly Diagnostic[];
}

export interface CompileOptions {
  readonly dimension: number;
  /** Where every candidate will lie; absent: anywhere. The result is right only inside. */
  readonly bounds?: Bounds;
  /** Minor version of the Python 3 whose semantics are kept (`sum` changed in 3.12). */
  readonly pythonMinor: number;
  /** The interpreter that evaluates what compiled code does not; absent: there is none. */
  readonly interpreter?: InterpreterFacts | null;
  /** Which loops stay rolled; for tests. */
  readonly roll?: Roll;
  /** The objective is in population form: one row of its argument is one candidate. */
  readonly vectorized?: boolean;
  /** Any number of results that a run could have objectives for; absent: those of the source. */
  readonly anyResults?: boolean;
  /**
   * The form that `verification/` judges CPython's values by: calls of library functions are kept where their arguments
   * are known, and what CPython computes in another order, or by another formula, says how far it may be off. The same
   * values; not for `optimizeIr`.
   */
  readonly judging?: boolean;
}

/** The program, or why there is none. All results of the source but the first are outputs of the program. */
export type CompileResult =
  | { readonly ir: IrFunction; readonly reasons: readonly [] }
  | { readonly ir: null; readonly reasons: readonly Diagnostic[] };

/** Dimensions that are tried at upload, after those that the source itself suggests. */
const TRIED_DIMENSIONS = [2, 3, 5, 10];
const MAX_HINTS = 8;
const MAX_SUGGESTED_DIMENSION = 200;
/**
 * Where every evaluation raises for all of them, dimensions up to here are tried, too, as long as that is little work.
 */
const MAX_SEARCHED_DIMENSION = 100;
const MAX_SEARCH = 100_000;
/** So much work in vain is enough. */
const MAX_TRIED = 2_000_000;

interface UploadOptions {
  /** The upload says that its objective is in population form. Absent: it is looked for. */
  readonly vectorized?: boolean;
  /** It is not compiled, for this reason. Absent: it is, where that is possible. */
  readonly isTooMuch?: string;
  /** As for `CompileOptions`; absent: 11. */
  readonly pythonMinor?: number;
  readonly interpreter?: InterpreterFacts | null;
}

/** Checks an upload; `name` helps to find the objective among several functions. */
export function analyzeUpload(code: string, name: string, options: UploadOptions = {}): UploadAnalysis {
  const refused = (errors: readonly Diagnostic[]): UploadAnalysis => ({
    errors,
    source: null,
    vectorized: options.vectorized ?? false,
    compiled: false,
    results: 1,
    dimension: null,
    reasons: [],
  });
  const { module, errors } = parsed(code);
  if (module === null || errors.length > 0) return refused(errors);
  const found = findObjective(module, name);
  if ('error' in found) return refused([found.error]);
  const { objective } = found;
  const source: ObjectiveSource = { code, entry: objective.entry, argument: argumentKind(module, objective) };
  const matrixSource: ObjectiveSource = { ...source, argument: 'ndarray' };
  if (options.isTooMuch !== undefined) {
    const reasons = [{ kind: 'limit' as const, message: options.isTooMuch, ...positionOf(module, source) }];
    const { vectorized = false } = options;
    const accepted = vectorized ? matrixSource : source;
    return { errors: [], source: accepted, vectorized, compiled: false, results: 1, dimension: null, reasons };
  }
  if (options.vectorized === true) {
    const { dimension, reasons } = tryDimensions(module, matrixSource, true, options);
    const compiled = dimension !== null;
    return { errors: [], source: matrixSource, vectorized: true, compiled, results: 1, dimension, reasons };
  }
  const single = tryDimensions(module, source, false, options);
  // A function of one candidate that raises whatever the candidate is, and uses its argument as a matrix.
  if (options.vectorized === undefined && single.alwaysRaises && usesMatrix(module, objective)) {
    const population = tryDimensions(module, matrixSource, true, options);
    const { dimension } = population;
    if (dimension !== null)
      return { errors: [], source: matrixSource, vectorized: true, compiled: true, results: 1, dimension, reasons: [] };
    const reasons = single.reasons.map((r) => ({ ...r, message: `${r.message}${POPULATION_HINT}` }));
    return { errors: [], source, vectorized: false, compiled: false, results: 1, dimension: null, reasons };
  }
  const { dimension, results, reasons } = single;
  return { errors: [], source, vectorized: false, compiled: dimension !== null, results, dimension, reasons };
}

const POPULATION_HINT = ' Where x is a whole population of shape (n, d), declare "vectorized": true';

interface Trial {
  /** The first that compiles; null: none. */
  readonly dimension: number | null;
  readonly results: number;
  readonly reasons: readonly Diagnostic[];
  /** For each dimension that was tried, every evaluation raises. */
  readonly alwaysRaises: boolean;
}

function tryDimensions(
  module: Module,
  source: ObjectiveSource,
  vectorized: boolean,
  { pythonMinor = 11, interpreter = null }: UploadOptions,
): Trial {
  let reasons: readonly Diagnostic[] = [];
  let alwaysRaises = true;
  const failed: number[] = [];
  let results = 1;
  const works = (dimension: number): boolean => {
    const options = { dimension, pythonMinor, interpreter, vectorized, anyResults: !vectorized };
    const result = compileModule(module, source, options);
    if (result.ir !== null) {
      results = resultsOf(result.ir);
      return true;
    }
    failed.push(dimension);
    const isVague = (reason: Diagnostic): boolean => reason.kind === 'objective' || reason.message === LEAVES_LANES;
    if (reasons.length === 0 || isVague(reasons[0])) reasons = result.reasons;
    alwaysRaises &&= isVague(result.reasons[0]);
    return false;
  };
  const compiled = (dimension: number): Trial => ({
    dimension,
    results,
    reasons: failed.length === 0 ? [] : [onlySometimes(dimension, failed, reasons[0])],
    alwaysRaises: false,
  });
  let tried = 0;
  for (const dimension of suggestedDimensions(module)) {
    if (works(dimension)) return compiled(dimension);
    tried += loaded.get(module)?.work.spent ?? MAX_SEARCH;
    if (tried > MAX_TRIED) return { dimension: null, results, reasons, alwaysRaises };
    // Too large already: more dimensions will not help.
    if (reasons[0].kind === 'limit') return { dimension: null, results, reasons, alwaysRaises };
  }
  // Meant for a number of dimensions that the source does not show, such as the weights of a network.
  let work = 0;
  for (let dimension = 1; dimension <= MAX_SEARCHED_DIMENSION && alwaysRaises && work < MAX_SEARCH; dimension++) {
    if (failed.includes(dimension)) continue;
    if (works(dimension)) return compiled(dimension);
    work += loaded.get(module)?.work.spent ?? MAX_SEARCH;
  }
  return { dimension: null, results, reasons, alwaysRaises };
}

/** Reason for code that may raise for every candidate, or give a number where only CPython can tell. */
const LEAVES_LANES = 'what is compiled of it raises an exception for every candidate, but for those that need CPython';

function onlySometimes(works: number, failed: readonly number[], reason: Diagnostic): Diagnostic {
  const tried =
    failed.length > 4 ? `${failed.slice(0, 3).join(', ')} and ${failed.length - 3} other numbers` : failed.join(', ');
  const why = reason.kind === 'objective' ? 'every evaluation raises an exception here' : reason.message;
  return { ...reason, message: `it compiles for ${works} dimensions; for ${tried} it does not: ${why}` };
}

/** Compiles an accepted upload for one dimension. */
export function compileObjective(source: ObjectiveSource, options: CompileOptions): CompileResult {
  const { module, errors } = parsed(source.code);
  if (module === null || errors.length > 0) return { ir: null, reasons: errors };
  return compileModule(module, source, options);
}

/** The last source that was compiled, which is often compiled for another dimension next. */
let recent: { readonly code: string; readonly result: ParseResult } | null = null;

function parsed(code: string): ParseResult {
  if (recent?.code !== code) recent = { code, result: parsePython(code) };
  return recent.result;
}

function compileModule(module: Module, source: ObjectiveSource, options: CompileOptions): CompileResult {
  const { newest } = module;
  if (newest !== null && newest.pythonMinor > options.pythonMinor) {
    const { line, column } = newest;
    const message = `this is written for Python 3.${newest.pythonMinor}, which Python 3.${options.pythonMinor} refuses`;
    return { ir: null, reasons: [{ kind: 'unsupported', message, line, column }] };
  }
  if (options.vectorized === true && resultsIn(source) > 1) {
    const message = 'several objectives in population form are not compiled';
    return { ir: null, reasons: [{ kind: 'unsupported', message, ...positionOf(module, source) }] };
  }
  if (options.vectorized === true) {
    const mixes = mixedRows(module, source, options);
    if (mixes !== null) return { ir: null, reasons: [mixes] };
  }
  const built = build(module, source, options, options.vectorized === true ? 1 : null);
  return 'reason' in built ? { ir: null, reasons: [built.reason] } : { ir: built.ir, reasons: [] };
}

type BuildOptions = Omit<CompileOptions, 'bounds'> & { readonly bounds?: Bounds | undefined };

type Built =
  | { readonly ir: IrFunction; readonly results: readonly ValueId[] }
  | { readonly reason: Diagnostic; readonly hasRolled: boolean };

/** The function of one candidate (`rows` null), or of an array with that many rows; `ir` yields the first result. */
function build(module: Module, source: ObjectiveSource, options: BuildOptions, rows: number | null): Built {
  const roll = options.roll ?? 'auto';
  const built = buildRolled(module, source, options, rows, roll);
  if (!('reason' in built) || !built.hasRolled || built.reason.kind === 'limit') return built;
  // What a rolled loop leaves behind may be missing: without any, all is there.
  return buildRolled(module, source, options, rows, 'never');
}

function buildRolled(
  module: Module,
  source: ObjectiveSource,
  options: BuildOptions,
  rows: number | null,
  roll: Roll,
): Built {
  const { dimension, bounds } = options;
  const facts = bounds === undefined ? null : new BoxFacts(bounds);
  const newBuilder = (): IrBuilder =>
    new IrBuilder(source.entry ?? 'objective', dimension * (rows ?? 1), facts, MAX_NODES);
  let builder = newBuilder();
  const ev = evaluatorFor(module, builder, options, roll);
  let work = 0;
  for (let trial = 0; ; trial++) {
    const attempt = (): Built => {
      try {
        const value = evaluateObjective(ev, module, source, dimension, rows);
        if (rows === null) return finish(ev, builder, valuesOf(ev, value, source, options.anyResults === true));
        const at = positionOf(module, source);
        const scalars = numbersOf(ev.choices.plain(value, at), rows, at);
        return builder.finishAll(scalars.map((s) => ev.ops.f64(s)));
      } catch (error) {
        // Where the stack has run out, or the work was ended, what a branch wrote may not have been taken back.
        if (error instanceof RangeError || !isOfSource(error)) loaded.delete(module);
        return { reason: reasonOf(error, ev), hasRolled: ev.hasRolled };
      }
    };
    const built = attempt();
    if (!ev.lasting.isOpen) return built;
    work += ev.work.spent;
    if (work > MAX_STATE_WORK || trial > MAX_STATE_TRIALS) return { reason: tooMuchState(ev), hasRolled: false };
    builder = newBuilder();
    ev.restart(builder, roll, true);
  }
}

/** The first is the value of the program, the others are its outputs. */
function finish(ev: Evaluator, builder: IrBuilder, scalars: readonly Scalar[]): Built {
  for (const scalar of scalars) ev.ops.requireSign(scalar);
  const ids = scalars.map((s) => ev.ops.f64(s));
  if (ids.length > 1) {
    const outputs = builder.outputArray(ids.length - 1);
    ids.slice(1).forEach((id, k) => builder.store(outputs, constantForm(k), id));
  }
  return builder.finishAll(ids.slice(0, 1));
}

/** How often a program that keeps state from call to call is built again, and what that may take. */
const MAX_STATE_TRIALS = 40;
const MAX_STATE_WORK = 3_000_000;

const tooMuchState = (ev: Evaluator): Diagnostic => ({
  kind: 'limit',
  message: 'the function keeps too much from call to call',
  ...ev.ops.here,
});

/** Evaluators that have loaded a module, from which nothing of a program is left. */
const loaded = new WeakMap<Module, Evaluator>();
/** The products of a larger module are not kept, for the memory that they take. */
const MAX_KEPT_STEPS = 200_000;

function evaluatorFor(
  module: Module,
  builder: IrBuilder,
  { pythonMinor, interpreter = null, judging = false }: BuildOptions,
  roll: Roll,
): Evaluator {
  if (judging) {
    const fresh = new Evaluator(builder, pythonMinor, roll, interpreter);
    fresh.ops.statesErrors = true;
    return fresh;
  }
  const ev = loaded.get(module);
  if (ev?.pythonMinor !== pythonMinor || ev.modules.facts?.key !== interpreter?.key) {
    return new Evaluator(builder, pythonMinor, roll, interpreter);
  }
  ev.restart(builder, roll);
  return ev;
}

/** Why the rows of an argument in population form are not candidates of their own; null where they are. */
function mixedRows(module: Module, source: ObjectiveSource, options: CompileOptions): Diagnostic | null {
  const single = build(module, source, { ...options, bounds: undefined }, 1);
  if ('reason' in single) return single.reason;
  const pair = build(module, source, { ...options, bounds: undefined }, 2);
  if (!('reason' in pair) && keepsRowsApart(single.ir, pair.ir, pair.results)) return null;
  if ('reason' in pair && pair.reason.kind === 'limit') return pair.reason;
  const message =
    'the number for one row of X depends on other rows, or on how many there are: a vectorized objective must treat ' +
    'each row for itself (axis=1 instead of axis=0 or none)';
  return { kind: 'unsupported', message, ...positionOf(module, source) };
}

function positionOf(module: Module, { entry }: ObjectiveSource): Position {
  const definition = module.body.find((node) => node.kind === 'FunctionDef' && node.name === entry);
  return { line: definition?.line ?? 1, column: definition?.column ?? 1 };
}

/** Characters of a reason. */
const MAX_MESSAGE = 1000;

/** Whether it is about the source, and not about who compiles it. */
const isOfSource = (error: unknown): boolean =>
  [RollFailure, Unsupported, PathRaises, ProgramTooLarge].some((kind) => error instanceof kind);

function reasonOf(error: unknown, ev: Evaluator): Diagnostic {
  // What is said of the objective is said of every candidate: not where some were left to CPython.
  if (error instanceof Unsupported && error.kind === 'objective') {
    if (ev.choices.handedOver !== null) return reasonOf(ev.choices.handedOver, ev);
    if (ev.ops.leavesLanes) {
      return {
        kind: 'unsupported',
        message: `${error.message}, but for candidates that need CPython`,
        ...error.position,
      };
    }
  }
  if (error instanceof RollFailure || error instanceof Unsupported) {
    return {
      kind: error instanceof Unsupported ? error.kind : 'unsupported',
      // It may name a text that the source has computed.
      message: error.message.length > MAX_MESSAGE ? `${error.message.slice(0, MAX_MESSAGE)}...` : error.message,
      line: error.position.line,
      column: error.position.column,
    };
  }
  if (error instanceof PathRaises && ev.choices.handedOver !== null) return reasonOf(ev.choices.handedOver, ev);
  if (error instanceof PathRaises && ev.ops.leavesLanes) {
    return { kind: 'unsupported', message: LEAVES_LANES, ...ev.ops.here };
  }
  if (error instanceof PathRaises) {
    const message = 'every evaluation raises an exception here; is it meant for another number of dimensions?';
    return { kind: 'objective', message, ...ev.ops.here };
  }
  if (error instanceof ProgramTooLarge) {
    return { kind: 'limit', message: TOO_LARGE, ...ev.ops.here };
  }
  // Deeply nested source can exhaust the stack of the evaluator. The engine throws the same for a length beyond its own
  // limits.
  if (error instanceof RangeError) {
    const isStack = error.message.includes('call stack');
    return { kind: 'limit', message: isStack ? 'the function is nested too deeply' : TOO_LARGE, ...ev.ops.here };
  }
  throw error;
}

function evaluateObjective(
  ev: Evaluator,
  module: Module,
  source: ObjectiveSource,
  dimension: number,
  rows: number | null,
): AnyValue {
  let callee: Callable | Expression;
  if (source.entry === null) {
    callee = (module.body[0] as Extract<Statement, { kind: 'Expr' }>).value;
  } else {
    if (ev.loading) {
      loadModule(ev, module);
      ev.endLoading();
      const isKept = ev.builder.isEmpty && ev.work.loadingSteps <= MAX_KEPT_STEPS && !ev.ops.statesErrors;
      if (isKept) loaded.set(module, ev);
    }
    const value = ev.moduleScope.cells.get(source.entry)?.value;
    if (value?.tag === 'opaque') throw new Unsupported(value.reason, value.position);
    if (value === undefined || !isCallable(value))
      throw new Unsupported('the objective is nothing that can be called', { line: 1, column: 1 });
    callee = value;
  }
  const lambda =
    'kind' in callee && callee.kind === 'Lambda'
      ? (ev.expressions.evaluate(callee, ev.moduleScope) as FunctionValue)
      : null;
  if (ev.loading) ev.endLoading();
  const x = argument(ev, source, dimension, rows);
  if ('tag' in callee)
    return ev.calls.call(callee, {
      args: [x],
      keywords: new Map(),
      position: 'position' in callee ? callee.position : { line: 1, column: 1 },
    });
  if (lambda !== null) return ev.calls.call(lambda, { args: [x], keywords: new Map(), position: callee });
  const locals = new Set(['x', ...namesAssignedIn(callee)]);
  const scope: Scope = { kind: 'function', parent: ev.moduleScope, cells: new Map(), names: { ...NO_NAMES, locals } };
  ev.names.bind('x', x, scope);
  return ev.expressions.evaluateAny(callee, scope);
}

type Callable = FunctionValue | BuiltinValue | InstanceValue;

const isCallable = (value: Held): value is Callable =>
  value.tag === 'function' || value.tag === 'builtin' || value.tag === 'instance';

function argument(ev: Evaluator, source: ObjectiveSource, dimension: number, rows: number | null): Value {
  const isArray = source.argument === 'ndarray' || rows !== null;
  if (ev.bulk.isLarge(dimension) && rows === null) {
    ev.hasRolled = true;
    return ev.bulk.candidate(isArray ? 'npfloat' : 'float', [dimension]);
  }
  const items = Array.from({ length: dimension * (rows ?? 1) }, (_, k) =>
    dynamic(isArray ? 'npfloat' : 'float', ev.builder.x(k)),
  );
  if (!isArray) return ev.cells.list(items);
  return ev.arrays.make(rows === null ? [dimension] : [rows, dimension], 'npfloat', items);
}

/** The numbers that an objective in population form gives, one per row. */
function numbersOf(value: Value, rows: number, position: Position): readonly Scalar[] {
  const items =
    value.tag === 'tuple'
      ? value.items
      : value.tag === 'list' || (value.tag === 'ndarray' && value.shape[0] === rows)
        ? value.cells.map((cell) => cell.value)
        : [];
  const scalars = items.filter((item): item is Scalar => item?.tag === 'scalar');
  if (scalars.length === rows && items.length === rows) return scalars;
  throw new Unsupported('with X of shape (n, d) this does not return n numbers, one for each row', position);
}

/** How deep a number may lie in tuples and lists of one element; the CPython worker's limit (`to_number`). */
const RESULT_DEPTH = 4;

/** The number that an objective's result counts as: itself, or the element of a one-element tuple, list or array. */
function numberOf(ev: Evaluator, value: Value, depth = RESULT_DEPTH): Scalar {
  if (value.tag === 'scalar') return value;
  if (value.tag === 'ndarray' && value.cells.length === 1) return ev.arrays.items(value)[0];
  if (depth > 0 && value.tag === 'tuple' && value.items.length === 1)
    return numberOf(ev, ev.choices.plain(value.items[0], ev.ops.here), depth - 1);
  if (depth > 0 && value.tag === 'list' && value.cells.length === 1) {
    return numberOf(ev, ev.cells.readCell(value.cells[0], ev.ops.here), depth - 1);
  }
  const isOfAnyLength = value.tag === 'masked' || (value.tag === 'filtered' && !value.isGenerator);
  if (isOfAnyLength && (value.tag === 'masked' || depth > 0)) return onlyOf(ev, value);
  const count = depth === RESULT_DEPTH ? lengthOf(value) : -1;
  const isSeveral = count >= 2 && count <= MAX_OBJECTIVES;
  const hint = isSeveral
    ? `; a run with "objectives": ${count} (--objectives ${count}) takes them as ${count} objectives`
    : '';
  throw new Unsupported(
    `the objective returns ${describeResult(value)} instead of a number${hint}`,
    ev.ops.here,
    'objective',
  );
}

/** The one element, where there is just one: other lanes are flagged. */
function onlyOf(ev: Evaluator, { items }: MaskedValue | FilteredValue): Scalar {
  const { ops } = ev;
  const position = ops.here;
  const numbers = items.map(({ value, present }) => {
    if (value.tag !== 'scalar')
      throw new Unsupported(
        'the objective returns a list of a length that depends on x, of other than numbers',
        position,
      );
    return { value, present };
  });
  const count = numbers.reduce<Scalar>(
    (n, { present }) => ops.binary('+', n, ops.retag(present, 'int'), position),
    int(0),
  );
  ops.check(ops.compare('!=', count, int(1)), LaneStatus.Raised, NO_EXCEPTION);
  return numbers.reduceRight<Scalar>((rest, { value, present }) => ops.select(present, value, rest), float(0));
}

/**
 * Results of an objective for one candidate: as many numbers as its source says, or, with `isAny`, as a run may have
 * objectives. Lanes on which it gives something else are flagged.
 */
function valuesOf(ev: Evaluator, any: AnyValue, source: ObjectiveSource, isAny: boolean): readonly Scalar[] {
  const position = ev.ops.here;
  if (any.tag !== 'choice') return plainValuesOf(ev, ev.choices.plain(any, position), source, isAny);
  let refusal: Unsupported | null = null;
  let isAnyGiven = false;
  const given = ev.choices.each(
    any,
    (plain) => {
      try {
        const values = tuple(plainValuesOf(ev, plain, source, isAny));
        isAnyGiven = true;
        return values;
      } catch (error) {
        if (!(error instanceof Unsupported) || error.kind !== 'objective') throw error;
        refusal ??= error;
        if (plain === any.alternatives.at(-1)?.value && !isAnyGiven) throw refusal;
        return ev.ops.raise(LaneStatus.Raised, NO_EXCEPTION);
      }
    },
    position,
  );
  return ev.sequences.iterate(ev.choices.plain(given, position), position).filter((value) => value.tag === 'scalar');
}

function plainValuesOf(ev: Evaluator, value: Value, source: ObjectiveSource, isAny: boolean): readonly Scalar[] {
  const count = lengthOf(value);
  const expected = resultsIn(source);
  if (isAny ? count < 2 || count > MAX_OBJECTIVES : expected === 1) return [numberOf(ev, value)];
  if (isAny || count === expected) return elementsOf(ev, value).map((item) => numberOf(ev, item, 0));
  const what = `${describeResult(value)} instead of ${expected} numbers, one per objective`;
  const isOfAnyLength = value.tag === 'masked' || value.tag === 'filtered';
  throw new Unsupported(`the objective returns ${what}`, ev.ops.here, isOfAnyLength ? 'unsupported' : 'objective');
}

/** Elements of a tuple, a list or an array of one axis; -1 of others. */
function lengthOf(value: Value): number {
  if (value.tag === 'tuple') return value.items.length;
  if (value.tag === 'list') return value.cells.length;
  return value.tag === 'ndarray' && value.shape.length === 1 ? value.cells.length : -1;
}

function elementsOf(ev: Evaluator, value: Value): readonly Value[] {
  if (value.tag === 'tuple') return ev.sequences.iterate(value, ev.ops.here);
  if (value.tag === 'list') return value.cells.map((cell) => ev.cells.readCell(cell, ev.ops.here));
  return value.tag === 'ndarray' ? ev.arrays.items(value) : [];
}

function describeResult(value: Value): string {
  switch (value.tag) {
    case 'none':
      return 'None';
    case 'tuple':
      return `a tuple of ${value.items.length} elements`;
    case 'list':
      return `a list of ${value.cells.length} elements`;
    case 'ndarray':
      return `an array of shape (${value.shape.join(', ')}${value.shape.length === 1 ? ',' : ''})`;
    default:
      return `a ${typeName(value)}`;
  }
}

/**
 * Runs the module's statements. What is not translated poisons the names that it would bind, so that it matters only
 * when the objective uses them.
 */
function loadModule(ev: Evaluator, module: Module): void {
  for (const node of module.body) {
    try {
      ev.statements.execute(node, ev.moduleScope);
    } catch (error) {
      // Whether anything behind it is reached, and with what, is not known.
      if (!(error instanceof Unsupported) || error instanceof UnknownImport || error.kind === 'limit') throw error;
      if (node.kind === 'Expr' && !isHarmlessCall(ev, node.value)) throw error;
      const reason = `${error.message} (line ${error.position.line})`;
      if (node.kind === 'ImportFrom') ev.hidden = reason;
      const names = new Set(assignedNames([node]));
      if (node.kind !== 'Expr') {
        const touched = touchedBy(node, module);
        if (touched === 'all') throw error;
        const { written, mentioned, isAliased } = touched;
        for (const name of written) if (ev.moduleScope.cells.has(name)) names.add(name);
        for (const name of ev.names.sharing(isAliased ? new Set([...written, ...mentioned]) : written)) names.add(name);
      }
      for (const name of names)
        ev.names.bind(name, { tag: 'opaque', reason, position: error.position }, ev.moduleScope);
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

/**
 * Dimensions that the source hints at by unpacking or by constant indices; then the usual ones; then lengths of its
 * lists and numbers that it compares something with.
 */
function suggestedDimensions(module: Module): number[] {
  const hints = new Set<number>();
  const lengths = new Set<number>();
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
        if (target.kind === 'Tuple' && node.value.kind !== 'Tuple') hints.add(target.elements.length);
      }
    }
    if (node.kind === 'Subscript' && node.value.kind === 'Name') {
      // x[2], and X[:, 2] of a population.
      const { index } = node;
      const last = index.kind === 'Tuple' ? index.elements[index.elements.length - 1] : index;
      if (last?.kind === 'Int') largest = Math.max(largest, last.value ?? -1);
    }
    if (node.kind === 'List' || node.kind === 'Tuple') lengths.add(node.elements.length);
    if (node.kind === 'Compare') {
      for (const c of node.comparators) if (c.kind === 'Int' && c.value !== null) lengths.add(c.value);
    }
    for (const part of Object.values(item)) if (typeof part === 'object' && part !== null) stack.push(part);
  }
  if (largest >= 0) hints.add(largest + 1);
  const usable = (set: ReadonlySet<number>): number[] => [...set].filter((n) => n >= 1 && n <= MAX_SUGGESTED_DIMENSION);
  const tried = [...usable(hints).slice(0, MAX_HINTS), ...TRIED_DIMENSIONS, ...usable(lengths).slice(0, MAX_HINTS)];
  return [...new Set(tried)];
}
