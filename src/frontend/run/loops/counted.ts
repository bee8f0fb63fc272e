/**
 * Loops that stay rolled: the body is evaluated once, with an index form for the index, into the body of an IR `for`
 * (docs/adr/0010-rolled-loops.md). What a loop carries from iteration to iteration is found by trial.
 */
import type { OpenFor } from '../../../ir/builder.js';
import { addForms, constantForm, formKey, formOf, scaleForm } from '../../../ir/index-form.js';
import type { IndexForm, IrNode, ValueId } from '../../../ir/types.js';
import { usesOf, walk } from '../../../ir/walk.js';
import type { Position } from '../../syntax/ast.js';
import type { Journal } from '../../machine/cells.js';
import { scalarsOf } from '../../values/structure.js';
import type { Evaluator } from '../evaluator.js';
import { MAX_TRIALS, Trial, hasRoom, isLeftAlone, scalarsLike, type Carried } from './carried.js';
import {
  isIntKind,
  known,
  PathCaught,
  PathRaises,
  RollFailure,
  typeName,
  Unsupported,
  type Cell,
  type Held,
  type OpaqueValue,
  type Scalar,
} from '../../values/values.js';

/** Iterations that may be taken out of a rolled loop. */
const MAX_PEELED = 3;
/** Operations that one evaluation may execute in rolled loops; more is left to CPython and its clock. */
const MAX_COST = 2e8;

/** An integer that grows by the same number in each iteration. */
interface Counter {
  readonly start: IndexForm;
  readonly delta: number;
  readonly kind: Scalar['kind'];
}

/** Knowledge of the variables that a loop writes; a trial adds to it. */
interface Plan {
  readonly carried: Carried;
  readonly counters: Map<Cell, Counter>;
  /** Written anew by each iteration before they are read; what they hold cannot be carried. */
  readonly dropped: Set<Cell>;
}

export interface CountedLoop {
  readonly count: IndexForm;
  /** Runs one iteration. */
  readonly iteration: (index: IndexForm) => void;
  /** A cell that need not survive an iteration. */
  readonly scratch?: Cell;
  /** Whether a variable takes part in nothing but `+=`, `-=` and `*=`. */
  readonly isAccumulator: (cell: Cell) => boolean;
  readonly position: Position;
}

export class CountedLoops {
  constructor(private readonly ev: Evaluator) {}

  /** Cells that take part in sums and the like of library functions: see `CountedLoop.isAccumulator`. */
  private state: readonly Cell[] = [];

  withState(cells: readonly Cell[], run: () => void): void {
    const outer = this.state;
    this.state = [...outer, ...cells];
    try {
      run();
    } finally {
      this.state = outer;
    }
  }

  /** Builds a loop of the library. @throws {RollFailure} */
  run(count: IndexForm, position: Position, iteration: (index: IndexForm) => void): void {
    const isAccumulator = (cell: Cell): boolean => this.state.includes(cell);
    const done = this.attempt({ count, iteration, isAccumulator, position });
    if (done !== 'all') throw new RollFailure('a loop that cannot be rolled', position);
  }

  /**
   * Builds the loop, with some iterations at its ends outside where that helps. Gives `all`, or how many iterations are
   * built when the rest cannot be rolled.
   */
  attempt(loop: CountedLoop): number | 'all' {
    const { ev } = this;
    const { count, iteration, position } = loop;
    const isStatic = count.terms.length === 0;
    const outside = (at: IndexForm): void => ev.exits.whileLive(ev.exits.live(), () => iteration(at), position);
    let done = 0;
    let dropped = 0;
    for (;;) {
      const rest = addForms(count, constantForm(-done - dropped));
      try {
        const from = constantForm(done);
        this.build({ ...loop, count: rest, iteration: (index) => iteration(addForms(index, from)) });
        break;
      } catch (error) {
        if (!(error instanceof RollFailure) && !(error instanceof Unsupported && error.kind === 'unsupported'))
          throw error;
        const cure = error instanceof RollFailure ? error.cure : undefined;
        if (cure !== undefined && cure.index === undefined) {
          if (ev.memory.canMove(cure.cells)) {
            ev.memory.move(cure.cells);
            continue;
          }
          // They may be older than a loop around this one.
          if (ev.builder.isInFor || !isStatic) throw error;
          return done;
        }
        const isOwn = cure !== undefined && !ev.builder.isOpenIndex(cure.index);
        if (isOwn && done + dropped < MAX_PEELED && ev.builder.rangeOf(rest).min >= 1) {
          if (cure.end === 'last') dropped++;
          else outside(constantForm(done++));
          continue;
        }
        // An index of a loop around this one may be to blame.
        if (cure !== undefined && !isOwn) throw error;
        if (!isStatic) throw error instanceof RollFailure ? error : new RollFailure(error.message, error.position);
        return done;
      }
    }
    for (; dropped > 0; dropped--) outside(addForms(count, constantForm(-dropped)));
    return 'all';
  }

