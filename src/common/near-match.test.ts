import { describe, expect, it } from 'vitest';
import { nearMatch } from './near-match.js';

describe('a mistyped name', () => {
  const known = ['--bounds', '--budget', '--strategy', '--seed', '--json', 'cma-es', 'lq-cma-es'];
  it.each([
    ['--bound', '--bounds'],
    ['--stratgey', '--strategy'],
    ['--budjet', '--budget'],
    ['--JSON', '--json'],
    ['cmaes', 'cma-es'],
    ['--sede', '--seed'],
    ['--colour', null],
    ['x', null],
    ['', null],
    ['x'.repeat(100_000), null],
  ])('%.12s is meant to be %s', (text, meant) => {
    expect(nearMatch(text, known)).toBe(meant);
  });
});
