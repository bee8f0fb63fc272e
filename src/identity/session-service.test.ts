import { beforeEach, describe, expect, it } from 'vitest';
import { createIdSource } from '../common/ids.js';
import { silentLogger } from '../common/logger.js';
import { openMemoryStore } from '../storage/memory/memory-store.js';
import { IdentityService } from './identity-service.js';
import { generateKey } from './key-format.js';
import { SessionService } from './session-service.js';

const HOUR_MS = 3_600_000;

describe('sessions', () => {
  let now: number;
  let identity: IdentityService;
  let sessions: SessionService;
  let key: string;

  beforeEach(async () => {
    now = 1_000_000;
    const clock = () => now;
    const parts = { store: openMemoryStore(), pepper: Buffer.alloc(32, 7), ids: createIdSource(clock) };
    identity = new IdentityService({ ...parts, clock, logger: silentLogger });
    sessions = new SessionService(identity, clock);
    key = await identity.createKey('team', 'mine', ['read', 'admin']);
  });

  it('open with a key, and can do what the key can', async () => {
    const { token, csrfToken } = (await sessions.open(key))!;
    expect(await sessions.find(token)).toMatchObject({
      csrfToken,
      caller: { account: { name: 'team' }, key: { name: 'mine', scopes: ['read', 'admin'] } },
    });
    expect(csrfToken).not.toBe(token);
    expect(await sessions.open(generateKey())).toBeNull();
    expect(await sessions.find(csrfToken)).toBeNull();
  });

  it('end after twelve hours without use, and with use do not', async () => {
    const { token } = (await sessions.open(key))!;
    for (let i = 0; i < 3; i++) {
      now += 12 * HOUR_MS - 1;
      expect(await sessions.find(token)).not.toBeNull();
    }
    now += 12 * HOUR_MS;
    expect(await sessions.find(token)).toBeNull();
    now -= 12 * HOUR_MS;
    expect(await sessions.find(token)).toBeNull();
  });

  it('end with the revocation and with the expiry of their key', async () => {
    const { token, caller } = (await sessions.open(key))!;
    await identity.revokeKey(caller.account.id, caller.key.id);
    expect(await sessions.find(token)).toBeNull();
    const short = await identity.createKey('team', 'short', ['read'], now + 10);
    const other = (await sessions.open(short))!;
    expect(await sessions.find(other.token)).not.toBeNull();
    now += 10;
    expect(await sessions.find(other.token)).toBeNull();
  });

  it('end when they are closed, also for a request that is under way', async () => {
    const { token } = (await sessions.open(key))!;
    const underWay = sessions.find(token);
    sessions.close(token);
    expect(await underWay).toBeNull();
    expect(await sessions.find(token)).toBeNull();
  });

  it('open once with a ticket, within a quarter of an hour', async () => {
    const ticket = sessions.issueTicket(key);
    const [first, second] = await Promise.all([sessions.redeem(ticket), sessions.redeem(ticket)]);
    expect([first === null, second === null]).toEqual([false, true]);
    expect(await sessions.find(first!.token)).toMatchObject({ caller: { key: { name: 'mine' } } });
    const late = sessions.issueTicket(key);
    now += HOUR_MS / 4;
    expect(await sessions.redeem(late)).toBeNull();
    expect(await sessions.redeem('')).toBeNull();
  });

  it('make room: of one key at most fifty, the least used go', async () => {
    const first = (await sessions.open(key))!;
    const second = (await sessions.open(key))!;
    now += 1;
    await sessions.find(first.token);
    for (let i = 0; i < 49; i++) await sessions.open(key);
    expect(await sessions.find(second.token)).toBeNull();
    expect(await sessions.find(first.token)).not.toBeNull();
  });
});
