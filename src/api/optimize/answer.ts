/** A run as clients see it: the union of both documented shapes, always with all fields. */
import { z } from 'zod';
import { askedLevel } from '../../explanation/asked-level.js';
import { ownExplanation } from '../../explanation/explain.js';
import { hasEnded } from '../../explanation/ended-run.js';
import { visualsOf } from '../../explanation/visuals/visuals.js';
import { type Explanation, MAX_EXPLANATION_LEVEL } from '../../model/explanation.js';
import { PRESETS } from '../../model/intelligence.js';
import { DOMAINS, type ProblemAnswer } from '../../model/problem.js';
import { type Comparison, progressOf, type RunRecord } from '../../model/run-record.js';
import { isFinished, RUN_STATUSES } from '../../model/run-status.js';
import { type BackendUse, PROBLEM_ERROR_CODES, type StrategySpan, usedGpu } from '../../model/run-task.js';
import { isoTime, isoTimeOrNull, nullable, time } from '../fields.js';
import { evaluationError, programAnalysis, statelessness, verified } from '../functions/answer.js';
import type { Answer } from '../route.js';
import { intelligenceAnswer, representIntelligence, representTetrad, tetradAnswer } from './intelligence.js';

const counts = z.record(z.string(), z.int());

export const explanationAnswer = z
  .object({
    level: z.int().min(0).max(MAX_EXPLANATION_LEVEL),
    statements: z
      .array(
        z.object({
          level: z.int().describe('The lowest level of an explanation that has it'),
          topic: z.string(),
          text: z.string(),
          evidence: z.record(z.string(), nullable(z.number())).describe('Every number in `text`, unrounded'),
        }),
      )
      .describe('In the order of their levels'),
    notes: z.array(z.string()).describe('What is missing, and why'),
  })
  .meta({ id: 'Explanation' });

const constraintState = z.object({
  name: z.string(),
  value: z.number(),
  limit: z.number(),
  slack: z.number(),
  binding: z.boolean(),
  shadow_price: z.number().optional().describe('Change of `best_fitness` for one more unit of the limit'),
});

const remark = z.object({ code: z.string(), field: z.string().optional(), message: z.string() });

