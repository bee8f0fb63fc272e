import { describe, expect, it } from 'vitest';
import { parseSearch, type Search } from './search.js';

const strategies = ['cma-es', 'planner', 'closed_form'];
const parsed = (text: string): Search => {
  const search = parseSearch(text, strategies);
  if (typeof search === 'string') throw new Error(search);
  return search;
};

describe('a search', () => {
  it('is made of words and of conditions, in any order', () => {
    expect(parsed('  Blue evaluations>500 status:failed best<=-1.5e-3 STRATEGY:cma-es team function:func_7 ')).toEqual({
      words: ['blue', 'team'],
      limits: [
        { measure: 'evaluations', op: '>', value: 500 },
        { measure: 'bestFitness', op: '<=', value: -0.0015 },
      ],
      status: 'failed',
      strategy: 'cma-es',
      functionId: 'func_7',
    });
    expect(parsed('dimensions>=10 seconds<.5 dimensions=12').limits).toEqual([
      { measure: 'dimensions', op: '>=', value: 10 },
      { measure: 'durationSeconds', op: '<', value: 0.5 },
      { measure: 'dimensions', op: '=', value: 12 },
    ]);
    expect(parsed('')).toEqual({ words: [], limits: [] });
  });

  it.each(['a<b', 'x->y', 'note=100%', '<script>', 'team:blue', '5>3', 'a.b>3', '>', 'évaluations>3', 'http://x?a=1'])(
    'takes %s for a word as it is',
    (word) => {
      expect(parsed(word)).toEqual({ words: [word], limits: [] });
    },
  );

  it.each([
    ['blue evaluations>many', '`evaluations>many`: after `>` comes a number, such as `evaluations>500`.'],
    ['best<', '`best<`: after `<` comes a number'],
    ['best<1e999', '`best<1e999`: after `<` comes a number'],
    ['evaluations>=0x10', '`evaluations>=0x10`: after `>=` comes a number'],
    [
      'evalutions>500',
      '`evalutions>500`: runs have no `evalutions` to compare; they have evaluations, best, dimensions, seconds. Did you mean `evaluations`?',
    ],
    ['colour<3', '`colour<3`: runs have no `colour` to compare'],
    [
      'status:faild',
      '`status:faild`: status must be one of pending, running, completed, failed. Did you mean `status:failed`?',
    ],
    ['strategy:', '`strategy:`: strategy must be one of cma-es, planner, closed_form.'],
    ['status:failed status:completed', '`status:completed`: a run has one status, and another was asked for.'],
    ['function:', '`function:`: after `:` comes an identifier.'],
  ])('that is wrong names the word: %s', (text, message) => {
    expect(parseSearch(text, strategies)).toContain(message);
  });
});
