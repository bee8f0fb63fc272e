/**
 * Base stock: at each review the stock on hand and on order is raised to one level, which has to last until the order
 * of the next review has arrived. Sources: level.ts.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { lineChart, type Point } from '../../charts/line-chart.js';

import { model, type Solution } from '../../problem-type.js';
import { amount, LABELS, positive, spread, unitOf } from './costs.js';
import { addsUp, checkDemand, demandOver, distributionOf, remarksOn, type Demand, type DemandSum } from './demand.js';
import {
  checkLevelCosts,
  criticalRatio,
  LEVEL_FIELDS,
  levelComplaint,
  levelSensitivity,
  mismatchOf,
  outcomeOf,
  serviceOf,
} from './level.js';

const MAX_DURATION = 1_000;

interface Timed {
  readonly demand: Demand;
  readonly lead_time: number;
  readonly review_period: number;
}

const sumOf = ({ demand, lead_time, review_period }: Timed, look: () => void = () => undefined): DemandSum =>
  demandOver(demand, lead_time + review_period, look);

const detailOf = (config: Timed, { detail }: Solution): DemandSum => (detail as DemandSum | undefined) ?? sumOf(config);

export const baseStock = model({
  name: 'base_stock',
  summary: 'At each review, raise the stock on hand and on order to one level.',
  fields: z.strictObject({
    ...LEVEL_FIELDS,
    lead_time: amount('Time units from an order to its arrival').max(MAX_DURATION),
    review_period: positive('Time units from one review to the next').max(MAX_DURATION).default(1),
    ...LABELS,
  }),
  example: {
    model: 'base_stock',
    holding_cost: 0.18,
    stockout_cost: 0.7,
    lead_time: 4,
    review_period: 1,
    demand: { distribution: 'normal', mean: 50, sd: 8 },
    time_unit: 'day',
  },

  check(config, complain) {
    const { demand, lead_time, review_period } = config;
    if (!checkLevelCosts(config, complain) || !checkDemand(demand, complain)) return;
    if (demand.distribution === 'lognormal' && demand.sigma > 1.5 && lead_time + review_period !== 1) {
      return complain(
        ['demand', 'sigma'],
        '`{field}` must be at most 1.5 where demand of several time units is added up.',
      );
    }
    if (addsUp(demand) || Number.isInteger(lead_time + review_period)) return;
    complain(
      ['lead_time'],
      `\`{field}\` and \`config.review_period\` must add up to whole time units for ${demand.distribution} demand.`,
    );
  },

  sense: () => 'minimize',

  solve(config, context) {
    const sum = sumOf(config, () => context.look());
    const { total, step } = sum;
    const costs = mismatchOf(config);
    const ratio = criticalRatio(costs);
    const level = total.quantile(ratio);
    const { cost, over, under, left, short } = outcomeOf(total, costs, level);
    const { lead_time, review_period } = config;
    const rate = distributionOf(config.demand).mean;
    const fill = 1 - short / (rate * review_period);
    return {
      method: 'closed_form',
      reason:
        'the level must cover the demand until the next order arrives, with the probability of the critical ratio',
      bestSolution: [level],
      bestFitness: cost,
      decisionVariables: ['base_stock_level'],
      result: {
        base_stock_level: level,
        critical_ratio: ratio,
        cost,
        ordering_cost: 0,
        holding_cost: over,
        stockout_cost: under,
        purchase_cost: (config.unit_cost ?? 0) * rate,
        expected_leftover: left,
        expected_shortage: short,
        cycle_time: review_period,
        orders_per_period: 1 / review_period,
        safety_stock: level - total.mean,
        service_level: { ...serviceOf(total, level), fill_rate: Math.min(1, Math.max(0, fill)) },
        // On hand at the end of a cycle, and half of the demand of a cycle more on average.
        average_inventory: left + (rate * review_period) / 2,
        sensitivity: levelSensitivity(config, total, -Infinity),
      },
      optimality:
        step === null
          ? { status: 'optimal', bound: cost, proof: 'closed_form' }
          : { status: 'heuristic', bound: null, proof: null },
      evaluations: 1,
      warnings: remarksOn(config.demand),
      assumptions: [
        {
          code: 'end_of_cycle',
          message:
            'Stock and backorders are charged per time unit as they stand at the end of each review period, before the next order arrives. Who finds no stock waits.',
        },
        ...(config.price === undefined
          ? []
          : [
              {
                code: 'margin_lost',
                field: 'config.price',
                message:
                  'A unit too few costs the margin, a unit too many the price less what it brings when left over.',
              },
            ]),
        ...(step === null
          ? []
          : [
              {
                code: 'demand_grid',
                field: 'config.demand',
                message: `The demand over ${lead_time + review_period} time units was added up on a grid of ${Number(step.toPrecision(3))} units.`,
              },
            ]),
      ],
      detail: sum,
    };
  },

  verify(config, solution) {
    const [level = NaN] = solution.bestSolution;
    const { total, step } = detailOf(config, solution);
    const costs = mismatchOf(config);
    // On a grid some of the far tail is missing.
    const off = step === null ? 1e-9 : 1e-4;
    const expected = distributionOf(config.demand).mean * (config.lead_time + config.review_period);
    if (!(Math.abs(total.mean - expected) <= off * expected)) return `the demand has the mean ${total.mean}`;
    const short = total.shortage(level);
    const cost = costs.over * (level - expected + short) + costs.under * short;
    const scale = (costs.over + costs.under) * (expected + Math.abs(level));
    if (!(Math.abs(cost - solution.bestFitness) <= off * scale)) return `the parts add up to ${cost}`;
    return levelComplaint(total, costs, level, -Infinity);
  },

  explain(config, solution) {
    const [level = NaN] = solution.bestSolution;
    const { total } = detailOf(config, solution);
    const costs = mismatchOf(config);
    const unit = unitOf(config);
    const at = (one: number): number => outcomeOf(total, costs, one).cost;
    return [
      say(
        1,
        'result',
        `Every {review:${unit}|${unit}s}, order up to {level:unit|units}: that costs {cost} per ${unit}.`,
        {
          review: config.review_period,
          level,
          cost: solution.bestFitness,
        },
      ),
      say(1, 'result', 'Of these, {safety:unit is|units are} safety stock beyond the expected demand of {mean}.', {
        safety: level - total.mean,
        mean: total.mean,
      }),
      say(
        2,
        'choice',
        'A unit too few costs {under}, one too many {over}: so stock should last with probability {ratio}.',
        {
          under: costs.under,
          over: costs.over,
          ratio: criticalRatio(costs),
        },
      ),
      say(
        4,
        'sensitivity',
        'A level that is a tenth higher costs {more} more, one that is a tenth lower {less} more.',
        {
          more: at(level * 1.1) - at(level),
          less: at(level * 0.9) - at(level),
        },
      ),
      say(5, 'alternatives', 'Without safety stock the cost would be {cost}.', { cost: at(total.mean) }),
    ];
  },

  pictures: {
    cost_curve: (config, { bestSolution: [level = NaN], bestFitness }) => {
      const { total } = sumOf(config);
      const costs = mismatchOf(config);
      const low = Math.min(total.quantile(0.01), level);
      const high = Math.max(total.quantile(0.995), level, low + Math.max(1, Math.abs(low) * 0.1));
      const curve = (name: string, of: (one: number) => number) => ({
        name,
        points: spread(low, high).map((one): Point => [one, of(one)]),
      });
      return lineChart({
        title: 'Cost of a base-stock level',
        xName: 'units on hand and on order after a review',
        yName: `cost per ${config.time_unit}`,
        series: [
          curve('total', (one) => outcomeOf(total, costs, one).cost),
          curve('holding', (one) => outcomeOf(total, costs, one).over),
          curve('backorders', (one) => outcomeOf(total, costs, one).under),
        ],
        marks: [{ at: [level, bestFitness], name: 'optimum' }],
      });
    },
  },
});
