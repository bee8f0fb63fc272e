/**
 * A Gaussian process with a Matérn 5/2 kernel, one length scale per coordinate, and a constant mean.
 *
 * Symbols: X [N, n] the points, row by row; y [N] their values; R [N, N] = kernel + g I, where kernel(x, x) = 1; L its
 * Cholesky factor; m the mean and v the variance of the process, both in closed form for given R; alpha = R^-1 (y - m);
 * theta [n + 1] = [log length scales, log g]; g the nugget, the variance of the noise as a multiple of v.
 * Source: Rasmussen and Williams, Gaussian Processes for Machine Learning, algorithm 2.1, eq. 4.17, 5.8, 5.9; m by
 * generalised least squares, v as the mode under an inverse gamma prior.
 */
import { exp, log } from '../../common/float.js';
import { choleskyFactor, solveLower, solveUpper } from '../../linalg/cholesky.js';
import { minimize } from './lbfgs.js';

const SQRT5 = 2.23606797749979;

/** The variance is estimated as if so many values of variance 1 had been seen before. */
const PRIOR_VALUES = 1;
/** Normal priors on theta: spread of the log length scales, centre and spread of the log nugget. */
const LENGTH_SPREAD = 1;
const NUGGET_CENTRE = -18;
const NUGGET_SPREAD = 4;
/** Bounds: of a length scale as a factor of its prior's centre, of the nugget as it is. */
const SHORTEST = 0.02;
const LONGEST = 50;
const MIN_NUGGET = 1e-12;
const MAX_NUGGET = 1;
/** Log nugget that a fit may begin with. */
const SEEN_NOISE = -3;
/** Smallest share of the variance that is left at a known point: below it is rounding. */
const MIN_VARIANCE = 1e-14;
/** A factor of about 7. */
const NUGGET_STEP = 2;

interface Data {
  readonly n: number;
  readonly count: number;
  /** [count, n]. */
  readonly points: Float64Array;
  /** [count], about standardised. */
  readonly values: Float64Array;
}

/** The centres of the priors on theta. */
export function priorTheta(n: number, lengthScale: number): Float64Array {
  const theta = new Float64Array(n + 1).fill(log(lengthScale));
  theta[n] = NUGGET_CENTRE;
  return theta;
}

/**
 * Negative log of the marginal likelihood at the best m and v, times the priors; writes its gradient by theta where one
 * is given. Infinity where R is not positive definite.
 *
 * Shapes: `theta`, `prior` and `gradient` [n + 1]. Cost: N^3 / 2 multiply-adds, a third of that without gradient.
 */
export function negativeLogPosterior(
  { n, count, points, values }: Data,
  theta: Float64Array,
  prior: Float64Array,
  gradient?: Float64Array,
): number {
  const scaled = inUnitsOf(theta, n, points, count);
  const nugget = exp(theta[n]);
  // The lower triangle holds the kernel, the upper one what the gradient needs of it.
  const r = new Float64Array(count * count);
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < a; b++) {
      let sum = 0;
      for (let i = 0; i < n; i++) {
        const d = scaled[a * n + i] - scaled[b * n + i];
        sum += d * d;
      }
      const s = SQRT5 * Math.sqrt(sum);
      const e = exp(-s);
      r[a * count + b] = (1 + s + (s * s) / 3) * e;
      r[b * count + a] = (5 / 3) * (1 + s) * e;
    }
    r[a * count + a] = 1 + nugget;
  }
  const l = new Float64Array(count * count);
  if (!choleskyFactor(r, l, count)) return Infinity;
  const { alpha, variance } = weights(l, values, count);
  let value = 0.5 * (count + PRIOR_VALUES) * log(variance);
  for (let a = 0; a < count; a++) value += log(l[a * count + a]);
  for (let i = 0; i <= n; i++) {
    const z = (theta[i] - prior[i]) / spreadOf(i, n);
    value += 0.5 * z * z;
  }
  if (gradient === undefined) return value;

  // (tr(R^-1 dR) - alpha' dR alpha / v) / 2, eq. 5.9; m and v are stationary.
  const inverse = inverseOfFactor(l, count);
  gradient.fill(0);
  let trace = 0;
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < a; b++) {
      const weight = (inverse[a * count + b] - (alpha[a] * alpha[b]) / variance) * r[b * count + a];
      for (let i = 0; i < n; i++) {
        const d = scaled[a * n + i] - scaled[b * n + i];
        gradient[i] += weight * d * d;
      }
    }
    trace += inverse[a * count + a] - (alpha[a] * alpha[a]) / variance;
  }
  gradient[n] += 0.5 * nugget * trace;
  for (let i = 0; i <= n; i++) gradient[i] += (theta[i] - prior[i]) / (spreadOf(i, n) * spreadOf(i, n));
  return value;
}

const spreadOf = (i: number, n: number): number => (i < n ? LENGTH_SPREAD : NUGGET_SPREAD);

