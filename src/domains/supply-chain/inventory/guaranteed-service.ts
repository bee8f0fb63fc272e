/**
 * Guaranteed service: each stage of a supply network promises its customers a service time, and holds stock for what
 * its own suppliers' promises and its processing leave uncovered: factor * deviation * sqrt(inbound + processing -
 * outbound).
 *
 * The network is a tree. Seen from any stage as the root, the best cost of the part behind a stage depends only on the
 * service time on the edge to it, so that a dynamic programme from the leaves to the root finds the best of all.
 * Source: Graves and Willems, Manufacturing & Service Operations Management 2 (2000); Snyder and Shen (2019), section
 * 6.3.
 */
import { z } from 'zod';
import { quote, say } from '../../../explanation/say.js';
import { BLUE, HALO, label, picture, PLOT, cut } from '../../../explanation/visuals/plot.js';
import { checkUnique, count, id, list, type Complain } from '../../fields.js';
import * as normal from '../../solvers/distributions/normal.js';
import { model } from '../../problem-type.js';
import { amount, isNear, LABELS_OF_PERIODS, positive, unitOf } from './costs.js';

export const MAX_STAGES = 500;
/** Longest way through the network: the programme has a cell for each pair of times. */
const MAX_TIME = 1_000;
const MAX_DRAWN = 40;

/** A text, or a whole number that stands for its digits. */
export const stageId = z
  .union([id, z.int().transform(String)])
  .describe('Name of the stage; a number stands for its digits');

interface Stage {
  readonly id?: string | undefined;
  readonly processing_time: number;
  readonly holding_cost: number;
  readonly demand_sd?: number | undefined;
  readonly max_outbound?: number | undefined;
  readonly external_inbound?: number | undefined;
}

interface Config {
  readonly stages: readonly Stage[];
  readonly edges: readonly (readonly [string, string])[];
  readonly service_factor: number;
}

/** Stages by number, with what follows from the edges. */
interface Network {
  readonly ids: readonly string[];
  readonly suppliers: readonly (readonly number[])[];
  readonly customers: readonly (readonly number[])[];
  /** Each stage after its suppliers. */
  readonly order: readonly number[];
  /** Deviation of the demand that reaches a stage in one time unit. */
  readonly sd: readonly number[];
  /** The longest inbound time that a stage can be promised, and the longest time that it can promise. */
  readonly maxInbound: readonly number[];
  readonly maxOutbound: readonly number[];
}

const idsOf = (stages: readonly Stage[]): string[] => stages.map((stage, i) => stage.id ?? String(i + 1));

function networkOf({ stages, edges }: Config): Network {
  const ids = idsOf(stages);
  const numbers = new Map(ids.map((name, i) => [name, i]));
  const suppliers: number[][] = stages.map(() => []);
  const customers: number[][] = stages.map(() => []);
  for (const [from, to] of edges) {
    const [a, b] = [numbers.get(from) ?? NaN, numbers.get(to) ?? NaN];
    customers[a].push(b);
    suppliers[b].push(a);
  }
  const waiting = suppliers.map((own) => own.length);
  const order = waiting.flatMap((own, i) => (own === 0 ? [i] : []));
  for (let at = 0; at < order.length; at++) {
    for (const next of customers[order[at]]) if (--waiting[next] === 0) order.push(next);
  }
  const variance = stages.map(({ demand_sd = 0 }) => demand_sd * demand_sd);
  for (const k of [...order].reverse()) for (const i of suppliers[k]) variance[i] += variance[k];
  const maxInbound = stages.map(({ external_inbound = 0 }) => external_inbound);
  const longest = new Array<number>(stages.length).fill(0);
  for (const k of order) {
    for (const i of suppliers[k]) maxInbound[k] = Math.max(maxInbound[k], longest[i]);
    longest[k] = maxInbound[k] + stages[k].processing_time;
  }
  const maxOutbound = stages.map((stage, k) => {
    // Who faces customers and says nothing serves them at once.
    const promised = stage.max_outbound ?? (customers[k].length === 0 ? 0 : Infinity);
    return Math.min(promised, longest[k]);
  });
  return { ids, suppliers, customers, order, sd: variance.map(Math.sqrt), maxInbound, maxOutbound };
}

interface Times {
  readonly inbound: readonly number[];
  readonly outbound: readonly number[];
}

const stageCost = ({ stages, service_factor }: Config, { sd }: Network, k: number, net: number): number =>
  stages[k].holding_cost * service_factor * sd[k] * Math.sqrt(net);

