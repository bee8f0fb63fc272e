import { describe, expect, it } from 'vitest';
import type { ProgramView } from './strategy.js';
import { needsProgram, suits, unsuitability, type Reach } from './suitability.js';

const view: ProgramView = { structure: null, resultLength: (reading) => (reading === 'bounds' ? 2 : null) };

const plain: Reach = { maxDimension: 200 };
const several: Reach = { maxDimension: 200, objectives: [2, 4] };
const reader: Reach = { maxDimension: 200, isPossible: (n, program) => n <= 3 && program !== undefined };

describe('unsuitability', () => {
  it('finds nothing against a strategy within its reach, nor against what was not asked about', () => {
    expect(unsuitability(plain, { dimension: 200, objectives: 1, program: null })).toBeNull();
    expect(unsuitability(several, { objectives: 4 })).toBeNull();
    expect(unsuitability(reader, { dimension: 3, program: { n: 3, view } })).toBeNull();
    for (const reach of [plain, several, reader]) expect(unsuitability(reach, {})).toBeNull();
  });

  it.each<[Reach, Parameters<typeof unsuitability>[1], string]>([
    [plain, { dimension: 201 }, 'takes at most 200 dimensions, not 201'],
    [plain, { objectives: 2 }, 'searches for one objective, not for 2'],
    [several, { objectives: 1, dimension: 201 }, 'searches for 2 to 4 objectives, not for 1'],
    [reader, { program: null }, 'needs an objective that is compiled, and a run that is not black_box'],
    [reader, { program: { n: 4, view } }, 'does not suit the program of this objective'],
  ])('says why not: %o, %o', (reach, task, why) => {
    expect(unsuitability(reach, task)).toBe(why);
    expect(suits(reach, task)).toBe(false);
  });

  it('knows who needs a program', () => {
    expect([plain, several, reader].map(needsProgram)).toEqual([false, false, true]);
  });
});
