/**
 * Shapes of requests and answers. Requests are strict: an unknown field is refused. Long arrays of numbers are checked by
 * hand, not element by element through zod: they stop at the first fault and cost microseconds instead of a blocked
 * event loop.
 */
import { z } from 'zod';
import { EXPORT_FORMATS } from '../exports/export-format.js';
import { GRANULARITIES, MAX_BUCKETS, MAX_OPTIMIZATIONS } from '../model/analytics.js';
import { MAX_OBJECTIVES } from '../model/front.js';
import { DOMAINS, REQUEST_DOMAINS, SOLVING_METHODS } from '../model/problem.js';
import { SCOPES } from '../model/api-key.js';
import { MAX_EXPLANATION_LEVEL } from '../model/explanation.js';
import { FINDING_TOPICS } from '../model/program-structure.js';
import { PROBLEM_KINDS } from '../learning/classes.js';
import { PROBLEM_ERROR_CODES } from '../model/run-task.js';
import { PRESETS } from '../model/intelligence.js';
import { RUN_STATUSES } from '../model/run-status.js';
import { VERIFICATION_GAPS } from '../model/verification.js';
import { DELIVERY_STATES, SUBSCRIPTIONS } from '../model/webhook.js';
import { unsuitability, type SearchedTask } from '../strategies/suitability.js';
import { pageQuery } from './pagination.js';
import { checkNumbers, handChecked, NUMBER } from '../common/hand-checked.js';
import { shown } from '../common/validation.js';

export interface RequestLimits {
  readonly maxEvaluations: number;
  readonly maxDimensions: number;
  readonly runTimeoutSeconds: number;
}

export const MAX_CODE_BYTES = 256 * 1024;
const MAX_NAME_CHARACTERS = 200;
const MAX_METADATA_BYTES = 4096;
const MAX_POINTS = 10_000;

export function boundsSchema(maxDimensions: number) {
  const pair = { type: 'array', items: NUMBER, minItems: 2, maxItems: 2, description: '[min, max], min < max' };
  const json = { type: 'array', items: pair, minItems: 1, maxItems: maxDimensions };
  return handChecked<[number, number][]>(json, (value, complain) => {
    if (value === undefined) return complain([], '`bounds` is required.');
    if (!Array.isArray(value))
      return complain([], `\`bounds\` must be an array of [min, max] pairs, not ${shown(value)}.`);
    if (value.length < 1 || value.length > maxDimensions) {
      return complain([], `\`bounds\` must have 1 to ${maxDimensions} pairs, one per dimension, not ${value.length}.`);
    }
    for (const [i, pair] of value.entries()) {
      if (!Array.isArray(pair) || pair.length !== 2) {
        return complain([i], `\`bounds[${i}]\` must be a [min, max] pair of numbers, not ${shown(pair)}.`);
      }
      if (!checkNumbers(pair, `bounds[${i}]`, [i], complain)) return;
      const [min, max] = pair as [number, number];
      if (!(min < max)) return complain([i], `\`bounds[${i}]\`: min ${min} must be below max ${max}.`);
    }
  });
}

const initialSolution = handChecked<number[] | undefined>({ type: 'array', items: NUMBER }, (value, complain) => {
  if (value === undefined) return;
  if (!Array.isArray(value))
    return complain([], `\`initial_solution\` must be an array of numbers, not ${shown(value)}.`);
  checkNumbers(value, 'initial_solution', [], complain);
}).optional();

export const metadata = handChecked<Record<string, unknown>>(
  { type: 'object', additionalProperties: true, description: `At most ${MAX_METADATA_BYTES} bytes of JSON` },
  (value, complain) => {
    if (value === undefined) return complain([], '`metadata` is required.');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return complain([], `\`metadata\` must be an object, not ${shown(value)}.`);
    }
    const size = jsonBytes(value);
    if (size === null) complain([], '`metadata` is nested too deeply.');
    else if (size > MAX_METADATA_BYTES) {
      complain([], `\`metadata\` must be at most ${MAX_METADATA_BYTES} bytes of JSON, not ${size}.`);
    }
  },
);

