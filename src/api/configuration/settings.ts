/** Settings that hold where a request says nothing. */
import type { AccountSettings } from '../../model/account-settings.js';
import { DEFAULT_PRESET } from '../../model/intelligence.js';
import type { RequestLimits } from '../fields.js';

const DEFAULT_MAX_EVALUATIONS = 1000;

/** Settings that hold where a request says nothing. A ceiling that the operator has lowered since holds here too. */
export function effectiveSettings(own: AccountSettings, limits: RequestLimits): Required<AccountSettings> {
  return {
    preset: own.preset ?? DEFAULT_PRESET,
    mode: own.mode ?? 'balanced',
    maxEvaluations: Math.min(own.maxEvaluations ?? DEFAULT_MAX_EVALUATIONS, limits.maxEvaluations),
    timeoutSeconds: Math.min(own.timeoutSeconds ?? limits.runTimeoutSeconds, limits.runTimeoutSeconds),
  };
}
