/**
 * Weights whose worst outcomes cost least on average: a linear programme over scenarios; under normal returns a convex
 * problem in mean and deviation, solved by quadratic programmes.
 */
import { z } from 'zod';
import { join, quote, say, type Clause } from '../../../explanation/say.js';
import type { ConstraintState, JsonObject, Remark } from '../../../model/problem.js';
import { barChart } from '../../charts/bar-chart.js';
import { matrix, number, numbers, openShare } from '../../fields.js';
import { Infeasible, model, Unsolved, type SolveContext, type Solution } from '../../problem-type.js';
import { HIGHS } from '../../solvers/highs/linear-solver.js';
import type { LinearProgram } from '../../solvers/linear-program.js';
import { checkSymmetric, semidefinite } from '../covariance.js';
import { lossesOf, tailOf, tailProgramme, type Tail } from '../tail.js';
import { checkNames, isAt, limitField, limitsOf, namedShares, namesOf, oneForEach } from './holdings.js';
import { gradientAt, multiplierOfTail, normalOptimum, tailOfNormal, varianceOf, type Normal } from './normal-tail.js';
import { leastOver, mostOver } from './simplex.js';
import {
  checkScenarios,
  lossPicture,
  meanOfTail,
  meansOf,
  MOST_HOLDINGS,
  normalized,
  normalLossPicture,
  probabilitiesField,
  scenarioTable,
  sizeOf,
  tailGains,
  tailShares,
  worstOf,
} from './scenarios.js';

/** Weights beyond it are no weights of a portfolio. */
const MOST_WEIGHT = 1_000;
/** A smaller gap to the bound, of the size of the losses, is none. */
const CLOSED = 1e-7;
/** Smaller weights are 0. */
const NONE = 1e-12;

const fields = z.strictObject({
  assets: namesOf('Names of the assets. Absent: their places, from "1"').optional(),
  distribution: z
    .enum(['scenarios', 'normal'])
    .default('scenarios')
    .describe('Returns as in `scenario_returns`, or normal with `expected_returns` and `covariance`'),
  scenario_returns: scenarioTable('Return of each asset (column) in each scenario (row), as decimals').optional(),
  probabilities: probabilitiesField(),
  expected_returns: numbers('Expected return of each asset, as decimals', {
    most: MOST_HOLDINGS,
    minimum: -1e6,
    maximum: 1e6,
  }).optional(),
  covariance: matrix(
    'Covariance of returns',
    { most: MOST_HOLDINGS },
    { most: MOST_HOLDINGS, minimum: -1e9, maximum: 1e9 },
  ).optional(),
  confidence: openShare('Confidence of VaR and CVaR').default(0.95),
  min_expected_return: number('Least expected return, of the same period. Absent: no limit').optional(),
  min_weight: limitField('Least weight: one number, or one for each asset', MOST_WEIGHT).default(0),
  max_weight: limitField('Largest weight: one number, or one for each asset', MOST_WEIGHT).default(1),
});

type Config = z.output<typeof fields>;

interface Problem {
  readonly n: number;
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly means: readonly number[];
  readonly target: number | undefined;
  readonly confidence: number;
  /** Null: normal. */
  readonly scenarios: readonly (readonly number[])[] | null;
  readonly probabilities: readonly number[] | null;
  readonly normal: Normal | null;
  readonly warnings: readonly Remark[];
}

const widthOf = ({ scenario_returns, covariance }: Config): number =>
  scenario_returns?.[0]?.length ?? covariance?.length ?? 0;

const namesIn = (config: Config): readonly string[] =>
  config.assets ?? Array.from({ length: widthOf(config) }, (_, j) => String(j + 1));

