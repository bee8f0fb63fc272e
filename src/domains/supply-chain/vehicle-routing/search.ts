/** Which method suits a network, and the plan that it finds. */
import { Infeasible, type SolveContext } from '../../problem-type.js';
import { routingEngine, type RoutingSearch } from '../../solvers/routing/engine.js';
import { fitnessOf, timed } from './answer.js';
import { isSmall, MOST_EXACT, solveExactly, type Plan } from './exact.js';
import { distance, hasSkills, locations, type Network } from './network.js';
import { packed, type PackOptions } from './packed.js';
import { loadsOf, roomy, scheduleOf } from './schedule.js';
import { isTour, MOST_TOUR_STOPS, solveTour } from './tour.js';

export interface Found extends Plan {
  readonly method: 'exhaustive_enumeration' | 'dynamic_programming' | 'hybrid_genetic_search' | 'savings_local_search';
  readonly reason: string;
  readonly evaluations: number;
  readonly isOptimal: boolean;
  readonly iterations: number;
}

/** Offspring between two looks at whether there is a better plan. */
const SLICE = 20;
/** Number of customers from which on an offspring may take seconds. */
const MANY = 200;
/** Offspring without a better one after which `fast` and `balanced` end. */
const PATIENCE = { fast: 1_000, balanced: 20_000, accurate: Infinity } as const;
const RESTART = 20_000;

/**
 * Few customers and several types of vehicles: the genetic search may keep to one mix of them, so a second search
 * follows.
 */
const MOST_MIXED = 100;

type Report = (plan: Plan, evaluations: number) => void;

/** @throws {Infeasible} */
export function findPlan(network: Network, context: SolveContext, report: Report): Found {
  refuseHopeless(network);
  if (isTour(network) && network.customers.length <= MOST_TOUR_STOPS) {
    return {
      ...solveTour(network),
      method: 'dynamic_programming',
      reason: `one vehicle without limits and ${network.customers.length} stops: a dynamic programme over sets of stops is exact`,
      evaluations: 1,
      isOptimal: true,
      iterations: 0,
    };
  }
  if (isSmall(network)) {
    const plan = solveExactly(network, () => context.look());
    if (plan === null)
      throw new Infeasible('No plan serves every customer: all routes and all ways to part the customers were tried.', [
        'customers',
        'vehicles',
      ]);
    return {
      routes: plan.routes,
      method: 'exhaustive_enumeration',
      reason: `at most ${MOST_EXACT} customers: all routes are walked and the best set of them chosen, which proves the plan`,
      evaluations: 1,
      isOptimal: true,
      iterations: plan.orders,
    };
  }
  return search(network, context, report);
}

/** Searches without asking whether an exact method would do. @throws {Infeasible} where no plan was found */
export function search(network: Network, context: SolveContext, report: Report): Found {
  if (needsRuin(network)) return byRuin(network, context, context.maxEvaluations, 0, report);
  const mode = isTour(network) && isSymmetric(network) ? 'tour' : 'genetic';
  const isMixed = network.types.length > 1 && network.customers.length <= MOST_MIXED;
  const share = isMixed ? Math.ceil(0.75 * context.maxEvaluations) : context.maxEvaluations;
  const found = bySearch(network, context, mode, share, report);
  if (found === null) {
    // Nothing feasible: a search that keeps all limits and leaves customers out says who is in the way.
    return byRuin(network, context, Math.max(1, Math.floor(context.maxEvaluations / 4)), 0, report);
  }
  const rest = context.maxEvaluations - found.evaluations;
  if (!isMixed || rest < 1 || context.isOver()) return found;
  const value = (plan: Plan): number => fitnessOf(network, timed(network, plan));
  const known = value(found);
  let other: Found;
  try {
    other = byRuin(
      network,
      context,
      Math.min(rest, Math.ceil(context.maxEvaluations / 4)),
      found.evaluations,
      (plan, evaluations) => {
        if (value(plan) < known) report(plan, evaluations);
      },
    );
  } catch (error) {
    if (error instanceof Infeasible) return found;
    throw error;
  }
  return value(other) < known ? other : { ...found, evaluations: other.evaluations };
}

