/**
 * Random sequences of verbs, for comparing a store with the one in memory: both must give the same answer to every one
 * of them. Identifiers, times and attempts come from small sets, so that they meet.
 */
import fc from 'fast-check';
import type { Account, ApiKeyRecord } from '../../src/model/api-key.js';
import type { FunctionRecord } from '../../src/model/function-record.js';
import type { NewRun } from '../../src/model/run-record.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { RUN_STATUSES } from '../../src/model/run-status.js';
import { RUN_MEASURES, RUN_SORT_KEYS } from '../../src/model/run-summary.js';
import type { ConversationRecord } from '../../src/model/conversation.js';
import type { Misreading } from '../../src/model/verification.js';
import { DELIVERY_STATES, type WebhookRecord } from '../../src/model/webhook.js';
import { deliveryId } from '../../src/storage/rules/deliveries.js';
import { encodeTrace } from '../../src/model/trace-bytes.js';
import type { Store, StoreLife } from '../../src/storage/store.js';
import {
  ending as endingSample,
  federatedChange,
  lesson as lessonSample,
  monitoringRow,
  newConversation,
  newEntry,
  newRun as newRunSample,
  newStudy,
} from './store-samples.js';

export const ACCOUNTS: readonly Account[] = [
  { id: 'acct_1', name: 'one', createdAt: 1 },
  { id: 'acct_2', name: 'two', createdAt: 2 },
];

/** A verb with its arguments. `creates`: an identifier that must be new, as identifiers of creation are. */
export interface Step {
  readonly text: string;
  readonly creates?: string;
  run(store: Store): Promise<unknown>;
}

const number = fc.oneof(
  fc.constantFrom(NaN, Infinity, -Infinity, -0, 0, 1e308, 5e-324, 2 ** 53 + 2),
  fc.double(),
  fc.integer(),
);
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a\u0000b', '\ud800x', '$where', '', 'ü😀'));
const name = fc.oneof(fc.constantFrom('__proto__', '$f', '$o', '$set', 'a.b', '', 'constructor', '\udfff'), text);
/** Plain data of every kind that a store takes, with own properties only. */
const { plain } = fc.letrec<{ plain: unknown; list: unknown[]; object: object }>((tie) => ({
  plain: fc.oneof({ depthSize: 'small' }, number, text, fc.boolean(), fc.constant(null), tie('list'), tie('object')),
  list: fc.array(tie('plain'), { maxLength: 4 }),
  object: fc
    .uniqueArray(fc.tuple(name, tie('plain')), { maxLength: 4, selector: ([key]) => key })
    .map((entries) => Object.fromEntries(entries)),
}));
const metadata = fc
  .uniqueArray(fc.tuple(name, plain), { maxLength: 3, selector: ([key]) => key })
  .map((entries): Record<string, unknown> => Object.fromEntries(entries));
/** Also far beyond what fits beside a run. */
const checkpoint = fc.oneof(
  fc.uint8Array({ maxLength: 20 }),
  fc
    .integer({ min: 1, max: 9_000 })
    .map((n) => new Uint8Array(Float64Array.from({ length: n }, (_, i) => Math.sin(i * n)).buffer)),
);

