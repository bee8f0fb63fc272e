/**
 * `npm test [-- path ...]`: sets up, then runs the C++ tests and vitest. With paths only the vitest files that match
 * them. Each skipped test is printed with its reason; the last line is `N passed, N failed`, with `, N skipped` where
 * there are any.
 */
import './support/require-node.mjs';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build, BuildError } from './build.mjs';
import { root } from './support/paths.mjs';

/** Where scripts/build-native.mjs leaves the C++ tests. */
const CTEST_FOLDERS = ['build/native-tests', 'build/sandbox'];

const filters = process.argv.slice(2);
const totals = { passed: 0, failed: 0, skipped: 0 };

function run(command, args, { env = process.env, show = true } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', show ? 'inherit' : 'pipe', 'inherit'] });
    let output = '';
    child.stdout?.on('data', (data) => {
      output += data;
      process.stdout.write(data);
    });
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

async function runNativeTests() {
  for (const folder of CTEST_FOLDERS) {
    if (!existsSync(path.join(root, folder, 'CTestTestfile.cmake'))) continue;
    const { output, code } = await run('ctest', ['--test-dir', folder, '--output-on-failure'], { show: false });
    const [, failed, all] = /tests passed, (\d+) tests failed out of (\d+)/.exec(output) ?? [];
    if (all === undefined) {
      console.log(`skipped: C++ tests in ${folder}: ctest ended with ${code} without running them`);
      totals.skipped += 1;
      continue;
    }
    totals.failed += Number(failed);
    totals.passed += Number(all) - Number(failed);
  }
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
    totals.failed += failed === 0 && code !== 0 ? 1 : failed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  const { notices } = await build();
  for (const notice of notices) console.log(notice);
  if (process.env['EXTREMUM_REQUIRE_ALL']) totals.failed += notices.length;
  if (filters.length === 0) await runNativeTests();
  await runVitest();
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.log(error.message);
  totals.failed += 1;
}
const skipped = totals.skipped === 0 ? '' : `, ${totals.skipped} skipped`;
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exitCode = totals.failed === 0 ? 0 : 1;
