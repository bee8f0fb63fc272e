/** Names beside points: clear of each other and of the points, and of lines where there is room. */
import { escaped, HALO, label, rounded, cut, FONT_SIZE, widthOf } from '../../explanation/visuals/plot.js';

/** In the units of the picture. */
export type Place = readonly [x: number, y: number];

export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface NamedPoint {
  readonly at: Place;
  readonly name: string;
}

/** Things that names keep clear of. */
interface Surroundings {
  /** Names stay within. */
  readonly frame: Box;
  readonly points: readonly Place[];
  /** Radius of the points, or of half a square. */
  readonly radius: number;
  /** Each one joined by straight stretches. */
  readonly lines: readonly (readonly Place[])[];
}

interface NamedPoints {
  readonly parts: readonly string[];
  readonly boxes: readonly Box[];
  /** Names that found no room. */
  readonly left: number;
}

const HEIGHT = 15;
const LONGEST = 200;
const AIR = 2;
/** Distances from the edge of the point to that of the box. */
const DISTANCES = [3, 10, 18, 30, 45, 65, 90];
/** Farther names have a line to their point. */
const NEAR = 10;
/** Right, left, above and below, and between: what reads best comes first. */
const DIRECTIONS: readonly Place[] = [[1, -0.7], [1, 0.7], [-1, -0.7], [-1, 0.7], [1, 0], [-1, 0], [0, -1], [0, 1], [0.5, -1], [-0.5, -1], [0.5, 1], [-0.5, 1]]; // prettier-ignore
/** A crossed line is worth so much distance. */
const CROSSING = 60;

const meet = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Whether a stretch has a part within the box (Liang and Barsky). */
function crosses({ left, right, top, bottom }: Box, [x1, y1]: Place, [x2, y2]: Place): boolean {
  let [from, to] = [0, 1];
  const sides = [[x1 - x2, x1 - left], [x2 - x1, right - x1], [y1 - y2, y1 - top], [y2 - y1, bottom - y1]]; // prettier-ignore
  for (const [p = 0, q = 0] of sides) {
    if (p === 0 && q < 0) return false;
    if (p < 0) from = Math.max(from, q / p);
    if (p > 0) to = Math.min(to, q / p);
  }
  return from < to;
}

const around = ([px, py]: Place, radius: number): Box => ({
  left: px - radius,
  right: px + radius,
  top: py - radius,
  bottom: py + radius,
});

export function pointNames(named: readonly NamedPoint[], { frame, points, radius, lines }: Surroundings): NamedPoints {
  const parts: string[] = [];
  const boxes: Box[] = [];
  const dots = points.map((point) => around(point, radius + 1));
  let left = 0;
  const stretches = lines.flatMap((line) => line.slice(1).map((end, i) => [line[i] ?? end, end] as const));
  for (const { at, name } of named) {
    const shown = cut(name, LONGEST);
    const [width, height] = [widthOf(shown), HEIGHT];
    let best: { readonly box: Box; readonly cost: number; readonly distance: number } | null = null;
    for (const distance of DISTANCES) {
      if (best !== null && best.cost <= distance) break;
      for (const [rank, [across, down]] of DIRECTIONS.entries()) {
        const reach = radius + distance;
        const [cx, cy] = [at[0] + across * (reach + width / 2), at[1] + down * (reach + height / 2)];
        const box = { left: cx - width / 2, right: cx + width / 2, top: cy - height / 2, bottom: cy + height / 2 };
        if (box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom)
          continue;
        const aired = { left: box.left - AIR, right: box.right + AIR, top: box.top, bottom: box.bottom };
        if (boxes.some((other) => meet(aired, other)) || dots.some((dot) => meet(aired, dot))) continue;
        const crossed = stretches.filter(([from, to]) => crosses(aired, from, to)).length;
        const cost = distance + Math.min(3, crossed) * CROSSING + rank / 100;
        if (best === null || cost < best.cost) best = { box, cost, distance };
      }
    }
    if (best === null) {
      left++;
      continue;
    }
    const { box, distance } = best;
    boxes.push(box);
    if (distance > NEAR) {
      const end: Place = [
        Math.min(box.right, Math.max(box.left, at[0])),
        Math.min(box.bottom, Math.max(box.top, at[1])),
      ];
      parts.push(
        `<path d="M${at.map(rounded).join(' ')}L${end.map(rounded).join(' ')}" stroke="#999" stroke-width="0.8" stroke-dasharray="1.5 2.5"/>`,
      );
    }
    const text = label([box.left, box.bottom - 3.5], shown, 'start', HALO);
    parts.push(shown === name ? text : text.replace('</text>', `<title>${escaped(name)}</title></text>`));
  }
  return { parts, boxes, left };
}

/** Note to the reader where names are missing. */
export const missingNames = (left: number, at: Place): string[] =>
  left === 0
    ? []
    : [label(at, `${left} ${left === 1 ? 'name has' : 'names have'} no room`, 'end', ` font-size="${FONT_SIZE - 2}"`)];
