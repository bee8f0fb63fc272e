/**
 * Tree-structured Parzen estimator: the next setting is the one, of some that are drawn, at which good trials lie most
 * densely in comparison with the others. Each parameter has its own two densities, of the trials in which it is active.
 * Source: Bergstra, Bardenet, Bengio and Kégl, Algorithms for hyper-parameter optimization, NeurIPS 2011; weights and
 * widths after Watanabe, Tree-structured Parzen estimator, arXiv:2304.11127.
 *
 * Deviation: a finite list of settings (a table) is compared as a whole instead of by draws.
 */
import { exp, log } from '../../../common/float.js';
import type { Rng } from '../../../common/rng.js';
import type { Point, Space } from '../search-space/space.js';

/** Trials that are drawn before there is any density. */
const FIRST_TRIALS = 10;
const DRAWN = 32;
/** Share of the trials that are good, and how many at most. */
const GOOD_SHARE = 0.15;
const MOST_GOOD = 25;
const PRIOR_WEIGHT = 1;
/** Trials that the density of the others has at most, and settings of a list that are compared. */
const MOST_REST = 200;
const MOST_COMPARED = 2_000;

/** One parameter's density over shares of its axis, or over its choices. */
interface Density {
  logAt(value: number): number;
  draw(rng: Rng): number;
}

function overChoices(values: readonly number[], count: number): Density {
  const weights = new Float64Array(count).fill(PRIOR_WEIGHT / count);
  for (const value of values) weights[value]++;
  const total = values.length + PRIOR_WEIGHT;
  return {
    logAt: (value) => log(weights[value] / total),
    draw(rng) {
      let left = rng.uniform() * total;
      for (let k = 0; k < count - 1; k++) {
        left -= weights[k];
        if (left < 0) return k;
      }
      return count - 1;
    },
  };
}

/**
 * Normal kernels at the values and a uniform one; mass beyond the ends is reflected when drawn, ignored when compared.
 */
function overShares(values: readonly number[], levels: number): Density {
  const sorted = values.toSorted((a, b) => a - b);
  const narrowest = Math.max(1 / (2 * levels), 1 / (2 + 5 * values.length), 0.01);
  const widths = sorted.map((value, i) => {
    const gaps = [value - (sorted[i - 1] ?? 0), (sorted[i + 1] ?? 1) - value];
    return Math.min(0.5, Math.max(narrowest, ...gaps));
  });
  const total = sorted.length + PRIOR_WEIGHT;
  return {
    logAt(value) {
      let sum = PRIOR_WEIGHT;
      for (const [i, centre] of sorted.entries()) {
        const d = (value - centre) / widths[i];
        // 1 / sqrt(2 pi)
        sum += (0.3989422804014327 / widths[i]) * exp(-0.5 * d * d);
      }
      return log(sum / total);
    },
    draw(rng) {
      const k = Math.floor(rng.uniform() * total);
      if (k >= sorted.length) return rng.uniform();
      const value = sorted[k] + widths[k] * rng.normal();
      return Math.min(1, Math.max(0, value < 0 ? -value : value > 1 ? 2 - value : value));
    },
  };
}

interface RankedTrial {
  readonly point: Point;
}

/**
 * The next setting, not seen yet; null where there is none left. `ranked`: trials from best to worst. `pool`: all
 * settings that may be taken, where they are a list.
 */
export function nextByParzen(
  space: Space,
  ranked: readonly RankedTrial[],
  { isSeen, pool }: { isSeen(point: Point): boolean; readonly pool: readonly Point[] | null },
  rng: Rng,
): Point | null {
  if (ranked.length < FIRST_TRIALS) return unseenAtRandom(space, isSeen, pool, rng);
  const good = Math.min(MOST_GOOD, Math.max(2, Math.ceil(GOOD_SHARE * ranked.length)));
  const densities = space.axes.map((_, i) => {
    const of = (trials: readonly RankedTrial[]): Density => densityOf(space, i, trials);
    return { good: of(ranked.slice(0, good)), rest: of(thinned(ranked.slice(good), MOST_REST)) };
  });
  // Settings of a list share their values.
  const known = space.axes.map(() => new Map<number, number>());
  const gainOf = (i: number, value: number): number => {
    const at = space.axes[i].isCategorical ? value : space.shareOf(i, value);
    const gain = known[i].get(value) ?? densities[i].good.logAt(at) - densities[i].rest.logAt(at);
    known[i].set(value, gain);
    return gain;
  };
  const gain = (point: Point): number => {
    let sum = 0;
    for (let i = 0; i < point.length; i++) if (space.isActive(point, i)) sum += gainOf(i, point[i]);
    return sum;
  };
  const drawn =
    (pool === null || pool.length <= MOST_COMPARED ? pool : drawnFrom(pool, rng)) ??
    Array.from({ length: DRAWN }, () =>
      space.canonical(
        Float64Array.from(space.axes, ({ isCategorical }, i) => {
          const value = densities[i].good.draw(rng);
          return isCategorical ? value : space.valueOfShare(i, value);
        }),
      ),
    );
  let best: Point | null = null;
  let most = -Infinity;
  for (const point of drawn) {
    if (isSeen(point)) continue;
    const value = gain(point);
    if (value > most) [best, most] = [point, value];
  }
  return best ?? unseenAtRandom(space, isSeen, pool, rng);
}

const drawnFrom = (pool: readonly Point[], rng: Rng): Point[] =>
  Array.from({ length: MOST_COMPARED }, () => pool[rng.below(pool.length)]);

/** At most `most` of them, evenly spread. */
const thinned = <T>(items: readonly T[], most: number): readonly T[] =>
  items.length <= most ? items : Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]);

function densityOf(space: Space, i: number, trials: readonly RankedTrial[]): Density {
  const { isCategorical, levels } = space.axes[i];
  const values = trials.filter(({ point }) => space.isActive(point, i)).map(({ point }) => point[i]);
  if (isCategorical) return overChoices(values, levels);
  return overShares(
    values.map((value) => space.shareOf(i, value)),
    levels,
  );
}

const MOST_DRAWS = 1_000;

/** Null: all are seen, as far as draws can tell. */
export function unseenAtRandom(
  space: Space,
  isSeen: (point: Point) => boolean,
  pool: readonly Point[] | null,
  rng: Rng,
): Point | null {
  if (pool !== null) {
    const left = pool.filter((point) => !isSeen(point));
    return left.length === 0 ? null : left[rng.below(left.length)];
  }
  for (let k = 0; k < MOST_DRAWS; k++) {
    const point = space.sample(rng);
    if (!isSeen(point)) return point;
  }
  return null;
}
