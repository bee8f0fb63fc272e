/** Units and currencies as people write them. */

export type Dimension = 'mass' | 'length' | 'volume' | 'time' | 'dose' | 'data';

export interface Unit {
  readonly name: string;
  readonly dimension: Dimension;
  /** Base units: mg, m, l, h, Gy, MB. */
  readonly factor: number;
}

const unit = (name: string, dimension: Dimension, factor: number, spellings: string): [string, Unit][] =>
  spellings.split(' ').map((spelling) => [spelling, { name, dimension, factor }]);

const HOURS_A_DAY = 24;

export const UNITS: ReadonlyMap<string, Unit> = new Map([
  ...unit('ng', 'mass', 1e-6, 'ng nanogram nanograms'),
  ...unit('ug', 'mass', 1e-3, 'ug mcg \u03bcg microgram micrograms'),
  ...unit('mg', 'mass', 1, 'mg mgs milligram milligrams milligramme milligrammes'),
  ...unit('g', 'mass', 1e3, 'g gr gram grams gramme grammes'),
  ...unit('kg', 'mass', 1e6, 'kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes'),
  ...unit('t', 'mass', 1e9, 't tonne tonnes ton tons'),
  ...unit('lb', 'mass', 453_592.37, 'lb lbs'),
  ...unit('oz', 'mass', 28_349.523125, 'oz ounce ounces'),
  ...unit('mm', 'length', 1e-3, 'mm millimetre millimetres millimeter millimeters'),
  ...unit('cm', 'length', 1e-2, 'cm centimetre centimetres centimeter centimeters'),
  ...unit('m', 'length', 1, 'm metre metres meter meters'),
  ...unit('km', 'length', 1e3, 'km kms kilometre kilometres kilometer kilometers'),
  ...unit('in', 'length', 0.0254, 'inch inches'),
  ...unit('ft', 'length', 0.3048, 'ft foot feet'),
  ...unit('mi', 'length', 1609.344, 'mi mile miles'),
  ...unit('ml', 'volume', 1e-3, 'ml mls millilitre millilitres milliliter milliliters cc'),
  ...unit('dl', 'volume', 0.1, 'dl decilitre deciliter'),
  ...unit('l', 'volume', 1, 'l litre litres liter liters ltr ltrs'),
  ...unit('m3', 'volume', 1e3, 'm3 cbm m\u00b3'),
  ...unit('gal', 'volume', 3.785411784, 'gal gals gallon gallons'),
  ...unit('bbl', 'volume', 158.987294928, 'bbl bbls barrel barrels'),
  ...unit('s', 'time', 1 / 3600, 's sec secs second seconds'),
  ...unit('min', 'time', 1 / 60, 'min mins minute minutes'),
  ...unit('hour', 'time', 1, 'h hr hrs hour hours'),
  ...unit('day', 'time', HOURS_A_DAY, 'd day days'),
  ...unit('week', 'time', 7 * HOURS_A_DAY, 'w wk wks week weeks'),
  ...unit('month', 'time', (365 / 12) * HOURS_A_DAY, 'mo mos mth month months'),
  ...unit('quarter', 'time', (365 / 4) * HOURS_A_DAY, 'qtr quarters quarter'),
  ...unit('year', 'time', 365 * HOURS_A_DAY, 'y yr yrs year years annum'),
  ...unit('MB', 'data', 1, 'mb megabyte megabytes'),
  ...unit('GB', 'data', 1e3, 'gb gigabyte gigabytes'),
  ...unit('TB', 'data', 1e6, 'tb terabyte terabytes'),
  ...unit('gy', 'dose', 1, 'gy gray grays'),
  ...unit('cgy', 'dose', 1e-2, 'cgy centigray'),
]);

/** How many there are in a year, as business counts: 12 months, 52 weeks, 365 days. */
export const PER_YEAR: Readonly<Record<string, number>> = {
  s: 365 * 24 * 3600,
  min: 365 * 24 * 60,
  hour: 365 * 24,
  day: 365,
  week: 52,
  month: 12,
  quarter: 4,
  year: 1,
};

export const PERIOD_WORDS: Readonly<Record<string, string>> = {
  hourly: 'hour',
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
  quarterly: 'quarter',
  yearly: 'year',
  annual: 'year',
  annually: 'year',
  pa: 'year',
};

/** Sign or word to [ISO code, how many make one unit of it]. */
export const CURRENCIES: ReadonlyMap<string, readonly [string, number]> = new Map<string, readonly [string, number]>([
  ...'$ us$ usd dollar dollars buck bucks'.split(' ').map((s): [string, readonly [string, number]] => [s, ['USD', 1]]),
  ...'\u20ac eur euro euros'.split(' ').map((s): [string, readonly [string, number]] => [s, ['EUR', 1]]),
  ...'\u00a3 gbp quid sterling'.split(' ').map((s): [string, readonly [string, number]] => [s, ['GBP', 1]]),
  ...'pound pounds'.split(' ').map((s): [string, readonly [string, number]] => [s, ['GBP', 1]]),
  ...'\u00a5 jpy yen'.split(' ').map((s): [string, readonly [string, number]] => [s, ['JPY', 1]]),
  ...'\u20b9 inr rupee rupees rs'.split(' ').map((s): [string, readonly [string, number]] => [s, ['INR', 1]]),
  ...'chf franc francs fr'.split(' ').map((s): [string, readonly [string, number]] => [s, ['CHF', 1]]),
  ...'cad c$ ca$'.split(' ').map((s): [string, readonly [string, number]] => [s, ['CAD', 1]]),
  ...'aud a$ au$'.split(' ').map((s): [string, readonly [string, number]] => [s, ['AUD', 1]]),
  ...'sek kr'.split(' ').map((s): [string, readonly [string, number]] => [s, ['SEK', 1]]),
  ...'cny rmb yuan'.split(' ').map((s): [string, readonly [string, number]] => [s, ['CNY', 1]]),
  ...'brl reais r$'.split(' ').map((s): [string, readonly [string, number]] => [s, ['BRL', 1]]),
  ...'pln zloty'.split(' ').map((s): [string, readonly [string, number]] => [s, ['PLN', 1]]),
  ['cent', ['', 100]],
  ['cents', ['', 100]],
  ['ct', ['', 100]],
  ['cts', ['', 100]],
  ['\u00a2', ['USD', 100]],
  ['pence', ['GBP', 100]],
  ['penny', ['GBP', 100]],
]);

export const MAGNITUDES: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  thousands: 1e3,
  grand: 1e3,
  m: 1e6,
  mn: 1e6,
  mm: 1e6,
  mio: 1e6,
  mln: 1e6,
  mil: 1e6,
  million: 1e6,
  millions: 1e6,
  b: 1e9,
  bn: 1e9,
  billion: 1e9,
  billions: 1e9,
  tn: 1e12,
  trillion: 1e12,
  lakh: 1e5,
  lakhs: 1e5,
  lac: 1e5,
  crore: 1e7,
  crores: 1e7,
  cr: 1e7,
  dozen: 12,
  dozens: 12,
  hundred: 100,
};

/** A unit by its own name: "GB", "mg". */
export const unitNamed = (name: string): Unit | undefined => UNITS.get(name) ?? UNITS.get(name.toLowerCase());
