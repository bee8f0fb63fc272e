/** A run as clients see it: the union of both documented shapes, always with all fields. */
import type { IntelligenceConfig } from '../model/intelligence.js';
import type { ProblemAnswer } from '../model/problem.js';
import { progressOf, type Comparison, type RunRecord } from '../model/run-record.js';
import type { BackendUse } from '../model/run-task.js';
import { isFinished } from '../model/run-status.js';
import { askedLevel, hasEnded, ownExplanation } from '../explanation/explain.js';
import { visualsOf } from '../explanation/visuals/visuals.js';

export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString();
const isoTimeOrNull = (epochMs: number | null): string | null => (epochMs === null ? null : isoTime(epochMs));

/** By the first names where none are given. */
export function representIntelligence(
  config: IntelligenceConfig,
  interpretable = 'use_interpretable_intelligence',
  adaptive = 'use_adaptive_intelligence',
): object {
  return {
    use_agentic_intelligence: config.agentic,
    [interpretable]: config.interpretable,
    [adaptive]: config.adaptive,
    use_domain_extension: config.domainExtension,
    explanation_level: config.explanationLevel,
    use_gpu_acceleration: config.gpuAcceleration,
    use_visual_intelligence: config.visual,
  };
}

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

function visuals(run: RunRecord): object[] {
  return visualKinds(run).map((kind) => ({ kind, url: `/v1/optimize/${run.id}/visuals/${kind}` }));
}

/** The latest that is known; nothing with one objective, or before there is any. */
function hypervolumeOf(run: RunRecord): { hypervolume?: number } {
  const hypervolume = run.ending === null ? progressOf(run)?.hypervolume : run.ending.front?.hypervolume;
  return hypervolume === undefined ? {} : { hypervolume };
}

function extensionOf({ request: { extension } }: RunRecord): object | null {
  if (extension === undefined) return null;
  return { from_evaluation: extension.from.evaluations, equals_one_run: extension.isExact };
}

/** What ran the evaluations, and which of them compiled code could not finish. Empty in records of earlier versions. */
function evaluationUse({ use, readings = {}, nativeCode = null, notCompiled = [] }: BackendUse): object {
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
    fallback_reasons: notCompiled.map(({ kind, message, line, column }) => ({
      code: kind ?? 'unsupported',
      message,
      line,
      column,
    })),
  };
}

/** The fields of a domain problem; null of any other run, and before its end. */
function answerOf(answer: ProblemAnswer | undefined, isListed: boolean): object {
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

/**
 * `isListed`: without the points of its front, of which a page would be too long. `comparison`: of a replay, where both runs have ended. Numbers that are not finite become null, and -0 becomes 0, when the object is written as JSON.
 */
export function representRun(run: RunRecord, comparison: Comparison | null = null, isListed = false): object {
  const { request, ending } = run;
  const { task } = request;
  const best = ending ?? progressOf(run);
  const evaluations = best?.evaluations ?? 0;
  const strategies = ending?.strategies ?? [];
  const { interpretable } = request.intelligence;
  const front = ending?.front;
  const { problem } = request;
  // Null until the run has ended.
  const explanation = hasEnded(run) ? ownExplanation(run) : null;
  return {
    id: run.id,
    success: ending === null ? null : run.status === 'completed',
    status: run.status,
    best_solution: best?.bestSolution ?? null,
    best_fitness: best?.bestFitness ?? null,
    objectives: task.objectives ?? 1,
    pareto_front: isListed ? null : (front?.points ?? null),
    hypervolume: front?.hypervolume ?? null,
    reference_point: front?.reference ?? null,
    evaluations,
    failed_evaluations: ending?.failedEvaluations ?? 0,
    evaluation_errors: ending?.failures ?? [],
    duration_seconds: ending?.durationSeconds ?? null,
    strategy_used: strategies.at(-1)?.name ?? null,
    intelligence_config: representIntelligence(request.intelligence),
    tetrad_config: representIntelligence(
      request.intelligence,
      'use_expository_intelligence',
      'use_autodidactic_intelligence',
    ),
    // What was asked for is in the two objects above.
    features_active: {
      agentic_intelligence:
        ending === null ? task.isPlanned === true && task.strategy === undefined : ending.planning !== undefined,
      expository_intelligence: interpretable,
      interpretable_intelligence: interpretable,
      explanation_level: explanation?.level ?? askedLevel(run),
      cross_problem_learning: (request.learned?.version ?? 0) > 0,
      domain_extension: problem !== undefined,
      visual_intelligence: visuals(run).length > 0,
    },
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
    comparison:
      comparison === null
        ? null
        : {
            best_fitness_difference: comparison.bestFitnessDifference,
            evaluations_to_match: comparison.evaluationsToMatch,
            better: comparison.isBetter,
          },
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
    metadata: run.metadata,
    learned: { version: request.learned?.version ?? 0, sha256: request.learned?.sha256 ?? null },
    backend:
      ending === null || ending.backend === null
        ? null
        : {
            name: ending.backend.name,
            device: ending.backend.device,
            reason: ending.backend.reason,
            evaluations_per_second: ending.backend.evaluationsPerSecond,
            python_version: `3.${request.pythonMinor}`,
            ...evaluationUse(ending.backend),
          },
    strategies: strategies.map((span) => ({
      name: span.name,
      reason: span.reason,
      from_evaluation: span.fromEvaluation,
      to_evaluation: span.toEvaluation,
      best_fitness: span.bestFitness,
    })),
    explanation,
    visuals: visuals(run),
    progress: {
      evaluations,
      best_fitness: best?.bestFitness ?? null,
      ...hypervolumeOf(run),
      eta_seconds: etaSeconds(run),
    },
    ...(ending?.error === undefined ? {} : { error: ending.error }),
  };
}
