/**
 * Dose and interval of a drug from its pharmacokinetics, one compartment, at steady state.
 * Source: Rowland and Tozer, Clinical Pharmacokinetics and Pharmacodynamics (2011), chapters 5 to 7 and 11.
 *
 * Symbols: k = clearance / volume, ka absorption, tau interval, T infusion time, F bioavailability. Every concentration
 * is proportional to the dose.
 */
import { z } from 'zod';
import { exp, log } from '../../../common/float.js';
import type { Remark } from '../../../model/problem.js';
import { say } from '../../../explanation/say.js';
import { lineChart } from '../../charts/line-chart.js';
import { numbers, positive } from '../../fields.js';
import { Infeasible, model } from '../../problem-type.js';
import { rootOf } from '../../solvers/root.js';
import { DECISION_SUPPORT } from '../decision-support.js';

const MOST_CHOICES = 1_000;
/** Hours; what is longer is no interval between doses. */
const LONGEST_INTERVAL = 1e5;

interface Config {
  readonly route: 'iv_bolus' | 'iv_infusion' | 'oral';
  readonly volume_l: number;
  readonly clearance_l_h: number;
  readonly absorption_rate_per_h?: number | undefined;
  readonly bioavailability: number;
  readonly infusion_h?: number | undefined;
  readonly target_peak_mg_l?: number | undefined;
  readonly target_trough_mg_l?: number | undefined;
  readonly target_auc24_mg_h_l?: number | undefined;
  readonly interval_h?: number | undefined;
  readonly available_doses_mg?: readonly number[] | undefined;
  readonly available_intervals_h?: readonly number[] | undefined;
}

const eliminationRate = ({ clearance_l_h, volume_l }: Config): number => clearance_l_h / volume_l;

/** e^(-a t) / (1 - e^(-a tau)): what remains of all earlier doses. */
const remains = (a: number, t: number, tau: number): number => exp(-a * t) / -expm1(-a * tau);

/** e^x - 1 without cancellation. */
function expm1(x: number): number {
  if (Math.abs(x) > 0.5) return exp(x) - 1;
  let [term, sum] = [x, x];
  for (let k = 2; k < 20; k++) {
    term *= x / k;
    sum += term;
  }
  return sum;
}

/** Rates of absorption and elimination closer than this share are taken as equal, by the slope between them. */
const EQUAL_RATES = 1e-5;

/** Steady-state concentration at time t after a dose of 1 mg, 0 <= t <= tau. */
function concentration(config: Config, t: number, tau: number): number {
  const k = eliminationRate(config);
  const { route, volume_l: volume } = config;
  if (route === 'iv_bolus') return remains(k, t, tau) / volume;
  if (route === 'iv_infusion') {
    const { infusion_h: duration = NaN, clearance_l_h: clearance } = config;
    const end = (-expm1(-k * duration) / (duration * clearance)) * remains(k, 0, tau);
    if (t >= duration) return end * exp(-k * (t - duration));
    // What is left of earlier infusions, and the part of this one.
    const left = end * exp(-k * (tau - duration)) * exp(-k * t);
    return left - expm1(-k * t) / (duration * clearance);
  }
  const { absorption_rate_per_h: ka = NaN, bioavailability } = config;
  if (Math.abs(ka - k) < EQUAL_RATES * k) {
    // -d/da of `remains` at the mean rate; what it leaves out is below 1e-10.
    const a = (ka + k) / 2;
    const slope = remains(a, t, tau) * (t + (tau * exp(-a * tau)) / -expm1(-a * tau));
    return (bioavailability * ka * slope) / volume;
  }
  return ((bioavailability * ka) / (volume * (ka - k))) * (remains(k, t, tau) - remains(ka, t, tau));
}

/** When the concentration is highest. */
function peakTime(config: Config, tau: number): number {
  const { route, infusion_h = 0, absorption_rate_per_h: ka = NaN } = config;
  if (route === 'iv_bolus') return 0;
  if (route === 'iv_infusion') return infusion_h;
  const k = eliminationRate(config);
  if (Math.abs(ka - k) < EQUAL_RATES * k) {
    const a = (ka + k) / 2;
    return 1 / a - (tau * exp(-a * tau)) / -expm1(-a * tau);
  }
  return log((ka * expm1(-k * tau)) / (k * expm1(-ka * tau))) / (ka - k);
}

interface Levels {
  readonly peak: number;
  readonly trough: number;
}

