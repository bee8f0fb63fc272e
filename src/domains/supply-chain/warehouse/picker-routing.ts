/**
 * Picker routing: in which order a picker collects, and how long the walk is; with the usual rules of thumb beside it.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { checkUnique, id, list, withIds } from '../../fields.js';
import { model, type Solution } from '../../problem-type.js';
import {
  aisleFields,
  checkPlace,
  pathLength,
  placeFields,
  POLICIES,
  policyPath,
  visitOrder,
  type Place,
} from './aisles.js';
import { shortestTour } from './picker-tour.js';
import { warehouseMap } from './warehouse-map.js';

export const MOST_PICKS = 500;

const fields = z.strictObject({
  ...aisleFields,
  picks: list(
    z.strictObject({ id: id.optional(), ...placeFields }),
    'What is collected, and where it lies',
    MOST_PICKS,
  ),
  policy: z
    .enum(['optimal', ...POLICIES])
    .default('optimal')
    .describe('The shortest tour, or the one that a rule of thumb gives'),
});

const NAMES = {
  optimal: 'the shortest tour',
  s_shape: 'S-shape',
  return: 'return',
  largest_gap: 'largest gap',
} as const;

/** Corners and ends only. */
function corners(path: readonly Place[], picks: readonly Place[]): Place[] {
  const isPick = (place: Place): boolean =>
    picks.some(({ aisle, position }) => aisle === place.aisle && position === place.position);
  return path.filter((place, i) => {
    const [before, after] = [path[i - 1], path[i + 1]];
    if (before === undefined || after === undefined || isPick(place)) return true;
    const isStraight =
      (before.aisle === place.aisle &&
        after.aisle === place.aisle &&
        (place.position - before.position) * (after.position - place.position) > 0) ||
      (before.position === place.position &&
        after.position === place.position &&
        (place.aisle - before.aisle) * (after.aisle - place.aisle) > 0);
    return !isStraight;
  });
}

const plain = ({ aisle, position }: Place): { aisle: number; position: number } => ({ aisle, position });

