/**
 * Statements on the front of a run of several objectives: how large it is, what each objective takes, what the knee
 * costs.
 */
import type { Experiment, Measured } from '../model/experiment.js';
import type { Front } from '../model/front.js';
import type { Numbers } from '../common/phrase.js';
import type { Statement } from '../model/explanation.js';
import type { RunTask } from '../model/run-task.js';
import { hypervolume as volumeOf } from '../pareto/hypervolume.js';
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
      `The front has {points:point|points} that no candidate beats in all {objectives} objectives, with a ${volume.template}; ` +
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
    const end = points.reduce((best, point) => (sign * (point.values[i] - best.values[i]) < 0 ? point : best));
    const numbers: Numbers = { objective: i + 1, knee_value: value, best_value: end.values[i] };
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
                evidence: { [`other_${j + 1}`]: j + 1, [`change_${j + 1}`]: end.values[j] - other },
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

/** Level 4: which coordinates change along the front, those that change most first, and what the knee adds to it. */
export function shapeStatements(front: Front, { bounds, direction }: RunTask, most: number): Statement[] {
  const { points } = front;
  const spans = bounds.map(([lower, upper], dimension) => {
    let [lowest, highest] = [Infinity, -Infinity];
    for (const { solution } of points) {
      lowest = Math.min(lowest, solution[dimension]);
      highest = Math.max(highest, solution[dimension]);
    }
    return { dimension, lowest, highest, share: (highest / 2 - lowest / 2) / (upper / 2 - lower / 2) };
  });
  const varying = spans.filter(({ share }) => share > 0).sort((a, b) => b.share - a.share);
  const said = varying.slice(0, most).map((span) => {
    const template =
      'Along the front x[{dimension:plain}] takes values from {lowest} to {highest}, {share:percent} of its range.';
    return say(4, 'front', template, { ...span });
  });
  const added = addedByKnee(front, direction === 'maximize' ? -1 : 1);
  return [...said, ...constant(spans.length - varying.length), ...added];
}

function constant(count: number): Statement[] {
  return count === 0
    ? []
    : [
        say(4, 'front', '{constant:coordinate has|coordinates have} one value along the whole front.', {
          constant: count,
        }),
      ];
}

function addedByKnee({ points, knee, reference, hypervolume }: Front, sign: 1 | -1): Statement[] {
  const others = points.filter((_, place) => place !== knee);
  const values = Float64Array.from(others.flatMap((point) => point.values.map((value) => sign * value)));
  const from = reference.map((value) => sign * value);
  const without = volumeOf(values, others.length, reference.length, from);
  if (!Number.isFinite(hypervolume)) return [];
  const template =
    'Without its knee the front has a hypervolume of {without}, so that the knee adds {added} to what the other points dominate.';
  return [say(4, 'front', template, { without, added: hypervolume - without })];
}

/**
 * How each objective changes from the centre of the experiment to `points`, and which of these the front is better
 * than.
 */
export function changesOfAll({ several }: Experiment, points: readonly Measured[]): Clause {
  const found = points.filter(({ values }) => values !== undefined);
  if (several === undefined || found.length === 0) return NOTHING;
  const each = several.values.map((centre, i): Clause => {
    const changes = found.map(({ values }) => values![i] - centre);
    const evidence = {
      [`objective_${i + 1}`]: i + 1,
      [`mean_${i + 1}`]: changes.reduce((sum, change) => sum + change / changes.length, 0),
      [`low_${i + 1}`]: Math.min(...changes),
      [`high_${i + 1}`]: Math.max(...changes),
    };
    const template = `objective {objective_${i + 1}} by {mean_${i + 1}} ({low_${i + 1}..high_${i + 1}})`;
    return { template, evidence };
  });
  const { template, evidence } = join(each, ', ');
  if (!Object.values(evidence).every(Number.isFinite)) return NOTHING;
  const dominated = found.filter(({ isDominated }) => isDominated === true).length;
  return {
    template: `, ${template}; the front is better than {dominated} of the {compared:point|points}`,
    evidence: { ...evidence, dominated, compared: found.length },
  };
}

/** Values of a point in each objective, and whether the front is better. */
export function standing({ values, isDominated }: Measured): Clause {
  if (values === undefined) return NOTHING;
  const { template, evidence } = valuesOf(values, 'value');
  const verdict = isDominated === true ? 'which the front is better than' : 'which nothing in the front is better than';
  return { template: `; the values there are ${template}, ${verdict}`, evidence };
}

const NOTHING: Clause = { template: '', evidence: {} };
