/** An account's defaults and the presets as clients see them. */
import { z } from 'zod';
import { PRESETS } from '../../model/intelligence.js';
import { intelligenceNames } from '../optimize/intelligence.js';

export const configurationAnswer = z
  .object({
    preset: z.enum(PRESETS),
    mode: z.enum(['fast', 'balanced', 'accurate']),
    max_evaluations: z.int(),
    timeout_seconds: z.number(),
  })
  .meta({ id: 'Configuration' });

export const presetsAnswer = z
  .object({
    data: z.array(
      z.object({
        name: z.enum(PRESETS),
        intent: z.string(),
        intelligence_config: intelligenceNames('use_interpretable_intelligence', 'use_adaptive_intelligence'),
      }),
    ),
  })
  .meta({ id: 'Presets' });
