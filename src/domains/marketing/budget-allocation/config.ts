/** Config of a budget problem: fields, contradictions, and the channels that follow from it. */
import { z } from 'zod';
import { power } from '../../../common/float.js';
import type { Remark } from '../../../model/problem.js';
import { amount, checkUnique, id, list, numbers, positive, withIds, type Complain } from '../../fields.js';
import { Infeasible } from '../../problem-type.js';
import { checkResponse, curveOf, MOST, responseSchema, type Response } from './curves.js';
import { FITTED_CURVES, fitResponses } from './fit.js';
import type { Channel } from './flighting.js';

export const MOST_CHANNELS = 100;
export const MOST_PERIODS = 52;
export const MOST_CELLS = 1_000;
export const MOST_ROWS = 2_000;
export const MOST_FITTED = 20;

const OBJECTIVES = [
  'maximize_response',
  'maximize_profit',
  'target_roas',
  'target_cpa',
  'min_spend_for_response',
] as const;

export const fields = z.strictObject({
  budget: positive('Money per period. With a target it is a limit, and may be absent').min(1e-6).max(MOST).optional(),
  channels: list(
    z.strictObject({
      id: id.optional(),
      response: responseSchema.optional(),
      current_spend: amount('What is spent now, per period').max(MOST).optional(),
      current_response: amount('What that brings').max(MOST).optional(),
      adstock_decay: z
        .number()
        .min(0)
        .max(0.99)
        .default(0)
        .describe(
          'Share of the effect that is left a period later: a constant spend x is in effect as x / (1 - decay)',
        ),
      min: amount('Least spend per period').max(MOST).default(0),
      max: amount('Largest spend per period. Absent: the budget').max(MOST).optional(),
      min_share: z.number().min(0).max(1).optional().describe('Least share of the budget, as a decimal'),
      max_share: z.number().min(0).max(1).optional().describe('Largest share of the budget, as a decimal'),
    }),
    'Where money can be spent',
    MOST_CHANNELS,
  ),
  response: responseSchema.optional().describe('Response of channels that have none of their own'),
  objective: z
    .enum(OBJECTIVES)
    .default('maximize_response')
    .describe(
      'maximize_response; maximize_profit (`margin` times response less spend); target_roas: most response while response per unit of money is at least `target`; target_cpa: most response while money per response is at most `target`; min_spend_for_response: least spend that brings `target`',
    ),
  margin: positive('Money that one unit of response is worth').min(1e-9).max(MOST).optional(),
  target: positive('Of the objectives with one: a return, a cost per response, or a response')
    .min(1e-9)
    .max(MOST)
    .optional(),
  spend_all: z.boolean().default(true).describe('False: stop where the next unit of money earns less than itself'),
  periods: z
    .union([z.int().min(1).max(MOST_PERIODS), z.array(z.number().gt(0).max(1e6)).min(1).max(MOST_PERIODS)])
    .default(1)
    .describe(
      'Periods of a cycle that repeats, or the weight of each period’s responses. `budget` times their number is divided among channels and periods',
    ),
  history: z
    .strictObject({
      outcome: numbers('What came of it, period by period, oldest first', { least: 8, most: MOST_ROWS }),
      spend: z
        .record(
          z.string(),
          numbers('Spend of the channel in each period', { least: 8, most: MOST_ROWS, minimum: 0, maximum: MOST }),
        )
        .describe('By channel id: spend in each period'),
      curve: z.enum(FITTED_CURVES).default('power').describe('Shape that is fitted (`hill` with shape 1)'),
    })
    .optional()
    .describe('Fits the response of the channels that have none'),
  change_limit: positive('Largest relative change of each channel’s current spend: 0.2 is 20 percent')
    .max(1e6)
    .optional(),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
});

export type Config = z.output<typeof fields>;

export const weightsOf = ({ periods }: Config): readonly number[] =>
  typeof periods === 'number' ? Array.from({ length: periods }, () => 1) : periods;

const needsTarget = (objective: Config['objective']): boolean => !objective.startsWith('maximize');