function needsRuin({ customers, shipments, objective }: Network): boolean {
  return (
    shipments.length > 0 ||
    objective === 'makespan' ||
    objective === 'vehicles_then_distance' ||
    customers.some(({ required, windows }) => !required || windows.length > 1)
  );
}

function isSymmetric(network: Network): boolean {
  const size = locations(network);
  for (let a = 0; a < size; a++) {
    for (let b = 0; b < a; b++) if (distance(network, a, b) !== distance(network, b, a)) return false;
  }
  return true;
}

/** Refuses a network that one customer, or the whole demand, shows to have no solution. @throws {Infeasible} */
function refuseHopeless(network: Network): void {
  if (network.allowUnserved) return;
  const { customers, types, dimensions } = network;
  const alone = hopeless(network);
  if (alone.length > 0) {
    const [first] = alone;
    const { id, why } = first;
    const others = alone.length === 1 ? '' : ` The same holds for ${alone.length - 1} other customers.`;
    throw new Infeasible(
      `Customer ${id} cannot be served, not even alone: ${why}.${others}`,
      alone.slice(0, 20).map((one) => `customer ${one.id}`),
    );
  }
  for (let d = 0; d < dimensions; d++) {
    const room = types.reduce((sum, { count, capacity }) => sum + count * capacity[d], 0);
    for (const field of ['demand', 'pickup'] as const) {
      const sum = customers.reduce((total, one) => total + (one.required ? one[field][d] : 0), 0);
      if (sum > roomy(room)) {
        throw new Infeasible(
          `All customers together have a ${field} of ${sum}, and all vehicles together carry ${room}.`,
          ['capacity'],
        );
      }
    }
  }
}

/** Required customers whom no vehicle can serve alone, with their shipment. */
export function hopeless(network: Network): { customer: number; id: string; why: string }[] {
  return network.customers.flatMap((one, i) => {
    if (!one.required) return [];
    const why = whyAlone(network, i);
    return why === null ? [] : [{ customer: i, id: one.id, why }];
  });
}

function whyAlone(network: Network, i: number): string | null {
  const { types, shipments, customers } = network;
  const shipment = shipments.find(({ pickup, delivery }) => pickup === i || delivery === i);
  const route = shipment === undefined ? [i] : [shipment.pickup, shipment.delivery];
  if (types.some((type) => scheduleOf(network, type, route) !== null)) return null;
  const skilled = types.filter((type) => route.every((k) => hasSkills(type, customers[k])));
  if (skilled.length === 0) return 'no vehicle has its skills';
  const { peak } = loadsOf(network, route);
  const roomyTypes = skilled.filter((type) => peak.every((load, d) => load <= roomy(type.capacity[d])));
  if (roomyTypes.length === 0) return 'its load is above the capacity of every vehicle that may serve it';
  // Somebody else's place may lie on a shorter way.
  if (!network.isMetric) return null;
  return 'the way there and back breaks the windows, the shift, or the limits on distance, duration and stops of every vehicle';
}

function bySearch(
  network: Network,
  context: SolveContext,
  mode: PackOptions['mode'],
  budget: number,
  report: Report,
): Found | null {
  const { seed } = context;
  const narrowed = {
    ...network,
    types: network.types.map((type) => ({ ...type, count: useful(network, type.count) })),
  };
  const [integers, reals] = packed(narrowed, { mode, seed, patience: RESTART });
  const engine = routingEngine().open(integers, reals);
  const slots = narrowed.types.flatMap(({ count }, t) => Array.from({ length: count }, () => t));
  const patience = PATIENCE[context.mode];
  let known = Infinity;
  let used = 0;
  while (used < budget && !context.isOver()) {
    const done = runSlice(engine, Math.min(SLICE, budget - used), network, context);
    used += done;
    const cost = engine.bestCost();
    if (cost !== null && cost < known) {
      known = cost;
      report(unpacked(engine.best(), slots).plan, used);
    }
    if (done === 0 || engine.sinceBest >= patience) break;
  }
  if (engine.bestCost() === null) {
    // Over before there was an answer.
    context.look();
    return null;
  }
  return {
    routes: unpacked(engine.best(), slots).plan.routes,
    method: 'hybrid_genetic_search',
    reason:
      mode === 'tour'
        ? 'one vehicle without limits: local search, kicked out of each local optimum'
        : 'many customers: no exact method is fast enough, and genetic search with local search comes closest',
    evaluations: Math.max(1, used),
    isOptimal: false,
    iterations: used,
  };
}

