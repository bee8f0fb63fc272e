/**
 * Loaded by the service's threads in place of a fault in the compiler (`ThreadFaults`), and leaves programs as they
 * are: placement goes by counts (`counted-places.mjs`) instead of the clock.
 */
import { BACKENDS } from '../../../dist/backends/registry.js';
import { REAL_CLOCK } from '../../../dist/evaluation/clock.js';
import { CountedPlaces } from './counted-places.mjs';

const places = new CountedPlaces();
BACKENDS.forEach((one, k) => {
  if (one.input === 'ir') BACKENDS[k] = one.isDevice ? places.device(one) : places.patient(one);
});
Object.assign(REAL_CLOCK, places.clock);

export default (program) => program;
