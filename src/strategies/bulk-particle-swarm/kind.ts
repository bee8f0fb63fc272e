import { generationStrategy } from '../generations/generation-strategy.js';
import { bulkParticleSwarmProgram } from './bulk-particle-swarm.js';

/** A particle swarm for populations of thousands and more. */
export const bulkParticleSwarm = generationStrategy(bulkParticleSwarmProgram);
