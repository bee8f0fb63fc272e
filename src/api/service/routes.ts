/** Routes by which the service describes itself. */
import { noQuery } from '../fields.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, route } from '../route.js';
import { healthAnswer, openApiAnswer, represent } from './answer.js';

export function serviceRoutes({ health, openApi }: Pick<ApiParts, 'health' | 'openApi'>): AnyRoute[] {
  return [
    route({
      method: 'get',
      path: '/v1/health',
      operationId: 'getHealth',
      summary: 'State of the service and its parts',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: { 200: { description: 'The state', schema: healthAnswer } },
      errors: [],
      async handle() {
        return { status: 200, body: represent(await health.report()) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/openapi.json',
      operationId: 'getOpenApi',
      summary: 'This document',
      // Generators of clients take its address.
      scope: null,
      query: noQuery,
      body: null,
      answers: { 200: { description: 'OpenAPI 3.1', schema: openApiAnswer } },
      errors: [],
      handle: async () => ({ status: 200, body: openApi() }),
    }),
  ];
}
