/** The lesson of a run, from its outcome. */
import { log } from '../common/float.js';
import { type Lesson, type MemberLesson, type ProblemFeatures } from '../model/learning.js';
import type { HistoryPoint, PlanningRecord, RunOutcome, RunTask } from '../model/run-task.js';
import { LEADERS } from '../planner/leaders.js';

/** A value is as good as the last one when it lacks no more than this share of the whole improvement. */
const AS_GOOD = 1e-6;
/** Where a target was not reached: as if that had taken so many times the budget. */
const UNREACHED = 2;
const MAX_DECADES = 8;
/** Solutions of more variables are not kept: lessons are many. */
const MAX_KEPT_DIMENSION = 128;
const PROBES = 'probes';

type Ended = Pick<
  RunOutcome,
  'terminationReason' | 'bestFitness' | 'bestSolution' | 'evaluations' | 'strategies' | 'planning' | 'experiment'
>;

/**
 * Null: the run did not end by itself, or found nothing, and teaches nothing.
 *
 * @param shape of the run's program (`FunctionRecord.shape`); absent: not known
 */
export function lessonOf(
  runId: string,
  task: RunTask,
  ending: Ended,
  history: readonly HistoryPoint[],
  shape?: string,
): Lesson | null {
  const { terminationReason: reason, bestFitness, bestSolution, strategies, planning } = ending;
  const last = strategies.at(-1);
  if (reason === 'cancelled' || reason === 'error' || bestFitness === null || last === undefined) return null;
  const isReached = reason === 'target' || reason === 'optimal';
  const good = isReached ? ending.evaluations : evaluationsToEnd(history, bestFitness);
  const winner = strategies.find(({ name, toEvaluation }) => name !== PROBES && toEvaluation >= good)?.name ?? null;
  const isMissed = !isReached && task.targetFitness !== undefined;
  return {
    runId,
    strategy: planning === undefined ? last.name : 'planner',
    features: planning === undefined ? null : featuresOf(task, planning),
    leader: planning?.leader ?? 0,
    winner,
    cost: isMissed ? UNREACHED * task.maxEvaluations : good,
    members: membersOf(ending, history, good),
    bestFitness,
    found:
      shape === undefined ||
      task.objectives !== undefined ||
      bestSolution === null ||
      bestSolution.length > MAX_KEPT_DIMENSION
        ? undefined
        : { shape, direction: task.direction, solution: bestSolution },
    isRepeat: planning?.starts === undefined ? undefined : true,
  };
}

/** Evaluations by which the best value was as good as at the end. */
function evaluationsToEnd(history: readonly HistoryPoint[], bestFitness: number): number {
  const first = history[0]?.bestFitness ?? bestFitness;
  const whole = Math.abs(bestFitness / 2 - first / 2);
  const found = history.find((point) => Math.abs(point.bestFitness / 2 - bestFitness / 2) <= AS_GOOD * whole);
  return found?.evaluations ?? 1;
}

/** Null where the probes looked at nothing, and nobody read the program. */
function featuresOf(
  { bounds, maxEvaluations }: RunTask,
  { landscape, program }: PlanningRecord,
): ProblemFeatures | null {
  const number = (name: string): number | null => {
    const value = landscape[name];
    return typeof value === 'number' ? value : null;
  };
  const isSeparable = landscape['isSeparable'];
  const isNoisy = landscape['isNoisy'] === true;
  if (typeof isSeparable !== 'boolean' && !isNoisy && program === undefined) return null;
  return {
    dimensions: bounds.length,
    maxEvaluations,
    isNoisy,
    isSeparable: typeof isSeparable === 'boolean' ? isSeparable : null,
    coarseRoughness: number('coarseRoughness'),
    fineRoughness: number('fineRoughness'),
    bend: number('bend'),
    skew: number('skew'),
    spread: number('spread'),
    program,
  };
}

/**
 * Evaluations and gain of each member, its spans together; the best value was as good as at the end after `good`
 * evaluations.
 */
function membersOf({ strategies }: Ended, history: readonly HistoryPoint[], good: number): MemberLesson[] {
  const last = history.at(-1)?.bestFitness ?? 0;
  const first = history[0]?.bestFitness ?? last;
  const scale = Math.abs(last / 2 - first / 2);
  const lack = (value: number | null): number => {
    if (value === null || !(scale > 0)) return 1;
    return Math.max(1e-8, Math.min(1, Math.abs(value / 2 - last / 2) / scale));
  };
  const members = new Map<string, Required<MemberLesson>>();
  let before = 1;
  for (const { name, fromEvaluation, toEvaluation, bestFitness } of strategies) {
    const after = Math.min(before, lack(bestFitness));
    const gain = Math.min(MAX_DECADES, log(before / after) / log(10));
    const own = members.get(name) ?? { name, evaluations: 0, gain: 0, effort: 0 };
    members.set(name, {
      name,
      evaluations: own.evaluations + toEvaluation - fromEvaluation,
      gain: own.gain + gain,
      effort: own.effort + Math.max(0, Math.min(toEvaluation, good) - fromEvaluation),
    });
    before = after;
  }
  return [...members.values()];
}

/** Place of the first leader of that name; 0: there is none. */
export const leaderNamed = (name: string | null): number =>
  Math.max(
    0,
    LEADERS.findIndex((leader) => leader !== null && leader.member === name),
  );
