/** The service with threads under which no clock decides whether a run comes to a device, as a process of its own. */
import { parseConfig } from '../../../dist/config.js';
import { startService } from '../../../dist/main.js';

const programs = new URL('counted-programs.mjs', import.meta.url).href;
const service = await startService(parseConfig(process.env, process.argv.slice(2)), { programs });
console.log(`Extremum listens on ${service.url}`);
