import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExtremumError } from '../../common/errors.js';
import { makeFolder } from '../../common/folders.js';

const BYTES = 32;

/**
 * The secret that key hashes are keyed with: 32 random bytes in `<dataDir>/pepper`, readable by the owner only, made at
 * the first use. It is apart from the database so that a leaked copy of the database alone tests no key. Whoever loses
 * it loses every key. Safe for processes that start together: the file appears whole or not at all.
 */
export function loadPepper(dataDir: string): Buffer {
  const path = join(dataDir, 'pepper');
  try {
    makeFolder(dataDir, 0o700);
    const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
    if (!exists(path)) {
      writeFileSync(draft, randomBytes(BYTES).toString('hex') + '\n', { mode: 0o600, flag: 'wx', flush: true });
      try {
        linkSync(draft, path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      } finally {
        rmSync(draft);
      }
    }
    const pepper = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
    if (pepper.length === BYTES) return pepper;
  } catch (cause) {
    throw new ExtremumError('store_unavailable', `${path} cannot be made or read: ${String(cause)}.`, { cause });
  }
  throw new ExtremumError('store_unavailable', `${path} is damaged: it must hold ${2 * BYTES} hexadecimal digits.`);
}

function exists(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
