/**
 * Fields that configs are made of: numbers with units, lists with identifiers, matrices. Descriptions end up in the
 * OpenAPI document. Messages name the field as `{field}`; whoever reports them knows its path.
 */
import { z } from 'zod';
import { handChecked, NUMBER, type Complain } from '../common/hand-checked.js';
import { shown } from '../common/validation.js';

export type { Complain };

/**
 * Beyond these sizes products and quotients of a few numbers leave the range of float64. No quantity that people
 * measure does, in units that suit it.
 */
const MOST = 1e15;
const LEAST = 1e-12;

/** From -1e15 to 1e15. */
export const number = (description: string) => z.number().min(-MOST).max(MOST).describe(description);

/** 0, or from `least` to `most`. */
export const amountWithin = (least: number, most: number) => (description: string) =>
  z
    .number()
    .min(0)
    .max(most)
    .refine((value) => value === 0 || value >= least, `\`{field}\` must be 0 or at least ${least}.`)
    .describe(description);

/** 0, or from 1e-12 to 1e15. */
export const amount = amountWithin(LEAST, MOST);

/** From 1e-12 to 1e15. */
export const positive = (description: string) =>
  z
    .number()
    .gt(0)
    .max(MOST)
    .refine((value) => value >= LEAST, `\`{field}\` must be at least ${LEAST}.`)
    .describe(description);

/** From 0 to 1, both included: a probability or share as a decimal. */
export const share = (description: string) =>
  z
    .number()
    .refine((value) => value >= 0 && value <= 1, '`{field}` must be a decimal from 0 to 1: write 5 percent as 0.05.')
    .meta({ minimum: 0, maximum: 1, description });

/** Between 0 and 1, both excluded. */
export const openShare = (description: string) =>
  z
    .number()
    .refine((value) => value > 0 && value < 1, '`{field}` must be a decimal between 0 and 1: write 5 percent as 0.05.')
    .meta({ exclusiveMinimum: 0, exclusiveMaximum: 1, description });

export const count = (description: string, least = 0, most = 1e9) => z.int().min(least).max(most).describe(description);

const MAX_ID_CHARACTERS = 200;

/** A name that answers use again. */
export const id = z.string().min(1).max(MAX_ID_CHARACTERS).describe('Name in the answer. Absent: its place, from "1"');

interface NumbersRange {
  readonly least?: number;
  readonly most: number;
  /** Inclusive. */
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

function complainOfRange(value: number, range: NumbersRange): string | null {
  const { minimum, exclusiveMinimum, maximum } = range;
  if (minimum !== undefined && value < minimum) return `at least ${minimum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `above ${exclusiveMinimum}`;
  if (maximum !== undefined && value > maximum) return `at most ${maximum}`;
  // Probabilities and shares may be as small as they like.
  if (minimum === 0 && (maximum ?? MOST) > 1 && value > 0 && value < LEAST) return `0 or at least ${LEAST}`;
  if (Math.abs(value) > MOST) return `from ${-MOST} to ${MOST}`;
  return null;
}

/** Complains about the first fault; true where there is none. */
function checkRow(value: unknown, range: NumbersRange, path: readonly PropertyKey[], complain: Complain): boolean {
  const { least = 1, most } = range;
  if (!Array.isArray(value)) {
    complain(path, `\`{field}\` must be an array of numbers, not ${shown(value)}.`);
    return false;
  }
  if (value.length < least || value.length > most) {
    complain(path, `\`{field}\` must have ${least} to ${most} numbers, not ${value.length}.`);
    return false;
  }
  const bad = value.findIndex((entry) => typeof entry !== 'number' || !Number.isFinite(entry));
  if (bad >= 0) {
    complain([...path, bad], `\`{field}\` must be a finite number, not ${shown(value[bad])}.`);
    return false;
  }
  for (const [i, entry] of (value as number[]).entries()) {
    const rule = complainOfRange(entry, range);
    if (rule !== null) {
      complain([...path, i], `\`{field}\` must be ${rule}, not ${entry}.`);
      return false;
    }
  }
  return true;
}

const rowSchema = ({ least = 1, most, minimum, exclusiveMinimum, maximum }: NumbersRange): Record<string, unknown> => ({
  type: 'array',
  items: {
    ...NUMBER,
    ...(exclusiveMinimum === undefined ? { minimum: minimum ?? -MOST } : { exclusiveMinimum }),
    maximum: maximum ?? MOST,
  },
  minItems: least,
  maxItems: most,
});

const REQUIRED = '`{field}` is required.';

/** An array of finite numbers within the range; checked by hand, for it may be long. */
export const numbers = (description: string, range: NumbersRange) =>
  handChecked<readonly number[]>({ ...rowSchema(range), description }, (value, complain) => {
    if (value === undefined) return complain([], REQUIRED);
    checkRow(value, range, [], complain);
  });

/** Rows of equal length. `rows`: how many there may be; `columns`: the range of each row. */
export const matrix = (
  description: string,
  rows: { readonly least?: number; readonly most: number },
  columns: NumbersRange,
) => {
  const { least = 1, most } = rows;
  const json = { type: 'array', items: rowSchema(columns), minItems: least, maxItems: most, description };
  return handChecked<readonly (readonly number[])[]>(json, (value, complain) => {
    if (value === undefined) return complain([], REQUIRED);
    if (!Array.isArray(value)) return complain([], `\`{field}\` must be an array of rows, not ${shown(value)}.`);
    if (value.length < least || value.length > most) {
      return complain([], `\`{field}\` must have ${least} to ${most} rows, not ${value.length}.`);
    }
    const [first] = value as unknown[];
    for (const [i, row] of (value as unknown[]).entries()) {
      if (!checkRow(row, columns, [i], complain)) return;
      const length = (row as number[]).length;
      const expected = (first as number[]).length;
      if (length !== expected) {
        return complain([i], `\`{field}\` must have ${expected} numbers, as the first row has, not ${length}.`);
      }
    }
  });
};

/** A list whose length is looked at before its entries: a million faulty ones would make a million findings. */
export const list = <T extends z.ZodType>(item: T, description: string, most: number, least = 1) => {
  const { $schema: _dialect, ...items } = z.toJSONSchema(item, { io: 'input', unrepresentable: 'any' });
  const meta = { type: 'array', items, minItems: least, maxItems: most, description } as const;
  return z.array(z.unknown()).min(least).max(most).pipe(z.array(item)).meta(meta);
};

/** Entries with an identifier each: the given one, or the place from "1". */
export const withIds = <T extends { readonly id?: string | undefined }>(
  items: readonly T[],
): (T & { readonly id: string })[] => items.map((item, i) => ({ ...item, id: item.id ?? String(i + 1) }));

/** Complains about the first identifier that an earlier entry has; true where there is none. */
export function checkUnique(
  items: readonly { readonly id?: string | undefined }[],
  path: string,
  complain: Complain,
): boolean {
  const seen = new Map<string, number>();
  for (const [i, item] of withIds(items).entries()) {
    const earlier = seen.get(item.id);
    if (earlier !== undefined) {
      complain([path, i, 'id'], `\`{field}\`: ${shown(item.id)} is the id of entry ${earlier + 1} too.`);
      return false;
    }
    seen.set(item.id, i);
  }
  return true;
}
