/** An account's defaults and the presets as clients see them. */
import { z } from 'zod';
import type { AccountSettings } from '../../model/account-settings.js';
import { type Preset, PRESET_CONFIGS, PRESET_INTENTS, PRESETS } from '../../model/intelligence.js';
import { intelligenceAnswer, representIntelligence } from '../optimize/intelligence.js';
import type { Answer } from '../route.js';

export const configurationAnswer = z
  .object({
    preset: z.enum(PRESETS),
    mode: z.enum(['fast', 'balanced', 'accurate']),
    max_evaluations: z.int(),
    timeout_seconds: z.number(),
  })
  .meta({ id: 'AccountConfiguration' });

export const presetAnswer = z
  .object({ name: z.enum(PRESETS), intent: z.string(), intelligence_config: intelligenceAnswer })
  .meta({ id: 'Preset' });

export const represent = (settings: Required<AccountSettings>): Answer<typeof configurationAnswer> => ({
  preset: settings.preset,
  mode: settings.mode,
  max_evaluations: settings.maxEvaluations,
  timeout_seconds: settings.timeoutSeconds,
});

export const representPreset = (name: Preset): Answer<typeof presetAnswer> => ({
  name,
  intent: PRESET_INTENTS[name],
  intelligence_config: representIntelligence(PRESET_CONFIGS[name]),
});
