/**
 * Base-stock levels of a chain of stages, each of which supplies the next; the first one faces the customers, who wait.
 *
 * | symbol | is |
 * | --- | --- |
 * | h_j, L_j | echelon holding cost and lead time of stage j |
 * | p, H | cost of waiting; h_1 + ... + h_N |
 * | D_j | demand during L_j, normal |
 * | C_j(y) | cost per time unit of stages 1 .. j where stage j's echelon has y units on hand and on order |
 * | S_j | where C_j is least |
 *
 * C_1(y) = h_1 (y - E D_1) + (p + H) E[(D_1 - y)+], and C_j(y) = h_j (y - E D_j) + E[C_{j-1}(min(S_{j-1}, y - D_j))]:
 * stage j's levels follow from those of the stages before it. Source: Clark and Scarf, Management Science 6 (1960);
 * Snyder and Shen (2019), section 6.2.
 *
 * Numerics: each C_j is kept below S_j, where the next stage needs it, as values and slopes on a grid with cubic
 * interpolation, and as a line further down. Integrals are Gauss-Legendre sums over stretches of one deviation.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { lineChart, type Point } from '../../charts/line-chart.js';
import { checkUnique, list } from '../../fields.js';
import * as normal from '../../solvers/distributions/normal.js';
import { model } from '../../problem-type.js';
import { amount, LABELS, positive, sensitivityTo, spread, TOO_HIGH, unitOf } from './costs.js';
import { checkDemand, demandField, remarksOn } from './demand.js';
import { stageId } from './guaranteed-service.js';

const MAX_STAGES = 20;
/** Beyond so many deviations a normal demand is not followed. */
const REACH = 9;
const STEPS_PER_DEVIATION = 12;
const MOST_STEPS = 2_000;
/** Costs below this share of all of them are lost in sums. */
const NEGLIGIBLE = 1e-9;

interface Stage {
  readonly h: number;
  readonly mean: number;
  readonly sd: number;
}

interface Chain {
  readonly stages: readonly Stage[];
  readonly penalty: number;
}

interface Config {
  readonly stages: readonly {
    readonly id?: string | undefined;
    readonly echelon_holding_cost: number;
    readonly lead_time: number;
  }[];
  readonly demand: { readonly mean: number; readonly sd: number };
  readonly stockout_cost: number;
}

const chainOf = ({ stages, demand, stockout_cost }: Config): Chain => ({
  stages: stages.map(({ echelon_holding_cost, lead_time }) => ({
    h: echelon_holding_cost,
    mean: demand.mean * lead_time,
    sd: demand.sd * Math.sqrt(lead_time),
  })),
  penalty: stockout_cost,
});

/** Cost of a net stock of x at the stage that faces the customers, and its slope where that is smooth. */
interface Terminal {
  /** Where the demand of its lead time is still to come; `sd` may be 0. */
  value(y: number, stage: Stage): number;
  slope(y: number, stage: Stage): number;
}

/** c E[(D - y)+]. */
const backorders = (factor: number): Terminal => ({
  value: (y, { mean, sd }) => factor * (sd > 0 ? sd * normal.loss((y - mean) / sd) : Math.max(0, mean - y)),
  // At the kink of a certain demand: the slope from below.
  slope: (y, { mean, sd }) => -factor * (sd > 0 ? normal.tail((y - mean) / sd) : Number(y <= mean)),
});

/** P(D > y). */
const stockout: Terminal = {
  value: (y, { mean, sd }) => (sd > 0 ? normal.tail((y - mean) / sd) : Number(y < mean)),
  slope: (y, { mean, sd }) => (sd > 0 ? -normal.density((y - mean) / sd) / sd : 0),
};

/** A function up to `top`: on a grid above `low`, a line below it. `atTop` is its value there, also where it leaps. */
interface Left {
  readonly low: number;
  readonly top: number;
  readonly step: number;
  readonly values: Float64Array;
  readonly slopes: Float64Array;
  readonly atTop: number;
}

/** Cubic Hermite interpolation. */
function valueAt({ low, step, values, slopes }: Left, x: number): number {
  if (x <= low) return values[0] + slopes[0] * (x - low);
  const place = (x - low) / step;
  const i = Math.min(values.length - 2, Math.floor(place));
  const t = place - i;
  const s = 1 - t;
  return (
    s * s * ((1 + 2 * t) * values[i] + t * step * slopes[i]) +
    t * t * ((1 + 2 * s) * values[i + 1] - s * step * slopes[i + 1])
  );
}

