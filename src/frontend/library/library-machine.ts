/**
 * The machine with what the library keeps itself.
 */
import type { ArrayMachine } from '../arrays/array-machine.js';
import type { Value } from '../values/values.js';
import type { KnownModules } from './importing.js';

export interface LibraryMachine extends ArrayMachine {
  readonly random: {
    /** A member of Python's `random`, or of `numpy.random`; undefined: not translated. */
    member(library: 'python' | 'numpy', name: string): Value | undefined;
  };
  /** Effects of import statements. */
  readonly modules: KnownModules;
  /** Those that `written-in-python.ts` has made. */
  readonly libraryClasses: Map<string, Value>;
}
