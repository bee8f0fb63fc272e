/** Portfolios, hedges, stakes and the sale of a position. */
import type { Json, JsonObject } from '../../../model/problem.js';
import { longestRun, namedNumbers, namesInARow, pairedNumbers, sameName } from '../lists.js';
import type { Message } from '../message.js';
import { derived, fieldsOf, numberOf, shownNumber, textOf, type Problem, type ReadContext } from '../problem.js';
import type { Finding, Known, Slot } from '../slots.js';
import { insideTable, pastedTable, rowsAs } from '../tables.js';
import { unitNamed } from '../units.js';

const list = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? (value as JsonObject[]) : []);
const names = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? (value as string[]) : []);

const objectiveIs =
  (...values: readonly string[]) =>
  (known: Known) =>
    values.includes(textOf(known, 'objective') ?? '');

const isCorrelation = (value: number): string | null =>
  value >= -1 && value <= 1 ? null : 'A correlation lies between -1 and 1.';

const portfolioSlots: readonly Slot[] = [
  {
    name: 'assets',
    kind: null,
    isList: true,
    required: true,
    question: 'Which assets are there, and which return and which volatility do you expect of each?',
    example: 'stocks 8% return and 18% volatility, bonds 4% and 6%',
    help: 'Return: what a year brings on average. Volatility: how far a year strays from it, usually 15 to 20 percent for shares and 5 to 8 percent for bonds.', // prettier-ignore
  },
  {
    name: 'objective',
    kind: null,
    askOnce: true,
    default: 'max_sharpe',
    choices: [
      { value: 'max_sharpe', name: 'max sharpe', open: 'sharpe', cues: 'sharpe|return for the risk|best return for|risk adjusted|return per risk|bang for|best ratio|reward for risk|reward to risk|per unit of risk|efficient mix|return relative to risk|tangency|best trade off|return to risk' }, // prettier-ignore
      { value: 'min_volatility', name: 'min volatility', cues: 'least risk|min risk|minimal risk|lowest vol|least vol|lowest risk|minimum variance|safest|low volatility|minimise risk|minimize risk|as safe|min variance|smallest risk|lowest volatility|as little risk|least volatile|minimum risk|minimum volatility|minimize volatility|minimise volatility|little risk|lowest possible risk|smoothest|sleep at night|calmest|least fluctuation|minimize the risk|minimise the risk|reduce risk' }, // prettier-ignore
      {
        value: 'max_return',
        name: 'max return',
        cues: 'most return|highest return|maximum return|as much return|maximise return|maximize return',
      },
      {
        value: 'risk_parity',
        name: 'risk parity',
        cues: 'risk parity|equal risk|same risk|each contributes|equal risk contribution|contribute equally',
      },
      {
        value: 'max_diversification',
        name: 'max diversification',
        cues: 'diversification|most diversified|as diversified',
      },
      { value: 'efficient_return', name: 'efficient return', cues: 'target return|return of at least|at least a return|required return|need a return|want a return|expected return of at least|for a return of' }, // prettier-ignore
      { value: 'efficient_risk', name: 'efficient risk', cues: 'target volatility|volatility of at most|risk of at most|volatility below|risk budget|volatility at most|volatility under|volatility cap' }, // prettier-ignore
      { value: 'max_utility', name: 'max utility', cues: 'utility|risk aversion' },
    ],
    question: 'What is best for you: the best return for the risk (max sharpe), the least risk (min volatility), or something else?', // prettier-ignore
    example: 'best return for the risk',
  },
  {
    name: 'correlation',
    kind: 'number',
    absent: 'correlations?',
    cues: 'correlation|correlate|correlated|corr|move together|between all of them|rho',
    accepts: ({ value, currency }) => currency === null && Math.abs(value) <= 100,
    refuse: isCorrelation,
    askOnce: (known) => list(known('assets')).length > 1 || known('assets') === undefined,
    default: 0,
    question: 'How strongly do the assets move together (correlation, one number for all pairs)?',
    example: '0.3',
    help: 'From -1 to 1: 0 is none, 1 moves alike. Shares among each other have 0.5 to 0.8, shares and bonds about 0.',
  },
  {
    name: 'risk_free_rate',
    kind: 'share',
    absent: 'risk[ -]?free (?:rate|return|asset|interest)|interest on cash',
    cues: 'risk free|riskfree|risk free rate|in the bank|bank pays|savings account|t bill|treasury|treasuries|cash pays|bank account|bank|deposit|rf|money market|bills|tbill|cash yields|savings', // prettier-ignore
    askOnce: (known) => (textOf(known, 'objective') ?? 'max_sharpe') === 'max_sharpe',
    default: 0,
    question: 'Which return is there without risk, in the bank for example?',
    example: '2 percent',
    help: 'The interest of a savings account or of short government bonds.',
  },
  {
    name: 'max_weight',
    kind: 'share',
    cues: 'nothing|none|nothing above|nothing over|no asset|never|in any one|any one|any single|single asset|per asset|in one|in each|each asset|each position|one asset|one holding|per position|maximum weight|max weight|any of them|single position|each holding|any asset|any holding|each|in any', // prettier-ignore
    accepts: ({ comparison }) => comparison === 'at_most' || comparison === 'less_than' || comparison === 'more_than',
    question: 'Which share may one asset have at most?',
    example: '50 percent',
  },
  {
    name: 'min_weight',
    kind: 'share',
    cues: 'in each|each asset|each|every asset|minimum weight|min weight|every one|all of them|per asset|in every',
    accepts: ({ comparison }) => comparison === 'at_least',
    question: 'Which share must each asset have at least?',
    example: '5 percent',
  },
  {
    name: 'target_return',
    kind: 'share',
    cues: 'target return|required return|return of at least|at least|need a return|overall return|portfolio return|return target|target',
    accepts: ({ comparison, isPercent }) => isPercent && comparison !== 'at_most',
    required: objectiveIs('efficient_return'),
    question: 'Which return must the portfolio have at least?',
    example: '6 percent',
  },
  {
    name: 'target_volatility',
    kind: 'share',
    cues: 'target volatility|volatility of at most|risk of at most|at most|volatility below|portfolio volatility|risk budget',
    accepts: ({ isPercent }) => isPercent,
    required: objectiveIs('efficient_risk'),
    question: 'Which volatility may the portfolio have at most?',
    example: '10 percent',
  },
  {
    name: 'risk_aversion',
    kind: 'number',
    cues: 'risk aversion|aversion|aversion coefficient',
    accepts: ({ isPercent, value }) => !isPercent && value > 0,
    question: 'How strong is your risk aversion (utility is the return less half of it times the variance)?',
    example: '3',
  },
  {
    name: 'capital',
    kind: 'money',
    cues: 'split|divide|invest|allocate|put|spread|distribute|have|budget|capital|portfolio of|savings|nest egg|pension|to work with',
    against: 'a share|per share|price|each|costs',
    accepts: ({ value, per, comparison }) => value >= 100 && per === null && comparison === null,
    question: 'How much money is to be divided?',
    example: '50,000',
  },
  {
    name: 'prices_now',
    kind: null,
    isList: true,
    applies: (known) => known('capital') !== undefined,
    askOnce: (known) => known('assets') !== undefined,
    default: null,
    nullMeans: 'none, so that the answer is in shares of the money',
    question: 'What does a share of each asset cost now, in the order of the assets? Without prices the answer is in shares of the money.', // prettier-ignore
    example: '280, 72',
  },
  {
    name: 'max_assets',
    kind: 'count',
    cues: 'assets|securities|stocks|funds|etfs|at most assets|names|positions|holdings|assets at most|different assets|number of assets',
    accepts: ({ comparison, value }) => (comparison === 'at_most' || comparison === 'less_than') && value >= 1,
    question: 'How many assets may be held at most?',
    example: '5',
  },
];

