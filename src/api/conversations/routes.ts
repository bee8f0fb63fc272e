/** Conversations: problems that are built in natural language, then solved like any other. */
import type { z } from 'zod';
import { ExtremumError } from '../../common/errors.js';
import type { IdSource } from '../../common/ids.js';
import { stateOf } from '../../conversations/conversation-service.js';
import type { ConversationRecord } from '../../model/conversation.js';
import type { RunRecord } from '../../model/run-record.js';
import type { RunStatus } from '../../model/run-status.js';
import type { SolvingParts } from '../domains/routes.js';
import { problemSubmission } from '../domains/submission.js';
import { noQuery } from '../fields.js';
import { waitFor, WAITING_ANSWERS, WAITING_HEADERS } from '../optimize/waiting.js';
import type { ApiParts } from '../parts.js';
import { type Answer, type AnyRoute, route } from '../route.js';
import { conversationAnswer, represent, statusOf } from './answer.js';
import { completeRequest, continueRequest, createRequest } from './request.js';

function found(conversation: ConversationRecord | null): ConversationRecord {
  if (conversation === null) throw new ExtremumError('not_found', 'There is no such conversation.');
  return conversation;
}

/** The problem of a conversation that has all it needs. @throws {ExtremumError} `conflict` before that */
function builtBy(conversation: ConversationRecord) {
  const { domain, problem_type, config, status, missing, question } = stateOf(conversation);
  if (status !== 'ready_to_optimize' || domain === null || problem_type === null) {
    const what = missing.length > 0 ? ` What is missing: ${missing.join(', ')}.` : '';
    const asked = question === null ? '' : ` The question is: ${question.text}`;
    throw new ExtremumError('conflict', `The conversation is waiting for input.${what}${asked}`);
  }
  return { domain, problem_type, config };
}

/** Always the same one. */
const fixedId = (id: string, createdAt: number): IdSource => ({ isRepeat: true, next: () => ({ id, createdAt }) });

type Parts = SolvingParts & Pick<ApiParts, 'conversations'>;

/** The run that a conversation was completed with. `id` null: it was not, or the run was never made. */
interface Completion {
  readonly id: string | null;
  readonly status: RunStatus | null;
  readonly isDeleted: boolean;
}

async function completionOf(runs: Parts['runs'], { accountId, optimization }: ConversationRecord): Promise<Completion> {
  const run = optimization === null ? null : await runs.find(accountId, optimization.id);
  if (run !== null) return { id: run.id, status: run.status, isDeleted: false };
  const status = optimization === null ? null : await runs.deletedAs(accountId, optimization);
  return { id: status === null ? null : (optimization?.id ?? null), status, isDeleted: status !== null };
}

/** Submits what the conversation has built, once. `own`: the run's identity where it has none yet. */
async function submit(
  { conversations, runs, settings, limits, pythonMinor }: Parts,
  conversation: ConversationRecord,
  body: z.output<ReturnType<typeof completeRequest>>,
  own: ReturnType<IdSource['next']>,
): Promise<RunRecord> {
  const { accountId } = conversation;
  const before = await completionOf(runs, conversation);
  if (before.isDeleted || (before.id !== null && before.id !== own.id)) {
    const since = before.isDeleted ? ', which has been deleted' : '';
    const message = `The conversation was completed before, as the optimization ${before.id}${since}.`;
    throw new ExtremumError('conflict', message);
  }
  const { domain, problem_type, config } = builtBy(conversation);
  const defaults = await settings.accountSettings(accountId);
  const submission = problemSubmission(domain, { ...body, problem_type, config }, defaults, { limits, pythonMinor });
  const { id, optimization } = await conversations.complete(conversation, own);
  const request = { ...submission.request, conversationId: id };
  const run = optimization ?? own;
  return runs.submit(accountId, { ...submission, request }, fixedId(run.id, run.createdAt));
}

export function conversationRoutes(parts: Parts): AnyRoute[] {
  const { conversations, runs, limits } = parts;
  const answer = async (conversation: ConversationRecord): Promise<Answer<typeof conversationAnswer>> => {
    const { status, isDeleted } = await completionOf(runs, conversation);
    return represent(conversation, statusOf(conversation, status, conversations.isExpired(conversation)), isDeleted);
  };
  const record = (description: string) => ({ description, schema: conversationAnswer });

  return [
    route({
      method: 'post',
      path: '/v1/domains/conversational/create',
      operationId: 'createConversation',
      summary: 'Begin a conversation that builds a problem',
      scope: 'run',
      query: noQuery,
      body: createRequest,
      bodyExamples: {
        inventory: {
          summary: 'How many to order at a time',
          value: {
            description: 'We sell 1,300 parts a year. An order costs $8, keeping a part for a year 22.5 cents.',
          },
        },
      },
      answers: { 201: record('The conversation, with its first question') },
      errors: [],
      async handle({ caller, body, ids }) {
        const conversation = await conversations.create(caller.account.id, body.description, ids);
        return { status: 201, body: await answer(conversation) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/domains/conversational/status/{conversation_id}',
      operationId: 'getConversation',
      summary: 'A conversation as it stands',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: { 200: record('The conversation') },
      errors: [404],
      async handle({ caller, params }) {
        const id = params['conversation_id'] ?? '';
        return { status: 200, body: await answer(found(await conversations.find(caller.account.id, id))) };
      },
    }),
    route({
      method: 'post',
      path: '/v1/domains/conversational/continue/{conversation_id}',
      operationId: 'continueConversation',
      summary: 'Answer the question, or correct what was said',
      scope: 'run',
      query: noQuery,
      body: continueRequest,
      bodyExamples: { correction: { summary: 'A correction', value: { response: 'An order costs $9.' } } },
      answers: { 200: record('The conversation, with its next question') },
      errors: [404, 409],
      async handle({ caller, params, body, ids }) {
        const id = params['conversation_id'] ?? '';
        const conversation = await conversations.reply(caller.account.id, id, body.response, ids);
        return { status: 200, body: await answer(found(conversation)) };
      },
    }),
    route({
      method: 'post',
      path: '/v1/domains/conversational/complete/{conversation_id}',
      operationId: 'completeConversation',
      summary: 'Solve the problem that the conversation has built',
      scope: 'run',
      query: noQuery,
      body: completeRequest(limits),
      bodyExamples: { plain: { summary: 'With the defaults of the account', value: {} } },
      requestHeaders: WAITING_HEADERS,
      answers: WAITING_ANSWERS,
      errors: [404, 409],
      async handle({ caller, params, body, header, ids }) {
        const id = params['conversation_id'] ?? '';
        const conversation = found(await conversations.find(caller.account.id, id));
        const submitted = await submit(parts, conversation, body, ids.next('opt'));
        return waitFor(parts, submitted, header('prefer'));
      },
    }),
  ];
}
