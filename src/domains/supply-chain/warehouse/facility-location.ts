/**
 * Facility location: which sites open, and which of them serves each customer. A mixed-integer programme in its strong
 * form: no customer gets anything from a closed site, customer by customer, not only in sum.
 * Sources: Balinski, Management Science 12 (1965); Beasley, EJOR 33 (1988), whose test files `instance` takes.
 */
import { z } from 'zod';
import { quote, say } from '../../../explanation/say.js';
import type { ConstraintState } from '../../../model/problem.js';
import { barChart } from '../../charts/bar-chart.js';
import { amount, checkUnique, count, id, list, matrix, withIds } from '../../fields.js';
import { Infeasible, model } from '../../problem-type.js';
import { HIGHS } from '../../solvers/highs/linear-solver.js';
import type { Column, LinearProgram, Row } from '../../solvers/linear-program.js';
import { instanceField, readOrlib } from './instances.js';

export const MOST_SITES = 200;
export const MOST_CUSTOMERS = 1_000;
/** Sites times customers: what the solver's memory holds. */
export const MOST_LINKS = 40_000;

const fields = z.strictObject({
  facilities: list(
    z.strictObject({
      id: id.optional(),
      fixed_cost: amount('Cost of opening the site'),
      capacity: amount('Demand that it can serve. Absent: any').optional(),
    }),
    'Sites that may be opened',
    MOST_SITES,
  ).optional(),
  customers: list(
    z.strictObject({ id: id.optional(), demand: amount('Demand, in the unit of the capacities').default(1) }),
    'Who must be served',
    MOST_CUSTOMERS,
  ).optional(),
  assignment_costs: matrix(
    'Row per customer, column per facility: cost of serving all of the customer from there',
    { most: MOST_CUSTOMERS },
    { most: MOST_SITES, minimum: 0 },
  ).optional(),
  instance: instanceField('orlib_cap', '`facilities`, `customers` and `assignment_costs`'),
  capacitated: z.boolean().default(false).describe('Whether capacities hold'),
  single_source: z.boolean().default(false).describe('Whether each customer is served by one facility only'),
  max_facilities: count('Facilities that may be open at most', 1, MOST_SITES).optional(),
});

type Config = z.output<typeof fields>;

interface Sites {
  readonly facilities: readonly { readonly id: string; readonly fixedCost: number; readonly capacity: number }[];
  readonly customers: readonly { readonly id: string; readonly demand: number }[];
  /** [customer][facility] */
  readonly costs: readonly (readonly number[])[];
}

function sitesOf(config: Config): Sites {
  if (config.instance !== undefined) {
    const read = readOrlib(config.instance.text, { facilities: MOST_SITES, customers: MOST_CUSTOMERS });
    if ('fault' in read) throw new Error(read.fault);
    const { capacities, fixedCosts, demands, costs } = read.content;
    return {
      facilities: fixedCosts.map((fixedCost, i) => {
        return { id: String(i + 1), fixedCost, capacity: config.capacitated ? capacities[i] : Infinity };
      }),
      customers: demands.map((demand, j) => ({ id: String(j + 1), demand })),
      costs,
    };
  }
  return {
    facilities: withIds(config.facilities ?? []).map(({ id: name, fixed_cost, capacity = Infinity }) => {
      return { id: name, fixedCost: fixed_cost, capacity: config.capacitated ? capacity : Infinity };
    }),
    customers: withIds(config.customers ?? []).map(({ id: name, demand }) => ({ id: name, demand })),
    costs: config.assignment_costs ?? [],
  };
}

