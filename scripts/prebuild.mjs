/**
 * `npm run make:prebuild`: builds what is due and puts the native parts into prebuilds/, in the folder of this
 * platform; `npm pack` takes them along. Folders of other machines are put beside it before packing. Build on the
 * oldest system that is to take it: what it needs of the C library is in prebuild.json.
 */
import './support/require-node.mjs';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build, BuildError } from './build.mjs';
import { packageFolder, sourcesDigest, writePrebuild } from './support/prebuilt.mjs';

const built = path.join(packageFolder, 'build', 'Release');

async function prebuild() {
  await build();
  if (/-m(arch|cpu|tune)=native/.test(process.env['CXXFLAGS'] ?? '')) {
    return 'No prebuild: CXXFLAGS names this very processor, and what it makes would run on no other.';
  }
  if (!existsSync(path.join(built, 'extremum.node'))) return 'No prebuild: the native addon is not built.';
  // A build that fails leaves the addon of earlier sources in place.
  const sources = path.join(built, 'extremum.node.sources');
  if (!existsSync(sources) || readFileSync(sources, 'utf8') !== sourcesDigest()) {
    return 'No prebuild: the native addon is of other sources; `node scripts/build-native.mjs --force` says why.';
  }
  const { version } = JSON.parse(readFileSync(path.join(packageFolder, 'package.json'), 'utf8'));
  const folder = writePrebuild(built, path.join(packageFolder, 'prebuilds'), version);
  console.log(`${path.relative(packageFolder, folder)} is made; npm pack takes it along.`);
  return null;
}

try {
  const problem = await prebuild();
  if (problem !== null) {
    console.error(problem);
    process.exitCode = 1;
  }
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
