/** The monitoring trace of a run as clients see it. */
import { z } from 'zod';
import { type MonitoringRow, placeOf } from '../../model/monitoring.js';
import { isoTime, nullable, time } from '../fields.js';
import type { Answer } from '../route.js';

export const monitoringRowAnswer = z
  .object({
    at: time.describe('End of the row, by the clock of the service'),
    seconds: z
      .number()
      .describe('How long the row is: about 1, and 2, 4, ... once neighbours were joined. All sums are over this time'),
    attempt: z
      .int()
      .describe('The attempt at the run, from 1; grows when the run goes on in another process or thread'),
    evaluations: nullable(z.int()).describe(
      'Evaluations of this run, counted when their batch was done; those that a lost attempt had made are counted, and ' +
        'those that repeat them. Null for a domain problem: solvers tell them with an improvement only',
    ),
    evaluations_per_second: nullable(z.number()).describe('`evaluations` by `seconds`'),
    place: nullable(z.string()).describe(
      'Where most candidates of the row were valued, a name of `tiers`. Null: none was, or it is not known',
    ),
    tiers: nullable(z.record(z.string(), z.int())).describe(
      'Candidates of this run by what valued them, as `backend.tiers` of the record. Null for a domain problem',
    ),
    thread_cpu_seconds: nullable(z.number()).describe(
      'Processor seconds of the thread that carries out this run; not those of other threads that it may use, nor of ' +
        'CPython processes. Null where the host does not tell (only Linux does), and before the thread has begun',
    ),
    service_cpu_seconds: z
      .number()
      .describe('Processor seconds of the whole service process: all runs, requests and threads; no CPython processes'),
    thread_memory_bytes: nullable(z.int()).describe(
      "Heap and buffers of this run's thread, the most that was seen. Null for a domain problem, and before it has begun",
    ),
    service_memory_bytes: z
      .int()
      .describe('Resident memory of the whole service process, with all runs; the most that was seen, once a second'),
    queued_seconds: z
      .number()
      .describe('Seconds from the request to the first attempt; in the first row, 0 in all others'),
    python_wait_seconds: z
      .number()
      .describe(
        'Seconds in which this run waited for CPython to value candidates: for a process, for its loading, for the ' +
          'values. Checks, which are made beside the search, do not count',
      ),
    checks: nullable(z.int()).describe(
      'Values of compiled code that CPython confirmed for this run. Null for a domain problem',
    ),
  })
  .meta({ id: 'MonitoringRow' });

type RowAnswer = Answer<typeof monitoringRowAnswer>;

const micros = (seconds: number): number => Math.round(seconds * 1e6) / 1e6;

export function representRow(row: MonitoringRow): RowAnswer {
  const { seconds, evaluations, threadCpuSeconds } = row;
  return {
    at: isoTime(row.at),
    seconds: micros(seconds),
    attempt: row.attempt,
    evaluations,
    evaluations_per_second: evaluations === null ? null : micros(evaluations / seconds),
    place: placeOf(row),
    tiers: row.tiers,
    thread_cpu_seconds: threadCpuSeconds === null ? null : micros(threadCpuSeconds),
    service_cpu_seconds: micros(row.serviceCpuSeconds),
    thread_memory_bytes: row.threadMemoryBytes,
    service_memory_bytes: row.serviceMemoryBytes,
    queued_seconds: micros(row.queuedSeconds),
    python_wait_seconds: micros(row.pythonSeconds),
    checks: row.checks,
  };
}
