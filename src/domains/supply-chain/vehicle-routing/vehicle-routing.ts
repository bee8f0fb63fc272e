import type { ProblemType } from '../../problem-type.js';
import { LIMITS } from './config.js';
import { routing } from './routing.js';

export const vehicleRouting: ProblemType = {
  domain: 'supply_chain',
  name: 'vehicle_routing',
  aliases: [],
  title: 'Vehicle routes',
  summary: 'Which vehicle visits which customers, in which order and when, so that the fleet costs least.',
  models: [routing],
  limits: LIMITS,
};