export const runAnswer = z
  .object({
    id: z.string().meta({ pattern: '^opt_[0-9]+$' }),
    success: nullable(z.boolean()).describe('Null until the run has ended'),
    status: z.enum(RUN_STATUSES),
    best_solution: nullable(z.array(z.number())).describe('With several objectives the knee of the front'),
    best_fitness: nullable(z.number()).describe('Null with several objectives'),
    objectives: z.int(),
    pareto_front: nullable(z.array(z.object({ solution: z.array(z.number()), values: z.array(z.number()) }))).describe(
      'With several objectives: the candidates that no other one beats in all of them, best in the first objective first, 500 at ' +
        'most. Null until the run has ended, and in lists',
    ),
    hypervolume: nullable(z.number()).describe(
      'What `pareto_front` dominates, measured from `reference_point`; null beyond the range of float64',
    ),
    reference_point: nullable(z.array(z.number())).describe('Null until the run has ended, and with one objective'),
    evaluations: z.int(),
    failed_evaluations: z.int(),
    evaluation_errors: z.array(evaluationError).describe('The first three failed evaluations'),
    duration_seconds: nullable(z.number()).describe('Null until the run has ended'),
    strategy_used: nullable(z.string()).describe('The last name in `strategies`: of a planned run, who searched last'),
    intelligence_config: intelligenceAnswer,
    tetrad_config: tetradAnswer,
    features_active: z
      .object({
        agentic_intelligence: z.boolean(),
        expository_intelligence: z.boolean(),
        interpretable_intelligence: z.boolean(),
        explanation_level: z.int(),
        cross_problem_learning: z.boolean(),
        domain_extension: z.boolean(),
        gpu_acceleration: z.boolean().describe('Whether a GPU valued candidates; false until the run has ended'),
        visual_intelligence: z.boolean(),
      })
      .describe('What was really applied, which may be less than what was asked for'),
    created_at: time,
    started_at: nullable(time),
    completed_at: nullable(time),
    termination_reason: nullable(
      z.enum(['budget', 'target', 'optimal', 'converged', 'stagnated', 'timeout', 'cancelled', 'error']),
    ),
    verified: nullable(verified).describe(
      'What CPython said of the values of compiled code. Null until the run has ended, and in records of earlier versions',
    ),
    optimality: nullable(
      z.object({
        status: z
          .enum(['optimal', 'feasible', 'heuristic'])
          .describe('Optimal: no value is better by more than 1e-8, or by 1e-12 of the value where that is more'),
        bound: nullable(z.number()).describe('No value of the objective inside the bounds is better'),
        gap: nullable(z.number()).describe('Distance of `best_fitness` from `bound`'),
        proof: nullable(z.string()),
      }),
    ).describe('Null where nothing was proven. It is about the numbers that the compiled objective gives'),
    analysis: nullable(programAnalysis).describe(
      'What was read in the compiled program, inside the bounds. Null until the run has ended, and where it was not read',
    ),
    objective_function_id: nullable(z.string()).describe('Null for a domain problem'),
    bounds: nullable(z.array(z.array(z.number()))).describe('Null for a domain problem'),
    domain: nullable(z.enum(DOMAINS)).describe('Null but for a domain problem, like all fields down to `alternatives`'),
    problem_type: nullable(z.string()),
    model: nullable(z.string()).describe('Null where the problem type has one'),
    conversation_id: nullable(z.string()).describe('The conversation that built the problem'),
    sense: nullable(z.enum(['minimize', 'maximize'])),
    decision_variables: nullable(z.array(z.string())).describe('Names, in the order of `best_solution`. Null in lists'),
    result: nullable(z.record(z.string(), z.unknown())).describe(
      'The answer as a practitioner reads it; its fields belong to the problem type. Null in lists',
    ),
    solver: nullable(
      z.object({
        method: z.string(),
        library: z.string().optional(),
        iterations: z.int(),
        nodes: z.int(),
        seconds: z.number(),
      }),
    ),
    constraints: nullable(z.array(constraintState)).describe('Null in lists'),
    warnings: nullable(z.array(remark)).describe('Repairs, and what to beware of'),
    assumptions: nullable(z.array(remark)).describe('Defaults that mattered'),
    alternatives: nullable(z.array(z.record(z.string(), z.unknown()))).describe(
      'Frontier, runners-up, where there are any. Null in lists',
    ),
    max_evaluations: z.int(),
    mode: z.enum(['fast', 'balanced', 'accurate']),
    preset: z.enum(PRESETS),
    seed: z.int(),
    direction: z.enum(['minimize', 'maximize']),
    math: z.enum(['exact', 'fast']),
    precision: z.enum(['f64', 'f32']).describe('As asked for; `backend.reason` says what was done'),
    metadata: z.record(z.string(), z.unknown()),
    extension_of: nullable(z.string()).describe('The run that this one goes on from'),
    extension: nullable(
      z.object({
        from_evaluation: z.int().describe('Evaluations, history and time count on from there'),
        equals_one_run: z
          .boolean()
          .describe(
            'Whether it has the bits of one run with the larger budget. False where the strategy looks at its budget: ' +
              '`explanation.notes` says so too',
          ),
      }),
    ),
    replay_of: nullable(z.string()).describe('The run that this one repeats with another strategy'),
    deleted_parents: z
      .array(z.string())
      .describe('Those of `extension_of` and `replay_of` that have been deleted; `comparison` is null then'),
    comparison: nullable(
      z.object({
        best_fitness_difference: nullable(z.number()).describe("This run's best value less the other's"),
        evaluations_to_match: nullable(z.int()).describe(
          'After so many this run was as good as the other one at its end; null: it never was',
        ),
        better: z.boolean().describe("Whether this run's best value is the better one"),
      }),
    ).describe('Of a replay, when both runs have ended'),
    learned: z
      .object({ version: z.int(), sha256: nullable(z.string()) })
      .describe('What the run was given of what was learned; version 0: nothing'),
    backend: nullable(
      z.object({
        name: z.string(),
        device: z.string(),
        reason: z.string(),
        evaluations_per_second: nullable(z.number()),
        python_version: z.string().describe('The language version whose semantics the objective was given'),
        tiers: counts.describe(
          'Evaluations by what ran them: native_code, native_vm, wasm, javascript, interpreter, cuda, tfjs, tfjs-gpu, gpujs, ' +
            'gpujs-gpu, cpython',
        ),
        readings: counts.describe(
          'Evaluations that were no plain values, by what was asked of the program: gradient, terms, residuals, tangents ' +
            '(columns of a Jacobian), bounds, envelope (bounds of a box, with their slopes), switches (where it bends or ' +
            'jumps)',
        ),
        native_code: nullable(
          z.object({
            status: z.enum(['accepted', 'rejected', 'unchecked', 'refused', 'not_tried']),
            reason: z.string(),
          }),
        ).describe('Machine code made for this run: used only where it gives the bits of the virtual machine'),
        flagged: z
          .object({
            total: z.int(),
            share: z.number().describe('Of all evaluations'),
            reevaluated: z.int().describe('Evaluated again by CPython'),
            by_status: counts,
          })
          .describe('Candidates whose result compiled code left to CPython: exceptions, big integers, ...'),
        sharing: nullable(
          z.object({
            stateless: statelessness,
            processes: z.int().describe('Most processes that valued candidates side by side'),
          }),
        ).describe(
          'How processes of CPython shared the calls; null: it gave no values, or the run is of an earlier version',
        ),
        fallback_reasons: z
          .array(z.object({ code: z.string(), message: z.string(), line: z.int(), column: z.int() }))
          .describe('Why the source was not compiled for this run'),
      }),
    ),
    strategies: z.array(
      z.object({
        name: z.string(),
        reason: z.string(),
        from_evaluation: z.int(),
        to_evaluation: z.int(),
        best_fitness: nullable(z.number()),
      }),
    ),
    explanation: nullable(explanationAnswer).describe('Null until the run has ended'),
    visuals: z
      .array(z.object({ kind: z.string(), url: z.string() }))
      .describe('Pictures of the run, once it has ended, where visual intelligence is on; else empty'),
    progress: z.object({
      evaluations: z.int(),
      best_fitness: nullable(z.number()),
      hypervolume: nullable(z.number())
        .optional()
        .describe('With several objectives, once 50 candidates were evaluated'),
      eta_seconds: nullable(z.number()),
    }),
    error: z
      .object({
        message: z.string(),
        code: z.enum(PROBLEM_ERROR_CODES).optional().describe('Of a domain problem'),
        conflict: z.array(z.string()).optional().describe('Names of limits that cannot hold together'),
      })
      .optional()
      .describe('Present where the run ended by an error, or without a value'),
  })
  .meta({ id: 'Optimization' });
