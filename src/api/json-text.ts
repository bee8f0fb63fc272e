import { LoopTurns } from '../common/loop-turns.js';

const madeBefore = new WeakMap<object, string>();

/** The record, whose text is made once: for one that is shown again and again and never changes. */
export function withText<T extends object>(record: T): T {
  madeBefore.set(record, JSON.stringify(record));
  return record;
}

/**
 * An answer as `JSON.stringify` writes it. The records of a page are written one by one: a hundred runs of 10,000
 * variables have 50 MB, and others want to be answered meanwhile.
 */
export async function jsonText(body: object): Promise<string> {
  const { data, ...rest } = body as { readonly data?: unknown };
  if (!Array.isArray(data) || Object.keys(body)[0] !== 'data') return JSON.stringify(body);
  const turns = new LoopTurns();
  const texts: string[] = [];
  for (const record of data as unknown[]) {
    const text = madeBefore.get(record as object) ?? JSON.stringify(record) ?? 'null';
    texts.push(text);
    await turns.after(text.length);
  }
  const others = JSON.stringify(rest).slice(1);
  return `{"data":[${texts.join(',')}]${others === '}' ? '' : ','}${others}`;
}
