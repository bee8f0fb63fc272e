/**
 * Sets everything up, as far as it is not: npm dependencies, the native addon, the sandbox launcher, dist/, the
 * dashboard. Plain Node, for it runs before there are dependencies. Quiet when there is nothing to do (well under 0.3
 * s); safe to run from several processes at once. What can be done without is reported in one line and left out.
 *
 * `build` does it in turn. `buildToServe` does what a service cannot start without, `buildBeside` the rest while it
 * serves.
 */
import './support/require-node.mjs';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './support/lock.mjs';
import { findProgram, listFiles, root } from './support/paths.mjs';
import { Steps } from './support/steps.mjs';

const buildFolder = path.join(root, 'build');
const stampFolder = path.join(buildFolder, 'stamps');
const say = (line) => console.error(line);
const steps = new Steps(path.join(stampFolder, 'seconds.json'), say);

/** A line with the seconds since the beginning of the set-up before it. */
export const note = (text) => steps.note(text);

/** A set-up step that the service cannot do without failed; the message is complete as it stands. */
export class BuildError extends Error {}

/**
 * Runs the steps that are due.
 * @returns {Promise<{ notices: string[] }>} one line for each thing this host lacks, to be shown to the user.
 * @throws {BuildError}
 */
export async function build() {
  return locked(async () => {
    await installDependencies({ toDevelop: true });
    const notices = [...(await buildNativePart(ADDON)), ...(await buildNativePart(LAUNCHER)), ...pythonNotice()];
    await compileTypeScript();
    await bundleDashboard();
    return { notices };
  });
}

/**
 * The same as far as a service needs it to start: an addon that is not there, and the dashboard, are left to
 * `buildBeside`, and where nothing was compiled before, types are not checked. `beforeNative` is called once dist/ is
 * there and before what takes a minute; what it throws ends the build.
 */
export async function buildToServe(beforeNative) {
  return locked(async () => {
    const isDeveloped = existsSync(tscMemory) || existsSync(path.join(root, 'node_modules', 'typescript'));
    await installDependencies({ toDevelop: isDeveloped });
    await makeRunnable();
    await beforeNative();
    const notices = [...(await buildNativePart(LAUNCHER)), ...pythonNotice()];
    const hasCompiler = findProgram(...[process.env['CXX'], 'c++', 'g++', 'clang++'].filter(Boolean)) !== null;
    const isAddonLater = hasCompiler && !existsSync(outputOf(ADDON)) && stateOf(ADDON).isDue;
    if (!isAddonLater) notices.unshift(...(await buildNativePart(ADDON)));
    return { notices, isAddonLater, isDashboardLater: dashboardState().isDue };
  });
}

/**
 * What `buildToServe` left, niced: it shares the processors with a service. `onDashboard` is told of a bundled
 * dashboard. Aborted by `signal`, it ends the compilers.
 * @returns {Promise<{ notices: string[] }>} for a part that could not be made.
 */
export async function buildBeside({ onDashboard, signal }) {
  return locked(async () => {
    const notices = [];
    // Those who ask meanwhile why there is no addon are told (`src/common/native-addon.ts`).
    const building = path.join(buildFolder, 'native.building');
    if (stateOf(ADDON).isDue) writeFileSync(building, String(process.pid));
    try {
      await bundleDashboard(signal).catch((error) => {
        if (!(error instanceof BuildError)) throw error;
        notices.push(error.message);
      });
      onDashboard();
      if (!signal.aborted) notices.push(...(await buildNativePart(ADDON, signal)));
    } finally {
      rmSync(building, { force: true });
    }
    return { notices };
  });
}

const locked = (work) =>
  withLock(path.join(buildFolder, 'build.lock'), work, () =>
    say('Waiting for another set-up of this folder to end ...'),
  );

// --- npm dependencies

/**
 * What serves needs neither tsc nor the tests' packages, which are more than half of all. Once there are packages, `npm
 * install` adds what is missing and leaves the others alone: a service may run on them.
 */
