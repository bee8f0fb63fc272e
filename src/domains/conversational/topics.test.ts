import { describe, expect, it } from 'vitest';
import { PROBLEM_TYPES } from '../registry.js';
import { TOPICS } from './topics.js';

describe('the words by which a conversation finds a problem', () => {
  it.each(PROBLEM_TYPES.map((type) => [type.name, type] as const))('are there for %s', (name, { models }) => {
    const named = TOPICS.filter(({ type }) => type === name).map(({ model }) => model);
    expect(named.length).toBeGreaterThan(0);
    // Those of a type as a whole have the model null.
    expect([null, ...models.map((model) => model.name)]).toEqual(expect.arrayContaining(named));
  });

  it('speak of no type that is not there', () => {
    const types = PROBLEM_TYPES.map(({ name }) => name);
    expect(types).toEqual(expect.arrayContaining(TOPICS.map(({ type }) => type)));
  });
});
