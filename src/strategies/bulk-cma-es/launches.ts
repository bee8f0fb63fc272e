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
  sortTiles: 4,
  merge: 5,
  rank: 6,
  weigh: 7,
  sumSteps: 8,
  sumLevel: 9,
  moveMean: 10,
  solveBlock: 11,
  solveRest: 12,
  divide: 13,
  path: 14,
  stepSize: 15,
  covariancePath: 16,
  variances: 17,
  products: 18,
  covariance: 19,
  copy: 20,
  factorBlock: 21,
  factorRows: 22,
  factorRest: 23,
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
  const { isFull, tiles, columns, levels, chunks } = layout;
  const lanes = tiles * TILE_LANES;
  const one = (step: keyof typeof STEP, threads: number, turn = 0): Launch => ({ step: STEP[step], threads, turn });
  const panels = Array.from({ length: Math.ceil(n / PANEL) }, (_, turn) => ({
    turn,
    rest: n - Math.min(n, (turn + 1) * PANEL),
  }));
  /** Nothing is left after the last panel. */
  const perhaps = (launch: Launch): Launch[] => (launch.threads > 0 ? [launch] : []);

  const before = [
    ...(generation === 0 ? [one('begin', isFull ? n * n : n)] : []),
    one('draw', lanes * Math.ceil(n / 2)),
    isFull ? one('correlate', lanes * Math.ceil(n / ROWS)) : one('stretch', lanes * n),
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
  const paths = [one('path', Math.ceil(n / TILE_LANES)), one('stepSize', 1), one('covariancePath', n)];
  const common = [...ranking, ...sums, one('moveMean', n)];
  if (!isFull) return { before, after: [...common, one('divide', n), ...paths, one('variances', n)] };

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
