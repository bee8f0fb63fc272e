/** An account's defaults for its runs, and the presets that they choose among. */
import { DEFAULT_PRESET, PRESET_CONFIGS, PRESET_INTENTS, PRESETS } from '../model/intelligence.js';
import type { AccountSettings } from '../model/account-settings.js';
import type { SettingsStore } from '../storage/contract/settings.js';
import { route, type AnyRoute } from './route.js';
import { representIntelligence } from './run-representation.js';
import { configurationAnswer, configurationRequest, noQuery, presetsAnswer, type RequestLimits } from './schemas.js';

const DEFAULT_MAX_EVALUATIONS = 1000;

/** What holds where a request says nothing. A ceiling that the operator has lowered since holds here too. */
export function effectiveSettings(own: AccountSettings, limits: RequestLimits): Required<AccountSettings> {
  return {
    preset: own.preset ?? DEFAULT_PRESET,
    mode: own.mode ?? 'balanced',
    maxEvaluations: Math.min(own.maxEvaluations ?? DEFAULT_MAX_EVALUATIONS, limits.maxEvaluations),
    timeoutSeconds: Math.min(own.timeoutSeconds ?? limits.runTimeoutSeconds, limits.runTimeoutSeconds),
  };
}

export function configurationRoutes(store: SettingsStore, limits: RequestLimits): AnyRoute[] {
  const represent = (own: AccountSettings): object => {
    const { preset, mode, maxEvaluations, timeoutSeconds } = effectiveSettings(own, limits);
    return { preset, mode, max_evaluations: maxEvaluations, timeout_seconds: timeoutSeconds };
  };

  return [
    route({
      method: 'get',
      path: '/v1/configuration',
      operationId: 'getConfiguration',
      summary: 'The defaults of the account',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: { 200: { description: 'What holds where a request says nothing', schema: configurationAnswer } },
      errors: [],
      handle: async ({ caller }) => ({ status: 200, body: represent(await store.accountSettings(caller.account.id)) }),
    }),
    route({
      method: 'put',
      path: '/v1/configuration',
      operationId: 'replaceConfiguration',
      summary: 'Replace the defaults of the account',
      scope: 'admin',
      query: noQuery,
      body: configurationRequest(limits),
      answers: { 200: { description: 'What holds from now on', schema: configurationAnswer } },
      errors: [],
      async handle({ caller, body }) {
        const settings: AccountSettings = {
          ...(body.preset === undefined ? {} : { preset: body.preset }),
          ...(body.mode === undefined ? {} : { mode: body.mode }),
          ...(body.max_evaluations === undefined ? {} : { maxEvaluations: body.max_evaluations }),
          ...(body.timeout_seconds === undefined ? {} : { timeoutSeconds: body.timeout_seconds }),
        };
        await store.saveAccountSettings(caller.account.id, settings);
        return { status: 200, body: represent(settings) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/configuration/presets',
      operationId: 'listPresets',
      summary: 'The presets and what each switches on',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: { 200: { description: 'All presets', schema: presetsAnswer } },
      errors: [],
      async handle() {
        const data = PRESETS.map((name) => ({
          name,
          intent: PRESET_INTENTS[name],
          intelligence_config: representIntelligence(PRESET_CONFIGS[name]),
        }));
        return { status: 200, body: { data } };
      },
    }),
  ];
}
