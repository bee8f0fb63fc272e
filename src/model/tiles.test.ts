import { describe, expect, it } from 'vitest';
import { padTile, TILE_LANES, tiledLength, tiledStart, toRows, toTiles } from './tiles.js';

/** Row i, coordinate k: 1000 i + k. */
const numbered = (count: number, width: number): Float64Array =>
  Float64Array.from({ length: count * width }, (_, at) => 1000 * Math.floor(at / width) + (at % width));

describe('tiles', () => {
  it.each([1, 63, 64, 65, 130])('repeat the last of %i candidates behind it', (count) => {
    const whole = toTiles(numbered(count, 3), count, 3);
    const tiles = whole.map((value, at) =>
      at % TILE_LANES >= count % TILE_LANES && at >= whole.length - 192 ? NaN : value,
    );
    padTile(tiles, count, 3);
    if (count % TILE_LANES !== 0) expect(tiles).toEqual(whole);
    const full = toTiles(numbered(64, 3), 64, 3);
    padTile(full, 64, 3);
    expect(full).toEqual(toTiles(numbered(64, 3), 64, 3));
  });

  it.each([
    [1, 1],
    [63, 3],
    [64, 3],
    [65, 3],
    [130, 7],
  ])('keep %i candidates of %i numbers', (count, width) => {
    const rows = numbered(count, width);
    const tiles = toTiles(rows, count, width);
    expect(tiles).toHaveLength(tiledLength(count, width));
    expect(toRows(tiles, count, width)).toEqual(rows);
    for (let i = 0; i < count; i++) {
      expect(tiles[tiledStart(i, width) + (width - 1) * TILE_LANES]).toBe(1000 * i + width - 1);
    }
  });

  it('put the same coordinate of neighbours side by side', () => {
    const tiles = toTiles(numbered(66, 2), 66, 2);
    expect([...tiles.slice(0, 3)]).toEqual([0, 1000, 2000]);
    expect([...tiles.slice(64, 67)]).toEqual([1, 1001, 2001]);
    expect([...tiles.slice(128, 131)]).toEqual([64000, 65000, 65000]);
  });
});
