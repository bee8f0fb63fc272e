/** Config of a portfolio: its fields, their defaults and contradictions. */
import { z } from 'zod';
import { handChecked } from '../../../common/hand-checked.js';
import { shown } from '../../../common/validation.js';
import { checkSymmetric, correlationField } from '../covariance.js';
import {
  amount,
  checkUnique,
  count,
  id,
  list,
  matrix,
  number,
  numbers,
  openShare,
  positive,
  type Complain,
} from '../../fields.js';

export const MAX_ASSETS = 500;
export const MAX_PERIODS = 5_000;
const MAX_LIMITS = 200;

export const OBJECTIVES = [
  'max_sharpe',
  'min_volatility',
  'efficient_return',
  'efficient_risk',
  'max_utility',
  'max_return',
  'risk_parity',
  'max_diversification',
  'min_cvar',
  'hrp',
  'frontier',
] as const;
export type Objective = (typeof OBJECTIVES)[number];

const asset = z.strictObject({
  id: id.optional(),
  expected_return: number('Expected return of one period as a decimal, 0.08 for 8 percent').optional(),
  volatility: amount('Standard deviation of the return of one period, as a decimal').optional(),
  min_weight: number('Least weight. Absent: `min_weight` of the config').optional(),
  max_weight: number('Largest weight. Absent: `max_weight` of the config').optional(),
  group: z.string().min(1).max(200).describe('Group that `groups` limits, such as a sector').optional(),
  current_weight: number('Weight before the trade. Absent: 0').optional(),
  price: positive('Price of a share, for whole shares of `capital`').optional(),
});

/** Series of equal length by asset, or a matrix with a row for each period and a column for each asset. */
const series = (description: string, exclusiveMinimum: number | undefined) => {
  const range = { most: MAX_PERIODS, least: 2, exclusiveMinimum };
  const perAsset = numbers(description, range);
  const table = matrix(description, { most: MAX_PERIODS, least: 2 }, { ...range, least: 1, most: MAX_ASSETS });
  const json = {
    description,
    anyOf: [
      { type: 'object', additionalProperties: { type: 'array', items: { type: 'number' }, minItems: 2 } },
      { type: 'array', items: { type: 'array', items: { type: 'number' } }, minItems: 2 },
    ],
  };
  return handChecked<Readonly<Record<string, readonly number[]>> | readonly (readonly number[])[]>(
    json,
    (value, complain) => {
      if (Array.isArray(value)) return report(table, value, [], complain);
      if (typeof value !== 'object' || value === null) {
        return complain([], `\`{field}\` must be an object of series by asset, or a matrix, not ${shown(value)}.`);
      }
      const entries = Object.entries(value);
      if (entries.length === 0 || entries.length > MAX_ASSETS) {
        return complain([], `\`{field}\` must have 1 to ${MAX_ASSETS} series, not ${entries.length}.`);
      }
      const [first] = entries;
      for (const [name, one] of entries) {
        let isFine = true;
        report(perAsset, one, [name], (path, message) => {
          isFine = false;
          complain(path, message);
        });
        if (!isFine) return;
        const { length } = one as number[];
        const expected = (first?.[1] as number[]).length;
        if (length !== expected) {
          return complain([name], `\`{field}\` must have ${expected} numbers, as the first series has, not ${length}.`);
        }
      }
    },
  );
};

/** First finding of a schema at a path below. */
function report(schema: z.ZodType, value: unknown, path: readonly PropertyKey[], complain: Complain): void {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (issue !== undefined) complain([...path, ...issue.path], issue.message);
}

const weights = handChecked<Readonly<Record<string, number>>>(
  { type: 'object', additionalProperties: { type: 'number' }, description: 'Coefficient by asset' },
  (value, complain) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return complain([], `\`{field}\` must be an object of numbers by asset, not ${shown(value)}.`);
    }
    const bad = Object.entries(value).find(([, entry]) => typeof entry !== 'number' || !Number.isFinite(entry));
    if (bad !== undefined) complain([bad[0]], `\`{field}\` must be a finite number, not ${shown(bad[1])}.`);
  },
);

