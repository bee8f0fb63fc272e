/**
 * Order batching: which orders a picker collects on one tour. Up to 14 orders the best partition of all is found;
 * above, savings (Clarke and Wright 1964) and a local search that moves and exchanges orders between batches.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { checkUnique, count, id, list, withIds } from '../../fields.js';
import type { Rng } from '../../../common/rng.js';
import { model, type SolveContext, Interrupted } from '../../problem-type.js';
import { aisleFields, checkPlace, pathLength, placeFields, POLICIES, policyPath, type Place } from './aisles.js';
import { shortestTour } from './picker-tour.js';
import { warehouseMap } from './warehouse-map.js';

export const MOST_ORDERS = 300;
const MOST_ITEMS_PER_ORDER = 100;
const EXACT_UP_TO = 14;
/** Many shortest tours are computed: with more cross aisles each takes too long. */
const MOST_CROSS_AISLES_OF_TOURS = 3;
/** Local searches without a better partition after which a search that need not be accurate ends. */
const PATIENCE = { fast: 5, balanced: 40, accurate: Infinity } as const;
/** Costs of batches that are kept. */
const MOST_KEPT = 200_000;

const fields = z.strictObject({
  orders: list(
    z.strictObject({
      id: id.optional(),
      items: list(z.strictObject(placeFields), 'Where the items of the order lie', MOST_ITEMS_PER_ORDER),
    }),
    'What is collected; an order is never split',
    MOST_ORDERS,
  ),
  max_items_per_batch: count('Items that a picker can take along', 1, 100_000),
  ...aisleFields,
  routing: z
    .enum([...POLICIES, 'optimal'])
    .default('s_shape')
    .describe('How each batch is walked'),
});

type Config = z.output<typeof fields>;

/** The walk of a batch, from the depot and back. */
const walkOf = (config: Config, batch: readonly number[], look: () => void): readonly Place[] => {
  const picks = batch.flatMap((order) => config.orders[order].items);
  return config.routing === 'optimal'
    ? shortestTour(config, picks, look).path
    : policyPath(config, picks, config.routing);
};

/** Costs of batches, each computed once. */
class Batches {
  private readonly known = new Map<string, number>();

  constructor(
    private readonly config: Config,
    private readonly context: SolveContext,
  ) {}

  /** `batch`: ascending. */
  cost(batch: readonly number[]): number {
    if (batch.length === 0) return 0;
    const key = batch.join(' ');
    let cost = this.known.get(key);
    if (cost === undefined) {
      this.look();
      cost = pathLength(
        this.config,
        walkOf(this.config, batch, () => this.look()),
      );
      if (this.known.size >= MOST_KEPT) this.known.clear();
      this.known.set(key, cost);
    }
    return cost;
  }

  /** Ends a search whose time is up, until an answer was taken. */
  look(): void {
    if (!this.hasAnswer) this.context.look();
  }

  /** Once true, costs are computed whatever the time. */
  hasAnswer = false;
}

const sizeOf = ({ orders }: Config, batch: readonly number[]): number =>
  batch.reduce((sum, order) => sum + orders[order].items.length, 0);

/** f[S] = min over batches T of S with its first order: cost(T) + f[S - T]. */
function exact(config: Config, batches: Batches, look: () => void): number[][] {
  const n = config.orders.length;
  const all = (1 << n) - 1;
  const cost = new Float64Array(all + 1).fill(Infinity);
  const membersOf = (set: number): number[] => config.orders.flatMap((_, i) => ((set >> i) & 1 ? [i] : []));
  for (let set = 1; set <= all; set++) {
    if (set % 16 === 0) look();
    const members = membersOf(set);
    if (sizeOf(config, members) <= config.max_items_per_batch) cost[set] = batches.cost(members);
  }
  const least = new Float64Array(all + 1).fill(Infinity);
  const taken = new Int32Array(all + 1);
  least[0] = 0;
  for (let set = 1; set <= all; set++) {
    if (set % 256 === 0) look();
    const first = set & -set;
    for (let rest = set ^ first; ; rest = (rest - 1) & (set ^ first)) {
      const batch = rest | first;
      const total = cost[batch] + least[set ^ batch];
      if (total < least[set]) {
        least[set] = total;
        taken[set] = batch;
      }
      if (rest === 0) break;
    }
  }
  const found: number[][] = [];
  for (let set = all; set !== 0; set ^= taken[set]) found.push(membersOf(taken[set]));
  return found;
}

const merged = (a: readonly number[], b: readonly number[]): number[] => [...a, ...b].sort((p, q) => p - q);

