/** A request for a domain problem as what is handed to `runs/`. */
import { invalid } from '../../common/validation.js';
import { checkConfig, typeNamed } from '../../domains/configs.js';
import type { AccountSettings } from '../../model/account-settings.js';
import type { RequestDomain } from '../../model/problem.js';
import type { Submission } from '../../runs/submissions.js';
import { effectiveSettings } from '../configuration/settings.js';
import type { RequestLimits } from '../fields.js';
import { type IntelligenceRequest, resolveIntelligence } from '../optimize/intelligence.js';
import { drawSeed } from '../seed.js';
import { buildProblem } from './conversational.js';
import type { ProblemRequest } from './request.js';

/** @throws {ExtremumError} `invalid_request` on the field, where a domain request switches its own extension off */
function refuseOff(where: 'intelligence_config' | 'tetrad_config', given: IntelligenceRequest | undefined): void {
  if (given?.use_domain_extension !== false) return;
  const field = `${where}.use_domain_extension`;
  throw invalid(field, `\`${field}\` must not be false: a domain problem is solved by the domain extension.`);
}

/**
 * Everything a request leaves open is decided here, but for the defaults of its config, which belong to the schema.
 * @throws {ExtremumError} `invalid_request` with the path of the first fault
 */
export function problemSubmission(
  domain: RequestDomain,
  body: ProblemRequest,
  own: AccountSettings,
  { limits, pythonMinor }: { readonly limits: RequestLimits; readonly pythonMinor: number },
): Submission {
  const { type, config } =
    domain === 'conversational'
      ? buildProblem(body.problem_type, body.config)
      : { type: typeNamed(domain, body.problem_type), config: body.config };
  const checked = checkConfig(type, config);
  refuseOff('intelligence_config', body.intelligence_config);
  refuseOff('tetrad_config', body.tetrad_config);
  const settings = effectiveSettings(own, limits);
  const preset = body.preset ?? settings.preset;
  const intelligence = {
    ...resolveIntelligence(preset, body.intelligence_config, body.tetrad_config),
    domainExtension: true,
  };
  return {
    functionId: '',
    source: { problem: checked.reference, config },
    request: {
      task: {
        bounds: [],
        maxEvaluations: body.max_evaluations ?? settings.maxEvaluations,
        seed: body.seed ?? drawSeed(),
        direction: checked.model.sense(checked.config),
        mode: body.mode ?? settings.mode,
        isPlanned: false,
        timeoutSeconds: body.timeout_seconds ?? settings.timeoutSeconds,
      },
      problem: checked.reference,
      preset,
      intelligence,
      blackBox: false,
      pythonMinor,
    },
    metadata: body.metadata ?? {},
  };
}
