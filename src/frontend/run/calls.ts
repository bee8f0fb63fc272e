/**
 * Calls: of functions of the program, of classes, and of what the library gives.
 */
import { LaneStatus } from '../../ir/types.js';
import { lookingAtAll } from '../library/arguments.js';
import { attributeOf } from '../library/attributes.js';
import { builtinValue } from '../library/builtins.js';
import { typeObjectName } from '../library/types.js';
import { convertTo, numpyCall } from '../library/numpy-module.js';
import { reasonForName } from '../library/reasons.js';
import { fitted } from '../library/python-row.js';
import type { Expression, ExpressionOf, Position } from '../syntax/ast.js';
import {
  NONE,
  PathCaught,
  tuple,
  typeName,
  Unsupported,
  type AnyCall,
  type AnyValue,
  type BuiltinValue,
  type Call,
  type Scope,
  type TupleValue,
  type Value,
} from '../values/values.js';
import { classMember } from '../values/classes.js';
import { callClass } from './classes.js';
import type { Evaluator } from './evaluator.js';

/** Expressions whose values no effect changes. */
const INDEPENDENT: ReadonlySet<Expression['kind']> = new Set<Expression['kind']>([
  ...(['Int', 'Float', 'String', 'True', 'False', 'None', 'Lambda'] as const),
]);

export class Calls {
  constructor(private readonly ev: Evaluator) {}

  attribute(object: AnyValue, name: string, position: Position): AnyValue {
    return this.ev.choices.each(object, (plain) => attributeOf(this.ev, plain, name, position), position);
  }

  /** Calls a function of NumPy by its name. */
  numpy(name: string, call: Call): Value {
    return this.ev.choices.plain(numpyCall(this.ev, name, call), call.position);
  }

  builtin(name: string, position: Position): Value {
    const value = builtinValue(this.ev, name);
    if (value === undefined) throw new Unsupported(reasonForName(name), position);
    return value;
  }

  private callBuiltin(callee: BuiltinValue, given: AnyCall): AnyValue {
    this.ev.ops.locate(given.position);
    const call = fitted(this.ev, callee, given);
    if (callee.callAny !== undefined) return callee.callAny(call);
    return this.ev.choices.eachArgument(call, (plain) => {
      this.ev.ops.locate(call.position);
      return callee.call(plain);
    });
  }

  call(target: AnyValue, call: AnyCall): AnyValue {
    if (target.tag === 'choice') return this.ev.choices.each(target, (plain) => this.call(plain, call), call.position);
    const callee = this.ev.choices.plain(target, call.position);
    switch (callee.tag) {
      case 'builtin':
        return this.callBuiltin(callee, call);
      case 'function':
        return this.ev.functions.callFunction(callee, call);
      case 'class':
        return callClass(this.ev, callee, call);
      case 'instance': {
        const method = classMember(callee.cls, '__call__');
        if (method?.tag !== 'function') throw new Unsupported(`calling ${typeName(callee)}`, call.position);
        return this.ev.functions.callFunction(method, { ...call, args: [callee, ...call.args] });
      }
      case 'type':
        this.ev.ops.locate(call.position);
        return this.ev.choices.eachArgument(call, (plain) =>
          lookingAtAll(callee.name, plain, (noted) => convertTo(this.ev, callee.name, noted)),
        );
      default:
        throw new Unsupported(`calling ${typeName(callee)}`, call.position);
    }
  }

  /** A call whose result is looked into. */
  called(callee: AnyValue, call: AnyCall): Value {
    return this.ev.choices.plain(this.call(callee, call), call.position);
  }

  evaluateCall(node: ExpressionOf<'Call'>, scope: Scope): AnyValue {
    const { callee: target } = node;
    if (target.kind !== 'Attribute')
      return this.evaluateCallOf(this.ev.expressions.evaluateAny(target, scope), node, scope);
    // A method belongs to one alternative.
    return this.ev.choices.each(
      this.ev.expressions.evaluateAny(target.value, scope),
      (object) => {
        this.ev.ops.locate(target);
        return this.evaluateCallOf(attributeOf(this.ev, object, target.name, target), node, scope);
      },
      target,
    );
  }

  /** An iterator has no effects yet where the arguments behind it are evaluated. */
  private refuseEarlyEffects({ args: nodes, keywords }: ExpressionOf<'Call'>, args: readonly AnyValue[]): void {
    const first = args.findIndex((arg) => arg.tag === 'iterator' || arg.tag === 'filtered');
    if (first < 0) return;
    const later = [...nodes.slice(nodes.length - args.length + first + 1), ...keywords.map((k) => k.value)];
    if (later.every((arg) => INDEPENDENT.has(arg.kind))) return;
    for (const arg of args)
      this.ev.sequences.inTurns(arg.tag === 'choice' || arg.tag === 'opaque' ? NONE : arg, nodes[0]);
  }