/** Levels of 1 mg. */
const levels = (config: Config, tau: number): Levels => ({
  peak: concentration(config, peakTime(config, tau), tau),
  trough: concentration(config, tau, tau),
});

const averageOf = ({ clearance_l_h, bioavailability }: Config, dose: number, tau: number): number =>
  (bioavailability * dose) / (clearance_l_h * tau);

const squared = (x: number): number => x * x;

/** Squared relative deviations from the targets, of any dose. */
function deviationAt(config: Config, tau: number): (dose: number) => number {
  const { target_peak_mg_l: high, target_trough_mg_l: low, target_auc24_mg_h_l: auc } = config;
  if (auc !== undefined) return (dose) => squared((24 * averageOf(config, dose, tau)) / auc - 1);
  const { peak, trough } = levels(config, tau);
  return (dose) => squared((dose * peak) / (high ?? NaN) - 1) + squared((dose * trough) / (low ?? NaN) - 1);
}

const deviation = (config: Config, dose: number, tau: number): number => deviationAt(config, tau)(dose);

/** The best dose for an interval. */
function bestDose(config: Config, tau: number): number {
  const { target_peak_mg_l: high = NaN, target_trough_mg_l: low = NaN, target_auc24_mg_h_l: auc } = config;
  if (auc !== undefined) return (auc * config.clearance_l_h * tau) / (24 * config.bioavailability);
  const { peak, trough } = levels(config, tau);
  const [a, b] = [peak / high, trough / low];
  return (a + b) / (a * a + b * b);
}

/** The interval after which the peak has fallen to the trough. */
function intervalFor(config: Config): number {
  const { route, target_peak_mg_l: high = NaN, target_trough_mg_l: low = NaN, infusion_h = 0 } = config;
  const fall = log(high / low) / eliminationRate(config);
  if (route !== 'oral') return infusion_h + fall;
  // Peak over trough grows with the interval, from 1 on.
  const excess = (tau: number): number => {
    const { peak, trough } = levels(config, tau);
    return log(peak / trough) - log(high / low);
  };
  let longest = Math.max(fall, 1e-3);
  while (excess(longest) < 0) longest *= 2;
  let shortest = longest;
  while (excess(shortest) >= 0) shortest /= 2;
  return rootOf(excess, shortest, longest);
}

interface Regimen {
  readonly dose: number;
  readonly interval: number;
  readonly value: number;
}

interface Found {
  /** Best first, at most `TOP`. */
  readonly top: readonly [Regimen, ...Regimen[]];
  readonly valued: number;
  readonly isDiscrete: boolean;
}

/** The best one and its alternatives. */
const TOP = 6;

/** Whether `a` is better. Among equally good ones: the longest interval, then the smallest dose. */
const isBetter = (a: Regimen, b: Regimen): boolean =>
  (Math.abs(a.value - b.value) > 1e-14 ? a.value - b.value : b.interval - a.interval || a.dose - b.dose) < 0;

function search(config: Config, look: () => void): Found {
  const { available_doses_mg: doses, available_intervals_h: given, interval_h } = config;
  const intervals = given ?? (interval_h === undefined ? undefined : [interval_h]);
  if (intervals === undefined) {
    const interval = intervalFor(config);
    const dose = (config.target_peak_mg_l ?? NaN) / levels(config, interval).peak;
    return { top: [{ dose, interval, value: deviation(config, dose, interval) }], valued: 1, isDiscrete: false };
  }
  const top: Regimen[] = [];
  let valued = 0;
  for (const interval of intervals) {
    look();
    const deviationOf = deviationAt(config, interval);
    for (const dose of doses ?? [bestDose(config, interval)]) {
      const one = { dose, interval, value: deviationOf(dose) };
      if (!Number.isFinite(one.value)) continue;
      valued++;
      let rank = top.length;
      while (rank > 0 && isBetter(one, top[rank - 1])) rank--;
      top.splice(rank, 0, one);
      if (top.length > TOP) top.pop();
    }
  }
  const [best, ...others] = top;
  if (best === undefined) throw new Infeasible('No dose and interval gives concentrations that are numbers.', []);
  return { top: [best, ...others], valued, isDiscrete: doses !== undefined || intervals.length > 1 };
}

/** The first dose that starts at the level of the steady state. */
const loadingDose = (config: Config, { dose, interval }: Pick<Regimen, 'dose' | 'interval'>): number =>
  dose * remains(eliminationRate(config), 0, interval);

