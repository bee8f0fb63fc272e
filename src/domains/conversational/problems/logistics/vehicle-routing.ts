/** Delivery rounds. */
import { type Problem, rowsOf, numberOf, shownNumber, fieldsOf } from '../../problem.js';
import type { Message } from '../../message.js';
import type { Finding, Known } from '../../slots.js';
import { PAIR, placesIn, isGlobe } from './places.js';
import { pastedTable, rowsAs } from '../../tables.js';
import type { JsonObject } from '../../../../model/problem.js';

const STARTS = 'depot|warehouse|base|starts?|starting|home|hub|headquarters|hq|we are';
const BUSINESSES = 'garage|shop|bakery|store|office|yard|kitchen';

const CUSTOMER_COLUMNS = { id: /^(?:id|name|customer|stop|client|address|place)/, x: /^(?:x|x_coord.*|easting)$/, y: /^(?:y|y_coord.*|northing)$/, lat: /^lat/, lon: /^(?:lon|lng)/, demand: /demand|parcel|load|quantity|weight|boxes|size|units|pallets|amount/ }; // prettier-ignore

const FLEET = 'van|truck|vehicle|lorry|lorries|car|driver|bike|courier|trucks|vans|drivers|tour|rider|scooter|riders';

/** One message, what was found in it, and which of its quantities that takes. */
class Reader {
  readonly found: Finding[] = [];
  readonly used = new Set<number>();

  constructor(
    readonly message: Message,
    readonly known: Known,
    readonly asked: string | null,
  ) {}

  claim(from: number, to: number): void {
    for (const [i, { start, end }] of this.message.quantities.entries()) if (end > from && start < to) this.used.add(i);
  }
}

const keysOf = (message: Message) => (isGlobe(message) ? (['lat', 'lon'] as const) : (['x', 'y'] as const));

