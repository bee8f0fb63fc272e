/** Charts as paths: stacked bars, and lines. */
import type { Chart } from '../document.js';
import type { Canvas, Point } from './canvas.js';
import { shown } from './numbers.js';
import { COLORS, SERIES } from './style.js';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const LABEL = { size: 7, color: COLORS.muted } as const;
const TICKS = 4;
/** Values below it are drawn as 0: a step between ticks would have too few bits. */
const SMALLEST = 1e-300;
/** Values above it are drawn as it: a tick above them might be no number. */
const LARGEST = 1e300;
/** Between labels along the axis. */
const LABEL_GAP = 14;

/** Title, legend, axes and the values, within the box. */
export function drawChart(canvas: Canvas, chart: Chart, box: Box, currency: string): void {
  canvas.text(chart.title, box.x, box.y + 9, { size: 9.5, color: COLORS.ink, weight: 'bold' });
  drawLegend(canvas, chart, box);
  const ticks = ticksOf(chart);
  const labels = ticks.map((value) => shown(value, chart.unit, currency));
  const left = Math.max(...labels.map((label) => canvas.textWidth(label, LABEL))) + 6;
  const plot: Box = { x: box.x + left, y: box.y + 22, width: box.width - left, height: box.height - 22 - 14 };
  const top = ticks.at(-1)!;
  const yOf = (value: number): number => plot.y + plot.height * (1 - Math.min(1, value / top));

  ticks.forEach((value, index) => {
    const y = yOf(value);
    canvas.line(
      [
        [plot.x, y],
        [plot.x + plot.width, y],
      ],
      index === 0 ? COLORS.muted : COLORS.grid,
      index === 0 ? 0.7 : 0.5,
    );
    canvas.text(labels[index], plot.x - 5, y + 2.5, { ...LABEL, align: 'right' });
  });
  if (chart.shape === 'bars') drawBars(canvas, chart, plot, yOf);
  else drawLines(canvas, chart, plot, yOf);
  drawCategories(canvas, chart, plot);
}

function drawLegend(canvas: Canvas, { series }: Chart, { x, width, y }: Box): void {
  if (series.length < 2) return;
  let right = x + width;
  for (const { label, role } of series.toReversed()) {
    canvas.text(label, right, y + 9, { ...LABEL, align: 'right' });
    right -= canvas.textWidth(label, LABEL) + 10;
    canvas.rectangle(right, y + 3, 7, 7, SERIES[role]);
    right -= 12;
  }
}

/** Ticks from 0 to the first round number that is large enough, in even steps. */
function ticksOf(chart: Chart): number[] {
  if (chart.unit === 'share') return [0, 0.25, 0.5, 0.75, 1];
  const heights = chart.categories.map((_, index) => {
    const values = chart.series.map(({ values: all }) => all[index] ?? 0);
    return chart.shape === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
  });
  const largest = heights.reduce((most, height) => Math.max(most, Math.min(height, LARGEST)), 0);
  if (largest < SMALLEST) return [0, 1];
  const raw = largest / TICKS;
  const power = 10 ** Math.floor(Math.log10(raw));
  let step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw * (1 - 1e-9)) ?? 10);
  if (chart.unit === 'integer') step = Math.max(1, Math.ceil(step));
  return Array.from({ length: Math.ceil(largest / step - 1e-9) + 1 }, (_, index) => index * step);
}

const centre = ({ x, width }: Box, count: number, index: number): number => x + (width * (index + 0.5)) / count;

function drawBars(canvas: Canvas, { categories, series }: Chart, plot: Box, yOf: (value: number) => number): void {
  const slot = plot.width / categories.length;
  const width = Math.min(slot * 0.74, 34);
  categories.forEach((_, index) => {
    const x = centre(plot, categories.length, index) - width / 2;
    let sum = 0;
    for (const { role, values } of series) {
      const value = values[index] ?? 0;
      if (value <= 0) continue;
      const [upper, lower] = [yOf(sum + value), yOf(sum)];
      canvas.rectangle(x, upper, width, lower - upper, SERIES[role]);
      sum += value;
    }
  });
}

function drawLines(canvas: Canvas, { categories, series }: Chart, plot: Box, yOf: (value: number) => number): void {
  for (const { role, values } of series) {
    for (const piece of piecesOf(values)) {
      const points = piece.map(([index, value]): Point => [centre(plot, categories.length, index), yOf(value)]);
      canvas.line(points, SERIES[role], 1.4);
      // A value between two gaps would not be seen otherwise.
      if (categories.length <= 62 || points.length === 1)
        for (const point of points) canvas.dot(point, 1.7, SERIES[role]);
    }
  }
}

/** The values between gaps, with their places. */
function piecesOf(values: readonly (number | null)[]): (readonly [index: number, value: number])[][] {
  const pieces: [number, number][][] = [[]];
  values.forEach((value, index) => {
    if (value === null) pieces.push([]);
    else pieces.at(-1)!.push([index, value]);
  });
  return pieces.filter((piece) => piece.length > 0);
}

/** As many labels as there is room for, evenly spaced, the first one among them. */
function drawCategories(canvas: Canvas, { categories }: Chart, plot: Box): void {
  const widest = categories.reduce((most, label) => Math.max(most, canvas.textWidth(label, LABEL)), 0);
  const room = plot.width / (widest + LABEL_GAP);
  const every = Math.max(1, Math.ceil(categories.length / Math.max(1, room)));
  for (let index = 0; index < categories.length; index += every) {
    const x = centre(plot, categories.length, index);
    const half = canvas.textWidth(categories[index], LABEL) / 2;
    const inside = Math.min(Math.max(x, plot.x + half), plot.x + plot.width - half);
    canvas.line(
      [
        [x, plot.y + plot.height],
        [x, plot.y + plot.height + 2.5],
      ],
      COLORS.muted,
      0.5,
    );
    canvas.text(categories[index], inside, plot.y + plot.height + 10, { ...LABEL, align: 'center' });
  }
}
