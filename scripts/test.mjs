/**
 * `npm test [-- path ...]`: sets up, then runs the C++ tests and vitest. With paths only the vitest files that match
 * them. Each skipped test is printed with its reason, each failure as `failed: ...`; the last line is `N passed, N
 * failed`, with `, N skipped` where there are any.
 */
import './support/require-node.mjs';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build, BuildError } from './build.mjs';
import { withLock } from './support/lock.mjs';
import { findProgram, root } from './support/paths.mjs';

const NATIVE_TESTS = ['extremum_native_tests', 'extremum_jit_tests'];

const filters = process.argv.slice(2);
const totals = { passed: 0, failed: 0, skipped: 0 };

/** Shown as it comes, or collected. */
function run(command, args, { env = process.env, show = true } = {}) {
  return new Promise((resolve) => {
    const stdio = show ? 'inherit' : 'pipe';
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', stdio, stdio] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += data));
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/**
 * Whether cmake-js has made the addon in `build`: its core is compiled there, and the C++ tests use it. A cache that
 * was copied from elsewhere is none.
 */
function isBuiltByCmake() {
  const cache = path.join(root, 'build', 'CMakeCache.txt');
  if (!existsSync(cache) || !existsSync(path.join(root, 'build', 'Release', 'extremum.node'))) return false;
  const lines = readFileSync(cache, 'utf8').split('\n');
  const home = `CMAKE_HOME_DIRECTORY:INTERNAL=${path.resolve(root)}`;
  return lines.includes(home) && lines.some((line) => line.startsWith('CMAKE_JS_INC:'));
}

/** Builds the C++ tests (nothing when they are up to date) and runs them. */
async function runNativeTests() {
  const tools = [['cmake'], ['c++', 'g++', 'clang++'], ['make', 'ninja'], ['ctest']];
  const missing = tools.filter((names) => findProgram(...names) === null).map(([name]) => name);
  if (missing.length > 0) {
    console.log(`skipped: C++ tests: needs ${missing.join(', ')} (Debian: apt-get install g++ cmake make)`);
    totals.skipped += 1;
    return;
  }
  const isBeside = isBuiltByCmake();
  const folder = isBeside ? 'build' : 'build/native';
  const lock = path.join(root, 'build', isBeside ? 'build.lock' : 'native-tests.lock');
  const result = await withLock(lock, async () => {
    if (!existsSync(path.join(root, folder, NATIVE_TESTS[0]))) console.log('Building the C++ tests ...');
    const configured = isBeside ? { code: 0 } : await run('cmake', ['-S', '.', '-B', folder], { show: false });
    if (configured.code !== 0) return configured;
    const targets = ['--parallel', '2', '--target', ...NATIVE_TESTS];
    const built = await run('cmake', ['--build', folder, ...targets], { show: false });
    if (built.code !== 0) return built;
    return run('ctest', ['--test-dir', folder, '--output-on-failure'], { show: false });
  });
  const [, failed, all] = /tests passed, (\d+) tests failed out of (\d+)/.exec(result.output) ?? [];
  if (all === undefined || (result.code !== 0 && failed === '0')) {
    console.log(`The C++ tests could not be built or run:\n${result.output.trim()}`);
    console.log('failed: the C++ tests could not be built or run');
    totals.failed += 1;
    return;
  }
  if (result.code !== 0) {
    console.log(result.output.trim());
    console.log(`failed: ${failed} of the C++ tests`);
  }
  totals.failed += Number(failed);
  totals.passed += Number(all) - Number(failed);
  console.log(`C++ tests: ${Number(all) - Number(failed)} passed, ${failed} failed`);
}

async function runVitest() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'extremum-test-'));
  const summaryFile = path.join(folder, 'summary.json');
  try {
    const { code } = await run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...filters], {
      env: { ...process.env, EXTREMUM_TEST_SUMMARY: summaryFile },
    });
    const summary = existsSync(summaryFile) ? JSON.parse(readFileSync(summaryFile, 'utf8')) : { passed: 0, skipped: 0 };
    totals.passed += summary.passed;
    totals.skipped += summary.skipped;
    // A file that cannot be loaded, a hook or a stray rejection fails no test by itself, but vitest.
    const broken = (summary.brokenFiles ?? 0) + (summary.unhandledErrors ?? 0);
    const failed = (summary.failed ?? 0) + broken;
    if (failed === 0 && code !== 0) console.log(`failed: vitest ended with code ${code}`);
    totals.failed += failed === 0 && code !== 0 ? 1 : failed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  const { notices } = await build();
  for (const notice of notices) console.log(notice);
  if (process.env['EXTREMUM_REQUIRE_ALL']) {
    totals.failed += notices.length;
    for (const notice of notices) console.log(`failed: ${notice}`);
  }
  if (filters.length === 0) await runNativeTests();
  await runVitest();
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.log(error.message);
  console.log('failed: the build');
  totals.failed += 1;
}
const skipped = totals.skipped === 0 ? '' : `, ${totals.skipped} skipped`;
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exitCode = totals.failed === 0 ? 0 : 1;
