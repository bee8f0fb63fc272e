/**
 * The space of a search: parameters with ranges or lists of values, some of them only under a condition.
 *
 * A setting is a point: one number for each parameter in the order of the space, the value of a float or int, else the
 * index of its choice. A parameter whose condition does not hold is inactive: it stands at its first value and makes no
 * difference.
 */
import { z } from 'zod';
import { exp, log } from '../../../common/float.js';
import { nearMatch } from '../../../common/near-match.js';
import type { Rng } from '../../../common/rng.js';
import { shown } from '../../../common/validation.js';
import { list, number, positive, type Complain } from '../../fields.js';
import type { ParameterValue } from '../learners/learner.js';

export const MOST_PARAMETERS = 30;
const MOST_CHOICES = 1_000;
/** Settings of a space with conditions are counted one by one, up to that. */
const MOST_COUNTED = 100_000;

const choice = z.union([z.number(), z.string().max(200), z.boolean()]);

const condition = z
  .strictObject({
    param: z.string().max(100).describe('Name of another parameter, with choices or values, or an int'),
    in: list(choice, 'Values of it', MOST_CHOICES),
  })
  .describe('Only where another parameter has one of these values; else the default holds');

const parameter = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('float'),
    low: number('Least value'),
    high: number('Largest value'),
    log: z.boolean().default(false).describe('Whether ratios count, not differences'),
    step: positive('Distance of the values from `low` on. Absent: all between').optional(),
    condition: condition.optional(),
  }),
  z.strictObject({
    type: z.literal('int'),
    low: z.int().min(-1e9).max(1e9).describe('Least value'),
    high: z.int().min(-1e9).max(1e9).describe('Largest value'),
    log: z.boolean().default(false).describe('Whether ratios count, not differences'),
    step: z.int().min(1).max(1e9).default(1).describe('Distance of the values from `low` on'),
    condition: condition.optional(),
  }),
  z.strictObject({
    type: z.literal('categorical'),
    choices: list(choice, 'Values without an order', MOST_CHOICES),
    condition: condition.optional(),
  }),
  z.strictObject({
    type: z.literal('ordinal'),
    values: list(choice, 'Values in their order', MOST_CHOICES),
    condition: condition.optional(),
  }),
]);

/** Names begin with a letter: JavaScript objects know no such name as another thing than a field. */
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/;

export const searchSpace = z
  .record(z.string(), parameter)
  .describe('What is searched, by the name of the parameter: 1 to 30 of them');

export type SearchSpace = z.output<typeof searchSpace>;
export type SpaceParameter = SearchSpace[string];

/** Values that a parameter without a continuum has; null: too many to write down, or a continuum. */
export const listOf = (one: SpaceParameter): readonly ParameterValue[] | null => {
  switch (one.type) {
    case 'categorical':
      return one.choices;
    case 'ordinal':
      return one.values;
    case 'int':
    case 'float':
      return null;
  }
};

const isNumeric = (one: SpaceParameter): one is Extract<SpaceParameter, { low: number }> =>
  one.type === 'float' || one.type === 'int';

/** How many values it has; Infinity: a continuum. */
export function levelsOf(one: SpaceParameter): number {
  if (!isNumeric(one)) return (one.type === 'ordinal' ? one.values : one.choices).length;
  if (one.low === one.high) return 1;
  // A little more than the quotient: 0.3 / 0.1 is below 3.
  return one.step === undefined ? Infinity : Math.floor((one.high - one.low) / one.step + 1e-9) + 1;
}

/** True where nothing was complained about. */
export function checkSpace(space: SearchSpace, path: string, complain: Complain): boolean {
  const names = Object.keys(space);
  if (names.length === 0 || names.length > MOST_PARAMETERS) {
    complain([path], `\`{field}\` must have 1 to ${MOST_PARAMETERS} parameters, not ${names.length}.`);
    return false;
  }
  for (const [name, one] of Object.entries(space)) {
    const complaint = NAME.test(name)
      ? ownComplaint(one)
      : ([[], '`{field}`: a name begins with a letter and has letters, digits, `_`, `.` and `-`.'] as const);
    const found = complaint ?? conditionComplaint(space, name, one);
    if (found !== null) {
      complain([path, name, ...found[0]], found[1]);
      return false;
    }
  }
  return true;
}

