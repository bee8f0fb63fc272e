/** Statements on a portfolio. */
import { join, quote, say, type Clause } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { Solution } from '../../problem-type.js';
import type { Config, Objective } from './config.js';
import { HELD } from './figures.js';

/** As many of the largest weights are named. */
const NAMED = 5;

const TITLES: Readonly<Record<Objective, string>> = {
  max_sharpe: 'The largest Sharpe ratio is {fitness}',
  min_volatility: 'The lowest volatility is {fitness}',
  efficient_return: 'The lowest volatility for the return asked for is {fitness}',
  efficient_risk: 'The highest expected return within the volatility is {fitness}',
  max_utility: 'The largest utility is {fitness}',
  max_return: 'The highest expected return is {fitness}',
  risk_parity: 'Shares of the risk match their budgets to a relative error of {fitness}',
  max_diversification: 'The largest diversification ratio is {fitness}',
  min_cvar: 'The lowest CVaR of a period is {fitness}',
  hrp: 'Hierarchical risk parity gives a volatility of {fitness}',
  frontier: 'The portfolio of the frontier with the largest Sharpe ratio has {fitness}',
};

interface Known {
  readonly expected_return?: number;
  readonly volatility: number;
  readonly effective_assets: number;
  readonly assets_held: number;
  readonly risk_contributions: readonly number[];
  readonly diversification_ratio?: number;
  readonly frontier?: readonly unknown[];
}

export function explainPortfolio(config: Config, solution: Solution): readonly Statement[] {
  const { bestSolution, bestFitness, decisionVariables, constraints = [], optimality } = solution;
  const known = solution.result as unknown as Known;
  const largest = bestSolution
    .map((weight, j) => ({ weight, j }))
    .filter(({ weight }) => Math.abs(weight) > HELD)
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight) || a.j - b.j)
    .slice(0, NAMED);
  const name = (j: number): string => quote(decisionVariables[j] ?? '');
  const parts = largest.map(({ weight, j }, k): Clause => ({
    template: `${name(j)} {weight_${k + 1}}`,
    evidence: { [`weight_${k + 1}`]: weight },
  }));
  const listed = join(parts, ', ');
  const more = known.assets_held > largest.length ? ' ...' : '';
  const statements = [
    say(1, 'result', `${TITLES[config.objective]}: ${listed.template}${more}.`, {
      fitness: bestFitness,
      ...listed.evidence,
    }),
  ];
  const { expected_return: earned, volatility, effective_assets, assets_held } = known;
  statements.push(
    earned === undefined
      ? say(1, 'result', 'Its volatility is {volatility}.', { volatility })
      : say(1, 'result', 'It is expected to earn {expected_return} at a volatility of {volatility}.', {
          expected_return: earned,
          volatility,
        }),
  );
  statements.push(say(2, 'choice', `This method: ${solution.reason}.`, {}));
  if (optimality.proof === 'branch_and_bound') {
    statements.push(
      say(
        2,
        'choice',
        'Subsets of assets were ruled out by bounds, in {nodes:node|nodes}: no other subset is better.',
        {
          nodes: solution.nodes ?? 0,
        },
      ),
    );
  }
  statements.push(
    say(
      3,
      'assumption',
      'Expected returns and covariances are taken as known. Estimation errors of expected returns move the weights most.',
      {},
    ),
  );
  const riskiest = known.risk_contributions.reduce((best, share, j, all) => (share > (all[best] ?? 0) ? j : best), 0);
  const share = known.risk_contributions[riskiest] ?? 0;
  statements.push(
    say(4, 'sensitivity', `${name(riskiest)} carries {share} percent of the variance; its weight is {weight}.`, {
      share: 100 * share,
      weight: bestSolution[riskiest] ?? 0,
    }),
  );
  statements.push(
    say(
      4,
      'sensitivity',
      'The weights are spread as over {effective_assets} equal ones, of {assets_held} that are held.',
      { effective_assets, assets_held },
    ),
  );
  for (const { name: limit, shadowPrice, binding } of constraints) {
    if (!binding || shadowPrice === undefined || shadowPrice === 0 || limit === 'net_exposure') continue;
    statements.push(
      say(4, 'sensitivity', `One percent more of ${quote(limit)} would change the objective by {change}.`, {
        change: shadowPrice / 100,
      }),
    );
  }
  if (known.frontier !== undefined) {
    statements.push(
      say(5, 'trade_off', 'The alternatives are {points} portfolios from the lowest risk to the highest return.', {
        points: known.frontier.length,
      }),
    );
  }
  return statements;
}
