/**
 * The layout of a population: columns in tiles of 64 candidates. Coordinate k of candidate i of dimension D is at
 * `(i >> 6) * 64 * D + k * 64 + (i & 63)`. A buffer holds whole tiles; lanes behind the last candidate may be read and
 * mean nothing: strategies repeat the last one there, for what no candidate is may be slow to evaluate. See
 * docs/adr/0044-tiles-and-gpus.md.
 */

/** Candidates of a tile: a multiple of every vector, every group of native code and every warp. */
export const TILE_LANES = 64;

/** Numbers that `count` candidates of `width` numbers each take, whole tiles. */
export const tiledLength = (count: number, width: number): number => Math.ceil(count / TILE_LANES) * TILE_LANES * width;

/** Where the first number of candidate `i` is; its others follow `TILE_LANES` apart. */
export const tiledStart = (i: number, width: number): number => (i - (i % TILE_LANES)) * width + (i % TILE_LANES);

/**
 * Rows [count, width] into tiles. Lanes behind the last candidate repeat it, so that whoever reads them meets ordinary
 * numbers.
 */
export function toTiles(
  rows: ArrayLike<number>,
  count: number,
  width: number,
  tiles: Float64Array = new Float64Array(tiledLength(count, width)),
): Float64Array {
  for (let first = 0; first < count; first += TILE_LANES) {
    const start = first * width;
    const lanes = Math.min(TILE_LANES, count - first);
    for (let lane = 0; lane < TILE_LANES; lane++) {
      const row = (first + Math.min(lane, lanes - 1)) * width;
      for (let k = 0; k < width; k++) tiles[start + k * TILE_LANES + lane] = rows[row + k]!;
    }
  }
  return tiles;
}

/** Repeats the last candidate in the lanes behind it. */
export function padTile(tiles: Float64Array, count: number, width: number): void {
  const used = count % TILE_LANES;
  if (used === 0) return;
  const last = tiledStart(count - 1, width);
  for (let k = 0, at = last; k < width; k++, at += TILE_LANES)
    tiles.fill(tiles[at], at + 1, at + 1 + TILE_LANES - used);
}

/** Tiles into rows [count, width]. */
export function toRows(
  tiles: ArrayLike<number>,
  count: number,
  width: number,
  rows: Float64Array = new Float64Array(count * width),
): Float64Array {
  for (let i = 0; i < count; i++) {
    const start = tiledStart(i, width);
    for (let k = 0; k < width; k++) rows[i * width + k] = tiles[start + k * TILE_LANES]!;
  }
  return rows;
}