/**
 * The most probable theta, from the best of four starts: `start` and the centre of the priors, each as it is and with a
 * noise that is seen. From a nugget near 0 the way to a large one is too flat to be found.
 */
export function fitTheta(data: Data, start: Float64Array, prior: Float64Array, iterations: number): Float64Array {
  const { n } = data;
  const lower = prior.map((value, i) => (i < n ? value + log(SHORTEST) : log(MIN_NUGGET)));
  const upper = prior.map((value, i) => (i < n ? value + log(LONGEST) : log(MAX_NUGGET)));
  const clamped = start.map((value, i) => Math.min(upper[i], Math.max(lower[i], value)));
  const starts = [clamped, prior].flatMap((lengths) => [lengths.slice(), lengths.slice().fill(SEEN_NOISE, n)]);
  const values = starts.map((candidate) => negativeLogPosterior(data, candidate, prior));
  const theta = starts[values.indexOf(Math.min(...values))];
  minimize((x, gradient) => negativeLogPosterior(data, x, prior, gradient), theta, {
    lower,
    upper,
    iterations,
    firstStep: 0.5,
    tolerance: 1e-2,
  });
  return theta;
}

/** Prediction of the process at a point. */
interface Posterior {
  readonly mean: number;
  /** Standard deviation of the function, without noise. */
  readonly deviation: number;
}

/** Points and hyperparameters do not change; `learn` sets the values. Not safe for concurrent calls. */
export class GaussianProcess {
  private alpha: Float64Array = new Float64Array(0);
  private mean = 0;
  private variance = 1;
  private readonly nugget: number;
  private readonly inverseLengths: Float64Array;
  /** Kernel between the last point asked about and all points, and what its gradient needs. */
  private readonly kernel: Float64Array;
  private readonly kernelSlope: Float64Array;
  private readonly z: Float64Array;
  private readonly x: Float64Array;

  /** `scaled` [count, n]: the points in units of the length scales. `l` [count, count]. */
  private constructor(
    private readonly n: number,
    readonly theta: Float64Array,
    private readonly scaled: Float64Array,
    private readonly l: Float64Array,
    private readonly count: number,
  ) {
    this.nugget = exp(theta[n]);
    this.inverseLengths = inverseLengthsOf(theta, n);
    this.kernel = new Float64Array(count);
    this.kernelSlope = new Float64Array(count);
    this.z = new Float64Array(count);
    this.x = new Float64Array(n);
  }

  /**
   * The nugget is raised until R is positive definite.
   *
   * @param points [count, n], at least one
   */
  static create(n: number, points: Float64Array, count: number, theta: Float64Array): GaussianProcess {
    const raised = theta.slice();
    for (;;) {
      const process = new GaussianProcess(
        n,
        raised.slice(),
        inUnitsOf(raised, n, points, count),
        new Float64Array(count * count),
        count,
      );
      const r = new Float64Array(count * count);
      for (let a = 0; a < count; a++) {
        process.relate(points, a * n);
        r.set(process.kernel.subarray(0, a), a * count);
        r[a * count + a] = 1 + process.nugget;
      }
      if (choleskyFactor(r, process.l, count)) return process;
      raised[n] += NUGGET_STEP;
    }
  }

  /**
   * With one more point, `points[start .. start+n]`, in O(N^2); it has yet to learn the values. Null where R would not
   * be positive definite.
   */
  with(points: Float64Array, start: number): GaussianProcess | null {
    const { n, count } = this;
    this.relate(points, start);
    solveLower(this.l, this.kernel, this.z, count);
    const pivot = 1 + this.nugget - dot(this.z, 0, this.z, 0, 0, count);
    if (!(pivot > MIN_VARIANCE)) return null;
    const size = count + 1;
    const l = new Float64Array(size * size);
    for (let a = 0; a < count; a++) l.set(this.l.subarray(a * count, a * count + a + 1), a * size);
    l.set(this.z, count * size);
    l[count * size + count] = Math.sqrt(pivot);
    const scaled = new Float64Array(size * n);
    scaled.set(this.scaled);
    scaled.set(this.x, count * n);
    return new GaussianProcess(n, this.theta, scaled, l, size);
  }

  /** Sets the values of all points, [count], and returns the posterior means there. O(N^2). */
  learn(values: Float64Array): Float64Array {
    const { alpha, mean, variance } = weights(this.l, values, this.count);
    this.alpha = alpha;
    this.mean = mean;
    this.variance = variance;
    return alpha.map((weight, a) => values[a] - this.nugget * weight);
  }

  /** O(N n). */
  meanAt(x: Float64Array): number {
    this.relate(x, 0);
    let mean = this.mean;
    for (let a = 0; a < this.count; a++) mean += this.kernel[a] * this.alpha[a];
    return mean;
  }

  /** O(N^2). */
  at(x: Float64Array): Posterior {
    const { count, z } = this;
    const mean = this.meanAt(x);
    solveLower(this.l, this.kernel, z, count);
    const left = 1 - dot(z, 0, z, 0, 0, count);
    return { mean, deviation: Math.sqrt(this.variance * Math.max(left, MIN_VARIANCE)) };
  }

