/** Functions as clients see them. */
import { z } from 'zod';
import type { FunctionRecord } from '../../model/function-record.js';
import { FINDING_TOPICS } from '../../model/program-structure.js';
import { type Misreading, VERIFICATION_GAPS } from '../../model/verification.js';
import type { FunctionEvaluation } from '../../runs/worker-protocol.js';
import { isoTime, nullable, time } from '../fields.js';
import type { Answer } from '../route.js';

export const evaluationError = z.object({ type: z.string(), message: z.string(), line: z.int() });

/** A number, or one for each objective; null: not finite. */
const valueAt = nullable(z.union([z.number(), z.array(nullable(z.number()))]));

export const verified = z.object({
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
        'error of an operation, or whether the function takes a list or an array is open and matters; interpreter_lost: it died; unfinished: the run was cut off',
    ),
  message: z
    .string()
    .optional()
    .describe(
      'Of a missing module: what CPython said; of what is undecided: what that is, where it concerns the argument',
    ),
});

const placed = z.object({ message: z.string(), line: z.int(), column: z.int() });

export const statelessness = z.object({
  value: nullable(z.boolean()).describe('Null: nobody has looked, or could'),
  reason: z.string().describe('In plain words'),
});

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
  stateless: statelessness.describe('Whether several processes may share the calls, and why'),
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
    evaluation_limits: z
      .object({ seconds: nullable(z.number()), memory_bytes: nullable(z.int()) })
      .describe('That the upload asked for; null: those of the service, which `GET /v1/health` shows'),
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

export const represent = (record: FunctionRecord): Answer<typeof functionSummary> => ({
  id: record.id,
  name: record.name,
  language: record.language,
  created_at: isoTime(record.createdAt),
  sha256: record.sha256,
  vectorized: record.source.vectorized ?? false,
  objectives: record.objectives ?? null,
  evaluation_limits: {
    seconds: record.source.evaluationLimits?.seconds ?? null,
    memory_bytes: record.source.evaluationLimits?.memoryBytes ?? null,
  },
  compilation: {
    compiled: record.compilation.compiled && record.misread === undefined,
    reasons: record.compilation.reasons.map(({ message, line, column }) => ({ message, line, column })),
    notes: record.compilation.notes ?? [],
    stateless: record.compilation.stateless ?? { value: null, reason: 'uploaded by an earlier version' },
    misread: record.misread === undefined ? null : representMisreading(record.misread),
  },
});

function representMisreading({ point, compiled, cpython, bound }: Misreading): Answer<typeof compilation>['misread'] {
  const one = (values: readonly number[]): number | readonly number[] => (values.length === 1 ? values[0] : values);
  return {
    point,
    compiled: one(compiled),
    cpython: 'type' in cpython ? cpython : one(cpython),
    bound,
  };
}

export function representEvaluation({
  objectives,
  values,
  errors,
  backend,
  verified,
}: FunctionEvaluation): Answer<typeof evaluateAnswer> {
  const rows = errors.map((error, i) =>
    error === null ? Array.from(values.subarray(i * objectives, (i + 1) * objectives)) : null,
  );
  return {
    objectives,
    values: objectives === 1 ? rows.map((row) => row?.[0] ?? null) : rows,
    errors,
    backend,
    verified,
  };
}
