/** Level 3: the course of the run: phases, shares of the budget, convergence. */
import type { Statement } from '../model/explanation.js';
import { quote, say } from './say.js';
import { tradeOffStatements } from './front.js';
import type { EndedRun } from './ended-run.js';

export function courseStatements(run: EndedRun): Statement[] {
  const { front } = run.ending;
  const isMaximized = run.request.task.direction === 'maximize';
  const tradeOffs = front === undefined ? [] : tradeOffStatements(front, isMaximized);
  return [...phases(run), ...shares(run), ...convergence(run), ...tradeOffs, ...failures(run)];
}

/** Name of the quantity that the course calls `bestFitness`. */
const measureOf = ({ request: { task } }: EndedRun): string => ((task.objectives ?? 1) > 1 ? 'hypervolume' : 'value');

function phases({ ending: { strategies }, request: { task } }: EndedRun): Statement[] {
  return strategies.map(({ name, reason, evidence = {}, fromEvaluation, toEvaluation, bestFitness }, k) => {
    const what =
      k === 0 ? `The run began with ${name}` : `After {from_evaluation:evaluation|evaluations} ${name} took over`;
    const best = bestFitness === null ? 'no finite value was known' : 'the best value was {best_fitness}';
    const until =
      (task.objectives ?? 1) > 1 ? 'it went on to evaluation {to_evaluation}' : `by evaluation {to_evaluation} ${best}`;
    return say(3, 'phase', `${what} (${quote(reason)}); ${until}.`, {
      ...evidence,
      from_evaluation: fromEvaluation,
      to_evaluation: toEvaluation,
      ...(bestFitness === null ? {} : { best_fitness: bestFitness }),
    });
  });
}

function shares({ ending, request: { task } }: EndedRun): Statement[] {
  const spent = new Map<string, number>();
  for (const { name, fromEvaluation, toEvaluation } of ending.strategies) {
    spent.set(name, (spent.get(name) ?? 0) + toEvaluation - fromEvaluation);
  }
  if (ending.experiment !== undefined) spent.set('the experiment around the best point', ending.experiment.evaluations);
  const { maxEvaluations } = task;
  return [...spent].map(([name, evaluations]) =>
    say(3, 'share', `{evaluations} of the {max_evaluations:evaluation|evaluations} went to ${name}, {share:percent}.`, {
      evaluations,
      max_evaluations: maxEvaluations,
      share: evaluations / maxEvaluations,
    }),
  );
}

function convergence(run: EndedRun): Statement[] {
  const { convergence: course, evaluations } = run.ending;
  if (course === undefined) return [];
  const measure = measureOf(run);
  const { first, milestones, lastImprovement } = course;
  return [
    say(3, 'convergence', `The first finite ${measure} was {best_fitness}, at evaluation {evaluation}.`, {
      best_fitness: first.bestFitness,
      evaluation: first.evaluations,
    }),
    ...milestones.map(({ share, evaluations: evaluation, bestFitness }) =>
      say(
        3,
        'convergence',
        `{share:percent} of the whole improvement was made by evaluation {evaluation}, at the ${measure} {best_fitness}.`,
        {
          share,
          evaluation,
          best_fitness: bestFitness,
        },
      ),
    ),
    say(3, 'convergence', 'The last improvement came at evaluation {evaluation} of {evaluations}.', {
      evaluation: lastImprovement,
      evaluations,
    }),
  ];
}

function failures({ ending: { failedEvaluations, evaluations } }: EndedRun): Statement[] {
  if (failedEvaluations === 0) return [];
  const template = '{failed_evaluations} of {evaluations:evaluation|evaluations} failed and counted as infinitely bad.';
  return [say(3, 'failures', template, { failed_evaluations: failedEvaluations, evaluations })];
}
