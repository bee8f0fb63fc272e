/**
 * Text that is only printed or put into a message: it is not made, but what it is made from is evaluated.
 */
import { droppedText, formatMethod, joinedText, percentText } from '../library/strings.js';
import type { Expression } from '../syntax/ast.js';
import { string, TEXT, tuple, type AnyValue, type Scope, type Value } from '../values/values.js';
import type { Evaluator } from './evaluator.js';

export class Texts {
  constructor(private readonly ev: Evaluator) {}

  /**
   * Evaluates a text that is only printed or put into a message: the text is not made, but what it is made from is
   * evaluated, since that may raise or change something.
   */
  evaluateText(node: Expression, scope: Scope): AnyValue {
    const isText = (e: Expression): boolean => e.kind === 'String' || e.kind === 'JoinedString';
    const shown = (parts: readonly Expression[], make: (values: readonly Value[]) => AnyValue): AnyValue => {
      const values = parts.map((part) => this.evaluateText(part, scope));
      if (parts.some((part) => this.ev.lasting.mentions(part, scope))) return TEXT;
      return this.ev.choices.eachOf(values, make, node);
    };
    if (node.kind === 'Starred') {
      this.ev.sequences.iterateAny(this.ev.expressions.evaluate(node.value, scope), node);
      return TEXT;
    }
    if (node.kind === 'Tuple') {
      for (const element of node.elements) this.evaluateText(element, scope);
      return TEXT;
    }
    if (node.kind === 'JoinedString' && !this.ev.lasting.mentions(node, scope))
      return shown(node.values, (values) => joinedText(this.ev, node, values, droppedText));
    if (node.kind === 'Binary' && node.operator === '+' && (isText(node.left) || isText(node.right)))
      return shown([node.left, node.right], ([a, b]) => this.ev.operators.binary('+', a, b, node));
    if (node.kind === 'Binary' && node.operator === '%' && node.left.kind === 'String') {
      const { left, right } = node;
      return shown(right.kind === 'Tuple' ? right.elements : [right], (values) =>
        percentText(this.ev, string(left.value), right.kind === 'Tuple' ? tuple(values) : values[0], node, droppedText),
      );
    }
    if (node.kind === 'Call' && node.callee.kind === 'Attribute' && node.callee.name === 'format') {
      const { callee, args, keywords } = node;
      const isPlain = args.every((arg) => arg.kind !== 'Starred') && keywords.every(({ name }) => name !== null);
      const template = callee.value;
      if (template.kind === 'String' && isPlain) {
        return shown([...args, ...keywords.map(({ value }) => value)], (values) => {
          const named = new Map(keywords.map(({ name }, k) => [name!, values[args.length + k]]));
          const call = { args: values.slice(0, args.length), keywords: named, position: node };
          return formatMethod(this.ev, template.value, call, droppedText);
        });
      }
    }
    if (!this.ev.lasting.mentions(node, scope)) return this.ev.expressions.evaluateAny(node, scope);
    this.ev.lasting.text(node, scope);
    return TEXT;
  }
}
