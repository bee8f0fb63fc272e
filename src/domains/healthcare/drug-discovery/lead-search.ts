/**
 * Searches of the library that R-groups span: every compound, where there are few enough; else branch and bound, site
 * by site. The bound of a part of the library adds up what each open site can bring at most. Where the objective is a
 * sum, limits enter it with multipliers (Lagrangian relaxation), which makes it as sharp as a linear programme.
 */
import type { SolveContext } from '../../problem-type.js';
import type { LinearProgram } from '../../solvers/linear-program.js';
import { leastOf, mostOf, type Range } from './ranges.js';

/** The library: `core` and the change by each option, by property. */
export interface Library {
  readonly core: readonly number[];
  /** [site][option][property] */
  readonly changes: readonly (readonly (readonly number[])[])[];
}

/** `property`: place in `core`. */
export interface Limit extends Range {
  readonly property: number;
}

export interface Objective {
  /** Value of a compound with these properties. */
  valueOf(properties: ArrayLike<number>): number;
  /** At least the value of every compound whose properties lie within. */
  boundOf(low: ArrayLike<number>, high: ArrayLike<number>): number;
  /** The objective is the sum of these multiples of the properties. Null: it is no sum. */
  readonly weights: readonly number[] | null;
}

/** Index of the option of each site. */
export type Choice = readonly number[];

export interface Leader {
  readonly choice: Choice;
  readonly value: number;
}

interface Enumerated {
  /** The best, at most as many as asked for. */
  readonly best: readonly Leader[];
  readonly feasible: number;
  /** The whole Pareto front (more of the first property, less of the second), from most to least. */
  readonly front: readonly { readonly choice: Choice; readonly more: number; readonly less: number }[];
}

const LEAVES_PER_LOOK = 1 << 16;
const SAME = 1e-10;

export const sizeOf = ({ changes }: Library): number => changes.reduce((size, options) => size * options.length, 1);

export function propertiesOf({ core, changes }: Library, choice: Choice): number[] {
  const sums = [...core];
  for (const [site, option] of choice.entries()) {
    const change = changes[site][option];
    for (let p = 0; p < sums.length; p++) sums[p] += change[p];
  }
  return sums;
}

const isAllowed = (properties: ArrayLike<number>, limits: readonly Limit[]): boolean =>
  limits.every((limit) => properties[limit.property] >= leastOf(limit) && properties[limit.property] <= mostOf(limit));

/** Keeps the best `most`, equal ones in the order in which they came. */
function insert(leaders: Leader[], choice: Int32Array, value: number, most: number): void {
  if (leaders.length === most && value <= leaders[most - 1].value) return;
  let place = leaders.length;
  while (place > 0 && leaders[place - 1].value < value) place--;
  leaders.splice(place, 0, { choice: [...choice], value });
  if (leaders.length > most) leaders.pop();
}

interface FrontPoint {
  readonly choice: Choice;
  readonly more: number;
  readonly less: number;
}

/** `front`: falling in `more` and in `less`. */
function insertIntoFront(front: FrontPoint[], choice: Int32Array, more: number, less: number): void {
  let [low, high] = [0, front.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (front[middle].more > more) low = middle + 1;
    else high = middle;
  }
  // Before `low` all have more; the last of them has the least of the other.
  if (low > 0 && front[low - 1].less <= less) return;
  if (low < front.length && front[low].more === more && front[low].less <= less) return;
  let end = low;
  while (end < front.length && front[end].less >= less) end++;
  front.splice(low, end - low, { choice: [...choice], more, less });
}

/** Every compound. `trade`: the two properties of the front. */
export function enumerate(
  library: Library,
  limits: readonly Limit[],
  objective: Objective,
  {
    most,
    trade,
    context,
  }: { readonly most: number; readonly trade: readonly [number, number] | null; readonly context: SolveContext },
): Enumerated {
  const { core, changes } = library;
  const [sites, width] = [changes.length, core.length];
  const sums = Array.from({ length: sites + 1 }, () => Float64Array.from(core));
  const choice = new Int32Array(sites);
  const best: Leader[] = [];
  const front: FrontPoint[] = [];
  let [feasible, leaves] = [0, 0];
  const visit = (site: number): void => {
    const sum = sums[site];
    if (site === sites) {
      if (++leaves % LEAVES_PER_LOOK === 0) context.look();
      if (!isAllowed(sum, limits)) return;
      feasible++;
      insert(best, choice, objective.valueOf(sum), most);
      if (trade !== null) insertIntoFront(front, choice, sum[trade[0]], sum[trade[1]]);
      return;
    }
    const next = sums[site + 1];
    for (const [option, change] of changes[site].entries()) {
      choice[site] = option;
      for (let p = 0; p < width; p++) next[p] = sum[p] + change[p];
      visit(site + 1);
    }
  };
  visit(0);
  return { best, feasible, front };
}

