/**
 * Bayesian optimal interval design: finds the dose whose probability of a dose-limiting toxicity (DLT) is nearest the
 * target, by comparing the share of patients with a DLT at the current dose with two boundaries.
 * Source: Liu and Yuan, "Bayesian optimal interval designs for phase I clinical trials", JRSS C 64 (2015), equations 2
 * and 3.
 */
import { z } from 'zod';
import { log } from '../../../common/float.js';
import { say } from '../../../explanation/say.js';
import { lineChart, type Series } from '../../charts/line-chart.js';
import { count, openShare } from '../../fields.js';
import { model } from '../../problem-type.js';
import { Binomial } from '../../solvers/distributions/binomial.js';
import { DECISION_SUPPORT } from '../decision-support.js';

export const LARGEST_TRIAL = 300;
/**
 * A dose is given up where it is too toxic with more than this posterior probability (uniform prior), from three
 * patients on.
 */
const ELIMINATION = 0.95;
const ELIMINATION_FROM = 3;

interface Config {
  readonly target_toxicity: number;
  readonly p_saf?: number | undefined;
  readonly p_tox?: number | undefined;
  readonly cohort_size: number;
  readonly max_n: number;
}

interface Rates {
  readonly safe: number;
  readonly target: number;
  readonly toxic: number;
}

const ratesOf = ({ target_toxicity: target, p_saf = 0.6 * target, p_tox = 1.4 * target }: Config): Rates => ({
  ...{ safe: p_saf, target, toxic: p_tox },
});

/** The share at which both rates are equally likely. */
const evenShare = (low: number, high: number): number =>
  log((1 - low) / (1 - high)) / log((high * (1 - low)) / (low * (1 - high)));

const boundariesOf = ({ safe, target, toxic }: Rates): { lambdaE: number; lambdaD: number } => ({
  lambdaE: evenShare(safe, target),
  lambdaD: evenShare(target, toxic),
});

/** Patients at one dose when a decision is made. */
const sizesOf = ({ cohort_size, max_n }: Config): number[] => {
  const cohorts = Math.ceil(max_n / cohort_size);
  return Array.from({ length: cohorts }, (_, i) => Math.min(max_n, (i + 1) * cohort_size));
};

type Row = {
  readonly n: number;
  readonly escalate_if_dlt_le: number;
  readonly deescalate_if_dlt_ge: number;
  readonly eliminate_if_dlt_ge: number | null;
  readonly incorrect_decision_probability: number;
};

/** Distributions of DLTs with the three rates. */
const distributionsOf = ({ safe, target, toxic }: Rates) => ({
  safe: new Binomial(safe),
  target: new Binomial(target),
  toxic: new Binomial(toxic),
});

/** Probability of a wrong decision, where the three rates are equally probable. */
function incorrect(dlts: ReturnType<typeof distributionsOf>, n: number, escalate: number, deescalate: number): number {
  const whenOnTarget = dlts.target.atMost(escalate, n) + dlts.target.above(deescalate - 1, n);
  const whenSafe = dlts.safe.above(escalate, n);
  const whenToxic = dlts.toxic.atMost(deescalate - 1, n);
  return (whenOnTarget + whenSafe + whenToxic) / 3;
}

/** P(rate > target | y of n) = P(at most y of n + 1 with the target rate), for a uniform prior. */
function eliminationOf(target: Binomial, n: number): number | null {
  if (n < ELIMINATION_FROM) return null;
  for (let y = 0; y <= n; y++) if (target.atMost(y, n + 1) > ELIMINATION) return y;
  return null;
}

function tableOf(config: Config): Row[] {
  const rates = ratesOf(config);
  const { lambdaE, lambdaD } = boundariesOf(rates);
  const dlts = distributionsOf(rates);
  return sizesOf(config).map((n) => {
    const escalate = Math.floor(lambdaE * n);
    const deescalate = Math.ceil(lambdaD * n);
    return {
      n,
      escalate_if_dlt_le: escalate,
      deescalate_if_dlt_ge: deescalate,
      eliminate_if_dlt_ge: eliminationOf(dlts.target, n),
      incorrect_decision_probability: incorrect(dlts, n, escalate, deescalate),
    };
  });
}

