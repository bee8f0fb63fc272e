/** An account's defaults for its runs, and the presets that they choose among. */
import type { AccountSettings } from '../../model/account-settings.js';
import { PRESETS } from '../../model/intelligence.js';
import { noQuery } from '../fields.js';
import { pageAnswer, pageBody, pageIn, pageOnlyQuery } from '../pagination.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, route } from '../route.js';
import { configurationAnswer, presetAnswer, represent, representPreset } from './answer.js';
import { configurationRequest } from './request.js';
import { effectiveSettings } from './settings.js';

export function configurationRoutes({ settings, limits }: Pick<ApiParts, 'settings' | 'limits'>): AnyRoute[] {
  const effective = (own: AccountSettings) => represent(effectiveSettings(own, limits));

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
      handle: async ({ caller }) => ({
        status: 200,
        body: effective(await settings.accountSettings(caller.account.id)),
      }),
    }),
    route({
      method: 'put',
      path: '/v1/configuration',
      operationId: 'replaceConfiguration',
      summary: 'Replace the defaults of the account',
      scope: 'admin',
      query: noQuery,
      body: configurationRequest(limits),
      bodyExamples: {
        careful: { summary: 'Larger runs', value: { mode: 'accurate', max_evaluations: 5000 } },
      },
      answers: { 200: { description: 'What holds from now on', schema: configurationAnswer } },
      errors: [],
      async handle({ caller, body }) {
        const own: AccountSettings = {
          preset: body.preset,
          mode: body.mode,
          maxEvaluations: body.max_evaluations,
          timeoutSeconds: body.timeout_seconds,
        };
        await settings.saveAccountSettings(caller.account.id, own);
        return { status: 200, body: effective(own) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/configuration/presets',
      operationId: 'listPresets',
      summary: 'The presets and what each switches on',
      scope: 'read',
      query: pageOnlyQuery,
      body: null,
      answers: { 200: { description: 'A page of presets, least first', schema: pageAnswer(presetAnswer) } },
      errors: [],
      handle: async ({ query }) => ({ status: 200, body: pageBody(pageIn(PRESETS, query), query, representPreset) }),
    }),
  ];
}
