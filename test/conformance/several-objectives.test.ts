import { strategies } from '../../src/planner/all-strategies.js';
import { suits } from '../../src/strategies/suitability.js';
import { severalObjectivesSuite } from './several-objectives.suite.js';

for (const factory of strategies) {
  for (const k of [2, 3, 4]) if (suits(factory.capabilities, { objectives: k })) severalObjectivesSuite(factory, k);
}
