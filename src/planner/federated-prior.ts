/**
 * Expectation of leaders beforehand, from what other deployments taught of a class of problems. Other deployments see
 * other problems: only differences between leaders within a class are read out of it, drawn towards none where they
 * rest on few runs.
 */
import { log } from '../common/float.js';
import { FEDERATED_COLUMN, FEDERATED_ROW } from '../model/federation.js';
import { COLUMN, KNOWLEDGE_COLUMNS, type ProblemFeatures } from '../model/learning.js';
import { STRATEGIES, LEADERS } from './leaders.js';
import { classOf, usualOf } from './problem-classes.js';

interface PriorOfLeader {
  /** Runs that it counts for against runs of the account. */
  readonly runs: number;
  /** Logarithm of what it takes for each evaluation that nobody's lead takes: below 0 it saves some. */
  readonly advantage: number;
}

export interface Prior {
  /** By their place in `LEADERS`; null: nothing is known. */
  readonly leaders: readonly (PriorOfLeader | null)[];
  /** Place in `LEADERS` of the one to follow; 0: none. */
  readonly best: number;
  /** Runs of other deployments that this rests on, and the logarithm of what they took, per dimensions^COST_POWER. */
  readonly weight: number;
  readonly logCost: number;
}

/** Runs that the assumption counts for that leaders make no difference. */
const DOUBT = 4;
/**
 * Decades that a leader is taken to save before gains are compared, for its share of all runs: at the deployments whose
 * runs they are it was chosen again and again, by what those know of their problems, and what became of the rest is
 * lost in the noise.
 */
const CHOSEN = 0.15;
/** Decades below which nobody is followed, and runs. */
const LEAST_SAVING = 0.08;
const LEAST_RUNS = 3;
/** Against runs of the account. */
const MOST_RUNS = 4;

/** Null: nothing is known of the class. `table`: see `Knowledge`. */
export function priorOf(table: Float64Array, features: ProblemFeatures): Prior | null {
  const problemClass = classOf(features);
  const known = STRATEGIES.map(() => ({ weight: 0, gain: 0 }));
  let all = 0;
  for (let at = table.length - KNOWLEDGE_COLUMNS; at >= 0; at -= KNOWLEDGE_COLUMNS) {
    if (table[at + COLUMN.isNoisy] !== FEDERATED_ROW) break;
    const cell = table[at + FEDERATED_COLUMN.cell];
    if (Math.floor(cell / STRATEGIES.length) !== problemClass) continue;
    const weight = table[at + FEDERATED_COLUMN.weight];
    known[cell % STRATEGIES.length] = { weight, gain: table[at + FEDERATED_COLUMN.meanGain] };
    all += weight;
  }
  if (!(all > 0)) return null;
  const nobody = known[0];
  const savings = known.map(({ weight, gain }, k) => {
    if (k === 0 || weight === 0) return 0;
    const runs = (weight * nobody.weight) / (weight + nobody.weight);
    return (DOUBT * CHOSEN * (weight / all) + runs * (gain - nobody.gain)) / (DOUBT + runs);
  });
  const best = savings.reduce((first, saving, k) => {
    const isKnown = LEADERS[k] !== undefined && known[k].weight >= LEAST_RUNS;
    return isKnown && saving > LEAST_SAVING && saving > savings[first] ? k : first;
  }, 0);
  const { weight, gain } = known[best];
  return {
    leaders: known.map((own, k) =>
      own.weight > 0 ? { runs: Math.min(MOST_RUNS, own.weight), advantage: -log(10) * savings[k] } : null,
    ),
    best,
    weight,
    logCost: log(10) * (usualOf(problemClass) - gain),
  };
}
