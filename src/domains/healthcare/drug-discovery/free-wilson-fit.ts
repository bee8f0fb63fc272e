/**
 * Contribution of each substituent to the activity of a series: least squares on indicators of the R-groups. The
 * squares of the contributions have a small penalty, since most substituents occur once or twice (ridge regression;
 * intercept free).
 * Sources: Free and Wilson 1964, J. Med. Chem. 7:395-399; Hoerl and Kennard 1970, Technometrics 12:55-67.
 */
import { z } from 'zod';
import { quote, say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { Remark } from '../../../model/problem.js';
import { barChart } from '../../charts/bar-chart.js';
import { lineChart } from '../../charts/line-chart.js';
import { checkUnique, id, list, number, withIds, type Complain } from '../../fields.js';
import { Infeasible, model, type SolveContext } from '../../problem-type.js';
import { DECISION_SUPPORT } from '../decision-support.js';
import { checkInstalled, compute } from './chemistry.js';
import { smilesText } from './smiles.js';

export const MOST_SERIES = 1_500;
export const MOST_SUBSTITUENTS = 3_000;
const MOST_GROUPS = 20;
const MOST_SCAFFOLD_CHARACTERS = 20_000;
const MOST_SHOWN = 1_000;
const MOST_ACTIVITY = 1e6;
/** A column that keeps less than this share of itself beside the earlier ones is a sum of them. */
const DEPENDENT = 1e-9;

const substituents = z
  .record(z.string().min(1).max(60), z.string().min(1).max(200))
  .refine(
    (value) => Object.keys(value).length >= 1 && Object.keys(value).length <= MOST_GROUPS,
    `\`{field}\` must have 1 to ${MOST_GROUPS} sites.`,
  );

const fields = z.strictObject({
  series: list(
    z.strictObject({
      id: id.optional(),
      smiles: smilesText('Structure; needs the optional package @rdkit/rdkit and `scaffold`').optional(),
      substituents: substituents
        .optional()
        .describe('Instead of a structure: the substituent at each site, as {site: name}'),
      activity: number('Measured activity, such as pIC50').min(-MOST_ACTIVITY).max(MOST_ACTIVITY),
    }),
    'Compounds of the series, all by `smiles` or all by `substituents`',
    MOST_SERIES,
    3,
  ),
  scaffold: z
    .string()
    .min(1)
    .max(MOST_SCAFFOLD_CHARACTERS)
    .optional()
    .describe(
      'Core with its attachment points, as a mol block or as SMILES with [*:1], [*:2], ...; needed for `smiles`',
    ),
  ridge: z
    .number()
    .min(0)
    .max(1e6)
    .default(1)
    .describe('Penalty on the squares of the contributions; 0: plain least squares'),
});

type Config = z.output<typeof fields>;

/** One compound of the fit. */
interface Row {
  readonly id: string;
  readonly activity: number;
  readonly groups: Readonly<Record<string, string>>;
}

/** Indicators: columns are substituents. */
interface Design {
  readonly columns: readonly { readonly site: string; readonly name: string; readonly rows: readonly number[] }[];
  /** Columns of each row. */
  readonly rows: readonly (readonly number[])[];
}

function designOf(rows: readonly Row[]): Design {
  const sites = new Map<string, Map<string, number[]>>();
  for (const [i, { groups }] of rows.entries()) {
    for (const [site, name] of Object.entries(groups)) {
      const names = sites.get(site) ?? new Map<string, number[]>();
      names.set(name, [...(names.get(name) ?? []), i]);
      sites.set(site, names);
    }
  }
  const columns = [...sites].flatMap(([site, names]) =>
    [...names].map(([name, members]) => ({ site, name, rows: members })),
  );
  const byRow: number[][] = rows.map(() => []);
  for (const [c, column] of columns.entries()) for (const i of column.rows) byRow[i].push(c);
  return { columns, rows: byRow };
}

/**
 * L of A = L L' in the lower triangle of `a` [n, n]; a row that depends on the earlier ones becomes 0, so that its
 * unknown does too.
 */
function factor(a: Float64Array, n: number, look: () => void): void {
  for (let i = 0; i < n; i++) {
    look();
    const diagonal = a[i * n + i];
    for (let j = 0; j <= i; j++) {
      let sum = a[i * n + j];
      for (let k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
      const pivot = a[j * n + j];
      if (j < i) a[i * n + j] = pivot === 0 ? 0 : sum / pivot;
      else a[i * n + i] = sum > DEPENDENT * diagonal ? Math.sqrt(sum) : 0;
    }
    if (a[i * n + i] === 0) a.fill(0, i * n, i * n + i);
  }
}

/** Solves L z = b in place. */
function forward(l: Float64Array, b: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) {
    const pivot = l[i * n + i];
    let sum = b[i];
    for (let k = 0; k < i; k++) sum -= l[i * n + k] * b[k];
    b[i] = pivot === 0 ? 0 : sum / pivot;
  }
}

/** Solves L' x = z in place. */
function backward(l: Float64Array, z: Float64Array, n: number): void {
  for (let i = n - 1; i >= 0; i--) {
    const pivot = l[i * n + i];
    z[i] = pivot === 0 ? 0 : z[i] / pivot;
    for (let k = 0; k < i; k++) z[k] -= l[i * n + k] * z[i];
  }
}

interface Fit {
  readonly intercept: number;
  readonly contributions: Float64Array;
  readonly predicted: readonly number[];
  /** Predictions by the fit to all others; null: one of them decides a contribution alone. */
  readonly leftOut: readonly number[] | null;
}

function fit(rows: readonly Row[], design: Design, ridge: number, context: SolveContext): Fit {
  const { columns } = design;
  const [n, p] = [rows.length, columns.length];
  const mean = rows.reduce((sum, { activity }) => sum + activity, 0) / n;
  const shares = columns.map((column) => column.rows.length / n);
  // Products of the centred indicators, lower triangle.
  const a = new Float64Array(p * p);
  for (const own of design.rows) for (const c of own) for (const d of own) if (d <= c) a[c * p + d] += 1;
  for (let c = 0; c < p; c++) for (let d = 0; d <= c; d++) a[c * p + d] -= n * shares[c] * shares[d];
  for (let c = 0; c < p; c++) a[c * p + c] += ridge;
  factor(a, p, () => context.look());
  const contributions = Float64Array.from(columns, (column) =>
    column.rows.reduce((sum, i) => sum + rows[i].activity - mean, 0),
  );
  forward(a, contributions, p);
  backward(a, contributions, p);
  const intercept = mean - contributions.reduce((sum, own, c) => sum + shares[c] * own, 0);
  const predicted = design.rows.map((own) => own.reduce((sum, c) => sum + contributions[c], intercept));
  // The residual of a row that is left out is its residual over 1 minus its leverage.
  const work = new Float64Array(p);
  const leftOut: number[] = [];
  for (const [i, own] of design.rows.entries()) {
    context.look();
    for (let c = 0; c < p; c++) work[c] = -shares[c];
    for (const c of own) work[c] += 1;
    forward(a, work, p);
    const rest = 1 - 1 / n - work.reduce((sum, z) => sum + z * z, 0);
    if (!(rest > 1e-9)) return { intercept, contributions, predicted, leftOut: null };
    leftOut.push(rows[i].activity - (rows[i].activity - predicted[i]) / rest);
  }
  return { intercept, contributions, predicted, leftOut };
}

/** Null: all activities are equal. */
function determination(rows: readonly Row[], predicted: readonly number[]): number | null {
  const mean = rows.reduce((sum, { activity }) => sum + activity, 0) / rows.length;
  const [all, left] = [rows.map(() => mean), predicted].map((from) =>
    rows.reduce((sum, { activity }, i) => sum + (activity - from[i]) ** 2, 0),
  );
  return all > 0 ? 1 - left / all : null;
}

interface Series {
  readonly rows: readonly Row[];
  readonly leftOut: readonly { readonly id: string; readonly i: number }[];
  readonly version: string | null;
}

async function seriesOf({ series, scaffold }: Config, context: SolveContext): Promise<Series> {
  const named = withIds(series);
  if (scaffold === undefined)
    return { rows: named.map((one) => ({ ...one, groups: one.substituents ?? {} })), leftOut: [], version: null };
  const smiles = named.map((one) => one.smiles ?? '');
  const { groups, hasScaffold, version } = await compute({ kind: 'r_groups', smiles, scaffold }, context);
  if (!hasScaffold)
    throw new Infeasible('`config.scaffold` is no mol block or SMILES that RDKit accepts as a core.', [
      'config.scaffold',
    ]);
  const rows = named.flatMap((one, i) => {
    const own = groups[i];
    return own === null ? [] : [{ id: one.id, activity: one.activity, groups: own }];
  });
  const leftOut = named.flatMap((one, i) => (groups[i] === null ? [{ id: one.id, i }] : []));
  return { rows, leftOut, version };
}

function checkForms({ series, scaffold }: Config, complain: Complain): boolean {
  if (scaffold === undefined) {
    const bare = series.findIndex((one) => one.substituents === undefined);
    if (bare >= 0) {
      if (series[bare].smiles === undefined)
        complain(['series', bare, 'substituents'], '`{field}` or `smiles` is required.');
      else complain(['scaffold'], '`{field}` is required where compounds are given by `smiles`.');
      return false;
    }
    const both = series.findIndex((one) => one.smiles !== undefined);
    if (both >= 0) complain(['series', both, 'smiles'], '`{field}` has no meaning beside `substituents`.');
    const names = new Set(
      series.flatMap((one) => Object.entries(one.substituents ?? {}).map((entry) => JSON.stringify(entry))),
    );
    if (names.size > MOST_SUBSTITUENTS)
      complain(['series'], `\`{field}\` can have ${MOST_SUBSTITUENTS} different substituents.`);
    const [first, ...others] = series.map((one) =>
      Object.keys(one.substituents ?? {})
        .sort()
        .join('\n'),
    );
    const odd = others.findIndex((sites) => sites !== first) + 1;
    if (odd > 0)
      complain(['series', odd, 'substituents'], '`{field}` must have the same sites as those of the first compound.');
    return both < 0 && odd === 0;
  }
  const bare = series.findIndex((one) => one.smiles === undefined);
  if (bare >= 0) {
    complain(['series', bare, 'smiles'], '`{field}` is required where there is a `scaffold`.');
    return false;
  }
  const both = series.findIndex((one) => one.substituents !== undefined);
  if (both >= 0) {
    complain(['series', both, 'substituents'], '`{field}` has no meaning beside `scaffold`.');
    return false;
  }
  return checkInstalled(['series', 0, 'smiles'], complain);
}

export const freeWilsonFit = model({
  name: 'free_wilson_fit',
  summary: 'What each substituent of a series of compounds does for the activity, by least squares.',
  fields,
  example: {
    model: 'free_wilson_fit',
    series: [
      { id: '1', substituents: { R1: 'H', R2: 'H' }, activity: 5.1 },
      { id: '2', substituents: { R1: 'Cl', R2: 'H' }, activity: 5.9 },
      { id: '3', substituents: { R1: 'OMe', R2: 'H' }, activity: 5.6 },
      { id: '4', substituents: { R1: 'H', R2: 'CN' }, activity: 6 },
      { id: '5', substituents: { R1: 'Cl', R2: 'CN' }, activity: 6.7 },
      { id: '6', substituents: { R1: 'OMe', R2: 'F' }, activity: 5.8 },
      { id: '7', substituents: { R1: 'H', R2: 'F' }, activity: 5.2 },
    ],
    ridge: 0.1,
  },

  check(config, complain) {
    if (checkUnique(config.series, 'series', complain)) checkForms(config, complain);
  },

  sense: () => 'minimize',

  async solve(config, context) {
    const { rows, leftOut, version } = await seriesOf(config, context);
    if (rows.length < 3)
      throw new Infeasible(
        `Only ${rows.length} of ${config.series.length} compounds have the scaffold; a fit needs 3.`,
        ['config.scaffold', 'config.series'],
      );
    const design = designOf(rows);
    const { columns } = design;
    if (columns.length > MOST_SUBSTITUENTS)
      throw new Infeasible(
        `The series has ${columns.length} different substituents; ${MOST_SUBSTITUENTS} are the most.`,
        ['config.series'],
      );
    const found = fit(rows, design, config.ridge, context);
    const { intercept, contributions, predicted } = found;
    const squares = rows.reduce((sum, { activity }, i) => sum + (activity - predicted[i]) ** 2, 0);
    const fitness = contributions.reduce((sum, own) => sum + config.ridge * own * own, squares);
    const sites = [...new Set(columns.map(({ site }) => site))];
    const groups = sites.map((site) => ({
      site,
      options: columns.flatMap((column, c) =>
        column.site === site ? [{ id: column.name, d_activity: contributions[c], compounds: column.rows.length }] : [],
      ),
    }));
    const best = groups.map(({ options }) => options.reduce((a, b) => (b.d_activity > a.d_activity ? b : a)));
    const isMade = rows.some((row) => sites.every((site, s) => row.groups[site] === best[s].id));
    const training = determination(rows, predicted);
    return {
      method: 'least_squares',
      reason: 'the sum of squares has one least value, and linear equations give it',
      bestSolution: [intercept, ...contributions],
      bestFitness: fitness,
      decisionVariables: ['activity of the core', ...columns.map(({ site, name }) => `${name} at ${site}`)],
      result: {
        core: { activity: intercept },
        r_groups: groups,
        training_r2: training,
        leave_one_out_r2: found.leftOut === null ? null : determination(rows, found.leftOut),
        root_mean_square_error: Math.sqrt(squares / rows.length),
        compounds_used: rows.length,
        compounds_left_out: leftOut.slice(0, MOST_SHOWN).map((one) => one.id),
        best: {
          substituents: Object.fromEntries(sites.map((site, s) => [site, best[s].id])),
          predicted_activity: best.reduce((sum, { d_activity }) => sum + d_activity, intercept),
          is_in_series: isMade,
        },
        predictions: rows.slice(0, MOST_SHOWN).map((row, i) => ({
          id: row.id,
          activity: row.activity,
          predicted: predicted[i],
          ...(found.leftOut === null ? {} : { predicted_without_it: found.leftOut[i] }),
        })),
      },
      optimality: { status: 'optimal', bound: fitness, proof: 'convex_kkt' },
      evaluations: 1,
      library: version === null ? undefined : `RDKit ${version}`,
      warnings: [
        DECISION_SUPPORT,
        ...(leftOut.length === 0
          ? []
          : [
              {
                code: 'not_in_series',
                field: `config.series[${leftOut[0].i}].smiles`,
                message: `${leftOut.length} of ${config.series.length} compounds cannot be read or do not have the scaffold with these attachment points only; they are left out.`,
              },
            ]),
      ],
      assumptions: assumptionsOf(config, design),
      detail: { rows, design } satisfies Detail,
    };
  },

  verify({ ridge }, { bestSolution, bestFitness, detail }) {
    const { rows, design } = detail as Detail;
    const [intercept, ...contributions] = bestSolution;
    const at = new Map(design.columns.map(({ site, name }, c) => [JSON.stringify([site, name]), contributions[c]]));
    const residuals = rows.map(({ activity, groups }) => {
      const parts = Object.entries(groups).map((entry) => at.get(JSON.stringify(entry)) ?? NaN);
      return activity - intercept - parts.reduce((a, b) => a + b, 0);
    });
    const size = rows.reduce((most, { activity }) => Math.max(most, Math.abs(activity)), 1) * rows.length;
    // Where the sum of squares is least, its slope in every direction is 0.
    if (!(Math.abs(residuals.reduce((a, b) => a + b, 0)) <= 1e-8 * size)) return 'the residuals do not add up to 0';
    for (const [c, column] of design.columns.entries()) {
      const slope = column.rows.reduce((sum, i) => sum + residuals[i], 0) - ridge * contributions[c];
      if (!(Math.abs(slope) <= 1e-8 * size)) return `the slope for ${column.name} at ${column.site} is ${slope}`;
    }
    const squares = residuals.reduce((sum, own) => sum + own * own, 0);
    const penalty = ridge * contributions.reduce((sum, own) => sum + own * own, 0);
    return Math.abs(squares + penalty - bestFitness) <= 1e-8 * (1 + size)
      ? null
      : `the squares add up to ${squares + penalty}`;
  },

  explain({ ridge }, { result, detail }) {
    const { rows, design } = detail as Detail;
    const training = result['training_r2'] as number | null;
    const leftOut = result['leave_one_out_r2'] as number | null;
    const best = result['best'] as {
      readonly substituents: Record<string, string>;
      readonly predicted_activity: number;
      readonly is_in_series: boolean;
    };
    const counts = { compounds: rows.length, substituents: design.columns.length };
    const names = Object.entries(best.substituents)
      .slice(0, 6)
      .map(([site, name]) => `${quote(name)} at ${quote(site)}`)
      .join(', ');
    const statements: Statement[] = [
      training === null
        ? say(
            1,
            'result',
            'All {compounds} compounds have the same activity, so no substituent of {substituents} does anything.',
            counts,
          )
        : say(
            1,
            'result',
            '{substituents:substituent explains|substituents explain} a share of {r2} of the variance of {compounds:activity|activities}.',
            {
              ...counts,
              r2: training,
            },
          ),
      say(
        1,
        'result',
        `The best contributions add up to an activity of {predicted} (${names}); that compound is ${best.is_in_series ? 'in the series' : 'not in the series yet'}.`,
        { predicted: best.predicted_activity },
      ),
      ridge > 0
        ? say(
            2,
            'choice',
            'Contributions are drawn towards 0 by a penalty of {ridge}: one measurement alone says little.',
            { ridge },
          )
        : say(2, 'choice', 'Plain least squares: a substituent that occurs once explains its compound entirely.', {}),
    ];
    const once = design.columns.filter((column) => column.rows.length === 1).length;
    if (once > 0)
      statements.push(
        say(3, 'constraint', '{once:substituent occurs|substituents occur} in one compound only.', { once }),
      );
    if (leftOut !== null) {
      // The caution belongs to whatever praises the fit.
      const meaning =
        leftOut > 0
          ? 'new compounds can hope for as much'
          : 'worse than by the mean of all, so that the fit says nothing of new compounds';
      statements.push(
        say(2, 'sensitivity', `Predicting each compound from all others gives an R² of {r2}: ${meaning}.`, {
          r2: leftOut,
        }),
      );
    } else if (training !== null) {
      const text =
        'How well the contributions predict new compounds cannot be told: of some substituents there is no second compound to test them on.';
      statements.push(say(2, 'sensitivity', text, {}));
    }
    return statements;
  },

  pictures: {
    predicted_and_measured: (_config, { result }) => {
      const all = result['predictions'] as unknown as readonly {
        readonly activity: number;
        readonly predicted: number;
      }[];
      const values = all.flatMap((one) => [one.activity, one.predicted]);
      return lineChart({
        title: 'Activities as measured and as the substituents add up',
        xName: 'measured activity',
        yName: 'fitted activity',
        series: [
          {
            name: 'compounds',
            points: all.map((one) => [one.activity, one.predicted] as const),
            isScatter: true,
          },
          { name: 'equal', points: [Math.min(...values), Math.max(...values)].map((at) => [at, at]), isDashed: true },
        ],
      });
    },
    contributions: (_config, { result }) => {
      const groups = result['r_groups'] as unknown as readonly {
        readonly site: string;
        readonly options: readonly { readonly id: string; readonly d_activity: number }[];
      }[];
      const all = groups.flatMap(({ site, options }) =>
        options.map((one) => ({ name: `${site}: ${one.id}`, own: one.d_activity })),
      );
      // The strongest either way.
      const shown = all.sort((a, b) => b.own - a.own);
      const ends = shown.length <= 20 ? shown : [...shown.slice(0, 10), ...shown.slice(-10)];
      return barChart({
        title:
          shown.length <= 20 ? 'What substituents do for the activity' : 'The ten best and the ten worst substituents',
        xName: 'change of activity',
        names: ends.map(({ name }) => name),
        series: [{ name: 'change', values: ends.map(({ own }) => own) }],
      });
    },
  },
});

interface Detail {
  readonly rows: readonly Row[];
  readonly design: Design;
}

function assumptionsOf({ ridge, scaffold }: Config, { columns }: Design): Remark[] {
  const remarks: Remark[] = [
    {
      code: 'additive_contributions',
      field: 'config.series',
      message: 'Contributions of the sites add up: what a substituent does at one site does not depend on the others.',
    },
  ];
  if (ridge === 1)
    remarks.push({
      code: 'default_assumed',
      field: 'config.ridge',
      message: 'The penalty on the squares of contributions is 1.',
    });
  if (ridge === 0 && columns.some((column) => column.rows.length === 1))
    remarks.push({
      code: 'told_apart',
      field: 'config.ridge',
      message: 'Where the series cannot tell contributions apart, the later ones are 0.',
    });
  if (scaffold !== undefined)
    remarks.push({
      code: 'structures_as_written',
      field: 'config.series',
      message: 'R-groups are those of the structures as they are written: no salts are stripped, no charges changed.',
    });
  return remarks;
}
