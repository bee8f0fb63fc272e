/** Conversations: problems that are built in natural language, then solved like any other. */
import { z } from 'zod';
import { ExtremumError } from '../../common/errors.js';
import type { IdSource } from '../../common/ids.js';
import { stateOf, type ConversationService } from '../../conversations/conversation-service.js';
import { MOST_CHARACTERS } from '../../domains/conversational/conversation.js';
import {
  CONVERSATION_EXPIRES_MS,
  READERS,
  READING_FAILURES,
  type ConversationRecord,
} from '../../model/conversation.js';
import { DOMAINS } from '../../model/problem.js';
import type { RunRecord } from '../../model/run-record.js';
import { isFinished } from '../../model/run-status.js';
import { route, type AnyRoute } from '../route.js';
import { isoTime } from '../run-representation.js';
import { accountDefaults, metadata, noQuery, nullable, time, type RequestLimits } from '../schemas.js';
import { WAITING_ANSWERS, WAITING_HEADERS, waitFor } from '../waiting.js';
import { problemSubmission } from './request.js';
import type { DomainParts } from './routes.js';

const STATUSES = ['waiting_for_input', 'ready_to_optimize', 'optimizing', 'completed', 'failed', 'expired'] as const;
type Status = (typeof STATUSES)[number];

const text = (what: string) => z.string().trim().min(1).max(MOST_CHARACTERS).describe(`${what}, in English`);
const createRequest = z.strictObject({ description: text('What is to be optimized') });
const continueRequest = z.strictObject({ response: text('An answer, or a correction') });
const completeRequest = (limits: RequestLimits) =>
  z.strictObject({
    ...accountDefaults(limits),
    seed: z.int().optional().describe('Absent: drawn, and reported in the record'),
    metadata: metadata.optional(),
  });

const told = z.object({ slot: z.string(), message: z.string() });
const conversationAnswer = z
  .object({
    conversation_id: z.string(),
    status: z.enum(STATUSES).describe('`expired`: no message for 24 hours'),
    domain: nullable(z.enum(DOMAINS)),
    problem_type: nullable(z.string()),
    model: nullable(z.string()),
    question: nullable(
      z.object({
        slot: z.string().describe('Path in `config`, or `problem_type`, `model`'),
        text: z.string(),
        type: z.string(),
        unit: z.string().optional(),
        choices: z.array(z.string()).optional(),
        default: z.unknown().optional(),
        example: z.string(),
        required: z.boolean(),
      }),
    ).describe('What is asked; null where nothing is'),
    collected: z
      .record(
        z.string(),
        z.object({
          value: z.unknown(),
          text: z.string().describe('The words that it was read from'),
          source: z.enum(['user', 'derived', 'default']),
          confidence: z.number(),
          by: z.enum(READERS).optional(),
        }),
      )
      .describe('By slot'),
    missing: z.array(z.string()).describe('Slots without which the problem cannot be solved'),
    assumptions: z.array(told).describe('Defaults that were taken'),
    conflicts: z.array(told).describe('What does not fit together; the question is about one of them'),
    notes: z.array(z.object({ kind: z.string(), slot: z.string().optional(), message: z.string() })),
    config: z.record(z.string(), z.unknown()).describe('The draft; complete from `ready_to_optimize` on'),
    messages: z.array(
      z.object({
        role: z.enum(['user', 'agent']),
        text: z.string(),
        at: time,
        read_by: z.enum(READERS).optional(),
        fallback: z.enum(READING_FAILURES).optional().describe('Why the language model did not read it'),
      }),
    ),
    optimization_id: nullable(z.string()),
    created_at: time,
    updated_at: time,
    expires_at: nullable(time).describe('Null once it is completed'),
  })
  .meta({ id: 'Conversation' });

export interface ConversationParts extends DomainParts {
  readonly conversations: ConversationService;
}

function found(conversation: ConversationRecord | null): ConversationRecord {
  if (conversation === null) throw new ExtremumError('not_found', 'There is no such conversation.');
  return conversation;
}

/** `run`: null where it was not made. */
function statusOf(conversation: ConversationRecord, run: RunRecord | null, isExpired: boolean): Status {
  if (run !== null)
    return isFinished(run.status) ? (run.status === 'completed' ? 'completed' : 'failed') : 'optimizing';
  return isExpired ? 'expired' : stateOf(conversation).status;
}

function represent(conversation: ConversationRecord, status: Status): object {
  const { id, notes, optimization, createdAt, updatedAt } = conversation;
  const { messages, status: _status, ...state } = stateOf(conversation);
  return {
    conversation_id: id,
    ...state,
    status,
    messages: messages.map(({ role, text: said }, i) => {
      const { at = updatedAt, readBy, fallback } = notes[i] ?? {};
      return {
        role,
        text: said,
        at: isoTime(at),
        ...(readBy === undefined ? {} : { read_by: readBy }),
        ...(fallback === undefined ? {} : { fallback }),
      };
    }),
    optimization_id: optimization?.id ?? null,
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
    expires_at: optimization === null ? isoTime(updatedAt + CONVERSATION_EXPIRES_MS) : null,
  };
}

/** Always the same one. */
const fixedId = (id: string, createdAt: number): IdSource => ({ isRepeat: true, next: () => ({ id, createdAt }) });

export function conversationRoutes({
  conversations,
  runs,
  settings,
  limits,
  pythonMinor,
}: ConversationParts): AnyRoute[] {
  const runOf = async ({ accountId, optimization }: ConversationRecord): Promise<RunRecord | null> =>
    optimization === null ? null : runs.find(accountId, optimization.id);
  const answer = async (conversation: ConversationRecord): Promise<object> =>
    represent(conversation, statusOf(conversation, await runOf(conversation), conversations.isExpired(conversation)));
  const answers = (status: 200 | 201, description: string) => ({
    [status]: { description, schema: conversationAnswer },
  });

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
      answers: answers(201, 'The conversation, with its first question'),
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
      answers: answers(200, 'The conversation'),
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
      answers: answers(200, 'The conversation, with its next question'),
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
      requestHeaders: WAITING_HEADERS,
      answers: WAITING_ANSWERS,
      errors: [404, 409],
      async handle({ caller, params, body, header, ids }) {
        const accountId = caller.account.id;
        const conversation = found(await conversations.find(accountId, params['conversation_id'] ?? ''));
        const own = ids.next('opt');
        const before = await runOf(conversation);
        if (before !== null && before.id !== own.id) {
          throw new ExtremumError(
            'conflict',
            `The conversation was completed before, as the optimization ${before.id}.`,
          );
        }
        const { domain, problem_type, config, status, missing, question } = stateOf(conversation);
        if (status !== 'ready_to_optimize' || domain === null || problem_type === null) {
          const what = missing.length > 0 ? ` What is missing: ${missing.join(', ')}.` : '';
          const asked = question === null ? '' : ` The question is: ${question.text}`;
          throw new ExtremumError('conflict', `The conversation is waiting for input.${what}${asked}`);
        }
        const defaults = await settings.accountSettings(accountId);
        const submission = problemSubmission(domain, { ...body, problem_type, config }, defaults, {
          limits,
          pythonMinor,
        });
        const { id, optimization } = await conversations.complete(conversation, own);
        const request = { ...submission.request, conversationId: id };
        const run = optimization ?? own;
        const submitted = await runs.submit(accountId, { ...submission, request }, fixedId(run.id, run.createdAt));
        return waitFor(runs, submitted, header('prefer'));
      },
    }),
  ];
}
