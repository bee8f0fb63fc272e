/**
 * Which action in which state of a disease: a Markov decision process.
 * Sources: Puterman, Markov Decision Processes (1994), chapters 4 and 6; Alagoz et al. 2004 (when to transplant).
 */
import { z } from 'zod';
import { luFactor, luSolve } from '../../../linalg/lu.js';
import { say } from '../../../explanation/say.js';
import { barChart } from '../../charts/bar-chart.js';
import { count, list, matrix, openShare } from '../../fields.js';
import { model, type SolveContext } from '../../problem-type.js';
import { DECISION_SUPPORT } from '../decision-support.js';

export const MOST_STATES = 300;
export const MOST_ACTIONS = 50;
/** Rows of a picture. */
const MOST_DRAWN = 60;
const MOST_ENTRIES = 1_000_000;
const LONGEST_HORIZON = 1_000;
/** Rows of probabilities may miss 1 by so much. */
const ROW_TOLERANCE = 1e-6;
/** Values closer than this, relative to the largest, are equal: an action is not changed for less. */
const TIE = 1e-12;
const MOST_IMPROVEMENTS = 1_000;
/** Multiplications within which a horizon is checked whole: a quarter of a second or less. */
const CHECKED_WHOLE = 5e7;
/** Periods of a longer one in which every action is tried again, beside the first and the last one. */
const PERIODS_TRIED = 8;

interface Config {
  readonly states: readonly string[];
  readonly actions: readonly string[];
  readonly transition: readonly (readonly (readonly number[])[])[];
  readonly reward: readonly (readonly number[])[];
  readonly discount?: number | undefined;
  readonly horizon?: number | undefined;
}

const discountOf = ({ discount, horizon }: Config): number => discount ?? (horizon === undefined ? 0.97 : 1);

/** Value of each action [action][state] where `next` is what comes after. */
function actionValues(config: Config, next: ArrayLike<number>): number[][] {
  const discount = discountOf(config);
  return config.transition.map((rows, a) =>
    rows.map((row, s) => {
      let sum = 0;
      for (let to = 0; to < row.length; to++) sum += row[to] * next[to];
      return config.reward[a][s] + discount * sum;
    }),
  );
}

/** The action with the most value, the present one where none is better. */
function improve(values: readonly (readonly number[])[], present: readonly number[]): number[] {
  return present.map((own, s) => {
    let best = own;
    const worth = TIE * Math.max(1, ...values.map((row) => Math.abs(row[s])));
    for (const [a, row] of values.entries()) if (row[s] > values[best][s] + worth) best = a;
    return best;
  });
}

/** (I - discount P) v = r for the actions of a policy. */
function valueOf(config: Config, policy: readonly number[]): Float64Array {
  const n = policy.length;
  const system = new Float64Array(n * n);
  const rewards = new Float64Array(n);
  const discount = discountOf(config);
  for (const [s, a] of policy.entries()) {
    const row = config.transition[a][s];
    for (let to = 0; to < n; to++) system[s * n + to] = (s === to ? 1 : 0) - discount * row[to];
    rewards[s] = config.reward[a][s]!;
  }
  const order = new Int32Array(n);
  if (!luFactor(system, order, n)) throw new Error('the values of a policy have no solution');
  return luSolve(system, order, rewards, n);
}

interface Solved {
  /** By period; one for ever where there is no horizon. */
  readonly policies: readonly (readonly number[])[];
  readonly values: readonly number[];
  readonly next: ArrayLike<number>;
  readonly iterations: number;
  /** False: the time was up, and the policy is only the best one so far. */
  readonly isBest: boolean;
}

/** Value of each state where the given actions are taken now and `next` is what comes after. */
function valueUnder(config: Config, policy: readonly number[], next: ArrayLike<number>): number[] {
  const discount = discountOf(config);
  return policy.map((a, s) => {
    const row = config.transition[a][s];
    let sum = 0;
    for (let to = 0; to < row.length; to++) sum += row[to] * next[to];
    return config.reward[a][s] + discount * sum;
  });
}

/** For `verify`: the actions of all periods. */
interface Detail {
  readonly policies: readonly (readonly number[])[];
}

/** Backward induction. Once the time is up, the earlier periods do what the first one that was worked out does. */
function overHorizon(config: Config, horizon: number, context: SolveContext): Solved {
  const policies: number[][] = [];
  let values: number[] = config.states.map(() => 0);
  let next = values;
  let isBest = true;
  for (let period = horizon; period >= 1; period--) {
    const [first] = policies;
    if (first === undefined) context.look();
    else isBest &&= !context.isOver();
    next = values;
    if (first !== undefined && !isBest) {
      values = valueUnder(config, first, next);
      policies.unshift(first);
      continue;
    }
    const all = actionValues(config, next);
    const policy = improve(
      all,
      config.states.map(() => 0),
    );
    values = policy.map((a, s) => all[a][s]);
    policies.unshift(policy);
  }
  return { policies, values, next, iterations: horizon, isBest };
}

