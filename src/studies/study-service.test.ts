import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { IdSource } from '../common/ids.js';
import type { StudyEntry } from '../model/study.js';
import { openMemoryStore } from '../storage/memory/memory-store.js';
import { StudyService } from './study-service.js';
import type { StudyJob, StudyReply } from './study-protocol.js';
import { work } from './study-worker.js';

const STUDIES = 100;
/** Entries in each log: more than two portions, fewer than a snapshot is made after. */
const ENTRIES = 450;
const RECORD = {
  bounds: [[-1, 1]] as [number, number][],
  directions: ['minimize'] as const,
  strategy: 'coordinate-search',
  seed: 1,
  maxEvaluations: 5_000,
  metadata: {},
};

it('loads many more studies at the same time than a thread holds', async () => {
  const store = openMemoryStore();
  let serial = 0;
  const ids: IdSource = {
    next: (kind) => ({ id: `${kind}_${String(++serial).padStart(20, '0')}`, createdAt: serial }),
  };
  let jobs = 0;
  let last: Promise<unknown> = Promise.resolve();
  const threads = {
    /** As the thread does: one job after the other. */
    work(job: StudyJob): Promise<StudyReply> {
      if (++jobs > 20 * STUDIES) throw new Error('they push out each other');
      const turn = last.then(() => setImmediate()).then(() => work(job));
      last = turn.catch(() => {});
      return turn;
    },
  };
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const service = (): StudyService => new StudyService({ store, threads, clock: () => 0, logger });

  const first = service();
  const studies = [];
  for (let k = 0; k < STUDIES; k++) studies.push((await first.create('acct', RECORD, ids)).study.id);
  const [original, ...copies] = studies as [string, ...string[]];
  for (let k = 0; k < ENTRIES / 2; k++) {
    const asked = await first.ask('acct', original, 1, ids);
    const results = asked!.candidates.map(({ serial: point, solution }) => ({ point, values: [solution[0] ** 2] }));
    await first.tell('acct', original, () => results, ids);
  }
  const log: StudyEntry[] = [];
  while (log.length < ENTRIES) log.push(...(await store.studyEntries(original, log.length, ENTRIES)));
  for (const copy of copies) for (const entry of log) await store.appendStudyEntry(copy, entry);

  jobs = 0;
  const again = service();
  const best = await Promise.all(studies.map((id) => again.best('acct', id)));
  expect(new Set(best.map((one) => JSON.stringify(one))).size).toBe(1);
}, 120_000);
