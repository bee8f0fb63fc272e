/**
 * Comprehensions and generator expressions, unrolled or rolled.
 */
import type { IndexForm } from '../../ir/types.js';
import { filteredOf } from '../arrays/masked.js';
import { namesInTarget } from '../syntax/assigned-names.js';
import type { Comprehension, ExpressionOf, Position } from '../syntax/ast.js';
import { namesOfComprehension } from '../values/scopes.js';
import {
  bool,
  NONE,
  RollFailure,
  tuple,
  Unsupported,
  type AnyValue,
  type Cell,
  type Scalar,
  type Scope,
  type Value,
} from '../values/values.js';
import type { Evaluator } from './evaluator.js';
import { lazyStream } from './sequences.js';

export class Comprehensions {
  constructor(private readonly ev: Evaluator) {}

  /** `any`/`all` over a generator stop at the first decided element: later ones may raise and must not. */
  shortCircuit(name: 'any' | 'all', node: ExpressionOf<'Call'>, scope: Scope): Value | null {
    const argument = node.args[0];
    if (node.args.length !== 1 || node.keywords.length > 0) return null;
    if (argument.kind !== 'GeneratorExp' || argument.generators.length !== 1) return null;
    const [generator] = argument.generators;
    if (generator.isAsync) return null;
    const iterable = this.ev.expressions.evaluate(generator.iterable, scope);
    const goesOn = name === 'all';
    const state = this.ev.cells.cell(bool(false));
    const decide = (item: AnyValue): void => {
      const inner = this.comprehensionScope(argument.generators, scope);
      const decided = this.ev.branches.branch(
        state.value as Scalar,
        () => bool(true),
        () => {
          this.ev.assignment.assign(generator.target, item, inner);
          let applies: Scalar = bool(true);
          for (const c of generator.conditions) {
            applies = this.ev.branches.branch(
              applies,
              () => this.ev.operators.truthOf(this.ev.expressions.evaluateAny(c, inner), c),
              () => bool(false),
              c,
            );
          }
          return this.ev.branches.branch(
            applies,
            () => {
              const truth = this.ev.operators.truthOf(
                this.ev.expressions.evaluateAny(argument.element, inner),
                argument,
              );
              return goesOn ? this.ev.ops.not(truth) : truth;
            },
            () => bool(false),
            argument,
          );
        },
        argument,
      );
      this.ev.cells.write(state, decided);
    };
    if (!this.ev.rolling.rollOver(iterable, { body: decide, accumulators: [state] }, argument)) {
      this.ev.sequences.inTurns(iterable, argument);
      const check = this.ev.sequences.watched(iterable, argument);
      for (const item of this.ev.sequences.iterateAny(iterable, argument)) {
        if ((state.value as Scalar).known === 1) break;
        decide(item);
        check();
      }
    }
    const decided = state.value as Scalar;
    return goesOn ? this.ev.ops.not(decided) : decided;
  }

  /**
   * The variables of a comprehension; those of its loop `k` and the loops inside it are new ones, those of the loops
   * around it are the ones in `outer`.
   */
  private comprehensionScope(
    generators: readonly Comprehension[],
    parent: Scope,
    outer: ReadonlyMap<string, Cell> = new Map(),
    k = 0,
  ): Scope {
    const cells = new Map(outer);
    for (const { target } of generators.slice(k)) {
      for (const name of namesInTarget(target)) {
        const isOuter = generators.slice(0, k).some((g) => namesInTarget(g.target).includes(name));
        if (!isOuter) cells.set(name, this.ev.cells.cell(undefined));
      }
    }
    return { kind: 'comprehension', parent, cells, names: namesOfComprehension(generators) };
  }

  /** A filter that depends on x gives elements that are there on some lanes only. */
  comprehension(
    node: ExpressionOf<'ListComp'> | ExpressionOf<'GeneratorExp'>,
    scope: Scope,
    isConsumed = false,
  ): Value {
    const [{ target, iterable, isAsync }] = node.generators;
    if (isAsync) throw new Unsupported('async comprehensions', target);
    const outermost = this.ev.expressions.evaluate(iterable, scope);
    const rolled = this.rolledComprehension(node, outermost, scope, node.kind === 'GeneratorExp' || isConsumed);
    return rolled ?? this.unrolledComprehension(node, outermost, scope);
  }

