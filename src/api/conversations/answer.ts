/** Conversations as clients see them. */
import { z } from 'zod';
import { stateOf } from '../../conversations/conversation-service.js';
import {
  CONVERSATION_EXPIRES_MS,
  type ConversationRecord,
  READERS,
  READING_FAILURES,
} from '../../model/conversation.js';
import { DOMAINS } from '../../model/problem.js';
import type { RunRecord } from '../../model/run-record.js';
import { isFinished } from '../../model/run-status.js';
import { isoTime, nullable, time } from '../fields.js';
import type { Answer } from '../route.js';

const STATUSES = ['waiting_for_input', 'ready_to_optimize', 'optimizing', 'completed', 'failed', 'expired'] as const;

type Status = (typeof STATUSES)[number];

const told = z.object({ slot: z.string(), message: z.string() });

export const conversationAnswer = z
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

/** `run`: null where it was not made. */
export function statusOf(conversation: ConversationRecord, run: RunRecord | null, isExpired: boolean): Status {
  if (run !== null)
    return isFinished(run.status) ? (run.status === 'completed' ? 'completed' : 'failed') : 'optimizing';
  return isExpired ? 'expired' : stateOf(conversation).status;
}

export function represent(conversation: ConversationRecord, status: Status): Answer<typeof conversationAnswer> {
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
        read_by: readBy,
        fallback,
      };
    }),
    optimization_id: optimization?.id ?? null,
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
    expires_at: optimization === null ? isoTime(updatedAt + CONVERSATION_EXPIRES_MS) : null,
  };
}
