/**
 * The objective over two coordinates, all others as in the best point that the search had found. Each cell has the
 * colour of one measured value. Lines of equal value between the cells are drawn only where neighbours predict the
 * values.
 */
import type { Experiment, Plane } from '../../model/experiment.js';
import type { RunTask } from '../../model/run-task.js';
import type { EndedRun } from '../ended-run.js';
import { whyNotMeasured } from '../why-no-experiment.js';
import {
  bottomAxis,
  label,
  leftAxis,
  picture,
  PLOT,
  rounded,
  type Scale,
  shortNames,
  shown,
  VERMILION,
  x,
  y,
} from './plot.js';

/** Dark is low. From a palette that is even for people with any kind of colour vision (cividis). */
const LEVELS = ['#00224e', '#35456c', '#666970', '#948e77', '#c8b866', '#fee838'] as const;
const FAILED = '#ffffff';
/** Share of the points that must have a value. */
const LEAST_KNOWN = 0.75;
/** Share of the variance of ranks that neighbours must explain. */
const LEAST_FIT = 0.8;

export function noContour(run: EndedRun): string | null {
  const { experiment } = run.ending;
  if (experiment?.plane === undefined) {
    return run.request.task.bounds.length === 1
      ? 'it shows two coordinates, and there is one'
      : whyNotMeasured(run, 'contours');
  }
  const { values } = experiment.plane;
  const known = values.filter((value) => value !== null);
  if (known.length < LEAST_KNOWN * values.length) {
    return `${values.length - known.length} of ${values.length} evaluations over the plane failed`;
  }
  if (new Set(known).size < LEVELS.length) return 'the objective has hardly any different values over the plane';
  return null;
}

/** The values that separate the levels: as many cells in each, as far as values are not equal. */
function thresholdsOf(values: readonly (number | null)[]): number[] {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  return LEVELS.slice(1).map((_, i) => sorted[Math.round(((i + 1) * (sorted.length - 1)) / LEVELS.length)]);
}

/** Colours by rank: values may differ by many powers of ten. */
const levelOf = (value: number, thresholds: readonly number[]): number =>
  thresholds.filter((threshold) => value >= threshold).length;

type Bound = RunTask['bounds'][number];

const scaleOf = ([low, high]: Bound): Scale => ({
  low,
  high,
  at: (value) => (value / 2 - low / 2) / (high / 2 - low / 2),
});

/** Ends of the cells: in the middle between points. */
const endsOf = (points: readonly number[], [low, high]: Bound): number[] => [
  low,
  ...points.slice(1).map((point, i) => point / 2 + points[i] / 2),
  high,
];

export function contourPlot(experiment: Experiment, bounds: RunTask['bounds']): string {
  const { plane, centre } = experiment;
  if (plane === undefined) throw new Error('a contour without a plane');
  const { first, second, values } = plane;
  const side = plane.firstAt.length;
  const thresholds = thresholdsOf(values);
  const [along, up] = [scaleOf(bounds[first]), scaleOf(bounds[second])];
  const edges = endsOf(plane.firstAt, bounds[first]).map((end) => x(along.at(end)));
  const heights = endsOf(plane.secondAt, bounds[second]).map((end) => y(up.at(end)));
  const cells = values.map((value, i) => {
    const [column, row] = [i % side, Math.floor(i / side)];
    const fill = value === null ? FAILED : LEVELS[levelOf(value, thresholds)];
    const place = `x="${rounded(edges[column])}" y="${rounded(heights[row + 1])}"`;
    // A little larger than the cell, so that no seam shows.
    const [width, height] = [edges[column + 1] - edges[column] + 0.4, heights[row] - heights[row + 1] + 0.4];
    const said = value === null ? 'failed' : shown(value);
    return `<rect ${place} width="${rounded(width)}" height="${rounded(height)}" fill="${fill}"><title>${said}</title></rect>`;
  });
  const at = `cx="${rounded(x(along.at(centre[first])))}" cy="${rounded(y(up.at(centre[second])))}"`;
  const isSmooth = fitOf(plane) >= LEAST_FIT;
  const failed = values.filter((value) => value === null).length;
  const notes = [
    `${values.length} measured points`,
    ...(failed === 0 ? [] : [`${failed} failed (white)`]),
    ...(isSmooth ? [] : ['neighbours do not predict the values: no lines']),
  ];
  const bottom = PLOT.bottom;
  return picture(
    `Contour around the best point of the search: ${notes.join(', ')}`,
    [
      ...bottomAxis(along, `x[${first}]`),
      ...leftAxis(up, `x[${second}]`),
      '<g shape-rendering="crispEdges">',
      ...cells,
      '</g>',
      ...(isSmooth ? linesOf(plane, thresholds, along, up) : []),
      `<circle ${at} r="7" fill="none" stroke="#fff" stroke-width="5"/>`,
      `<circle ${at} r="7" fill="none" stroke="${VERMILION}" stroke-width="2.5"/>`,
      ...legend(thresholds, bottom + 58),
    ],
    bottom + 104,
  );
}

