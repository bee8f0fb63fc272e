import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder } from './folders.js';

const root = mkdtempSync(join(tmpdir(), 'extremum-folders-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('makeFolder', () => {
  it('makes what is missing, for the owner only, and leaves what is there', () => {
    const deep = join(root, 'a', 'b', 'c');
    for (let i = 0; i < 2; i++) makeFolder(deep, 0o700);
    for (const part of [join(root, 'a'), deep]) expect(statSync(part).mode & 0o777).toBe(0o700);
    mkdirSync(join(root, 'real'));
    symlinkSync(join(root, 'real'), join(root, 'link'));
    makeFolder(join(root, 'link'), 0o700);
    makeFolder(join(root, 'link', 'in'), 0o700);
    expect(existsSync(join(root, 'real', 'in'))).toBe(true);
  });

  it('refuses a file in the way', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => makeFolder(join(root, 'file'), 0o700)).toThrow(/EEXIST|ENOTDIR/);
    expect(() => makeFolder(join(root, 'file', 'x'), 0o700)).toThrow(/ENOTDIR/);
  });

  it.skipIf(process.platform !== 'linux')('returns where no folder can be made', () => {
    for (const path of ['/proc/x', '/proc/x/y']) expect(() => makeFolder(path, 0o700)).toThrow(/ENOENT/);
  });
});
