/**
 * Expressions: start with `evaluateAny`.
 */
import { joinedText } from '../library/strings.js';
import type { Expression, ExpressionOf } from '../syntax/ast.js';
import { holderOf } from '../values/scopes.js';
import {
  bool,
  float,
  int,
  NONE,
  string,
  tuple,
  typeName,
  Unsupported,
  type AnyValue,
  type Scope,
  type Value,
} from '../values/values.js';
import type { Evaluator } from './evaluator.js';

export class Expressions {
  constructor(private readonly ev: Evaluator) {}

  /** A value to be looked into. @throws {Unsupported} where it is of several kinds, or of none that is known. */
  evaluate(node: Expression, scope: Scope): Value {
    return this.ev.choices.plain(this.evaluateAny(node, scope), node);
  }

  /** A value to be handed on, or to be asked which kind it is (`each`). */
  evaluateAny(node: Expression, scope: Scope): AnyValue {
    switch (node.kind) {
      case 'Name':
        return this.ev.names.lookUp(node.name, scope, node);
      case 'Int':
      case 'Float':
      case 'String':
      case 'True':
      case 'False':
      case 'None':
      case 'Ellipsis':
      case 'Imaginary':
        return this.constant(node);
      case 'Bytes':
        throw new Unsupported('bytes', node);
      case 'Await':
        throw new Unsupported('await', node);
      case 'Starred':
        throw new Unsupported('a starred expression at this place', node);
      case 'Binary':
        return this.evaluateBinary(node, scope);
      case 'Unary':
        return this.evaluateUnary(node, scope);
      case 'Boolean':
        return this.evaluateBoolean(node, scope, 0);
      case 'Compare':
        return this.evaluateCompare(node, scope);
      case 'Conditional':
        return this.evaluateConditional(node, scope);
      case 'Call':
        return this.ev.calls.evaluateCall(node, scope);
      case 'Attribute':
        return this.evaluateAttribute(node, scope);
      case 'Subscript':
        return this.evaluateSubscript(node, scope);
      case 'Slice':
        return this.evaluateSlice(node, scope);
      case 'List':
        return this.ev.cells.list(this.evaluateItems(node.elements, scope));
      case 'Tuple':
        return this.evaluateTuple(node, scope);
      case 'Set':
        return this.setOf(this.evaluateItems(node.elements, scope), node);
      case 'Dict':
        return this.evaluateDict(node, scope);
      case 'ListComp':
      case 'GeneratorExp':
        return this.ev.comprehensions.comprehension(node, scope);
      case 'SetComp':
        return this.setOf(
          this.comprehend(node, scope, (inner) => this.evaluate(node.element, inner)),
          node,
        );
      case 'DictComp':
        return this.evaluateDictComp(node, scope);
      case 'JoinedString':
        return this.evaluateJoinedString(node, scope);
      case 'Lambda':
        return this.ev.functions.makeFunction('<lambda>', node.parameters, node.body, scope, node);
      case 'NamedExpression':
        return this.evaluateNamed(node, scope);
      case 'Yield':
        return this.ev.functions.addYield([node.value === null ? NONE : this.evaluateAny(node.value, scope)], node);
      case 'YieldFrom':
        return this.ev.functions.addYield(
          this.ev.sequences.iterateAny(this.evaluate(node.value, scope), node.value),
          node,
        );
    }
  }

  private constant(
    node: ExpressionOf<'Int' | 'Float' | 'String' | 'True' | 'False' | 'None' | 'Ellipsis' | 'Imaginary'>,
  ): Value {
    switch (node.kind) {
      case 'Int':
        if (node.value === null)
          throw new Unsupported('integers beyond 2**53 need exact arithmetic (a float such as 1e20 is compiled)', node);
        return int(node.value);
      case 'Float':
        return float(node.value);
      case 'String':
        return string(node.value);
      case 'True':
        return bool(true);
      case 'False':
        return bool(false);
      case 'None':
        return NONE;
      case 'Ellipsis':
        return { tag: 'ellipsis' };
      case 'Imaginary':
        this.ev.ops.locate(node);
        return this.ev.complex.make({ re: float(0), im: float(node.value) }, false);
    }
  }

  private evaluateJoinedString(node: ExpressionOf<'JoinedString'>, scope: Scope): AnyValue {
    return this.ev.choices.eachOf(
      node.values.map((part) => this.evaluateAny(part, scope)),
      (parts) => joinedText(this.ev, node, parts),
      node,
    );
  }

  private evaluateUnary(node: ExpressionOf<'Unary'>, scope: Scope): AnyValue {
    const operand = this.evaluateAny(node.operand, scope);
    this.ev.ops.locate(node);
    return this.ev.operators.unary(node.operator, operand, node);
  }

  private evaluateConditional(node: ExpressionOf<'Conditional'>, scope: Scope): AnyValue {
    const test = this.ev.operators.truthOf(this.evaluateAny(node.test, scope), node);
    return this.ev.branches.branch(
      test,
      () => this.evaluateAny(node.body, scope),
      () => this.evaluateAny(node.orElse, scope),
      node,
    );
  }

  private evaluateAttribute(node: ExpressionOf<'Attribute'>, scope: Scope): AnyValue {
    const object = this.evaluateAny(node.value, scope);
    this.ev.ops.locate(node);
    return this.ev.calls.attribute(object, node.name, node);
  }

