/**
 * The counted facts of a run, and their sums. Facts are a few numbers for each run. They are made from its record
 * alone, when it is created and when it ends, and kept apart from it, so that they stay when the record is removed. A
 * tally is the sum of the facts of many runs; tallies of disjoint sets of runs add up (`sumTallies`).
 *
 * `TALLY_FIELDS` is the one place that says what a tally holds. Stores make their queries from it.
 */
import type { RunEnding, RunRequest } from './run-record.js';
import type { RunStatus } from './run-status.js';
import { NO_USAGE, type RunUsage } from './run-usage.js';

/** Known from the request on. */
export interface CreatedFacts {
  /** The run that it repeats or extends, at the beginning of the chain; itself where it does neither. */
  readonly originId: string;
  /** Evaluations of the run that it goes on from: they belong to that run, as do `baseSeconds`. */
  readonly baseEvaluations: number;
  readonly baseSeconds: number;
}

/** Work that could have been spared, of one run or of many: runs, evaluations, microseconds of processor time. */
interface SparedWork {
  /** Evaluations after the last improvement, beyond the longest wait for an earlier one. */
  readonly idleRuns: number;
  readonly idleEvaluations: number;
  readonly idleCpuMicros: number;
  /** Evaluations that raised or gave no number. */
  readonly faultyRuns: number;
  readonly faultyEvaluations: number;
  readonly faultyCpuMicros: number;
  /** Evaluations that an explanation of level 4 or 5 asked for. */
  readonly experimentRuns: number;
  readonly experimentEvaluations: number;
  readonly experimentCpuMicros: number;
  /** The source was not compiled: all of it. */
  readonly interpretedRuns: number;
  readonly interpretedEvaluations: number;
  readonly interpretedCpuMicros: number;
}

/** Known at its end. Whole numbers but for `seconds`, so that sums have no order; see `endedFacts`. */
export interface EndedFacts extends SparedWork {
  readonly seconds: number;
  readonly evaluations: number;
  readonly cpuMicros: number;
  readonly gpuMicros: number;
  readonly checkMicros: number;
  readonly peakBytes: number;
}

