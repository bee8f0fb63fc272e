/**
 * The tools, named by what one wants. Each is made of calls of the API's routes (`calls.ts`), and its fields are
 * theirs: what the routes refuse is refused here in the same words.
 */
import { z } from 'zod';
import { ExtremumError } from '../../common/errors.js';
import { MAX_EXPLANATION_LEVEL } from '../../model/explanation.js';
import { REQUEST_DOMAINS } from '../../model/problem.js';
import { boundsSchema, type RequestLimits } from '../fields.js';
import type { DomainAnswer } from '../domains/answer.js';
import { problemRequest } from '../domains/request.js';
import { evaluateAnswer, functionSummary } from '../functions/answer.js';
import { evaluateRequest, functionRequest } from '../functions/request.js';
import type { RunAnswer } from '../optimize/answer.js';
import { optimizeRequest } from '../optimize/request.js';
import { summaryAnswer } from '../optimize/summary-answer.js';
import type { RouteReply } from '../route.js';
import type { StrategyChoice } from '../strategy-choice.js';
import { askAnswer, studyAnswer, studyBestAnswer, tellAnswer } from '../studies/answer.js';
import { askRequest, studyRequest, tellRequest } from '../studies/request.js';
import type { ToolContext } from './context.js';
import { followed } from './follow.js';
import { cut, MOST_CHARACTERS, runText, runView, uriOf, viewOf, type RunView } from './views.js';

const DEFAULT_WAIT_SECONDS = 45;
const MAX_WAIT_SECONDS = 300;
const MOST_COMPARED = 10;

type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly mimeType: string };

interface ToolAnswer {
  readonly content: readonly Content[];
  readonly structured: object;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  /** Operations of the API that it calls: a key that lacks the scope of one does not see the tool. */
  readonly operations: readonly string[];
  /** It changes nothing. */
  readonly isReading: boolean;
  answer(input: never, context: ToolContext): Promise<ToolAnswer>;
}

interface TypedTool<Input extends z.ZodObject> extends Omit<Tool, 'input' | 'answer'> {
  readonly input: Input;
  answer(input: z.output<Input>, context: ToolContext): Promise<ToolAnswer>;
}

const tool = <Input extends z.ZodObject>(definition: TypedTool<Input>): Tool => definition;

const bodyOf = <T>({ body }: RouteReply): T => body as T;
const text = (words: string): Content => ({ type: 'text', text: words });
const json = (structured: object, words: string): ToolAnswer => ({
  content: [text(`${words}\n${cut(JSON.stringify(structured), MOST_CHARACTERS)}`)],
  structured,
});
const ofRun = (view: RunView): ToolAnswer => ({ content: [text(runText(view))], structured: view });

const runId = z.string().describe('Of a run: opt_...');
const studyId = z.string().describe('Of a study: study_...');
const waitSeconds = z
  .int()
  .min(0)
  .max(MAX_WAIT_SECONDS)
  .default(DEFAULT_WAIT_SECONDS)
  .describe('How long to wait for the end of the run. It goes on after that: `get_run` waits for it again');

export function makeTools(
  limits: RequestLimits,
  strategies: readonly StrategyChoice[],
  calling: readonly StrategyChoice[],
): readonly Tool[] {
  return [...functionTools(limits, strategies), ...problemTools(limits), ...runTools(), ...studyTools(limits, calling)];
}

