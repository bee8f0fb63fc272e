/**
 * Functions in arithmetic alone, as text that gpu.js translates, for modes whose own are too coarse: WebGPU allows a
 * sine to be off by 2^-11. Ranges are reduced without the bits of a number, which gpu.js has no access to.
 * `self-test.ts` says whether they are near enough in a mode. Special arguments follow C11 Annex F as far as
 * `single-precision/enclosures.ts` asks.
 */
import { LANE_FUNCTIONS, type LaneFunction } from '../single-precision/lanes.js';

/** A function beside a kernel: numbers in, a number out. */
export interface TextFunction {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly source: string;
}

/** The name of an infinite number, which no language of gpu.js has a literal for. Every function is given it. */
export const INFINITY = 'infinity';

/** The text of a function of `parameters` that returns `result`. */
export function textFunction(
  name: string,
  parameters: readonly string[],
  body: readonly string[],
  result: string,
): TextFunction {
  const source = [`function ${name}(${parameters.join(', ')}) {`, ...body, `return ${result};`, '}'].join('\n');
  return { name, parameters, source };
}

export const ownName = (name: LaneFunction): string => `own_${name}`;

/** Horner's scheme; the coefficient of the highest power comes last. A negative one would join the sign before it. */
function polynomial(at: string, coefficients: readonly number[]): string {
  return [...coefficients]
    .reverse()
    .map((coefficient) => ({ sign: coefficient < 0 ? '-' : '+', size: String(Math.abs(Math.fround(coefficient))) }))
    .reduce(
      (sum, { sign, size }) =>
        sum === '' ? `${sign === '-' ? '0 - ' : ''}${size}` : `(${sum}) * ${at} ${sign} ${size}`,
      '',
    );
}

const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));
const POWERS = [64, 32, 16, 8, 4, 2, 1];

/**
 * `number` in parts of `bits` bits, so that products of the first ones with small whole numbers are exact; the last is
 * the rest.
 */
function parts(number: number, bits: readonly number[]): number[] {
  let rest = number;
  const found = bits.map((bit) => {
    const part = Math.round(rest * 2 ** bit) / 2 ** bit;
    rest -= part;
    return part;
  });
  return [...found, Math.fround(rest)];
}

const [LN2_HIGH, LN2_LOW] = parts(Math.LN2, [12]);
const [HALF_PI_HIGH, HALF_PI_MIDDLE, HALF_PI_LOW] = parts(Math.PI / 2, [12, 25]);
/** Taylor's: exp to r^7, sine to r^9, cosine to r^10, for |r| up to half of ln 2 and of pi / 2. */
const EXP = Array.from({ length: 8 }, (_, n) => 1 / factorial(n));
const SINE = Array.from({ length: 5 }, (_, n) => (-1) ** n / factorial(2 * n + 1));
const COSINE = Array.from({ length: 6 }, (_, n) => (-1) ** n / factorial(2 * n));
/** 2 artanh t = log((1 + t) / (1 - t)), |t| up to 0.172. */
const ARTANH = Array.from({ length: 6 }, (_, n) => 2 / (2 * n + 1));
/** |t| up to tan(pi / 8). */
const ARCTANGENT = Array.from({ length: 10 }, (_, n) => (-1) ** n / (2 * n + 1));
/** |t| up to 0.35. */
const HYPERBOLIC_TANGENT = [1, -1 / 3, 2 / 15, -17 / 315, 62 / 2835, -1382 / 155925, 21844 / 6081075];

/** Quadrant `q` and the rest `r` of an angle: Cody and Waite, Software Manual for the Elementary Functions (1980). */
const QUADRANT = [
  `const k = Math.floor(a * ${Math.fround(2 / Math.PI)} + 0.5);`,
  `const r0 = a - k * ${HALF_PI_HIGH};`,
  `const r1 = r0 - k * ${HALF_PI_MIDDLE};`,
  `const r = r1 - k * ${HALF_PI_LOW};`,
  'const q = k - 4 * Math.floor(k * 0.25);',
  'const z = r * r;',
  `const s = r * (${polynomial('z', SINE)});`,
  `const c = ${polynomial('z', COSINE)};`,
];

