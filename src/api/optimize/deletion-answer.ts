/** Answer to the deletion of many runs. */
import { z } from 'zod';

export const runsDeletedAnswer = z.object({ deleted: z.int() }).meta({ id: 'OptimizationsDeleted' });
