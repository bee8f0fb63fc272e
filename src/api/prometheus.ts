/**
 * Counts for Prometheus (`GET /metrics`; what each means: docs/metrics.md). Labels come from closed lists, so that
 * nobody outside can make the number of series grow: route templates, statuses, kinds of diagnostics; never texts or
 * names.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ExportMetrics } from '../exports/export-file.js';
import type { JobMetrics } from '../jobs/jobs.js';
import type { RunMetrics } from '../runs/metrics.js';
import type { WebhookMetrics } from '../webhooks/sender.js';

const COMPILE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** Up to five minutes: a request may wait so long for its run. */
const HTTP_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300];
const JOB_BUCKETS = [0.001, 0.01, 0.1, 1, 10];
const EXPORT_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Metrics of this process: memory, processor time, event-loop delay, garbage collection. They are made once, for they
 * observe for ever.
 */
let ofProcess: Registry | null = null;

function processRegistry(): Registry {
  if (ofProcess === null) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** Figures that are looked up when somebody asks. */
interface Levels {
  readonly runs: { readonly queued: number; readonly running: number };
  /** Short jobs (checks of uploads, evaluations of points) that wait for a thread. */
  readonly quickQueue: number;
  readonly python: { readonly busy: number; readonly spare: number; readonly checking: number };
}

export interface Metrics extends RunMetrics, JobMetrics, WebhookMetrics, ExportMetrics {
  readonly contentType: string;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  requestAnswered(method: string, route: string | undefined, status: number, seconds: number): void;
  /** A record that cannot be read was met for the first time. */
  recordDamaged(): void;
  pythonTaken(warm: boolean): void;
  pythonEnded(reason: string): void;
  /** From now on levels are taken from there. */
  watch(levels: () => Levels): void;
}

/** Instruments that count and time things as they happen. */
function instruments(registers: Registry[]) {
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> =>
    new Counter({ name: `extremum_${name}`, help, labelNames, registers });
  const histogram = <L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    buckets: number[],
  ): Histogram<L> => new Histogram({ name: `extremum_${name}`, help, labelNames, buckets, registers });

  return {
    ended: counter('runs_ended_total', 'Runs that ended', ['status', 'reason']),
    endedByPreset: counter('preset_runs_ended_total', 'Runs that ended, by their preset', ['preset', 'status']),
    evaluationsByPreset: counter('preset_evaluations_total', 'Evaluations of runs that ended, by preset', ['preset']),
    secondsByPreset: counter('preset_run_seconds_total', 'Durations of runs that ended, by preset', ['preset']),
    cpuByPreset: counter('preset_cpu_seconds_total', 'Processor time of runs that ended, by preset', ['preset']),
    checksByPreset: counter('preset_check_seconds_total', 'Time of checks of runs that ended, by preset', ['preset']),
    evaluations: counter('evaluations_total', 'Evaluations of objectives, by what ran them', ['tier']),
    flagged: counter('flagged_candidates_total', 'Candidates that compiled code flagged', ['status']),
    reevaluated: counter('deoptimised_candidates_total', 'Flagged candidates that CPython evaluated again'),
    fallbacks: counter('fallbacks_total', 'Runs and evaluations whose source was not compiled', ['reason']),
    confirmed: counter('confirmed_values_total', 'Values of compiled code that CPython confirmed'),
    verifications: counter(
      'verifications_total',
      'Runs and evaluations that ended, by what kept values from being confirmed',
      ['gap'],
    ),
    misreadings: counter('misreadings_total', 'Sources that compiled code was found to misread', ['by']),
    damaged: counter('damaged_records_total', 'Records of the database that could not be read'),
    compile: histogram('compile_seconds', 'Time to compile a source', ['outcome'], COMPILE_BUCKETS),
    taken: counter('python_processes_taken_total', 'CPython processes given to a run', ['start']),
    pythonEnds: counter('python_processes_ended_total', 'CPython processes that ended', ['reason']),
    jobs: histogram('job_duration_seconds', 'Handlers of jobs, by how they ended', ['job', 'outcome'], JOB_BUCKETS),
    deliveries: counter('webhook_attempts_total', 'Attempts of deliveries, by what came of them', ['outcome']),
    disabled: counter('webhooks_disabled_total', 'Webhooks that the service has switched off', ['reason']),
    exports: histogram(
      'export_duration_seconds',
      'Exported files, from their turn on, by what came of them',
      ['format', 'outcome'],
      EXPORT_BUCKETS,
    ),
    requests: histogram(
      'http_request_duration_seconds',
      'From the request to the end of its answer',
      ['method', 'route', 'status'],
      HTTP_BUCKETS,
    ),
  };
}

