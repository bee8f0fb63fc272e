/** Fields and limits of weights and positions that several models have. */
import { handChecked } from '../../../common/hand-checked.js';
import { shown } from '../../../common/validation.js';
import type { ConstraintState, JsonObject } from '../../../model/problem.js';
import { id, list, type Complain } from '../../fields.js';
import { MOST_HOLDINGS } from './scenarios.js';

/** A limit within this of the value binds. */
const BINDING = 1e-9;

export const namesOf = (description: string) => list(id, description, MOST_HOLDINGS);

/** One number for all, or one for each. */
export const limitField = (description: string, most: number) =>
  handChecked<number | readonly number[]>(
    {
      anyOf: [
        { type: 'number', minimum: -most, maximum: most },
        { type: 'array', items: { type: 'number', minimum: -most, maximum: most }, minItems: 1 },
      ],
      description,
    },
    (value, complain) => {
      const isFine = (one: unknown): boolean => typeof one === 'number' && Math.abs(one) <= most;
      if (!Array.isArray(value)) {
        if (!isFine(value)) complain([], `\`{field}\` must be a number from ${-most} to ${most}, or one for each.`);
        return;
      }
      if (value.length === 0 || value.length > MOST_HOLDINGS) {
        return complain([], `\`{field}\` must have 1 to ${MOST_HOLDINGS} numbers, not ${value.length}.`);
      }
      const bad = value.findIndex((one) => !isFine(one));
      if (bad >= 0) complain([bad], `\`{field}\` must be from ${-most} to ${most}, not ${shown(value[bad])}.`);
    },
  );

export const oneForEach = (given: number | readonly number[], n: number): readonly number[] =>
  typeof given === 'number' ? new Array<number>(n).fill(given) : given;

/** As many names as there are columns, each once; true where all holds. */
export function checkNames(
  names: readonly string[] | undefined,
  n: number,
  { name, complain }: { readonly name: string; readonly complain: Complain },
): boolean {
  if (names === undefined) return true;
  if (names.length !== n) {
    complain([name], `\`{field}\` must have ${n} names, not ${names.length}.`);
    return false;
  }
  const places = new Map<string, number>();
  for (const [i, one] of names.entries()) {
    const earlier = places.get(one);
    if (earlier !== undefined) {
      complain([name, i], `\`{field}\`: ${shown(one)} is the name of entry ${earlier + 1} too.`);
      return false;
    }
    places.set(one, i);
  }
  return true;
}

/** Parts of a CVaR, and their shares of it where it is a loss. */
export const namedShares = (parts: readonly number[], cvar: number): JsonObject => ({
  cvar_contributions: parts.map((part) => part + 0),
  risk_contributions:
    cvar > 1e-12 * parts.reduce((sum, part) => sum + Math.abs(part), 0) ? parts.map((part) => part / cvar + 0) : null,
});

export const isAt = (value: number, limit: number): boolean =>
  Math.abs(value - limit) <= BINDING * Math.max(1, Math.abs(limit));

interface HoldingLimits {
  readonly names: readonly string[];
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** Change of the objective with each holding, the multipliers of shared limits included; null: not known. */
  readonly slopes: readonly number[] | null;
  readonly sense: 'minimize' | 'maximize';
  readonly what: string;
}

/** Limits of single holdings that bind. */
export const limitsOf = (values: readonly number[], limits: HoldingLimits): ConstraintState[] =>
  values.flatMap((value, j) => {
    const { names, lower, upper, slopes, sense, what } = limits;
    const states: ConstraintState[] = [];
    for (const [kind, limit] of [
      ['min', lower[j]],
      ['max', upper[j]],
    ] as const) {
      // prettier-ignore
      if (!isAt(value, limit)) continue;
      // More room never makes the best worse, less never better, but for rounding of the slope.
      const isGain = (kind === 'max') === (sense === 'maximize');
      const slope = slopes === null ? null : isGain ? Math.max(0, slopes[j]) : Math.min(0, slopes[j]);
      states.push({
        name: `${kind}_${what} of ${names[j]}`,
        value,
        limit,
        slack: Math.abs(value - limit),
        binding: true,
        shadowPrice: slope === null ? undefined : slope + 0,
      });
    }
    return states;
  });