/** Columns: each site, then each customer's shares of all sites. */
function programOf({ facilities, customers, costs }: Sites, { single_source, max_facilities }: Config): LinearProgram {
  const m = facilities.length;
  const share = (j: number, i: number): number => m + j * m + i;
  const columns: Column[] = facilities.map(({ id: name, fixedCost }) => {
    return { name: `open ${name}`, cost: fixedCost, upper: 1, isInteger: true };
  });
  const rows: Row[] = [];
  for (const [j, customer] of customers.entries()) {
    for (const [i, facility] of facilities.entries()) {
      columns.push({
        name: `${customer.id} from ${facility.id}`,
        cost: costs[j][i],
        upper: 1,
        isInteger: single_source,
      });
    }
    rows.push({ name: `serve ${customer.id}`, lower: 1, upper: 1, terms: facilities.map((_, i) => [share(j, i), 1]) });
    for (const [i, facility] of facilities.entries()) {
      const terms = [
        [share(j, i), 1],
        [i, -1],
      ] as const;
      rows.push({ name: `${customer.id} from open ${facility.id}`, upper: 0, terms });
    }
  }
  for (const [i, { id: name, capacity }] of facilities.entries()) {
    if (!Number.isFinite(capacity)) continue;
    const load = customers.flatMap(({ demand }, j) => (demand > 0 ? [[share(j, i), demand] as const] : []));
    rows.push({ name: `capacity of ${name}`, upper: 0, terms: [...load, [i, -capacity]] });
  }
  if (max_facilities !== undefined) {
    rows.push({ name: 'max_facilities', upper: max_facilities, terms: facilities.map((_, i) => [i, 1]) });
  }
  return { sense: 'minimize', columns, rows };
}

/** [customer][facility], each row with the sum 1. */
type Shares = readonly (readonly number[])[];

/**
 * Removes the rest that rounding left: nothing comes from closed sites, and all from the cheapest open one where
 * capacity does not matter.
 */
function cleaned(
  { facilities, customers, costs }: Sites,
  { single_source, capacitated }: Config,
  values: Float64Array,
): Shares {
  const m = facilities.length;
  const isOpen = facilities.map((_, i) => values[i] > 0.5);
  return customers.map((_, j) => {
    const row = facilities.map((_site, i) => (isOpen[i] ? Math.max(0, values[m + j * m + i]) : 0));
    let best = -1;
    for (let i = 0; i < m; i++) {
      if (!isOpen[i]) continue;
      const isBetter = best < 0 || (capacitated ? row[i] > row[best] : costs[j][i] < costs[j][best]);
      if (isBetter) best = i;
    }
    if (!capacitated || single_source) return row.map((_share, i) => (i === best ? 1 : 0));
    const kept = row.map((part) => (part < 1e-7 ? 0 : part));
    const sum = kept.reduce((a, b) => a + b, 0);
    return kept.map((part) => part / sum);
  });
}

const isUsed = (shares: Shares, i: number): boolean => shares.some((row) => row[i] > 0);

const loadOf = ({ customers }: Sites, shares: Shares, i: number): number =>
  customers.reduce((sum, { demand }, j) => sum + demand * shares[j][i], 0);

const partsOf = (sites: Sites, shares: Shares): { readonly fixed: number; readonly assignment: number } => ({
  fixed: sites.facilities.reduce((sum, { fixedCost }, i) => sum + (isUsed(shares, i) ? fixedCost : 0), 0),
  assignment: sites.costs.reduce((sum, row, j) => sum + row.reduce((all, cost, i) => all + cost * shares[j][i], 0), 0),
});

const mainSource = (row: readonly number[]): number => row.indexOf(Math.max(...row));

