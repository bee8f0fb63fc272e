import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { referenceCases, referenceText, solved, solveConfig } from '../../../../test/support/problems.js';
import { Rng } from '../../../common/rng.js';
import { checkConfig } from '../../configs.js';
import { advanceInJs, nativeAdvance, openTabuSearch } from '../../solvers/assignment/tabu-search.js';
import { branchAndBound, costOf, gilmoreLawlerBound } from '../../solvers/assignment/quadratic-assignment.js';
import { linearAssignment } from '../../solvers/assignment/linear-assignment.js';
import { warehouse } from './warehouse.js';

const cases = referenceCases('supply_chain', 'warehouse');
type Place = { readonly aisle: number; readonly position: number };
type Json = Record<string, unknown>;

const FORMATS = { facility_location: 'orlib_cap', layout: 'qaplib' } as Record<string, string>;
const implemented = new Set(warehouse.models.map(({ name }) => name));

function permutations(n: number): number[][] {
  if (n === 0) return [[]];
  return permutations(n - 1).flatMap((rest) =>
    Array.from({ length: n }, (_, at) => [...rest.slice(0, at), n - 1, ...rest.slice(at)]),
  );
}

/** All partitions of 0 .. n - 1. */
function partitions(n: number): number[][][] {
  if (n === 0) return [[]];
  return partitions(n - 1).flatMap((rest) => [
    [...rest, [n - 1]],
    ...rest.map((_, at) => rest.map((part, i) => (i === at ? [...part, n - 1] : part))),
  ]);
}

const squares = (rng: Rng, n: number, most: number, isSymmetric: boolean): number[][] => {
  const rows = Array.from({ length: n }, () => Array.from({ length: n }, () => rng.below(most)));
  return rows.map((row, i) => row.map((value, j) => (isSymmetric && j < i ? rows[j][i] : value)));
};

/** Entries by their group, from 1. */
const grouped = <T>(entries: readonly T[], groups: readonly number[]): T[][] =>
  Array.from({ length: Math.max(...groups) }, (_, g) => entries.filter((_entry, i) => groups[i] === g + 1));

/** Shortest way between two places of parallel aisles, by trying each cross aisle. */
function way(config: Json, a: Place, b: Place): number {
  const [length, spacing, cross] = [config.aisle_length, config.aisle_spacing, config.cross_aisles ?? 2] as number[];
  if (a.aisle === b.aisle) return Math.abs(a.position - b.position);
  const levels = Array.from({ length: cross }, (_, i) => (length * i) / (cross - 1));
  const turns = levels.map((level) => Math.abs(a.position - level) + Math.abs(b.position - level));
  return Math.min(...turns) + Math.abs(a.aisle - b.aisle) * spacing;
}

/** Length of the shortest tour by a dynamic programme over subsets (Held and Karp 1962). */
function heldKarp(config: Json, picks: readonly Place[]): number {
  const depot = config.depot as Place;
  const n = picks.length;
  const least = Array.from({ length: 1 << n }, () => new Array<number>(n).fill(Infinity));
  for (let i = 0; i < n; i++) least[1 << i][i] = way(config, depot, picks[i]);
  for (let set = 1; set < 1 << n; set++) {
    for (let i = 0; i < n; i++) {
      if (least[set][i] === Infinity) continue;
      for (let j = 0; j < n; j++) {
        if ((set >> j) & 1) continue;
        const next = set | (1 << j);
        least[next][j] = Math.min(least[next][j], least[set][i] + way(config, picks[i], picks[j]));
      }
    }
  }
  return Math.min(...picks.map((pick, i) => least[(1 << n) - 1][i] + way(config, pick, depot)));
}

/** An S-shape walk from the front of aisle 1, as its rule says. */
function sShape(config: Json, picks: readonly Place[]): number {
  const [length, spacing] = [config.aisle_length, config.aisle_spacing] as number[];
  const aisles = [...new Set(picks.map(({ aisle }) => aisle))].sort((a, b) => a - b);
  const last = aisles.at(-1)!;
  const farthest = Math.max(...picks.filter(({ aisle }) => aisle === last).map(({ position }) => position));
  const through = aisles.length % 2 === 0 ? aisles.length * length : (aisles.length - 1) * length + 2 * farthest;
  return through + 2 * (last - 1) * spacing;
}

const randomGeometry = (rng: Rng, cross: number): Json => ({
  aisles: 1 + rng.below(5),
  aisle_length: [12, 20, 7.5][rng.below(3)],
  aisle_spacing: [5, 2.5, 30][rng.below(3)],
  cross_aisles: cross,
});

