/** Common parts of the models of inventory: labels, the cost of holding, services, sensitivities. */
import { z } from 'zod';
import { quote } from '../../../explanation/say.js';
import { amountWithin, type Complain } from '../../fields.js';
import type { Remark } from '../../../model/problem.js';
import type { SolveContext } from '../../problem-type.js';

/** Beyond these, sums of costs lose the smaller ones to rounding. */
export const LEAST = 1e-9;
export const MOST = 1e12;

/** 0, or as `positive`. */
export const amount = amountWithin(LEAST, MOST);

export const positive = (description: string) => z.number().min(LEAST).max(MOST).describe(description);

/** Fields of every model. */
export const LABELS = {
  time_unit: z.string().max(40).default('year').describe('Label of the time unit'),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
};

/** Of models that count in whole time units, whose length only the client knows. */
export const LABELS_OF_PERIODS = {
  ...LABELS,
  time_unit: LABELS.time_unit.unwrap().default('period').describe('Label of the time unit, a period'),
};

/** The label of the time unit, for sentences: it is a client's text and no template. */
export const unitOf = ({ time_unit }: { readonly time_unit: string }): string => quote(time_unit);

/** The cost of holding a unit for one time unit: as an amount, or as a share of the price. */
export const HOLDING = {
  holding_cost: positive('Per unit and time unit. Or `unit_cost` and `holding_cost_rate`').optional(),
  unit_cost: amount('Price of a unit').optional(),
  holding_cost_rate: positive('Share of the price that holding a unit costs per time unit').optional(),
};

export interface Holding {
  readonly holding_cost?: number | undefined;
  readonly unit_cost?: number | undefined;
  readonly holding_cost_rate?: number | undefined;
}

/** Per unit and time unit. */
export const holdingCostOf = ({ holding_cost, unit_cost = NaN, holding_cost_rate = NaN }: Holding): number =>
  holding_cost ?? unit_cost * holding_cost_rate;

/** Complains unless exactly one of both ways is there. */
export function checkHolding({ holding_cost, unit_cost, holding_cost_rate }: Holding, complain: Complain): boolean {
  if (holding_cost !== undefined) {
    if (holding_cost_rate === undefined) return true;
    complain(['holding_cost_rate'], '`{field}` and `config.holding_cost` say the same: send one of them.');
  } else if (unit_cost === undefined || holding_cost_rate === undefined) {
    complain(['holding_cost'], '`{field}` is required, or `unit_cost` and `holding_cost_rate` instead.');
  } else if (unit_cost === 0) complain(['unit_cost'], '`{field}` must be above 0 where it gives the holding cost.');
  else return true;
  return false;
}

/** The price of the goods is spent whatever the policy, so that it is reported beside the cost. */
export const purchaseRemarks = ({ unit_cost }: Holding): Remark[] =>
  unit_cost === undefined
    ? []
    : [
        {
          code: 'purchase_apart',
          field: 'config.unit_cost',
          message: 'The price of the goods is the same for every policy: `purchase_cost` has it, `cost` does not.',
        },
      ];

/**
 * Cost, as a share of the least cost, of taking each input a tenth larger than it is. `act` gives the policy that is
 * best for a config, `cost` the cost of a policy under the true one. Null: the least cost is 0, the policy does not
 * work, or the time is up.
 */
export function sensitivityTo<Config, Policy>(
  truth: Config,
  mistaken: Readonly<Record<string, Config>>,
  act: (config: Config) => Policy,
  cost: (config: Config, policy: Policy) => number,
  { isOver }: Pick<SolveContext, 'isOver'> = { isOver: () => false },
): Record<string, number | null> {
  let least: number | null = null;
  const entries = Object.entries(mistaken).map(([name, config]) => {
    if (isOver()) return [name, null] as const;
    least ??= cost(truth, act(truth));
    const excess = cost(truth, act(config)) / least - 1;
    // A policy that was cut short is not what the mistake leads to.
    if (isOver()) return [name, null] as const;
    // Below that it is rounding.
    return [name, !Number.isFinite(excess) ? null : excess < 1e-12 ? 0 : excess] as const;
  });
  return Object.fromEntries(entries);
}

export const TOO_HIGH = 1.1;

/** Whether two numbers differ by no more than rounding does. */
export const isNear = (a: number, b: number, relative = 1e-9): boolean =>
  Math.abs(a - b) <= relative * Math.max(1e-300, Math.abs(a), Math.abs(b));

/** `points` places from `low` to `high`. */
export const spread = (low: number, high: number, points = 101): number[] =>
  Array.from({ length: points }, (_, i) => low + ((high - low) * i) / (points - 1));
