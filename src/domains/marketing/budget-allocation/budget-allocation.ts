/** A budget over channels with diminishing or S-shaped returns. Start reading at `plan.ts`. */
import { model, type ProblemType } from '../../problem-type.js';
import { fields, check, MOST_CHANNELS, MOST_PERIODS, MOST_CELLS, MOST_ROWS, MOST_FITTED } from './config.js';
import { countsInSpend } from './objective.js';
import { solve } from './solve.js';
import { verify } from './verify.js';
import { explain } from './explain.js';
import { pictures } from './pictures.js';

const budgetModel = model({
  name: null,
  summary: 'Spends of channels, from their response curves.',
  fields,
  example: {
    budget: 100000,
    channels: [
      { id: 'search', response: { type: 'hill', max: 8000, half_saturation: 20000, shape: 1 }, min: 2000 },
      { id: 'social', response: { type: 'hill', max: 5000, half_saturation: 15000, shape: 0.8 }, max: 25000 },
      { id: 'tv', response: { type: 'hill', max: 20000, half_saturation: 120000, shape: 0.9 }, adstock_decay: 0.5 },
      { id: 'display', response: { type: 'hill', max: 1500, half_saturation: 8000, shape: 1.6 }, max: 6000 },
    ],
  },
  check,
  sense: (config) => (countsInSpend(config) ? 'minimize' : 'maximize'),
  solve,
  verify,
  explain,
  pictures,
});

export const budgetAllocation: ProblemType = {
  domain: 'marketing',
  name: 'budget_allocation',
  aliases: [],
  title: 'Budgets over channels',
  summary:
    'How to divide a budget among channels whose returns diminish or are S-shaped, now or over a cycle of periods.',
  models: [budgetModel],
  limits: {
    channels: MOST_CHANNELS,
    periods: MOST_PERIODS,
    channels_times_periods: MOST_CELLS,
    history_rows: MOST_ROWS,
    fitted_channels: MOST_FITTED,
  },
};
