/** Sentences of which an earlier reader made a wrong value. */
import { expect, test } from 'vitest';
import type { Json } from '../../model/problem.js';
import { beginConversation, continueConversation } from './conversation.js';
import type { ConversationState } from './state.js';

const SENTENCES: readonly (readonly [text: string, values: Readonly<Record<string, Json | undefined>>])[] = [
  [
    'we get through 30 pallets a week, each order costs us £15, and storage runs at 80p per pallet per week. EOQ',
    { demand_rate: 1560, fixed_cost: 15, holding_cost: 41.6 },
  ],
  [
    "Demand is 10 a day (we're open 250 days a year). Setup costs $50, keeping one unit costs $2 per month.",
    { demand_rate: 2500, fixed_cost: 50, holding_cost: 24 },
  ],
  [
    'production run: demand 20,000 a year, we produce 100 a day 250 days a year, setup $500, holding $1 per unit-year',
    { demand_rate: 20000, production_rate: 25000, fixed_cost: 500, holding_cost: 1 },
  ],
  [
    'Not 500 but 600 units a year. Order cost was $20 but is now $25. Holding $1 per unit per year. EOQ.',
    { demand_rate: 600, fixed_cost: 25, holding_cost: 1 },
  ],
  [
    "demand isn't 1200 a year, it's 1500 a year. ordering costs $10, holding costs $2 per unit per year. EOQ",
    { demand_rate: 1500, fixed_cost: 10, holding_cost: 2 },
  ],
  [
    'we use 1825 tonnes a year, order fee 1.000 EUR, holding 10 EUR per tonne and month',
    { demand_rate: 1825, fixed_cost: 1000, holding_cost: 120 },
  ],
  [
    '10,5 € per order, 2.400 pieces per year, 1,20 € holding per piece per year',
    { demand_rate: 2400, fixed_cost: 10.5, holding_cost: 1.2 },
  ],
  [
    'We sell between 50 and 150 christmas trees, cost 20, price 45, leftover trees cost us 3 each to dispose of',
    { price: 45, unit_cost: 20, salvage_value: undefined },
  ],
  [
    'superiority trial with binary outcome: 30% respond on placebo, I hope for an improvement of 15 percentage points',
    { p_control: 0.3, p_treatment: undefined },
  ],
  [
    'fractional odds 5/2, I reckon a one in three chance to win. stake?',
    { win_probability: 1 / 3, win_loss_ratio: 2.5 },
  ],
  [
    'Drug with clearance 5 L/h, volume 40 L, oral bioavailability 80%, every 8 hours, target average concentration 2 mg/L',
    { clearance_l_h: 5, volume_l: 40, target_peak_mg_l: undefined },
  ],
  [
    `demand 1200 a year, order cost $${'9'.repeat(500)}, holding costs $2 per unit per year. EOQ`,
    { demand_rate: 1200, fixed_cost: undefined, holding_cost: 2 },
  ],
  ['Kelly: my chance to win is 2/3, and it pays 1.5 to 1', { win_probability: 2 / 3, win_loss_ratio: 1.5 }],
  ['Newsvendor: the price was 20 and the cost is now 8, demand between 50 and 150', { price: 20, unit_cost: 8 }],
  // What stands beside another number speaks of that one.
  [
    'I run a hardware shop. 500 hammers a month, $30 per delivery, 18% holding cost, a hammer costs $7.50',
    { demand_rate: 6000, fixed_cost: 30, holding_cost_rate: 0.18, unit_cost: 7.5 },
  ],
  [
    'demand 2400/yr. ordering cost $45. holding 25% of $12. how much to order',
    { holding_cost_rate: 0.25, unit_cost: 12, fixed_cost: 45 },
  ],
  [
    'EOQ, demand 100 units per day 5 days a week, order $10, holding $1 per unit per year',
    { demand_rate: 26000, fixed_cost: 10, holding_cost: 1 },
  ],
  // Counted things are no money and no share.
  [
    'we have 3 warehouses and 12 employees. annual demand is 9000 units; ordering cost 120 euros; holding 4 euros per unit per year',
    { demand_rate: 9000, fixed_cost: 120, holding_cost: 4 },
  ],
  [
    'We pay $2,000 a month for the warehouse. Demand 10k units a year, $90 per order. How many should I order at once?',
    { demand_rate: 10000, fixed_cost: 90, unit_cost: undefined, holding_cost: undefined },
  ],
  // A range, or two numbers alike, are no single number.
  [
    'How many should I order? We use between 900 and 1100 a year, order costs 20, holding costs 2 per unit per year',
    { demand_rate: undefined, fixed_cost: 20, holding_cost: 2 },
  ],
  [
    'vancomycin: 80 kg, Vd 0.7 L/kg, half life 6 h, infusion over 60 minutes every 12 h, AUC 400 to 600',
    { target_auc24_mg_h_l: undefined, infusion_h: 1, interval_h: 12 },
  ],
  [
    'Blood pressure trial: placebo lowers by 4, drug lowers by 10, sd 15. power 80',
    { mean_difference: undefined, standard_deviation: 15, power: 0.8 },
  ],
  [
    'trial to show reduction in mortality from 12% to 8%, 90% power, 5% significance',
    { p_control: 0.12, p_treatment: 0.08, hazard_reduction: undefined, power: 0.9, alpha: 0.05 },
  ],
  // Of last year, of a person, of a calendar.
  [
    'We sold 900 units last year and expect 1,100 units this year. Order cost 25, holding cost 3 per unit per year. EOQ.',
    { demand_rate: 1100, fixed_cost: 25, holding_cost: 3 },
  ],
  [
    'in 2024 we sold 1200 units, order cost 20, holding 2 per unit per year. eoq',
    { demand_rate: 1200, fixed_cost: 20, holding_cost: 2 },
  ],
  [
    'IV bolus, Vd 30 L, CL 5 L/h, peak 20 mg/L, trough 5 mg/L, patient is 65 years old and 70 kg',
    { volume_l: 30, clearance_l_h: 5, half_life_h: undefined, weight_kg: 70 },
  ],
  [
    'dose 500 mg iv bolus, volume 25 litres, clearance 3 L/h, peak 15, trough 4',
    { volume_l: 25, clearance_l_h: 3, weight_kg: undefined },
  ],
  // Ways to write a number.
  ['eoq: 1300/yr, $8/order, 22.5c per unit per year', { demand_rate: 1300, fixed_cost: 8, holding_cost: 0.225 }],
  [
    'eoq demand 1.200 per year, ordering cost 8 €, holding cost 0,225 € per piece and year',
    { demand_rate: 1200, fixed_cost: 8, holding_cost: 0.225 },
  ],
  [
    'Our demand is around 10k pieces p.a., set-up 350 EUR per batch, holding cost 15 EUR/100 pieces per year, eoq',
    { demand_rate: 10000, fixed_cost: 350, holding_cost: 0.15 },
  ],
  [
    'backorders are allowed: demand 1000 a year, order cost 50, holding 2, shortage cost 8 per unit per year',
    { demand_rate: 1000, fixed_cost: 50, holding_cost: 2, stockout_cost: 8, unit_cost: undefined },
  ],
  // Entries of lists: numbers of one entry, names that are names.
  [
    'Three assets: A returns 10% with risk 20, B returns 5% with risk 8',
    { assets: [{ id: 'A', expected_return: 0.1, volatility: 0.2 }, { id: 'B', expected_return: 0.05, volatility: 0.08 }] }, // prettier-ignore
  ],
  [
    'I want 6% a year from stocks (8%, 18%) and bonds (4%, 6%), lowest risk',
    { assets: [{ id: 'stocks', expected_return: 0.08, volatility: 0.18 }, { id: 'bonds', expected_return: 0.04, volatility: 0.06 }] }, // prettier-ignore
  ],
  [
    'I hold 30% stocks and 70% bonds. stocks return 8% with 17% volatility, bonds 3% with 6%. Best sharpe?',
    { assets: [{ id: 'stocks', expected_return: 0.08, volatility: 0.17 }, { id: 'bonds', expected_return: 0.03, volatility: 0.06 }] }, // prettier-ignore
  ],
  ['60% stocks 40% bonds now. expected returns 7% and 3%, volatilities 15% and 5%', { assets: undefined }],
  [
    'allocate 1 million between US equity (9% exp. return, 16% vol.) and EM equity (11%, 24%); corr .3',
    { assets: [{ id: 'US equity', expected_return: 0.09, volatility: 0.16 }, { id: 'EM equity', expected_return: 0.11, volatility: 0.24 }] }, // prettier-ignore
  ],
  [
    'min variance portfolio, 60/40 currently, stocks 9/17 and bonds 3/5 percent',
    { assets: [{ id: 'bonds', expected_return: 0.03, volatility: 0.05 }] },
  ],
  [
    'portfolio: stocks 8% 18%, bonds 4% 6%; correlation of stocks and bonds 0.2, of stocks and gold 0.1',
    { correlation: undefined },
  ],
  ['Split my savings across stocks, bonds and cash', { 'assets.names': ['stocks', 'bonds', 'cash'] }],
  [
    'Split my money between A, B and C. A returns 5% with 10%, B 7% and 15%, C 9% and 20%',
    { assets: [{ id: 'A', expected_return: 0.05, volatility: 0.1 }, { id: 'B', expected_return: 0.07, volatility: 0.15 }, { id: 'C', expected_return: 0.09, volatility: 0.2 }] }, // prettier-ignore
  ],
  [
    'split my money between google (5k, 100 leads) and meta (7k, 150 leads), 20k ad budget',
    { budget: 20000, channels: [{ id: 'google', current_spend: 5000, current_response: 100 }, { id: 'meta', current_spend: 7000, current_response: 150 }] }, // prettier-ignore
  ],
  [
    'budget 50k google 20k 400 leads, meta 10k 150 leads',
    { budget: 50000, channels: [{ id: 'google', current_spend: 20000, current_response: 400 }, { id: 'meta', current_spend: 10000, current_response: 150 }] }, // prettier-ignore
  ],
  ['ad money: I spend 5k on google and 3k on meta. leads 100 and 50', { channels: undefined }],
  [
    'budget allocation 25k: Google: $10k -> 300 conv, FB: $5k -> 100 conv, each conversion is worth $80',
    { budget: 25000, margin: 80, channels: [{ id: 'Google', current_spend: 10000, current_response: 300 }, { id: 'FB', current_spend: 5000, current_response: 100 }] }, // prettier-ignore
  ],
  // Formulas.
  [
    'I have a budget of 10000 for marketing. search 300*sqrt(spend), social 200*sqrt(spend)',
    { budget: 10000, channels: [{ id: 'search', response: { type: 'power', scale: 300, exponent: 0.5 } }, { id: 'social', response: { type: 'power', scale: 200, exponent: 0.5 } }] }, // prettier-ignore
  ],
  [
    'I have 10,000 for ads: channel A returns 5*x^0.5, channel B returns 1,800 ln(1 + x/2000)',
    { budget: 10000, channels: [{ id: 'A', response: { type: 'power', scale: 5, exponent: 0.5 } }, { id: 'B', response: { type: 'log', scale: 1800, half: 2000 } }] }, // prettier-ignore
  ],
  ['marketing budget 5000; email 12 ln(spend), search 30 log(1+spend)', { budget: 5000, channels: undefined, min_share: undefined }], // prettier-ignore
  ['ad budget 9k: TikTok saturates at 500 leads with half at 2k, YouTube saturates at 300 with half at 1k', { budget: 9000, channels: undefined }], // prettier-ignore
  ['Allocate $12k of ad budget between search and social; search brings 0.8 leads per dollar, social 0.5 leads per dollar', { budget: 12000, channels: undefined }], // prettier-ignore
  [
    'elasticity -1.8, current price $25, we sell 2000 units, cost $10',
    { elasticity: -1.8, unit_cost: 10, points: [[25, 2000]] },
  ],
  ['pricing: demand 1000 - 20p, cost $5, price not above 40', { unit_cost: 5, max_price: 40 }],
  [
    'We sell 300 mugs at 9.99 and 220 at 12.99. It costs us 4.20 to make one and fixed costs are 1000 a month.',
    { unit_cost: 4.2, points: [[9.99, 300], [12.99, 220]], fixed_cost: undefined }, // prettier-ignore
  ],
  // Places: the words of the way are no names, and no other number is a demand.
  [
    'route one truck through (0,0), (1,2), (3,4) and (5,1), depot at (0,0)',
    { depot: { x: 0, y: 0 }, customers: [{ id: '1', x: 0, y: 0 }, { id: '2', x: 1, y: 2 }, { id: '3', x: 3, y: 4 }, { id: '4', x: 5, y: 1 }] }, // prettier-ignore
  ],
  [
    'send the truck along (0,1), (4,4), (2,7)',
    { customers: [{ id: '1', x: 0, y: 1 }, { id: '2', x: 4, y: 4 }, { id: '3', x: 2, y: 7 }] }, // prettier-ignore
  ],
  [
    'I need to visit (1,2), the mill (3,4), (5,6) starting from home at (0,0) with my car',
    { depot: { x: 0, y: 0 }, customers: [{ id: '1', x: 1, y: 2 }, { id: 'mill', x: 3, y: 4 }, { id: '3', x: 5, y: 6 }] }, // prettier-ignore
  ],
  [
    'routes: from (0,0) to (1,2) to (3,4), one vehicle',
    { depot: { x: 0, y: 0 }, customers: [{ id: '1', x: 1, y: 2 }, { id: '2', x: 3, y: 4 }] }, // prettier-ignore
  ],
  [
    'my driver goes past the bakery (1,2) and the mill (5,6), start (0,0)',
    { depot: { x: 0, y: 0 }, customers: [{ id: 'bakery', x: 1, y: 2 }, { id: 'mill', x: 5, y: 6 }] }, // prettier-ignore
  ],
  [
    'deliver 3 parcels to (1,2) and 4 parcels to (3,5) from depot (0,0), one van with 10 parcels',
    { 'vehicles.count': 1, 'vehicles.capacity': 10, customers: [{ id: '1', x: 1, y: 2, demand: 3 }, { id: '2', x: 3, y: 5, demand: 4 }] }, // prettier-ignore
  ],
  [
    'delivery by 2 trucks of 100 kg, start 0,0. Stops: P (1,2) 40 kg, Q (3,1) 60 kg. Each stop takes 10 minutes',
    { 'vehicles.count': 2, 'vehicles.capacity': 100 },
  ],
  ['pack boxes 3, 4, 5, 6 into crates of 10', { item_sizes: [3, 4, 5, 6] }],
  ['bin capacity 100; items 45,45,30,30,25,20,10 ; 7 items', { item_sizes: [45, 45, 30, 30, 25, 20, 10] }],
  // Bets, trades, trials, tuning.
  [
    'I have a bankroll of $5,000 and win 60% of my bets at even odds. Kelly?',
    { win_probability: 0.6, win_loss_ratio: 1, average_win: undefined },
  ],
  ['betting: 52.4% win rate, odds 1.91 decimal', { win_probability: 0.524, win_loss_ratio: 0.91 }],
  ['my system has 40% winners, average win 3R, average loss 1R. kelly?', { win_probability: 0.4, win_loss_ratio: 3 }],
  [
    'liquidate 200k shares over two days with 8 intervals per day, sigma 0.5, eta 2e-6, lambda 1e-6',
    { horizon_days: 2, intervals: undefined },
  ],
  [
    'tune k for nearest neighbours, iris, from 1 to 15, 70/30 holdout',
    { 'evaluator.validation': { holdout: 0.3 }, search_space: { k: { type: 'int', low: 1, high: 15 } } },
  ],
  ['I sell 600 units a year.', { 'search_space.units': undefined }],
];

