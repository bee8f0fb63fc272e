/**
 * Which candidates of a run are to be confirmed. The seed and the number of the evaluation alone decide, never time,
 * the budget or an earlier check: the same run checks the same points, whole, resumed or extended.
 *
 * - By chance: candidate e with probability 2/e, so about 14 of the first 1,000, and as many of the last half as of the
 *   half before.
 * - By outcomes: the first candidate of each pattern of branch outcomes, up to 48 patterns; then one new pattern for
 *   each doubling of the evaluations, up to 64, so that a branch that only the end of a long run takes is seen, too.
 */
import type { SamplerState } from '../model/verification.js';

/** Patterns that are taken as they come. */
const FREE_PATTERNS = 48;
export const MAX_PATTERNS = 64;
/** Expected points by chance: this times the logarithm of the evaluations. */
const CHANCE = 2;
/** So many first candidates are all asked for their pattern, unless a program is large. */
const DENSE_EVALUATIONS = 4096;
/** Size of a program beyond which fewer candidates are asked, so that asking costs no more than at this size. */
const USUAL_VALUES = 2000;
const LEAST_DENSE = 64;

const Salt = { chance: 0x3c6ef372, pattern: 0x1b873593 } as const;

export class PointSampler {
  private readonly patterns: Set<number>;
  private readonly chosen: Set<number>;
  private latest: number;
  private readonly seedLow: number;
  private readonly seedHigh: number;

  constructor(
    seed: number,
    /** Each of the first so many candidates is asked for its pattern. */
    private readonly dense = DENSE_EVALUATIONS,
    state: SamplerState = { patterns: [], latest: 0, taken: [] },
  ) {
    this.seedLow = seed | 0;
    this.seedHigh = Math.floor(seed / 2 ** 32) | 0;
    this.patterns = new Set(state.patterns);
    this.chosen = new Set(state.taken);
    this.latest = state.latest;
  }

  /** Whether candidate `evaluation` (from 1) is to be taken whatever its pattern. */
  isByChance(evaluation: number): boolean {
    return this.draw(evaluation, Salt.chance) * evaluation < CHANCE;
  }

  /** Whether the pattern of candidate `evaluation` is looked at: all at first, then with falling density. */
  asksForPattern(evaluation: number): boolean {
    if (evaluation <= this.dense) return true;
    return this.draw(evaluation, Salt.pattern) * evaluation < this.dense;
  }

  /**
   * Whether the candidate is taken for its pattern, and was not taken before. To be asked in the order of evaluations.
   */
  takesByPattern(evaluation: number, pattern: number): boolean {
    const { patterns } = this;
    if (patterns.has(pattern) || patterns.size >= MAX_PATTERNS) return false;
    if (patterns.size >= FREE_PATTERNS && evaluation < 2 * this.latest) return false;
    patterns.add(pattern);
    this.latest = evaluation;
    return this.take(evaluation);
  }

  /** False: it was taken before. */
  take(evaluation: number): boolean {
    if (this.chosen.has(evaluation)) return false;
    this.chosen.add(evaluation);
    return true;
  }

  state(): SamplerState {
    return { patterns: [...this.patterns], latest: this.latest, taken: [...this.chosen] };
  }

  /** Uniform in [0, 1), from seed and number: the finaliser of MurmurHash3 (Appleby), chained. */
  private draw(evaluation: number, salt: number): number {
    let hash = mix(this.seedLow ^ salt);
    hash = mix(hash ^ this.seedHigh);
    hash = mix(hash ^ (evaluation | 0));
    hash = mix(hash ^ (Math.floor(evaluation / 2 ** 32) | 0));
    return (hash >>> 0) / 2 ** 32;
  }
}

/** Number of first candidates that are all asked for their pattern, in a program of so many values. */
export const denseEvaluations = (values: number): number =>
  Math.max(LEAST_DENSE, Math.min(DENSE_EVALUATIONS, Math.floor((DENSE_EVALUATIONS * USUAL_VALUES) / values)));

function mix(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}
