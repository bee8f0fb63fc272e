/**
 * What CPython refuses after parsing, with the words and in the order of its symbol table (`Python/symtable.c`) and
 * code generator (`Python/compile.c`): misplaced `return`, `break`, `yield`, `await`; names declared global or nonlocal
 * too late; repeated parameters and keywords; starred expressions out of place; patterns that bind twice; `__future__`.
 *
 * One walk over the whole tree, a method for each kind of node: the file is as long as the grammar.
 * Nothing is resolved here for compilation; the tree is only read. Recursion is bounded by `MAX_TREE_DEPTH`.
 */
import type {
  Comprehension,
  Expression,
  FunctionDef,
  Keyword,
  Module,
  Parameters,
  Position,
  Statement,
} from './ast.js';
import type { ClassDef, ExpressionOf, Pattern, StatementOf } from './ast.js';
import type { Diagnostic } from './diagnostic.js';
import { checkPattern } from './pattern-check.js';
import type { SyntaxDetails, TypeParameter } from './syntax-details.js';

/** More findings than this help nobody. */
const MAX_DIAGNOSTICS = 20;
/** CPython 3.12's CO_MAXBLOCKS: loops, `with` items and parts of `try` within each other in one function. */
const MAX_STATIC_BLOCKS = 20;
/** Names that every class body binds for the functions in it. */
const CLASS_CELLS: ReadonlySet<string> = new Set(['__class__', '__classdict__']);
const FUTURE_FEATURES: ReadonlySet<string> = new Set([
  'nested_scopes',
  'generators',
  'division',
  'absolute_import',
  'with_statement',
  'print_function',
  'unicode_literals',
  'barry_as_FLUFL',
  'generator_stop',
  'annotations',
]);

