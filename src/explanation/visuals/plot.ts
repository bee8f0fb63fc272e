/** Common parts of a run's pictures: a frame, axes with round numbers, text. SVG without any library. */
import { cut, FONT_SIZE, widthOf } from './text.js';

export { cut, FONT_SIZE, widthOf };

const WIDTH = 760;
export const HEIGHT = 520;
export const PLOT = { left: 90, right: 730, top: 60, bottom: 450 } as const;
/** Colours that people with the common kinds of colour blindness can tell apart (Okabe and Ito). */
export const BLUE = '#0072b2';
export const VERMILION = '#d55e00';
/** For series, in this order. */
export const SERIES = [BLUE, VERMILION, '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'] as const;
const GRID = '#e4e4e4';
const INK = '#333';
/** Steps between numbers on an axis, at most. */
const MOST_STEPS = 6;
const TITLE_SIZE = 16;

/** Where values lie along an axis: from 0 at `low` to 1 at `high`. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  /** It counts from the first of these to the last: there is nothing between two whole numbers, and none beyond. */
  readonly counts?: readonly [first: number, last: number];
  at(value: number): number;
}

/**
 * Scale over the values and a little beyond; of halves, because the difference of two numbers may be too large for one.
 */
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
export function ticksOf({ low, high, counts }: Scale): number[] {
  const span = high / 2 - low / 2;
  const rough = (2 * span) / MOST_STEPS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const step = counts === undefined ? round : Math.max(1, round);
  if (!Number.isFinite(step) || !(step > 0)) return [low, high];
  const [from, to] = counts ?? [low, high];
  const first = Math.ceil(from / step);
  const last = Math.floor(to / step);
  if (!(last - first <= 2 * MOST_STEPS)) return [low, high];
  if (last < first) return [from, to];
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** From this size on, the digits of numbers are in groups: 2024 may be a year. */
const IN_GROUPS = 10_000;

/** The digits before the point in groups of three. */
const grouped = (number: string): string => number.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));

function shortened(value: number): string {
  const short = Number(value.toPrecision(6));
  const size = Math.abs(short);
  return size !== 0 && (size < 1e-4 || size >= 1e10) ? short.toExponential().replace('e+', 'e') : String(short);
}

/** Short, for people. */
export const shown = (value: number): string =>
  Math.abs(value) < IN_GROUPS ? shortened(value) : grouped(shortened(value));

/** Names of ticks, with as many digits as it takes to tell them apart. */
export function tickNames(ticks: readonly number[]): string[] {
  const names = distinctNames(ticks);
  return ticks.some((tick) => Math.abs(tick) >= IN_GROUPS) ? names.map(grouped) : names;
}

function distinctNames(ticks: readonly number[]): string[] {
  const short = ticks.map(shortened);
  if (new Set(short).size === ticks.length) return short;
  for (let digits = 7; digits <= 15; digits++) {
    const names = ticks.map((tick) => String(Number(tick.toPrecision(digits))));
    if (new Set(names).size === ticks.length) return names;
  }
  return ticks.map(String);
}

/** `digits` digits of each, and more where it takes more to tell them apart. */
export function shortNames(values: readonly number[], digits: number): string[] {
  const names = values.map((value) => shown(Number(value.toPrecision(digits))));
  return digits === 15 || new Set(names).size === new Set(values).size ? names : shortNames(values, digits + 1);
}

export const rounded = (value: number): string => value.toFixed(2);

export const x = (share: number): number => PLOT.left + (PLOT.right - PLOT.left) * share;
export const y = (share: number): number => PLOT.bottom - (PLOT.bottom - PLOT.top) * share;

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Halo of text that may lie on lines: the lines end at it. */
export const HALO = ' stroke="#fff" stroke-width="3" stroke-linejoin="round" paint-order="stroke"';

type Anchor = 'start' | 'middle' | 'end';

export function label(at: readonly [x: number, y: number], content: string, anchor: Anchor, more = ''): string {
  const place = `x="${rounded(at[0])}" y="${rounded(at[1])}"`;
  return `<text ${place} text-anchor="${anchor}" fill="${INK}"${more}>${escaped(content)}</text>`;
}

/** Smaller, where the widest does not fit. */
function fitted(names: readonly string[], room: number): string {
  const widest = names.reduce((most, name) => Math.max(most, widthOf(name)), 0);
  return widest <= room ? '' : ` font-size="${rounded((FONT_SIZE * room) / widest)}"`;
}

/** Lines and numbers at the ticks below the plot, and what they are. `bottom`: where a taller plot ends. */
export function bottomAxis(scale: Scale, name: string, bottom: number = PLOT.bottom): string[] {
  const ticks = ticksOf(scale);
  const names = tickNames(ticks);
  const [first = 0, second = scale.high] = ticks;
  const size = fitted(names, Math.max(40, x(scale.at(second)) - x(scale.at(first)) - 8));
  const lines = ticks.flatMap((tick, i) => {
    const at = x(scale.at(tick));
    return [
      `<path d="M${rounded(at)} ${PLOT.top}V${rounded(bottom)}" stroke="${GRID}"/>`,
      label([at, bottom + 18], names[i] ?? '', 'middle', size),
    ];
  });
  return [...lines, label([x(0.5), bottom + 44], cut(name, PLOT.right - PLOT.left), 'middle')];
}

export function leftAxis(scale: Scale, name: string): string[] {
  const ticks = ticksOf(scale);
  const names = tickNames(ticks);
  const size = fitted(names, PLOT.left - 12);
  const lines = ticks.flatMap((tick, i) => {
    const at = y(scale.at(tick));
    return [
      `<path d="M${PLOT.left} ${rounded(at)}H${PLOT.right}" stroke="${GRID}"/>`,
      label([PLOT.left - 8, at + 4], names[i] ?? '', 'end', size),
    ];
  });
  return [...lines, label([PLOT.left, PLOT.top - 10], cut(name, PLOT.right - PLOT.left), 'start')];
}

/** `height`: of a picture with more below its plot than the axis. */
export const picture = (title: string, parts: readonly string[], height: number = HEIGHT): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" ` +
      `font-family="DejaVu Sans Condensed, sans-serif" font-size="${FONT_SIZE}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    label([PLOT.left, 26], cut(title, WIDTH - PLOT.left - 10, '', TITLE_SIZE), 'start', ` font-size="${TITLE_SIZE}"`),
    ...parts,
    '</svg>\n',
  ].join('\n');
