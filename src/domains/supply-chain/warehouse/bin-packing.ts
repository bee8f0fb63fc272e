/** Bin packing: how few bins hold all items, and what goes where. */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { label, leftAxis, picture, PLOT, rounded, shown } from '../../../explanation/visuals/plot.js';
import { colourOf } from '../../charts/line-chart.js';
import { numbers, positive } from '../../fields.js';
import { model, type SolveContext } from '../../problem-type.js';
import {
  binsOf,
  boundL2,
  boundL3,
  completeBins,
  coverBins,
  fitDecreasing,
  type Packing,
  type Sizes,
} from './packing.js';

export const MOST_PACKED = 1_000;
/** Bound L3 takes a cubic number of steps. */
const BOUND_L3_UP_TO = 200;
const MOST_NODES = { fast: 2_000, balanced: 50_000, accurate: 500_000 } as const;

interface Config {
  readonly bin_capacity: number;
  readonly item_sizes: readonly number[];
}

const isWhole = ({ bin_capacity, item_sizes }: Config): boolean =>
  Number.isInteger(bin_capacity) && item_sizes.every(Number.isInteger);

/** Sums of sizes that are no whole numbers may exceed the capacity by rounding. */
const roomOf = (config: Config): number => config.bin_capacity * (isWhole(config) ? 1 : 1 + 1e-9);

function search(sizes: Sizes, context: SolveContext, inOrder: (packing: Packing) => number[]) {
  const first = fitDecreasing(sizes, 'first');
  const firstFit = binsOf(first);
  let best: Packing = first;
  let evaluations = 1;
  const take = (packing: Packing): void => {
    if (evaluations < context.maxEvaluations) evaluations++;
    if (binsOf(packing) >= binsOf(best)) return;
    best = packing;
    context.improved(evaluations, binsOf(best), inOrder(best));
  };
  context.improved(1, firstFit, inOrder(first));
  take(fitDecreasing(sizes, 'best'));
  let bound = Math.max(boundL2(sizes), sizes.sizes.length <= BOUND_L3_UP_TO ? boundL3(sizes) : 0);
  const simpleBound = bound;
  const maxNodes = MOST_NODES[context.mode];
  const isOver = (): boolean => context.isOver();
  let nodes = 0;
  for (let bins = bound; bins < binsOf(best) && !context.isOver(); bins++) {
    const covered = coverBins(sizes, bins, maxNodes, isOver);
    nodes += covered?.nodes ?? 0;
    const isOpen = covered === null || (covered.packing === null && !covered.isExhausted);
    const found = isOpen ? completeBins(sizes, bins, maxNodes, isOver) : covered;
    if (isOpen) nodes += found.nodes;
    if (found.packing !== null) take(found.packing);
    else if (found.isExhausted && bound === bins) bound = bins + 1;
  }
  return { best, firstFit, bound, simpleBound, evaluations, nodes };
}

const fields = z.strictObject({
  bin_capacity: positive('What a bin holds, in the unit of the sizes'),
  item_sizes: numbers('Size of each item', { most: MOST_PACKED, exclusiveMinimum: 0 }),
});

const loadsOf = (config: Config, bins: readonly number[]): number[] => {
  const loads = new Array<number>(Math.max(...bins)).fill(0);
  for (const [i, bin] of bins.entries()) loads[bin - 1] += config.item_sizes[i];
  return loads;
};

