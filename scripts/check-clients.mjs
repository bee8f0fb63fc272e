/**
 * `npm run check:clients [-- --python PYTHON]`: the clients of examples/, generated from the OpenAPI document and run
 * against a service. The generator of the Python client is installed first; `npm test` checks the TypeScript one alone.
 */
import './support/require-node.mjs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { root } from './support/paths.mjs';
import { pythonPackages } from './support/python-packages.mjs';

const { values: options } = parseArgs({ options: { python: { type: 'string', default: 'python3' } } });

await build();
const requirements = path.join(root, 'examples', 'python-client', 'requirements.txt');
const generator = pythonPackages('openapi-python-client', requirements, options.python);
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/e2e/clients.test.ts'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, EXTREMUM_TEST_PYTHON: options.python, EXTREMUM_PYTHON_CLIENT_GENERATOR: generator },
});
process.exitCode = status ?? 1;
