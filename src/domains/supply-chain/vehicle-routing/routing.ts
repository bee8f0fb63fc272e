/**
 * Vehicle routing: which vehicle visits which customers, in which order, and when. Few customers are solved by
 * enumeration, one vehicle without limits as a travelling salesman, everything else by the search of native/routing.
 * Start reading at `search.ts`.
 */
import { say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { ConstraintState, JsonObject, Remark } from '../../../model/problem.js';
import { model, type Solution } from '../../problem-type.js';
import { encoded, fitnessOf, resultOf, timed, unservedOf, type TimedRoute } from './answer.js';
import { check, fields, networkOf, type Config } from './config.js';
import type { Network } from './network.js';
import { fleetBars, routeMap, timeBars } from './pictures.js';
import { findPlan, hopeless } from './search.js';
import { complaintAbout } from './validator.js';

const EXAMPLE: JsonObject = {
  depot: { x: 50, y: 50 },
  customers: [
    { id: 'bakery', x: 20, y: 72, demand: 12, service: 5, time_window: [30, 120] },
    { id: 'cafe', x: 34, y: 81, demand: 6, service: 5 },
    { id: 'school', x: 68, y: 78, demand: 15, service: 10, time_window: [20, 90] },
    { id: 'hotel', x: 82, y: 60, demand: 9, service: 5 },
    { id: 'market', x: 77, y: 25, demand: 14, service: 10 },
    { id: 'clinic', x: 45, y: 18, demand: 8, service: 5, time_window: [60, 150] },
    { id: 'kiosk', x: 22, y: 35, demand: 5, service: 5 },
  ],
  vehicles: [{ id: 'van', count: 3, capacity: 30, end: 240, fixed_cost: 25 }],
};

export const routing = model({
  name: null,
  summary: 'Routes of a fleet that visits customers at least cost, within loads, windows and shifts.',
  fields,
  example: EXAMPLE,
  check,
  sense: () => 'minimize',

  solve(config, context): Solution {
    const network = networkOf(config);
    const found = findPlan(network, context, (plan, evaluations) => {
      const routes = timed(network, plan);
      context.improved(evaluations, fitnessOf(network, routes), encoded(routes));
    });
    const routes = timed(network, found);
    const bestSolution = encoded(routes);
    const bestFitness = fitnessOf(network, routes);
    const reasons = new Map(hopeless(network).map(({ customer, why }) => [customer, why]));
    const result = resultOf(network, routes, reasons);
    return {
      method: found.method,
      reason: found.reason,
      bestSolution,
      bestFitness,
      decisionVariables: bestSolution.map((_, k) => `stop_${k + 1}`),
      result: found.isOptimal ? { ...result, lower_bound: bestFitness } : result,
      optimality: found.isOptimal
        ? {
            status: 'optimal',
            bound: bestFitness,
            proof: found.method === 'dynamic_programming' ? 'dynamic_programming' : 'exhaustive',
          }
        : { status: 'heuristic', bound: null, proof: null },
      evaluations: Math.min(found.evaluations, context.maxEvaluations),
      iterations: found.iterations,
      constraints: constraintsOf(network, routes),
      assumptions: assumptionsOf(config, network),
      warnings: warningsOf(network, routes),
      detail: routes,
    };
  },

  verify: (config, { result, bestSolution, bestFitness }) =>
    complaintAbout(networkOf(config), result, bestSolution, bestFitness),

  explain(config, solution) {
    const network = networkOf(config);
    return explained(network, solution, solution.detail as readonly TimedRoute[]);
  },

  pictures: {
    route_map: (config, { result }) => routeMap(networkOf(config), result),
    time_chart: (config, { result }) => timeBars(networkOf(config), result),
    load_chart: (config, { result }) => fleetBars(networkOf(config), result),
  },
});

function constraintsOf(network: Network, routes: readonly TimedRoute[]): ConstraintState[] {
  const states: ConstraintState[] = [];
  const add = (name: string, value: number, limit: number): void => {
    if (!Number.isFinite(limit)) return;
    const slack = limit - value;
    states.push({ name, value, limit, slack, binding: slack <= 1e-9 * (1 + Math.abs(limit)) });
  };
  for (const [k, { type, schedule, customers }] of routes.slice(0, 200).entries()) {
    const vehicle = network.types[type];
    for (let d = 0; d < network.dimensions; d++) {
      const suffix = network.dimensions === 1 ? '' : `_${d + 1}`;
      add(`route_${k + 1}_load${suffix}`, schedule.load[d], vehicle.capacity[d]);
    }
    add(`route_${k + 1}_distance`, schedule.distance, vehicle.maxDistance);
    add(`route_${k + 1}_duration`, schedule.duration, vehicle.maxDuration);
    add(`route_${k + 1}_stops`, customers.length, vehicle.maxStops);
    add(`route_${k + 1}_return`, schedule.finish, vehicle.end);
  }
  for (const [t, vehicle] of network.types.entries()) {
    add(`vehicles_${vehicle.id}`, routes.filter((route) => route.type === t).length, vehicle.count);
  }
  return states;
}

function assumptionsOf(config: Config, network: Network): Remark[] {
  const remarks: Remark[] = [];
  const add = (code: string, field: string, message: string): void => {
    remarks.push({ code, field: `config.${field}`, message });
  };
  if (config.distance === undefined && config.instance === undefined) {
    const how = network.isGeographic
      ? 'along great circles, in km'
      : 'in straight lines, in the unit of the coordinates';
    add('distance_default', 'distance', `Distances are measured ${how}.`);
  }
  const isTimed = network.customers.some(({ windows, service }) => windows.length > 0 || service > 0);
  if (isTimed && config.speed === 1 && network.distances === network.durations) {
    add('speed_default', 'speed', 'A unit of distance takes a unit of time.');
  }
  if (
    network.objective === 'cost' &&
    network.types.every(
      ({ fixedCost, costPerDistance, costPerTime }) => fixedCost === 0 && costPerDistance === 1 && costPerTime === 0,
    )
  ) {
    add('cost_default', 'vehicles', 'A unit of distance costs 1, vehicles and time cost nothing: cost is distance.');
  }
  if (
    config.instance !== undefined &&
    config.vehicles === undefined &&
    network.types.some(({ count }) => count >= network.customers.length)
  ) {
    add('fleet_unlimited', 'vehicles', 'The number of vehicles is not limited.');
  }
  if (network.customers.some(({ prize }) => prize > 0)) {
    add(
      'prizes_missed_count',
      'customers',
      'Prizes that are not collected count as cost, so that the value is cost plus missed prizes.',
    );
  }
  if (network.customers.some(({ required, prize }) => !required && prize === 0)) {
    add(
      'optional_without_prize',
      'customers',
      'Optional customers without a prize are served only where that costs nothing.',
    );
  }
  if (network.objective === 'makespan')
    add('makespan_is_return', 'objective', 'The makespan is the time at which the last vehicle is back.');
  if (network.types.some(({ costPerTime }) => costPerTime > 0) || network.objective === 'duration') {
    add(
      'departure_is_free',
      'vehicles',
      'Vehicles leave as late as their windows allow: time before leaving is not paid.',
    );
  }
  return remarks;
}

function warningsOf(network: Network, routes: readonly TimedRoute[]): Remark[] {
  const left = unservedOf(network, routes).filter((i) => network.customers[i].required);
  if (left.length === 0) return [];
  return [
    {
      code: 'unserved',
      field: 'config.customers',
      message: `${left.length} customers who must be served are not: see unassigned.`,
    },
  ];
}

function explained(
  network: Network,
  { optimality, bestFitness }: Solution,
  routes: readonly TimedRoute[],
): Statement[] {
  const { types, customers, objective } = network;
  const total = (of: (route: TimedRoute) => number): number => routes.reduce((sum, route) => sum + of(route), 0);
  const distance = total(({ schedule }) => schedule.distance);
  const served = total((route) => route.customers.length);
  const wait = total(({ schedule }) => schedule.stops.reduce((sum, stop) => sum + stop.wait, 0));
  const left = customers.length - served;
  const statements: Statement[] = [
    say(
      1,
      'result',
      '{vehicles:vehicle serves|vehicles serve} {served:customer|customers} over a distance of {distance}.',
      {
        vehicles: routes.length,
        served,
        distance,
      },
    ),
  ];
  const worth = {
    cost: 'cost',
    distance: 'distance',
    duration: 'time on the road',
    vehicles_then_distance: 'number of vehicles',
    makespan: 'last return',
  }[objective];
  statements.push(
    say(1, 'result', `The ${worth} is {value}${left > 0 && objective !== 'makespan' ? ', with missed prizes' : ''}.`, {
      value: bestFitness,
    }),
  );
  if (left > 0) statements.push(say(1, 'result', '{left:customer is|customers are} left out.', { left }));
  statements.push(
    optimality.status === 'optimal'
      ? say(
          2,
          'choice',
          'All possibilities were compared: no plan within the limits has a smaller value than {value}.',
          { value: bestFitness },
        )
      : say(
          2,
          'choice',
          'The plan is the best that the search found; a better one may exist. More evaluations or another seed may find it.',
          {},
        ),
  );
  const loads = routes.flatMap(({ type, schedule }) => {
    const capacity = types[type].capacity[0] ?? Infinity;
    return Number.isFinite(capacity) && capacity > 0 ? [(100 * schedule.load[0]) / capacity] : [];
  });
  if (loads.length > 0) {
    const mean = loads.reduce((a, b) => a + b, 0) / loads.length;
    const fullest = loads.reduce((a, b) => Math.max(a, b), 0);
    statements.push(
      say(3, 'choice', 'Vehicles are loaded to {mean} percent on average, the fullest one to {fullest} percent.', {
        mean,
        fullest,
      }),
    );
  }
  if (wait > 0) statements.push(say(3, 'choice', 'Vehicles wait {wait} in all for windows to open.', { wait }));
  const [longest] = [...routes].sort((a, b) => b.schedule.distance - a.schedule.distance);
  if (longest !== undefined && distance > 0) {
    statements.push(
      say(4, 'sensitivity', 'The longest route has {share} percent of the whole distance and {stops:stop|stops}.', {
        share: (100 * longest.schedule.distance) / distance,
        stops: longest.customers.length,
      }),
    );
  }
  return statements;
}
