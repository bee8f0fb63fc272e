/**
 * How many fractions of radiotherapy, and of which dose, by the linear-quadratic model.
 * Sources: Fowler 1989; Mizuta et al. 2012 (when one fraction is best).
 *
 * Symbols: BED = n d (1 + d / (alpha/beta)); an organ gets s d per fraction, s the sparing factor.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { lineChart } from '../../charts/line-chart.js';
import { amount, count, positive } from '../../fields.js';
import { model } from '../../problem-type.js';
import { DECISION_SUPPORT } from '../decision-support.js';

export const MOST_FRACTIONS = 1_000;

interface Config {
  readonly tumour_alpha_beta_gy: number;
  readonly oar_alpha_beta_gy: number;
  readonly oar_sparing_factor: number;
  readonly oar_bed_limit_gy: number;
  readonly max_fractions: number;
  readonly repopulation?:
    | {
        readonly alpha_per_gy: number;
        readonly doubling_time_days: number;
        readonly kickoff_days: number;
        readonly days_per_fraction: number;
      }
    | undefined;
}

const bed = (n: number, dose: number, alphaBeta: number): number => n * dose * (1 + dose / alphaBeta);

/**
 * The largest dose per fraction that keeps the organ within its limit: the positive root of a quadratic, without
 * cancellation.
 */
function doseFor(
  { oar_alpha_beta_gy: alphaBeta, oar_sparing_factor: s, oar_bed_limit_gy: limit }: Config,
  n: number,
): number {
  const share = limit / n;
  return (2 * share) / (s * (1 + Math.sqrt(1 + (4 * share) / alphaBeta)));
}

/** Regrowth of the tumour during the course, as BED. */
function regrown({ repopulation }: Config, n: number): number {
  if (repopulation === undefined) return 0;
  const { alpha_per_gy, doubling_time_days, kickoff_days, days_per_fraction } = repopulation;
  const days = (n - 1) * days_per_fraction;
  return (Math.LN2 / (alpha_per_gy * doubling_time_days)) * Math.max(0, days - kickoff_days);
}

type Course = {
  readonly fractions: number;
  readonly dose_per_fraction_gy: number;
  readonly tumour_bed_gy: number;
};

function course(config: Config, n: number): Course {
  const dose = doseFor(config, n);
  const tumour_bed_gy = bed(n, dose, config.tumour_alpha_beta_gy) - regrown(config, n);
  return { fractions: n, dose_per_fraction_gy: dose, tumour_bed_gy };
}

const coursesOf = (config: Config): Course[] =>
  Array.from({ length: config.max_fractions }, (_, i) => course(config, i + 1));

