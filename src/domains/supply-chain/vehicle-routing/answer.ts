/** The plan as a practitioner reads it. */
import type { JsonObject } from '../../../model/problem.js';
import type { Plan } from './exact.js';
import type { Network } from './network.js';
import { moneyOf, priceOf, scheduleOf, type Schedule } from './schedule.js';

export interface TimedRoute {
  readonly type: number;
  readonly customers: readonly number[];
  readonly schedule: Schedule;
}

/** In the order of vehicle types, then of departure. @throws {Error} where a route breaks a limit: a defect */
export function timed(network: Network, { routes }: Plan): TimedRoute[] {
  return routes
    .map(({ type, customers }): TimedRoute => {
      const schedule = scheduleOf(network, network.types[type], customers);
      if (schedule === null) throw new Error('a route of the plan breaks a limit');
      return { type, customers, schedule };
    })
    .sort((a, b) => a.type - b.type || a.schedule.departure - b.schedule.departure);
}

export function unservedOf(
  { customers }: Network,
  routes: readonly { readonly customers: readonly number[] }[],
): number[] {
  const served = new Set(routes.flatMap((route) => route.customers));
  return customers.map((_, i) => i).filter((i) => !served.has(i));
}

/** Fitness in the objective's unit: prizes that were not collected count as cost. */
export function fitnessOf(network: Network, routes: readonly TimedRoute[]): number {
  if (network.objective === 'vehicles_then_distance') return routes.length;
  const prices = routes.map(({ type, schedule }) => priceOf(network, network.types[type], schedule));
  if (network.objective === 'makespan') return prices.reduce((a, b) => Math.max(a, b), 0);
  const missed = unservedOf(network, routes).reduce((sum, i) => sum + network.customers[i].prize, 0);
  return prices.reduce((a, b) => a + b, 0) + missed;
}

const loadShown = (load: readonly number[]): number | readonly number[] => (load.length === 1 ? load[0] : load);

export function resultOf(
  network: Network,
  routes: readonly TimedRoute[],
  reasons: ReadonlyMap<number, string>,
): JsonObject {
  const { customers, types, depots } = network;
  const sum = (of: (route: TimedRoute) => number): number => routes.reduce((total, route) => total + of(route), 0);
  const left = unservedOf(network, routes);
  const prizes = customers.reduce((total, { prize }) => total + prize, 0);
  const missed = left.reduce((total, i) => total + customers[i].prize, 0);
  const used = new Map<number, number>();
  return {
    routes: routes.map(({ type, schedule }) => {
      const vehicle = types[type];
      const number = (used.get(type) ?? 0) + 1;
      used.set(type, number);
      return {
        vehicle: vehicle.id,
        vehicle_number: number,
        departure: schedule.departure,
        return_time: schedule.finish,
        stops: schedule.stops.map(({ customer, arrival, wait, start, departure, loadAfter, distanceSoFar }) => ({
          id: customers[customer].id,
          arrival,
          wait,
          start,
          departure,
          load_after: loadShown(loadAfter),
          distance_so_far: distanceSoFar,
        })),
        distance: schedule.distance,
        duration: schedule.duration,
        load: loadShown(schedule.load),
        cost: moneyOf(vehicle, schedule),
      };
    }),
    total_distance: sum(({ schedule }) => schedule.distance),
    total_duration: sum(({ schedule }) => schedule.duration),
    total_cost: sum(({ type, schedule }) => moneyOf(types[type], schedule)),
    vehicles_used: routes.length,
    latest_return: routes.reduce((latest, { schedule }) => Math.max(latest, schedule.finish), 0),
    ...(prizes > 0 ? { prizes_collected: prizes - missed, prizes_missed: missed } : {}),
    unassigned: left.map((i) => ({
      id: customers[i].id,
      reason:
        reasons.get(i) ??
        (customers[i].required ? 'no vehicle has room or time left for it' : 'serving it costs more than it is worth'),
    })),
    geometry: routes.map(({ type, customers: stops }) => {
      const vehicle = types[type];
      const places = [depots[vehicle.depot], ...stops.map((i) => customers[i]), depots[vehicle.endDepot]];
      return places.some(({ at }) => at === null) ? [] : places.map(({ at }) => [...at!]);
    }),
  };
}

/** Customers from 1, route after route, with 0 between. */
export function encoded(routes: readonly { readonly customers: readonly number[] }[]): number[] {
  return routes.flatMap(({ customers }, k) => [...(k === 0 ? [] : [0]), ...customers.map((i) => i + 1)]);
}
