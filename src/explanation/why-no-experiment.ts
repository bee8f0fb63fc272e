/** Why a run has no experiment around its best point, or not all that pictures need of it. */
import { askedLevel } from './asked-level.js';
import type { EndedRun } from './ended-run.js';

const LEVEL_WITH_EXPERIMENT = 4;

export function whyNoExperiment(run: EndedRun): string {
  const { terminationReason, bestFitness, front } = run.ending;
  const { task, extension } = run.request;
  const asked = askedLevel(run);
  if (asked < LEVEL_WITH_EXPERIMENT) {
    return `only explanations of level 4 and 5 make an experiment around the best point; this one has level ${asked}`;
  }
  if (terminationReason === 'cancelled' || terminationReason === 'timeout' || terminationReason === 'error') {
    return `the run ended before the experiment around its best point (${terminationReason})`;
  }
  if (bestFitness === null && front === undefined) return 'no finite value was found to look around';
  if (task.explanationLevel === undefined) return 'this run was carried out by an earlier version of the service';
  if (extension !== undefined) return 'what was added to the budget left no room for an experiment';
  return (
    `a tenth of its ${task.maxEvaluations} evaluations is too little to look at each of its ` +
    `${task.bounds.length} dimensions`
  );
}

/** `what`: that the experiment did not measure, for pictures. */
export function whyNotMeasured(run: EndedRun, what: string): string {
  const { ending, request } = run;
  const { objectives = 1, isPictured, maxEvaluations } = request.task;
  if (objectives > 1) return `it shows one objective, and there are ${objectives}`;
  if (ending.experiment === undefined) return whyNoExperiment(run);
  if (isPictured !== true) {
    return `${what} are measured where \`use_visual_intelligence\` is on; of this run they were not`;
  }
  return `a tenth of its ${maxEvaluations} evaluations is too little for ${what}`;
}
