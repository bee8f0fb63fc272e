/** A number of a text with what belongs to it: sign, magnitude, percent, currency, unit, period, comparison, range. */
import type { Unit } from '../units.js';

export interface Quantity {
  /** Span of number, sign, currency and unit. */
  readonly start: number;
  readonly end: number;
  /** As it counts: percent divided by 100, cents by 100, magnitudes multiplied. Units are not converted. */
  readonly value: number;
  /** Number that the words or digits say, before percent and cents. */
  readonly written: number;
  readonly isPercent: boolean;
  /** ISO code; empty: money of a currency that is not said. Null: not said to be money. */
  readonly currency: string | null;
  /** Physical unit, and the units that it is divided by: mg/L has mg and [l]. */
  readonly unit: Unit | null;
  readonly over: readonly Unit[];
  /** Period of a rate: "a month", "/yr". */
  readonly per: string | null;
  readonly comparison: 'at_least' | 'at_most' | 'more_than' | 'less_than' | null;
  readonly isAbout: boolean;
  /** "an improvement of 15 points": no level, but the way from one to another. */
  readonly isChange: boolean;
  /** "3 each to dispose of": paid to be rid of something. */
  readonly isDisposal: boolean;
  /** Ends of a range point at each other. */
  readonly range: 'low' | 'high' | null;
  /** "give or take 30", "+/- 30". */
  readonly isSpread: boolean;
  /** "one", "half", "a couple": often no quantity at all. */
  readonly isWeak: boolean;
  /** Takes its unit from a later number of the same list. */
  readonly isInherited: boolean;
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface Read {
  readonly value: number;
  readonly end: number;
  readonly isWord: boolean;
  readonly isWeak: boolean;
}
