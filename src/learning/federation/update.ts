/**
 * The update that a deployment makes of its lessons, differentially private in them: every class and strategy that
 * there are gets noise, also those without runs, so that neither numbers nor what is there tells of any one run.
 */
import { createHash } from 'node:crypto';
import { log } from '../../common/float.js';
import { BASE_VERSION, CLIP, type FederatedUpdate, type Statistic } from '../../model/federation.js';
import { wasProbed, type Lesson } from '../../model/learning.js';
import { discreteLaplace, type Uniform } from './discrete-laplace.js';
import { STRATEGIES } from '../../planner/leaders.js';
import { CELLS, classOf, COST_POWER, usualOf } from '../../planner/problem-classes.js';

/** Gains are summed in steps of this share of a decade. */
const STEPS = 256;
/** Epsilon is spent in whole numbers of such parts; what is asked for is rounded down. */
const EPSILON_PARTS = 1024;
export const LEAST_EPSILON = 0.01;
export const MOST_EPSILON = 100;
/**
 * In scales of the noise of the runs: cells that seem to have fewer are left out. All were given noise; this tells no
 * more.
 */
const SEEN = 2;

/**
 * Epsilons of the runs and of the sums of gains, in `EPSILON_PARTS`. Half each: counts tell whom the other deployment
 * came to prefer.
 */
function parts(epsilon: number): { readonly runs: number; readonly gains: number } {
  const all = Math.floor(epsilon * EPSILON_PARTS);
  const runs = Math.floor(all / 2);
  return { runs, gains: all - runs };
}

/** Variances of the noise of one cell: in its runs, and in the sum of their gains, in decades squared. */
export function noiseVariances(epsilon: number): { readonly runs: number; readonly gains: number } {
  const { runs, gains } = parts(epsilon);
  // A little more than on the grid.
  const variance = (rate: number): number => 2 / rate ** 2;
  return { runs: variance(runs / EPSILON_PARTS), gains: variance(gains / EPSILON_PARTS) * CLIP ** 2 };
}

const log10 = (x: number): number => log(x) / log(10);

/**
 * Where a run counts, and for how much; null: it says nothing about a class, as those that began where another run
 * ended.
 */
export function contributionOf({ features, leader, cost, isRepeat }: Lesson): { cell: number; steps: number } | null {
  if (features === null || !wasProbed(features) || isRepeat === true || leader >= STRATEGIES.length) return null;
  const problemClass = classOf(features);
  const gain = usualOf(problemClass) - log10(Math.max(1, cost)) + COST_POWER * log10(features.dimensions);
  const clipped = Math.max(-CLIP, Math.min(CLIP, gain));
  return { cell: problemClass * STRATEGIES.length + leader, steps: Math.round(clipped * STEPS) };
}

/**
 * Each lesson counts in one cell: for one run, and for its clipped gain.
 *
 * @param epsilon `LEAST_EPSILON` to `MOST_EPSILON`; two sets of lessons, one of which has one more, are told apart no
 * better than
 *   by a factor of exp(epsilon). Null: no noise at all, to compare with.
 */
export function updateOf(lessons: readonly Lesson[], epsilon: number | null, uniform: Uniform): FederatedUpdate {
  const runs = new Float64Array(CELLS);
  const steps = new Float64Array(CELLS);
  for (const lesson of lessons) {
    const own = contributionOf(lesson);
    if (own === null) continue;
    runs[own.cell] += 1;
    steps[own.cell] += own.steps;
  }
  let least = 1;
  if (epsilon !== null) {
    const spent = parts(epsilon);
    // One run changes the sum by at most CLIP * STEPS.
    const sensitivity = CLIP * STEPS;
    for (let cell = 0; cell < CELLS; cell++) {
      runs[cell] += discreteLaplace(spent.runs, EPSILON_PARTS, uniform);
      steps[cell] += discreteLaplace(spent.gains, EPSILON_PARTS * sensitivity, uniform);
    }
    least = Math.max(1, Math.ceil((SEEN * EPSILON_PARTS) / spent.runs));
  }
  const statistics: Statistic[] = [];
  for (let cell = 0; cell < CELLS; cell++) {
    const n = runs[cell];
    if (n < least) continue;
    statistics.push({ cell, runs: n, meanGain: Math.max(-CLIP, Math.min(CLIP, steps[cell] / STEPS / n)) });
  }
  return { epsilon: epsilon ?? MOST_EPSILON, statistics };
}

/** Two updates are the same where this is. */
export function digestOf({ epsilon, statistics }: FederatedUpdate): string {
  // -0 is 0, in other bits.
  const all = [BASE_VERSION, epsilon, ...statistics.flatMap(({ cell, runs, meanGain }) => [cell, runs, meanGain + 0])];
  return createHash('sha256')
    .update(Buffer.from(Float64Array.from(all).buffer))
    .digest('hex');
}