type Complaint = readonly [path: readonly PropertyKey[], message: string];

function ownComplaint(one: SpaceParameter): Complaint | null {
  if (isNumeric(one)) {
    const { low, high } = one;
    if (low > high) return [['high'], `\`{field}\` = ${high} must be at least \`low\` = ${low}.`];
    if (one.log && !(low > 0)) return [['low'], '`{field}` must be above 0 on a logarithmic scale.'];
    if (one.log && (one.type === 'float' ? one.step !== undefined : one.step !== 1)) {
      return [['step'], '`{field}` and `log` do not go together: list the values as an ordinal.'];
    }
    if (one.type === 'float' && levelsOf(one) !== Infinity && levelsOf(one) > 1e9) {
      return [['step'], '`{field}` makes more than 1e9 values: leave it out.'];
    }
    return null;
  }
  const field = one.type === 'ordinal' ? 'values' : 'choices';
  const values = listOf(one) ?? [];
  const twice = values.findIndex((value, i) => values.indexOf(value) < i);
  return twice < 0 ? null : [[field, twice], `\`{field}\`: ${shown(values[twice])} is in the list already.`];
}

function conditionComplaint(space: SearchSpace, name: string, { condition: given }: SpaceParameter): Complaint | null {
  if (given === undefined) return null;
  const other = Object.hasOwn(space, given.param) ? space[given.param] : undefined;
  if (other === undefined) {
    const near = nearMatch(given.param, Object.keys(space));
    const hint = near === null ? '' : ` Did you mean ${shown(near)}?`;
    return [['condition', 'param'], `\`{field}\`: there is no parameter ${shown(given.param)}.${hint}`];
  }
  if (other.type === 'float') return [['condition', 'param'], '`{field}` must not be a float: no value of it is hit.'];
  for (let at = given.param, steps = 0; ; steps++) {
    if (at === name || steps > MOST_PARAMETERS) {
      return [['condition', 'param'], '`{field}`: parameters that wait for each other are never searched.'];
    }
    const next = Object.hasOwn(space, at) ? space[at]?.condition?.param : undefined;
    if (next === undefined) break;
    at = next;
  }
  const impossible = given.in.findIndex((value) => pointOf(other, value) === null);
  if (impossible < 0) return null;
  return [
    ['condition', 'in', impossible],
    `\`{field}\`: ${shown(given.in[impossible])} is no value of \`${given.param}\`.`,
  ];
}

/** The number of a value in a point; null: it is no value of the parameter. */
export function pointOf(one: SpaceParameter, value: ParameterValue): number | null {
  if (!isNumeric(one)) {
    const index = (listOf(one) ?? []).indexOf(value);
    return index < 0 ? null : index;
  }
  if (typeof value !== 'number' || !(value >= one.low && value <= one.high)) return null;
  if (one.type === 'int' && !Number.isInteger(value)) return null;
  if (one.step === undefined) return value;
  const steps = (value - one.low) / one.step;
  return Math.abs(steps - Math.round(steps)) < 1e-9 ? valueAt(one, Math.round(steps)) : null;
}

const valueAt = (one: Extract<SpaceParameter, { low: number }>, level: number): number =>
  Math.min(one.high, one.low + level * (one.step ?? 0));

/** One parameter as the samplers see it. */
export interface Axis {
  readonly name: string;
  readonly parameter: SpaceParameter;
  /** Infinity: a continuum. */
  readonly levels: number;
  /** Whether values have no order. */
  readonly isCategorical: boolean;
  /** Index of the axis whose value decides, and its numbers that make this one active. */
  readonly condition: { readonly axis: number; readonly values: ReadonlySet<number> } | null;
}

export type Point = Float64Array;

