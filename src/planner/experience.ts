/**
 * From what was learned to advice: which runs were of similar problems, and who should lead this one. A bandit's
 * choice: of the leaders that come into question the one whose cost may be lowest, given what similar runs took with it
 * and how often it was tried (lower confidence bounds). Nothing here is random.
 *
 * The expectation of a leader before it was tried comes from runs in which others led, too: all members search in them,
 * so they tell how many evaluations of each it took to find what was found (`advantage`).
 */
import { problemDistance } from '../analysis/problem-distance.js';
import { exp, log, power } from '../common/float.js';
import { COLUMN, featureRow, KNOWLEDGE_COLUMNS, type ProblemFeatures } from '../model/learning.js';
import { portfolio } from '../strategies/lists.js';
import type { Membership } from '../strategies/search/search-kind.js';
import { isRough } from './agents/landscape-analyst.js';
import { priorOf, type Prior } from './federated-prior.js';
import type { Guide } from './panel.js';
import { COMPARED, LEADERS, type Leader } from './leaders.js';
import { COST_POWER, LEAST_ROUGH } from './problem-classes.js';

/** A run that counts for less is of another kind of problem. */
const LEAST_WEIGHT = 1e-3;
/** Similar runs below which nothing is advised: problems of several basins look alike more often than they are. */
const LEAST_RUNS = { oneBasin: 3, several: 6 };
/** How much a leader is given credit for being little known, in standard deviations of the logarithm of costs. */
const OPTIMISM = 0.4;
const LEAST_DEVIATION = 0.3;
/**
 * Runs that what is expected of a leader beforehand counts for: where members were compared, and where nothing is
 * known.
 */
const COMPARED_RUNS = 4;
/** Share of what the comparison says that is believed: members live on what others found. */
const BELIEVED = 0.75;
const PRIOR_RUNS = 1;
/**
 * Similar problems have one basin where the first descent found what was to be found in more than this share of runs.
 */
const ONE_BASIN = 0.5;
/** Logarithms of costs beyond which members are not told apart. */
const MAX_ADVANTAGE = 1.5;
/** Share of the budget that similar problems took from which they may be worth a larger population from the first. */
const LONG = 0.2;
/**
 * In shares of what similar problems took: how long the panel decides alone first, since a problem that only looks like
 * them may be easy, and how long a leader leads.
 */
const SHARES = { oneBasin: { alone: 0.1, lead: 2 }, several: { alone: 0.3, lead: 1 } };
/** As `lead`, for one that was not tried yet. */
const TRIAL = 1;

type Compared = (typeof COMPARED)[number];

const namesOf = (is: (member: Membership) => boolean): ReadonlySet<string> =>
  new Set(portfolio.filter(({ asMember }) => is(asMember)).map(({ name }) => name));

const POPULATIONS = namesOf(({ family }) => family === 'population');
/** Who descends once, from the best point so far. */
const FIRST_DESCENTS = namesOf(({ family, role }) => family === 'gradient' && role === 'once');
const GRADIENTS = namesOf(({ family }) => family === 'gradient');
const DESCENTS = COMPARED.filter((name) => GRADIENTS.has(name));

/** Sums over runs of similar problems, each weighted by its similarity. */
interface Experience {
  weight: number;
  /** Logarithms of costs, less those of the dimensions' share. */
  sum: number;
  squares: number;
  /** Logarithms of the share of the budget. */
  shares: number;
  /** By leader. */
  readonly tried: { weight: number; sum: number }[];
  /** Cost of runs without a leader, per n^COST_POWER. */
  cost: number;
  /** By member of `COMPARED`, where it searched as it does without advice: evaluations per n^COST_POWER, successes. */
  readonly efforts: number[];
  readonly successes: number[];
  /** Runs in which the first descent, or a model that it left behind, found what was to be found. */
  oneBasin: number;
}

