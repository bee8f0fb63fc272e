/**
 * `npm run test:kill [-- --store sqlite|mongodb|replicas] [--count N] [--seed S]`: kills a service under mixed load N
 * times (default 20) at random moments, with MongoDB half of the times the server, with a
 * replica set of three always its primary, after it has stepped down, and looks whether anything that was
 * acknowledged is lost, or done twice, and reports count every run. Prints what was done and every violation; fails if
 * there is one.
 */
import './support/require-node.mjs';
import { anySeed, runSlowTest, wholeNumber } from './support/slow-test.mjs';

const STORES = ['sqlite', 'mongodb', 'replicas'];

await runSlowTest({
  usage: `npm run test:kill [-- --store ${STORES.join('|')}] [--count N] [--seed S]`,
  names: ['store', 'count', 'seed'],
  prefix: 'EXTREMUM_KILL_',
  file: 'test/e2e/kill-loop.mongodb.slow.test.ts',
  settings(values) {
    const { store = 'sqlite' } = values;
    if (!STORES.includes(store)) throw new Error(`--store ${store} must be one of ${STORES.join(', ')}`);
    const count = wholeNumber('count', values.count ?? '20');
    const seed = wholeNumber('seed', values.seed ?? anySeed());
    return { line: `${count} kills on ${store} from seed ${seed} ...`, store, count, seed };
  },
});
