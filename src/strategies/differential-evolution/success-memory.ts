/**
 * Which differential weights (F) and crossover rates (CR) worked: a ring of weighted Lehmer means over the successes of
 * past generations. Sources: Tanabe and Fukunaga, "Success-history based parameter adaptation for differential
 * evolution", CEC 2013 (SHADE), and its successor of CEC 2014 (L-SHADE: the terminal value); Brest, Maucec and
 * Boskovic, CEC 2017 (jSO: the mean with the old entry).
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';

/** An entry of CR that stays: nothing but crossover of a single coordinate worked. */
export const TERMINAL = -1;

export interface MemorySnapshot {
  /** [...F, ...CR] */
  readonly entries: string;
  readonly next: number;
}

export class SuccessMemory {
  readonly differentialWeights: Float64Array;
  readonly crossoverRates: Float64Array;
  /** The entry that is replaced next. */
  private next: number;

  constructor(
    readonly size: number,
    first: { readonly differentialWeight: number; readonly crossoverRate: number },
    snapshot?: MemorySnapshot,
  ) {
    const saved = snapshot === undefined ? null : decodeFloats(snapshot.entries, 2 * size);
    this.differentialWeights = saved?.slice(0, size) ?? new Float64Array(size).fill(first.differentialWeight);
    this.crossoverRates = saved?.slice(size) ?? new Float64Array(size).fill(first.crossoverRate);
    this.next = snapshot?.next ?? 0;
  }

  /**
   * Takes in the successes of one generation, the first `count` of each array. `gains`: by how much fitness fell, above
   * 0; Infinity where the parent had failed.
   */
  learn(differentialWeights: Float64Array, crossoverRates: Float64Array, gains: Float64Array, count: number): void {
    if (count === 0) return;
    let largest = 0;
    for (let k = 0; k < count; k++) if (gains[k] < Infinity && gains[k] > largest) largest = gains[k]!;
    let sumF = 0;
    let sumFF = 0;
    let sumCR = 0;
    let sumCRCR = 0;
    for (let k = 0; k < count; k++) {
      const weight = gains[k] < Infinity ? gains[k] / largest : 1;
      const f = differentialWeights[k];
      const cr = crossoverRates[k];
      sumF += weight * f;
      sumFF += weight * f * f;
      sumCR += weight * cr;
      sumCRCR += weight * cr * cr;
    }
    const { differentialWeights: memoryF, crossoverRates: memoryCR, next } = this;
    memoryF[next] = 0.5 * (memoryF[next] + sumFF / sumF);
    memoryCR[next] = memoryCR[next] === TERMINAL || sumCR === 0 ? TERMINAL : 0.5 * (memoryCR[next] + sumCRCR / sumCR);
    this.next = (next + 1) % this.size;
  }

  snapshot(): MemorySnapshot {
    const { size } = this;
    const entries = new Float64Array(2 * size);
    entries.set(this.differentialWeights);
    entries.set(this.crossoverRates, size);
    return { entries: encodeFloats(entries), next: this.next };
  }
}
