/** `npm run fuzz:api:routes`: 2,000 random requests on every route (`EXTREMUM_FUZZ_CASES`, `EXTREMUM_FUZZ_SEED`). */
import { fuzzSuite } from '../support/api-fuzz-suite.js';

const { EXTREMUM_FUZZ_CASES: cases = '2000', EXTREMUM_FUZZ_SEED: seed = '1' } = process.env;
fuzzSuite(Number(cases), Number(seed), console.log);
