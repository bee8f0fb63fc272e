/**
 * `npm run test:kill [-- --store sqlite|mongodb|replicas] [--count N] [--seed S]`: kills a service under mixed load N times
 * (default 20) at random moments, with MongoDB half of the times the server, with a
 * replica set of three always its primary, after it has stepped down, and looks whether anything that was
 * acknowledged is lost, or done twice, and reports count every run. Prints what was done and every violation; fails if there is one.
 */
import './support/require-node.mjs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build, BuildError } from './build.mjs';
import { root } from './support/paths.mjs';

const USAGE = 'npm run test:kill [-- --store sqlite|mongodb|replicas] [--count N] [--seed S]';
const STORES = ['sqlite', 'mongodb', 'replicas'];

function wholeNumber(name, text) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new Error(`--${name} ${text} must be a whole number from 1`);
}

function options() {
  const string = { type: 'string' };
  const { values } = parseArgs({ options: { store: string, count: string, seed: string } });
  const { store = 'sqlite', count = '20', seed = String(1 + Math.floor(Math.random() * 1e9)) } = values;
  if (!STORES.includes(store)) throw new Error(`--store ${store} must be one of ${STORES.join(', ')}`);
  return { store, count: wholeNumber('count', count), seed: wholeNumber('seed', seed) };
}

try {
  const { store, count, seed } = options();
  await build();
  console.log(`${count} kills on ${store} from seed ${seed} ...`);
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const config = ['--config', 'vitest.slow.config.ts', '--disable-console-intercept', '--reporter', 'dot'];
  const env = {
    ...process.env,
    EXTREMUM_KILL_STORE: store,
    EXTREMUM_KILL_COUNT: String(count),
    EXTREMUM_KILL_SEED: String(seed),
  };
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', 'test/e2e/kill-loop.mongodb.slow.test.ts', ...config],
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
