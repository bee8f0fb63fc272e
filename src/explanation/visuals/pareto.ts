/**
 * The front of a run: two objectives as points in the plane, more as lines across parallel axes; the knee stands out.
 */
import type { Front, FrontPoint } from '../../model/front.js';
import {
  BLUE,
  bottomAxis,
  label,
  leftAxis,
  picture,
  PLOT,
  rounded,
  scaleOver,
  shown,
  VERMILION,
  x,
  y,
} from './plot.js';

export function paretoPlot(front: Front): string {
  const { points, reference } = front;
  return reference.length === 2 ? plane(front) : lines(front, points.length);
}

const titleOf = ({ points, hypervolume }: Front): string =>
  `Pareto front: ${points.length} points, hypervolume ${
    Number.isFinite(hypervolume) ? shown(hypervolume) : 'beyond float64'
  }`;

const valuesOf = (points: readonly FrontPoint[], objective: number): number[] =>
  points.map(({ values }) => values[objective]);

function plane(front: Front): string {
  const { points, knee } = front;
  const [first, second] = [scaleOver(valuesOf(points, 0)), scaleOver(valuesOf(points, 1))];
  const place = ({ values }: FrontPoint): string =>
    `cx="${rounded(x(first.at(values[0])))}" cy="${rounded(y(second.at(values[1])))}"`;
  const compromise = points[knee];
  return picture(titleOf(front), [
    ...bottomAxis(first, 'objective 1'),
    ...leftAxis(second, 'objective 2'),
    ...points.map((point) => `<circle ${place(point)} r="3.5" fill="${BLUE}" fill-opacity="0.75"/>`),
    `<circle ${place(compromise)} r="7" fill="none" stroke="${VERMILION}" stroke-width="2.5"/>`,
    kneeLabel(compromise),
  ]);
}

function kneeLabel({ values }: FrontPoint): string {
  const content = `knee: ${values.map(shown).join(', ')}`;
  return label([PLOT.right, PLOT.top - 10], content, 'end', ` style="fill:${VERMILION}"`);
}

/** Each axis from the lowest value, at the bottom, to the highest. */
function lines(front: Front, count: number): string {
  const { points, knee, reference } = front;
  const scales = reference.map((_, i) => scaleOver(valuesOf(points, i)));
  const across = (i: number): number => x((i + 0.5) / scales.length);
  const course = ({ values }: FrontPoint): string =>
    values.map((value, i) => `${rounded(across(i))},${rounded(y(scales[i].at(value)))}`).join(' ');
  const opacity = count > 100 ? 0.25 : 0.5;
  const compromise = points[knee];
  return picture(titleOf(front), [
    ...points.map(
      (point) => `<polyline points="${course(point)}" fill="none" stroke="${BLUE}" stroke-opacity="${opacity}"/>`,
    ),
    `<polyline points="${course(compromise)}" fill="none" stroke="${VERMILION}" stroke-width="3"/>`,
    ...scales.flatMap((scale, i) => {
      const own = valuesOf(points, i);
      const [least, most] = [own.reduce((a, b) => Math.min(a, b)), own.reduce((a, b) => Math.max(a, b))];
      const at = across(i);
      return [
        `<path d="M${rounded(at)} ${PLOT.top}V${PLOT.bottom}" stroke="#333"/>`,
        label([at + 6, y(scale.at(most)) - 6], shown(most), 'start'),
        ...(most > least ? [label([at + 6, y(scale.at(least)) + 14], shown(least), 'start')] : []),
        label([at, PLOT.bottom + 22], `objective ${i + 1}`, 'middle'),
      ];
    }),
    kneeLabel(compromise),
  ]);
}
