/**
 * Positions with the most expected profit within a limit on the expected shortfall: a linear programme over scenarios.
 */
import { z } from 'zod';
import { handChecked } from '../../../common/hand-checked.js';
import { shown } from '../../../common/validation.js';
import { join, quote, say, type Clause } from '../../../explanation/say.js';
import type { ConstraintState, Remark } from '../../../model/problem.js';
import { barChart } from '../../charts/bar-chart.js';
import { amount, openShare } from '../../fields.js';
import { Infeasible, model, Unsolved, type SolveContext } from '../../problem-type.js';
import { HIGHS } from '../../solvers/highs/linear-solver.js';
import type { LinearProgram } from '../../solvers/linear-program.js';
import { lossesOf, tailOf, tailProgramme } from '../tail.js';
import { checkNames, limitsOf, namedShares, namesOf } from './holdings.js';
import {
  checkScenarios,
  lossPicture,
  meanOfTail,
  meansOf,
  MOST_HOLDINGS,
  normalized,
  probabilitiesField,
  scenarioTable,
  sizeOf,
  tailGains,
  tailShares,
  worstOf,
} from './scenarios.js';

const MOST_POSITION = 1e9;
/** A smaller gap to the bound, of the profit at stake, is none. */
const CLOSED = 1e-7;
/** Slopes of the size of a position's profit that are rounding. */
const FLAT = 1e-9;

type Pair = readonly [number, number];

const pair = (value: unknown): string | null => {
  if (!Array.isArray(value) || value.length !== 2) return `\`{field}\` must be [min, max], not ${shown(value)}.`;
  const bad = value.find((one) => typeof one !== 'number' || !(Math.abs(one) <= MOST_POSITION)) as unknown;
  if (bad !== undefined)
    return `\`{field}\` must have numbers from ${-MOST_POSITION} to ${MOST_POSITION}, not ${shown(bad)}.`;
  const [least, most] = value as unknown as Pair;
  return least > most ? `\`{field}\`: the least position (${least}) is above the largest (${most}).` : null;
};

const boundsField = handChecked<Pair | readonly Pair[]>(
  {
    anyOf: [
      { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
      { type: 'array', items: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 }, minItems: 1 },
    ],
    description: '[min, max] in units for every position, or one such pair for each; negative: short',
  },
  (value, complain) => {
    if (value === undefined) return complain([], '`{field}` is required.');
    if (!Array.isArray(value) || !Array.isArray(value[0])) {
      const message = pair(value);
      if (message !== null) complain([], message);
      return;
    }
    if (value.length > MOST_HOLDINGS) return complain([], `\`{field}\` can have at most ${MOST_HOLDINGS} pairs.`);
    for (const [j, one] of value.entries()) {
      const message = pair(one);
      if (message !== null) return complain([j], message);
    }
  },
);

