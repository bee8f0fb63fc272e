/**
 * Few customers: every order that keeps the limits is walked, which gives the best route of each vehicle type for each
 * set of customers; a dynamic programme over sets then parts the customers among the vehicles.
 */
import { ratesOf, type Network } from './network.js';
import { limitBroken, priceOf, scheduleOf, timesOf } from './schedule.js';

export const MOST_EXACT = 9;
/** Orders times types that are walked at most; more is left to the search. */
const MOST_ORDERS = 12e6;

/** Type and customers of each route. */
export interface Plan {
  readonly routes: readonly { readonly type: number; readonly customers: readonly number[] }[];
}

interface ExactPlan extends Plan {
  readonly orders: number;
}

/** Orders of up to n customers: the sum of n! / (n - k)!. */
function ordersOf(n: number): number {
  let sum = 0;
  let product = 1;
  for (let k = 0; k < n; k++) {
    product *= n - k;
    sum += product;
  }
  return sum;
}

export const isSmall = (network: Network): boolean =>
  network.customers.length <= MOST_EXACT && ordersOf(network.customers.length) * network.types.length <= MOST_ORDERS;

/** Ranked by customers who had to be served and are not, then by objective, then by distance. */
type Value = readonly [unserved: number, objective: number, second: number];

const isLess = (a: Value, b: Value): boolean => {
  for (let k = 0; k < 3; k++) {
    const gap = a[k] - b[k];
    if (Math.abs(gap) > 1e-12 * Math.max(1, Math.abs(a[k]))) return gap < 0;
  }
  return false;
};

interface BestRoute {
  readonly price: number;
  readonly second: number;
  readonly customers: readonly number[];
}

/** The best routes of a type by set of customers, undefined where there is none. */
function routesOf(network: Network, t: number, look: () => void): { best: (BestRoute | undefined)[]; orders: number } {
  const n = network.customers.length;
  const type = network.types[t];
  const best: (BestRoute | undefined)[] = [];
  const route: number[] = [];
  let orders = 0;
  const { perTime } = ratesOf(network.objective, type);
  const walk = (set: number): void => {
    for (let i = 0; i < n; i++) {
      const bit = 1 << i;
      if ((set & bit) !== 0) continue;
      route.push(i);
      if ((++orders & 1023) === 0) look();
      // A route that cannot be kept on time is not mended by more stops.
      if (timesOf(network, { ...type, end: Infinity, maxDuration: Infinity }, route, false) !== null) {
        if (limitBroken(network, type, route) === null) {
          const schedule = scheduleOf(network, type, route);
          if (schedule !== null) {
            const price = priceOf(network, type, schedule);
            const second = network.objective === 'makespan' || perTime > 0 ? schedule.distance : 0;
            const known = best[set | bit];
            if (known === undefined || isLess([0, price, second], [0, known.price, known.second])) {
              best[set | bit] = { price, second, customers: [...route] };
            }
          }
        }
        if (route.length < Math.min(n, type.maxStops)) walk(set | bit);
      }
      route.pop();
    }
  };
  walk(0);
  return { best, orders };
}

interface State {
  readonly value: Value;
  readonly before: State | null;
  readonly type: number;
  readonly customers: readonly number[];
}

/** Null: some customer who has to be served cannot be, and may not be left out. */
export function solveExactly(network: Network, look: () => void): ExactPlan | null {
  const n = network.customers.length;
  const { objective } = network;
  const start: State = { value: [0, 0, 0], before: null, type: -1, customers: [] };
  let states: (State | undefined)[] = [];
  states[0] = start;
  let orders = 0;
  for (const [t, type] of network.types.entries()) {
    const walked = routesOf(network, t, look);
    orders += walked.orders;
    for (let vehicle = 0; vehicle < Math.min(type.count, n); vehicle++) {
      const next = [...states];
      for (let set = 0; set < 1 << n; set++) {
        const state = states[set];
        if (state === undefined) continue;
        const rest = ((1 << n) - 1) & ~set;
        for (let more = rest; more > 0; more = (more - 1) & rest) {
          const route = walked.best[more];
          if (route === undefined) continue;
          const value = joined(objective, state.value, route);
          const known = next[set | more];
          if (known !== undefined && !isLess(value, known.value)) continue;
          next[set | more] = { value, before: state, type: t, customers: route.customers };
        }
      }
      states = next;
    }
  }
  let best: State | null = null;
  let bestValue: Value | null = null;
  for (const [set, state] of states.entries()) {
    if (state === undefined) continue;
    const [, price, second] = state.value;
    let unserved = 0;
    let missed = 0;
    for (let i = 0; i < n; i++) {
      if ((set & (1 << i)) !== 0) continue;
      const customer = network.customers[i];
      if (customer.required) unserved++;
      else missed += customer.prize;
    }
    if (unserved > 0 && !network.allowUnserved) continue;
    const value: Value = [unserved, price + missed, second];
    if (bestValue !== null && !isLess(value, bestValue)) continue;
    bestValue = value;
    best = state;
  }
  if (best === null) return null;
  const routes: { type: number; customers: readonly number[] }[] = [];
  for (let at: State | null = best; at !== null && at.type >= 0; at = at.before) {
    routes.unshift({ type: at.type, customers: at.customers });
  }
  return { routes, orders };
}

function joined(objective: Network['objective'], value: Value, route: BestRoute): Value {
  if (objective === 'vehicles_then_distance') return [0, value[1] + 1, value[2] + route.price];
  if (objective === 'makespan') return [0, Math.max(value[1], route.price), value[2] + route.second];
  return [0, value[1] + route.price, value[2] + route.second];
}
