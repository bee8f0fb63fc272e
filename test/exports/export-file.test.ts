/** The thread that writes a file, and its end. */
import { describe, expect, it } from 'vitest';
import { Exporter } from '../../src/exports/export-file.js';
import { EXPORT_FORMATS } from '../../src/exports/export-format.js';
import { WRITERS } from '../../src/exports/formats.js';
import type { Row, Rows } from '../../src/exports/document.js';
import { batches, bytesOf, sampleDocument } from '../support/export-samples.js';

const document = sampleDocument(['text', 'number']);
const rows: Row[] = Array.from({ length: 300 }, (_, index) => [`text ${index}`, index / 3]);
const open = new AbortController().signal;

async function read(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Without an end; says how often it was asked, and whether it was told to stop. */
function endless(): { rows: Rows; asked: () => number; isClosed: () => boolean } {
  let asked = 0;
  let isClosed = false;
  async function* generate(): Rows {
    try {
      for (;;) {
        asked++;
        yield Array.from({ length: 500 }, (_, index): Row => [`row ${asked} ${index}`, Math.sqrt(asked * 500 + index)]);
      }
    } finally {
      isClosed = true;
    }
  }
  return { rows: generate(), asked: () => asked, isClosed: () => isClosed };
}

describe('an export', () => {
  it.each(EXPORT_FORMATS)('of %s has the bytes of its writer', async (format) => {
    const file = new Exporter().file('acct', format, document, batches(rows));
    const writer = await WRITERS[format]();
    expect((await read(file.bytes(open))).equals(await bytesOf(writer, document, rows))).toBe(true);
  });

  it('has a name that is safe wherever it goes', () => {
    const name = (over: Partial<typeof document>) =>
      new Exporter().file('acct', 'csv', { ...document, ...over }, batches([])).name;
    expect(name({})).toBe('extremum-executions-2026-10-01-to-2026-10-31.csv');
    expect(name({ name: 'performance', period: null })).toBe('extremum-performance-2026-11-02.csv');
    expect(name({ name: '../"x"\r\n;é' })).toMatch(/^[A-Za-z0-9.-]+$/);
  });

  it.each(EXPORT_FORMATS)('of %s writes no further than its reader reads, and stops with it', async (format) => {
    const source = endless();
    const exporter = new Exporter();
    const reader = exporter.file('acct', format, document, source.rows).bytes(open)[Symbol.asyncIterator]();
    for (let piece = 0; piece < 5; piece++) await reader.next();
    const asked = source.asked();
    // Time for the thread to run ahead, if it did.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(source.asked()).toBe(asked);
    expect(exporter.active).toBe(1);
    await reader.return?.();
    expect(source.isClosed()).toBe(true);
    expect(exporter.active).toBe(0);
  });

  it('is counted once, by what came of it', async () => {
    const outcomes: string[] = [];
    const exporter = new Exporter({}, { exportEnded: (format, outcome) => outcomes.push(`${format} ${outcome}`) });
    await read(exporter.file('acct', 'csv', document, batches(rows)).bytes(open));
    const reader = exporter.file('acct', 'csv', document, endless().rows).bytes(open)[Symbol.asyncIterator]();
    await reader.next();
    await reader.return?.();
    const gone = new AbortController();
    const aborted = exporter.file('acct', 'pdf', document, endless().rows).bytes(gone.signal)[Symbol.asyncIterator]();
    await aborted.next();
    gone.abort();
    while ((await aborted.next()).done !== true);
    async function* broken(): Rows {
      throw new Error('no rows');
    }
    await expect(read(exporter.file('acct', 'xlsx', document, broken()).bytes(open))).rejects.toThrow('no rows');
    expect(outcomes).toEqual(['csv complete', 'csv left', 'pdf left', 'xlsx failed']);
  });

  it('ends by a signal while it waits for rows', async () => {
    const gone = new AbortController();
    let isClosed = false;
    let wake = (): void => {};
    async function* stuck(): Rows {
      try {
        yield [['first', 1]];
        setImmediate(() => gone.abort());
        await new Promise<void>((resolve) => (wake = resolve));
      } finally {
        isClosed = true;
      }
    }
    const exporter = new Exporter();
    const reading = read(exporter.file('acct', 'csv', document, stuck()).bytes(gone.signal));
    gone.signal.addEventListener('abort', () => wake());
    await reading;
    expect(isClosed).toBe(true);
    expect(exporter.active).toBe(0);
  });

  it('fails with what its rows failed with, or its writer', async () => {
    async function* failing(): Rows {
      yield [['first', 1]];
      throw new Error('the store is away');
    }
    const exporter = new Exporter();
    await expect(read(exporter.file('acct', 'xlsx', document, failing()).bytes(open))).rejects.toThrow(
      'the store is away',
    );
    const broken = { ...document, createdAt: NaN };
    await expect(read(exporter.file('acct', 'pdf', broken, batches([])).bytes(open))).rejects.toThrow(
      'The export failed',
    );
    expect(exporter.active).toBe(0);
  });

  it('waits for its turn, behind those of its own account only', async () => {
    const exporter = new Exporter({ atOnce: 2, perAccount: 1 });
    const start = (owner: string, signal = open) =>
      exporter.file(owner, 'csv', document, endless().rows).bytes(signal)[Symbol.asyncIterator]();
    const first = start('a');
    await first.next();
    const gone = new AbortController();
    const [second, third, givenUp] = [start('a'), start('b'), start('a', gone.signal)];
    const waiting = second.next();
    const leaving = givenUp.next();
    await third.next();
    expect(exporter.active).toBe(2);
    gone.abort();
    expect(await leaving).toEqual({ done: true, value: undefined });
    await first.return?.();
    expect((await waiting).done).toBe(false);
    await Promise.all([second.return?.(), third.return?.()]);
    expect(exporter.active).toBe(0);
  });

  it('does not wait behind the many of another account, and these have an end', async () => {
    const exporter = new Exporter({ atOnce: 2, perAccount: 2 });
    const gone = new AbortController();
    const start = (owner: string) =>
      exporter.file(owner, 'csv', document, endless().rows).bytes(gone.signal)[Symbol.asyncIterator]();
    const [first, second] = [start('a'), start('a')];
    await first.next();
    await second.next();
    const many = Array.from({ length: 16 }, () => start('a').next());
    await expect(start('a').next()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
    const other = start('b');
    const waiting = other.next();
    await first.return?.();
    expect((await waiting).done).toBe(false);
    gone.abort();
    await Promise.all(many);
    await second.return?.();
    await other.return?.();
    expect(exporter.active).toBe(0);
  });

  it('loses its place to another account where its reader is slow', async () => {
    const exporter = new Exporter({ atOnce: 2, perAccount: 2, leastBytesPerSecond: 1e9, patienceMs: 50 });
    const start = (owner: string) =>
      exporter.file(owner, 'csv', document, endless().rows).bytes(open)[Symbol.asyncIterator]();
    const slow = [start('a'), start('a')];
    for (const reader of slow) await reader.next();
    const other = exporter.file('b', 'csv', document, batches(rows));
    expect((await read(other.bytes(open))).length).toBeGreaterThan(0);
    const ends = await Promise.allSettled(slow.map((reader) => reader.next()));
    expect(ends.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: { code: 'unavailable' } }]);
    for (const reader of slow) await reader.return?.();
    expect(exporter.active).toBe(0);
  });

  it('keeps its place where nobody else waits, however slow its reader is', async () => {
    const exporter = new Exporter({ atOnce: 1, perAccount: 1, patienceMs: 0 });
    const start = () => exporter.file('a', 'csv', document, endless().rows).bytes(open)[Symbol.asyncIterator]();
    const [first, second] = [start(), start()];
    await first.next();
    const waiting = second.next();
    // Longer than it takes to look for slow readers.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await first.next()).done).toBe(false);
    await first.return?.();
    expect((await waiting).done).toBe(false);
    await second.return?.();
    expect(exporter.active).toBe(0);
  });
});
