/** Records to put into a store under test. */
import type { MonitoringRow } from '../../src/model/monitoring.js';
import type { Account, ApiKeyRecord } from '../../src/model/api-key.js';
import type { FunctionRecord } from '../../src/model/function-record.js';
import type { Claim } from '../../src/storage/contract/runs.js';
import { PRESET_CONFIGS } from '../../src/model/intelligence.js';
import type { FederatedChange } from '../../src/model/federation.js';
import type { Lesson } from '../../src/model/learning.js';
import type { NewRun, RunEnding } from '../../src/model/run-record.js';
import type { ConversationRecord } from '../../src/model/conversation.js';
import type { StudyEntry, StudyRecord } from '../../src/model/study.js';
import type { NewDelivery, WebhookRecord } from '../../src/model/webhook.js';

export const newRun = (id: string, overrides: Partial<NewRun> = {}): NewRun => ({
  id,
  accountId: 'acct_1',
  functionId: 'func_1',
  source: { code: 'def f(x): return x[0]', entry: 'f', argument: 'list', evaluationLimits: { seconds: 0.5 } },
  request: {
    task: { bounds: [[-1, 1]], maxEvaluations: 10, seed: 7, direction: 'minimize', mode: 'balanced' },
    preset: 'production',
    intelligence: PRESET_CONFIGS.production,
    blackBox: false,
    pythonMinor: 12,
  },
  metadata: {},
  createdAt: 5,
  ...overrides,
});

export const monitoringRow = (overrides: Partial<MonitoringRow> = {}): MonitoringRow => ({
  at: 1_000,
  seconds: 1,
  attempt: 1,
  evaluations: 10,
  tiers: { native_vm: 10 },
  threadCpuSeconds: 0.5,
  serviceCpuSeconds: 0.75,
  threadMemoryBytes: 1_000,
  serviceMemoryBytes: 2_000,
  queuedSeconds: 0,
  pythonSeconds: 0,
  checks: 0,
  ...overrides,
});

export const ending = (overrides: Partial<RunEnding> = {}): RunEnding => ({
  terminationReason: 'budget',
  bestSolution: [0.5],
  bestFitness: 0.5,
  evaluations: 10,
  failedEvaluations: 0,
  failures: [],
  durationSeconds: 0.25,
  strategies: [],
  backend: null,
  ...overrides,
});

export const newWebhook = (id: string, overrides: Partial<WebhookRecord> = {}): WebhookRecord => ({
  id,
  accountId: 'acct_1',
  url: 'https://receiver.example/hook?a=1',
  events: ['*'],
  active: true,
  createdAt: 4,
  secret: 'sealed',
  previous: null,
  rotation: null,
  failingSince: null,
  disabled: null,
  ...overrides,
});

export const newDelivery = (id: string, overrides: Partial<NewDelivery> = {}): NewDelivery => ({
  id,
  accountId: 'acct_1',
  webhookId: 'wh_1',
  runId: null,
  eventId: 'evt_1',
  eventType: 'webhook.test',
  body: '{"text":"ü😀\u2028"}',
  dueAt: 10,
  createdAt: 9,
  ...overrides,
});

export const lesson = (runId: string): Lesson => ({
  runId,
  strategy: 'planner',
  features: null,
  leader: 0,
  winner: null,
  cost: 9,
  members: [{ name: 'quasi-newton', evaluations: 9, gain: 2 }],
  bestFitness: 0.5,
});

export const federatedChange = (id: string): FederatedChange => ({
  kind: 'merged',
  id,
  at: 7,
  sha256: 'ab',
  update: { epsilon: 0.1 + 0.2, statistics: [{ cell: 3, runs: 9, meanGain: -1 / 3 }] },
});

export const newConversation = (id: string): ConversationRecord => ({
  id,
  accountId: 'acct_1',
  revision: 1,
  token: id,
  state: {
    status: 'waiting_for_input',
    'a.b': 1,
    $x: ['\ud800'],
    messages: [{ role: 'user', text: 'x'.repeat(9_000) }],
  },
  notes: [{ at: 5, token: id, readBy: 'rules' }],
  optimization: null,
  createdAt: 5,
  updatedAt: 5,
});

export const newStudy = (id: string, overrides: Partial<StudyRecord> = {}): StudyRecord => ({
  id,
  accountId: 'acct_1',
  bounds: [
    [-1, 1],
    [0, 1e308],
  ],
  directions: ['minimize'],
  strategy: 'planner',
  seed: 7,
  maxEvaluations: 100,
  metadata: { 'a.b': 1, $x: ['\ud800'] },
  createdAt: 5,
  ...overrides,
});

export const newEntry = (seq: number, overrides: Partial<StudyEntry> = {}): StudyEntry => ({
  seq,
  token: `token ${seq}`,
  body: new TextEncoder().encode(`entry ${seq}`),
  summary: { evaluations: seq, failedEvaluations: 0, open: 1, bestFitness: -0, at: 9 },
  ...overrides,
});

export const ACCOUNT: Account = { id: 'acct_1', name: 'one', createdAt: 1 };
export const OTHER: Account = { id: 'acct_2', name: 'two', createdAt: 2 };

export const everything = { limit: 100, offset: 0 };

export const newFunction = (id: string, overrides: Partial<FunctionRecord> = {}): FunctionRecord => ({
  id,
  accountId: ACCOUNT.id,
  name: 'sphere',
  language: 'python',
  source: {
    code: 'def f(x): return sum(v*v for v in x)',
    entry: 'f',
    argument: 'list',
    evaluationLimits: { seconds: 2.5, memoryBytes: 2 ** 29 },
  },
  sha256: 'ab'.repeat(32),
  compilation: { compiled: true, reasons: [] },
  createdAt: 1_700_000_000_000,
  ...overrides,
});

export const newKey = (publicId: string, overrides: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  id: `key_${publicId}`,
  accountId: ACCOUNT.id,
  name: 'k',
  publicId,
  secretHash: 'cd'.repeat(32),
  scopes: ['read', 'run'],
  createdAt: 3,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  ...overrides,
});

export const claimAt = (now: number, owner = 'me'): Claim => ({ owner, now, leaseUntil: now + 1000 });
