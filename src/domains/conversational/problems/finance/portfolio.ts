/** Shares of money in assets. */
import type { Known, Slot, Finding } from '../../slots.js';
import { textOf, rowsOf, type Problem, namesOf, derived, numberOf, shownNumber, fieldsOf } from '../../problem.js';
import { isCorrelation, correlationsIn, pairsOf, correlationsOfPairs, matrixOf, pairKey } from './correlations.js';
import { readAssets, readPrices } from './assets.js';

const objectiveIs =
  (...values: readonly string[]) =>
  (known: Known) =>
    values.includes(textOf(known, 'objective') ?? '');

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
    askOnce: (known) => rowsOf(known('assets')).length > 1 || known('assets') === undefined,
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
    const own = rowsOf(value).map(({ id }) => String(id));
    const row = found.find(({ slot }) => slot === 'assets.names')?.value ?? known('assets.names');
    const taken = new Set(found.flatMap(({ used = [] }) => used));
    // Once some pairs are said, two names and a number are another one.
    const isAskedFor = asked === 'correlation' || pairsOf(known).length > 0;
    const pairs = correlationsOfPairs(message, own.length > 0 ? own : namesOf(row), own.length > 0, isAskedFor).filter(
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
    const assets = rowsOf(known('assets'));
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
      ...(rowsOf(known('assets')).length > 1 ? fieldsOf(known, ['correlation']) : {}),
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
