/**
 * Decides which loops with a static count stay rolled; `counted.ts` builds them.
 */
import { addForms, constantForm } from '../../../ir/index-form.js';
import type { IndexForm } from '../../../ir/types.js';
import type { Pass } from '../../machine/machine.js';
import type { Elements } from '../../values/large.js';
import type { Expression, Position, Statement, StatementOf } from '../../syntax/ast.js';
import {
  bool,
  PathCaught,
  PathRaises,
  RollFailure,
  Unsupported,
  type Cell,
  type Scope,
  type Value,
} from '../../values/values.js';
import type { Evaluator } from '../evaluator.js';

/** Loops that would unroll to more nodes stay rolled. */
const UNROLLED_NODES = 2_000;

/** Shorter loops are always unrolled. */
const MIN_ROLLED_COUNT = 8;

export class Rolling {
  /** `for` statements that could not be rolled. */
  readonly unrollable = new Set<Statement>();

  constructor(private readonly ev: Evaluator) {}

  /**
   * Runs a loop rolled where that pays. Returns how many iterations are done: `all`, or those at the start that have
   * been built, the rest to be unrolled.
   */
  rollFor(
    node: StatementOf<'For'>,
    elements: Elements,
    scope: Scope,
    loop: { readonly broke: Cell; readonly continued: Cell },
  ): number | 'all' {
    const { count } = elements;
    const length = count.terms.length === 0 ? count.offset : undefined;
    const iteration = (at: IndexForm): void => {
      this.ev.work.step(node);
      this.ev.assignment.assign(node.target, elements.at(at), scope);
      this.ev.statements.executeBlock(node.body, scope);
      this.ev.cells.write(loop.continued, bool(false));
    };
    if (length !== undefined) {
      if (this.unrollable.has(node) || length < (this.ev.roll === 'always' ? 1 : MIN_ROLLED_COUNT)) return 0;
      if (this.ev.roll === 'auto') {
        const first = this.firstIteration(length, (k) => iteration(constantForm(k)));
        if (first !== 'large') return first === 'kept' ? 1 : 0;
      }
    }
    const result = this.ev.counted.attempt({
      count,
      iteration,
      scratch: loop.continued,
      isAccumulator: (cell) => this.isAccumulator(cell, node, scope),
      position: node,
    });
    if (result === 'all') this.ev.hasRolled = true;
    else this.unrollable.add(node);
    return result;
  }

  /** Builds the first iteration, and keeps it when all of them together are small enough to unroll. */
  private firstIteration(count: number, run: (index: number) => void): 'kept' | 'large' | 'failed' {
    // The inner loops of a triangle are empty at one end.
    const last = this.sizeOf(() => run(count - 1));
    if (last * count > UNROLLED_NODES) return 'large';
    const before = this.ev.builder.nodeCount;
    const journal = this.ev.cells.openJournal();
    const region = this.ev.builder.openRegion();
    const keep = (): void => {
      const effects = this.ev.cells.rollBack(journal);
      this.ev.builder.closeRegion(region);
      this.ev.builder.splice(region);
      this.ev.branches.apply(effects);
    };
    try {
      run(0);
    } catch (error) {
      if (error instanceof PathRaises || error instanceof PathCaught) keep();
      else {
        this.ev.cells.rollBack(journal);
        this.ev.builder.closeRegion(region);
        // Outside of a journal it may be possible.
        if (error instanceof RollFailure || (error instanceof Unsupported && error.kind === 'unsupported'))
          return 'failed';
      }
      throw error;
    }
    const isSmall = (this.ev.builder.nodeCount - before + 1) * count <= UNROLLED_NODES;
    if (isSmall) keep();
    else {
      this.ev.cells.rollBack(journal);
      this.ev.builder.closeRegion(region);
    }
    return isSmall ? 'kept' : 'large';
  }

  /** How many nodes something builds, which is thrown away. */
  private sizeOf(run: () => void): number {
    const before = this.ev.builder.nodeCount;
    const journal = this.ev.cells.openJournal();
    const region = this.ev.builder.openRegion();
    try {
      run();
    } catch (error) {
      const isExpected =
        error instanceof PathRaises ||
        error instanceof PathCaught ||
        error instanceof RollFailure ||
        (error instanceof Unsupported && error.kind === 'unsupported');
      if (!isExpected) throw error;
    } finally {
      this.ev.cells.rollBack(journal);
      this.ev.builder.closeRegion(region);
    }
    return this.ev.builder.nodeCount - before + 1;
  }

  /** Whether a loop does nothing with a variable but `+=`, `-=` and `*=`. */
  private isAccumulator(cell: Cell, node: StatementOf<'For'>, scope: Scope): boolean {
    const name = [...scope.cells].find(([, c]) => c === cell)?.[0];
    if (name === undefined) return false;
    for (const { value } of scope.cells.values())
      if (value?.tag === 'function' && value.closure === scope) return false;
    let mentions = 0;
    let updates = 0;
    const stack: unknown[] = [node.body];
    while (stack.length > 0) {
      const item = stack.pop();
      if (typeof item !== 'object' || item === null) continue;
      const part = item as Statement | Expression;
      if (part.kind === 'Name' && part.name === name) mentions++;
      if (
        part.kind === 'AugAssign' &&
        part.target.kind === 'Name' &&
        part.target.name === name &&
        ['+', '-', '*'].includes(part.operator)
      ) {
        updates++;
      }
      stack.push(...Object.values(item));
    }
    return mentions === updates;
  }

  /**
   * Gives every item of a large value to `body`, in a rolled loop. False where that is not possible: nothing has
   * happened then.
   */
  rollOver(value: Value, { body, first, accumulators }: Pass, position: Position): boolean {
    if (this.ev.roll === 'never' || this.ev.loading) return false;
    const isIterator = value.tag === 'iterator';
    if (isIterator && value.used) return false;
    const elements = this.ev.bulk.elementsOf(value, position);
    const traverse = isIterator && first === undefined ? value.traverse : undefined;
    if (traverse === undefined) {
      if (elements === null) return false;
      const isStatic = elements.count.terms.length === 0;
      if (isStatic ? !this.ev.bulk.isLarge(elements.count.offset) : first !== undefined) return false;
    }
    const run = ({ count, at }: Elements): void => {
      const apart = constantForm(first === undefined ? 0 : 1);
      first?.(at(constantForm(0)));
      const rest = addForms(count, constantForm(-apart.offset));
      this.ev.counted.run(rest, position, (form) => body(at(addForms(form, apart))));
    };
    const done = this.ev.branches.attempt(() => {
      this.ev.counted.withState(accumulators, () => {
        if (traverse !== undefined) traverse(body);
        else if (elements !== null) run(elements);
      });
    });
    if (done && isIterator) this.ev.cells.useUp(value);
    return done;
  }
}