function slopeAt({ low, step, values, slopes }: Left, x: number): number {
  if (x <= low) return slopes[0];
  const place = (x - low) / step;
  const i = Math.min(values.length - 2, Math.floor(place));
  const t = place - i;
  const rise = (values[i + 1] - values[i]) / step;
  return slopes[i] * (1 - t) * (1 - 3 * t) + slopes[i + 1] * t * (3 * t - 2) + 6 * rise * t * (1 - t);
}

/** Nodes and weights on -1 .. 1 (Abramowitz and Stegun, table 25.4, n = 8). */
const GAUSS: readonly (readonly [node: number, weight: number])[] = [
  [0.1834346424956498, 0.362683783378362],
  [0.525532409916329, 0.3137066458778873],
  [0.7966664774136267, 0.2223810344533745],
  [0.9602898564975363, 0.1012285362903763],
];

/** E[f(y - D) for y - D <= top], f as `of` gives it. */
function expectation(of: (x: number) => number, top: number, y: number, { mean, sd }: Stage): number {
  const from = y - mean - REACH * sd;
  const to = Math.min(top, y - mean + REACH * sd);
  if (!(to > from)) return 0;
  const panels = Math.ceil((to - from) / sd);
  const half = (to - from) / panels / 2;
  let sum = 0;
  for (let k = 0; k < panels; k++) {
    const centre = from + (2 * k + 1) * half;
    for (const [node, weight] of GAUSS) {
      for (const x of [centre - node * half, centre + node * half]) {
        sum += weight * of(x) * normal.density((y - x - mean) / sd);
      }
    }
  }
  return (sum * half) / sd;
}

interface Recursion {
  readonly levels: readonly number[];
  /** Cost of the whole chain at its levels. */
  readonly cost: number;
  /** C_j of each stage, anywhere. */
  readonly curves: readonly ((y: number) => number)[];
}

/** With `levels` null each stage takes its best one; `holds`: whether holding costs count. */
function recursion(
  { stages }: Chain,
  terminal: Terminal,
  holds: boolean,
  given: readonly number[] | null,
  look: () => void,
): Recursion {
  const levels: number[] = [];
  const curves: ((y: number) => number)[] = [];
  let before: Left | null = null;
  for (const [j, stage] of stages.entries()) {
    const h = holds ? stage.h : 0;
    const { mean, sd } = stage;
    const last: Left | null = before;
    let value: (y: number) => number;
    let slope: (y: number) => number;
    if (last === null) {
      value = (y) => h * (y - mean) + terminal.value(y, stage);
      slope = (y) => h + terminal.slope(y, stage);
    } else if (sd > 0) {
      const { top, atTop } = last;
      value = (y) =>
        h * (y - mean) +
        expectation((x) => valueAt(last, x), top, y, stage) +
        atTop * normal.cdf((y - top - mean) / sd);
      slope = (y) => h + expectation((x) => slopeAt(last, x), top, y, stage);
      if (last.values[last.values.length - 1] !== atTop) {
        // A leap at the top adds to the slope where the demand ends there.
        const leap = atTop - last.values[last.values.length - 1];
        const smooth = slope;
        slope = (y) => smooth(y) + (leap * normal.density((y - top - mean) / sd)) / sd;
      }
    } else {
      const { top, atTop } = last;
      value = (y) => h * (y - mean) + (y - mean >= top ? atTop : valueAt(last, y - mean));
      slope = (y) => h + (y - mean > top ? 0 : slopeAt(last, y - mean));
    }
    const low: number = (last === null ? 0 : Math.min(last.low, last.top)) + mean - REACH * sd;
    const level: number =
      given === null ? lowest(slope, low, (last?.top ?? 0) + mean + REACH * sd + 1e-9 * (1 + mean)) : given[j];
    levels.push(level);
    curves.push(value);
    const start: number = Math.min(low, level - 1e-9 * (1 + Math.abs(level)));
    const wanted = sd > 0 ? ((level - start) / sd) * STEPS_PER_DEVIATION : MOST_STEPS;
    const steps = Math.max(8, Math.min(MOST_STEPS, Math.ceil(wanted)));
    const step = (level - start) / steps;
    const values = new Float64Array(steps + 1);
    const slopes = new Float64Array(steps + 1);
    for (let i = 0; i <= steps; i++) {
      if (i % 32 === 0) look();
      // The last place is the level itself; a leap there belongs to `atTop`.
      const y = i === steps ? level : start + i * step;
      values[i] = value(y);
      slopes[i] = slope(y);
    }
    if (last === null && sd === 0 && level === mean) {
      // Seen from below.
      values[steps] = h * (level - mean) + terminal.value(level - 1e-12 * (1 + mean), stage);
    }
    before = { low: start, top: level, step, values, slopes, atTop: value(level) };
  }
  return { levels, cost: before?.atTop ?? NaN, curves };
}

