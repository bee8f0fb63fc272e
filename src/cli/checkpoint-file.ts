/**
 * The file that an interrupted `extremum optimize` leaves: the source, the task and the engine's snapshot
 * (docs/snapshot-format.md), all that is needed to go on with the same bits, also on another machine.
 */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ConfigError } from '../config.js';
import type { ObjectiveSource } from '../model/objective.js';
import type { RunTask } from '../model/run-task.js';

const FORMAT = 'extremum checkpoint';
const VERSION = 1;
const MAX_NAMES = 1_000;

export interface Checkpoint {
  /** Of the program that wrote it. */
  readonly program: string;
  /** As it was named on the command line. */
  readonly file: string;
  readonly source: ObjectiveSource;
  readonly task: RunTask;
  readonly blackBox: boolean;
  readonly pythonMinor: number;
  /** What is done. */
  readonly evaluations: number;
  /** An encoded `RunSnapshot`. */
  readonly snapshot: string;
}

const digest = (checkpoint: unknown): string => createHash('sha256').update(JSON.stringify(checkpoint)).digest('hex');

const textOf = (checkpoint: Checkpoint): string =>
  `${JSON.stringify({ format: FORMAT, version: VERSION, sha256: digest(checkpoint), checkpoint })}\n`;

/** Replaces `file` in one step. */
export function writeCheckpoint(file: string, checkpoint: Checkpoint): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, textOf(checkpoint));
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Writes to `STEM.checkpoint.json`, or with a number where that is taken: nothing is overwritten. Returns the name. */
export function writeNewCheckpoint(stem: string, checkpoint: Checkpoint): string {
  for (let number = 1; ; number++) {
    const file = `${stem}${number === 1 ? '' : `-${number}`}.checkpoint.json`;
    try {
      writeFileSync(file, textOf(checkpoint), { flag: 'wx' });
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number === MAX_NAMES) throw error;
    }
  }
}

/** @throws {ConfigError} where it cannot be read, is no checkpoint, or is damaged. */
export function readCheckpoint(file: string): Checkpoint {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`The checkpoint ${file} cannot be read: ${(cause as Error).message}`);
  }
  let found: { format?: unknown; version?: unknown; sha256?: unknown; checkpoint?: unknown } | null;
  try {
    found = JSON.parse(text) as typeof found;
  } catch {
    found = null;
  }
  if (found?.format !== FORMAT)
    throw new ConfigError(`${file} is no checkpoint of extremum optimize, or was cut short.`);
  if (found.version !== VERSION) {
    throw new ConfigError(
      `${file} is a checkpoint of version ${JSON.stringify(found.version)}; this program reads version ${VERSION}.`,
    );
  }
  // With the right digest it is what was written.
  if (found.sha256 !== digest(found.checkpoint))
    throw new ConfigError(`The checkpoint ${file} was changed or is damaged.`);
  return found.checkpoint as Checkpoint;
}
