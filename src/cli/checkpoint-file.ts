/**
 * The file that `extremum optimize` leaves to go on from: the source, the task and the engine's snapshot
 * (docs/snapshot-format.md), all that is needed to go on with the same bits, also on another machine. One line of JSON:
 * `{"format", "version", "sha256", "checkpoint"}`, the digest over the bytes of the last. It guards against damage, not
 * against malice: whoever makes a checkpoint chooses the program that is run (in the sandbox), as with any FILE.py.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { encode } from '../common/codec.js';
import { ConfigError } from '../config.js';
import type { ObjectiveSource } from '../model/objective.js';
import type { RunTask } from '../model/run-task.js';
import { readBytes, whyNotRead } from './objective-file.js';
import { printable } from './text-safety.js';

const FORMAT = 'extremum checkpoint';
const VERSION = 1;
const MAX_NAMES = 1_000;
/** The largest state of any strategy, of 10,000 variables, takes a small part of it. */
const MAX_BYTES = 256 * 1024 * 1024;
const HEAD = new RegExp(`^\\{"format":"${FORMAT}","version":(\\d{1,9}),"sha256":"([0-9a-f]{64})","checkpoint":`);
const MAX_HEAD = 200;
const TAIL = '}\n';

export interface Checkpoint {
  /** Version of the program that wrote it. */
  readonly program: string;
  /** As it was named on the command line. */
  readonly file: string;
  readonly source: ObjectiveSource;
  readonly task: RunTask;
  readonly blackBox: boolean;
  /** Absent: `f64`. */
  readonly precision?: 'f32';
  readonly pythonMinor: number;
  /** Evaluations done. */
  readonly evaluations: number;
  readonly elapsedSeconds: number;
  /** An encoded `RunSnapshot`. */
  readonly snapshot: string;
}

const digest = (body: string | Uint8Array): string => createHash('sha256').update(body).digest('hex');

function textOf(checkpoint: Checkpoint): string {
  const body = encode(checkpoint);
  return `{"format":"${FORMAT}","version":${VERSION},"sha256":"${digest(body)}","checkpoint":${body}${TAIL}`;
}

/**
 * Replaces `file` in one step: whatever happens to the process or the machine meanwhile, it has the old content or the
 * new one. What it is a link to is replaced, and keeps its permissions.
 * @throws where it cannot be written, or is read-only
 */
export function writeCheckpoint(file: string, checkpoint: Checkpoint): void {
  const old = statSync(file, { throwIfNoEntry: false });
  const target = old === undefined ? file : realpathSync(file);
  if (old !== undefined && (old.mode & 0o222) === 0) throw new Error('it is read-only');
  const draft = `${target}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, textOf(checkpoint), { flag: 'wx', flush: true, mode: (old?.mode ?? 0o666) & 0o777 });
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  flushFolder(path.dirname(target));
}

/** After that a rename stays. Windows has no such call, and some file systems refuse it. */
function flushFolder(folder: string): void {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(folder, 'r');
    fsyncSync(descriptor);
  } catch {
    // The file is whole in any case.
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** Writes to `STEM.checkpoint.json`, or with a number where that is taken: nothing is overwritten. Returns the name. */
export function writeNewCheckpoint(stem: string, checkpoint: Checkpoint): string {
  for (let number = 1; ; number++) {
    const file = `${stem}${number === 1 ? '' : `-${number}`}.checkpoint.json`;
    try {
      closeSync(openSync(file, 'wx'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number === MAX_NAMES) throw error;
      continue;
    }
    try {
      writeCheckpoint(file, checkpoint);
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    }
    return file;
  }
}

/**
 * Makes sure that a new checkpoint can be written there. @throws {ConfigError} where something is there, or nothing can
 * be.
 */
export const checkNewCheckpoint = (file: string): void =>
  checkNewFile(file, '--checkpoint', 'Go on from it with --resume, remove it, or choose another name.');

/** The same of any new file that `flag` names; `advice`: what to do where something is there. */
export function checkNewFile(file: string, flag: string, advice: string): void {
  const named = printable(file);
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
      throw new ConfigError(`${flag}: ${named} exists, and nothing is overwritten. ${advice}`);
    }
    const probe = `${file}.${randomUUID()}.tmp`;
    closeSync(openSync(probe, 'wx'));
    rmSync(probe);
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such folder' : code === 'ENOTDIR' ? 'that is no folder' : message;
    throw new ConfigError(`${flag}: ${named} cannot be written: ${why}.`);
  }
}

/** Whether the file may be brought up to date: no pipe, no device. */
export const isReplaceable = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true;

/** @throws {ConfigError} where it cannot be read, is no checkpoint, or is damaged. */
export async function readCheckpoint(file: string): Promise<Checkpoint> {
  const named = printable(file);
  let bytes: Uint8Array;
  try {
    bytes = readBytes(file, MAX_BYTES);
  } catch (cause) {
    throw new ConfigError(`The checkpoint ${named} cannot be read: ${whyNotRead(cause)}.`);
  }
  const damaged = new ConfigError(`The checkpoint ${named} was changed, cut short or is damaged.`);
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, MAX_HEAD));
  const head = HEAD.exec(start);
  if (head === null) {
    throw start.startsWith(`{"format":"${FORMAT}"`)
      ? damaged
      : new ConfigError(`${named} is no checkpoint of extremum optimize.`);
  }
  const [{ length }, version, sha256] = [head[0], head[1], head[2]];
  if (Number(version) !== VERSION) {
    throw new ConfigError(`${named} is a checkpoint of version ${version}; this program reads version ${VERSION}.`);
  }
  const end = bytes.length - TAIL.length;
  const body = bytes.subarray(length, end);
  if (new TextDecoder().decode(bytes.subarray(end)) !== TAIL || digest(body) !== sha256) throw damaged;
  const { parseCheckpoint } = await import('./checkpoint-schema.js');
  const checkpoint = parseCheckpoint(new TextDecoder().decode(body));
  if (checkpoint === null) throw new ConfigError(`${named} has the form of a checkpoint, but no content of one.`);
  return checkpoint;
}