/** Where a rising slope reaches 0, or the end after which it does not fall any more. */
function lowest(slope: (y: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  // The slope below is -p - (costs of the stages beyond), so that there is a place where the cost falls.
  for (let width = Math.max(1e-9, to - from); slope(low) >= 0 && width < 1e300; width *= 2) low -= width;
  // To the last bit, wherever it is: beside 0 that takes as many halvings as float64 has powers of two.
  for (;;) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    if (slope(middle) < 0) low = middle;
    else high = middle;
  }
  return low + (high - low) / 2;
}

const holdingSum = ({ stages }: Chain): number => stages.reduce((sum, { h }) => sum + h, 0);

/** Certain demand: each stage has what is asked for until it is served, and nobody waits. */
const certainLevels = ({ stages }: Chain): number[] => {
  let sum = 0;
  return stages.map(({ mean }) => (sum += mean));
};

const optimize = (chain: Chain, look: () => void): readonly number[] =>
  isCertain(chain)
    ? certainLevels(chain)
    : recursion(chain, backorders(chain.penalty + holdingSum(chain)), true, null, look).levels;

const isCertain = ({ stages }: Chain): boolean => stages.every(({ sd }) => sd === 0);

const costOf = (chain: Chain, levels: readonly number[], look: () => void): number =>
  isCertain(chain)
    ? certainCost(chain, levels)
    : recursion(chain, backorders(chain.penalty + holdingSum(chain)), true, levels, look).cost;

/** Positions that follow from the levels without chance. */
function certainCost(chain: Chain, levels: readonly number[]): number {
  const { stages, penalty } = chain;
  let position = Infinity;
  let cost = 0;
  for (let j = stages.length - 1; j >= 0; j--) {
    position = Math.min(levels[j], position) - stages[j].mean;
    cost += stages[j].h * position;
  }
  return cost + (penalty + holdingSum(chain)) * Math.max(0, -position);
}

/** The cost of given levels by sums over equally spaced normal demands: plainer, and less exact. */
function plainCost(chain: Chain, levels: readonly number[]): number {
  const weights = Array.from({ length: 321 }, (_, i): [number, number] => {
    const at = -8 + i * 0.05;
    return [at, normal.density(at) * 0.05];
  });
  const { stages, penalty } = chain;
  const factor = penalty + holdingSum(chain);
  const points = 6_001;
  let before: ((x: number) => number) | null = null;
  for (const [j, { h, mean, sd }] of stages.entries()) {
    const last: ((x: number) => number) | null = before;
    const value = (y: number): number =>
      weights.reduce((sum, [at, weight]) => {
        const x = y - mean - sd * at;
        return sum + weight * (h * x + (last === null ? factor * Math.max(0, -x) : last(x)));
      }, 0);
    const top = levels[j];
    if (j === stages.length - 1) return value(top);
    const low = top - 12 * stages.slice(0, j + 1).reduce((sum, one) => sum + one.sd, 1e-9 * (1 + Math.abs(top)));
    const step = (top - low) / (points - 1);
    const values = Float64Array.from({ length: points }, (_, i) => value(low + i * step));
    before = (x) => {
      // Below the grid goes on the line of its first stretch.
      const place = Math.min(points - 1, (Math.min(top, x) - low) / step);
      const i = Math.min(points - 2, Math.max(0, Math.floor(place)));
      return values[i] + (place - i) * (values[i + 1] - values[i]);
    };
  }
  return NaN;
}