/** Least and largest sums of each property over the sites from each one on. */
function reaches({ core, changes }: Library): { readonly low: Float64Array[]; readonly high: Float64Array[] } {
  const [low, high] = [0, 1].map(() => Array.from({ length: changes.length + 1 }, () => new Float64Array(core.length)));
  for (let site = changes.length - 1; site >= 0; site--) {
    for (let p = 0; p < core.length; p++) {
      const all = changes[site].map((change) => change[p]);
      low[site][p] = low[site + 1][p] + all.reduce((a, b) => Math.min(a, b));
      high[site][p] = high[site + 1][p] + all.reduce((a, b) => Math.max(a, b));
    }
  }
  return { low, high };
}

/**
 * Loss of the objective for one more unit of each limit, from the linear relaxation: any numbers not below 0 would do.
 */
interface Multipliers {
  /** One for each limit, by its two sides. */
  readonly low: readonly number[];
  readonly high: readonly number[];
}

async function multipliersOf(
  { changes, core }: Library,
  limits: readonly Limit[],
  weights: readonly number[],
  context: SolveContext,
): Promise<Multipliers> {
  const none = { low: limits.map(() => 0), high: limits.map(() => 0) };
  const columns = changes.flatMap((options, site) =>
    options.map((change, option) => ({
      name: `${site}:${option}`,
      cost: change.reduce((sum, own, p) => sum + weights[p] * own, 0),
      upper: 1,
    })),
  );
  const starts = changes.map((_, site) => changes.slice(0, site).reduce((sum, options) => sum + options.length, 0));
  const flat = changes.flat();
  const program: LinearProgram = {
    sense: 'maximize',
    columns,
    rows: [
      ...changes.map((options, site) => ({
        name: `site ${site}`,
        lower: 1,
        upper: 1,
        terms: options.map((_, option) => [starts[site] + option, 1] as const),
      })),
      ...limits.flatMap((limit) => {
        const terms = flat.flatMap((change, i) =>
          change[limit.property] === 0 ? [] : [[i, change[limit.property]] as const],
        );
        const base = core[limit.property];
        return [
          { name: 'low', lower: leastOf(limit) - base, terms },
          { name: 'high', upper: mostOf(limit) - base, terms },
        ];
      }),
    ],
  };
  const { rowDuals } = await context.solveLinear(program);
  if (rowDuals === null) return none;
  const at = (i: number, side: number): number => rowDuals[changes.length + 2 * i + side];
  return {
    low: limits.map((limit, i) => (limit.min === undefined ? 0 : Math.max(0, -at(i, 0)))),
    high: limits.map((limit, i) => (limit.max === undefined ? 0 : Math.max(0, at(i, 1)))),
  };
}

export interface Bounded {
  /** Null: there is none, or none was found in time. */
  readonly best: Leader | null;
  /** No compound is better. */
  readonly bound: number;
  readonly isProven: boolean;
  readonly nodes: number;
  readonly leaves: number;
}

