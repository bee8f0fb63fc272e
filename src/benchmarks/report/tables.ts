/** The report as text, for a terminal. */
import type { BenchmarkRun } from '../benchmark-run.js';
import { FUNCTION_GROUPS, groupOf, type FunctionGroup } from '../problem.js';
import { peerFraction, type Peer } from './peers.js';
import { compareStrategies, groupBy, summarize } from './statistics.js';

/** First column to the left, the others to the right. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, c) => Math.max(...rows.map((row) => (row[c] ?? '').length)));
  return rows
    .map((row) => row.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

const SHORT: Readonly<Record<FunctionGroup, string>> = {
  separable: 'separable',
  'low-conditioning': 'low cond.',
  'high-conditioning': 'high cond.',
  multimodal: 'multimodal',
  'weak-structure': 'weak str.',
};

const share = (value: number | null | undefined): string =>
  value === null || value === undefined ? '-' : value.toFixed(3);

/** Strategies (marked `>`) and peers of one dimension, the best first. */
export function scoreTable(runs: readonly BenchmarkRun[], peers: readonly Peer[]): string {
  const budget = Math.max(...runs.map((run) => run.budget));
  const own = [...groupBy(runs, (run) => run.strategy)].map(([strategy, ofStrategy]) => {
    const all = summarize(ofStrategy);
    const groups = FUNCTION_GROUPS.map((group) => {
      const part = ofStrategy.filter((run) => groupOf(run.functionId) === group);
      return part.length === 0 ? null : summarize(part).fractionHit;
    });
    const figures = [all.fractionHit, all.standardError, all.area, all.solved, ...groups];
    return { score: all.fractionHit, row: [`> ${strategy}`, ...figures.map(share)] };
  });
  const others = peers.map((peer) => {
    const score = peerFraction(peer, budget) ?? 0;
    const atBudget = peer.budget === budget ? peer.groups : {};
    const { area, standardError } = atBudget.all ?? {};
    const groups = FUNCTION_GROUPS.map((group) => atBudget[group]?.fractionHit);
    return { score, row: [`  ${peer.solver}`, ...[score, standardError, area, null, ...groups].map(share)] };
  });
  const head = ['', 'hit', 'se', 'area', 'solved', ...FUNCTION_GROUPS.map((group) => SHORT[group])];
  return formatTable([head, ...[...own, ...others].sort((a, b) => b.score - a.score).map(({ row }) => row)]);
}

export function pText(p: number): string {
  return p < 1e-4 ? '< 0.0001' : p.toFixed(4);
}

/** All pairs of strategies, for runs of one dimension; empty for a single strategy. */
export function comparisonTable(runs: readonly BenchmarkRun[]): string {
  const strategies = [...new Set(runs.map((run) => run.strategy))];
  const rows = strategies.flatMap((first, i) =>
    strategies.slice(i + 1).map((second) => {
      const { difference, standardError, wins, ties, losses, p } = compareStrategies(runs, first, second);
      const sign = difference > 0 ? '+' : '';
      return [`  ${first} - ${second}`, `${sign}${share(difference)}`, share(standardError)].concat(
        [wins, ties, losses].map(String),
        pText(p),
      );
    }),
  );
  return rows.length === 0 ? '' : formatTable([['', 'difference', 'se', 'better', 'equal', 'worse', 'p'], ...rows]);
}
