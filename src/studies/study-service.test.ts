import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { IdSource } from '../common/ids.js';
import { Rng } from '../common/rng.js';
import type { StudyEntry } from '../model/study.js';
import { openMemoryStore } from '../storage/memory/memory-store.js';
import type { StudyStore } from '../storage/contract/studies.js';
import type { LoggedPoint } from './point-log.js';
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

const logger = { debug() {}, info() {}, warn() {}, error() {} };

function countingIds(): IdSource {
  let serial = 0;
  return { next: (kind) => ({ id: `${kind}_${String(++serial).padStart(20, '0')}`, createdAt: serial }) };
}

it('shows each point as it was asked and told, in pages that read no more of the log than made them', async () => {
  const memory = openMemoryStore();
  let read = 0;
  const store: Pick<StudyStore, 'studyEntries'> = {
    async studyEntries(...args) {
      const entries = await memory.studyEntries(...args);
      read += entries.length;
      return entries;
    },
  };
  const counting = new Proxy(memory, {
    get: (target, verb) => Reflect.get(verb in store ? store : target, verb) as unknown,
  });
  const threads = { work: (job: StudyJob): Promise<StudyReply> => Promise.resolve(work(job)) };
  const service = new StudyService({ store: counting, threads, clock: () => 0, logger });
  const ids = countingIds();
  const { id } = (await service.create('acct', { ...RECORD, strategy: 'random-search' }, ids)).study;
  const rng = Rng.create(7);
  const points: LoggedPoint[] = [];
  const open: number[] = [];
  for (let step = 0; step < 400; step++) {
    const { candidates } = (await service.ask('acct', id, 1 + (step % 3), ids))!;
    for (const { serial, solution } of candidates) {
      points.push({ serial, isAsked: true, solution, values: null });
      open.push(serial);
    }
    // The first is never told, the others in any order.
    const told = Math.floor(rng.uniform() * open.length);
    const results = told === 0 ? [] : open.splice(told, 1).map((point) => ({ point, values: [rng.uniform()] }));
    const isForeign = step % 5 === 0;
    const foreign = { point: [rng.uniform()], values: rng.uniform() < 0.5 ? null : [-0] };
    await service.tell('acct', id, () => (isForeign ? [...results, foreign] : results), ids);
    for (const { point, values } of results) {
      points[point - 1] = { ...points[point - 1], values: Float64Array.from(values) };
    }
    const values = Float64Array.from(foreign.values ?? [NaN]);
    const solution = Float64Array.from(foreign.point);
    if (isForeign) points.push({ serial: points.length + 1, isAsked: false, solution, values });
  }
  const all = points.toReversed();
  // The service catches up with the results told last.
  await service.best('acct', id);
  for (let offset = 0; offset <= all.length; offset += 50) {
    read = 0;
    const page = await service.points('acct', id, { limit: 50, offset });
    expect(page).toEqual({ items: all.slice(offset, offset + 50), total: all.length });
    expect(read).toBeLessThan(150);
  }
  expect(await service.points('acct', id, { limit: 5, offset: 10_000 })).toEqual({ items: [], total: all.length });
  // Held no more, then from a snapshot and from the log alone: nothing else.
  const again = new StudyService({ store: memory, threads, clock: () => 0, logger });
  expect((await again.points('acct', id, { limit: 1, offset: all.length - 1 }))!.items).toEqual(all.slice(-1));
  await service.remove('acct', id);
  expect(await service.points('acct', id, { limit: 5, offset: 0 })).toBeNull();
});

it('loads many more studies at the same time than a thread holds', async () => {
  const store = openMemoryStore();
  const ids = countingIds();
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
