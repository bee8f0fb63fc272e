/**
 * Simon's two-stage designs for one arm: n1 patients first; the trial stops where at most r1 respond; else n patients
 * in all, and the treatment is promising where more than r respond.
 * Source: Simon, "Optimal two-stage designs for phase II clinical trials", Controlled Clinical Trials 10 (1989); Jung,
 * Lee, Kim and George, "Admissible two-stage designs for phase II cancer clinical trials", Statistics in Medicine 23
 * (2004).
 */
import { z } from 'zod';
import type { Remark } from '../../../model/problem.js';
import { say } from '../../../explanation/say.js';
import { lineChart } from '../../charts/line-chart.js';
import { count, openShare } from '../../fields.js';
import { Infeasible, model, type SolveContext } from '../../problem-type.js';
import { Binomial } from '../../solvers/distributions/binomial.js';
import { DECISION_SUPPORT } from '../decision-support.js';

/** Patients, at most, in any design that is looked at. */
export const LARGEST_N = 1_000;

interface Question {
  readonly p0: number;
  readonly p1: number;
  readonly alpha: number;
  readonly power: number;
}

type Criterion = 'optimal' | 'minimax' | 'admissible';

/** The integers of a design and what follows from them. */
type Design = {
  readonly r1: number;
  readonly n1: number;
  readonly r: number;
  readonly n: number;
  /** Expected patients and probability of the early stop, with p0 and with p1. */
  readonly EN0: number;
  readonly EN1: number;
  readonly PET0: number;
  readonly PET1: number;
  readonly alpha: number;
  readonly power: number;
};

type Integers = Pick<Design, 'r1' | 'n1' | 'r' | 'n'>;

/** P(more than r1 of n1 and more than r of n respond). */
function rejection(responses: Binomial, { r1, n1, r, n }: Integers): number {
  const first = responses.mass(n1);
  let sum = 0;
  for (let x = r1 + 1; x <= n1; x++) sum += first[x] * responses.above(r - x, n - n1);
  return sum;
}

function valued(integers: Integers, null0: Binomial, alternative: Binomial): Design {
  const { r1, n1, n } = integers;
  const PET0 = null0.atMost(r1, n1);
  const PET1 = alternative.atMost(r1, n1);
  return {
    ...integers,
    EN0: n1 + (1 - PET0) * (n - n1),
    EN1: n1 + (1 - PET1) * (n - n1),
    PET0,
    PET1,
    alpha: rejection(null0, integers),
    power: rejection(alternative, integers),
  };
}

/** Sums of some hundred positive terms differ from the exact ones by less. */
const holds = (value: number, limit: number): boolean => value <= limit * (1 + 1e-12);

interface Searched {
  /** Best expected size of each total that is smaller than that of all smaller totals; the last is the optimum. */
  readonly frontier: readonly Design[];
  /** Whether no larger total can be better than the last. */
  readonly isComplete: boolean;
  /** Rejection probabilities that were computed. */
  readonly nodes: number;
}

/**
 * No test that sees at most n patients is more powerful than the randomized Neyman-Pearson test of n: its smallest n
 * bounds all designs from below.
 */
function leastTotal({ alpha, power }: Question, null0: Binomial, alternative: Binomial, largest: number): number {
  let r = 0;
  for (let n = 1; n <= largest; n++) {
    while (r <= n && null0.above(r, n) > alpha) r++;
    const share = (alpha - null0.above(r, n)) / null0.mass(n)[r];
    if (alternative.above(r, n) + share * alternative.mass(n)[r] >= power * (1 - 1e-12)) return n;
  }
  return largest + 1;
}

/**
 * Goes through the totals n upwards. For each n and n1 the expected size falls with r1, so the largest r1 that some r
 * suits is the best; r is the least that holds the type I error, which has the most power. The search ends where n1 +
 * (1 - PET0)(n - n1) exceeds the best expected size for every n1 and the largest r1 that the power leaves: that only
 * grows with n.
 */
