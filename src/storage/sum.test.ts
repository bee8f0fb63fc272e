import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SettingsStore } from './contract/settings.js';
import type { VerbsOf } from './contract/verbs.js';
import { openMemoryStore } from './memory/memory-store.js';
import { openSqliteStore } from './sqlite/sqlite-store.js';
import { openThreadedSqliteStore } from './sqlite/threaded-store.js';
import { VERBS, type Store } from './store.js';

const LIFE = ['bringBackTimes', 'capabilities', 'close', 'kind', 'ping', 'removeExpired'];
const verbs = Object.values(VERBS).flatMap((table) => Object.keys(table));

describe('tables of verbs', () => {
  it('name every verb once', () => {
    expect(new Set(verbs).size).toBe(verbs.length);
  });

  it('are complete, and have no other verbs: the compiler sees to it', () => {
    // @ts-expect-error -- saveAccountSettings lacks its mark.
    const short: VerbsOf<SettingsStore> = { accountSettings: 'reads' };
    // @ts-expect-error -- There is no such verb.
    const long: VerbsOf<SettingsStore> = { accountSettings: 'reads', saveAccountSettings: 'writes', other: 'reads' };
    expect([short, long]).toHaveLength(2);
  });
});

describe('a store as a sum', () => {
  let dataDir: string;
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'extremum-sum-'));
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it.each<[string, () => Store | Promise<Store>]>([
    ['memory', () => openMemoryStore()],
    ['sqlite', () => openSqliteStore({ dataDir, exclusive: false })],
    ['sqlite in a thread', () => openThreadedSqliteStore(dataDir)],
  ])('can do what the tables say, and nothing else (%s)', async (_name, open) => {
    const store = await open();
    expect(Object.keys(store).sort()).toEqual([...verbs, ...LIFE].sort());
    // Parts help each other with more than that: it is not to be had from outside.
    expect(Object.getPrototypeOf(store)).toBe(Object.prototype);
    await store.close();
  });
});