const BODIES: Readonly<Record<LaneFunction, readonly [body: readonly string[], result: string]>> = {
  exp: [
    [
      `const k = Math.floor(a * ${Math.fround(Math.LOG2E)} + 0.5);`,
      `const r0 = a - k * ${LN2_HIGH};`,
      `const r = r0 - k * ${LN2_LOW};`,
      `let p = ${polynomial('r', EXP)};`,
      'let n = Math.abs(k);',
      ...[64, ...POWERS].flatMap((power) => [
        `if (n >= ${power}) {`,
        `if (k > 0) { p = p * ${2 ** power}; } else { p = p * ${2 ** -power}; }`,
        `n = n - ${power};`,
        '}',
      ]),
      `if (a > 88.7) { p = ${INFINITY}; }`,
      'if (a < -87.3) { p = 0; }',
    ],
    'p',
  ],
  log: [
    [
      'let m = a;',
      'let e = 0;',
      ...POWERS.flatMap((power) => [
        `if (m >= ${2 ** power}) { m = m * ${2 ** -power}; e = e + ${power}; }`,
        `if (m < ${2 ** (1 - power)}) { m = m * ${2 ** power}; e = e - ${power}; }`,
      ]),
      'if (m > 1.4142135) { m = m * 0.5; e = e + 1; }',
      'const t = (m - 1) / (m + 1);',
      'const z = t * t;',
      `const l = t * (${polynomial('z', ARTANH)});`,
      `const low = l + e * ${LN2_LOW};`,
    ],
    `low + e * ${LN2_HIGH}`,
  ],
  sin: [
    [
      ...QUADRANT,
      'let w = s;',
      'if (q > 0.5) { w = c; }',
      'if (q > 1.5) { w = 0 - s; }',
      'if (q > 2.5) { w = 0 - c; }',
    ],
    'w',
  ],
  cos: [
    [
      ...QUADRANT,
      'let w = c;',
      'if (q > 0.5) { w = 0 - s; }',
      'if (q > 1.5) { w = 0 - c; }',
      'if (q > 2.5) { w = s; }',
    ],
    'w',
  ],
  tanh: [
    [
      'const x = Math.abs(a);',
      'const h = 0.5 * x;',
      'const z = h * h;',
      `const t = h * (${polynomial('z', HYPERBOLIC_TANGENT)});`,
      'let w = 2 * t / (1 + t * t);',
      `if (x > 0.7) { w = 1 - 2 / (own_exp(2 * x, ${INFINITY}) + 1); }`,
      'if (x > 12) { w = 1; }',
      'if (a < 0) { w = 0 - w; }',
    ],
    'w',
  ],
  // acos a = 2 arctan sqrt((1 - a) / (1 + a)), and asin a its complement.
  asin: [
    [
      `const w = own_acos(Math.abs(a), ${INFINITY});`,
      `let v = ${Math.fround(Math.PI / 2)} - w;`,
      'if (a < 0) { v = 0 - v; }',
    ],
    'v',
  ],
  acos: [[`const w = own_atan(Math.sqrt((1 - a) / (1 + a)), ${INFINITY});`], '2 * w'],
  atan: [
    [
      'const x = Math.abs(a);',
      'let t = x;',
      'let w = 0;',
      `if (x > ${Math.fround(Math.tan(Math.PI / 8))}) { t = (x - 1) / (x + 1); w = ${Math.fround(Math.PI / 4)}; }`,
      `if (x > ${Math.fround(Math.tan((3 * Math.PI) / 8))}) { t = 0 - 1 / x; w = ${Math.fround(Math.PI / 2)}; }`,
      'const z = t * t;',
      `w = w + t * (${polynomial('z', ARCTANGENT)});`,
      'if (a < 0) { w = 0 - w; }',
    ],
    'w',
  ],
  // Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 7.1.26: absolute error 1.5e-7.
  erf: [
    [
      'const x = Math.abs(a);',
      'const t = 1 / (1 + 0.3275911 * x);',
      `const p = t * (${polynomial('t', [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429])});`,
      `let w = 1 - p * own_exp(0 - x * x, ${INFINITY});`,
      'if (a < 0) { w = 0 - w; }',
    ],
    'w',
  ],
};

const OWN: readonly TextFunction[] = LANE_FUNCTIONS.map((name) =>
  textFunction(ownName(name), ['a', INFINITY], ...BODIES[name]),
);

/** Those that `text` calls, and what they call. */
export function ownFunctionsIn(text: string): readonly TextFunction[] {
  const found = new Set<TextFunction>();
  const search = (inside: string): void => {
    for (const each of OWN) {
      if (found.has(each) || !inside.includes(`${each.name}(`)) continue;
      found.add(each);
      search(each.source.slice(each.source.indexOf('{')));
    }
  };
  search(text);
  return OWN.filter((each) => found.has(each));
}