const CURVE_POINTS = 41;

type CurvePoint = {
  readonly toxicity: number;
  readonly n: number;
  readonly escalate: number;
  readonly stay: number;
  readonly deescalate: number;
};

/** Decisions by the true rate of the current dose, after n patients. */
function curveOf({ n, escalate_if_dlt_le, deescalate_if_dlt_ge }: Row, { target }: Rates): CurvePoint[] {
  const most = Math.min(1, 2.5 * target);
  return Array.from({ length: CURVE_POINTS }, (_, i) => {
    const toxicity = (most * i) / (CURVE_POINTS - 1);
    const dlts = new Binomial(toxicity);
    const escalate = dlts.atMost(escalate_if_dlt_le, n);
    const deescalate = dlts.above(deescalate_if_dlt_ge - 1, n);
    return { toxicity, n, escalate, stay: Math.max(0, 1 - escalate - deescalate), deescalate };
  });
}

export const boin = model({
  name: 'boin',
  summary: 'Bayesian optimal interval design: when to raise, keep or lower the dose.',
  fields: z.strictObject({
    target_toxicity: openShare('Probability of a dose-limiting toxicity at the dose that is sought'),
    p_saf: openShare('Highest toxicity that is too low: the dose should rise. Absent: 0.6 times the target').optional(),
    p_tox: openShare('Lowest toxicity that is too high: the dose should fall. Absent: 1.4 times the target').optional(),
    cohort_size: count('Patients between decisions', 1, LARGEST_TRIAL).default(3),
    max_n: count('Patients in all', 1, LARGEST_TRIAL).default(30),
  }),
  example: { model: 'boin', target_toxicity: 0.3, cohort_size: 3, max_n: 30 },

  check(config, complain) {
    const { safe, target, toxic } = ratesOf(config);
    if (safe >= target)
      return complain(['p_saf'], `\`{field}\` = ${safe} must be below \`config.target_toxicity\` = ${target}.`);
    if (toxic <= target)
      return complain(['p_tox'], `\`{field}\` = ${toxic} must be above \`config.target_toxicity\` = ${target}.`);
    if (toxic >= 1)
      return complain(
        ['p_tox'],
        `\`{field}\` is required: 1.4 times the target would be ${toxic}, which is no probability.`,
      );
    if (config.cohort_size > config.max_n) {
      complain(
        ['cohort_size'],
        `\`{field}\` = ${config.cohort_size} must be at most \`config.max_n\` = ${config.max_n}.`,
      );
    }
  },

  sense: () => 'minimize',

  solve(config) {
    const rates = ratesOf(config);
    const { lambdaE, lambdaD } = boundariesOf(rates);
    const table = tableOf(config);
    const curves = [table[0], table.at(-1)!].slice(0, table.length).flatMap((row) => curveOf(row, rates));
    const assumed = (['p_saf', 'p_tox'] as const).filter((field) => config[field] === undefined);
    return {
      method: 'closed_form',
      reason: 'the boundaries that make wrong decisions least probable are ratios of logarithms',
      bestSolution: [lambdaE, lambdaD],
      bestFitness: config.max_n,
      decisionVariables: ['lambda_e', 'lambda_d'],
      result: {
        lambda_e: lambdaE,
        lambda_d: lambdaD,
        p_saf: rates.safe,
        p_tox: rates.toxic,
        max_n: config.max_n,
        table,
        operating_characteristics: curves,
      },
      optimality: { status: 'optimal', bound: config.max_n, proof: 'closed_form' },
      evaluations: 1,
      warnings: [DECISION_SUPPORT],
      assumptions: [
        ...assumed.map((field) => ({
          code: 'default_assumed',
          field: `config.${field}`,
          message: `${field} is ${field === 'p_saf' ? 0.6 : 1.4} times the target.`,
        })),
        {
          code: 'elimination_rule',
          message: `A dose is given up where it is above the target with more than ${ELIMINATION} posterior probability (uniform prior).`,
        },
      ],
    };
  },

  verify(config, { bestSolution: [lambdaE = NaN, lambdaD = NaN], result }) {
    const rates = ratesOf(config);
    const { safe, target, toxic } = rates;
    // At a boundary the two rates are equally likely, whatever the number of patients.
    const likely = (share: number, rate: number): number => share * log(rate) + (1 - share) * log(1 - rate);
    if (!(Math.abs(likely(lambdaE, safe) - likely(lambdaE, target)) <= 1e-12))
      return 'lambda_e does not balance the rates';
    if (!(Math.abs(likely(lambdaD, toxic) - likely(lambdaD, target)) <= 1e-12))
      return 'lambda_d does not balance the rates';
    const dlts = distributionsOf(rates);
    for (const row of result['table'] as Row[]) {
      const { n, escalate_if_dlt_le: e, deescalate_if_dlt_ge: d } = row;
      const own = incorrect(dlts, n, e, d);
      for (const [a, b] of [
        [e - 1, d],
        [e + 1, d],
        [e, d - 1],
        [e, d + 1],
      ] as const) {
        if (incorrect(dlts, n, a, b) < own - 1e-12) return `with ${n} patients other counts err less often`;
      }
    }
    return null;
  },

  explain(_, { result, bestSolution: [lambdaE = NaN, lambdaD = NaN] }) {
    const [first] = result['table'] as Row[];
    return [
      say(
        1,
        'result',
        'Raise the dose where at most {low} percent of the patients at it had a DLT, lower it where {high} percent or more had one, and ' +
          'keep it between.',
        { low: 100 * lambdaE, high: 100 * lambdaD },
      ),
      say(1, 'result', 'After the first {n:patient|patients}: raise with at most {e}, lower with {d} or more DLTs.', {
        n: first.n,
        e: first.escalate_if_dlt_le,
        d: first.deescalate_if_dlt_ge,
      }),
      say(
        2,
        'choice',
        'No other boundaries make a wrong decision less probable, whatever the number of patients at the dose.',
        {},
      ),
      say(
        4,
        'sensitivity',
        'After {n:patient|patients} the decision is wrong with probability {wrong} where the dose has one of the three rates.',
        {
          n: first.n,
          wrong: first.incorrect_decision_probability,
        },
      ),
    ];
  },

  pictures: {
    decisions: (_, { result, bestSolution: [lambdaE = NaN, lambdaD = NaN] }) => {
      const rows = result['table'] as Row[];
      const eliminated = rows.flatMap(({ n, eliminate_if_dlt_ge: y }): [number, number][] =>
        y === null ? [] : [[n, y]],
      );
      const most = rows.at(-1)!.n;
      const boundary = (name: string, share: number): Series => ({
        name: `${name}: ${Number((100 * share).toPrecision(3))} % of the patients`,
        points: [0, most].map((n) => [n, n * share] as const),
      });
      return lineChart({
        title: 'Counts that decide on the dose',
        xName: 'patients at the dose',
        yName: 'patients with a dose-limiting toxicity',
        series: [
          { name: 'raise: at or below', points: rows.map((row) => [row.n, row.escalate_if_dlt_le]), isScatter: true },
          { name: 'lower: at or above', points: rows.map((row) => [row.n, row.deescalate_if_dlt_ge]), isScatter: true },
          ...(eliminated.length === 0
            ? []
            : [{ name: 'give the dose up: at or above', points: eliminated, isScatter: true }]),
          boundary('boundary to raise', lambdaE),
          boundary('boundary to lower', lambdaD),
        ],
      });
    },
    operating_characteristics: (_, { result }) => {
      const all = result['operating_characteristics'] as CurvePoint[];
      const n = all.at(-1)!.n;
      const points = all.filter((point) => point.n === n);
      const curve = (name: 'escalate' | 'stay' | 'deescalate'): [number, number][] =>
        points.map((point) => [point.toxicity, point[name]]);
      return lineChart({
        title: `Decision after ${n} patients at the dose, by its true toxicity`,
        xName: 'true probability of a dose-limiting toxicity',
        yName: 'probability of the decision',
        series: [
          { name: 'raise', points: curve('escalate') },
          { name: 'keep', points: curve('stay') },
          { name: 'lower', points: curve('deescalate') },
        ],
      });
    },
  },
});
