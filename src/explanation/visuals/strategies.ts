/** Who searched when: a row for each strategy, in the order in which they began. */
import type { RunEnding } from '../../model/run-record.js';
import { bottomAxis, cut, label, picture, PLOT, rounded, type Scale, SERIES, shown, x } from './plot.js';

const ROW = 40;
const BAR = 16;
/** A span of a few evaluations among many can still be seen. */
const LEAST_WIDTH = 1.5;

export const noStrategies = ({ strategies }: Pick<RunEnding, 'strategies'>): string | null =>
  (strategies[0]?.fromEvaluation ?? 0) > 0
    ? 'the first of its many phases were not kept'
    : strategies.length > 1
      ? null
      : strategies.length === 0
        ? 'nobody searched'
        : `${strategies[0].name} searched from the beginning to the end`;

export function strategiesPlot({ strategies, evaluations }: Pick<RunEnding, 'strategies' | 'evaluations'>): string {
  const names = [...new Set(strategies.map(({ name }) => name))];
  const bottom = PLOT.top + ROW * names.length + 6;
  const most = Math.max(1, evaluations);
  const along: Scale = { low: 0, high: most, counts: [0, most], at: (value) => value / most };
  const rows = names.flatMap((name, row) => {
    const top = PLOT.top + ROW * row;
    const own = strategies.filter((span) => span.name === name);
    const used = own.reduce((sum, span) => sum + span.toEvaluation - span.fromEvaluation, 0);
    const colour = SERIES[row % SERIES.length];
    const bars = own.map(({ fromEvaluation, toEvaluation }) => {
      const [from, to] = [x(along.at(fromEvaluation)), x(along.at(toEvaluation))];
      const width = rounded(Math.max(LEAST_WIDTH, to - from));
      const place = `x="${rounded(from)}" y="${rounded(top + 20)}" width="${width}" height="${BAR}"`;
      return `<rect ${place} fill="${colour}"><title>${fromEvaluation} to ${toEvaluation}</title></rect>`;
    });
    const said = `: ${shown(Number(((100 * used) / most).toPrecision(3)))} % of the evaluations`;
    return [label([PLOT.left, top + 14], cut(name, PLOT.right - PLOT.left - 260) + said, 'start'), ...bars];
  });
  const title = `Strategies over ${evaluations} evaluations`;
  return picture(title, [...bottomAxis(along, 'evaluations', bottom), ...rows], bottom + 62);
}
