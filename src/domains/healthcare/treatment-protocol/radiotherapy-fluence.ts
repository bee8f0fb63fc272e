/**
 * Weights of radiotherapy beamlets from the dose that each gives to each voxel.
 * Source: the objectives of matRad (Wieser et al. 2017); linear and convex quadratic programmes.
 *
 * Limits `min_gy` and `max_gy` hold in every voxel, but are what is aimed at where the objective is squared_underdose
 * or squared_overdose. Terms of the objective are means over the structure's voxels, so that large structures count as
 * small ones.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { lineChart } from '../../charts/line-chart.js';
import { amount, list, matrix, positive } from '../../fields.js';
import { Infeasible, model, Unbounded, Interrupted } from '../../problem-type.js';
import type { Column, LinearProgram, Row } from '../../solvers/linear-program.js';
import { DECISION_SUPPORT } from '../decision-support.js';

export const MOST_BEAMLETS = 1_000;
export const MOST_VOXELS = 5_000;
const MOST_STRUCTURES = 50;
const MOST_ENTRIES = 1_000_000;
const MOST_STEPS_DRAWN = 500;
/** Excess of a dose over its limit that the solver and rounding may leave, relative to the limit. */
const TOLERANCE = 1e-6;

interface Structure {
  readonly name: string;
  readonly type: 'target' | 'organ_at_risk';
  readonly dose_influence: readonly (readonly number[])[];
  readonly min_gy?: number | undefined;
  readonly max_gy?: number | undefined;
  readonly objective?: 'mean' | 'squared_overdose' | 'squared_underdose' | 'max' | undefined;
  readonly weight: number;
}

interface Config {
  readonly structures: readonly Structure[];
}

const beamletsOf = ({ structures }: Config): number => structures[0]?.dose_influence[0]?.length ?? 0;

/** Where the limit is hard. */
const hardMin = ({ min_gy, objective }: Structure): number | undefined =>
  objective === 'squared_underdose' ? undefined : min_gy;
const hardMax = ({ max_gy, objective }: Structure): number | undefined =>
  objective === 'squared_overdose' ? undefined : max_gy;

const dosesOf = ({ dose_influence }: Structure, weights: readonly number[]): number[] =>
  dose_influence.map((row) => row.reduce((sum, one, j) => sum + one * weights[j], 0));

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** A structure's term of the objective. */
function term(structure: Structure, doses: readonly number[]): number {
  const { objective, weight, min_gy = NaN, max_gy = NaN } = structure;
  switch (objective) {
    case undefined:
      return 0;
    case 'mean':
      return weight * mean(doses);
    case 'max':
      return weight * Math.max(...doses);
    case 'squared_overdose':
      return weight * mean(doses.map((dose) => Math.max(0, dose - max_gy) ** 2));
    case 'squared_underdose':
      return weight * mean(doses.map((dose) => Math.max(0, min_gy - dose) ** 2));
  }
}

/** Which rows are limits of which structure. */
interface Built {
  readonly program: LinearProgram;
  readonly limits: readonly { readonly structure: number; readonly kind: 'min_gy' | 'max_gy'; readonly row: number }[];
}

function build(config: Config): Built {
  const beamlets = beamletsOf(config);
  const costs = new Array<number>(beamlets).fill(0);
  const extra: Column[] = [];
  const rows: Row[] = [];
  const quadratic: { i: number; j: number; value: number }[] = [];
  const limits: Built['limits'][number][] = [];
  for (const [s, structure] of config.structures.entries()) {
    const { name, dose_influence: influence, objective, weight, min_gy = NaN, max_gy = NaN } = structure;
    const voxels = influence.length;
    const own = (row: readonly number[]): (readonly [number, number])[] =>
      row.flatMap((one, j) => (one === 0 ? [] : [[j, one] as const]));
    const [least, most] = [hardMin(structure), hardMax(structure)];
    for (const row of influence) {
      if (least !== undefined) {
        limits.push({ structure: s, kind: 'min_gy', row: rows.length });
        rows.push({ name: `${name}.min_gy`, lower: least, terms: own(row) });
      }
      if (most !== undefined) {
        limits.push({ structure: s, kind: 'max_gy', row: rows.length });
        rows.push({ name: `${name}.max_gy`, upper: most, terms: own(row) });
      }
    }
    if (objective === undefined || weight === 0) continue;
    if (objective === 'mean') {
      for (const row of influence) for (const [j, one] of row.entries()) costs[j] += (weight * one) / voxels;
    } else if (objective === 'max') {
      const highest = beamlets + extra.length;
      extra.push({ name: `${name}.max`, cost: weight });
      for (const row of influence) rows.push({ name: `${name}.max`, upper: 0, terms: [...own(row), [highest, -1]] });
    } else {
      for (const row of influence) {
        const excess = beamlets + extra.length;
        extra.push({ name: `${name}.${objective}`, cost: 0 });
        quadratic.push({ i: excess, j: excess, value: (2 * weight) / voxels });
        rows.push(
          objective === 'squared_overdose'
            ? { name: `${name}.${objective}`, upper: max_gy, terms: [...own(row), [excess, -1]] }
            : { name: `${name}.${objective}`, lower: min_gy, terms: [...own(row), [excess, 1]] },
        );
      }
    }
  }
  const columns = [...costs.map((cost, j): Column => ({ name: `beamlet_${j + 1}`, cost })), ...extra];
  return {
    program: { sense: 'minimize', columns, rows, quadratic: quadratic.length === 0 ? undefined : quadratic },
    limits,
  };
}