export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  let levels: (() => Levels) | null = null;

  const gauge = (name: string, help: string, label: string, read: (now: Levels) => Record<string, number>): void => {
    new Gauge({
      name: `extremum_${name}`,
      help,
      labelNames: [label],
      registers,
      collect() {
        if (levels === null) return;
        for (const [value, level] of Object.entries(read(levels()))) this.set({ [label]: value }, level);
      },
    });
  };

  new Gauge({ name: 'extremum_info', help: 'Version of the service', labelNames: ['version'], registers }).set(
    { version },
    1,
  );
  gauge('runs', 'Runs of this process that have not ended, by state', 'state', ({ runs }) => ({
    pending: runs.queued,
    running: runs.running,
  }));
  gauge('queue_length', 'What waits for a thread', 'queue', ({ runs, quickQueue }) => ({
    runs: runs.queued,
    quick: quickQueue,
  }));
  gauge('python_processes', 'CPython processes, by state', 'state', ({ python }) => ({ ...python }));
  const {
    ended,
    endedByPreset,
    evaluationsByPreset,
    secondsByPreset,
    cpuByPreset,
    checksByPreset,
    evaluations,
    flagged,
    reevaluated,
    fallbacks,
    confirmed,
    verifications,
    misreadings,
    damaged,
    compile,
    taken,
    pythonEnds,
    jobs,
    deliveries,
    disabled,
    exports,
    requests,
  } = instruments(registers);

  return {
    contentType: registry.contentType,
    text: async () => (await Promise.all([registry.metrics(), processRegistry().metrics()])).join('\n'),
    measured({ compilations = [], use }) {
      for (const { seconds, outcome } of compilations) compile.observe({ outcome }, seconds);
      for (const [tier, count] of Object.entries(use?.tiers ?? {})) evaluations.inc({ tier }, count);
      for (const [status, count] of Object.entries(use?.flagged ?? {})) flagged.inc({ status }, count);
      reevaluated.inc(use?.reevaluated ?? 0);
    },
    runEnded(status, reason, spent) {
      ended.inc({ status, reason });
      if (spent === undefined) return;
      const { preset } = spent;
      endedByPreset.inc({ preset, status });
      evaluationsByPreset.inc({ preset }, spent.evaluations);
      secondsByPreset.inc({ preset }, spent.seconds);
      cpuByPreset.inc({ preset }, spent.cpuSeconds);
      checksByPreset.inc({ preset }, spent.checkSeconds);
    },
    fellBack: (reason) => fallbacks.inc({ reason }),
    verified({ points, reason = 'none' }) {
      confirmed.inc(points);
      verifications.inc({ gap: reason });
    },
    misread: (by) => misreadings.inc({ by }),
    requestAnswered(method, route = 'none', status, seconds) {
      requests.observe({ method: METHODS.has(method) ? method : 'other', route, status }, seconds);
    },
    jobRan: (job, outcome, seconds) => jobs.observe({ job, outcome }, seconds),
    deliveryAttempted: (outcome) => deliveries.inc({ outcome }),
    webhookDisabled: (reason) => disabled.inc({ reason }),
    exportEnded: (format, outcome, seconds) => exports.observe({ format, outcome }, seconds),
    recordDamaged: () => damaged.inc(),
    pythonTaken: (warm) => taken.inc({ start: warm ? 'warm' : 'cold' }),
    pythonEnded: (reason) => pythonEnds.inc({ reason }),
    watch: (read) => {
      levels = read;
    },
  };
}
