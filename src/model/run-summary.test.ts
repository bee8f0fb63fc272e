import { describe, expect, it } from 'vitest';
import { searchText, searchWords } from './run-summary.js';

describe('words of a search', () => {
  it.each([
    ['ΟΔΟΣ', 'ΟΔΟΣΗΜΑ'],
    ['οδος', 'ΟΔΟΣΗΜΑ'],
    ['ΣΑΣ', 'σας'],
    ['ﬁn', 'FINE'],
    ['Å', 'Ångström'],
  ])('%s is in %s, whatever the form of its letters', (word, text) => {
    const [found] = searchWords(word);
    expect(searchText('opt_1', { functionName: 'f' }, { text })).toContain(found);
  });
});
