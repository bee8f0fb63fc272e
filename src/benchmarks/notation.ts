/** The short notations of the command line: lists of numbers, budgets. Null: not in the notation. */
import type { BenchmarkBudget } from './benchmark-run.js';

/** `2,5,10` or `1-5` or both, ascending, without repetition. Null also for numbers outside `low` .. `high`. */
export function parseNumbers(text: string, low: number, high: number): number[] | null {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*$/.exec(part);
    if (match === null) return null;
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    if (first < low || last > high || first > last) return null;
    for (let value = first; value <= last; value++) found.add(value);
  }
  return [...found].sort((a, b) => a - b);
}

/** `1000`: so many evaluations; `200D`: 200 times the dimension. */
export function parseBudget(text: string): BenchmarkBudget | null {
  const match = /^(\d{1,12})(\s*\*?\s*[dDnN])?$/.exec(text.trim());
  const evaluations = Number(match?.[1] ?? 0);
  return evaluations >= 1 ? { evaluations, perDimension: match?.[2] !== undefined } : null;
}

export const budgetText = ({ evaluations, perDimension }: BenchmarkBudget): string =>
  `${evaluations}${perDimension ? 'D' : ''}`;

/** Numbers as `parseNumbers` reads them: `1-5,7`. */
export function numbersText(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < numbers.length;) {
    let j = i;
    while (numbers[j + 1] === numbers[j] + 1) j++;
    // Two neighbours read better apart.
    if (j - i < 2) j = i;
    parts.push(i === j ? `${numbers[i]}` : `${numbers[i]}-${numbers[j]}`);
    i = j + 1;
  }
  return parts.join(',');
}
