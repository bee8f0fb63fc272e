import type { Page, PageRequest } from '../../model/page.js';

export const copy = <T>(value: T): T => structuredClone(value);

const byIdDescending = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

export function window<T extends { id: string }>(all: readonly T[], page: PageRequest): Page<T> {
  const sorted = [...all].sort(byIdDescending);
  return { items: sorted.slice(page.offset, page.offset + page.limit).map(copy), total: all.length };
}

/** One name of two texts, whatever they have in them. */
export const nameOf = (accountId: string, key: string): string => JSON.stringify([accountId, key]);
