/** What the service says about itself. */
import type { HealthService } from '../../runs/health-service.js';
import { noQuery } from '../fields.js';
import { type AnyRoute, route } from '../route.js';
import { healthAnswer, limits, openApiAnswer } from './answer.js';

export function serviceRoutes(health: HealthService, openApi: () => object): AnyRoute[] {
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
        const report = await health.report();
        const body = {
          status: report.status,
          version: report.version,
          uptime_seconds: report.uptimeSeconds,
          store: { kind: report.store.kind, latency_seconds: report.store.latencySeconds },
          scheduler: report.scheduler,
          workers: report.workers,
          misread: report.misread,
          backends: report.backends.map((backend) => ({
            name: backend.name,
            available: backend.available,
            ...(backend.available ? { device: backend.device } : { reason: backend.reason }),
            ...(backend.notice === undefined ? {} : { notice: backend.notice }),
            ...(backend.limits === undefined ? {} : { limits: limits(backend.limits) }),
          })),
        };
        return { status: 200, body };
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
