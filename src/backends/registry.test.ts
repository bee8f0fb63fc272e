import { expect, it } from 'vitest';
import { BACKENDS, createBackend } from './registry.js';

it('each registration says what its backend says', () => {
  for (const { name, input } of BACKENDS) {
    const backend = createBackend(name);
    expect(backend.name).toBe(name);
    expect(backend.capabilities.input).toBe(input);
  }
});

it('names are unique, and an unknown one is refused with the known ones', () => {
  const names = BACKENDS.map((entry) => entry.name);
  expect(new Set(names).size).toBe(names.length);
  expect(() => createBackend('abacus')).toThrow(`no backend named abacus (known: ${names.join(', ')})`);
});
