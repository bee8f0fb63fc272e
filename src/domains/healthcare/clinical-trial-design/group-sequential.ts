/**
 * Group-sequential trials: looks at the data before the end, with boundaries that keep the type I error.
 * Sources: Jennison and Turnbull, Group Sequential Methods with Applications to Clinical Trials (2000), chapters 2, 7
 * and 19; Wang and Tsiatis 1987; Lan and DeMets 1983; Pampallona, Tsiatis and Kim 2001 (beta spending).
 *
 * Symbols: t_k information fraction, z_k boundary for Z at look k, theta drift (mean of Z at the end), R inflation
 * factor: the largest size over that of the fixed design.
 */
import { z } from 'zod';
import { log, power as raised } from '../../../common/float.js';
import type { Remark } from '../../../model/problem.js';
import { say } from '../../../explanation/say.js';
import { lineChart, type Series } from '../../charts/line-chart.js';
import { count, number, numbers, openShare, positive } from '../../fields.js';
import { model } from '../../problem-type.js';
import { rootOf } from '../../solvers/root.js';
import { quantile, tail } from '../../solvers/distributions/normal.js';
import { DECISION_SUPPORT } from '../decision-support.js';
import { crossingsOnGrid } from './crossings-on-grid.js';
import { checkEffect, checkErrors, EFFECT_FIELDS, roundUp, totalOfFixed, type Effect, type Endpoint } from './fixed.js';
import {
  crossAbove,
  crossBelow,
  crossings,
  expectedInformation,
  goOn,
  START,
  total,
  type Boundaries,
  type Crossings,
} from './recursive-integration.js';
import { hasParameter, spent, SPENDING_FUNCTIONS, type SpendingFunction } from './spending-functions.js';

export const MOST_LOOKS = 20;
const LEAST_INFORMATION_STEP = 0.01;
/** A boundary beyond which no trial gets: Q(20) = 3e-89. */
const NEVER = 20;

const BOUNDARIES = ['obrien_fleming', 'pocock', 'wang_tsiatis_0.25', 'alpha_spending'] as const;

/** z_k = c t_k^(shape - 1/2). */
const SHAPES = { obrien_fleming: 0, pocock: 0.5, 'wang_tsiatis_0.25': 0.25 } as const;

interface Config extends Omit<Effect, 'endpoint'> {
  readonly looks?: number | undefined;
  readonly information_fractions?: readonly number[] | undefined;
  readonly boundary: (typeof BOUNDARIES)[number];
  readonly spending_function?: SpendingFunction | undefined;
  readonly spending_parameter?: number | undefined;
  readonly alpha: number;
  readonly sides: 1 | 2;
  readonly power: number;
  readonly futility: 'none' | 'non_binding';
  readonly endpoint?: Endpoint | undefined;
  readonly fixed_sample_size?: number | undefined;
}

const timesOf = ({ looks = 0, information_fractions }: Config): readonly number[] =>
  information_fractions ?? Array.from({ length: looks }, (_, k) => (k + 1) / looks);

const spendingOf = ({ spending_function = 'obrien_fleming_type' }: Config): SpendingFunction => spending_function;

/** Newly spent at each look. */
function increments(config: Config, error: number): number[] {
  const all = timesOf(config).map((t) => spent(spendingOf(config), error, t, config.spending_parameter ?? 0));
  return all.map((sum, k) => sum - (all[k - 1] ?? 0));
}

/**
 * The boundary where `share` of the trials cross upwards, or the end of the range that is nearest to that; in its
 * logarithm so that small shares are met as well as large ones.
 */
function boundaryFor(
  share: number,
  crossing: (bound: number) => number,
  [low, high]: readonly [number, number],
): number {
  if (!(crossing(high) < share)) return high;
  if (!(crossing(low) > share)) return low;
  const target = log(share);
  return rootOf((bound) => log(crossing(bound)) - target, low, high, 1e-12);
}

interface Upper {
  readonly bounds: readonly number[];
  /** c of the family; null: spending. */
  readonly constant: number | null;
}

/** Lower boundary of the test: symmetric, or none. */
const mirrored = (bounds: readonly number[], sides: 1 | 2): number[] =>
  bounds.map((bound) => (sides === 2 ? -bound : -Infinity));

