import { defineConfig } from 'vitest/config';

/** The tests that `npm test` leaves out: `npx vitest run --config vitest.slow.config.ts [path]`. */
export default defineConfig({
  test: {
    include: ['src/**/*.slow.test.ts', 'test/**/*.slow.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 600_000,
    setupFiles: ['./test/support/leak-guard.ts'],
  },
});