  private unrolledComprehension(
    node: ExpressionOf<'ListComp'> | ExpressionOf<'GeneratorExp'>,
    outermost: Value,
    scope: Scope,
  ): Value {
    const isGenerator = node.kind === 'GeneratorExp';
    const collect = (items: readonly AnyValue[], hasEffects: boolean): Value =>
      isGenerator
        ? this.ev.sequences.iterator('generator', items, this.ev.sequences.watch(node, scope), hasEffects)
        : this.ev.cells.list(items);
    const before = this.ev.cells.effects;
    const items: { value: AnyValue; present: Scalar }[] = [];
    // What is there on some lanes only is computed on them alone.
    const where = (present: Scalar, make: () => AnyValue, at: Position): AnyValue => {
      if (present.known === 1) return make();
      const held = this.ev.cells.cell(undefined);
      this.ev.branches.branch(
        present,
        () => {
          this.ev.cells.write(held, make());
          return NONE;
        },
        () => NONE,
        at,
      );
      const merged = held.value;
      if (merged === undefined) return NONE;
      return merged.tag === 'maybe' ? merged.value : merged;
    };
    const level = (k: number, inner: Scope, outer: Scalar): void => {
      if (k === node.generators.length) {
        items.push({
          value: where(outer, () => this.ev.expressions.evaluateAny(node.element, inner), node),
          present: outer,
        });
        return;
      }
      const { target, iterable, conditions, isAsync } = node.generators[k];
      if (isAsync) throw new Unsupported('async comprehensions', target);
      const evaluateSource = (): Value => {
        const made = this.ev.expressions.evaluate(iterable, inner);
        this.ev.sequences.inTurns(made, iterable);
        const isPlainSequence = outer.known === 1 || ['list', 'tuple', 'ndarray'].includes(made.tag);
        return isPlainSequence ? made : tuple(this.ev.sequences.iterate(made, iterable));
      };
      const source = k === 0 ? outermost : this.ev.choices.plain(where(outer, evaluateSource, iterable), iterable);
      // Chosen by x itself, or of a length that is known.
      const list = source.tag === 'masked' ? filteredOf(this.ev, source) : source;
      const isChosen = list.tag === 'filtered' && !list.isGenerator;
      this.ev.sequences.inTurns(list, iterable);
      const members = isChosen
        ? list.items
        : this.ev.sequences.iterateAny(list, iterable).map((value) => ({ value, present: bool(true) }));
      const check = this.ev.sequences.watched(list, iterable);
      for (const member of members) {
        this.ev.work.step(target);
        this.ev.assignment.assign(target, member.value, inner);
        let present = this.ev.ops.and(outer, member.present);
        for (const condition of conditions) {
          present = this.ev.branches.branch(
            present,
            () => this.ev.operators.truthOf(this.ev.expressions.evaluateAny(condition, inner), condition),
            () => bool(false),
            condition,
          );
        }
        if (present.known !== 0) level(k + 1, inner, present);
        check();
      }
    };
    level(0, this.comprehensionScope(node.generators, scope), bool(true));
    if (items.some((item) => item.present.known === undefined)) {
      return { tag: 'filtered', isGenerator, hasEffects: isGenerator && this.ev.cells.effects !== before, items };
    }
    return collect(
      items.map((item) => item.value),
      this.ev.cells.effects !== before,
    );
  }

