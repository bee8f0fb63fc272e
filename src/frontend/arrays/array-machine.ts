/**
 * The machine with the operations on arrays.
 */
import type { Machine } from '../machine/machine.js';
import type { ArrayOps } from './arrays.js';
import type { BulkArrays } from './bulk-arrays.js';
import type { BulkOps } from './bulk.js';
import type { ComplexOps } from './complex.js';

export interface ArrayMachine extends Machine {
  readonly arrays: ArrayOps;
  readonly complex: ComplexOps;
  /** Large lists and arrays. */
  readonly bulk: BulkOps;
  readonly bulkArrays: BulkArrays;
}
