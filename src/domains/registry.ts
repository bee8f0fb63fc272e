/** All problem types, one line each, in the order in which clients read them. */
import { hyperparameterTuning } from './ai-ml/hyperparameter-tuning/hyperparameter-tuning.js';
import { architectureSearch } from './ai-ml/architecture-search/architecture-search.js';
import { portfolio } from './financial/portfolio/portfolio.js';
import { tradingStrategy } from './financial/trading-strategy/trading-strategy.js';
import { riskManagement } from './financial/risk-management/risk-management.js';
import { campaign } from './marketing/campaign/campaign.js';
import { budgetAllocation } from './marketing/budget-allocation/budget-allocation.js';
import { clinicalTrialDesign } from './healthcare/clinical-trial-design/clinical-trial-design.js';
import { drugDiscovery } from './healthcare/drug-discovery/drug-discovery.js';
import { treatmentProtocol } from './healthcare/treatment-protocol/treatment-protocol.js';
import { pricing } from './marketing/pricing/pricing.js';
import { inventory } from './supply-chain/inventory/inventory.js';
import { vehicleRouting } from './supply-chain/vehicle-routing/vehicle-routing.js';
import { warehouse } from './supply-chain/warehouse/warehouse.js';
import type { ProblemType } from './problem-type.js';

export const PROBLEM_TYPES: readonly ProblemType[] = [
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
