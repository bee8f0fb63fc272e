/** Config of a routing problem, and the network that it describes. */
import { z } from 'zod';
import {
  amount as anyAmount,
  checkUnique,
  count,
  id,
  list,
  number as anyNumber,
  numbers,
  positive as anyPositive,
  withIds,
  type Complain,
} from '../../fields.js';
import { FORMATS, InstanceError, readInstance, type Instance } from './instances.js';
import {
  OBJECTIVES,
  type Customer,
  type Network,
  type Place,
  type Shipment,
  type VehicleType,
  type Window,
} from './network.js';

export const LIMITS = {
  customers: 2000,
  vehicle_types: 200,
  depots: 100,
  load_dimensions: 4,
  windows_per_customer: 20,
} as const;
const MOST_LOCATIONS = LIMITS.customers + LIMITS.depots;
const MOST_TEXT = 4_000_000;
/** Largest size of every quantity, so that sums of products stay exact enough to be compared. */
const MOST = 1e9;

const amount = (description: string) => anyAmount(description).max(MOST);
const number = (description: string) => anyNumber(description).min(-MOST).max(MOST);
const positive = (description: string) => anyPositive(description).min(1e-6).max(MOST);

/** One of two forms, told apart by a look at the value, so that messages speak of the form that was meant. */
const either = <A extends z.ZodType, B extends z.ZodType>(
  isFirst: (value: unknown) => boolean,
  first: A,
  second: B,
  description: string,
) => {
  const forms = [first, second].map((form) => {
    const { $schema: _dialect, ...json } = z.toJSONSchema(form, { io: 'input', unrepresentable: 'any' });
    return json;
  });
  return z
    .unknown()
    .transform((value, context): z.output<A> | z.output<B> => {
      const parsed = (isFirst(value) ? first : second).safeParse(value);
      if (parsed.success) return parsed.data;
      for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: value } as never);
      return z.NEVER;
    })
    .meta({ anyOf: forms, description });
};

const isNumber = (value: unknown): boolean => typeof value === 'number';

const load = (description: string) =>
  either(
    isNumber,
    amount(description),
    numbers(description, { most: LIMITS.load_dimensions, minimum: 0, maximum: MOST }),
    description,
  );

const coordinates = {
  x: number('Coordinate, in the unit of distance').optional(),
  y: number('Coordinate, in the unit of distance').optional(),
  lat: z.number().min(-90).max(90).describe('Degrees').optional(),
  lon: z.number().min(-180).max(180).describe('Degrees').optional(),
};

const windowOf = (description: string) => numbers(description, { least: 2, most: 2, minimum: 0, maximum: MOST });
const skills = z.array(z.string().min(1).max(100)).max(50);

const depotFields = { ...coordinates, index: count('Row of the matrix, from 0', 0, MOST_LOCATIONS).optional() };

const customer = z.strictObject({
  id: id.optional(),
  ...coordinates,
  demand: load('Delivered from the depot; one number for each dimension of load').default(0),
  pickup: load('Collected and brought to the depot').optional(),
  service: amount('Time that the stop takes').default(0),
  time_window: windowOf('[from, to]: when service may begin').optional(),
  time_windows: list(
    windowOf('[from, to]'),
    'Several windows, apart and in order',
    LIMITS.windows_per_customer,
  ).optional(),
  release: amount('Time from which the goods are at the depot: its vehicle leaves no earlier').default(0),
  prize: amount('What serving an optional customer is worth, in the unit of the objective').optional(),
  required: z.boolean().default(true).describe('False: served only where that pays'),
  skills: skills.default([]).describe('What the vehicle must be able to do'),
});

