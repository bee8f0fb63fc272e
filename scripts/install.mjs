/**
 * npm's `install` step of the published package: takes the prebuilt native addon and sandbox launcher where the package
 * brings those of this platform along, else builds them where the host has what that takes. Never fails: without them
 * compiled objectives run as WebAssembly, and CPython is off. In the repository itself `npm run build` does this, so
 * here it does nothing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { nameOf, packageFolder, sourcesDigest, takePrebuild, thisHost } from './support/prebuilt.mjs';

if (!existsSync(path.join(packageFolder, 'tsconfig.json'))) {
  const taken = takePrebuild({
    from: path.join(packageFolder, 'prebuilds'),
    into: path.join(packageFolder, 'build', 'Release'),
    version: JSON.parse(readFileSync(path.join(packageFolder, 'package.json'), 'utf8')).version,
    sources: sourcesDigest(),
  });
  console.log(taken.line ?? `This package has no prebuilt addon for ${nameOf(thisHost())}.`);
  if (!taken.addon) console.log('Building the native addon, where there is a C++ compiler (some 2 to 10 minutes) ...');
  const due = [...(taken.addon ? [] : ['build-native.mjs']), ...(taken.launcher ? [] : ['build-launcher.mjs'])];
  for (const script of due) {
    spawnSync(process.execPath, [path.join(packageFolder, 'scripts', script)], {
      cwd: packageFolder,
      stdio: 'inherit',
    });
  }
}
