import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that wait for databases and processes take the longest. They come first, so that none is left at the end. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number => {
      if (project.name === 'mongodb') return 0;
      if (/\/test\/(conformance|cuda|e2e)\//.test(moduleId)) return 1;
      return /\/(test|src\/domains)\//.test(moduleId) ? 2 : 3;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

// `*.slow.test.ts`: `npx vitest run --config vitest.slow.config.ts`.
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.slow.test.ts', '**/*.mongodb.test.ts'],
        },
      },
      {
        // Apart, so that a server is started only where one of these files runs.
        extends: true,
        test: {
          name: 'mongodb',
          include: ['test/**/*.mongodb.test.ts'],
          globalSetup: ['./test/support/mongodb-setup.ts'],
        },
      },
    ],
    // A process per file: native addons, worker threads and child processes of one file never meet another's.
    pool: 'forks',
    sequence: { sequencer: LongFilesFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A file whose threads or servers keep its process alive is reported instead of waited for.
    teardownTimeout: 5_000,
    // Two cores are the least that a test machine has; more files at once than that only makes time limits tight.
    maxWorkers: process.env['CI'] === undefined ? '50%' : 2,
    reporters: ['default', './scripts/vitest-summary.mjs'],
    setupFiles: ['./test/support/leak-guard.ts'],
  },
});