const vehicle = z.strictObject({
  id: id.optional(),
  count: count('Vehicles of this type', 1, 100_000).default(1),
  capacity: load('Largest load; one number for each dimension. Absent: any').optional(),
  start: amount('Time from which the vehicle may leave').default(0),
  end: amount('Time by which it must be back').optional(),
  max_distance: amount('Longest route').optional(),
  max_duration: amount('Longest time from leaving to being back').optional(),
  max_stops: count('Most stops of a route', 1).optional(),
  fixed_cost: amount('Cost of using the vehicle at all').default(0),
  cost_per_distance: amount('Cost of a unit of distance').default(1),
  cost_per_time: amount('Cost of a unit of time from leaving to being back').default(0),
  skills: skills.default([]).describe('What it can do'),
  depot: z.string().describe('Id of the depot where it begins. Absent: the first').optional(),
  end_depot: z.string().describe('Id of the depot where it ends. Absent: where it begins').optional(),
});

const METRICS = ['euclidean', 'manhattan', 'haversine'] as const;
const wholeMatrix = (description: string) =>
  list(
    numbers(description, { least: 2, most: MOST_LOCATIONS, minimum: 0, maximum: MOST }),
    description,
    MOST_LOCATIONS,
    2,
  );

export const fields = z.strictObject({
  depot: either(
    isNumber,
    count('Row of the matrix, from 0', 0, MOST_LOCATIONS),
    z.strictObject({ id: id.optional(), ...depotFields }),
    'Where all vehicles begin and end: {x, y}, {lat, lon}, or its row of the matrix',
  ).optional(),
  depots: list(
    z.strictObject({ id: id.optional(), ...depotFields }),
    'Several depots, which vehicles name',
    LIMITS.depots,
  ).optional(),
  customers: list(
    customer,
    'Who is to be visited. With a matrix: in the order of its other rows',
    LIMITS.customers,
  ).optional(),
  shipments: list(
    z.strictObject({
      id: id.optional(),
      pickup: z.string().describe('Id of the customer where it is picked up'),
      delivery: z.string().describe('Id of the customer where it is delivered, later and by the same vehicle'),
      demand: load('Load from pickup to delivery').default(0),
    }),
    'Goods that go from one customer to another',
    LIMITS.customers,
  ).optional(),
  vehicles: either(
    isNumber,
    count('Number of equal vehicles', 1, 100_000),
    list(vehicle, 'Types of vehicles', LIMITS.vehicle_types),
    'Types of vehicles, or the number of equal vehicles',
  ).optional(),
  capacity: load('Of each vehicle, where `vehicles` is a number').optional(),
  distance: either(
    (value) => typeof value === 'string',
    z.enum(METRICS),
    z.strictObject({
      matrix: wholeMatrix('Distances from row to column: depots and customers'),
      durations: wholeMatrix('Travel times; absent: distance / speed').optional(),
    }),
    'How distances are measured, or the distances. Absent: euclidean for x, y; haversine in km for lat, lon',
  ).optional(),
  rounding: z.enum(['none', 'nearest', 'truncate_1dp']).default('none').describe('Of each measured distance'),
  speed: positive('Distance travelled in a unit of time').default(1),
  objective: z.enum(OBJECTIVES).default('cost').describe('What is made small'),
  allow_unserved: z.boolean().default(false).describe('True: whoever cannot be served is left out, as few as possible'),
  instance: z
    .strictObject({
      format: z.enum(FORMATS).describe('What the text is'),
      text: z.string().min(1).max(MOST_TEXT).describe('A benchmark file, as text'),
    })
    .describe('Instead of depots, customers and vehicles')
    .optional(),
});

export type Config = z.output<typeof fields>;
type GivenCustomer = z.output<typeof customer>;
type GivenVehicle = z.output<typeof vehicle>;

const depotsOf = ({
  depot,
  depots,
}: Config): readonly ({ id?: string | undefined; index?: number | undefined } & Located)[] => {
  if (depots !== undefined) return depots;
  if (depot === undefined) return [];
  return [typeof depot === 'number' ? { id: 'depot', index: depot } : { ...depot, id: depot.id ?? 'depot' }];
};

interface Located {
  readonly x?: number | undefined;
  readonly y?: number | undefined;
  readonly lat?: number | undefined;
  readonly lon?: number | undefined;
}

type Kind = 'plane' | 'globe' | 'none' | 'half';