export type RunAnswer = Answer<typeof runAnswer>;
type BackendAnswer = NonNullable<RunAnswer['backend']>;

/** Seconds until the budget is used up at the pace so far; null where there is no pace. */
function etaSeconds(run: RunRecord): number | null {
  if (isFinished(run.status)) return 0;
  const progress = progressOf(run);
  if (progress === null || progress.evaluations === 0 || !(progress.elapsedSeconds > 0)) return null;
  const left = run.request.task.maxEvaluations - progress.evaluations;
  return Math.max(0, (left * progress.elapsedSeconds) / progress.evaluations);
}

/** Kinds of the pictures that the record lists. */
export const visualKinds = (run: RunRecord): readonly string[] =>
  run.request.intelligence.visual && hasEnded(run) ? visualsOf(run) : [];

function visuals(run: RunRecord, prefix: string): RunAnswer['visuals'] {
  return visualKinds(run).map((kind) => ({ kind, url: `${prefix}/v1/optimize/${run.id}/visuals/${kind}` }));
}

/** The latest that is known; undefined with one objective, or before there is any. */
const hypervolumeOf = (run: RunRecord): number | undefined =>
  run.ending === null ? progressOf(run)?.hypervolume : run.ending.front?.hypervolume;

function extensionOf({ request: { extension } }: RunRecord): RunAnswer['extension'] {
  if (extension === undefined) return null;
  return { from_evaluation: extension.from.evaluations, equals_one_run: extension.isExact };
}

