import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheFolder, KernelCache, type KernelKey } from './kernel-cache.js';

const key = (text: string, rest: Partial<KernelKey> = {}): KernelKey => ({
  text,
  architecture: 'sm_90',
  options: ['--fmad=false'],
  compiler: '13.0',
  ...rest,
});
const image = (length: number, fill = 7): Uint8Array => new Uint8Array(length).fill(fill);

describe('the cache of kernels', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'extremum-kernel-cache-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const paths = (): string[] => readdirSync(folder).map((name) => join(folder, name));

  it('gives back what was written, to others too, and nothing else', async () => {
    await new KernelCache(folder).write(key('a'), image(100));
    const other = new KernelCache(folder);
    expect(await other.read(key('a'))).toEqual(image(100));
    expect(await other.read(key('b'))).toBeNull();
    expect(await other.read(key('a', { architecture: 'sm_80' }))).toBeNull();
    expect(await other.read(key('a', { options: [] }))).toBeNull();
    expect(await other.read(key('a', { compiler: '12.4' }))).toBeNull();
  });

  it('does not mistake parts of a key for one another', async () => {
    const cache = new KernelCache(folder);
    await cache.write(key('a', { options: ['b', 'c'] }), image(1));
    expect(await cache.read(key('a', { options: ['b,c'] }))).toBeNull();
    expect(await cache.read(key('a', { options: ['b c'] }))).toBeNull();
  });

  it('takes no file of which a byte has changed, at any place', async () => {
    const cache = new KernelCache(folder);
    await cache.write(key('a'), image(10));
    const [path] = paths();
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged[at] ^= 0x10;
      writeFileSync(path, damaged);
      expect(await cache.read(key('a'))).toBeNull();
      writeFileSync(path, whole.subarray(0, at));
      expect(await cache.read(key('a'))).toBeNull();
    }
    writeFileSync(path, whole);
    expect(await cache.read(key('a'))).toEqual(image(10));
  });

  it('removes what was not used for the longest time, parts of files too, and never what is new', async () => {
    const cache = new KernelCache(folder, 1000);
    for (const name of ['a', 'b', 'c']) {
      await cache.write(key(name), image(250));
      for (const path of paths()) utimesSync(path, statSync(path).atime, new Date(statSync(path).mtimeMs - 1000));
    }
    writeFileSync(join(folder, 'abandoned.cubin.1-2'), image(100));
    utimesSync(join(folder, 'abandoned.cubin.1-2'), 0, 0);
    await cache.read(key('a'));
    await cache.write(key('d'), image(250));
    expect(await cache.read(key('b'))).toBeNull();
    for (const name of ['a', 'c', 'd']) expect(await cache.read(key(name))).not.toBeNull();
    expect(paths()).toHaveLength(3);
    await cache.write(key('e'), image(5000));
    expect(await cache.read(key('e'))).not.toBeNull();
    expect(paths()).toHaveLength(1);
  });

  it('leaves other files alone', async () => {
    writeFileSync(join(folder, 'notes.txt'), 'x'.repeat(5000));
    await new KernelCache(folder, 100).write(key('a'), image(10));
    expect(readdirSync(folder)).toContain('notes.txt');
  });

  it('says why nothing is kept where it cannot write, and throws nothing', async () => {
    writeFileSync(join(folder, 'file'), '');
    const cache = new KernelCache(join(folder, 'file', 'kernels'));
    expect(await cache.write(key('a'), image(10))).toMatch(/ENOTDIR|EEXIST/);
    expect(await cache.read(key('a'))).toBeNull();
    const none = new KernelCache(null);
    expect(await none.write(key('a'), image(10))).toBeNull();
    expect(await none.read(key('a'))).toBeNull();
  });

  it('bears many writers of one kernel', async () => {
    await Promise.all(Array.from({ length: 20 }, () => new KernelCache(folder).write(key('a'), image(1000))));
    expect(await new KernelCache(folder).read(key('a'))).toEqual(image(1000));
    expect(paths()).toHaveLength(1);
  });
});

it('lies where the environment says, else in the cache of the user', () => {
  expect(cacheFolder({ EXTREMUM_CUDA_CACHE: '/var/kernels' })).toBe('/var/kernels');
  expect(cacheFolder({ EXTREMUM_CUDA_CACHE: 'off' })).toBeNull();
  expect(cacheFolder({ EXTREMUM_CUDA_CACHE: '', XDG_CACHE_HOME: '/c' })).toBe('/c/extremum/cuda-kernels');
  expect(cacheFolder({})).toMatch(/\/\.cache\/extremum\/cuda-kernels$/);
});
