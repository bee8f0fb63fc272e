/**
 * Sets everything up, as far as it is not: npm dependencies, the native addon, the sandbox launcher, dist/, the
 * dashboard. Plain Node, for it runs before there are dependencies. Quiet when there is nothing to do (well under 0.3 s); safe to run from
 * several processes at once. What can be done without is reported in one line and left out.
 */
import './support/require-node.mjs';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './support/lock.mjs';
import { findProgram, listFiles, root } from './support/paths.mjs';

const buildFolder = path.join(root, 'build');
const stampFolder = path.join(buildFolder, 'stamps');
const say = (line) => console.error(line);

/** A set-up step that the service cannot do without failed; the message is complete as it stands. */
export class BuildError extends Error {}

/**
 * Runs the steps that are due. `beforeCompiling` is called when one of them is, once npm dependencies are there; what it
 * throws ends the build.
 * @returns {Promise<{ notices: string[] }>} one line for each thing this host lacks, to be shown to the user.
 * @throws {BuildError}
 */
export async function build(beforeCompiling = async () => {}) {
  return withLock(
    path.join(buildFolder, 'build.lock'),
    async () => {
      await installDependencies();
      if (!isCurrent()) await beforeCompiling();
      const notices = [];
      for (const part of NATIVE_PARTS) notices.push(...(await buildNativePart(part)));
      await compileTypeScript();
      await bundleDashboard();
      if (pythonMissing()) {
        notices.push(
          'No python3: objectives outside the compiled subset are refused. Debian: apt-get install python3 python3-numpy python3-scipy',
        );
      }
      return { notices };
    },
    () => say('Waiting for another set-up of this folder to end ...'),
  );
}

// --- npm dependencies

async function installDependencies() {
  if (dependenciesAreInstalled()) return;
  say('Installing npm dependencies ...');
  const npm = process.env['npm_execpath'];
  const [command, prefix] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const run = await capture(command, [...prefix, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']);
  if (run.code !== 0) throw new BuildError(`npm ci failed, so nothing can be built:\n${run.output.trim()}`);
}

/** npm writes node_modules/.package-lock.json last, so an interrupted installation counts as none. */
function dependenciesAreInstalled() {
  const installed = readJson(path.join(root, 'node_modules', '.package-lock.json'))?.packages;
  if (installed === undefined) return false;
  const wanted = readJson(path.join(root, 'package-lock.json'))?.packages ?? {};
  return Object.entries(wanted).every(
    ([place, { version, optional, devOptional, peer }]) =>
      place === '' ||
      optional ||
      devOptional ||
      peer ||
      (installed[place]?.version === version && existsSync(path.join(root, place))),
  );
}

// --- native parts

const NATIVE_PARTS = [
  {
    name: 'native',
    title: 'the native addon',
    script: 'scripts/build-native.mjs',
    output: 'build/Release/extremum.node',
    inputs: ['native', 'CMakeLists.txt', 'binding.gyp', 'scripts/build-native.mjs', 'package.json'],
    excluded: /^native\/(sandbox|test)\//,
    tools: ['c++', 'g++', 'clang++', 'cmake', 'make', 'ninja', 'python3', 'npm'],
    cost: 'compiled objectives run as WebAssembly in worker threads, about three times slower',
    install: 'g++ cmake make',
  },
  {
    name: 'launcher',
    title: 'the sandbox launcher',
    script: 'scripts/build-launcher.mjs',
    output: 'build/Release/extremum-launcher',
    inputs: ['native/sandbox', 'scripts/build-launcher.mjs'],
    tools: ['cc', 'gcc', 'clang'],
    cost: 'objectives outside the compiled subset are refused, for CPython cannot be sandboxed',
    install: 'gcc libc6-dev',
  },
];

/**
 * Runs the part's own script when an input or a tool on PATH has changed since. The script ends well without its output
 * where it only makes the best of a poor host. Returns the line to show where the part is missing.
 */
async function buildNativePart(part) {
  const tools = [...part.tools, process.env['CC'], process.env['CXX']].map((name) => (name ? findProgram(name) : null));
  const inputs = listFiles(part.inputs, (file) => !part.excluded?.test(file));
  const key = digest([process.version, process.arch, process.env['CXXFLAGS'] ?? '', ...tools.map(String), ...inputs]);
  const output = path.join(root, part.output);
  let stamp = readJson(path.join(stampFolder, `${part.name}.json`));
  if (stamp?.key !== key || stamp.built !== existsSync(output)) {
    say(`Building ${part.title} ...`);
    const run = await capture(process.execPath, [part.script]);
    writeFileSync(path.join(buildFolder, `${part.name}.log`), run.output);
    stamp = { key, built: run.code === 0 && existsSync(output), failed: run.code !== 0, said: run.output.trim() };
    writeStamp(part.name, stamp);
  }
  if (stamp.built) return [];
  if (stamp.failed) return [`Building ${part.title} failed (see build/${part.name}.log): ${part.cost}.`];
  const why = stamp.said.split('\n')[0] || `${part.title} was not built; ${part.cost}`;
  return [why.includes('apt-get') ? why : `${why} (Debian: apt-get install ${part.install})`];
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
  say('Compiling TypeScript ...');
  // What an earlier compilation remembers must not keep it from writing files that are gone.
  if (!existsSync(path.join(root, 'dist', 'main.js'))) rmSync(path.join(root, 'dist', '.tsbuildinfo'), { force: true });
  const run = await capture(process.execPath, [
    'node_modules/typescript/bin/tsc',
    '-p',
    'tsconfig.json',
    '--pretty',
    'false',
  ]);
  if (run.code !== 0) throw new BuildError(`tsc found errors:\n${run.output.trim()}`);
  removeStale(new Set(sources.map((line) => line.slice('src/'.length, line.lastIndexOf('.ts ')))));
  writeStamp('typescript', { key });
}

/** What the compiler makes of a module. */
const OUTPUT = /\.(js|js\.map|d\.ts)$/;

/** A module that was renamed or deleted must not go on working from dist/. */
function removeStale(modules) {
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

async function bundleDashboard() {
  const key = digest(listFiles(['dashboard', 'examples', 'package-lock.json']));
  const isBundled = existsSync(path.join(root, 'dist', 'dashboard', 'index.html'));
  if (isBundled && readJson(path.join(stampFolder, 'dashboard.json'))?.key === key) return;
  say('Bundling the dashboard ...');
  const run = await capture(process.execPath, [
    ...['node_modules/vite/bin/vite.js', 'build'],
    ...['--config', 'dashboard/vite.config.ts'],
  ]);
  if (run.code !== 0) throw new BuildError(`The dashboard could not be bundled:\n${run.output.trim()}`);
  writeStamp('dashboard', { key });
}

// --- what the steps share

function pythonMissing() {
  const python = process.env['PYTHON'] || 'python3';
  return python !== 'off' && findProgram(python) === null;
}

/** Standard output and error of a child in one text, and its exit code. */
function capture(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
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