/** Size as UTF-8 JSON; null when nested deeper than the stack allows. */
function jsonBytes(value: object): number | null {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const INTELLIGENCE_SWITCHES = {
  use_agentic_intelligence: z.boolean(),
  use_interpretable_intelligence: z.boolean(),
  use_expository_intelligence: z.boolean(),
  use_adaptive_intelligence: z.boolean(),
  use_autodidactic_intelligence: z.boolean(),
  use_domain_extension: z.boolean(),
  explanation_level: z.int().min(0).max(MAX_EXPLANATION_LEVEL),
  use_gpu_acceleration: z.boolean(),
  use_visual_intelligence: z.boolean(),
};

export const intelligenceRequest = z
  .strictObject(INTELLIGENCE_SWITCHES)
  .partial()
  .describe('Switches; each wins over the preset. Alternative names are accepted in both objects.');
export type IntelligenceRequest = z.output<typeof intelligenceRequest>;

/**
 * At least one item. The length is looked at before any of them: a million faulty items would make a million findings.
 */
export function fewItems<T extends z.ZodType>(item: T, most: number) {
  const { $schema: _dialect, ...items } = z.toJSONSchema(item, { io: 'input', unrepresentable: 'any' });
  const meta = { type: 'array', items, minItems: 1, maxItems: most } as const;
  return z.array(z.unknown()).min(1).max(most).pipe(z.array(item)).meta(meta);
}

const SCOPE = z.enum(SCOPES);
const MAX_OVERLAP_SECONDS = 86_400;

const codePointsWithin = (limit: number) => (text: string) => text.length <= limit || [...text].length <= limit;

const nameText = z
  .string()
  .min(1)
  .refine((text) => text.trim() !== '', '`name` must not be blank.')
  .refine(codePointsWithin(MAX_NAME_CHARACTERS), `\`name\` must be at most ${MAX_NAME_CHARACTERS} characters long.`)
  .meta({ maxLength: MAX_NAME_CHARACTERS });

export const keyRequest = z.strictObject({
  name: nameText,
  scopes: fewItems(SCOPE, 100)
    .transform((scopes) => [...new Set(scopes)])
    .describe('`read`: every GET; `run`: functions and runs; `admin`: everything, and keys'),
  expires_at: z.iso
    .datetime({ offset: true, error: '`expires_at` must be a time such as 2030-01-31T12:00:00Z.' })
    .nullable()
    .optional()
    .describe('In the future. Absent or null: never'),
});

export const rollRequest = z.strictObject({
  overlap_seconds: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .default(MAX_OVERLAP_SECONDS)
    .describe('How long the old key still works'),
});

export const functionRequest = z.strictObject({
  name: nameText,
  code: z
    .string()
    .min(1)
    .refine(
      (text) => Buffer.byteLength(text) <= MAX_CODE_BYTES,
      `\`code\` must be at most ${MAX_CODE_BYTES} bytes of UTF-8.`,
    )
    .describe(`Python source, at most ${MAX_CODE_BYTES} bytes`),
  language: z
    .string()
    .refine((text) => /^python3?$/i.test(text), '`language` must be `python` or `python3`.')
    .meta({ pattern: '^[Pp][Yy][Tt][Hh][Oo][Nn]3?$', examples: ['python'] }),
  vectorized: z
    .boolean()
    .optional()
    .describe(
      'Whether the function takes a whole population: called with a float64 array of shape (n, d), one row per ' +
        'candidate, it returns an array of shape (n,). Absent: recognised where it can be nothing else',
    ),
});

export function evaluateRequest(limits: RequestLimits) {
  const point = { type: 'array', items: NUMBER, minItems: 1, maxItems: limits.maxDimensions };
  const json = { type: 'array', items: point, minItems: 1, maxItems: MAX_POINTS, description: 'Points of one length' };
  const points = handChecked<number[][]>(json, (value, complain) => {
    if (value === undefined) return complain([], '`points` is required.');
    if (!Array.isArray(value)) return complain([], `\`points\` must be an array of points, not ${shown(value)}.`);
    if (value.length < 1 || value.length > MAX_POINTS) {
      return complain([], `\`points\` must have 1 to ${MAX_POINTS} points, not ${value.length}.`);
    }
    const dimension = Array.isArray(value[0]) ? value[0].length : 0;
    for (const [i, point] of value.entries()) {
      if (!Array.isArray(point) || point.length < 1 || point.length > limits.maxDimensions) {
        return complain(
          [i],
          `\`points[${i}]\` must be an array of 1 to ${limits.maxDimensions} numbers, not ${shown(point)}.`,
        );
      }
      if (point.length !== dimension) {
        return complain([i], `\`points[${i}]\` has ${point.length} numbers, \`points[0]\` has ${dimension}.`);
      }
      if (!checkNumbers(point, `points[${i}]`, [i], complain)) return;
    }
  });
  const objectives = z
    .int()
    .min(1)
    .max(MAX_OBJECTIVES)
    .optional()
    .describe('How many numbers the function returns; absent: it is found out');
  return z.strictObject({ points, objectives });
}

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

/** What only a search over a function has. */
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

/** What is wrong with the fields that say what is to be optimized: a function within bounds, or a domain problem. */
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
    (request['black_box'] === true ? 'black_box' : request['math'] === 'fast' ? 'math' : null) ??
    (request['objectives'] === 1 ? null : 'objectives');
  return foreign === null
    ? null
    : [foreign, `\`${foreign}\` belongs to a search over a function; a domain problem has its \`config\` instead.`];
}

/** What an account may have its own defaults for. */
export function accountDefaults(limits: RequestLimits) {
  const evaluations = Math.min(1000, limits.maxEvaluations);
  return {
    preset: z.enum(PRESETS).optional().describe('Absent: the default of the account, else `production`'),
    mode: z
      .enum(['fast', 'balanced', 'accurate'])
      .optional()
      .describe('Absent: the default of the account, else `balanced`'),
    max_evaluations: z
      .int()
      .min(1)
      .max(limits.maxEvaluations)
      .optional()
      .describe(`Absent: the default of the account, else ${evaluations}`),
    timeout_seconds: z
      .number()
      .positive()
      .max(limits.runTimeoutSeconds)
      .optional()
      .describe(`Absent: the default of the account, else ${limits.runTimeoutSeconds}`),
  };
}

