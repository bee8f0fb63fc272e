/**
 * `node scripts/newest-numpy.mjs [--python PYTHON] [--installed]`: prints the interpreter of a virtual environment that
 * has the newest NumPy and SciPy that the tests know (test/newest-numpy-requirements.txt, pinned by hash). It is made
 * once, outside of the tree, in the user's cache folder, and needs a Python with pip; with `--installed` it must be
 * there.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { withLock } from './support/lock.mjs';
import { root } from './support/paths.mjs';

const REQUIREMENTS = path.join(root, 'test', 'newest-numpy-requirements.txt');

const options = { python: { type: 'string', default: '/usr/bin/python3' }, installed: { type: 'boolean' } };
const { python, installed } = parseArgs({ options }).values;
const show = { stdio: ['ignore', 2, 2] };

const version = execFileSync(python, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], { encoding: 'utf8' });
const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).update(version).digest('hex').slice(0, 12);
const cache = process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache');
const folder = path.join(cache, 'extremum', `newest-numpy-${digest}`);
const complete = path.join(folder, 'complete');
if (installed && !existsSync(complete)) {
  console.error('It is not installed: node scripts/newest-numpy.mjs');
  process.exit(1);
}
await withLock(`${folder}.lock`, () => {
  if (existsSync(complete)) return;
  // A virtual environment knows its own place: it cannot be made elsewhere and moved.
  rmSync(folder, { recursive: true, force: true });
  execFileSync(python, ['-m', 'venv', '--without-pip', folder], show);
  const pip = ['-m', 'pip', '--python', path.join(folder, 'bin', 'python'), 'install', '--quiet'];
  const pinned = ['--disable-pip-version-check', '--only-binary=:all:', '--require-hashes', '--requirement'];
  execFileSync(python, [...pip, ...pinned, REQUIREMENTS], show);
  mkdirSync(complete);
});
console.log(path.join(folder, 'bin', 'python'));
