/** The best value, or the hypervolume, over the evaluations of a run. */
import type { HistoryPoint } from '../../model/run-task.js';
import { BLUE, bottomAxis, label, leftAxis, picture, rounded, scaleOver, x, y } from './plot.js';

/** `course`: oldest first; `evaluations`: of the whole run. */
export function convergencePlot(course: readonly HistoryPoint[], evaluations: number, measure: string): string {
  // A hypervolume may be beyond float64, where nothing can be drawn.
  const history = course.filter(({ bestFitness }) => Number.isFinite(bestFitness));
  const title = `Convergence: ${measure} over ${evaluations} evaluations`;
  const [first] = history;
  if (first === undefined) return picture(title, [label([x(0.5), y(0.5)], `there is no ${measure}`, 'middle')]);
  const along = scaleOver([0, evaluations]);
  const up = scaleOver(history.map(({ bestFitness }) => bestFitness));
  const place = (n: number, value: number): string => `${rounded(x(along.at(n)))} ${rounded(y(up.at(value)))}`;
  // The best value holds until the next one.
  const steps = history.slice(1).map((point) => {
    const across = rounded(x(along.at(point.evaluations)));
    return `H${across}V${rounded(y(up.at(point.bestFitness)))}`;
  });
  const line = `M${place(first.evaluations, first.bestFitness)}${steps.join('')}H${rounded(x(along.at(evaluations)))}`;
  return picture(title, [
    ...bottomAxis(along, 'evaluations'),
    ...leftAxis(up, measure),
    `<path d="${line}" fill="none" stroke="${BLUE}" stroke-width="2"/>`,
  ]);
}