/** A field left out returns to the service's default. */
export const configurationRequest = (limits: RequestLimits) => z.strictObject(accountDefaults(limits));

/** A strategy that a request may ask for. */
export interface StrategyChoice {
  readonly name: string;
  /** Beyond it its memory or time runs away. */
  readonly maxDimension: number;
  /** How many objectives it takes, least and most; absent: one. */
  readonly objectives?: readonly [least: number, most: number];
}

/** Null: the strategy takes so many dimensions. */
export function dimensionComplaint(
  strategies: readonly StrategyChoice[],
  strategy: string | undefined,
  dimension: number,
): string | null {
  return strategyComplaint(strategies, strategy, { dimension });
}

/** Null: the strategy takes so many objectives. */
export function objectivesComplaint(
  strategies: readonly StrategyChoice[],
  strategy: string | undefined,
  objectives: number,
): string | null {
  return strategyComplaint(strategies, strategy, { objectives });
}

function strategyComplaint(
  strategies: readonly StrategyChoice[],
  strategy: string | undefined,
  task: SearchedTask,
): string | null {
  const choice = strategies.find(({ name }) => name === strategy);
  const why = choice === undefined ? null : unsuitability(choice, task);
  return why === null ? null : `\`strategy\` "${strategy}" ${why}.`;
}

