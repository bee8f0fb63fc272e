/** Limits that only very many runs reach. */
import { describe, expect, it } from 'vitest';
import type { AnalyticsService } from '../../analytics/analytics-service.js';
import { ExtremumError } from '../../common/errors.js';
import { Exporter } from '../../exports/export-file.js';
import { FORMAT_FACTS, type ExportFormat } from '../../exports/export-format.js';
import type { ExecutionsReport } from '../../model/analytics.js';
import { analyticsRoutes } from './routes.js';

async function ask(format: ExportFormat, total: number): Promise<{ readonly status: number }> {
  const report: ExecutionsReport = {
    kind: 'executions',
    period: { start: 0, end: 1 },
    optimizationId: null,
    status: null,
    total,
    byStatus: { pending: 0, running: 0, completed: total, failed: 0 },
    byOptimization: [],
    byOptimizationTotal: 0,
    timeSeries: [],
  };
  async function* list(): AsyncGenerator<never> {}
  const analytics = { executions: async () => report, currency: 'USD', list } as unknown as AnalyticsService;
  const routes = analyticsRoutes({ analytics, exporter: new Exporter(), clock: () => 0 });
  const executions = routes.find(({ path }) => path === '/v1/analytics/executions')!;
  const caller = { account: { id: 'acct_1', name: 'one' } };
  return executions.handle({ caller, query: { format } } as never);
}

describe('an export of executions', () => {
  it.each(['xlsx', 'pdf'] as const)('is refused as %s with one more than it has room for', async (format) => {
    const { maxRows } = FORMAT_FACTS[format];
    expect(maxRows).toBe({ xlsx: 1_048_575, pdf: 100_000 }[format]);
    expect(await ask(format, maxRows)).toMatchObject({ status: 200 });
    const refusal = await ask(format, maxRows + 1).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ExtremumError);
    expect(refusal).toMatchObject({ code: 'invalid_request', field: 'format' });
    expect(String(refusal)).toContain(`${maxRows} executions, and these are ${maxRows + 1}`);
  });

  it('has no limit as csv', async () => {
    expect(await ask('csv', 2 ** 40)).toMatchObject({ status: 200 });
  });
});
