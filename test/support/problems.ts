/**
 * Problems solved in the thread of the test, as a run's worker thread solves them; with EXTREMUM_TEST_HTTP=1 by a real
 * service instead, through its API.
 */
import path from 'node:path';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll } from 'vitest';
import { ExtremumError } from '../../src/common/errors.js';
import { checkConfig, typeNamed } from '../../src/domains/configs.js';
import { beginConversation, continueConversation } from '../../src/domains/conversational/conversation.js';
import type { ConversationState } from '../../src/domains/conversational/state.js';
import type { ProblemType } from '../../src/domains/problem-type.js';
import { solveProblem, type SolvedProblem, type UnsolvedProblem } from '../../src/domains/solve-problem.js';
import type { DomainName } from '../../src/model/problem.js';
import type { Mode } from '../../src/model/run-task.js';
import { openContext } from '../../src/runs/problem-context.js';
import { startTestService, type Json, type TestService } from './service.js';

export interface SolveOptions {
  readonly seed?: number;
  readonly maxEvaluations?: number;
  readonly mode?: Mode;
  /** Absent: never. */
  readonly isOver?: () => boolean;
}

const NEVER = (): boolean => false;

/** @throws {ExtremumError} where the config is refused */
export async function solveConfig(
  type: ProblemType,
  config: unknown,
  { seed = 1, maxEvaluations = 1_000, mode = 'balanced', isOver = NEVER }: SolveOptions = {},
): Promise<SolvedProblem | UnsolvedProblem> {
  const isCancellable = isOver !== NEVER;
  if (process.env['EXTREMUM_TEST_HTTP'] === '1' && !isCancellable) {
    return solveOverHttp(type, config, { seed, maxEvaluations, mode });
  }
  const checked = checkConfig(type, config);
  const context = openContext({ seed, maxEvaluations, mode, isOver });
  const startedAt = performance.now();
  try {
    return await solveProblem(checked, context, () => (performance.now() - startedAt) / 1_000);
  } finally {
    await context.close();
  }
}

let service: Promise<TestService> | null = null;

if (process.env['EXTREMUM_TEST_HTTP'] === '1') afterAll(async () => (await service)?.cleanUp());

/** One service for all tests of a file; it ends with them. */
function sharedService(): Promise<TestService> {
  if (service === null) {
    service = startTestService({ flags: ['--python', 'off', '--rate-limit-per-minute', '1000000', '--workers', '1'] });
  }
  return service;
}

/** A message of a conversation, which is held where problems are solved. `before` absent: the first one. */
export async function converse(text: string, before?: ConversationState): Promise<ConversationState> {
  if (process.env['EXTREMUM_TEST_HTTP'] !== '1') {
    return before === undefined ? beginConversation(text) : continueConversation(before, text);
  }
  const { call } = await sharedService();
  const id = (before as Json)?.conversation_id as string | undefined;
  const { status, body } =
    id === undefined
      ? await call('POST', '/v1/domains/conversational/create', { body: { description: text } })
      : await call('POST', `/v1/domains/conversational/continue/${id}`, { body: { response: text } });
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body as ConversationState;
}

async function solveOverHttp(
  type: ProblemType,
  config: unknown,
  { seed, maxEvaluations, mode }: Required<Omit<SolveOptions, 'isOver'>>,
): Promise<SolvedProblem | UnsolvedProblem> {
  const { call } = await sharedService();
  const body = { problem_type: type.name, config, seed, max_evaluations: maxEvaluations, mode, preset: 'research' };
  const headers = { prefer: 'wait=300' };
  const { status, body: run } = await call('POST', `/v1/domains/${type.domain}/optimize`, { body, headers });
  if (status === 400)
    throw new ExtremumError('invalid_request', run.error.message as string, { field: run.error.field });
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(run).slice(0, 500)}`);
  if (run.error?.code !== undefined) return { error: run.error };
  if (run.best_solution === null) throw new Error(JSON.stringify(run.error));
  for (const { url } of run.visuals as Json[]) {
    const picture = await call('GET', url, { isText: true });
    if (picture.status !== 200) throw new Error(`GET ${url}: ${picture.status} ${picture.body}`);
  }
  return {
    bestSolution: run.best_solution,
    bestFitness: run.best_fitness,
    evaluations: run.evaluations,
    method: run.strategy_used,
    reason: run.strategies[0].reason,
    termination: run.termination_reason,
    answer: {
      sense: run.sense,
      decisionVariables: run.decision_variables,
      result: run.result,
      optimality: run.optimality,
      solver: run.solver,
      constraints: run.constraints.map(({ shadow_price: shadowPrice, ...state }: Json) =>
        shadowPrice === undefined ? state : { ...state, shadowPrice },
      ),
      warnings: run.warnings,
      assumptions: run.assumptions,
      ...(run.alternatives === null ? {} : { alternatives: run.alternatives }),
      statements: run.explanation.statements,
      pictures: run.visuals.map((visual: Json) => visual.kind).filter((kind: string) => kind !== 'convergence'),
    },
  };
}

/** @throws {Error} where there is no solution */
export async function solved(type: ProblemType, config: unknown, options?: SolveOptions): Promise<SolvedProblem> {
  const outcome = await solveConfig(type, config, options);
  if ('error' in outcome) throw new Error(`${outcome.error.code}: ${outcome.error.message}`);
  return outcome;
}

const REFERENCE = path.resolve(import.meta.dirname, '../../../shared/reference/domains');

/** One case of the reference, with expected values by the names of `result`. */
export interface ReferenceCase {
  readonly id: string;
  /** A file of the reference, relative to its domain. */
  readonly instance?: string;
  readonly config: Record<string, unknown>;
  readonly expected: Record<string, unknown>;
  readonly tolerance: Record<string, unknown>;
}

/** Null: this checkout has no reference beside it; tests that need it are skipped for that reason. */
export function referenceCases(domain: DomainName, problemType: string): readonly ReferenceCase[] | null {
  const file = path.join(REFERENCE, domain, 'cases', `${problemType}.json`);
  if (!existsSync(file)) return null;
  return (JSON.parse(readFileSync(file, 'utf8')) as { cases: ReferenceCase[] }).cases;
}

/** Text of an instance file of the reference. */
export const referenceText = (domain: DomainName, file: string): string =>
  readFileSync(path.join(REFERENCE, domain, file), 'utf8');

/** Configs of a type's section in the guide of its domain. */
export function guideConfigs(domain: DomainName, problemType: string): Record<string, unknown>[] {
  const file = path.resolve(import.meta.dirname, `../../docs/guides/domains/${domain.replaceAll('_', '-')}.md`);
  const sections = readFileSync(file, 'utf8').split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${problemType}\n`)) ?? '';
  return [...section.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, json = '']) => JSON.parse(json));
}

export const hasReference = existsSync(REFERENCE);

export { typeNamed };
