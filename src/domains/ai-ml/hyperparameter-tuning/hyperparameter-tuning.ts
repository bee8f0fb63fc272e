/**
 * Hyperparameters of a learner, or the settings of a table, that give the best value of a metric.
 *
 * A space that the budget covers is tried as a whole, which proves the best setting; else a sampler decides what comes
 * next.
 */
import { type ProblemType, model } from '../../problem-type.js';
import { fields, check, objectivesOf, MOST_OBJECTIVES } from './config.js';
import { solve } from './solve.js';
import { verify } from './verify.js';
import { explain } from './explain.js';
import { pictures } from './pictures.js';
import { MOST_PARAMETERS } from '../search-space/space.js';
import { MOST_ROWS as MOST_ROWS_OF_DATA, MOST_COLUMNS } from './builtin.js';
import { MOST_ROWS } from './table.js';
import { MOST_TRIALS } from './search.js';

export const hyperparameterTuning: ProblemType = {
  domain: 'ai_ml',
  name: 'hyperparameter_tuning',
  aliases: ['hyperparameters', 'hyperparameter_optimization'],
  title: 'Hyperparameter tuning',
  summary:
    'Which settings of a learner predict best, judged by rows that it has not seen; or which rows of a table are best.',
  models: [
    model({
      name: null,
      summary: 'Settings of a learner, or of a table, by a metric.',
      fields,
      example: {
        search_space: {
          k: { type: 'int', low: 1, high: 30 },
          weights: { type: 'categorical', choices: ['uniform', 'distance'] },
        },
        evaluator: { type: 'builtin', model: 'knn', dataset: { name: 'iris' }, metric: 'accuracy' },
      },
      check,
      sense: (config) => objectivesOf(config)[0].direction,
      solve,
      verify,
      explain,
      pictures,
    }),
  ],
  limits: {
    parameters: MOST_PARAMETERS,
    objectives: MOST_OBJECTIVES,
    rows_of_data: MOST_ROWS_OF_DATA,
    columns_of_data: MOST_COLUMNS,
    rows_of_table: MOST_ROWS,
    evaluations: MOST_TRIALS,
  },
};