const ASSET_COLUMNS = { id: /^(?:id|name|asset|ticker|symbol|fund|stock)/, expected_return: /return|mu|mean/, volatility: /vol|risk|sd|std|sigma|deviation/ }; // prettier-ignore

type Role = 'return' | 'risk' | null;
const RISK = '(?:vol|volatility|volatilities|risk|std|sd|deviation|sigma)';
const RETURN = '(?:returns?|returning|yields?|earns?|mean)';
const IS = '(?: (?:of|is|about|around))* ?[:=]? ?$';
const AFTER = '^ ?(?:(?!and\\b)\\w+\\.? )?';
const before = (words: string): RegExp => new RegExp(`\\b${words}${IS}`);
const after = (words: string): RegExp => new RegExp(`${AFTER}(?:standard )?${words}\\b`);
const [RISK_BEFORE, RETURN_BEFORE, RISK_AFTER, RETURN_AFTER] = [
  before(RISK),
  before(RETURN),
  after(RISK),
  after(RETURN),
];

/** Roles that the words beside two numbers give them: "returns 10% with risk 20", "18% volatility and 8% return". */
function rolesOf({ plain, quantities }: Message, a: number, b: number): readonly [Role, Role] {
  const [first, second] = [quantities[a], quantities[b]];
  const gap = plain.slice(first.end, second.start);
  const head = plain.slice(Math.max(quantities[a - 1]?.end ?? 0, first.start - 26), first.start);
  const tail = plain.slice(second.end, Math.min(second.end + 26, quantities[b + 1]?.start ?? Infinity)).split(/[,;()]/)[0] ?? ''; // prettier-ignore
  const ahead: Role = RISK_BEFORE.test(head) ? 'risk' : RETURN_BEFORE.test(head) ? 'return' : null;
  const behind: Role = RISK_AFTER.test(tail) ? 'risk' : RETURN_AFTER.test(tail) ? 'return' : null;
  const ofFirst: Role = RISK_AFTER.test(gap) ? 'risk' : RETURN_AFTER.test(gap) ? 'return' : null;
  const ofSecond: Role = RISK_BEFORE.test(gap) ? 'risk' : RETURN_BEFORE.test(gap) ? 'return' : null;
  // A word between both belongs to the one that has no other.
  if (ahead !== null) return [ahead, ofSecond ?? behind];
  return behind !== null ? [ofFirst, behind] : [ofFirst, ofFirst === ofSecond ? null : ofSecond];
}

