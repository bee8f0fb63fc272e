/** Requests about optimizations. */
import { z } from 'zod';
import { checkNumbers, handChecked, NUMBER } from '../../common/hand-checked.js';
import { shown } from '../../common/validation.js';
import { MAX_EXPLANATION_LEVEL } from '../../model/explanation.js';
import { MAX_OBJECTIVES } from '../../model/front.js';
import { REQUEST_DOMAINS, SOLVING_METHODS } from '../../model/problem.js';
import { RUN_STATUSES } from '../../model/run-status.js';
import type { RunOrder, RunSortKey } from '../../model/run-summary.js';
import { accountDefaults } from '../configuration/request.js';
import { boundsSchema, codePointsWithin, metadata, optionalField, type RequestLimits } from '../fields.js';
import { pageQuery } from '../pagination.js';
import type { BodyExample } from '../route.js';
import { dimensionComplaint, objectivesComplaint, type StrategyChoice } from '../strategy-choice.js';
import { intelligenceRequest } from './intelligence.js';
import { parseSearch } from './search.js';

const initialSolution = handChecked<number[]>({ type: 'array', items: NUMBER }, (value, complain) => {
  if (!Array.isArray(value))
    return complain([], `\`initial_solution\` must be an array of numbers, not ${shown(value)}.`);
  checkNumbers(value, 'initial_solution', [], complain);
});

/** Content of a domain request; its own schema looks at it when the problem type is known. */
export const problemConfig = handChecked<unknown>(
  {
    type: 'object',
    additionalProperties: true,
    description: 'What the problem type asks for: `GET /v1/domains/{domain}`',
  },
  (value, complain) => {
    if (value === undefined) return complain([], '`config` is required.');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      complain([], `\`config\` must be an object, not ${shown(value)}.`);
    }
  },
);

/** Fields that only a search over a function has. */
const OF_FUNCTIONS = [
  'objective_function_id',
  'bounds',
  'direction',
  'target_fitness',
  'stagnation_evaluations',
  'initial_solution',
  'strategy',
  'learned_version',
  'reference_point',
] as const;

/** The same, where they have these values. */
const OF_VALUES = [
  ['black_box', true],
  ['math', 'fast'],
  ['precision', 'f32'],
] as const;

/** Complaint about the fields that name the subject of a run: a function within bounds, or a domain problem. */
function subjectComplaint(
  request: Readonly<Record<string, unknown>>,
): readonly [field: string, message: string] | null {
  const { domain } = request;
  if (domain === undefined) {
    const needing = ['problem_type', 'config'].find((field) => request[field] !== undefined);
    if (needing !== undefined) return ['domain', `\`domain\` is required with \`${needing}\`.`];
    const missing = ['objective_function_id', 'bounds'].find((field) => request[field] === undefined);
    return missing === undefined ? null : [missing, `\`${missing}\` is required.`];
  }
  const missing = ['problem_type', 'config'].find((field) => request[field] === undefined);
  if (missing !== undefined) return [missing, `\`${missing}\` is required with \`domain\`.`];
  const foreign =
    OF_FUNCTIONS.find((field) => request[field] !== undefined) ??
    OF_VALUES.find(([field, value]) => request[field] === value)?.[0] ??
    (request['objectives'] === 1 ? null : 'objectives');
  return foreign === null
    ? null
    : [foreign, `\`${foreign}\` belongs to a search over a function; a domain problem has its \`config\` instead.`];
}