type Values = Readonly<Record<string, Json | undefined>>;

const foundIn = ({ collected }: ConversationState, values: Values): Values =>
  Object.fromEntries(
    Object.keys(values).map((name) => {
      const { value, source } = collected[name] ?? {};
      return [name, source === 'default' ? undefined : value];
    }),
  );

test.each(SENTENCES)('%s', (text, values) => {
  expect(foundIn(beginConversation(text), values)).toEqual(values);
});

const after = (...turns: readonly string[]): ConversationState =>
  turns.slice(1).reduce((state, turn) => continueConversation(state, turn), beginConversation(turns[0] ?? ''));

const SIMON = 'Simon two stage: p0 0.2, p1 0.4, alpha 5%, power 80%, minimax';
const EOQ = 'EOQ: demand 1000 a year, order cost 10';
const NEWSVENDOR = 'newsvendor: buy at 3, sell at 8';
const STOCKS = 'portfolio: stocks 8% 18%, bonds 4% 6%, correlation 0.2, max sharpe';

/** Messages, the last of which was misread, and what is known after it. */
const TALKS: readonly (readonly [turns: readonly string[], values: Values])[] = [
  // "not 20 but 15" is of what holds 20.
  [[SIMON, 'not 0.4 but 0.35'], { p1: 0.35, power: 0.8 }],
  [[SIMON, 'instead of 40 take 35'], { p1: 0.35, power: 0.8 }],
  [[EOQ, 'not 10 but 15'], { fixed_cost: 15, holding_cost: undefined }],
  [[EOQ, '2', 'the order cost is 14, not 10'], { fixed_cost: 14, holding_cost: 2 }],
  [['EOQ: demand 100 a month, order cost 20, holding 1', 'not 100 but 120'], { demand_rate: 1440 }],
  [['EOQ: demand 1000 a year, order cost 10, holding 10', 'not 10 but 12'], { fixed_cost: 10, holding_cost: 10 }],
  [['EOQ: demand 1000 a year, order cost 10, holding 2', 'not 150 but 5'], { demand_rate: 1000, fixed_cost: 10, holding_cost: 2 }], // prettier-ignore
  [['containers hold 1 tonne, items 480, 420 and 390 kg', 'not 480 but 450'], { item_sizes: [450, 420, 390], bin_capacity: 1 }], // prettier-ignore
  [['price: at 10 we sell 100, at 12 we sell 80', 'not 80 but 85'], { points: [[10, 100], [12, 85]], unit_cost: undefined }], // prettier-ignore
  [
    ['vehicle routing from (0,0). A(2,2) 3, B(4,4) 5; one van takes 10', 'actually A is at (2,3)'],
    { depot: { x: 0, y: 0 }, customers: [{ id: 'A', x: 2, y: 3, demand: 3 }, { id: 'B', x: 4, y: 4, demand: 5 }] }, // prettier-ignore
  ],
  // What is talked of beside the question answers nothing.
  [[EOQ, "what's the weather in Paris, 25 degrees?"], { holding_cost: undefined }],
  [[EOQ, 'I told you 2 times already'], { holding_cost: undefined }],
  [[EOQ, 'one moment'], { holding_cost: undefined }],
  [[EOQ, 'why not 20?'], { holding_cost: undefined }],
  [[EOQ, 'can you finish by 5 pm?'], { holding_cost: undefined }],
  [[STOCKS, 'my neighbour got 20 percent last year'], { risk_free_rate: undefined }],
  [[STOCKS, 'what is a risk free rate, is 3% high?'], { risk_free_rate: undefined }],
  [[EOQ, 'it is about 2, I think'], { holding_cost: 2 }],
  // Two numbers where one is asked for.
  [[EOQ, '2 or 3'], { holding_cost: undefined }],
  [[NEWSVENDOR, 'about 200, maybe 220'], { demand: undefined, 'demand.sd': undefined }],
  [[NEWSVENDOR, '200 with sd 30'], { demand: { distribution: 'normal', mean: 200, sd: 30 } }],
  [['EOQ: order cost 10, holding 2', 'between 900 and 1100'], { demand_rate: undefined }],
  // A part does not drop the whole that was said.
  [['IV bolus, Vd 30 L, clearance 5 L/h', 'the patient weighs 70 kg'], { volume_l: 30, weight_kg: 70 }],
  // What the question itself gives as an example of an answer is one.
  [['survival trial: hazard ratio .7, alpha .05, power .8', '1'], { allocation_ratio: 1 }],
  [['survival trial: hazard ratio .7, alpha .05, power .8', 'one'], { allocation_ratio: 1 }],
  [['survival trial: hazard ratio .7, alpha .05, power .8', 'Two.'], { allocation_ratio: 2 }],
  [['I sell 600 units a year.', 'economic order quantity'], { demand_rate: 600 }],
  // A price and a share in clauses of their own; and an answer per unit, which is no price.
  [
    ['EOQ: 200 a month, an order costs $45', 'twelve dollars a unit, carrying cost 20 pct'],
    { holding_cost_rate: 0.2, unit_cost: 12, holding_cost: 0.2 * 12 },
  ],
  [
    ['EOQ: 200 a month, an order costs $45', 'we hold at 20 percent a year, and it is $12 each'],
    { holding_cost_rate: 0.2, unit_cost: 12, holding_cost: 0.2 * 12 },
  ],
  [['We sell 1300 parts a year, an order costs $8. How many per order?', '0.225 per unit'], { holding_cost: 0.225 }],
];