function kindOf({ x, y, lat, lon }: Located): Kind {
  const given = [x, y, lat, lon].map((value) => value !== undefined);
  if (given.every((one) => !one)) return 'none';
  if (given[0] && given[1] && !given[2] && !given[3]) return 'plane';
  return given[2] && given[3] && !given[0] && !given[1] ? 'globe' : 'half';
}

const dims = (value: number | readonly number[] | undefined): number =>
  value === undefined ? 0 : typeof value === 'number' ? 1 : value.length;

const instanceOf = (config: Config): Instance =>
  readInstance(config.instance!.format, config.instance!.text, LIMITS.customers);

export function check(config: Config, complain: Complain): void {
  if (config.instance !== undefined) return checkInstance(config, complain);
  const { customers, depot, depots, vehicles, distance } = config;
  if (depot !== undefined && depots !== undefined)
    return complain(['depots'], '`{field}` and `config.depot` say the same: send one of them.');
  if (depot === undefined && depots === undefined)
    return complain(['depot'], '`{field}` is required, or `depots` or `instance` instead.');
  if (customers === undefined) return complain(['customers'], '`{field}` is required, or `instance` instead.');
  if (vehicles === undefined) return complain(['vehicles'], '`{field}` is required.');
  if (!checkUnique(customers, 'customers', complain)) return;
  if (depots !== undefined && !checkUnique(depots, 'depots', complain)) return;
  if (config.capacity !== undefined && typeof vehicles !== 'number') {
    return complain(['capacity'], '`{field}` belongs to a number of vehicles: give each entry of `vehicles` its own.');
  }
  if (typeof vehicles !== 'number' && !checkUnique(vehicles, 'vehicles', complain)) return;
  if (!checkPlaces(config, complain)) return;
  if (typeof distance === 'object' && !checkMatrix(config, complain)) return;
  if (!checkLoads(config, complain)) return;
  if (!customers.every((one, i) => checkCustomer(config, one, i, complain))) return;
  if (typeof vehicles !== 'number' && !vehicles.every((one, k) => checkVehicle(config, one, k, complain))) return;
  if (!checkShipments(config, complain)) return;
  checkFits(config, complain);
}

function checkInstance(config: Config, complain: Complain): void {
  for (const field of ['depot', 'depots', 'customers', 'shipments', 'distance'] as const) {
    if (config[field] !== undefined)
      return complain([field], '`{field}` and `config.instance` say the same: send one of them.');
  }
  if (config.vehicles !== undefined && typeof config.vehicles !== 'number') {
    return complain(['vehicles'], '`{field}` beside `config.instance` must be a number, which limits the fleet.');
  }
  if (config.capacity !== undefined) return complain(['capacity'], '`{field}` is part of `config.instance`.');
  try {
    const instance = instanceOf(config);
    if (config.vehicles !== undefined && instance.vehicles.length > 1) {
      complain(['vehicles'], '`{field}` cannot limit the fleet of an instance with several types of vehicles.');
    }
  } catch (error) {
    if (!(error instanceof InstanceError)) throw error;
    complain(['instance', 'text'], `\`{field}\` is not ${config.instance!.format} text: ${error.message}.`);
  }
}

