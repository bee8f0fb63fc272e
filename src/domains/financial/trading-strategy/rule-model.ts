/**
 * A model from a rule: chooses parameters on past bars, tests the choice on bars that it has not seen, and says how
 * much of it may be luck. Start reading at `solve`; the loop itself is in backtest.ts.
 */
import type { JsonObject, Remark } from '../../../model/problem.js';
import { Infeasible, model, Unsolved, type AnyModel, type SolveContext, type Solution } from '../../problem-type.js';
import { auditEquity, auditFigures, auditPositions, firstDifference } from './audit.js';
import { Backtester, type Trade, type Window } from './backtest.js';
import { choose, signOf, TOP, type Choice, type Tried } from './choose.js';
import { checkRule } from './config.js';
import { fieldsOf, type RuleConfig } from './rule-fields.js';
import { deflatedSharpe, expectedMaximum } from './deflated-sharpe.js';
import { explainRule } from './explain.js';
import { gridOf, type Grid } from './grid.js';
import { remarksOnData } from './market.js';
import { pictures } from './pictures.js';
import type { Rule } from './rules.js';
import { asJson, type Statistics } from './statistics.js';
import { windowsOf, type Fold } from './windows.js';

const MAX_CURVE_POINTS = 1_000;
const MAX_TRADES = 500;
/** Sets that can be tried without a test before the best one is mostly luck. */
const MOST_UNTESTED = 20;
/** Costs above this share are mostly percentages by mistake. */
const HIGH_COST = 0.05;
/** Cells of the map of objectives, per parameter. */
const MAX_MAP = 60;

interface FoldResult {
  readonly fold: Fold;
  /** Null: no set had a value on its bars to choose on; the account stays flat. */
  readonly best: Tried | null;
  readonly test: Statistics;
}

/** The drawn and listed part: one account over these bars. */
interface Shown {
  readonly wanted: ArrayLike<number>;
  readonly window: Window;
}

interface Detail {
  readonly shown: Shown;
  readonly folds: readonly FoldResult[];
}

async function solve(rule: Rule, config: RuleConfig, context: SolveContext): Promise<Solution> {
  const tester = new Backtester(rule, config);
  const grid = gridOf(rule, config.parameters, config.constraint);
  const { final, folds } = windowsOf(config);
  if (grid.places.length === 0) {
    const words = [rule.requires, config.constraint].filter((text) => text !== undefined);
    throw new Infeasible(`No parameter set satisfies ${words.join(' and ')}.`, ['parameters', 'constraint']);
  }
  // The bars of a holdout's choice are those of the answer.
  const isWalk = config.validation.method === 'walk_forward';
  const choices = isWalk ? folds.length + 1 : 1;
  const budget = Math.floor(context.maxEvaluations / choices);
  if (budget < 1) {
    const message = `The walk forward chooses ${choices} times: max_evaluations must be at least ${choices}.`;
    throw new Infeasible(message, ['max_evaluations', 'validation']);
  }
  const choice = await choose(tester, grid, final, budget, context, ({ value, values }, count) =>
    context.improved(count, value, values),
  );
  if (choice.top.length === 0 && !choice.isComplete) context.look();
  const best = choice.top.at(0) ?? failed(tester, choice);
  let evaluations = choice.tried;

  const tested = await testFolds(tester, grid, { folds, best, budget, isWalk }, context);
  const { results, stitched } = tested;
  evaluations += tested.tried;
  const isComplete = choice.isComplete && tested.isComplete;

  const shown = shownOf(tester, best, final, results, stitched, isWalk);
  const curve = new Float64Array(shown.window[1] - shown.window[0] + 1);
  const trades: Trade[] = [];
  const { ruinedAt, statistics: ofCurve } = tester.follow(shown.wanted, shown.window, curve, trades);
  const { names } = grid;
  const isExhaustive = choice.strategy === null;
  const warnings = warningsOf(tester, { choice, best, results, isComplete, ruinedAt, choices });
  return {
    method: choice.strategy === null ? 'exhaustive_enumeration' : { strategy: choice.strategy },
    reason: isExhaustive
      ? 'every parameter set fits into the budget, so that each one was backtested'
      : 'there are more parameter sets than evaluations, and a backtest has no formula',
    bestSolution: best.values,
    bestFitness: best.value,
    decisionVariables: names,
    result: {
      ...resultOf(tester, grid, { choice, best, final, results, stitched, shown, isWalk }),
      ...accountJson(tester, shown.window, best, { statistics: ofCurve, curve, trades }),
      top: choice.top.map(({ values, value, statistics }) => ({
        parameters: named(names, values),
        objective_value: value,
        ...asJson(statistics),
      })),
      ...mapOf(tester, grid, final, choice, context),
    },
    optimality:
      isExhaustive && choice.isComplete
        ? { status: 'optimal', bound: best.value, proof: 'exhaustive' }
        : { status: isExhaustive ? 'feasible' : 'heuristic', bound: null, proof: null },
    evaluations,
    constraints:
      config.min_trades > 0
        ? [
            {
              name: 'min_trades',
              value: best.statistics.trades,
              limit: config.min_trades,
              slack: best.statistics.trades - config.min_trades,
              binding: best.statistics.trades === config.min_trades,
            },
          ]
        : [],
    warnings,
    assumptions: assumptionsOf(tester),
    alternatives: choice.top.slice(1, TOP).map(({ values, value }) => ({
      parameters: named(names, values),
      objective_value: value,
    })),
    detail: { shown, folds: results } satisfies Detail,
  };
}

