/**
 * Which architectures to value next. All of them value each one once only.
 * Sources: Real, Aggarwal, Huang and Le 2019, arXiv:1802.01548 (regularized evolution); Jones, Schonlau and Welch 1998
 * and White, Neiswanger and Savani 2021 (Bayesian optimization of codes); Knowles 2006 (random weights for several
 * objectives).
 */
import { power } from '../../../common/float.js';
import type { Rng } from '../../../common/rng.js';
import { quantile } from '../../solvers/distributions/normal.js';
import { shuffledRows } from '../validation/folds.js';
import type { Valued } from './measured.js';
import { keyOf, type Candidates, type Code } from './space.js';

/** Values architectures, each once. */
export interface Ledger {
  readonly valued: readonly Valued[];
  isKnown(code: Code): boolean;
  /** False: the budget or the time is up, and nothing was valued. */
  value(code: Code): boolean;
}

/** Draws that lead to nothing new before a sampler gives up. */
const PATIENCE = 2_000;

/** Null: none was found; then there is hardly one left. */
function unseen({ all, draw }: Candidates, ledger: Ledger, rng: Rng): Code | null {
  for (let k = 0; k < PATIENCE; k++) {
    const code = draw(rng);
    if (!ledger.isKnown(code)) return code;
  }
  return all?.find((code) => !ledger.isKnown(code)) ?? null;
}

export function sampleAll(codes: Iterable<Code>, ledger: Ledger): void {
  for (const code of codes) if (!ledger.value(code)) return;
}

export function sampleAtRandom(candidates: Candidates, ledger: Ledger, rng: Rng): void {
  const { all } = candidates;
  if (all !== null) return sampleAll(shuffled(all, rng), ledger);
  for (;;) {
    const code = unseen(candidates, ledger, rng);
    if (code === null || !ledger.value(code)) return;
  }
}

const shuffled = (all: readonly Code[], rng: Rng): Code[] => shuffledRows(all.length, rng).map((i) => all[i]);

/** One number from several objectives: the worst of the weighted shortfalls, and a little of all of them. */
function scoreWith(valued: readonly Valued[], rng: Rng): (one: Valued) => number {
  const width = valued[0].values.length;
  if (width === 1) return ({ values }) => values[0];
  const best = Array.from({ length: width }, (_, i) =>
    valued.reduce((a, { values }) => Math.max(a, values[i]), -Infinity),
  );
  const least = Array.from({ length: width }, (_, i) =>
    valued.reduce((a, { values }) => Math.min(a, values[i]), Infinity),
  );
  const weights = best.map(() => rng.uniform() + 1e-3);
  return ({ values }) => {
    const short = values.map((value, i) => (weights[i] * (best[i] - value)) / (best[i] - least[i] || 1));
    return 0 - Math.max(...short) - 0.05 * short.reduce((a, b) => a + b, 0);
  };
}

const POPULATION = 50;
const TOURNAMENT = 10;
const TRIES = 20;

/**
 * Evolution: a child differs in one digit from the best of some of the population; the oldest dies. The population
 * begins with what was valued already, and with chance.
 */
export function evolve(candidates: Candidates, ledger: Ledger, rng: Rng): void {
  while (ledger.valued.length < POPULATION) {
    const code = unseen(candidates, ledger, rng);
    if (code === null || !ledger.value(code)) return;
  }
  const population = ledger.valued.slice(-POPULATION);
  for (;;) {
    const score = scoreWith(population, rng);
    let parent = population[rng.below(population.length)];
    for (let k = 1; k < TOURNAMENT; k++) {
      const other = population[rng.below(population.length)];
      if (score(other) > score(parent)) parent = other;
    }
    let child: Code | null = null;
    for (let k = 0; k < TRIES && child === null; k++) {
      const code = candidates.mutate(parent.code, rng);
      if (code !== null && !ledger.isKnown(code)) child = code;
    }
    child ??= unseen(candidates, ledger, rng);
    if (child === null || !ledger.value(child)) return;
    const newest = ledger.valued.at(-1);
    if (newest === undefined) return;
    population.push(newest);
    population.shift();
  }
}

const FIRST = 20;
const STEP = 5;
/** Valued architectures that a model can be made of; the rest of a larger budget evolves. */
const MOST_MODELLED = 500;
const POOL = 2_000;
const SHORTLIST = 64;
/** Correlation of codes that differ in one digit more. */
const CORRELATION = 0.78;
const NOISE = 0.03;
const CURIOSITY = 0.7;

const differences = (a: Code, b: Code): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) sum++;
  return sum;
};