const without = (batch: readonly number[], order: number): number[] => batch.filter((other) => other !== order);

/** Merges the two batches that save most, as long as any two save. Changes `partition`. */
function savings(config: Config, batches: Batches, partition: number[][]): void {
  const saved = new Map<string, number>();
  for (;;) {
    let best = { a: -1, b: -1, saving: 0 };
    for (let a = 0; a < partition.length; a++) {
      batches.look();
      for (let b = a + 1; b < partition.length; b++) {
        const [p, q] = [partition[a], partition[b]];
        if (sizeOf(config, p) + sizeOf(config, q) > config.max_items_per_batch) continue;
        const key = `${p.join(' ')}|${q.join(' ')}`;
        let saving = saved.get(key);
        if (saving === undefined) {
          saving = batches.cost(p) + batches.cost(q) - batches.cost(merged(p, q));
          saved.set(key, saving);
        }
        if (saving > best.saving) best = { a, b, saving };
      }
    }
    if (best.a < 0) return;
    const [joined = []] = partition.splice(best.b, 1);
    partition[best.a] = merged(partition[best.a], joined);
  }
}

/** Moves an order to another batch, or exchanges two, as long as that is shorter. Changes `partition`. */
function improve(config: Config, batches: Batches, partition: number[][]): void {
  const { max_items_per_batch } = config;
  const items = (order: number): number => config.orders[order].items.length;
  const sizes = partition.map((batch) => sizeOf(config, batch));
  const settle = (a: number, p: number[], b: number, q: number[]): void => {
    [partition[a], partition[b]] = [p, q];
    [sizes[a], sizes[b]] = [sizeOf(config, p), sizeOf(config, q)];
  };
  const tryPair = (a: number, b: number): boolean => {
    const before = batches.cost(partition[a]) + batches.cost(partition[b]) - 1e-9;
    for (const order of partition[a]) {
      if (sizes[b] + items(order) <= max_items_per_batch) {
        const [p, q] = [without(partition[a], order), merged(partition[b], [order])];
        if (batches.cost(p) + batches.cost(q) < before) {
          settle(a, p, b, q);
          return true;
        }
      }
      if (b < a) continue;
      for (const other of partition[b]) {
        const change = items(order) - items(other);
        if (sizes[a] - change > max_items_per_batch || sizes[b] + change > max_items_per_batch) continue;
        const p = merged(without(partition[a], order), [other]);
        const q = merged(without(partition[b], other), [order]);
        if (batches.cost(p) + batches.cost(q) < before) {
          settle(a, p, b, q);
          return true;
        }
      }
    }
    return false;
  };
  let isBetter = true;
  while (isBetter) {
    isBetter = false;
    for (let a = 0; a < partition.length; a++) {
      for (let b = 0; b < partition.length; b++) {
        if (a === b || partition[a].length === 0) continue;
        batches.look();
        while (tryPair(a, b)) isBetter = true;
      }
    }
  }
}

const total = (batches: Batches, partition: readonly (readonly number[])[]): number =>
  partition.reduce((sum, batch) => sum + batches.cost(batch), 0);

/**
 * Local searches from the savings solution, then each from the best one with a few orders taken out and put back. Once
 * the time is up the best partition so far is the answer; each order alone is the first one. @throws {Interrupted}
 * before that
 */
