/** Jobs to agents with limited capacities (the generalised assignment problem): a programme of 0 and 1. */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { barChart } from '../../charts/bar-chart.js';
import { matrix, numbers } from '../../fields.js';
import { model, type Solution } from '../../problem-type.js';
import { choose, proofOf } from '../../solvers/binary-programme.js';

export const MOST_AGENTS = 200;
export const MOST_JOBS = 2_000;
const MOST_CELLS = 20_000;
const SIZE = 1e9;

const fields = z.strictObject({
  values: matrix(
    'What the agent (row) makes of the job (column)',
    { most: MOST_AGENTS },
    { most: MOST_JOBS, minimum: -SIZE, maximum: SIZE },
  ).optional(),
  resources: matrix(
    'What the job (column) takes of the agent’s (row) capacity',
    { most: MOST_AGENTS },
    { most: MOST_JOBS, minimum: 0, maximum: SIZE },
  ).optional(),
  capacities: numbers('Capacity of each agent', { most: MOST_AGENTS, minimum: 0, maximum: 1e12 }).optional(),
  sense: z
    .enum(['maximize', 'minimize'])
    .default('maximize')
    .describe('Whether values are to be large (profits) or small (costs)'),
  instance: z
    .strictObject({
      format: z.literal('orlib_gap').describe('Agents, jobs, values row by row, resources row by row, capacities'),
      text: z.string().max(500_000).describe('Numbers, apart by blanks'),
    })
    .optional()
    .describe('The numbers in a known format, instead of `values`, `resources` and `capacities`'),
});

/** Rows of a picture. */
const MOST_DRAWN = 100;

type Config = z.output<typeof fields>;

interface Jobs {
  readonly values: readonly (readonly number[])[];
  readonly resources: readonly (readonly number[])[];
  readonly capacities: readonly number[];
}

/** Null: the text is no such instance. */
function parsed(text: string): Jobs | null {
  const found = text.trim().split(/\s+/).map(Number);
  const [agents, jobs] = found;
  const isCount = (n: number): boolean => Number.isInteger(n) && n > 0;
  if (!isCount(agents) || !isCount(jobs) || agents > MOST_AGENTS || jobs > MOST_JOBS || agents * jobs > MOST_CELLS)
    return null;
  if (found.length !== 2 + 2 * agents * jobs + agents) return null;
  if (!found.every((n) => Math.abs(n) <= SIZE) || found.slice(2 + agents * jobs).some((n) => n < 0)) return null;
  const rows = (from: number): number[][] =>
    Array.from({ length: agents }, (_, i) => found.slice(from + i * jobs, from + (i + 1) * jobs));
  return { values: rows(2), resources: rows(2 + agents * jobs), capacities: found.slice(-agents) };
}

function jobsOf({ values, resources, capacities, instance }: Config): Jobs {
  const jobs = instance === undefined ? { values, resources, capacities } : parsed(instance.text);
  if (jobs?.values === undefined || jobs.resources === undefined || jobs.capacities === undefined)
    throw new Error('the config was checked');
  return { values: jobs.values, resources: jobs.resources, capacities: jobs.capacities };
}

const valueOf = ({ values }: Jobs, agentOf: readonly number[]): number =>
  agentOf.reduce((sum, agent, j) => sum + values[agent - 1][j], 0);

const loadsOf = ({ resources }: Jobs, agentOf: readonly number[]): number[] =>
  resources.map((row, i) => row.reduce((sum, need, j) => sum + (agentOf[j] === i + 1 ? need : 0), 0));

