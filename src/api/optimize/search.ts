/**
 * What somebody looks for in the list of optimizations: words, and words that are conditions (`status:failed`,
 * `evaluations>500`). Knows nothing of stores.
 */
import { nearMatch } from '../../common/near-match.js';
import { RUN_STATUSES, type RunStatus } from '../../model/run-status.js';
import { type RunLimit, type RunMeasure, searchWords } from '../../model/run-summary.js';

export interface Search {
  readonly words: readonly string[];
  readonly limits: readonly RunLimit[];
  readonly status?: RunStatus;
  readonly strategy?: string;
  readonly functionId?: string;
}

export const SEARCHED_MEASURES = {
  evaluations: 'evaluations',
  best: 'bestFitness',
  dimensions: 'dimensions',
  seconds: 'durationSeconds',
} as const satisfies Readonly<Record<string, RunMeasure>>;
const isMeasure = (name: string): name is keyof typeof SEARCHED_MEASURES => Object.hasOwn(SEARCHED_MEASURES, name);

const COMPARISON = /^([a-z_]+)(<=|>=|<|>|=)(.*)$/i;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const CONDITION = /^(status|strategy|function):(.*)$/i;

/** A text is a complaint about one of the words, which it names. */
export function parseSearch(text: string, strategies: readonly string[]): Search | string {
  const limits: RunLimit[] = [];
  const chosen: { status?: RunStatus; strategy?: string; functionId?: string } = {};
  const words: string[] = [];
  for (const word of text.split(/\s+/).filter((one) => one !== '')) {
    const condition = CONDITION.exec(word);
    const complaint =
      condition === null ? compare(word, limits, words) : choose(word, condition[1], condition[2], strategies, chosen);
    if (complaint !== null) return complaint;
  }
  return { words: searchWords(words.join(' ')), limits, ...chosen };
}

function compare(word: string, limits: RunLimit[], words: string[]): string | null {
  const [, written = '', op = '', value = ''] = COMPARISON.exec(word) ?? [];
  const name = written.toLowerCase();
  if (isMeasure(name)) {
    const number = NUMBER.test(value) ? Number(value) : NaN;
    if (!Number.isFinite(number)) return `\`${word}\`: after \`${op}\` comes a number, such as \`${name}${op}500\`.`;
    limits.push({ measure: SEARCHED_MEASURES[name], op: op as RunLimit['op'], value: number });
    return null;
  }
  // Other words mean themselves, with every character in them.
  if (!/[<>]/.test(op) || !NUMBER.test(value)) {
    words.push(word);
    return null;
  }
  const near = nearMatch(name, Object.keys(SEARCHED_MEASURES));
  const known = Object.keys(SEARCHED_MEASURES).join(', ');
  return `\`${word}\`: runs have no \`${written}\` to compare; they have ${known}.${near === null ? '' : ` Did you mean \`${near}\`?`}`;
}

function choose(
  word: string,
  written: string,
  value: string,
  strategies: readonly string[],
  chosen: { status?: RunStatus; strategy?: string; functionId?: string },
): string | null {
  const name = written.toLowerCase();
  const oneOf = <T extends string>(known: readonly T[], key: 'status' | 'strategy'): string | T => {
    const found = known.find((one) => one === value);
    if (found === undefined) {
      const near = nearMatch(value, known);
      return `\`${word}\`: ${key} must be one of ${known.join(', ')}.${near === null ? '' : ` Did you mean \`${key}:${near}\`?`}`;
    }
    return found;
  };
  const set = <K extends keyof typeof chosen>(key: K, own: (typeof chosen)[K]): string | null => {
    if (chosen[key] !== undefined && chosen[key] !== own)
      return `\`${word}\`: a run has one ${name}, and another was asked for.`;
    chosen[key] = own;
    return null;
  };
  if (name === 'function')
    return value === '' ? `\`${word}\`: after \`:\` comes an identifier.` : set('functionId', value);
  if (name === 'status') {
    const status = oneOf(RUN_STATUSES, 'status');
    return isOne(RUN_STATUSES, status) ? set('status', status) : status;
  }
  const strategy = oneOf(strategies, 'strategy');
  return isOne(strategies, strategy) ? set('strategy', strategy) : strategy;
}

const isOne = <T extends string>(known: readonly T[], value: string): value is T => known.some((one) => one === value);
