/**
 * Facts about this interpreter's modules, for those who compile. Each module is asked for once, in a process confined
 * like one that loads an objective (`facts_of` in python/worker.py). Answers are remembered for the life of the
 * service: a package that is installed meanwhile is seen after a restart.
 */
import { createHash } from 'node:crypto';
import type { InterpreterFacts, ModuleFacts } from '../../model/interpreter-facts.js';
import type { ModuleAnswer, ModuleQuestion, ModuleQuestions } from './protocol.js';

const ASK_WITHIN_MS = 20_000;
/** Questions at a time: an import may take long. */
const MOST_ASKED_AT_ONCE = 2;
const MOST_MODULES_OF_A_SOURCE = 100;
const MOST_MODULES = 2_000;
const MOST_SOURCES = 200;
/** Names that one module was asked for. */
const MOST_ASKED = 5_000;

interface Module {
  readonly raises: string | null;
  readonly names: ReadonlySet<string>;
  /** It has no other names. */
  readonly isClosed: boolean;
  /** Modules inside of it that were asked for. Whether they are attributes is open. */
  readonly parts: ReadonlySet<string>;
  /** Names that it was asked for, as attributes and as parts: it does not have those that it did not name. */
  readonly askedMembers: ReadonlySet<string>;
  readonly askedParts: ReadonlySet<string>;
}

type Ask = (wanted: ModuleQuestions, withinMs: number) => Promise<ReadonlyMap<string, ModuleAnswer>>;

export class ModuleFactsOfInterpreter {
  private readonly ask: Ask;
  private readonly modules = new Map<string, Module>();
  /** Newest last. */
  private readonly sources = new Map<string, Promise<InterpreterFacts>>();
  private readonly waiting: (() => void)[] = [];
  private asking = 0;

  constructor(ask: Ask) {
    this.ask = ask;
  }

  /** Never rejects: what cannot be found out is missing. */
  of(code: string): Promise<InterpreterFacts> {
    const known = this.sources.get(code);
    this.sources.delete(code);
    const facts = known ?? this.find(code);
    this.sources.set(code, facts);
    if (this.sources.size > MOST_SOURCES) this.sources.delete(this.sources.keys().next().value ?? '');
    return facts;
  }

  private async find(code: string): Promise<InterpreterFacts> {
    const { modules, members, words } = namesIn(code);
    const paths = [...modules.keys()].slice(0, MOST_MODULES_OF_A_SOURCE);
    const wanted = new Map(
      paths.flatMap((path) => {
        const question = this.questionOf(path, [...members], [...modules.get(path)!]);
        return question === null ? [] : [[path, question] as const];
      }),
    );
    if (wanted.size > 0) await this.learn(wanted);
    const facts = Object.fromEntries(
      paths.flatMap((path): [string, ModuleFacts][] => {
        const module = this.modules.get(path);
        return module === undefined ? [] : [[path, factsFor(module, words)]];
      }),
    );
    const key = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
    return { key, modules: facts };
  }

  /** Question that is still open about a module; null: none is. */
  private questionOf(path: string, members: readonly string[], wantedParts: readonly string[]): ModuleQuestion | null {
    const module = this.modules.get(path);
    if (module === undefined) return { members, parts: wantedParts };
    if (module.raises !== null) return null;
    const { names, isClosed, parts, askedMembers, askedParts } = module;
    const open = {
      members: isClosed
        ? []
        : members.filter((name) => !names.has(name) && !parts.has(name) && !askedMembers.has(name)),
      parts: wantedParts.filter((name) => !names.has(name) && !parts.has(name) && !askedParts.has(name)),
    };
    return open.members.length + open.parts.length === 0 ? null : open;
  }

  private async learn(wanted: ModuleQuestions): Promise<void> {
    if (this.asking >= MOST_ASKED_AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.asking++;
    try {
      const answers = await this.ask(wanted, ASK_WITHIN_MS);
      for (const [path, answer] of answers) {
        const asked = wanted.get(path);
        if (asked !== undefined) this.note(path, asked, answer);
      }
    } catch {
      // Nothing is known, and the source goes to CPython, which shows what is wrong.
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.asking--;
      else next();
    }
  }

  private note(path: string, { members, parts }: ModuleQuestion, answer: ModuleAnswer): void {
    const before = this.modules.get(path);
    const all = (old: ReadonlySet<string> = new Set(), more: readonly string[] = []): ReadonlySet<string> =>
      new Set(old.size > MOST_ASKED ? more : [...old, ...more]);
    this.modules.delete(path);
    this.modules.set(path, {
      raises: answer.raises,
      names: all(before?.names, answer.raises === null ? answer.names : []),
      isClosed: answer.raises === null && answer.isClosed,
      parts: all(before?.parts, answer.raises === null ? answer.parts : []),
      askedMembers: all(before?.askedMembers, members),
      askedParts: all(before?.askedParts, parts),
    });
    if (this.modules.size > MOST_MODULES) this.modules.delete(this.modules.keys().next().value ?? '');
  }
}

function factsFor(module: Module, words: ReadonlySet<string>): ModuleFacts {
  const { raises, names, isClosed, parts, askedMembers } = module;
  if (raises !== null) return { raises, has: [], lacks: [], parts: [] };
  const sorted = [...words].sort();
  return {
    raises,
    has: sorted.filter((word) => names.has(word)),
    lacks: sorted.filter((word) => !names.has(word) && !parts.has(word) && (isClosed || askedMembers.has(word))),
    parts: sorted.filter((word) => parts.has(word)),
  };
}

const DOTTED = '[A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*)*';
const FROM = new RegExp(`\\bfrom[ \\t]+(${DOTTED})[ \\t]+import\\b[ \\t]*(\\([^)]*\\)|[^\\n;#]*)`, 'g');
const IMPORT = new RegExp(`\\bimport[ \\t]+(${DOTTED}[^\\n;#]*)`, 'g');
const DOTTED_ONLY = new RegExp(`^${DOTTED}$`);

/**
 * Modules that a source may import, names that it may want of them, and all its words. By its text: what is found too
 * much is asked for nothing, what is missed is not known and not compiled.
 */
function namesIn(code: string): {
  /** Modules with the names that are imported from them. */
  readonly modules: ReadonlyMap<string, ReadonlySet<string>>;
  readonly members: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
} {
  const modules = new Map<string, Set<string>>();
  const partsOf = (path: string): Set<string> => {
    const parts = modules.get(path) ?? new Set<string>();
    modules.set(path, parts);
    return parts;
  };
  const members = new Set<string>();
  const rest = code.replace(FROM, (_all, path: string, names: string) => {
    const parts = partsOf(path);
    for (const [name] of names.matchAll(/[A-Za-z_]\w*/g)) parts.add(name);
    parts.forEach((name) => members.add(name));
    return '';
  });
  for (const [, list] of rest.matchAll(IMPORT)) {
    for (const part of list.split(',')) {
      const [path] = part.trim().split(/\s+/);
      if (DOTTED_ONLY.test(path)) partsOf(path);
    }
  }
  for (const [, attribute, quoted] of code.matchAll(/\.\s*([A-Za-z_]\w*)|["']([A-Za-z_]\w*)["']/g)) {
    members.add(attribute ?? quoted);
  }
  return { modules, members, words: new Set(code.match(/[A-Za-z_]\w*/g)) };
}
