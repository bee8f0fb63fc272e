/**
 * Whether the objective expects a list or a NumPy array: an array where the source imports NumPy or uses the argument
 * like one, else a list of floats.
 *
 * The value counts, not the name that it came under: uses are followed through the body in the order in which it
 * runs, so that `x = x[0]`, `for x in x` and the parameter of an inner lambda end what `x` stood for, while `y = x` and
 * a helper that is called with it go on. Where ways through the body meet, a name stands for the argument if it does on
 * one of them.
 */
import { assignedNames } from './syntax/assigned-names.js';
import type { BinaryOperator, Expression, FunctionDef, Module, Parameters, Pattern, Statement } from './syntax/ast.js';
import type { FoundObjective } from './objective.js';

type ArgumentKind = 'list' | 'ndarray';

export function argumentKind(module: Module, objective: FoundObjective): ArgumentKind {
  if (importsNumPy(module)) return 'ndarray';
  const { parameters, entry, body } = objective;
  // A method or an object: how it uses its argument is not looked into.
  if (parameters === null && entry !== null) return 'list';
  const name = parameters === null ? 'x' : [...parameters.positionalOnly, ...parameters.positional][0]?.name;
  if (name === undefined) return 'list';
  return new ArrayUse(module).isIn(name, body) ? 'ndarray' : 'list';
}

const ARRAY_ATTRIBUTES = new Set([
  ...['sum', 'prod', 'mean', 'std', 'var', 'max', 'min', 'argmax', 'argmin', 'shape', 'size', 'ndim', 'T', 'dot'],
  ...['reshape', 'ravel', 'flatten', 'astype', 'cumsum', 'clip', 'tolist', 'any', 'all', 'round', 'transpose'],
]);
/** Which lists have as well, if with other operands. */
const LIST_OPERATORS: ReadonlySet<BinaryOperator> = new Set<BinaryOperator>(['+', '*']);
const SCALAR_TYPES = new Set(['float', 'int', 'complex', 'bool', 'str', 'Number', 'Real', 'Integral', 'dict', 'set']);
/** How deep calls of helpers are followed. */
const MAX_CALLS = 8;
/**
 * Loops in loops are gone through again and again; a source that needs more than that is not looked into any further.
 */
const MAX_STEPS = 200_000;

/** Part of the argument that a value is: the whole, or a slice, which is of its kind but often joined with others. */
type Share = 'whole' | 'slice';
type Names = ReadonlyMap<string, Share>;
const NOTHING: Names = new Map();

/** Function that a call can be followed into. */
interface Helper {
  readonly parameters: Parameters;
  readonly body: readonly Statement[] | Expression;
}

/** Where control may go from within a statement. */
interface Ways {
  /** Names, and what they stand for, at the breaks and at the continues of the innermost loop. */
  readonly loop: { breaks: Names; continues: Names } | null;
  /** Names, and what they stand for, wherever an exception may leave the statements of each `try` around. */
  readonly raises: readonly { names: Names }[];
  /** Functions by the names that are theirs alone in the scopes around. */
  readonly helpers: ReadonlyMap<string, Helper>;
  /** Names that the function binds, so that what they hold when an inner function is called is not certain. */
  readonly rebound: ReadonlySet<string>;
  readonly calls: number;
}

class ArrayUse {
  private found = false;
  private steps = 0;
  private readonly helpers: ReadonlyMap<string, Helper>;
  /** Functions that were gone into, by the parameters that are the argument. */
  private readonly seen = new Map<Helper['body'], Set<string>>();

  constructor(module: Module) {
    this.helpers = helpersIn(module.body);
  }

  isIn(name: string, body: readonly Statement[] | Expression): boolean {
    this.enter(body, new Map([[name, 'whole']]), this.helpers, 0);
    return this.found;
  }

  private get isOver(): boolean {
    return this.found || ++this.steps > MAX_STEPS;
  }

  private enter(
    body: readonly Statement[] | Expression,
    names: Names,
    helpers: ReadonlyMap<string, Helper>,
    calls: number,
  ): void {
    const common = { loop: null, raises: [], calls };
    if (!isBlock(body)) {
      this.expression(body, names, { ...common, helpers, rebound: new Set() });
      return;
    }
    const rebound = assignedNames(body);
    const visible = new Map([...helpers].filter(([name]) => !rebound.has(name) && !names.has(name)));
    for (const [name, helper] of helpersIn(body)) visible.set(name, helper);
    this.block(body, names, { ...common, helpers: visible, rebound });
  }

