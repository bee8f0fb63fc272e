/**
 * `node scripts/nvrtc.mjs [--python PYTHON]`: prints a folder with NVIDIA's compiler for kernels, its headers and its
 * disassembler (`lib/`, `include/`, `bin/`), which need no GPU. They are fetched once, 95 MB of Python wheels pinned by
 * hash (test/nvrtc-requirements.txt), into the user's cache folder. Linux on x86-64 only.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { withLock } from './support/lock.mjs';
import { root } from './support/paths.mjs';

const REQUIREMENTS = path.join(root, 'test', 'nvrtc-requirements.txt');

/** @throws where it is not there and pip cannot fetch it. */
export async function fetchNvrtc(python = '/usr/bin/python3') {
  const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  const cache = process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache');
  const folder = path.join(cache, 'extremum', `nvrtc-${digest}`);
  await withLock(`${folder}.lock`, () => {
    if (existsSync(folder)) return;
    const part = `${folder}.part`;
    rmSync(part, { recursive: true, force: true });
    const pinned = ['--no-deps', '--only-binary=:all:', '--require-hashes', '--requirement', REQUIREMENTS];
    const quiet = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore'];
    const show = { stdio: ['ignore', 2, 2] };
    execFileSync(python, ['-m', 'pip', 'install', ...quiet, ...pinned, '--target', part], show);
    renameSync(part, folder);
  });
  return path.join(folder, 'nvidia', 'cu13');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { python } = parseArgs({ options: { python: { type: 'string' } } }).values;
  try {
    console.log(await fetchNvrtc(python));
  } catch (error) {
    console.error(`NVRTC cannot be fetched here: ${error.message.split('\n')[0]}`);
    process.exitCode = 1;
  }
}