function problemOf(config: Config): Problem {
  const n = widthOf(config);
  const { scenario_returns, confidence, covariance = [], expected_returns = [] } = config;
  const warnings: Remark[] = [];
  const probabilities = normalized(config.probabilities);
  const isNormal = config.distribution === 'normal';
  const means = isNormal ? expected_returns : meansOf(scenario_returns ?? [], probabilities);
  const table = isNormal ? semidefinite(Float64Array.from(covariance.flat()), n, warnings) : null;
  return {
    n,
    lower: oneForEach(config.min_weight, n),
    upper: oneForEach(config.max_weight, n),
    means,
    target: config.min_expected_return,
    confidence,
    scenarios: isNormal ? null : (scenario_returns ?? []),
    probabilities,
    normal: table === null ? null : { means, covariance: table, factor: multiplierOfTail(confidence) },
    warnings,
  };
}

interface Found {
  readonly weights: readonly number[];
  readonly tail: Tail;
  /** Gradient of the CVaR, by weight; at a kink, one that proves the optimum. */
  readonly gradient: readonly number[];
  /** Cost of one more unit of the required expected return. */
  readonly priceOfReturn: number;
  readonly iterations: number;
  readonly method: 'lp' | 'convex_qp' | 'closed_form';
  readonly library?: string;
  readonly shares?: readonly number[];
  readonly deviation?: number;
}

/** @throws {Infeasible} */
function checkLimits({ lower, upper, means, target }: Problem): void {
  const shown = (value: number): string => String(Number(value.toPrecision(6)));
  const least = lower.reduce((sum, value) => sum + value, 0);
  const most = upper.reduce((sum, value) => sum + value, 0);
  if (least > 1 + 1e-9) {
    throw new Infeasible(`The least weights add up to ${shown(least)}, more than 1.`, ['min_weight', 'weights_sum']);
  }
  if (most < 1 - 1e-9) {
    throw new Infeasible(`The largest weights add up to ${shown(most)}, less than 1.`, ['max_weight', 'weights_sum']);
  }
  if (target === undefined) return;
  const highest = mostOver(means, lower, upper).value;
  if (highest < target - 1e-12 * Math.max(1, Math.abs(target))) {
    const free = mostOver(means, lower, lower.map(() => Infinity)); // prettier-ignore
    const message = `The highest expected return within the limits on weights is ${shown(highest)}, below min_expected_return ${shown(target)}.`;
    throw new Infeasible(message, ['min_expected_return', free.value < target ? 'min_weight' : 'max_weight']);
  }
}

async function overScenarios(problem: Problem, context: SolveContext): Promise<Found> {
  const { n, lower, upper, means, target, confidence, probabilities } = problem;
  const scenarios = problem.scenarios ?? [];
  // In units of the largest return: tolerances of the solver are absolute.
  const unit = sizeOf(scenarios);
  const scaled = scenarios.map((row) => row.map((value) => value / unit));
  const tail = tailProgramme(scaled, confidence, { at: n, probabilities });
  const costs = new Map(tail.cvar);
  const hasTarget = target !== undefined;
  const program: LinearProgram = {
    sense: 'minimize',
    columns: [
      ...lower.map((least, j) => ({ name: `weight ${j + 1}`, cost: 0, lower: least, upper: upper[j] })),
      ...tail.columns.map((column, k) => ({ ...column, cost: costs.get(n + k) ?? 0 })),
    ],
    rows: [
      ...tail.rows,
      { name: 'weights_sum', lower: 1, upper: 1, terms: lower.map((_, j) => [j, 1] as const) },
      ...(hasTarget
        ? [{ name: 'min_expected_return', lower: target / unit, terms: means.map((mean, j) => [j, mean / unit] as const) }] // prettier-ignore
        : []),
    ],
  };
  const { status, values, rowDuals, iterations } = await context.solveLinear(program);
  if (values === null || rowDuals === null) {
    context.look();
    throw new Unsolved(`the linear programme ended as ${status}`);
  }
  const weights = Array.from(values.subarray(0, n), (weight) => (Math.abs(weight) < NONE ? 0 : weight));
  const shares = tailShares(rowDuals.subarray(0, scenarios.length), confidence, probabilities);
  return {
    weights,
    tail: tailOf(lossesOf(scenarios, weights), confidence, probabilities),
    gradient: tailGains(scenarios, shares).map((gain) => 0 - gain),
    priceOfReturn: hasTarget ? Math.max(0, rowDuals[scenarios.length + 1]) : 0,
    iterations,
    method: 'lp',
    library: HIGHS,
    shares,
  };
}

