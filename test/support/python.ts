/**
 * Finds a CPython that tests may use as their oracle. Looked at in this order: `EXTREMUM_TEST_PYTHON`, `PYTHON`,
 * `python3` on the path, `/usr/bin/python3` (where a system package of NumPy lands, also when another Python comes
 * first on the path).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface PythonFound {
  readonly command: string | null;
  /** Why there is none; empty when there is one. For the title of a skipped test. */
  readonly reason: string;
}

const cache = new Map<string, PythonFound>();

/** Takes about 0.1 s per module set and process, then nothing. */
export function findPython(...modules: readonly ('numpy' | 'scipy' | 'openpyxl')[]): PythonFound {
  const key = modules.join();
  const known = cache.get(key);
  if (known !== undefined) return known;
  const found = search(modules);
  cache.set(key, found);
  return found;
}

function search(modules: readonly string[]): PythonFound {
  const candidates = [process.env['EXTREMUM_TEST_PYTHON'], process.env['PYTHON'], 'python3', '/usr/bin/python3'];
  const program = ['import sys', ...modules.map((module) => `import ${module}`)].join('\n');
  for (const command of candidates) {
    if (command === undefined || command === '' || command === 'off') continue;
    if (spawnSync(command, ['-c', program], { stdio: 'ignore', timeout: 20_000 }).status === 0) {
      return { command, reason: '' };
    }
  }
  const wanted = modules.length === 0 ? 'Python 3' : `Python 3 with ${modules.join(' and ')}`;
  return { command: null, reason: `needs ${wanted} (Debian: apt-get install ${packages(modules)})` };
}

/**
 * That of `scripts/newest-numpy.mjs`. Where all must be there (EXTREMUM_REQUIRE_ALL) it is installed, or this throws.
 */
export function findNewestNumPy(): PythonFound {
  const script = fileURLToPath(new URL('../../scripts/newest-numpy.mjs', import.meta.url));
  const mustBe = Boolean(process.env['EXTREMUM_REQUIRE_ALL']);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...(mustBe ? [] : ['--installed'])], {
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (status === 0) return { command: stdout.trim(), reason: '' };
  if (mustBe) throw new Error(`the newest NumPy cannot be installed: ${stderr}`);
  return { command: null, reason: 'needs the newest NumPy (node scripts/newest-numpy.mjs)' };
}

/** An interpreter without NumPy and everything else that is not in the standard library; to be removed. */
export function makeBarePython(): PythonFound & { remove(): void } {
  const { command: base, reason } = findPython();
  if (base === null) return { command: null, reason, remove: () => {} };
  const folder = mkdtempSync(path.join(tmpdir(), 'extremum-bare-python-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const { status, stderr } = spawnSync(base, ['-m', 'venv', '--without-pip', folder], { timeout: 60_000 });
  if (status === 0) return { command: path.join(folder, 'bin', 'python3'), reason: '', remove };
  remove();
  return { command: null, reason: `needs python3 -m venv: ${String(stderr).trim()}`, remove: () => {} };
}

function packages(modules: readonly string[]): string {
  return modules.length === 0 ? 'python3' : modules.map((module) => `python3-${module}`).join(' ');
}
