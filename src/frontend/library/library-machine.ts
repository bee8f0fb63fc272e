/**
 * The machine with what the library keeps itself.
 */
import type { ArrayMachine } from '../arrays/array-machine.js';
import type { Value } from '../values/values.js';
import type { KnownModules } from './importing.js';
import type { RandomNumbers } from './random-numbers.js';

export interface LibraryMachine extends ArrayMachine {
  readonly random: RandomNumbers;
  /** What import statements do. */
  readonly modules: KnownModules;
  /** Those that `written-in-python.ts` has made. */
  readonly libraryClasses: Map<string, Value>;
}
