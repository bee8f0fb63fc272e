/**
 * Builds the native addon, build/Release/extremum.node: with cmake-js where cmake and a C++ compiler are there, else
 * with the node-gyp that npm brings along, else not at all: one line says so and WebAssembly does the work. Never fails
 * because a tool is missing; a compiler that refuses our sources is a failure (exit 1). Skips when nothing has changed.
 * What was built is put into place in one step, when it has been loaded: a service may look for it at any time.
 *
 *   node scripts/build-native.mjs [--force] [--with=cmake-js|node-gyp]
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourcesDigest } from './support/prebuilt.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const addon = join(root, 'build', 'Release', 'extremum.node');
/** What the compiler makes. */
const draft = join(root, 'build', 'Release', 'extremum-draft.node');
const stamp = join(root, 'build', 'native.stamp');
/** Says that it is being built, to `src/common/native-addon.ts`: the number of this process. */
const building = join(root, 'build', 'native.building');
const cmakeCache = join(root, 'build', 'CMakeCache.txt');
const SOURCES = [
  'native/addon',
  'native/assignment',
  'native/core',
  'native/cuda',
  'native/include',
  'native/jit',
  'native/linalg',
  'native/math',
  'native/routing',
  'native/simd',
  'CMakeLists.txt',
  'binding.gyp',
];

/** Full path of a program on PATH, or null. Looks at the file system only: starting compilers would cost more. */
function onPath(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, process.platform === 'win32' ? `${name}.exe` : name);
    if (folder !== '' && existsSync(path)) return path;
  }
  return null;
}

function findCompiler() {
  const names = [process.env.CXX, 'c++', 'g++', 'clang++'].filter(Boolean);
  return names.map((name) => (existsSync(name) ? name : onPath(name))).find(Boolean) ?? null;
}

function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name)));
}

/** Changes when a source, the Node version, the way of building or the compiler does. */
function fingerprint(way, compiler) {
  const hash = createHash('sha256');
  const compilerFile = compiler && realpathSync(compiler);
  const compilerState = compilerFile ? [compilerFile, statSync(compilerFile).size, statSync(compilerFile).mtimeMs] : [];
  hash.update(JSON.stringify([way, process.version, process.arch, process.env.CXXFLAGS ?? '', ...compilerState]));
  for (const file of SOURCES.flatMap((name) => filesUnder(join(root, name)))) {
    hash.update(`\0${file.slice(root.length)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** The script of a locally installed command, or null. */
function packageBin(name, script) {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(manifest), script);
  } catch {
    return null;
  }
}

/** npm's own node-gyp, or null. */
function nodeGyp() {
  const npm = onPath('npm');
  const homes = [
    dirname(dirname(realpathSync(process.execPath))),
    ...(npm ? [join(dirname(realpathSync(npm)), '..', '..', '..', '..')] : []),
  ];
  const places = homes.map((home) =>
    join(home, 'lib', 'node_modules', 'npm', 'node_modules', 'node-gyp', 'bin', 'node-gyp.js'),
  );
  if (npm) places.push(join(dirname(realpathSync(npm)), '..', 'node_modules', 'node-gyp', 'bin', 'node-gyp.js'));
  return places.find((place) => existsSync(place)) ?? null;
}

function chooseWay(compiler) {
  const wanted = process.argv.find((argument) => argument.startsWith('--with='))?.slice('--with='.length);
  const cmakeJs = packageBin('cmake-js', 'bin/cmake-js');
  const gyp = nodeGyp();
  if (!compiler) return { reason: 'no C++ compiler found (Debian: apt-get install g++ cmake)' };
  if (wanted !== 'node-gyp' && cmakeJs && onPath('cmake') && (onPath('make') || onPath('ninja'))) {
    return {
      name: 'cmake-js',
      script: cmakeJs,
      args: ['build', '--silent', '--target', 'extremum', ...inParallel('--parallel')],
    };
  }
  if (wanted !== 'cmake-js' && gyp && onPath('make') && (onPath('python3') || onPath('python'))) {
    return { name: 'node-gyp', script: gyp, args: ['configure', 'build', ...inParallel('--jobs'), ...localHeaders()] };
  }
  return { reason: 'neither cmake nor what node-gyp needs (make, python3) found (Debian: apt-get install g++ cmake)' };
}

/** Make takes one file at a time unless it is told otherwise. */
const inParallel = (option) => [option, String(availableParallelism())];

/** Node's own headers where they are installed beside it, so that node-gyp need not download them. */
function localHeaders() {
  const prefix = dirname(dirname(realpathSync(process.execPath)));
  return existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? [`--nodedir=${prefix}`] : [];
}

/** Whether the file loads in this Node. In its own process: a bad addon must not take the build down. */
function loads(file) {
  return spawnSync(process.execPath, ['-e', `require(${JSON.stringify(file)}).targets()`]).status === 0;
}

function main() {
  const compiler = findCompiler();
  const way = chooseWay(compiler);
  const wanted = fingerprint(way.name ?? 'none', compiler);
  const upToDate = existsSync(addon) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (upToDate && !process.argv.includes('--force')) return 0;
  if (!way.name) {
    if (existsSync(addon)) console.log(`native addon not rebuilt: ${way.reason}; the one built before stays`);
    else console.log(`native addon not built: ${way.reason}; evaluation runs in WebAssembly`);
    return 0;
  }
  mkdirSync(dirname(addon), { recursive: true });
  writeFileSync(building, String(process.pid));
  try {
    return buildBy(way, wanted);
  } finally {
    rmSync(building, { force: true });
  }
}

function buildBy(way, wanted) {
  const started = Date.now();
  rmSync(stamp, { force: true });
  const run = () =>
    spawnSync(process.execPath, [way.script, ...way.args], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  let build = run();
  if (build.status !== 0 && existsSync(cmakeCache)) {
    // A cache from another folder, generator or compiler stands in the way more often than our sources do.
    rmSync(cmakeCache);
    build = run();
  }
  if (build.status !== 0 || !existsSync(draft)) {
    process.stderr.write(build.stdout + build.stderr);
    console.error(`native addon: ${way.name} failed; evaluation would run in WebAssembly`);
    return 1;
  }
  if (!loads(draft)) {
    console.error('native addon: built, but it does not load in this Node');
    return 1;
  }
  const copy = `${addon}.${process.pid}`;
  copyFileSync(draft, copy);
  renameSync(copy, addon);
  writeFileSync(`${addon}.sources`, sourcesDigest());
  writeFileSync(stamp, wanted);
  console.log(`native addon built with ${way.name} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return 0;
}

process.exitCode = main();
