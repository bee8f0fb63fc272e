import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadPepper } from './pepper.js';

describe('pepper', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'extremum-pepper-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('is made once, for the owner only', () => {
    const first = loadPepper(join(dataDir, 'new'));
    expect(first).toHaveLength(32);
    expect(loadPepper(join(dataDir, 'new'))).toEqual(first);
    expect(statSync(join(dataDir, 'new', 'pepper')).mode & 0o777).toBe(0o600);
  });

  it('is not replaced when damaged', () => {
    writeFileSync(join(dataDir, 'pepper'), 'short\n');
    expect(() => loadPepper(dataDir)).toThrow(/damaged/);
    expect(readFileSync(join(dataDir, 'pepper'), 'utf8')).toBe('short\n');
  });
});
