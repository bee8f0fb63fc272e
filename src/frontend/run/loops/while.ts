/**
 * `while`, and `for` over a range that depends on x: an IR loop that runs as long as a lane goes on.
 */
import type { Position, StatementOf } from '../../syntax/ast.js';
import { asMaybe, scalarsOf } from '../../values/structure.js';
import {
  bool,
  int,
  known,
  PathCaught,
  PathRaises,
  Unsupported,
  type Cell,
  type Held,
  type Scalar,
  type Scope,
} from '../../values/values.js';
import type { Evaluator } from '../evaluator.js';
import { MAX_TRIALS, Trial, hasRoom, isLeftAlone, scalarsLike, type Carried } from './carried.js';
import { BecomesComplex } from './templates.js';

/** Iterations of a `while` that depends on x before the lane is handed to CPython. */
const LOOP_FUEL = 100_000;

export class WhileLoops {
  constructor(private readonly ev: Evaluator) {}

  executeDynamicFor(
    node: StatementOf<'For'>,
    { start, stop, step }: { start: Scalar; stop: Scalar; step: number },
    scope: Scope,
  ): void {
    const outer = this.ev.exits.frame.loop;
    const loop = { broke: this.ev.cells.cell(bool(false)), continued: this.ev.cells.cell(bool(false)) };
    const counter = this.ev.cells.cell(start);
    this.ev.exits.frame.loop = loop;
    try {
      this.dynamicLoop(
        () => this.ev.ops.compare(step > 0 ? '<' : '>', counter.value as Scalar, stop),
        () => {
          this.ev.assignment.assign(node.target, counter.value as Scalar, scope);
          // Counted before the body, so that `continue` cannot skip it.
          this.ev.cells.write(counter, this.ev.ops.binary('+', counter.value as Scalar, int(step), node));
          this.ev.statements.executeBlock(node.body, scope);
        },
        loop,
        node,
      );
    } finally {
      this.ev.exits.frame.loop = outer;
    }
    this.ev.forLoops.afterLoop(loop.broke, node.orElse, scope, node);
  }

  executeWhile(node: StatementOf<'While'>, scope: Scope): void {
    const outer = this.ev.exits.frame.loop;
    const loop = { broke: this.ev.cells.cell(bool(false)), continued: this.ev.cells.cell(bool(false)) };
    this.ev.exits.frame.loop = loop;
    try {
      // As long as nothing depends on x, run it; from the first iteration that does, build a loop.
      for (;;) {
        // An iteration costs a region and a journal.
        this.ev.work.step(node, 20);
        const journal = this.ev.cells.openJournal();
        const region = this.ev.builder.openRegion();
        let isStatic = false;
        let goesOn = false;
        let entersLoop = false;
        try {
          const test = this.ev.operators.truthOf(this.ev.expressions.evaluateAny(node.test, scope), node);
          if (test.known !== undefined) {
            entersLoop = test.known !== 0;
            if (entersLoop) this.ev.statements.executeBlock(node.body, scope);
            this.ev.cells.write(loop.continued, bool(false));
            const live = this.ev.exits.live();
            isStatic = live.known !== undefined;
            goesOn = test.known !== 0 && live.known === 1;
          }
        } catch (error) {
          const effects = this.ev.cells.rollBack(journal);
          this.ev.builder.closeRegion(region);
          if (error instanceof PathRaises || error instanceof PathCaught) {
            this.ev.builder.splice(region);
            this.ev.branches.apply(effects);
          }
          throw error;
        }
        const effects = this.ev.cells.rollBack(journal);
        this.ev.builder.closeRegion(region);
        if (!isStatic) {
          const build = (): void =>
            this.dynamicLoop(
              () => this.ev.operators.truthOf(this.ev.expressions.evaluateAny(node.test, scope), node),
              () => this.ev.statements.executeBlock(node.body, scope),
              loop,
              node,
            );
          try {
            build();
          } catch (error) {
            if (!(error instanceof BecomesComplex) || !entersLoop) throw error;
            // A number that the first iteration, which every lane runs, makes complex: it stays outside.
            this.ev.builder.splice(region);
            this.ev.branches.apply(effects);
            this.ev.exits.whileLive(this.ev.exits.live(), build, node);
          }
          break;
        }
        this.ev.builder.splice(region);
        this.ev.branches.apply(effects);
        if (!goesOn) break;
      }
    } finally {
      this.ev.exits.frame.loop = outer;
    }
    this.ev.forLoops.afterLoop(loop.broke, node.orElse, scope, node);
  }

