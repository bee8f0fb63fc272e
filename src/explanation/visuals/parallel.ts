/**
 * Parallel coordinates: a line for each point across the axes of its variables. With several objectives the points of
 * the front; with one those that were the best in their turn, the later the darker.
 */
import type { RunTask } from '../../model/run-task.js';
import type { EndedRun } from '../ended-run.js';
import { BLUE, label, picture, PLOT, rounded, shown, VERMILION, x, y } from './plot.js';
import { widthOf } from './text.js';

const LEAST_POINTS = 5;
/** Axes that there is room for: of more variables those that vary the most. */
const MOST_AXES = 10;

interface Line {
  readonly solution: readonly number[];
  readonly values: readonly number[];
}

/** Worst first. */
function linesOf({ ending: { front, improvements = [] } }: EndedRun): readonly Line[] {
  if (front === undefined) return improvements.map(({ solution, value }) => ({ solution, values: [value] }));
  return front.points.toSorted((a, b) => b.values[0] - a.values[0]);
}

export function noParallel(run: EndedRun): string | null {
  const { ending, request } = run;
  if (request.task.bounds.length < 2) return 'it shows several coordinates, and there is one';
  if (ending.front === undefined && ending.improvements === undefined) {
    if ((request.task.objectives ?? 1) > 1) return 'no candidate had finite values';
    return request.task.isPictured === true && request.task.bounds.length > 64
      ? 'points are kept of runs of at most 64 dimensions'
      : 'points are kept where `use_visual_intelligence` is on; of this run they were not';
  }
  const count = linesOf(run).length;
  return count >= LEAST_POINTS ? null : `it has only ${count} ${count === 1 ? 'point' : 'points'} to show`;
}

interface Axis {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  readonly of: (line: Line) => number;
}

const span = (numbers: readonly number[]): readonly [number, number] => [Math.min(...numbers), Math.max(...numbers)];

/** Variables over the whole of their bounds. */
function variableAxes(lines: readonly Line[], bounds: RunTask['bounds']): { axes: Axis[]; left: number } {
  const all = bounds.map(([low, high], i) => {
    const [least, most] = span(lines.map(({ solution }) => solution[i]));
    const axis: Axis = { name: `x[${i}]`, low, high, of: ({ solution }) => solution[i] };
    return { axis, i, spread: (most / 2 - least / 2) / (high / 2 - low / 2) };
  });
  const shownOnes = all
    .toSorted((a, b) => b.spread - a.spread || a.i - b.i)
    .slice(0, MOST_AXES)
    .sort((a, b) => a.i - b.i);
  return { axes: shownOnes.map(({ axis }) => axis), left: all.length - shownOnes.length };
}

const share = ({ low, high }: Axis, value: number): number =>
  high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5;

export function parallelPlot(run: EndedRun): string {
  const lines = linesOf(run);
  const { front } = run.ending;
  const { axes: variables, left } = variableAxes(lines, run.request.task.bounds);
  const objectives = lines[0].values.map((_, k): Axis => {
    const [low, high] = span(lines.map(({ values }) => values[k]));
    return { name: front === undefined ? 'value' : `objective ${k + 1}`, low, high, of: ({ values }) => values[k] };
  });
  const axes = [...variables, ...objectives];
  const across = (i: number): number => x((i + 0.5) / axes.length);
  const chosen = front === undefined ? lines[lines.length - 1] : front.points[front.knee];
  const course = (line: Line): string =>
    axes.map((axis, i) => `${rounded(across(i))},${rounded(y(share(axis, axis.of(line))))}`).join(' ');
  const [least, most] = lines.length > 100 ? [0.05, 0.3] : [0.12, 0.7];
  const opacity = (i: number): string => (least + ((most - least) * (i + 1)) / lines.length).toFixed(3);
  const room = (PLOT.right - PLOT.left) / axes.length - 8;
  const what = front === undefined ? 'points that were the best in their turn' : 'points of the front';
  const rest = `the ${variables.length} coordinates of ${variables.length + left} that vary the most`;
  return picture(`Parallel coordinates: ${lines.length} ${what}`, [
    ...lines.map(
      (line, i) =>
        `<polyline points="${course(line)}" fill="none" stroke="${BLUE}" stroke-width="1.5" stroke-opacity="${opacity(i)}"/>`,
    ),
    `<polyline points="${course(chosen)}" fill="none" stroke="${VERMILION}" stroke-width="3"/>`,
    ...axes.flatMap(({ name, low, high }, i) => {
      const at = across(i);
      return [
        `<path d="M${rounded(at)} ${PLOT.top}V${PLOT.bottom}" stroke="#333"/>`,
        end(high, at, PLOT.top - 8, room),
        end(low, at, PLOT.bottom + 18, room),
        label([at, PLOT.bottom + 38], name, 'middle'),
      ];
    }),
    ...(left === 0 ? [] : [label([PLOT.left, PLOT.bottom + 60], rest, 'start')]),
    label([PLOT.right, PLOT.bottom + 60], front === undefined ? 'orange: the best' : 'orange: the knee', 'end'),
  ]);
}

/** Of an axis, with as many digits as there is room for. */
function end(value: number, at: number, base: number, room: number): string {
  const digits = room < 50 ? 2 : room < 70 ? 3 : 5;
  const short = Number(value.toPrecision(digits));
  const text = shown(short);
  return label([at, base], widthOf(text) <= room ? text : short.toExponential().replace('e+', 'e'), 'middle');
}