/** All findings in the order of the source; empty for a program that CPython compiles. */
export function checkScopes(module: Module, details: SyntaxDetails): readonly Diagnostic[] {
  const checker = new ScopeChecker(details);
  checker.checkModule(module);
  return checker.diagnostics.sort((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_DIAGNOSTICS);
}

/** What is known of a name in a scope: a set of bits, as in `symtable.h`. */
const PARAMETER = 1;
const LOCAL = 2;
const USED = 4;
const GLOBAL = 8;
const NONLOCAL = 16;
const ANNOTATED = 32;
const ITERATION = 64;
const TYPE_PARAMETER = 128;

type ScopeKind =
  | 'module'
  | 'class'
  | 'function'
  | 'async function'
  | 'lambda'
  | 'list comprehension'
  | 'set comprehension'
  | 'dict comprehension'
  | 'generator expression'
  // These forbid `yield`, `await` and `:=`; the words are those of the message.
  | 'an annotation'
  | 'a TypeVar bound'
  | 'a type alias'
  | 'the definition of a generic';

/** A construct that is unwound by `break`, `continue` or `return`, or that counts for `MAX_STATIC_BLOCKS`. */
type Block = 'loop' | 'exception group handler' | 'other';

class Scope {
  readonly names = new Map<string, number>();
  readonly blocks: Block[] = [];
  readonly nonlocals: (Position & { readonly name: string })[] = [];
  readonly returnsWithValue: Position[] = [];
  isGenerator = false;
  /** Contains `await` or `async for` of its own. */
  isCoroutine: boolean;
  /** How many comprehension iterables enclose the current place. */
  iterableDepth: number;
  inIterationTarget = false;

  constructor(
    readonly kind: ScopeKind,
    readonly parent: Scope | null,
  ) {
    this.isCoroutine = kind === 'async function';
    this.iterableDepth = parent?.iterableDepth ?? 0;
  }

  get isComprehension(): boolean {
    return this.kind.endsWith('comprehension') || this.kind === 'generator expression';
  }

  /** What `symtable.c` calls a function block. */
  get isFunction(): boolean {
    return this.isComprehension || this.kind === 'function' || this.kind === 'async function' || this.kind === 'lambda';
  }

  flags(name: string): number {
    return this.names.get(name) ?? 0;
  }
}

class ScopeChecker {
  readonly diagnostics: Diagnostic[] = [];
  private scope = new Scope('module', null);
  private hasFutureAnnotations = false;
  /** The `from __future__` imports at the beginning of the module. */
  private readonly futureImports = new Set<Statement>();
  private readonly scopesWithNonlocals: Scope[] = [];

  constructor(private readonly details: SyntaxDetails) {}

  checkModule(module: Module): void {
    this.readFutureImports(module);
    this.visitBody(module.body);
    this.resolveNonlocals();
  }

  private report(message: string, at: Position): void {
    this.diagnostics.push({ kind: 'syntax', message, line: at.line, column: at.column });
  }

  private readFutureImports(module: Module): void {
    for (const [i, statement] of module.body.entries()) {
      const isDocstring = i === 0 && statement.kind === 'Expr' && statement.value.kind === 'String';
      if (isDocstring) continue;
      if (statement.kind !== 'ImportFrom' || statement.module !== '__future__') return;
      this.futureImports.add(statement);
      for (const { name, line, column } of statement.names) {
        if (name === 'braces') this.report('not a chance', { line, column });
        else if (!FUTURE_FEATURES.has(name)) this.report(`future feature ${name} is not defined`, { line, column });
        else if (name === 'annotations') this.hasFutureAnnotations = true;
      }
    }
  }

  // Scopes and names

  private within(kind: ScopeKind, visit: (scope: Scope) => void): Scope {
    const parent = this.scope;
    const scope = new Scope(kind, parent);
    this.scope = scope;
    visit(scope);
    this.scope = parent;
    return scope;
  }

  private define(name: string, flag: number, at: Position, scope = this.scope): void {
    let flags = scope.flags(name);
    if (flag & PARAMETER && flags & PARAMETER) {
      this.report(`duplicate argument '${name}' in function definition`, at);
    }
    if (flag & TYPE_PARAMETER && flags & TYPE_PARAMETER) this.report(`duplicate type parameter '${name}'`, at);
    if (scope.inIterationTarget) {
      if (flags & (GLOBAL | NONLOCAL)) {
        this.report(`comprehension inner loop cannot rebind assignment expression target '${name}'`, at);
      }
      flags |= ITERATION;
    }
    scope.names.set(name, flags | flag);
  }

  private store(name: string, flag: number, at: Position): void {
    this.refuseDebug(name, 'assign to', at);
    this.define(name, flag, at);
  }

  private refuseDebug(name: string, verb: string, at: Position): void {
    if (name === '__debug__') this.report(`cannot ${verb} __debug__`, at);
  }

  private declareGlobal(statement: StatementOf<'Global'> & Position): void {
    for (const name of statement.names) {
      const flags = this.scope.flags(name);
      if (flags & PARAMETER) this.report(`name '${name}' is parameter and global`, statement);
      else if (flags & USED) this.report(`name '${name}' is used prior to global declaration`, statement);
      else if (flags & ANNOTATED) this.report(`annotated name '${name}' can't be global`, statement);
      else if (flags & LOCAL) this.report(`name '${name}' is assigned to before global declaration`, statement);
      else if (flags & NONLOCAL) this.report(`name '${name}' is nonlocal and global`, statement);
      this.define(name, GLOBAL, statement);
    }
  }

  private declareNonlocal(statement: StatementOf<'Nonlocal'> & Position): void {
    if (this.scope.kind === 'module') {
      this.report('nonlocal declaration not allowed at module level', statement);
      return;
    }
    const { line, column } = statement;
    if (this.scope.nonlocals.length === 0) this.scopesWithNonlocals.push(this.scope);
    for (const name of statement.names) {
      const flags = this.scope.flags(name);
      if (flags & PARAMETER) this.report(`name '${name}' is parameter and nonlocal`, statement);
      else if (flags & USED) this.report(`name '${name}' is used prior to nonlocal declaration`, statement);
      else if (flags & ANNOTATED) this.report(`annotated name '${name}' can't be nonlocal`, statement);
      else if (flags & LOCAL) this.report(`name '${name}' is assigned to before nonlocal declaration`, statement);
      else if (flags & GLOBAL) this.report(`name '${name}' is nonlocal and global`, statement);
      this.scope.nonlocals.push({ name, line, column });
      this.define(name, NONLOCAL, statement);
    }
  }

  /** Looks for the variable behind each `nonlocal`; an enclosing function may bind it below the inner one. */
  private resolveNonlocals(): void {
    for (const scope of this.scopesWithNonlocals) {
      for (const declared of scope.nonlocals) {
        const message = this.nonlocalError(scope, declared.name);
        if (message !== null) this.report(message, declared);
      }
    }
  }

  private nonlocalError(scope: Scope, name: string): string | null {
    for (let outer = scope.parent; outer !== null; outer = outer.parent) {
      const flags = outer.flags(name);
      if (outer.kind === 'class' && CLASS_CELLS.has(name)) return null;
      if (flags & TYPE_PARAMETER) return `nonlocal binding not allowed for type parameter '${name}'`;
      if (!outer.isFunction) continue;
      if (flags & GLOBAL) break;
      if (flags & NONLOCAL) continue;
      if (flags & (LOCAL | PARAMETER)) return null;
    }
    return `no binding for nonlocal '${name}' found`;
  }
  // Blocks

  private withinBlock(block: Block, at: Position, visit: () => void): void {
    const { blocks } = this.scope;
    if (blocks.length === MAX_STATIC_BLOCKS) this.report('too many statically nested blocks', at);
    blocks.push(block);
    visit();
    blocks.pop();
  }

  private checkLoopExit(statement: Position, outsideMessage: string): void {
    for (const block of this.scope.blocks.toReversed()) {
      if (block === 'loop') return;
      if (block === 'exception group handler') {
        this.reportInGroupHandler(statement);
        return;
      }
    }
    this.report(outsideMessage, statement);
  }

  private reportInGroupHandler(at: Position): void {
    this.report("'break', 'continue' and 'return' cannot appear in an except* block", at);
  }

  private checkReturn(statement: StatementOf<'Return'> & Position): void {
    const { scope } = this;
    if (!scope.isFunction) this.report("'return' outside function", statement);
    else if (scope.blocks.includes('exception group handler')) this.reportInGroupHandler(statement);
    if (statement.value === null) return;
    this.visit(statement.value);
    scope.returnsWithValue.push(statement);
  }

  // Statements

  private visitBody(body: readonly Statement[]): void {
    for (const statement of body) this.visitStatement(statement);
  }

  private visitStatement(statement: Statement): void {
    switch (statement.kind) {
      case 'FunctionDef':
        return this.visitFunction(statement);
      case 'ClassDef':
        return this.visitClass(statement);
      case 'Return':
        return this.checkReturn(statement);
      case 'Delete':
        for (const target of statement.targets) this.visitTarget(target, 'delete');
        return;
      case 'Assign':
        for (const target of statement.targets) this.visitTarget(target, 'assign to');
        return this.visit(statement.value);
      case 'AugAssign':
        this.visitTarget(statement.target, 'assign to');
        return this.visit(statement.value);
      case 'AnnAssign':
        return this.visitAnnotated(statement);
      case 'For':
        return this.visitFor(statement);
      case 'While':
        this.visit(statement.test);
        this.withinBlock('loop', statement, () => this.visitBody(statement.body));
        return this.visitBody(statement.orElse);
      case 'If':
        this.visit(statement.test);
        this.visitBody(statement.body);
        return this.visitBody(statement.orElse);
      case 'With':
        return this.visitWith(statement);
      case 'Match':
        return this.visitMatch(statement);
      case 'Raise':
        this.visitOptional(statement.exception);
        return this.visitOptional(statement.cause);
      case 'Try':
        return this.visitTry(statement);
      case 'Assert':
        this.visit(statement.test);
        return this.visitOptional(statement.message);
      case 'Import':
        for (const alias of statement.names) {
          this.store(alias.asName ?? alias.name.split('.', 1).join(), LOCAL, alias);
        }
        return;
      case 'ImportFrom':
        return this.visitImportFrom(statement);
      case 'Global':
        return this.declareGlobal(statement);
      case 'Nonlocal':
        return this.declareNonlocal(statement);
      case 'TypeAlias':
        return this.visitTypeAlias(statement);
      case 'Expr':
        return this.visit(statement.value);
      case 'Break':
        return this.checkLoopExit(statement, "'break' outside loop");
      case 'Continue':
        return this.checkLoopExit(statement, "'continue' not properly in loop");
      case 'Pass':
        return;
    }
  }

  private visitFunction(statement: FunctionDef & Position): void {
    this.store(statement.name, LOCAL, statement);
    const { parameters } = statement;
    this.visitDefaults(parameters);
    for (const decorator of statement.decorators) this.visit(decorator);
    this.withinTypeParameters(this.details.typeParameters.get(statement) ?? [], () => {
      for (const { annotation } of listParameters(parameters)) {
        if (annotation !== null) this.visitAnnotation(annotation);
      }
      const returns = this.details.returnAnnotations.get(statement);
      if (returns !== undefined) this.visitAnnotation(returns);
      const scope = this.within(statement.isAsync ? 'async function' : 'function', () => {
        this.defineParameters(parameters);
        this.visitBody(statement.body);
      });
      if (!statement.isAsync || !scope.isGenerator) return;
      for (const place of scope.returnsWithValue) this.report("'return' with value in async generator", place);
    });
  }

  private visitDefaults(parameters: Parameters): void {
    for (const parameter of listParameters(parameters)) this.visitOptional(parameter.default);
  }

  private defineParameters(parameters: Parameters): void {
    for (const parameter of listParameters(parameters)) this.store(parameter.name, PARAMETER, parameter);
  }

  private visitClass(statement: ClassDef & Position): void {
    this.store(statement.name, LOCAL, statement);
    for (const decorator of statement.decorators) this.visit(decorator);
    this.withinTypeParameters(this.details.typeParameters.get(statement) ?? [], () => {
      for (const base of statement.bases) this.visitElement(base);
      this.visitKeywords(statement.keywords);
      this.within('class', () => this.visitBody(statement.body));
    });
  }

  private withinTypeParameters(parameters: readonly TypeParameter[], visit: () => void): void {
    if (parameters.length === 0) return visit();
    this.within('the definition of a generic', () => {
      for (const parameter of parameters) {
        const { bound } = parameter;
        this.store(parameter.name, TYPE_PARAMETER | LOCAL, parameter);
        if (bound !== null) this.within('a TypeVar bound', () => this.visit(bound));
      }
      visit();
    });
  }

  private visitTypeAlias(statement: StatementOf<'TypeAlias'> & Position): void {
    this.store(statement.name, LOCAL, statement);
    const value = this.details.aliasValues.get(statement);
    if (value === undefined) return;
    this.withinTypeParameters(this.details.typeParameters.get(statement) ?? [], () => {
      this.within('a type alias', () => this.visit(value));
    });
  }

  private visitAnnotation(annotation: Expression): void {
    if (this.hasFutureAnnotations) this.within('an annotation', () => this.visitElement(annotation));
    else this.visitElement(annotation);
  }

  private visitAnnotated(statement: StatementOf<'AnnAssign'> & Position): void {
    const { target, annotation, value } = statement;
    if (target.kind === 'Name' && !this.details.parenthesizedTargets.has(statement)) {
      const flags = this.scope.flags(target.name);
      if (this.scope.kind !== 'module' && flags & (GLOBAL | NONLOCAL)) {
        const declared = flags & GLOBAL ? 'global' : 'nonlocal';
        this.report(`annotated name '${target.name}' can't be ${declared}`, statement);
      }
      this.store(target.name, ANNOTATED | LOCAL, target);
    } else if (target.kind === 'Name') {
      this.refuseDebug(target.name, 'assign to', target);
      if (value !== null) this.define(target.name, LOCAL, target);
    } else {
      this.visitTarget(target, 'assign to');
    }
    this.visitAnnotation(annotation);
    this.visitOptional(value);
  }

  private visitFor(statement: StatementOf<'For'> & Position): void {
    if (statement.isAsync) this.checkAsyncStatement("'async for' outside async function", statement);
    this.visitTarget(statement.target, 'assign to');
    this.visit(statement.iterable);
    this.withinBlock('loop', statement, () => this.visitBody(statement.body));
    this.visitBody(statement.orElse);
  }

  private checkAsyncStatement(message: string, at: Position): void {
    if (this.scope.kind !== 'async function') this.report(message, at);
  }

  private visitWith(statement: StatementOf<'With'> & Position): void {
    if (statement.isAsync) this.checkAsyncStatement("'async with' outside async function", statement);
    const { blocks } = this.scope;
    const outside = blocks.length;
    for (const { context, target } of statement.items) {
      this.visit(context);
      if (blocks.length === MAX_STATIC_BLOCKS) this.report('too many statically nested blocks', statement);
      blocks.push('other');
      if (target !== null) this.visitTarget(target, 'assign to');
    }
    this.visitBody(statement.body);
    blocks.length = outside;
  }

  private visitTry(statement: StatementOf<'Try'> & Position): void {
    const { handlers, isStar, finalBody } = statement;
    if (finalBody.length === 0) {
      this.visitTryParts(statement);
    } else {
      this.withinBlock('other', statement, () => this.visitTryParts(statement));
      this.withinBlock('other', statement, () => this.visitBody(finalBody));
    }
    for (const handler of handlers.slice(0, -1)) {
      if (handler.type === null && !isStar) this.report("default 'except:' must be last", handler);
    }
  }

  private visitTryParts(statement: StatementOf<'Try'> & Position): void {
    const { body, handlers, orElse, isStar } = statement;
    if (handlers.length === 0) return this.visitBody(body);
    this.withinBlock('other', statement, () => this.visitBody(body));
    this.visitBody(orElse);
    this.withinBlock(isStar ? 'exception group handler' : 'other', statement, () => {
      for (const handler of handlers) {
        this.visitOptional(handler.type);
        if (handler.name !== null) this.store(handler.name, LOCAL, handler);
        this.withinBlock('other', handler, () => this.visitBody(handler.body));
      }
    });
  }

  private visitImportFrom(statement: StatementOf<'ImportFrom'> & Position): void {
    if (statement.module === '__future__' && !this.futureImports.has(statement)) {
      this.report('from __future__ imports must occur at the beginning of the file', statement);
    }
    for (const alias of statement.names) {
      if (alias.name !== '*') this.store(alias.asName ?? alias.name, LOCAL, alias);
      else if (this.scope.kind !== 'module') this.report('import * only allowed at module level', statement);
    }
  }

  private visitMatch(statement: StatementOf<'Match'>): void {
    const { subject, cases } = statement;
    this.visitElement(subject);
    cases.forEach((matchCase, i) => {
      this.visitPattern(matchCase.pattern);
      const mayMatchAll = matchCase.guard !== null || i === cases.length - 1;
      checkPattern(matchCase.pattern, mayMatchAll, (message, at) => this.report(message, at));
      this.visitOptional(matchCase.guard);
      this.visitBody(matchCase.body);
    });
  }

  private visitPattern(pattern: Pattern): void {
    switch (pattern.kind) {
      case 'MatchValue':
        return this.visit(pattern.value);
      case 'MatchSingleton':
        return;
      case 'MatchSequence':
      case 'MatchOr':
        return this.visitPatterns(pattern.patterns);
      case 'MatchMapping':
        for (const key of pattern.keys) this.visit(key);
        this.visitPatterns(pattern.patterns);
        if (pattern.rest !== null) this.store(pattern.rest, LOCAL, pattern);
        return;
      case 'MatchClass':
        this.visit(pattern.type);
        this.visitPatterns(pattern.patterns);
        for (const name of pattern.keywordNames) this.refuseDebug(name, 'assign to', pattern);
        return this.visitPatterns(pattern.keywordPatterns);
      case 'MatchStar':
        if (pattern.name !== null) this.store(pattern.name, LOCAL, pattern);
        return;
      case 'MatchAs':
        if (pattern.pattern !== null) this.visitPattern(pattern.pattern);
        if (pattern.name !== null) this.store(pattern.name, LOCAL, pattern);
        return;
    }
  }

  private visitPatterns(patterns: readonly Pattern[]): void {
    for (const pattern of patterns) this.visitPattern(pattern);
  }

  // Expressions

  private visitOptional(expression: Expression | null): void {
    if (expression !== null) this.visit(expression);
  }

  private visitAll(expressions: readonly Expression[]): void {
    for (const expression of expressions) this.visit(expression);
  }

  private visitElements(expressions: readonly Expression[]): void {
    for (const expression of expressions) this.visitElement(expression);
  }

  /** An expression where `*expression` is allowed. */
  private visitElement(expression: Expression): void {
    this.visit(expression.kind === 'Starred' ? expression.value : expression);
  }

  private visitKeywords(keywords: readonly Keyword[]): void {
    const names = new Set<string>();
    for (const keyword of keywords) {
      if (keyword.name !== null) {
        this.refuseDebug(keyword.name, 'assign to', keyword);
        if (names.has(keyword.name)) this.report(`keyword argument repeated: ${keyword.name}`, keyword);
        names.add(keyword.name);
      }
      this.visit(keyword.value);
    }
  }

  private visit(expression: Expression): void {
    switch (expression.kind) {
      case 'Name':
        return this.define(expression.name, USED, expression);
      case 'Int':
      case 'Float':
      case 'Imaginary':
      case 'String':
      case 'Bytes':
      case 'True':
      case 'False':
      case 'None':
      case 'Ellipsis':
        return;
      case 'JoinedString':
      case 'Boolean':
        return this.visitAll(expression.values);
      case 'Binary':
        this.visit(expression.left);
        return this.visit(expression.right);
      case 'Unary':
        return this.visit(expression.operand);
      case 'Compare':
        this.visit(expression.left);
        return this.visitAll(expression.comparators);
      case 'Conditional':
        this.visit(expression.test);
        this.visit(expression.body);
        return this.visit(expression.orElse);
      case 'Call':
        this.visit(expression.callee);
        this.visitElements(expression.args);
        return this.visitKeywords(expression.keywords);
      case 'Attribute':
        return this.visit(expression.value);
      case 'Subscript':
        this.visit(expression.value);
        return this.visit(expression.index);
      case 'Slice':
        this.visitOptional(expression.lower);
        this.visitOptional(expression.upper);
        return this.visitOptional(expression.step);
      case 'Starred':
        this.report("can't use starred expression here", expression);
        return this.visit(expression.value);
      case 'List':
      case 'Tuple':
      case 'Set':
        return this.visitElements(expression.elements);
      case 'Dict':
        for (const key of expression.keys) this.visitOptional(key);
        return this.visitAll(expression.values);
      case 'ListComp':
        return this.visitComprehension('list comprehension', expression, expression.generators, [expression.element]);
      case 'SetComp':
        return this.visitComprehension('set comprehension', expression, expression.generators, [expression.element]);
      case 'GeneratorExp':
        return this.visitComprehension('generator expression', expression, expression.generators, [expression.element]);
      case 'DictComp': {
        const { key, value, generators } = expression;
        return this.visitComprehension('dict comprehension', expression, generators, [value, key]);
      }
      case 'Lambda':
        this.visitDefaults(expression.parameters);
        this.within('lambda', () => {
          this.defineParameters(expression.parameters);
          this.visit(expression.body);
        });
        return;
      case 'NamedExpression':
        return this.visitNamedExpression(expression);
      case 'Await':
        this.refuseInAnnotation('await expression', expression);
        if (!this.scope.isFunction) this.report("'await' outside function", expression);
        else if (this.scope.kind !== 'async function' && !this.scope.isComprehension) {
          this.report("'await' outside async function", expression);
        }
        this.visit(expression.value);
        this.scope.isCoroutine = true;
        return;
      case 'Yield':
        this.checkYield(expression);
        return this.visitOptional(expression.value);
      case 'YieldFrom':
        this.checkYield(expression);
        if (this.scope.kind === 'async function') this.report("'yield from' inside async function", expression);
        return this.visit(expression.value);
    }
  }

  private refuseInAnnotation(what: string, at: Position): boolean {
    switch (this.scope.kind) {
      case 'an annotation':
      case 'a TypeVar bound':
      case 'a type alias':
      case 'the definition of a generic':
        this.report(`${what} cannot be used within ${this.scope.kind}`, at);
        return true;
      default:
        return false;
    }
  }

  private checkYield(at: Position): void {
    if (this.refuseInAnnotation('yield expression', at)) return;
    if (this.scope.isComprehension) this.report(`'yield' inside ${this.scope.kind}`, at);
    else if (!this.scope.isFunction) this.report("'yield' outside function", at);
    this.scope.isGenerator = true;
  }

  /** The first iterable belongs to the scope outside, everything else to that of the comprehension. */
  private visitComprehension(
    kind: ScopeKind,
    at: Position,
    generators: readonly Comprehension[],
    elements: readonly Expression[],
  ): void {
    const [first, ...others] = generators;
    if (first === undefined) return;
    this.visitIterable(first.iterable);
    const outer = this.scope;
    const inner = this.within(kind, (scope) => {
      if (first.isAsync) scope.isCoroutine = true;
      this.visitIterationTarget(first.target);
      this.visitAll(first.conditions);
      for (const { target, iterable, conditions, isAsync } of others) {
        this.visitIterationTarget(target);
        this.visitIterable(iterable);
        this.visitAll(conditions);
        if (isAsync) scope.isCoroutine = true;
      }
      this.visitAll(elements);
    });
    if (!inner.isCoroutine || kind === 'generator expression') return;
    outer.isCoroutine = true;
    if (outer.kind !== 'async function' && !outer.isComprehension) {
      this.report('asynchronous comprehension outside of an asynchronous function', at);
    }
  }

  private visitIterable(iterable: Expression): void {
    const { scope } = this;
    scope.iterableDepth += 1;
    this.visit(iterable);
    scope.iterableDepth -= 1;
  }

  private visitIterationTarget(target: Expression): void {
    const { scope } = this;
    scope.inIterationTarget = true;
    this.visitTarget(target, 'assign to');
    scope.inIterationTarget = false;
  }

  private visitNamedExpression(expression: ExpressionOf<'NamedExpression'> & Position): void {
    const { target, value } = expression;
    this.refuseInAnnotation('named expression', expression);
    if (this.scope.iterableDepth > 0) {
      this.report('assignment expression cannot be used in a comprehension iterable expression', expression);
    }
    if (this.scope.isComprehension && target.kind === 'Name') this.bindOutsideComprehensions(target.name, target);
    this.visit(value);
    this.visitTarget(target, 'assign to');
  }

  /** `:=` in a comprehension binds its name in the function or module around it. */
  private bindOutsideComprehensions(name: string, at: Position): void {
    let outer: Scope | null = this.scope;
    for (; outer !== null && outer.isComprehension; outer = outer.parent) {
      if (outer.flags(name) & ITERATION) {
        this.report(`assignment expression cannot rebind comprehension iteration variable '${name}'`, at);
        return;
      }
    }
    if (outer === null) return;
    if (outer.kind === 'class') {
      this.report('assignment expression within a comprehension cannot be used in a class body', at);
    } else if (outer.kind === 'module') {
      this.define(name, GLOBAL, at);
      this.define(name, GLOBAL, at, outer);
    } else if (outer.isFunction) {
      this.define(name, outer.flags(name) & GLOBAL ? GLOBAL : NONLOCAL, at);
      this.define(name, LOCAL, at, outer);
    } else {
      this.report(`assignment expression within a comprehension cannot be used in ${outer.kind}`, at);
    }
  }

  private visitTarget(target: Expression, use: 'assign to' | 'delete'): void {
    switch (target.kind) {
      case 'Name':
        this.refuseDebug(target.name, use, target);
        return this.define(target.name, LOCAL, target);
      case 'Attribute':
        this.refuseDebug(target.name, use, target);
        return this.visit(target.value);
      case 'Subscript':
        return this.visit(target);
      case 'Tuple':
      case 'List':
        if (target.elements.filter((element) => element.kind === 'Starred').length > 1) {
          this.report('multiple starred expressions in assignment', target);
        }
        for (const element of target.elements) {
          this.visitTarget(element.kind === 'Starred' ? element.value : element, use);
        }
        return;
      case 'Starred':
        this.report('starred assignment target must be in a list or tuple', target);
        return this.visitTarget(target.value, use);
      default:
        return this.visit(target);
    }
  }
}

function listParameters(parameters: Parameters) {
  const { positionalOnly, positional, varArgs, keywordOnly, keywordArgs } = parameters;
  const extra = [varArgs, keywordArgs].filter((parameter) => parameter !== null);
  return [...positionalOnly, ...positional, ...keywordOnly, ...extra];
}
