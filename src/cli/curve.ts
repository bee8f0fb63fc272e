/** The convergence of a run as a drawing in text: the best value over evaluations, a step for every improvement. */
import type { HistoryPoint, RunTask } from '../model/run-task.js';

interface CurveSize {
  /** Characters, labels included. */
  readonly columns: number;
  /** Lines, axis and caption included. */
  readonly rows: number;
  /** Where the axis of evaluations ends. */
  readonly maxEvaluations: number;
  /** Name of the drawn quantity; default: `best value`. */
  readonly what?: string;
  /** Braille patterns, 2 x 4 dots a character; else one `*` a character. */
  readonly unicode: boolean;
}

const LABEL_WIDTH = 11;
/** Axis and caption. */
const OTHER_ROWS = 2;
const MIN_COLUMNS = 30;
const MIN_ROWS = 5;
/** Positive values that span so much are drawn by their logarithms. */
const LOG_RATIO = 50;

/** How a value becomes a height, and back for the labels. */
interface Scale {
  readonly name: string;
  readonly to: (value: number) => number;
  readonly from: (height: number) => number;
}

const LINEAR: Scale = { name: '', to: (value) => value, from: (height) => height };

/** Lines of one drawing; none where no two values differ, or there is no room. `history`: oldest first. */
export function drawCurve(
  history: readonly Pick<HistoryPoint, 'evaluations' | 'bestFitness'>[],
  size: CurveSize,
): string[] {
  const { columns, rows, maxEvaluations, what = 'best value', unicode } = size;
  const [first, ...rest] = history;
  if (first === undefined || columns < MIN_COLUMNS || rows < MIN_ROWS) return [];
  const width = columns - LABEL_WIDTH - 2;
  const height = rows - OTHER_ROWS;
  const dots = unicode ? { across: 2, down: 4 } : { across: 1, down: 1 };
  const values = history.map(({ bestFitness }) => bestFitness);
  const scale = scaleFor(values);
  const heights = values.map((value) => scale.to(value));
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  if (!(low < high)) return [];
  const last = height * dots.down - 1;
  // Of halves, because the difference of two numbers may be too large for one.
  const rowOf = (value: number): number => Math.round(((high / 2 - scale.to(value) / 2) / (high / 2 - low / 2)) * last);
  const columnOf = (evaluations: number): number =>
    Math.min(width * dots.across - 1, Math.floor((evaluations / Math.max(1, maxEvaluations)) * width * dots.across));

  const canvas = new Canvas(width, height, dots.across, dots.down);
  let [column, row] = [columnOf(first.evaluations), rowOf(first.bestFitness)];
  canvas.dot(column, row);
  for (const { evaluations, bestFitness } of rest) {
    const to = columnOf(evaluations);
    for (; column < to; column++) canvas.dot(column, row);
    const target = rowOf(bestFitness);
    for (; row !== target; row += Math.sign(target - row)) canvas.dot(column, row);
    canvas.dot(column, row);
  }
  const heightAt = (line: number): number => {
    const share = line === 0 ? 0 : line === height - 1 ? 1 : (line + 0.5) / height;
    return (1 - share) * high + share * low;
  };
  const labels = new Map([0, height >> 1, height - 1].map((line) => [line, shortNumber(scale.from(heightAt(line)))]));
  return framed(canvas, width, unicode, labels, [
    '0',
    [`${what}${scale.name} over evaluations`, what],
    `${maxEvaluations}`,
  ]);
}

/** A drawing with its axes. `below`: at the left, the first title that fits, at the right. */
function framed(
  canvas: Canvas,
  width: number,
  unicode: boolean,
  labels: ReadonlyMap<number, string>,
  [left, titles, right]: readonly [string, readonly string[], string],
): string[] {
  const wall = unicode ? '│' : '|';
  const lines = canvas.lines().map((line, i) => `${(labels.get(i) ?? '').padStart(LABEL_WIDTH)} ${wall}${line}`);
  const floor = unicode ? `└${'─'.repeat(width)}` : `+${'-'.repeat(width)}`;
  const room = width - left.length - right.length;
  const title = titles.find((text) => text.length <= room - 2) ?? '';
  const gap = Math.max(0, room - title.length);
  const before = gap >> 1;
  return [
    ...lines,
    `${' '.repeat(LABEL_WIDTH + 1)}${floor}`,
    `${' '.repeat(LABEL_WIDTH + 2)}${left}${' '.repeat(before)}${title}${' '.repeat(gap - before)}${right}`,
  ];
}