/** Null: too little is known. `table`: see `Knowledge`. */
export function guideFor(table: Float64Array, features: ProblemFeatures): Guide | null {
  const prior = priorOf(table, features);
  const known = experienceOf(table, features);
  const { weight, sum, squares, tried } = known;
  const least = hasOneBasin(known) ? LEAST_RUNS.oneBasin : LEAST_RUNS.several;
  if (weight < least) return prior === null ? null : guideByPrior(prior, features);
  const mean = sum / weight;
  const deviation = Math.max(LEAST_DEVIATION, Math.sqrt(Math.max(0, squares / weight - mean * mean)));
  const alone = tried[0];
  const unadvised = (alone.sum + PRIOR_RUNS * mean) / (alone.weight + PRIOR_RUNS);
  let best = { leader: 0, bound: Infinity, tries: 0, expected: mean };
  LEADERS.forEach((leader, k) => {
    const { weight: tries, sum: costs } = tried[k];
    if (leader !== null && k !== prior?.best && !comesIntoQuestion(leader, features, known)) return;
    const group = leader === null ? null : groupOf(leader);
    const elsewhere = leader === null ? null : (prior?.leaders[k] ?? null);
    const { before, beforehand } = beforehandOf(
      group === null
        ? { runs: PRIOR_RUNS, cost: leader === null ? unadvised : mean }
        : { runs: COMPARED_RUNS, cost: unadvised + advantage(group, known) },
      elsewhere === null ? null : { runs: elsewhere.runs, cost: unadvised + elsewhere.advantage },
    );
    const expected = (costs + beforehand * before) / (tries + beforehand);
    const bound = expected - OPTIMISM * deviation * Math.sqrt(log(1 + weight) / (tries + beforehand));
    if (bound < best.bound) best = { leader: k, bound, tries, expected };
  });
  const usual = exp(best.expected + COST_POWER * log(features.dimensions));
  const { alone: apart, lead } = hasOneBasin(known) ? SHARES.oneBasin : SHARES.several;
  return {
    leader: best.leader,
    evaluations: Math.ceil((best.tries < 0.5 ? TRIAL : lead) * usual),
    after: Math.floor(apart * usual),
    runs: weight,
  };
}

/** Where the account knows too little itself. Null: nobody is to be followed. */
function guideByPrior({ best, weight, logCost }: Prior, { dimensions }: ProblemFeatures): Guide | null {
  const leader = LEADERS[best];
  if (leader === null || leader === undefined) return null;
  const usual = exp(logCost + COST_POWER * log(dimensions));
  const isForOneBasin = leader.startSize !== undefined || leader.usesArchive === true;
  const { alone, lead } = isForOneBasin ? SHARES.oneBasin : SHARES.several;
  return {
    leader: best,
    evaluations: Math.ceil(lead * usual),
    after: Math.floor(alone * usual),
    runs: weight,
    isFromElsewhere: true,
  };
}

interface Expected {
  readonly runs: number;
  readonly cost: number;
}

/** Expectation of a leader beforehand, from the account's own runs and from those of other deployments. */
function beforehandOf(own: Expected, elsewhere: Expected | null): { before: number; beforehand: number } {
  if (elsewhere === null) return { before: own.cost, beforehand: own.runs };
  const beforehand = own.runs + elsewhere.runs;
  return { before: (own.runs * own.cost + elsewhere.runs * elsewhere.cost) / beforehand, beforehand };
}

/**
 * Members that tell how a leader would do: descents from anywhere, or a population alone (with the descents from what
 * it found it would be given credit where they find what it does not). Null: none does, because it searches otherwise
 * than it does without advice.
 */
function groupOf({ member, and, startSize, usesArchive }: Leader): readonly Compared[] | null {
  if (startSize !== undefined || usesArchive === true) return null;
  if (POPULATIONS.has(member)) return COMPARED.filter((name) => name === member);
  return and === undefined ? null : DESCENTS;
}

