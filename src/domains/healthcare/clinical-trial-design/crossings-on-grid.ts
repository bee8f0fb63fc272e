/**
 * Crossing probabilities by Simpson's rule on an even grid of z: slower and cruder than `crossings` (about 1e-6), and
 * by another way, to check it.
 */
import { density, tail } from '../../solvers/distributions/normal.js';
import type { Boundaries, Crossings } from './recursive-integration.js';

const FAR = 8;

export function crossingsOnGrid({ times, upper, lower }: Boundaries, theta: number): Crossings {
  const above: number[] = [];
  const below: number[] = [];
  let [z, mass, before]: [number[], number[], number] = [[0], [1], 0];
  for (const [k, t] of times.entries()) {
    const [mean, step] = [theta * (t - before), Math.sqrt(t - before)];
    const away = (to: number, from: number): number => (to * Math.sqrt(t) - from * Math.sqrt(before) - mean) / step;
    const sum = (f: (from: number) => number): number => z.reduce((all, from, i) => all + mass[i] * f(from), 0);
    above.push(sum((from) => tail(away(upper[k], from))));
    below.push(lower[k] === -Infinity ? 0 : sum((from) => tail(-away(lower[k], from))));
    const next = times[k + 1];
    if (next === undefined) break;
    const middle = theta * Math.sqrt(t);
    const low = Math.max(lower[k], middle - FAR);
    const high = Math.min(upper[k], middle + FAR);
    if (!(high > low)) {
      [z, mass, before] = [[], [], t];
      continue;
    }
    const finest = Math.min(step, Math.sqrt(next - t)) / Math.sqrt(t) / 6;
    const count = 2 * Math.ceil((high - low) / Math.min(0.1, finest) / 2);
    const h = (high - low) / count;
    const nodes = Array.from({ length: count + 1 }, (_, i) => low + i * h);
    const scale = Math.sqrt(t) / step;
    mass = nodes.map((to, i) => {
      const weight = (h / 3) * (i === 0 || i === count ? 1 : i % 2 === 1 ? 4 : 2);
      return weight * scale * sum((from) => density(away(to, from)));
    });
    [z, before] = [nodes, t];
  }
  return { above, below };
}
