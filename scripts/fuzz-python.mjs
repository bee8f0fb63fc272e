/**
 * `npm run fuzz:python [-- --seconds N] [--count N] [--seed S] ...`: random programs as people write them, against
 * CPython. Prints what was run and what is wrong, each finding made small; fails if there is one.
 *
 *   --mode feasibility  objectives with checks and penalties; each is run, too, and what the run proves is held against
 *   CPython --mode metamorphic  two forms of each program that must give the same
 *   --mode suite        programs made of CPython's own tests, by their numbers
 *   --proves N          runs one in N programs
 *   --coverage FILE     what of the front end was never reached
 *   --shrink N          findings made small (30)
 *   --without any,imports   features that are left out
 *   --out FILE          findings go there, too
 */
import './support/require-node.mjs';
import path from 'node:path';
import { anySeed, runSlowTest, wholeNumber } from './support/slow-test.mjs';

const NUMBERS = ['seconds', 'count', 'seed', 'proves', 'shrink'];
const FILES = ['coverage', 'out'];
const MODES = ['ordinary', 'feasibility', 'metamorphic', 'suite'];
const A_DAY = 86_400;

await runSlowTest({
  usage:
    `npm run fuzz:python [-- --seconds N] [--count N] [--seed S] [--mode ${MODES.join('|')}] [--proves N] ` +
    '[--coverage FILE] [--shrink N] [--without FEATURES] [--out FILE]',
  names: [...NUMBERS, ...FILES, 'mode', 'without'],
  prefix: 'EXTREMUM_FUZZ_',
  file: 'test/property/ordinary-python.slow.test.ts',
  settings(values) {
    const given = { ...values };
    for (const name of NUMBERS) if (name in given) given[name] = wholeNumber(name, given[name], 0);
    for (const name of FILES) if (name in given) given[name] = path.resolve(given[name]);
    const { mode = 'ordinary' } = given;
    if (!MODES.includes(mode)) throw new Error(`--mode ${mode} must be one of ${MODES.join(', ')}`);
    given.seed ??= anySeed();
    given.seconds ??= given.count === undefined ? 60 : A_DAY;
    return { line: `Fuzzing from seed ${given.seed} on ...`, ...given };
  },
});
