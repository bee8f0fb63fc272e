/** The function that the pools of studies call by name in a worker thread. */
export { work } from './held-studies.js';