function upperBounds(config: Config, look: () => void): Upper {
  const { boundary, alpha, sides } = config;
  const times = timesOf(config);
  const error = alpha / sides;
  if (boundary !== 'alpha_spending') {
    const bounds = (c: number): number[] => times.map((t) => c * raised(t, SHAPES[boundary] - 0.5));
    const excess = (c: number): number => {
      look();
      const upper = bounds(c);
      return total(crossings({ times, upper, lower: mirrored(upper, sides) }, 0).above) - error;
    };
    const least = -quantile(error) - 1e-6;
    const constant = rootOf(excess, least, -quantile(error / times.length) + 1e-6, 1e-12);
    return { bounds: bounds(constant), constant };
  }
  const bounds: number[] = [];
  let going = START;
  for (const [k, share] of increments(config, error).entries()) {
    look();
    const t = times[k];
    const bound = boundaryFor(share, (at) => crossAbove(going, t, at, 0), [-9, NEVER]);
    bounds.push(bound);
    const next = times[k + 1];
    if (next !== undefined) going = goOn(going, t, [sides === 2 ? -bound : -Infinity, bound], 0, next);
  }
  return { bounds, constant: null };
}

/** Lower bounds that spend the type II error, where the drift is theta; the last one meets the upper bound. */
function futilityBounds(config: Config, upper: readonly number[], beta: number, theta: number): number[] {
  const times = timesOf(config);
  const floor = mirrored(upper, config.sides);
  const bounds: number[] = [];
  let going = START;
  for (const [k, share] of increments(config, beta).entries()) {
    const t = times[k];
    const next = times[k + 1];
    if (next === undefined) return [...bounds, upper[k]];
    const from = going;
    // Mirrored: the bound is above -z where few cross downwards.
    const mirror = boundaryFor(share, (at) => crossBelow(from, t, -at, theta), [-upper[k], NEVER]);
    const bound = Math.max(floor[k], Math.min(upper[k], -mirror));
    bounds.push(bound);
    going = goOn(going, t, [bound, upper[k]], theta, next);
  }
  return bounds;
}

interface Plan {
  readonly theta: number;
  readonly inflation: number;
  /** Boundaries of the trial as it runs, futility included. */
  readonly boundaries: Boundaries;
  readonly h0: Crossings;
  readonly h1: Crossings;
}

/** The drift with which the trial has the power, and so how much larger than a fixed one it is. */
function planFor(config: Config, upper: readonly number[], power: number, look: () => void): Plan {
  const { alpha, sides, futility } = config;
  const times = timesOf(config);
  const boundaries = (theta: number): Boundaries => ({
    times,
    upper,
    lower: futility === 'none' ? mirrored(upper, sides) : futilityBounds(config, upper, 1 - power, theta),
  });
  const excess = (theta: number): number => {
    look();
    return total(crossings(boundaries(theta), theta).above) - power;
  };
  const fixedDrift = -quantile(alpha / sides) + -quantile(1 - power);
  let high = fixedDrift + 1;
  while (excess(high) < 0) high += 1;
  const theta = rootOf(excess, Math.max(0, fixedDrift - 1e-6), high, 1e-11);
  const found = boundaries(theta);
  return {
    theta,
    inflation: (theta / fixedDrift) ** 2,
    boundaries: found,
    h0: crossings(found, 0),
    h1: crossings(found, theta),
  };
}

/** Shares of the planned effect: from none to one and a half of it. */
const CURVE = Array.from({ length: 31 }, (_, i) => i / 20);

interface CurvePoint {
  readonly effect: number;
  readonly power: number;
  /** Share of the largest size. */
  readonly information: number;
}

function curveOf(boundaries: Boundaries, theta: number): CurvePoint[] {
  return CURVE.map((effect) => {
    const crossed = crossings(boundaries, effect * theta);
    return { effect, power: total(crossed.above), information: expectedInformation(boundaries, crossed) };
  });
}

const summed = (values: readonly number[]): number[] => {
  let sum = 0;
  return values.map((value) => (sum += value));
};

/** Patients (events) of the fixed design; null: nobody said what to find. */
function fixedTotal(config: Config, look: () => void): number | null {
  const { endpoint, fixed_sample_size } = config;
  if (fixed_sample_size !== undefined) return fixed_sample_size;
  return endpoint === undefined ? null : totalOfFixed({ ...config, endpoint }, config, look);
}