export const assignment = model({
  name: 'assignment',
  summary: 'Each job to one agent, within the capacities of the agents.',
  fields,
  example: {
    model: 'assignment',
    values: [
      [17, 21, 22, 18, 24, 15],
      [23, 16, 21, 16, 17, 16],
      [16, 20, 16, 25, 24, 16],
    ],
    resources: [
      [8, 15, 14, 23, 8, 16],
      [15, 7, 23, 22, 11, 11],
      [21, 20, 6, 22, 24, 10],
    ],
    capacities: [36, 34, 38],
  },

  check(config, complain) {
    const { values, resources, capacities, instance } = config;
    if (instance !== undefined) {
      for (const name of ['values', 'resources', 'capacities'] as const) {
        if (config[name] !== undefined)
          return complain([name], '`{field}` and `config.instance` say the same: send one of them.');
      }
      if (parsed(instance.text) === null) {
        return complain(
          ['instance', 'text'],
          `\`{field}\` must be agents (up to ${MOST_AGENTS}), jobs (up to ${MOST_JOBS}), then as many values and resources as agents times jobs (up to ${MOST_CELLS}), and a capacity for each agent.`,
        );
      }
    } else {
      if (values === undefined) return complain(['values'], '`{field}` is required, or `instance`.');
      if (resources === undefined) return complain(['resources'], '`{field}` is required.');
      if (capacities === undefined) return complain(['capacities'], '`{field}` is required.');
      const [agents, jobs] = [values.length, values[0].length];
      if (agents * jobs > MOST_CELLS)
        return complain(['values'], `\`{field}\`: agents times jobs can be at most ${MOST_CELLS}.`);
      if (resources.length !== agents || resources[0].length !== jobs) {
        return complain(
          ['resources'],
          `\`{field}\` must be ${agents} x ${jobs}, as \`values\` is, not ${resources.length} x ${resources[0].length}.`,
        );
      }
      if (capacities.length !== agents)
        return complain(
          ['capacities'],
          `\`{field}\` must have ${agents} numbers, one for each agent, not ${capacities.length}.`,
        );
    }
    const jobs = jobsOf(config);
    const tooLarge = jobs.values[0].findIndex((_, j) => jobs.resources.every((row, i) => row[j] > jobs.capacities[i]));
    if (tooLarge < 0) return;
    const path = instance === undefined ? ['resources', 0, tooLarge] : ['instance', 'text'];
    complain(path, `\`{field}\`: job ${tooLarge + 1} takes more than any agent’s capacity.`);
  },

  sense: ({ sense }) => sense,

  async solve(config, context): Promise<Solution> {
    const jobs = jobsOf(config);
    const { values, resources, capacities } = jobs;
    const count = values[0].length;
    const at = (i: number, j: number): number => i * count + j;
    const agentsIn = (chosen: readonly number[]): number[] =>
      Array.from({ length: count }, (_, j) => 1 + values.findIndex((__, i) => chosen[at(i, j)] === 1));
    const chosen = await choose(
      {
        sense: config.sense,
        columns: values.flatMap((row, i) =>
          row.map((cost, j) => ({
            name: `job ${j + 1} to agent ${i + 1}`,
            cost,
            upper: resources[i][j] > capacities[i] ? 0 : 1,
            isInteger: true,
          })),
        ),
        rows: [
          ...capacities.map((capacity, i) => ({
            name: `capacity of agent ${i + 1}`,
            upper: capacity,
            terms: resources[i].flatMap((need, j) => (need === 0 ? [] : [[at(i, j), need] as const])),
          })),
          ...values[0].map((_, j) => ({
            name: `job ${j + 1}`,
            lower: 1,
            upper: 1,
            terms: values.map((__, i) => [at(i, j), 1] as const),
          })),
        ],
      },
      context,
      {
        objective: (found) => valueOf(jobs, agentsIn(found)),
        infeasible: 'The capacities do not hold all jobs, however they are divided among the agents.',
      },
    );
    const agentOf = agentsIn(chosen.values);
    const total = valueOf(jobs, agentOf);
    const loads = loadsOf(jobs, agentOf);
    return {
      reason: 'each job goes to one agent under linear limits',
      bestSolution: agentOf,
      bestFitness: total,
      decisionVariables: agentOf.map((_, j) => `agent of job ${j + 1}`),
      result: {
        total_value: total,
        agents: values.length,
        jobs: count,
        assignments: agentOf.map((agent, j) => [`job ${j + 1}`, `agent ${agent}`]),
        agent_of_job: [...agentOf],
        loads,
        utilization: loads.map((load, i) => (capacities[i] > 0 ? load / capacities[i] : null)),
      },
      ...proofOf(chosen, total, config.sense),
      constraints: loads.map((load, i) => ({
        name: `capacity of agent ${i + 1}`,
        value: load,
        limit: capacities[i],
        slack: capacities[i] - load,
        binding: capacities[i] - load <= 1e-9 * (1 + load),
      })),
    };
  },

  verify(config, { bestSolution: agentOf, bestFitness }) {
    const { values, resources, capacities } = jobsOf(config);
    if (!agentOf.every((agent) => Number.isInteger(agent) && agent >= 1 && agent <= values.length))
      return 'a job has no agent';
    const left = [...capacities];
    let total = 0;
    for (const [j, agent] of agentOf.entries()) {
      left[agent - 1] -= resources[agent - 1][j];
      total += values[agent - 1][j];
    }
    const full = left.findIndex((rest, i) => rest < -1e-8 * (1 + capacities[i]));
    if (full >= 0) return `agent ${full + 1} has more than its capacity`;
    return Math.abs(total - bestFitness) <= 1e-9 * (1 + Math.abs(total)) ? null : `the values add up to ${total}`;
  },

  explain(_config, { bestFitness, result, bestSolution }) {
    const { agents, jobs, utilization } = result as unknown as {
      readonly agents: number;
      readonly jobs: number;
      readonly utilization: readonly (number | null)[];
    };
    const counts = Array.from({ length: agents }, (_, i) => bestSolution.filter((agent) => agent === i + 1).length);
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    const fullest = utilization.reduce<number>((most, share) => Math.max(most, share ?? 0), 0);
    return [
      say(1, 'result', '{jobs:job goes|jobs go} to {agents:agent|agents} for a total value of {value}.', {
        jobs,
        agents,
        value: bestFitness,
      }),
      say(
        2,
        'choice',
        least === most
          ? 'Each agent has {most:job|jobs}; the fullest one uses {share} percent of its capacity.'
          : 'An agent has {least..most:job|jobs}; the fullest one uses {share} percent of its capacity.',
        { least, most, share: 100 * fullest },
      ),
    ];
  },

  pictures: {
    loads: (config, { result }) => {
      const { loads } = result as unknown as { readonly loads: readonly number[] };
      const { capacities } = jobsOf(config);
      const drawn = loads.slice(0, MOST_DRAWN);
      return barChart({
        title: `Load and capacity of ${drawn.length < loads.length ? `the first ${MOST_DRAWN} agents` : 'each agent'}`,
        xName: 'units of capacity',
        names: drawn.map((_, i) => `agent ${i + 1}`),
        series: [{ name: 'load', values: drawn }],
        frames: { name: 'capacity', values: capacities.slice(0, MOST_DRAWN) },
      });
    },
  },
});
