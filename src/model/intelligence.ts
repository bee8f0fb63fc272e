/** The intelligence switches in one naming; `api/` translates the two public namings. */
export interface IntelligenceConfig {
  readonly agentic: boolean;
  readonly interpretable: boolean;
  readonly adaptive: boolean;
  readonly domainExtension: boolean;
  /** 0..5. */
  readonly explanationLevel: number;
  readonly gpuAcceleration: boolean;
  readonly visual: boolean;
}

export const PRESETS = ['development', 'production', 'research', 'enterprise', 'minimal'] as const;
export type Preset = (typeof PRESETS)[number];
/** For people. */
export const PRESET_INTENTS: Readonly<Record<Preset, string>> = {
  development: 'Fast iteration, basic explanations',
  production: 'Balanced performance, standard explanations',
  research: 'Maximum capabilities, comprehensive explanations',
  enterprise: 'Full features, advanced monitoring',
  minimal: 'Core optimization only',
};
export const DEFAULT_PRESET: Preset = 'production';

const preset = (
  agentic: boolean,
  interpretable: boolean,
  adaptive: boolean,
  domainExtension: boolean,
  explanationLevel: number,
  gpuAcceleration: boolean,
  visual: boolean,
): IntelligenceConfig => ({
  agentic,
  interpretable,
  adaptive,
  domainExtension,
  explanationLevel,
  gpuAcceleration,
  visual,
});

/** The table of presets of the API's contract; fields that a request sends win over these. */
export const PRESET_CONFIGS: Readonly<Record<Preset, IntelligenceConfig>> = {
  minimal: preset(false, false, false, false, 0, false, false),
  development: preset(true, true, false, true, 1, false, false),
  production: preset(true, true, true, true, 2, true, false),
  enterprise: preset(true, true, true, true, 4, true, true),
  research: preset(true, true, true, true, 5, true, true),
};