type EvaluationUseAnswer = Omit<
  BackendAnswer,
  'name' | 'device' | 'reason' | 'evaluations_per_second' | 'python_version'
>;

/** Tiers that ran the evaluations, and evaluations that compiled code could not finish. Empty in older records. */
function evaluationUse({
  use,
  readings = {},
  nativeCode = null,
  notCompiled = [],
  sharing,
}: BackendUse): EvaluationUseAnswer {
  const { tiers = {}, flagged = {}, reevaluated = 0 } = use ?? {};
  const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((a, b) => a + b, 0);
  const total = sum(flagged);
  // A candidate that was evaluated again is one evaluation.
  const evaluations = sum(tiers) - reevaluated;
  return {
    tiers,
    readings,
    native_code: nativeCode,
    flagged: { total, share: evaluations > 0 ? total / evaluations : 0, reevaluated, by_status: flagged },
    sharing: sharing ?? null,
    fallback_reasons: notCompiled.map(({ kind, message, line, column }) => ({
      code: kind ?? 'unsupported',
      message,
      line,
      column,
    })),
  };
}

type ProblemFields = Pick<
  RunAnswer,
  'sense' | 'decision_variables' | 'result' | 'solver' | 'constraints' | 'warnings' | 'assumptions' | 'alternatives'
>;

/** The fields of a domain problem; null of any other run, and before its end. */
function answerOf(answer: ProblemAnswer | undefined, isListed: boolean): ProblemFields {
  const long = isListed ? undefined : answer;
  return {
    sense: answer?.sense ?? null,
    decision_variables: long?.decisionVariables ?? null,
    result: long?.result ?? null,
    solver: answer?.solver ?? null,
    constraints:
      long?.constraints.map(({ shadowPrice, ...state }) =>
        shadowPrice === undefined ? state : { ...state, shadow_price: shadowPrice },
      ) ?? null,
    warnings: answer?.warnings ?? null,
    assumptions: answer?.assumptions ?? null,
    alternatives: long?.alternatives ?? null,
  };
}

function backendOf({ request, ending }: RunRecord): BackendAnswer | null {
  const backend = ending?.backend ?? null;
  if (backend === null) return null;
  return {
    name: backend.name,
    device: backend.device,
    reason: backend.reason,
    evaluations_per_second: backend.evaluationsPerSecond,
    python_version: `3.${request.pythonMinor}`,
    ...evaluationUse(backend),
  };
}

const representComparison = (comparison: Comparison): RunAnswer['comparison'] => ({
  best_fitness_difference: comparison.bestFitnessDifference,
  evaluations_to_match: comparison.evaluationsToMatch,
  better: comparison.isBetter,
});

function featuresOf(run: RunRecord, explanation: Explanation | null): RunAnswer['features_active'] {
  const { request, ending } = run;
  const { task } = request;
  const { interpretable } = request.intelligence;
  return {
    agentic_intelligence:
      ending === null ? task.isPlanned === true && task.strategy === undefined : ending.planning !== undefined,
    expository_intelligence: interpretable,
    interpretable_intelligence: interpretable,
    explanation_level: explanation?.level ?? askedLevel(run),
    cross_problem_learning: (request.learned?.version ?? 0) > 0,
    domain_extension: request.problem !== undefined,
    gpu_acceleration: ending?.backend?.use !== undefined && usedGpu(ending.backend.use),
    visual_intelligence: visualKinds(run).length > 0,
  };
}

