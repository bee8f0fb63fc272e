/** Candidates as places take them: a coordinate of all of them side by side. */
import { candidateStart, candidateStride, type CandidateBatch } from '../../model/candidate-batch.js';

/** Writes `of` coordinate `k` of each candidate to `column`, and of the last one to what is left of it. */
export function fillColumn(
  batch: CandidateBatch,
  k: number,
  of: (number: number) => number,
  column: Float32Array,
): void {
  const { candidates, count } = batch;
  const at = k * candidateStride(batch);
  for (let i = 0; i < count; i++) column[i] = of(candidates[candidateStart(batch, i) + at]);
  column.fill(column[count - 1], count);
}
