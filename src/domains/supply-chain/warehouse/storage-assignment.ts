/**
 * Storage assignment: which item lies in which slot. Without affinity the cube-per-order index is exact (Heskett 1963):
 * travel is the sum of each slot's picks times its distance, and such a sum is least when they are sorted against each
 * other. With affinity the items that are picked together attract each other: quadratic assignment over the slots.
 */
import { z } from 'zod';
import { quote, say } from '../../../explanation/say.js';
import type { Remark } from '../../../model/problem.js';
import { lineChart } from '../../charts/line-chart.js';
import { amount, checkUnique, count, id, list, matrix, number, numbers, withIds } from '../../fields.js';
import { Infeasible, model, type Solution, type SolveContext } from '../../problem-type.js';
import type { QuadraticAssignment } from '../../solvers/assignment/quadratic-assignment.js';
import { solveQuadratic } from '../../solvers/assignment/solve-quadratic.js';

export const MOST_ITEMS = 2_000;
export const MOST_SLOTS = 10_000;
/** With affinity each move values all exchanges of two slots. */
export const MOST_SLOTS_WITH_AFFINITY = 200;

const fields = z.strictObject({
  items: list(
    z.strictObject({
      id: id.optional(),
      picks_per_day: amount('Picks of the item per day'),
      slots: count('Slots that the item fills', 1, MOST_SLOTS).default(1),
    }),
    'What is stored',
    MOST_ITEMS,
  ),
  slots: list(
    z.strictObject({
      id: id.optional(),
      distance: amount('One-way distance from the depot'),
      x: number('Place of the slot, for affinity').optional(),
      y: number('Place of the slot, for affinity').optional(),
    }),
    'Where it can be stored',
    MOST_SLOTS,
  ),
  command: z
    .enum(['single', 'dual'])
    .default('single')
    .describe('Whether a trip serves one slot, or puts away at one and picks from another'),
  affinity: matrix(
    'Item by item, symmetric: trips per day on which both are picked one after the other',
    { most: MOST_SLOTS_WITH_AFFINITY },
    { most: MOST_SLOTS_WITH_AFFINITY, minimum: 0 },
  ).optional(),
  current: numbers('Item (from 1, 0 for none) in each slot today, to compare with', {
    most: MOST_SLOTS,
    minimum: 0,
  }).optional(),
});

type Config = z.output<typeof fields>;

/** Item index of each slot, -1: empty. */
type Stored = readonly number[];

const needed = ({ items }: Config): number => items.reduce((sum, { slots }) => sum + slots, 0);

/** Picks per day that fall to each slot of an item. */
const density = ({ picks_per_day, slots }: Config['items'][number]): number => picks_per_day / slots;

function between({ slots }: Config): (a: number, b: number) => number {
  const isMapped = slots.every(({ x, y }) => x !== undefined && y !== undefined);
  return (a, b) => {
    const [p, q] = [slots[a], slots[b]];
    if (!isMapped) return Math.abs(p.distance - q.distance);
    return Math.abs((p.x ?? 0) - (q.x ?? 0)) + Math.abs((p.y ?? 0) - (q.y ?? 0));
  };
}

const slotsOf = (config: Config, stored: Stored): number[][] => {
  const own: number[][] = config.items.map(() => []);
  for (const [k, item] of stored.entries()) if (item >= 0) own[item]?.push(k);
  return own;
};

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** Picks times mean distance, item by item. */
const travelOf = (config: Config, stored: Stored): number =>
  slotsOf(config, stored).reduce((sum, own, i) => {
    return sum + config.items[i].picks_per_day * mean(own.map((k) => config.slots[k].distance));
  }, 0);

/** Trips from one item to another times the mean distance between their slots. */
function affinityTravelOf(config: Config, stored: Stored): number {
  const { affinity } = config;
  if (affinity === undefined) return 0;
  const distance = between(config);
  const own = slotsOf(config, stored);
  let sum = 0;
  for (let a = 0; a < own.length; a++) {
    for (let b = a + 1; b < own.length; b++) {
      const trips = affinity[a]?.[b] ?? 0;
      if (trips > 0) sum += trips * mean(own[a].flatMap((k) => own[b].map((l) => distance(k, l))));
    }
  }
  return sum;
}

/** Most picks per slot to the nearest slot. Ties go to what comes first. */
function byIndex({ items, slots }: Config): number[] {
  const order = items.map((item, i) => ({ i, value: density(item), count: item.slots }));
  order.sort((a, b) => b.value - a.value || a.i - b.i);
  const nearest = slots
    .map(({ distance }, k) => ({ k, distance }))
    .sort((a, b) => a.distance - b.distance || a.k - b.k);
  const stored = slots.map(() => -1);
  let next = 0;
  for (const { i, count: own } of order) for (let c = 0; c < own; c++) stored[nearest[next++].k] = i;
  return stored;
}

