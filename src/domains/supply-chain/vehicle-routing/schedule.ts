/**
 * When a vehicle is where, and what it carries: the least duration, or the earliest end, of a route whose order is
 * given.
 *
 * The end of a route as a function of its departure t is made of pieces: max(time, t + moving) for departures up to
 * `latest`. Each window cuts pieces or makes them wait. Savelsbergh 1992 has one window; several make several pieces.
 * native/routing/route_state.h computes the same.
 */
import {
  distance,
  duration,
  hasSkills,
  ratesOf,
  type Network,
  type Rates,
  type VehicleType,
  type Window,
} from './network.js';

export interface Stop {
  /** Customer, from 0. */
  readonly customer: number;
  readonly arrival: number;
  readonly wait: number;
  readonly start: number;
  readonly departure: number;
  readonly loadAfter: readonly number[];
  readonly distanceSoFar: number;
}

export interface Schedule {
  readonly departure: number;
  readonly finish: number;
  readonly distance: number;
  readonly duration: number;
  /** Largest load on board, by dimension. */
  readonly load: readonly number[];
  readonly stops: readonly Stop[];
}

/** A limit with room for rounding. */
export const roomy = (limit: number): number => limit + 1e-9 * (1 + Math.abs(limit));

interface Piece {
  readonly latest: number;
  readonly time: number;
}

function arrive(pieces: readonly Piece[], windows: readonly Window[], moving: number): Piece[] {
  const cut: Piece[] = [];
  let before = -Infinity;
  for (const piece of pieces) {
    for (const { from, to } of windows) {
      if (piece.time > roomy(to)) continue;
      const latest = Math.min(piece.latest, to - moving);
      if (latest <= before) continue;
      cut.push({ latest, time: Math.max(piece.time, from) });
      before = latest;
      if (latest >= piece.latest) break;
    }
    before = piece.latest;
  }
  return cut;
}

export interface Times {
  readonly departure: number;
  readonly finish: number;
}

/** Null: no departure keeps all windows and the longest duration. */
export function timesOf(network: Network, type: VehicleType, route: readonly number[], isShort: boolean): Times | null {
  const { customers, depots } = network;
  let open = type.start;
  for (const i of route) open = Math.max(open, customers[i].release);
  if (open > roomy(type.end)) return null;
  let pieces: Piece[] = [{ latest: type.end, time: open }];
  let moving = 0;
  const pass = (by: number): void => {
    moving += by;
    pieces = pieces.map(({ latest, time }) => ({ latest, time: time + by }));
  };
  let at = type.depot;
  for (const i of route) {
    const customer = customers[i];
    const next = depots.length + i;
    pass(duration(network, at, next));
    if (customer.windows.length > 0) pieces = arrive(pieces, customer.windows, moving);
    if (pieces.length === 0) return null;
    pass(customer.service);
    at = next;
  }
  pass(duration(network, at, type.endDepot));
  let best: Times | null = null;
  let before = -Infinity;
  for (const { latest, time } of pieces) {
    if (time > roomy(type.end) || type.end - moving <= before) break;
    before = latest;
    const departure = Math.min(latest, type.end - moving, time - moving);
    const length = time - departure;
    if (length > roomy(type.maxDuration)) continue;
    if (best === null || (isShort && length < best.finish - best.departure)) best = { departure, finish: time };
  }
  return best;
}

