/**
 * Bars per second of backtests: rules over 5,000 bars, indicators kept from one parameter set to the next, as a grid is
 * enumerated. Positions alone, and with the account and its statistics.
 */
import { Backtester } from '../../dist/domains/financial/trading-strategy/backtest.js';
import { RULES } from '../../dist/domains/financial/trading-strategy/rules.js';
import { Rng } from '../../dist/common/rng.js';

const BARS = 5_000;
const SAMPLES = 9;

/** Millions of bars per second: median, least and largest of several samples of about 50 ms each. */
function time(call) {
  let repetitions = 1;
  const sample = () => {
    const start = performance.now();
    for (let r = 0; r < repetitions; r++) call(r);
    return performance.now() - start;
  };
  while (sample() < 50) repetitions *= 2;
  const rates = Array.from({ length: SAMPLES }, () => (BARS * repetitions) / sample() / 1000).sort((a, b) => a - b);
  return { median: rates[SAMPLES >> 1], least: rates[0], largest: rates.at(-1) };
}

function closes() {
  const rng = Rng.create(1);
  let price = 100;
  return Array.from({ length: BARS }, () => (price *= 1 + 0.02 * (rng.uniform() - 0.49)));
}

/** Another value of the first parameter in turn, so that indicators are those of a grid. */
const setsOf = (rule) =>
  Array.from({ length: 8 }, (_, k) =>
    rule.parameters.map((one, j) => (j > 0 ? one.default : one.isWhole ? 5 + 2 * k : one.default)),
  );

export async function run() {
  const close = closes();
  const open = close.map((price, i) => close[i - 1] ?? price);
  const config = {
    bars: { open, close },
    execution: 'next_open',
    direction: 'long_short',
    signal: 'state',
    commission: 0.001,
    slippage: 0,
    commission_model: 'per_side',
    cash_buffer: 0,
    initial_cash: 1,
    fractional_shares: true,
    bars_per_year: 252,
  };
  const results = [];
  for (const rule of RULES) {
    const tester = new Backtester(rule, config);
    const sets = setsOf(rule);
    // A long account without costs ends where the price does.
    const free = new Backtester(rule, { ...config, commission: 0, direction: 'long_only' });
    const held = free.follow(new Int8Array(BARS).fill(1), [0, BARS - 1]).statistics.total_return;
    if (Math.abs(held - (close.at(-1) / open[1] - 1)) > 1e-9) throw new Error(`buying and holding returned ${held}`);
    const positions = time((r) => tester.positions(sets[r % sets.length]));
    const whole = time((r) => tester.value(sets[r % sets.length], [0, BARS - 1]));
    results.push({
      rule: rule.name,
      bars: BARS,
      positions_mbars_per_s_median: positions.median,
      backtest_mbars_per_s_median: whole.median,
      backtest_mbars_per_s_least: whole.least,
      backtest_mbars_per_s_largest: whole.largest,
    });
  }
  return { name: 'backtests', results, settings: { bars: BARS, sets: 8 } };
}
