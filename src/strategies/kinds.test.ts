import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { kinds } from './kinds.js';
import { portfolio } from './lists.js';

const SRC = path.join(import.meta.dirname, '..');
const names = kinds.map(({ name }) => name);

describe('kinds', () => {
  it('lists every folder that has one, under its own name', () => {
    const here = import.meta.dirname;
    const folders = readdirSync(here).filter((folder) => existsSync(path.join(here, folder, 'kind.ts')));
    expect([...names].sort()).toEqual(folders.sort());
  });

  it('has the order that the planner’s snapshots hold its members in', () => {
    expect(portfolio.map(({ name }) => name)).toEqual([
      'term-search',
      'envelope-search',
      'branch-and-bound',
      'levenberg-marquardt',
      'penalty-sqp',
      'lattice-search',
      'coordinate-search',
      'quasi-newton',
      'lq-cma-es',
      'distant-restarts',
      'nearby-restarts',
      'bayesian',
      'nelder-mead',
      'polish',
    ]);
  });

  it('is the only place where a kind is known by its name, but for stored data and words of domain requests', () => {
    // A role is called as the kind that plays it.
    const roles: readonly string[] = portfolio.map(({ asMember }) => asMember.role);
    const known = names.filter((name) => !roles.includes(name));
    const literal = new RegExp(`(['"])(${known.join('|')})\\1`);
    const allowed = (file: string): boolean =>
      /^(strategies|domains)\//.test(file) || file === 'planner/leaders.ts' || file.endsWith('.test.ts');
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => file.replaceAll(path.sep, '/'));
    expect(files.length).toBeGreaterThan(300);
    const knowing = files.filter((file) => !allowed(file) && literal.test(readFileSync(path.join(SRC, file), 'utf8')));
    expect(knowing).toEqual([]);
  });
});
