/** Level 1: the result, who found it, why the run stopped. */
import type { Experiment } from '../model/experiment.js';
import type { Statement } from '../model/explanation.js';
import type { EndedRun } from './ended-run.js';
import { frontClause } from './front.js';
import { say, type Clause } from './say.js';

export function resultStatement(run: EndedRun): Statement {
  const { bestFitness, evaluations, strategies, planning, optimality, terminationReason } = run.ending;
  const last = strategies.at(-1)?.name;
  const by = last === undefined ? '' : planning === undefined ? ` by ${last}` : ` by the planner, at last with ${last}`;
  const why = ended(run);
  const { front } = run.ending;
  if (front !== undefined) {
    const said = frontClause(front);
    return say(1, 'result', `${said.template}, after {evaluations:evaluation|evaluations}${by}: ${why.template}.`, {
      ...said.evidence,
      evaluations,
      ...why.evidence,
    });
  }
  const bound = optimality?.bound ?? null;
  const limited = limitOf(run.request.task);
  const limit = bound === null || terminationReason === 'optimal' ? '' : ` No value is better than ${limited}.`;
  const { experiment } = run.ending;
  const late =
    experiment === undefined || experiment.centreValue === bestFitness ? '' : ' and the experiment at its end';
  const again = evaluatedAgain(experiment);
  return bestFitness === null
    ? say(1, 'result', `No finite value was found in {evaluations:evaluation|evaluations}${by}: ${why.template}.`, {
        evaluations,
        ...why.evidence,
      })
    : say(
        1,
        'result',
        `The best value found is {best_fitness}, after {evaluations:evaluation|evaluations}${by}${late}: ` +
          `${why.template}.${limit}${again.template}`,
        {
          best_fitness: bestFitness,
          evaluations,
          ...again.evidence,
          ...why.evidence,
          ...(bound === null ? {} : { bound }),
        },
      );
}

/** What the best point of the search gave the second time, where that was something else. */
function evaluatedAgain(experiment: Experiment | undefined): Clause {
  const { centreValue, repeatedValue } = experiment ?? { centreValue: 0, repeatedValue: null };
  if (repeatedValue === null || repeatedValue === centreValue) return { template: '', evidence: {} };
  return {
    template: ' The objective is noisy: the best point of the search, evaluated once more, gave {repeated_value}.',
    evidence: { repeated_value: repeatedValue },
  };
}

/** Of what no value is better than, rounded to the side on which that stays true. */
const limitOf = ({ direction }: EndedRun['request']['task']): string =>
  direction === 'maximize' ? '{bound:up}' : '{bound:down}';

function ended({ ending, request: { task } }: EndedRun): Clause {
  switch (ending.terminationReason) {
    case 'budget': {
      // An experiment at its end may take less than what was left for it.
      const unused = task.maxEvaluations - ending.evaluations;
      const butFor = unused > 0 ? ' but for {unused:evaluation|evaluations}' : '';
      return {
        template: `the budget of {max_evaluations:evaluation|evaluations} was used up${butFor}`,
        evidence: { max_evaluations: task.maxEvaluations, ...(unused > 0 ? { unused } : {}) },
      };
    }
    case 'target':
      return {
        template: 'the target {target_fitness} was reached',
        evidence: { target_fitness: task.targetFitness ?? NaN },
      };
    case 'optimal':
      return { template: `it is proven that no value is better than ${limitOf(task)}`, evidence: {} };
    case 'converged':
      return { template: 'the search had nothing left to gain', evidence: {} };
    case 'stagnated':
      return {
        template: 'there was no improvement for {stagnation_evaluations:evaluation|evaluations}',
        evidence: { stagnation_evaluations: task.stagnationEvaluations ?? NaN },
      };
    case 'timeout':
      return {
        template: 'the time of {timeout_seconds:second|seconds} was over',
        evidence: { timeout_seconds: task.timeoutSeconds ?? NaN },
      };
    case 'cancelled':
      return { template: 'the run was cancelled', evidence: {} };
    case 'error':
      return { template: 'an error ended the run', evidence: {} };
  }
}
