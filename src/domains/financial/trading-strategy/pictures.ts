/** Pictures of a backtest, from its stored curve. */
import { label, picture, PLOT, rounded, shown } from '../../../explanation/visuals/plot.js';
import { lineChart, type Mark, type Point } from '../../charts/line-chart.js';
import type { DrawnAnswer } from '../../problem-type.js';
import type { RuleConfig } from './rule-fields.js';

interface Known {
  readonly equity_curve: readonly { readonly bar: number; readonly equity: number; readonly benchmark: number }[];
  readonly out_of_sample: { readonly from_bar: number } | null;
  readonly folds: readonly unknown[];
  readonly objective: string;
  readonly parameter_map?: {
    readonly row: string;
    readonly rows: readonly number[];
    readonly column: string;
    readonly columns: readonly number[];
    readonly values: readonly (readonly (number | null)[])[];
  };
}

type Draw = (config: RuleConfig, answer: DrawnAnswer) => string | null;

const knownOf = ({ result }: DrawnAnswer): Known => result as unknown as Known;

/** Where the bars that parameters were chosen on end, if the curve has both kinds. */
function testMark({ equity_curve, out_of_sample }: Known): Mark[] {
  const from = out_of_sample?.from_bar;
  if (from === undefined) return [];
  const first = equity_curve.findIndex(({ bar }) => bar >= from - 1);
  const point = equity_curve[first];
  return first <= 0 ? [] : [{ at: [point.bar, point.equity], name: 'tested from here' }];
}

const falls = (values: readonly number[]): number[] => {
  let peak = -Infinity;
  return values.map((value) => {
    peak = Math.max(peak, value);
    return -100 * (1 - value / peak);
  });
};

/** From blue (worst) through white to vermilion (best). */
function shade(share: number): string {
  const [low, middle, high] = [[0, 114, 178], [247, 247, 247], [213, 94, 0]] as const; // prettier-ignore
  const [a, b, at] = share < 0.5 ? [low, middle, 2 * share] : [middle, high, 2 * share - 1];
  return `rgb(${a.map((from, k) => Math.round(from + ((b[k] ?? 0) - from) * at)).join(',')})`;
}

const MAP = { left: PLOT.left + 30, right: PLOT.right - 110, top: PLOT.top + 10, bottom: PLOT.bottom } as const;
/** Numbers along a side of the map. */
const MOST_NUMBERS = 12;

function drawMap({ parameter_map: map, objective }: Known, bestSolution: readonly number[], names: readonly string[]) {
  if (map === undefined) return null;
  const flat = map.values.flat().filter((value) => value !== null);
  const [least, most] = [Math.min(...flat), Math.max(...flat)];
  const width = (MAP.right - MAP.left) / map.columns.length;
  const height = (MAP.bottom - MAP.top) / map.rows.length;
  const place = (r: number, c: number): string =>
    `x="${rounded(MAP.left + c * width)}" y="${rounded(MAP.bottom - (r + 1) * height)}" width="${rounded(width)}" height="${rounded(height)}"`;
  const cells = map.values.flatMap((row, r) =>
    row.map((value, c) => {
      const fill = value === null ? '#ccc' : shade(most > least ? (value - least) / (most - least) : 0.5);
      return `<rect ${place(r, c)} fill="${fill}"/>`;
    }),
  );
  const numbers = (values: readonly number[], draw: (value: number, i: number) => string): string[] => {
    const every = Math.ceil(values.length / MOST_NUMBERS);
    return values.flatMap((value, i) => (i % every === 0 ? [draw(value, i)] : []));
  };
  const chosen = (name: string): number => bestSolution[names.indexOf(name)] ?? NaN;
  const steps = Array.from({ length: 21 }, (_, i) => i / 20);
  const scale = steps.map(
    (share, i) =>
      `<rect x="${MAP.right + 20}" y="${MAP.top + (20 - i) * 12}" width="16" height="12" fill="${shade(share)}"/>`,
  );
  return picture(`${objective} by ${map.row} and ${map.column}`, [
    ...cells,
    `<rect ${place(map.rows.indexOf(chosen(map.row)), map.columns.indexOf(chosen(map.column)))} fill="none" stroke="#000" stroke-width="3"/>`,
    ...numbers(map.rows, (value, r) => label([MAP.left - 6, MAP.bottom - (r + 0.5) * height + 4], shown(value), 'end')),
    ...numbers(map.columns, (value, c) =>
      label([MAP.left + (c + 0.5) * width, MAP.bottom + 18], shown(value), 'middle'),
    ),
    label([(MAP.left + MAP.right) / 2, MAP.bottom + 44], map.column, 'middle'),
    label([PLOT.left - 40, MAP.top - 14], map.row, 'start'),
    ...scale,
    label([MAP.right + 42, MAP.top + 10], shown(most), 'start'),
    label([MAP.right + 42, MAP.top + 21 * 12], shown(least), 'start'),
    `<rect x="${MAP.right + 20}" y="${MAP.top + 290}" width="16" height="12" fill="#ccc"/>`,
    label([MAP.right + 42, MAP.top + 300], 'none', 'start'),
    label([MAP.right + 20, MAP.top + 330], 'framed: chosen', 'start'),
  ]);
}

export const pictures: Readonly<Record<string, Draw>> = {
  equity_curve(config, answer) {
    const known = knownOf(answer);
    const points = (of: 'equity' | 'benchmark'): Point[] => known.equity_curve.map((one) => [one.bar, one[of]]);
    return lineChart({
      title: known.folds.length > 0 ? 'Equity on bars not chosen on' : 'Equity',
      xName: 'bar',
      yName: config.currency ?? 'money',
      series: [
        { name: 'rule', points: points('equity') },
        { name: 'buy and hold', points: points('benchmark') },
      ],
      marks: testMark(known),
    });
  },

  drawdown(_config, answer) {
    const { equity_curve: curve } = knownOf(answer);
    const series = (['equity', 'benchmark'] as const).map((of) => {
      const values = falls(curve.map((one) => one[of]));
      return {
        name: of === 'equity' ? 'rule' : 'buy and hold',
        points: curve.map(({ bar }, i): Point => [bar, values[i] ?? 0]),
      };
    });
    return lineChart({ title: 'Fall from the peak', xName: 'bar', yName: 'percent', series });
  },

  parameter_map: (_config, answer) => {
    const { parameters } = answer.result as { readonly parameters: Readonly<Record<string, number>> };
    return drawMap(knownOf(answer), answer.bestSolution, Object.keys(parameters));
  },
};