function search(question: Question, largest: number, context: SolveContext, stopAtFirst = false): Searched {
  const { p0, p1, alpha, power } = question;
  const null0 = new Binomial(p0);
  const alternative = new Binomial(p1);
  /** Largest r1 for each n1 whose early stop leaves the power, and the probability of that stop with p0; -1: none. */
  const largestR1: number[] = [-1];
  const largestStop: number[] = [0];
  const prepare = (n1: number): void => {
    let r1 = largestR1[n1 - 1];
    while (r1 + 1 < n1 && holds(alternative.atMost(r1 + 1, n1), 1 - power)) r1++;
    // One more patient, the same count: the early stop becomes less probable.
    largestR1.push(r1);
    largestStop.push(r1 < 0 ? 0 : null0.atMost(r1, n1));
  };
  const frontier: Design[] = [];
  let best = Infinity;
  let nodes = 0;
  const first = leastTotal(question, null0, alternative, largest);
  for (let n1 = 1; n1 < first - 1; n1++) prepare(n1);
  for (let n = Math.max(2, first); n <= largest; n++) {
    context.look();
    while (largestR1.length < n) prepare(largestR1.length);
    let bound = Infinity;
    for (let n1 = 1; n1 < n; n1++) bound = Math.min(bound, n1 + (1 - largestStop[n1]) * (n - n1));
    if (bound >= best) return { frontier, isComplete: true, nodes };
    /** With a larger r even all who could stop early leave too little power. */
    let rMost = -1;
    while (rMost + 1 < n && alternative.above(rMost + 1, n) >= power) rMost++;
    if (rMost < 0) continue;
    let found: Integers | null = null;
    for (let n1 = 1; n1 < n && n1 < best; n1++) {
      let r = rMost;
      for (let r1 = largestR1[n1]; r1 >= 0; r1--) {
        const size = n1 + (1 - null0.atMost(r1, n1)) * (n - n1);
        if (size >= best) break;
        if (nodes++ % 1024 === 0) context.look();
        if (r <= r1) r = Math.min(rMost, r1 + 1);
        if (r <= r1) continue;
        // A smaller r1 lets more trials go on: r can only grow with it.
        while (r < rMost && !holds(rejection(null0, { r1, n1, r, n }), alpha)) r++;
        if (!holds(rejection(null0, { r1, n1, r, n }), alpha)) break;
        while (r - 1 > r1 && holds(rejection(null0, { r1, n1, r: r - 1, n }), alpha)) r--;
        if (rejection(alternative, { r1, n1, r, n }) < power * (1 - 1e-12)) continue;
        best = size;
        found = { r1, n1, r, n };
        break;
      }
    }
    if (found !== null) {
      frontier.push(valued(found, null0, alternative));
      if (stopAtFirst) break;
    }
  }
  return { frontier, isComplete: false, nodes };
}

/** Designs that some weight w of the total, 1 - w of the expected size, makes the best: the lower convex hull. */
function admissible(frontier: readonly Design[]): Design[] {
  const hull: Design[] = [];
  for (const design of frontier) {
    for (;;) {
      const [a, b] = hull.slice(-2);
      if (a === undefined || b === undefined) break;
      if ((b.EN0 - a.EN0) * (design.n - a.n) < (design.EN0 - a.EN0) * (b.n - a.n)) break;
      hull.pop();
    }
    hull.push(design);
  }
  return hull;
}

/** Least weight of the total with which a design beats the next larger one of the hull; 0 for the last. */
function leastWeight(design: Design, next: Design | undefined): number {
  if (next === undefined) return 0;
  const [total, size] = [next.n - design.n, design.EN0 - next.EN0];
  return size / (size + total);
}

const score = ({ n, EN0 }: Design, criterion: Criterion): number =>
  ({ optimal: EN0, minimax: n, admissible: (n + EN0) / 2 })[criterion];

/** The best design by the criterion; of equal ones the least expected size. */
function chosen(frontier: readonly Design[], criterion: Criterion): Design | undefined {
  const inOrder = criterion === 'optimal' ? frontier.slice(-1) : frontier;
  return inOrder.reduce<Design | undefined>(
    (best, design) => (best === undefined || score(design, criterion) < score(best, criterion) ? design : best),
    undefined,
  );
}

const OC_POINTS = 41;

/** Behaviour of the design for response rates about p0 and p1. */
function curve(
  integers: Integers,
  { p0, p1 }: Question,
): { p: number; reject: number; expectedN: number; stop: number }[] {
  const low = Math.max(0, p0 - (p1 - p0));
  const high = Math.min(1, p1 + (p1 - p0));
  return Array.from({ length: OC_POINTS }, (_, i) => {
    const p = low + ((high - low) * i) / (OC_POINTS - 1);
    const responses = new Binomial(p);
    const stop = responses.atMost(integers.r1, integers.n1);
    const expectedN = integers.n1 + (1 - stop) * (integers.n - integers.n1);
    return { p, reject: rejection(responses, integers), expectedN, stop };
  });
}

const integersOf = ([r1 = NaN, n1 = NaN, r = NaN, n = NaN]: readonly number[]): Integers => ({ r1, n1, r, n });

/** Rejection by walking through both stages patient by patient: shares nothing with `rejection`. */
function rejectionByWalk({ r1, n1, r, n }: Integers, p: number): number {
  let counts = [1];
  for (let patient = 1; patient <= n; patient++) {
    const next = Array.from({ length: patient + 1 }, (_, k) => (counts[k] ?? 0) * (1 - p) + (counts[k - 1] ?? 0) * p);
    counts = patient === n1 ? next.map((share, k) => (k <= r1 ? 0 : share)) : next;
  }
  return counts.reduce((sum, share, k) => (k > r ? sum + share : sum), 0);
}

