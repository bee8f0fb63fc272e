/** Statements on a division of the budget. */
import type { Config } from './config.js';
import type { Solution } from '../../problem-type.js';
import type { Statement } from '../../../model/explanation.js';
import { quote, say } from '../../../explanation/say.js';
import { isProfit } from './objective.js';

export function explain(config: Config, { bestFitness, result, optimality }: Solution): readonly Statement[] {
  const {
    share,
    total_response,
    total_spend,
    equal_split_response,
    lift,
    budget_multiplier,
    sensitivity: others,
  } = result as unknown as {
    readonly share: Record<string, number>;
    readonly total_response: number;
    readonly total_spend: number;
    readonly equal_split_response: number;
    readonly lift: number | null;
    readonly budget_multiplier: number;
    readonly sensitivity: readonly { readonly budget_change: number; readonly total_response: number | null }[];
  };
  const ranked = Object.entries(share).sort(([, a], [, b]) => b - a);
  const shown = ranked.filter(([, part]) => part > 1e-6).slice(0, 5);
  const none = ranked.filter(([, part]) => part <= 1e-6).map(([name]) => name);
  const parts = shown.map(([name], i) => `{share${i}} percent on ${quote(name)}`).join(', ');
  const evidence = Object.fromEntries(shown.map(([, part], i) => [`share${i}`, 100 * part]));
  const statements: Statement[] = [
    shown.length === 0
      ? say(1, 'result', 'Spend nothing: no spend reaches the target.', {})
      : say(1, 'result', `Spend {spent}: ${parts}. That brings a response of {response}.`, {
          ...evidence,
          spent: total_spend,
          response: total_response,
        }),
  ];
  if (isProfit(config)) statements.push(say(1, 'result', 'The profit is {profit}.', { profit: bestFitness }));
  if (none.length > 0 && shown.length > 0 && optimality.status === 'optimal') {
    statements.push(
      say(
        2,
        'choice',
        `Nothing goes to ${quote(none.slice(0, 5).join(', '))}: moving money to it, within its limits, would bring no more.`,
        {},
      ),
    );
  }
  statements.push(
    optimality.status === 'optimal'
      ? say(
          2,
          'choice',
          `One more unit of ${config.objective.startsWith('maximize') ? 'budget' : 'spend'} would bring {multiplier}; no other division brings more than this one.`,
          {
            multiplier: budget_multiplier,
          },
        )
      : say(2, 'choice', 'No division can bring more than {bound}; whether one does is not known.', {
          bound: optimality.bound ?? bestFitness,
        }),
  );
  for (const { budget_change, total_response: other } of others) {
    if (other === null || Math.abs(budget_change) !== 0.2 || !(total_response > 0)) continue;
    const words = budget_change > 0 ? 'A budget 20 percent larger' : 'A budget 20 percent smaller';
    statements.push(
      say(4, 'sensitivity', `${words} would change the response by {change} percent.`, {
        change: 100 * (other / total_response - 1),
      }),
    );
  }
  if (lift !== null) {
    statements.push(
      say(5, 'alternatives', 'Against the current spend that is {lift} percent more.', { lift: 100 * lift }),
    );
  }
  statements.push(
    say(5, 'alternatives', 'The same money in equal parts would bring {equal}.', { equal: equal_split_response }),
  );
  return statements;
}