/** Up to `count` offspring; fewer once the run is over. */
function runSlice(engine: RoutingSearch, count: number, { customers }: Network, context: SolveContext): number {
  if (customers.length < MANY) return engine.run(count, context.stop);
  let done = 0;
  while (done < count && !context.isOver() && engine.run(1, context.stop) === 1) done++;
  return done;
}

/** Ruin and recreate; `spent`: evaluations before it. */
function byRuin(network: Network, context: SolveContext, budget: number, spent: number, report: Report): Found {
  const { seed } = context;
  const counted = { ...network, types: network.types.map((type) => ({ ...type, count: useful(network, type.count) })) };
  const [integers, reals] = packed(counted, { mode: 'ruin', seed, patience: RESTART });
  const engine = routingEngine().open(integers, reals);
  const slots = counted.types.flatMap(({ count }, t) => Array.from({ length: count }, () => t));
  const patience = PATIENCE[context.mode] / 10;
  let known = Infinity;
  let used = 0;
  let left: readonly number[] = [];
  let plan: Plan = { routes: [] };
  while (used < budget && !context.isOver()) {
    const done = runSlice(engine, Math.min(SLICE, budget - used), network, context);
    used += done;
    const cost = engine.bestCost();
    if (cost !== null && cost < known) {
      known = cost;
      const state = unpacked(engine.best(), slots);
      plan = state.plan;
      left = state.left.filter((i) => network.customers[i].required);
      if (left.length === 0 || network.allowUnserved) report(plan, spent + used);
    }
    if (done === 0 || (engine.sinceBest >= patience && (left.length === 0 || network.allowUnserved))) break;
  }
  if (known === Infinity) context.look();
  if (left.length > 0 && !network.allowUnserved) {
    context.look();
    const names = left.map((i) => network.customers[i].id);
    throw new Infeasible(
      `No plan was found that serves every customer. The best one leaves out ${names.slice(0, 10).join(', ')}${names.length > 10 ? ` and ${names.length - 10} more` : ''}. ` +
        'More vehicles, longer shifts or `allow_unserved: true` give a plan.',
      names.slice(0, 20).map((name) => `customer ${name}`),
    );
  }
  return {
    routes: plan.routes,
    method: 'savings_local_search',
    reason:
      'limits or an objective beyond the genetic search: parts of the plan are removed and rebuilt, always within all limits',
    evaluations: Math.max(1, spent + used),
    isOptimal: false,
    iterations: used,
  };
}

/**
 * Vehicles beyond this many are never used: each serves a customer, and half as many again as the load needs suffice.
 */
function useful(network: Network, count: number): number {
  const { customers, types, objective } = network;
  const most = Math.min(count, customers.length);
  const isPlain =
    types.length === 1 && customers.every(({ windows, release }) => windows.length === 0 && release === 0);
  const [type] = types;
  if (
    !isPlain ||
    objective === 'makespan' ||
    [type.maxDistance, type.maxDuration, type.maxStops, type.end].some(Number.isFinite)
  )
    return most;
  let needed = 1;
  for (let d = 0; d < network.dimensions; d++) {
    for (const field of ['demand', 'pickup'] as const) {
      const sum = customers.reduce((total, one) => total + one[field][d], 0);
      if (sum > 0) needed = Math.max(needed, Math.ceil(sum / type.capacity[d]));
    }
  }
  return Math.min(most, Math.ceil(1.3 * needed) + 3);
}

function unpacked(list: Int32Array, slots: readonly number[]): { plan: Plan; left: number[] } {
  const routes: { type: number; customers: number[] }[] = [];
  const left: number[] = [];
  for (let k = 0; k < list.length;) {
    const slot = list[k];
    const customers = Array.from(list.subarray(k + 2, k + 2 + list[k + 1]));
    if (slot < 0) left.push(...customers);
    else routes.push({ type: slots[slot], customers });
    k += 2 + list[k + 1];
  }
  return { plan: { routes }, left };
}