/** Numbers of a sentence that speaks of correlation. */
const correlationsIn = ({ plain, quantities }: Message, isAskedFor: boolean): readonly number[] =>
  quantities.flatMap(({ start, value, written, isPercent, isWeak, currency, unit, comparison }, i) => {
    const sentence =
      plain
        .slice(Math.max(0, start - 400), start)
        .split(/[;!?\n]|\.\s/)
        .at(-1) ?? '';
    const rest = plain.slice(start).split(/[;!?\n,]|\.\s/)[0];
    const isPossible = !isWeak && currency === null && unit === null && comparison === null && Math.abs(value) <= 1;
    // "correlation 0.2, target return 6%": a percentage is one only in the clause that says so.
    const isShare = isPercent && Math.abs(written) > 1 && !isAskedFor && !/\bcorr|\brho\b/.test(sentence.split(',').at(-1)!); // prettier-ignore
    const speaks = isAskedFor || /\bcorr|\brho\b/.test(sentence) || /\bcorr|\brho\b/.test(rest);
    return isPossible && !isShare && speaks ? [i] : [];
  });

/**
 * Several correlations, or one that names two of more assets: each is of its pair, and never of all. `areAll`: there are
 * no other assets than those of `own`.
 */
function correlationsOfPairs(message: Message, own: readonly string[], areAll: boolean, isAskedFor: boolean) {
  const said = correlationsIn(message, isAskedFor);
  if (said.length === 0 || (own.length === 2 && said.length === 1)) return [];
  const pairs = pairedNumbers(message, said, own) ?? (areAll ? null : pairedNumbers(message, said, [])) ?? [];
  // A single pair of unknown names is nothing to rely on: "between 0.2 and 0.3".
  return pairs.length === 1 && own.length < 3 ? [] : pairs;
}

interface Pair {
  readonly a: string;
  readonly b: string;
  readonly value: number;
}

const pairsOf = (known: Known): readonly Pair[] => list(known('correlation.pairs')) as unknown as readonly Pair[];
const pairKey = (a: string, b: string): string => [a.toLowerCase(), b.toLowerCase()].sort().join('\n');

/** The matrix of the pairs that were said. `missing`: pairs that none was said for. */
function matrixOf(known: Known, other: number | null) {
  const ids = list(known('assets')).map(({ id }) => String(id));
  const values = new Map<string, number>();
  for (const { a, b, value } of pairsOf(known)) {
    const [first, second] = [sameName(a, ids), sameName(b, ids)];
    if (first !== null && second !== null) values.set(pairKey(first, second), value);
  }
  const missing = ids.flatMap((a, i) => ids.slice(i + 1).flatMap((b) => (values.has(pairKey(a, b)) ? [] : [`${a} and ${b}`]))); // prettier-ignore
  const matrix = ids.map((a) => ids.map((b) => (a === b ? 1 : (values.get(pairKey(a, b)) ?? other ?? 0))));
  return { matrix, missing, size: ids.length };
}

/** A price for each asset: "280, 72", or each with its name. */
function readPrices(message: Message, own: readonly string[]): Finding[] {
  const isPrice = ({ isPercent, unit, value, isWeak }: Message['quantities'][number]): boolean => !isPercent && unit === null && value > 0 && !isWeak; // prettier-ignore
  const named = namedNumbers(message, 1, isPrice, own);
  const used =
    named.length === own.length ? named.flatMap(({ numbers }) => numbers) : [...longestRun(message, isPrice)];
  if (used.length !== own.length || own.length === 0) return [];
  const at = own.map((id, j) => (named.length === own.length ? named.find(({ name }) => name === id)?.numbers[0] : used[j])); // prettier-ignore
  if (at.some((i) => i === undefined)) return [];
  const text = message.text.slice(message.quantities[used[0]].start, message.quantities[used.at(-1)!].end);
  return [{ slot: 'prices_now', value: at.map((i) => message.quantities[i!].value), text, confidence: 0.9, used }];
}