export const binPacking = model({
  name: 'bin_packing',
  summary: 'How few bins, boxes or pallets hold all items, and what goes where.',
  fields,
  example: { model: 'bin_packing', bin_capacity: 100, item_sizes: [45, 36, 34, 30, 29, 26] },

  check({ bin_capacity, item_sizes }, complain) {
    const at = item_sizes.findIndex((size) => size > bin_capacity);
    if (at >= 0)
      complain(
        ['item_sizes', at],
        `\`{field}\` = ${item_sizes[at]} must fit into a bin: \`config.bin_capacity\` = ${bin_capacity}.`,
      );
  },

  sense: () => 'minimize',

  solve(config, context) {
    const order = [...config.item_sizes.keys()].sort((a, b) => config.item_sizes[b] - config.item_sizes[a] || a - b);
    const sizes = { sizes: order.map((i) => config.item_sizes[i]), room: roomOf(config) };
    const inOrder = (packing: Packing): number[] => {
      const bins = new Array<number>(order.length).fill(0);
      for (const [place, i] of order.entries()) bins[i] = packing[place] + 1;
      return bins;
    };
    const { best, firstFit, bound, simpleBound, evaluations, nodes } = search(sizes, context, inOrder);
    const bins = inOrder(best);
    const used = binsOf(best);
    const isProven = used === bound;
    const loads = loadsOf(config, bins);
    const total = config.item_sizes.reduce((a, b) => a + b, 0);
    return {
      method: 'milp',
      reason: isProven
        ? nodes === 0
          ? 'first-fit and best-fit decreasing reach the lower bound: no tree was needed'
          : 'branch and bound over the fillings of bins finds the fewest bins, with a proof'
        : 'branch and bound over the fillings of bins ran out of its nodes: the packing is the best found',
      bestSolution: bins,
      bestFitness: used,
      decisionVariables: bins.map((_, i) => `bin_of_item_${i + 1}`),
      result: {
        bins: used,
        lower_bound: bound,
        simple_lower_bound: simpleBound,
        first_fit_decreasing: firstFit,
        packing: loads.map((load, b) => ({
          bin: b + 1,
          items: bins.flatMap((bin, i) => (bin === b + 1 ? [i + 1] : [])),
          load,
          free: Math.max(0, config.bin_capacity - load),
        })),
        fill: total / (used * config.bin_capacity),
        bins_saved: firstFit - used,
      },
      optimality: isProven
        ? { status: 'optimal', bound, proof: 'branch_and_bound' }
        : { status: 'heuristic', bound, proof: null },
      evaluations,
      nodes,
    };
  },

  verify(config, { bestSolution, bestFitness }) {
    const used = new Set(bestSolution);
    if (used.size !== bestFitness || bestSolution.length !== config.item_sizes.length)
      return `${used.size} bins are used`;
    if (![...used].every((bin) => Number.isInteger(bin) && bin >= 1 && bin <= bestFitness))
      return 'there is no such bin';
    const over = loadsOf(config, bestSolution).findIndex((load) => load > config.bin_capacity * (1 + 2e-9));
    return over < 0 ? null : `bin ${over + 1} holds too much`;
  },

  explain(config, { bestFitness, result, optimality, nodes = 0 }) {
    const { fill, first_fit_decreasing, lower_bound } = result as unknown as {
      readonly fill: number;
      readonly first_fit_decreasing: number;
      readonly lower_bound: number;
    };
    const total = config.item_sizes.reduce((a, b) => a + b, 0);
    const spare = bestFitness * config.bin_capacity - total;
    return [
      say(1, 'result', '{items:item fits|items fit} into {bins:bin|bins}, {share} percent full on average.', {
        items: config.item_sizes.length,
        bins: bestFitness,
        share: 100 * fill,
      }),
      optimality.status === 'optimal'
        ? say(2, 'choice', 'Fewer than {bins} bins do not hold them; the proof took {nodes:node|nodes}.', {
            bins: bestFitness,
            nodes,
          })
        : say(2, 'choice', 'At least {bound:bin is|bins are} needed; whether {bins} can be undercut is open.', {
            bound: lower_bound,
            bins: bestFitness,
          }),
      say(
        4,
        'sensitivity',
        'The bins have room for {spare} more in all; a bin could be saved only if {needed} less had to be packed.',
        {
          spare: Math.max(0, spare),
          needed: Math.max(0, config.bin_capacity - spare),
        },
      ),
      say(5, 'alternatives', 'First-fit decreasing, the usual rule of thumb, needs {bins:bin|bins}.', {
        bins: first_fit_decreasing,
      }),
    ];
  },

  pictures: {
    bins: (config, { bestSolution, bestFitness }) => drawBins(config, bestSolution, bestFitness),
  },
});

const MOST_DRAWN = 150;

/** Bins as columns, their items stacked. */
function drawBins(config: Config, bins: readonly number[], used: number): string | null {
  if (used > MOST_DRAWN) return null;
  const width = (PLOT.right - PLOT.left) / used;
  const height = PLOT.bottom - PLOT.top;
  const bar = Math.min(60, width * 0.8);
  const parts: string[] = [];
  const every = Math.ceil(used / 30);
  for (let bin = 1; bin <= used; bin++) {
    const left = PLOT.left + (bin - 0.5) * width - bar / 2;
    let load = 0;
    const own = bins.flatMap((other, i) => (other === bin ? [i] : []));
    for (const [place, i] of own.sort((a, b) => config.item_sizes[b] - config.item_sizes[a]).entries()) {
      const size = config.item_sizes[i];
      const tall = (size / config.bin_capacity) * height;
      const top = PLOT.bottom - (load / config.bin_capacity) * height - tall;
      parts.push(
        `<rect x="${rounded(left)}" y="${rounded(top)}" width="${rounded(bar)}" height="${rounded(tall)}" fill="${colourOf(place % 6)}" fill-opacity="0.75" stroke="#fff"/>`,
      );
      if (bar >= 26 && tall >= 14)
        parts.push(label([left + bar / 2, top + tall / 2 + 4], shown(size), 'middle', ' font-size="11"'));
      load += size;
    }
    parts.push(
      `<path d="M${rounded(left)} ${PLOT.top}V${PLOT.bottom}H${rounded(left + bar)}V${PLOT.top}" fill="none" stroke="#333"/>`,
    );
    if ((bin - 1) % every === 0) parts.push(label([left + bar / 2, PLOT.bottom + 18], String(bin), 'middle'));
  }
  const capacity = config.bin_capacity;
  const up = { low: 0, high: capacity, at: (load: number) => load / capacity };
  return picture(`Items in ${used} ${used === 1 ? 'bin' : 'bins'}`, [
    ...leftAxis(up, `load of a bin (capacity ${shown(capacity)})`),
    ...parts,
    label([(PLOT.left + PLOT.right) / 2, PLOT.bottom + 44], 'bin', 'middle'),
  ]);
}
