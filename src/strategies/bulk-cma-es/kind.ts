import { generationStrategy } from '../generations/generation-strategy.js';
import { bulkCmaEsProgram, firstBulkCmaEsProgram } from './bulk-cma-es.js';

/** CMA-ES for populations of thousands and more. */
export const bulkCmaEs = generationStrategy(bulkCmaEsProgram, [firstBulkCmaEsProgram]);