  /** As `at`, and writes the gradients of both by x, [n]. O(N^2 + N n). */
  slopesAt(x: Float64Array, meanSlope: Float64Array, deviationSlope: Float64Array): Posterior {
    const { n, count, scaled, alpha, kernelSlope, z } = this;
    const posterior = this.at(x);
    solveUpper(this.l, z, z, count);
    meanSlope.fill(0);
    deviationSlope.fill(0);
    for (let a = 0; a < count; a++) {
      // d kernel / d x_i = -(5/3) (1 + s) e^-s (x_i - X_ai) / length_i^2
      const forMean = kernelSlope[a] * alpha[a];
      const forDeviation = kernelSlope[a] * z[a];
      for (let i = 0; i < n; i++) {
        const d = this.x[i] - scaled[a * n + i];
        meanSlope[i] -= forMean * d;
        deviationSlope[i] += forDeviation * d;
      }
    }
    const scale = this.variance / posterior.deviation;
    for (let i = 0; i < n; i++) {
      const inverse = this.inverseLengths[i];
      meanSlope[i] *= inverse;
      deviationSlope[i] *= inverse * scale;
    }
    return posterior;
  }

  /** Fills `x`, `kernel` and `kernelSlope` for the point at `points[start .. start+n]`. */
  private relate(points: Float64Array, start: number): void {
    const { n, count, scaled, kernel, kernelSlope, x } = this;
    for (let i = 0; i < n; i++) x[i] = points[start + i] * this.inverseLengths[i];
    for (let a = 0; a < count; a++) {
      let sum = 0;
      for (let i = 0; i < n; i++) {
        const d = x[i] - scaled[a * n + i];
        sum += d * d;
      }
      const s = SQRT5 * Math.sqrt(sum);
      const e = exp(-s);
      kernel[a] = (1 + s + (s * s) / 3) * e;
      kernelSlope[a] = (5 / 3) * (1 + s) * e;
    }
  }
}

const inverseLengthsOf = (theta: Float64Array, n: number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => exp(-theta[i]));

function inUnitsOf(theta: Float64Array, n: number, points: Float64Array, count: number): Float64Array {
  const inverse = inverseLengthsOf(theta, n);
  const scaled = new Float64Array(count * n);
  for (let a = 0; a < count; a++) for (let i = 0; i < n; i++) scaled[a * n + i] = points[a * n + i] * inverse[i];
  return scaled;
}

/** alpha, mean and variance of the process. */
function weights(
  l: Float64Array,
  values: Float64Array,
  count: number,
): { alpha: Float64Array; mean: number; variance: number } {
  const ones = new Float64Array(count).fill(1);
  const alpha = values.slice(0, count);
  solveLower(l, ones, ones, count);
  solveLower(l, alpha, alpha, count);
  let above = 0;
  let below = 0;
  for (let a = 0; a < count; a++) {
    above += ones[a] * alpha[a];
    below += ones[a] * ones[a];
  }
  const mean = above / below;
  let squares = 0;
  for (let a = 0; a < count; a++) {
    alpha[a] -= mean * ones[a];
    squares += alpha[a] * alpha[a];
  }
  solveUpper(l, alpha, alpha, count);
  return { alpha, mean, variance: (squares + PRIOR_VALUES) / (count + PRIOR_VALUES) };
}

/** (L L')^-1, lower triangle, in N^3 / 3 multiply-adds along rows. */
function inverseOfFactor(l: Float64Array, count: number): Float64Array {
  // Row j is column j of L^-1.
  const columns = new Float64Array(count * count);
  for (let j = 0; j < count; j++) {
    const row = j * count;
    columns[row + j] = 1 / l[row + j];
    for (let i = j + 1; i < count; i++) {
      columns[row + i] = -dot(l, i * count, columns, row, j, i) / l[i * count + i];
    }
  }
  const inverse = new Float64Array(count * count);
  for (let a = 0; a < count; a++) {
    for (let b = 0; b <= a; b++) inverse[a * count + b] = dot(columns, a * count, columns, b * count, a, count);
  }
  return inverse;
}

/** Sum of a[aStart + k] b[bStart + k] for k from `from` below `to`, in four interleaved partial sums. */
function dot(a: Float64Array, aStart: number, b: Float64Array, bStart: number, from: number, to: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let k = from;
  for (; k + 3 < to; k += 4) {
    s0 += a[aStart + k] * b[bStart + k];
    s1 += a[aStart + k + 1] * b[bStart + k + 1];
    s2 += a[aStart + k + 2] * b[bStart + k + 2];
    s3 += a[aStart + k + 3] * b[bStart + k + 3];
  }
  for (; k < to; k++) s0 += a[aStart + k] * b[bStart + k];
  return s0 + s1 + (s2 + s3);
}
