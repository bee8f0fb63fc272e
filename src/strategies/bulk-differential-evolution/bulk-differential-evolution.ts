/**
 * Differential evolution in which an individual needs nothing but eight others: x is its point, t the best of six drawn
 * at random, a and b two more,
 *
 *     mutant = x + F (t - x) + F (a - b), crossed with x by CR
 *
 * Scale F and rate CR belong to the individual and are drawn anew, each with probability 0.1: Brest et al.,
 * "Self-adapting control parameters in differential evolution", IEEE TEC 10(6), 2006. The tournament stands for the
 * best share of the population in Zhang and Sanderson's current-to-pbest (JADE, IEEE TEC 13(5), 2009), and needs no
 * ranking. The rule at the bounds is JADE's.
 */
import { TILE_LANES, tiledStart } from '../../model/tiles.js';
import { PURPOSE, type GenerationProgram } from '../generations/generation-program.js';
import { indexBelow, uniform32, uniform53 } from '../generations/philox.js';

const TOURNAMENT = 6;
const RENEWAL = 0.1;
const LEAST_SCALE = 0.1;
const SCALE_RANGE = 0.9;
const FIRST_SCALE = 0.5;
const FIRST_RATE = 0.9;

export const bulkDifferentialEvolutionProgram: GenerationProgram = {
  name: 'bulk-differential-evolution',
  version: 1,
  /** Points, trials. */
  vectors: 2,
  /** Fitness of the points; scale and rate of the points; scale and rate of the trials. */
  scalars: 5,
  asked: 1,

  move(population, k) {
    const { n, size, words, generation } = population;
    const [points, trials] = population.vectors;
    const [fitness, scales, rates, trialScales, trialRates] = population.scalars;
    let e = tiledStart(k, n);
    if (generation === 0) {
      fitness[k] = Infinity;
      scales[k] = trialScales[k] = FIRST_SCALE;
      rates[k] = trialRates[k] = FIRST_RATE;
      for (let i = 0; i < n; i++, e += TILE_LANES) {
        if (i % 2 === 0) population.draw(k, i >> 1, PURPOSE.start);
        points[e] = trials[e] = uniform53(words[2 * (i % 2)], words[2 * (i % 2) + 1]);
      }
      return;
    }
    population.draw(k, 0, PURPOSE.parameters);
    const scale = uniform32(words[0]) < RENEWAL ? LEAST_SCALE + SCALE_RANGE * uniform32(words[1]) : scales[k];
    const rate = uniform32(words[2]) < RENEWAL ? uniform32(words[3]) : rates[k];
    trialScales[k] = scale;
    trialRates[k] = rate;
    population.draw(k, 0, PURPOSE.indices);
    let best = indexBelow(words[0], size);
    for (let j = 1; j < TOURNAMENT; j++) {
      if (j === 4) population.draw(k, 1, PURPOSE.indices);
      const other = indexBelow(words[j % 4], size);
      if (fitness[other] < fitness[best]) best = other;
    }
    let target = tiledStart(best, n);
    let plus = tiledStart(indexBelow(words[2], size), n);
    let minus = tiledStart(indexBelow(words[3], size), n);
    population.draw(k, 1, PURPOSE.parameters);
    const certain = indexBelow(words[0], n);
    for (let i = 0; i < n; i++) {
      if (i % 4 === 0) population.draw(k, i >> 2, PURPOSE.coordinates);
      const x = points[e];
      let trial = x;
      if (i === certain || uniform32(words[i % 4]) < rate) {
        trial = x + scale * (points[target] - x) + scale * (points[plus] - points[minus]);
        // Halfway to a bound that it would cross.
        if (trial < 0) trial = 0.5 * x;
        else if (trial > 1) trial = 0.5 * (1 + x);
      }
      trials[e] = trial;
      e += TILE_LANES;
      target += TILE_LANES;
      plus += TILE_LANES;
      minus += TILE_LANES;
    }
  },

  accept(population, k, value) {
    const { n } = population;
    const [points, trials] = population.vectors;
    const [fitness, scales, rates, trialScales, trialRates] = population.scalars;
    if (!(value <= fitness[k])) return;
    fitness[k] = value;
    scales[k] = trialScales[k]!;
    rates[k] = trialRates[k]!;
    for (let i = 0, e = tiledStart(k, n); i < n; i++, e += TILE_LANES) points[e] = trials[e]!;
  },
};