export class Space {
  readonly axes: readonly Axis[];
  /** Indices of the axes, each after the one that it waits for. */
  private readonly order: readonly number[];
  private knownSize: number | undefined;

  /** `space` was checked. */
  constructor(space: SearchSpace) {
    const names = Object.keys(space);
    this.axes = Object.entries(space).map(([name, one]) => ({
      name,
      parameter: one,
      levels: levelsOf(one),
      isCategorical: one.type === 'categorical',
      condition:
        one.condition === undefined
          ? null
          : {
              axis: names.indexOf(one.condition.param),
              values: new Set(
                one.condition.in.map((value) => pointOf(space[one.condition?.param ?? ''], value) ?? NaN),
              ),
            },
    }));
    const depth = (i: number): number => {
      const { condition: given } = this.axes[i];
      return given === null ? 0 : 1 + depth(given.axis);
    };
    this.order = this.axes.map((_, i) => i).sort((a, b) => depth(a) - depth(b) || a - b);
  }

  /** Settings that differ; Infinity: a continuum, or with conditions more than 100,000. */
  get size(): number {
    return (this.knownSize ??= this.count(this.levels(), Infinity));
  }

  private levels(): readonly number[] {
    return this.axes.map(({ levels }) => levels);
  }

  /** Settings with so many levels of each axis; Infinity beyond `most`. */
  private count(levels: readonly number[], most: number): number {
    if (levels.includes(Infinity)) return Infinity;
    const product = levels.reduce((size, each) => size * each, 1);
    if (this.axes.every(({ condition: given }) => given === null)) return product <= most ? product : Infinity;
    const limit = Math.min(most, MOST_COUNTED);
    let count = 0;
    for (const _ of this.settings(levels)) if (++count > limit) return Infinity;
    return count;
  }

  /** Number of level k of n of an axis, from its first to its last value. */
  private levelValue({ parameter: one, levels }: Axis, k: number, n: number): number {
    if (levels === n) return isNumeric(one) ? valueAt(one, k) : k;
    return this.decodeAxis(one, levels, n === 1 ? 0.5 : k / (n - 1));
  }

  /** Every setting with so many levels of each axis, the last axis fastest. */
  *settings(levels: readonly number[] = this.levels()): Generator<Point> {
    const point = this.first();
    const { axes, order } = this;
    const self = this;
    function* from(place: number): Generator<Point> {
      if (place === order.length) {
        yield point.slice();
        return;
      }
      const i = order[place];
      const axis = axes[i];
      const { condition: given } = axis;
      if (given !== null && !self.isActive(point, i)) {
        point[i] = self.firstOf(axis);
        yield* from(place + 1);
        return;
      }
      for (let k = 0; k < levels[i]; k++) {
        point[i] = self.levelValue(axis, k, levels[i]);
        yield* from(place + 1);
      }
    }
    yield* from(0);
  }

  /**
   * Levels of each axis for a grid of at most `most` settings: as many as there are, equally many of each continuum.
   */
  gridLevels(most: number): readonly number[] | null {
    const wanted = (n: number): number[] => this.axes.map(({ levels }) => Math.min(levels, n));
    let best: readonly number[] | null = null;
    for (let n = 2; n <= most; n = Math.ceil(n * 1.2)) {
      const levels = this.axes.map(({ levels: all }) => (all === Infinity ? n : all));
      if (this.count(levels, most) === Infinity) break;
      best = levels;
    }
    if (best !== null) return best;
    for (let n = 2; n <= most; n = Math.ceil(n * 1.2)) {
      if (this.count(wanted(n), most) === Infinity) break;
      best = wanted(n);
    }
    return best;
  }

  private firstOf = ({ parameter: one }: Axis): number => (isNumeric(one) ? one.low : 0);

  private first = (): Point => Float64Array.from(this.axes, this.firstOf);

  isActive(point: Point, i: number): boolean {
    const { condition: given } = this.axes[i];
    return given === null || (this.isActive(point, given.axis) && given.values.has(point[given.axis]));
  }

