/**
 * Compiles the routing search (native/routing) to native/routing/routing.wasm, for hosts without the addon. The module
 * is committed, since compilers for WebAssembly are rarely at hand; beside it lies the digest of the sources that it
 * was made from, which a test compares. Zig's clang 0.14.1 does it: pip install ziglang==0.14.1
 *
 *   node scripts/build-routing-wasm.mjs [python with ziglang]
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'native', 'routing');

/** Of everything that the module is made from. */
export function digestOfSources() {
  const hash = createHash('sha256');
  const own = readdirSync(folder)
    .filter((name) => /\.(cpp|h)$/.test(name))
    .sort()
    .map((name) => join(folder, name));
  for (const file of [...own, join(root, 'native', 'include', 'extremum', 'routing.h')]) {
    hash.update(readFileSync(file, 'utf8').replaceAll('\r\n', '\n')).update('\0');
  }
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const python = process.argv[2] ?? process.env.PYTHON ?? 'python3';
  const sources = readdirSync(folder).filter((name) => name.endsWith('.cpp'));
  const flags = ['-std=c++20', '-O2', '-DNDEBUG', '-fno-exceptions', '-fno-rtti', '-ffp-contract=off'];
  const target = ['-target', 'wasm32-wasi', '-mexec-model=reactor', '-Wl,--strip-all'];
  const output = [
    '-I',
    join(root, 'native', 'include'),
    '-I',
    join(root, 'native'),
    '-o',
    join(folder, 'routing.wasm'),
  ];
  const args = ['-m', 'ziglang', 'c++', ...target, ...flags, ...output, ...sources.map((name) => join(folder, name))];
  const run = spawnSync(python, args, { stdio: 'inherit' });
  if (run.status !== 0) process.exit(1);
  writeFileSync(join(folder, 'routing.wasm.sources'), `${digestOfSources()}\n`);
}
