/** A table of settings that were tried before, with their results. */
import { z } from 'zod';
import { shown } from '../../../common/validation.js';
import { list, type Complain } from '../../fields.js';
import { handChecked } from '../../../common/hand-checked.js';
import { pointOf, type Point, type SearchSpace, type Space } from '../search-space/space.js';

export const MOST_ROWS = 50_000;
const MOST_COLUMNS = 60;

type Cell = number | string | boolean;

const isCell = (value: unknown): value is Cell =>
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && value.length <= 200) ||
  typeof value === 'boolean';

export const tabular = z.strictObject({
  type: z.literal('tabular'),
  metric: z.string().max(100).describe('Column that is the objective'),
  columns: list(z.string().min(1).max(100), 'Names of the columns: each parameter, and the metric', MOST_COLUMNS),
  rows: handChecked<readonly (readonly Cell[])[]>(
    {
      type: 'array',
      items: { type: 'array', items: { type: ['number', 'string', 'boolean'] }, maxItems: MOST_COLUMNS },
      minItems: 1,
      maxItems: MOST_ROWS,
      description: 'One row for each setting that was tried, with a value for each column',
    },
    (value, complain) => {
      if (value === undefined) return complain([], '`{field}` is required.');
      if (!Array.isArray(value)) return complain([], `\`{field}\` must be an array of rows, not ${shown(value)}.`);
      if (value.length === 0 || value.length > MOST_ROWS) {
        return complain([], `\`{field}\` must have 1 to ${MOST_ROWS} rows, not ${value.length}.`);
      }
      for (const [i, row] of (value as unknown[]).entries()) {
        if (!Array.isArray(row)) return complain([i], `\`{field}\` must be an array, not ${shown(row)}.`);
        const bad = row.findIndex((cell) => !isCell(cell));
        if (bad >= 0) {
          return complain(
            [i, bad],
            `\`{field}\` must be a number, a short string, true or false, not ${shown(row[bad])}.`,
          );
        }
      }
    },
  ),
});

export type Tabular = z.output<typeof tabular>;

/** Where the columns of the parameters and of what is measured are. */
export function checkTable(
  { columns, rows }: Tabular,
  space: SearchSpace,
  measured: readonly (readonly [name: string, path: readonly PropertyKey[]])[],
  complain: Complain,
): boolean {
  const refuse = (path: readonly PropertyKey[], message: string): false => {
    complain(path, message);
    return false;
  };
  const twice = columns.findIndex((name, i) => columns.indexOf(name) < i);
  if (twice >= 0)
    return refuse(['evaluator', 'columns', twice], `\`{field}\`: ${shown(columns[twice])} is a column already.`);
  const missing = Object.keys(space).find((name) => !columns.includes(name));
  if (missing !== undefined) {
    return refuse(['search_space', missing], '`{field}` is no column of `config.evaluator.columns`.');
  }
  const short = rows.findIndex((row) => row.length !== columns.length);
  if (short >= 0) {
    return refuse(
      ['evaluator', 'rows', short],
      `\`{field}\` must have ${columns.length} values, one for each column, not ${rows[short].length}.`,
    );
  }
  for (const [name, path] of measured) {
    const column = columns.indexOf(name);
    if (column < 0) return refuse(path, `\`{field}\`: ${shown(name)} is no column of \`config.evaluator.columns\`.`);
    if (Object.hasOwn(space, name))
      return refuse(path, `\`{field}\`: ${shown(name)} is a parameter of the search space.`);
    const bad = rows.findIndex((row) => typeof row[column] !== 'number' || Math.abs(row[column]) > 1e15);
    if (bad >= 0) {
      return refuse(
        ['evaluator', 'rows', bad, column],
        `\`{field}\` must be a number from -1e15 to 1e15, for \`${name}\` is measured, not ${shown(rows[bad][column])}.`,
      );
    }
  }
  return true;
}

export interface TableRow {
  readonly point: Point;
  /** [measured]: the mean where the table has the setting several times. */
  readonly values: readonly number[];
}

/** The settings of the table that lie in the space, in the order of their first rows. */
export function settingsOf(
  { columns, rows }: Tabular,
  given: SearchSpace,
  space: Space,
  measured: readonly string[],
  isMeant: (row: readonly Cell[]) => boolean = () => true,
): { readonly settings: readonly TableRow[]; readonly outside: number; readonly repeated: number } {
  const places = space.axes.map(({ name }) => columns.indexOf(name));
  const results = measured.map((name) => columns.indexOf(name));
  const found = new Map<string, { point: Point; sums: number[]; count: number }>();
  let outside = 0;
  let repeated = 0;
  for (const row of rows) {
    if (!isMeant(row)) continue;
    const numbers = space.axes.map(({ name }, i) => pointOf(given[name], row[places[i]]));
    // What an inactive parameter has in the table makes no difference.
    const point = space.canonical(Float64Array.from(numbers, (value) => value ?? NaN));
    if (point.some(Number.isNaN)) {
      outside++;
      continue;
    }
    const key = space.keyOf(point);
    const known = found.get(key);
    const values = results.map((column) => row[column] as number);
    if (known === undefined) found.set(key, { point, sums: values, count: 1 });
    else {
      repeated++;
      known.count++;
      for (const [m, value] of values.entries()) known.sums[m] += value;
    }
  }
  const settings = [...found.values()].map(({ point, sums, count }) => ({
    point,
    values: sums.map((sum) => sum / count),
  }));
  return { settings, outside, repeated };
}
