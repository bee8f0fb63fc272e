import { LARGEST_DIMENSION } from '../search/limits.js';
import { fromBest } from '../search/points.js';
import type { NamedKind } from '../search/search-kind.js';
import { ParticleSwarm } from './particle-swarm.js';

/** A swarm after SPSO-2011 that learns its shape; it begins as differential evolution does. */
export const particleSwarm: NamedKind = {
  name: 'particle-swarm',
  maxDimension: LARGEST_DIMENSION,
  start: (context, run) => new ParticleSwarm(context, run === 0 ? fromBest(context) : null),
  restore: (context, snapshot) => ParticleSwarm.restore(context, snapshot),
  asStrategy: { snapshotVersion: 1, dependsOnSeed: true },
};
