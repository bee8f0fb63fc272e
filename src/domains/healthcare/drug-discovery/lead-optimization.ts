/**
 * Which substituent to put at each site of a core, when contributions add up (Free and Wilson 1964): the best of the
 * whole library, within limits of its properties.
 */
import { z } from 'zod';
import { exp, log } from '../../../common/float.js';
import { quote, say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { ConstraintState, JsonObject, Remark } from '../../../model/problem.js';
import { barChart } from '../../charts/bar-chart.js';
import { lineChart, type Point } from '../../charts/line-chart.js';
import { checkUnique, id, list, number, withIds, type Complain } from '../../fields.js';
import { Infeasible, model, type Solution, type SolveContext } from '../../problem-type.js';
import { DECISION_SUPPORT } from '../decision-support.js';
import { bestRangeOf, checkShapes, desirabilityOf, LEAD_MPO, shapes, type Shape } from './desirability.js';
import {
  branchAndBound,
  conflictOf,
  enumerate,
  propertiesOf,
  sizeOf,
  type Leader,
  type Library,
  type Limit,
  type Objective,
} from './lead-search.js';
import { geometricMean } from './qed.js';
import { checkRanges, isWithin, type Range } from './ranges.js';

export const MOST_SITES = 30;
export const MOST_OPTIONS = 1_000;
/** Limit at which options with all their properties fit into the body of a request. */
export const MOST_OPTIONS_IN_ALL = 1_600;
/** Libraries up to this size are enumerated. */
const MOST_ENUMERATED = 1e7;
const MOST_LEADERS = 10;
const MOST_SHOWN = 500;

const PROPERTIES = ['activity', 'mw', 'alogp', 'psa', 'hbd'] as const;
type Property = (typeof PROPERTIES)[number];
/** Every core has it, first. */
const ACTIVITY = 0;
const MOST_VALUE = 1e6;

const value = (description: string) => number(description).min(-MOST_VALUE).max(MOST_VALUE);
const range = z.strictObject({ min: value('At least').optional(), max: value('At most').optional() });

const option = z.strictObject({
  id: id.optional(),
  d_activity: value('Change of the activity, such as of pIC50'),
  d_mw: value('Change of the molecular weight in g/mol').optional(),
  d_alogp: value('Change of the partition coefficient, log10').optional(),
  d_psa: value('Change of the polar surface area in square angstroms').optional(),
  d_hbd: value('Change of the number of hydrogen bond donors').optional(),
});

const fields = z.strictObject({
  core: z
    .strictObject({
      activity: value('Activity without substituents, such as pIC50'),
      mw: value('Molecular weight in g/mol').optional(),
      alogp: value('Octanol-water partition coefficient, log10').optional(),
      psa: value('Polar surface area in square angstroms').optional(),
      hbd: value('Hydrogen bond donors').optional(),
    })
    .describe('Activity and properties of the core, to which the substituents add'),
  r_groups: list(
    z.strictObject({
      site: z.string().min(1).max(200).optional().describe('Name of the site. Absent: its place, from "1"'),
      options: list(option, 'Substituents for the site, one of which is taken', MOST_OPTIONS),
    }),
    'Sites of the core',
    MOST_SITES,
  ),
  objective: z
    .enum(['activity', 'lipophilic_efficiency', 'mpo'])
    .default('activity')
    .describe(
      'activity; lipophilic_efficiency: activity minus alogp; mpo: `desirability` or, without it, the CNS MPO terms of alogp, mw, psa and hbd',
    ),
  desirability: shapes.optional().describe('What is wanted of each property, for the objective mpo'),
  constraints: z
    .strictObject(
      Object.fromEntries(PROPERTIES.map((name) => [name, range.optional()])) as Record<
        Property,
        z.ZodOptional<typeof range>
      >,
    )
    .default({})
    .describe('Limits of the properties, as {property: {min, max}}'),
});

type Config = z.output<typeof fields>;

const sitesOf = ({
  r_groups,
}: Config): { readonly site: string; readonly options: ReturnType<typeof withIds<z.output<typeof option>>> }[] =>
  r_groups.map(({ site, options }, i) => ({ site: site ?? String(i + 1), options: withIds(options) }));

/** Properties that the core has. */
const knownProperties = ({ core }: Config): Property[] => PROPERTIES.filter((name) => core[name] !== undefined);

/** The wanted shape of each property. Null: the objective is a sum of properties. */
const wantedOf = ({ objective, desirability }: Config): Readonly<Record<string, Shape>> | null =>
  objective === 'mpo' ? (desirability ?? LEAD_MPO) : null;

/** Properties that objective and limits need, by what needs them. */
function neededBy(config: Config): Map<Property, string> {
  const { objective, constraints } = config;
  return new Map([
    ...PROPERTIES.filter((name) => constraints[name] !== undefined).map((name) => [name, '`constraints`'] as const),
    ...(objective === 'lipophilic_efficiency' ? [['alogp', 'the objective'] as const] : []),
    ...(Object.keys(wantedOf(config) ?? {}) as Property[]).map((name) => [name, 'the objective'] as const),
  ]);
}

function checkProperties(config: Config, complain: Complain): boolean {
  const { core, r_groups } = config;
  for (const [name, by] of neededBy(config)) {
    if (core[name] !== undefined) continue;
    complain(['core', name], `\`{field}\` is required: ${by} needs it.`);
    return false;
  }
  for (const name of knownProperties(config)) {
    for (const [s, { options }] of r_groups.entries()) {
      const missing = options.findIndex((one) => one[`d_${name}`] === undefined);
      if (missing < 0) continue;
      complain(
        ['r_groups', s, 'options', missing, `d_${name}`],
        `\`{field}\` is required, because \`core\` has \`${name}\`.`,
      );
      return false;
    }
  }
  return true;
}

const libraryOf = (config: Config): Library => {
  const known = knownProperties(config);
  return {
    core: known.map((name) => config.core[name] ?? 0),
    changes: config.r_groups.map(({ options }) => options.map((one) => known.map((name) => one[`d_${name}`] ?? 0))),
  };
};

const limitsOf = (config: Config): Limit[] => {
  const known = knownProperties(config);
  return Object.entries(config.constraints).flatMap(([name, limits]) =>
    limits === undefined ? [] : [{ property: known.indexOf(name as Property), ...limits }],
  );
};

function objectiveOf(config: Config): Objective {
  const known = knownProperties(config);
  const { objective, desirability } = config;
  const wanted = wantedOf(config);
  if (wanted === null) {
    const weights = known.map((name) => {
      if (name === 'activity') return 1;
      return name === 'alogp' && objective === 'lipophilic_efficiency' ? -1 : 0;
    });
    const alogp = known.indexOf('alogp');
    const isEfficiency = objective === 'lipophilic_efficiency';
    return {
      weights,
      valueOf: (sum) => (isEfficiency ? sum[ACTIVITY] - sum[alogp] : sum[ACTIVITY]),
      boundOf: (low, high) => (isEfficiency ? high[ACTIVITY] - low[alogp] : high[ACTIVITY]),
    };
  }
  const terms = Object.entries(wanted)
    .filter(([, { weight }]) => weight > 0)
    .map(([name, shape]) => ({ p: known.indexOf(name as Property), shape, best: bestRangeOf(shape) }));
  const weights = terms.reduce((sum, { shape }) => sum + shape.weight, 0);
  const isSum = desirability === undefined;
  const combined = (at: (p: number, best: readonly [number, number]) => number): number => {
    let sum = 0;
    for (const { p, shape, best } of terms) {
      const d = desirabilityOf(shape, at(p, best));
      sum += isSum ? d : shape.weight * log(d);
    }
    return isSum ? sum : exp(sum / weights);
  };
  return {
    weights: null,
    valueOf: (sum) => combined((p) => sum[p]),
    // As near to the best range as the property can come.
    boundOf: (low, high) =>
      combined((p, [from, to]) => {
        if (high[p] < from) return high[p];
        return low[p] > to ? low[p] : Math.max(low[p], from);
      }),
  };
}

/** Sums of the core and the options, by property. */
const namedSums = (config: Config, sums: readonly number[]): Record<string, number> =>
  Object.fromEntries(knownProperties(config).map((name, p) => [name, sums[p]]));

function statesOf(config: Config, sums: readonly number[]): ConstraintState[] {
  const named = namedSums(config, sums);
  return Object.entries(config.constraints).flatMap(([name, limits]) => {
    if (limits === undefined) return [];
    const own = named[name];
    const side = (limit: number, slack: number, which: string): ConstraintState => ({
      name: `${which} ${name}`,
      value: own,
      limit,
      slack,
      binding: slack <= 1e-9 * (1 + Math.abs(limit)),
    });
    const { min, max } = limits;
    return [
      ...(min === undefined ? [] : [side(min, own - min, 'least')]),
      ...(max === undefined ? [] : [side(max, max - own, 'largest')]),
    ];
  });
}

function noneWithin(config: Config, library: Library, limits: readonly Limit[], context: SolveContext): Infeasible {
  const known = knownProperties(config);
  const names = conflictOf(library, limits, context).map(({ property }) => known[property]);
  const message =
    names.length === 1
      ? `No combination of the substituents keeps the limits of ${names[0]}.`
      : `No combination of the substituents keeps the limits of ${names.join(' and ')} at once.`;
  return new Infeasible(message, names);
}

const OBJECTIVE_NAMES: Readonly<Record<Config['objective'], string>> = {
  activity: 'activity',
  lipophilic_efficiency: 'lipophilic efficiency',
  mpo: 'desirability',
};

/** As many compounds have their substituents beside their point. */
const MOST_NAMED = 20;

interface Compromise {
  readonly substituents: readonly string[];
  readonly activity: number;
  readonly alogp: number;
}

const namesOfChosen = (result: JsonObject): string =>
  Object.values(result['best'] as Record<string, string>).join(', ');

interface Detail {
  /** Null: it has no such simple bound. */
  readonly withoutLimits: number | null;
}

export const leadOptimization = model({
  name: 'lead_optimization',
  summary:
    'Which substituent to put at each site of a core, when contributions add up, within limits of the properties.',
  fields,
  example: {
    model: 'lead_optimization',
    core: { activity: 6, mw: 240, alogp: 1.2, psa: 48, hbd: 1 },
    r_groups: [
      {
        site: 'R1',
        options: [
          { id: 'H', d_activity: 0, d_mw: 0, d_alogp: 0, d_psa: 0, d_hbd: 0 },
          { id: 'methyl', d_activity: 0.3, d_mw: 14, d_alogp: 0.5, d_psa: 0, d_hbd: 0 },
          { id: 'phenyl', d_activity: 0.9, d_mw: 76.1, d_alogp: 1.9, d_psa: 0, d_hbd: 0 },
        ],
      },
      {
        site: 'R2',
        options: [
          { id: 'H', d_activity: 0, d_mw: 0, d_alogp: 0, d_psa: 0, d_hbd: 0 },
          { id: 'hydroxyl', d_activity: 0.4, d_mw: 16, d_alogp: -0.7, d_psa: 20.2, d_hbd: 1 },
          { id: 'trifluoromethyl', d_activity: 0.7, d_mw: 68, d_alogp: 0.9, d_psa: 0, d_hbd: 0 },
        ],
      },
    ],
    objective: 'activity',
    constraints: { mw: { max: 450 }, alogp: { max: 3.5 } },
  },

  check(config, complain) {
    const { r_groups, objective, desirability, constraints } = config;
    const names = sitesOf(config).map(({ site }) => ({ id: site }));
    const twice = names.findIndex(({ id: site }, i) => names.findIndex((other) => other.id === site) < i);
    if (twice >= 0) return complain(['r_groups', twice, 'site'], '`{field}` is the name of an earlier site.');
    for (const [s, { options }] of r_groups.entries()) {
      const isUnique = checkUnique(options, 'options', (path, message) => complain(['r_groups', s, ...path], message));
      if (!isUnique) return;
    }
    if (r_groups.reduce((sum, { options }) => sum + options.length, 0) > MOST_OPTIONS_IN_ALL)
      return complain(['r_groups'], `\`{field}\` can have ${MOST_OPTIONS_IN_ALL} options in all.`);
    if (objective !== 'mpo' && desirability !== undefined)
      return complain(['desirability'], `\`{field}\` has no meaning where \`objective\` is "${objective}".`);
    if (desirability !== undefined) {
      const unknown = Object.keys(desirability).find((name) => !(PROPERTIES as readonly string[]).includes(name));
      if (unknown !== undefined)
        return complain(['desirability', unknown], `\`{field}\` is none of the properties ${PROPERTIES.join(', ')}.`);
      if (!checkShapes(desirability, complain)) return;
    }
    const given = Object.entries(constraints).filter((entry): entry is [string, Range] => entry[1] !== undefined);
    if (!checkRanges(Object.fromEntries(given), ['constraints'], complain)) return;
    checkProperties(config, complain);
  },

  sense: () => 'maximize',

  async solve(config, context) {
    const [library, limits, objective] = [libraryOf(config), limitsOf(config), objectiveOf(config)];
    const size = sizeOf(library);
    const known = knownProperties(config);
    const sites = sitesOf(config);
    const namesOf = (choice: readonly number[]): string[] => choice.map((o, s) => sites[s].options[o].id);
    const pointOf = ({ choice, value: own }: Leader): JsonObject => ({
      substituents: namesOf(choice),
      objective: own,
      properties: namedSums(config, propertiesOf(library, choice)),
    });
    const answerOf = (
      best: Leader,
      more: JsonObject,
    ): Omit<Solution, 'method' | 'reason' | 'optimality' | 'evaluations'> => {
      const sums = propertiesOf(library, best.choice);
      return {
        bestSolution: best.choice,
        bestFitness: best.value,
        decisionVariables: sites.map(({ site }) => `index of the option at ${site}`),
        result: {
          objective: best.value,
          substituents: namesOf(best.choice),
          best: Object.fromEntries(best.choice.map((o, s) => [sites[s].site, sites[s].options[o].id])),
          properties: namedSums(config, sums),
          library_size: size,
          ...more,
        },
        constraints: statesOf(config, sums),
        warnings: [DECISION_SUPPORT],
        assumptions: assumptionsOf(config),
        detail: { withoutLimits: freeBest(library, objective) } satisfies Detail,
      };
    };
    if (size <= MOST_ENUMERATED) {
      const trade = known.includes('alogp') ? ([ACTIVITY, known.indexOf('alogp')] as const) : null;
      const found = enumerate(library, limits, objective, { most: MOST_LEADERS, trade, context });
      const [best, ...others] = found.best;
      if (best === undefined) throw noneWithin(config, library, limits, context);
      return {
        ...answerOf(best, {
          feasible: found.feasible,
          pareto: found.front.slice(0, MOST_SHOWN).map(({ choice, more, less }) => ({
            substituents: namesOf(choice),
            activity: more,
            alogp: less,
          })),
        }),
        method: 'exhaustive_enumeration',
        reason: `the ${size} compounds of the library are few enough to be valued one by one`,
        optimality: { status: 'optimal', bound: best.value, proof: 'exhaustive' },
        evaluations: Math.min(Math.max(1, found.feasible), context.maxEvaluations),
        alternatives: others.map(pointOf),
      };
    }
    const { best, bound, isProven, nodes, leaves } = await branchAndBound(library, limits, objective, context);
    if (best === null) {
      context.look();
      throw noneWithin(config, library, limits, context);
    }
    return {
      ...answerOf(best, { feasible: null, pareto: null }),
      method: 'exhaustive_enumeration',
      reason: 'the library is too large to be valued one by one, and what each open site can add bounds the rest',
      optimality: isProven
        ? { status: 'optimal', bound: best.value, proof: 'branch_and_bound' }
        : { status: 'feasible', bound: Math.max(bound, best.value), proof: null },
      evaluations: Math.min(Math.max(1, leaves), context.maxEvaluations),
      nodes,
    };
  },

  verify(config, { bestSolution: choice, bestFitness, optimality }) {
    const { core, r_groups, constraints, objective, desirability } = config;
    const taken = r_groups.map(({ options }, s) => options[choice[s]]);
    if (taken.includes(undefined as never)) return 'an option is none';
    const sumOf = (name: Property, options = taken): number =>
      options.reduce((sum, one) => sum + (one[`d_${name}`] ?? 0), core[name] ?? 0);
    const valueOf = (options = taken): number => {
      if (objective === 'activity') return sumOf('activity', options);
      if (objective === 'lipophilic_efficiency') return sumOf('activity', options) - sumOf('alogp', options);
      const parts = Object.entries(desirability ?? LEAD_MPO).map(
        ([name, shape]) => [desirabilityOf(shape, sumOf(name as Property, options)), shape.weight] as const,
      );
      if (desirability === undefined) return parts.reduce((sum, [d]) => sum + d, 0);
      return geometricMean(parts.map(([d, weight]) => ({ desirability: d, weight })));
    };
    const isAllowed = (options = taken): boolean =>
      PROPERTIES.every((name) => isWithin(sumOf(name, options), constraints[name] ?? {}));
    if (!isAllowed()) return 'a limit is broken';
    const own = valueOf();
    if (!(Math.abs(own - bestFitness) <= 1e-9 * (1 + Math.abs(own)))) return `the objective is ${own}`;
    if (optimality.status !== 'optimal') return null;
    // A best compound is also the best of those that differ from it at one site.
    for (const [s, { options }] of r_groups.entries()) {
      for (const other of options) {
        const changed = taken.with(s, other);
        if (valueOf(changed) > own + 1e-9 * (1 + Math.abs(own)) && isAllowed(changed))
          return 'one change makes it better';
      }
    }
    return null;
  },

  explain(config, { result, bestFitness, optimality, alternatives = [], detail }) {
    const { best, feasible } = result as unknown as {
      readonly best: Record<string, string>;
      readonly feasible: number | null;
    };
    const { withoutLimits } = detail as Detail;
    const shown = Object.entries(best)
      .slice(0, 8)
      .map(([site, name]) => `${quote(name)} at ${quote(site)}`)
      .join(', ');
    const name = OBJECTIVE_NAMES[config.objective];
    const statements: Statement[] = [
      say(1, 'result', `Put ${shown}${Object.keys(best).length > 8 ? ' and so on' : ''}: the ${name} is {value}.`, {
        value: bestFitness,
      }),
      feasible === null
        ? say(
            2,
            'choice',
            'Of {size:compound|compounds} none is better; most were ruled out in groups, by what they can reach at most.',
            {
              size: Number(result['library_size']),
            },
          )
        : say(
            2,
            'choice',
            'All {size:compound|compounds} of the library were valued; {feasible:keeps|keep} the limits.',
            {
              size: Number(result['library_size']),
              feasible,
            },
          ),
    ];
    if (optimality.status !== 'optimal' && optimality.bound !== null) {
      statements[1] = say(2, 'choice', 'The time was up before the proof: no compound has more than {bound}.', {
        bound: optimality.bound,
      });
    }
    if (withoutLimits !== null && withoutLimits > bestFitness + 1e-9)
      statements.push(
        say(4, 'sensitivity', `Without any limits the ${name} could be {free}.`, { free: withoutLimits }),
      );
    const [second] = alternatives;
    if (second !== undefined) {
      const names = quote((second['substituents'] as string[]).slice(0, 8).join(', '));
      statements.push(
        say(5, 'alternatives', `The next best is ${names} with {value}.`, { value: Number(second['objective']) }),
      );
    }
    return statements;
  },

  pictures: {
    activity_and_lipophilicity: (_config, { result }) => {
      const front = result['pareto'] as unknown as readonly Compromise[] | null;
      const { activity, alogp } = result['properties'] as { readonly activity: number; readonly alogp?: number };
      if (front === null || front.length === 0 || alogp === undefined) return null;
      const compromises = front.toSorted((a, b) => a.alogp - b.alogp);
      const points = compromises.map((one): Point => [one.alogp, one.activity]);
      const isChosen = ([across, up]: Point): boolean => across === alogp && up === activity;
      return lineChart({
        title: 'Compounds than which none is both more active and less lipophilic',
        xName: 'lipophilicity (AlogP)',
        yName: 'activity (log10 units, such as pIC50)',
        series: [
          {
            name: 'compounds',
            points,
            names: compromises.map(({ substituents }, i) =>
              i >= MOST_NAMED || isChosen(points[i]) ? null : substituents.join(', '),
            ),
            isScatter: true,
          },
          { name: 'most activity up to a lipophilicity', points, isStepped: true, isDashed: true },
        ],
        marks: [{ at: [alogp, activity], name: `chosen: ${namesOfChosen(result)}` }],
      });
    },
    contributions: (config, { bestSolution }) => {
      const sites = sitesOf(config).slice(0, 20);
      const taken = sites.map(({ options }, s) => options[bestSolution[s]]);
      return barChart({
        title: 'What the chosen substituents add to the activity',
        xName: 'change of activity (log10 units)',
        names: sites.map(({ site }, s) => `${site}: ${taken[s].id}`),
        series: [{ name: 'change', values: taken.map(({ d_activity }) => d_activity) }],
      });
    },
  },
});

/** The best of the library without limits, where it is the sum of the best options. */
function freeBest({ core, changes }: Library, { weights }: Objective): number | null {
  if (weights === null) return null;
  const worth = (one: readonly number[]): number => one.reduce((sum, own, p) => sum + weights[p] * own, 0);
  return changes.reduce((sum, options) => sum + options.map(worth).reduce((a, b) => Math.max(a, b)), worth(core));
}

function assumptionsOf({ objective, desirability }: Config): Remark[] {
  const message =
    'Contributions of the sites add up: what a substituent does at one site does not depend on the others.';
  const remarks: Remark[] = [{ code: 'additive_contributions', field: 'config.r_groups', message }];
  if (objective === 'mpo' && desirability === undefined) {
    const terms =
      'The objective is the sum of the CNS MPO terms of alogp, mw, psa and hbd, up to 4; activity is no part of it.';
    remarks.push({ code: 'default_assumed', field: 'config.desirability', message: terms });
  }
  return remarks;
}
