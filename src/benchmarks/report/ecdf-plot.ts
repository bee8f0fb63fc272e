/**
 * The share of targets reached over the number of evaluations, one dimension in one picture, as SVG without any
 * library.
 */
import type { BenchmarkRun } from '../benchmark-run.js';
import { peerFraction, type Peer } from './peers.js';
import { groupBy } from './statistics.js';
import { TARGET_COUNT } from '../measure.js';

interface Curve {
  readonly label: string;
  /** [evaluations, fraction], ascending. */
  readonly points: readonly (readonly [number, number])[];
  readonly own: boolean;
}

const WIDTH = 900;
const HEIGHT = 560;
const PLOT = { left: 60, right: 620, top: 50, bottom: 500 };
const LABEL_HEIGHT = 15;
/** Colours that people with the common kinds of colour blindness can tell apart (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000', '#8c6d00'];
const PEER_COLOUR = '#9a9a9a';
const PEER_DASHES = ['', '6 3', '2 2', '8 3 2 3'];

/** `runs` and `peers` are of one dimension; the curves end at the budget of the runs. */
export function ecdfPlot(title: string, runs: readonly BenchmarkRun[], peers: readonly Peer[]): string {
  const budget = Math.max(2, ...runs.map((run) => run.budget));
  const curves: Curve[] = [
    ...peers.map((peer) => ({ label: peer.solver, points: peerPoints(peer, budget), own: false })),
    ...[...groupBy(runs, (run) => run.strategy)].map(([label, own]) => ({
      label,
      points: ownPoints(own, budget),
      own: true,
    })),
  ];
  const x = (evaluations: number): number =>
    PLOT.left + ((PLOT.right - PLOT.left) * Math.log(Math.max(1, evaluations))) / Math.log(budget);
  const y = (fraction: number): number => PLOT.bottom - (PLOT.bottom - PLOT.top) * fraction;
  const places = labelPlaces(curves.map((curve) => y(curve.points.at(-1)?.[1] ?? 0)));
  let ownCount = 0;
  let peerCount = 0;
  const drawn = curves.map(({ label, points, own }, i) => {
    const colour = own ? COLOURS[ownCount++ % COLOURS.length] : PEER_COLOUR;
    const dashes = own ? '' : PEER_DASHES[peerCount++ % PEER_DASHES.length];
    const style =
      `fill="none" stroke="${colour}" stroke-width="${own ? 2.5 : 1.1}"` +
      (dashes === '' ? '' : ` stroke-dasharray="${dashes}"`);
    const line = points.map(([n, fraction]) => `${round(x(n))},${round(y(fraction))}`).join(' ');
    const end = points.at(-1)?.[1] ?? 0;
    const place = places[i];
    return [
      `<polyline ${style} points="${line}"/>`,
      `<path d="M${PLOT.right} ${round(y(end))}L${PLOT.right + 18} ${round(place)}" ${style}/>`,
      `<text x="${PLOT.right + 23}" y="${round(place + 4)}" fill="${own ? colour : '#555'}"` +
        `${own ? ' font-weight="bold"' : ''}>${end.toFixed(3)} ${escaped(label)}</text>`,
    ].join('\n');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${PLOT.left}" y="28" font-size="15">${escaped(title)}</text>`,
    ...axes(budget, x, y),
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function axes(budget: number, x: (n: number) => number, y: (fraction: number) => number): string[] {
  const lines: string[] = [];
  for (let tenth = 0; tenth <= 10; tenth += 2) {
    const at = round(y(tenth / 10));
    lines.push(`<path d="M${PLOT.left} ${at}H${PLOT.right}" stroke="#e4e4e4"/>`);
    lines.push(`<text x="${PLOT.left - 8}" y="${at + 4}" text-anchor="end">${(tenth / 10).toFixed(1)}</text>`);
  }
  for (let decade = 1; decade <= budget; decade *= 10) {
    const at = round(x(decade));
    lines.push(`<path d="M${at} ${PLOT.top}V${PLOT.bottom}" stroke="#e4e4e4"/>`);
    lines.push(`<text x="${at}" y="${PLOT.bottom + 18}" text-anchor="middle">${decade}</text>`);
  }
  const middle = (PLOT.left + PLOT.right) / 2;
  lines.push(`<path d="M${PLOT.left} ${PLOT.top}V${PLOT.bottom}H${PLOT.right}" fill="none" stroke="#333"/>`);
  lines.push(`<text x="${middle}" y="${PLOT.bottom + 40}" text-anchor="middle">evaluations (up to ${budget})</text>`);
  const centre = (PLOT.top + PLOT.bottom) / 2;
  lines.push(
    `<text x="18" y="${centre}" text-anchor="middle" transform="rotate(-90 18 ${centre})">share of targets reached</text>`,
  );
  return lines;
}

/** Corners of the step function; the x axis has only so many pixels, so steps closer than one are left out. */
function ownPoints(runs: readonly BenchmarkRun[], budget: number): [number, number][] {
  const hits = runs.flatMap((run) => run.hits).sort((a, b) => a - b);
  const all = runs.length * TARGET_COUNT;
  const points: [number, number][] = [[1, 0]];
  const pixels = PLOT.right - PLOT.left;
  let last = 0;
  for (let i = 0, pixel = -1; i < hits.length; i++) {
    if (hits[i + 1] === hits[i]) continue;
    const own = Math.floor((pixels * Math.log(hits[i])) / Math.log(budget));
    if (own === pixel) continue;
    pixel = own;
    points.push([hits[i], last], [hits[i], (i + 1) / all]);
    last = (i + 1) / all;
  }
  points.push([budget, hits.length / all]);
  return points;
}

function peerPoints(peer: Peer, budget: number): [number, number][] {
  const points = peer.curve.filter(([at]) => at < budget).map(([at, value]): [number, number] => [at, value]);
  return [...points, [budget, peerFraction(peer, budget) ?? 0]];
}

/** Heights of the labels: near the ends of their curves, but none over another. */
function labelPlaces(ends: readonly number[]): number[] {
  const order = [...ends.keys()].sort((a, b) => ends[a] - ends[b]);
  const places = [...ends];
  let lowest = -Infinity;
  for (const i of order) lowest = places[i] = Math.max(places[i], lowest + LABEL_HEIGHT);
  let highest = HEIGHT - 8;
  for (const i of order.reverse()) {
    places[i] = Math.min(places[i], highest);
    highest = places[i] - LABEL_HEIGHT;
  }
  return places;
}

const round = (value: number): number => Math.round(value * 10) / 10;

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);
