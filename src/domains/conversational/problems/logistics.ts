/** Delivery rounds, and packing into bins. */
import type { Json, JsonObject } from '../../../model/problem.js';
import { longestRun } from '../lists.js';
import type { Message } from '../message.js';
import { derived, fieldsOf, numberOf, shownNumber, textOf, type Problem } from '../problem.js';
import type { Quantity } from '../quantities.js';
import type { Finding, Known } from '../slots.js';
import { pastedTable, rowsAs } from '../tables.js';
import { unitNamed } from '../units.js';

const list = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? (value as JsonObject[]) : []);

const NUMBER = '[+-]?\\d{1,9}(?:\\.\\d{1,12})?';
const PAIR = `[([]? ?(?:x ?= ?|lat ?)?(${NUMBER}) ?[,;/] ?(?:y ?= ?|lon ?)?(${NUMBER}) ?[)\\]]?`;
const BRACKETED = new RegExp(`[([] ?(?:x ?= ?)?(${NUMBER}) ?[,;] ?(?:y ?= ?)?(${NUMBER}) ?[)\\]]`, 'g');

const STOP_WORDS = new Set('at stop stops customer customers to drop drops deliver delivery located is in and then the address client for parcels parcel boxes starts start has have must need from goes my our his her technician driver visit visits needs wants with place places depot'.split(' ')); // prettier-ignore

/** Words of the way, the vehicle and the speaker: what stands before them names no place. */
const WAY_WORDS = new Set(`through via along past around over by from into onto towards between among route routes routing send sends take takes
  drive drives driving go going run runs bring brings serve serves serving pass passes reach reaches call calls stop plan plans plot find
  i we you they he she it me us our your their there here one two three four five six seven eight nine ten single a an this that these those
  all each every some both first then next last finally is are be being been can will would should could want wants like please help how what
  actually sorry no not but now instead rather really wait moved which truck trucks van vans lorry lorries vehicle vehicles car cars bike bikes courier couriers fleet drivers technicians tour tours trip trips
  round rounds points point places locations coordinates nodes pickup pickups collection collections`.split(/\s+/)); // prettier-ignore

const STARTS = 'depot|warehouse|base|starts?|starting|home|hub|headquarters|hq|we are';
const BUSINESSES = 'garage|shop|bakery|store|office|yard|kitchen';

const isGlobe = (message: Message): boolean => /\b(?:lat|latitude|lon|lng|longitude|gps)\b/.test(message.plain);

interface Place {
  readonly a: number;
  readonly b: number;
  readonly start: number;
  readonly end: number;
  readonly id: string | null;
}

/** Bracketed pairs, each with the word before it. */
function placesIn(message: Message): Place[] {
  const places = [...message.plain.matchAll(BRACKETED)].map((found): Place => {
    const start = found.index;
    const before = message.text.slice(Math.max(0, start - 40), start);
    const said = (before.split(/[,;.!?\n:)\]]|\band\b/i).at(-1) ?? '').trim().split(/\s+/);
    // "customers A (2,3)": the heading ends where the first name begins.
    const heads = /^(?:customers|clients|stops|addresses)$/i;
    const words =
      said.length > 1 && heads.test(said.at(-2)!) && /^[A-Z]\w*$/.test(said.at(-1)!) ? said.slice(-1) : said;
    const isStop = (word: string): boolean =>
      STOP_WORDS.has(word.toLowerCase()) ||
      (WAY_WORDS.has(word.toLowerCase()) && !/^[A-HJ-Z]$/.test(word)) ||
      !/[a-z]/i.test(word);
    // "my customers at (2,9), (7,7)": a heading, no name.
    const isHeading = words
      .slice(-3)
      .some((word) => /^(?:customers|clients|stops|addresses|points|places)$/i.test(word));
    while (words.length > 0 && (isHeading || isStop(words.at(-1)!))) words.pop();
    const own = words.slice(words.findLastIndex(isStop) + 1);
    const id =
      own.length === 0 || own.length > 4
        ? null
        : own
            .slice(-3)
            .join(' ')
            .replace(/[^\w' -]/g, '');
    return { a: Number(found[1]), b: Number(found[2]), start, end: start + found[0].length, id: id === '' ? null : id };
  });
  // Where no other place has a name, the words before the first one are a heading: "couriers visit (1,2), (3,4)".
  const [first, ...rest] = places;
  if (first === undefined || rest.length === 0 || rest.some(({ id }) => id !== null)) return places;
  return [{ ...first, id: null }, ...rest];
}