/** Where the depot ends in the text; -1: it is not named. */
function readDepot(reader: Reader): number {
  const { message, known, asked, found } = reader;
  const near = (words: string): RegExpExecArray | null => new RegExp(`\\b(?:${words})\\b[^\\d(\\[+-]{0,24}?${PAIR}`).exec(message.plain); // prettier-ignore
  // A bakery may be a stop; where something starts, it is none.
  const ids = rowsOf(known('customers')).map(({ id }) => String(id).toLowerCase());
  const isOfStop = placesIn(message).some(({ id }) => id !== null && ids.includes(id.toLowerCase()));
  // "from (0,0)" with nothing in between is where a tour begins; "A is at (2,3)" moves a stop.
  const from = /\bfrom (?=[([])/.test(message.plain) ? new RegExp(`\\bfrom ${PAIR}`).exec(message.plain) : null;
  const depot = near(STARTS) ?? near(BUSINESSES) ?? from ?? (asked === 'depot' && !isOfStop ? new RegExp(PAIR).exec(message.plain) : null); // prettier-ignore
  const keys = keysOf(message);
  let depotEnd = -1;
  if (depot !== null) {
    const [a, b] = [Number(depot[1]), Number(depot[2])];
    const start = depot.index + depot[0].search(/[\d([+-]/);
    depotEnd = depot.index + depot[0].length;
    reader.claim(start, depotEnd);
    found.push({ slot: 'depot', value: { [keys[0]]: a, [keys[1]]: b }, text: depot[0], confidence: 0.9, used: [] });
  }
  return depotEnd;
}

/** Stops of a pasted table; false: there is none. */
function readTable(reader: Reader): boolean {
  const { message, found } = reader;
  const table = pastedTable(message.text);
  const rows =
    table === null
      ? null
      : (rowsAs(table, CUSTOMER_COLUMNS, ['x', 'y']) ?? rowsAs(table, CUSTOMER_COLUMNS, ['lat', 'lon']));
  if (rows === null) return false;
  const stops = rows.filter((row) => String(row['id'] ?? '').toLowerCase() !== 'depot');
  const home = rows.find((row) => String(row['id'] ?? '').toLowerCase() === 'depot');
  if (home !== undefined) found.push({ slot: 'depot', value: Object.fromEntries(Object.entries(home).filter(([key]) => /^(?:x|y|lat|lon)$/.test(key))), text: 'the row of the depot', confidence: 0.95 }); // prettier-ignore
  found.push({ slot: 'customers', value: stops, text: `a table of ${stops.length} rows`, confidence: 0.95 });
  const first = message.plain.search(/\n/);
  reader.claim(first < 0 ? 0 : first, message.plain.length);
  return true;
}

/** "three vans of 10 parcels". */
function readCapacity(reader: Reader): void {
  const { message, found } = reader;
  const load = new RegExp(`\\b(?:${FLEET})s? (?:of|with|holding|carrying|taking)(?: (?:about|up to|a capacity of))? $`);
  const capacity = message.quantities.findIndex(({ start, end, isPercent, currency, unit }) => currency === null && !isPercent && unit?.dimension !== 'time' && load.test(message.plain.slice(Math.max(0, start - 40), start)) && !/^ (?:drivers?|people|men|crew|customers|stops|axles)\b/.test(message.plain.slice(end))); // prettier-ignore
  if (capacity >= 0) {
    const { start, end, value } = message.quantities[capacity];
    reader.claim(start, end);
    found.push({ slot: 'vehicles.capacity', value, text: message.text.slice(start, end), confidence: 0.85 });
  }
}

/** Stops with coordinates, each with its demand. `depotEnd`: the place that ends there is the depot. */
function readStops(reader: Reader, depotEnd: number): void {
  const { message, known, asked, found, used } = reader;
  const keys = keysOf(message);
  const places = placesIn(message).filter(({ end }) => !(depotEnd >= 0 && Math.abs(end - depotEnd) <= 1));
  if (places.length > 0 && (places.length >= 2 || rowsOf(known('customers')).length > 0 || asked === 'customers')) {
    const customers: JsonObject[] = rowsOf(known('customers')).slice();
    // "2 parcels for A (1,2)": the demand stands before; otherwise after.
    const ahead = places.map((place, k) => {
      const from = places[k - 1]?.end ?? 0;
      return message.quantities.findLastIndex(
        ({ start, end, currency, isPercent }, i) =>
          start >= from &&
          end <= place.start &&
          currency === null &&
          !isPercent &&
          !used.has(i) &&
          /^ (?:[a-z]+ ){0,2}(?:to|for|at)\b[^,;.(]{0,30}[([]?$/.test(message.plain.slice(end, place.start)) &&
          !new RegExp(`^ ?(?:${FLEET})`).test(message.plain.slice(end, end + 9)),
      );
    });
    const isAhead = ahead[0] >= 0 && ahead.filter((i) => i >= 0).length * 2 > places.length;
    for (const [k, place] of places.entries()) {
      const next = places[k + 1]?.start ?? message.plain.length;
      const rest = message.plain.slice(place.end, Math.min(next, place.end + 60)).split(/[;\n]|\.\s/)[0] ?? '';
      const limit = place.end + rest.length;
      const after = isAhead ? ahead[k] : message.quantities.findIndex(({ start, currency, isPercent, unit }, i) => start >= place.end && start < limit && currency === null && !isPercent && unit?.dimension !== 'time' && !used.has(i)); // prettier-ignore
      const gap = after < 0 || isAhead ? '' : message.plain.slice(place.end, message.quantities[after].start);
      const isOwn = after >= 0 && !/\b(?:van|truck|vehicle|capacity|each|driver|lorr)/.test(gap) && !new RegExp(`^ ?(?:${FLEET})`).test(message.plain.slice(message.quantities[after].end, message.quantities[after].end + 9)); // prettier-ignore
      if (isOwn) used.add(after);
      const id = place.id ?? String(customers.length + 1);
      const same = place.id === null ? -1 : customers.findIndex((one) => String(one['id']).toLowerCase() === id.toLowerCase()); // prettier-ignore
      const moved = same < 0 ? {} : customers[same];
      customers.splice(same < 0 ? customers.length : same, same < 0 ? 0 : 1, {
        ...moved,
        id,
        [keys[0]]: place.a,
        [keys[1]]: place.b,
        ...(isOwn ? { demand: message.quantities[after].value } : {}),
      });
      reader.claim(place.start, place.end);
    }
    const first = places[0];
    found.push({
      slot: 'customers',
      value: customers,
      text: message.text.slice(first.start, places.at(-1)!.end),
      confidence: 0.85,
    });
  }
}

/** "no limit", "my van". */
function readFleet({ message, known, found, used }: Reader): void {
  if (/\b(?:unlimited|no (?:capacity |load |weight )?limits?|no capacity|any number fits)\b/.test(message.plain))
    found.push({ slot: 'vehicles.capacity', value: null, text: 'no limit', confidence: 0.9 });
  if (
    known('vehicles.count') === undefined &&
    !message.quantities.some(
      (_, i) =>
        !used.has(i) && /^ ?(?:\w+ )?(?:van|truck|vehicle|driver)/.test(message.plain.slice(message.quantities[i].end)),
    ) &&
    /\b(?:my|a|the|our|one|single) (?:\w+ )?(?:van|truck|vehicle|driver|lorry|car|bike|courier)\b/.test(message.plain)
  )
    // prettier-ignore
    found.push({ slot: 'vehicles.count', value: 1, text: 'one vehicle', confidence: 0.6 });
}

export const vehicleRouting: Problem = {
  domain: 'supply_chain',
  type: 'vehicle_routing',
  model: null,
  slots: [
    {
      name: 'depot',
      kind: null,
      required: true,
      question: 'Where do the vehicles start and end (x, y)?',
      example: '0, 0',
    },
    {
      name: 'customers',
      kind: null,
      isList: true,
      required: true,
      question: 'Which stops are there: name, place and demand of each?',
      example: 'A (2,3) 4 parcels, B (5,8) 3',
      help: 'Coordinates in kilometres on any map grid, or latitude and longitude in a table with the columns id, lat, lon, demand.', // prettier-ignore
    },
    {
      name: 'vehicles',
      kind: null,
      required: (known) => known('vehicles.count') === undefined,
      question: 'How many vehicles are there?',
      example: 'three vans, each takes 10 parcels',
    },
    {
      name: 'vehicles.count',
      kind: 'count',
      partOf: 'vehicles',
      cues: FLEET,
      weakCues: 'fleet|have',
      against: 'each|capacity|takes|carry|load',
      // A fleet is a limit: "max 3 vans" are three that may be used.
      accepts: ({ value, comparison }) =>
        value >= 1 && value <= 10_000 && (comparison === null || comparison === 'at_most'),
      question: '',
      example: '',
    },
    {
      name: 'vehicles.capacity',
      kind: 'amount',
      cues: 'takes|take|capacity|carry|carries|hold|holds|load|fit|fits|each|loads|room for|space for|per van|per truck|per vehicle|capacities|each can take|apiece', // prettier-ignore
      weakCues: 'parcel|box|boxes|pallet|kg|units|crate',
      accepts: ({ value, unit }) => value > 0 && unit?.dimension !== 'time',
      required: (known) => known('vehicles.count') !== undefined,
      question: 'How much does each vehicle carry, in the unit of the demands?',
      example: '10 parcels; or: no limit',
    },
    {
      name: 'distance',
      kind: null,
      askOnce: true,
      default: (known) => (rowsOf(known('customers'))[0]?.['lat'] === undefined ? 'euclidean' : 'haversine'),
      choices: [
        {
          value: 'euclidean',
          name: 'euclidean',
          cues: 'straight line|straight|as the crow flies|crow|direct|beeline|air line',
        },
        {
          value: 'manhattan',
          name: 'manhattan',
          cues: 'grid|blocks|city blocks|taxicab|right angles|rectangular|block|streets',
        },
        {
          value: 'haversine',
          name: 'haversine',
          cues: 'great circle|latitude|longitude|gps|on the globe|kilometres on earth',
        },
      ],
      question: 'How are distances measured: straight line (euclidean), along a street grid (manhattan) or on the globe (haversine)?', // prettier-ignore
      example: 'straight line',
    },
    {
      name: 'objective',
      kind: null,
      askOnce: true,
      default: 'cost',
      isAskedOnly: true,
      choices: [
        {
          value: 'distance',
          name: 'distance',
          cues: 'shortest|kilometres|miles|driving|km|fuel|total distance|least driving|mileage|short',
        },
        { value: 'vehicles_then_distance', name: 'fewest vehicles', cues: 'few vehicles|fewest vans|fewest trucks|number of vehicles|fewer vehicles|as few vehicles|as few vans|as few trucks' }, // prettier-ignore
        {
          value: 'makespan',
          name: 'longest route',
          cues: 'balanced|fair|finish early|last driver|equal routes|longest|back early',
        },
        { value: 'cost', name: 'cost', cues: 'cheapest|cheap|costs|money' },
      ],
      question: 'What should be small: the cost (the total distance where nothing else costs), the number of vehicles, or the longest route?', // prettier-ignore
      example: 'total distance',
    },
  ],
  read(message, { known, asked }) {
    const reader = new Reader(message, known, asked);
    const depotEnd = readDepot(reader);
    if (!readTable(reader)) {
      readCapacity(reader);
      readStops(reader, depotEnd);
    }
    readFleet(reader);
    const [head, ...rest] = reader.found;
    return head === undefined ? [] : [{ ...head, used: [...reader.used] }, ...rest];
  },
  derive(known) {
    const count = numberOf(known, 'vehicles.count');
    const capacity = known('vehicles.capacity');
    if (count === null || capacity === undefined) return [];
    const value = [{ count, ...(typeof capacity === 'number' ? { capacity } : {}) }];
    return [{ slot: 'vehicles', value, text: `${count} vehicles`, confidence: 0.9, source: 'derived' }];
  },
  conflicts(known) {
    const count = numberOf(known, 'vehicles.count');
    const capacity = numberOf(known, 'vehicles.capacity');
    const demands = rowsOf(known('customers')).map(({ demand }) => (typeof demand === 'number' ? demand : 0));
    if (count === null || capacity === null) return [];
    const total = demands.reduce((sum, one) => sum + one, 0);
    const largest = Math.max(0, ...demands);
    if (largest > capacity) return [{ slot: 'vehicles.capacity', message: `One stop has a demand of ${shownNumber(largest)}, above what a vehicle carries, ${shownNumber(capacity)}.` }]; // prettier-ignore
    if (total > count * capacity) return [{ slot: 'vehicles', message: `The total demand of ${shownNumber(total)} exceeds ${count} x ${shownNumber(capacity)}.` }]; // prettier-ignore
    return [];
  },
  build: (known) => fieldsOf(known, ['depot', 'customers', 'vehicles', 'distance', 'objective']),
};
