import type { Problem } from './problem-set.mjs';

export const BUDGETS: readonly number[];
export function budgetsOf(solver: string): number[];
export function scaleOf(random: readonly number[], best: number): number;
export function shareOf(value: number, best: number, scale: number): number;
export function makeReport(
  problems: readonly Problem[],
  set: string,
  records: readonly { readonly solver: string; readonly runs: object }[],
  expected: readonly string[],
): {
  markdown: string;
  summary: object;
  beaten: readonly { key: string; solver: string; value: number; best: number }[];
};
