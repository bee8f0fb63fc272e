import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { phrase } from './phrase.js';

describe('a sentence', () => {
  it.each([
    ['{n}', 12, '12'],
    ['{n}', 1_234_567, '1,234,567'],
    ['{n}', -0, '0'],
    ['{n}', 1e300, '1e+300'],
    ['{n}', 1.5142072359047085e302, '1.51e+302'],
    ['{n}', Number.MAX_VALUE, '1.7976931348623157e+308'],
    ['{n:down}', -Number.MAX_VALUE, '-1.7976931348623157e+308'],
    ['{n}', 3.98662, '3.99'],
    ['{n}', 68430.25, '68,430'],
    ['{n}', 304.047, '304'],
    ['{n}', -0.4e-300, '-4e-301'],
    ['{n:down}', 68430.75, '68,430'],
    ['{n:up}', 99.95, '100'],
    ['{n}', -0.00666667, '-0.00667'],
    ['{n}', 5.329070518200751e-15, '5.33e-15'],
    ['{n:percent}', 0.081, '8.1 %'],
    ['{n:percent}', 0.07, '7 %'],
    ['{n:percent}', 1, '100 %'],
    ['{n:dimension|dimensions}', 1, '1 dimension'],
    ['{n:dimension|dimensions}', 0, '0 dimensions'],
    ['{n:dimension|dimensions}', 2000, '2,000 dimensions'],
    ['{n:plain}', 2147483648, '2147483648'],
    ['{n:down}', 3.9866, '3.98'],
    ['{n:up}', 3.9811, '3.99'],
    ['{n:up}', -3.9866, '-3.98'],
    ['{n:down}', 7, '7'],
    ['{n:down}', -9.999, '-10'],
    ['{n:up}', 9.991, '10'],
  ])('shows %s of %d as %s', (template, n, text) => {
    expect(phrase(template, { n })).toBe(text);
  });

  it('keeps a bound a bound', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }), (n) => {
        const [low, high] = ['down', 'up'].map((side) => Number(phrase(`{n:${side}}`, { n }).replaceAll(',', '')));
        expect(low).toBeLessThanOrEqual(n);
        expect(high).toBeGreaterThanOrEqual(n);
        if (Math.abs(n) > 1e-300) expect(high - low).toBeLessThanOrEqual(0.0101 * Math.abs(n));
      }),
    );
  });

  it.each([
    ['{a..b}', 3, 5, '3 to 5'],
    ['{a..b} Gy', 15.0001, 14.9999, '15 Gy'],
    ['{a..b:job|jobs}', 1, 3, '1 to 3 jobs'],
    ['{a..b:job|jobs}', 1, 1, '1 job'],
    ['{a..b:percent}', 0.17, 0.172, '17 % to 17.2 %'],
  ])('shows the range %s of %d and %d as %s', (template, a, b, text) => {
    expect(phrase(template, { a, b })).toBe(text);
  });

  it('without its number is a defect', () => {
    expect(() => phrase('{n} of {m:percent}', { n: 1 })).toThrow('no number "m"');
  });
});
