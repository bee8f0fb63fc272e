/**
 * `npm run fuzz:python [-- --seconds N] [--count N] [--seed S] ...`: random programs as people write them, against CPython.
 * Prints what was run and what is wrong, each finding made small; fails if there is one. `--mode feasibility`: objectives
 * with checks and penalties; each is run, too, and what the run proves is held against CPython. `--mode metamorphic`: two
 * forms of each program that must give the same. `--mode suite`: programs made of CPython's own tests, by their numbers. `--proves N`: runs one in N programs. `--coverage FILE`: what of the
 * front end was never reached. `--shrink N`: findings made small (30). `--without any,imports`: features that are left
 * out. `--out FILE`: findings go there, too.
 */
import './support/require-node.mjs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build, BuildError } from './build.mjs';
import { root } from './support/paths.mjs';

const USAGE =
  'npm run fuzz:python [-- --seconds N] [--count N] [--seed S] [--mode ordinary|feasibility|metamorphic|suite] [--proves N] ' +
  '[--coverage FILE] [--shrink N] [--without FEATURES] [--out FILE]';
const NUMBERS = ['seconds', 'count', 'seed', 'proves', 'shrink'];
const TEXTS = ['mode', 'coverage', 'without', 'out'];

function options() {
  const named = Object.fromEntries([...NUMBERS, ...TEXTS].map((name) => [name, { type: 'string' }]));
  const { values } = parseArgs({ options: named });
  for (const name of NUMBERS) {
    const text = values[name];
    if (text !== undefined && !/^\d{1,9}$/.test(text)) throw new Error(`--${name} ${text} must be a whole number`);
  }
  const seed = values.seed ?? String(1 + Math.floor(Math.random() * 1e9));
  const seconds = values.seconds ?? (values.count === undefined ? '60' : '86400');
  return { ...values, seed, seconds };
}

try {
  const given = options();
  await build();
  const env = { ...process.env };
  for (const [name, value] of Object.entries(given)) {
    const isFile = name === 'coverage' || name === 'out';
    if (value !== undefined) env[`EXTREMUM_FUZZ_${name.toUpperCase()}`] = isFile ? path.resolve(value) : value;
  }
  console.log(`Fuzzing from seed ${given.seed} on ...`);
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const config = ['--config', 'vitest.slow.config.ts', '--disable-console-intercept', '--reporter', 'dot'];
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', 'test/property/ordinary-python.slow.test.ts', ...config],
    {
      cwd: root,
      env,
      stdio: 'inherit',
    },
  );
  process.exitCode = status ?? 1;
} catch (error) {
  console.error(error instanceof BuildError ? error.message : `${error.message}\n${USAGE}`);
  process.exitCode = 1;
}