function experienceOf(table: Float64Array, features: ProblemFeatures): Experience {
  const own = featureRow(features);
  const known: Experience = {
    weight: 0,
    sum: 0,
    squares: 0,
    shares: 0,
    tried: LEADERS.map(() => ({ weight: 0, sum: 0 })),
    cost: 0,
    efforts: COMPARED.map(() => 0),
    successes: COMPARED.map(() => 0),
    oneBasin: 0,
  };
  for (let at = 0; at + KNOWLEDGE_COLUMNS <= table.length; at += KNOWLEDGE_COLUMNS) {
    const row = table.subarray(at, at + KNOWLEDGE_COLUMNS);
    const distance = problemDistance(own, row);
    const w = exp(-0.5 * distance * distance);
    const leader = known.tried[row[COLUMN.leader]];
    const led = LEADERS[row[COLUMN.leader]];
    if (w < LEAST_WEIGHT || leader === undefined || led === undefined) continue;
    const share = power(row[COLUMN.dimensions], COST_POWER);
    const cost = Math.max(1, row[COLUMN.cost]);
    const logCost = log(cost / share);
    known.weight += w;
    known.sum += w * logCost;
    known.squares += w * logCost * logCost;
    known.shares += w * log(cost / row[COLUMN.maxEvaluations]);
    leader.weight += w;
    leader.sum += w * logCost;
    if (row[COLUMN.leader] === 0) known.cost += (w * cost) / share;
    const winner = LEADERS[row[COLUMN.winner]]?.member;
    const isOfOneBasin =
      winner !== undefined && (FIRST_DESCENTS.has(winner) || (POPULATIONS.has(winner) && led?.usesArchive === true));
    if (isOfOneBasin && cost <= row[COLUMN.maxEvaluations]) known.oneBasin += w;
    COMPARED.forEach((name, k) => {
      const effort = row[COLUMN.effort + k];
      if (Number.isNaN(effort) || (led?.member === name && groupOf(led) === null)) return;
      known.efforts[k] += (w * effort) / share;
      if (name === winner && cost <= row[COLUMN.maxEvaluations]) known.successes[k] += w;
    });
  }
  return known;
}

/**
 * Logarithm of what runs may cost in which the member alone searches, less that of runs without advice: where it finds
 * what is to be found at a constant rate, they take as many evaluations as it needed for each success. 0 where nothing
 * is known.
 */
function advantage(group: readonly Compared[], { tried, cost, efforts, successes }: Experience): number {
  const runs = tried[0].weight;
  if (!(runs > 0)) return 0;
  const usual = cost / runs;
  const of = (values: readonly number[]): number =>
    COMPARED.reduce((sum, name, k) => sum + (group.includes(name) ? values[k] : 0), 0);
  const alone = (of(efforts) + PRIOR_RUNS * usual) / (of(successes) + PRIOR_RUNS);
  return BELIEVED * Math.max(-MAX_ADVANTAGE, Math.min(MAX_ADVANTAGE, log(alone / usual)));
}

const hasOneBasin = ({ oneBasin, weight }: Experience): boolean => oneBasin / weight > ONE_BASIN;

/** Whether there is a reason to try it. */
function comesIntoQuestion(leader: Leader, features: ProblemFeatures, known: Experience): boolean {
  const { isNoisy, coarseRoughness, fineRoughness } = features;
  const { member, and, doublings, startSize, usesArchive } = leader;
  if (isNoisy) return POPULATIONS.has(member) && doublings === 0 && usesArchive !== true;
  if (startSize !== undefined) return hasOneBasin(known) && !isRough({ coarseRoughness, fineRoughness });
  if (usesArchive === true) return hasOneBasin(known) && (coarseRoughness ?? 0) <= LEAST_ROUGH;
  if (hasOneBasin(known)) return false;
  if (and !== undefined) return true;
  return POPULATIONS.has(member) && (doublings === 0 || (doublings === 2 && known.shares / known.weight > log(LONG)));
}