const limit = { min: number('Least value').optional(), max: number('Largest value').optional() };

export const FIELDS = z.strictObject({
  objective: z.enum(OBJECTIVES).default('max_sharpe').describe('What is best'),
  assets: list(asset, 'Assets with what is known of each, in the order of the answer', MAX_ASSETS).optional(),
  correlation: correlationField(MAX_ASSETS).optional(),
  expected_returns: numbers('Expected return of each asset, as decimals', { most: MAX_ASSETS }).optional(),
  covariance: matrix('Covariance of returns', { most: MAX_ASSETS }, { most: MAX_ASSETS }).optional(),
  prices: series('Prices, oldest first: series by asset, or rows of periods', 0).optional(),
  returns: series('Returns as decimals, oldest first: series by asset, or rows of periods', undefined).optional(),
  periods_per_year: positive('Periods of `prices` or `returns` in a year').default(252),
  return_estimator: z
    .enum(['geometric', 'arithmetic', 'ewma', 'capm'])
    .default('geometric')
    .describe('Expected returns from data: compound growth, mean, mean with a span of 500 periods, or by beta'),
  risk_estimator: z
    .enum(['sample', 'ewma', 'ledoit_wolf', 'semicovariance'])
    .optional()
    .describe('Covariance from data. Absent: sample, or ledoit_wolf with fewer than 3 periods for each asset'),
  risk_free_rate: number('Return without risk, of the period of the expected returns').default(0),
  target_return: number('Least expected return, for efficient_return and min_cvar').optional(),
  target_volatility: amount('Largest volatility, for efficient_risk').optional(),
  risk_aversion: positive('Utility is the return less half of this times the variance').default(1),
  min_weight: number('Least weight of every asset; negative allows short positions').default(0),
  max_weight: number('Largest weight of every asset').default(1),
  net_exposure: number('Sum of the weights').default(1),
  gross_exposure: positive('Largest sum of absolute weights. Absent: no limit').optional(),
  groups: list(
    z.strictObject({ group: z.string().min(1).max(200).describe('Group of assets'), ...limit }),
    'Limits on the weight of groups',
    MAX_LIMITS,
  ).optional(),
  constraints: list(
    z.strictObject({ id: id.optional(), weights, ...limit }),
    'Linear limits: sums of coefficients times weights',
    MAX_LIMITS,
  ).optional(),
  max_assets: count('Largest number of weights other than 0. Absent: no limit', 1, MAX_ASSETS).optional(),
  min_position: amount('Least weight of an asset that is held').default(0),
  max_turnover: amount('Largest sum of absolute changes of weights against current_weight').optional(),
  transaction_cost: amount('Cost of changing a weight by 1, deducted from the return').default(0),
  l2_penalty: amount('Adds this times the sum of squared weights to what is minimized').default(0),
  risk_budgets: numbers('Share of the risk for each asset, for risk_parity. Absent: equal', {
    most: MAX_ASSETS,
    exclusiveMinimum: 0,
  }).optional(),
  confidence: openShare('Confidence of VaR and CVaR').default(0.95),
  frontier_points: count('Points of the frontier', 2, 200).default(20),
  capital: positive('Money for an allocation in whole shares').optional(),
  prices_now: numbers('Price of a share of each asset', { most: MAX_ASSETS, exclusiveMinimum: 0 }).optional(),
  currency: z.string().min(1).max(20).describe('Label of the money').optional(),
});

export type Config = z.output<typeof FIELDS>;

/** Objectives that know limits on single weights and their sum at most. */
const UNLIMITED: readonly Objective[] = ['risk_parity', 'hrp'];
const NEEDS_RETURNS: readonly Objective[] = [
  'max_sharpe',
  'efficient_return',
  'efficient_risk',
  'max_utility',
  'max_return',
  'frontier',
];

const fromData = (config: Config): 'prices' | 'returns' | null =>
  config.prices !== undefined ? 'prices' : config.returns !== undefined ? 'returns' : null;