/** Why the route breaks a limit that time has no part in; null where it keeps them. */
export function limitBroken(network: Network, type: VehicleType, route: readonly number[]): string | null {
  const { customers, dimensions } = network;
  if (route.length > type.maxStops) return `has ${route.length} stops of at most ${type.maxStops}`;
  const stranger = route.find((i) => !hasSkills(type, customers[i]));
  if (stranger !== undefined) return `lacks a skill that customer ${customers[stranger].id} asks for`;
  const load = loadsOf(network, route);
  for (let d = 0; d < dimensions; d++) {
    if (load.peak[d] > roomy(type.capacity[d])) return `carries ${load.peak[d]} of at most ${type.capacity[d]}`;
  }
  const length = distanceOf(network, type, route);
  if (length > roomy(type.maxDistance)) return `is ${length} long of at most ${type.maxDistance}`;
  for (const shipment of network.shipments) {
    const from = route.indexOf(shipment.pickup);
    const to = route.indexOf(shipment.delivery);
    if (from < 0 !== to < 0 || from > to)
      return `does not carry shipment ${shipment.id} from its pickup to its delivery`;
  }
  return null;
}

function distanceOf(network: Network, type: VehicleType, route: readonly number[]): number {
  let sum = 0;
  let at = type.depot;
  for (const i of route) {
    sum += distance(network, at, network.depots.length + i);
    at = network.depots.length + i;
  }
  return sum + distance(network, at, type.endDepot);
}

/** Load at the start, after each stop, and at most. */
export function loadsOf(network: Network, route: readonly number[]): { peak: number[]; after: number[][] } {
  const { customers, dimensions, shipments } = network;
  const load = Array.from({ length: dimensions }, (_, d) => route.reduce((sum, i) => sum + customers[i].demand[d], 0));
  const peak = [...load];
  const after = route.map((i) => {
    const customer = customers[i];
    const own = shipments.filter(({ pickup, delivery }) => pickup === i || delivery === i);
    for (let d = 0; d < dimensions; d++) {
      load[d] += customer.pickup[d] - customer.demand[d];
      for (const shipment of own) load[d] += (shipment.pickup === i ? 1 : -1) * shipment.demand[d];
      // What is left of differences of equal sums.
      if (Math.abs(load[d]) < 1e-9) load[d] = 0;
      peak[d] = Math.max(peak[d], load[d]);
    }
    return [...load];
  });
  return { peak, after };
}

/** Whether durations count, so that a vehicle leaves when its route takes least time rather than ends first. */
const isShortest = (network: Network, type: VehicleType): boolean => ratesOf(network.objective, type).perTime > 0;

/** Null: the route breaks a limit. */
export function scheduleOf(network: Network, type: VehicleType, route: readonly number[]): Schedule | null {
  if (limitBroken(network, type, route) !== null) return null;
  const times = timesOf(network, type, route, isShortest(network, type));
  if (times === null) return null;
  const { customers, depots } = network;
  const { peak, after } = loadsOf(network, route);
  let clock = times.departure;
  let way = 0;
  let at = type.depot;
  const stops = route.map((i, k): Stop => {
    const customer = customers[i];
    const next = depots.length + i;
    way += distance(network, at, next);
    const arrival = clock + duration(network, at, next);
    const window = customer.windows.find(({ to }) => arrival <= roomy(to));
    const start = Math.max(arrival, window?.from ?? arrival);
    clock = start + customer.service;
    at = next;
    const stop = { customer: i, arrival, wait: start - arrival, start, departure: clock };
    return { ...stop, loadAfter: after[k], distanceSoFar: way };
  });
  const finish = clock + duration(network, at, type.endDepot);
  return {
    departure: times.departure,
    finish,
    distance: way + distance(network, at, type.endDepot),
    duration: finish - times.departure,
    load: peak,
    stops,
  };
}

/** Price in the objective's unit; for `makespan` the time of return, for `vehicles_then_distance` the distance. */
export function priceOf(network: Network, type: VehicleType, { distance, duration, finish }: Schedule): number {
  if (network.objective === 'makespan') return finish;
  return priced(ratesOf(network.objective, type), distance, duration);
}

const priced = ({ fixed, perDistance, perTime }: Rates, distance: number, duration: number): number =>
  fixed + perDistance * distance + perTime * duration;

/** Cost in money, whatever the objective. */
export const moneyOf = (type: VehicleType, { distance, duration }: Schedule): number =>
  priced(ratesOf('cost', type), distance, duration);
