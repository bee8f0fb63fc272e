/**
 * npm's `install` step of the published package: builds the native addon and the sandbox launcher where the host has what that takes.
 * Never fails: without them compiled objectives run as WebAssembly, and CPython is off. In the repository itself
 * `npm run build` does this, so here it does nothing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

if (!existsSync(path.join(root, 'tsconfig.json'))) {
  for (const script of ['build-native.mjs', 'build-launcher.mjs']) {
    spawnSync(process.execPath, [path.join(root, 'scripts', script)], { cwd: root, stdio: 'inherit' });
  }
}
