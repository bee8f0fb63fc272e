/** Curves over one quantity, with points marked on them. */
import {
  BLUE,
  bottomAxis,
  label,
  leftAxis,
  picture,
  PLOT,
  rounded,
  scaleOver,
  VERMILION,
  x,
  y,
} from '../../explanation/visuals/plot.js';

/** Told apart by people with the common kinds of colour blindness (Okabe and Ito). */
export const COLOURS = [BLUE, VERMILION, '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'] as const;

export const colourOf = (i: number): string => COLOURS[i % COLOURS.length] ?? BLUE;

export type Point = readonly [x: number, y: number];

export interface Series {
  readonly name: string;
  /** In the order in which they are joined. */
  readonly points: readonly Point[];
  /** Not joined. Absent: a line. */
  readonly isScatter?: boolean;
  /** Joined by level stretches, each from its point on. Absent: straight. */
  readonly isStepped?: boolean;
}

export interface Mark {
  readonly at: Point;
  readonly name: string;
}

export interface LineChart {
  readonly title: string;
  readonly xName: string;
  readonly yName: string;
  readonly series: readonly Series[];
  readonly marks?: readonly Mark[];
}

const path = (points: readonly Point[], isStepped: boolean, at: (point: Point) => Point): string =>
  points
    .map((point, i) => {
      const [px, py] = at(point).map(rounded);
      if (i === 0) return `M${px} ${py}`;
      return isStepped ? `H${px}V${py}` : `L${px} ${py}`;
    })
    .join('');

/** SVG. Every coordinate must be finite. */
export function lineChart({ title, xName, yName, series, marks = [] }: LineChart): string {
  const points = [...series.flatMap((one) => one.points), ...marks.map((mark) => mark.at)];
  const places = points.map(([px]) => px);
  const across = { ...scaleOver(places), isWhole: places.every(Number.isInteger) };
  const up = scaleOver(points.map(([, py]) => py));
  const at = ([px, py]: Point): Point => [x(across.at(px)), y(up.at(py))];
  const curves = series.map(({ points: own, isScatter = false, isStepped = false }, i) => {
    const colour = colourOf(i);
    if (!isScatter) return `<path d="${path(own, isStepped, at)}" fill="none" stroke="${colour}" stroke-width="2"/>`;
    return own
      .map((point) => {
        const [cx, cy] = at(point).map(rounded);
        return `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`;
      })
      .join('');
  });
  const legend = series.length < 2 ? [] : legendOf(series, yName);
  const marked = marks.flatMap(({ at: place, name }) => {
    const [cx, cy] = at(place);
    // Beside the point, on the side where there is room.
    const isRight = cx < (PLOT.left + PLOT.right) / 2;
    return [
      `<circle cx="${rounded(cx)}" cy="${rounded(cy)}" r="5" fill="#fff" stroke="#000" stroke-width="2"/>`,
      label([cx + (isRight ? 9 : -9), cy - 9], name, isRight ? 'start' : 'end'),
    ];
  });
  return picture(title, [...bottomAxis(across, xName), ...leftAxis(up, yName), ...curves, ...legend, ...marked]);
}

/** About the width of a character, in the units of the picture. */
const CHARACTER = 7;
const LINE = 30;

/** Above the plot at the right where all names fit beside the name of the axis, else within the plot, one below the other. */
function legendOf(series: readonly Series[], yName: string): string[] {
  const widths = series.map(({ name }) => LINE + name.length * CHARACTER + 16);
  const whole = widths.reduce((sum, width) => sum + width, 0);
  const isRow = whole + yName.length * CHARACTER <= PLOT.right - PLOT.left;
  let right = PLOT.right + 6 - whole;
  return series.flatMap(({ name }, i) => {
    right += widths[i] ?? 0;
    return isRow ? key(name, i, right, PLOT.top - 10) : key(name, i, PLOT.right, PLOT.top + 14 + 18 * i);
  });
}

function key(name: string, i: number, right: number, top: number): string[] {
  return [
    `<path d="M${right - 24} ${top - 4}H${right - 6}" stroke="${colourOf(i)}" stroke-width="3"/>`,
    label([right - 30, top], name, 'end'),
  ];
}