  /**
   * Builds the loop as it is.
   *
   * @throws {RollFailure} where it cannot be rolled; nothing is built then.
   */
  private build(loop: CountedLoop): void {
    const { builder } = this.ev;
    if (builder.rangeOf(loop.count).max < 1) return;
    const plan: Plan = { carried: new Map(), counters: new Map(), dropped: new Set() };
    for (let trial = 0; trial < MAX_TRIALS; trial++) {
      if (this.evaluate(loop, plan)) return;
    }
    throw new RollFailure('the types of variables keep changing in this loop', loop.position);
  }

  /** One evaluation of the body; true when the loop is built, false when `plan` has changed. */
  private evaluate(loop: CountedLoop, plan: Plan): boolean {
    const { ev } = this;
    const { builder, ops } = ev;
    const { position } = loop;
    const trial = new Trial(ev, plan.carried, position, (value, template) => this.initialOf(value, template, position));
    const { initial, initialIds, params } = trial;
    const region = builder.openFor(loop.count, params);
    const index = formOf(region.loop.index);
    const journal = ev.cells.openJournal(true);
    const abandon = (): void => {
      ev.cells.rollBack(journal);
      builder.closeRegion(region);
    };
    try {
      trial.enter();
      for (const [cell, { start, delta, kind }] of plan.counters) {
        ev.cells.write(cell, ops.formScalar(kind, addForms(start, scaleForm(index, delta))));
      }
      for (const cell of plan.dropped) {
        ev.cells.write(cell, { tag: 'opaque', reason: 'a variable that an earlier iteration has left', position });
      }
      ev.exits.whileLive(ev.exits.live(), () => loop.iteration(index), position);
    } catch (error) {
      abandon();
      if (error instanceof PathRaises || error instanceof PathCaught) {
        throw new RollFailure('every iteration raises an exception', position);
      }
      throw error;
    }
    try {
      if (journal.lists.size > 0) throw new RollFailure('the length of a list changes', position);
      if (!this.review(loop, plan, journal, index)) {
        abandon();
        return false;
      }
      const yields = trial.yieldsOf(trial.finals());
      this.settleKinds(loop, plan, journal, region, params, initial, yields);
      ev.cells.rollBack(journal);
      builder.closeRegion(region);
      // What the loop leaves may be refused: then it is not there at all.
      const isDone = ev.branches.attempt(() => {
        const results = builder.placeFor(region, initialIds, params, yields);
        this.limit(region, position);
        this.finish(loop, plan, results, trial);
      });
      if (!isDone) throw new RollFailure('what this loop leaves behind', position);
      return true;
    } catch (error) {
      if (ev.cells.isOpen(journal)) abandon();
      throw error;
    }
  }

  /** Values that a carried variable starts with; zeros where it is unbound or something else altogether. */
  private initialOf(value: Held | undefined, template: Held, position: Position): Scalar[] {
    const scalars = scalarsOf(template, position);
    return isLike(this.ev, value, template, position)
      ? scalarsLike(template, value, position)
      : scalars.map((s) => known(s.kind, 0));
  }