  /** Meaning of names behind the statements; nothing where control does not get there. */
  private block(body: readonly Statement[], before: Names, ways: Ways): Names {
    let names: Names | null = before;
    for (const node of body) {
      if (this.isOver) return NOTHING;
      for (const raise of ways.raises) raise.names = join(raise.names, names);
      names = this.statement(node, names, ways);
      if (names === null) return NOTHING;
    }
    for (const raise of ways.raises) raise.names = join(raise.names, names);
    return names;
  }

  /** Null: control does not go on behind it. */
  private statement(node: Statement, before: Names, ways: Ways): Names | null {
    const value = (e: Expression | null, names: Names = before): Names =>
      e === null ? names : this.expression(e, names, ways);
    switch (node.kind) {
      case 'Return':
        value(node.value);
        return null;
      case 'Raise':
        value(node.exception);
        return null;
      case 'Break':
        if (ways.loop !== null) ways.loop.breaks = join(ways.loop.breaks, before);
        return null;
      case 'Continue':
        if (ways.loop !== null) ways.loop.continues = join(ways.loop.continues, before);
        return null;
      case 'Expr':
        return value(node.value);
      case 'Assert':
        return value(node.message, value(node.test));
      case 'Assign': {
        const names = value(node.value);
        return node.targets.reduce((all, target) => this.assign(target, node.value, all, ways), names);
      }
      case 'AnnAssign':
        if (node.value === null) return before;
        return this.assign(node.target, node.value, value(node.value), ways);
      case 'AugAssign': {
        const names = value(node.value);
        if (isArrayOperation(node.operator, shareOf(node.target, names), null, node.target, node.value, true)) {
          this.found = true;
        }
        return node.target.kind === 'Name' ? names : value(node.target, names);
      }
      case 'Delete':
        return node.targets.reduce((names, target) => this.assign(target, null, names, ways), before);
      case 'If': {
        const names = value(node.test);
        const then = this.block(node.body, withoutScalars(node.test, names), ways);
        return join(then, this.block(node.orElse, names, ways));
      }
      case 'While':
        return this.loop(before, ways, node.orElse, (names, inside) =>
          this.block(node.body, value(node.test, names), inside),
        );
      case 'For': {
        const start = value(node.iterable);
        return this.loop(start, ways, node.orElse, (names, inside) =>
          this.block(node.body, this.assign(node.target, null, names, ways), inside),
        );
      }
      case 'With': {
        let names = before;
        for (const { context, target } of node.items) {
          names = value(context, names);
          if (target !== null) names = this.assign(target, null, names, ways);
        }
        return this.block(node.body, names, ways);
      }
      case 'Try': {
        const raise = { names: before };
        const after = this.block(node.body, before, { ...ways, raises: [...ways.raises, raise] });
        let end = this.block(node.orElse, after, ways);
        for (const { name, body } of node.handlers) {
          end = join(end, this.block(body, name === null ? raise.names : without(raise.names, [name]), ways));
        }
        return this.block(node.finalBody, node.finalBody.length === 0 ? end : join(end, raise.names), ways);
      }
      case 'Match': {
        // No pattern takes an array: a sum that is matched is one of lists.
        const { subject } = node;
        const parts = subject.kind === 'Binary' ? [subject.left, subject.right] : [subject];
        const names = parts.reduce<Names>((all, part) => value(part, all), before);
        const share = shareOf(node.subject, names);
        return node.cases.reduce<Names>((end, { pattern, guard, body }) => {
          const inside = this.captured(pattern, share, names);
          return join(end, this.block(body, value(guard, inside), ways));
        }, names);
      }
      case 'FunctionDef': {
        const outside = node.decorators.reduce((names, e) => value(e, names), before);
        this.closure(node, outside, ways);
        return without(outside, [node.name]);
      }
      case 'ClassDef':
        return without(before, [node.name]);
      case 'Import':
      case 'ImportFrom':
        return without(
          before,
          node.names.map((alias) => alias.asName ?? alias.name.split('.')[0]),
        );
      default:
        return before;
    }
  }