function randomPlace(rng: Rng, { aisles, aisle_length }: Json): Place {
  // Ends and middles of aisles often: that is where crossings are.
  const share = [0, 1, 0.5, rng.uniform(), rng.uniform(), rng.below(10) / 10][rng.below(6)];
  return { aisle: 1 + rng.below(aisles as number), position: share * (aisle_length as number) };
}

describe('reference cases', () => {
  const known = (cases ?? []).filter(({ config }) => implemented.has(config.model as string));

  it.skipIf(cases === null).each(known.map((one) => [one.id, one] as const))(
    '%s',
    { timeout: 60_000 },
    async (_, one) => {
      const { config, instance, expected } = one;
      const text = instance === undefined ? '' : referenceText('supply_chain', instance);
      const sent: Json =
        instance === undefined ? config : { ...config, instance: { format: FORMATS[config.model as string], text } };
      const { answer, bestFitness, bestSolution } = await solved(warehouse, sent);
      const result = answer.result as Json;
      for (const [name, value] of Object.entries(expected)) {
        expect([
          name,
          Math.abs((result[name] as number) - (value as number)) <=
            1e-2 * Number(name === 'total_cost' && config.model === 'facility_location') + 1e-9 * (value as number),
        ]).toEqual([name, true]);
      }
      const values = text.split(/\s+/).filter(Boolean).map(Number);
      if (config.model === 'layout') {
        const n = values[0];
        const at = (row: number, column: number, which: number): number => values[2 + which * n * n + row * n + column];
        let sum = 0;
        for (let i = 0; i < n; i++)
          for (let j = 0; j < n; j++) sum += at(i, j, 0) * at(bestSolution[i] - 1, bestSolution[j] - 1, 1);
        expect(sum).toBe(expected.total_cost);
        expect(new Set(bestSolution).size).toBe(n);
      } else if (config.model === 'storage_assignment') {
        const items = config.items as { readonly picks_per_day: number; readonly slots: number }[];
        const slots = config.slots as { readonly distance: number }[];
        const sum = items.reduce((all, item, i) => {
          const own = slots.filter((_slot, k) => bestSolution[k] === i + 1);
          expect(own).toHaveLength(item.slots);
          return all + (item.picks_per_day * own.reduce((a, { distance }) => a + distance, 0)) / own.length;
        }, 0);
        expect(sum).toBeCloseTo(expected.travel_per_day as number, 6);
      } else if (config.model === 'picker_routing') {
        const picks = config.picks as Place[];
        const stops = [
          config.depot as Place,
          ...bestSolution.map((number) => picks[number - 1]),
          config.depot as Place,
        ];
        // The order of the picks alone gives a tour of this length.
        const length = stops.reduce((sum, stop, i) => sum + (i === 0 ? 0 : way(config, stops[i - 1], stop)), 0);
        expect(length).toBeCloseTo(expected.distance as number, 9);
        expect([...bestSolution].sort((a, b) => a - b)).toEqual(picks.map((_pick, i) => i + 1));
      } else if (config.model === 'order_batching') {
        const orders = config.orders as { readonly items: Place[] }[];
        const batches = grouped(orders, bestSolution);
        let sum = 0;
        for (const batch of batches) {
          const picks = batch.flatMap(({ items }) => items);
          expect(picks.length).toBeLessThanOrEqual(config.max_items_per_batch as number);
          sum += sShape(config, picks);
        }
        expect(sum).toBe(expected.distance);
      }
      expect(bestFitness).toBeCloseTo(Object.values(expected)[0] as number, 2);
    },
  );
});

describe('linear assignment', () => {
  it('finds the cheapest of all assignments, with potentials that prove it', () => {
    const rng = Rng.create(3);
    for (let round = 0; round < 40; round++) {
      const rows = 1 + rng.below(5);
      const columns = rows + rng.below(3);
      const cost = Float64Array.from({ length: rows * columns }, () => rng.below(20) - 5);
      const best = Math.min(
        ...permutations(columns).map((order) =>
          order.slice(0, rows).reduce((sum, c, r) => sum + cost[r * columns + c], 0),
        ),
      );
      const { columnOf, cost: found, bound } = linearAssignment(cost, rows, columns);
      expect(found).toBe(best);
      expect(bound).toBeCloseTo(best, 9);
      expect(new Set(columnOf).size).toBe(rows);
    }
  });
});

