/** An optimization request as what is handed to `runs/`. */
import { invalid } from '../../common/validation.js';
import type { LearningService } from '../../learning/learning-service.js';
import type { AccountSettings } from '../../model/account-settings.js';
import type { FunctionRecord } from '../../model/function-record.js';
import type { RunRequest } from '../../model/run-record.js';
import type { Submission } from '../../runs/submissions.js';
import { effectiveSettings } from '../configuration/settings.js';
import { problemSubmission } from '../domains/submission.js';
import type { ApiParts } from '../parts.js';
import { drawSeed } from '../seed.js';
import { resolveIntelligence } from './intelligence.js';
import type { OptimizeRequest } from './request.js';

export type SubmissionParts = Pick<ApiParts, 'functions' | 'limits' | 'pythonMinor'>;

/** A search over a function. */
type FunctionRequest = OptimizeRequest & Pick<Required<OptimizeRequest>, 'bounds'>;

/** Everything a request leaves open is decided here, so that the record says what really ran. */
function runRequest(body: FunctionRequest, own: AccountSettings, parts: SubmissionParts): RunRequest {
  const { strategy } = body;
  const settings = effectiveSettings(own, parts.limits);
  const preset = body.preset ?? settings.preset;
  const intelligence = resolveIntelligence(preset, body.intelligence_config, body.tetrad_config);
  return {
    task: {
      bounds: body.bounds,
      maxEvaluations: body.max_evaluations ?? settings.maxEvaluations,
      seed: body.seed ?? drawSeed(),
      direction: body.direction ?? 'minimize',
      mode: body.mode ?? settings.mode,
      strategy,
      objectives: body.objectives === 1 ? undefined : body.objectives,
      referencePoint: body.reference_point,
      isPlanned: intelligence.agentic,
      timeoutSeconds: body.timeout_seconds ?? settings.timeoutSeconds,
      targetFitness: body.target_fitness,
      stagnationEvaluations: body.stagnation_evaluations,
      initialSolution: body.initial_solution,
      explanationLevel: intelligence.interpretable ? intelligence.explanationLevel : undefined,
      isPictured: intelligence.visual || undefined,
    },
    preset,
    intelligence,
    blackBox: body.black_box,
    math: body.math,
    precision: body.precision === 'f64' ? undefined : body.precision,
    pythonMinor: parts.pythonMinor,
  };
}

/** @throws {ExtremumError} where what is asked for cannot be run. */
export async function submissionOf(
  body: OptimizeRequest,
  objective: FunctionRecord | null,
  own: AccountSettings,
  learned: ReturnType<LearningService['reader']>,
  parts: SubmissionParts,
): Promise<Submission> {
  const { bounds, domain } = body;
  if (domain !== undefined) {
    const { problem_type = '', config } = body;
    return problemSubmission(domain, { ...body, problem_type, config }, own, parts);
  }
  if (bounds === undefined) throw invalid('bounds', '`bounds` is required.');
  const request = runRequest({ ...body, bounds }, own, parts);
  if (objective === null) {
    throw invalid('objective_function_id', '`objective_function_id` names no function of this account.');
  }
  const { objectives: results } = body;
  const source = results === 1 ? objective.source : { ...objective.source, results };
  await parts.functions.requireRunnable({ ...objective, source }, request.task.bounds.length);
  // Without adaptive intelligence nothing is used and nothing learned.
  const { shape } = objective;
  const given = request.intelligence.adaptive ? { learned: { ...(await learned(body.learned_version)), shape } } : {};
  return {
    functionId: objective.id,
    source,
    request: { ...request, ...given, functionName: objective.name },
    metadata: body.metadata ?? {},
  };
}