  /** Until what names stand for at its head changes no more. */
  private loop(
    before: Names,
    ways: Ways,
    orElse: readonly Statement[],
    once: (names: Names, ways: Ways) => Names,
  ): Names {
    let head = before;
    for (;;) {
      const loop = { breaks: NOTHING, continues: NOTHING };
      const end = join(once(head, { ...ways, loop }), loop.continues);
      const next = join(head, end);
      if (isSame(next, head)) return join(this.block(orElse, head, ways), loop.breaks);
      head = next;
    }
  }

  /** Meaning of names once `target` holds `value`; null: something that is not the argument. */
  private assign(target: Expression, value: Expression | null, names: Names, ways: Ways): Names {
    switch (target.kind) {
      case 'Name': {
        const share = value === null ? null : shareOf(value, names);
        const others = without(names, [target.name]);
        return share === null ? others : new Map([...others, [target.name, share]]);
      }
      case 'Tuple':
      case 'List': {
        const { elements } = target;
        const values = value?.kind === 'Tuple' || value?.kind === 'List' ? value.elements : [];
        const fits =
          values.length === elements.length && ![...elements, ...values].some(({ kind }) => kind === 'Starred');
        // The right-hand side is complete before the first target is bound.
        return elements.reduce((all, element, k) => {
          const share = fits ? shareOf(values[k], names) : null;
          const after = this.assign(element, null, all, ways);
          return share === null || element.kind !== 'Name' ? after : new Map([...after, [element.name, share]]);
        }, names);
      }
      case 'Starred':
        return this.assign(target.value, null, names, ways);
      default:
        return this.expression(target, names, ways);
    }
  }

  private captured(pattern: Pattern, share: Share | null, names: Names): Names {
    if (pattern.kind !== 'MatchAs') return without(names, capturesOf(pattern));
    const others = without(names, capturesOf(pattern));
    return pattern.name === null || share === null ? others : new Map([...others, [pattern.name, share]]);
  }

  /** Meaning of names behind the expression. */
  private expression(node: Expression, names: Names, ways: Ways): Names {
    if (++this.steps > MAX_STEPS) return NOTHING;
    const visit = (e: Expression, inside: Names = names): Names => this.expression(e, inside, ways);
    const all = (parts: readonly (Expression | null)[]): Names =>
      parts.reduce<Names>((before, e) => (e === null ? before : visit(e, before)), names);
    switch (node.kind) {
      case 'Attribute':
        if (shareOf(node.value, names) !== null && ARRAY_ATTRIBUTES.has(node.name)) this.found = true;
        return visit(node.value);
      case 'Binary': {
        const { operator, left, right } = node;
        if (isArrayOperation(operator, shareOf(left, names), shareOf(right, names), left, right)) this.found = true;
        return all([left, right]);
      }
      case 'Unary':
        if (node.operator === '-' && shareOf(node.operand, names) !== null) this.found = true;
        return visit(node.operand);
      case 'Boolean':
        return all(node.values);
      case 'Compare':
        return all([node.left, ...node.comparators]);
      case 'Conditional': {
        const test = visit(node.test);
        return join(visit(node.body, withoutScalars(node.test, test)), visit(node.orElse, test));
      }
      case 'Call': {
        const after = all([node.callee, ...node.args, ...node.keywords.map((k) => k.value)]);
        this.call(node, names, ways);
        return after;
      }
      case 'Subscript':
        return all([node.value, node.index]);
      case 'Slice':
        return all([node.lower, node.upper, node.step]);
      case 'Starred':
      case 'Await':
      case 'YieldFrom':
        return visit(node.value);
      case 'Yield':
        return node.value === null ? names : visit(node.value);
      case 'List':
      case 'Tuple':
      case 'Set':
        return all(node.elements);
      case 'Dict':
        return all([...node.keys, ...node.values]);
      case 'JoinedString':
        return all(node.values);
      case 'ListComp':
      case 'SetComp':
      case 'GeneratorExp':
      case 'DictComp': {
        let inside = names;
        for (const { target, iterable, conditions } of node.generators) {
          inside = this.assign(target, null, visit(iterable, inside), ways);
          inside = conditions.reduce((before, e) => visit(e, before), inside);
        }
        for (const e of node.kind === 'DictComp' ? [node.key, node.value] : [node.element]) visit(e, inside);
        return names;
      }
      case 'Lambda':
        this.closure(node, names, ways);
        return names;
      case 'NamedExpression':
        return this.assign(node.target, node.value, visit(node.value), ways);
      default:
        return names;
    }
  }

