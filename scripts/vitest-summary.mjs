/**
 * Vitest reporter: lists each skipped test with the reason, which the default reporter only counts, each failure in one
 * line, which `.ci/run` repeats at its end, and writes the totals for `scripts/test.mjs` to the file named by
 * EXTREMUM_TEST_SUMMARY.
 *
 * The reason is the note of `context.skip('reason')`, or what the title says in `(skipped: ...)`.
 */
import { writeFileSync } from 'node:fs';

function firstLine(error) {
  return String(error?.message ?? error).split('\n', 1)[0];
}

export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const totals = { passed: 0, failed: 0, skipped: 0, skips: [], brokenFiles: 0, unhandledErrors: 0 };
    totals.unhandledErrors = unhandledErrors.length;
    const failures = unhandledErrors.map((error) => `an unhandled error: ${firstLine(error)}`);
    for (const module of modules) {
      if (module.errors().length > 0) {
        totals.brokenFiles += 1;
        failures.push(`${module.relativeModuleId}: ${firstLine(module.errors()[0])}`);
      }
      for (const test of module.children.allTests()) {
        const { state, note, errors } = test.result();
        if (state === 'passed') totals.passed += 1;
        else if (state === 'failed') {
          totals.failed += 1;
          failures.push(`${module.relativeModuleId} > ${test.fullName}: ${firstLine(errors[0])}`);
        } else if (state === 'skipped') {
          totals.skipped += 1;
          const reason = note ?? /\(skipped: (.*)\)\s*$/.exec(test.fullName)?.[1] ?? 'no reason given';
          totals.skips.push({ file: module.relativeModuleId, name: test.fullName, reason });
        }
      }
    }
    for (const { file, name, reason } of totals.skips) {
      console.log(`skipped: ${file} > ${name.replace(/ \(skipped: .*\)\s*$/, '')}: ${reason}`);
    }
    for (const failure of failures) console.log(`failed: ${failure}`);
    const target = process.env['EXTREMUM_TEST_SUMMARY'];
    if (target) writeFileSync(target, JSON.stringify(totals));
  }
}