  /** Builds an IR loop; what it carries is found by trial (`carried.ts`). */
  private dynamicLoop(
    test: () => Scalar,
    body: () => void,
    loop: { readonly broke: Cell; readonly continued: Cell },
    position: Position,
  ): void {
    const carried: Carried = new Map();
    // A variable first bound inside the loop starts as zero, unbound.
    const initialOf = (value: Held | undefined, template: Held): Scalar[] =>
      value === undefined
        ? scalarsOf(template, position).map((s) => known(s.kind, 0))
        : scalarsLike(template, value, position);
    for (let count = 0; count < MAX_TRIALS; count++) {
      // Loops within loops multiply.
      this.ev.work.step(position, 100);
      const trial = new Trial(this.ev, carried, position, initialOf);
      const region = this.ev.builder.openRegion();
      const journal = this.ev.cells.openJournal(true);
      trial.enter();
      let again: Scalar = bool(false);
      let raised = false;
      let finished = false;
      try {
        const condition = this.ev.ops.and(test(), this.ev.exits.unraised());
        this.ev.exits.whileLive(condition, body, position);
        this.ev.cells.write(loop.continued, bool(false));
        again = this.ev.ops.and(condition, this.ev.exits.live());
        finished = true;
      } catch (error) {
        if (!(error instanceof PathRaises) && !(error instanceof PathCaught)) throw error;
        raised = error instanceof PathRaises;
        finished = true;
      } finally {
        if (!finished) {
          this.ev.cells.rollBack(journal);
          this.ev.builder.closeRegion(region);
        }
      }
      if (journal.lists.size > 0) {
        this.ev.cells.rollBack(journal);
        this.ev.builder.closeRegion(region);
        throw new Unsupported('the length of a list changes in a loop that depends on x', position);
      }
      if (raised) {
        // Every lane that enters the loop raises.
        this.ev.cells.rollBack(journal);
        this.ev.builder.closeRegion(region);
        this.ev.builder.splice(region);
        throw new PathRaises();
      }
      let stable = true;
      try {
        for (const cell of journal.cells.keys()) {
          if (cell === loop.continued) continue;
          if (cell.value === undefined)
            throw new Unsupported('deleting a variable in a loop that depends on x', position);
          const after = cell.value;
          if (carried.has(cell)) {
            if (!hasRoom(this.ev, carried, cell, after, position)) stable = false;
            continue;
          }
          const old = journal.cells.get(cell);
          if (isLeftAlone(old, after)) continue;
          // Not bound before the loop: bound after it where an iteration has bound it.
          carried.set(cell, this.ev.templates.joinTemplates(old ?? asMaybe(after), after, position));
          stable = false;
        }
      } catch (error) {
        this.ev.cells.rollBack(journal);
        this.ev.builder.closeRegion(region);
        throw error;
      }
      if (stable) {
        const finals = trial.finals();
        const yields = [this.ev.ops.truth(again), ...trial.yieldsOf(finals)];
        this.ev.cells.rollBack(journal);
        this.ev.builder.closeRegion(region);
        const { initialIds, params } = trial;
        const results = this.ev.builder.placeLoop(initialIds, params, region, yields, LOOP_FUEL, position.line);
        trial.leave(results, (cell, after) => this.ev.cells.write(cell, after));
        return;
      }
      this.ev.cells.rollBack(journal);
      this.ev.builder.closeRegion(region);
    }
    throw new Unsupported('variables whose types keep changing in a loop that depends on x', position);
  }
}
