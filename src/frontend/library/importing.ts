/**
 * Effects of an import statement, as told by the interpreter that evaluates the source where compiled code does not.
 * Reading never guesses: what the interpreter was not asked is not known, and the source goes to CPython.
 *
 * Without an interpreter nobody else evaluates the source. Compiled code then stands for the standard library, NumPy
 * and SciPy, as far as all their versions agree (known-names.ts); so it does for NumPy and SciPy where the interpreter
 * has none.
 */
import type { InterpreterFacts, ModuleFacts } from '../../model/interpreter-facts.js';
import { KNOWN_NAMES } from './known-names.js';

/** `stands`: compiled code does, for a module that the interpreter does not have. */
type ImportOutcome =
  { readonly kind: 'works' | 'stands' | 'unknown' } | { readonly kind: 'raises'; readonly exception: string };

const isOwn = (path: string): boolean => /^(numpy|scipy)(\.|$)/.test(path);

export class KnownModules {
  /** Those that the source imports while it is loaded, with the packages that they are in. */
  private readonly imported = new Set<string>();

  constructor(
    readonly facts: InterpreterFacts | null,
    private readonly pythonMinor: number,
  ) {}

  importing(path: string): ImportOutcome {
    const facts = this.factsOf(path);
    if (this.facts === null) return { kind: KNOWN_NAMES[path] === undefined ? 'unknown' : 'works' };
    if (facts === undefined) return { kind: 'unknown' };
    if (facts.raises === null) return { kind: 'works' };
    if (facts.raises === 'ModuleNotFoundError' && isOwn(path) && KNOWN_NAMES[path] !== undefined)
      return { kind: 'stands' };
    return { kind: 'raises', exception: facts.raises };
  }

  /** Each is an attribute of its package from then on. */
  noteImport(path: string): void {
    for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) this.imported.add(path.slice(0, end));
  }

  /** Whether nobody but compiled code evaluates what is of a module: then it has what compiled code has of it. */
  standsFor(path: string): boolean {
    return this.facts === null && isOwn(path);
  }

  /** Whether it is known what a module has; what is not known of it may not be used. */
  knows(path: string): boolean {
    return KNOWN_NAMES[path] !== undefined || this.factsOf(path)?.raises === null;
  }

  /** Whether a module has a member; null: that is not known. */
  has(path: string, name: string): boolean | null {
    const facts = this.factsOf(path);
    if (facts !== undefined && facts.raises === null) {
      // Of a module inside of a package only the source's own import is known; others may import it, too.
      const isThere = facts.has.includes(name) || this.imported.has(`${path}.${name}`);
      return isThere ? true : facts.lacks.includes(name) ? false : null;
    }
    return namesOf(path, this.pythonMinor)?.has(name) === true || KNOWN_NAMES[`${path}.${name}`] !== undefined
      ? true
      : null;
  }

  /** In words, where `has` is null. */
  whyUnknown(path: string, name: string): string {
    const isPart = this.factsOf(path)?.parts.includes(name) === true;
    const why = isPart ? 'a module inside of it that anything may have imported' : 'its versions differ';
    return `whether ${path} has ${name} is not known (${why})`;
  }

  /** The same of `from path import name`, which finds modules inside of packages, too. */
  offers(path: string, name: string): boolean | null {
    const has = this.has(path, name);
    return has === true ? true : this.factsOf(path)?.parts.includes(name) === true ? true : has;
  }

  private factsOf(path: string): ModuleFacts | undefined {
    const { facts } = this;
    return facts !== null && Object.hasOwn(facts.modules, path) ? facts.modules[path] : undefined;
  }
}

const names = new Map<string, ReadonlySet<string>>();

/** Those that every version has from `minor` on. */
function namesOf(path: string, minor: number): ReadonlySet<string> | undefined {
  const text = KNOWN_NAMES[path];
  if (text === undefined) return undefined;
  const key = `${path} ${minor}`;
  let found = names.get(key);
  if (found === undefined) {
    const all = text.split(' ').map((entry) => entry.split('@'));
    found = new Set(all.flatMap(([name, since]) => (since === undefined || Number(since) <= minor ? [name] : [])));
    names.set(key, found);
  }
  return found;
}
