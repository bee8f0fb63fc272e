/**
 * Who is contacted in which slot: a programme of 0 and 1 over (segment, slot). A slot is a time of a day. Limits are
 * the contacts of a day and of a slot, and what a customer bears: contacts in all, in a day, and days between two of
 * them.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { ConstraintState } from '../../../model/problem.js';
import { lineChart } from '../../charts/line-chart.js';
import { amount, checkUnique, count, id, list, matrix, withIds } from '../../fields.js';
import { model } from '../../problem-type.js';
import type { LinearProgram, Row } from '../../solvers/linear-program.js';
import { choose, multipliersOf, proofOf } from '../../solvers/binary-programme.js';

export const MOST_SEGMENTS = 1_000;
export const MOST_SLOTS = 200;
const MOST_CELLS = 10_000;
const SIZE = 1e9;

const fields = z.strictObject({
  segments: list(
    z.strictObject({
      id: id.optional(),
      size: amount('Customers in it; 1 for a single customer').max(SIZE).default(1),
      max_contacts: count(
        'Contacts of each of its customers at most, instead of `max_contacts` below',
        0,
        MOST_SLOTS,
      ).optional(),
    }),
    'Groups of customers who are contacted together',
    MOST_SEGMENTS,
  ),
  slots: list(
    z.strictObject({
      id: id.optional(),
      day: count('Day of the slot, from 1', 1, 366),
      capacity: amount('Contacts in the slot at most').optional(),
    }),
    'Times at which contacts can be made',
    MOST_SLOTS,
  ),
  response: matrix(
    'Probability that a customer of the segment (row) responds to a contact in the slot (column)',
    { most: MOST_SEGMENTS },
    { most: MOST_SLOTS, minimum: 0, maximum: 1 },
  ),
  contacts_per_day: amount('Contacts of a day at most, over all segments. Absent: no limit').optional(),
  max_contacts: count('Contacts of each customer at most, over all days', 0, MOST_SLOTS).default(1),
  max_contacts_per_day: count('Contacts of each customer on one day at most', 1, MOST_SLOTS).default(1),
  min_days_between: count(
    'Days that must lie between two contacts of a customer: 1 leaves every other day',
    0,
    366,
  ).default(0),
  value_per_response: amount('Worth of a response').max(SIZE).default(1),
  cost_per_contact: amount('Cost of one contact').max(SIZE).default(0),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;

interface Cell {
  readonly s: number;
  readonly t: number;
  readonly size: number;
  readonly responses: number;
  readonly profit: number;
}

const cellsOf = ({ segments, slots, response, value_per_response, cost_per_contact }: Config): Cell[] =>
  segments.flatMap(({ size }, s) =>
    slots.map((_, t) => {
      const responses = size * response[s][t];
      return { s, t, size, responses, profit: value_per_response * responses - cost_per_contact * size };
    }),
  );

const daysOf = ({ slots }: Config): number[] => [...new Set(slots.map(({ day }) => day))].sort((a, b) => a - b);

const capOf = ({ max_contacts }: Config, segment: Config['segments'][number]): number =>
  segment.max_contacts ?? max_contacts;

function programOf(config: Config, cells: readonly Cell[]): LinearProgram {
  const { segments, slots, contacts_per_day, max_contacts_per_day, min_days_between } = config;
  const [names, slotNames] = [withIds(segments), withIds(slots)].map((items) => items.map((item) => item.id));
  const days = daysOf(config);
  const at = (s: number, t: number): number => s * slots.length + t;
  const on = (from: number, to: number): number[] =>
    slots.flatMap(({ day }, t) => (day >= from && day <= to ? [t] : []));
  const rows: Row[] = [];
  const sized = (places: readonly number[]): (readonly [number, number])[] =>
    places.flatMap((t) => segments.flatMap(({ size }, s) => (size === 0 ? [] : [[at(s, t), size] as const])));
  if (contacts_per_day !== undefined) {
    for (const day of days)
      rows.push({ name: `contacts of day ${day}`, upper: contacts_per_day, terms: sized(on(day, day)) });
  }
  for (const [t, { capacity }] of slots.entries()) {
    if (capacity !== undefined)
      rows.push({ name: `capacity of slot ${slotNames[t]}`, upper: capacity, terms: sized([t]) });
  }
  for (const [s, segment] of segments.entries()) {
    const cap = capOf(config, segment);
    const ones = (places: readonly number[]): (readonly [number, number])[] =>
      places.map((t) => [at(s, t), 1] as const);
    const name = names[s];
    if (cap < slots.length)
      rows.push({ name: `max_contacts of ${name}`, upper: cap, terms: ones(slots.map((_, t) => t)) });
    for (const day of days) {
      const today = on(day, day);
      if (today.length > max_contacts_per_day) {
        rows.push({ name: `contacts of ${name} on day ${day}`, upper: max_contacts_per_day, terms: ones(today) });
      }
      if (min_days_between === 0) continue;
      // Any two contacts on different days of such a window are too near: as clique where one a day is allowed, else in
      // pairs.
      const window = on(day, day + min_days_between);
      if (max_contacts_per_day === 1) {
        if (window.length > today.length)
          rows.push({ name: `rest of ${name} after day ${day}`, upper: 1, terms: ones(window) });
        continue;
      }
      for (const first of today) {
        for (const second of on(day + 1, day + min_days_between)) {
          rows.push({ name: `rest of ${name} after day ${day}`, upper: 1, terms: ones([first, second]) });
        }
      }
    }
  }
  return {
    sense: 'maximize',
    columns: cells.map(({ s, t, profit }) => ({
      name: `${names[s]} in ${slotNames[t]}`,
      cost: profit,
      upper: 1,
      isInteger: true,
    })),
    rows,
  };
}

export const sendSchedule = model({
  name: 'send_schedule',
  summary: 'Which customers to contact in which slot of which day.',
  fields,
  example: {
    model: 'send_schedule',
    segments: [
      { id: 'new', size: 400 },
      { id: 'loyal', size: 250, max_contacts: 2 },
      { id: 'lapsed', size: 600 },
    ],
    slots: [
      { id: 'mon-am', day: 1 },
      { id: 'mon-pm', day: 1 },
      { id: 'wed-am', day: 3 },
      { id: 'fri-pm', day: 5, capacity: 500 },
    ],
    response: [
      [0.04, 0.03, 0.05, 0.02],
      [0.08, 0.09, 0.07, 0.1],
      [0.01, 0.02, 0.015, 0.02],
    ],
    contacts_per_day: 700,
    min_days_between: 1,
    value_per_response: 12,
    cost_per_contact: 0.1,
  },

  check(config, complain) {
    const { segments, slots, response } = config;
    if (!checkUnique(segments, 'segments', complain) || !checkUnique(slots, 'slots', complain)) return;
    if (response.length !== segments.length || response[0].length !== slots.length) {
      const found = `${response.length} x ${response[0].length}`;
      return complain(
        ['response'],
        `\`{field}\` must be ${segments.length} x ${slots.length}, segments by slots, not ${found}.`,
      );
    }
    if (segments.length * slots.length > MOST_CELLS) {
      complain(['segments'], `\`{field}\` times \`slots\` can be at most ${MOST_CELLS}.`);
    }
  },

  sense: () => 'maximize',

  async solve(config, context) {
    const { segments, slots, contacts_per_day } = config;
    const cells = cellsOf(config);
    const program = programOf(config, cells);
    const profitOf = (values: readonly number[]): number =>
      cells.reduce((sum, { profit }, i) => sum + profit * values[i], 0);
    const chosen = await choose(program, context, { objective: profitOf, infeasible: 'No schedule keeps the limits.' });
    // A contact that brings nothing is not made.
    const values = chosen.values.map((value, i) => (cells[i].profit > 0 ? value : 0));
    const profit = profitOf(values);
    const [names, slotNames] = [withIds(segments), withIds(slots)].map((items) => items.map((item) => item.id));
    const made = cells.filter((_, i) => values[i] === 1);
    const days = daysOf(config);
    const byDay = days.map((day) => made.reduce((sum, { t, size }) => sum + (slots[t].day === day ? size : 0), 0));
    const multipliers = contacts_per_day === undefined ? null : await multipliersOf(program, context);
    const limits = (name: string, value: number, limit: number): ConstraintState => ({
      name,
      value,
      limit,
      slack: limit - value,
      binding: limit - value <= 1e-9 * (1 + limit),
    });
    const reached = new Set(made.map(({ s }) => s));
    const [responses, contacts] = [made.reduce((a, c) => a + c.responses, 0), made.reduce((a, c) => a + c.size, 0)];
    return {
      reason: 'who is contacted when is a choice of yes and no under linear limits',
      bestSolution: cells.map(({ size }, i) => size * values[i]),
      bestFitness: profit,
      decisionVariables: cells.map(({ s, t }) => `contacts of ${names[s]} in ${slotNames[t]}`),
      result: {
        assignments: made.map(({ s, t }) => [names[s], slotNames[t]]),
        schedule: made
          .map(({ s, t, size, responses: expected }) => ({
            day: slots[t].day,
            slot: slotNames[t],
            segment: names[s],
            contacts: size,
            expected_responses: expected,
          }))
          .sort((a, b) => a.day - b.day),
        expected_profit: profit,
        expected_responses: responses,
        contacts,
        spend: config.cost_per_contact * contacts,
        contacts_by_day: Object.fromEntries(days.map((day, k) => [String(day), byDay[k]])),
        day_multipliers:
          multipliers === null ? null : Object.fromEntries(days.map((day, k) => [String(day), multipliers[k]])),
        left_out: names.flatMap((name, s) => {
          if (reached.has(s)) return [];
          const isWorth = slots.some((_, t) => cells[s * slots.length + t].profit > 0);
          return [{ id: name, reason: !isWorth ? 'no_slot_is_worth_its_cost' : 'others_bring_more' }];
        }),
      },
      ...proofOf(chosen, profit),
      constraints: [
        ...(contacts_per_day === undefined
          ? []
          : days.map((day, k) => limits(`contacts of day ${day}`, byDay[k], contacts_per_day))),
        ...slots.flatMap(({ capacity }, t) =>
          capacity === undefined
            ? []
            : [
                limits(
                  `capacity of slot ${slotNames[t]}`,
                  made.reduce((sum, c) => sum + (c.t === t ? c.size : 0), 0),
                  capacity,
                ),
              ],
        ),
      ],
      assumptions: [
        {
          code: 'whole_segments',
          field: 'config.segments',
          message: 'A segment is contacted as a whole or not at all.',
        },
        ...(contacts_per_day === undefined
          ? [{ code: 'no_daily_limit', field: 'config.contacts_per_day', message: 'A day has no limit of contacts.' }]
          : []),
      ],
    };
  },

  verify(config, { bestSolution, bestFitness }) {
    const { segments, slots, response, contacts_per_day = Infinity, max_contacts_per_day, min_days_between } = config;
    const perDay = new Map<number, number>();
    const perSlot = slots.map(() => 0);
    let profit = 0;
    let scale = 0;
    for (const [s, segment] of segments.entries()) {
      const days: number[] = [];
      for (const [t, { day }] of slots.entries()) {
        const n = bestSolution[s * slots.length + t];
        if (n === 0) continue;
        if (n !== segment.size) return `a part of segment ${s + 1} is contacted`;
        days.push(day);
        perDay.set(day, (perDay.get(day) ?? 0) + n);
        perSlot[t] += n;
        profit += n * (response[s][t] * config.value_per_response - config.cost_per_contact);
        scale += n * (config.value_per_response + config.cost_per_contact);
      }
      if (days.length > capOf(config, segment)) return `segment ${s + 1} is contacted too often`;
      for (const [i, a] of days.entries()) {
        if (days.filter((b) => b === a).length > max_contacts_per_day)
          return `segment ${s + 1} is contacted too often on day ${a}`;
        if (days.slice(i + 1).some((b) => b !== a && Math.abs(b - a) <= min_days_between))
          return `segment ${s + 1} has no rest after day ${a}`;
      }
    }
    const isOver = (value: number, limit: number): boolean => value > limit + 1e-8 * (1 + limit);
    if ([...perDay.values()].some((n) => isOver(n, contacts_per_day))) return 'a day has too many contacts';
    if (slots.some(({ capacity = Infinity }, t) => isOver(perSlot[t], capacity))) return 'a slot has too many contacts';
    return Math.abs(profit - bestFitness) <= 1e-9 * (1 + scale) ? null : `the profit is ${profit}`;
  },

  explain(_config, { bestFitness, result }) {
    const { contacts, expected_responses, contacts_by_day, left_out, day_multipliers } = result as unknown as {
      readonly contacts: number;
      readonly expected_responses: number;
      readonly contacts_by_day: Record<string, number>;
      readonly left_out: readonly unknown[];
      readonly day_multipliers: Record<string, number | null> | null;
    };
    const [busiest] = Object.entries(contacts_by_day).sort(([, a], [, b]) => b - a);
    const statements: Statement[] = [
      say(
        1,
        'result',
        'Make {contacts:contact|contacts}: expect {responses:response|responses} and {profit} of profit.',
        {
          contacts,
          responses: expected_responses,
          profit: bestFitness,
        },
      ),
      say(
        2,
        'choice',
        'Day {day} is the busiest one with {most:contact|contacts}; {left:segment is|segments are} not contacted.',
        {
          day: Number(busiest[0]),
          most: busiest[1],
          left: left_out.length,
        },
      ),
    ];
    const [dearest] = Object.entries(day_multipliers ?? {}).sort(([, a], [, b]) => (b ?? 0) - (a ?? 0));
    if (dearest !== undefined && (dearest[1] ?? 0) > 0) {
      statements.push(
        say(4, 'sensitivity', 'Room for one more contact on day {day} is worth about {worth}.', {
          day: Number(dearest[0]),
          worth: dearest[1] ?? 0,
        }),
      );
    }
    return statements;
  },

  pictures: {
    contacts_by_day: (config, { result }) => {
      const { contacts_by_day } = result as unknown as { readonly contacts_by_day: Record<string, number> };
      const points = Object.entries(contacts_by_day).map(([day, n]) => [Number(day), n] as const);
      const { contacts_per_day } = config;
      const days = points.map(([day]) => day);
      return lineChart({
        title: 'Contacts by day',
        xName: 'day',
        yName: 'contacts',
        series: [
          { name: 'contacts', points, width: 0.8, isColumns: true },
          ...(contacts_per_day === undefined
            ? []
            : [
                {
                  name: 'limit of a day',
                  points: [Math.min(...days) - 0.5, Math.max(...days) + 0.5].map(
                    (day) => [day, contacts_per_day] as const,
                  ),
                  isDashed: true,
                },
              ]),
        ],
      });
    },
  },
});
