/**
 * Checks a plan as it will be sent, stop by stop, from the network alone: nothing of the solvers is used. Null: all
 * holds; else what does not.
 */
import type { JsonObject } from '../../../model/problem.js';
import { distance, duration, type Network, type VehicleType } from './network.js';

interface SentStop {
  readonly id: string;
  readonly arrival: number;
  readonly wait: number;
  readonly start: number;
  readonly departure: number;
  readonly load_after: number | readonly number[];
  readonly distance_so_far: number;
}

interface SentRoute {
  readonly vehicle: string;
  readonly departure: number;
  readonly return_time: number;
  readonly stops: readonly SentStop[];
  readonly distance: number;
  readonly duration: number;
  readonly load: number | readonly number[];
  readonly cost: number;
}

interface Sent {
  readonly routes: readonly SentRoute[];
  readonly unassigned: readonly { readonly id: string }[];
  readonly total_distance: number;
  readonly total_duration: number;
  readonly total_cost: number;
  readonly vehicles_used: number;
}

const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * (1 + Math.abs(a) + Math.abs(b));
const within = (value: number, limit: number): boolean => value <= limit + 1e-6 * (1 + Math.abs(limit));
const loadOf = (load: number | readonly number[]): readonly number[] => (typeof load === 'number' ? [load] : load);

export function complaintAbout(
  network: Network,
  result: JsonObject,
  bestSolution: readonly number[],
  bestFitness: number,
): string | null {
  const sent = result as unknown as Sent;
  const { customers, types, objective } = network;
  const number = new Map(customers.map(({ id }, i) => [id, i]));
  const seen = new Set<number>();
  const vehicles = new Map<string, number>();
  const order: number[] = [];
  for (const [k, route] of sent.routes.entries()) {
    const type = types.find(({ id }) => id === route.vehicle);
    if (type === undefined) return `route ${k + 1} has a vehicle that there is not`;
    const used = (vehicles.get(type.id) ?? 0) + 1;
    vehicles.set(type.id, used);
    if (used > type.count) return `vehicle type ${type.id} is used more than ${type.count} times`;
    if (route.stops.length === 0) return `route ${k + 1} has no stops`;
    if (k > 0) order.push(0);
    const stops: number[] = [];
    for (const { id } of route.stops) {
      const i = number.get(id);
      if (i === undefined || seen.has(i)) return `customer ${id} is unknown or served twice`;
      seen.add(i);
      stops.push(i);
      order.push(i + 1);
    }
    const wrong = routeComplaint(network, type, route, stops);
    if (wrong !== null) return `route ${k + 1}: ${wrong}`;
  }
  for (const [i, customer] of customers.entries()) {
    const isListed = sent.unassigned.some(({ id }) => id === customer.id);
    if (isListed === seen.has(i)) return `customer ${customer.id} is neither served nor listed, or both`;
    if (!seen.has(i) && customer.required && !network.allowUnserved) return `customer ${customer.id} is left out`;
  }
  if (order.length !== bestSolution.length || order.some((value, k) => value !== bestSolution[k])) {
    return 'the solution lists other stops than the routes';
  }
  const sum = (of: (route: SentRoute) => number): number => sent.routes.reduce((total, route) => total + of(route), 0);
  if (
    !near(
      sent.total_distance,
      sum((route) => route.distance),
    )
  )
    return 'the routes add up to another distance';
  if (
    !near(
      sent.total_duration,
      sum((route) => route.duration),
    )
  )
    return 'the routes add up to another duration';
  if (
    !near(
      sent.total_cost,
      sum((route) => route.cost),
    )
  )
    return 'the routes add up to another cost';
  if (sent.vehicles_used !== sent.routes.length) return 'the number of vehicles is another one';
  const missed = customers.reduce((total, { prize }, i) => total + (seen.has(i) ? 0 : prize), 0);
  const value = {
    cost: sent.total_cost + missed,
    distance: sent.total_distance + missed,
    duration: sent.total_duration + missed,
    vehicles_then_distance: sent.routes.length,
    makespan: sent.routes.reduce((latest, route) => Math.max(latest, route.return_time), 0),
  }[objective];
  return near(value, bestFitness) ? null : `the plan is worth ${value}, not ${bestFitness}`;
}

