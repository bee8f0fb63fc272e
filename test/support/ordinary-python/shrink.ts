/** Findings made small: statements and expressions are taken away as long as something of the same kind is wrong. */
import type { Comparer, Finding } from './compare.js';

const MAX_ROUNDS = 150;
/** Of one call of `reduce.py`. */
const STEP = 24;

interface Reduced {
  readonly variants: readonly string[];
  readonly shape: string;
  readonly places: number;
}

export async function shrink(comparer: Comparer, finding: Finding): Promise<{ finding: Finding; shape: string }> {
  let best = finding;
  let shape = '?';
  let first = 0;
  let last = 0;
  // Goes on where it was: what could not be taken away before is seldom possible one step later.
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const reduced = (await comparer.reducer.ask({ code: best.code, first })) as Partial<Reduced>;
    shape = reduced.shape ?? shape;
    const { variants = [], places = 0 } = reduced;
    const smaller = await firstLike(comparer, best, variants);
    if (smaller !== null) {
      best = smaller;
      last = first;
      continue;
    }
    first += STEP;
    if (first >= places) {
      if (last === 0) break;
      first = 0;
      last = 0;
    }
  }
  return { finding: best, shape };
}

async function firstLike(comparer: Comparer, finding: Finding, variants: readonly string[]): Promise<Finding | null> {
  const checked = await Promise.all(variants.map((code) => comparer.check({ ...finding.job, code }, false)));
  for (const found of checked) {
    const same = found.find((f) => f.kind === finding.kind && f.ending === finding.ending);
    if (same !== undefined) return same;
  }
  return null;
}