export const facilityLocation = model({
  name: 'facility_location',
  summary: 'Which sites to open, and from which each customer is served, so that fixed and delivery costs are least.',
  fields,
  example: {
    model: 'facility_location',
    facilities: [
      { id: 'North', fixed_cost: 900, capacity: 60 },
      { id: 'Harbour', fixed_cost: 1200, capacity: 80 },
      { id: 'South', fixed_cost: 700, capacity: 40 },
    ],
    customers: [
      { id: 'Alder', demand: 20 },
      { id: 'Birch', demand: 30 },
      { id: 'Cedar', demand: 15 },
      { id: 'Dogwood', demand: 25 },
    ],
    assignment_costs: [
      [120, 300, 520],
      [480, 210, 260],
      [390, 150, 130],
      [250, 330, 480],
    ],
    capacitated: true,
  },

  check(config, complain) {
    const { facilities, customers, assignment_costs, instance } = config;
    let links = 0;
    if (instance !== undefined) {
      const twice = Object.entries({ facilities, customers, assignment_costs }).find(
        ([, value]) => value !== undefined,
      );
      if (twice !== undefined)
        return complain([twice[0]], '`{field}` and `config.instance` say the same: send one of them.');
      const read = readOrlib(instance.text, { facilities: MOST_SITES, customers: MOST_CUSTOMERS });
      if ('fault' in read) return complain(['instance', 'text'], read.fault);
      links = read.content.demands.length * read.content.capacities.length;
    } else {
      for (const [name, value] of Object.entries({ facilities, customers, assignment_costs })) {
        if (value === undefined)
          return complain([name], '`{field}` is required, or `instance` with a file of the OR-Library instead.');
      }
      if (facilities === undefined || customers === undefined || assignment_costs === undefined) return;
      if (!checkUnique(facilities, 'facilities', complain) || !checkUnique(customers, 'customers', complain)) return;
      if (assignment_costs.length !== customers.length || assignment_costs[0]?.length !== facilities.length) {
        return complain(
          ['assignment_costs'],
          `\`{field}\` must have a row for each of the ${customers.length} customers and a column for each of the ${facilities.length} facilities, not ${assignment_costs.length} rows and ${assignment_costs[0]?.length} columns.`,
        );
      }
      const most = facilities.reduce((all, { capacity = Infinity }) => Math.max(all, capacity), 0);
      const large = customers.findIndex(({ demand }) => demand > most);
      if (config.capacitated && config.single_source && large >= 0) {
        return complain(
          ['customers', large, 'demand'],
          `\`{field}\` = ${customers[large]?.demand} is above every facility's capacity, and \`config.single_source\` lets one facility serve it only.`,
        );
      }
      links = customers.length * facilities.length;
    }
    if (links > MOST_LINKS) {
      complain(
        [instance === undefined ? 'customers' : 'instance'],
        `\`{field}\`: facilities times customers must be at most ${MOST_LINKS}, not ${links}.`,
      );
    }
  },

  sense: () => 'minimize',

  async solve(config, context) {
    const sites = sitesOf(config);
    const { facilities, customers } = sites;
    const demand = customers.reduce((sum, customer) => sum + customer.demand, 0);
    const room = facilities.map(({ capacity }) => capacity).sort((a, b) => b - a);
    const capacity = room.slice(0, config.max_facilities).reduce((sum, value) => sum + value, 0);
    if (demand > capacity) {
      const few =
        config.max_facilities === 1 ? 'The largest facility alone' : `The ${config.max_facilities} largest facilities`;
      const which = config.max_facilities === undefined ? 'All facilities together' : few;
      throw new Infeasible(`${which} can serve ${capacity}, and the customers need ${demand}.`, [
        ...(config.max_facilities === undefined ? [] : ['max_facilities']),
        'capacity',
      ]);
    }
    const solution = await context.solveLinear(programOf(sites, config), { gap: context.mode === 'fast' ? 0.01 : 0 });
    if (solution.status === 'infeasible') {
      throw new Infeasible(
        'The demand of the customers cannot be split over the capacities of the facilities in this way.',
        solution.conflict,
      );
    }
    const { values } = solution;
    if (values === null) {
      context.look();
      throw new Error(`facility location is ${solution.status}`);
    }
    const shares = cleaned(sites, config, values);
    const { fixed, assignment } = partsOf(sites, shares);
    const cost = fixed + assignment;
    const bound = Math.min(cost, solution.bound ?? -Infinity);
    const isProven = solution.status === 'optimal' && cost - bound <= 1e-7 * Math.max(1, Math.abs(cost));
    const open = facilities.flatMap((facility, i) => (isUsed(shares, i) ? [{ ...facility, i }] : []));
    const constraints = open.flatMap(({ id: name, capacity: limit, i }): ConstraintState[] => {
      if (!Number.isFinite(limit)) return [];
      const value = loadOf(sites, shares, i);
      const slack = limit - value;
      return [{ name: `capacity of ${name}`, value, limit, slack, binding: slack <= 1e-6 * Math.max(1, limit) }];
    });
    if (config.max_facilities !== undefined) {
      const slack = config.max_facilities - open.length;
      constraints.push({
        name: 'max_facilities',
        value: open.length,
        limit: config.max_facilities,
        slack,
        binding: slack === 0,
      });
    }
    return {
      method: 'milp',
      reason:
        'opening a site is a yes or no, the rest is linear: an integer programme in its strong form is proven by branch and bound',
      bestSolution: shares.map((row) => mainSource(row) + 1),
      bestFitness: cost,
      decisionVariables: customers.map((customer) => `facility_of_${customer.id}`),
      result: {
        total_cost: cost,
        fixed_cost: fixed,
        assignment_cost: assignment,
        open_facilities: open.map(({ id: name, fixedCost, capacity: limit, i }) => ({
          id: name,
          fixed_cost: fixedCost,
          load: loadOf(sites, shares, i),
          capacity: Number.isFinite(limit) ? limit : null,
          customers: shares.filter((row) => row[i] > 0).length,
        })),
        assignments: customers.flatMap((customer, j) =>
          facilities.flatMap((facility, i) => {
            const share = shares[j][i];
            return share > 0
              ? [{ customer: customer.id, facility: facility.id, share, cost: share * sites.costs[j][i] }]
              : [];
          }),
        ),
      },
      optimality: isProven
        ? { status: 'optimal', bound, proof: 'branch_and_bound' }
        : { status: 'feasible', bound: Number.isFinite(bound) ? bound : null, proof: null },
      evaluations: 1,
      library: HIGHS,
      iterations: solution.iterations,
      nodes: solution.nodes,
      constraints,
      assumptions:
        !config.capacitated &&
        (config.instance !== undefined || config.facilities?.some((facility) => facility.capacity !== undefined))
          ? [
              {
                code: 'capacities_ignored',
                field: 'config.capacitated',
                message: '`capacitated` is false: capacities of the facilities are not looked at.',
              },
            ]
          : [],
      detail: shares,
    };
  },

  verify(config, { bestFitness, bestSolution, result }) {
    const { facilities, customers, costs } = sitesOf(config);
    const at = new Map(facilities.map(({ id: name }, i) => [name, i]));
    const who = new Map(customers.map(({ id: name }, j) => [name, j]));
    const loads = facilities.map(() => 0);
    const served = customers.map(() => 0);
    const sources = customers.map(() => 0);
    let sum = 0;
    const listed = result.assignments as unknown as readonly {
      readonly customer: string;
      readonly facility: string;
      readonly share: number;
    }[];
    for (const { customer, facility, share } of listed) {
      const [i, j] = [at.get(facility)!, who.get(customer)!];
      loads[i] += share * customers[j].demand;
      served[j] += share;
      sources[j]++;
      sum += share * costs[j][i];
    }
    const open = new Set(listed.map(({ facility }) => facility));
    for (const name of open) sum += facilities[at.get(name)!].fixedCost;
    if (served.some((part) => Math.abs(part - 1) > 1e-9)) return 'a customer is not served in full';
    if (config.single_source && sources.some((n) => n !== 1)) return 'a customer has two sources';
    if (config.max_facilities !== undefined && open.size > config.max_facilities)
      return `${open.size} facilities are open`;
    const over = facilities.findIndex(({ capacity }, i) => loads[i] > capacity * (1 + 1e-6) + 1e-6);
    if (over >= 0) return `facility ${over + 1} serves ${loads[over]}, more than its capacity`;
    if (bestSolution.some((i) => !(i >= 1 && i <= facilities.length))) return 'there is no such facility';
    return Math.abs(sum - bestFitness) <= 1e-9 * Math.max(1, sum) ? null : `the costs add up to ${sum}`;
  },

  explain(config, { bestFitness, result, optimality, nodes = 0, detail }) {
    const sites = sitesOf(config);
    const { fixed_cost, assignment_cost, open_facilities } = result as unknown as {
      readonly fixed_cost: number;
      readonly assignment_cost: number;
      readonly open_facilities: readonly { readonly id: string; readonly load: number }[];
    };
    const names = open_facilities.map(({ id: name }) => name);
    const listed = names.length <= 6 ? `: ${quote(names.join(', '))}` : '';
    const rise = config.capacitated ? null : dearest(sites, detail as Shares);
    return [
      say(
        1,
        'result',
        `Open {open} of {all} facilities${listed}. All customers are served for {cost}: {fixed} fixed, {assignment} for serving.`,
        {
          open: names.length,
          all: sites.facilities.length,
          cost: bestFitness,
          fixed: fixed_cost,
          assignment: assignment_cost,
        },
      ),
      optimality.status === 'optimal'
        ? say(
            2,
            'choice',
            'No other choice costs less: branch and bound over the integer programme ended after {nodes:node|nodes}.',
            { nodes },
          )
        : say(2, 'choice', 'The search ended before the proof; {bound} is a lower bound of the cost.', {
            bound: optimality.bound ?? 0,
          }),
      ...(rise === null
        ? []
        : [
            say(
              4,
              'sensitivity',
              `Without ${quote(rise.name)} its customers would cost {more} more to serve from the others, for {fixed} of fixed cost saved.`,
              {
                more: rise.more,
                fixed: rise.fixed,
              },
            ),
          ]),
    ];
  },

  pictures: {
    open_facilities: (config, { result }) => {
      const facilities = result.open_facilities as unknown as readonly {
        readonly id: string;
        readonly load: number;
        readonly capacity: number | null;
      }[];
      return drawLoads(facilities, sitesOf(config).facilities.length);
    },
  },
});

