import type { ProblemType } from '../../problem-type.js';
import { cashFlowMatching, MOST_BONDS, MOST_PERIODS } from './cash-flow-matching.js';
import { greeksHedge, MOST_INSTRUMENTS } from './greeks-hedge.js';
import { hedgeRatio } from './hedge-ratio.js';
import { limitAllocation } from './limit-allocation.js';
import { minCvar } from './min-cvar.js';
import { riskBudgeting } from './risk-budgeting.js';
import { MOST_ENTRIES, MOST_HOLDINGS, MOST_SCENARIOS } from './scenarios.js';

export const riskManagement: ProblemType = {
  domain: 'financial',
  name: 'risk_management',
  aliases: [],
  title: 'Risk limits and hedges',
  summary:
    'How to hold, limit or hedge risk: least expected shortfall, profit within a risk limit, risk budgets, futures and option hedges, bonds for liabilities.',
  models: [minCvar, limitAllocation, riskBudgeting, hedgeRatio, cashFlowMatching, greeksHedge],
  limits: {
    assets: MOST_HOLDINGS,
    scenarios: MOST_SCENARIOS,
    scenario_numbers: MOST_ENTRIES,
    bonds: MOST_BONDS,
    periods: MOST_PERIODS,
    instruments: MOST_INSTRUMENTS,
  },
};