  /**
   * A large comprehension whose items are asked for where they are used (a generator, or the argument of a function
   * that consumes it at once), or a large list; null where it is small or cannot be rolled.
   */
  private rolledComprehension(
    node: ExpressionOf<'ListComp'> | ExpressionOf<'GeneratorExp'>,
    outermost: Value,
    scope: Scope,
    isConsumed: boolean,
  ): Value | null {
    if (this.ev.roll === 'never' || this.ev.loading) return null;
    const [first] = node.generators;
    if (node.generators.some((g) => g.isAsync)) return null;
    const source = this.ev.bulk.elementsOf(outermost, first.iterable);
    if (source === null || (outermost.tag === 'iterator' && outermost.used)) return null;
    const isSymbolic = source.count.terms.length > 0;
    if (!isSymbolic && !this.ev.bulk.isLarge(source.count.offset * (node.generators.length > 1 ? 8 : 1))) return null;
    const evaluateItems = (): AnyValue[] => {
      if (isSymbolic) throw new RollFailure('the items of a comprehension', node);
      const items = this.unrolledComprehension(node, outermost, scope);
      if (items.tag === 'filtered') throw new Unsupported('a filter that depends on x here', node);
      this.ev.sequences.inTurns(items, node);
      return this.ev.sequences.iterateAny(items, node);
    };
    // Each evaluation of a body has variables of its own, so that none is left from a trial.
    const innerOf = (outer: Scope | null, k: number): Scope =>
      this.comprehensionScope(node.generators, scope, outer?.cells, k);
    const element = (form: IndexForm): Value => {
      const inner = innerOf(null, 0);
      this.ev.assignment.assign(first.target, source.at(form), inner);
      return this.ev.expressions.evaluate(node.element, inner);
    };
    const isPlain = node.generators.length === 1 && first.conditions.length === 0;
    if (!isConsumed) {
      if (!isPlain || isSymbolic) return null;
      return this.ev.bulk.collect({ count: source.count, at: element }, node);
    }
    const level = (k: number, outer: Scope, body: (item: AnyValue) => void): void => {
      if (k === node.generators.length) {
        body(this.ev.expressions.evaluateAny(node.element, outer));
        return;
      }
      const { target, iterable, conditions } = node.generators[k];
      const values =
        k === 0 ? source : this.ev.bulk.elementsOf(this.ev.expressions.evaluate(iterable, outer), iterable);
      if (values === null) throw new RollFailure('what a comprehension runs over', iterable);
      const filtered = (index: number, inner: Scope): void => {
        if (index === conditions.length) {
          level(k + 1, inner, body);
          return;
        }
        const truth = this.ev.operators.truthOf(
          this.ev.expressions.evaluateAny(conditions[index], inner),
          conditions[index],
        );
        this.ev.branches.branch(
          truth,
          () => (filtered(index + 1, inner), NONE),
          () => NONE,
          conditions[index],
        );
      };
      this.ev.counted.run(values.count, node, (form) => {
        this.ev.work.step(node);
        const inner = innerOf(k === 0 ? null : outer, k);
        this.ev.assignment.assign(target, values.at(form), inner);
        filtered(0, inner);
      });
    };
    const isSame = this.ev.sequences.watch(node, scope);
    const traverse = (body: (item: AnyValue) => void): void => {
      if (!isSame()) throw new Unsupported('a generator whose source has changed', node);
      if (outermost.tag === 'iterator') this.ev.cells.useUp(outermost);
      level(0, scope, body);
    };
    const elements = isPlain ? { count: source.count, at: element } : undefined;
    const common = { tag: 'iterator' as const, name: 'generator', frozen: false, used: false };
    return Object.assign(
      lazyStream(evaluateItems, { isCurrent: isSame, hasEffects: true, isLazy: true, elements, traverse }),
      common,
    );
  }

  comprehend(
    generators: readonly Comprehension[],
    outermost: Value,
    scope: Scope,
    element: (inner: Scope) => AnyValue,
  ): AnyValue[] {
    const items: AnyValue[] = [];
    const inner = this.comprehensionScope(generators, scope);
    const run = (level: number): void => {
      if (level === generators.length) {
        items.push(element(inner));
        return;
      }
      const { target, iterable, conditions, isAsync } = generators[level];
      if (isAsync) throw new Unsupported('async comprehensions', target);
      const values = level === 0 ? outermost : this.ev.expressions.evaluate(iterable, inner);
      this.ev.sequences.inTurns(values, iterable);
      const check = this.ev.sequences.watched(values, iterable);
      for (const item of this.ev.sequences.iterateAny(values, iterable)) {
        this.ev.work.step(target);
        // Each iteration binds afresh, so that branches never see another iteration's variable.
        this.ev.assignment.assign(target, item, inner);
        let keep = true;
        for (const condition of conditions) {
          const truth = this.ev.operators.truthOf(this.ev.expressions.evaluateAny(condition, inner), condition);
          if (truth.known === undefined) {
            throw new Unsupported('a nested comprehension with a filter that depends on x', condition);
          }
          if (truth.known === 0) {
            keep = false;
            break;
          }
        }
        if (keep) run(level + 1);
        check();
      }
    };
    run(0);
    return items;
  }
}