/** Assets: a table, names with two numbers each, or names alone. */
function readAssets(message: Message, { known, asked }: ReadContext): Finding[] {
  const table = pastedTable(message.text);
  const rows = table === null ? null : rowsAs(table, ASSET_COLUMNS, ['id', 'expected_return', 'volatility']);
  if (rows !== null) {
    const used = insideTable(message, table!);
    const percent = (value: Json | undefined): Json =>
      typeof value === 'number' && Math.abs(value) > 1.5 ? value / 100 : value!;
    const assets = rows.map((row) => ({ ...row, expected_return: percent(row['expected_return']), volatility: percent(row['volatility']) })); // prettier-ignore
    return [{ slot: 'assets', value: assets, text: `a table of ${rows.length} rows`, confidence: 0.95, used }];
  }
  const row = namesInARow(message, asked === 'assets');
  const earlier = names(known('assets.names'));
  const own = earlier.length > 0 ? earlier : (row?.names ?? []);
  const excluded = /\bcorr|risk[ -]?free|bank|treasury|deposit|t-?bill|rho|money market|savings account/;
  const isOne = (index: number): boolean => {
    const one = message.quantities[index];
    if (one.currency !== null || one.comparison !== null || one.isWeak || one.unit !== null || one.range !== null)
      return false;
    const isSaid = /\b(?:returns?|risk|vol|volatility|sd|std|sigma|deviation|yields?|earns?)(?: (?:of|is|about|around))* ?[:=]? ?$/.test(message.plain.slice(Math.max(0, one.start - 24), one.start)); // prettier-ignore
    if (asked === 'correlation' && !one.isPercent) return false;
    if (!one.isPercent && !(Math.abs(one.value) < 1 && one.value !== 0) && !(isSaid && one.value <= 100)) return false;
    // "9/17" are two numbers, whatever they make when divided.
    if (!one.isPercent && message.plain.slice(one.start, one.end).includes('/')) return false;
    const sentence =
      message.plain
        .slice(Math.max(0, one.start - 200), one.start)
        .split(/[;!?\n]|\.\s/)
        .at(-1) ?? '';
    if (!one.isPercent && /\bcorr|\brho\b/.test(sentence)) return false;
    const from = Math.max(message.quantities[index - 1]?.end ?? 0, one.start - 34);
    return !excluded.test(message.plain.slice(from, one.start)) && !/^ (?:risk[ -]?free|in the bank|correl)/.test(message.plain.slice(one.end, one.end + 14)); // prettier-ignore
  };
  // Names that were given in a row may be incomplete: then the numbers' own words name the assets.
  const isAsset = (_: unknown, i: number): boolean => isOne(i);
  let pairs = namedNumbers(message, 2, isAsset, own);
  const free = namedNumbers(message, 2, isAsset, []);
  if (free.length > pairs.length)
    pairs = free.map(({ name, numbers }) => ({ name: sameName(name, own) ?? name, numbers }));
  const before = list(known('assets'));
  if (pairs.length === 0) {
    return row === null || before.length > 0 || (earlier.length > 0 && asked !== 'assets')
      ? []
      : [{ slot: 'assets.names', value: [...row.names], text: row.names.join(', '), confidence: 0.7 }];
  }
  // A single pair is an asset only where others are: "5 percent alpha and 80 percent power" has no assets.
  // "risk 20" beside a return of 10% is 20 percent.
  const valueAt = (index: number): number => {
    const { value, isPercent } = message.quantities[index];
    return !isPercent && value >= 1 ? value / 100 : value;
  };
  const assets = pairs.flatMap(({ name, numbers: [a = 0, b = 0] }) => {
    const [first, second] = rolesOf(message, a, b);
    // Two returns or two risks are no asset.
    if (first !== null && first === second) return [];
    const swaps = first === 'risk' || (second === 'return' && first === null);
    return [{ id: name, expected_return: valueAt(swaps ? b : a), volatility: valueAt(swaps ? a : b) }];
  });
  if (assets.length === 0) return [];
  const merged = new Map<string, JsonObject>(before.map((asset) => [String(asset['id']).toLowerCase(), asset]));
  for (const asset of assets) merged.set(asset.id.toLowerCase(), asset);
  const first = message.quantities[pairs[0].numbers[0]];
  const last = message.quantities[pairs.at(-1)!.numbers.at(-1)!];
  const used = pairs.flatMap(({ numbers }) => numbers);
  return [{ slot: 'assets', value: [...merged.values()], text: message.text.slice(first.start, last.end), confidence: 0.85, used }]; // prettier-ignore
}

