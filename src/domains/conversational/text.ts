/** Text as the readers see it: one alphabet, words by their stems, mistyped words mended. */

const SAME_AS: Readonly<Record<string, string>> = {
  '\u00a0': ' ',
  '\u202f': ' ',
  '\u2009': ' ',
  '\u2007': ' ',
  '\t': ' ',
  '\u2018': "'",
  '\u2019': "'",
  '\u02bc': "'",
  '`': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2212': '-',
  '\u00d7': 'x',
  '\u2044': '/',
  '\u2264': '\u2264',
  '\u00b5': '\u03bc',
};

/** Lower case and plain signs, character by character, so that places in it are places in the text. */
export function normalised(text: string): string {
  let out = '';
  // By code unit: halves of a pair stay as they are.
  for (let i = 0; i < text.length; i++) {
    const unit = text.charAt(i);
    if (unit <= '~') {
      out += unit === '\t' ? ' ' : unit === '`' ? "'" : unit.toLowerCase();
      continue;
    }
    const same = SAME_AS[unit];
    const wide = /[\uff01-\uff5e]/.test(unit) ? String.fromCharCode(unit.charCodeAt(0) - 0xfee0) : unit;
    const lower = (same ?? wide).toLowerCase();
    out += lower.length === 1 ? lower : unit;
  }
  return out;
}

/** Forms that no rule finds, with their stems. */
const IRREGULAR: Readonly<Record<string, string>> = {
  goes: 'go',
  went: 'go',
  gone: 'go',
  bought: 'buy',
  kept: 'keep',
  made: 'mak',
  paid: 'pay',
  spent: 'spend',
  has: 'hav',
  had: 'hav',
  does: 'do',
  took: 'tak',
  taken: 'tak',
  won: 'win',
  wins: 'win',
  lost: 'los',
  loses: 'los',
  held: 'hold',
  ran: 'run',
  running: 'run',
  brought: 'bring',
  chose: 'choos',
};

/** The part that forms of a word share, for comparing words: no linguistics. */
export function stem(word: string): string {
  const irregular = Object.hasOwn(IRREGULAR, word) ? IRREGULAR[word] : undefined;
  if (irregular !== undefined) return irregular;
  let s = word.replace(/'s?$/, '').replaceAll("'", '');
  if (s.length > 4 && s.endsWith('ies')) s = `${s.slice(0, -3)}y`;
  else if (s.length > 4 && /(?:ss|x|ch|sh)es$/.test(s)) s = s.slice(0, -2);
  else if (s.length > 3 && s.endsWith('s') && !/(?:ss|us|is)$/.test(s)) s = s.slice(0, -1);
  const bare =
    s.length > 5 && s.endsWith('ing') ? s.slice(0, -3) : s.length > 4 && s.endsWith('ed') ? s.slice(0, -2) : s;
  if (bare !== s && /[aeiouy]/.test(bare))
    s = bare.length > 3 && /([bdgmnprt])\1$/.test(bare) ? bare.slice(0, -1) : bare;
  return s.length > 3 && s.endsWith('e') ? s.slice(0, -1) : s;
}

/** Damerau-Levenshtein distance (neighbours may change places), or `most` + 1 where it is more. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let edits = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1))
        edits = Math.min(edits, before[j - 2] + 1);
      row.push(edits);
      if (edits < least) least = edits;
    }
    if (least > most) return most + 1;
    before = last;
    last = row;
  }
  return last[b.length];
}

/** Edits that a mistyped word of that length may have. */
export const editsAllowed = (length: number): number => (length >= 8 ? 2 : length >= 5 ? 1 : 0);

/** Ordinary words that are one edit away from a word of the lexicon. */
const NEVER_MENDED = new Set(
  `about above after again along among another areas around asset based batch being below bonus brand bread break cases cause
  class clean clear close could cover daily dates doing drive early eight every exact extra fewer fifty final first fixed
  forty found frame fresh front given going goods grade great group guess hours house ideas imply items large later least
  leave level lines lists local lower maker makes match maybe meals means might minds month moral mount names needs never night
  north notes often older other parks parts party place plane plant plate point power press prime print prior proof prove
  quite range rates reach ready right roads rough round sales scale seems sends serve seven shall shape share sheet shift
  shirt shoes short shown since small solve spare speak split staff stage stale start state steak steel still stone stood store
  stuff style super table taken takes teams terms thank their there these thing think third those three times today total touch
  tower towns track train trees trend tried truck trust truth twice under until upper users usual value visit voice waste watch
  water weeks where which while whole whose woman world worry worse worst would write wrong years young
  having moving making taking living giving buying paying saying trying second wonder winter window sister better letter matter
  batter butter master faster later little middle number people person please points prefer reason result return season should
  simple single spring summer system things though through within without working another already morning evening between
  because believe looking nothing numbers perhaps problem quickly several shelves special thought thousand together usually
  whatever whether`.split(/\s+/),
);

/** Words by which others are mended; built once from all phrases of the lexicon and the slots. */
export class Vocabulary {
  private readonly words = new Set<string>();
  private readonly byLength = new Map<number, string[]>();
  private readonly stems = new Set<string>();

  constructor(phrases: Iterable<string>) {
    for (const phrase of phrases) for (const word of phrase.split(/[^a-z]+/)) this.add(word);
  }

  private add(word: string): void {
    if (word === '' || this.words.has(word)) return;
    this.words.add(word);
    this.stems.add(stem(word));
    if (word.length < 5) return;
    const same = this.byLength.get(word.length);
    if (same === undefined) this.byLength.set(word.length, [word]);
    else same.push(word);
  }

  /** The stem of the word, or of the nearest word that it may have been meant to be. */
  canonical(word: string): string {
    const own = stem(word);
    const most = editsAllowed(word.length);
    if (most === 0 || word.length > 24 || this.stems.has(own) || NEVER_MENDED.has(word)) return own;
    let best: { word: string; edits: number } | null = null;
    for (let length = word.length - most; length <= word.length + most; length++) {
      for (const other of this.byLength.get(length) ?? []) {
        if (other.charCodeAt(0) !== word.charCodeAt(0) && other.charCodeAt(1) !== word.charCodeAt(0)) continue;
        const edits = editDistance(word, other, best === null ? most : best.edits - 1);
        if (edits <= most && edits < (best?.edits ?? Infinity)) best = { word: other, edits };
      }
    }
    return best === null ? own : stem(best.word);
  }
}

/** Longest run of distinct unknown words that are mended; whoever writes more writes no message. */
const MOST_MENDED = 400;

/** Stems of words, each distinct word mended once. */
export class Stems {
  private readonly known = new Map<string, string>();
  constructor(private readonly vocabulary: Vocabulary) {}
  of(word: string): string {
    const known = this.known.get(word);
    if (known !== undefined) return known;
    const found = this.known.size < MOST_MENDED ? this.vocabulary.canonical(word) : stem(word);
    this.known.set(word, found);
    return found;
  }
}

/** Phrase as stems; `|` has been split before. */
export const stemsOf = (phrase: string): readonly string[] =>
  phrase
    .split(/[^a-z0-9_]+/)
    .filter(Boolean)
    .map(stem);