function search(config: Config, batches: Batches, context: SolveContext) {
  const n = config.orders.length;
  let best = config.orders.map((_, i) => [i]);
  let cost = total(batches, best);
  let evaluations = 1;
  const take = (partition: readonly (readonly number[])[]): boolean => {
    const found = partition.filter((batch) => batch.length > 0).map((batch) => [...batch]);
    const value = total(batches, found);
    if (value >= cost - 1e-9 * cost) return false;
    [best, cost] = [found, value];
    context.improved(evaluations, cost, batchOf(n, best));
    return true;
  };
  let partition = best.map((batch) => [...batch]);
  try {
    savings(config, batches, partition);
    improve(config, batches, partition);
    take(partition);
    const rng = context.rng('batches');
    for (let since = 0; evaluations < context.maxEvaluations && since < PATIENCE[context.mode]; since++) {
      context.look();
      partition = shaken(config, best, rng);
      improve(config, batches, partition);
      evaluations++;
      if (take(partition)) since = 0;
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    // Whatever it was at is a partition, too.
    batches.hasAnswer = true;
    take(partition);
  }
  return { partition: best, evaluations };
}

/** The partition with a few orders in other batches. */
function shaken(config: Config, best: readonly (readonly number[])[], rng: Rng): number[][] {
  const n = config.orders.length;
  const partition = best.map((batch) => [...batch]);
  const moved = Math.min(n, 3 + rng.below(Math.max(1, Math.floor(n / 6))));
  for (let i = 0; i < moved; i++) {
    const order = rng.below(n);
    const at = partition.findIndex((batch) => batch.includes(order));
    partition[at] = without(partition[at], order);
    const open = partition.flatMap((batch, b) =>
      b !== at && sizeOf(config, batch) + config.orders[order].items.length <= config.max_items_per_batch ? [b] : [],
    );
    const to = rng.below(open.length + 1);
    if (to === open.length) partition.push([order]);
    else partition[open[to]] = merged(partition[open[to]], [order]);
  }
  return partition;
}

/** Batch of each order, from 1. */
function batchOf(n: number, partition: readonly (readonly number[])[]): number[] {
  const of = new Array<number>(n).fill(0);
  for (const [b, batch] of partition.entries()) for (const order of batch) of[order] = b + 1;
  return of;
}

const firstOf = (batch: readonly number[]): number => batch[0] ?? 0;

/**
 * No partition is walked in less: one tour for all orders is no longer than the batches' tours together; and a batch
 * that is full at most walks to each of its orders, which is at least the mean of these ways by their shares of its
 * room.
 */
function boundOf(config: Config, look: () => void): number {
  // Rules of thumb use two cross aisles only.
  const geometry = { ...config, cross_aisles: config.routing === 'optimal' ? config.cross_aisles : 2 };
  const tour = (items: readonly Place[]): number => shortestTour(geometry, items, look).distance;
  const shares = config.orders.map(({ items }) => {
    look();
    const farthest = items.reduce((most, item) => Math.max(most, tour([item])), 0);
    return (items.length / config.max_items_per_batch) * farthest;
  });
  const together = tour(config.orders.flatMap(({ items }) => items));
  return (
    Math.max(
      together,
      shares.reduce((a, b) => a + b, 0),
    ) *
    (1 - 1e-12)
  );
}

/** Null: the time is up. An answer is not worth less for it. */
function boundInTime(config: Config, distance: number, look: () => void): number | null {
  try {
    return Math.min(distance, boundOf(config, look));
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return null;
  }
}

export const orderBatching = model({
  name: 'order_batching',
  summary: 'Which orders are collected together, so that pickers walk least in all.',
  fields,
  example: {
    model: 'order_batching',
    orders: [
      {
        id: 'A',
        items: [
          { aisle: 1, position: 5 },
          { aisle: 2, position: 16 },
        ],
      },
      { id: 'B', items: [{ aisle: 4, position: 10 }] },
      {
        id: 'C',
        items: [
          { aisle: 2, position: 3 },
          { aisle: 1, position: 12 },
        ],
      },
      {
        id: 'D',
        items: [
          { aisle: 4, position: 18 },
          { aisle: 3, position: 2 },
        ],
      },
      { id: 'E', items: [{ aisle: 3, position: 9 }] },
    ],
    max_items_per_batch: 4,
    aisles: 4,
    aisle_length: 20,
    aisle_spacing: 5,
    depot: { aisle: 1, position: 0 },
  },

  check(config, complain) {
    const { orders, max_items_per_batch } = config;
    if (!checkPlace(config, config.depot, ['depot'], complain)) return;
    if (!checkUnique(orders, 'orders', complain)) return;
    if (config.routing === 'optimal' && config.cross_aisles > MOST_CROSS_AISLES_OF_TOURS) {
      return complain(
        ['cross_aisles'],
        `\`{field}\` must be at most ${MOST_CROSS_AISLES_OF_TOURS} with \`routing\` "optimal", not ${config.cross_aisles}.`,
      );
    }
    for (const [i, { items }] of orders.entries()) {
      if (!items.every((item, j) => checkPlace(config, item, ['orders', i, 'items', j], complain))) return;
      if (items.length > max_items_per_batch) {
        return complain(
          ['orders', i, 'items'],
          `\`{field}\` has ${items.length} items, more than \`config.max_items_per_batch\` = ${max_items_per_batch}: an order is never split.`,
        );
      }
    }
  },

  sense: () => 'minimize',

  solve(config, context) {
    const orders = withIds(config.orders);
    const n = orders.length;
    const isExact = n <= EXACT_UP_TO;
    const look = (): void => context.look();
    const batches = new Batches(config, context);
    const found = isExact
      ? { partition: exact(config, batches, look), evaluations: 1 }
      : search(config, batches, context);
    batches.hasAnswer = true;
    const partition = [...found.partition].sort((a, b) => firstOf(a) - firstOf(b));
    const distance = total(batches, partition);
    const alone = total(
      batches,
      orders.map((_, i) => [i]),
    );
    const bound = isExact ? distance : boundInTime(config, distance, look);
    const status = isExact || (bound !== null && distance <= bound);
    return {
      method: isExact ? 'dynamic_programming' : 'savings_local_search',
      reason: isExact
        ? `${n} orders are few enough to value every partition into batches by a dynamic programme over their subsets`
        : `${n} orders have too many partitions to value them all: batches are merged by savings, then orders move between them`,
      bestSolution: batchOf(n, partition),
      bestFitness: distance,
      decisionVariables: orders.map((order) => `batch_of_${order.id}`),
      result: {
        distance,
        batches: partition.map((batch, b) => ({
          batch: b + 1,
          orders: batch.map((order) => orders[order].id),
          items: sizeOf(config, batch),
          distance: batches.cost(batch),
          path: walkOf(config, batch, () => undefined).map(({ aisle, position }) => ({ aisle, position })),
        })),
        routing: config.routing,
        single_order_distance: alone,
        travel_saved: alone - distance,
      },
      optimality: status
        ? { status: 'optimal', bound: distance, proof: 'dynamic_programming' }
        : { status: 'heuristic', bound, proof: null },
      evaluations: found.evaluations,
    };
  },

  verify(config, { bestSolution, bestFitness, result }) {
    const { orders, max_items_per_batch } = config;
    if (bestSolution.length !== orders.length) return 'an order has no batch';
    let sum = 0;
    const listed = result.batches as unknown as readonly { readonly path: readonly Place[]; readonly items: number }[];
    for (const [b, { path, items }] of listed.entries()) {
      const own = orders.filter((_, i) => bestSolution[i] === b + 1);
      const picks = own.flatMap((order) => order.items);
      if (picks.length !== items || items > max_items_per_batch) return `batch ${b + 1} has ${picks.length} items`;
      for (let leg = 1; leg < path.length; leg++) {
        const [from, to] = [path[leg - 1], path[leg]];
        if (from.aisle !== to.aisle && from.position !== to.position) return 'a leg runs through shelves';
        sum += Math.abs(from.aisle - to.aisle) * config.aisle_spacing + Math.abs(from.position - to.position);
      }
      const isPassed = ({ aisle, position }: Place): boolean =>
        path.some((to, leg) => {
          const from = path[leg - 1] ?? to;
          return (
            (aisle - from.aisle) * (aisle - to.aisle) <= 0 && (position - from.position) * (position - to.position) <= 0
          );
        });
      if (!picks.every(isPassed)) return `the walk of batch ${b + 1} leaves out a pick`;
    }
    if (bestSolution.some((b) => !(b >= 1 && b <= listed.length))) return 'there is no such batch';
    return Math.abs(sum - bestFitness) <= 1e-9 * Math.max(1, sum) ? null : `the walks add up to ${sum}`;
  },

  explain(config, { bestFitness, result, optimality }) {
    const { batches, single_order_distance, travel_saved } = result as unknown as {
      readonly batches: readonly { readonly items: number }[];
      readonly single_order_distance: number;
      readonly travel_saved: number;
    };
    const room = batches.length * config.max_items_per_batch;
    return [
      say(
        1,
        'result',
        '{orders:order goes|orders go} into {batches:batch|batches}, a walk of {distance} in all; one by one it would be {alone}.',
        {
          orders: config.orders.length,
          batches: batches.length,
          distance: bestFitness,
          alone: single_order_distance,
        },
      ),
      optimality.status === 'optimal'
        ? say(2, 'choice', 'No other partition of the orders is walked in less.', {})
        : say(2, 'choice', 'Savings and local search found it; a better partition is possible.', {}),
      say(3, 'features', 'Batches are filled to {share} percent of {room:item|items}.', {
        share: (100 * batches.reduce((sum, { items }) => sum + items, 0)) / room,
        room,
      }),
      ...(single_order_distance > 0
        ? [
            say(4, 'sensitivity', 'Batching saves {share} percent of the walk.', {
              share: (100 * travel_saved) / single_order_distance,
            }),
          ]
        : []),
    ];
  },

  pictures: {
    batch_routes: (config, { bestSolution, result }) => {
      const batches = result.batches as unknown as readonly {
        readonly batch: number;
        readonly path: readonly Place[];
      }[];
      const tours = batches.map(({ batch, path }) => ({
        name: `batch ${batch}`,
        path,
        picks: config.orders.flatMap((order, i) => (bestSolution[i] === batch ? order.items : [])),
      }));
      return warehouseMap('Walks of the batches', config, tours, false);
    },
  },
});
