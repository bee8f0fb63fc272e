/**
 * Facts about the modules that a source names, told by the interpreter that evaluates the source where compiled code
 * does not.
 */
export interface InterpreterFacts {
  /** Two of the same key are alike. */
  readonly key: string;
  /** By dotted path. What is not here is not known. */
  readonly modules: Readonly<Record<string, ModuleFacts>>;
}

export interface ModuleFacts {
  /** Class of the exception that importing it raises in a worker; null: it can be imported. */
  readonly raises: string | null;
  /** Names of the source that the module has, and those that it does not have. Others are not known. */
  readonly has: readonly string[];
  readonly lacks: readonly string[];
  /**
   * Modules inside of it, which `from module import name` finds. Whether they are attributes depends on what has been
   * imported, so they are neither among those that it has nor among those that it lacks.
   */
  readonly parts: readonly string[];
}

/** Packages that compiled code stands for where an interpreter has none. */
export type StoodFor = 'numpy' | 'scipy';

/** Name of the package that CPython lacks, by the exception that it raised; null: it says nothing of that. */
export function lackedPackage({ type, message }: { readonly type: string; readonly message: string }): StoodFor | null {
  if (type !== 'ImportError' && type !== 'ModuleNotFoundError') return null;
  return (/\b(numpy|scipy)\b/i.exec(message)?.[1]?.toLowerCase() as StoodFor | undefined) ?? null;
}
