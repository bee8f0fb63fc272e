import { expect, test } from 'vitest';
import { SharedReads } from './shared-reads.js';

/** A read whose end the test decides. */
function held() {
  const begun: ((value: string | Error) => void)[] = [];
  const body = (): Promise<string> =>
    new Promise((resolve, reject) =>
      begun.push((value) => (typeof value === 'string' ? resolve(value) : reject(value))),
    );
  return { begun, body };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('those who ask while a read is under way share one that begins later', async () => {
  const reads = new SharedReads<string>();
  const { begun, body } = held();
  const first = reads.read('key', body);
  const later = [reads.read('key', body), reads.read('key', body), reads.read('key', body)];
  expect(begun).toHaveLength(1);
  begun[0]?.('before');
  expect(await first).toBe('before');
  await turn();
  expect(begun).toHaveLength(2);
  const latest = reads.read('key', body);
  begun[1]?.('after');
  expect(await Promise.all(later)).toEqual(['after', 'after', 'after']);
  await turn();
  begun[2]?.('last');
  expect(await latest).toBe('last');
  await turn();
  const alone = reads.read('key', body);
  expect(begun).toHaveLength(4);
  begun[3]?.('alone');
  expect(await alone).toBe('alone');
});

test('other keys do not wait, and a failure is told to those that wait, and to nobody later', async () => {
  const reads = new SharedReads<string>();
  const { begun, body } = held();
  const first = reads.read('a', body);
  const waits = reads.read('a', body);
  const other = reads.read('b', body);
  expect(begun).toHaveLength(2);
  begun[1]?.('b');
  expect(await other).toBe('b');
  begun[0]?.(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await expect(waits).rejects.toThrow('away');
  const again = reads.read('a', body);
  begun[2]?.('back');
  expect(await again).toBe('back');
});
