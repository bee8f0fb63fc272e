import { beforeEach, describe, expect, it } from 'vitest';
import { createIdSource } from '../common/ids.js';
import { silentLogger } from '../common/logger.js';
import { openMemoryStore } from '../storage/memory/memory-store.js';
import type { Store } from '../storage/store.js';
import { IdentityService, allows } from './identity-service.js';
import { checksum, generateKey, publicIdOf } from './key-format.js';

describe('key format', () => {
  it('makes keys of the documented form that differ', () => {
    const keys = Array.from({ length: 20 }, generateKey);
    for (const key of keys) expect(key).toMatch(/^sk_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
    expect(new Set(keys).size).toBe(20);
    expect(publicIdOf(keys[0] ?? '')).toBe(keys[0]?.slice(3, 15));
  });

  it('has the CRC-32 of everything before it as checksum, base62, padded', () => {
    // By Python: zlib.crc32(b'123456789') = 0xCBF43926, the algorithm's catalogued check value, in base62.
    expect(checksum('123456789')).toBe('3jZRME');
    expect(checksum('')).toBe('000000');
  });

  it('refuses a key with any character changed', () => {
    const key = generateKey();
    for (let i = 0; i < key.length; i++) {
      const other = key.slice(0, i) + (key[i] === 'x' ? 'y' : 'x') + key.slice(i + 1);
      expect(publicIdOf(other), other).toBeNull();
    }
    expect(publicIdOf(`${key}0`)).toBeNull();
    expect(publicIdOf('')).toBeNull();
  });
});

describe('identity', () => {
  const pepper = Buffer.alloc(32, 7);
  let store: Store;
  let now: number;
  let identity: IdentityService;

  beforeEach(() => {
    store = openMemoryStore();
    now = 1_000_000;
    const clock = () => now;
    identity = new IdentityService({ store, pepper, ids: createIdSource(clock), clock, logger: silentLogger });
  });

  it('knows the caller of a live key, and nobody else', async () => {
    const key = await identity.createKey('team', 'ci', ['read']);
    const caller = await identity.authenticate(key);
    expect(caller).toMatchObject({ account: { name: 'team' }, key: { name: 'ci', scopes: ['read'] } });
    expect(await identity.authenticate(generateKey())).toBeNull();
    expect(await identity.authenticate(`${key.slice(0, -1)}!`)).toBeNull();
  });

  it('never asks the store about a key with a wrong checksum', async () => {
    let asked = 0;
    const watched = new Proxy(store, {
      get(target, name) {
        if (name === 'findKey') asked++;
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
    const parts = { store: watched, pepper, ids: createIdSource(), clock: Date.now, logger: silentLogger };
    const service = new IdentityService(parts);
    const key = await service.createKey('team', 'ci', ['read']);
    await service.authenticate(key.slice(0, -6) + '000000');
    expect(asked).toBe(0);
    await service.authenticate(key);
    expect(asked).toBe(1);
  });

  it('stores neither the key nor its secret', async () => {
    const key = await identity.createKey('team', 'ci', ['read']);
    const stored = JSON.stringify(await store.findKey(publicIdOf(key) ?? ''));
    expect(stored).not.toContain(key.slice(16, 48));
  });

  it('does not know a key under another pepper', async () => {
    const key = await identity.createKey('team', 'ci', ['read']);
    const parts = { store, pepper: Buffer.alloc(32, 8), ids: createIdSource(), clock: Date.now, logger: silentLogger };
    expect(await new IdentityService(parts).authenticate(key)).toBeNull();
  });

  it('refuses revoked and expired keys', async () => {
    const key = await identity.createKey('team', 'ci', ['read']);
    const found = await store.findKey(publicIdOf(key) ?? '');
    const record = found?.key ?? expect.unreachable();
    for (const [publicId, dates, live] of [
      ['revoked00000', { revokedAt: 1 }, false],
      ['expired00000', { expiresAt: now }, false],
      ['later0000000', { expiresAt: now + 1 }, true],
    ] as const) {
      const body = `sk_${publicId}_${'s'.repeat(32)}`;
      const other = body + checksum(body);
      const { createHmac } = await import('node:crypto');
      const secretHash = createHmac('sha256', pepper).update(other).digest('hex');
      await store.saveKey({ ...record, id: `key_${publicId}`, publicId, secretHash, ...dates });
      expect((await identity.authenticate(other)) !== null, publicId).toBe(live);
    }
  });

  it('writes the last use at most once a minute', async () => {
    const key = await identity.createKey('team', 'ci', ['read']);
    const lastUse = async (): Promise<number | null | undefined> => {
      await identity.authenticate(key);
      await new Promise((resolve) => setImmediate(resolve));
      return (await store.findKey(publicIdOf(key) ?? ''))?.key.lastUsedAt;
    };
    expect(await lastUse()).toBe(1_000_000);
    now += 59_999;
    expect(await lastUse()).toBe(1_000_000);
    now += 1;
    expect(await lastUse()).toBe(1_060_000);
    // A clock that was ahead.
    now = 500;
    expect(await lastUse()).toBe(500);
  });

  it('makes a first key once, and shows only one of its own making', async () => {
    const shown = await identity.ensureFirstKey(null);
    expect(await identity.authenticate(shown ?? '')).toMatchObject({ key: { scopes: ['read', 'run', 'admin'] } });
    expect(await identity.ensureFirstKey(null)).toBeNull();
  });

  it('takes a bootstrap key as first key, and refuses one with a wrong checksum', async () => {
    const key = generateKey();
    await expect(identity.ensureFirstKey(`${key.slice(0, -1)}!`)).rejects.toThrow(/BOOTSTRAP_API_KEY is no API key/);
    expect(await identity.ensureFirstKey(key)).toBeNull();
    expect(await identity.authenticate(key)).not.toBeNull();
  });

  it('gives no key more than its maker has', async () => {
    const caller = (await identity.authenticate(await identity.createKey('team', 'k', ['read', 'run'])))!;
    const wish = { name: 'new', expiresAt: null };
    const refused = { code: 'forbidden', message: expect.stringContaining('`admin`') as string };
    await expect(identity.issueKey(caller, { ...wish, scopes: ['read', 'admin'] })).rejects.toMatchObject(refused);
    const { record } = await identity.issueKey(caller, { ...wish, scopes: ['run'] });
    expect(record).toMatchObject({ accountId: caller.account.id, scopes: ['run'] });
    const admin = await identity.authenticate(await identity.createKey('team', 'k', ['admin']));
    await expect(identity.rollKey(caller, admin!.key.id, 0)).rejects.toMatchObject(refused);
  });

  it('replaces the key of an earlier attempt, which nobody was shown', async () => {
    const caller = (await identity.authenticate(await identity.createKey('team', 'k', ['admin'])))!;
    const wish = { name: 'new', scopes: ['read'] as const, expiresAt: null };
    const attempt = (isRepeat: boolean): Promise<{ key: string }> => {
      let serial = 0;
      const next = (prefix: string): { id: string; createdAt: number } => ({
        id: `${prefix}_9${serial++}`,
        createdAt: 1,
      });
      return identity.issueKey(caller, wish, { next, isRepeat });
    };
    const [unseen, shown] = [await attempt(false), await attempt(true)];
    await expect(attempt(false)).rejects.toMatchObject({ code: 'conflict' });
    expect(await identity.authenticate(unseen.key)).toBeNull();
    expect(await identity.authenticate(shown.key)).not.toBeNull();
    const { items } = await identity.listKeys(caller.account.id, { limit: 9, offset: 0 });
    expect(items.filter(({ name }) => name === 'new')).toHaveLength(1);
  });

  it('lets admin keys do everything, others what their scopes say', async () => {
    const made = async (scopes: Parameters<typeof allows>[1][]): Promise<Parameters<typeof allows>[0]> => {
      const caller = await identity.authenticate(await identity.createKey('team', 'k', scopes));
      return caller?.key ?? expect.unreachable();
    };
    const admin = await made(['admin']);
    const run = await made(['run']);
    expect([allows(admin, 'read'), allows(admin, 'run'), allows(admin, 'admin')]).toEqual([true, true, true]);
    expect([allows(run, 'read'), allows(run, 'run'), allows(run, 'admin')]).toEqual([false, true, false]);
  });
});
