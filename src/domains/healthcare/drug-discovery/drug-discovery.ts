import type { ProblemType } from '../../problem-type.js';
import { compoundSelection, MOST_APART, MOST_CANDIDATES } from './compound-selection.js';
import { freeWilsonFit, MOST_SERIES, MOST_SUBSTITUENTS } from './free-wilson-fit.js';
import { leadOptimization, MOST_OPTIONS, MOST_OPTIONS_IN_ALL, MOST_SITES } from './lead-optimization.js';
import { MOST_PROJECTS, pipelinePortfolio } from './pipeline-portfolio.js';
import { MOST_COMPOUNDS, rankCompounds } from './rank-compounds.js';
import { MOST_SMILES_CHARACTERS } from './smiles.js';

export const drugDiscovery: ProblemType = {
  domain: 'healthcare',
  name: 'drug_discovery',
  aliases: [],
  title: 'Drug discovery',
  summary:
    'Which compounds to rank first, select, make next or develop, and what each substituent does for the activity.',
  models: [rankCompounds, compoundSelection, leadOptimization, freeWilsonFit, pipelinePortfolio],
  limits: {
    compounds_to_rank: MOST_COMPOUNDS,
    smiles_characters: MOST_SMILES_CHARACTERS,
    compounds_to_select_from: MOST_CANDIDATES,
    compounds_with_min_distance: MOST_APART,
    sites: MOST_SITES,
    options_per_site: MOST_OPTIONS,
    options_in_all: MOST_OPTIONS_IN_ALL,
    compounds_of_a_series: MOST_SERIES,
    substituents_of_a_series: MOST_SUBSTITUENTS,
    projects: MOST_PROJECTS,
  },
};
