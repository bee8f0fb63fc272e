/**
 * Level 5: the decision log with every agent's evidence, what the rejected alternatives were expected to gain, the
 * robustness of the best point, how to get the same run again.
 */
import type { Experiment } from '../model/experiment.js';
import type { Statement } from '../model/explanation.js';
import type { PlanningDecision } from '../model/run-task.js';
import { voteStatements } from './choice.js';
import type { EndedRun } from './ended-run.js';
import { changesOfAll } from './front.js';
import { measured } from './importance.js';
import { join, listed, say, type Clause } from './say.js';

export function decisionStatements(run: EndedRun): Statement[] {
  const { planning, experiment } = run.ending;
  return [
    ...(planning?.decisions ?? []).flatMap((decision, k) => [
      decided(decision),
      // Those of the first decision are what level 2 says.
      ...(k === 0 ? [] : voteStatements(5, decision)),
      ...alternatives(decision),
    ]),
    ...robustness(experiment),
    reproduction(run),
  ];
}

interface Standing {
  readonly member: string;
  /** Points from all agents; null: one of them had a veto. */
  readonly points: number | null;
  readonly prediction: PlanningDecision['votes'][number]['prediction'];
}

function standings({ votes }: PlanningDecision): Standing[] {
  return [...new Set(votes.map(({ member }) => member))].map((member) => {
    const own = votes.filter((vote) => vote.member === member);
    const isVetoed = own.some(({ points }) => points === null);
    return {
      member,
      points: isVetoed ? null : own.reduce((sum, { points }) => sum + (points ?? 0), 0),
      prediction: own.find(({ prediction }) => prediction !== undefined)?.prediction,
    };
  });
}

function decided(decision: PlanningDecision): Statement {
  const points = standings(decision).find(({ member }) => member === decision.chosen)?.points ?? 0;
  const template = `After {decided_after:evaluation|evaluations} ${decision.chosen} was chosen, with {points:point|points} of all agents.`;
  return say(5, 'decision', template, { decided_after: decision.evaluations, points });
}

/** The predicted regret of an alternative: what the one chosen was expected to gain more, in decades. */
function alternatives(decision: PlanningDecision): Statement[] {
  const all = standings(decision);
  const chosen = all.find(({ member }) => member === decision.chosen);
  const others = all.filter(({ member }) => member !== decision.chosen);
  if (others.length === 0) return [];
  const alone = ({ points, prediction }: Standing): boolean => points !== null || prediction !== undefined;
  const vetoed = others.filter((other) => !alone(other)).map(({ member }) => member);
  const said = [
    ...others.filter(alone).map((other) => alternative(other, chosen?.prediction)),
    ...(vetoed.length === 0 ? [] : [{ template: `${listed(vetoed)}, ruled out`, evidence: {} }]),
  ];
  const { template, evidence } = join(said, '; ');
  const when = 'After {decided_after:evaluation|evaluations}';
  return [
    say(5, 'alternatives', `${when} these were not chosen: ${template}.`, {
      decided_after: decision.evaluations,
      ...evidence,
    }),
  ];
}

function alternative({ member, points, prediction }: Standing, chosen: Standing['prediction']): Clause {
  const verdict = points === null ? `${member}, ruled out` : `${member}, with {${member}.points:point|points}`;
  const counted = points === null ? {} : { [`${member}.points`]: points };
  if (prediction === undefined || chosen === undefined) return { template: verdict, evidence: counted };
  return {
    template: `${verdict}, predicted regret {${member}.regret:decade|decades} ({${member}.least..${member}.most})`,
    evidence: {
      ...counted,
      [`${member}.regret`]: chosen.gain - prediction.gain,
      [`${member}.least`]: chosen.low - prediction.high,
      [`${member}.most`]: chosen.high - prediction.low,
    },
  };
}

function robustness(experiment: Experiment | undefined): Statement[] {
  if (experiment === undefined || experiment.nearby.length === 0) return [];
  const { nearby, step, centreValue, several } = experiment;
  const points = nearby.length;
  const changes = nearby.flatMap((value) => (value === null ? [] : [value - centreValue])).filter(Number.isFinite);
  if (changes.length === 0) {
    return [
      say(
        5,
        'robustness',
        'All evaluations at {points:random point|random points} within {step:percent} of every range failed.',
        {
          points,
          step,
        },
      ),
    ];
  }
  const all = changesOfAll(experiment, several?.nearby ?? []);
  const failures = changes.length === points ? '' : '; {failed:evaluation|evaluations} failed';
  return [
    say(
      5,
      'robustness',
      `At {points:random point|random points} within {step:percent} of every range ${measured(experiment)} changes by ` +
        `{mean} on average, between {low} and {high}${all.template}${failures}.`,
      {
        points,
        step,
        mean: changes.reduce((sum, change) => sum + change / changes.length, 0),
        low: Math.min(...changes),
        high: Math.max(...changes),
        failed: points - changes.length,
        centre_value: centreValue,
        ...all.evidence,
      },
    ),
  ];
}

/** What may be promised of another run, by what is known of the objective. */
function repetition(ending: EndedRun['ending']): string {
  const { planning, experiment, backend } = ending;
  const { centreValue, repeatedValue = null } = experiment ?? { centreValue: 0 };
  const isNoisy = planning?.landscape.isNoisy === true || (repeatedValue !== null && repeatedValue !== centreValue);
  if (isNoisy) return 'need not give the same run, as the objective gave two values at one point';
  // CPython was asked: what the objective keeps, draws or reads elsewhere is its own.
  return backend?.sharing === undefined
    ? 'gives the same run in every bit'
    : 'gives the same run in every bit if the objective gives the same values again';
}

function reproduction({ request, ending }: EndedRun): Statement {
  const { task, pythonMinor, math = 'exact', precision = 'f64' } = request;
  const learned = request.learned === undefined ? 'nothing learned' : 'learned version {learned_version}';
  const same = `The same request with seed {seed:plain} and ${learned}`;
  const single = precision === 'f32' ? ', single precision on the same device' : '';
  const how = `${math} mathematics${single} and the semantics of Python {python_major}.{python_minor}`;
  const template = `${same} ${repetition(ending)}, with {evaluations:evaluation|evaluations}, ${how}.`;
  return say(5, 'reproduction', template, {
    seed: task.seed,
    learned_version: request.learned?.version ?? 0,
    evaluations: ending.evaluations,
    python_major: 3,
    python_minor: pythonMinor,
  });
}