/** Names of the assets. */
export function idsOf(config: Config): string[] {
  const { assets, expected_returns, covariance } = config;
  const data = fromData(config);
  const columns = data === null ? undefined : config[data];
  if (columns !== undefined && !Array.isArray(columns)) return Object.keys(columns);
  const width = Array.isArray(columns) ? (columns as number[][])[0]?.length : undefined;
  const n = width ?? assets?.length ?? covariance?.length ?? expected_returns?.length ?? 0;
  return Array.from({ length: n }, (_, i) => assets?.[i]?.id ?? String(i + 1));
}

export interface Bound {
  readonly lower: number;
  readonly upper: number;
}

export const boundsOf = (config: Config): Bound[] =>
  idsOf(config).map((name, i) => {
    const own = assetOf(config, name, i);
    return { lower: own?.min_weight ?? config.min_weight, upper: own?.max_weight ?? config.max_weight };
  });

/** The asset's entry: by name where the data has names, else by place. */
export function assetOf(config: Config, name: string, i: number): NonNullable<Config['assets']>[number] | undefined {
  const data = fromData(config);
  const isNamed = data !== null && !Array.isArray(config[data]);
  return isNamed ? config.assets?.find((one) => one.id === name) : config.assets?.[i];
}

export const currentWeights = (config: Config): number[] =>
  idsOf(config).map((name, i) => assetOf(config, name, i)?.current_weight ?? 0);

export function checkPortfolio(config: Config, complain: Complain): void {
  // The first complaint counts: later checks may rest on earlier ones.
  checkForms(config, complain);
  checkTables(config, complain);
  checkLimits(config, complain);
  checkObjective(config, complain);
}

function checkForms(config: Config, complain: Complain): void {
  const { assets, correlation: given, expected_returns, covariance, prices, returns } = config;
  const data = fromData(config);
  if (prices !== undefined && returns !== undefined) {
    complain(['returns'], '`{field}`: give `prices` or `returns`, not both.');
  }
  if (data !== null) {
    if (covariance !== undefined) complain(['covariance'], `\`{field}\` and \`${data}\` exclude each other.`);
    if (given !== undefined) complain(['correlation'], `\`{field}\` and \`${data}\` exclude each other.`);
    const width = idsOf(config).length;
    const isNamed = !Array.isArray(config[data]);
    if (assets !== undefined && !isNamed && assets.length !== width) {
      complain(['assets'], `\`{field}\` must have ${width} entries, as \`${data}\` has columns, not ${assets.length}.`);
    }
    if (isNamed) {
      const names = new Set(idsOf(config));
      for (const [i, one] of (assets ?? []).entries()) {
        if (one.id === undefined || !names.has(one.id)) {
          complain(['assets', i, 'id'], `\`{field}\` must name a series of \`${data}\`.`);
        }
      }
    }
    for (const [i, one] of (assets ?? []).entries()) {
      if (one.volatility !== undefined) {
        complain(['assets', i, 'volatility'], `\`{field}\` is estimated from \`${data}\`: leave it out.`);
      }
    }
    if (data === 'prices') {
      const [first] = Array.isArray(prices) ? [prices as readonly unknown[]] : Object.values(prices ?? {});
      if ((first?.length ?? 0) < 3) complain(['prices'], '`{field}` must have at least 3 periods.');
    }
    checkUnique(
      idsOf(config).map((name) => ({ id: name })),
      'assets',
      complain,
    );
    return;
  }
  if (assets === undefined && covariance === undefined) {
    const forms = '`assets` with volatilities, `covariance`, `prices` or `returns`';
    complain(['assets'], `\`{field}\` is required: a portfolio needs ${forms}.`);
    return;
  }
  if (assets !== undefined) checkUnique(assets, 'assets', complain);
  if (covariance !== undefined) {
    if (given !== undefined) complain(['correlation'], '`{field}` and `covariance` exclude each other.');
    if (assets !== undefined && assets.length !== covariance.length) {
      complain(['assets'], `\`{field}\` must have ${covariance.length} entries, as \`covariance\` has rows.`);
    }
    if (expected_returns !== undefined && expected_returns.length !== covariance.length) {
      complain(['expected_returns'], `\`{field}\` must have ${covariance.length} numbers, as \`covariance\` has rows.`);
    }
    return;
  }
  for (const [i, { volatility }] of (assets ?? []).entries()) {
    if (volatility === undefined) {
      complain(['assets', i, 'volatility'], '`{field}` is required where there is neither `covariance` nor data.');
    }
  }
  if (expected_returns !== undefined && expected_returns.length !== assets?.length) {
    complain(['expected_returns'], `\`{field}\` must have ${assets?.length} numbers, one for each asset.`);
  }
}

