import { generationStrategy } from '../generations/generation-strategy.js';
import { bulkDifferentialEvolutionProgram } from './bulk-differential-evolution.js';

/** Differential evolution for populations of thousands and more. */
export const bulkDifferentialEvolution = generationStrategy(bulkDifferentialEvolutionProgram);
