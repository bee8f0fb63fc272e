/** Fields of the rule models. */
import { z } from 'zod';
import { numbers, share, positive, count } from '../../fields.js';
import { MAX_BARS, type Parameter, type Range } from './parameter.js';
import { handChecked } from '../../../common/hand-checked.js';
import { shown } from '../../../common/validation.js';
import { instantOf } from './instant.js';
import { OBJECTIVES } from './statistics.js';

const SMALLEST_PRICE = 1e-12;

export const prices = (description: string) =>
  numbers(description, { least: 2, most: MAX_BARS, minimum: SMALLEST_PRICE });

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

/** `parameters`: those of the rule. */
export const fieldsOf = ({ parameters }: { readonly parameters: readonly Parameter[] }) =>
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
      .strictObject(Object.fromEntries(parameters.map((one) => [one.name, parameterField(one)])))
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