/** Bodies of requests about a run, and of their answers; counted also after its end. */
export interface RunTraffic {
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** All that is kept of a run for counting. What is known only at its end is 0 before. */
export interface RunFacts extends CreatedFacts, EndedFacts, RunTraffic {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: number;
  readonly status: RunStatus;
  readonly completedAt: number | null;
}

export const NOTHING_ENDED: EndedFacts = {
  seconds: 0,
  evaluations: 0,
  cpuMicros: 0,
  gpuMicros: 0,
  checkMicros: 0,
  peakBytes: 0,
  idleRuns: 0,
  idleEvaluations: 0,
  idleCpuMicros: 0,
  faultyRuns: 0,
  faultyEvaluations: 0,
  faultyCpuMicros: 0,
  experimentRuns: 0,
  experimentEvaluations: 0,
  experimentCpuMicros: 0,
  interpretedRuns: 0,
  interpretedEvaluations: 0,
  interpretedCpuMicros: 0,
};

/** The first run of the chain that this one repeats or extends. */
export const originOf = (request: RunRequest): string | null =>
  request.originId ?? request.extension?.of ?? request.replayOf ?? null;

export function createdFacts(id: string, request: RunRequest): CreatedFacts {
  const from = request.extension?.from;
  return {
    originId: originOf(request) ?? id,
    baseEvaluations: from?.evaluations ?? 0,
    baseSeconds: from?.elapsedSeconds ?? 0,
  };
}

const MICROS = 1e6;
/** A wait for the next improvement that is no longer than this share of the evaluations is never called idle. */
const LEAST_WAIT = 0.1;
/** Only these have spent all that they were given; any other run stopped by itself, or was stopped. */
const SPENT_ALL: ReadonlySet<string> = new Set(['budget', 'timeout']);

/** The counted part of an ending. */
interface CountedEnding {
  readonly evaluations: number;
  readonly failedEvaluations: number;
  readonly experimentEvaluations: number;
  readonly idleEvaluations: number;
  readonly durationSeconds: number;
  readonly isInterpreted: boolean;
  readonly usage: RunUsage;
}

export const countedEnding = (ending: RunEnding): CountedEnding => ({
  evaluations: ending.evaluations,
  failedEvaluations: ending.failedEvaluations,
  experimentEvaluations: ending.experiment?.evaluations ?? 0,
  idleEvaluations: idleTail(ending),
  durationSeconds: ending.durationSeconds,
  isInterpreted: (ending.backend?.notCompiled?.length ?? 0) > 0,
  usage: { ...(ending.usage ?? NO_USAGE) },
});

/**
 * Without what belongs to the run that this one extends. What could have been spared shares its processor time evenly.
 */
export function endedFacts(
  { baseEvaluations, baseSeconds }: Pick<CreatedFacts, 'baseEvaluations' | 'baseSeconds'>,
  ending: CountedEnding,
): EndedFacts {
  const { usage } = ending;
  const evaluations = Math.max(0, ending.evaluations - baseEvaluations);
  const cpuMicros = Math.round((usage.threadCpuSeconds + usage.pythonCpuSeconds) * MICROS);
  const spared = (count: number): [number, number, number] => {
    const own = Math.min(count, evaluations);
    return own <= 0 ? [0, 0, 0] : [1, own, Math.round((cpuMicros * own) / evaluations)];
  };
  const [idleRuns, idleEvaluations, idleCpuMicros] = spared(ending.idleEvaluations);
  const [faultyRuns, faultyEvaluations, faultyCpuMicros] = spared(ending.failedEvaluations);
  const [experimentRuns, experimentEvaluations, experimentCpuMicros] = spared(ending.experimentEvaluations);
  const [interpretedRuns, interpretedEvaluations, interpretedCpuMicros] = spared(
    ending.isInterpreted ? evaluations : 0,
  );
  return {
    seconds: Math.max(0, ending.durationSeconds - baseSeconds),
    evaluations,
    cpuMicros,
    gpuMicros: Math.round(usage.gpuSeconds * MICROS),
    checkMicros: Math.round((usage.checkSeconds ?? 0) * MICROS),
    peakBytes: Math.round(usage.peakMemoryBytes),
    idleRuns,
    idleEvaluations,
    idleCpuMicros,
    faultyRuns,
    faultyEvaluations,
    faultyCpuMicros,
    experimentRuns,
    experimentEvaluations,
    experimentCpuMicros,
    interpretedRuns,
    interpretedEvaluations,
    interpretedCpuMicros,
  };
}

/**
 * Evaluations that a limit on stagnation would have spared without changing the result: those after the last
 * improvement, less the longest wait for an earlier one (at least a tenth of all).
 */
function idleTail({ terminationReason, evaluations, convergence, experiment }: RunEnding): number {
  if (convergence?.longestWait === undefined || !SPENT_ALL.has(terminationReason)) return 0;
  const searched = experiment?.fromEvaluation ?? evaluations;
  const wait = Math.max(convergence.longestWait, Math.ceil(LEAST_WAIT * searched));
  return Math.max(0, searched - convergence.lastImprovement - wait);
}

/** Sums over runs. Extremes of none are null. */
export interface RunTally extends SparedWork {
  readonly pending: number;
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
  /** Pending runs that repeat and extend no other one; likewise the next three. */
  readonly originalPending: number;
  readonly originalRunning: number;
  readonly originalCompleted: number;
  readonly originalFailed: number;
  readonly seconds: number;
  readonly completedSeconds: number;
  readonly evaluations: number;
  readonly cpuMicros: number;
  readonly gpuMicros: number;
  readonly checkMicros: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly peakBytes: number;
  readonly largestPeakBytes: number | null;
  /** Evaluations of runs that have failed; likewise the next two. */
  readonly failedEvaluations: number;
  readonly failedCpuMicros: number;
  readonly failedGpuMicros: number;
  readonly firstCreatedAt: number | null;
  readonly lastCompletedAt: number | null;
}

export type TallyField = keyof RunTally;
type Numeric = { [F in keyof RunFacts]: RunFacts[F] extends number | null ? F : never }[keyof RunFacts];

/** How a field comes about: the sum, or an extreme, of a fact; over runs of one status, or over originals, only. */
interface TallyRule {
  readonly op: 'sum' | 'max' | 'min';
  /** Absent: 1, which counts. */
  readonly of?: Numeric;
  readonly status?: RunStatus;
  readonly isOriginal?: true;
}

const sum = (of: Numeric, status?: RunStatus): TallyRule => ({
  op: 'sum',
  of,
  status,
});
const count = (status: RunStatus): TallyRule => ({ op: 'sum', status });
const originals = (status: RunStatus): TallyRule => ({ op: 'sum', status, isOriginal: true });

export const TALLY_RULES: Readonly<Record<TallyField, TallyRule>> = {
  pending: count('pending'),
  running: count('running'),
  completed: count('completed'),
  failed: count('failed'),
  originalPending: originals('pending'),
  originalRunning: originals('running'),
  originalCompleted: originals('completed'),
  originalFailed: originals('failed'),
  seconds: sum('seconds'),
  completedSeconds: sum('seconds', 'completed'),
  evaluations: sum('evaluations'),
  cpuMicros: sum('cpuMicros'),
  gpuMicros: sum('gpuMicros'),
  checkMicros: sum('checkMicros'),
  bytesIn: sum('bytesIn'),
  bytesOut: sum('bytesOut'),
  peakBytes: sum('peakBytes'),
  largestPeakBytes: { op: 'max', of: 'peakBytes' },
  failedEvaluations: sum('evaluations', 'failed'),
  failedCpuMicros: sum('cpuMicros', 'failed'),
  failedGpuMicros: sum('gpuMicros', 'failed'),
  idleRuns: sum('idleRuns'),
  idleEvaluations: sum('idleEvaluations'),
  idleCpuMicros: sum('idleCpuMicros'),
  faultyRuns: sum('faultyRuns'),
  faultyEvaluations: sum('faultyEvaluations'),
  faultyCpuMicros: sum('faultyCpuMicros'),
  experimentRuns: sum('experimentRuns'),
  experimentEvaluations: sum('experimentEvaluations'),
  experimentCpuMicros: sum('experimentCpuMicros'),
  interpretedRuns: sum('interpretedRuns'),
  interpretedEvaluations: sum('interpretedEvaluations'),
  interpretedCpuMicros: sum('interpretedCpuMicros'),
  firstCreatedAt: { op: 'min', of: 'createdAt' },
  lastCompletedAt: { op: 'max', of: 'completedAt' },
};

export const TALLY_FIELDS = Object.keys(TALLY_RULES) as readonly TallyField[];

const EMPTY = Object.fromEntries(
  TALLY_FIELDS.map((field) => [field, TALLY_RULES[field].op === 'sum' ? 0 : null]),
) as unknown as RunTally;

export const emptyTally = (): RunTally => ({ ...EMPTY });

/** Tallies added up. Fields that none of them has stay as they are of no runs. */
export class TallySum {
  private readonly sums: Record<TallyField, number | null>;

