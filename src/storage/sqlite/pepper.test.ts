import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPepperLost, loadPepper, replacePepper } from './pepper.js';

describe('pepper', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'extremum-pepper-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('is made once, for the owner only', () => {
    const first = loadPepper(join(dataDir, 'new'), 0);
    expect(first).toHaveLength(32);
    expect(loadPepper(join(dataDir, 'new'), 3)).toEqual(first);
    expect(statSync(join(dataDir, 'new', 'pepper')).mode & 0o777).toBe(0o600);
  });

  it('is not made again where keys need the one that was', () => {
    expect(() => loadPepper(dataDir, 3)).toThrow(
      /pepper is not there, .* none of the 3 keys .* from the backup .* new-secret/,
    );
    expect(existsSync(join(dataDir, 'pepper'))).toBe(false);
  });

  it('is not replaced when damaged', () => {
    writeFileSync(join(dataDir, 'pepper'), 'short\n');
    for (const keys of [0, 3]) expect(() => loadPepper(dataDir, keys)).toThrow(/pepper is damaged: .* from the backup/);
    expect(readFileSync(join(dataDir, 'pepper'), 'utf8')).toBe('short\n');
  });

  it('is replaced where somebody asks for it', () => {
    expect(isPepperLost(dataDir)).toBe(true);
    writeFileSync(join(dataDir, 'pepper'), 'short\n');
    expect(isPepperLost(dataDir)).toBe(true);
    replacePepper(dataDir);
    expect(isPepperLost(dataDir)).toBe(false);
    expect(loadPepper(dataDir, 3)).toHaveLength(32);
  });
});
