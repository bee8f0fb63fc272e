/**
 * What tools answer: a run, and lists of runs, short enough for a model's context. The explanation comes first, and
 * what is long (records, long solutions, pictures, code) comes by reference.
 */
import { z } from 'zod';
import { RUN_STATUSES } from '../../model/run-status.js';
import { nullable } from '../fields.js';
import type { RunAnswer } from '../optimize/answer.js';
import type { Answer } from '../route.js';

/** Numbers of a solution that are shown; the record has all. */
const MOST_NUMBERS = 50;
/** Characters of an explanation, and of the answer of a domain problem as JSON. */
export const MOST_CHARACTERS = 6_000;

export const uriOf = {
  run: (id: string): string => `extremum://runs/${id}`,
  explanation: (id: string, level: number | string): string => `extremum://runs/${id}/explanation/${level}`,
  picture: (id: string, kind: string): string => `extremum://runs/${id}/pictures/${kind}`,
  history: (id: string): string => `extremum://runs/${id}/history`,
  function: (id: string): string => `extremum://functions/${id}`,
};

export const runView = z.object({
  explanation: z.string().describe('What came out, why the run ended, and why it was searched so'),
  id: z.string(),
  status: z.enum(RUN_STATUSES),
  success: nullable(z.boolean()).describe('Null until the run has ended'),
  termination_reason: nullable(z.string()),
  best_fitness: nullable(z.number()).describe("In the objective's own direction; null with several objectives"),
  best_solution: nullable(z.array(z.number())).describe(`The first ${MOST_NUMBERS} numbers; the record has all`),
  dimensions: nullable(z.int()).describe('Of the solution; null where there is none'),
  pareto_front: nullable(z.int()).describe('Points of the front, which the record has; null with one objective'),
  result: nullable(z.record(z.string(), z.unknown())).describe(
    'Of a domain problem, as a practitioner reads it; null where it is too long: the record has it',
  ),
  evaluations: z.int(),
  failed_evaluations: z.int(),
  max_evaluations: z.int(),
  duration_seconds: nullable(z.number()),
  strategy_used: nullable(z.string()),
  seed: z.int().describe('The same request with it gives the same result'),
  verified: nullable(z.string()).describe('Who confirmed values of compiled code, and how many'),
  optimality: nullable(z.string()).describe('What was proven'),
  warnings: z.array(z.string()),
  error: nullable(z.string()),
  references: z.array(z.string()).describe('Resources: the record, the history, pictures'),
});
export type RunView = Answer<typeof runView>;

export function viewOf(run: RunAnswer): RunView {
  const { verified, optimality, result, best_solution: solution } = run;
  const isShort = result !== null && JSON.stringify(result).length <= MOST_CHARACTERS;
  const errors = run.evaluation_errors.map(({ type, message, line }) => `${type}: ${message} (line ${line})`);
  return {
    explanation: cut(explanationText(run), MOST_CHARACTERS),
    id: run.id,
    status: run.status,
    success: run.success,
    termination_reason: run.termination_reason,
    best_fitness: run.best_fitness,
    best_solution: solution?.slice(0, MOST_NUMBERS) ?? null,
    dimensions: solution?.length ?? null,
    pareto_front: run.pareto_front?.length ?? null,
    result: isShort ? result : null,
    evaluations: run.evaluations,
    failed_evaluations: run.failed_evaluations,
    max_evaluations: run.max_evaluations,
    duration_seconds: run.duration_seconds,
    strategy_used: run.strategy_used,
    seed: run.seed,
    verified: verified === null || verified.by === null ? null : `${verified.by} confirmed ${verified.points} values`,
    optimality: optimality === null ? null : `${optimality.status}: ${optimality.proof ?? 'no proof'}`,
    warnings: [...errors, ...(run.warnings ?? []).map(({ message }) => message)],
    error: run.error?.message ?? null,
    references: referencesOf(run),
  };
}

function explanationText({ explanation, status, progress, id }: RunAnswer): string {
  if (explanation === null) {
    const best = progress.best_fitness === null ? '' : `, the best value so far is ${progress.best_fitness}`;
    return `The run ${id} is ${status}: ${progress.evaluations} evaluations${best}.`;
  }
  const texts = explanation.statements.map(({ text }) => text);
  return texts.length === 0 ? `The run ${id} has ended: ${status}.` : texts.join('\n');
}

const referencesOf = ({ id, visuals, objective_function_id: functionId }: RunAnswer): string[] => [
  uriOf.run(id),
  uriOf.history(id),
  ...visuals.map(({ kind }) => uriOf.picture(id, kind)),
  ...(functionId === null ? [] : [uriOf.function(functionId)]),
];

export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** For people and models alike: the explanation, then the facts that it may not have, a line each. */
export function runText(view: RunView): string {
  const { explanation, references, result, best_solution: solution, ...facts } = view;
  const shown = Object.entries(facts).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return [
    explanation,
    '',
    ...shown.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`),
    ...(solution === null ? [] : [`best_solution: ${JSON.stringify(solution)}`]),
    ...(result === null ? [] : [`result: ${JSON.stringify(result)}`]),
    `More: ${references.join(' ')}`,
  ].join('\n');
}
