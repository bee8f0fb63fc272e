/**
 * Which offer each segment gets: a programme of 0 and 1 over (segment, offer), a segment being contacted as a whole.
 */
import { z } from 'zod';
import { quote, say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { ConstraintState } from '../../../model/problem.js';
import { lineChart, type Point } from '../../charts/line-chart.js';
import { amount, checkUnique, count, id, list, matrix, number, withIds } from '../../fields.js';
import { model } from '../../problem-type.js';
import type { LinearProgram } from '../../solvers/linear-program.js';
import { choose, multipliersOf, proofOf } from '../../solvers/binary-programme.js';

export const MOST_SEGMENTS = 2_000;
export const MOST_OFFERS = 50;
export const MOST_CELLS = 20_000;
const SIZE = 1e9;

const fields = z.strictObject({
  segments: list(
    z.strictObject({ id: id.optional(), size: amount('Customers in it').max(SIZE) }),
    'Groups of customers who are contacted as a whole',
    MOST_SEGMENTS,
  ),
  offers: list(
    z.strictObject({
      id: id.optional(),
      cost_per_contact: amount('Cost of one contact').max(SIZE),
      margin: number('Profit of one response, before contacts').min(-SIZE).max(SIZE),
      max_contacts: amount('Contacts with this offer at most').optional(),
    }),
    'What customers can be sent',
    MOST_OFFERS,
  ),
  propensity: matrix(
    'Probability that a customer of the segment (row) responds to the offer (column)',
    { most: MOST_SEGMENTS },
    { most: MOST_OFFERS, minimum: 0, maximum: 1 },
  ),
  budget: amount('Money for contacts'),
  max_offers_per_segment: count('Offers that a segment gets at most', 1, MOST_OFFERS).default(1),
  min_contacts: amount('Contacts in all, at least').optional(),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;

interface Cell {
  readonly s: number;
  readonly o: number;
  readonly size: number;
  readonly cost: number;
  readonly responses: number;
  readonly profit: number;
}

const cellsOf = ({ segments, offers, propensity }: Config): Cell[] =>
  segments.flatMap(({ size }, s) =>
    offers.map(({ cost_per_contact, margin }, o) => {
      const responses = size * propensity[s][o];
      const cost = size * cost_per_contact;
      return { s, o, size, cost, responses, profit: responses * margin - cost };
    }),
  );

function programOf(config: Config, cells: readonly Cell[]): LinearProgram {
  const { segments, offers, budget, max_offers_per_segment, min_contacts } = config;
  const [segmentIds, offerIds] = [withIds(segments), withIds(offers)].map((items) => items.map((item) => item.id));
  const terms = (of: (cell: Cell) => number): (readonly [number, number])[] =>
    cells.flatMap((cell, i) => (of(cell) === 0 ? [] : [[i, of(cell)] as const]));
  return {
    sense: 'maximize',
    columns: cells.map(({ s, o, profit }) => ({
      name: `${offerIds[o]} to ${segmentIds[s]}`,
      cost: profit,
      upper: 1,
      isInteger: true,
    })),
    rows: [
      { name: 'budget', upper: budget, terms: terms(({ cost }) => cost) },
      ...segments.map((_, s) => ({
        name: `offers to ${segmentIds[s]}`,
        upper: max_offers_per_segment,
        terms: offers.map((__, o) => [s * offers.length + o, 1] as const),
      })),
      ...offers.flatMap(({ max_contacts }, o) =>
        max_contacts === undefined
          ? []
          : [
              {
                name: `max_contacts of ${offerIds[o]}`,
                upper: max_contacts,
                terms: terms((cell) => (cell.o === o ? cell.size : 0)),
              },
            ],
      ),
      ...(min_contacts === undefined
        ? []
        : [{ name: 'min_contacts', lower: min_contacts, terms: terms(({ size }) => size) }]),
    ],
  };
}

const sum = (cells: readonly Cell[], of: (cell: Cell) => number): number => cells.reduce((a, cell) => a + of(cell), 0);

/** Segments that get nothing, and why. */
function leftOut({ offers }: Config, cells: readonly Cell[], taken: readonly Cell[], segmentIds: readonly string[]) {
  const reached = new Set(taken.map(({ s }) => s));
  return segmentIds.flatMap((name, s) => {
    if (reached.has(s)) return [];
    const best = offers.reduce((most, _, o) => Math.max(most, cells[s * offers.length + o].profit), -Infinity);
    return [{ id: name, reason: best <= 0 ? 'no_offer_is_worth_its_cost' : 'others_bring_more', best_profit: best }];
  });
}

function constraintsOf(
  { offers, budget, min_contacts }: Config,
  taken: readonly Cell[],
  offerIds: readonly string[],
): ConstraintState[] {
  const limit = (name: string, value: number, most: number): ConstraintState => ({
    name,
    value,
    limit: most,
    slack: most - value,
    binding: most - value <= 1e-9 * (1 + most),
  });
  const states = [limit('budget', sum(taken, ({ cost }) => cost), budget)]; // prettier-ignore
  for (const [o, { max_contacts }] of offers.entries()) {
    if (max_contacts === undefined) continue;
    const own = taken.filter((cell) => cell.o === o);
    states.push(limit(`max_contacts of ${offerIds[o]}`, sum(own, ({ size }) => size), max_contacts)); // prettier-ignore
  }
  if (min_contacts === undefined) return states;
  const contacts = sum(taken, ({ size }) => size);
  const slack = contacts - min_contacts;
  const binding = slack <= 1e-9 * (1 + contacts);
  return [...states, { name: 'min_contacts', value: contacts, limit: min_contacts, slack, binding }];
}

export const offerTargeting = model({
  name: 'offer_targeting',
  summary: 'Which offer each segment of customers gets, within a budget for contacts.',
  fields,
  example: {
    model: 'offer_targeting',
    segments: [
      { id: 'new', size: 4000 },
      { id: 'loyal', size: 1500 },
      { id: 'lapsed', size: 6000 },
    ],
    offers: [
      { id: 'email', cost_per_contact: 0.05, margin: 20 },
      { id: 'call', cost_per_contact: 2, margin: 120, max_contacts: 2000 },
    ],
    propensity: [
      [0.02, 0.03],
      [0.05, 0.06],
      [0.008, 0.012],
    ],
    budget: 3500,
  },

  check({ segments, offers, propensity }, complain) {
    if (!checkUnique(segments, 'segments', complain) || !checkUnique(offers, 'offers', complain)) return;
    if (propensity.length !== segments.length || propensity[0].length !== offers.length) {
      const found = `${propensity.length} x ${propensity[0].length}`;
      complain(
        ['propensity'],
        `\`{field}\` must be ${segments.length} x ${offers.length}, segments by offers, not ${found}.`,
      );
    } else if (segments.length * offers.length > MOST_CELLS) {
      complain(['segments'], `\`{field}\` times \`offers\` can be at most ${MOST_CELLS}.`);
    }
  },

  sense: () => 'maximize',

  async solve(config, context) {
    const { segments, offers, max_offers_per_segment, min_contacts } = config;
    const cells = cellsOf(config);
    const program = programOf(config, cells);
    const chosen = await choose(program, context, {
      objective: (values) =>
        sum(
          cells.filter((_, i) => values[i] === 1),
          ({ profit }) => profit,
        ),
      infeasible: `The budget and the limits do not leave room for ${min_contacts ?? 0} contacts.`,
    });
    const multiplier = (await multipliersOf(program, context))?.[0] ?? null;
    const taken = cells.filter((_, i) => chosen.values[i] === 1);
    const [segmentIds, offerIds] = [withIds(segments), withIds(offers)].map((items) => items.map((item) => item.id));
    const profit = sum(taken, (cell) => cell.profit);
    const spend = sum(taken, ({ cost }) => cost);
    const contacts = sum(taken, ({ size }) => size);
    return {
      reason: 'who gets what is a choice of yes and no under linear limits',
      bestSolution: cells.map(({ size }, i) => size * chosen.values[i]),
      bestFitness: profit,
      decisionVariables: cells.map(({ s, o }) => `contacts of ${segmentIds[s]} with ${offerIds[o]}`),
      result: {
        assignments: taken.map(({ s, o }) => [segmentIds[s], offerIds[o]]),
        spend,
        expected_profit: profit,
        expected_responses: sum(taken, ({ responses }) => responses),
        contacts,
        contacts_by_offer: Object.fromEntries(
          offerIds.map((name, o) => [
            name,
            sum(
              taken.filter((c) => c.o === o),
              ({ size }) => size,
            ),
          ]),
        ),
        budget_multiplier: multiplier,
        left_out: leftOut(config, cells, taken, segmentIds),
      },
      ...proofOf(chosen, profit),
      constraints: constraintsOf(config, taken, offerIds),
      assumptions: [
        {
          code: 'whole_segments',
          field: 'config.segments',
          message: 'A segment is contacted as a whole or not at all.',
        },
        ...(max_offers_per_segment > 1
          ? [
              {
                code: 'independent_offers',
                field: 'config.max_offers_per_segment',
                message: 'A customer’s response to one offer does not depend on the others that he gets.',
              },
            ]
          : []),
      ],
    };
  },

  verify(config, { bestSolution, bestFitness }) {
    const { segments, offers, propensity, budget, max_offers_per_segment, min_contacts = 0 } = config;
    let profit = 0;
    let spend = 0;
    let contacts = 0;
    const byOffer = offers.map(() => 0);
    for (const [s, { size }] of segments.entries()) {
      const row = bestSolution.slice(s * offers.length, (s + 1) * offers.length);
      if (size > 0 && row.filter((n) => n > 0).length > max_offers_per_segment)
        return `segment ${s + 1} gets too many offers`;
      for (const [o, n] of row.entries()) {
        if (n !== 0 && n !== size) return `a part of segment ${s + 1} is contacted`;
        profit += n * (propensity[s][o] * offers[o].margin - offers[o].cost_per_contact);
        spend += n * offers[o].cost_per_contact;
        contacts += n;
        byOffer[o] += n;
      }
    }
    const tolerance = 1e-8;
    if (spend > budget + tolerance * (1 + budget)) return `${spend} is more than the budget`;
    if (contacts < min_contacts - tolerance * (1 + min_contacts)) return 'there are too few contacts';
    if (offers.some(({ max_contacts = Infinity }, o) => byOffer[o] > max_contacts + tolerance * (1 + max_contacts)))
      return 'an offer is sent too often';
    return Math.abs(profit - bestFitness) <= tolerance * (1 + Math.abs(profit) + spend)
      ? null
      : `the profit is ${profit}`;
  },

  explain({ budget }, { bestFitness, result }) {
    const { assignments, spend, expected_responses, left_out, budget_multiplier } = result as unknown as {
      readonly assignments: readonly (readonly [string, string])[];
      readonly spend: number;
      readonly expected_responses: number;
      readonly left_out: readonly { readonly id: string; readonly reason: string }[];
      readonly budget_multiplier: number | null;
    };
    const shown = assignments
      .slice(0, 5)
      .map(([segment, offer]) => `${quote(offer)} to ${quote(segment)}`)
      .join(', ');
    const statements: Statement[] = [
      assignments.length === 0
        ? say(1, 'result', 'Contact nobody: no offer is worth its cost within the limits.', {})
        : say(
            1,
            'result',
            `Send ${shown}${assignments.length > 5 ? ', and so on' : ''}: {profit} of profit from {responses:response|responses}.`,
            {
              profit: bestFitness,
              responses: expected_responses,
            },
          ),
      say(2, 'choice', '{spend} of the budget of {budget} is spent.', { spend, budget }),
    ];
    const dear = left_out.filter(({ reason }) => reason === 'no_offer_is_worth_its_cost').length;
    if (left_out.length > 0) {
      statements.push(
        say(2, 'choice', '{count:segment gets|segments get} nothing; for {dear} of them no offer is worth its cost.', {
          count: left_out.length,
          dear,
        }),
      );
    }
    if (budget_multiplier !== null && budget_multiplier > 0) {
      statements.push(
        say(
          4,
          'sensitivity',
          'If contacts could be made in part, one more unit of budget would bring at most {worth} of profit.',
          {
            worth: budget_multiplier,
          },
        ),
      );
    }
    return statements;
  },

  pictures: {
    profit_by_spend: (config, { bestSolution }) => {
      const taken = cellsOf(config).filter(({ size }, i) => bestSolution[i] > 0 && size > 0);
      if (taken.length === 0) return null;
      const further = stepsBeyond(config, taken);
      const chosen = pathOf([0, 0], taken.toSorted(byProfitability));
      const end = chosen[taken.length];
      const beyond = pathOf(end, further);
      return lineChart({
        title: 'Profit by spend, the most profitable contacts first',
        xName: `spend (${config.currency ?? 'money'})`,
        yName: `profit (${config.currency ?? 'money'})`,
        series: [
          { name: 'chosen contacts', points: chosen },
          ...(further.length === 0
            ? []
            : [
                { name: 'what more budget would add', points: beyond, isDashed: true },
                { name: 'budget', points: [0, beyond[further.length][1]].map((y) => [config.budget, y] as const) },
              ]),
        ],
        marks: [{ at: end, name: 'this plan' }],
      });
    },
  },
});

const byProfitability = (a: Cell, b: Cell): number => b.profit * (a.cost || 1e-9) - a.profit * (b.cost || 1e-9);

/** Spend and profit from a point on, after each step. */
function pathOf([spend, profit]: Point, steps: readonly Pick<Cell, 'cost' | 'profit'>[]): Point[] {
  let at: Point = [spend, profit];
  return [at, ...steps.map((step) => (at = [at[0] + step.cost, at[1] + step.profit]))];
}

/** As many steps beyond the budget are drawn. */
const MOST_STEPS = 100;

interface Step {
  readonly cost: number;
  readonly profit: number;
  readonly added: Cell;
  /** Null: the segment had an offer left. */
  readonly removed: Cell | null;
}

/**
 * What a growing budget would add to the plan, one contact at a time: another offer, or a dearer one in exchange, each
 * time what earns most for its cost. The best plan of a larger budget earns that or more.
 */
function stepsBeyond(config: Config, taken: readonly Cell[]): Step[] {
  const { segments, offers, max_offers_per_segment } = config;
  const cells = cellsOf(config).filter(({ size }) => size > 0);
  const bySegment = segments.map((_, s) => taken.filter((cell) => cell.s === s));
  const contactsLeft = offers.map(({ max_contacts = Infinity }) => max_contacts);
  for (const { o, size } of taken) contactsLeft[o] -= size;
  const steps: Step[] = [];
  while (steps.length < MOST_STEPS) {
    let best: Step | null = null;
    for (const added of cells) {
      const own = bySegment[added.s];
      if (contactsLeft[added.o] < added.size || own.some(({ o }) => o === added.o)) continue;
      for (const removed of own.length < max_offers_per_segment ? [null] : own) {
        const cost = added.cost - (removed?.cost ?? 0);
        const profit = added.profit - (removed?.profit ?? 0);
        if (!(cost > 0 && profit > 0)) continue;
        if (best === null || profit * best.cost > best.profit * cost) best = { cost, profit, added, removed };
      }
    }
    if (best === null) break;
    const { added, removed } = best;
    bySegment[added.s] = [...bySegment[added.s].filter((cell) => cell !== removed), added];
    contactsLeft[added.o] -= added.size;
    if (removed !== null) contactsLeft[removed.o] += removed.size;
    steps.push(best);
  }
  return steps;
}