export const pkDosing = model({
  name: 'pk_dosing',
  summary: 'Dose and interval of a drug for target concentrations.',
  fields: z.strictObject({
    route: z.enum(['iv_bolus', 'iv_infusion', 'oral']).default('iv_bolus').describe('How the drug is given'),
    compartments: z.literal(1).default(1).describe('1: the body is one compartment'),
    volume_l: positive('Volume of distribution, litres').max(1e6),
    clearance_l_h: positive('Clearance, litres per hour').max(1e6),
    absorption_rate_per_h: positive('Rate of absorption; route oral').max(1e4).optional(),
    bioavailability: z.number().gt(0).max(1).default(1).describe('Share of the dose that is absorbed; route oral'),
    infusion_h: positive('Duration of each infusion; route iv_infusion').max(1_000).optional(),
    target_peak_mg_l: positive('Highest concentration at steady state').max(1e6).optional(),
    target_trough_mg_l: positive('Lowest concentration at steady state').max(1e6).optional(),
    target_auc24_mg_h_l: positive('Area under the concentration over 24 hours, instead of peak and trough')
      .max(1e7)
      .optional(),
    interval_h: positive('Hours between doses, where they are fixed').max(LONGEST_INTERVAL).optional(),
    available_doses_mg: numbers('Doses that there are', {
      most: MOST_CHOICES,
      exclusiveMinimum: 0,
      maximum: 1e9,
    }).optional(),
    available_intervals_h: numbers('Intervals that there are', {
      ...{ most: MOST_CHOICES, exclusiveMinimum: 0, maximum: LONGEST_INTERVAL },
    }).optional(),
    objective: z
      .literal('relative_squared_error')
      .default('relative_squared_error')
      .describe('Sum of squared relative deviations from the targets'),
  }),
  example: {
    ...{ model: 'pk_dosing', route: 'iv_bolus', volume_l: 30, clearance_l_h: 3.6 },
    ...{ target_peak_mg_l: 18, target_trough_mg_l: 4 },
    ...{ available_doses_mg: [100, 200, 300, 400, 500, 600], available_intervals_h: [6, 8, 12, 24] },
  },

  check(config, complain) {
    const { route, infusion_h, absorption_rate_per_h, bioavailability, interval_h, available_intervals_h } = config;
    const { target_peak_mg_l: peak, target_trough_mg_l: trough, target_auc24_mg_h_l: auc } = config;
    const rate = config.clearance_l_h / config.volume_l;
    if (!(rate >= 1e-5 && rate <= 1e3)) {
      return complain(
        ['clearance_l_h'],
        '`{field}` must be between 0.00001 and 1,000 times `config.volume_l` per hour.',
      );
    }
    if (route === 'oral' && absorption_rate_per_h === undefined)
      return complain(['absorption_rate_per_h'], '`{field}` is required for the route oral.');
    if (route !== 'oral' && absorption_rate_per_h !== undefined)
      return complain(['absorption_rate_per_h'], `\`{field}\` is for the route oral, not ${route}.`);
    if (route !== 'oral' && bioavailability !== 1)
      return complain(['bioavailability'], `\`{field}\` must be 1 for the route ${route}: all of the dose arrives.`);
    if (route === 'iv_infusion' && infusion_h === undefined)
      return complain(['infusion_h'], '`{field}` is required for the route iv_infusion.');
    if (route !== 'iv_infusion' && infusion_h !== undefined)
      return complain(['infusion_h'], `\`{field}\` is for the route iv_infusion, not ${route}.`);
    if (auc !== undefined) {
      const other = peak !== undefined ? 'target_peak_mg_l' : trough !== undefined ? 'target_trough_mg_l' : null;
      if (other !== null)
        return complain([other], '`{field}` and `config.target_auc24_mg_h_l` cannot both be met: send one of them.');
      if (interval_h === undefined && available_intervals_h === undefined) {
        return complain(
          ['interval_h'],
          '`{field}` is required with `target_auc24_mg_h_l`, or `available_intervals_h` instead.',
        );
      }
    } else {
      if (peak === undefined)
        return complain(['target_peak_mg_l'], '`{field}` is required, or `target_auc24_mg_h_l` instead.');
      if (trough === undefined)
        return complain(['target_trough_mg_l'], '`{field}` is required beside `target_peak_mg_l`.');
      if (trough >= peak)
        return complain(
          ['target_trough_mg_l'],
          `\`{field}\` = ${trough} must be below \`config.target_peak_mg_l\` = ${peak}.`,
        );
    }
    if (interval_h !== undefined && available_intervals_h !== undefined) {
      return complain(['available_intervals_h'], '`{field}` and `config.interval_h` say the same: send one of them.');
    }
    if (config.available_doses_mg !== undefined && interval_h === undefined && available_intervals_h === undefined) {
      return complain(
        ['available_intervals_h'],
        '`{field}` is required with `available_doses_mg`, or `interval_h` instead.',
      );
    }
    const longest = infusion_h ?? 0;
    if (interval_h !== undefined && interval_h <= longest)
      return complain(['interval_h'], `\`{field}\` = ${interval_h} must be above \`config.infusion_h\` = ${longest}.`);
    const short = (available_intervals_h ?? []).findIndex((tau) => tau <= longest);
    if (short >= 0)
      complain(['available_intervals_h', short], `\`{field}\` must be above \`config.infusion_h\` = ${longest}.`);
  },

  sense: () => 'minimize',

  solve(config, context) {
    const { top, valued, isDiscrete } = search(config, () => context.look());
    const [best] = top;
    const { dose, interval, value } = best;
    const k = eliminationRate(config);
    const { peak, trough } = levels(config, interval);
    const regimen = (one: Regimen) => {
      const own = levels(config, one.interval);
      return {
        ...{ dose_mg: one.dose, interval_h: one.interval, objective: one.value },
        ...{ steady_state_peak_mg_l: one.dose * own.peak, steady_state_trough_mg_l: one.dose * own.trough },
      };
    };
    return {
      method: isDiscrete ? 'exhaustive_enumeration' : 'closed_form',
      reason: isDiscrete
        ? 'there are few doses and intervals, and all of them were valued'
        : 'concentrations are proportional to the dose, and the interval follows from the ratio of the targets',
      bestSolution: [dose, interval],
      bestFitness: value,
      decisionVariables: ['dose_mg', 'interval_h'],
      result: {
        ...regimen(best),
        maintenance_dose_mg: dose,
        loading_dose_mg: loadingDose(config, best),
        elimination_rate_per_h: k,
        half_life_h: Math.LN2 / k,
        average_concentration_mg_l: averageOf(config, dose, interval),
        auc24_mg_h_l: 24 * averageOf(config, dose, interval),
        peak_time_h: peakTime(config, interval),
        daily_dose_mg: (24 * dose) / interval,
        accumulation_ratio: remains(k, 0, interval),
        fluctuation: (peak - trough) / averageOf(config, 1, interval),
      },
      optimality: { status: 'optimal', bound: value, proof: isDiscrete ? 'exhaustive' : 'closed_form' },
      evaluations: 1,
      nodes: valued,
      warnings: [DECISION_SUPPORT],
      assumptions: assumptionsOf(config),
      alternatives: isDiscrete ? top.slice(1).map(regimen) : undefined,
    };
  },

  verify(config, { bestSolution: [dose = NaN, interval = NaN], bestFitness, result }) {
    if (!(dose > 0 && interval > (config.infusion_h ?? 0))) return 'dose and interval are no regimen';
    if (config.available_doses_mg !== undefined && !config.available_doses_mg.includes(dose))
      return 'there is no such dose';
    if (config.available_intervals_h !== undefined && !config.available_intervals_h.includes(interval))
      return 'there is no such interval';
    if (!(Math.abs(deviation(config, dose, interval) - bestFitness) <= 1e-12 + 1e-9 * bestFitness))
      return 'the deviation differs';
    const isFree = config.available_intervals_h === undefined && config.interval_h === undefined;
    if (isFree && !(bestFitness <= 1e-12)) return `the targets are missed by ${bestFitness}`;
    // The area under the curve is what the average says, whatever the route: Simpson on either side of the kink.
    const end = config.infusion_h ?? 0;
    const area =
      simpson((t) => concentration(config, t, interval), 0, end) +
      simpson((t) => concentration(config, t, interval), end, interval);
    const average = (dose * area) / interval;
    const given = Number(result['average_concentration_mg_l']);
    // Curves that fall steeply are summed coarsely.
    const steepness = (eliminationRate(config) + (config.absorption_rate_per_h ?? 0)) * interval;
    return steepness > 100 || Math.abs(average - given) <= 1e-4 * given
      ? null
      : `the average concentration is ${average}`;
  },

  explain(config, { result, bestSolution: [dose = NaN, interval = NaN], bestFitness }) {
    const read = (name: string): number => Number(result[name]);
    return [
      say(1, 'result', 'Give {dose} mg every {interval:hour|hours}.', { dose, interval }),
      say(
        1,
        'result',
        'At steady state the concentration then goes from {trough} to {peak} mg/l, {average} on average; a first dose of {loading} mg reaches that level at once.',
        {
          trough: read('steady_state_trough_mg_l'),
          peak: read('steady_state_peak_mg_l'),
          average: read('average_concentration_mg_l'),
          loading: read('loading_dose_mg'),
        },
      ),
      bestFitness < 1e-12
        ? say(
            2,
            'choice',
            'The targets are met exactly: concentrations are proportional to the dose, and their ratio depends on the interval alone.',
            {},
          )
        : say(
            2,
            'choice',
            'No other choice is nearer to the targets: the squared relative deviations add up to {deviation}.',
            { deviation: bestFitness },
          ),
      say(4, 'sensitivity', 'A clearance that is a fifth lower raises the average concentration to {average} mg/l.', {
        average: averageOf({ ...config, clearance_l_h: 0.8 * config.clearance_l_h }, dose, interval),
      }),
      say(
        4,
        'sensitivity',
        'Without the first dose the steady state is reached, to 3 percent, after about {hours:hour|hours} (five half-lives).',
        {
          hours: 5 * read('half_life_h'),
        },
      ),
    ];
  },

  pictures: {
    concentration_curve: (config, { bestSolution: [dose = NaN, tau = NaN] }) => {
      const { target_peak_mg_l: high, target_trough_mg_l: low } = config;
      const doses = 5;
      const perDose = 60;
      const kinks = [config.infusion_h ?? 0];
      const times = Array.from({ length: perDose + 1 }, (_, i) => (tau * i) / perDose)
        .concat(kinks)
        .sort((a, b) => a - b);
      const steady: [number, number][] = [];
      const first: [number, number][] = [];
      for (let d = 0; d < doses; d++) {
        // From no drug on: the steady state less what doses before the first one would have left.
        for (const t of times) {
          steady.push([d * tau + t, dose * concentration(config, t, tau)]);
          first.push([d * tau + t, dose * fromNothing(config, d, t, tau)]);
        }
      }
      const end = doses * tau;
      const level = (name: string, at: number | undefined) =>
        at === undefined
          ? []
          : [
              {
                name,
                points: [
                  [0, at],
                  [end, at],
                ] as [number, number][],
                isDashed: true,
              },
            ];
      return lineChart({
        title: 'Concentration over time',
        xName: 'hours',
        yName: 'mg/l',
        series: [
          { name: 'steady state', points: steady },
          { name: 'from the first dose on', points: first },
          ...level('target peak', high),
          ...level('target trough', low),
        ],
      });
    },
  },
});

