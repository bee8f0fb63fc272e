import { expect, it } from 'vitest';
import { PROBLEM_TYPES } from '../../src/domains/registry.js';
import { hyperparameterTuning } from '../../src/domains/ai-ml/hyperparameter-tuning/hyperparameter-tuning.js';
import { architectureSearch } from '../../src/domains/ai-ml/architecture-search/architecture-search.js';
import { portfolio } from '../../src/domains/financial/portfolio/portfolio.js';
import { tradingStrategy } from '../../src/domains/financial/trading-strategy/trading-strategy.js';
import { riskManagement } from '../../src/domains/financial/risk-management/risk-management.js';
import { clinicalTrialDesign } from '../../src/domains/healthcare/clinical-trial-design/clinical-trial-design.js';
import { drugDiscovery } from '../../src/domains/healthcare/drug-discovery/drug-discovery.js';
import { treatmentProtocol } from '../../src/domains/healthcare/treatment-protocol/treatment-protocol.js';
import { pricing } from '../../src/domains/marketing/pricing/pricing.js';
import { inventory } from '../../src/domains/supply-chain/inventory/inventory.js';
import { vehicleRouting } from '../../src/domains/supply-chain/vehicle-routing/vehicle-routing.js';
import { warehouse } from '../../src/domains/supply-chain/warehouse/warehouse.js';
import { budgetAllocation } from '../../src/domains/marketing/budget-allocation/budget-allocation.js';
import { campaign } from '../../src/domains/marketing/campaign/campaign.js';
import { problemTypeSuite } from './problem-type.suite.js';

const TYPES = [
  portfolio,
  tradingStrategy,
  riskManagement,
  drugDiscovery,
  clinicalTrialDesign,
  treatmentProtocol,
  vehicleRouting,
  inventory,
  warehouse,
  hyperparameterTuning,
  architectureSearch,
  campaign,
  budgetAllocation,
  pricing,
];

it('knows every type of the registry', () => {
  expect(TYPES).toEqual(PROBLEM_TYPES);
});

for (const type of TYPES) problemTypeSuite(type);
