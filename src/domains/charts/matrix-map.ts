/** A matrix as coloured squares: the larger an entry, the darker. */
import { label, picture, PLOT, rounded, shown, cut, widthOf } from '../../explanation/visuals/plot.js';

interface MatrixMap {
  readonly title: string;
  /** Kind of thing that a row stands for; `columnName` likewise. */
  readonly rowName: string;
  readonly columnName: string;
  /** Quantity in the entries, with its unit. */
  readonly valueName: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly values: readonly (readonly number[])[];
}

/** Names that fit beside squares. */
const MOST_NAMES = 32;
/** Widest names at the left and above. */
const [ROW_ROOM, COLUMN_ROOM] = [150, 110];

/** White to dark blue. */
function shade(share: number): string {
  const part = (white: number, dark: number): number => Math.round(white + (dark - white) * share);
  return `rgb(${part(247, 8)},${part(251, 48)},${part(255, 107)})`;
}

const widest = (names: readonly string[], room: number): number =>
  names.length > MOST_NAMES ? 0 : names.reduce((most, name) => Math.max(most, Math.min(room, widthOf(name, 12))), 0);

const BAR = PLOT.right - 60;

/** SVG. Every entry must be finite and not negative. */
export function matrixMap({ title, rowName, columnName, valueName, rows, columns, values }: MatrixMap): string {
  const most = values.reduce((all, row) => row.reduce((a, b) => Math.max(a, b), all), 0);
  const left = Math.max(PLOT.left + 20, 17 + widest(rows, ROW_ROOM));
  const top = Math.max(PLOT.top + 40, 52 + Math.ceil(0.87 * widest(columns, COLUMN_ROOM)));
  const size = Math.min((BAR - 30 - left) / columns.length, (PLOT.bottom + 40 - top) / rows.length);
  const squares = values.flatMap((row, r) =>
    row.map((value, c) => {
      const place = `x="${rounded(left + c * size)}" y="${rounded(top + r * size)}"`;
      const fill = shade(most > 0 ? value / most : 0);
      return `<rect ${place} width="${rounded(size)}" height="${rounded(size)}" fill="${fill}"/>`;
    }),
  );
  const fontSize = Math.max(7, Math.min(12, Math.floor(size * 0.7)));
  const font = ` font-size="${fontSize}"`;
  const rowNames = rows.map((name, r) =>
    label([left - 5, top + (r + 0.5) * size + 4], cut(name, ROW_ROOM, '', fontSize), 'end', font),
  );
  const columnNames = columns.map((name, c) => {
    const [cx, cy] = [left + (c + 0.5) * size + 3, top - 6].map(rounded);
    return label(
      [left + (c + 0.5) * size + 3, top - 6],
      cut(name, COLUMN_ROOM, '', fontSize),
      'start',
      `${font} transform="rotate(-60 ${cx} ${cy})"`,
    );
  });
  const steps = Array.from({ length: 21 }, (_, i) => i / 20);
  const height = 12;
  const scale = steps.map((share, i) => {
    const place = `x="${BAR}" y="${rounded(top + (20 - i) * height)}"`;
    return `<rect ${place} width="16" height="${height}" fill="${shade(share)}"/>`;
  });
  return picture(title, [
    ...squares,
    `<rect x="${left}" y="${top}" width="${rounded(size * columns.length)}" height="${rounded(size * rows.length)}" fill="none" stroke="#999"/>`,
    ...(rows.length > MOST_NAMES ? [] : rowNames),
    ...(columns.length > MOST_NAMES ? [] : columnNames),
    ...scale,
    label([BAR + 22, top + 10], shown(most), 'start'),
    label([BAR + 22, top + 21 * height], '0', 'start'),
    label([PLOT.right + 20, top + 21 * height + 20], valueName, 'end'),
    label([PLOT.left, PLOT.bottom + 62], `rows: ${rowName}, columns: ${columnName}`, 'start'),
  ]);
}
