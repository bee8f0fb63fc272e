/** Lines and dots over a common axis, drawn by uPlot. A zoom stays while points come in; a double click ends it. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { number } from './format.js';
import { useSignal } from './signal.js';
import { theme } from './theme.js';

export interface Line {
  readonly name: string;
  /** Ascending. */
  readonly xs: readonly number[];
  /** Null: no value. */
  readonly ys: readonly (number | null)[];
  /** Dots that nothing joins. */
  readonly isDotted?: boolean;
}

const COLORS = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5', '--line-6', '--line-7', '--line-8'];
const HEIGHT = 300;
/** With a mark of their own on a logarithmic axis. */
const MOST_DECADES = 8;

const color = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Of the marks of a logarithmic axis: the powers of ten, of many every second, third, ... one. */
function decades(_plot: uPlot, marks: readonly number[]): (number | null)[] {
  const exponents = marks.map((mark) => Math.round(Math.log10(mark)));
  const step = Math.ceil((Math.max(...exponents) - Math.min(...exponents) + 1) / MOST_DECADES);
  return marks.map((mark, i) => {
    const isPower = Math.abs(mark / 10 ** exponents[i] - 1) < 1e-6;
    return isPower && exponents[i] % step === 0 ? mark : null;
  });
}

/** Of several lines one table: all places, and each line's value at each; a stepped one keeps it until its next. */
function joined(lines: readonly Line[], isLog: boolean, isStepped: boolean): uPlot.AlignedData {
  const shown = (value: number | null | undefined): number | null =>
    value === null || value === undefined || (isLog && value <= 0) ? null : value;
  if (lines.length === 1) return [[...lines[0].xs], lines[0].ys.map(shown)];
  const xs = [...new Set(lines.flatMap((line) => line.xs))].sort((a, b) => a - b);
  const columns = lines.map((line) => {
    let next = 0;
    return xs.map((x) => {
      const isPast = line.xs.length === 0 || x > line.xs[line.xs.length - 1];
      while (next < line.xs.length && line.xs[next] <= x) next++;
      const isAt = next > 0 && ((isStepped && line.isDotted !== true) || line.xs[next - 1] === x);
      return isPast || !isAt ? null : shown(line.ys[next - 1]);
    });
  });
  return [xs, ...columns];
}

/**
 * Each value holds until the next. Draws no more strokes than pixels: 10,000 steps would take a browser half a second.
 */
function steps(plot: uPlot, series: number, from: number, to: number): uPlot.Series.Paths {
  const stroke = new Path2D();
  const [xs, ys] = [plot.data[0], plot.data[series]];
  // Of the steps within one column of pixels.
  const column = { x: NaN, low: 0, high: 0, last: 0 };
  const drawColumn = (): void => {
    if (column.high === column.low) return;
    for (const y of [column.low, column.high, column.last]) stroke.lineTo(column.x, y);
  };
  for (let i = from; i <= to; i++) {
    const value = ys[i];
    if (value === null || value === undefined) continue;
    const x = Math.round(plot.valToPos(xs[i], 'x', true));
    const y = plot.valToPos(value, 'y', true);
    if (x !== column.x) {
      if (Number.isNaN(column.x)) {
        stroke.moveTo(x, y);
        column.last = y;
      } else {
        drawColumn();
        stroke.lineTo(x, column.last);
      }
      Object.assign(column, { x, low: column.last, high: column.last });
    }
    column.low = Math.min(column.low, y);
    column.high = Math.max(column.high, y);
    column.last = y;
  }
  drawColumn();
  return { stroke };
}

