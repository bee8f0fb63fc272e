import { describe, expect, it } from 'vitest';
import { candidateOf, inRows, partOf, type CandidateBatch } from './candidate-batch.js';
import { toTiles } from './tiles.js';

const COUNT = 150;
const DIMENSION = 3;
const numbers = Float64Array.from({ length: COUNT * DIMENSION }, (_, at) => at);
const rows: CandidateBatch = { candidates: numbers, count: COUNT, dimension: DIMENSION, bearsGaps: true };
const tiles: CandidateBatch = { ...rows, candidates: toTiles(numbers, COUNT, DIMENSION), layout: 'tiles' };

describe.each([
  ['rows', rows],
  ['tiles', tiles],
])('a batch in %s', (_, batch) => {
  it('has its candidates', () => {
    for (const row of [0, 63, 64, 149]) {
      expect(candidateOf(batch, row)).toEqual(numbers.slice(row * DIMENSION, (row + 1) * DIMENSION));
    }
    expect(inRows(batch).candidates).toEqual(numbers);
  });

  it.each([
    [0, 150],
    [0, 10],
    [64, 150],
    [64, 128],
    [128, 150],
    [1, 150],
    [70, 100],
    [149, 150],
  ])('has a part from %i to %i', (first, end) => {
    const part = partOf(batch, first, end);
    expect(part).toMatchObject({ count: end - first, dimension: DIMENSION, bearsGaps: true });
    expect(inRows(part).candidates).toEqual(numbers.slice(first * DIMENSION, end * DIMENSION));
    const isView = part.candidates.buffer === batch.candidates.buffer;
    expect(isView).toBe(batch.layout !== 'tiles' || first % 64 === 0);
  });
});
