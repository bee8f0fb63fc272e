/** Routes on the map of their coordinates; when each vehicle drives, waits and serves; what it carries. */
import {
  bottomAxis,
  escaped,
  leftAxis,
  picture,
  PLOT,
  rounded,
  scaleOver,
  x,
  y,
} from '../../../explanation/visuals/plot.js';
import type { JsonObject } from '../../../model/problem.js';
import { barChart, rowsOf, type RowName } from '../../charts/bar-chart.js';
import { legendOf } from '../../charts/legend.js';
import { colourOf } from '../../charts/line-chart.js';
import { missingNames, pointNames, type Place } from '../../charts/point-names.js';
import type { Network } from './network.js';

interface DrawnStop {
  readonly id: string;
  readonly arrival: number;
  readonly start: number;
  readonly departure: number;
}

interface DrawnRoute {
  readonly vehicle: string;
  readonly vehicle_number: number;
  readonly departure: number;
  readonly return_time: number;
  readonly stops: readonly DrawnStop[];
  readonly load: number | readonly number[];
}

const routesOf = (result: JsonObject): readonly DrawnRoute[] => result['routes'] as unknown as readonly DrawnRoute[];

const MOST_NAMES = 40;
const MOST_BARS = 60;

export function routeMap(network: Network, result: JsonObject): string | null {
  const { depots, customers, isGeographic } = network;
  const geometry = result['geometry'] as readonly (readonly (readonly [number, number])[])[];
  const places = [...depots, ...customers].map(({ at }) => at).filter((at) => at !== null);
  if (places.length < depots.length + customers.length) return null;
  const across = scaleOver(places.map(([px]) => px));
  const up = scaleOver(places.map(([, py]) => py));
  // One unit is as long in both directions: the plot keeps the shape of the map.
  const span = { x: PLOT.right - PLOT.left, y: PLOT.bottom - PLOT.top };
  const shrink = isGeographic ? Math.max(0.01, Math.cos(((up.low + up.high) / 2) * (Math.PI / 180))) : 1;
  const unit = Math.min(span.x / ((across.high - across.low) * shrink), span.y / (up.high - up.low));
  const fitted = (scale: typeof across, room: number, factor: number): typeof across => {
    const half = room / unit / factor / 2;
    const middle = (scale.low + scale.high) / 2;
    return { low: middle - half, high: middle + half, at: (value) => (value - middle + half) / (2 * half) };
  };
  const ownX = fitted(across, span.x, shrink);
  const ownY = fitted(up, span.y, 1);
  const at = ([px, py]: readonly [number, number]): string => `${rounded(x(ownX.at(px)))} ${rounded(y(ownY.at(py)))}`;
  const lines = geometry.map((points, k) => {
    const way = points.map((point, i) => `${i === 0 ? 'M' : 'L'}${at(point)}`).join('');
    return `<path d="${way}" fill="none" stroke="${colourOf(k)}" stroke-width="2" stroke-linejoin="round"/>`;
  });
  const dots = customers.map(({ id, at: point }) => {
    const [cx, cy] = at(point!).split(' ');
    return `<circle cx="${cx}" cy="${cy}" r="${customers.length > 200 ? 2 : 4}" fill="#333"><title>${escaped(id)}</title></circle>`;
  });
  const homes = depots.map(({ at: point }) => {
    const [cx, cy] = [x(ownX.at(point![0])), y(ownY.at(point![1]))];
    return `<rect x="${rounded(cx - 7)}" y="${rounded(cy - 7)}" width="14" height="14" fill="#fff" stroke="#000" stroke-width="2"/>`;
  });
  const place = (point: readonly [number, number]): Place => [x(ownX.at(point[0])), y(ownY.at(point[1]))];
  const named = [...(depots.length > 1 ? depots : []), ...(customers.length > MOST_NAMES ? [] : customers)];
  const names = pointNames(
    named.map(({ id, at: point }) => ({ at: place(point!), name: id })),
    { frame: PLOT, points: places.map(place), radius: 5, lines: geometry.map((points) => points.map(place)) },
  );
  const axes = isGeographic ? ['longitude, degrees', 'latitude, degrees'] : ['x', 'y'];
  return picture('Routes', [
    ...bottomAxis(ownX, axes[0]),
    ...leftAxis(ownY, axes[1]),
    ...lines,
    ...dots,
    ...homes,
    ...names.parts,
    ...missingNames(names.left, [PLOT.right, PLOT.bottom + 44]),
  ]);
}

const nameOf = ({ vehicle, vehicle_number }: DrawnRoute): RowName => ({ name: vehicle, end: ` ${vehicle_number}` });

const TIMES = [
  { name: 'driving', colour: '#56b4e9' },
  { name: 'waiting', colour: '#f0e442' },
  { name: 'service', colour: '#0072b2' },
] as const;

export function timeBars(_network: Network, result: JsonObject): string | null {
  const routes = routesOf(result).slice(0, MOST_BARS);
  if (routes.length === 0) return null;
  const times = routes.flatMap(({ departure, return_time }) => [departure, return_time]);
  const { scale, top, height, bottom, names } = rowsOf(routes.map(nameOf), times);
  const bar = (from: number, to: number, k: number, { name, colour }: (typeof TIMES)[number]): string[] => {
    const [left, right] = [x(scale.at(from)), x(scale.at(to))];
    if (!(right > left)) return [];
    return [
      `<rect x="${rounded(left)}" y="${rounded(top(k))}" width="${rounded(right - left)}" height="${rounded(height)}" fill="${colour}"><title>${name}</title></rect>`,
    ];
  };
  const [driving, waiting, service] = TIMES;
  const parts = routes.flatMap((route, k) => [
    ...bar(route.departure, route.return_time, k, driving),
    ...route.stops.flatMap(({ arrival, start, departure }) => [
      ...bar(arrival, start, k, waiting),
      ...bar(start, departure, k, service),
    ]),
  ]);
  const legend = legendOf(
    TIMES.map((one) => ({ ...one, mark: 'box' })),
    0,
    bottom,
  );
  const title = 'Time of each route';
  return picture(title, [...bottomAxis(scale, 'time', bottom), ...parts, ...names, ...legend.parts], legend.height);
}

export function fleetBars(network: Network, result: JsonObject): string | null {
  const routes = routesOf(result).slice(0, MOST_BARS);
  const loads = routes.map(({ load }) => (typeof load === 'number' ? load : (load[0] ?? 0)));
  if (loads.every((load) => load === 0)) return null;
  const rooms = routes.map(({ vehicle }) => network.types.find(({ id }) => id === vehicle)?.capacity[0] ?? Infinity);
  return barChart({
    title: 'Largest load of each route, in the frame of its capacity',
    xName: routes.some(({ load }) => typeof load !== 'number' && load.length > 1) ? 'load, first quantity' : 'load',
    names: routes.map(nameOf),
    series: [{ name: 'load', values: loads }],
    frames: { name: 'capacity', values: rooms.map((room) => (Number.isFinite(room) ? room : null)) },
  });
}
