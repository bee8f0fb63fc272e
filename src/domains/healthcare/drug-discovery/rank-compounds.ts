/**
 * Which compounds are most like a drug, or most like what a client wants: each is scored, the filters hold some back.
 */
import { z } from 'zod';
import { power } from '../../../common/float.js';
import { nearMatch } from '../../../common/near-match.js';
import { quote, say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { JsonObject, Remark } from '../../../model/problem.js';
import { barChart } from '../../charts/bar-chart.js';
import { checkUnique, id, list, number, withIds, type Complain } from '../../fields.js';
import { Infeasible, model, type SolveContext } from '../../problem-type.js';
import { DECISION_SUPPORT } from '../decision-support.js';
import { checkInstalled, compute, COMPUTED, type Descriptors } from './chemistry.js';
import {
  checkShapes,
  cnsMpoScoring,
  desirabilityOf,
  ownScoring,
  qedScoring,
  SCORES,
  shapes,
  type Scored,
  type Scoring,
} from './desirability.js';
import { checkFilters, filtersField, filtersOf, propertiesOf, sift, type Filter, type Sifted } from './filters.js';
import { nameOfProperty, nameOfScore } from './property-names.js';
import { QED_PROPERTIES, QED_WEIGHTS, qedDesirability } from './qed.js';
import { smilesText } from './smiles.js';

/** Limit at which compounds with all their properties fit into the body of a request. */
export const MOST_COMPOUNDS = 1_000;

const known = (description: string) => number(description).optional();

const compound = z
  .object({
    id: id.optional(),
    smiles: smilesText(
      `Structure; needs the optional package @rdkit/rdkit. Given numbers go before computed ones`,
    ).optional(),
    mw: known('Molecular weight in g/mol'),
    alogp: known('Octanol-water partition coefficient, log10'),
    hba: known('Hydrogen bond acceptors'),
    hbd: known('Hydrogen bond donors'),
    psa: known('Polar surface area in square angstroms'),
    rotb: known('Rotatable bonds'),
    arom: known('Aromatic rings'),
    alerts: known('Structural alerts that match'),
    logd: known('Octanol-water distribution coefficient at pH 7.4, log10'),
    pka: known('pKa of the most basic centre'),
  })
  .catchall(number('A property of your own, for `desirability` or `filters`'));

const fields = z.strictObject({
  compounds: list(compound, 'Compounds to rank, each with its numbers or its structure', MOST_COMPOUNDS),
  score: z
    .enum(SCORES)
    .default('qed')
    .describe(
      'qed: drug-likeness, 0 to 1; cns_mpo: for the central nervous system, 0 to 6; custom: by `desirability`, 0 to 1',
    ),
  desirability: shapes.optional().describe('What is wanted of each property, for the score custom'),
  filters: filtersField
    .optional()
    .describe(
      'lipinski, veber, limits as {property: {min, max}}, or a list of them. Compounds that fail are not ranked',
    ),
});

type Config = z.output<typeof fields>;
/** As it is checked: fields by name. */
type Compound = Readonly<Record<string, unknown>> & { readonly id: string; readonly smiles?: string };

const KNOWN = Object.keys(compound.shape);
const NOT_COMPUTED = 'cannot be computed from a structure';

const compoundsOf = ({ compounds }: Config): Compound[] => withIds(compounds);

function scoringOf({ score, desirability = {} }: Config): Scoring {
  if (score === 'qed') return qedScoring;
  return score === 'cns_mpo' ? cnsMpoScoring : ownScoring(desirability);
}

const given = (one: Compound, property: string): number | undefined =>
  Object.hasOwn(one, property) ? (one[property] as number) : undefined;

const isComputed = (property: string): boolean => (COMPUTED as readonly string[]).includes(property);

/** Properties that score and filters need, by what needs them. */
function neededBy(config: Config): Map<string, string> {
  const { score, filters } = config;
  return new Map([
    ...propertiesOf(filtersOf(filters)).map((name) => [name, 'a filter'] as const),
    ...scoringOf(config).properties.map((name) => [name, `the score ${score}`] as const),
  ]);
}

function checkCompounds(config: Config, complain: Complain): boolean {
  const needed = neededBy(config);
  const compounds = compoundsOf(config);
  for (const [i, one] of compounds.entries()) {
    for (const field of Object.keys(one)) {
      if (KNOWN.includes(field) || needed.has(field)) continue;
      const near = nearMatch(field, [...KNOWN, ...needed.keys()]);
      const hint = near === null ? '' : ` Did you mean \`${near}\`?`;
      complain(['compounds', i, field], `Unknown field \`{field}\`: neither the score nor a filter uses it.${hint}`);
      return false;
    }
    for (const [property, by] of needed) {
      if (given(one, property) !== undefined) continue;
      if (one.smiles !== undefined && isComputed(property)) continue;
      const why = one.smiles === undefined ? '' : ` It ${NOT_COMPUTED}.`;
      complain(['compounds', i, property], `\`{field}\` is required: ${by} needs it.${why}`);
      return false;
    }
  }
  const structures = compounds.filter((one) => needsStructure(one, needed.keys()));
  const [first] = structures;
  return first === undefined || checkInstalled(['compounds', compounds.indexOf(first), 'smiles'], complain);
}

const needsStructure = (one: Compound, needed: Iterable<string>): boolean =>
  one.smiles !== undefined && [...needed].some((property) => given(one, property) === undefined);

/** The facts about one compound. */
interface Row extends Scored, Sifted {
  readonly id: string;
  readonly smiles: string | null;
  /** Empty: its structure cannot be read. */
  readonly properties: Readonly<Record<string, number>>;
}

/**
 * The value that a rule means: Lipinski counts all nitrogens and oxygens as acceptors, and all bonds from them to
 * hydrogen.
 */
const propertyFor = (one: Compound, property: string, filter: Filter, computed: Descriptors): number => {
  const own = given(one, property);
  if (own !== undefined) return own;
  const isCount = filter === 'lipinski' && (property === 'hba' || property === 'hbd');
  return computed[isCount ? `lipinski_${property}` : property];
};

const UNREADABLE: Omit<Row, 'id' | 'smiles'> = {
  score: 0,
  desirabilities: {},
  properties: {},
  passes: false,
  violations: ['the structure cannot be read'],
  heldBy: ['smiles'],
};

function rowOf(config: Config, one: Compound, computed: Descriptors | null): Row {
  const { id: name, smiles = null } = one;
  if (computed === null) return { id: name, smiles, ...UNREADABLE };
  const valueOf = (property: string): number => given(one, property) ?? computed[property];
  const scored = scoringOf(config).score(valueOf);
  const sifted = sift(filtersOf(config.filters), (property, filter) => propertyFor(one, property, filter, computed));
  const properties = Object.fromEntries([...neededBy(config).keys()].map((property) => [property, valueOf(property)]));
  return { id: name, smiles, ...scored, ...sifted, properties };
}

async function describe(
  compounds: readonly Compound[],
  needed: readonly string[],
  context: SolveContext,
): Promise<{ readonly version: string | null; readonly descriptors: readonly (Descriptors | null)[] }> {
  const structures = compounds.filter((one) => needsStructure(one, needed));
  if (structures.length === 0) return { version: null, descriptors: compounds.map(() => ({})) };
  const smiles = structures.map((one) => one.smiles ?? '');
  const { version, descriptors } = await compute({ kind: 'descriptors', smiles }, context);
  const found = new Map(structures.map((one, i) => [one, descriptors[i]]));
  return { version, descriptors: compounds.map((one) => (found.has(one) ? (found.get(one) ?? null) : {})) };
}

const entryOf = ({ id: name, smiles, score, properties, desirabilities, violations }: Row): JsonObject => ({
  id: name,
  ...(smiles === null ? {} : { smiles }),
  score,
  properties,
  desirabilities,
  violations,
});

const MEANINGS: Readonly<Record<Config['score'], string>> = {
  qed: 'the estimate of drug-likeness (QED) is',
  cns_mpo: 'the score for the central nervous system is',
  custom: 'the desirability is',
};

function assumptionsOf({ score, filters }: Config, hasStructures: boolean): Remark[] {
  const remarks: Remark[] = [];
  if (score === 'qed') {
    const message =
      'QED takes the mean weights of its authors: alerts 0.95, mw 0.66, rotb 0.65, hbd 0.61, arom 0.48, alogp 0.46, psa 0.06, hba 0.05.';
    remarks.push({ code: 'mean_weights', field: 'config.score', message });
  }
  if (filtersOf(filters).includes('lipinski')) {
    const message = "Lipinski's rule lets one of its four limits be broken.";
    remarks.push({ code: 'one_violation_allowed', field: 'config.filters', message });
  }
  if (hasStructures) {
    const message =
      'Properties that are not given are computed from the structures as they are written: no salts are stripped, no charges changed.';
    remarks.push({ code: 'structures_as_written', field: 'config.compounds', message });
  }
  return remarks;
}

export const rankCompounds = model({
  name: 'rank_compounds',
  summary: 'Scores compounds by drug-likeness or by own desirabilities, and ranks those that pass the filters.',
  fields,
  example: {
    model: 'rank_compounds',
    score: 'qed',
    compounds: [
      { id: 'aspirin', mw: 180.16, alogp: 1.31, hba: 3, hbd: 1, psa: 63.6, rotb: 2, arom: 1, alerts: 2 },
      { id: 'ibuprofen', mw: 206.28, alogp: 3.07, hba: 2, hbd: 1, psa: 37.3, rotb: 4, arom: 1, alerts: 0 },
      { id: 'diazepam', mw: 284.75, alogp: 3.15, hba: 2, hbd: 0, psa: 32.67, rotb: 1, arom: 2, alerts: 0 },
      { id: 'atorvastatin', mw: 558.65, alogp: 6.31, hba: 5, hbd: 4, psa: 111.79, rotb: 12, arom: 4, alerts: 0 },
    ],
    filters: 'lipinski',
  },

  check(config, complain) {
    const { compounds, score, desirability, filters } = config;
    if (!checkUnique(compounds, 'compounds', complain)) return;
    if (score === 'custom' && desirability === undefined)
      return complain(['desirability'], '`{field}` is required where `score` is "custom".');
    if (score !== 'custom' && desirability !== undefined)
      return complain(['desirability'], `\`{field}\` has no meaning where \`score\` is "${score}".`);
    if (desirability !== undefined && !checkShapes(desirability, complain)) return;
    if (!checkFilters(filters, complain)) return;
    checkCompounds(config, complain);
  },

  sense: () => 'maximize',

  async solve(config, context) {
    const compounds = compoundsOf(config);
    const { version, descriptors } = await describe(compounds, [...neededBy(config).keys()], context);
    const rows = compounds.map((one, i) => rowOf(config, one, descriptors[i]));
    // Equal scores stay in the order in which they came.
    const ranked = rows.filter(({ passes }) => passes).sort((a, b) => b.score - a.score);
    const [best] = ranked;
    if (best === undefined) {
      const heldBy = [...new Set(rows.flatMap((row) => row.heldBy))];
      throw new Infeasible('No compound passes the filters.', heldBy);
    }
    const held = rows.filter(({ passes }) => !passes);
    const unreadable = rows.flatMap((row, i) => (row.heldBy.includes('smiles') ? [i] : []));
    const { score } = config;
    return {
      method: 'exhaustive_enumeration',
      reason: 'every compound has a score, and the best of them is the answer',
      bestSolution: rows.map((row) => row.score),
      bestFitness: best.score,
      decisionVariables: rows.map((row) => `score of ${row.id}`),
      result: {
        score,
        best: best.id,
        ...(best.smiles === null ? {} : { best_smiles: best.smiles }),
        [`best_${score}`]: best.score,
        top5: ranked.slice(0, 5).map((row) => row.id),
        [`top5_${score}`]: ranked.slice(0, 5).map((row) => row.score),
        ranking: ranked.map(entryOf),
        filtered_out: held.map(entryOf),
        library_size: rows.length,
        feasible: ranked.length,
      },
      optimality: { status: 'optimal', bound: best.score, proof: 'exhaustive' },
      evaluations: Math.min(rows.length, context.maxEvaluations),
      library: version === null ? undefined : `RDKit ${version}`,
      warnings: [
        DECISION_SUPPORT,
        ...unreadable.slice(0, 20).map((i) => ({
          code: 'unreadable_structure',
          field: `config.compounds[${i}].smiles`,
          message: `The structure of ${quote(rows[i].id)} is none that RDKit accepts, so it is not ranked.`,
        })),
      ],
      assumptions: assumptionsOf(config, version !== null),
      detail: rows,
    };
  },

  verify(config, { bestSolution, bestFitness, result, detail }) {
    const rows = detail as readonly Row[];
    const readable = rows.map((row) => Object.keys(row.properties).length > 0);
    for (const [i, row] of rows.entries()) {
      if (!readable[i]) continue;
      const score = scoreAgain(config, row.properties);
      if (!(Math.abs(score - bestSolution[i]) <= 1e-9 * (1 + score))) return `the score of ${row.id} is ${score}`;
    }
    const passing = rows.filter((_, i) => readable[i] && rows[i].passes);
    if (passing.some(({ score }) => score > bestFitness)) return 'another compound has a better score';
    return passing.some((row) => row.id === result['best'] && row.score === bestFitness)
      ? null
      : 'the best is none of them';
  },

  explain(config, { result }) {
    const ranking = result['ranking'] as unknown as readonly Row[];
    const [best, second] = ranking;
    const [worst, least] = Object.entries(best.desirabilities).reduce((a, b) => (b[1] < a[1] ? b : a));
    const statements: Statement[] = [
      say(1, 'result', `${quote(best.id)} is the best of {count}: ${MEANINGS[config.score]} {score}.`, {
        count: Number(result['feasible']),
        score: best.score,
      }),
      say(
        2,
        'choice',
        `The least desirable property of ${quote(best.id)} is: ${quote(nameOfProperty(worst))}, with {least}.`,
        {
          least,
        },
      ),
    ];
    const held = Number(result['library_size']) - Number(result['feasible']);
    if (held > 0)
      statements.push(
        say(3, 'constraint', 'The filters hold back {held} of {all}.', { held, all: Number(result['library_size']) }),
      );
    if (second !== undefined)
      statements.push(say(5, 'alternatives', `The second, ${quote(second.id)}, has {score}.`, { score: second.score }));
    return statements;
  },

  pictures: {
    best_scores: (config, { result }) => {
      const top = (result['ranking'] as unknown as readonly Row[]).slice(0, 20);
      return barChart({
        title: `The ${top.length === 1 ? 'compound' : `${top.length} compounds`} with the best score`,
        xName: `${nameOfScore(config.score)}, up to ${scoringOf(config).most}`,
        names: top.map((row) => row.id),
        series: [{ name: 'score', values: top.map(({ score }) => score) }],
      });
    },
    desirabilities_of_best: (_config, { result }) => {
      const [best] = result['ranking'] as unknown as readonly Row[];
      const parts = Object.entries(best.desirabilities).slice(0, 20);
      return barChart({
        title: `How desirable the properties of ${best.id} are`,
        xName: 'desirability, from 0 to 1',
        names: parts.map(([name]) => nameOfProperty(name)),
        series: [{ name: 'desirability', values: parts.map(([, value]) => value) }],
      });
    },
  },
});

/** As products of powers, and sums, instead of means of logarithms. */
function scoreAgain(config: Config, properties: Readonly<Record<string, number>>): number {
  const { score, desirability = {} } = config;
  if (score === 'cns_mpo') {
    const falling = (x: number, from: number, to: number): number => Math.min(1, Math.max(0, (to - x) / (to - from)));
    const { alogp, logd, mw, psa, hbd, pka } = properties;
    const area = Math.min(falling(psa, 90, 120), Math.max(0, (psa - 20) / 20));
    const parts = [
      falling(alogp, 3, 5),
      falling(logd, 2, 4),
      falling(mw, 360, 500),
      falling(hbd, 0.5, 3.5),
      falling(pka, 8, 10),
    ];
    return parts.reduce((sum, part) => sum + part, area);
  }
  const parts =
    score === 'qed'
      ? QED_PROPERTIES.map((name) => [qedDesirability(name, properties[name]), QED_WEIGHTS[name]])
      : Object.entries(desirability).map(([name, one]) => [desirabilityOf(one, properties[name]), one.weight]);
  const weights = parts.reduce((sum, [, weight]) => sum + weight, 0);
  return parts.reduce((product, [d, weight]) => {
    if (weight === 0) return product;
    return d === 0 ? 0 : product * power(d, weight / weights);
  }, 1);
}
