/** Level 2: why this strategy: what was found out about the problem, and what each agent voted. */
import type { Numbers } from '../common/phrase.js';
import type { Statement } from '../model/explanation.js';
import type { Finding } from '../model/program-structure.js';
import type { PlanningDecision, PlanningRecord, PlanningVote } from '../model/run-task.js';
import type { EndedRun } from './ended-run.js';
import { extentStatements } from './front.js';
import { join, quote, say, type Clause } from './say.js';

export function choiceStatements(run: EndedRun): Statement[] {
  const { planning, strategies, front } = run.ending;
  const { bounds, maxEvaluations, objectives = 1 } = run.request.task;
  const size = { dimensions: bounds.length, max_evaluations: maxEvaluations };
  const program = (run.ending.backend?.analysis?.findings ?? []).map(statementOf);
  if (planning === undefined) {
    const name = strategies.at(-1)?.name;
    const who =
      name === undefined
        ? 'No strategy got to work on'
        : run.request.task.strategy === undefined
          ? `${name}, the strategy of runs ${objectives > 1 ? 'of several objectives' : 'without agents'}, worked on`
          : `${name}, the strategy that the request asked for, worked on`;
    const template = `${who} {dimensions} dimensions with a budget of {max_evaluations} evaluations; nothing was probed and nobody voted.`;
    return [...program, say(2, 'choice', template, size), ...(front === undefined ? [] : extentStatements(front))];
  }
  const [first] = planning.decisions;
  const features = join([SIZE, ...landscape(planning)], '; ');
  const statements = [...program, say(2, 'features', `${features.template}.`, { ...size, ...features.evidence })];
  return first === undefined ? statements : [...statements, ...voteStatements(2, first)];
}

const SIZE: Clause = {
  template: 'The problem has {dimensions} dimensions and a budget of {max_evaluations} evaluations',
  evidence: {},
};

/** By the name of the finding; what has no words of its own is shown as it is. */
const FINDINGS: Readonly<Record<string, readonly [no: string, yes: string]>> = {
  isNoisy: ['a point evaluated twice has one value', 'a point evaluated twice had two values'],
  isSeparable: ['its coordinates act together', 'it is a sum of functions of single coordinates'],
  isFlat: ['', 'it has a plateau on which the gradient is zero'],
};
const MEASURES: Readonly<Record<string, string>> = {
  coarseRoughness: 'lines across the box have a roughness of {coarse_roughness}',
  bend: 'a parabola leaves {bend} of the variation along them',
  skew: 'their middle values lie at {skew} of the way from the lowest to the highest',
  spread: 'the values along them span {spread} decades',
  fineRoughness: 'lines close to the best probe have a roughness of {fine_roughness}',
};

function landscape({ landscape: found }: PlanningRecord): Clause[] {
  return Object.entries(found).flatMap(([name, value]): Clause[] => {
    if (value === null) return [];
    const key = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (typeof value === 'number')
      return [{ template: MEASURES[name] ?? `${key} is {${key}}`, evidence: { [key]: value } }];
    const words = FINDINGS[name] ?? [`${key}: no`, `${key}: yes`];
    const template = words[value ? 1 : 0];
    return template === '' ? [] : [{ template, evidence: {} }];
  });
}

/** Each agent's vote on that decision, a statement for each. */
export function voteStatements(level: number, { evaluations, votes }: PlanningDecision): Statement[] {
  const agents = [...new Set(votes.map(({ agent }) => agent))];
  return agents.map((agent) => {
    const said = join(alike(votes.filter((vote) => vote.agent === agent)).map(opinion), '; ');
    const template = `The ${agent} said after {decided_after} evaluations: ${said.template}.`;
    return say(level, 'votes', template, { decided_after: evaluations, ...said.evidence });
  });
}

type VotesAlike = readonly [PlanningVote, ...PlanningVote[]];

/** Votes of one agent, those that differ in the member alone together. */
function alike(votes: readonly PlanningVote[]): VotesAlike[] {
  const groups = new Map<string, [PlanningVote, ...PlanningVote[]]>();
  for (const vote of votes) {
    const { member: _, ...verdict } = vote;
    const key = JSON.stringify(verdict);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [vote]);
    else group.push(vote);
  }
  return [...groups.values()];
}

/** The numbers of a vote are named by the member, of several alike by the first, that it is about. */
function opinion([vote, ...others]: VotesAlike): Clause {
  const { member, points, reason, evidence = {}, prediction } = vote;
  const own = Object.entries({ ...evidence, ...prediction, ...(points === null ? {} : { points }) });
  const each = others.length === 0 ? '' : ' each';
  const verdict = points === null ? `a veto${each}` : `{${member}.points} points${each}`;
  const members = [member, ...others.map((other) => other.member)].join(', ').replace(/, ([^,]*)$/, ' and $1');
  const expected =
    prediction === undefined
      ? ''
      : `, expected to gain {${member}.gain} decades ({${member}.low} to {${member}.high}) in {${member}.evaluations} evaluations`;
  return {
    template: `${members} ${verdict} (${quote(reason)}${expected})`,
    evidence: Object.fromEntries(own.map(([name, value]) => [`${member}.${name}`, value])),
  };
}

/** A finding in the program, with the lines that it was found in. */
function statementOf({ text, lines }: Finding): Statement {
  const evidence: Record<string, number> = {};
  const sentence = quote(text).replaceAll(/\d+/g, (digits) => {
    const name = `number_${Object.keys(evidence).length + 1}`;
    evidence[name] = Number(digits);
    return `{${name}}`;
  });
  const cited = lines.map((line, k) => [`line_${k + 1}`, line] as const);
  const places = cited.map(([name]) => `{${name}}`).join(', ');
  const where = cited.length === 0 ? '' : ` (${cited.length === 1 ? 'line' : 'lines'} ${places})`;
  const numbers: Numbers = { ...evidence, ...Object.fromEntries(cited) };
  return say(2, 'program', sentence.replace(/\.$/, `${where}.`), numbers);
}
