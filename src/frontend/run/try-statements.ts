/**
 * `try`, `except`, `finally` and `raise`.
 */
import { LaneStatus } from '../../ir/types.js';
import { builtinValue } from '../library/builtins.js';
import { moduleMember } from '../library/modules.js';
import type { Expression, ExpressionOf, Statement, StatementOf } from '../syntax/ast.js';
import { exceptionClassOf, raisedAgain, type ExceptionClass, type Handler, type Raised } from '../values/exceptions.js';
import {
  bool,
  NONE,
  PathCaught,
  PathRaises,
  TEXT,
  typeName,
  Unsupported,
  type Scalar,
  type Scope,
  type Value,
} from '../values/values.js';
import { classMember } from '../values/classes.js';
import type { Evaluator } from './evaluator.js';

export class TryStatements {
  constructor(private readonly ev: Evaluator) {}

  executeTry(node: StatementOf<'Try'>, scope: Scope): void {
    if (node.isStar) throw new Unsupported('except*', node);
    if (leavesBlock(node.finalBody)) throw new Unsupported('leaving a finally block', node);
    const level = node.handlers.map((h): Handler => {
      const classes = h.type === null ? null : this.clauseClasses(h.type, scope);
      return { classes, raised: this.ev.cells.cell(bool(false)), taken: new Set() };
    });
    this.ev.exits.handlers.push(level);
    try {
      this.ev.statements.executeBlock(node.body, scope);
    } catch (error) {
      // Another exception of the final block may take its place, for a clause further out.
      if (!(error instanceof PathCaught)) {
        this.ev.ops.leavesLanes ||=
          error instanceof PathRaises && node.finalBody.length > 0 && this.ev.exits.handlers.length > 1;
        throw error;
      }
    } finally {
      this.ev.exits.handlers.pop();
    }
    const caughtElsewhere = this.ev.exits.unraised();
    let clear = caughtElsewhere;
    for (const { raised } of level) clear = this.ev.ops.and(clear, this.ev.ops.not(raised.value as Scalar));
    let leaving: PathCaught | null = null;
    try {
      if (node.orElse.length > 0) {
        this.ev.exits.whileLive(
          this.ev.ops.and(clear, this.ev.exits.live()),
          () => this.ev.statements.executeBlock(node.orElse, scope),
          node,
        );
      }
      node.handlers.forEach((handler, k) => {
        const raised = level[k].raised.value as Scalar;
        if (raised.known === 0) return;
        this.ev.branches.branch(
          raised,
          () => {
            this.handle(handler, level[k], scope);
            return NONE;
          },
          () => NONE,
          handler,
        );
      });
    } catch (error) {
      if (!(error instanceof PathCaught)) {
        this.ev.ops.leavesLanes ||= error instanceof PathRaises && node.finalBody.length > 0 && this.ev.exits.isInTry;
        throw error;
      }
      leaving = error;
    }
    if (node.finalBody.length > 0) this.executeFinally(node, scope);
    if (leaving !== null) throw leaving;
  }

  private handle(clause: StatementOf<'Try'>['handlers'][number], { taken }: Handler, scope: Scope): void {
    const raised = raisedAgain(taken);
    const { name } = clause;
    if (name !== null) this.ev.names.bind(name, { tag: 'exception', raised }, scope);
    this.ev.exits.handling.push(raised);
    try {
      this.ev.statements.executeBlock(clause.body, scope);
    } catch (error) {
      if (error instanceof PathCaught && name !== null) this.ev.names.unbindName(name, scope, clause);
      throw error;
    } finally {
      this.ev.exits.handling.pop();
    }
    if (name !== null) this.ev.names.unbindName(name, scope, clause);
  }

  /** The classes that an `except` clause names: one, or those of a tuple, in which there are no further ones. */
  private clauseClasses(type: Expression, scope: Scope, isInTuple = false): readonly ExceptionClass[] | 'unknown' {
    if (type.kind === 'Tuple') {
      if (isInTuple) return 'unknown';
      const parts = type.elements.map((element) => this.clauseClasses(element, scope, true));
      return parts.includes('unknown') ? 'unknown' : parts.flatMap((part) => (part === 'unknown' ? [] : part));
    }
    const value = this.namedValue(type, scope);
    if (value === undefined || (isInTuple && value.tag === 'tuple')) return 'unknown';
    const items = value.tag === 'tuple' ? value.items : [value];
    const classes = items.map((item) =>
      item.tag === 'choice' || item.tag === 'opaque' ? undefined : exceptionClassOf(item),
    );
    return classes.every((cls) => cls !== undefined) ? classes : 'unknown';
  }

  /** Value of a name, or of an attribute of a module, if that is known; reading it has no effect. */
  private namedValue(node: Expression, scope: Scope): Value | undefined {
    if (node.kind === 'Attribute') {
      const object = this.namedValue(node.value, scope);
      const member = object?.tag === 'module' ? moduleMember(this.ev, object.path, node.name, node) : undefined;
      return member?.tag === 'opaque' ? undefined : member;
    }
    if (node.kind !== 'Name') return undefined;
    const cell = this.ev.names.find(node.name, scope);
    const value = cell === undefined ? builtinValue(this.ev, node.name) : cell.value;
    return value === undefined || value.tag === 'maybe' || value.tag === 'choice' || value.tag === 'opaque'
      ? undefined
      : value;
  }