const representSpan = (span: StrategySpan): RunAnswer['strategies'][number] => ({
  name: span.name,
  reason: span.reason,
  from_evaluation: span.fromEvaluation,
  to_evaluation: span.toEvaluation,
  best_fitness: span.bestFitness,
});

/**
 * `isListed`: without the points of its front, which would make a page too long. `comparison`: of a replay, where both
 * runs have ended. `deletedParents`: runs that it comes from and that have been deleted. `prefix`: of the public
 * address. Numbers that are not finite become null, and -0 becomes 0, when the object is written as JSON.
 */
export function representRun(
  run: RunRecord,
  comparison: Comparison | null = null,
  isListed = false,
  deletedParents: readonly string[] = [],
  prefix = '',
): RunAnswer {
  const { request, ending } = run;
  const { task, problem } = request;
  const best = ending ?? progressOf(run);
  const evaluations = best?.evaluations ?? 0;
  const bestFitness = best?.bestFitness ?? null;
  const strategies = ending?.strategies ?? [];
  const front = ending?.front;
  // Null until the run has ended.
  const explanation = hasEnded(run) ? ownExplanation(run) : null;
  return {
    id: run.id,
    success: ending === null ? null : run.status === 'completed',
    status: run.status,
    best_solution: best?.bestSolution ?? null,
    best_fitness: bestFitness,
    objectives: task.objectives ?? 1,
    pareto_front: isListed ? null : (front?.points ?? null),
    hypervolume: front?.hypervolume ?? null,
    reference_point: front?.reference ?? null,
    evaluations,
    failed_evaluations: ending?.failedEvaluations ?? 0,
    evaluation_errors: ending?.failures ?? [],
    duration_seconds: ending?.durationSeconds ?? null,
    strategy_used: strategies.at(-1)?.name ?? null,
    // What was asked for; `features_active` is what was applied.
    intelligence_config: representIntelligence(request.intelligence),
    tetrad_config: representTetrad(request.intelligence),
    features_active: featuresOf(run, explanation),
    created_at: isoTime(run.createdAt),
    started_at: isoTimeOrNull(run.startedAt),
    completed_at: isoTimeOrNull(run.completedAt),
    termination_reason: ending?.terminationReason ?? null,
    verified: ending?.verified ?? null,
    optimality: ending?.optimality ?? null,
    analysis: ending?.backend?.analysis ?? null,
    extension_of: request.extension?.of ?? null,
    extension: extensionOf(run),
    replay_of: request.replayOf ?? null,
    deleted_parents: deletedParents,
    comparison: comparison === null ? null : representComparison(comparison),
    objective_function_id: problem === undefined ? run.functionId : null,
    bounds: problem === undefined ? task.bounds : null,
    domain: problem?.domain ?? null,
    problem_type: problem?.problemType ?? null,
    model: problem?.model ?? null,
    conversation_id: request.conversationId ?? null,
    ...answerOf(ending?.answer, isListed),
    max_evaluations: task.maxEvaluations,
    mode: task.mode,
    preset: request.preset,
    seed: task.seed,
    direction: task.direction,
    math: request.math ?? 'exact',
    precision: request.precision ?? 'f64',
    metadata: run.metadata,
    learned: { version: request.learned?.version ?? 0, sha256: request.learned?.sha256 ?? null },
    backend: backendOf(run),
    strategies: strategies.map(representSpan),
    explanation,
    visuals: visuals(run, prefix),
    progress: { evaluations, best_fitness: bestFitness, hypervolume: hypervolumeOf(run), eta_seconds: etaSeconds(run) },
    error: ending?.error,
  };
}