export const groupSequential = model({
  name: 'group_sequential',
  summary: 'Boundaries and size of a trial that is looked at several times.',
  fields: z.strictObject({
    looks: count('Analyses, the last one included, at equal shares of the information', 2, MOST_LOOKS).optional(),
    information_fractions: numbers('Share of the information at each analysis, ascending, the last one 1', {
      ...{ least: 2, most: MOST_LOOKS, exclusiveMinimum: 0, maximum: 1 },
    }).optional(),
    boundary: z.enum(BOUNDARIES).default('obrien_fleming').describe('Shape of the efficacy boundary'),
    spending_function: z
      .enum(SPENDING_FUNCTIONS)
      .optional()
      .describe('How the error is spent over the information. Absent: obrien_fleming_type'),
    spending_parameter: number('Exponent of `power` (above 0), gamma of `hwang_shih_decani` (-40 to 40)').optional(),
    alpha: openShare('Type I error, of both sides together').default(0.05),
    sides: z
      .union([z.literal(1), z.literal(2)])
      .default(2)
      .describe('1 or 2'),
    power: openShare('Probability of rejecting in the right direction').default(0.9),
    futility: z
      .enum(['none', 'non_binding'])
      .default('none')
      .describe('Whether a boundary says when to give up; the type I error holds also where nobody heeds it'),
    endpoint: z
      .enum(['continuous', 'binary', 'survival'])
      .optional()
      .describe('What is compared, for numbers of patients. Absent: sizes are multiples of the fixed design'),
    ...EFFECT_FIELDS,
    fixed_sample_size: positive(
      'Patients or events of the fixed design with the same errors, instead of `endpoint`',
    ).optional(),
  }),
  example: {
    ...{ model: 'group_sequential', looks: 3, boundary: 'obrien_fleming', alpha: 0.05, sides: 2, power: 0.9 },
    ...{ endpoint: 'survival', hazard_ratio: 0.7 },
  },

  check(config, complain) {
    const { looks, information_fractions: fractions, boundary, futility } = config;
    if (looks === undefined && fractions === undefined) {
      return complain(['looks'], '`{field}` is required, or `information_fractions` instead.');
    }
    if (looks !== undefined && fractions !== undefined && fractions.length !== looks) {
      return complain(
        ['information_fractions'],
        `\`{field}\` has ${fractions.length} entries, but \`config.looks\` is ${looks}.`,
      );
    }
    for (const [k, t] of (fractions ?? []).entries()) {
      const before = fractions?.[k - 1] ?? 0;
      if (t - before < LEAST_INFORMATION_STEP * (1 - 1e-9)) {
        const rule = `at least ${LEAST_INFORMATION_STEP} above the one before (${before})`;
        return complain(['information_fractions', k], `\`{field}\` = ${t} must be ${rule}.`);
      }
    }
    if (fractions !== undefined && fractions.at(-1) !== 1) {
      const last = fractions.length - 1;
      return complain(
        ['information_fractions', last],
        `\`{field}\` = ${fractions[last]} must be 1: the last analysis has all.`,
      );
    }
    if (!checkErrors(config, complain)) return;
    checkSpending(config, boundary === 'alpha_spending' || futility !== 'none', complain);
    if (config.fixed_sample_size !== undefined && config.endpoint !== undefined) {
      return complain(['fixed_sample_size'], '`{field}` and `config.endpoint` say the same: send one of them.');
    }
    checkEffect({ ...config, endpoint: config.endpoint ?? null }, complain);
  },

  sense: () => 'minimize',

  solve(config, context) {
    const look = (): void => context.look();
    const times = timesOf(config);
    const { bounds: upper, constant } = upperBounds(config, look);
    const test: Boundaries = { times, upper, lower: mirrored(upper, config.sides) };
    const underNull = crossings(test, 0);
    const plan = planFor(config, upper, config.power, look);
    const usual = ([0.8, 0.9] as const).map((power) =>
      power === config.power ? plan : planFor(config, upper, power, look),
    );
    const [at80, at90] = [usual[0], usual[1]];
    const expected = ({ boundaries, inflation }: Plan, crossed: Crossings): number =>
      inflation * expectedInformation(boundaries, crossed);
    const exact = fixedTotal(config, look);
    const size = exact === null ? null : sizeOf(config, exact * plan.inflation);
    const stages = stagesOf(config, { test, underNull, plan, size });
    const attained = stages.at(-1)!.cumulative_power;
    const isFutile = config.futility !== 'none';
    const lower = plan.boundaries.lower;
    // A futility bound at the last look is the upper one.
    const futile = isFutile ? lower.slice(0, -1) : [];
    const fitness = size?.total ?? plan.inflation;
    const unit = size === null ? 1 : size.total / plan.inflation;
    return {
      method: 'recursive_integration',
      reason:
        'crossing probabilities of several looks are nested integrals, and the boundaries follow from them one by one',
      bestSolution: [...upper, ...futile],
      bestFitness: fitness,
      decisionVariables: [...upper.map((_, k) => `z_upper_${k + 1}`), ...futile.map((_, k) => `z_futility_${k + 1}`)],
      result: {
        stages,
        z_bounds: [...upper],
        ...(isFutile ? { futility_bounds: [...lower] } : {}),
        ...(constant === null ? {} : { constant }),
        cumulative_alpha: stages.map(({ cumulative_alpha }) => cumulative_alpha),
        type_i_error: total(underNull.above) + total(underNull.below),
        ...(isFutile ? { type_i_error_if_futility_is_heeded: heeded(plan.h0, test, lower) } : {}),
        power: attained,
        inflation_factor: plan.inflation,
        drift: plan.theta,
        expected_information_ratio_h0: expected(plan, plan.h0),
        expected_information_ratio_h1: expected(plan, plan.h1),
        expected_sample_size: {
          unit: size === null ? 'fixed_design' : config.endpoint === 'survival' ? 'events' : 'patients',
          h0: unit * expected(plan, plan.h0),
          h1: unit * expected(plan, plan.h1),
        },
        ...(size === null ? {} : { max_n: size.total, ...size.arms, fixed_design_n: exact }),
        inflation_factor_power80: at80.inflation,
        inflation_factor_power90: at90.inflation,
        expected_information_ratio_h1_power90: expected(at90, at90.h1),
        expected_information_ratio_h0_power90: expected(at90, at90.h0),
        operating_characteristics: curveOf(plan.boundaries, plan.theta).map((point) => ({
          effect: point.effect,
          power: point.power,
          expected_sample_size: unit * plan.inflation * point.information,
        })),
      },
      optimality: { status: 'optimal', bound: fitness, proof: 'closed_form' },
      evaluations: 1,
      iterations: times.length,
      constraints: [
        ...[{ name: 'alpha', value: total(underNull.above) + total(underNull.below), limit: config.alpha }].map(
          (one) => ({
            ...one,
            slack: one.limit - one.value,
            binding: true,
          }),
        ),
        {
          ...{ name: 'power', value: attained, limit: config.power },
          ...{ slack: attained - config.power, binding: attained - config.power <= 1e-6 },
        },
      ],
      warnings: [DECISION_SUPPORT],
      assumptions: assumptionsOf(config),
      detail: plan,
    };
  },

  verify(config, { bestSolution, bestFitness, result, detail }) {
    const { boundaries, theta, inflation } = detail as Plan;
    const { times, lower } = boundaries;
    const upper = bestSolution.slice(0, times.length);
    const rejected = crossingsOnGrid({ times, upper, lower: mirrored(upper, config.sides) }, 0);
    const error = total(rejected.above) + total(rejected.below);
    if (!(Math.abs(error - config.alpha) <= 1e-5 + 1e-4 * config.alpha)) return `the type I error is ${error}`;
    const found = crossingsOnGrid({ times, upper, lower }, theta);
    const power = total(found.above);
    if (!(Math.abs(power - config.power) <= 1e-4)) return `the power is ${power}`;
    const given = Number(result['power']);
    if (!(given >= config.power - 1e-9)) return `the power is said to be ${given}`;
    const largest = result['max_n'] ?? inflation;
    return bestFitness === largest ? null : `the largest size is ${String(largest)}`;
  },

  explain(config, { result, bestSolution }) {
    const read = (name: string): number => Number(result[name]);
    const times = timesOf(config);
    const first = bestSolution[0] ?? NaN;
    const last = bestSolution[times.length - 1] ?? NaN;
    const sizes = result['expected_sample_size'] as { h0: number; h1: number };
    const unit = config.endpoint === 'survival' ? 'events' : 'patients';
    const zName = config.sides === 2 ? '|Z|' : 'Z';
    const saved = 100 * (1 - read('expected_information_ratio_h1'));
    return [
      say(
        1,
        'result',
        `{looks} analyses: reject at the first if ${zName} is at least {first}, at the last if it is at least {last}; the ` +
          'others are in `stages`.',
        { looks: times.length, first, last },
      ),
      'max_n' in result
        ? say(
            1,
            'result',
            `The trial needs up to {max_n} ${unit}, and {h1} on average if the planned effect is true.`,
            {
              max_n: read('max_n'),
              h1: sizes.h1,
            },
          )
        : say(
            1,
            'result',
            'The trial may grow to {factor} times the fixed size; with the planned effect it takes {h1} times that on average.',
            {
              factor: read('inflation_factor'),
              h1: sizes.h1,
            },
          ),
      say(
        2,
        'choice',
        `The boundary of the kind ${config.boundary} spends a type I error of {alpha} over all looks together; testing each time ` +
          'at that level would exceed it.',
        { alpha: config.alpha },
      ),
      say(
        4,
        'sensitivity',
        'With the planned effect the looks save {saved} percent of the fixed size on average; without any effect the trial takes {none} times the fixed size.',
        {
          saved,
          none: read('expected_information_ratio_h0'),
        },
      ),
      say(
        5,
        'alternatives',
        'A pocock boundary stops earlier and grows larger; an obrien_fleming boundary stops later and hardly grows.',
        {},
      ),
    ];
  },

  pictures: {
    boundaries: (config, { result }) => {
      const times = timesOf(config);
      const stages = result['stages'] as { z_upper: number; z_lower: number | null }[];
      // A bound that nobody gets near would flatten the others.
      const shown = (bound: number): number => Math.max(-8, Math.min(8, bound));
      const upper = stages.map(({ z_upper }, k): [number, number] => [times[k], shown(z_upper)]);
      const futility = result['futility_bounds'] as number[] | undefined;
      const lines: [string, [number, number][]][] = [
        ['reject: the treatment is better', upper],
        ...(config.sides === 1
          ? []
          : [
              ['reject: the treatment is worse', upper.map(([t, b]): [number, number] => [t, -b])] as [
                string,
                [number, number][],
              ],
            ]),
        ...(futility === undefined
          ? []
          : [
              ['futility', futility.map((b, k): [number, number] => [times[k], shown(b)])] as [
                string,
                [number, number][],
              ],
            ]),
      ];
      return lineChart({
        title: 'Boundaries',
        xName: 'share of the information',
        yName: 'Z',
        series: lines.map(([name, points]): Series => ({ name, points })),
        marks: upper.map((at, k) => ({
          at,
          name: k % Math.ceil(times.length / 6) === 0 || k === times.length - 1 ? stages[k].z_upper.toFixed(2) : '',
        })),
      });
    },
    power_curve: (_, { result }) => {
      const points = result['operating_characteristics'] as { effect: number; power: number }[];
      return lineChart({
        title: 'Power by the true effect',
        xName: 'true effect, as a multiple of the planned one',
        yName: 'power',
        series: [{ name: 'power', points: points.map(({ effect, power }) => [effect, power]) }],
        marks: [{ at: [1, Number(result['power'])], name: 'planned' }],
      });
    },
    expected_sample_size: (config, { result }) => {
      const points = result['operating_characteristics'] as { effect: number; expected_sample_size: number }[];
      const isKnown = 'max_n' in result;
      return lineChart({
        title: 'Expected size by the true effect',
        xName: 'true effect, as a multiple of the planned one',
        yName: isKnown ? (config.endpoint === 'survival' ? 'events' : 'patients') : 'multiple of the fixed size',
        series: [
          { name: 'expected', points: points.map((one) => [one.effect, one.expected_sample_size]) },
          { name: 'fixed design', points: [0, 1.5].map((at) => [at, isKnown ? Number(result['fixed_design_n']) : 1]) },
        ],
      });
    },
  },
});

