/** What the faults showed, as text and as a file of bench/results/. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../support/paths.mjs';

const percent = (part, whole) => (whole === 0 ? null : Math.round((1000 * part) / whole) / 10);

function summary(faults) {
  const live = faults.filter(({ end }) => end === 'live');
  const runs = live.flatMap((fault) => fault.runs.filter((run) => run.isLive));
  const isCaught = ({ runs: own }) => own.filter((run) => run.isLive).every((run) => run.isCaught);
  const caught = live.filter(isCaught);
  return {
    faults: faults.length,
    live: live.length,
    caught: caught.length,
    caught_percent: percent(caught.length, live.length),
    runs_with_wrong_values: runs.length,
    runs_caught: runs.filter((run) => run.isCaught).length,
    runs_caught_percent: percent(runs.filter((run) => run.isCaught).length, runs.length),
    runs_that_end_with_a_wrong_best: runs.filter((run) => run.isBestWrong).length,
    runs_that_end_optimal_with_a_wrong_best: runs.filter((run) => run.isWronglyOptimal).length,
  };
}

export function writeResults(faults, settings, isKept) {
  const groups = (key) => [...new Set(faults.map((fault) => fault[key]).filter((name) => name !== null))];
  const by = (key) =>
    groups(key).map((name) => ({ [key]: name, ...summary(faults.filter((fault) => fault[key] === name)) }));
  const ends = Object.fromEntries(
    groups('end').map((end) => [end, faults.filter((fault) => fault.end === end).length]),
  );
  const missed = faults
    .filter(({ end }) => end === 'live')
    .flatMap(({ runs, ...fault }) =>
      runs
        .filter((run) => run.isLive && !run.isCaught)
        .map(({ program, rows, wrongRows, reason, verified, isBestWrong }) => ({
          ...fault,
          program,
          rows,
          wrong_rows: wrongRows,
          reason,
          verified,
          wrong_best: isBestWrong,
        })),
    );
  const results = {
    all: summary(faults),
    ends,
    by_part: by('part'),
    by_family: by('family'),
    by_kind: by('kind'),
    missed,
  };
  console.log(JSON.stringify({ ...results, missed: missed.length }, null, 2));
  if (!isKept) return;
  const [{ model: cpu }] = os.cpus();
  const file = {
    name: 'mutation',
    commit: execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim(),
    date: new Date().toISOString(),
    machine: {
      cpu,
      cores: os.cpus().length,
      memory_gib: Math.round(os.totalmem() / 2 ** 30),
      platform: `${os.platform()} ${os.release()} ${os.arch()}`,
      node: process.version,
    },
    settings,
    results,
  };
  writeFileSync(path.join(root, 'bench/results/mutation.json'), `${JSON.stringify(file, null, 2)}\n`);
}