export function check(config: Config, complain: Complain): void {
  const { budget, channels, objective, target, margin, history } = config;
  if (!checkUnique(channels, 'channels', complain)) return;
  if (needsTarget(objective)) {
    if (target === undefined)
      return complain(['target'], `\`{field}\` is required with the objective \`${objective}\`.`);
    if (!config.spend_all) {
      return complain(
        ['spend_all'],
        `\`{field}\` says nothing with the objective \`${objective}\`: the target decides.`,
      );
    }
  } else if (target !== undefined) {
    return complain(['target'], `\`{field}\` says nothing with the objective \`${objective}\`.`);
  }
  if (budget === undefined && !needsTarget(objective)) return complain(['budget'], '`{field}` is required.');
  if (margin === undefined && (objective === 'maximize_profit' || !config.spend_all)) {
    return complain(['margin'], '`{field}` is required where profit counts: money that one unit of response is worth.');
  }
  const periods = weightsOf(config).length;
  if (typeof config.periods !== 'number' || periods > 1) {
    if (needsTarget(objective) || !config.spend_all) {
      return complain(['periods'], '`{field}` needs the whole budget to be spent: no target, and `spend_all` true.');
    }
    if (periods * channels.length > MOST_CELLS) {
      return complain(['periods'], `\`{field}\` times \`channels\` can be at most ${MOST_CELLS}.`);
    }
  }
  if (config.response !== undefined && !checkResponse(config.response, ['response'], complain)) return;
  if (history !== undefined && !checkHistory(config, complain)) return;
  for (const [i, channel] of channels.entries()) if (!checkChannel(config, i, channel, complain)) return;
}

function checkHistory({ history, channels }: Config, complain: Complain): boolean {
  const names = Object.keys(history?.spend ?? {});
  const ids = withIds(channels).map((channel) => channel.id);
  for (const name of names) {
    if (!ids.includes(name)) {
      complain(['history', 'spend', name], '`{field}`: there is no such channel.');
      return false;
    }
    if (history?.spend[name].length !== history?.outcome.length) {
      complain(
        ['history', 'spend', name],
        `\`{field}\` must have ${history?.outcome.length} numbers, one for each outcome.`,
      );
      return false;
    }
  }
  if (names.length === 0 || names.length > MOST_FITTED) {
    complain(['history', 'spend'], `\`{field}\` must have 1 to ${MOST_FITTED} channels.`);
    return false;
  }
  return true;
}

function checkChannel(config: Config, i: number, channel: Config['channels'][number], complain: Complain): boolean {
  const { budget, change_limit, history } = config;
  const { min, max, min_share, max_share, current_spend, current_response } = channel;
  const name = withIds(config.channels)[i].id;
  const say = (field: string, message: string): false => {
    complain(['channels', i, field], message);
    return false;
  };
  if (max !== undefined && min > max) return say('min', `\`{field}\` = ${min} must not be above \`max\` = ${max}.`);
  if (min_share !== undefined && max_share !== undefined && min_share > max_share) {
    return say('min_share', `\`{field}\` = ${min_share} must not be above \`max_share\` = ${max_share}.`);
  }
  const periods = weightsOf(config).length;
  for (const [field, value] of [
    ['min_share', min_share],
    ['max_share', max_share],
  ] as const) {
    if (value === undefined) continue;
    if (budget === undefined) return say(field, '`{field}` is a share of the budget: send `budget` too.');
    if (periods > 1) return say(field, '`{field}` does not go with `periods`: send `min` and `max`.');
  }
  if (budget !== undefined && min > budget * periods)
    return say('min', `\`{field}\` = ${min} is above the budget of ${budget * periods}.`);
  if (change_limit !== undefined && current_spend === undefined && history?.spend[name] === undefined) {
    return say('current_spend', '`{field}` is required with `change_limit`.');
  }
  const response = channel.response ?? config.response;
  if (channel.response !== undefined && !checkResponse(channel.response, ['channels', i, 'response'], complain))
    return false;
  const isCalibrated = response === undefined || (response.type === 'power' && response.scale === undefined);
  if (!isCalibrated || (response === undefined && history?.spend[name] !== undefined)) return true;
  if (current_spend === undefined || current_response === undefined) {
    return say(
      'response',
      '`{field}` is required, or `current_spend` and `current_response`, which give a square root, or the channel’s `history`.',
    );
  }
  if (current_spend <= 0 || current_response <= 0) {
    return say(
      current_spend <= 0 ? 'current_spend' : 'current_response',
      '`{field}` must be above 0 where it gives the response.',
    );
  }
  return true;
}

