/** Horizontal bars, one row for each name, side by side for each series. */
import { bottomAxis, label, picture, PLOT, rounded, scaleOver, x } from '../../explanation/visuals/plot.js';
import { colourOf } from './line-chart.js';

export interface BarChart {
  readonly title: string;
  /** What the bars measure, with its unit. */
  readonly xName: string;
  /** From top to bottom. At most about 20 are readable. */
  readonly names: readonly string[];
  /** One finite value for each name. */
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
}

/** Longer names are cut. */
const NAME_CHARACTERS = 20;
/** Left edge of the bars: names stand before it. */
const FIRST = 0.12;

export function barChart({ title, xName, names, series }: BarChart): string {
  const values = series.flatMap((one) => [...one.values]);
  const scale = scaleOver([0, ...values]);
  // Room for names at the left.
  const inner = { ...scale, at: (value: number): number => FIRST + (1 - FIRST) * scale.at(value) };
  const row = (PLOT.bottom - PLOT.top - 34) / Math.max(1, names.length);
  const thickness = (0.8 * row) / Math.max(1, series.length);
  const zero = x(inner.at(0));
  const bars = series.flatMap((one, s) =>
    one.values.map((value, i) => {
      const end = x(inner.at(value));
      const top = PLOT.top + 34 + i * row + 0.1 * row + s * thickness;
      const place = `x="${rounded(Math.min(zero, end))}" y="${rounded(top)}"`;
      const size = `width="${rounded(Math.abs(end - zero))}" height="${rounded(thickness * 0.92)}"`;
      return `<rect ${place} ${size} fill="${colourOf(s)}"/>`;
    }),
  );
  const labels = names.map((name, i) => {
    const short = name.length > NAME_CHARACTERS ? `${name.slice(0, NAME_CHARACTERS - 3)}...` : name;
    return label([x(FIRST) - 6, PLOT.top + 34 + (i + 0.5) * row + 4], short, 'end');
  });
  const legend = series.flatMap(({ name }, s) => [
    `<rect x="${rounded(PLOT.right - 190 * (series.length - s))}" y="${PLOT.top - 2}" width="14" height="14" fill="${colourOf(s)}"/>`,
    label([PLOT.right - 190 * (series.length - s) + 20, PLOT.top + 10], name, 'start'),
  ]);
  return picture(title, [
    ...bottomAxis(inner, xName),
    ...bars,
    `<path d="M${rounded(zero)} ${PLOT.top + 30}V${PLOT.bottom}" stroke="#333"/>`,
    ...labels,
    ...(series.length < 2 ? [] : legend),
  ]);
}