function checkSpending(
  config: Config,
  isUsed: boolean,
  complain: (path: readonly PropertyKey[], message: string) => void,
): void {
  const { spending_function: name, spending_parameter: parameter } = config;
  if (!isUsed && (name !== undefined || parameter !== undefined)) {
    const field = name === undefined ? 'spending_parameter' : 'spending_function';
    return complain([field], '`{field}` is for `boundary` "alpha_spending" or `futility` "non_binding".');
  }
  if (name !== undefined && hasParameter(name)) {
    if (parameter === undefined) return complain(['spending_parameter'], `\`{field}\` is required for ${name}.`);
    if (name === 'power' && !(parameter > 0 && parameter <= 20)) {
      return complain(['spending_parameter'], `\`{field}\` = ${parameter} must be above 0 and at most 20 for power.`);
    }
    if (name === 'hwang_shih_decani' && !(Math.abs(parameter) <= 40)) {
      return complain(
        ['spending_parameter'],
        `\`{field}\` = ${parameter} must be from -40 to 40 for hwang_shih_decani.`,
      );
    }
  } else if (parameter !== undefined) {
    complain(['spending_parameter'], '`{field}` is for `spending_function` power and hwang_shih_decani.');
  }
}

interface Size {
  readonly total: number;
  readonly arms: { readonly n_control: number; readonly n_treatment: number } | Record<string, never>;
  /** Information over that of the exact size. */
  readonly surplus: number;
}