function legend(thresholds: readonly number[], top: number): string[] {
  const width = (PLOT.right - PLOT.left) / LEVELS.length;
  const names = shortNames(thresholds, 3);
  return [
    ...LEVELS.map((colour, i) => {
      const left = rounded(PLOT.left + i * width);
      return `<rect x="${left}" y="${top}" width="${rounded(width + 0.4)}" height="14" fill="${colour}"/>`;
    }),
    label([PLOT.left, top + 32], 'low', 'start'),
    label([PLOT.right, top + 32], 'high', 'end'),
    ...names.map((name, i) => label([PLOT.left + (i + 1) * width, top + 32], name, 'middle')),
  ];
}

/** Share of the variance of ranks that straight lines between neighbours explain, inside of the plane. */
function fitOf({ values, firstAt, secondAt }: Plane): number {
  const side = firstAt.length;
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const ranks = values.map((value) => (value === null ? null : sorted.indexOf(value)));
  const between = (before: number | null, after: number | null, at: readonly number[], k: number): number | null => {
    const share = (at[k] / 2 - at[k - 1] / 2) / (at[k + 1] / 2 - at[k - 1] / 2);
    return before === null || after === null ? null : before * (1 - share) + after * share;
  };
  const pairs = ranks.flatMap((rank, i) => {
    const [column, row] = [i % side, Math.floor(i / side)];
    if (rank === null || column === 0 || row === 0 || column === side - 1 || row === side - 1) return [];
    const across = between(ranks[i - 1], ranks[i + 1], firstAt, column);
    const upward = between(ranks[i - side], ranks[i + side], secondAt, row);
    return across === null || upward === null ? [] : [[rank, (across + upward) / 2] as const];
  });
  const mean = pairs.reduce((sum, [rank]) => sum + rank / pairs.length, 0);
  const whole = pairs.reduce((sum, [rank]) => sum + (rank - mean) ** 2, 0);
  const left = pairs.reduce((sum, [rank, guess]) => sum + (rank - guess) ** 2, 0);
  return whole > 0 ? 1 - left / whole : 0;
}

/** Marching squares between the measured points, interpolated by straight lines. */
function linesOf(
  { values, firstAt, secondAt }: Plane,
  thresholds: readonly number[],
  along: Scale,
  up: Scale,
): string[] {
  const side = firstAt.length;
  return thresholds.map((threshold) => {
    const pieces: string[] = [];
    for (let row = 0; row + 1 < secondAt.length; row++) {
      for (let column = 0; column + 1 < side; column++) {
        const corners = [
          [column, row],
          [column + 1, row],
          [column + 1, row + 1],
          [column, row + 1],
        ] as const;
        const crossed = corners.flatMap(([c, r], k) => {
          const [d, s] = corners[(k + 1) % 4];
          const [one, other] = [values[r * side + c], values[s * side + d]];
          if (one === null || other === null || one >= threshold === other >= threshold) return [];
          const share = (threshold / 2 - one / 2) / (other / 2 - one / 2);
          const u = firstAt[c] * (1 - share) + firstAt[d] * share;
          const v = secondAt[r] * (1 - share) + secondAt[s] * share;
          return [`${rounded(x(along.at(u)))} ${rounded(y(up.at(v)))}`];
        });
        for (let k = 0; k + 1 < crossed.length; k += 2) pieces.push(`M${crossed[k]}L${crossed[k + 1]}`);
      }
    }
    return `<path d="${pieces.join('')}" fill="none" stroke="#fff" stroke-opacity="0.8"/>`;
  });
}
