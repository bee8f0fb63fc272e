/** Python packages that a script needs, pinned by version and hash, installed once under node_modules/.cache. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/** The folder, for PYTHONPATH. `requirements`: a file of pip with hashes. */
export function pythonPackages(name, requirements, python) {
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = path.join(root, 'node_modules', '.cache', `${name}-${version}`);
  if (!existsSync(folder)) {
    console.log(`Installing ${name} ...`);
    const draft = `${folder}.${process.pid}`;
    mkdirSync(path.dirname(draft), { recursive: true });
    try {
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary=:all:'];
      execFileSync(python, [...pip, '--require-hashes', '--target', draft, '--requirement', requirements], {
        stdio: 'inherit',
      });
      renameSync(draft, folder);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  return folder;
}
