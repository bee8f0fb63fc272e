/**
 * The objective along single coordinates, all others as in the best point that the search had found. Every point was
 * measured by the run's experiment; between them are straight lines.
 */
import type { Experiment, Slice } from '../../model/experiment.js';
import type { EndedRun } from '../ended-run.js';
import { whyNotMeasured } from '../why-no-experiment.js';
import { BLUE, label, picture, PLOT, rounded, scaleOver, shortNames, type Scale, VERMILION } from './plot.js';

const COLUMNS = 2;
const ROW = 210;
const GAP = 70;
/** Fewer points of a slice say nothing about its form. */
const LEAST_POINTS = 5;

type Known = readonly [at: number, value: number];

/** The points of a slice that have a value, with the centre, from left to right. */
function pointsOf({ dimension, points }: Slice, { centre, centreValue }: Experiment): Known[] {
  const known = points.flatMap(({ to, value }): Known[] => (value === null ? [] : [[to, value]]));
  known.push([centre[dimension], centreValue]);
  return known.sort(([a], [b]) => a - b);
}

const drawable = (experiment: Experiment): Slice[] =>
  (experiment.slices ?? []).filter((slice) => pointsOf(slice, experiment).length > LEAST_POINTS);

export function noSlices(run: EndedRun): string | null {
  const { experiment } = run.ending;
  if (experiment?.slices === undefined) return whyNotMeasured(run, 'slices');
  return drawable(experiment).length > 0 ? null : 'nearly every evaluation along the slices failed';
}

export function slicePlot(experiment: Experiment): string {
  const slices = drawable(experiment);
  const columns = Math.min(COLUMNS, slices.length);
  const width = (PLOT.right - PLOT.left - GAP * (columns - 1)) / columns;
  const rows = Math.ceil(slices.length / columns);
  const parts = slices.flatMap((slice, i) => {
    const left = PLOT.left + (i % columns) * (width + GAP);
    const top = PLOT.top + 14 + Math.floor(i / columns) * ROW;
    return panel(slice, experiment, { left, right: left + width, top, bottom: top + ROW - 70 });
  });
  const failed = slices.reduce((sum, { points }) => sum + points.filter(({ value }) => value === null).length, 0);
  const note = failed === 0 ? '' : `; ${failed} evaluations failed and are left out`;
  return picture(`Slices through the best point of the search${note}`, parts, PLOT.top + 14 + rows * ROW + 4);
}

interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function panel(slice: Slice, experiment: Experiment, { left, right, top, bottom }: Frame): string[] {
  const known = pointsOf(slice, experiment);
  const along = exactly(known.map(([at]) => at));
  const up = scaleOver(known.map(([, value]) => value));
  const place = ([at, value]: Known): [number, number] => [
    left + (right - left) * along.at(at),
    bottom - (bottom - top) * up.at(value),
  ];
  const points = known.map(place);
  const line = points.map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${rounded(px)} ${rounded(py)}`).join('');
  const [cx, cy] = place([experiment.centre[slice.dimension], experiment.centreValue]);
  const values = known.map(([, value]) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const ends = low < high ? [low, high] : [low];
  const endNames = shortNames(ends, 4);
  const sides = shortNames([known[0][0], known[known.length - 1][0]], 4);
  return [
    `<rect x="${rounded(left)}" y="${rounded(top)}" width="${rounded(right - left)}" height="${rounded(bottom - top)}" fill="none" stroke="#ccc"/>`,
    ...ends.map((value, i) => label([left - 6, bottom - (bottom - top) * up.at(value) + 4], endNames[i], 'end')),
    label([left, bottom + 18], sides[0], 'start'),
    label([right, bottom + 18], sides[sides.length - 1], 'end'),
    label([(left + right) / 2, bottom + 18], `x[${slice.dimension}]`, 'middle'),
    `<path d="${line}" fill="none" stroke="${BLUE}" stroke-width="1.5"/>`,
    ...points.map(([px, py]) => `<circle cx="${rounded(px)}" cy="${rounded(py)}" r="2.2" fill="${BLUE}"/>`),
    `<circle cx="${rounded(cx)}" cy="${rounded(cy)}" r="5" fill="none" stroke="${VERMILION}" stroke-width="2.5"/>`,
  ];
}

/** From the least to the largest, without a margin. */
function exactly(values: readonly number[]): Scale {
  const low = Math.min(...values);
  const high = Math.max(...values);
  return { low, high, at: (value) => (high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5) };
}