const fields = z.strictObject({
  positions: namesOf('Names of the positions. Absent: their places, from "1"').optional(),
  scenario_pnl: scenarioTable('Profit or loss of one unit of each position (column) in each scenario (row), in money'),
  probabilities: probabilitiesField(),
  es_limit: amount('Largest expected shortfall, in money'),
  confidence: openShare('Confidence of the expected shortfall').default(0.975),
  position_bounds: boundsField,
  currency: z.string().min(1).max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;

const widthOf = ({ scenario_pnl }: Config): number => scenario_pnl[0].length;

const namesIn = (config: Config): readonly string[] =>
  config.positions ?? Array.from({ length: widthOf(config) }, (_, j) => String(j + 1));

const boundsOf = (config: Config): readonly Pair[] => {
  const { position_bounds: given } = config;
  return Array.isArray(given[0]) ? (given as readonly Pair[]) : new Array<Pair>(widthOf(config)).fill(given as Pair);
};

interface Found {
  readonly positions: readonly number[];
  /** Probabilities within the tail. */
  readonly shares: readonly number[];
  /** Expected profit that one more unit of the limit brings. */
  readonly price: number;
  readonly iterations: number;
}

interface Detail {
  readonly shares: readonly number[];
  readonly price: number;
}

/** Units in which profits and positions are near 1: tolerances of the solver are absolute. */
function unitsOf(config: Config): { readonly money: number; readonly position: number } {
  const money = sizeOf(config.scenario_pnl);
  const widest = boundsOf(config).reduce((most, [a, b]) => Math.max(most, Math.abs(a), Math.abs(b)), 0) || 1;
  const allowed = config.es_limit / money;
  return { money, position: allowed > 0 && allowed < widest ? allowed : widest };
}

/** `leastTail`: instead of the most profit, the least expected shortfall within the bounds. */
function programOf(config: Config, leastTail: boolean): LinearProgram {
  const { scenario_pnl, es_limit, confidence } = config;
  const { money, position } = unitsOf(config);
  const n = widthOf(config);
  const probabilities = normalized(config.probabilities);
  const scaled = scenario_pnl.map((row) => row.map((gain) => gain / money));
  const means = meansOf(scaled, probabilities);
  const tail = tailProgramme(scaled, confidence, { at: n, probabilities });
  const costs = new Map(tail.cvar);
  return {
    sense: leastTail ? 'minimize' : 'maximize',
    columns: [
      ...boundsOf(config).map(([least, most], j) => ({
        name: `position ${j + 1}`,
        cost: leastTail ? 0 : means[j],
        lower: least / position,
        upper: most / position,
      })),
      ...tail.columns.map((column, k) => ({ ...column, cost: leastTail ? (costs.get(n + k) ?? 0) : 0 })),
    ],
    rows: leastTail
      ? tail.rows
      : [...tail.rows, { name: 'es_limit', upper: es_limit / (money * position), terms: tail.cvar }],
  };
}

async function optimum(config: Config, context: SolveContext): Promise<Found> {
  const { status, values, rowDuals, iterations } = await context.solveLinear(programOf(config, false));
  if (status === 'infeasible') return explainInfeasible(config, context);
  if (values === null || rowDuals === null) {
    context.look();
    throw new Unsolved(`the linear programme ended as ${status}`);
  }
  const { money, position } = unitsOf(config);
  const count = config.scenario_pnl.length;
  const price = Math.max(0, rowDuals[count]);
  const probabilities = normalized(config.probabilities);
  const bounds = boundsOf(config);
  return {
    positions: bounds.map(([least, most], j) => Math.min(most, Math.max(least, values[j] * position)) + 0),
    // Duals of the scenarios are those of the limit's tail, times its price.
    shares: tailShares(
      rowDuals.subarray(0, count).map((dual) => (price > 0 ? Math.abs(dual) / price : 0)),
      config.confidence,
      probabilities,
    ),
    price: price * money > 0 ? price : 0,
    iterations,
  };
}

async function explainInfeasible(config: Config, context: SolveContext): Promise<never> {
  const { objective } = await context.solveLinear(programOf(config, true));
  context.look();
  const { money, position } = unitsOf(config);
  const least = objective === null ? '' : ` (the least is ${Number((objective * money * position).toPrecision(6))})`;
  throw new Infeasible(
    `No positions within position_bounds have an expected shortfall of at most ${config.es_limit}${least}.`,
    ['es_limit', 'position_bounds'],
  );
}

const profitOf = (means: readonly number[], positions: readonly number[]): number =>
  means.reduce((sum, mean, j) => sum + mean * positions[j], 0);

/**
 * No positions within bounds and limit earn more: profit + price x (limit - shortfall) is at least the profit, and
 * below it lies a function that is linear in each position.
 */
function boundOf(config: Config, { shares, price }: Detail): { readonly bound: number; readonly slopes: number[] } {
  const probabilities = normalized(config.probabilities);
  const means = meansOf(config.scenario_pnl, probabilities);
  const tail = tailGains(config.scenario_pnl, shares);
  const slopes = means.map((mean, j) => mean + price * tail[j]);
  let bound = price * config.es_limit;
  for (const [j, [least, most]] of boundsOf(config).entries()) {
    const size = Math.abs(means[j]) + Math.abs(price * tail[j]);
    if (Math.abs(slopes[j]) > FLAT * size) bound += slopes[j] > 0 ? slopes[j] * most : slopes[j] * least;
  }
  return { bound, slopes };
}

/** Size that a profit is compared with. */
const stake = (means: readonly number[], positions: readonly number[]): number =>
  means.reduce((sum, mean, j) => sum + Math.abs(mean * positions[j]), 0);

interface Result {
  readonly positions: Readonly<Record<string, number>>;
  readonly expected_pnl: number;
  readonly var: number;
  readonly cvar: number;
  readonly cvar_contributions: readonly number[];
  readonly limit_multiplier: number;
}

export const limitAllocation = model({
  name: 'limit_allocation',
  summary: 'Positions with the most expected profit within a limit on the expected shortfall.',
  fields,
  example: {
    model: 'limit_allocation',
    positions: ['Equity futures', 'Credit', 'Carry'],
    scenario_pnl: [
      [120, 15, 40],
      [-210, -60, -90],
      [60, 22, 35],
      [95, -10, 20],
      [-80, 30, 45],
      [150, 25, -15],
      [-40, -35, 30],
      [30, 18, 38],
    ],
    es_limit: 1500,
    confidence: 0.75,
    position_bounds: [
      [-10, 20],
      [0, 40],
      [0, 25],
    ],
    currency: 'EUR',
  },

  check(config, complain) {
    const { scenario_pnl, position_bounds, positions } = config;
    if (!checkScenarios(scenario_pnl, config.probabilities, { name: 'scenario_pnl', complain })) return;
    const n = widthOf(config);
    if (!checkNames(positions, n, { name: 'positions', complain })) return;
    if (Array.isArray(position_bounds[0]) && position_bounds.length !== n) {
      complain(
        ['position_bounds'],
        `\`{field}\` must have ${n} pairs, one for each position, not ${position_bounds.length}.`,
      );
    }
  },

  sense: () => 'maximize',

  async solve(config, context) {
    const { scenario_pnl, es_limit, confidence } = config;
    const names = namesIn(config);
    const probabilities = normalized(config.probabilities);
    const means = meansOf(scenario_pnl, probabilities);
    const { positions, shares, price, iterations } = await optimum(config, context);
    const profit = profitOf(means, positions);
    const losses = lossesOf(scenario_pnl, positions);
    const tail = tailOf(losses, confidence, probabilities);
    const { bound, slopes } = boundOf(config, { shares, price });
    const size = Math.max(stake(means, positions), price * es_limit);
    const largest = losses.reduce((most, loss) => Math.max(most, Math.abs(loss)), 0);
    if (!(bound - profit <= CLOSED * size) || tail.cvar > es_limit + 1e-7 * Math.max(es_limit, largest)) {
      throw new Unsolved(`a profit of ${profit} against a bound of ${bound}, a shortfall of ${tail.cvar}`);
    }
    const slack = es_limit - tail.cvar;
    const isBinding = slack <= 1e-8 * Math.max(es_limit, Math.abs(tail.var)) + 1e-12 * largest;
    const bounds = boundsOf(config);
    const parts = price > 0 ? tailGains(scenario_pnl, shares).map((gain, j) => 0 - gain * positions[j]) : null;
    const constraints: ConstraintState[] = [
      {
        name: 'es_limit',
        value: tail.cvar,
        limit: es_limit,
        slack,
        binding: isBinding,
        shadowPrice: isBinding ? price : 0,
      },
      ...limitsOf(positions, {
        names,
        lower: bounds.map(([least]) => least),
        upper: bounds.map(([, most]) => most),
        slopes,
        sense: 'maximize',
        what: 'position',
      }),
    ];
    return {
      method: 'lp',
      reason: 'expected profit and expected shortfall are linear in the positions and the losses beyond a threshold',
      bestSolution: positions,
      bestFitness: profit,
      decisionVariables: names,
      result: {
        positions: Object.fromEntries(names.map((name, j) => [name, positions[j]])),
        expected_pnl: profit,
        var: tail.var + 0,
        cvar: tail.cvar + 0,
        limit_used: es_limit > 0 ? tail.cvar / es_limit : null,
        limit_multiplier: isBinding ? price : 0,
        ...namedShares(parts ?? tailParts(config, positions), tail.cvar),
        worst_scenarios: worstOf(losses, probabilities),
      },
      optimality: { status: 'optimal', bound: Math.max(bound, profit), proof: 'convex_kkt' },
      evaluations: 1,
      iterations,
      library: HIGHS,
      constraints,
      assumptions: assumptionsOf(config),
      detail: { shares, price } satisfies Detail,
    };
  },

  verify(config, { bestSolution: positions, bestFitness, detail }) {
    const { scenario_pnl, es_limit, confidence } = config;
    for (const [j, [least, most]] of boundsOf(config).entries()) {
      if (positions[j] < least || positions[j] > most)
        return `position ${j + 1} (${positions[j]}) is outside its bounds`;
    }
    const probabilities = normalized(config.probabilities);
    const losses = lossesOf(scenario_pnl, positions);
    const shortfall = meanOfTail(losses, confidence, probabilities);
    const largest = losses.reduce((most, loss) => Math.max(most, Math.abs(loss)), 0);
    if (shortfall > es_limit + 1e-7 * Math.max(es_limit, largest)) return `an expected shortfall of ${shortfall}`;
    const profit = losses.reduce((sum, loss, s) => sum - loss * (probabilities?.[s] ?? 1 / losses.length), 0);
    const known = detail as Detail;
    const size = Math.max(stake(meansOf(scenario_pnl, probabilities), positions), known.price * es_limit);
    if (Math.abs(profit - bestFitness) > 1e-9 * Math.max(size, largest)) return `a profit of ${profit}`;
    const share = (s: number): number => (probabilities?.[s] ?? 1 / losses.length) / (1 - confidence);
    if (known.shares.some((one, s) => one < 0 || one > share(s) * (1 + 1e-6))) return 'a tail that is none';
    const { bound } = boundOf(config, known);
    return bound - bestFitness <= 10 * CLOSED * size ? null : `a bound of ${bound} above a profit of ${bestFitness}`;
  },

  explain(config, solution) {
    const { bestSolution, decisionVariables, bestFitness } = solution;
    const { cvar, limit_multiplier } = solution.result as unknown as Result;
    const largest = bestSolution
      .map((units, j) => ({ units, j }))
      .filter(({ units }) => units !== 0)
      .sort((a, b) => Math.abs(b.units) - Math.abs(a.units) || a.j - b.j)
      .slice(0, 5);
    const parts = largest.map(({ units, j }, k): Clause => ({
      template: `{units_${k + 1}} of ${quote(decisionVariables[j])}`,
      evidence: { [`units_${k + 1}`]: units },
    }));
    const listed = join(parts, ', ');
    const statements = [
      parts.length === 0
        ? say(1, 'result', 'Take no position: none earns anything within the limit.', {})
        : say(1, 'result', `Take ${listed.template}: the expected profit is {profit}.`, {
            ...listed.evidence,
            profit: bestFitness,
          }),
      say(1, 'result', 'The expected shortfall is {cvar}, against a limit of {limit}.', {
        cvar,
        limit: config.es_limit,
      }),
      say(2, 'choice', `This method: ${solution.reason}.`, {}),
      say(
        3,
        'assumption',
        'The scenarios are taken as all that can happen: losses beyond the worst of them are not counted.',
        {},
      ),
    ];
    if (limit_multiplier > 0) {
      statements.push(
        say(4, 'sensitivity', 'One more unit of the limit would add {profit} to the expected profit.', {
          profit: limit_multiplier,
        }),
      );
    }
    return statements;
  },

  pictures: {
    positions: (config, { bestSolution, result }) => {
      const names = namesIn(config);
      const { cvar_contributions: parts } = result as unknown as Result;
      const means = meansOf(config.scenario_pnl, normalized(config.probabilities));
      const order = names
        .map((_, j) => j)
        .filter((j) => bestSolution[j] !== 0)
        .sort((a, b) => Math.abs(parts[b]) - Math.abs(parts[a]) || a - b)
        .slice(0, 15);
      return barChart({
        title: 'Expected profit and part of the expected shortfall, by position',
        xName: config.currency ?? 'money',
        names: order.map((j) => names[j]),
        series: [
          { name: 'expected profit', values: order.map((j) => means[j] * bestSolution[j]) },
          { name: 'part of the shortfall', values: order.map((j) => parts[j]) },
        ],
      });
    },

    losses: (config, { bestSolution, result }) => {
      const { var: quantile, cvar } = result as unknown as Result;
      const probabilities = normalized(config.probabilities);
      const xName = `loss (${config.currency ?? 'money'}, negative: gain)`;
      return lossPicture(config.scenario_pnl, bestSolution, { probabilities, tail: { var: quantile, cvar }, xName });
    },
  },
});

/** Parts of the expected shortfall where no limit binds: those of the worst scenarios themselves. */
function tailParts({ scenario_pnl, confidence, probabilities: given }: Config, positions: readonly number[]): number[] {
  const probabilities = normalized(given);
  const losses = lossesOf(scenario_pnl, positions);
  const order = losses.map((_, s) => s).sort((a, b) => losses[b] - losses[a] || a - b);
  const shares = losses.map(() => 0);
  let left = 1;
  for (const s of order) {
    shares[s] = Math.min(left, (probabilities?.[s] ?? 1 / losses.length) / (1 - confidence));
    left -= shares[s];
    if (left <= 0) break;
  }
  return tailGains(scenario_pnl, shares).map((gain, j) => 0 - gain * positions[j]);
}

function assumptionsOf(config: Config): Remark[] {
  const remarks: Remark[] = [];
  if (config.confidence === 0.975) {
    remarks.push({ code: 'confidence', field: 'config.confidence', message: 'The confidence is 0.975.' });
  }
  if (config.probabilities === undefined) {
    const message = 'Every scenario is as likely as any other.';
    remarks.push({ code: 'equal_probabilities', field: 'config.probabilities', message });
  }
  const tailCount = config.scenario_pnl.length * (1 - config.confidence);
  if (tailCount < 5) {
    const message = `The tail is ${Number(tailCount.toPrecision(3))} of ${config.scenario_pnl.length} scenarios: its mean says little about other data.`;
    remarks.push({ code: 'few_tail_scenarios', field: 'config.scenario_pnl', message });
  }
  return remarks;
}