/** Whole patients in each arm, or whole events. */
function sizeOf({ endpoint, allocation_ratio: ratio }: Config, exact: number): Size {
  if (endpoint === undefined || endpoint === 'survival') {
    const events = roundUp(exact);
    return { total: events, arms: {}, surplus: events / exact };
  }
  const n_control = roundUp(exact / (1 + ratio));
  const n_treatment = roundUp((exact * ratio) / (1 + ratio));
  const most = n_control + n_treatment;
  return { total: most, arms: { n_control, n_treatment }, surplus: most / exact };
}

type Stage = {
  readonly stage: number;
  readonly information_fraction: number;
  /** Null: not known without an effect. */
  readonly n: number | null;
  readonly cumulative_n: number | null;
  readonly z_upper: number;
  /** Where the trial ends too: in rejection (two-sided), or for futility where that is asked for. */
  readonly z_lower: number | null;
  readonly nominal_p: number;
  readonly cumulative_alpha: number;
  readonly cumulative_power: number;
  readonly stop_probability_h0: number;
  readonly stop_probability_h1: number;
};

function stagesOf(
  config: Config,
  { test, underNull, plan, size }: { test: Boundaries; underNull: Crossings; plan: Plan; size: Size | null },
): Stage[] {
  const { sides } = config;
  const h1 = size === null ? plan.h1 : crossings(plan.boundaries, plan.theta * Math.sqrt(size.surplus));
  const alpha = summed(underNull.above.map((share, k) => share + underNull.below[k]));
  const found = summed(h1.above);
  const sizes = test.times.map((t) => (size === null ? null : t === 1 ? size.total : roundUp(size.total * t)));
  return test.times.map((t, k) => {
    const upper = test.upper[k];
    const lower = plan.boundaries.lower[k];
    return {
      stage: k + 1,
      information_fraction: t,
      n: size === null ? null : sizes[k]! - (sizes[k - 1] ?? 0),
      cumulative_n: sizes[k]!,
      z_upper: upper,
      z_lower: lower === -Infinity ? null : lower,
      nominal_p: sides * tail(upper),
      cumulative_alpha: alpha[k],
      cumulative_power: found[k],
      stop_probability_h0: plan.h0.above[k] + plan.h0.below[k],
      stop_probability_h1: h1.above[k] + h1.below[k],
    };
  });
}