/**
 * The front of two objectives, a dot for each point; none where it has less than three, or there is no room.
 * `values`: of each point [f1, f2].
 */
export function drawFront(
  values: readonly (readonly number[])[],
  { columns, rows, unicode }: Pick<CurveSize, 'columns' | 'rows' | 'unicode'>,
): string[] {
  if (values.length < 3 || columns < MIN_COLUMNS || rows < MIN_ROWS) return [];
  const width = columns - LABEL_WIDTH - 2;
  const height = rows - OTHER_ROWS;
  const dots = unicode ? { across: 2, down: 4 } : { across: 1, down: 1 };
  const ends = [0, 1].map((k) => {
    const own = values.map((value) => value[k]);
    return [Math.min(...own), Math.max(...own)] as const;
  });
  const [[left, right], [low, high]] = ends as [readonly [number, number], readonly [number, number]];
  if (!(left < right && low < high)) return [];
  // Of halves, because the difference of two numbers may be too large for one.
  const share = (value: number, from: number, to: number): number => (value / 2 - from / 2) / (to / 2 - from / 2);
  const canvas = new Canvas(width, height, dots.across, dots.down);
  for (const [x = 0, y = 0] of values) {
    const column = Math.round(share(x, left, right) * (width * dots.across - 1));
    canvas.dot(column, Math.round(share(y, high, low) * (height * dots.down - 1)));
  }
  const labels = new Map([
    [0, shortNumber(high)],
    [height - 1, shortNumber(low)],
  ]);
  return framed(canvas, width, unicode, labels, [
    shortNumber(left),
    ['the front: f2 over f1', 'f2 over f1'],
    shortNumber(right),
  ]);
}

/**
 * By logarithms where all values have one sign and span much; where they cross zero and span much, logarithmic at both
 * ends.
 */
function scaleFor(values: readonly number[]): Scale {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (low === high) return LINEAR;
  if (low >= 0) {
    const least = Math.min(...values.filter((value) => value > 0));
    if (low > 0 && high / low < LOG_RATIO) return LINEAR;
    // A value of zero lies a decade below the least that is not.
    const floor = low === 0 ? least / 10 : least;
    return {
      name: ', log scale,',
      to: (value) => Math.log10(Math.max(value, floor)),
      from: (h) => (low === 0 && h === Math.log10(floor) ? 0 : 10 ** h),
    };
  }
  if (high <= 0) {
    const { name, to, from } = scaleFor(values.map((value) => -value));
    return { name, to: (value) => -to(-value), from: (height) => -from(-height) };
  }
  const small = Math.min(-low, high);
  if (Math.max(-low, high) / small < LOG_RATIO) return LINEAR;
  return {
    name: ', log scale at both ends,',
    to: (value) => Math.asinh(value / small),
    from: (height) => small * Math.sinh(height),
  };
}

/** Dots of a braille pattern from U+2800 on, by column and row. */
const BRAILLE = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;

class Canvas {
  private readonly cells: Uint8Array;

  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly across: number,
    private readonly down: number,
  ) {
    this.cells = new Uint8Array(width * height);
  }

  dot(column: number, row: number): void {
    const { across, down, width } = this;
    const bit = across === 1 ? 1 : BRAILLE[column % 2][row % 4];
    const cell = Math.floor(row / down) * width + Math.floor(column / across);
    this.cells[cell] = this.cells[cell] | bit;
  }

  lines(): string[] {
    const ink = (cell: number): string =>
      this.across === 1 ? (cell === 0 ? ' ' : '*') : cell === 0 ? ' ' : String.fromCodePoint(0x2800 + cell);
    return Array.from({ length: this.height }, (_, row) =>
      Array.from(this.cells.subarray(row * this.width, (row + 1) * this.width), ink)
        .join('')
        .trimEnd(),
    );
  }
}

/**
 * End of the axis for a run that has a long way to go: halves its budget, so that the curve is not a line at the left
 * edge.
 */
export function axisEnd(evaluations: number, budget: number): number {
  let end = budget;
  while (end / 2 >= Math.max(1, evaluations)) end /= 2;
  return Math.ceil(end);
}

/** Name of the quantity that a run's history holds. */
export const curveTitle = ({ objectives = 1 }: Pick<RunTask, 'objectives'>): string =>
  objectives === 1 ? 'best value' : 'hypervolume';

/** Four digits, for labels and progress. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(3);
  return String(Number(value.toPrecision(4)));
}
