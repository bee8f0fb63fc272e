/** Whatever the routes of the resources are made of. Each list of routes names those parts that it needs. */
import type { AnalyticsService } from '../analytics/analytics-service.js';
import type { Clock } from '../common/ids.js';
import type { ConversationService } from '../conversations/conversation-service.js';
import type { Exporter } from '../exports/export-file.js';
import type { IdentityService } from '../identity/identity-service.js';
import type { FederationService } from '../learning/federation/federation-service.js';
import type { LearningService } from '../learning/learning-service.js';
import type { FunctionService } from '../runs/function-service.js';
import type { HealthService } from '../runs/health-service.js';
import type { RunService } from '../runs/run-service.js';
import type { SettingsStore } from '../storage/contract/settings.js';
import type { StudyService } from '../studies/study-service.js';
import type { WebhookService } from '../webhooks/webhook-service.js';
import type { RequestLimits } from './fields.js';
import type { OpenApi } from './service/answer.js';
import type { StrategyChoice } from './strategy-choice.js';

export interface ApiParts {
  readonly functions: FunctionService;
  readonly runs: RunService;
  readonly conversations: ConversationService;
  readonly learning: LearningService;
  readonly federation: FederationService;
  readonly studies: StudyService;
  readonly analytics: AnalyticsService;
  readonly settings: SettingsStore;
  readonly webhooks: WebhookService;
  readonly identity: IdentityService;
  readonly health: HealthService;
  readonly exporter: Exporter;
  readonly clock: Clock;
  readonly limits: RequestLimits;
  readonly strategies: readonly StrategyChoice[];
  /** The strategies that need nothing but function values; studies use the first by default. */
  readonly callingStrategies: readonly StrategyChoice[];
  /** Minor version of the Python 3 whose semantics new runs get. */
  readonly pythonMinor: number;
  /** Version of the service. */
  readonly version: string;
  readonly openApi: () => OpenApi;
  /** Path of the public address, before `/v1` and all other paths; empty: there is none. */
  readonly prefix: string;
}
