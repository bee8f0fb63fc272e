import { defineConfig } from 'vitest/config';

/** The tests that `npm test` leaves out: `npx vitest run --config vitest.slow.config.ts [path]`. */
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['src/**/*.slow.test.ts', 'test/**/*.slow.test.ts'],
          exclude: ['**/node_modules/**', '**/*.mongodb.slow.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'slow mongodb',
          include: ['test/**/*.mongodb.slow.test.ts'],
          globalSetup: ['./test/support/mongodb-setup.ts'],
        },
      },
    ],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 600_000,
    setupFiles: ['./test/support/leak-guard.ts'],
  },
});