export const portfolio: Problem = {
  domain: 'financial',
  type: 'portfolio',
  model: null,
  slots: portfolioSlots,
  // Several correlations whose pairs cannot be told apart are of none.
  ignores: (message) => {
    const said = correlationsIn(message, false);
    return said.length >= 2 ? said : [];
  },
  read(message, context) {
    const found = readAssets(message, context);
    const { known, asked } = context;
    const value = found.find(({ slot }) => slot === 'assets')?.value ?? known('assets');
    const own = list(value).map(({ id }) => String(id));
    const row = found.find(({ slot }) => slot === 'assets.names')?.value ?? known('assets.names');
    const taken = new Set(found.flatMap(({ used = [] }) => used));
    // Once some pairs are said, two names and a number are another one.
    const isAskedFor = asked === 'correlation' || pairsOf(known).length > 0;
    const pairs = correlationsOfPairs(message, own.length > 0 ? own : names(row), own.length > 0, isAskedFor).filter(
      ({ number }) => !taken.has(number),
    );
    if (asked === 'prices_now') found.push(...readPrices(message, own));
    if (pairs.length === 0) {
      // One number for the pairs that are left.
      const { missing } = matrixOf(known, null);
      const rest = message.quantities.flatMap(({ isWeak, value: one }, i) => (!isWeak && Math.abs(one) <= 1 && !taken.has(i) ? [i] : [])); // prettier-ignore
      const isRest = asked === 'correlation' && pairsOf(known).length > 0 && missing.length > 0 && rest.length === 1;
      if (!isRest) return found;
      const { value: one, start, end } = message.quantities[rest[0]];
      const text = message.text.slice(start, end);
      return [...found, { slot: 'correlation.rest', value: one, text, confidence: 0.9, used: rest }];
    }
    const merged = new Map(pairsOf(known).map((pair) => [pairKey(pair.a, pair.b), pair]));
    for (const { pair: [a, b], number } of pairs) merged.set(pairKey(a, b), { a, b, value: message.quantities[number].value }); // prettier-ignore
    const used = pairs.map(({ number }) => number);
    const text = message.text.slice(message.quantities[used[0]].start, message.quantities[used.at(-1)!].end);
    const all = [...merged.values()].map((pair) => ({ ...pair }));
    return [...found, { slot: 'correlation.pairs', value: all, text, confidence: 0.85, used }];
  },

  derive(known) {
    // A target is an objective.
    const found: Finding[] = [];
    if (known('objective') === undefined && known('target_return') !== undefined)
      found.push(derived('objective', 'efficient_return', 'Objective: least volatility for the return that you need.'));
    else if (known('objective') === undefined && known('target_volatility') !== undefined)
      found.push(derived('objective', 'efficient_risk', 'Objective: most return for the volatility that you allow.'));
    if (pairsOf(known).length > 0) {
      const isDefault = known('correlation') !== undefined && !Array.isArray(known('correlation'));
      const other = numberOf(known, 'correlation.rest') ?? (isDefault ? numberOf(known, 'correlation') : null);
      const { matrix, missing, size } = matrixOf(known, other);
      if (size > 1 && (missing.length === 0 || other !== null)) {
        const rest = missing.length === 0 ? '' : `, ${shownNumber(other!)} for ${missing.join(', ')}`;
        found.push(derived('correlation', matrix, `Correlation: of each pair as said${rest}.`));
      }
    }
    return found;
  },
  conflicts(known) {
    const wrong = pairsOf(known).find(({ value }) => isCorrelation(value) !== null);
    if (wrong !== undefined) return [{ slot: 'correlation', message: `The correlation of ${wrong.a} and ${wrong.b} cannot be ${shownNumber(wrong.value)}.` }]; // prettier-ignore
    const assets = list(known('assets'));
    if (assets.length === 1)
      return [{ slot: 'assets', message: `Only one asset was understood, ${String(assets[0]['id'])}: there is nothing to divide. Please name the others, each with its return and volatility.` }]; // prettier-ignore
    const [most, least] = [numberOf(known, 'max_weight'), numberOf(known, 'min_weight')];
    if (assets.length > 0 && most !== null && most * assets.length < 1 - 1e-9)
      return [{ slot: 'max_weight', message: `${assets.length} assets with at most ${shownNumber(most * 100)} percent each do not add up to 100 percent.` }]; // prettier-ignore
    if (assets.length > 0 && least !== null && least * assets.length > 1 + 1e-9)
      return [{ slot: 'min_weight', message: `${assets.length} assets with at least ${shownNumber(least * 100)} percent each exceed 100 percent.` }]; // prettier-ignore
    return [];
  },
  build(known) {
    const objective = textOf(known, 'objective') ?? 'max_sharpe';
    return {
      ...fieldsOf(known, ['assets', 'objective']),
      ...(list(known('assets')).length > 1 ? fieldsOf(known, ['correlation']) : {}),
      ...(objective === 'max_sharpe' ? fieldsOf(known, ['risk_free_rate']) : {}),
      ...fieldsOf(known, ['max_weight', 'min_weight', 'max_assets']),
      // Whole shares need prices.
      ...(Array.isArray(known('prices_now')) ? fieldsOf(known, ['capital', 'prices_now']) : {}),
      ...(objective === 'max_utility' ? fieldsOf(known, ['risk_aversion']) : {}),
      ...(objective === 'efficient_return' ? fieldsOf(known, ['target_return']) : {}),
      ...(objective === 'efficient_risk' ? fieldsOf(known, ['target_volatility']) : {}),
    };
  },
};

const isPositive = (value: number): string | null => (value > 0 ? null : 'It must be above 0.');