function checkPlaces(config: Config, complain: Complain): boolean {
  const { customers = [], distance } = config;
  const isMatrix = typeof distance === 'object';
  const depots = depotsOf(config);
  const pathOf = (i: number): PropertyKey[] => (config.depots === undefined ? ['depot'] : ['depots', i]);
  const places: { place: Located; path: PropertyKey[] }[] = [
    ...depots.map((place, i) => ({ place, path: pathOf(i) })),
    ...customers.map((place, i) => ({ place, path: ['customers', i] })),
  ];
  const first = kindOf(places[0].place);
  for (const { place, path } of places) {
    const kind = kindOf(place);
    if (kind === 'half') return (complain(path, '`{field}` must have x and y, or lat and lon.'), false);
    if (isMatrix && kind === 'none') continue;
    if (kind === 'none')
      return (complain(path, '`{field}` must have x and y, or lat and lon, where no matrix is given.'), false);
    if (first !== 'none' && kind !== first)
      return (complain(path, '`{field}` must have coordinates of the kind that the first depot has.'), false);
    if (distance === 'haversine' && kind === 'plane')
      return (complain(path, '`{field}` must have lat and lon for haversine distances.'), false);
    if ((distance === 'euclidean' || distance === 'manhattan') && kind === 'globe') {
      return (complain(path, `\`{field}\` must have x and y for ${distance} distances.`), false);
    }
  }
  for (const [i, { index }] of depots.entries()) {
    if (index !== undefined && !isMatrix)
      return (
        complain(
          [...pathOf(i), ...(typeof config.depot === 'number' ? [] : ['index'])],
          '`{field}` is a row of `distance.matrix`, which is absent.',
        ),
        false
      );
  }
  return true;
}

function checkMatrix(config: Config, complain: Complain): boolean {
  const { customers = [], distance } = config;
  if (typeof distance !== 'object') return true;
  const depots = depotsOf(config);
  const size = depots.length + customers.length;
  for (const name of ['matrix', 'durations'] as const) {
    const matrix = distance[name];
    if (matrix === undefined) continue;
    if (matrix.length !== size) {
      complain(
        ['distance', name],
        `\`{field}\` must have ${size} rows: ${depots.length} for depots and ${customers.length} for customers, not ${matrix.length}.`,
      );
      return false;
    }
    const bad = matrix.findIndex((row) => row.length !== size);
    if (bad >= 0)
      return (
        complain(['distance', name, bad], `\`{field}\` must have ${size} numbers, not ${matrix[bad].length}.`),
        false
      );
  }
  const seen = new Set<number>();
  for (const [i, { index }] of depots.entries()) {
    const row = index ?? i;
    const path = config.depots === undefined ? ['depot'] : ['depots', i, 'index'];
    if (row >= size)
      return (complain(path, `\`{field}\` must be a row of the matrix, 0 to ${size - 1}, not ${row}.`), false);
    if (seen.has(row)) return (complain(path, `\`{field}\`: row ${row} is another depot's too.`), false);
    seen.add(row);
  }
  return true;
}

/** Dimensions of load: those of the first entry that has any. */
function dimensionsOf(config: Config): number {
  const { customers = [], vehicles, shipments = [] } = config;
  const given = [
    config.capacity,
    ...(typeof vehicles === 'object' ? vehicles.map((one) => one.capacity) : []),
    ...customers.flatMap(({ demand, pickup }) => [demand, pickup]),
    ...shipments.map(({ demand }) => demand),
  ];
  return given.reduce<number>((most, value) => Math.max(most, dims(value)), 1);
}

function checkLoads(config: Config, complain: Complain): boolean {
  const size = dimensionsOf(config);
  const isFine = (value: number | readonly number[] | undefined): boolean =>
    value === undefined || value === 0 || dims(value) === size;
  const refuse = (path: PropertyKey[], value: number | readonly number[] | undefined): false => {
    complain(path, `\`{field}\` must have ${size} numbers, as loads elsewhere have, not ${dims(value)}.`);
    return false;
  };
  if (!isFine(config.capacity)) return refuse(['capacity'], config.capacity);
  if (typeof config.vehicles === 'object') {
    for (const [k, { capacity }] of config.vehicles.entries()) {
      if (capacity !== undefined && dims(capacity) !== size) return refuse(['vehicles', k, 'capacity'], capacity);
    }
  }
  for (const [i, { demand, pickup }] of (config.customers ?? []).entries()) {
    if (!isFine(demand)) return refuse(['customers', i, 'demand'], demand);
    if (!isFine(pickup)) return refuse(['customers', i, 'pickup'], pickup);
  }
  for (const [i, { demand }] of (config.shipments ?? []).entries()) {
    if (!isFine(demand)) return refuse(['shipments', i, 'demand'], demand);
  }
  return true;
}

