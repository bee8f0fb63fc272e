/** What is answered where many runs were deleted. */
import { z } from 'zod';

export const runsDeletedAnswer = z.object({ deleted: z.int() }).meta({ id: 'OptimizationsDeleted' });
