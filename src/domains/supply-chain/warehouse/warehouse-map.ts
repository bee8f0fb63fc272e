/** Parallel aisles from above: shelves, picks, the depot, and the ways of pickers. */
import { label, picture, PLOT, rounded } from '../../../explanation/visuals/plot.js';
import { colourOf } from '../../charts/line-chart.js';
import type { Aisles, Place } from './aisles.js';

interface MappedTour {
  readonly name: string;
  readonly path: readonly Place[];
  readonly picks: readonly Place[];
}

const MOST_NAMED = 7;

/** SVG. Tours beside each other take different sides of the aisle's middle. */
export function warehouseMap(
  title: string,
  geometry: Aisles,
  tours: readonly MappedTour[],
  isNumbered: boolean,
): string {
  const { aisles, aisle_length, aisle_spacing, depot, cross_aisles } = geometry;
  const width = PLOT.right - PLOT.left;
  const height = PLOT.bottom - PLOT.top - 30;
  const across = width / aisles;
  const x = (aisle: number): number => PLOT.left + (aisle - 0.5) * across;
  const y = (position: number): number => PLOT.bottom - 20 - (height * position) / aisle_length;
  const gap = Math.min(14, (height / (cross_aisles - 1)) * 0.15);
  const shelves: string[] = [];
  for (let aisle = 1; aisle <= aisles; aisle++) {
    for (let k = 0; k + 1 < cross_aisles; k++) {
      const top = y((aisle_length * (k + 1)) / (cross_aisles - 1)) + gap;
      const tall = height / (cross_aisles - 1) - 2 * gap;
      for (const side of [-1, 1]) {
        const left = x(aisle) + (side > 0 ? across * 0.2 : -across * 0.46);
        shelves.push(
          `<rect x="${rounded(left)}" y="${rounded(top)}" width="${rounded(across * 0.26)}" height="${rounded(tall)}" fill="#ececec" stroke="#d0d0d0"/>`,
        );
      }
    }
  }
  const ways = tours.map(({ path }, t) => {
    const shift = ((t % 9) - (Math.min(9, tours.length) - 1) / 2) * Math.min(3, across / 30);
    const points = path.map(({ aisle, position }) => `${rounded(x(aisle) + shift)} ${rounded(y(position) - shift)}`);
    return `<path d="M${points.join('L')}" fill="none" stroke="${colourOf(t)}" stroke-width="2.5" stroke-opacity="0.75" stroke-linejoin="round"/>`;
  });
  const dots = tours.flatMap(({ picks }, t) =>
    picks.flatMap(({ aisle, position }, i) => {
      const [cx, cy] = [x(aisle), y(position)];
      const dot = `<circle cx="${rounded(cx)}" cy="${rounded(cy)}" r="5" fill="${colourOf(tours.length === 1 ? 1 : t)}" stroke="#fff"/>`;
      return isNumbered ? [dot, label([cx + 8, cy + 4], String(i + 1), 'start', ' font-size="12"')] : [dot];
    }),
  );
  const [dx, dy] = [x(depot.aisle), y(depot.position)];
  const every = Math.ceil(aisles / 30);
  const names = Array.from({ length: aisles }, (_, i) => i + 1).filter((aisle) => (aisle - 1) % every === 0);
  const legend =
    tours.length < 2
      ? []
      : tours
          .slice(0, MOST_NAMED)
          .map(({ name }, t) =>
            label(
              [PLOT.left + t * 90, PLOT.bottom + 62],
              name,
              'start',
              ` font-weight="bold" style="fill:${colourOf(t)}"`,
            ),
          );
  return picture(title, [
    ...shelves,
    ...ways,
    ...dots,
    `<rect x="${rounded(dx - 7)}" y="${rounded(dy - 7)}" width="14" height="14" fill="#000"/>`,
    label([dx + (dx > PLOT.right - 60 ? -11 : 11), dy + 17], 'depot', dx > PLOT.right - 60 ? 'end' : 'start'),
    ...names.map((aisle) => label([x(aisle), PLOT.bottom + 18], String(aisle), 'middle')),
    label(
      [PLOT.left + width / 2, PLOT.bottom + 40],
      `aisle (${aisle_spacing} apart), ${aisle_length} long; front below, back above`,
      'middle',
    ),
    ...legend,
  ]);
}
