/**
 * `npm run fuzz:api [-- --examples 100 --seed 1 --python PYTHON]`: Schemathesis, with all of its checks, against a
 * service of its own that it starts and ends. Two accounts, so that one's reading of the other's is tried too.
 *
 * Schemathesis and what it needs are Python packages, pinned by version and hash in test/fuzz-api/requirements.txt and
 * installed once under node_modules/.cache. `requirements.txt` is made by `pip-compile --generate-hashes --strip-extras
 * --no-annotate --no-header` from the one line `schemathesis==...`.
 */
import './support/require-node.mjs';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { root } from './support/paths.mjs';
import { pythonPackages } from './support/python-packages.mjs';

const { values: options } = parseArgs({
  options: {
    examples: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    python: { type: 'string', default: 'python3' },
  },
});
const REQUIREMENTS = path.join(root, 'test', 'fuzz-api', 'requirements.txt');

/** Runs are small and short, so that thousands of them can be made; the document says so. */
const FLAGS = ['--port', '0', '--python', 'off', '--workers', '1', '--log-level', 'warn'];
const LIMITS = [
  '--max-evaluations',
  '100000',
  '--max-dimensions',
  '20',
  '--run-timeout-seconds',
  '2',
  '--federated-epsilon-limit',
  '1e9',
];
const WEBHOOKS = ['--webhook-allow-networks', '127.0.0.0/8'];
// Never reached, but counted: the headers are there to be checked.
const RATE = ['--rate-limit-per-minute', '1000000000'];

const node = (file, args, env = {}) =>
  execFileSync(process.execPath, [path.join(root, 'dist', file), ...args], { env: { ...process.env, ...env } })
    .toString()
    .trim();

/** Resolves with its address once it listens. */
function start(folder, key) {
  const env = { PATH: process.env.PATH ?? '', BOOTSTRAP_API_KEY: key };
  const flags = [...FLAGS, ...LIMITS, ...WEBHOOKS, ...RATE, '--data-dir', path.join(folder, 'data')];
  const child = spawn(process.execPath, [path.join(root, 'dist', 'main.js'), ...flags], { env });
  let output = '';
  const url = new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        output += data;
        const found = /listens on (http:\S+)/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      });
    }
    child.once('exit', () => reject(new Error(`The service did not start: ${output}`)));
  });
  return { child, url, output: () => output };
}

const ended = (child) =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode);
    child.once('exit', resolve);
  });

/** `object_level_authorization` reads with each what the other has made. */
function configure(folder, keys) {
  const accounts = keys.map((key, i) => ({
    name: `account${i}`,
    fixedHeaders: [{ name: 'Authorization', value: `Bearer ${key}` }],
  }));
  const auth = path.join(folder, 'auth.json');
  writeFileSync(auth, JSON.stringify({ auth: accounts }));
  const config = path.join(folder, 'schemathesis.toml');
  const peers = JSON.stringify(accounts.map(({ name }) => name));
  const lines = [
    `seed = ${Number(options.seed)}`,
    'continue-on-failure = true',
    // Streams of runs that go on end with the run, at the latest after two seconds.
    'request-timeout = 30.0',
    `[auth.wfc]`,
    `path = ${JSON.stringify(auth)}`,
    `peers = ${peers}`,
    '[generation]',
    `max-examples = ${Number(options.examples)}`,
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  return config;
}

await build();
const tool = pythonPackages('schemathesis', REQUIREMENTS, options.python);
const folder = mkdtempSync(path.join(tmpdir(), 'extremum-fuzz-api-'));
const key = node('cli/main.js', ['keys', 'generate']);
const service = start(folder, key);
try {
  const url = await service.url;
  const stranger = ['keys', 'create', '--account', 'stranger', '--scopes', 'read,run,admin'];
  const keys = [key, node('cli/main.js', [...stranger, '--data-dir', path.join(folder, 'data')])];
  const answer = await fetch(`${url}/v1/openapi.json`);
  const document = path.join(folder, 'openapi.json');
  // What generators of clients cannot read, a validator can.
  const exact = (_, part) => part?.['x-schema'] ?? part;
  writeFileSync(document, JSON.stringify(await answer.json(), exact));
  const args = ['-m', 'schemathesis.cli', '--config-file', configure(folder, keys), 'run', document, '--url', url];
  const child = spawn(options.python, [...args, '--checks', 'all', '--no-color'], {
    cwd: folder,
    env: {
      ...process.env,
      PYTHONPATH: [tool, path.join(root, 'test', 'fuzz-api')].join(path.delimiter),
      SCHEMATHESIS_HOOKS: 'hooks',
      EXTREMUM_URL: url,
      EXTREMUM_KEYS: JSON.stringify(keys),
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: 'inherit',
  });
  const code = await ended(child);
  if (service.child.exitCode !== null) throw new Error(`The service ended: ${service.output()}`);
  process.exitCode = code === 0 ? 0 : 1;
} finally {
  service.child.kill('SIGTERM');
  await ended(service.child);
  rmSync(folder, { recursive: true, force: true });
}