/** Branch and bound. `isOver` of the context ends it early. */
export async function branchAndBound(
  library: Library,
  limits: readonly Limit[],
  objective: Objective,
  context: SolveContext,
): Promise<Bounded> {
  const { weights } = objective;
  const { core, changes } = library;
  const multipliers = weights === null ? null : await multipliersOf(library, limits, weights, context);
  // The objective with the limits in it: a constant, the core's part, and each option's.
  const price = weights === null || multipliers === null ? null : [...weights];
  let constant = 0;
  if (price !== null && multipliers !== null) {
    for (const [i, limit] of limits.entries()) {
      price[limit.property] += multipliers.low[i] - multipliers.high[i];
      if (multipliers.high[i] > 0) constant += multipliers.high[i] * mostOf(limit);
      if (multipliers.low[i] > 0) constant -= multipliers.low[i] * leastOf(limit);
    }
  }
  // The best options first: one that cannot lead to the best ends its site's list where the bound is a sum.
  const orders = changes.map((options) =>
    options
      .map((change, option) => ({
        option,
        worth: price === null ? 0 : change.reduce((sum, own, p) => sum + price[p] * own, 0),
      }))
      .sort((a, b) => b.worth - a.worth || a.option - b.option),
  );
  const open = new Float64Array(changes.length + 1);
  for (let site = changes.length - 1; site >= 0; site--) open[site] = open[site + 1] + orders[site][0].worth;
  const { low, high } = reaches(library);
  const width = core.length;
  const sums = Array.from({ length: changes.length + 1 }, () => Float64Array.from(core));
  const [from, to] = [new Float64Array(width), new Float64Array(width)];
  const choice = new Int32Array(changes.length);
  let best: Leader | null = null;
  let [nodes, leaves, isOver] = [0, 0, false];
  const isWorse = (bound: number): boolean => best !== null && bound <= best.value + SAME * (1 + Math.abs(best.value));
  const canHold = (site: number, sum: Float64Array): boolean => {
    for (const limit of limits) {
      const p = limit.property;
      if (sum[p] + low[site][p] > mostOf(limit) || sum[p] + high[site][p] < leastOf(limit)) return false;
    }
    return true;
  };
  const boundAt = (site: number, sum: Float64Array): number => {
    for (let p = 0; p < width; p++) {
      from[p] = sum[p] + low[site][p];
      to[p] = sum[p] + high[site][p];
    }
    return objective.boundOf(from, to);
  };
  const visit = (site: number, priced: number): void => {
    const sum = sums[site];
    if (++nodes % 4_096 === 0) isOver ||= context.isOver();
    if (isOver || !canHold(site, sum) || isWorse(boundAt(site, sum))) return;
    if (site === changes.length) {
      leaves++;
      const value = objective.valueOf(sum);
      if (best === null || value > best.value) best = { choice: [...choice], value };
      return;
    }
    const next = sums[site + 1];
    for (const { option, worth: own } of orders[site]) {
      if (price !== null && isWorse(priced + own + open[site + 1])) break;
      const change = changes[site][option];
      choice[site] = option;
      for (let p = 0; p < width; p++) next[p] = sum[p] + change[p];
      visit(site + 1, priced + own);
      if (isOver) return;
    }
  };
  const root = constant + (price === null ? 0 : core.reduce((sum, own, p) => sum + price[p] * own, 0));
  const all = Math.min(boundAt(0, sums[0]), price === null ? Infinity : root + open[0]);
  visit(0, root);
  const found = best as Leader | null;
  return { best: found, bound: isOver || found === null ? all : found.value, isProven: !isOver, nodes, leaves };
}

/** Whether any compound keeps the limits. */
function canAllHold(library: Library, limits: readonly Limit[], context: SolveContext): boolean {
  const { low, high } = reaches(library);
  const { changes, core } = library;
  const sums = Array.from({ length: changes.length + 1 }, () => Float64Array.from(core));
  let nodes = 0;
  const visit = (site: number): boolean => {
    if (++nodes % 4_096 === 0) context.look();
    const sum = sums[site];
    for (const limit of limits) {
      const p = limit.property;
      if (sum[p] + low[site][p] > mostOf(limit) || sum[p] + high[site][p] < leastOf(limit)) return false;
    }
    if (site === changes.length) return isAllowed(sum, limits);
    const next = sums[site + 1];
    return changes[site].some((change) => {
      for (let p = 0; p < core.length; p++) next[p] = sum[p] + change[p];
      return visit(site + 1);
    });
  };
  return visit(0);
}

/** Limits that cannot hold together, none of them superfluous. */
export function conflictOf(library: Library, limits: readonly Limit[], context: SolveContext): readonly Limit[] {
  const alone = limits.find((limit) => !canAllHold(library, [limit], context));
  if (alone !== undefined) return [alone];
  return limits.reduce<readonly Limit[]>((kept, limit) => {
    const without = kept.filter((other) => other !== limit);
    return canAllHold(library, without, context) ? kept : without;
  }, limits);
}
