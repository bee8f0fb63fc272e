/** Shares of targets from the runs of bench/outside/outside.mjs, as tables. */
import { fixed } from '../support/statistics.mjs';
import { GROUPS } from './problem-set.mjs';

export const BUDGETS = [50, 100, 200, 1000];
/** Solvers whose own time grows with the evaluations: what 1,000 of them take is not measured. */
const MOST = { 'optuna-TPE': 200, 'optuna-GP': 200 };
/** Precisions 10^(2 - 0.2 k), in units of what random search leaves after 1,000 evaluations. */
const TARGETS = Array.from({ length: 51 }, (_, k) => 10 ** (2 - 0.2 * k));
/** Of a value: what different compilers and libraries may differ by. */
const ROUNDING = 1e-12;
const OURS = ['called', 'open'];

/** Those of BUDGETS that a whole report has of a solver. */
export const budgetsOf = (solver) => BUDGETS.filter((budget) => budget <= (MOST[solver] ?? Infinity));

/**
 * What random search leaves of the gap after 1,000 evaluations (median of five draws); where it finds the best known
 * value, what it leaves after fewer.
 */
export function scaleOf(random, best) {
  const gaps = random.map((value) => value - best).reverse();
  return gaps.find((gap) => gap > ROUNDING * Math.max(1, Math.abs(best))) ?? 1;
}

/** The share of targets that a value reaches. */
export function shareOf(value, best, scale) {
  const gap = value - best - ROUNDING * Math.abs(best);
  return TARGETS.filter((target) => gap <= target * scale).length / TARGETS.length;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

const standardError = (values) => {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((v) => (v - centre) ** 2)) / Math.max(1, values.length - 1));
};

/** A value is better than the best known one by more than rounding: the table of problems is wrong. */
const isBeaten = (value, best) => value < best - 1e-9 * Math.max(Math.abs(best), 1e-3);

/** @returns by solver, by `name instance`, the shares at BUDGETS; fewer where fewer were run */
function allShares(problems, records) {
  const random = records.find(({ solver }) => solver === 'random')?.runs ?? {};
  const byName = new Map(problems.map((problem) => [problem.name, problem]));
  const beaten = [];
  const shares = new Map();
  for (const { solver, runs } of records) {
    const own = new Map();
    for (const [key, { best: reached }] of Object.entries(runs)) {
      const problem = byName.get(key.split(' ')[0]);
      if (problem === undefined || random[key] === undefined) continue;
      const best = problem.best.value;
      const scale = scaleOf(random[key].best, best);
      own.set(
        key,
        reached.map((value) => (value === null ? 0 : shareOf(value, best, scale))),
      );
      const least = Math.min(...reached.filter((value) => value !== null));
      if (isBeaten(least, best)) beaten.push({ key, solver, value: least, best });
    }
    shares.set(solver, own);
  }
  return { shares, beaten };
}

/** Only solvers that have all runs of `keys` count. */
const figureOf = (own, keys, i) => {
  if (own === undefined || !keys.every((key) => own.get(key)?.[i] !== undefined)) return null;
  const values = keys.map((key) => own.get(key)[i]);
  return { share: fixed(mean(values), 3), standard_error: fixed(standardError(values), 3) };
};

/** @param expected the solvers that a whole report has */
export function makeReport(problems, set, records, expected) {
  const { shares, beaten } = allShares(problems, records);
  const keys = [...(shares.get('called') ?? shares.get('random') ?? new Map()).keys()].sort();
  const groupOf = new Map(problems.map(({ name, group }) => [name, group]));
  const peers = [...shares.keys()].filter((solver) => !OURS.includes(solver) && solver !== 'random').sort();
  const rows = [];
  for (const group of GROUPS) {
    const own = keys.filter((key) => groupOf.get(key.split(' ')[0]) === group);
    if (own.length === 0) continue;
    BUDGETS.forEach((budget, i) => {
      const figures = Object.fromEntries(
        [...shares.keys()].sort().flatMap((solver) => {
          const figure = figureOf(shares.get(solver), own, i);
          return figure === null ? [] : [[solver, figure]];
        }),
      );
      const complete = peers.filter((solver) => figures[solver] !== undefined);
      const best = complete.reduce((a, b) => (a === null || figures[b].share > figures[a].share ? b : a), null);
      const bestOfAll =
        complete.length === 0
          ? null
          : fixed(mean(own.map((key) => Math.max(...complete.map((solver) => shares.get(solver).get(key)[i])))), 3);
      rows.push({ group, budget, runs: own.length, solvers: figures, best_peer: best, best_of_all_peers: bestOfAll });
    });
  }
  return {
    markdown: markdownOf(rows, { set, keys, peers, shares, groupOf, expected }),
    summary: { set, rows },
    beaten,
  };
}