const accountId = fc.constantFrom('acct_1', 'acct_2');
const runId = fc.constantFrom('opt_1', 'opt_2', 'opt_3', 'opt_4');
const functionId = fc.constantFrom('func_1', 'func_2', 'func_3');
const publicId = fc.constantFrom('p1', 'p2', 'p3');
const time = fc.integer({ min: 1, max: 30 });
const attempt = fc.integer({ min: 0, max: 3 });
const claim = fc.record(
  {
    owner: fc.constantFrom('a', 'b', '$owner'),
    now: time,
    leaseUntil: fc.integer({ min: 1, max: 40 }),
    alone: fc.boolean(),
  },
  { requiredKeys: ['owner', 'now', 'leaseUntil'] },
);
const page = fc.record({ limit: fc.integer({ min: 1, max: 3 }), offset: fc.integer({ min: 0, max: 3 }) });
const finite = fc.double({ noNaN: true });
const event = fc.tuple(fc.constantFrom('evt_1', 'evt_2', 'evt_3'), name).map(([id, said]): RunEvent => ({
  id,
  type: 'strategy.changed',
  createdAt: 8,
  // The same identifier has the same text.
  body: JSON.stringify({ id, said: id === 'evt_3' ? 'a\u0000b \ud800' : said.length > 99 ? '' : id }),
}));
const events = fc.array(event, { maxLength: 3 });
const requestKey = fc.constantFrom('k', 'k k', '$k');
const owner = fc.constantFrom('a', 'b', 'c');
const tokenHash = fc.constantFrom('aa', 'bb', 'cc');
const settings = fc.record(
  { preset: fc.constant('minimal' as const), maxEvaluations: time, timeoutSeconds: finite },
  { requiredKeys: [] },
);
const progress = fc.record({
  evaluations: fc.nat(),
  bestFitness: fc.option(number),
  bestSolution: fc.option(fc.array(number, { maxLength: 3 })),
  elapsedSeconds: finite,
});
const lesson = fc.tuple(runId, number).map(([id, bestFitness]) => ({ ...lessonSample(id), bestFitness }));
const history = fc.array(fc.record({ evaluations: fc.nat(), bestFitness: number, elapsedSeconds: finite }), {
  maxLength: 3,
});
const monitoring = fc
  .tuple(
    fc.constantFrom(1, 2),
    fc.array(fc.record({ evaluations: fc.option(fc.nat()), seconds: finite }), { maxLength: 3 }),
  )
  .map(([intervalSeconds, rows]) => encodeTrace({ intervalSeconds, rows: rows.map((row) => monitoringRow(row)) }));
const key = fc
  .tuple(publicId, accountId, text, fc.option(time))
  .map(([of, account, keyName, expiresAt]): ApiKeyRecord => ({
    id: `key_${of}`,
    accountId: account,
    name: keyName,
    publicId: of,
    secretHash: 'cd'.repeat(32),
    scopes: ['read'],
    createdAt: 3,
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
  }));
const functionRecord = fc
  .tuple(functionId, accountId, text, text)
  .map(([id, account, functionName, code]): FunctionRecord => ({
    id,
    accountId: account,
    name: functionName,
    language: 'python',
    source: { code, entry: null, argument: 'list' },
    sha256: 'ab'.repeat(32),
    compilation: { compiled: true, reasons: [] },
    createdAt: 4,
  }));
const newRun = fc
  .tuple(
    fc.tuple(runId, accountId, functionId),
    text,
    metadata,
    fc.array(fc.tuple(number, number), { maxLength: 3 }),
    fc.option(fc.record({ checkpoint, history }), { nil: undefined }),
  )
  .map(([[id, account, of], code, attached, bounds, start]): NewRun => {
    const sample = newRunSample(id);
    return {
      ...sample,
      accountId: account,
      functionId: of,
      source: { code, entry: 'f', argument: 'ndarray' },
      request: { ...sample.request, task: { ...sample.request.task, bounds } },
      metadata: attached,
      ...(start === undefined ? {} : { start }),
    };
  });
const span = fc
  .constantFrom('cma-es', 'planner')
  .map((name) => ({ name, reason: '', fromEvaluation: 0, toEvaluation: 9, bestFitness: null }));
const ending = fc
  .tuple(number, fc.array(number, { maxLength: 3 }), fc.array(span, { maxLength: 2 }))
  .map(([bestFitness, bestSolution, strategies]) => endingSample({ bestFitness, bestSolution, strategies }));
const states = (answer: readonly { readonly id: string }[]): unknown =>
  [...answer].sort((a, b) => (a.id < b.id ? -1 : 1));

