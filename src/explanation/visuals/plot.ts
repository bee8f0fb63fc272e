/** What the pictures of a run have in common: a frame, axes with round numbers, text. SVG without any library. */

export const WIDTH = 760;
export const HEIGHT = 520;
export const PLOT = { left: 90, right: 730, top: 60, bottom: 450 } as const;
/** Colours that people with the common kinds of colour blindness can tell apart (Okabe and Ito). */
export const BLUE = '#0072b2';
export const VERMILION = '#d55e00';
const GRID = '#e4e4e4';
const INK = '#333';
/** Steps between numbers on an axis, at most. */
const MOST_STEPS = 6;

/** Where values lie along an axis: from 0 at `low` to 1 at `high`. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  /** It counts: there is nothing between two whole numbers. */
  readonly isWhole?: boolean;
  at(value: number): number;
}

/** Over the values and a little beyond; of halves, because the difference of two numbers may be too large for one. */
export function scaleOver(values: readonly number[]): Scale {
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const half = most / 2 - least / 2;
  const margin = half > 0 ? half * 0.08 : Math.abs(most) * 0.04 || 0.5;
  const low = Math.max(-Number.MAX_VALUE, least - margin);
  const high = Math.min(Number.MAX_VALUE, most + margin);
  return { low, high, at: (value) => (value / 2 - low / 2) / (high / 2 - low / 2) };
}

/** Round numbers from `low` to `high`: 1, 2 or 5 times a power of ten apart. */
export function ticksOf({ low, high, isWhole = false }: Scale): number[] {
  const span = high / 2 - low / 2;
  const rough = (2 * span) / MOST_STEPS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const step = isWhole ? Math.max(1, round) : round;
  if (!Number.isFinite(step) || !(step > 0)) return [low, high];
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step);
  if (!(last - first <= 2 * MOST_STEPS)) return [low, high];
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Short, for people. */
export function shown(value: number): string {
  const short = Number(value.toPrecision(6));
  const size = Math.abs(short);
  return size !== 0 && (size < 1e-4 || size >= 1e7) ? short.toExponential().replace('e+', 'e') : String(short);
}

export const rounded = (value: number): string => value.toFixed(2);

export const x = (share: number): number => PLOT.left + (PLOT.right - PLOT.left) * share;
export const y = (share: number): number => PLOT.bottom - (PLOT.bottom - PLOT.top) * share;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export type Anchor = 'start' | 'middle' | 'end';

export function label(at: readonly [x: number, y: number], content: string, anchor: Anchor, more = ''): string {
  const place = `x="${rounded(at[0])}" y="${rounded(at[1])}"`;
  return `<text ${place} text-anchor="${anchor}" fill="${INK}"${more}>${escaped(content)}</text>`;
}

/** Lines and numbers at the ticks below the plot, and what they are. */
export function bottomAxis(scale: Scale, name: string): string[] {
  const lines = ticksOf(scale).flatMap((tick) => {
    const at = x(scale.at(tick));
    return [
      `<path d="M${rounded(at)} ${PLOT.top}V${PLOT.bottom}" stroke="${GRID}"/>`,
      label([at, PLOT.bottom + 18], shown(tick), 'middle'),
    ];
  });
  return [...lines, label([x(0.5), PLOT.bottom + 44], name, 'middle')];
}

export function leftAxis(scale: Scale, name: string): string[] {
  const lines = ticksOf(scale).flatMap((tick) => {
    const at = y(scale.at(tick));
    return [
      `<path d="M${PLOT.left} ${rounded(at)}H${PLOT.right}" stroke="${GRID}"/>`,
      label([PLOT.left - 8, at + 4], shown(tick), 'end'),
    ];
  });
  return [...lines, label([PLOT.left, PLOT.top - 10], name, 'start')];
}

export const picture = (title: string, parts: readonly string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" ` +
      'font-family="DejaVu Sans Condensed, sans-serif" font-size="13">',
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    label([PLOT.left, 26], title, 'start', ' font-size="16"'),
    ...parts,
    '</svg>\n',
  ].join('\n');
