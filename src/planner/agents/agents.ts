/** Who votes, one line each. */
import type { Agent } from '../panel.js';
import { budgetEconomist } from './budget-economist.js';
import { codeAnalyst } from './code-analyst.js';
import { critic } from './critic.js';
import { historian } from './historian.js';
import { landscapeAnalyst } from './landscape-analyst.js';
import { specialists } from './specialists.js';

export const AGENTS: readonly Agent[] = [
  codeAnalyst,
  historian,
  landscapeAnalyst,
  budgetEconomist,
  specialists,
  critic,
];
