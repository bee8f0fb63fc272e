import { describe, expect, it } from 'vitest';
import { jsonText, withText } from './json-text.js';

describe('the text of an answer', () => {
  it.each([
    {},
    { id: 'opt_1', data: [1] },
    { data: 1, total: 2 },
    { data: [] },
    { data: [{ a: [1, null, 'ü"'] }, undefined, NaN], total: 3, limit: undefined, offset: 0 },
    { data: [1, 2], request_id: 'r' },
  ])('is that of JSON.stringify: %j', async (body) => {
    expect(await jsonText(body)).toBe(JSON.stringify(body));
  });

  it('is the same where the text of a record was made before', async () => {
    const record = { a: [1, null, 'ü"'], b: undefined };
    const [known, fresh] = [withText({ ...record }), { ...record }];
    expect(await jsonText({ data: [known, fresh], total: 2 })).toBe(
      JSON.stringify({ data: [record, record], total: 2 }),
    );
  });

  it('leaves turns of the event loop to others', async () => {
    let turns = 0;
    const count = (): void => {
      turns++;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    const data = Array.from({ length: 20 }, () => 'x'.repeat(200_000));
    expect(await jsonText({ data })).toBe(JSON.stringify({ data }));
    clearImmediate(immediate);
    expect(turns).toBeGreaterThan(5);
  });
});
