/** Which bars parameters are chosen on, and which they are tested on. Bars are places in the data, inclusive. */
import { type RuleConfig, barsOf } from './rule-fields.js';
import type { Window } from './backtest.js';

export interface Fold {
  readonly train: Window;
  /** From the last bar of `train` on, whose close is the start of the account. */
  readonly test: Window;
}

export interface Windows {
  /** Bars that the parameters of the answer are chosen on. */
  readonly final: Window;
  readonly folds: readonly Fold[];
}

const HOLDOUT_SHARE = 0.3;

export function windowsOf(config: RuleConfig): Windows {
  const { method, train_bars, test_bars, anchored } = config.validation;
  const bars = barsOf(config);
  const last = bars - 1;
  if (method === 'none') return { final: [0, last], folds: [] };
  if (method === 'holdout') {
    const usual = Math.max(1, Math.min(bars - 2, Math.floor(HOLDOUT_SHARE * bars)));
    const test = test_bars ?? (train_bars === undefined ? usual : bars - train_bars);
    const train = train_bars ?? bars - test;
    const split = last - test;
    const fold: Fold = { train: [split - train + 1, split], test: [split, last] };
    return { final: fold.train, folds: [fold] };
  }
  const [train, test] = [train_bars ?? bars, test_bars ?? 1];
  const beginning = (split: number): number => (anchored ? 0 : split - train + 1);
  const folds: Fold[] = [];
  for (let split = train - 1; split < last; split += test) {
    folds.push({ train: [beginning(split), split], test: [split, Math.min(last, split + test)] });
  }
  return { final: [beginning(last), last], folds };
}
