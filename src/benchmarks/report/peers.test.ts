import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../common/dist-entry.js';
import type { BenchmarkRun } from '../benchmark-run.js';
import { FUNCTION_GROUPS, groupOf } from '../problem.js';
import { comparablePeers, peerFraction, PEERS_FILE, peersFromCsv, readPeers } from './peers.js';
import { summarize } from './statistics.js';

const CURVES = `solver,version,dimension,budget,evals,fraction_hit
fast,1,2,1000,1,0.1
fast,1,2,1000,100,0.5
fast,1,2,1000,1000,0.6
fast,1,2,4000,1000,0.61
fast,1,2,4000,4000,0.9
slow,2,2,1000,1000,0.7
slow,2,5,1000,1000,0.2
`;
const GROUPS = `solver,version,dimension,budget,instances,repetitions,group,fraction_hit,area,se
slow,2,2,1000,1,1,all,0.7,0.3,nan
`;

describe('peers', () => {
  test('are read from the tables of the protocol', () => {
    const peers = peersFromCsv(CURVES, GROUPS);
    expect(peers).toHaveLength(4);
    expect(peers[2]).toEqual({
      solver: 'slow',
      version: '2',
      dimension: 2,
      budget: 1000,
      instances: 1,
      curve: [[1000, 0.7]],
      groups: { all: { fractionHit: 0.7, area: 0.3, standardError: null } },
    });
    expect(() => peersFromCsv('a,b\n1,2\n', null)).toThrow(/lacks solver, version, .*; it has a, b/);
  });

  test('stand beside runs of their dimension, from the runs nearest to the budget, the best first', () => {
    const peers = peersFromCsv(CURVES, null);
    const beside = (budget: number): [string, number][] =>
      comparablePeers(peers, 2, budget).map((peer) => [peer.solver, peerFraction(peer, budget)!]);
    expect(beside(500)).toEqual([
      ['fast', 0.5],
      ['slow', 0],
    ]);
    expect(beside(1000)).toEqual([
      ['slow', 0.7],
      ['fast', 0.6],
    ]);
    expect(beside(2000)).toEqual([['fast', 0.61]]);
    expect(beside(5000)).toEqual([]);
    expect(peerFraction(peers[0], 1001)).toBeNull();
  });

  test('come with the program', () => {
    const peers = readPeers(PEERS_FILE);
    const best = comparablePeers(peers, 5, 1000)[0];
    expect(best.solver).toBe('chain-SLSQP+lq-CMA-ES');
    const { fractionHit, area, standardError } = best.groups.all!;
    // As the protocol's authors have published them.
    expect([fractionHit, area, standardError].map((v) => v!.toFixed(2))).toEqual(['0.55', '0.18', '0.01']);
    expect(() => readPeers('/no/such/file.csv')).toThrow(/cannot be read/);
  });
});

test('our figures of the peers’ raw runs are the published ones', ({ skip }) => {
  const folder = path.join(packageRoot(), '../shared/reference/bbob');
  skip(!existsSync(folder), '../shared/reference/bbob is not there');
  const lines = gunzipSync(readFileSync(path.join(folder, 'peers-runs.csv.gz')))
    .toString()
    .trimEnd()
    .split('\n');
  const solvers = ['pycma-BIPOP', 'scipy-SLSQP-multistart', 'random'];
  const runs = lines.slice(1).flatMap((line): BenchmarkRun[] => {
    const [strategy = '', ...rest] = line.split(',');
    const [dimension, budget, functionId, instance, repetition, evaluations, bestDelta] = rest.map(Number);
    if (!solvers.includes(strategy) || budget !== 1000) return [];
    const hits = (rest[7] ?? '') === '' ? [] : rest[7].split(';').map(Number);
    return [
      {
        strategy,
        dimension,
        budget,
        functionId,
        instance,
        repetition,
        evaluations,
        bestDelta,
        hits,
        dat: [],
        tdat: [],
      },
    ];
  });
  let compared = 0;
  for (const peer of readPeers(path.join(folder, 'peers.csv'))) {
    if (!solvers.includes(peer.solver) || peer.budget !== 1000) continue;
    const own = runs.filter((run) => run.strategy === peer.solver && run.dimension === peer.dimension);
    for (const group of ['all', ...FUNCTION_GROUPS] as const) {
      const figures = peer.groups[group]!;
      const summary = summarize(own.filter((run) => group === 'all' || groupOf(run.functionId) === group));
      expect(summary.fractionHit).toBeCloseTo(figures.fractionHit, 3);
      expect(summary.area).toBeCloseTo(figures.area, 3);
      expect(summary.standardError).toBeCloseTo(figures.standardError!, 3);
      compared++;
    }
  }
  expect(compared).toBe(3 * 4 * 6);
});
