/** The network as the numbers that the routing search reads: native/routing/problem.h has the layout. */
import { hasSkills, locations, ratesOf, type Network } from './network.js';

const LAYOUT = 1;
const NONE = 1e15;
const MAKESPAN = 1;

export const MODES = { genetic: 0, ruin: 1, tour: 2 } as const;

export interface PackOptions {
  readonly mode: keyof typeof MODES;
  readonly seed: number;
  /** Offspring without a better one before the search begins anew. */
  readonly patience: number;
}

const limit = (value: number): number => (Number.isFinite(value) ? value : NONE);

/** Above what any plan costs, so that leaving somebody out who must be served is never worth it. */
function unservedPrice(network: Network): number {
  const { customers, types } = network;
  const [longest, slowest, latest] = [mostOf(network.distances), mostOf(network.durations), latestOf(network)];
  let dearest = 0;
  for (const type of types) {
    const { fixed, perDistance, perTime } = ratesOf(network.objective, type);
    dearest = Math.max(dearest, fixed + 2 * (perDistance * longest + perTime * slowest));
    dearest += perTime * latest;
    if (network.objective === 'makespan') dearest += latest + 2 * slowest;
  }
  if (network.objective === 'vehicles_then_distance') dearest += vehiclePrice(network);
  return 2 * (customers.length + 1) * (dearest + 1) + customers.reduce((sum, { prize }) => sum + prize, 0);
}

/** Above any distance that a plan without detours has. */
const vehiclePrice = (network: Network): number => 2 * (network.customers.length + 1) * (mostOf(network.distances) + 1);

const mostOf = (values: Float64Array): number => values.reduce((most, value) => Math.max(most, value), 0);

/** No stop begins later than this where nobody waits for nothing, but for travel. */
const latestOf = ({ customers, types }: Network): number => {
  const begins = customers.flatMap(({ windows, release }) => [release, ...windows.map(({ from }) => from)]);
  const latest = [...begins, ...types.map(({ start }) => start)].reduce((most, value) => Math.max(most, value), 0);
  return latest + customers.reduce((sum, { service }) => sum + service, 0);
};

export function packed(network: Network, { mode, seed, patience }: PackOptions): [Int32Array, Float64Array] {
  const { depots, customers, shipments, types, dimensions, objective } = network;
  const n = customers.length;
  const ownDurations = network.durations !== network.distances;
  const integers: number[] = [LAYOUT, MODES[mode], n, depots.length, dimensions, types.length, ownDurations ? 1 : 0];
  const low = (seed % 4294967296) | 0;
  const high = Math.floor(seed / 4294967296) | 0;
  integers.push(objective === 'makespan' ? MAKESPAN : 0, low, high, shipments.length, patience);
  for (const type of types) {
    const stops = Number.isFinite(type.maxStops) ? type.maxStops : -1;
    integers.push(type.depot, type.endDepot, Math.min(type.count, n), stops);
  }
  for (const { required, windows } of customers) integers.push(required ? 1 : 0, Math.max(1, windows.length));
  for (const type of types) for (const customer of customers) integers.push(hasSkills(type, customer) ? 1 : 0);
  for (const { pickup, delivery } of shipments) integers.push(pickup, delivery);

  const rest: number[] = [];
  const perVehicle = objective === 'vehicles_then_distance' ? vehiclePrice(network) : null;
  for (const type of types) {
    const { fixed, perDistance, perTime } = ratesOf(objective, type);
    rest.push(perVehicle ?? fixed, perDistance, perTime, type.start);
    rest.push(limit(type.end), limit(type.maxDistance), limit(type.maxDuration), ...type.capacity.map(limit));
  }
  const unserved = unservedPrice(network);
  for (const customer of customers) {
    rest.push(customer.service, customer.release, customer.required ? unserved : customer.prize);
    rest.push(...customer.demand, ...customer.pickup);
    if (customer.windows.length === 0) rest.push(0, NONE);
    for (const { from, to } of customer.windows) rest.push(from, limit(to));
  }
  for (const { demand } of shipments) rest.push(...demand);
  const cells = locations(network) ** 2;
  const reals = new Float64Array(cells * (ownDurations ? 2 : 1) + rest.length);
  reals.set(network.distances);
  if (ownDurations) reals.set(network.durations, cells);
  reals.set(rest, reals.length - rest.length);
  return [Int32Array.from(integers), reals];
}
