/** What is said of the front of a run of several objectives: how large it is, what each objective takes, what the knee costs. */
import type { Front } from '../model/front.js';
import type { Numbers } from '../common/phrase.js';
import type { Statement } from '../model/explanation.js';
import { join, say, type Clause } from './say.js';

/** "{...objective} {value}" for each, counted from 1. */
function valuesOf(values: readonly number[], name: string): Clause {
  return join(
    values.map((value, i) => ({ template: `{${name}_${i + 1}}`, evidence: { [`${name}_${i + 1}`]: value } })),
    ', ',
  );
}

/** "hypervolume ..." where it is a number, which evidence can hold. */
const volumeClause = (hypervolume: number): Clause =>
  Number.isFinite(hypervolume)
    ? { template: 'hypervolume of {hypervolume}', evidence: { hypervolume } }
    : { template: 'hypervolume beyond the range of float64', evidence: {} };

/** Level 1, without its end. */
export function frontClause({ points, knee, hypervolume }: Front): Clause {
  const values = points[knee]?.values ?? [];
  const compromise = valuesOf(values, 'knee_value');
  const volume = volumeClause(hypervolume);
  return {
    template:
      `The front has {points} points that no candidate beats in all of {objectives} objectives, with a ${volume.template}; ` +
      `its knee has the values ${compromise.template}`,
    evidence: { points: points.length, objectives: values.length, ...volume.evidence, ...compromise.evidence },
  };
}

/** Level 2: the extent of the front, and the point that its hypervolume is measured from. */
export function extentStatements({ points, reference, hypervolume }: Front): Statement[] {
  const from = valuesOf(reference, 'reference');
  const extents = reference.map((_, i) => {
    const own = points.map(({ values }) => values[i] ?? NaN);
    return say(2, 'front', 'Along the front objective {objective} takes values from {lowest} to {highest}.', {
      objective: i + 1,
      lowest: own.reduce((a, b) => Math.min(a, b), Infinity),
      highest: own.reduce((a, b) => Math.max(a, b), -Infinity),
    });
  });
  const volume = volumeClause(hypervolume);
  const template = `The ${volume.template} is measured from the reference point ${from.template}.`;
  return [...extents, say(2, 'front', template, { ...volume.evidence, ...from.evidence })];
}

/** Level 3: what going from the knee to the best of each objective gains there, and costs elsewhere. */
export function tradeOffStatements({ points, knee }: Front, isMaximized: boolean): Statement[] {
  const middle = points[knee];
  if (middle === undefined || points.length < 2) return [];
  const sign = isMaximized ? -1 : 1;
  return middle.values.map((value, i) => {
    const end = points.reduce((best, point) => (sign * (point.values[i]! - best.values[i]!) < 0 ? point : best));
    const numbers: Numbers = { objective: i + 1, knee_value: value, best_value: end.values[i]! };
    if (end === middle) {
      return say(
        3,
        'trade_off',
        'In objective {objective} no point of the front is better than the knee: {knee_value}.',
        {
          objective: i + 1,
          knee_value: value,
        },
      );
    }
    const costs = join(
      middle.values.flatMap((other, j) =>
        j === i
          ? []
          : [
              {
                template: `changes objective {other_${j + 1}} by {change_${j + 1}}`,
                evidence: { [`other_${j + 1}`]: j + 1, [`change_${j + 1}`]: end.values[j]! - other },
              },
            ],
      ),
      ' and ',
    );
    return say(
      3,
      'trade_off',
      `Taking objective {objective} from {knee_value} at the knee to its best, {best_value}, ${costs.template}.`,
      { ...numbers, ...costs.evidence },
    );
  });
}