function costOf(config: Config, network: Network, { inbound, outbound }: Times): number {
  return config.stages.reduce(
    (sum, { processing_time }, k) =>
      sum + stageCost(config, network, k, Math.max(0, inbound[k] + processing_time - outbound[k])),
    0,
  );
}

/** Shortest inbound times for what the suppliers promise. */
const inboundFor = ({ stages }: Config, { suppliers }: Network, outbound: readonly number[]): number[] =>
  stages.map(({ external_inbound = 0 }, k) =>
    suppliers[k].reduce((longest, i) => Math.max(longest, outbound[i]), external_inbound),
  );

/**
 * A stage's message to its parent in the tree: for each time on the edge the least cost behind it, and both its times.
 */
interface Behind {
  readonly cost: Float64Array;
  readonly inbound: Int32Array;
  readonly outbound: Int32Array;
}

/** The first index of the least value within the range; `from` > `to`: none. */
function leastWithin(values: Float64Array, from: number, to: number): number {
  let best = -1;
  for (let i = from; i <= to && i < values.length; i++) if (best < 0 || values[i] < values[best]) best = i;
  return best;
}

/** Stages from the leaves to a root of each part of the network, each with its parent; -1: it is a root. */
function fromLeaves({ suppliers, customers, ids }: Network): { readonly stage: number; readonly parent: number }[] {
  const seen = new Uint8Array(ids.length);
  const found: { stage: number; parent: number }[] = [];
  for (let root = 0; root < ids.length; root++) {
    if (seen[root] === 1) continue;
    seen[root] = 1;
    for (let at = found.push({ stage: root, parent: -1 }) - 1; at < found.length; at++) {
      const { stage } = found[at];
      for (const next of [...suppliers[stage], ...customers[stage]]) {
        if (seen[next] === 1) continue;
        seen[next] = 1;
        found.push({ stage: next, parent: stage });
      }
    }
  }
  return found.reverse();
}

interface Found extends Times {
  readonly cells: number;
}

function search(config: Config, network: Network, look: () => void): Found {
  const { stages } = config;
  const { suppliers, customers, maxInbound, maxOutbound } = network;
  const visits = fromLeaves(network);
  const parents = new Map(visits.map(({ stage, parent }) => [stage, parent]));
  const behind = new Array<Behind>(stages.length);
  const roots: [stage: number, inbound: number, outbound: number][] = [];
  let cells = 0;
  for (const { stage: k, parent } of visits) {
    const [least, most] = [stages[k].external_inbound ?? 0, maxInbound[k]];
    const inboundCost = new Float64Array(most + 1);
    const outboundCost = new Float64Array(maxOutbound[k] + 1);
    for (const i of suppliers[k]) {
      if (i === parent) continue;
      // The supplier may promise any time up to the inbound time.
      let lowest = Infinity;
      for (let time = 0; time <= most; time++) {
        lowest = Math.min(lowest, behind[i].cost[time] ?? Infinity);
        inboundCost[time] += lowest;
      }
    }
    for (const j of customers[k]) {
      if (j === parent) continue;
      const { cost } = behind[j];
      let lowest = Infinity;
      for (let time = cost.length - 1; time >= 0; time--) {
        lowest = Math.min(lowest, cost[time]);
        if (time < outboundCost.length) outboundCost[time] += lowest;
      }
    }
    const isSupplier = parent >= 0 && customers[k].includes(parent);
    const size = parent < 0 ? 1 : (isSupplier ? maxOutbound[k] : most) + 1;
    const own: Behind = {
      cost: new Float64Array(size).fill(Infinity),
      inbound: new Int32Array(size),
      outbound: new Int32Array(size),
    };
    const { processing_time } = stages[k];
    const held = Float64Array.from({ length: most + processing_time + 1 }, (_, net) =>
      stageCost(config, network, k, net),
    );
    for (let inbound = least; inbound <= most; inbound++) {
      if (cells % 65_536 < maxOutbound[k] + 1) look();
      const longest = Math.min(maxOutbound[k], inbound + processing_time);
      cells += longest + 1;
      for (let outbound = 0; outbound <= longest; outbound++) {
        const cost = held[inbound + processing_time - outbound] + inboundCost[inbound] + outboundCost[outbound];
        const key = parent < 0 ? 0 : isSupplier ? outbound : inbound;
        if (cost < own.cost[key]) {
          own.cost[key] = cost;
          own.inbound[key] = inbound;
          own.outbound[key] = outbound;
        }
      }
    }
    behind[k] = own;
    if (parent < 0) roots.push([k, own.inbound[0], own.outbound[0]]);
  }

  const inbound = new Array<number>(stages.length).fill(0);
  const outbound = new Array<number>(stages.length).fill(0);
  const open = [...roots];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [k] = next;
    [, inbound[k], outbound[k]] = next;
    for (const i of suppliers[k]) {
      if (parents.get(i) !== k) continue;
      const time = leastWithin(behind[i].cost, 0, inbound[k]);
      open.push([i, behind[i].inbound[time], behind[i].outbound[time]]);
    }
    for (const j of customers[k]) {
      if (parents.get(j) !== k) continue;
      const time = leastWithin(behind[j].cost, outbound[k], Infinity);
      open.push([j, behind[j].inbound[time], behind[j].outbound[time]]);
    }
  }
  return { inbound, outbound, cells };
}