/** Howard's form of value iteration: each policy is valued exactly, so it ends with the best one. */
function forEver(config: Config, context: SolveContext): Solved {
  let policy: number[] = config.states.map(() => 0);
  for (let iterations = 1; ; iterations++) {
    if (iterations === 1) context.look();
    const values = valueOf(config, policy);
    const better = improve(actionValues(config, values), policy);
    const isBest = better.every((a, s) => a === policy[s]);
    if (isBest || iterations >= MOST_IMPROVEMENTS || context.isOver()) {
      return { policies: [policy], values: [...values], next: values, iterations, isBest };
    }
    policy = better;
  }
}

const named = <T extends string | number>(names: readonly string[], values: readonly T[]): Record<string, T> =>
  Object.fromEntries(names.map((name, i) => [name, values[i]]));

const name = z.string().min(1).max(200);

export const treatmentPolicy = model({
  name: 'treatment_policy',
  summary: 'The best action in each state of a disease (Markov decision process).',
  fields: z.strictObject({
    states: list(name, 'Names of the states', MOST_STATES),
    actions: list(name, 'Names of the actions', MOST_ACTIONS),
    transition: list(
      matrix(
        'From state (row) to state (column)',
        { most: MOST_STATES },
        { most: MOST_STATES, minimum: 0, maximum: 1 },
      ),
      'Probabilities [action][state][next state]; rows add up to 1',
      MOST_ACTIONS,
    ),
    reward: matrix(
      'Reward [action][state] of one period, such as its quality-adjusted length',
      { most: MOST_ACTIONS },
      { most: MOST_STATES, minimum: -1e9, maximum: 1e9 },
    ),
    discount: openShare('What a reward of the next period is worth now. Absent: 0.97; 1 with a horizon').optional(),
    horizon: count('Periods. Absent: for ever', 1, LONGEST_HORIZON).optional(),
  }),
  example: {
    model: 'treatment_policy',
    states: ['mild', 'severe', 'dead'],
    actions: ['wait', 'operate'],
    transition: [
      [
        [0.8, 0.15, 0.05],
        [0, 0.7, 0.3],
        [0, 0, 1],
      ],
      [
        [0.9, 0, 0.1],
        [0.75, 0.1, 0.15],
        [0, 0, 1],
      ],
    ],
    reward: [
      [0.95, 0.5, 0],
      [0.8, 0.4, 0],
    ],
    discount: 0.97,
  },

  check({ states, actions, transition, reward }, complain) {
    for (const [field, names] of Object.entries({ states, actions })) {
      const twice = names.findIndex((own, i) => names.indexOf(own) !== i);
      if (twice >= 0) return complain([field, twice], `\`{field}\`: "${names[twice]}" is there twice.`);
      const reserved = names.indexOf('__proto__');
      if (reserved >= 0) return complain([field, reserved], '`{field}` must be another name.');
    }
    if (actions.length * states.length ** 2 > MOST_ENTRIES) {
      return complain(['transition'], `\`{field}\` may have ${MOST_ENTRIES} probabilities: fewer states or actions.`);
    }
    if (transition.length !== actions.length) {
      return complain(
        ['transition'],
        `\`{field}\` must have one matrix for each of the ${actions.length} actions, not ${transition.length}.`,
      );
    }
    for (const [a, rows] of transition.entries()) {
      if (rows.length !== states.length)
        return complain(
          ['transition', a],
          `\`{field}\` must have ${states.length} rows, one for each state, not ${rows.length}.`,
        );
      for (const [s, row] of rows.entries()) {
        if (row.length !== states.length)
          return complain(['transition', a, s], `\`{field}\` must have ${states.length} numbers, not ${row.length}.`);
        const sum = row.reduce((all, p) => all + p, 0);
        if (Math.abs(sum - 1) > ROW_TOLERANCE) {
          return complain(
            ['transition', a, s],
            `\`{field}\` must add up to 1, not ${Number(sum.toPrecision(9))}: from each state one comes to some state.`,
          );
        }
      }
    }
    if (reward.length !== actions.length)
      return complain(
        ['reward'],
        `\`{field}\` must have ${actions.length} rows, one for each action, not ${reward.length}.`,
      );
    if (reward[0]?.length !== states.length)
      complain(['reward', 0], `\`{field}\` must have ${states.length} numbers, one for each state.`);
  },

  sense: () => 'maximize',

  solve(config, context) {
    const { states, actions, horizon } = config;
    const solved = horizon === undefined ? forEver(config, context) : overHorizon(config, horizon, context);
    const { policies, values, next, iterations, isBest } = solved;
    const [policy = []] = policies;
    const all = actionValues(config, next);
    const names = policy.map((a) => actions[a]);
    const ties = states.filter((_, s) =>
      all.some((row, a) => a !== policy[s] && row[s] >= values[s] - 1e-9 * Math.max(1, Math.abs(values[s]))),
    );
    return {
      method: horizon === undefined ? 'value_iteration' : 'dynamic_programming',
      reason:
        horizon === undefined
          ? 'values of policies are linear equations, and each improvement leads to a better policy until none is left'
          : 'the best action of a period follows from the values of the next',
      bestSolution: policy,
      bestFitness: values[0],
      decisionVariables: states.map((state) => `action[${state}]`),
      result: {
        policy: named(states, names),
        value: named(states, values),
        action_values: Object.fromEntries(actions.map((action, a) => [action, named(states, all[a])])),
        ...(horizon === undefined || horizon * states.length > 20_000
          ? {}
          : {
              policy_by_period: policies.map((one) =>
                named(
                  states,
                  one.map((a) => actions[a]),
                ),
              ),
            }),
        states_with_equal_actions: ties,
      },
      optimality: isBest
        ? { status: 'optimal', bound: values[0], proof: 'dynamic_programming' }
        : { status: 'heuristic', bound: null, proof: null },
      detail: { policies } satisfies Detail,
      evaluations: 1,
      iterations,
      warnings: [DECISION_SUPPORT],
      assumptions: [
        ...(config.discount === undefined
          ? [
              {
                code: 'default_assumed',
                field: 'config.discount',
                message: `A reward of the next period is worth ${discountOf(config)} of one now.`,
              },
            ]
          : []),
        ...(ties.length === 0
          ? []
          : [{ code: 'equal_actions', message: `In ${ties.slice(0, 10).join(', ')} other actions are as good.` }]),
      ],
    };
  },

  /**
   * The actions are worth what is said, and no other is worth more. Over a horizon the actions of all periods are
   * followed backwards. All others are tried in each period too, or, where that takes as long as solving, in some.
   */
  verify(config, { bestSolution: policy, result, bestFitness, optimality, detail }) {
    const values = config.states.map((state) => (result['value'] as Record<string, number>)[state]);
    if (values[0] !== bestFitness) return 'the value of the first state differs';
    const size = Math.max(1, ...values.map(Math.abs));
    const isProven = optimality.proof !== null;
    const complaint = (actions: readonly number[], now: readonly number[], next: ArrayLike<number>): string | null => {
      const all = actionValues(config, next);
      const off = now.findIndex((value, s) => {
        const best = Math.max(...all.map((row) => row[s]));
        const own = all[actions[s]][s];
        return !(Math.abs(own - value) <= 1e-8 * size && (!isProven || best - value <= 1e-8 * size));
      });
      return off < 0 ? null : `Bellman's equation does not hold in "${config.states[off]}"`;
    };
    const { horizon } = config;
    if (horizon === undefined) return complaint(policy, values, values);
    const { policies } = detail as Detail;
    if (policies.length !== horizon || policies[0].some((a, s) => a !== policy[s])) return 'the actions differ';
    const isWhole = horizon * config.actions.length * config.states.length ** 2 <= CHECKED_WHOLE;
    const every = isWhole ? 1 : Math.max(1, Math.floor(horizon / PERIODS_TRIED));
    let next = config.states.map(() => 0);
    for (let period = horizon; period >= 1; period--) {
      const actions = policies[period - 1];
      const now = valueUnder(config, actions, next);
      if (period === 1 || (isProven && (period === horizon || period % every === 0))) {
        const found = complaint(actions, period === 1 ? values : now, next);
        if (found !== null) return found;
      }
      next = now;
    }
    return null;
  },

  explain({ states, actions, horizon }, { bestSolution: policy, bestFitness, result }) {
    const values = result['action_values'] as Record<string, Record<string, number>>;
    const shown = states.slice(0, 10).map((state, s) => `${clean(actions[policy[s]])} in "${clean(state)}"`);
    const rest = states.length > 10 ? ', and so on' : '';
    const margin = states.map((state, s) => {
      const own = values[actions[policy[s]]][state];
      const others = actions.filter((_, a) => a !== policy[s]).map((action) => values[action][state]);
      return others.length === 0 ? Infinity : own - Math.max(...others);
    });
    const closest = margin.indexOf(Math.min(...margin));
    return [
      say(
        1,
        'result',
        `${horizon === undefined ? 'Best' : 'Best in the first period'}: ${shown.join(', ')}${rest}.`,
        {},
      ),
      say(1, 'result', `From "${clean(states[0])}" on that is worth {value}.`, { value: bestFitness }),
      say(2, 'choice', 'Every action was compared in every state by its reward and the value of what follows.', {}),
      ...(Number.isFinite(margin[closest])
        ? [
            say(
              4,
              'sensitivity',
              `The decision is closest in "${clean(states[closest])}": the second-best action is worth {margin} less.`,
              {
                margin: Math.max(0, margin[closest]),
              },
            ),
          ]
        : []),
    ];
  },

  pictures: {
    action_values: ({ states, actions }, { result }) => {
      const values = result['action_values'] as Record<string, Record<string, number>>;
      const drawn = states.slice(0, MOST_DRAWN);
      return barChart({
        title: `Value of each action in ${drawn.length < states.length ? `the first ${MOST_DRAWN} states` : 'each state'}`,
        xName: 'value',
        names: drawn,
        series: actions.slice(0, 7).map((action) => ({
          name: action,
          values: drawn.map((state) => values[action][state]),
        })),
      });
    },
  },
});

/** Names go into sentences, never into templates. */
const clean = (text: string): string => text.replaceAll(/[{}]/g, '');
