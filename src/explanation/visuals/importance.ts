/**
 * How much the objective changes where single coordinates move a little, as the experiment around the best point found.
 */
import type { Experiment } from '../../model/experiment.js';
import type { EndedRun } from '../ended-run.js';
import { influences, measured, uncertaintyOf } from '../importance.js';
import { whyNoExperiment } from '../why-no-experiment.js';
import { BLUE, bottomAxis, label, picture, PLOT, rounded, scaleOver, shown, VERMILION, x } from './plot.js';

const MOST = 20;
const ROW = 22;
const BAR = 14;

export function noImportance(run: EndedRun): string | null {
  const { experiment } = run.ending;
  if (experiment === undefined) return whyNoExperiment(run);
  const found = influences(experiment);
  if (found.length === 0) return 'every evaluation of the experiment around the best point failed';
  if (found.every(({ largest }) => largest <= doubtOf(experiment))) {
    return 'no coordinate changes the objective by more than the uncertainty of its values';
  }
  return null;
}

/** Changes of at most this much say nothing. */
const doubtOf = (experiment: Experiment): number =>
  uncertaintyOf(
    experiment,
    influences(experiment).map(({ largest }) => Math.abs(experiment.centreValue) + largest),
  );

export function importancePlot(experiment: Experiment): string {
  const all = influences(experiment).sort((a, b) => b.largest - a.largest || a.dimension - b.dimension);
  const rows = all.slice(0, MOST);
  const doubt = doubtOf(experiment);
  const bottom = PLOT.top + ROW * rows.length + 6;
  const scale = scaleOver([0, ...rows.map(({ largest }) => largest)]);
  const zero = x(scale.at(0));
  const bars = rows.flatMap(({ dimension, largest }, row) => {
    const top = PLOT.top + ROW * row + 4;
    const width = rounded(Math.max(0, x(scale.at(largest)) - zero));
    const place = `x="${rounded(zero)}" y="${rounded(top)}" width="${width}" height="${BAR}"`;
    return [
      label([PLOT.left - 8, top + 11], `x[${dimension}]`, 'end'),
      `<rect ${place} fill="${largest > doubt ? BLUE : '#bbb'}"><title>${shown(largest)}</title></rect>`,
    ];
  });
  const limit = x(scale.at(doubt));
  const isSeen = limit > zero + 1 && limit < PLOT.right;
  const parts = [
    ...bottomAxis(scale, `largest change of ${measured(experiment)}`, bottom),
    ...bars,
    `<path d="M${rounded(zero)} ${PLOT.top}V${rounded(bottom)}" stroke="#333"/>`,
    ...(isSeen
      ? [
          `<path d="M${rounded(limit)} ${PLOT.top}V${rounded(bottom)}" stroke="${VERMILION}" stroke-dasharray="4 3"/>`,
          label([PLOT.right, PLOT.top - 10], 'left of the broken line: uncertain', 'end'),
        ]
      : []),
  ];
  const among = all.length > MOST ? `, the ${MOST} that matter most of ${all.length}` : '';
  const title = `Importance: coordinates moved by up to ${shown(100 * experiment.step)} % of their range${among}`;
  return picture(title, parts, bottom + 62);
}