function checkNetwork({ stages, edges }: Config, complain: Complain): boolean {
  const ids = idsOf(stages);
  const numbers = new Map(ids.map((name, i) => [name, i]));
  // Parts of the network that are joined so far: an edge within one closes a circle.
  const part = ids.map((_, i) => i);
  const rootOf = (i: number): number => (part[i] === i ? i : (part[i] = rootOf(part[i])));
  for (const [e, edge] of edges.entries()) {
    for (const end of [0, 1]) {
      if (numbers.has(edge[end])) continue;
      complain(['edges', e, end], `\`{field}\`: there is no stage ${JSON.stringify(edge[end])}.`);
      return false;
    }
    const [a, b] = edge.map((name) => rootOf(numbers.get(name) ?? NaN));
    if (a === b) {
      complain(
        ['edges', e],
        '`{field}` closes a circle: between two stages there may be only one way, whatever the direction.',
      );
      return false;
    }
    part[a] = b;
  }
  return true;
}

/** Height of a stage with its name and two lines of figures. */
const ROOM_OF_LABELS = 100;

/** Figures below a stage. Two short lines, where there is room, stay clear of the lines to its neighbours. */
const below = ([x, y]: readonly [number, number], figures: readonly string[], isRoomy: boolean): string[] =>
  isRoomy
    ? figures.map((figure, i) => label([x, y + 15 * i], figure, 'middle', HALO))
    : [label([x, y], figures.join(', '), 'middle', HALO)];

