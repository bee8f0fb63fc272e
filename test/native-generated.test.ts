import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mathFile, opcodesFile } from '../scripts/generate-native.mjs';
import * as opcodes from '../src/backends/native/opcodes.js';
import * as math from '../src/ir/math/index.js';
import { packageRoot } from '../src/common/dist-entry.js';

const committed = (path: string) => readFileSync(join(packageRoot(), path), 'utf8');

it('the generated C++ of the mathematics library is up to date (node scripts/generate-native.mjs)', () => {
  expect(committed('native/math/library.generated.inc') === mathFile(opcodes, math)).toBe(true);
});

it('the generated table of opcodes is up to date (node scripts/generate-native.mjs)', () => {
  expect(committed('native/include/extremum/opcodes.generated.inc')).toBe(opcodesFile(opcodes));
});
