/**
 * A candidate beyond those that a search asks for: near where a quadratic model of the points around the best one has
 * its minimum. How many points, how far, and how much beside it, is drawn, so that several such candidates differ.
 * Figures: docs/adr/0045-side-by-side.md.
 */
import { power } from '../../common/float.js';
import type { Rng } from '../../common/rng.js';
import { coefficientCount, type PolynomialKind } from '../../linalg/quadratic-fit.js';
import { modelKind, pointsToFit, QuadraticModel } from './quadratic-model.js';
import type { Archive } from './archive.js';

/** Share of the candidates that look elsewhere. */
const ELSEWHERE = 0.1;
/** Beyond it a fit takes too long beside objectives that are worth it. */
const MAX_DIMENSION = 40;
/** Points per coefficient of the model, least and most. */
const LEAST_POINTS = 1.1;
const MOST_POINTS = 3.3;
/** Of the models with a full matrix, how many have the diagonal alone: they need fewer points, and stay close. */
const PLAINER = 0.3;
/** Longest step to the minimum, in units of how far the points lie. */
const LONGEST = [0.25, 2] as const;
/** How far beside the minimum, as a share of the step. */
const BESIDE = [1e-3, 0.3] as const;
const CLOSEST = 1e-14;

/** Even over the orders of magnitude. */
const between = (rng: Rng, [low, high]: readonly [number, number]): number => low * power(high / low, rng.uniform());

/**
 * [n] in the unit box; null: the points carry no model, the candidate is one that looks elsewhere, or it would be one
 * of the points.
 */
export function modelPoint(archive: Archive, rng: Rng): Float64Array | null {
  const { n, points } = archive;
  if (rng.uniform() < ELSEWHERE || n > MAX_DIMENSION) return null;
  const nearest = nearestToBest(archive);
  const richest = modelKind(n, nearest.length);
  if (richest === null) return null;
  const kind: PolynomialKind = richest === 'full' && rng.uniform() < PLAINER ? 'diagonal' : richest;
  const size = coefficientCount[kind](n);
  const least = Math.ceil(LEAST_POINTS * size);
  const most = Math.min(nearest.length, Math.ceil(MOST_POINTS * size));
  const chosen = nearest.slice(0, least + Math.floor(rng.uniform() * (most - least + 1)));
  const centre = nearest[0].entry * n;
  const reach = Math.sqrt(chosen[chosen.length - 1].squared);
  if (!(reach > CLOSEST)) return null;

  const z = new Float64Array(chosen.length * n);
  chosen.forEach(({ entry }, row) => {
    for (let i = 0; i < n; i++) z[row * n + i] = (points[entry * n + i] - points[centre + i]) / reach;
  });
  const fitness = Float64Array.from(chosen, ({ entry }) => archive.fitness[entry]);
  const ranked = Int32Array.from(chosen, (_, row) => row).sort((a, b) => fitness[a] - fitness[b] || a - b);
  const rows = ranked.subarray(0, pointsToFit(kind, n, chosen.length));
  const model = QuadraticModel.fit(kind, n, { count: rows.length, rows, z, fitness });
  if (model === null) return null;
  const step = model.minimum(between(rng, LONGEST));
  const length = Math.sqrt(step.reduce((sum, value) => sum + value * value, 0));
  if (!(length > 0 && length < Infinity)) return null;
  const beside = (between(rng, BESIDE) * length) / Math.sqrt(n);
  const point = step.map((along, i) => {
    const value = points[centre + i] + reach * (along + beside * rng.normal());
    return Math.min(1, Math.max(0, value));
  });
  const isThere = nearest.some(({ entry }) => point.every((u, i) => u === points[entry * n + i]));
  return isThere ? null : point;
}

/** Entries of finite fitness, the best first, then by their distance to it. */
function nearestToBest(archive: Archive): { readonly entry: number; readonly squared: number }[] {
  const { size, fitness, best } = archive;
  const centre = archive.bestPoint();
  if (centre === null) return [];
  const found: { entry: number; squared: number }[] = [];
  for (let entry = 0; entry < size; entry++) {
    if (fitness[entry] < Infinity && entry !== best)
      found.push({ entry, squared: archive.squaredDistance(entry, centre) });
  }
  found.sort((a, b) => a.squared - b.squared || a.entry - b.entry);
  return [{ entry: best, squared: 0 }, ...found];
}
