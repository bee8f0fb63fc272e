/**
 * The narrow interface through which library and arrays reach the evaluator.
 */

/**
 * Which loops with a static count stay rolled: those that would be large, all that can, or none. Only time and size
 * depend on it.
 */
export type Roll = 'auto' | 'always' | 'never';
