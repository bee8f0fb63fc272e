import { describe, expect, it } from 'vitest';
import { PRESET_CONFIGS } from '../../model/intelligence.js';
import { resolveIntelligence } from './intelligence.js';

describe('intelligence switches', () => {
  it('come from the preset, and explicit fields win, under either name and in either object', () => {
    expect(resolveIntelligence()).toEqual(PRESET_CONFIGS.production);
    expect(resolveIntelligence('minimal', { use_adaptive_intelligence: true })).toMatchObject({
      adaptive: true,
      agentic: false,
    });
    expect(resolveIntelligence('research', {}, { use_autodidactic_intelligence: false })).toMatchObject({
      adaptive: false,
    });
    expect(resolveIntelligence('research', { use_expository_intelligence: false })).toMatchObject({
      interpretable: false,
    });
    const both = resolveIntelligence(
      'minimal',
      { explanation_level: 3 },
      { explanation_level: 3, use_visual_intelligence: true },
    );
    expect(both).toMatchObject({ explanationLevel: 3, visual: true });
  });

  it('refuses contradictions, within an object on the name and between the objects on tetrad_config', () => {
    expect(() =>
      resolveIntelligence('minimal', { use_interpretable_intelligence: true, use_expository_intelligence: false }),
    ).toThrow(expect.objectContaining({ field: 'intelligence_config.use_expository_intelligence' }));
    expect(() =>
      resolveIntelligence('minimal', { use_adaptive_intelligence: true }, { use_autodidactic_intelligence: false }),
    ).toThrow(expect.objectContaining({ field: 'tetrad_config' }));
  });
});
