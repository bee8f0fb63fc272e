/** A matrix of candidates. Layout: row-major `[count, dimension]`; row `i` is `candidates[i*dimension ...]`. */
export interface CandidateBatch {
  readonly candidates: Float64Array;
  readonly count: number;
  readonly dimension: number;
}