/** Rejections where futility is heeded: those below count only where the bound is the test's own. */
const heeded = ({ above, below }: Crossings, test: Boundaries, lower: readonly number[]): number =>
  total(above) + total(below.map((share, k) => (lower[k] === test.lower[k] ? share : 0)));

function assumptionsOf(config: Config): Remark[] {
  const remark = (field: string, message: string): Remark => ({
    code: 'default_assumed',
    field: `config.${field}`,
    message,
  });
  const sized = config.endpoint !== undefined || config.fixed_sample_size !== undefined;
  const needsSpending = config.boundary === 'alpha_spending' || config.futility !== 'none';
  return [
    ...(sized
      ? []
      : [remark('endpoint', 'No effect was given: sizes are multiples of the fixed design with the same errors.')]),
    ...(needsSpending && config.spending_function === undefined
      ? [remark('spending_function', 'Errors are spent by the function obrien_fleming_type.')]
      : []),
    ...(config.futility === 'none'
      ? []
      : [
          remark(
            'futility',
            'The type II error is spent by the same function as the type I error; efficacy boundaries ignore futility, so a ' +
              'trial that goes on keeps its type I error.',
          ),
        ]),
    ...(config.sides === 2 && config.boundary === 'alpha_spending'
      ? [remark('sides', `Each side spends ${config.alpha / 2} by the function.`)]
      : []),
    ...(config.information_fractions === undefined
      ? [remark('information_fractions', 'Analyses are at equal shares of the information.')]
      : []),
  ];
}
