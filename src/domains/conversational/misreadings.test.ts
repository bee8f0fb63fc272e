/** Sentences of which an earlier reader made a wrong value. */
import { expect, test } from 'vitest';
import type { Json } from '../../model/problem.js';
import { beginConversation, continueConversation } from './conversation.js';

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
];

test.each(SENTENCES)('%s', (text, values) => {
  const { collected } = beginConversation(text);
  const found = Object.fromEntries(
    Object.keys(values).map((name) => {
      const { value, source } = collected[name] ?? {};
      return [name, source === 'default' ? undefined : value];
    }),
  );
  expect(found).toEqual(values);
});

test('a correction is of what was said, not of what is asked', () => {
  const told = 'We sell about 50 helmets a month, each order costs us 40 euros and a helmet costs 30 euros';
  const asked = beginConversation(told);
  expect(asked.question?.slot).toBe('holding_cost');
  const corrected = continueConversation(asked, 'sorry, make that 60 a month');
  expect(corrected.config['demand_rate']).toBe(720);
  expect(corrected.missing).toEqual(['holding_cost']);
});
