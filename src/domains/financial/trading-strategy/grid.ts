/** Parameter sets: the values of each parameter, and which combinations satisfy the constraints. */
import { parseConstraint, type Constraint } from './constraint.js';
import type { Range, Parameter } from './parameter.js';
import type { Rule } from './rules.js';

/** Combinations, before constraints. */
export const MAX_COMBINATIONS = 2_000_000;

const STEP_ROUNDING = 1e-9;

export const stepsOf = ({ min, max, step }: Range): number => Math.floor((max - min) / step + STEP_ROUNDING) + 1;

export function valuesOf(parameter: Parameter, given: number | Range | undefined): number[] {
  if (given === undefined) return [parameter.default];
  if (typeof given === 'number') return [given];
  // Decimals as people write them: 0.1 + 2 * 0.1 is 0.3.
  return Array.from({ length: stepsOf(given) }, (_, k) => Number((given.min + k * given.step).toPrecision(12)));
}

export interface Grid {
  readonly names: readonly string[];
  /** By parameter. */
  readonly values: readonly (readonly number[])[];
  /** Places of the sets that satisfy every constraint, ascending. The last parameter changes fastest. */
  readonly places: Int32Array;
  at(place: number): number[];
  isAllowed(place: number): boolean;
  /** The place itself or the next one that satisfies the constraints; after the last one, that. */
  allowedFrom(place: number): number;
  /** By index of the value of each parameter. */
  placeOf(indices: ArrayLike<number>): number;
}

export function gridOf(
  rule: Rule,
  given: Readonly<Record<string, number | Range | undefined>>,
  constraint: string | undefined,
): Grid {
  const names = rule.parameters.map(({ name }) => name);
  const values = rule.parameters.map((parameter) => valuesOf(parameter, given[parameter.name]));
  const conditions: Constraint[] = [rule.requires, constraint].flatMap((text) =>
    text === undefined ? [] : [parseConstraint(text, names)],
  );
  const size = values.reduce((product, own) => product * own.length, 1);
  const set = new Float64Array(names.length);
  const read = (place: number): void => {
    let rest = place;
    for (let k = values.length - 1; k >= 0; k--) {
      const own = values[k];
      set[k] = own[rest % own.length];
      rest = Math.floor(rest / own.length);
    }
  };
  const places = new Int32Array(size);
  const allowed = new Uint8Array(size);
  let found = 0;
  for (let place = 0; place < size; place++) {
    read(place);
    if (!conditions.every((holds) => holds(set))) continue;
    places[found++] = place;
    allowed[place] = 1;
  }
  return {
    names,
    values,
    places: places.subarray(0, found),
    at(place) {
      read(place);
      return Array.from(set);
    },
    isAllowed: (place) => allowed[place] === 1,
    allowedFrom(place) {
      let [low, high] = [0, found - 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (places[middle] < place) low = middle + 1;
        else high = middle;
      }
      return places[low];
    },
    placeOf: (indices) => values.reduce((place, own, k) => place * own.length + indices[k], 0),
  };
}
