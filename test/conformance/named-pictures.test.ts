/** Pictures show what the config named, out of each other's way. */
import { describe, expect, it } from 'vitest';
import { checkConfig, typeNamed } from '../../src/domains/configs.js';
import type { DomainName } from '../../src/model/problem.js';
import { PLOT } from '../../src/explanation/visuals/plot.js';
import { clippedIn, overlapsIn, textsOf } from '../support/pictures.js';
import { solved } from '../support/problems.js';

type Config = Record<string, unknown>;

async function drawn(domain: DomainName, name: string, config: Config, kind: string): Promise<string> {
  const type = typeNamed(domain, name);
  const { bestSolution, bestFitness, answer } = await solved(type, config);
  const checked = checkConfig(type, config);
  const { result, alternatives = [] } = answer;
  const svg = checked.model.pictures[kind]?.(checked.config, { bestSolution, bestFitness, result, alternatives }) ?? '';
  expect(overlapsIn(svg)).toEqual([]);
  expect(clippedIn(svg)).toEqual([]);
  return svg;
}

const wordsOf = (svg: string): string[] => textsOf(svg).map(({ text }) => text);

describe('names on pictures', () => {
  const customers = Array.from({ length: 40 }, (_, i) => ({
    id: `stop ${i + 1}`,
    x: (i * 37) % 101,
    y: (i * 61) % 97,
    demand: 1,
  }));
  const fleet = (id: string): Config => ({
    depot: { x: 50, y: 50 },
    customers,
    vehicles: [{ id, count: 9, capacity: 8 }],
  });

  it('loads and times of routes have the whole name of the vehicle, and its number where the name is too long', async () => {
    for (const kind of ['load_chart', 'time_chart']) {
      expect(wordsOf(await drawn('supply_chain', 'vehicle_routing', fleet('refrigerated lorry'), kind))).toContain(
        'refrigerated lorry 1',
      );
      const long = await drawn('supply_chain', 'vehicle_routing', fleet('Ω'.repeat(60)), kind);
      expect(wordsOf(long).filter((text) => /^Ω+… \d$/.test(text)).length).toBeGreaterThan(4);
    }
  });

  it('names of stops lie beside each other', async () => {
    const words = wordsOf(await drawn('supply_chain', 'vehicle_routing', fleet('van'), 'route_map'));
    for (const { id } of customers) expect(words).toContain(id);
  });

  it('points of assets have their names', async () => {
    const [portfolio] = typeNamed('financial', 'portfolio').models;
    const example = portfolio.example as unknown as Config & { readonly assets: readonly { readonly id: string }[] };
    const words = wordsOf(await drawn('financial', 'portfolio', example, 'risk_return'));
    for (const { id } of example.assets) expect(words).toContain(id);
  });

  it('states of a treatment policy have their names', async () => {
    const type = typeNamed('healthcare', 'treatment_protocol');
    const example = type.models.find(({ name }) => name === 'treatment_policy')!.example as Config;
    const words = wordsOf(await drawn('healthcare', 'treatment_protocol', example, 'action_values'));
    for (const state of example['states'] as string[]) expect(words).toContain(state);
  });

  it('strata and agents, which have no names, are numbered each', async () => {
    const config = {
      model: 'stratified_allocation',
      total_n: 200,
      strata_sizes: [500, 300, 200],
      strata_sd: [10, 20, 40],
    };
    const strata = wordsOf(await drawn('healthcare', 'clinical_trial_design', config, 'allocation'));
    expect(strata).toEqual(expect.arrayContaining(['stratum 1', 'stratum 2', 'stratum 3']));
    const assignment = typeNamed('marketing', 'campaign').models.find(({ name }) => name === 'assignment')!;
    const agents = wordsOf(await drawn('marketing', 'campaign', assignment.example, 'loads'));
    expect(agents).toEqual(expect.arrayContaining(['agent 1', 'agent 2', 'agent 3']));
  });

  it('the legend of dose decisions lies outside of the plot', async () => {
    const boin = typeNamed('healthcare', 'clinical_trial_design').models.find(({ name }) => name === 'boin')!;
    const svg = await drawn('healthcare', 'clinical_trial_design', boin.example, 'decisions');
    const keys = textsOf(svg).filter(({ text }) => /^(raise|lower|give the dose up|boundary to)/.test(text));
    expect(keys).toHaveLength(5);
    for (const { top, bottom } of keys) expect(top >= PLOT.bottom || bottom <= PLOT.top).toBe(true);
  });
});
