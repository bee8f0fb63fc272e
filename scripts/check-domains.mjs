/** `npm run check:domains`: the tests of all problem types again, each problem solved by a real service over HTTP. */
import './support/require-node.mjs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { build } from './build.mjs';
import { root } from './support/paths.mjs';

await build();
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const env = { ...process.env, EXTREMUM_TEST_HTTP: '1' };
const files = ['src/domains', 'test/conformance/problem-type.test.ts', ...process.argv.slice(2)];
process.exitCode =
  spawnSync(process.execPath, [vitest, 'run', ...files], { cwd: root, env, stdio: 'inherit' }).status ?? 1;
