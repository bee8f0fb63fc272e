/** `extremum keys`, as a program of its own. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { distEntry } from '../../src/common/dist-entry.js';
import { publicIdOf } from '../../src/identity/key-format.js';
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
    dataDir = mkdtempSync(join(tmpdir(), 'extremum-cli-'));
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
  ])('refuses %j with the rule', async (args, message) => {
    const { code, stdout, stderr } = await extremum(...args);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});
