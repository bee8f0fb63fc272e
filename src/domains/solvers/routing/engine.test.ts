import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: a script without types.
import { digestOfSources } from '../../../../scripts/build-routing-wasm.mjs';
import { checkConfig } from '../../configs.js';
import { networkOf, type Config } from '../../supply-chain/vehicle-routing/config.js';
import { packed, type PackOptions } from '../../supply-chain/vehicle-routing/packed.js';
import { vehicleRouting } from '../../supply-chain/vehicle-routing/vehicle-routing.js';
import { nativeEngine, wasmEngine, type RoutingEngine } from './engine.js';

const never = new Int32Array(new SharedArrayBuffer(4));

/** Uniform in [0, 1), by a small linear generator. */
function chance(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

interface Features {
  readonly windows?: boolean;
  readonly fleet?: boolean;
  readonly prizes?: boolean;
  readonly shipments?: boolean;
}

function packedRandom(
  mode: PackOptions['mode'],
  { windows, fleet, prizes, shipments }: Features,
): [Int32Array, Float64Array] {
  const draw = chance(11);
  const customers = Array.from({ length: 40 }, () => {
    const from = 100 * draw();
    return {
      x: 100 * draw(),
      y: 100 * draw(),
      demand: 1 + Math.floor(9 * draw()),
      service: 3,
      time_window: windows === true ? [from, from + 150] : undefined,
      ...(prizes === true ? { required: false, prize: 60 * draw() } : {}),
    };
  });
  const second = { count: 3, capacity: 80, fixed_cost: 90, cost_per_time: 0.3, max_distance: 400, depot: 'south' };
  const { config } = checkConfig(vehicleRouting, {
    depots: [
      { id: 'north', x: 50, y: 80 },
      { id: 'south', x: 50, y: 20 },
    ],
    customers,
    vehicles: [{ count: 12, capacity: mode === 'tour' ? 1000 : 40 }, ...(fleet === true ? [second] : [])],
    shipments: shipments === true ? [{ pickup: '1', delivery: '2', demand: 4 }] : undefined,
  });
  return packed(networkOf(config as Config), { mode, seed: 5, patience: 20_000 });
}

const CASES: readonly (readonly [what: string, mode: PackOptions['mode'], features: Features])[] = [
  ['loads', 'genetic', {}],
  ['windows', 'genetic', { windows: true }],
  ['two types of vehicles', 'genetic', { fleet: true }],
  ['windows and two types of vehicles', 'genetic', { windows: true, fleet: true }],
  ['prizes', 'ruin', { windows: true, prizes: true }],
  ['shipments', 'ruin', { fleet: true, shipments: true }],
  ['a tour', 'tour', {}],
];

const searched = (engine: RoutingEngine, problem: [Int32Array, Float64Array], slices: readonly number[]): unknown => {
  const search = engine.open(...problem);
  for (const slice of slices) search.run(slice, never);
  return [search.bestCost(), search.offspring, search.sinceBest, [...search.best()]];
};

describe('the routing search', () => {
  it.skipIf(nativeEngine() === null).each(CASES)(
    'gives equal bits in C++ and in WebAssembly: %s',
    (_what, mode, features) => {
      const problem = packedRandom(mode, features);
      const expected = searched(nativeEngine()!, problem, [120]);
      expect(searched(wasmEngine, problem, [120])).toEqual(expected);
    },
  );

  it.each(CASES)('does not mind how its evaluations are cut: %s', (_what, mode, features) => {
    const problem = packedRandom(mode, features);
    expect(searched(wasmEngine, problem, [1, 20, 39])).toEqual(searched(wasmEngine, problem, [60]));
  });

  it('stops at once when told', () => {
    const stop = new Int32Array(new SharedArrayBuffer(4));
    stop[0] = 1;
    for (const engine of [nativeEngine() ?? wasmEngine, wasmEngine]) {
      expect(engine.open(...packedRandom('genetic', {})).run(1_000_000, stop)).toBe(0);
    }
  });

  it('stops within the first plan, whose insertions of shipments into one long route take minutes', () => {
    const draw = chance(3);
    const size = 601;
    const matrix = Array.from({ length: size }, () => Array.from({ length: size }, () => 1 + Math.floor(99 * draw())));
    const { config } = checkConfig(vehicleRouting, {
      depot: 0,
      customers: Array.from({ length: size - 1 }, () => ({})),
      shipments: Array.from({ length: (size - 1) / 2 }, (_, i) => ({
        pickup: String(2 * i + 1),
        delivery: String(2 * i + 2),
        demand: 1,
      })),
      vehicles: [{ capacity: 1_000 }],
      distance: { matrix },
    });
    const stop = new Int32Array(new SharedArrayBuffer(4));
    stop[0] = 1;
    for (const engine of [nativeEngine() ?? wasmEngine, wasmEngine]) {
      const search = engine.open(...packed(networkOf(config as Config), { mode: 'ruin', seed: 5, patience: 20_000 }));
      expect(search.run(20, stop)).toBe(0);
    }
  }, 20_000);

  it('refuses numbers that describe no problem', () => {
    const [integers, reals] = packedRandom('genetic', {});
    for (const engine of [nativeEngine() ?? wasmEngine, wasmEngine]) {
      expect(() => engine.open(integers, reals.subarray(1))).toThrow('refuses');
      expect(() => engine.open(integers.subarray(1), reals)).toThrow('refuses');
      expect(() =>
        engine.open(
          integers,
          reals.map(() => NaN),
        ),
      ).toThrow('refuses');
    }
  });

  it('has a WebAssembly module of the sources as they are', () => {
    const file = path.resolve(import.meta.dirname, '../../../../native/routing/routing.wasm.sources');
    expect(readFileSync(file, 'utf8').trim()).toBe(digestOfSources());
  });
});