function checkTables({ assets, correlation: given, covariance }: Config, complain: Complain): void {
  const tables = [
    ['correlation', typeof given === 'number' ? undefined : given, assets?.length],
    ['covariance', covariance, covariance?.length],
  ] as const;
  for (const [name, table, n] of tables) {
    if (table === undefined) continue;
    if (!checkSymmetric(table, n ?? 0, { name, complain })) return;
  }
}

function checkLimits(config: Config, complain: Complain): void {
  const { assets, groups, constraints, min_weight, max_weight, capital, prices_now, risk_budgets } = config;
  const { max_turnover, transaction_cost, min_position, gross_exposure, net_exposure } = config;
  const names = new Set(idsOf(config));
  if (min_weight > max_weight) {
    complain(['max_weight'], `\`{field}\` (${max_weight}) must not be below \`config.min_weight\` (${min_weight}).`);
  }
  for (const [i, one] of (assets ?? []).entries()) {
    const least = one.min_weight ?? min_weight;
    const most = one.max_weight ?? max_weight;
    const field = one.max_weight === undefined ? 'min_weight' : 'max_weight';
    if (least > most)
      complain(['assets', i, field], `\`{field}\`: a least weight of ${least} is above the largest, ${most}.`);
    if (min_position > 0 && least < 0) {
      complain(['min_position'], '`{field}` needs weights of at least 0: it is no limit on short positions.');
    }
    if (min_position > most) {
      complain(['min_position'], `\`{field}\` (${min_position}) is above the largest weight of an asset (${most}).`);
    }
  }
  if (min_position > 0 && min_weight < 0) {
    complain(['min_position'], '`{field}` needs weights of at least 0: it is no limit on short positions.');
  }
  if (gross_exposure !== undefined && gross_exposure < Math.abs(net_exposure)) {
    complain(['gross_exposure'], `\`{field}\` (${gross_exposure}) must not be below \`config.net_exposure\`.`);
  }
  const known = new Set((assets ?? []).map(({ group }) => group));
  for (const [i, { group, min = -Infinity, max = Infinity }] of (groups ?? []).entries()) {
    if (!known.has(group)) complain(['groups', i, 'group'], `\`{field}\`: no asset has the group ${shown(group)}.`);
    if (min > max)
      complain(['groups', i, 'max'], `\`{field}\` (${max}) must not be below the group's \`min\` (${min}).`);
  }
  for (const [i, { weights: own, min = -Infinity, max = Infinity }] of (constraints ?? []).entries()) {
    const unknown = Object.keys(own).find((name) => !names.has(name));
    if (unknown !== undefined) {
      complain(['constraints', i, 'weights', unknown], `\`{field}\`: there is no asset ${shown(unknown)}.`);
    }
    if (min > max) complain(['constraints', i, 'max'], `\`{field}\` (${max}) must not be below \`min\` (${min}).`);
    if (min === -Infinity && max === Infinity) {
      complain(['constraints', i], '`{field}` must have a `min` or a `max`.');
    }
  }
  if (
    (max_turnover !== undefined || transaction_cost > 0) &&
    (assets ?? []).every((one) => one.current_weight === undefined)
  ) {
    const field = max_turnover === undefined ? 'transaction_cost' : 'max_turnover';
    complain([field], '`{field}` needs `current_weight` of at least one asset.');
  }
  for (const [field, given] of [
    ['prices_now', prices_now],
    ['risk_budgets', risk_budgets],
  ] as const) {
    if (given !== undefined && given.length !== names.size) {
      complain([field], `\`{field}\` must have ${names.size} numbers, one for each asset, not ${given.length}.`);
    }
  }
  if (capital !== undefined && prices_now === undefined && config.prices === undefined) {
    const missing = idsOf(config).findIndex((name, i) => assetOf(config, name, i)?.price === undefined);
    if (missing >= 0) complain(['prices_now'], '`{field}` or a `price` of every asset is required with `capital`.');
  }
}

