/**
 * `npm run fuzz [-- --seconds N] [--seed S]`: random programs of the compiled subset, evaluated by CPython, the interpreter
 * and every backend that works here, for N seconds (default 60) from seed S on (default: another one each time). Prints
 * what was run and the first differences with their seeds; fails if there is one.
 */
import './support/require-node.mjs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build, BuildError } from './build.mjs';
import { root } from './support/paths.mjs';

const USAGE = 'npm run fuzz [-- --seconds N] [--seed S]';

function wholeNumber(name, text) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new Error(`--${name} ${text} must be a whole number from 1`);
}

function options() {
  const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } });
  const seed = values.seed ?? String(1 + Math.floor(Math.random() * 1e9));
  return { seconds: wholeNumber('seconds', values.seconds ?? '60'), seed: wholeNumber('seed', seed) };
}

try {
  const { seconds, seed } = options();
  await build();
  console.log(`Fuzzing for ${seconds} s from seed ${seed} on ...`);
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const config = ['--config', 'vitest.slow.config.ts', '--disable-console-intercept', '--reporter', 'dot'];
  const env = { ...process.env, EXTREMUM_FUZZ_SECONDS: String(seconds), EXTREMUM_FUZZ_SEED: String(seed) };
  const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/property/fuzz.slow.test.ts', ...config], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} catch (error) {
  console.error(error instanceof BuildError ? error.message : `${error.message}\n${USAGE}`);
  process.exitCode = 1;
}
