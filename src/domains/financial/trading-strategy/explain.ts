/** Statements on a chosen rule. */
import { join, quote, say, type Clause } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { Solution } from '../../problem-type.js';
import type { RuleConfig } from './rule-fields.js';
import type { Rule } from './rules.js';
import type { Objective, Statistics } from './statistics.js';

const NAMES: Readonly<Record<Objective, string>> = {
  sharpe: 'Sharpe ratio',
  sortino: 'Sortino ratio',
  calmar: 'Calmar ratio',
  total_return: 'total return',
  cagr: 'return per year',
  max_drawdown: 'largest drawdown',
  profit_factor: 'profit factor',
};

interface Known {
  readonly in_sample: Statistics;
  readonly out_of_sample: Statistics | null;
  readonly benchmark: Statistics;
  readonly folds: readonly { readonly parameters: Readonly<Record<string, number>> | null }[];
  readonly overfitting: {
    readonly trials: number;
    readonly deflated_sharpe: number | null;
    readonly expected_max_sharpe: number;
    readonly share_of_folds_positive: number | null;
  };
  readonly combinations: number;
  readonly second_best: number | null;
  readonly position_now: number;
}

const POSITIONS: Readonly<Record<number, string>> = { 1: 'long', 0: 'out of the market', [-1]: 'short' };

const percent = (share: number): number => 100 * share;

export function explainRule(rule: Rule, config: RuleConfig, solution: Solution): readonly Statement[] {
  const { bestFitness, optimality } = solution;
  const known = solution.result as unknown as Known;
  const { out_of_sample: outer, overfitting, combinations, second_best } = known;
  const statements = [...onOwnBars(config, solution, known), ...(outer === null ? [] : [onOtherBars(outer)])];
  statements.push(
    say(1, 'result', `After the last close the rule wants to be ${POSITIONS[known.position_now] ?? ''}.`, {}),
    say(2, 'choice', `This method: ${solution.reason}.`, {}),
    ...cautions(config, known),
    say(
      3,
      'assumption',
      `The rule: ${rule.words}${config.direction === 'long_only' ? ' (never short: flat instead)' : ''}.`,
      {},
    ),
    say(
      3,
      'assumption',
      'Each decision uses closes up to its own bar, and is traded afterwards. Past prices say nothing certain about coming ones.',
      {},
    ),
  );
  if (optimality.status === 'heuristic') {
    statements.push(
      say(2, 'choice', 'Of {combinations:set|sets}, {trials:was|were} tried: a better one is not ruled out.', {
        trials: overfitting.trials,
        combinations,
      }),
    );
  }
  statements.push(...ofLuck(known));
  if (second_best !== null) {
    statements.push(
      say(
        5,
        'trade_off',
        `The second best set has {second} instead of {fitness}: the alternatives list the next ones.`,
        {
          second: second_best,
          fitness: bestFitness,
        },
      ),
    );
  }
  return statements;
}

/** The chosen set, and how it did on the bars that it was chosen on. */
function onOwnBars(config: RuleConfig, solution: Solution, known: Known): Statement[] {
  const { bestSolution, bestFitness, decisionVariables } = solution;
  const { in_sample: inner, benchmark, combinations } = known;
  const parts = decisionVariables.map((name, k): Clause => ({
    template: `${quote(name)} {${name}}`,
    evidence: { [name]: bestSolution[k] ?? 0 },
  }));
  const listed = join(parts, ', ');
  const objective = NAMES[config.objective];
  return [
    say(
      1,
      'result',
      combinations === 1
        ? `With ${listed.template} the ${objective} is {fitness}.`
        : `Of {combinations} parameter sets, ${listed.template} had the best ${objective}: {fitness}.`,
      { fitness: bestFitness, combinations, ...listed.evidence },
    ),
    say(
      1,
      'result',
      'On those bars the rule returned {gained} percent with a largest drawdown of {fall} percent, in {trades:closed trade|closed trades}; buy and hold returned {held} percent.',
      {
        gained: percent(inner.total_return),
        fall: percent(inner.max_drawdown),
        trades: inner.trades,
        held: percent(benchmark.total_return),
      },
    ),
  ];
}

const onOtherBars = ({ sharpe, total_return }: Statistics): Statement =>
  sharpe === null
    ? say(1, 'result', 'On bars that it was not chosen on it returned {gained} percent.', {
        gained: percent(total_return),
      })
    : say(
        1,
        'result',
        'On bars that it was not chosen on it returned {gained} percent, with a Sharpe ratio of {sharpe}.',
        {
          gained: percent(total_return),
          sharpe,
        },
      );

/** What stands between these figures and money: luck of the choice, and costs that are not charged. */
function cautions({ commission, slippage }: RuleConfig, { overfitting, out_of_sample: outer }: Known): Statement[] {
  const chosen =
    overfitting.trials > 1
      ? say(
          2,
          'assumption',
          'The best of {trials:set|sets} on past bars looks better than it is: part of its lead is luck (overfitting).' +
            (outer === null ? ' No bars were kept back to test it; `validation` does that.' : ''),
          { trials: overfitting.trials },
        )
      : say(2, 'assumption', 'These are past bars: what a rule earned on them says little about coming ones.', {});
  const isFree = commission === 0 && slippage === 0;
  const costs = isFree
    ? say(2, 'assumption', 'No commission or slippage is charged: real trades earn less.', {})
    : say(2, 'assumption', 'Charged are {commission:percent} of commission and {slippage:percent} of slippage.', {
        commission,
        slippage,
      });
  return [chosen, costs];
}

/** How much of the value may be luck: by the number of sets tried, and by fold. */
function ofLuck({ overfitting, folds }: Known): Statement[] {
  const statements: Statement[] = [];
  if (overfitting.deflated_sharpe !== null && overfitting.trials > 1) {
    statements.push(
      say(
        4,
        'sensitivity',
        'The best of {trials} worthless rules would be expected to show a Sharpe ratio of {expected}; the probability that this one is above that by more than luck is {probability}.',
        {
          trials: overfitting.trials,
          expected: overfitting.expected_max_sharpe,
          probability: overfitting.deflated_sharpe,
        },
      ),
    );
  }
  if (overfitting.share_of_folds_positive !== null && folds.length > 1) {
    const sets = new Set(folds.map(({ parameters }) => JSON.stringify(parameters)));
    statements.push(
      say(
        4,
        'sensitivity',
        '{percent} percent of {folds} folds gained; {sets:parameter set was|different parameter sets were} chosen in them.',
        {
          percent: percent(overfitting.share_of_folds_positive),
          folds: folds.length,
          sets: sets.size,
        },
      ),
    );
  }
  return statements;
}