function functionTools(limits: RequestLimits, strategies: readonly StrategyChoice[]): Tool[] {
  const upload = functionRequest(limits).shape;
  const source = {
    code: upload.code.optional().describe('Python source; or `function_id`'),
    name: upload.name.optional().describe('Of the function in the source. Absent: `objective`'),
    vectorized: upload.vectorized,
    stateless: upload.stateless,
    evaluation_limits: upload.evaluation_limits,
  };
  const run = optimizeRequest(limits, strategies).shape;
  return [
    tool({
      name: 'check_function',
      title: 'Check a Python function',
      description:
        'Uploads a Python function f(x) -> number and says whether it can be optimised: errors with line and column, whether ' +
        'it is compiled and why not, and its values at points. The answer has the `id` that optimize_function takes.',
      input: z.strictObject({
        ...source,
        code: upload.code,
        points: evaluateRequest(limits).shape.points.optional(),
      }),
      output: z.object({ function: functionSummary, evaluation: evaluateAnswer.nullable() }),
      operations: ['uploadFunction', 'evaluateFunction'],
      isReading: false,
      async answer({ points, ...given }, context) {
        const made = await uploaded(given.code, given, context);
        const evaluation =
          points === undefined
            ? null
            : await context.calls.call(context.caller, 'evaluateFunction', {
                params: { id: made.id },
                body: { points },
              });
        const { compiled } = made.compilation;
        const how = compiled ? 'It is compiled.' : 'It runs in CPython, more slowly: `compilation.reasons` say why.';
        const structured = { function: made, evaluation: evaluation === null ? null : bodyOf<object>(evaluation) };
        return json(structured, `The function is accepted as ${made.id}. ${how}`);
      },
    }),
    tool({
      name: 'optimize_function',
      title: 'Optimise a Python function',
      description:
        'Searches for the x within bounds that gives a Python function f(x) its least value (or its largest: `direction`), and ' +
        'explains the result. Sends progress while it waits. Taking the request back cancels the run and keeps its best.',
      input: z.strictObject({
        ...source,
        function_id: z.string().optional().describe('Of a function that was uploaded: func_...'),
        bounds: boundsSchema(limits.maxDimensions).describe('[min, max] for each variable'),
        max_evaluations: run.max_evaluations,
        timeout_seconds: run.timeout_seconds,
        direction: run.direction,
        mode: run.mode,
        preset: run.preset,
        strategy: run.strategy,
        seed: run.seed,
        target_fitness: run.target_fitness,
        stagnation_evaluations: run.stagnation_evaluations,
        initial_solution: run.initial_solution,
        objectives: run.objectives,
        metadata: run.metadata,
        wait_seconds: waitSeconds,
      }),
      output: runView,
      operations: ['uploadFunction', 'optimize', 'streamEvents', 'getOptimization', 'cancelOptimization'],
      isReading: false,
      async answer(request, context) {
        const { code, function_id: id, wait_seconds: seconds, ...fields } = request;
        const { name, vectorized, stateless, evaluation_limits, ...rest } = fields;
        if ((code === undefined) === (id === undefined)) {
          throw new ExtremumError('invalid_request', 'One of `code` and `function_id` is required.', { field: 'code' });
        }
        const objective =
          id ?? (await uploaded(code ?? '', { name, vectorized, stateless, evaluation_limits }, context)).id;
        const body = { objective_function_id: objective, ...rest };
        const submitted = await context.calls.call(context.caller, 'optimize', {
          body,
          headers: { prefer: 'respond-async' },
        });
        return ofRun(viewOf(await followed(bodyOf<RunAnswer>(submitted), seconds, true, context)));
      },
    }),
  ];
}

async function uploaded(
  code: string,
  {
    name = 'objective',
    vectorized,
    stateless,
    evaluation_limits,
  }: {
    readonly name?: string | undefined;
    readonly vectorized?: boolean | undefined;
    readonly stateless?: boolean | undefined;
    readonly evaluation_limits?: object | undefined;
  },
  { calls, caller }: ToolContext,
): Promise<z.output<typeof functionSummary>> {
  const body = { name, code, language: 'python', ...given({ vectorized, stateless, evaluation_limits }) };
  return bodyOf(await calls.call(caller, 'uploadFunction', { body }));
}