async function underNormal(problem: Problem, normal: Normal, context: SolveContext): Promise<Found> {
  const { lower, upper, target, confidence } = problem;
  const found = await normalOptimum(normal, { lower, upper, target }, context);
  const weights = found.weights.map((weight) => (Math.abs(weight) < NONE ? 0 : weight));
  const gradient = gradientAt(normal, weights, found.deviation);
  return { ...found, weights, gradient, tail: tailOfNormal(normal, weights, confidence) };
}

/** No weights within the limits have a smaller CVaR: it lies above its tangent, which is least at a corner. */
function boundOf({ lower, upper, means, target = 0 }: Problem, gradient: readonly number[], price: number): number {
  const turned = gradient.map((slope, j) => slope - price * means[j]);
  return leastOver(turned, lower, upper).value + price * target;
}

const lossSize = ({ scenarios, normal, lower, upper }: Problem): number => {
  const largest = Math.max(1, ...lower.map(Math.abs), ...upper.map((most) => Math.min(1, Math.abs(most))));
  if (scenarios !== null) return sizeOf(scenarios) * Math.min(largest, 10);
  const { means, covariance, factor } = normal as Normal;
  const n = means.length;
  return means.reduce((most, mean, j) => Math.max(most, Math.abs(mean) + factor * Math.sqrt(covariance[j * (n + 1)])), 1e-300); // prettier-ignore
};

function constraintsOf(
  problem: Problem,
  names: readonly string[],
  { weights, gradient, priceOfReturn }: Pick<Found, 'weights' | 'gradient' | 'priceOfReturn'>,
): ConstraintState[] {
  const { lower, upper, means, target } = problem;
  const slopes = gradient.map((slope, j) => slope - priceOfReturn * means[j]);
  const states: ConstraintState[] = [];
  const sum = weights.reduce((total, weight) => total + weight, 0);
  states.push({ name: 'weights_sum', value: sum, limit: 1, slack: 0, binding: true });
  if (target !== undefined) {
    const value = weights.reduce((total, weight, j) => total + weight * means[j], 0);
    const slack = value - target;
    const binding = slack <= 1e-9 * Math.max(1e-3, Math.abs(target));
    states.push({
      name: 'min_expected_return',
      value,
      limit: target,
      slack,
      binding,
      shadowPrice: binding ? priceOfReturn : 0,
    });
  }
  // Weights inside their limits all have the slope that the sum of weights is worth.
  const inside = weights.findIndex((weight, j) => !isAt(weight, lower[j]) && !isAt(weight, upper[j]));
  const own = inside < 0 ? null : slopes.map((slope) => slope - slopes[inside]);
  states.push(...limitsOf(weights, { names, lower, upper, slopes: own, sense: 'minimize', what: 'weight' }));
  return states;
}

function resultOf(problem: Problem, names: readonly string[], found: Found): JsonObject {
  const { means, scenarios, probabilities } = problem;
  const { weights, tail, gradient } = found;
  const parts = weights.map((weight, j) => weight * gradient[j]);
  const cvar = parts.reduce((sum, part) => sum + part, 0);
  return {
    weights: Object.fromEntries(names.map((name, j) => [name, weights[j] + 0])),
    var: tail.var + 0,
    cvar: tail.cvar + 0,
    expected_return: weights.reduce((sum, weight, j) => sum + weight * means[j], 0),
    ...namedShares(parts, cvar),
    ...(scenarios === null ? {} : { worst_scenarios: worstOf(lossesOf(scenarios, weights), probabilities) }),
    ...(problem.normal === null ? {} : { volatility: Math.sqrt(varianceOf(problem.normal, weights)) }),
  };
}

