/** `extremum keys`, as a program of its own. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { distEntry, packageRoot } from '../../src/common/dist-entry.js';
import { SETTING_NAMES } from '../../src/config.js';
import { publicIdOf } from '../../src/identity/key-format.js';
import { dataFolder } from '../support/data-folder.js';
import { startTestService } from '../support/service.js';

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function extremum(...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [distEntry('cli/main'), ...args], { env: {} }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

describe('extremum keys', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = dataFolder('extremum-cli-');
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('generates a key and stores nothing', async () => {
    const { code, stdout } = await extremum('keys', 'generate');
    expect(code).toBe(0);
    expect(publicIdOf(stdout.trim())).not.toBeNull();
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('creates keys before the service ever ran; the service then makes no first key of its own', async () => {
    const made = await extremum('keys', 'create', '--account', 'team', '--scopes', 'read,run', '--data-dir', dataDir);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const key = made.stdout.trim();
    const service = await startTestService({ dataDir, key, flags: ['--python', 'off'] });
    try {
      const { body } = await service.call('GET', '/v1/identity');
      expect(body).toMatchObject({ name: 'team', key: { scopes: ['read', 'run'] } });
      expect(await service.call('GET', '/v1/identity', { key: '' })).toMatchObject({ status: 401 });
    } finally {
      await service.stop();
    }
  });

  it('lists and revokes the keys of an account', async () => {
    const flags = ['--account', 'team', '--data-dir', dataDir];
    const expiry = ['--expires-at', '2999-01-01T00:00:00Z'];
    const made = await extremum('keys', 'create', ...flags, '--scopes', 'read', '--name', 'one two', ...expiry);
    const listed = await extremum('keys', 'list', ...flags);
    expect(listed.stdout).toMatch(/^key_\d+ {2}read {2}expires 2999-\S+ {2}last used never {2}"one two"\n$/);
    expect(listed.stdout).not.toContain(made.stdout.trim().slice(3));
    const id = listed.stdout.split(' ')[0] ?? '';
    expect(await extremum('keys', 'revoke', ...flags, '--id', id)).toMatchObject({ code: 0, stderr: '' });
    expect((await extremum('keys', 'list', ...flags)).stdout).toBe('');
    const again = await extremum('keys', 'revoke', ...flags, '--id', id);
    expect([again.code, again.stderr.trim()]).toEqual([1, `The account has no key ${id}.`]);
    const nobody = await extremum('keys', 'list', '--account', 'nobody', '--data-dir', dataDir);
    expect(nobody.stderr).toMatch(/There is no account "nobody"/);
  });

  it.each([['list', '--account', 'team'], ['revoke', '--account', 'team', '--id', 'key_1'], ['new-secret']])(
    'makes no database where there is none: keys %s',
    async (...args) => {
      const { code, stdout, stderr } = await extremum('keys', ...args, '--data-dir', dataDir);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toBe(`There is no database in ${dataDir}; give the --data-dir of the service.\n`);
      expect(readdirSync(dataDir)).toEqual([]);
    },
  );

  it.each([
    [['--help'], /extremum serve .*extremum keys create/s],
    [['serve', '--help'], /--data-dir \.\.\.\n.*default: \.\/data.*--log-level/s],
    [['serve', '--port', '0', '-h'], /Exit codes: 0/],
    [['keys'], /Usage: extremum keys/],
    [['keys', 'create', '--help'], /Scopes: read .*run .*admin/s],
  ])('explains itself: %j', async (args, text) => {
    const { code, stdout, stderr } = await extremum(...args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(text);
  });

  it('tells of every setting that it takes', async () => {
    const { stdout } = await extremum('serve', '--help');
    for (const name of SETTING_NAMES) expect(stdout).toContain(`--${name.toLowerCase().replaceAll('_', '-')} `);
  });

  it.skipIf(process.platform !== 'linux')('ends at once where the data directory cannot be made', async () => {
    const { code, stderr } = await extremum('serve', '--port', '0', '--data-dir', '/proc/x', '--python', 'off');
    expect([code, stderr.trim().split('\n').at(-1)]).toEqual([1, expect.stringContaining('/proc/x cannot be made')]);
  });

  it.each([
    [['keys', 'create', '--scopes', 'read'], /--account and --scopes are needed/],
    [
      ['keys', 'create', '--account', 'a', '--scopes', 'root'],
      /--scopes is "root"; it must list some of read,run,admin/,
    ],
    [['keys', 'create', '--account', '', '--scopes', 'read'], /--account needs a value/],
    [['keys', 'create', '--account', 'a', '--scopes', 'read', '--what', '1'], /Unknown argument "--what"/],
    [['keys', 'shred'], /Usage:/],
    [['serve', '--port', 'http'], /--port is "http"/],
    [['serve', '--prot', '1'], /^Unknown argument "--prot"\. Did you mean --port\?\n$/],
  ])('refuses %j with the rule', async (args, message) => {
    const { code, stdout, stderr } = await extremum(...args);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  it('tells its version, and what a command that is not there may have been meant to be', async () => {
    const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
    expect(await extremum('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    const { code, stdout, stderr } = await extremum('optimise', 'f.py');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^There is no command "optimise"; did you mean optimize\?\nExtremum searches .*\n\nUsage:\n/,
    );
  });
});
