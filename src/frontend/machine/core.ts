/**
 * The machine as its own parts see it.
 */
import type { Expression } from '../syntax/ast.js';
import type { AnyValue, Cell, ListValue, Scalar, ScalarKind, Scope, Value } from '../values/values.js';
import type { Branches } from './branches.js';
import type { Cells } from './cells.js';
import type { Choices } from './choices.js';
import type { Exits } from './exits.js';
import type { KnownTexts } from './known-texts.js';
import type { LastingState } from './lasting-state.js';
import type { Machine } from './machine.js';
import type { Memory } from './memory.js';
import type { Merging } from './merging.js';
import type { Ties } from './ties.js';
import type { Work } from './work.js';

/** The machine as its parts see each other and the rest. */
export interface Core extends Machine {
  /** The clock when the module was loaded. */
  readonly loadedAt: number;
  readonly work: Work;
  readonly cells: Cells;
  readonly ties: Ties;
  readonly branches: Branches;
  readonly merging: Merging;
  readonly choices: Choices;
  readonly exits: Exits;
  readonly memory: Memory;
  readonly lasting: LastingState;
  readonly knownTexts: KnownTexts;

  /** Names. */
  readonly names: {
    bind(name: string, value: AnyValue, scope: Scope): void;
    /** The variable that a name stands for; undefined for a built-in name, and one that is not known. */
    find(name: string, scope: Scope): Cell | undefined;
  };

  /** Expressions. */
  readonly expressions: {
    /** A value to be looked into. @throws {Unsupported} where it is of several kinds, or of none that is known. */
    evaluate(node: Expression, scope: Scope): Value;
  };

  /** Large lists and arrays. */
  readonly bulk: {
    /** A number as the scalar of a kind; truth values are kept as 0 and 1. */
    asKind(kind: ScalarKind, number: number): Scalar;
    lengthOf(list: ListValue): number;
  };
}
