/**
 * Benchmark files as text: VRPLIB (with the sections that PyVRP adds), Solomon, TSPLIB. Distances are those of the file
 * or of its coordinates, by its rule and `rounding`.
 */
export const FORMATS = ['vrplib', 'solomon', 'tsplib'] as const;
export type Format = (typeof FORMATS)[number];

export interface Instance {
  /** Location 0 is the depot. */
  readonly coordinates: readonly (readonly [x: number, y: number])[] | null;
  readonly size: number;
  /** Null: Euclidean over the coordinates, rounded as the request says. */
  readonly distance: ((a: number, b: number) => number) | null;
  readonly demand: readonly number[];
  readonly service: readonly number[];
  readonly windows: readonly (readonly [from: number, to: number] | null)[];
  /** Null: any number of vehicles. */
  readonly vehicles: readonly InstanceVehicle[];
  readonly maxDuration: number;
}

interface InstanceVehicle {
  /** Null: any number. */
  readonly count: number | null;
  readonly capacity: number;
  readonly fixedCost: number;
  readonly costPerDistance: number;
}

/** The file is not what its format says; the message is for the client. */
export class InstanceError extends Error {}

const SECTIONS = new Set([
  'NODE_COORD_SECTION',
  'DEMAND_SECTION',
  'DEPOT_SECTION',
  'EDGE_WEIGHT_SECTION',
  'DISPLAY_DATA_SECTION',
  'CAPACITY_SECTION',
  'VEHICLES_FIXED_COST_SECTION',
  'VEHICLES_UNIT_DISTANCE_COST_SECTION',
  'TIME_WINDOW_SECTION',
  'SERVICE_TIME_SECTION',
]);

export const readInstance = (format: Format, text: string, most: number): Instance =>
  format === 'solomon' ? readSolomon(text, most) : readLibrary(text, most);

function numberOf(word: string | undefined, what: string): number {
  const value = Number(word);
  if (word === undefined || word === '' || !Number.isFinite(value))
    throw new InstanceError(`${what} must be a number, not ${word ?? 'absent'}`);
  return value;
}

function readSolomon(text: string, most: number): Instance {
  const rows = text
    .split(/\r?\n/)
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => words.every((word) => word !== '' && Number.isFinite(Number(word))))
    .map((words) => words.map(Number));
  const fleet = rows.find((row) => row.length === 2);
  const places = rows.filter((row) => row.length === 7);
  if (fleet === undefined) throw new InstanceError('it has no line with the number of vehicles and their capacity');
  if (places.length < 2) throw new InstanceError('it has no lines of seven numbers for the depot and the customers');
  checkSize(places.length, most);
  const [count = 1, capacity = 0] = fleet;
  return {
    coordinates: places.map(([, px = 0, py = 0]) => [px, py]),
    size: places.length,
    distance: null,
    demand: places.map((row) => row[3] ?? 0),
    service: places.map((row) => row[6] ?? 0),
    windows: places.map((row) => [row[4] ?? 0, row[5] ?? 0]),
    vehicles: [{ count, capacity, fixedCost: 0, costPerDistance: 1 }],
    maxDuration: Infinity,
  };
}

function checkSize(size: number, most: number): void {
  if (!Number.isInteger(size) || size < 2) throw new InstanceError(`its DIMENSION must be a whole number from 2 on`);
  if (size - 1 > most) throw new InstanceError(`it has ${size - 1} customers, and at most ${most} are accepted`);
}

function readLibrary(text: string, most: number): Instance {
  const head = new Map<string, string>();
  const sections = new Map<string, string[][]>();
  let rows: string[][] | null = null;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (line === '') continue;
    if (line === 'EOF') break;
    const name = line.replace(/\s*:\s*$/, '');
    if (/^[A-Z_]+_SECTION$/.test(name)) {
      if (!SECTIONS.has(name)) throw new InstanceError(`${name} is not supported`);
      rows = [];
      sections.set(name, rows);
    } else if (/^[A-Z_]+\s*:/.test(line)) {
      const colon = line.indexOf(':');
      head.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
      rows = null;
    } else if (rows !== null) rows.push(line.split(/\s+/));
    else throw new InstanceError(`the line ${JSON.stringify(line.slice(0, 60))} belongs to no section`);
  }
  const size = numberOf(head.get('DIMENSION'), 'DIMENSION');
  checkSize(size, most);
  const byNode = (section: string, what: string): (readonly number[])[] | null => {
    const lines = sections.get(section);
    if (lines === undefined) return null;
    const values: number[][] = [];
    for (const [node = '', ...words] of lines) {
      const i = numberOf(node, `a node of ${section}`) - 1;
      if (!Number.isInteger(i) || i < 0 || i >= size)
        throw new InstanceError(`${section} names node ${node} of ${size}`);
      values[i] = words.map((word) => numberOf(word, what));
    }
    for (let i = 0; i < size; i++) {
      if ((values[i]?.length ?? 0) < 1) throw new InstanceError(`${section} has nothing for node ${i + 1}`);
    }
    return values;
  };
  const coordinates = byNode('NODE_COORD_SECTION', 'a coordinate')?.map((row): [number, number] => {
    if (row.length < 2) throw new InstanceError('NODE_COORD_SECTION needs two coordinates for each node');
    return [row[0], row[1]];
  });
  const [depot = '1', ...others] = (sections.get('DEPOT_SECTION') ?? []).flat().filter((word) => word !== '-1');
  if (depot !== '1' || others.length > 0) throw new InstanceError('only node 1 can be the depot');
  const perNode = (section: string, otherwise: number): number[] =>
    byNode(section, 'a number')?.map((row) => row[0]) ?? Array.from({ length: size }, () => otherwise);
  const windows = byNode('TIME_WINDOW_SECTION', 'a time');
  const service = perNode('SERVICE_TIME_SECTION', Number(head.get('SERVICE_TIME') ?? 0));
  service[0] = 0;
  const limit = head.get('DISTANCE');
  return {
    coordinates: coordinates ?? null,
    size,
    distance: distanceRule(head, sections, coordinates ?? null, size),
    demand: perNode('DEMAND_SECTION', 0),
    service,
    windows: windows?.map(([from = 0, to = 0]) => [from, to]) ?? Array.from({ length: size }, () => null),
    vehicles: fleetOf(head, sections),
    maxDuration: limit === undefined ? Infinity : numberOf(limit, 'DISTANCE'),
  };
}

