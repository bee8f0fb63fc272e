/** Runs that are deleted, from the embedded database. */
import { describe } from 'vitest';
import { deletionSuite } from '../support/deletion-suite.js';

describe('deletion of runs', () => deletionSuite(() => []));
