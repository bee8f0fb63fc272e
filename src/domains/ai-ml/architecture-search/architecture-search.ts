import type { ProblemType } from '../../problem-type.js';
import { searchArchitectures } from './architecture-model.js';
import { MOST_OPERATIONS, MOST_ROWS } from './evaluators.js';

export const architectureSearch: ProblemType = {
  domain: 'ai_ml',
  name: 'architecture_search',
  aliases: [],
  title: 'Architecture search',
  summary:
    'Which neural network is the most accurate, or the smallest, by a table of trained ones or by training: chains, cells, dense networks.',
  models: [searchArchitectures],
  limits: { table_rows: MOST_ROWS, operations_of_one_training: MOST_OPERATIONS },
};
