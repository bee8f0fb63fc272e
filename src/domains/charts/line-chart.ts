/** Curves, points and columns over one quantity, with points marked on them. */
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
  shown,
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
  /**
   * Each value holds over so much of the axis around its point, half of it on either side: 1 for the value of a
   * numbered period. The points rise.
   */
  readonly width?: number;
  /** Columns from 0 up, of that width or less; the upward axis begins at 0. */
  readonly isColumns?: boolean;
  /** For what limits or goes beyond the others: seen also where it lies on one of them. */
  readonly isDashed?: boolean;
}

export interface Mark {
  readonly at: Point;
  readonly name: string;
  /** Place of the series that it belongs to. */
  readonly series?: number;
}

interface LineChart {
  readonly title: string;
  readonly xName: string;
  readonly yName: string;
  /** Later ones lie over earlier ones, dashed ones over all. */
  readonly series: readonly Series[];
  readonly marks?: readonly Mark[];
  /** The upward axis begins at 0; no value may be below. */
  readonly isFromZero?: boolean;
}

/** Points beyond this number are small and let see what is under them. */
const MANY_POINTS = 200;
/** Columns of few values are no walls, in units of the picture. */
const THICKEST = 60;

/** Corners of what is drawn, in stretches that are each joined. */
function stretchesOf({ points, isStepped = false, width }: Series): Point[][] {
  if (width === undefined) {
    if (!isStepped) return [[...points]];
    return [points.flatMap((point, i): Point[] => (i === 0 ? [point] : [[point[0], points[i - 1]?.[1] ?? 0], point]))];
  }
  const stretches: Point[][] = [];
  let end = NaN;
  for (const [px, py] of points) {
    const level: Point[] = [
      [px - width / 2, py],
      [px + width / 2, py],
    ];
    const last = stretches.at(-1);
    if (last !== undefined && Math.abs(px - width / 2 - end) <= 1e-9 * width) last.push(...level);
    else stretches.push(level);
    end = px + width / 2;
  }
  return stretches;
}

function fromZero(values: readonly number[]): Scale {
  const { high } = scaleOver([0, ...values]);
  return { low: 0, high, at: (value) => value / high };
}

/** SVG. Every coordinate must be finite. */
export function lineChart({ title, xName, yName, series, marks = [], isFromZero = false }: LineChart): string {
  const points = [...series.flatMap((one) => one.points), ...marks.map((mark) => mark.at)];
  const places = points.map(([px]) => px);
  const ends = series.flatMap((one) => stretchesOf(one).flatMap((stretch) => stretch.map(([px]) => px)));
  const across: Scale = {
    ...scaleOver([...places, ...ends]),
    counts: places.every(Number.isInteger) ? [smallest(places), -smallest(places.map((px) => -px))] : undefined,
  };
  const heights = points.map(([, py]) => py);
  const up = isFromZero || series.some(({ isColumns = false }) => isColumns) ? fromZero(heights) : scaleOver(heights);
  const at = ([px, py]: Point): Point => [x(across.at(px)), y(up.at(py))];
  const draw = (one: Series, i: number): string => {
    const { points: own, names = [], isScatter = false, isColumns = false, width = 1, isDashed = false } = one;
    const colour = colourOf(i);
    if (isColumns) {
      const most = isTouching(one) ? Infinity : THICKEST;
      return own.map((point) => column(point, { width, most }, at, colour)).join('');
    }
    if (!isScatter) {
      const joined = stretchesOf(one).map((stretch) => path(stretch, at));
      const dashes = isDashed ? ' stroke-dasharray="7 5"' : '';
      return `<path d="${joined.join('')}" fill="none" stroke="${colour}" stroke-width="2"${dashes}/>`;
    }
    const look = own.length > MANY_POINTS ? 'r="2" fill-opacity="0.5"' : 'r="3"';
    return own
      .map((point, k) => {
        const [cx, cy] = at(point).map(rounded);
        const name = names[k] ?? null;
        const dot = `<circle cx="${cx}" cy="${cy}" ${look} fill="${colour}"`;
        return name === null ? `${dot}/>` : `${dot}><title>${escaped(name)}</title></circle>`;
      })
      .join('');
  };
  const layer = ({ isColumns = false, isDashed = false }: Series): number => (isColumns ? 0 : isDashed ? 2 : 1);
  const drawn = series.map((one, i) => ({ layer: layer(one), svg: draw(one, i) })).sort((a, b) => a.layer - b.layer);
  const curves = drawn.map(({ svg }) => svg);
  const keys = series.map(({ name, isScatter = false, isColumns = false, isDashed = false }, i): Key => {
    return { name, colour: colourOf(i), mark: isScatter ? 'dot' : isColumns ? 'box' : isDashed ? 'dashes' : 'line' };
  });
  const { parts: legend, height } = legendOf(keys.length < 2 ? [] : keys, widthOf(yName));
  const circles = marks.map(({ at: place, series: own }) => {
    const [cx, cy] = at(place).map(rounded);
    const colour = own === undefined ? '#000' : colourOf(own);
    return `<circle cx="${cx}" cy="${cy}" r="5" fill="#fff" stroke="${colour}" stroke-width="2"/>`;
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
    lines: series
      .filter(({ isScatter = false, isColumns = false }) => !isScatter && !isColumns)
      .flatMap((one) => stretchesOf(one).map((stretch) => stretch.map(at))),
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

const smallest = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), Infinity);

const path = (corners: readonly Point[], at: (point: Point) => Point): string =>
  corners.map((corner, i) => `${i === 0 ? 'M' : 'L'}${at(corner).map(rounded).join(' ')}`).join('');

/** As the bins of a histogram do. */
const isTouching = ({ points: [first, second], width = 1 }: Series): boolean =>
  first !== undefined && second !== undefined && Math.abs(second[0] - first[0] - width) <= 1e-6 * width;

/** With some air to the next one, where there is room for it. */
function column(
  [px, py]: Point,
  { width, most }: { readonly width: number; readonly most: number },
  at: (point: Point) => Point,
  colour: string,
): string {
  const [[left, top], [right, bottom]] = [at([px - width / 2, py]), at([px + width / 2, 0])];
  const air = Math.min(2, (right - left) * 0.1);
  const wide = Math.min(most, right - left - air);
  const place = `x="${rounded((left + right - wide) / 2)}" y="${rounded(top)}"`;
  const size = `width="${rounded(wide)}" height="${rounded(bottom - top)}"`;
  return `<rect ${place} ${size} fill="${colour}" fill-opacity="0.75"><title>${shown(py)}</title></rect>`;
}
