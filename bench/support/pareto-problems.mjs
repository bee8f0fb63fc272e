/** ZDT1-4, ZDT6 (Zitzler, Deb and Thiele 2000) and DTLZ2 (Deb et al. 2002), all minimised. */
const sum = (values, term) => values.reduce((total, value) => total + term(value), 0);
const { PI, cos, exp, sin, sqrt } = Math;

const zdt = (n, g, f2, f1 = (x) => x) => ({
  variables: n,
  objectives: 2,
  values: (x) => {
    const first = f1(x[0]);
    const rest = g(x.subarray(1));
    return [first, rest * f2(first, rest)];
  },
});
const linear = (rest) => 1 + (9 * sum(rest, (v) => v)) / rest.length;

export const PROBLEMS = {
  zdt1: zdt(30, linear, (f, g) => 1 - sqrt(f / g)),
  zdt2: zdt(30, linear, (f, g) => 1 - (f / g) ** 2),
  zdt3: zdt(30, linear, (f, g) => 1 - sqrt(f / g) - (f / g) * sin(10 * PI * f)),
  zdt4: {
    ...zdt(
      10,
      (rest) => 1 + 10 * rest.length + sum(rest, (v) => v * v - 10 * cos(4 * PI * v)),
      (f, g) => 1 - sqrt(f / g),
    ),
    low: -5,
    high: 5,
  },
  zdt6: zdt(
    10,
    (rest) => 1 + 9 * (sum(rest, (v) => v) / rest.length) ** 0.25,
    (f, g) => 1 - (f / g) ** 2,
    (x) => 1 - exp(-4 * x) * sin(6 * PI * x) ** 6,
  ),
  dtlz2: {
    variables: 12,
    objectives: 3,
    values: ([a, b, ...rest]) => {
      const g = 1 + sum(rest, (v) => (v - 0.5) ** 2);
      const [u, v] = [(a * PI) / 2, (b * PI) / 2];
      return [g * cos(u) * cos(v), g * cos(u) * sin(v), g * sin(u)];
    },
  },
};

export const referenceOf = ({ objectives }) => new Array(objectives).fill(1.1);

export function boundsOf({ variables, low = 0, high = 1 }) {
  const lower = new Float64Array(variables).fill(low);
  const upper = new Float64Array(variables).fill(high);
  // The first variable of all of them is the first objective.
  return { lower: lower.fill(0, 0, 1), upper: upper.fill(1, 0, 1) };
}

/** A pseudo-random number from 0 to 1 for each evaluation: which ones are missing is no matter of the strategy. */
export function stream(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}
