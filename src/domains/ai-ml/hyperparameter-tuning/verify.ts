/** Values an answer anew: from the rows of the table as they are, or by training the learner again. */
import { type Config, objectivesOf, builtinOf } from './config.js';
import type { Solution } from '../../problem-type.js';
import { type Detail, meanOf } from './solve.js';
import type { ParameterValue } from '../learners/learner.js';
import { operationsOf } from './builtin.js';
import { Space } from '../search-space/space.js';
import { evaluationOf } from './evaluation.js';
import type { Tabular } from './table.js';

/** Operations that an answer is judged anew with. */
const MOST_VERIFIED = 2e8;

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * (1 + Math.abs(b));

/** The best of equal settings in the rows of the table as they are; learners are trained anew. */
export function verify(config: Config, { bestFitness, result, detail, optimality }: Solution): string | null {
  const { trials, best, seeded } = detail as Detail;
  const [{ direction }] = objectivesOf(config);
  const isBetter = (a: number, b: number): boolean => (direction === 'minimize' ? a < b : a > b);
  const params = result['best_params'] as Readonly<Record<string, ParameterValue>>;
  const { evaluator } = config;
  const whole = trials.filter(({ resource, failure }) => resource === undefined && failure === undefined);
  if (whole.some(({ values }) => isBetter(values[0], bestFitness))) return 'another trial is better';
  if (evaluator.type === 'tabular') return tableComplaint(config, evaluator, params, bestFitness, optimality.status);
  const own = builtinOf(config);
  if (operationsOf(own) > MOST_VERIFIED) return null;
  const space = new Space(config.search_space);
  const again = evaluationOf(config, space, seeded, () => undefined).value(best.point).values[0];
  return isNear(again, bestFitness) ? null : `trained anew it has ${again}`;
}

function tableComplaint(
  config: Config,
  { columns, rows }: Tabular,
  params: Readonly<Record<string, ParameterValue>>,
  bestFitness: number,
  status: string,
): string | null {
  const [{ name, direction }] = objectivesOf(config);
  const { multi_fidelity: fidelity, search_space: space } = config;
  const metric = columns.indexOf(name);
  const isWhole = (row: readonly ParameterValue[]): boolean =>
    fidelity === undefined || row[columns.indexOf(fidelity.resource)] === fidelity.max;
  const isMeant = (row: readonly ParameterValue[]): boolean =>
    Object.entries(params).every(([key, value]) => {
      const cell = row[columns.indexOf(key)];
      // Levels of a step are found to rounding.
      return cell === value || (typeof cell === 'number' && typeof value === 'number' && isNear(cell, value));
    });
  const meant = rows.filter((row) => isWhole(row) && isMeant(row)).map((row) => row[metric] as number);
  if (meant.length === 0) return 'the table has no such setting';
  if (!isNear(meanOf(meant), bestFitness)) return `the table has ${meanOf(meant)} for this setting`;
  const isPlain = Object.values(space).every((one) => one.type === 'ordinal' || one.type === 'categorical');
  if (status !== 'optimal' || !isPlain || meant.length > 1) return null;
  const allowed = Object.entries(space).map(([key, one]) => ({
    column: columns.indexOf(key),
    values: one.type === 'ordinal' ? one.values : one.type === 'categorical' ? one.choices : [],
  }));
  const inSpace = rows.filter((row) => allowed.every(({ column, values }) => values.includes(row[column])));
  const all = inSpace.map((row) => row[metric] as number);
  const bestOfAll = all.reduce((a, b) => (direction === 'minimize' ? Math.min(a, b) : Math.max(a, b)));
  // Where settings repeat, single rows are better than the mean of their setting.
  const isUnique =
    new Set(inSpace.map((row) => allowed.map(({ column }) => String(row[column])).join(' '))).size === all.length;
  const isPure = Object.values(space).every(({ condition }) => condition === undefined);
  return !isUnique || !isPure || bestOfAll === bestFitness ? null : `the table has ${bestOfAll}`;
}
