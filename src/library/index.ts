/**
 * The package as a library: what `import ... from 'extremum'` gives, and all that is stable of it
 * (docs/adr/0027-library.md). Start with `minimize`.
 */
export { ExtremumError } from '../common/errors.js';
export { maximize, minimize } from './minimize.js';
export type {
  BatchObjectiveFunction,
  Bounds,
  Failure,
  Finding,
  Improvement,
  ModuleObjective,
  ObjectiveFunction,
  Options,
  Progress,
  PythonObjective,
  Result,
  Verified,
} from './types.js';
