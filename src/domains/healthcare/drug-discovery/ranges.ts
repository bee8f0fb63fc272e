/** Limits of properties, each with a least value, a largest one, or both. */
import { z } from 'zod';
import { number, type Complain } from '../../fields.js';
import { MOST_PROPERTIES, propertyName } from './desirability.js';

export interface Range {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

const range = z.strictObject({ min: number('At least').optional(), max: number('At most').optional() });

export const ranges = z
  .record(propertyName, range)
  .refine(
    (value) => Object.keys(value).length <= MOST_PROPERTIES,
    `\`{field}\` can have ${MOST_PROPERTIES} properties.`,
  );

/** Complains about the first contradiction; true where there is none. */
export function checkRanges(
  given: Readonly<Record<string, Range>>,
  path: readonly PropertyKey[],
  complain: Complain,
): boolean {
  for (const [name, { min, max }] of Object.entries(given)) {
    if (min === undefined && max === undefined) {
      complain([...path, name], '`{field}` needs `min` or `max`.');
      return false;
    }
    if (min !== undefined && max !== undefined && min > max) {
      complain([...path, name, 'min'], `\`{field}\` = ${min} is above \`max\` = ${max}.`);
      return false;
    }
  }
  return true;
}

/** Room for the rounding of sums. */
const roomOf = (limit: number): number => 1e-9 * (1 + Math.abs(limit));

export const leastOf = ({ min }: Range): number => (min === undefined ? -Infinity : min - roomOf(min));
export const mostOf = ({ max }: Range): number => (max === undefined ? Infinity : max + roomOf(max));

export const isWithin = (value: number, limits: Range): boolean => value >= leastOf(limits) && value <= mostOf(limits);

/** Null: it is within. */
export function violationOf(name: string, value: number, limits: Range): string | null {
  if (isWithin(value, limits)) return null;
  const shown = Number(value.toPrecision(6));
  return value < leastOf(limits)
    ? `${name} ${shown} is below ${limits.min}`
    : `${name} ${shown} is above ${limits.max}`;
}