/** The open site whose customers would suffer least from its closing, where others are open. */
function dearest(
  { facilities, costs }: Sites,
  shares: Shares,
): { readonly name: string; readonly more: number; readonly fixed: number } | null {
  const open = facilities.flatMap((_, i) => (isUsed(shares, i) ? [i] : []));
  if (open.length < 2) return null;
  const closings = open.map((i) => {
    const others = open.filter((other) => other !== i);
    const more = shares.reduce((sum, row, j) => {
      return row[i] === 1 ? sum + Math.min(...others.map((other) => costs[j][other])) - costs[j][i] : sum;
    }, 0);
    return { name: facilities[i].id, more, fixed: facilities[i].fixedCost };
  });
  return closings.reduce((a, b) => (b.more - b.fixed < a.more - a.fixed ? b : a));
}

const MOST_DRAWN = 40;

/** Open facilities as bars: what they serve, against what they could. */
function drawLoads(
  open: readonly { readonly id: string; readonly load: number; readonly capacity: number | null }[],
  all: number,
): string {
  const drawn = [...open].sort((a, b) => b.load - a.load).slice(0, MOST_DRAWN);
  return barChart({
    title: `Open facilities: ${open.length} of ${all}`,
    xName: 'demand served',
    names: drawn.map(({ id }) => id),
    series: [{ name: 'demand served', values: drawn.map(({ load }) => load) }],
    frames: { name: 'capacity', values: drawn.map(({ capacity }) => capacity) },
  });
}