const shown = (figure) => (figure === undefined || figure === null ? '–' : figure.share.toFixed(3));

function markdownOf(rows, { set, keys, peers, shares, groupOf, expected }) {
  const table = (head, body) =>
    [`| ${head.join(' | ')} |`, `| ${head.map(() => '---').join(' | ')} |`, ...body.map((row) => `| ${row.join(' | ')} |`)].join('\n'); // prettier-ignore
  const summary = table(
    ['group', 'evaluations', 'runs', 'random', 'called (se)', 'open', 'best peer', 'best of all peers'],
    rows.map(({ group, budget, runs, solvers, best_peer: best, best_of_all_peers: all }) => [
      group,
      budget,
      runs,
      shown(solvers.random),
      solvers.called === undefined ? '–' : `${shown(solvers.called)} (${solvers.called.standard_error.toFixed(3)})`,
      shown(solvers.open),
      best === null ? '–' : `${best} ${shown(solvers[best])}`,
      all === null ? '–' : all.toFixed(3),
    ]),
  );
  const columns = [...new Set(rows.map(({ group }) => group))];
  const dueOf = (solver) => keys.filter((key) => canBeRun(solver, groupOf.get(key.split(' ')[0])));
  const countOf = (solver, due, i) => due.filter((key) => shares.get(solver)?.get(key)?.[i] !== undefined).length;
  const missing = (solver, { group, budget }) => {
    const due = dueOf(solver).filter((key) => groupOf.get(key.split(' ')[0]) === group);
    if (due.length === 0) return '–';
    return countOf(solver, due, BUDGETS.indexOf(budget)) === 0 ? 'not run' : 'partly';
  };
  const bySolver = BUDGETS.map((budget) => {
    const own = rows.filter((row) => row.budget === budget);
    const body = [...OURS, ...peers].map((solver) => [
      solver,
      ...own.map((row) => (row.solvers[solver] === undefined ? missing(solver, row) : shown(row.solvers[solver]))),
    ]);
    return `### ${budget} evaluations\n\n${table(['solver', ...columns], body)}\n`;
  });
  const partial = expected.flatMap((solver) => {
    const due = dueOf(solver);
    const budgets = budgetsOf(solver);
    const counts = budgets.map((budget) => countOf(solver, due, BUDGETS.indexOf(budget)));
    const said = (count) => (count === 0 ? 'not run' : `${count} of ${due.length} runs`);
    if (counts.every((count) => count === counts[0])) {
      return counts[0] === due.length ? [] : [`${solver} ${said(counts[0])}`];
    }
    return budgets.flatMap((budget, i) =>
      counts[i] === due.length ? [] : [`${solver} ${said(counts[i])} at ${budget} evaluations`],
    );
  });
  const instances = new Set(keys.map((key) => key.split(' ')[1])).size;
  return [
    `# Shares of targets outside BBOB, ${set} problems`,
    '',
    'Made by `npm run bench:outside`; docs/guides/problem-set.md says what is measured. A group counts a solver only where',
    'all of its runs are done; elsewhere there is `not run`, or `partly` where some are.',
    '',
    `Instances of each problem: ${instances}.${partial.length === 0 ? '' : ` **Partial**: ${partial.join(', ')}.`}`,
    '',
    summary,
    '',
    '`best of all peers`: the best peer of each run, which no single solver is.',
    '',
    ...bySolver,
  ].join('\n');
}

const canBeRun = (solver, group) => !(solver === 'open' && group === 'noisy');
