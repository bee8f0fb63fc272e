import { describe, expect, it } from 'vitest';
import { PLOT, shown, tickNames, ticksOf, cut, widthOf } from '../../explanation/visuals/plot.js';
import { clippedIn, overlapsIn, sizeOf, textsOf } from '../../../test/support/pictures.js';
import { barChart } from './bar-chart.js';
import { lineChart, type Point } from './line-chart.js';
import { matrixMap } from './matrix-map.js';
import { pointNames } from './point-names.js';

const NAMES = [
  'Großhändler Straße 17, Zürich-Örtschwil W',
  '<script>alert("x & y")</script>',
  '東京都千代田区丸の内一丁目',
  'WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW',
  "O'Neil & Söhne",
];

const sound = (svg: string): void => {
  expect(overlapsIn(svg)).toEqual([]);
  expect(clippedIn(svg)).toEqual([]);
  expect(svg).not.toMatch(/NaN|Infinity|undefined|<script/);
};

describe('text that fits', () => {
  it('is cut by its width, never within a character, and keeps its end', () => {
    expect(cut('short', 100)).toBe('short');
    expect(cut('𝔘𝔘𝔘𝔘𝔘𝔘', 60)).toBe('𝔘𝔘𝔘…');
    const shown = cut('W'.repeat(40), 200, ' 12');
    expect(shown).toMatch(/^W+… 12$/);
    expect(widthOf(shown)).toBeLessThanOrEqual(200);
  });
});

describe('numbers at an axis', () => {
  it('differ where the ticks differ', () => {
    expect(tickNames([1_000_000.1, 1_000_000.15, 1_000_000.2])).toEqual(['1,000,000.1', '1,000,000.15', '1,000,000.2']);
    expect(tickNames([0, 0.5, 1])).toEqual(['0', '0.5', '1']);
  });

  it('have their digits in groups where one of them has five or more', () => {
    expect(tickNames([2000, 2010, 2020])).toEqual(['2000', '2010', '2020']);
    expect(tickNames([-5000, 0, 5000, 10_000])).toEqual(['-5,000', '0', '5,000', '10,000']);
    expect(tickNames([0, 1e6, 2e6])).toEqual(['0', '1,000,000', '2,000,000']);
    expect([shown(-1234567), shown(12345.67), shown(0.00001234)]).toEqual(['-1,234,570', '12,345.7', '1.234e-5']);
  });

  it('count no further than there is something', () => {
    expect(ticksOf({ low: -2, high: 63, counts: [1, 60], at: (value) => value })).toEqual([20, 40, 60]);
    expect(ticksOf({ low: 0.2, high: 4.8, counts: [1, 4], at: (value) => value })).toEqual([1, 2, 3, 4]);
  });
});

describe('line chart', () => {
  const line = (name: string, k: number) => ({ name, points: [[0, k], [1, k + 1]] as Point[] }); // prettier-ignore

  it('has its legend out of the plot, however long the names are', () => {
    const svg = lineChart({ title: 'Curves', xName: 'x', yName: 'y', series: NAMES.map(line) });
    sound(svg);
    for (const name of NAMES) {
      const text = textsOf(svg).find((one) => one.text === name);
      expect(text, name).toBeDefined();
      expect(text!.top >= PLOT.bottom || text!.bottom <= PLOT.top, name).toBe(true);
      expect(text!.bottom).toBeLessThan(sizeOf(svg).height);
    }
  });

  it('names points beside each other without one name on another, and says how many names have no room', () => {
    const points = Array.from({ length: 12 }, (_, i): Point => [i % 4, i]);
    const few = lineChart({ title: 'T', xName: 'x', yName: 'y', series: [{ name: 's', points, names: points.map((_, i) => `asset ${i}`), isScatter: true }] }); // prettier-ignore
    sound(few);
    const texts = textsOf(few).map(({ text }) => text);
    for (const i of points.keys()) expect(texts).toContain(`asset ${i}`);

    const heap = Array.from({ length: 100 }, (_, i): Point => [1 + i * 1e-9, 1]);
    const many = lineChart({ title: 'T', xName: 'x', yName: 'y', series: [{ name: 's', points: [[0, 0], ...heap], names: [null, ...heap.map((_, i) => `asset number ${i}`)], isScatter: true }] }); // prettier-ignore
    sound(many);
    const written = textsOf(many).filter(({ text }) => text.startsWith('asset')).length;
    expect(textsOf(many).map(({ text }) => text)).toContain(`${100 - written} names have no room`);
  });

  it.each([
    ['one point', [[3, 3]]],
    ['all equal', [[0, 7], [1, 7], [2, 7]]],
    ['huge', [[0, -1e300], [1, 1e300]]],
    ['tiny', [[0, 1e-300], [1, 2e-300]]],
    ['negative', [[-5, -3], [-4, -8]]],
    ['nearly equal', [[0, 1e6], [1, 1e6 + 1e-3]]],
  ] as [string, Point[]][])('draws %s', (_, points) => {
    sound(lineChart({ title: 'T', xName: 'x', yName: 'y', series: [{ name: 's', points }], marks: [{ at: points[0], name: 'first' }] })); // prettier-ignore
  }); // prettier-ignore
});

