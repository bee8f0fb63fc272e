/**
 * One row of a table of NumPy: a function, and all that is known of it besides what it gives. Where a trait is missing
 * the careful answer holds: `out=` is refused, and so is what only CPython knows the exception of.
 */
import type { Call, Value } from '../values/values.js';
import type { LibraryMachine } from './library-machine.js';

export type Implementation = (ev: LibraryMachine, call: Call) => Value;

export interface Traits {
  /** It works on each element: `out=` and `where=` are done for it. */
  readonly elementwise?: boolean;
  /** It gives two arrays, so that `out=` is a pair. */
  readonly pair?: boolean;
  /** It is known what it raises first where its arguments do not fit. */
  readonly raises?: boolean;
  /** It makes numbers of few bits from truth values, floats with eleven bits or integers with eight: refused. */
  readonly narrow?: boolean;
  /** It gives the same whatever the order of the elements of a vector, or of a pair. */
  readonly orderless?: 'always' | 'of pairs';
  /** Arrays have a method of the same name, which is this function of the array and the other arguments. */
  readonly method?: boolean;
}

export type NumPyFunction = Implementation & { readonly traits?: Traits };

/** A row with traits; one without is the implementation alone. */
export const row = (call: Implementation, traits: Traits): NumPyFunction =>
  Object.assign<Implementation, { readonly traits: Traits }>((ev, given) => call(ev, given), { traits });

export const UFUNC: Traits = { elementwise: true, raises: true };
export const NARROW_UFUNC: Traits = { ...UFUNC, narrow: true };
export const TAKES_OUT: Traits = { elementwise: true };
export const RAISES: Traits = { raises: true };
export const NARROW: Traits = { narrow: true };
export const METHOD: Traits = { method: true };