/** Without what is absent. */
const given = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function problemTools(limits: RequestLimits): Tool[] {
  const request = problemRequest(limits).shape;
  const domain = z.enum(REQUEST_DOMAINS);
  const listed = z.object({
    problem_types: z.array(z.object({ domain, problem_type: z.string(), title: z.string(), summary: z.string() })),
  });
  const described = z.object({
    problem_type: z.string(),
    summary: z.string(),
    models: z.array(
      z.object({
        model: z.string().nullable(),
        summary: z.string(),
        fields: z.array(z.string()),
        example: z.record(z.string(), z.unknown()),
      }),
    ),
    reference: z.string().describe('Resource with the JSON Schema of each config'),
  });
  const domainsIn = async ({ calls, caller }: ToolContext): Promise<readonly DomainAnswer[]> =>
    bodyOf<{ data: readonly DomainAnswer[] }>(await calls.call(caller, 'listDomains', { query: { limit: '100' } }))
      .data;
  return [
    tool({
      name: 'list_problems',
      title: 'List business problems',
      description:
        'Business problems that are solved without writing a function: routes, portfolios, schedules, packing, tuning, ...',
      input: z.strictObject({ domain: domain.optional().describe('Absent: all') }),
      output: listed,
      operations: ['listDomains'],
      isReading: true,
      async answer({ domain: wanted }, context) {
        const types = (await domainsIn(context))
          .filter((each) => wanted === undefined || each.domain === wanted)
          .flatMap(({ domain: name, problem_types: all }) =>
            all.map(({ problem_type, title, summary }) => ({ domain: name, problem_type, title, summary })),
          );
        const lines = types.map((type) => `${type.domain}/${type.problem_type}: ${type.title}. ${type.summary}`);
        return { content: [text(lines.join('\n'))], structured: { problem_types: types } };
      },
    }),
    tool({
      name: 'describe_problem',
      title: 'Describe a business problem',
      description: 'What the `config` of a problem type holds, with an example that works for each of its models.',
      input: z.strictObject({ domain, problem_type: request.problem_type }),
      output: described,
      operations: ['getDomain'],
      isReading: true,
      async answer({ domain: name, problem_type: wanted }, { calls, caller }) {
        const { problem_types: types } = bodyOf<DomainAnswer>(
          await calls.call(caller, 'getDomain', { params: { domain: name } }),
        );
        const found = types.find((type) => type.problem_type === wanted || type.aliases.includes(wanted));
        if (found === undefined) {
          const known = types.map((type) => type.problem_type).join(', ');
          const message = `There is no problem type \`${wanted}\` in ${name}; there is ${known}.`;
          throw new ExtremumError('not_found', message, { field: 'problem_type' });
        }
        const models = found.models.map(({ model, summary, config_schema: schema, example }) => ({
          model,
          summary,
          fields: Object.keys(schema['properties'] ?? {}),
          example,
        }));
        const { problem_type, summary } = found;
        const structured = { problem_type, summary, models, reference: `extremum://domains/${name}` };
        return json(structured, `${found.title}. ${summary}`);
      },
    }),
    tool({
      name: 'solve_problem',
      title: 'Solve a business problem',
      description:
        'Solves a business problem by the method that proves its answer, where there is one, and explains it. `describe_problem` ' +
        'has an example of `config`. Taking the request back cancels the run.',
      input: z.strictObject({
        domain,
        problem_type: request.problem_type,
        config: request.config,
        max_evaluations: request.max_evaluations,
        timeout_seconds: request.timeout_seconds,
        mode: request.mode,
        preset: request.preset,
        seed: request.seed,
        metadata: request.metadata,
        wait_seconds: waitSeconds,
      }),
      output: runView,
      operations: ['optimizeDomain', 'streamEvents', 'getOptimization', 'cancelOptimization'],
      isReading: false,
      async answer({ domain: name, wait_seconds: seconds, ...body }, context) {
        const headers = { prefer: 'respond-async' };
        const submitted = await context.calls.call(context.caller, 'optimizeDomain', {
          params: { domain: name },
          body,
          headers,
        });
        return ofRun(viewOf(await followed(bodyOf<RunAnswer>(submitted), seconds, true, context)));
      },
    }),
  ];
}

