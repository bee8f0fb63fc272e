import type { Answer } from '../route.js';
import type { monitoringRowAnswer } from './monitoring-answer.js';

const rows: readonly Answer<typeof monitoringRowAnswer>[] = [
  {
    at: '2026-11-28T07:34:27.530Z',
    seconds: 1.003791,
    attempt: 1,
    evaluations: 76489,
    evaluations_per_second: 76200.091923,
    place: 'native_code',
    tiers: { native_code: 76489 },
    thread_cpu_seconds: 0.467351,
    service_cpu_seconds: 0.836124,
    thread_memory_bytes: 58792786,
    service_memory_bytes: 255971328,
    queued_seconds: 0,
    python_wait_seconds: 0,
    checks: 6,
  },
  {
    at: '2026-11-28T07:34:28.534Z',
    seconds: 1.004167,
    attempt: 1,
    evaluations: 57709,
    evaluations_per_second: 57469.526437,
    place: 'native_code',
    tiers: { native_code: 57709 },
    thread_cpu_seconds: 0.496086,
    service_cpu_seconds: 0.647222,
    thread_memory_bytes: 60066276,
    service_memory_bytes: 256827392,
    queued_seconds: 0,
    python_wait_seconds: 0,
    checks: 2,
  },
];

/** The second and third second of a run of CMA-ES in 40 dimensions. */
export const MONITORING_EXAMPLE = { data: rows, total: 7, limit: 2, offset: 1 };
