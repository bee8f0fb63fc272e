/** Puts the HTTP side together. Listens to nothing. */
import express, { type Express } from 'express';
import type { AnalyticsService } from './analytics/analytics-service.js';
import { analyticsRoutes } from './api/analytics-routes.js';
import { authentication } from './api/authentication.js';
import { batchRoutes } from './api/batch-routes.js';
import { configurationRoutes } from './api/configuration-routes.js';
import { docsPage } from './api/docs-page.js';
import { conversationRoutes } from './api/domains/conversations.js';
import { domainRoutes } from './api/domains/routes.js';
import { federatedRoutes } from './api/federated-routes.js';
import { functionRoutes } from './api/function-routes.js';
import { cors, httpContext, refuseHeaders } from './api/http-context.js';
import type { Idempotency } from './api/idempotency.js';
import { learningRoutes } from './api/learning-routes.js';
import { identityRoutes } from './api/identity-routes.js';
import { describeApi } from './api/openapi.js';
import { optimizeRoutes, type OptimizeParts } from './api/optimize-routes.js';
import type { Metrics } from './api/prometheus.js';
import type { AnyRoute } from './api/route.js';
import { createRouter, errorHandler, notFound, type NoteTraffic } from './api/router.js';
import { probes } from './api/probes.js';
import { serviceRoutes } from './api/service-routes.js';
import { studyRoutes } from './api/study-routes.js';
import { webhookRoutes } from './api/webhook-routes.js';
import type { Logger } from './common/logger.js';
import type { Exporter } from './exports/export-file.js';
import type { Clock } from './common/ids.js';
import type { Config } from './config.js';
import type { ConversationService } from './conversations/conversation-service.js';
import type { IdentityService } from './identity/identity-service.js';
import type { FunctionService } from './runs/function-service.js';
import type { HealthService } from './runs/health-service.js';
import type { FederationService } from './learning/federation/federation-service.js';
import type { LearningService } from './learning/learning-service.js';
import type { RunService } from './runs/run-service.js';
import type { CountingStore } from './storage/contract/counting.js';
import type { SettingsStore } from './storage/contract/settings.js';
import type { StudyService } from './studies/study-service.js';
import type { WebhookService } from './webhooks/webhook-service.js';

export interface AppParts {
  readonly config: Pick<
    Config,
    | 'maxBodyBytes'
    | 'streamsPerKey'
    | 'maxDimensions'
    | 'maxEvaluations'
    | 'rateLimitPerMinute'
    | 'runTimeoutSeconds'
    | 'corsOrigins'
  >;
  readonly version: string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly identity: IdentityService;
  readonly settings: SettingsStore;
  readonly counts: CountingStore;
  readonly idempotency: Idempotency;
  readonly functions: FunctionService;
  readonly runs: RunService;
  readonly webhooks: WebhookService;
  readonly studies: StudyService;
  readonly conversations: ConversationService;
  readonly learning: LearningService;
  readonly federation: FederationService;
  readonly analytics: AnalyticsService;
  readonly noteTraffic: NoteTraffic;
  readonly exporter: Exporter;
  readonly health: HealthService;
  readonly metrics: Metrics;
  readonly strategies: OptimizeParts['strategies'];
  /** Of those the ones that an objective which can only be called is enough for; the first is the default of studies. */
  readonly callingStrategies: OptimizeParts['strategies'];
  readonly pythonMinor: number;
}

/** The whole API. */
export function createApp(parts: AppParts): Express {
  const { config, functions, runs, learning, settings, strategies, pythonMinor, exporter, version } = parts;
  const optimize = { runs, functions, learning, settings, limits: config, strategies, pythonMinor, exporter, version };
  let description: object | null = null;
  const openApi = (): object => (description ??= describeApi(routes, parts.version));
  const routes: AnyRoute[] = [
    ...functionRoutes(functions, config),
    ...optimizeRoutes(optimize),
    ...batchRoutes(optimize),
    ...conversationRoutes({ ...optimize, conversations: parts.conversations }),
    ...domainRoutes(optimize),
    ...learningRoutes(learning, runs),
    ...federatedRoutes(parts.federation),
    ...studyRoutes({ studies: parts.studies, settings, limits: config, strategies: parts.callingStrategies }),
    ...analyticsRoutes(parts),
    ...configurationRoutes(settings, config),
    ...webhookRoutes(parts.webhooks),
    ...identityRoutes(parts.identity, parts.clock),
    ...serviceRoutes(parts.health, openApi),
  ];

  return assemble(parts, (app) => {
    app.use(cors(config.corsOrigins));
    app.use(probes(parts.health, parts.metrics));
    app.use(docsPage(openApi));
    const pathsForAll = new Set(routes.filter(({ scope }) => scope === null).map(({ path }) => path));
    app.use('/v1', authentication(parts.identity, config.rateLimitPerMinute, parts.counts, parts.clock, pathsForAll));
    app.use(createRouter(routes, config.maxBodyBytes, parts.idempotency, parts.noteTraffic, config.streamsPerKey));
  });
}

/** For a process that only carries out runs: what its supervisor asks, and nothing else. */
export function createProbesApp(parts: ShellParts & Pick<AppParts, 'health'>): Express {
  return assemble(parts, (app) => app.use(probes(parts.health, parts.metrics)));
}

type ShellParts = Pick<AppParts, 'logger' | 'metrics'> & { readonly config: Pick<Config, 'maxBodyBytes'> };

/** What surrounds every answer. */
function assemble({ config, logger, metrics }: ShellParts, use: (app: Express) => void): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.use(httpContext(logger, metrics));
  app.use(refuseHeaders);
  use(app);
  app.use(notFound);
  app.use(errorHandler(config.maxBodyBytes, logger));
  return app;
}