  constructor() {
    this.sums = { ...EMPTY };
  }

  add(tally: Partial<RunTally>): void {
    for (const field of Object.keys(tally) as TallyField[]) {
      const value = tally[field];
      const sum = this.sums[field];
      if (value === null || value === undefined) continue;
      const { op } = TALLY_RULES[field];
      if (op === 'sum') this.sums[field] = (sum ?? 0) + value;
      else this.sums[field] = sum === null ? value : op === 'max' ? Math.max(sum, value) : Math.min(sum, value);
    }
  }

  /** Ends the use of this object. */
  result(): RunTally {
    return this.sums as RunTally;
  }
}

export function sumTallies(tallies: Iterable<Partial<RunTally>>): RunTally {
  const sum = new TallySum();
  for (const tally of tallies) sum.add(tally);
  return sum.result();
}

export const pickTally = <F extends TallyField>(tally: RunTally, fields: readonly F[]): Pick<RunTally, F> =>
  Object.fromEntries(fields.map((field) => [field, tally[field]])) as Pick<RunTally, F>;

export function tallyOf(facts: RunFacts): RunTally {
  const result = emptyTally() as Record<TallyField, number | null>;
  for (const field of TALLY_FIELDS) {
    const { of, status, isOriginal } = TALLY_RULES[field];
    if (status !== undefined && status !== facts.status) continue;
    if (isOriginal === true && facts.originId !== facts.id) continue;
    result[field] = of === undefined ? 1 : facts[of];
  }
  return result as RunTally;
}
