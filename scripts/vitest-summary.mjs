/**
 * Vitest reporter: lists each skipped test with the reason, which the default reporter only counts, and writes the
 * totals for `scripts/test.mjs` to the file named by EXTREMUM_TEST_SUMMARY.
 *
 * The reason is the note of `context.skip('reason')`, or what the title says in `(skipped: ...)`.
 */
import { writeFileSync } from 'node:fs';

export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const totals = { passed: 0, failed: 0, skipped: 0, skips: [], brokenFiles: 0, unhandledErrors: 0 };
    totals.unhandledErrors = unhandledErrors.length;
    for (const module of modules) {
      if (module.errors().length > 0) totals.brokenFiles += 1;
      for (const test of module.children.allTests()) {
        const { state, note } = test.result();
        if (state === 'passed') totals.passed += 1;
        else if (state === 'failed') totals.failed += 1;
        else if (state === 'skipped') {
          totals.skipped += 1;
          const reason = note ?? /\(skipped: (.*)\)\s*$/.exec(test.fullName)?.[1] ?? 'no reason given';
          totals.skips.push({ file: module.relativeModuleId, name: test.fullName, reason });
        }
      }
    }
    for (const { file, name, reason } of totals.skips) {
      console.log(`skipped: ${file} > ${name.replace(/ \(skipped: .*\)\s*$/, '')}: ${reason}`);
    }
    const target = process.env['EXTREMUM_TEST_SUMMARY'];
    if (target) writeFileSync(target, JSON.stringify(totals));
  }
}
