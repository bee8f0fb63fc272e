/** The value of a setting: by training a learner, or by looking it up in a table. */
import type { Space, Point } from '../search-space/space.js';
import type { Valued } from './search.js';
import type { ParameterValues } from '../learners/learner.js';
import type { Remark } from '../../../model/problem.js';
import { type Config, builtinOf, objectivesOf } from './config.js';
import type { SolveContext } from '../../problem-type.js';
import { type Tabular, settingsOf } from './table.js';
import { type Builtin, dataOf } from './builtin.js';
import { learnerNamed } from '../learners/learners.js';
import { Judge } from '../validation/validation.js';
import type { MetricName } from '../validation/metrics.js';

/** Gives settings their values, and says more about the best one. */
interface Evaluation {
  readonly pool: readonly Point[] | null;
  value(point: Point, resource?: number): Valued;
  /** Value on rows that were kept apart; null: there are none. */
  test(values: ParameterValues): number | null;
  /** Values with the learner's defaults; null: there are none. */
  baseline(): { readonly params: ParameterValues; readonly valued: Valued } | null;
  readonly warnings: readonly Remark[];
}

export function evaluationOf(config: Config, space: Space, rng: SolveContext['rng'], look: () => void): Evaluation {
  const { evaluator } = config;
  if (evaluator.type === 'tabular') return tableEvaluation(config, evaluator, space);
  return learnerEvaluation(config, builtinOf(config), space, rng, look);
}

function tableEvaluation(config: Config, evaluator: Tabular, space: Space): Evaluation {
  const measured = objectivesOf(config).map(({ name }) => name);
  const { multi_fidelity: fidelity } = config;
  const column = fidelity === undefined ? -1 : evaluator.columns.indexOf(fidelity.resource);
  const known = new Map<number | undefined, ReadonlyMap<string, readonly number[]>>();
  const at = (resource: number | undefined) =>
    settingsOf(evaluator, config.search_space, space, measured, (row) =>
      fidelity === undefined ? true : row[column] === (resource ?? fidelity.max),
    );
  const valuesAt = (resource: number | undefined): ReadonlyMap<string, readonly number[]> => {
    const found =
      known.get(resource) ?? new Map(at(resource).settings.map(({ point, values }) => [space.keyOf(point), values]));
    known.set(resource, found);
    return found;
  };
  const { settings, outside, repeated } = at(undefined);
  const warnings: Remark[] = [];
  if (outside > 0) {
    const message = `${outside} rows of the table lie outside the search space and were left out.`;
    warnings.push({ code: 'rows_outside', field: 'config.evaluator.rows', message });
  }
  if (repeated > 0) {
    const message = `${repeated} rows repeat a setting; the mean of equal settings counts.`;
    warnings.push({ code: 'rows_repeated', field: 'config.evaluator.rows', message });
  }
  return {
    pool: settings.map(({ point }) => point),
    value: (point, resource) => ({ values: valuesAt(resource).get(space.keyOf(point)) ?? [NaN], byFold: [] }),
    test: () => null,
    baseline: () => null,
    warnings,
  };
}

function learnerEvaluation(
  { multi_fidelity: fidelity, ...config }: Config,
  evaluator: Builtin,
  space: Space,
  rng: SolveContext['rng'],
  look: () => void,
): Evaluation {
  const learner = learnerNamed(evaluator.model);
  const judge = new Judge({
    data: dataOf(evaluator),
    learner,
    metrics: objectivesOf(config).map(({ name }) => name as MetricName),
    validation: evaluator.validation,
    standardize: evaluator.standardize,
    rng,
    look,
  });
  const whole = (given: ParameterValues): ParameterValues =>
    fidelity === undefined || fidelity.resource === 'rows' ? given : { ...given, [fidelity.resource]: fidelity.max };
  const judged = (values: ParameterValues, share: number): Valued => {
    const { values: own, byFold } = judge.judge(values, share);
    return { values: own, byFold: byFold.map(([first]) => first) };
  };
  return {
    pool: null,
    value(point, resource) {
      const values = whole(space.assignment(point));
      if (fidelity === undefined) return judged(values, 1);
      if (fidelity.resource === 'rows') return judged(values, resource ?? fidelity.max);
      return judged(resource === undefined ? values : { ...values, [fidelity.resource]: resource }, 1);
    },
    test: (values) => judge.test(whole(values))?.[0] ?? null,
    baseline() {
      const values = Object.fromEntries(
        learner.parameters.map(({ name, default: value }) => [
          name,
          typeof value === 'function' ? value(dataOf(evaluator).columns) : value,
        ]),
      );
      const share = fidelity?.resource === 'rows' ? fidelity.max : 1;
      return { params: whole(values), valued: judged(whole(values), share) };
    },
    warnings: [],
  };
}