  /** Puts inactive parameters at their first values: points of equal settings are equal. */
  canonical(point: Point): Point {
    const result = point.slice();
    for (const i of this.order) if (!this.isActive(result, i)) result[i] = this.firstOf(this.axes[i]);
    return result;
  }

  sample(rng: Rng): Point {
    const point = Float64Array.from(this.axes, ({ parameter: one, levels }) =>
      this.decodeAxis(one, levels, rng.uniform()),
    );
    return this.canonical(point);
  }

  /** Value at a share of the axis, 0 to 1; equal stretches belong to each of a number of levels. */
  private decodeAxis(one: SpaceParameter, levels: number, share: number): number {
    if (!isNumeric(one)) return Math.min(levels - 1, Math.floor(share * levels));
    const { low, high } = one;
    if (one.log) {
      // Whole numbers get the stretch from half below to half above them.
      const half = one.type === 'int' ? 0.5 : 0;
      const [from, to] = [log(low - half), log(high + half)];
      const value = exp(from + share * (to - from));
      return Math.min(high, Math.max(low, half > 0 ? Math.round(value) : value));
    }
    if (levels === Infinity) return Math.min(high, low + share * (high - low));
    return valueAt(one, Math.min(levels - 1, Math.floor(share * levels)));
  }

  /** Share of the axis at which a value lies: the middle of its stretch. */
  shareOf(i: number, value: number): number {
    const { parameter: one, levels } = this.axes[i];
    if (!isNumeric(one)) return (value + 0.5) / levels;
    const { low, high } = one;
    if (low === high) return 0.5;
    if (one.log) {
      const half = one.type === 'int' ? 0.5 : 0;
      const [from, to] = [log(low - half), log(high + half)];
      return (log(value) - from) / (to - from);
    }
    if (levels === Infinity) return (value - low) / (high - low);
    return (Math.round((value - low) / (one.step ?? 1)) + 0.5) / levels;
  }

  valueOfShare(i: number, share: number): number {
    const { parameter: one, levels } = this.axes[i];
    return this.decodeAxis(one, levels, Math.min(1, Math.max(0, share)));
  }

  /** Coordinates of the engine's strategies in [0, 1]: one for an ordered axis, one for each choice of another. */
  get dimension(): number {
    return this.axes.reduce((sum, axis) => sum + widthOf(axis), 0);
  }

  /** Coordinates of each axis: the first one, and one past the last. */
  get segments(): readonly (readonly [from: number, to: number])[] {
    let at = 0;
    return this.axes.map((axis) => [at, (at += widthOf(axis))] as const);
  }

  decode(x: ArrayLike<number>): Point {
    const point = new Float64Array(this.axes.length);
    let at = 0;
    for (const [i, axis] of this.axes.entries()) {
      const width = widthOf(axis);
      if (width === 1) point[i] = this.valueOfShare(i, x[at]);
      else {
        for (let k = 1; k < width; k++) if (x[at + k] > x[at + point[i]]) point[i] = k;
      }
      at += width;
    }
    return this.canonical(point);
  }

  encode(point: Point): Float64Array {
    const x = new Float64Array(this.dimension);
    let at = 0;
    for (const [i, axis] of this.axes.entries()) {
      const width = widthOf(axis);
      if (width === 1) x[at] = this.shareOf(i, point[i]);
      else x[at + point[i]] = 1;
      at += width;
    }
    return x;
  }

  keyOf = (point: Point): string => point.join(' ');

  valueOf(i: number, value: number): ParameterValue {
    const values = listOf(this.axes[i].parameter);
    return values === null ? value : values[value];
  }

  /** Values of the active parameters by name. */
  assignment(point: Point): Readonly<Record<string, ParameterValue>> {
    return Object.fromEntries(
      this.axes.flatMap(({ name }, i) => (this.isActive(point, i) ? [[name, this.valueOf(i, point[i])] as const] : [])),
    );
  }
}

/** Two choices are the ends of one coordinate. */
const widthOf = ({ isCategorical, levels }: Axis): number => (isCategorical && levels > 2 ? levels : 1);
