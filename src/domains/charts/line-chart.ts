/** Curves over one quantity, with points marked on them. */
import {
  BLUE,
  bottomAxis,
  escaped,
  leftAxis,
  picture,
  PLOT,
  rounded,
  type Scale,
  scaleOver,
  SERIES,
  x,
  y,
  widthOf,
} from '../../explanation/visuals/plot.js';
import { legendOf, type Key } from './legend.js';
import { missingNames, pointNames } from './point-names.js';

/** Told apart by people with the common kinds of colour blindness (Okabe and Ito). */
export const COLOURS = SERIES;

export const colourOf = (i: number): string => COLOURS[i % COLOURS.length] ?? BLUE;

export type Point = readonly [x: number, y: number];

export interface Series {
  readonly name: string;
  /** In the order in which they are joined. */
  readonly points: readonly Point[];
  /** Names of points that are not joined, written beside those that have one. */
  readonly names?: readonly (string | null)[];
  /** Not joined. Absent: a line. */
  readonly isScatter?: boolean;
  /** Joined by level stretches, each from its point on. Absent: straight. */
  readonly isStepped?: boolean;
}

export interface Mark {
  readonly at: Point;
  readonly name: string;
}

interface LineChart {
  readonly title: string;
  readonly xName: string;
  readonly yName: string;
  readonly series: readonly Series[];
  readonly marks?: readonly Mark[];
  /** The upward axis begins at 0; no value may be below. */
  readonly isFromZero?: boolean;
}

const path = (points: readonly Point[], isStepped: boolean, at: (point: Point) => Point): string =>
  points
    .map((point, i) => {
      const [px, py] = at(point).map(rounded);
      if (i === 0) return `M${px} ${py}`;
      return isStepped ? `H${px}V${py}` : `L${px} ${py}`;
    })
    .join('');

function fromZero(values: readonly number[]): Scale {
  const { high } = scaleOver([0, ...values]);
  return { low: 0, high, at: (value) => value / high };
}

/** SVG. Every coordinate must be finite. */
export function lineChart({ title, xName, yName, series, marks = [], isFromZero = false }: LineChart): string {
  const points = [...series.flatMap((one) => one.points), ...marks.map((mark) => mark.at)];
  const places = points.map(([px]) => px);
  const across = { ...scaleOver(places), isWhole: places.every(Number.isInteger) };
  const heights = points.map(([, py]) => py);
  const up = isFromZero ? fromZero(heights) : scaleOver(heights);
  const at = ([px, py]: Point): Point => [x(across.at(px)), y(up.at(py))];
  const curves = series.map(({ points: own, names = [], isScatter = false, isStepped = false }, i) => {
    const colour = colourOf(i);
    if (!isScatter) return `<path d="${path(own, isStepped, at)}" fill="none" stroke="${colour}" stroke-width="2"/>`;
    return own
      .map((point, k) => {
        const [cx, cy] = at(point).map(rounded);
        const name = names[k] ?? null;
        const dot = `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"`;
        return name === null ? `${dot}/>` : `${dot}><title>${escaped(name)}</title></circle>`;
      })
      .join('');
  });
  const keys = series.map(({ name, isScatter = false }, i): Key => {
    return { name, colour: colourOf(i), mark: isScatter ? 'dot' : 'line' };
  });
  const { parts: legend, height } = legendOf(keys.length < 2 ? [] : keys, widthOf(yName));
  const circles = marks.map(({ at: place }) => {
    const [cx, cy] = at(place).map(rounded);
    return `<circle cx="${cx}" cy="${cy}" r="5" fill="#fff" stroke="#000" stroke-width="2"/>`;
  });
  const scattered = series.filter(({ isScatter = false }) => isScatter);
  const named = [
    ...marks.flatMap(({ at: place, name }) => (name === '' ? [] : [{ at: at(place), name }])),
    ...scattered.flatMap(({ points: own, names = [] }) =>
      own.flatMap((point, k) => {
        const name = names[k] ?? null;
        return name === null ? [] : [{ at: at(point), name }];
      }),
    ),
  ];
  const names = pointNames(named, {
    frame: PLOT,
    points: [...marks.map((mark) => at(mark.at)), ...scattered.flatMap((one) => one.points.map(at))],
    radius: marks.length > 0 ? 6 : 3,
    lines: series.filter(({ isScatter = false }) => !isScatter).map((one) => corners(one, at)),
  });
  return picture(
    title,
    [
      ...bottomAxis(across, xName),
      ...leftAxis(up, yName),
      ...curves,
      ...legend,
      ...circles,
      ...names.parts,
      ...missingNames(names.left, [PLOT.right, PLOT.bottom + 44]),
    ],
    height,
  );
}

/** As drawn: a stepped line goes across before it goes up. */
function corners({ points, isStepped = false }: Series, at: (point: Point) => Point): Point[] {
  const places = points.map(at);
  if (!isStepped) return places;
  return places.flatMap((place, i): Point[] =>
    i === 0 ? [place] : [[place[0], places[i - 1]?.[1] ?? place[1]], place],
  );
}
