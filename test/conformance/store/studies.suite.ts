/** What every store must do with studies; part of ../store.suite.ts. */
import { describe, expect, it } from 'vitest';
import type { StudyEntry } from '../../../src/model/study.js';
import { STUDY_READ_BYTES } from '../../../src/storage/contract/studies.js';
import { type Store } from '../../../src/storage/store.js';
import { newEntry, newStudy } from '../store-samples.js';

/** Stores return bytes in arrays of different classes. */
const plain = (entries: readonly StudyEntry[]): StudyEntry[] =>
  entries.map((entry) => ({ ...entry, body: Uint8Array.from(entry.body) }));
const incompressible = (bytes: number): Uint8Array =>
  new Uint8Array(Float64Array.from({ length: bytes / 8 }, (_, i) => Math.sin(i)).buffer);

export function studySuite(current: () => Store, openAnother: () => Promise<Store | null>): void {
  describe('studies', () => {
    it('gives back what was saved, the first of an identifier, to its account alone', async () => {
      const store = current();
      await store.createStudy(newStudy('study_1'));
      await store.createStudy(newStudy('study_1', { seed: 8 }));
      const state = { study: newStudy('study_1'), head: { seq: 0, summary: null } };
      expect(await store.findStudy('acct_1', 'study_1')).toStrictEqual(state);
      expect(await store.findStudy('acct_2', 'study_1')).toBeNull();
      expect(await store.findStudy('acct_1', 'study_2')).toBeNull();
      expect(await store.listStudies('acct_2', { limit: 9, offset: 0 })).toEqual({ items: [], total: 0 });
      expect(await store.deleteStudy('acct_2', 'study_1')).toBe(false);
      expect(await store.findStudy('acct_1', 'study_1')).not.toBeNull();
    });

    it('lists newest first, page by page, each with the end of its log', async () => {
      const store = current();
      for (const id of ['study_1', 'study_3', 'study_2']) await store.createStudy(newStudy(id));
      for (const seq of [1, 2]) await store.appendStudyEntry('study_2', newEntry(seq));
      const { items, total } = await store.listStudies('acct_1', { limit: 2, offset: 1 });
      expect(total).toBe(3);
      expect(items.map(({ study: { id }, head }) => [id, head])).toStrictEqual([
        ['study_2', { seq: 2, summary: newEntry(2).summary }],
        ['study_1', { seq: 0, summary: null }],
      ]);
    });

    it('keep a log whose numbers have no gap, each given once', async () => {
      const store = current();
      await store.createStudy(newStudy('study_1'));
      expect(await store.appendStudyEntry('study_1', newEntry(2))).toBe(false);
      expect(await store.appendStudyEntry('study_1', newEntry(1))).toBe(true);
      expect(await store.appendStudyEntry('study_1', newEntry(1, { token: 'another' }))).toBe(false);
      expect(await store.appendStudyEntry('study_1', newEntry(3))).toBe(false);
      expect(await store.appendStudyEntry('study_1', newEntry(2))).toBe(true);
      expect(await store.appendStudyEntry('study_2', newEntry(1))).toBe(false);
      expect(plain(await store.studyEntries('study_1', 0, 9))).toStrictEqual([newEntry(1), newEntry(2)]);
      expect(plain(await store.studyEntries('study_1', 1, 9))).toStrictEqual([newEntry(2)]);
      expect(plain(await store.studyEntries('study_1', 0, 1))).toStrictEqual([newEntry(1)]);
      expect(await store.studyEntries('study_2', 0, 9)).toEqual([]);
    });

    it('know an entry by its token, and take it once', async () => {
      const store = current();
      await store.createStudy(newStudy('study_1'));
      await store.createStudy(newStudy('study_2'));
      await store.appendStudyEntry('study_1', newEntry(1, { token: 'a' }));
      expect(await store.appendStudyEntry('study_1', newEntry(1, { token: 'a' }))).toBe(true);
      expect(await store.appendStudyEntry('study_1', newEntry(2, { token: 'a' }))).toBe(false);
      expect(await store.appendStudyEntry('study_2', newEntry(1, { token: 'a' }))).toBe(true);
      expect((await store.findStudyEntry('study_1', 'a'))?.seq).toBe(1);
      expect(await store.findStudyEntry('study_1', 'b')).toBeNull();
    });

    it('give large entries in portions, at least one at a time', async () => {
      const store = current();
      await store.createStudy(newStudy('study_1'));
      const body = incompressible(STUDY_READ_BYTES - 800_000);
      for (const seq of [1, 2]) expect(await store.appendStudyEntry('study_1', newEntry(seq, { body }))).toBe(true);
      const first = await store.studyEntries('study_1', 0, 9);
      expect(first.map(({ seq }) => seq)).toContain(1);
      expect(Buffer.from(first[0]?.body ?? []).equals(body)).toBe(true);
      const rest = await store.studyEntries('study_1', first.length, 9);
      expect(first.length + rest.length).toBe(2);
    });

    it('have one snapshot, the latest', async () => {
      const store = current();
      const save = (seq: number, checkpoint: Uint8Array): Promise<void> =>
        store.saveStudySnapshot('study_1', { seq, checkpoint });
      await save(1, Uint8Array.of(1));
      expect(await store.studySnapshot('study_1')).toBeNull();
      await store.createStudy(newStudy('study_1'));
      expect(await store.studySnapshot('study_1')).toBeNull();
      for (const size of [800, 4_000_000, 8_000]) {
        await save(size, incompressible(size));
        await save(size - 1, Uint8Array.of(1));
        const found = await store.studySnapshot('study_1');
        expect(found?.seq).toBe(Math.max(size, size === 800 ? 0 : 4_000_000));
        expect(Buffer.from(found?.checkpoint ?? []).equals(incompressible(found?.seq ?? 0))).toBe(true);
      }
    });

    it('are deleted with all of it, and take nothing more', async () => {
      const store = current();
      await store.createStudy(newStudy('study_1'));
      await store.appendStudyEntry('study_1', newEntry(1));
      await store.saveStudySnapshot('study_1', { seq: 1, checkpoint: incompressible(400_000) });
      expect(await store.deleteStudy('acct_1', 'study_1')).toBe(true);
      expect(await store.deleteStudy('acct_1', 'study_1')).toBe(false);
      expect(await store.findStudy('acct_1', 'study_1')).toBeNull();
      expect(await store.studyEntries('study_1', 0, 9)).toEqual([]);
      expect(await store.studySnapshot('study_1')).toBeNull();
      expect(await store.appendStudyEntry('study_1', newEntry(1))).toBe(false);
      expect(await store.studyEntries('study_1', 0, 9)).toEqual([]);
    });

    it('take one of many entries of the same number, in two processes too', async () => {
      const store = current();
      const another = (await openAnother()) ?? store;
      try {
        await store.createStudy(newStudy('study_1'));
        for (let seq = 1; seq <= 10; seq++) {
          const tries = Array.from({ length: 6 }, (_, k) =>
            (k % 2 === 0 ? store : another).appendStudyEntry('study_1', newEntry(seq, { token: `${seq} ${k}` })),
          );
          expect((await Promise.all(tries)).filter((isAdded) => isAdded)).toHaveLength(1);
        }
        expect((await another.findStudy('acct_1', 'study_1'))?.head.seq).toBe(10);
      } finally {
        if (another !== store) await another.close();
      }
    });
  });
}