function checkCustomer(config: Config, one: GivenCustomer, i: number, complain: Complain): boolean {
  const path = ['customers', i];
  const refuse = (field: PropertyKey[], message: string): false => (complain([...path, ...field], message), false);
  if (one.time_window !== undefined && one.time_windows !== undefined) {
    return refuse(['time_windows'], '`{field}` and `time_window` say the same: send one of them.');
  }
  const windows = windowsOf(one);
  for (const [k, { from, to }] of windows.entries()) {
    const place = one.time_window === undefined ? ['time_windows', k] : ['time_window'];
    if (from > to) return refuse(place, `\`{field}\`: its end ${to} is before its begin ${from}.`);
    const earlier = windows[k - 1];
    if (earlier !== undefined && from <= earlier.to)
      return refuse(place, '`{field}` must begin after the window before it ends.');
  }
  if (one.prize !== undefined && one.required) {
    return refuse(['prize'], '`{field}` needs `required: false`: who must be served is served without it.');
  }
  if (!one.required && (config.objective === 'vehicles_then_distance' || config.objective === 'makespan')) {
    return refuse(
      ['required'],
      `\`{field}\`: optional customers need the objective cost, distance or duration, not ${config.objective}.`,
    );
  }
  return true;
}

function checkVehicle(config: Config, one: GivenVehicle, k: number, complain: Complain): boolean {
  if (one.end !== undefined && one.end < one.start) {
    complain(['vehicles', k, 'end'], `\`{field}\` is ${one.end}, before the shift starts at ${one.start}.`);
    return false;
  }
  const known = withIds(depotsOf(config)).map((depot) => depot.id);
  for (const field of ['depot', 'end_depot'] as const) {
    const name = one[field];
    if (name !== undefined && !known.includes(name)) {
      complain(['vehicles', k, field], `\`{field}\` must be the id of a depot: ${known.slice(0, 10).join(', ')}.`);
      return false;
    }
  }
  return true;
}

function checkShipments(config: Config, complain: Complain): boolean {
  const { customers = [], shipments = [] } = config;
  if (!checkUnique(shipments, 'shipments', complain)) return false;
  const ids = withIds(customers).map((one) => one.id);
  const place = new Map(ids.map((name, i) => [name, i]));
  const used = new Set<string>();
  for (const [k, shipment] of shipments.entries()) {
    for (const field of ['pickup', 'delivery'] as const) {
      const name = shipment[field];
      const i = place.get(name);
      const path = ['shipments', k, field];
      if (i === undefined)
        return (complain(path, `\`{field}\` must be the id of a customer, not ${JSON.stringify(name)}.`), false);
      if (used.has(name))
        return (
          complain(
            path,
            `\`{field}\`: customer ${name} has a shipment already; give the second one an entry of its own at the same place.`,
          ),
          false
        );
      used.add(name);
    }
    const [from, to] = [customers[place.get(shipment.pickup)!], customers[place.get(shipment.delivery)!]];
    if (from.required !== to.required) {
      return (complain(['shipments', k], '`{field}`: pickup and delivery must both be required, or both not.'), false);
    }
  }
  return true;
}

/** One demand above every vehicle's capacity. */
function checkFits(config: Config, complain: Complain): void {
  const size = dimensionsOf(config);
  const capacities = typesOf(config, Infinity).map(({ capacity }) => capacity);
  const roomiest = Array.from({ length: size }, (_, d) => capacities.reduce((most, row) => Math.max(most, row[d]), 0));
  if (config.allow_unserved) return;
  for (const [i, one] of (config.customers ?? []).entries()) {
    if (!one.required) continue;
    for (const field of ['demand', 'pickup'] as const) {
      const d = spread(one[field], size).findIndex((value, k) => value > roomiest[k]);
      if (d >= 0)
        return complain(['customers', i, field], `\`{field}\` is above the capacity of every vehicle, ${roomiest[d]}.`);
    }
  }
}

const spread = (value: number | readonly number[] | undefined, size: number, otherwise = 0): number[] =>
  typeof value === 'object' ? [...value] : Array.from({ length: size }, () => value ?? otherwise);

