/** Level 2: why this strategy: what was found out about the problem, and what each agent voted. */
import type { Numbers } from '../common/phrase.js';
import type { Statement } from '../model/explanation.js';
import type { Finding } from '../model/program-structure.js';
import {
  PROBES,
  type PlanningDecision,
  type PlanningRecord,
  type PlanningVote,
  type RunTask,
} from '../model/run-task.js';
import type { EndedRun } from './ended-run.js';
import { extentStatements } from './front.js';
import { join, listed, quote, say, type Clause } from './say.js';

export function choiceStatements(run: EndedRun): Statement[] {
  const { planning, strategies, front } = run.ending;
  const { bounds, maxEvaluations } = run.request.task;
  const size = { dimensions: bounds.length, max_evaluations: maxEvaluations };
  const program = (run.ending.backend?.analysis?.findings ?? []).map(statementOf);
  if (planning === undefined) {
    const who = whoWorked(strategies.at(-1)?.name, run.request.task);
    const template = `${who} {dimensions:dimension|dimensions} with a budget of {max_evaluations:evaluation|evaluations}; nobody voted.`;
    return [...program, say(2, 'choice', template, size), ...(front === undefined ? [] : extentStatements(front))];
  }
  const [first] = planning.decisions;
  const features = join([SIZE, ...landscape(planning, bounds.length)], '; ');
  const statements = [...program, say(2, 'features', `${features.template}.`, { ...size, ...features.evidence })];
  return first === undefined ? statements : [...statements, ...voteStatements(2, first)];
}

function whoWorked(name: string | undefined, { strategy, objectives = 1 }: RunTask): string {
  if (name === undefined) return 'No strategy got to work on';
  if (name === PROBES) return 'The run ended with its probes of';
  if (strategy !== undefined) return `${name}, the strategy that the request asked for, worked on`;
  return `${name}, the strategy of runs ${objectives > 1 ? 'of several objectives' : 'without agents'}, worked on`;
}

const SIZE: Clause = {
  template:
    'The problem has {dimensions:dimension|dimensions} and a budget of {max_evaluations:evaluation|evaluations}',
  evidence: {},
};

/** Findings by name, as far as their being false or true says something. */
const FINDINGS: Readonly<Record<string, { readonly no?: string; readonly yes: string }>> = {
  isNoisy: { yes: 'a point evaluated twice had two values' },
  isSeparable: {
    no: 'it did not pass the test for a sum of functions of single coordinates',
    yes: 'it passed the test for a sum of functions of single coordinates',
  },
  isFlat: { yes: 'there is a point around which small steps along some coordinate changed nothing' },
};
const MEASURES: Readonly<Record<string, string>> = {
  coarseRoughness: 'lines across the box have a roughness of {coarse_roughness}',
  bend: 'a parabola leaves {bend:percent} of the variation along them',
  skew: 'their middle values lie at {skew:percent} of the way from the lowest to the highest',
  spread: 'the values along them span {spread:decade|decades}',
  fineRoughness: 'lines close to the best point by then have a roughness of {fine_roughness}',
};

/** The same where the program was read: by its gradients, not by small steps. */
const READ: Readonly<Record<string, string>> = { isFlat: 'there is a point where some slope is exactly zero' };

function landscape({ landscape: found, program }: PlanningRecord, dimensions: number): Clause[] {
  const clauses = Object.entries(found).flatMap(([name, value]): Clause[] => {
    if (value === null || (name === 'isSeparable' && dimensions === 1)) return [];
    const key = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (typeof value === 'number')
      return [{ template: MEASURES[name] ?? `${key} is {${key}}`, evidence: { [key]: value } }];
    const words = FINDINGS[name] ?? { no: `${key}: no`, yes: `${key}: yes` };
    const yes = program === undefined ? words.yes : (READ[name] ?? words.yes);
    const template = value ? yes : words.no;
    return template === undefined ? [] : [{ template, evidence: {} }];
  });
  return clauses.length > 0 ? clauses : [{ template: 'nothing else of it was probed', evidence: {} }];
}

/** What each agent voted on that decision, a statement for each that spoke for or against anything. */
export function voteStatements(level: number, { evaluations, votes }: PlanningDecision): Statement[] {
  const agents = [...new Set(votes.map(({ agent }) => agent))];
  return agents.flatMap((agent) => {
    const own = votes.filter((vote) => vote.agent === agent && vote.points !== 0);
    if (own.length === 0) return [];
    const [vetoes, given] = [own.filter(isVeto), own.filter((vote) => !isVeto(vote))];
    const acts = [
      ...(given.length === 0 ? [] : [join([opening('gave'), join(alike(given).map(opinion), '; ')], ' ')]),
      ...(vetoes.length === 0 ? [] : [join([opening('ruled out'), join(alike(vetoes).map(opinion), '; ')], ' ')]),
    ];
    const said = join(acts, '. It ');
    const when = 'After {decided_after:evaluation|evaluations}';
    const template = `${when} the ${agent} ${said.template}.`;
    return [say(level, 'votes', template, { decided_after: evaluations, ...said.evidence })];
  });
}

const isVeto = ({ points }: PlanningVote): boolean => points === null;
const opening = (template: string): Clause => ({ template, evidence: {} });

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
  const verdict = points === null ? '' : ` {${member}.points:point|points}${each}`;
  const expected =
    prediction === undefined
      ? ''
      : `, expected to gain {${member}.gain:decade|decades} ({${member}.low..${member}.high}) in ` +
        `{${member}.evaluations:evaluation|evaluations}`;
  return {
    template: `${listed([member, ...others.map((other) => other.member)])}${verdict} (${quote(reason)}${expected})`,
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
