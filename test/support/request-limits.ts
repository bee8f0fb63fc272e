import type { RequestLimits } from '../../src/api/fields.js';

/** Limits of requests, of no service in particular. */
export const REQUEST_LIMITS: RequestLimits = {
  maxEvaluations: 1000,
  maxDimensions: 5,
  runTimeoutSeconds: 60,
  pythonLimits: {
    memoryBytes: 2 ** 30,
    mostMemoryBytes: 2 ** 31,
    evaluationSeconds: 10,
    mostEvaluationSeconds: 60,
  },
};