export const guaranteedService = model({
  name: 'guaranteed_service',
  summary: 'Safety stocks in a supply network whose stages promise service times.',
  fields: z.strictObject({
    stages: list(
      z.strictObject({
        id: stageId.optional(),
        processing_time: count('Time units from having all parts to having the product', 0, MAX_TIME),
        holding_cost: amount('Of a unit of this stage, per time unit'),
        demand_sd: amount('Standard deviation of the demand of own customers in one time unit').optional(),
        max_outbound: count(
          'Longest service time that the stage may promise. Default: 0 where it only serves customers, else any',
          0,
          MAX_TIME,
        ).optional(),
        external_inbound: count('Service time of suppliers outside of the network. Default: 0', 0, MAX_TIME).optional(),
      }),
      'Places of the network, in any order',
      MAX_STAGES,
    ),
    edges: list(
      z.tuple([stageId, stageId]),
      'Who supplies whom: [supplier, customer]; together they form a tree',
      MAX_STAGES,
      0,
    ).describe('Who supplies whom: [supplier, customer]; together they form a tree'),
    service_factor: positive('Deviations of demand that stock covers; 1.645 covers 95 percent').max(10).default(1.645),
    ...LABELS_OF_PERIODS,
  }),
  example: {
    model: 'guaranteed_service',
    stages: [
      { id: 'parts', processing_time: 2, holding_cost: 1, external_inbound: 1 },
      { id: 'assembly', processing_time: 1, holding_cost: 2 },
      { id: 'north', processing_time: 1, holding_cost: 3, demand_sd: 10, max_outbound: 0 },
      { id: 'south', processing_time: 1, holding_cost: 3, demand_sd: 10, max_outbound: 1 },
    ],
    edges: [
      ['parts', 'assembly'],
      ['assembly', 'north'],
      ['assembly', 'south'],
    ],
    time_unit: 'week',
  },

  check(config, complain) {
    if (!checkUnique(config.stages, 'stages', complain) || !checkNetwork(config, complain)) return;
    const { customers, maxInbound } = networkOf(config);
    const silent = config.stages.findIndex(({ demand_sd }, k) => customers[k].length === 0 && demand_sd === undefined);
    if (silent >= 0) {
      return complain(
        ['stages', silent, 'demand_sd'],
        '`{field}` is required: the stage supplies no other, so that its demand comes from customers.',
      );
    }
    const slow = config.stages.findIndex((stage, k) => maxInbound[k] + stage.processing_time > MAX_TIME);
    if (slow < 0) return;
    const time = maxInbound[slow] + config.stages[slow].processing_time;
    complain(
      ['stages', slow, 'processing_time'],
      `\`{field}\` ends a way of ${time} time units through the network, above ${MAX_TIME}: choose a larger time unit.`,
    );
  },

  sense: () => 'minimize',

  solve(config, context) {
    const network = networkOf(config);
    const { inbound, outbound, cells } = search(config, network, () => context.look());
    const cost = costOf(config, network, { inbound, outbound });
    const { ids, sd, customers } = network;
    const { stages, service_factor } = config;
    const net = stages.map(({ processing_time }, k) => inbound[k] + processing_time - outbound[k]);
    const stocks = net.map((time, k) => service_factor * sd[k] * Math.sqrt(time));
    const byId = (values: readonly number[]): Record<string, number> =>
      Object.fromEntries(ids.map((name, k) => [name, values[k]]));
    const everywhere = outbound.map(() => 0);
    const implied = stages.flatMap((stage, k) =>
      customers[k].length === 0 && stage.max_outbound === undefined ? [ids[k]] : [],
    );
    return {
      method: 'dynamic_programming',
      reason: 'the network is a tree: what lies behind an edge depends on the service time on it only',
      bestSolution: outbound,
      bestFitness: cost,
      decisionVariables: ids.map((name) => `committed_service_time.${name}`),
      result: {
        committed_service_times: byId(outbound),
        inbound_service_times: byId(inbound),
        net_replenishment_times: byId(net),
        cost,
        ordering_cost: 0,
        holding_cost: cost,
        stockout_cost: 0,
        purchase_cost: 0,
        safety_stock: stocks.reduce((sum, stock) => sum + stock, 0),
        safety_stocks: byId(stocks),
        holding_costs: byId(net.map((time, k) => stageCost(config, network, k, time))),
        demand_sds: byId(sd),
        service_level: { cycle: normal.cdf(service_factor), fill_rate: null },
        cost_with_stock_everywhere: costOf(config, network, {
          inbound: inboundFor(config, network, everywhere),
          outbound: everywhere,
        }),
        sensitivity: {
          // The cost is in proportion to each of these, so that no mistake in them changes the best plan.
          holding_cost: 0,
          demand_sd: 0,
          service_factor: 0,
        },
      },
      optimality: { status: 'optimal', bound: cost, proof: 'dynamic_programming' },
      evaluations: 1,
      nodes: cells,
      assumptions: [
        {
          code: 'bounded_demand',
          field: 'config.service_factor',
          message: `Stock covers demand up to ${service_factor} standard deviations beyond its mean; what exceeds that is met by other means, such as overtime.`,
        },
        {
          code: 'independent_demand',
          message:
            'Demands of different customers and time units are independent. Each unit of a stage takes one unit of each of its suppliers.',
        },
        ...(implied.length === 0
          ? []
          : [
              {
                code: 'served_at_once',
                field: 'config.stages',
                message: `Customers are served at once by: ${implied.slice(0, 20).join(', ')}.`,
              },
            ]),
      ],
    };
  },

  verify(config, { bestSolution: outbound, bestFitness, result }) {
    const network = networkOf(config);
    const { stages } = config;
    const times = result['inbound_service_times'] as Record<string, number>;
    const inbound = network.ids.map((name) => times[name]);
    const least = inboundFor(config, network, outbound);
    const isPossible = (promised: readonly number[], given: readonly number[]): boolean =>
      promised.every(
        (time, k) => time >= 0 && time <= network.maxOutbound[k] && time <= given[k] + stages[k].processing_time,
      );
    if (!outbound.every(Number.isInteger) || !isPossible(outbound, inbound)) return 'a service time is not possible';
    if (inbound.some((time, k) => time < least[k])) return 'a stage waits less than its supplier promises';
    const cost = costOf(config, network, { inbound, outbound });
    if (!(isNear(cost, bestFitness) || Math.abs(cost - bestFitness) < 1e-12)) return `the stocks cost ${cost}`;
    for (const [k, time] of outbound.entries()) {
      for (const other of [0, time - 1, time + 1]) {
        const promised = outbound.with(k, other);
        const given = inboundFor(config, network, promised);
        if (!isPossible(promised, given)) continue;
        const found = costOf(config, network, { inbound: given, outbound: promised });
        if (found < bestFitness * (1 - 1e-9) - 1e-12) return `service time ${other} of stage ${k + 1} costs ${found}`;
      }
    }
    return null;
  },

  explain(config, { bestFitness, result }) {
    const { ids } = networkOf(config);
    const stocks = result['safety_stocks'] as Record<string, number>;
    const holders = ids.filter((name) => stocks[name] > 0);
    const [most] = [...holders].sort((a, b) => stocks[b] - stocks[a]);
    const everywhere = Number(result['cost_with_stock_everywhere']);
    return [
      say(
        1,
        'result',
        `Of {stages:stage|stages}, {holders:holds|hold} safety stock, which costs {cost} per ${unitOf(config)}.`,
        {
          holders: holders.length,
          stages: ids.length,
          cost: bestFitness,
        },
      ),
      ...(most === undefined
        ? []
        : [say(1, 'result', `The largest is at ${quote(most)}: {units:unit|units}.`, { units: stocks[most] })]),
      say(2, 'choice', 'Stages without stock wait for their suppliers and pass that time on to who holds stock.', {}),
      say(4, 'sensitivity', 'A tenth more deviation of all demands costs a tenth more, with the same promises.', {}),
      say(5, 'alternatives', 'If every stage held stock and promised no waiting, that would cost {more} more.', {
        more: everywhere - bestFitness,
      }),
    ];
  },

  pictures: {
    network: (config, { bestSolution: outbound, result }) => {
      const network = networkOf(config);
      const { ids, suppliers, order } = network;
      if (ids.length > MAX_DRAWN) return null;
      const stocks = result['safety_stocks'] as Record<string, number>;
      const rank = ids.map(() => 0);
      for (const k of order) for (const i of suppliers[k]) rank[k] = Math.max(rank[k], rank[i] + 1);
      const ranks = Math.max(...rank) + 1;
      const inRank = Array.from({ length: ranks }, (_, r) => order.filter((k) => rank[k] === r));
      const place = ids.map((_, k): [number, number] => {
        const own = inRank[rank[k]];
        const across = (rank[k] + 0.5) / ranks;
        const down = (own.indexOf(k) + 0.5) / own.length;
        return [PLOT.left - 40 + (PLOT.right - PLOT.left + 40) * across, PLOT.top + (PLOT.bottom - PLOT.top) * down];
      });
      const largest = Math.max(...Object.values(stocks), 1e-300);
      const room = (PLOT.right - PLOT.left + 40) / ranks - 8;
      const most = Math.max(...inRank.map((own) => own.length));
      const isRoomy = (PLOT.bottom - PLOT.top) / most >= ROOM_OF_LABELS;
      const at = (value: number): string => value.toFixed(1);
      const lines = ids.flatMap((_, k) =>
        suppliers[k].map((i) => {
          const [[x1, y1], [x2, y2]] = [place[i], place[k]];
          return `<path d="M${at(x1)} ${at(y1)}L${at(x2)} ${at(y2)}" stroke="#999" stroke-width="1.5"/>`;
        }),
      );
      const stages = ids.flatMap((name, k) => {
        const [cx, cy] = place[k];
        const radius = 5 + 19 * Math.sqrt(stocks[name] / largest);
        const fill = stocks[name] > 0 ? BLUE : '#fff';
        return [
          `<circle cx="${at(cx)}" cy="${at(cy)}" r="${at(radius)}" fill="${fill}" stroke="${BLUE}" stroke-width="2"/>`,
          label([cx, cy - radius - 6], cut(name, room), 'middle', HALO),
          ...below([cx, cy + radius + 15], [`stock ${Number(stocks[name].toPrecision(3))}`, `promises ${outbound[k]}`], isRoomy), // prettier-ignore
        ];
      });
      const legend = `Suppliers on the left; area of a circle: safety stock; promises: waiting time (${config.time_unit})`;
      return picture('Safety stock and promised service times', [
        ...lines,
        ...stages,
        label([PLOT.left - 40, PLOT.bottom + 44], legend, 'start'),
      ]);
    },
  },
});
