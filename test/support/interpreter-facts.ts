/** What an interpreter would tell of itself, for tests of the front end. */
import type { InterpreterFacts } from '../../src/model/interpreter-facts.js';

/**
 * Modules by path: the names they have (all others they lack, as far as they are asked here), or the class of exception
 * that importing them raises. `asked`: names that the source mentions.
 */
export function interpreterFacts(
  modules: Readonly<Record<string, readonly string[] | string>>,
  asked: readonly string[] = [],
): InterpreterFacts {
  const entries = Object.entries(modules).map(([path, found]) => {
    if (typeof found === 'string') return [path, { raises: found, has: [], lacks: [], parts: [] }] as const;
    return [
      path,
      { raises: null, has: found, lacks: asked.filter((name) => !found.includes(name)), parts: [] },
    ] as const;
  });
  const facts = { modules: Object.fromEntries(entries) };
  return { ...facts, key: JSON.stringify(facts) };
}
