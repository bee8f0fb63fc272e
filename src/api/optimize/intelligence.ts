/**
 * The intelligence switches. Requests have two namings of them, which become one configuration; contradictions are
 * refused. Answers have both.
 */
import { z } from 'zod';
import { invalid } from '../../common/validation.js';
import { MAX_EXPLANATION_LEVEL } from '../../model/explanation.js';
import { DEFAULT_PRESET, type IntelligenceConfig, type Preset, PRESET_CONFIGS } from '../../model/intelligence.js';
import type { Answer } from '../route.js';

const INTELLIGENCE_SWITCHES = {
  use_agentic_intelligence: z.boolean(),
  use_interpretable_intelligence: z.boolean(),
  use_expository_intelligence: z.boolean(),
  use_adaptive_intelligence: z.boolean(),
  use_autodidactic_intelligence: z.boolean(),
  use_domain_extension: z.boolean(),
  explanation_level: z.int().min(0).max(MAX_EXPLANATION_LEVEL),
  use_gpu_acceleration: z.boolean(),
  use_visual_intelligence: z.boolean(),
};

export const intelligenceRequest = z
  .strictObject(INTELLIGENCE_SWITCHES)
  .partial()
  .describe('Switches; each wins over the preset. Alternative names are accepted in both objects.');

export type IntelligenceRequest = z.output<typeof intelligenceRequest>;

type Name = keyof IntelligenceRequest;

const NAMES: { readonly [Field in keyof IntelligenceConfig]: readonly Name[] } = {
  agentic: ['use_agentic_intelligence'],
  interpretable: ['use_interpretable_intelligence', 'use_expository_intelligence'],
  adaptive: ['use_adaptive_intelligence', 'use_autodidactic_intelligence'],
  domainExtension: ['use_domain_extension'],
  explanationLevel: ['explanation_level'],
  gpuAcceleration: ['use_gpu_acceleration'],
  visual: ['use_visual_intelligence'],
};

/** Value that one object gives for one field. @throws when a name and its alternative disagree. */
function read(request: IntelligenceRequest, names: readonly Name[], where: string): boolean | number | undefined {
  let found: { name: Name; value: boolean | number } | undefined;
  for (const name of names) {
    const value = request[name];
    if (value === undefined) continue;
    if (found !== undefined && found.value !== value) {
      throw invalid(
        `${where}.${name}`,
        `\`${where}.${name}\` = ${value} contradicts \`${found.name}\` = ${found.value}.`,
      );
    }
    found = { name, value };
  }
  return found?.value;
}

/** @throws {ExtremumError} `invalid_request` when the objects contradict themselves or each other. */
export function resolveIntelligence(
  preset: Preset = DEFAULT_PRESET,
  config: IntelligenceRequest = {},
  tetrad: IntelligenceRequest = {},
): IntelligenceConfig {
  const resolved: Record<string, boolean | number> = { ...PRESET_CONFIGS[preset] };
  for (const [field, names] of Object.entries(NAMES)) {
    const first = read(config, names, 'intelligence_config');
    const second = read(tetrad, names, 'tetrad_config');
    if (first !== undefined && second !== undefined && first !== second) {
      const message = `\`tetrad_config\` and \`intelligence_config\` contradict each other on ${names.join(' / ')}: ${second} and ${first}.`;
      throw invalid('tetrad_config', message);
    }
    const value = first ?? second;
    if (value !== undefined) resolved[field] = value;
  }
  return resolved as unknown as IntelligenceConfig;
}

const switchesOfOneName = {
  use_domain_extension: z.boolean(),
  explanation_level: z.int(),
  use_gpu_acceleration: z.boolean(),
  use_visual_intelligence: z.boolean(),
};

/** By the first names. */
export const intelligenceAnswer = z.object({
  use_agentic_intelligence: z.boolean(),
  use_interpretable_intelligence: z.boolean(),
  use_adaptive_intelligence: z.boolean(),
  ...switchesOfOneName,
});

/** By the alternative names. */
export const tetradAnswer = z.object({
  use_agentic_intelligence: z.boolean(),
  use_expository_intelligence: z.boolean(),
  use_autodidactic_intelligence: z.boolean(),
  ...switchesOfOneName,
});

const representOfOneName = (config: IntelligenceConfig) => ({
  use_domain_extension: config.domainExtension,
  explanation_level: config.explanationLevel,
  use_gpu_acceleration: config.gpuAcceleration,
  use_visual_intelligence: config.visual,
});

export const representIntelligence = (config: IntelligenceConfig): Answer<typeof intelligenceAnswer> => ({
  use_agentic_intelligence: config.agentic,
  use_interpretable_intelligence: config.interpretable,
  use_adaptive_intelligence: config.adaptive,
  ...representOfOneName(config),
});

export const representTetrad = (config: IntelligenceConfig): Answer<typeof tetradAnswer> => ({
  use_agentic_intelligence: config.agentic,
  use_expository_intelligence: config.interpretable,
  use_autodidactic_intelligence: config.adaptive,
  ...representOfOneName(config),
});
