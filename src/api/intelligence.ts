/** The two public namings of the intelligence switches into one configuration; contradictions are refused. */
import { DEFAULT_PRESET, PRESET_CONFIGS, type IntelligenceConfig, type Preset } from '../model/intelligence.js';
import type { IntelligenceRequest } from './schemas.js';
import { invalid } from '../common/validation.js';

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

/** What one object says about one field. @throws when a name and its alternative disagree. */
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