export function optimizeRequest(limits: RequestLimits, strategies: readonly StrategyChoice[]) {
  return z
    .strictObject({
      objective_function_id: z.string().optional().describe('Required, but for a domain problem'),
      bounds: boundsSchema(limits.maxDimensions).optional(),
      domain: z
        .enum(REQUEST_DOMAINS)
        .optional()
        .describe(
          'A domain problem instead of a function: with `problem_type` and `config`, without what belongs to functions',
        ),
      problem_type: z.string().optional(),
      config: problemConfig.optional(),
      ...accountDefaults(limits),
      intelligence_config: intelligenceRequest.optional(),
      tetrad_config: intelligenceRequest.optional(),
      direction: z.enum(['minimize', 'maximize']).optional().describe('Absent: `minimize`'),
      seed: z.int().optional().describe('Absent: drawn, and reported in the record'),
      target_fitness: z.number().optional(),
      stagnation_evaluations: z.int().min(1).optional(),
      initial_solution: initialSolution,
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
      objectives: z
        .int()
        .min(1)
        .max(MAX_OBJECTIVES)
        .default(1)
        .describe(
          'Numbers that the function returns for a candidate, in a tuple, list or array. Of several, `direction` holds for all, ' +
            '`best_solution` is the knee of `pareto_front`, and `best_fitness` is null',
        ),
      reference_point: z
        .array(z.number())
        .max(MAX_OBJECTIVES)
        .optional()
        .describe(
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

/** What only one objective, or only several, can have: the field and what is wrong with it. */
function severalComplaints({
  objectives,
  reference_point: reference,
  target_fitness: target,
}: {
  readonly objectives: number;
  readonly reference_point?: readonly number[] | undefined;
  readonly target_fitness?: number | undefined;
}): [field: string, message: string][] {
  const found: [string, string][] = [];
  if (objectives > 1 && target !== undefined) {
    found.push(['target_fitness', '`target_fitness` is for one objective: several have no single best value.']);
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

export const MAX_BATCH = 1_000;

export const batchRequest = (limits: RequestLimits, strategies: readonly StrategyChoice[]) =>
  z.strictObject({ requests: fewItems(optimizeRequest(limits, strategies), MAX_BATCH) });

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

const MAX_SECRET_CHARACTERS = 255;
const webhookUrl = z
  .string()
  .min(1)
  .max(2_048)
  .refine((text) => URL.canParse(text), '`url` must be a URL such as https://example.com/hook.')
  .meta({ format: 'uri' })
  .describe(
    'https, on port 443, 8443 or from 1024 on, at a public address (checked now and whenever something is sent), without ' +
      'user and password. Redirects are not followed',
  );
const subscriptions = fewItems(z.enum(SUBSCRIPTIONS), 100)
  .transform((events) => [...new Set(events)])
  .describe('`*`: all');

export const webhookRequest = z.strictObject({
  url: webhookUrl,
  events: subscriptions,
  secret: z
    .string()
    .min(1)
    .refine(
      codePointsWithin(MAX_SECRET_CHARACTERS),
      `\`secret\` must be at most ${MAX_SECRET_CHARACTERS} characters long.`,
    )
    .refine((text) => !/\p{Cs}/u.test(text), '`secret` must be text that UTF-8 can hold.')
    .meta({ maxLength: MAX_SECRET_CHARACTERS })
    .nullable()
    .optional()
    .describe('Absent: made by the service. Null: none, deliveries are not signed'),
  active: z.boolean().default(true),
});

/** A field left out stays as it is. */
export const webhookChange = z.strictObject({
  url: webhookUrl.optional(),
  events: subscriptions.optional(),
  active: z.boolean().optional().describe('false: what waits for it is cancelled'),
});

export const rotateRequest = z.strictObject({
  overlap_seconds: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .default(MAX_OVERLAP_SECONDS)
    .describe('How long the old secret signs, too'),
});

export const redeliverFailedRequest = z.strictObject({
  since: z.iso
    .datetime({ offset: true, error: '`since` must be a time such as 2030-01-31T12:00:00Z.' })
    .describe('When the events happened, at the earliest'),
});

export const noQuery = z.strictObject({});
export const pageOnlyQuery = z.strictObject(pageQuery);
export const runListQuery = z.strictObject({
  ...pageQuery,
  status: z.enum(RUN_STATUSES).optional(),
  objective_function_id: z.string().optional(),
});

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

export const deliveryListQuery = z.strictObject({ ...pageQuery, state: z.enum(DELIVERY_STATES).optional() });

/** Checked where it is read as a time: it depends on whether a period begins or ends there. */
const dateText = z
  .string()
  .meta({
    anyOf: [
      { type: 'string', format: 'date' },
      { type: 'string', format: 'date-time' },
    ],
  })
  .describe('ISO 8601; a date alone means its whole UTC day');
const optimizationId = z
  .string()
  .regex(/^opt_[0-9]{1,64}$/, '`optimization_id` must be the identifier of an optimization, as `opt_123`.')
  .optional()
  .describe('One optimization, with its replays and extensions. Absent: all');

const format = z
  .enum(['json', ...EXPORT_FORMATS], '`format` must be `json`, `csv`, `xlsx` or `pdf`.')
  .default('json')
  .describe('Other than `json`: a file');

export const metricsQuery = z.strictObject({
  format,
  start_date: dateText,
  end_date: dateText,
  optimization_id: optimizationId,
  granularity: z.enum(GRANULARITIES).default('day').describe('Weeks begin on Monday'),
});
export const executionsQuery = z.strictObject({
  format,
  start_date: dateText.optional(),
  end_date: dateText.optional(),
  optimization_id: optimizationId,
  status: z.enum(RUN_STATUSES).optional(),
});
export const performanceQuery = z.strictObject({ format, optimization_id: optimizationId });

// --- answers

export const time = z.string().meta({ format: 'date-time' });
export const nullable = <T extends z.ZodType>(schema: T) => schema.nullable();

const evaluationError = z.object({ type: z.string(), message: z.string(), line: z.int() });

/** A number, or one for each objective; null: not finite. */
const valueAt = nullable(z.union([z.number(), z.array(nullable(z.number()))]));

const verified = z.object({
  by: nullable(z.enum(['cpython'])).describe('Null: nobody confirmed anything'),
  points: z
    .int()
    .describe('Values of compiled code that were confirmed: the best point, and a sample over every branch taken'),
  reason: z
    .enum(VERIFICATION_GAPS)
    .optional()
    .describe(
      'Why not, or not all of those that were chosen. no_interpreter: there is none; missing_module: it lacks a module of the ' +
        "source; other_python: it is another version than the run's; interpreted: CPython gave all values itself; setting: " +
        '`VERIFY` is off; nothing_valued: compiled code gave no value; time: it took too long; undecided: nobody has stated the ' +
        'error of an operation; interpreter_lost: it died; unfinished: the run was cut off',
    ),
  message: z.string().optional().describe('Of a missing module: what CPython said'),
});

const placed = z.object({ message: z.string(), line: z.int(), column: z.int() });

const compilation = z.object({
  compiled: z
    .boolean()
    .describe(
      'Whether it compiles for at least one of the dimensions that were tried; at another it may still go to CPython: ' +
        '`backend` of a run tells',
    ),
  reasons: z
    .array(placed)
    .max(20)
    .describe(
      'Why it needs the slower interpreter, in plain words; where it compiles for some numbers of dimensions only, why not for others',
    ),
  notes: z
    .array(placed)
    .max(20)
    .describe(
      "What its values depend on beside the source: the host's BLAS library, which gives products of arrays and linear algebra their last bits in CPython",
    ),
  misread: nullable(
    z.object({
      point: z.array(nullable(z.number())),
      compiled: valueAt.describe('What compiled code gave there'),
      cpython: z
        .union([valueAt, evaluationError])
        .describe('What CPython gives there, or the exception that it raises'),
      bound: nullable(z.number())
        .optional()
        .describe('A bound on the optimum that compiled code had certified, and that the value contradicts'),
    }),
  ).describe(
    "Where compiled code was found to misread this text; its runs are then CPython's, and `compiled` is false. Null: nobody found that",
  ),
});

export const functionSummary = z
  .object({
    id: z.string().meta({ pattern: '^func_[0-9]+$' }),
    name: z.string(),
    language: z.string(),
    created_at: time,
    sha256: z.string().meta({ pattern: '^[0-9a-f]{64}$' }),
    vectorized: z.boolean().describe('Whether it takes a whole population, shape (n, d), and returns shape (n,)'),
    objectives: nullable(z.int()).describe(
      'How many numbers it returns, which is the `objectives` of its runs; null where that is not known before it runs, ' +
        'because it was not compiled',
    ),
    compilation,
  })
  .meta({ id: 'Function' });

export const programAnalysis = z
  .object({
    dimension: z.int().describe('The number of variables for which the program was compiled and read'),
    findings: z.array(
      z.object({
        topic: z.enum(FINDING_TOPICS),
        text: z.string(),
        lines: z.array(z.int()).describe('Of the source; empty where unknown'),
      }),
    ),
  })
  .meta({ id: 'ProgramAnalysis' });

export const functionWithCode = functionSummary
  .extend({
    analysis: nullable(programAnalysis).describe(
      'What was read in the compiled program at upload, whatever the bounds; null where it was not compiled',
    ),
    code: z.string(),
  })
  .meta({ id: 'FunctionWithCode' });

export const evaluateAnswer = z
  .object({
    objectives: z.int().describe('How many numbers a point has'),
    values: z
      .array(nullable(z.union([z.number(), z.array(nullable(z.number()))])))
      .describe('One number per point, with several objectives one array of them; null where there is an error'),
    errors: z.array(nullable(evaluationError)).describe('One entry per point; null where the value is valid'),
    backend: z.object({ name: z.string(), device: z.string(), reason: z.string() }),
    verified,
  })
  .meta({ id: 'Evaluation' });

const intelligenceNames = (interpretable: string, adaptive: string) =>
  z.object({
    use_agentic_intelligence: z.boolean(),
    [interpretable]: z.boolean(),
    [adaptive]: z.boolean(),
    use_domain_extension: z.boolean(),
    explanation_level: z.int(),
    use_gpu_acceleration: z.boolean(),
    use_visual_intelligence: z.boolean(),
  });

const counts = z.record(z.string(), z.int());

export const explanationAnswer = z
  .object({
    level: z.int().min(0).max(MAX_EXPLANATION_LEVEL),
    statements: z
      .array(
        z.object({
          level: z.int().describe('The lowest level of an explanation that has it'),
          topic: z.string(),
          text: z.string(),
          evidence: z.record(z.string(), nullable(z.number())).describe('Every number in `text`, unrounded'),
        }),
      )
      .describe('In the order of their levels'),
    notes: z.array(z.string()).describe('What is missing, and why'),
  })
  .meta({ id: 'Explanation' });

const constraintState = z.object({
  name: z.string(),
  value: z.number(),
  limit: z.number(),
  slack: z.number(),
  binding: z.boolean(),
  shadow_price: z.number().optional().describe('Change of `best_fitness` for one more unit of the limit'),
});

const remark = z.object({ code: z.string(), field: z.string().optional(), message: z.string() });

export const runAnswer = z
  .object({
    id: z.string().meta({ pattern: '^opt_[0-9]+$' }),
    success: nullable(z.boolean()).describe('Null until the run has ended'),
    status: z.enum(RUN_STATUSES),
    best_solution: nullable(z.array(z.number())).describe('With several objectives the knee of the front'),
    best_fitness: nullable(z.number()).describe('Null with several objectives'),
    objectives: z.int(),
    pareto_front: nullable(z.array(z.object({ solution: z.array(z.number()), values: z.array(z.number()) }))).describe(
      'With several objectives: the candidates that no other one beats in all of them, best in the first objective first, 500 at ' +
        'most. Null until the run has ended, and in lists',
    ),
    hypervolume: nullable(z.number()).describe(
      'What `pareto_front` dominates, measured from `reference_point`; null beyond the range of float64',
    ),
    reference_point: nullable(z.array(z.number())).describe('Null until the run has ended, and with one objective'),
    evaluations: z.int(),
    failed_evaluations: z.int(),
    evaluation_errors: z.array(evaluationError).describe('The first three failed evaluations'),
    duration_seconds: nullable(z.number()).describe('Null until the run has ended'),
    strategy_used: nullable(z.string()).describe('The last name in `strategies`: of a planned run, who searched last'),
    intelligence_config: intelligenceNames('use_interpretable_intelligence', 'use_adaptive_intelligence'),
    tetrad_config: intelligenceNames('use_expository_intelligence', 'use_autodidactic_intelligence'),
    features_active: z
      .object({
        agentic_intelligence: z.boolean(),
        expository_intelligence: z.boolean(),
        interpretable_intelligence: z.boolean(),
        explanation_level: z.int(),
        cross_problem_learning: z.boolean(),
        domain_extension: z.boolean(),
        visual_intelligence: z.boolean(),
      })
      .describe('What was really applied, which may be less than what was asked for'),
    created_at: time,
    started_at: nullable(time),
    completed_at: nullable(time),
    termination_reason: nullable(
      z.enum(['budget', 'target', 'optimal', 'converged', 'stagnated', 'timeout', 'cancelled', 'error']),
    ),
    verified: nullable(verified).describe(
      'What CPython said of the values of compiled code. Null until the run has ended, and in records of earlier versions',
    ),
    optimality: nullable(
      z.object({
        status: z
          .enum(['optimal', 'feasible', 'heuristic'])
          .describe('Optimal: no value is better by more than 1e-8, or by 1e-12 of the value where that is more'),
        bound: nullable(z.number()).describe('No value of the objective inside the bounds is better'),
        gap: nullable(z.number()).describe('Distance of `best_fitness` from `bound`'),
        proof: nullable(z.string()),
      }),
    ).describe('Null where nothing was proven. It is about the numbers that the compiled objective gives'),
    analysis: nullable(programAnalysis).describe(
      'What was read in the compiled program, inside the bounds. Null until the run has ended, and where it was not read',
    ),
    objective_function_id: nullable(z.string()).describe('Null for a domain problem'),
    bounds: nullable(z.array(z.array(z.number()))).describe('Null for a domain problem'),
    domain: nullable(z.enum(DOMAINS)).describe('Null but for a domain problem, like all fields down to `alternatives`'),
    problem_type: nullable(z.string()),
    model: nullable(z.string()).describe('Null where the problem type has one'),
    conversation_id: nullable(z.string()).describe('The conversation that built the problem'),
    sense: nullable(z.enum(['minimize', 'maximize'])),
    decision_variables: nullable(z.array(z.string())).describe('Names, in the order of `best_solution`. Null in lists'),
    result: nullable(z.record(z.string(), z.unknown())).describe(
      'The answer as a practitioner reads it; its fields belong to the problem type. Null in lists',
    ),
    solver: nullable(
      z.object({
        method: z.string(),
        library: z.string().optional(),
        iterations: z.int(),
        nodes: z.int(),
        seconds: z.number(),
      }),
    ),
    constraints: nullable(z.array(constraintState)).describe('Null in lists'),
    warnings: nullable(z.array(remark)).describe('Repairs, and what to beware of'),
    assumptions: nullable(z.array(remark)).describe('Defaults that mattered'),
    alternatives: nullable(z.array(z.record(z.string(), z.unknown()))).describe(
      'Frontier, runners-up, where there are any. Null in lists',
    ),
    max_evaluations: z.int(),
    mode: z.enum(['fast', 'balanced', 'accurate']),
    preset: z.enum(PRESETS),
    seed: z.int(),
    direction: z.enum(['minimize', 'maximize']),
    math: z.enum(['exact', 'fast']),
    metadata: z.record(z.string(), z.unknown()),
    extension_of: nullable(z.string()).describe('The run that this one goes on from'),
    extension: nullable(
      z.object({
        from_evaluation: z.int().describe('Evaluations, history and time count on from there'),
        equals_one_run: z
          .boolean()
          .describe(
            'Whether it has the bits of one run with the larger budget. False where the strategy looks at its budget: ' +
              '`explanation.notes` says so too',
          ),
      }),
    ),
    replay_of: nullable(z.string()).describe('The run that this one repeats with another strategy'),
    comparison: nullable(
      z.object({
        best_fitness_difference: nullable(z.number()).describe("This run's best value less the other's"),
        evaluations_to_match: nullable(z.int()).describe(
          'After so many this run was as good as the other one at its end; null: it never was',
        ),
        better: z.boolean().describe("Whether this run's best value is the better one"),
      }),
    ).describe('Of a replay, when both runs have ended'),
    learned: z
      .object({ version: z.int(), sha256: nullable(z.string()) })
      .describe('What the run was given of what was learned; version 0: nothing'),
    backend: nullable(
      z.object({
        name: z.string(),
        device: z.string(),
        reason: z.string(),
        evaluations_per_second: nullable(z.number()),
        python_version: z.string().describe('The language version whose semantics the objective was given'),
        tiers: counts.describe(
          'Evaluations by what ran them: native_code, native_vm, wasm, javascript, interpreter, cpython',
        ),
        readings: counts.describe(
          'Evaluations that were no plain values, by what was asked of the program: gradient, terms, residuals, tangents ' +
            '(columns of a Jacobian), bounds',
        ),
        native_code: nullable(
          z.object({
            status: z.enum(['accepted', 'rejected', 'unchecked', 'refused', 'not_tried']),
            reason: z.string(),
          }),
        ).describe('Machine code made for this run: used only where it gives the bits of the virtual machine'),
        flagged: z
          .object({
            total: z.int(),
            share: z.number().describe('Of all evaluations'),
            reevaluated: z.int().describe('Evaluated again by CPython'),
            by_status: counts,
          })
          .describe('Candidates whose result compiled code left to CPython: exceptions, big integers, ...'),
        fallback_reasons: z
          .array(z.object({ code: z.string(), message: z.string(), line: z.int(), column: z.int() }))
          .describe('Why the source was not compiled for this run'),
      }),
    ),
    strategies: z.array(
      z.object({
        name: z.string(),
        reason: z.string(),
        from_evaluation: z.int(),
        to_evaluation: z.int(),
        best_fitness: nullable(z.number()),
      }),
    ),
    explanation: nullable(explanationAnswer).describe('Null until the run has ended'),
    visuals: z
      .array(z.object({ kind: z.string(), url: z.string() }))
      .describe('Pictures of the run, once it has ended, where visual intelligence is on; else empty'),
    progress: z.object({
      evaluations: z.int(),
      best_fitness: nullable(z.number()),
      hypervolume: nullable(z.number())
        .optional()
        .describe('With several objectives, once 50 candidates were evaluated'),
      eta_seconds: nullable(z.number()),
    }),
    error: z
      .object({
        message: z.string(),
        code: z.enum(PROBLEM_ERROR_CODES).optional().describe('Of a domain problem'),
        conflict: z.array(z.string()).optional().describe('Names of limits that cannot hold together'),
      })
      .optional()
      .describe('Present where the run ended by an error, or without a value'),
  })
  .meta({ id: 'Optimization' });

const STREAMED = [
  ...[
    'started',
    'strategy.changed',
    'backend.changed',
    'context.updated',
    'stagnated',
    'timeout',
    'completed',
    'failed',
    'cancelled',
  ],
  'progress',
] as const;

/** One of a stream; a comment is none. */
export const eventAnswer = z
  .object({
    id: z.string().meta({ pattern: '^[0-9]+$' }).optional().describe('Its place in the stream; `progress` has none'),
    event: z.enum(STREAMED),
    data: z.string().meta({ contentMediaType: 'application/json' }),
  })
  .meta({ id: 'ServerSentEvent' });

export const historyAnswer = z
  .object({
    data: z.array(
      z.object({
        evaluations: z.int(),
        best_fitness: nullable(z.number()),
        hypervolume: nullable(z.number()).optional().describe('With several objectives, instead of `best_fitness`'),
        elapsed_seconds: z.number(),
      }),
    ),
  })
  .meta({ id: 'History' });

/** SVG. */
export const pictureAnswer = z.string().meta({ id: 'Picture' });

export const learningAnswer = z
  .object({
    version: z.int().describe('Of the latest run that taught something; 0: nothing has been learned'),
    runs: z.int().describe('That have taught something'),
    problem_classes: z
      .array(
        z.object({
          name: z.string(),
          features: z.object({
            kind: z.enum(PROBLEM_KINDS).describe('From `least squares` on: of programs that were read, and not probed'),
            dimensions: nullable(z.object({ least: z.int(), most: z.int() })),
          }),
          runs: z.int(),
          strategies: z.array(
            z.object({
              name: z.string(),
              runs: z.int().describe('In which it searched'),
              win_rate: z.number().describe('Share of those in which it found what was as good as the best'),
              mean_gain: z.number().describe('Decades of f - f* for each of those'),
            }),
          ),
        }),
      )
      .describe('Of the latest 256 runs, which are those that new runs learn from'),
  })
  .meta({ id: 'Learning' });

export const similarAnswer = z
  .object({
    data: z.array(
      z.object({
        optimization_id: z.string(),
        distance: z.number().describe('0: alike in all that was probed or read'),
        strategy_used: z.string(),
        best_fitness: nullable(z.number()),
      }),
    ),
  })
  .meta({ id: 'SimilarOptimizations' });

export const batchAnswer = z
  .object({
    id: z.string().meta({ pattern: '^batch_[0-9]+$' }),
    status: z
      .enum(RUN_STATUSES)
      .describe('`pending` until a run starts, `running` until all have ended; then `failed` where every run did'),
    total: z.int(),
    completed: z.int(),
    failed: z.int().describe('Cancelled runs included'),
    optimization_ids: z.array(z.string()).describe('In the order of the requests'),
    created_at: time,
    completed_at: nullable(time).describe('When the last run ended'),
  })
  .meta({ id: 'Batch' });

export const pageAnswer = (item: z.ZodType) =>
  z.object({ data: z.array(item), total: z.int(), limit: z.int(), offset: z.int() });

export const keyAnswer = z
  .object({
    id: z.string().meta({ pattern: '^key_[0-9]+$' }),
    name: z.string(),
    scopes: z.array(SCOPE),
    created_at: time,
    expires_at: nullable(time),
    last_used_at: nullable(time).describe('To the minute'),
  })
  .meta({ id: 'Key' });

export const issuedKeyAnswer = keyAnswer
  .extend({ key: z.string().meta({ pattern: '^sk_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$' }) })
  .meta({ id: 'IssuedKey' });

export const identityAnswer = z
  .object({ account_id: z.string(), name: z.string(), key: keyAnswer })
  .meta({ id: 'Identity' });

export const configurationAnswer = z
  .object({
    preset: z.enum(PRESETS),
    mode: z.enum(['fast', 'balanced', 'accurate']),
    max_evaluations: z.int(),
    timeout_seconds: z.number(),
  })
  .meta({ id: 'Configuration' });

export const presetsAnswer = z
  .object({
    data: z.array(
      z.object({
        name: z.enum(PRESETS),
        intent: z.string(),
        intelligence_config: intelligenceNames('use_interpretable_intelligence', 'use_adaptive_intelligence'),
      }),
    ),
  })
  .meta({ id: 'Presets' });

export const webhookAnswer = z
  .object({
    id: z.string().meta({ pattern: '^wh_[0-9]+$' }),
    url: z.string(),
    events: z.array(z.enum(SUBSCRIPTIONS)),
    active: z.boolean(),
    created_at: time,
    signed: z.boolean().describe('Whether it has a secret'),
    failing_since: nullable(time).describe('The first failed attempt since the last successful one'),
    disabled: nullable(z.object({ reason: z.enum(['gone', 'failing']), at: time })).describe(
      'Where the service has switched it off: it answered 410, or nothing but failures for five days',
    ),
  })
  .meta({ id: 'Webhook' });

export const issuedWebhookAnswer = webhookAnswer
  .extend({ secret: z.string().optional().describe('Shown only here; absent where there is none') })
  .meta({ id: 'IssuedWebhook' });

export const deliveryAnswer = z
  .object({
    id: z.string().meta({ pattern: '^dlv_[0-9]+$' }),
    event_id: z.string().describe('The same for every webhook and attempt: what to recognise duplicates by'),
    event_type: z.string(),
    webhook_id: z.string(),
    state: z.enum(DELIVERY_STATES).describe('`cancelled`: the webhook was deleted or switched off'),
    attempts: z
      .array(
        z.object({
          at: time,
          status: nullable(z.int()).describe('Null: no answer'),
          duration_seconds: z.number(),
          error: z.string().optional(),
          response_excerpt: nullable(z.string()).describe('The first 4 KiB of the answer'),
        }),
      )
      .describe('Oldest first, the last hundred'),
    next_attempt_at: nullable(time),
    created_at: time,
  })
  .meta({ id: 'Delivery' });

export const redeliveredAnswer = z
  .object({ redelivered: z.int().describe('How many deliveries are sent again') })
  .meta({ id: 'Redelivered' });

export const openApiAnswer = z.looseObject({ openapi: z.literal('3.1.0') });

export const healthAnswer = z
  .object({
    status: z.enum(['ok', 'degraded']),
    version: z.string(),
    uptime_seconds: z.number(),
    store: z.object({ kind: z.string(), latency_seconds: nullable(z.number()) }),
    scheduler: z.object({ kind: z.string(), queued: z.int(), running: z.int() }),
    workers: z.object({ total: z.int(), busy: z.int() }),
    misread: z
      .object({ functions: z.int() })
      .describe(
        "Texts of functions that compiled code was found to misread, of all accounts; their runs are CPython's",
      ),
    backends: z.array(
      z.object({
        name: z.string(),
        available: z.boolean(),
        reason: z.string().optional(),
        device: z.string().optional(),
        notice: z.string().optional().describe('What it lacks, and the command that mends it'),
        evaluations_per_second: z.number().optional(),
        limits: z
          .object({
            memory_bytes: z.int(),
            cpu_seconds: z.int(),
            evaluation_seconds: z.int(),
            load_seconds: z.int(),
            output_bytes: z.int(),
            processes_per_run: z.int(),
            spares: z.int(),
          })
          .optional()
          .describe('Of the CPython backend: what uploaded code may use'),
      }),
    ),
  })
  .meta({ id: 'Health' });

export const errorAnswer = z
  .object({
    error: z.object({ code: z.string(), message: z.string(), field: z.string().optional() }),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });

const count = z.int().min(0);
const amount = z.number().min(0);
const share = z.number().min(0).max(1);
const currency = z.string().describe('As configured, e.g. `USD`');

export const metricsAnswer = z
  .object({
    period: z.object({ start: time, end: time }),
    metrics: z.object({
      total_optimizations: count.describe('Of every status'),
      successful_optimizations: count,
      failed_optimizations: count.describe('Cancelled ones included'),
      average_optimization_time: amount.describe('Seconds, over completed runs'),
      total_evaluations: count.describe('Of runs that have ended; of an extension only what it added'),
      cost: z.object({ total: amount, currency }),
    }),
    trends: z.object({
      optimizations_per_day: z
        .array(count)
        .describe(`One for each bucket of \`granularity\`, oldest first, at most ${MAX_BUCKETS}`),
      success_rate: z.array(share).describe('The same buckets: completed / (completed + failed)'),
    }),
  })
  .meta({ id: 'AnalyticsMetrics' });

export const executionsAnswer = z
  .object({
    total: count,
    by_status: z.object({ pending: count, running: count, completed: count, failed: count }),
    by_optimization: z
      .array(z.object({ optimization_id: z.string(), count, success_rate: share }))
      .describe(`Original runs, each with its replays and extensions; the newest ${MAX_OPTIMIZATIONS}`),
    by_optimization_total: count,
    time_series: z
      .array(
        z.object({
          date: z.string().meta({ format: 'date' }),
          optimizations: count,
          successful: count,
          failed: count,
        }),
      )
      .describe(`One for each UTC day, oldest first, at most ${MAX_BUCKETS}`),
  })
  .meta({ id: 'AnalyticsExecutions' });

export const performanceAnswer = z
  .object({
    execution_time: z
      .object({ average: amount, median: amount, p95: amount, p99: amount })
      .describe('Seconds, over completed runs'),
    throughput: z
      .object({ per_second: amount, per_minute: amount, per_hour: amount })
      .describe('Runs that have ended, from the first creation to the last end'),
    error_rate: z.object({
      percentage: z.number().min(0).max(100),
      failed: count,
      total: count.describe('Runs that have ended'),
    }),
    resource_usage: z.object({
      cpu: z.object({ seconds: amount, average_utilization: amount.describe('1: one core, all the time') }),
      memory: z.object({ peak_bytes: amount, average_bytes: amount }).describe('Of the peaks of runs'),
      network: z
        .object({ bytes_in: count, bytes_out: count })
        .describe('Bodies of requests about optimizations, and of their answers'),
      gpu: z.object({ seconds: amount }),
      checks: z
        .object({ seconds: amount })
        .describe('In which CPython confirmed values of compiled code; no part of the other figures, nor of costs'),
    }),
    cost_efficiency: z.object({
      cost_per_execution: amount,
      currency,
      opportunities: z
        .array(z.object({ optimization_id: z.string().optional(), message: z.string(), estimated_saving: amount }))
        .describe('Largest saving first'),
    }),
  })
  .meta({ id: 'AnalyticsPerformance' });