const windowsOf = ({ time_window, time_windows }: GivenCustomer): Window[] =>
  (time_windows ?? (time_window === undefined ? [] : [time_window])).map(([from = 0, to = 0]) => ({ from, to }));

/** `customers`: how many vehicles a type may have at most, for more are never used. */
function typesOf(config: Config, customers: number): VehicleType[] {
  const size = dimensionsOf(config);
  const { vehicles } = config;
  const depots = withIds(depotsOf(config)).map((depot) => depot.id);
  const given: readonly GivenVehicle[] =
    typeof vehicles === 'number'
      ? [{ ...vehicle.parse({}), id: 'vehicle', count: vehicles, capacity: config.capacity }]
      : (vehicles ?? []);
  return withIds(given).map((one): VehicleType => {
    const depot = one.depot === undefined ? 0 : depots.indexOf(one.depot);
    return {
      id: one.id,
      count: Math.min(one.count, customers),
      capacity: spread(one.capacity, size, Infinity),
      start: one.start,
      end: one.end ?? Infinity,
      maxDistance: one.max_distance ?? Infinity,
      maxDuration: one.max_duration ?? Infinity,
      maxStops: one.max_stops ?? Infinity,
      fixedCost: one.fixed_cost,
      costPerDistance: one.cost_per_distance,
      costPerTime: one.cost_per_time,
      skills: one.skills,
      depot,
      endDepot: one.end_depot === undefined ? depot : depots.indexOf(one.end_depot),
    };
  });
}

/** A table of all distances takes a while, and solver, check, statements and pictures each ask for it. */
const networks = new WeakMap<Config, Network>();

export function networkOf(config: Config): Network {
  let network = networks.get(config);
  if (network === undefined) {
    network = config.instance === undefined ? networkOfLists(config) : networkOfInstance(config, instanceOf(config));
    networks.set(config, network);
  }
  return network;
}

const coordinatesOf = ({ x, y, lat, lon }: Located): readonly [number, number] | null => {
  if (x !== undefined && y !== undefined) return [x, y];
  return lat !== undefined && lon !== undefined ? [lon, lat] : null;
};

function networkOfLists(config: Config): Network {
  const size = dimensionsOf(config);
  const given = withIds(config.customers ?? []);
  const depots = withIds(depotsOf(config));
  const customers = given.map((one): Customer => ({
    id: one.id,
    at: coordinatesOf(one),
    demand: spread(one.demand, size),
    pickup: spread(one.pickup, size),
    service: one.service,
    windows: windowsOf(one),
    release: one.release,
    prize: one.prize ?? 0,
    required: one.required,
    skills: one.skills,
  }));
  const places: Place[] = [...depots.map((one) => ({ id: one.id, at: coordinatesOf(one) })), ...customers];
  const isGeographic = kindOf(depots[0]) === 'globe';
  const { distance } = config;
  let distances: Float64Array;
  let durations: Float64Array | null = null;
  if (typeof distance === 'object') {
    // Rows: depots as they say, customers in the order of the others.
    const own = depots.map(({ index }, i) => index ?? i);
    const others = places.map((_, row) => row).filter((row) => !own.includes(row));
    const rows = [...own, ...others];
    const take = (matrix: readonly (readonly number[])[]): Float64Array =>
      tabulated(places.length, (a, b) => (a === b ? 0 : matrix[rows[a]][rows[b]]));
    distances = take(distance.matrix);
    if (distance.durations !== undefined) durations = take(distance.durations);
  } else {
    const metric = distance ?? (isGeographic ? 'haversine' : 'euclidean');
    const round = ROUNDINGS[config.rounding];
    distances = tabulated(places.length, (a, b) => (a === b ? 0 : round(METRIC[metric](places[a].at!, places[b].at!))));
  }
  const shipments = withIds(config.shipments ?? []).map((one): Shipment => ({
    id: one.id,
    pickup: given.findIndex(({ id: name }) => name === one.pickup),
    delivery: given.findIndex(({ id: name }) => name === one.delivery),
    demand: spread(one.demand, size),
  }));
  return {
    depots: places.slice(0, depots.length),
    customers,
    shipments,
    types: typesOf(config, customers.length),
    dimensions: size,
    distances,
    durations: durations ?? paced(distances, config.speed),
    isMetric: typeof distance !== 'object' && config.rounding === 'none',
    objective: config.objective,
    allowUnserved: config.allow_unserved,
    isGeographic,
  };
}

