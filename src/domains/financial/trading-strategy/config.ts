/** Configs of the rule models, and what contradicts itself in them. */
import { z } from 'zod';
import { handChecked } from '../../../common/hand-checked.js';
import { shown } from '../../../common/validation.js';
import { count, numbers, positive, share, type Complain } from '../../fields.js';
import { ConstraintError, parseConstraint } from './constraint.js';
import { MAX_COMBINATIONS, stepsOf } from './grid.js';
import { instantOf } from './market.js';
import { MAX_BARS, type Parameter, type Rule } from './rules.js';
import { OBJECTIVES } from './statistics.js';

/** Values of one parameter. */
export interface Range {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

const SMALLEST_PRICE = 1e-12;

export const prices = (description: string) =>
  numbers(description, { least: 2, most: MAX_BARS, minimum: SMALLEST_PRICE });

export const MAX_FOLDS = 500;

const ISO = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

const times = handChecked<readonly (string | number)[]>(
  {
    type: 'array',
    items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    minItems: 2,
    maxItems: MAX_BARS,
    description: 'Time of each bar, ascending: ISO 8601 (UTC where there is no zone) or numbers',
  },
  (value, complain) => {
    if (value === undefined) return complain([], '`{field}` is required.');
    if (!Array.isArray(value)) return complain([], `\`{field}\` must be an array of times, not ${shown(value)}.`);
    if (value.length < 2 || value.length > MAX_BARS) {
      return complain([], `\`{field}\` must have 2 to ${MAX_BARS} times, not ${value.length}.`);
    }
    let before = -Infinity;
    for (const [i, time] of (value as unknown[]).entries()) {
      const isNumber = typeof time === 'number';
      const isTime = isNumber ? Number.isFinite(time) : typeof time === 'string' && ISO.test(time);
      const instant = isTime ? instantOf(time as string | number) : NaN;
      if (Number.isNaN(instant)) {
        const message = `\`{field}\` must be a number or a time such as 2024-01-31, not ${shown(time)}.`;
        return complain([i], message);
      }
      if (typeof time !== typeof value[0]) return complain([i], '`{field}` must be of the kind that the first one is.');
      if (!(instant > before)) return complain([i], `\`{field}\` = ${shown(time)} must be after the bar before.`);
      before = instant;
    }
  },
);

const parameterField = ({ description, isWhole, min, max, default: usual }: Parameter) => {
  const own = (words: string) => (isWhole ? z.int() : z.number()).min(min).max(max).describe(words);
  const range = z.strictObject({
    min: own('Smallest value'),
    max: own('Largest value that is tried'),
    step: (isWhole ? z.int().min(1) : z.number().min(1e-6)).max(MAX_BARS).describe('From one value to the next'),
  });
  return z
    .union([own('The value'), range])
    .optional()
    .describe(`${description}: a number, or {min, max, step} to try. Default: ${usual}`);
};

/** Beyond, shares that are sold short would bring in next to nothing, and their number would grow without end. */
const MAX_COST = 0.5;

const cost = (description: string) =>
  z
    .number()
    .refine(
      (value) => value >= 0 && value <= MAX_COST,
      `\`{field}\` must be a decimal from 0 to ${MAX_COST}: write 0.1 percent as 0.001.`,
    )
    .meta({ minimum: 0, maximum: MAX_COST, description });

export const fieldsOf = (rule: Rule) =>
  z.strictObject({
    bars: z
      .strictObject({
        open: prices('Opens'),
        high: prices('Highs. Default: the closes').optional(),
        low: prices('Lows. Default: the closes').optional(),
        close: prices('Closes, adjusted for splits and dividends as the opens are'),
        time: times.optional(),
      })
      .optional()
      .describe('Prices of each bar, oldest first; or `close` alone'),
    close: prices('Closes, oldest first, where there are no opens').optional(),
    parameters: z
      .strictObject(Object.fromEntries(rule.parameters.map((one) => [one.name, parameterField(one)])))
      .default({})
      .describe('Each parameter of the rule: a number, or {min, max, step} of the values to try'),
    constraint: z
      .string()
      .optional()
      .describe('What every parameter set must satisfy, such as `fast < slow` or `2 * fast <= slow and fast > 5`'),
    direction: z.enum(['long_only', 'long_short']).default('long_only').describe('Whether it sells short'),
    objective: z.enum(OBJECTIVES).default('sharpe').describe('What is best; max_drawdown is to be small'),
    commission: cost('Share of the value of a trade, on each side').default(0),
    slippage: cost('Share of the price that a purchase pays more, and a sale gets less').default(0),
    execution: z
      .enum(['next_open', 'same_close'])
      .optional()
      .describe('Where a decision at a close is traded. Default: next_open, with `close` alone same_close'),
    signal: z
      .enum(['state', 'cross_event'])
      .default('state')
      .describe('state: the position follows the rule; cross_event: only a change of what the rule wants is acted on'),
    commission_model: z
      .enum(['per_side', 'entry_price_adjusted'])
      .default('per_side')
      .describe('per_side: on entry and exit; entry_price_adjusted: on entry alone, as a worse price'),
    cash_buffer: share('Share of the equity that stays uninvested').default(0),
    bars_per_year: positive('Bars in a year, for annual figures').min(1e-3).max(1e8).default(252),
    initial_cash: positive('Equity at the first bar').default(1),
    fractional_shares: z.boolean().default(true).describe('Whether parts of a share can be traded'),
    min_trades: count('Closed trades that a parameter set must have to be chosen', 0, MAX_BARS).default(0),
    validation: z
      .strictObject({
        method: z
          .enum(['none', 'holdout', 'walk_forward'])
          .default('none')
          .describe('holdout: the last bars are kept back; walk_forward: one window of bars after the other is'),
        train_bars: count('Bars that parameters are chosen on', 2, MAX_BARS).optional(),
        test_bars: count('Bars after them that parameters are tested on', 1, MAX_BARS).optional(),
        anchored: z.boolean().default(false).describe('walk_forward: whether the bars to choose on begin at the first'),
      })
      .default({ method: 'none', anchored: false })
      .describe('Data on which the choice is tested'),
    currency: z.string().max(10).optional().describe('ISO code, a label'),
  });

/** `parameters` by name: the schema of each rule has its own names. */
export type RuleConfig = Omit<z.output<ReturnType<typeof fieldsOf>>, 'parameters'> & {
  readonly parameters: Readonly<Record<string, number | Range | undefined>>;
};

export const barsOf = ({ bars, close }: RuleConfig): number => (bars?.close ?? close ?? []).length;

export function checkRule(rule: Rule, config: RuleConfig, complain: Complain): void {
  let isSound = true;
  const refuse: Complain = (path, message) => {
    if (isSound) complain(path, message);
    isSound = false;
  };
  checkData(config, refuse);
  if (isSound) checkCosts(config, refuse);
  if (isSound) checkParameters(rule, config, refuse);
  if (isSound) checkValidation(config, refuse);
}

function checkData({ bars, close, execution }: RuleConfig, refuse: Complain): void {
  if (bars === undefined && close === undefined) return refuse(['bars'], '`{field}` or `config.close` is required.');
  if (bars === undefined) {
    if (execution === 'next_open') {
      refuse(['execution'], '`{field}` next_open needs `config.bars` with opens: `config.close` has none.');
    }
    return;
  }
  if (close !== undefined) return refuse(['close'], '`{field}` does not go with `config.bars`, which has closes.');
  const length = bars.close.length;
  for (const name of ['open', 'high', 'low', 'time'] as const) {
    const own = bars[name]?.length ?? length;
    if (own !== length) {
      return refuse(
        ['bars', name],
        `\`{field}\` must have ${length} entries, as \`config.bars.close\` has, not ${own}.`,
      );
    }
  }
  const { high, low } = bars;
  if (high === undefined || low === undefined) return;
  const crossed = high.findIndex((value, i) => value < low[i]);
  if (crossed >= 0) {
    refuse(['bars', 'high', crossed], `\`{field}\` = ${high[crossed]} must be at least the low, ${low[crossed]}.`);
  }
}

function checkCosts({ cash_buffer }: RuleConfig, refuse: Complain): void {
  if (cash_buffer >= 1) refuse(['cash_buffer'], '`{field}` must be below 1: nothing would be invested.');
}

function checkParameters(rule: Rule, { parameters, constraint }: RuleConfig, refuse: Complain): void {
  let size = 1;
  for (const { name } of rule.parameters) {
    const given = parameters[name];
    if (given === undefined || typeof given === 'number') continue;
    if (given.max < given.min) {
      const path = ['parameters', name, 'max'];
      return refuse(
        path,
        `\`{field}\` = ${given.max} must be at least \`config.parameters.${name}.min\` = ${given.min}.`,
      );
    }
    size *= stepsOf(given);
    if (size > MAX_COMBINATIONS) {
      const message = `\`{field}\`: the values combine to more than ${MAX_COMBINATIONS} sets: take larger steps.`;
      return refuse(['parameters', name], message);
    }
  }
  if (constraint === undefined) return;
  try {
    parseConstraint(
      constraint,
      rule.parameters.map(({ name }) => name),
    );
  } catch (error) {
    if (!(error instanceof ConstraintError)) throw error;
    refuse(['constraint'], `\`{field}\` ${error.message}.`);
  }
}

function checkValidation(config: RuleConfig, refuse: Complain): void {
  const { method, train_bars, test_bars, anchored } = config.validation;
  const bars = barsOf(config);
  const given = (['train_bars', 'test_bars'] as const).filter((name) => config.validation[name] !== undefined);
  if (method === 'none' && given.length > 0) {
    return refuse(['validation', given[0]], '`{field}` goes with the methods holdout and walk_forward.');
  }
  if (anchored && method !== 'walk_forward') {
    return refuse(['validation', 'anchored'], '`{field}` goes with the method walk_forward.');
  }
  if (method === 'walk_forward') {
    for (const name of ['train_bars', 'test_bars'] as const) {
      if (config.validation[name] === undefined) {
        return refuse(['validation', name], '`{field}` is required with the method walk_forward.');
      }
    }
  }
  if (method === 'none') return;
  const least = (train_bars ?? 2) + (test_bars ?? 1);
  const folds = Math.ceil((bars - (train_bars ?? 2)) / (test_bars ?? 1));
  if (method === 'walk_forward' && folds > MAX_FOLDS) {
    const message = `\`{field}\` = ${test_bars} makes ${folds} folds, more than ${MAX_FOLDS}: test on more bars at a time.`;
    return refuse(['validation', 'test_bars'], message);
  }
  if (least > bars) {
    const at = test_bars === undefined ? 'train_bars' : 'test_bars';
    refuse(
      ['validation', at],
      `\`{field}\`: ${least} bars for the choice and the test are more than the ${bars} given.`,
    );
  }
}