/** Which limit the weights break; null: none. */
function limitComplaint(problem: Problem, weights: readonly number[]): string | null {
  const { lower, upper, means, target } = problem;
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (Math.abs(sum - 1) > 1e-7) return `the weights add up to ${sum}`;
  const out = weights.findIndex((weight, j) => weight < lower[j] - 1e-7 || weight > upper[j] + 1e-7);
  if (out >= 0) return `weight ${out + 1} (${weights[out]}) is outside its limits`;
  const earned = weights.reduce((total, weight, j) => total + weight * means[j], 0);
  const isShort = target !== undefined && earned < target - 1e-7 * Math.max(lossSize(problem), Math.abs(target));
  return isShort ? `an expected return of ${earned} instead of ${target}` : null;
}

export const minCvar = model({
  name: 'min_cvar',
  summary: 'Weights whose mean loss in the worst cases (CVaR) is least, over scenarios or under normal returns.',
  fields,
  example: {
    model: 'min_cvar',
    assets: ['World equity', 'Government bonds', 'Gold'],
    scenario_returns: [
      [0.031, 0.004, -0.012],
      [-0.042, 0.011, 0.025],
      [0.018, -0.003, 0.007],
      [-0.087, 0.019, 0.041],
      [0.054, -0.008, -0.022],
      [0.012, 0.002, 0.015],
      [-0.023, -0.012, -0.031],
      [0.039, 0.006, 0.004],
      [0.007, -0.015, 0.019],
      [-0.011, 0.009, -0.008],
      [0.046, 0.001, 0.011],
      [-0.064, -0.006, 0.033],
    ],
    confidence: 0.75,
    min_expected_return: 0.003,
    max_weight: 0.7,
  },

  check(config, complain) {
    const { distribution, scenario_returns, covariance, expected_returns, min_weight, max_weight } = config;
    const isNormal = distribution === 'normal';
    const own = isNormal ? (['expected_returns', 'covariance'] as const) : (['scenario_returns'] as const);
    const others = isNormal
      ? (['scenario_returns', 'probabilities'] as const)
      : (['expected_returns', 'covariance'] as const);
    for (const name of own) {
      if (config[name] === undefined) {
        const more = isNormal ? '' : ' (or set `distribution` to normal, with `expected_returns` and `covariance`)';
        return complain([name], `\`{field}\` is required with the distribution ${distribution}${more}.`);
      }
    }
    for (const name of others) {
      if (config[name] !== undefined) {
        return complain([name], `\`{field}\` has no meaning with the distribution ${distribution}.`);
      }
    }
    if (scenario_returns !== undefined) {
      if (!checkScenarios(scenario_returns, config.probabilities, { name: 'scenario_returns', complain })) return;
    }
    const n = widthOf(config);
    if (covariance !== undefined) {
      if (!checkSymmetric(covariance, n, { name: 'covariance', complain })) return;
      if (expected_returns?.length !== n) {
        return complain(
          ['expected_returns'],
          `\`{field}\` must have ${n} numbers, as \`config.covariance\` has rows, not ${expected_returns?.length}.`,
        );
      }
    }
    if (!checkNames(config.assets, n, { name: 'assets', complain })) return;
    for (const [name, given] of [
      ['min_weight', min_weight],
      ['max_weight', max_weight],
    ] as const) {
      // prettier-ignore
      if (Array.isArray(given) && given.length !== n) {
        return complain([name], `\`{field}\` must have ${n} numbers, one for each asset, not ${given.length}.`);
      }
    }
    const upper = oneForEach(max_weight, n);
    const crossed = oneForEach(min_weight, n).findIndex((least, j) => least > upper[j]);
    if (crossed >= 0) {
      const path = Array.isArray(max_weight) ? ['max_weight', crossed] : ['max_weight'];
      complain(path, '`{field}` must not be below `config.min_weight`.');
    }
  },

  sense: () => 'minimize',

  async solve(config, context): Promise<Solution> {
    const problem = problemOf(config);
    checkLimits(problem);
    context.look();
    const { normal } = problem;
    const found = normal === null ? await overScenarios(problem, context) : await underNormal(problem, normal, context);
    const bound = boundOf(problem, found.gradient, found.priceOfReturn);
    const { cvar } = found.tail;
    const complaint = limitComplaint(problem, found.weights);
    if (complaint !== null) throw new Unsolved(complaint);
    if (!(cvar - bound <= CLOSED * lossSize(problem))) {
      throw new Unsolved(`a CVaR of ${cvar} against a bound of ${bound}`);
    }
    const names = namesIn(config);
    return {
      method: found.method,
      reason:
        normal === null
          ? 'the mean of the tail is the minimum of a linear programme over the scenarios'
          : 'under normal returns the CVaR is a multiple of the deviation less the mean, which is convex',
      bestSolution: found.weights,
      bestFitness: cvar,
      decisionVariables: names,
      result: resultOf(problem, names, found),
      optimality: { status: 'optimal', bound: Math.min(bound, cvar), proof: 'convex_kkt' },
      evaluations: 1,
      iterations: found.iterations,
      library: found.library,
      constraints: constraintsOf(problem, names, found),
      warnings: problem.warnings,
      assumptions: assumptionsOf(config, problem),
      detail: { priceOfReturn: found.priceOfReturn, shares: found.shares, deviation: found.deviation } satisfies Detail,
    };
  },

  verify(config, { bestSolution: weights, bestFitness, detail }) {
    const problem = problemOf(config);
    const { means, scenarios, probabilities, normal, confidence } = problem;
    const complaint = limitComplaint(problem, weights);
    if (complaint !== null) return complaint;
    const size = lossSize(problem);
    const { shares, deviation = 0, priceOfReturn } = detail as Detail;
    let slopes: readonly number[];
    let cvar: number;
    if (scenarios !== null && shares !== undefined) {
      cvar = meanOfTail(lossesOf(scenarios, weights), confidence, probabilities);
      const most = (s: number): number => (probabilities?.[s] ?? 1 / scenarios.length) / (1 - confidence);
      if (shares.some((share, s) => share < 0 || share > most(s) * (1 + 1e-6))) return 'a tail that is none';
      slopes = tailGains(scenarios, shares).map((gain) => -gain);
    } else {
      const known = normal as Normal;
      const own = Math.sqrt(varianceOf(known, weights));
      if (!(deviation >= own * (1 - 1e-12))) return `a deviation of ${deviation} instead of ${own}`;
      cvar = known.factor * own - weights.reduce((total, weight, j) => total + weight * means[j], 0);
      slopes = gradientAt(known, weights, deviation);
    }
    if (Math.abs(cvar - bestFitness) > 1e-8 * size) return `a CVaR of ${cvar} instead of ${bestFitness}`;
    const bound = boundOf(problem, slopes, priceOfReturn);
    return bestFitness - bound <= 10 * CLOSED * size ? null : `a bound of ${bound} below a CVaR of ${bestFitness}`;
  },

  explain(config, solution) {
    const { bestSolution, decisionVariables, constraints = [], bestFitness } = solution;
    const result = solution.result as unknown as Result;
    const largest = bestSolution
      .map((weight, j) => ({ weight, j }))
      .filter(({ weight }) => weight !== 0)
      .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight) || a.j - b.j)
      .slice(0, 5);
    const parts = largest.map(({ weight, j }, k): Clause => ({
      template: `${quote(decisionVariables[j])} {weight_${k + 1}}`,
      evidence: { [`weight_${k + 1}`]: weight },
    }));
    const listed = join(parts, ', ');
    const statements = [
      say(1, 'result', `The lowest CVaR is {cvar}, with the weights ${listed.template}.`, {
        cvar: bestFitness,
        ...listed.evidence,
      }),
      say(
        1,
        'result',
        'In the worst {tail} percent of cases the loss is {cvar} on average; losses above {var} are that rare. The expected return is {expected_return}.',
        {
          tail: 100 * (1 - config.confidence),
          cvar: result.cvar,
          var: result.var,
          expected_return: result.expected_return,
        },
      ),
      say(2, 'choice', `This method: ${solution.reason}.`, {}),
    ];
    const [worst] = result.worst_scenarios ?? [];
    if (worst !== undefined) {
      statements.push(
        say(4, 'sensitivity', 'The worst is scenario {scenario}, with a loss of {loss}.', {
          scenario: worst.scenario,
          loss: worst.loss,
        }),
      );
    }
    for (const { name, shadowPrice = 0, binding } of constraints) {
      if (!binding || shadowPrice === 0) continue;
      statements.push(
        say(4, 'sensitivity', `0.01 more of ${quote(name)} would change the CVaR by {change}.`, {
          change: shadowPrice / 100,
        }),
      );
    }
    return statements;
  },

  pictures: {
    weights: (config, { bestSolution, result }) => {
      const names = namesIn(config);
      const { risk_contributions: shares } = result as unknown as Result;
      const order = names
        .map((_, j) => j)
        .filter((j) => bestSolution[j] !== 0)
        .sort((a, b) => Math.abs(bestSolution[b]) - Math.abs(bestSolution[a]) || a - b)
        .slice(0, 15);
      return barChart({
        title: 'Weights and shares of the CVaR',
        xName: 'share of the portfolio, share of the CVaR',
        names: order.map((j) => names[j]),
        series: [
          { name: 'weight', values: order.map((j) => bestSolution[j]) },
          ...(shares === null ? [] : [{ name: 'share of the CVaR', values: order.map((j) => shares[j]) }]),
        ],
      });
    },

    losses: (config, { bestSolution, result }) => {
      const { var: quantile, cvar, expected_return, volatility = 0 } = result as unknown as Result;
      const tail = { var: quantile, cvar };
      if (config.distribution === 'normal') return normalLossPicture(-expected_return, volatility, tail);
      const probabilities = normalized(config.probabilities);
      const xName = 'loss (share of the portfolio, negative: gain)';
      return lossPicture(config.scenario_returns ?? [], bestSolution, { probabilities, tail, xName });
    },
  },
});

