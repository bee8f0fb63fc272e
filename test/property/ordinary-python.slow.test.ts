/** What `npm run fuzz:python` runs: programs as people write them, against CPython, for as long as it says. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { coverageReport } from '../support/ordinary-python/coverage.js';
import { fuzzOrdinary } from '../support/ordinary-python/fuzz.js';
import { findPython } from '../support/python.js';

const seconds = Number(process.env['EXTREMUM_FUZZ_SECONDS'] ?? 60);
const seed = Number(process.env['EXTREMUM_FUZZ_SEED'] ?? 1);
const count = Number(process.env['EXTREMUM_FUZZ_COUNT'] ?? 1e9);
const out = process.env['EXTREMUM_FUZZ_OUT'];
const shrunk = Number(process.env['EXTREMUM_FUZZ_SHRINK'] ?? 30);
const without = (process.env['EXTREMUM_FUZZ_WITHOUT'] ?? '').split(',');
const mode =
  (['feasibility', 'metamorphic', 'suite'] as const).find((m) => m === process.env['EXTREMUM_FUZZ_MODE']) ?? 'ordinary';
const provesEvery = Number(process.env['EXTREMUM_FUZZ_PROVES'] ?? (mode === 'feasibility' ? 1 : 0));
const coverage = process.env['EXTREMUM_FUZZ_COVERAGE'];

const python = findPython('numpy');

test.skipIf(python.command === null)(
  `ordinary programs agree${python.command === null ? ` (${python.reason})` : ''}`,
  async () => {
    if (out !== undefined) writeFileSync(out, '');
    const total = await fuzzOrdinary(python.command!, {
      ...{ mode, seconds, seed, count, shrunk, without, provesEvery },
      ...(coverage === undefined ? {} : { coverage }),
      report: (text) => console.log(text),
      found: (text) => {
        console.log(`\n${text}`);
        if (out !== undefined) appendFileSync(out, `${text}\n\n`);
      },
    });
    if (coverage !== undefined) {
      const text = coverageReport(coverage);
      writeFileSync(coverage, `${text}\n`);
      console.log(text.split('\n', 1)[0]);
    }
    expect(total, 'findings').toBe(0);
  },
  (seconds + 600) * 1000,
);
