/**
 * Counts what an individual executes in the kernels of a generation program (native/cuda/strategies), whose loops over
 * coordinates have no counts that stand in the text. They are counted in a text of their own, in which these loops stay
 * rolled and the others are unrolled: each instruction stands in the machine code as often as its turn of the loop has
 * it. The compiler's own choice saves a part of what loops cost themselves.
 */
import { executedBy } from './machine-code.mjs';

export const DIMENSIONS = [10, 30, 100, 1000];

/** Kernels of native/cuda/strategies/kernels.h that a generation starts. */
const KERNELS = ['move', 'count_odd', 'accept', 'combine'];
const TILE = 64;

/** Loops and conditions of the texts, and how often what they hold runs. Other loops count as one turn. */
const RULES = [
  // Over coordinates.
  [/^for \(unsigned i = 0; i < p\.n; \+\+i\)/, ({ n }) => n],
  // Of a length that stands there: unrolled.
  [/^for \(int /, () => 1],
  // Over a tile, in which the first entry is read before.
  [/^for \(unsigned long long k = first \+ 1; /, () => TILE - 1],
  // Rows that somebody looks at.
  [/^for \(unsigned i = 0; i < n; \+\+i\)/, ({ n }) => n],
  // A population begins once, and a descent.
  [/^if \(p\.generation == 0\)/, () => 0],
  [/^begin\(p, k\);/, () => 0],
  [/^if \(before == infinity\(\)\)/, () => 0],
  // A step of a descent is taken, or shortened.
  [/^learn\(p, k\);/, ({ better }) => better],
  [/^shorten\(p, k/, ({ better }) => 1 - better],
];
/** A block of random words for several coordinates; other instructions of that line ask whether it is time. */
const EVERY = /^if \(i % (\d+) == 0\) words = draw\(/;
/** Behind it stands what only an individual that became better does. */
const BETTER = /^if \(!\(value <= fitness\[k\]\)\) return;/;

const isUnrolled = (line) => RULES[1][0].test(line);

/** The text with all of its loops behind the objective's kernel rolled, or unrolled, as `RULES` counts them. */
export function countable(text) {
  return text
    .split('\n')
    .flatMap((line, k, all) => {
      if (all[k - 1]?.startsWith('#pragma unroll') === true) return [line];
      if (!line.trim().startsWith('for (unsigned') && !isUnrolled(line.trim())) return [line];
      return [isUnrolled(line.trim()) ? '#pragma unroll' : '#pragma unroll 1', line];
    })
    .join('\n');
}

/** By line: how often it runs in one call of its function, what is called in it, and what stands outside of loops. */
function weightsOf(text, facts) {
  const weights = [{ own: 0, called: 0, once: 0 }];
  const open = [];
  const product = (of = open) => of.reduce((all, factor) => all * factor, 1);
  for (const line of text.split('\n')) {
    const code = line.trim();
    if (code.startsWith('}')) open.pop();
    const rule = RULES.find(([pattern]) => pattern.test(code));
    const factor = rule?.[1](facts) ?? 1;
    const isBlock = code.endsWith('{');
    const every = EVERY.exec(code);
    // A condition is looked at whether it holds or not.
    const inLine = product() * (isBlock && code.startsWith('if') ? 1 : factor);
    const called = every === null ? inLine : inLine / Number(every[1]);
    weights.push({ own: inLine, called, once: product(open.map((each) => Math.min(each, 1))) });
    if (isBlock) open.push(factor);
    if (BETTER.test(code)) open[open.length - 1] *= facts.better;
  }
  return weights;
}

function executed(kernel, text, instructions, facts) {
  const weights = weightsOf(text, facts);
  const own = ({ lines, isInLoop }) =>
    lines.reduce((all, line, k) => all * (weights[line]?.[isInLoop ? (k === 0 ? 'own' : 'called') : 'once'] ?? 1), 1);
  const { double_fused: _, ...counts } = executedBy(kernel, instructions, own);
  return counts;
}

/** By kernel and dimension, for one thread; `accept` for an individual that became better, and for one that did not. */
export function executedByKernels(text, instructions) {
  const byDimension = (kernel, more) =>
    Object.fromEntries(DIMENSIONS.map((n) => [n, executed(kernel, text, instructions, { n, ...more })]));
  return Object.fromEntries(
    KERNELS.map((kernel) =>
      kernel === 'accept'
        ? [kernel, { better: byDimension(kernel, { better: 1 }), not: byDimension(kernel, { better: 0 }) }]
        : [kernel, byDimension(kernel, { better: 1 })],
    ),
  );
}