  /** Compares what the body has written with the plan; false when the plan had to change. */
  private review(loop: CountedLoop, plan: Plan, journal: Journal, index: IndexForm): boolean {
    const { ev } = this;
    const { ops } = ev;
    const { position } = loop;
    const { carried, counters, dropped } = plan;
    const mayBeEmpty = ev.builder.rangeOf(loop.count).min < 1;
    let isStable = true;
    for (const [cell, old] of journal.cells) {
      if (cell === loop.scratch || dropped.has(cell)) continue;
      const after = cell.value;
      if (after === undefined) throw new RollFailure('deleting a variable in a loop', position);
      const counter = counters.get(cell);
      if (counter !== undefined) {
        const expected = addForms(counter.start, scaleForm(addForms(index, constantForm(1)), counter.delta));
        const form = after.tag === 'scalar' ? ops.formOf(after) : undefined;
        if (form !== undefined && formKey(form) === formKey(expected)) continue;
        counters.delete(cell);
      }
      if (!carried.has(cell)) {
        if (counter === undefined) {
          if (isLeftAlone(old, after)) continue;
          const found = mayBeEmpty ? undefined : this.counterOf(old, after);
          if (found !== undefined) {
            counters.set(cell, found);
            isStable = false;
            continue;
          }
        }
        isStable = false;
        if (hasBulk(after)) {
          dropped.add(cell);
          continue;
        }
        try {
          const template = templateOf(ev, after, position);
          scalarsOf(template, position);
          carried.set(cell, template);
        } catch (error) {
          if (!(error instanceof Unsupported)) throw error;
          dropped.add(cell);
        }
        continue;
      }
      if (!hasRoom(ev, carried, cell, after, position)) isStable = false;
    }
    return isStable;
  }

  private counterOf(old: Held | undefined, after: Held): Counter | undefined {
    if (old?.tag !== 'scalar' || after.tag !== 'scalar' || !isIntKind(old.kind) || old.kind !== after.kind)
      return undefined;
    const start = this.ev.ops.formOf(old);
    const next = this.ev.ops.formOf(after);
    if (start === undefined || next === undefined) return undefined;
    const step = addForms(next, scaleForm(start, -1));
    return step.terms.length > 0 ? undefined : { start, delta: step.offset, kind: old.kind };
  }

  /**
   * A variable that is of another type before the first iteration than after it: that is right where no iteration reads
   * it, or where it is added up only. Otherwise the first iteration has to stay outside.
   */
  private settleKinds(
    loop: CountedLoop,
    plan: Plan,
    journal: Journal,
    region: OpenFor,
    params: readonly ValueId[],
    initial: readonly Scalar[],
    yields: readonly ValueId[],
  ): void {
    const { position } = loop;
    let used: ReadonlySet<ValueId> | undefined;
    let next = 0;
    for (const [cell, template] of plan.carried) {
      const scalars = scalarsOf(template, position);
      const from = next;
      next += scalars.length;
      const before = journal.cells.get(cell);
      const isUnbound = !isLike(this.ev, before, template, position);
      const changes = scalars.some((s, k) => initial[from + k].kind !== s.kind);
      if (!isUnbound && !changes) continue;
      // What an iteration hands on as it is, is read, too.
      used ??= new Set([...valuesUsed(region.body), ...yields]);
      if (!params.slice(from, next).some((param) => used?.has(param))) continue;
      if (isUnbound) {
        throw new RollFailure('a variable that the first iteration binds', position, {
          index: region.loop.index,
          end: 'first',
        });
      }
      if (scalars.length === 1 && isPromotion(initial[from], scalars[0]) && loop.isAccumulator(cell)) continue;
      throw new RollFailure('the type of a variable changes in the first iteration', position, {
        index: region.loop.index,
        end: 'first',
      });
    }
  }

