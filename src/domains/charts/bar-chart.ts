/** Horizontal bars, one row for each name, side by side for each series. */
import {
  bottomAxis,
  escaped,
  label,
  picture,
  PLOT,
  rounded,
  scaleOver,
  shown,
  x,
  type Scale,
  cut,
  widthOf,
} from '../../explanation/visuals/plot.js';
import { legendOf } from './legend.js';
import { colourOf } from './line-chart.js';

interface BarChart {
  readonly title: string;
  /** Quantity that the bars measure, with its unit. */
  readonly xName: string;
  /** Names from top to bottom. The picture grows with their number. */
  readonly names: readonly RowName[];
  /** One finite value for each name. */
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** Drawn around the bars of a row; null: that row has none. */
  readonly frames?: { readonly name: string; readonly values: readonly (number | null)[] };
}

/** Name of a row, with an end that is never cut off, such as a number. */
export type RowName = string | { readonly name: string; readonly end: string };

/** Names take no more than this. */
const NAME_ROOM = 230;
const MARGIN = 12;
const AIR = 8;
/** Least height of a row and of a bar in it. */
const [LEAST_ROW, LEAST_BAR] = [17, 9];
const THICKEST = 60;

export interface Rows {
  /** Scale of the values, right of the names. */
  readonly scale: Scale;
  readonly top: (row: number) => number;
  readonly height: number;
  /** Lower edge of the plot. */
  readonly bottom: number;
  readonly names: readonly string[];
}

/** Rows with their names on the left, over an axis for `values`. */
export function rowsOf(names: readonly RowName[], values: readonly number[], bars = 1): Rows {
  const parts = names.map((name) => (typeof name === 'string' ? { name, end: '' } : name));
  const widest = parts.reduce((most, { name, end }) => Math.max(most, widthOf(name + end)), 0);
  const first = Math.max(PLOT.left, MARGIN + AIR + Math.min(NAME_ROOM, widest));
  const from = (first - PLOT.left) / (PLOT.right - PLOT.left);
  const whole = scaleOver(values);
  const step = Math.max(
    LEAST_ROW,
    (LEAST_BAR * bars) / 0.8,
    Math.min(THICKEST * 1.25, (PLOT.bottom - PLOT.top) / Math.max(1, names.length)),
  );
  const top = (row: number): number => PLOT.top + (row + 0.1) * step;
  const height = step * 0.8;
  return {
    scale: { ...whole, at: (value) => from + (1 - from) * whole.at(value) },
    top,
    height,
    bottom: PLOT.top + step * names.length + 4,
    names: parts.map(({ name, end }, row) => {
      const short = cut(name, NAME_ROOM, end);
      const text = label([first - AIR, top(row) + height / 2 + 4], short, 'end');
      return short === name + end ? text : text.replace('</text>', `<title>${escaped(name + end)}</title></text>`);
    }),
  };
}

export function barChart({ title, xName, names, series, frames }: BarChart): string {
  const limits = frames?.values.filter((value) => value !== null) ?? [];
  const values = [0, ...series.flatMap((one) => [...one.values]), ...limits];
  const { scale, top, height, bottom, names: labels } = rowsOf(names, values, series.length);
  const zero = x(scale.at(0));
  const bar = (value: number, from: number, tall: number, style: string): string => {
    const end = x(scale.at(value));
    const place = `x="${rounded(Math.min(zero, end))}" y="${rounded(from)}"`;
    return `<rect ${place} width="${rounded(Math.abs(end - zero))}" height="${rounded(tall)}" ${style}><title>${shown(value)}</title></rect>`;
  };
  const thickness = height / Math.max(1, series.length);
  const bars = series.flatMap((one, s) =>
    one.values.map((value, i) => bar(value, top(i) + s * thickness, thickness * 0.92, `fill="${colourOf(s)}"`)),
  );
  const around = (frames?.values ?? []).flatMap((value, i) =>
    value === null ? [] : [bar(value, top(i), height, 'fill="none" stroke="#333"')],
  );
  const keys = [
    ...series.map(({ name }, s) => ({ name, colour: colourOf(s), mark: 'box' as const })),
    ...(limits.length === 0 || frames === undefined
      ? []
      : [{ name: frames.name, colour: '#333', mark: 'frame' as const }]),
  ];
  const legend = legendOf(keys.length < 2 ? [] : keys, 0, bottom);
  return picture(
    title,
    [
      ...bottomAxis(scale, xName, bottom),
      ...bars,
      ...around,
      `<path d="M${rounded(zero)} ${PLOT.top}V${rounded(bottom)}" stroke="#333"/>`,
      ...labels,
      ...legend.parts,
    ],
    legend.height,
  );
}