const paced = (distances: Float64Array, speed: number): Float64Array =>
  speed === 1 ? distances : distances.map((value) => value / speed);

function tabulated(size: number, of: (a: number, b: number) => number): Float64Array {
  const table = new Float64Array(size * size);
  for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) table[a * size + b] = of(a, b);
  return table;
}

const ROUNDINGS = {
  none: (value: number): number => value,
  nearest: (value: number): number => Math.floor(value + 0.5),
  truncate_1dp: (value: number): number => Math.floor(value * 10) / 10,
} as const;

type Point = readonly [number, number];
/** Mean radius of the earth, km (IUGG). */
const EARTH = 6371.0088;
const RADIAN = Math.PI / 180;

const METRIC = {
  euclidean: ([ax, ay]: Point, [bx, by]: Point): number => Math.sqrt((ax - bx) ** 2 + (ay - by) ** 2),
  manhattan: ([ax, ay]: Point, [bx, by]: Point): number => Math.abs(ax - bx) + Math.abs(ay - by),
  haversine: ([aLon, aLat]: Point, [bLon, bLat]: Point): number => {
    const u = Math.sin(((bLat - aLat) * RADIAN) / 2);
    const v = Math.sin(((bLon - aLon) * RADIAN) / 2);
    const h = u * u + Math.cos(aLat * RADIAN) * Math.cos(bLat * RADIAN) * v * v;
    return 2 * EARTH * Math.asin(Math.min(1, Math.sqrt(h)));
  },
} as const;

function networkOfInstance(config: Config, instance: Instance): Network {
  const { size, coordinates, distance, demand, service, windows, vehicles, maxDuration } = instance;
  const round = ROUNDINGS[config.rounding];
  const distances = tabulated(size, (a, b) => {
    if (a === b) return 0;
    return distance === null ? round(METRIC.euclidean(coordinates![a], coordinates![b])) : distance(a, b);
  });
  const customers = Array.from({ length: size - 1 }, (_, k): Customer => {
    const window = windows[k + 1] ?? null;
    return {
      id: String(k + 1),
      at: coordinates?.[k + 1] ?? null,
      demand: [demand[k + 1]],
      pickup: [0],
      service: service[k + 1],
      windows: window === null ? [] : [{ from: window[0], to: window[1] }],
      release: 0,
      prize: 0,
      required: true,
      skills: [],
    };
  });
  const shift = windows[0] ?? null;
  const fleet = typeof config.vehicles === 'number' ? config.vehicles : null;
  const types = vehicles.map((one, k): VehicleType => ({
    id: vehicles.length === 1 ? 'vehicle' : String(k + 1),
    count: Math.min(fleet ?? one.count ?? Infinity, size - 1),
    capacity: [one.capacity],
    start: shift?.[0] ?? 0,
    end: shift?.[1] ?? Infinity,
    maxDistance: Infinity,
    maxDuration,
    maxStops: Infinity,
    fixedCost: one.fixedCost,
    costPerDistance: one.costPerDistance,
    costPerTime: 0,
    skills: [],
    depot: 0,
    endDepot: 0,
  }));
  return {
    depots: [{ id: 'depot', at: coordinates?.[0] ?? null }],
    customers,
    shipments: [],
    types,
    dimensions: 1,
    distances,
    durations: paced(distances, config.speed),
    isMetric: distance === null && config.rounding === 'none',
    objective: config.objective,
    allowUnserved: config.allow_unserved,
    isGeographic: false,
  };
}
