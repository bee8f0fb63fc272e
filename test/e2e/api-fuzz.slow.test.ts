/** `npm run fuzz:api:routes`: 2,000 random requests on every route (`EXTREMUM_FUZZ_CASES`, `EXTREMUM_FUZZ_SEED`). */
import { fuzzSuite } from '../support/api-fuzz-suite.js';

fuzzSuite(Number(process.env['EXTREMUM_FUZZ_CASES'] ?? 2_000), Number(process.env['EXTREMUM_FUZZ_SEED'] ?? 1));
