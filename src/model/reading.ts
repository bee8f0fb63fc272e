/**
 * How the program of an objective is run for one row of a batch. A row of any reading is one evaluation. All but
 * `value` are of the function that is minimised (of -f when the run maximises f).
 *
 * | reading | a row is | its results |
 * | --- | --- | --- |
 * | `value` | x [n] | f |
 * | `terms` | x [n] | f, then the terms that the structure of the program names [T] |
 * | `residuals` | x [n] | f, then the residuals r [m] of its least-squares form |
 * | `gradient` | x [n] | f, then df/dx [n] |
 * | `tangents` | x [n], direction v [n] | f, then the derivatives of the residuals along v [m] |
 * | `bounds` | lower [n], upper [n] | a lower bound of f over the box, then an upper bound |
 * | `envelope` | lower [n], upper [n] | a number between these bounds, then its derivatives by the ends [2 n] |
 * | `switches` | x [n], shifts [m], weights [m], share | share f + weights z, then its derivatives by all of these |
 *
 * `switches`: z [m] are the numbers whose signs decide where f bends or jumps (`passes/switches`); shifts are 0.
 * Gradients and tangents are asked for at points whose value has been evaluated: the f that comes with them is not a
 * free value. Results of a row that has none (an exception, no slope) are NaN.
 */
export type Reading = 'value' | 'terms' | 'residuals' | 'gradient' | 'tangents' | 'bounds' | 'envelope' | 'switches';

/** A program of its own, made from the objective's. */
export type DerivedReading = Exclude<Reading, 'value'>;

/** Whether a row is a box: its lower corner, then its upper one. */
export const isOfBox = (reading: Reading): boolean => reading === 'bounds' || reading === 'envelope';

/** Numbers in a row of candidates that has so many results besides the first. */
export const rowLength = (reading: Reading, n: number, results: number): number =>
  reading === 'switches' ? results : reading === 'tangents' || isOfBox(reading) ? 2 * n : n;

/** Whether a row is a candidate, whose value may become the best one. */
export const isValued = (reading: Reading): boolean =>
  reading === 'value' || reading === 'terms' || reading === 'residuals';

/** Number m of switches of a program of x [n] that is read for `switches` with so many results besides the first. */
export const switchCount = (n: number, results: number): number => (results - n - 1) / 2;