export interface Problem {
  /** Channels with limits for the spend of a period. */
  readonly channels: readonly Channel[];
  readonly ids: readonly string[];
  readonly responses: readonly Response[];
  /** Null: no channel has one, or not all. */
  readonly current: readonly number[] | null;
  /** By channel, where it is known. */
  readonly currents: readonly (number | undefined)[];
  /** Money for the whole cycle; Infinity: no limit. */
  readonly total: number;
  readonly assumptions: readonly Remark[];
  readonly warnings: readonly Remark[];
  readonly fit: { readonly base: number; readonly rSquared: number; readonly fitted: readonly string[] } | null;
}

type Named = Config['channels'][number] & { readonly id: string };

/** @throws {Infeasible} where limits of one channel, or all lower limits and the budget, contradict each other */
export function problemOf(config: Config, look: () => void): Problem {
  const { budget, history } = config;
  const periods = weightsOf(config).length;
  const named = withIds(config.channels);
  const assumptions: Remark[] = [];
  const warnings: Remark[] = [];

  const fitted = named.filter(
    ({ id: name, response }) =>
      response === undefined && config.response === undefined && history?.spend[name] !== undefined,
  );
  const fit = history === undefined || fitted.length === 0 ? null : fitOf(named, history, look);
  if (fit !== null && history !== undefined) remarkOnFit(fit, history, fitted, { assumptions, warnings });

  const historyNames = Object.keys(history?.spend ?? {});
  const responses = named.map((channel, i): Response => {
    const given = channel.response ?? config.response;
    if (given === undefined && fit !== null && historyNames.includes(channel.id))
      return fit.responses[historyNames.indexOf(channel.id)];
    if (given !== undefined && !(given.type === 'power' && given.scale === undefined)) return given;
    return throughCurrentSpend(channel, i, given?.type === 'power' ? given.exponent : 0.5, assumptions);
  });
  const currents = named.map(({ id: name, current_spend }): number | undefined => {
    if (current_spend !== undefined) return current_spend;
    const spent = history?.spend[name];
    return spent === undefined ? undefined : spent.reduce((a, b) => a + b, 0) / spent.length;
  });
  if (
    history !== undefined &&
    named.some(({ id: name, current_spend }) => current_spend === undefined && history.spend[name] !== undefined)
  ) {
    assumptions.push({
      code: 'current_spend_from_history',
      field: 'config.channels',
      message: 'Where no `current_spend` is sent, the mean spend of the history stands for it.',
    });
  }

  const total = (budget ?? Infinity) * periods;
  const channels = named.map((channel, i) =>
    withLimits(channel, responses[i], currents[i], total, config.change_limit),
  );
  checkLeastSpends(named, channels, total, periods);
  const isCurrentKnown = currents.every((current) => current !== undefined);
  return {
    channels,
    ids: named.map(({ id: name }) => name),
    responses,
    current: isCurrentKnown ? currents : null,
    currents,
    total,
    assumptions,
    warnings,
    fit: fit === null ? null : { base: fit.base, rSquared: fit.rSquared, fitted: fitted.map(({ id: name }) => name) },
  };
}

type History = NonNullable<Config['history']>;
type Fit = ReturnType<typeof fitResponses>;

const fitOf = (named: readonly Named[], history: History, look: () => void): Fit =>
  fitResponses(
    Object.entries(history.spend).map(([name, spend]) => ({
      spend,
      decay: named.find((channel) => channel.id === name)?.adstock_decay ?? 0,
    })),
    history.outcome,
    history.curve,
    look,
  );

