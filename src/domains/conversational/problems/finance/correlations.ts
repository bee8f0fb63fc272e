/** Correlations of pairs of assets in a message, and the matrix that they make. */
import type { Message } from '../../message.js';
import { pairedNumbers, sameName } from '../../lists.js';
import type { Known } from '../../slots.js';
import { rowsOf } from '../../problem.js';

export const isCorrelation = (value: number): string | null =>
  value >= -1 && value <= 1 ? null : 'A correlation lies between -1 and 1.';

/** Numbers of a sentence that speaks of correlation. */
export const correlationsIn = ({ plain, quantities }: Message, isAskedFor: boolean): readonly number[] =>
  quantities.flatMap(({ start, value, written, isPercent, isWeak, currency, unit, comparison }, i) => {
    const sentence =
      plain
        .slice(Math.max(0, start - 400), start)
        .split(/[;!?\n]|\.\s/)
        .at(-1) ?? '';
    const rest = plain.slice(start).split(/[;!?\n,]|\.\s/)[0];
    const isPossible = !isWeak && currency === null && unit === null && comparison === null && Math.abs(value) <= 1;
    // "correlation 0.2, target return 6%": a percentage is one only in the clause that says so.
    const isShare = isPercent && Math.abs(written) > 1 && !isAskedFor && !/\bcorr|\brho\b/.test(sentence.split(',').at(-1)!); // prettier-ignore
    const speaks = isAskedFor || /\bcorr|\brho\b/.test(sentence) || /\bcorr|\brho\b/.test(rest);
    return isPossible && !isShare && speaks ? [i] : [];
  });

/**
 * Several correlations, or one that names two of more assets: each is of its pair, and never of all. `areAll`: there
 * are no other assets than those of `own`.
 */
export function correlationsOfPairs(message: Message, own: readonly string[], areAll: boolean, isAskedFor: boolean) {
  const said = correlationsIn(message, isAskedFor);
  if (said.length === 0 || (own.length === 2 && said.length === 1)) return [];
  const pairs = pairedNumbers(message, said, own) ?? (areAll ? null : pairedNumbers(message, said, [])) ?? [];
  // A single pair of unknown names is nothing to rely on: "between 0.2 and 0.3".
  return pairs.length === 1 && own.length < 3 ? [] : pairs;
}

interface Pair {
  readonly a: string;
  readonly b: string;
  readonly value: number;
}

export const pairsOf = (known: Known): readonly Pair[] =>
  rowsOf(known('correlation.pairs')) as unknown as readonly Pair[];
export const pairKey = (a: string, b: string): string => [a.toLowerCase(), b.toLowerCase()].sort().join('\n');

/** The matrix of the pairs that were said. `missing`: pairs that none was said for. */
export function matrixOf(known: Known, other: number | null) {
  const ids = rowsOf(known('assets')).map(({ id }) => String(id));
  const values = new Map<string, number>();
  for (const { a, b, value } of pairsOf(known)) {
    const [first, second] = [sameName(a, ids), sameName(b, ids)];
    if (first !== null && second !== null) values.set(pairKey(first, second), value);
  }
  const missing = ids.flatMap((a, i) => ids.slice(i + 1).flatMap((b) => (values.has(pairKey(a, b)) ? [] : [`${a} and ${b}`]))); // prettier-ignore
  const matrix = ids.map((a) => ids.map((b) => (a === b ? 1 : (values.get(pairKey(a, b)) ?? other ?? 0))));
  return { matrix, missing, size: ids.length };
}
