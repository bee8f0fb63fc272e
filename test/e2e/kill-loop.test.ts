/** A few kills at fixed seeds; as many as you like: `npm run test:kill`. */
import { afterEach, expect, it } from 'vitest';
import { killLoop } from '../support/kill-loop.js';
import { endAll } from '../support/service-process.js';

afterEach(endAll);

it('kill -9 at random moments of mixed work: nothing that was acknowledged is lost, nothing done twice', async () => {
  const { violations, kills, sums } = await killLoop({ store: 'sqlite', kills: 5, seed: 1, longestMs: 800 });
  expect(violations).toEqual([]);
  expect(sums).toBeGreaterThan(0);
  expect(kills.service).toBe(5);
}, 240_000);
