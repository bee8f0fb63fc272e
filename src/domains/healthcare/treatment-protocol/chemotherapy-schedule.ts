/**
 * Doses of a chemotherapy over cycles, with toxicity that carries over.
 * Sources: Skipper 1964 (log-kill); Norton and Simon 1977 (Gompertzian growth).
 *
 * The logarithm of the cell count is linear in the doses, with either growth, so both are linear programmes: a cycle
 * kills kappa d from it, then it grows: by g (exponential), or by the share 1 - e^-g of its distance from the capacity
 * (Gompertz).
 */
import { z } from 'zod';
import { exp, log } from '../../../common/float.js';
import { say } from '../../../explanation/say.js';
import { lineChart } from '../../charts/line-chart.js';
import { amount, count, positive } from '../../fields.js';
import { model, Interrupted } from '../../problem-type.js';
import type { LinearProgram } from '../../solvers/linear-program.js';
import { DECISION_SUPPORT } from '../decision-support.js';

export const MOST_CYCLES = 200;

interface Config {
  readonly cycles: number;
  readonly growth_rate_per_cycle: number;
  readonly log_kill_per_dose: number;
  readonly initial_cells: number;
  readonly max_dose: number;
  readonly toxicity_carryover: number;
  readonly toxicity_limit: number;
  readonly growth: 'exponential' | 'gompertz';
  readonly carrying_capacity: number;
}

/** Log cells after each cycle. */
function logCells(config: Config, doses: readonly number[]): number[] {
  const { growth, growth_rate_per_cycle: g, log_kill_per_dose: kill } = config;
  const ceiling = log(config.carrying_capacity);
  let y = log(config.initial_cells);
  return doses.map((dose) => {
    y -= kill * dose;
    y = growth === 'exponential' ? y + g : ceiling - (ceiling - y) * exp(-g);
    return y;
  });
}

function toxicities({ toxicity_carryover: carry }: Config, doses: readonly number[]): number[] {
  let toxicity = 0;
  return doses.map((dose) => (toxicity = carry * toxicity + dose));
}

/** Decrease of the final log count by one unit in each cycle. */
const effects = ({ cycles, growth, growth_rate_per_cycle: g, log_kill_per_dose: kill }: Config): number[] =>
  Array.from({ length: cycles }, (_, k) => (growth === 'exponential' ? kill : kill * exp(-g * (cycles - k))));

/** Doses, then toxicities, which is what keeps the rows short. */
function program(config: Config): LinearProgram {
  const { cycles, max_dose, toxicity_carryover: carry, toxicity_limit } = config;
  const effect = effects(config);
  const untreated = logCells(
    config,
    effect.map(() => 0),
  ).at(-1)!;
  return {
    sense: 'minimize',
    constant: untreated,
    columns: [
      ...effect.map((one, k) => ({ name: `dose_${k + 1}`, cost: -one, upper: max_dose })),
      ...effect.map((_, k) => ({ name: `toxicity_${k + 1}`, cost: 0, upper: toxicity_limit })),
    ],
    rows: effect.map((_, k) => ({
      name: `carryover_${k + 1}`,
      lower: 0,
      upper: 0,
      terms: [
        [k, 1],
        [cycles + k, -1],
        ...(k === 0 || carry === 0 ? [] : [[cycles + k - 1, carry] as const]),
      ] as (readonly [number, number])[],
    })),
  };
}

