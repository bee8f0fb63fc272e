/**
 * Layout: departments go to locations so that flow times distance is least (quadratic assignment).
 * Sources: Koopmans and Beckmann, Econometrica 25 (1957); QAPLIB (Burkard, Karisch and Rendl 1997).
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { matrixMap } from '../../charts/matrix-map.js';
import { matrix, numbers } from '../../fields.js';
import { model } from '../../problem-type.js';
import { costOf, meanCost, type QuadraticAssignment } from '../../solvers/assignment/quadratic-assignment.js';
import { solveQuadratic } from '../../solvers/assignment/solve-quadratic.js';
import { instanceField, readQaplib } from './instances.js';

export const MOST_FACILITIES = 200;
/** Larger pictures show nothing. */
const MOST_DRAWN = 80;

interface Config {
  readonly flow?: readonly (readonly number[])[] | undefined;
  readonly distance?: readonly (readonly number[])[] | undefined;
  readonly instance?: { readonly text: string } | undefined;
  readonly current?: readonly number[] | undefined;
}

function problemOf({ flow = [], distance = [], instance }: Config): QuadraticAssignment {
  if (instance !== undefined) {
    const read = readQaplib(instance.text, MOST_FACILITIES);
    if ('fault' in read) throw new Error(read.fault);
    return { ...read.content, linear: new Float64Array(read.content.n ** 2) };
  }
  const n = flow.length;
  return {
    n,
    flow: Float64Array.from(flow.flat()),
    distance: Float64Array.from(distance.flat()),
    linear: new Float64Array(n * n),
  };
}

const fromOne = (places: ArrayLike<number>): number[] => Array.from(places, (place) => place + 1);

/** Flow times distance of both directions, the heaviest first. */
function pairsOf({ n, flow, distance }: QuadraticAssignment, places: readonly number[]) {
  const pairs: { readonly i: number; readonly j: number; readonly cost: number }[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const [k, l] = [places[i], places[j]];
      const cost = flow[i * n + j] * distance[k * n + l] + flow[j * n + i] * distance[l * n + k];
      pairs.push({ i, j, cost });
    }
  }
  return pairs.sort((a, b) => b.cost - a.cost || a.i - b.i || a.j - b.j);
}

/** Exchanges of two departments, those that cost least first. */
function exchangesOf(problem: QuadraticAssignment, places: readonly number[]) {
  const { n } = problem;
  const exchanges: { readonly i: number; readonly j: number; readonly cost: number }[] = [];
  // Each costs O(n^2) anew: for large layouts only those of the first departments.
  const some = Math.min(n, Math.ceil(20_000_000 / n ** 3));
  for (let i = 0; i < some; i++) {
    for (let j = i + 1; j < n; j++) {
      const other = [...places];
      [other[i], other[j]] = [other[j], other[i]];
      exchanges.push({ i, j, cost: costOf(problem, other) });
    }
  }
  return exchanges.sort((a, b) => a.cost - b.cost || a.i - b.i || a.j - b.j).slice(0, 3);
}

const fields = z.strictObject({
  flow: matrix(
    'Flow from each facility (row) to each other (column): trips, loads or weight per time unit',
    { most: MOST_FACILITIES },
    { most: MOST_FACILITIES, minimum: 0 },
  ).optional(),
  distance: matrix(
    'Distance from each location (row) to each other (column)',
    { most: MOST_FACILITIES },
    { most: MOST_FACILITIES, minimum: 0 },
  ).optional(),
  instance: instanceField('qaplib', '`flow` and `distance`'),
  current: numbers('Location (from 1) that each facility has today, to compare with', {
    most: MOST_FACILITIES,
    minimum: 1,
  }).optional(),
});

