/**
 * `npm start` in a copy of the sources where nothing was built, with compilers that do what the test tells them: the
 * service answers before they are done, and whatever becomes of them.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/common/dist-entry.js';
import { SPHERE, type Json } from '../support/service.js';

const built = path.join(packageRoot(), 'build', 'Release', 'extremum.node');
const folder = mkdtempSync(path.join(tmpdir(), 'extremum-first-'));
const copy = path.join(folder, 'extremum');
const tools = path.join(folder, 'tools');
const verdict = path.join(folder, 'verdict');
/** Holds the number of the compiler's process. */
const compilerId = path.join(folder, 'compiler-id');

/** Builds nothing until there is a verdict: `good`, and the addon of this checkout is what it made; else it fails. */
const CMAKE = `#!/bin/sh
case "$*" in
  *capabilities*) echo '{"generators": [{"name": "Unix Makefiles"}]}' ;;
  *--build*)
    echo $$ > "${compilerId}"
    while [ ! -e "${verdict}" ]; do sleep 0.05; done
    [ "$(cat "${verdict}")" = good ] || { echo 'refused by the test' >&2; exit 1; }
    mkdir -p "${copy}/build/Release" && cp "${built}" "${copy}/build/Release/extremum-draft.node" ;;
esac
`;

beforeAll(() => {
  mkdirSync(copy);
  for (const name of ['src', 'scripts', 'dashboard', 'native', 'examples']) {
    cpSync(path.join(packageRoot(), name), path.join(copy, name), { recursive: true });
  }
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'CMakeLists.txt', 'binding.gyp']) {
    cpSync(path.join(packageRoot(), name), path.join(copy, name));
  }
  symlinkSync(path.join(packageRoot(), 'node_modules'), path.join(copy, 'node_modules'));
  mkdirSync(tools);
  for (const [name, text] of Object.entries({ cmake: CMAKE, 'c++': '#!/bin/sh\n', make: '#!/bin/sh\n' })) {
    writeFileSync(path.join(tools, name), text);
    chmodSync(path.join(tools, name), 0o755);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let child: ChildProcess | null = null;
let output = '';

async function start(dataDir: string): Promise<{ url: string; key: string }> {
  output = '';
  rmSync(verdict, { force: true });
  child = spawn(
    process.execPath,
    ['scripts/start.mjs', '--no-example', '--port', '0', '--data-dir', path.join(folder, dataDir), '--python', 'off'],
    {
      cwd: copy,
      env: {
        ...process.env,
        CXX: '',
        PATH: `${tools}${path.delimiter}${process.env['PATH'] ?? ''}`,
        LOG_LEVEL: 'silent',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += String(data)));
  await said('Serving until Ctrl-C.');
  return { url: /serves on (\S+)/.exec(output)?.[1] ?? '', key: /(sk_\w+)/.exec(output)?.[1] ?? '' };
}

async function said(text: string): Promise<void> {
  while (!output.includes(text)) {
    if (child?.exitCode !== null) throw new Error(`it ended:\n${output}`);
    await sleep(20);
  }
}

async function stop(): Promise<number | null> {
  const exit = once(child!, 'exit');
  child!.kill('SIGINT');
  return ((await exit) as [number | null])[0];
}

async function call(url: string, key: string, target: string, body?: object): Promise<Json> {
  const answer = await fetch(url + target, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return answer.json();
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

const nativeIn = ({ backends }: Json): Json => backends.find(({ name }: Json) => name === 'native');

describe.skipIf(!existsSync(built))('the first start (needs a built addon)', () => {
  it('serves while the addon is built, by WebAssembly, and by the addon once it is there: to the same bits', async () => {
    const { url, key } = await start('data');
    try {
      expect(output).toMatch(/\[\d+ s\] Translating TypeScript \(about \d+ s\)/);
      expect(output).toMatch(/\[\d+ s\] Bundling the dashboard \(about \d+ s\)/);
      expect(output).toContain(`${url}/docs`);
      expect(output).toContain(`${url}/dashboard#/enter/`);
      expect((await fetch(`${url}/dashboard`)).status).toBe(200);
      const early = await call(url, key, '/v1/health');
      expect(early.status).toBe('degraded');
      expect(nativeIn(early)).toMatchObject({ available: false, reason: expect.stringContaining('is being built') });
      const { id } = await call(url, key, '/v1/functions', { name: 'sphere', language: 'python', code: SPHERE });
      const request = {
        ...{
          objective_function_id: id,
          bounds: [
            [-3, 4],
            [-5, 2],
          ],
          max_evaluations: 2_000,
        },
        ...{ seed: 5, learned_version: 0 },
      };
      const first = await call(url, key, '/v1/optimize', request);
      expect([first.status, first.backend.name]).toEqual(['completed', 'wasm']);
      expect(first.backend.reason).toContain('is being built');

      writeFileSync(verdict, 'good');
      await said('The native addon is ready: runs that begin now use it.');
      expect(nativeIn(await call(url, key, '/v1/health'))).toMatchObject({ available: true });
      const second = await call(url, key, '/v1/optimize', request);
      expect(second.backend.name).toBe('native');
      for (const field of ['best_solution', 'best_fitness', 'evaluations', 'strategies']) {
        expect(second[field], field).toEqual(first[field]);
      }
    } finally {
      expect(await stop()).toBe(0);
    }
  }, 120_000);

  it('ends the compilers with itself; where they fail it goes on, and says what to install', async () => {
    for (const file of ['Release/extremum.node', 'native.stamp', 'stamps/native.json']) {
      rmSync(path.join(copy, 'build', file));
    }
    rmSync(compilerId);
    await start('other');
    while (!existsSync(compilerId) || readFileSync(compilerId, 'utf8') === '') await sleep(20);
    const compiler = Number(readFileSync(compilerId, 'utf8'));
    expect(isAlive(compiler)).toBe(true);
    expect(await stop()).toBe(0);
    while (isAlive(compiler)) await sleep(20);

    const { url, key } = await start('third');
    try {
      writeFileSync(verdict, 'bad');
      await said('Building the native addon failed (see build/native.log)');
      expect(output).toContain('Debian: apt-get install g++ cmake make');
      expect(nativeIn(await call(url, key, '/v1/health')).available).toBe(false);
    } finally {
      expect(await stop()).toBe(0);
    }
  }, 120_000);
});
