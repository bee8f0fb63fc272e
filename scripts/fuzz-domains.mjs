/**
 * `npm run fuzz:domains [-- --count N] [--seed S] [--types T,T]`: N random configs (default 2,000) of every problem
 * type, or of those named. Each must be refused with a path, solved, or told to have no solution, in time.
 */
import './support/require-node.mjs';
import { anySeed, runSlowTest, wholeNumber } from './support/slow-test.mjs';

await runSlowTest({
  usage: 'npm run fuzz:domains [-- --count N] [--seed S] [--types T,T]',
  names: ['count', 'seed', 'types'],
  prefix: 'EXTREMUM_DOMAINS_',
  file: 'test/e2e/domains-fuzz.slow.test.ts',
  settings({ count: given = '2000', seed: start = anySeed(), types }) {
    const count = wholeNumber('count', given);
    const seed = wholeNumber('seed', start);
    return { line: `${count} configs of ${types ?? 'every problem type'} from seed ${seed} ...`, count, seed, types };
  },
});
