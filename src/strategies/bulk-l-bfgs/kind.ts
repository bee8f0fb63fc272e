import { generationStrategy } from '../generations/generation-strategy.js';
import { bulkLimitedMemoryProgram } from './bulk-l-bfgs.js';

/** Descents from random points, thousands side by side, with gradients of the program. */
export const bulkLimitedMemory = generationStrategy(bulkLimitedMemoryProgram);
