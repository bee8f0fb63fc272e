/** Correlations of pairs, costs that are said not to be there, limits on a number of things, money to be divided. */
import { expect, test } from 'vitest';
import { solveConfig } from '../../../test/support/problems.js';
import { PROBLEM_TYPES } from '../registry.js';
import { beginConversation, continueConversation } from './conversation.js';
import type { ConversationState } from './state.js';

const ASSETS = 'A 8% 15%, B 5% 10%, C 3% 6%';
const talk = (first: string, ...rest: readonly string[]): ConversationState =>
  rest.reduce((state, text) => continueConversation(state, text), beginConversation(first));

const MATRIX = [
  [1, 0.3, 0.1],
  [0.3, 1, -0.2],
  [0.1, -0.2, 1],
];

test.each([
  [`Portfolio of ${ASSETS}. correlation of A and B .3, A and C .1, B and C -.2, least risk`],
  [`Portfolio of ${ASSETS}, least risk. corr 0.3 between A and B, 0.1 between A and C, -0.2 between B and C`],
  ['Portfolio, least risk. correlation of A and B .3, A and C .1, B and C -.2', ASSETS],
  [`Portfolio of ${ASSETS}, least risk`, 'A/B 0.3, A/C 0.1, B/C -0.2'],
  [`Portfolio of ${ASSETS}, least risk. Correlation of A and B is 0.3, of A and C 0.1`, '-0.2'],
  [`Portfolio of ${ASSETS}, least risk. Correlation of A and B is 0.3`, 'A and C 0.1', 'of B and C: -0.2'],
])('takes a correlation for each pair: %j', (...texts) => {
  const { status, config } = talk(...(texts as [string]));
  expect([status, config['correlation']]).toEqual(['ready_to_optimize', MATRIX]);
});

test('a correlation of one pair is not taken for the others: they are asked for', () => {
  const state = beginConversation(`Portfolio of ${ASSETS}, least risk. Correlation of A and B is 0.3`);
  expect(state.config['correlation']).toBeUndefined();
  expect(state.question?.slot).toBe('correlation');
  expect(state.question?.text).toContain('A and C, of B and C');
  const rest = continueConversation(state, 'I do not know');
  expect(rest.config['correlation']).toEqual([
    [1, 0.3, 0],
    [0.3, 1, 0],
    [0, 0, 1],
  ]);
});

test('correlations whose pairs are unclear are not taken', () => {
  const { config } = beginConversation(
    `Portfolio of ${ASSETS}, least risk. Correlations are 0.3 with B and 0.1 with C`,
  );
  expect(config['correlation']).toBeUndefined();
});

test.each([
  [`Portfolio of ${ASSETS}, least risk. A correlates 0.3 with B and 0.1 with C, B correlates -0.2 with C`],
  [`Portfolio of ${ASSETS}, least risk. A correlates 0.3 with B and 0.1 with C; correlation of B with C -0.2`],
  [`Portfolio of ${ASSETS}, least risk. A correlates 0.3 with B and 0.1 with C`, '-0.2'],
])('takes the correlations of one asset with several: %j', (...texts) => {
  const { status, config } = talk(...(texts as [string]));
  expect([status, config['correlation']]).toEqual(['ready_to_optimize', MATRIX]);
});

test('loads and trucks without places are packed, and no rounds are planned', () => {
  const state = talk('fit 3, 4, 5, 6 tonnes into at most 3 trucks');
  expect([state.problem_type, state.model, state.question?.slot]).toEqual(['warehouse', 'bin_packing', 'bin_capacity']);
  expect(state.messages.at(-1)?.text).toContain('there is no limit to set');
  const { status, config } = continueConversation(state, '8 tonnes');
  expect([status, config]).toEqual([
    'ready_to_optimize',
    { model: 'bin_packing', item_sizes: [3, 4, 5, 6], bin_capacity: 8 },
  ]);
  const rounds = talk('deliver 3 tonnes to A (1,2) and 4 tonnes to B (3,4) with 2 trucks from (0,0)');
  expect(rounds.problem_type).toBe('vehicle_routing');
});

test('the number of trucks is no load', () => {
  const { config } = talk('I have loads of 3, 4, 5 and 6 tonnes and 3 trucks that take 8 tonnes each');
  expect(config).toEqual({ model: 'bin_packing', item_sizes: [3, 4, 5, 6], bin_capacity: 8 });
});

test('a correlation that cannot be is a conflict', () => {
  const { conflicts } = talk(`Portfolio of ${ASSETS}, least risk`, 'A/B 1.3, A/C 0.1, B/C -0.2');
  expect(conflicts.map(({ slot }) => slot)).toEqual(['correlation']);
});