interface Detail {
  /** Deviation under normal returns. */
  readonly deviation: number | undefined;
  readonly priceOfReturn: number;
  /** Probabilities within the tail, over scenarios. */
  readonly shares: readonly number[] | undefined;
}

interface Result {
  readonly var: number;
  readonly cvar: number;
  readonly expected_return: number;
  readonly volatility?: number;
  readonly risk_contributions: readonly number[] | null;
  readonly worst_scenarios?: readonly { readonly scenario: number; readonly loss: number }[];
}

function assumptionsOf(config: Config, { scenarios, probabilities }: Problem): Remark[] {
  const remarks: Remark[] = [];
  if (config.min_weight === 0 && config.max_weight === 1) {
    const message = 'Weights lie between 0 and 1 and add up to 1: nothing is sold short, and no money is borrowed.';
    remarks.push({ code: 'long_only', field: 'config.min_weight', message });
  }
  if (config.confidence === 0.95) {
    remarks.push({ code: 'confidence', field: 'config.confidence', message: 'The confidence is 0.95.' });
  }
  if (scenarios !== null && probabilities === null) {
    const message = 'Every scenario is as likely as any other.';
    remarks.push({ code: 'equal_probabilities', field: 'config.probabilities', message });
  }
  const tailCount = scenarios === null ? Infinity : scenarios.length * (1 - config.confidence);
  if (tailCount < 5) {
    const message = `The tail is ${Number(tailCount.toPrecision(3))} of ${scenarios?.length} scenarios: its mean says little about other data.`;
    remarks.push({ code: 'few_tail_scenarios', field: 'config.scenario_returns', message });
  }
  if (config.distribution === 'normal') {
    const message = 'Returns are taken as normal: tails of real returns are usually heavier.';
    remarks.push({ code: 'normal_returns', field: 'config.distribution', message });
  }
  return remarks;
}