  /** Writes what the variables are after the loop. */
  private finish(loop: CountedLoop, plan: Plan, results: readonly ValueId[], trial: Trial): void {
    const { ev } = this;
    const { ops } = ev;
    const mayBeEmpty = ev.builder.rangeOf(loop.count).min < 1;
    trial.leave(results, (cell, after, template, before, from) => {
      // After no iteration it is what it was, of another type or not bound at all.
      if (mayBeEmpty && !isLike(ev, before, template, loop.position)) {
        ev.cells.write(cell, leftover(before ?? after, loop.position));
      } else if (mayBeEmpty && template.tag === 'scalar' && before?.tag === 'scalar') {
        const either = ev.templates.joinTemplates(before, after, loop.position) as Scalar;
        ev.cells.write(
          cell,
          either.kind === template.kind ? ops.like(either, results[from]) : leftover(before, loop.position),
        );
      } else ev.cells.write(cell, after);
    });
    for (const [cell, { start, delta, kind }] of plan.counters) {
      ev.cells.write(cell, ops.formScalar(kind, addForms(start, scaleForm(loop.count, delta))));
    }
    for (const cell of plan.dropped) ev.cells.write(cell, leftover(cell.value, loop.position));
  }

  /** Refuses loops that would run for minutes. */
  private limit(region: OpenFor, position: Position): void {
    const count = this.ev.builder.rangeOf(region.loop.count).max;
    const cost = count * this.costOf(region.body);
    this.costs.set(region.body, cost);
    if (cost > MAX_COST) throw new Unsupported('the loops of this function run for too long', position, 'limit');
  }

  /** By the body of a `for`: operations executed by all its iterations. */
  private readonly costs = new WeakMap<readonly IrNode[], number>();

  private costOf(body: readonly IrNode[]): number {
    let cost = 0;
    for (const node of body) {
      if (node.kind === 'op') cost++;
      else if (node.kind === 'if') cost += this.costOf(node.then.body) + this.costOf(node.otherwise.body);
      else if (node.kind === 'loop') cost += this.costOf(node.body.body);
      else cost += this.costs.get(node.body.body) ?? 0;
    }
    return cost;
  }
}

function leftover(value: Held | undefined, position: Position): OpaqueValue {
  const what = value === undefined ? 'a variable' : `the ${typeName(value)}`;
  return { tag: 'opaque', reason: `${what} that a rolled loop has left`, position };
}

/** Whether a value has the structure of a template, be it with other types of numbers. */
function isLike(ev: Evaluator, value: Held | undefined, template: Held, position: Position): value is Held {
  if (value === undefined || (value.tag === 'maybe' && template.tag !== 'maybe')) return false;
  try {
    const joined = ev.templates.joinTemplates(value, template, position);
    return scalarsOf(joined, position).length === scalarsOf(template, position).length;
  } catch (error) {
    if (error instanceof Unsupported) return false;
    throw error;
  }
}

/** Whether a value is or has a large list or array, whose elements are not carried one by one. */
function hasBulk(value: Held): boolean {
  if (value.tag === 'maybe') return hasBulk(value.value);
  if (value.tag === 'tuple') return value.range === undefined && value.items.some(hasBulk);
  if (value.tag === 'ndarray') return value.bulk !== undefined;
  if (value.tag === 'complexarray') return hasBulk(value.re) || hasBulk(value.im);
  if (value.tag === 'choice') return value.alternatives.some((alternative) => hasBulk(alternative.value));
  if (value.tag !== 'list') return false;
  return value.bulk !== undefined || value.cells.some((cell) => cell.value !== undefined && hasBulk(cell.value));
}

/** The structure and the types of a value. */
function templateOf(ev: Evaluator, value: Held, position: Position): Held {
  return ev.templates.joinTemplates(value, value, position);
}

/** From a number that holds nothing but its value to the type of what is added to it. */
const isPromotion = (from: Scalar, to: Scalar): boolean =>
  from.known !== undefined &&
  (from.kind === 'int' || from.kind === 'float') &&
  (to.kind === 'float' || to.kind === 'npfloat' || (from.kind === 'int' && to.kind === 'npint'));

/** All values that some nodes take. */
function valuesUsed(body: readonly IrNode[]): ReadonlySet<ValueId> {
  const used = new Set<ValueId>();
  const use = (id: ValueId): unknown => used.add(id);
  walk(
    { body, yields: [] },
    (node) => usesOf(node).forEach(use),
    ({ yields }) => yields.forEach(use),
  );
  return used;
}