describe('quadratic assignment', () => {
  const problem = (rng: Rng, n: number) => ({
    n,
    flow: Float64Array.from(squares(rng, n, 9, rng.below(2) === 0).flat()),
    distance: Float64Array.from(squares(rng, n, 9, rng.below(2) === 0).flat()),
    linear: Float64Array.from({ length: n * n }, () => rng.below(2) * rng.below(30)),
  });

  it('has a bound that no assignment is below, and branch and bound finds the cheapest', () => {
    const rng = Rng.create(11);
    for (let round = 0; round < 30; round++) {
      const n = 1 + rng.below(6);
      const one = problem(rng, n);
      const best = Math.min(...permutations(n).map((places) => costOf(one, places)));
      expect(gilmoreLawlerBound(one)).toBeLessThanOrEqual(best);
      const found = branchAndBound(
        one,
        Int32Array.from({ length: n }, (_, i) => i),
        Infinity,
        () => false,
      );
      expect([found.cost, costOf(one, found.places), found.isProven]).toEqual([best, best, true]);
    }
  });

  it('carries along in tabu search what exchanges really cost', () => {
    const rng = Rng.create(5);
    const one = problem(rng, 9);
    const state = openTabuSearch(one, rng);
    const stop = new Int32Array(new SharedArrayBuffer(4));
    for (let move = 0; move < 50; move++) {
      advanceInJs(state, 1, stop);
      expect(state.numbers[0]).toBe(costOf(one, state.places));
      for (let i = 0; i < 9; i++) {
        for (let j = i + 1; j < 9; j++) {
          const other = Int32Array.from(state.places);
          [other[i], other[j]] = [other[j], other[i]];
          expect(state.delta[i * 9 + j]).toBe(costOf(one, other) - costOf(one, state.places));
        }
      }
    }
    expect(state.numbers[1]).toBe(costOf(one, state.best));
  });

  it.skipIf(nativeAdvance() === null)('gives the same bits in C++ and in TypeScript', () => {
    const rng = Rng.create(8);
    for (const n of [2, 3, 7, 16, 31]) {
      const one = problem(rng, n);
      // Numbers that are not whole, so that an order of sums shows.
      for (const matrix of [one.flow, one.distance])
        for (let at = 0; at < matrix.length; at++) matrix[at] += rng.uniform();
      const [first, second] = [openTabuSearch(one, Rng.create(n)), openTabuSearch(one, Rng.create(n))];
      const stop = new Int32Array(new SharedArrayBuffer(4));
      for (const moves of [1, 10, 1_000, 500]) {
        advanceInJs(first, moves, stop);
        nativeAdvance()!(second, moves, stop);
        expect(second).toEqual(first);
      }
    }
  });

  it('makes no move once it is stopped', () => {
    const state = openTabuSearch(problem(Rng.create(2), 8), Rng.create(2));
    const stop = new Int32Array(new SharedArrayBuffer(4)).fill(1);
    advanceInJs(state, 100, stop);
    nativeAdvance()?.(state, 100, stop);
    expect(state.numbers[2]).toBe(0);
  });
});

describe('layout', () => {
  it('is proven for every layout of up to seven facilities', async () => {
    const rng = Rng.create(21);
    for (let round = 0; round < 20; round++) {
      const n = 1 + rng.below(7);
      const [flow, distance] = [squares(rng, n, 12, false), squares(rng, n, 12, true)];
      const best = Math.min(
        ...permutations(n).map((places) =>
          places.reduce((sum, k, i) => sum + places.reduce((all, l, j) => all + flow[i][j] * distance[k][l], 0), 0),
        ),
      );
      const { bestFitness, answer } = await solved(warehouse, { model: 'layout', flow, distance });
      expect([bestFitness, answer.optimality.status]).toEqual([best, 'optimal']);
    }
  });

  it('compares with the layout of today', async () => {
    const config = {
      model: 'layout',
      flow: [
        [0, 5, 0],
        [5, 0, 1],
        [0, 1, 0],
      ],
      distance: [
        [0, 1, 9],
        [1, 0, 8],
        [9, 8, 0],
      ],
      current: [1, 3, 2],
    };
    const { answer } = await solved(warehouse, config);
    expect(answer.result).toMatchObject({
      total_cost: 26,
      travel_saved: 80,
      compared_with: { layout: 'current', total_cost: 106 },
    });
  });

  it.each([
    [{ flow: [[0, 1]], distance: [[0]] }, 'config.flow'],
    [
      {
        flow: [[0]],
        distance: [
          [0, 1],
          [1, 0],
        ],
      },
      'config.distance',
    ],
    [
      {
        flow: [
          [0, -1],
          [1, 0],
        ],
        distance: [
          [0, 1],
          [1, 0],
        ],
      },
      'config.flow[0][1]',
    ],
    [{ flow: [[0]] }, 'config.distance'],
    [{ instance: { format: 'qaplib', text: '3 1 2' } }, 'config.instance.text'],
    [{ instance: { format: 'qaplib', text: '2 x' } }, 'config.instance.text'],
    [{ flow: [[0]], instance: { format: 'qaplib', text: '1 0 0' } }, 'config.flow'],
    [
      {
        flow: [
          [0, 1],
          [1, 0],
        ],
        distance: [
          [0, 1],
          [1, 0],
        ],
        current: [1, 1],
      },
      'config.current',
    ],
  ])('refuses %j at %s', (config, path) => {
    expect(() => checkConfig(warehouse, { model: 'layout', ...config })).toThrow(`\`${path}\``);
  });
});

