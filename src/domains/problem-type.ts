/**
 * The contract of a problem type: what a `config` holds, how it is solved, and what is said and drawn of the answer.
 *
 * Life of a problem: a config is checked against `fields`, then by `check` (both on the event loop: cheap, and no
 * solving); the run stores it as it was sent. A worker thread checks it again, calls `solve` once, has `verify` compute
 * the answer anew from its parts, and makes the statements. Pictures are drawn whenever somebody asks, from the stored
 * config and answer. All functions are pure: equal config, seed and budget give equal bits.
 *
 * A new type: docs/guides/adding-a-problem-type.md.
 */
import type { z } from 'zod';
import type { Complain } from '../common/hand-checked.js';
import type { Rng } from '../common/rng.js';
import type { Statement } from '../model/explanation.js';
import type { ConstraintState, DomainName, JsonObject, Proof, Remark, SolvingMethod } from '../model/problem.js';
import type { Mode } from '../model/run-task.js';
import type { Direction } from '../model/objective.js';
import type { LinearProgram, LinearSolution, LinearOptions } from './solvers/linear-program.js';
import type { Search, SearchResult } from './solvers/search.js';

export interface ProblemType {
  readonly domain: DomainName;
  readonly name: string;
  /** Other names that requests may use. */
  readonly aliases: readonly string[];
  /** Two to five words, for people. */
  readonly title: string;
  /** One or two sentences: which question it answers. */
  readonly summary: string;
  /** The first one is the default. A type of one model has it with the name null. */
  readonly models: readonly AnyModel[];
  /** Largest sizes that are accepted, by what they count, such as `customers`. */
  readonly limits: Readonly<Record<string, number>>;
}

export interface Model<Config = unknown> {
  /** Value of `config.model`. Null: the type has no other model, and its configs no such field. */
  readonly name: string | null;
  /** One sentence. */
  readonly summary: string;
  /**
   * The config without `model`: strict, with defaults and units in the descriptions. Use the helpers of `fields.ts`.
   * Messages of own checks name the field as `{field}`.
   */
  readonly fields: z.ZodObject<z.ZodRawShape>;
  /** A config that really works, and reads like somebody's problem. */
  readonly example: JsonObject;
  /**
   * Contradictions between fields, complained about at most once, with the path below `config`. Only what one field or
   * a pair of fields shows; what takes a sum or a solver to see is `Infeasible`.
   */
  check?(config: Config, complain: Complain): void;
  /** Whether the objective's natural unit is to be small or large. */
  sense(config: Config): Direction;
  /**
   * @throws {Infeasible} where no solution exists, {Unbounded} where there is no best one, {Unsolved} where it cannot
   * say
   */
  solve(config: Config, context: SolveContext): Solution | Promise<Solution>;
  /**
   * Computes objective, limits and totals anew from config and solution, by another way than `solve` where there is
   * one.
   * Null: all holds; else what does not. An answer that fails is a defect and is never sent.
   */
  verify(config: Config, solution: Solution): string | null;
  /** Levels 1 to 5: result; why this method; limits and assumptions; what the answer is sensitive to; alternatives. */
  explain(config: Config, solution: Solution): readonly Statement[];
  /** By kind, snake_case. Each gives SVG; null where this solution has no such picture. */
  readonly pictures: Readonly<Record<string, (config: Config, answer: DrawnAnswer) => string | null>>;
}

/** A model whose types were checked where it was written. */
export type AnyModel = Model;

/** Checks the types of one model, then forgets them, so that models of all kinds fit one list. */
export const model = <Fields extends z.ZodObject>(
  definition: Omit<Model<z.output<Fields>>, 'fields'> & { readonly fields: Fields },
): AnyModel => definition as unknown as AnyModel;

/** The part of an answer that pictures are drawn from. */
export interface DrawnAnswer {
  readonly bestSolution: readonly number[];
  readonly bestFitness: number;
  readonly result: JsonObject;
  readonly alternatives: readonly JsonObject[];
}

export interface Solution {
  /** A method of the closed list, or the name of an engine strategy. */
  readonly method: SolvingMethod | { readonly strategy: string };
  /** One sentence: why this method suits the config. */
  readonly reason: string;
  /** Values in the order of `decisionVariables`. */
  readonly bestSolution: readonly number[];
  /** In its natural unit and sign. */
  readonly bestFitness: number;
  readonly decisionVariables: readonly string[];
  readonly result: JsonObject;
  /** `optimal` only with a proof. `bound` and the gap to it are in the unit of `bestFitness`. */
  readonly optimality: {
    readonly status: 'optimal' | 'feasible' | 'heuristic';
    readonly bound: number | null;
    readonly proof: Proof | null;
  };
  /** Complete candidate solutions that were valued: at least 1, at most `maxEvaluations`. */
  readonly evaluations: number;
  /** Library that did the work, with its version. Absent: our own code. */
  readonly library?: string;
  readonly iterations?: number;
  readonly nodes?: number;
  readonly constraints?: readonly ConstraintState[];
  readonly warnings?: readonly Remark[];
  readonly assumptions?: readonly Remark[];
  readonly alternatives?: readonly JsonObject[];
  /** The model's own, for `verify` and `explain`; not stored. */
  readonly detail?: unknown;
}

export interface SolveContext {
  readonly seed: number;
  readonly maxEvaluations: number;
  readonly mode: Mode;
  /** Seeded by the run's seed and the label. */
  rng(label: string): Rng;
  /**
   * Ends the solver by throwing once the run is cancelled or its time is up. To be called many times a second by
   * whatever has no answer to give before its end.
   */
  look(): void;
  /** Whether the run is cancelled or its time is up: a solver that has an answer by then returns its best. */
  isOver(): boolean;
  /** Shared cell for native code: other than 0 ends it. */
  readonly stop: Int32Array;
  /** A better solution was found: for progress and the curve of the run. */
  improved(evaluations: number, bestFitness: number, bestSolution: readonly number[]): void;
  /** Linear, mixed-integer and convex quadratic programmes, in a thread of their own that ends with the run. */
  solveLinear(program: LinearProgram, options?: LinearOptions): Promise<LinearSolution>;
  /** The engine's strategies, for what no other method solves. */
  search(search: Search): Promise<SearchResult>;
}

/** No solution satisfies the limits. */
export class Infeasible extends Error {
  override readonly name = 'Infeasible';
  /** `conflict`: names of limits that contradict each other, as few as the method gives. */
  constructor(
    message: string,
    readonly conflict: readonly string[],
  ) {
    super(message);
  }
}

/** A numerical method ended without an answer that it can vouch for. The message says what happened. */
export class Unsolved extends Error {
  override readonly name = 'Unsolved';
}

/** There is no best solution: each one is beaten by another. The message names the direction. */
export class Unbounded extends Error {
  override readonly name = 'Unbounded';
}

/** Thrown by `SolveContext.look`. */
export class Interrupted extends Error {}
