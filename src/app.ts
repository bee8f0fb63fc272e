/** Puts the HTTP side together. Listens to nothing. */
import express, { type Express } from 'express';
import { authentication, failureLimit } from './api/authentication.js';
import { dashboardPage } from './api/dashboard/page.js';
import { sessionRoutes } from './api/dashboard/session.js';
import { docsPage } from './api/docs-page.js';
import { cors, httpContext, refuseHeaders, withoutPrefix } from './api/http-context.js';
import type { Idempotency } from './api/idempotency.js';
import { describeApi } from './api/openapi.js';
import { RouteCalls } from './api/mcp/calls.js';
import { MCP_PATH, mcpEndpoint } from './api/mcp/endpoint.js';
import { refuseRebinding } from './api/mcp/origins.js';
import { makeTools } from './api/mcp/tools.js';
import type { Metrics } from './api/prometheus.js';
import type { ApiParts } from './api/parts.js';
import { apiGroups } from './api/resources.js';
import type { OpenApi } from './api/service/answer.js';
import { createRouter, errorHandler, notFound, type NoteTraffic } from './api/router.js';
import { probes } from './api/health-probes.js';
import type { Logger } from './common/logger.js';
import type { Config } from './config.js';
import type { SessionService } from './identity/session-service.js';
import type { CountingStore } from './storage/contract/counting.js';

export interface AppParts extends Omit<ApiParts, 'limits' | 'openApi' | 'prefix'> {
  readonly config: Pick<
    Config,
    | 'maxBodyBytes'
    | 'streamsPerKey'
    | 'maxDimensions'
    | 'maxEvaluations'
    | 'rateLimitPerMinute'
    | 'runTimeoutSeconds'
    | 'corsOrigins'
    | 'host'
    | 'mcpHosts'
    | 'publicUrl'
    | 'pythonLimits'
    | 'trustProxy'
  >;
  readonly logger: Logger;
  readonly counts: CountingStore;
  readonly sessions: SessionService;
  readonly idempotency: Idempotency;
  readonly noteTraffic: NoteTraffic;
  readonly metrics: Metrics;
}

/** The whole API. */
export function createApp(parts: AppParts): Express {
  const { config } = parts;
  const { publicUrl } = config;
  const prefix = publicUrl?.prefix ?? '';
  let description: OpenApi | null = null;
  // The public address for generators of clients, which have no other; a path for pages, which may come from elsewhere.
  const openApi = (): OpenApi => (description ??= describeApi(groups, parts.version, publicUrl?.url ?? '/'));
  const openApiHere = (): OpenApi => ({ ...openApi(), servers: [{ url: prefix === '' ? '/' : prefix }] });
  const groups = apiGroups({ ...parts, limits: config, openApi, prefix });
  const routes = groups.flatMap((group) => group.routes);

  return assemble(parts, (app) => {
    app.set('trust proxy', [...config.trustProxy]);
    app.locals['publicHost'] = publicUrl?.host;
    if (prefix !== '') app.use(withoutPrefix(prefix));
    app.use(cors(config.corsOrigins));
    app.use(probes(parts.health, parts.metrics));
    app.use(docsPage(openApiHere, prefix));
    app.use(sessionRoutes(parts.sessions, failureLimit(parts.counts, parts.clock), prefix));
    app.use(dashboardPage(prefix));
    const pathsForAll = new Set(routes.filter(({ scope }) => scope === null).map(({ path }) => path));
    const { identity, sessions, counts, clock } = parts;
    const authenticate = authentication(identity, sessions, config.rateLimitPerMinute, counts, clock, pathsForAll);
    app.use('/v1', authenticate);
    app.use(MCP_PATH, refuseRebinding(config), authenticate);
    const tools = makeTools(config, parts.strategies, parts.callingStrategies);
    const calls = new RouteCalls(routes, parts.idempotency.ids);
    app.use(mcpEndpoint({ ...config, calls, tools, version: parts.version, logger: parts.logger }));
    app.use(
      createRouter(routes, config.maxBodyBytes, parts.idempotency, parts.noteTraffic, config.streamsPerKey, prefix),
    );
    app.use(notFound(routes));
  });
}

/** For a process that only carries out runs: what its supervisor asks, and nothing else. */
export function createProbesApp(parts: ShellParts & Pick<AppParts, 'health'>): Express {
  return assemble(parts, (app) => app.use(probes(parts.health, parts.metrics)));
}

type ShellParts = Pick<AppParts, 'logger' | 'metrics'> & { readonly config: Pick<Config, 'maxBodyBytes'> };

/** An application whose answers all have what surrounds every answer; `use` adds the routes. */
function assemble({ config, logger, metrics }: ShellParts, use: (app: Express) => void): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.use(httpContext(logger, metrics));
  app.use(refuseHeaders);
  use(app);
  app.use(notFound([]));
  app.use(errorHandler(config.maxBodyBytes, logger));
  return app;
}
