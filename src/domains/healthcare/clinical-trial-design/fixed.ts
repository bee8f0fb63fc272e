/**
 * Trials of two arms with one look at the end.
 * Sources: Schoenfeld 1983 (events); Fleiss, Statistical Methods for Rates and Proportions (pooled normal formula;
 * continuity correction of Casagrande, Pike and Smith 1978 and Fleiss, Tytun and Ury 1980); noncentral t for means.
 */
import { z } from 'zod';
import { log } from '../../../common/float.js';
import type { Remark } from '../../../model/problem.js';
import { say } from '../../../explanation/say.js';
import { lineChart } from '../../charts/line-chart.js';
import { openShare, positive, number, type Complain } from '../../fields.js';
import { Infeasible, model } from '../../problem-type.js';
import { quantile, tail } from '../../solvers/distributions/normal.js';
import { upperQuantileT, upperTailT } from '../../solvers/distributions/student-t.js';
import { DECISION_SUPPORT } from '../decision-support.js';

/** Largest number of patients in one arm. */
export const LARGEST_ARM = 1e9;

/** Effect that the trial should find; shared with the model `group_sequential`. */
export const EFFECT_FIELDS = {
  mean_difference: number('Difference of the means that the trial should find; continuous endpoint').optional(),
  standard_deviation: positive('Of one patient, the same in both arms; continuous endpoint').optional(),
  p_control: openShare('Rate in the control arm; binary endpoint').optional(),
  p_treatment: openShare('Rate in the treatment arm that the trial should find; binary endpoint').optional(),
  hazard_ratio: positive('Treatment to control, that the trial should find; survival endpoint').optional(),
  allocation_ratio: positive('Patients of the treatment arm for each one of the control arm').default(1),
} as const;

export type Endpoint = 'continuous' | 'binary' | 'survival';

export interface Effect {
  readonly endpoint: Endpoint;
  readonly mean_difference?: number | undefined;
  readonly standard_deviation?: number | undefined;
  readonly p_control?: number | undefined;
  readonly p_treatment?: number | undefined;
  readonly hazard_ratio?: number | undefined;
  readonly allocation_ratio: number;
}

interface Test {
  readonly alpha: number;
  readonly sides: 1 | 2;
  readonly power: number;
}

const NEEDED = {
  continuous: ['mean_difference', 'standard_deviation'],
  binary: ['p_control', 'p_treatment'],
  survival: ['hazard_ratio'],
} as const;

/** Whether the fields are those of the endpoint and say that there is an effect. Complains at most once. */
export function checkEffect(
  effect: Omit<Effect, 'endpoint'> & { endpoint: Endpoint | null },
  complain: Complain,
): boolean {
  const { endpoint } = effect;
  for (const [other, fields] of Object.entries(NEEDED)) {
    for (const field of fields) {
      if (other === endpoint && effect[field] === undefined) {
        complain([field], `\`{field}\` is required for the endpoint ${endpoint}.`);
        return false;
      }
      if (other !== endpoint && effect[field] !== undefined) {
        const own = endpoint === null ? 'set `endpoint` too' : `not of the endpoint ${endpoint}`;
        complain([field], `\`{field}\` is for the endpoint ${other}: ${own}.`);
        return false;
      }
    }
  }
  if (endpoint === 'continuous' && effect.mean_difference === 0) {
    complain(['mean_difference'], '`{field}` must not be 0: no trial finds a difference that there is not.');
  } else if (endpoint === 'binary' && effect.p_control === effect.p_treatment) {
    complain(
      ['p_treatment'],
      '`{field}` must differ from `config.p_control`: no trial finds a difference that there is not.',
    );
  } else if (endpoint === 'survival' && effect.hazard_ratio === 1) {
    complain(['hazard_ratio'], '`{field}` must not be 1: no trial finds an effect that there is not.');
  } else return true;
  return false;
}

export function checkErrors({ alpha, power }: Test, complain: Complain): boolean {
  if (alpha >= 0.5) complain(['alpha'], `\`{field}\` = ${alpha} must be below 0.5.`);
  else if (power <= alpha) complain(['power'], `\`{field}\` = ${power} must be above \`config.alpha\` = ${alpha}.`);
  else return true;
  return false;
}