interface Tests {
  readonly folds: readonly Fold[];
  /** The set chosen on the final bars. */
  readonly best: Tried;
  /** Evaluations for each choice. */
  readonly budget: number;
  readonly isWalk: boolean;
}

interface Tested {
  readonly results: readonly FoldResult[];
  /** Wanted at each close of the tested bars. */
  readonly stitched: Int8Array;
  readonly tried: number;
  readonly isComplete: boolean;
}

/** A walk forward chooses anew before each fold; a holdout tests the set that was chosen. */
async function testFolds(
  tester: Backtester,
  grid: Grid,
  { folds, best, budget, isWalk }: Tests,
  context: SolveContext,
): Promise<Tested> {
  const results: FoldResult[] = [];
  const stitched = new Int8Array(tester.bars);
  let tried = 0;
  let isComplete = true;
  for (const fold of isWalk ? folds : []) {
    const own = await choose(tester, grid, fold.train, budget, context);
    tried += own.tried;
    isComplete &&= own.isComplete;
    // The folds before it are tested all the same.
    if (!own.isComplete) break;
    results.push(testFold(tester, fold, own.top.at(0) ?? null, stitched));
  }
  for (const fold of isWalk ? [] : folds) results.push(testFold(tester, fold, best, stitched));
  return { results, stitched, tried, isComplete };
}

interface Found extends Pick<Tested, 'results' | 'stitched'> {
  readonly choice: Choice;
  readonly best: Tried;
  readonly final: Window;
  readonly shown: Shown;
  readonly isWalk: boolean;
}

