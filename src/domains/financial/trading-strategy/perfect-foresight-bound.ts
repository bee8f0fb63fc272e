/**
 * Most that a trader who knew the prices could have earned with a fixed number of units, long only: an upper bound of
 * every rule on that series. A dynamic programme over (bar, round trips so far, in the market or not).
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { lineChart } from '../../charts/line-chart.js';
import { amount, count, positive } from '../../fields.js';
import { model, type SolveContext } from '../../problem-type.js';
import { prices } from './rule-fields.js';

export const MAX_ROUND_TRIPS = 1_000;

const fields = z.strictObject({
  close: prices('Closes, oldest first'),
  max_round_trips: count('Most purchases that are sold again. Default: no limit', 1, MAX_ROUND_TRIPS).optional(),
  fee_per_round_trip: amount('Money per purchase and sale together').default(0),
  units: positive('Units bought and sold each time').default(1),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;

interface Trip {
  readonly buy: number;
  readonly sell: number;
}

/** More round trips than every second bar cannot be made: then their number is no limit. */
const isLimiting = ({ close, max_round_trips: most }: Config): boolean =>
  most !== undefined && most < Math.floor(close.length / 2);

/** Most that unlimited trips gain by bar `i` while flat, and while long. Choices for the way back. */
function unlimited({ close, units }: Config, fee: number): { readonly profit: number; readonly trips: Trip[] } {
  const n = close.length;
  const bought = new Uint8Array(n);
  const sold = new Uint8Array(n);
  let flat = 0;
  let long = -Infinity;
  for (let i = 0; i < n; i++) {
    const value = units * close[i];
    const sale = long + value - fee;
    const purchase = flat - value;
    if (sale > flat) [flat, sold[i]] = [sale, 1];
    if (purchase > long) [long, bought[i]] = [purchase, 1];
  }
  return { profit: flat, trips: tripsBack(n, (i) => sold[i] === 1, (i) => bought[i] === 1) }; // prettier-ignore
}

/** From the last bar back: the sale that was best, and the purchase before it that was. */
function tripsBack(
  n: number,
  isSale: (i: number, trip: number) => boolean,
  isPurchase: (i: number, trip: number) => boolean,
) {
  const trips: Trip[] = [];
  let i = n - 1;
  for (;;) {
    while (i >= 0 && !isSale(i, trips.length)) i--;
    if (i < 0) return trips.reverse();
    const sell = i;
    i--;
    while (!isPurchase(i, trips.length)) i--;
    trips.push({ buy: i, sell });
    i--;
  }
}

function limited({ close, units, fee_per_round_trip: fee }: Config, most: number, context: SolveContext): Trip[] {
  const n = close.length;
  // Bit 0: the best way to be flat here with at most k trips sells here; bit 1: to be long in trip k buys here.
  const choices = new Uint8Array(n * (most + 1));
  const flat = new Float64Array(most + 1);
  const long = new Float64Array(most + 1).fill(-Infinity);
  for (let i = 0; i < n; i++) {
    if (i % 256 === 0) context.look();
    const value = units * close[i];
    const row = i * (most + 1);
    for (let k = most; k >= 1; k--) {
      const sale = long[k] + value - fee;
      const purchase = flat[k - 1] - value;
      let choice = 0;
      if (sale > flat[k]) {
        flat[k] = sale;
        choice = 1;
      }
      if (purchase > long[k]) {
        long[k] = purchase;
        choice += 2;
      }
      choices[row + k] = choice;
    }
  }
  const bit = (i: number, k: number, mask: number): boolean => k >= 1 && (choices[i * (most + 1) + k] & mask) !== 0;
  return tripsBack(n, (i, done) => bit(i, most - done, 1), (i, done) => bit(i, most - done, 2)); // prettier-ignore
}

const gainOf = ({ close, units, fee_per_round_trip: fee }: Config, { buy, sell }: Trip): number =>
  units * (close[sell] - close[buy]) - fee;