/** A Gaussian process over codes, of normal scores: what is far below the best is as far as its rank. */
class CodeModel {
  private readonly codes: Code[] = [];
  /** Rows of the Cholesky factor. */
  private readonly rows: Float64Array[] = [];
  private weights = new Float64Array(0);
  private readonly correlations: number[];

  constructor(digits: number) {
    this.correlations = Array.from({ length: digits + 1 }, (_, d) => (d === 0 ? 1 : power(CORRELATION, d)));
  }

  private solveLower(b: Float64Array): void {
    for (let i = 0; i < b.length; i++) {
      const row = this.rows[i];
      let sum = b[i];
      for (let k = 0; k < i; k++) sum -= row[k] * b[k];
      b[i] = sum / row[i];
    }
  }

  add(code: Code): void {
    const n = this.codes.length;
    const row = new Float64Array(n + 1);
    const own = Float64Array.from(this.codes, (other) => this.correlations[differences(code, other)]);
    this.solveLower(own);
    row.set(own);
    let rest = 1 + NOISE;
    for (const entry of own) rest -= entry * entry;
    row[n] = Math.sqrt(Math.max(rest, 1e-12));
    this.codes.push(code);
    this.rows.push(row);
  }

  fit(values: readonly number[]): void {
    const n = values.length;
    const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b] || a - b);
    const z = new Float64Array(n);
    for (const [rank, i] of order.entries()) z[i] = quantile((rank + 0.5) / n);
    this.solveLower(z);
    for (let i = n - 1; i >= 0; i--) {
      z[i] /= this.rows[i][i];
      for (let k = 0; k < i; k++) z[k] -= this.rows[i][k] * z[i];
    }
    this.weights = z;
  }

  mean(code: Code): number {
    let sum = 0;
    for (const [i, other] of this.codes.entries()) sum += this.weights[i] * this.correlations[differences(code, other)];
    return sum;
  }

  deviation(code: Code): number {
    const own = Float64Array.from(this.codes, (other) => this.correlations[differences(code, other)]);
    this.solveLower(own);
    let rest = 1;
    for (const entry of own) rest -= entry * entry;
    return Math.sqrt(Math.max(0, rest));
  }
}

/** Candidates for the next value: all where they are few, else relatives of the best and chance. */
function poolOf(candidates: Candidates, ledger: Ledger, best: readonly Valued[], rng: Rng): Code[] {
  const { all } = candidates;
  const pool = new Map<string, Code>();
  const offer = (code: Code | null): void => {
    if (code !== null && !ledger.isKnown(code)) pool.set(keyOf(code), code);
  };
  if (all !== null && all.length <= POOL) all.forEach(offer);
  else {
    for (let k = 0; k < POOL / 2; k++) {
      const parent = best[rng.below(best.length)];
      const child = candidates.mutate(parent.code, rng);
      offer(child);
      if (child !== null) offer(candidates.mutate(child, rng));
      offer(candidates.draw(rng));
    }
  }
  return [...pool.values()];
}

/** Values the codes of which a model expects most, or knows least. */
export function sampleByModel(candidates: Candidates, ledger: Ledger, rng: Rng, look: () => boolean): void {
  while (ledger.valued.length < FIRST) {
    const code = unseen(candidates, ledger, rng);
    if (code === null || !ledger.value(code)) return;
  }
  const model = new CodeModel(ledger.valued[0].code.length);
  let known = 0;
  while (ledger.valued.length < MOST_MODELLED) {
    if (look()) return;
    for (; known < ledger.valued.length; known++) model.add(ledger.valued[known].code);
    const score = scoreWith(ledger.valued, rng);
    const scores = ledger.valued.map(score);
    model.fit(scores);
    const order = scores.map((_, i) => i).sort((a, b) => scores[b] - scores[a] || a - b);
    const best = order.slice(0, 20).map((i) => ledger.valued[i]);
    const pool = poolOf(candidates, ledger, best, rng);
    if (pool.length === 0) {
      const code = unseen(candidates, ledger, rng);
      if (code === null || !ledger.value(code)) return;
      continue;
    }
    const shortlist = pool
      .map((code) => ({ code, mean: model.mean(code) }))
      .sort((a, b) => b.mean - a.mean)
      .slice(0, SHORTLIST)
      .map(({ code, mean }) => ({ code, hope: mean + CURIOSITY * model.deviation(code) }))
      .sort((a, b) => b.hope - a.hope)
      .slice(0, STEP);
    for (const { code } of shortlist) if (!ledger.value(code)) return;
  }
  evolve(candidates, ledger, rng);
}