const DVH_POINTS = 61;

type VolumePoint = { readonly dose_gy: number; readonly volume: number };

/** Share of the voxels with at least that dose. */
function volumes(doses: readonly number[], highest: number): VolumePoint[] {
  const sorted = [...doses].sort((a, b) => a - b);
  return Array.from({ length: DVH_POINTS }, (_, i) => {
    const dose_gy = (1.05 * highest * i) / (DVH_POINTS - 1);
    return { dose_gy, volume: sorted.filter((dose) => dose >= dose_gy).length / sorted.length };
  });
}

/** Dose that at least the share of the voxels has. */
function doseAt(doses: readonly number[], share: number): number {
  const sorted = [...doses].sort((a, b) => b - a);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length - 1e-9) - 1))];
}

type Statistics = {
  readonly name: string;
  readonly type: string;
  readonly min_gy: number;
  readonly mean_gy: number;
  readonly max_gy: number;
  readonly d95_gy: number;
  readonly d2_gy: number;
  readonly objective: number;
  readonly dose_volume: readonly VolumePoint[];
};

export const radiotherapyFluence = model({
  name: 'radiotherapy_fluence',
  summary: 'Beamlet weights that reach the target and spare the organs at risk.',
  fields: z.strictObject({
    structures: list(
      z.strictObject({
        name: z.string().min(1).max(200).describe('Name in the answer'),
        type: z.enum(['target', 'organ_at_risk']).describe('What is to be reached, or spared'),
        dose_influence: matrix(
          'Dose of a voxel (row) by a unit of each beamlet (column), Gy',
          { most: MOST_VOXELS },
          { most: MOST_BEAMLETS, minimum: 0, maximum: 1e6 },
        ),
        min_gy: amount('Least dose of every voxel, or what squared_underdose aims at').max(1e6).optional(),
        max_gy: positive('Largest dose of every voxel, or what squared_overdose aims at').max(1e6).optional(),
        objective: z
          .enum(['mean', 'squared_overdose', 'squared_underdose', 'max'])
          .optional()
          .describe('What is to be small. Absent: nothing, the limits hold'),
        weight: amount('Of the objective').max(1e6).default(1),
      }),
      'Targets and organs at risk',
      MOST_STRUCTURES,
    ),
  }),
  example: {
    model: 'radiotherapy_fluence',
    structures: [
      {
        ...{ name: 'tumour', type: 'target', min_gy: 60, max_gy: 70 },
        dose_influence: [
          [1, 0.9, 0.2, 0.4],
          [0.8, 1, 0.3, 0.5],
          [0.3, 0.4, 1, 0.8],
          [0.2, 0.5, 0.9, 1],
        ],
      },
      {
        ...{ name: 'cord', type: 'organ_at_risk', max_gy: 45, objective: 'mean' },
        dose_influence: [
          [0.2, 0.6, 0.1, 0.3],
          [0.1, 0.5, 0.2, 0.4],
          [0.3, 0.4, 0.1, 0.5],
        ],
      },
    ],
  },

  check({ structures }, complain) {
    const beamlets = structures[0]?.dose_influence[0]?.length ?? 0;
    let voxels = 0;
    for (const [s, structure] of structures.entries()) {
      const { name, dose_influence, min_gy, max_gy, objective } = structure;
      const path = (field: string) => ['structures', s, field] as const;
      if (structures.findIndex((other) => other.name === name) < s)
        return complain(path('name'), `\`{field}\`: "${name}" is the name of an earlier structure too.`);
      const own = dose_influence[0]?.length ?? 0;
      if (own !== beamlets)
        return complain(
          path('dose_influence'),
          `\`{field}\` has ${own} beamlets, that of the first structure ${beamlets}.`,
        );
      voxels += dose_influence.length;
      if (objective === 'squared_overdose' && max_gy === undefined)
        return complain(path('max_gy'), '`{field}` is required for squared_overdose.');
      if (objective === 'squared_underdose' && min_gy === undefined)
        return complain(path('min_gy'), '`{field}` is required for squared_underdose.');
      if (min_gy !== undefined && max_gy !== undefined && min_gy > max_gy)
        return complain(path('min_gy'), `\`{field}\` = ${min_gy} must be at most \`max_gy\` = ${max_gy}.`);
      const dark =
        min_gy === undefined || min_gy === 0 ? -1 : dose_influence.findIndex((row) => row.every((one) => one === 0));
      if (dark >= 0 && objective !== 'squared_underdose') {
        return complain(
          [...path('dose_influence'), dark],
          '`{field}` has no beamlet that reaches the voxel, so it cannot get `min_gy`.',
        );
      }
    }
    if (voxels > MOST_VOXELS || voxels * beamlets > MOST_ENTRIES) {
      return complain(['structures'], `\`{field}\` may have ${MOST_VOXELS} voxels and ${MOST_ENTRIES} doses together.`);
    }
    if (!structures.some((one) => one.type === 'target' && (one.min_gy ?? 0) > 0)) {
      return complain(
        ['structures'],
        '`{field}` must have a target with `min_gy`: without one, no beam at all is best.',
      );
    }
    if (structures.every(({ objective, weight }) => objective === undefined || weight === 0)) {
      complain(['structures'], '`{field}` must have an entry with an `objective` and a weight above 0.');
    }
  },

  sense: () => 'minimize',

  async solve(config, context) {
    const { structures } = config;
    const { program, limits } = build(config);
    const solution = await context.solveLinear(program);
    // Weights that may not be negative are no limit that anybody set.
    const names = new Set(program.rows.map((row) => row.name));
    if (solution.status === 'infeasible') throw notPossible(solution.conflict.filter((one) => names.has(one)));
    if (solution.status === 'unbounded') throw new Unbounded('More of the beams is always better.');
    const { values, rowDuals } = solution;
    if (values === null || solution.status === 'interrupted') throw new Interrupted('the run is over');
    const weights = [...values.slice(0, beamletsOf(config))].map((weight) => Math.max(0, weight));
    const doses = structures.map((structure) => dosesOf(structure, weights));
    const highest = Math.max(...doses.flat());
    const fitness = structures.reduce((sum, structure, s) => sum + term(structure, doses[s]), 0);
    const statistics = structures.map(({ name, type, ...structure }, s): Statistics => {
      const own = doses[s];
      return {
        ...{ name, type, min_gy: Math.min(...own), mean_gy: mean(own), max_gy: Math.max(...own) },
        ...{ d95_gy: doseAt(own, 0.95), d2_gy: doseAt(own, 0.02) },
        objective: term({ name, type, ...structure }, own),
        dose_volume: volumes(own, highest),
      };
    });
    const dosesOfType = (type: Structure['type']): number[] =>
      structures.flatMap((one, s) => (one.type === type ? doses[s] : []));
    const organs = dosesOfType('organ_at_risk');
    const constraints = structures.flatMap((structure, s) =>
      (['min_gy', 'max_gy'] as const).flatMap((kind) => {
        const limit = kind === 'min_gy' ? hardMin(structure) : hardMax(structure);
        if (limit === undefined) return [];
        const value = statistics[s][kind];
        const slack = kind === 'min_gy' ? value - limit : limit - value;
        const rows = limits.filter((one) => one.structure === s && one.kind === kind);
        return [
          {
            ...{
              name: `${structure.name}.${kind}`,
              value,
              limit,
              slack,
              binding: slack <= TOLERANCE * Math.max(1, limit),
            },
            shadowPrice: rowDuals === null ? undefined : rows.reduce((sum, { row }) => sum + rowDuals[row], 0),
          },
        ];
      }),
    );
    const isQuadratic = program.quadratic !== undefined;
    return {
      method: isQuadratic ? 'convex_qp' : 'lp',
      reason: isQuadratic
        ? 'squared doses make a convex quadratic programme'
        : 'doses are linear in the beamlet weights',
      library: 'HiGHS',
      bestSolution: weights,
      bestFitness: fitness,
      decisionVariables: weights.map((_, j) => `beamlet_${j + 1}`),
      result: {
        beamlet_weights: weights,
        objective: fitness,
        min_target_gy: Math.min(...dosesOfType('target')),
        ...(organs.length === 0 ? {} : { mean_oar_gy: mean(organs), max_oar_gy: Math.max(...organs) }),
        structures: statistics,
        beamlets_used: weights.filter((weight) => weight > 0).length,
      },
      optimality: { status: 'optimal', bound: solution.bound ?? fitness, proof: 'convex_kkt' },
      evaluations: 1,
      iterations: solution.iterations,
      constraints,
      warnings: [DECISION_SUPPORT],
      assumptions: [
        {
          code: 'mean_over_voxels',
          message: 'Squared and mean terms are means over the voxels of a structure, all of the same volume.',
        },
      ],
    };
  },

  verify(config, { bestSolution: weights, bestFitness, optimality }) {
    if (!weights.every((weight) => weight >= 0)) return 'a beamlet has a negative weight';
    let fitness = 0;
    for (const structure of config.structures) {
      const doses = dosesOf(structure, weights);
      const [least, most] = [hardMin(structure) ?? -Infinity, hardMax(structure) ?? Infinity];
      if (!doses.every((dose) => dose >= least - TOLERANCE * Math.max(1, Math.abs(least))))
        return `${structure.name} gets too little`;
      if (!doses.every((dose) => dose <= most + TOLERANCE * Math.max(1, most)))
        return `${structure.name} gets too much`;
      fitness += term(structure, doses);
    }
    const size = Math.max(1, Math.abs(fitness));
    if (!(Math.abs(fitness - bestFitness) <= 1e-9 * size)) return `the objective is ${fitness}`;
    return Math.abs(fitness - (optimality.bound ?? NaN)) <= 1e-5 * size ? null : `the bound is ${optimality.bound}`;
  },

  explain({ structures }, { result, constraints = [], bestFitness }) {
    const statistics = result['structures'] as Statistics[];
    const binding = constraints.filter((one) => one.binding && Math.abs(one.shadowPrice ?? 0) > 1e-9).slice(0, 5);
    return [
      ...statistics
        .slice(0, 10)
        .map(({ name, min_gy: low, max_gy: high, mean_gy: average }) =>
          high - low <= TOLERANCE * high
            ? say(1, 'result', `${label(name)} gets {mean} Gy everywhere.`, { mean: average })
            : say(1, 'result', `${label(name)} gets {low..high} Gy, {mean} on average.`, { low, high, mean: average }),
        ),
      say(2, 'choice', 'No other weights make the objective smaller than {value} within the limits of all voxels.', {
        value: bestFitness,
      }),
      ...binding.map((one) =>
        say(4, 'sensitivity', `One Gy more of the limit ${label(one.name)} changes the objective by {price}.`, {
          price: one.shadowPrice ?? 0,
        }),
      ),
      ...(structures.length > 10 ? [say(3, 'constraint', 'The other structures are in `structures`.', {})] : []),
    ];
  },

  pictures: {
    dose_volume_histogram: ({ structures }, { bestSolution }) =>
      lineChart({
        title: 'Dose-volume histogram',
        xName: 'dose (Gy)',
        yName: 'percent of the volume with at least that dose',
        series: structures.slice(0, 7).map((one) => ({
          name: one.name,
          points: doseVolumeSteps(dosesOf(one, bestSolution)),
        })),
      }),
    beamlet_weights: (_, { bestSolution }) =>
      lineChart({
        title: 'Weights of the beamlets',
        xName: 'beamlet',
        yName: 'weight',
        series: [
          { name: 'weight', points: bestSolution.map((weight, j) => [j + 1, weight]), width: 0.8, isColumns: true },
        ],
      }),
  },
});

/** Corners of the curve: voxels have one dose each, so that the volume falls upright at each dose, level between. */
function doseVolumeSteps(doses: readonly number[]): (readonly [dose: number, percent: number])[] {
  const sorted = doses.toSorted((a, b) => a - b);
  const percentLeft = (voxels: number): number => 100 * (1 - Math.min(1, voxels / sorted.length));
  // Of many voxels so many fall together that nobody sees a difference.
  const together = Math.ceil(sorted.length / MOST_STEPS_DRAWN);
  const corners = sorted.flatMap((dose, below) =>
    below % together === 0 ? [below, below + together].map((voxels) => [dose, percentLeft(voxels)] as const) : [],
  );
  return [[0, 100], ...corners];
}

/** Names go into sentences, never into templates. */
const label = (text: string): string => text.replaceAll(/[{}]/g, '');

function notPossible(conflict: readonly string[]): Infeasible {
  const names = [...new Set(conflict)];
  const which = names.length === 0 ? 'the limits' : names.join(', ');
  return new Infeasible(
    `No beamlet weights keep ${which} together: relax one of them, or make it an objective.`,
    names,
  );
}