export const pickerRouting = model({
  name: 'picker_routing',
  summary: 'The shortest walk of a picker through parallel aisles, beside the usual rules of thumb.',
  fields,
  example: {
    model: 'picker_routing',
    aisles: 5,
    aisle_length: 24,
    aisle_spacing: 4,
    depot: { aisle: 1, position: 0 },
    picks: [
      { id: 'bolts', aisle: 1, position: 18 },
      { id: 'hinges', aisle: 2, position: 5 },
      { id: 'paint', aisle: 2, position: 21 },
      { id: 'brushes', aisle: 4, position: 3 },
      { id: 'tape', aisle: 4, position: 20 },
      { id: 'lamps', aisle: 5, position: 12 },
    ],
  },

  check(config, complain) {
    if (!checkPlace(config, config.depot, ['depot'], complain)) return;
    if (!checkUnique(config.picks, 'picks', complain)) return;
    config.picks.every((pick, i) => checkPlace(config, pick, ['picks', i], complain));
  },

  sense: () => 'minimize',

  solve(config, context) {
    const { policy } = config;
    const picks = withIds(config.picks);
    const shortest = shortestTour(config, picks, () => context.look());
    const ruled = POLICIES.map((rule) => ({ rule, path: policyPath(config, picks, rule) }));
    const path = policy === 'optimal' ? shortest.path : ruled.find(({ rule }) => rule === policy)!.path;
    const distance = pathLength(config, path);
    const order = visitOrder(path, picks);
    const ruleDistances = ruled.map(({ rule, path: other }) => [rule, pathLength(config, other)] as const);
    const isShortest = distance <= shortest.distance * (1 + 1e-12);
    const optimality: Solution['optimality'] = isShortest
      ? { status: 'optimal', bound: distance, proof: 'dynamic_programming' }
      : { status: 'heuristic', bound: shortest.distance, proof: null };
    return {
      method: 'dynamic_programming',
      reason:
        policy === 'optimal'
          ? 'parallel aisles let a dynamic programme along the aisles find the shortest tour, whatever the number of picks'
          : `the config asks for the tour of a rule of thumb (${NAMES[policy]}); a dynamic programme says how far it is from the shortest`,
      bestSolution: order.map((i) => i + 1),
      bestFitness: distance,
      decisionVariables: order.map((_, i) => `pick_${i + 1}`),
      result: {
        distance,
        sequence: order.map((i) => ({ id: picks[i].id, ...plain(picks[i]) })),
        path: corners(path, picks).map(plain),
        policy,
        policy_distances: { optimal: shortest.distance, ...Object.fromEntries(ruleDistances) },
        // Against S-shape, the rule that is used most.
        travel_saved: ruleDistances[0][1] - distance,
      },
      optimality,
      evaluations: 1,
      nodes: shortest.states,
      assumptions:
        config.cross_aisles === 2
          ? []
          : [
              {
                code: 'rules_of_two_cross_aisles',
                field: 'config.cross_aisles',
                message: 'The rules of thumb use the front and the back cross aisle only; the shortest tour uses all.',
              },
            ],
      alternatives: ruleDistances.map(([rule, length]) => ({ policy: rule, distance: length })),
    };
  },

  verify(config, { bestSolution, bestFitness, result }) {
    const { picks, depot, aisle_length, cross_aisles } = config;
    const path = result.path as unknown as readonly Place[];
    const [from, to] = [path[0], path.at(-1)];
    const isDepot = (place?: Place): boolean => place?.aisle === depot.aisle && place.position === depot.position;
    if (!isDepot(from) || !isDepot(to)) return 'the tour does not begin and end at the depot';
    const levels = Array.from({ length: cross_aisles }, (_, i) => (aisle_length * i) / (cross_aisles - 1));
    const isLeg = path.every((place, i) => {
      const before = path[i - 1] ?? place;
      return before.aisle === place.aisle || (before.position === place.position && levels.includes(place.position));
    });
    if (!isLeg) return 'a leg of the tour runs through shelves';
    if (new Set(visitOrder(path, picks)).size !== picks.length) return 'a pick is not on the tour';
    if (bestSolution.length !== picks.length || new Set(bestSolution).size !== picks.length) return 'a pick is missing';
    const length = pathLength(config, path);
    return Math.abs(length - bestFitness) <= 1e-9 * Math.max(1, length) ? null : `the legs add up to ${length}`;
  },

  explain(config, { bestFitness, result, optimality, nodes = 0 }) {
    const { policy_distances } = result as unknown as { readonly policy_distances: Readonly<Record<string, number>> };
    const { optimal = 0, s_shape = 0, return: back = 0, largest_gap = 0 } = policy_distances;
    const rules = Math.min(s_shape, back, largest_gap);
    return [
      say(1, 'result', 'The tour collects {picks:pick|picks} on a walk of {distance}.', {
        picks: config.picks.length,
        distance: bestFitness,
      }),
      optimality.status === 'optimal'
        ? say(2, 'choice', 'No walk is shorter: the dynamic programme along the aisles valued {states:state|states}.', {
            states: nodes,
          })
        : say(2, 'choice', 'The tour follows a rule of thumb, as asked; the shortest walk is {optimal} long.', {
            optimal,
          }),
      say(5, 'alternatives', 'Rules of thumb: S-shape {s_shape}, return {back}, largest gap {largest_gap}.', {
        s_shape,
        back,
        largest_gap,
      }),
      ...(optimal > 0
        ? [
            say(5, 'alternatives', 'The best rule of thumb walks {share} percent more than the shortest tour.', {
              share: 100 * (rules / optimal - 1),
            }),
          ]
        : []),
    ];
  },

  pictures: {
    route: (config, { bestSolution, result }) => {
      const picks = bestSolution.map((number) => config.picks[number - 1]);
      const path = result.path as unknown as readonly Place[];
      const title = `Walk of ${picks.length} picks (${NAMES[config.policy]}), numbered in their order`;
      return warehouseMap(title, config, [{ name: 'tour', path, picks }], picks.length <= 100);
    },
  },
});
