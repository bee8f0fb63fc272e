import { expect, test } from 'vitest';
import { scanQuantities } from './scan.js';
import type { Quantity } from './quantity.js';
import { normalised } from '../text.js';

/** A quantity in one line: value, then what was found with it. */
const shown = (one: Quantity): string =>
  [
    String(Number(one.value.toPrecision(12))),
    ...(one.isPercent ? ['%'] : []),
    ...(one.currency === null ? [] : [one.currency === '' ? 'money' : one.currency]),
    ...(one.unit === null && one.over.length === 0
      ? []
      : [[one.unit?.name ?? '', ...one.over.map(({ name }) => name)].join('/')]),
    ...(one.per === null ? [] : [`a ${one.per}`]),
    ...(one.comparison === null ? [] : [one.comparison]),
    ...(one.isAbout ? ['about'] : []),
    ...(one.range === null ? [] : [one.range]),
    ...(one.isSpread ? ['spread'] : []),
  ].join(' ');

const scanned = (text: string): string => scanQuantities(normalised(text)).filter(({ isWeak }) => !isWeak).map(shown).join(' | '); // prettier-ignore

/** Text, arrow, quantities. */
const TABLE = `
5 => 5
0.5 => 0.5
.05 => 0.05
alpha .05, power .8 => 0.05 | 0.8
12.75 kilometres away => 12.75 km
1e6 => 1000000
2.5e-6 => 0.0000025
2.5E-6 => 0.0000025
2.5 x 10^-6 => 0.0000025
3*10^4 => 30000
1.5×10⁻³ => 0.0015
2·10^5 => 200000
1,300 units => 1300
1,200,000 => 1200000
12,345.67 => 12345.67
1.200.000 => 1200000
1.200.000,50 => 1200000.5
3.450,75 => 3450.75
1 200 000 => 1200000
12 500 a year => 12500 a year
120 000 => 120000
1'200'000 => 1200000
1’200’000 => 1200000
12,50,000 => 1250000
0,225 => 0.225
4,50 € => 4.5 EUR
€4,50 => 4.5 EUR
2,5 kg => 2.5 kg
(2,3) => 2 | 3
(100,200) => 100 | 200
(-4,6) => -4 | 6
(2.5, -3.25) => 2.5 | -3.25
5,10,15 => 5 | 10 | 15
480 420 390 => 480 | 420 | 390
12.000 € => 12000 EUR
-5 => -5
minus 3 => -3
negative 0.2 => -0.2
minus three => -3
minus two percent => -0.02 %
correlation of -0.35 => -0.35
+7 => 7
$50k => 50000 USD
$ 50 k => 50000 USD
50K => 50000
$2.5m => 2500000 USD
$2.5 M => 2500000 USD
€3mn => 3000000 EUR
£1.2 million => 1200000 GBP
1.5bn => 1500000000
$4b => 4000000000 USD
2 billion dollars => 2000000000 USD
3 lakh => 300000
₹2 crore => 20000000 INR
Rs. 500 => 500 INR
5m users => 5000000
5 m long => 5 m
a board of 3m long => 3 m
2 million gallons => 2000000 gal
USD 500 => 500 USD
500 USD => 500 USD
500usd => 500 USD
eur20 => 20 EUR
CHF 1'500 => 1500 CHF
US$75 => 75 USD
A$30 => 30 AUD
20€ => 20 EUR
12 bucks => 12 USD
45 dollars => 45 USD
8 quid => 8 GBP
15 pounds => 15 GBP
300 yen => 300 JPY
22.5 cents => 0.225 money
50 pence => 0.5 GBP
forty pence => 0.4 GBP
99¢ => 0.99 USD
two pounds fifty => 2.5 GBP
4 euros 50 => 4.5 EUR
3 dollars and 20 cents => 3.2 USD
10% => 0.1 %
10 % => 0.1 %
12.5 percent => 0.125 %
30 pct => 0.3 %
7 per cent => 0.07 %
25 bps => 0.0025 %
150 basis points => 0.015 %
2 percentage points => 0.02 %
-3% => -0.03 %
100 % => 1 %
thirty percent => 0.3 %
eighty percent => 0.8 %
half a percent => 0.005 %
twelve and a half percent => 0.125 %
one => 
any one of them => 
twelve => 12
twenty-five => 25
twenty five => 25
ninety nine => 99
a hundred => 100
one hundred => 100
a hundred and twenty thousand => 120000
two hundred thousand => 200000
three million => 3000000
one thousand two hundred => 1200
five hundred and six => 506
half a million => 500000
half a dozen => 6
a dozen => 12
two dozen => 24
3 dozen => 36
$12 per dozen => 1 USD
18 per dozen => 1.5
€6 a dozen => 0.5 EUR
one and a half => 1.5
two and a half => 2.5
2 and a half => 2.5
2½ => 2.5
½ => 0.5
¼ => 0.25
3 1/2 => 3.5
3/4 => 0.75
1/3 => 0.333333333333
two thirds => 0.666666666667
three quarters => 0.75
one tenth => 0.1
one thousandth => 0.001
a quarter of the budget => 0.25
a third of it => 0.333333333333
two point five => 2.5
zero point zero five => 0.05
200 a month => 200 a month
200/month => 200 a month
200 per month => 200 a month
200 units per month => 200 a month
200 boxes of tea each week => 200 a week
45/week => 45 a week
1,300 units a year => 1300 a year
20 monthly => 20 a month
20 units yearly => 20 a year
75 weekly => 75 a week
200 a quarter => 200 a quarter
3% per annum => 0.03 % a year
18% p.a. => 0.18 % a year
5000/yr => 5000 a year
12 per day => 12 a day
$3 a year => 3 USD a year
35 L => 35 l
35L => 35 l
4.2 L/h => 4.2 l/hour
4.2 litres per hour => 4.2 l/hour
85 mL/min => 85 ml/min
20 mg/L => 20 mg/l
20 mcg/mL => 20 ug/ml
20 µg/mL => 20 ug/ml
0.25 L/kg => 0.25 l/kg
0.12/h => 0.12 /hour
0.12 h-1 => 0.12 /hour
1.1 per hour => 1.1 /hour
10 Gy => 10 gy
200 cGy => 200 cgy
80 kg => 80 kg
80kg => 80 kg
1 tonne => 1 t
1.5 t => 1.5 t
2 tons => 2 t
375,000 lb => 375000 lb
12 oz => 12 oz
500 g => 500 g
3 km => 3 km
26 miles => 26 mi
6 ft => 6 ft
16 GB => 16 GB
2 TB => 2 TB
60,000 barrels => 60000 bbl
5 days => 5 day
2 weeks => 2 week
90 minutes => 90 min
1.5 hours => 1.5 hour
8 h => 8 hour
30-day => 30 day
between 10 and 20 => 10 low | 20 high
from 1 to 30 => 1 low | 30 high
10-20 => 10 low | 20 high
10 - 20 => 10 low | 20 high
10–20 => 10 low | 20 high
1..30 => 1 low | 30 high
$5-10k => 5 USD low | 10000 USD high
5-10% => 0.05 % low | 0.1 % high
3 to 5 kg => 3 kg low | 5 kg high
at least 20% => 0.2 % at_least
no less than 5 => 5 at_least
minimum of 8 => 8 at_least
>= 4 => 4 at_least
15% or more => 0.15 % at_least
at most 30 => 30 at_most
no more than 10k => 10000 at_most
not more then half => 
max 36 => 36 at_most
up to 12 => 12 at_most
<= 7 => 7 at_most
12 or less => 12 at_most
100 tops => 100 at_most
over 60 => 60 more_than
more than 5% => 0.05 % more_than
under 10 => 10 less_than
below 8 percent => 0.08 % less_than
fewer than 40 => 40 less_than
about 120 => 120 about
roughly 4,800 => 4800 about
around 40 => 40 about
~50 => 50 about
120, give or take 30 => 120 | 30 spread
120 +/- 30 => 120 | 30 spread
120 ± 30 => 120 | 30 spread
200 plus or minus 50 => 200 | 50 spread
4000 -> 80 sales => 4000 | 80
4000 => 80 sales => 4000 | 80
480, 420 and 390 kg => 480 kg | 420 kg | 390 kg
5, 10 and 20% => 0.05 % | 0.1 % | 0.2 %
power .9, 10% dropout => 0.9 | 0.1 %
Q3 => 
p0=0.2, p1=0.4 => 0.2 | 0.4
win55 => 
８０ => 80
a one-off order => 
the last one => 
99999999999999999999 => 100000000000000000000
1e999 => 
`;

const cases = TABLE.trim()
  .split('\n')
  .map((line) => {
    const at = line.lastIndexOf(' => ');
    return at < 0
      ? ([line.replace(/ =>$/, ''), ''] as const)
      : ([line.slice(0, at), line.slice(at + 4).trim()] as const);
  });

test('the table has at least 200 lines', () => {
  expect(cases.length).toBeGreaterThanOrEqual(200);
});

test.each(cases)('%s', (text, expected) => {
  expect(scanned(text)).toBe(expected);
});

test('every place is a place in the text, and quantities do not overlap', () => {
  const text = 'İstanbul 😀 “5 kg” ½ and １２ … €1’200 at 30% – 10–20';
  const found = scanQuantities(normalised(text));
  expect(normalised(text)).toHaveLength(text.length);
  expect(found.map(({ start, end }) => text.slice(start, end))).toEqual([
    '5 kg',
    '½',
    '１２',
    '€1’200',
    '30%',
    '10',
    '20',
  ]);
});
