import { describe, expect, it } from 'vitest';
import type { FederatedChange, FederatedUpdate, NumberedChange } from '../../model/federation.js';
import { activeAt, merge } from './merge.js';
import { digestOf } from './update.js';

const update = (runs: number, meanGain: number, epsilon = 100, cell = 5): FederatedUpdate => ({
  epsilon,
  statistics: [{ cell, runs, meanGain }],
});
const merged = (id: string, own: FederatedUpdate): FederatedChange => ({
  kind: 'merged',
  id,
  at: 1,
  sha256: digestOf(own),
  update: own,
});
const log = (...changes: FederatedChange[]): NumberedChange[] =>
  changes.map((change, k) => ({ serial: k + 1, version: 3 * (k + 1), change }));
const modelOf = (changes: readonly NumberedChange[], version = Infinity): ReturnType<typeof merge> =>
  merge(activeAt(changes, version).map((one) => one.update));

describe('merging', () => {
  it('averages gains, weighted by runs', () => {
    const [own] = merge([update(30, 0.3), update(10, -0.1)]);
    expect(own.meanGain).toBeCloseTo(0.2, 2);
    expect(own.weight).toBeGreaterThan(39);
    expect(own.weight).toBeLessThanOrEqual(40);
  });

  it('lets no update count for more than 50 runs, whatever it claims', () => {
    const [own] = merge([update(1_000_000_000, 0.5), update(50, -0.5)]);
    expect(own.meanGain).toBeLessThan(0.01);
    expect(own.weight).toBeLessThanOrEqual(100);
  });

  it('counts runs for less where there was more noise', () => {
    const weights = [100, 8, 1, 0.1].map((epsilon) => merge([update(20, 0.2, epsilon)])[0].weight);
    expect(weights).toEqual(weights.toSorted((a, b) => b - a));
    expect(weights[0]).toBeGreaterThan(19.9);
    expect(weights[2]).toBeGreaterThan(5);
    expect(weights[3]).toBeLessThan(0.5);
  });

  it('gives the same bits in every order', () => {
    const updates = Array.from({ length: 7 }, (_, k) =>
      merged(`fed_${k}`, update(7 + k, 0.1 * k - 0.29, 1 + k, k % 3)),
    );
    const forward = modelOf(log(...updates));
    expect(modelOf(log(...updates.toReversed()))).toEqual(forward);
    expect(modelOf(log(...updates.slice(3), ...updates.slice(0, 3)))).toEqual(forward);
  });

  it('gives the earlier model again, bit for bit, when an update is revoked', () => {
    const all = log(
      merged('fed_1', update(20, 0.1, 1)),
      merged('fed_2', update(33, 0.37, 2)),
      merged('fed_3', update(50, -0.5, 8)),
      { kind: 'revoked', id: 'fed_4', at: 2, updateId: 'fed_3' },
      { kind: 'revoked', id: 'fed_5', at: 2, updateId: 'fed_1' },
    );
    expect(modelOf(all, 12)).toEqual(modelOf(all, 6));
    expect(modelOf(all, 9)).not.toEqual(modelOf(all, 6));
    expect(modelOf(all)).toEqual(merge([update(33, 0.37, 2)]));
    // Versions between changes, which lessons have, see what was there before.
    expect(modelOf(all, 8)).toEqual(modelOf(all, 6));
    expect(modelOf(all, 2)).toEqual([]);
  });
});
