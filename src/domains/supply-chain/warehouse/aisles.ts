/**
 * The geometry of parallel aisles, shared by picker routing and order batching; and the rules of thumb that pickers
 * follow.
 */
import { z } from 'zod';
import { amount, count, positive, type Complain } from '../../fields.js';

export const MOST_AISLES = 100;
export const MOST_CROSS_AISLES = 5;

/** An aisle, from 1, and a distance from its front end. */
export interface Place {
  readonly aisle: number;
  readonly position: number;
}

export const placeFields = {
  aisle: count('Number of the aisle, from 1', 1, MOST_AISLES),
  position: amount('Distance from the front end of the aisle'),
};

export const aisleFields = {
  aisles: count('Number of parallel aisles', 1, MOST_AISLES),
  aisle_length: positive('Length of an aisle from the front cross aisle to the back one'),
  aisle_spacing: positive('Distance between two neighbouring aisles'),
  depot: z
    .strictObject(placeFields)
    .default({ aisle: 1, position: 0 })
    .describe('Where tours begin and end. Absent: the front end of the first aisle'),
  cross_aisles: count('Cross aisles, evenly spaced from the front end to the back end', 2, MOST_CROSS_AISLES).default(
    2,
  ),
};

export interface Aisles {
  readonly aisles: number;
  readonly aisle_length: number;
  readonly aisle_spacing: number;
  readonly depot: Place;
  readonly cross_aisles: number;
}

/** Complains about a place outside the aisles; true where there is none. */
export function checkPlace(geometry: Aisles, place: Place, path: readonly PropertyKey[], complain: Complain): boolean {
  if (place.aisle > geometry.aisles) {
    complain([...path, 'aisle'], `\`{field}\` must be an aisle from 1 to ${geometry.aisles}, not ${place.aisle}.`);
    return false;
  }
  if (place.position > geometry.aisle_length) {
    complain(
      [...path, 'position'],
      `\`{field}\` must be at most the length of the aisles, ${geometry.aisle_length}, not ${place.position}.`,
    );
    return false;
  }
  return true;
}

/** Length of a path whose every leg runs along an aisle or a cross aisle. */
export function pathLength({ aisle_spacing }: Pick<Aisles, 'aisle_spacing'>, path: readonly Place[]): number {
  let sum = 0;
  for (let i = 1; i < path.length; i++) {
    const [from, to] = [path[i - 1], path[i]];
    sum += Math.abs(from.aisle - to.aisle) * aisle_spacing + Math.abs(from.position - to.position);
  }
  return sum;
}

/** Indices of the picks in the order in which the path comes by. */
export function visitOrder(path: readonly Place[], picks: readonly Place[]): number[] {
  const order: number[] = [];
  const isSeen = picks.map(() => false);
  for (let leg = 1; leg < path.length || leg === 1; leg++) {
    const from = path[leg - 1];
    const to = path[leg] ?? from;
    const onWay: { readonly i: number; readonly at: number }[] = [];
    for (const [i, { aisle, position }] of picks.entries()) {
      const isOn =
        aisle >= Math.min(from.aisle, to.aisle) &&
        aisle <= Math.max(from.aisle, to.aisle) &&
        position >= Math.min(from.position, to.position) &&
        position <= Math.max(from.position, to.position);
      if (isOn && !isSeen[i]) onWay.push({ i, at: Math.abs(aisle - from.aisle) + Math.abs(position - from.position) });
    }
    onWay.sort((a, b) => a.at - b.at || a.i - b.i);
    for (const { i } of onWay) {
      isSeen[i] = true;
      order.push(i);
    }
  }
  return order;
}

export const POLICIES = ['s_shape', 'return', 'largest_gap'] as const;
export type Policy = (typeof POLICIES)[number];

/**
 * The path of a rule of thumb from the depot and back. Rules use the front and the back cross aisle only, begin at that
 * end of the picks which is nearer to the depot, and enter from the cross aisle that is nearer to it.
 *
 *   s_shape: each aisle with picks is walked through, but for the last of an odd number: to its farthest pick and back.
 *   return: each is entered and left at the front.
 *   largest_gap: the first and the last are walked through; the others are entered from both ends, up to the largest
 *   gap.
 */
export function policyPath(geometry: Aisles, picks: readonly Place[], policy: Policy): Place[] {
  const { depot, aisle_length: length } = geometry;
  const isFlipped = depot.position > length / 2;
  const [near, far] = isFlipped ? [length, 0] : [0, length];
  /** Positions with picks by aisle, from the near end on. */
  const positions = new Map<number, number[]>();
  for (const { aisle, position } of picks) {
    const own = positions.get(aisle);
    if (own === undefined) positions.set(aisle, [position]);
    else own.push(position);
  }
  for (const own of positions.values()) own.sort((a, b) => (isFlipped ? b - a : a - b));
  const aisles = [...positions.keys()].sort((a, b) => a - b);
  if (Math.abs(aisles.at(-1)! - depot.aisle) < Math.abs(aisles[0] - depot.aisle)) aisles.reverse();
  const path: Place[] = [depot];
  const go = (aisle: number, position: number): void => {
    const last = path.at(-1)!;
    if (last.aisle !== aisle || last.position !== position) path.push({ aisle, position });
  };
  const inAndOut = (aisle: number, from: number, to: number): void => {
    go(aisle, from);
    go(aisle, to);
    go(aisle, from);
  };
  const farthest = (aisle: number): number => positions.get(aisle)!.at(-1)!;
  go(depot.aisle, near);
  if (policy === 'return' || aisles.length === 1) for (const aisle of aisles) inAndOut(aisle, near, farthest(aisle));
  else if (policy === 's_shape') {
    for (const [i, aisle] of aisles.entries()) {
      const isNear = i % 2 === 0;
      if (isNear && i === aisles.length - 1) inAndOut(aisle, near, farthest(aisle));
      else {
        go(aisle, isNear ? near : far);
        go(aisle, isNear ? far : near);
      }
    }
  } else {
    const [first, ...middle] = aisles as [number, ...number[]];
    const last = middle.pop()!;
    const gaps = middle.map((aisle) => ({ aisle, ...largestGap([near, ...positions.get(aisle)!, far]) }));
    go(first, near);
    go(first, far);
    for (const { aisle, beyond } of gaps) if (beyond !== null) inAndOut(aisle, far, beyond);
    go(last, far);
    go(last, near);
    for (const { aisle, before } of gaps.reverse()) if (before !== null) inAndOut(aisle, near, before);
  }
  go(depot.aisle, near);
  go(depot.aisle, depot.position);
  return path;
}

/** The picks on both sides of the largest gap, null where there is none. `points`: both ends and what lies between. */
function largestGap(points: readonly number[]): { readonly before: number | null; readonly beyond: number | null } {
  const gap = (i: number): number => Math.abs(points[i] - points[i - 1]);
  let at = 1;
  for (let i = 2; i < points.length; i++) if (gap(i) > gap(at)) at = i;
  return { before: at === 1 ? null : points[at - 1], beyond: at === points.length - 1 ? null : points[at] };
}
