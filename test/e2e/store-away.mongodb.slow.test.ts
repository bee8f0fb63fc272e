import { it } from 'vitest';
import { describeWithOwnMongod } from '../support/mongodb.js';
import { storeAway } from '../support/store-away.js';

describeWithOwnMongod('a service whose MongoDB is away for long', () => {
  it.each([
    ['paused', 30, 60],
    ['killed', 30, 60],
    ['paused', 40, 10],
    ['killed', 40, 10],
  ] as const)('lives, answers in time, and goes on when it is back (%s for %i s, leases of %i s)', storeAway, 300_000);
});
