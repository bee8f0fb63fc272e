import { describe, expect, it } from 'vitest';
import { compare } from './comparison.js';

const at = (evaluations: number, bestFitness: number) => ({ evaluations, bestFitness, elapsedSeconds: 0 });

describe('a replay compared with its original', () => {
  it('is better where its best value is lower, and matches where its history first reached the other', () => {
    const history = [at(1, 9), at(5, 4), at(9, 2)];
    expect(compare('minimize', 4, 2, history)).toEqual({
      bestFitnessDifference: -2,
      evaluationsToMatch: 5,
      isBetter: true,
    });
    expect(compare('minimize', 1, 2, history)).toEqual({
      bestFitnessDifference: 1,
      evaluationsToMatch: null,
      isBetter: false,
    });
  });

  it('goes by higher values where those are wanted', () => {
    const history = [at(1, 1), at(7, 6)];
    expect(compare('maximize', 5, 6, history)).toEqual({
      bestFitnessDifference: 1,
      evaluationsToMatch: 7,
      isBetter: true,
    });
  });

  it('has no difference where one of them found nothing, and any value beats none', () => {
    expect(compare('minimize', null, 3, [at(4, 3)])).toEqual({
      bestFitnessDifference: null,
      evaluationsToMatch: 4,
      isBetter: true,
    });
    expect(compare('minimize', 3, null, [])).toEqual({
      bestFitnessDifference: null,
      evaluationsToMatch: null,
      isBetter: false,
    });
    expect(compare('minimize', null, null, [])).toMatchObject({ isBetter: false });
  });
});
