/** Lists come in pages. */
import { z } from 'zod';
import { shown } from '../common/validation.js';
import type { Page, PageRequest } from '../model/page.js';

/** A whole number by its digits: `Number()` would take "", " 5" and "0x10" too. */
const digits = (name: string, minimum: number, maximum: number, fallback: number) =>
  z
    .string()
    .optional()
    .superRefine((text, context) => {
      if (text === undefined) return;
      const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
      if (value >= minimum && value <= maximum) return;
      const message = `\`${name}\` must be a whole number from ${minimum} to ${maximum}, not ${shown(text)}.`;
      context.addIssue({ code: 'custom', message });
    })
    .transform((text) => (text === undefined ? fallback : Number(text)));

const MAX_OFFSET = 2_147_483_647;

export const pageQuery = {
  limit: digits('limit', 1, 100, 20).meta({ type: 'integer', minimum: 1, maximum: 100, default: 20 }),
  offset: digits('offset', 0, MAX_OFFSET, 0).meta({ type: 'integer', minimum: 0, maximum: MAX_OFFSET, default: 0 }),
};

export const pageOnlyQuery = z.strictObject(pageQuery);

/** For a list that is short enough to come whole, and does unless a limit is given. `most`: its greatest length. */
export const wholeQuery = (most: number) =>
  z.strictObject({
    ...pageQuery,
    limit: digits('limit', 1, 100, most)
      .meta({ type: 'integer', minimum: 1, maximum: 100 })
      .describe(`Absent: all, at most ${most}`),
  });

export const pageAnswer = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), total: z.int(), limit: z.int(), offset: z.int() });

interface PageBody<Item> extends PageRequest {
  readonly data: readonly Item[];
  readonly total: number;
}

export function pageBody<T, U>(page: Page<T>, request: PageRequest, represent: (item: T) => U): PageBody<U> {
  return { data: page.items.map(represent), total: page.total, limit: request.limit, offset: request.offset };
}

/** The page of a list that is at hand as a whole. */
export const pageIn = <T>(all: readonly T[], { limit, offset }: PageRequest): Page<T> => ({
  items: all.slice(offset, offset + limit),
  total: all.length,
});
