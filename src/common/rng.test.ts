import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageRoot } from './dist-entry.js';
import { Rng } from './rng.js';

interface GoldenStream {
  seed: number;
  state: number[];
  uint32: number[];
  uniform: number[];
  normals: number[];
  split: number[];
}
const golden = JSON.parse(readFileSync(`${packageRoot()}/test/golden/rng/xoshiro128.json`, 'utf8')) as {
  streams: GoldenStream[];
};

function normalCdf(x: number): number {
  // Abramowitz and Stegun 26.2.17, error below 7.5e-8.
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const upper = (Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI)) * poly;
  return x < 0 ? upper : 1 - upper;
}

function chiSquare(counts: readonly number[], expected: readonly number[]): number {
  return counts.reduce((sum, count, i) => sum + (count - expected[i]) ** 2 / expected[i], 0);
}

describe('Rng', () => {
  it.each(golden.streams)('agrees with an independent implementation for seed $seed', (stream) => {
    const rng = Rng.create(stream.seed);
    expect(rng.snapshot().slice(0, 4)).toEqual(stream.state);
    expect(Array.from(stream.uint32, () => rng.nextUint32())).toEqual(stream.uint32);
    expect(Rng.create(stream.seed).uniform()).toBe(stream.uniform[0]);
    const split = Rng.create(stream.seed).split('cma-es');
    expect(Array.from(stream.split, () => split.nextUint32())).toEqual(stream.split);
    const normals = new Float64Array(stream.normals.length);
    Rng.create(stream.seed).fillNormals(normals, 0, normals.length);
    stream.normals.forEach((value, i) => expect(Math.abs(normals[i] - value)).toBeLessThan(1e-12));
  });

  it('fills the same normals one by one and in blocks', () => {
    const block = new Float64Array(5000);
    Rng.create(7).fillNormals(block, 0, 3000);
    const rng = Rng.create(7);
    rng.fillNormals(block, 3000, 0);
    for (let i = 0; i < 3000; i++) expect(rng.normal()).toBe(block[i]);
  });

  it('continues identically after restore', () => {
    const rng = Rng.create(3);
    for (let i = 0; i < 1000; i++) rng.normal();
    const copy = Rng.restore(JSON.parse(JSON.stringify(rng.snapshot())) as number[]);
    for (let i = 0; i < 1000; i++) expect(copy.normal()).toBe(rng.normal());
    expect(copy.split('a').uniform()).toBe(rng.split('a').uniform());
  });

  it('splits into streams that depend on seed and label only', () => {
    const rng = Rng.create(11);
    const before = rng.split('a').nextUint32();
    rng.normal();
    expect(rng.split('a').nextUint32()).toBe(before);
    expect(rng.split('b').nextUint32()).not.toBe(before);
    expect(Rng.create(12).split('a').nextUint32()).not.toBe(before);
  });

  it('refuses seeds and snapshots of the wrong kind', () => {
    expect(() => Rng.create(0.5)).toThrow(RangeError);
    expect(() => Rng.create(2 ** 53)).toThrow(RangeError);
    expect(() => Rng.restore([1, 2, 3])).toThrow(RangeError);
    expect(() => Rng.restore([1, 2, 3, 4, 5, -6])).toThrow(RangeError);
  });

  // With fixed seeds these cannot flicker; the limits are the 99.9 % points of the statistics.
  it('draws uniforms that fill 64 cells evenly, also in pairs', () => {
    const rng = Rng.create(2024);
    const draws = 200_000;
    const single = new Array<number>(64).fill(0);
    const pairs = new Array<number>(64).fill(0);
    for (let i = 0; i < draws; i++) {
      const u = rng.uniform();
      const v = rng.uniform();
      single[Math.floor(u * 64)]++;
      pairs[Math.floor(u * 8) * 8 + Math.floor(v * 8)]++;
    }
    const expected = new Array<number>(64).fill(draws / 64);
    expect(chiSquare(single, expected)).toBeLessThan(103.4);
    expect(chiSquare(pairs, expected)).toBeLessThan(103.4);
  });

  it('draws normals with the right moments and distribution, tail included', () => {
    const draws = 1_000_000;
    const z = new Float64Array(draws);
    Rng.create(99).fillNormals(z, 0, draws);
    const moments = [0, 0, 0, 0];
    const edges = Array.from({ length: 41 }, (_, i) => -4 + i * 0.2);
    const counts = new Array<number>(edges.length + 1).fill(0);
    for (const value of z) {
      let power = 1;
      for (let k = 0; k < 4; k++) moments[k] += (power *= value) / draws;
      counts[Math.min(edges.length, Math.max(0, Math.floor((value + 4) / 0.2) + 1))]++;
    }
    // Standard errors: 1, sqrt(2), sqrt(15), sqrt(96), each over sqrt(draws); three of them.
    expect(Math.abs(moments[0])).toBeLessThan(3e-3);
    expect(Math.abs(moments[1] - 1)).toBeLessThan(4.3e-3);
    expect(Math.abs(moments[2])).toBeLessThan(11.7e-3);
    expect(Math.abs(moments[3] - 3)).toBeLessThan(29.4e-3);
    const cdf = [0, ...edges.map(normalCdf), 1];
    const expected = counts.map((_, i) => draws * (cdf[i + 1] - cdf[i]));
    expect(chiSquare(counts, expected)).toBeLessThan(74.7); // 41 degrees of freedom
    expect(Math.max(...z.subarray(0, 100_000))).toBeGreaterThan(3.6);
  });

  it('draws integers below a bound without bias', () => {
    const rng = Rng.create(8);
    const counts = new Array<number>(7).fill(0);
    for (let i = 0; i < 70_000; i++) counts[rng.below(7)]++;
    expect(chiSquare(counts, new Array<number>(7).fill(10_000))).toBeLessThan(22.5);
  });
});
