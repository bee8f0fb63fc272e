/**
 * `npm run check:clients [-- --python PYTHON --only go,java --document FILE --keep]`: the clients of examples/, then
 * those that openapi-generator makes for Python, TypeScript, Go and Java, each generated from the OpenAPI document,
 * compiled, and driven against a service of its own. The example's client in Python passes the strict type checker,
 * too.
 *
 * What is needed comes from the package registries, pinned; a client whose tools are missing is skipped. `--only`:
 * these, and no examples; `--document`: another one than the service's; `--keep`: what was generated stays.
 * `check-clients/python/requirements.txt` is made by `pip-compile --generate-hashes --strip-extras --no-annotate
 * --no-header` from the lines mypy, pydantic, python-dateutil, types-python-dateutil, typing-extensions and urllib3<3.
 */
import './support/require-node.mjs';
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { generators, mvn, pythonClientGenerator } from './check-clients/generators.mjs';
import { CODE, judge, SEED } from './check-clients/judge.mjs';
import { root } from './support/paths.mjs';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string', default: 'python3' },
    only: { type: 'string' },
    document: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});

const OPENAPI_GENERATOR = {
  version: '7.16.0',
  sha256: '6999b18cece5b58f5d5b246fef5a43bdf61239491c4f0ed6513214e0f6e8464b',
};
const CACHE = path.join(root, 'node_modules', '.cache');

/** By the commands that the examples print. */
function examples() {
  const generator = pythonClientGenerator(options.python);
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/e2e/clients.test.ts'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, EXTREMUM_TEST_PYTHON: options.python, EXTREMUM_PYTHON_CLIENT_GENERATOR: generator },
  });
  return status === 0;
}

const isThere = (tool) => spawnSync(tool, [tool === 'go' ? 'version' : '--version']).error === undefined;

/**
 * Beside the service, which is in this process.
 * @returns {Promise<{ isGood: boolean, stdout: string, output: string }>}
 */
function run([command, ...args], cwd, env = {}) {
  return new Promise((resolve) => {
    const given = { cwd, env: { ...process.env, ...env }, maxBuffer: 2 ** 28 };
    execFile(command, args, given, (error, stdout, stderr) =>
      resolve({ isGood: error === null, stdout, output: `${stdout}${stderr}` || (error?.message ?? '') }),
    );
  });
}

/** Fetched by Maven into its own folder; @returns where it is. @throws where it cannot be had, or is another one */
async function openapiGenerator() {
  const { version, sha256 } = OPENAPI_GENERATOR;
  const artifact = `org.openapitools:openapi-generator-cli:${version}`;
  const place = path.join(CACHE, `openapi-generator-${version}`);
  const jar = path.join(place, `openapi-generator-cli-${version}.jar`);
  const { isGood, output } = await run(mvn('copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${place}`), CACHE);
  if (!isGood) throw new Error(`Maven does not fetch ${artifact}:\n${output}`);
  const found = createHash('sha256').update(readFileSync(jar)).digest('hex');
  if (found !== sha256) throw new Error(`${artifact} has the SHA-256 ${found}, not ${sha256}.`);
  return jar;
}

/** A service in this process, on loopback. */
async function startService() {
  const { parseConfig } = await import(path.join(root, 'dist', 'config.js'));
  const service = await import(path.join(root, 'dist', 'main.js'));
  const dataDir = mkdtempSync(path.join(tmpdir(), 'extremum-clients-'));
  const flags = ['--port', '0', '--data-dir', dataDir, '--log-level', 'silent', '--workers', '1', '--python', 'off'];
  const { url, bootstrapKey: key, close } = await service.startService(parseConfig({}, flags));
  return {
    url,
    key,
    async end() {
      await close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** @returns the checks of one client: `generates`, `compiles`, then a step each. Those after a failure fail too. */
async function check(name, generator, { jar, document, service, place }) {
  const here = path.join(root, 'scripts', 'check-clients', name);
  mkdirSync(place, { recursive: true });
  for (const file of generator.files) copyFileSync(path.join(here, file), path.join(place, file));
  const env = generator.env?.() ?? {};
  const checks = [];
  const note = (step, fault) => checks.push({ step, fault });
  const parts = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';
  const options = ['-i', document, '-o', generator.output, '--global-property', parts, ...(generator.options ?? [])];
  const made = await run(generator.generate?.(document) ?? ['java', '-jar', jar, 'generate', ...options], place, env);
  note('generates', made.isGood ? null : made.output);
  let fault = made.isGood ? null : 'it was not compiled';
  if (made.isGood) {
    for (const command of generator.compile) {
      const { isGood, output } = await run(command, place, env);
      if (!isGood) fault ??= `${command.join(' ')}: ${output}`;
    }
  }
  note('compiles', fault);
  if (generator.drive === undefined) return checks;
  const { stdout } = await run(generator.drive, place, {
    ...env,
    ...{ BASE: service.url, EXTREMUM_API_KEY: service.key, WRONG_KEY: `sk_${'a'.repeat(12)}_${'b'.repeat(38)}` },
    ...{ CODE, SEED: String(SEED) },
  });
  const ask = async (url) => {
    const answer = await fetch(service.url + url, { headers: { authorization: `Bearer ${service.key}` } });
    if (!answer.ok) throw new Error(`GET ${url}: ${answer.status}`);
    return answer.json();
  };
  return [...checks, ...(await judge(stdout, ask))];
}

/** Compilers begin with the cause, generators end with it. */
const shortened = (text) => (text.length < 3_000 ? text : `${text.slice(0, 1_500)}\n...\n${text.slice(-1_500)}`);

/** @returns whether every client passes every check */
async function generated() {
  const only = options.only?.split(',');
  const chosen = Object.entries(generators(options.python)).filter(([name]) => only?.includes(name) ?? true);
  const missing = ['java', 'mvn'].filter((tool) => !isThere(tool));
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(path.join(CACHE, 'check-clients-'));
  const service = await startService();
  let isGood = true;
  try {
    const jar = missing.length === 0 ? await openapiGenerator() : '';
    const document = options.document ?? path.join(folder, 'openapi.json');
    // Without a key, as generators ask.
    if (options.document === undefined) {
      writeFileSync(document, await (await fetch(`${service.url}/v1/openapi.json`)).text());
    }
    for (const [name, generator] of chosen) {
      const needed = generator.generate === undefined ? missing : [];
      const lacking = [...needed, ...generator.tools.filter((tool) => !isThere(tool))];
      if (lacking.length > 0) {
        console.log(`${name}: skipped: ${lacking.join(', ')} is not installed`);
        continue;
      }
      const place = path.join(folder, name);
      const checks = await check(name, generator, { jar, document: path.resolve(document), service, place });
      const faults = checks.filter(({ fault }) => fault !== null);
      console.log(`${name}: ${checks.length - faults.length} of ${checks.length} checks`);
      for (const { step, fault } of faults) console.log(`  ${step}: ${shortened(fault.trim())}`);
      isGood &&= faults.length === 0;
    }
  } finally {
    await service.end();
    if (options.keep) console.log(`Kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
  return isGood;
}

await build();
const areExamplesGood = options.only === undefined ? examples() : true;
process.exitCode = (await generated()) && areExamplesGood ? 0 : 1;