describe('storage assignment', () => {
  const random = (rng: Rng) => {
    const items = Array.from({ length: 1 + rng.below(3) }, () => ({
      picks_per_day: rng.below(40),
      slots: 1 + rng.below(2),
    }));
    const slots = Array.from({ length: items.reduce((sum, item) => sum + item.slots, 0) + rng.below(2) }, () => ({
      distance: rng.below(30),
    }));
    return { items, slots };
  };
  const units = (items: readonly { readonly slots: number }[], n: number): number[] => {
    const all = items.flatMap((item, i) => new Array<number>(item.slots).fill(i));
    return [...all, ...new Array<number>(n - all.length).fill(-1)];
  };

  it('has the least travel of all assignments, with affinity too', { timeout: 60_000 }, async () => {
    const rng = Rng.create(31);
    for (let round = 0; round < 24; round++) {
      const { items, slots } = random(rng);
      const affinity = round % 2 === 0 ? undefined : squares(rng, items.length, 40, true);
      const unit = units(items, slots.length);
      const value = (order: readonly number[]): number => {
        let sum = 0;
        for (const [u, k] of order.entries()) {
          const [a, d] = [unit[u], slots[k].distance];
          if (a < 0) continue;
          sum += (items[a].picks_per_day / items[a].slots) * d;
          for (const [v, l] of order.entries()) {
            const b = unit[v];
            if (v <= u || b < 0 || b === a) continue;
            sum += ((affinity?.[a]?.[b] ?? 0) * Math.abs(d - slots[l].distance)) / items[a].slots / items[b].slots;
          }
        }
        return sum;
      };
      const best = Math.min(...permutations(slots.length).map(value));
      const { bestFitness, answer } = await solved(warehouse, {
        model: 'storage_assignment',
        items,
        slots,
        affinity,
      });
      expect(bestFitness).toBeCloseTo(best, 9);
      expect(answer.optimality.status).toBe('optimal');
    }
  });

  it('says how long trips are: to one slot and back, or to two', async () => {
    const config = { items: [{ picks_per_day: 3 }, { picks_per_day: 1 }], slots: [{ distance: 10 }, { distance: 20 }] };
    const cycle = async (command: string): Promise<unknown> =>
      (await solved(warehouse, { ...config, command })).answer.result.cycle_distance;
    expect(await cycle('single')).toBeCloseTo(2 * (0.75 * 10 + 0.25 * 20), 12);
    expect(await cycle('dual')).toBeCloseTo(2 * (0.75 ** 2 * 10 + (1 - 0.75 ** 2) * 20), 12);
  });

  it('takes places of slots for the ways between them', async () => {
    const items = [{ picks_per_day: 1 }, { picks_per_day: 1 }];
    const slots = [
      { distance: 5, x: 0, y: 5 },
      { distance: 5, x: 50, y: 0 },
      { distance: 6, x: 1, y: 5 },
    ];
    const { bestSolution } = await solved(warehouse, {
      items,
      slots,
      affinity: [
        [0, 9],
        [9, 0],
      ],
    });
    expect(bestSolution[1]).toBe(0);
  });

  it('has no answer where the items fill more slots than there are', async () => {
    const outcome = await solveConfig(warehouse, {
      items: [{ picks_per_day: 1, slots: 3 }],
      slots: [{ distance: 1 }, { distance: 2 }],
    });
    expect(outcome).toMatchObject({
      error: { code: 'infeasible', message: 'The items fill 3 slots, and there are 2.' },
    });
  });

  it.each([
    [{ items: [{ picks_per_day: -1 }], slots: [{ distance: 1 }] }, 'config.items[0].picks_per_day'],
    [{ items: [{ picks_per_day: 1, slots: 0 }], slots: [{ distance: 1 }] }, 'config.items[0].slots'],
    [
      {
        items: [{ picks_per_day: 1 }],
        slots: [
          { distance: 1, id: 'a' },
          { distance: 1, id: 'a' },
        ],
      },
      'config.slots[1].id',
    ],
    [{ items: [{ picks_per_day: 1 }], slots: [{ distance: 1 }], command: 'triple' }, 'config.command'],
    [
      {
        items: [{ picks_per_day: 1 }, { picks_per_day: 1 }],
        slots: [{ distance: 1 }],
        affinity: [
          [0, 1],
          [2, 0],
        ],
      },
      'config.affinity[0][1]',
    ],
    [{ items: [{ picks_per_day: 1 }], slots: [{ distance: 1 }], affinity: [[0, 1]] }, 'config.affinity'],
    [{ items: [{ picks_per_day: 1 }], slots: [{ distance: 1 }], current: [0] }, 'config.current'],
    [{ items: [{ picks_per_day: 1 }], slots: [{ distance: 1 }], current: [2] }, 'config.current[0]'],
  ])('refuses %j at %s', (config, path) => {
    expect(() => checkConfig(warehouse, config)).toThrow(`\`${path}\``);
  });
});

