/** One client's conversation by the Model Context Protocol: what it is told, and how its requests are answered. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { ExtremumError } from '../../common/errors.js';
import type { Logger } from '../../common/logger.js';
import { validate } from '../../common/validation.js';
import type { Caller } from '../../identity/identity-service.js';
import { answerTo } from '../errors.js';
import type { RouteCalls } from './calls.js';
import { listResources, readResource, resourceTemplates } from './resources.js';
import type { Tool } from './tools.js';

const INSTRUCTIONS =
  'Extremum searches for the best values of a function, and solves business problems. Write the objective as a Python function ' +
  'f(x) of a list or array and call optimize_function with bounds; check_function finds errors first. For routes, portfolios, ' +
  'schedules and the like use list_problems, describe_problem, solve_problem. For what only you can evaluate use a study. ' +
  'Answers begin with an explanation; records, histories and pictures are resources (extremum://...).';

/** As answers and requests are described to clients. */
export const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> => {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
    target: 'draft-7',
  });
  return inlined(json, (json['definitions'] ?? {}) as Record<string, unknown>) as Record<string, unknown>;
};

/** Without references and names of components, which mean nothing here. */
function inlined(value: unknown, definitions: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((each) => inlined(each, definitions));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, definitions: _named, id, ...rest } = value as Record<string, unknown>;
  if (typeof $ref === 'string') return inlined(definitions[$ref.replace('#/definitions/', '')], definitions);
  const members = typeof id === 'string' ? rest : { ...rest, ...(id === undefined ? {} : { id }) };
  return Object.fromEntries(Object.entries(members).map(([name, each]) => [name, inlined(each, definitions)]));
}

interface SessionParts {
  readonly calls: RouteCalls;
  readonly tools: readonly Tool[];
  readonly version: string;
  readonly maxBodyBytes: number;
  readonly logger: Logger;
  /** Who asks at the moment. */
  caller(): Caller;
  /** The connection is closed. */
  isClosed(): boolean;
}

export function createSession(parts: SessionParts): Server {
  const { calls, tools, version } = parts;
  const server = new Server(
    { name: 'extremum', title: 'Extremum', version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  const refused = (error: unknown): McpError => {
    const { error: answer } = told(error, parts);
    const isTheirs = answer.code === 'not_found' || answer.code === 'invalid_request';
    return new McpError(
      isTheirs ? ErrorCode.InvalidParams : ErrorCode.InternalError,
      `${answer.code}: ${answer.message}`,
    );
  };

  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.filter(({ operations }) => calls.mayCall(parts.caller(), operations)).map(describe),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, _meta, sendNotification }) => {
    const found = tools.find(({ name }) => name === params.name);
    const known = tools.map(({ name }) => name).join(', ');
    if (found === undefined)
      throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}; there are ${known}.`);
    const token = _meta?.progressToken;
    let last = -1;
    const progress: Parameters<Tool['answer']>[1]['progress'] = ({ evaluations, total, message }) => {
      // Progress must grow.
      if (token === undefined || evaluations <= last) return;
      last = evaluations;
      const notification = { progressToken: token, progress: evaluations, total, message };
      sendNotification({ method: 'notifications/progress', params: notification }).catch(() => {});
    };
    try {
      const input = validate(found.input, params.arguments ?? {}, 'body');
      const isTakenBack = (): boolean => !parts.isClosed();
      const context = { caller: parts.caller(), calls, signal, isTakenBack, progress };
      const { content, structured } = await found.answer(input as never, context);
      return { content, structuredContent: structured };
    } catch (error) {
      const { error: answer } = told(error, parts);
      return { isError: true, content: [{ type: 'text' as const, text: `${answer.code}: ${answer.message}` }] };
    }
  });
  server.setRequestHandler(ListResourcesRequestSchema, async () => {
    const resources = await listResources(calls, parts.caller()).catch((error: unknown) => {
      throw refused(error);
    });
    return { resources };
  });
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: resourceTemplates() }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => {
    const content = await readResource(calls, parts.caller(), params.uri).catch((error: unknown) => {
      throw refused(error);
    });
    return { contents: [content] };
  });
  return server;
}

/** What the client hears of a failure; what is our own defect, the log does. */
function told(error: unknown, { logger, maxBodyBytes }: SessionParts): ReturnType<typeof answerTo> {
  const answer = answerTo(error, maxBodyBytes);
  const isKnown = error instanceof ExtremumError && error.code === 'unavailable';
  if (answer.status >= 500 && !isKnown) logger.error({ err: error }, 'a tool failed');
  return answer;
}

const describe = ({ name, title, description, input, output, isReading }: Tool) => ({
  name,
  title,
  description,
  inputSchema: jsonSchema(input, 'input') as { type: 'object' },
  outputSchema: jsonSchema(output, 'output') as { type: 'object' },
  annotations: { readOnlyHint: isReading, destructiveHint: name === 'cancel_run', openWorldHint: false },
});