export function optimizeRequest(limits: RequestLimits, strategies: readonly StrategyChoice[]) {
  return z
    .strictObject({
      objective_function_id: z.string().optional().describe('Required, but for a domain problem'),
      bounds: optionalField(boundsSchema(limits.maxDimensions)),
      domain: z
        .enum(REQUEST_DOMAINS)
        .optional()
        .describe(
          'A domain problem instead of a function: with `problem_type` and `config`, without what belongs to functions',
        ),
      problem_type: z.string().optional(),
      config: optionalField(problemConfig),
      ...accountDefaults(limits),
      intelligence_config: intelligenceRequest.optional(),
      tetrad_config: intelligenceRequest.optional(),
      direction: z.enum(['minimize', 'maximize']).optional().describe('Absent: `minimize`'),
      seed: z.int().optional().describe('Absent: drawn, and reported in the record'),
      target_fitness: z.number().optional(),
      stagnation_evaluations: z.int().min(1).optional(),
      initial_solution: optionalField(initialSolution),
      strategy: z
        .enum(strategies.map(({ name }) => name))
        .optional()
        .describe('Force one strategy; without it the planner chooses, or CMA-ES where agentic intelligence is off'),
      black_box: z.boolean().default(false),
      learned_version: z
        .int()
        .min(0)
        .optional()
        .describe('A version of what was learned, to be used instead of the latest. 0: nothing'),
      math: z
        .enum(['exact', 'fast'])
        .default('exact')
        .describe(
          '`exact`: the same bits on every machine. `fast`: fused operations where the machine has them; each function stays ' +
            'within its stated error bound, but the bits may differ from machine to machine and from `exact`',
        ),
      precision: z
        .enum(['f64', 'f32'])
        .default('f64')
        .describe(
          '`f32`: a GPU may value candidates in single precision, where `use_gpu_acceleration` allows one; the best ones are ' +
            'valued again in double precision, so that `best_fitness` and the history are. Without a GPU that takes the ' +
            'function all values are in double precision, and `backend.reason` says why',
        ),
      objectives: z
        .int()
        .min(1)
        .max(MAX_OBJECTIVES)
        .default(1)
        .describe(
          'Numbers that the function returns for a candidate, in a tuple, list or array. Of several, `direction` holds for all, ' +
            '`best_solution` is the knee of `pareto_front`, and `best_fitness` is null',
        ),
      reference_point: optionalField(z.array(z.number()).max(MAX_OBJECTIVES)).describe(
        'With several objectives: what `hypervolume` is measured from, one number for each. Absent: the worst values of the first 50 ' +
          'candidates, and a tenth of their extent beyond',
      ),
      metadata: metadata.optional(),
    })
    .superRefine((request, context) => {
      const { bounds, initial_solution: start, strategy, objectives } = request;
      const subject = subjectComplaint(request);
      if (subject !== null) {
        context.addIssue({ code: 'custom', path: [subject[0]], message: subject[1] });
        return;
      }
      for (const [field, complaint] of severalComplaints(request)) {
        context.addIssue({ code: 'custom', path: [field], message: complaint });
      }
      const tooMany = Number.isInteger(objectives) ? objectivesComplaint(strategies, strategy, objectives) : null;
      const message =
        tooMany ?? (Array.isArray(bounds) ? dimensionComplaint(strategies, strategy, bounds.length) : null);
      if (message !== null) {
        context.addIssue({ code: 'custom', path: ['strategy'], message });
        return;
      }
      if (start === undefined || !Array.isArray(bounds) || !Array.isArray(start)) return;
      // This runs beside the findings of the fields themselves, whatever they are.
      if (!bounds.every((pair) => Array.isArray(pair))) return;
      if (start.length !== bounds.length) {
        const message = `\`initial_solution\` has ${start.length} numbers, \`bounds\` has ${bounds.length} pairs.`;
        context.addIssue({ code: 'custom', path: ['initial_solution'], message });
        return;
      }
      const outside = start.findIndex((x, i) => !(x >= (bounds[i]?.[0] ?? NaN) && x <= (bounds[i]?.[1] ?? NaN)));
      if (outside >= 0) {
        const message = `\`initial_solution[${outside}]\` = ${start[outside]} lies outside its bounds [${bounds[outside]?.join(', ')}].`;
        context.addIssue({ code: 'custom', path: ['initial_solution', outside], message });
      }
    });
}

/** Complaints about fields that only one objective, or only several, can have: the field and what is wrong with it. */
function severalComplaints({
  objectives,
  precision,
  reference_point: reference,
  target_fitness: target,
}: {
  readonly objectives: number;
  readonly precision?: 'f64' | 'f32' | undefined;
  readonly reference_point?: readonly number[] | undefined;
  readonly target_fitness?: number | undefined;
}): [field: string, message: string][] {
  const found: [string, string][] = [];
  if (objectives > 1 && target !== undefined) {
    found.push(['target_fitness', '`target_fitness` is for one objective: several have no single best value.']);
  }
  if (objectives > 1 && precision === 'f32') {
    found.push(['precision', '`precision: f32` is for one objective: of several there is no best candidate.']);
  }
  if (!Array.isArray(reference)) return found;
  if (objectives === 1) {
    found.push(['reference_point', '`reference_point` is for several objectives; `objectives` is 1.']);
  } else if (reference.length !== objectives) {
    const message = `\`reference_point\` has ${reference.length} numbers, for ${objectives} objectives.`;
    found.push(['reference_point', message]);
  }
  return found;
}

export type OptimizeRequest = z.output<ReturnType<typeof optimizeRequest>>;

/** The first one needs nothing but the request. */
export const OPTIMIZE_EXAMPLES = {
  problem: {
    summary: 'A business problem: how much to order at a time',
    value: {
      domain: 'supply_chain',
      problem_type: 'inventory',
      config: { model: 'eoq', demand_rate: 1300, fixed_cost: 8, holding_cost: 0.225 },
    },
  },
  function: {
    summary: 'A function: with the `id` that its upload answered',
    value: {
      objective_function_id: 'func_1',
      bounds: [
        [-5, 5],
        [-5, 5],
      ],
      max_evaluations: 2000,
      seed: 1,
    },
  },
} satisfies Readonly<Record<string, BodyExample>>;