describe('picker routing', () => {
  it('is as short as the best order of the picks, with any number of cross aisles', async () => {
    const rng = Rng.create(41);
    for (let round = 0; round < 120; round++) {
      const geometry = randomGeometry(rng, 2 + (round % 4));
      const config = {
        model: 'picker_routing',
        ...geometry,
        depot: randomPlace(rng, geometry),
        picks: Array.from({ length: 1 + rng.below(7) }, () => randomPlace(rng, geometry)),
      };
      const { bestFitness, bestSolution, answer } = await solved(warehouse, config);
      expect(bestFitness).toBeCloseTo(heldKarp(config, config.picks), 9);
      expect(answer.optimality).toMatchObject({ status: 'optimal', proof: 'dynamic_programming' });
      const stops = [config.depot, ...bestSolution.map((number) => config.picks[number - 1]), config.depot];
      const length = stops.reduce((sum, stop, i) => sum + (i === 0 ? 0 : way(config, stops[i - 1], stop)), 0);
      expect(length).toBeCloseTo(bestFitness, 9);
      const distances = answer.result.policy_distances as Record<string, number>;
      for (const value of Object.values(distances)) expect(value).toBeGreaterThanOrEqual(bestFitness - 1e-9);
    }
  });

  const config = {
    model: 'picker_routing',
    aisles: 5,
    aisle_length: 20,
    aisle_spacing: 5,
    picks: [
      { aisle: 2, position: 4 },
      { aisle: 3, position: 2 },
      { aisle: 3, position: 17 },
      { aisle: 5, position: 6 },
    ],
  };

  it('follows rules of thumb, with the shortest tour as their bound', async () => {
    const walked = async (policy: string): Promise<number> =>
      (await solved(warehouse, { ...config, policy })).bestFitness;
    // Two aisles walked through, the last one of three to its pick and back.
    expect(await walked('s_shape')).toBe(40 + 2 * 20 + 2 * 6);
    expect(await walked('return')).toBe(40 + 2 * (4 + 17 + 6));
    // The first and the last walked through, the middle one from both ends.
    expect(await walked('largest_gap')).toBe(40 + 2 * 20 + 2 * 3 + 2 * 2);
    const { answer } = await solved(warehouse, { ...config, policy: 's_shape' });
    expect(answer.optimality).toMatchObject({
      status: 'heuristic',
      bound: heldKarp({ ...config, depot: { aisle: 1, position: 0 } }, config.picks),
    });
  });

  it('begins rules of thumb at the end that is nearer to the depot, front or back', async () => {
    const mirrored = {
      ...config,
      depot: { aisle: 5, position: 20 },
      picks: config.picks.map(({ aisle, position }) => ({ aisle: 6 - aisle, position: 20 - position })),
      policy: 's_shape',
    };
    expect((await solved(warehouse, mirrored)).bestFitness).toBe(92);
  });

  it.each([
    [{ picks: [{ aisle: 6, position: 1 }] }, 'config.picks[0].aisle'],
    [{ picks: [{ aisle: 1, position: 21 }] }, 'config.picks[0].position'],
    [{ picks: [{ aisle: 1, position: -1 }] }, 'config.picks[0].position'],
    [{ depot: { aisle: 9, position: 0 } }, 'config.depot.aisle'],
    [{ cross_aisles: 1 }, 'config.cross_aisles'],
    [{ picks: [] }, 'config.picks'],
    [{ policy: 'best' }, 'config.policy'],
  ])('refuses %j at %s', (change, path) => {
    expect(() => checkConfig(warehouse, { ...config, ...change })).toThrow(`\`${path}\``);
  });
});

