import type { ProblemType } from '../../problem-type.js';
import { MAX_ASSETS, MAX_PERIODS } from './config.js';
import { portfolioModel } from './portfolio-model.js';

export const portfolio: ProblemType = {
  domain: 'financial',
  name: 'portfolio',
  aliases: ['portfolio_optimization'],
  title: 'Portfolio weights',
  summary: 'How much of each asset to hold, so that risk and return are best for an objective and every limit holds.',
  models: [portfolioModel],
  limits: { assets: MAX_ASSETS, periods: MAX_PERIODS },
};
