/**
 * Common part of the economic order quantity and its variants: constant demand, and an average cost per time unit of K
 * D / Q for ordering plus terms that grow with Q.
 */
import type { z } from 'zod';
import { say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import { lineChart } from '../../charts/line-chart.js';
import type { Complain } from '../../fields.js';
import type { Json, JsonObject } from '../../../model/problem.js';
import { model, type AnyModel } from '../../problem-type.js';
import {
  checkHolding,
  HOLDING,
  type Holding,
  holdingCostOf,
  isNear,
  LABELS,
  positive,
  purchaseRemarks,
  sensitivityTo,
  spread,
  TOO_HIGH,
  unitOf,
} from './costs.js';

export const LOT_FIELDS = {
  demand_rate: positive('Units per time unit'),
  fixed_cost: positive('Cost of one order, whatever its size'),
  ...HOLDING,
  ...LABELS,
};

export interface Lot extends Holding {
  readonly demand_rate: number;
  readonly fixed_cost: number;
  readonly time_unit: string;
  readonly stockout_cost?: number;
  readonly production_rate?: number;
}

/** Costs per time unit, and for each unit of the order quantity. */
interface Slopes {
  readonly holding: number;
  readonly stockout: number;
}

interface Variant {
  readonly name: string;
  readonly summary: string;
  readonly fields: z.ZodObject<z.ZodRawShape>;
  readonly example: JsonObject;
  readonly title: string;
  readonly reason: string;
  /** Inputs of the config beside demand rate, fixed cost and holding cost. */
  readonly inputs: readonly ('stockout_cost' | 'production_rate')[];
  check?(config: Lot, complain: Complain): void;
  /** Slopes of the cost, with the decisions beside the quantity that suit `believed`; absent: with the best ones. */
  slopes(config: Lot, believed?: Lot): Slopes;
  /** Decisions beside the quantity. */
  further?(config: Lot): Readonly<Record<string, number>>;
  result(config: Lot, quantity: number): Readonly<Record<string, Json>>;
  explain(config: Lot, quantity: number): readonly Statement[];
}

interface Parts {
  readonly ordering: number;
  readonly holding: number;
  readonly stockout: number;
}

interface Costs {
  /** The best order quantity. */
  best(config: Lot): number;
  parts(config: Lot, quantity: number, believed?: Lot): Parts;
  cost(config: Lot, quantity: number, believed?: Lot): number;
  /** Extra cost, as a share, where an input is taken a tenth too high; null: the mistake does not fit the model. */
  sensitivity(config: Lot): Record<string, number | null>;
}

function costsOf(variant: Variant): Costs {
  const best = (config: Lot): number => {
    const { holding, stockout } = variant.slopes(config);
    return Math.sqrt((config.fixed_cost * config.demand_rate) / (holding + stockout));
  };
  const parts = (config: Lot, quantity: number, believed?: Lot): Parts => {
    const { holding, stockout } = variant.slopes(config, believed);
    const ordering = (config.fixed_cost * config.demand_rate) / quantity;
    return { ordering, holding: holding * quantity, stockout: stockout * quantity };
  };
  const cost = (config: Lot, quantity: number, believed?: Lot): number => {
    const { ordering, holding, stockout } = parts(config, quantity, believed);
    return ordering + holding + stockout;
  };
  const sensitivity = (config: Lot): Record<string, number | null> => {
    const truth: Lot = { ...config, holding_cost: holdingCostOf(config) };
    const inputs = ['demand_rate', 'fixed_cost', 'holding_cost', ...variant.inputs] as const;
    const mistaken = inputs.map((input) => [input, { ...truth, [input]: (truth[input] ?? 0) * TOO_HIGH }] as const);
    // A plant that is believed to be slower than demand has no lot size: the mistake does not fit the model.
    const possible = mistaken.filter(([, one]) => variant.slopes(one).holding > 0);
    const found = sensitivityTo(
      truth,
      Object.fromEntries(possible),
      (believed) => believed,
      (actual, believed) => cost(actual, best(believed), believed),
    );
    return Object.fromEntries(inputs.map((input) => [input, found[input] ?? null]));
  };
  return { best, parts, cost, sensitivity };
}

function explainLot(variant: Variant, costs: Costs, config: Lot, quantity: number, total: number): Statement[] {
  const { ordering, holding, stockout } = costs.parts(config, quantity);
  const unit = unitOf(config);
  const found = costs.sensitivity(config);
  const [worst, share] = Object.entries(found).reduce((a, b) => ((b[1] ?? 0) > (a[1] ?? 0) ? b : a));
  return [
    say(
      1,
      'result',
      `Order {order_quantity:unit|units} {orders:time|times} per ${unit}: that costs {cost} per ${unit}.`,
      {
        order_quantity: quantity,
        orders: config.demand_rate / quantity,
        cost: total,
      },
    ),
    ...variant.explain(config, quantity),
    say(2, 'choice', 'Larger orders save {ordering} of ordering and cost as much more for stock ({rest}).', {
      ordering,
      rest: holding + stockout,
    }),
    say(3, 'assumption', 'Demand is constant. A lead time moves the moment of ordering, not the quantity.', {}),
    say(4, 'sensitivity', `The worst of the inputs to take a tenth too high is ${worst}: {share} percent more.`, {
      share: 100 * (share ?? 0),
    }),
    say(5, 'alternatives', 'Twice the quantity costs {twice} per time unit, half of it the same.', {
      twice: costs.cost(config, 2 * quantity),
    }),
  ];
}

function drawCostCurve(variant: Variant, { cost, parts }: Costs, config: Lot, quantity: number, total: number): string {
  const at = spread(0.3 * quantity, 2.5 * quantity);
  const curve = (name: string, part: (q: number) => number) => ({
    name,
    points: at.map((q): [number, number] => [q, part(q)]),
  });
  const isShort = parts(config, quantity).stockout > 0;
  return lineChart({
    title: variant.title,
    xName: 'units per order',
    yName: `cost per ${config.time_unit}`,
    series: [
      curve('total', (q) => cost(config, q)),
      curve('ordering', (q) => parts(config, q).ordering),
      curve('holding', (q) => parts(config, q).holding),
      ...(isShort ? [curve('shortages', (q) => parts(config, q).stockout)] : []),
    ],
    marks: [{ at: [quantity, total], name: 'optimum' }],
  });
}

export function lotModel(variant: Variant): AnyModel {
  const costs = costsOf(variant);
  const { best, parts, cost, sensitivity } = costs;
  const furtherOf = (config: Lot): Readonly<Record<string, number>> => variant.further?.(config) ?? {};

  return model({
    name: variant.name,
    summary: variant.summary,
    fields: variant.fields as z.ZodObject<z.ZodRawShape, z.core.$strict> & z.ZodType<Lot>,
    example: variant.example,

    check(config, complain) {
      if (checkHolding(config, complain)) variant.check?.(config, complain);
    },

    sense: () => 'minimize',

    solve(config) {
      const quantity = best(config);
      const { ordering, holding, stockout } = parts(config, quantity);
      const total = ordering + holding + stockout;
      const further = furtherOf(config);
      return {
        method: 'closed_form',
        reason: variant.reason,
        bestSolution: [quantity, ...Object.values(further)],
        bestFitness: total,
        decisionVariables: ['order_quantity', ...Object.keys(further)],
        result: {
          order_quantity: quantity,
          ...further,
          cost: total,
          ordering_cost: ordering,
          holding_cost: holding,
          stockout_cost: stockout,
          purchase_cost: (config.unit_cost ?? 0) * config.demand_rate,
          cycle_time: quantity / config.demand_rate,
          orders_per_period: config.demand_rate / quantity,
          safety_stock: 0,
          service_level: { cycle: 1, fill_rate: 1 },
          average_inventory: holding / holdingCostOf(config),
          ...variant.result(config, quantity),
          sensitivity: sensitivity(config),
        },
        optimality: { status: 'optimal', bound: total, proof: 'closed_form' },
        evaluations: 1,
        assumptions: purchaseRemarks(config),
      };
    },

    verify(config, { bestSolution: [quantity = NaN], bestFitness }) {
      if (!isNear(cost(config, quantity), bestFitness)) return `the cost is ${cost(config, quantity)}`;
      const neighbours = [0.999, 1.001].map((factor) => cost(config, quantity * factor));
      return neighbours.every((other) => other >= bestFitness) ? null : 'a neighbouring order quantity costs less';
    },

    explain: (config, { bestSolution: [quantity = NaN], bestFitness }) =>
      explainLot(variant, costs, config, quantity, bestFitness),

    pictures: {
      cost_curve: (config, { bestSolution: [quantity = NaN], bestFitness }) =>
        drawCostCurve(variant, costs, config, quantity, bestFitness),
    },
  });
}