function runTools(): Tool[] {
  const one = async (id: string, { calls, caller }: ToolContext): Promise<RunAnswer> =>
    bodyOf<RunAnswer>(await calls.call(caller, 'getOptimization', { params: { id } }));
  const listed = z.object({ runs: z.array(summaryAnswer.omit({ curve: true })), total: z.int() });
  const explained = z.object({
    id: z.string(),
    level: z.int(),
    statements: z.array(z.object({ level: z.int(), topic: z.string(), text: z.string() })),
    notes: z.array(z.string()),
    reference: z.string().describe('Resource with all statements, and the numbers that each rests on'),
  });
  const compared = z.object({
    summary: z.string(),
    runs: z.array(
      runView.pick({
        id: true,
        status: true,
        best_fitness: true,
        evaluations: true,
        duration_seconds: true,
        strategy_used: true,
        seed: true,
        termination_reason: true,
      }),
    ),
    best: nullableId,
  });
  return [
    tool({
      name: 'get_run',
      title: 'Look at a run, or wait for its end',
      description:
        'The state of a run, its result and explanation. Waits for its end, with progress; taking the request back does not cancel it.',
      input: z.strictObject({ id: runId, wait_seconds: waitSeconds.default(0) }),
      output: runView,
      operations: ['getOptimization', 'streamEvents'],
      isReading: true,
      answer: async ({ id, wait_seconds: seconds }, context) =>
        ofRun(viewOf(await followed(await one(id, context), seconds, false, context))),
    }),
    tool({
      name: 'list_runs',
      title: 'List runs',
      description: 'Runs of the account, newest first; `q` searches in names, metadata and identifiers.',
      input: z.strictObject({
        q: z.string().optional().describe('Words'),
        status: z.enum(['pending', 'running', 'completed', 'failed']).optional(),
        limit: z.int().min(1).max(50).default(10),
        offset: z.int().min(0).default(0),
      }),
      output: listed,
      operations: ['listOptimizations'],
      isReading: true,
      async answer({ limit, offset, q, status }, { calls, caller }) {
        const query = { view: 'summary', limit: String(limit), offset: String(offset), ...given({ q, status }) };
        const reply = await calls.call(caller, 'listOptimizations', { query });
        const { data, total } = bodyOf<{ data: readonly z.output<typeof summaryAnswer>[]; total: number }>(reply);
        const runs = data.map(({ curve: _curve, ...summary }) => summary);
        return json({ runs, total }, `${total} runs, ${runs.length} of them here.`);
      },
    }),
    tool({
      name: 'explain_run',
      title: 'Explain a run',
      description:
        'Why a run that has ended went as it did, at a level from 0 to 5: 1 the result in a sentence, 2 why this strategy, 3 the ' +
        'course, 4 what matters (sensitivity, interactions), 5 every decision.',
      input: z.strictObject({ id: runId, level: z.int().min(0).max(MAX_EXPLANATION_LEVEL).default(3) }),
      output: explained,
      operations: ['explainOptimization'],
      isReading: true,
      async answer({ id, level }, { calls, caller }) {
        const reply = await calls.call(caller, 'explainOptimization', {
          params: { id },
          query: { level: String(level) },
        });
        const { statements, notes } = bodyOf<NonNullable<RunAnswer['explanation']>>(reply);
        const kept: z.output<typeof explained>['statements'] = [];
        let characters = 0;
        for (const { level: from, topic, text: words } of statements) {
          characters += words.length;
          if (characters > MOST_CHARACTERS) break;
          kept.push({ level: from, topic, text: words });
        }
        const reference = uriOf.explanation(id, level);
        const left = statements.length - kept.length;
        const lines = [
          ...kept.map((each) => each.text),
          ...(left > 0 ? [`${left} more statements: ${reference}`] : []),
        ];
        return {
          content: [text(lines.join('\n')), ...notes.map((note) => text(`Note: ${note}`))],
          structured: { id, level, statements: kept, notes, reference },
        };
      },
    }),
    tool({
      name: 'compare_runs',
      title: 'Compare runs',
      description: 'Puts runs beside each other: best value, evaluations, time, strategy, and which is the best.',
      input: z.strictObject({ ids: z.array(z.string()).min(2).max(MOST_COMPARED) }),
      output: compared,
      operations: ['getOptimization'],
      isReading: true,
      async answer({ ids }, context) {
        const records = await Promise.all(ids.map((id) => one(id, context)));
        const views = records.map((record) => viewOf(record));
        const directions = new Set(records.map(({ direction }) => direction));
        const subjects = new Set(records.map(subjectOf));
        const valued = views.filter(({ best_fitness: value }) => value !== null);
        const sign = directions.has('maximize') ? -1 : 1;
        const ranked = [...valued].sort((a, b) => sign * ((a.best_fitness ?? 0) - (b.best_fitness ?? 0)));
        const isOne = subjects.size === 1 && directions.size === 1;
        const [first] = ranked;
        const best = isOne ? (first?.id ?? null) : null;
        const summary =
          best === null
            ? 'They are not runs of one function in one direction, or have no values: none is the best.'
            : `${best} has the best value, ${first?.best_fitness}.`;
        const rows = views.map(
          ({ id, status, best_fitness, evaluations, duration_seconds, strategy_used, seed, termination_reason }) => ({
            ...{ id, status, best_fitness, evaluations, duration_seconds, strategy_used, seed, termination_reason },
          }),
        );
        return json({ summary, runs: rows, best }, summary);
      },
    }),
    tool({
      name: 'draw_run',
      title: 'Draw a picture of a run',
      description:
        'A picture of a run that has ended: `convergence`, `strategies`, `importance`, `slice`, `contour`, `parallel`, ' +
        '`pareto` of several objectives, or one of a domain problem. An error says why there is none.',
      input: z.strictObject({ id: runId, kind: z.string().default('convergence') }),
      output: z.object({ id: z.string(), kind: z.string(), reference: z.string() }),
      operations: ['drawOptimization'],
      isReading: true,
      async answer({ id, kind }, { calls, caller }) {
        const { picture } = await calls.call(caller, 'drawOptimization', {
          params: { id, kind },
          headers: { accept: 'image/png' },
        });
        if (picture === undefined) throw new Error('a picture without content');
        const reference = uriOf.picture(id, kind);
        const data = Buffer.from(picture.content as Uint8Array).toString('base64');
        return {
          content: [
            { type: 'image', data, mimeType: picture.mediaType },
            { type: 'resource_link', uri: reference, name: `${kind} of ${id}`, mimeType: picture.mediaType },
          ],
          structured: { id, kind, reference },
        };
      },
    }),
    tool({
      name: 'cancel_run',
      title: 'Cancel a run',
      description: 'Ends a run that is waiting or running; the best so far is kept.',
      input: z.strictObject({ id: runId }),
      output: runView,
      operations: ['cancelOptimization'],
      isReading: false,
      answer: async ({ id }, { calls, caller }) =>
        ofRun(viewOf(bodyOf<RunAnswer>(await calls.call(caller, 'cancelOptimization', { params: { id } })))),
    }),
  ];
}