async function installDependencies({ toDevelop }) {
  if (dependenciesAreInstalled(toDevelop)) return;
  const npm = process.env['npm_execpath'];
  const [command, prefix] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const isWhole = existsSync(installedPackages) && !existsSync(installing);
  const verb = isWhole ? ['install', '--no-save'] : ['ci'];
  const flags = [toDevelop ? '--include=dev' : '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const work = () => capture(command, [...prefix, ...verb, ...flags]);
  const [title, seconds] = toDevelop ? ['Installing npm packages to develop', 20] : ['Installing npm packages', 12];
  mkdirSync(stampFolder, { recursive: true });
  writeFileSync(installing, '');
  const run = await steps.run(title, seconds, work, succeeded);
  if (succeeded(run)) rmSync(installing);
  else throw new BuildError(`npm ${verb[0]} failed, so nothing can be built:\n${run.output.trim()}`);
}

/** npm writes it last, so an interrupted first installation counts as none. */
const installedPackages = path.join(root, 'node_modules', '.package-lock.json');
/** There while npm is at work, and after it was interrupted: packages may be there in part. */
const installing = path.join(stampFolder, 'installing');

function dependenciesAreInstalled(toDevelop) {
  const installed = readJson(installedPackages)?.packages;
  if (installed === undefined || existsSync(installing)) return false;
  const wanted = readJson(path.join(root, 'package-lock.json'))?.packages ?? {};
  return Object.entries(wanted).every(
    ([place, { version, dev, optional, devOptional, peer }]) =>
      place === '' ||
      (dev && !toDevelop) ||
      optional ||
      devOptional ||
      peer ||
      (installed[place]?.version === version && existsSync(path.join(root, place))),
  );
}

// --- native parts

const ADDON = {
  name: 'native',
  title: 'the native addon',
  seconds: 75,
  script: 'scripts/build-native.mjs',
  output: 'build/Release/extremum.node',
  inputs: ['native', 'CMakeLists.txt', 'binding.gyp', 'scripts/build-native.mjs', 'package.json'],
  excluded: /^native\/(sandbox|test)\//,
  tools: ['c++', 'g++', 'clang++', 'cmake', 'make', 'ninja', 'python3', 'npm'],
  cost: 'compiled objectives run as WebAssembly in worker threads, about three times slower',
  install: 'g++ cmake make',
};

const LAUNCHER = {
  name: 'launcher',
  title: 'the sandbox launcher',
  seconds: 1,
  script: 'scripts/build-launcher.mjs',
  output: 'build/Release/extremum-launcher',
  inputs: ['native/sandbox', 'scripts/build-launcher.mjs'],
  tools: ['cc', 'gcc', 'clang'],
  cost: 'objectives outside the compiled subset are refused, for CPython cannot be sandboxed',
  install: 'gcc libc6-dev',
};

const outputOf = (part) => path.join(root, part.output);

/** Whether an input or a tool on PATH has changed since the part was made, or could not be. */
function stateOf(part) {
  const tools = [...part.tools, process.env['CC'], process.env['CXX']].map((name) => (name ? findProgram(name) : null));
  const inputs = listFiles(part.inputs, (file) => !part.excluded?.test(file));
  const key = digest([process.version, process.arch, process.env['CXXFLAGS'] ?? '', ...tools.map(String), ...inputs]);
  const stamp = readJson(path.join(stampFolder, `${part.name}.json`));
  return { key, stamp, isDue: stamp?.key !== key || stamp.built !== existsSync(outputOf(part)) };
}

/**
 * Runs the part's own script where it is due. The script ends well without its output where it only makes the best of a
 * poor host. Returns the line to show where the part is missing. With a `signal` it runs beside a service.
 */
async function buildNativePart(part, signal) {
  const state = stateOf(part);
  let { stamp } = state;
  if (state.isDue) {
    const work = () => capture(process.execPath, [part.script], signal);
    // Where a tool is missing it ends at once, which tells nothing of the next time.
    const isMade = (run) => succeeded(run) && run.output.includes(' built ');
    const run = await steps.run(`Building ${part.title}`, part.seconds, work, isMade);
    if (signal?.aborted) return [];
    writeFileSync(path.join(buildFolder, `${part.name}.log`), run.output);
    stamp = {
      key: state.key,
      built: succeeded(run) && existsSync(outputOf(part)),
      failed: !succeeded(run),
      said: run.output.trim(),
    };
    writeStamp(part.name, stamp);
  }
  if (stamp.built) return [];
  const install = `Debian: apt-get install ${part.install}`;
  if (stamp.failed) return [`Building ${part.title} failed (see build/${part.name}.log): ${part.cost}. ${install}`];
  const why = stamp.said.split('\n')[0] || `${part.title} was not built; ${part.cost}`;
  return [why.includes('apt-get') ? why : `${why} (${install})`];
}

// --- TypeScript

function typeScript() {
  const isSource = (file) => file.endsWith('.ts') && !file.endsWith('.test.ts');
  const sources = listFiles(['src'], isSource);
  return { sources, key: digest([...sources, ...listFiles(['tsconfig.json', 'package-lock.json'])]) };
}

/** Whether dist/ is that of the sources as they are. */
function isCurrent({ key } = typeScript()) {
  const stamp = readJson(path.join(stampFolder, 'typescript.json'));
  return stamp?.key === key && existsSync(path.join(root, 'dist', 'main.js'));
}

async function compileTypeScript() {
  const { sources, key } = typeScript();
  if (isCurrent({ key })) return;
  // What an earlier compilation remembers must not keep it from writing files that are gone.
  if (!existsSync(path.join(root, 'dist', 'main.js'))) rmSync(tscMemory, { force: true });
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--pretty', 'false'];
  const run = await steps.run('Compiling TypeScript', 12, () => capture(process.execPath, tsc), succeeded);
  if (!succeeded(run)) throw new BuildError(`tsc found errors:\n${run.output.trim()}`);
  removeStale(sources);
  writeStamp('typescript', { key });
}

const tscMemory = path.join(root, 'dist', '.tsbuildinfo');

/** Whether dist/ was made of the sources as they are, without looking at types. */
const isTranspiled = ({ key } = typeScript()) =>
  readJson(path.join(stampFolder, 'transpiled.json'))?.key === key &&
  existsSync(path.join(root, 'dist', 'main.js')) &&
  !existsSync(tscMemory);

/** dist/, of whatever origin; tsc makes it where tsc made it before and has only to do what changed. */
async function makeRunnable() {
  if (existsSync(tscMemory)) return compileTypeScript();
  const { sources, key } = typeScript();
  if (isTranspiled({ key })) return;
  const work = () => capture(process.execPath, ['scripts/support/transpile.mjs']);
  const run = await steps.run('Translating TypeScript', 3, work, succeeded);
  if (!succeeded(run)) throw new BuildError(`TypeScript could not be translated:\n${run.output.trim()}`);
  removeStale(sources);
  // It has neither declarations nor maps: `build` has tsc make it anew.
  rmSync(path.join(stampFolder, 'typescript.json'), { force: true });
  writeStamp('transpiled', { key });
}

/** What the compiler makes of a module. */
const OUTPUT = /\.(js|js\.map|d\.ts)$/;

/** A module that was renamed or deleted must not go on working from dist/. */
function removeStale(sources) {
  const modules = new Set(sources.map((line) => line.slice('src/'.length, line.lastIndexOf('.ts '))));
  const visit = (relative) => {
    for (const entry of readdirSync(path.join(root, 'dist', relative), { withFileTypes: true })) {
      const inner = path.posix.join(relative, entry.name);
      if (inner === 'dashboard') continue;
      if (entry.isDirectory()) visit(inner);
      else if (OUTPUT.test(inner) && !modules.has(inner.replace(OUTPUT, ''))) {
        rmSync(path.join(root, 'dist', inner));
      }
    }
  };
  visit('');
}

// --- the dashboard

function dashboardState() {
  const key = digest(listFiles(['dashboard', 'examples', 'package-lock.json']));
  const isBundled = existsSync(path.join(root, 'dist', 'dashboard', 'index.html'));
  return { key, isDue: !isBundled || readJson(path.join(stampFolder, 'dashboard.json'))?.key !== key };
}

async function bundleDashboard(signal) {
  const { key, isDue } = dashboardState();
  if (!isDue) return;
  const vite = ['node_modules/vite/bin/vite.js', 'build', '--config', 'dashboard/vite.config.ts'];
  const run = await steps.run('Bundling the dashboard', 4, () => capture(process.execPath, vite, signal), succeeded);
  if (signal?.aborted) return;
  if (!succeeded(run)) throw new BuildError(`The dashboard could not be bundled:\n${run.output.trim()}`);
  writeStamp('dashboard', { key });
}

// --- what the steps share

function pythonNotice() {
  const python = process.env['PYTHON'] || 'python3';
  if (python === 'off' || findProgram(python) !== null) return [];
  return [
    `No ${python}: objectives outside the compiled subset are refused. Debian: apt-get install python3 python3-numpy python3-scipy`,
  ];
}

const succeeded = ({ code }) => code === 0;

/**
 * Standard output and error of a child in one text, and its exit code. With a `signal` it is niced, and aborting ends
 * all that it has started.
 */
function capture(command, args, signal) {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve({ code: 1, output: '' });
    const isBeside = signal !== undefined;
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: isBeside });
    if (isBeside && child.pid !== undefined) {
      os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW);
      const end = () => process.kill(-child.pid, 'SIGTERM');
      signal.addEventListener('abort', end, { once: true });
      child.once('exit', () => signal.removeEventListener('abort', end));
    }
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    child.on('error', (error) => resolve({ code: 1, output: `${command}: ${error.message}` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

const digest = (lines) => createHash('sha256').update(lines.join('\n')).digest('hex');

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function writeStamp(name, content) {
  mkdirSync(stampFolder, { recursive: true });
  writeFileSync(path.join(stampFolder, `${name}.json`), JSON.stringify(content));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const { notices } = await build();
    for (const notice of notices) say(notice);
    if (notices.length > 0 && process.env['EXTREMUM_REQUIRE_ALL']) process.exitCode = 1;
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}
