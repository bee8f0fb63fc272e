/**
 * A particle swarm in which a particle needs nothing but its informants: three particles drawn anew for every move.
 * With x the particle, p its personal best, l the best of p and its informants' bests, and uniform u, u' for each
 * coordinate,
 *
 *     v <- w v + c u (p - x) + c u' (l - x), x <- x + v
 *
 * The last term is missing where l is p. Source of w, c and the three informants: Clerc, "Standard Particle Swarm
 * Optimisation" (SPSO-2007), HAL hal-00764996, 2012. There informants are drawn only after steps without success; here
 * they are for every move, so that no particle depends on all others.
 */
import { TILE_LANES, tiledStart } from '../../model/tiles.js';
import { PURPOSE, type GenerationProgram } from '../generations/generation-program.js';
import { indexBelow, uniform32, uniform53 } from '../generations/philox.js';

/** 1 / (2 ln 2) */
const INERTIA = 0.7213475204444817;
/** 1/2 + ln 2 */
const ATTRACTION = 1.1931471805599454;
const INFORMANTS = 3;

export const bulkParticleSwarmProgram: GenerationProgram = {
  name: 'bulk-particle-swarm',
  version: 1,
  /** Positions, velocities, personal bests. */
  vectors: 3,
  /** Fitness of the personal bests. */
  scalars: 1,
  asked: 0,

  move(population, k) {
    const { n, size, words, generation } = population;
    const [positions, velocities, bests] = population.vectors;
    const [fitness] = population.scalars;
    let e = tiledStart(k, n);
    if (generation === 0) {
      fitness[k] = Infinity;
      for (let i = 0; i < n; i++, e += TILE_LANES) {
        population.draw(k, i, PURPOSE.start);
        const x = uniform53(words[0], words[1]);
        positions[e] = bests[e] = x;
        // Into a random point of the box: no particle begins by leaving it.
        velocities[e] = uniform53(words[2], words[3]) - x;
      }
      return;
    }
    population.draw(k, 0, PURPOSE.indices);
    let leader = k;
    for (let j = 0; j < INFORMANTS; j++) {
      const other = indexBelow(words[j], size);
      if (fitness[other] < fitness[leader]) leader = other;
    }
    const social = leader === k ? 0 : ATTRACTION;
    let leading = tiledStart(leader, n);
    for (let i = 0; i < n; i++, e += TILE_LANES, leading += TILE_LANES) {
      if (i % 2 === 0) population.draw(k, i >> 1, PURPOSE.coordinates);
      const own = ATTRACTION * uniform32(words[2 * (i % 2)]);
      const others = social * uniform32(words[2 * (i % 2) + 1]);
      const x = positions[e];
      let velocity = INERTIA * velocities[e] + own * (bests[e] - x) + others * (bests[leading] - x);
      let next = x + velocity;
      // At the bound a particle loses its velocity across it.
      if (!(next >= 0 && next <= 1)) {
        next = next > 1 ? 1 : 0;
        velocity = 0;
      }
      positions[e] = next;
      velocities[e] = velocity;
    }
  },

  accept(population, k, value) {
    const { n } = population;
    const [positions, , bests] = population.vectors;
    const [fitness] = population.scalars;
    if (!(value <= fitness[k])) return;
    fitness[k] = value;
    for (let i = 0, e = tiledStart(k, n); i < n; i++, e += TILE_LANES) bests[e] = positions[e]!;
  },
};
