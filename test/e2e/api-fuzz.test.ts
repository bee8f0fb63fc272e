/** Random requests on every route; `api-fuzz.slow.test.ts` sends many more. */
import { fuzzSuite } from '../support/api-fuzz-suite.js';

fuzzSuite(60);