  /** Raises what a `raise` statement names. Evaluating that may raise, too. */
  executeRaise(node: StatementOf<'Raise'>, scope: Scope): never {
    const { exception, cause } = node;
    let raised: Raised;
    if (exception === null) {
      raised = this.ev.exits.handling.at(-1) ?? 'RuntimeError';
    } else {
      try {
        raised = this.raisedValue(exception, scope);
        if (cause !== null && cause.kind !== 'None' && this.raisedValue(cause, scope) === 'TypeError') {
          raised = 'TypeError';
        }
      } catch (error) {
        const isUnknown = error instanceof Unsupported && error.kind === 'unsupported';
        if (!isUnknown || this.ev.exits.handlers.length > 0) throw error;
        // Nothing here catches it.
        raised = 'unknown';
      }
    }
    this.ev.ops.locate(node);
    return this.ev.ops.raise(LaneStatus.Raised, raised);
  }

  private raisedValue(node: Expression, scope: Scope): Raised {
    const value = node.kind === 'Call' ? this.exceptionMade(node, scope) : this.ev.expressions.evaluate(node, scope);
    if (value.tag === 'exception') return value.raised;
    if (value.tag === 'instance') return exceptionClassOf(value.cls) === undefined ? 'TypeError' : [value.cls];
    const cls = exceptionClassOf(value);
    if (cls === undefined) {
      const others = ['scalar', 'complex', 'string', 'text', 'none', 'list', 'tuple', 'dict', 'set', 'ndarray'];
      if ([...others, 'function', 'class', 'module'].includes(value.tag)) return 'TypeError';
      throw new Unsupported(`raising ${typeName(value)}`, node);
    }
    // A class is called without arguments.
    const made = this.ev.calls.call(value, { args: [], keywords: new Map(), position: node });
    return made.tag === 'exception' ? made.raised : [cls];
  }

  /** `ValueError("... {x}")`: its text is not made, but what it is made from is evaluated. */
  private exceptionMade(node: ExpressionOf<'Call'>, scope: Scope): Value {
    const callee = this.ev.expressions.evaluate(node.callee, scope);
    const cls = exceptionClassOf(callee);
    const isPlain =
      typeof cls === 'string' || (callee.tag === 'class' && classMember(callee, '__init__') === undefined);
    if (cls === undefined || !isPlain || node.keywords.length > 0 || node.args.some((arg) => arg.kind === 'Starred')) {
      return this.ev.expressions.evaluate(node, scope);
    }
    for (const arg of node.args) this.ev.texts.evaluateText(arg, scope);
    // As many arguments as there are decide whether it can be made.
    return this.ev.calls.called(callee, { args: node.args.map(() => TEXT), keywords: new Map(), position: node });
  }

  /** It runs on every lane, also on those that return, leave the loop or raise; what it raises takes their place. */
  private executeFinally(node: StatementOf<'Try'>, scope: Scope): void {
    const { returned, loop } = this.ev.exits.frame;
    const raised = this.ev.exits.handlers.flatMap((level) => level.map((handler) => handler.raised));
    const exits = [returned, ...(loop === null ? [] : [loop.broke, loop.continued]), ...raised];
    const before = exits.map((cell) => cell.value as Scalar);
    for (const cell of exits) this.ev.cells.write(cell, bool(false));
    const restore = (): void => {
      const fine = this.ev.exits.unraised();
      exits.forEach((cell, k) => {
        const kept = this.ev.ops.and(before[k], fine);
        this.ev.cells.write(cell, raised.includes(cell) ? this.ev.ops.or(kept, cell.value as Scalar) : kept);
      });
    };
    try {
      this.ev.statements.executeBlock(node.finalBody, scope);
    } catch (error) {
      if (error instanceof PathCaught) restore();
      throw error;
    }
    restore();
  }
}

/**
 * Whether a statement of the block, nested ones included, may leave it: `return`, or `break` out of a loop around it.
 */
function leavesBlock(statements: readonly Statement[], isInLoop = false): boolean {
  return statements.some((s) => {
    switch (s.kind) {
      case 'Return':
        return true;
      case 'Break':
      case 'Continue':
        return !isInLoop;
      case 'If':
        return leavesBlock(s.body, isInLoop) || leavesBlock(s.orElse, isInLoop);
      case 'For':
      case 'While':
        return leavesBlock(s.body, true) || leavesBlock(s.orElse, isInLoop);
      case 'With':
        return leavesBlock(s.body, isInLoop);
      case 'Try': {
        const blocks = [s.body, s.orElse, s.finalBody, ...s.handlers.map((h) => h.body)];
        return blocks.some((block) => leavesBlock(block, isInLoop));
      }
      default:
        return false;
    }
  });
}
