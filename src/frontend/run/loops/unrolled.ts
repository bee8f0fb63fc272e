/**
 * `for` statements: a loop with a static count unrolls, unless `rolled.ts` keeps it rolled.
 */
import { LaneStatus } from '../../../ir/types.js';
import { filteredOf } from '../../arrays/masked.js';
import type { Expression, Position, Statement, StatementOf } from '../../syntax/ast.js';
import { isIndexed } from '../../values/indexed.js';
import {
  bool,
  int,
  NONE,
  Unsupported,
  type AnyValue,
  type Cell,
  type Scalar,
  type Scope,
  type Value,
} from '../../values/values.js';
import type { Evaluator } from '../evaluator.js';

export class ForLoops {
  constructor(private readonly ev: Evaluator) {}

  /** Runs a loop body once per value; exits that depend on x turn the remaining iterations into branches. */
  executeFor(node: StatementOf<'For'>, scope: Scope): void {
    if (node.isAsync) throw new Unsupported('async for', node);
    const range = this.dynamicRange(node.iterable, scope);
    if (range !== null) {
      this.ev.whileLoops.executeDynamicFor(node, range, scope);
      return;
    }
    this.ev.choices.each(
      this.ev.expressions.evaluateAny(node.iterable, scope),
      (source) => {
        this.executeForOver(node, source, scope);
        return NONE;
      },
      node.iterable,
    );
  }

  private executeForOver(node: StatementOf<'For'>, source: Value, scope: Scope): void {
    const iterable = source.tag === 'masked' ? filteredOf(this.ev, source) : source;
    const outer = this.ev.exits.frame.loop;
    const loop = { broke: this.ev.cells.cell(bool(false)), continued: this.ev.cells.cell(bool(false)) };
    this.ev.exits.frame.loop = loop;
    try {
      const elements =
        this.ev.roll === 'never' || this.ev.loading ? null : this.ev.bulk.elementsOf(iterable, node.iterable);
      const done = elements === null ? 0 : this.ev.rolling.rollFor(node, elements, scope, loop);
      if (done !== 'all') this.unrollFor(node, iterable, done, scope, loop);
      else if (iterable.tag === 'iterator') this.ev.cells.useUp(iterable);
    } finally {
      this.ev.exits.frame.loop = outer;
    }
    this.afterLoop(loop.broke, node.orElse, scope, node);
  }

  private unrollFor(
    node: StatementOf<'For'>,
    iterable: Value,
    done: number,
    scope: Scope,
    loop: { readonly continued: Cell },
  ): void {
    const stream = iterable.tag === 'filtered' ? null : this.ev.sequences.stream(iterable, node.iterable);
    this.ev.sequences.inTurns(stream ?? iterable, node.iterable);
    const changed = (k: number): void => {
      if (stream !== null && !stream.isCurrent(k)) {
        throw new Unsupported(
          'a loop that changes what it runs over (loop over a copy: for v in list(values))',
          node.iterable,
        );
      }
    };
    const items: readonly { readonly value: AnyValue; readonly present: Scalar }[] =
      iterable.tag === 'filtered'
        ? iterable.items
        : (stream?.items ?? []).map((value) => ({ value, present: bool(true) }));
    let hasEnded = true;
    for (const [k, { value, present }] of items.entries()) {
      if (k < done) continue;
      const live = this.ev.ops.and(this.ev.exits.live(), present);
      if (live.known === 0) {
        hasEnded = false;
        break;
      }
      changed(k);
      this.ev.exits.whileLive(
        live,
        () => {
          this.ev.work.step(node);
          this.ev.assignment.assign(node.target, value, scope);
          this.ev.statements.executeBlock(node.body, scope);
          this.ev.cells.write(loop.continued, bool(false));
        },
        node,
      );
    }
    if (hasEnded && this.ev.exits.live().known !== 0) changed(items.length);
  }

  /** The bounds of a `range(...)` of which one depends on x; null for any other iterable. */
  private dynamicRange(node: Expression, scope: Scope): { start: Scalar; stop: Scalar; step: number } | null {
    if (node.kind !== 'Call' || node.callee.kind !== 'Name' || node.callee.name !== 'range') return null;
    if (node.keywords.length > 0 || node.args.some((a) => a.kind === 'Starred')) return null;
    const callee = this.ev.expressions.evaluate(node.callee, scope);
    if (callee.tag !== 'builtin' || callee.name !== 'range') return null;
    const values = node.args.map((arg) => this.ev.expressions.evaluate(arg, scope));
    if (!values.every((v): v is Scalar => v.tag === 'scalar')) return null;
    // Bounds that depend on the indices of rolled loops only are known for each of them.
    if (values.every((v) => v.known !== undefined || isIndexed(v))) return null;
    // Floats are no bounds of a range: TypeError.
    for (const v of values) if (v.kind === 'float' || v.kind === 'npfloat') this.ev.ops.refuseIndex(v);
    const [start, stop, by] = values.length === 1 ? [int(0), values[0], undefined] : values;
    const step = by === undefined ? 1 : this.ev.items.staticInt(by, node, 'a range step');
    if (step === 0) this.ev.ops.raise(LaneStatus.Raised, 'ValueError');
    return { start, stop, step };
  }

  afterLoop(broke: Cell, orElse: readonly Statement[], scope: Scope, position: Position): void {
    if (orElse.length === 0) return;
    const live = this.ev.ops.and(this.ev.exits.live(), this.ev.ops.not(broke.value as Scalar));
    if (live.known === 0) return;
    this.ev.exits.whileLive(live, () => this.ev.statements.executeBlock(orElse, scope), position);
  }
}