describe('order batching', () => {
  const random = (rng: Rng, orders: number) => {
    const geometry: Json = { ...randomGeometry(rng, 2), depot: { aisle: 1, position: 0 } };
    return {
      model: 'order_batching',
      ...geometry,
      max_items_per_batch: 4,
      orders: Array.from({ length: orders }, () => ({
        items: Array.from({ length: 1 + rng.below(3) }, () => randomPlace(rng, geometry)),
      })),
    };
  };

  it('is the best of all partitions', async () => {
    const rng = Rng.create(51);
    for (let round = 0; round < 20; round++) {
      const config = { ...random(rng, 1 + rng.below(6)), routing: round % 4 === 0 ? 'optimal' : 's_shape' };
      const walk = (picks: readonly Place[]): number =>
        config.routing === 'optimal' ? heldKarp(config, picks) : sShape(config, picks);
      const costs = partitions(config.orders.length).map((partition) =>
        partition.reduce((sum, batch) => {
          const picks = batch.flatMap((order) => config.orders[order].items);
          return picks.length > config.max_items_per_batch ? Infinity : sum + walk(picks);
        }, 0),
      );
      const { bestFitness, answer } = await solved(warehouse, config);
      expect(bestFitness).toBeCloseTo(Math.min(...costs), 9);
      expect(answer.optimality.status).toBe('optimal');
    }
  });

  it('keeps to the room of a batch with many orders, and to its bound', { timeout: 60_000 }, async () => {
    const config = random(Rng.create(6), 40);
    const { bestFitness, bestSolution, answer, evaluations } = await solved(warehouse, config, { maxEvaluations: 10 });
    expect(evaluations).toBeLessThanOrEqual(10);
    const batches = grouped(config.orders, bestSolution);
    let sum = 0;
    for (const batch of batches) {
      const picks = batch.flatMap(({ items }) => items);
      expect(picks.length).toBeLessThanOrEqual(4);
      sum += sShape(config, picks);
    }
    expect(sum).toBeCloseTo(bestFitness, 9);
    expect(answer.optimality.bound).toBeLessThanOrEqual(bestFitness);
    expect(answer.result.travel_saved).toBeGreaterThan(0);
  });

  it.each([
    [
      {
        orders: [
          {
            items: [
              { aisle: 1, position: 1 },
              { aisle: 1, position: 2 },
            ],
          },
        ],
      },
      'config.orders[0].items',
    ],
    [{ orders: [{ items: [{ aisle: 3, position: 1 }] }] }, 'config.orders[0].items[0].aisle'],
    [{ orders: [] }, 'config.orders'],
    [{ max_items_per_batch: 0 }, 'config.max_items_per_batch'],
    [{ routing: 'tsp' }, 'config.routing'],
  ])('refuses %j at %s', (change, path) => {
    const config = {
      model: 'order_batching',
      aisles: 2,
      aisle_length: 9,
      aisle_spacing: 3,
      max_items_per_batch: 1,
      orders: [{ items: [{ aisle: 1, position: 1 }] }],
    };
    expect(() => checkConfig(warehouse, { ...config, ...change })).toThrow(`\`${path}\``);
  });
});

describe('300 orders in 100 aisles', () => {
  const rng = Rng.create(7);
  const place = () => ({ aisle: 1 + rng.below(100), position: rng.below(100) });
  const config = (routing: string) => ({
    ...{ model: 'order_batching', aisles: 100, aisle_length: 100, aisle_spacing: 3, cross_aisles: 3, routing },
    max_items_per_batch: 200,
    orders: Array.from({ length: 300 }, () => ({ items: Array.from({ length: 30 }, place) })),
  });

  it('end with the batches merged so far, all of them valid, once the run is over', async () => {
    let looks = 0;
    // While pairs of orders are compared.
    const outcome = await solveConfig(warehouse, config('largest_gap'), { isOver: () => ++looks > 5_000 });
    expect(outcome).toMatchObject({ answer: { optimality: { status: 'heuristic', bound: null } } });
    expect(looks).toBeLessThan(5_100);
  });

  it('end without an answer where there is none yet', async () => {
    let looks = 0;
    const isOver = (): boolean => ++looks > 50;
    await expect(solveConfig(warehouse, config('optimal'), { isOver })).rejects.toThrow('the run is over');
    expect(looks).toBe(51);
  });
});