export const extendRequest = (limits: RequestLimits) =>
  z.strictObject({
    max_evaluations: z
      .int()
      .min(2)
      .max(limits.maxEvaluations)
      .describe('Of both runs together: larger than the `evaluations` of the one that is extended'),
  });

export const replayRequest = (strategies: readonly StrategyChoice[]) =>
  z.strictObject({
    strategy: z
      .enum([...strategies.map(({ name }) => name), ...SOLVING_METHODS])
      .describe('Another one, or the same for the same bits. A domain problem has one: its `strategy_used`'),
  });

export const metadataRequest = z.strictObject({ metadata });

const ENDED_STATUSES = ['completed', 'failed'] as const;

export const runDeletionQuery = z
  .strictObject({
    status: z
      .enum(ENDED_STATUSES, '`status` must be `completed` or `failed`: only runs that have ended are deleted.')
      .optional(),
    before: z.iso
      .datetime({ offset: true, error: '`before` must be a time such as 2030-01-31T12:00:00Z.' })
      .optional()
      .describe('Runs that ended before that time'),
  })
  .refine(({ status, before }) => status !== undefined || before !== undefined, {
    path: ['status'],
    message: 'One of `status` and `before` is required: it says which runs are to be deleted.',
  });

/** Orders of a list, as they are asked for: a key, with `-` before it where the largest comes first. */
const SORT_KEYS = {
  created_at: 'createdAt',
  best_fitness: 'bestFitness',
  evaluations: 'evaluations',
  duration_seconds: 'durationSeconds',
} as const satisfies Readonly<Record<string, RunSortKey>>;
type SortName = keyof typeof SORT_KEYS;
const SORTS = (Object.keys(SORT_KEYS) as SortName[]).flatMap((key) => [key, `-${key}`] as const);

export const orderOf = (sort: (typeof SORTS)[number]): RunOrder => ({
  key: SORT_KEYS[sort.replace('-', '') as SortName],
  isDescending: sort.startsWith('-'),
});

const MAX_SEARCH_CHARACTERS = 200;

export const runListQuery = (strategies: readonly StrategyChoice[]) =>
  z.strictObject({
    ...pageQuery,
    status: z.enum(RUN_STATUSES).optional(),
    objective_function_id: z.string().optional(),
    strategy: z
      .enum([...strategies.map(({ name }) => name), ...SOLVING_METHODS])
      .optional()
      .describe('Those whose `strategy_used` it is'),
    q: z
      .string()
      .refine(
        codePointsWithin(MAX_SEARCH_CHARACTERS),
        `\`q\` must be at most ${MAX_SEARCH_CHARACTERS} characters long.`,
      )
      .transform((text, context) => {
        const search = parseSearch(text, [...strategies.map(({ name }) => name), ...SOLVING_METHODS]);
        if (typeof search !== 'string') return search;
        context.addIssue({ code: 'custom', message: search });
        return z.NEVER;
      })
      .optional()
      .meta({ type: 'string', maxLength: MAX_SEARCH_CHARACTERS })
      .describe(
        'Words, each of which occurs in the name of the function (or the problem type), in `metadata` (names and values) or in ' +
          'the `id`; upper and lower case are the same, and every character means itself. Blank: no filter. Conditions among them: `evaluations>500`, `best<0.1`, ' +
          '`dimensions>=10`, `seconds<60` (also `<=`, `=`), `status:failed`, `strategy:cma-es`, `function:func_1`',
      ),
    sort: z
      .enum(SORTS)
      .default('-created_at')
      .describe(
        '`-`: the largest first. Null is last in any case; where keys are equal the `id` decides, in the same direction',
      ),
    view: z
      .enum(['full', 'summary'])
      .default('full')
      .describe('`summary`: only what `ListedOptimization` requires, and `curve`; much faster'),
  });

export type RunListQuery = z.output<ReturnType<typeof runListQuery>>;

export const explanationQuery = z.strictObject({
  level: z
    .string()
    .regex(/^[0-5]$/, '`level` must be a whole number from 0 to 5.')
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 0, maximum: MAX_EXPLANATION_LEVEL })
    .describe('May be more than that of the run. Absent: that of the run'),
  format: z
    .enum(['json', 'pdf'], '`format` must be `json` or `pdf`.')
    .default('json')
    .describe('`pdf`: a report of the run for people, with its answer, this explanation and its pictures'),
});
