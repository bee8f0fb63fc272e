import type { ProblemType } from '../../problem-type.js';
import { assortment } from './assortment.js';
import { dynamicPricing } from './dynamic-pricing.js';
import { linearDemandSystem } from './linear-demand-system.js';
import { markdown } from './markdown.js';
import { multinomialLogit } from './multinomial-logit.js';
import { singleProduct } from './single-product.js';

export const pricing: ProblemType = {
  domain: 'marketing',
  name: 'pricing',
  aliases: [],
  title: 'Prices and assortments',
  summary: 'What to charge, and what to offer, so that profit is largest: one product, many, or a stock over time.',
  models: [singleProduct, multinomialLogit, linearDemandSystem, dynamicPricing, markdown, assortment],
  limits: {
    products: 1_000,
    products_of_assortment: 5_000,
    products_of_linear_system: 200,
    inventory_of_dynamic_pricing: 5_000,
    markdown_periods: 104,
    markdown_prices: 30,
  },
};