export const simonTwoStage = model({
  name: 'simon_two_stage',
  summary: "Simon's two-stage design of a single-arm trial with responses.",
  fields: z.strictObject({
    p0: openShare('Response rate that is of no interest'),
    p1: openShare('Response rate that the trial should find'),
    alpha: openShare('Probability, at most, of going on with a treatment of rate p0; one-sided').default(0.05),
    power: openShare('Probability, at least, of going on with a treatment of rate p1').default(0.8),
    criterion: z
      .enum(['optimal', 'minimax', 'admissible'])
      .default('optimal')
      .describe('Least expected patients with p0, least patients in all, or least mean of both'),
    max_n: count(
      'Patients in all, at most. Absent: as many as the best design takes, which may be above 110',
      2,
      LARGEST_N,
    ).optional(),
  }),
  example: { model: 'simon_two_stage', p0: 0.1, p1: 0.3, alpha: 0.05, power: 0.8, criterion: 'optimal' },

  check({ p0, p1, alpha, power }, complain) {
    if (p1 <= p0) complain(['p1'], `\`{field}\` = ${p1} must be above \`config.p0\` = ${p0}.`);
    else if (power <= alpha) complain(['power'], `\`{field}\` = ${power} must be above \`config.alpha\` = ${alpha}.`);
  },

  sense: () => 'minimize',

  solve(config, context) {
    const { criterion, max_n } = config;
    const { frontier, isComplete, nodes } = search(config, max_n ?? LARGEST_N, context);
    const design = chosen(frontier, criterion);
    if (design === undefined) throw noDesign(config, max_n, context);
    const hull = admissible(frontier);
    const { r1, n1, r, n } = design;
    const minimax = frontier[0];
    const optimum = frontier.at(-1);
    return {
      method: 'exhaustive_enumeration',
      reason: 'error probabilities of integers are sums that can be computed exactly for every design',
      bestSolution: [r1, n1, r, n],
      bestFitness: score(design, criterion),
      decisionVariables: ['r1', 'n1', 'r', 'n'],
      result: {
        ...design,
        type_i_error: design.alpha,
        expected_sample_size: { p0: design.EN0, p1: design.EN1 },
        criterion,
        operating_characteristics: curve(design, config).map((point) => ({
          response_rate: point.p,
          probability_of_rejecting_h0: point.reject,
          probability_of_early_stop: point.stop,
          expected_n: point.expectedN,
        })),
      },
      optimality: { status: 'optimal', bound: score(design, criterion), proof: 'exhaustive' },
      evaluations: 1,
      nodes,
      constraints: [
        constraint('alpha', design.alpha, config.alpha, config.alpha - design.alpha),
        constraint('power', design.power, config.power, design.power - config.power),
        ...(max_n === undefined ? [] : [constraint('max_n', n, max_n, max_n - n)]),
      ],
      warnings: [
        DECISION_SUPPORT,
        // The smallest total is what it is.
        ...(isComplete || criterion === 'minimax' ? [] : [limitedSize(max_n)]),
      ],
      assumptions: [
        ...(criterion === 'admissible'
          ? [
              {
                code: 'equal_weights',
                field: 'config.criterion',
                message:
                  'The admissible design is the one with the least mean of total and expected size; `alternatives` has those of other weights.',
              },
            ]
          : []),
      ],
      alternatives: hull.map((one, i) => ({
        ...one,
        is_minimax: one === minimax,
        is_optimal: one === optimum,
        weight_of_total: [leastWeight(one, hull[i + 1]), i === 0 ? 1 : leastWeight(hull[i - 1], one)],
      })),
    };
  },

  verify(config, { bestSolution, bestFitness, result }) {
    const integers = integersOf(bestSolution);
    const { r1, n1, r, n } = integers;
    if (![r1, n1, r, n].every(Number.isInteger)) return 'a design has integers';
    if (!(r1 >= 0 && r1 < n1 && n1 < n && r > r1 && r < n)) return 'the stages do not follow each other';
    const [alpha, power] = [rejectionByWalk(integers, config.p0), rejectionByWalk(integers, config.p1)];
    if (!(alpha <= config.alpha * (1 + 1e-9))) return `the type I error is ${alpha}`;
    if (!(power >= config.power * (1 - 1e-9))) return `the power is ${power}`;
    if (!(Math.abs(alpha - Number(result['alpha'])) <= 1e-9)) return `the type I error is ${alpha}`;
    if (!(Math.abs(power - Number(result['power'])) <= 1e-9)) return `the power is ${power}`;
    const stop = 1 - rejectionByWalk({ r1: -1, n1: 0, r: r1, n: n1 }, config.p0);
    const size = n1 + (1 - stop) * (n - n1);
    const fitness = { optimal: size, minimax: n, admissible: (n + size) / 2 }[config.criterion];
    return Math.abs(fitness - bestFitness) <= 1e-9 * n ? null : `the criterion has the value ${fitness}`;
  },

  explain(config, { bestSolution, result, alternatives = [] }) {
    const { r1, n1, r, n } = integersOf(bestSolution);
    const number = (name: string): number => Number(result[name]);
    const more = r1 + 1;
    const others = alternatives.filter((one) => one['n'] !== n);
    return [
      say(
        1,
        'result',
        'Treat {n1} patients; stop where at most {r1} of them respond. Where {more} or more respond, treat {n} in all, ' +
          'and call the treatment promising where more than {r} of these respond.',
        { n1, r1, n, r, more },
      ),
      say(
        1,
        'result',
        'Where the true response rate is {p0}, the trial stops early with probability {PET0} and takes {EN0} patients on ' +
          'average; it errs with probability {alpha}. Where it is {p1}, it says so with probability {power}.',
        {
          ...{ p0: config.p0, p1: config.p1, PET0: number('PET0'), EN0: number('EN0') },
          ...{ alpha: number('alpha'), power: number('power') },
        },
      ),
      say(
        2,
        'choice',
        'Every design was looked at, or left out because it needs more patients than this one in any case: the exact binomial ' +
          'probabilities, no approximation.',
        {},
      ),
      say(
        4,
        'sensitivity',
        'More than {n} patients do not add to the answer: the decision rule holds for exactly {n1} and {n} patients.',
        { n1, n },
      ),
      ...others.slice(0, 5).map((one) =>
        say(5, 'alternatives', 'Admissible too: {r1}/{n1}, then {r}/{n}: {EN0} patients on average with p0.', {
          ...{ r1: Number(one['r1']), n1: Number(one['n1']), r: Number(one['r']), n: Number(one['n']) },
          EN0: Number(one['EN0']),
        }),
      ),
    ];
  },

  pictures: {
    operating_characteristics: (config, { bestSolution }) => {
      const integers = integersOf(bestSolution);
      const points = curve(integers, config);
      const at = (p: number): number => rejection(new Binomial(p), integers);
      return lineChart({
        title: 'What the design does, by the true response rate',
        xName: 'true response rate',
        yName: 'probability',
        series: [
          { name: 'calls the treatment promising', points: points.map(({ p, reject }) => [p, reject]) },
          { name: 'stops after stage 1', points: points.map(({ p, stop }) => [p, stop]) },
        ],
        marks: [
          { at: [config.p0, at(config.p0)], name: 'type I error' },
          { at: [config.p1, at(config.p1)], name: 'power' },
        ],
      });
    },
    expected_sample_size: (config, { bestSolution }) =>
      lineChart({
        title: 'Expected number of patients, by the true response rate',
        xName: 'true response rate',
        yName: 'patients',
        series: [
          {
            name: 'expected',
            points: curve(integersOf(bestSolution), config).map(({ p, expectedN }) => [p, expectedN]),
          },
        ],
      }),
    admissible_designs: (_, { bestSolution, alternatives }) => {
      if (alternatives.length < 2) return null;
      const points = alternatives.map(({ n, EN0 }): [number, number] => [Number(n), Number(EN0)]);
      const own = points.find(([n]) => n === bestSolution[3]);
      return lineChart({
        title: 'Admissible designs: from the fewest patients in all to the fewest on average',
        xName: 'patients in all',
        yName: 'expected patients with p0',
        series: [{ name: 'admissible', points, isScatter: true }],
        marks: own === undefined ? [] : [{ at: own, name: 'this design' }],
      });
    },
  },
});

const constraint = (name: string, value: number, limit: number, slack: number) =>
  ({ name, value, limit, slack, binding: slack <= 1e-9 }) as const;

const limitedSize = (max_n = LARGEST_N): Remark => ({
  code: 'limited_size',
  field: 'config.max_n',
  message: `Designs of more than ${max_n} patients were left out; one of them may have a smaller expected size.`,
});

/** With the total that would be enough, where that is known. */
function noDesign(question: Question, max_n: number | undefined, context: SolveContext): Infeasible {
  const { alpha, power } = question;
  const wanted = `a type I error of at most ${alpha} and a power of at least ${power}`;
  if (max_n === undefined) {
    const message = `Two stages with ${wanted} take more than ${LARGEST_N} patients: the response rates are too close.`;
    return new Infeasible(message, ['alpha', 'power']);
  }
  const [least] = search(question, LARGEST_N, context, true).frontier;
  const enough = least === undefined ? `more than ${LARGEST_N} are needed` : `at least ${least.n} are needed`;
  return new Infeasible(`No two-stage design of at most ${max_n} patients has ${wanted}; ${enough}.`, [
    ...['alpha', 'power', 'max_n'],
  ]);
}
