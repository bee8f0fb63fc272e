/** Benchmark files as text: QAPLIB and the warehouse location files of the OR-Library. */
import { z } from 'zod';

const MOST_CHARACTERS = 8_000_000;
/** As for numbers of configs (fields.ts). */
const MOST = 1e15;

export const instanceField = <Format extends string>(format: Format, instead: string) =>
  z
    .strictObject({
      format: z.literal(format),
      text: z.string().min(1).max(MOST_CHARACTERS).describe('Content of the file'),
    })
    .describe(`A benchmark file instead of ${instead}`)
    .optional();

/** Content of a file, or its fault: a sentence in which `{field}` is its path. */
export type Read<T> = { readonly content: T } | { readonly fault: string };

/** All numbers of the text; a word where there is something else. */
function numbersIn(text: string): Float64Array | string {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const numbers = new Float64Array(words.length);
  for (const [i, word] of words.entries()) {
    const value = Number(word);
    if (!(Math.abs(value) <= MOST)) return word.slice(0, 40);
    numbers[i] = value;
  }
  return numbers;
}

const notANumber = (word: string): { fault: string } => ({
  fault: `\`{field}\` must hold numbers up to ${MOST} only, not ${JSON.stringify(word)}.`,
});

interface QaplibFile {
  readonly n: number;
  /** [n, n] row-major. */
  readonly flow: Float64Array;
  readonly distance: Float64Array;
}

/** n, in some collections the best known cost on the same line, then two matrices. */
export function readQaplib(text: string, largest: number): Read<QaplibFile> {
  const numbers = numbersIn(text);
  if (typeof numbers === 'string') return notANumber(numbers);
  const n = numbers[0] ?? NaN;
  if (!(Number.isInteger(n) && n >= 1 && n <= largest)) {
    return {
      fault: `\`{field}\` must begin with the number of facilities, 1 to ${largest}, not ${String(numbers[0])}.`,
    };
  }
  const first = numbers.length - 2 * n * n;
  if (first !== 1 && first !== 2) {
    return {
      fault: `\`{field}\` must hold two matrices of ${n} rows and ${n} columns after its first line: ${2 * n * n} numbers, not ${numbers.length - 1}.`,
    };
  }
  const negative = numbers.subarray(first).findIndex((value) => value < 0);
  if (negative >= 0)
    return { fault: `\`{field}\` must not hold negative numbers: ${String(numbers[first + negative])}.` };
  const flow = numbers.slice(first, first + n * n);
  return { content: { n, flow, distance: numbers.slice(first + n * n) } };
}

interface OrlibFile {
  readonly capacities: readonly number[];
  readonly fixedCosts: readonly number[];
  readonly demands: readonly number[];
  /** [customer][facility]: cost of serving all of the customer's demand. */
  readonly costs: readonly (readonly number[])[];
}

/** Facilities and customers; capacity and fixed cost of each facility; demand and all costs of each customer. */
export function readOrlib(
  text: string,
  limits: { readonly facilities: number; readonly customers: number },
): Read<OrlibFile> {
  // Files without a capacity have the word in its place.
  const numbers = numbersIn(text.replaceAll(/\bcapacity\b/g, '0'));
  if (typeof numbers === 'string') return notANumber(numbers);
  const [m = NaN, n = NaN] = numbers;
  const fits = (value: number, most: number): boolean => Number.isInteger(value) && value >= 1 && value <= most;
  if (!fits(m, limits.facilities) || !fits(n, limits.customers)) {
    return {
      fault: `\`{field}\` must begin with the numbers of facilities, 1 to ${limits.facilities}, and customers, 1 to ${limits.customers}.`,
    };
  }
  const expected = 2 + 2 * m + n * (1 + m);
  if (numbers.length !== expected) {
    return {
      fault: `\`{field}\` must hold ${expected} numbers for ${m} facilities and ${n} customers, not ${numbers.length}.`,
    };
  }
  const negative = numbers.findIndex((value) => value < 0);
  if (negative >= 0) return { fault: `\`{field}\` must not hold negative numbers: ${String(numbers[negative])}.` };
  const each = (count: number, at: (i: number) => number): number[] =>
    Array.from({ length: count }, (_, i) => numbers[at(i)]);
  const customer = (j: number): number => 2 + 2 * m + j * (1 + m);
  return {
    content: {
      capacities: each(m, (i) => 2 + 2 * i),
      fixedCosts: each(m, (i) => 3 + 2 * i),
      demands: each(n, customer),
      costs: Array.from({ length: n }, (_, j) => each(m, (i) => customer(j) + 1 + i)),
    },
  };
}