describe('facility location', () => {
  const random = (rng: Rng) => {
    const m = 1 + rng.below(4);
    const n = 1 + rng.below(4);
    return {
      model: 'facility_location',
      facilities: Array.from({ length: m }, () => ({ fixed_cost: rng.below(50), capacity: 3 + rng.below(8) })),
      customers: Array.from({ length: n }, () => ({ demand: 1 + rng.below(4) })),
      assignment_costs: Array.from({ length: n }, () => Array.from({ length: m }, () => rng.below(60))),
    };
  };
  type Sent = ReturnType<typeof random>;

  /** Every way of serving each customer from one site. */
  function bySource({ facilities, customers, assignment_costs }: Sent, isCapacitated: boolean, most: number): number {
    let best = Infinity;
    const visit = (j: number, sources: readonly number[]): void => {
      if (j < customers.length) return facilities.forEach((_facility, i) => visit(j + 1, [...sources, i]));
      const open = new Set(sources);
      const load = (i: number): number =>
        customers.reduce((sum, { demand }, k) => sum + (sources[k] === i ? demand : 0), 0);
      if (open.size > most || (isCapacitated && [...open].some((i) => load(i) > facilities[i].capacity))) return;
      const fixed = [...open].reduce((sum, i) => sum + facilities[i].fixed_cost, 0);
      best = Math.min(
        best,
        sources.reduce((sum, i, k) => sum + assignment_costs[k][i], fixed),
      );
    };
    visit(0, []);
    return best;
  }

  /** Every set of open sites, each served by an assignment of units of demand to units of capacity. */
  function bySets({ facilities, customers, assignment_costs }: Sent): number {
    let best = Infinity;
    const units = customers.flatMap(({ demand }, j) => new Array<number>(demand).fill(j));
    for (let set = 1; set < 1 << facilities.length; set++) {
      const open = facilities.flatMap((_facility, i) => ((set >> i) & 1 ? [i] : []));
      const room = open.flatMap((i) => new Array<number>(facilities[i].capacity).fill(i));
      if (room.length < units.length) continue;
      const cost = Float64Array.from(
        units.flatMap((j) => room.map((i) => assignment_costs[j][i] / customers[j].demand)),
      );
      const fixed = open.reduce((sum, i) => sum + facilities[i].fixed_cost, 0);
      best = Math.min(best, fixed + linearAssignment(cost, units.length, room.length).cost);
    }
    return best;
  }

  it('costs as little as the best of all choices', { timeout: 60_000 }, async () => {
    const rng = Rng.create(61);
    let solvedOnes = 0;
    for (let round = 0; round < 36; round++) {
      const config = random(rng);
      const max = round % 3 === 0 ? 1 + rng.below(3) : undefined;
      const kind = ['free', 'single', 'split'][round % 3];
      const sent = {
        ...config,
        capacitated: kind !== 'free',
        single_source: kind === 'single',
        max_facilities: max,
      };
      const best = kind === 'split' ? bySets(config) : bySource(config, kind === 'single', max ?? Infinity);
      const outcome = await solveConfig(warehouse, sent).catch((error: unknown) => ({
        refused: (error as Error).message,
      }));
      if (best === Infinity) {
        expect('error' in outcome ? outcome.error.code : 'refused' in outcome).toSatisfy(
          (told) => told === 'infeasible' || told === true,
        );
        continue;
      }
      if (!('bestFitness' in outcome)) throw new Error(JSON.stringify(outcome));
      solvedOnes++;
      expect(outcome.bestFitness).toBeCloseTo(best, 6);
      expect(outcome.answer.optimality.status).toBe('optimal');
    }
    expect(solvedOnes).toBeGreaterThan(20);
  });

  const config = {
    model: 'facility_location',
    facilities: [
      { fixed_cost: 5, capacity: 3 },
      { fixed_cost: 5, capacity: 4 },
    ],
    customers: [{ demand: 3 }, { demand: 3 }],
    assignment_costs: [
      [1, 2],
      [3, 4],
    ],
  };

  it('says why there is no answer', async () => {
    const tooSmall = await solveConfig(warehouse, {
      ...config,
      customers: [{ demand: 4 }, { demand: 4 }],
      capacitated: true,
    });
    expect(tooSmall).toMatchObject({
      error: { code: 'infeasible', message: 'All facilities together can serve 7, and the customers need 8.' },
    });
    const one = await solveConfig(warehouse, { ...config, max_facilities: 1, capacitated: true });
    expect(one).toMatchObject({
      error: { code: 'infeasible', message: 'The largest facility alone can serve 4, and the customers need 6.' },
    });
    const apart = await solveConfig(warehouse, {
      ...config,
      facilities: [
        { fixed_cost: 1, capacity: 4 },
        { fixed_cost: 1, capacity: 2 },
      ],
      capacitated: true,
      single_source: true,
    });
    expect(apart).toMatchObject({ error: { code: 'infeasible' } });
  });

  it.each([
    [{ assignment_costs: [[1, 2]] }, 'config.assignment_costs'],
    [
      {
        assignment_costs: [
          [1, -2],
          [1, 1],
        ],
      },
      'config.assignment_costs[0][1]',
    ],
    [{ facilities: undefined }, 'config.facilities'],
    [{ instance: { format: 'orlib_cap', text: '1 1 5 5 1 1' } }, 'config.facilities'],
    [{ max_facilities: 0 }, 'config.max_facilities'],
    [
      { customers: [{ demand: 9 }, { demand: 1 }], capacitated: true, single_source: true },
      'config.customers[0].demand',
    ],
  ])('refuses %j at %s', (change, path) => {
    expect(() => checkConfig(warehouse, { ...config, ...change })).toThrow(`\`${path}\``);
  });

  it('refuses a file that is cut short', () => {
    const text = '2 1 0 5 0 5 1 7';
    expect(() =>
      checkConfig(warehouse, { model: 'facility_location', instance: { format: 'orlib_cap', text } }),
    ).toThrow(/`config.instance.text` must hold 9 numbers/);
  });
});

