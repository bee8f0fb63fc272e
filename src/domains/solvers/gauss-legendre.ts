/**
 * The 12-point rule of Gauss and Legendre on [-1, 1]: exact for polynomials of degree 23 (Abramowitz and Stegun 25.4).
 */
const HALF: readonly (readonly [node: number, weight: number])[] = [
  [0.1252334085114689, 0.2491470458134028],
  [0.3678314989981802, 0.2334925365383548],
  [0.5873179542866175, 0.2031674267230659],
  [0.7699026741943047, 0.1600783285433462],
  [0.9041172563704749, 0.1069393259953184],
  [0.9815606342467192, 0.0471753363865118],
];

const RULE = [...HALF.map(([node, weight]) => [-node, weight] as const).reverse(), ...HALF];

interface Quadrature {
  readonly nodes: Float64Array;
  readonly weights: Float64Array;
}

/** Equal panels over [low, high], none wider than `widest`, with 12 nodes each. */
export function panels(low: number, high: number, widest: number): Quadrature {
  if (!(high > low)) return { nodes: new Float64Array(0), weights: new Float64Array(0) };
  const count = Math.ceil((high - low) / widest);
  const half = (high - low) / count / 2;
  const nodes = new Float64Array(RULE.length * count);
  const weights = new Float64Array(RULE.length * count);
  let i = 0;
  for (let panel = 0; panel < count; panel++) {
    const middle = low + (2 * panel + 1) * half;
    for (const [node, weight] of RULE) {
      nodes[i] = middle + half * node;
      weights[i++] = half * weight;
    }
  }
  return { nodes, weights };
}
