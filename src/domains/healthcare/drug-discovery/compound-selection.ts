/**
 * Which compounds to buy or make: the largest sum of scores within a budget, spread over clusters and apart from each
 * other.
 */
import { z } from 'zod';
import { quote, say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { ConstraintState, Remark } from '../../../model/problem.js';
import { barChart } from '../../charts/bar-chart.js';
import { amount, checkUnique, count, id, list, number, share, withIds, type Complain } from '../../fields.js';
import { Infeasible, model, type SolveContext } from '../../problem-type.js';
import { choose, multipliersOf, proofOf } from '../../solvers/binary-programme.js';
import type { LinearProgram } from '../../solvers/linear-program.js';
import { DECISION_SUPPORT } from '../decision-support.js';
import { checkInstalled, compute } from './chemistry.js';
import { bitsOf, fingerprintField, tanimotoDistance, type Bits } from './fingerprints.js';
import { smilesText } from './smiles.js';

export const MOST_CANDIDATES = 2_000;
/** Where they must keep a distance. */
export const MOST_APART = 600;

const fields = z.strictObject({
  compounds: list(
    z.strictObject({
      id: id.optional(),
      score: number('What the compound is worth').min(-1e9).max(1e9),
      cost: amount('Price of the compound').max(1e12).optional(),
      cluster: z.string().min(1).max(200).optional().describe('Name of its chemical family. Absent: one of its own'),
      fingerprint: fingerprintField.optional(),
      smiles: smilesText('Structure, for a fingerprint; needs the optional package @rdkit/rdkit').optional(),
    }),
    'Compounds to choose from',
    MOST_CANDIDATES,
  ),
  budget: amount('Money for all compounds').optional(),
  max_compounds: count('Compounds, at most', 1, MOST_CANDIDATES).optional(),
  max_per_cluster: count('Compounds of one cluster, at most', 1, MOST_CANDIDATES).optional(),
  min_distance: share('Tanimoto distance between any two, at least').default(0),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;

const clustersOf = ({ compounds }: Config): Map<string, number[]> => {
  const members = new Map<string, number[]>();
  for (const [i, { cluster }] of compounds.entries()) {
    if (cluster !== undefined) members.set(cluster, [...(members.get(cluster) ?? []), i]);
  }
  return members;
};

/** Null: there are none, and none are needed. */
async function fingerprintsOf(
  { compounds, min_distance }: Config,
  context: SolveContext,
): Promise<readonly Bits[] | null> {
  const missing = compounds.filter(({ fingerprint }) => fingerprint === undefined);
  if (missing.length > 0 && min_distance === 0) return null;
  if (missing.length === 0) return compounds.map(({ fingerprint = [] }) => bitsOf(fingerprint));
  const { fingerprints } = await compute(
    { kind: 'fingerprints', smiles: missing.map(({ smiles = '' }) => smiles) },
    context,
  );
  let next = 0;
  return compounds.map(({ fingerprint, id: name }, i) => {
    if (fingerprint !== undefined) return bitsOf(fingerprint);
    const computed = fingerprints[next++];
    if (computed === null) {
      const message = `The structure of compound ${name ?? i + 1} is none that RDKit accepts.`;
      throw new Infeasible(message, [`config.compounds[${i}].smiles`]);
    }
    return bitsOf(computed);
  });
}

/** Pairs that are too near, as a table. */
function nearPairs(bits: readonly Bits[], distance: number, context: SolveContext): Uint8Array[] {
  return bits.map((own, i) => {
    context.look();
    return Uint8Array.from(bits, (other, j) => (i !== j && tanimotoDistance(own, other) < distance ? 1 : 0));
  });
}

/** Groups all of whose members are too near to each other, so that every near pair is in one. */
function cliquesOf(near: readonly Uint8Array[], look: () => void): number[][] {
  const n = near.length;
  const isCovered = near.map(() => new Uint8Array(n));
  const cliques: number[][] = [];
  for (let i = 0; i < n; i++) {
    look();
    for (let j = i + 1; j < n; j++) {
      if (near[i][j] === 0 || isCovered[i][j] === 1) continue;
      const clique = [i, j];
      for (let k = 0; k < n; k++) {
        if (k !== i && k !== j && clique.every((member) => near[member][k] === 1)) clique.push(k);
      }
      for (const a of clique) for (const b of clique) isCovered[a][b] = 1;
      cliques.push(clique);
    }
  }
  return cliques;
}

function programOf(config: Config, cliques: readonly (readonly number[])[]): LinearProgram {
  const { compounds, budget, max_compounds, max_per_cluster } = config;
  const ones = (members: readonly number[]): (readonly [number, number])[] => members.map((i) => [i, 1]);
  const all = compounds.map((_, i) => i);
  const costs = all.flatMap((i) => ((compounds[i].cost ?? 0) === 0 ? [] : [[i, compounds[i].cost ?? 0] as const]));
  return {
    sense: 'maximize',
    columns: withIds(compounds).map((one) => ({ name: one.id, cost: one.score, upper: 1, isInteger: true })),
    rows: [
      ...(budget === undefined ? [] : [{ name: 'budget', upper: budget, terms: costs }]),
      ...(max_compounds === undefined ? [] : [{ name: 'max_compounds', upper: max_compounds, terms: ones(all) }]),
      ...(max_per_cluster === undefined
        ? []
        : [...clustersOf(config)].map(([name, members]) => ({
            name: `max_per_cluster of ${name}`,
            upper: max_per_cluster,
            terms: ones(members),
          }))),
      ...cliques.map((members, i) => ({ name: `min_distance ${i + 1}`, upper: 1, terms: ones(members) })),
    ],
  };
}

const upTo = (name: string, own: number, limit: number | undefined): ConstraintState[] =>
  limit === undefined
    ? []
    : [{ name, value: own, limit, slack: limit - own, binding: limit - own <= 1e-9 * (1 + limit) }];

function checkStructures({ compounds, min_distance }: Config, complain: Complain): boolean {
  if (min_distance === 0) return true;
  if (compounds.length > MOST_APART) {
    complain(['compounds'], `\`{field}\` can have ${MOST_APART} compounds where \`min_distance\` is above 0.`);
    return false;
  }
  const bare = compounds.findIndex(({ fingerprint, smiles }) => fingerprint === undefined && smiles === undefined);
  if (bare >= 0) {
    complain(['compounds', bare, 'fingerprint'], '`{field}` or `smiles` is required where `min_distance` is above 0.');
    return false;
  }
  const structure = compounds.findIndex(({ fingerprint }) => fingerprint === undefined);
  return structure < 0 || checkInstalled(['compounds', structure, 'smiles'], complain);
}

export const compoundSelection = model({
  name: 'compound_selection',
  summary: 'Which compounds to buy or make, within a budget, spread over clusters and apart from each other.',
  fields,
  example: {
    model: 'compound_selection',
    compounds: [
      { id: 'A1', score: 0.82, cost: 400, cluster: 'indole', fingerprint: '1101001010110001' },
      { id: 'A2', score: 0.8, cost: 350, cluster: 'indole', fingerprint: '1101001010110011' },
      { id: 'B1', score: 0.74, cost: 250, cluster: 'quinoline', fingerprint: '0010110001001110' },
      { id: 'B2', score: 0.61, cost: 150, cluster: 'quinoline', fingerprint: '0010010101001010' },
      { id: 'C1', score: 0.55, cost: 300, cluster: 'piperidine', fingerprint: '1000011100000101' },
    ],
    budget: 900,
    max_per_cluster: 2,
    min_distance: 0.3,
    currency: 'EUR',
  },

  check(config, complain) {
    const { compounds, budget } = config;
    if (!checkUnique(compounds, 'compounds', complain)) return;
    const free = compounds.findIndex(({ cost }) => cost === undefined);
    if (budget !== undefined && free >= 0)
      return complain(['compounds', free, 'cost'], '`{field}` is required where there is a `budget`.');
    checkStructures(config, complain);
  },

  sense: () => 'maximize',

  async solve(config, context) {
    const { compounds, budget, max_compounds, max_per_cluster, min_distance } = config;
    const bits = await fingerprintsOf(config, context);
    const near = bits === null || min_distance === 0 ? [] : nearPairs(bits, min_distance, context);
    const program = programOf(
      config,
      cliquesOf(near, () => context.look()),
    );
    const total = (values: readonly number[]): number =>
      compounds.reduce((sum, { score }, i) => sum + score * values[i], 0);
    const infeasible = 'The limits leave room for no choice of compounds.';
    const chosen = await choose(program, context, { objective: total, infeasible });
    const budgetWorth = budget === undefined ? null : ((await multipliersOf(program, context))?.[0] ?? null);
    const taken = withIds(compounds).flatMap((one, i) => (chosen.values[i] === 1 ? [{ ...one, i }] : []));
    const fitness = total(chosen.values);
    const cost = taken.reduce((sum, one) => sum + (one.cost ?? 0), 0);
    const distances = taken.flatMap((a, k) =>
      taken.slice(k + 1).flatMap((b) => (bits === null ? [] : [tanimotoDistance(bits[a.i], bits[b.i])])),
    );
    const perCluster = new Map<string, number>();
    for (const { cluster } of taken)
      if (cluster !== undefined) perCluster.set(cluster, (perCluster.get(cluster) ?? 0) + 1);
    return {
      reason: 'to take a compound or not is a choice of yes and no under linear limits',
      bestSolution: chosen.values,
      bestFitness: fitness,
      decisionVariables: withIds(compounds).map((one) => `take ${one.id}`),
      result: {
        selected: taken.map((one) => ({
          id: one.id,
          score: one.score,
          ...(one.cost === undefined ? {} : { cost: one.cost }),
          ...(one.cluster === undefined ? {} : { cluster: one.cluster }),
        })),
        total_score: fitness,
        total_cost: cost,
        library_size: compounds.length,
        per_cluster: Object.fromEntries(perCluster),
        diversity:
          distances.length === 0
            ? null
            : {
                mean_distance: distances.reduce((a, b) => a + b, 0) / distances.length,
                least_distance: distances.reduce((a, b) => Math.min(a, b)),
              },
        budget_multiplier: budgetWorth,
      },
      ...proofOf(chosen, fitness),
      constraints: [
        ...upTo('budget', cost, budget),
        ...upTo('max_compounds', taken.length, max_compounds),
        ...[...perCluster].flatMap(([name, own]) => upTo(`max_per_cluster of ${name}`, own, max_per_cluster)),
      ],
      warnings: [DECISION_SUPPORT],
      assumptions: assumptionsOf(config),
      detail: near,
    };
  },

  verify(config, { bestSolution, bestFitness, detail }) {
    const { compounds, budget = Infinity, max_compounds = Infinity, max_per_cluster = Infinity } = config;
    const near = detail as readonly Uint8Array[];
    if (bestSolution.some((own) => own !== 0 && own !== 1)) return 'a compound is taken in part';
    const taken = bestSolution.flatMap((own, i) => (own === 1 ? [i] : []));
    const sum = (of: (i: number) => number): number => taken.map(of).reduceRight((a, b) => a + b, 0);
    if (sum((i) => compounds[i].cost ?? 0) > budget * (1 + 1e-8) + 1e-8) return 'the budget is exceeded';
    if (taken.length > max_compounds) return 'there are too many';
    for (const i of taken) {
      const { cluster } = compounds[i];
      const alike = cluster === undefined ? 0 : sum((j) => (compounds[j].cluster === cluster ? 1 : 0));
      if (alike > max_per_cluster) return `cluster ${cluster} has too many`;
      if (near.length > 0 && taken.some((j) => near[i][j] === 1)) return 'two are too near to each other';
    }
    const score = sum((i) => compounds[i].score);
    const size = sum((i) => Math.abs(compounds[i].score));
    return Math.abs(score - bestFitness) <= 1e-8 * (1 + size) ? null : `the scores add up to ${score}`;
  },

  explain({ budget }, { bestFitness, result }) {
    const { selected, total_cost, library_size, budget_multiplier, diversity } = result as unknown as {
      readonly selected: readonly { readonly id: string }[];
      readonly total_cost: number;
      readonly library_size: number;
      readonly budget_multiplier: number | null;
      readonly diversity: { readonly least_distance: number } | null;
    };
    const names = quote(
      selected
        .slice(0, 10)
        .map((one) => one.id)
        .join(', '),
    );
    const more = selected.length > 10 ? ', and so on' : '';
    const statements: Statement[] = [
      selected.length === 0
        ? say(1, 'result', 'Take none: no compound is worth anything within the limits.', {})
        : say(1, 'result', `Take {count} of {all} compounds (${names}${more}): their scores add up to {score}.`, {
            count: selected.length,
            all: library_size,
            score: bestFitness,
          }),
    ];
    if (budget !== undefined)
      statements.push(say(2, 'choice', '{cost} of the budget of {budget} is spent.', { cost: total_cost, budget }));
    if (diversity !== null)
      statements.push(
        say(2, 'choice', 'The two nearest of them are {d} apart (Tanimoto).', { d: diversity.least_distance }),
      );
    if (budget_multiplier !== null && budget_multiplier > 0)
      statements.push(
        say(
          4,
          'sensitivity',
          'If compounds could be bought in part, one more unit of budget would bring at most {worth} of score.',
          {
            worth: budget_multiplier,
          },
        ),
      );
    return statements;
  },

  pictures: {
    selected_scores: ({ compounds }, { bestSolution }) => {
      const taken = withIds(compounds)
        .filter((_, i) => bestSolution[i] === 1)
        .sort((a, b) => b.score - a.score)
        .slice(0, 20);
      if (taken.length === 0) return null;
      return barChart({
        title:
          taken.length === 20 ? 'The 20 selected compounds with the best scores' : 'Scores of the selected compounds',
        xName: 'score',
        names: taken.map((one) => (one.cluster === undefined ? one.id : `${one.id} (${one.cluster})`)),
        series: [{ name: 'score', values: taken.map(({ score }) => score) }],
      });
    },
  },
});

function assumptionsOf({ compounds, max_per_cluster, min_distance }: Config): Remark[] {
  const remarks: Remark[] = [
    {
      code: 'additive_scores',
      field: 'config.compounds',
      message: 'The scores of compounds add up, whichever others are taken.',
    },
  ];
  if (max_per_cluster !== undefined && compounds.some(({ cluster }) => cluster === undefined)) {
    const message = 'A compound without a cluster is a cluster of its own.';
    remarks.push({ code: 'own_cluster', field: 'config.compounds', message });
  }
  if (min_distance > 0 && compounds.some(({ fingerprint }) => fingerprint === undefined)) {
    const message = 'Fingerprints that are not given are Morgan fingerprints of radius 2 with 2048 bits.';
    remarks.push({ code: 'morgan_fingerprints', field: 'config.compounds', message });
  }
  return remarks;
}
