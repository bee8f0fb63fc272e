/** Limits and costs that several kinds of search share. */
import type { SearchContext } from './search.js';

/** The largest that the service takes. */
export const LARGEST_DIMENSION = 10_000;
/** Full matrices: O(n^2) memory, O(n^3) time a step. */
export const MAX_MATRIX_DIMENSION = 200;

/** Operations for each evaluation: a few passes over vectors. */
export const linearCost = ({ n }: SearchContext): number => 10 * n;
/** A few products with n x n matrices, and a factorisation, for the n + 3 evaluations of a step. */
export const quadraticCost = ({ n }: SearchContext): number => 20 * n * n;