export const hedgeRatio: Problem = {
  domain: 'financial',
  type: 'risk_management',
  model: 'hedge_ratio',
  slots: [
    {
      name: 'spot_volatility',
      kind: 'number',
      cues: 'spot|spot change|spot price|spot volatility|cash price|physical|of spot|spot standard deviation|our price|local price|cash market', // prettier-ignore
      against: 'futures|future|correlation|contract',
      required: true,
      refuse: isPositive,
      question: 'What is the standard deviation of the changes of the spot price?',
      example: '0.0263',
      help: 'Take the changes over periods as long as the hedge, and their standard deviation.',
    },
    {
      name: 'futures_volatility',
      kind: 'number',
      cues: 'futures|future|futures price|futures change|of the futures|futures volatility|futures contract',
      against: 'spot|correlation|contract size|per contract|each contract|contract covers',
      required: true,
      refuse: isPositive,
      question: 'What is the standard deviation of the changes of the futures price?',
      example: '0.0313',
      help: 'Over the same periods as for the spot price.',
    },
    {
      name: 'correlation',
      kind: 'number',
      cues: 'correlation|correlated|correlate|corr|rho|correlation coefficient',
      required: true,
      accepts: ({ value }) => Math.abs(value) <= 100,
      refuse: isCorrelation,
      question: 'What is the correlation of both changes?',
      example: '0.928',
    },
    {
      name: 'exposure_units',
      kind: 'amount',
      keepsUnit: true,
      cues: 'exposure|buy|sell|need|purchase|hedge|exposed|own|hold|will buy|will sell|harvest|produce|deliver|exposed to|holding|long|short|consume',
      against: 'contract|per contract|each contract|contract size|futures contract covers',
      accepts: ({ value, isPercent }) => !isPercent && value > 1,
      required: true,
      refuse: isPositive,
      question: 'How many units are exposed to the price?',
      example: '2 million gallons',
    },
    {
      name: 'contract_size',
      kind: 'amount',
      weakCues: 'each|apiece',
      keepsUnit: true,
      cues: 'contract size|per contract|each contract|one contract|contract is for|contract covers|a contract|contract|contracts of|contract is|lot size|every contract', // prettier-ignore
      accepts: ({ value, isPercent }) => !isPercent && value >= 1,
      required: true,
      refuse: isPositive,
      question: 'How many units does one futures contract cover?',
      example: '42,000 gallons',
      help: 'The exchange says it in the contract specification.',
    },
  ],
  derive(known) {
    const [own, contract] = [textOf(known, 'exposure_units.unit'), textOf(known, 'contract_size.unit')];
    const size = numberOf(known, 'contract_size');
    if (own === null || contract === null || own === contract || size === null) return [];
    const [a, b] = [unitNamed(own), unitNamed(contract)];
    if (a === undefined || b === undefined || a.dimension !== b.dimension) return [];
    const converted = Number(((size * b.factor) / a.factor).toPrecision(12));
    const message = `A contract of ${shownNumber(size)} ${contract} is ${shownNumber(converted)} ${own}.`;
    return [{ ...derived('contract_size.converted', converted, message), notes: [{ kind: 'unit_converted', slot: 'contract_size', message }] }]; // prettier-ignore
  },
  build: (known) => ({
    model: 'hedge_ratio',
    ...fieldsOf(known, ['spot_volatility', 'futures_volatility', 'correlation', 'exposure_units', 'contract_size']),
    ...(known('contract_size.converted') === undefined ? {} : { contract_size: known('contract_size.converted')! }),
  }),
};

