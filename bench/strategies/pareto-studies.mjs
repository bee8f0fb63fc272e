/**
 * Studies of several objectives, a fifth of whose points is never told: the hypervolume after 10,000 points were handed
 * out, of which some 8,000 are told, on the problems of `pareto.mjs`, beside what it has recorded of NSGA-II of pymoo
 * after 10,000 evaluations. Of the study's results 100 points count, as many as NSGA-II has. A study of the service
 * hands out the same points, bit by bit: that is checked by `bench/service/studies.mjs`.
 */
import { readFileSync } from 'node:fs';
import { FrontArchive } from '../../dist/pareto/front-archive.js';
import { candidatesOf, Study } from '../../dist/studies/study.js';
import { smsEmoa } from '../../dist/strategies/sms-emoa/kind.js';
import { boundsOf, PROBLEMS, referenceOf, stream } from '../support/pareto-problems.mjs';
import { fixed, median, sorted } from '../support/statistics.mjs';

const SEEDS = 11;
const POINTS_ASKED = 10_000;
const AT_A_TIME = 20;
const FRONT_POINTS = 100;
const NEVER_TOLD = 0.2;

function hypervolumeOf(problem, seed) {
  const { variables: n, objectives: k, values } = problem;
  const { lower, upper } = boundsOf(problem);
  const bounds = Array.from(lower, (low, i) => [low, upper[i]]);
  const directions = new Array(k).fill('minimize');
  const study = new Study({ bounds, directions, seed, maxEvaluations: POINTS_ASKED }, smsEmoa);
  const archive = new FrontArchive(n, k, referenceOf(problem), undefined, FRONT_POINTS);
  const draw = stream(seed);
  let told = 0;
  for (let asked = 0; asked < POINTS_ASKED;) {
    const operation = study.proposeAsk(Math.min(AT_A_TIME, POINTS_ASKED - asked));
    study.apply(operation);
    const candidates = candidatesOf(operation, n);
    asked += candidates.length;
    const results = candidates
      .filter(() => draw() >= NEVER_TOLD)
      .map(({ serial, solution }) => ({ point: serial, solution, values: values(solution) }));
    for (const { solution, values: own } of results) archive.add(solution, own);
    told += results.length;
    if (results.length > 0) study.apply(study.proposeTell(results));
  }
  return { hypervolume: archive.front().hypervolume, told };
}

/** Median, least and most; null where `pareto.mjs` has recorded none. */
function recorded(name) {
  const file = new URL('../results/pareto.json', import.meta.url);
  const found = JSON.parse(readFileSync(file, 'utf8')).results.find(({ problem }) => problem === name);
  return Object.fromEntries(Object.entries(found ?? {}).filter(([field]) => field.startsWith('pymoo')));
}

export async function run() {
  const results = Object.entries(PROBLEMS).map(([name, problem]) => {
    const all = Array.from({ length: SEEDS }, (_, i) => hypervolumeOf(problem, i + 1));
    const volumes = sorted(all.map(({ hypervolume }) => hypervolume));
    const row = {
      problem: name,
      variables: problem.variables,
      objectives: problem.objectives,
      never_told_median: fixed(median(volumes), 4),
      never_told_least: fixed(volumes[0], 4),
      never_told_most: fixed(volumes.at(-1), 4),
      told_median: median(all.map(({ told }) => told)),
      ...recorded(name),
    };
    if (row.pymoo_median !== undefined && row.never_told_median < row.pymoo_median) {
      throw new Error(`${name}: ${row.never_told_median} is less than pymoo's ${row.pymoo_median}`);
    }
    return row;
  });
  const settings = { seeds: `1..${SEEDS}`, asked: POINTS_ASKED, at_a_time: AT_A_TIME, never_told: NEVER_TOLD };
  return { name: 'pareto-studies', settings, results };
}