  private evaluateCallOf(callee: AnyValue, node: ExpressionOf<'Call'>, scope: Scope): AnyValue {
    if (callee.tag === 'builtin' && callee.name === 'print') {
      for (const { name } of node.keywords) if (name === null) throw new Unsupported('print() with **', node);
      const given = [...node.args, ...node.keywords.map((k) => k.value)].map((arg) =>
        this.ev.texts.evaluateText(arg, scope),
      );
      const named = node.keywords.map(({ name }, k) => [name!, given[node.args.length + k]] as const);
      return this.call(callee, { args: given.slice(0, node.args.length), keywords: new Map(named), position: node });
    }
    if (callee.tag === 'builtin' && callee.name === 'super' && scope.kind === 'comprehension')
      throw new Unsupported('super() in a comprehension', node);
    if (callee.tag === 'builtin' && (callee.name === 'any' || callee.name === 'all')) {
      const short = this.ev.comprehensions.shortCircuit(callee.name, node, scope);
      if (short !== null) return short;
    }
    const args: AnyValue[] = [];
    if (callee.tag === 'builtin' && callee.name === 'isinstance' && this.ev.pythonMinor >= 10) {
      const [value, types] = node.args;
      if (node.args.length === 2 && types.kind === 'Binary' && types.operator === '|' && node.keywords.length === 0) {
        const checked = [this.ev.expressions.evaluateAny(value, scope), this.unionOf(types, scope)];
        return this.call(callee, { args: checked, keywords: new Map(), position: node });
      }
    }
    for (const arg of node.args) {
      if (arg.kind === 'Starred')
        args.push(...this.ev.sequences.iterateAny(this.ev.expressions.evaluate(arg.value, scope), arg));
      else if (arg.kind === 'ListComp' && callee.tag === 'builtin' && callee.isConsumer === true) {
        args.push(this.ev.comprehensions.comprehension(arg, scope, true));
      } else args.push(this.ev.expressions.evaluateAny(arg, scope));
    }
    const keywords = new Map<string, AnyValue>();
    for (const { name, value } of node.keywords) {
      const v = this.ev.expressions.evaluateAny(value, scope);
      if (name !== null) keywords.set(name, v);
      else if (v.tag === 'dict') {
        for (const { key, cell } of v.entries.values()) {
          if (key.tag !== 'string' || keywords.has(key.value)) this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
          else keywords.set(key.value, this.ev.cells.readAny(cell, node));
        }
      } else throw new Unsupported('** unpacking', node);
    }
    this.refuseEarlyEffects(node, args);
    this.ev.ops.locate(node);
    const call: AnyCall = { args, keywords, position: node };
    return this.ev.exits.handlers.length > 0 && mayChange(callee)
      ? this.callUnraised(callee, call)
      : this.call(callee, call);
  }

  /** `int | float`, of types. */
  private unionOf(node: Expression, scope: Scope): TupleValue {
    const parts = (part: Expression): Value[] =>
      part.kind === 'Binary' && part.operator === '|'
        ? [...parts(part.left), ...parts(part.right)]
        : [this.ev.expressions.evaluate(part, scope)];
    const types = parts(node);
    if (!types.every((type) => type.tag === 'class' || typeObjectName(type) !== null))
      throw new Unsupported('a union of other things than types', node);
    return tuple(types);
  }

  /** A call for which an argument may have raised: it happens only on lanes where none did. */
  private callUnraised(callee: AnyValue, call: AnyCall): AnyValue {
    const clear = this.ev.exits.unraised();
    if (clear.known === 0) throw new PathCaught();
    return this.ev.branches.branch(
      clear,
      () => {
        if (clear.known === undefined) this.ev.exits.resetRaised();
        return this.call(callee, call);
      },
      () => {
        throw new PathCaught();
      },
      call.position,
    );
  }
}

/** Whether calling it may change something: functions of the program, and methods of what can be changed. */
const mayChange = (callee: AnyValue): boolean =>
  callee.tag === 'choice' ||
  callee.tag === 'function' ||
  callee.tag === 'class' ||
  callee.tag === 'instance' ||
  (callee.tag === 'builtin' && callee.name.includes('.') && !/^(math|numpy)\./.test(callee.name));