/** Concentration t hours after dose number `index` (from 0) of 1 mg each, no drug before. */
function fromNothing(config: Config, index: number, t: number, tau: number): number {
  // A single dose is the steady state of an interval that never ends.
  const never = 60 / Math.min(eliminationRate(config), config.absorption_rate_per_h ?? Infinity) + (index + 2) * tau;
  let sum = 0;
  for (let d = 0; d <= index; d++) sum += concentration(config, t + d * tau, never);
  return sum;
}

function simpson(f: (t: number) => number, from: number, to: number): number {
  if (!(to > from)) return 0;
  const count = 2_000;
  const h = (to - from) / count;
  let sum = f(from) + f(to);
  for (let i = 1; i < count; i++) sum += f(from + i * h) * (i % 2 === 1 ? 4 : 2);
  return (sum * h) / 3;
}

function assumptionsOf(config: Config): Remark[] {
  const remark = (field: string, message: string): Remark => ({
    code: 'default_assumed',
    field: `config.${field}`,
    message,
  });
  return [
    remark('compartments', 'The drug spreads at once through one compartment and leaves it at a constant rate.'),
    ...(config.route === 'oral' && config.bioavailability === 1
      ? [remark('bioavailability', 'All of the dose is absorbed.')]
      : []),
    ...(config.target_auc24_mg_h_l !== undefined && (config.available_intervals_h?.length ?? 0) > 1
      ? [remark('available_intervals_h', 'Of equally good regimens the one with the longest interval was taken.')]
      : []),
  ];
}