const CUSTOMER_COLUMNS = { id: /^(?:id|name|customer|stop|client|address|place)/, x: /^(?:x|x_coord.*|easting)$/, y: /^(?:y|y_coord.*|northing)$/, lat: /^lat/, lon: /^(?:lon|lng)/, demand: /demand|parcel|load|quantity|weight|boxes|size|units|pallets|amount/ }; // prettier-ignore

const FLEET = 'van|truck|vehicle|lorry|lorries|car|driver|bike|courier|trucks|vans|drivers|tour|rider|scooter|riders';

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
      default: (known) => (list(known('customers'))[0]?.['lat'] === undefined ? 'euclidean' : 'haversine'),
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
    const found: Finding[] = [];
    const used = new Set<number>();
    const claim = (from: number, to: number): void => {
      for (const [i, { start, end }] of message.quantities.entries()) if (end > from && start < to) used.add(i);
    };
    const near = (words: string): RegExpExecArray | null => new RegExp(`\\b(?:${words})\\b[^\\d(\\[+-]{0,24}?${PAIR}`).exec(message.plain); // prettier-ignore
    // A bakery may be a stop; where something starts, it is none.
    const ids = list(known('customers')).map(({ id }) => String(id).toLowerCase());
    const isOfStop = placesIn(message).some(({ id }) => id !== null && ids.includes(id.toLowerCase()));
    // "from (0,0)" with nothing in between is where a tour begins; "A is at (2,3)" moves a stop.
    const from = /\bfrom (?=[([])/.test(message.plain) ? new RegExp(`\\bfrom ${PAIR}`).exec(message.plain) : null;
    const depot = near(STARTS) ?? near(BUSINESSES) ?? from ?? (asked === 'depot' && !isOfStop ? new RegExp(PAIR).exec(message.plain) : null); // prettier-ignore
    const keys = isGlobe(message) ? (['lat', 'lon'] as const) : (['x', 'y'] as const);
    let depotEnd = -1;
    if (depot !== null) {
      const [a, b] = [Number(depot[1]), Number(depot[2])];
      const start = depot.index + depot[0].search(/[\d([+-]/);
      depotEnd = depot.index + depot[0].length;
      claim(start, depotEnd);
      found.push({ slot: 'depot', value: { [keys[0]]: a, [keys[1]]: b }, text: depot[0], confidence: 0.9, used: [] });
    }
    const table = pastedTable(message.text);
    const rows =
      table === null
        ? null
        : (rowsAs(table, CUSTOMER_COLUMNS, ['x', 'y']) ?? rowsAs(table, CUSTOMER_COLUMNS, ['lat', 'lon']));
    if (rows !== null) {
      const stops = rows.filter((row) => String(row['id'] ?? '').toLowerCase() !== 'depot');
      const home = rows.find((row) => String(row['id'] ?? '').toLowerCase() === 'depot');
      if (home !== undefined) found.push({ slot: 'depot', value: Object.fromEntries(Object.entries(home).filter(([key]) => /^(?:x|y|lat|lon)$/.test(key))), text: 'the row of the depot', confidence: 0.95 }); // prettier-ignore
      found.push({ slot: 'customers', value: stops, text: `a table of ${stops.length} rows`, confidence: 0.95 });
      const first = message.plain.search(/\n/);
      claim(first < 0 ? 0 : first, message.plain.length);
      return finish();
    }
    const places = placesIn(message).filter(({ end }) => !(depotEnd >= 0 && Math.abs(end - depotEnd) <= 1));
    const load = new RegExp(
      `\\b(?:${FLEET})s? (?:of|with|holding|carrying|taking)(?: (?:about|up to|a capacity of))? $`,
    );
    const capacity = message.quantities.findIndex(({ start, end, isPercent, currency, unit }) => currency === null && !isPercent && unit?.dimension !== 'time' && load.test(message.plain.slice(Math.max(0, start - 40), start)) && !/^ (?:drivers?|people|men|crew|customers|stops|axles)\b/.test(message.plain.slice(end))); // prettier-ignore
    if (capacity >= 0) {
      const { start, end, value } = message.quantities[capacity];
      claim(start, end);
      found.push({ slot: 'vehicles.capacity', value, text: message.text.slice(start, end), confidence: 0.85 });
    }
    const demandless = places.length;
    if (demandless > 0 && (demandless >= 2 || list(known('customers')).length > 0 || asked === 'customers')) {
      const customers: JsonObject[] = list(known('customers')).slice();
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
        claim(place.start, place.end);
      }
      const first = places[0];
      found.push({
        slot: 'customers',
        value: customers,
        text: message.text.slice(first.start, places.at(-1)!.end),
        confidence: 0.85,
      });
    }
    return finish();

    function finish(): Finding[] {
      if (/\b(?:unlimited|no (?:capacity |load |weight )?limits?|no capacity|any number fits)\b/.test(message.plain))
        found.push({ slot: 'vehicles.capacity', value: null, text: 'no limit', confidence: 0.9 });
      if (
        known('vehicles.count') === undefined &&
        !message.quantities.some(
          (_, i) =>
            !used.has(i) &&
            /^ ?(?:\w+ )?(?:van|truck|vehicle|driver)/.test(message.plain.slice(message.quantities[i].end)),
        ) &&
        /\b(?:my|a|the|our|one|single) (?:\w+ )?(?:van|truck|vehicle|driver|lorry|car|bike|courier)\b/.test(
          message.plain,
        )
      )
        // prettier-ignore
        found.push({ slot: 'vehicles.count', value: 1, text: 'one vehicle', confidence: 0.6 });
      const [head, ...rest] = found;
      return head === undefined ? [] : [{ ...head, used: [...used] }, ...rest];
    }
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
    const demands = list(known('customers')).map(({ demand }) => (typeof demand === 'number' ? demand : 0));
    if (count === null || capacity === null) return [];
    const total = demands.reduce((sum, one) => sum + one, 0);
    const largest = Math.max(0, ...demands);
    if (largest > capacity) return [{ slot: 'vehicles.capacity', message: `One stop has a demand of ${shownNumber(largest)}, above what a vehicle carries, ${shownNumber(capacity)}.` }]; // prettier-ignore
    if (total > count * capacity) return [{ slot: 'vehicles', message: `The total demand of ${shownNumber(total)} exceeds ${count} x ${shownNumber(capacity)}.` }]; // prettier-ignore
    return [];
  },
  build: (known) => fieldsOf(known, ['depot', 'customers', 'vehicles', 'distance', 'objective']),
};

/** "12 boxes of 30 kg", "4 x 250": copies of a size. */
function repeated(message: Message): {
  readonly sizes: number[];
  readonly used: number[];
  readonly unit: string | null;
} {
  const sizes: number[] = [];
  const used: number[] = [];
  let unit: string | null = null;
  for (let i = 0; i + 1 < message.quantities.length; i++) {
    const [count, size] = [message.quantities[i], message.quantities[i + 1]];
    const gap = message.plain.slice(count.end, size.start);
    if (count.unit !== null || !Number.isInteger(count.value) || count.value < 1 || count.value > 1_000) continue;
    if (
      !/^ ?(?:(?!(?:in|into|to|onto|on|per|for)\b)[a-z]+ ){0,2}(?:of|at|x|@|weighing|with|\u00d7|measuring|that weigh|pieces of|of size)(?: about)? ?$/.test(
        gap,
      )
    )
      continue;
    if (size.currency !== null || size.isPercent || sizes.length + count.value > 5_000) continue;
    for (let k = 0; k < count.value; k++) sizes.push(size.value);
    unit = size.unit?.name ?? unit;
    used.push(i, i + 1);
    i += 1;
  }
  return { sizes, used, unit };
}

const BINS = 'bins?|containers?|box(?:es)?|crates?|pallets?|trucks?|vans?|lorr(?:y|ies)|suitcases?|disks?|discs?|drives?|tapes?|boards?|planks?|rolls?|sheets?|bars?'; // prettier-ignore
const LIMITED_BINS = new RegExp(`\\b(?:at most|max(?:imum)?(?: of)?|no more than|not more than|only|just|limit(?:ed)? (?:of|to)|up to|into|(?:we|i) have|there are) ?$`); // prettier-ignore

/** "max 3 bins", "we have 3 trucks": how many there are, and not what one takes. */
const countsOfBins = ({ plain, quantities }: Message): readonly number[] =>
  quantities.flatMap(({ start, end, unit, currency, isPercent }, i) => {
    if (unit !== null || currency !== null || isPercent) return [];
    const after = new RegExp(`^ ?(?:(?:such|of the|large|small|big|standard|shipping|delivery) )?(?:${BINS})\\b(?! (?:of|with|weighing|x|at|each|per|in (?:a|each|one)))`); // prettier-ignore
    if (!after.test(plain.slice(end, end + 40))) return [];
    const before = plain.slice(Math.max(0, start - 50), start).split(/[.,;!?\n]/).at(-1)!; // prettier-ignore
    const isTaken = /\b(?:takes?|holds?|fits?|carr(?:y|ies)|loads?|capacity|room for|each|per)\b/.test(before);
    return !isTaken && (LIMITED_BINS.test(before) || LIMITED_BINS.test(plain.slice(start, end).replace(/\d.*$/, '').trim())) ? [i] : []; // prettier-ignore
  });

export const binPacking: Problem = {
  domain: 'supply_chain',
  type: 'warehouse',
  model: 'bin_packing',
  ignores: countsOfBins,
  limits: [
    {
      words: new RegExp(`(?<!\\b(?:takes?|holds?|fits?|carr(?:y|ies)|loads?|capacity|room for|each|per)\\b[^.,;!?\\n]{0,40})\\b(?:at most|max(?:imum)?(?: of)?|no more than|not more than|only have|limit(?:ed)? (?:of|to)) [\\w]+ (?:${BINS})\\b(?! (?:of|with|weighing|x|at|each|per|in (?:a|each|one)))`), // prettier-ignore
      message:
        'The answer is the fewest containers that hold everything; there is no limit to set. Compare it with yours.',
    },
  ],
  slots: [
    {
      name: 'item_sizes',
      kind: null,
      isList: true,
      required: true,
      question: 'How large is each item?',
      example: '480, 420, 390 kg; or: 12 boxes of 30 kg',
      help: 'Weights or volumes, in the same unit as what a container takes.',
    },
    {
      name: 'bin_capacity',
      kind: 'amount',
      keepsUnit: true,
      cues: 'takes|take|capacity|hold|holds|container|bin|fits|limit|max load|box takes|carry|carries|up to|payload|each container|per container|truck|trucks|can load|long|stock length|lengths of|come in|comes in|maximum|tape|disk|disks|drive|room', // prettier-ignore
      accepts: ({ value, isPercent }) => !isPercent && value > 0,
      required: true,
      question: 'How much does one container take?',
      example: '1 tonne',
    },
  ],
  read(message, { asked }) {
    const copies = repeated(message);
    if (copies.sizes.length > 0) {
      const text = message.text.slice(
        message.quantities[copies.used[0]].start,
        message.quantities[copies.used.at(-1)!].end,
      );
      return [
        { slot: 'item_sizes', value: copies.sizes, text, confidence: 0.85, used: copies.used },
        ...(copies.unit === null ? [] : [{ slot: 'item_sizes.unit', value: copies.unit, text, confidence: 0.85 }]),
      ];
    }
    // "7 items", "2 suitcases": how many there are, no sizes.
    const isSize = ({ start, end, unit, currency, isPercent }: Quantity): boolean => {
      if (currency !== null || isPercent) return false;
      const isHeadCount = /^ (?:items?|bins?|containers?|suitcases?|disks?|discs?|hosts?|servers?|trucks?|vans?)\b/.test(message.plain.slice(end, end + 14)); // prettier-ignore
      return !(isHeadCount && unit === null && /(?:^|[;.\n:]) *$/.test(message.plain.slice(0, start)));
    };
    const run = longestRun(message, isSize);
    if (run.length < (asked === 'item_sizes' ? 1 : 2)) return [];
    const own = run.map((i) => message.quantities[i]);
    const text = message.text.slice(own[0].start, own.at(-1)!.end);
    const unit = own.at(-1)!.unit;
    // Units in the list may differ: the last one counts.
    const value = own.map((one) => (one.unit === null || unit === null || one.unit.name === unit.name || one.unit.dimension !== unit.dimension ? one.value : Number(((one.value * one.unit.factor) / unit.factor).toPrecision(12)))); // prettier-ignore
    // The only other quantity of that dimension is what a container takes.
    const others = message.quantities.flatMap((one, i) => (!run.includes(i) && unit !== null && one.unit?.dimension === unit.dimension ? [i] : [])); // prettier-ignore
    const bin = others.length === 1 ? message.quantities[others[0]] : undefined;
    const binText = bin === undefined ? '' : message.text.slice(bin.start, bin.end);
    return [
      ...(bin === undefined || bin.unit === null
        ? []
        : [
            { slot: 'bin_capacity', value: bin.value, text: binText, confidence: 0.7, used: others },
            { slot: 'bin_capacity.unit', value: bin.unit.name, text: binText, confidence: 0.7 },
          ]),
      { slot: 'item_sizes', value, text, confidence: 0.85, used: [...run] },
      ...(unit === null ? [] : [{ slot: 'item_sizes.unit', value: unit.name, text, confidence: 0.85 }]),
    ];
  },
  derive(known) {
    const [own, bin] = [textOf(known, 'item_sizes.unit'), textOf(known, 'bin_capacity.unit')];
    const capacity = numberOf(known, 'bin_capacity');
    if (own === null || bin === null || own === bin || capacity === null) return [];
    const [a, b] = [unitNamed(own), unitNamed(bin)];
    if (a === undefined || b === undefined || a.dimension !== b.dimension) return [];
    const value = Number(((capacity * b.factor) / a.factor).toPrecision(12));
    const message = `${shownNumber(capacity)} ${bin} is ${shownNumber(value)} ${own}.`;
    return [{ ...derived('bin_capacity.converted', value, message), notes: [{ kind: 'unit_converted', slot: 'bin_capacity', message }] }]; // prettier-ignore
  },
  conflicts(known) {
    const capacity = numberOf(known, 'bin_capacity.converted') ?? numberOf(known, 'bin_capacity');
    const sizes = Array.isArray(known('item_sizes')) ? (known('item_sizes') as number[]) : [];
    const largest = Math.max(0, ...sizes);
    return capacity !== null && largest > capacity
      ? [
          {
            slot: 'bin_capacity',
            message: `One item has the size ${shownNumber(largest)}, above what a container takes, ${shownNumber(capacity)}.`,
          },
        ]
      : [];
  },
  build: (known: Known) => ({
    model: 'bin_packing',
    ...fieldsOf(known, ['item_sizes', 'bin_capacity']),
    ...(known('bin_capacity.converted') === undefined ? {} : { bin_capacity: known('bin_capacity.converted')! }),
  }),
};
