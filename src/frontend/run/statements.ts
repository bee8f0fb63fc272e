/**
 * Statements: start with `execute`.
 */
import { LaneStatus } from '../../ir/types.js';
import { importMembers, importModule } from '../library/modules.js';
import type { Expression, Statement, StatementOf } from '../syntax/ast.js';
import { bool, NONE, Unsupported, type AnyValue, type Scope, type Value } from '../values/values.js';
import { defineClass } from './classes.js';
import type { Evaluator } from './evaluator.js';
import { matchPattern } from './match-patterns.js';

export class Statements {
  constructor(private readonly ev: Evaluator) {}

  executeBlock(statements: readonly Statement[], scope: Scope): void {
    for (let k = 0; k < statements.length; k++) {
      this.execute(statements[k], scope);
      if (k + 1 === statements.length) return;
      const live = this.ev.exits.live();
      if (live.known === 0) return;
      if (live.known === undefined) {
        const rest = statements.slice(k + 1);
        this.ev.exits.whileLive(live, () => this.executeBlock(rest, scope), rest[0]);
        return;
      }
    }
  }

  execute(node: Statement, scope: Scope): void {
    this.ev.work.step(node);
    this.ev.ops.locate(node);
    if (this.ev.lasting.execute(node, scope)) return;
    switch (node.kind) {
      case 'Expr':
        // A docstring, or a call for its effect.
        if (node.value.kind === 'String' || node.value.kind === 'Ellipsis') return;
        this.ev.expressions.evaluateAny(node.value, scope);
        return;
      case 'Pass':
        return;
      case 'Assign':
        this.executeAssign(node, scope);
        return;
      case 'AnnAssign':
        if (node.value !== null) {
          const value = this.ev.expressions.evaluateAny(node.value, scope);
          this.ev.exits.guarded(() => this.ev.assignment.assign(node.target, value, scope), node);
        }
        return;
      case 'AugAssign':
        this.ev.assignment.augmentedAssign(node, scope);
        return;
      case 'Return':
        this.executeReturn(node, scope);
        return;
      case 'If':
        this.executeIf(node, scope);
        return;
      case 'For':
        this.ev.forLoops.executeFor(node, scope);
        return;
      case 'While':
        this.ev.whileLoops.executeWhile(node, scope);
        return;
      case 'Break':
        if (this.ev.exits.frame.loop !== null) this.ev.cells.write(this.ev.exits.frame.loop.broke, bool(true));
        return;
      case 'Continue':
        if (this.ev.exits.frame.loop !== null) this.ev.cells.write(this.ev.exits.frame.loop.continued, bool(true));
        return;
      case 'FunctionDef':
        if (node.isAsync) throw new Unsupported('async functions, which need an event loop', node);
        this.ev.names.bind(node.name, this.ev.functions.defineFunction(node, scope), scope);
        return;
      case 'Assert':
        this.executeAssert(node, scope);
        return;
      case 'Raise':
        return this.ev.tries.executeRaise(node, scope);
      case 'Import':
        for (const alias of node.names) {
          const { name, value } = importModule(this.ev, alias);
          this.ev.names.bind(name, value, scope);
        }
        return;
      case 'ImportFrom':
        for (const [name, value] of importMembers(this.ev, node, node)) this.ev.names.bind(name, value, scope);
        return;
      case 'ClassDef':
        this.ev.names.bind(node.name, defineClass(this.ev, node, scope), scope);
        return;
      case 'Try':
        this.ev.tries.executeTry(node, scope);
        return;
      case 'With':
        this.executeWith(node, scope);
        return;
      case 'Match':
        this.executeMatch(node, scope);
        return;
      case 'Global':
      case 'Nonlocal':
        return;
      case 'Delete':
        for (const target of node.targets) this.ev.deletion.delete(target, scope);
        return;
      case 'TypeAlias':
        return;
    }
  }

  private executeAssign(node: StatementOf<'Assign'>, scope: Scope): void {
    const value = this.ev.expressions.evaluateAny(node.value, scope);
    if (value.tag !== 'choice' && value.tag !== 'opaque') this.ev.bulkArrays.settle(value);
    // CPython 3.11.2 stores the first value last in `a, a = 1, 2`, and other versions the last one.
    if (this.ev.pythonMinor === 11 && node.targets.some((target) => swaps(target, node.value)))
      throw new Unsupported('a name twice in one assignment, whose order depends on the version of CPython', node);
    this.ev.exits.guarded(() => {
      for (const target of node.targets) this.ev.assignment.assign(target, value, scope);
    }, node);
  }