const webhookId = fc.constantFrom('wh_1', 'wh_2');
const subscriptions = fc.constantFrom<WebhookRecord['events'][]>(['*'], ['strategy.changed'], ['context.updated']);
const secret = fc.constantFrom('$sealed', null);
/** Also those that a relay makes. */
const deliveryIdentifier = fc.oneof(
  fc.constantFrom('dlv_1', 'dlv_2'),
  fc
    .tuple(fc.constantFrom('evt_1', 'evt_2', 'evt_3'), webhookId)
    .map(([id, of]) => deliveryId({ id, createdAt: 8 }, of)),
);

const runFilter = fc.record(
  {
    status: fc.constantFrom(...RUN_STATUSES),
    functionId,
    strategy: fc.constantFrom('cma-es', 'planner'),
    limits: fc.array(
      fc.record({
        measure: fc.constantFrom(...RUN_MEASURES),
        op: fc.constantFrom('<', '<=', '=', '>=', '>'),
        value: fc.constantFrom(0, 1, 2, 7, -1e300, 0.5),
      }),
      { maxLength: 2 },
    ),
    words: fc.array(fc.constantFrom('opt', '1', 'a', '.', '\u2400', '%'), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const order = fc.record({ key: fc.constantFrom(...RUN_SORT_KEYS), isDescending: fc.boolean() });
const runPage = fc.tuple(page, fc.option(order)).map(([asked, by]) => (by === null ? asked : { ...asked, order: by }));

const misreading = fc
  .tuple(fc.array(number, { minLength: 1, maxLength: 2 }), fc.nat())
  .map(([values, evaluation]): Misreading => ({
    ...{ point: [0], compiled: values, message: 'They differ.', evaluation },
    cpython: evaluation % 2 === 0 ? values : { type: 'ValueError', message: 'a\u0000b', line: 2 },
  }));
const hash = fc.constantFrom('ab'.repeat(32), 'cd'.repeat(32));

const studyId = fc.constantFrom('study_1', 'study_2');
const sequenceNumber = fc.integer({ min: 0, max: 4 });
const study = fc
  .tuple(studyId, accountId, metadata)
  .map(([id, account, attached]) => newStudy(id, { accountId: account, metadata: attached }));
const studyToken = fc.constantFrom('a', 'b', 'token 1', '$t');
const bytes = fc.uint8Array({ maxLength: 20 });
/** Stores return bytes in arrays of different classes. */
const entryOf = <E extends { readonly body: Uint8Array }>(entry: E): E => ({
  ...entry,
  body: Uint8Array.from(entry.body),
});

const conversationId = fc.constantFrom('conv_1', 'conv_2');
const conversation = fc
  .tuple(conversationId, accountId, fc.integer({ min: 1, max: 3 }), studyToken, metadata)
  .map(([id, account, revision, token, said]): ConversationRecord => ({
    ...newConversation(id),
    ...{ accountId: account, revision, token, state: said as ConversationRecord['state'] },
  }));

type Verb = Exclude<keyof Store, keyof StoreLife> | 'removeExpired' | 'bringBackTimes';

/** Verbs that no sequence has. */
type NotDrawn =
  // Each store draws its own secret, and the one in memory never loses it.
  | 'keySecret'
  | 'newKeySecret'
  // How much space a store gives back at a time is its own.
  | 'returnSpace'
  // analytics.suite.ts and executions.suite.ts compare these, over runs of many days.
  | 'runsSpan'
  | 'tallies'
  | 'durationsAt'
  | 'countByOriginal'
  | 'executions'
  | 'addTraffic'
  | 'rollUp';

/** Every other verb, with arguments at random. A member that is undefined stands for one that is absent. */
const verbs: Readonly<Record<Exclude<Verb, NotDrawn>, fc.Arbitrary<Step>>> = {
  saveFunction: functionRecord.map((record) => step('saveFunction', [record], record.id)),
  findFunction: fc.tuple(accountId, functionId).map((given) => step('findFunction', given)),
  listFunctions: fc.tuple(accountId, page).map((given) => step('listFunctions', given)),
  deleteFunction: fc.tuple(accountId, functionId).map((given) => step('deleteFunction', given)),
  saveMisreading: fc.tuple(accountId, hash, misreading).map((given) => step('saveMisreading', given)),
  findMisreading: fc.tuple(accountId, hash).map((given) => step('findMisreading', given)),
  countMisreadings: fc.constant(step('countMisreadings', [])),
  createRun: fc
    .tuple(newRun, fc.option(claim, { nil: undefined }))
    .map((given) => step('createRun', given, given[0].id)),
  findRun: fc.tuple(accountId, runId).map((given) => step('findRun', given)),
  listRuns: fc.tuple(accountId, runFilter, runPage).map((given) => step('listRuns', given)),
  listSummaries: fc.tuple(accountId, runFilter, runPage).map((given) => step('listSummaries', given)),
  claimableRuns: fc.tuple(time, fc.integer({ min: 0, max: 5 })).map((given) => step('claimableRuns', given)),
  runsAtWork: time.map((now): Step => ({
    text: `runsAtWork ${now}`,
    run: async (store: Store) => Object.fromEntries((await store.runsAtWork(now)).map((of) => [of.accountId, of.runs])),
  })),
  claimRun: fc.tuple(runId, claim).map((given) => step('claimRun', given)),
  noteCompany: fc.tuple(runId, attempt).map((given) => step('noteCompany', given)),
  releaseRun: fc
    .tuple(runId, attempt, fc.constantFrom('returned' as const, 'lost' as const))
    .map((given) => step('releaseRun', given)),
  renewLeases: fc
    .tuple(fc.uniqueArray(fc.record({ id: runId, attempt }), { maxLength: 3, selector: ({ id }) => id }), time)
    .map((given) => step('renewLeases', given)),
  expireLeases: fc.constant(step('expireLeases', [])),
  runStates: fc.array(runId, { maxLength: 3 }).map((ids): Step => ({
    text: `runStates ${JSON.stringify(ids)}`,
    run: async (store: Store) => states(await store.runStates(ids)),
  })),
  saveProgress: fc
    .tuple(runId, attempt, fc.record({ progress, history, checkpoint, events }, { requiredKeys: ['progress'] }))
    .map((given) => step('saveProgress', given)),
  finishRun: fc
    .tuple(
      runId,
      attempt,
      fc.record(
        {
          status: fc.constantFrom('completed' as const, 'failed' as const),
          ending,
          history,
          monitoring,
          completedAt: time,
          events,
          extendable: fc.record({ checkpoint, until: time }),
          lesson,
        },
        { requiredKeys: ['status', 'ending', 'completedAt'] },
      ),
    )
    .map((given) => step('finishRun', given)),
  abandonRun: fc
    .tuple(runId, fc.record({ ending, completedAt: time, events }, { requiredKeys: ['ending', 'completedAt'] }))
    .map((given) => step('abandonRun', given)),
  runEnd: fc.tuple(accountId, runId, time).map((given) => step('runEnd', given)),
  deleteRuns: fc.tuple(accountId, fc.array(runId, { maxLength: 2 })).map(([account, ids]): Step => ({
    text: `deleteRuns ${account} ${ids.join(' ')}`,
    run: async (store: Store) => [...(await store.deleteRuns(account, ids))].sort(),
  })),
  endedRuns: fc
    .tuple(
      accountId,
      fc.record(
        {
          status: fc.constantFrom('completed' as const, 'failed' as const),
          endedBefore: time,
          exceptNewest: fc.nat(2),
        },
        { requiredKeys: [] },
      ),
      fc.integer({ min: 1, max: 3 }),
    )
    .map((given) => step('endedRuns', given)),
  accountIds: fc.constant({
    text: 'accountIds',
    run: async (store: Store) => [...(await store.accountIds())].sort(),
  }),
  deletedRun: fc.tuple(accountId, runId).map(([account, id]) => step('deletedRun', [account, id, 5])),
  runCheckpoint: runId.map((id) => step('runCheckpoint', [id])),
  runSource: fc.tuple(accountId, runId).map((given) => step('runSource', given)),
  learnedState: accountId.map((account) => step('learnedState', [account])),
  lessons: fc
    .tuple(accountId, fc.nat(3), fc.nat(6), fc.integer({ min: 1, max: 4 }))
    .map((given) => step('lessons', given)),
  forgetLessons: accountId.map((account) => step('forgetLessons', [account])),
  appendFederatedChange: fc
    .tuple(accountId, fc.integer({ min: 1, max: 3 }), fc.constantFrom('fed_1', 'fed_2'))
    .map(([account, serial, id]) => step('appendFederatedChange', [account, serial, federatedChange(id)])),
  federatedChanges: fc.tuple(accountId, fc.nat(3)).map((given) => step('federatedChanges', given)),
  requestCancel: fc.tuple(accountId, runId).map((given) => step('requestCancel', given)),
  updateMetadata: fc
    .tuple(accountId, runId, metadata, fc.option(event, { nil: undefined }))
    .map((given) => step('updateMetadata', given)),
  runEvents: fc
    .tuple(accountId, runId, fc.integer({ min: 0, max: 4 }), fc.integer({ min: 1, max: 4 }))
    .map((given) => step('runEvents', given)),
  saveMonitoring: fc.tuple(runId, attempt, monitoring).map((given) => step('saveMonitoring', given)),
  runMonitoring: fc.tuple(accountId, runId).map((given) => step('runMonitoring', given)),
  runHistory: fc.tuple(accountId, runId).map((given) => step('runHistory', given)),
  ensureAccount: fc
    .constantFrom('one', 'two', 'three', '$four', 'ü😀')
    .map((of) => step('ensureAccount', [{ id: `acct_of_${of}`, name: of, createdAt: 9 }])),
  saveKey: key.map((given) => step('saveKey', [given])),
  saveFirstKey: key.map((given) => step('saveFirstKey', [{ id: 'acct_9', name: 'two', createdAt: 9 }, given])),
  findKey: publicId.map((given) => step('findKey', [given])),
  touchKey: fc.tuple(publicId, time).map(([of, at]) => step('touchKey', [`key_${of}`, at])),
  listKeys: fc.tuple(accountId, page).map((given) => step('listKeys', given)),
  findKeyById: fc.tuple(accountId, publicId).map(([account, of]) => step('findKeyById', [account, `key_${of}`])),
  revokeKey: fc
    .tuple(accountId, publicId, time)
    .map(([account, of, at]) => step('revokeKey', [account, `key_${of}`, at])),
  limitKey: fc
    .tuple(accountId, publicId, time)
    .map(([account, of, at]) => step('limitKey', [account, `key_${of}`, at])),
  findAccount: fc.constantFrom('one', 'two', 'three', '$four').map((of) => step('findAccount', [of])),
  saveSession: fc.record({ tokenHash, publicId, usedAt: time }).map((session) => step('saveSession', [session])),
  findSession: tokenHash.map((of) => step('findSession', [of])),
  touchSession: fc.tuple(tokenHash, time).map((given) => step('touchSession', given)),
  endSession: tokenHash.map((of) => step('endSession', [of])),
  accountSettings: accountId.map((account) => step('accountSettings', [account])),
  saveAccountSettings: fc.tuple(accountId, settings).map((given) => step('saveAccountSettings', given)),
  claimRequest: fc
    .record({
      accountId,
      key: requestKey,
      fingerprint: fc.constantFrom('f', 'g'),
      owner,
      now: time,
      leaseUntil: time,
      expiresAt: fc.integer({ min: 20, max: 60 }),
      seed: text,
    })
    .map((given) => step('claimRequest', [given])),
  renewRequest: fc.tuple(accountId, requestKey, owner, time).map((given) => step('renewRequest', given)),
  answerRequest: fc.tuple(accountId, requestKey, owner, text).map((given) => step('answerRequest', given)),
  forgetRequest: fc.tuple(accountId, requestKey, owner).map((given) => step('forgetRequest', given)),
  expireRequests: fc.constant(step('expireRequests', [])),
  countRequest: fc.tuple(fc.constantFrom('a', 'b'), time, fc.constant(10)).map((given) => step('countRequest', given)),
  removeExpired: time.map((now) => step('removeExpired', [now])),
  // So long ago that times of today lie far ahead.
  bringBackTimes: fc.constantFrom(0, -86_400_000, -200_000_000).map((now) => step('bringBackTimes', [now, 10])),
  createBatch: fc.tuple(fc.constantFrom('batch_1', 'batch_2'), newRun).map(([id, run]) => {
    const batchRun = { ...run, id: `opt_of_${id}` };
    return step('createBatch', [{ id, accountId: run.accountId, runIds: [batchRun.id], createdAt: 5 }, [batchRun]], id);
  }),
  findBatch: fc.tuple(accountId, fc.constantFrom('batch_1', 'batch_2')).map((given) => step('findBatch', given)),
  listBatches: fc.tuple(accountId, page).map((given) => step('listBatches', given)),
  saveWebhook: fc
    .tuple(webhookId, accountId, subscriptions, fc.boolean(), secret)
    .map(([id, account, wanted, active, sealed]) =>
      step('saveWebhook', [
        {
          id,
          accountId: account,
          url: 'https://a.example/',
          events: wanted,
          active,
          createdAt: 5,
          secret: sealed,
          previous: null,
          rotation: null,
          failingSince: null,
          disabled: null,
        },
      ]),
    ),
  findWebhook: fc.tuple(accountId, webhookId).map((given) => step('findWebhook', given)),
  listWebhooks: fc.tuple(accountId, page).map((given) => step('listWebhooks', given)),
  updateWebhook: fc
    .tuple(
      accountId,
      webhookId,
      fc.record(
        {
          url: fc.constant('https://b.example/'),
          events: subscriptions,
          active: fc.boolean(),
          failingSince: fc.option(time),
          disabled: fc.constantFrom(null, { reason: 'gone' as const, at: 6 }),
        },
        { requiredKeys: [] },
      ),
      fc.option(time, { nil: undefined }),
    )
    .map((given) => step('updateWebhook', given)),
  rotateSecret: fc
    .tuple(accountId, webhookId, fc.constantFrom('$s', 't'), fc.constantFrom('$r', 'q'), time)
    .map((given) => step('rotateSecret', given)),
  deleteWebhook: fc.tuple(accountId, webhookId).map((given) => step('deleteWebhook', given)),
  relayEvents: fc.tuple(time, fc.integer({ min: 1, max: 3 })).map((given) => step('relayEvents', given)),
  saveDelivery: fc.tuple(deliveryIdentifier, accountId, webhookId, time, text).map(([id, account, of, dueAt, body]) =>
    step('saveDelivery', [
      {
        id,
        accountId: account,
        webhookId: of,
        runId: null,
        eventId: 'evt_9',
        eventType: 'webhook.test',
        body,
        dueAt,
        createdAt: dueAt,
      },
    ]),
  ),
  findDelivery: fc.tuple(accountId, deliveryIdentifier).map((given) => step('findDelivery', given)),
  listDeliveries: fc
    .tuple(
      accountId,
      fc.option(webhookId),
      fc.record({ state: fc.constantFrom(...DELIVERY_STATES) }, { requiredKeys: [] }),
      page,
    )
    .map((given) => step('listDeliveries', given)),
  dueDeliveries: fc
    .tuple(time, fc.subarray(['wh_1', 'wh_2']), fc.integer({ min: 1, max: 3 }))
    .map((given) => step('dueDeliveries', given)),
  nextDueAt: fc.subarray(['wh_1', 'wh_2']).map((except) => step('nextDueAt', [except])),
  claimDelivery: fc.tuple(deliveryIdentifier, time, time).map((given) => step('claimDelivery', given)),
  recordAttempt: fc
    .tuple(
      deliveryIdentifier,
      fc.integer({ min: 1, max: 4 }),
      fc.option(
        fc.record({
          at: time,
          status: fc.option(fc.nat(599)),
          durationSeconds: finite,
          error: fc.option(text),
          responseExcerpt: fc.option(text),
        }),
      ),
      fc.oneof(
        fc.record({ state: fc.constantFrom('succeeded' as const, 'failed' as const, 'cancelled' as const) }),
        fc.record({ state: fc.constant('pending' as const), dueAt: time }),
      ),
    )
    .map((given) => step('recordAttempt', given)),
  redeliver: fc.tuple(accountId, deliveryIdentifier, time).map((given) => step('redeliver', given)),
  redeliverFailed: fc.tuple(accountId, webhookId, time, time).map((given) => step('redeliverFailed', given)),
  expireDeliveries: fc.constant(step('expireDeliveries', [])),
  createStudy: study.map((record) => step('createStudy', [record])),
  findStudy: fc.tuple(accountId, studyId).map((given) => step('findStudy', given)),
  listStudies: fc.tuple(accountId, page).map((given) => step('listStudies', given)),
  deleteStudy: fc.tuple(accountId, studyId).map((given) => step('deleteStudy', given)),
  appendStudyEntry: fc
    .tuple(studyId, fc.integer({ min: 1, max: 4 }), studyToken, bytes)
    .map(([id, seq, token, body]) => step('appendStudyEntry', [id, newEntry(seq, { token, body })])),
  studyEntries: fc.tuple(studyId, sequenceNumber, fc.integer({ min: 1, max: 3 })).map(([id, after, limit]): Step => ({
    text: `studyEntries ${id} ${after} ${limit}`,
    run: async (store: Store) => (await store.studyEntries(id, after, limit)).map(entryOf),
  })),
  findStudyEntry: fc.tuple(studyId, studyToken).map(([id, token]): Step => ({
    text: `findStudyEntry ${id} ${token}`,
    run: async (store: Store) => {
      const found = await store.findStudyEntry(id, token);
      return found === null ? null : entryOf(found);
    },
  })),
  saveStudySnapshot: fc
    .tuple(studyId, sequenceNumber, checkpoint)
    .map(([id, seq, kept]) => step('saveStudySnapshot', [id, { seq, checkpoint: kept }])),
  studySnapshot: studyId.map((id): Step => ({
    text: `studySnapshot ${id}`,
    run: async (store: Store) => {
      const found = await store.studySnapshot(id);
      return found === null ? null : { ...found, checkpoint: Uint8Array.from(found.checkpoint) };
    },
  })),
  createConversation: conversation.map((record) => step('createConversation', [{ ...record, revision: 1 }])),
  findConversation: fc.tuple(accountId, conversationId).map((given) => step('findConversation', given)),
  replaceConversation: conversation.map((record) => step('replaceConversation', [record])),
};

function step<V extends keyof Store>(
  verb: V,
  given: Store[V] extends (...args: infer A) => Promise<unknown> ? A : never,
  creates?: string,
): Step {
  const call = (store: Store): Promise<unknown> =>
    // A checkpoint is the store's once it was given.
    (store[verb] as (...args: readonly unknown[]) => Promise<unknown>).apply(store, structuredClone(given));
  return { text: `${verb} ${JSON.stringify(given)}`, ...(creates === undefined ? {} : { creates }), run: call };
}

/** A sequence in which nothing is created twice. */
export const sequences: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.oneof(...Object.values(verbs)), { minLength: 20, maxLength: 80 })
  .map((steps) => {
    const made = new Set<string>();
    return steps.filter(({ creates }) => {
      if (creates === undefined) return true;
      const isNew = !made.has(creates);
      made.add(creates);
      return isNew;
    });
  });

/** What the store said: the value, or the code of the error. */
export async function answerOf({ run }: Step, store: Store): Promise<{ value: unknown } | { code: unknown }> {
  try {
    return { value: await run(store) };
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === undefined) throw error;
    return { code };
  }
}
