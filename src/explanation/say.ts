import { phrase, type Numbers } from '../common/phrase.js';
import type { Statement, StatementTopic } from '../model/explanation.js';

/** A statement whose text is the template with its numbers. */
export function say(level: number, topic: StatementTopic, template: string, numbers: Numbers): Statement {
  // -0 becomes 0, as everywhere in answers.
  const evidence = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, value + 0]));
  return { level, topic, text: phrase(template, evidence), evidence };
}

/** Parts of a sentence, each with its numbers; numbers of equal names must be equal. */
export interface Clause {
  readonly template: string;
  readonly evidence: Numbers;
}

export const join = (clauses: readonly Clause[], separator: string): Clause => ({
  template: clauses.map(({ template }) => template).join(separator),
  evidence: Object.assign({}, ...clauses.map(({ evidence }) => evidence)) as Numbers,
});

/** Text that was made elsewhere, with the numbers in it: nothing of it is a template. */
export const quote = (text: string): string => text.replaceAll(/[{}]/g, '');

/** "a, b and c". */
export const listed = (names: readonly string[]): string => names.join(', ').replace(/, ([^,]*)$/, ' and $1');