/** The chosen set, and what it did on its own bars and on others. */
function resultOf(tester: Backtester, grid: Grid, found: Found): JsonObject {
  const { choice, best, final, results, stitched, shown, isWalk } = found;
  const { objective, bars_per_year } = tester.config;
  const { names } = grid;
  const first = results.at(0)?.fold.test[0];
  const test: Window | null = first === undefined ? null : [first, shown.window[1]];
  const outOfSample = test === null ? null : tester.follow(isWalk ? stitched : shown.wanted, test).statistics;
  const returns = returnsOf(tester, best, final);
  const gaining = results.filter(({ test: { total_return } }) => total_return > 0).length;
  return {
    ...named(names, best.values),
    parameters: named(names, best.values),
    objective,
    objective_value: best.value,
    in_sample: { ...asJson(best.statistics), from_bar: final[0], to_bar: final[1] },
    out_of_sample:
      outOfSample === null || test === null ? null : { ...asJson(outOfSample), from_bar: test[0] + 1, to_bar: test[1] },
    benchmark: benchmarkOf(tester, final, test),
    folds: isWalk ? results.map((one) => foldJson(tester, names, one)) : [],
    overfitting: {
      trials: choice.tried,
      deflated_sharpe: best.statistics.sharpe === null ? null : deflatedSharpe(returns, choice.sharpes),
      expected_max_sharpe: expectedMaximum(choice.sharpes) * Math.sqrt(bars_per_year),
      share_of_folds_positive: isWalk && results.length > 0 ? gaining / results.length : null,
    },
    stats: {
      total_return: best.statistics.total_return,
      sharpe: best.statistics.sharpe,
      max_drawdown: best.statistics.max_drawdown,
    },
    combinations: grid.places.length,
    second_best: choice.top.at(1)?.value ?? null,
  };
}

interface Account {
  readonly statistics: Statistics;
  readonly curve: Float64Array;
  readonly trades: readonly Trade[];
}

/** The account that is drawn and listed. */
function accountJson(tester: Backtester, window: Window, best: Tried, account: Account): JsonObject {
  const { statistics, curve, trades } = account;
  return {
    rebalances: statistics.position_changes,
    trades_closed: statistics.trades,
    equity_final: curve[curve.length - 1],
    equity_peak: curve.reduce((most, value) => Math.max(most, value), -Infinity),
    total_return_pct: 100 * statistics.total_return,
    position_now: tester.positions(best.values)[tester.bars - 1],
    equity_curve: curveJson(tester, window, curve),
    trades: trades.slice(-MAX_TRADES).map((trade) => tradeJson(tester, trade)),
  };
}

const named = (names: readonly string[], values: readonly number[]): JsonObject =>
  Object.fromEntries(names.map((name, k) => [name, values[k]]));

/** No set has a value: says why. */
function failed({ config }: Backtester, { mostTrades, strategy, tried }: Choice): never {
  const { objective, min_trades } = config;
  const none = strategy === null ? 'No parameter set' : `None of the ${tried} parameter sets tried`;
  if (mostTrades < min_trades) {
    const message = `${none} closes ${min_trades} trades on the bars that it is chosen on; the most is ${mostTrades}.`;
    throw new Infeasible(message, ['min_trades']);
  }
  const reasons: Readonly<Record<string, string>> = {
    sharpe: 'the equity never changes: the rule never trades, or prices stand still',
    sortino: 'the equity never falls',
    calmar: 'the equity never falls',
    profit_factor: 'no closed trade loses',
  };
  const why = reasons[objective];
  if (why === undefined) throw new Unsolved('the equity grows beyond the range of numbers');
  throw new Infeasible(
    `${none} has a value of the objective ${objective}: ${why}. Another objective, such as total_return, has one.`,
    ['objective', 'parameters'],
  );
}

/** Writes what is wanted in the fold to `stitched`: from the close before its first bar to the one before its last. */
function testFold(tester: Backtester, fold: Fold, best: Tried | null, stitched: Int8Array): FoldResult {
  const [from, to] = fold.test;
  const wanted = best === null ? new Int8Array(tester.bars) : tester.positions(best.values);
  stitched.set(wanted.subarray(from, to), from);
  return { fold, best, test: tester.follow(wanted, fold.test).statistics };
}

/** A walk forward is shown as it was tested; everything else as one account with the parameters chosen. */
function shownOf(
  tester: Backtester,
  best: Tried,
  final: Window,
  results: readonly FoldResult[],
  stitched: Int8Array,
  isWalk: boolean,
): Shown {
  const last = results.at(-1)?.fold.test[1] ?? final[1];
  const first = results.at(0)?.fold.test[0];
  if (isWalk && first !== undefined) return { wanted: stitched, window: [first, last] };
  const wanted = tester.positions(best.values, new Int8Array(tester.bars));
  return { wanted, window: [final[0], last] };
}

