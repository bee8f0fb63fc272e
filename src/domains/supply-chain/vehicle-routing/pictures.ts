/** Routes on the map of their coordinates; when each vehicle drives, waits and serves; what it carries. */
import {
  bottomAxis,
  label,
  leftAxis,
  picture,
  PLOT,
  rounded,
  scaleOver,
  x,
  y,
} from '../../../explanation/visuals/plot.js';
import type { JsonObject } from '../../../model/problem.js';
import { colourOf } from '../../charts/line-chart.js';
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
  const dots = customers.map(({ at: place }) => {
    const [cx, cy] = at(place!).split(' ');
    return `<circle cx="${cx}" cy="${cy}" r="${customers.length > 200 ? 2 : 4}" fill="#333"/>`;
  });
  const names =
    customers.length > MOST_NAMES
      ? []
      : customers.map(({ id, at: place }) =>
          label([x(ownX.at(place![0])) + 6, y(ownY.at(place![1])) - 6], id.slice(0, 16), 'start'),
        );
  const homes = depots.map(({ at: place }) => {
    const [cx, cy] = [x(ownX.at(place![0])), y(ownY.at(place![1]))];
    return `<rect x="${rounded(cx - 7)}" y="${rounded(cy - 7)}" width="14" height="14" fill="#fff" stroke="#000" stroke-width="2"/>`;
  });
  const axes = isGeographic ? ['longitude, degrees', 'latitude, degrees'] : ['x', 'y'];
  return picture('Routes', [
    ...bottomAxis(ownX, axes[0]!),
    ...leftAxis(ownY, axes[1]!),
    ...lines,
    ...dots,
    ...names,
    ...homes,
  ]);
}

/** Rows from top to bottom, one for each route. */
function rows(count: number): { readonly top: (k: number) => number; readonly height: number } {
  const step = (PLOT.bottom - PLOT.top) / count;
  return { top: (k) => PLOT.top + k * step + step * 0.15, height: Math.min(40, step * 0.7) };
}

const nameOf = ({ vehicle, vehicle_number }: DrawnRoute): string => `${vehicle.slice(0, 10)} ${vehicle_number}`;

export function timeBars(_network: Network, result: JsonObject): string | null {
  const routes = routesOf(result).slice(0, MOST_BARS);
  if (routes.length === 0) return null;
  const scale = scaleOver(routes.flatMap(({ departure, return_time }) => [departure, return_time]));
  const { top, height } = rows(routes.length);
  const bar = (from: number, to: number, k: number, fill: string): string[] => {
    const [left, right] = [x(scale.at(from)), x(scale.at(to))];
    if (!(right > left)) return [];
    return [
      `<rect x="${rounded(left)}" y="${rounded(top(k))}" width="${rounded(right - left)}" height="${rounded(height)}" fill="${fill}"/>`,
    ];
  };
  const parts = routes.flatMap((route, k) => [
    ...bar(route.departure, route.return_time, k, '#56b4e9'),
    ...route.stops.flatMap(({ arrival, start, departure }) => [
      ...bar(arrival, start, k, '#f0e442'),
      ...bar(start, departure, k, '#0072b2'),
    ]),
    ...(routes.length > 30 ? [] : [label([PLOT.left - 8, top(k) + height / 2 + 4], nameOf(route), 'end')]),
  ]);
  const legend = ['driving', 'waiting', 'service'].flatMap((name, i) => {
    const left = PLOT.left + 10 + 110 * i;
    const fill = ['#56b4e9', '#f0e442', '#0072b2'][i]!;
    return [
      `<rect x="${left}" y="${PLOT.top - 16}" width="12" height="12" fill="${fill}"/>`,
      label([left + 18, PLOT.top - 6], name, 'start'),
    ];
  });
  return picture('Time of each route', [...bottomAxis(scale, 'time'), ...parts, ...legend]);
}

export function fleetBars(network: Network, result: JsonObject): string | null {
  const routes = routesOf(result).slice(0, MOST_BARS);
  const loads = routes.map(({ load }) => (typeof load === 'number' ? load : (load[0] ?? 0)));
  if (loads.every((load) => load === 0)) return null;
  const rooms = routes.map(({ vehicle }) => network.types.find(({ id }) => id === vehicle)?.capacity[0] ?? Infinity);
  const scale = scaleOver([0, ...loads, ...rooms.filter((room) => Number.isFinite(room))]);
  const { top, height } = rows(routes.length);
  const zero = x(scale.at(0));
  const parts = routes.flatMap((route, k) => {
    const bar = (value: number, style: string): string =>
      `<rect x="${rounded(zero)}" y="${rounded(top(k))}" width="${rounded(Math.max(0, x(scale.at(value)) - zero))}" height="${rounded(height)}" ${style}/>`;
    return [
      bar(loads[k]!, 'fill="#0072b2"'),
      ...(Number.isFinite(rooms[k]!) ? [bar(rooms[k]!, 'fill="none" stroke="#333"')] : []),
      ...(routes.length > 30 ? [] : [label([PLOT.left - 8, top(k) + height / 2 + 4], nameOf(route), 'end')]),
    ];
  });
  return picture('Largest load of each route, in the frame of its capacity', [...bottomAxis(scale, 'load'), ...parts]);
}