/**
 * Mean length of trips: out and back to one slot; or to one and on to another, where the way between two slots is the
 * difference of their distances.
 */
function cyclesOf(config: Config, stored: Stored): { readonly single: number; readonly dual: number } {
  const picks = config.items.reduce((sum, item) => sum + item.picks_per_day, 0);
  if (picks === 0) return { single: 0, dual: 0 };
  const used = stored.flatMap((item, k) =>
    item < 0 ? [] : [{ share: density(config.items[item]) / picks, distance: config.slots[k].distance }],
  );
  used.sort((a, b) => a.distance - b.distance);
  let before = 0;
  let single = 0;
  let dual = 0;
  for (const { share, distance } of used) {
    single += 2 * share * distance;
    // Out, across and back is twice the farther of both.
    dual += 2 * distance * (share * share + 2 * share * before);
    before += share;
  }
  return { single, dual };
}

function quadraticOf(config: Config): { readonly problem: QuadraticAssignment; readonly itemOf: readonly number[] } {
  const n = config.slots.length;
  const itemOf = config.items.flatMap((item, i) => new Array<number>(item.slots).fill(i));
  while (itemOf.length < n) itemOf.push(-1);
  const flow = new Float64Array(n * n);
  const linear = new Float64Array(n * n);
  for (const [u, a] of itemOf.entries()) {
    if (a < 0) continue;
    for (let k = 0; k < n; k++) linear[u * n + k] = density(config.items[a]) * config.slots[k].distance;
    for (const [v, b] of itemOf.entries()) {
      if (b < 0 || a === b) continue;
      flow[u * n + v] = (config.affinity?.[a]?.[b] ?? 0) / (2 * config.items[a].slots * config.items[b].slots);
    }
  }
  const way = between(config);
  const distance = Float64Array.from({ length: n * n }, (_, at) => way(Math.floor(at / n), at % n));
  return { problem: { n, flow, distance, linear }, itemOf };
}

const fromOne = (stored: Stored): number[] => stored.map((item) => item + 1);

type Found = Pick<Solution, 'method' | 'reason' | 'optimality' | 'evaluations' | 'iterations' | 'nodes'> & {
  readonly stored: Stored;
};

function withoutAffinity(config: Config): Found {
  const stored = byIndex(config);
  const bound = travelOf(config, stored);
  return {
    stored,
    method: 'closed_form',
    reason: 'the slots that are picked most get the shortest ways: sorting by the cube-per-order index is exact',
    optimality: { status: 'optimal', bound, proof: 'closed_form' },
    evaluations: 1,
  };
}

function withAffinity(config: Config, context: SolveContext): Found {
  const { problem, itemOf } = quadraticOf(config);
  const { n } = problem;
  const storedFrom = (places: Int32Array): number[] => {
    const stored = new Array<number>(n).fill(-1);
    for (const [u, place] of places.entries()) stored[place] = itemOf[u]!;
    return stored;
  };
  // Begins with the cube-per-order index: each item's units in its slots, the rest in the empty ones.
  const free = new Map<number, number[]>();
  for (const [k, item] of byIndex(config).entries()) free.set(item, [...(free.get(item) ?? []), k]);
  const start = Int32Array.from(itemOf, (item) => free.get(item)?.shift() ?? -1);
  const answer = solveQuadratic(problem, context, (places) => fromOne(storedFrom(places)), start);
  const stored = storedFrom(answer.places);
  const value = travelOf(config, stored) + affinityTravelOf(config, stored);
  // Ways between items only add to what the index gives.
  const bound = Math.max(answer.bound, travelOf(config, byIndex(config)) * (1 - 1e-12));
  const isProven = answer.isProven || value <= bound;
  const isTree = answer.hasTree && answer.isProven;
  return {
    stored,
    method: isTree ? 'qp_branch_and_bound' : 'robust_tabu_search',
    reason: isTree
      ? `${n} slots are few enough to prove the assignment by branch and bound`
      : 'items that are picked together attract each other: a quadratic assignment problem, for which tabu search is the best method known',
    optimality: isProven
      ? { status: 'optimal', bound: value, proof: 'branch_and_bound' }
      : { status: 'heuristic', bound, proof: null },
    evaluations: answer.evaluations,
    iterations: answer.moves,
    nodes: answer.nodes,
  };
}

