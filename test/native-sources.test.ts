/** The addon can be built in two ways, and both have lists of sources that are kept by hand. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../src/common/dist-entry.js';

const read = (file: string): string => readFileSync(path.join(packageRoot(), file), 'utf8');

/** C++ sources that `text` names, without tests. */
const named = (text: string): string[] =>
  [...new Set(text.match(/\bnative\/[\w/]+\.cpp\b/g) ?? [])].filter((file) => !file.startsWith('native/test/')).sort();

test('CMakeLists.txt and binding.gyp build the same native sources', () => {
  const sources = named(read('CMakeLists.txt'));
  expect(sources.length).toBeGreaterThan(20);
  expect(named(read('binding.gyp'))).toEqual(sources);
  for (const file of sources) expect(existsSync(path.join(packageRoot(), file)), file).toBe(true);
});

/** Built by scripts/build-routing-wasm.mjs. */
const OF_WEBASSEMBLY = 'native/routing/wasm.cpp';

test('every native source is built', () => {
  const all = readdirSync(path.join(packageRoot(), 'native'), { recursive: true, encoding: 'utf8' })
    .map((file) => `native/${file.replaceAll(path.sep, '/')}`)
    .filter((file) => file.endsWith('.cpp') && !file.startsWith('native/test/') && file !== OF_WEBASSEMBLY);
  expect(named(read('CMakeLists.txt'))).toEqual(all.sort());
});
