/**
 * Which development projects to pay for: the largest expected value within a budget, with enough of them in each area.
 */
import { z } from 'zod';
import { quote, say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { ConstraintState } from '../../../model/problem.js';
import { barChart } from '../../charts/bar-chart.js';
import { amount, checkUnique, count, id, list, share, withIds } from '../../fields.js';
import { model } from '../../problem-type.js';
import { choose, multipliersOf, proofOf } from '../../solvers/binary-programme.js';
import type { LinearProgram } from '../../solvers/linear-program.js';
import { DECISION_SUPPORT } from '../decision-support.js';

export const MOST_PROJECTS = 1_000;

const fields = z.strictObject({
  projects: list(
    z.strictObject({
      id: id.optional(),
      cost_musd: amount('Cost of the development, in millions of US dollars').max(1e9),
      probability_of_success: share('Probability that it reaches the market'),
      value_if_success_musd: amount('Value on the market, in millions of US dollars').max(1e9),
      therapeutic_area: z.string().min(1).max(200).optional().describe('Name of its therapeutic area'),
    }),
    'Projects that could be developed',
    MOST_PROJECTS,
  ),
  budget_musd: amount('Money for all projects, in millions of US dollars'),
  min_per_area: count('Projects of each therapeutic area, at least', 0, MOST_PROJECTS).default(0),
});

type Config = z.output<typeof fields>;
type Project = Config['projects'][number];

const valueOf = ({ cost_musd, probability_of_success, value_if_success_musd }: Project): number =>
  probability_of_success * value_if_success_musd - cost_musd;

/** Members of each area, in the order in which areas come. */
const areasOf = ({ projects }: Config): Map<string, number[]> => {
  const members = new Map<string, number[]>();
  for (const [i, { therapeutic_area: area }] of projects.entries()) {
    if (area !== undefined) members.set(area, [...(members.get(area) ?? []), i]);
  }
  return members;
};

function programOf(config: Config): LinearProgram {
  const { projects, budget_musd, min_per_area } = config;
  return {
    sense: 'maximize',
    columns: withIds(projects).map((one) => ({ name: one.id, cost: valueOf(one), upper: 1, isInteger: true })),
    rows: [
      {
        name: 'budget',
        upper: budget_musd,
        terms: projects.flatMap(({ cost_musd }, i) => (cost_musd === 0 ? [] : [[i, cost_musd] as const])),
      },
      ...(min_per_area === 0
        ? []
        : [...areasOf(config)].map(([area, members]) => ({
            name: `min_per_area of ${area}`,
            lower: min_per_area,
            terms: members.map((i) => [i, 1] as const),
          }))),
    ],
  };
}

export const pipelinePortfolio = model({
  name: 'pipeline_portfolio',
  summary: 'Which development projects to pay for within a budget, with enough of them in each therapeutic area.',
  fields,
  example: {
    model: 'pipeline_portfolio',
    projects: [
      {
        id: 'ONC-1',
        cost_musd: 37,
        probability_of_success: 0.31,
        value_if_success_musd: 679,
        therapeutic_area: 'oncology',
      },
      {
        id: 'ONC-2',
        cost_musd: 26,
        probability_of_success: 0.35,
        value_if_success_musd: 691,
        therapeutic_area: 'oncology',
      },
      {
        id: 'CNS-1',
        cost_musd: 34,
        probability_of_success: 0.39,
        value_if_success_musd: 333,
        therapeutic_area: 'neurology',
      },
      {
        id: 'CNS-2',
        cost_musd: 12,
        probability_of_success: 0.08,
        value_if_success_musd: 900,
        therapeutic_area: 'neurology',
      },
      {
        id: 'CV-1',
        cost_musd: 16,
        probability_of_success: 0.53,
        value_if_success_musd: 66,
        therapeutic_area: 'cardiology',
      },
    ],
    budget_musd: 90,
    min_per_area: 1,
  },

  check(config, complain) {
    const { projects, budget_musd, min_per_area } = config;
    if (!checkUnique(projects, 'projects', complain)) return;
    for (const [area, members] of areasOf(config)) {
      if (members.length >= min_per_area) continue;
      const found = `${members.length} ${members.length === 1 ? 'project' : 'projects'}`;
      return complain(['min_per_area'], `\`{field}\` = ${min_per_area}, and ${JSON.stringify(area)} has ${found}.`);
    }
    if (min_per_area > 0 && areasOf(config).size === 0)
      return complain(['min_per_area'], '`{field}` needs projects with a `therapeutic_area`.');
    if (min_per_area === 0) return;
    // An area whose cheapest project is above the budget.
    for (const members of areasOf(config).values()) {
      const cheapest = members.reduce((a, b) => (projects[b].cost_musd < projects[a].cost_musd ? b : a));
      if (projects[cheapest].cost_musd > budget_musd)
        return complain(
          ['budget_musd'],
          `\`{field}\` = ${budget_musd} is below the cost of every project of an area that must have one.`,
        );
    }
  },

  sense: () => 'maximize',

  async solve(config, context) {
    const { projects, budget_musd, min_per_area } = config;
    const program = programOf(config);
    const total = (values: readonly number[]): number =>
      projects.reduce((sum, one, i) => sum + valueOf(one) * values[i], 0);
    const infeasible = `The budget of ${budget_musd} million does not pay for ${min_per_area} of the cheapest projects of every area.`;
    const chosen = await choose(program, context, { objective: total, infeasible });
    const multiplier = (await multipliersOf(program, context))?.[0] ?? null;
    const named = withIds(projects).map((one) => ({ ...one, value: valueOf(one) }));
    const taken = named.filter((_, i) => chosen.values[i] === 1);
    const fitness = total(chosen.values);
    const spend = taken.reduce((sum, { cost_musd }) => sum + cost_musd, 0);
    const areas = [...areasOf(config)].map(([area, members]) => {
      const own = members.filter((i) => chosen.values[i] === 1);
      return { area, projects: own.length, spend_musd: own.reduce((sum, i) => sum + projects[i].cost_musd, 0) };
    });
    return {
      reason: 'to develop a project or not is a choice of yes and no under linear limits',
      bestSolution: chosen.values,
      bestFitness: fitness,
      decisionVariables: named.map((one) => `develop ${one.id}`),
      result: {
        selected: taken.map((one) => one.id),
        expected_npv_musd: fitness,
        spend,
        projects: taken.map((one) => ({ id: one.id, cost_musd: one.cost_musd, expected_npv_musd: one.value })),
        left_out: named
          .filter((_, i) => chosen.values[i] === 0)
          .map((one) => ({
            id: one.id,
            expected_npv_musd: one.value,
            reason: one.value <= 0 ? 'not_worth_its_cost' : 'others_bring_more',
          })),
        by_area: areas,
        expected_successes: taken.reduce((sum, one) => sum + one.probability_of_success, 0),
        probability_of_no_success: taken.reduce((product, one) => product * (1 - one.probability_of_success), 1),
        budget_multiplier: multiplier,
      },
      ...proofOf(chosen, fitness),
      constraints: [
        {
          name: 'budget',
          value: spend,
          limit: budget_musd,
          slack: budget_musd - spend,
          binding: budget_musd - spend <= 1e-9 * (1 + budget_musd),
        },
        ...(min_per_area === 0
          ? []
          : areas.map(({ area, projects: own }): ConstraintState => ({
              name: `min_per_area of ${area}`,
              value: own,
              limit: min_per_area,
              slack: own - min_per_area,
              binding: own === min_per_area,
            }))),
      ],
      warnings: [DECISION_SUPPORT],
      assumptions: [
        {
          code: 'independent_projects',
          field: 'config.projects',
          message: 'Projects succeed or fail independently of each other, and values are not discounted here.',
        },
      ],
    };
  },

  verify(config, { bestSolution, bestFitness }) {
    const { projects, budget_musd, min_per_area } = config;
    if (bestSolution.some((own) => own !== 0 && own !== 1)) return 'a project is taken in part';
    const taken = projects.filter((_, i) => bestSolution[i] === 1);
    const sum = (of: (one: Project) => number): number => taken.map(of).reduceRight((a, b) => a + b, 0);
    if (sum((one) => one.cost_musd) > budget_musd * (1 + 1e-8) + 1e-8) return 'the budget is exceeded';
    for (const { therapeutic_area: area } of projects) {
      if (area !== undefined && taken.filter((one) => one.therapeutic_area === area).length < min_per_area)
        return `${area} has too few`;
    }
    const revenue = sum((one) => one.probability_of_success * one.value_if_success_musd);
    const cost = sum((one) => one.cost_musd);
    return Math.abs(revenue - cost - bestFitness) <= 1e-8 * (1 + revenue + cost)
      ? null
      : `the value is ${revenue - cost}`;
  },

  explain({ budget_musd }, { bestFitness, result }) {
    const { selected, spend, probability_of_no_success, budget_multiplier, left_out } = result as unknown as {
      readonly selected: readonly string[];
      readonly spend: number;
      readonly probability_of_no_success: number;
      readonly budget_multiplier: number | null;
      readonly left_out: readonly { readonly reason: string }[];
    };
    const names = quote(selected.slice(0, 10).join(', '));
    const dear = left_out.filter(({ reason }) => reason === 'not_worth_its_cost').length;
    const statements: Statement[] = [
      selected.length === 0
        ? say(1, 'result', 'Develop none: no project is worth its cost within the budget.', {})
        : say(
            1,
            'result',
            `Develop {count} projects (${names}${selected.length > 10 ? ', and so on' : ''}): {value} million of expected value.`,
            { count: selected.length, value: bestFitness },
          ),
      say(2, 'choice', '{spend} of the {budget} million are spent.', { spend, budget: budget_musd }),
    ];
    if (selected.length > 0)
      statements.push(
        say(3, 'constraint', 'With a probability of {p} none of them succeeds.', { p: probability_of_no_success }),
      );
    if (dear > 0) statements.push(say(2, 'choice', '{dear} of those left out are not worth their cost.', { dear }));
    if (budget_multiplier !== null && budget_multiplier > 0)
      statements.push(
        say(
          4,
          'sensitivity',
          'If projects could be paid for in part, one more million of budget would bring {worth} million of expected value.',
          {
            worth: budget_multiplier,
          },
        ),
      );
    return statements;
  },

  pictures: {
    cost_and_value: ({ projects }, { bestSolution }) => {
      const taken = withIds(projects)
        .filter((_, i) => bestSolution[i] === 1)
        .slice(0, 20);
      if (taken.length === 0) return null;
      return barChart({
        title: 'Cost and expected value of the chosen projects',
        xName: 'millions of US dollars',
        names: taken.map((one) => one.id),
        series: [
          { name: 'cost', values: taken.map(({ cost_musd }) => cost_musd) },
          { name: 'expected value after cost', values: taken.map(valueOf) },
        ],
      });
    },
  },
});