export const storageAssignment = model({
  name: 'storage_assignment',
  summary: 'Which item lies in which slot, so that pickers walk least.',
  fields,
  example: {
    model: 'storage_assignment',
    items: [
      { id: 'screws', picks_per_day: 120, slots: 1 },
      { id: 'drills', picks_per_day: 90, slots: 3 },
      { id: 'gloves', picks_per_day: 80, slots: 1 },
      { id: 'pallets of tiles', picks_per_day: 25, slots: 2 },
    ],
    slots: [
      { id: 'A1', distance: 8 },
      { id: 'A2', distance: 12 },
      { id: 'A3', distance: 16 },
      { id: 'B1', distance: 10 },
      { id: 'B2', distance: 14 },
      { id: 'B3', distance: 18 },
      { id: 'C1', distance: 15 },
      { id: 'C2', distance: 19 },
    ],
  },

  check(config, complain) {
    const { items, slots, affinity, current } = config;
    if (!checkUnique(items, 'items', complain) || !checkUnique(slots, 'slots', complain)) return;
    if (affinity !== undefined) {
      if (slots.length > MOST_SLOTS_WITH_AFFINITY) {
        return complain(
          ['slots'],
          `\`{field}\` must have at most ${MOST_SLOTS_WITH_AFFINITY} entries with \`affinity\`, not ${slots.length}.`,
        );
      }
      if (affinity.length !== items.length || affinity[0]?.length !== items.length) {
        return complain(
          ['affinity'],
          `\`{field}\` must have a row and a column for each of the ${items.length} items.`,
        );
      }
      for (const [a, row] of affinity.entries()) {
        const b = row.findIndex((value, other) => value !== affinity[other]?.[a]);
        if (b >= 0) {
          return complain(
            ['affinity', a, b],
            `\`{field}\` = ${row[b]} must equal \`config.affinity[${b}][${a}]\` = ${affinity[b]?.[a]}: affinity is symmetric.`,
          );
        }
      }
    }
    if (current === undefined) return;
    if (current.length !== slots.length) {
      return complain(
        ['current'],
        `\`{field}\` must have ${slots.length} numbers, one for each slot, not ${current.length}.`,
      );
    }
    const counts = new Array<number>(items.length + 1).fill(0);
    for (const [k, item] of current.entries()) {
      if (!Number.isInteger(item) || item > items.length) {
        return complain(
          ['current', k],
          `\`{field}\` must be 0 or the number of an item, 1 to ${items.length}, not ${item}.`,
        );
      }
      counts[item]++;
    }
    const wrong = items.findIndex((item, i) => counts[i + 1] !== item.slots);
    if (wrong >= 0)
      complain(
        ['current'],
        `\`{field}\` must give item ${wrong + 1} ${items[wrong]?.slots} slots, not ${counts[wrong + 1]}.`,
      );
  },

  sense: () => 'minimize',

  solve(config, context) {
    const units = needed(config);
    if (units > config.slots.length) {
      throw new Infeasible(`The items fill ${units} slots, and there are ${config.slots.length}.`, ['items', 'slots']);
    }
    const { stored, ...found } =
      config.affinity === undefined ? withoutAffinity(config) : withAffinity(config, context);
    const travel = travelOf(config, stored);
    const together = affinityTravelOf(config, stored);
    const [items, slots] = [withIds(config.items), withIds(config.slots)];
    const own = slotsOf(config, stored);
    const current = config.current?.map((item) => item - 1);
    const meanDistance = mean(slots.map(({ distance }) => distance));
    const compared =
      current === undefined
        ? items.reduce((sum, item) => sum + item.picks_per_day * meanDistance, 0)
        : travelOf(config, current);
    const cycles = cyclesOf(config, stored);
    return {
      ...found,
      bestSolution: fromOne(stored),
      bestFitness: travel + together,
      decisionVariables: slots.map((slot) => `item_in_${slot.id}`),
      result: {
        travel_per_day: travel,
        affinity_travel_per_day: config.affinity === undefined ? null : together,
        assignment: items.map((item, i) => ({
          item: item.id,
          slots: own[i].map((k) => slots[k].id),
          picks_per_day: item.picks_per_day,
          cube_per_order_index: item.picks_per_day > 0 ? item.slots / item.picks_per_day : null,
          mean_distance: mean(own[i].map((k) => slots[k].distance)),
          travel_per_day: item.picks_per_day * mean(own[i].map((k) => slots[k].distance)),
        })),
        empty_slots: slots.filter((_, k) => stored[k] === -1).map((slot) => slot.id),
        compared_with: { assignment: current === undefined ? 'random' : 'current', travel_per_day: compared },
        travel_saved: compared - travel,
        cycle_distance: config.command === 'single' ? cycles.single : cycles.dual,
      },
      assumptions: assumptionsOf(config),
    };
  },

  verify(config, { bestSolution, bestFitness }) {
    const counts = new Array<number>(config.items.length + 1).fill(0);
    let sum = 0;
    // Slot by slot instead of item by item.
    for (const [k, item] of bestSolution.entries()) {
      if (!(Number.isInteger(item) && item >= 0 && item <= config.items.length)) return 'there is no such item';
      counts[item]++;
      if (item > 0) sum += density(config.items[item - 1]) * config.slots[k].distance;
    }
    const wrong = config.items.findIndex((item, i) => counts[i + 1] !== item.slots);
    if (wrong >= 0) return `item ${wrong + 1} has ${counts[wrong + 1]} slots`;
    if (config.affinity === undefined) {
      const picks = bestSolution.map((item) => (item > 0 ? density(config.items[item - 1]) : 0));
      const order = [...picks.keys()].sort(
        (a, b) => config.slots[a].distance - config.slots[b].distance || picks[b] - picks[a],
      );
      if (order.some((k, i) => i > 0 && picks[k] > picks[order[i - 1]]))
        return 'a slot is picked more than a nearer one';
    } else {
      sum += affinityTravelOf(
        config,
        bestSolution.map((item) => item - 1),
      );
    }
    return Math.abs(sum - bestFitness) <= 1e-9 * Math.max(1, sum) ? null : `the slots add up to ${sum}`;
  },

  explain(config, { result, optimality, nodes = 0 }) {
    const { travel_per_day, travel_saved, compared_with, cycle_distance } = result as unknown as {
      readonly travel_per_day: number;
      readonly travel_saved: number;
      readonly cycle_distance: number;
      readonly compared_with: { readonly travel_per_day: number };
    };
    const base = config.current === undefined ? 'a random assignment' : "today's assignment";
    const share = compared_with.travel_per_day > 0 ? (100 * travel_saved) / compared_with.travel_per_day : 0;
    const densities = config.items.map(density);
    const most = densities.indexOf(Math.max(...densities));
    return [
      say(1, 'result', `The assignment costs {travel} of one-way travel a day, {share} percent less than ${base}.`, {
        travel: travel_per_day,
        share,
      }),
      config.affinity === undefined
        ? say(
            2,
            'choice',
            'Slots are filled from the nearest on, by picks per slot: no other assignment has less travel.',
            {},
          )
        : optimality.status === 'optimal'
          ? say(
              2,
              'choice',
              'No assignment has less travel to the items and between them: branch and bound took {nodes:node|nodes}.',
              { nodes },
            )
          : say(2, 'choice', 'Tabu search over exchanges of two slots found it; a better one is possible.', {}),
      say(
        3,
        'features',
        `A ${config.command === 'single' ? 'trip to one slot' : 'trip to two slots'} is {distance} long on average, there and back.`,
        {
          distance: cycle_distance,
        },
      ),
      say(
        4,
        'sensitivity',
        `${quote(withIds(config.items)[most].id)} is picked most for the room it takes ({density} picks a day for each slot): where it lies matters most.`,
        { density: densities[most] ?? 0 },
      ),
    ];
  },

  pictures: {
    picks_by_distance: (config, { bestSolution }) => {
      const points = bestSolution.map((item, k): [number, number] => [
        config.slots[k].distance,
        item > 0 ? density(config.items[item - 1]) : 0,
      ]);
      return lineChart({
        title: 'Picks of each slot against its distance',
        xName: 'one-way distance from the depot',
        yName: 'picks per day and slot',
        series: [{ name: 'slots', points, isScatter: true }],
      });
    },
  },
});

function assumptionsOf({ affinity, slots, command, current }: Config): Remark[] {
  const remarks: Remark[] = [];
  if (current === undefined) {
    remarks.push({
      code: 'compared_with_random',
      field: 'config.current',
      message: 'Without `current` travel is compared with its mean over all assignments.',
    });
  }
  if (command === 'dual') {
    remarks.push({
      code: 'dual_command_line',
      field: 'config.command',
      message:
        'On a trip to two slots the way between them is the difference of their distances; sorting by picks per slot then makes such trips shortest too.',
    });
  }
  if (affinity !== undefined && !slots.every(({ x, y }) => x !== undefined && y !== undefined)) {
    remarks.push({
      code: 'distance_between_slots',
      field: 'config.slots',
      message:
        'Slots without `x` and `y` lie along one line: the way between two of them is the difference of their distances.',
    });
  }
  return remarks;
}
