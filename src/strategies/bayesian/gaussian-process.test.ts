import { describe, expect, it } from 'vitest';
import { Rng } from '../../common/rng.js';
import { GaussianProcess, fitTheta, negativeLogPosterior, priorTheta } from './gaussian-process.js';

/** The same in NumPy, with explicit inverses. */
const points = Float64Array.of(0.1, 0.2, 0.8, 0.3, 0.45, 0.9, 0.6, 0.55, 0.2, 0.7, 0.95, 0.85);
const values = Float64Array.of(0.3, -1.2, 0.7, -0.4, 1.5, -0.9);
const theta = Float64Array.of(0.4, 0.9, 1e-3).map(Math.log);
const posterior: [number[], number, number][] = [
  [[0.5, 0.5], 0.05091857290377469, 0.23060456789583983],
  [[0.1, 0.2], 0.30202271441045925, 0.03309092253012725],
  [[0, 1], 1.3276206415541494, 0.6400889917823751],
];
const means = [
  0.30202271441045925, -1.19870739084736, 0.7002824907001686, -0.39976713359951677, 1.4961274322976552,
  -0.8999581129614024,
];

function someData(n: number, count: number): { n: number; count: number; points: Float64Array; values: Float64Array } {
  const rng = Rng.create(3);
  const at = Float64Array.from({ length: count * n }, () => rng.uniform());
  return { n, count, points: at, values: Float64Array.from({ length: count }, () => rng.normal()) };
}

describe('Gaussian process', () => {
  it('has the posterior that NumPy finds', () => {
    const process = GaussianProcess.create(2, points, 6, theta);
    process.learn(values).forEach((mean, k) => expect(mean).toBeCloseTo(means[k], 11));
    for (const [x, mean, deviation] of posterior) {
      const found = process.at(Float64Array.from(x));
      expect(found.mean).toBeCloseTo(mean, 11);
      expect(found.deviation).toBeCloseTo(deviation, 11);
    }
  });

  it('has the marginal likelihood that NumPy finds', () => {
    const prior = Float64Array.of(Math.log(0.7), Math.log(0.7), -18);
    const value = negativeLogPosterior({ n: 2, count: 6, points, values }, theta, prior);
    expect(value).toBeCloseTo(2.0002137423819, 11);
  });

  it('is the same whether points come at once or one by one', () => {
    const whole = GaussianProcess.create(2, points, 6, theta);
    let grown = GaussianProcess.create(2, points, 2, theta);
    for (let k = 2; k < 6; k++) grown = grown.with(points, 2 * k)!;
    const expected = whole.learn(values);
    grown.learn(values).forEach((mean, k) => expect(mean).toBeCloseTo(expected[k], 12));
    for (const [x] of posterior) {
      const [found, wanted] = [grown.at(Float64Array.from(x)), whole.at(Float64Array.from(x))];
      expect(found.mean).toBeCloseTo(wanted.mean, 12);
      expect(found.deviation).toBeCloseTo(wanted.deviation, 12);
    }
  });

  it('has the gradient of its marginal likelihood right', () => {
    const data = someData(3, 25);
    const prior = priorTheta(3, 0.5);
    for (const at of [Float64Array.of(-1, 0.2, -0.3, -4), prior]) {
      const gradient = new Float64Array(4);
      negativeLogPosterior(data, at, prior, gradient);
      for (let i = 0; i < 4; i++) {
        const [up, down] = [at.slice(), at.slice()];
        up[i] += 1e-4;
        down[i] -= 1e-4;
        const slope = (negativeLogPosterior(data, up, prior) - negativeLogPosterior(data, down, prior)) / 2e-4;
        expect(gradient[i]).toBeCloseTo(slope, 5);
      }
    }
  });

  it('has the gradients of mean and deviation right', () => {
    const data = someData(3, 25);
    const process = GaussianProcess.create(3, data.points, 25, Float64Array.of(-1, 0.2, -0.3, -4));
    process.learn(data.values);
    const x = Float64Array.of(0.2, 0.5, 0.7);
    const [ofMean, ofDeviation] = [new Float64Array(3), new Float64Array(3)];
    process.slopesAt(x, ofMean, ofDeviation);
    for (let i = 0; i < 3; i++) {
      const [up, down] = [x.slice(), x.slice()];
      up[i] += 1e-5;
      down[i] -= 1e-5;
      const [above, below] = [process.at(up), process.at(down)];
      expect(ofMean[i]).toBeCloseTo((above.mean - below.mean) / 2e-5, 6);
      expect(ofDeviation[i]).toBeCloseTo((above.deviation - below.deviation) / 2e-5, 6);
    }
  });

  it('learns which coordinate matters and how much noise there is', () => {
    const { points: at, ...data } = someData(2, 60);
    const rng = Rng.create(8);
    const prior = priorTheta(2, 0.5);
    const fit = (noise: number): Float64Array => {
      const observed = Float64Array.from({ length: 60 }, (_, k) => Math.sin(9 * at[2 * k]) + noise * rng.normal());
      return fitTheta({ ...data, points: at, values: observed }, prior, prior, 40);
    };
    const clean = fit(0);
    expect(clean[1] - clean[0]).toBeGreaterThan(1);
    expect(Math.exp(clean[2])).toBeLessThan(1e-5);
    expect(Math.exp(fit(0.5)[2])).toBeGreaterThan(0.02);
  });

  it('takes a point twice', () => {
    const twice = Float64Array.of(0.5, 0.5, 0.5, 0.5);
    const process = GaussianProcess.create(2, twice, 2, Float64Array.of(0, 0, -60));
    process.learn(Float64Array.of(1, 2));
    expect(process.at(Float64Array.of(0.5, 0.5)).mean).toBeCloseTo(1.5, 3);
  });
});