export const perfectForesightBound = model({
  name: 'perfect_foresight_bound',
  summary: 'The most that any long-only rule of a fixed size could have earned on a series of prices.',
  fields,
  example: {
    model: 'perfect_foresight_bound',
    close: [71.2, 70.4, 72.9, 75.1, 74.0, 76.8, 73.3, 72.5, 74.9, 78.2, 77.6, 75.4, 79.9, 81.3, 80.2],
    max_round_trips: 3,
    fee_per_round_trip: 0.5,
    units: 100,
    currency: 'EUR',
  },
  sense: () => 'maximize',

  solve(config, context) {
    const trips = isLimiting(config)
      ? limited(config, config.max_round_trips ?? 0, context)
      : unlimited(config, config.fee_per_round_trip).trips;
    const profit = trips.reduce((sum, trip) => sum + gainOf(config, trip), 0);
    const positions = new Array<number>(config.close.length).fill(0);
    for (const { buy, sell } of trips) positions.fill(config.units, buy, sell);
    const first = config.close[0];
    const last = config.close[config.close.length - 1];
    return {
      method: 'dynamic_programming',
      reason: 'what can still be earned depends on the bar, the round trips left and whether units are held alone',
      bestSolution: positions,
      bestFitness: profit,
      decisionVariables: positions.map((_, i) => `units after bar ${i}`),
      result: {
        max_profit: profit,
        round_trips: trips.length,
        trades: trips.map((trip) => ({
          buy_bar: trip.buy,
          sell_bar: trip.sell,
          buy_price: config.close[trip.buy],
          sell_price: config.close[trip.sell],
          profit: gainOf(config, trip),
        })),
        buy_and_hold_profit: config.units * (last - first) - config.fee_per_round_trip,
        exposure: positions.filter((units) => units > 0).length / positions.length,
      },
      optimality: { status: 'optimal', bound: profit, proof: 'dynamic_programming' },
      evaluations: 1,
      constraints:
        config.max_round_trips === undefined
          ? []
          : [
              {
                name: 'max_round_trips',
                value: trips.length,
                limit: config.max_round_trips,
                slack: config.max_round_trips - trips.length,
                binding: trips.length === config.max_round_trips,
              },
            ],
      assumptions: [
        {
          code: 'foresight',
          message:
            'Every price is known beforehand, and the same number of units is bought each time: a bound, not a plan.',
        },
        ...(config.fee_per_round_trip === 0
          ? [{ code: 'no_costs', field: 'config.fee_per_round_trip', message: 'Trading costs nothing.' }]
          : []),
      ],
    };
  },

  /**
   * Profit from the positions alone; and no more is possible: with any price on a round trip, the best without a limit,
   * plus the price of all trips allowed, is an upper bound, and the best such price proves the profit.
   */
  verify(config, { bestSolution: positions, bestFitness }) {
    const { close, units, fee_per_round_trip: fee, max_round_trips: most } = config;
    let [profit, trips, size] = [0, 0, 0];
    for (let i = 0; i < close.length; i++) {
      if (positions[i] !== 0 && positions[i] !== units) return `${positions[i]} units after bar ${i}`;
      const before = positions[i - 1] ?? 0;
      if (before === 0 && positions[i] > 0) trips++;
      profit += (before - positions[i]) * close[i];
      size = Math.max(size, units * close[i]);
    }
    profit -= fee * trips;
    const room = 1e-9 * size * (1 + trips);
    if (positions[close.length - 1] !== 0) return 'units are left at the end';
    if (most !== undefined && trips > most) return `${trips} round trips`;
    if (!(Math.abs(profit - bestFitness) <= room)) return `the positions earn ${profit}`;
    const allowed = isLimiting(config) ? (most ?? 0) : 0;
    const bound = (price: number): number => unlimited(config, fee + price).profit + allowed * price;
    let [low, high] = [0, isLimiting(config) ? size : 0];
    let least = Math.min(bound(low), bound(high));
    for (let step = 0; step < 100 && high > low; step++) {
      const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
      const [atA, atB] = [bound(a), bound(b)];
      least = Math.min(least, atA, atB);
      if (atA <= atB) high = b;
      else low = a;
    }
    return least <= bestFitness + room ? null : `up to ${least} may be earned`;
  },

  explain(config, { bestFitness, result }) {
    const read = (name: string): number => Number(result[name]);
    return [
      say(
        1,
        'result',
        'No long-only rule with {units:unit|units} could have earned more than {profit}, in {trips:round trip|round trips}.',
        {
          units: config.units,
          profit: bestFitness,
          trips: read('round_trips'),
        },
      ),
      say(1, 'result', 'Buying at the first bar and selling at the last one earned {held}.', {
        held: read('buy_and_hold_profit'),
      }),
      say(2, 'choice', 'A dynamic programme over bars and round trips values every plan.', {}),
      say(2, 'assumption', 'A rule cannot know prices beforehand: what it earns is a share of this bound.', {}),
    ];
  },

  pictures: {
    trades(config, { result }) {
      const { close } = config;
      const trades = result['trades'] as readonly { readonly buy_bar: number; readonly sell_bar: number }[];
      return lineChart({
        title: 'Best purchases and sales',
        xName: 'bar',
        yName: config.currency === undefined ? 'close' : `close, ${config.currency}`,
        series: [
          { name: 'close', points: close.map((price, i) => [i, price] as const) },
          { name: 'buy', points: trades.map(({ buy_bar: i }) => [i, close[i]] as const), isScatter: true },
          { name: 'sell', points: trades.map(({ sell_bar: i }) => [i, close[i]] as const), isScatter: true },
        ],
      });
    },
  },
});