export const layout = model({
  name: 'layout',
  summary: 'Which location each department gets, so that flow times distance is least (quadratic assignment).',
  fields,
  example: {
    model: 'layout',
    flow: [
      [0, 30, 5, 0, 12, 0],
      [30, 0, 22, 8, 0, 0],
      [5, 22, 0, 40, 6, 3],
      [0, 8, 40, 0, 18, 25],
      [12, 0, 6, 18, 0, 10],
      [0, 0, 3, 25, 10, 0],
    ],
    distance: [
      [0, 20, 40, 15, 35, 55],
      [20, 0, 20, 35, 15, 35],
      [40, 20, 0, 55, 35, 15],
      [15, 35, 55, 0, 20, 40],
      [35, 15, 35, 20, 0, 20],
      [55, 35, 15, 40, 20, 0],
    ],
    current: [1, 2, 3, 4, 5, 6],
  },

  check(config, complain) {
    const { flow, distance, instance, current } = config;
    let n = flow?.length ?? 0;
    if (instance !== undefined) {
      const twice = flow !== undefined ? 'flow' : distance !== undefined ? 'distance' : null;
      if (twice !== null) return complain([twice], '`{field}` and `config.instance` say the same: send one of them.');
      const read = readQaplib(instance.text, MOST_FACILITIES);
      if ('fault' in read) return complain(['instance', 'text'], read.fault);
      n = read.content.n;
    } else {
      for (const [name, rows] of Object.entries({ flow, distance })) {
        if (rows === undefined)
          return complain([name], '`{field}` is required, or `instance` with a QAPLIB file instead.');
        if (rows[0]?.length !== rows.length) {
          return complain(
            [name],
            `\`{field}\` must have as many columns as rows: ${rows.length}, not ${rows[0]?.length}.`,
          );
        }
      }
      if (distance?.length !== n) {
        return complain(
          ['distance'],
          `\`{field}\` must have ${n} rows, as \`config.flow\` has, not ${distance?.length}.`,
        );
      }
    }
    if (current === undefined) return;
    const isPermutation =
      current.length === n && new Set(current).size === n && current.every((at) => Number.isInteger(at) && at <= n);
    if (!isPermutation) complain(['current'], `\`{field}\` must name each location from 1 to ${n} once.`);
  },

  sense: () => 'minimize',

  solve(config, context) {
    const problem = problemOf(config);
    const { n } = problem;
    const answer = solveQuadratic(problem, context, fromOne);
    const places = Array.from(answer.places);
    const { cost, isProven, bound, evaluations, moves, nodes } = answer;
    const compared =
      config.current === undefined
        ? meanCost(problem)
        : costOf(
            problem,
            config.current.map((at) => at - 1),
          );
    const alternatives = exchangesOf(problem, places).map(({ i, j, cost: other }) => ({
      exchanged: [i + 1, j + 1],
      total_cost: other,
      added_cost: other - cost,
    }));
    return {
      method: answer.hasTree && isProven ? 'qp_branch_and_bound' : 'robust_tabu_search',
      reason:
        answer.hasTree && isProven
          ? `${n} facilities are few enough to prove the layout by branch and bound with Gilmore-Lawler bounds`
          : 'robust tabu search finds the best known layouts of the classical instances of this size, where no method proves them in time',
      bestSolution: fromOne(places),
      bestFitness: cost,
      decisionVariables: places.map((_, i) => `location_of_facility_${i + 1}`),
      result: {
        total_cost: cost,
        assignment: places.map((place, i) => ({ facility: i + 1, location: place + 1 })),
        facility_at: facilityAt(places),
        lower_bound: bound,
        compared_with: { layout: config.current === undefined ? 'random' : 'current', total_cost: compared },
        travel_saved: compared - cost,
        heaviest_pairs: pairsOf(problem, places)
          .slice(0, 5)
          .map(({ i, j, cost: part }) => ({ facilities: [i + 1, j + 1], cost: part })),
      },
      optimality: isProven
        ? { status: 'optimal', bound: cost, proof: 'branch_and_bound' }
        : { status: 'heuristic', bound, proof: null },
      evaluations,
      iterations: moves,
      nodes,
      alternatives,
      assumptions:
        config.current === undefined
          ? [
              {
                code: 'compared_with_random',
                field: 'config.current',
                message: 'Without `current` the cost is compared with the mean over all layouts.',
              },
            ]
          : [],
    };
  },

  verify(config, { bestSolution, bestFitness }) {
    const problem = problemOf(config);
    const { n, flow, distance } = problem;
    if (bestSolution.length !== n || new Set(bestSolution).size !== n) return 'a location has two facilities or none';
    if (!bestSolution.every((place) => Number.isInteger(place) && place >= 1 && place <= n))
      return 'there is no such location';
    // Location by location instead of facility by facility.
    const at = facilityAt(bestSolution.map((place) => place - 1));
    let sum = 0;
    for (let l = n - 1; l >= 0; l--) {
      for (let k = n - 1; k >= 0; k--) sum += distance[k * n + l] * flow[(at[k] - 1) * n + at[l] - 1];
    }
    return Math.abs(sum - bestFitness) <= 1e-9 * Math.max(1, sum) ? null : `flow times distance is ${sum}`;
  },

  explain(config, { bestSolution, bestFitness, result, optimality, alternatives = [], iterations = 0, nodes = 0 }) {
    const n = bestSolution.length;
    const { compared_with, travel_saved, heaviest_pairs } = result as unknown as {
      readonly compared_with: { readonly layout: string; readonly total_cost: number };
      readonly travel_saved: number;
      readonly heaviest_pairs: readonly { readonly facilities: readonly [number, number]; readonly cost: number }[];
    };
    const [pair] = heaviest_pairs;
    const [other] = alternatives as unknown as {
      readonly exchanged: readonly [number, number];
      readonly added_cost: number;
    }[];
    const base = config.current === undefined ? 'the mean layout' : "today's layout";
    return [
      say(
        1,
        'result',
        `The best layout found costs {cost} (flow times distance); ${base} costs {compared}, {saved} more.`,
        {
          cost: bestFitness,
          compared: compared_with.total_cost,
          saved: travel_saved,
        },
      ),
      optimality.status === 'optimal'
        ? say(
            2,
            'choice',
            'No layout of the {n:facility|facilities} costs less: branch and bound took {nodes:node|nodes}.',
            { n, nodes },
          )
        : say(
            2,
            'choice',
            'Tabu search made {moves:exchange|exchanges} of two facilities; that it found the best of all layouts is likely, not proven.',
            { moves: iterations },
          ),
      ...(optimality.status === 'optimal' || optimality.bound === null
        ? []
        : [
            say(
              3,
              'bounds',
              'No layout costs less than {bound}, says the Gilmore-Lawler bound, which is known to lie well below the truth.',
              { bound: optimality.bound },
            ),
          ]),
      ...(pair === undefined || pair.cost === 0
        ? []
        : [
            say(4, 'sensitivity', 'Facilities {first} and {second} cost most: {cost} between them.', {
              first: pair.facilities[0],
              second: pair.facilities[1],
              cost: pair.cost,
            }),
          ]),
      ...(other === undefined
        ? []
        : [
            say(
              5,
              'alternatives',
              'Exchanging facilities {first} and {second} adds {added}: the cheapest exchange of two.',
              {
                first: other.exchanged[0],
                second: other.exchanged[1],
                added: other.added_cost,
              },
            ),
          ]),
    ];
  },

  pictures: {
    layout_heat_map: (config, { bestSolution }) => {
      const problem = problemOf(config);
      const { n, flow, distance } = problem;
      if (n > MOST_DRAWN || n < 2) return null;
      const at = facilityAt(bestSolution.map((place) => place - 1));
      const names = at.map((facility) => `F${facility}`);
      return matrixMap({
        title: 'Flow times distance between locations, facilities as laid out',
        rowName: 'from, by location',
        columnName: 'to',
        valueName: 'flow x distance',
        rows: names.map((name, k) => `${name} at ${k + 1}`),
        columns: names,
        values: at.map((i, k) => at.map((j, l) => flow[(i - 1) * n + j - 1] * distance[k * n + l])),
      });
    },
  },
});

/** Facility (from 1) at each location. */
function facilityAt(places: readonly number[]): number[] {
  const at = new Array<number>(places.length).fill(0);
  for (const [i, place] of places.entries()) at[place] = i + 1;
  return at;
}
