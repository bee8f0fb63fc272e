/** What was measured: the commit of the working tree. */
import { execFileSync } from 'node:child_process';
import { root } from '../../scripts/support/paths.mjs';

export function commit() {
  try {
    const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
    // Results themselves do not make a tree dirty.
    const dirty = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!bench/results') !== '';
    return git('rev-parse', '--short=12', 'HEAD') + (dirty ? '+changes' : '');
  } catch {
    return 'unknown';
  }
}
