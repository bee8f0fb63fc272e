/** One vehicle that has to serve everyone and has no limit that binds: a travelling salesman. */
import type { Plan } from './exact.js';
import { distance, duration, hasSkills, ratesOf, type Network } from './network.js';
import { limitBroken } from './schedule.js';

/** Stops for which the dynamic programme is quick: 13 x 2^13 states. */
export const MOST_TOUR_STOPS = 13;

export function isTour(network: Network): boolean {
  const { types, customers, shipments, objective } = network;
  const [type] = types;
  return (
    types.length === 1 &&
    type.count === 1 &&
    objective !== 'makespan' &&
    type.depot === type.endDepot &&
    shipments.length === 0 &&
    [type.end, type.maxDistance, type.maxDuration, type.maxStops].every((limit) => limit === Infinity) &&
    customers.every((one) => one.required && one.windows.length === 0 && hasSkills(type, one)) &&
    customers.every(({ pickup }) => pickup.every((load) => load === 0)) &&
    limitBroken(
      network,
      type,
      customers.map((_, i) => i),
    ) === null
  );
}

/** Held and Karp 1962: the cheapest way through each set of stops to each last one. */
export function solveTour(network: Network): Plan {
  const n = network.customers.length;
  const [type] = network.types;
  const { perDistance, perTime } = ratesOf(network.objective, type);
  const depots = network.depots.length;
  const cost = (a: number, b: number): number =>
    perDistance * distance(network, a, b) + perTime * duration(network, a, b);
  const sets = 1 << n;
  const least = new Float64Array(sets * n).fill(Infinity);
  const before = new Int8Array(sets * n).fill(-1);
  for (let i = 0; i < n; i++) least[(1 << i) * n + i] = cost(type.depot, depots + i);
  for (let set = 1; set < sets; set++) {
    for (let last = 0; last < n; last++) {
      const so = least[set * n + last];
      if (so === Infinity) continue;
      for (let next = 0; next < n; next++) {
        if ((set & (1 << next)) !== 0) continue;
        const place = (set | (1 << next)) * n + next;
        const way = so + cost(depots + last, depots + next);
        if (way >= least[place]) continue;
        least[place] = way;
        before[place] = last;
      }
    }
  }
  let last = 0;
  let best = Infinity;
  for (let i = 0; i < n; i++) {
    const whole = least[(sets - 1) * n + i] + cost(depots + i, type.endDepot);
    if (whole < best) {
      best = whole;
      last = i;
    }
  }
  const customers: number[] = [];
  for (let set = sets - 1; last >= 0;) {
    customers.unshift(last);
    const earlier = before[set * n + last];
    set &= ~(1 << last);
    last = earlier;
  }
  return { routes: [{ type: 0, customers }] };
}
