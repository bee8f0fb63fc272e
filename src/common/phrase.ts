/**
 * Sentences with the numbers that they rest on, so that what is said and what is kept as evidence cannot drift apart.
 *
 * A template holds `{name}` for the number of that name, or one of these forms of it:
 * - `{name:percent}`: a share as `8.1 %`;
 * - `{name:dimension|dimensions}`: the number and its noun, the first where the number is 1 or -1;
 * - `{name:plain}`: without groups of digits, for what is typed as it stands;
 * - `{name:down}`, `{name:up}`: rounded to that side, for bounds that must stay true as they are shown;
 * - `{low..high}`: `3 to 5`, or one number where both are shown alike; also `{low..high:job|jobs}`.
 */

/** Numbers by name. */
export type Numbers = Readonly<Record<string, number>>;

/** Significant digits of numbers in sentences; digits before the point are never left out. */
const DIGITS = 3;
const ALL_BEFORE_THE_POINT = 10 ** (DIGITS - 1);
/** Integers below this are shown in full, in groups of three digits. */
const LARGEST_IN_FULL = 1e15;

const inGroups = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** The number of few digits that is near it: on that side, or the nearest (0). `toPrecision` is exact. */
function rounded(side: -1 | 0 | 1, value: number): number {
  const size = Math.abs(value);
  if (size >= ALL_BEFORE_THE_POINT && size < LARGEST_IN_FULL) {
    return side === 0 ? Math.round(value) : side < 0 ? Math.floor(value) : Math.ceil(value);
  }
  const nearest = Number(value.toPrecision(DIGITS));
  if (side * nearest >= side * value) return nearest;
  const [digits, exponent = '0'] = value.toExponential(DIGITS - 1).split('e');
  return Number(`${(Number(digits) + side * 10 ** (1 - DIGITS)).toFixed(DIGITS - 1)}e${exponent}`);
}

function shownNumber(value: number, side: -1 | 0 | 1 = 0): string {
  const isExact = Number.isInteger(value) && Math.abs(value) < LARGEST_IN_FULL;
  const few = isExact ? value + 0 : rounded(side, value) + 0;
  // The largest numbers have none of few digits above them.
  const near = Number.isFinite(few) ? few : value;
  const size = Math.abs(near);
  const hasGroups = Number.isInteger(near) && size >= 1_000 && size < LARGEST_IN_FULL;
  return hasGroups ? inGroups.format(near) : String(near);
}

function shown(value: number, form: string | undefined): string {
  if (form === undefined) return shownNumber(value);
  if (form === 'percent') return `${shownNumber(100 * value)} %`;
  if (form === 'plain') return String(value + 0);
  if (form === 'down' || form === 'up') return shownNumber(value, form === 'up' ? 1 : -1);
  const [one, several] = form.split('|');
  const number = shownNumber(value);
  return `${number} ${/^-?1$/.test(number) ? one : several}`;
}

/**
 * The template with each `{name}` replaced by the number of that name, in its form.
 * @throws {Error} for a name that has no number: a defect
 */
export function phrase(template: string, numbers: Numbers): string {
  const numberOf = (name: string): number => {
    const value = numbers[name];
    if (value === undefined) throw new Error(`no number "${name}" for: ${template}`);
    return value;
  };
  return template.replaceAll(/\{([^{}:]+)(?::([^{}]+))?\}/g, (_, name: string, form: string | undefined) => {
    const range = name.indexOf('..');
    if (range < 0) return shown(numberOf(name), form);
    const first = numberOf(name.slice(0, range));
    const [from, to] = [shown(first, form), shown(numberOf(name.slice(range + 2)), form)];
    return from === to ? to : `${form?.includes('|') ? shownNumber(first) : from} to ${to}`;
  });
}
