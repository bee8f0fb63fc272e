import { randomInt } from 'node:crypto';

const SEED_RANGE = 2 ** 32;

/** For a request that brings none; the record reports it. */
export const drawSeed = (): number => randomInt(SEED_RANGE);