function remarkOnFit(
  fit: Fit,
  history: History,
  fitted: readonly Named[],
  { assumptions, warnings }: { readonly assumptions: Remark[]; readonly warnings: Remark[] },
): void {
  const names = Object.keys(history.spend);
  assumptions.push({
    code: 'responses_fitted',
    field: 'config.history',
    message: `Responses of ${fitted.length} channels were fitted to ${history.outcome.length} periods; they explain ${(100 * fit.rSquared).toFixed(1)} percent of the outcome’s variance.`,
  });
  if (fit.rSquared < 0.5 || history.outcome.length < 6 * names.length) {
    warnings.push({
      code: 'weak_history',
      field: 'config.history',
      message: 'The history says little about the channels: few periods, or an outcome that follows other causes.',
    });
  }
  for (const { id: name } of fitted) {
    if (fit.hasEffect[names.indexOf(name)]) continue;
    warnings.push({
      code: 'no_effect',
      field: `config.history.spend.${name}`,
      message: `The history shows no effect of ${name}.`,
    });
  }
}

/** The power curve through the current spend and response of the i-th channel. */
function throughCurrentSpend(channel: Named, i: number, exponent: number, assumptions: Remark[]): Response {
  const { id: name, adstock_decay, current_spend = NaN, current_response = NaN } = channel;
  assumptions.push({
    code: 'response_from_current_spend',
    field: `config.channels[${i}].response`,
    message: `The response of ${name} is taken as spend to the power of ${exponent}, through its current spend and response.`,
  });
  return { type: 'power', exponent, scale: current_response / power(current_spend / (1 - adstock_decay), exponent) };
}

/** @throws {Infeasible} where its limits contradict each other */
function withLimits(
  { id: name, min, max, min_share, max_share, adstock_decay }: Named,
  response: Response,
  current: number | undefined,
  total: number,
  change_limit: number | undefined,
): Channel {
  const lows: (readonly [string, number])[] = [['min', min]];
  const highs: (readonly [string, number])[] = [['budget', total]];
  if (max !== undefined) highs.push(['max', max]);
  if (min_share !== undefined) lows.push(['min_share', min_share * total]);
  if (max_share !== undefined) highs.push(['max_share', max_share * total]);
  if (change_limit !== undefined && current !== undefined) {
    lows.push(['change_limit', Math.max(0, current * (1 - change_limit))]);
    highs.push(['change_limit', current * (1 + change_limit)]);
  }
  const [lowName, low] = lows.reduce((a, b) => (b[1] > a[1] ? b : a));
  const [highName, high] = highs.reduce((a, b) => (b[1] < a[1] ? b : a));
  if (low > high) {
    throw new Infeasible(
      `The limits of ${name} contradict each other: \`${lowName}\` asks for at least ${low}, \`${highName}\` allows ${high}.`,
      [lowName, highName].map((limit) =>
        limit === 'budget' || limit === 'change_limit' ? limit : `${limit} of ${name}`,
      ),
    );
  }
  return {
    curve: curveOf(response, adstock_decay),
    decay: adstock_decay,
    low,
    high,
    most: highName === 'budget' ? Infinity : high,
    lowShare: lowName === 'min_share' ? (min_share ?? 0) : 0,
    highShare: highName === 'max_share' ? (max_share ?? 0) : 0,
  };
}

/** @throws {Infeasible} where the least spends exceed the total */
function checkLeastSpends(named: readonly Named[], channels: readonly Channel[], total: number, periods: number): void {
  const lowest = channels.reduce((sum, { low }) => sum + low * periods, 0);
  if (lowest <= total * (1 + 1e-12)) return;
  const shares = named.filter(({ min_share }) => (min_share ?? 0) > 0);
  const sum = shares.reduce((a, { min_share = 0 }) => a + min_share, 0);
  const words =
    sum > 1
      ? `${shares.length} minimum shares add up to ${Number(sum.toPrecision(6))} of the budget.`
      : `The least spends of the channels add up to ${Number(lowest.toPrecision(12))}, and the budget is ${total}.`;
  const names = named.flatMap(({ id: name, min, min_share }, i) =>
    channels[i].low > 0
      ? [min_share !== undefined && min_share * total >= min ? `min_share of ${name}` : `min of ${name}`]
      : [],
  );
  throw new Infeasible(words, [...names, 'budget']);
}
