/**
 * Prebuilt native parts: `prebuilds/PLATFORM/` holds the addon, the sandbox launcher and `prebuild.json`, which says
 * what they need. `npm run make:prebuild` makes the folder of the machine that it runs on; `npm install` of the package
 * takes it where it fits, so that no compiler is needed. Plain Node: it runs where nothing but the package is
 * installed.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const packageFolder = fileURLToPath(new URL('../..', import.meta.url));

/** As `binary.napi_versions` in package.json, and NAPI_VERSION in CMakeLists.txt. */
const NAPI_VERSION = 8;
const ADDON = 'extremum.node';
const LAUNCHER = 'extremum-launcher';
/** With no arguments the launcher ends with this status: it started. */
const LAUNCHER_STARTED = 70;

/** What a prebuild depends on here. `glibc`: null where the C library is another one. */
export function thisHost() {
  const { glibcVersionRuntime } = process.report.getReport().header;
  return {
    platform: process.platform,
    arch: process.arch,
    libc: process.platform === 'linux' ? (glibcVersionRuntime === undefined ? 'musl' : 'glibc') : null,
    glibc: glibcVersionRuntime ?? null,
    napi: Number(process.versions.napi),
  };
}

export const nameOf = ({ platform, arch, libc }) => [platform, arch, libc].filter(Boolean).join('-');

/** Of the sources that the native parts are made of: a prebuild of others is not taken. */
export function sourcesDigest(folder = packageFolder) {
  const hash = createHash('sha256');
  const visit = (relative) => {
    const place = path.join(folder, relative);
    if (statSync(place).isDirectory()) {
      for (const name of readdirSync(place).sort())
        if (relative !== 'native' || name !== 'test') visit(`${relative}/${name}`);
    } else hash.update(`\0${relative}\0`).update(readFileSync(place));
  };
  for (const entry of ['native', 'CMakeLists.txt']) visit(entry);
  return hash.digest('hex');
}

/** The newest version of glibc whose symbols the binary names; null: it names none. */
export function glibcNeededBy(file) {
  const versions = [...readFileSync(file, 'latin1').matchAll(/GLIBC_(\d+\.\d+)/g)].map(([, version]) => version);
  return versions.reduce((newest, version) => (isOlder(newest, version) ? version : newest), null);
}

function isOlder(a, b) {
  if (a === null) return true;
  const [[majorA, minorA], [majorB, minorB]] = [a, b].map((version) => version.split('.').map(Number));
  return majorA === majorB ? minorA < minorB : majorA < majorB;
}

/** Makes the folder of this host from what was built. Returns it. */
export function writePrebuild(built, into, version) {
  const host = thisHost();
  const folder = path.join(into, nameOf(host));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const names = [ADDON, LAUNCHER].filter((name) => existsSync(path.join(built, name)));
  for (const name of names) copyFileSync(path.join(built, name), path.join(folder, name));
  const glibc = names
    .map((name) => glibcNeededBy(path.join(folder, name)))
    .reduce((newest, one) => (one !== null && isOlder(newest, one) ? one : newest), null);
  const { platform, arch, libc } = host;
  const manifest = { version, sources: sourcesDigest(), platform, arch, libc, glibc, napi: NAPI_VERSION };
  writeFileSync(path.join(folder, 'prebuild.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return folder;
}

/**
 * Puts the parts of the prebuild that fits into `into`, each in one step.
 * @returns {{ addon: boolean, launcher: boolean, line: string | null }} which were taken; `line`: for people, null
 * where the package brings no prebuild along.
 */
export function takePrebuild({ from, into, version, sources, host = thisHost() }) {
  const none = (line) => ({ addon: false, launcher: false, line });
  const brought = existsSync(from) ? readdirSync(from).sort() : [];
  if (brought.length === 0) return none(null);
  const name = nameOf(host);
  if (!brought.includes(name)) return none(`No prebuilt addon for ${name} (there is one for ${brought.join(', ')}).`);
  const folder = path.join(from, name);
  const reason = whyUnfit(readManifest(folder), { version, sources, host });
  if (reason !== null) return none(`The prebuilt addon for ${name} is not taken: ${reason}.`);
  if (!addonLoads(path.join(folder, ADDON))) {
    return none(`The prebuilt addon for ${name} is not taken: it does not run on this processor and system.`);
  }
  put(folder, into, ADDON);
  const launcher = path.join(folder, LAUNCHER);
  const hasLauncher = existsSync(launcher) && spawnSync(launcher, []).status === LAUNCHER_STARTED;
  if (hasLauncher) put(folder, into, LAUNCHER);
  const what = hasLauncher ? 'The prebuilt addon and sandbox launcher' : 'The prebuilt addon';
  return { addon: true, launcher: hasLauncher, line: `${what} for ${name} were taken; no compiler is needed.` };
}

/** Null: it fits, as far as can be told without running it. */
function whyUnfit(manifest, { version, sources, host }) {
  if (manifest === null) return 'its prebuild.json cannot be read';
  if (manifest.version !== version) return `it is of version ${manifest.version}, this is ${version}`;
  if (manifest.sources !== sources) return 'it was built from other sources';
  if (nameOf(manifest) !== nameOf(host)) return `it was built for ${nameOf(manifest)}`;
  if (!(host.napi >= manifest.napi)) return `it needs Node-API ${manifest.napi}, this Node.js has ${host.napi}`;
  if (manifest.glibc !== null && (host.glibc === null || isOlder(host.glibc, manifest.glibc))) {
    return `it needs glibc ${manifest.glibc}, here is ${host.glibc ?? 'none'}`;
  }
  return null;
}

function readManifest(folder) {
  try {
    return JSON.parse(readFileSync(path.join(folder, 'prebuild.json'), 'utf8'));
  } catch {
    return null;
  }
}

/** In a process of its own: an instruction that the processor lacks ends it. */
const addonLoads = (file) =>
  spawnSync(process.execPath, ['-e', `if (require(${JSON.stringify(file)}).targets().length === 0) process.exit(1)`])
    .status === 0;

function put(folder, into, name) {
  mkdirSync(into, { recursive: true });
  const copy = path.join(into, `${name}.${process.pid}`);
  copyFileSync(path.join(folder, name), copy);
  renameSync(copy, path.join(into, name));
}
