import { describe, it } from 'vitest';
import { expectGap } from '../../../../test/support/gap.js';
import { referenceCases } from '../../../../test/support/problems.js';

const cases = (referenceCases('marketing', 'campaign') ?? []).filter(({ id }) => id.startsWith('gap-'));

// Without the reference files beside this checkout there is nothing to compare with.
describe.skipIf(cases.length === 0)('all instances of the generalised assignment problem', () => {
  for (const one of cases) it(one.id, () => expectGap(one));
});
