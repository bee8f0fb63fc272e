/** Statements on the best setting. */
import type { JsonObject, Json } from '../../../model/problem.js';
import { quote, say } from '../../../explanation/say.js';
import { type Config, objectivesOf } from './config.js';
import type { Solution } from '../../problem-type.js';
import type { Statement } from '../../../model/explanation.js';

const textOf = (params: JsonObject): string =>
  quote(
    Object.entries(params)
      .map(
        ([name, value]) =>
          `${name} = ${typeof value === 'number' ? Number(value.toPrecision(6)) : JSON.stringify(value)}`,
      )
      .join(', '),
  );

export function explain(
  config: Config,
  { result, bestFitness, evaluations, optimality, reason }: Solution,
): readonly Statement[] {
  const objectives = objectivesOf(config);
  const [{ name, direction }] = objectives;
  const best = textOf(result['best_params'] as JsonObject);
  const statements = [say(1, 'result', `${quote(name)} is {value} at ${best}.`, { value: bestFitness })];
  const { cv_std: spread, test_value: test, settings_in_space: size } = result as Record<string, number | null>;
  if (typeof test === 'number') {
    statements.push(say(1, 'result', 'On rows that the search never saw it is {test}.', { test }));
  }
  const front = result['pareto'] as readonly Json[] | null;
  if (front !== null) {
    const text = `{points:setting is|settings are} such that no other one is better in every objective; shown is the one with the best ${quote(name)}.`;
    statements.push(say(1, 'result', text, { points: front.length }));
  }
  statements.push(
    optimality.status === 'optimal'
      ? say(2, 'choice', 'All {evaluations:setting was|settings were} tried, so none of them is better.', {
          evaluations,
        })
      : say(2, 'choice', `${quote(reason)} {evaluations:setting was|settings were} tried.`, { evaluations }),
  );
  if (optimality.status !== 'optimal') {
    statements.push(
      size === null
        ? say(3, 'constraint', 'The space is a continuum: a better setting may be left.', {})
        : say(3, 'constraint', 'The space has {size:setting|settings}: a better one may be left.', { size: size ?? 0 }),
    );
  }
  const baseline = result['baseline'] as { readonly value: number } | null;
  if (baseline !== null) {
    const gain = direction === 'minimize' ? baseline.value - bestFitness : bestFitness - baseline.value;
    statements.push(
      gain > 0
        ? say(5, 'alternatives', 'The defaults of the learner have {value}: tuning gains {gain}.', {
            value: baseline.value,
            gain,
          })
        : say(5, 'alternatives', 'The defaults of the learner have {value}: tuning gains nothing here.', {
            value: baseline.value,
          }),
    );
  }
  if (typeof spread === 'number') {
    const text = 'From fold to fold the value varies by {spread} (standard deviation): smaller gains may be luck.';
    statements.push(say(4, 'sensitivity', text, { spread }));
  }
  const importance = result['importance'] as Readonly<
    Record<string, { share: number; low: number; high: number }>
  > | null;
  const [most] = Object.entries(importance ?? {}).sort(([, a], [, b]) => b.share - a.share);
  if (most !== undefined) {
    const [parameter, { share, low, high }] = most;
    const range = low === high ? '' : ' ({low..high} percent in resamples)';
    const text = `${quote(parameter)} alone explains {percent} percent of the variation of ${quote(name)}${range}.`;
    statements.push(say(4, 'sensitivity', text, { percent: 100 * share, low: 100 * low, high: 100 * high }));
  }
  return statements;
}