test('the correlation of one pair is corrected by its names', () => {
  const corrected = talk(`Portfolio of ${ASSETS}, least risk. Correlation of A and B is 0.3, of A and C 0.1, of B and C 0.2`, 'no, the correlation of A and C is 0.4'); // prettier-ignore
  expect(corrected.config['correlation']).toEqual([
    [1, 0.3, 0.4],
    [0.3, 1, 0.2],
    [0.4, 0.2, 1],
  ]);
});

test.each([
  ['1300 units a year, no setup cost, holding $3 per unit per year, order quantity', 'fixed_cost'],
  ['demand 1000 a year, each order costs 50, without holding costs', 'holding_cost'],
  ['demand 1000 a year, holding 2 per unit and year, delivery fees are free, eoq', 'fixed_cost'],
  ['trial: mean difference 5 points, SD 12, power 80%, no dropout', 'dropout'],
  ['Sell 250k shares over 3 days in 6 slices, no permanent impact', 'permanent_impact'],
  ['portfolio of stocks 8% 18%, bonds 4% 6%, no risk-free rate', 'risk_free_rate'],
  ['portfolio of stocks 8% 18%, bonds 4% 6%, no correlation', 'correlation'],
])('%s: %s is 0', (text, slot) => {
  expect(beginConversation(text).collected[slot]?.value).toBe(0);
});

test.each([
  ['I have no holding cost figure. 1200 units a year, $40 per order', 'holding_cost'],
  ['no setup cost known, demand 1200 a year, holding 3 a unit and year', 'fixed_cost'],
  ['Is there no ordering cost? demand 1200 a year, eoq', 'fixed_cost'],
  ['not sure if there are no holding costs. demand 1200 a year, $40 per order', 'holding_cost'],
  ['eoq: demand 1200 a year, holding 3 a unit and year, no delivery on Sundays', 'fixed_cost'],
])('%s: %s is not 0', (text, slot) => {
  expect(beginConversation(text).collected[slot]).toBeUndefined();
});

test('a cost of 0 that leaves no lot size says why', () => {
  const state = beginConversation('1300 units a year, no setup cost, holding $3 per unit per year, order quantity');
  expect(state.conflicts).toEqual([{ slot: 'fixed_cost', message: expect.stringContaining('there is no lot size') }]);
  expect(continueConversation(state, '$20').config['fixed_cost']).toBe(20);
});

test.each([
  ['Pack items of 4, 8, 1, 4, 2, 1 into bins, max 3 bins', '10', 10],
  ['Pack 12 boxes of 30 kg into containers of 100 kg, max 3 containers', null, 100],
  ['Pack 12 boxes of 30 kg into at most 4 trucks', 'each takes 100 kg', 100],
])('a limit on the number of bins is no capacity: %s', (text, answer, capacity) => {
  const state = beginConversation(text);
  expect(state.notes.map(({ kind }) => kind)).toContain('unsupported');
  if (answer !== null) expect(state.collected['bin_capacity']).toBeUndefined();
  expect((answer === null ? state : continueConversation(state, answer)).config['bin_capacity']).toBe(capacity);
});

test('what one container holds at most is its capacity', () => {
  const { config, notes } = beginConversation('each container holds at most 40 boxes. items 5, 6, 7, 20');
  expect([config['bin_capacity'], notes]).toEqual([40, []]);
});

test('money between two symbols is a portfolio, and its shares are counted once their prices are known', async () => {
  const first = beginConversation('split 50k between VTI and BND');
  expect([first.problem_type, first.question?.slot, first.collected['capital']?.value]).toEqual(['portfolio', 'assets', 50_000]); // prettier-ignore
  expect(first.question?.text).toContain('VTI, BND');
  const asked = ['VTI 7% 16%, BND 4% 6%', 'max sharpe', '0.1', '3%'].reduce((state, text) => continueConversation(state, text), first); // prettier-ignore
  expect(asked.question?.slot).toBe('prices_now');
  const priced = continueConversation(asked, 'VTI 280, BND 72');
  expect(priced.config).toMatchObject({ capital: 50_000, prices_now: [280, 72] });
  const type = PROBLEM_TYPES.find(({ name }) => name === 'portfolio')!;
  const outcome = await solveConfig(type, priced.config);
  expect('error' in outcome ? outcome.error : null).toBeNull();
  const unpriced = continueConversation(asked, 'I do not know');
  expect([unpriced.status, unpriced.config['capital']]).toEqual(['ready_to_optimize', undefined]);
});

test('money between two media is a budget', () => {
  const { problem_type, collected } = beginConversation('split 50k between SEO and PPC');
  expect([problem_type, collected['budget']?.value]).toEqual(['budget_allocation', 50_000]);
});
