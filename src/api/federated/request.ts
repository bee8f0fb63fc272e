/** Requests about federated learning. */
import { z } from 'zod';
import { epsilon } from './update.js';

export const exportRequest = z.strictObject({
  epsilon: epsilon.describe('How much the update may tell of any one run: smaller tells less. It is spent'),
});
