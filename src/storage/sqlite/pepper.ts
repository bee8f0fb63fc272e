import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExtremumError } from '../../common/errors.js';
import { makeFolder } from '../../common/folders.js';

const BYTES = 32;

const pathIn = (dataDir: string): string => join(dataDir, 'pepper');

/**
 * The secret that key hashes are keyed with: 32 random bytes in `<dataDir>/pepper`, readable by the owner only, made at
 * the first use. It is apart from the database so that a leaked copy of the database alone tests no key. Whoever loses
 * it loses every key. Safe for processes that start together: the file appears whole or not at all.
 * @param keys That are hashed with it already: where there are some it is not made.
 */
export function loadPepper(dataDir: string, keys: number): Buffer {
  const path = pathIn(dataDir);
  const mend =
    `Put the file back from the backup that the database comes from. Where there is none, begin anew: ` +
    `\`extremum keys new-secret --data-dir ${dataDir}\` makes another secret, and every API key becomes invalid.`;
  let text: string | null;
  try {
    text = read(path);
    if (text === null && keys === 0) {
      make(dataDir, path);
      text = read(path);
    }
  } catch (cause) {
    throw new ExtremumError('store_unavailable', `${path} cannot be made or read: ${String(cause)}.`, { cause });
  }
  if (text === null) {
    const what = `The secret of the API keys is missing: ${path} is not there, and without it none of the ${keys} keys in the database can be checked.`;
    throw new ExtremumError('store_unavailable', `${what} ${mend}`);
  }
  const pepper = Buffer.from(text.trim(), 'hex');
  if (pepper.length === BYTES) return pepper;
  const rule = `it must hold ${2 * BYTES} hexadecimal digits`;
  throw new ExtremumError('store_unavailable', `The secret of the API keys in ${path} is damaged: ${rule}. ${mend}`);
}

/** Whether `loadPepper` would find it missing or damaged. */
export function isPepperLost(dataDir: string): boolean {
  const text = read(pathIn(dataDir));
  return text === null || Buffer.from(text.trim(), 'hex').length !== BYTES;
}

/** Another one, where it is lost. */
export function replacePepper(dataDir: string): void {
  const path = pathIn(dataDir);
  rmSync(path, { force: true });
  make(dataDir, path);
}

function make(dataDir: string, path: string): void {
  makeFolder(dataDir, 0o700);
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, randomBytes(BYTES).toString('hex') + '\n', { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

/** Null: there is none. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
