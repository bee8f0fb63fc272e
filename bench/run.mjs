/**
 * `npm run bench [-- filter ...]`: runs the benchmarks under bench/micro, bench/strategies, bench/service and
 * bench/domains, each in a process of its own, one after the other, and writes bench/results/<name>.json. `npm run
 * bench:service`: those of the service only.
 *
 * A benchmark is a module that exports `run(): Promise<{ name, results, settings? }>`: `name` is the file name of its
 * results, `results` is an array of flat objects (one measured thing each, with unit, median and spread in its field
 * names), `settings` what the figures depend on (dimension, population, repetitions). It checks the answers that it
 * times and throws when one is wrong. `{ skipped: reason }` where it lacks what it measures with: nothing is written
 * then.
 */
import '../scripts/support/require-node.mjs';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, BuildError } from '../scripts/build.mjs';
import { root } from '../scripts/support/paths.mjs';
import { commit } from './support/commit.mjs';

const GROUPS = ['micro', 'strategies', 'service', 'domains'];

const machine = () => ({
  cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
  cores: os.availableParallelism(),
  memory_gib: Math.round(os.totalmem() / 2 ** 30),
  platform: `${os.platform()} ${os.release()} ${os.arch()}`,
  node: process.version,
  load_average: Number(os.loadavg()[0].toFixed(2)),
});

/** The child's side: runs one module, leaves its report in `target`. */
async function runModule(file, target) {
  const module = await import(pathToFileURL(path.resolve(file)).href);
  writeFileSync(target, JSON.stringify(await module.run()));
}

function runInChild(file, target) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--one', file, target], {
      stdio: 'inherit',
    });
    child.on('close', (code) => resolve(code === 0));
  });
}

function printTable(results) {
  const columns = [...new Set(results.flatMap((row) => Object.keys(row)))];
  const text = (value) =>
    typeof value === 'number' ? value.toLocaleString('en-US', { maximumSignificantDigits: 5 }) : String(value ?? '');
  const rows = [columns, ...results.map((row) => columns.map((column) => text(row[column])))];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index].length)));
  for (const row of rows)
    console.log(
      '  ' +
        row
          .map((cell, index) => cell.padEnd(widths[index]))
          .join('  ')
          .trimEnd(),
    );
}

async function main(filters) {
  const { notices } = await build();
  for (const notice of notices) console.log(notice);
  const files = GROUPS.flatMap((group) => {
    const folder = path.join(root, 'bench', group);
    return readdirSync(folder)
      .filter((name) => name.endsWith('.mjs') && !name.startsWith('_'))
      .sort()
      .map((name) => path.join(folder, name));
  }).filter(
    (file) =>
      filters.length === 0 ||
      filters.some((filter) => path.relative(root, file).replaceAll(path.sep, '/').includes(filter)),
  );

  const results = path.join(root, 'bench', 'results');
  mkdirSync(results, { recursive: true });
  const folder = mkdtempSync(path.join(os.tmpdir(), 'extremum-bench-'));
  let failures = 0;
  try {
    for (const file of files) {
      console.log(`${path.relative(root, file)} ...`);
      const target = path.join(folder, 'report.json');
      rmSync(target, { force: true });
      const before = machine();
      if (!(await runInChild(file, target))) {
        console.log('  failed');
        failures += 1;
        continue;
      }
      const { name, results: rows, skipped, ...rest } = JSON.parse(readFileSync(target, 'utf8'));
      if (skipped !== undefined) {
        console.log(`  skipped: ${skipped}`);
        continue;
      }
      const report = {
        name,
        commit: commit(),
        date: new Date().toISOString(),
        machine: before,
        ...rest,
        results: rows,
      };
      writeFileSync(path.join(results, `${name}.json`), JSON.stringify(report, null, 2) + '\n');
      printTable(rows);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.exitCode = failures === 0 ? 0 : 1;
}

if (process.argv[2] === '--one') {
  await runModule(process.argv[3], process.argv[4]);
} else {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