describe('bin packing', () => {
  it('needs as few bins as the best of all partitions', async () => {
    const rng = Rng.create(71);
    for (let round = 0; round < 60; round++) {
      const capacity = round % 2 === 0 ? 20 : 1;
      const sizes = Array.from({ length: 1 + rng.below(8) }, () =>
        capacity === 1 ? (1 + rng.below(10)) / 10 : 1 + rng.below(20),
      );
      const isFit = (part: readonly number[]): boolean =>
        part.reduce((sum, i) => sum + sizes[i], 0) <= capacity * (1 + 1e-9);
      const best = Math.min(
        ...partitions(sizes.length)
          .filter((parts) => parts.every(isFit))
          .map(({ length }) => length),
      );
      const { bestFitness, answer } = await solved(warehouse, {
        model: 'bin_packing',
        bin_capacity: capacity,
        item_sizes: sizes,
      });
      expect([sizes, bestFitness, answer.optimality.status]).toEqual([sizes, best, 'optimal']);
      const { lower_bound, simple_lower_bound } = answer.result as { lower_bound: number; simple_lower_bound: number };
      expect(lower_bound).toBe(best);
      expect(simple_lower_bound).toBeLessThanOrEqual(best);
    }
  });

  it('fills bins to the brim where the items were cut from full bins', { timeout: 30_000 }, async () => {
    const rng = Rng.create(72);
    for (const bins of [5, 12, 20]) {
      const sizes = Array.from({ length: bins }, () => {
        const first = 380 + rng.below(110);
        const second = 250 + rng.below(Math.max(1, Math.floor((1000 - first) / 2) - 249));
        return [first, second, 1000 - first - second];
      }).flat();
      const { bestFitness, answer } = await solved(warehouse, {
        model: 'bin_packing',
        bin_capacity: 1000,
        item_sizes: sizes,
      });
      expect([bestFitness, answer.optimality.proof]).toEqual([bins, 'branch_and_bound']);
    }
  });

  it.each([
    [{ item_sizes: [11] }, 'config.item_sizes[0]'],
    [{ item_sizes: [0] }, 'config.item_sizes[0]'],
    [{ item_sizes: [] }, 'config.item_sizes'],
    [{ bin_capacity: 0 }, 'config.bin_capacity'],
  ])('refuses %j at %s', (change, path) => {
    const config = { model: 'bin_packing', bin_capacity: 10, item_sizes: [1] };
    expect(() => checkConfig(warehouse, { ...config, ...change })).toThrow(`\`${path}\``);
  });
});

it('gives what the guide says', async () => {
  const guide = readFileSync(new URL('../../../../docs/guides/domains/supply-chain.md', import.meta.url), 'utf8');
  const [, own = ''] = guide.split('\n## warehouse\n');
  const [section = ''] = own.split('\n## ');
  const configs = [...section.matchAll(/```json\n([^`]*)```/g)].map(([, text = '']) => JSON.parse(text) as Json);
  const values = [];
  for (const config of configs) values.push((await solved(warehouse, config)).bestFitness);
  expect(values).toEqual([2990, 2190, 26, 110, 120, 2]);
});
