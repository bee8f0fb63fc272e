/**
 * The answers of the API, taken from the schemas that the service answers by: a page that reads a field which a schema
 * no longer has does not compile. Types only: nothing of the service is in the bundle.
 */
import type { z } from 'zod';
import type { executionsAnswer, metricsAnswer, performanceAnswer } from '../../../src/api/analytics/answer.js';
import type { batchAnswer } from '../../../src/api/batches/answer.js';
import type { conversationAnswer } from '../../../src/api/conversations/answer.js';
import type { sessionAnswer } from '../../../src/api/dashboard/session.js';
import type { domainAnswer } from '../../../src/api/domains/answer.js';
import type { functionSummary, functionWithCode } from '../../../src/api/functions/answer.js';
import type { issuedKeyAnswer, keyAnswer } from '../../../src/api/identity/answer.js';
import type { learningAnswer, similarAnswer } from '../../../src/api/learning/answer.js';
import type { explanationAnswer, runAnswer } from '../../../src/api/optimize/answer.js';
import type { historyPointAnswer } from '../../../src/api/optimize/course-answer.js';
import type { monitoringRowAnswer } from '../../../src/api/optimize/monitoring-answer.js';
import type { summaryAnswer } from '../../../src/api/optimize/summary-answer.js';
import type { healthAnswer } from '../../../src/api/service/answer.js';
import type { studyAnswer, studyBestAnswer, studyPointAnswer } from '../../../src/api/studies/answer.js';
import type { deliveryAnswer, issuedWebhookAnswer, webhookAnswer } from '../../../src/api/webhooks/answer.js';

export type Session = z.output<typeof sessionAnswer>;
export type Run = z.output<typeof runAnswer>;
export type RunSummary = z.output<typeof summaryAnswer>;
export type HistoryPoint = z.output<typeof historyPointAnswer>;
export type MonitoringRow = z.output<typeof monitoringRowAnswer>;
export type Explanation = z.output<typeof explanationAnswer>;
export type FunctionSummary = z.output<typeof functionSummary>;
export type FunctionWithCode = z.output<typeof functionWithCode>;
export type Key = z.output<typeof keyAnswer>;
export type IssuedKey = z.output<typeof issuedKeyAnswer>;
export type Webhook = z.output<typeof webhookAnswer>;
export type IssuedWebhook = z.output<typeof issuedWebhookAnswer>;
export type Delivery = z.output<typeof deliveryAnswer>;
export type Health = z.output<typeof healthAnswer>;
export type Study = z.output<typeof studyAnswer>;
export type StudyPoint = z.output<typeof studyPointAnswer>;
export type StudyBest = z.output<typeof studyBestAnswer>;
export type Batch = z.output<typeof batchAnswer>;
export type Domain = z.output<typeof domainAnswer>;
export type Conversation = z.output<typeof conversationAnswer>;
export type Learning = z.output<typeof learningAnswer>;
export type SimilarRun = z.output<typeof similarAnswer>;
export type Metrics = z.output<typeof metricsAnswer>;
export type Executions = z.output<typeof executionsAnswer>;
export type Performance = z.output<typeof performanceAnswer>;

export interface Page<Item> {
  readonly data: readonly Item[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}
