/**
 * The service with a fault in its compiler, as a process of its own: for tests of what is left of a run that is killed.
 */
import { parseConfig } from '../../dist/config.js';
import { startService } from '../../dist/main.js';

const programs = new URL('faulty-programs.mjs', import.meta.url).href;
const service = await startService(parseConfig(process.env, process.argv.slice(2)), { programs, checksWait: true });
console.log(`Extremum listens on ${service.url}`);