function returnsOf(tester: Backtester, { values }: Tried, window: Window): number[] {
  const curve = new Float64Array(window[1] - window[0] + 1);
  tester.follow(tester.positions(values), window, curve);
  return Array.from(curve.subarray(1), (value, i) => (curve[i] > 0 ? value / curve[i] - 1 : 0));
}

function benchmarkOf(tester: Backtester, window: Window, test: Window | null): JsonObject {
  const always = new Int8Array(tester.bars).fill(1);
  return {
    ...asJson(tester.follow(always, window).statistics),
    out_of_sample: test === null ? null : asJson(tester.follow(always, test).statistics),
  };
}

function foldJson({ market }: Backtester, names: readonly string[], { fold, best, test }: FoldResult): JsonObject {
  const { time } = market;
  const [first, last] = [fold.test[0] + 1, fold.test[1]];
  return {
    train: { from_bar: fold.train[0], to_bar: fold.train[1] },
    test: { from_bar: first, to_bar: last, ...(time === null ? {} : { from: time[first], to: time[last] }) },
    parameters: best === null ? null : named(names, best.values),
    in_sample: best === null ? null : { objective_value: best.value, ...asJson(best.statistics) },
    out_of_sample: asJson(test),
  };
}

function curveJson(tester: Backtester, [from, to]: Window, curve: Float64Array): JsonObject[] {
  const { time, close } = tester.market;
  const bench = new Float64Array(curve.length);
  tester.follow(new Int8Array(close.length).fill(1), [from, to], bench);
  const points = Math.min(MAX_CURVE_POINTS, curve.length);
  return Array.from({ length: points }, (_, k) => {
    const at = points === 1 ? 0 : Math.round((k * (curve.length - 1)) / (points - 1));
    const bar = from + at;
    return { bar, ...(time === null ? {} : { time: time[bar] }), equity: curve[at], benchmark: bench[at] };
  });
}

function tradeJson({ market, execution }: Backtester, trade: Trade): JsonObject {
  const { side, quantity, entryBar, entryPrice, exitBar, exitPrice, profit, stake } = trade;
  // A close that decides is the fill of the bar after it.
  const shift = execution === 'same_close' ? 1 : 0;
  const { time } = market;
  return {
    side: side > 0 ? 'long' : 'short',
    quantity,
    entry_bar: entryBar - shift,
    ...(time === null ? {} : { entry_time: time[entryBar - shift] }),
    entry_price: entryPrice,
    exit_bar: exitBar === null ? null : exitBar - shift,
    ...(time === null ? {} : { exit_time: exitBar === null ? null : time[exitBar - shift] }),
    exit_price: exitPrice,
    profit,
    return: profit === null ? null : profit / stake,
  };
}

/** Objectives over two parameters, where every set was valued: whether the best one is a peak or part of a plateau. */
function mapOf(
  tester: Backtester,
  grid: Grid,
  window: Window,
  { strategy, isComplete }: Choice,
  context: SolveContext,
): JsonObject {
  const free = grid.values.flatMap((own, k) => (own.length > 1 ? [k] : []));
  const [row, column] = free;
  if (free.length !== 2 || strategy !== null || !isComplete || context.isOver()) return {};
  if (grid.values[row].length > MAX_MAP || grid.values[column].length > MAX_MAP) return {};
  const indices = grid.values.map(() => 0);
  const { objective, min_trades } = tester.config;
  return {
    parameter_map: {
      row: grid.names[row],
      rows: grid.values[row],
      column: grid.names[column],
      columns: grid.values[column],
      values: grid.values[row].map((_, i) =>
        grid.values[column].map((_unused, j) => {
          [indices[row], indices[column]] = [i, j];
          const place = grid.placeOf(indices);
          if (!grid.isAllowed(place)) return null;
          const statistics = tester.value(grid.at(place), window);
          return statistics.trades < min_trades ? null : statistics[objective];
        }),
      ),
    },
  };
}

