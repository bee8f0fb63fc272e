/**
 * Published figures of other solvers, to be shown beside ours. They hold for the 24 noiseless functions in the box [-5,
 * 5]^n, instances 1-5.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../common/dist-entry.js';
import { ExtremumError } from '../../common/errors.js';
import { FUNCTION_GROUPS, type FunctionGroup } from '../problem.js';

interface PeerFigures {
  readonly fractionHit: number;
  readonly area: number;
  readonly standardError: number | null;
}

export interface Peer {
  readonly solver: string;
  readonly version: string;
  readonly dimension: number;
  /** Evaluations that each of its runs had. */
  readonly budget: number;
  /** Fewer than 5: a slow solver that was not run on all of them. */
  readonly instances: number | null;
  /** [evaluations, fraction of targets hit], ascending. */
  readonly curve: readonly (readonly [number, number])[];
  /** Figures at its budget. */
  readonly groups: Readonly<Partial<Record<FunctionGroup | 'all', PeerFigures>>>;
}

/** The file that comes with the program. */
export const PEERS_FILE = path.join(packageRoot(), 'bench', 'reference', 'bbob-peers.json');

/**
 * Reads a JSON file of our own form (as `PEERS_FILE`), or a CSV file with the columns of the protocol's `peers.csv`,
 * with a `peers-groups.csv` beside it where there is one.
 * @throws {ExtremumError} `invalid_request`.
 */
export function readPeers(file: string): readonly Peer[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ExtremumError('invalid_request', `${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (!file.endsWith('.json')) {
    const groups = path.join(path.dirname(file), 'peers-groups.csv');
    return peersFromCsv(text, existsSync(groups) ? readFileSync(groups, 'utf8') : null);
  }
  try {
    return (JSON.parse(text) as { peers: readonly Peer[] }).peers;
  } catch (cause) {
    throw new ExtremumError('invalid_request', `${file} is no JSON: ${(cause as Error).message}`, { cause });
  }
}

/** Rows of a CSV without quotes, as objects. */
function rowsOf(text: string, columns: readonly string[]): Record<string, string>[] {
  const [head = '', ...lines] = text.trimEnd().split(/\r?\n/);
  const names = head.split(',');
  const missing = columns.filter((column) => !names.includes(column));
  if (missing.length > 0) {
    throw new ExtremumError(
      'invalid_request',
      `The table of peers lacks ${missing.join(', ')}; it has ${names.join(', ')}.`,
    );
  }
  return lines.map((line) => {
    const values = line.split(',');
    return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
  });
}

export function peersFromCsv(curves: string, groups: string | null): readonly Peer[] {
  const keyOf = (row: Record<string, string>): string => `${row['solver']} ${row['dimension']} ${row['budget']}`;
  const figures = new Map<string, { instances: number; groups: Peer['groups'] }>();
  const groupColumns = ['solver', 'dimension', 'budget', 'instances', 'group', 'fraction_hit', 'area', 'se'];
  for (const row of groups === null ? [] : rowsOf(groups, groupColumns)) {
    const group = ['all', ...FUNCTION_GROUPS].find((name) => name === row['group']);
    if (group === undefined) continue;
    const se = Number.parseFloat(row['se'] ?? '');
    const own: PeerFigures = {
      fractionHit: Number(row['fraction_hit']),
      area: Number(row['area']),
      standardError: Number.isFinite(se) ? se : null,
    };
    const known = figures.get(keyOf(row))?.groups ?? {};
    figures.set(keyOf(row), { instances: Number(row['instances']), groups: { ...known, [group]: own } });
  }
  const peers = new Map<string, Peer & { curve: [number, number][] }>();
  for (const row of rowsOf(curves, ['solver', 'version', 'dimension', 'budget', 'evals', 'fraction_hit'])) {
    const key = keyOf(row);
    const peer = peers.get(key) ?? {
      solver: row['solver'] ?? '',
      version: row['version'] ?? '',
      dimension: Number(row['dimension']),
      budget: Number(row['budget']),
      instances: figures.get(key)?.instances ?? null,
      curve: [],
      groups: figures.get(key)?.groups ?? {},
    };
    peer.curve.push([Number(row['evals']), Number(row['fraction_hit'])]);
    peers.set(key, peer);
  }
  for (const peer of peers.values()) peer.curve.sort(([a], [b]) => a - b);
  return [...peers.values()];
}

/** Fraction hit after so many evaluations; null beyond the peer's budget. */
export function peerFraction({ curve, budget }: Peer, evaluations: number): number | null {
  if (evaluations > budget) return null;
  let fraction = 0;
  for (const [at, value] of curve) {
    if (at > evaluations) break;
    fraction = value;
  }
  return fraction;
}

/**
 * Peers that can stand beside runs of this dimension and budget, the best first. A longer run of a solver is as good as
 * one of the budget, because the peers are not told their budget. Where a solver has several runs, the one nearest to
 * the budget counts.
 */
export function comparablePeers(peers: readonly Peer[], dimension: number, budget: number): readonly Peer[] {
  const nearest = new Map<string, Peer>();
  for (const peer of peers) {
    if (peer.dimension !== dimension || peer.budget < budget) continue;
    const known = nearest.get(peer.solver);
    if (known === undefined || peer.budget < known.budget) nearest.set(peer.solver, peer);
  }
  const score = (peer: Peer): number => peerFraction(peer, budget) ?? 0;
  return [...nearest.values()].sort((a, b) => score(b) - score(a));
}