describe('values of periods', () => {
  const points = [3, 5, 2].map((value, t): Point => [t + 1, value]);
  const drawn = (more: object): string =>
    lineChart({ title: 'T', xName: 'period', yName: 'units', series: [{ name: 's', points, width: 1, ...more }] });

  it('hold from half a period before to half a period after, and no period follows the last one', () => {
    const svg = drawn({});
    const [, line = ''] = /<path d="([^"]+)" fill="none" stroke="#0072b2"/.exec(svg) ?? [];
    const corners = [...line.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, px, py]) => [Number(px), Number(py)]);
    expect(corners).toHaveLength(6);
    const label = (text: string) => textsOf(svg).find((one) => one.text === text)!;
    const middleOf = (text: string): number => (label(text).left + label(text).right) / 2;
    const [first, second] = [middleOf('1'), middleOf('2')];
    expect(corners[0][0]).toBeCloseTo(first - (second - first) / 2, 1);
    expect(corners[1][0]).toBeCloseTo((first + second) / 2, 1);
    const below = textsOf(svg).filter(({ top, text }) => top > PLOT.bottom && text !== 'period');
    expect(below.map(({ text }) => text)).toEqual(['1', '2', '3']);
    sound(svg);
  });

  it('begin anew after a period that is missing', () => {
    const [svg] = [lineChart({ title: 'T', xName: 'day', yName: 'n', series: [{ name: 's', points: [[1, 1], [2, 2], [4, 2]], width: 1 }] })]; // prettier-ignore
    const [, line = ''] = /<path d="([^"]+)" fill="none" stroke="#0072b2"/.exec(svg) ?? [];
    expect(line.match(/M/g)).toHaveLength(2);
  });

  it('stand on 0 as columns, which touch where they are bins', () => {
    const widths = (width: number): number[] =>
      [...drawn({ width, isColumns: true }).matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)].map(
        ([, , wide]) => Number(wide),
      );
    expect(textsOf(drawn({ isColumns: true })).map(({ text }) => text)).toContain('0');
    const [bins, columns] = [widths(1), widths(0.6)];
    expect(bins).toHaveLength(3);
    expect(Math.min(...bins)).toBeGreaterThan(180);
    expect(Math.max(...columns)).toBeLessThanOrEqual(60);
    sound(drawn({ isColumns: true }));
  });
});

it('draws what is dashed over everything else', () => {
  const line: Point[] = [[1, 4], [3, 4]]; // prettier-ignore
  const svg = lineChart({ title: 'T', xName: 'x', yName: 'y', series: [{ name: 'limit', points: line, isDashed: true }, { name: 'load', points: line }] }); // prettier-ignore
  const paths = [...svg.matchAll(/<path d="M[^"]+" fill="none" stroke="#\w+" stroke-width="2"(.*?)\/>/g)];
  expect(paths.map(([, more = '']) => more.includes('dasharray'))).toEqual([false, true]);
});

describe('names of points', () => {
  it('keep off a line where there is room beside it', () => {
    const line = [[100, 300], [200, 200], [300, 100]] as const; // prettier-ignore
    const { boxes, left } = pointNames([{ at: [200, 200], name: 'middle' }], {
      frame: PLOT,
      points: [[200, 200]],
      radius: 4,
      lines: [line],
    });
    expect(left).toBe(0);
    const [box] = boxes;
    // The line is where x + y = 400.
    const corners = [box.left + box.top - 400, box.left + box.bottom - 400, box.right + box.top - 400, box.right + box.bottom - 400]; // prettier-ignore
    expect(corners.every((side) => side > 0) || corners.every((side) => side < 0)).toBe(true);
  });
});

describe('bar chart', () => {
  it('has room for a hundred rows and for wide names, which a viewer can read whole', () => {
    const names = Array.from({ length: 100 }, (_, i) => `${NAMES[i % NAMES.length]} ${i}`);
    const values = names.map((_, i) => (i - 50) * 1e-9);
    const svg = barChart({ title: 'Bars', xName: 'units', names, series: [{ name: 'a', values }, { name: 'b', values }] }); // prettier-ignore
    sound(svg);
    expect(svg).toContain('<title>Großhändler Straße 17, Zürich-Örtschwil W 0</title>');
  });

  it('does not put long names of series on each other', () => {
    sound(barChart({ title: 'Bars', xName: 'units', names: ['a'], series: NAMES.map((name) => ({ name, values: [1] })) })); // prettier-ignore
  });

  it('frames rows that have a limit', () => {
    const svg = barChart({ title: 'Bars', xName: 'units', names: ['a', 'b'], series: [{ name: 'load', values: [1, 2] }], frames: { name: 'capacity', values: [3, null] } }); // prettier-ignore
    expect(svg.match(/fill="none" stroke="#333"><title>/g)).toHaveLength(1);
    expect(textsOf(svg).map(({ text }) => text)).toContain('capacity');
  });
});

describe('matrix map', () => {
  it('does not clip names', () => {
    const svg = matrixMap({ title: 'Map', rowName: 'from', columnName: 'to', valueName: 'flow', rows: NAMES, columns: NAMES, values: NAMES.map((_, i) => NAMES.map((__, k) => i * k)) }); // prettier-ignore
    sound(svg);
    expect(textsOf(svg).some(({ text }) => text.startsWith('Großhändler Str'))).toBe(true);
  });
});

it('begins the upward axis at 0 where that is asked for', () => {
  const doses: Point[] = [1, 2, 3].map((cycle) => [cycle, 4]);
  const draw = (isFromZero: boolean): string =>
    lineChart({ title: 'Doses', xName: 'cycle', yName: 'mg', series: [{ name: 'dose', points: doses }], isFromZero });
  expect(textsOf(draw(true)).map(({ text }) => text)).toContain('0');
  expect(textsOf(draw(false)).map(({ text }) => text)).not.toContain('0');
  sound(draw(true));
});