interface Course {
  readonly choice: Choice;
  readonly best: Tried;
  readonly results: readonly FoldResult[];
  readonly isComplete: boolean;
  readonly ruinedAt: number | null;
  readonly choices: number;
}

function warningsOf(tester: Backtester, { choice, best, results, isComplete, ruinedAt, choices }: Course): Remark[] {
  const { config, market } = tester;
  const remarks = remarksOnData(config, market);
  if (choice.tried > MOST_UNTESTED && results.length === 0) {
    remarks.push({
      code: 'no_out_of_sample',
      field: 'config.validation',
      message: `${choice.tried} parameter sets were tried on the same bars and none was tested on others: the best one is likely to do worse from now on. Use validation.`,
    });
  }
  if (config.commission > HIGH_COST || config.slippage > HIGH_COST) {
    const name = config.commission > HIGH_COST ? 'commission' : 'slippage';
    const message = `The ${name} is ${100 * config[name]} percent of every trade: is it meant as a decimal?`;
    remarks.push({ code: 'high_cost', field: `config.${name}`, message });
  }
  if (best.statistics.position_changes === 0) {
    const message = 'The chosen parameters never trade on the bars that they were chosen on.';
    remarks.push({ code: 'never_trades', field: 'config.parameters', message });
  }
  const flat = results.filter((one) => one.best === null).length;
  if (flat > 0) {
    const message = `In ${flat} of ${results.length} folds no parameter set had a value: the account stayed flat there.`;
    remarks.push({ code: 'flat_folds', field: 'config.validation', message });
  }
  if (ruinedAt !== null) {
    const when = market.time === null ? `index ${ruinedAt}` : String(market.time[ruinedAt]);
    const message = `The account lost all it had at ${when}; it was closed, and a debt stays in the equity.`;
    remarks.push({ code: 'ruined', message });
  }
  if (!isComplete) {
    const message = choice.isComplete
      ? `The time was up: only ${results.length} of ${choices - 1} folds were tested.`
      : 'The time was up before every parameter set was tried.';
    remarks.push({ code: 'out_of_time', field: 'timeout_seconds', message });
  }
  return remarks;
}

function assumptionsOf({ rule, config, execution }: Backtester): Remark[] {
  const remarks: Remark[] = [];
  for (const { name, default: usual } of rule.parameters) {
    if (config.parameters[name] !== undefined) continue;
    const message = `${name} is ${usual}, as textbooks have it.`;
    remarks.push({ code: 'default_parameter', field: `config.parameters.${name}`, message });
  }
  remarks.push(
    execution === 'next_open'
      ? { code: 'execution', message: 'What is decided at a close is traded at the open of the next bar.' }
      : {
          code: 'execution',
          field: 'config.execution',
          message: 'Trades are made at the very close that decides them: in practice the price is a little different.',
        },
  );
  if (config.commission === 0 && config.slippage === 0) {
    const message = 'Trading costs nothing: rules that trade often look better than they are.';
    remarks.push({ code: 'no_costs', field: 'config.commission', message });
  }
  if (config.direction === 'long_short') {
    const message = 'Selling short costs no fee for the loan of shares, and cash earns no interest.';
    remarks.push({ code: 'no_borrowing_fee', field: 'config.direction', message });
  } else remarks.push({ code: 'no_interest', message: 'Cash earns no interest; the risk-free rate is 0.' });
  if (rule.usesRange === true && (config.bars?.high === undefined || config.bars.low === undefined)) {
    const message = 'Where highs or lows are missing, the channel is made of closes.';
    remarks.push({ code: 'channel_of_closes', field: 'config.bars', message });
  }
  if (rule.requires !== undefined) {
    remarks.push({ code: 'implied_constraint', message: `Parameter sets satisfy ${rule.requires}.` });
  }
  const undefinedWhere: Readonly<Record<string, string>> = {
    sortino: 'no bar loses',
    calmar: 'the equity never falls',
    profit_factor: 'no closed trade loses',
  };
  const where = undefinedWhere[config.objective];
  if (where !== undefined) {
    const message = `Parameter sets where ${where} have no ${config.objective} and are left out.`;
    remarks.push({ code: 'objective_undefined', field: 'config.objective', message });
  }
  return remarks;
}

