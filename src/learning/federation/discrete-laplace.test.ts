import { describe, expect, it } from 'vitest';
import { Rng } from '../../common/rng.js';
import { discreteLaplace } from './discrete-laplace.js';

describe('noise on integers', () => {
  it.each([
    [1, 1],
    [1, 4],
    [3, 2],
    [7, 1024],
  ])('has the probabilities of rate %d/%d', (numerator, denominator) => {
    const rng = Rng.create(7);
    const draws = 40_000;
    const counts = new Map<number, number>();
    let sum = 0;
    let squares = 0;
    for (let k = 0; k < draws; k++) {
      const x = discreteLaplace(numerator, denominator, (below) => rng.below(below));
      counts.set(x, (counts.get(x) ?? 0) + 1);
      sum += x;
      squares += x * x;
    }
    const q = Math.exp(-numerator / denominator);
    const variance = (2 * q) / (1 - q) ** 2;
    // Six standard errors; the fourth moment of the noise is about six times the square of its variance, plus its
    // variance.
    expect(Math.abs(sum / draws)).toBeLessThan(6 * Math.sqrt(variance / draws));
    expect(Math.abs(squares / draws - variance)).toBeLessThan(
      6 * Math.sqrt((5 * variance * variance + variance) / draws),
    );
    for (const x of [-3, -2, -1, 0, 1, 2, 3]) {
      const p = ((1 - q) / (1 + q)) * q ** Math.abs(x);
      const error = Math.sqrt((p * (1 - p)) / draws);
      expect(Math.abs((counts.get(x) ?? 0) / draws - p)).toBeLessThan(6 * error);
    }
  });

  it('begins anew where it would be a negative zero', () => {
    const scripted = (...draws: number[]) => {
      let at = 0;
      return (): number => draws[at++] ?? expect.fail('more draws than were foreseen');
    };
    // u is 0 and accepted, exp(-1) refused in two draws, then the sign.
    expect(discreteLaplace(1, 1, scripted(0, 0, 0, 1, 0))).toBe(0);
    expect(discreteLaplace(1, 1, scripted(0, 0, 0, 1, 1, 0, 0, 0, 1, 0))).toBe(0);
    // exp(-1) accepted once, in three draws.
    expect(discreteLaplace(1, 1, scripted(0, 0, 0, 0, 2, 0, 1, 1))).toBe(-1);
  });
});