const nullableId = z.string().nullable().describe('Null where they cannot be compared');

/** What a run optimises. */
const subjectOf = ({ objective_function_id: id, domain, problem_type: type }: RunAnswer): string =>
  id ?? `${domain}/${type}`;

function studyTools(limits: RequestLimits, strategies: readonly StrategyChoice[]): Tool[] {
  return [
    tool({
      name: 'begin_study',
      title: 'Begin a study',
      description:
        'For an objective that you evaluate yourself: an experiment, another program. Then ask_study and tell_study in turns.',
      input: z.strictObject(studyRequest(limits, strategies).shape),
      output: studyAnswer,
      operations: ['createStudy'],
      isReading: false,
      async answer(body, { calls, caller }) {
        const made = bodyOf<z.output<typeof studyAnswer>>(
          await calls.call(caller, 'createStudy', { body: given(body) }),
        );
        return json(made, `The study ${made.id} has begun: ask it for candidates.`);
      },
    }),
    tool({
      name: 'ask_study',
      title: 'Ask a study for candidates',
      description: 'Candidates to evaluate. Each stays open until its result is told.',
      input: z.strictObject({ id: studyId, ...askRequest.shape }),
      output: askAnswer,
      operations: ['askStudy'],
      isReading: false,
      async answer({ id, ...body }, { calls, caller }) {
        const asked = bodyOf<z.output<typeof askAnswer>>(
          await calls.call(caller, 'askStudy', { params: { id }, body }),
        );
        return json(asked, `${asked.candidates.length} candidates to evaluate.`);
      },
    }),
    tool({
      name: 'tell_study',
      title: 'Tell a study results',
      description: 'Values of candidates (by `id`) or of other points (by `solution`), or that an evaluation failed.',
      input: z.strictObject({ id: studyId, ...tellRequest(limits).shape }),
      output: tellAnswer,
      operations: ['tellStudy'],
      isReading: false,
      async answer({ id, ...body }, { calls, caller }) {
        const told = bodyOf<z.output<typeof tellAnswer>>(
          await calls.call(caller, 'tellStudy', { params: { id }, body }),
        );
        return json(told, `${told.accepted} results were new; the study has ${told.evaluations}.`);
      },
    }),
    tool({
      name: 'get_study_best',
      title: 'The best of a study',
      description: 'The best point of a study so far and its value; with several objectives the front.',
      input: z.strictObject({ id: studyId }),
      output: studyBestAnswer,
      operations: ['getStudyBest'],
      isReading: true,
      async answer({ id }, { calls, caller }) {
        const best = bodyOf<object>(await calls.call(caller, 'getStudyBest', { params: { id } }));
        return json(best, 'The best so far.');
      },
    }),
  ];
}