export const fractionation = model({
  name: 'fractionation',
  summary: 'Number and dose of radiotherapy fractions under the limit of an organ at risk.',
  fields: z.strictObject({
    tumour_alpha_beta_gy: positive('Alpha/beta of the tumour, Gy').min(0.01).max(1_000),
    oar_alpha_beta_gy: positive('Alpha/beta of the organ at risk, Gy').min(0.01).max(1_000),
    oar_sparing_factor: positive('Dose of the organ, as a share of that of the tumour').min(1e-3).max(10),
    oar_bed_limit_gy: positive('Biologically effective dose, at most, of the organ').min(0.01).max(1e5),
    max_fractions: count('Fractions, at most', 1, MOST_FRACTIONS),
    repopulation: z
      .strictObject({
        alpha_per_gy: positive('Alpha of the tumour').min(1e-4).max(100),
        doubling_time_days: positive('In which the surviving tumour doubles').min(0.01).max(1e5),
        kickoff_days: amount('After which it begins to regrow').max(1e5).default(0),
        days_per_fraction: positive('Days from one fraction to the next, weekends included').max(1e3).default(1.4),
      })
      .optional()
      .describe('Regrowth during the course. Absent: none'),
  }),
  example: {
    ...{ model: 'fractionation', tumour_alpha_beta_gy: 10, oar_alpha_beta_gy: 3, oar_sparing_factor: 0.7 },
    ...{ oar_bed_limit_gy: 100, max_fractions: 35 },
  },

  sense: () => 'maximize',

  solve(config) {
    const courses = coursesOf(config);
    // Of equally good courses the shortest.
    const best = courses.reduce((a, b) => (b.tumour_bed_gy > a.tumour_bed_gy * (1 + 1e-12) ? b : a));
    const { fractions: n, dose_per_fraction_gy: dose } = best;
    const { tumour_alpha_beta_gy, oar_alpha_beta_gy, oar_sparing_factor: s, oar_bed_limit_gy: limit } = config;
    const oar = bed(n, s * dose, oar_alpha_beta_gy);
    return {
      method: 'exhaustive_enumeration',
      reason: 'for each number of fractions the largest dose is a root of a quadratic, and all numbers were compared',
      bestSolution: [n, dose],
      bestFitness: best.tumour_bed_gy,
      decisionVariables: ['fractions', 'dose_per_fraction_gy'],
      result: {
        ...best,
        total_dose_gy: n * dose,
        oar_bed_gy: oar,
        oar_total_dose_gy: n * s * dose,
        tumour_eqd2_gy: best.tumour_bed_gy / (1 + 2 / tumour_alpha_beta_gy),
        bed_single_fraction: courses[0].tumour_bed_gy,
        by_fractions: courses,
      },
      optimality: { status: 'optimal', bound: best.tumour_bed_gy, proof: 'exhaustive' },
      evaluations: 1,
      nodes: courses.length,
      constraints: [
        { name: 'oar_bed_limit_gy', value: oar, limit, slack: limit - oar, binding: true },
        {
          name: 'max_fractions',
          value: n,
          limit: config.max_fractions,
          slack: config.max_fractions - n,
          binding: n === config.max_fractions,
        },
      ],
      warnings: [
        DECISION_SUPPORT,
        ...(dose > 10
          ? [
              {
                code: 'large_fraction',
                message: 'The linear-quadratic model is uncertain for fractions of more than about 10 Gy.',
              },
            ]
          : []),
      ],
      assumptions:
        config.repopulation === undefined
          ? [
              {
                code: 'default_assumed',
                field: 'config.repopulation',
                message: 'The tumour does not regrow during the course.',
              },
            ]
          : [],
      alternatives: courses
        .filter(({ fractions }) => fractions !== n)
        .sort((a, b) => b.tumour_bed_gy - a.tumour_bed_gy)
        .slice(0, 5),
    };
  },

  verify(config, { bestSolution: [n = NaN, dose = NaN], bestFitness }) {
    const { oar_sparing_factor: s, oar_bed_limit_gy: limit } = config;
    if (!(Number.isInteger(n) && n >= 1 && n <= config.max_fractions)) return `${n} fractions are not allowed`;
    if (!(bed(n, s * dose, config.oar_alpha_beta_gy) <= limit * (1 + 1e-9)))
      return 'the organ gets more than its limit';
    const own = bed(n, dose, config.tumour_alpha_beta_gy) - regrown(config, n);
    if (!(Math.abs(own - bestFitness) <= 1e-9 * Math.max(1, Math.abs(own)))) return `the tumour gets ${own}`;
    if (config.repopulation !== undefined) return null;
    // Mizuta: one fraction or the most, by the sign of alpha/beta of the tumour less that of the organ over s.
    const gain = config.tumour_alpha_beta_gy - config.oar_alpha_beta_gy / s;
    if (Math.abs(gain) < 1e-9) return null;
    return n === (gain > 0 ? config.max_fractions : 1) ? null : 'the rule of one or most fractions does not hold';
  },

  explain(config, { result, bestSolution: [n = NaN, dose = NaN] }) {
    const read = (name: string): number => Number(result[name]);
    const { tumour_alpha_beta_gy: tumour, oar_alpha_beta_gy: organ, oar_sparing_factor: s } = config;
    const ratio = organ / s;
    return [
      say(
        1,
        'result',
        'Give {n:fraction|fractions} of {dose} Gy, {total} Gy in all: the tumour gets a biologically effective dose of {bed} Gy, the organ at risk {organ} Gy.',
        {
          ...{ n, dose, total: read('total_dose_gy'), bed: read('tumour_bed_gy'), organ: read('oar_bed_gy') },
        },
      ),
      say(
        2,
        'choice',
        tumour <= ratio
          ? 'Large fractions hurt the tumour more than the spared organ: its alpha/beta of {tumour} Gy is at most {ratio} Gy.'
          : 'Many fractions spare the organ: the alpha/beta of the tumour, {tumour} Gy, is above {ratio} Gy.',
        { tumour, ratio },
      ),
      say(5, 'alternatives', 'A single fraction would give the tumour {single} Gy.', {
        single: read('bed_single_fraction'),
      }),
    ];
  },

  pictures: {
    bed_curve: (_, { result, bestSolution: [n = NaN], bestFitness }) => {
      const courses = result['by_fractions'] as Course[];
      return lineChart({
        title: 'Effect on the tumour, with the organ at its limit',
        xName: 'fractions',
        yName: 'biologically effective dose of the tumour, Gy',
        series: [{ name: 'tumour', points: courses.map((one) => [one.fractions, one.tumour_bed_gy]) }],
        marks: [{ at: [n, bestFitness], name: 'best' }],
      });
    },
  },
});
