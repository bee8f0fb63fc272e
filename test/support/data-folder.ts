/**
 * Where tests keep the data of stores. Every commit waits for the disk, for milliseconds; a folder in memory makes that
 * nothing. It proves the same: what tests kill is a process, and what that has written stays, in either place. `TMPDIR`
 * says where else; tests that kill services at random moments (`kill-loop.ts`, survival) always use the disk.
 */
import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** Of the folder: data of five database servers, 300 MB each, and of what else runs at a time. */
const ROOM_BYTES = 4 * 1024 ** 3;
/** Of the machine, beside what the folder may take. */
const MEMORY_BYTES = 8 * 1024 ** 3;

function isRoomy(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ROOM_BYTES && process.availableMemory() >= ROOM_BYTES + MEMORY_BYTES;
  } catch {
    return false;
  }
}

/** Where earlier test runs may have left something. */
export const DATA_ROOTS = [IN_MEMORY, tmpdir()];

export const DATA_ROOT = process.env['TMPDIR'] === undefined && isRoomy(IN_MEMORY) ? IN_MEMORY : tmpdir();

/** A new folder. Whoever makes it removes it. */
export const dataFolder = (prefix: string): string => mkdtempSync(join(DATA_ROOT, prefix));
