/**
 * Problems in a worker thread: solves one, draws one. Loaded by the first of them, because most threads never see one.
 * Failures are data, as everywhere in the protocol.
 */
import { checkedAgain } from '../domains/configs.js';
import { Interrupted } from '../domains/problem-type.js';
import { solveProblem, type SolvedProblem, type UnsolvedProblem } from '../domains/solve-problem.js';
import { ImprovementHistory } from '../engine/history.js';
import type { RunEnding } from '../model/run-record.js';
import type { RunProgress } from '../model/run-task.js';
import { GaugeWriter } from './gauges.js';
import { openContext } from './problem-context.js';
import { ThreadMeter } from './thread-meter.js';
import {
  CONTROL_CELLS,
  Control,
  failureOf,
  type PictureJob,
  type ProblemJob,
  type RunReport,
  type SolveResult,
} from './worker-protocol.js';

const REPORT_INTERVAL_MS = 1_000;
/** Backend in the record of a run that solves a problem. */
const BEGUN_BACKEND = 'solver';

export async function solve({ task, source, control, reports, gauges }: ProblemJob): Promise<SolveResult> {
  const meter = new ThreadMeter();
  if (gauges !== undefined) new GaugeWriter(gauges);
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  const { timeoutSeconds = Infinity, seed, maxEvaluations, mode } = task;
  const wanted = (): number => Atomics.load(control, CONTROL_CELLS.Control);
  const isStopped = (): boolean => Atomics.load(control, CONTROL_CELLS.Stop) !== 0;
  const isOver = (): boolean => wanted() !== Control.GoOn || seconds() >= timeoutSeconds || isStopped();
  const history = new ImprovementHistory();
  let reportedAt = startedAt;
  const begun = { strategy: source.problem.problemType, backend: BEGUN_BACKEND };
  const context = openContext({
    seed,
    maxEvaluations,
    mode,
    isOver,
    stop: control.subarray(CONTROL_CELLS.Stop, CONTROL_CELLS.Stop + 1),
    improved: (evaluations, bestFitness, bestSolution) => {
      history.add({ evaluations, bestFitness, elapsedSeconds: seconds() });
      if (performance.now() - reportedAt < REPORT_INTERVAL_MS) return;
      reportedAt = performance.now();
      const progress: RunProgress = { evaluations, bestFitness, bestSolution, elapsedSeconds: seconds() };
      reports.postMessage({ progress, begun, usage: meter.usage(), changes: [] } satisfies RunReport);
    },
  });
  try {
    const outcome = await solveProblem(checkedAgain(source.problem, source.config), context, seconds);
    if (wanted() === Control.Suspend) return { kind: 'suspended', report: null, usage: meter.usage() };
    const isCancelled = wanted() === Control.Cancel;
    const ending = 'error' in outcome ? unsolved(outcome, seconds()) : solved(outcome, seconds(), isCancelled);
    if (!('error' in outcome)) {
      const { evaluations, bestFitness } = outcome;
      const last = history.toArray().at(-1);
      if (last?.bestFitness !== bestFitness) history.add({ evaluations, bestFitness, elapsedSeconds: seconds() });
    }
    return { kind: 'solved', ending, history: history.toArray(), begun, usage: meter.usage() };
  } catch (error) {
    if (error instanceof Interrupted) {
      if (wanted() === Control.Suspend) return { kind: 'suspended', report: null, usage: meter.usage() };
      return { kind: 'unbegun', why: wanted() === Control.Cancel ? 'cancelled' : 'timeout', usage: meter.usage() };
    }
    return { ...failureOf(error), usage: meter.usage() };
  } finally {
    await context.close();
    reports.close();
  }
}

const NOTHING_FAILED = { failedEvaluations: 0, failures: [], backend: null } as const;

function solved(outcome: SolvedProblem, durationSeconds: number, isCancelled: boolean): Omit<RunEnding, 'usage'> {
  const { bestSolution, bestFitness, evaluations, method, reason, termination, answer } = outcome;
  const { status, bound, gap, proof } = answer.optimality;
  return {
    ...NOTHING_FAILED,
    terminationReason: isCancelled ? 'cancelled' : termination,
    bestSolution,
    bestFitness,
    evaluations,
    durationSeconds,
    strategies: [{ name: method, reason, fromEvaluation: 0, toEvaluation: evaluations, bestFitness }],
    optimality: { status, bound, gap, proof },
    answer,
  };
}

const unsolved = ({ error }: UnsolvedProblem, durationSeconds: number): Omit<RunEnding, 'usage'> => ({
  ...NOTHING_FAILED,
  terminationReason: 'error',
  bestSolution: null,
  bestFitness: null,
  evaluations: 0,
  durationSeconds,
  strategies: [],
  error,
});

/** SVG; null: this answer has no such picture. */
export function draw({ source, answer, kind }: PictureJob): string | null {
  const { model, config } = checkedAgain(source.problem, source.config);
  return model.pictures[kind]?.(config, answer) ?? null;
}