function fleetOf(head: ReadonlyMap<string, string>, sections: ReadonlyMap<string, string[][]>): InstanceVehicle[] {
  const lines = sections.get('CAPACITY_SECTION');
  if (lines === undefined) {
    const capacity = head.has('CAPACITY') ? numberOf(head.get('CAPACITY'), 'CAPACITY') : Infinity;
    const count = head.has('VEHICLES') ? numberOf(head.get('VEHICLES'), 'VEHICLES') : null;
    return [{ count, capacity, fixedCost: 0, costPerDistance: 1 }];
  }
  const column = (section: string, otherwise: number): number[] =>
    sections.get(section)?.map((row) => numberOf(row[1], `a value of ${section}`)) ?? lines.map(() => otherwise);
  const fixed = column('VEHICLES_FIXED_COST_SECTION', 0);
  const unit = column('VEHICLES_UNIT_DISTANCE_COST_SECTION', 1);
  const kinds = new Map<string, { count: number; capacity: number; fixedCost: number; costPerDistance: number }>();
  for (const [k, capacity] of column('CAPACITY_SECTION', 0).entries()) {
    const kind = { count: 0, capacity, fixedCost: fixed[k] ?? 0, costPerDistance: unit[k] ?? 1 };
    const key = JSON.stringify(kind);
    const known = kinds.get(key) ?? kind;
    known.count++;
    kinds.set(key, known);
  }
  return [...kinds.values()];
}

type Rule = (a: number, b: number) => number;

function distanceRule(
  head: ReadonlyMap<string, string>,
  sections: ReadonlyMap<string, string[][]>,
  at: readonly (readonly [number, number])[] | null,
  size: number,
): Rule | null {
  const type = head.get('EDGE_WEIGHT_TYPE') ?? 'EUC_2D';
  if (type === 'EXPLICIT')
    return explicit(head.get('EDGE_WEIGHT_FORMAT') ?? '', sections.get('EDGE_WEIGHT_SECTION'), size);
  if (at === null) throw new InstanceError(`EDGE_WEIGHT_TYPE ${type} needs a NODE_COORD_SECTION`);
  const gaps = (a: number, b: number): [number, number] => [at[a][0] - at[b][0], at[a][1] - at[b][1]];
  switch (type) {
    case 'EUC_2D':
      return null;
    case 'CEIL_2D':
      return (a, b) => Math.ceil(length(...gaps(a, b)));
    case 'MAN_2D':
      return (a, b) => Math.round(gaps(a, b).reduce((sum, gap) => sum + Math.abs(gap), 0));
    case 'ATT':
      // TSPLIB 95, section 2.5: a pseudo-Euclidean distance, rounded up.
      return (a, b) => {
        const [dx, dy] = gaps(a, b);
        return Math.ceil(Math.sqrt((dx * dx + dy * dy) / 10));
      };
    default:
      throw new InstanceError(`EDGE_WEIGHT_TYPE ${type} is not supported`);
  }
}

const length = (dx: number, dy: number): number => Math.sqrt(dx * dx + dy * dy);

function explicit(format: string, lines: string[][] | undefined, size: number): Rule {
  const values = (lines ?? []).flat().map((word) => numberOf(word, 'an edge weight'));
  if (values.some((value) => value < 0)) throw new InstanceError('edge weights must be at least 0');
  const matrix = new Float64Array(size * size);
  let k = 0;
  const set = (a: number, b: number, both: boolean): void => {
    const value = values[k++] ?? NaN;
    matrix[a * size + b] = value;
    if (both) matrix[b * size + a] = value;
  };
  for (let a = 0; a < size; a++) {
    if (format === 'FULL_MATRIX') for (let b = 0; b < size; b++) set(a, b, false);
    else if (format === 'LOWER_ROW') for (let b = 0; b < a; b++) set(a, b, true);
    else if (format === 'LOWER_DIAG_ROW') for (let b = 0; b <= a; b++) set(a, b, true);
    else if (format === 'UPPER_ROW') for (let b = a + 1; b < size; b++) set(a, b, true);
    else if (format === 'UPPER_DIAG_ROW') for (let b = a; b < size; b++) set(a, b, true);
    else throw new InstanceError(`EDGE_WEIGHT_FORMAT ${format} is not supported`);
  }
  if (k !== values.length)
    throw new InstanceError(`EDGE_WEIGHT_SECTION has ${values.length} numbers, and ${format} needs ${k}`);
  return (a, b) => matrix[a * size + b];
}