  private evaluateSubscript(node: ExpressionOf<'Subscript'>, scope: Scope): AnyValue {
    const object = this.evaluateAny(node.value, scope);
    const index = this.evaluateAny(node.index, scope);
    this.ev.ops.locate(node);
    return this.ev.items.subscriptAny(object, index, node);
  }

  private evaluateSlice(node: ExpressionOf<'Slice'>, scope: Scope): Value {
    const part = (e: Expression | null): number | null => {
      if (e === null) return null;
      const v = this.evaluate(e, scope);
      if (v.tag === 'none') return null;
      return this.ev.items.staticInt(v, e, 'a slice bound');
    };
    return { tag: 'slice', lower: part(node.lower), upper: part(node.upper), step: part(node.step) };
  }

  private setOf(items: readonly AnyValue[], node: Expression): Value {
    return this.ev.cells.set(
      items.map((item) => this.ev.choices.plain(item, node)),
      node,
    );
  }

  private evaluateTuple(node: ExpressionOf<'Tuple'>, scope: Scope): Value {
    const items = this.evaluateItems(node.elements, scope);
    for (const item of items) {
      if (item.tag === 'masked') this.ev.cells.holders.set(item, null);
      if (item.tag === 'iterator') this.ev.sequences.inTurns(item, node);
    }
    return tuple(items);
  }

  private evaluateDict(node: ExpressionOf<'Dict'>, scope: Scope): Value {
    const entries: (readonly [Value, AnyValue])[] = [];
    node.keys.forEach((keyNode, k) => {
      const key = keyNode === null ? null : this.evaluate(keyNode, scope);
      const held = this.evaluateAny(node.values[k], scope);
      if (key !== null) entries.push([key, held]);
      else if (held.tag !== 'dict') throw new Unsupported(`** unpacking of ${typeName(held)}`, node);
      else
        for (const entry of held.entries.values()) entries.push([entry.key, this.ev.cells.readAny(entry.cell, node)]);
    });
    return this.ev.cells.dict(entries, node);
  }

  private evaluateDictComp(node: ExpressionOf<'DictComp'>, scope: Scope): Value {
    const entries: (readonly [Value, AnyValue])[] = [];
    this.comprehend(node, scope, (inner) => {
      const key = this.evaluate(node.key, inner);
      entries.push([key, this.evaluateAny(node.value, inner)]);
      return NONE;
    });
    return this.ev.cells.dict(entries, node);
  }

  private comprehend(
    node: ExpressionOf<'SetComp' | 'DictComp'>,
    scope: Scope,
    element: (inner: Scope) => Value,
  ): readonly AnyValue[] {
    const { generators } = node;
    return this.ev.comprehensions.comprehend(generators, this.evaluate(generators[0].iterable, scope), scope, element);
  }

  private evaluateNamed(node: ExpressionOf<'NamedExpression'>, scope: Scope): AnyValue {
    const value = this.evaluateAny(node.value, scope);
    const holder = holderOf(scope);
    if (holder !== scope) this.ev.cells.effects++;
    this.ev.exits.guarded(() => this.ev.assignment.assign(node.target, value, holder), node);
    return value;
  }

  private evaluateItems(nodes: readonly Expression[], scope: Scope): AnyValue[] {
    const items: AnyValue[] = [];
    for (const node of nodes) {
      if (node.kind === 'Starred') items.push(...this.ev.sequences.iterateAny(this.evaluate(node.value, scope), node));
      else items.push(this.evaluateAny(node, scope));
    }
    return items;
  }

  /** Long chains such as `a + b + c + ...` nest to the left: walked without recursion. */
  private evaluateBinary(node: ExpressionOf<'Binary'>, scope: Scope): AnyValue {
    const spine: ExpressionOf<'Binary'>[] = [];
    let left: Expression = node;
    while (left.kind === 'Binary') {
      spine.push(left);
      left = left.left;
    }
    let value = this.evaluateAny(left, scope);
    for (let k = spine.length - 1; k >= 0; k--) {
      const { operator, right } = spine[k];
      const operand = this.evaluateAny(right, scope);
      this.ev.work.step(spine[k]);
      this.ev.ops.locate(spine[k]);
      value = this.ev.operators.binaryAny(operator, value, operand, spine[k]);
    }
    return value;
  }

  private evaluateBoolean(node: ExpressionOf<'Boolean'>, scope: Scope, index: number): AnyValue {
    const value = this.evaluateAny(node.values[index], scope);
    if (index === node.values.length - 1) return value;
    const rest = (): AnyValue => this.evaluateBoolean(node, scope, index + 1);
    const truth = this.ev.operators.truthOf(value, node);
    return node.operator === 'and'
      ? this.ev.branches.branch(truth, rest, () => value, node)
      : this.ev.branches.branch(truth, () => value, rest, node);
  }

  private evaluateCompare(node: ExpressionOf<'Compare'>, scope: Scope): AnyValue {
    const from = (left: AnyValue, index: number): AnyValue => {
      const right = this.evaluateAny(node.comparators[index], scope);
      this.ev.ops.locate(node);
      const result = this.ev.operators.compareAny(node.operators[index], left, right, node);
      if (index === node.operators.length - 1) return result;
      return this.ev.branches.branch(
        this.ev.operators.truthOf(result, node),
        () => from(right, index + 1),
        () => result,
        node,
      );
    };
    return from(this.evaluateAny(node.left, scope), 0);
  }
}