  private executeReturn(node: StatementOf<'Return'>, scope: Scope): void {
    const value = node.value === null ? NONE : this.ev.expressions.evaluateAny(node.value, scope);
    this.ev.exits.guarded(() => {
      this.ev.cells.write(this.ev.exits.frame.result, value);
      this.ev.cells.write(this.ev.exits.frame.returned, bool(true));
    }, node);
  }

  private executeAssert(node: StatementOf<'Assert'>, scope: Scope): void {
    const test = this.ev.operators.truthOf(this.ev.expressions.evaluateAny(node.test, scope), node);
    const { message } = node;
    if (message !== null && message.kind !== 'String') {
      this.ev.branches.branch(
        this.ev.ops.not(test),
        () => (this.ev.texts.evaluateText(message, scope), NONE),
        () => NONE,
        node,
      );
    }
    this.ev.ops.locate(node);
    this.ev.ops.check(this.ev.ops.not(test), LaneStatus.Raised, 'AssertionError');
  }

  /** The first case that matches and whose guard holds. */
  private executeMatch(node: StatementOf<'Match'>, scope: Scope): void {
    const any = this.ev.expressions.evaluateAny(node.subject, scope);
    const run = (subject: Value, index: number): AnyValue => {
      if (index === node.cases.length) return NONE;
      const { pattern, guard, body } = node.cases[index];
      const { holds, captures } = matchPattern(this.ev, pattern, subject, scope);
      const rest = (): AnyValue => run(subject, index + 1);
      const enter = (): AnyValue => {
        for (const [name, value] of captures) this.ev.names.bind(name, value, scope);
        const taken = (): AnyValue => (this.executeBlock(body, scope), NONE);
        if (guard === null) return taken();
        return this.ev.branches.branch(
          this.ev.operators.truthOf(this.ev.expressions.evaluateAny(guard, scope), guard),
          taken,
          rest,
          guard,
        );
      };
      return this.ev.branches.branch(holds, enter, rest, pattern);
    };
    this.ev.exits.guarded(() => this.ev.choices.each(any, (subject) => run(subject, 0), node), node);
  }

  private executeIf(node: StatementOf<'If'>, scope: Scope): void {
    // An `elif` chain is a nest of orElse blocks; the branches nest with it.
    const test = this.ev.operators.truthOf(this.ev.expressions.evaluateAny(node.test, scope), node);
    this.ev.ops.locate(node);
    this.ev.exits.guarded(() => {
      this.ev.branches.branch(
        test,
        () => {
          this.executeBlock(node.body, scope);
          return NONE;
        },
        () => {
          this.executeBlock(node.orElse, scope);
          return NONE;
        },
        node,
      );
    }, node);
  }

  /** Context managers that only silence warnings. */
  private executeWith(node: StatementOf<'With'>, scope: Scope): void {
    for (const { context, target } of node.items) {
      const callee = context.kind === 'Call' ? context.callee : null;
      const name = callee?.kind === 'Attribute' ? callee.name : callee?.kind === 'Name' ? callee.name : '';
      const silences =
        target === null &&
        context.kind === 'Call' &&
        (name === 'catch_warnings' ||
          (name === 'errstate' &&
            context.keywords.every((k) => k.value.kind === 'String' && k.value.value !== 'raise')));
      // What it is may say more than that it is a with statement: open(...).
      if (!silences && context.kind === 'Call' && context.callee.kind === 'Name')
        this.ev.expressions.evaluate(context.callee, scope);
      if (!silences)
        throw new Unsupported('a with statement other than np.errstate(...) and warnings.catch_warnings()', node);
    }
    const isFilter = (s: Statement): boolean =>
      s.kind === 'Expr' &&
      s.value.kind === 'Call' &&
      s.value.callee.kind === 'Attribute' &&
      (s.value.callee.name === 'simplefilter' || s.value.callee.name === 'filterwarnings') &&
      s.value.args[0]?.kind === 'String' &&
      s.value.args[0].value === 'ignore';
    this.executeBlock(
      node.body.filter((s) => !isFilter(s)),
      scope,
    );
  }
}

/** Whether a display of values is unpacked into names of which one occurs twice. */
function swaps(target: Expression, value: Expression): boolean {
  if ((target.kind !== 'Tuple' && target.kind !== 'List') || (value.kind !== 'Tuple' && value.kind !== 'List'))
    return false;
  const names = target.elements.flatMap((element) => (element.kind === 'Name' ? [element.name] : []));
  return new Set(names).size < names.length;
}