export function Chart({
  lines,
  xLabel,
  yLabel,
  isLog = false,
  isTime = false,
  isStepped = true,
  height = HEIGHT,
}: {
  lines: readonly Line[];
  xLabel: string;
  yLabel: string;
  isLog?: boolean;
  isTime?: boolean;
  isStepped?: boolean;
  height?: number;
}) {
  const element = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ readonly plot: uPlot; isZoomed: boolean; lines: readonly Line[] } | null>(null);
  const chosen = useSignal(theme);
  const names = lines.map(({ name }) => name).join('\n');

  useEffect(() => {
    const host = element.current;
    if (host === null) return;
    const axis = (label: string, size: number): uPlot.Axis => ({
      label,
      size,
      labelSize: 22,
      stroke: color('--muted'),
      grid: { stroke: color('--grid'), width: 1 },
      ticks: { stroke: color('--grid'), width: 1 },
      font: '12px system-ui, sans-serif',
      labelFont: '12px system-ui, sans-serif',
    });
    const marks = isLog
      ? { filter: decades, grid: { stroke: color('--grid'), width: 1, filter: decades }, ticks: { show: false } }
      : {};
    const text = (_plot: uPlot, values: number[]): string[] =>
      values.map((value: number | null) => (value === null ? '' : number(value, 4)));
    const options: uPlot.Options = {
      width: Math.max(200, host.clientWidth),
      height,
      scales: { x: { time: isTime }, y: { distr: isLog ? 3 : 1 } },
      axes: [
        isTime ? axis(xLabel, 44) : { ...axis(xLabel, 44), values: text },
        { ...axis(yLabel, 70), ...marks, values: text },
      ],
      series: [
        {},
        ...lines.map(({ name, xs, isDotted = false }, i): uPlot.Series => {
          const stroke = color(COLORS[i % COLORS.length]);
          return {
            label: name,
            stroke,
            width: 2,
            spanGaps: true,
            points: isDotted ? { show: true, size: 5, fill: stroke } : { show: xs.length < 2 },
            ...(isDotted ? { paths: () => null } : isStepped ? { paths: steps } : {}),
          };
        }),
      ],
      legend: { show: false },
      cursor: { drag: { x: true, y: false } },
      hooks: {
        setScale: [
          ({ scales }, name) => {
            // For tests: what is shown is on a canvas.
            if (name === 'x') host.dataset['shown'] = `${scales['x'].min} ${scales['x'].max}`;
          },
        ],
        setSelect: [
          () => {
            if (drawn.current !== null) drawn.current.isZoomed = true;
          },
        ],
      },
    };
    const plot = new uPlot(options, joined(lines, isLog, isStepped), host);
    drawn.current = { plot, isZoomed: false, lines };
    const endZoom = (): void => {
      if (drawn.current !== null) drawn.current.isZoomed = false;
    };
    plot.over.addEventListener('dblclick', endZoom);
    const observer = new ResizeObserver(() => plot.setSize({ width: Math.max(200, host.clientWidth), height }));
    observer.observe(host);
    return () => {
      observer.disconnect();
      plot.destroy();
      drawn.current = null;
    };
    // Points are handed on below, without a new drawing.
  }, [names, xLabel, yLabel, isLog, isTime, isStepped, height, chosen]);

  useEffect(() => {
    const now = drawn.current;
    if (now === null || now.lines === lines) return;
    now.lines = lines;
    const data = joined(lines, isLog, isStepped);
    const { min, max } = now.plot.scales['x'];
    now.plot.batch(() => {
      now.plot.setData(data, !now.isZoomed);
      if (now.isZoomed && typeof min === 'number' && typeof max === 'number') now.plot.setScale('x', { min, max });
    });
  }, [lines]);

  return (
    <figure class="chart">
      <div ref={element} aria-hidden="true" />
      {lines.length > 1 && (
        <figcaption class="legend">
          {lines.map(({ name }, i) => (
            <span key={name} class={`line-${(i % COLORS.length) + 1}`}>
              {name}
            </span>
          ))}
        </figcaption>
      )}
    </figure>
  );
}

/** A small curve, without axes. */
export function Sparkline({ of, label }: { of: readonly number[]; label: string }) {
  const values = of.filter(Number.isFinite);
  if (values.length < 2) return <span class="muted">–</span>;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = high - low || 1;
  const points = values.map(
    (value, i) => `${((i / (values.length - 1)) * 88 + 1).toFixed(1)},${(21 - ((value - low) / span) * 20).toFixed(1)}`,
  );
  return (
    <svg class="sparkline" viewBox="0 0 90 22" role="img" aria-label={label}>
      <polyline points={points.join(' ')} />
    </svg>
  );
}