test.each(TALKS)('%j', (turns, values) => {
  expect(foundIn(after(...turns), values)).toEqual(values);
});

test('two numbers for one slot are both named', () => {
  const { messages, notes } = after('EOQ: order cost 10, holding 2', 'between 900 and 1100');
  expect(messages.at(-1)?.text).toContain('900 to 1100? One number is needed');
  expect(notes).toContainEqual(expect.objectContaining({ kind: 'ambiguous', slot: 'demand_rate' }));
});

test('a number that several slots hold is replaced in none, and they are named', () => {
  const { messages } = after('EOQ: demand 1000 a year, order cost 10, holding 10', 'not 10 but 12');
  expect(messages.at(-1)?.text).toMatch(/10 was said more than once \(.*Fixed cost.*\), so nothing was changed/);
});

test('names without numbers, and a list of one, are not passed over in silence', () => {
  const two = after('portfolio', 'stocks, bonds and gold', 'stocks 7% and 15%, bonds 3% and 5%');
  expect(two.messages.at(-1)?.text).toContain('Without numbers, and so left out: gold.');
  const one = after('portfolio', 'gold: 5 percent return, 15 percent vol');
  expect([one.status, one.question?.slot]).toEqual(['waiting_for_input', 'assets']);
  expect(one.conflicts[0]?.message).toContain('Only one asset was understood, gold');
});