function routeComplaint(
  network: Network,
  type: VehicleType,
  route: SentRoute,
  stops: readonly number[],
): string | null {
  const { customers, depots, shipments, dimensions } = network;
  if (stops.length > type.maxStops) return 'too many stops';
  if (!within(type.start, route.departure)) return 'it leaves before the shift';
  if (!within(route.return_time, type.end)) return 'it is back after the shift';
  let clock = route.departure;
  let way = 0;
  let at = type.depot;
  const load = Array.from({ length: dimensions }, (_, d) => stops.reduce((sum, i) => sum + customers[i].demand[d], 0));
  const peak = [...load];
  const aboard = new Set<string>();
  for (const [k, i] of stops.entries()) {
    const customer = customers[i];
    const stop = route.stops[k];
    const place = depots.length + i;
    way += distance(network, at, place);
    clock += duration(network, at, place);
    if (!near(stop.arrival, clock)) return `stop ${stop.id} is reached at ${clock}`;
    if (!within(stop.arrival, stop.start) || !near(stop.wait, stop.start - stop.arrival))
      return `the wait at ${stop.id} is wrong`;
    const isOpen = customer.windows.some(({ from, to }) => within(from, stop.start) && within(stop.start, to));
    if (customer.windows.length > 0 && !isOpen) return `stop ${stop.id} begins outside its windows`;
    if (!within(customer.release, route.departure)) return `it leaves before the goods of ${stop.id} are there`;
    clock = stop.start + customer.service;
    if (!near(stop.departure, clock)) return `stop ${stop.id} is left at ${clock}`;
    if (!near(stop.distance_so_far, way)) return `the way to ${stop.id} is ${way}`;
    if (customer.skills.some((skill) => !type.skills.includes(skill))) return `it lacks a skill for ${stop.id}`;
    for (let d = 0; d < dimensions; d++) load[d] += customer.pickup[d] - customer.demand[d];
    for (const shipment of shipments) {
      if (shipment.pickup !== i && shipment.delivery !== i) continue;
      const isPickup = shipment.pickup === i;
      if (!isPickup && !aboard.has(shipment.id)) return `shipment ${shipment.id} is delivered before it is picked up`;
      if (isPickup) aboard.add(shipment.id);
      else aboard.delete(shipment.id);
      for (let d = 0; d < dimensions; d++) load[d] += (isPickup ? 1 : -1) * shipment.demand[d];
    }
    for (let d = 0; d < dimensions; d++) peak[d] = Math.max(peak[d], load[d]);
    if (!loadOf(stop.load_after).every((value, d) => near(value, load[d])))
      return `the load after ${stop.id} is ${load.join(', ')}`;
    at = place;
  }
  if (aboard.size > 0) return `shipment ${[...aboard].join(', ')} stays on board`;
  way += distance(network, at, type.endDepot);
  clock += duration(network, at, type.endDepot);
  if (!near(route.return_time, clock)) return `it is back at ${clock}`;
  if (!near(route.distance, way)) return `it is ${way} long`;
  if (!near(route.duration, clock - route.departure)) return `it takes ${clock - route.departure}`;
  if (!within(way, type.maxDistance)) return 'it is longer than allowed';
  if (!within(clock - route.departure, type.maxDuration)) return 'it takes longer than allowed';
  for (let d = 0; d < dimensions; d++) {
    if (!within(peak[d], type.capacity[d])) return 'it is overloaded';
    if (!near(loadOf(route.load)[d], peak[d])) return `its largest load is ${peak.join(', ')}`;
  }
  const cost = type.fixedCost + type.costPerDistance * way + type.costPerTime * (clock - route.departure);
  return near(route.cost, cost) ? null : `it costs ${cost}`;
}