function checkObjective(config: Config, complain: Complain): void {
  const { objective, assets, target_return, target_volatility, returns, prices } = config;
  if (objective === 'efficient_return' && target_return === undefined) {
    complain(['target_return'], '`{field}` is required with the objective efficient_return.');
  }
  if (objective === 'efficient_risk' && target_volatility === undefined) {
    complain(['target_volatility'], '`{field}` is required with the objective efficient_risk.');
  }
  if (target_return !== undefined && objective !== 'efficient_return' && objective !== 'min_cvar') {
    complain(['target_return'], `\`{field}\` belongs to efficient_return and min_cvar, not to ${objective}.`);
  }
  if (target_volatility !== undefined && objective !== 'efficient_risk') {
    complain(['target_volatility'], `\`{field}\` belongs to the objective efficient_risk, not to ${objective}.`);
  }
  if (objective === 'min_cvar' && fromData(config) === null) {
    complain(['returns'], '`{field}` (or `prices`) is required with the objective min_cvar.');
  }
  const hasMeans = fromData(config) !== null || config.expected_returns !== undefined;
  if (!hasMeans && (NEEDS_RETURNS.includes(objective) || target_return !== undefined)) {
    if (assets === undefined)
      complain(['expected_returns'], `\`{field}\` is required with the objective ${objective}.`);
    for (const [i, one] of (assets ?? []).entries()) {
      if (one.expected_return === undefined) {
        complain(['assets', i, 'expected_return'], `\`{field}\` is required with the objective ${objective}.`);
      }
    }
  }
  if (config.risk_budgets !== undefined && objective !== 'risk_parity') {
    complain(['risk_budgets'], `\`{field}\` belongs to the objective risk_parity, not to ${objective}.`);
  }
  const unlimited = UNLIMITED.includes(objective);
  const others = ['groups', 'constraints', 'max_assets', 'max_turnover', 'gross_exposure'] as const;
  for (const field of others) {
    if (unlimited && config[field] !== undefined) {
      complain([field], `\`{field}\` cannot be held by the objective ${objective}: its rule gives all weights.`);
    }
  }
  for (const field of ['min_position', 'l2_penalty', 'transaction_cost'] as const) {
    if (unlimited && config[field] > 0)
      complain([field], `\`{field}\` has no meaning with the objective ${objective}.`);
  }
  if (unlimited && config.net_exposure <= 0) {
    complain(['net_exposure'], `\`{field}\` must be above 0 with the objective ${objective}.`);
  }
  if (unlimited && boundsOf(config).some(({ lower, upper }) => lower !== 0 || upper < config.net_exposure)) {
    const field =
      config.min_weight === 0 ? (config.max_weight < config.net_exposure ? 'max_weight' : 'assets') : 'min_weight';
    complain(
      [field],
      `\`{field}\`: limits on weights cannot be held by the objective ${objective}, whose rule gives all weights.`,
    );
  }
  const isRatio = objective === 'max_sharpe' || objective === 'max_diversification' || objective === 'frontier';
  if (isRatio && config.net_exposure <= 0) {
    complain(['net_exposure'], `\`{field}\` must be above 0 with the objective ${objective}.`);
  }
  if (objective === 'min_cvar' && config.l2_penalty > 0) {
    complain(['l2_penalty'], '`{field}` has no meaning with the objective min_cvar, which is linear.');
  }
  if (objective === 'risk_parity' && returns === undefined && prices === undefined) {
    const at = assets?.findIndex(({ volatility }) => volatility === 0) ?? -1;
    if (at >= 0 && config.covariance === undefined) {
      complain(['assets', at, 'volatility'], '`{field}` must be above 0: an asset without risk has no share of it.');
    }
  }
}
