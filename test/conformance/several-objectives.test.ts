import { strategies } from '../../src/planner/registry.js';
import { takesObjectives } from '../../src/strategies/strategy.js';
import { severalObjectivesSuite } from './several-objectives.suite.js';

for (const factory of strategies) {
  for (const k of [2, 3, 4]) if (takesObjectives(factory, k)) severalObjectivesSuite(factory, k);
}