const FIGURE_ROOM = 1e-6;
/** Folds that are looked at again. */
const AUDITED_FOLDS = 3;

function verify(rule: Rule, config: RuleConfig, solution: Solution): string | null {
  const tester = new Backtester(rule, config);
  const { shown, folds } = solution.detail as Detail;
  const { final } = windowsOf(config);
  const wanted = auditPositions(tester, solution.bestSolution);
  const traded = tester.positions(solution.bestSolution);
  if (wanted.some((value, i) => value !== traded[i])) return 'the positions are not those of the rule';
  const isWalk = config.validation.method === 'walk_forward';
  return (
    auditAccount(tester, wanted, final, solution) ??
    (!isWalk ? null : auditAccount(tester, Array.from(shown.wanted), shown.window, null)) ??
    auditFolds(tester, folds)
  );
}

/** `solution`: whose objective is that of this account. */
function auditAccount(
  tester: Backtester,
  wanted: readonly number[],
  window: Window,
  solution: Solution | null,
): string | null {
  const curve = new Float64Array(window[1] - window[0] + 1);
  const { statistics } = tester.follow(wanted, window, curve);
  const parts = auditEquity(tester, wanted, window);
  const at = firstDifference(parts, curve);
  if (at !== null) return `the equity is ${parts[at]} at bar ${at} of the window, not ${curve[at]}`;
  const figures = auditFigures(Array.from(curve), tester.config.bars_per_year);
  for (const [name, value] of Object.entries(figures)) {
    const given = statistics[name as keyof typeof figures];
    if (given !== null && value !== null && !(Math.abs(given - value) <= FIGURE_ROOM * (1 + Math.abs(value)))) {
      return `${name} is ${value}, not ${given}`;
    }
  }
  if (solution === null) return null;
  if (statistics[tester.config.objective] !== solution.bestFitness) return 'the objective is that of another account';
  const sign = signOf(tester.config.objective);
  const top = solution.result['top'] as readonly { readonly objective_value: number }[];
  const beaten = top.some(({ objective_value }) => sign * objective_value > sign * solution.bestFitness);
  return beaten ? 'a set of the top beats the best' : null;
}

function auditFolds(tester: Backtester, folds: readonly FoldResult[]): string | null {
  for (const { fold, best, test } of folds.slice(0, AUDITED_FOLDS)) {
    if (best === null) continue;
    const parts = auditEquity(tester, auditPositions(tester, best.values), fold.test);
    const curve = new Float64Array(parts.length);
    const { statistics } = tester.follow(tester.positions(best.values), fold.test, curve);
    const at = firstDifference(parts, curve);
    if (at !== null) return `the equity of a fold is ${parts[at]} at its bar ${at}, not ${curve[at]}`;
    if (statistics.total_return !== test.total_return)
      return `a fold gains ${statistics.total_return}, not ${test.total_return}`;
  }
  return null;
}

export const ruleModel = (rule: Rule, example: JsonObject): AnyModel =>
  model({
    name: rule.name,
    summary: rule.summary,
    fields: fieldsOf(rule),
    example: { model: rule.name, ...example },
    check: (config, complain) => checkRule(rule, config, complain),
    sense: ({ objective }) => (signOf(objective) > 0 ? 'maximize' : 'minimize'),
    solve: (config, context) => solve(rule, config, context),
    verify: (config, solution) => verify(rule, config, solution),
    explain: (config, solution) => explainRule(rule, config, solution),
    pictures,
  });
