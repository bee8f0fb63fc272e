/** Which vehicles to book so that most people are reached often enough: maximum coverage, a programme of 0 and 1. */
import { z } from 'zod';
import { quote, say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import { lineChart } from '../../charts/line-chart.js';
import { amount, checkUnique, count, id, list, withIds } from '../../fields.js';
import { model } from '../../problem-type.js';
import type { LinearProgram } from '../../solvers/linear-program.js';
import { choose, multipliersOf, proofOf } from '../../solvers/binary-programme.js';

export const MOST_VEHICLES = 1_000;
export const MOST_GROUPS = 5_000;
export const MOST_COVERS = 50_000;
/** Bookings in a picture. */
const MOST_DRAWN = 60;

const fields = z.strictObject({
  vehicles: list(
    z.strictObject({
      id: id.optional(),
      cost: amount('Cost of booking it').max(1e12),
      covers: z.array(z.string().max(200)).max(MOST_GROUPS).describe('Ids of the audience groups that see it'),
    }),
    'What can be booked',
    MOST_VEHICLES,
  ),
  audience_groups: list(
    z.strictObject({ id: id.optional(), size: amount('People in it').max(1e12) }),
    'Whom to reach',
    MOST_GROUPS,
  ),
  budget: amount('Money for bookings'),
  min_frequency: count('Vehicles that must cover a group for it to be reached', 1, MOST_VEHICLES).default(1),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;

/** By vehicle: places of the groups that it covers. */
function coveredBy({ vehicles, audience_groups }: Config): number[][] {
  const places = new Map(withIds(audience_groups).map(({ id: name }, g) => [name, g]));
  return vehicles.map(({ covers }) => [...new Set(covers)].map((name) => places.get(name) ?? -1));
}

function reachOf(config: Config, isBooked: (vehicle: number) => boolean): number[] {
  const seen = config.audience_groups.map(() => 0);
  for (const [v, groups] of coveredBy(config).entries()) if (isBooked(v)) for (const g of groups) seen[g]++;
  return seen.flatMap((times, g) => (times >= config.min_frequency ? [g] : []));
}

function programOf(config: Config): LinearProgram {
  const { vehicles, audience_groups, budget, min_frequency } = config;
  const n = vehicles.length;
  const ids = withIds(vehicles).map((vehicle) => vehicle.id);
  const groups = withIds(audience_groups);
  const coveredFrom = groups.map((): number[] => []);
  for (const [v, places] of coveredBy(config).entries()) for (const g of places) coveredFrom[g].push(v);
  return {
    sense: 'maximize',
    columns: [
      ...ids.map((name) => ({ name: `book ${name}`, cost: 0, upper: 1, isInteger: true })),
      // With a frequency of 1 a group is reached in whole where the bookings are whole.
      ...groups.map(({ id: name, size }) => ({
        name: `reach ${name}`,
        cost: size,
        upper: 1,
        isInteger: min_frequency > 1,
      })),
    ],
    rows: [
      {
        name: 'budget',
        upper: budget,
        terms: vehicles.flatMap(({ cost }, v) => (cost === 0 ? [] : [[v, cost] as const])),
      },
      ...groups.map(({ id: name }, g) => ({
        name: `frequency of ${name}`,
        upper: 0,
        terms: [[n + g, min_frequency] as const, ...coveredFrom[g].map((v) => [v, -1] as const)],
      })),
    ],
  };
}

export const mediaReach = model({
  name: 'media_reach',
  summary: 'Which media to book so that most people are reached within a budget.',
  fields,
  example: {
    model: 'media_reach',
    vehicles: [
      { id: 'radio', cost: 20, covers: ['young', 'commuters'] },
      { id: 'paper', cost: 15, covers: ['older', 'commuters'] },
      { id: 'feed', cost: 12, covers: ['young', 'students'] },
      { id: 'tv', cost: 40, covers: ['young', 'older', 'parents'] },
    ],
    audience_groups: [
      { id: 'young', size: 300 },
      { id: 'older', size: 420 },
      { id: 'commuters', size: 260 },
      { id: 'students', size: 150 },
      { id: 'parents', size: 210 },
    ],
    budget: 55,
  },

  check({ vehicles, audience_groups }, complain) {
    if (!checkUnique(vehicles, 'vehicles', complain) || !checkUnique(audience_groups, 'audience_groups', complain))
      return;
    const known = new Set(withIds(audience_groups).map(({ id: name }) => name));
    let covers = 0;
    for (const [v, vehicle] of vehicles.entries()) {
      covers += vehicle.covers.length;
      const unknown = vehicle.covers.findIndex((name) => !known.has(name));
      if (unknown >= 0)
        return complain(['vehicles', v, 'covers', unknown], '`{field}` is the id of no audience group.');
    }
    if (covers > MOST_COVERS) complain(['vehicles'], `\`{field}\` can cover at most ${MOST_COVERS} groups together.`);
  },

  sense: () => 'maximize',

  async solve(config, context) {
    const { vehicles, audience_groups, budget, min_frequency } = config;
    const program = programOf(config);
    const sizeOf = (groups: readonly number[]): number => groups.reduce((sum, g) => sum + audience_groups[g].size, 0);
    const chosen = await choose(program, context, {
      objective: (values) => sizeOf(reachOf(config, (v) => values[v] === 1)),
      infeasible: 'No bookings keep the budget.',
    });
    const multiplier = (await multipliersOf(program, context))?.[0] ?? null;
    // A booking that nobody needs is left out, the dearest first.
    const booked = vehicles.map((_, v) => chosen.values[v] === 1);
    const reach = sizeOf(reachOf(config, (v) => booked[v]));
    const byCost = vehicles.map((_, v) => v).sort((a, b) => vehicles[b].cost - vehicles[a].cost || b - a);
    for (const v of byCost) {
      if (booked[v] && sizeOf(reachOf(config, (other) => other !== v && booked[other])) >= reach) booked[v] = false;
    }
    const ids = withIds(vehicles).map((vehicle) => vehicle.id);
    const groups = withIds(audience_groups).map((group) => group.id);
    const reached = new Set(reachOf(config, (v) => booked[v]));
    const spend = vehicles.reduce((sum, { cost }, v) => sum + (booked[v] ? cost : 0), 0);
    const seen = groups.map(() => 0);
    for (const places of coveredBy(config)) for (const g of places) seen[g]++;
    const everybody = audience_groups.reduce((sum, { size }) => sum + size, 0);
    return {
      reason: 'what is booked and who is reached are choices of yes and no under linear limits',
      bestSolution: booked.map((isBooked) => (isBooked ? 1 : 0)),
      bestFitness: reach,
      decisionVariables: ids.map((name) => `book ${name}`),
      result: {
        reach,
        reach_share: everybody > 0 ? reach / everybody : 0,
        vehicles: ids.filter((_, v) => booked[v]),
        groups: groups.filter((_, g) => reached.has(g)),
        spend,
        budget_multiplier: multiplier,
        left_out: groups.flatMap((name, g) => {
          if (reached.has(g)) return [];
          return [
            { id: name, reason: seen[g] < min_frequency ? 'too_few_vehicles_cover_it' : 'others_are_reached_for_less' },
          ];
        }),
      },
      ...proofOf(chosen, reach),
      constraints: [
        {
          name: 'budget',
          value: spend,
          limit: budget,
          slack: budget - spend,
          binding: budget - spend <= 1e-9 * (1 + budget),
        },
      ],
      assumptions:
        min_frequency === 1
          ? [
              {
                code: 'one_contact_is_enough',
                field: 'config.min_frequency',
                message: 'A group is reached by one vehicle that covers it, in whole.',
              },
            ]
          : [],
    };
  },

  verify({ vehicles, audience_groups, budget, min_frequency }, { bestSolution, bestFitness }) {
    const spend = vehicles.reduce((sum, { cost }, v) => sum + cost * bestSolution[v], 0);
    if (spend > budget + 1e-8 * (1 + budget)) return `${spend} is more than the budget`;
    const seen = new Map<string, number>();
    for (const [v, { covers }] of vehicles.entries()) {
      if (bestSolution[v] === 1) for (const name of new Set(covers)) seen.set(name, (seen.get(name) ?? 0) + 1);
    }
    const reach = withIds(audience_groups).reduce(
      (sum, { id: name, size }) => sum + ((seen.get(name) ?? 0) >= min_frequency ? size : 0),
      0,
    );
    return Math.abs(reach - bestFitness) <= 1e-9 * (1 + reach) ? null : `${reach} people are reached`;
  },

  explain({ budget }, { bestFitness, result }) {
    const { vehicles, reach_share, spend, left_out, budget_multiplier } = result as unknown as {
      readonly vehicles: readonly string[];
      readonly reach_share: number;
      readonly spend: number;
      readonly left_out: readonly unknown[];
      readonly budget_multiplier: number | null;
    };
    const names = quote(vehicles.slice(0, 8).join(', '));
    const statements: Statement[] = [
      vehicles.length === 0
        ? say(1, 'result', 'Book nothing: nobody is reached within the budget.', {})
        : say(
            1,
            'result',
            `Book ${names}${vehicles.length > 8 ? ', ...' : ''}: that reaches {reach} people, {share} percent.`,
            {
              reach: bestFitness,
              share: 100 * reach_share,
            },
          ),
      say(2, 'choice', '{spend} of the budget of {budget} is spent; {count:group is|groups are} not reached.', {
        spend,
        budget,
        count: left_out.length,
      }),
    ];
    if (budget_multiplier !== null && budget_multiplier > 0) {
      statements.push(
        say(
          4,
          'sensitivity',
          'If insertions could be bought in part, one more unit of budget would reach at most {worth} more people.',
          {
            worth: budget_multiplier,
          },
        ),
      );
    }
    return statements;
  },

  pictures: {
    reach_by_spend: (config, { bestSolution }) => {
      const left = new Set(config.vehicles.flatMap((_, v) => (bestSolution[v] === 1 ? [v] : [])));
      if (left.size === 0 || left.size > MOST_DRAWN) return null;
      const booked = new Set<number>();
      const sizeOf = (vehicles: ReadonlySet<number>): number =>
        reachOf(config, (v) => vehicles.has(v)).reduce((sum, g) => sum + config.audience_groups[g].size, 0);
      const points: [number, number][] = [[0, 0]];
      let spend = 0;
      while (left.size > 0) {
        const now = sizeOf(booked);
        const rate = (v: number): number => (sizeOf(new Set([...booked, v])) - now) / (config.vehicles[v].cost || 1e-9);
        const next = [...left].reduce((a, b) => (rate(b) > rate(a) ? b : a));
        left.delete(next);
        booked.add(next);
        spend += config.vehicles[next].cost;
        points.push([spend, sizeOf(booked)]);
      }
      return lineChart({
        title: 'People reached by the booked media, the best first',
        xName: `spend (${config.currency ?? 'money'})`,
        yName: 'people',
        series: [{ name: 'reach', points, isStepped: true }],
      });
    },
  },
});