/** As much as possible as early as possible: each toxicity is as high as any schedule can make it. */
function greedy({ cycles, max_dose, toxicity_carryover: carry, toxicity_limit }: Config): number[] {
  let toxicity = 0;
  return Array.from({ length: cycles }, () => {
    const dose = Math.max(0, Math.min(max_dose, toxicity_limit - carry * toxicity));
    toxicity = carry * toxicity + dose;
    return dose;
  });
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

export const chemotherapySchedule = model({
  name: 'chemotherapy_schedule',
  summary: 'Doses per cycle of a chemotherapy under a limit of its toxicity.',
  fields: z.strictObject({
    cycles: count('Cycles of treatment', 1, MOST_CYCLES),
    growth_rate_per_cycle: amount(
      'Growth of the logarithm of the cell count, or of its distance from the capacity',
    ).max(20),
    log_kill_per_dose: positive('What a unit of dose takes off the natural logarithm of the cell count').max(1e3),
    initial_cells: positive('Cells before the first cycle').min(1).max(1e15),
    max_dose: positive('Dose of a cycle, at most').min(1e-6).max(1e6),
    toxicity_carryover: z.number().min(0).max(1).describe('Share of the toxicity that is left in the next cycle'),
    toxicity_limit: positive('Toxicity, at most, in any cycle, in units of dose').min(1e-6).max(1e6),
    growth: z.enum(['exponential', 'gompertz']).default('exponential').describe('How the tumour grows between doses'),
    carrying_capacity: positive('Cells that the tumour tends to; growth gompertz. Absent: 1e12')
      .min(1)
      .max(1e15)
      .default(1e12),
  }),
  example: {
    ...{ model: 'chemotherapy_schedule', cycles: 8, growth_rate_per_cycle: 0.35, log_kill_per_dose: 0.9 },
    ...{ initial_cells: 1e9, max_dose: 10, toxicity_carryover: 0.6, toxicity_limit: 10 },
  },

  check({ growth, initial_cells, carrying_capacity }, complain) {
    if (growth === 'gompertz' && carrying_capacity < initial_cells) {
      complain(
        ['carrying_capacity'],
        `\`{field}\` = ${carrying_capacity} must be at least \`config.initial_cells\` = ${initial_cells}.`,
      );
    }
  },

  sense: () => 'minimize',

  async solve(config, context) {
    const { cycles, max_dose, toxicity_limit } = config;
    const solution = await context.solveLinear(program(config));
    const { values, objective, bound, reducedCosts } = solution;
    if (solution.status === 'interrupted') throw new Interrupted('the run is over');
    if (values === null || objective === null)
      throw new Error(`a schedule without doses is allowed, yet ${solution.status}`);
    // A last bit below 0 or above a limit is none of the schedule's.
    const free = [...values.slice(0, cycles)].map((dose) => Math.min(max_dose, Math.max(0, dose)));
    // With exponential growth every schedule of the largest sum is as good: the earliest doses are taken.
    const doses = config.growth === 'exponential' ? greedy(config) : free;
    const cells = logCells(config, doses);
    const toxicity = toxicities(config, doses);
    const highest = Math.max(...toxicity);
    const final = cells.at(-1)!;
    const price = reducedCosts === null ? null : sum([...reducedCosts.slice(cycles)]);
    return {
      method: 'lp',
      reason: 'the logarithm of the cell count is linear in the doses',
      library: 'HiGHS',
      bestSolution: doses,
      bestFitness: final,
      decisionVariables: doses.map((_, k) => `dose_${k + 1}`),
      result: {
        doses,
        total_dose: sum(doses),
        final_log_cells: final,
        final_cells: exp(final),
        log_cells: cells,
        toxicity,
        log_cells_untreated: logCells(
          config,
          doses.map(() => 0),
        ),
        schedule: doses.map((dose, k) => ({ cycle: k + 1, dose, toxicity: toxicity[k], log_cells: cells[k] })),
      },
      optimality: { status: 'optimal', bound: bound ?? objective, proof: 'convex_kkt' },
      evaluations: 1,
      iterations: solution.iterations,
      constraints: [
        {
          ...{ name: 'toxicity_limit', value: highest, limit: toxicity_limit, slack: toxicity_limit - highest },
          binding: highest >= toxicity_limit * (1 - 1e-9),
          shadowPrice: price ?? undefined,
        },
        {
          ...{ name: 'max_dose', value: Math.max(...doses), limit: max_dose, slack: max_dose - Math.max(...doses) },
          binding: Math.max(...doses) >= max_dose * (1 - 1e-9),
        },
      ],
      warnings: [DECISION_SUPPORT],
      assumptions: [
        {
          code: 'log_kill',
          message:
            'A dose takes the same share of the cells whatever their number; each cycle kills first, then the tumour grows.',
        },
        ...(config.growth === 'gompertz'
          ? [
              {
                code: 'default_assumed',
                field: 'config.carrying_capacity',
                message: `The tumour tends to ${config.carrying_capacity} cells.`,
              },
            ]
          : []),
      ],
    };
  },

  verify(config, { bestSolution: doses, bestFitness, optimality }) {
    const { max_dose, toxicity_limit } = config;
    if (!doses.every((dose) => dose >= 0 && dose <= max_dose)) return 'a dose is out of its bounds';
    if (!toxicities(config, doses).every((one) => one <= toxicity_limit * (1 + 1e-6))) return 'a cycle is too toxic';
    const size = Math.max(1, config.log_kill_per_dose * sum(doses), Math.abs(bestFitness));
    const effect = effects(config);
    const untreated = logCells(
      config,
      doses.map(() => 0),
    ).at(-1)!;
    const final = untreated - sum(doses.map((dose, k) => dose * effect[k]));
    if (!(Math.abs(final - bestFitness) <= 1e-9 * size)) return `the final count is ${final}`;
    return Math.abs(bestFitness - (optimality.bound ?? NaN)) <= 1e-6 * size ? null : `the bound is ${optimality.bound}`;
  },

  explain(config, { result, bestSolution: doses }) {
    const read = (name: string): number => Number(result[name]);
    const untreated = (result['log_cells_untreated'] as number[]).at(-1)!;
    const shown = doses.slice(0, 12).map((_, k) => `{d${k}}`);
    return [
      say(
        1,
        'result',
        `Doses of the cycles: ${shown.join(', ')}${doses.length > 12 ? ' and so on' : ''}; {total} in all.`,
        {
          total: read('total_dose'),
          ...Object.fromEntries(doses.slice(0, 12).map((dose, k) => [`d${k}`, dose])),
        },
      ),
      say(
        1,
        'result',
        'The cell count ends at e to the power of {final}; without treatment it would be e to the power of {untreated}.',
        {
          final: read('final_log_cells'),
          untreated,
        },
      ),
      say(
        2,
        'choice',
        config.growth === 'exponential'
          ? 'With exponential growth only the sum of the doses matters, and it is largest where the toxicity is at its limit all the time.'
          : 'With Gompertzian growth a small tumour regrows faster, so late doses count most.',
        {},
      ),
      say(4, 'sensitivity', 'Without any toxicity left over, the limit would allow {total} in all.', {
        total: config.cycles * Math.min(config.max_dose, config.toxicity_limit),
      }),
    ];
  },

  pictures: {
    cell_count: (config, { result }) => {
      const start = log(config.initial_cells) / Math.LN10;
      const path = (name: string): [number, number][] => [
        [0, start],
        ...(result[name] as number[]).map((y, k): [number, number] => [k + 1, y / Math.LN10]),
      ];
      return lineChart({
        title: 'Cells after each cycle',
        xName: 'cycle',
        yName: 'cells, as a power of ten',
        series: [
          { name: 'with treatment', points: path('log_cells') },
          { name: 'without', points: path('log_cells_untreated') },
        ],
      });
    },
    doses_and_toxicity: (config, { result }) => {
      const points = (name: string): [number, number][] => (result[name] as number[]).map((value, k) => [k + 1, value]);
      return lineChart({
        title: 'Doses and toxicity',
        xName: 'cycle',
        yName: 'units of dose',
        series: [
          { name: 'dose', points: points('doses'), width: 0.6, isColumns: true },
          { name: 'toxicity', points: points('toxicity'), width: 1 },
          {
            name: 'limit of the toxicity',
            points: [0.5, config.cycles + 0.5].map((at) => [at, config.toxicity_limit] as const),
            isDashed: true,
          },
        ],
      });
    },
  },
});
