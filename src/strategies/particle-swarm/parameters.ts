/**
 * Parameters of the swarm. Source of inertia, attraction and informants: Zambrano-Bigiarini, Clerc and Rojas, "Standard
 * Particle Swarm Optimisation 2011 at CEC-2013: a baseline for future PSO improvements", CEC 2013. The sizes were
 * chosen on 1,000 and on 2,000 n evaluations (README.md); the standard's is 40, whatever the budget.
 */
import { power } from '../../common/float.js';

/** 1 / (2 ln 2) */
export const INERTIA = 0.7213475204444817;
/** 1/2 + ln 2: cognitive and social alike. */
export const ATTRACTION = 1.1931471805599454;
/** Particles that each particle informs, besides itself. */
export const INFORMED = 3;
/** Swarms end with so many. */
export const MIN_SIZE = 6;
/** Steps that a first swarm leaves room for. */
const MIN_GENERATIONS = 20;

/** Particles at the start when so many evaluations are left. */
export function firstSwarmSize(n: number, evaluations: number): number {
  const size = Math.round(power(evaluations / n, 1 / 3) * Math.sqrt(n));
  return Math.max(MIN_SIZE, Math.min(size, Math.floor(evaluations / MIN_GENERATIONS)));
}

/** Particles at the share `progress` of the evaluations. */
export function swarmSize(first: number, progress: number): number {
  return Math.max(MIN_SIZE, Math.round(first + (MIN_SIZE - first) * progress));
}
