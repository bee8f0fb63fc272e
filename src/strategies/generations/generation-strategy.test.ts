import { describe, expect, it } from 'vitest';
import { bulkParticleSwarm } from '../bulk-particle-swarm/kind.js';
import { bulkParticleSwarmProgram } from '../bulk-particle-swarm/bulk-particle-swarm.js';
import { populationSize } from './generation-strategy.js';

describe('the size of a population', () => {
  const sizeOf = (n: number, budget: number, places?: number, largest?: number): number =>
    populationSize(n, budget, places, bulkParticleSwarmProgram, largest);

  it('is a share of the budget, as far as a snapshot has room, or somebody who stores none allows', () => {
    expect(sizeOf(100, 400 * 1e6)).toBe(1e5);
    expect(sizeOf(100, 400 * 1e6, 1, 1e8)).toBe(1e6);
    expect(sizeOf(100, 400 * 1_000, 1, 1e8)).toBe(1_000);
    expect(sizeOf(10, 1e12, 1, 1e9)).toBe(2 ** 20);
  });

  it('may be too large for a snapshot, which says so', () => {
    // Nobody asks for a candidate: the memory is reserved only.
    const bounds = { lower: new Float64Array(100).fill(-1), upper: new Float64Array(100).fill(1) };
    const problem = { bounds, seed: 1, budgetEvaluations: 400 * 2e5, largestVector: 1e8 };
    expect(() => bulkParticleSwarm.create(problem).snapshot()).toThrow(
      'bulk-particle-swarm: 200000 individuals in 100 dimensions are 60200000 numbers; a snapshot holds 50000000',
    );
  });
});
