/**
 * `npm run fuzz [-- --seconds N] [--seed S]`: random programs of the compiled subset, evaluated by CPython, the
 * interpreter and every backend that works here, for N seconds (default 60) from seed S on (default: another one each
 * time). Prints what was run and the first differences with their seeds; fails if there is one.
 */
import './support/require-node.mjs';
import { anySeed, runSlowTest, wholeNumber } from './support/slow-test.mjs';

await runSlowTest({
  usage: 'npm run fuzz [-- --seconds N] [--seed S]',
  names: ['seconds', 'seed'],
  prefix: 'EXTREMUM_FUZZ_',
  file: 'test/property/fuzz.slow.test.ts',
  settings(values) {
    const seconds = wholeNumber('seconds', values.seconds ?? '60');
    const seed = wholeNumber('seed', values.seed ?? anySeed());
    return { line: `Fuzzing for ${seconds} s from seed ${seed} on ...`, seconds, seed };
  },
});
