/**
 * What a device does in the place of the sequential rules: steps of `native/cuda/strategies/bulk_cma_es.h`, in order,
 * each over so many threads.
 */
import { TILE_LANES } from '../../model/tiles.js';
import type { GenerationPlace, Launch } from '../../model/resident-population.js';
import type { Population } from '../generations/generation-program.js';
import { CONSTANT, type Layout } from './layout.js';

/** As `enum Step` of the text. */
const STEP = {
  begin: 0,
  draw: 1,
  correlate: 2,
  stretch: 3,
  project: 4,
  along: 5,
  sortTiles: 6,
  merge: 7,
  rank: 8,
  weigh: 9,
  sumSteps: 10,
  sumLevel: 11,
  moveMean: 12,
  solveBlock: 13,
  solveRest: 14,
  divide: 15,
  peel: 16,
  path: 17,
  stepSize: 18,
  covariancePath: 19,
  variances: 20,
  directions: 21,
  products: 22,
  covariance: 23,
  copy: 24,
  factorBlock: 25,
  factorRows: 26,
  factorRest: 27,
} as const;

/** Rows that a thread of `correlate` computes, and rows and columns of one of `products`. */
const ROWS = 4;
/** Columns that are factored, or solved, at once. */
const PANEL = 16;

export function launchesOf(
  population: Population,
  layout: Layout,
  { generation }: GenerationPlace,
): { before: Launch[]; after: Launch[] } {
  const { n, size, constants } = population;
  const { form, tiles, columns, levels, chunks, directions } = layout;
  const lanes = tiles * TILE_LANES;
  const one = (step: keyof typeof STEP, threads: number, turn = 0): Launch => ({ step: STEP[step], threads, turn });
  const panels = Array.from({ length: Math.ceil(n / PANEL) }, (_, turn) => ({
    turn,
    rest: n - Math.min(n, (turn + 1) * PANEL),
  }));
  /** Nothing is left after the last panel. */
  const perhaps = (launch: Launch): Launch[] => (launch.threads > 0 ? [launch] : []);

  const tiledBlocks = Math.ceil(n / TILE_LANES);
  const used = Math.min(directions, generation);
  /** From the last direction to the first. */
  const turns = Array.from({ length: used }, (_, k) => used - 1 - k);
  const limited = [
    one('project', lanes * tiledBlocks, used - 1),
    ...turns.map((turn) => one('along', lanes * tiledBlocks, turn)),
  ];
  const stretched = used === 0 ? [one('stretch', lanes * n)] : limited;
  const before = [
    ...(generation === 0
      ? [one('begin', { full: n * n, diagonal: n, limited: Math.max(1, directions) * n }[form])]
      : []),
    one('draw', lanes * Math.ceil(n / 2)),
    ...(form === 'full' ? [one('correlate', lanes * Math.ceil(n / ROWS))] : stretched),
  ];

  const ranking = [
    one('sortTiles', size),
    ...Array.from({ length: Math.ceil(Math.log2(tiles)) }, (_, turn) => one('merge', size, turn)),
    one('rank', 1),
    one('weigh', size),
  ];
  const sums = levels.map((rows, level) =>
    level === 0 ? one('sumSteps', rows * (n + 1)) : one('sumLevel', rows * columns, level),
  );
  const solution = panels.flatMap(({ turn, rest }) => [
    one('solveBlock', 1, turn),
    ...perhaps(one('solveRest', rest, turn)),
  ]);
  const paths = [one('path', tiledBlocks), one('stepSize', 1), one('covariancePath', n)];
  const common = [...ranking, ...sums, one('moveMean', n)];
  if (form === 'diagonal') return { before, after: [...common, one('divide', n), ...paths, one('variances', n)] };
  if (form === 'limited') {
    const peeled = Array.from({ length: used + 1 }, (_, turn) => one('peel', tiledBlocks, turn));
    return { before, after: [...common, ...peeled, ...paths, one('directions', directions * n)] };
  }

  const blocks = Math.ceil(n / ROWS);
  const factor = panels.flatMap(({ turn, rest }) => [
    one('factorBlock', 1, turn),
    ...perhaps(one('factorRows', rest, turn)),
    ...perhaps(one('factorRest', rest * rest, turn)),
  ]);
  const isFactored = (generation + 1) % constants[CONSTANT.factorGap] === 0;
  return {
    before,
    after: [
      ...[...common, ...solution, ...paths],
      ...[one('products', chunks * blocks * blocks), one('covariance', n * n)],
      ...(isFactored ? [one('copy', n * n), ...factor] : []),
    ],
  };
}