/** Normal quantiles of both errors. */
const quantiles = ({ alpha, sides, power }: Test): { a: number; b: number } => ({
  a: -quantile(alpha / sides),
  b: -quantile(1 - power),
});

/**
 * Standard deviations of the difference of rates, times the root of the control arm's size: with pooled and own rates.
 */
function rateDeviations({ p_control: p = NaN, p_treatment: q = NaN, allocation_ratio: ratio }: Effect) {
  const pooled = (p + ratio * q) / (1 + ratio);
  return {
    pooled: Math.sqrt((1 + 1 / ratio) * pooled * (1 - pooled)),
    own: Math.sqrt(p * (1 - p) + (q * (1 - q)) / ratio),
    difference: Math.abs(p - q),
  };
}

/** Control patients, or events in both arms (survival), before rounding up; means: by the normal distribution. */
function exactSize(effect: Effect, test: Test): number {
  const { a, b } = quantiles(test);
  const { allocation_ratio: ratio } = effect;
  if (effect.endpoint === 'continuous') {
    const { mean_difference = NaN, standard_deviation = NaN } = effect;
    return (1 + 1 / ratio) * (((a + b) * standard_deviation) / mean_difference) ** 2;
  }
  if (effect.endpoint === 'binary') {
    const { pooled, own, difference } = rateDeviations(effect);
    return ((a * pooled + b * own) / difference) ** 2;
  }
  return (((a + b) * (1 + ratio)) / log(effect.hazard_ratio ?? NaN)) ** 2 / ratio;
}

/** Rounds up, but not for a last bit. */
export const roundUp = (exact: number): number => Math.ceil(exact - 1e-9 * Math.max(1, exact));

const treatmentArm = (control: number, { allocation_ratio: ratio }: Effect): number => roundUp(ratio * control);

/** Power of the t test with that many control patients: both tails of a two-sided test count. */
function powerOfT(effect: Effect, { alpha, sides }: Test, control: number): number {
  const treatment = treatmentArm(control, effect);
  const { mean_difference = NaN, standard_deviation = NaN } = effect;
  const nu = control + treatment - 2;
  const delta = Math.abs(mean_difference / standard_deviation) / Math.sqrt(1 / control + 1 / treatment);
  const critical = upperQuantileT(alpha / sides, nu);
  const wrong = sides === 2 ? upperTailT(critical, nu, -delta) : 0;
  return upperTailT(critical, nu, delta) + wrong;
}