test('a curve that cannot be read is told', () => {
  const { notes } = beginConversation('ad budget 9k: TikTok saturates at 500 leads, YouTube saturates at 300');
  expect(notes.filter(({ kind }) => kind === 'unsupported')).toHaveLength(1);
});

test('"split my money" may be a portfolio or a budget, and A, B, C are names in either', () => {
  const asked = beginConversation('Split my money between A, B and C');
  expect([...(asked.question?.choices ?? [])].sort()).toEqual(['budget_allocation', 'portfolio']);
  for (const [type, slot] of [
    ['portfolio', 'assets.names'],
    ['budget_allocation', 'channels.names'],
  ] as const)
    // prettier-ignore
    expect(continueConversation(asked, type).collected[slot]?.value).toEqual(['A', 'B', 'C']);
});

test('a search for an architecture can be completed', () => {
  const state = beginConversation(
    'architecture search on digits: up to 3 layers, 16/32/64 units, at most 10,000 parameters, 20 epochs',
  );
  expect([state.status, state.conflicts]).toEqual(['ready_to_optimize', []]);
  expect(state.config).toMatchObject({ evaluator: { type: 'train', dataset: 'digits', epochs: 20 } });
});

test('a correction is of what was said, not of what is asked', () => {
  const told = 'We sell about 50 helmets a month, each order costs us 40 euros and a helmet costs 30 euros';
  const asked = beginConversation(told);
  expect(asked.question?.slot).toBe('holding_cost');
  const corrected = continueConversation(asked, 'sorry, make that 60 a month');
  expect(corrected.config['demand_rate']).toBe(720);
  expect(corrected.missing).toEqual(['holding_cost']);
});

test('a derived number is read back as people write it', () => {
  const { messages } = beginConversation('EOQ: demand 2400 a year, an order costs $45, $12 each, 20% to hold');
  expect(messages.at(-1)?.text).toContain('holding cost: 2.4;');
});

test.each([
  'I have 50k to spend on marketing: google got me 400 sales for 20k, facebook 250 for 15k',
  'I have 50k to spend on marketing: google got me 400 for 20k, facebook 250 for 15k',
  'I have 50k to spend on marketing: google 20k for 400 sales, facebook 15k for 250',
])('%s', (text) => {
  expect(beginConversation(text).config['channels']).toEqual([
    { id: 'google', current_spend: 20_000, current_response: 400 },
    { id: 'facebook', current_spend: 15_000, current_response: 250 },
  ]);
});

test('a response may be the larger number', () => {
  const { config } = beginConversation(
    'marketing budget 50k: google 20k for 60k revenue, facebook 15k for 40k revenue',
  );
  expect(config['channels']).toEqual([
    { id: 'google', current_spend: 20_000, current_response: 60_000 },
    { id: 'facebook', current_spend: 15_000, current_response: 40_000 },
  ]);
});
