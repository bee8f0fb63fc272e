/** A matrix as coloured squares: the larger an entry, the darker. */
import { label, picture, PLOT, rounded, shown } from '../../explanation/visuals/plot.js';

export interface MatrixMap {
  readonly title: string;
  /** What rows and columns are. */
  readonly rowName: string;
  readonly columnName: string;
  /** What the entries are, with their unit. */
  readonly valueName: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly values: readonly (readonly number[])[];
}

/** Names that fit beside squares. */
const MOST_NAMES = 32;
const LONGEST_NAME = 10;

const short = (name: string): string => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name);

/** White to dark blue. */
function shade(share: number): string {
  const part = (white: number, dark: number): number => Math.round(white + (dark - white) * share);
  return `rgb(${part(247, 8)},${part(251, 48)},${part(255, 107)})`;
}

const LEFT = PLOT.left + 20;
const TOP = PLOT.top + 40;
const BAR = PLOT.right - 60;

/** SVG. Every entry must be finite and not negative. */
export function matrixMap({ title, rowName, columnName, valueName, rows, columns, values }: MatrixMap): string {
  const most = values.reduce((all, row) => row.reduce((a, b) => Math.max(a, b), all), 0);
  const size = Math.min((BAR - 40 - LEFT) / columns.length, (PLOT.bottom + 40 - TOP) / rows.length);
  const squares = values.flatMap((row, r) =>
    row.map((value, c) => {
      const place = `x="${rounded(LEFT + c * size)}" y="${rounded(TOP + r * size)}"`;
      const fill = shade(most > 0 ? value / most : 0);
      return `<rect ${place} width="${rounded(size)}" height="${rounded(size)}" fill="${fill}"/>`;
    }),
  );
  const font = ` font-size="${Math.max(7, Math.min(12, Math.floor(size * 0.7)))}"`;
  const rowNames = rows.map((name, r) => label([LEFT - 5, TOP + (r + 0.5) * size + 4], short(name), 'end', font));
  const columnNames = columns.map((name, c) => {
    const [cx, cy] = [LEFT + (c + 0.5) * size + 3, TOP - 6].map(rounded);
    return label(
      [LEFT + (c + 0.5) * size + 3, TOP - 6],
      short(name),
      'start',
      `${font} transform="rotate(-60 ${cx} ${cy})"`,
    );
  });
  const steps = Array.from({ length: 21 }, (_, i) => i / 20);
  const height = 12;
  const scale = steps.map((share, i) => {
    const place = `x="${BAR}" y="${rounded(TOP + (20 - i) * height)}"`;
    return `<rect ${place} width="16" height="${height}" fill="${shade(share)}"/>`;
  });
  return picture(title, [
    ...squares,
    `<rect x="${LEFT}" y="${TOP}" width="${rounded(size * columns.length)}" height="${rounded(size * rows.length)}" fill="none" stroke="#999"/>`,
    ...(rows.length > MOST_NAMES ? [] : rowNames),
    ...(columns.length > MOST_NAMES ? [] : columnNames),
    ...scale,
    label([BAR + 22, TOP + 10], shown(most), 'start'),
    label([BAR + 22, TOP + 21 * height], '0', 'start'),
    label([PLOT.right + 20, TOP + 21 * height + 20], valueName, 'end'),
    label([PLOT.left, PLOT.bottom + 62], `rows: ${rowName}, columns: ${columnName}`, 'start'),
  ]);
}