/** The least control arm with which the t test has the power. */
function sizeOfT(effect: Effect, test: Test, look: () => void): number {
  const enough = (control: number): boolean => {
    look();
    return control + treatmentArm(control, effect) > 2 && powerOfT(effect, test, control) >= test.power;
  };
  // The normal distribution is on the small side by about a^2 / 4 patients.
  let high = Math.max(2, Math.ceil(exactSize(effect, test)));
  let low = 0;
  while (!enough(high)) {
    low = high;
    high = high < 64 ? high + 2 : Math.ceil(high * 1.02);
  }
  if (low === 0) low = Math.max(0, Math.floor(high * 0.95) - 4);
  while (low > 0 && enough(low)) low = Math.floor(low / 2);
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (enough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Patients of both arms, or events (survival); means: as the t test needs them. */
export function totalOfFixed(effect: Effect, test: Test, look: () => void): number {
  const size = exactSize(effect, test);
  if (!(size * Math.max(1, effect.allocation_ratio) < LARGEST_ARM)) {
    throw new Infeasible(`The effect is so small that an arm needs more than ${LARGEST_ARM} patients.`, ['power']);
  }
  if (effect.endpoint === 'survival') return size;
  return (1 + effect.allocation_ratio) * (effect.endpoint === 'binary' ? size : sizeOfT(effect, test, look));
}

/** Attained with that many control patients, or events. */
function attained(effect: Effect, test: Test, size: number): number {
  const { a } = quantiles(test);
  if (effect.endpoint === 'continuous') return powerOfT(effect, test, size);
  if (effect.endpoint === 'binary') {
    const { pooled, own, difference } = rateDeviations(effect);
    return tail((a * pooled - difference * Math.sqrt(size)) / own);
  }
  const { allocation_ratio: ratio, hazard_ratio = NaN } = effect;
  return tail(a - (Math.sqrt(size * ratio) / (1 + ratio)) * Math.abs(log(hazard_ratio)));
}

/** Fleiss, Tytun and Ury: from the size without correction. */
function corrected(effect: Effect, control: number): number {
  const { difference } = rateDeviations(effect);
  const { allocation_ratio: ratio } = effect;
  return (control / 4) * (1 + Math.sqrt(1 + (2 * (1 + ratio)) / (control * ratio * difference))) ** 2;
}

/** The effect times a factor; null where no such rate exists. */
function scaled(effect: Effect, factor: number): Effect | null {
  const { mean_difference = NaN, p_control = NaN, p_treatment = NaN, hazard_ratio = NaN } = effect;
  switch (effect.endpoint) {
    case 'continuous':
      return { ...effect, mean_difference: factor * mean_difference };
    case 'binary': {
      const rate = p_control + factor * (p_treatment - p_control);
      return rate > 0 && rate < 1 ? { ...effect, p_treatment: rate } : null;
    }
    case 'survival':
      return { ...effect, hazard_ratio: hazard_ratio ** factor };
  }
}

/** Name of the power curve's horizontal axis. */
const EFFECT_NAMES: Record<Endpoint, string> = {
  continuous: 'true difference of the means',
  binary: 'true rate in the treatment arm',
  survival: 'true hazard ratio',
};

const effectValue = (effect: Effect): number =>
  ({ continuous: effect.mean_difference, binary: effect.p_treatment, survival: effect.hazard_ratio })[
    effect.endpoint
  ] ?? NaN;

const CURVE = Array.from({ length: 30 }, (_, i) => (i + 1) / 20);

/** Power by the true effect, from a twentieth of the planned one to one and a half of it. */
function powerCurve(effect: Effect, test: Test, size: number): { effect: number; power: number }[] {
  return CURVE.flatMap((factor) => {
    const truth = scaled(effect, factor);
    return truth === null ? [] : [{ effect: effectValue(truth), power: attained(truth, test, size) }];
  });
}

const hint = (field: string, message: string): Remark => ({
  code: 'default_assumed',
  field: `config.${field}`,
  message,
});

export const fixed = model({
  name: 'fixed',
  summary: 'Sample size of a trial with two arms and one analysis at the end.',
  fields: z.strictObject({
    endpoint: z
      .enum(['continuous', 'binary', 'survival'])
      .describe('What is compared: means, rates or times to an event'),
    ...EFFECT_FIELDS,
    alpha: openShare('Type I error, of both sides together').default(0.05),
    sides: z
      .union([z.literal(1), z.literal(2)])
      .default(2)
      .describe('1 or 2'),
    power: openShare('Probability of finding the effect').default(0.8),
    dropout: z
      .number()
      .refine(
        (value) => value >= 0 && value < 1,
        '`{field}` must be a decimal from 0 to below 1: write 5 percent as 0.05.',
      )
      .meta({ minimum: 0, exclusiveMaximum: 1 })
      .default(0)
      .describe('Share of the recruited patients whose result will be missing'),
    event_probability: openShare(
      'Share of the patients who will have the event; survival, for the number of patients',
    ).optional(),
  }),
  example: {
    ...{ model: 'fixed', endpoint: 'continuous', mean_difference: 5, standard_deviation: 10 },
    ...{ alpha: 0.05, sides: 2, power: 0.8, dropout: 0.1 },
  },

  check(config, complain) {
    if (!checkEffect(config, complain) || !checkErrors(config, complain)) return;
    if (config.event_probability !== undefined && config.endpoint !== 'survival') {
      complain(['event_probability'], `\`{field}\` is for the endpoint survival, not ${config.endpoint}.`);
    }
  },

  sense: () => 'minimize',

  solve(config, context) {
    const { endpoint, allocation_ratio: ratio, dropout, event_probability } = config;
    const approximate = exactSize(config, config);
    if (!(approximate * Math.max(1, ratio) < LARGEST_ARM * (event_probability ?? 1) * (1 - dropout))) {
      throw new Infeasible(`The effect is so small that an arm needs more than ${LARGEST_ARM} patients.`, ['power']);
    }
    const isSurvival = endpoint === 'survival';
    const size =
      endpoint === 'continuous' ? sizeOfT(config, config, () => context.look()) : Math.max(1, roundUp(approximate));
    const power = attained(config, config, size);
    const recruited = (evaluable: number): number => roundUp(evaluable / (1 - dropout));
    const arms = isSurvival
      ? event_probability === undefined
        ? null
        : survivalArms(size / event_probability, ratio)
      : { control: size, treatment: treatmentArm(size, config) };
    const enrolled = arms && { control: recruited(arms.control), treatment: recruited(arms.treatment) };
    const withCorrection = endpoint === 'binary' ? roundUp(corrected(config, approximate)) : null;
    const fitness = enrolled === null ? size : enrolled.control + enrolled.treatment;
    const curve = powerCurve(config, config, size);
    return {
      method: 'closed_form',
      reason: REASONS[endpoint],
      bestSolution: enrolled === null ? [size] : [enrolled.control, enrolled.treatment],
      bestFitness: fitness,
      decisionVariables: enrolled === null ? ['events'] : ['n_control', 'n_treatment'],
      result: {
        ...(isSurvival ? { events: size, events_exact: approximate } : {}),
        ...(arms === null ? {} : { n_control: arms.control, n_treatment: arms.treatment }),
        ...(arms !== null && arms.control === arms.treatment ? { n_per_arm: arms.control } : {}),
        ...(withCorrection === null
          ? {}
          : {
              n_control_continuity_corrected: withCorrection,
              n_treatment_continuity_corrected: treatmentArm(withCorrection, config),
              ...(ratio === 1 ? { n_per_arm_continuity_corrected: withCorrection } : {}),
            }),
        ...(enrolled === null ? {} : { enrolled_control: enrolled.control, enrolled_treatment: enrolled.treatment }),
        ...(enrolled === null ? {} : { total_n: enrolled.control + enrolled.treatment }),
        achieved_power: power,
        power,
        type_i_error: config.alpha,
        inflation_factor: 1,
        operating_characteristics: curve.map((point) => ({ ...point })),
      },
      optimality: { status: 'optimal', bound: fitness, proof: 'closed_form' },
      evaluations: 1,
      constraints: [
        {
          name: 'power',
          value: power,
          limit: config.power,
          slack: power - config.power,
          binding: power - config.power <= 1e-9,
        },
      ],
      warnings: [
        DECISION_SUPPORT,
        ...(isSurvival && event_probability === undefined
          ? [
              {
                code: 'events_only',
                field: 'config.event_probability',
                message: 'The answer counts events: how many patients have them takes `event_probability`.',
              },
            ]
          : []),
        ...(endpoint === 'binary' && isSmall(config, size)
          ? [
              {
                code: 'normal_approximation',
                message:
                  'An arm expects fewer than five patients with or without the event: take the size with continuity correction.',
              },
            ]
          : []),
      ],
      assumptions: [
        ...(endpoint === 'continuous'
          ? [
              hint(
                'standard_deviation',
                'Both arms have the same standard deviation, and it is not known beforehand: t test.',
              ),
            ]
          : []),
        ...(endpoint === 'survival' ? [hint('hazard_ratio', 'The hazard ratio stays the same over time.')] : []),
        ...(dropout === 0 ? [hint('dropout', 'No patient drops out.')] : []),
      ],
    };
  },

  verify(config, { bestFitness, result }) {
    const read = (name: string): number => Number(result[name]);
    const isSurvival = config.endpoint === 'survival';
    const size = isSurvival ? read('events') : read('n_control');
    if (!(attained(config, config, size) >= config.power - 1e-9)) return `${size} do not have the power`;
    const least = config.endpoint === 'continuous' ? 2 : 1;
    if (size > least && attained(config, config, size - 1) >= config.power + 1e-9) return `${size - 1} would be enough`;
    if (isSurvival && config.event_probability === undefined) return bestFitness === size ? null : 'events differ';
    const [control, treatment] = [read('enrolled_control'), read('enrolled_treatment')];
    const stay = 1 - config.dropout;
    if (!(control * stay >= read('n_control') - 1e-6 * control)) return 'too few control patients are recruited';
    if (!(treatment * stay >= read('n_treatment') - 1e-6 * treatment)) return 'too few patients are recruited';
    return bestFitness === control + treatment ? null : 'the arms add up to another total';
  },

  explain(config, { result, bestFitness }) {
    const read = (name: string): number => Number(result[name]);
    const power = 100 * read('achieved_power');
    const half = attained(
      scaled(config, 0.8) ?? config,
      config,
      read(config.endpoint === 'survival' ? 'events' : 'n_control'),
    );
    return [
      config.endpoint === 'survival'
        ? say(
            1,
            'result',
            'The trial needs {events:event|events} to find the effect with {power} percent probability.',
            {
              events: read('events'),
              power,
            },
          )
        : say(
            1,
            'result',
            'The trial needs {control} patients in the control arm and {treatment} in the treatment arm whose results are ' +
              'known: it then finds the effect with {power} percent probability.',
            { control: read('n_control'), treatment: read('n_treatment'), power },
          ),
      ...('total_n' in result
        ? [say(1, 'result', 'Recruit {total:patient|patients} in all.', { total: bestFitness })]
        : []),
      say(2, 'choice', SENTENCES[config.endpoint], {}),
      say(4, 'sensitivity', 'If the true effect is a fifth smaller than planned, the power is {half} percent.', {
        half: 100 * half,
      }),
      ...(config.endpoint === 'binary' && config.allocation_ratio === 1
        ? [
            say(5, 'alternatives', "For Fisher's exact test take {n} patients in each arm (continuity correction).", {
              n: read('n_per_arm_continuity_corrected'),
            }),
          ]
        : []),
    ];
  },

  pictures: {
    power_curve: (config, { result }) => {
      const size = Number(result[config.endpoint === 'survival' ? 'events' : 'n_control']);
      const points = powerCurve(config, config, size);
      return lineChart({
        title: 'Power by the true effect',
        xName: EFFECT_NAMES[config.endpoint],
        yName: 'power',
        series: [{ name: 'power', points: points.map(({ effect, power }) => [effect, power]) }],
        marks: [{ at: [effectValue(config), attained(config, config, size)], name: 'planned' }],
      });
    },
    sample_size_curve: (config, { result }) => {
      const isSurvival = config.endpoint === 'survival';
      const size = Number(result[isSurvival ? 'events' : 'n_control']);
      const sizes = [...new Set(CURVE.map((factor) => Math.max(2, Math.round(factor * size))))];
      return lineChart({
        title: isSurvival ? 'Power by the number of events' : 'Power by the size of the control arm',
        xName: isSurvival ? 'events' : 'patients in the control arm',
        yName: 'power',
        series: [{ name: 'power', points: sizes.map((n) => [n, attained(config, config, n)]) }],
        marks: [{ at: [size, attained(config, config, size)], name: 'this design' }],
      });
    },
  },
});

const survivalArms = (patients: number, ratio: number): { control: number; treatment: number } => ({
  control: roundUp(patients / (1 + ratio)),
  treatment: roundUp((patients * ratio) / (1 + ratio)),
});

const isSmall = (effect: Effect, control: number): boolean => {
  const { p_control = NaN, p_treatment = NaN } = effect;
  const treatment = treatmentArm(control, effect);
  const least = [
    control * p_control,
    control * (1 - p_control),
    treatment * p_treatment,
    treatment * (1 - p_treatment),
  ];
  return Math.min(...least) < 5;
};

const REASONS: Record<Endpoint, string> = {
  continuous: 'the power of the t test is a noncentral t probability, and it grows with the size',
  binary: 'the normal formula with pooled variance gives the size',
  survival: "Schoenfeld's formula gives the events",
};

const SENTENCES: Record<Endpoint, string> = {
  continuous: 'The size is the smallest with which the t test has the power; no normal approximation.',
  binary:
    'The size is that of the test of two proportions with pooled variance; the continuity correction is beside it.',
  survival: 'The power of the log-rank test depends on the number of events, and on patients only through these.',
};
