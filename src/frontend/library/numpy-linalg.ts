/**
 * `numpy.linalg`: determinants, inverses and solutions of small systems.
 */

/** LAPACK takes reciprocals, and products in another order: a few units in the last place for each step. */
export const LAPACK_ULP = 8;

/** NumPy adds logarithms of the pivots, up to 745, and takes the exponential of the sum. */
export const DETERMINANT_ULP = 8 * 745;

/** Larger systems are faster in NumPy itself. */
export const MAX_SOLVE_SIZE = 12;