export const multiEchelonSerial = model({
  name: 'multi_echelon_serial',
  summary: 'Base-stock levels of a chain of stages, of which the first faces the customers.',
  fields: z.strictObject({
    stages: list(
      z.strictObject({
        id: stageId.optional(),
        echelon_holding_cost: positive('What a unit costs more per time unit here than at the stage before'),
        lead_time: amount('Time units from an order to its arrival, where the supplier has stock').max(10_000),
      }),
      'From the customers upstream: each stage is supplied by the next one of the list',
      MAX_STAGES,
    ),
    stockout_cost: positive('Per customer that waits and time unit'),
    demand: demandField(['normal']),
    ...LABELS,
  }),
  example: {
    model: 'multi_echelon_serial',
    stages: [
      { id: 'shop', echelon_holding_cost: 3, lead_time: 1 },
      { id: 'warehouse', echelon_holding_cost: 2, lead_time: 1 },
      { id: 'plant', echelon_holding_cost: 2, lead_time: 2 },
    ],
    stockout_cost: 37.12,
    demand: { distribution: 'normal', mean: 5, sd: 1 },
    time_unit: 'week',
  },

  check({ stages, demand, stockout_cost }, complain) {
    if (!checkUnique(stages, 'stages', complain) || !checkDemand(demand, complain)) return;
    const least = NEGLIGIBLE * stages.reduce((sum, stage) => sum + stage.echelon_holding_cost, stockout_cost);
    const beside = 'all holding costs and the stockout cost together: levels would follow from rounding.';
    const light = stages.findIndex((stage) => stage.echelon_holding_cost < least);
    if (light >= 0) {
      complain(['stages', light, 'echelon_holding_cost'], `\`{field}\` is less than a billionth of ${beside}`);
    } else if (stockout_cost < least) {
      complain(['stockout_cost'], `\`{field}\` is less than a billionth of ${beside}`);
    } else if (demand.sd > 0 && demand.sd < 1e-6 * demand.mean) {
      complain(['demand', 'sd'], '`{field}` must be 0, or at least a millionth of `config.demand.mean`.');
    }
    const shortest = NEGLIGIBLE * Math.max(...stages.map((stage) => stage.lead_time));
    const short = stages.findIndex(({ lead_time }) => lead_time > 0 && lead_time < shortest);
    if (short >= 0) {
      complain(
        ['stages', short, 'lead_time'],
        '`{field}` must be 0, or at least a billionth of the longest lead time.',
      );
    }
  },

  sense: () => 'minimize',

  solve(config, context) {
    const look = (): void => context.look();
    const chain = chainOf(config);
    const levels = optimize(chain, look);
    const cost = costOf(chain, levels, look);
    const { stages } = chain;
    const waiting = isCertain(chain) ? 0 : recursion(chain, backorders(1), false, levels, look).cost;
    const ready = isCertain(chain) ? 1 : 1 - recursion(chain, stockout, false, levels, look).cost;
    const ids = config.stages.map((stage, i) => stage.id ?? String(i + 1));
    const byId = (values: readonly number[]): Record<string, number> =>
      Object.fromEntries(ids.map((name, i) => [name, values[i]]));
    // A level above that of a later stage is never reached.
    const reached = levels.map((_, j) => levels.slice(j).reduce((a, b) => Math.min(a, b)));
    const inputs: Record<string, Config> = {
      demand: { ...config, demand: { mean: config.demand.mean * TOO_HIGH, sd: config.demand.sd * TOO_HIGH } },
      echelon_holding_cost: {
        ...config,
        stages: config.stages.map((stage) => ({
          ...stage,
          echelon_holding_cost: stage.echelon_holding_cost * TOO_HIGH,
        })),
      },
      lead_time: {
        ...config,
        stages: config.stages.map((stage) => ({ ...stage, lead_time: stage.lead_time * TOO_HIGH })),
      },
      stockout_cost: { ...config, stockout_cost: config.stockout_cost * TOO_HIGH },
    };
    const total = stages.reduce((sum, { mean }) => sum + mean, 0);
    return {
      method: 'recursive_integration',
      reason: 'the best level of a stage depends on the stages nearer to the customers only',
      bestSolution: levels,
      bestFitness: cost,
      decisionVariables: ids.map((name) => `echelon_base_stock.${name}`),
      result: {
        echelon_base_stock: byId(levels),
        local_base_stock: byId(reached.map((level, j) => level - (j === 0 ? 0 : reached[j - 1]))),
        cost,
        ordering_cost: 0,
        holding_cost: cost - config.stockout_cost * waiting,
        stockout_cost: config.stockout_cost * waiting,
        purchase_cost: 0,
        average_backorders: waiting,
        safety_stock: (reached.at(-1) ?? 0) - total,
        service_level: { cycle: ready, fill_rate: ready },
        sensitivity: sensitivityTo<Config, readonly number[]>(
          config,
          inputs,
          (one) => (one === config ? levels : optimize(chainOf(one), look)),
          (truth, found) => costOf(chainOf(truth), found, look),
        ),
      },
      optimality: { status: 'optimal', bound: cost, proof: 'dynamic_programming' },
      evaluations: 1,
      iterations: stages.length,
      warnings: remarksOn(config.demand),
      assumptions: [
        {
          code: 'continuous_review',
          message:
            'Stock is known at all times, demands of different times are independent, and who finds no stock waits.',
        },
        {
          code: 'pipeline_included',
          message: 'Holding costs include the units on their way between stages.',
        },
      ],
    };
  },

  verify(config, { bestSolution: levels, bestFitness }) {
    const chain = chainOf(config);
    const plain = isCertain(chain) ? certainCost(chain, levels) : plainCost(chain, levels);
    const scale = Math.abs(bestFitness) + 1e-3 * holdingSum(chain) * Math.abs(levels.at(-1) ?? 0);
    if (!(Math.abs(plain - bestFitness) <= 2e-3 * scale)) return `plain sums give the cost ${plain}`;
    if (chain.stages.length > 4) return null;
    for (const [j, level] of levels.entries()) {
      const shift = 0.05 * Math.max(chain.stages[j].sd, 1e-3 * chain.stages[j].mean);
      for (const other of [level - shift, level + shift]) {
        const found = costOf(chain, levels.with(j, other), () => undefined);
        if (found < bestFitness - 1e-6 * scale) return `the level ${other} of stage ${j + 1} costs ${found}`;
      }
    }
    return null;
  },

  explain(config, { bestSolution: levels, bestFitness, result }) {
    const unit = unitOf(config);
    const service = result['service_level'] as { cycle: number };
    const sensitivity = result['sensitivity'] as Record<string, number | null>;
    return [
      say(
        1,
        'result',
        `{stages:stage holds and orders|stages together hold and order} up to {level:unit|units}, which costs {cost} per ${unit}.`,
        {
          stages: levels.length,
          level: levels.at(-1) ?? 0,
          cost: bestFitness,
        },
      ),
      say(1, 'result', 'Customers find stock with probability {ready}; {waiting} of them wait on average.', {
        ready: service.cycle,
        waiting: Number(result['average_backorders']),
      }),
      say(
        2,
        'choice',
        'Stage by stage from the customers on: what a stage holds too little costs the stages after it.',
        {},
      ),
      say(4, 'sensitivity', 'Taking the cost of waiting for a tenth more than it is costs {percent} percent.', {
        percent: 100 * (sensitivity['stockout_cost'] ?? 0),
      }),
    ];
  },

  pictures: {
    stage_costs: (config, { bestSolution: levels }) => {
      const chain = chainOf(config);
      if (isCertain(chain)) return null;
      const factor = backorders(chain.penalty + holdingSum(chain));
      const { curves } = recursion(chain, factor, true, levels, () => undefined);
      const shown = curves.slice(0, 7);
      const width = Math.max(...chain.stages.map(({ sd }) => sd));
      return lineChart({
        title: 'Cost of the stages up to each, by its echelon base-stock level',
        xName: 'units on hand and on order in the echelon',
        yName: `cost per ${config.time_unit}`,
        series: shown.map((curve, j) => ({
          name: `stage ${config.stages[j].id ?? j + 1}`,
          points: spread(levels[j] - 1.5 * width, levels[j] + 3 * width, 61).map((y): Point => [y, curve(y)]),
        })),
        marks: shown.map((curve, j) => ({ at: [levels[j], curve(levels[j])] as const, name: '' })),
      });
    },
  },
});
