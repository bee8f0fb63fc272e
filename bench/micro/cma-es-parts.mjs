/** The parts of CMA-ES one by one: normals, Cholesky factorisation, eigendecomposition. ADR 0005 rests on these. */
import { Rng } from '../../dist/common/rng.js';
import { choleskyFactor } from '../../dist/linalg/cholesky.js';
import { SymmetricEigen } from '../../dist/linalg/symmetric-eigen.js';

const SAMPLES = 9;

/** Microseconds per call: median, least and largest of several samples of about 20 ms each. */
function time(part, dimension, call) {
  let repetitions = 1;
  const sample = () => {
    const start = performance.now();
    for (let r = 0; r < repetitions; r++) call();
    return performance.now() - start;
  };
  while (sample() < 20) repetitions *= 2;
  const times = Array.from({ length: SAMPLES }, () => (sample() * 1000) / repetitions).sort((a, b) => a - b);
  return {
    part,
    dimension,
    microseconds_median: times[SAMPLES >> 1],
    microseconds_min: times[0],
    microseconds_max: times.at(-1),
  };
}

/** G G^T / n + I for a random G. */
function positiveMatrix(n, rng) {
  const g = new Float64Array(n * n);
  rng.fillNormals(g, 0, n * n);
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      for (let k = 0; k < n; k++) a[i * n + j] += (g[i * n + k] * g[j * n + k]) / n;
    }
    a[i * n + i] += 1;
  }
  return a;
}

export async function run() {
  const rng = Rng.create(1);
  const normals = new Float64Array(1000);
  const results = [time('1,000 normals', null, () => rng.fillNormals(normals, 0, 1000))];
  for (const n of [10, 40, 100, 200]) {
    const a = positiveMatrix(n, rng);
    const factor = new Float64Array(n * n);
    const values = new Float64Array(n);
    const vectors = new Float64Array(n * n);
    const eigen = new SymmetricEigen(n);
    results.push(time('cholesky', n, () => choleskyFactor(a, factor, n)));
    results.push(time('eigenvalues', n, () => eigen.decompose(a, values, null)));
    results.push(time('eigenvectors', n, () => eigen.decompose(a, values, vectors)));
    // Two ways to the determinant must agree.
    let fromFactor = 0;
    let fromValues = 0;
    for (let i = 0; i < n; i++) {
      fromFactor += 2 * Math.log(factor[i * n + i]);
      fromValues += Math.log(values[i]);
    }
    if (!(Math.abs(fromFactor - fromValues) < 1e-9 * n)) throw new Error(`n = ${n}: determinants differ`);
  }
  return { name: 'cma-es-parts', settings: { samples: SAMPLES }, results };
}
