/**
 * Exits that depend on x are data: `returned`, `broke`, `continued` and what handlers have caught are cells with a
 * truth value, merged like any variable; statements after a possible exit run under the negation.
 */
import type { LaneStatus } from '../../ir/types.js';
import type { Core } from './core.js';
import type { Position } from '../syntax/ast.js';
import { catches, raisedBy, raisedClasses, type Handler, type Raised } from '../values/exceptions.js';
import {
  bool,
  NONE,
  PathCaught,
  Unsupported,
  type AnyValue,
  type Cell,
  type FunctionValue,
  type Scalar,
  type Value,
} from '../values/values.js';

export interface Frame {
  readonly returned: Cell;
  readonly result: Cell;
  /** The function that runs, and its first argument. */
  method: FunctionValue | null;
  self: Value | undefined;
  /** Items of a generator function so far, and how many branches on x were open at its start. */
  yields: { readonly items: AnyValue[]; readonly depth: number } | null;
  loop: { readonly broke: Cell; readonly continued: Cell } | null;
}

export class Exits {
  frame: Frame;

  /** Handlers of the `try` statements being evaluated, outermost first; those of one statement in their order. */
  readonly handlers: Handler[][] = [];

  /** Classes that the exceptions being handled may have, outermost first. */
  readonly handling: Raised[] = [];

  constructor(private readonly ev: Core) {
    this.frame = this.newFrame();
  }

  /** Gives a check to the clause that catches it. The lanes that are left for the check itself; null: none. */
  catchCheck(condition: Scalar, status: LaneStatus, exception: Raised | null): Scalar | null {
    if (this.handlers.length === 0) return condition;
    // The first exception of a lane counts.
    const first = this.ev.ops.and(condition, this.unraised());
    const raised = raisedBy(status, exception);
    for (let k = this.handlers.length - 1; raised !== null && k >= 0; k--) {
      for (const handler of this.handlers[k]) {
        const verdict = catches(handler, raised);
        if (verdict === 'no') continue;
        if (verdict === 'yes') {
          this.ev.cells.effects++;
          for (const cls of raisedClasses(raised)) handler.taken.add(cls);
          this.ev.cells.write(handler.raised, this.ev.ops.or(handler.raised.value as Scalar, first));
          if (condition.known !== undefined) throw new PathCaught();
          return null;
        }
        if (condition.known !== undefined) {
          throw new Unsupported(
            'an exception of which only CPython knows what except clause takes it',
            this.ev.ops.here,
          );
        }
        this.ev.ops.leave(first);
        return null;
      }
    }
    return first;
  }

  /** Lanes on which nothing has been raised for a handler to catch. */
  unraised(): Scalar {
    let clear: Scalar = bool(true);
    for (const level of this.handlers) {
      for (const { raised } of level) clear = this.ev.ops.and(clear, this.ev.ops.not(raised.value as Scalar));
    }
    return clear;
  }

  /** Runs an effect of a statement whose expressions may have raised: only on lanes where they did not. */
  guarded(effect: () => void, position: Position): void {
    if (this.handlers.length === 0) {
      effect();
      return;
    }
    const clear = this.unraised();
    if (clear.known === 0) throw new PathCaught();
    this.ev.branches.branch(
      clear,
      () => {
        effect();
        return NONE;
      },
      () => NONE,
      position,
    );
  }

  /** Whether the program itself may catch what is raised here. */
  get isInTry(): boolean {
    return this.handlers.length > 0;
  }

  newFrame(): Frame {
    return {
      returned: this.ev.cells.cell(bool(false)),
      result: this.ev.cells.cell(undefined),
      method: null,
      self: undefined,
      yields: null,
      loop: null,
    };
  }

  /** Whether the statement after this one runs. */
  live(): Scalar {
    let live = this.ev.ops.and(this.unraised(), this.ev.ops.not(this.frame.returned.value as Scalar));
    const loop = this.frame.loop;
    if (loop !== null) {
      live = this.ev.ops.and(live, this.ev.ops.not(loop.broke.value as Scalar));
      live = this.ev.ops.and(live, this.ev.ops.not(loop.continued.value as Scalar));
    }
    return live;
  }

  /** Runs `body` on the lanes that are still in this block. */
  whileLive(live: Scalar, body: () => void, position: Position): void {
    this.ev.branches.branch(
      live,
      () => {
        const { returned, loop } = this.frame;
        if (live.known === undefined) {
          this.ev.cells.write(returned, bool(false));
          if (loop !== null) {
            this.ev.cells.write(loop.broke, bool(false));
            this.ev.cells.write(loop.continued, bool(false));
          }
          this.resetRaised();
        }
        body();
        return NONE;
      },
      () => NONE,
      position,
    );
  }

  resetRaised(): void {
    for (const level of this.handlers) for (const { raised } of level) this.ev.cells.write(raised, bool(false));
  }
}