export const kellySizing: Problem = {
  domain: 'financial',
  type: 'trading_strategy',
  model: 'kelly_sizing',
  // A bankroll is neither won nor lost in one bet.
  ignores: ({ plain, quantities }) =>
    quantities.flatMap(({ start, end }, i) => (/\b(?:bankroll|capital|account|wallet|funds|savings|i have|i've got|we have)(?: (?:of|is|about|with|balance|a|worth))* ?$/.test(plain.slice(Math.max(0, start - 34), start)) || /^ (?:\w+ )?(?:bankroll|account|capital|wallet)\b/.test(plain.slice(end, end + 30)) ? [i] : [])), // prettier-ignore
  slots: [
    {
      name: 'win_probability',
      kind: 'share',
      cues: 'win|wins|probability|chance|chance of winning|hit rate|win rate|success rate|right|of the time|odds of winning|winning|wins about|chances|come out ahead|pays off|profitable|successful|works out|works|winners|winning trades|winner', // prettier-ignore
      against: 'lose|loss|pays|paid|average win|average winner|average gain|average loss',
      accepts: ({ currency }) => currency === null,
      required: true,
      refuse: (value) =>
        value > 0 && value < 1 ? null : 'A probability lies between 0 and 1, or between 0 and 100 percent.',
      question: 'How often do you win?',
      example: '55 percent of the time',
      help: 'Count wins among past bets or trades; at least some dozens.',
    },
    {
      name: 'loss_probability',
      kind: 'share',
      partOf: 'win_probability',
      cues: 'lose|losing|chance of losing|probability of loss|lose about|goes wrong',
      accepts: ({ currency }) => currency === null,
      question: '',
      example: '',
    },
    {
      name: 'win_loss_ratio',
      kind: 'odds',
      cues: 'odds|payoff|pays|payout|ratio|win loss ratio|times what i lose|times the stake|reward to risk|risk reward|to one|times my|times as much|reward|times|for every|paid|bigger than|as large as|as big as', // prettier-ignore
      required: true,
      accepts: ({ value, isPercent }) => !isPercent && value > 0,
      refuse: isPositive,
      question: 'How much do you win for each unit that you can lose?',
      example: '1 to 1, or 2.5 to 1',
      help: 'The average win divided by the average loss.',
    },
    { name: 'average_win', kind: 'money', partOf: 'win_loss_ratio', cues: 'win|average win|gain|make|winning trade|winners|profit|average gain|i make|winner', against: 'lose|loss|losing|losers', accepts: ({ isPercent, currency }) => isPercent || currency !== null, question: '', example: '' }, // prettier-ignore
    { name: 'average_loss', kind: 'money', partOf: 'win_loss_ratio', cues: 'lose|average loss|loss|losing trade|losers|losing|loser|risk', against: 'win|gain|winners', accepts: ({ isPercent, currency }) => isPercent || currency !== null, question: '', example: '' }, // prettier-ignore
    {
      name: 'fraction',
      kind: 'share',
      cues: 'kelly|full kelly|of kelly|fraction of kelly|of full kelly|times kelly',
      accepts: ({ value }) => value <= 1,
      question: 'Which fraction of the full Kelly stake?',
      example: 'half',
    },
  ],
  read(message, { asked }) {
    const found: Finding[] = [];
    const ratio = /(\d{1,4}(?:\.\d{1,4})?) ?(?::|-?to-?| for | against ) ?(\d{1,4}(?:\.\d{1,4})?)(?![\d%])/.exec(
      message.plain,
    );
    const isOdds = asked === 'win_loss_ratio' || /odds|pay|paid|payoff|payout|win|stake|bet|reward/.test(message.plain);
    if (ratio !== null && isOdds && Number(ratio[2]) > 0 && Number(ratio[1]) > 0) {
      const end = ratio.index + ratio[0].length;
      const used = message.quantities.flatMap(({ start }, i) => (start >= ratio.index && start < end ? [i] : []));
      found.push({
        slot: 'win_loss_ratio',
        value: Number(ratio[1]) / Number(ratio[2]),
        text: ratio[0],
        confidence: 0.9,
        used,
      });
    } else if (
      /even money|evens\b|even odds|double or nothing|same as (?:i|my|the) (?:lose|loss|stake)|as much as i lose|double my (?:money|stake)/.test(
        message.plain,
      )
    ) {
      const word =
        /even money|evens|even odds|double or nothing|as much as i lose|double my (?:money|stake)|same as/.exec(
          message.plain,
        )?.[0];
      found.push({ slot: 'win_loss_ratio', value: 1, text: word ?? 'even', confidence: 0.9 });
    } else {
      const twice = /(twice|double|three times|triple) (?:what|as (?:much|large|big|high|great)|the|my|of what)/.exec(
        message.plain,
      );
      const decimal = /decimal odds (?:of |are )?(\d{1,3}(?:\.\d{1,3})?)|odds (?:of |are )?(\d{1,3}(?:\.\d{1,3})?),? \(?decimal/.exec(message.plain); // prettier-ignore
      const multiples = /\b(?:win|wins|winner|winners|gain)(?: (?:of|is|are))? (\d{1,3}(?:\.\d{1,3})?) ?r\b.{1,30}\b(?:loss|losses|loser|losers|lose)(?: (?:of|is|are))? (\d{1,3}(?:\.\d{1,3})?) ?r\b/.exec(message.plain); // prettier-ignore
      if (multiples !== null && Number(multiples[2]) > 0) {
        const end = multiples.index + multiples[0].length;
        const used = message.quantities.flatMap(({ start }, i) => (start >= multiples.index && start < end ? [i] : []));
        found.push({ slot: 'win_loss_ratio', value: Number(multiples[1]) / Number(multiples[2]), text: multiples[0], confidence: 0.9, used }); // prettier-ignore
      } else if (decimal !== null && Number(decimal[1] ?? decimal[2]) > 1) {
        const value = Number((Number(decimal[1] ?? decimal[2]) - 1).toPrecision(12));
        const used = message.quantities.flatMap(({ start }, i) => (start >= decimal.index && start < decimal.index + decimal[0].length ? [i] : [])); // prettier-ignore
        found.push({ slot: 'win_loss_ratio', value, text: decimal[0], confidence: 0.9, used });
      } else if (twice !== null) {
        const used = message.quantities.flatMap(({ start }, i) => (start >= twice.index && start < twice.index + twice[0].length ? [i] : [])); // prettier-ignore
        found.push({ slot: 'win_loss_ratio', value: twice[1] === 'twice' || twice[1] === 'double' ? 2 : 3, text: twice[0], confidence: 0.8, used }); // prettier-ignore
      }
    }
    const outOf =
      /(\d{1,6}|one|two|three|four|five|six|seven|eight|nine) (?:out of|times? out of|in|of|times? in|time out of) (?:every )?(\d{1,7}|ten|three|four|five|two|twenty|hundred|a hundred)\b/.exec(
        message.plain,
      );
    const spelled = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
    const figure = (text: string): number => {
      if (/\d/.test(text)) return Number(text);
      return text === 'twenty' ? 20 : text.endsWith('hundred') ? 100 : spelled.indexOf(text);
    };
    if (outOf !== null && figure(outOf[1]) < figure(outOf[2])) {
      const end = outOf.index + outOf[0].length;
      const used = message.quantities.flatMap(({ start }, i) => (start >= outOf.index && start < end ? [i] : []));
      found.push({
        slot: 'win_probability',
        value: figure(outOf[1]) / figure(outOf[2]),
        text: outOf[0],
        confidence: 0.85,
        used,
      });
    }
    if (/half[ -]kelly/.test(message.plain))
      found.push({ slot: 'fraction', value: 0.5, text: 'half Kelly', confidence: 0.9 });
    if (/quarter[ -]kelly/.test(message.plain)) found.push({ slot: 'fraction', value: 0.25, text: 'quarter Kelly', confidence: 0.9 }); // prettier-ignore
    return found;
  },
  derive(known) {
    const found: Finding[] = [];
    const [win, loss] = [numberOf(known, 'average_win'), numberOf(known, 'average_loss')];
    if (win !== null && loss !== null && loss > 0)
      found.push(derived('win_loss_ratio', win / loss, `Win to loss: ${shownNumber(win)} to ${shownNumber(loss)}.`));
    const lose = numberOf(known, 'loss_probability');
    if (lose !== null)
      found.push(derived('win_probability', Number((1 - lose).toPrecision(12)), 'Wins: whatever is not lost.'));
    return found;
  },
  build: (known) => ({ model: 'kelly_sizing', ...fieldsOf(known, ['win_probability', 'win_loss_ratio', 'fraction']) }),
};

export const optimalExecution: Problem = {
  domain: 'financial',
  type: 'trading_strategy',
  model: 'optimal_execution',
  slots: [
    {
      name: 'shares',
      kind: 'amount',
      cues: 'shares|sell|liquidate|share|stock|buy|unwind|position|block|offload|get rid of|unload',
      against: 'days|intervals|volatility|impact|per share|a share|slices',
      accepts: ({ isPercent, currency, unit, value }) =>
        !isPercent && currency === null && unit === null && value >= 10,
      required: true,
      refuse: isPositive,
      question: 'How many shares are to be sold?',
      example: '1 million',
    },
    {
      name: 'horizon_days',
      kind: { unit: 'day' },
      cues: 'days|over|within|horizon|trading days|day',
      weakCues: 'in|during',
      required: true,
      refuse: isPositive,
      question: 'Within how many days?',
      example: '5 days',
    },
    {
      name: 'intervals',
      kind: 'count',
      cues: 'intervals|trades|slices|tranches|steps|pieces|chunks|rounds|orders|lots|child orders|portions|parts',
      accepts: ({ value, per }) => value >= 1 && per === null,
      required: true,
      question: 'In how many trades?',
      example: '5',
    },
    {
      name: 'volatility_per_day',
      kind: 'money',
      cues: 'volatility|moves|standard deviation|daily volatility|sigma|vol|swing|fluctuates|daily standard deviation|std',
      against: 'impact|risk aversion',
      required: true,
      question: 'What is the standard deviation of the price in a day, in money per share?',
      example: '0.95',
      help: 'Daily volatility in percent times the price.',
    },
    {
      name: 'temporary_impact',
      kind: 'number',
      cues: 'temporary impact|temporary|temp impact|eta',
      required: true,
      question: 'What is the temporary impact: money per share for each share a day that is traded?',
      example: '2.5e-6',
      help: 'A common estimate: the half spread when trading one percent of the daily volume.',
    },
    {
      name: 'permanent_impact',
      kind: 'number',
      absent: 'permanent (?:market |price )?impact',
      cues: 'permanent impact|permanent|perm impact|gamma',
      question: 'What is the permanent impact, in money per share for each share sold?',
      example: '2.5e-7',
    },
    {
      name: 'fixed_cost_per_share',
      kind: 'money',
      absent: '(?:fixed (?:costs?|fees?)|commissions?|fees?|spread|half[ -]spread)(?: per share)?',
      cues: 'fixed cost|half spread|spread|fee|per share|commission|epsilon|half the spread',
      against: 'volatility|impact',
      question: 'What is the fixed cost per share, such as half the spread?',
      example: '0.0625',
    },
    {
      name: 'risk_aversion',
      kind: 'number',
      cues: 'risk aversion|lambda|aversion|averse|risk tolerance',
      required: true,
      question: 'What is your risk aversion, per unit of money?',
      example: '2e-6',
      help: 'How much expected cost you would pay to have the variance of the cost one unit smaller; 1e-6 is common for a desk.',
    },
  ],
  build: (known) => ({
    model: 'optimal_execution',
    ...fieldsOf(known, ['shares', 'horizon_days', 'intervals', 'volatility_per_day', 'temporary_impact', 'permanent_impact', 'fixed_cost_per_share', 'risk_aversion']), // prettier-ignore
  }),
};
