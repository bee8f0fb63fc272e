/**
 * Where finished runs are kept, so that an interrupted experiment goes on where it stopped and a larger one takes over
 * what there is. Two files: `experiment.json`, the conditions and the program that all runs share, and `runs.jsonl`,
 * one run a line, appended as it ends. A line that a crash has cut off is dropped.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { distEntry } from '../common/dist-entry.js';
import { ExtremumError } from '../common/errors.js';
import type { RunConditions, BenchmarkRun } from './benchmark-run.js';

const FORMAT = 1;
const MANIFEST = 'experiment.json';
const RUNS = 'runs.jsonl';

interface Manifest {
  readonly format: number;
  readonly program: string;
  readonly conditions: RunConditions;
}

export interface ExperimentFolder {
  find(id: string): BenchmarkRun | undefined;
  add(id: string, record: BenchmarkRun): void;
}

/**
 * Opens or begins the folder. With `fresh`, runs that it has are thrown away.
 * @throws {ExtremumError} `conflict` when its runs were made under other conditions or by another version of the
 * program.
 */
export function openExperimentFolder(
  folder: string,
  conditions: RunConditions,
  { fresh = false, program = programFingerprint() } = {},
): ExperimentFolder {
  const manifestFile = path.join(folder, MANIFEST);
  const runsFile = path.join(folder, RUNS);
  const manifest: Manifest = { format: FORMAT, program, conditions };
  mkdirSync(folder, { recursive: true });
  if (fresh) for (const file of [manifestFile, runsFile]) rmSync(file, { force: true });
  const records = new Map<string, BenchmarkRun>();
  if (existsSync(manifestFile)) {
    requireSame(folder, readManifest(manifestFile), manifest);
    if (existsSync(runsFile)) readRuns(runsFile, records);
  } else {
    writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
  }
  return {
    find: (id) => records.get(id),
    add(id, record) {
      records.set(id, record);
      appendFileSync(runsFile, `${JSON.stringify({ id, record })}\n`);
    },
  };
}

function readManifest(file: string): Manifest {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  } catch (cause) {
    const message = `${file} cannot be read as JSON; begin anew (--fresh) or choose another folder (--out).`;
    throw new ExtremumError('conflict', message, { cause });
  }
}

function readRuns(file: string, records: Map<string, BenchmarkRun>): void {
  const text = readFileSync(file, 'utf8');
  const end = text.lastIndexOf('\n') + 1;
  for (const line of text.slice(0, end).split('\n')) {
    if (line === '') continue;
    const { id, record } = JSON.parse(line) as { id: string; record: BenchmarkRun };
    records.set(id, record);
  }
  if (end < text.length) writeFileSync(file, text.slice(0, end));
}

function requireSame(folder: string, found: Manifest, wanted: Manifest): void {
  const cure = 'Begin anew (--fresh) or choose another folder (--out).';
  if (found.format !== wanted.format || found.program !== wanted.program) {
    const message = `${folder} has runs of another version of the program, which may give other results. ${cure}`;
    throw new ExtremumError('conflict', message);
  }
  const differing = (Object.keys(wanted.conditions) as (keyof RunConditions)[]).filter(
    (name) => JSON.stringify(found.conditions[name]) !== JSON.stringify(wanted.conditions[name]),
  );
  if (differing.length === 0) return;
  const details = differing.map(
    (name) => `${name} ${JSON.stringify(found.conditions[name])}, not ${JSON.stringify(wanted.conditions[name])}`,
  );
  throw new ExtremumError('conflict', `${folder} has runs with ${details.join('; ')}. ${cure}`);
}

/** Folders of the program that have a say in what a run does. */
const DECISIVE = ['analysis', 'benchmarks', 'common', 'engine', 'linalg', 'model', 'planner', 'strategies'];

/** A digest of the compiled program, as far as it decides what a run does. */
export function programFingerprint(): string {
  const dist = path.dirname(path.dirname(distEntry('common/dist-entry')));
  const hash = createHash('sha256');
  for (const folder of DECISIVE) {
    const root = path.join(dist, folder);
    if (!existsSync(root)) continue;
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.js') && !path.join(folder, file).startsWith(path.join('benchmarks', 'report')))
      .sort();
    for (const file of files) {
      hash.update(`${folder}/${file}\0`);
      hash.update(readFileSync(path.join(root, file)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
