/** Statements that a run can prove about its result. */

/** No candidate inside the bounds has a lower fitness than `bound`, as the program is run. */
export interface Certificate {
  readonly bound: number;
  /** How it was shown, for people. */
  readonly proof: string;
}

/** The one that proves more. */
export const higher = (a: Certificate | null, b: Certificate | null): Certificate | null =>
  a === null || (b !== null && b.bound > a.bound) ? b : a;

/**
 * Largest gap of a proven optimum: absolute, or relative to a value above 10,000, where 1e-8 is but a few units in the
 * last place.
 */
const MAX_GAP = 1e-8;
const MAX_RELATIVE_GAP = 1e-12;

/** Whether a fitness is as low as any, but for the gap that counts as none. */
export const isProven = (fitness: number, bound: number): boolean =>
  Number.isFinite(fitness) && fitness - bound <= provenGap(fitness);

/** Gap below which `fitness` is as low as any. */
export const provenGap = (fitness: number): number => Math.max(MAX_GAP, MAX_RELATIVE_GAP * Math.abs(fitness));

/**
 * How good the reported value is. `optimal`: within the gap that counts as none of every other; `feasible`: a bound is
 * known; `heuristic`: none is. Values in the objective's own direction.
 */
export interface Optimality {
  readonly status: 'optimal' | 'feasible' | 'heuristic';
  /** No value of the objective inside the bounds is better. */
  readonly bound: number | null;
  /** Distance of the reported value from the bound; not negative. */
  readonly gap: number | null;
  /** How it was shown. */
  readonly proof: string | null;
}
