/** What `npm run fuzz` runs: rounds of random programs for as long as `scripts/fuzz.mjs` says. */
import { expect, test } from 'vitest';
import { fuzzRound } from '../support/fuzz-python.js';
import { findPython } from '../support/python.js';

const seconds = Number(process.env['EXTREMUM_FUZZ_SECONDS'] ?? 60);
const firstSeed = Number(process.env['EXTREMUM_FUZZ_SEED'] ?? 1);
/** Programs per round, which is one start of CPython. */
const ROUND = 100;
const SHOWN = 10;
const REPORT_MS = 10_000;

const python = findPython('numpy');

test.skipIf(python.command === null)(
  `random programs agree for ${seconds} s${python.command === null ? ` (${python.reason})` : ''}`,
  async () => {
    const end = Date.now() + seconds * 1000;
    const total = { programs: 0, compiled: 0, compared: 0, flagged: 0, derived: 0, refused: 0 };
    const wrong: string[] = [];
    let backends: readonly string[] = [];
    const percent = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
    const report = () => {
      const compiled = `${percent(total.compiled, total.programs)} compiled`;
      const flagged = `${percent(total.flagged, total.compared)} of ${total.compared} evaluations flagged`;
      const derived = `${total.derived} gradients and bounds`;
      console.log(`${total.programs} programs, ${compiled}, ${derived}, ${flagged}, ${wrong.length} differences`);
    };
    let seed = firstSeed;
    for (let reported = Date.now(); Date.now() < end; seed += ROUND) {
      const style = ((seed - firstSeed) / ROUND) % 3 === 2 ? 'smooth' : 'exact';
      const found = await fuzzRound(python.command!, style, seed, ROUND);
      for (const key of ['programs', 'compiled', 'compared', 'flagged', 'derived', 'refused'] as const)
        total[key] += found[key];
      for (const text of found.wrong) wrong.push(`${style}, ${text}`);
      backends = found.backends;
      if (Date.now() - reported < REPORT_MS) continue;
      report();
      reported = Date.now();
    }
    report();
    console.log(`seeds ${firstSeed} to ${seed - 1}; compared: CPython, interpreter, ${backends.join(', ')}`);
    if (total.refused > 0) console.log(`${total.refused} times a backend refused a program`);
    wrong.slice(0, SHOWN).forEach((text) => console.log(`\n${text}`));
    expect(wrong.length, 'differences').toBe(0);
  },
  (seconds + 120) * 1000,
);