  /** An inner function sees what the names around hold when it is called: certain only of those that are bound once. */
  private closure(node: Helper, names: Names, ways: Ways): void {
    const { parameters, body } = node;
    for (const p of allParameters(parameters)) if (p.default !== null) this.expression(p.default, names, ways);
    const seen = without(names, [...ways.rebound, ...allParameters(parameters).map((p) => p.name)]);
    const inside = isBlock(body) ? without(seen, [...assignedNames(body)]) : seen;
    if (inside.size > 0) this.enter(body, inside, ways.helpers, ways.calls);
  }

  /** Follows the argument into a function of the source. */
  private call(node: Extract<Expression, { kind: 'Call' }>, names: Names, ways: Ways): void {
    const helper = node.callee.kind === 'Name' ? ways.helpers.get(node.callee.name) : undefined;
    if (helper === undefined || ways.calls >= MAX_CALLS) return;
    const positional = [...helper.parameters.positionalOnly, ...helper.parameters.positional];
    const given = new Map<string, Share>();
    const plain = node.args.findIndex((e) => e.kind === 'Starred');
    node.args.slice(0, plain < 0 ? undefined : plain).forEach((e, k) => {
      const share = shareOf(e, names);
      if (share !== null && k < positional.length) given.set(positional[k].name, share);
    });
    for (const { name, value } of node.keywords) {
      const share = shareOf(value, names);
      if (share !== null && name !== null) given.set(name, share);
    }
    if (given.size === 0) return;
    const key = [...given].map(([name, share]) => `${name} ${share}`).join();
    const seen = this.seen.get(helper.body) ?? new Set();
    if (seen.has(key)) return;
    this.seen.set(helper.body, seen.add(key));
    this.enter(helper.body, given, ways.helpers, ways.calls + 1);
  }
}

const isBlock = (body: readonly Statement[] | Expression): body is readonly Statement[] => Array.isArray(body);

const allParameters = (p: Parameters) => [
  ...p.positionalOnly,
  ...p.positional,
  ...(p.varArgs === null ? [] : [p.varArgs]),
  ...p.keywordOnly,
  ...(p.keywordArgs === null ? [] : [p.keywordArgs]),
];

/** Functions that a block defines under a name that it binds only there. */
function helpersIn(body: readonly Statement[]): ReadonlyMap<string, Helper> {
  const found = new Map<string, Helper>();
  const bound = new Map<string, number>();
  for (const node of body) {
    for (const name of assignedNames([node])) bound.set(name, (bound.get(name) ?? 0) + 1);
    if (node.kind === 'FunctionDef' && isPlain(node)) found.set(node.name, node);
    if (node.kind !== 'Assign' || node.value.kind !== 'Lambda') continue;
    for (const target of node.targets) if (target.kind === 'Name') found.set(target.name, node.value);
  }
  return new Map([...found].filter(([name]) => bound.get(name) === 1));
}

const isPlain = (node: FunctionDef): boolean => !node.isAsync && node.decorators.length === 0;

/** Part of the argument that an expression gives; null: something else. */
function shareOf(node: Expression, names: Names): Share | null {
  switch (node.kind) {
    case 'Name':
      return names.get(node.name) ?? null;
    case 'NamedExpression':
      return shareOf(node.value, names);
    case 'Conditional':
      return either(shareOf(node.body, withoutScalars(node.test, names)), shareOf(node.orElse, names));
    case 'Boolean':
      return node.values.map((e) => shareOf(e, names)).reduce(either, null);
    case 'Subscript':
      return node.index.kind === 'Slice' && shareOf(node.value, names) !== null ? 'slice' : null;
    default:
      return null;
  }
}

const either = (a: Share | null, b: Share | null): Share | null => (a === 'slice' ? a : (b ?? a));

