/** The service's description of itself, as clients see it. */
import { z } from 'zod';
import type { DeviceHealth, HealthReport } from '../../runs/health-service.js';
import type { PythonLimits } from '../../runs/python-host.js';
import { nullable } from '../fields.js';
import type { Answer } from '../route.js';

export const openApiAnswer = z.looseObject({ openapi: z.literal('3.1.0') });
export type OpenApi = Answer<typeof openApiAnswer>;

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
        notice: z.string().optional().describe('What it lacks, and the command that mends it; a line for each'),
        evaluations_per_second: z.number().optional(),
        devices: z
          .array(
            z.object({
              index: z.int(),
              name: z.string(),
              state: z.enum(['ready', 'unusable', 'lost']).describe('`lost`: not used until the process starts again'),
              reason: z.string().optional().describe('Why it is not ready'),
              launch_seconds: nullable(z.number()).describe('From a call for one candidate to its value, measured'),
              bytes_per_second: nullable(z.number()).describe('Copies of candidates and values, measured'),
              operations_per_second: nullable(z.number()).describe('In double precision, measured'),
            }),
          )
          .optional()
          .describe('Of a backend for GPUs. Speeds are null where they were not measured yet'),
        limits: z
          .object({
            memory_bytes: z.int(),
            max_memory_bytes: z.int().describe('The most that a function may ask for in `evaluation_limits`'),
            cpu_seconds: z.int(),
            evaluation_seconds: z.int(),
            max_evaluation_seconds: z.int().describe('The most that a function may ask for in `evaluation_limits`'),
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

export function represent(report: HealthReport): Answer<typeof healthAnswer> {
  return {
    status: report.status,
    version: report.version,
    uptime_seconds: report.uptimeSeconds,
    store: { kind: report.store.kind, latency_seconds: report.store.latencySeconds },
    scheduler: report.scheduler,
    workers: report.workers,
    misread: report.misread,
    backends: report.backends.map((backend) => ({
      name: backend.name,
      available: backend.available,
      ...(backend.available ? { device: backend.device } : { reason: backend.reason }),
      notice: backend.notice,
      devices: backend.devices?.map(representDevice),
      limits: backend.limits === undefined ? undefined : representLimits(backend.limits),
    })),
  };
}

type BackendAnswer = Answer<typeof healthAnswer>['backends'][number];

/** As `extremum devices` prints it, too. */
export const representDevice = ({
  index,
  name,
  state,
  problem,
  speed,
}: DeviceHealth): NonNullable<BackendAnswer['devices']>[number] => ({
  index,
  name,
  state,
  reason: problem ?? undefined,
  launch_seconds: speed?.launchSeconds ?? null,
  bytes_per_second: speed?.bytesPerSecond ?? null,
  operations_per_second: speed?.operationsPerSecond ?? null,
});

const representLimits = (of: PythonLimits): NonNullable<BackendAnswer['limits']> => ({
  memory_bytes: of.memoryBytes,
  max_memory_bytes: of.mostMemoryBytes,
  cpu_seconds: of.cpuSeconds,
  evaluation_seconds: of.evaluationSeconds,
  max_evaluation_seconds: of.mostEvaluationSeconds,
  load_seconds: of.loadSeconds,
  output_bytes: of.outputBytes,
  processes_per_run: of.processesPerRun,
  spares: of.spares,
});