/** Whether an operation is one that lists do not have, or would hardly be meant for them. */
function isArrayOperation(
  operator: BinaryOperator,
  left: Share | null,
  right: Share | null,
  leftNode: Expression,
  rightNode: Expression,
  isInPlace = false,
): boolean {
  if (left === null && right === null) return false;
  // Text with places for values.
  if (operator === '%' && left === null && isText(leftNode)) return false;
  if (!LIST_OPERATORS.has(operator)) return true;
  const other = left === null ? leftNode : rightNode;
  const share = left ?? right;
  const isNumber = other.kind === 'Int' || other.kind === 'Float';
  if (operator === '+') {
    if (isNumber) return true;
    // A list is put together with other lists, and is extended by +=.
    return !isInPlace && share === 'whole' && right !== 'slice' && !isListLike(other);
  }
  // A list times an integer repeats it.
  if (other.kind === 'Int' || isListLike(other)) return false;
  return share === 'whole' || other.kind === 'Float' || right !== null;
}

const isText = (node: Expression): boolean => node.kind === 'String' || node.kind === 'JoinedString';

function isListLike(node: Expression): boolean {
  if (node.kind === 'List' || node.kind === 'ListComp' || node.kind === 'Tuple') return true;
  if (node.kind === 'Binary') return LIST_OPERATORS.has(node.operator) && [node.left, node.right].some(isListLike);
  if (node.kind !== 'Call' || node.callee.kind !== 'Name') return false;
  return ['list', 'sorted', 'tuple'].includes(node.callee.name);
}

/** Where `isinstance(v, float)` holds, `v` is not the argument. */
function withoutScalars(test: Expression, names: Names): Names {
  if (test.kind === 'Boolean' && test.operator === 'and') {
    return test.values.reduce((left, e) => withoutScalars(e, left), names);
  }
  if (test.kind !== 'Call' || test.callee.kind !== 'Name' || test.callee.name !== 'isinstance') return names;
  const [value, type] = test.args;
  if (value?.kind !== 'Name' || type === undefined) return names;
  const types = type.kind === 'Tuple' ? type.elements : [type];
  const isScalar = (e: Expression): boolean =>
    (e.kind === 'Name' || e.kind === 'Attribute') && SCALAR_TYPES.has(e.name);
  return types.every(isScalar) ? without(names, [value.name]) : names;
}

function without(names: Names, gone: readonly string[]): Names {
  return gone.some((name) => names.has(name)) ? new Map([...names].filter(([name]) => !gone.includes(name))) : names;
}

function join(a: Names, b: Names): Names {
  if (a === b || b.size === 0) return a;
  if (a.size === 0) return b;
  const all = new Map(a);
  for (const [name, share] of b) all.set(name, share === 'slice' ? share : (a.get(name) ?? share));
  return all;
}

const isSame = (a: Names, b: Names): boolean =>
  a.size === b.size && [...a].every(([name, share]) => b.get(name) === share);

function capturesOf(pattern: Pattern): readonly string[] {
  switch (pattern.kind) {
    case 'MatchAs':
      return [
        ...(pattern.name === null ? [] : [pattern.name]),
        ...(pattern.pattern ? capturesOf(pattern.pattern) : []),
      ];
    case 'MatchStar':
      return pattern.name === null ? [] : [pattern.name];
    case 'MatchMapping':
      return [...(pattern.rest === null ? [] : [pattern.rest]), ...pattern.patterns.flatMap(capturesOf)];
    case 'MatchClass':
      return [...pattern.patterns, ...pattern.keywordPatterns].flatMap(capturesOf);
    case 'MatchSequence':
    case 'MatchOr':
      return pattern.patterns.flatMap(capturesOf);
    default:
      return [];
  }
}

/** Anywhere in the source. Iterative: trees may be deep. */
function importsNumPy(module: Module): boolean {
  const isNumPy = (name: string): boolean => name === 'numpy' || name.startsWith('numpy.');
  const stack: unknown[] = [module.body];
  while (stack.length > 0) {
    const item = stack.pop();
    if (typeof item !== 'object' || item === null) continue;
    if ('kind' in item) {
      const node = item as Statement;
      if (node.kind === 'Import' && node.names.some((alias) => isNumPy(alias.name))) return true;
      if (node.kind === 'ImportFrom' && isNumPy(node.module)) return true;
    }
    for (const part of Object.values(item)) if (typeof part === 'object' && part !== null) stack.push(part);
  }
  return false;
}
